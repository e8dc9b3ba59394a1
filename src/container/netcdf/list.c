/* SPDX-License-Identifier: MIT */
/* The contents of a header as the list of a box: its variables are arrays in the root, each with the
 * names of its dimensions and its attributes. Variables with the dimension of records are interleaved in
 * the file, a record after the other; all others are contiguous. */
#include "base/extend.h"
#include "container/netcdf/classic.h"
#include "frame/schema/json_text.h"
#include "frame/value.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_DIMENSIONS = 32, MOST_SHOWN = 16, MOST_TEXT = 400 };

/* ---- in words ---- */

/* Moves a text to the catalog. */
static sheaf_status keep_text(sheaf_catalog *catalog, const sheaf_builder *b, const char **out,
                              sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(b, err));
	return sheaf_catalog_copy_bytes(catalog, b->data, b->size, out, err);
}

/* Makes the text "time, lat, lon": the names of a variable's dimensions, without their lengths, which the
 * array's extents show. */
static sheaf_status name_dimensions(const sheaf_classic_header *h, const sheaf_classic_variable *v,
                                    sheaf_catalog *catalog, const char **out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = h->cx};
	if (v->rank == 0) return SHEAF_OK;
	for (int i = 0; i < v->rank && i < MOST_DIMENSIONS; i++) {
		sheaf_classic_name name = sheaf_classic_dimension_of(h, v, i)->name;
		if (i) sheaf_builder_text(&b, ", ");
		sheaf_builder_append(&b, name.text, name.size);
	}
	return keep_text(catalog, &b, out, err);
}

/* Makes the text "time 12 (unlimited), lat 73": all dimensions of the file, for its root, also those that
 * no variable has; at most 200. */
static sheaf_status name_all_dimensions(const sheaf_classic_header *h, sheaf_catalog *catalog,
                                        const char **out, sheaf_error *err)
{
	enum { MOST = 200 };
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = h->cx};
	const sheaf_classic_dimension *d = (const sheaf_classic_dimension *)(const void *)h->dimensions.data;
	int64_t n = (int64_t)(h->dimensions.size / sizeof *d);
	if (n == 0) return SHEAF_OK;
	for (int64_t i = 0; i < n && i < MOST; i++) {
		bool grows = i == h->unlimited;
		if (i) sheaf_builder_text(&b, ", ");
		sheaf_builder_append(&b, d[i].name.text, d[i].name.size);
		sheaf_builder_printf(&b, " %" PRId64 "%s", grows ? h->records : d[i].length,
		                     grows ? " (unlimited)" : "");
	}
	if (n > MOST) sheaf_builder_text(&b, ", ...");
	return keep_text(catalog, &b, out, err);
}

/* ---- attributes ---- */

/* Appends an attribute's value as JSON: a text, a number, a list. Long values are cut, texts after 400
 * bytes and lists after 16 numbers. Numbers that JSON has not (nan, inf) are texts. The NULs that pad a
 * text do not belong to it. */
static void put_value(sheaf_builder *b, const sheaf_classic_attribute *a)
{
	char text[40];
	size_t width = a->count ? a->size / (size_t)a->count : 0;
	if (a->type == SHEAF_CLASSIC_CHAR) {
		size_t n = a->size;
		while (n > 0 && a->values[n - 1] == 0) n--;
		sheaf_json_string(b, (const char *)a->values, n < MOST_TEXT ? n : MOST_TEXT);
		return;
	}
	if (a->count != 1) sheaf_builder_byte(b, '[');
	for (int64_t i = 0; i < a->count && i < MOST_SHOWN; i++) {
		uint64_t value = 0;
		sheaf_type type = sheaf_classic_type_of(a->type);
		sheaf_box_stored stored = {type, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		                           a->values + (size_t)i * width, 1};
		sheaf_box_convert(stored, type, &value);
		*sheaf_value_print(type, &value, 0, text) = '\0';
		bool is_finite = text[0] != 'n' && text[0] != 'i' && text[1] != 'i' && text[1] != 'n';
		sheaf_builder_printf(b, is_finite ? "%s%s" : "%s\"%s\"", i ? "," : "", text);
	}
	if (a->count > MOST_SHOWN) sheaf_builder_text(b, ",\"...\"");
	if (a->count != 1) sheaf_builder_byte(b, ']');
}

/* Keeps the attributes of a variable or of the file in the catalog, for listings: at most 200 are shown,
 * and any can be asked for by name. A list of which the header has fewer than it says has been refused
 * before. */
static sheaf_status keep_attributes(const sheaf_classic_header *h, sheaf_classic_attributes list,
                                    sheaf_catalog *catalog, sheaf_box_item *item, sheaf_error *err)
{
	enum { MOST = 200 };
	int64_t number = 0, n = list.count < MOST ? list.count : MOST;
	size_t at = 0;
	sheaf_classic_attribute a;
	sheaf_box_attribute *attributes;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, (size_t)n * sizeof *item->attributes, &attributes, err));
	while (number < n && sheaf_classic_next(h, list, &number, &at, &a)) {
		SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = h->cx};
		sheaf_box_attribute *to = &attributes[number - 1];
		put_value(&b, &a);
		SHEAF_TRY(keep_text(catalog, &b, &to->value, err));
		SHEAF_TRY(sheaf_catalog_copy_bytes(catalog, a.name.text, a.name.size, &to->name, err));
	}
	item->attributes = attributes;
	item->nattributes = (int)n;
	return SHEAF_OK;
}

