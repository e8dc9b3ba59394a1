/* SPDX-License-Identifier: MIT */
/* Entries in memory: blocks, buckets, and the order in them. */
#include "sparse/sort/entry_sorter.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "sparse/sort/partition.h"
#include "sparse/sort/radix.h"
#include <inttypes.h>
#include <string.h>

typedef struct item {
	sheaf_entry_sorter *p;
	int64_t bucket;
	void *spare;
	size_t spare_size;
	sheaf_status status;
	sheaf_error error;
} item;

static size_t entry_size(const sheaf_entry_sorter *p) { return p->key_size + p->value_size; }

/* Not zeroed: it is written before it is read. */
static sheaf_status allocate_entries(sheaf_entry_sorter *p, int64_t n, size_t size, void **out,
                                     sheaf_error *err)
{
	size_t bytes;
	*out = NULL;
	if (!sheaf_mul_size(&bytes, (uint64_t)n, size))
		return sheaf_fail(err, SHEAF_LIMIT, "entries: expected fewer, found %" PRId64, n);
	return bytes ? sheaf_reallocate(p->cx, out, 0, bytes, err) : SHEAF_OK;
}

sheaf_status sheaf_entry_sorter_begin(sheaf_entry_sorter *p, const sheaf_key_order *order, size_t value_size,
                                      int64_t room, sheaf_context *cx, sheaf_error *err)
{
	(void)err;
	*p = (sheaf_entry_sorter){.cx = cx, .order = order, .value_size = value_size, .room = room};
	p->key_size = (size_t)order->words * sizeof(uint64_t);
	return SHEAF_OK;
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

static int64_t used_in(const sheaf_entry_sorter *p, int64_t block)
{
	return block + 1 < p->nblocks ? p->room : p->n - block * p->room;
}

static sheaf_status grow(sheaf_entry_sorter *p, sheaf_error *err)
{
	enum { FIRST = 16 };
	void *memory = p->blocks;
	if (p->nblocks == p->blocks_room) {
		int64_t room = p->blocks_room ? p->blocks_room * 2 : FIRST;
		SHEAF_TRY(sheaf_reallocate(p->cx, &memory, (size_t)p->blocks_room * sizeof *p->blocks,
		                           (size_t)room * sizeof *p->blocks, err));
		p->blocks = (uint8_t **)memory;
		p->blocks_room = room;
	}
	SHEAF_TRY(allocate_entries(p, p->room, entry_size(p), &memory, err));
	p->blocks[p->nblocks++] = (uint8_t *)memory;
	return SHEAF_OK;
}

sheaf_status sheaf_entry_sorter_room(sheaf_entry_sorter *p, uint64_t **keys, uint8_t **values, int64_t *room,
                                     sheaf_error *err)
{
	if (p->n == p->nblocks * p->room) SHEAF_TRY(grow(p, err));
	int64_t used = used_in(p, p->nblocks - 1);
	*keys = keys_of(p, p->nblocks - 1) + used * p->order->words;
	*values = values_of(p, p->nblocks - 1) + (size_t)used * p->value_size;
	*room = p->room - used;
	return SHEAF_OK;
}

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
	if (p->blocks[block]) sheaf_release(p->cx, p->blocks[block], (size_t)p->room * entry_size(p));
	p->blocks[block] = NULL;
}

static void free_blocks(sheaf_entry_sorter *p)
{
	for (int64_t b = 0; b < p->nblocks; b++) free_block(p, b);
	if (p->blocks) sheaf_release(p->cx, p->blocks, (size_t)p->blocks_room * sizeof *p->blocks);
	p->blocks = NULL;
	p->nblocks = p->blocks_room = 0;
}

static sheaf_status allocate_buckets(sheaf_entry_sorter *p, int64_t n, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(p->cx, (uint64_t)n + 1, sizeof *p->starts, &memory, err));
	p->starts = (size_t *)memory;
	p->nbuckets = n;
	SHEAF_TRY(sheaf_allocate_array(p->cx, (uint64_t)n, sizeof *p->done, &memory, err));
	p->done = (bool *)memory;
	SHEAF_TRY(allocate_entries(p, p->n, p->key_size, &memory, err));
	p->keys = (uint64_t *)memory;
	p->sorted_n = p->n;
	SHEAF_TRY(allocate_entries(p, p->n, p->value_size, &memory, err));
	p->values = (uint8_t *)memory;
	return SHEAF_OK;
}

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
	p->starts[1] = (size_t)p->n;
}

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

