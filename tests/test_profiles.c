/* SPDX-License-Identifier: MIT */
/* Profiles of matrices against a naive reading of all pairs of entries: in any order, with any structure, and
 * with so little memory that entries are sorted on disk. */
#include "support.h"
#include "tensor/profile.h"

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
	assert_ok(sheaf_profile_connect(p, 1 << 20, &err));
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

/* Which slices reach which, by all slices in between. */
static void assert_strong(const matrix *m, const sheaf_profile *p)
{
	static bool reaches[MOST][MOST];
	int64_t n = m->extent, components = 0, largest = 0;
	bool used[MOST] = {false}, seen[MOST] = {false};
	memset(reaches, 0, sizeof reaches);
	for (int e = 0; e < m->n; e++) {
		reaches[m->entries[e].at[0]][m->entries[e].at[1]] = true;
		used[m->entries[e].at[0]] = used[m->entries[e].at[1]] = true;
	}
	for (int64_t k = 0; k < n; k++)
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < n; j++) reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
	for (int64_t i = 0; i < n; i++) {
		int64_t size = 0;
		if (!used[i] || seen[i]) continue;
		for (int64_t j = i; j < n; j++)
			if (j == i || (reaches[i][j] && reaches[j][i])) seen[j] = true, size++;
		components++;
		if (size > largest) largest = size;
	}
	assert_int_equal(p->strong.components, components);
	assert_int_equal(p->strong.largest, largest);
}

/* Rows and columns as nodes, and where the order of rows can be cut. */
static void assert_connected(const matrix *m, const sheaf_components *c)
{
	int64_t of[MOST], sizes[MOST] = {0}, n = m->extent, components = 0, largest = 0, blocks = 0, widest = 0;
	bool used[MOST] = {false}, cut[MOST + 1];
	for (int64_t i = 0; i < n; i++) of[i] = i, cut[i] = true;
	for (int e = 0; e < m->n; e++) {
		int64_t i = m->entries[e].at[0], j = m->entries[e].at[1], from = of[i], to = of[j];
		used[i] = used[j] = true;
		for (int64_t k = 0; k < n; k++) of[k] = of[k] == from ? to : of[k];
		for (int64_t k = (i < j ? i : j) + 1; k <= (i < j ? j : i); k++) cut[k] = false;
	}
	for (int64_t i = 0; i < n; i++) sizes[of[i]] += used[i];
	for (int64_t i = 0; i < n; i++) {
		components += sizes[i] > 0;
		largest = sizes[i] > largest ? sizes[i] : largest;
	}
	for (int64_t i = 0, begin = 0; i < n; i++) {
		if (i + 1 < n && !cut[i + 1]) continue;
		blocks++;
		widest = i + 1 - begin > widest ? i + 1 - begin : widest;
		begin = i + 1;
	}
	assert_int_equal(c->components, components);
	assert_int_equal(c->largest, largest);
	assert_int_equal(c->blocks, blocks);
	assert_int_equal(c->widest, widest);
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
			if (!symmetric) assert_strong(whole, p);
			assert_connected(whole, &p->components);
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

/* Too little for a block of slices with their values: two orders are read, and only the pattern is kept. */
static void test_with_little_memory(void **state)
{
	(void)state;
	sheaf_context *cx;
	sheaf_context_options options = {.size = sizeof options, .max_memory = 2600000, .threads = 1};
	assert_ok(sheaf_context_new(&options, &cx, &err));
	seed_random(18);
	try(cx, 40);
	sheaf_context_free(cx);
}

/* More slices than could be counted in memory: they are counted as sorted entries come. */
static void test_many_slices(void **state)
{
	(void)state;
	enum { N = 4 };
	const int64_t extent = INT64_C(1) << 40, last = extent - 1;
	static matrix m;
	m = (matrix){.extent = extent, .n = N};
	const entry entries[N] = {{{0, 5}, 1}, {{0, 7}, 1}, {{9, 7}, 1}, {{last, 7}, 1}};
	memcpy(m.entries, entries, sizeof entries);
	sheaf_context *cx = usual_context();
	sheaf_profile *p = profile_of(&m, SHEAF_GENERAL, cx);
	for (int d = 0; d < 2; d++) {
		assert_int_equal(p->sides[d].occupied, d ? 2 : 3);
		assert_true(p->sides[d].spread.n == extent);
		assert_true(p->sides[d].spread.total == N);
		assert_true(p->sides[d].spread.most == (d ? 3 : 2));
	}
	sheaf_profile_free(p);
	end_context(cx);
}

/* The counts of a block are exact, and those of more blocks are close to them. */
static void test_deflated(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	enum { ITEMS = 300000 };
	for (int n = 0; n <= ITEMS; n += n < 10000 ? 2500 : 145000) {
		sheaf_deflating p = {.sizes = {sizeof(int32_t), 1, sizeof(double)}};
		for (int32_t i = 0; i < n; i++) {
			double v = (double)((int64_t)i * 7919 % 10007);
			if (!sheaf_deflating_wants(&p)) continue;
			assert_ok(sheaf_deflating_put(&p, (const void *const[]){&i, "a", &v}, cx, &err));
		}
		assert_int_equal(p.n, n);
		assert_ok(sheaf_deflating_finish(&p, cx, &err));
		assert_true(n ? p.sums[0] > 0 && p.sums[0] < 4.0 * n : p.sums[0] == 0);
		assert_true(p.sums[1] <= 1 + n / 100.0);
		assert_true(n == 0 || (p.sums[2] > n && p.sums[2] <= 8.0 * n));
		if (n > 100000) assert_true(p.sums[0] > 1.0 * n && p.sums[0] < 2.0 * n);
		sheaf_deflating_free(&p, cx);
	}
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all_pairs),
		cmocka_unit_test(test_with_little_memory),
		cmocka_unit_test(test_many_slices),
		cmocka_unit_test(test_deflated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
