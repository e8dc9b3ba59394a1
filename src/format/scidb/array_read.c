/* SPDX-License-Identifier: MIT */
/* Parsing array schemas: what `create array` takes, in both syntaxes of dimensions, and what show()
 * prints. */
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/array.h"
#include "format/scidb/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reading {
	sheaf_scidb_array *array;
	sheaf_scidb_text text;
	sheaf_scidb_types *types;
	sheaf_context *cx;
	sheaf_error *err;
	bool nullable;
} reading;

static sheaf_status expected(reading *r, const char *at, const char *what)
{
	return sheaf_scidb_text_expected(&r->text, at, what, NULL, r->err);
}

/* ---- names ---- */

/* A word, or anything in double quotes, which are removed. */
static sheaf_status read_name(reading *r, const char *what, sheaf_scidb_word *out)
{
	if (!sheaf_scidb_text_take(&r->text, '"')) {
		*out = sheaf_scidb_text_word(&r->text, true);
		return out->size ? SHEAF_OK : expected(r, out->at, what);
	}
	out->at = r->text.at;
	while (r->text.at < r->text.end && *r->text.at != '"') r->text.at++;
	out->size = (size_t)(r->text.at - out->at);
	if (r->text.at == r->text.end || out->size == 0)
		return expected(r, r->text.at,
		                r->text.at == r->text.end ? "a quote after the name" : "a name in the quotes");
	r->text.at++;
	return SHEAF_OK;
}

static bool is_name(const char *name, sheaf_scidb_word word)
{
	return strlen(name) == word.size && memcmp(name, word.at, word.size) == 0;
}

/* Attributes and dimensions share their names. */
static sheaf_status check_new(reading *r, sheaf_scidb_word word)
{
	bool taken = false;
	for (int i = 0; i < r->array->nattributes; i++) taken |= is_name(r->array->attributes[i].name, word);
	for (int i = 0; i < r->array->ndimensions; i++) taken |= is_name(r->array->dimensions[i].name, word);
	return taken ? expected(r, word.at, "a name that no other attribute or dimension has") : SHEAF_OK;
}

/* ---- attributes ---- */

/* The position after 'text' with \' in it; SHEAF_OK with nothing taken if none is there. */
static sheaf_status pass_string(reading *r)
{
	const char *quote = r->text.at;
	if (!sheaf_scidb_text_take(&r->text, '\'')) return SHEAF_OK;
	while (r->text.at < r->text.end && *r->text.at != '\'')
		r->text.at += *r->text.at == '\\' && r->text.end - r->text.at > 1 ? 2 : 1;
	if (r->text.at == r->text.end) return expected(r, quote, "a string that ends with a quote");
	r->text.at++;
	return SHEAF_OK;
}

/* The position after the bracket that closes the current one. */
static sheaf_status pass_brackets(reading *r)
{
	const char *opening = r->text.at;
	int depth = 0;
	do {
		sheaf_scidb_text_pass(&r->text);
		if (r->text.at == r->text.end) return expected(r, opening, "a bracket that is closed");
		if (*r->text.at == '\'') {
			SHEAF_TRY(pass_string(r));
			continue;
		}
		depth += (*r->text.at == '(') - (*r->text.at == ')');
		r->text.at++;
	} while (depth > 0);
	return SHEAF_OK;
}

static bool is_of_constant(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("_$.+-", c);
}

/* [+|-] constant, [+|-] name(...), (expression): taken as it is written. */
static sheaf_status read_usual(reading *r, char **out)
{
	sheaf_scidb_text_pass(&r->text);
	const char *begin = r->text.at;
	if (*begin == '\'') {
		SHEAF_TRY(pass_string(r));
	} else {
		while (r->text.at < r->text.end && is_of_constant(*r->text.at)) r->text.at++;
		const char *end = r->text.at;
		if (sheaf_scidb_text_is_at(&r->text, '('))
			SHEAF_TRY(pass_brackets(r));
		else
			r->text.at = end;
	}
	if (r->text.at == begin) return expected(r, begin, "a value after DEFAULT");
	return sheaf_copy_text(r->cx, begin, (size_t)(r->text.at - begin), out, r->err);
}

static sheaf_status read_compression(reading *r, char **out)
{
	sheaf_scidb_text_pass(&r->text);
	const char *begin = r->text.at;
	SHEAF_TRY(pass_string(r));
	if (r->text.at == begin) return expected(r, begin, "'zlib', 'bzlib' or 'none' after COMPRESSION");
	return sheaf_copy_text(r->cx, begin, (size_t)(r->text.at - begin), out, r->err);
}

