/* SPDX-License-Identifier: MIT */
/* Entries by rows, and by columns: a counting sort in two steps. First entries are divided into buckets of as
 * many rows as fit the cache of a core, then each bucket is spread over its rows there: scattered writes
 * touch no memory outside the cache. */
#include "sparse/compress.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/threads/each.h"
#include "number/kernels/stream.h"
#include "sparse/key_layout.h"
#include "sparse/sort/radix.h"
#include <inttypes.h>
#include <string.h>

enum {
	WORD = 32,
	MOST_ROWS_BITS = 16 /* rows of a bucket: their counters are in the cache, too */
};

/* ---- keys ---- */

/* Makes the keys of some entries: the row in the upper bits, the column in the lower `inner_bits`. Called on
 * several threads, in the pass that counts buckets and in the one that fills them. Rows outside of the matrix
 * end everything (0 is returned); of columns it only collects the bits that any of them uses, without waiting
 * for other threads if they have these already. */
static int64_t take_entries(void *user, int64_t from, int64_t to, uint64_t *room, const uint64_t **keys,
                            const void **values)
{
	sheaf_compression *c = (sheaf_compression *)user;
	int64_t n = to - from < SHEAF_BUCKET_STEP ? to - from : SHEAF_BUCKET_STEP;
	uint32_t bad = 0, any = 0, extent = (uint32_t)c->nouter;
	int shift = c->inner_bits;
	for (int64_t i = 0; i < n; i++) {
		uint32_t row = (uint32_t)c->outer[from + i], column = (uint32_t)c->inner[from + i];
		bad |= row >= extent;
		any |= column;
		room[i] = (uint64_t)row << shift | column;
	}
	if (any & ~atomic_load_explicit(&c->any_inner, memory_order_relaxed)) atomic_fetch_or(&c->any_inner, any);
	if (bad) atomic_store(&c->bad, true);
	*keys = room;
	*values = c->values + (size_t)from * c->value_size;
	return bad ? 0 : n;
}

/* Binary search: pointers[low] <= entry holds throughout, and `high` is the first slice that is known to
 * begin after the entry, or the number of slices. */
