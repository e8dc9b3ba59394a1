/* SPDX-License-Identifier: MIT */
/* A piece into columns, one column after the other: the words of one column are similar, which helps branch
 * prediction. If some word has a finding, report.c goes through the piece row by row, and what is left is
 * decoded again.
 *
 * Kernels read runs of plain words: numbers, times, true and false, in the spelling that most programs write.
 * A kernel stops at the first word that it does not know; that one is read here by its general rules, and the
 * kernel continues after it, at once or, where it stops often, after a while (sheaf_patience). */
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/csv/delimited.h"
#include "frame/frame.h"
#include "io/source.h"
#include "number/kernels/kernel.h"
#include <string.h>

/* ---- columns ---- */

typedef struct column {
	sheaf_delimited_decoding *d;
	const sheaf_field *field;
	uint32_t at; /* index of the field in a record */
	sheaf_builder *values;
	sheaf_level_builder *level; /* NULL: a number that is never missing */
	unsigned kinds; /* of a speculative reader: what is in it, but for plain numbers of its type */
} column;

static sheaf_word word_of(const column *c, int64_t r)
{
	return sheaf_word_of(&c->d->records, &c->d->in->dialect, r, c->at);
}

/* Lets a kernel read plain values from record r on, up to one that is something else, and returns the
 * number of that record; r where no kernel reads the type. */
static int64_t read_plain(const column *c, const sheaf_fields *fields, int64_t r)
{
	const sheaf_fields_kernel *kernel = sheaf_kernel_chosen()->fields;
	void *to = c->values->data;
	size_t from = (size_t)r;
	if (c->field->meaning == SHEAF_DATETIME && c->field->digits == 0)
		return (int64_t)kernel->read_times(fields, from, (int64_t *)to);
	if (c->field->meaning == SHEAF_DATE) return (int64_t)kernel->read_days(fields, from, (int64_t *)to);
	if (c->field->meaning == SHEAF_BOOL) return (int64_t)kernel->read_bools(fields, from, (uint8_t *)to);
	if (c->field->meaning != SHEAF_NUMBER) return r;
	if (c->field->type == SHEAF_F64) return (int64_t)kernel->read_f64(fields, from, (double *)to);
	if (c->field->type == SHEAF_I64) return (int64_t)kernel->read_i64(fields, from, (int64_t *)to);
	return r;
}

/* Reads a column of items of one size. A missing item has zeros as its value. Where values have their
 * plain meaning a kernel reads as many as it can, and the others are read one by one. In a speculative
 * reader the words that no kernel reads are looked at, to see whether the type of the first part still
 * fits. */
static void read_items(column *c)
{
	const sheaf_delimited_reader *in = c->d->in;
	int64_t n = c->d->records.count;
	size_t size = sheaf_item_size(c->field);
	bool nullable = sheaf_field_is_nullable(c->field), plain = sheaf_values_are_plain(&in->dialect);
	sheaf_fields fields = sheaf_records_column(&c->d->records, c->at);
	sheaf_patience patience = {0};
	unsigned found = 0;
	if (!sheaf_builder_room(c->values, (uint64_t)n * size)) return;
	for (int64_t r = 0; r < n; r++) {
		if (plain && r >= patience.next) {
			int64_t from = r;
			r = read_plain(c, &fields, from);
			sheaf_patience_note(&patience, from, r);
		}
		if (r >= n) break;
		uint8_t *to = c->values->data + (size_t)r * size;
		sheaf_word word = word_of(c, r);
		int code = nullable ? sheaf_delimited_null(c->field, &word, &in->dialect) : SHEAF_NO_CODE;
		if (in->speculative) c->kinds |= sheaf_word_kind(&word, &in->dialect);
		if (code == SHEAF_NO_CODE) {
			found |= sheaf_item_read(c->field, &word, &in->dialect, to);
			continue;
		}
		sheaf_level_miss(c->level, r, code);
		memset(to, 0, size);
	}
	c->values->size = (size_t)n * size;
	c->d->found |= found != ITEM_OK;
}

/* Appends a word's text, or bytes, for which there is room. In a dialect with quotes, a word without them
 * means just its bytes. */
static sheaf_item_flaw read_run(const column *c, const sheaf_word *word, size_t *size)
{
	const sheaf_dialect *dialect = &c->d->in->dialect;
	uint8_t *to = c->values->data + c->values->size;
	if (c->field->meaning == SHEAF_BYTES || word->quoted || !dialect->quote)
		return sheaf_item_read_run(c->field, word, dialect, to, size);
	*size = (size_t)(word->end - word->at);
	memcpy(to, word->at, *size);
	return ITEM_OK;
}

enum { SHORT_TEXT = 32 };

/* Copies texts unchanged, from record r on, up to one that may mean something else, or for which there is
 * no room, and returns the number of that record. There is room for all offsets. Short texts are copied
 * as SHORT_TEXT bytes, whatever their length, since lengths are hard to predict; so that many bytes have
 * to follow in the piece, and fit where they go. */
