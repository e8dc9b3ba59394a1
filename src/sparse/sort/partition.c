/* SPDX-License-Identifier: MIT */
/* Buckets: counted, then filled. Entries are divided into as many parts as there are threads. Each thread
 * first counts how many entries of its part each bucket gets; from these counts follows where each part has
 * its place in each bucket; then each thread moves its entries there, and no two of them write to the same
 * place. So the outcome does not depend on the number of threads. */
#include "sparse/sort/partition.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/threads/each.h"
#include "number/kernels/stream.h"
#include "sparse/sort/radix.h"
#include <inttypes.h>
#include <string.h>

enum { LANE = 16 /* entries that are written at a time: a cache line of the smallest keys */ };

/* What one thread needs to move entries. */
typedef struct run {
	int shift;
	size_t digits; /* the highest */
	uint64_t mask;
	void *lanes;
	size_t *next;
	const size_t *begins;
	void *keys, *values;
} run;

#define K uint32_t
#define T uint8_t
#define NAME(x) x##_4_1
#include "sparse/sort/partition_template.h"
#define K uint32_t
#define T uint16_t
#define NAME(x) x##_4_2
#include "sparse/sort/partition_template.h"
#define K uint32_t
#define T uint32_t
#define NAME(x) x##_4_4
#include "sparse/sort/partition_template.h"
#define K uint32_t
#define T uint64_t
#define NAME(x) x##_4_8
#include "sparse/sort/partition_template.h"
#define K uint32_t
#define T sheaf_value16
#define NAME(x) x##_4_16
#include "sparse/sort/partition_template.h"
#define K uint64_t
#define T uint8_t
#define NAME(x) x##_8_1
#include "sparse/sort/partition_template.h"
#define K uint64_t
#define T uint16_t
#define NAME(x) x##_8_2
#include "sparse/sort/partition_template.h"
#define K uint64_t
#define T uint32_t
#define NAME(x) x##_8_4
#include "sparse/sort/partition_template.h"
#define K uint64_t
#define T uint64_t
#define NAME(x) x##_8_8
#include "sparse/sort/partition_template.h"
#define K uint64_t
#define T sheaf_value16
#define NAME(x) x##_8_16
#include "sparse/sort/partition_template.h"

typedef struct kind {
	void (*move)(const run *, const uint64_t *, const void *, int64_t);
	void (*flush)(const run *);
	size_t lane_size;
} kind;

#define KIND(k) \
	{ \
		move_##k, flush_##k, sizeof(lane_##k) \
	}

static const kind *kind_of(size_t key_size, size_t value_size)
{
	static const kind kinds[2][5] = {{KIND(4_1), KIND(4_2), KIND(4_4), KIND(4_8), KIND(4_16)},
	                                 {KIND(8_1), KIND(8_2), KIND(8_4), KIND(8_8), KIND(8_16)}};
	return &kinds[key_size / sizeof(uint64_t)][__builtin_ctzll(value_size)];
}

/* ---- parts, one for each thread ---- */

/* The first entry of a part. Parts are equal multiples of the grain; the last also has what is left. */
static int64_t begin_of(const sheaf_partition *b, int64_t part)
{
	int64_t grains = b->n / b->source.grain;
	return part == b->nparts ? b->n : grains / b->nparts * part * b->source.grain;
}

/* Counts the entries of one part in each bucket, on its own thread: `begins` has the counts at first. */
static void count_part(void *user, int64_t part, void *scratch)
{
	sheaf_partition *b = (sheaf_partition *)user;
	size_t *counts = b->begins + part * sheaf_partition_count(b),
		   digits = (size_t)sheaf_partition_count(b) - 1;
	int64_t taken = 1;
	for (int64_t at = begin_of(b, part), end = begin_of(b, part + 1); at < end && taken; at += taken) {
		const uint64_t *keys;
		const void *values;
		taken = b->source.take(b->source.user, at, end, (uint64_t *)scratch, &keys, &values);
		for (int64_t i = 0; i < taken; i++) counts[keys[i] >> b->shift & digits]++;
	}
}

/* Moves the entries of one part into their buckets, on its own thread, and tells the source after each step
 * what has been moved. */
