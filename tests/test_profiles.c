/* SPDX-License-Identifier: MIT */
/* Profiles of matrices against a naive reading of all pairs of entries: in any order, with any structure, and
 * with so little memory that entries are sorted on disk. */
#include "report/matrix/profile.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100, ENTRIES = 8000 };

typedef enum order { NO_ORDER, ROWS_ALONE, COLUMNS_ALONE, BY_ROWS, BY_COLUMNS, ROWS_AT_FIRST, ORDERS } order;

typedef struct entry {
	int64_t at[2];
	double value;
} entry;

typedef struct matrix {
	int64_t extent;
	int n;
	entry entries[ENTRIES];
} matrix;

static int by_rows(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;
	for (int d = 0; d < 2; d++)
		if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
	return 0;
}

static int by_columns(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;
	for (int d = 1; d >= 0; d--)
		if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
	return 0;
}

/* In the order of one dimension, and in no order of the other. */
static void sort_one(matrix *m, int d)
{
	for (int e = 1; e < m->n; e++)
		for (int k = e; k > 0 && m->entries[k].at[d] < m->entries[k - 1].at[d]; k--) {
			entry one = m->entries[k];
			m->entries[k] = m->entries[k - 1];
			m->entries[k - 1] = one;
		}
}

static const entry *find(const matrix *m, int64_t i, int64_t j)
{
	for (int e = 0; e < m->n; e++)
		if (m->entries[e].at[0] == i && m->entries[e].at[1] == j) return &m->entries[e];
	return NULL;
}

/* No position twice; with `both`, each has a mirror. */
static void fill(matrix *m, int64_t extent, int n, bool lower, bool both)
{
	*m = (matrix){.extent = extent};
	for (int i = 0; i < n; i++) {
		entry e = {{random_below(extent), random_below(extent)}, (double)random_below(3) - 1};
		if (lower && e.at[1] > e.at[0]) continue;
		if (find(m, e.at[0], e.at[1])) continue;
		m->entries[m->n++] = e;
		if (!both || e.at[0] == e.at[1]) continue;
		m->entries[m->n++] = (entry){{e.at[1], e.at[0]}, (double)random_below(2)};
	}
}

static void sort(matrix *m, order o)
{
	if (o == ROWS_ALONE || o == COLUMNS_ALONE) sort_one(m, o == COLUMNS_ALONE);
	if (o == BY_ROWS || o == ROWS_AT_FIRST) qsort(m->entries, (size_t)m->n, sizeof *m->entries, by_rows);
	if (o == BY_COLUMNS) qsort(m->entries, (size_t)m->n, sizeof *m->entries, by_columns);
	if (o == ROWS_AT_FIRST && m->n > 2) {
		entry last = m->entries[m->n - 1];
		m->entries[m->n - 1] = m->entries[0];
		m->entries[0] = last;
	}
}

/* With the mirrors that a symmetric matrix implies. */
static matrix *whole_of(const matrix *m, bool symmetric)
{
	matrix *w = malloc(sizeof *w);
	assert_non_null(w);
	*w = *m;
	for (int e = 0; symmetric && e < m->n; e++)
		if (m->entries[e].at[0] != m->entries[e].at[1])
			w->entries[w->n++] = (entry){{m->entries[e].at[1], m->entries[e].at[0]}, m->entries[e].value};
	return w;
}

