/* SPDX-License-Identifier: MIT */
/* Runs of entries: written, merged into fewer runs, merged into the result. A run is sorted, and lies in the
 * spool in segments, keys first, so that one read brings the keys and the values of many entries:
 *
 *     run 0: keys values | keys values | ...   run 1: keys values | ...
 *
 * Each run that is being merged has a head, with one segment in memory. So the number of runs that can be
 * merged at a time is what memory holds of segments; if there are more, groups are merged first. */
#include "sparse/sort/runs.h"
#include "base/context.h"
#include "base/memory.h"
#include <string.h>

typedef struct sheaf_entry_head {
	int64_t number; /* number of the run: of entries with the same key, those of the first run come first */
	sheaf_entry_run left; /* the part that is not read yet */
	uint8_t *buffer;
	int64_t next, n;
} head;

static size_t entry_size(const sheaf_runs *r) { return r->key_size + r->value_size; }

static size_t segment_bytes(const sheaf_runs *r) { return (size_t)r->segment * entry_size(r); }

/* Segments are so large that memory holds GOOD_FAN of them, but within bounds; the fan is how many it really
 * holds. */
sheaf_status sheaf_runs_open(sheaf_runs *r, const sheaf_key_order *order, size_t value_size, int64_t memory,
                             sheaf_context *cx, sheaf_error *err)
{
	enum { LEAST = 16, MOST = 4096, LEAST_FAN = 4, GOOD_FAN = 32 };
	*r = (sheaf_runs){.cx = cx, .order = order, .value_size = value_size, .spool.fd = -1};
	r->key_size = (size_t)order->words * sizeof(uint64_t);
	int64_t fitting = memory / GOOD_FAN / (int64_t)entry_size(r);
	r->segment = fitting < LEAST ? LEAST : fitting > MOST ? MOST : fitting;
	r->fan = memory / (int64_t)segment_bytes(r);
	if (r->fan < LEAST_FAN) r->fan = LEAST_FAN;
	SHEAF_TRY(sheaf_reallocate(cx, &r->batch, 0, segment_bytes(r), err));
	return sheaf_spool_open(&r->spool, cx, err);
}

static void close_heads(sheaf_runs *r)
{
	for (int64_t h = 0; h < r->nheads; h++) sheaf_release(r->cx, r->heads[h].buffer, segment_bytes(r));
	sheaf_release(r->cx, r->heads, (size_t)r->nheads * sizeof *r->heads);
	sheaf_release(r->cx, r->ranked, (size_t)r->nheads * sizeof *r->ranked);
	r->heads = NULL;
	r->ranked = NULL;
	r->nheads = r->left = 0;
}

void sheaf_runs_close(sheaf_runs *r)
{
	if (!r->cx) return;
	close_heads(r);
	sheaf_release(r->cx, r->batch, segment_bytes(r));
	sheaf_release(r->cx, r->runs, (size_t)r->room * sizeof *r->runs);
	sheaf_spool_close(&r->spool);
	*r = (sheaf_runs){0};
}

/* ---- writing a run ---- */

static uint8_t *keys_in(const sheaf_runs *r, uint8_t *segment, int64_t at)
{
	return segment + (size_t)at * r->key_size;
}

/* Values of a segment of n entries. */
static uint8_t *values_in(const sheaf_runs *r, uint8_t *segment, int64_t n, int64_t at)
{
	return segment + (size_t)n * r->key_size + (size_t)at * r->value_size;
}

/* Writes the batch as the next segment of a run, at the end of the spool. In memory values have their place
 * after room for a whole segment of keys; in the file they come right after the keys, so that a short segment
 * takes no more than its bytes. */
static sheaf_status flush(sheaf_runs *r, sheaf_entry_run *run, sheaf_error *err)
{
	int64_t n = r->batch_n;
	if (n == 0) return SHEAF_OK;
	memmove(values_in(r, r->batch, n, 0), values_in(r, r->batch, r->segment, 0), (size_t)n * r->value_size);
	SHEAF_TRY(sheaf_spool_append(&r->spool, r->batch, (size_t)n * entry_size(r), err));
	run->n += n;
	r->batch_n = 0;
	return SHEAF_OK;
}

