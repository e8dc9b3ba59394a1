/* SPDX-License-Identifier: MIT */
/* Dataspaces and types: how many elements there are, and what they are. A type may have others within it
 * (members of compounds, the base of enumerations, sequences and arrays), to a limited depth. Every type
 * is read to its end even if nobody can use it, because what follows it in a message begins there. */
#include "container/hdf5/read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- spaces ---- */

/* The undefined length is a dimension without a limit. */
static sheaf_status take_extents(const sheaf_hdf5_look *l, sheaf_cursor *c, const char *field, int rank,
                                 uint64_t out[])
{
	uint64_t none = l->r->length_size == 8 ? UINT64_MAX : UINT32_MAX;
	for (int i = 0; i < rank; i++) {
		uint64_t n = sheaf_hdf5_take_length(l->r, c, field);
		out[i] = n == none ? UINT64_MAX : n;
	}
	return sheaf_hdf5_done(l, c);
}

/* Takes a dataspace: its rank, its extents and their limits. Version 1 has no class: rank 0 is a scalar.
 * Extents beyond their limits are damage. A product that overflows is not, if one of the extents is 0;
 * else the count is UINT64_MAX. */
sheaf_status sheaf_hdf5_take_space(const sheaf_hdf5_look *l, sheaf_cursor *c, sheaf_hdf5_space *out)
{
	enum { LIMITED = 1, NOTHING = 2 };
	unsigned class = 0;
	*out = (sheaf_hdf5_space){0};
	unsigned version = sheaf_hdf5_byte(c, 1, 2, "a dataspace of version 1 or 2");
	unsigned rank = sheaf_hdf5_byte(c, 0, SHEAF_HDF5_MOST_DIMENSIONS, "at most 32 dimensions");
	unsigned flags = sheaf_hdf5_byte(c, 0, LIMITED, "flags of a dataspace: 0 or 1");
	if (version == 1)
		sheaf_cursor_bytes(c, 1, 5, "a dataspace");
	else
		class = sheaf_hdf5_byte(c, 0, NOTHING, "a dataspace of class 0 to 2");
	out->is_null = class == NOTHING;
	out->rank = (int)rank;
	SHEAF_TRY(take_extents(l, c, "as many extents as dimensions", out->rank, out->dims));
	memcpy(out->most, out->dims, sizeof out->most);
	if (flags & LIMITED) SHEAF_TRY(take_extents(l, c, "as many limits as dimensions", out->rank, out->most));
	out->count = !out->is_null;
	for (int i = 0; i < out->rank; i++) {
		if (out->dims[i] > out->most[i])
			return sheaf_hdf5_refuse(l, sheaf_cursor_tell(c), "extents within their limits", out->dims[i]);
		if (__builtin_mul_overflow(out->count, out->dims[i], &out->count)) out->count = UINT64_MAX;
	}
	for (int i = 0; i < out->rank; i++)
		if (out->dims[i] == 0) out->count = 0;
	return SHEAF_OK;
}

/* ---- types ---- */

enum { MOST_TYPES = 32 /* nested */, NEWEST = 5 };

static sheaf_status take_type(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out);

/* The numbers within a type are stored like those of another one. */
static void take_bits(sheaf_hdf5_type *out, const sheaf_hdf5_type *base)
{
	out->bits = base->bits;
	out->is_big = base->is_big;
	out->is_signed = base->is_signed;
	out->offset = base->offset;
	out->precision = base->precision;
}

/* A name and its NUL, padded to a multiple of eight before version 3. */
static const char *take_name(sheaf_cursor *c, unsigned version)
{
	size_t size;
	const char *name = (const char *)sheaf_cursor_string(c, &size, "a name that ends within its message");
	if (name && version < 3) sheaf_cursor_bytes(c, 1, 7 - size % 8, "a name that ends within its message");
	return name ? name : "";
}

/* The parts of an element's name: "[1,0]", the place in the array, and "" where there is none. */
static void name_place(const sheaf_hdf5_type *type, uint64_t number, char out[120])
{
	uint64_t places[SHEAF_MAX_RANK];
	size_t n = 0;
	*out = '\0';
	for (int d = type->rank - 1; d >= 0; d--) {
		places[d] = number % type->dims[d];
		number /= type->dims[d];
	}
	for (int d = 0; d < type->rank; d++)
		n += (size_t)snprintf(out + n, 120 - n, "%s%u%s", d ? "," : "[", (unsigned)places[d],
		                      d == type->rank - 1 ? "]" : "");
}

