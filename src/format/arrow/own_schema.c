/* SPDX-License-Identifier: MIT */
/* The schema that columns had before they became Arrow's. It says more than Arrow's types do, and everything
 * in it is checked against these: if the columns are not those that such a schema becomes, it is ignored. */
#include "data/frame.h"
#include "data/schema_bytes.h"
#include "format/arrow/ipc.h"
#include <math.h>

static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes from hexadecimal digits; none if they are no such digits. */
static void put_bytes(sheaf_builder *to, sheaf_bytes text)
{
	for (size_t i = 0; i + 1 < text.size; i += 2) {
		int high = digit(text.data[i]), low = digit(text.data[i + 1]);
		if (high < 0 || low < 0) {
			to->size = 0;
			return;
		}
		sheaf_builder_byte(to, (char)(high << 4 | low));
	}
}

/* Columns beside streams are lost by name if a format has no place for them. */
static void name_losses(sheaf_schema *schema)
{
	for (int f = 0; schema->rows == SHEAF_SEQUENCES && f < schema->nfields; f++) {
		sheaf_field *field = &schema->fields[f];
		if (sheaf_field_is_stream(field) || field->meaning == SHEAF_KEY) continue;
		field->loss = "column";
		field->usual = NAN;
	}
}

static sheaf_status use(sheaf_ipc_reader *in, int options, sheaf_error *err)
{
	bool alike = false;
	sheaf_arrow_options how = {.size = sizeof how,
	                           .codes = options & SHEAF_IPC_CODES,
	                           .text_as_bytes = options & SHEAF_IPC_TEXT_AS_BYTES};
	bool rows = in->schema.rows == SHEAF_SEQUENCES || in->schema.rows == SHEAF_CELLS;
	sheaf_status status = rows ? sheaf_arrow_plan_new(&in->schema, &how, in->cx, &in->plan, err) : SHEAF_OK;
	if (!status && rows) status = sheaf_arrow_is_of_plan(&in->plan, &in->rows, &alike, err);
	if (alike) {
		name_losses(&in->schema);
		return SHEAF_OK;
	}
	if (in->plan.tops) sheaf_arrow_plan_free(&in->plan);
	sheaf_schema_free(&in->schema);
	in->schema = (sheaf_schema){.cx = in->cx};
	return status;
}

static sheaf_status read_own(sheaf_ipc_reader *in, sheaf_bytes bytes, sheaf_error *err)
{
	sheaf_error why = {0};
	sheaf_cursor c = sheaf_cursor_over(bytes.data, bytes.size, 0);
	int options = sheaf_cursor_u8(&c, "options");
	sheaf_status status = sheaf_schema_from_bytes(&c, in->cx, &in->schema, &why);
	in->schema.cx = in->cx;
	if (status == SHEAF_DATA) return sheaf_forgive(status, "Arrow's own schema says enough");
	if (status) {
		if (err) *err = why;
		return status;
	}
	return use(in, options, err);
}

static sheaf_status learn_own(sheaf_ipc_reader *in, const sheaf_fb_table *schema, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_bytes text = sheaf_ipc_metadata(schema, SHEAF_IPC_SCHEMA_KEY);
	if (text.size == 0) return SHEAF_OK;
	sheaf_builder_begin(&b, in->cx, NULL);
	put_bytes(&b, text);
	sheaf_status status = sheaf_builder_status(&b, err);
	if (!status && b.size) status = read_own(in, (sheaf_bytes){b.data, b.size}, err);
	sheaf_builder_drop(&b);
	return status;
}

/* The fields of a schema, in a message or a footer. */
sheaf_status sheaf_ipc_learn_schema(sheaf_ipc_reader *in, const sheaf_fb_table *schema, sheaf_error *err)
{
	in->schema.cx = in->cx;
	SHEAF_TRY(sheaf_ipc_read_schema(schema, sheaf_source_name(in->source), in->cx, &in->rows, err));
	SHEAF_TRY(learn_own(in, schema, err));
	if (!in->plan.tops) SHEAF_TRY(sheaf_arrow_take_schema(&in->rows, &in->schema, err));
	SHEAF_TRY(sheaf_ipc_read_attributes(schema, &in->schema, err));
	if (!schema->in->broken) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: schema: expected metadata inside of its message, found some that lies outside",
	                  sheaf_source_name(in->source));
}
