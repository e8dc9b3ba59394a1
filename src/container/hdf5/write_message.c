/* SPDX-License-Identifier: MIT */
/* The messages in headers of objects, field by field, as in the HDF5 File Format Specification. Each
 * function appends to a builder, whose failure is noticed when the message is taken from it. */
#include "container/hdf5/write.h"

/* ---- spaces and types ---- */

/* One dimension. One without a limit has the undefined length as its largest extent. */
void sheaf_hdf5_put_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit)
{
	enum { VERSION = 2, RANK = 1, SIMPLE = 1 };
	SHEAF_HDF5_PUT(w, b, has_limit ? "1111L" : "1111LL", VERSION, RANK, !has_limit, SIMPLE, count, -1);
}

/* Version 2, rank, no flags, class simple or scalar, extents. */
void sheaf_hdf5_put_shape(const sheaf_hdf5_writer *w, sheaf_builder *b, const int64_t *shape, int rank)
{
	SHEAF_HDF5_PUT(w, b, "1111", 2, rank, 0, rank > 0);
	for (int d = 0; d < rank; d++) SHEAF_HDF5_PUT(w, b, "L", shape[d]);
}

/* Version 1, class, three bytes of flags, size. */
void sheaf_hdf5_put_type_head(sheaf_builder *b, unsigned class, unsigned flags, size_t size)
{
	SHEAF_HDF5_PUT(NULL, b, "134", 1 << 4 | class, flags, (int64_t)size);
}

/* Appends a type message: integers of all bits, and the floats of IEEE 754: where the parts are, and the
 * bias of the exponent. */
void sheaf_hdf5_put_type(sheaf_builder *b, sheaf_type type, bool is_big)
{
	enum { IMPLIED = 2 << 4, SIGNED = 8 };
	size_t size = sheaf_type_size(type);
	unsigned bits = 8 * (unsigned)size, exponent = size == 4 ? 8 : 11, fraction = size == 4 ? 23 : 52;
	if (type < SHEAF_F32) {
		sheaf_hdf5_put_type_head(b, SHEAF_HDF5_INTEGER, (type >= SHEAF_I8 ? SIGNED : 0) | is_big, size);
		SHEAF_HDF5_PUT(NULL, b, "22", 0, bits);
	} else {
		sheaf_hdf5_put_type_head(b, SHEAF_HDF5_FLOAT, (bits - 1) << 8 | IMPLIED | is_big, size);
		SHEAF_HDF5_PUT(NULL, b, "2211114", 0, bits, fraction, exponent, 0, fraction,
		               (1 << (exponent - 1)) - 1);
	}
}

/* Types in which others occur have version 3, whose names are not padded. Truth values are an enumeration,
 * and complex numbers a compound, as h5py has them. */
void sheaf_hdf5_put_element(sheaf_builder *b, sheaf_box_class what, sheaf_type type)
{
	enum { VERSION = 3 << 4, MEMBERS = 2 };
	static const uint8_t truth[] = "FALSE\0TRUE\0\0\1";
	int64_t size = (int64_t)sheaf_type_size(type);
	if (what == SHEAF_BOX_BOOLS) {
		SHEAF_HDF5_PUT(NULL, b, "134", VERSION | SHEAF_HDF5_ENUMERATION, MEMBERS, size);
		sheaf_hdf5_put_type(b, SHEAF_I8, false);
		sheaf_builder_append(b, truth, sizeof truth - 1);
	} else if (what == SHEAF_BOX_COMPLEX) {
		SHEAF_HDF5_PUT(NULL, b, "134", VERSION | SHEAF_HDF5_COMPOUND, MEMBERS, 2 * size);
		for (int part = 0; part < MEMBERS; part++) {
			sheaf_builder_append(b, part ? "i" : "r", 2);
			sheaf_hdf5_put_number(b, (uint64_t)(part * size), 1);
			sheaf_hdf5_put_type(b, type, false);
		}
	} else {
		sheaf_hdf5_put_type(b, type, false);
	}
}

/* A sequence of bytes, marked as text. */
void sheaf_hdf5_put_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b)
{
	enum { TEXT = 1, UTF8 = 1 << 8 };
	sheaf_hdf5_put_type_head(b, SHEAF_HDF5_SEQUENCE, TEXT | UTF8, SHEAF_HDF5_REFERENCE_SIZE(&w->reader));
	sheaf_hdf5_put_type(b, SHEAF_U8, false);
}

/* A compound of version 3, whose offsets take as many bytes as its size needs. */
void sheaf_hdf5_put_record_type(const sheaf_hdf5_writer *w, sheaf_builder *b,
                                const sheaf_box_records *records)
{
	enum { VERSION = 3 << 4 };
	uint64_t size = 0, at = 0;
	for (int pass = 0; pass < 2; pass++) {
		size_t width = size < 1 << 8 ? 1 : size < 1 << 16 ? 2 : size < 1 << 24 ? 3 : 4;
		if (pass)
			SHEAF_HDF5_PUT(NULL, b, "134", VERSION | SHEAF_HDF5_COMPOUND, records->nmembers, (int64_t)size);
		for (int m = 0; m < records->nmembers; m++) {
			const sheaf_box_member *member = &records->members[m];
			bool is_text = member->what == SHEAF_BOX_TEXTS;
			uint64_t bytes = is_text ? SHEAF_HDF5_REFERENCE_SIZE(&w->reader) : sheaf_box_member_size(member);
			size += pass ? 0 : bytes;
			if (!pass) continue;
			sheaf_builder_append(b, member->name, strlen(member->name) + 1);
			sheaf_hdf5_put_number(b, at, width);
			at += bytes;
			if (is_text)
				sheaf_hdf5_put_text_type(w, b);
			else
				sheaf_hdf5_put_element(b, member->what, member->type);
		}
	}
}

/* ---- links and attributes ---- */

/* Appends a link message: version, flags, kind, order, character set, name, target; a hard link leads to
 * the address of an object. The size of a name takes one byte if it can; names are never longer than two
 * bytes can count. */
void sheaf_hdf5_put_link(const sheaf_hdf5_writer *w, sheaf_builder *b, const sheaf_hdf5_link *link)
{
	enum { VERSION = 1, HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARSET = 16 };
	unsigned width = link->name_size <= UINT8_MAX ? 0 : 1;
	bool has_order = link->group->link_order & SHEAF_HDF5_TRACKED;
	unsigned flags =
		width | (has_order ? HAS_ORDER : 0) | (link->kind ? HAS_KIND : 0) | (link->is_utf8 ? HAS_CHARSET : 0);
	SHEAF_HDF5_PUT(w, b, "11", VERSION, flags);
	if (link->kind) sheaf_hdf5_put_number(b, link->kind, 1);
	if (has_order) sheaf_hdf5_put_number(b, (uint64_t)link->order, 8);
	if (link->is_utf8) sheaf_hdf5_put_number(b, 1, 1);
	sheaf_hdf5_put_number(b, link->name_size, (size_t)1 << width);
	sheaf_builder_append(b, link->name, link->name_size);
	if (link->kind) {
		sheaf_hdf5_put_number(b, link->value.size, 2);
		sheaf_builder_append(b, link->value.data, link->value.size);
	} else {
		SHEAF_HDF5_PUT(w, b, "A", link->to ? link->to->address : link->address);
	}
}

/* Empties all parts. */
void sheaf_hdf5_begin_attribute(sheaf_hdf5_writer *w)
{
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
}

/* Makes an attribute message (version 3) in w->message from w->type, w->space and w->value: the sizes of
 * name and parts, the character set of the name, the name with its NUL, and the parts, without padding. */
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