/* Appends entries to the batch, and writes it to the newest run whenever it is a whole segment. */
static sheaf_status put(sheaf_runs *r, const sheaf_keyed *entries, sheaf_error *err)
{
	for (int64_t from = 0, n; from < entries->n; from += n) {
		n = r->segment - r->batch_n;
		if (n > entries->n - from) n = entries->n - from;
		memcpy(keys_in(r, r->batch, r->batch_n), (const uint8_t *)entries->keys + (size_t)from * r->key_size,
		       (size_t)n * r->key_size);
		if (r->value_size)
			memcpy(values_in(r, r->batch, r->segment, r->batch_n),
			       entries->values + (size_t)from * r->value_size, (size_t)n * r->value_size);
		r->batch_n += n;
		if (r->batch_n == r->segment) SHEAF_TRY(flush(r, &r->runs[r->nruns - 1], err));
	}
	return SHEAF_OK;
}

/* The new run begins where the spool ends: only one is written at a time. */
sheaf_status sheaf_runs_add(sheaf_runs *r, sheaf_entry_sorter *sorter, sheaf_error *err)
{
	enum { FIRST = 16 };
	sheaf_keyed entries;
	sheaf_status status;
	if (r->nruns == r->room) {
		int64_t room = r->room ? r->room * 2 : FIRST;
		SHEAF_TRY(sheaf_reallocate(r->cx, &r->runs, (size_t)r->room * sizeof *r->runs,
		                           (size_t)room * sizeof *r->runs, err));
		r->room = room;
	}
	r->runs[r->nruns++] = (sheaf_entry_run){.at = r->spool.size};
	while ((status = sheaf_entry_sorter_next(sorter, &entries, err)) == SHEAF_OK)
		SHEAF_TRY(put(r, &entries, err));
	return status == SHEAF_END ? flush(r, &r->runs[r->nruns - 1], err) : status;
}

/* ---- heads ---- */

/* Reads the next segment of a run into its head. All segments but the last are whole. At the end of the run
 * the head gets none: n is 0. */
static sheaf_status refill(const sheaf_runs *r, head *h, sheaf_error *err)
{
	int64_t n = h->left.n < r->segment ? h->left.n : r->segment;
	h->next = 0;
	h->n = n;
	SHEAF_TRY(sheaf_spool_read(&r->spool, h->left.at, h->buffer, (size_t)n * entry_size(r), err));
	h->left.at += n * (int64_t)entry_size(r);
	h->left.n -= n;
	return SHEAF_OK;
}

static const uint64_t *key_of(const sheaf_runs *r, const head *h)
{
	return (const uint64_t *)(const void *)keys_in(r, h->buffer, h->next);
}

/* Puts what decides first between heads beside the pointer to one, so that most comparisons need not follow
 * it: the bits of the key that are sorted by. Keys of several words have 0 there, and are compared in full;
 * entries that are in order already have 0, too, and come run by run. */
static void rank_first(const sheaf_runs *r, sheaf_ranked_head *one)
{
	const sheaf_key_order *k = r->order;
	one->first = k->words > 1 || sheaf_key_order_is_done(k) ? 0 : *key_of(r, one->head) >> k->loose;
}

/* Whether the next entry of head a comes before that of head b. Equal keys are decided by the numbers of
 * runs: what was added first comes first. */
static bool is_less(const sheaf_runs *r, const sheaf_ranked_head *a, const sheaf_ranked_head *b)
{
	const sheaf_key_order *k = r->order;
	int order = 0;
	if (a->first != b->first) return a->first < b->first;
	if (k->words > 1 && !sheaf_key_order_is_done(k))
		order = sheaf_key_order_compare(k, key_of(r, a->head), key_of(r, b->head));
	return order ? order < 0 : a->head->number < b->head->number;
}

/* Lets the head at `i` sink to its place: the first entry of all is at ranked[0]. */
static void sift_down(sheaf_runs *r, int64_t i)
{
	sheaf_ranked_head *all = r->ranked, moved = all[i];
	for (;;) {
		int64_t child = 2 * i + 1;
		if (child >= r->left) break;
		if (child + 1 < r->left && is_less(r, &all[child + 1], &all[child])) child++;
		if (!is_less(r, &all[child], &moved)) break;
		all[i] = all[child];
		i = child;
	}
	all[i] = moved;
}

/* Gives each run a head with its first segment, and makes a heap of them. What can be released is set before
 * each step that may fail, so that close_heads is right afterwards. */
