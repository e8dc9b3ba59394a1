/* SPDX-License-Identifier: MIT */
/* Rows into records. Each item is put straight into the blob, for which there is room before a row is begun. */
#include "delimited/delimited.h"
#include "number/date.h"
#include "number/number.h"
#include <math.h>
#include <string.h>

/* ---- texts ---- */

/* A byte that could not be read back, or would be something else, without escapes or quotes. */
static inline bool is_special(uint8_t c, const sheaf_dialect *dialect)
{
	return c == dialect->delimiter || c == '\n' || c == '\r' || (dialect->quote && c == dialect->quote) || (!dialect->quote && (c == dialect->escape || c == '\t'));
}

static char *put_quoted(char *to, const sheaf_dialect *dialect, const uint8_t *text, size_t size)
{
	*to++ = (char)dialect->quote;
	for (size_t i = 0; i < size; i++) {
		uint8_t c = text[i];
		if (c == dialect->quote || (dialect->escape && c == dialect->escape)) *to++ = (char)(dialect->escape ? dialect->escape : dialect->quote);
		*to++ = (char)c;
	}
	*to++ = (char)dialect->quote;
	return to;
}

static char escaped_letter(uint8_t c) { return (char)(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c); }

/* A byte that an escape leaves as it is. */
static bool is_literal(uint8_t c)
{
	static const char letters[] = {'t', 'n', 'r', 'N', '\\'};
	return !memchr(letters, c, sizeof letters);
}

/* With an escape before some byte, nothing is taken for anything but text. */
static char *put_escaped(char *to, const sheaf_dialect *dialect, const uint8_t *text, size_t size, bool protect)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t c = text[i];
		bool special = is_special(c, dialect), guard = protect && !special && is_literal(c);
		if (special || guard) *to++ = (char)dialect->escape;
		*to++ = (char)(special ? escaped_letter(c) : (char)c);
		protect &= !guard && !special;
	}
	return to;
}

/* Takes at most twice the size and two bytes. SciDB has its texts in quotes, but for names. */
static inline char *put_text(char *to, const sheaf_dialect *dialect, const uint8_t *text, size_t size, bool name)
{
	bool special = dialect->quote && dialect->escape && !name;
	for (size_t i = 0; i < size && !special; i++) special = is_special(text[i], dialect);
	if (!special && !sheaf_text_looks_otherwise(text, size, dialect)) {
		if (size) memcpy(to, text, size);
		return to + size;
	}
	return dialect->quote ? put_quoted(to, dialect, text, size) : put_escaped(to, dialect, text, size, sheaf_text_looks_otherwise(text, size, dialect));
}

void sheaf_delimited_put_name(sheaf_builder *b, const sheaf_dialect *dialect, const uint8_t *text, size_t size)
{
	if (!sheaf_builder_room(b, 2 * size + 2)) return;
	b->size = (size_t)(put_text((char *)b->data + b->size, dialect, text, size, true) - (char *)b->data);
}

/* ---- items ---- */

/* Of a column: where its items are. */
typedef struct source {
	const sheaf_column *column;
	const sheaf_level *level; /* NULL: none */
	const uint8_t *values;
	bool nullable;
} source;

/* The shortest digits of a large number are filled up with zeros, which an integer would take for its own: a point tells that it is none. */
static char *mark_real(char *from, char *to, double v, double exact)
{
	if (!(fabs(v) >= exact) || isinf(v) || memchr(from, 'e', (size_t)(to - from)) || memchr(from, '.', (size_t)(to - from))) return to;
	*to++ = '.';
	*to++ = '0';
	return to;
}

static char *put_f32(char *to, float v) { return mark_real(to, sheaf_print_f32(to, v), (double)v, 0x1p24); }
static char *put_f64(char *to, double v) { return mark_real(to, sheaf_print_f64(to, v), v, 0x1p53); }

