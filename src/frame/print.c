/* SPDX-License-Identifier: MIT */
/* Rows as text for people and as JSON for programs. What the kinds of rows look like, as text and in JSON:
 *
 *     sequences   7  x [1] [2]  y [3:0.5 9:1]     {"key":7,"streams":{"x":[[1],[2]],"y":[[[3,0.5],[9,1]]]}}
 *     cells       7  name "Ann"  age null         {"row":7,"cells":{"name":"Ann","age":{"null":0}}}
 *     entries     0 4  2.5                        [[0,4],2.5]
 *
 * read_json.c reads the JSON back, so both follow the same rules: a list is a list in JSON, an entry is a
 * list of its index and its value, and numbers are as short as they can be to be read back exactly. */
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

/* Appends the indices of an entry: one stands alone, several are a list in JSON and "0,4" in text. */
static void put_indices(sheaf_builder *b, const sheaf_level *level, int64_t at, bool json)
{
	int rank = level->shape.rank;
	if (json && rank > 1) sheaf_builder_byte(b, '[');
	for (int r = 0; r < rank; r++) {
		if (r) sheaf_builder_byte(b, ',');
		if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
		b->size = (size_t)(sheaf_print_i64((char *)b->data + b->size, sheaf_level_index(level, r, at)) -
		                   (char *)b->data);
	}
	if (json && rank > 1) sheaf_builder_byte(b, ']');
}

/* A level in JSON is a list. In text the samples of a sequence stand side by side, and what one of them
 * covers, and what lists in lists cover, is in brackets; a sequence without samples is "-", which a reader
 * would overlook otherwise. The short style leaves out what is after the first few, and says how many
 * there are. Long runs of finite numbers, which most data are, take the short way of sheaf_finite_text: it
 * moves q past those that it has printed. */
void sheaf_position_text(sheaf_builder *b, const sheaf_column *column, int l, int64_t p, sheaf_style style)
{
	bool json = style == SHEAF_JSON;
	if (l < column->nlevels && sheaf_level_is_null(&column->levels[l], p)) {
		sheaf_builder_text(b, "null");
		return;
	}
	if (l == column->nlevels || sheaf_level_is_item(column, l)) {
		sheaf_item_text(b, column, l, p, json);
		return;
	}
	const sheaf_level *level = &column->levels[l];
	bool list = level->shape.kind == SHEAF_LIST, entries = level->shape.kind == SHEAF_COORD;
	bool values = l + 1 == column->nlevels && !(json && entries), brackets = json || !list || l > 0;
	sheaf_run run = sheaf_level_below_one(level, p);
	int64_t n = sheaf_run_length(run), most = list ? SHORT_SAMPLES : SHORT_ENTRIES,
			end = style == SHEAF_TEXT_SHORT && n > most ? run.begin + most - 1 : run.end;
	char between = json ? ',' : ' ';
	if (brackets) sheaf_builder_byte(b, '[');
	for (int64_t q = run.begin; q < end && !b->failed; q++) {
		if (q > run.begin && values) q = sheaf_finite_text(b, column, (sheaf_run){q, end}, between);
		if (q == end) break;
		if (q > run.begin) sheaf_builder_byte(b, between);
		if (json && entries) sheaf_builder_byte(b, '[');
		if (entries) put_indices(b, level, q, json), sheaf_builder_byte(b, json ? ',' : ':');
		sheaf_position_text(b, column, l + 1, q, style);
		if (json && entries) sheaf_builder_byte(b, ']');
	}
	if (end < run.end) sheaf_builder_printf(b, " ... %" PRId64 " %s", n, list ? "samples" : "values");
	if (brackets) sheaf_builder_byte(b, ']');
	if (!brackets && n == 0) sheaf_builder_byte(b, '-');
}

/* The number of row r of a frame whose first row has the number `row`. Rows that were chosen or moved bring
 * their numbers with them. */
static int64_t number_of(const sheaf_frame *frame, int64_t row, int64_t r)
{
	return frame->numbers.size ? sheaf_i64s(frame->numbers.data)[r] : row + r;
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

/* Appends the lists of a row. Samples of one value, which is all that FIXED(1) says, are these values. */
static void put_lists(sheaf_builder *b, const sheaf_column *column, int64_t r)
{
	sheaf_level levels[SHEAF_MAX_LEVELS];
	sheaf_column lists = *column;
	lists.levels = levels;
	lists.nlevels = 0;
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_level_shape *shape = &column->levels[l].shape;
		bool one = l && shape->kind == SHEAF_FIXED && shape->extent == 1 && shape->missing != SHEAF_NULLABLE;
		if (!one) levels[lists.nlevels++] = column->levels[l];
	}
	sheaf_position_text(b, &lists, 0, r, SHEAF_JSON);
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
		if (column->nlevels && !sheaf_level_is_item(column, 0))
			put_lists(b, column, r);
		else if (plain && null && !sheaf_level_code(&column->levels[0], r))
			sheaf_builder_text(b, "null");
		else
			sheaf_cell_text(b, column, r, !plain || null || column->meaning != SHEAF_DURATION);
		if (plain && column->meaning == SHEAF_NUMBER && column->type >= SHEAF_F32) mark_real(b);
	}
	sheaf_builder_text(b, schema->nfields ? "}" : "{}");
}

