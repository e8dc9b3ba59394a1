/* SPDX-License-Identifier: MIT */
/* What columns are read as. The schema that they had before they became Arrow's says more than Arrow's types
 * do, and must agree with them. Other columns are read as Arrow's types say, or left out. */
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/arrow/ipc.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "io/source.h"

/* A hexadecimal digit's value; -1: it is none. */
static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Appends the bytes that hexadecimal digits, lower-case ones, stand for; false if the text is not made of
 * pairs of these. */
static bool put_bytes(sheaf_builder *to, sheaf_bytes text)
{
	for (size_t i = 0; i + 1 < text.size; i += 2) {
		int high = digit(text.data[i]), low = digit(text.data[i + 1]);
		if (high < 0 || low < 0) return false;
		sheaf_builder_byte(to, (char)(high << 4 | low));
	}
	return text.size % 2 == 0;
}

static sheaf_status refuse(const sheaf_ipc_reader *in, const char *why, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: schema: expected metadata \"" SHEAF_IPC_SCHEMA_KEY "\" of these columns, found %s "
	                  "(without that metadata they are read as Arrow's types say)",
	                  sheaf_source_name(in->source), why);
}

/* Uses the schema if the columns are those that it becomes. If other columns are there, another program has
 * changed them, and kept the metadata: a note says so, and the metadata are ignored. Columns of the same
 * names and other types are no such change, and reading them as they are would be a guess. */
static sheaf_status use(sheaf_ipc_reader *in, int options, sheaf_error *err)
{
	sheaf_arrow_likeness likeness;
	sheaf_arrow_options how = {.size = sizeof how,
	                           .codes = options & SHEAF_IPC_CODES,
	                           .text_as_bytes = options & SHEAF_IPC_TEXT_AS_BYTES};
	if (options & ~(SHEAF_IPC_CODES | SHEAF_IPC_TEXT_AS_BYTES)) return refuse(in, "unknown options", err);
	if (in->schema.rows != SHEAF_SEQUENCES && in->schema.rows != SHEAF_CELLS)
		return refuse(in, "a tensor", err);
	SHEAF_TRY(sheaf_arrow_plan_new(&in->schema, &how, in->cx, &in->plan, err));
	SHEAF_TRY(sheaf_arrow_is_of_plan(&in->plan, &in->columns, &likeness, err));
	if (likeness == SHEAF_ARROW_OTHER_COLUMNS) {
		sheaf_problem problem =
			sheaf_problem_in(sheaf_source_name(in->source),
		                     &SHEAF_FINDING(SHEAF_NOTE, "columns changed",
		                                    "the columns of metadata \"" SHEAF_IPC_SCHEMA_KEY "\"", "others",
		                                    "they are read as Arrow's types say"));
		sheaf_arrow_plan_free(&in->plan);
		sheaf_schema_free(&in->schema);
		in->schema = (sheaf_schema){.cx = in->cx};
		return sheaf_report(in->cx, &problem, err);
	}
	if (likeness == SHEAF_ARROW_OTHER_TYPES) return refuse(in, "columns of these names and other types", err);
	sheaf_schema_name_losses(&in->schema);
	return SHEAF_OK;
}

/* The schema that the columns had, if the metadata have it: a byte of options, then the schema, in
 * hexadecimal digits, since metadata are texts. */
static sheaf_status learn_own(sheaf_ipc_reader *in, const sheaf_fb_table *schema, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = in->cx};
	sheaf_error why = {0};
	sheaf_bytes text = sheaf_ipc_metadata(schema, SHEAF_IPC_SCHEMA_METADATA, SHEAF_IPC_SCHEMA_KEY);
	if (!text.data) return SHEAF_OK;
	bool digits = put_bytes(&b, text);
	sheaf_cursor c = sheaf_cursor_over(b.data, b.size, 0);
	sheaf_status status = sheaf_builder_status(&b, &why);
	int options = sheaf_cursor_u8(&c, "options");
	if (!status) status = sheaf_schema_from_bytes(&c, in->cx, &in->schema, &why);
	in->schema.cx = in->cx;
	if (!status && (!digits || sheaf_cursor_left(&c))) status = refuse(in, "other digits, too", &why);
	if (status == SHEAF_DATA)
		return sheaf_fail_within(err, &why, "%s: metadata \"" SHEAF_IPC_SCHEMA_KEY "\"",
		                         sheaf_source_name(in->source));
	return status ? sheaf_fail_again(err, &why) : use(in, options, err);
}

/* ---- columns of others ---- */

/* Chooses the columns that are read: all that a frame can have. Those of a schema of ours are all read. */
sheaf_status sheaf_ipc_choose_columns(sheaf_ipc_reader *in, sheaf_error *err)
{
	const sheaf_arrow_rows found = {&in->columns, sheaf_ipc_misses, sheaf_source_name(in->source)};
	if (!in->plan.tops) SHEAF_TRY(sheaf_arrow_take_schema(&found, &in->schema, err));
	return sheaf_ipc_list_dictionaries(in, err);
}

/* Learns what the schema message says: fields, the order of bytes, and metadata. A part that lies outside of
 * the message only shows at the end, as reading went on without it. */
sheaf_status sheaf_ipc_learn_schema(sheaf_ipc_reader *in, const sheaf_fb_table *schema, sheaf_error *err)
{
	bool is_big;
	in->schema.cx = in->cx;
	SHEAF_TRY(
		sheaf_ipc_read_schema(schema, sheaf_source_name(in->source), in->cx, &in->columns, &is_big, err));
	in->swapped = is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	SHEAF_TRY(learn_own(in, schema, err));
	SHEAF_TRY(sheaf_ipc_read_attributes(schema, &in->schema, err));
	if (!schema->in->broken) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: schema: expected metadata inside of its message, found some that lies outside",
	                  sheaf_source_name(in->source));
}
