/* SPDX-License-Identifier: MIT */
/* Tensors: entries converted from any order, structure and storage into any other, compared with a slow
 * model. */
#include "base/buffer.h"
#include "base/context.h"
#include "frame/value.h"
#include "sparse/arrange.h"
#include "sparse/key_layout.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a tensor as a list, and the slow way ---- */

typedef struct entry {
	int64_t at[SHEAF_MAX_RANK];
	double value[2]; /* whole numbers, so that sums are exact */
	int64_t number;
} entry;

typedef struct list {
	sheaf_tensor tensor;
	sheaf_type type;
	bool complex;
	entry *entries;
	int64_t n, room;
} list;

static const sheaf_tensor *sorting_for; /* whose order counts */

static int compare_entries(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;
	for (int p = 0; p < sorting_for->rank; p++) {
		int d = sorting_for->order[p];
		if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
	}
	return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_list(list *l, const sheaf_tensor *wanted)
{
	sorting_for = wanted;
	for (int64_t i = 0; i < l->n; i++) l->entries[i].number = i;
	if (l->n) qsort(l->entries, (size_t)l->n, sizeof *l->entries, compare_entries);
}

static bool same_place(const list *l, const entry *a, const entry *b)
{
	return memcmp(a->at, b->at, (size_t)l->tensor.rank * sizeof *a->at) == 0;
}

static void merge_list(list *l, sheaf_duplicates how)
{
	int64_t n = 0;
	for (int64_t i = 0; i < l->n; i++) {
		entry *last = n ? &l->entries[n - 1] : NULL;
		if (!last || !same_place(l, last, &l->entries[i])) {
			l->entries[n++] = l->entries[i];
			continue;
		}
		for (int part = 0; part < 2; part++)
			last->value[part] = how == SHEAF_DUPLICATES_SUM ? last->value[part] + l->entries[i].value[part]
			                                                : l->entries[i].value[part];
	}
	l->n = n;
}

static void append_entry(list *l, const entry *e)
{
	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 8;
		l->entries = realloc(l->entries, (size_t)l->room * sizeof *l->entries);
		if (!l->entries) abort();
	}
	l->entries[l->n++] = *e;
}

static void expand_list(list *l)
{
	int64_t n = l->n;
	sheaf_structure s = l->tensor.structure;
	list out = {.tensor = l->tensor};
	for (int64_t i = 0; i < n; i++) {
		entry e = l->entries[i];
		append_entry(&out, &e);
		if (e.at[0] == e.at[1]) continue;
		int64_t swap = e.at[0];
		e.at[0] = e.at[1], e.at[1] = swap;
		if (s == SHEAF_HERMITIAN_LOWER || s == SHEAF_HERMITIAN_UPPER) e.value[1] = -e.value[1];
		if (s == SHEAF_SKEW_SYMMETRIC_LOWER || s == SHEAF_SKEW_SYMMETRIC_UPPER)
			e.value[0] = -e.value[0], e.value[1] = -e.value[1];
		append_entry(&out, &e);
	}
	free(l->entries);
	l->entries = out.entries;
	l->n = out.n;
	l->room = out.room;
}

static void fill_list(list *l, const sheaf_tensor *wanted)
{
	list out = {.tensor = l->tensor};
	int64_t total = 1, at = 0;
	for (int d = 0; d < wanted->rank; d++) total *= wanted->shape[d];
	for (int64_t p = 0; p < total; p++) {
		entry e = {0};
		int64_t rest = p;
		for (int k = wanted->rank - 1; k >= 0; k--) {
			e.at[wanted->order[k]] = rest % wanted->shape[wanted->order[k]];
			rest /= wanted->shape[wanted->order[k]];
		}
		if (at < l->n && same_place(l, &e, &l->entries[at])) e = l->entries[at++];
		append_entry(&out, &e);
	}
	free(l->entries);
	l->entries = out.entries;
	l->n = out.n;
	l->room = out.room;
}

/* ---- lists as frames ---- */

static void make_schema(const list *l, sheaf_context *cx, sheaf_schema *schema)
{
	sheaf_field *value;
	*schema = (sheaf_schema){0};
	assert_ok(sheaf_schema_make_entries(schema, cx, (sheaf_dimensions){l->tensor.rank, l->tensor.shape},
	                                    &value, &err));
	sheaf_field_make_cell(value, l->complex ? SHEAF_COMPLEX : SHEAF_NUMBER, l->type, l->complex ? 2 : 1,
	                      false);
	schema->tensor = l->tensor;
}

