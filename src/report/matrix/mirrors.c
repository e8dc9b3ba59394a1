/* SPDX-License-Identifier: MIT */
/* Compares entries of a square matrix with their mirror entries. If the matrix has a structure, that
 * determines them. Otherwise entries are kept as slices, in which mirror entries are found by walking through
 * each slice once during one pass over all: as they come, if that is in order, or sorted by rows. If there is
 * no room for slices, they are sorted by columns, too, and both orders are merged like two sorted lists. */
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "frame/schema/structure.h"
#include "report/matrix/profile.h"
#include "sparse/arrange.h"
#include <string.h>

enum { SHARE = 4 /* of the memory: for slices */ };

sheaf_status sheaf_mirrors_begin(sheaf_profile *p, sheaf_error *err)
{
	p->slice = -1;
	if (p->schema.tensor.structure != SHEAF_GENERAL) return SHEAF_OK;
	if (!p->sides[0].counts) return SHEAF_OK; /* both are sorted already */
	SHEAF_TRY(sheaf_slices_begin(&p->slices, p->schema.tensor.shape[0], p->element.size,
	                             sheaf_max_memory(p->cx) / SHARE, p->cx, err));
	return p->slices.all ? SHEAF_OK : sheaf_profile_sort(p, 0, err);
}

/* ---- an entry and its mirror ---- */

/* Takes note of an entry with the value `a` and its mirror entry with the value `b`, which is the same entry
 * on the `diagonal`: counts it, and rules out the structures that it does not have. A pair that is seen once
 * counts once; who sees each entry of it calls twice or doubles the counts. */
static void see_mirror(sheaf_profile *p, bool diagonal, const uint8_t *a, const uint8_t *b)
{
	uint8_t other[16];
	bool equal = sheaf_element_equal(&p->element, a, b);
	p->mirrored += !diagonal;
	p->equal += !diagonal && equal;
	p->symmetric = p->symmetric && equal;
	if (p->hermitian) {
		sheaf_element_conjugate(&p->element, b, other);
		/* The conjugate of a real number differs in its zero. */
		p->hermitian =
			diagonal ? sheaf_element_is_real(&p->element, a) : sheaf_element_equal(&p->element, a, other);
	}
	if (p->skew)
		p->skew = diagonal ? sheaf_element_is_zero(&p->element, a)
		                   : sheaf_element_negate(&p->element, b, other) &&
		                         sheaf_element_equal(&p->element, a, other);
}

static void see_no_mirror(sheaf_profile *p) { p->pattern = p->symmetric = p->hermitian = p->skew = false; }

/* ---- a structure ---- */

/* Takes note of the entries of a matrix with a structure. Each entry off the diagonal has a mirror, whose
 * value is the same, conjugated or negated; except for zeros of a dense triangle, which are positions without
 * an entry. If values equal those of their mirrors, and no other structure is possible any more (is_settled),
 * values need not be looked at. */
static void see_structured(sheaf_profile *p, const sheaf_frame *frame)
{
	sheaf_structure s = p->schema.tensor.structure;
	bool is_settled = s != SHEAF_GENERAL && !sheaf_structure_is_hermitian(s) && !sheaf_structure_is_skew(s) &&
	                  !p->skew && !(p->hermitian && p->element.complex);
	int64_t off = 0; /* entries off the diagonal, if that is all there is to count */
	for (int64_t e = 0; e < frame->nrows; e++) {
		uint8_t other[16];
		bool diagonal =
			sheaf_coordinate_at(&frame->columns[0], e) == sheaf_coordinate_at(&frame->columns[1], e);
		off += is_settled && !diagonal;
		if (is_settled) continue;
		const uint8_t *value = frame->columns[p->rank].values.data + (size_t)e * p->element.size;
		bool changes = !diagonal && !(p->schema.tensor.dense && sheaf_element_is_zero(&p->element, value));
		memcpy(other, value, p->element.size);
		if (changes && sheaf_structure_is_hermitian(s)) sheaf_element_conjugate(&p->element, value, other);
		if (changes && sheaf_structure_is_skew(s) && !sheaf_element_negate(&p->element, value, other))
			memcpy(other, value, p->element.size);
		see_mirror(p, diagonal, value, other);
	}
	p->mirrored += off;
	p->equal += off;
}

/* ---- keeping slices ---- */

/* Whether the n coordinates of a column never become smaller. */
static bool rises(const sheaf_column *column, int64_t n)
{
	int64_t e = 1;
	while (e < n && sheaf_coordinate_at(column, e - 1) <= sheaf_coordinate_at(column, e)) e++;
	return e >= n;
}