/* Notes a member in l->members. The members of a compound that is a member itself are there already, from
 * byte `at` on: each is replaced by one that has both names. An array becomes a member for each of its
 * elements. What would be too many columns stays one member, which nobody reads. */
static sheaf_status note_member(const sheaf_hdf5_look *l, const sheaf_hdf5_member *member, size_t at)
{
	enum { MOST = 1 << 14 };
	sheaf_hdf5_member whole = {.name = "", .type = member->type};
	const sheaf_hdf5_type *type = &member->type;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder inner = {.cx = l->r->cx};
	size_t elements = type->rank ? type->stored / type->size : 1, size = sizeof whole;
	bool is_nested = type->class == SHEAF_HDF5_COMPOUND && !type->is_complex;
	whole.type.rank = 0;
	whole.type.stored = whole.type.is_list ? type->stored : type->size;
	if (is_nested) sheaf_builder_append(&inner, l->members->data + at, l->members->size - at);
	l->members->size = at;
	if (!is_nested) sheaf_builder_append(&inner, &whole, size);
	SHEAF_TRY(sheaf_builder_status(&inner, l->err));
	if (elements > MOST || elements * (inner.size / size) + at / size > MOST || inner.size == 0) {
		sheaf_hdf5_member other = *member;
		other.type.class = SHEAF_HDF5_ARRAY;
		other.type.is_list = false;
		return sheaf_hdf5_note(l->members, &other, size, l->err);
	}
	for (size_t i = 0; i < elements; i++)
		for (size_t k = 0; k < inner.size; k += size) {
			char place[120];
			sheaf_hdf5_member it;
			memcpy(&it, inner.data + k, size);
			name_place(type, i, place);
			it.offset += member->offset + i * type->size;
			SHEAF_TRY(sheaf_catalog_text(l->catalog, &it.name, l->err, "%s%s%s%s", member->name, place,
			                             is_nested ? "." : "", it.name));
			SHEAF_TRY(sheaf_hdf5_note(l->members, &it, size, l->err));
		}
	return SHEAF_OK;
}

/* Takes the members of a compound. Two floats of the same kind, named r and i (or as in MATLAB), side by
 * side, without padding, make a complex number, whose bits are those of the parts. `room`: the depth that
 * types may still have. */
static sheaf_status take_members(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out)
{
	enum { DIMENSIONS = 28 /* bytes that only version 1 has */ };
	unsigned count = out->flags & 0xffff;
	sheaf_hdf5_type first = {0}, member = {0};
	bool is_complex = count == 2;
	for (unsigned i = 0; i < count; i++) {
		const char *name = take_name(c, out->version);
		/* The names that h5py gives the parts of a complex number, and those of MATLAB. */
		is_complex =
			is_complex && (strcmp(name, i ? "i" : "r") == 0 || strcmp(name, i ? "imag" : "real") == 0);
		uint64_t offset = sheaf_hdf5_take(c, out->version < 3 ? 4 : sheaf_hdf5_bytes_for(out->size),
		                                  "an offset of a member");
		if (out->version == 1) sheaf_cursor_bytes(c, 1, DIMENSIONS, "dimensions of a member");
		int64_t byte = sheaf_cursor_tell(c);
		size_t noted = l->members ? l->members->size : 0;
		SHEAF_TRY(take_type(l, c, room - 1, &member));
		if (offset >= out->size || member.stored > out->size - offset)
			return sheaf_hdf5_refuse(l, byte, "a member within its compound", offset);
		is_complex = is_complex && offset == (uint64_t)i * member.size;
		if (l->members)
			SHEAF_TRY(
				note_member(l, &(sheaf_hdf5_member){.name = name, .offset = offset, .type = member}, noted));
		if (i == 0) first = member;
	}
	out->is_complex =
		is_complex &&
		(first.class == SHEAF_HDF5_FLOAT && member.class == SHEAF_HDF5_FLOAT && first.size == member.size &&
	     first.is_big == member.is_big && memcmp(&first.bits, &member.bits, sizeof first.bits) == 0) &&
		first.stored == first.size && member.stored == first.size && out->size == 2 * first.size;
	if (out->is_complex) take_bits(out, &first);
	return SHEAF_OK;
}

