/* SPDX-License-Identifier: MIT */
/* Rows into cells: null bytes, counts and zeros where the server requires them. What does not fit is a loss,
 * reported with its cell.
 *
 * Columns become attributes in their order, or in that of --schema, to which names or else positions lead.
 * With --dimensions some columns are coordinates, which no cell contains: they say where in the file it
 * belongs. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/place.h"
#include "frame/schema/names.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_scidb_types types;
	sheaf_scidb_entries entries;
	sheaf_scidb_array array;   /* attributes as in the columns */
	sheaf_scidb_array options; /* as in --schema, and its dimensions */
	sheaf_scidb_layout layout;
	int coordinates;                   /* columns that are not in cells: they say where the cell belongs */
	int coordinate_at[SHEAF_MAX_RANK]; /* which columns they are */
	int *attribute_at;                 /* and which the attributes, in the order of their entries */
	int nattributes, ncolumns;
	sheaf_scidb_places places;
} writer;

/* ---- accepted schemas ---- */

/* The server has no complex numbers of other than 16 bytes, no days without a time, and no fractions of
 * seconds. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	(void)values;
	if (schema->nfields == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected at least one column to write, found %d", 0);
	for (int i = 0; i < schema->nfields; i++) {
		sheaf_field *field = &schema->fields[i];
		if (field->meaning == SHEAF_COMPLEX) field->type = SHEAF_F64;
		field->digits = 0; /* in whole seconds */
		if (field->meaning == SHEAF_DATE) field->meaning = SHEAF_DATETIME;
	}
	return SHEAF_OK;
}

/* ---- create ---- */

static void close_output(void *created)
{
	writer *out = (writer *)created;
	sheaf_scidb_places_end(&out->places);
	sheaf_scidb_layout_free(&out->layout);
	sheaf_scidb_entries_free(&out->entries);
	sheaf_scidb_array_free(&out->array);
	sheaf_scidb_array_free(&out->options);
	sheaf_scidb_types_free(&out->types);
	sheaf_release(out->cx, out->attribute_at, (size_t)out->ncolumns * sizeof *out->attribute_at);
}

/* The columns that have the names of the schema's dimensions. Where several have one name, a dimension takes
 * the one in its own position, or else the first. */
static sheaf_status find_coordinates(writer *out, const sheaf_schema *schema, sheaf_error *err)
{
	SHEAF_TRY(sheaf_scidb_check_dimensions(&out->options, err));
	out->coordinates = out->options.ndimensions;
	for (int i = 0; i < out->coordinates; i++) {
		const char *name = out->options.dimensions[i].name;
		int f = out->coordinate_at[i] = sheaf_schema_find_near(schema, name, i);
		const sheaf_field *field = f < 0 ? NULL : &schema->fields[f];
		bool whole = field && field->nlevels == 0 && (field->type == SHEAF_I64 || field->type == SHEAF_I32) &&
		             !sheaf_means_time(field->meaning);
		if (!whole)
			return sheaf_fail(err, SHEAF_USAGE,
			                  SHEAF_OPTION("dimensions") ": expected a column of int64, never missing, for "
			                                             "dimension \"%s\", found %s",
			                  name, field ? "another" : "none");
	}
	return SHEAF_OK;
}

static bool is_coordinate(const writer *out, int column)
{
	bool is = false;
	for (int i = 0; i < out->coordinates; i++) is |= out->coordinate_at[i] == column;
	return is;
}

/* ---- which column becomes which attribute of --schema ---- */

/* The column with the name of an attribute; -1: there is none, or it is a coordinate. */
static int find_column(const writer *out, const sheaf_names *columns, int attribute, int after)
{
	const char *name = out->options.attributes[attribute].name;
	int column = sheaf_names_find(columns, name, strlen(name), after);
	return column >= 0 && is_coordinate(out, column) ? -1 : column;
}

/* If names do not lead to all columns, a column that has another name than the attribute in its position may
 * be the wrong one. */
static sheaf_status report_positions(const writer *out, const sheaf_schema *schema, sheaf_error *err)
{
	enum { LONGEST = 80 };
	char found[LONGEST + 16];
	for (int i = 0; i < out->nattributes; i++) {
		const char *column = schema->fields[out->attribute_at[i]].name,
				   *attribute = out->options.attributes[i].name;
		if (strcmp(column, attribute) == 0) continue;
		snprintf(found, sizeof found, "column \"%.*s\"", LONGEST, column);
		sheaf_problem problem =
			sheaf_problem_in(sheaf_sink_name(out->places.sink),
		                     &SHEAF_FINDING(SHEAF_WARNING, "column of another name",
		                                    "a column of its name, as " SHEAF_OPTION("schema") " has it",
		                                    found, "it is taken by its position"));
		problem.place.stream = attribute;
		problem.place.stream_word = "attribute";
		SHEAF_TRY(sheaf_report(out->cx, &problem, err));
	}
	return SHEAF_OK;
}

