/* SPDX-License-Identifier: MIT */
/* What pointers and indices promise. All numbers are looked at before any is judged: that is faster, and
 * flaws are rare. Only if there is one, each number is looked at again, as int64, and each flaw is reported
 * with its array, its place in it, what was expected and what was found. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/spell.h"
#include "sparse/sparse.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A number that breaks a rule: array[at], whose expectation is `least` ("at least", for one) followed by the
 * limit. */
typedef struct breach {
	const char *rule;
	const sheaf_stored_array *array;
	int64_t at;
	const char *least;
	int64_t limit, found;
} breach;

/* Handles one breach: it is a finding if the file promises what was broken (is_strict), and a failure
 * otherwise. Either makes what is read worthless. Only broken orders of indices can be repaired, so only they
 * say so. */
static sheaf_status flaw(sheaf_level_run *run, breach b)
{
	run->is_broken = true;
	char expected[128], found[64], number[24];
	bool mends = strcmp(b.rule, "order of indices") == 0;
	snprintf(expected, sizeof expected, "%s[%" PRId64 "] %s %s", b.array->name, b.at, b.least,
	         sheaf_stored_spell(b.array, b.limit, number));
	snprintf(found, sizeof found, "%s%s", sheaf_stored_spell(b.array, b.found, number),
	         mends ? " (" SHEAF_OPTION("repair") " mends that)" : "");
	if (!run->s->is_strict)
		return sheaf_fail(run->err, SHEAF_DATA, "%s: expected %s, found %s", run->s->where, expected, found);
	sheaf_problem problem = sheaf_problem_in(
		run->s->where, &SHEAF_FINDING(SHEAF_FATAL, b.rule, .expected = expected, .found = found));
	return sheaf_report(run->cx, &problem, run->err);
}

/* ---- pointers ---- */

static sheaf_status broken(sheaf_level_run *run, const char *rule, int64_t at, const char *least,
                           int64_t limit, int64_t found)
{
	return flaw(run, (breach){rule, &run->s->pointers[run->l], at, least, limit, found});
}

/* Each pointer is compared with the one before it, and with the number of positions below the level. A number
 * of an unsigned array that is above 2^63 - 1 is negative here, and too large. */
sheaf_status sheaf_level_check_pointers(sheaf_level_run *run)
{
	const sheaf_sparse *s = run->s;
	int64_t n = sheaf_run_length(run->above), most = s->counts[run->l + 1], begin = run->above.begin;
	const int64_t *p = run->pointers;
	bool no_empty = run->l > 0 && s->levels.levels[run->l - 1].is_sparse && s->no_empty;
	if (begin == 0 && p[0] != 0) SHEAF_TRY(broken(run, "first pointer", 0, "to be", 0, p[0]));
	/* If the run's own positions do not lie below them, they were found with other pointers. */
	if (!run->is_broken && sheaf_run_length(run->below) > 0 &&
	    (p[0] > run->below.begin || p[n] < run->below.end))
		SHEAF_TRY(broken(run, "order of pointers", begin, "at most", run->below.begin,
		                 p[0] > run->below.begin ? p[0] : p[n]));
	for (int64_t i = 0; i < n; i++) {
		int64_t at = begin + i + 1, next = p[i + 1];
		if (next > most || (next < 0 && s->pointers[run->l].is_unsigned))
			SHEAF_TRY(broken(run, "order of pointers", at, "at most", most, next));
		else if (next < p[i])
			SHEAF_TRY(broken(run, "order of pointers", at, "at least", p[i], next));
		else if (no_empty && next == p[i])
			SHEAF_TRY(broken(run, "empty slices", at, "above", p[i], next));
	}
	return SHEAF_OK;
}

