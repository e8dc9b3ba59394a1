/* SPDX-License-Identifier: MIT */
/* Where the entries of a format string are in a cell, which attributes they become, and what the columns
 * are.
 *
 *     (int64, string null, double)
 *
 *     | int64 | null byte | count | text ... | double |
 *     '----- gap 0 -------'                  '- gap 1 '
 *
 * The bytes between two counted entries are the same in each cell, so the place of an entry is where the
 * counted entry before it ends, plus an offset. */
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/scidb.h"
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

void sheaf_scidb_layout_free(sheaf_scidb_layout *layout)
{
	sheaf_release(layout->cx, layout->items, (size_t)layout->count * sizeof *layout->items);
	sheaf_release(layout->cx, layout->gaps, ((size_t)layout->counted + 1) * sizeof *layout->gaps);
	*layout = (sheaf_scidb_layout){0};
}

/* The type of the attribute. When cells are written, a column of bytes can become any type of a plugin: their
 * number is checked for each cell. */
static sheaf_status bind_item(sheaf_scidb_item *item, const sheaf_scidb_attribute *attribute, bool writes,
                              sheaf_error *err)
{
	const sheaf_scidb_type *entry = item->entry.type, *type = item->type = attribute->type;
	bool bytes =
		writes && type->kind == SCIDB_BINARY && (entry->kind == SCIDB_BINARY || entry->kind == SCIDB_USER);
	item->nullable = attribute->nullable;
	item->converts = type != entry && !bytes;
	if (!item->converts || (writes ? sheaf_scidb_converts(type, entry) : sheaf_scidb_converts(entry, type)))
		return SHEAF_OK;
	if (writes)
		return sheaf_fail_option(
			err, SHEAF_UNSUPPORTED, "format-string",
			": entry %d: expected a type that column \"%s\" of type %s can become, found %s",
			item->number + 1, attribute->name, type->name, entry->name);
	return sheaf_fail_option(err, SHEAF_USAGE, "format-string",
	                         ": entry %d: expected a type that the server converts into that of attribute "
	                         "\"%s\", %s, found %s",
	                         item->number + 1, attribute->name, type->name, entry->name);
}

/* The sums cannot overflow: parsing the entries has checked that. */
sheaf_status sheaf_scidb_layout_make(sheaf_scidb_layout *layout, const sheaf_scidb_entries *entries,
                                     const sheaf_scidb_array *array, bool writes, sheaf_error *err)
{
	int counted = 0;
	int64_t offset = 0;
	for (int i = 0; i < entries->count; i++) counted += entries->list[i].size == 0;
	*layout = (sheaf_scidb_layout){.cx = entries->cx, .cell_bytes = entries->cell_bytes};
	SHEAF_TRY(sheaf_allocate_array(layout->cx, (uint64_t)entries->count, sizeof *layout->items,
	                               &layout->items, err));
	layout->count = entries->count;
	SHEAF_TRY(
		sheaf_allocate_array(layout->cx, (uint64_t)counted + 1, sizeof *layout->gaps, &layout->gaps, err));
	layout->counted = counted;
	for (int i = 0, base = 0; i < entries->count; i++) {
		const sheaf_scidb_entry *entry = &entries->list[i];
		sheaf_scidb_item *item = &layout->items[i];
		*item = (sheaf_scidb_item){.entry = *entry,
		                           .number = i,
		                           .column = entry->attribute,
		                           .base = base,
		                           .offset = offset,
		                           .nullable = entry->nullable};
		if (item->column >= 0)
			SHEAF_TRY(bind_item(item, &array->attributes[item->column], writes, err));
		offset += (entry->nullable ? 1 : 0) + entry->size;
		layout->gaps[base] = offset;
		if (entry->size) continue;
		layout->gaps[++base] = 0;
		offset = 0;
	}
	return SHEAF_OK;
}

/* ---- columns ---- */

