/* SPDX-License-Identifier: MIT */
/* Entries into lines, in the order in which they come. Comments before them give the shape and the type,
 * which entries do not show. */
#include "base/context.h"
#include "base/memory.h"
#include "format/tns/tns.h"
#include <inttypes.h>

typedef struct sheaf_tns_writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_entry_style style;
} sheaf_tns_writer;

/* ---- accept ---- */

/* Asks a tensor for entries without a structure, each once. Structures are not written: the entries that
 * they imply are. Nor are types: doubles hold what floats hold, and integers and truth values are written
 * as integers of 64 bits. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_tensor *t = &schema->tensor;
	(void)values;
	if (t->rank < 1)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected at least one dimension, found none");
	sheaf_field *field = &schema->fields[sheaf_schema_value(schema)];
	if (field->nlevels || (field->meaning != SHEAF_NUMBER && field->meaning != SHEAF_BOOL))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "\"%s\": expected numbers, none of which may be missing, found %s", field->name,
		                  sheaf_field_storage(field));
	if (field->type == SHEAF_F32) field->type = SHEAF_F64;
	if (field->type != SHEAF_F64) field->type = SHEAF_I64;
	t->structure = SHEAF_GENERAL;
	t->dense = t->has_fill = false;
	t->unique = true;
	return SHEAF_OK;
}

/* ---- create, encode ---- */

/* Writes the header: the type, if it is an integer, and the shape, both in comments. Readers of FROSTT
 * pass comments, but take two lines of numbers for entries, so that these are written before the entries
 * only on request. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	sheaf_tns_writer *out = (sheaf_tns_writer *)created;
	const sheaf_schema *schema = &out->schema;
	const sheaf_tensor *t = &schema->tensor;
	bool integers = schema->fields[sheaf_schema_value(schema)].type == SHEAF_I64;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	out->style.rank = out->style.ncoordinates = t->rank;
	for (int c = 0; c < t->rank; c++) out->style.columns[c] = c;
	out->style.value = integers ? SHEAF_ENTRY_INTEGER : SHEAF_ENTRY_REAL;
	if (integers) sheaf_builder_text(&b, TNS_INTEGERS "\n");
	if (sheaf_values_flag(values, "layout"))
		sheaf_builder_printf(&b, "%d %" PRId64 "\n", t->rank, totals->rows);
	else
		sheaf_builder_text(&b, TNS_SHAPE " ");
	for (int d = 0; d < t->rank; d++) sheaf_builder_printf(&b, "%s%" PRId64, d ? " " : "", t->shape[d]);
	sheaf_builder_byte(&b, '\n');
	return sheaf_entry_write_header(&out->output, &b, err);
}

static sheaf_status encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	(void)row, (void)samples;
	return sheaf_entry_encode(&((const sheaf_tns_writer *)writer)->style, frame, b, err);
}

const sheaf_writing sheaf_tns_writing = {
	.takes = SHEAF_TAKES_ENTRIES,
	.needs_rows = true,
	.output_size = sizeof(sheaf_tns_writer),
	.accept = accept,
	.create = create,
	.encode = encode,
};
