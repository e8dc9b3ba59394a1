/* SPDX-License-Identifier: MIT */
/* Columns that are not declared: each gets the narrowest type that holds all of its values. Values that do
 * not fit are reported by decoding, with their place.
 *
 * The first row says whether rows are sequences or cells of a table; rows of the other kind are left out
 * later. Columns come in the order in which rows first have them, and one that some row lacks may be missing.
 */
#include "base/spell.h"
#include "format/jsonl/jsonl.h"
#include "frame/item.h"
#include "frame/schema/names.h"
#include "io/source.h"
#include "number/date.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the rows so far have of a column. */
typedef struct seen {
	unsigned kinds;    /* SEEN_ bits */
	bool sparse;       /* of a stream: some value has an index */
	int64_t rows, dim; /* rows that have it; of a stream: one more than the largest index */
} seen;

typedef struct inference {
	sheaf_jsonl_reader *in;
	sheaf_names names;
	sheaf_builder columns; /* a `seen` for each name */
	int64_t rows, line;
	int64_t flawed; /* the first line that is no JSON, and what it has instead; 0: all are */
	const char *expected;
	char found[64];
} inference;

/* ---- values ---- */

/* Texts may be times, or numbers that JSON has no word for, such as "NaN". */
unsigned sheaf_jsonl_see_text(const char *text, size_t size)
{
	double real;
	bool number = size && ((text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '+');
	unsigned time = number ? sheaf_see_time(text, text + size) : 0;
	if (time) return time;
	if (!sheaf_is_utf8((const uint8_t *)text, size)) return SEEN_BYTES; /* as which it is written */
	return sheaf_text_special(text, size, &real) ? SEEN_SPECIAL : SEEN_TEXTS;
}

/* Returns the kind of a value as a bit; 0: it is none that a column can have. Integers beyond 2^53 are
 * not all exact as doubles, which matters beside reals. */
static unsigned kind_of_scalar(const sheaf_json *value)
{
	const int64_t exact = INT64_C(1) << 53;
	int64_t small;
	size_t size;
	const char *text = sheaf_json_text(value, &size);
	switch (sheaf_json_kind_of(value)) {
	case SHEAF_JSON_BOOL: return SEEN_BOOLS;
	case SHEAF_JSON_REAL: return SEEN_REALS;
	case SHEAF_JSON_TEXT: return sheaf_jsonl_see_text(text, size);
	case SHEAF_JSON_INTEGER:
		if (!sheaf_json_i64(value, &small)) return SEEN_LARGE;
		return small > exact || small < -exact ? SEEN_INTEGERS | SEEN_INEXACT : SEEN_INTEGERS;
	default:
		return sheaf_json_missing(value) >= 0 ? SEEN_NONE : sheaf_json_get(value, "base64") ? SEEN_BYTES : 0;
	}
}

/* Returns the kinds of a value as bits; a list of two numbers is a complex one. */
static unsigned kind_of(const sheaf_json *value)
{
	const unsigned numbers = SEEN_INTEGERS | SEEN_REALS | SEEN_SPECIAL;
	if (sheaf_json_kind_of(value) != SHEAF_JSON_ARRAY) return kind_of_scalar(value);
	unsigned first = kind_of_scalar(sheaf_json_at(value, 0)),
			 second = kind_of_scalar(sheaf_json_at(value, 1));
	return sheaf_json_size(value) == 2 && first && second && !((first | second) & ~numbers) ? SEEN_PAIRS : 0;
}

/* Notes a sample, which is a list of values, or of pairs of an index and a value; its largest index gives
 * the dim. */
static void see_sample(seen *s, const sheaf_json *sample)
{
	for (size_t k = 0; k < sheaf_json_size(sample); k++) {
		const sheaf_json *value = sheaf_json_at(sample, k);
		bool is_pair = sheaf_json_kind_of(value) == SHEAF_JSON_ARRAY;
		int64_t index = (int64_t)k;
		s->kinds |= kind_of(is_pair ? sheaf_json_at(value, 1) : value);
		s->sparse |= is_pair;
		if (is_pair && (!sheaf_json_i64(sheaf_json_at(value, 0), &index) || index == INT64_MAX)) continue;
		if (index >= s->dim) s->dim = index + 1;
	}
}

/* The narrowest type of numbers of these kinds. */
static sheaf_type number_type(unsigned kinds)
{
	return kinds & (SEEN_REALS | SEEN_SPECIAL) ? SHEAF_F64 : kinds & SEEN_LARGE ? SHEAF_U64 : SHEAF_I64;
}

sheaf_meaning sheaf_jsonl_meaning(unsigned kinds, int *digits)
{
	unsigned values = kinds & ~(unsigned)SEEN_NONE;
	*digits = 0;
	if ((values & (SEEN_INTEGERS | SEEN_LARGE | SEEN_REALS)) || values == SEEN_SPECIAL) return SHEAF_NUMBER;
	if (values & SEEN_BOOLS) return SHEAF_BOOL;
	if (values == SEEN_PAIRS) return SHEAF_COMPLEX;
	if (values == SEEN_BYTES) return SHEAF_BYTES;
	return values & (SHEAF_SEEN_FRACTION_3 - 1) ? SHEAF_STRING : sheaf_time_seen(values, digits);
}

/* Makes the field of a column from what was seen in it. A column is nullable if some row lacks it, or if
 * not all rows were seen. Values of streams are doubles, unless some integer is not exact as one. */
static void make_field(const inference *f, sheaf_field *field, const seen *s)
{
	int digits;
	unsigned kinds = s->kinds;
	bool nullable = (kinds & SEEN_NONE) || s->rows < f->rows || f->in->guessed;
	if (f->in->schema.rows == SHEAF_SEQUENCES) {
		sheaf_field_make_stream(field, s->sparse || !kinds, s->dim ? s->dim : 1,
		                        kinds & (SEEN_INEXACT | SEEN_LARGE) ? number_type(kinds) : SHEAF_F64);
		return;
	}
	sheaf_meaning meaning = sheaf_jsonl_meaning(kinds, &digits);
	bool is_pair = meaning == SHEAF_COMPLEX || meaning == SHEAF_DATETIMETZ;
	sheaf_type type = sheaf_means_time(meaning)  ? SHEAF_I64
	                  : meaning == SHEAF_NUMBER  ? number_type(kinds)
	                  : meaning == SHEAF_COMPLEX ? SHEAF_F64
	                                             : SHEAF_U8;
	int width = meaning == SHEAF_STRING || meaning == SHEAF_BYTES ? -1 : is_pair ? 2 : 1;
	sheaf_field_make_cell(field, meaning, type, width, nullable);
	field->digits = digits;
}

/* ---- rows ---- */

/* Adds a column that no row before has. */
static sheaf_status add_column(inference *f, const char *name, sheaf_error *err)
{
	sheaf_field *field;
	sheaf_jsonl_reader *in = f->in;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
	sheaf_builder_append(&f->columns, &(seen){0}, sizeof(seen));
	SHEAF_TRY(sheaf_builder_status(&f->columns, err));
	return sheaf_names_add(&f->names, in->cx, field->name, strlen(name), err);
}

/* Notes the columns of a row and the kinds of their values; the first row decides whether the rows are
 * sequences. Columns of a row mostly come in the order of the row before, so that each is looked for
 * after the one before. A row that is no object with columns is passed. */
static sheaf_status see_row(inference *f, const sheaf_json *row, sheaf_error *err)
{
	void *at = NULL;
	const char *name;
	int c = -1;
	sheaf_schema *schema = &f->in->schema;
	if (f->rows == 0)
		schema->rows = sheaf_jsonl_columns(row, SHEAF_SEQUENCES) ? SHEAF_SEQUENCES : SHEAF_CELLS;
	const sheaf_json *columns = sheaf_jsonl_columns(row, schema->rows);
	for (const sheaf_json *value; columns && (value = sheaf_json_next(columns, &at, &name));) {
		c = sheaf_names_find(&f->names, name, strlen(name), c);
		if (c < 0) {
			c = f->names.count;
			SHEAF_TRY(add_column(f, name, err));
		}
		seen *s = (seen *)(void *)f->columns.data + c;
		s->rows++;
		if (schema->rows != SHEAF_SEQUENCES)
			s->kinds |= kind_of(value);
		else
			for (size_t k = 0; k < sheaf_json_size(value); k++) see_sample(s, sheaf_json_at(value, k));
	}
	f->rows += columns != NULL;
	return SHEAF_OK;
}

/* Notes what a line shows. A line that is no JSON is passed, since decoding reports it, but the first one
 * is kept: if no line has columns, it is the reason. */
static sheaf_status see_line(inference *f, const uint8_t *at, size_t size, sheaf_error *err)
{
	sheaf_json_flaw flaw;
	sheaf_json *row;
	sheaf_status status = sheaf_json_take(at, size, f->in->cx, &row, &flaw, err);
	if (status == SHEAF_DATA && !f->flawed) {
		size_t valid = sheaf_utf8_prefix(at, size);
		f->flawed = f->line;
		f->expected = valid < size ? SHEAF_UTF8_EXPECTED : "JSON";
		if (valid < size)
			snprintf(f->found, sizeof f->found, "byte 0x%02x", at[valid]);
		else
			snprintf(f->found, sizeof f->found, "%.60s", flaw.found);
	}
	if (status == SHEAF_DATA) return sheaf_forgive(status, "decoding reports it in its place");
	if (status == SHEAF_OK) status = see_row(f, row, err);
	sheaf_json_give_back(row, size, f->in->cx);
	return status;
}

static void begin(void *user) { (void)user; /* lines are looked at once, in order */ }

static sheaf_status see_lines(void *user, const uint8_t *at, const uint8_t *end, sheaf_error *err)
{
	inference *f = (inference *)user;
	for (const uint8_t *next; at < end; at = next) {
		next = sheaf_lined_pass_line(at, end);
		f->line++;
		if (sheaf_lined_is_row(f->in->syntax, at, next)) SHEAF_TRY(see_line(f, at, (size_t)(next - at), err));
	}
	return SHEAF_OK;
}

/* Makes the fields after all lines were looked at; sequences get a key. An input without columns fails,
 * with the first flaw as the reason if there is one. */
static sheaf_status make_schema(inference *f, sheaf_error *err)
{
	sheaf_jsonl_reader *in = f->in;
	if (in->schema.nfields == 0 && f->flawed)
		return sheaf_fail(err, SHEAF_DATA, "%s:%" PRId64 ": expected %s, found %s",
		                  sheaf_source_name(in->source), f->flawed, f->expected, f->found);
	if (in->schema.nfields == 0)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected rows with columns, found none",
		                  sheaf_source_name(in->source));
	for (int c = 0; c < in->schema.nfields; c++)
		make_field(f, &in->schema.fields[c], (const seen *)(const void *)f->columns.data + c);
	in->facts.guess = in->guessed ? "inferred from the first lines" : "inferred from the whole input";
	return in->schema.rows == SHEAF_SEQUENCES ? sheaf_schema_add_key(&in->schema, in->cx, err) : SHEAF_OK;
}

/* Infers the columns from the lines of the input, or with `glance` from the first of them. */
sheaf_status sheaf_jsonl_infer(sheaf_jsonl_reader *in, bool glance, sheaf_error *err)
{
	static const sheaf_lined_survey survey = {0, begin, see_lines, NULL};
	inference f = {.in = in};
	sheaf_builder_begin(&f.columns, in->cx, NULL);
	sheaf_status status = sheaf_lined_look(&in->lined, &glance, &survey, &f, err);
	in->guessed = glance;
	if (status == SHEAF_OK) status = make_schema(&f, err);
	sheaf_builder_drop(&f.columns);
	sheaf_names_free(&f.names);
	return status;
}
