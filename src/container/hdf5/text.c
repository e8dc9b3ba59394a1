/* SPDX-License-Identifier: MIT */
/* Texts: of fixed length, with any padding, and of variable length, which are in collections of the
 * global heap. A reference has a length, the address of a collection, and the number of an object in it.
 * Texts are mostly read in the order in which they were written, many from one collection, so the last
 * collection stays in memory with a table of where its objects are; a lock protects both, because several
 * threads read. */
#include "base/checked.h"
#include "container/hdf5/read.h"
#include <string.h>

enum { ENDED_BY_NUL, PADDED_BY_NUL, PADDED_BY_SPACES };

/* The three ways of padding in the specification. A text that ends at a NUL ends at the first one; one
 * that is padded may have NULs or spaces within it. */
static size_t without_padding(const uint8_t *text, size_t size, unsigned padding)
{
	if (padding == ENDED_BY_NUL) return strnlen((const char *)text, size);
	uint8_t what = padding == PADDED_BY_SPACES ? ' ' : '\0';
	while (size > 0 && text[size - 1] == what) size--;
	return size;
}

/* ---- collections ---- */

typedef struct object {
	size_t at, size; /* in the collection; at 0: there is none */
} object;

enum { HEAD = 16 }; /* of a collection and of an object: padded to a multiple of eight, like all parts */

/* Records where the objects are: each has a number, a count, four bytes, its size, and its contents. Number 0
 * is the free space after all of them. */
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

/* Reads the collection, unless it is the one that is in memory, and finds the object in it. The
 * collection counts as absent until all of it was read and checked. */
static sheaf_status find_elements(sheaf_hdf5_reader *r, sheaf_hdf5_look *l, const reference *to,
                                  sheaf_bytes *out)
{
	static const char what[] = "a collection of texts";
	if (r->collection_at != to->address) {
		r->collection_at = -1;
		r->objects.size = r->collection.size = 0;
		int64_t size;
		SHEAF_TRY(sheaf_hdf5_peek(l, what, to->address, 8 + r->length_size));
		SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "-8L", what, &size));
		SHEAF_TRY(sheaf_hdf5_go(l, what, to->address, (uint64_t)size, "GCOL\1", SHEAF_HDF5_PLAIN));
		SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "-3-8", what, NULL));
		SHEAF_TRY(find_objects(r, l));
		SHEAF_TRY(sheaf_hdf5_note(&r->collection, l->bytes.data, l->bytes.size, l->err));
		r->collection_at = to->address;
	}
	object o = {0};
	int64_t byte = r->base + r->collection_at;
	if (to->number < r->objects.size / sizeof o)
		memcpy(&o, r->objects.data + to->number * sizeof o, sizeof o);
	if (o.at == 0)
		return sheaf_hdf5_refuse(l, byte, "an object of the number that a text refers to in its collection",
		                         to->number);
	out->data = r->collection.data + o.at;
	if (to->size > o.size)
		return sheaf_hdf5_refuse(l, byte + (int64_t)o.at, "a text as long as its reference says", o.size);
	out->size = (size_t)to->size;
	return SHEAF_OK;
}

/* The same without a look at the file, in the collection that was read last. */
static bool find_at_hand(const sheaf_hdf5_reader *r, const reference *to, sheaf_bytes *out)
{
	object o = {0};
	if (to->address != r->collection_at || to->number >= r->objects.size / sizeof o) return false;
	memcpy(&o, r->objects.data + to->number * sizeof o, sizeof o);
	*out = (sheaf_bytes){r->collection.data + o.at, (size_t)to->size};
	return o.at > 0 && to->size <= o.size;
}

/* A reference of no elements, or to address 0, is an empty text: it was never written. */
sheaf_status sheaf_hdf5_append_sequence(sheaf_hdf5_reader *r, const uint8_t *reference_bytes, uint32_t width,
                                        bool is_text, sheaf_builder *out, sheaf_error *err)
{
	sheaf_hdf5_look l;
	sheaf_bytes found = {0};
	sheaf_status status = SHEAF_OK;
	/* The bytes of a reference have the size that it needs: nothing can be missing. */
	reference to;
	sheaf_cursor c = sheaf_cursor_over(reference_bytes, SHEAF_HDF5_REFERENCE_SIZE(r), -1);
	to.size = (uint64_t)sheaf_cursor_u32le(&c, "a reference") * width;
	to.address = sheaf_hdf5_take_address(r, &c, "a reference");
	to.number = sheaf_cursor_u32le(&c, "a reference");
	if (to.size == 0 || to.address == 0) return SHEAF_OK;
	sheaf_mutex_lock(&r->lock);
	if (!find_at_hand(r, &to, &found)) {
		sheaf_hdf5_look_begin(&l, r, NULL, err);
		status = find_elements(r, &l, &to, &found);
		sheaf_hdf5_look_end(&l);
	}
	if (!status && found.size)
		sheaf_builder_append(out, found.data,
		                     is_text ? strnlen((const char *)found.data, found.size) : found.size);
	if (!status) status = sheaf_builder_status(out, err);
	sheaf_mutex_unlock(&r->lock);
	return status;
}

sheaf_status sheaf_hdf5_append_text(sheaf_hdf5_reader *r, const sheaf_hdf5_type *type, const uint8_t *element,
                                    sheaf_builder *text, sheaf_error *err)
{
	if (type->is_variable_text) return sheaf_hdf5_append_sequence(r, element, 1, true, text, err);
	return sheaf_hdf5_note(text, element, without_padding(element, type->size, type->flags & 15), err);
}
