/* SPDX-License-Identifier: MIT */
/* The grids of a batch: which fields get one, and where their layouts come from. */
#include "batch/packing.h"
#include "batch/reserve.h"
#include "frame/frame.h"
#include <inttypes.h>

void sheaf_packings_close(sheaf_packings *p)
{
	for (int i = 0; i < p->count; i++) {
		if (p->packed) sheaf_packed_free(&p->packed[i]);
		if (p->layouts) sheaf_layout_free(&p->layouts[i], p->cx);
	}
	sheaf_release(p->cx, p->packed, (size_t)p->count * sizeof *p->packed);
	sheaf_release(p->cx, p->layouts, (size_t)p->count * sizeof *p->layouts);
	if (p->cx) sheaf_layout_free(&p->cut, p->cx);
	*p = (sheaf_packings){0};
}

sheaf_status sheaf_packings_open(sheaf_packings *p, const sheaf_row_source *source, sheaf_context *cx,
                                 sheaf_error *err)
{
	const sheaf_schema *schema = &source->schema;
	*p = (sheaf_packings){.cx = cx};
	for (int f = 0; f < schema->nfields; f++) {
		if (sheaf_field_lacks_samples(&schema->fields[f]))
			return sheaf_fail(
				err, SHEAF_USAGE,
				"packing: expected streams without gaps, found \"%s\", some of whose samples are missing",
				schema->fields[f].name);
		p->count += sheaf_field_is_stream(&schema->fields[f]);
	}
	if (p->count == 0) return sheaf_fail(err, SHEAF_USAGE, "packing: expected streams, found none");
	size_t n = (size_t)p->count;
	sheaf_status status = sheaf_allocate_array(cx, n, sizeof *p->packed, &p->packed, err);
	if (!status) status = sheaf_allocate_array(cx, n, sizeof *p->layouts, &p->layouts, err);
	if (status) sheaf_packings_close(p);
	return status;
}

/* Checks that a stream has as many samples in each sequence as the layout has cut: sequences that are
 * truncated have the same number of steps in all streams. */
static sheaf_status check_lengths(const sheaf_layout *cut, const sheaf_picked *from, sheaf_error *err)
{
	for (size_t i = 0; i < cut->count; i++) {
		size_t pick = cut->extracts[i].pick;
		const int64_t *o =
			sheaf_level_offsets(&sheaf_picked_column(from, pick)->levels[0]) + from->picks[pick].row;
		if (o[1] - o[0] != cut->extracts[i].whole)
			return sheaf_fail(err, SHEAF_DATA,
			                  "stream \"%s\": expected %" PRId64
			                  " samples, as many as the sequence has steps, to truncate it, found %" PRId64,
			                  from->field->name, cut->extracts[i].whole, o[1] - o[0]);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_packings_fill(sheaf_packings *p, const sheaf_batch_settings *settings,
                                 const sheaf_pick *picks, size_t n, sheaf_error *err)
{
	const sheaf_row_source *source = settings->source;
	bool cut = settings->packing == SHEAF_PACK_TRUNCATED;
	for (int f = 0, at = 0; f < source->schema.nfields; f++) {
		sheaf_origin origin = source->origins[f];
		sheaf_picked from = {picks + (size_t)origin.lane * n, n, origin.column, &source->schema.fields[f]};
		sheaf_layout *layout = cut ? &p->cut : &p->layouts[at];
		if (!sheaf_field_is_stream(from.field)) continue;
		SHEAF_TRY(
			cut ? check_lengths(layout, &from, err)
				: sheaf_layout_make(layout, settings->packing, settings->pad_multiple, &from, p->cx, err));
		p->packed[at].field = f;
		SHEAF_TRY(sheaf_pack_stream(&p->packed[at++], layout, &from, p->cx, err));
	}
	return SHEAF_OK;
}
