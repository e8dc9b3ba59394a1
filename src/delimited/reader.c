/* SPDX-License-Identifier: MIT */
/* Opening a table of delimited text: its dialect, its header, its columns. */
#include "base/context.h"
#include "base/memory.h"
#include "data/names.h"
#include "delimited/delimited.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct opening {
	sheaf_delimited_reader *in;
	const sheaf_values *values;
	const sheaf_opening *how;
	sheaf_error *err;
	sheaf_records first; /* the first record */
	sheaf_seen seen;
	bool complete; /* all of the input was seen */
} opening;

void sheaf_delimited_close(void *reader)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	if (in->columns) sheaf_release(in->cx, in->columns, (size_t)in->ncolumns * sizeof *in->columns);
}

static sheaf_status refuse_first(const opening *o, const char *expected, const char *found)
{
	return sheaf_fail(o->err, SHEAF_DATA, "%s:1:1 (byte %" PRId64 "): expected %s, found %s",
	                  sheaf_source_name(o->in->source), sheaf_source_tell(o->in->source), expected, found);
}

/* ---- the first record ---- */

/* Old Macintosh files are one long line to everybody else. */
static bool has_bare_return(const sheaf_records *records, const sheaf_dialect *dialect)
{
	for (uint32_t f = 0; f < records->width; f++) {
		sheaf_word word = sheaf_word_of(records, dialect, 0, f);
		const uint8_t *found = !word.quoted && word.end > word.at
		                           ? (const uint8_t *)memchr(word.at, '\r', (size_t)(word.end - word.at))
		                           : NULL;
		if (found && found + 1 < word.end) return true;
	}
	return false;
}

static sheaf_status read_first(opening *o)
{
	sheaf_delimited_reader *in = o->in;
	sheaf_bytes record;
	SHEAF_TRY(sheaf_delimited_first(in, &record, o->err));
	SHEAF_TRY(
		sheaf_records_find(&o->first, &in->dialect, 0, record.data, record.data + record.size, 1, o->err));
	if (o->first.count == 0) return refuse_first(o, "a first record", "one whose quotes are not sound");
	if (has_bare_return(&o->first, &in->dialect))
		return refuse_first(o, "lines that end with LF or CR LF", "a CR alone");
	in->width = (int)o->first.width;
	return o->first.width <= INT32_MAX / 8 ? SHEAF_OK : refuse_first(o, "fewer columns", "too many");
}

static sheaf_word first_word(const opening *o, int column)
{
	return sheaf_word_of(&o->first, &o->in->dialect, 0, (uint32_t)column);
}

/* What is nothing else, and does not begin as numbers, dates and addresses do. In quotes it may. */
static bool is_name(const opening *o, int column)
{
	sheaf_word word = first_word(o, column);
	if (sheaf_word_kind(word, &o->in->dialect) != KIND_TEXT) return false;
	if (word.quoted && !o->in->dialect.any_quoted) return true;
	word = sheaf_word_trim(word);
	return !sheaf_begins_as_number(word.at, (size_t)(word.end - word.at));
}

/* All of it are names, but for the first, which may be empty: there row names stand. */
static bool looks_like_names(const opening *o)
{
	for (int c = 0; c < o->in->width; c++) {
		sheaf_word word = first_word(o, c);
		bool empty = word.at == word.end;
		if (empty ? c > 0 || o->in->width == 1 : !is_name(o, c)) return false;
	}
	return true;
}

/* Where nobody said what parts fields and nothing does, but something else could. */
static sheaf_status doubt_delimiter(const opening *o)
{
	char expected[64], found[64], advice[160];
	const sheaf_dialect *dialect = &o->in->dialect;
	const char *other = NULL;
	if (o->in->width > 1 || sheaf_values_text(o->values, "delimiter")) return SHEAF_OK;
	sheaf_word word = first_word(o, 0);
	if (!word.quoted) other = sheaf_delimiter_within(word.at, word.end);
	if (!other) return SHEAF_OK;
	snprintf(expected, sizeof expected, "fields separated by %s", sheaf_delimiter_name(dialect->delimiter));
	snprintf(found, sizeof found, "none, and %s within the first line", other);
	snprintf(
		advice, sizeof advice,
		"each line is one field (--delimiter %s would part them, --delimiter %s says that this is meant)",
		other, sheaf_delimiter_name(dialect->delimiter));
	sheaf_problem problem = {SHEAF_WARNING, SHEAF_DATA, "delimiter in doubt", SHEAF_NOWHERE, expected,
	                         found,         advice};
	problem.place.file = sheaf_source_name(o->in->source);
	problem.place.line = problem.place.column = 1;
	problem.place.byte = sheaf_source_tell(o->in->source);
	return sheaf_report(o->in->cx, &problem, o->err);
}

