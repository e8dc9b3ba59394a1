/* SPDX-License-Identifier: MIT */
/* Keys. */
#include "sparse/key_layout.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64 };

static int bits_for(int64_t extent) { return extent > 0 ? sheaf_bits_of((uint64_t)extent - 1) : 0; }

/* Whether dimension `d` can distinguish entries. */
static bool counts(const sheaf_tensor *tensor, int d) { return tensor->shape[d] > 1; }

/* Whether entries with the same first p coordinates in the order of `to` already come in that order. */
static bool follows(const sheaf_tensor *from, const sheaf_tensor *to, int p)
{
	int at = 0;
	for (; p < to->rank; p++) {
		if (!counts(to, to->order[p])) continue;
		while (at < from->rank && from->order[at] != to->order[p]) at++;
		if (at == from->rank) return false;
	}
	return true;
}

static int loose_bits(const sheaf_tensor *from, const sheaf_tensor *to)
{
	int loose = 0;
	if (!from->sorted) return 0;
	for (int p = to->rank - 1; p >= 0 && follows(from, to, p); p--)
		loose += bits_for(to->shape[to->order[p]]);
	return loose;
}

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
	k->loose = loose_bits(from, to);
	/* Words are sorted one after the other: only one word leaves bits out. */
	if (k->words > 1 && !sheaf_key_order_is_done(&k->by)) k->loose = 0;
}

/* ---- packing ---- */

/* Adds a column of coordinates to keys of `words` words; returns where one is out of range. */
#define ADD_COLUMN(T) \
	{ \
		const T *c = (const T *)(const void *)column->values.data; \
		uint64_t bad = 0; \
		for (int64_t i = 0; i < n; i++) { \
			uint64_t v = (uint64_t)(int64_t)c[from + i]; \
			bad |= (uint64_t)(v >= extent); \
			to[i * words] |= v << shift; \
		} \
		if (bad == 0) return n; \
		for (int64_t i = 0; i < n; i++) \
			if ((uint64_t)(int64_t)c[from + i] >= extent) return i; \
	}

/* Where keys have a coordinate: in which of `words` words, at which bit. */
typedef struct in_keys {
	uint64_t extent;
	int shift, words;
} in_keys;

static int64_t add_column(const sheaf_column *column, int64_t from, int64_t n, in_keys as,
                          uint64_t *restrict to)
{
	const uint64_t extent = as.extent;
	const int shift = as.shift, words = as.words;
	if (column->type == SHEAF_I32)
		ADD_COLUMN(int32_t)
	else
		ADD_COLUMN(int64_t)
	return n;
}

int64_t sheaf_key_layout_pack(const sheaf_key_layout *k, const sheaf_frame *frame, int64_t from, int64_t to,
                              bool swapped, uint64_t *keys)
{
	int64_t good = to - from;
	memset(keys, 0, (size_t)(to - from) * (size_t)k->words * sizeof *keys);
	for (int d = 0; d < k->rank; d++) {
		const sheaf_key_place *place = &k->places[d];
		const sheaf_column *column = &frame->columns[swapped ? 1 - d : d];
		int64_t n =
			add_column(column, from, to - from, (in_keys){(uint64_t)k->extents[d], place->shift, k->words},
		               keys + place->word);
		if (n < good) good = n;
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
