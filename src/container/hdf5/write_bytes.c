/* SPDX-License-Identifier: MIT */
/* Places in the file, and bytes to be written there. Places are only ever taken at the end. Small writes
 * wait for their neighbors: metadata comes in pieces of a few bytes, and one system call for each would
 * take longer than all the rest. */
#include "base/endian.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/write.h"
#include <inttypes.h>

/* A gap of at most seven bytes is padding: everything begins at a multiple of eight, so a longer one may be
 * an array, whose values are written by another way. */
enum { PIECE = 1 << 20, SMALL = 64 << 10, GAP = 7 };

/* Gives `size` bytes at the end of the file, at a multiple of `align`. Addresses of four bytes reach 4
 * GiB; the largest one means "undefined". */
sheaf_status sheaf_hdf5_allocate(sheaf_hdf5_writer *w, uint64_t size, int64_t align, int64_t *address)
{
	int64_t most = w->reader.address_size == 4 ? UINT32_MAX - 1 : INT64_MAX / 2;
	int64_t at = (w->end + align - 1) / align * align;
	if (at > most || size > (uint64_t)(most - at))
		return sheaf_fail(w->err, SHEAF_LIMIT,
		                  "%s: expected a file whose addresses of %u bytes reach all of it, found %" PRIu64
		                  " bytes to add to %" PRId64,
		                  w->reader.store->name, w->reader.address_size, size, at);
	w->end = at + (int64_t)size;
	*address = at;
	return SHEAF_OK;
}

/* A write of nothing is none: some sinks would report it. */
static sheaf_status write_now(const sheaf_hdf5_writer *w, int64_t address, const void *bytes, size_t size)
{
	return size ? w->reader.store->write(w->reader.store->user, w->reader.base + address, bytes, size, w->err)
	            : SHEAF_OK;
}

sheaf_status sheaf_hdf5_flush(sheaf_hdf5_writer *w)
{
	size_t size = w->waiting.size;
	w->waiting.size = 0;
	return write_now(w, w->waiting_at, w->waiting.data, size);
}

/* Writes bytes at an address. They join those that wait if they follow them, apart from padding. Large
 * ones are written at once, after what waits. */
sheaf_status sheaf_hdf5_store(sheaf_hdf5_writer *w, int64_t address, const void *bytes, size_t size)
{
	static const uint8_t zeros[GAP];
	int64_t gap = address - w->waiting_at - (int64_t)w->waiting.size;
	if (gap < 0 || gap > GAP || size >= SMALL || w->waiting.size >= PIECE) {
		SHEAF_TRY(sheaf_hdf5_flush(w));
		w->waiting_at = address;
		gap = 0;
	}
	if (size >= SMALL) {
		w->waiting_at = address + (int64_t)size;
		return write_now(w, address, bytes, size);
	}
	sheaf_builder_append(&w->waiting, zeros, (size_t)gap);
	return sheaf_hdf5_note(&w->waiting, bytes, size, w->err);
}

sheaf_status sheaf_hdf5_store_new(sheaf_hdf5_writer *w, const sheaf_builder *bytes, int64_t *address)
{
	SHEAF_TRY(sheaf_builder_status(bytes, w->err));
	SHEAF_TRY(sheaf_hdf5_allocate(w, bytes->size, 8, address));
	return sheaf_hdf5_store(w, *address, bytes->data, bytes->size);
}

/* ---- numbers ---- */

/* The lowest `width` bytes. */
void sheaf_hdf5_put_number(sheaf_builder *b, uint64_t number, size_t width)
{
	uint8_t bytes[8];
	sheaf_store_u64le(bytes, number);
	sheaf_builder_append(b, bytes, width);
}

void sheaf_hdf5_put(const sheaf_hdf5_writer *w, sheaf_builder *b, const char *pattern, const int64_t fields[])
{
	for (; *pattern; pattern++) {
		size_t width = *pattern == 'A'   ? w->reader.address_size
		               : *pattern == 'L' ? w->reader.length_size
		                                 : (size_t)(*pattern - '0');
		sheaf_hdf5_put_number(b, (uint64_t)*fields++, width);
	}
}

void sheaf_hdf5_put_zeros(sheaf_builder *b, size_t count)
{
	if (count == 0 || !sheaf_builder_room(b, count)) return;
	memset(b->data + b->size, 0, count);
	b->size += count;
}

void sheaf_hdf5_put_sum(sheaf_builder *b)
{
	if (!b->failed) sheaf_hdf5_put_number(b, sheaf_hdf5_checksum(b->data, b->size), 4);
}

