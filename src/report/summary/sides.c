/* SPDX-License-Identifier: MIT */
/* Rows grouped by their inputs and their targets: rows with equal inputs and different targets contradict
 * each other, and no network can learn all of them. The inputs of a row are known by a hash of all its input
 * streams, sample by sample, and so are its targets. */
#include "report/summary/sides.h"
#include "base/context.h"
#include "base/need.h"
#include "base/third/xxhash.h"
#include "frame/frame.h"
#include <string.h>

/* ---- sides ---- */

static bool is_named(const char *name, const char *all, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);
	return strcmp(name, all) == 0 || (length > end && strcmp(name + length - end, suffix) == 0);
}

void sheaf_sides_by_name(sheaf_summary *s)
{
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_field *field = &s->schema.fields[f];
		if (!sheaf_field_is_stream(field)) continue;
		if (is_named(field->name, "inputs", ".input")) s->fields[f].side = SHEAF_SIDE_INPUT;
		if (is_named(field->name, "targets", ".target")) s->fields[f].side = SHEAF_SIDE_TARGET;
	}
}

static bool has_side(const sheaf_summary *s, sheaf_side side)
{
	for (int f = 0; f < s->schema.nfields; f++)
		if (s->fields[f].side == side) return true;
	return false;
}

sheaf_status sheaf_sides_begin(sheaf_summary *s, size_t *left, sheaf_error *err)
{
	size_t size = SHEAF_INPUTS_SLOTS * sizeof *s->contradictions.slots;
	if (s->contradictions.slots || size > *left || !has_side(s, SHEAF_SIDE_INPUT) ||
	    !has_side(s, SHEAF_SIDE_TARGET))
		return SHEAF_OK;
	*left -= size;
	return sheaf_contradictions_begin(&s->contradictions, s->cx, err);
}

/* The first call makes all streams inputs, whatever their names say; each call makes one a target. */
sheaf_status sheaf_summary_target(sheaf_summary *s, const char *stream, sheaf_error *err)
{
	enum { SHARE = 4 };
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(stream, "the name of a stream");
	int f = sheaf_schema_find(&s->schema, stream);
	if (f < 0 || !sheaf_field_is_stream(&s->schema.fields[f]))
		return sheaf_refuse_stream("target", stream, "the dataset", &s->schema, err);
	if (s->shares || s->rows)
		return sheaf_misuse(err, __func__, "expected a call before the first frame, found one after it");
	if (!s->sides_given)
		for (int i = 0; i < s->schema.nfields; i++)
			s->fields[i].side =
				sheaf_field_is_stream(&s->schema.fields[i]) ? SHEAF_SIDE_INPUT : SHEAF_SIDE_NONE;
	s->sides_given = true;
	s->fields[f].side = SHEAF_SIDE_TARGET;
	size_t left = (size_t)(sheaf_max_memory(s->cx) / SHARE);
	return sheaf_sides_begin(s, &left, err);
}

/* ---- hashes ---- */

static sheaf_digest hash_more(sheaf_digest before, const void *numbers, size_t n, size_t size)
{
	return sheaf_xxhash_numbers(numbers, n, size, before.low ^ before.high);
}

static sheaf_digest hash_values(sheaf_digest before, const sheaf_column *column, sheaf_run run)
{
	int64_t size = (int64_t)sheaf_type_size(column->type);
	sheaf_bytes bytes = sheaf_column_bytes(column, (sheaf_run){run.begin * size, run.end * size});
	return hash_more(before, bytes.data, bytes.size / (size_t)size, (size_t)size);
}

/* Goes on with a hash over one stream of a row: how many samples the row has, and their values; of sparse
 * ones, sample by sample, how many entries, their indices and their values. */
static sheaf_digest hash_stream(sheaf_digest hash, const sheaf_column *column, int64_t row)
{
	const sheaf_level *level = &column->levels[1];
	sheaf_run samples = sheaf_level_below_one(&column->levels[0], row);
	int64_t n = sheaf_run_length(samples);
	hash = hash_more(hash, &n, 1, sizeof n);
	if (level->shape.kind != SHEAF_COORD) return hash_values(hash, column, sheaf_level_below(level, samples));
	for (int64_t p = samples.begin; p < samples.end; p++) {
		sheaf_run run = sheaf_level_below_one(level, p);
		n = sheaf_run_length(run);
		hash = hash_more(hash, &n, 1, sizeof n);
		for (int64_t e = run.begin; e < run.end; e++) {
			int64_t index = sheaf_level_index(level, 0, e);
			hash = hash_more(hash, &index, 1, sizeof index);
		}
		hash = hash_values(hash, column, run);
	}
	return hash;
}

static sheaf_digest hash_side(const sheaf_summary *s, const sheaf_frame *frame, sheaf_side side, int64_t row)
{
	sheaf_digest hash = {0, 0};
	for (int f = 0; f < s->schema.nfields; f++)
		if (s->fields[f].side == side) hash = hash_stream(hash, &frame->columns[f], row);
	return hash;
}

void sheaf_sides_add(sheaf_summary *s, const sheaf_frame *frame, int64_t row)
{
	if (!s->contradictions.slots) return;
	for (int64_t r = 0; r < frame->nrows; r++) {
		sheaf_digest inputs = hash_side(s, frame, SHEAF_SIDE_INPUT, r);
		sheaf_same_inputs one = {.low = inputs.low,
		                         .high = inputs.high,
		                         .count = 1,
		                         .targets = hash_side(s, frame, SHEAF_SIDE_TARGET, r).low,
		                         .first = row + r,
		                         .other = -1};
		sheaf_contradictions_add(&s->contradictions, &one);
	}
}
