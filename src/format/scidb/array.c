/* SPDX-License-Identifier: MIT */
/* Array schemas as lists, and their text. */
#include "format/scidb/array.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- the lists ---- */

static void free_attribute(sheaf_context *cx, sheaf_scidb_attribute *a)
{
	sheaf_release_text(cx, a->name);
	sheaf_release_text(cx, a->usual);
	sheaf_release_text(cx, a->compression);
}

void sheaf_scidb_array_free(sheaf_scidb_array *array)
{
	for (int i = 0; i < array->nattributes; i++) free_attribute(array->cx, &array->attributes[i]);
	for (int i = 0; i < array->ndimensions; i++) sheaf_release_text(array->cx, array->dimensions[i].name);
	if (array->attributes)
		sheaf_release(array->cx, array->attributes,
		              (size_t)array->attribute_room * sizeof *array->attributes);
	if (array->dimensions)
		sheaf_release(array->cx, array->dimensions,
		              (size_t)array->dimension_room * sizeof *array->dimensions);
	if (array->name) sheaf_release_text(array->cx, array->name);
	*array = (sheaf_scidb_array){0};
}

/* Room for one more of `size` bytes. */
static sheaf_status make_room(sheaf_context *cx, void **list, int count, int *room, size_t size,
                              sheaf_error *err)
{
	int more = *room ? 2 * *room : 4;
	if (count < *room) return SHEAF_OK;
	SHEAF_TRY(sheaf_reallocate(cx, list, (size_t)*room * size, (size_t)more * size, err));
	*room = more;
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_array_add(sheaf_scidb_array *array, sheaf_context *cx, sheaf_bytes name,
                                   const sheaf_scidb_type *type, bool nullable, sheaf_error *err)
{
	char *copy;
	void *list = array->attributes;
	array->cx = cx;
	sheaf_status status =
		make_room(cx, &list, array->nattributes, &array->attribute_room, sizeof *array->attributes, err);
	array->attributes = (sheaf_scidb_attribute *)list;
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_copy_text(cx, (const char *)name.data, name.size, &copy, err));
	array->attributes[array->nattributes++] = (sheaf_scidb_attribute){copy, type, nullable, NULL, NULL, -1};
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_array_add_dimension(sheaf_scidb_array *array, sheaf_context *cx, const char *name,
                                             size_t n, sheaf_scidb_dimension **out, sheaf_error *err)
{
	char *copy;
	void *list = array->dimensions;
	array->cx = cx;
	sheaf_status status =
		make_room(cx, &list, array->ndimensions, &array->dimension_room, sizeof *array->dimensions, err);
	array->dimensions = (sheaf_scidb_dimension *)list;
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_copy_text(cx, name, n, &copy, err));
	*out = &array->dimensions[array->ndimensions++];
	**out = (sheaf_scidb_dimension){copy, 0, SCIDB_MOST_COORDINATE, 0, 0, 0, '*', '*'};
	return SHEAF_OK;
}

/* ---- from one to the other ---- */

sheaf_status sheaf_scidb_array_from_entries(sheaf_scidb_array *array, const sheaf_scidb_entries *entries,
                                            sheaf_context *cx, sheaf_error *err)
{
	char name[16];
	for (int i = 0; i < entries->count; i++) {
		const sheaf_scidb_entry *entry = &entries->list[i];
		if (!entry->type) continue;
		int n = snprintf(name, sizeof name, "a%d", entry->attribute);
		SHEAF_TRY(sheaf_scidb_array_add(array, cx, (sheaf_bytes){(const uint8_t *)name, (size_t)n},
		                                entry->type, entry->nullable, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_entries_from_array(sheaf_scidb_entries *entries, const sheaf_scidb_array *array,
                                            sheaf_context *cx, sheaf_error *err)
{
	for (int i = 0; i < array->nattributes; i++) {
		const sheaf_scidb_attribute *a = &array->attributes[i];
		SHEAF_TRY(sheaf_scidb_entries_add(entries, cx,
		                                  (sheaf_scidb_entry){a->type, a->type->size, a->nullable, -1}, err));
	}
	return SHEAF_OK;
}

/* ---- text ---- */

static bool is_plain_name(const char *name)
{
	static const char *const keywords[] = {"null", "not",    "default", "compression", "reserve", "array",
	                                       "as",   "create", "from",    "select",      "where"};
	for (const char *c = name; *c; c++) {
		bool letter = ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') || *c == '_' || *c == '$';
		if (!letter && (c == name || *c < '0' || *c > '9')) return false;
	}
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strcasecmp(name, keywords[i]) == 0) return false;
	return *name != '\0';
}

void sheaf_scidb_name_text(const char *name, sheaf_builder *b)
{
	bool plain = is_plain_name(name);
	if (!plain) sheaf_builder_byte(b, '"');
	sheaf_builder_text(b, name);
	if (!plain) sheaf_builder_byte(b, '"');
}

static void put_attribute(const sheaf_scidb_attribute *a, bool says_null, sheaf_builder *b)
{
	sheaf_scidb_name_text(a->name, b);
	sheaf_builder_printf(b, ":%s%s", a->type->name, !a->nullable ? " NOT NULL" : says_null ? " NULL" : "");
	if (a->usual) {
		sheaf_builder_text(b, " DEFAULT ");
		sheaf_builder_text(b, a->usual);
	}
	if (a->compression) {
		sheaf_builder_text(b, " COMPRESSION ");
		sheaf_builder_text(b, a->compression);
	}
	if (a->reserve >= 0) sheaf_builder_printf(b, " RESERVE %" PRId64, a->reserve);
}

static void put_bound(int64_t number, char mark, sheaf_builder *b)
{
	if (mark)
		sheaf_builder_byte(b, mark);
	else
		sheaf_builder_printf(b, "%" PRId64, number);
}

static void put_dimension(const sheaf_scidb_dimension *d, sheaf_builder *b)
{
	sheaf_scidb_name_text(d->name, b);
	sheaf_builder_byte(b, '=');
	put_bound(d->low, d->low_mark, b);
	sheaf_builder_byte(b, ':');
	put_bound(d->high, d->high_mark, b);
	sheaf_builder_printf(b, ":%" PRId64 ":", d->overlap);
	put_bound(d->chunk, d->chunk_mark, b);
}

void sheaf_scidb_array_text(const sheaf_scidb_array *array, bool dimension, sheaf_builder *b)
{
	static const sheaf_scidb_dimension usual = {(char *)(uintptr_t) "i", 0, 0, 0, 0, 0, '*', '*'};
	for (int i = 0; i < array->nattributes; i++) {
		sheaf_builder_byte(b, i ? ',' : '<');
		put_attribute(&array->attributes[i], array->says_null, b);
	}
	sheaf_builder_byte(b, '>');
	if (array->ndimensions == 0 && !dimension) return;
	sheaf_builder_text(b, " [");
	if (array->ndimensions == 0) put_dimension(&usual, b);
	for (int i = 0; i < array->ndimensions; i++) {
		if (i) sheaf_builder_text(b, "; ");
		put_dimension(&array->dimensions[i], b);
	}
	sheaf_builder_byte(b, ']');
}
