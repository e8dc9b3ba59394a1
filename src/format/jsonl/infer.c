/* SPDX-License-Identifier: MIT */
/* Columns that are not declared: each gets the narrowest type that holds all of its values. Values that do
 * not fit are reported by decoding, with their place. */
#include "data/names.h"
#include "format/jsonl/jsonl.h"
#include "io/source.h"

enum { NONE = 1, BOOLS = 2, TEXTS = 4, BYTES = 8 };
enum { INTEGERS = 16, INEXACT = 32, LARGE = 64, REALS = 128, SPECIAL = 256 };

/* Of a column. */
typedef struct seen {
	unsigned kinds; /* INEXACT: integers that no double holds; SPECIAL: words for what is not finite */
	bool sparse;
	int64_t rows, dim;
} seen;

typedef struct inference {
	sheaf_jsonl_reader *in;
	sheaf_names names;
	sheaf_builder columns; /* a `seen` for each name */
	int64_t rows;
} inference;

/* ---- values ---- */

static unsigned kind_of(const sheaf_json *value)
{
	const int64_t exact = INT64_C(1) << 53;
	int64_t small;
	double real;
	switch (sheaf_json_kind_of(value)) {
	case SHEAF_JSON_BOOL: return BOOLS;
	case SHEAF_JSON_REAL: return REALS;
	case SHEAF_JSON_TEXT: return sheaf_json_special(value, &real) ? SPECIAL : TEXTS;
	case SHEAF_JSON_INTEGER:
		if (!sheaf_json_i64(value, &small)) return LARGE;
		return small > exact || small < -exact ? INTEGERS | INEXACT : INTEGERS;
	default: return sheaf_json_missing(value) >= 0 ? NONE : sheaf_json_get(value, "base64") ? BYTES : 0;
	}
}

/* A sample is a list of values, or of pairs of an index and a value. */
static void see_sample(seen *s, const sheaf_json *sample)
{
	for (size_t k = 0; k < sheaf_json_size(sample); k++) {
		const sheaf_json *value = sheaf_json_at(sample, k);
		bool pair = sheaf_json_kind_of(value) == SHEAF_JSON_ARRAY;
		int64_t index = (int64_t)k;
		s->kinds |= kind_of(pair ? sheaf_json_at(value, 1) : value);
		s->sparse |= pair;
		if (pair && (!sheaf_json_i64(sheaf_json_at(value, 0), &index) || index == INT64_MAX)) continue;
		if (index >= s->dim) s->dim = index + 1;
	}
}

static sheaf_type number_type(unsigned kinds)
{
	return kinds & (REALS | SPECIAL) ? SHEAF_F64 : kinds & LARGE ? SHEAF_U64 : SHEAF_I64;
}

static void make_field(const inference *f, sheaf_field *field, const seen *s)
{
	unsigned kinds = s->kinds;
	bool nullable = (kinds & NONE) || s->rows < f->rows || f->in->guessed;
	if (f->in->schema.rows == SHEAF_SEQUENCES)
		sheaf_field_make_stream(field, s->sparse || !kinds, s->dim ? s->dim : 1,
		                        kinds & (INEXACT | LARGE) ? number_type(kinds) : SHEAF_F64);
	else if ((kinds & (INTEGERS | LARGE | REALS)) || (kinds & (SPECIAL | TEXTS)) == SPECIAL)
		sheaf_field_make_cell(field, SHEAF_NUMBER, number_type(kinds), 1, nullable);
	else if (kinds & BOOLS)
		sheaf_field_make_cell(field, SHEAF_BOOL, SHEAF_U8, 1, nullable);
	else
		sheaf_field_make_cell(field, (kinds | NONE) == (BYTES | NONE) ? SHEAF_BYTES : SHEAF_STRING, SHEAF_U8,
		                      -1, nullable);
}

/* ---- rows ---- */

static sheaf_status add_column(inference *f, const char *name, sheaf_error *err)
{
	sheaf_field *field;
	sheaf_jsonl_reader *in = f->in;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
	sheaf_builder_append(&f->columns, &(seen){0}, sizeof(seen));
	SHEAF_TRY(sheaf_builder_status(&f->columns, err));
	return sheaf_names_add(&f->names, in->cx, field->name, strlen(name), err);
}

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

static sheaf_status see_line(inference *f, const uint8_t *at, size_t size, sheaf_error *err)
{
	sheaf_json_flaw flaw;
	sheaf_json *row;
	sheaf_status status = sheaf_json_take(at, size, f->in->cx, &row, &flaw, err);
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
		if (sheaf_lined_is_row(f->in->syntax, at, next)) SHEAF_TRY(see_line(f, at, (size_t)(next - at), err));
	}
	return SHEAF_OK;
}

static sheaf_status make_schema(inference *f, sheaf_error *err)
{
	sheaf_jsonl_reader *in = f->in;
	if (in->schema.nfields == 0)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected rows with columns, found none",
		                  sheaf_source_name(in->source));
	for (int c = 0; c < in->schema.nfields; c++)
		make_field(f, &in->schema.fields[c], (const seen *)(const void *)f->columns.data + c);
	in->facts.guess = in->guessed ? "inferred from the first lines" : "inferred from the whole input";
	return in->schema.rows == SHEAF_SEQUENCES ? sheaf_schema_add_key(&in->schema, in->cx, err) : SHEAF_OK;
}

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
