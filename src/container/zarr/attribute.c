/* SPDX-License-Identifier: MIT */
/* An attribute, which is JSON, as elements of an array: one number or text, or a list of them. All other
 * values are listed as of another kind, and not read. */
#include "container/zarr/zarr.h"
#include <string.h>

/* The number as an element of the type. */
static void put_number(const sheaf_json *value, sheaf_box_item *item, sheaf_builder *bytes)
{
	int64_t i;
	double x;
	if (sheaf_json_i64(value, &i)) {
		sheaf_builder_i64(bytes, i);
	} else if (sheaf_json_number(value, &x)) {
		item->type = SHEAF_F64;
		sheaf_builder_append(bytes, &x, sizeof x);
	} else {
		item->what = SHEAF_BOX_OTHER;
	}
}

/* Integers if all are, else floats. */
static void describe_numbers(const sheaf_json *value, bool is_list, sheaf_box_item *item,
                             sheaf_builder *bytes)
{
	item->what = SHEAF_BOX_NUMBERS;
	item->type = SHEAF_I64;
	item->of = "number";
	for (int pass = 0; pass < 2; pass++) {
		bytes->size = 0;
		for (int64_t i = 0; i < item->count; i++) {
			const sheaf_json *one = is_list ? sheaf_json_at(value, (size_t)i) : value;
			double x;
			if (pass == 0 || item->type == SHEAF_I64)
				put_number(one, item, bytes);
			else if (sheaf_json_number(one, &x))
				sheaf_builder_append(bytes, &x, sizeof x);
		}
	}
	item->inside->width = 8;
}

/* The first element shows what a list has. */
sheaf_status sheaf_zarr_describe_value(const sheaf_json *value, sheaf_catalog *catalog, sheaf_builder *bytes,
                                       sheaf_error *err)
{
	sheaf_box_item *item = &catalog->items[0];
	bool is_list = sheaf_json_kind_of(value) == SHEAF_JSON_ARRAY;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, sizeof(sheaf_zarr_own), &item->inside->zarr, err));
	int64_t *dims;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, sizeof(int64_t), &dims, err));
	item->is_group = false;
	item->rank = is_list;
	item->dims = dims;
	*dims = item->count = is_list ? (int64_t)sheaf_json_size(value) : 1;
	item->of = sheaf_json_kind_name(value);
	const sheaf_json *first = is_list ? sheaf_json_at(value, 0) : value;
	sheaf_json_kind kind = sheaf_json_kind_of(first);
	if (kind == SHEAF_JSON_INTEGER || kind == SHEAF_JSON_REAL)
		describe_numbers(value, is_list, item, bytes);
	else if (kind == SHEAF_JSON_TEXT) {
		size_t longest = 1, size;
		item->what = SHEAF_BOX_TEXTS;
		item->of = "text";
		item->inside->zarr->text = SHEAF_ZARR_PADDED;
		for (int pass = 0; pass < 2; pass++)
			for (int64_t i = 0; i < item->count; i++) {
				const char *text = sheaf_json_text(is_list ? sheaf_json_at(value, (size_t)i) : value, &size);
				if (!text) item->what = SHEAF_BOX_OTHER;
				if (text && pass == 0 && size > longest) longest = size;
				uint8_t *to = text && pass == 1 ? sheaf_builder_extend(bytes, longest) : NULL;
				if (to) memcpy(memset(to, 0, longest), text, size);
			}
		item->inside->width = longest;
	}
	return sheaf_builder_status(bytes, err);
}
