/* SPDX-License-Identifier: MIT */
/* What Arrow's types mean, and the fields that they become. Arrow's types are texts (format strings of the C
 * data interface); its columns may be lists of lists of anything, of which only what a frame can be is taken:
 *
 *   numbers, texts, bytes, times, truth values               items of a table
 *   lists of numbers, or of fixed-size lists of them         dense samples of sequences
 *   lists of lists of structs of an index and a value        sparse samples
 *   lists of texts, beside lists of numbers                  texts of samples
 *
 * If some column has samples, all rows are sequences. */
#include "arrow/arrow.h"
#include "arrow/take.h"
#include "base/context.h"
#include "frame/frame.h"
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

/* The type that a format of one letter means (C data interface, "Data type description"). Small letters of
 * texts and bytes have offsets of 32 bits (`small`), large ones of 64. */
static sheaf_arrow_type letter(char format)
{
	for (int t = 0; t < SHEAF_TYPES; t++)
		if (format == sheaf_arrow_numbers[t][0])
			return (sheaf_arrow_type){.class = SHEAF_IS_NUMBER, .number = (sheaf_type)t};
	switch (format) {
	case 'e': return (sheaf_arrow_type){.class = SHEAF_IS_HALF};
	case 'b': return (sheaf_arrow_type){.class = SHEAF_IS_BITS};
	case 'n': return (sheaf_arrow_type){.class = SHEAF_IS_NULLS};
	case 'u': return (sheaf_arrow_type){.class = SHEAF_IS_TEXT, .small = true};
	case 'U': return (sheaf_arrow_type){.class = SHEAF_IS_TEXT};
	case 'z': return (sheaf_arrow_type){.class = SHEAF_IS_BYTES, .small = true};
	case 'Z': return (sheaf_arrow_type){.class = SHEAF_IS_BYTES};
	default: return (sheaf_arrow_type){0};
	}
}

/* The type that a format of times means: "tdD" is days and "tdm" milliseconds since 1970, "tts" to "ttn" are
 * times of day, "tss:" to "tsn:ZONE" points in time in seconds to nanoseconds, "tDs" to "tDn" spans of time.
 * Milliseconds since 1970 have the digits of their unit, m, as the others have. */
static sheaf_arrow_type time_type(const char *format)
{
	static const char units[] = "smun";
	sheaf_arrow_type type = {.class = SHEAF_IS_TIME, .number = SHEAF_I64};
	const char *unit = format[0] && format[1] && format[2] ? strchr(units, format[2]) : NULL;
	if (unit) type.digits = 3 * (int)(unit - units);
	if (strcmp(format, "tdD") == 0) {
		type.number = SHEAF_I32;
		type.meaning = SHEAF_DATE;
	} else if (strcmp(format, "tdm") == 0) {
		type.meaning = SHEAF_DATETIME;
	} else if (unit && strncmp(format, "tt", 2) == 0 && format[3] == '\0') {
		type.number = type.digits > 3 ? SHEAF_I64 : SHEAF_I32;
		type.meaning = SHEAF_TIME;
	} else if (unit && strncmp(format, "ts", 2) == 0 && format[3] == ':') {
		type.meaning = format[4] ? SHEAF_DATETIMETZ : SHEAF_DATETIME;
	} else if (unit && strncmp(format, "tD", 2) == 0 && format[3] == '\0') {
		type.meaning = SHEAF_DURATION;
	} else {
		return (sheaf_arrow_type){0};
	}
	return type;
}

/* A type whose format ends with a width, of at least 1; no type for any other text. */
static sheaf_arrow_type with_width(sheaf_arrow_class class, const char *digits)
{
	char *end;
	long long width = strtoll(digits, &end, 10);
	if (end == digits || *end || width < 1) return (sheaf_arrow_type){0};
	return (sheaf_arrow_type){.class = class, .width = width};
}

