/* SPDX-License-Identifier: MIT */
/* Matrices as arrays, compared with sorting entries one by one. */
#include "base/context.h"
#include "number/kernels/stream.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sheaf_context *context_of(int threads)
{
	sheaf_context_options options = {.size = sizeof options, .threads = threads};
	return context_with(&options);
}

static void test_streams(void **state)
{
	enum { SIZE = 400 };
	uint8_t from[SIZE], to[SIZE], like[SIZE];
	(void)state;
	for (int i = 0; i < SIZE; i++) from[i] = (uint8_t)(i * 7 + 1);
	for (size_t size = 0; size < 200; size++) {
		for (size_t at = 0; at < 64; at++) {
			memset(to, 0, SIZE);
			memset(like, 0, SIZE);
			memcpy(like + at, from + size % 5, size);
			sheaf_stream(to + at, from + size % 5, size);
			sheaf_stream_end();
			assert_memory_equal(to, like, SIZE);
		}
	}
}

/* ---- in the order of coming ---- */

/* The entries of each row in their order, and by columns with the rows in theirs; values say which entry they
 * were. */
static void check_arrays(int64_t n, int64_t nrows, int64_t ncolumns, size_t value_size, int threads)
{
	sheaf_context *cx = context_of(threads);
	size_t room = (size_t)n + 1;
	int32_t *rows = malloc(room * 4), *columns = malloc(room * 4), *indices = malloc(room * 4),
			*back = malloc(room * 4);
	uint8_t *values = calloc(room, value_size), *moved = malloc(room * value_size),
			*twice = malloc(room * value_size);
	int64_t *pointers = malloc(((size_t)nrows + 1) * 8), *others = malloc(((size_t)ncolumns + 1) * 8);
	for (int64_t e = 0; e < n; e++) {
		uint32_t number = (uint32_t)e;
		rows[e] = (int32_t)random_below(nrows), columns[e] = (int32_t)random_below(ncolumns);
		memcpy(values + (size_t)e * value_size, &number, value_size < 4 ? value_size : 4);
	}
	sheaf_entry_arrays from = {n, rows, columns, values, value_size};
	sheaf_compressed_arrays csr = {pointers, indices, moved, value_size},
							csc = {others, back, twice, value_size};
	assert_ok(sheaf_compress_entries(&from, nrows, cx, &csr, &err));
	assert_int_equal(pointers[0], 0);
	assert_int_equal(pointers[nrows], n);
	for (int64_t r = 0; r < nrows && value_size >= 4; r++) {
		int64_t last = -1;
		for (int64_t k = pointers[r]; k < pointers[r + 1]; k++) {
			uint32_t e;
			memcpy(&e, moved + (size_t)k * value_size, 4);
			assert_true(rows[e] == r && columns[e] == indices[k] && e > last);
			last = e;
		}
	}
	assert_ok(sheaf_transpose_compressed(&csr, nrows, ncolumns, cx, &csc, &err));
	assert_int_equal(others[ncolumns], n);
	for (int64_t c = 0; c < ncolumns && value_size >= 4; c++) {
		for (int64_t k = others[c]; k < others[c + 1]; k++) {
			uint32_t e;
			memcpy(&e, twice + (size_t)k * value_size, 4);
			assert_true(columns[e] == c && rows[e] == back[k] && (k == others[c] || back[k - 1] <= back[k]));
		}
	}
	if (n > 0) {
		rows[n / 2] = (int32_t)nrows;
		assert_status(SHEAF_DATA, sheaf_compress_entries(&from, nrows, cx, &csr, &err));
		assert_message("entries: expected coordinates from 0 to");
	}
	free(rows), free(columns), free(indices), free(back), free(values), free(moved), free(twice),
		free(pointers), free(others);
	end_context(cx);
}

static void test_arrays(void **state)
{
	(void)state;
	seed_random(6);
	for (int threads = 1; threads <= 3; threads++) {
		for (size_t size = 1; size <= 16; size *= 2) check_arrays(2000, 50, 70, size, threads);
		check_arrays(0, 5, 5, 8, threads);
		check_arrays(1, 1, 1, 8, threads);
		check_arrays(300000, 100000, 300, 8, threads);
		check_arrays(300000, 300, 200000, 4, threads);
		check_arrays(1000, 3000000, 2, 8, threads);
		check_arrays(300000, 100000, INT32_MAX / 1000, 16, threads);
		check_arrays(200000, 1, 500000, 2, threads);
	}
	sheaf_context *cx = usual_context();
	sheaf_entry_arrays from = {.value_size = 3};
	int64_t pointer[1];
	assert_status(SHEAF_USAGE,
	              sheaf_compress_entries(
					  &from, 0, cx, &(sheaf_compressed_arrays){.pointers = pointer, .value_size = 3}, &err));
	end_context(cx);
}

/* ---- in the order of columns ---- */

/* A value is a whole number below 100, in one or two parts. */
typedef struct entry {
	int32_t row, column;
	int64_t number, value;
} entry;

