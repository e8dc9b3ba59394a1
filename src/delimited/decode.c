/* SPDX-License-Identifier: MIT */
/* A piece into columns, one column after the other: what one column's words have in common, a processor
 * guesses well. Where some word is worth a finding, report.c goes through the piece row by row, and what is
 * left is decoded again. */
#include "base/context.h"
#include "base/memory.h"
#include "delimited/delimited.h"
#include <string.h>

static bool is_nullable(const sheaf_field *field)
{
	return field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
}

int sheaf_delimited_null(const sheaf_field *field, sheaf_word word, const sheaf_dialect *dialect)
{
	if (!is_nullable(field)) return SHEAF_NO_CODE;
	int code = sheaf_word_null(word, dialect);
	if (code != SHEAF_NO_CODE || sheaf_means_text(field->meaning) || field->meaning == SHEAF_CHAR ||
	    field->meaning == SHEAF_BYTES)
		return code;
	word = sheaf_word_trim(word);
	return word.at == word.end ? 0 : SHEAF_NO_CODE;
}

/* ---- what is missing ---- */

/* Bits and codes of a column, which begin with the first item that is missing, and with the first that has a
 * code. */
typedef struct absence {
	sheaf_builder valid, codes;
	int64_t count; /* of items */
} absence;

static void note_missing(absence *a, int64_t count, int64_t at, int code)
{
	size_t bytes = (size_t)(count + 7) / 8;
	if (a->valid.size == 0 && sheaf_builder_room(&a->valid, bytes)) {
		memset(a->valid.data, 0xff, bytes);
		a->valid.size = bytes;
	}
	if (code && a->codes.size == 0 && sheaf_builder_room(&a->codes, (size_t)count)) {
		memset(a->codes.data, 0, (size_t)count);
		a->codes.size = (size_t)count;
	}
	if (a->valid.size) a->valid.data[at / 8] &= (uint8_t) ~(1u << (at % 8));
	if (code && a->codes.size) a->codes.data[at] = (uint8_t)code;
}

static sheaf_status finish_absence(absence *a, sheaf_level *level, sheaf_error *err)
{
	level->valid_at = 0;
	sheaf_status status = sheaf_builder_finish(&a->valid, &level->valid, err);
	sheaf_status codes = sheaf_builder_finish(&a->codes, &level->codes, status ? NULL : err);
	return status ? status : codes;
}

/* ---- columns ---- */

typedef struct column {
	sheaf_delimited_decoding *d;
	const sheaf_field *field;
	uint32_t at; /* which field of a record */
	absence absence;
	sheaf_builder values, offsets;
} column;

static sheaf_word word_of(const column *c, int64_t r)
{
	return sheaf_word_of(&c->d->records, &c->d->in->dialect, r, c->at);
}

static void read_items(column *c)
{
	const sheaf_delimited_reader *in = c->d->in;
	int64_t n = c->d->records.count;
	size_t size = sheaf_item_size(c->field);
	bool nullable = is_nullable(c->field);
	unsigned found = 0;
	if (!sheaf_builder_room(&c->values, (size_t)n * size)) return;
	uint8_t *to = c->values.data;
	for (int64_t r = 0; r < n; r++, to += size) {
		sheaf_word word = word_of(c, r);
		int code = nullable ? sheaf_delimited_null(c->field, word, &in->dialect) : SHEAF_NO_CODE;
		if (code == SHEAF_NO_CODE) {
			found |= sheaf_item_read(c->field, word, &in->dialect, to);
			continue;
		}
		note_missing(&c->absence, n, r, code);
		memset(to, 0, size);
	}
	c->values.size = (size_t)n * size;
	c->d->found |= found != ITEM_OK;
}

