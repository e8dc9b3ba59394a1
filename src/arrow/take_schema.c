/* SPDX-License-Identifier: MIT */
/* What Arrow's types mean, and the fields that they become. Arrow's types are texts (format strings of the C
 * data interface); its columns may be lists of lists of anything, of which only what a frame can be is taken:
 *
 *   numbers, texts, bytes, times, truth values               items of a table
 *   lists of numbers, or of fixed-size lists of them         dense samples of sequences
 *   lists of lists of structs of an index and a value        sparse samples
 *   other lists, of items or of lists                        nested columns, beside streams if there are any
 *   structs                                                  their children, with dotted names
 *
 * If some column has lists, all rows are sequences. */
#include "arrow/arrow.h"
#include "arrow/take.h"
#include "base/buffer.h"
#include "base/context.h"
#include "base/extend.h"
#include "base/status.h"
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
	case 'e': return (sheaf_arrow_type){.class = SHEAF_IS_HALF, .number = SHEAF_F32};
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
	if (strcmp(format, "+vl") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_LIST_VIEW, .small = true};
	if (strcmp(format, "+vL") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_LIST_VIEW};
	if (strcmp(format, "+r") == 0) return (sheaf_arrow_type){.class = SHEAF_IS_RUNS};
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
	sheaf_arrow_class class = sheaf_arrow_type_of(schema).class;
	return !schema->dictionary && (class == SHEAF_IS_NUMBER || class == SHEAF_IS_HALF);
}

bool sheaf_arrow_is_struct(const struct ArrowSchema *field)
{
	return !field->dictionary && sheaf_arrow_type_of(field).class == SHEAF_IS_STRUCT && field->n_children > 0;
}

const struct ArrowSchema *sheaf_arrow_values_of(const struct ArrowSchema *column)
{
	bool runs = sheaf_arrow_type_of(column).class == SHEAF_IS_RUNS && column->n_children == 2;
	return column->dictionary ? column->dictionary : runs ? column->children[1] : column;
}

static bool is_integer(const struct ArrowSchema *schema)
{
	return !schema->dictionary && sheaf_arrow_type_of(schema).class == SHEAF_IS_NUMBER &&
	       sheaf_arrow_type_of(schema).number < SHEAF_F32;
}

/* Whether a position of the field is one item. What is looked up, in a dictionary, by runs or in the child of
 * a list view, is a text, or has one size; decimals that become texts are neither here. */
static bool is_item(const struct ArrowSchema *schema, bool looked_up)
{
	const struct ArrowSchema *values = sheaf_arrow_values_of(schema);
	sheaf_arrow_type type = sheaf_arrow_type_of(values);
	bool may = type.class > SHEAF_IS_OTHER && type.class < SHEAF_IS_LIST;
	if (values == schema && !looked_up) return may;
	if (values != schema && (looked_up || values->dictionary)) return false;
	if (!schema->dictionary && values != schema && !is_integer(schema->children[0])) return false;
	bool is_text = type.class == SHEAF_IS_DECIMAL && type.number == SHEAF_U8;
	return may && type.class != SHEAF_IS_NULLS && !is_text;
}

static bool is_list(const struct ArrowSchema *schema)
{
	sheaf_arrow_class class = sheaf_arrow_type_of(schema).class;
	return !schema->dictionary && schema->n_children == 1 &&
	       (class == SHEAF_IS_LIST || class == SHEAF_IS_LIST_VIEW || class == SHEAF_IS_FIXED_LIST);
}