sheaf_arrow_type sheaf_arrow_type_of(const struct ArrowSchema *schema)
{
	const char *format = schema->format ? schema->format : "";
	if (strlen(format) == 1) return letter(format[0]);
	if (strcmp(format, "vu") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_TEXT, .views = true};
	if (strcmp(format, "vz") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_BYTES, .views = true};
	if (strcmp(format, "+l") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_LIST, .small = true};
	if (strcmp(format, "+L") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_LIST};
	if (strcmp(format, "+s") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_STRUCT};
	if (strncmp(format, "d:", 2) == 0) return sheaf_arrow_decimal_type(format + 2);
	if (strncmp(format, "w:", 2) == 0) return with_width(SHEAF_IS_FIXED_BYTES, format + 2);
	if (strncmp(format, "+w:", 3) == 0) return with_width(SHEAF_IS_FIXED_LIST, format + 3);
	return time_type(format);
}

/* ---- metadata: an int32 of pairs, then lengths and texts ---- */

/* The text at *at, of *n bytes, which moves past it. */
static const char *next_text(const char **at, int32_t *n)
{
	memcpy(n, *at, sizeof *n);
	const char *text = *at + sizeof *n;
	*at = text + (*n > 0 ? *n : 0);
	return text;
}

const char *sheaf_arrow_metadata(const struct ArrowSchema *schema, const char *key, int32_t *n)
{
	int32_t pairs = 0, length;
	const char *at = schema->metadata;
	if (!at) return NULL;
	memcpy(&pairs, at, sizeof pairs);
	at += sizeof pairs;
	for (int32_t i = 0; i < pairs; i++) {
		const char *name = next_text(&at, &length), *text = next_text(&at, n);
		if ((size_t)length == strlen(key) && memcmp(name, key, (size_t)length) == 0) return text;
	}
	return NULL;
}

/* Whether the metadata say that the numbers mean more than their type does. */
static bool means(const struct ArrowSchema *schema, const char *meaning)
{
	int32_t n;
	const char *text = sheaf_arrow_metadata(schema, "sheaf.meaning", &n);
	return text && (size_t)n == strlen(meaning) && memcmp(text, meaning, (size_t)n) == 0;
}

/* ---- fields for columns ---- */

static bool is_number(const struct ArrowSchema *schema)
{
	return !schema->dictionary && sheaf_arrow_type_of(schema).class == SHEAF_IS_NUMBER;
}

static bool is_fixed_list(const struct ArrowSchema *schema)
{
	return !schema->dictionary && sheaf_arrow_type_of(schema).class == SHEAF_IS_FIXED_LIST &&
	       schema->n_children == 1 && is_number(schema->children[0]);
}

/* Whether the positions of a field are lists of entries: list<struct<index, value>>, both numbers, the index
 * an integer. */
static bool is_entries(const struct ArrowSchema *schema)
{
	if (schema->dictionary || sheaf_arrow_type_of(schema).class != SHEAF_IS_LIST || schema->n_children != 1)
		return false;
	const struct ArrowSchema *entry = schema->children[0];
	return sheaf_arrow_type_of(entry).class == SHEAF_IS_STRUCT && entry->n_children == 2 &&
	       is_number(entry->children[0]) && is_number(entry->children[1]) &&
	       sheaf_arrow_type_of(entry->children[0]).number < SHEAF_F32;
}

/* Refuses a column of a type that is not read. The message names the type as Arrow does, and in words where
 * such types are common. */
static sheaf_status refuse(const struct ArrowSchema *column, sheaf_error *err)
{
	static const struct {
		const char *format, *words;
	} others[] = {{"d:", ", decimals"},
	              {"ti", ", intervals"},
	              {"+m", ", maps"},
	              {"+u", ", unions"},
	              {"+r", ", runs of equal items"},
	              {"+v", ", views of lists"},
	              {"+s", ", rows of columns"},
	              {"+l", ", lists of other items"},
	              {"+L", ", lists of other items"}};
	const struct ArrowSchema *of = column->dictionary ? column->dictionary : column;
	const char *words = "";
	for (size_t i = 0; i < sizeof others / sizeof *others && of->format; i++)
		if (strncmp(of->format, others[i].format, 2) == 0) words = others[i].words;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "arrow column \"%s\": expected numbers, truth values, texts, bytes, dates, or lists of "
	                  "numbers, found %stype \"%s\"%s%s%s%s (the program that has written it can cast it to "
	                  "float64 or text, or leave it out)",
	                  column->name ? column->name : "", column->dictionary ? "a dictionary of " : "",
	                  of->format ? of->format : "", of->n_children > 0 ? " of \"" : "",
	                  of->n_children > 0 && of->children[0]->format ? of->children[0]->format : "",
	                  of->n_children > 0 ? "\"" : "", words);
}

