/* SPDX-License-Identifier: MIT */
/* Entries by rows, and by columns: one counting sort in two steps. First entries are parted into buckets of so many rows that what a bucket holds fits a core's own
 * cache, then each bucket is spread over its rows there: a scattered write touches no memory but the cache's. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "data/radix.h"
#include <inttypes.h>
#include <sheaf/tensor.h>
#include <string.h>

enum {
	CHUNK = 1024,           /* entries whose keys are made at a time */
	BUCKET = 48 << 10,      /* entries of a bucket, about */
	MOST_BUCKET_BITS = 11,
	MOST_ROWS_BITS = 16     /* rows of a bucket: their counters are in the cache, too */
};

typedef struct compression {
	sheaf_context *cx;
	/* given */
	int64_t nouter, n, ninner;
	const int32_t *outer, *inner;
	const int64_t *pointers; /* in place of `outer` where entries come by the other dimension: where each of its slices begins */
	const uint8_t *values;
	size_t value_size;
	/* wanted */
	int64_t *to_pointers;
	int32_t *to_inner;
	uint8_t *to_values;
	/* between */
	int nparts, shift;
	int64_t nbuckets;
	size_t *starts;  /* of each bucket in each part: first its count, then where it begins */
	size_t *next;    /* where its next entry goes */
	size_t *buckets; /* where each one begins; one more than there are */
	sheaf_lane *lanes;
	uint64_t *keys;
	uint8_t *moved;
	int64_t group; /* buckets of an item */
	bool bad;
} compression;

typedef struct item {
	int64_t number;
	uint32_t *counts; /* of the rows of a bucket */
	bool bad;
} item;

/* ---- keys: the row in the upper half, the column in the lower ---- */

