/* SPDX-License-Identifier: MIT */
/* Entries in memory: blocks, buckets, and the order in them.
 *
 *     added         blocks of keys and values, filled one after the other
 *     sort          few entries are copied into one bucket; many are partitioned by the upper bits of their
 *                   keys; keys of several words are sorted at once
 *     next          buckets in order, each sorted by the lower bits on some thread before its turn
 *
 * Every step keeps entries with equal keys in the order in which they were added: duplicates are merged in
 * that order later, whatever the number of threads. */
#include "sparse/sort/entry_sorter.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "sparse/sort/partition.h"
#include "sparse/sort/radix.h"
#include <string.h>

/* A bucket that is sorted by some thread. */
typedef struct item {
	sheaf_entry_sorter *p;
	int64_t bucket;
	void *spare;
	size_t spare_size;
	sheaf_status status;
	sheaf_error error;
} item;

static size_t entry_size(const sheaf_entry_sorter *p) { return p->key_size + p->value_size; }

void sheaf_entry_sorter_begin(sheaf_entry_sorter *p, const sheaf_key_order *order, size_t value_size,
                              int64_t room, sheaf_context *cx)
{
	*p = (sheaf_entry_sorter){.cx = cx, .order = order, .value_size = value_size, .room = room};
	p->key_size = (size_t)order->words * sizeof(uint64_t);
}

/* ---- adding ---- */

static uint64_t *keys_of(const sheaf_entry_sorter *p, int64_t block)
{
	return (uint64_t *)(void *)p->blocks[block];
}

static uint8_t *values_of(const sheaf_entry_sorter *p, int64_t block)
{
	return p->blocks[block] + (size_t)p->room * p->key_size;
}

/* All blocks but the last are full. */
static int64_t used_in(const sheaf_entry_sorter *p, int64_t block)
{
	return block + 1 < p->nblocks ? p->room : p->n - block * p->room;
}

/* Blocks do not move when another is added; only the list of their addresses grows. */
sheaf_status sheaf_entry_sorter_room(sheaf_entry_sorter *p, uint64_t **keys, uint8_t **values, int64_t *room,
                                     sheaf_error *err)
{
	enum { FIRST = 16 };
	if (p->n == p->nblocks * p->room) {
		if (p->nblocks == p->blocks_room) {
			int64_t more = p->blocks_room ? p->blocks_room * 2 : FIRST;
			SHEAF_TRY(sheaf_reallocate(p->cx, &p->blocks, (size_t)p->blocks_room * sizeof *p->blocks,
			                           (size_t)more * sizeof *p->blocks, err));
			p->blocks_room = more;
		}
		p->blocks[p->nblocks] = NULL;
		SHEAF_TRY(sheaf_allocate_entries(p->cx, p->room, entry_size(p), &p->blocks[p->nblocks], err));
		p->nblocks++;
	}
	int64_t used = used_in(p, p->nblocks - 1);
	*keys = keys_of(p, p->nblocks - 1) + used * p->order->words;
	*values = values_of(p, p->nblocks - 1) + (size_t)used * p->value_size;
	*room = p->room - used;
	return SHEAF_OK;
}

/* Notes in which bits keys differ from the first one: sorting leaves out the upper bits in which none does.
 */
void sheaf_entry_sorter_added(sheaf_entry_sorter *p, int64_t n)
{
	int words = p->order->words;
	const uint64_t *keys = n ? keys_of(p, p->nblocks - 1) + used_in(p, p->nblocks - 1) * words : NULL;
	if (p->n == 0 && n) p->first = keys[0];
	uint64_t differ = p->differ;
	for (int64_t i = 0; i < n; i++) differ |= keys[i * words] ^ p->first;
	p->differ = differ;
	p->n += n;
}

int64_t sheaf_entry_sorter_bytes(const sheaf_entry_sorter *p) { return p->n * (int64_t)entry_size(p); }

/* ---- from blocks into buckets ---- */

static void free_block(sheaf_entry_sorter *p, int64_t block)
{
	sheaf_release(p->cx, p->blocks[block], (size_t)p->room * entry_size(p));
	p->blocks[block] = NULL;
}

static void free_blocks(sheaf_entry_sorter *p)
{
	for (int64_t b = 0; b < p->nblocks; b++) free_block(p, b);
	sheaf_release(p->cx, p->blocks, (size_t)p->blocks_room * sizeof *p->blocks);
	p->blocks = NULL;
	p->nblocks = p->blocks_room = 0;
}