/* Appends a row of a table: each column has one item. Its number, unlike a key, says only where the row is.
 */
static void put_cells(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, bool json,
                      int64_t row, int64_t r)
{
	sheaf_builder_printf(b, json ? "{\"row\":%" PRId64 ",\"cells\":" : "%" PRId64, number_of(frame, row, r));
	if (json) sheaf_cells_json(b, frame, schema, r, false);
	for (int c = 0; c < schema->nfields && !json; c++) {
		sheaf_builder_printf(b, "  %s ", schema->fields[c].name);
		sheaf_cell_text(b, &frame->columns[c], r, false);
	}
	sheaf_builder_text(b, json ? "}\n" : "\n");
}

/* Appends an entry of a tensor: in JSON an item of the list "entries", which sheaf_rows_border begins and
 * ends, so that every entry but the first has a comma before it. A tensor of rank 0 has one
 * entry without coordinates. */
static void put_entry(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, bool json,
                      int64_t row, int64_t r)
{
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

/* Rows in the format's own text are passed on as they are; tables and tensors have their own forms; what is
 * left are sequences, each with its key and then stream after stream. */
void sheaf_row_text(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, sheaf_style style,
                    int64_t row, int64_t r)
{
	bool json = style == SHEAF_JSON, first = true;
	if (schema->nfields && schema->fields[0].meaning == SHEAF_SPELLING) {
		/* The format's own text of the row. */
		sheaf_run run = sheaf_level_below_one(&frame->columns[0].levels[0], r);
		sheaf_bytes text = sheaf_column_bytes(&frame->columns[0], run);
		sheaf_builder_append(b, text.data, text.size);
		return;
	}
	if (schema->rows == SHEAF_CELLS) {
		put_cells(b, frame, schema, json, row, r);
		return;
	}
	if (schema->rows == SHEAF_ENTRIES) {
		put_entry(b, frame, schema, json, row, r);
		return;
	}
	int key = sheaf_schema_key(schema); /* rows without keys have their numbers */
	sheaf_builder_printf(b, json ? "{\"key\":%" PRIu64 ",\"streams\":{" : "%" PRIu64,
	                     key < 0 ? (uint64_t)number_of(frame, row, r)
	                             : ((const uint64_t *)(const void *)frame->columns[key].values.data)[r]);
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

/* What comes before the entries of a tensor, and after them. The value of entries that are not stored lies
 * in the tensor's description as an item would lie in a column, so a column around it, with one level for
 * the parts of a complex number, prints it. */
sheaf_status sheaf_rows_border(const sheaf_schema *schema, sheaf_style style, const char *name,
                               sheaf_context *cx, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	SHEAF_EXPECT((unsigned)style <= SHEAF_JSON, "a style", (int)style);
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, out);
	bool is_empty = style != SHEAF_JSON || schema->rows != SHEAF_ENTRIES;
	if (!is_empty && !name) sheaf_builder_text(&b, "]}\n");
	if (!is_empty && name) {
		const sheaf_tensor *tensor = &schema->tensor;
		sheaf_builder_text(&b, "{\"tensor\":");
		sheaf_json_string(&b, name, strlen(name));
		if (tensor->layout[0]) sheaf_builder_printf(&b, ",\"format\":\"%s\"", tensor->layout);
		sheaf_builder_text(&b, ",\"shape\":[");
		for (int d = 0; d < tensor->rank; d++)
			sheaf_builder_printf(&b, "%s%" PRId64, d ? "," : "", tensor->shape[d]);
		sheaf_builder_byte(&b, ']');
		if (tensor->structure)
			sheaf_builder_printf(&b, ",\"structure\":\"%s\"", sheaf_structure_name(tensor->structure));
		if (tensor->has_fill) {
			const sheaf_field *field = &schema->fields[sheaf_schema_value(schema)];
			sheaf_level parts = {.shape = {.kind = SHEAF_FIXED, .extent = 2}};
			sheaf_column fill = {.meaning = field->meaning,
			                     .type = field->type,
			                     .nlevels = field->meaning == SHEAF_COMPLEX,
			                     .levels = &parts,
			                     .values = {(uint8_t *)(uintptr_t)tensor->fill, sizeof tensor->fill, NULL}};
			sheaf_builder_text(&b, ",\"fill\":");
			sheaf_item_text(&b, &fill, 0, 0, true);
		}
		sheaf_builder_text(&b, ",\"entries\":[");
	}
	return sheaf_builder_finish(&b, out, err);
}
