/* SPDX-License-Identifier: MIT */
/* An HDF5 file that is read: the superblock, the walk that lists everything, and the driver's functions.
 * After the opening nothing of the file's structure is read again, except for attributes, chunks and
 * texts when somebody asks for them. */
#include "base/memory.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/read.h"
#include <inttypes.h>
#include <string.h>

/* ---- the superblock ---- */

static const char signature[] = SHEAF_HDF5_SIGNATURE;
enum { SIZE = sizeof signature - 1, HEAD = 128, UNDEFINED = -1 };

/* Finds the superblock and sets r->base. It is at 0, 512, 1024 and so on: a user block may precede it.
 * Bytes after the end of the file count as zeros. netCDF's old format is named, because its files have
 * the same endings. */
static sheaf_status find_superblock(sheaf_hdf5_reader *r, uint8_t head[HEAD], sheaf_error *err)
{
	const sheaf_store *store = r->store;
	for (int64_t at = 0; at <= r->size - SIZE; at = at ? at * 2 : 512) {
		r->base = at;
		memset(head, 0, HEAD);
		SHEAF_TRY(
			store->read(store->user, at, head, r->size - at < HEAD ? (size_t)(r->size - at) : HEAD, err));
		if (memcmp(head, signature, SIZE) == 0) return SHEAF_OK;
		if (at == 0 && sheaf_box_recognise((sheaf_bytes){head, HEAD}) == SHEAF_BOX_CLASSIC)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: expected netCDF-4, found the classic netCDF format, which is not written "
			                  "(`nccopy -k nc4` makes netCDF-4 of it)",
			                  store->name);
	}
	return sheaf_fail(err, SHEAF_UNKNOWN,
	                  "%s: expected an HDF5 or netCDF-4 file, found no signature of either", store->name);
}

/* An address in the superblock, of its width. */
static int64_t address(const uint8_t *at, int64_t width)
{
	return width == 4 ? (int64_t)sheaf_load_u32le(at) : sheaf_load_i64le(at);
}

/* A flaw of the superblock, at a byte of it. */
static sheaf_status refuse(const sheaf_hdf5_reader *r, int64_t byte, const char *expected, int64_t found,
                           sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %s, found %" PRId64, r->store->name,
	                  r->base + byte, expected, found);
}

/* Checks signature, version, sizes of addresses and lengths, and the end of the file, in this order:
 * every later structure is found by these, so they are checked before anything else is looked at. A file
 * that is shorter than it says was cut. */
static sheaf_status check_head(sheaf_hdf5_reader *r, sheaf_error *err)
{
	uint8_t head[HEAD];
	SHEAF_TRY(find_superblock(r, head, err));
	int version = head[8], at = version < 2 ? 13 : 9;
	if (version > 3)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s (byte %" PRId64 "): expected a superblock of version 0 to 3, found version %d",
		                  r->store->name, r->base + 8, version);
	for (int i = 0; i < 2; i++)
		if (head[at + i] != 4 && head[at + i] != 8)
			return refuse(r, at + i, "addresses and lengths of 4 or 8 bytes", head[at + i], err);
	/* Where the file itself says that it ends, and whether it is one of several. */
	int64_t width = head[at], field = version == 0 ? 24 : version == 1 ? 28 : 12;
	int64_t first = address(head + field, width), end = address(head + field + 2 * width, width);
	if (first != r->base) return refuse(r, field, "the base address to be that of the signature", first, err);
	if (end < field + 4 * width)
		return refuse(r, field + 2 * width, "an end of the file after its superblock", end, err);
	if (end > r->size)
		return sheaf_fail(err, SHEAF_SHORT,
		                  "%s (byte %" PRId64 "): expected %" PRId64 " bytes, found %" PRId64, r->store->name,
		                  r->base + field + 2 * width, end, r->size);
	if (version < 2 && address(head + field + 3 * width, width) != UNDEFINED && width == 8)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s (byte %" PRId64 "): expected a single file, found one of several",
		                  r->store->name, r->base + field + 3 * width);
	return SHEAF_OK;
}