/* Pointers are checked against the number of indices; then the last of them is the number of positions. */
sheaf_status sheaf_sparse_take_pointers(sheaf_sparse *s, int l, sheaf_error *err)
{
	sheaf_stored_array *a = &s->pointers[l];
	int depth = sheaf_levels_depth(&s->levels, l);
	if (a->count - 1 != s->counts[l])
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %s with %" PRId64 " + 1 numbers, found %" PRId64,
		                  s->where, a->name, s->counts[l], a->count);
	SHEAF_TRY(sheaf_stored_i64(s, a, (sheaf_run){0, a->count}, s->cx, &a->held, err));
	a->held_as = SHEAF_I64;
	s->counts[l + 1] = s->indices[depth].count;
	sheaf_level_run run = {.s = s,
	                       .l = l,
	                       .above = {0, s->counts[l]},
	                       .pointers = sheaf_numbers(&a->held),
	                       .cx = s->cx,
	                       .err = err};
	SHEAF_TRY(sheaf_level_check_pointers(&run));
	s->counts[l + 1] = run.pointers[s->counts[l]];
	return SHEAF_OK;
}

/* ---- all indices at once ---- */

/* Steps of loops of which compilers make vectors. */
enum { LANES = 16 };

/* The largest of n indices, taken as unsigned, so that negative ones are larger than all others and one
 * comparison with the extent finds both flaws. LANES maxima side by side let compilers use vectors. */
#define LARGEST(name, type) \
	static uint64_t largest_##name(const void *indices, int64_t n) \
	{ \
		const type *v = (const type *)indices; \
		type most[LANES] = {0}; \
		int64_t i = 0; \
		for (; i + LANES <= n; i += LANES) \
			for (int k = 0; k < LANES; k++) most[k] = v[i + k] > most[k] ? v[i + k] : most[k]; \
		for (; i < n; i++) most[0] = v[i] > most[0] ? v[i] : most[0]; \
		for (int k = 1; k < LANES; k++) most[0] = most[k] > most[0] ? most[k] : most[0]; \
		return most[0]; \
	}
LARGEST(i32, uint32_t)
LARGEST(i64, uint64_t)

/* How many of n indices are not above the one before. Each step sums in the type of the indices, so that
 * compilers can use vectors of it. */
#define COUNT_DESCENTS(name, type) \
	static int64_t count_##name(const void *indices, int64_t n) \
	{ \
		const type *v = (const type *)indices; \
		int64_t count = 0, i = 1; \
		for (; i + LANES <= n; i += LANES) { \
			type some = 0; \
			for (int k = 0; k < LANES; k++) some += v[i + k] <= v[i + k - 1]; \
			count += some; \
		} \
		for (; i < n; i++) count += v[i] <= v[i - 1]; \
		return count; \
	}
COUNT_DESCENTS(i32, int32_t)
COUNT_DESCENTS(i64, int64_t)

/* How many of n tuples, of `rank` indices of one type each, are not above the one before: what decides is the
 * first dimension in which the two differ. */
#define COUNT_TUPLES(name, type) \
	static int64_t count_tuples_##name(const void *const indices[], int rank, int64_t n) \
	{ \
		int64_t count = 0; \
		for (int64_t i = 1; i < n; i++) { \
			int r = 0; \
			const type *v = (const type *)indices[0]; \
			while (v[i] == v[i - 1] && ++r < rank) v = (const type *)indices[r]; \
			count += v[i] <= v[i - 1]; \
		} \
		return count; \
	}
COUNT_TUPLES(i32, int32_t)
COUNT_TUPLES(i64, int64_t)

/* The indices of a level in all its dimensions, as tuples: number `at` has that index of each array. Tuples
 * ascend like words in a dictionary, the first dimension first. */
typedef struct tuples {
	const void *const *indices;
	const sheaf_type *types;
	int rank;
} tuples;

static void take_tuple(tuples t, int64_t at, int64_t *tuple)
{
	for (int r = 0; r < t.rank; r++) tuple[r] = sheaf_index_at(t.indices[r], t.types[r], at);
}

/* Whether tuple number `at` is above this one. */
static bool is_above(tuples t, int64_t at, const int64_t *tuple)
{
	int r = 0;
	while (r < t.rank - 1 && sheaf_index_at(t.indices[r], t.types[r], at) == tuple[r]) r++;
	return sheaf_index_at(t.indices[r], t.types[r], at) > tuple[r];
}

