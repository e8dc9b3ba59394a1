/* SPDX-License-Identifier: MIT */
/* Lines that are alike, byte by byte, which defines what is read. */
#include "number/kernels/alike.h"
#include "number/kernels/kernel_parts.h"
#include <string.h>

static inline bool is_digit(uint8_t byte) { return (uint8_t)(byte - '0') <= 9; }

bool sheaf_line_shape_of(const uint8_t *line, const uint8_t *end, sheaf_line_shape *out)
{
	int others = 0;
	*out = (sheaf_line_shape){0};
	if (end - line > SHEAF_ALIKE_BYTES || end == line || end[-1] != '\n') return false;
	for (const uint8_t *at = line; at < end; at++) {
		if (is_digit(*at)) continue;
		bool ends_number = at > line && is_digit(at[-1]);
		out->numbered |= (uint64_t)ends_number << others;
		out->numbers += ends_number;
		out->others[others++] = *at;
	}
	return out->numbers > 0 && out->numbers <= SHEAF_ALIKE_NUMBERS;
}

/* The digits at `at`, of which there are `size`, are those of a fixed number. */
static bool is_fixed(const sheaf_line_shape *shape, int number, const uint8_t *at, size_t size)
{
	uint8_t digits[SHEAF_ALIKE_DIGITS] = {0};
	memcpy(digits + SHEAF_ALIKE_DIGITS - size, at, size);
	return memcmp(digits, shape->digits[number], sizeof digits) == 0;
}

/* After the digits at `at`; NULL where they are too many, or not those that are fixed. */
static const uint8_t *read_number(sheaf_alike *run, const uint8_t *at, const uint8_t *end, int number)
{
	const uint8_t *begin = at;
	uint32_t value = 0;
	while (at < end && is_digit(*at) && at - begin < SHEAF_ALIKE_DIGITS)
		value = value * 10 + (uint32_t)(*at++ - '0');
	if (at == end || is_digit(*at)) return NULL;
	run->numbers[run->count][number] = value;
	bool fixed = run->shape->fixed >> number & 1;
	return !fixed || is_fixed(run->shape, number, begin, (size_t)(at - begin)) ? at : NULL;
}

/* After the line at `at`; NULL where it is not alike. */
static const uint8_t *read_line(sheaf_alike *run, const uint8_t *at, const uint8_t *end)
{
	const sheaf_line_shape *shape = run->shape;
	int number = 0;
	for (int other = 0; at < end; other++) {
		bool numbered = shape->numbered >> other & 1;
		if (numbered != is_digit(*at)) return NULL;
		if (numbered && !(at = read_number(run, at, end, number++))) return NULL;
		if (*at != shape->others[other]) return NULL;
		if (*at++ == '\n') return at;
	}
	return NULL;
}

static void note_most(sheaf_alike *run)
{
	for (int i = 0; i < run->shape->numbers; i++) {
		uint32_t number = run->numbers[run->count][i];
		run->most[i] = number > run->most[i] ? number : run->most[i];
	}
}

void sheaf_alike_portable(sheaf_alike *run)
{
	const uint8_t *begin = run->at;
	run->count = 0;
	memset(run->most, 0, sizeof run->most);
	while (run->count < SHEAF_ALIKE_LINES) {
		const uint8_t *end = run->end - run->at > SHEAF_ALIKE_BYTES ? run->at + SHEAF_ALIKE_BYTES : run->end;
		const uint8_t *next = read_line(run, run->at, end);
		if (!next) return;
		note_most(run);
		run->at = next;
		run->ends[run->count++] = (uint32_t)(next - begin);
	}
}
