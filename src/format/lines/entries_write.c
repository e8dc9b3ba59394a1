/* SPDX-License-Identifier: MIT */
/* Entries into lines, in the order in which they come. */
#include "base/context.h"
#include "base/memory.h"
#include "format/lines/entries.h"
#include "number/digits.h"
#include "number/number.h"
#include "number/spell.h"

enum { BATCH = 256 };

static inline char *put_coordinate(char *to, int64_t value)
{
	to = value < 99999999 ? sheaf_put_below_1e8(to, (uint32_t)value + 1)
	                      : sheaf_print_u64(to, (uint64_t)value + 1);
	*to = ' ';
	return to + 1;
}

/* Numbers are printed in groups of this size, and their lines with them. */
typedef struct group {
	const sheaf_column *values;
	sheaf_spelling spelled;
	int64_t from;  /* the row of the first */
	int64_t first; /* the last first coordinate, and its text: it is often repeated */
	int first_size;
	char first_text[SHEAF_NUMBER_MAX];
} group;

/* Writes the coordinates of row r, each with a blank after it. The first one is often that of the row
 * before, whose text is kept and copied as a whole. */
static inline char *put_place(const sheaf_entry_style *style, group *g, char *to, const sheaf_frame *frame,
                              int64_t r)
{
	int64_t first = sheaf_coordinate_at(&frame->columns[style->columns[0]], r);
	if (first != g->first) {
		g->first = first;
		g->first_size = (int)(put_coordinate(g->first_text, first) - g->first_text);
	}
	memcpy(to, g->first_text, sizeof g->first_text);
	to += g->first_size;
	for (int c = 1; c < style->ncoordinates; c++)
		to = put_coordinate(to, sheaf_coordinate_at(&frame->columns[style->columns[c]], r));
	return style->one_column ? put_coordinate(to, 0) : to;
}

/* Spells the numbers of rows [from, to) at once, with the other sign, or as conjugates, as the style says. */
static void spell_group(const sheaf_entry_style *style, group *g, int64_t from, int64_t to)
{
	int64_t parts = style->value == SHEAF_ENTRY_COMPLEX ? 2 : 1;
	const double *reals = (const double *)(const void *)g->values->values.data + from * parts;
	double turned[SHEAF_SPELLED];
	size_t n = (size_t)((to - from) * parts);
	for (size_t k = 0; k < n && style->sign != SHEAF_ENTRY_AS_IS; k++)
		turned[k] = style->sign == SHEAF_ENTRY_OPPOSITE || k % 2 ? -reals[k] : reals[k];
	sheaf_spell_f64(&g->spelled, style->sign == SHEAF_ENTRY_AS_IS ? reals : turned, n);
	g->from = from;
}

/* Writes an integer. The smallest one has a negative that is no int64, but a text. */
static inline char *put_integer(const sheaf_entry_style *style, char *to, const sheaf_column *values,
                                int64_t r)
{
	const int64_t *integers = (const int64_t *)(const void *)values->values.data;
	if (values->type == SHEAF_U8) return sheaf_print_u64(to, values->values.data[r] != 0);
	if (values->type == SHEAF_U64) return sheaf_print_u64(to, (uint64_t)integers[r]);
	if (style->sign == SHEAF_ENTRY_AS_IS) return sheaf_print_i64(to, integers[r]);
	if (integers[r] == INT64_MIN) return sheaf_print_u64(to, UINT64_C(1) << 63);
	return sheaf_print_i64(to, -integers[r]);
}

/* Writes the value of row r: a number that its group has spelled, an integer, or nothing for a pattern,
 * whose line ends after its coordinates. */
static inline char *put_value(const sheaf_entry_style *style, char *to, const group *g, int64_t r)
{
	size_t k = (size_t)(r - g->from);
	switch (style->value) {
	case SHEAF_ENTRY_REAL: return sheaf_print_spelled_f64(to, &g->spelled, k);
	case SHEAF_ENTRY_COMPLEX:
		to = sheaf_print_spelled_f64(to, &g->spelled, 2 * k);
		*to++ = ' ';
		return sheaf_print_spelled_f64(to, &g->spelled, 2 * k + 1);
	case SHEAF_ENTRY_PATTERN: return to - 1; /* the space after the coordinates */
	default: return put_integer(style, to, g->values, r);
	}
}

/* Appends the lines of entries [from, to). Room for the longest possible lines is made at once. Values
 * are spelled in groups of up to SHEAF_SPELLED numbers. */
static void put_lines(const sheaf_entry_style *style, sheaf_builder *b, const sheaf_frame *frame,
                      int64_t from, int64_t to)
{
	group g = {.values = &frame->columns[style->rank], .first = -1};
	bool is_spelled = style->value == SHEAF_ENTRY_REAL || style->value == SHEAF_ENTRY_COMPLEX;
	int64_t lines = style->value == SHEAF_ENTRY_COMPLEX ? SHEAF_SPELLED / 2 : SHEAF_SPELLED;
	/* The longest line: its coordinates, two numbers, and the room that copying the first coordinate
	 * needs. */
	size_t most = (size_t)(style->ncoordinates + 3) * SHEAF_NUMBER_MAX;
	if (!sheaf_builder_room(b, (uint64_t)(to - from) * most)) return;
	char *at = (char *)b->data + b->size;
	for (int64_t r = from; r < to; r++) {
		if (is_spelled && (r - from) % lines == 0) spell_group(style, &g, r, to - r < lines ? to : r + lines);
		if (style->ncoordinates) at = put_place(style, &g, at, frame, r);
		at = put_value(style, at, &g, r);
		*at++ = '\n';
	}
	b->size = (size_t)(at - (char *)b->data);
}

sheaf_status sheaf_entry_encode(const sheaf_entry_style *style, const sheaf_frame *frame, sheaf_builder *b,
                                sheaf_error *err)
{
	for (int64_t from = 0; from < frame->nrows && !b->failed; from += BATCH)
		put_lines(style, b, frame, from, frame->nrows - from < BATCH ? frame->nrows : from + BATCH);
	return sheaf_builder_status(b, err);
}

/* ---- before the entries ---- */

sheaf_status sheaf_entry_write_header(const sheaf_output *out, const sheaf_builder *header, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(header, err));
	return sheaf_sink_write(out->sink, header->data, header->size, err);
}