/* Keeps entries of a frame as slices; *n becomes how many, from the first one on: all, if they come in order
 * and there is room. */
static sheaf_status keep(sheaf_profile *p, const sheaf_frame *frame, int64_t *n, sheaf_error *err)
{
	const sheaf_column *slices = &frame->columns[p->slice], *others = &frame->columns[1 - p->slice];
	const uint8_t *values = frame->columns[p->rank].values.data;
	bool kept = true;
	for (*n = 0; *n < frame->nrows; ++*n) {
		SHEAF_TRY(sheaf_slices_add(&p->slices, sheaf_coordinate_at(slices, *n),
		                           sheaf_coordinate_at(others, *n), values + (size_t)*n * p->element.size,
		                           &kept, err));
		if (!kept) break;
	}
	return SHEAF_OK;
}

/* ---- from slices to sorted entries ---- */

enum { AT_ONCE = 512 };

typedef struct few {
	int64_t coordinates[2][AT_ONCE];
	sheaf_level levels[SHEAF_MAX_LEVELS];
	sheaf_column columns[3];
} few;

/* Makes a frame of some entries of a slice, which are in one block. Its coordinates are in *f, and its values
 * are those of the block. */
static sheaf_frame frame_of(const sheaf_profile *p, int64_t slice, sheaf_run run, few *f)
{
	const sheaf_field *fields = p->plain.fields;
	int64_t n = sheaf_run_length(run);
	for (int d = 0; d < 2; d++) {
		for (int64_t e = 0; e < n; e++) {
			int64_t c = d == p->slice ? slice : sheaf_slices_other(&p->slices, run.begin + e);
			if (fields[d].type == SHEAF_I32)
				((int32_t *)(void *)f->coordinates[d])[e] = (int32_t)c;
			else
				f->coordinates[d][e] = c;
		}
		f->columns[d] = (sheaf_column){.meaning = fields[d].meaning, .type = fields[d].type};
		f->columns[d].values =
			(sheaf_buffer){(uint8_t *)f->coordinates[d], (size_t)n * sheaf_type_size(fields[d].type), NULL};
	}
	for (int l = 0; l < fields[2].nlevels; l++) f->levels[l] = (sheaf_level){.shape = fields[2].levels[l]};
	f->columns[2] = (sheaf_column){.meaning = fields[2].meaning,
	                               .nlevels = fields[2].nlevels,
	                               .levels = f->levels,
	                               .type = fields[2].type};
	f->columns[2].values = (sheaf_buffer){(uint8_t *)(uintptr_t)sheaf_slices_value(&p->slices, run.begin),
	                                      (size_t)n * p->element.size, NULL};
	return (sheaf_frame){.nrows = n, .ncolumns = 3, .columns = f->columns, .checked = true};
}

/* Hands all that was kept to a sorter, in frames that do not cross blocks. */
static sheaf_status sort_slices(sheaf_profile *p, sheaf_error *err)
{
	const sheaf_slices *s = &p->slices;
	few f;
	int64_t at = 0, n;
	SHEAF_TRY(sheaf_profile_sort(p, 0, err));
	for (int64_t slice = 0; slice < s->extent && at < s->n; slice++)
		for (int64_t end = at + s->all[slice].end; at < end; at += n) {
			int64_t left = SHEAF_SLICE_BLOCK - at % SHEAF_SLICE_BLOCK;
			n = end - at < left ? end - at : left;
			if (n > AT_ONCE) n = AT_ONCE;
			sheaf_frame frame = frame_of(p, slice, (sheaf_run){at, at + n}, &f);
			SHEAF_TRY(sheaf_arranger_add(p->sides[0].arranger, &frame, err));
		}
	sheaf_slices_free(&p->slices);
	return SHEAF_OK;
}