int64_t sheaf_slice_of(const int64_t *pointers, int64_t slices, int64_t entry)
{
	int64_t low = 0, high = slices;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (pointers[middle] <= entry)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Makes keys like take_entries for entries that come slice by slice, as those of a compressed matrix do:
 * which slice an entry belongs to follows from its place and the pointers. An empty slice has no turn of the
 * inner loop. */
static int64_t take_slices(void *user, int64_t from, int64_t to, uint64_t *room, const uint64_t **keys,
                           const void **values)
{
	sheaf_compression *c = (sheaf_compression *)user;
	int64_t n = to - from < SHEAF_BUCKET_STEP ? to - from : SHEAF_BUCKET_STEP,
			slice = sheaf_slice_of(c->pointers, c->ninner, from);
	uint32_t bad = 0, extent = (uint32_t)c->nouter;
	int shift = c->inner_bits;
	for (int64_t i = 0; i < n; slice++) {
		int64_t end = c->pointers[slice + 1] - from < n ? c->pointers[slice + 1] - from : n;
		for (; i < end; i++) {
			uint32_t row = (uint32_t)c->outer[from + i];
			bad |= row >= extent;
			room[i] = (uint64_t)row << shift | (uint64_t)slice;
		}
	}
	if (bad) atomic_store(&c->bad, true);
	*keys = room;
	*values = c->values + (size_t)from * c->value_size;
	return bad ? 0 : n;
}

/* ---- into buckets ---- */

/* Values are moved as numbers of these sizes. */
static bool is_size_of_value(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static uint64_t low_bits(int bits) { return ((uint64_t)1 << bits) - 1; }

/* Divides entries into buckets of neighbouring rows. Each of the `bits` upper bits of a row number that
 * choose the bucket halves the rows of a bucket. There are as many of these bits as make a bucket fit the
 * cache, and enough that a counter for each row of a bucket fits it, too. Keys are packed more tightly when
 * they are moved, since by then it is known how many bits columns need. */
sheaf_status sheaf_compression_part(sheaf_compression *c, sheaf_error *err)
{
	if (!is_size_of_value(c->value_size) || c->n < 0 || c->nouter < 0 || c->nouter > INT32_MAX ||
	    c->ninner > INT32_MAX)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"entries: expected values of 1, 2, 4, 8 or 16 bytes and extents below 2^31, found others");
	sheaf_partition_source source = {.n = c->n,
	                                 .grain = 1,
	                                 .value_size = c->value_size,
	                                 .take = c->pointers ? take_slices : take_entries,
	                                 .user = c};
	int bits = 0, row_bits = c->nouter ? sheaf_bits_of((uint64_t)c->nouter - 1) : 0;
	while (bits < row_bits && ((bits < SHEAF_BUCKET_BITS && c->n >> bits > SHEAF_BUCKET_ENTRIES) ||
	                           row_bits - bits > MOST_ROWS_BITS))
		bits++;
	c->rows_bits = row_bits - bits;
	c->inner_bits = WORD;
	SHEAF_TRY(sheaf_partition_plan(&c->buckets, &source, WORD + c->rows_bits, bits, c->cx, err));
	if (c->bad)
		return sheaf_fail(err, SHEAF_DATA,
		                  "entries: expected coordinates from 0 to %" PRId64 ", found others", c->nouter - 1);
	for (int64_t b = 0; b < sheaf_partition_count(&c->buckets); b++) {
		size_t n = c->buckets.starts[b + 1] - c->buckets.starts[b];
		if (n > UINT32_MAX) /* they are counted in 32 bits */
			return sheaf_fail(err, SHEAF_LIMIT,
			                  "entries: expected fewer than 2^32 in neighbouring rows, found %zu", n);
	}
	c->inner_bits = sheaf_bits_of(c->pointers ? (uint64_t)c->ninner : c->any_inner);
	return sheaf_partition_fill(&c->buckets, c->inner_bits + c->rows_bits,
	                            low_bits(c->inner_bits + c->rows_bits), err);
}

void sheaf_compression_clear(sheaf_compression *c) { sheaf_partition_free(&c->buckets); }

/* ---- from a bucket to rows ---- */

/* Counts the entries of each row of a bucket; K is the type of keys. */
#define COUNT(K) \
	for (size_t e = begin; e < end; e++) counts[((const K *)b->keys)[e] >> c->inner_bits]++;

static void count(const sheaf_compression *c, size_t begin, size_t end, uint32_t *counts)
{
	const sheaf_partition *b = &c->buckets;
	if (b->key_size == sizeof(uint32_t))
		COUNT(uint32_t)
	else
		COUNT(uint64_t)
}

/* Moves each entry of a bucket to its place: counts[row] says where the next entry of the row goes, and moves
 * on. K and T are the types of keys and values. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define SPREAD(K, T) \
	{ \
		const K *keys = (const K *)b->keys; \
		const T *from = (const T *)(const void *)b->values; \
		T *to = (T *)c->to.values; \
		for (size_t e = begin; e < end; e++) { \
			K key = keys[e]; \
			size_t at = begin + counts[key >> c->inner_bits]++; \
			indices[at] = (int32_t)(key & columns); \
			to[at] = from[e]; \
		} \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

#define SPREAD_EACH(K) \
	switch (c->value_size) { \
	case 1: SPREAD(K, uint8_t) break; \
	case 2: SPREAD(K, uint16_t) break; \
	case 4: SPREAD(K, uint32_t) break; \
	case 8: SPREAD(K, uint64_t) break; \
	default: SPREAD(K, sheaf_value16) \
	}

static void spread(const sheaf_compression *c, size_t begin, size_t end, uint32_t *counts)
{
	const sheaf_partition *b = &c->buckets;
	uint64_t columns = low_bits(c->inner_bits);
	int32_t *indices = c->to.indices;
	if (b->key_size == sizeof(uint32_t))
		SPREAD_EACH(uint32_t)
	else
		SPREAD_EACH(uint64_t)
}

/* While entries are counted, the lines to which they will go are prefetched. */
static void count_and_fetch(const sheaf_compression *c, size_t begin, size_t end, uint32_t *counts)
{
	enum { STEP = 64 };
	for (size_t e = begin; e < end; e += STEP) {
		size_t stop = end - e < STEP ? end : e + STEP;
		sheaf_fetch(c->to.indices + e, (stop - e) * sizeof *c->to.indices);
		sheaf_fetch((uint8_t *)c->to.values + e * c->value_size, (stop - e) * c->value_size);
		count(c, e, stop, counts);
	}
}

/* Brings one bucket into the order of rows, on any thread: entries of each row are counted, which gives where
 * they begin and so the pointers, and then put in their places. The last bucket may have fewer rows than
 * fit. */
static void spread_bucket(void *user, int64_t bucket, void *scratch)
{
	const sheaf_compression *c = (const sheaf_compression *)user;
	size_t begin = c->buckets.starts[bucket], end = c->buckets.starts[bucket + 1],
		   rows = (size_t)1 << c->rows_bits;
	int64_t first = bucket << c->rows_bits;
	uint32_t *counts = (uint32_t *)scratch;
	memset(counts, 0, rows * sizeof *counts);
	count_and_fetch(c, begin, end, counts);
	sheaf_begin_of_each(counts, rows);
	for (size_t r = 0; r < rows && first + (int64_t)r < c->nouter; r++)
		c->to.pointers[first + (int64_t)r] = (int64_t)(begin + counts[r]);
	spread(c, begin, end, counts);
}

static sheaf_status compress(sheaf_compression *c, sheaf_error *err)
{
	sheaf_status status = sheaf_compression_part(c, err);
	if (!status) {
		c->to.pointers[c->nouter] = c->n;
		status = sheaf_each(c->cx, sheaf_partition_count(&c->buckets), sizeof(uint32_t) << c->rows_bits,
		                    spread_bucket, c, err);
	}
	sheaf_compression_clear(c);
	return status;
}

sheaf_status sheaf_check_arrays(const char *function, const sheaf_entry_arrays *from, int64_t nrows,
                                const sheaf_compressed_arrays *to, sheaf_error *err)
{
	if (from->n < 0) return sheaf_out_of_range(function, "a number of entries of at least 0", from->n, err);
	if (nrows < 0) return sheaf_out_of_range(function, "a number of rows of at least 0", nrows, err);
	if (!is_size_of_value(from->value_size) || from->value_size != to->value_size)
		return sheaf_out_of_range(function, "values of 1, 2, 4, 8 or 16 bytes on both sides",
		                          (int64_t)to->value_size, err);
	if (!to->pointers) return sheaf_not_given(function, "room for pointers", err);
	if (from->n == 0) return SHEAF_OK;
	if (!from->rows || !from->columns || !from->values)
		return sheaf_not_given(function, "rows, columns and values of the entries", err);
	return to->indices && to->values ? SHEAF_OK
	                                 : sheaf_not_given(function, "room for indices and values", err);
}

/* A row below the one before ends it: then entries do not come by rows, and *by_rows is false. */
sheaf_status sheaf_row_pointers(const int32_t *rows, int64_t n, int64_t nrows, int64_t *pointers,
                                bool *by_rows, sheaf_error *err)
{
	SHEAF_NEED(pointers, "room for pointers");
	SHEAF_NEED(by_rows, "a place for the outcome");
	SHEAF_EXPECT(n >= 0, "a number of entries of at least 0", n);
	SHEAF_EXPECT(nrows >= 0, "a number of rows of at least 0", nrows);
	if (n > 0) SHEAF_NEED(rows, "rows of the entries");
	*by_rows = false;
	/* Each row up to that of an entry begins at the entry, unless it has a pointer already. */
	int64_t row = -1; /* the last one that has a pointer */
	for (int64_t e = 0; e < n; e++) {
		if (rows[e] < 0 || rows[e] >= nrows)
			return sheaf_fail(err, SHEAF_DATA, "entries: expected rows below %" PRId64 ", found %" PRId32,
			                  nrows, rows[e]);
		if (rows[e] < row) return SHEAF_OK;
		while (row < rows[e]) pointers[++row] = e;
	}
	while (row < nrows) pointers[++row] = n;
	*by_rows = true;
	return SHEAF_OK;
}

sheaf_status sheaf_compress_entries(const sheaf_entry_arrays *from, int64_t nrows, sheaf_context *cx,
                                    const sheaf_compressed_arrays *to, sheaf_error *err)
{
	SHEAF_NEED(from, "entries");
	SHEAF_NEED(to, "a place for the outcome");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_check_arrays(__func__, from, nrows, to, err));
	sheaf_compression c = {.cx = cx,
	                       .nouter = nrows,
	                       .n = from->n,
	                       .outer = from->rows,
	                       .inner = from->columns,
	                       .values = (const uint8_t *)from->values};
	c.value_size = from->value_size;
	c.to = *to;
	return compress(&c, err);
}