/* A stored value of an enumeration, of at most eight bytes. */
static int64_t code_of(const sheaf_hdf5_type *base, const uint8_t *bytes)
{
	uint64_t code = 0;
	for (unsigned i = 0; i < base->size; i++) code = code << 8 | bytes[base->is_big ? i : base->size - 1 - i];
	unsigned unused = 64 - 8 * base->size;
	return base->is_signed ? (int64_t)(code << unused) >> unused : (int64_t)code;
}

/* Takes the names and values of an enumeration, whose numbers are those of its base type. FALSE and TRUE,
 * 0 and 1 in a byte, are truth values, as h5py writes them. Others keep their names, if there is a catalog
 * for them. */
static sheaf_status take_names(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out)
{
	unsigned count = out->flags & 0xffff;
	sheaf_hdf5_type base;
	sheaf_box_name *names = NULL;
	bool is_bool = count == 2 && out->size == 1;
	int64_t byte = sheaf_cursor_tell(c);
	SHEAF_TRY(take_type(l, c, room - 1, &base));
	if (base.size != out->size)
		return sheaf_hdf5_refuse(l, byte, "an enumeration as wide as its values", base.size);
	bool is_named = l->catalog && base.class == SHEAF_HDF5_INTEGER && base.precision == 8 * base.size &&
	                base.size <= sizeof(int64_t) && count <= sheaf_cursor_left(c);
	if (is_named) SHEAF_TRY(sheaf_catalog_allocate(l->catalog, count * sizeof *names, &names, l->err));
	for (unsigned i = 0; i < count && !c->failed; i++) {
		const char *name = take_name(c, out->version);
		is_bool = strcmp(name, i ? "TRUE" : "FALSE") == 0 && is_bool;
		if (is_named) SHEAF_TRY(sheaf_catalog_text(l->catalog, &names[i].text, l->err, "%s", name));
	}
	const uint8_t *values = sheaf_cursor_bytes(c, count, base.size, "values of an enumeration");
	SHEAF_TRY(sheaf_hdf5_done(l, c));
	out->is_bool = is_bool && base.class == SHEAF_HDF5_INTEGER && values[0] == 0 && values[1] == 1;
	take_bits(out, &base);
	if (!is_named || out->is_bool || count == 0) return SHEAF_OK;
	for (unsigned i = 0; i < count; i++) names[i].code = code_of(&base, values + (size_t)i * base.size);
	out->nnames = (int)count;
	qsort(names, count, sizeof *names, sheaf_box_compare_names);
	out->names = names;
	return SHEAF_OK;
}

/* Takes the parameters of integers, floats and bit fields, which say where their bits are: offset and
 * precision, and for floats the places and numbers of bits of exponent and mantissa, and the bias. The
 * flags have the place of the sign, and whether the leading bit of the mantissa is implied. VAX floats
 * have an order of bytes that no type of ours has. */
static sheaf_status take_number(const sheaf_hdf5_look *l, sheaf_cursor *c, sheaf_hdf5_type *out)
{
	enum { VAX = 64, SIGNED = 8 };
	static const char what[] = "parameters of a type";
	bool is_float = out->class == SHEAF_HDF5_FLOAT;
	out->is_big = out->flags & 1;
	out->is_signed = is_float || (out->class == SHEAF_HDF5_INTEGER && (out->flags & SIGNED));
	out->offset = (uint16_t)sheaf_hdf5_take(c, 2, what);
	out->precision = (uint16_t)sheaf_hdf5_take(c, 2, what);
	if (!is_float) return sheaf_hdf5_done(l, c);
	out->bits.exponent = sheaf_cursor_u8(c, what);
	out->bits.exponent_bits = sheaf_cursor_u8(c, what);
	out->bits.mantissa = sheaf_cursor_u8(c, what);
	out->bits.mantissa_bits = sheaf_cursor_u8(c, what);
	out->bits.bias = sheaf_cursor_u32le(c, what);
	out->bits.sign = (uint8_t)(out->flags >> 8);
	out->bits.norm = out->flags & VAX ? UINT8_MAX /* no byte order of ours */ : out->flags >> 4 & 3;
	return sheaf_hdf5_done(l, c);
}