/* The dim of sparse samples, as the metadata say; 0: they do not. */
static int64_t dim_of(const struct ArrowSchema *column)
{
	int32_t n;
	char digits[24] = "";
	const char *text = sheaf_arrow_metadata(column, "sheaf.dim", &n);
	if (text && n > 0 && (size_t)n < sizeof digits) memcpy(digits, text, (size_t)n);
	long long dim = strtoll(digits, NULL, 10);
	return dim > 0 ? dim : 0;
}

/* A dictionary is read if it holds texts, or items of one size; decimals that become texts are neither here.
 * Of nested types only those that a frame can be are read. */
sheaf_status sheaf_arrow_taking(const struct ArrowSchema *column, sheaf_taking *out, sheaf_error *err)
{
	const struct ArrowSchema *values = column->dictionary ? column->dictionary : column;
	sheaf_arrow_type type = sheaf_arrow_type_of(values);
	bool is_list = type.class == SHEAF_IS_LIST && column->n_children == 1;
	const struct ArrowSchema *item = is_list ? column->children[0] : NULL;
	*out = SHEAF_TAKE_ITEM;
	if (column->dictionary) {
		bool is_text = type.class == SHEAF_IS_DECIMAL && type.number == SHEAF_U8;
		bool may = type.class > SHEAF_IS_OTHER && type.class < SHEAF_IS_LIST &&
		           type.class != SHEAF_IS_NULLS && !is_text;
		return may ? SHEAF_OK : refuse(column, err);
	}
	if (is_fixed_list(column))
		*out = means(column, "complex") && type.width == 2 ? SHEAF_TAKE_COMPLEX : SHEAF_TAKE_VECTOR;
	else if (is_list && is_entries(item))
		*out = SHEAF_TAKE_SPARSE;
	else if (is_list && (is_number(item) || is_fixed_list(item)))
		*out = SHEAF_TAKE_DENSE;
	else if (is_list &&
	         sheaf_arrow_type_of(item->dictionary ? item->dictionary : item).class == SHEAF_IS_TEXT)
		*out = SHEAF_TAKE_TEXTS;
	else if (type.class == SHEAF_IS_OTHER || type.class >= SHEAF_IS_LIST)
		return refuse(column, err);
	if (*out != SHEAF_TAKE_SPARSE || dim_of(column)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "arrow column \"%s\": expected the dim of its sparse samples in the metadata "
	                  "\"sheaf.dim\" of the field, found none above 0",
	                  column->name ? column->name : "");
}

/* ---- fields ---- */

/* Whether entries of a field are missing. */
static bool misses(const sheaf_arrow_rows *rows, const struct ArrowSchema *field)
{
	return rows->misses && rows->misses(field);
}

static sheaf_missing missing_of(const sheaf_arrow_rows *rows, const struct ArrowSchema *field)
{
	return misses(rows, field) ? SHEAF_NULLABLE : SHEAF_NEVER;
}

/* Adds a field of lists of texts: texts of samples, beside streams. */
static sheaf_status add_texts(sheaf_schema *to, const sheaf_arrow_rows *rows,
                              const struct ArrowSchema *column, sheaf_error *err)
{
	sheaf_field *field;
	bool may_miss = column->children[0]->flags & ARROW_FLAG_NULLABLE;
	SHEAF_TRY(sheaf_schema_add(to, to->cx, column->name, strlen(column->name), &field, err));
	sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, may_miss);
	field->levels[1] = field->levels[0];
	field->levels[0] = (sheaf_level_shape){.kind = SHEAF_LIST, .missing = missing_of(rows, column)};
	field->nlevels = 2;
	return SHEAF_OK;
}

