/* SPDX-License-Identifier: MIT */
/* Lengths of rows in a few bits each. A block of rows stores how far each length is above the least one, all
 * in as many bits as the largest needs: rows of equal length take none. The bytes are the same in memory and
 * in a file. */
#ifndef SHEAF_DATASET_INDEX_LENGTHS_H
#define SHEAF_DATASET_INDEX_LENGTHS_H

#include "base/buffer.h"

enum { SHEAF_LENGTHS_BLOCK = 4096 /* rows */ };

typedef struct sheaf_lengths {
	int64_t rows, most;  /* if they come from a file: no length exceeds it */
	sheaf_buffer blocks; /* the descriptions of the blocks */
	sheaf_buffer bits;   /* their bits, one block after the other */
	sheaf_context *cx;
	_Atomic uint8_t *checked; /* of each block, if they come from a file: unchecked, sound, or damaged; NULL:
	                             all are sound */
} sheaf_lengths;

/* Size of the descriptions of the blocks of this number of rows. */
int64_t sheaf_lengths_blocks_size(int64_t rows);
/* Makes each block be checked before its first use: one with a length above `most` is damaged. */
SHEAF_USE sheaf_status sheaf_lengths_distrust(sheaf_lengths *l, int64_t most, sheaf_context *cx,
                                              sheaf_error *err);

/* Packs lengths as they come. */
typedef struct sheaf_packer {
	sheaf_context *cx;
	sheaf_builder blocks, bits;
	uint32_t *open; /* lengths of the unfinished block */
	int64_t rows;
} sheaf_packer;

SHEAF_USE sheaf_status sheaf_packer_begin(sheaf_packer *p, sheaf_context *cx, sheaf_error *err);
void sheaf_packer_add(sheaf_packer *p, const uint32_t *lengths, int64_t n);
/* Moves everything out; after that the packer can only be dropped. */
SHEAF_USE sheaf_status sheaf_packer_finish(sheaf_packer *p, sheaf_lengths *out, sheaf_error *err);
void sheaf_packer_drop(sheaf_packer *p);

/* Whether the block's bits are within `bits` and are those that were packed; checked once. Any thread. */
bool sheaf_lengths_is_sound(const sheaf_lengths *l, int64_t block);
/* The lengths of rows [row, row + n), all in one block that is sound. */
void sheaf_lengths_unpack(const sheaf_lengths *l, int64_t row, int64_t n, uint32_t *out);
void sheaf_lengths_free(sheaf_lengths *l);

#endif