/* [+|-] digits, within the range of coordinates. */
static sheaf_status read_number(reading *r, const char *what, int64_t *out)
{
	sheaf_scidb_text_pass(&r->text);
	const char *begin = r->text.at;
	bool negative = sheaf_scidb_text_take(&r->text, '-');
	if (!negative) (void)sheaf_scidb_text_take(&r->text, '+');
	const char *digits = r->text.at;
	int64_t n = 0;
	for (; r->text.at < r->text.end && *r->text.at >= '0' && *r->text.at <= '9'; r->text.at++)
		n = n > SCIDB_MOST_COORDINATE / 10 ? SCIDB_MOST_COORDINATE + 1 : 10 * n + (*r->text.at - '0');
	if (r->text.at == digits) return expected(r, begin, what);
	if (n > SCIDB_MOST_COORDINATE) return expected(r, begin, "a number from -(2^62-1) to 2^62-1");
	*out = negative ? -n : n;
	return SHEAF_OK;
}

static sheaf_status read_nullability(reading *r, bool *nullable)
{
	bool not = sheaf_scidb_text_keyword(&r->text, "not");
	bool null = sheaf_scidb_text_keyword(&r->text, "null");
	if (not &&!null) return expected(r, r->text.at, "NULL after NOT");
	if (null) *nullable = !not ;
	return SHEAF_OK;
}

/* What may follow the type, in this order. */
static sheaf_status read_clauses(reading *r, sheaf_scidb_attribute *a)
{
	SHEAF_TRY(read_nullability(r, &a->nullable));
	if (sheaf_scidb_text_keyword(&r->text, "default")) SHEAF_TRY(read_usual(r, &a->usual));
	if (sheaf_scidb_text_keyword(&r->text, "compression")) SHEAF_TRY(read_compression(r, &a->compression));
	if (sheaf_scidb_text_keyword(&r->text, "reserve"))
		SHEAF_TRY(read_number(r, "a number after RESERVE", &a->reserve));
	return SHEAF_OK;
}

/* The tag that says which cells are empty, as old servers show it: it is in no file. */
static bool is_tag(sheaf_scidb_word name, const sheaf_scidb_type *type)
{
	return type->kind == SCIDB_INDICATOR && is_name("EmptyTag", name);
}

static sheaf_status read_attribute(reading *r)
{
	char wanted[SCIDB_EXPECTED];
	sheaf_scidb_word name;
	const sheaf_scidb_type *type;
	SHEAF_TRY(read_name(r, "the name of an attribute", &name));
	SHEAF_TRY(check_new(r, name));
	if (!sheaf_scidb_text_take(&r->text, ':'))
		return expected(r, r->text.at, "\":\" after the name of the attribute");
	sheaf_scidb_word word = sheaf_scidb_text_word(&r->text, false);
	if (word.size == 0) return expected(r, word.at, "a type");
	SHEAF_TRY(sheaf_scidb_types_find(r->types, word.at, word.size, &type, r->err));
	if (!type) return expected(r, word.at, sheaf_scidb_types_expected(r->types, word.at, word.size, wanted));
	if (r->array->nattributes && is_tag(name, type)) return read_nullability(r, &(bool){false});
	SHEAF_TRY(sheaf_scidb_array_add(r->array, r->cx, (sheaf_bytes){(const uint8_t *)name.at, name.size}, type,
	                                r->nullable, r->err));
	return read_clauses(r, &r->array->attributes[r->array->nattributes - 1]);
}

/* ---- dimensions ---- */

/* A number, or an expression of constants, as the server takes it. */
static sheaf_status read_coordinate(reading *r, const char *what, int64_t *out)
{
	sheaf_scidb_text_pass(&r->text);
	const char *begin = r->text.at;
	SHEAF_TRY(sheaf_scidb_text_expression(&r->text, what, out, r->err));
	bool fits = *out >= -SCIDB_MOST_COORDINATE && *out <= SCIDB_MOST_COORDINATE;
	return fits ? SHEAF_OK : expected(r, begin, "a number from -(2^62-1) to 2^62-1");
}

/* The mark that replaces a number, or NUL. */
static char take_mark(reading *r, const char *marks)
{
	for (const char *m = marks; *m; m++)
		if (sheaf_scidb_text_take(&r->text, *m)) return *m;
	return '\0';
}

static sheaf_status read_bound(reading *r, const char *marks, const char *what, int64_t *number, char *mark)
{
	*mark = take_mark(r, marks);
	return *mark ? SHEAF_OK : read_coordinate(r, what, number);
}

