/* SPDX-License-Identifier: MIT */
/* Entries by rows, and by columns within each row: buckets of rows are sorted within the cache of a core, in
 * parallel, and then put one after the other, since a bucket may keep fewer entries than it had. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/threads/pipeline.h"
#include "frame/element.h"
#include "number/kernels/stream.h"
#include "sparse/compress.h"
#include "sparse/sort/radix.h"
#include <inttypes.h>
#include <string.h>

enum { WORD = 32, MOST_DIGIT_BITS = 11 };

typedef struct sorted {
	sheaf_compression c;
	int digit_bits; /* of each of the two lower digits of a key; the third has the rest: the bits of the rows,
	                   and `extra` of the columns */
	int extra;
	sheaf_element element;
	sheaf_duplicates duplicates;
	int64_t kept;
	sheaf_status status;
	sheaf_error error;
} sorted;

typedef struct item {
	int64_t bucket;
	size_t n, size;
	uint8_t *memory; /* of `size` bytes: two words and a value for each entry */
	/* results: */
	uint32_t *ends; /* of rows: row r ends at ends[((r + 1) << extra) - 1] */
	uint32_t *columns;
	uint8_t *values;
	sheaf_status status;
	sheaf_error error;
} item;

/* ---- a bucket in order ---- */

static size_t nends(const sorted *s) { return (size_t)1 << (s->c.rows_bits + s->extra); }

#define PUT(T) \
	for (size_t k = 0; k < n; k++) { \
		uint64_t word = words[k]; \
		uint32_t at = starts[word >> shift]++; \
		columns[at] = (uint32_t)(word >> WORD & mask); \
		((T *)to)[at] = ((const T *)from)[(uint32_t)word]; \
	}

/* The last pass of sort_narrow, by the highest digit. A word has the key above and the number of its entry
 * below, which tells where the value is. In ends[] are where each digit's entries begin, and after the pass
 * where they end. */
static void put_sorted(const sorted *s, const item *i, const uint64_t *words, const void *from)
{
	size_t n = i->n;
	uint32_t *starts = i->ends, *columns = i->columns;
	void *to = i->values;
	uint64_t mask = ((uint64_t)1 << s->c.inner_bits) - 1;
	int shift = WORD + 2 * s->digit_bits;
	switch (s->c.value_size) {
	case 1: PUT(uint8_t) break;
	case 2: PUT(uint16_t) break;
	case 4: PUT(uint32_t) break;
	case 8: PUT(uint64_t) break;
	default: PUT(sheaf_value16)
	}
}

/* Sorts a bucket by keys of 32 bits, in three passes, one for each digit of a key, from the lowest. First the
 * entries with each value of each digit are counted, while values are prefetched, then the counts become
 * where those entries begin. In the first two passes a key and the number of its entry, in one word, are
 * moved, and only the last moves columns and values. Passes keep the order of equal digits, so entries of one
 * position stay in the order in which they came. The item's memory has two arrays of words, then the values;
 * the columns take the place of the first array, which the last pass no longer reads. */
static void sort_narrow(const sorted *s, item *i)
{
	enum { STEP = 16 };
	size_t n = i->n, begin = s->c.buckets.starts[i->bucket], size = s->c.value_size;
	const uint32_t *keys = (const uint32_t *)s->c.buckets.keys + begin;
	const uint8_t *from = s->c.buckets.values + begin * size;
	uint64_t *first = (uint64_t *)(void *)i->memory, *second = first + n;
	uint32_t low[1 << MOST_DIGIT_BITS], middle[1 << MOST_DIGIT_BITS], *high = i->ends;
	int bits = s->digit_bits;
	size_t values = (size_t)1 << bits;
	memset(low, 0, values * sizeof *low);
	memset(middle, 0, values * sizeof *middle);
	memset(high, 0, nends(s) * sizeof *high);
	for (size_t k = 0; k < n; k++) {
		uint32_t key = keys[k];
		if (k % STEP == 0) sheaf_fetch(from + k * size, STEP * size);
		low[key & (values - 1)]++;
		middle[key >> bits & (values - 1)]++;
		high[key >> 2 * bits]++;
	}
	sheaf_begin_of_each(low, values);
	sheaf_begin_of_each(middle, values);
	sheaf_begin_of_each(high, nends(s));
	for (size_t k = 0; k < n; k++) first[low[keys[k] & (values - 1)]++] = (uint64_t)keys[k] << WORD | k;
	for (size_t k = 0; k < n; k++) second[middle[first[k] >> (WORD + bits) & (values - 1)]++] = first[k];
	i->columns = (uint32_t *)first;
	i->values = (uint8_t *)(second + n);
	put_sorted(s, i, second, from);
}

