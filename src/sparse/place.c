/* SPDX-License-Identifier: MIT */
/* Positions of levels: which ones are below another, and which one is above. Readers that divide a tensor
 * into runs of entries find with them where a run begins and ends in each level. Pointers are never trusted
 * to lie within the arrays: what they say is moved into their bounds here, and found wrong when it is
 * checked. */
#include "sparse/sparse.h"

sheaf_status sheaf_sparse_below(const sheaf_sparse *s, sheaf_sparse_view *view, int l, int64_t p,
                                int64_t *out, sheaf_error *err)
{
	int64_t most = s->counts[l + 1];
	if (!s->levels.levels[l].is_sparse) {
		*out = p * sheaf_sparse_extent(s, sheaf_levels_depth(&s->levels, l));
		return SHEAF_OK;
	}
	*out = p ? most : 0;
	if (l == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_stored_look(s, &s->pointers[l], &view->pointers[l], p, out, err));
	if (*out < 0) *out = 0;
	if (*out > most) *out = most;
	return SHEAF_OK;
}

/* The position above is the last one whose list begins at q or before: the search finds the first that
 * begins after q. Whatever the pointers say, the outcome is within the level, and not before *at. */
sheaf_status sheaf_sparse_above(const sheaf_sparse *s, sheaf_sparse_view *view, int l, int64_t q, int64_t *at,
                                sheaf_error *err)
{
	int64_t least = *at;
	*at = 0;
	if (!s->levels.levels[l].is_sparse) {
		int64_t extent = sheaf_sparse_extent(s, sheaf_levels_depth(&s->levels, l));
		*at = extent ? q / extent : 0;
		return SHEAF_OK;
	}
	if (l == 0) return SHEAF_OK;
	*at = least;
	SHEAF_TRY(sheaf_stored_search(s, &s->pointers[l], &view->pointers[l], q + 1, at, err));
	*at -= *at > 0;
	if (*at >= s->counts[l]) *at = s->counts[l] - 1;
	if (*at < least) *at = least;
	return SHEAF_OK;
}

/* From the innermost level outwards: above each level those positions are found that are above the first and
 * the last position of the run below. A run that begins at the first position, or ends with the last entry,
 * takes in all positions up to that end, so that empty lists there belong to some run and are checked. */
sheaf_status sheaf_sparse_locate(const sheaf_sparse *s, sheaf_sparse_view *view, const int64_t *covered,
                                 sheaf_run ranges[SHEAF_MAX_RANK + 1], sheaf_error *err)
{
	int m = s->levels.nlevels;
	bool all = ranges[m].end == sheaf_sparse_entries(s);
	for (int l = m - 1; l >= 0; l--) {
		const sheaf_run *below = &ranges[l + 1];
		sheaf_run *above = &ranges[l];
		int64_t least = covered && covered[l] > 0 ? covered[l] - 1 : 0;
		*above = (sheaf_run){0, s->counts[l]};
		if (below->begin > 0 && below->begin < s->counts[l + 1]) {
			above->begin = least;
			SHEAF_TRY(sheaf_sparse_above(s, view, l, below->begin, &above->begin, err));
		}
		if (!all && below->end > below->begin) {
			above->end = above->begin;
			SHEAF_TRY(sheaf_sparse_above(s, view, l, below->end - 1, &above->end, err));
			above->end++;
		}
		/* Empty positions between pieces are checked, too. */
		if (covered && covered[l] < above->begin) above->begin = covered[l];
	}
	return SHEAF_OK;
}
