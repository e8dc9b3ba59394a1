/* SPDX-License-Identifier: MIT */
/* Passes go up and down in turn, and use what they have found themselves: so they follow the order of rows,
 * which in most matrices is that of neighbours, and where there is no such order, each pass reaches several
 * steps far: the first ones find little, but many times what was found before. They end where they find
 * neither much nor twice as much as before. */
#include "tensor/core.h"
#include "base/memory.h"

enum { PASSES = 16, LITTLE = 16 /* 1 / LITTLE of all slices */ };

static size_t size_of(const sheaf_slices *s) { return sheaf_core_words(s) * sizeof *s->core; }

void sheaf_core_free(sheaf_slices *s)
{
	if (s->core) sheaf_release(s->cx, s->core, size_of(s));
	s->core = NULL;
	s->ncore = 0;
}

static sheaf_status begin_bits(const sheaf_slices *s, uint64_t **out, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(s->cx, size_of(s), &memory, err));
	*out = (uint64_t *)memory;
	return SHEAF_OK;
}

/* The slice that has most entries. */
static int64_t first_of(const sheaf_slices *s)
{
	int64_t most = 0, slice = 0;
	for (int64_t i = 0; i < s->extent; i++) {
		int64_t n = s->all[i].end - sheaf_slice_begin(s, i);
		slice = n > most ? i : slice;
		most = n > most ? n : most;
	}
	return slice;
}

/* ---- passes ---- */

typedef struct passes {
	const sheaf_slices *s;
	uint64_t *found;        /* what passes look for: those that lead to it, or those to which it leads */
	const uint64_t *within; /* only these are looked at; NULL: all */
	uint64_t *done;         /* slices that were gone through, since all that they lead to is found */
	int64_t n;              /* how many were found */
} passes;

static void find(passes *p, int64_t slice)
{
	if (sheaf_bit(p->found, slice) || (p->within && !sheaf_bit(p->within, slice))) return;
	sheaf_bit_set(p->found, slice);
	p->n++;
}

static void find_leading(passes *p, int64_t slice)
{
	if (sheaf_bit(p->found, slice)) return;
	for (int64_t at = sheaf_slice_begin(p->s, slice); at < p->s->all[slice].end; at++)
		if (sheaf_bit(p->found, sheaf_slices_other(p->s, at))) {
			find(p, slice);
			return;
		}
}

static void find_led_to(passes *p, int64_t slice)
{
	if (!sheaf_bit(p->found, slice) || sheaf_bit(p->done, slice)) return;
	sheaf_bit_set(p->done, slice);
	for (int64_t at = sheaf_slice_begin(p->s, slice); at < p->s->all[slice].end; at++)
		find(p, sheaf_slices_other(p->s, at));
}

static void find_both(passes *p, int64_t slice)
{
	find_leading(p, slice);
	find_led_to(p, slice);
}

static void go_through(passes *p, void (*look)(passes *, int64_t))
{
	int64_t extent = p->s->extent;
	for (int i = 0; i < PASSES && p->n < extent; i++) {
		int64_t before = p->n;
		for (int64_t k = 0; k < extent; k++) look(p, i % 2 ? extent - 1 - k : k);
		if (i > 0 && p->n - before <= extent / LITTLE && p->n < 2 * before) return;
	}
}

/* ---- what they find ---- */

/* Slices that lead to the first one; then, of those, the ones to which it leads. */
static void find_strong(sheaf_slices *s, uint64_t *leading, uint64_t *done)
{
	int64_t first = first_of(s);
	passes back = {.s = s, .found = leading},
		   forth = {.s = s, .found = s->core, .within = leading, .done = done};
	find(&back, first);
	go_through(&back, find_leading);
	find(&forth, first);
	go_through(&forth, find_led_to);
	s->ncore = forth.n;
}

sheaf_status sheaf_core_find(sheaf_slices *s, sheaf_error *err)
{
	uint64_t *leading, *done;
	SHEAF_TRY(begin_bits(s, &s->core, err));
	SHEAF_TRY(begin_bits(s, &leading, err));
	sheaf_status status = begin_bits(s, &done, err);
	if (status == SHEAF_OK) {
		find_strong(s, leading, done);
		sheaf_release(s->cx, done, size_of(s));
	}
	sheaf_release(s->cx, leading, size_of(s));
	return status;
}

sheaf_status sheaf_core_widen(sheaf_slices *s, sheaf_error *err)
{
	uint64_t *done;
	if (!s->core) SHEAF_TRY(begin_bits(s, &s->core, err));
	SHEAF_TRY(begin_bits(s, &done, err));
	passes p = {.s = s, .found = s->core, .done = done, .n = s->ncore};
	if (p.n == 0) find(&p, first_of(s));
	go_through(&p, find_both);
	s->ncore = p.n;
	sheaf_release(s->cx, done, size_of(s));
	return SHEAF_OK;
}