/* ---- names ---- */

/* The name of a column: what the header has there, or "a" and its number. */
static sheaf_status name_of(const opening *o, int column, sheaf_builder *b)
{
	sheaf_word word = first_word(o, column);
	b->size = 0;
	if (o->in->header && word.at < word.end && sheaf_builder_room(b, (size_t)(word.end - word.at))) {
		const uint8_t *end = sheaf_word_text(word, &o->in->dialect, b->data);
		if (!end) return refuse_first(o, "a name", "a backslash with nothing after it");
		b->size = (size_t)(end - b->data);
		if (b->size && memchr(b->data, '\0', b->size))
			return refuse_first(o, "names without NUL bytes", "one with some");
	} else {
		sheaf_builder_printf(b, "a%d", column);
	}
	return sheaf_builder_status(b, o->err);
}

static sheaf_status add_column(opening *o, int column, sheaf_names *names, sheaf_builder *b)
{
	sheaf_delimited_reader *in = o->in;
	sheaf_field *field;
	SHEAF_TRY(name_of(o, column, b));
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, (const char *)b->data, b->size, &field, o->err));
	if (sheaf_names_find(names, field->name, strlen(field->name), -1) >= 0)
		return sheaf_fail(o->err, SHEAF_DATA,
		                  "%s:1: expected a name for each column, found \"%s\" twice; name them with "
		                  "--columns, or say --header no",
		                  sheaf_source_name(in->source), field->name);
	return sheaf_names_add(names, in->cx, field->name, strlen(field->name), o->err);
}

static sheaf_status add_columns(opening *o)
{
	sheaf_names names = {0};
	sheaf_builder b;
	sheaf_status status = SHEAF_OK;
	o->in->schema.rows = SHEAF_CELLS;
	sheaf_builder_begin(&b, o->in->cx, NULL);
	for (int c = 0; c < o->in->width && status == SHEAF_OK; c++) {
		o->in->columns[c] = c;
		status = add_column(o, c, &names, &b);
	}
	sheaf_builder_drop(&b);
	sheaf_names_free(&names);
	return status;
}

/* ---- declared columns ---- */

/* The column that the header calls so, or -1. */
static int find_in_header(const opening *o, const char *name, sheaf_builder *b)
{
	for (int c = 0; c < o->in->width; c++) {
		sheaf_word word = first_word(o, c);
		b->size = 0;
		if (!sheaf_builder_room(b, (size_t)(word.end - word.at) + 1)) return -1;
		const uint8_t *end = sheaf_word_text(word, &o->in->dialect, b->data);
		if (end && (size_t)(end - b->data) == strlen(name) && memcmp(b->data, name, strlen(name)) == 0)
			return c;
	}
	return -1;
}

/* Whether all declared columns stand in the first record by name; sets which they are. */
static bool match_names(opening *o)
{
	sheaf_builder b;
	bool all = o->in->schema.nfields <= o->in->width;
	sheaf_builder_begin(&b, o->in->cx, NULL);
	for (int f = 0; f < o->in->schema.nfields && all; f++) {
		o->in->columns[f] = find_in_header(o, o->in->schema.fields[f].name, &b);
		all = o->in->columns[f] >= 0;
	}
	sheaf_builder_drop(&b);
	return all;
}

/* Whether the first record has a word wherever something else was declared. */
static bool contradicts(const opening *o)
{
	int others = 0;
	for (int f = 0; f < o->in->schema.nfields; f++) {
		if (sheaf_means_text(o->in->schema.fields[f].meaning)) continue;
		others++;
		if (!is_name(o, f)) return false;
	}
	return others > 0;
}

/* By name where the header has all of the names, else one by one. */
static sheaf_status place_declared(opening *o, const char *header)
{
	sheaf_delimited_reader *in = o->in;
	bool asked = !header || strcmp(header, "auto") == 0, same = in->schema.nfields == in->width;
	bool named = (asked || strcmp(header, "yes") == 0) && match_names(o);
	in->header = asked ? named || (same && contradicts(o)) : strcmp(header, "yes") == 0;
	if (named) return SHEAF_OK;
	for (int f = 0; f < in->schema.nfields; f++) in->columns[f] = f;
	if (same) return SHEAF_OK;
	return sheaf_fail(
		o->err, SHEAF_DATA,
		"%s:1: expected %d columns, as --columns says, or a header that has their names, found %d",
		sheaf_source_name(in->source), in->schema.nfields, in->width);
}

