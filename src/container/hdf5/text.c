/* SPDX-License-Identifier: MIT */
/* Texts: of fixed length, with any padding, and of variable length, which are in collections of the
 * global heap. A reference has a length, the address of a collection, and the number of an object in it.
 * Texts are mostly read in the order in which they were written, many from one collection, so the last
 * collection stays in memory with a table of where its objects are; a lock protects both, because several
 * threads read. */
#include "container/hdf5/read.h"
#include <string.h>

enum { ENDED_BY_NUL, PADDED_BY_NUL, PADDED_BY_SPACES };

/* ---- collections ---- */

typedef struct object {
	size_t at, size; /* in the collection; at 0: there is none */
} object;

enum { HEAD = 16 }; /* of a collection and of an object: padded to a multiple of eight, like all parts */

/* Records where the objects of the collection are that the look has read: each has a number, a count,
 * four bytes, its size, and its contents, padded to eight bytes. Number 0 is the free space after all of
 * them. r->objects is indexed by number. */
static sheaf_status find_objects(sheaf_hdf5_reader *r, sheaf_hdf5_look *l)
{
	sheaf_cursor *c = &l->c;
	static const char what[] = "an object of a collection";
	while (sheaf_cursor_left(c) >= HEAD) {
		int64_t byte = sheaf_cursor_tell(c), f[2]; /* number, size */
		SHEAF_TRY(sheaf_hdf5_fields(l, c, r->length_size == 8 ? "2-6L" : "2-6L-4", what, f));
		size_t number = (size_t)f[0], known = r->objects.size / sizeof(object);
		object o = {(size_t)(c->at - c->begin), (size_t)f[1]};
		if (number == 0) break;
		if ((uint64_t)f[1] > sheaf_cursor_left(c))
			return sheaf_hdf5_refuse(l, byte, "a text within its collection", (uint64_t)f[1]);
		size_t whole = (o.size + 7) / 8 * 8, left = sheaf_cursor_left(c);
		sheaf_cursor_bytes(c, 1, whole < left ? whole : left, what);
		if (number >= known) {
			if (!sheaf_builder_room(&r->objects, (number + 1 - known) * sizeof o))
				return sheaf_builder_status(&r->objects, l->err);
			memset(r->objects.data + r->objects.size, 0, (number + 1 - known) * sizeof o);
			r->objects.size = (number + 1) * sizeof o;
		}
		memcpy(r->objects.data + number * sizeof o, &o, sizeof o);
	}
	return SHEAF_OK;
}

/* Which object of which collection, and how many bytes of it. */
typedef struct reference {
	uint64_t size;
	int64_t address;
	uint32_t number;
} reference;

/* Makes a collection the one that is in memory. It counts as absent until all of it was read and checked:
 * no collection is at address 0, whereas -1 is what a reference to nothing has. */
static sheaf_status read_collection(sheaf_hdf5_reader *r, int64_t address, sheaf_error *err)
{
	static const char what[] = "a collection of texts";
	SHEAF_SCOPED(sheaf_hdf5_look_end) sheaf_hdf5_look l;
	int64_t size;
	sheaf_hdf5_look_begin(&l, r, NULL, err);
	r->collection_at = 0;
	r->objects.size = r->collection.size = 0;
	SHEAF_TRY(sheaf_hdf5_peek(&l, what, address, 8 + r->length_size));
	SHEAF_TRY(sheaf_hdf5_fields(&l, &l.c, "-8L", what, &size));
	SHEAF_TRY(sheaf_hdf5_go(&l, what, address, (uint64_t)size, "GCOL\1", SHEAF_HDF5_PLAIN));
	SHEAF_TRY(sheaf_hdf5_fields(&l, &l.c, "-3-8", what, NULL));
	SHEAF_TRY(find_objects(r, &l));
	SHEAF_TRY(sheaf_hdf5_note(&r->collection, l.bytes.data, l.bytes.size, err));
	r->collection_at = address;
	return SHEAF_OK;
}

