/* SPDX-License-Identifier: MIT */
/* The contents of a header as the list of a box: its variables are arrays in the root, each with the
 * names of its dimensions. Variables with the dimension of records are interleaved in
 * the file, a record after the other; all others are contiguous. */
#include "base/extend.h"
#include "container/netcdf/classic.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_DIMENSIONS = 32 };

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
	if (v->grows) {
		int64_t *limits;
		SHEAF_TRY(sheaf_catalog_copy_bytes(catalog, dims, (size_t)v->rank * sizeof *dims, &limits, err));
		limits[0] = -1;
		item->limits = limits;
	}
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
	for (int64_t i = 0; i < sheaf_classic_variables(h); i++) {
		const sheaf_classic_variable *v = sheaf_classic_variable_at(h, i);
		sheaf_box_item *item;
		const char *name;
		SHEAF_TRY(sheaf_catalog_copy_bytes(catalog, v->name.text, v->name.size, &name, err));
		SHEAF_TRY(sheaf_catalog_add(catalog, "", name, false, &item, err));
		item->inside->handle = i;
		SHEAF_TRY(describe_values(h, v, catalog, item, err));
		SHEAF_TRY(name_dimensions(h, v, catalog, &item->dimensions, err));
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