/* Room for one bucket of all entries. */
static sheaf_status allocate_bucket(sheaf_entry_sorter *p, sheaf_error *err)
{
	p->nbuckets = 1;
	p->sorted_n = p->n;
	SHEAF_TRY(sheaf_allocate_array(p->cx, 2, sizeof *p->starts, &p->starts, err));
	p->starts[1] = (size_t)p->n;
	SHEAF_TRY(sheaf_allocate_array(p->cx, 1, sizeof *p->done, &p->done, err));
	SHEAF_TRY(sheaf_allocate_entries(p->cx, p->n, p->key_size, &p->keys, err));
	return sheaf_allocate_entries(p->cx, p->n, p->value_size, &p->values, err);
}

/* Copies all blocks into the one bucket. Each is freed as soon as it is copied, so that entries take their
 * memory twice only in part. */
static void copy_blocks(sheaf_entry_sorter *p)
{
	int64_t at = 0;
	for (int64_t b = 0; b < p->nblocks; b++) {
		int64_t n = used_in(p, b);
		memcpy((uint8_t *)p->keys + (size_t)at * p->key_size, keys_of(p, b), (size_t)n * p->key_size);
		if (p->value_size)
			memcpy(p->values + (size_t)at * p->value_size, values_of(p, b), (size_t)n * p->value_size);
		at += n;
		free_block(p, b);
	}
}

/* Gives the partition one block at a time, as it is: the grain is a block, so that a thread gets whole ones.
 */
static int64_t take_block(void *user, int64_t from, int64_t to, uint64_t *room, const uint64_t **keys,
                          const void **values)
{
	const sheaf_entry_sorter *p = (const sheaf_entry_sorter *)user;
	int64_t block = from / p->room, n = used_in(p, block);
	(void)to, (void)room;
	*keys = keys_of(p, block);
	*values = values_of(p, block);
	return n;
}

/* Frees a block after the partition has moved its entries. */
static void free_taken(void *user, int64_t from, int64_t to)
{
	sheaf_entry_sorter *p = (sheaf_entry_sorter *)user;
	(void)to;
	free_block(p, from / p->room);
}

/* Partitions the blocks by the `bits` bits below bit `top`, above which all keys are the same. The sorter
 * then owns the memory of the buckets, which are in order among each other, and not yet in themselves. */
static sheaf_status part(sheaf_entry_sorter *p, int bits, int top, sheaf_error *err)
{
	sheaf_partition_source source = {p->n, p->room, p->value_size, take_block, free_taken, p};
	sheaf_partition parts;
	p->high = top - bits;
	sheaf_status status = sheaf_partition_plan(&parts, &source, p->high, bits, p->cx, err);
	if (!status) status = sheaf_partition_fill(&parts, p->high, UINT64_MAX, err);
	if (!status)
		status = sheaf_allocate_array(p->cx, (uint64_t)sheaf_partition_count(&parts), sizeof *p->done,
		                              &p->done, err);
	if (status) {
		sheaf_partition_free(&parts);
		return status;
	}
	p->nbuckets = sheaf_partition_count(&parts);
	p->sorted_n = p->n;
	p->keys = (uint64_t *)parts.keys, p->values = parts.values, p->starts = parts.starts;
	return SHEAF_OK;
}

/* ---- keys of several words ---- */

/* Brings the numbers of entries into the order of word w of their keys, keeping the order of equal ones. The
 * arrays are in and out: *keys gets that word of each entry, and if the sorted ones end in the spare arrays,
 * the pointers are exchanged. Words that come in order are left alone. */
static void sort_by_word(const sheaf_entry_sorter *p, int w, uint64_t **keys, uint64_t **numbers,
                         uint64_t **spare_keys, uint64_t **spare_numbers)
{
	uint64_t differ = 0, before = 0;
	bool sorted = true;
	for (int64_t i = 0; i < p->n; i++) {
		int64_t entry = (int64_t)(*numbers)[i];
		uint64_t word = keys_of(p, entry / p->room)[entry % p->room * p->order->words + w];
		sorted &= word >= before;
		before = (*keys)[i] = word;
		differ |= word ^ **keys;
	}
	if (sorted) return;
	int high = 64 - __builtin_clzll((unsigned long long)differ);
	sheaf_pairs entries = {*keys, *numbers}, spare = {*spare_keys, *spare_numbers};
	if (!sheaf_radix_sort(entries, spare, sizeof **numbers, (size_t)p->n, 0, high)) return;
	uint64_t *k = *keys, *v = *numbers;
	*keys = *spare_keys, *numbers = *spare_numbers;
	*spare_keys = k, *spare_numbers = v;
}

/* Keys of several words are too long to be moved in each pass: numbers of entries are sorted by one word
 * after the other, from the last to the first, and then each entry is moved once. */