/* How many of the positions 1 to n - 1 are not above the one before. */
static int64_t count_descents(tuples t, int64_t n)
{
	int64_t count = 0, before[SHEAF_MAX_RANK];
	bool narrow = true, wide = true;
	for (int r = 0; r < t.rank; r++) {
		narrow &= t.types[r] == SHEAF_I32;
		wide &= t.types[r] == SHEAF_I64;
	}
	if (t.rank == 1) return narrow ? count_i32(t.indices[0], n) : count_i64(t.indices[0], n);
	if (narrow) return count_tuples_i32(t.indices, t.rank, n);
	if (wide) return count_tuples_i64(t.indices, t.rank, n);
	for (int64_t i = 1; i < n; i++) {
		take_tuple(t, i - 1, before);
		count += !is_above(t, i, before);
	}
	return count;
}

/* Where lists begin. */
typedef struct lists {
	const int64_t *pointers; /* one more than there are lists */
	int64_t n, next;         /* those before `next` begin before the tuples that are looked at */
} lists;

/* How many of the descents of these tuples, which are those of a run of positions, lie where a list begins:
 * each list may begin anywhere, so these are no flaws. Empty lists, which begin where the next one does, are
 * not counted twice. Advances l->next over the lists that begin in the run. */
static int64_t count_at_lists(tuples t, sheaf_run positions, lists *l)
{
	int64_t count = 0, before[SHEAF_MAX_RANK];
	while (l->next < l->n && l->pointers[l->next] <= positions.begin) l->next++;
	for (; l->next < l->n && l->pointers[l->next] < positions.end; l->next++) {
		int64_t at = l->pointers[l->next] - positions.begin;
		if (l->pointers[l->next] == l->pointers[l->next + 1]) continue;
		take_tuple(t, at - 1, before);
		count += !is_above(t, at, before);
	}
	return count;
}

/* ---- each flaw of a run ---- */

/* Reports each index in [from, to) of one list that is not above the one before, from > 0; index i belongs to
 * position base + i. In several dimensions the first in which the two differ decides. Numbers of unsigned
 * arrays are compared with their highest bit turned over, which makes signed comparison order them. */
static sheaf_status report_descents(sheaf_level_run *run, const int64_t *const indices[], int64_t base,
                                    int64_t from, int64_t to)
{
	const sheaf_sparse *s = run->s;
	int rank = s->levels.levels[run->l].rank, depth = sheaf_levels_depth(&s->levels, run->l);
	for (int64_t i = from; i < to; i++) {
		int r = 0;
		while (r < rank - 1 && indices[r][i] == indices[r][i - 1]) r++;
		const sheaf_stored_array *array = &s->indices[depth + r];
		int64_t before = indices[r][i - 1], found = indices[r][i], sign = array->is_unsigned ? INT64_MIN : 0;
		if ((found ^ sign) > (before ^ sign)) continue;
		SHEAF_TRY(flaw(run, (breach){"order of indices", array, base + i, "above", before, found}));
	}
	return SHEAF_OK;
}

/* Reports every index of the run that is outside of its extent and, if the file promises an order, every one
 * that is not above the one before in its list. The first `lead` indices, none or one, are those of positions
 * before the run. */
static sheaf_status report_flaws(sheaf_level_run *run, const int64_t *const indices[], int lead)
{
	const sheaf_sparse *s = run->s;
	int64_t base = run->below.begin - lead;
	int depth = sheaf_levels_depth(&s->levels, run->l);
	for (int r = 0; r < s->levels.levels[run->l].rank; r++) {
		const sheaf_stored_array *array = &s->indices[depth + r];
		int64_t extent = sheaf_sparse_extent(s, depth + r);
		for (int64_t p = run->below.begin; p < run->below.end; p++) {
			int64_t found = indices[r][p - base];
			if (found >= 0 && found < extent) continue;
			const char *least = found < 0 && !array->is_unsigned ? "at least 0 and below" : "below";
			SHEAF_TRY(flaw(run, (breach){"index range", array, p, least, extent, found}));
		}
	}
	for (int64_t i = 0; i < sheaf_run_length(run->above) && s->is_strict; i++) {
		int64_t from = run->pointers ? run->pointers[i] : 0,
				to = run->pointers ? run->pointers[i + 1] : s->counts[run->l + 1];
		if (from < base) from = base;
		if (to > run->below.end) to = run->below.end;
		if (to - from > 1) SHEAF_TRY(report_descents(run, indices, base, from - base + 1, to - base));
	}
	return SHEAF_OK;
}

