/* SPDX-License-Identifier: MIT */
/* Parsing array schemas: what `create array` and create_array() take, in both syntaxes of dimensions, and
 * what show() prints. Clauses that do not affect the bytes of cells are checked for their shape, and
 * attributes keep those that a statement repeats: a default value, a compression and a reserve. */
#include "base/memory.h"
#include "format/scidb/array.h"
#include "format/scidb/text.h"
#include "number/number.h"
#include <string.h>

typedef struct reading {
	sheaf_scidb_array *array;
	sheaf_scidb_types *types;
	sheaf_scidb_text text;
} reading;

static sheaf_status expected(const reading *r, const char *at, const char *what)
{
	return sheaf_scidb_text_expected(&r->text, at, what);
}

/* ---- words and values ---- */

/* A word, or anything in double quotes, which are removed. */
static sheaf_status read_name(reading *r, const char *what, sheaf_name *out)
{
	sheaf_scidb_text *text = &r->text;
	if (!sheaf_scidb_text_take(text, '"')) {
		*out = sheaf_scidb_text_word(text, true);
		return out->size ? SHEAF_OK : expected(r, out->text, what);
	}
	out->text = text->at;
	while (text->at < text->end && *text->at != '"') text->at++;
	out->size = (size_t)(text->at - out->text);
	if (text->at == text->end) return expected(r, text->at, "a quote after the name");
	if (out->size == 0) return expected(r, text->at, "a name in the quotes");
	text->at++;
	return SHEAF_OK;
}

/* The name of an attribute or a dimension: these share their names. */
static sheaf_status read_new_name(reading *r, const char *what, sheaf_name *out)
{
	const sheaf_scidb_array *array = r->array;
	SHEAF_TRY(read_name(r, what, out));
	for (int i = 0; i < array->nattributes + array->ndimensions; i++) {
		const char *name = i < array->nattributes ? array->attributes[i].name
		                                          : array->dimensions[i - array->nattributes].name;
		if (strlen(name) == out->size && memcmp(name, out->text, out->size) == 0)
			return expected(r, out->text, "a name that no other attribute or dimension has");
	}
	return SHEAF_OK;
}

/* The position after 'text' with \' in it; SHEAF_OK with nothing taken but blanks if none is there. */
static sheaf_status pass_string(reading *r)
{
	sheaf_scidb_text *text = &r->text;
	const char *quote = text->at;
	if (!sheaf_scidb_text_take(text, '\'')) return SHEAF_OK;
	while (text->at < text->end && *text->at != '\'')
		text->at += *text->at == '\\' && text->end - text->at > 1 ? 2 : 1;
	if (text->at == text->end) return expected(r, quote, "a string that ends with a quote");
	text->at++;
	return SHEAF_OK;
}

/* [+|-] constant, [+|-] name(...), (expression), or a string: taken as it is written. What is in brackets
 * ends with the one that closes the first; those in strings do not count. */
static sheaf_status read_usual(reading *r, char **out)
{
	sheaf_scidb_text *text = &r->text;
	sheaf_scidb_text_pass(text);
	const char *begin = text->at;
	SHEAF_TRY(pass_string(r));
	bool string = text->at > begin;
	while (!string && text->at < text->end &&
	       (sheaf_scidb_is_of_word(*text->at, true) || strchr(".+-", *text->at)))
		text->at++;
	const char *end = text->at;
	int depth = !string && sheaf_scidb_text_is_at(text, '(');
	const char *opening = text->at;
	text->at = depth ? opening + 1 : end;
	while (depth > 0) {
		sheaf_scidb_text_pass(text);
		if (text->at == text->end) return expected(r, opening, "a bracket that is closed");
		if (*text->at == '\'') {
			SHEAF_TRY(pass_string(r));
			continue;
		}
		depth += (*text->at == '(') - (*text->at == ')');
		text->at++;
	}
	if (text->at == begin) return expected(r, begin, "a value after DEFAULT");
	return sheaf_copy_text(r->array->cx, begin, (size_t)(text->at - begin), out, text->err);
}

