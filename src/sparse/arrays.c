/* SPDX-License-Identifier: MIT */
/* Arrays of whole numbers of any type, by runs and one by one. A format reads its arrays through one
 * function, and everything in this room goes through the two below, so that it does not matter whether an
 * array is in the file, in memory, or not there at all, in which case each of its numbers is 0. */
#include "base/buffer.h"
#include "frame/integers.h"
#include "sparse/sparse.h"
#include <inttypes.h>
#include <stdio.h>

int sheaf_levels_depth(const sheaf_stored_levels *levels, int l)
{
	int depth = 0;
	for (int i = 0; i < l; i++) depth += levels->levels[i].rank;
	return depth;
}

void sheaf_levels_of_lists(sheaf_stored_levels *levels, int rank, bool by_columns)
{
	*levels = (sheaf_stored_levels){.rank = rank, .nlevels = rank};
	for (int k = 0; k < rank; k++) {
		levels->levels[k] = (sheaf_stored_level){.is_sparse = k == rank - 1, .rank = 1};
		levels->order[k] = by_columns ? rank - 1 - k : k;
	}
}

void sheaf_levels_of_coordinates(sheaf_stored_levels *levels, int rank)
{
	*levels = (sheaf_stored_levels){.rank = rank, .nlevels = 1, .levels = {{true, rank}}};
	for (int k = 0; k < rank; k++) levels->order[k] = k;
}

void sheaf_sparse_close(sheaf_sparse *s)
{
	for (int k = 0; k < SHEAF_MAX_RANK; k++) {
		sheaf_buffer_reset(&s->pointers[k].held);
		sheaf_buffer_reset(&s->indices[k].held);
	}
}

/* ---- runs ---- */

/* Reads from memory if the array is held there, from the file otherwise. Held numbers of the wanted type are
 * shared. Those held as I32 are not taken for I64 if there is a file: the file's own may be larger than 32
 * bits, and only it has them. An array that is neither is all zeros. */
sheaf_status sheaf_stored_read(const sheaf_sparse *s, const sheaf_stored_array *a, sheaf_run run,
                               sheaf_type type, sheaf_builder *to, sheaf_error *err)
{
	size_t n = (size_t)sheaf_run_length(run), held = sheaf_type_size(a->held_as);
	if (n == 0) return SHEAF_OK;
	if (a->held.data && (a->held_as == SHEAF_I64 || a->held_as == type || !a->at)) {
		sheaf_buffer part = sheaf_buffer_part(&a->held, (size_t)run.begin * held, n * held);
		if (a->held_as == type)
			sheaf_builder_hold(to, &part);
		else
			sheaf_integers_put(a->held_as, part.data, (int64_t)n, type, to);
		sheaf_buffer_reset(&part);
	} else if (a->at) {
		SHEAF_TRY(s->read(s, a, run, type, to, err));
	} else {
		uint8_t *zeros = sheaf_builder_extend(to, n * sheaf_type_size(type));
		if (zeros) memset(zeros, 0, n * sheaf_type_size(type));
	}
	return sheaf_builder_status(to, err);
}

sheaf_status sheaf_stored_i64(const sheaf_sparse *s, const sheaf_stored_array *a, sheaf_run run,
                              sheaf_context *cx, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, out);
	sheaf_status status = sheaf_stored_read(s, a, run, SHEAF_I64, &b, err);
	if (!status) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}

const char *sheaf_stored_spell(const sheaf_stored_array *a, int64_t number, char text[24])
{
	snprintf(text, 24, a->is_unsigned ? "%" PRIu64 : "%" PRId64, number);
	return text;
}

/* ---- one by one ---- */

void sheaf_sparse_view_close(sheaf_sparse_view *view)
{
	for (int k = 0; k < SHEAF_MAX_RANK; k++) {
		sheaf_buffer_reset(&view->pointers[k].values);
		sheaf_buffer_reset(&view->indices[k].values);
	}
}

/* Gives number `at` of an array through a window, which moves if the number lies outside. Windows begin at
 * multiples of their length, so that moving back and forth around one of their ends reads no more than two.
 * They are at least as long as a chunk, which is read whole anyway. A failed read leaves the window empty. */
sheaf_status sheaf_stored_look(const sheaf_sparse *s, const sheaf_stored_array *a, sheaf_window *window,
                               int64_t at, int64_t *value, sheaf_error *err)
{
	enum { LENGTH = 4096 };
	*value = 0;
	if (a->held.data) *value = sheaf_index_at(a->held.data, a->held_as, at);
	if (a->held.data || !a->at) return SHEAF_OK;
	if (at < window->from || at >= window->to) {
		int64_t length = a->chunk > LENGTH ? a->chunk : LENGTH;
		int64_t from = at / length * length, to = a->count - from < length ? a->count : from + length;
		window->from = window->to = 0;
		SHEAF_TRY(sheaf_stored_i64(s, a, (sheaf_run){from, to}, s->cx, &window->values, err));
		window->from = from;
		window->to = to;
	}
	*value = sheaf_numbers(&window->values)[at - window->from];
	return SHEAF_OK;
}

/* The target is mostly near, so steps from *at on double until one reaches it, and a binary search goes on
 * within the last step: numbers before `low` are below the value, that at `high` is not, or is the end. */
sheaf_status sheaf_stored_search(const sheaf_sparse *s, const sheaf_stored_array *a, sheaf_window *window,
                                 int64_t value, int64_t *at, sheaf_error *err)
{
	int64_t low = *at, high = *at, step = 1, seen;
	while (high < a->count) {
		SHEAF_TRY(sheaf_stored_look(s, a, window, high, &seen, err));
		if (seen >= value) break;
		low = high + 1;
		high = a->count - high > step ? high + step : a->count;
		step = step < INT64_MAX / 2 ? 2 * step : step;
	}
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		SHEAF_TRY(sheaf_stored_look(s, a, window, middle, &seen, err));
		if (seen >= value)
			high = middle;
		else
			low = middle + 1;
	}
	*at = low;
	return SHEAF_OK;
}