/* Whether a field is lists, or lists of lists, of items. */
static bool is_nested(const struct ArrowSchema *schema)
{
	enum { LISTS = SHEAF_MAX_LEVELS - 2 };
	bool looked_up = false;
	int depth = 0;
	for (; is_list(schema) && depth < LISTS && !looked_up; depth++) {
		looked_up = sheaf_arrow_type_of(schema).class == SHEAF_IS_LIST_VIEW;
		schema = schema->children[0];
	}
	return depth > 0 && is_item(schema, looked_up);
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
	       is_integer(entry->children[0]) && is_number(entry->children[1]) &&
	       sheaf_arrow_type_of(entry->children[1]).class == SHEAF_IS_NUMBER;
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
	              {"+r", ", runs of other items"},
	              {"+v", ", views of other items"},
	              {"+s", ", a struct without fields"},
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

/* Of nested types only those that a frame can be are read. */
sheaf_status sheaf_arrow_taking(const struct ArrowSchema *column, sheaf_taking *out, sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(column);
	const struct ArrowSchema *item = is_list(column) ? column->children[0] : NULL;
	bool lists = item && type.class == SHEAF_IS_LIST;
	*out = SHEAF_TAKE_ITEM;
	if (is_fixed_list(column))
		*out = means(column, "complex") && type.width == 2 ? SHEAF_TAKE_COMPLEX : SHEAF_TAKE_VECTOR;
	else if (lists && is_entries(item))
		*out = SHEAF_TAKE_SPARSE;
	else if ((lists && is_fixed_list(item)) || (item && type.class != SHEAF_IS_FIXED_LIST && is_number(item)))
		*out = SHEAF_TAKE_DENSE;
	else if (is_nested(column))
		*out = SHEAF_TAKE_NESTED;
	else if (!is_item(column, false))
		return refuse(column, err);
	if (*out != SHEAF_TAKE_SPARSE || dim_of(column)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "arrow column \"%s\": expected the dim of its sparse samples in the metadata "
	                  "\"sheaf.dim\" of the field, found none above 0",
	                  column->name ? column->name : "");
}

bool sheaf_arrow_is_left_out(const struct ArrowSchema *column)
{
	sheaf_taking taking;
	sheaf_status status = sheaf_arrow_taking(column, &taking, NULL);
	return status != SHEAF_OK && !sheaf_arrow_is_struct(column);
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

/* Adds a field of items of one type: of a table, or beside streams, or what lists of them end in. Half floats
 * are read as floats, and a column of nothing as doubles, all of which are missing. */
static sheaf_status add_item(sheaf_schema *to, const struct ArrowSchema *column, const char *name,
                             sheaf_error *err)
{
	const struct ArrowSchema *values = sheaf_arrow_values_of(column);
	sheaf_arrow_type type = sheaf_arrow_type_of(values);
	bool by_runs = values != column && !column->dictionary;
	int64_t flags = column->flags | (by_runs ? values->flags : 0);
	sheaf_missing missing = flags & ARROW_FLAG_NULLABLE ? SHEAF_NULLABLE : SHEAF_NEVER;
	sheaf_meaning meaning = SHEAF_NUMBER;
	sheaf_type number = type.number;
	switch (type.class) {
	case SHEAF_IS_TEXT: meaning = SHEAF_STRING, number = SHEAF_U8; break;
	case SHEAF_IS_BYTES: meaning = SHEAF_BYTES, number = SHEAF_U8; break;
	case SHEAF_IS_FIXED_BYTES: return sheaf_schema_add_bytes(to, name, type.width, missing, err);
	case SHEAF_IS_BITS: meaning = SHEAF_BOOL, number = SHEAF_U8; break;
	case SHEAF_IS_TIME: return sheaf_schema_add_times(to, name, type.meaning, type.digits, missing, err);
	case SHEAF_IS_DECIMAL:
		if (number == SHEAF_U8) meaning = SHEAF_STRING;
		break;
	case SHEAF_IS_NULLS: number = SHEAF_F64, missing = SHEAF_NULLABLE; break;
	default: break;
	}
	if (means(column, "char") && type.class == SHEAF_IS_NUMBER && number == SHEAF_U8) meaning = SHEAF_CHAR;
	return sheaf_schema_add_column(to, name, meaning, number, missing, err);
}

/* Keys of sequences are a column "key" of unsigned 64 bits without nulls. */
static bool is_key(const sheaf_schema *to, const struct ArrowSchema *column)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(column);
	return strcmp(column->name, "key") == 0 && to->rows == SHEAF_SEQUENCES && !column->dictionary &&
	       type.class == SHEAF_IS_NUMBER && type.number == SHEAF_U64 &&
	       !(column->flags & ARROW_FLAG_NULLABLE);
}

/* Adds a field of lists: a level for each, above the levels of the items. */
static sheaf_status add_nested(sheaf_schema *to, const struct ArrowSchema *column, sheaf_error *err)
{
	int lists = 0;
	const struct ArrowSchema *item = column;
	for (; is_list(item); item = item->children[0]) lists++;
	SHEAF_TRY(add_item(to, item, column->name, err));
	sheaf_field *field = &to->fields[to->nfields - 1];
	SHEAF_TRY(sheaf_schema_make_levels(to, field, lists + field->nlevels, err));
	memmove(field->levels + lists, field->levels, (size_t)field->nlevels * sizeof *field->levels);
	field->nlevels += lists;
	for (int l = 0; l < lists; l++, column = column->children[0]) {
		bool fixed = sheaf_arrow_type_of(column).class == SHEAF_IS_FIXED_LIST;
		field->levels[l] = (sheaf_level_shape){
			.kind = fixed ? SHEAF_FIXED : SHEAF_LIST,
			.missing = column->flags & ARROW_FLAG_NULLABLE ? SHEAF_NULLABLE : SHEAF_NEVER,
			.extent = fixed ? sheaf_arrow_type_of(column).width : 0};
	}
	return SHEAF_OK;
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

/* Adds the field that a column becomes. */
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
	case SHEAF_TAKE_NESTED: return add_nested(to, column, err);
	case SHEAF_TAKE_ITEM: break;
	}
	return is_key(to, column) ? sheaf_schema_add_keys(to, err) : add_item(to, column, column->name, err);
}

