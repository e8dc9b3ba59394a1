/* SPDX-License-Identifier: MIT */
/* The contents of a minibatch, as JSON for programs. */
#include "base/need.h"
#include "batch/batches.h"
#include "data/frame.h"
#include "data/item.h"
#include "data/print.h"

/* The sequences of a column one after the other, or its items if it is no stream. */
static void put_rows(sheaf_builder *b, const sheaf_column *column, int64_t rows)
{
	for (int64_t r = 0; r < rows && !b->failed; r++) {
		if (r) sheaf_builder_byte(b, ',');
		sheaf_position_text(b, column, 0, r, SHEAF_JSON);
	}
}

static void put_dense_sample(sheaf_builder *b, const sheaf_column *values, int64_t sample, int64_t dim)
{
	for (int64_t i = 0; i < dim && !b->failed; i++) {
		if (i) sheaf_builder_byte(b, ',');
		sheaf_item_text(b, values, 0, sample * dim + i, true);
	}
}

static void put_sparse_sample(sheaf_builder *b, const sheaf_column *values, const sheaf_packed *packed,
                              int64_t sample)
{
	const int32_t *starts = (const int32_t *)(const void *)packed->starts.data;
	const int32_t *indices = (const int32_t *)(const void *)packed->indices.data;
	for (int32_t i = starts[sample]; i < starts[sample + 1] && !b->failed; i++) {
		sheaf_builder_printf(b, "%s[%" PRId32 ",", i > starts[sample] ? "," : "", indices[i]);
		sheaf_item_text(b, values, 0, i, true);
		sheaf_builder_byte(b, ']');
	}
}

/* Rows of steps, each with a sample, or null if there is none. */
static void put_grid(sheaf_builder *b, const sheaf_packed *packed, const sheaf_field *field)
{
	sheaf_column values = {.meaning = field->meaning, .type = field->type, .values = packed->values};
	for (int64_t r = 0; r < packed->rows; r++) {
		sheaf_builder_text(b, r ? ",[" : "[");
		for (int64_t w = 0; w < packed->width && !b->failed; w++) {
			int64_t sample = r * packed->row_stride + w * packed->step_stride;
			if (w) sheaf_builder_byte(b, ',');
			if (!packed->mask.data[sample]) {
				sheaf_builder_text(b, "null");
				continue;
			}
			sheaf_builder_byte(b, '[');
			if (sheaf_field_is_sparse(field))
				put_sparse_sample(b, &values, packed, sample);
			else
				put_dense_sample(b, &values, sample, sheaf_field_dim(field));
			sheaf_builder_byte(b, ']');
		}
		sheaf_builder_byte(b, ']');
	}
}

static void put_name(sheaf_builder *b, const sheaf_field *field, bool *first)
{
	sheaf_builder_byte(b, *first ? '{' : ',');
	*first = false;
	sheaf_json_string(b, field->name, strlen(field->name));
	sheaf_builder_text(b, ":[");
}

static void put_streams(sheaf_builder *b, const sheaf_batch *batch, const sheaf_schema *schema)
{
	bool first = true;
	for (int c = 0; batch->frame && c < schema->nfields; c++) {
		if (schema->fields[c].meaning == SHEAF_KEY) continue;
		put_name(b, &schema->fields[c], &first);
		put_rows(b, &batch->frame->columns[c], batch->frame->nrows);
		sheaf_builder_byte(b, ']');
	}
	for (int p = 0; batch->packed && p < batch->npacked; p++) {
		const sheaf_field *field = &schema->fields[batch->packed[p].field];
		put_name(b, field, &first);
		put_grid(b, &batch->packed[p], field);
		sheaf_builder_byte(b, ']');
	}
	sheaf_builder_text(b, first ? "{}" : "}");
}

sheaf_status sheaf_batch_text(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_buffer *out,
                              sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(batches, "batches");
	SHEAF_NEED(batch, "a batch");
	const sheaf_schema *schema = sheaf_batches_schema(batches);
	sheaf_builder b;
	sheaf_builder_begin(&b, batches->cx, out);
	put_streams(&b, batch, schema);
	return sheaf_builder_finish(&b, out, err);
}