/* Takes an array, which becomes the type of its elements with dimensions; within an array, one of more.
 * Arrays of lists, and of more dimensions than a tensor has, stay what they are. */
static sheaf_status take_array(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out)
{
	sheaf_hdf5_type base;
	uint64_t dims[SHEAF_HDF5_MOST_DIMENSIONS], size = 1;
	unsigned rank = sheaf_hdf5_byte(c, 1, SHEAF_HDF5_MOST_DIMENSIONS, "1 to 32 dimensions of a type");
	if (out->version < 3) sheaf_cursor_bytes(c, 1, 3, "dimensions of a type");
	int64_t byte = sheaf_cursor_tell(c);
	for (unsigned i = 0; i < rank; i++) dims[i] = sheaf_hdf5_take(c, 4, "dimensions of a type");
	sheaf_cursor_bytes(c, out->version < 3 ? rank : 0, 4, "dimensions of a type");
	SHEAF_TRY(take_type(l, c, room - 1, &base));
	for (unsigned i = 0; i < rank; i++)
		if (__builtin_mul_overflow(size, dims[i], &size)) size = UINT64_MAX;
	if (__builtin_mul_overflow(size, base.stored, &size) || size != out->stored)
		return sheaf_hdf5_refuse(l, byte, "an array as large as its elements", out->stored);
	if (base.is_list || base.class == SHEAF_HDF5_ARRAY || rank + (unsigned)base.rank > SHEAF_MAX_RANK)
		return SHEAF_OK;
	base.stored = out->stored;
	memmove(base.dims + rank, base.dims, (size_t)base.rank * sizeof *base.dims);
	for (unsigned i = 0; i < rank; i++) base.dims[i] = (uint32_t)dims[i];
	base.rank += (int)rank;
	*out = base;
	return SHEAF_OK;
}

/* Takes a type whose elements are references to texts or to other elements. Lists of numbers become the type
 * of their numbers. */
static sheaf_status take_sequence(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out)
{
	enum { IS_TEXT = 1 };
	sheaf_hdf5_type base;
	int64_t byte = sheaf_cursor_tell(c);
	size_t noted = l->members ? l->members->size : 0;
	SHEAF_TRY(take_type(l, c, room - 1, &base));
	if (l->members) l->members->size = noted; /* nobody reads those of compounds in lists */
	if (out->size != SHEAF_HDF5_REFERENCE_SIZE(l->r))
		return sheaf_hdf5_refuse(l, byte - 4, "elements as long as a reference", out->size);
	out->is_variable_text = (out->flags & 15) == IS_TEXT;
	bool are_numbers = base.class == SHEAF_HDF5_INTEGER || base.class == SHEAF_HDF5_FLOAT;
	if (out->is_variable_text || !are_numbers || base.rank || base.is_list) return SHEAF_OK;
	base.stored = out->stored;
	base.is_list = true;
	*out = base;
	return SHEAF_OK;
}

/* Takes what follows the head of a type, by its class, in the numbers of the specification. Types within
 * it are taken too, at most `room` deep. */
static sheaf_status take_rest(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out)
{
	enum { SPACES = 2, UTF8 = 1 };
	switch (out->class) {
	case SHEAF_HDF5_INTEGER:
	case SHEAF_HDF5_FLOAT:
	case SHEAF_HDF5_BITS: return take_number(l, c, out);
	case SHEAF_HDF5_TIME: sheaf_cursor_bytes(c, 1, 2, "parameters of a type"); return SHEAF_OK;
	case SHEAF_HDF5_OPAQUE: sheaf_cursor_bytes(c, 1, out->flags & 0xff, "a tag of a type"); return SHEAF_OK;
	case SHEAF_HDF5_COMPOUND: return take_members(l, c, room, out);
	case SHEAF_HDF5_ENUMERATION: return take_names(l, c, room, out);
	case SHEAF_HDF5_SEQUENCE: return take_sequence(l, c, room, out);
	case SHEAF_HDF5_ARRAY: return take_array(l, c, room, out);
	case SHEAF_HDF5_COMPLEX: { /* numbers of two equal floats */
		sheaf_hdf5_type base;
		int64_t byte = sheaf_cursor_tell(c);
		SHEAF_TRY(take_type(l, c, room - 1, &base));
		if (base.stored * UINT64_C(2) != out->size)
			return sheaf_hdf5_refuse(l, byte, "two parts of a complex number", base.stored);
		out->is_complex = base.class == SHEAF_HDF5_FLOAT && base.rank == 0;
		take_bits(out, &base);
		return SHEAF_OK;
	}
	case SHEAF_HDF5_STRING:
		return (out->flags & 15) <= SPACES && (out->flags >> 4 & 15) <= UTF8
		           ? SHEAF_OK
		           : sheaf_hdf5_decline(l, sheaf_cursor_tell(c),
		                                "texts with another padding or character set");
	default: return SHEAF_OK;
	}
}

