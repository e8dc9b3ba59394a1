/* SPDX-License-Identifier: MIT */
/* The entries of a square matrix in memory, slice by slice: by rows, or by columns. What holds for rows holds
 * for columns of the mirrored matrix. */
#ifndef SHEAF_TENSOR_SLICES_H
#define SHEAF_TENSOR_SLICES_H

#include "base/buffer.h"

enum { SHEAF_SLICE_BLOCK = 1 << 16 /* entries of a block */ };

typedef struct sheaf_slice_block {
	int32_t *others; /* the coordinate that is not the slice's */
	uint8_t *values;
} sheaf_slice_block;

/* One stands beside the other, since who goes through slices wants both. */
typedef struct sheaf_slice_place {
	int64_t next; /* how far who goes through it has come */
	int64_t end;  /* after finish; before, how many entries it has */
} sheaf_slice_place;

typedef struct sheaf_slices {
	sheaf_context *cx;
	int64_t extent, n;
	size_t value_size;      /* 0: values are not kept */
	int64_t room;           /* bytes that all may take */
	sheaf_slice_place *all; /* NULL: there are none */
	sheaf_slice_block *blocks;
	int64_t nblocks, blocks_room;
	int64_t slice, other; /* of the last entry */
} sheaf_slices;

/* None, without an error, where they would take more than the room, or have 2^31 - 1 slices or more. */
SHEAF_USE sheaf_status sheaf_slices_begin(sheaf_slices *s, int64_t extent, size_t value_size, int64_t room,
                                          sheaf_context *cx, sheaf_error *err);
/* Appends an entry that comes in order; *kept is false, and it is not appended, where it comes in another
 * one, or there is no room. */
SHEAF_USE sheaf_status sheaf_slices_add(sheaf_slices *s, int64_t slice, int64_t other, const void *value,
                                        bool *kept, sheaf_error *err);
/* After the last entry. */
void sheaf_slices_finish(sheaf_slices *s);
void sheaf_slices_free(sheaf_slices *s);

static inline int64_t sheaf_slices_other(const sheaf_slices *s, int64_t at)
{
	return s->blocks[at / SHEAF_SLICE_BLOCK].others[at % SHEAF_SLICE_BLOCK];
}

static inline const uint8_t *sheaf_slices_value(const sheaf_slices *s, int64_t at)
{
	return s->blocks[at / SHEAF_SLICE_BLOCK].values + (size_t)(at % SHEAF_SLICE_BLOCK) * s->value_size;
}

/* After finish. */
static inline int64_t sheaf_slice_begin(const sheaf_slices *s, int64_t slice)
{
	return slice ? s->all[slice - 1].end : 0;
}

/* Begins another pass in which each slice is gone through once. */
void sheaf_slices_rewind(sheaf_slices *s);

/* Strongly connected components: slices that reach each other. */
typedef struct sheaf_strong {
	int64_t components, largest; /* of slices with entries, or that entries lead to; -1: not counted */
	int64_t needed;              /* bytes that counting takes beside the slices */
} sheaf_strong;

/* Counts them where that takes at most `room` bytes. */
SHEAF_USE sheaf_status sheaf_slices_connect(sheaf_slices *s, int64_t room, sheaf_strong *out,
                                            sheaf_error *err);
/* What that takes of a matrix of a given number of rows and entries, slices and all. */
int64_t sheaf_strong_needs(int64_t extent, int64_t entries);

#endif
