/* SPDX-License-Identifier: MIT */
/* Columns into examples: a row becomes an example, a sample an event, and each stream a range of its group's
 * inputs or targets.
 *
 *   row                    example: name, proc, frequency
 *     sample k             event k: times, proc
 *       stream's values    a range of one group, in the list of its side
 *
 * The example is made in the model that files are parsed into, and one of the two spellings writes it. */
#include "base/context.h"
#include "format/lens/dataset.h"
#include "format/lens/filling.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct encoding {
	const sheaf_lens_output *out;
	const sheaf_frame *frame;
	sheaf_context *cx;
	sheaf_error *err;
	sheaf_lens_set set;
	sheaf_lens_example *example;
	int64_t r, row;                  /* the row in the frame, and in the output */
	int columns[SHEAF_LENS_COLUMNS]; /* of the frame, or -1 */
} encoding;

static const sheaf_lens_stream *stream_at(const encoding *e, int field)
{
	return (const sheaf_lens_stream *)(const void *)e->out->streams.data + field;
}

static bool is_stream(const encoding *e, int field)
{
	return sheaf_field_is_stream(&e->out->schema.fields[field]);
}

/* Reports what the row loses, in a field or, with -1, as a whole. */
static sheaf_status lose(const encoding *e, const char *rule, int field, const char *expected,
                         const char *found, const char *consequence)
{
	sheaf_problem problem = {SHEAF_ERROR, SHEAF_LOSS, rule, SHEAF_NOWHERE, expected, found, consequence};
	problem.place.file = e->out->name;
	problem.place.row = e->row;
	if (field >= 0) problem.place.stream = e->out->schema.fields[field].name;
	return sheaf_report(e->cx, &problem, e->err);
}

/* ---- ranges ---- */

static float value_at(const sheaf_column *column, int64_t at)
{
	return ((const float *)(const void *)column->values.data)[at];
}

