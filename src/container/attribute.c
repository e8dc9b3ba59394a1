/* SPDX-License-Identifier: MIT */
/* Attributes of numbers, read like the elements of arrays. A driver describes the attribute as an item of
 * a small catalog of its own, whose root it is, and gives the stored bytes; conversion is that of arrays,
 * and so is the refusal of numbers that do not fit. */
#include "base/buffer.h"
#include "base/context.h"
#include "container/bits.h"
#include "container/inside.h"
#include "io/descriptor.h"
#include <string.h>

typedef struct loaded {
	sheaf_box *box;
	const char *path, *name;
	sheaf_catalog catalog; /* its root represents the attribute */
	sheaf_builder bytes;
} loaded;

/* Asks the driver for the attribute. */
static sheaf_status load(loaded *l, sheaf_error *err)
{
	const sheaf_box_item *item = sheaf_catalog_find(&l->box->catalog, l->path);
	sheaf_builder_begin(&l->bytes, l->box->cx, NULL);
	if (l->box->failure.status) return sheaf_fail_again(err, &l->box->failure);
	if (!item || !item->inside->target || !l->box->driver->attribute)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
		                  l->box->name, l->path, l->name);
	return l->box->driver->attribute(l->box->state, item, l->name, &l->catalog, &l->bytes, err);
}

/* The attribute is there and is something else. */
static sheaf_status refuse(const loaded *l, const char *expected, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected the attribute \"%s\" to be %s, found %s",
	                  l->box->name, l->path, l->name, expected, found);
}

/* Numbers of other types are expanded in place, to a wider type that takes more bytes than the stored ones.
 */
static sheaf_status convert(loaded *l, sheaf_type type, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	const sheaf_box_item *it = &l->catalog.items[0];
	bool is_number = it->what == SHEAF_BOX_NUMBERS || it->what == SHEAF_BOX_BOOLS;
	if (!is_number) return refuse(l, "numbers", it->of, err);
	size_t room = (size_t)it->count * sheaf_type_size(it->type);
	if (room > l->bytes.size && !sheaf_builder_room(&l->bytes, room - l->bytes.size))
		return sheaf_builder_status(&l->bytes, err);
	if (it->inside->bits) sheaf_box_expand(it->inside->bits, it->type, l->bytes.data, (size_t)it->count);
	sheaf_builder_begin(&b, l->box->cx, NULL);
	size_t size = (size_t)it->count * sheaf_type_size(type);
	if (!sheaf_builder_room(&b, size ? size : 1)) {
		sheaf_status status = sheaf_builder_status(&b, err);
		sheaf_builder_drop(&b);
		return status;
	}
	sheaf_box_stored stored = {it->type, it->inside->is_swapped, l->bytes.data, (size_t)it->count};
	int64_t changed = sheaf_box_convert(stored, type, b.data);
	b.size = size;
	if (changed < 0) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return refuse(l, sheaf_type_name(type), "another number", err);
}

sheaf_status sheaf_box_numbers(sheaf_box *box, const char *path, const char *name, sheaf_type type,
                               sheaf_buffer *out, sheaf_error *err)
{
	loaded l = {.box = box, .path = path, .name = name};
	sheaf_buffer_reset(out);
	sheaf_status status = load(&l, err);
	if (!status) status = convert(&l, type, out, err);
	sheaf_builder_drop(&l.bytes);
	if (l.catalog.cx) sheaf_catalog_close(&l.catalog);
	return status;
}
