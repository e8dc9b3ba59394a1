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

/* Names are shown as they are. */
static void put_visibly(sheaf_builder *b, sheaf_classic_name name)
{
	sheaf_builder_append(b, name.text, name.size);
}

/* Moves a text to the catalog. */
static sheaf_status keep_text(sheaf_catalog *catalog, sheaf_builder *b, const char **out, sheaf_error *err)
{
	void *memory;
	sheaf_builder_byte(b, '\0');
	SHEAF_TRY(sheaf_builder_status(b, err));
	SHEAF_TRY(sheaf_catalog_allocate(catalog, b->size, &memory, err));
	memcpy(memory, b->data, b->size);
	*out = (const char *)memory;
	return SHEAF_OK;
}

/* "time, lat, lon" */
static sheaf_status name_dimensions(const sheaf_classic_header *h, const sheaf_classic_variable *v,
                                    sheaf_catalog *catalog, const char **out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = h->cx};
	if (v->rank == 0) return SHEAF_OK;
	for (int i = 0; i < v->rank && i < MOST_DIMENSIONS; i++) {
		if (i) sheaf_builder_text(&b, ", ");
		put_visibly(&b, sheaf_classic_dimension_of(h, v, i)->name);
	}
	return keep_text(catalog, &b, out, err);
}

/* "time 12 (unlimited), lat 73" */
static sheaf_status name_all_dimensions(const sheaf_classic_header *h, sheaf_catalog *catalog,
                                        const char **out, sheaf_error *err)
{
	enum { MOST = 200 };
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = h->cx};
	const sheaf_classic_dimension *d = (const sheaf_classic_dimension *)(const void *)h->dimensions.data;
	int64_t n = (int64_t)(h->dimensions.size / sizeof *d);
	if (n == 0) return SHEAF_OK;
	for (int64_t i = 0; i < n && i < MOST; i++) {
		if (i) sheaf_builder_text(&b, ", ");
		put_visibly(&b, d[i].name);
		sheaf_builder_printf(&b, " %" PRId64 "%s", i == h->unlimited ? h->records : d[i].length,
		                     i == h->unlimited ? " (unlimited)" : "");
	}
	if (n > MOST) sheaf_builder_text(&b, ", ...");
	return keep_text(catalog, &b, out, err);
}

/* ---- attributes ---- */

/* As JSON: a text, a number, a list; long values are cut. Numbers that JSON has not (nan, inf) are texts. */
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

static sheaf_status keep_name(sheaf_catalog *catalog, sheaf_classic_name name, const char **out,
                              sheaf_error *err)
{
	return sheaf_catalog_text(catalog, out, err, "%.*s", (int)name.size, name.text);
}

/* At most 200 for each variable are shown; any can be asked for by name. */
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
		SHEAF_TRY(keep_name(catalog, a.name, &to->name, err));
	}
	item->attributes = attributes;
	item->nattributes = (int)n;
	return SHEAF_OK;
}

/* ---- variables ---- */

/* Everything is big-endian. Characters are texts. */
static sheaf_status describe_type(const sheaf_classic_variable *v, sheaf_catalog *catalog,
                                  sheaf_box_item *item, sheaf_error *err)
{
	sheaf_box_detail *inside = item->inside;
	item->type = sheaf_classic_type_of(v->type);
	inside->width = sheaf_type_size(item->type);
	inside->is_swapped = inside->width > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	item->what = v->type == SHEAF_CLASSIC_CHAR ? SHEAF_BOX_TEXTS : SHEAF_BOX_NUMBERS;
	if (item->what == SHEAF_BOX_TEXTS) {
		item->of = "text";
		return SHEAF_OK;
	}
	return sheaf_catalog_text(catalog, &item->of, err, "%s%s", inside->is_swapped ? "big-endian " : "",
	                          sheaf_type_name(item->type));
}

/* The last dimension of characters is the length of texts, unless it is that of records. */
static sheaf_status describe_shape(const sheaf_classic_header *h, const sheaf_classic_variable *v,
                                   sheaf_catalog *catalog, sheaf_box_item *item, sheaf_error *err)
{
	int64_t *dims;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, ((size_t)v->rank + 1) * sizeof(int64_t), &dims, err));
	for (int i = 0; i < v->rank; i++) dims[i] = sheaf_classic_dimension_of(h, v, i)->length;
	if (v->grows) dims[0] = h->records;
	item->rank = v->rank;
	item->dims = dims;
	if (item->what == SHEAF_BOX_TEXTS && v->rank > v->grows) {
		item->rank--;
		item->inside->width = (size_t)dims[item->rank];
	}
	item->count = 1;
	for (int i = 0; i < item->rank; i++)
		if (__builtin_mul_overflow(item->count, dims[i], &item->count)) item->count = -1;
	return SHEAF_OK;
}

/* Where the values of a variable end: for records, those of the last one. -1: beyond what is possible. */
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

/* The reason of a variable that is listed and not read. */
static void refuse(sheaf_box_item *item, const char *why, bool is_damaged)
{
	item->refused = why;
	item->is_damaged = is_damaged;
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

/* Damage of one variable does not affect the others. A variable is contiguous also if it is the only one
 * that has records. */
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
		SHEAF_TRY(keep_name(catalog, v->name, &name, err));
		SHEAF_TRY(sheaf_catalog_add(catalog, "", name, false, &item, err));
		item->inside->handle = i;
		SHEAF_TRY(describe_type(v, catalog, item, err));
		SHEAF_TRY(describe_shape(h, v, catalog, item, err));
		SHEAF_TRY(name_dimensions(h, v, catalog, &item->dimensions, err));
		SHEAF_TRY(keep_attributes(h, v->attributes, catalog, item, err));
		int64_t end = end_of(h, v);
		if (v->rank > MOST_DIMENSIONS)
			refuse(item, "an array of more than 32 dimensions", false);
		else if (end < 0 || item->count < 0)
			refuse(item, "an array larger than any file", true);
		else if (item->count > 0 && v->begin < (int64_t)h->end)
			refuse(item, "an array that begins in the header", true);
		else if (end > size && item->count > 0)
			refuse(item, "an array that ends after the file", true);
		else
			item->bytes = item->count * (int64_t)item->inside->width;
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