static void put_number(sheaf_builder *b, sheaf_type type, double v)
{
	uint8_t room[8];
	sheaf_canon canon;
	sheaf_canon_values(SHEAF_F64, &v, 0, 1, &canon);
	sheaf_canon_store(type, &canon, 1, room, 0);
	sheaf_builder_append(b, room, sheaf_type_size(type));
}

static void make_frame(const list *l, const sheaf_schema *schema, int64_t from, int64_t to, sheaf_context *cx,
                       sheaf_frame *frame)
{
	sheaf_builder b;
	*frame = (sheaf_frame){0};
	assert_ok(sheaf_frame_begin(frame, schema, cx, &err));
	frame->nrows = to - from;
	for (int c = 0; c < schema->nfields; c++) {
		sheaf_builder_begin(&b, cx, NULL);
		for (int64_t i = from; i < to; i++) {
			if (c < l->tensor.rank) put_number(&b, schema->fields[c].type, (double)l->entries[i].at[c]);
			for (int part = 0; c == l->tensor.rank && part <= l->complex; part++)
				put_number(&b, l->type, l->entries[i].value[part]);
		}
		assert_ok(sheaf_builder_finish(&b, &frame->columns[c].values, &err));
	}
	assert_ok(sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, &err));
}

static double number_at(const sheaf_column *column, int64_t at)
{
	sheaf_canon canon;
	sheaf_canon_values(column->type, column->values.data, at, 1, &canon);
	return canon.nearest;
}

static void assert_list(const list *l, const sheaf_frame *frame)
{
	int rank = l->tensor.rank;
	assert_int_equal(frame->nrows, l->n);
	for (int64_t i = 0; i < l->n; i++) {
		for (int d = 0; d < rank; d++)
			assert_int_equal((int64_t)number_at(&frame->columns[d], i), l->entries[i].at[d]);
		for (int part = 0; part <= l->complex; part++)
			assert_true(number_at(&frame->columns[rank], i * (1 + l->complex) + part) ==
			            l->entries[i].value[part]);
	}
}

/* ---- chance ---- */

static void random_order(sheaf_tensor *t)
{
	for (int d = 0; d < t->rank; d++) t->order[d] = d;
	for (int d = t->rank - 1; d > 0; d--) {
		int other = (int)random_below(d + 1), swap = t->order[d];
		t->order[d] = t->order[other], t->order[other] = swap;
	}
}

static list random_list(int rank, sheaf_type type, bool complex, int64_t most)
{
	list l = {.tensor.rank = rank, .type = type, .complex = complex};
	for (int d = 0; d < rank; d++) l.tensor.shape[d] = 1 + random_below(d % 2 ? 9 : 5);
	random_order(&l.tensor);
	int64_t n = random_below(most + 1);
	for (int64_t i = 0; i < n; i++) {
		entry e = {.value = {(double)random_below(50), complex ? (double)random_below(50) : 0}};
		for (int d = 0; d < rank; d++) e.at[d] = random_below(l.tensor.shape[d]);
		append_entry(&l, &e);
	}
	return l;
}

static list copy_list(const list *l)
{
	list copy = *l;
	copy.entries = NULL;
	copy.n = copy.room = 0;
	for (int64_t i = 0; i < l->n; i++) append_entry(&copy, &l->entries[i]);
	return copy;
}

/* Arranges a list in frames of `step` entries; *out owns what comes out. */
static sheaf_status arrange(const list *l, const sheaf_tensor *to, const sheaf_arrange_options *options,
                            int64_t step, sheaf_context *cx, sheaf_frame *out)
{
	sheaf_schema schema;
	sheaf_arranger *a;
	sheaf_frame frame = {0};
	const sheaf_frame *ready;
	int64_t count = -1;
	make_schema(l, cx, &schema);
	*out = (sheaf_frame){0};
	assert_ok(sheaf_frame_begin(out, &schema, cx, &err));
	sheaf_status status = sheaf_arranger_new(&schema, to, options, cx, &a, &err);
	for (int64_t from = 0; status == SHEAF_OK && from <= l->n; from += step) {
		bool last = from == l->n || from + step > l->n;
		if (from < l->n) {
			make_frame(l, &schema, from, from + step < l->n ? from + step : l->n, cx, &frame);
			status = sheaf_arranger_add(a, &frame, &err);
		}
		if (status == SHEAF_OK && last) status = sheaf_arranger_finish(a, &err);
		if (status == SHEAF_OK && last && options && options->hold)
			status = sheaf_arranger_count(a, &count, &err);
		while (status == SHEAF_OK && (status = sheaf_arranger_next(a, &ready, &err)) == SHEAF_OK)
			status = sheaf_frame_append(out, ready, 0, ready->nrows, cx, &err);
		if (status == SHEAF_END) status = SHEAF_OK;
		sheaf_frame_free(&frame);
	}
	if (status == SHEAF_OK && count >= 0) assert_int_equal(count, out->nrows);
	sheaf_arranger_free(a);
	sheaf_schema_free(&schema);
	return status;
}

