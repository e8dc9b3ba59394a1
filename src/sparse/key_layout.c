/* SPDX-License-Identifier: MIT */
/* Keys: the coordinates of an entry side by side, the outermost in the highest bits, in as many words as they
 * need. Entries whose first coordinates are equal may already come in the order of the others: the bits of
 * these need not be sorted.
 *
 *     order (1, 0), extents 5 and 1000:   ... | column, 10 bits | row, 3 bits */
#include "sparse/key_layout.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64 };

static int bits_for(int64_t extent) { return extent > 0 ? sheaf_bits_of((uint64_t)extent - 1) : 0; }

/* Whether entries with the same first p coordinates in the order of `to` already come in that order. A
 * dimension of extent 1 distinguishes no entries. */
static bool follows(const sheaf_tensor *from, const sheaf_tensor *to, int p)
{
	int at = 0;
	for (; p < to->rank; p++) {
		if (to->shape[to->order[p]] <= 1) continue;
		while (at < from->rank && from->order[at] != to->order[p]) at++;
		if (at == from->rank) return false;
	}
	return true;
}

/* Coordinates are placed from the innermost outwards, each above the one before, and begin another word where
 * they do not fit. Words are numbered from the last on the way, and turned over at the end, as the first word
 * is the most significant. Then the bits of as many inner coordinates are loose as already come in order. */
void sheaf_key_layout_make(sheaf_key_layout *k, const sheaf_tensor *from, const sheaf_tensor *to)
{
	int word = 0, used = 0;
	*k = (sheaf_key_layout){.rank = to->rank};
	for (int p = to->rank - 1; p >= 0; p--) {
		int d = to->order[p], bits = bits_for(to->shape[d]);
		if (used + bits > WORD) {
			word++;
			used = 0;
		}
		k->order[p] = d;
		k->extents[d] = to->shape[d];
		k->places[d] =
			(sheaf_key_place){word, used < WORD ? used : 0, bits ? UINT64_MAX >> (WORD - bits) : 0};
		used += bits;
		k->bits += bits;
	}
	k->words = word + 1;
	for (int d = 0; d < k->rank; d++) k->places[d].word = word - k->places[d].word;
	for (int p = to->rank - 1; p >= 0 && from->sorted && follows(from, to, p); p--)
		k->loose += bits_for(to->shape[to->order[p]]);
	/* Words are sorted one after the other: only one word leaves bits out. */
	if (k->words > 1 && !sheaf_key_order_is_done(&k->by)) k->loose = 0;
}

/* ---- packing ---- */

/* Adds coordinates to keys; `good` becomes the first entry that has one out of range. */
#define ADD_COLUMN(T) \
	{ \
		const T *c = (const T *)(const void *)column->values.data + from; \
		uint64_t bad = 0; \
		for (int64_t i = 0; i < n; i++) { \
			uint64_t v = (uint64_t)(int64_t)c[i]; \
			bad |= (uint64_t)(v >= extent); \
			at[i * words] |= v << shift; \
		} \
		for (int64_t i = 0; bad && i < good; i++) \
			if ((uint64_t)(int64_t)c[i] >= extent) good = i; \
	}

/* Column by column: each coordinate is shifted to its place in the keys. A column is searched for its first
 * bad entry only if it has one. */
int64_t sheaf_key_layout_pack(const sheaf_key_layout *k, const sheaf_frame *frame, int64_t from, int64_t to,
                              bool swapped, uint64_t *keys)
{
	const int64_t n = to - from;
	const int words = k->words;
	int64_t good = n;
	memset(keys, 0, (size_t)n * (size_t)words * sizeof *keys);
	for (int d = 0; d < k->rank; d++) {
		const sheaf_column *column = &frame->columns[swapped ? 1 - d : d];
		const uint64_t extent = (uint64_t)k->extents[d];
		const int shift = k->places[d].shift;
		uint64_t *restrict at = keys + k->places[d].word;
		if (column->type == SHEAF_I32)
			ADD_COLUMN(int32_t)
		else
			ADD_COLUMN(int64_t)
	}
	return from + good;
}

void sheaf_key_layout_unpack(const sheaf_key_layout *k, const uint64_t *keys, int64_t n, int d,
                             sheaf_type type, void *out)
{
	const sheaf_key_place *place = &k->places[d];
	const uint64_t *from = keys + place->word;
	int words = k->words;
	if (type == SHEAF_I32) {
		int32_t *to = (int32_t *)out;
		for (int64_t i = 0; i < n; i++) to[i] = (int32_t)(from[i * words] >> place->shift & place->mask);
	} else {
		int64_t *to = (int64_t *)out;
		for (int64_t i = 0; i < n; i++) to[i] = (int64_t)(from[i * words] >> place->shift & place->mask);
	}
}

bool sheaf_key_layout_advance(const sheaf_key_layout *k, uint64_t *key)
{
	for (int p = k->rank - 1; p >= 0; p--) {
		int d = k->order[p];
		const sheaf_key_place *place = &k->places[d];
		uint64_t *word = &key[place->word];
		if (sheaf_key_layout_coordinate(k, key, d) + 1 < k->extents[d]) {
			*word += (uint64_t)1 << place->shift;
			return true;
		}
		*word &= ~(place->mask << place->shift);
	}
	return false;
}

const char *sheaf_key_layout_text(const sheaf_key_layout *k, const uint64_t *key, char *text, size_t size)
{
	size_t used = 0;
	for (int d = 0; d < k->rank && used < size; d++) {
		int n = snprintf(text + used, size - used, "%s%" PRId64, d ? "," : "(",
		                 sheaf_key_layout_coordinate(k, key, d));
		used += n > 0 ? (size_t)n : 0;
	}
	if (used < size) snprintf(text + used, size - used, k->rank ? ")" : "()");
	return text;
}
