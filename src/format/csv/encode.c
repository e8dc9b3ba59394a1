/* SPDX-License-Identifier: MIT */
/* Rows into records. Each item is written straight into the blob. So that no item needs a check for room of
 * its own, rows are written in blocks: room for the most that all of a block may take is made before its
 * first row.
 *
 *   block   up to 64 rows: their texts looked at, room made     put_block
 *   cell    an item or a missing value, and its code            put_cell
 *   item    by the column's meaning                             put_item
 *   text    as it is, in quotes, or with escapes                put_text
 *
 * The functions that write take the place to write to and return the place after what they have written. */
#include "base/memory.h"
#include "base/show.h"
#include "format/csv/delimited.h"
#include "frame/item.h"
#include "io/sink.h"
#include "number/date.h"
#include "number/kernels/find.h"
#include "number/kernels/utf8.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- texts ---- */

/* SciDB quotes texts, except for names. */
static bool encloses(const sheaf_dialect *dialect) { return dialect->quote && dialect->escape; }

/* Returns the bytes that need an escape or quotes: those that could not be read back, or would mean
 * something else. Within quotes that are there anyway (`enclosed`) only quotes and escapes do. */
static sheaf_wanted specials_of(const sheaf_dialect *dialect, bool enclosed)
{
	const uint8_t mark = dialect->quote ? dialect->quote : dialect->escape,
				  escape = dialect->escape ? dialect->escape : mark;
	const uint8_t bytes[SHEAF_WANTED] = {mark, escape, dialect->delimiter,
	                                     '\n', '\r',   dialect->quote ? mark : '\t'};
	sheaf_wanted wanted = {0};
	for (size_t i = 0; i < SHEAF_WANTED; i++)
		memset(wanted.bytes[i], enclosed && i > 1 ? mark : bytes[i], sizeof wanted.bytes[i]);
	return wanted;
}

/* A text of a dialect without quotes, in the escapes of linear TSV. With an escape before some byte, a word
 * is always taken for text: to `protect` one that would look like something else, its first byte that means
 * itself after a backslash gets one, if no byte before it has one anyway. */
static char *put_escaped(char *to, const sheaf_dialect *dialect, const uint8_t *text, size_t size,
                         bool protect)
{
	static const char letters[] = {'t', 'n', 'r', 'N', '\\'}; /* which mean something after an escape */
	for (size_t i = 0; i < size; i++) {
		uint8_t c = text[i];
		bool special = c == dialect->delimiter || c == dialect->escape || c == '\n' || c == '\r' || c == '\t',
			 guard = protect && !special && !memchr(letters, c, sizeof letters);
		if (special || guard) *to++ = (char)dialect->escape;
		*to++ = (char)(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c);
		protect &= !guard && !special;
	}
	return to;
}

enum { COPY = 32 }; /* bytes that are copied at once */

/* A text, and what is already known of it. */
typedef struct text {
	const uint8_t *at;
	size_t size;
	const uint8_t *readable; /* bytes up to here may be read */
	bool clean;              /* none of its bytes is special */
} text;

/* Copies a text and returns its end. Short texts are copied together with what follows them, if that may
 * be read: their length is unpredictable. */
static inline char *copy_text(char *to, const text *t)
{
	if (t->size <= COPY && t->readable - t->at >= COPY)
		memcpy(to, t->at, COPY);
	else if (t->size)
		memcpy(to, t->at, t->size);
	return to + t->size;
}

/* A text in quotes. A quote in it is doubled, or escaped in a dialect that has escapes. */
static char *put_enclosed(char *to, const sheaf_dialect *dialect, const text *t)
{
	*to++ = (char)dialect->quote;
	if (t->clean) to = copy_text(to, t);
	for (size_t i = 0; i < t->size && !t->clean; i++) {
		uint8_t c = t->at[i];
		if (c == dialect->quote || (dialect->escape && c == dialect->escape))
			*to++ = (char)(dialect->escape ? dialect->escape : dialect->quote);
		*to++ = (char)c;
	}
	*to++ = (char)dialect->quote;
	return to;
}