/* Sorts a bucket by keys of more than 32 bits: a radix sort moves keys and values together, within the bucket
 * and the item's memory, and columns and the ends of rows are read off the sorted keys afterwards. */
static void sort_wide(const sorted *s, item *i)
{
	const sheaf_compression *c = &s->c;
	size_t n = i->n, begin = c->buckets.starts[i->bucket];
	uint64_t *keys = (uint64_t *)c->buckets.keys + begin, *spare = (uint64_t *)(void *)i->memory;
	uint8_t *values = c->buckets.values + begin * c->value_size, *spare_values = (uint8_t *)(spare + 2 * n);
	bool swapped = sheaf_radix_sort((sheaf_pairs){keys, values}, (sheaf_pairs){spare, spare_values},
	                                c->value_size, n, 0, c->inner_bits + c->rows_bits);
	const uint64_t *from = swapped ? spare : keys;
	uint32_t *columns = (uint32_t *)(spare + n);
	uint64_t mask = ((uint64_t)1 << c->inner_bits) - 1;
	memset(i->ends, 0, nends(s) * sizeof *i->ends);
	for (size_t k = 0; k < n; k++) {
		columns[k] = (uint32_t)(from[k] & mask);
		i->ends[from[k] >> c->inner_bits]++;
	}
	for (size_t r = 1; r < nends(s); r++) i->ends[r] += i->ends[r - 1];
	i->columns = columns;
	i->values = swapped ? spare_values : values;
}

/* ---- each position once ---- */

static int64_t first_row(const sorted *s, const item *i) { return i->bucket << s->c.rows_bits; }

/* The number of rows in the bucket; the last one, and buckets after the last row, have fewer. */
static int64_t nrows(const sorted *s, const item *i)
{
	int64_t rows = (int64_t)1 << s->c.rows_bits, left = s->c.nouter - first_row(s, i);
	return left < 0 ? 0 : left < rows ? left : rows;
}

/* Where a row of the bucket ends, counted in entries. The highest digit has `extra` bits of the columns below
 * those of the row, so the row ends with the last of its digits. */
static uint32_t *end_of(const sorted *s, const item *i, int64_t row)
{
	return &i->ends[((row + 1) << s->extra) - 1];
}

/* Joins the value of a repeated position with the one that is kept for it: by refusing it, putting the later
 * one in its place, or adding the two. */
static sheaf_status join(const sorted *s, int64_t row, uint32_t column, void *to, const void *value,
                         sheaf_error *err)
{
	if (s->duplicates == SHEAF_DUPLICATES_ERROR)
		return sheaf_fail(err, SHEAF_DATA,
		                  "entries: expected each position once, found (%" PRId64 ",%" PRIu32 ") twice", row,
		                  column);
	if (s->duplicates == SHEAF_DUPLICATES_LAST)
		memmove(to, value, s->element.size);
	else if (!sheaf_element_add(&s->element, to, value))
		return sheaf_fail(err, SHEAF_DATA,
		                  "entry (%" PRId64 ",%" PRIu32
		                  "): expected a sum that fits %s, found one that does not",
		                  row, column, sheaf_type_name(s->element.type));
	return SHEAF_OK;
}

/* Moves entries [from, to) of the bucket to where `less` entries before them have been left out. */
static void close_gap(const sorted *s, item *i, size_t from, size_t to, size_t less)
{
	size_t size = s->c.value_size;
	if (less == 0) return;
	memmove(i->columns + from - less, i->columns + from, (to - from) * sizeof *i->columns);
	memmove(i->values + (from - less) * size, i->values + from * size, (to - from) * size);
}