static void free_taken(void *user, int64_t from, int64_t to)
{
	sheaf_entry_sorter *p = (sheaf_entry_sorter *)user;
	(void)to;
	free_block(p, from / p->room);
}

static sheaf_status part(sheaf_entry_sorter *p, int bits, int top, sheaf_error *err)
{
	sheaf_partition_source source = {p->n, p->room, p->value_size, take_block, free_taken, p};
	sheaf_partition parts;
	void *memory;
	p->high = top - bits;
	sheaf_status status = sheaf_partition_plan(&parts, &source, p->high, bits, p->cx, err);
	if (!status) status = sheaf_partition_fill(&parts, p->high, UINT64_MAX, err);
	if (!status)
		status = sheaf_allocate_array(p->cx, (uint64_t)sheaf_partition_count(&parts), sizeof *p->done,
		                              &memory, err);
	if (status != SHEAF_OK) {
		sheaf_partition_free(&parts);
		return status;
	}
	p->done = (bool *)memory;
	p->nbuckets = sheaf_partition_count(&parts);
	p->sorted_n = p->n;
	p->keys = (uint64_t *)parts.keys, p->values = parts.values, p->starts = parts.starts;
	return SHEAF_OK;
}

/* ---- keys of several words ---- */

static uint64_t word_of(const sheaf_entry_sorter *p, int64_t entry, int w)
{
	return keys_of(p, entry / p->room)[entry % p->room * p->order->words + w];
}