static char *put_number(char *to, sheaf_type type, const uint8_t *values, int64_t at)
{
	switch (type) {
	case SHEAF_U8: return sheaf_print_u64(to, values[at]);
	case SHEAF_U16: return sheaf_print_u64(to, ((const uint16_t *)(const void *)values)[at]);
	case SHEAF_U32: return sheaf_print_u64(to, ((const uint32_t *)(const void *)values)[at]);
	case SHEAF_U64: return sheaf_print_u64(to, ((const uint64_t *)(const void *)values)[at]);
	case SHEAF_I8: return sheaf_print_i64(to, ((const int8_t *)(const void *)values)[at]);
	case SHEAF_I16: return sheaf_print_i64(to, ((const int16_t *)(const void *)values)[at]);
	case SHEAF_I32: return sheaf_print_i64(to, ((const int32_t *)(const void *)values)[at]);
	case SHEAF_I64: return sheaf_print_i64(to, ((const int64_t *)(const void *)values)[at]);
	case SHEAF_F32: return put_f32(to, ((const float *)(const void *)values)[at]);
	default: return put_f64(to, ((const double *)(const void *)values)[at]);
	}
}

static char *put_word(char *to, const char *word)
{
	return (char *)mempcpy(to, word, strlen(word));
}

/* As SciDB has it: in its quotes dates stand, too. */
static char *put_date(char *to, const sheaf_dialect *dialect, const int64_t *seconds, bool offset)
{
	bool quoted = dialect->quote && dialect->escape;
	if (quoted) *to++ = (char)dialect->quote;
	to = sheaf_print_datetime(to, seconds[0], ' ');
	if (offset) {
		*to++ = ' ';
		to = sheaf_print_offset(to, seconds[1]);
	}
	if (quoted) *to++ = (char)dialect->quote;
	return to;
}

static char *put_complex(char *to, const sheaf_dialect *dialect, sheaf_type type, const uint8_t *values, int64_t at)
{
	char text[2 * SHEAF_NUMBER_MAX + 4], *end = text;
	*end++ = '(';
	end = put_number(end, type, values, at);
	*end++ = ',';
	end = put_number(end, type, values, at + 1);
	*end++ = ')';
	return put_text(to, dialect, (const uint8_t *)text, (size_t)(end - text), false);
}

static char *put_char(char *to, const sheaf_dialect *dialect, uint8_t c)
{
	static const char names[] = "0nrtf", bytes[] = "\0\n\r\t\f";
	const char *found = dialect->quote && dialect->escape ? (const char *)memchr(bytes, c, sizeof names - 1) : NULL;
	if (!found) return put_text(to, dialect, &c, 1, false);
	*to++ = (char)dialect->quote;
	*to++ = (char)dialect->escape;
	*to++ = names[found - bytes];
	*to++ = (char)dialect->quote;
	return to;
}

/* Digits of base64 may look like a number; and what is empty must not look like nothing. */
static char *put_bytes(char *to, const sheaf_dialect *dialect, const uint8_t *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	if (dialect->quote) *to++ = (char)dialect->quote;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0u);
		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = (char)(i + 1 < n ? digits[three >> 6 & 63] : '=');
		*to++ = (char)(i + 2 < n ? digits[three & 63] : '=');
	}
	if (dialect->quote) *to++ = (char)dialect->quote;
	return to;
}

static inline sheaf_run run_of(const source *s, int64_t r) { return s->level ? sheaf_level_below_one(s->level, r) : (sheaf_run){r, r + 1}; }