/* Finds the elements of a reference in the collection that is in memory; they stay until another one is. */
static sheaf_status find_elements(const sheaf_hdf5_reader *r, const reference *to, sheaf_bytes *out,
                                  sheaf_error *err)
{
	object o = {0};
	const sheaf_hdf5_look l = {.r = r, .err = err};
	int64_t byte = r->base + r->collection_at;
	if (to->number < r->objects.size / sizeof o)
		memcpy(&o, r->objects.data + to->number * sizeof o, sizeof o);
	if (o.at == 0)
		return sheaf_hdf5_refuse(&l, byte, "an object of the number that a text refers to in its collection",
		                         to->number);
	if (to->size > o.size)
		return sheaf_hdf5_refuse(&l, byte + (int64_t)o.at, "a text as long as its reference says", o.size);
	*out = (sheaf_bytes){r->collection.data + o.at, (size_t)to->size};
	return SHEAF_OK;
}

/* Appends the elements to which a reference leads. A reference of no elements, or to address 0, is an
 * empty text: it was never written. Most texts are in the collection that was read last, and found
 * without a look at the file. The lock guards that collection, as several threads read texts. */
sheaf_status sheaf_hdf5_append_sequence(sheaf_hdf5_reader *r, const uint8_t *reference_bytes, uint32_t width,
                                        bool is_text, sheaf_builder *out, sheaf_error *err)
{
	sheaf_bytes found = {0};
	/* The bytes of a reference have the size that it needs: nothing can be missing. */
	reference target;
	sheaf_cursor c = sheaf_cursor_over(reference_bytes, SHEAF_HDF5_REFERENCE_SIZE(r), -1);
	target.size = (uint64_t)sheaf_cursor_u32le(&c, "a reference") * width;
	target.address = sheaf_hdf5_take_address(r, &c, "a reference");
	target.number = sheaf_cursor_u32le(&c, "a reference");
	if (target.size == 0 || target.address == 0) return SHEAF_OK;
	sheaf_mutex_lock(&r->lock);
	sheaf_status status =
		r->collection_at == target.address ? SHEAF_OK : read_collection(r, target.address, err);
	if (!status) status = find_elements(r, &target, &found, err);
	if (!status && found.size)
		sheaf_builder_append(out, found.data,
		                     is_text ? strnlen((const char *)found.data, found.size) : found.size);
	if (!status) status = sheaf_builder_status(out, err);
	sheaf_mutex_unlock(&r->lock);
	return status;
}

/* Appends the numbers of a list, in this machine's order, or the text of an element, in the three ways of
 * padding of the specification. A text that ends at a NUL ends at the first one; one that is padded may have
 * NULs or spaces within it. */
sheaf_status sheaf_hdf5_append_text(sheaf_hdf5_reader *r, const sheaf_hdf5_type *type, const uint8_t *element,
                                    sheaf_builder *text, sheaf_error *err)
{
	size_t size = type->size;
	unsigned padding = type->flags & 15;
	if (type->is_variable_text) return sheaf_hdf5_append_sequence(r, element, 1, true, text, err);
	if (type->is_list) {
		size_t at = text->size;
		sheaf_type word = SHEAF_U8;
		SHEAF_TRY(sheaf_hdf5_append_sequence(r, element, type->size, false, text, err));
		bool is_swapped = type->is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		if (!is_swapped || !sheaf_box_number_type('u', type->size, &word) || text->size == at)
			return SHEAF_OK;
		sheaf_box_convert(
			(sheaf_box_stored){word, true, text->data + at, (text->size - at) / sheaf_type_size(word)}, word,
			text->data + at);
		return SHEAF_OK;
	}
	if (padding == ENDED_BY_NUL) size = strnlen((const char *)element, size);
	while (padding != ENDED_BY_NUL && size > 0 &&
	       (element[size - 1] == ' ' ? padding >= PADDED_BY_SPACES
	                                 : element[size - 1] == 0 && padding != PADDED_BY_SPACES))
		size--;
	return sheaf_hdf5_note(text, element, size, err);
}