/* ---- variables ---- */

/* Describes what the elements of a variable are, and how many there are. Everything is big-endian.
 * Characters are texts, whose length is the last dimension, unless that is the one of records. A product
 * of extents that no 64 bits hold is a count of -1. */
static sheaf_status describe_values(const sheaf_classic_header *h, const sheaf_classic_variable *v,
                                    sheaf_catalog *catalog, sheaf_box_item *item, sheaf_error *err)
{
	int64_t *dims;
	bool is_text = v->type == SHEAF_CLASSIC_CHAR;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, ((size_t)v->rank + 1) * sizeof *dims, &dims, err));
	item->type = sheaf_classic_type_of(v->type);
	item->inside->width = sheaf_type_size(item->type);
	item->what = is_text ? SHEAF_BOX_TEXTS : SHEAF_BOX_NUMBERS;
	SHEAF_TRY(sheaf_catalog_name_numbers(catalog, item, true, "", err));
	if (is_text) item->of = "text";
	for (int i = 0; i < v->rank; i++) dims[i] = sheaf_classic_dimension_of(h, v, i)->length;
	if (v->grows) dims[0] = h->records;
	item->rank = v->rank;
	item->dims = dims;
	if (is_text && v->rank > v->grows) item->inside->width = (size_t)dims[--item->rank];
	item->count = 1;
	for (int i = 0; i < item->rank; i++)
		if (__builtin_mul_overflow(item->count, dims[i], &item->count)) item->count = -1;
	return SHEAF_OK;
}

/* Returns the byte after the values of a variable: for records, after those of the last one; -1 if it is
 * beyond what is possible. */
static int64_t end_of(const sheaf_classic_header *h, const sheaf_classic_variable *v)
{
	int64_t end = v->begin;
	if (v->size < 0) return -1;
	if (!v->grows) return __builtin_add_overflow(end, v->size, &end) ? -1 : end;
	int64_t before = h->records > 0 ? h->records - 1 : 0;
	if (h->records <= 0 || v->size == 0) return end;
	bool fits = !__builtin_mul_overflow(before, h->stride, &before) &&
	            !__builtin_add_overflow(end, before, &end) && !__builtin_add_overflow(end, v->size, &end);
	return fits ? end : -1;
}

/* ---- records ---- */

/* A file that was streamed has no count: there are as many complete records as fit after the first one
 * begins. */
static void count_records(sheaf_classic_header *h, int64_t size)
{
	int64_t first = INT64_MAX;
	if (h->records >= 0) return;
	for (int64_t i = 0; i < sheaf_classic_variables(h); i++) {
		const sheaf_classic_variable *v = sheaf_classic_variable_at(h, i);
		if (v->grows && v->begin < first) first = v->begin;
	}
	h->records = h->stride > 0 && first < size ? (size - first) / h->stride : 0;
}

/* Lists all variables of a file of `size` bytes in the box's catalog. Damage of one variable does not
 * affect the others: it is listed with the reason. Arrays without elements may begin anywhere. A variable
 * is contiguous also if it is the only one that has records. Two variables of one name refuse the file,
 * since nobody can say which of them is meant. */
sheaf_status sheaf_classic_list(sheaf_classic_header *h, sheaf_box *box, int64_t size, sheaf_error *err)
{
	sheaf_catalog *catalog = &box->catalog;
	count_records(h, size);
	catalog->items[0].inside->handle = -1;
	SHEAF_TRY(name_all_dimensions(h, catalog, &catalog->items[0].dimensions, err));
	SHEAF_TRY(keep_attributes(h, h->attributes, catalog, &catalog->items[0], err));
	for (int64_t i = 0; i < sheaf_classic_variables(h); i++) {
		const sheaf_classic_variable *v = sheaf_classic_variable_at(h, i);
		sheaf_box_item *item;
		const char *name;
		SHEAF_TRY(sheaf_catalog_copy_bytes(catalog, v->name.text, v->name.size, &name, err));
		SHEAF_TRY(sheaf_catalog_add(catalog, "", name, false, &item, err));
		item->inside->handle = i;
		SHEAF_TRY(describe_values(h, v, catalog, item, err));
		SHEAF_TRY(name_dimensions(h, v, catalog, &item->dimensions, err));
		SHEAF_TRY(keep_attributes(h, v->attributes, catalog, item, err));
		int64_t end = end_of(h, v);
		item->refused = v->rank > MOST_DIMENSIONS    ? "an array of more than 32 dimensions"
		                : end < 0 || item->count < 0 ? "an array larger than any file"
		                : item->count > 0 && v->begin < (int64_t)h->end ? "an array that begins in the header"
		                : item->count > 0 && end > size                 ? "an array that ends after the file"
		                                                                : NULL;
		item->is_damaged = item->refused && v->rank <= MOST_DIMENSIONS;
		if (!item->refused) item->bytes = item->count * (int64_t)item->inside->width;
		if (!v->grows || h->stride == v->size) item->inside->offset = v->begin;
	}
	sheaf_catalog_sort(catalog);
	for (int64_t i = 1; i < catalog->count; i++)
		if (strcmp(catalog->items[i].path, catalog->items[i - 1].path) == 0)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected variables with names of their own, found two \"%.100s\"", h->name,
			                  catalog->items[i].path);
	return SHEAF_OK;
}
