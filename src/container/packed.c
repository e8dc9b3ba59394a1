/* SPDX-License-Identifier: MIT */
/* Numbers of which a file stores fewer bits than their type has (HDF5's filters nbit and scaleoffset), or
 * others in their place (numcodecs' Delta and FixedScaleOffset). */
#include "base/endian.h"
#include "container/codec.h"
#include <math.h>
#include <string.h>

/* Bytes that are read bit by bit, from the highest one. */
typedef struct stream {
	sheaf_bytes from;
	uint64_t at; /* in bits */
} stream;

/* Takes the next bits as a number, of 64 at most; false if there are fewer. */
static bool take(stream *s, uint64_t count, uint64_t *out)
{
	*out = 0;
	if (count > s->from.size * UINT64_C(8) - s->at) return false;
	for (uint64_t left, n; count > 0; count -= n, s->at += n) {
		left = 8 - s->at % 8;
		n = left < count ? left : count;
		*out = *out << n | (s->from.data[s->at / 8] >> (left - n) & ((1u << n) - 1));
	}
	return true;
}

/* Stores the low bytes of a word. */
static void store(uint64_t word, bool is_big, uint8_t *to, size_t width)
{
	for (size_t k = 0; k < width; k++, word >>= 8) to[is_big ? width - 1 - k : k] = (uint8_t)word;
}

/* ---- nbit ---- */

/* The parameters of nbit are a tree of types, in the order of a walk through it. */
typedef struct walk {
	const uint32_t *at, *end;
	stream bits;
} walk;

static uint32_t next(walk *w) { return w->at < w->end ? *w->at++ : UINT32_MAX; }

/* Fills an element, which has `room` zeros, by the type at which the walk is: a number, of which bits [low,
 * low + count) are stored, bytes that are stored whole, an array or a compound. False: bits end, or
 * parameters are not known. Each type takes bits, so that the walk ends with them. */
static bool unpack_element(walk *w, uint8_t *to, size_t room, int depth)
{
	enum { NUMBER = 1, ARRAY, COMPOUND, BYTES, DEEPEST = 32 };
	uint32_t class = next(w), size = next(w);
	if (size == 0 || size > room || depth > DEEPEST || class > BYTES) return false;
	if (class == ARRAY || class == COMPOUND) {
		const uint32_t *member = w->at;
		uint32_t n = class == COMPOUND ? next(w) : w->end - member > 1 && member[1] ? size / member[1] : 0;
		bool is_sound = n > 0;
		for (uint32_t i = 0; is_sound && i < n; i++) {
			uint32_t offset = class == COMPOUND ? next(w) : i * member[1];
			if (class == ARRAY) w->at = member;
			is_sound = offset < size && unpack_element(w, to + offset, size - offset, depth + 1);
		}
		return is_sound;
	}
	bool is_number = class == NUMBER, is_big = !is_number || next(w) == 1;
	uint64_t high = is_number ? next(w) : 8 * (uint64_t)size, low = is_number ? next(w) : 0, v = 0;
	high += low;
	if (high == low || high > 8 * (uint64_t)size) return false;
	for (uint64_t n; high > low; high -= n) {
		/* The bits of a byte of it. */
		size_t byte = (high - 1) / 8;
		n = high - (byte * 8 > low ? byte * 8 : low);
		if (!take(&w->bits, n, &v)) return false;
		to[is_big ? size - 1 - byte : byte] |= (uint8_t)(v << (high - n - byte * 8));
	}
	return true;
}

/* Parameters: the number of them, whether the bytes are as they were, how many elements there are, and their
 * type. */
sheaf_status sheaf_undo_nbit(sheaf_coding *c)
{
	enum { IS_PLAIN = 2, ELEMENTS, CLASS, WIDTH };
	const uint32_t *p = (const uint32_t *)c->parameters;
	bool is_plain = p[0] >= IS_PLAIN && p[IS_PLAIN];
	if (!is_plain && (p[0] < WIDTH || p[WIDTH] == 0 || p[ELEMENTS] > INT32_MAX / p[WIDTH]))
		return SHEAF_UNSUPPORTED;
	c->size = is_plain ? c->from.size : (size_t)p[ELEMENTS] * p[WIDTH];
	if (c->size > c->room) return SHEAF_OK;
	if (is_plain) return memcpy(c->to, c->from.data, c->size), SHEAF_OK;
	memset(c->to, 0, c->size);
	walk w = {.end = p + 1 + p[0], .bits = {.from = c->from}};
	for (size_t done = 0; done < c->size; done += p[WIDTH]) {
		w.at = p + CLASS;
		if (!unpack_element(&w, c->to + done, p[WIDTH], 0)) return SHEAF_DATA;
	}
	return SHEAF_OK;
}

/* ---- scaleoffset ---- */

enum { COUNT, TYPE, FACTOR, ELEMENTS, CLASS, WIDTH, SIGN, IS_BIG, HAS_FILL, FILL, PARAMETERS = 20 };

/* Makes the bits of an element of what is stored: how far it is above the least one, for a float in units of
 * a power of ten and in the arithmetic of its type. All ones are the fill value. */
