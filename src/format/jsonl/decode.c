/* SPDX-License-Identifier: MIT */
/* A piece into columns. A row with any error is left out.
 *
 * Members of an object may come in any order, and columns that may be missing need none. A row is put into
 * the columns member by member; if one of them does not fit, what the row has put is taken back. */
#include "base/context.h"
#include "base/spell.h"
#include "format/jsonl/jsonl.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct decoding {
	const sheaf_jsonl_reader *in;
	sheaf_lined_text text;
	sheaf_frame_builder to;
	bool full;          /* memory has run out */
	int wrong;          /* the first column whose value does not fit, or INT_MAX */
	const char *column; /* which has an error, or NULL */
	sheaf_json_misfit misfit;
} decoding;

/* The object of that name in a row, if the row has a number beside it, and nothing else. */
static const sheaf_json *object_in(const sheaf_json *row, const char *number, const char *name)
{
	const sheaf_json *object = sheaf_json_get(row, name);
	bool suits = sheaf_json_kind_of(object) == SHEAF_JSON_OBJECT && sheaf_json_size(row) == 2;
	return suits && sheaf_json_get(row, number) ? object : NULL;
}

const sheaf_json *sheaf_jsonl_columns(const sheaf_json *row, sheaf_row_kind kind)
{
	const sheaf_json *cells = object_in(row, "row", "cells");
	if (kind == SHEAF_SEQUENCES) return object_in(row, "key", "streams");
	return cells ? cells : sheaf_json_kind_of(row) == SHEAF_JSON_OBJECT ? row : NULL;
}

bool sheaf_jsonl_may_lack(const sheaf_field *field)
{
	bool nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
	return nullable || sheaf_field_is_stream(field);
}

/* Rows without a column wait until it has a value again, or all rows are there: each row takes the time of
 * its own members, however many columns there are. Of several values that do not fit, that of the first
 * column is reported. */
static void put_member(decoding *d, int c, const sheaf_json *value)
{
	sheaf_json_misfit misfit;
	sheaf_column_builder *column = &d->to.columns[c];
	if (sheaf_jsonl_may_lack(column->field)) d->full |= !sheaf_column_put_absent(column, d->to.nrows);
	if (sheaf_column_put_json(column, value, d->in->guessed, &misfit) || c >= d->wrong) return;
	d->wrong = c;
	d->misfit = misfit;
}

/* Puts a row into the columns; false if something does not fit, which d->misfit describes. A column that
 * must have a value and lacks one is looked for only where members are fewer than such columns. A member
 * that is no column is an error, unless the user has chosen the columns. d->wrong is the first column
 * that does not fit, INT_MAX while all do. */
static bool put_row(decoding *d, const sheaf_json *row, const sheaf_json *columns)
{
	const sheaf_jsonl_reader *in = d->in;
	const sheaf_json *value;
	const char *name, *unknown_name = NULL;
	void *at = NULL;
	int required = in->key >= 0;
	for (int c = -1; (value = sheaf_json_next(columns, &at, &name));) {
		c = sheaf_names_find(&d->in->names, name, strlen(name), c);
		if (c < 0 && !unknown_name && !in->chosen) unknown_name = name;
		if (c < 0) continue;
		required += !sheaf_jsonl_may_lack(&in->schema.fields[c]);
		put_member(d, c, value);
	}
	if (in->key >= 0) put_member(d, in->key, sheaf_json_get(row, in->schema.fields[in->key].name));
	for (int c = 0; c < in->schema.nfields && required < in->required; c++) {
		const sheaf_field *field = &in->schema.fields[c];
		if (c == in->key || sheaf_jsonl_may_lack(field) || sheaf_json_get(columns, field->name)) continue;
		put_member(d, c, NULL);
		break;
	}
	if (d->wrong < INT_MAX) d->column = in->schema.fields[d->wrong].name;
	if (d->wrong < INT_MAX || !unknown_name) return d->wrong == INT_MAX;
	snprintf(d->misfit.expected, sizeof d->misfit.expected, "the columns of the schema");
	snprintf(d->misfit.found, sizeof d->misfit.found, "\"%.40s\" as well", unknown_name);
	return false;
}

/* Takes a row into the columns. False if the row is left out: what it has put is taken back, and
 * d->misfit says why. */
