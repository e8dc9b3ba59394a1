/* SPDX-License-Identifier: MIT */
/* For each piece, in words of 64 bits: the longest row, whether keys are the numbers of rows, then samples
 * and entries (stored values) of each stream. All pieces of a table have the same number of words, so that
 * those of a piece are found without a list. */
#include "dataset/index/counts.h"
#include "base/endian.h"
#include "dataset/input/measure.h"
#include "frame/frame.h"

enum { WORD = 8, BEFORE = 2, EACH = 2 };

static int count_streams(const sheaf_schema *schema)
{
	int n = 0;
	for (int f = 0; f < schema->nfields; f++) n += sheaf_field_is_stream(&schema->fields[f]);
	return n;
}

bool sheaf_counts_apply(const sheaf_schema *schema)
{
	return schema->rows == SHEAF_SEQUENCES && count_streams(schema) > 0;
}

size_t sheaf_counts_size(const sheaf_schema *schema)
{
	return sheaf_counts_apply(schema) ? (size_t)(BEFORE + EACH * count_streams(schema)) * WORD : 0;
}

/* ---- making ---- */

/* Adds the counts of a piece, of which the frame has all rows; `row` is the number of the first. A piece
 * without rows has counts, too: zeros, and keys that count as ordinal. */
void sheaf_counts_add(sheaf_builder *counts, const sheaf_schema *schema, const sheaf_frame *frame,
                      int64_t row)
{
	bool has_rows = frame->nrows > 0;
	sheaf_facts facts = {.ordinal_keys = 1};
	if (has_rows) sheaf_facts_add(&facts, schema, frame, row);
	sheaf_builder_u64le(counts, (uint64_t)facts.longest);
	sheaf_builder_u64le(counts, (uint64_t)facts.ordinal_keys);
	for (int f = 0; f < schema->nfields; f++) {
		sheaf_run samples = {0}, entries = {0};
		if (!sheaf_field_is_stream(&schema->fields[f])) continue;
		if (has_rows) samples = sheaf_level_below(&frame->columns[f].levels[0], (sheaf_run){0, frame->nrows});
		if (has_rows) entries = sheaf_level_below(&frame->columns[f].levels[1], samples);
		sheaf_builder_u64le(counts, (uint64_t)sheaf_run_length(samples));
		sheaf_builder_u64le(counts, (uint64_t)sheaf_run_length(entries));
	}
}

/* ---- asking ---- */

/* The counts of piece i, in the memory of the table. */
static const uint8_t *counts_of(const sheaf_pieces *p, int64_t i)
{
	return p->counts.data + p->counts.size / (size_t)p->count * (size_t)i;
}

/* Whether the counts that come from a file are sound as far as that shows: the mark of keys is 0 or 1. */
bool sheaf_counts_are_known(const sheaf_pieces *p)
{
	for (int64_t i = 0; p->counts.size && i < p->count; i++)
		if (sheaf_load_u64le(counts_of(p, i) + WORD) > 1) return false;
	return true;
}

/* Gives the greatest length of a row in piece i, and whether keys are the numbers of rows; false if the
 * table has no counts. */
bool sheaf_counts_shape(const sheaf_pieces *p, int64_t i, int64_t *longest, bool *ordinal)
{
	if (p->counts.size == 0) return false;
	*longest = sheaf_load_i64le(counts_of(p, i));
	*ordinal = sheaf_load_i64le(counts_of(p, i) + WORD) == 1;
	return true;
}