static int64_t copy_texts(const column *c, const sheaf_fields *f, const bool *special, int64_t r)
{
	const uint8_t *text_end = c->d->piece->bytes.data + c->d->piece->size;
	int64_t *offset = (int64_t *)(void *)(c->level->offsets.data + c->level->offsets.size);
	size_t size = c->values->size, room = c->values->capacity;
	int64_t first = r;
	for (; r < (int64_t)f->count; r++) {
		const uint8_t *at, *end;
		sheaf_field_at(f, (size_t)r, &at, &end);
		size_t n = (size_t)(end - at);
		if (n == 0 || special[*at] || room - size < n + SHORT_TEXT) break;
		if (n <= SHORT_TEXT && text_end - at >= SHORT_TEXT)
			memcpy(c->values->data + size, at, SHORT_TEXT);
		else
			memcpy(c->values->data + size, at, n);
		size += n;
		*offset++ = (int64_t)size;
	}
	c->values->size = size;
	c->level->offsets.size += (size_t)(r - first) * sizeof *offset;
	return r;
}

/* Reads a column of texts or bytes: most are copied by copy_texts; a missing one, or one with escapes or
 * quotes, is read by itself. Whether they are UTF-8 is looked at once for all; report.c finds the rows. */
static void read_runs(column *c)
{
	const sheaf_dialect *dialect = &c->d->in->dialect;
	int64_t n = c->d->records.count;
	unsigned found = 0;
	bool bytes = c->field->meaning == SHEAF_BYTES;
	bool special[UINT8_MAX + 1]; /* the first bytes of words that may mean something else than their text */
	sheaf_fields fields = sheaf_records_column(&c->d->records, c->at);
	for (int byte = 0; byte <= UINT8_MAX; byte++) {
		uint8_t first = (uint8_t)byte;
		special[byte] = sheaf_word_may_be_null((sheaf_word){&first, &first + 1, false}, dialect) ||
		                first == dialect->quote || bytes || !dialect->quote;
	}
	if (!sheaf_builder_room(&c->level->offsets, (uint64_t)n * sizeof(int64_t))) return;
	for (int64_t r = 0; (r = copy_texts(c, &fields, special, r)) < n; r++) {
		sheaf_word word = word_of(c, r);
		int code = sheaf_word_may_be_null(word, dialect) ? sheaf_delimited_null(c->field, &word, dialect)
		                                                 : SHEAF_NO_CODE;
		size_t size;
		if (code != SHEAF_NO_CODE) {
			sheaf_level_miss(c->level, r, code);
		} else {
			if (!sheaf_builder_room(c->values, (uint64_t)(word.end - word.at) + SHORT_TEXT)) return;
			found |= read_run(c, &word, &size);
			c->values->size += size;
		}
		sheaf_builder_i64(&c->level->offsets, (int64_t)c->values->size);
	}
	const int64_t *ends = (const int64_t *)(const void *)c->level->offsets.data;
	int64_t read = (int64_t)(c->level->offsets.size / sizeof *ends) - 1;
	c->d->found |= found != ITEM_OK || (!bytes && sheaf_find_not_utf8(c->values->data, ends, read) != read);
}

/* Reads all columns of the records that are left, from the first one again if some were left out. In a
 * speculative reader a column's words may add to what the first part shows, as long as its type stays the
 * same; the kernels have read only words that its type shows, so that of numbers the others are enough. */
static sheaf_status read_columns(sheaf_delimited_decoding *d)
{
	d->found = false;
	sheaf_frame_builder_go_back(&d->to); /* drops everything from a first reading */
	for (int f = 0; f < d->in->schema.nfields; f++) {
		sheaf_column_builder *to = &d->to.columns[f];
		column c = {.d = d,
		            .field = to->field,
		            .at = (uint32_t)d->in->columns[f],
		            .values = &to->values,
		            .level = to->field->nlevels > 0 ? to->levels : NULL};
		(c.level && c.level->shape->kind == SHEAF_LIST ? read_runs : read_items)(&c);
		if (!d->in->speculative) continue;
		unsigned kinds_of_part = d->in->seen.kinds[c.at],
				 kinds = c.field->meaning == SHEAF_NUMBER
		                     ? c.kinds
		                     : sheaf_see_column(&d->records, &d->in->dialect, c.at);
		d->other |= !sheaf_infers_same(kinds_of_part, kinds_of_part | kinds);
	}
	return sheaf_frame_builder_status(&d->to, d->err);
}

/* Reads a piece into the frame's columns. A flaw that ends the reading still gives the rows before it. A
 * speculative reader reports nothing: whatever is not as its first part shows makes it stale, and the
 * input is opened again. The lines of the records move to the frame, which owns them then. */
static sheaf_status read_piece(sheaf_delimited_decoding *d)
{
	sheaf_status status = SHEAF_OK;
	const sheaf_delimited_reader *in = d->in;
	sheaf_bytes text = {d->piece->bytes.data, (size_t)d->piece->size};
	SHEAF_TRY(sheaf_records_find(&d->records, &in->dialect, in->width, text, d->piece->line, d->err));
	SHEAF_TRY(read_columns(d));
	if (in->speculative && (d->other || d->found || d->records.findings.size))
		return sheaf_fail(d->err, SHEAF_STALE,
		                  "%s: expected columns as its first part shows them, found others",
		                  sheaf_source_name(in->source));
	if (d->found || d->records.findings.size) {
		int64_t before = d->records.count;
		status = sheaf_delimited_report(d);
		if (status && !sheaf_is_flaw(status)) return status;
		if (d->records.count < before) SHEAF_TRY(read_columns(d));
	}
	d->to.nrows = d->records.count;
	sheaf_builder_drop(&d->to.lines);
	d->to.lines = d->records.lines; /* they were found with the records */
	d->records.lines = (sheaf_builder){.cx = d->cx};
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