/* Reads the superblock: the sizes of addresses and lengths, the root, and what a writer must know.
 * r->addresses is the offset of its first address; r->extension is -1 if there is none. */
static sheaf_status read_superblock(sheaf_hdf5_reader *r, sheaf_error *err)
{
	enum { MOST = 96, VERSION = 8 };
	SHEAF_TRY(check_head(r, err));
	SHEAF_SCOPED(sheaf_hdf5_look_end) sheaf_hdf5_look l;
	sheaf_hdf5_look_begin(&l, r, NULL, err);
	SHEAF_TRY(sheaf_hdf5_peek(&l, "a superblock", 0, MOST));
	r->version = l.bytes.data[VERSION];
	/* Sizes, and the positions of other fields relative to version 0; the newer ones have an extension, and
	 * end with a checksum. Versions and sizes were checked. */
	enum { NEW = 2, USUAL_FAN = 32 };
	static const char *const patterns[] = {"-8-511-1-8", "-8-511-1-82-2", "-8-1111"};
	static const char what[] = "a superblock";
	sheaf_cursor *c = &l.c;
	int64_t first[3] = {0}, last[2] = {-1}, sum; /* sizes, and a fan or a mark; extension, root */
	bool is_new = r->version >= NEW;
	SHEAF_TRY(sheaf_hdf5_fields(&l, c, patterns[is_new ? NEW : r->version], what, first));
	r->address_size = (unsigned)first[0];
	r->length_size = (unsigned)first[1];
	r->fan = r->version == 1 ? (unsigned)first[2] : USUAL_FAN;
	r->is_open = is_new && first[2];
	r->addresses = c->at - c->begin;
	SHEAF_TRY(sheaf_hdf5_fields(&l, c, is_new ? "-AA-AA" : "-A-A-A-A-LA", what, last + !is_new));
	r->extension = last[0];
	r->root = last[1];
	if (!is_new) return SHEAF_OK;
	size_t n = (size_t)(c->at - c->begin);
	SHEAF_TRY(sheaf_hdf5_fields(&l, c, "4", "a checksum", &sum));
	return sum == sheaf_hdf5_checksum(c->begin, n)
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(&l, c->base + (int64_t)n, "a superblock with its checksum", (uint64_t)sum);
}

/* ---- opening ---- */

/* Reads the first and the last bytes of the file, up to 16 KiB each: one read at each end instead of one
 * for every structure there. */
static sheaf_status read_ends(sheaf_hdf5_reader *r, sheaf_error *err)
{
	enum { MOST = 16 << 10 };
	for (int i = 0; i < 2; i++) {
		int64_t left = i ? r->size - MOST : r->size;
		size_t n = left <= 0 ? 0 : left < MOST ? (size_t)left : MOST;
		r->end_at[i] = i ? r->size - (int64_t)n : 0;
		if (!sheaf_builder_room(&r->ends[i], n)) return sheaf_builder_status(&r->ends[i], err);
		if (n) SHEAF_TRY(r->store->read(r->store->user, r->end_at[i], r->ends[i].data, n, err));
		r->ends[i].size = n;
	}
	return SHEAF_OK;
}

void sheaf_hdf5_reader_close(sheaf_hdf5_reader *r)
{
	if (!r->store) return;
	r->store = NULL;
	sheaf_builder_drop(&r->collection);
	sheaf_builder_drop(&r->objects);
	for (int i = 0; i < 2; i++) sheaf_builder_drop(&r->ends[i]);
	sheaf_hdf5_places_drop(&r->paths, r->cx);
	sheaf_mutex_destroy(&r->lock);
}