static uint64_t unscale(const uint32_t *p, uint64_t stored, uint32_t bits, uint64_t least)
{
	double real;
	float single;
	uint32_t word = (uint32_t)least;
	if (p[HAS_FILL] && stored == (UINT64_C(1) << bits) - 1) return p[FILL] | (uint64_t)p[FILL + 1] << 32;
	if (!p[CLASS]) return stored + least;
	if (p[WIDTH] == sizeof single) {
		memcpy(&single, &word, sizeof single);
		single += (float)(int32_t)stored / powf(10, (float)(int32_t)p[FACTOR]);
		memcpy(&word, &single, sizeof single);
		return word;
	}
	memcpy(&real, &least, sizeof real);
	real += (double)(int64_t)stored / pow(10, (int32_t)p[FACTOR]);
	memcpy(&least, &real, sizeof real);
	return least;
}

/* A chunk begins with how many bits each element takes, and the least element. Elements that take all their
 * bits are stored as they are, in little-endian order. */
sheaf_status sheaf_undo_scaleoffset(sheaf_coding *c)
{
	enum { HEAD = 21, INTEGERS = 2 };
	const uint32_t *p = (const uint32_t *)c->parameters;
	sheaf_type type;
	bool is_known = p[0] >= PARAMETERS && (p[CLASS] ? p[CLASS] == 1 && p[TYPE] == 0 : p[TYPE] == INTEGERS) &&
	                sheaf_box_number_type(p[CLASS] ? 'f' : 'u', p[WIDTH], &type);
	if (!is_known || p[ELEMENTS] > INT32_MAX / p[WIDTH]) return SHEAF_UNSUPPORTED;
	size_t width = p[WIDTH];
	c->size = p[ELEMENTS] * width;
	if (c->size > c->room) return SHEAF_OK;
	if (c->from.size < HEAD) return SHEAF_DATA;
	uint32_t bits = sheaf_load_u32le(c->from.data);
	stream s = {{c->from.data + HEAD, c->from.size - HEAD}, 0};
	bool is_plain = bits == 8 * width;
	if (bits > 8 * width || (is_plain && s.from.size < c->size)) return SHEAF_DATA;
	for (size_t done = 0; done < c->size; done += width) {
		uint64_t v = 0;
		for (size_t k = 0; is_plain && k < width; k++) v |= (uint64_t)s.from.data[done + k] << 8 * k;
		if (!is_plain && !take(&s, bits, &v)) return SHEAF_DATA;
		if (!is_plain) v = unscale(p, v, bits, sheaf_load_u64le(c->from.data + 5));
		store(v, p[IS_BIG], c->to + done, width);
	}
	return SHEAF_OK;
}

/* ---- numcodecs ---- */

/* Makes a number of the one that is stored in its place, in the arithmetic of NumPy: adds it to those before
 * it, where integers wrap around, or undoes a scale and an offset. False if the type does not hold the
 * result.
 */
static bool unscale_one(const sheaf_box_scaling *s, sheaf_box_stored stored, uint64_t *sum, double *total,
                        uint8_t *to)
{
	double v;
	uint64_t word;
	bool is_integer = s->type < SHEAF_F32, is_single = s->type == SHEAF_F32;
	if (s->is_delta && is_integer) {
		if (sheaf_box_convert(stored, s->stored < SHEAF_I8 ? SHEAF_U64 : SHEAF_I64, &word) >= 0) return false;
		*sum += word;
		word = *sum & UINT64_MAX >> (64 - 8 * sheaf_type_size(s->type));
		sheaf_type pattern = s->type < SHEAF_I8 ? s->type : s->type - (SHEAF_I8 - SHEAF_U8);
		return sheaf_box_convert((sheaf_box_stored){SHEAF_U64, false, &word, 1}, pattern, to) < 0;
	}
	if (sheaf_box_convert(stored, SHEAF_F64, &v) >= 0) return false;
	if (s->is_delta)
		v = *total = is_single ? (double)((float)*total + (float)v) : *total + v;
	else
		v = s->stored == SHEAF_F32 ? (double)((float)v / (float)s->scale + (float)s->offset)
		                           : v / s->scale + s->offset;
	v = is_single ? (double)(float)v : is_integer ? trunc(v) + 0.0 /* no negative zero */ : v;
	return sheaf_box_convert((sheaf_box_stored){SHEAF_F64, false, &v, 1}, s->type, to) < 0;
}

sheaf_status sheaf_undo_scaling(sheaf_coding *c)
{
	const sheaf_box_scaling *s = (const sheaf_box_scaling *)c->parameters;
	size_t width = sheaf_type_size(s->type), step = sheaf_type_size(s->stored), n = c->from.size / step;
	uint64_t sum = 0;
	double total = 0;
	c->size = n * width;
	if (c->from.size % step) return SHEAF_DATA;
	if (c->size > c->room) return SHEAF_OK;
	c->found = "a number that its type does not hold";
	for (size_t i = 0; i < n; i++) {
		sheaf_box_stored stored = {s->stored, s->stored_is_swapped, c->from.data + i * step, 1};
		if (!unscale_one(s, stored, &sum, &total, c->to + i * width)) return SHEAF_DATA;
	}
	if (s->is_swapped) sheaf_box_convert((sheaf_box_stored){s->type, true, c->to, n}, s->type, c->to);
	return SHEAF_OK;
}
