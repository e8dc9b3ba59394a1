/* SPDX-License-Identifier: MIT */
/* What headers say of objects, field by field; and attributes, which are texts or lists of numbers. */
#include "box/hdf5/write.h"

sheaf_status sheaf_hdf5_add_message(sheaf_hdf5_writer *w, sheaf_hdf5_messages *list, sheaf_hdf5_message like)
{
	void *memory;
	SHEAF_TRY(sheaf_builder_status(&w->message, w->err));
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof like, &memory, w->err));
	sheaf_hdf5_message *message = (sheaf_hdf5_message *)memory;
	*message = like;
	message->data = sheaf_builder_bytes(&w->message);
	SHEAF_TRY(sheaf_hdf5_keep(w, &message->data));
	*list->end = message;
	list->end = &message->next;
	w->message.size = 0;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_say(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, sheaf_hdf5_message_type type,
                            uint8_t flags)
{
	return sheaf_hdf5_add_message(w, &object->messages, (sheaf_hdf5_message){.type = type, .flags = flags});
}

/* ---- spaces and types ---- */

void sheaf_hdf5_put_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit)
{
	enum { VERSION = 2, RANK = 1, SIMPLE = 1 };
	sheaf_hdf5_put(w, b, has_limit ? "1111L" : "1111LL",
	               (const int64_t[]){VERSION, RANK, !has_limit, SIMPLE, count, -1});
}

void sheaf_hdf5_put_scalar(sheaf_builder *b)
{
	static const uint8_t scalar[] = {2, 0, 0, 0};
	sheaf_builder_append(b, scalar, sizeof scalar);
}

/* Version 1, class, three bytes of flags, size. */
static void head_of_type(sheaf_builder *b, unsigned class, unsigned flags, size_t size)
{
	sheaf_hdf5_put(NULL, b, "134", (const int64_t[]){1 << 4 | class, flags, (int64_t)size});
}

void sheaf_hdf5_put_type(sheaf_builder *b, sheaf_type type, bool is_big)
{
	enum { IMPLIED = 2 << 4, SIGNED = 8 };
	size_t size = sheaf_type_size(type);
	unsigned bits = 8 * (unsigned)size, exponent = size == 4 ? 8 : 11, fraction = size == 4 ? 23 : 52;
	if (type < SHEAF_F32) {
		head_of_type(b, SHEAF_HDF5_INTEGER, (type >= SHEAF_I8 ? SIGNED : 0) | is_big, size);
		sheaf_hdf5_put(NULL, b, "22", (const int64_t[]){0, bits});
	} else {
		head_of_type(b, SHEAF_HDF5_FLOAT, (bits - 1) << 8 | IMPLIED | is_big, size);
		sheaf_hdf5_put(
			NULL, b, "2211114",
			(const int64_t[]){0, bits, fraction, exponent, 0, fraction, (1 << (exponent - 1)) - 1});
	}
}

void sheaf_hdf5_put_fixed_text_type(sheaf_builder *b, size_t size, bool is_padded)
{
	enum { PADDED = 1 /* by NULs */, UTF8 = 1 << 4 };
	head_of_type(b, SHEAF_HDF5_STRING, is_padded ? PADDED | UTF8 : 0, size);
}

static void put_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b)
{
	enum { TEXT = 1, UTF8 = 1 << 8 };
	head_of_type(b, SHEAF_HDF5_SEQUENCE, TEXT | UTF8, SHEAF_HDF5_REFERENCE_SIZE(&w->reader));
	sheaf_hdf5_put_type(b, SHEAF_U8, false);
}

void sheaf_hdf5_put_references_type(const sheaf_hdf5_writer *w, sheaf_builder *b)
{
	head_of_type(b, SHEAF_HDF5_SEQUENCE, 0, SHEAF_HDF5_REFERENCE_SIZE(&w->reader));
	head_of_type(b, SHEAF_HDF5_REFERENCE, 0, 8);
}

/* A member of a compound of version 1: its name up to a multiple of eight, where it stands, and dimensions
 * that it has none of. */
static void put_member(sheaf_builder *b, const char *name, unsigned offset)
{
	enum { DIMENSIONS = 28 };
	size_t size = strlen(name) + 1;
	sheaf_builder_append(b, name, size);
	sheaf_hdf5_put_zeros(b, -size % 8);
	sheaf_hdf5_put_number(b, offset, 4);
	sheaf_hdf5_put_zeros(b, DIMENSIONS);
}

void sheaf_hdf5_put_use_type(sheaf_builder *b)
{
	enum { MEMBERS = 2 };
	head_of_type(b, SHEAF_HDF5_COMPOUND, MEMBERS, SHEAF_HDF5_USE);
	put_member(b, "dataset", 0);
	head_of_type(b, SHEAF_HDF5_REFERENCE, 0, 8);
	put_member(b, "dimension", 8);
	sheaf_hdf5_put_type(b, SHEAF_I32, false);
}

/* ---- links and attributes ---- */

