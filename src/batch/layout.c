/* SPDX-License-Identifier: MIT */
#include "batch/pack.h"
#include "batch/reserve.h"
#include <inttypes.h>

void sheaf_layout_free(sheaf_layout *layout, sheaf_context *cx)
{
	sheaf_release_reserved(cx, layout->extracts, layout->room, sizeof *layout->extracts);
	sheaf_release_reserved(cx, layout->taken, layout->taken_room, sizeof *layout->taken);
	sheaf_release_reserved(cx, layout->placed, layout->placed_room, sizeof *layout->placed);
	*layout = (sheaf_layout){0};
}

sheaf_status sheaf_layout_add(sheaf_layout *layout, sheaf_extract extract, sheaf_context *cx,
                              sheaf_error *err)
{
	void *extracts = layout->extracts;
	SHEAF_TRY(sheaf_reserve(cx, &extracts, &layout->room, layout->count + 1, sizeof *layout->extracts, err));
	layout->extracts = (sheaf_extract *)extracts;
	layout->extracts[layout->count++] = extract;
	return SHEAF_OK;
}

/* The whole sequences, at first all in row 0. */
static sheaf_status take_whole(sheaf_layout *layout, const sheaf_picked *from, sheaf_context *cx,
                               sheaf_error *err)
{
	layout->count = 0;
	layout->width = 0;
	for (size_t i = 0; i < from->n; i++) {
		const int64_t *o = sheaf_level_offsets(&sheaf_picked_column(from, i)->levels[0]) + from->picks[i].row;
		int64_t length = o[1] - o[0];
		SHEAF_TRY(
			sheaf_layout_add(layout, (sheaf_extract){.pick = i, .count = length, .whole = length}, cx, err));
		if (length > layout->width) layout->width = length;
	}
	return SHEAF_OK;
}

/* First fit, in the order of the sequences, like CNTK's packer. */
static sheaf_status fill_rows(sheaf_layout *layout, sheaf_context *cx, sheaf_error *err)
{
	void *taken = layout->taken;
	SHEAF_TRY(sheaf_reserve(cx, &taken, &layout->taken_room, layout->count, sizeof *layout->taken, err));
	layout->taken = (int64_t *)taken;
	layout->rows = 0;
	for (size_t i = 0; i < layout->count; i++) {
		sheaf_extract *e = &layout->extracts[i];
		for (e->row = 0; e->row < layout->rows && layout->taken[e->row] + e->count > layout->width;) e->row++;
		if (e->row == layout->rows) layout->taken[layout->rows++] = 0;
		e->step = layout->taken[e->row];
		layout->taken[e->row] += e->count;
	}
	return SHEAF_OK;
}

static void a_row_each(sheaf_layout *layout, int64_t multiple)
{
	layout->rows = (int64_t)layout->count;
	for (size_t i = 0; i < layout->count; i++) layout->extracts[i].row = (int64_t)i;
	int64_t over = multiple > 1 ? layout->width % multiple : 0;
	if (over) layout->width += multiple - over; /* less than twice the width, or the multiple */
}

static sheaf_status check_frames(const sheaf_layout *layout, const char *stream, sheaf_error *err)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->extracts[i].count != 1)
			return sheaf_fail(
				err, SHEAF_DATA,
				"stream \"%s\": expected sequences of one sample in frame mode, found one of %" PRId64,
				stream, layout->extracts[i].count);
	return SHEAF_OK;
}

sheaf_status sheaf_layout_make(sheaf_layout *layout, sheaf_packing packing, int64_t multiple,
                               const sheaf_picked *from, sheaf_context *cx, sheaf_error *err)
{
	layout->rows_outermost = packing == SHEAF_PACK_PADDED;
	SHEAF_TRY(take_whole(layout, from, cx, err));
	if (packing == SHEAF_PACK_SEQUENCES) return fill_rows(layout, cx, err);
	if (packing == SHEAF_PACK_FRAMES) SHEAF_TRY(check_frames(layout, from->field->name, err));
	a_row_each(layout, multiple);
	return SHEAF_OK;
}