/* ---- the heap of texts ---- */

/* A collection: signature, version, three bytes, its size; then objects: number, references, four bytes,
 * size, bytes. Each part is padded to a multiple of eight. Number 0 is the free space. */

enum { USUAL = 4096, MOST_OBJECTS = UINT16_MAX, HEAD = 16 /* of the collection, and of an object */ };

/* What a text takes in its collection. */
static size_t whole_object(size_t size) { return HEAD + (size + 7) / 8 * 8; }

/* The head of an object in a collection. A count of references of 0 is what the library writes for texts. */
static void put_head(const sheaf_hdf5_writer *w, sheaf_builder *b, unsigned number, size_t size)
{
	SHEAF_HDF5_PUT(w, b, "26L", number, 0, (int64_t)size);
	sheaf_hdf5_put_zeros(b, 8 - w->reader.length_size);
}

/* Ends the collection of texts that is being filled: what is left of it is an object of number 0. Less
 * than a head of room is only zeros. */
sheaf_status sheaf_hdf5_flush_texts(sheaf_hdf5_writer *w)
{
	sheaf_builder *b = &w->texts;
	if (w->texts_size == 0) return SHEAF_OK;
	size_t left = w->texts_size - b->size;
	if (left >= HEAD) put_head(w, b, 0, left);
	sheaf_hdf5_put_zeros(b, w->texts_size - b->size);
	SHEAF_TRY(sheaf_builder_status(b, w->err));
	w->texts_size = 0;
	return sheaf_hdf5_store(w, w->texts_at, b->data, b->size);
}

/* Adds a text to the current collection and appends a reference to it; *address is where the text will
 * be. A text that does not fit begins a new collection, of 4 KiB or as long as it needs. The reference
 * counts elements, which are characters here, or references to objects elsewhere. */
sheaf_status sheaf_hdf5_store_text(sheaf_hdf5_writer *w, sheaf_bytes text, size_t count,
                                   sheaf_builder *reference, int64_t *address)
{
	size_t size = text.size;
	if (size > UINT32_MAX)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected a text of less than 4 GiB, found %zu bytes",
		                  w->reader.store->name, size);
	bool fits = whole_object(size) <= w->texts_size - w->texts.size;
	if (w->texts_size == 0 || !fits || w->ntexts == MOST_OBJECTS) {
		SHEAF_TRY(sheaf_hdf5_flush_texts(w));
		size_t collection_size = HEAD + whole_object(size);
		if (collection_size < USUAL) collection_size = USUAL;
		SHEAF_TRY(sheaf_hdf5_allocate(w, collection_size, 8, &w->texts_at));
		w->texts.size = 0;
		w->ntexts = 0;
		sheaf_builder_append(&w->texts, "GCOL\1\0\0\0", 8);
		SHEAF_HDF5_PUT(w, &w->texts, "L", (int64_t)collection_size);
		sheaf_hdf5_put_zeros(&w->texts, 8 - w->reader.length_size);
		w->texts_size = collection_size;
		SHEAF_TRY(sheaf_builder_status(&w->texts, w->err));
	}
	put_head(w, &w->texts, ++w->ntexts, size);
	*address = w->texts_at + (int64_t)w->texts.size;
	sheaf_builder_append(&w->texts, text.data, size);
	sheaf_hdf5_put_zeros(&w->texts, -size % 8);
	SHEAF_HDF5_PUT(w, reference, "4A4", (int64_t)count, w->texts_at, w->ntexts);
	return sheaf_builder_status(&w->texts, w->err);
}

/* Appends a text that was written a moment ago: it is in the collection that is being filled, or in the
 * file; what waits is written first, so that the file has it. */
sheaf_status sheaf_hdf5_read_text(sheaf_hdf5_writer *w, int64_t address, size_t size, sheaf_builder *text)
{
	bool is_here =
		w->texts_size > 0 && address >= w->texts_at && address < w->texts_at + (int64_t)w->texts.size;
	if (!sheaf_builder_room(text, size)) return sheaf_builder_status(text, w->err);
	if (is_here) {
		sheaf_builder_append(text, w->texts.data + (address - w->texts_at), size);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_hdf5_flush(w));
	SHEAF_TRY(w->reader.store->read(w->reader.store->user, w->reader.base + address, text->data + text->size,
	                                size, w->err));
	text->size += size;
	return SHEAF_OK;
}
