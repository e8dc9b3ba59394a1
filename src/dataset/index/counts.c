/* SPDX-License-Identifier: MIT */
/* For each piece: the longest row, whether keys are numbers, then samples and entries of each stream. */
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

static sheaf_stream_count count(const sheaf_column *column, int64_t nrows)
{
	sheaf_run samples = sheaf_level_below(&column->levels[0], (sheaf_run){0, nrows});
	sheaf_run entries = sheaf_level_below(&column->levels[1], samples);
	return (sheaf_stream_count){sheaf_run_length(samples), sheaf_run_length(entries)};
}

void sheaf_counts_add(sheaf_builder *counts, const sheaf_schema *schema, const sheaf_frame *frame,
                      int64_t row)
{
	bool some = frame->nrows > 0;
	sheaf_facts facts = {.ordinal_keys = 1};
	if (some) sheaf_facts_add(&facts, schema, frame, row);
	sheaf_builder_u64le(counts, (uint64_t)facts.longest);
	sheaf_builder_u64le(counts, (uint64_t)facts.ordinal_keys);
	for (int f = 0; f < schema->nfields; f++) {
		if (!sheaf_field_is_stream(&schema->fields[f])) continue;
		sheaf_stream_count c = {0};
		if (some) c = count(&frame->columns[f], frame->nrows);
		sheaf_builder_u64le(counts, (uint64_t)c.samples);
		sheaf_builder_u64le(counts, (uint64_t)c.entries);
	}
}

/* ---- asking ---- */

static const uint8_t *at(const sheaf_pieces *p, int64_t i)
{
	return p->counts.data + p->counts.size / (size_t)p->count * (size_t)i;
}

bool sheaf_counts_are_known(const sheaf_pieces *p)
{
	for (int64_t i = 0; p->counts.size && i < p->count; i++)
		if (sheaf_load_u64le(at(p, i) + WORD) > 1) return false;
	return true;
}

bool sheaf_counts_shape(const sheaf_pieces *p, int64_t i, int64_t *longest, bool *ordinal)
{
	if (p->counts.size == 0) return false;
	*longest = sheaf_load_i64le(at(p, i));
	*ordinal = sheaf_load_i64le(at(p, i) + WORD) == 1;
	return true;
}

sheaf_stream_count sheaf_counts_at(const sheaf_pieces *p, int64_t i, int stream)
{
	const uint8_t *from = at(p, i) + (size_t)(BEFORE + EACH * stream) * WORD;
	return (sheaf_stream_count){sheaf_load_i64le(from), sheaf_load_i64le(from + WORD)};
}
