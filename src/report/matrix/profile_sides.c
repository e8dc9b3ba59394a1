/* SPDX-License-Identifier: MIT */
/* Sides of a profile: entries in the order of a dimension, and how many each slice of it has. Slices are
 * counted as entries come, or are runs of entries that are sorted by this dimension first. */
#include "frame/frame.h"
#include "report/matrix/profile.h"
#include "sparse/arrange.h"

sheaf_status sheaf_profile_sort(sheaf_profile *p, int d, sheaf_error *err)
{
	sheaf_tensor to = p->plain.tensor;
	sheaf_arrange_options options = {.hold = true, .share = p->rank, .name = p->name};
	to.sorted = true;
	to.order[0] = d;
	for (int other = 0, at = 1; other < p->rank; other++)
		if (other != d) to.order[at++] = other;
	return sheaf_arranger_new(&p->plain, &to, &options, p->cx, &p->sides[d].arranger, err);
}

/* Counts the slice that has ended, if it has entries (s->run of them). */
static void end_slice(sheaf_profile_side *s)
{
	if (s->run == 0) return;
	sheaf_spread_add(&s->spread, s->run, 1);
	s->occupied++;
	s->run = 0;
}

/* Counts the last slice, and all slices without entries. */
static void end_side(sheaf_profile *p, int d)
{
	sheaf_profile_side *s = &p->sides[d];
	end_slice(s);
	sheaf_spread_add(&s->spread, 0, p->schema.tensor.shape[d] - s->occupied);
}

/* Goes on to the next entry in the order of the side; *any is false after the last one. Slices that were not
 * counted as entries came are counted here: a slice is a run of entries. */
sheaf_status sheaf_profile_next(sheaf_profile *p, int d, bool *any, sheaf_error *err)
{
	sheaf_profile_side *s = &p->sides[d];
	*any = true;
	if (s->frame && s->at + 1 < s->frame->nrows) {
		s->at++;
	} else {
		sheaf_status status = sheaf_arranger_next(s->arranger, &s->frame, err);
		s->at = 0;
		*any = status == SHEAF_OK;
		if (status == SHEAF_END && !s->counts) end_side(p, d);
		if (status) return status == SHEAF_END ? SHEAF_OK : status;
	}
	if (s->counts) return SHEAF_OK;
	int64_t slice = sheaf_coordinate_at(&s->frame->columns[d], s->at);
	if (slice != s->slice) end_slice(s);
	s->slice = slice;
	s->run++;
	return SHEAF_OK;
}

/* Slices that were counted as entries came are runs of as many entries. */
void sheaf_profile_count(sheaf_profile *p, int d)
{
	sheaf_profile_side *s = &p->sides[d];
	for (int64_t i = 0; i < p->schema.tensor.shape[d]; i++) {
		s->run = s->counts[i];
		end_slice(s);
	}
	end_side(p, d);
}
