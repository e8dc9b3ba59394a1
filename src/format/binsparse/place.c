/* SPDX-License-Identifier: MIT */
/* Positions of levels: which ones are below another, and which one is above. Pointers are never trusted to
 * lie within the arrays. */
#include "format/binsparse/tensor.h"

void sheaf_bsp_view_close(sheaf_bsp_view *view)
{
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		sheaf_bsp_window_close(&view->pointers[k]);
		sheaf_bsp_window_close(&view->indices[k]);
	}
}

sheaf_status sheaf_bsp_below(const sheaf_bsp_tensor *t, sheaf_bsp_view *view, int l, int64_t p, int64_t *out,
                             sheaf_error *err)
{
	const sheaf_bsp_layout *layout = &t->d.layout;
	int64_t most = t->counts[l + 1];
	if (!layout->levels[l].is_sparse) {
		*out = p * sheaf_bsp_extent(&t->d, sheaf_bsp_depth(layout, l));
		return SHEAF_OK;
	}
	*out = p ? most : 0;
	if (l == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_bsp_look(t, &t->pointers[l], &view->pointers[l], p, out, err));
	if (*out < 0) *out = 0;
	if (*out > most) *out = most;
	return SHEAF_OK;
}

/* Steps that double, then binary search in the last one: the target is mostly near. */
sheaf_status sheaf_bsp_search(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a, sheaf_bsp_window *window,
                              int64_t value, int64_t *at, sheaf_error *err)
{
	int64_t low = *at, high = *at, step = 1, seen;
	while (high < a->count) {
		SHEAF_TRY(sheaf_bsp_look(t, a, window, high, &seen, err));
		if (seen >= value) break;
		low = high + 1;
		high = a->count - high > step ? high + step : a->count;
		step = step < INT64_MAX / 2 ? 2 * step : step;
	}
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		SHEAF_TRY(sheaf_bsp_look(t, a, window, middle, &seen, err));
		if (seen >= value)
			high = middle;
		else
			low = middle + 1;
	}
	*at = low;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_above(const sheaf_bsp_tensor *t, sheaf_bsp_view *view, int l, int64_t q, int64_t *at,
                             sheaf_error *err)
{
	int64_t least = *at;
	const sheaf_bsp_layout *layout = &t->d.layout;
	*at = 0;
	if (!layout->levels[l].is_sparse) {
		int64_t extent = sheaf_bsp_extent(&t->d, sheaf_bsp_depth(layout, l));
		*at = extent ? q / extent : 0;
		return SHEAF_OK;
	}
	if (l == 0) return SHEAF_OK;
	*at = least;
	SHEAF_TRY(sheaf_bsp_search(t, &t->pointers[l], &view->pointers[l], q + 1, at, err));
	*at -= *at > 0;
	if (*at >= t->counts[l]) *at = t->counts[l] - 1;
	if (*at < least) *at = least;
	return SHEAF_OK;
}
