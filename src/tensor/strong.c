/* SPDX-License-Identifier: MIT */
/* Strongly connected components. */
#include "base/checked.h"
#include "base/memory.h"
#include "tensor/core.h"
#include <string.h>

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

enum { NEEDED = sizeof(step) + 2 * sizeof(int32_t) /* of each slice, beside the bits */ };
static const uint32_t none = UINT32_MAX;

/* The least number to which entries lead, without branches: their operands are far away in memory. */
static uint32_t least_of(const search *t, const step *now)
{
	uint32_t least = now->number;
	sheaf_slice_part part;
	for (int64_t at = now->next; at < now->end; at += part.n) {
		part = sheaf_slices_part(t->s, at, now->end);
		for (int64_t k = 0; k < part.n; k++) {
			uint32_t number = t->numbers[part.others[k]];
			least = number < least ? number : least;
		}
	}
	return least;
}

static void meet(search *t, int32_t slice)
{
	step *now = &t->path[t->on_path++];
	uint32_t number = t->count++;
	*now = (step){sheaf_slice_begin(t->s, slice), t->s->all[slice].end, slice, number, number};
	sheaf_bit_set(t->met, slice);
	t->numbers[slice] = number;
	t->stack[t->on_stack++] = slice;
	now->low = least_of(t, now);
}

static void count_component(search *t, int64_t size)
{
	t->out->components++;
	if (size > t->out->largest) t->out->largest = size;
}

static void end_component(search *t, int32_t root)
{
	int32_t slice, size = 0;
	do {
		slice = t->stack[--t->on_stack];
		t->numbers[slice] = none;
		size++;
	} while (slice != root);
	count_component(t, size);
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
		int32_t other = sheaf_slices_other(t->s, now->next++);
		if (!sheaf_bit(t->met, other)) return other;
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

static void search_beyond(search *t, int64_t slice)
{
	sheaf_slice_part part;
	for (int64_t at = sheaf_slice_begin(t->s, slice); at < t->s->all[slice].end; at += part.n) {
		part = sheaf_slices_part(t->s, at, t->s->all[slice].end);
		for (int64_t k = 0; k < part.n; k++)
			if (!sheaf_bit(t->met, part.others[k])) search_from(t, part.others[k]);
	}
}

/* The core has the number 0, as if one slice led to all that its slices lead to: whatever leads back to it
 * stays on the stack. */
static void search_from_core(search *t)
{
	const uint64_t *core = t->s->core;
	t->count = 1;
	for (int64_t i = 0; i < t->s->extent; i++)
		if (sheaf_bit(core, i)) t->numbers[i] = 0;
	for (int64_t i = 0; i < t->s->extent; i++)
		if (sheaf_bit(core, i)) search_beyond(t, i);
	count_component(t, t->s->ncore + t->on_stack);
	while (t->on_stack) t->numbers[t->stack[--t->on_stack]] = none;
	for (int64_t i = 0; i < t->s->extent; i++)
		if (sheaf_bit(core, i)) t->numbers[i] = none;
}

static void count_strong(search *t)
{
	const sheaf_slices *s = t->s;
	size_t words = sheaf_core_words(s) * sizeof *t->met;
	t->out->components = t->out->largest = 0;
	memset(t->numbers, 0xff, (size_t)s->extent * sizeof *t->numbers);
	if (s->ncore > 1) {
		memcpy(t->met, s->core, words);
		search_from_core(t);
	} else {
		memset(t->met, 0, words);
	}
	for (int32_t i = 0; i < s->extent; i++)
		if (!sheaf_bit(t->met, i) && sheaf_slice_begin(s, i) < s->all[i].end) search_from(t, i);
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
	void *memory = NULL;
	size_t n = (size_t)s->extent, words = sheaf_core_words(s), size = n * NEEDED + words * sizeof(uint64_t);
	*out = (sheaf_strong){-1, -1, sheaf_strong_needs(s->extent, s->n)};
	if (!s->all || (int64_t)size > room) return SHEAF_OK;
	/* Not zeroed: after a core is found, most of it is never touched. */
	SHEAF_TRY(sheaf_reallocate(s->cx, &memory, 0, size, err));
	step *path = (step *)memory;
	uint64_t *met = (uint64_t *)(void *)(path + n);
	uint32_t *numbers = (uint32_t *)(void *)(met + words);
	int32_t *stack = (int32_t *)(void *)(numbers + n);
	search t = {.s = s, .path = path, .met = met, .numbers = numbers, .stack = stack, .out = out};
	sheaf_status status = sheaf_core_find(s, err);
	if (status == SHEAF_OK) count_strong(&t);
	sheaf_release(s->cx, memory, size);
	return status;
}