/* Indices of entries in the order of word `w`, which is the only difference between two calls. */
static void sort_by_word(const sheaf_entry_sorter *p, int w, uint64_t **keys, uint64_t **numbers,
                         uint64_t **spare_keys, uint64_t **spare_numbers)
{
	uint64_t differ = 0, before = 0;
	bool sorted = true;
	for (int64_t i = 0; i < p->n; i++) {
		uint64_t word = word_of(p, (int64_t)(*numbers)[i], w);
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

static void gather(sheaf_entry_sorter *p, const uint64_t *numbers)
{
	for (int64_t i = 0; i < p->n; i++) {
		int64_t entry = (int64_t)numbers[i], block = entry / p->room, at = entry % p->room;
		memcpy((uint8_t *)p->keys + (size_t)i * p->key_size, keys_of(p, block) + at * p->order->words,
		       p->key_size);
		if (p->value_size)
			memcpy(p->values + (size_t)i * p->value_size, values_of(p, block) + (size_t)at * p->value_size,
			       p->value_size);
	}
}

static sheaf_status sort_words(sheaf_entry_sorter *p, sheaf_error *err)
{
	void *memory;
	size_t n = (size_t)p->n;
	SHEAF_TRY(allocate_buckets(p, 1, err));
	p->starts[1] = n;
	SHEAF_TRY(allocate_entries(p, p->n, 4 * sizeof(uint64_t), &memory, err));
	uint64_t *keys = (uint64_t *)memory, *numbers = keys + n, *spare_keys = keys + 2 * n,
			 *spare_numbers = keys + 3 * n;
	for (size_t i = 0; i < n; i++) numbers[i] = i;
	for (int w = p->order->words - 1; w >= 0; w--)
		sort_by_word(p, w, &keys, &numbers, &spare_keys, &spare_numbers);
	gather(p, numbers);
	free_blocks(p);
	p->done[0] = true;
	sheaf_release(p->cx, memory, n * 4 * sizeof(uint64_t));
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

static sheaf_status make_spare(item *i, size_t size, sheaf_error *err)
{
	void *memory = NULL;
	if (i->spare_size >= size) return SHEAF_OK;
	if (i->spare) sheaf_release(i->p->cx, i->spare, i->spare_size);
	i->spare = NULL;
	i->spare_size = 0;
	SHEAF_TRY(sheaf_reallocate(i->p->cx, &memory, 0, size, err));
	i->spare = memory;
	i->spare_size = size;
	return SHEAF_OK;
}

static bool in_order(const uint64_t *keys, size_t n, int low)
{
	for (size_t i = 1; i < n; i++)
		if (keys[i - 1] >> low > keys[i] >> low) return false;
	return true;
}

static sheaf_status sort_bucket(item *i, sheaf_error *err)
{
	sheaf_entry_sorter *p = i->p;
	size_t n = (size_t)bucket_size(p, i->bucket);
	uint64_t *keys = p->keys + p->starts[i->bucket];
	uint8_t *values = bucket_values(p, i->bucket);
	int low = p->order->loose;
	if (p->done[i->bucket] || low >= p->high || in_order(keys, n, low)) return SHEAF_OK;
	if (n > SHEAF_RADIX_MOST)
		return sheaf_fail(
			err, SHEAF_LIMIT,
			"entries: expected at most %d that are sorted at a time, found %zu; give less memory",
			SHEAF_RADIX_MOST, n);
	SHEAF_TRY(make_spare(i, n * entry_size(p), err));
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

static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	if (i->spare) sheaf_release(i->p->cx, i->spare, i->spare_size);
	i->spare = NULL;
	i->spare_size = 0;
}

/* If memory is too small for several buckets at a time, sorts one at a time from now on. */
static sheaf_status sort_alone(sheaf_entry_sorter *p, item *i, sheaf_error *err)
{
	sheaf_pipeline_hold(&p->pipeline);
	for (int64_t n = 0; n < p->pipeline.depth; n++) drop(NULL, sheaf_pipeline_item(&p->pipeline, n));
	return sort_bucket(i, err);
}

static sheaf_status settle_first(sheaf_entry_sorter *p, int64_t *bucket, sheaf_error *err)
{
	item *i = (item *)sheaf_pipeline_first(&p->pipeline);
	if (sheaf_is_of_memory(i->status) && !p->pipeline.held) i->status = sort_alone(p, i, &i->error);
	if (i->status && err) *err = i->error;
	SHEAF_TRY(i->status);
	*bucket = i->bucket;
	p->done[*bucket] = true;
	if (p->pipeline.held) drop(NULL, i);
	sheaf_pipeline_pass(&p->pipeline);
	return SHEAF_OK;
}

static void submit_ahead(sheaf_entry_sorter *p)
{
	item *i;
	while (p->submitted < p->nbuckets && (i = (item *)sheaf_pipeline_free_item(&p->pipeline))) {
		if (bucket_size(p, p->submitted) > 0) {
			i->p = p;
			i->bucket = p->submitted;
			sheaf_pipeline_submit(&p->pipeline);
		}
		p->submitted++;
	}
}

sheaf_status sheaf_entry_sorter_next(sheaf_entry_sorter *p, sheaf_keyed *out, sheaf_error *err)
{
	int64_t bucket;
	*out = (sheaf_keyed){0};
	SHEAF_TRY(sheaf_check_stop(p->cx, err));
	submit_ahead(p);
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

static sheaf_status open_pipeline(sheaf_entry_sorter *p, sheaf_error *err)
{
	int threads = sheaf_context_threads(p->cx);
	return sheaf_pipeline_open(&p->pipeline, p->cx, sizeof(item), threads > 1 ? threads + 1 : 1,
	                           (sheaf_pipeline_steps){work, NULL, drop, p}, err);
}

sheaf_status sheaf_entry_sorter_sort(sheaf_entry_sorter *p, sheaf_error *err)
{
	int top = p->differ ? 64 - __builtin_clzll((unsigned long long)p->differ) : 0, bits = 0;
	bool sorted = sheaf_key_order_is_done(p->order);
	if (p->order->words > 1 && !sorted) {
		SHEAF_TRY(sort_words(p, err));
		return open_pipeline(p, err);
	}
	while (!sorted && bits < SHEAF_BUCKET_BITS && bits < top - p->order->loose &&
	       p->n >> bits > SHEAF_BUCKET_ENTRIES)
		bits++;
	if (bits) {
		SHEAF_TRY(part(p, bits, top, err));
	} else {
		SHEAF_TRY(allocate_buckets(p, 1, err));
		copy_blocks(p);
		p->high = sorted ? p->order->loose : top;
		p->done[0] = sorted;
	}
	free_blocks(p);
	return open_pipeline(p, err);
}

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
	if (p->keys) sheaf_release(p->cx, p->keys, n * p->key_size);
	if (p->values) sheaf_release(p->cx, p->values, n * p->value_size);
	if (p->starts) sheaf_release(p->cx, p->starts, ((size_t)p->nbuckets + 1) * sizeof *p->starts);
	if (p->done) sheaf_release(p->cx, p->done, (size_t)p->nbuckets * sizeof *p->done);
	p->keys = NULL, p->values = NULL, p->starts = NULL, p->done = NULL;
	p->n = p->sorted_n = p->nbuckets = p->submitted = 0;
	p->differ = 0;
}