/* Makes one of all entries of a row with the same column: the first, which takes in each of the others.
 * `less` entries have been left out so far, and [from, k) are those that are still to be moved over them, at
 * once; so the entry that a repeated one joins is `less` places before where it was. */
static sheaf_status join_rows(const sorted *s, item *i)
{
	size_t size = s->c.value_size, begin = 0, from = 0, less = 0;
	for (int64_t r = 0, rows = nrows(s, i); r < rows; r++) {
		uint32_t *end = end_of(s, i, r);
		for (size_t k = begin + 1; k < *end; k++) {
			if (i->columns[k] != i->columns[k - 1]) continue;
			close_gap(s, i, from, k, less);
			SHEAF_TRY(join(s, first_row(s, i) + r, i->columns[k], i->values + (k - 1 - less) * size,
			               i->values + k * size, &i->error));
			less++;
			from = k + 1;
		}
		begin = *end;
		*end -= (uint32_t)less;
	}
	close_gap(s, i, from, i->n, less);
	i->n -= less;
	return SHEAF_OK;
}

/* ---- a bucket, after those before it ---- */

/* The step of the pipeline that runs on any thread: sorts a bucket and joins its repeated positions, which
 * are looked for only if two neighbours have one column. */
static void sort_bucket(void *user, void *memory)
{
	const sorted *s = (const sorted *)user;
	item *i = (item *)memory;
	if (s->c.buckets.key_size == sizeof(uint32_t))
		sort_narrow(s, i);
	else
		sort_wide(s, i);
	/* Neighbours of one column need not have one position: they may be of a row and of the next one. */
	size_t k = 1;
	while (k < i->n && i->columns[k] != i->columns[k - 1]) k++;
	i->status = k < i->n ? join_rows(s, i) : SHEAF_OK;
}

/* The step of the pipeline that runs for one bucket after the other, in order: writes the pointers of its
 * rows, and its columns and values after the `kept` ones of the buckets before. After a failure nothing more
 * is put, and the first failure is kept for the end. */
static void put_bucket(void *user, void *memory)
{
	sorted *s = (sorted *)user;
	const item *i = (const item *)memory;
	const sheaf_compressed_arrays *to = &s->c.to;
	int64_t *pointers = to->pointers + first_row(s, i), begin = s->kept;
	if (s->status) return;
	if (i->status) {
		s->status = i->status;
		s->error = i->error;
		return;
	}
	for (int64_t r = 0, rows = nrows(s, i); r < rows; r++) {
		pointers[r] = begin;
		begin = s->kept + *end_of(s, i, r);
	}
	if (i->n == 0) return; /* without entries the arrays may be NULL */
	sheaf_stream(to->indices + s->kept, i->columns, i->n * sizeof *i->columns);
	sheaf_stream((uint8_t *)to->values + (size_t)s->kept * s->c.value_size, i->values,
	             i->n * s->c.value_size);
	sheaf_stream_end();
	s->kept += (int64_t)i->n;
}

/* ---- doing it ---- */

static void drop(void *user, void *memory)
{
	const sorted *s = (const sorted *)user;
	item *i = (item *)memory;
	sheaf_release(s->c.cx, i->memory, i->size);
	sheaf_release(s->c.cx, i->ends, nends(s) * sizeof *i->ends);
	i->memory = NULL, i->ends = NULL;
	i->size = 0;
}

/* Room for n entries: that of the bucket before is used again if it is large enough. */
static sheaf_status make_room(const sorted *s, item *i, size_t n, sheaf_error *err)
{
	size_t size = n * (2 * sizeof(uint64_t) + s->c.value_size);
	if (n > SHEAF_RADIX_MOST)
		return sheaf_fail(err, SHEAF_LIMIT, "entries: expected at most %d in neighbouring rows, found %zu",
		                  SHEAF_RADIX_MOST, n);
	if (!i->ends) SHEAF_TRY(sheaf_allocate_array(s->c.cx, nends(s), sizeof *i->ends, &i->ends, err));
	if (i->size >= size) return SHEAF_OK;
	sheaf_release(s->c.cx, i->memory, i->size);
	i->memory = NULL;
	i->size = 0;
	SHEAF_TRY(sheaf_reallocate(s->c.cx, &i->memory, 0, size, err));
	i->size = size;
	return SHEAF_OK;
}