typedef struct matrix {
	int64_t n, nrows, ncolumns;
	sheaf_type type;
	size_t value_size;
	entry *entries;
	int32_t *rows, *columns, *indices;
	uint8_t *values, *sorted;
	int64_t *pointers;
} matrix;

static void put_value(sheaf_type type, int64_t value, uint8_t *to)
{
	double real = (double)value;
	float single = (float)value;
	if (type == SHEAF_F64)
		memcpy(to, &real, sizeof real);
	else if (type == SHEAF_F32)
		memcpy(to, &single, sizeof single);
	else
		memcpy(to, &value, sheaf_type_size(type)); /* the lower bytes come first where tests run */
}

static void put_parts(const matrix *m, int64_t value, uint8_t *to)
{
	size_t size = sheaf_type_size(m->type);
	put_value(m->type, value, to);
	if (m->value_size > size) put_value(m->type, value / 2 * 2, to + size);
}

static matrix make_matrix(int64_t n, int64_t nrows, int64_t ncolumns, sheaf_type type, bool complex)
{
	size_t size = sheaf_type_size(type) << complex, room = (size_t)n + 1;
	matrix m = {n,
	            nrows,
	            ncolumns,
	            type,
	            size,
	            malloc(room * sizeof *m.entries),
	            malloc(room * 4),
	            malloc(room * 4),
	            malloc(room * 4),
	            malloc(room * size),
	            malloc(room * size),
	            NULL};
	m.pointers = malloc(((size_t)nrows + 1) * sizeof *m.pointers);
	for (int64_t e = 0; e < n; e++) {
		entry made = {(int32_t)random_below(nrows), (int32_t)random_below(ncolumns), e,
		              random_below(type == SHEAF_I8 ? 3 : 50) * 2};
		m.entries[e] = made;
		m.rows[e] = made.row, m.columns[e] = made.column;
		put_parts(&m, made.value, m.values + (size_t)e * size);
	}
	return m;
}

static void free_matrix(matrix *m)
{
	free(m->entries), free(m->rows), free(m->columns), free(m->indices), free(m->values), free(m->sorted),
		free(m->pointers);
}

static sheaf_status sort_matrix(const matrix *m, sheaf_duplicates duplicates, sheaf_context *cx)
{
	sheaf_entry_arrays from = {m->n, m->rows, m->columns, m->values, m->value_size};
	sheaf_compressed_arrays to = {m->pointers, m->indices, m->sorted, m->value_size};
	return sheaf_compress_sorted(&from, m->nrows, m->type, duplicates, cx, &to, &err);
}

static int compare_entries(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;
	if (x->row != y->row) return x->row < y->row ? -1 : 1;
	if (x->column != y->column) return x->column < y->column ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static int64_t merge(entry *entries, int64_t n, sheaf_duplicates duplicates)
{
	int64_t kept = 0;
	for (int64_t e = 0; e < n; e++) {
		entry *last = kept ? &entries[kept - 1] : NULL;
		if (last && last->row == entries[e].row && last->column == entries[e].column)
			last->value =
				duplicates == SHEAF_DUPLICATES_SUM ? last->value + entries[e].value : entries[e].value;
		else
			entries[kept++] = entries[e];
	}
	return kept;
}

static void check_sorted(int64_t n, int64_t nrows, int64_t ncolumns, sheaf_type type, bool complex,
                         sheaf_duplicates duplicates, int threads)
{
	sheaf_context *cx = context_of(threads);
	matrix m = make_matrix(n, nrows, ncolumns, type, complex);
	uint8_t value[16];
	assert_ok(sort_matrix(&m, duplicates, cx));
	qsort(m.entries, (size_t)n, sizeof *m.entries, compare_entries);
	int64_t kept = merge(m.entries, n, duplicates), e = 0;
	assert_int_equal(m.pointers[nrows], kept);
	for (int64_t r = 0; r < nrows; r++) {
		assert_int_equal(m.pointers[r], e);
		for (; e < kept && m.entries[e].row == r; e++) {
			assert_int_equal(m.indices[e], m.entries[e].column);
			put_parts(&m, m.entries[e].value, value);
			assert_memory_equal(m.sorted + (size_t)e * m.value_size, value, m.value_size);
		}
	}
	free_matrix(&m);
	end_context(cx);
}

static void test_sorted(void **state)
{
	static const sheaf_type types[] = {SHEAF_U8, SHEAF_I16, SHEAF_F32, SHEAF_F64, SHEAF_I64};
	(void)state;
	seed_random(7);
	for (int threads = 1; threads <= 3; threads++) {
		for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
			check_sorted(2000, 50, 70, types[t], false, SHEAF_DUPLICATES_LAST, threads);
			check_sorted(2000, 500, 700, types[t], types[t] != SHEAF_U8, SHEAF_DUPLICATES_LAST, threads);
		}
		check_sorted(20000, 50, 700, SHEAF_F64, true, SHEAF_DUPLICATES_SUM, threads);
		check_sorted(0, 5, 5, SHEAF_F64, false, SHEAF_DUPLICATES_ERROR, threads);
		check_sorted(1, 1, 1, SHEAF_F64, false, SHEAF_DUPLICATES_ERROR, threads);
		check_sorted(300, 1, 1, SHEAF_F64, false, SHEAF_DUPLICATES_SUM, threads);
		check_sorted(300000, 100000, 300, SHEAF_F64, false, SHEAF_DUPLICATES_SUM, threads);
		check_sorted(200000, 1, 1000000, SHEAF_F32, false, SHEAF_DUPLICATES_SUM, threads);
		check_sorted(200000, 100000, INT32_MAX, SHEAF_F64, false, SHEAF_DUPLICATES_SUM, threads);
		check_sorted(200000, 3, INT32_MAX, SHEAF_I32, false, SHEAF_DUPLICATES_SUM, threads);
		check_sorted(1000, 3000000, 2, SHEAF_F64, false, SHEAF_DUPLICATES_SUM, threads);
	}
}

