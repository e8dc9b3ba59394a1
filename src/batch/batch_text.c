/* SPDX-License-Identifier: MIT */
/* The contents of a minibatch as JSON, for programs: {"NAME":[...],...}, one member for each stream. A batch
 * with a frame gives an array for each row; a packed one gives rows of steps, with null where a grid has no
 * sample. The key is left out. */
#include "base/need.h"
#include "batch/batches.h"
#include "frame/frame.h"
#include "frame/item.h"
#include "frame/print.h"

/* Appends the grid of a stream as JSON, without its outer brackets: an array for each row, in it for each
 * step null or the sample, which is an array of values, or of [index,value] for a sparse stream. */
static void put_grid(sheaf_builder *b, const sheaf_packed *packed, const sheaf_field *field)
{
	sheaf_column values = {.meaning = field->meaning, .type = field->type, .values = packed->values};
	const int32_t *starts = (const int32_t *)(const void *)packed->starts.data;
	const int32_t *indices = (const int32_t *)(const void *)packed->indices.data;
	bool sparse = sheaf_field_is_sparse(field);
	int64_t dim = sheaf_field_dim(field);
	for (int64_t r = 0; r < packed->rows; r++) {
		sheaf_builder_text(b, r ? ",[" : "[");
		for (int64_t w = 0; w < packed->width && !b->failed; w++) {
			int64_t place = r * packed->row_stride + w * packed->step_stride;
			bool there = packed->mask.data[place];
			sheaf_builder_text(b, w ? "," : "");
			sheaf_builder_text(b, there ? "[" : "null");
			if (!there) continue;
			int64_t begin = sparse ? starts[place] : place * dim,
					end = sparse ? starts[place + 1] : begin + dim;
			for (int64_t i = begin; i < end && !b->failed; i++) {
				if (i > begin) sheaf_builder_byte(b, ',');
				if (sparse) sheaf_builder_printf(b, "[%" PRId32 ",", indices[i]);
				sheaf_item_text(b, &values, 0, i, true);
				if (sparse) sheaf_builder_byte(b, ']');
			}
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

/* A batch has either a frame or grids, so that only one of the two loops puts members. */
sheaf_status sheaf_batch_text(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_buffer *out,
                              sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(batches, "batches");
	SHEAF_NEED(batch, "a batch");
	const sheaf_schema *schema = sheaf_batches_schema(batches);
	sheaf_builder b;
	bool first = true;
	sheaf_builder_begin(&b, batches->cx, out);
	for (int c = 0; batch->frame && c < schema->nfields; c++) {
		if (schema->fields[c].meaning == SHEAF_KEY) continue;
		put_name(&b, &schema->fields[c], &first);
		/* The sequences of a stream one after the other, or the items of a column that is not a stream. */
		for (int64_t r = 0; r < batch->frame->nrows && !b.failed; r++) {
			if (r) sheaf_builder_byte(&b, ',');
			sheaf_position_text(&b, &batch->frame->columns[c], 0, r, SHEAF_JSON);
		}
		sheaf_builder_byte(&b, ']');
	}
	for (int p = 0; batch->packed && p < batch->npacked; p++) {
		const sheaf_field *field = &schema->fields[batch->packed[p].field];
		put_name(&b, field, &first);
		put_grid(&b, &batch->packed[p], field);
		sheaf_builder_byte(&b, ']');
	}
	sheaf_builder_text(&b, first ? "{}" : "}");
	return sheaf_builder_finish(&b, out, err);
}
