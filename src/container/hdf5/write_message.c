/* SPDX-License-Identifier: MIT */
/* The messages in headers of objects, field by field, as in the HDF5 File Format Specification. Each
 * function appends to a builder, whose failure is noticed when the message is taken from it. */
#include "container/hdf5/write.h"

/* ---- spaces and types ---- */

/* One dimension. One without a limit has the undefined length as its largest extent. */
void sheaf_hdf5_put_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit)
{
	enum { VERSION = 2, RANK = 1, SIMPLE = 1 };
	sheaf_hdf5_put(w, b, has_limit ? "1111L" : "1111LL",
	               (const int64_t[]){VERSION, RANK, !has_limit, SIMPLE, count, -1});
}

/* Version 2, rank 0, no flags, class scalar. */
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

/* Integers of all bits, and the floats of IEEE 754: where the parts are, and the bias of the exponent. */
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

void sheaf_hdf5_put_fixed_text_type(sheaf_builder *b, size_t size)
{
	head_of_type(b, SHEAF_HDF5_STRING, 0, size);
}

/* A sequence of bytes, marked as text. */
void sheaf_hdf5_put_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b)
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

/* A member of a compound of version 1: its name padded to a multiple of eight, its offset, and dimensions, of
 * which it has none. */
static void put_member(sheaf_builder *b, const char *name, unsigned offset)
{
	enum { DIMENSIONS = 28 };
	size_t size = strlen(name) + 1;
	sheaf_builder_append(b, name, size);
	sheaf_hdf5_put_zeros(b, -size % 8);
	sheaf_hdf5_put_number(b, offset, 4);
	sheaf_hdf5_put_zeros(b, DIMENSIONS);
}

/* A reference and a number, which HDF5's dimension scales call "dataset" and "dimension". */
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

/* The size of a name takes one byte if it can; names are never longer than two bytes can count. */
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

/* Empties all parts. */
void sheaf_hdf5_begin_attribute(sheaf_hdf5_writer *w)
{
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
}

/* Version 3: the sizes of the three parts, the character set of the name, the name, and the parts,
 * without padding. */
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
