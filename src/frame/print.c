/* SPDX-License-Identifier: MIT */
/* Rows as text for people and as JSON for programs. */
#include "frame/print.h"
#include "base/need.h"
#include "base/show.h"
#include "frame/frame.h"
#include "frame/item.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHORT_ENTRIES = 10, SHORT_SAMPLES = 4 };

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

/* Whether position p was just a null or an item, which is then printed. */
static bool put_word(sheaf_builder *b, const sheaf_column *column, int l, int64_t p, bool json)
{
	const sheaf_level *level = &column->levels[l];
	if (sheaf_level_is_null(level, p)) {
		sheaf_builder_text(b, "null");
		return true;
	}
	if (!sheaf_level_is_item(column, l)) return false;
	sheaf_item_text(b, column, l, p, json);
	return true;
}

static void put_json(sheaf_builder *b, const sheaf_column *column, int l, int64_t p)
{
	if (l == column->nlevels) {
		sheaf_item_text(b, column, l, p, true);
		return;
	}
	if (put_word(b, column, l, p, true)) return;
	const sheaf_level *level = &column->levels[l];
	sheaf_run run = sheaf_level_below_one(level, p);
	bool entries = level->shape.kind == SHEAF_COORD;
	sheaf_builder_byte(b, '[');
	bool values = !entries && l + 1 == column->nlevels;
	for (int64_t q = run.begin; q < run.end && !b->failed; q++) {
		if (q > run.begin && values) q = sheaf_finite_text(b, column, (sheaf_run){q, run.end}, ',');
		if (q == run.end) break;
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
		sheaf_item_text(b, column, l, p, false);
		return;
	}
	if (put_word(b, column, l, p, false)) return;
	const sheaf_level *level = &column->levels[l];
	sheaf_run run = sheaf_level_below_one(level, p);
	bool list = level->shape.kind == SHEAF_LIST;
	int64_t shown = sheaf_run_length(run), most = list ? SHORT_SAMPLES : SHORT_ENTRIES;
	if (cut && shown > most) shown = most - 1;
	if (!list) sheaf_builder_byte(b, '[');
	bool values = l + 1 == column->nlevels;
	int64_t end = run.begin + shown;
	for (int64_t q = run.begin; q < end && !b->failed; q++) {
		if (q > run.begin && values) q = sheaf_finite_text(b, column, (sheaf_run){q, end}, ' ');
		if (q == end) break;
		if (q > run.begin) sheaf_builder_byte(b, ' ');
		if (level->shape.kind == SHEAF_COORD) put_indices(b, level, q, false), sheaf_builder_byte(b, ':');
		put_text(b, column, l + 1, q, cut);
	}
	if (shown < sheaf_run_length(run))
		sheaf_builder_printf(b, " ... %" PRId64 " %s", sheaf_run_length(run), list ? "samples" : "values");
	if (!list) sheaf_builder_byte(b, ']');
	if (list && run.begin == run.end) sheaf_builder_byte(b, '-');
}

void sheaf_position_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at,
                         sheaf_style style)
{
	if (style == SHEAF_JSON)
		put_json(b, column, level, at);
	else
		put_text(b, column, level, at, style == SHEAF_TEXT_SHORT);
}

/* The number of row r, given the number `row` of the first. */
static int64_t number_of(const sheaf_frame *frame, int64_t row, int64_t r)
{
	return frame->numbers.size ? ((const int64_t *)(const void *)frame->numbers.data)[r] : row + r;
}

static uint64_t key_of(const sheaf_frame *frame, const sheaf_schema *schema, int64_t row, int64_t r)
{
	int key = sheaf_schema_key(schema);
	return key < 0 ? (uint64_t)number_of(frame, row, r)
	               : ((const uint64_t *)(const void *)frame->columns[key].values.data)[r];
}

/* Whether the row has the spelling of its format, which is then printed. */
static bool put_spelling(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, int64_t r)
{
	if (schema->nfields == 0 || schema->fields[0].meaning != SHEAF_SPELLING) return false;
	sheaf_run run = sheaf_level_below_one(&frame->columns[0].levels[0], r);
	sheaf_bytes text = sheaf_column_bytes(&frame->columns[0], run);
	sheaf_builder_append(b, text.data, text.size);
	return true;
}

/* Appends ".0" to the number at the end if it has digits alone, which readers would take for an integer. */
static void mark_real(sheaf_builder *b)
{
	size_t at = b->size;
	while (at > 0 && b->data[at - 1] >= '0' && b->data[at - 1] <= '9') at--;
	if (at < b->size && at > 0 && (b->data[at - 1] == ':' || b->data[at - 1] == '-') &&
	    !(at > 1 && b->data[at - 1] == '-' && b->data[at - 2] == 'e'))
		sheaf_builder_text(b, ".0");
}

void sheaf_cells_json(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, int64_t r,
                      bool plain)
{
	for (int c = 0; c < schema->nfields; c++) {
		const sheaf_column *column = &frame->columns[c];
		const char *name = schema->fields[c].name;
		bool null = column->nlevels && sheaf_level_is_null(&column->levels[0], r);
		sheaf_builder_byte(b, c ? ',' : '{');
		sheaf_json_string(b, name, strlen(name)), sheaf_builder_byte(b, ':');
		if (plain && null && !sheaf_level_code(&column->levels[0], r))
			sheaf_builder_text(b, "null");
		else
			sheaf_cell_text(b, column, r, !plain || null || column->meaning != SHEAF_DURATION);
		if (plain && column->meaning == SHEAF_NUMBER && column->type >= SHEAF_F32) mark_real(b);
	}
	sheaf_builder_text(b, schema->nfields ? "}" : "{}");
}

