/* SPDX-License-Identifier: MIT */
/* Comparing two datasets of any formats, row by row.
 *
 * What is compared is what rows mean, not how a format spells them: columns are matched by name in any order,
 * a type counts only if the caller asks, entries of a sparse sample come in any order, and a column that only
 * one side has makes no difference in rows where it has nothing to say. Both sides are read once, frame by
 * frame, so that neither must fit into memory; frames of the two end at different rows. */
#include "base/buffer.h"
#include "base/memory.h"
#include "base/need.h"
#include "dataset/dataset.h"
#include "frame/compare.h"
#include "frame/frame.h"
#include "frame/print.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One of the two datasets, and how far it was read. */
typedef struct side {
	sheaf_dataset *dataset;
	const sheaf_schema *schema;
	const sheaf_frame *frame; /* NULL: before the first or after the last */
	int64_t next_row;         /* of the frame */
	bool ended;
} side;

typedef struct comparison {
	const sheaf_diff_options *options;
	sheaf_context *cx;
	side a, b;
	int *match; /* for each field of a the field of b, or -1 */
	int64_t row;
	bool equal, enough;
	sheaf_buffer text_a, text_b;
} comparison;

/* Tells the caller of a difference, who decides whether that is enough. Row and sample are -1 where the
 * difference is not in one. */
static void report(comparison *c, const char *stream, int64_t row, int64_t sample, const char *a,
                   const char *b)
{
	sheaf_difference difference = {row, stream, sample, a, b, NULL};
	c->equal = false;
	if (!c->options->on_difference || !c->options->on_difference(c->options->user, &difference))
		c->enough = true;
}

/* Tells the caller that two numbers differ, with the unit of both. */
static void report_numbers(comparison *c, const char *stream, int64_t row, const char *unit, int64_t a,
                           int64_t b)
{
	char ta[64], tb[64];
	snprintf(ta, sizeof ta, "%" PRId64 " %s", a, unit);
	snprintf(tb, sizeof tb, "%" PRId64 " %s", b, unit);
	report(c, stream, row, -1, ta, tb);
}

/* ---- schemas ---- */

/* Names, for messages, what a side has whose name the other one lacks. */
static const char *such(const comparison *c)
{
	return c->a.schema->rows == SHEAF_SEQUENCES ? "such a stream" : "such a column";
}

/* The number of the only stream of a schema, whatever stands beside it as a loss; -1: there are others, or
 * none. */
static int only_stream(const sheaf_schema *schema)
{
	int found = -1;
	for (int f = 0; f < schema->nfields; f++) {
		if (schema->fields[f].meaning == SHEAF_KEY || schema->fields[f].loss) continue;
		if (found >= 0 || !sheaf_field_is_stream(&schema->fields[f])) return -1;
		found = f;
	}
	return found;
}

/* Matches the columns of both sides, and reports those that only one side has, and, if the caller asks,
 * different types. Where one side was a tensor, whose values have no name, they are those of the only stream
 * of the other. A field that carries what formats otherwise lose may be missing on a side: rows decide
 * then. */
static void compare_fields(comparison *c)
{
	char ta[80], tb[80];
	int only_a = only_stream(c->a.schema), only_b = only_stream(c->b.schema);
	bool tensor = c->a.dataset->stored == SHEAF_ENTRIES || c->b.dataset->stored == SHEAF_ENTRIES;
	bool nameless = tensor && only_a >= 0 && only_b >= 0;
	for (int f = 0; f < c->a.schema->nfields && !c->enough; f++) {
		const sheaf_field *field = &c->a.schema->fields[f];
		bool key = field->meaning == SHEAF_KEY;
		c->match[f] = -1;
		if (nameless && f == only_a) c->match[f] = only_b;
		if (!nameless && !key) c->match[f] = sheaf_schema_find_near(c->b.schema, field->name, f);
		if (nameless || key || (c->match[f] < 0 && field->loss)) continue;
		if (c->match[f] < 0)
			report(c, field->name, -1, -1, such(c), "none");
		else if (c->options->types &&
		         strcmp(sheaf_field_text(field, ta, sizeof ta),
		                sheaf_field_text(&c->b.schema->fields[c->match[f]], tb, sizeof tb)) != 0)
			report(c, field->name, -1, -1, ta, tb);
	}
	for (int f = 0; f < c->b.schema->nfields && !nameless && !c->enough; f++) {
		const sheaf_field *field = &c->b.schema->fields[f];
		if (field->meaning != SHEAF_KEY && !field->loss &&
		    sheaf_schema_find_near(c->a.schema, field->name, f) < 0)
			report(c, field->name, -1, -1, "none", such(c));
	}
}