/* It may be longer than the range of coordinates. */
static sheaf_status read_chunk(reading *r, sheaf_scidb_dimension *d)
{
	const char *at = r->text.at;
	d->chunk_mark = take_mark(r, "*?");
	if (d->chunk_mark) return SHEAF_OK;
	SHEAF_TRY(
		sheaf_scidb_text_expression(&r->text, "the length of chunks, \"*\" or \"?\"", &d->chunk, r->err));
	return d->chunk > 0 ? SHEAF_OK : expected(r, at, "a length of chunks of at least 1");
}

static sheaf_status read_overlap(reading *r, sheaf_scidb_dimension *d)
{
	const char *at = r->text.at;
	SHEAF_TRY(read_coordinate(r, "the overlap of chunks", &d->overlap));
	return d->overlap >= 0 ? SHEAF_OK : expected(r, at, "an overlap of at least 0");
}

/* Whether the text after the current comma can only be the old syntax, and no further dimension. */
static bool is_old(reading *r)
{
	const char *at = r->text.at;
	bool comma = sheaf_scidb_text_take(&r->text, ',');
	sheaf_scidb_text_pass(&r->text);
	bool old = comma && r->text.at < r->text.end && strchr("0123456789+-*?(", *r->text.at);
	/* A name is a dimension's, unless a parenthesis follows. */
	if (comma && sheaf_scidb_text_word(&r->text, true).size) old = sheaf_scidb_text_is_at(&r->text, '(');
	r->text.at = at;
	return old;
}

/* New: lo:hi:overlap:chunk. Old: lo:hi,chunk,overlap. */
static sheaf_status read_extent(reading *r, sheaf_scidb_dimension *d)
{
	sheaf_scidb_text_pass(&r->text);
	const char *at = r->text.at;
	SHEAF_TRY(read_bound(r, "?", "the lowest coordinate or \"?\"", &d->low, &d->low_mark));
	if (!sheaf_scidb_text_take(&r->text, ':'))
		return expected(r, r->text.at, "\":\" and the highest coordinate");
	SHEAF_TRY(read_bound(r, "*?", "the highest coordinate, \"*\" or \"?\"", &d->high, &d->high_mark));
	if (!d->low_mark && !d->high_mark && d->low > d->high)
		return expected(r, at, "a lowest coordinate that is not above the highest");
	if (is_old(r)) {
		(void)sheaf_scidb_text_take(&r->text, ',');
		SHEAF_TRY(read_chunk(r, d));
		if (!sheaf_scidb_text_take(&r->text, ','))
			return expected(r, r->text.at, "\",\" and the overlap of chunks");
		return read_overlap(r, d);
	}
	if (!sheaf_scidb_text_take(&r->text, ':')) return SHEAF_OK;
	SHEAF_TRY(read_overlap(r, d));
	return sheaf_scidb_text_take(&r->text, ':') ? read_chunk(r, d) : SHEAF_OK;
}

static sheaf_status read_dimension(reading *r)
{
	sheaf_scidb_word name;
	sheaf_scidb_dimension *d;
	SHEAF_TRY(read_name(r, "the name of a dimension", &name));
	SHEAF_TRY(check_new(r, name));
	SHEAF_TRY(sheaf_scidb_array_add_dimension(r->array, r->cx, name.at, name.size, &d, r->err));
	return sheaf_scidb_text_take(&r->text, '=') ? read_extent(r, d) : SHEAF_OK;
}

/* ---- all of it ---- */

/* Of the name and its namespace, if neither is in quotes; else only the name. */
static sheaf_status read_array_name(reading *r, sheaf_scidb_word *out)
{
	sheaf_scidb_word last;
	bool quoted = sheaf_scidb_text_is_at(&r->text, '"');
	SHEAF_TRY(read_name(r, "the name of the array or \"<\"", out));
	if (!sheaf_scidb_text_take(&r->text, '.')) return SHEAF_OK;
	quoted |= sheaf_scidb_text_is_at(&r->text, '"');
	SHEAF_TRY(read_name(r, "the name of the array after its namespace", &last));
	*out = quoted ? last : (sheaf_scidb_word){out->at, (size_t)(last.at + last.size - out->at)};
	return SHEAF_OK;
}

/* [create [temp] array] [not empty] [namespace.]name[@version] */
static sheaf_status read_heading(reading *r)
{
	sheaf_scidb_word name;
	if (sheaf_scidb_text_keyword(&r->text, "create")) {
		(void)sheaf_scidb_text_keyword(&r->text, "temp");
		if (!sheaf_scidb_text_keyword(&r->text, "array"))
			return expected(r, r->text.at, "\"array\" after \"create\"");
	}
	if (sheaf_scidb_text_keyword(&r->text, "not") && !sheaf_scidb_text_keyword(&r->text, "empty"))
		return expected(r, r->text.at, "\"empty\" after \"not\"");
	if (sheaf_scidb_text_is_at(&r->text, '<')) return SHEAF_OK;
	SHEAF_TRY(read_array_name(r, &name));
	SHEAF_TRY(sheaf_copy_text(r->cx, name.at, name.size, &r->array->name, r->err));
	if (!sheaf_scidb_text_take(&r->text, '@')) return SHEAF_OK;
	int64_t version;
	return read_number(r, "the number of a version after \"@\"", &version);
}

