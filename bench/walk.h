/* SPDX-License-Identifier: MIT */
/* The loop that a programmer writes to get at the numbers, for whatever reads one number. Ids and indices are read digit by
 * digit, names and spaces are passed, nothing is checked; values and indices go to memory that is used again and again. */
#ifndef BENCH_WALK_H
#define BENCH_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum { KEPT = 1 << 20 };

typedef struct kept {
	float values[KEPT];
	int32_t indices[KEPT];
} kept;

/* Reads the number at `at` and returns where it ends. */
typedef const char *(*number_reader)(const char *at, const char *end, float *value);

static inline const char *walk_digits(const char *at, int32_t *value)
{
	uint32_t v = 0;
	while (*at >= '0' && *at <= '9') v = v * 10 + (uint32_t)(*at++ - '0');
	*value = (int32_t)v;
	return at;
}

/* The text ends with a line feed. Returns how many values it holds. */
__attribute__((always_inline)) static inline int64_t walk(const char *at, const char *end, bool sparse, kept *out, number_reader number)
{
	int64_t n = 0;
	int32_t id;
	while (at < end) {
		at = walk_digits(at, &id);
		while (*at != '\n') {
			if ((*at >= '0' && *at <= '9') || *at == '-') {
				if (sparse) at = walk_digits(at, &out->indices[n % KEPT]) + 1;
				at = number(at, end, &out->values[n % KEPT]);
				n++;
			} else if (*at <= ' ' || *at == ';') {
				at++;
			} else {
				while (*at > ' ') at++;
			}
		}
		at++;
	}
	return n;
}

#endif