/* Returns whether a text cannot be anything else, by a quick look: most texts begin with a letter with
 * which nothing else begins, or are longer than everything else. */
static inline bool is_surely_text(const text *t)
{
	enum { LONGEST_WORD = 8 }; /* infinity */
	const uint32_t words = UINT32_C(1) << ('f' - 'a') | UINT32_C(1) << ('i' - 'a') |
	                       UINT32_C(1) << ('n' - 'a') | UINT32_C(1) << ('t' - 'a');
	if (t->size == 0) return false;
	unsigned letter = (t->at[0] | 32u) - 'a';
	return letter < 26 && (t->size > LONGEST_WORD || !(words >> letter & 1)) && t->at[t->size - 1] > ' ';
}

/* Writes a text, `enclosed` in quotes or only if it needs them, and returns its end. It takes at most
 * twice the size and COPY bytes. */
static inline char *put_text(char *to, const sheaf_dialect *dialect, const text *t, bool enclosed)
{
	if (enclosed) return put_enclosed(to, dialect, t);
	bool otherwise = !is_surely_text(t) && sheaf_text_looks_otherwise(t->at, t->size, dialect);
	if (t->clean && !otherwise) return copy_text(to, t);
	return dialect->quote ? put_enclosed(to, dialect, t)
	                      : put_escaped(to, dialect, t->at, t->size, otherwise);
}

/* A text of which nothing is known yet. */
static char *put_any_text(char *to, const sheaf_dialect *dialect, const void *at, size_t size, bool enclosed)
{
	text t = {(const uint8_t *)at, size, (const uint8_t *)at + size, false};
	sheaf_wanted specials = specials_of(dialect, enclosed);
	t.clean = sheaf_find_any(t.at, t.readable, &specials) == t.readable;
	return put_text(to, dialect, &t, enclosed);
}

void sheaf_delimited_put_name(sheaf_builder *b, const sheaf_dialect *dialect, const uint8_t *name,
                              size_t size, bool quoted)
{
	if (!sheaf_builder_room(b, 2 * size + COPY)) return;
	char *to = (char *)b->data + b->size;
	to = !dialect->quote && sheaf_begins_as_number(name, size) /* it would be taken for data */
	         ? put_escaped(to, dialect, name, size, true)
	         : put_any_text(to, dialect, name, size, quoted);
	b->size = (size_t)(to - (char *)b->data);
}

/* ---- items ---- */

/* Of a column: where its items are, and what does not change from row to row. */
typedef struct source {
	const sheaf_column *column;
	const sheaf_level *level; /* NULL: none */
	const uint8_t *values;
	bool nullable, is_text;
	sheaf_meaning meaning;
	int digits;     /* of times */
	uint64_t clean; /* bit r: text number r of the block is */
	sheaf_day day;  /* the last date that was written: the next one is often the same */
} source;

/* A whole number gets a point that marks it as a real: readers would take a column of such numbers for
 * integers, and the zeros that pad the shortest digits of a large one for significant. */
static char *mark_real(char *from, char *to, double v)
{
	const double whole = 0x1p53; /* like all that are not smaller */
	bool is_whole = fabs(v) < whole ? (double)(int64_t)v == v : !isnan(v) && !isinf(v);
	if (!is_whole || memchr(from, 'e', (size_t)(to - from))) return to;
	*to++ = '.';
	*to++ = '0';
	return to;
}

static char *put_f32(char *to, float v) { return mark_real(to, sheaf_print_f32(to, v), (double)v); }
static char *put_f64(char *to, double v) { return mark_real(to, sheaf_print_f64(to, v), v); }

/* Writes number `at` of the values of a type, and returns its end. */
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

static char *put_word(char *to, const char *word) { return (char *)mempcpy(to, word, strlen(word)); }

/* Writes a time, in quotes where the dialect has SciDB's, which go around times, too. The zone's offset
 * follows after a blank. */
