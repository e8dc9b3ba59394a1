/* SPDX-License-Identifier: MIT */
/* Exact comparison of columns. Two positions are walked down together, level by level, until both are values.
 * Values are compared in their canonical form, so float32 1 equals int8 1, and a time in seconds the same
 * time in nanoseconds; bytes of one type that are equal need no canonical form. Which element type and which
 * storage a column has is the business of the schema's comparison, not of this one. */
#include "frame/compare.h"
#include "frame/frame.h"
#include "frame/value.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256 };

/* Whether n values of two columns are equal, from these positions on. Equal bytes of one type are found at
 * once; others are compared in their canonical form, in batches, as different bytes can mean the same. */
static bool values_equal(const sheaf_column *a, int64_t at_a, const sheaf_column *b, int64_t at_b, int64_t n)
{
	sheaf_canon ca[BATCH], cb[BATCH];
	size_t size = sheaf_type_size(a->type);
	if (n == 0) return true;
	bool alike = a->type == b->type && a->meaning == b->meaning && a->digits == b->digits;
	if (alike && memcmp(a->values.data + (size_t)at_a * size, b->values.data + (size_t)at_b * size,
	                    (size_t)n * size) == 0)
		return true;
	for (int64_t i = 0; i < n; i += BATCH) {
		int64_t m = n - i < BATCH ? n - i : BATCH;
		sheaf_canon_items(a, at_a + i, m, ca);
		sheaf_canon_items(b, at_b + i, m, cb);
		for (int64_t k = 0; k < m; k++)
			if (!sheaf_canon_equal(ca[k], cb[k])) return false;
	}
	return true;
}

/* Index number k of a run from position `first` on: those of dense levels are not stored. */
static int64_t index_at(const sheaf_level *level, int r, int64_t first, int64_t k)
{
	return level->shape.kind == SHEAF_COORD ? sheaf_level_index(level, r, first + k) : k;
}

/* Whether n entries have the same indices, from these positions on. A dense level has one index, which
 * counts. */
static bool indices_equal(const sheaf_level *a, int64_t at_a, const sheaf_level *b, int64_t at_b, int64_t n)
{
	int rank_a = a->shape.kind == SHEAF_COORD ? a->shape.rank : 1,
		rank_b = b->shape.kind == SHEAF_COORD ? b->shape.rank : 1;
	if (rank_a != rank_b) return false;
	if (a->shape.kind == SHEAF_FIXED && b->shape.kind == SHEAF_FIXED) return true;
	for (int r = 0; r < rank_a; r++)
		for (int64_t k = 0; k < n; k++)
			if (index_at(a, r, at_a, k) != index_at(b, r, at_b, k)) return false;
	return true;
}

/* Whether a bare number is at the position, one that could not be missing or is not. In the latter case
 * *level and *at become those of the number itself. */
static bool is_bare(const sheaf_column *column, int *level, int64_t *at)
{
	if (*level == column->nlevels) return true;
	if (sheaf_means_run(column->meaning) || !sheaf_level_is_item(column, *level) ||
	    sheaf_level_is_null(&column->levels[*level], *at))
		return false;
	*at = sheaf_level_below_one(&column->levels[*level], *at).begin;
	*level = column->nlevels;
	return true;
}

/* Goes down both columns at once. Bare numbers are compared as values. Missing positions are equal if their
 * reasons are. Items such as texts are equal if their values are. Lists equal only lists; any other two
 * levels are equal if they have the same entries: the same indices, and equal positions below them. */