/* By name, in whatever order attributes come, if both sides have the same names, else by position. */
static sheaf_status match_columns(writer *out, const sheaf_schema *schema, sheaf_error *err)
{
	sheaf_names columns = {0};
	sheaf_status status = SHEAF_OK;
	bool named = true;
	for (int f = 0; f < schema->nfields && named && status == SHEAF_OK; f++) {
		const char *name = schema->fields[f].name;
		named = sheaf_names_find(&columns, name, strlen(name), -1) < 0;
		if (named) status = sheaf_names_add(&columns, out->cx, name, strlen(name), err);
	}
	named &= status == SHEAF_OK;
	for (int i = 0, after = -1; i < out->nattributes && named; i++)
		named = (after = find_column(out, &columns, i, after)) >= 0;
	for (int i = 0, after = -1; i < out->nattributes && named; i++)
		out->attribute_at[i] = after = find_column(out, &columns, i, after);
	sheaf_names_free(&columns);
	return status || named ? status : report_positions(out, schema, err);
}

/* All columns but the coordinates become attributes. Without a format string or a schema the entries are
 * those that hold the columns unchanged. */
static sheaf_status prepare(writer *out, const sheaf_schema *schema, const sheaf_values *values,
                            sheaf_error *err)
{
	SHEAF_TRY(sheaf_scidb_read_options(values, &out->types, &out->entries, &out->options, err));
	if (sheaf_values_flag(values, "dimensions")) SHEAF_TRY(find_coordinates(out, schema, err));
	SHEAF_TRY(sheaf_allocate_array(out->cx, (uint64_t)schema->nfields, sizeof *out->attribute_at,
	                               &out->attribute_at, err));
	out->ncolumns = schema->nfields;
	for (int f = 0; f < schema->nfields; f++)
		if (!is_coordinate(out, f)) out->attribute_at[out->nattributes++] = f;
	bool own = out->entries.count == 0;
	if (!own && out->entries.attributes != out->nattributes)
		return sheaf_fail_option(
			err, SHEAF_USAGE, "format-string",
			": expected an entry for each of the %d columns that are not skipped, found %d", out->nattributes,
			out->entries.attributes);
	if (sheaf_values_text(values, "schema")) SHEAF_TRY(match_columns(out, schema, err));
	for (int i = 0; i < out->nattributes; i++) {
		sheaf_schema one = {.nfields = 1, .fields = &schema->fields[out->attribute_at[i]]};
		SHEAF_TRY(sheaf_scidb_array_from_schema(&out->array, own ? &out->entries : NULL, &one, out->cx, err));
	}
	return sheaf_scidb_layout_make(&out->layout, &out->entries, &out->array, true, err);
}

static void put_zeros(sheaf_builder *b, int64_t n)
{
	if (!sheaf_builder_room(b, (uint64_t)n)) return;
	memset(b->data + b->size, 0, (size_t)n);
	b->size += (size_t)n;
}

/* An entry without a value: null if it may be null, else 0 or the empty string, whose count includes its NUL,
 * as in the server when it tolerates errors. */
static void put_empty(sheaf_builder *b, const sheaf_scidb_entry *entry, int code)
{
	bool string = !entry->nullable && entry->size == 0 && entry->type && entry->type->kind == SCIDB_STRING;
	if (entry->nullable) sheaf_builder_byte(b, (char)code);
	if (entry->size == 0) sheaf_builder_u32le(b, string);
	put_zeros(b, entry->size ? entry->size : string);
}

/* The cell for places without a row is made once: it is the same for all of them. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	(void)totals;
	out->types.cx = out->cx;
	sheaf_scidb_places_begin(&out->places, out->sink, &out->options, &out->layout, out->cx);
	SHEAF_TRY(prepare(out, &out->schema, values, err));
	if (!sheaf_values_flag(values, "fill-cells")) return SHEAF_OK;
	if (out->coordinates == 0)
		return sheaf_fail_option(
			err, SHEAF_USAGE, "fill-cells",
			": expected " SHEAF_OPTION("dimensions") ", which say what cells there are, found %s", "none");
	for (int i = 0; i < out->layout.count; i++) put_empty(&out->places.empty, &out->layout.items[i].entry, 0);
	return sheaf_builder_status(&out->places.empty, err);
}

/* Coordinates precede the cells: for each cell its number in the array. */
static sheaf_status append(void *created, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)created;
	size_t numbers = (size_t)blob->rows * sizeof(int64_t);
	if (out->coordinates == 0) return sheaf_sink_write(out->sink, blob->bytes.data, blob->bytes.size, err);
	return sheaf_scidb_places_add(&out->places,
	                              (sheaf_bytes){blob->bytes.data + numbers, blob->bytes.size - numbers},
	                              (const int64_t *)(const void *)blob->bytes.data, blob->rows, err);
}

