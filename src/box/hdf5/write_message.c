/* SPDX-License-Identifier: MIT */
/* What headers say of objects, field by field. */
#include "box/hdf5/write.h"

static sheaf_status keep(sheaf_hdf5_writer *w, sheaf_hdf5_messages *list, sheaf_hdf5_message like,
                         sheaf_hdf5_message **out)
{
	sheaf_builder *b = &w->message;
	void *memory, *bytes;
	SHEAF_TRY(sheaf_builder_status(b, w->err));
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof like, &memory, w->err));
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, b->size, &bytes, w->err));
	if (b->size) memcpy(bytes, b->data, b->size);
	sheaf_hdf5_message *message = (sheaf_hdf5_message *)memory;
	*message = like;
	message->data = (sheaf_bytes){(const uint8_t *)bytes, b->size};
	if (list->last)
		list->last->next = message;
	else
		list->first = message;
	list->last = message;
	b->size = 0;
	if (out) *out = message;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_add_message(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                    sheaf_hdf5_message_type type, unsigned flags)
{
	return keep(w, &object->messages, (sheaf_hdf5_message){.type = type, .flags = (uint8_t)flags}, NULL);
}

sheaf_status sheaf_hdf5_add_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                                      sheaf_hdf5_message **out)
{
	sheaf_hdf5_message like = {.type = SHEAF_HDF5_ATTRIBUTE, .order = object->next_attribute};
	SHEAF_TRY(sheaf_catalog_text(w->catalog, &like.name, w->err, "%s", name));
	SHEAF_TRY(keep(w, &object->attributes, like, out));
	object->next_attribute++;
	return SHEAF_OK;
}

/* ---- spaces and types ---- */

void sheaf_hdf5_put_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit)
{
	enum { VERSION = 2, SIMPLE = 1, LIMITS = 1 };
	const uint8_t head[] = {VERSION, 1, has_limit ? 0 : LIMITS, SIMPLE};
	sheaf_builder_append(b, head, sizeof head);
	sheaf_hdf5_put_length(w, b, (uint64_t)count);
	if (!has_limit) sheaf_hdf5_put_length(w, b, UINT64_MAX);
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

static void float_type(sheaf_builder *b, size_t size, bool is_big)
{
	enum { FLOAT = 1, IMPLIED = 2 << 4 };
	unsigned exponent = size == 4 ? 8 : 11, fraction = size == 4 ? 23 : 52;
	head_of_type(b, FLOAT, (unsigned)(size * 8 - 1) << 8 | IMPLIED | is_big, size);
	sheaf_hdf5_put(
		NULL, b, "2211114",
		(const int64_t[]){0, (int64_t)size * 8, fraction, exponent, 0, fraction, (1 << (exponent - 1)) - 1});
}

static void integer_type(sheaf_builder *b, size_t size, bool is_signed, bool is_big)
{
	enum { INTEGER = 0, SIGNED = 8 };
	head_of_type(b, INTEGER, (is_signed ? SIGNED : 0) | is_big, size);
	sheaf_hdf5_put_number(b, 0, 2);
	sheaf_hdf5_put_number(b, size * 8, 2);
}

void sheaf_hdf5_put_type(sheaf_builder *b, sheaf_type type, bool is_big)
{
	size_t size = sheaf_type_size(type);
	if (type >= SHEAF_F32)
		float_type(b, size, is_big);
	else
		integer_type(b, size, type >= SHEAF_I8, is_big);
}

void sheaf_hdf5_put_fixed_text_type(sheaf_builder *b, size_t size, bool is_padded)
{
	enum { TEXT = 3, PADDED = 1 /* by NULs */, UTF8 = 1 << 4 };
	head_of_type(b, TEXT, is_padded ? PADDED | UTF8 : 0, size);
}

/* Sequences whose elements are in a heap. */
static void sequence_type(const sheaf_hdf5_writer *w, sheaf_builder *b, unsigned flags)
{
	enum { SEQUENCE = 9 };
	head_of_type(b, SEQUENCE, flags, 8 + w->reader.address_size);
}

void sheaf_hdf5_put_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b)
{
	enum { TEXT = 1, UTF8 = 1 << 8 };
	sequence_type(w, b, TEXT | UTF8);
	integer_type(b, 1, false, false);
}