/* Opens a file and lists it in the catalog. A reader is complete, or closed again. */
sheaf_status sheaf_hdf5_reader_open(sheaf_hdf5_reader *r, const sheaf_store *store, sheaf_catalog *catalog,
                                    sheaf_context *cx, sheaf_error *err)
{
	*r = (sheaf_hdf5_reader){.cx = cx,
	                         .on_structure = r->on_structure,
	                         .user = r->user,
	                         .lists_dimensions = r->lists_dimensions};
	int sys = sheaf_mutex_init(&r->lock);
	if (sys) return sheaf_fail_sys(err, sys, "%s: expected a lock", store->name);
	r->store = store;
	sheaf_builder_begin(&r->collection, cx, NULL);
	sheaf_builder_begin(&r->objects, cx, NULL);
	for (int i = 0; i < 2; i++) sheaf_builder_begin(&r->ends[i], cx, NULL);
	sheaf_status status = store->size(store->user, &r->size, err);
	if (!status) status = read_ends(r, err);
	if (!status) status = read_superblock(r, err);
	if (!status) status = sheaf_hdf5_walk(r, catalog, err);
	if (status) sheaf_hdf5_reader_close(r);
	return status;
}

/* A file that is netCDF is known to be so only after the walk. */
static sheaf_status open_state(sheaf_box *box, void *state, sheaf_error *err)
{
	sheaf_hdf5_reader *r = (sheaf_hdf5_reader *)state;
	r->lists_dimensions = true;
	SHEAF_TRY(sheaf_hdf5_reader_open(r, &box->store, &box->catalog, box->cx, err));
	box->kind = r->is_netcdf ? SHEAF_BOX_NETCDF : SHEAF_BOX_HDF5;
	return SHEAF_OK;
}

static void close_state(void *state) { sheaf_hdf5_reader_close((sheaf_hdf5_reader *)state); }

/* ---- attributes ---- */

/* The attribute of an item, whose header is read again: nothing of attributes is kept. */
static sheaf_status find_attribute(sheaf_hdf5_visit *v, const sheaf_hdf5_reader *r,
                                   const sheaf_box_item *item, const char *name, sheaf_hdf5_attribute *out,
                                   sheaf_error *err)
{
	bool found;
	SHEAF_TRY(sheaf_hdf5_enter(v, r, item->inside->own->address, err));
	SHEAF_TRY(sheaf_hdf5_attribute_named(&v->l, &v->h, name, out, &found));
	if (found) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none", r->store->name,
	                  item->path, name);
}

static sheaf_status read_attribute(void *state, const sheaf_box_item *item, const char *name,
                                   sheaf_catalog *catalog, sheaf_builder *out, sheaf_error *err)
{
	const sheaf_hdf5_reader *r = (const sheaf_hdf5_reader *)state;
	sheaf_hdf5_attribute a;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(find_attribute(&v, r, item, name, &a, err));
	SHEAF_TRY(sheaf_catalog_open(catalog, r->cx, err));
	SHEAF_TRY(sheaf_hdf5_describe_attribute(&v.l, &a, catalog));
	return sheaf_hdf5_note(out, a.value.data, a.value.size, err);
}

/* Appends an attribute that is one text. A null space is an empty text. */
sheaf_status sheaf_hdf5_text(void *state, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                             sheaf_error *err)
{
	sheaf_hdf5_reader *r = (sheaf_hdf5_reader *)state;
	sheaf_hdf5_attribute a;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(find_attribute(&v, r, item, name, &a, err));
	bool is_text = a.type.class == SHEAF_HDF5_STRING || a.type.is_variable_text;
	if (is_text && a.space.is_null) return SHEAF_OK;
	if (!is_text || a.space.count != 1)
		return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected the attribute \"%s\" to be %s, found %s",
		                  r->store->name, item->path, name, is_text ? "one text" : "a text",
		                  is_text ? "several" : "another type");
	return sheaf_hdf5_append_text(r, &a.type, a.value.data, text, err);
}

/* ---- values ---- */

