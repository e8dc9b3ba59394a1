/* SPDX-License-Identifier: MIT */
/* Which fields have missing entries, and the values that missing lists cover. Most programs declare that
 * entries of every field may be missing, so a schema says little; heads of batches say how many are.
 *
 * In Arrow a list that is missing may cover values all the same, which mean nothing. A frame has no such
 * values; where a batch has them, the column is copied without them. */
#include "base/extend.h"
#include "format/arrow/ipc.h"
#include "frame/frame.h"

enum { NODES = 1 /* of RecordBatch */, NODE = 16, NULLS = 1 /* second number of a node */ };

/* Whether the schema allows missing entries of a field or below it. */
static bool may_miss(const struct ArrowSchema *field)
{
	bool any = field->flags & ARROW_FLAG_NULLABLE;
	for (int64_t i = 0; !any && i < field->n_children; i++) any = may_miss(field->children[i]);
	return any;
}

/* Whether there are streams, in a struct or not, of which something may be missing. */
static bool has_lists_that_may_miss(const struct ArrowSchema *above, bool missing)
{
	sheaf_taking taking;
	bool any = false;
	for (int64_t i = 0; !any && i < above->n_children; i++) {
		const struct ArrowSchema *column = above->children[i];
		sheaf_status status = sheaf_arrow_taking(column, &taking, NULL);
		if (sheaf_arrow_is_struct(column))
			any = has_lists_that_may_miss(column, missing || column->flags & ARROW_FLAG_NULLABLE);
		else if (status == SHEAF_OK && taking <= SHEAF_TAKE_SPARSE)
			any = missing || may_miss(column);
	}
	return any;
}

/* Only columns of lists depend on it, and only without a plan, which knows what may be missing. A column that
 * is not read does not matter. */
bool sheaf_ipc_depends_on_nulls(const sheaf_ipc_reader *in)
{
	return !in->plan.tops && has_lists_that_may_miss(&in->columns, false);
}

/* Marks a field, and those below it, if the batch has missing entries of it, or of a struct that it is in
 * (`above`). Nodes of a batch come in the order of the fields, each before its children; *node is the number
 * of the next one. A damaged batch may have too few. */
static void mark(const struct ArrowSchema *field, const sheaf_fb_vector *nodes, int64_t *node, bool above)
{
	bool missing = above || (*node < nodes->count && sheaf_fb_long_at(nodes, NODE, *node, NULLS) > 0);
	if (missing) sheaf_ipc_mark_missing(field);
	(*node)++;
	for (int64_t i = 0; i < field->n_children; i++)
		mark(field->children[i], nodes, node, missing && sheaf_arrow_is_struct(field));
}

void sheaf_ipc_survey_nulls(const sheaf_ipc_reader *in, const sheaf_ipc_message *batch)
{
	int64_t node = 0;
	sheaf_fb_vector nodes = sheaf_fb_items(&batch->table, NODES, NODE);
	for (int64_t i = 0; i < in->columns.n_children; i++) mark(in->columns.children[i], &nodes, &node, false);
}

/* ---- what missing lists cover ---- */

static void swap(sheaf_buffer *a, sheaf_buffer *b)
{
	sheaf_buffer kept = *a;
	*a = *b;
	*b = kept;
}

/* Swaps all buffers of two columns of one shape. Of the first bits of missing positions only those of *b are
 * carried over, since the old ones are dropped. */
static void swap_below(sheaf_column *a, sheaf_column *b)
{
	for (int l = 0; l < a->nlevels; l++) {
		sheaf_level *x = &a->levels[l], *y = &b->levels[l];
		swap(&x->offsets, &y->offsets);
		for (int r = 0; r < x->shape.rank; r++) swap(&x->indices[r], &y->indices[r]);
		if (!x->gaps) continue;
		swap(&x->gaps->valid, &y->gaps->valid);
		swap(&x->gaps->codes, &y->gaps->codes);
		x->gaps->valid_at = y->gaps->valid_at;
	}
	swap(&a->values, &b->values);
}

/* The column without its first level, the lists: the samples of all rows. It shares the buffers. */
static sheaf_column below_lists(const sheaf_column *column)
{
	sheaf_column below = *column;
	below.levels++;
	below.nlevels--;
	return below;
}

