/* SPDX-License-Identifier: MIT */
/* Layouts: in which row of a grid, and from which step on, each sequence is. */
#include "batch/pack.h"
#include "batch/reserve.h"
#include <inttypes.h>

void sheaf_layout_free(sheaf_layout *layout, sheaf_context *cx)
{
	sheaf_release(cx, layout->extracts, layout->room * sizeof *layout->extracts);
	sheaf_release(cx, layout->taken, layout->taken_room * sizeof *layout->taken);
	sheaf_release(cx, layout->placed, layout->placed_room * sizeof *layout->placed);
	*layout = (sheaf_layout){0};
}

sheaf_status sheaf_layout_add(sheaf_layout *layout, sheaf_extract extract, sheaf_context *cx,
                              sheaf_error *err)
{
	SHEAF_TRY(sheaf_reserve(cx, &layout->extracts, &layout->room, layout->count + 1, sizeof *layout->extracts,
	                        err));
	layout->extracts[layout->count++] = extract;
	return SHEAF_OK;
}

/* Gives each sequence its row and step, several in a row: first fit, in the order of the sequences, like
 * CNTK's packer. A sequence follows others in the first row that has room for all of it, else it begins a
 * row. The grid is as wide as the longest sequence, which layout->width is already. */
static sheaf_status fill_rows(sheaf_layout *layout, sheaf_context *cx, sheaf_error *err)
{
	SHEAF_TRY(
		sheaf_reserve(cx, &layout->taken, &layout->taken_room, layout->count, sizeof *layout->taken, err));
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

/* Every sequence is an extract of all its samples. `multiple` is for padded grids: their width is rounded up
 * to a multiple of it; 0 or 1: it is not. */
sheaf_status sheaf_layout_make(sheaf_layout *layout, sheaf_packing packing, int64_t multiple,
                               const sheaf_picked *from, sheaf_context *cx, sheaf_error *err)
{
	layout->rows_outermost = packing == SHEAF_PACK_PADDED;
	layout->count = 0;
	layout->width = 0;
	for (size_t i = 0; i < from->n; i++) {
		const int64_t *o = sheaf_level_offsets(&sheaf_picked_column(from, i)->levels[0]) + from->picks[i].row;
		int64_t length = o[1] - o[0];
		SHEAF_TRY(
			sheaf_layout_add(layout, (sheaf_extract){.pick = i, .count = length, .whole = length}, cx, err));
		if (length > layout->width) layout->width = length;
	}
	if (packing == SHEAF_PACK_SEQUENCES) return fill_rows(layout, cx, err);
	layout->rows = (int64_t)layout->count;
	for (size_t i = 0; i < layout->count; i++) {
		layout->extracts[i].row = (int64_t)i;
		if (packing == SHEAF_PACK_FRAMES && layout->extracts[i].count != 1)
			return sheaf_fail(
				err, SHEAF_DATA,
				"stream \"%s\": expected sequences of one sample in frame mode, found one of %" PRId64,
				from->field->name, layout->extracts[i].count);
	}
	int64_t over = multiple > 1 ? layout->width % multiple : 0;
	if (over)
		layout->width += multiple - over; /* cannot overflow: less than twice the width, or the multiple */
	return SHEAF_OK;
}
