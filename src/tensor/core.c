/* SPDX-License-Identifier: MIT */
/* Passes go up and down in turn, and use what they have found themselves: so they follow the order of rows,
 * which in most matrices is that of neighbours, and where there is no such order, each pass reaches several
 * steps far: the first ones find little, but many times what was found before. They end where they find
 * neither much nor twice as much as before. */
#include "tensor/core.h"
#include "base/both.h"
#include "base/memory.h"

enum { PASSES = 16, LITTLE = 16 /* 1 / LITTLE of all slices */ };

static size_t size_of(const sheaf_slices *s) { return sheaf_core_words(s) * sizeof *s->core; }

void sheaf_core_free(sheaf_slices *s)
{
	if (s->core) sheaf_release(s->cx, s->core, size_of(s));
	if (s->done) sheaf_release(s->cx, s->done, size_of(s));
	s->core = s->done = NULL;
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
	uint64_t *found;   /* what passes look for */
	uint64_t *done;    /* found slices that were gone through: all that they lead to is found, too; or NULL */
	bool back, forth;  /* those that lead to what was found; those to which it leads */
	int64_t n;         /* how many were found */
} passes;

static void find(passes *p, int64_t slice)
{
	if (sheaf_bit(p->found, slice)) return;
	sheaf_bit_set(p->found, slice);
	p->n++;
}

/* Whether any of them was found: a few at a time, without branches. */
static bool is_any_found(const passes *p, sheaf_slice_part part)
{
	enum { FEW = 16 };
	uint64_t any = 0;
	for (int64_t k = 0; k < part.n && !any; k += FEW)
		for (int64_t i = k; i < part.n && i < k + FEW; i++) any |= sheaf_bit(p->found, part.others[i]);
	return any;
}

static void find_leading(passes *p, int64_t slice)
{
	sheaf_slice_part part;
	for (int64_t at = sheaf_slice_begin(p->s, slice); at < p->s->all[slice].end; at += part.n) {
		part = sheaf_slices_part(p->s, at, p->s->all[slice].end);
		if (!is_any_found(p, part)) continue;
		find(p, slice);
		return;
	}
}

static void find_led_to(passes *p, int64_t slice)
{
	sheaf_slice_part part;
	sheaf_bit_set(p->done, slice);
	for (int64_t at = sheaf_slice_begin(p->s, slice); at < p->s->all[slice].end; at += part.n) {
		part = sheaf_slices_part(p->s, at, p->s->all[slice].end);
		for (int64_t k = 0; k < part.n; k++) find(p, part.others[k]);
	}
}

static void look(passes *p, int64_t slice)
{
	if (p->back && !sheaf_bit(p->found, slice)) find_leading(p, slice);
	if (p->forth && sheaf_bit(p->found, slice) && !sheaf_bit(p->done, slice)) find_led_to(p, slice);
}

/* Whether there may be anything to look at among the slices of a word. */
static bool is_word_open(const passes *p, int64_t word)
{
	return (p->back && ~p->found[word]) || (p->forth && p->found[word] & ~p->done[word]);
}

static void go_up(passes *p)
{
	for (int64_t k = 0; k < p->s->extent; k++) {
		if (k % SHEAF_CORE_BITS == 0 && !is_word_open(p, k / SHEAF_CORE_BITS))
			k += SHEAF_CORE_BITS - 1;
		else
			look(p, k);
	}
}

static void go_down(passes *p)
{
	for (int64_t k = p->s->extent - 1; k >= 0; k--) {
		if (k % SHEAF_CORE_BITS == SHEAF_CORE_BITS - 1 && !is_word_open(p, k / SHEAF_CORE_BITS))
			k -= SHEAF_CORE_BITS - 1;
		else
			look(p, k);
	}
}

static void go_through(passes *p)
{
	int64_t extent = p->s->extent;
	for (int i = 0; i < PASSES && p->n < extent; i++) {
		int64_t before = p->n;
		(i % 2 ? go_down : go_up)(p);
		if (i > 0 && p->n - before <= extent / LITTLE && p->n < 2 * before) return;
	}
}

/* ---- what they find ---- */

static sheaf_status go_back(void *user, sheaf_error *err)
{
	(void)err;
	go_through(&((passes *)user)[0]);
	return SHEAF_OK;
}

static sheaf_status go_forth(void *user, sheaf_error *err)
{
	(void)err;
	go_through(&((passes *)user)[1]);
	return SHEAF_OK;
}

/* Slices that lead to the first one, and to which it leads. */
static sheaf_status find_strong(sheaf_slices *s, uint64_t *leading, uint64_t *done, sheaf_error *err)
{
	int64_t first = first_of(s);
	passes both[] = {{.s = s, .found = leading, .back = true},
	                 {.s = s, .found = s->core, .done = done, .forth = true}};
	for (int i = 0; i < 2; i++) find(&both[i], first);
	SHEAF_TRY(sheaf_do_both(s->cx, go_back, go_forth, both, err));
	s->ncore = 0;
	for (size_t w = 0; w < sheaf_core_words(s); w++)
		s->ncore += __builtin_popcountll(s->core[w] &= leading[w]);
	return SHEAF_OK;
}

sheaf_status sheaf_core_find(sheaf_slices *s, sheaf_error *err)
{
	uint64_t *leading, *done;
	SHEAF_TRY(begin_bits(s, &s->core, err));
	SHEAF_TRY(begin_bits(s, &leading, err));
	sheaf_status status = begin_bits(s, &done, err);
	if (status == SHEAF_OK) {
		status = find_strong(s, leading, done, err);
		sheaf_release(s->cx, done, size_of(s));
	}
	sheaf_release(s->cx, leading, size_of(s));
	return status;
}

sheaf_status sheaf_core_widen(sheaf_slices *s, sheaf_error *err)
{
	if (!s->core) SHEAF_TRY(begin_bits(s, &s->core, err));
	SHEAF_TRY(begin_bits(s, &s->done, err));
	passes p = {.s = s, .found = s->core, .done = s->done, .back = true, .forth = true, .n = s->ncore};
	if (p.n == 0) find(&p, first_of(s));
	go_through(&p);
	s->ncore = p.n;
	return SHEAF_OK;
}