/* Reads the indices once more, as they are stored, and reports what is wrong with them. */
static sheaf_status look_again(sheaf_level_run *run, int lead)
{
	const sheaf_sparse *s = run->s;
	sheaf_buffer read[SHEAF_MAX_RANK] = {{0}};
	const int64_t *indices[SHEAF_MAX_RANK] = {NULL};
	int depth = sheaf_levels_depth(&s->levels, run->l), rank = s->levels.levels[run->l].rank;
	sheaf_run all = {run->below.begin - lead, run->below.end};
	sheaf_status status = SHEAF_OK;
	for (int r = 0; r < rank && !status; r++) {
		status = sheaf_stored_i64(s, &s->indices[depth + r], all, run->cx, &read[r], run->err);
		indices[r] = sheaf_numbers(&read[r]);
	}
	if (!status) status = report_flaws(run, indices, lead);
	for (int r = 0; r < rank; r++) sheaf_buffer_reset(&read[r]);
	return status;
}

/* ---- the indices of a run ---- */

/* The quick look: whether all indices of the run are within their extents and, if the file promises that,
 * ascend in each list. Descents are counted over all lists at once, and those where a list begins are then
 * subtracted. `lead` indices before the run, none or one, are only compared with. */
static bool are_sound(const sheaf_level_run *run, const void *const indices[], const sheaf_type types[],
                      int lead)
{
	const sheaf_sparse *s = run->s;
	int depth = sheaf_levels_depth(&s->levels, run->l), rank = s->levels.levels[run->l].rank;
	int64_t n = sheaf_run_length(run->below);
	for (int r = 0; r < rank && n > 0; r++) {
		const uint8_t *at = (const uint8_t *)indices[r] + (size_t)lead * sheaf_type_size(types[r]);
		uint64_t most = types[r] == SHEAF_I32 ? largest_i32(at, n) : largest_i64(at, n);
		if (most >= (uint64_t)sheaf_sparse_extent(s, depth + r)) return false;
	}
	if (!s->is_strict) return true;
	if (run->is_broken) return false; /* with such pointers nothing is quick */
	tuples t = {indices, types, rank};
	lists l = {run->pointers, sheaf_run_length(run->above), 0};
	int64_t descents = count_descents(t, n + lead);
	if (descents && run->pointers)
		descents -= count_at_lists(t, (sheaf_run){run->below.begin - lead, run->below.end}, &l);
	return descents == 0;
}

sheaf_status sheaf_level_check_indices(sheaf_level_run *run, const void *const indices[],
                                       const sheaf_type types[])
{
	if (sheaf_run_length(run->below) == 0) return SHEAF_OK;
	return are_sound(run, indices, types, 0) ? SHEAF_OK : look_again(run, 0);
}

/* If the run begins within a list whose order matters, the index before it is read, too, and compared with;
 * then it is cut off again, by holding a part of the same bytes. */
sheaf_status sheaf_level_read_indices(sheaf_level_run *run, sheaf_builder *const to[],
                                      const sheaf_type types[])
{
	const sheaf_sparse *s = run->s;
	const void *indices[SHEAF_MAX_RANK] = {NULL};
	int depth = sheaf_levels_depth(&s->levels, run->l), rank = s->levels.levels[run->l].rank;
	bool is_begun = run->below.begin > 0 && (!run->pointers || run->pointers[0] < run->below.begin);
	int lead = s->is_strict && is_begun;
	sheaf_run read = {run->below.begin - lead, run->below.end};
	if (sheaf_run_length(run->below) == 0) return SHEAF_OK;
	for (int r = 0; r < rank; r++) {
		SHEAF_TRY(sheaf_stored_read(s, &s->indices[depth + r], read, types[r], to[r], run->err));
		indices[r] = to[r]->data;
	}
	if (!are_sound(run, indices, types, lead)) SHEAF_TRY(look_again(run, lead));
	for (int r = 0; r < rank && lead; r++) {
		sheaf_buffer all = {0};
		size_t size = sheaf_type_size(types[r]);
		SHEAF_TRY(sheaf_builder_finish(to[r], &all, run->err));
		sheaf_buffer part = sheaf_buffer_part(&all, size, all.size - size);
		sheaf_builder_hold(to[r], &part);
		sheaf_buffer_reset(&all);
	}
	return SHEAF_OK;
}