static void read_runs(column *c)
{
	const sheaf_dialect *dialect = &c->d->in->dialect;
	int64_t n = c->d->records.count;
	unsigned found = 0;
	if (!sheaf_builder_room(&c->offsets, (size_t)(n + 1) * sizeof(int64_t))) return;
	sheaf_builder_i64(&c->offsets, 0);
	for (int64_t r = 0; r < n; r++) {
		sheaf_word word = word_of(c, r);
		int code = sheaf_delimited_null(c->field, word, dialect);
		size_t size;
		if (code != SHEAF_NO_CODE) {
			note_missing(&c->absence, n, r, code);
		} else {
			if (!sheaf_builder_room(&c->values, (size_t)(word.end - word.at) + 1)) return;
			found |= sheaf_item_read_run(c->field, word, dialect, c->values.data + c->values.size, &size);
			c->values.size += size;
		}
		sheaf_builder_i64(&c->offsets, (int64_t)c->values.size);
	}
	c->d->found |= found != ITEM_OK;
}

static sheaf_status finish_column(column *c, sheaf_column *to)
{
	sheaf_error *err = c->d->err;
	SHEAF_TRY(finish_absence(&c->absence, &to->levels[0], err));
	if (c->offsets.size || c->offsets.failed)
		SHEAF_TRY(sheaf_builder_finish(&c->offsets, &to->levels[0].offsets, err));
	return sheaf_builder_finish(&c->values, &to->values, err);
}

static sheaf_status read_column(sheaf_delimited_decoding *d, int number, sheaf_frame *frame)
{
	sheaf_column *to = &frame->columns[number];
	column c = {.d = d, .field = &d->in->schema.fields[number], .at = (uint32_t)d->in->columns[number]};
	bool run = c.field->nlevels > 0 && c.field->levels[0].kind == SHEAF_LIST;
	sheaf_builder_begin(&c.values, d->cx, &to->values);
	sheaf_builder_begin(&c.offsets, d->cx, run ? &to->levels[0].offsets : NULL);
	sheaf_builder_begin(&c.absence.valid, d->cx, &to->levels[0].valid);
	sheaf_builder_begin(&c.absence.codes, d->cx, &to->levels[0].codes);
	(run ? read_runs : read_items)(&c);
	sheaf_status status = finish_column(&c, to);
	sheaf_builder_drop(&c.values);
	sheaf_builder_drop(&c.offsets);
	sheaf_builder_drop(&c.absence.valid);
	sheaf_builder_drop(&c.absence.codes);
	return status;
}

static sheaf_status read_columns(sheaf_delimited_decoding *d, sheaf_frame *frame)
{
	d->found = false;
	for (int f = 0; f < d->in->schema.nfields; f++) SHEAF_TRY(read_column(d, f, frame));
	return SHEAF_OK;
}

static sheaf_status read_piece(sheaf_delimited_decoding *d, sheaf_frame *frame)
{
	const sheaf_delimited_reader *in = d->in;
	const uint8_t *begin = d->piece->bytes.data;
	SHEAF_TRY(sheaf_frame_begin(frame, &in->schema, d->cx, d->err));
	SHEAF_TRY(sheaf_records_find(&d->records, &in->dialect, in->width, begin, begin + d->piece->size,
	                             d->piece->line, d->err));
	SHEAF_TRY(read_columns(d, frame));
	if (d->found || d->records.findings.size) {
		int64_t before = d->records.count;
		SHEAF_TRY(sheaf_delimited_report(d));
		if (d->records.count < before) SHEAF_TRY(read_columns(d, frame));
	}
	frame->nrows = d->records.count;
	return sheaf_builder_finish(&d->records.lines, &frame->lines, d->err);
}

sheaf_status sheaf_delimited_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                    sheaf_context *cx, sheaf_error *err)
{
	sheaf_delimited_decoding d = {
		.in = (const sheaf_delimited_reader *)reader, .cx = cx, .err = err, .piece = piece};
	sheaf_records_begin(&d.records, cx);
	sheaf_status status = read_piece(&d, frame);
	sheaf_records_drop(&d.records);
	if (status) frame->nrows = 0;
	return status;
}