/* [+|-] digits, within the range of coordinates. */
static sheaf_status read_number(reading *r, const char *what, int64_t *out)
{
	uint64_t n;
	sheaf_scidb_text_pass(&r->text);
	const char *begin = r->text.at;
	bool negative = sheaf_scidb_text_take_any(&r->text, "-+") == '-';
	sheaf_scanned scanned = sheaf_scan_u64(r->text.at, r->text.end, &n);
	r->text.at = scanned.end;
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT) return expected(r, begin, what);
	if (scanned.flaw || n > SCIDB_MOST_COORDINATE)
		return expected(r, begin, "a number from -(2^62-1) to 2^62-1");
	*out = negative ? -(int64_t)n : (int64_t)n;
	return SHEAF_OK;
}

/* ---- attributes ---- */

/* [[NOT] NULL]; without it *nullable keeps what is usual. */
static sheaf_status read_nullability(reading *r, bool *nullable)
{
	bool not = sheaf_scidb_text_keyword(&r->text, "not");
	bool null = sheaf_scidb_text_keyword(&r->text, "null");
	if (not &&!null) return expected(r, r->text.at, "NULL after NOT");
	if (null) *nullable = !not ;
	return SHEAF_OK;
}

/* name:type [[NOT] NULL] [DEFAULT ...] [COMPRESSION '...'] [RESERVE n], the clauses in this order. Old
 * servers show the tag that says which cells are empty as a last attribute: it is in no file. */
static sheaf_status read_attribute(reading *r)
{
	static const char tag[] = "EmptyTag";
	char wanted[SCIDB_EXPECTED];
	sheaf_scidb_array *array = r->array;
	sheaf_name name;
	const sheaf_scidb_type *type;
	SHEAF_TRY(read_new_name(r, "the name of an attribute", &name));
	SHEAF_TRY(sheaf_scidb_text_need(&r->text, ':', "\":\" after the name of the attribute"));
	sheaf_name word = sheaf_scidb_text_word(&r->text, false);
	if (word.size == 0) return expected(r, word.text, "a type");
	SHEAF_TRY(sheaf_scidb_types_find(r->types, word, &type, r->text.err));
	if (!type) return expected(r, word.text, sheaf_scidb_types_expected(r->types, word, wanted));
	if (array->nattributes && type->kind == SCIDB_INDICATOR && name.size == strlen(tag) &&
	    memcmp(name.text, tag, name.size) == 0)
		return read_nullability(r, &(bool){false});
	SHEAF_TRY(sheaf_scidb_array_add(array, name, type, !array->says_null, r->text.err));
	sheaf_scidb_attribute *a = &array->attributes[array->nattributes - 1];
	SHEAF_TRY(read_nullability(r, &a->nullable));
	if (sheaf_scidb_text_keyword(&r->text, "default")) SHEAF_TRY(read_usual(r, &a->usual));
	if (sheaf_scidb_text_keyword(&r->text, "compression")) {
		sheaf_scidb_text_pass(&r->text);
		const char *begin = r->text.at;
		SHEAF_TRY(pass_string(r));
		size_t n = (size_t)(r->text.at - begin);
		if (n == 0) return expected(r, begin, "'zlib', 'bzlib' or 'none' after COMPRESSION");
		SHEAF_TRY(sheaf_copy_text(r->array->cx, begin, n, &a->compression, r->text.err));
	}
	return sheaf_scidb_text_keyword(&r->text, "reserve")
	           ? read_number(r, "a number after RESERVE", &a->reserve)
	           : SHEAF_OK;
}

/* ---- dimensions ---- */

/* A number, or an expression of constants, as the server takes it. */
static sheaf_status read_coordinate(reading *r, const char *what, int64_t *out)
{
	sheaf_scidb_text_pass(&r->text);
	const char *begin = r->text.at;
	SHEAF_TRY(sheaf_scidb_text_expression(&r->text, what, out));
	bool fits = *out >= -SCIDB_MOST_COORDINATE && *out <= SCIDB_MOST_COORDINATE;
	return fits ? SHEAF_OK : expected(r, begin, "a number from -(2^62-1) to 2^62-1");
}