static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	return out->coordinates ? sheaf_scidb_places_finish(&out->places, err) : SHEAF_OK;
}

/* ---- losses ---- */

typedef struct encoding {
	const writer *out;
	sheaf_builder *b;
	sheaf_error *err;
	int64_t row; /* of the output */
} encoding;

/* Each loss is reported with its cell and attribute; the caller of a conversion decides whether it may be. */
static sheaf_status lose(const encoding *e, const sheaf_scidb_item *item, const char *rule,
                         const char *expected, const char *found, const char *consequence)
{
	sheaf_problem problem =
		sheaf_problem_in(sheaf_sink_name(e->out->sink),
	                     &SHEAF_FINDING(SHEAF_ERROR, rule, expected, found, consequence, SHEAF_LOSS));
	problem.place.row = e->row;
	problem.place.row_word = "cell";
	problem.place.stream_word = "attribute";
	problem.place.stream = e->out->array.attributes[item->column].name;
	return sheaf_report(e->b->cx, &problem, e->err);
}

/* ---- payloads ---- */

/* As many bytes as the entry has: of the text, followed by zeros. A string keeps a place for its NUL. */
static sheaf_status put_fixed_text(encoding *e, const sheaf_scidb_item *item, sheaf_bytes text)
{
	char expected[96], found[48];
	bool string = item->entry.type->kind == SCIDB_STRING;
	size_t most = (size_t)item->entry.size - string, n = text.size < most ? text.size : most;
	if (string ? text.size > most : text.size != most) {
		snprintf(expected, sizeof expected, string ? "at most %zu bytes and their NUL" : "%zu bytes", most);
		snprintf(found, sizeof found, "%zu", text.size);
		SHEAF_TRY(lose(e, item, string ? "string longer than its entry" : "bytes of another length", expected,
		               found, string ? "it is cut" : "they are cut, or zeros are added"));
	}
	if (string && text.size && memchr(text.data, '\0', text.size))
		SHEAF_TRY(lose(e, item, "NUL in a string",
		               "a string without NUL in it, which would end it in an entry of fixed size", "one",
		               "what comes after it will not be read"));
	sheaf_builder_append(e->b, text.data, n);
	put_zeros(e->b, item->entry.size - (int64_t)n);
	return SHEAF_OK;
}

/* Strings include their NUL. */
static sheaf_status put_text(encoding *e, const sheaf_scidb_item *item, sheaf_bytes text)
{
	bool string = item->entry.type->kind == SCIDB_STRING;
	if (item->entry.size) return put_fixed_text(e, item, text);
	if (text.size > UINT32_MAX - string)
		return sheaf_fail(e->err, SHEAF_UNSUPPORTED,
		                  "%s: cell %" PRId64 ", attribute \"%s\": expected at most %" PRIu32
		                  " bytes, found %zu",
		                  sheaf_sink_name(e->out->sink), e->row, e->out->array.attributes[item->column].name,
		                  UINT32_MAX - string, text.size);
	sheaf_builder_u32le(e->b, (uint32_t)(text.size + string));
	sheaf_builder_append(e->b, text.data, text.size);
	if (string) sheaf_builder_byte(e->b, '\0');
	return SHEAF_OK;
}

/* The item of a column as the bytes of its type in a file. `room` is for numbers. */
static sheaf_bytes bytes_of(const sheaf_scidb_item *item, const sheaf_column *column, int64_t r,
                            uint8_t *room)
{
	size_t size = (size_t)item->type->size;
	if (column->nlevels && sheaf_means_run(column->meaning) && size == 0) {
		sheaf_run run = sheaf_level_below_one(&column->levels[0], r);
		return sheaf_column_bytes(column, run);
	}
	const uint8_t *at = column->values.data + (size_t)r * size;
	if (column->meaning == SHEAF_COORDINATE && column->type == SHEAF_I32) {
		sheaf_store_u64le(room, (uint64_t)((const int32_t *)(const void *)column->values.data)[r]);
		return (sheaf_bytes){room, 8};
	}
	if (column->meaning == SHEAF_BOOL) {
		*room = *at != 0;
		return (sheaf_bytes){room, 1};
	}
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) return (sheaf_bytes){at, size};
	size_t word = size < 8 ? size : 8;
	for (size_t i = 0; i < size; i++) room[i] = at[i / word * word + word - 1 - i % word];
	return (sheaf_bytes){room, size};
}