/* Compares those attributes whose loss a conversion would report; others do not count. */
static void compare_attributes(comparison *c)
{
	for (int i = 0; i < c->a.schema->nattributes && !c->enough; i++) {
		const sheaf_attribute *a = &c->a.schema->attributes[i];
		const char *b = sheaf_schema_attribute(c->b.schema, a->name);
		if (!a->loss) continue;
		if (!b || strcmp(a->text, b) != 0) report(c, a->name, -1, -1, a->text, b ? b : "none");
	}
	for (int i = 0; i < c->b.schema->nattributes && !c->enough; i++) {
		const sheaf_attribute *b = &c->b.schema->attributes[i];
		if (b->loss && !sheaf_schema_attribute(c->a.schema, b->name))
			report(c, b->name, -1, -1, "none", b->text);
	}
}

/* ---- rows ---- */

/* A position of a column's level. */
typedef struct spot {
	const sheaf_column *column;
	int level;
	int64_t at;
} spot;

/* Shows a position as a text for the report. Values of different types may look alike, such as 0.1 as
 * float32 and as float64: then the type is shown, too (`typed`). */
static sheaf_status spot_text(spot place, bool typed, sheaf_context *cx, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder text;
	sheaf_builder_begin(&text, cx, out);
	sheaf_position_text(&text, place.column, place.level, place.at, SHEAF_TEXT_SHORT);
	if (typed) sheaf_builder_printf(&text, " as %s", sheaf_type_name(place.column->type));
	sheaf_builder_byte(&text, '\0');
	return sheaf_builder_finish(&text, out, err);
}

/* The entries of a sample by their indices, as a list that two samples can be compared by. */
static sheaf_status sort_entries(comparison *c, spot s, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	const sheaf_level *level = &s.column->levels[s.level];
	sheaf_builder_begin(&b, c->cx, out);
	sheaf_sort_sample(level, sheaf_level_below_one(level, s.at), &b);
	return sheaf_builder_finish(&b, out, err);
}

/* Finds out whether samples differ only in the order of their entries, which many formats do not keep. */
static sheaf_status compare_sorted(comparison *c, spot a, spot b, bool *equal, sheaf_error *err)
{
	SHEAF_TRY(sort_entries(c, a, &c->text_a, err));
	SHEAF_TRY(sort_entries(c, b, &c->text_b, err));
	const sheaf_sample_entry *ea = (const sheaf_sample_entry *)(const void *)c->text_a.data,
							 *eb = (const sheaf_sample_entry *)(const void *)c->text_b.data;
	size_t n = c->text_a.size / sizeof *ea;
	*equal = c->text_a.size == c->text_b.size;
	for (size_t i = 0; i < n && *equal; i++)
		*equal = ea[i].index == eb[i].index &&
		         sheaf_positions_equal(a.column, a.level + 1, ea[i].at, b.column, b.level + 1, eb[i].at);
	return SHEAF_OK;
}

/* Compares two positions, with all that is below them, and reports a difference; `sample` is the number of
 * the sample in its row, or -1. Sparse samples may have their entries in another order. */
static sheaf_status compare_spots(comparison *c, const char *stream, int64_t sample, spot a, spot b,
                                  sheaf_error *err)
{
	bool typed = a.column->type != b.column->type,
		 equal = sheaf_positions_equal(a.column, a.level, a.at, b.column, b.level, b.at);
	bool are_sparse = sheaf_level_has_samples(a.column, a.level) &&
	                  sheaf_level_has_samples(b.column, b.level) &&
	                  (a.column->levels[a.level].shape.kind == SHEAF_COORD ||
	                   b.column->levels[b.level].shape.kind == SHEAF_COORD);
	if (!equal && are_sparse) SHEAF_TRY(compare_sorted(c, a, b, &equal, err));
	if (equal) return SHEAF_OK;
	SHEAF_TRY(spot_text(a, typed, c->cx, &c->text_a, err));
	SHEAF_TRY(spot_text(b, typed, c->cx, &c->text_b, err));
	report(c, stream, c->row, sample, (const char *)c->text_a.data, (const char *)c->text_b.data);
	return SHEAF_OK;
}

