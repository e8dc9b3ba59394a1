/* SPDX-License-Identifier: MIT */
/* Attributes of numbers and lists of texts, read like the elements of arrays. A driver describes the
 * attribute as an item of a small catalog of its own, whose root it is, and gives the stored bytes;
 * conversion is that of arrays, and so is the refusal of numbers that do not fit. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/extend.h"
#include "container/bits.h"
#include "container/inside.h"
#include "io/descriptor.h"
#include <string.h>

/* Describes an attribute as the root of a catalog, and appends its elements as they are stored; UNKNOWN if
 * there is none. */
static sheaf_status take(sheaf_box *box, const char *path, const char *name, sheaf_catalog *catalog,
                         sheaf_builder *bytes, sheaf_error *err)
{
	const sheaf_box_item *item = sheaf_catalog_find(&box->catalog, path);
	if (box->failure.status) return sheaf_fail_again(err, &box->failure);
	if (item && item->inside->target && box->driver->attribute)
		return box->driver->attribute(box->state, item, name, catalog, bytes, err);
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none", box->name,
	                  path, name);
}

/* Reads an attribute of numbers as a type into *out, which the caller resets; UNKNOWN if there is none.
 * Numbers of other types than ours are expanded in place, to a wider type that takes more bytes than the
 * stored ones. A number that the type does not hold is an error. */
sheaf_status sheaf_box_numbers(sheaf_box *box, const char *path, const char *name, sheaf_type type,
                               sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = box->cx}, b = {.cx = box->cx};
	sheaf_buffer_reset(out);
	SHEAF_TRY(take(box, path, name, &catalog, &bytes, err));
	const sheaf_box_item *attribute = &catalog.items[0];
	bool is_number = attribute->what == SHEAF_BOX_NUMBERS || attribute->what == SHEAF_BOX_BOOLS;
	if (is_number) {
		size_t count = (size_t)attribute->count, room = count * sheaf_type_size(attribute->type);
		size_t size = count * sheaf_type_size(type);
		if (room > bytes.size && !sheaf_builder_room(&bytes, room - bytes.size))
			return sheaf_builder_status(&bytes, err);
		if (attribute->inside->bits)
			sheaf_box_expand(attribute->inside->bits, attribute->type, bytes.data, count);
		if (!sheaf_builder_room(&b, size ? size : 1)) return sheaf_builder_status(&b, err);
		sheaf_box_stored stored = {attribute->type, attribute->inside->is_swapped, bytes.data, count};
		int64_t changed = sheaf_box_convert(stored, type, b.data);
		b.size = size;
		if (changed < 0) return sheaf_builder_finish(&b, out, err);
	}
	return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected the attribute \"%s\" to be %s, found %s", box->name,
	                  path, name, is_number ? sheaf_type_name(type) : "numbers",
	                  is_number ? "another number" : attribute->of);
}

/* Reads an attribute that is a list of texts: their bytes one after another, and where each begins, one
 * offset more than there are texts. A list of nothing has any type. */
sheaf_status sheaf_box_texts(sheaf_box *box, const char *path, const char *name, sheaf_buffer *bytes,
                             sheaf_buffer *offsets, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	SHEAF_SCOPED(sheaf_builder_drop)
	sheaf_builder stored = {.cx = box->cx}, texts = {.cx = box->cx}, ends = {.cx = box->cx};
	SHEAF_TRY(take(box, path, name, &catalog, &stored, err));
	const sheaf_box_item *attribute = &catalog.items[0];
	int64_t count = attribute->count;
	if (count > 0 && attribute->what != SHEAF_BOX_TEXTS)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected the attribute \"%s\" to be a list of texts, found %s", box->name,
		                  path, name, attribute->of);
	sheaf_builder_i64(&ends, 0);
	for (int64_t i = 0; i < count; i++) {
		const uint8_t *element = stored.data + (size_t)i * (stored.size / (size_t)count);
		SHEAF_TRY(box->driver->text_of(box->state, attribute, element, &texts, err));
		sheaf_builder_i64(&ends, (int64_t)texts.size);
	}
	SHEAF_TRY(sheaf_builder_finish(&texts, bytes, err));
	return sheaf_builder_finish(&ends, offsets, err);
}