static bool take_row(decoding *d, const sheaf_json *row)
{
	const sheaf_json *columns = sheaf_jsonl_columns(row, d->in->schema.rows);
	const char *name;
	void *at = NULL;
	d->column = NULL;
	d->wrong = INT_MAX;
	if (!columns) return sheaf_json_misfits(&d->misfit, "a row like the others", row);
	if (put_row(d, row, columns)) return true;
	for (int c = -1; sheaf_json_next(columns, &at, &name);) {
		c = sheaf_names_find(&d->in->names, name, strlen(name), c);
		if (c >= 0) sheaf_column_go_back(&d->to.columns[c], d->to.nrows);
	}
	if (d->in->key >= 0) sheaf_column_go_back(&d->to.columns[d->in->key], d->to.nrows);
	if (d->wrong < INT_MAX) sheaf_column_go_back(&d->to.columns[d->wrong], d->to.nrows);
	return false;
}

/* Reads a line of `size` bytes, which is one value of JSON in UTF-8, as a row; a line with a flaw is
 * reported and left out. Of what is wrong with it, the first byte that is not UTF-8 comes first. */
static sheaf_status read_line(decoding *d, size_t size)
{
	static const char left_out[] = "the row is left out";
	const uint8_t *at = d->text.at;
	sheaf_json_flaw flaw;
	sheaf_json *row;
	sheaf_status status = sheaf_json_take(at, size, d->text.cx, &row, &flaw, d->text.err);
	size_t valid = status == SHEAF_DATA ? sheaf_utf8_prefix(at, size) : size;
	if (valid < size) {
		snprintf(flaw.found, sizeof flaw.found, "byte 0x%02x", at[valid]);
		return sheaf_lined_report(
			&d->text, at + valid, NULL,
			SHEAF_FINDING(SHEAF_ERROR, "encoding", SHEAF_UTF8_EXPECTED, flaw.found, left_out));
	}
	if (status == SHEAF_DATA)
		return sheaf_lined_report(&d->text, at + flaw.byte, NULL,
		                          SHEAF_FINDING(SHEAF_ERROR, "JSON", "JSON", flaw.found, left_out));
	SHEAF_TRY(status);
	bool kept = take_row(d, row);
	sheaf_json_give_back(row, size, d->text.cx);
	if (kept) {
		d->to.nrows++;
		sheaf_builder_i64(&d->to.lines, d->text.line);
		if (d->full) SHEAF_TRY(sheaf_frame_builder_status(&d->to, d->text.err));
		return sheaf_check_cells(d->text.cx, d->to.nrows, d->in->schema.nfields, d->text.end - d->text.begin,
		                         d->text.err);
	}
	return sheaf_lined_report(
		&d->text, at, d->column,
		SHEAF_FINDING(SHEAF_ERROR, "JSON value", d->misfit.expected, d->misfit.found, left_out));
}

/* Decodes a piece of lines into rows on a worker's thread. A short input may be a large table, so that a
 * limit of memory says how many columns there are. Columns that the last rows lack get their missing
 * values at the end (put_member). */
sheaf_status sheaf_jsonl_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                sheaf_context *cx, sheaf_error *err)
{
	const sheaf_jsonl_reader *in = (const sheaf_jsonl_reader *)reader;
	decoding d = {.in = in, .text = sheaf_lined_text_of(&in->lined, piece, cx, err)};
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	bool begun = status == SHEAF_OK;
	while (status == SHEAF_OK && sheaf_lined_next_row(&d.text)) {
		status = read_line(&d, (size_t)(d.text.line_end - d.text.at));
		if (status == SHEAF_OK) status = sheaf_check_stop(cx, err);
	}
	for (int c = 0; c < in->schema.nfields && begun; c++)
		if (sheaf_jsonl_may_lack(&in->schema.fields[c]))
			(void)sheaf_column_put_absent(&d.to.columns[c], d.to.nrows);
	status = sheaf_frame_builder_end(&d.to, status, frame, err);
	if (status == SHEAF_LIMIT && err && strcmp(err->advice, "max-memory") == 0)
		sheaf_error_append(err, " (each line is read with a place for all %d columns)", in->schema.nfields);
	return status;
}