static bool same_bits(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

static sheaf_status end_range(encoding *e, int field, sheaf_lens_range *range, sheaf_lens_list *list)
{
	if (sheaf_lens_end_range(&e->set, range, list)) return SHEAF_OK;
	return sheaf_fail(e->err, SHEAF_UNSUPPORTED,
	                  "stream \"%s\": expected at most %d values in a sample, found more",
	                  e->out->schema.fields[field].name, INT32_MAX);
}

/* Consecutive entries with the same value are one range. */
static sheaf_status put_sparse(encoding *e, int field, int32_t group, sheaf_run run, sheaf_lens_list *list)
{
	const sheaf_column *column = &e->frame->columns[field];
	int64_t at = run.begin;
	do {
		float value = run.begin < run.end ? value_at(column, at) : sheaf_lens_defaults[SHEAF_LENS_ACT_I];
		sheaf_lens_range *range = sheaf_lens_begin_range(&e->set, true, group, value);
		for (; at < run.end && same_bits(value_at(column, at), value); at++) {
			int32_t unit = (int32_t)sheaf_level_index(&column->levels[1], 0, at);
			sheaf_builder_append(&e->set.units, &unit, sizeof unit);
		}
		SHEAF_TRY(end_range(e, field, range, list));
	} while (at < run.end && !e->set.units.failed);
	return SHEAF_OK;
}

static int compare_units(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* A unit has one value: of two, the network would keep the later. The end of `units` is used to sort them. */
static sheaf_status check_repeats(encoding *e, int field, sheaf_run run)
{
	sheaf_builder *b = &e->set.units;
	const sheaf_level *level = &e->frame->columns[field].levels[1];
	size_t before = b->size, n = (size_t)sheaf_run_length(run);
	char found[64];
	bool sorted = true, again = false;
	for (int64_t at = run.begin + 1; at < run.end; at++)
		sorted &= sheaf_level_index(level, 0, at) > sheaf_level_index(level, 0, at - 1);
	if (sorted || !sheaf_builder_room(b, n * sizeof(int32_t))) return SHEAF_OK;
	int32_t *units = (int32_t *)(void *)(b->data + before);
	for (size_t k = 0; k < n; k++) units[k] = (int32_t)sheaf_level_index(level, 0, run.begin + (int64_t)k);
	qsort(units, n, sizeof *units, compare_units);
	for (size_t k = 1; k < n && !again; k++) {
		again = units[k] == units[k - 1];
		if (again) snprintf(found, sizeof found, "%" PRId32 " twice", units[k]);
	}
	return again ? lose(e, "repeated index", field, "each index once in a sample", found,
	                    "its last value counts")
	             : SHEAF_OK;
}

/* ---- lists ---- */

/* The samples that the row has in a column. */
static sheaf_run samples_of(const encoding *e, int field)
{
	return sheaf_level_below_one(&e->frame->columns[field].levels[0], e->r);
}

/* Whether nothing need be written: no value was given, and the imputed ones are the network's defaults. */
static bool says_nothing(const encoding *e, int field, int64_t sample)
{
	const sheaf_column *column = &e->frame->columns[field];
	sheaf_run run = sheaf_level_below_one(&column->levels[1], sample);
	bool plain = !sheaf_level_has(&column->levels[1], sample);
	for (int64_t at = run.begin; at < run.end && plain; at++) plain = same_bits(value_at(column, at), 0);
	return plain;
}

/* Sample `number` of a stream, as a range of its group. Without such a sample all units get NaN, which means
 * no input and no target. */
static sheaf_status put_stream(encoding *e, int field, int32_t number, sheaf_lens_list *list)
{
	enum { SIZE = sizeof(float) };
	static const int32_t all = -1;
	const sheaf_lens_stream *stream = stream_at(e, field);
	sheaf_run samples = samples_of(e, field);
	int64_t have = sheaf_run_length(samples);
	int32_t group = -1;
	char found[64];
	if (stream->group.size)
		SHEAF_TRY(sheaf_lens_group(&e->set, stream->group.text, stream->group.size, &group, e->err));
	if (number >= have) {
		snprintf(found, sizeof found, "%" PRId64 " of %" PRId32, have, e->example->nevents);
		SHEAF_TRY(lose(e, "unequal lengths", field, "as many samples of every stream", found,
		               "the other events get NaN"));
		sheaf_lens_range *range = sheaf_lens_begin_range(&e->set, true, group, NAN);
		sheaf_builder_append(&e->set.units, &all, sizeof all);
		return end_range(e, field, range, list);
	}
	sheaf_run run = sheaf_level_below_one(&e->frame->columns[field].levels[1], samples.begin + number);
	if (sheaf_field_is_sparse(&e->out->schema.fields[field])) {
		SHEAF_TRY(check_repeats(e, field, run));
		return put_sparse(e, field, group, run, list);
	}
	sheaf_lens_range *range =
		sheaf_lens_begin_range(&e->set, false, group, sheaf_lens_defaults[SHEAF_LENS_ACT_I]);
	sheaf_bytes values =
		sheaf_column_bytes(&e->frame->columns[field], (sheaf_run){run.begin * SIZE, run.end * SIZE});
	sheaf_builder_append(&e->set.values, values.data, values.size);
	return end_range(e, field, range, list);
}

/* The number of the list of one side of an event; -1 if there is nothing to write. */
static sheaf_status put_side(encoding *e, int32_t number, bool target, int32_t *out)
{
	sheaf_lens_list list;
	bool needed = false;
	*out = -1;
	for (int c = 0; c < e->frame->ncolumns && !needed; c++) {
		if (!is_stream(e, c) || stream_at(e, c)->target != target) continue;
		sheaf_run samples = samples_of(e, c);
		needed = number >= sheaf_run_length(samples) || !says_nothing(e, c, samples.begin + number);
	}
	if (!needed) return SHEAF_OK;
	sheaf_lens_begin_list(&e->set, &list);
	for (int c = 0; c < e->frame->ncolumns; c++)
		if (is_stream(e, c) && stream_at(e, c)->target == target) SHEAF_TRY(put_stream(e, c, number, &list));
	*out = sheaf_lens_end_list(&e->set, e->example, &list);
	return SHEAF_OK;
}

/* ---- events and examples ---- */

/* A text of the set, or none where it is missing. */
static sheaf_lens_text add_text(encoding *e, const sheaf_column *column, int level, int64_t at)
{
	if (sheaf_level_is_null(&column->levels[level], at)) return SHEAF_LENS_ABSENT;
	sheaf_run run = sheaf_level_below_one(&column->levels[level], at);
	sheaf_bytes text = sheaf_column_bytes(column, run);
	return sheaf_lens_add_text(&e->set, text.data, text.size);
}

/* What an event has besides values. A time equal to the set's is inherited, and so would be a NaN. */
static sheaf_status put_traits(encoding *e, int32_t number, sheaf_lens_event *event)
{
	sheaf_lens_traits traits = e->set.plain;
	bool any = false;
	for (int c = SHEAF_LENS_EVENT_MAX; c < SHEAF_LENS_COLUMNS; c++) {
		if (e->columns[c] < 0) continue;
		const sheaf_column *column = &e->frame->columns[e->columns[c]];
		sheaf_run run = samples_of(e, e->columns[c]);
		int f = c - SHEAF_LENS_EVENT_MAX;
		if (number >= sheaf_run_length(run)) continue;
		if (c == SHEAF_LENS_EVENT_PROC) {
			traits.proc = add_text(e, column, 1, run.begin + number);
			any |= traits.proc >= 0;
			continue;
		}
		float time = value_at(column, run.begin + number);
		if (isnan(time)) {
			SHEAF_TRY(lose(e, "event time", e->columns[c], "a number", "NaN", "the usual time is written"));
		} else if (!same_bits(time, sheaf_lens_defaults[f])) {
			traits.fields[f] = time;
			any = true;
		}
	}
	if (any) event->traits = sheaf_lens_add_traits(&e->set, e->example, &traits);
	return SHEAF_OK;
}

/* As many events as the longest column has samples, and at least one: an example without events cannot be
 * written. */
static sheaf_status count_events(const encoding *e, int32_t *out)
{
	int64_t most = 0;
	for (int c = 0; c < e->frame->ncolumns; c++) {
		int column = sheaf_column_kind_of(sheaf_lens_columns, &e->out->schema.fields[c]);
		if (!is_stream(e, c) && column < SHEAF_LENS_EVENT_MAX) continue;
		if (sheaf_run_length(samples_of(e, c)) > most) most = sheaf_run_length(samples_of(e, c));
	}
	*out = most ? (int32_t)most : 1;
	if (most > INT32_MAX)
		return sheaf_fail(e->err, SHEAF_UNSUPPORTED,
		                  "row %" PRId64 ": expected at most %d samples, found more", e->row, INT32_MAX);
	return most ? SHEAF_OK
	            : lose(e, "sequence without samples", -1, "at least one sample", "none",
	                   "an event without any values is written");
}

/* Each row makes a set of one example, in memory that the next one uses again; groups stay. */
static sheaf_status put_rows(encoding *e, int64_t row, sheaf_lens_writing *w, sheaf_builder *b)
{
	const int *columns = e->columns;
	sheaf_lens_mark empty;
	sheaf_lens_set_mark(&e->set, &empty);
	for (e->r = 0; e->r < e->frame->nrows; e->r++) {
		int32_t nevents;
		e->row = row + e->r;
		sheaf_lens_set_back(&e->set, &empty);
		SHEAF_TRY(count_events(e, &nevents));
		SHEAF_TRY(sheaf_lens_begin_example(&e->set, nevents, &e->example, e->err));
		if (columns[SHEAF_LENS_NAME] >= 0)
			e->example->name = add_text(e, &e->frame->columns[columns[SHEAF_LENS_NAME]], 0, e->r);
		if (columns[SHEAF_LENS_PROC] >= 0)
			e->example->proc = add_text(e, &e->frame->columns[columns[SHEAF_LENS_PROC]], 0, e->r);
		if (columns[SHEAF_LENS_FREQUENCY] >= 0)
			e->example->frequency = value_at(&e->frame->columns[columns[SHEAF_LENS_FREQUENCY]], e->r);
		for (int32_t number = 0; number < nevents; number++) {
			sheaf_lens_event event = {-1, -1, -1};
			SHEAF_TRY(put_side(e, number, false, &event.input));
			SHEAF_TRY(put_side(e, number, true, &event.target));
			SHEAF_TRY(put_traits(e, number, &event));
			*sheaf_lens_event_to_fill(&e->set, e->example, number) = event;
		}
		sheaf_lens_end_example(&e->set);
		SHEAF_TRY(sheaf_lens_set_status(&e->set, e->err));
		SHEAF_TRY(
			e->out->spelling->put_example(w, &e->set, sheaf_lens_example_at(&e->set, 0), e->row, b, e->err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_lens_encode(const void *output, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                               int64_t *samples, sheaf_error *err)
{
	sheaf_lens_writing w;
	encoding e = {.out = (const sheaf_lens_output *)output, .frame = frame, .cx = b->cx, .err = err};
	(void)samples;
	sheaf_lens_set_begin(&e.set, &e.out->header, b->cx);
	sheaf_lens_writing_begin(&w, e.out->name, b->cx);
	for (int c = 0; c < SHEAF_LENS_COLUMNS; c++) e.columns[c] = -1;
	for (int f = 0; f < e.out->schema.nfields; f++) {
		int column = sheaf_column_kind_of(sheaf_lens_columns, &e.out->schema.fields[f]);
		if (column >= 0) e.columns[column] = f;
	}
	sheaf_status status = put_rows(&e, row, &w, b);
	sheaf_lens_writing_end(&w);
	sheaf_lens_set_free(&e.set);
	return status;
}