static inline char *put_time(char *to, const sheaf_dialect *dialect, source *s, int64_t at)
{
	const int64_t *parts = (const int64_t *)(const void *)s->values + at;
	bool quoted = encloses(dialect);
	if (quoted) *to++ = (char)dialect->quote;
	switch (s->meaning) {
	case SHEAF_DATE: to = sheaf_print_day_near(to, parts[0], &s->day); break;
	case SHEAF_TIME: to = sheaf_print_clock(to, parts[0], s->digits); break;
	default: to = sheaf_print_time_near(to, parts[0], s->digits, ' ', &s->day); break;
	}
	if (s->meaning == SHEAF_DATETIMETZ) {
		*to++ = ' ';
		to = sheaf_print_offset(to, parts[1]);
	}
	if (quoted) *to++ = (char)dialect->quote;
	return to;
}

/* Writes a complex number, (re,im), which needs quotes where the delimiter is a comma. */
static char *put_complex(char *to, const sheaf_dialect *dialect, sheaf_type type, const uint8_t *values,
                         int64_t at)
{
	char parts[2 * SHEAF_NUMBER_MAX + 4], *end = parts;
	*end++ = '(';
	end = put_number(end, type, values, at);
	*end++ = ',';
	end = put_number(end, type, values, at + 1);
	*end++ = ')';
	return put_any_text(to, dialect, parts, (size_t)(end - parts), encloses(dialect));
}

/* A single byte; SciDB writes some as in C. */
static char *put_char(char *to, const sheaf_dialect *dialect, uint8_t c)
{
	static const char names[] = "0nrtf", bytes[] = "\0\n\r\t\f";
	const char *found = encloses(dialect) ? (const char *)memchr(bytes, c, sizeof names - 1) : NULL;
	if (!found) return put_any_text(to, dialect, &c, 1, encloses(dialect));
	*to++ = (char)dialect->quote;
	*to++ = (char)dialect->escape;
	*to++ = names[found - bytes];
	*to++ = (char)dialect->quote;
	return to;
}

/* Bytes in base64, in quotes wherever there are some: digits of base64 may look like a number, and no bytes
 * must not look like a missing value. */
static char *put_bytes(char *to, const sheaf_dialect *dialect, const uint8_t *s, size_t n)
{
	if (dialect->quote) *to++ = (char)dialect->quote;
	to = sheaf_put_base64(to, s, n);
	if (dialect->quote) *to++ = (char)dialect->quote;
	return to;
}

/* The values of row r's item. */
static inline sheaf_run run_of(const source *s, int64_t r)
{
	return s->level ? sheaf_level_below_one(s->level, r) : (sheaf_run){r, r + 1};
}

/* Writes the item of row r, which is number i of its block, and returns where it ends. There is room for
 * it: put_block has counted it. A column that has only empty texts has no bytes at all, so that s->values
 * is NULL then. Numbers are printed with a point, which decimal commas replace. */
static inline char *put_item(char *to, const sheaf_dialect *dialect, source *s, int64_t r, int i)
{
	const sheaf_column *column = s->column;
	sheaf_run run = run_of(s, r);
	switch (s->meaning) {
	case SHEAF_STRING:
	case SHEAF_SPELLING: {
		const uint8_t *values = s->values ? s->values : (const uint8_t *)"";
		text t = {values + run.begin, (size_t)sheaf_run_length(run), values + column->values.size,
		          s->clean >> i & 1};
		return put_text(to, dialect, &t, encloses(dialect));
	}
	case SHEAF_BYTES:
		return put_bytes(to, dialect, s->values ? s->values + run.begin : NULL,
		                 (size_t)sheaf_run_length(run));
	case SHEAF_BOOL: return put_word(to, s->values[run.begin] ? "true" : "false");
	case SHEAF_CHAR: return put_char(to, dialect, s->values[run.begin]);
	case SHEAF_DATE:
	case SHEAF_TIME:
	case SHEAF_DATETIME:
	case SHEAF_DATETIMETZ: return put_time(to, dialect, s, run.begin);
	case SHEAF_DURATION:
		return sheaf_print_duration(to, ((const int64_t *)(const void *)s->values)[run.begin], s->digits);
	case SHEAF_COMPLEX: return put_complex(to, dialect, column->type, s->values, run.begin);
	default: break;
	}
	char *end = put_number(to, column->type, s->values, run.begin);
	char *point = dialect->point == '.' ? NULL : (char *)memchr(to, '.', (size_t)(end - to));
	if (point) *point = (char)dialect->point;
	return end;
}