/* Entries are kept as slices as long as that is possible; then all are handed to a sorter. */
sheaf_status sheaf_mirrors_add(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err)
{
	int64_t n;
	sheaf_frame rest = {0};
	if (p->schema.tensor.structure != SHEAF_GENERAL) {
		see_structured(p, frame);
		return SHEAF_OK;
	}
	if (!p->slices.all || frame->nrows == 0) return SHEAF_OK; /* they are being sorted */
	if (p->slice < 0) {
		/* The first entries show by which dimension they come: by columns if those rise and rows do not, or
		 * if all are of one column. */
		const sheaf_column *i = &frame->columns[0], *j = &frame->columns[1];
		int64_t last = frame->nrows - 1;
		bool is_one_column = sheaf_coordinate_at(j, 0) == sheaf_coordinate_at(j, last) &&
		                     sheaf_coordinate_at(i, 0) != sheaf_coordinate_at(i, last);
		p->slice = rises(j, frame->nrows) && (is_one_column || !rises(i, frame->nrows));
	}
	SHEAF_TRY(keep(p, frame, &n, err));
	if (n == frame->nrows) return SHEAF_OK;
	/* There is no room for more slices, or the entries come in another order: all are sorted, also these. */
	SHEAF_TRY(sort_slices(p, err));
	SHEAF_TRY(sheaf_frame_slice(frame, n, frame->nrows, &rest, err));
	sheaf_status status = sheaf_arranger_add(p->sides[0].arranger, &rest, err);
	sheaf_frame_free(&rest);
	return status;
}

/* ---- mirrors in slices ---- */

/* Of each pair of entries the one above the diagonal is searched for. Entries whose mirrors are near each
 * other are searched for together, so that what they read is in a cache. */
enum { GROUPS = 512, TOGETHER = 1 << 12 };

typedef struct seeker {
	int32_t slice, other;
	int64_t at;
} seeker;

typedef struct seekers {
	sheaf_profile *p;
	int shift; /* of slices that are near each other */
	int n[GROUPS], together;
	seeker *all; /* `together` for each group */
} seekers;

/* Finds the mirrors that the entries of a group seek, each in its slice `other`, and empties the group.
 * Slices seek in order, so entries that one has skipped (place->next) are not looked at again. */
static void find_group(seekers *k, int group)
{
	enum { SOON = 16, SOONER = 8 };
	sheaf_slices *s = &k->p->slices;
	const seeker *all = k->all + (int64_t)group * k->together;
	for (int i = 0; i < k->n[group]; i++) {
		if (i + SOON < k->n[group]) { /* first the slice is fetched, then the entry at which it stands */
			int64_t near = s->all[all[i + SOONER].other].next;
			__builtin_prefetch(&s->all[all[i + SOON].other], 1);
			if (near < s->n)
				__builtin_prefetch(&s->blocks[near / SHEAF_SLICE_BLOCK].others[near % SHEAF_SLICE_BLOCK]);
		}
		sheaf_slice_place *place = &s->all[all[i].other];
		int64_t at = place->next;
		while (at < place->end && sheaf_slices_other(s, at) < all[i].slice) at++;
		bool found = at < place->end && sheaf_slices_other(s, at) == all[i].slice;
		place->next = at + found;
		if (found) see_mirror(k->p, false, sheaf_slices_value(s, all[i].at), sheaf_slices_value(s, at));
	}
	k->n[group] = 0;
}

/* Goes through all slices once, and finds for each entry above the diagonal its mirror: entries are collected
 * in the group of the slice that would have the mirror, and a group seeks as many mirrors together as it has
 * on average, if a sixteenth of the memory has room for them. Each pair is seen once, so counts are doubled.
 */
static sheaf_status go_through_slices(sheaf_profile *p, sheaf_error *err)
{
	enum { SHARE_OF_SEEKERS = 16 };
	int64_t most = sheaf_max_memory(p->cx) / SHARE_OF_SEEKERS / GROUPS / (int64_t)sizeof(seeker),
			n = p->slices.n / GROUPS;
	n = n < most ? n : most;
	seekers k = {.p = p, .together = n < 1 ? 1 : n > TOGETHER ? TOGETHER : (int)n};
	void *memory = NULL;
	const sheaf_slices *s = &p->slices;
	size_t size = sizeof(seeker) * GROUPS * (size_t)k.together;
	while ((s->extent - 1) >> k.shift >= GROUPS) k.shift++;
	SHEAF_TRY(sheaf_reallocate(p->cx, &memory, 0, size, err));
	k.all = (seeker *)memory;
	for (int64_t slice = 0; slice < s->extent; slice++)
		for (int64_t at = sheaf_slice_begin(s, slice); at < s->all[slice].end; at++) {
			int64_t other = sheaf_slices_other(s, at);
			const uint8_t *value = sheaf_slices_value(s, at);
			if (other == slice) see_mirror(p, true, value, value);
			if (other <= slice) continue;
			int group = (int)(other >> k.shift);
			k.all[(int64_t)group * k.together + k.n[group]++] = (seeker){(int32_t)slice, (int32_t)other, at};
			if (k.n[group] == k.together) find_group(&k, group);
		}
	for (int group = 0; group < GROUPS; group++) find_group(&k, group);
	sheaf_release(p->cx, memory, size);
	p->mirrored *= 2;
	p->equal *= 2;
	if (p->mirrored + p->diagonal != p->entries) see_no_mirror(p);
	return SHEAF_OK;
}