static sheaf_context *context_of(int threads, int64_t memory)
{
	sheaf_context_options options = {.size = sizeof options, .threads = threads, .max_memory = memory};
	return context_with(&options);
}

/* ---- sorting ---- */

static void check_random(int rank, sheaf_type type, bool complex, sheaf_duplicates duplicates, bool dense,
                         bool hold, sheaf_context *cx)
{
	list l = random_list(rank, type, complex, 60), model = copy_list(&l);
	sheaf_tensor to = l.tensor;
	sheaf_frame out;
	random_order(&to);
	to.sorted = true;
	to.dense = dense;
	to.unique = duplicates != SHEAF_DUPLICATES_ERROR;
	if (random_below(2)) { /* sorted in another order, which is known */
		sort_list(&l, &l.tensor);
		sort_list(&model, &l.tensor);
		l.tensor.sorted = true;
	}
	sort_list(&model, &to);
	if (duplicates != SHEAF_DUPLICATES_ERROR) merge_list(&model, duplicates);
	if (dense) fill_list(&model, &to);
	sheaf_arrange_options options = {.duplicates = duplicates, .hold = hold};
	assert_ok(arrange(&l, &to, &options, 1 + random_below(40), cx, &out));
	assert_list(&model, &out);
	sheaf_frame_free(&out);
	free(l.entries);
	free(model.entries);
}

static void test_any_order(void **state)
{
	(void)state;
	seed_random(1);
	for (int threads = 1; threads <= 3; threads++) {
		sheaf_context *cx = context_of(threads, 0);
		for (int round = 0; round < 400; round++) {
			int rank = (int)random_below(6);
			sheaf_type type = (sheaf_type)random_below(SHEAF_TYPES);
			bool complex = type >= SHEAF_F32 && random_below(2);
			bool merges = random_below(2) || type == SHEAF_U8 || type == SHEAF_I8;
			sheaf_duplicates how = !merges ? SHEAF_DUPLICATES_ERROR
			                       : type == SHEAF_U8 || type == SHEAF_I8 || random_below(2)
			                           ? SHEAF_DUPLICATES_LAST
			                           : SHEAF_DUPLICATES_SUM;
			check_random(rank, type, complex, how, merges && random_below(2), random_below(2), cx);
		}
		end_context(cx);
	}
}

/* Coordinates whose keys are longer than a word. */
static void test_huge_shapes(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	seed_random(2);
	for (int round = 0; round < 50; round++) {
		list l = {.tensor.rank = 3 + (int)random_below(5), .type = SHEAF_F64};
		for (int d = 0; d < l.tensor.rank; d++) l.tensor.shape[d] = (int64_t)1 << (20 + random_below(30));
		for (int64_t i = 0; i < 200; i++) {
			entry e = {.value = {(double)i, 0}};
			for (int d = 0; d < l.tensor.rank; d++)
				e.at[d] = random_below(3) ? random_below(3) : random_below(l.tensor.shape[d]);
			append_entry(&l, &e);
		}
		list model = copy_list(&l);
		sheaf_tensor to = l.tensor;
		sheaf_frame out;
		random_order(&to);
		to.sorted = to.unique = true;
		sort_list(&model, &to);
		merge_list(&model, SHEAF_DUPLICATES_LAST);
		sheaf_arrange_options options = {.duplicates = SHEAF_DUPLICATES_LAST};
		assert_ok(arrange(&l, &to, &options, 33, cx, &out));
		assert_list(&model, &out);
		sheaf_frame_free(&out);
		free(l.entries);
		free(model.entries);
	}
	end_context(cx);
}

/* Many more entries than fit in memory go through a temporary file, and more than fit in a cache through
 * buckets. */
