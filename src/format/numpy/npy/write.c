/* SPDX-License-Identifier: MIT */
/* Writing array files: the header contains the number of items, so it is known before the first row, and the
 * rows then follow as they come. Of a tensor that number is the product of its shape; of other rows the
 * totals say it. The end compares it with what was written, so that no file claims rows that it does not
 * have. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/numpy/npy/npy.h"
#include "io/sink.h"
#include <inttypes.h>
#include <string.h>

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_dtype dtype;
	int64_t expected; /* rows that the header states */
} writer;

/* Checks that a schema can be an array, one dense stream, or a tensor with values, or columns that can be
 * items, and asks a tensor for each position once, in an order that the header can state. The dtype is
 * made only to see that there is one. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_dtype dtype;
	sheaf_tensor *t = &schema->tensor;
	if (schema->rows == SHEAF_SEQUENCES &&
	    (schema->nfields != 1 || !sheaf_field_is_dense(&schema->fields[0]))) {
		char names[300];
		int n = sheaf_schema_list_streams(schema, names, sizeof names);
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected one dense stream, found %d (%s)%s", n, names,
		                  n ? "; any of them may become a tensor (" SHEAF_OPTION("value") " NAME)" : "");
	}
	if (schema->rows == SHEAF_ENTRIES && sheaf_schema_value(schema) < 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected values, found none");
	SHEAF_TRY(
		sheaf_array_dtype(schema, sheaf_values_number(values, "string-bytes", 0), schema->cx, &dtype, err));
	sheaf_dtype_free(&dtype, schema->cx);
	if (schema->rows != SHEAF_ENTRIES) return SHEAF_OK;
	sheaf_array_order(t);
	t->dense = true;
	t->structure = SHEAF_GENERAL;
	return SHEAF_OK;
}

static void close_output(void *created)
{
	writer *out = (writer *)created;
	sheaf_dtype_free(&out->dtype, out->cx);
}

/* Writes the header, which comes before the rows and has their number: it must be known by now, from the
 * tensor's extents or from what the caller has announced. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	const sheaf_schema *schema = &out->schema;
	const sheaf_tensor *t = &schema->tensor;
	bool is_stream = schema->rows == SHEAF_SEQUENCES, is_tensor = schema->rows == SHEAF_ENTRIES;
	SHEAF_TRY(
		sheaf_array_dtype(schema, sheaf_values_number(values, "string-bytes", 0), out->cx, &out->dtype, err));
	out->expected = is_tensor ? 1 : totals->rows;
	for (int d = 0; d < t->rank && is_tensor; d++)
		if (!sheaf_mul_i64(&out->expected, out->expected, t->shape[d]))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "tensor: expected less than 2^63 positions, found more");
	if (out->expected < 0)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected the number of rows before the first of them, found none",
		                  sheaf_sink_name(out->sink));
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	int64_t shape[2] = {out->expected, is_stream ? sheaf_field_dim(&schema->fields[0]) : 0};
	sheaf_array_head head = {&out->dtype, is_stream ? 2 : 1, shape, false};
	if (is_tensor) head = sheaf_array_head_of(t, &out->dtype);
	sheaf_array_put_header(&b, &head);
	SHEAF_TRY(sheaf_builder_status(&b, err));
	return sheaf_sink_write(out->sink, b.data, b.size, err);
}

static sheaf_status encode(const void *opened, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)opened;
	(void)samples;
	sheaf_items_written rows = {&out->schema, frame, row, sheaf_sink_name(out->sink)};
	return sheaf_array_put_items(&out->dtype, &rows, b, b->cx, err);
}

static sheaf_status finish(void *created, sheaf_error *err)
{
	const writer *out = (const writer *)created;
	if (out->schema.rows == SHEAF_ENTRIES)
		return sheaf_check_positions(&out->schema.tensor, out->written, sheaf_sink_name(out->sink), err);
	if (out->written == out->expected) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected %" PRId64 " rows, as the totals say, found %" PRId64,
	                  sheaf_sink_name(out->sink), out->expected, out->written);
}

const sheaf_writing sheaf_npy_writing = {
	.takes = SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES | SHEAF_TAKES_SEQUENCES,
	.needs_totals = true,
	.needs_rows = true,
	.output_size = sizeof(writer),
	.accept = accept,
	.create = create,
	.encode = encode,
	.finish = finish,
	.close = close_output,
};