/* Adds a field of dense samples: a vector in each row, or lists of numbers or of fixed-size lists. A value
 * that may be missing gets a level of its own; a sample of one value that may be missing is the same as that.
 */
static sheaf_status add_dense(sheaf_schema *to, const sheaf_arrow_rows *rows,
                              const struct ArrowSchema *column, sheaf_error *err)
{
	bool is_vector = sheaf_arrow_type_of(column).class == SHEAF_IS_FIXED_LIST;
	const struct ArrowSchema *sample = is_vector ? column : column->children[0];
	sheaf_arrow_type type = sheaf_arrow_type_of(sample);
	bool is_list = type.class == SHEAF_IS_FIXED_LIST;
	const struct ArrowSchema *value = is_list ? sample->children[0] : sample;
	int64_t dim = is_list ? type.width : 1;
	bool may_miss = misses(rows, value) || (dim == 1 && misses(rows, sample));
	SHEAF_TRY(sheaf_schema_add_dense(to, column->name, dim, sheaf_arrow_type_of(value).number, err));
	sheaf_field *field = &to->fields[to->nfields - 1];
	if (!is_vector) field->levels[0].missing = missing_of(rows, column);
	if (is_list) field->levels[1].missing = missing_of(rows, sample);
	if (!may_miss) return SHEAF_OK;
	SHEAF_TRY(sheaf_schema_make_levels(to, field, 3, err));
	field->levels[2] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = 1, .missing = SHEAF_NULLABLE};
	field->nlevels = 3;
	return SHEAF_OK;
}

/* Whether entries of a field, or of one below it, are missing. */
static bool misses_below(const sheaf_arrow_rows *rows, const struct ArrowSchema *field)
{
	bool any = misses(rows, field);
	for (int64_t i = 0; !any && i < field->n_children; i++) any = misses_below(rows, field->children[i]);
	return any;
}

/* Adds a field of sparse samples. They have no place for what is missing: an entry that is not there is a
 * zero. */
static sheaf_status add_sparse(sheaf_schema *to, const sheaf_arrow_rows *rows,
                               const struct ArrowSchema *column, sheaf_error *err)
{
	const struct ArrowSchema *entry = column->children[0]->children[0];
	if (misses_below(rows, column))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "arrow column \"%s\": sparse samples with missing entries are not read (the "
		                  "program that has written it can fill nulls, or leave them out)",
		                  column->name);
	return sheaf_schema_add_sparse(to, column->name, dim_of(column),
	                               sheaf_arrow_type_of(entry->children[1]).number, err);
}

/* Adds a field of one item in each row: of a table, or beside streams. Half floats are read as floats, and a
 * column of nothing as doubles, all of which are missing. Keys of sequences are a column "key" of unsigned 64
 * bits without nulls. */
static sheaf_status add_item(sheaf_schema *to, const struct ArrowSchema *column, sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(column->dictionary ? column->dictionary : column);
	sheaf_missing missing = column->flags & ARROW_FLAG_NULLABLE ? SHEAF_NULLABLE : SHEAF_NEVER;
	bool is_key = column->name && strcmp(column->name, "key") == 0 && to->rows == SHEAF_SEQUENCES;
	sheaf_meaning meaning = SHEAF_NUMBER;
	sheaf_type number = type.number;
	switch (type.class) {
	case SHEAF_IS_TEXT: meaning = SHEAF_STRING, number = SHEAF_U8; break;
	case SHEAF_IS_BYTES: meaning = SHEAF_BYTES, number = SHEAF_U8; break;
	case SHEAF_IS_FIXED_BYTES: return sheaf_schema_add_bytes(to, column->name, type.width, missing, err);
	case SHEAF_IS_BITS: meaning = SHEAF_BOOL, number = SHEAF_U8; break;
	case SHEAF_IS_TIME:
		return sheaf_schema_add_times(to, column->name, type.meaning, type.digits, missing, err);
	case SHEAF_IS_HALF: number = SHEAF_F32; break;
	case SHEAF_IS_DECIMAL:
		if (number == SHEAF_U8) meaning = SHEAF_STRING;
		break;
	case SHEAF_IS_NULLS: number = SHEAF_F64, missing = SHEAF_NULLABLE; break;
	default: break;
	}
	if (means(column, "char") && type.class == SHEAF_IS_NUMBER && number == SHEAF_U8) meaning = SHEAF_CHAR;
	if (is_key && type.class == SHEAF_IS_NUMBER && number == SHEAF_U64 && missing == SHEAF_NEVER)
		return sheaf_schema_add_keys(to, err);
	return sheaf_schema_add_column(to, column->name, meaning, number, missing, err);
}