static void check_many(int64_t n, int64_t memory, int threads, bool huge)
{
	list l = {.tensor = {.rank = 2, .shape = {1 << 20, 3000}, .order = {0, 1}}, .type = SHEAF_F64};
	sheaf_context *cx = context_of(threads, memory), *model_cx = usual_context();
	sheaf_schema schema;
	sheaf_arranger *a;
	const sheaf_frame *ready;
	sheaf_status status;
	int64_t seen = 0, before_i = -1, before_j = -1, peak;
	if (huge) l.tensor.shape[0] = (int64_t)1 << 50, l.tensor.shape[1] = (int64_t)1 << 40;
	make_schema(&l, model_cx, &schema);
	sheaf_tensor to = l.tensor;
	to.sorted = true;
	to.order[0] = 1, to.order[1] = 0;
	assert_ok(sheaf_arranger_new(&schema, &to, NULL, cx, &a, &err));
	double sum = 0, found = 0;
	list part = l;
	for (int64_t done = 0; done < n; done += part.n) {
		sheaf_frame frame;
		part.n = 0;
		for (int64_t i = 0; i < 1000 && done + i < n; i++) {
			entry e = {.at = {random_below(l.tensor.shape[0]), random_below(l.tensor.shape[1])},
			           .value = {(double)random_below(1000), 0}};
			append_entry(&part, &e);
			sum += e.value[0] * (double)(e.at[0] % 1000 + 1) + (double)(e.at[1] % 1000);
		}
		make_frame(&part, &schema, 0, part.n, model_cx, &frame);
		assert_ok(sheaf_arranger_add(a, &frame, &err));
		assert_status(SHEAF_END, sheaf_arranger_next(a, &ready, &err));
		sheaf_frame_free(&frame);
	}
	assert_ok(sheaf_arranger_finish(a, &err));
	while ((status = sheaf_arranger_next(a, &ready, &err)) == SHEAF_OK) {
		for (int64_t r = 0; r < ready->nrows; r++) {
			int64_t i = (int64_t)number_at(&ready->columns[0], r),
					j = (int64_t)number_at(&ready->columns[1], r);
			assert_true(j > before_j || (j == before_j && i >= before_i));
			before_i = i, before_j = j;
			found += number_at(&ready->columns[2], r) * (double)(i % 1000 + 1) + (double)(j % 1000);
		}
		seen += ready->nrows;
	}
	assert_status(SHEAF_END, status);
	assert_int_equal(seen, n);
	assert_true(sum == found);
	sheaf_arranger_free(a);
	sheaf_context_memory(cx, &peak);
	if (memory) assert_true(peak <= memory);
	free(part.entries);
	sheaf_schema_free(&schema);
	end_context(model_cx);
	end_context(cx);
}

static void test_more_than_memory(void **state)
{
	(void)state;
	seed_random(3);
	for (int threads = 1; threads <= 2; threads++) {
		check_many(300000, 1 << 20, threads, false);
		check_many(100000, 400 << 10, threads, true);
		check_many(300000, 0, threads, false);
	}
}

/* Repeated entries keep their order, even through a file. */
static void test_spilled_repeats(void **state)
{
	(void)state;
	sheaf_context *cx = context_of(1, 300 << 10), *wide = usual_context();
	list l = {.tensor = {.rank = 1, .shape = {7}}, .type = SHEAF_I32};
	sheaf_frame frame;
	sheaf_schema schema;
	for (int64_t i = 0; i < 20000; i++) {
		entry e = {.at = {i % 7}, .value = {(double)i, 0}};
		append_entry(&l, &e);
	}
	sheaf_tensor to = l.tensor;
	to.sorted = true;
	make_schema(&l, wide, &schema);
	make_frame(&l, &schema, 0, l.n, wide, &frame);
	sort_list(&l, &to);
	sheaf_arranger *a;
	const sheaf_frame *ready;
	assert_ok(sheaf_arranger_new(&schema, &to, NULL, cx, &a, &err));
	assert_ok(sheaf_arranger_add(a, &frame, &err));
	assert_ok(sheaf_arranger_finish(a, &err));
	int64_t at = 0;
	while (sheaf_arranger_next(a, &ready, &err) == SHEAF_OK)
		for (int64_t r = 0; r < ready->nrows; r++, at++)
			assert_true(number_at(&ready->columns[1], r) == l.entries[at].value[0]);
	assert_int_equal(at, l.n);
	sheaf_arranger_free(a);
	sheaf_frame_free(&frame);
	sheaf_schema_free(&schema);
	free(l.entries);
	end_context(wide);
	end_context(cx);
}

/* ---- structures ---- */