bool sheaf_positions_equal(const sheaf_column *a, int level_a, int64_t at_a, const sheaf_column *b,
                           int level_b, int64_t at_b)
{
	bool bare_a = is_bare(a, &level_a, &at_a), bare_b = is_bare(b, &level_b, &at_b);
	if (bare_a && bare_b) return values_equal(a, at_a, b, at_b, 1);
	if (level_a == a->nlevels || level_b == b->nlevels) return false;
	const sheaf_level *la = &a->levels[level_a], *lb = &b->levels[level_b];
	bool null = sheaf_level_is_null(la, at_a);
	if (null || sheaf_level_is_null(lb, at_b))
		return null && sheaf_level_is_null(lb, at_b) &&
		       sheaf_level_code(la, at_a) == sheaf_level_code(lb, at_b);
	sheaf_run ra = sheaf_level_below_one(la, at_a), rb = sheaf_level_below_one(lb, at_b);
	int64_t n = sheaf_run_length(ra);
	if (sheaf_level_is_item(a, level_a) && sheaf_level_is_item(b, level_b))
		return n == sheaf_run_length(rb) && values_equal(a, ra.begin, b, rb.begin, n);
	if ((la->shape.kind == SHEAF_LIST) != (lb->shape.kind == SHEAF_LIST) || n != sheaf_run_length(rb))
		return false;
	if (la->shape.kind != SHEAF_LIST && !indices_equal(la, ra.begin, lb, rb.begin, n)) return false;
	if (level_a + 1 == a->nlevels && level_b + 1 == b->nlevels)
		return values_equal(a, ra.begin, b, rb.begin, n);
	for (int64_t k = 0; k < n; k++)
		if (!sheaf_positions_equal(a, level_a + 1, ra.begin + k, b, level_b + 1, rb.begin + k)) return false;
	return true;
}

bool sheaf_level_has_samples(const sheaf_column *column, int level)
{
	if (level + 1 != column->nlevels || sheaf_level_is_item(column, level)) return false;
	const sheaf_level_shape *shape = &column->levels[level].shape;
	return shape->kind == SHEAF_FIXED || (shape->kind == SHEAF_COORD && shape->rank == 1);
}

/* Positions decide between equal indices, since qsort need not be stable. */
static int by_index(const void *a, const void *b)
{
	const sheaf_sample_entry *left = (const sheaf_sample_entry *)a, *right = (const sheaf_sample_entry *)b;
	if (left->index != right->index) return left->index < right->index ? -1 : 1;
	return (left->at > right->at) - (left->at < right->at);
}

void sheaf_sort_sample(const sheaf_level *level, sheaf_run run, sheaf_builder *b)
{
	size_t before = b->size;
	for (int64_t p = run.begin; p < run.end && !b->failed; p++) {
		sheaf_sample_entry e = {index_at(level, 0, run.begin, p - run.begin), p};
		sheaf_builder_append(b, &e, sizeof e);
	}
	if (b->size > before)
		qsort(b->data + before, (b->size - before) / sizeof(sheaf_sample_entry), sizeof(sheaf_sample_entry),
		      by_index);
}

/* Whether everything below a position of a level is missing, or the field's usual value; texts never are. */
static bool is_usual(const sheaf_column *column, const sheaf_field *field, int level, int64_t p)
{
	sheaf_canon value, usual = {field->usual, 0};
	if (level == column->nlevels) {
		sheaf_canon_values(column->type, column->values.data, p, 1, &value);
		return sheaf_canon_equal(value, usual);
	}
	if (sheaf_level_is_null(&column->levels[level], p)) return true;
	if (level + 1 == column->nlevels && sheaf_means_text(column->meaning)) return false;
	sheaf_run run = sheaf_level_below_one(&column->levels[level], p);
	for (int64_t q = run.begin; q < run.end; q++)
		if (!is_usual(column, field, level + 1, q)) return false;
	return true;
}

/* A list of samples says how many there are, also where each of these is missing, so only a missing list is
 * usual. */
bool sheaf_row_is_usual(const sheaf_column *column, const sheaf_field *field, int64_t row)
{
	if (isnan(field->usual)) return false;
	bool samples = column->meaning == SHEAF_NUMBER && column->nlevels > 1 &&
	               column->levels[0].shape.kind == SHEAF_LIST && column->levels[1].shape.kind != SHEAF_LIST;
	if (samples) return sheaf_level_is_null(&column->levels[0], row);
	return is_usual(column, field, 0, row);
}