static void settle_first(sheaf_pipeline *p)
{
	sheaf_pipeline_first(p);
	sheaf_pipeline_pass(p);
}

/* Sends all buckets through the pipeline, with one item more than there are threads, so that each has work
 * while a bucket is put. A failure of this loop comes before one that put_bucket has kept. */
static sheaf_status sort_buckets(sorted *s, sheaf_error *err)
{
	sheaf_pipeline p = {0};
	int threads = sheaf_context_threads(s->c.cx);
	SHEAF_TRY(sheaf_pipeline_open(&p, s->c.cx, sizeof(item), threads > 1 ? threads + 1 : 1,
	                              (sheaf_pipeline_steps){sort_bucket, put_bucket, drop, s}, err));
	sheaf_status status = SHEAF_OK;
	for (int64_t b = 0; b < sheaf_partition_count(&s->c.buckets) && !status; b++) {
		item *i;
		status = sheaf_check_stop(s->c.cx, err);
		if (status) break;
		while (!(i = (item *)sheaf_pipeline_free_item(&p))) settle_first(&p);
		i->bucket = b;
		i->n = s->c.buckets.starts[b + 1] - s->c.buckets.starts[b];
		status = make_room(s, i, i->n, err);
		if (!status) sheaf_pipeline_submit(&p);
	}
	while (!status && sheaf_pipeline_count(&p) > 0) settle_first(&p);
	sheaf_pipeline_close(&p);
	if (!status && s->status && err) *err = s->error;
	return status ? status : s->status;
}

/* Divides entries into buckets, chooses the digits of their keys, and sorts them. Two digits of the same
 * width have bits of columns; what they leave, if keys have 32 bits, is `extra`, beside the row in the third.
 */
static sheaf_status run(sorted *s, sheaf_error *err)
{
	SHEAF_TRY(sheaf_compression_part(&s->c, err));
	if (s->c.any_inner >> (WORD - 1))
		return sheaf_fail(err, SHEAF_DATA, "entries: expected columns from 0, found others");
	int half = s->c.inner_bits / 2;
	s->digit_bits = half < MOST_DIGIT_BITS ? half : MOST_DIGIT_BITS;
	s->extra = s->c.buckets.key_size == sizeof(uint32_t) ? s->c.inner_bits - 2 * s->digit_bits : 0;
	SHEAF_TRY(sort_buckets(s, err));
	s->c.to.pointers[s->c.nouter] = s->kept;
	return SHEAF_OK;
}

sheaf_status sheaf_compress_sorted(const sheaf_entry_arrays *from, int64_t nrows, sheaf_type type,
                                   sheaf_duplicates duplicates, sheaf_context *cx,
                                   const sheaf_compressed_arrays *to, sheaf_error *err)
{
	SHEAF_NEED(from, "entries");
	SHEAF_NEED(to, "a place for the outcome");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_check_arrays(__func__, from, nrows, to, err));
	SHEAF_EXPECT((unsigned)type < SHEAF_TYPES, "an element type", (int)type);
	SHEAF_EXPECT((unsigned)duplicates <= SHEAF_DUPLICATES_LAST, "a word for duplicates", (int)duplicates);
	sorted s = {.c = {.cx = cx,
	                  .nouter = nrows,
	                  .n = from->n,
	                  .outer = from->rows,
	                  .inner = from->columns,
	                  .values = (const uint8_t *)from->values}};
	size_t size = sheaf_type_size(type);
	if (!size || (from->value_size != size && from->value_size != 2 * size))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "entries: expected values of %zu bytes, or of twice as many, found %zu", size,
		                  from->value_size);
	s.c.value_size = from->value_size;
	s.c.to = *to;
	s.element = (sheaf_element){.type = type, .complex = from->value_size != size, .size = from->value_size};
	s.duplicates = duplicates;
	sheaf_status status = run(&s, err);
	sheaf_compression_clear(&s.c);
	return status;
}