/* Writes a missing item as the writer's style says. Its code is kept in it, unless the code has a column
 * of its own. */
static char *put_null(char *to, const sheaf_delimited_writer *out, sheaf_meaning meaning, int code)
{
	if (out->nulls == NULL_CODE || (code && !out->code_columns)) {
		*to++ = '?';
		return sheaf_print_u64(to, (uint64_t)code);
	}
	bool empty = out->nulls == NULL_EMPTY && (out->dialect.quote || !sheaf_delimited_may_be_empty(meaning));
	return empty ? to : put_word(to, out->null_word);
}

/* Writes row r's field of a column, and the one of its code, which is missing where the item is not. */
static inline char *put_cell(char *to, const sheaf_delimited_writer *out, source *s, int64_t r, int i)
{
	bool null = s->nullable && !sheaf_level_has(s->level, r);
	to = null ? put_null(to, out, s->meaning, sheaf_level_code(s->level, r))
	          : put_item(to, &out->dialect, s, r, i);
	if (!s->nullable || !out->code_columns) return to;
	*to++ = (char)out->dialect.delimiter;
	return null ? sheaf_print_u64(to, (uint64_t)sheaf_level_code(s->level, r))
	            : put_null(to, out, SHEAF_NUMBER, 0);
}

/* ---- rows ---- */

enum {
	/* Bytes of a field beside those of its text, or more. */
	ITEM_MOST = 2 * SHEAF_DATE_MAX + 2 * SHEAF_NUMBER_MAX + 16,
	BLOCK = 64,        /* rows: as many as `clean` has bits */
	BLOCK_ITEMS = 1024 /* of all columns */
};

/* A few rows, for which room is made at once. */
typedef struct block {
	const sheaf_delimited_writer *out;
	source *sources;
	int ncolumns, rows;
	int64_t first;
	sheaf_wanted specials;
} block;

/* The values of all rows of the block. */
static sheaf_run items_of(const block *b, const source *s)
{
	return sheaf_level_below(s->level, (sheaf_run){b->first, b->first + b->rows});
}

/* Looks at all texts of a column at once: they are contiguous, and most contain nothing special. From one
 * that does, the search continues after it. */
static void find_specials(const block *b, source *s)
{
	sheaf_run run = items_of(b, s);
	s->clean = UINT64_MAX;
	if (sheaf_run_length(run) == 0) return;
	const uint8_t *at = s->values + run.begin, *end = s->values + run.end;
	for (int i = 0; (at = sheaf_find_any(at, end, &b->specials)) < end; i++) {
		while (run_of(s, b->first + i).end <= at - s->values) i++;
		s->clean &= ~(UINT64_C(1) << i);
		at = s->values + run_of(s, b->first + i).end;
	}
}

/* Appends the rows of a block, column by column within each row. The room is counted before for the whole
 * block: ITEM_MOST bytes for each item and its delimiter, and for texts and bytes twice their length, as
 * every byte of them may need another one. */
static void put_block(const block *b, sheaf_builder *builder)
{
	size_t room = (size_t)b->rows * ((size_t)b->ncolumns * ITEM_MOST + 1);
	for (int c = 0; c < b->ncolumns; c++) {
		source *s = &b->sources[c];
		if (s->is_text) find_specials(b, s);
		if (s->is_text || s->meaning == SHEAF_BYTES) room += 2 * (size_t)sheaf_run_length(items_of(b, s));
	}
	if (!sheaf_builder_room(builder, room)) return;
	char *to = (char *)builder->data + builder->size;
	for (int i = 0; i < b->rows; i++) {
		for (int c = 0; c < b->ncolumns; c++) {
			if (c) *to++ = (char)b->out->dialect.delimiter;
			to = put_cell(to, b->out, &b->sources[c], b->first + i, i);
		}
		*to++ = '\n';
	}
	builder->size = (size_t)(to - (char *)builder->data);
}

