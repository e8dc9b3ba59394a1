/* SPDX-License-Identifier: MIT */
/* How many different items there are, and which are most frequent: items whose hash is below a threshold are
 * kept and counted, all of them as long as there is room. So the outcome depends on the items alone, not on
 * their order, nor on how they are cut into parts. */
#ifndef SHEAF_REPORT_FREQUENT_H
#define SHEAF_REPORT_FREQUENT_H

#include "base/buffer.h"

enum {
	SHEAF_FREQUENT_KEPT = 4096,
	SHEAF_FREQUENT_SLOTS = 8192,
	SHEAF_ITEM_BYTES = 40 /* that are shown of an item */
};

typedef struct sheaf_item_count {
	uint64_t low, high; /* its hash; both 0: an empty slot */
	int64_t count;
	uint8_t size; /* of `bytes`; all of it where it is not `cut` */
	bool cut;
	uint8_t bytes[SHEAF_ITEM_BYTES];
} sheaf_item_count;

typedef struct sheaf_frequent {
	sheaf_item_count *slots; /* SHEAF_FREQUENT_SLOTS of them */
	int kept;
	int halvings; /* the threshold is 2^64 halved so often */
} sheaf_frequent;

SHEAF_USE sheaf_status sheaf_frequent_begin(sheaf_frequent *f, sheaf_context *cx, sheaf_error *err);
void sheaf_frequent_add(sheaf_frequent *f, const void *item, size_t size, int64_t times);
/* Adds up to SHEAF_FREQUENT_AT_ONCE items, once each: doubles, of which all NaNs are to be one, or texts. */
enum { SHEAF_FREQUENT_AT_ONCE = 256 };
typedef struct sheaf_some_bytes {
	const void *data;
	size_t size;
} sheaf_some_bytes;
void sheaf_frequent_add_doubles(sheaf_frequent *f, const double *values, int n);
void sheaf_frequent_add_texts(sheaf_frequent *f, const sheaf_some_bytes *texts, int n);
void sheaf_frequent_merge(sheaf_frequent *f, const sheaf_frequent *other);
/* Puts in an item that was counted elsewhere; false where it is there already, or none that is kept. */
bool sheaf_frequent_put(sheaf_frequent *f, const sheaf_item_count *item);
void sheaf_frequent_free(sheaf_frequent *f, sheaf_context *cx);
/* How many different ones there are; *exact: they were all counted. */
int64_t sheaf_frequent_distinct(const sheaf_frequent *f, bool *exact);
/* The most frequent of those kept, at most n of them, by count and then by bytes. Gives how many. */
int sheaf_frequent_most(const sheaf_frequent *f, const sheaf_item_count **out, int n);

#endif