/* ---- mirrors in sorted entries ---- */

static const uint8_t *value_of(const sheaf_profile *p, const sheaf_profile_side *s)
{
	return s->frame->columns[p->rank].values.data + (size_t)s->at * p->element.size;
}

static int64_t coordinate(const sheaf_profile_side *s, int d)
{
	return sheaf_coordinate_at(&s->frame->columns[d], s->at);
}

/* Goes through both orders side by side, as two sorted lists are merged: of the next entry by rows and the
 * next by columns, either one comes before the mirror of the other, and has no mirror, or they mirror each
 * other. */
static sheaf_status go_through_sides(sheaf_profile *p, sheaf_error *err)
{
	const sheaf_profile_side *rows = &p->sides[0], *columns = &p->sides[1];
	bool row, column; /* there is a next entry in each order */
	SHEAF_TRY(sheaf_profile_next(p, 0, &row, err));
	SHEAF_TRY(sheaf_profile_next(p, 1, &column, err));
	while (row || column) {
		int64_t i = row ? coordinate(rows, 0) : 0, j = row ? coordinate(rows, 1) : 0;
		int64_t other_i = column ? coordinate(columns, 1) : 0, other_j = column ? coordinate(columns, 0) : 0;
		int order = !row           ? 1
		            : !column      ? -1
		            : i != other_i ? (i < other_i ? -1 : 1)
		                           : (j > other_j) - (j < other_j);
		if (order == 0)
			see_mirror(p, i == j, value_of(p, rows), value_of(p, columns));
		else
			see_no_mirror(p);
		if (order <= 0) SHEAF_TRY(sheaf_profile_next(p, 0, &row, err));
		if (order >= 0) SHEAF_TRY(sheaf_profile_next(p, 1, &column, err));
	}
	return SHEAF_OK;
}

/* Makes slices from what is sorted by rows; *all is false if there is no room for everything. */
static sheaf_status make_slices(sheaf_profile *p, bool *all, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status = SHEAF_OK;
	SHEAF_TRY(sheaf_slices_begin(&p->slices, p->schema.tensor.shape[0], p->element.size,
	                             sheaf_max_memory(p->cx) / SHARE, p->cx, err));
	p->slice = 0;
	for (*all = p->slices.all;
	     *all && (status = sheaf_arranger_next(p->sides[0].arranger, &frame, err)) == SHEAF_OK;) {
		int64_t n;
		SHEAF_TRY(keep(p, frame, &n, err));
		*all = n == frame->nrows;
	}
	if (status && status != SHEAF_END) return status;
	if (*all) return SHEAF_OK;
	sheaf_slices_free(&p->slices);
	return sheaf_arrange_rewind(p->sides[0].arranger, err);
}

sheaf_status sheaf_mirrors_finish(sheaf_profile *p, sheaf_error *err)
{
	if (p->schema.tensor.structure != SHEAF_GENERAL) return SHEAF_OK;
	if (p->sides[0].arranger) {
		/* Entries that are sorted by rows become slices if there is room for all of them; otherwise they are
		 * sorted by columns, too, and both orders are gone through side by side. */
		sheaf_profile_side *rows = &p->sides[0], *columns = &p->sides[1];
		const sheaf_frame *frame;
		bool all = false;
		SHEAF_TRY(sheaf_arranger_finish(rows->arranger, err));
		if (!columns->arranger) SHEAF_TRY(make_slices(p, &all, err));
		if (!all && !columns->arranger) {
			sheaf_status status = sheaf_profile_sort(p, 1, err);
			while (!status && (status = sheaf_arranger_next(rows->arranger, &frame, err)) == SHEAF_OK)
				status = sheaf_arranger_add(columns->arranger, frame, err);
			SHEAF_TRY(status == SHEAF_END ? sheaf_arrange_rewind(rows->arranger, err) : status);
		}
		if (!all) SHEAF_TRY(sheaf_arranger_finish(columns->arranger, err));
		if (!all) return go_through_sides(p, err);
	}
	SHEAF_TRY(sheaf_slices_finish(&p->slices, err));
	SHEAF_TRY(go_through_slices(p, err));
	sheaf_slices_free(&p->slices);
	return SHEAF_OK;
}