/* ---- types ---- */

/* What stands in the columns. */
static sheaf_status look(opening *o)
{
	sheaf_delimited_reader *in = o->in;
	size_t part;
	o->complete = true;
	if (o->how->glance) {
		SHEAF_TRY(sheaf_source_rewind(in->source, o->err));
		SHEAF_TRY(sheaf_delimited_begin(in, o->err));
		SHEAF_TRY(sheaf_infer_part(in, &o->seen, &part, &o->complete, o->err));
		snprintf(in->guess, sizeof in->guess, "inferred from the first %zu bytes", part);
	} else {
		SHEAF_TRY(sheaf_source_rewind(in->source, o->err));
		SHEAF_TRY(sheaf_infer_whole(in, &o->seen, o->err));
		o->complete = !in->cut_off;
	}
	if (o->complete) snprintf(in->guess, sizeof in->guess, "inferred from the whole input");
	in->facts.guess = in->guess;
	if (o->complete && !o->seen.flawed) in->facts.rows = o->seen.rows;
	return SHEAF_OK;
}

static void take_types(opening *o)
{
	for (int f = 0; f < o->in->schema.nfields; f++)
		sheaf_infer_field(&o->in->schema.fields[f], o->seen.kinds[o->in->columns[f]], o->complete);
}

static sheaf_status find_columns(opening *o)
{
	sheaf_delimited_reader *in = o->in;
	const char *text = sheaf_values_text(o->values, "columns"),
			   *header = sheaf_values_text(o->values, "header");
	void *memory;
	in->ncolumns = in->width;
	if (text) SHEAF_TRY(sheaf_columns_declare(text, in->cx, &in->schema, o->err));
	if (in->schema.nfields > in->ncolumns) in->ncolumns = in->schema.nfields;
	SHEAF_TRY(sheaf_allocate_array(in->cx, (size_t)in->ncolumns, sizeof *in->columns, &memory, o->err));
	in->columns = (int *)memory;
	if (text) {
		SHEAF_TRY(place_declared(o, header));
	} else {
		in->header = header && strcmp(header, "auto") != 0 ? strcmp(header, "yes") == 0 : looks_like_names(o);
		SHEAF_TRY(add_columns(o));
	}
	if (text) return SHEAF_OK;
	SHEAF_TRY(look(o));
	take_types(o);
	return SHEAF_OK;
}

/* ---- the whole ---- */

static sheaf_status prepare(opening *o, const sheaf_delimited_kind *kind)
{
	sheaf_delimited_reader *in = o->in;
	sheaf_bytes head;
	bool guess;
	SHEAF_TRY(sheaf_dialect_choose(kind, o->values, false, &in->dialect, &guess, o->err));
	SHEAF_TRY(sheaf_source_make_rewindable(in->source, o->err));
	SHEAF_TRY(sheaf_delimited_pass_mark(in, o->err));
	if (guess) {
		enum { HEAD = 64 << 10 };
		sheaf_status status = sheaf_source_ahead(in->source, HEAD, &head, o->err);
		if (head.size == 0) SHEAF_TRY(status);
		SHEAF_TRY(sheaf_forgive(status, "what is wrong with the input is met in its place"));
		if (head.size > HEAD) head.size = HEAD;
		sheaf_dialect_guess(&in->dialect, head);
	}
	SHEAF_TRY(read_first(o));
	SHEAF_TRY(doubt_delimiter(o));
	SHEAF_TRY(find_columns(o));
	SHEAF_TRY(sheaf_source_rewind(in->source, o->err));
	return sheaf_delimited_begin(in, o->err);
}

sheaf_status sheaf_delimited_open(void *reader, const sheaf_delimited_kind *kind, const sheaf_values *values,
                                  const sheaf_opening *how, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	opening o = {.in = in, .values = values, .how = how, .err = err};
	sheaf_records_begin(&o.first, in->cx);
	sheaf_status status = prepare(&o, kind);
	sheaf_records_drop(&o.first);
	sheaf_seen_free(&o.seen, in->cx, in->width);
	return status;
}

sheaf_status sheaf_delimited_rewind(void *reader, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	return sheaf_delimited_begin(in, err);
}