/* Entries of one triangle, each position once; what a structure forbids on the diagonal is left out. */
static list triangle_list(sheaf_structure structure, sheaf_type type, bool complex)
{
	bool lower = structure % 2, skew = structure >= SHEAF_SKEW_SYMMETRIC_LOWER,
		 hermitian = structure == SHEAF_HERMITIAN_LOWER || structure == SHEAF_HERMITIAN_UPPER;
	int64_t n = random_below(8);
	list l = {.tensor = {.rank = 2,
	                     .shape = {n, n},
	                     .order = {0, 1},
	                     .structure = structure,
	                     .sorted = true,
	                     .unique = true},
	          .type = type,
	          .complex = complex};
	for (int64_t i = 0; i < n; i++) {
		for (int64_t j = 0; j < n; j++) {
			entry e = {.at = {i, j},
			           .value = {(double)random_below(100), complex ? (double)random_below(100) : 0}};
			if ((lower ? i < j : i > j) || random_below(3) == 0) continue;
			if (i == j && skew) e.value[0] = e.value[1] = 0;
			if (i == j && hermitian) e.value[1] = 0;
			append_entry(&l, &e);
		}
	}
	return l;
}

static void test_structures(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	seed_random(4);
	for (int round = 0; round < 300; round++) {
		sheaf_structure s = (sheaf_structure)(1 + random_below(SHEAF_STRUCTURES - 1));
		bool hermitian = s == SHEAF_HERMITIAN_LOWER || s == SHEAF_HERMITIAN_UPPER,
			 complex = hermitian || random_below(3) == 0;
		list l = triangle_list(s, complex ? SHEAF_F32 : SHEAF_I16, complex), model = copy_list(&l);
		sheaf_frame out;
		sheaf_tensor to = l.tensor;
		/* expanded, in one order and the other */
		to.structure = SHEAF_GENERAL;
		to.order[0] = round % 2, to.order[1] = 1 - round % 2;
		expand_list(&model);
		sort_list(&model, &to);
		assert_ok(arrange(&l, &to, NULL, 5, cx, &out));
		assert_list(&model, &out);
		sheaf_frame_free(&out);
		/* the triangle of the expanded matrix is the original */
		list whole = copy_list(&model);
		whole.tensor = to;
		to.structure = s;
		to.order[0] = 0, to.order[1] = 1;
		assert_ok(arrange(&whole, &to, NULL, 7, cx, &out));
		assert_list(&l, &out);
		sheaf_frame_free(&out);
		/* the other triangle says the same */
		to.structure = (sheaf_structure)(((s - 1) ^ 1) + 1);
		list other = copy_list(&l);
		assert_ok(arrange(&l, &to, NULL, 3, cx, &out));
		other.tensor.structure = to.structure;
		for (int64_t i = 0; i < out.nrows; i++) {
			other.entries[i].at[0] = (int64_t)number_at(&out.columns[0], i),
			other.entries[i].at[1] = (int64_t)number_at(&out.columns[1], i);
			for (int part = 0; part <= complex; part++)
				other.entries[i].value[part] = number_at(&out.columns[2], i * (1 + complex) + part);
		}
		sheaf_frame_free(&out);
		to.structure = SHEAF_GENERAL;
		expand_list(&other);
		sort_list(&other, &to);
		sort_list(&model, &to);
		assert_int_equal(other.n, model.n);
		for (int64_t i = 0; i < model.n; i++)
			assert_true(same_place(&model, &model.entries[i], &other.entries[i]) &&
			            model.entries[i].value[0] == other.entries[i].value[0] &&
			            model.entries[i].value[1] == other.entries[i].value[1]);
		free(l.entries), free(model.entries), free(whole.entries), free(other.entries);
	}
	end_context(cx);
}

/* ---- what is refused ---- */

static list small_list(sheaf_tensor tensor, sheaf_type type, bool complex, const int64_t (*at)[2], int64_t n)
{
	list l = {.tensor = tensor, .type = type, .complex = complex};
	for (int64_t i = 0; i < n; i++) {
		entry e = {.at = {at[i][0], at[i][1]}, .value = {(double)i + 1, (double)i + 1}};
		append_entry(&l, &e);
	}
	return l;
}

static void check_refusal(sheaf_status wanted, const char *part, list l, const sheaf_tensor *to,
                          sheaf_duplicates duplicates)
{
	sheaf_context *cx = context_of(1, 16 << 20);
	sheaf_frame out;
	sheaf_arrange_options options = {.duplicates = duplicates, .name = "a.x"};
	assert_status(wanted, arrange(&l, to, &options, 10, cx, &out));
	assert_message(part);
	sheaf_frame_free(&out);
	free(l.entries);
	end_context(cx);
}

