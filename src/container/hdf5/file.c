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

/* The sizes of addresses and lengths, the root, and what a writer must know. */
static sheaf_status read_superblock(sheaf_hdf5_reader *r, sheaf_error *err)
{
	enum { MOST = 96, VERSION = 8 };
	SHEAF_TRY(sheaf_box_check_head(r->store, &r->base, err));
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

/* The first and the last bytes of the file, up to 16 KiB each: one read at each end instead of one for
 * every structure there. */
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
	sheaf_mutex_destroy(&r->lock);
}

/* A reader is complete, or closed again. */
sheaf_status sheaf_hdf5_reader_open(sheaf_hdf5_reader *r, const sheaf_store *store, sheaf_catalog *catalog,
                                    sheaf_context *cx, sheaf_error *err)
{
	*r = (sheaf_hdf5_reader){.cx = cx, .collection_at = -1, .on_structure = r->on_structure, .user = r->user};
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
	SHEAF_TRY(sheaf_hdf5_reader_open(r, &box->store, &box->catalog, box->cx, err));
	box->kind = r->is_netcdf ? SHEAF_BOX_NETCDF : SHEAF_BOX_HDF5;
	return SHEAF_OK;
}

static void close_state(void *state) { sheaf_hdf5_reader_close((sheaf_hdf5_reader *)state); }

/* ---- attributes ---- */

/* The question for an attribute: as a text, or as an item of a catalog of its own with its bytes. */
typedef struct asking {
	sheaf_hdf5_reader *r;
	sheaf_hdf5_look l;
	const sheaf_box_item *item;
	const char *name;
	sheaf_catalog *catalog; /* NULL: the text is needed */
	sheaf_builder *out;
	bool found;
} asking;

static sheaf_status refuse_text(const asking *q, const char *expected, const char *found)
{
	return sheaf_fail(q->l.err, SHEAF_DATA, "%s: /%s: expected the attribute \"%s\" to be %s, found %s",
	                  q->r->store->name, q->item->path, q->name, expected, found);
}

/* A null space is an empty text. */
static sheaf_status take_attribute(void *user, const sheaf_hdf5_attribute *a)
{
	asking *q = (asking *)user;
	q->found = true;
	if (q->catalog) {
		SHEAF_TRY(sheaf_catalog_open(q->catalog, q->l.r->cx, q->l.err));
		SHEAF_TRY(sheaf_hdf5_describe_attribute(&q->l, a, q->catalog));
		SHEAF_TRY(sheaf_hdf5_note(q->out, a->value.data, a->value.size, q->l.err));
		return SHEAF_END;
	}
	if (a->type.class != SHEAF_HDF5_STRING && !a->type.is_variable_text)
		return refuse_text(q, "a text", "another type");
	if (a->space.is_null) return SHEAF_END;
	if (a->space.count != 1) return refuse_text(q, "one text", "several");
	SHEAF_TRY(sheaf_hdf5_append_text(q->r, &a->type, a->value.data, q->out, q->l.err));
	return SHEAF_END;
}

static void end_asking(asking *q) { sheaf_hdf5_look_end(&q->l); }

static sheaf_status read_attribute(void *state, const sheaf_box_item *item, const char *name,
                                   sheaf_catalog *catalog, sheaf_builder *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_hdf5_header_drop) sheaf_hdf5_header h = {0};
	SHEAF_SCOPED(end_asking)
	asking q = {.r = (sheaf_hdf5_reader *)state, .item = item, .name = name, .catalog = catalog, .out = out};
	sheaf_hdf5_look_begin(&q.l, q.r, NULL, err);
	SHEAF_TRY(sheaf_hdf5_header_read(&q.l, item->inside->own->address, &h));
	SHEAF_TRY(sheaf_hdf5_attributes(&q.l, &h, name, take_attribute, &q));
	if (q.found) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
	                  q.r->store->name, item->path, name);
}

sheaf_status sheaf_hdf5_text(void *state, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                             sheaf_error *err)
{
	return read_attribute(state, item, name, NULL, text, err);
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

/* The list is sorted by number, so it is searched by halves. */
static const sheaf_hdf5_stored *find_chunk(const sheaf_hdf5_own *own, int64_t number)
{
	int64_t from = 0, to = own->nchunks;
	/* If all chunks exist, each has its place. */
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

/* Whether a chunk extends beyond the edge of the array. */
static bool is_at_edge(const sheaf_box_item *item, int64_t number)
{
	bool is = false;
	for (int i = item->rank - 1; i >= 0; i--) {
		int64_t extent = item->inside->grid[i], along = (item->dims[i] - 1) / extent + 1;
		is |= (number % along + 1) * extent > item->dims[i];
		number /= along;
	}
	return is;
}

/* A chunk that is not in the index is not there: nothing is appended. Filters are not applied to edge
 * chunks if the layout says so. */
sheaf_status sheaf_hdf5_read_chunk(void *state, const sheaf_box_item *item, int64_t number, uint32_t *skipped,
                                   sheaf_builder *bytes, sheaf_error *err)
{
	const sheaf_hdf5_reader *r = (const sheaf_hdf5_reader *)state;
	const sheaf_hdf5_own *own = item->inside->own;
	const sheaf_hdf5_stored *chunk = find_chunk(own, number);
	if (!chunk) return SHEAF_OK;
	*skipped = own->edges_are_plain && is_at_edge(item, number) ? UINT32_MAX : chunk->skipped;
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
	.read_rows = sheaf_hdf5_read_rows,
	.read_chunk = sheaf_hdf5_read_chunk,
	.chunk_at = sheaf_hdf5_chunk_at,
	.text_of = sheaf_hdf5_text_of,
};