static sheaf_status read_attributes(reading *r)
{
	if (!sheaf_scidb_text_take(&r->text, '<')) return expected(r, r->text.at, "\"<\" and the attributes");
	do {
		SHEAF_TRY(read_attribute(r));
	} while (sheaf_scidb_text_take(&r->text, ','));
	return sheaf_scidb_text_take(&r->text, '>')
	           ? SHEAF_OK
	           : expected(r, r->text.at, "\",\" or \">\" after the attribute");
}

static sheaf_status read_dimensions(reading *r)
{
	if (!sheaf_scidb_text_take(&r->text, '[')) return SHEAF_OK;
	do {
		SHEAF_TRY(read_dimension(r));
	} while (sheaf_scidb_text_take(&r->text, ',') || sheaf_scidb_text_take(&r->text, ';'));
	return sheaf_scidb_text_take(&r->text, ']')
	           ? SHEAF_OK
	           : expected(r, r->text.at, "\",\", \";\" or \"]\" after the dimension");
}

/* [distribution name [emptytag compression 'zlib']] [;], none of which affects cells */
static sheaf_status read_tail(reading *r)
{
	if (sheaf_scidb_text_keyword(&r->text, "distribution")) {
		sheaf_scidb_word name;
		SHEAF_TRY(read_name(r, "the name of a distribution", &name));
	}
	if (sheaf_scidb_text_keyword(&r->text, "emptytag")) {
		if (!sheaf_scidb_text_keyword(&r->text, "compression"))
			return expected(r, r->text.at, "COMPRESSION after EMPTYTAG");
		sheaf_scidb_text_pass(&r->text);
		SHEAF_TRY(pass_string(r));
	}
	(void)sheaf_scidb_text_take(&r->text, ';');
	return SHEAF_OK;
}

/* After the dimensions of create_array(): , temp [, distribution] ) */
static sheaf_status read_arguments(reading *r)
{
	sheaf_scidb_word word;
	while (sheaf_scidb_text_take(&r->text, ',')) {
		sheaf_scidb_text_pass(&r->text);
		if (r->text.at < r->text.end && *r->text.at == '\'')
			SHEAF_TRY(pass_string(r));
		else
			SHEAF_TRY(read_name(r, "true, false or a distribution", &word));
	}
	return sheaf_scidb_text_take(&r->text, ')') ? SHEAF_OK : expected(r, r->text.at, "\",\" or \")\"");
}

/* create_array(name, schema, ...) */
static sheaf_status read_operator(reading *r)
{
	if (!sheaf_scidb_text_take(&r->text, '(')) return expected(r, r->text.at, "\"(\" after create_array");
	SHEAF_TRY(read_heading(r));
	if (!sheaf_scidb_text_take(&r->text, ',')) return expected(r, r->text.at, "\",\" and the schema");
	SHEAF_TRY(read_attributes(r));
	SHEAF_TRY(read_dimensions(r));
	return read_arguments(r);
}

static sheaf_status read_statement(reading *r)
{
	SHEAF_TRY(read_heading(r));
	SHEAF_TRY(read_attributes(r));
	return read_dimensions(r);
}

static sheaf_status read_array(reading *r)
{
	SHEAF_TRY(sheaf_scidb_text_keyword(&r->text, "create_array") ? read_operator(r) : read_statement(r));
	SHEAF_TRY(read_tail(r));
	sheaf_scidb_text_pass(&r->text);
	return r->text.at < r->text.end ? expected(r, r->text.at,
	                                           r->array->ndimensions ? "nothing after the dimensions"
	                                                                 : "\"[\" and the dimensions, or nothing")
	                                : SHEAF_OK;
}

sheaf_status sheaf_scidb_array_read(sheaf_scidb_array *array, const char *option, const char *text,
                                    sheaf_scidb_types *types, sheaf_context *cx, sheaf_error *err)
{
	array->cx = cx;
	reading r = {array, sheaf_scidb_text_over(option, text, true), types, cx, err, !array->says_null};
	sheaf_status status = read_array(&r);
	if (status) sheaf_scidb_array_free(array);
	return status;
}
