/* SPDX-License-Identifier: MIT */
/* The superblock: that of a new file, and what changes in one that was there. */
#include "box/hdf5/checksum.h"
#include "box/hdf5/write.h"

enum { MOST = 128, SIGNATURE = 8, SUM = 4 };

/* ---- what is written into ---- */

static sheaf_status refuse(const sheaf_hdf5_writer *w, const char *found)
{
	return sheaf_fail(w->err, SHEAF_UNSUPPORTED,
	                  "%s: expected a file that can be written into, found %s (`h5repack` makes one)",
	                  w->reader.store->name, found);
}

/* How the file keeps account of what is free. What is added comes after all of it, which some ways do not
 * allow. */
static sheaf_status check_free_space(const sheaf_hdf5_writer *w, sheaf_cursor *c)
{
	enum { PAGES = 1, OLD_KEPT = 1 };
	unsigned version = sheaf_cursor_u8(c, "free space"), strategy = sheaf_cursor_u8(c, "free space"),
			 is_kept = version ? sheaf_cursor_u8(c, "free space") : strategy == OLD_KEPT;
	if (version && strategy == PAGES) return refuse(w, "one that is made of pages");
	return is_kept ? refuse(w, "one that keeps track of its free space") : SHEAF_OK;
}

static sheaf_status check_part(sheaf_hdf5_writer *w, unsigned type, sheaf_cursor *c)
{
	enum { FANS = 19, DRIVER = 20, FREE_SPACE = 23, CACHE = 24 };
	switch (type) {
	case FANS:
		sheaf_cursor_bytes(c, 1, 1, "a version");
		w->chunk_fan = (unsigned)sheaf_hdf5_take(c, 2, "the size of nodes");
		return SHEAF_OK;
	case FREE_SPACE: return check_free_space(w, c);
	case DRIVER: return refuse(w, "one of several");
	case CACHE: return refuse(w, "one with an image of a cache");
	default: return SHEAF_OK;
	}
}

static sheaf_status check_parts(sheaf_hdf5_writer *w, const sheaf_hdf5_header *h)
{
	size_t n;
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(h, &n);
	for (size_t i = 0; i < n; i++) {
		sheaf_cursor c = sheaf_hdf5_part_cursor(h, &parts[i]);
		SHEAF_TRY(check_part(w, parts[i].type, &c));
		if (c.failed) return refuse(w, "one whose superblock's extension breaks off");
	}
	return SHEAF_OK;
}

static sheaf_status check_extension(sheaf_hdf5_writer *w, sheaf_hdf5_look *l, int64_t address)
{
	SHEAF_SCOPED(sheaf_hdf5_header_drop) sheaf_hdf5_header h = {0};
	if (address == SHEAF_HDF5_NOWHERE) return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf5_header_read(l, address, &h));
	return check_parts(w, &h);
}

static sheaf_status check(sheaf_hdf5_writer *w, sheaf_hdf5_look *l)
{
	enum { NEW = 2 };
	SHEAF_TRY(sheaf_hdf5_peek(l, "a superblock", 0, MOST));
	sheaf_cursor *c = &l->c;
	if (w->reader.version == 1) {
		sheaf_cursor_bytes(c, 1, 24, "a superblock");
		w->chunk_fan = (unsigned)sheaf_hdf5_take(c, 2, "the size of nodes");
	}
	if (w->reader.version < NEW) return sheaf_hdf5_done(l, c);
	sheaf_cursor_bytes(c, 1, SIGNATURE + 3, "a superblock");
	if (sheaf_cursor_u8(c, "flags of a superblock") != 0)
		return sheaf_fail(
			l->err, SHEAF_UNSUPPORTED,
			"%s: expected a file that no program is writing, found one that is being written, or that was "
			"not closed (`h5clear -s` clears its mark)",
			w->reader.store->name);
	sheaf_cursor_bytes(c, 1, w->reader.address_size, "a superblock");
	int64_t extension = sheaf_hdf5_take_address(&w->reader, c, "the superblock's extension");
	SHEAF_TRY(sheaf_hdf5_done(l, c));
	return check_extension(w, l, extension);
}

sheaf_status sheaf_hdf5_check_superblock(sheaf_hdf5_writer *w)
{
	SHEAF_SCOPED(sheaf_hdf5_look_end) sheaf_hdf5_look l;
	sheaf_hdf5_look_begin(&l, &w->reader, NULL, w->err);
	SHEAF_TRY(check(w, &l));
	return w->chunk_fan > 0 ? SHEAF_OK : refuse(w, "one whose nodes are of no size");
}

/* ---- what is written ---- */

/* Version 2: signature, version, sizes, flags, base, extension, end of the file, root, checksum. */
static void make(sheaf_hdf5_writer *w, sheaf_builder *b)
{
	static const uint8_t head[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 2, 8, 8, 0};
	sheaf_builder_append(b, head, sizeof head);
	sheaf_hdf5_put(w, b, "AAAA", (const int64_t[]){0, SHEAF_HDF5_NOWHERE, w->end, w->objects->address});
	sheaf_hdf5_put_sum(b);
}

static void set_number(uint8_t *at, uint64_t number, size_t width)
{
	for (size_t i = 0; i < width; i++) at[i] = (uint8_t)(number >> 8 * i);
}

/* The end of the file; in old versions, that the root is no table of symbols any more; the checksum. */
static sheaf_status change(sheaf_hdf5_writer *w, sheaf_builder *b)
{
	enum { NEW = 2, SCRATCH = 16 };
	const sheaf_hdf5_reader *r = &w->reader;
	size_t width = r->address_size, addresses = r->version == 0 ? 24 : r->version == 1 ? 28 : 12;
	size_t size = addresses + (r->version < NEW ? 5 * width + r->length_size + 8 + SCRATCH : 4 * width + SUM);
	if (!sheaf_builder_room(b, size)) return sheaf_builder_status(b, w->err);
	SHEAF_TRY(r->store->read(r->store->user, r->base, b->data, size, w->err));
	b->size = size;
	set_number(b->data + addresses + 2 * width, (uint64_t)(r->base + w->end), width);
	if (r->version >= NEW)
		sheaf_store_u32le(b->data + size - SUM, sheaf_hdf5_checksum(b->data, size - SUM));
	else if (w->objects->links_change)
		memset(b->data + size - 8 - SCRATCH, 0, 8 + SCRATCH);
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_write_superblock(sheaf_hdf5_writer *w)
{
	sheaf_builder *b = &w->message;
	b->size = 0;
	if (w->is_into)
		SHEAF_TRY(change(w, b));
	else
		make(w, b);
	SHEAF_TRY(sheaf_builder_status(b, w->err));
	SHEAF_TRY(sheaf_hdf5_store(w, 0, b->data, b->size));
	return sheaf_hdf5_flush(w);
}