/* Arrow allows columns without a name, and two with the same one; nothing here could tell them apart. */
static sheaf_status check_name(sheaf_schema *to, const struct ArrowSchema *column, sheaf_error *err)
{
	int found;
	if (!column->name || !*column->name)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "arrow column %d: expected a name, found none (the program that has written it can "
		                  "give it one)",
		                  to->nfields);
	SHEAF_TRY(sheaf_schema_look_up(to, column->name, &found, err));
	if (found < 0) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "arrow column \"%s\": expected each name once, found two columns of it", column->name);
}

/* Adds the field that a column becomes. Lists of texts are neither items of a table nor samples of a stream,
 * so that they need some other column to have samples. */
static sheaf_status take_column(sheaf_schema *to, const sheaf_arrow_rows *rows,
                                const struct ArrowSchema *column, sheaf_error *err)
{
	sheaf_taking taking;
	SHEAF_TRY(check_name(to, column, err));
	SHEAF_TRY(sheaf_arrow_taking(column, &taking, err));
	switch (taking) {
	case SHEAF_TAKE_DENSE:
	case SHEAF_TAKE_VECTOR: return add_dense(to, rows, column, err);
	case SHEAF_TAKE_SPARSE: return add_sparse(to, rows, column, err);
	case SHEAF_TAKE_COMPLEX:
		return sheaf_schema_add_column(
			to, column->name, SHEAF_COMPLEX, sheaf_arrow_type_of(column->children[0]).number,
			column->flags & ARROW_FLAG_NULLABLE ? SHEAF_NULLABLE : SHEAF_NEVER, err);
	case SHEAF_TAKE_TEXTS:
		if (to->rows != SHEAF_CELLS) return add_texts(to, rows, column, err);
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "arrow column \"%s\": expected lists of texts beside lists of numbers, found no "
		                  "lists of numbers, so rows are those of a table, in which an item is one text (the "
		                  "program that has written the file can join the texts of each list)",
		                  column->name);
	case SHEAF_TAKE_ITEM: break;
	}
	return add_item(to, column, err);
}

/* Whether rows are sequences is known only after all columns were looked at, so that they are gone through
 * twice. */
sheaf_status sheaf_arrow_take_schema(const sheaf_arrow_rows *rows, sheaf_schema *out, sheaf_error *err)
{
	sheaf_taking taking;
	sheaf_error why;
	const struct ArrowSchema *all = rows->schema;
	if (sheaf_arrow_type_of(all).class != SHEAF_IS_STRUCT)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "arrow: expected rows, a struct of columns, found \"%s\"",
		                  all->format);
	out->rows = SHEAF_CELLS;
	for (int64_t i = 0; i < all->n_children; i++) {
		sheaf_status status = sheaf_arrow_taking(all->children[i], &taking, NULL);
		if (status == SHEAF_OK && taking <= SHEAF_TAKE_SPARSE) out->rows = SHEAF_SEQUENCES;
	}
	for (int64_t i = 0; i < all->n_children; i++) {
		sheaf_status status = take_column(out, rows, all->children[i], &why);
		if (status == SHEAF_UNSUPPORTED && rows->leave) status = rows->leave(rows->user, i, &why, &why);
		if (status) return sheaf_fail_again(err, &why);
	}
	sheaf_schema_name_losses(out);
	return SHEAF_OK;
}