/* What a field is for each kind of type. A width below 0 is any number of bytes. */
static const struct {
	sheaf_meaning meaning;
	sheaf_type type;
	int64_t width;
} shapes[] = {
	[SCIDB_BOOL] = {SHEAF_BOOL, SHEAF_U8, 1},          [SCIDB_CHAR] = {SHEAF_CHAR, SHEAF_U8, 1},
	[SCIDB_INT8] = {SHEAF_NUMBER, SHEAF_I8, 1},        [SCIDB_INT16] = {SHEAF_NUMBER, SHEAF_I16, 1},
	[SCIDB_INT32] = {SHEAF_NUMBER, SHEAF_I32, 1},      [SCIDB_INT64] = {SHEAF_NUMBER, SHEAF_I64, 1},
	[SCIDB_UINT8] = {SHEAF_NUMBER, SHEAF_U8, 1},       [SCIDB_UINT16] = {SHEAF_NUMBER, SHEAF_U16, 1},
	[SCIDB_UINT32] = {SHEAF_NUMBER, SHEAF_U32, 1},     [SCIDB_UINT64] = {SHEAF_NUMBER, SHEAF_U64, 1},
	[SCIDB_FLOAT] = {SHEAF_NUMBER, SHEAF_F32, 1},      [SCIDB_DOUBLE] = {SHEAF_NUMBER, SHEAF_F64, 1},
	[SCIDB_DATETIME] = {SHEAF_DATETIME, SHEAF_I64, 1}, [SCIDB_DATETIMETZ] = {SHEAF_DATETIMETZ, SHEAF_I64, 2},
	[SCIDB_STRING] = {SHEAF_STRING, SHEAF_U8, -1},     [SCIDB_BINARY] = {SHEAF_BYTES, SHEAF_U8, -1},
	[SCIDB_INDICATOR] = {SHEAF_BOOL, SHEAF_U8, 1},     [SCIDB_COMPLEX] = {SHEAF_COMPLEX, SHEAF_F64, 2},
	[SCIDB_USER] = {SHEAF_BYTES, SHEAF_U8, -1},
};
enum { KINDS = sizeof shapes / sizeof *shapes };

/* Only bytes have a width of their own: that of the type, or of the entry. */
void sheaf_scidb_make_field(sheaf_field *field, const sheaf_scidb_type *type, int64_t width, bool nullable)
{
	int64_t usual = shapes[type->kind].width;
	bool bytes = shapes[type->kind].meaning == SHEAF_BYTES;
	sheaf_field_make_cell(field, shapes[type->kind].meaning, shapes[type->kind].type,
	                      bytes && type->size ? type->size
	                      : bytes && width    ? width
	                                          : usual,
	                      nullable);
}

/* Dates, texts and truth values have one type whatever the numbers are by which a column stores them. A
 * coordinate is as wide as the server's coordinates are. */
const sheaf_scidb_type *sheaf_scidb_type_for(const sheaf_field *field)
{
	bool alone = field->nlevels == 0 || (field->nlevels == 1 && field->levels[0].kind == SHEAF_FIXED &&
	                                     field->levels[0].extent == 1),
		 number = field->meaning == SHEAF_NUMBER,
		 text = field->meaning == SHEAF_STRING || field->meaning == SHEAF_BYTES;
	if (field->meaning == SHEAF_COORDINATE) return sheaf_scidb_type_of(SCIDB_INT64);
	if ((number && !alone) || (text && field->nlevels != 1)) return NULL;
	for (int k = 0; k < KINDS; k++)
		if (shapes[k].meaning == field->meaning &&
		    (shapes[k].type == field->type || !(number || field->meaning == SHEAF_COMPLEX)))
			return sheaf_scidb_type_of((sheaf_scidb_kind)k);
	return NULL;
}

/* ---- options ---- */

/* An attribute that no schema names is a0, a1, ... by the number of its entry among those that are not
 * skipped. Without a format string each attribute has the entry that holds it unchanged. */
sheaf_status sheaf_scidb_read_options(const sheaf_values *values, sheaf_scidb_types *types,
                                      sheaf_scidb_entries *entries, sheaf_scidb_array *array,
                                      sheaf_error *err)
{
	char name[32];
	const char *format = sheaf_values_text(values, "format-string"),
			   *schema = sheaf_values_text(values, "schema");
	array->cx = entries->cx = types->cx;
	array->says_null = schema && sheaf_values_flag(values, "not-null-default");
	SHEAF_TRY(sheaf_scidb_types_declare(types, values, err));
	if (schema) SHEAF_TRY(sheaf_scidb_array_read(array, schema, types, err));
	if (format) SHEAF_TRY(sheaf_scidb_entries_read(entries, format, types, err));
	for (int i = 0; i < entries->count && !schema; i++) {
		const sheaf_scidb_entry *entry = &entries->list[i];
		if (!entry->type) continue;
		int n = snprintf(name, sizeof name, "a%d", entry->attribute);
		SHEAF_TRY(
			sheaf_scidb_array_add(array, (sheaf_name){name, (size_t)n}, entry->type, entry->nullable, err));
	}
	for (int i = 0; i < array->nattributes && !format; i++) {
		const sheaf_scidb_attribute *a = &array->attributes[i];
		SHEAF_TRY(sheaf_scidb_entries_add(entries,
		                                  (sheaf_scidb_entry){a->type, a->type->size, a->nullable, -1}, err));
	}
	if (entries->attributes == array->nattributes) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "format-string",
	                         ": expected an entry for each of the %d attributes of " SHEAF_OPTION(
								 "schema") ", besides those that are skipped, found %d",
	                         array->nattributes, entries->attributes);
}