static void move_part(void *user, int64_t part, void *scratch)
{
	const sheaf_partition *b = (const sheaf_partition *)user;
	int64_t count = sheaf_partition_count(b), taken = 1;
	const kind *by = kind_of(b->key_size, b->value_size);
	run r = {b->shift, (size_t)count - 1, b->mask, NULL, b->next + part * count, b->begins + part * count,
	         b->keys,  b->values};
	r.lanes = (uint8_t *)b->lanes + (size_t)(part * count) * by->lane_size;
	for (int64_t at = begin_of(b, part), end = begin_of(b, part + 1); at < end && taken; at += taken) {
		const uint64_t *keys;
		const void *values;
		taken = b->source.take(b->source.user, at, end, (uint64_t *)scratch, &keys, &values);
		by->move(&r, keys, values, taken);
		if (b->source.taken) b->source.taken(b->source.user, at, at + taken);
	}
	by->flush(&r);
	sheaf_stream_end();
}

/* ---- memory ---- */

sheaf_status sheaf_allocate_entries(sheaf_context *cx, int64_t n, size_t size, void *out, sheaf_error *err)
{
	size_t bytes;
	if (!sheaf_mul_size(&bytes, (uint64_t)n, size))
		return sheaf_fail(err, SHEAF_LIMIT, "entries: expected fewer, found %" PRId64, n);
	return bytes ? sheaf_reallocate(cx, out, 0, bytes, err) : SHEAF_OK;
}

static size_t nlists(const sheaf_partition *b)
{
	return (size_t)b->nparts * (size_t)sheaf_partition_count(b);
}

static size_t lane_size(const sheaf_partition *b) { return kind_of(b->key_size, b->value_size)->lane_size; }

static void free_lists(sheaf_partition *b)
{
	sheaf_release(b->cx, b->begins, nlists(b) * sizeof *b->begins);
	sheaf_release(b->cx, b->next, nlists(b) * sizeof *b->next);
	if (b->lanes)
		sheaf_release(b->cx, b->lanes, nlists(b) * lane_size(b)); /* of a kind that is known by then */
	b->begins = NULL, b->next = NULL, b->lanes = NULL;
}

/* Each part is counted on its own thread, then counts become places. */
sheaf_status sheaf_partition_plan(sheaf_partition *b, const sheaf_partition_source *source, int shift,
                                  int bits, sheaf_context *cx, sheaf_error *err)
{
	*b = (sheaf_partition){.cx = cx,
	                       .source = *source,
	                       .value_size = source->value_size,
	                       .n = source->n,
	                       .shift = shift,
	                       .bits = bits,
	                       .nparts = sheaf_context_threads(cx)};
	int64_t count = sheaf_partition_count(b);
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)count + 1, sizeof *b->starts, &b->starts, err));
	SHEAF_TRY(sheaf_allocate_array(cx, nlists(b), sizeof *b->begins, &b->begins, err));
	SHEAF_TRY(sheaf_allocate_array(cx, nlists(b), sizeof *b->next, &b->next, err));
	SHEAF_TRY(sheaf_each(cx, b->nparts, SHEAF_BUCKET_STEP * sizeof(uint64_t), count_part, b, err));
	/* From counts to places: entries of a bucket are in the order of the parts from which they come. */
	size_t sum = 0;
	for (int64_t k = 0; k < count; k++) {
		b->starts[k] = sum;
		for (int part = 0; part < b->nparts; part++) {
			size_t *begin = &b->begins[part * count + k], n = *begin;
			*begin = b->next[part * count + k] = sum;
			sum += n;
		}
	}
	b->starts[count] = sum;
	return SHEAF_OK;
}

sheaf_status sheaf_partition_fill(sheaf_partition *b, int shift, uint64_t mask, sheaf_error *err)
{
	b->shift = shift;
	b->mask = mask;
	b->key_size = mask >> 32 ? sizeof(uint64_t) : sizeof(uint32_t);
	SHEAF_TRY(sheaf_allocate_entries(b->cx, b->n, b->key_size, &b->keys, err));
	SHEAF_TRY(sheaf_allocate_entries(b->cx, b->n, b->value_size, &b->values, err));
	SHEAF_TRY(sheaf_allocate_array(b->cx, nlists(b), lane_size(b), &b->lanes, err));
	SHEAF_TRY(sheaf_each(b->cx, b->nparts, SHEAF_BUCKET_STEP * sizeof(uint64_t), move_part, b, err));
	free_lists(b);
	return SHEAF_OK;
}

void sheaf_partition_free(sheaf_partition *b)
{
	free_lists(b);
	sheaf_release(b->cx, b->starts, ((size_t)sheaf_partition_count(b) + 1) * sizeof *b->starts);
	sheaf_release(b->cx, b->keys, (size_t)b->n * b->key_size);
	sheaf_release(b->cx, b->values, (size_t)b->n * b->value_size);
	*b = (sheaf_partition){0};
}