static void test_refusals(void **state)
{
	(void)state;
	static const int64_t twice[][2] = {{1, 2}, {3, 4}, {1, 2}}, back[][2] = {{0, 1}, {2, 0}, {1, 1}},
						 upper[][2] = {{1, 0}, {0, 1}}, diagonal[][2] = {{1, 1}};
	sheaf_tensor t = {.rank = 2, .shape = {5, 5}, .order = {0, 1}}, to = t;
	to.sorted = to.unique = true;
	check_refusal(SHEAF_DATA, "a.x: expected each position once, found (1,2) twice",
	              small_list(t, SHEAF_F64, false, twice, 3), &to, SHEAF_DUPLICATES_ERROR);
	to.sorted = false;
	check_refusal(SHEAF_DATA, "found (1,2) twice", small_list(t, SHEAF_F64, false, twice, 3), &to,
	              SHEAF_DUPLICATES_ERROR);
	t.sorted = true;
	check_refusal(SHEAF_DATA,
	              "a.x: expected entries in the order that the file promises, found (1,1) after (2,0)",
	              small_list(t, SHEAF_F64, false, back, 3), &t, SHEAF_DUPLICATES_ERROR);
	t.structure = SHEAF_SYMMETRIC_LOWER;
	check_refusal(SHEAF_DATA, "a.x: entry (0,1): expected it in the lower triangle, found it in the upper",
	              small_list(t, SHEAF_F64, false, upper, 2), &to, SHEAF_DUPLICATES_ERROR);
	t.structure = SHEAF_SKEW_SYMMETRIC_LOWER;
	check_refusal(SHEAF_UNSUPPORTED,
	              "expected values with a sign, since the matrix is skew_symmetric_lower, found uint8",
	              small_list(t, SHEAF_U8, false, upper, 1), &to, SHEAF_DUPLICATES_ERROR);
	check_refusal(SHEAF_DATA,
	              "entry (1,1): expected 0 on the diagonal of a skew_symmetric_lower matrix, found 1",
	              small_list(t, SHEAF_I8, false, diagonal, 1), &to, SHEAF_DUPLICATES_ERROR);
	t.structure = SHEAF_HERMITIAN_LOWER;
	check_refusal(SHEAF_UNSUPPORTED,
	              "expected complex values, since the matrix is hermitian_lower, found float64",
	              small_list(t, SHEAF_F64, false, upper, 1), &to, SHEAF_DUPLICATES_ERROR);
	check_refusal(SHEAF_DATA,
	              "expected a real number on the diagonal of a hermitian_lower matrix, found [1,1]",
	              small_list(t, SHEAF_F64, true, diagonal, 1), &to, SHEAF_DUPLICATES_ERROR);
	to.structure = SHEAF_SYMMETRIC_LOWER;
	check_refusal(
		SHEAF_UNSUPPORTED,
		"expected a structure that a hermitian_lower matrix can have, found symmetric_lower; expand it",
		small_list(t, SHEAF_F64, true, diagonal, 1), &to, SHEAF_DUPLICATES_ERROR);
	to.structure = SHEAF_GENERAL;
	t.structure = SHEAF_SYMMETRIC_UPPER;
	t.shape[1] = to.shape[1] = 6;
	check_refusal(SHEAF_DATA, "expected a square matrix, since it is symmetric_upper",
	              small_list(t, SHEAF_F64, false, upper, 1), &to, SHEAF_DUPLICATES_ERROR);
	t.structure = SHEAF_GENERAL;
	t.shape[0] = to.shape[0] = t.shape[1] = to.shape[1] = 1 << 20;
	to.sorted = to.dense = true;
	check_refusal(SHEAF_LIMIT, "found 1099511627776 positions of 8 bytes",
	              small_list(t, SHEAF_F64, false, upper, 1), &to, SHEAF_DUPLICATES_ERROR);
	t.shape[0] = to.shape[0] = t.shape[1] = to.shape[1] = (int64_t)1 << 40;
	check_refusal(SHEAF_LIMIT, "expected fewer positions than 2^63",
	              small_list(t, SHEAF_F64, false, upper, 1), &to, SHEAF_DUPLICATES_ERROR);
}

static void test_sums_that_do_not_fit(void **state)
{
	(void)state;
	sheaf_tensor t = {.rank = 2, .shape = {2, 2}, .order = {0, 1}};
	list l = {.tensor = t, .type = SHEAF_I8};
	for (int i = 0; i < 2; i++) append_entry(&l, &(entry){.at = {1, 0}, .value = {100, 0}});
	check_refusal(SHEAF_DATA, "entry (1,0): expected a sum that fits int8, found one that does not", l, &t,
	              SHEAF_DUPLICATES_SUM);
}