static sheaf_status sort_words(sheaf_entry_sorter *p, sheaf_error *err)
{
	uint64_t *memory = NULL;
	size_t n = (size_t)p->n;
	SHEAF_TRY(allocate_bucket(p, err));
	SHEAF_TRY(sheaf_allocate_entries(p->cx, p->n, 4 * sizeof *memory, &memory, err));
	uint64_t *keys = memory, *numbers = keys + n, *spare_keys = keys + 2 * n, *spare_numbers = keys + 3 * n;
	for (size_t i = 0; i < n; i++) numbers[i] = i;
	for (int w = p->order->words - 1; w >= 0; w--)
		sort_by_word(p, w, &keys, &numbers, &spare_keys, &spare_numbers);
	for (size_t i = 0; i < n; i++) {
		int64_t entry = (int64_t)numbers[i], block = entry / p->room, at = entry % p->room;
		memcpy((uint8_t *)p->keys + i * p->key_size, keys_of(p, block) + at * p->order->words, p->key_size);
		if (p->value_size)
			memcpy(p->values + i * p->value_size, values_of(p, block) + (size_t)at * p->value_size,
			       p->value_size);
	}
	p->done[0] = true;
	sheaf_release(p->cx, memory, n * 4 * sizeof *memory);
	return SHEAF_OK;
}

/* ---- each bucket in its turn ---- */

static int64_t bucket_size(const sheaf_entry_sorter *p, int64_t bucket)
{
	return (int64_t)(p->starts[bucket + 1] - p->starts[bucket]);
}

/* NULL where entries have no values. */
static uint8_t *bucket_values(const sheaf_entry_sorter *p, int64_t bucket)
{
	return p->values ? p->values + p->starts[bucket] * p->value_size : NULL;
}

static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	if (i->spare) sheaf_release(i->p->cx, i->spare, i->spare_size); /* an unused item has no sorter */
	i->spare = NULL;
	i->spare_size = 0;
}

static bool in_order(const uint64_t *keys, size_t n, int low)
{
	for (size_t i = 1; i < n; i++)
		if (keys[i - 1] >> low > keys[i] >> low) return false;
	return true;
}

/* Sorts one bucket in its place by the bits from `loose` up to `high`, above which its keys are the same,
 * unless it is in order already. The item keeps the spare room that this takes for its next bucket. */
static sheaf_status sort_bucket(item *i, sheaf_error *err)
{
	sheaf_entry_sorter *p = i->p;
	size_t n = (size_t)bucket_size(p, i->bucket), size = n * entry_size(p);
	uint64_t *keys = p->keys + p->starts[i->bucket];
	uint8_t *values = bucket_values(p, i->bucket);
	int low = p->order->loose;
	if (p->done[i->bucket] || low >= p->high || in_order(keys, n, low)) return SHEAF_OK;
	if (n > SHEAF_RADIX_MOST)
		return sheaf_fail(
			err, SHEAF_LIMIT,
			"entries: expected at most %d that are sorted at a time, found %zu; give less memory",
			SHEAF_RADIX_MOST, n);
	if (i->spare_size < size) {
		drop(NULL, i);
		SHEAF_TRY(sheaf_reallocate(p->cx, &i->spare, 0, size, err));
		i->spare_size = size;
	}
	uint64_t *spare_keys = (uint64_t *)i->spare;
	uint8_t *spare_values = (uint8_t *)i->spare + n * p->key_size;
	sheaf_pairs entries = {keys, values}, spare = {spare_keys, spare_values};
	if (!sheaf_radix_sort(entries, spare, p->value_size, n, low, p->high)) return SHEAF_OK;
	memcpy(keys, spare_keys, n * p->key_size);
	if (p->value_size) memcpy(values, spare_values, n * p->value_size);
	return SHEAF_OK;
}

static void work(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	i->status = sort_bucket(i, &i->error);
}

/* Waits for the first bucket that was submitted, and gives its number. If it failed for want of memory, the
 * pipeline is held, which means that items are no longer worked on ahead; the spare rooms of all are
 * released, and the bucket is sorted here, as is each one from then on. */
static sheaf_status settle_first(sheaf_entry_sorter *p, int64_t *bucket, sheaf_error *err)
{
	item *i = (item *)sheaf_pipeline_first(&p->pipeline);
	if (sheaf_is_of_memory(i->status) && !p->pipeline.held) {
		sheaf_pipeline_hold(&p->pipeline);
		for (int64_t n = 0; n < p->pipeline.depth; n++) drop(NULL, sheaf_pipeline_item(&p->pipeline, n));
		i->status = sort_bucket(i, &i->error);
	}
	if (i->status && err) *err = i->error;
	SHEAF_TRY(i->status);
	*bucket = i->bucket;
	p->done[*bucket] = true;
	if (p->pipeline.held) drop(NULL, i);
	sheaf_pipeline_pass(&p->pipeline);
	return SHEAF_OK;
}

