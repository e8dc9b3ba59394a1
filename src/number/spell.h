/* SPDX-License-Identifier: MIT */
/* The shortest digits of several floats at once, for printing lists of them. */
#ifndef SHEAF_NUMBER_SPELL_H
#define SHEAF_NUMBER_SPELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for the dependency chains of several to run in parallel. */
enum { SHEAF_SPELLED = 32 };

/* Digits as text, padded with zeros: the first, the next eight, the last eight; how many stand before the
 * zeros at the end, and the exponent of the first. Only of finite numbers that are not 0; of float32s, the
 * count is 0 where there are no digits. */
typedef struct sheaf_spelling {
	double values[SHEAF_SPELLED];
	bool is_spelled; /* otherwise there are only the values */
	uint64_t first[SHEAF_SPELLED], next[SHEAF_SPELLED], last[SHEAF_SPELLED];
	int64_t count[SHEAF_SPELLED], exponent[SHEAF_SPELLED];
} sheaf_spelling;

/* Spells the first n values, or a few more, whatever they are. */
typedef void sheaf_speller(sheaf_spelling *s, size_t n);

/* Takes up to SHEAF_SPELLED values. */
void sheaf_spell_f32(sheaf_spelling *s, const float *values, size_t n);
void sheaf_spell_f64(sheaf_spelling *s, const double *values, size_t n);
/* The text that sheaf_print_f32 and sheaf_print_f64 give for value number k. */
char *sheaf_print_spelled_f32(char *to, const sheaf_spelling *s, size_t k);
char *sheaf_print_spelled_f64(char *to, const sheaf_spelling *s, size_t k);

#endif