static sheaf_profile *profile_of(const matrix *m, sheaf_structure structure, sheaf_context *cx)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	sheaf_profile *p;
	sheaf_tensor tensor = {.rank = 2, .shape = {m->extent, m->extent}, .structure = structure};
	assert_ok(sheaf_schema_add_entries(&schema, &tensor, SHEAF_NUMBER, SHEAF_F64, &err));
	assert_ok(sheaf_profile_new(&schema, "m", cx, &p, &err));
	schema.fields[2].meaning = SHEAF_DATETIME;
	sheaf_profile *none;
	assert_status(SHEAF_UNSUPPORTED, sheaf_profile_new(&schema, "m", cx, &none, &err));
	assert_message("m: expected one number for each value, none missing, found other values");
	schema.fields[2].meaning = SHEAF_NUMBER;
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	for (int from = 0; from < m->n || from == 0; from += 333) {
		sheaf_frame frame;
		for (int e = from; e < m->n && e < from + 333; e++) {
			sheaf_build_integer(b, 0, m->entries[e].at[0]);
			sheaf_build_integer(b, 1, m->entries[e].at[1]);
			sheaf_build_number(b, 2, m->entries[e].value);
			sheaf_build_row(b);
		}
		assert_ok(sheaf_frame_builder_take(b, &frame, &err));
		assert_ok(sheaf_profile_add(p, &frame, &err));
		sheaf_frame_free(&frame);
	}
	assert_ok(sheaf_profile_finish(p, &err));
	sheaf_frame_builder_free(b);
	sheaf_schema_free(&schema);
	return p;
}

/* ---- naively ---- */

static void assert_mirrors(const matrix *m, const sheaf_profile *p)
{
	int64_t mirrored = 0, equal = 0, diagonal = 0;
	bool skew = true;
	for (int e = 0; e < m->n; e++) {
		const entry *one = &m->entries[e], *other = find(m, one->at[1], one->at[0]);
		bool own = one->at[0] == one->at[1];
		diagonal += own;
		mirrored += !own && other;
		equal += !own && other && other->value == one->value;
		skew = skew && other && (own ? one->value == 0 : one->value != 0 && other->value == -one->value);
	}
	assert_int_equal(p->entries, m->n);
	assert_int_equal(p->diagonal, diagonal);
	assert_int_equal(p->mirrored, mirrored);
	assert_int_equal(p->equal, equal);
	assert_int_equal(p->pattern, mirrored + diagonal == m->n);
	assert_int_equal(p->symmetric, equal + diagonal == m->n);
	if (skew) assert_true(p->skew);
	for (int d = 0; d < 2; d++) {
		int64_t occupied = 0;
		for (int64_t i = 0; i < m->extent; i++) {
			int e = 0;
			while (e < m->n && m->entries[e].at[d] != i) e++;
			occupied += e < m->n;
		}
		assert_int_equal(p->sides[d].occupied, occupied);
		assert_int_equal(p->sides[d].spread.n, m->extent);
		assert_true(p->sides[d].spread.total == (double)m->n);
	}
}

static void try(sheaf_context *cx, int times)
{
	static matrix m;
	for (int i = 0; i < times; i++) {
		bool symmetric = i % 4 == 3;
		int64_t extent = 1 + random_below(MOST);
		int n = (int)random_below(i % 3 ? 2 * extent : 20 * extent);
		fill(&m, extent, n, symmetric, !symmetric && i % 5 == 4);
		for (int o = 0; o < ORDERS; o++) {
			sort(&m, (order)o);
			sheaf_profile *p = profile_of(&m, symmetric ? SHEAF_SYMMETRIC_LOWER : SHEAF_GENERAL, cx);
			matrix *whole = whole_of(&m, symmetric);
			assert_mirrors(whole, p);
			free(whole);
			sheaf_profile_free(p);
		}
	}
}

static void test_against_all_pairs(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	seed_random(17);
	try(cx, 120);
	end_context(cx);
}

/* More slices than could be counted in memory are not counted. */
static void test_many_slices(void **state)
{
	(void)state;
	enum { N = 4 };
	const int64_t extent = INT64_C(1) << 40, last = extent - 1;
	static matrix m;
	m = (matrix){.extent = extent, .n = N};
	const entry entries[N] = {{{0, 5}, 1}, {{5, 0}, 1}, {{9, 7}, 1}, {{last, 7}, 1}};
	memcpy(m.entries, entries, sizeof entries);
	sheaf_context *cx = usual_context();
	sheaf_profile *p = profile_of(&m, SHEAF_GENERAL, cx);
	for (int d = 0; d < 2; d++) assert_int_equal(p->sides[d].occupied, -1);
	assert_int_equal(p->mirrored, 2);
	assert_int_equal(p->equal, 2);
	sheaf_profile_free(p);
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all_pairs),
		cmocka_unit_test(test_many_slices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