/* A row of a table: each column has one item. */
static void put_cells(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema,
                      sheaf_style style, int64_t row, int64_t r)
{
	bool json = style == SHEAF_JSON;
	sheaf_builder_printf(b, json ? "{\"row\":%" PRId64 ",\"cells\":" : "%" PRId64, number_of(frame, row, r));
	if (json) sheaf_cells_json(b, frame, schema, r, false);
	for (int c = 0; c < schema->nfields && !json; c++) {
		sheaf_builder_printf(b, "  %s ", schema->fields[c].name);
		sheaf_cell_text(b, &frame->columns[c], r, false);
	}
	sheaf_builder_text(b, json ? "}\n" : "\n");
}

/* An entry of a tensor, or an item of a list in JSON. */
static void put_entry(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema,
                      sheaf_style style, int64_t row, int64_t r)
{
	bool json = style == SHEAF_JSON;
	int rank = schema->tensor.rank;
	if (json) sheaf_builder_text(b, row + r ? ",[[" : "[[");
	for (int c = 0; c < rank; c++) {
		if (c) sheaf_builder_byte(b, json ? ',' : ' ');
		sheaf_cell_text(b, &frame->columns[c], r, json);
	}
	sheaf_builder_text(b, json ? "]," : rank ? "  " : "");
	sheaf_cell_text(b, &frame->columns[rank], r, json);
	sheaf_builder_byte(b, json ? ']' : '\n');
}

void sheaf_row_text(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, sheaf_style style,
                    int64_t row, int64_t r)
{
	bool json = style == SHEAF_JSON, first = true;
	if (put_spelling(b, frame, schema, r)) return;
	if (schema->rows == SHEAF_CELLS) {
		put_cells(b, frame, schema, style, row, r);
		return;
	}
	if (schema->rows == SHEAF_ENTRIES) {
		put_entry(b, frame, schema, style, row, r);
		return;
	}
	sheaf_builder_printf(b, json ? "{\"key\":%" PRIu64 ",\"streams\":{" : "%" PRIu64,
	                     key_of(frame, schema, row, r));
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

sheaf_status sheaf_rows_text(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_style style,
                             int64_t row, int64_t from, int64_t to, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(schema, "a schema");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	SHEAF_EXPECT((unsigned)style <= SHEAF_JSON, "a style", (int)style);
	SHEAF_EXPECT(row >= 0, "a row of at least 0", row);
	SHEAF_EXPECT(from >= 0 && from <= frame->nrows, "a first row within the frame", from);
	SHEAF_EXPECT(to >= from && to <= frame->nrows, "a last row within the frame", to);
	sheaf_context *cx = frame->cx ? frame->cx : schema->cx;
	SHEAF_NEED(cx, "a context in the frame, or in the schema");
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, out);
	for (int64_t r = from; r < to && !b.failed; r++) sheaf_row_text(&b, frame, schema, style, row, r);
	return sheaf_builder_finish(&b, out, err);
}

/* A tensor without levels of its own: the fill is one value. */
static void put_fill(sheaf_builder *b, const sheaf_schema *schema)
{
	const sheaf_field *field = &schema->fields[sheaf_schema_value(schema)];
	sheaf_level parts = {.shape = {.kind = SHEAF_FIXED, .extent = 2}};
	sheaf_column column = {.meaning = field->meaning,
	                       .type = field->type,
	                       .nlevels = field->meaning == SHEAF_COMPLEX,
	                       .levels = &parts};
	column.values =
		(sheaf_buffer){(uint8_t *)(uintptr_t)schema->tensor.fill, sizeof schema->tensor.fill, NULL};
	sheaf_item_text(b, &column, 0, 0, true);
}

static void put_shape(sheaf_builder *b, const sheaf_tensor *tensor)
{
	sheaf_builder_text(b, ",\"shape\":[");
	for (int d = 0; d < tensor->rank; d++)
		sheaf_builder_printf(b, "%s%" PRId64, d ? "," : "", tensor->shape[d]);
	sheaf_builder_byte(b, ']');
}

sheaf_status sheaf_rows_heading(const sheaf_schema *schema, sheaf_style style, const char *name,
                                sheaf_context *cx, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(name, "the name of the tensor");
	SHEAF_EXPECT((unsigned)style <= SHEAF_JSON, "a style", (int)style);
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, out);
	if (style == SHEAF_JSON && schema->rows == SHEAF_ENTRIES) {
		const sheaf_tensor *tensor = &schema->tensor;
		sheaf_builder_text(&b, "{\"tensor\":");
		sheaf_json_string(&b, name, strlen(name));
		if (tensor->layout[0]) sheaf_builder_printf(&b, ",\"format\":\"%s\"", tensor->layout);
		put_shape(&b, tensor);
		if (tensor->structure)
			sheaf_builder_printf(&b, ",\"structure\":\"%s\"", sheaf_structure_name(tensor->structure));
		if (tensor->has_fill) sheaf_builder_text(&b, ",\"fill\":"), put_fill(&b, schema);
		sheaf_builder_text(&b, ",\"entries\":[");
	}
	return sheaf_builder_finish(&b, out, err);
}

const char *sheaf_rows_ending(const sheaf_schema *schema, sheaf_style style)
{
	if (!schema) return "";
	return style == SHEAF_JSON && schema->rows == SHEAF_ENTRIES ? "]}\n" : "";
}