static void reference_type(sheaf_builder *b)
{
	enum { REFERENCE = 7 };
	head_of_type(b, REFERENCE, 0, 8);
}

void sheaf_hdf5_put_references_type(const sheaf_hdf5_writer *w, sheaf_builder *b)
{
	sequence_type(w, b, 0);
	reference_type(b);
}

/* A member of a compound of version 1: its name up to a multiple of eight, where it stands, and dimensions
 * that it has none of. */
static void member(sheaf_builder *b, const char *name, unsigned offset)
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
	enum { COMPOUND = 6, MEMBERS = 2 };
	head_of_type(b, COMPOUND, MEMBERS, SHEAF_HDF5_USE);
	member(b, "dataset", 0);
	reference_type(b);
	member(b, "dimension", 8);
	integer_type(b, 4, true, false);
}

/* ---- links and attributes ---- */

static unsigned bits_of_width(size_t size) { return size <= UINT8_MAX ? 0 : size <= UINT16_MAX ? 1 : 2; }

void sheaf_hdf5_put_link(const sheaf_hdf5_writer *w, sheaf_builder *b, const sheaf_hdf5_link *link)
{
	enum { VERSION = 1, HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARSET = 16 };
	unsigned width = bits_of_width(link->name_size);
	bool has_order = link->group->link_order & SHEAF_HDF5_TRACKED;
	sheaf_hdf5_put_number(b, VERSION, 1);
	sheaf_hdf5_put_number(b,
	                      width | (has_order ? HAS_ORDER : 0) | (link->kind ? HAS_KIND : 0) |
	                          (link->is_utf8 ? HAS_CHARSET : 0),
	                      1);
	if (link->kind) sheaf_hdf5_put_number(b, link->kind, 1);
	if (has_order) sheaf_hdf5_put_number(b, (uint64_t)link->order, 8);
	if (link->is_utf8) sheaf_hdf5_put_number(b, 1, 1);
	sheaf_hdf5_put_number(b, link->name_size, (size_t)1 << width);
	sheaf_builder_append(b, link->name, link->name_size);
	if (link->kind) {
		sheaf_hdf5_put_number(b, link->value.size, 2);
		sheaf_builder_append(b, link->value.data, link->value.size);
	} else {
		sheaf_hdf5_put_address(w, b, link->to ? link->to->address : link->address);
	}
}

sheaf_status sheaf_hdf5_put_attribute(sheaf_hdf5_writer *w, const char *name)
{
	enum { VERSION = 3, LONGEST = 60000 };
	bool is_ascii = true;
	sheaf_builder *b = &w->message;
	size_t size = strlen(name) + 1;
	if (size > LONGEST)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected names of less than %d bytes, found %zu",
		                  w->reader.store->name, LONGEST, size - 1);
	for (size_t i = 0; i < size; i++) is_ascii &= (uint8_t)name[i] < 0x80;
	int64_t head[] = {VERSION, (int64_t)size, (int64_t)w->type.size, (int64_t)w->space.size, !is_ascii};
	sheaf_hdf5_put(w, b, "22221", head);
	sheaf_builder_append(b, name, size);
	sheaf_builder_append(b, w->type.data, w->type.size);
	sheaf_builder_append(b, w->space.data, w->space.size);
	sheaf_builder_append(b, w->value.data, w->value.size);
	SHEAF_TRY(sheaf_builder_status(&w->type, w->err));
	SHEAF_TRY(sheaf_builder_status(&w->space, w->err));
	SHEAF_TRY(sheaf_builder_status(&w->value, w->err));
	return sheaf_builder_status(b, w->err);
}