/* ---- the order of all of them ---- */

/* All entries of the last level, which is sparse, in steps. */
typedef struct scan {
	sheaf_level_run run;
	int rank;
	int64_t before[SHEAF_MAX_RANK]; /* the last tuple so far */
	lists lists;
	bool sorted;
} scan;

/* Reads and looks at one step of all entries. Its first tuple must be above the last one of the step before,
 * unless it begins a list. Builders that share the file's bytes are dropped before they are used again. */
static sheaf_status scan_step(scan *c, bool checked, sheaf_builder steps[], const sheaf_type types[])
{
	const sheaf_sparse *s = c->run.s;
	const void *indices[SHEAF_MAX_RANK] = {NULL};
	int depth = s->levels.rank - c->rank;
	SHEAF_TRY(sheaf_check_stop(s->cx, c->run.err));
	for (int r = 0; r < c->rank; r++) {
		if (steps[r].held) sheaf_builder_drop(&steps[r]);
		steps[r].size = 0;
		SHEAF_TRY(
			sheaf_stored_read(s, &s->indices[depth + r], c->run.below, types[r], &steps[r], c->run.err));
		indices[r] = steps[r].data;
	}
	if (checked) SHEAF_TRY(sheaf_level_check_indices(&c->run, indices, types));
	if (!c->sorted) return SHEAF_OK;
	tuples t = {indices, types, c->rank};
	sheaf_run positions = c->run.below;
	lists *l = &c->lists;
	while (l->next < l->n && l->pointers[l->next] < positions.begin) l->next++;
	bool is_begin = positions.begin == 0 || (l->next < l->n && l->pointers[l->next] == positions.begin);
	int64_t descents = count_descents(t, sheaf_run_length(positions)) - count_at_lists(t, positions, l);
	c->sorted = descents == 0 && (is_begin || is_above(t, 0, c->before));
	take_tuple(t, sheaf_run_length(positions) - 1, c->before);
	return SHEAF_OK;
}

/* Goes through all indices of the last level in steps, and stops at the first step that is out of order,
 * unless all indices are to be checked. */
sheaf_status sheaf_sparse_is_sorted(const sheaf_sparse *s, bool checked, bool *sorted, sheaf_error *err)
{
	enum { STEP = 1 << 16, MOST = 1 << 22 };
	int l = s->levels.nlevels - 1;
	sheaf_builder steps[SHEAF_MAX_RANK];
	sheaf_type types[SHEAF_MAX_RANK];
	scan c = {.run = {.s = s, .l = l, .above = {0, s->counts[l]}, .cx = s->cx, .err = err}, .sorted = true};
	c.rank = s->levels.levels[l].rank;
	if (l > 0) c.lists = (lists){sheaf_numbers(&s->pointers[l].held), s->counts[l], 0};
	c.run.pointers = c.lists.pointers;
	int depth = s->levels.rank - c.rank;
	for (int r = 0; r < c.rank; r++) {
		types[r] = sheaf_sparse_extent(s, depth + r) > INT32_MAX ? SHEAF_I64 : SHEAF_I32;
		sheaf_builder_begin(&steps[r], s->cx, NULL);
	}
	sheaf_status status = SHEAF_OK;
	/* Steps end where chunks do, so that none is unpacked twice. */
	int64_t n = sheaf_sparse_entries(s), step = STEP, chunk = s->indices[depth].chunk;
	if (chunk > 1 && chunk <= MOST) step = (STEP + chunk - 1) / chunk * chunk;
	for (int64_t first = 0; first < n && !status && (c.sorted || checked); first += step) {
		c.run.below = (sheaf_run){first, n - first < step ? n : first + step};
		status = scan_step(&c, checked, steps, types);
	}
	for (int r = 0; r < c.rank; r++) sheaf_builder_drop(&steps[r]);
	*sorted = c.sorted;
	return status;
}
