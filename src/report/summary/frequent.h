/* SPDX-License-Identifier: MIT */
/* The number of different items, and the most frequent ones: items whose hash is below a threshold are kept
 * and counted, all of them as long as there is room. So the result depends only on the items, not on their
 * order, nor on how they are divided into parts. */
#ifndef SHEAF_REPORT_SUMMARY_FREQUENT_H
#define SHEAF_REPORT_SUMMARY_FREQUENT_H

#include "base/buffer.h"
#include "base/endian.h"

enum {
	SHEAF_FREQUENT_KEPT = 12288,
	SHEAF_FREQUENT_SLOTS = 16384,
	SHEAF_ITEM_BYTES = 40 /* bytes of an item that are shown */
};

typedef struct sheaf_item_count {
	uint64_t low, high; /* its hash; both 0: an empty slot */
	int64_t count;
	uint8_t size; /* size of `bytes`; the whole item unless it is `cut` */
	bool cut;
	uint8_t bytes[SHEAF_ITEM_BYTES]; /* of a double little-endian ones */
} sheaf_item_count;

static inline double sheaf_item_double(const sheaf_item_count *item)
{
	double value;
	uint64_t word = sheaf_load_u64le(item->bytes);
	memcpy(&value, &word, sizeof value);
	return value;
}

typedef struct sheaf_frequent {
	sheaf_item_count *slots; /* SHEAF_FREQUENT_SLOTS of them */
	int kept;
	int halvings; /* the threshold is 2^64, halved that many times */
} sheaf_frequent;

SHEAF_USE sheaf_status sheaf_frequent_begin(sheaf_frequent *f, sheaf_context *cx, sheaf_error *err);
void sheaf_frequent_add(sheaf_frequent *f, const void *item, size_t size, int64_t times);
/* Adds up to SHEAF_FREQUENT_AT_ONCE items, once each: doubles, among which all NaNs must be the same, or
 * texts. */
enum { SHEAF_FREQUENT_AT_ONCE = 256 };
typedef struct sheaf_some_bytes {
	const void *data;
	size_t size;
} sheaf_some_bytes;
void sheaf_frequent_add_doubles(sheaf_frequent *f, const double *values, int n);
void sheaf_frequent_add_texts(sheaf_frequent *f, const sheaf_some_bytes *texts, int n);
void sheaf_frequent_merge(sheaf_frequent *f, const sheaf_frequent *other);
/* Inserts an item that was counted elsewhere; false if it is already there, or would not be kept. */
bool sheaf_frequent_put(sheaf_frequent *f, const sheaf_item_count *item);
void sheaf_frequent_free(sheaf_frequent *f, sheaf_context *cx);
/* The number of different ones; *exact: all were counted. */
int64_t sheaf_frequent_distinct(const sheaf_frequent *f, bool *exact);
/* Whether an item with this hash would be counted, and how often an item of another table was. */
bool sheaf_frequent_keeps(const sheaf_frequent *f, uint64_t high);
int64_t sheaf_frequent_count(const sheaf_frequent *f, const sheaf_item_count *item);
/* The most frequent of those kept, at most n of them, by count and then by bytes. Returns their number. */
int sheaf_frequent_most(const sheaf_frequent *f, const sheaf_item_count **out, int n);

#endif
