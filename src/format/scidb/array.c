/* SPDX-License-Identifier: MIT */
/* Array schemas as lists of attributes and dimensions, and their text in the form in which the server's
 * show() prints it: all parts of a dimension, and in quotes every name that would be read as something else.
 */
#include "format/scidb/array.h"
#include "base/memory.h"
#include "format/scidb/text.h"
#include <inttypes.h>
#include <string.h>

/* ---- the lists ---- */

/* Leaves an empty array without a context. */
void sheaf_scidb_array_free(sheaf_scidb_array *array)
{
	for (int i = 0; i < array->nattributes; i++) {
		sheaf_release_text(array->cx, array->attributes[i].name);
		sheaf_release_text(array->cx, array->attributes[i].usual);
		sheaf_release_text(array->cx, array->attributes[i].compression);
	}
	for (int i = 0; i < array->ndimensions; i++) sheaf_release_text(array->cx, array->dimensions[i].name);
	sheaf_release(array->cx, array->attributes, (size_t)array->attribute_room * sizeof *array->attributes);
	sheaf_release(array->cx, array->dimensions, (size_t)array->dimension_room * sizeof *array->dimensions);
	sheaf_release_text(array->cx, array->name);
	*array = (sheaf_scidb_array){0};
}

sheaf_status sheaf_scidb_array_add(sheaf_scidb_array *array, sheaf_name name, const sheaf_scidb_type *type,
                                   bool nullable, sheaf_error *err)
{
	char *copy;
	SHEAF_TRY(sheaf_scidb_make_room(array->cx, &array->attributes, array->nattributes, &array->attribute_room,
	                                sizeof *array->attributes, err));
	SHEAF_TRY(sheaf_copy_text(array->cx, name.text, name.size, &copy, err));
	array->attributes[array->nattributes++] = (sheaf_scidb_attribute){copy, type, nullable, NULL, NULL, -1};
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_array_add_dimension(sheaf_scidb_array *array, sheaf_name name,
                                             sheaf_scidb_dimension **out, sheaf_error *err)
{
	char *copy;
	SHEAF_TRY(sheaf_scidb_make_room(array->cx, &array->dimensions, array->ndimensions, &array->dimension_room,
	                                sizeof *array->dimensions, err));
	SHEAF_TRY(sheaf_copy_text(array->cx, name.text, name.size, &copy, err));
	*out = &array->dimensions[array->ndimensions++];
	**out = (sheaf_scidb_dimension){copy, 0, SCIDB_MOST_COORDINATE, 0, 0, 0, '*', '*'};
	return SHEAF_OK;
}

/* ---- text ---- */

/* A name is in quotes unless it is a word, and none that the server's languages reserve. */
static void put_name(const char *name, sheaf_builder *b)
{
	static const char *const keywords[] = {"null", "not",    "default", "compression", "reserve", "array",
	                                       "as",   "create", "from",    "select",      "where"};
	bool plain = *name && !sheaf_scidb_is_digit(*name);
	for (const char *c = name; *c; c++) plain &= sheaf_scidb_is_of_word(*c, true);
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		plain &= !sheaf_scidb_word_is((sheaf_name){name, strlen(name)}, keywords[i]);
	sheaf_builder_printf(b, plain ? "%s" : "\"%s\"", name);
}

/* A number, or its mark and what separates it from the one before. */
static void put_bound(char separator, int64_t number, char mark, sheaf_builder *b)
{
	sheaf_builder_byte(b, separator);
	if (mark)
		sheaf_builder_byte(b, mark);
	else
		sheaf_builder_printf(b, "%" PRId64, number);
}

/* NULL is written only where an attribute without it would not be nullable. */
void sheaf_scidb_array_text(const sheaf_scidb_array *array, bool dimension, sheaf_builder *b)
{
	static const sheaf_scidb_dimension usual = {(char *)(uintptr_t) "i", 0, 0, 0, 0, 0, '*', '*'};
	int dimensions = array->ndimensions ? array->ndimensions : dimension;
	for (int i = 0; i < array->nattributes; i++) {
		sheaf_builder_byte(b, i ? ',' : '<');
		const sheaf_scidb_attribute *a = &array->attributes[i];
		const char *clause = !a->nullable ? " NOT NULL" : array->says_null ? " NULL" : "";
		put_name(a->name, b);
		sheaf_builder_printf(b, ":%s%s", a->type->name, clause);
		if (a->usual) sheaf_builder_printf(b, " DEFAULT %s", a->usual);
		if (a->compression) sheaf_builder_printf(b, " COMPRESSION %s", a->compression);
		if (a->reserve >= 0) sheaf_builder_printf(b, " RESERVE %" PRId64, a->reserve);
	}
	sheaf_builder_byte(b, '>');
	for (int i = 0; i < dimensions; i++) {
		const sheaf_scidb_dimension *d = array->ndimensions ? &array->dimensions[i] : &usual;
		sheaf_builder_text(b, i ? "; " : " [");
		put_name(d->name, b);
		put_bound('=', d->low, d->low_mark, b);
		put_bound(':', d->high, d->high_mark, b);
		put_bound(':', d->overlap, '\0', b);
		put_bound(':', d->chunk, d->chunk_mark, b);
	}
	if (dimensions) sheaf_builder_byte(b, ']');
}
