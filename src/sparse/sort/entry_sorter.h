/* SPDX-License-Identifier: MIT */
/* Entries in memory, as keys and values, to be sorted. They are added in blocks, partitioned into buckets
 * that fit a cache, and each bucket is sorted shortly before its turn, on any thread. While they are
 * partitioned they take twice their memory; afterwards they do not. */
#ifndef SHEAF_SPARSE_SORT_ENTRY_SORTER_H
#define SHEAF_SPARSE_SORT_ENTRY_SORTER_H

#include "base/threads/pipeline.h"
#include "sparse/sort/key_order.h"

/* Sorted entries, borrowed. */
typedef struct sheaf_keyed {
	const uint64_t *keys;
	const uint8_t *values;
	int64_t n;
} sheaf_keyed;

typedef struct sheaf_entry_sorter {
	sheaf_context *cx;
	const sheaf_key_order *order;
	size_t key_size, value_size;
	int64_t room; /* of a block, in entries */
	int64_t n;    /* entries added */
	uint8_t **blocks;
	int64_t nblocks, blocks_room;
	uint64_t first,
		differ; /* the bits in which the first words of keys differ from that of the first entry */
	/* set when sorted: */
	uint64_t *keys;
	uint8_t *values;
	int64_t sorted_n;
	size_t *starts; /* where each bucket begins; one more than the number of buckets */
	int64_t nbuckets, submitted;
	int high; /* lowest of the upper bits that all keys of a bucket share */
	bool *done;
	sheaf_pipeline pipeline;
} sheaf_entry_sorter;

/* `room`: the number of entries that are allocated at a time. The order outlives the sorter. */
void sheaf_entry_sorter_begin(sheaf_entry_sorter *p, const sheaf_key_order *order, size_t value_size,
                              int64_t room, sheaf_context *cx);
/* Where the next entries go: room for *room of them, at least one. Report how many were written with
 * sheaf_entry_sorter_added. */
SHEAF_USE sheaf_status sheaf_entry_sorter_room(sheaf_entry_sorter *p, uint64_t **keys, uint8_t **values,
                                               int64_t *room, sheaf_error *err);
void sheaf_entry_sorter_added(sheaf_entry_sorter *p, int64_t n);
/* Size of the entries in bytes. */
int64_t sheaf_entry_sorter_bytes(const sheaf_entry_sorter *p);
/* Partitions what was added. Nothing can be added until sheaf_entry_sorter_clear. */
SHEAF_USE sheaf_status sheaf_entry_sorter_sort(sheaf_entry_sorter *p, sheaf_error *err);
/* The next entries in order, or END; valid until the next call. */
SHEAF_USE sheaf_status sheaf_entry_sorter_next(sheaf_entry_sorter *p, sheaf_keyed *out, sheaf_error *err);
/* The next entries as they were added, or END; instead of sheaf_entry_sorter_sort, where that is their order.
 */
SHEAF_USE sheaf_status sheaf_entry_sorter_next_block(sheaf_entry_sorter *p, sheaf_keyed *out,
                                                     sheaf_error *err);
/* Begins again with the first entry. */
void sheaf_entry_sorter_rewind(sheaf_entry_sorter *p);
/* Drops all entries. */
void sheaf_entry_sorter_clear(sheaf_entry_sorter *p);

#endif
