/* SPDX-License-Identifier: MIT */
/* Entries in memory, as keys and values, that are to come in order. They are added in blocks, parted into
 * buckets that a cache holds, and each bucket is sorted when its turn comes near, on any thread. While they
 * are parted they take twice their memory, and not again. */
#ifndef SHEAF_DATA_PILE_H
#define SHEAF_DATA_PILE_H

#include "base/pipeline.h"
#include "data/keying.h"

/* Sorted entries, borrowed. */
typedef struct sheaf_keyed {
	const uint64_t *keys;
	const uint8_t *values;
	int64_t n;
} sheaf_keyed;

typedef struct sheaf_pile {
	sheaf_context *cx;
	const sheaf_keying *keying;
	size_t key_size, value_size;
	int64_t room; /* of a block, in entries */
	int64_t n;    /* entries added */
	uint8_t **blocks;
	int64_t nblocks, blocks_room;
	uint64_t first, differ; /* the bits in which first words of keys differ from the first one */
	/* once sorted: */
	uint64_t *keys;
	uint8_t *values;
	int64_t sorted_n;
	size_t *starts; /* where each bucket begins; one more than there are */
	int64_t nbuckets, submitted;
	int high; /* the bits that buckets do not share end here */
	bool *done;
	sheaf_pipeline pipeline;
} sheaf_pile;

/* `room`: entries that are allocated at a time. The keying outlives the pile. */
SHEAF_USE sheaf_status sheaf_pile_begin(sheaf_pile *p, const sheaf_keying *keying, size_t value_size,
                                        int64_t room, sheaf_context *cx, sheaf_error *err);
/* Where the next entries go: *room of them at most, and at least one. Say how many there were with
 * sheaf_pile_added. */
SHEAF_USE sheaf_status sheaf_pile_room(sheaf_pile *p, uint64_t **keys, uint8_t **values, int64_t *room,
                                       sheaf_error *err);
void sheaf_pile_added(sheaf_pile *p, int64_t n);
/* Bytes of the entries. */
int64_t sheaf_pile_bytes(const sheaf_pile *p);
/* Parts what was added. Nothing can be added until sheaf_pile_clear. */
SHEAF_USE sheaf_status sheaf_pile_sort(sheaf_pile *p, sheaf_error *err);
/* The next entries in order, or END; valid until the next call. */
SHEAF_USE sheaf_status sheaf_pile_next(sheaf_pile *p, sheaf_keyed *out, sheaf_error *err);
/* The next entries as they were added, or END; instead of sheaf_pile_sort, where that is their order. */
SHEAF_USE sheaf_status sheaf_pile_next_block(sheaf_pile *p, sheaf_keyed *out, sheaf_error *err);
/* From the first again. */
void sheaf_pile_rewind(sheaf_pile *p);
/* Lets go of all entries. */
void sheaf_pile_clear(sheaf_pile *p);

#endif