/* As many buckets as there are threads are sorted ahead of their turn. */
sheaf_status sheaf_entry_sorter_next(sheaf_entry_sorter *p, sheaf_keyed *out, sheaf_error *err)
{
	item *i;
	int64_t bucket;
	*out = (sheaf_keyed){0};
	SHEAF_TRY(sheaf_check_stop(p->cx, err));
	for (; p->submitted < p->nbuckets && (i = (item *)sheaf_pipeline_free_item(&p->pipeline));
	     p->submitted++) {
		if (bucket_size(p, p->submitted) == 0) continue;
		i->p = p;
		i->bucket = p->submitted;
		sheaf_pipeline_submit(&p->pipeline);
	}
	if (sheaf_pipeline_count(&p->pipeline) == 0) return SHEAF_END;
	SHEAF_TRY(settle_first(p, &bucket, err));
	*out = (sheaf_keyed){p->keys + p->starts[bucket] * (size_t)p->order->words, bucket_values(p, bucket),
	                     bucket_size(p, bucket)};
	return SHEAF_OK;
}

sheaf_status sheaf_entry_sorter_next_block(sheaf_entry_sorter *p, sheaf_keyed *out, sheaf_error *err)
{
	*out = (sheaf_keyed){0};
	SHEAF_TRY(sheaf_check_stop(p->cx, err));
	if (p->submitted == p->nblocks) return SHEAF_END;
	int64_t block = p->submitted++;
	*out = (sheaf_keyed){keys_of(p, block), values_of(p, block), used_in(p, block)};
	return SHEAF_OK;
}

/* Chooses the way: keys of several words by words, many entries by buckets, few in one bucket. The upper bits
 * in which all keys are the same, and the loose ones in whose order entries come, are not sorted by. There
 * are twice as many buckets with each bit, until one has about SHEAF_BUCKET_ENTRIES. Keys are sorted within
 * their bucket only when it is about to be given. */
sheaf_status sheaf_entry_sorter_sort(sheaf_entry_sorter *p, sheaf_error *err)
{
	int top = p->differ ? 64 - __builtin_clzll((unsigned long long)p->differ) : 0, bits = 0;
	int threads = sheaf_context_threads(p->cx);
	bool sorted = sheaf_key_order_is_done(p->order), by_words = p->order->words > 1 && !sorted;
	while (!sorted && !by_words && bits < SHEAF_BUCKET_BITS && bits < top - p->order->loose &&
	       p->n >> bits > SHEAF_BUCKET_ENTRIES)
		bits++;
	if (by_words) {
		SHEAF_TRY(sort_words(p, err));
	} else if (bits) {
		SHEAF_TRY(part(p, bits, top, err));
	} else {
		SHEAF_TRY(allocate_bucket(p, err));
		copy_blocks(p);
		p->high = sorted ? p->order->loose : top;
		p->done[0] = sorted;
	}
	free_blocks(p);
	return sheaf_pipeline_open(&p->pipeline, p->cx, sizeof(item), threads > 1 ? threads + 1 : 1,
	                           (sheaf_pipeline_steps){work, NULL, drop, p}, err);
}

/* Buckets that are being sorted are waited for first. A failure there is put off: the bucket is not done, and
 * is sorted again in its turn. */
void sheaf_entry_sorter_rewind(sheaf_entry_sorter *p)
{
	int64_t bucket;
	while (sheaf_pipeline_count(&p->pipeline) > 0)
		if (sheaf_put_off(settle_first(p, &bucket, NULL), "the bucket's turn")) break;
	p->submitted = 0;
}

void sheaf_entry_sorter_clear(sheaf_entry_sorter *p)
{
	sheaf_pipeline_close(&p->pipeline);
	free_blocks(p);
	size_t n = (size_t)p->sorted_n;
	sheaf_release(p->cx, p->keys, n * p->key_size);
	sheaf_release(p->cx, p->values, n * p->value_size);
	sheaf_release(p->cx, p->starts, ((size_t)p->nbuckets + 1) * sizeof *p->starts);
	sheaf_release(p->cx, p->done, (size_t)p->nbuckets * sizeof *p->done);
	p->keys = NULL, p->values = NULL, p->starts = NULL, p->done = NULL;
	p->n = p->sorted_n = p->nbuckets = p->submitted = 0;
	p->differ = 0;
}