/* The first one in order is reported, on any number of threads. */
static void test_refusals(void **state)
{
	(void)state;
	seed_random(8);
	for (int threads = 1; threads <= 3; threads++) {
		sheaf_context *cx = context_of(threads);
		matrix m = make_matrix(200000, 100000, INT32_MAX, SHEAF_I8, false);
		m.rows[7] = m.rows[100] = 60000, m.columns[7] = m.columns[100] = 5;
		m.rows[8] = m.rows[9] = 0, m.columns[8] = m.columns[9] = 12;
		m.rows[3] = m.rows[4] = 99999, m.columns[3] = m.columns[4] = 5;
		assert_status(SHEAF_DATA, sort_matrix(&m, SHEAF_DUPLICATES_ERROR, cx));
		assert_message("entries: expected each position once, found (0,12) twice");
		m.values[8] = 127, m.values[9] = 1;
		assert_status(SHEAF_DATA, sort_matrix(&m, SHEAF_DUPLICATES_SUM, cx));
		assert_message("entry (0,12): expected a sum that fits int8, found one that does not");
		m.columns[50] = -1;
		assert_status(SHEAF_DATA, sort_matrix(&m, SHEAF_DUPLICATES_LAST, cx));
		assert_message("entries: expected columns from 0, found others");
		m.rows[50] = -1;
		assert_status(SHEAF_DATA, sort_matrix(&m, SHEAF_DUPLICATES_LAST, cx));
		assert_message("entries: expected coordinates from 0 to 99999, found others");
		m.value_size = 4;
		assert_status(SHEAF_USAGE, sort_matrix(&m, SHEAF_DUPLICATES_LAST, cx));
		free_matrix(&m);
		end_context(cx);
	}
}

/* Pointers of rows in order, some of them empty, also the first and the last; rows out of order have
 * none.
 */
static void test_row_pointers(void **state)
{
	(void)state;
	const int32_t rows[] = {1, 1, 4, 4, 4, 5};
	const int64_t wanted[] = {0, 0, 2, 2, 2, 5, 6, 6};
	int64_t pointers[8];
	bool by_rows = false;
	assert_ok(sheaf_row_pointers(rows, 6, 7, pointers, &by_rows, &err));
	assert_true(by_rows);
	assert_memory_equal(pointers, wanted, sizeof wanted);
	assert_ok(sheaf_row_pointers(NULL, 0, 7, pointers, &by_rows, &err));
	assert_true(by_rows);
	for (int r = 0; r <= 7; r++) assert_int_equal(pointers[r], 0);
	assert_ok(sheaf_row_pointers((const int32_t[]){1, 0}, 2, 2, pointers, &by_rows, &err));
	assert_false(by_rows);
	assert_status(SHEAF_DATA, sheaf_row_pointers(rows, 6, 5, pointers, &by_rows, &err));
	assert_message("entries: expected rows below 5, found 5");
	assert_status(SHEAF_DATA, sheaf_row_pointers((const int32_t[]){-1}, 1, 5, pointers, &by_rows, &err));
	assert_message("entries: expected rows below 5, found -1");
}

/* The caller's error is filled on a failure, and otherwise left alone. */
static void test_failing_allocations(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		bool through = false;
		for (int64_t fail_at = 1; !through; fail_at++) {
			allocator memory = {0};
			sheaf_context_options options = options_with(&memory);
			options.threads = threads;
			sheaf_context *cx = context_with(&options);
			matrix m = make_matrix(70000, 1000, 1000, SHEAF_F64, false);
			memory.fail_at = memory.calls + fail_at;
			snprintf(err.message, sizeof err.message, "nothing yet");
			sheaf_status status = sort_matrix(&m, SHEAF_DUPLICATES_SUM, cx);
			assert_true(status == SHEAF_OK || status == SHEAF_NOMEM);
			assert_message(status ? "memory" : "nothing yet");
			through = memory.calls < memory.fail_at;
			end_context(cx);
			free_matrix(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),      cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_sorted),       cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_row_pointers), cmocka_unit_test(test_failing_allocations),
	};
	return cmocka_run_group_tests_name("matrices", tests, NULL, NULL);
}