/* Whether lists are among the columns, so that rows are sequences. */
static bool has_lists(const struct ArrowSchema *rows)
{
	sheaf_taking taking;
	bool any = false;
	for (int64_t i = 0; !any && i < rows->n_children; i++) {
		const struct ArrowSchema *column = rows->children[i];
		sheaf_status status = sheaf_arrow_taking(column, &taking, NULL);
		bool one = status || taking == SHEAF_TAKE_ITEM || taking == SHEAF_TAKE_COMPLEX;
		any = sheaf_arrow_is_struct(column) ? has_lists(column) : !one;
	}
	return any;
}

/* Leaves a column out. */
static sheaf_status leave_out(const sheaf_arrow_rows *rows, sheaf_context *cx, const sheaf_error *why,
                              sheaf_error *err)
{
	sheaf_finding finding = SHEAF_FINDING(SHEAF_WARNING, "column left out", "columns that can be read",
	                                      why->message, "it is left out", SHEAF_UNSUPPORTED);
	sheaf_problem problem = sheaf_problem_in(rows->name, &finding);
	return sheaf_report(cx, &problem, err);
}

/* Adds the fields of the children of `above`: the rows, or a struct, whose name and a dot come before those
 * of its own. Where a struct is missing, all in it is. *left becomes why the last one was left out. */
static sheaf_status take_columns(sheaf_schema *to, const sheaf_arrow_rows *rows,
                                 const struct ArrowSchema *above, const char *prefix, sheaf_error *left,
                                 sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder name = {.cx = to->cx};
	sheaf_error why;
	for (int64_t i = 0; i < above->n_children; i++) {
		struct ArrowSchema column = *above->children[i];
		name.size = 0;
		sheaf_builder_text(&name, prefix);
		if (above != rows->schema) sheaf_builder_byte(&name, '.');
		sheaf_builder_text(&name, column.name ? column.name : "");
		sheaf_builder_byte(&name, '\0');
		SHEAF_TRY(sheaf_builder_status(&name, err));
		column.name = (const char *)name.data;
		column.flags |= above->flags & ARROW_FLAG_NULLABLE;
		sheaf_status status = sheaf_arrow_is_struct(&column)
		                          ? take_columns(to, rows, &column, column.name, left, &why)
		                          : take_column(to, rows, &column, &why);
		if (status == SHEAF_UNSUPPORTED) *left = why, status = leave_out(rows, to->cx, left, &why);
		if (status) return sheaf_fail_again(err, &why);
	}
	return SHEAF_OK;
}

/* Whether rows are sequences is known only after all columns were looked at, so that they are gone through
 * twice. */
sheaf_status sheaf_arrow_take_schema(const sheaf_arrow_rows *rows, sheaf_schema *out, sheaf_error *err)
{
	sheaf_error left = {0};
	struct ArrowSchema all = *rows->schema;
	sheaf_arrow_rows given = *rows;
	if (sheaf_arrow_type_of(&all).class != SHEAF_IS_STRUCT)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "arrow: expected rows, a struct of columns, found \"%s\"",
		                  all.format);
	all.flags = 0; /* rows are there, whatever a program says */
	given.schema = &all;
	out->rows = has_lists(&all) ? SHEAF_SEQUENCES : SHEAF_CELLS;
	SHEAF_TRY(take_columns(out, &given, &all, "", &left, err));
	sheaf_schema_name_losses(out);
	if (out->nfields) return SHEAF_OK;
	static const char none[] = "%s: schema: there is no column that can be read";
	return left.status ? sheaf_fail_within(err, &left, none, rows->name)
	                   : sheaf_fail(err, SHEAF_UNSUPPORTED, none, rows->name);
}
