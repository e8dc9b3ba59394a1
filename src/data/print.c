/* SPDX-License-Identifier: MIT */
/* Rows as text for people and as JSON for programs. */
#include "data/print.h"
#include "base/show.h"
#include "data/frame.h"
#include "data/value.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHORT_ENTRIES = 10, SHORT_SAMPLES = 4 };

void sheaf_json_string(sheaf_builder *b, const char *text, size_t n)
{
	const uint8_t *s = (const uint8_t *)text;
	sheaf_builder_byte(b, '"');
	for (size_t i = 0; i < n;) {
		size_t length = sheaf_utf8_length(s + i, n - i);
		if (length == 0)
			sheaf_builder_text(b, "\xef\xbf\xbd");
		else if (s[i] == '"' || s[i] == '\\')
			sheaf_builder_byte(b, '\\'), sheaf_builder_byte(b, (char)s[i]);
		else if (s[i] < 0x20)
			sheaf_builder_printf(b, "\\u%04x", s[i]);
		else
			sheaf_builder_append(b, s + i, length);
		i += length ? length : 1;
	}
	sheaf_builder_byte(b, '"');
}

void sheaf_json_real(sheaf_builder *b, double v)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX + 2)) return;
	char *at = (char *)b->data + b->size;
	if (!isfinite(v)) *at++ = '"';
	at = sheaf_print_f64(at, v);
	if (!isfinite(v)) *at++ = '"';
	b->size = (size_t)(at - (char *)b->data);
}

static bool is_finite(const sheaf_column *column, int64_t at)
{
	if (column->type == SHEAF_F32) return isfinite(((const float *)(const void *)column->values.data)[at]);
	if (column->type == SHEAF_F64) return isfinite(((const double *)(const void *)column->values.data)[at]);
	return true;
}

static void put_value(sheaf_builder *b, const sheaf_column *column, int64_t at, bool json)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX + 2)) return;
	bool quoted = json && !is_finite(column, at);
	char *to = (char *)b->data + b->size;
	if (quoted) *to++ = '"';
	to = sheaf_value_print(column->type, column->values.data, at, to);
	if (quoted) *to++ = '"';
	b->size = (size_t)(to - (char *)b->data);
}

static void put_i64(sheaf_builder *b, int64_t v)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_print_i64((char *)b->data + b->size, v) - (char *)b->data);
}

static void put_indices(sheaf_builder *b, const sheaf_level *level, int64_t at, bool json)
{
	int rank = level->shape.rank;
	if (json && rank > 1) sheaf_builder_byte(b, '[');
	for (int r = 0; r < rank; r++) {
		if (r) sheaf_builder_byte(b, ',');
		put_i64(b, sheaf_level_index(level, r, at));
	}
	if (json && rank > 1) sheaf_builder_byte(b, ']');
}

/* Whether position p was no more than a null or a text, which is put then. */
static bool put_word(sheaf_builder *b, const sheaf_column *column, int l, int64_t p)
{
	const sheaf_level *level = &column->levels[l];
	if (sheaf_level_is_null(level, p)) {
		sheaf_builder_text(b, "null");
		return true;
	}
	if (!sheaf_level_is_text(column, l)) return false;
	sheaf_run run = sheaf_level_below_one(level, p);
	/* Where all texts are empty there are no bytes to point into. */
	const char *text = column->values.data ? (const char *)column->values.data + run.begin : "";
	sheaf_json_string(b, text, (size_t)sheaf_run_length(run));
	return true;
}

static void put_json(sheaf_builder *b, const sheaf_column *column, int l, int64_t p)
{
	if (l == column->nlevels) {
		put_value(b, column, p, true);
		return;
	}
	if (put_word(b, column, l, p)) return;
	const sheaf_level *level = &column->levels[l];
	sheaf_run run = sheaf_level_below_one(level, p);
	bool entries = level->shape.kind == SHEAF_COORD;
	sheaf_builder_byte(b, '[');
	for (int64_t q = run.begin; q < run.end && !b->failed; q++) {
		if (q > run.begin) sheaf_builder_byte(b, ',');
		if (entries) sheaf_builder_byte(b, '['), put_indices(b, level, q, true), sheaf_builder_byte(b, ',');
		put_json(b, column, l + 1, q);
		if (entries) sheaf_builder_byte(b, ']');
	}
	sheaf_builder_byte(b, ']');
}