/* It may be longer than the range of coordinates. */
static sheaf_status read_chunk(reading *r, sheaf_scidb_dimension *d)
{
	const char *at = r->text.at;
	d->chunk_mark = sheaf_scidb_text_take_any(&r->text, "*?");
	if (d->chunk_mark) return SHEAF_OK;
	SHEAF_TRY(sheaf_scidb_text_expression(&r->text, "the length of chunks, \"*\" or \"?\"", &d->chunk));
	return d->chunk > 0 ? SHEAF_OK : expected(r, at, "a length of chunks of at least 1");
}

/* Overlaps of chunks are only inside the server: cells in them are not in a file. */
static sheaf_status read_overlap(reading *r, sheaf_scidb_dimension *d)
{
	const char *at = r->text.at;
	SHEAF_TRY(read_coordinate(r, "the overlap of chunks", &d->overlap));
	return d->overlap >= 0 ? SHEAF_OK : expected(r, at, "an overlap of at least 0");
}

/* New: lo:hi:overlap:chunk. Old: lo:hi,chunk,overlap. What follows a comma can only be the old syntax, and no
 * further dimension, unless it is a name without a parenthesis after it. */
static sheaf_status read_extent(reading *r, sheaf_scidb_dimension *d)
{
	sheaf_scidb_text *text = &r->text;
	sheaf_scidb_text_pass(text);
	const char *at = text->at;
	d->low_mark = sheaf_scidb_text_take_any(text, "?");
	if (!d->low_mark) SHEAF_TRY(read_coordinate(r, "the lowest coordinate or \"?\"", &d->low));
	SHEAF_TRY(sheaf_scidb_text_need(text, ':', "\":\" and the highest coordinate"));
	d->high_mark = sheaf_scidb_text_take_any(text, "*?");
	if (!d->high_mark) SHEAF_TRY(read_coordinate(r, "the highest coordinate, \"*\" or \"?\"", &d->high));
	if (!d->low_mark && !d->high_mark && d->low > d->high)
		return expected(r, at, "a lowest coordinate that is not above the highest");
	const char *mark = text->at;
	bool comma = sheaf_scidb_text_take(text, ',');
	const char *after = text->at;
	sheaf_scidb_text_pass(text);
	bool old = comma && text->at < text->end && strchr("0123456789+-*?(", *text->at);
	if (comma && sheaf_scidb_text_word(text, true).size) old = sheaf_scidb_text_is_at(text, '(');
	text->at = old ? after : mark;
	if (old) {
		SHEAF_TRY(read_chunk(r, d));
		SHEAF_TRY(sheaf_scidb_text_need(text, ',', "\",\" and the overlap of chunks"));
		return read_overlap(r, d);
	}
	if (!sheaf_scidb_text_take(text, ':')) return SHEAF_OK;
	SHEAF_TRY(read_overlap(r, d));
	return sheaf_scidb_text_take(text, ':') ? read_chunk(r, d) : SHEAF_OK;
}

static sheaf_status read_dimensions(reading *r)
{
	sheaf_name name;
	sheaf_scidb_dimension *d;
	if (!sheaf_scidb_text_take(&r->text, '[')) return SHEAF_OK;
	do {
		SHEAF_TRY(read_new_name(r, "the name of a dimension", &name));
		SHEAF_TRY(sheaf_scidb_array_add_dimension(r->array, name, &d, r->text.err));
		if (sheaf_scidb_text_take(&r->text, '=')) SHEAF_TRY(read_extent(r, d));
	} while (sheaf_scidb_text_take_any(&r->text, ",;"));
	return sheaf_scidb_text_need(&r->text, ']', "\",\", \";\" or \"]\" after the dimension");
}

/* ---- all of it ---- */

/* [create [temp] array] [not empty] [[namespace.]name[@version]]. The namespace is part of the name if
 * neither is in quotes, and else ignored. */
