/* SPDX-License-Identifier: MIT */
/* Entries in blocks, so that they are never moved. */
#include "tensor/slices.h"
#include "base/checked.h"
#include "base/memory.h"
#include <string.h>

static size_t slices_size(const sheaf_slices *s) { return (size_t)s->extent * sizeof *s->all; }

static size_t block_size(const sheaf_slices *s)
{
	return SHEAF_SLICE_BLOCK * (sizeof(int32_t) + s->value_size);
}

/* With one block more. */
static int64_t bytes_of(const sheaf_slices *s)
{
	enum { SLICE = 2 * sizeof(int64_t) };
	return (s->extent + 1) * SLICE + (s->nblocks + 1) * (int64_t)block_size(s);
}

sheaf_status sheaf_slices_begin(sheaf_slices *s, int64_t extent, size_t value_size, int64_t room,
                                sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	*s = (sheaf_slices){
		.cx = cx, .extent = extent, .value_size = value_size, .room = room, .slice = -1, .other = -1};
	if (extent >= INT32_MAX || extent < 1 || bytes_of(s) > room) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(cx, slices_size(s), &memory, err));
	s->all = (sheaf_slice_place *)memory;
	return SHEAF_OK;
}

void sheaf_slices_free(sheaf_slices *s)
{
	for (int64_t i = 0; i < s->nblocks; i++) sheaf_release(s->cx, s->blocks[i].others, block_size(s));
	if (s->blocks) sheaf_release(s->cx, s->blocks, (size_t)s->blocks_room * sizeof *s->blocks);
	if (s->all) sheaf_release(s->cx, s->all, slices_size(s));
	*s = (sheaf_slices){0};
}

static sheaf_status grow(sheaf_slices *s, sheaf_error *err)
{
	enum { FIRST = 64 };
	void *memory = s->blocks;
	if (s->nblocks == s->blocks_room) {
		int64_t room = s->blocks_room ? s->blocks_room * 2 : FIRST;
		SHEAF_TRY(sheaf_reallocate(s->cx, &memory, (size_t)s->blocks_room * sizeof *s->blocks,
		                           (size_t)room * sizeof *s->blocks, err));
		s->blocks = (sheaf_slice_block *)memory;
		s->blocks_room = room;
	}
	SHEAF_TRY(sheaf_allocate(s->cx, block_size(s), &memory, err));
	int32_t *others = (int32_t *)memory;
	s->blocks[s->nblocks++] = (sheaf_slice_block){others, (uint8_t *)(others + SHEAF_SLICE_BLOCK)};
	return SHEAF_OK;
}

sheaf_status sheaf_slices_add(sheaf_slices *s, int64_t slice, int64_t other, const void *value, bool *kept,
                              sheaf_error *err)
{
	int64_t at = s->n % SHEAF_SLICE_BLOCK;
	*kept = s->all && (slice > s->slice || (slice == s->slice && other >= s->other));
	if (*kept && at == 0) *kept = bytes_of(s) <= s->room;
	if (!*kept) return SHEAF_OK;
	if (at == 0) SHEAF_TRY(grow(s, err));
	sheaf_slice_block *block = &s->blocks[s->nblocks - 1];
	block->others[at] = (int32_t)other;
	if (s->value_size) memcpy(block->values + (size_t)at * s->value_size, value, s->value_size);
	s->all[slice].end++;
	s->slice = slice;
	s->other = other;
	s->n++;
	return SHEAF_OK;
}

void sheaf_slices_finish(sheaf_slices *s)
{
	for (int64_t i = 1; s->all && i < s->extent; i++) s->all[i].end += s->all[i - 1].end;
	sheaf_slices_rewind(s);
}

void sheaf_slices_rewind(sheaf_slices *s)
{
	for (int64_t i = 0; s->all && i < s->extent; i++) s->all[i].next = sheaf_slice_begin(s, i);
}

/* ---- strongly connected components ---- */