/* The slice of the other dimension that entry `e` is in. */
static int64_t slice_of(const compression *c, int64_t e)
{
	int64_t low = 0, high = c->ninner;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (c->pointers[middle] <= e)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void make_keys(const compression *c, int64_t from, int64_t n, int64_t *slice, uint64_t *keys)
{
	if (!c->pointers) {
		for (int64_t i = 0; i < n; i++) keys[i] = (uint64_t)(uint32_t)c->outer[from + i] << 32 | (uint32_t)c->inner[from + i];
		return;
	}
	for (int64_t i = 0; i < n;) {
		while (c->pointers[*slice + 1] <= from + i) ++*slice;
		int64_t end = c->pointers[*slice + 1] - from < n ? c->pointers[*slice + 1] - from : n;
		for (; i < end; i++) keys[i] = (uint64_t)(uint32_t)c->outer[from + i] << 32 | (uint64_t)*slice;
	}
}

/* ---- steps ---- */

static int64_t part_begin(const compression *c, int64_t part) { return c->n / c->nparts * part; }

static int64_t part_end(const compression *c, int64_t part) { return part + 1 == c->nparts ? c->n : part_begin(c, part + 1); }

static void count_part(void *user, void *memory)
{
	compression *c = (compression *)user;
	item *i = (item *)memory;
	size_t *counts = c->starts + i->number * c->nbuckets;
	uint32_t bad = 0, extent = (uint32_t)c->nouter;
	for (int64_t e = part_begin(c, i->number); e < part_end(c, i->number); e++) {
		uint32_t row = (uint32_t)c->outer[e];
		bad |= row >= extent;
		counts[row >= extent ? 0 : row >> c->shift]++;
	}
	i->bad = bad != 0;
}

static void move_part(void *user, void *memory)
{
	compression *c = (compression *)user;
	const item *i = (const item *)memory;
	uint64_t keys[CHUNK];
	size_t *starts = c->starts + i->number * c->nbuckets, *next = c->next + i->number * c->nbuckets;
	sheaf_lane *lanes = c->lanes + i->number * c->nbuckets;
	int64_t from = part_begin(c, i->number), end = part_end(c, i->number), slice = c->pointers && from < end ? slice_of(c, from) : 0;
	for (; from < end; from += CHUNK) {
		int64_t n = end - from < CHUNK ? end - from : CHUNK;
		make_keys(c, from, n, &slice, keys);
		sheaf_radix_partition(keys, c->values + (size_t)from * c->value_size, c->value_size, (size_t)n, 32 + c->shift, UINT64_MAX >> (32 + c->shift), lanes, next,
		                      starts, c->keys, c->moved);
	}
	sheaf_radix_flush((size_t)c->nbuckets, c->value_size, lanes, next, starts, c->keys, c->moved);
}

#define SPREAD(T) \
	for (size_t e = begin; e < end; e++) { \
		uint64_t key = c->keys[e]; \
		size_t at = begin + counts[(key >> 32) - first]++; \
		c->to_inner[at] = (int32_t)(uint32_t)key; \
		((T *)(void *)c->to_values)[at] = ((const T *)(const void *)c->moved)[e]; \
	}

typedef struct wide {
	uint64_t words[2];
} wide;

static void spread_values(const compression *c, size_t begin, size_t end, uint64_t first, uint32_t *counts)
{
	switch (c->value_size) {
	case 1: SPREAD(uint8_t) break;
	case 2: SPREAD(uint16_t) break;
	case 4: SPREAD(uint32_t) break;
	case 8: SPREAD(uint64_t) break;
	default: SPREAD(wide)
	}
}

static void spread_bucket(compression *c, int64_t bucket, uint32_t *counts)
{
	size_t begin = c->buckets[bucket], end = c->buckets[bucket + 1], rows = (size_t)1 << c->shift;
	uint64_t first = (uint64_t)bucket << c->shift;
	uint32_t sum = 0;
	memset(counts, 0, rows * sizeof *counts);
	for (size_t e = begin; e < end; e++) counts[(c->keys[e] >> 32) - first]++;
	for (size_t r = 0; r < rows; r++) {
		uint32_t count = counts[r];
		counts[r] = sum;
		if (first + r < (uint64_t)c->nouter) c->to_pointers[first + r] = (int64_t)(begin + sum);
		sum += count;
	}
	spread_values(c, begin, end, first, counts);
}

static void spread_group(void *user, void *memory)
{
	compression *c = (compression *)user;
	const item *i = (const item *)memory;
	int64_t end = (i->number + 1) * c->group < c->nbuckets ? (i->number + 1) * c->group : c->nbuckets;
	for (int64_t b = i->number * c->group; b < end; b++) spread_bucket(c, b, i->counts);
}

/* ---- doing them ---- */

static void drop(void *user, void *memory)
{
	const compression *c = (const compression *)user;
	item *i = (item *)memory;
	if (i->counts) sheaf_release(c->cx, i->counts, sizeof *i->counts << c->shift);
}

static sheaf_status settle_first(compression *c, sheaf_pipeline *p)
{
	const item *i = (const item *)sheaf_pipeline_first(p);
	c->bad = c->bad || i->bad;
	sheaf_pipeline_pass(p);
	return SHEAF_OK;
}

static sheaf_status submit(compression *c, sheaf_pipeline *p, int64_t number, bool counters, sheaf_error *err)
{
	item *i;
	void *memory;
	SHEAF_TRY(sheaf_check_stop(c->cx, err));
	while (!(i = (item *)sheaf_pipeline_free_item(p))) SHEAF_TRY(settle_first(c, p));
	if (counters && !i->counts) {
		SHEAF_TRY(sheaf_allocate_array(c->cx, (size_t)1 << c->shift, sizeof *i->counts, &memory, err));
		i->counts = (uint32_t *)memory;
	}
	i->number = number;
	i->bad = false;
	sheaf_pipeline_submit(p);
	return SHEAF_OK;
}

static sheaf_status do_all(compression *c, int64_t items, bool counters, void (*work)(void *, void *), sheaf_error *err)
{
	sheaf_pipeline p = {0};
	int threads = sheaf_context_threads(c->cx);
	SHEAF_TRY(sheaf_pipeline_open(&p, c->cx, sizeof(item), threads > 1 ? threads + 1 : 1, (sheaf_pipeline_steps){work, NULL, drop, c}, err));
	sheaf_status status = SHEAF_OK;
	for (int64_t number = 0; number < items && status == SHEAF_OK; number++) status = submit(c, &p, number, counters, err);
	while (status == SHEAF_OK && sheaf_pipeline_count(&p) > 0) status = settle_first(c, &p);
	sheaf_pipeline_close(&p);
	return status;
}

/* From counts to places: entries of a bucket stand in the order of the parts that they come from. */
static void place_buckets(compression *c)
{
	size_t sum = 0;
	for (int64_t b = 0; b < c->nbuckets; b++) {
		c->buckets[b] = sum;
		for (int part = 0; part < c->nparts; part++) {
			size_t *start = &c->starts[part * c->nbuckets + b], count = *start;
			*start = c->next[part * c->nbuckets + b] = sum;
			sum += count;
		}
	}
	c->buckets[c->nbuckets] = sum;
	c->to_pointers[c->nouter] = c->n;
}

static sheaf_status run(compression *c, sheaf_error *err)
{
	SHEAF_TRY(do_all(c, c->nparts, false, count_part, err));
	if (c->bad) return sheaf_fail(err, SHEAF_DATA, "entries: expected coordinates from 0 to %" PRId64 ", found others", c->nouter - 1);
	place_buckets(c);
	SHEAF_TRY(do_all(c, c->nparts, false, move_part, err));
	return do_all(c, (c->nbuckets + c->group - 1) / c->group, true, spread_group, err);
}

static void plan(compression *c)
{
	enum { GROUPS = 8 /* of each thread, so that none waits long for another */ };
	int row_bits = 0, bits = 0, threads = sheaf_context_threads(c->cx);
	while (c->nouter > (int64_t)1 << row_bits) row_bits++;
	while (bits < row_bits && ((bits < MOST_BUCKET_BITS && c->n >> bits > BUCKET) || row_bits - bits > MOST_ROWS_BITS)) bits++;
	c->shift = row_bits - bits;
	c->nbuckets = (c->nouter >> c->shift) + 1;
	c->nparts = threads;
	c->group = c->nbuckets / ((int64_t)threads * GROUPS) + 1;
}

static sheaf_status allocate(compression *c, sheaf_error *err)
{
	void *memory;
	size_t lists = (size_t)c->nparts * (size_t)c->nbuckets;
	SHEAF_TRY(sheaf_allocate_array(c->cx, lists, sizeof *c->starts, &memory, err));
	c->starts = (size_t *)memory;
	SHEAF_TRY(sheaf_allocate_array(c->cx, lists, sizeof *c->next, &memory, err));
	c->next = (size_t *)memory;
	SHEAF_TRY(sheaf_allocate_array(c->cx, lists, sizeof *c->lanes, &memory, err));
	c->lanes = (sheaf_lane *)memory;
	SHEAF_TRY(sheaf_allocate_array(c->cx, (size_t)c->nbuckets + 1, sizeof *c->buckets, &memory, err));
	c->buckets = (size_t *)memory;
	memory = NULL;
	if (c->n) SHEAF_TRY(sheaf_reallocate(c->cx, &memory, 0, (size_t)c->n * sizeof *c->keys, err));
	c->keys = (uint64_t *)memory;
	memory = NULL;
	if (c->n) SHEAF_TRY(sheaf_reallocate(c->cx, &memory, 0, (size_t)c->n * c->value_size, err));
	c->moved = (uint8_t *)memory;
	return SHEAF_OK;
}

static void release(compression *c)
{
	size_t lists = (size_t)c->nparts * (size_t)c->nbuckets;
	if (c->starts) sheaf_release(c->cx, c->starts, lists * sizeof *c->starts);
	if (c->next) sheaf_release(c->cx, c->next, lists * sizeof *c->next);
	if (c->lanes) sheaf_release(c->cx, c->lanes, lists * sizeof *c->lanes);
	if (c->buckets) sheaf_release(c->cx, c->buckets, ((size_t)c->nbuckets + 1) * sizeof *c->buckets);
	if (c->keys) sheaf_release(c->cx, c->keys, (size_t)c->n * sizeof *c->keys);
	if (c->moved) sheaf_release(c->cx, c->moved, (size_t)c->n * c->value_size);
}

static sheaf_status compress(compression *c, sheaf_error *err)
{
	bool size = c->value_size && c->value_size <= SHEAF_WIDEST_VALUE && (c->value_size & (c->value_size - 1)) == 0;
	if (!size || c->n < 0 || c->nouter < 0 || c->nouter > INT32_MAX || c->ninner > INT32_MAX)
		return sheaf_fail(err, SHEAF_USAGE, "entries: expected values of 1, 2, 4, 8 or 16 bytes and extents below 2^31, found others");
	plan(c);
	sheaf_status status = allocate(c, err);
	if (status == SHEAF_OK) status = run(c, err);
	release(c);
	return status;
}

sheaf_status sheaf_compress_entries(const sheaf_entry_arrays *from, int64_t nrows, sheaf_context *cx, const sheaf_compressed_arrays *to, sheaf_error *err)
{
	compression c = {.cx = cx, .nouter = nrows, .n = from->n, .outer = from->rows, .inner = from->columns, .values = (const uint8_t *)from->values};
	c.value_size = from->value_size;
	c.to_pointers = to->pointers, c.to_inner = to->indices, c.to_values = (uint8_t *)to->values;
	return compress(&c, err);
}

sheaf_status sheaf_transpose_compressed(const sheaf_compressed_arrays *from, int64_t nrows, int64_t ncolumns, sheaf_context *cx, const sheaf_compressed_arrays *to,
                                        sheaf_error *err)
{
	compression c = {.cx = cx, .nouter = ncolumns, .ninner = nrows, .n = nrows > 0 ? from->pointers[nrows] : 0, .outer = from->indices, .pointers = from->pointers};
	c.values = (const uint8_t *)from->values;
	c.value_size = from->value_size;
	c.to_pointers = to->pointers, c.to_inner = to->indices, c.to_values = (uint8_t *)to->values;
	return compress(&c, err);
}