static sheaf_status read_heading(reading *r)
{
	sheaf_scidb_text *text = &r->text;
	sheaf_name name, last;
	int64_t version;
	if (sheaf_scidb_text_keyword(text, "create")) {
		(void)sheaf_scidb_text_keyword(text, "temp");
		if (!sheaf_scidb_text_keyword(text, "array"))
			return expected(r, text->at, "\"array\" after \"create\"");
	}
	if (sheaf_scidb_text_keyword(text, "not") && !sheaf_scidb_text_keyword(text, "empty"))
		return expected(r, text->at, "\"empty\" after \"not\"");
	if (sheaf_scidb_text_is_at(text, '<')) return SHEAF_OK;
	bool quoted = sheaf_scidb_text_is_at(text, '"');
	SHEAF_TRY(read_name(r, "the name of the array or \"<\"", &name));
	if (sheaf_scidb_text_take(text, '.')) {
		quoted |= sheaf_scidb_text_is_at(text, '"');
		SHEAF_TRY(read_name(r, "the name of the array after its namespace", &last));
		name = quoted ? last : (sheaf_name){name.text, (size_t)(last.text + last.size - name.text)};
	}
	SHEAF_TRY(sheaf_copy_text(r->array->cx, name.text, name.size, &r->array->name, text->err));
	return sheaf_scidb_text_take(text, '@') ? read_number(r, "the number of a version after \"@\"", &version)
	                                        : SHEAF_OK;
}

/* [distribution name [emptytag compression 'zlib']] [;], none of which affects cells */
static sheaf_status read_tail(reading *r)
{
	sheaf_scidb_text *text = &r->text;
	sheaf_name name;
	if (sheaf_scidb_text_keyword(text, "distribution"))
		SHEAF_TRY(read_name(r, "the name of a distribution", &name));
	if (sheaf_scidb_text_keyword(text, "emptytag")) {
		if (!sheaf_scidb_text_keyword(text, "compression"))
			return expected(r, text->at, "COMPRESSION after EMPTYTAG");
		sheaf_scidb_text_pass(text);
		SHEAF_TRY(pass_string(r));
	}
	(void)sheaf_scidb_text_take(text, ';');
	sheaf_scidb_text_pass(text);
	if (text->at == text->end) return SHEAF_OK;
	return expected(r, text->at,
	                r->array->ndimensions ? "nothing after the dimensions"
	                                      : "\"[\" and the dimensions, or nothing");
}

/* create_array(name, schema, temp [, distribution]), or a statement, or only the schema */
static sheaf_status read_array(reading *r)
{
	sheaf_scidb_text *text = &r->text;
	sheaf_name word;
	bool call = sheaf_scidb_text_keyword(text, "create_array");
	if (call) SHEAF_TRY(sheaf_scidb_text_need(text, '(', "\"(\" after create_array"));
	SHEAF_TRY(read_heading(r));
	if (call) SHEAF_TRY(sheaf_scidb_text_need(text, ',', "\",\" and the schema"));
	SHEAF_TRY(sheaf_scidb_text_need(text, '<', "\"<\" and the attributes"));
	do {
		SHEAF_TRY(read_attribute(r));
	} while (sheaf_scidb_text_take(text, ','));
	SHEAF_TRY(sheaf_scidb_text_need(text, '>', "\",\" or \">\" after the attribute"));
	SHEAF_TRY(read_dimensions(r));
	while (call && sheaf_scidb_text_take(text, ','))
		SHEAF_TRY(sheaf_scidb_text_is_at(text, '\'') ? pass_string(r)
		                                             : read_name(r, "true, false or a distribution", &word));
	if (call) SHEAF_TRY(sheaf_scidb_text_need(text, ')', "\",\" or \")\""));
	return read_tail(r);
}

sheaf_status sheaf_scidb_array_read(sheaf_scidb_array *array, const char *text, sheaf_scidb_types *types,
                                    sheaf_error *err)
{
	reading r = {array, types, sheaf_scidb_text_over("schema", text, true, err)};
	array->cx = types->cx;
	sheaf_status status = read_array(&r);
	if (status) sheaf_scidb_array_free(array);
	return status;
}
