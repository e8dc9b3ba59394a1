/* SPDX-License-Identifier: MIT */
/* The loop that a programmer writes to read numbers, for any function that reads one number: ids, indices and
 * values alike. Names and spaces are passed, nothing is checked; values and indices go to memory that is used
 * again and again. */
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

static inline bool walk_is_digit(char c) { return c >= '0' && c <= '9'; }

/* The text ends with a line feed. Returns how many values it holds. */
__attribute__((always_inline)) static inline int64_t walk(const char *at, const char *end, bool sparse,
                                                          kept *out, number_reader number)
{
	int64_t n = 0;
	float id, index;
	while (at < end) {
		if (walk_is_digit(*at)) at = number(at, end, &id);
		while (*at != '\n') {
			if (walk_is_digit(*at) || *at == '-') {
				if (sparse) {
					at = number(at, end, &index) + 1;
					out->indices[n % KEPT] = (int32_t)index;
				}
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
