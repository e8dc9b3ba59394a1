/* SPDX-License-Identifier: MIT */
/* A piece into columns, one column after the other: what one column's words have in common, a processor
 * guesses well. Where some word is worth a finding, report.c goes through the piece row by row, and what is
 * left is decoded again. */
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "delimited/delimited.h"
#include <string.h>

static bool is_nullable(const sheaf_field *field)
{
	return field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
}

/* ---- columns ---- */

typedef struct column {
	sheaf_delimited_decoding *d;
	const sheaf_field *field;
	uint32_t at; /* which field of a record */
	sheaf_builder *values;
	sheaf_level_builder *level; /* NULL: a number that is never missing */
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
	if (!sheaf_builder_room(c->values, (uint64_t)n * size)) return;
	uint8_t *to = c->values->data;
	for (int64_t r = 0; r < n; r++, to += size) {
		sheaf_word word = word_of(c, r);
		int code = nullable ? sheaf_delimited_null(c->field, word, &in->dialect) : SHEAF_NO_CODE;
		if (code == SHEAF_NO_CODE) {
			found |= sheaf_item_read(c->field, word, &in->dialect, to);
			continue;
		}
		sheaf_level_miss(c->level, r, code);
		memset(to, 0, size);
	}
	c->values->size = (size_t)n * size;
	c->d->found |= found != ITEM_OK;
}

static void read_runs(column *c)
{
	const sheaf_dialect *dialect = &c->d->in->dialect;
	int64_t n = c->d->records.count;
	unsigned found = 0;
	if (!sheaf_builder_room(&c->level->offsets, (uint64_t)n * sizeof(int64_t))) return;
	for (int64_t r = 0; r < n; r++) {
		sheaf_word word = word_of(c, r);
		int code = sheaf_delimited_null(c->field, word, dialect);
		size_t size;
		if (code != SHEAF_NO_CODE) {
			sheaf_level_miss(c->level, r, code);
		} else {
			if (!sheaf_builder_room(c->values, (uint64_t)(word.end - word.at) + 1)) return;
			found |= sheaf_item_read_run(c->field, word, dialect, c->values->data + c->values->size, &size);
			c->values->size += size;
		}
		sheaf_builder_i64(&c->level->offsets, (int64_t)c->values->size);
	}
	c->d->found |= found != ITEM_OK;
}

static sheaf_status read_columns(sheaf_delimited_decoding *d)
{
	d->found = false;
	sheaf_frame_builder_go_back(&d->to); /* of a first reading nothing stays */
	for (int f = 0; f < d->in->schema.nfields; f++) {
		sheaf_column_builder *to = &d->to.columns[f];
		column c = {.d = d,
		            .field = to->field,
		            .at = (uint32_t)d->in->columns[f],
		            .values = &to->values,
		            .level = to->field->nlevels > 0 ? to->levels : NULL};
		(c.level && c.level->shape->kind == SHEAF_LIST ? read_runs : read_items)(&c);
	}
	return sheaf_frame_builder_status(&d->to, d->err);
}

/* The lines were found with the records. */
static void take_lines(sheaf_delimited_decoding *d)
{
	sheaf_builder_drop(&d->to.lines);
	d->to.lines = d->records.lines;
	d->records.lines = (sheaf_builder){.cx = d->cx};
}

static sheaf_status read_piece(sheaf_delimited_decoding *d)
{
	const sheaf_delimited_reader *in = d->in;
	const uint8_t *begin = d->piece->bytes.data;
	sheaf_status status = SHEAF_OK;
	SHEAF_TRY(sheaf_records_find(&d->records, &in->dialect, in->width, begin, begin + d->piece->size,
	                             d->piece->line, d->err));
	SHEAF_TRY(read_columns(d));
	if (d->found || d->records.findings.size) {
		int64_t before = d->records.count;
		status = sheaf_delimited_report(d);
		if (status && !sheaf_is_flaw(status)) return status;
		if (d->records.count < before) SHEAF_TRY(read_columns(d));
	}
	d->to.nrows = d->records.count;
	take_lines(d);
	return status;
}

sheaf_status sheaf_delimited_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                    sheaf_context *cx, sheaf_error *err)
{
	sheaf_delimited_decoding d = {
		.in = (const sheaf_delimited_reader *)reader, .cx = cx, .err = err, .piece = piece};
	sheaf_records_begin(&d.records, cx);
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &d.in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = read_piece(&d);
	sheaf_records_drop(&d.records);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