/* The message about a value that changes shows the value as the server would print it. */
static sheaf_status put_converted(encoding *e, const sheaf_scidb_item *item, sheaf_bytes bytes)
{
	enum { MOST = 16 };
	sheaf_scidb_value v = {0}, shown = {0};
	sheaf_scidb_convert(item->type, bytes, item->entry.type, &v);
	if (v.flaw) {
		char found[SCIDB_NUMBER_TEXT + 8];
		sheaf_scidb_convert(item->type, bytes, sheaf_scidb_type_of(SCIDB_STRING), &shown);
		snprintf(found, sizeof found, "%.*s",
		         (int)(shown.size < SCIDB_NUMBER_TEXT ? shown.size : SCIDB_NUMBER_TEXT), shown.text);
		SHEAF_TRY(lose(e, item, "value changed by its conversion", v.flaw, found,
		               v.failed ? "0 is written" : "converted as the server does"));
	}
	if (item->entry.type->kind == SCIDB_STRING)
		return put_text(e, item, (sheaf_bytes){(const uint8_t *)v.text, v.size});
	if (!sheaf_builder_room(e->b, MOST)) return SHEAF_OK;
	sheaf_scidb_store(item->entry.type, &v, true, e->b->data + e->b->size);
	e->b->size += (size_t)item->entry.size;
	return SHEAF_OK;
}

/* ---- cells ---- */

/* A null byte of 0xFF, where the entry has one, and the value; or the reason why there is none, which is lost
 * in an entry without a null byte. */
static sheaf_status put_item(encoding *e, const sheaf_scidb_item *item, const sheaf_column *column, int64_t r)
{
	char expected[64], found[32];
	uint8_t room[16];
	if (column->nlevels && sheaf_level_is_null(&column->levels[0], r)) {
		int code = sheaf_level_code(&column->levels[0], r);
		if (!item->entry.nullable) {
			snprintf(expected, sizeof expected, "a value, since entry %d is not null", item->number + 1);
			snprintf(found, sizeof found, "null, reason %d", code);
			SHEAF_TRY(lose(e, item, "null without a place", expected, found,
			               item->entry.size ? "zeros are written" : "an empty one is written"));
		}
		put_empty(e->b, &item->entry, code);
		return SHEAF_OK;
	}
	if (item->entry.nullable) sheaf_builder_byte(e->b, '\xff');
	sheaf_bytes bytes = bytes_of(item, column, r, room);
	if (item->converts) return put_converted(e, item, bytes);
	if (item->type->size == 0) return put_text(e, item, bytes);
	sheaf_builder_append(e->b, bytes.data, bytes.size);
	return SHEAF_OK;
}

/* The position of a cell in the file determines its place in the array: coordinates become its number, and
 * the numbers of all cells precede the cells. */
static sheaf_status encode(const void *created, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)created;
	encoding e = {out, b, err, row};
	char text[SCIDB_PLACE_TEXT];
	int64_t coordinates[SHEAF_MAX_RANK], cell;
	*samples = frame->nrows;
	for (int64_t r = 0; r < frame->nrows && out->coordinates; r++) {
		for (int i = 0; i < out->coordinates; i++)
			coordinates[i] = sheaf_coordinate_at(&frame->columns[out->coordinate_at[i]], r);
		if (!sheaf_scidb_cell_at(&out->options, coordinates, &cell))
			return sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"%s: row %" PRId64
				": expected coordinates within the dimensions of " SHEAF_OPTION("schema") ", found %s",
				sheaf_sink_name(out->sink), row + r,
				sheaf_scidb_place_text(coordinates, out->coordinates, text));
		sheaf_builder_i64(b, cell);
	}
	for (int64_t r = 0; r < frame->nrows && !b->failed; r++, e.row++)
		for (int i = 0; i < out->layout.count; i++) {
			const sheaf_scidb_item *item = &out->layout.items[i];
			if (item->column < 0)
				put_empty(b, &item->entry, 0);
			else
				SHEAF_TRY(put_item(&e, item, &frame->columns[out->attribute_at[item->column]], r));
		}
	return SHEAF_OK;
}

const sheaf_writing sheaf_scidb_writing = {
	.takes = SHEAF_TAKES_CELLS,
	.output_size = sizeof(writer),
	.columns = SHEAF_ANY_COLUMN,
	.accept = accept,
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
