/* SPDX-License-Identifier: MIT */
/* Cells of tables of sequences: numbers, texts, and the entries in these. Both passes over a table read cells
 * with these functions, so that they cannot disagree about what a cell is. Numbers of samples, and indices in
 * a column of their own, are doubles below 10^15, which hold whole numbers exactly. */
#include "number/number.h"
#include "view/sequences.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <sheaf/arrays.h>
#include <stdio.h>
#include <string.h>

bool sheaf_sequence_is_place(double number)
{
	return number >= 0 && number < 1e15 && (double)(int64_t)number == number;
}

/* Reads the number in row r as a double, to which an integer of 64 bits is rounded; false if the cell is
 * missing. */
bool sheaf_sequence_number(const sheaf_column *column, int64_t r, double *out)
{
	sheaf_items items = {.type = column->type, .count = r + 1, .data = column->values.data};
	if (column->nlevels && sheaf_level_is_null(&column->levels[0], r)) return false;
	*out = sheaf_items_number(&items, r);
	return true;
}

/* Whether a float64 holds a whole number exactly: its magnitude has at most 53 bits before trailing zeros.
 * Converting it and back does not answer that, since processors that compute with 80 bits keep all 64. */
static bool float64_holds(uint64_t magnitude)
{
	return magnitude == 0 || magnitude >> __builtin_ctzll(magnitude) < UINT64_C(1) << DBL_MANT_DIG;
}

/* Writes the integer in row r into `text`, and returns that, if a float64 would round it; NULL otherwise.
 * Streams have at most float64, so such a number would silently become another one. */
const char *sheaf_sequence_inexact(const sheaf_column *column, int64_t r, char text[SHEAF_SEQUENCE_INTEGER])
{
	const void *all = column->values.data;
	if (column->type == SHEAF_I64) {
		int64_t v = ((const int64_t *)all)[r];
		if (float64_holds(v < 0 ? 0 - (uint64_t)v : (uint64_t)v)) return NULL;
		snprintf(text, SHEAF_SEQUENCE_INTEGER, "%" PRId64, v);
	} else if (column->type == SHEAF_U64) {
		uint64_t v = ((const uint64_t *)all)[r];
		if (float64_holds(v)) return NULL;
		snprintf(text, SHEAF_SEQUENCE_INTEGER, "%" PRIu64, v);
	} else {
		return NULL;
	}
	return text;
}

/* Gives the text in row r, which stays in the column; false if the cell is missing. */
bool sheaf_sequence_text(const sheaf_column *column, int64_t r, const uint8_t **text, size_t *size)
{
	if (sheaf_level_is_null(&column->levels[0], r)) return false;
	sheaf_run run = sheaf_level_below_one(&column->levels[0], r);
	*text = sheaf_column_bytes(column, run).data;
	*size = (size_t)sheaf_run_length(run);
	return true;
}

/* Reads a number at *at, or one of the words that this library writes for not-a-number and infinities; *at
 * moves past it. A number that is too large for a double is none. */
static bool scan_value(const char **at, const char *end, double *value)
{
	static const struct {
		const char *word;
		double value;
	} words[] = {{"nan", (double)NAN}, {"inf", (double)INFINITY}, {"-inf", -(double)INFINITY}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i].word);
		if ((size_t)(end - *at) < n || memcmp(*at, words[i].word, n) != 0) continue;
		*value = words[i].value;
		*at += n;
		return true;
	}
	sheaf_scanned s = sheaf_scan_f64(*at, end, value);
	if (s.flaw != SHEAF_NUMBER_OK || s.infinite) return false;
	*at = s.end;
	return true;
}

/* Reads the next entry, like "3:0.5", of a text. At the end, which spaces may precede, it returns false and
 * *at is `end`; where something else comes, it returns false and *at stays before it. */
bool sheaf_sequence_entry(const char **at, const char *end, int64_t *index, double *value)
{
	uint64_t number;
	const char *place = *at;
	while (place < end && *place == ' ') place++;
	if (place == end) *at = end;
	if (place == end) return false;
	sheaf_scanned s = sheaf_scan_u64(place, end, &number);
	if (s.flaw != SHEAF_NUMBER_OK || s.end == end || *s.end != ':' || number >= INT64_MAX) return false;
	place = s.end + 1;
	if (!scan_value(&place, end, value) || (place < end && *place != ' ')) return false;
	*index = (int64_t)number;
	*at = place;
	return true;
}