/* A dense tensor's zeros are entries of a dense one, and of a sparse one only where they are asked for. */
static void test_fill_is_dropped(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_tensor t = {.rank = 1,
	                  .shape = {4},
	                  .sorted = true,
	                  .unique = true,
	                  .dense = true,
	                  .has_fill = true},
				 to = t;
	list l = {.tensor = t, .type = SHEAF_U8};
	sheaf_frame out;
	l.tensor.fill[0] = to.fill[0] = 7;
	for (int i = 0; i < 4; i++) append_entry(&l, &(entry){.at = {i}, .value = {i % 2 ? 7 : 0, 0}});
	to.dense = false;
	sheaf_arrange_options options = {.drop_fill = true};
	assert_ok(arrange(&l, &to, &options, 3, cx, &out));
	assert_int_equal(out.nrows, 2);
	assert_true(number_at(&out.columns[0], 1) == 2 && number_at(&out.columns[1], 1) == 0);
	sheaf_frame_free(&out);
	to.fill[0] = 0; /* what the output says is dropped, and nothing else */
	assert_ok(arrange(&l, &to, &options, 3, cx, &out));
	assert_int_equal(out.nrows, 2);
	assert_true(number_at(&out.columns[0], 0) == 1 && number_at(&out.columns[1], 0) == 7);
	sheaf_frame_free(&out);
	assert_ok(arrange(&l, &to, NULL, 3, cx, &out));
	assert_list(&l, &out);
	sheaf_frame_free(&out);
	free(l.entries);
	end_context(cx);
}