void sheaf_hdf5_put_link(const sheaf_hdf5_writer *w, sheaf_builder *b, const sheaf_hdf5_link *link)
{
	enum { VERSION = 1, HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARSET = 16 };
	unsigned width = link->name_size <= UINT8_MAX ? 0 : 1;
	bool has_order = link->group->link_order & SHEAF_HDF5_TRACKED;
	unsigned flags =
		width | (has_order ? HAS_ORDER : 0) | (link->kind ? HAS_KIND : 0) | (link->is_utf8 ? HAS_CHARSET : 0);
	sheaf_hdf5_put(w, b, "11", (const int64_t[]){VERSION, flags});
	if (link->kind) sheaf_hdf5_put_number(b, link->kind, 1);
	if (has_order) sheaf_hdf5_put_number(b, (uint64_t)link->order, 8);
	if (link->is_utf8) sheaf_hdf5_put_number(b, 1, 1);
	sheaf_hdf5_put_number(b, link->name_size, (size_t)1 << width);
	sheaf_builder_append(b, link->name, link->name_size);
	if (link->kind) {
		sheaf_hdf5_put_number(b, link->value.size, 2);
		sheaf_builder_append(b, link->value.data, link->value.size);
	} else {
		sheaf_hdf5_put(w, b, "A", (const int64_t[]){link->to ? link->to->address : link->address});
	}
}

void sheaf_hdf5_begin_attribute(sheaf_hdf5_writer *w)
{
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
}

sheaf_status sheaf_hdf5_put_attribute(sheaf_hdf5_writer *w, const char *name)
{
	enum { VERSION = 3, LONGEST = 60000 };
	bool is_ascii = true;
	sheaf_builder *parts[] = {&w->type, &w->space, &w->value}, *b = &w->message;
	size_t size = strlen(name) + 1;
	if (size > LONGEST)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected names of less than %d bytes, found %zu",
		                  w->reader.store->name, LONGEST, size - 1);
	for (size_t i = 0; i < size; i++) is_ascii &= (uint8_t)name[i] < 0x80;
	int64_t head[] = {VERSION, (int64_t)size, (int64_t)w->type.size, (int64_t)w->space.size, !is_ascii};
	sheaf_hdf5_put(w, b, "22221", head);
	sheaf_builder_append(b, name, size);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		SHEAF_TRY(sheaf_builder_status(parts[i], w->err));
		sheaf_builder_append(b, parts[i]->data, parts[i]->size);
	}
	return sheaf_builder_status(b, w->err);
}

static sheaf_hdf5_message *find_attribute(const sheaf_hdf5_object *object, const char *name)
{
	for (sheaf_hdf5_message *m = object->attributes.first; m; m = m->next)
		if (!m->is_gone && strcmp(m->name, name) == 0) return m;
	return NULL;
}

void sheaf_hdf5_remove_attribute(const sheaf_hdf5_object *object, const char *name)
{
	sheaf_hdf5_message *m = find_attribute(object, name);
	if (m) m->is_gone = true;
}

sheaf_status sheaf_hdf5_set_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                                      sheaf_hdf5_message like)
{
	like.type = SHEAF_HDF5_ATTRIBUTE;
	SHEAF_TRY(sheaf_hdf5_put_attribute(w, name));
	SHEAF_TRY(sheaf_catalog_text(w->catalog, &like.name, w->err, "%s", name));
	sheaf_hdf5_remove_attribute(object, name);
	like.order = object->next_attribute++;
	object->attributes_change = true;
	return sheaf_hdf5_add_message(w, &object->attributes, like);
}

/* ---- the driver's functions ---- */

static sheaf_status begin(sheaf_hdf5_writer *w, const sheaf_box_item *item, sheaf_hdf5_object **object,
                          sheaf_error *err)
{
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_object(w, item->inside->target, object));
	SHEAF_TRY(sheaf_hdf5_list_attributes(w, *object));
	sheaf_hdf5_begin_attribute(w);
	return SHEAF_OK;
}

/* A scalar of variable length, in UTF-8. */
sheaf_status sheaf_hdf5_set_text(void *state, const sheaf_box_item *item, const char *name, const char *text,
                                 size_t size, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	sheaf_hdf5_message like = {.text_size = size};
	SHEAF_TRY(begin(w, item, &object, err));
	put_text_type(w, &w->type);
	sheaf_hdf5_put_scalar(&w->space);
	SHEAF_TRY(
		sheaf_hdf5_store_text(w, (sheaf_bytes){(const uint8_t *)text, size}, size, &w->value, &like.text));
	return sheaf_hdf5_set_attribute(w, object, name, like);
}

sheaf_status sheaf_hdf5_set_numbers(void *state, const sheaf_box_item *item, const char *name,
                                    sheaf_box_values values, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	SHEAF_TRY(begin(w, item, &object, err));
	sheaf_hdf5_put_type(&w->type, values.type, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	sheaf_hdf5_put_space(w, &w->space, values.count, true);
	sheaf_builder_append(&w->value, values.values, (size_t)values.count * sheaf_type_size(values.type));
	return sheaf_hdf5_set_attribute(w, object, name, (sheaf_hdf5_message){0});
}

/* A text that was written here is in the file, or on its way there. */
sheaf_status sheaf_hdf5_text_of_attribute(void *state, const sheaf_box_item *item, const char *name,
                                          sheaf_builder *text, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	const sheaf_hdf5_object *object = sheaf_hdf5_known_object(w, item->inside->target);
	const sheaf_hdf5_message *m = object ? find_attribute(object, name) : NULL;
	w->err = err;
	if (m && m->text) return sheaf_hdf5_read_text(w, m->text, m->text_size, text);
	if (item->inside->own) return sheaf_hdf5_text(state, item, name, text, err);
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
	                  w->reader.store->name, item->path, name);
}
