/* SPDX-License-Identifier: MIT */
/* A piece into columns. A row with any error is left out. */
#include "base/context.h"
#include "base/spell.h"
#include "format/jsonl/jsonl.h"
#include <stdio.h>
#include <string.h>

typedef struct decoding {
	const sheaf_jsonl_reader *in;
	sheaf_lined_text text;
	sheaf_frame_builder to;
	const char *column; /* which has an error, or NULL */
	sheaf_json_misfit misfit;
} decoding;

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

static bool put_row(decoding *d, const sheaf_json *row)
{
	const sheaf_json *columns = sheaf_jsonl_columns(row, d->in->schema.rows);
	size_t known = 0;
	d->column = NULL;
	if (!columns) return sheaf_json_misfits(&d->misfit, "a row like the others", row);
	for (int c = 0; c < d->in->schema.nfields; c++) {
		const sheaf_field *field = &d->in->schema.fields[c];
		bool key = field->meaning == SHEAF_KEY;
		const sheaf_json *value = sheaf_json_get(key ? row : columns, field->name);
		d->column = field->name;
		known += value && !key;
		if (!sheaf_column_put_json(&d->to.columns[c], value, d->in->guessed, &d->misfit)) return false;
	}
	d->column = NULL;
	return known == sheaf_json_size(columns) || sheaf_json_is_stranger(columns, &d->in->schema, &d->misfit);
}

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
	bool kept = put_row(d, row);
	sheaf_json_give_back(row, size, d->text.cx);
	if (kept) {
		d->to.nrows++;
		sheaf_builder_i64(&d->to.lines, d->text.line);
		SHEAF_TRY(sheaf_frame_builder_status(&d->to, d->text.err));
		return sheaf_check_cells(d->text.cx, d->to.nrows, d->in->schema.nfields, d->text.end - d->text.begin,
		                         d->text.err);
	}
	sheaf_frame_builder_go_back(&d->to);
	return sheaf_lined_report(
		&d->text, at, d->column,
		SHEAF_FINDING(SHEAF_ERROR, "JSON value", d->misfit.expected, d->misfit.found, left_out));
}

static sheaf_status read_lines(decoding *d)
{
	while (sheaf_lined_next_row(&d->text)) {
		SHEAF_TRY(read_line(d, (size_t)(d->text.line_end - d->text.at)));
		SHEAF_TRY(sheaf_check_stop(d->text.cx, d->text.err));
	}
	return SHEAF_OK;
}

/* A short input may be a large table. */
static sheaf_status explain_limit(const sheaf_jsonl_reader *in, sheaf_status status, sheaf_error *err)
{
	if (status == SHEAF_LIMIT && err && strcmp(err->advice, "max-memory") == 0)
		sheaf_error_append(err, " (each line is read with a place for all %d columns)", in->schema.nfields);
	return status;
}

sheaf_status sheaf_jsonl_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                sheaf_context *cx, sheaf_error *err)
{
	const sheaf_jsonl_reader *in = (const sheaf_jsonl_reader *)reader;
	decoding d = {.in = in, .text = sheaf_lined_text_of(&in->lined, piece, cx, err)};
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = read_lines(&d);
	return explain_limit(in, sheaf_frame_builder_end(&d.to, status, frame, err), err);
}