/* Appends to *to what the lists of n rows cover that are not missing, and to `offsets` where each list then
 * ends, from 0 on. */
static sheaf_status copy_covered(const sheaf_column *column, int64_t n, sheaf_column *to,
                                 sheaf_builder *offsets, sheaf_context *cx, sheaf_error *err)
{
	int64_t total = 0;
	const sheaf_column from = below_lists(column);
	sheaf_builder_i64(offsets, 0);
	for (int64_t r = 0; r < n; r++) {
		sheaf_run run = sheaf_level_below_one(&column->levels[0], r);
		if (sheaf_level_is_null(&column->levels[0], r)) run.end = run.begin;
		SHEAF_TRY(sheaf_column_append(to, total, &from, run, cx, err));
		total += sheaf_run_length(run);
		sheaf_builder_i64(offsets, total);
	}
	return sheaf_builder_status(offsets, err);
}

/* Gives lists below the first level one offset, 0, where nothing was copied. */
static sheaf_status begin_offsets(sheaf_column *column, sheaf_context *cx, sheaf_error *err)
{
	for (int l = 1; l < column->nlevels; l++) {
		SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = cx};
		sheaf_level *level = &column->levels[l];
		if (level->shape.kind == SHEAF_FIXED || level->offsets.size) continue;
		sheaf_builder_i64(&b, 0);
		SHEAF_TRY(sheaf_builder_finish(&b, &level->offsets, err));
	}
	return SHEAF_OK;
}

/* Makes the column anew without what missing lists cover. The copy is made in a frame of this one column; its
 * buffers below the lists are then swapped with the old ones, which are freed with that frame. The two
 * `below_lists` are copies of columns, so values that were swapped in them are put back into the columns. */
static sheaf_status empty_column(sheaf_column *column, const sheaf_field *field, int64_t n, sheaf_context *cx,
                                 sheaf_error *err)
{
	sheaf_frame made = {0};
	sheaf_builder offsets;
	const sheaf_schema alone = {.nfields = 1, .fields = (sheaf_field *)(uintptr_t)field};
	SHEAF_TRY(sheaf_frame_begin(&made, &alone, cx, err));
	sheaf_builder_begin(&offsets, cx, NULL);
	sheaf_column to = below_lists(&made.columns[0]), from = below_lists(column);
	sheaf_status status = copy_covered(column, n, &to, &offsets, cx, err);
	if (!status) {
		swap_below(&from, &to);
		sheaf_buffer_reset(&column->levels[0].offsets);
		status = sheaf_builder_finish(&offsets, &column->levels[0].offsets, err);
		column->values = from.values;
		if (!status) status = begin_offsets(column, cx, err);
	}
	made.columns[0].values = to.values;
	sheaf_builder_drop(&offsets);
	sheaf_frame_free(&made);
	return status;
}

/* Offsets are checked before anything that they cover is looked at; columns without lists that may be missing
 * need neither. */
sheaf_status sheaf_ipc_empty_missing(sheaf_frame *frame, const sheaf_schema *schema, sheaf_context *cx,
                                     sheaf_error *err)
{
	bool checked = false;
	for (int c = 0; c < schema->nfields; c++) {
		const sheaf_field *field = &schema->fields[c];
		const sheaf_level *lists = &frame->columns[c].levels[0];
		bool any = false;
		if (field->nlevels < 2 || field->levels[0].kind == SHEAF_FIXED ||
		    field->levels[0].missing != SHEAF_NULLABLE)
			continue;
		if (!checked) SHEAF_TRY(sheaf_frame_check(frame, schema, SHEAF_CHECK_OFFSETS, err));
		checked = true;
		for (int64_t r = 0; !any && sheaf_level_has_gaps(lists) && r < frame->nrows; r++)
			any = sheaf_level_is_null(lists, r) && sheaf_run_length(sheaf_level_below_one(lists, r)) > 0;
		if (any) SHEAF_TRY(empty_column(&frame->columns[c], field, frame->nrows, cx, err));
	}
	return SHEAF_OK;
}
