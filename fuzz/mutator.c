/* SPDX-License-Identifier: MIT */
/* Mutations that know how binary files are built: counts, lengths and offsets are integers of 1, 2, 4 or 8
 * bytes in either byte order, mostly not above the size of the file. Such fields are set to values that
 * readers get wrong, or copied over one another; runs of bytes are moved, repeated or cut out, with the
 * fields that counted them mended or left as they were. Text is left to libFuzzer and its dictionaries. */
#include "mutator.h"

#include <string.h>

enum { HEAD = 4 /* choices of a target, not of the file */, MOST_RUN = 256, TRIES = 64 };

typedef struct random_bits {
	uint64_t state;
} random_bits;

static size_t draw(random_bits *r, size_t below)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = r->state;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return below ? (size_t)((z ^ z >> 31) % below) : 0;
}

/* ---- fields ---- */

typedef struct field {
	size_t at, width;
	int big; /* the byte order */
} field;

static uint64_t get(const uint8_t *data, field f)
{
	uint64_t value = 0;
	for (size_t i = 0; i < f.width; i++) value = value << 8 | data[f.at + (f.big ? i : f.width - 1 - i)];
	return value;
}

static void put(uint8_t *data, field f, uint64_t value)
{
	for (size_t i = 0; i < f.width; i++, value >>= 8)
		data[f.at + (f.big ? f.width - 1 - i : i)] = (uint8_t)value;
}

static field any_field(const uint8_t *data, size_t size, random_bits *r)
{
	(void)data;
	field f = {0, (size_t)1 << draw(r, 4), draw(r, 4) == 0};
	while (f.width > size - HEAD) f.width /= 2;
	f.at = HEAD + draw(r, size - HEAD - f.width + 1);
	return f;
}

/* One that could be a count, a length or an offset: above 0 and not above the size of the file. */
static field likely_field(const uint8_t *data, size_t size, random_bits *r)
{
	field f = any_field(data, size, r);
	for (int i = 0; i < TRIES; i++) {
		uint64_t value = get(data, f);
		if (value > 0 && value <= size && (f.width > 1 || i > TRIES / 2)) break;
		f = any_field(data, size, r);
	}
	return f;
}

static uint64_t odd_value(uint64_t old, field f, size_t size, random_bits *r)
{
	uint64_t most = f.width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * f.width) - 1;
	const uint64_t values[] = {0,
	                           1,
	                           old + 1,
	                           old - 1,
	                           old * 2,
	                           old / 2,
	                           old + 8,
	                           -old,
	                           most,
	                           most - 1,
	                           most / 2,
	                           most / 2 + 1,
	                           size,
	                           size - HEAD,
	                           size - f.at,
	                           size - f.at - f.width,
	                           f.at - HEAD,
	                           UINT64_C(1) << draw(r, 64),
	                           draw(r, size + 1)};
	return values[draw(r, sizeof values / sizeof *values)];
}

static size_t change_field(uint8_t *data, size_t size, random_bits *r)
{
	field f = likely_field(data, size, r);
	put(data, f, odd_value(get(data, f), f, size, r));
	return size;
}

static size_t copy_field(uint8_t *data, size_t size, random_bits *r)
{
	field from = likely_field(data, size, r), to = likely_field(data, size, r);
	put(data, to, get(data, from));
	return size;
}

/* ---- runs of bytes ---- */

/* Where a run begins: often where a field says that something does. */
static size_t place_of_run(const uint8_t *data, size_t size, random_bits *r)
{
	if (draw(r, 2)) return HEAD + draw(r, size - HEAD);
	uint64_t value = get(data, likely_field(data, size, r));
	return value < size - HEAD ? HEAD + (size_t)value : HEAD + draw(r, size - HEAD);
}

static size_t length_of_run(size_t most, random_bits *r)
{
	size_t length = (size_t)1 << draw(r, 9);
	if (draw(r, 2)) length += draw(r, length);
	return length < most ? length : most;
}

/* Fields that counted the bytes of the file, or of what is left of it after them, count `now` again. */
static void mend_sizes(uint8_t *data, size_t before, size_t now)
{
	for (size_t width = 4; width <= 8; width += 4)
		for (size_t at = HEAD; at + width <= now; at++) {
			field f = {at, width, 0};
			uint64_t value = get(data, f);
			if (value == before - HEAD) put(data, f, now - HEAD);
			if (value > 16 && value == before - at - width) put(data, f, now - at - width);
		}
}

static size_t cut_run(uint8_t *data, size_t size, random_bits *r)
{
	size_t at = place_of_run(data, size, r), n = length_of_run(size - at, r);
	memmove(data + at, data + at + n, size - at - n);
	if (draw(r, 2)) mend_sizes(data, size, size - n);
	return size - n;
}

static size_t repeat_run(uint8_t *data, size_t size, size_t most, random_bits *r)
{
	uint8_t run[2 * MOST_RUN];
	size_t from = place_of_run(data, size, r), to = place_of_run(data, size, r);
	size_t n = length_of_run(size - from, r);
	if (n > MOST_RUN) n = MOST_RUN;
	if (n > most - size) n = most - size;
	memcpy(run, data + from, n);
	memmove(data + to + n, data + to, size - to);
	memcpy(data + to, run, n);
	if (n && draw(r, 2)) mend_sizes(data, size, size + n);
	return size + n;
}

static size_t overwrite_run(uint8_t *data, size_t size, random_bits *r)
{
	size_t from = place_of_run(data, size, r), to = place_of_run(data, size, r);
	size_t n = length_of_run(size - (from > to ? from : to), r);
	memmove(data + to, data + from, n);
	return size;
}

/* ---- the two faces ---- */

static int is_text(const uint8_t *data, size_t size)
{
	for (size_t i = HEAD; i < size; i++)
		if (data[i] < 32 && data[i] != '\t' && data[i] != '\n' && data[i] != '\r') return 0;
	return 1;
}

size_t mutate_binary(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	enum { LEAST = HEAD + 8 };
	random_bits r = {seed};
	if (size < LEAST || size > most || is_text(data, size)) return 0;
	for (uint64_t changes = 1 + draw(&r, 3); changes && size >= LEAST; changes--) switch (draw(&r, 8)) {
		case 0: size = copy_field(data, size, &r); break;
		case 1: size = cut_run(data, size, &r); break;
		case 2: size = repeat_run(data, size, most, &r); break;
		case 3: size = overwrite_run(data, size, &r); break;
		default: size = change_field(data, size, &r); break;
		}
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size_t changed = seed % 4 ? mutate_binary(data, size, most, seed) : 0;
	return changed ? changed : LLVMFuzzerMutate(data, size, most);
}