/* Whether rows of the column are lists of samples, rather than one item each. */
static bool is_of_samples(const sheaf_column *column)
{
	return column->nlevels && column->levels[0].shape.kind == SHEAF_LIST && !sheaf_level_is_item(column, 0);
}

/* The only value of a row of a stream, which is what a row of a table becomes; otherwise all of the row. */
static spot only_value(const sheaf_column *stream, int64_t row)
{
	const sheaf_level *lists = &stream->levels[0], *samples = &stream->levels[1];
	spot all = {stream, 0, row};
	if (stream->nlevels != 2 || samples->shape.kind != SHEAF_FIXED || samples->shape.extent != 1) return all;
	if (sheaf_level_is_null(lists, row)) return all;
	sheaf_run run = sheaf_level_below_one(lists, row);
	if (sheaf_run_length(run) != 1 || sheaf_level_is_null(samples, run.begin)) return all;
	return (spot){stream, 2, sheaf_level_below_one(samples, run.begin).begin};
}

/* Compares one column of a row: sample by sample if both sides have lists, otherwise the one item of a side
 * against the only value of the other. */
static sheaf_status compare_stream(comparison *c, const char *stream, const sheaf_column *a,
                                   const sheaf_column *b, sheaf_error *err)
{
	bool both_lists = is_of_samples(a) && is_of_samples(b);
	if (!both_lists) {
		spot left = is_of_samples(a) ? only_value(a, c->a.next_row) : (spot){a, 0, c->a.next_row},
			 right = is_of_samples(b) ? only_value(b, c->b.next_row) : (spot){b, 0, c->b.next_row};
		return compare_spots(c, stream, -1, left, right, err);
	}
	sheaf_run samples_a = sheaf_level_below_one(&a->levels[0], c->a.next_row),
			  samples_b = sheaf_level_below_one(&b->levels[0], c->b.next_row);
	int64_t na = sheaf_run_length(samples_a), nb = sheaf_run_length(samples_b);
	if (na != nb) report_numbers(c, stream, c->row, "samples", na, nb);
	for (int64_t s = 0; s < na && s < nb && !c->enough; s++)
		SHEAF_TRY(compare_spots(c, stream, s, (spot){a, 1, samples_a.begin + s},
		                        (spot){b, 1, samples_b.begin + s}, err));
	return SHEAF_OK;
}

/* Compares columns that only one side has: if a row has there what is usual, or nothing, the sides are
 * equal. */
static sheaf_status compare_with_none(comparison *c, const side *with, const side *without, sheaf_error *err)
{
	for (int f = 0; f < with->schema->nfields && !c->enough; f++) {
		const sheaf_field *field = &with->schema->fields[f];
		const sheaf_column *column = &with->frame->columns[f];
		if (!field->loss || sheaf_schema_find_near(without->schema, field->name, f) >= 0 ||
		    sheaf_row_is_usual(column, field, with->next_row))
			continue;
		SHEAF_TRY(spot_text((spot){column, 0, with->next_row}, false, c->cx, &c->text_a, err));
		const char *text = (const char *)c->text_a.data;
		report(c, field->name, c->row, -1, with == &c->a ? text : "none", with == &c->a ? "none" : text);
	}
	return SHEAF_OK;
}

/* Compares the rows that both current frames have, up to the end of the shorter one. */
static sheaf_status compare_rows(comparison *c, sheaf_error *err)
{
	for (; c->a.next_row < c->a.frame->nrows && c->b.next_row < c->b.frame->nrows && !c->enough;
	     c->a.next_row++, c->b.next_row++, c->row++) {
		bool keys = c->options->keys;
		uint64_t a = keys ? sheaf_row_key(c->a.dataset, c->a.frame, c->a.next_row) : 0,
				 b = keys ? sheaf_row_key(c->b.dataset, c->b.frame, c->b.next_row) : 0;
		if (a != b) {
			char ta[32], tb[32];
			snprintf(ta, sizeof ta, "key %" PRIu64, a);
			snprintf(tb, sizeof tb, "key %" PRIu64, b);
			report(c, NULL, c->row, -1, ta, tb);
		}
		for (int f = 0; f < c->a.schema->nfields && !c->enough; f++)
			if (c->match[f] >= 0)
				SHEAF_TRY(compare_stream(c, c->a.schema->fields[f].name, &c->a.frame->columns[f],
				                         &c->b.frame->columns[c->match[f]], err));
		SHEAF_TRY(compare_with_none(c, &c->a, &c->b, err));
		SHEAF_TRY(compare_with_none(c, &c->b, &c->a, err));
	}
	return SHEAF_OK;
}

