/* SPDX-License-Identifier: MIT */
/* Where the entries of a format string are in a cell, which attributes they become, and what the columns
 * are. */
#include "base/checked.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/scidb.h"
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

void sheaf_scidb_layout_free(sheaf_scidb_layout *layout)
{
	if (layout->items)
		sheaf_release(layout->cx, layout->items, (size_t)layout->count * sizeof *layout->items);
	if (layout->gaps)
		sheaf_release(layout->cx, layout->gaps, ((size_t)layout->counted + 1) * sizeof *layout->gaps);
	*layout = (sheaf_scidb_layout){0};
}

/* The sums cannot overflow: parsing the entries has checked that. */
static void place_items(sheaf_scidb_layout *layout, const sheaf_scidb_entries *entries)
{
	int64_t offset = 0;
	int base = 0;
	for (int i = 0; i < entries->count; i++) {
		const sheaf_scidb_entry *entry = &entries->list[i];
		layout->items[i] = (sheaf_scidb_item){.entry = *entry,
		                                      .number = i,
		                                      .column = entry->attribute,
		                                      .base = base,
		                                      .offset = offset,
		                                      .type = entry->type,
		                                      .nullable = entry->nullable};
		offset += (entry->nullable ? 1 : 0) + entry->size;
		if (entry->size) continue;
		layout->gaps[base++] = offset;
		offset = 0;
	}
	layout->gaps[base] = offset;
}

sheaf_status sheaf_scidb_layout_make(sheaf_scidb_layout *layout, const sheaf_scidb_entries *entries,
                                     sheaf_context *cx, sheaf_error *err)
{
	int counted = 0;
	for (int i = 0; i < entries->count; i++) counted += entries->list[i].size == 0;
	*layout = (sheaf_scidb_layout){.cx = cx, .cell_bytes = entries->cell_bytes};
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)entries->count, sizeof *layout->items, &layout->items, err));
	layout->count = entries->count;
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)counted + 1, sizeof *layout->gaps, &layout->gaps, err));
	layout->counted = counted;
	place_items(layout, entries);
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_layout_bind(sheaf_scidb_layout *layout, const sheaf_scidb_array *array,
                                     const char *option, sheaf_error *err)
{
	for (int i = 0; i < layout->count; i++) {
		sheaf_scidb_item *item = &layout->items[i];
		if (item->column < 0) continue;
		const sheaf_scidb_attribute *attribute = &array->attributes[item->column];
		item->type = attribute->type;
		item->nullable = attribute->nullable;
		item->converts = item->entry.type != item->type;
		if (!sheaf_scidb_converts(item->entry.type, item->type))
			return sheaf_fail(err, SHEAF_USAGE,
			                  "%s: entry %d: expected a type that the server converts into that of attribute "
			                  "\"%s\", %s, found %s",
			                  option, i + 1, attribute->name, attribute->type->name, item->entry.type->name);
	}
	return SHEAF_OK;
}

/* ---- columns ---- */

void sheaf_scidb_make_field(sheaf_field *field, const sheaf_scidb_type *type, int64_t width, bool nullable)
{
	static const sheaf_type numbers[] = {
		[SCIDB_INT8] = SHEAF_I8,    [SCIDB_INT16] = SHEAF_I16,  [SCIDB_INT32] = SHEAF_I32,
		[SCIDB_INT64] = SHEAF_I64,  [SCIDB_UINT8] = SHEAF_U8,   [SCIDB_UINT16] = SHEAF_U16,
		[SCIDB_UINT32] = SHEAF_U32, [SCIDB_UINT64] = SHEAF_U64, [SCIDB_FLOAT] = SHEAF_F32,
		[SCIDB_DOUBLE] = SHEAF_F64};
	switch (type->kind) {
	case SCIDB_BOOL:
	case SCIDB_INDICATOR: sheaf_field_make_cell(field, SHEAF_BOOL, SHEAF_U8, 1, nullable); break;
	case SCIDB_CHAR: sheaf_field_make_cell(field, SHEAF_CHAR, SHEAF_U8, 1, nullable); break;
	case SCIDB_DATETIME: sheaf_field_make_cell(field, SHEAF_DATETIME, SHEAF_I64, 1, nullable); break;
	case SCIDB_DATETIMETZ: sheaf_field_make_cell(field, SHEAF_DATETIMETZ, SHEAF_I64, 2, nullable); break;
	case SCIDB_COMPLEX: sheaf_field_make_cell(field, SHEAF_COMPLEX, SHEAF_F64, 2, nullable); break;
	case SCIDB_STRING: sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, nullable); break;
	case SCIDB_BINARY:
		sheaf_field_make_cell(field, SHEAF_BYTES, SHEAF_U8, width ? width : -1, nullable);
		break;
	case SCIDB_USER: sheaf_field_make_cell(field, SHEAF_BYTES, SHEAF_U8, type->size, nullable); break;
	default: sheaf_field_make_cell(field, SHEAF_NUMBER, numbers[type->kind], 1, nullable); break;
	}
}

/* ---- options ---- */

static sheaf_status refuse_number(const char *option, const sheaf_scidb_entries *entries,
                                  const sheaf_scidb_array *array, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected an entry for each of the %d attributes of " SHEAF_OPTION(
						  "schema") ", besides those that "
	                                "are skipped, found %d",
	                  option, array->nattributes, entries->attributes);
}

sheaf_status sheaf_scidb_read_options(const sheaf_values *values, const char *format_option,
                                      const sheaf_scidb_declared *to, sheaf_context *cx, sheaf_error *err)
{
	sheaf_scidb_types *types = to->types;
	sheaf_scidb_entries *entries = to->entries;
	sheaf_scidb_array *array = to->array;
	char name[32]; /* without its marks */
	snprintf(name, sizeof name, "%.*s", (int)strlen(format_option) - 2, format_option + 1);
	const char *format = sheaf_values_text(values, name), *schema = sheaf_values_text(values, "schema");
	SHEAF_TRY(sheaf_scidb_types_declare(types, values, cx, err));
	array->says_null = schema && sheaf_values_flag(values, "not-null-default");
	if (schema) SHEAF_TRY(sheaf_scidb_array_read(array, SHEAF_OPTION("schema"), schema, types, cx, err));
	if (format) SHEAF_TRY(sheaf_scidb_entries_read(entries, format_option, format, types, cx, err));
	if (format && !schema) return sheaf_scidb_array_from_entries(array, entries, cx, err);
	if (schema && !format) return sheaf_scidb_entries_from_array(entries, array, cx, err);
	return schema && entries->attributes != array->nattributes
	           ? refuse_number(format_option, entries, array, err)
	           : SHEAF_OK;
}
