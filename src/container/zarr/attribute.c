/* SPDX-License-Identifier: MIT */
/* An attribute, which is JSON, as elements of an array: one number or text, or a list of them, or one truth
 * value. All other values are listed as of another kind, and not read. */
#include "base/extend.h"
#include "container/zarr/zarr.h"
#include <string.h>

/* Describes an attribute of numbers and appends them to `bytes`: integers if all are, else floats. The
 * first pass finds that out, the second one has the elements. A list with anything else in it is not
 * read. */
static void describe_numbers(const sheaf_json *value, bool is_list, sheaf_box_item *item,
                             sheaf_builder *bytes)
{
	item->what = SHEAF_BOX_NUMBERS;
	item->type = SHEAF_I64;
	item->of = "number";
	item->inside->width = 8;
	for (int pass = 0; pass < 2; pass++) {
		bytes->size = 0;
		for (int64_t i = 0; i < item->count; i++) {
			const sheaf_json *one = is_list ? sheaf_json_at(value, (size_t)i) : value;
			int64_t whole;
			double real;
			if (item->type == SHEAF_I64 && sheaf_json_i64(one, &whole)) {
				sheaf_builder_i64(bytes, whole);
			} else if (sheaf_json_number(one, &real)) {
				item->type = SHEAF_F64;
				sheaf_builder_append(bytes, &real, sizeof real);
			} else {
				item->what = SHEAF_BOX_OTHER;
			}
		}
	}
}

/* Describes the value of an attribute as the catalog's only item, whose elements go to `bytes`. The first
 * element shows what a list has; one of another kind among the others makes the whole a kind that is not
 * read. Texts are padded to the longest, like those of NumPy: the first pass measures them. An empty list
 * has no kind at all. */
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
	if (kind == SHEAF_JSON_INTEGER || kind == SHEAF_JSON_REAL) {
		describe_numbers(value, is_list, item, bytes);
	} else if (kind == SHEAF_JSON_BOOL && !is_list) {
		item->what = SHEAF_BOX_BOOLS;
		item->inside->width = 1;
		sheaf_builder_byte(bytes, (char)sheaf_json_is_true(value));
	} else if (kind == SHEAF_JSON_TEXT) {
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

/* ---- for listings ---- */

bool sheaf_zarr_append_json(void *builder, const char *text, size_t size)
{
	sheaf_builder *b = (sheaf_builder *)builder;
	sheaf_builder_append(b, text, size);
	return !b->failed;
}

/* Notes attributes as the JSON that they are. Of a long one the beginning is shown, as a text. */
sheaf_status sheaf_zarr_note_attributes(const sheaf_json *attributes, sheaf_box_notes *notes,
                                        sheaf_error *err)
{
	enum { MOST = 400 };
	void *at = NULL;
	const char *name;
	const sheaf_json *value;
	while ((value = sheaf_json_next(attributes, &at, &name))) {
		SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = notes->box->cx}, cut = json;
		size_t size;
		const char *text = sheaf_json_text(value, &size);
		if (!text) sheaf_json_print(value, 0, sheaf_zarr_append_json, &json);
		SHEAF_TRY(sheaf_builder_status(&json, err));
		if (text || json.size > MOST)
			sheaf_box_put_text(&cut, text ? text : (const char *)json.data, text ? size : json.size);
		SHEAF_TRY(sheaf_box_note_json(notes, (sheaf_bytes){(const uint8_t *)name, strlen(name)},
		                              cut.size ? &cut : &json, err));
	}
	return SHEAF_OK;
}