static void put_text(sheaf_builder *b, const sheaf_column *column, int l, int64_t p, bool cut)
{
	if (l == column->nlevels) {
		put_value(b, column, p, false);
		return;
	}
	if (put_word(b, column, l, p)) return;
	const sheaf_level *level = &column->levels[l];
	sheaf_run run = sheaf_level_below_one(level, p);
	bool list = level->shape.kind == SHEAF_LIST;
	int64_t shown = sheaf_run_length(run), most = list ? SHORT_SAMPLES : SHORT_ENTRIES;
	if (cut && shown > most) shown = most - 1;
	if (!list) sheaf_builder_byte(b, '[');
	for (int64_t q = run.begin; q < run.begin + shown && !b->failed; q++) {
		if (q > run.begin) sheaf_builder_byte(b, ' ');
		if (level->shape.kind == SHEAF_COORD) put_indices(b, level, q, false), sheaf_builder_byte(b, ':');
		put_text(b, column, l + 1, q, cut);
	}
	if (shown < sheaf_run_length(run)) sheaf_builder_printf(b, " ... %" PRId64 " %s", sheaf_run_length(run), list ? "samples" : "values");
	if (!list) sheaf_builder_byte(b, ']');
	if (list && run.begin == run.end) sheaf_builder_byte(b, '-');
}

void sheaf_position_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at, sheaf_style style)
{
	if (style == SHEAF_JSON)
		put_json(b, column, level, at);
	else
		put_text(b, column, level, at, style == SHEAF_TEXT_SHORT);
}

static uint64_t key_of(const sheaf_frame *frame, const sheaf_schema *schema, int64_t row, int64_t r)
{
	int key = sheaf_schema_key(schema);
	return key < 0 ? (uint64_t)(row + r) : ((const uint64_t *)(const void *)frame->columns[key].values.data)[r];
}

/* Whether the row is there as its format spells it, which is put then. */
static bool put_spelling(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, int64_t r)
{
	if (schema->nfields != 1 || schema->fields[0].meaning != SHEAF_SPELLING) return false;
	sheaf_run run = sheaf_level_below_one(&frame->columns[0].levels[0], r);
	sheaf_builder_append(b, frame->columns[0].values.data + run.begin, (size_t)sheaf_run_length(run));
	return true;
}

static void put_row(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, sheaf_style style, int64_t row, int64_t r)
{
	bool json = style == SHEAF_JSON, first = true;
	if (put_spelling(b, frame, schema, r)) return;
	sheaf_builder_printf(b, json ? "{\"key\":%" PRIu64 ",\"streams\":{" : "%" PRIu64, key_of(frame, schema, row, r));
	for (int c = 0; c < schema->nfields; c++) {
		const char *name = schema->fields[c].name;
		if (schema->fields[c].meaning == SHEAF_KEY) continue;
		if (json) {
			if (!first) sheaf_builder_byte(b, ',');
			sheaf_json_string(b, name, strlen(name));
			sheaf_builder_byte(b, ':');
		} else {
			sheaf_builder_printf(b, "  %s ", name);
		}
		first = false;
		sheaf_position_text(b, &frame->columns[c], 0, r, style);
	}
	sheaf_builder_text(b, json ? "}}\n" : "\n");
}

sheaf_status sheaf_rows_text(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_style style, int64_t row, int64_t from, int64_t to, sheaf_buffer *out,
                             sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, frame->cx, out);
	for (int64_t r = from; r < to && !b.failed; r++) put_row(&b, frame, schema, style, row, r);
	return sheaf_builder_finish(&b, out, err);
}