/* Compact values, in the header. All others have a place in the file or chunks. */
sheaf_status sheaf_hdf5_read_rows(void *state, const sheaf_box_item *item, int64_t from, int64_t to,
                                  void *out, sheaf_error *err)
{
	const sheaf_hdf5_reader *r = (const sheaf_hdf5_reader *)state;
	int64_t rows = item->rank ? item->dims[0] : 1, row = rows ? item->count / item->inside->per / rows : 0;
	int64_t width = row * (int64_t)item->inside->width;
	return r->store->read(r->store->user, item->inside->own->data + from * width, out,
	                      (size_t)((to - from) * width), err);
}

/* Returns the chunk of a number; NULL if it is not stored. If all chunks exist, each has its place; else
 * the list, which is sorted by number, is searched by halves. */
static const sheaf_hdf5_stored *find_chunk(const sheaf_hdf5_own *own, int64_t number)
{
	int64_t from = 0, to = own->nchunks;
	if (number < to && own->chunks[number].number == number) return &own->chunks[number];
	while (from < to) {
		int64_t middle = from + (to - from) / 2;
		if (own->chunks[middle].number < number)
			from = middle + 1;
		else
			to = middle;
	}
	return from < own->nchunks && own->chunks[from].number == number ? &own->chunks[from] : NULL;
}

/* Appends the stored bytes of a chunk; the driver's function. A chunk that is not in the index is not
 * there: nothing is appended. *skipped has a bit for each filter that is not applied: all, for chunks
 * that extend beyond the edge of the array, if the layout says so. */
sheaf_status sheaf_hdf5_read_chunk(void *state, const sheaf_box_item *item, int64_t number, uint32_t *skipped,
                                   sheaf_builder *bytes, sheaf_error *err)
{
	const sheaf_hdf5_reader *r = (const sheaf_hdf5_reader *)state;
	const sheaf_hdf5_own *own = item->inside->own;
	const sheaf_hdf5_stored *chunk = find_chunk(own, number);
	if (!chunk) return SHEAF_OK;
	*skipped = chunk->skipped;
	for (int i = item->rank - 1; i >= 0 && own->edges_are_plain; i--) {
		int64_t extent = item->inside->grid[i], along = (item->dims[i] - 1) / extent + 1;
		if ((number % along + 1) * extent > item->dims[i]) *skipped = UINT32_MAX;
		number /= along;
	}
	if (!sheaf_builder_room(bytes, (uint64_t)chunk->size)) return sheaf_builder_status(bytes, err);
	SHEAF_TRY(r->store->read(r->store->user, r->base + chunk->address, bytes->data + bytes->size,
	                         (size_t)chunk->size, err));
	bytes->size += (size_t)chunk->size;
	return SHEAF_OK;
}

int64_t sheaf_hdf5_chunk_at(const void *state, const sheaf_box_item *item, int64_t number)
{
	const sheaf_hdf5_reader *r = (const sheaf_hdf5_reader *)state;
	const sheaf_hdf5_stored *chunk = find_chunk(item->inside->own, number);
	return chunk ? r->base + chunk->address : -1;
}

sheaf_status sheaf_hdf5_text_of(void *state, const sheaf_box_item *item, const uint8_t *element,
                                sheaf_builder *text, sheaf_error *err)
{
	return sheaf_hdf5_append_text((sheaf_hdf5_reader *)state, &item->inside->own->type, element, text, err);
}

/* ---- the driver ---- */

const sheaf_box_driver sheaf_hdf5_reading_driver = {
	.state_size = sizeof(sheaf_hdf5_reader),
	.open = open_state,
	.close = close_state,
	.text = sheaf_hdf5_text,
	.attribute = read_attribute,
	.complete = sheaf_hdf5_complete,
	.read_rows = sheaf_hdf5_read_rows,
	.read_chunk = sheaf_hdf5_read_chunk,
	.chunk_at = sheaf_hdf5_chunk_at,
	.text_of = sheaf_hdf5_text_of,
};