static sheaf_status open_heads(sheaf_runs *r, const sheaf_entry_run *runs, int64_t n, sheaf_error *err)
{
	void *memory;
	close_heads(r);
	SHEAF_TRY(sheaf_allocate_array(r->cx, (uint64_t)n, sizeof *r->heads, &memory, err));
	r->heads = (head *)memory;
	r->nheads = n;
	SHEAF_TRY(sheaf_allocate_array(r->cx, (uint64_t)n, sizeof *r->ranked, &memory, err));
	r->ranked = (sheaf_ranked_head *)memory;
	for (int64_t h = 0; h < n; h++) {
		memory = NULL;
		SHEAF_TRY(sheaf_reallocate(r->cx, &memory, 0, segment_bytes(r), err));
		r->heads[h] = (head){.number = h, .left = runs[h], .buffer = (uint8_t *)memory};
		SHEAF_TRY(refill(r, &r->heads[h], err));
		r->ranked[h].head = &r->heads[h];
		rank_first(r, &r->ranked[h]);
	}
	r->left = n;
	for (int64_t i = n / 2; i-- > 0;) sift_down(r, i);
	return SHEAF_OK;
}

/* Copies a key or a value. The usual size is a constant for the compiler, so that it needs no call. */
static void copy(uint8_t *to, const uint8_t *from, size_t size)
{
	if (size == sizeof(uint64_t))
		memcpy(to, from, sizeof(uint64_t));
	else
		memcpy(to, from, size);
}

/* Fills the batch with the next entries of all runs, in order: the first of the heap, again and again. A head
 * that has given its last entry leaves the heap, and the last head takes its place before it sinks. */
static sheaf_status merge_batch(sheaf_runs *r, sheaf_error *err)
{
	r->batch_n = 0;
	while (r->batch_n < r->segment && r->left > 0) {
		head *h = r->ranked[0].head;
		copy(keys_in(r, r->batch, r->batch_n), keys_in(r, h->buffer, h->next), r->key_size);
		copy(values_in(r, r->batch, r->segment, r->batch_n), values_in(r, h->buffer, h->n, h->next),
		     r->value_size);
		r->batch_n++;
		h->next++;
		if (h->next == h->n) SHEAF_TRY(refill(r, h, err));
		if (h->n == 0)
			r->ranked[0] = r->ranked[--r->left];
		else
			rank_first(r, &r->ranked[0]);
		if (r->left > 0) sift_down(r, 0);
	}
	return SHEAF_OK;
}

/* ---- merging ---- */

/* Merges a group of runs into one, at the end of the spool. */
static sheaf_status merge_group(sheaf_runs *r, const sheaf_entry_run *group, int64_t n, sheaf_entry_run *out,
                                sheaf_error *err)
{
	*out = (sheaf_entry_run){.at = r->spool.size};
	SHEAF_TRY(open_heads(r, group, n, err));
	while (r->left > 0) {
		SHEAF_TRY(sheaf_check_stop(r->cx, err));
		SHEAF_TRY(merge_batch(r, err));
		SHEAF_TRY(flush(r, out, err));
	}
	return SHEAF_OK;
}

/* While there are more runs than can be merged at a time, groups of neighbours become one run each, so that
 * runs stay in the order in which they were added. A merged run takes the place of the first ones in the
 * list, which were read by then. */
sheaf_status sheaf_runs_begin(sheaf_runs *r, sheaf_error *err)
{
	r->batch_n = 0;
	while (r->nruns > r->fan) {
		int64_t made = 0;
		for (int64_t from = 0; from < r->nruns; from += r->fan) {
			int64_t n = r->nruns - from < r->fan ? r->nruns - from : r->fan;
			sheaf_entry_run merged;
			SHEAF_TRY(merge_group(r, r->runs + from, n, &merged, err));
			r->runs[made++] = merged;
		}
		r->nruns = made;
	}
	return open_heads(r, r->runs, r->nruns, err);
}

sheaf_status sheaf_runs_next(sheaf_runs *r, sheaf_keyed *out, sheaf_error *err)
{
	*out = (sheaf_keyed){0};
	SHEAF_TRY(sheaf_check_stop(r->cx, err));
	if (r->left == 0) return SHEAF_END;
	SHEAF_TRY(merge_batch(r, err));
	*out = (sheaf_keyed){(const uint64_t *)(const void *)r->batch, values_in(r, r->batch, r->segment, 0),
	                     r->batch_n};
	return SHEAF_OK;
}
