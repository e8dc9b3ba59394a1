/* SPDX-License-Identifier: MIT */
/* The words for infinity and NaN, for formats that have them. */
#ifndef SHEAF_NUMBER_NONFINITE_H
#define SHEAF_NUMBER_NONFINITE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* "nan", "inf" or "infinity" at `at`, with or without a sign, in any case, as C and Python write them.
 * Returns the position after the word; NULL if there is none. */
static inline const uint8_t *sheaf_scan_nonfinite(const uint8_t *at, const uint8_t *end, double *out)
{
	static const struct {
		const char *word;
		double value;
	} words[] = {{"nan", (double)NAN}, {"infinity", (double)INFINITY}, {"inf", (double)INFINITY}};
	bool negative = at < end && *at == '-';
	at += negative || (at < end && *at == '+');
	if (at == end || (*at | 0x20) < 'i') return NULL; /* a digit, mostly */
	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		size_t n = strlen(words[w].word);
		if ((size_t)(end - at) < n || strncasecmp((const char *)at, words[w].word, n) != 0) continue;
		*out = negative && w ? -words[w].value : words[w].value;
		return at + n;
	}
	return NULL;
}

#endif