/* How far the entries of a tensor reach: after the last one the writer compares that with the shape. Threads
 * encode several frames at a time, so that the largest extent is kept by exchange. */
static void note_extents(const sheaf_delimited_writer *out, const sheaf_frame *frame)
{
	for (int d = 0; out->reached && d < out->schema.tensor.rank; d++) {
		const sheaf_column *column = &frame->columns[d];
		const int32_t *narrow = (const int32_t *)(const void *)column->values.data;
		const int64_t *wide = (const int64_t *)(const void *)column->values.data;
		int64_t extent = 0, most = out->reached[d];
		for (int64_t i = 0; i < frame->nrows; i++) {
			int64_t v = column->type == SHEAF_I32 ? narrow[i] : wide[i];
			extent = v + 1 > extent ? v + 1 : extent;
		}
		while (extent > most && !atomic_compare_exchange_weak(&out->reached[d], &most, extent)) {
		}
	}
}

/* Texts in other encodings could not be read again among those in UTF-8. `row` is the first one's number. */
static sheaf_status check_texts(const sheaf_output *out, const sheaf_frame *frame, int64_t row,
                                sheaf_error *err)
{
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		if (!sheaf_means_text(column->meaning) || !column->levels[0].offsets.size) continue;
		const int64_t *ends = sheaf_level_offsets(&column->levels[0]);
		int64_t r = sheaf_find_not_utf8(column->values.data, ends, frame->nrows);
		if (r == frame->nrows) continue;
		const uint8_t *bytes = column->values.data + ends[r];
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: row %" PRId64 ": column \"%s\": expected text in UTF-8, found byte 0x%02x "
		                  "(JSON lines keep such texts in base64)",
		                  sheaf_sink_name(out->sink), row + r, out->schema.fields[c].name,
		                  bytes[sheaf_utf8_prefix(bytes, (size_t)(ends[r + 1] - ends[r]))]);
	}
	return SHEAF_OK;
}

/* Encodes the rows of a frame on a worker's thread, in blocks of about BLOCK_ITEMS items and at most
 * BLOCK rows, so that the bytes of a block's texts are looked at once for all bytes that need quotes. For
 * entries it notes how far they reach. */
sheaf_status sheaf_delimited_encode(const void *writer, const sheaf_frame *frame, int64_t row,
                                    sheaf_builder *builder, int64_t *samples, sheaf_error *err)
{
	const sheaf_delimited_writer *out = (const sheaf_delimited_writer *)writer;
	void *sources;
	block b = {.out = out,
	           .ncolumns = frame->ncolumns,
	           .specials = specials_of(&out->dialect, encloses(&out->dialect))};
	int most = BLOCK_ITEMS / frame->ncolumns;
	(void)samples;
	SHEAF_TRY(check_texts(&out->output, frame, row, err));
	SHEAF_TRY(sheaf_allocate_array(builder->cx, (uint64_t)b.ncolumns, sizeof(source), &sources, err));
	note_extents(out, frame);
	b.sources = (source *)sources;
	most = most < 1 ? 1 : most > BLOCK ? BLOCK : most;
	for (int c = 0; c < b.ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		const sheaf_level *level = column->nlevels ? &column->levels[0] : NULL;
		b.sources[c] = (source){.column = column,
		                        .level = level,
		                        .values = column->values.data,
		                        .nullable = level && level->shape.missing == SHEAF_NULLABLE,
		                        .is_text = sheaf_means_text(column->meaning),
		                        .meaning = column->meaning,
		                        .digits = column->digits};
	}
	for (; b.first < frame->nrows && !builder->failed; b.first += b.rows) {
		b.rows = frame->nrows - b.first < most ? (int)(frame->nrows - b.first) : most;
		put_block(&b, builder);
	}
	sheaf_release(builder->cx, sources, (size_t)b.ncolumns * sizeof(source));
	return sheaf_builder_status(builder, err);
}