/* Takes a type: class and version in one byte, 24 flags, size, and the rest, which depends on the class.
 * `room`: how many types may still be within each other. */
static sheaf_status take_type(const sheaf_hdf5_look *l, sheaf_cursor *c, int room, sheaf_hdf5_type *out)
{
	int64_t byte = sheaf_cursor_tell(c);
	unsigned first = sheaf_cursor_u8(c, "a type");
	*out = (sheaf_hdf5_type){.class = first & 15, .version = first >> 4};
	out->flags = (unsigned)sheaf_hdf5_take(c, 3, "a type");
	out->size = out->stored = sheaf_cursor_u32le(c, "a size of a type");
	SHEAF_TRY(sheaf_hdf5_done(l, c));
	if (room == 0) return sheaf_hdf5_refuse(l, byte, "at most 32 types within each other", out->class);
	if (out->version == 0) return sheaf_hdf5_refuse(l, byte, "a type of a version from 1", 0);
	if (out->version > NEWEST || out->class > SHEAF_HDF5_COMPLEX)
		return sheaf_hdf5_decline(l, byte, "a type of a later version");
	if (out->size == 0) return sheaf_hdf5_refuse(l, byte + 4, "a type that takes bytes", 0);
	SHEAF_TRY(take_rest(l, c, room, out));
	return sheaf_hdf5_done(l, c);
}

/* ---- committed types ---- */

/* Takes a message that is shared, which is replaced by the address of the object that has it. In version
 * 3 it may instead be in a table of the file's shared messages, which is not read here. */
static sheaf_status take_shared(const sheaf_hdf5_look *l, sheaf_cursor *c, int64_t *address)
{
	enum { COMMITTED = 2 };
	unsigned version = sheaf_hdf5_byte(c, 1, 3, "a shared message of version 1 to 3");
	int64_t byte = sheaf_cursor_tell(c);
	unsigned type = sheaf_cursor_u8(c, "a shared message");
	/* Zeros, and a name that nothing refers to any more. */
	if (version == 1) sheaf_cursor_bytes(c, 1, 6 + l->r->length_size, "a shared message");
	if (version == 3 && type != COMMITTED)
		return sheaf_hdf5_decline(l, byte, "a message in a table of shared ones");
	*address = sheaf_hdf5_take_address(l->r, c, "the address of a shared message");
	return sheaf_hdf5_done(l, c);
}

/* Takes a type, or the committed type to which a shared message leads. That one is read by a look of its
 * own, so that the current structure stays where it is. */
sheaf_status sheaf_hdf5_take_type(const sheaf_hdf5_look *l, sheaf_cursor *c, bool is_shared,
                                  sheaf_hdf5_type *out)
{
	int64_t address = -1;
	if (!is_shared) return take_type(l, c, MOST_TYPES, out);
	SHEAF_TRY(take_shared(l, c, &address));
	/* A committed type is an object of its own, whose header has the type as a message. It may not be shared
	 * again: no chain of references. */
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, l->r, address, l->err));
	v.l.members = l->members;
	v.l.catalog = l->catalog;
	const sheaf_hdf5_part *part = sheaf_hdf5_part_find(&v.h, SHEAF_HDF5_TYPE);
	if (!part || (part->flags & SHEAF_HDF5_SHARED))
		return sheaf_hdf5_refuse(&v.l, l->r->base + address, "an object that is a type", 0);
	sheaf_cursor message = sheaf_hdf5_part_cursor(&v.h, part);
	return take_type(&v.l, &message, MOST_TYPES, out);
}
