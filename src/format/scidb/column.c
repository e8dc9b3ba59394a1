/* SPDX-License-Identifier: MIT */
/* One column of the cells of a block. Null bytes and values are gathered first, since they are then processed
 * many at once. Errors in a cell are only noted here; flaws.c reports them with their place. */
#include "base/endian.h"
#include "format/scidb/scidb.h"
#include <string.h>

/* ---- where items are ---- */

/* `at` is the item in the cell that begins at byte 0: cell c begins at byte bases[c] or, without bases, at c
 * * step. */
typedef struct places {
	const uint8_t *at;
	const int64_t *bases;
	int64_t step, count;
} places;

static inline const uint8_t *place(const places *p, bool strided, int64_t c)
{
	return p->at + (strided ? c * p->step : p->bases[c]);
}

/* ---- missing values ---- */

static inline void gather_nulls(const places *p, bool strided, uint8_t *nulls)
{
	for (int64_t c = 0; c < p->count; c++) nulls[c] = *place(p, strided, c);
}

/* What is common to several null bytes. */
typedef struct null_sum {
	uint64_t there;   /* the highest bit of each byte: set if all of them mean values */
	uint64_t reasons; /* all reasons */
	uint64_t odd;     /* bits that values lack */
} null_sum;

/* Eight null bytes at a time, the first in the lowest byte of a word: a bit for each, and its reason, which
 * is 0 if there is a value. */
static null_sum pack_nulls(const uint8_t *restrict nulls, size_t words, uint8_t *restrict valid,
                           uint8_t *restrict codes)
{
	static const uint64_t highest = UINT64_C(0x8080808080808080), gather = UINT64_C(0x0002040810204081);
	null_sum sum = {highest, 0, 0};
	for (size_t w = 0; w < words; w++) {
		uint64_t eight = sheaf_load_u64le(nulls + 8 * w), there = eight & highest, mask = (there >> 7) * 0xff;
		uint64_t code = sheaf_u64_in_le(eight & ~mask);
		valid[w] = (uint8_t)(there * gather >> 56);
		memcpy(codes + 8 * w, &code, sizeof code);
		sum.there &= there;
		sum.reasons |= code;
		sum.odd |= ~eight & mask;
	}
	return sum;
}

/* Bits and reasons of rows that begin at a whole byte of bits; bits after the last row are 0. */
static void put_nulls(sheaf_scidb_filling *f, uint8_t *nulls, int64_t n)
{
	size_t words = (size_t)(n + 7) / 8;
	sheaf_builder *valid = f->level->valid, *codes = f->level->codes;
	if (!sheaf_builder_room(valid, words) || !sheaf_builder_room(codes, 8 * words)) return;
	memset(nulls + n, 0xff, 8 * words - (size_t)n);
	null_sum sum = pack_nulls(nulls, words, valid->data + valid->size, codes->data + codes->size);
	valid->size += words;
	codes->size += (size_t)n;
	if (n % 8) valid->data[valid->size - 1] &= (uint8_t)((1u << n % 8) - 1);
	f->nulls |= sum.there != UINT64_C(0x8080808080808080);
	f->reasons |= sum.reasons != 0;
	f->odd |= sum.odd != 0;
}

/* For types that fit a register, null bytes are loaded with the values. */
static bool is_short_number(const sheaf_scidb_item *item)
{
	sheaf_scidb_kind kind = item->entry.type->kind;
	return !item->converts && (kind < SCIDB_DATETIMETZ || kind == SCIDB_INDICATOR);
}

/* ---- numbers ---- */

static inline uint8_t load_8(const uint8_t *at) { return *at; }
static inline uint16_t load_16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint32_t load_32(const uint8_t *at) { return sheaf_load_u32le(at); }
static inline uint64_t load_64(const uint8_t *at) { return sheaf_load_u64le(at); }

/* Values, and the null bytes before them. If a null byte means no value, 0 is stored, and this records
 * whether there was another number. The loops are unrolled, since they are short. */