sheaf_status sheaf_transpose_compressed(const sheaf_compressed_arrays *from, int64_t nrows, int64_t ncolumns,
                                        sheaf_context *cx, const sheaf_compressed_arrays *to,
                                        sheaf_error *err)
{
	SHEAF_NEED(from, "a matrix");
	SHEAF_NEED(to, "a place for the outcome");
	SHEAF_NEED(cx, "a context");
	SHEAF_EXPECT(nrows >= 0, "a number of rows of at least 0", nrows);
	SHEAF_EXPECT(ncolumns >= 0, "a number of columns of at least 0", ncolumns);
	SHEAF_NEED(from->pointers, "pointers of the matrix");
	SHEAF_NEED(to->pointers, "room for pointers");
	SHEAF_EXPECT(is_size_of_value(from->value_size) && from->value_size == to->value_size,
	             "values of 1, 2, 4, 8 or 16 bytes on both sides", to->value_size);
	if (from->pointers[nrows] > 0) {
		SHEAF_NEED(from->indices && from->values, "indices and values of the matrix");
		SHEAF_NEED(to->indices && to->values, "room for indices and values");
	}
	sheaf_compression c = {.cx = cx,
	                       .nouter = ncolumns,
	                       .ninner = nrows,
	                       .n = nrows > 0 ? from->pointers[nrows] : 0,
	                       .outer = from->indices,
	                       .pointers = from->pointers};
	c.values = (const uint8_t *)from->values;
	c.value_size = from->value_size;
	c.to = *to;
	return compress(&c, err);
}
