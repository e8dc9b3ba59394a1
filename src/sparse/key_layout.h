/* SPDX-License-Identifier: MIT */
/* The coordinates of an entry as one key, whose order is the wanted order: each coordinate has its own bits,
 * the outermost the highest. Keys are sorted, compared and spilled instead of coordinates. */
#ifndef SHEAF_SPARSE_KEY_LAYOUT_H
#define SHEAF_SPARSE_KEY_LAYOUT_H

#include "base/extend.h"
#include "sparse/sort/key_order.h"
#include <sheaf/frame.h>

/* Bits of whole numbers up to this one. */
static inline int sheaf_bits_of(uint64_t most) { return most ? 64 - __builtin_clzll(most) : 0; }

/* Where a coordinate is in a key. */
typedef struct sheaf_key_place {
	int word, shift;
	uint64_t mask;
} sheaf_key_place;

typedef struct sheaf_key_layout {
	SHEAF_BASE(sheaf_key_order, by); /* words: one, except for huge tensors */
	int rank;
	int order[SHEAF_MAX_RANK];
	int64_t extents[SHEAF_MAX_RANK];
	sheaf_key_place places[SHEAF_MAX_RANK];
} sheaf_key_layout;

/* Keys for the order of `to`. `from` says what is known of the order in which entries come. */
void sheaf_key_layout_make(sheaf_key_layout *k, const sheaf_tensor *from, const sheaf_tensor *to);
/* Keys of the entries [from, to) of a frame of entries; `swapped`: with the two coordinates of a matrix
 * exchanged. Returns the first entry that has a coordinate outside the shape, or `to`. */
int64_t sheaf_key_layout_pack(const sheaf_key_layout *k, const sheaf_frame *frame, int64_t from, int64_t to,
                              bool swapped, uint64_t *keys);
/* Coordinate `d` of n keys, as `type`, which is I32 or I64. */
void sheaf_key_layout_unpack(const sheaf_key_layout *k, const uint64_t *keys, int64_t n, int d,
                             sheaf_type type, void *out);

static inline int64_t sheaf_key_layout_coordinate(const sheaf_key_layout *k, const uint64_t *key, int d)
{
	return (int64_t)(key[k->places[d].word] >> k->places[d].shift & k->places[d].mask);
}

/* "(3,5)" into text[size]; returns text. */
const char *sheaf_key_layout_text(const sheaf_key_layout *k, const uint64_t *key, char *text, size_t size);

/* The next position in order; false, and the first position, after the last one. */
bool sheaf_key_layout_advance(const sheaf_key_layout *k, uint64_t *key);

#endif