static char *put_item(char *to, const sheaf_dialect *dialect, const source *s, int64_t r)
{
	const sheaf_column *column = s->column;
	sheaf_run run = run_of(s, r);
	switch (column->meaning) {
	case SHEAF_STRING:
	case SHEAF_SPELLING: return put_text(to, dialect, s->values ? s->values + run.begin : NULL, (size_t)sheaf_run_length(run), false);
	case SHEAF_BYTES: return put_bytes(to, dialect, s->values ? s->values + run.begin : NULL, (size_t)sheaf_run_length(run));
	case SHEAF_BOOL: return put_word(to, s->values[run.begin] ? "true" : "false");
	case SHEAF_CHAR: return put_char(to, dialect, s->values[run.begin]);
	case SHEAF_DATETIME: return put_date(to, dialect, (const int64_t *)(const void *)s->values + run.begin, false);
	case SHEAF_DATETIMETZ: return put_date(to, dialect, (const int64_t *)(const void *)s->values + run.begin, true);
	case SHEAF_COMPLEX: return put_complex(to, dialect, column->type, s->values, run.begin);
	default: return put_number(to, column->type, s->values, run.begin);
	}
}

/* Why an item is missing stays, unless it has a column of its own. */
static char *put_null(char *to, const sheaf_delimited_writer *out, int code)
{
	if (out->nulls == NULL_CODE || (code && !out->code_columns)) {
		*to++ = '?';
		return sheaf_print_u64(to, (uint64_t)code);
	}
	return out->nulls == NULL_EMPTY ? to : put_word(to, out->null_word);
}

static char *put_code(char *to, const sheaf_delimited_writer *out, const source *s, int64_t r, bool null)
{
	*to++ = (char)out->dialect.delimiter;
	return null ? sheaf_print_u64(to, (uint64_t)sheaf_level_code(s->level, r)) : put_null(to, out, 0);
}

static char *put_cell(char *to, const sheaf_delimited_writer *out, const source *s, int64_t r)
{
	bool null = s->nullable && !sheaf_level_has(s->level, r);
	to = null ? put_null(to, out, sheaf_level_code(s->level, r)) : put_item(to, &out->dialect, s, r);
	return s->nullable && out->code_columns ? put_code(to, out, s, r, null) : to;
}

/* ---- rows ---- */

enum { ITEM_MOST = 2 * SHEAF_DATE_MAX + 2 * SHEAF_NUMBER_MAX + 16, SOURCES = 64 };

static source source_of(const sheaf_column *column)
{
	source s = {.column = column, .values = column->values.data, .level = column->nlevels ? &column->levels[0] : NULL};
	s.nullable = s.level && s.level->shape.missing == SHEAF_NULLABLE;
	return s;
}

/* The most that a row may take. */
static size_t room_for(const sheaf_frame *frame, int64_t r)
{
	size_t room = (size_t)frame->ncolumns * ITEM_MOST + 1;
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		bool run = sheaf_means_text(column->meaning) || column->meaning == SHEAF_BYTES;
		if (run) room += 2 * (size_t)sheaf_run_length(sheaf_level_below_one(&column->levels[0], r));
	}
	return room;
}

static void put_row(const sheaf_delimited_writer *out, sheaf_builder *b, const sheaf_frame *frame, const source *sources, int64_t r)
{
	if (!sheaf_builder_room(b, room_for(frame, r))) return;
	char *to = (char *)b->data + b->size;
	for (int c = 0; c < frame->ncolumns; c++) {
		if (c) *to++ = (char)out->dialect.delimiter;
		if (c < SOURCES) {
			to = put_cell(to, out, &sources[c], r);
		} else {
			source s = source_of(&frame->columns[c]);
			to = put_cell(to, out, &s, r);
		}
	}
	*to++ = '\n';
	b->size = (size_t)(to - (char *)b->data);
}

sheaf_status sheaf_delimited_encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_blob *blob, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_delimited_writer *out = (const sheaf_delimited_writer *)writer;
	source sources[SOURCES];
	sheaf_builder b;
	(void)row;
	for (int c = 0; c < frame->ncolumns && c < SOURCES; c++) sources[c] = source_of(&frame->columns[c]);
	sheaf_builder_begin(&b, cx, &blob->bytes);
	for (int64_t r = 0; r < frame->nrows && !b.failed; r++) put_row(out, &b, frame, sources, r);
	blob->rows = frame->nrows;
	return sheaf_builder_finish(&b, &blob->bytes, err);
}