#define NUMBERS(BITS) \
	static inline bool gather_##BITS(places p, bool strided, bool nullable, uint8_t *restrict to, \
	                                 uint8_t *restrict nulls) \
	{ \
		uint##BITS##_t *out = (uint##BITS##_t *)(void *)to, hidden = 0; \
		_Pragma("GCC unroll 8") for (int64_t c = 0; c < p.count; c++) \
		{ \
			const uint8_t *at = place(&p, strided, c); \
			uint##BITS##_t v = load_##BITS(at + nullable), \
						   there = nullable ? (uint##BITS##_t)((int8_t)*at >> 7) : (uint##BITS##_t) - 1; \
			if (nullable) nulls[c] = *at; \
			out[c] = v & there; \
			hidden |= v & (uint##BITS##_t) ~there; \
		} \
		return hidden != 0; \
	} \
	static bool numbers_##BITS(const places *p, bool nullable, uint8_t *to, uint8_t *nulls) \
	{ \
		if (p->bases) \
			return nullable ? gather_##BITS(*p, false, true, to, nulls) \
			                : gather_##BITS(*p, false, false, to, nulls); \
		return nullable ? gather_##BITS(*p, true, true, to, nulls) \
		                : gather_##BITS(*p, true, false, to, nulls); \
	}
NUMBERS(8)
NUMBERS(16)
NUMBERS(32)
NUMBERS(64)

/* Numbers of any size, one by one. */
static bool gather_wide(const places *p, const sheaf_scidb_item *item, uint8_t *to)
{
	size_t size = (size_t)item->entry.size,
		   word = item->type->kind == SCIDB_DATETIMETZ || item->type->kind == SCIDB_COMPLEX ? 8 : 1;
	bool hidden = false;
	for (int64_t c = 0; c < p->count; c++, to += size) {
		const uint8_t *at = place(p, !p->bases, c), *payload = at + (item->entry.nullable ? 1 : 0);
		if (!sheaf_scidb_is_null(item, at)) {
			if (word == 8)
				sheaf_copy_le(to, payload, size / 8, 8);
			else
				memcpy(to, payload, size);
			continue;
		}
		memset(to, 0, size);
		for (size_t i = 0; i < size; i++) hidden |= payload[i] != 0;
	}
	return hidden;
}

/* False: there was no room. */
static bool fill_numbers(sheaf_scidb_filling *f, const sheaf_scidb_item *item, const places *p,
                         uint8_t *nulls)
{
	size_t bytes = (size_t)item->entry.size * (size_t)p->count;
	bool nullable = item->entry.nullable;
	uint8_t *to = sheaf_builder_extend(f->values, bytes);
	if (!to) return false;
	if (!is_short_number(item))
		f->odd |= gather_wide(p, item, to);
	else if (item->entry.size == 8)
		f->odd |= numbers_64(p, nullable, to, nulls);
	else if (item->entry.size == 4)
		f->odd |= numbers_32(p, nullable, to, nulls);
	else if (item->entry.size == 2)
		f->odd |= numbers_16(p, nullable, to, nulls);
	else
		f->odd |= numbers_8(p, nullable, to, nulls);
	bool truth = item->type->kind == SCIDB_BOOL || item->type->kind == SCIDB_INDICATOR;
	for (size_t c = 0; truth && c < bytes; c++) to[c] = to[c] != 0;
	return true;
}

/* ---- texts and bytes ---- */

/* Short texts are copied in one step, if there is enough room to read and to write. */
static inline void copy_text(uint8_t *to, sheaf_bytes text, const uint8_t *end)
{
	enum { STEP = 16 };
	if (text.size <= STEP && end - text.data >= STEP)
		memcpy(to, text.data, STEP);
	else if (text.size)
		memcpy(to, text.data, text.size);
}

bool sheaf_scidb_hides(const sheaf_scidb_item *item, sheaf_bytes payload)
{
	if (item->entry.size == 0) return payload.size > 0;
	for (size_t i = 0; i < payload.size; i++)
		if (payload.data[i]) return true;
	return false;
}

static void fill_texts(sheaf_scidb_filling *f, const sheaf_scidb_item *item, const sheaf_scidb_block *block)
{
	enum { SLACK = 16 };
	bool text = item->type->kind == SCIDB_STRING, odd = false;
	size_t sum = (size_t)item->entry.size * (size_t)block->count;
	for (int64_t c = 0; c < block->count && !item->entry.size; c++)
		sum += sheaf_scidb_payload(block, item, c).size;
	if (!sheaf_builder_room(f->values, sum + SLACK) ||
	    !sheaf_builder_room(&f->level->offsets, (uint64_t)block->count * sizeof(int64_t)))
		return;
	uint8_t *to = f->values->data + f->values->size;
	int64_t *offsets = (int64_t *)(void *)(f->level->offsets.data + f->level->offsets.size);
	for (int64_t c = 0; c < block->count; c++) {
		sheaf_scidb_string string = {sheaf_scidb_payload(block, item, c), true, true};
		if (sheaf_scidb_is_null(item, sheaf_scidb_item_at(block, item, c))) {
			odd |= sheaf_scidb_hides(item, string.text);
			string.text.size = 0;
		} else if (text) {
			string = sheaf_scidb_string_of(item, string.text);
			odd |= !string.ended | !string.clean;
		}
		copy_text(to, string.text, block->end);
		to += string.text.size;
		offsets[c] = to - f->values->data;
	}
	f->values->size = (size_t)(to - f->values->data);
	f->level->offsets.size += (size_t)block->count * sizeof(int64_t);
	f->odd |= odd;
}

/* ---- other types ---- */

/* What has no value in the new type becomes null, if that is allowed: its null byte becomes 0. */
static void fill_converted(sheaf_scidb_filling *f, const sheaf_scidb_item *item,
                           const sheaf_scidb_block *block, uint8_t *nulls)
{
	for (int64_t c = 0; c < block->count; c++) {
		sheaf_scidb_value value = {0};
		sheaf_bytes payload = sheaf_scidb_payload(block, item, c);
		if (nulls[c] < 0x80) {
			f->odd |= sheaf_scidb_hides(item, payload);
		} else {
			sheaf_scidb_convert_item(item, payload, &value);
			f->odd |= value.flaw != NULL;
			if (value.failed) nulls[c] = 0;
		}
		if (item->type->kind == SCIDB_STRING) {
			sheaf_builder_append(f->values, value.text, value.size);
			sheaf_builder_i64(&f->level->offsets, (int64_t)f->values->size);
			continue;
		}
		uint8_t *to = sheaf_builder_extend(f->values, (uint64_t)item->type->size);
		if (to) sheaf_scidb_store(item->type, &value, false, to);
	}
}

/* ---- any ---- */

/* Null bytes are loaded with the values that fit a register, and else by themselves; an entry without them
 * has values only. In an attribute that is not nullable all that differs from 0xFF is odd. */
void sheaf_scidb_fill(sheaf_scidb_filling *f, const sheaf_scidb_item *item, const sheaf_scidb_block *block)
{
	uint8_t nulls[SCIDB_BLOCK + 8];
	bool filled = true, odd = false;
	const int64_t *bases = block->bases ? block->bases + item->base * block->stride : NULL;
	places p = {block->data + item->offset, bases, block->layout->cell_bytes, block->count};
	if (!item->entry.nullable)
		memset(nulls, 0xff, (size_t)p.count);
	else if (!is_short_number(item) && bases)
		gather_nulls(&p, false, nulls);
	else if (!is_short_number(item))
		gather_nulls(&p, true, nulls);
	if (item->converts)
		fill_converted(f, item, block, nulls);
	else if (f->level && f->level->shape->kind == SHEAF_LIST)
		fill_texts(f, item, block);
	else
		filled = fill_numbers(f, item, &p, nulls);
	if (filled && item->nullable) put_nulls(f, nulls, p.count);
	for (int64_t c = 0; filled && !item->nullable && item->entry.nullable && c < p.count; c++)
		odd |= nulls[c] != 0xff;
	f->odd |= odd;
}