/* Tarjan's: slices are numbered as they are met; one that leads to none before itself ends a component, which
 * is what is on the stack above it. */
typedef struct mark {
	int32_t number; /* from 1, as they are met; 0: not yet; `done` once its component is complete */
	int32_t low;    /* the least number that the slice leads to */
} mark;

typedef struct search {
	sheaf_slices *s;
	mark *marks; /* of each slice */
	int32_t *stack, *path;
	int32_t met, on_stack, on_path;
	sheaf_strong *out;
} search;

enum { TABLES = 4 };
static const int32_t done = INT32_MAX;

/* What the slice leads to first. */
static void fetch_marks(const search *t, int32_t slice)
{
	enum { FIRST = 16 };
	int64_t begin = t->s->all[slice].next, end = t->s->all[slice].end;
	if (end - begin > FIRST) end = begin + FIRST;
	for (int64_t at = begin; at < end; at++) __builtin_prefetch(&t->marks[sheaf_slices_other(t->s, at)]);
}

static void meet(search *t, int32_t slice)
{
	t->marks[slice].number = t->marks[slice].low = ++t->met;
	t->stack[t->on_stack++] = slice;
	t->path[t->on_path++] = slice;
	fetch_marks(t, slice);
}

static void reach(search *t, int32_t slice, int32_t number)
{
	if (number < t->marks[slice].low) t->marks[slice].low = number;
}

static void end_component(search *t, int32_t root)
{
	int32_t slice, size = 0;
	do {
		slice = t->stack[--t->on_stack];
		t->marks[slice].number = done;
		size++;
	} while (slice != root);
	t->out->components++;
	if (size > t->out->largest) t->out->largest = size;
}

/* All that a slice leads to. */
static void search_from(search *t, int32_t first)
{
	meet(t, first);
	while (t->on_path) {
		int32_t slice = t->path[t->on_path - 1];
		sheaf_slice_place *here = &t->s->all[slice];
		if (here->next < here->end) {
			int32_t other = (int32_t)sheaf_slices_other(t->s, here->next++), number = t->marks[other].number;
			if (number == 0)
				meet(t, other);
			else if (number != done)
				reach(t, slice, number);
			continue;
		}
		t->on_path--;
		if (t->on_path) reach(t, t->path[t->on_path - 1], t->marks[slice].low);
		if (t->marks[slice].low == t->marks[slice].number) end_component(t, slice);
	}
}

int64_t sheaf_strong_needs(int64_t extent, int64_t entries)
{
	enum { SLICE = 2 * sizeof(int64_t) + TABLES * sizeof(int32_t) };
	int64_t slices, others, all;
	bool fits = sheaf_mul_i64(&slices, extent, SLICE) &&
	            sheaf_mul_i64(&others, entries, (int64_t)sizeof(int32_t)) &&
	            sheaf_add_i64(&all, slices, others);
	return fits ? all : INT64_MAX;
}

sheaf_status sheaf_slices_connect(sheaf_slices *s, int64_t room, sheaf_strong *out, sheaf_error *err)
{
	void *memory;
	size_t n = (size_t)s->extent;
	*out = (sheaf_strong){-1, -1, sheaf_strong_needs(s->extent, s->n)};
	if (!s->all || s->extent * TABLES * (int64_t)sizeof(int32_t) > room) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(s->cx, n * TABLES, sizeof(int32_t), &memory, err));
	int32_t *tables = (int32_t *)memory;
	search t = {.s = s, .marks = (mark *)memory, .stack = tables + 2 * n, .path = tables + 3 * n, .out = out};
	out->components = out->largest = 0;
	sheaf_slices_rewind(s);
	for (int32_t i = 0; i < s->extent; i++)
		if (t.marks[i].number == 0 && sheaf_slice_begin(s, i) < s->all[i].end) search_from(&t, i);
	sheaf_release(s->cx, memory, n * TABLES * sizeof(int32_t));
	return SHEAF_OK;
}