/* Goes to a frame that has a next row, or to the end. Empty frames are passed over. */
static sheaf_status refill(side *s, sheaf_error *err)
{
	while (!s->ended && (!s->frame || s->next_row == s->frame->nrows)) {
		sheaf_status status = sheaf_next(s->dataset, &s->frame, err);
		s->next_row = 0;
		s->ended = status == SHEAF_END;
		if (status != SHEAF_END) SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

/* Reads the rest of the longer side, so that both counts can be reported. */
static sheaf_status count_rest(side *s, int64_t *rows, sheaf_error *err)
{
	while (!s->ended) {
		*rows += s->frame->nrows - s->next_row;
		s->next_row = s->frame->nrows;
		SHEAF_TRY(refill(s, err));
	}
	return SHEAF_OK;
}

/* Compares schemas, attributes and rows, until there is no more or the caller has enough. The rest of the
 * longer side is counted, so that both numbers of rows can be reported. */
static sheaf_status compare_all(comparison *c, sheaf_error *err)
{
	compare_fields(c);
	compare_attributes(c);
	while (!c->enough) {
		SHEAF_TRY(refill(&c->a, err));
		SHEAF_TRY(refill(&c->b, err));
		if (c->a.ended || c->b.ended) break;
		SHEAF_TRY(compare_rows(c, err));
	}
	if (c->enough || c->a.ended == c->b.ended) return SHEAF_OK;
	int64_t rows_a = c->row, rows_b = c->row;
	SHEAF_TRY(count_rest(&c->a, &rows_a, err));
	SHEAF_TRY(count_rest(&c->b, &rows_b, err));
	report_numbers(c, NULL, -1, c->a.schema->rows == SHEAF_SEQUENCES ? "sequences" : "rows", rows_a, rows_b);
	return SHEAF_OK;
}

/* Compares two datasets for callers of the library. Entries of a tensor have no rows that could be compared
 * in order: diff_tensors.c brings them into one. */
sheaf_status sheaf_diff(sheaf_dataset *a, sheaf_dataset *b, const sheaf_diff_options *options, bool *equal,
                        sheaf_error *err)
{
	SHEAF_NEED(equal, "a place for the outcome");
	*equal = false;
	SHEAF_NEED(a && b, "two datasets");
	static const sheaf_diff_options defaults = {.size = sizeof defaults};
	if (!options) options = &defaults;
	SHEAF_TRY(sheaf_check_size("diff options", options->size, sizeof *options, err));
	bool tensor = sheaf_dataset_schema(a)->rows == SHEAF_ENTRIES;
	if (tensor != (sheaf_dataset_schema(b)->rows == SHEAF_ENTRIES))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "diff: expected rows of the same kind, found entries of a tensor on one side only; "
		                  "open the other one for entries, too");
	if (tensor) return sheaf_diff_tensors(a, b, options, equal, err);
	comparison c = {.options = options, .cx = sheaf_dataset_schema(a)->cx, .equal = true};
	c.a = (side){a, sheaf_dataset_schema(a), NULL, 0, false};
	c.b = (side){b, sheaf_dataset_schema(b), NULL, 0, false};
	size_t size = (size_t)c.a.schema->nfields * sizeof *c.match;
	SHEAF_TRY(sheaf_allocate(c.cx, size, &c.match, err));
	sheaf_status status = compare_all(&c, err);
	sheaf_buffer_reset(&c.text_a);
	sheaf_buffer_reset(&c.text_b);
	sheaf_release(c.cx, c.match, size);
	*equal = status == SHEAF_OK && c.equal;
	return status;
}
