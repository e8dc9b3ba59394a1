/* SPDX-License-Identifier: MIT */
/* Entries partitioned into buckets by the upper bits of their keys, so that a bucket fits the cache of a
 * core: on all threads, keeping the order in which they come. */
#ifndef SHEAF_SPARSE_SORT_PARTITION_H
#define SHEAF_SPARSE_SORT_PARTITION_H

#include <sheaf/base.h>

enum {
	SHEAF_BUCKET_STEP = 1024,        /* entries whose keys are made at a time */
	SHEAF_BUCKET_ENTRIES = 32 << 10, /* approximate size of a bucket */
	SHEAF_BUCKET_BITS = 11           /* more buckets than this take longer to fill */
};

/* Where entries come from. Several threads call both functions, for disjoint entries. */
typedef struct sheaf_partition_source {
	int64_t n;
	int64_t grain;     /* threads get multiples of this number */
	size_t value_size; /* 1, 2, 4, 8 or 16 */
	/* Keys and values of the entries [from, to), or of the first of them; returns how many; 0 ends
	 * everything. *keys may be `room`, which has space for SHEAF_BUCKET_STEP keys. */
	int64_t (*take)(void *user, int64_t from, int64_t to, uint64_t *room, const uint64_t **keys,
	                const void **values);
	void (*taken)(void *user, int64_t from, int64_t to); /* what has been moved; NULL: no action */
	void *user;
} sheaf_partition_source;

typedef struct sheaf_partition {
	sheaf_context *cx;
	sheaf_partition_source source;
	size_t value_size;
	int64_t n;
	int shift, bits; /* of a key: the number of its bucket */
	int nparts;
	size_t *begins; /* of each bucket in each part: first its count, then where it begins */
	size_t *next;   /* where its next entry goes */
	void *lanes;    /* entries on their way to memory */
	/* results: */
	size_t *starts; /* where each bucket begins; one more than the number of buckets */
	uint64_t
		mask; /* the bits of a key that are kept; if they are within the lower 32, keys have four bytes */
	size_t key_size;
	void *keys;
	uint8_t *values;
} sheaf_partition;

static inline int64_t sheaf_partition_count(const sheaf_partition *b) { return (int64_t)1 << b->bits; }

/* Counts the entries of each bucket: `bits` bits of the keys, from `shift` on. Reads all entries once. */
SHEAF_USE sheaf_status sheaf_partition_plan(sheaf_partition *b, const sheaf_partition_source *source,
                                            int shift, int bits, sheaf_context *cx, sheaf_error *err);
/* Reads all entries once more and moves them. The bits of the bucket's number may have another position in
 * their keys by now. */
SHEAF_USE sheaf_status sheaf_partition_fill(sheaf_partition *b, int shift, uint64_t mask, sheaf_error *err);
/* Room for n entries of this size, at *out, which is NULL before. It is not zeroed: it is written before it
 * is read. */
SHEAF_USE sheaf_status sheaf_allocate_entries(sheaf_context *cx, int64_t n, size_t size, void *out,
                                              sheaf_error *err);
/* Begins with zeros, or with what was opened. */
void sheaf_partition_free(sheaf_partition *b);

#endif
