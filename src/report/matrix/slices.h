/* SPDX-License-Identifier: MIT */
/* The entries of a square matrix in memory, slice by slice: by rows, or by columns. Whatever is said of rows
 * applies to columns of the mirrored matrix. */
#ifndef SHEAF_REPORT_MATRIX_SLICES_H
#define SHEAF_REPORT_MATRIX_SLICES_H

#include "base/buffer.h"

enum { SHEAF_SLICE_BLOCK = 1 << 16 /* entries in a block */ };

typedef struct sheaf_slice_block {
	int32_t *others; /* the coordinate other than the slice's */
	uint8_t *values;
} sheaf_slice_block;

/* They are neighbours, since a walk through slices needs both. */
typedef struct sheaf_slice_place {
	int64_t next; /* how far the walk through it has come */
	int64_t end;  /* after finish; before, how many entries it has */
} sheaf_slice_place;

typedef struct sheaf_slices {
	sheaf_context *cx;
	int64_t extent, n;
	size_t value_size;      /* 0: values are not kept */
	int64_t room;           /* maximum size of everything in bytes */
	sheaf_slice_place *all; /* NULL: there are none */
	sheaf_slice_block *blocks;
	int64_t nblocks, blocks_room; /* there may be empty ones */
	int64_t slice, other;         /* of the last entry */
	bool disordered;              /* the slice of the last entry is */
	int64_t longest;              /* of the disordered slices */
} sheaf_slices;

/* Leaves `all` NULL, without an error, if the slices would exceed the room or number 2^31 - 1 or more. */
SHEAF_USE sheaf_status sheaf_slices_begin(sheaf_slices *s, int64_t extent, size_t value_size, int64_t room,
                                          sheaf_context *cx, sheaf_error *err);
/* Appends an entry, whose slice is the last one's or comes after it; if it comes before it, or there is no
 * room, *kept is false and it is not appended. */
SHEAF_USE sheaf_status sheaf_slices_add(sheaf_slices *s, int64_t slice, int64_t other, const void *value,
                                        bool *kept, sheaf_error *err);
/* After the last entry: each slice is sorted, entries of the same place in the order in which they came. */
SHEAF_USE sheaf_status sheaf_slices_finish(sheaf_slices *s, sheaf_error *err);
void sheaf_slices_free(sheaf_slices *s);

static inline int32_t sheaf_slices_other(const sheaf_slices *s, int64_t at)
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

#endif
