/* SPDX-License-Identifier: MIT */
/* Entries into lines, in the order in which they come. What they do not tell, the shape and the type, stands
 * in comments before them. */
#include "base/context.h"
#include "base/memory.h"
#include "format/tns/tns.h"
#include "number/number.h"
#include <inttypes.h>
#include <string.h>

typedef struct sheaf_tns_writer {
	SHEAF_BASE(sheaf_output, output);
	int rank;
} sheaf_tns_writer;

/* ---- accept ---- */

/* Structures are not said: what they imply is written. Nor are types: doubles hold what floats and truth
 * values hold, and integers stay exact. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_tensor *t = &schema->tensor;
	int value = sheaf_schema_value(schema);
	(void)values;
	if (t->rank < 1)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected at least one dimension, found none");
	sheaf_field *field = value < 0 ? NULL : &schema->fields[value];
	if (!field || field->nlevels || (field->meaning != SHEAF_NUMBER && field->meaning != SHEAF_BOOL))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "\"%s\": expected numbers, none of which may be missing, found %s",
		                  field ? field->name : "value", field ? sheaf_field_storage(field) : "no values");
	if (field->type == SHEAF_F32) field->type = SHEAF_F64;
	if (field->type != SHEAF_F64) field->type = SHEAF_I64;
	t->structure = SHEAF_GENERAL;
	t->dense = false;
	t->unique = true;
	return SHEAF_OK;
}

/* ---- create, append, finish ---- */

static sheaf_status write_opening(const sheaf_tns_writer *out, const sheaf_schema *schema, bool header,
                                  int64_t entries, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, out->cx, NULL);
	if (schema->fields[sheaf_schema_value(schema)].type == SHEAF_I64)
		sheaf_builder_text(&b, TNS_INTEGERS "\n");
	if (header)
		sheaf_builder_printf(&b, "%d %" PRId64 "\n", out->rank, entries);
	else
		sheaf_builder_text(&b, TNS_SHAPE " ");
	for (int d = 0; d < out->rank; d++)
		sheaf_builder_printf(&b, "%s%" PRId64, d ? " " : "", schema->tensor.shape[d]);
	sheaf_builder_byte(&b, '\n');
	sheaf_status status = sheaf_builder_status(&b, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, b.data, b.size, err);
	sheaf_builder_drop(&b);
	return status;
}

static sheaf_status tell_of_fill(const sheaf_tns_writer *out, const sheaf_schema *schema, sheaf_error *err)
{
	static const uint8_t zeros[sizeof schema->tensor.fill];
	size_t size = sheaf_type_size(schema->fields[sheaf_schema_value(schema)].type);
	if (!schema->tensor.has_fill || memcmp(schema->tensor.fill, zeros, size) == 0) return SHEAF_OK;
	sheaf_problem problem = {SHEAF_ERROR,    SHEAF_LOSS,      "fill", SHEAF_NOWHERE, "zero where no entry is",
	                         "another fill", "it is left out"};
	problem.place.file = sheaf_sink_name(out->sink);
	return sheaf_report(out->cx, &problem, err);
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	sheaf_tns_writer *out = (sheaf_tns_writer *)created;
	bool header = sheaf_values_flag(values, "extended");
	if (header && totals->rows < 0)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected the number of entries before the first one, found it unknown",
		                  sheaf_sink_name(out->sink));
	out->rank = out->schema.tensor.rank;
	SHEAF_TRY(tell_of_fill(out, &out->schema, err));
	return write_opening(out, &out->schema, header, totals->rows, err);
}

/* ---- encode ---- */

enum { BATCH = 256 };

static inline int64_t coordinate(const sheaf_column *column, int64_t r)
{
	return column->type == SHEAF_I64 ? ((const int64_t *)(const void *)column->values.data)[r]
	                                 : ((const int32_t *)(const void *)column->values.data)[r];
}

static void put_lines(const sheaf_tns_writer *out, sheaf_builder *b, const sheaf_frame *frame, int64_t from,
                      int64_t until)
{
	const sheaf_column *values = &frame->columns[out->rank];
	if (!sheaf_builder_room(b, (size_t)(until - from) * (size_t)(out->rank + 2) * SHEAF_NUMBER_MAX)) return;
	char *to = (char *)b->data + b->size;
	for (int64_t r = from; r < until; r++) {
		for (int c = 0; c < out->rank; c++) {
			to = sheaf_print_u64(to, (uint64_t)coordinate(&frame->columns[c], r) + 1);
			*to++ = ' ';
		}
		to = values->type == SHEAF_F64
		         ? sheaf_print_f64(to, ((const double *)(const void *)values->values.data)[r])
		         : sheaf_print_i64(to, ((const int64_t *)(const void *)values->values.data)[r]);
		*to++ = '\n';
	}
	b->size = (size_t)(to - (char *)b->data);
}

static sheaf_status encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_blob *blob,
                           sheaf_context *cx, sheaf_error *err)
{
	const sheaf_tns_writer *out = (const sheaf_tns_writer *)writer;
	sheaf_builder b;
	(void)row;
	sheaf_builder_begin(&b, cx, &blob->bytes);
	for (int64_t from = 0; from < frame->nrows && !b.failed; from += BATCH)
		put_lines(out, &b, frame, from, frame->nrows - from < BATCH ? frame->nrows : from + BATCH);
	blob->rows = frame->nrows;
	return sheaf_builder_finish(&b, &blob->bytes, err);
}

const sheaf_writing sheaf_tns_writing = {
	.takes = SHEAF_TAKES_ENTRIES,
	.needs_rows = true,
	.output_size = sizeof(sheaf_tns_writer),
	.accept = accept,
	.create = create,
	.encode = encode,
};
