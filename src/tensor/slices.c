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
	if (s->value_size == sizeof(double)) /* the usual one: no call */
		memcpy(block->values + (size_t)at * sizeof(double), value, sizeof(double));
	else if (s->value_size)
		memcpy(block->values + (size_t)at * s->value_size, value, s->value_size);
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
 * is what is on the stack above it. What it leads to that has a number is looked at once, when it is met: the
 * rest gets larger numbers. After that one bit says whether there is anything to meet, so that the way back
 * stays in a cache. */
typedef struct step {
	int64_t next, end; /* of what the slice leads to */
	int32_t slice;
	uint32_t number, low; /* the least number that the slice leads to */
} step;

typedef struct search {
	sheaf_slices *s;
	step *path;
	uint32_t *numbers; /* of each slice; `none` before it is met, and once its component is complete */
	int32_t *stack;
	uint64_t *met;
	int32_t on_stack, on_path;
	uint32_t count;
	sheaf_strong *out;
} search;

enum { BITS = 64, NEEDED = sizeof(step) + 2 * sizeof(int32_t) /* of each slice, beside the bits */ };
static const uint32_t none = UINT32_MAX;

static bool is_met(const search *t, int64_t slice) { return t->met[slice / BITS] >> (slice % BITS) & 1; }

/* The least number to which entries lead, without branches: their operands are far away in memory. */
static uint32_t least_of(const search *t, const step *now)
{
	uint32_t least = now->number;
	for (int64_t at = now->next; at < now->end; at++) {
		uint32_t number = t->numbers[sheaf_slices_other(t->s, at)];
		least = number < least ? number : least;
	}
	return least;
}

static void meet(search *t, int32_t slice)
{
	step *now = &t->path[t->on_path++];
	uint32_t number = t->count++;
	*now = (step){sheaf_slice_begin(t->s, slice), t->s->all[slice].end, slice, number, number};
	t->met[slice / BITS] |= UINT64_C(1) << (slice % BITS);
	t->numbers[slice] = number;
	t->stack[t->on_stack++] = slice;
	now->low = least_of(t, now);
}

static void end_component(search *t, int32_t root)
{
	int32_t slice, size = 0;
	do {
		slice = t->stack[--t->on_stack];
		t->numbers[slice] = none;
		size++;
	} while (slice != root);
	t->out->components++;
	if (size > t->out->largest) t->out->largest = size;
}

/* Prefetches what will soon be read on the way back. */
static void fetch_back(const search *t)
{
	enum { SOON = 8 };
	if (t->on_path <= SOON) return;
	int64_t at = t->path[t->on_path - SOON].next;
	if (at < t->s->n)
		__builtin_prefetch(&t->s->blocks[at / SHEAF_SLICE_BLOCK].others[at % SHEAF_SLICE_BLOCK]);
}

/* The next slice to which this one leads and that was not reached yet, or -1. */
static int32_t next_of(const search *t, step *now)
{
	while (now->next < now->end) {
		int64_t other = sheaf_slices_other(t->s, now->next++);
		if (!is_met(t, other)) return (int32_t)other;
	}
	return -1;
}

/* All that a slice leads to. */
static void search_from(search *t, int32_t first)
{
	meet(t, first);
	while (t->on_path) {
		step *now = &t->path[t->on_path - 1];
		int32_t other = next_of(t, now);
		if (other >= 0) {
			meet(t, other);
			continue;
		}
		t->on_path--;
		fetch_back(t);
		if (t->on_path && now->low < now[-1].low) now[-1].low = now->low;
		if (now->low == now->number) end_component(t, now->slice);
	}
}

int64_t sheaf_strong_needs(int64_t extent, int64_t entries)
{
	enum { SLICE = sizeof(sheaf_slice_place) + NEEDED };
	int64_t slices, others, all;
	bool fits = sheaf_mul_i64(&slices, extent, SLICE) &&
	            sheaf_mul_i64(&others, entries, (int64_t)sizeof(int32_t)) &&
	            sheaf_add_i64(&all, slices, others);
	return fits ? all : INT64_MAX;
}

sheaf_status sheaf_slices_connect(sheaf_slices *s, int64_t room, sheaf_strong *out, sheaf_error *err)
{
	void *memory;
	size_t n = (size_t)s->extent, words = n / BITS + 1, size = n * NEEDED + words * sizeof(uint64_t);
	*out = (sheaf_strong){-1, -1, sheaf_strong_needs(s->extent, s->n)};
	if (!s->all || (int64_t)size > room) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(s->cx, size, &memory, err));
	step *path = (step *)memory;
	uint64_t *met = (uint64_t *)(void *)(path + n);
	uint32_t *numbers = (uint32_t *)(void *)(met + words);
	int32_t *stack = (int32_t *)(void *)(numbers + n);
	search t = {.s = s, .path = path, .met = met, .numbers = numbers, .stack = stack, .out = out};
	memset(numbers, 0xff, n * sizeof *numbers);
	out->components = out->largest = 0;
	for (int32_t i = 0; i < s->extent; i++)
		if (!is_met(&t, i) && sheaf_slice_begin(s, i) < s->all[i].end) search_from(&t, i);
	sheaf_release(s->cx, memory, size);
	return SHEAF_OK;
}