/* A writer reports before the first entry which values it cannot store. */
static void test_values_that_are_no_numbers(void **state)
{
	(void)state;
	static const int64_t shape[] = {2, 2};
	sheaf_context *cx = usual_context();
	sheaf_schema schema = {0};
	sheaf_field *value;
	sheaf_writer *writer;
	sheaf_sink *sink;
	bytes_sink out = {0};
	sheaf_create_options options = {.size = sizeof options, .format = "matrixmarket"};
	assert_ok(sheaf_schema_make_entries(&schema, cx, (sheaf_dimensions){2, shape}, &value, &err));
	sheaf_field_make_cell(value, SHEAF_DATETIME, SHEAF_I64, 1, false);
	assert_ok(sheaf_sink_function(write_bytes, &out, "out", cx, &sink, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_create_sink(sink, &schema, &options, cx, &writer, &err));
	assert_message("\"value\": expected numbers, complex numbers or truth values");
	assert_int_equal(out.size, 0);
	sheaf_schema_free(&schema);
	end_context(cx);
	/* a false entry, which a pattern would make true */
	cx = usual_context();
	sheaf_frame_builder *b;
	sheaf_frame frame;
	schema = (sheaf_schema){.cx = cx};
	sheaf_tensor pattern = {.rank = 2, .shape = {2, 2}, .order = {0, 1}, .iso = true};
	assert_ok(sheaf_schema_add_entries(&schema, &pattern, SHEAF_BOOL, SHEAF_U8, &err));
	assert_ok(sheaf_sink_function(write_bytes, &out, "out", cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, &schema, &options, cx, &writer, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	for (int c = 0; c < 3; c++) sheaf_build_integer(b, c, 0);
	sheaf_build_row(b);
	assert_ok(sheaf_frame_builder_take(b, &frame, &err));
	assert_ok(sheaf_write(writer, &frame, &err));
	assert_status(SHEAF_LOSS, sheaf_finish(writer, &err));
	assert_message("false entry in a pattern (1)");
	sheaf_frame_builder_free(b);
	sheaf_frame_free(&frame);
	free_bytes(&out);
	sheaf_schema_free(&schema);
	end_context(cx);
}

/* What an arranger is not made for, and what comes after its end. */
static void test_arrangers_that_cannot_be(void **state)
{
	(void)state;
	static const int64_t shape[] = {2, 2};
	static const sheaf_tensor to = {.rank = 2, .shape = {2, 2}, .order = {0, 1}, .sorted = true};
	static const struct {
		sheaf_meaning meaning;
		sheaf_type type;
		bool nullable;
		sheaf_tensor to;
		sheaf_status status;
		const char *told;
	} cases[] = {
		{SHEAF_NUMBER,
	     SHEAF_F64,
	     false,
	     {.rank = 1, .shape = {2}},
	     SHEAF_USAGE,
	     "expected the same rank and shape"},
		{SHEAF_NUMBER,
	     SHEAF_F64,
	     false,
	     {.rank = 2, .shape = {2, 3}, .order = {0, 1}},
	     SHEAF_USAGE,
	     "expected the same rank and shape"},
		{SHEAF_DATETIME, SHEAF_I64, false, to, SHEAF_UNSUPPORTED,
	     "expected values that are one number each, none missing, found column \"value\""},
		{SHEAF_NUMBER, SHEAF_F64, true, to, SHEAF_UNSUPPORTED, "none missing, found column \"value\""},
	};
	sheaf_context *cx = usual_context();
	sheaf_arranger *a;
	sheaf_field *value;
	sheaf_frame beyond = {0};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_schema schema = {0};
		assert_ok(sheaf_schema_make_entries(&schema, cx, (sheaf_dimensions){2, shape}, &value, &err));
		sheaf_field_make_cell(value, cases[i].meaning, cases[i].type, 1, cases[i].nullable);
		assert_status(cases[i].status, sheaf_arranger_new(&schema, &cases[i].to, NULL, cx, &a, &err));
		assert_message(cases[i].told);
		sheaf_schema_free(&schema);
	}
	table cells = stream_table(cx, "x", false, 1, SHEAF_F32, "1");
	assert_status(SHEAF_USAGE, sheaf_arranger_new(&cells.schema, &to, NULL, cx, &a, &err));
	assert_message("expected entries of a tensor: a coordinate for each dimension");
	free_table(&cells);
	sheaf_schema schema = {0};
	assert_ok(sheaf_schema_make_entries(&schema, cx, (sheaf_dimensions){2, shape}, &value, &err));
	assert_ok(sheaf_arranger_new(&schema, &to, NULL, cx, &a, &err));
	assert_ok(sheaf_frame_begin(&beyond, &schema, cx, &err));
	beyond.nrows = 1;
	for (int c = 0; c < 3; c++) {
		sheaf_builder b;
		sheaf_builder_begin(&b, cx, NULL);
		put_number(&b, schema.fields[c].type, c); /* at (0,1): within; the next is not */
		assert_ok(sheaf_builder_finish(&b, &beyond.columns[c].values, &err));
	}
	assert_ok(sheaf_arranger_add(a, &beyond, &err));
	memset((void *)beyond.columns[1].values.data, 2, 1);
	assert_status(SHEAF_DATA, sheaf_arranger_add(a, &beyond, &err));
	assert_message("dimension \"j\": expected coordinates below 2, found 2");
	assert_ok(sheaf_arranger_finish(a, &err));
	assert_status(SHEAF_USAGE, sheaf_arranger_add(a, &beyond, &err));
	assert_message("expected no entries after the end");
	sheaf_frame_free(&beyond);
	sheaf_arranger_free(a);
	sheaf_schema_free(&schema);
	end_context(cx);
}

/* Whichever allocation fails, nothing is left behind. */
static void test_failing_allocations(void **state)
{
	(void)state;
	seed_random(5);
	for (int64_t fail_at = 1;; fail_at++) {
		allocator memory = {0};
		sheaf_context_options options = options_with(&memory);
		options.threads = 1;
		options.max_memory = 256 << 10;
		sheaf_context *cx = context_with(&options), *wide = usual_context();
		list l = {.tensor = {.rank = 2, .shape = {1000, 1000}}, .type = SHEAF_F64};
		sheaf_schema schema;
		sheaf_frame frame;
		sheaf_arranger *a;
		const sheaf_frame *ready;
		sheaf_tensor to = l.tensor;
		to.sorted = true, to.order[1] = 1;
		for (int64_t i = 0; i < 9000; i++)
			append_entry(&l, &(entry){.at = {random_below(1000), random_below(1000)}});
		make_schema(&l, wide, &schema);
		make_frame(&l, &schema, 0, l.n, wide, &frame);
		memory.fail_at = memory.calls + fail_at;
		sheaf_status status = sheaf_arranger_new(&schema, &to, NULL, cx, &a, &err);
		if (status == SHEAF_OK) status = sheaf_arranger_add(a, &frame, &err);
		if (status == SHEAF_OK) status = sheaf_arranger_finish(a, &err);
		while (status == SHEAF_OK) status = sheaf_arranger_next(a, &ready, &err);
		assert_true(status == SHEAF_END || status == SHEAF_NOMEM);
		sheaf_arranger_free(a);
		bool through = memory.calls < memory.fail_at;
		end_context(cx);
		sheaf_frame_free(&frame);
		sheaf_schema_free(&schema);
		free(l.entries);
		end_context(wide);
		if (through) break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_huge_shapes),
		cmocka_unit_test(test_more_than_memory),
		cmocka_unit_test(test_spilled_repeats),
		cmocka_unit_test(test_structures),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_sums_that_do_not_fit),
		cmocka_unit_test(test_fill_is_dropped),
		cmocka_unit_test(test_values_that_are_no_numbers),
		cmocka_unit_test(test_arrangers_that_cannot_be),
		cmocka_unit_test(test_failing_allocations),
	};
	return cmocka_run_group_tests_name("tensors", tests, NULL, NULL);
}
