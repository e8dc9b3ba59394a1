/* SPDX-License-Identifier: MIT */
/* Arrays that are written. If the count is known, the array has its place from the beginning, and values
 * bypass this file; chunks get theirs as they come, and texts go into the heap while their references are
 * collected. The header's messages are made when the array ends, since only then are the count and the
 * index known.
 *
 * The index of chunks is a B-tree of version 1, which every HDF5 library reads, built from its leaves
 * up: the chunks come in order, so no node is ever split. */
#include "base/memory.h"
#include "container/hdf5/write.h"
#include <string.h>

/* A chunk in the file. */
typedef struct written {
	int64_t address;
	uint32_t size, skipped;
} written;

typedef sheaf_hdf5_array array;

/* ---- the index of chunks ---- */

/* A level of nodes: the nodes of the level below, or chunks, begin at `below`, each covering that many
 * chunks. */
typedef struct level {
	unsigned number;
	int64_t at, below;
	size_t fan;               /* most nodes or chunks in a node */
	size_t size, nodes, over; /* size of a node; of all nodes; chunks under a node */
} level;

static size_t chunk_count(const array *a) { return a->chunks.size / sizeof(written); }

/* The size of an element. */
static int64_t width_of(const array *a)
{
	return (int64_t)sheaf_type_size(a->plan.type) * sheaf_box_parts(&a->plan);
}

/* Appends the key of chunk `nth`: its first element, its size and its mask; or where the last chunk ends.
 * Chunks are whole rows. */
static void put_key(const array *a, size_t nth)
{
	bool is_end = nth == chunk_count(a);
	const written *c = (const written *)(const void *)a->chunks.data + nth;
	int64_t width = width_of(a), at = (int64_t)(nth - is_end) * a->plan.chunk / sheaf_box_row(&a->plan);
	SHEAF_HDF5_PUT(a->w, &a->w->message, "448", is_end ? 0 : c->size, is_end ? 0 : c->skipped, at);
	sheaf_hdf5_put_zeros(&a->w->message, 8 * (size_t)(a->plan.rank - 1));
	sheaf_hdf5_put_number(&a->w->message, is_end ? (uint64_t)width : 0, 8);
}

/* Writes one node of the B-tree of chunks (version 1): its level, the number of its entries, its
 * neighbors, and keys and addresses in turn. A node covers the chunks [from, to), and each of its
 * entries chunks_of_entry of them. There is one key more than there are addresses: the last one says where
 * the last chunk ends. The node takes its full size in the file, as readers expect. */
static sheaf_status write_node(const array *a, const level *l, size_t node)
{
	enum { CHUNKS = 1 };
	sheaf_builder *b = &a->w->message;
	size_t chunks_of_entry = l->over / l->fan, from = node * l->over, count = chunk_count(a),
		   to = from + l->over < count ? from + l->over : count;
	int64_t size = (int64_t)l->size, at = l->at + (int64_t)node * size,
			before = node > 0 ? at - size : SHEAF_HDF5_NOWHERE,
			after = node + 1 < l->nodes ? at + size : SHEAF_HDF5_NOWHERE;
	b->size = 0;
	sheaf_builder_append(b, "TREE", 4);
	SHEAF_HDF5_PUT(a->w, b, "112AA", CHUNKS, l->number,
	               (int64_t)((to - from + chunks_of_entry - 1) / chunks_of_entry), before, after);
	for (size_t i = from; i < to; i += chunks_of_entry) {
		put_key(a, i);
		/* A leaf leads to chunks; a node above it to nodes of the level below, which are side by side. */
		int64_t child = l->number == 0 ? ((const written *)(const void *)a->chunks.data)[i].address
		                               : l->below + (int64_t)(i / chunks_of_entry * l->size);
		sheaf_hdf5_put(a->w, b, "A", &child);
	}
	put_key(a, to);
	sheaf_hdf5_put_zeros(b, l->size - b->size);
	SHEAF_TRY(sheaf_builder_status(b, a->w->err));
	return sheaf_hdf5_store(a->w, at, b->data, b->size);
}

/* Writes the B-tree of chunks level by level until a level has a single node, which is the root;
 * a->address is its address. All nodes of a level are allocated together, so each knows the addresses of
 * its neighbors before they are written. */
static sheaf_status write_index(array *a)
{
	enum { HEAD = 8 };
	size_t width = a->w->reader.address_size, fan = 2 * (size_t)a->w->reader.fan;
	size_t key = 16 + 8 * (size_t)a->plan.rank;
	level l = {.fan = fan, .size = HEAD + (2 + fan) * width + (fan + 1) * key, .nodes = 2, .over = 1};
	for (; chunk_count(a) > 0 && l.nodes > 1; l.number++) {
		l.below = l.at;
		l.over *= fan;
		l.nodes = (chunk_count(a) + l.over - 1) / l.over;
		SHEAF_TRY(sheaf_hdf5_allocate(a->w, (uint64_t)l.nodes * l.size, 8, &l.at));
		for (size_t i = 0; i < l.nodes; i++) SHEAF_TRY(write_node(a, &l, i));
		a->address = l.at;
	}
	return SHEAF_OK;
}

/* ---- arrays ---- */

/* Begins an array: the driver's function. The object and its link exist from the beginning, so that
 * another array of that name is found; its header is written at the end. Values of a contiguous array are
 * aligned to 64 bytes in the file, which lets a reader map them; plan->offset says where they go. */
sheaf_status sheaf_hdf5_new_array(void *state, sheaf_box_plan *plan, void *handle, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	array *a = (array *)handle;
	const char *name;
	w->err = err;
	*a = (array){.w = w,
	             .plan = *plan,
	             .address = SHEAF_HDF5_NOWHERE,
	             .chunks = {.cx = w->reader.cx},
	             .texts = {.cx = w->reader.cx}};
	SHEAF_TRY(sheaf_hdf5_find_group(a->w, plan->path, &a->group, &name));
	SHEAF_TRY(sheaf_hdf5_new_object(a->w, false, &a->object));
	SHEAF_TRY(sheaf_hdf5_link_new(a->w, a->group, name, a->object));
	/* The values' own place, unless they come in chunks or as texts. */
	enum { ALIGNED = 64 };
	if (plan->chunk || plan->count == 0 || plan->text_size) return SHEAF_OK;
	uint64_t bytes = (uint64_t)plan->count * sheaf_type_size(plan->type);
	SHEAF_TRY(sheaf_hdf5_allocate(a->w, bytes, ALIGNED, &a->address));
	plan->offset = a->w->reader.base + a->address;
	return SHEAF_OK;
}

/* Appends records as the file has them: numbers as they are, and references to texts, which go into the heap.
 */
static sheaf_status append_records(array *a, const uint8_t *at, size_t bytes)
{
	const sheaf_box_records *r = a->plan.records;
	const uint8_t *end = at + bytes;
	int64_t place, range[2];
	for (int m = 0; at < end; m = (m + 1) % r->nmembers) {
		size_t size = sheaf_box_member_size(&r->members[m]);
		if (r->members[m].what == SHEAF_BOX_TEXTS) {
			memcpy(range, at, sizeof range);
			sheaf_bytes text = {(const uint8_t *)r->texts + range[0], (size_t)(range[1] - range[0])};
			SHEAF_TRY(sheaf_hdf5_store_text(a->w, text, text.size, &a->texts, &place));
		} else {
			sheaf_builder_append(&a->texts, at, size);
		}
		at += size;
	}
	return sheaf_builder_status(&a->texts, a->w->err);
}

/* Appends texts to an array. Each text goes into the heap of texts, without the NULs that pad it to the
 * plan's size; its reference is kept for the array. */
sheaf_status sheaf_hdf5_append(void *handle, const void *values, size_t bytes, sheaf_error *err)
{
	array *a = (array *)handle;
	const char *at = (const char *)values, *end = at + bytes;
	int64_t place;
	a->w->err = err;
	if (a->plan.records) return append_records(a, (const uint8_t *)values, bytes);
	for (; at < end; at += a->plan.text_size) {
		sheaf_bytes text = {(const uint8_t *)at, strnlen(at, (size_t)a->plan.text_size)};
		SHEAF_TRY(sheaf_hdf5_store_text(a->w, text, text.size, &a->texts, &place));
	}
	return sheaf_builder_status(&a->texts, err);
}

/* Stores the bytes of a chunk and notes where they are. Chunks of 4 KiB and more are aligned, for readers
 * who map them. Smaller ones would waste more than they gain. */
sheaf_status sheaf_hdf5_write_chunk(void *handle, int64_t chunk, uint32_t skipped, const void *bytes,
                                    size_t size, sheaf_error *err)
{
	enum { LARGE = 4096, ALIGNED = 64 };
	array *a = (array *)handle;
	written it = {.size = (uint32_t)size, .skipped = skipped};
	(void)chunk; /* they come in order */
	a->w->err = err;
	SHEAF_TRY(sheaf_hdf5_allocate(a->w, size, size < LARGE ? 8 : ALIGNED, &it.address));
	SHEAF_TRY(sheaf_hdf5_note(&a->chunks, &it, sizeof it, err));
	return sheaf_hdf5_store(a->w, it.address, bytes, size);
}

/* ---- the header ---- */

/* Makes the pipeline message: shuffle before deflate, each marked as optional, so that a chunk may skip
 * it. Level 10 and above are ours alone; zlib's highest is what the file says. */
static void describe_filters(const array *a, sheaf_builder *b)
{
	enum { VERSION = 2, DEFLATE = 1, SHUFFLE = 2, MAY_BE_SKIPPED = 1 };
	const sheaf_box_plan *p = &a->plan;
	SHEAF_HDF5_PUT(NULL, b, "11", VERSION, p->shuffle + (p->deflate > 0));
	if (p->shuffle) SHEAF_HDF5_PUT(NULL, b, "2224", SHUFFLE, MAY_BE_SKIPPED, 1, width_of(a));
	if (p->deflate)
		SHEAF_HDF5_PUT(NULL, b, "2224", DEFLATE, MAY_BE_SKIPPED, 1, p->deflate > 9 ? 9 : p->deflate);
}

/* Makes the layout message, of version 3: contiguous with its size, or chunked with the extents of a
 * chunk and of an element. */
static void describe_layout(const array *a, int64_t count, sheaf_builder *b)
{
	enum { VERSION = 3 };
	const sheaf_box_plan *p = &a->plan;
	int64_t bytes = p->text_size ? (int64_t)a->texts.size : count * (int64_t)sheaf_type_size(p->type);
	if (!p->chunk) {
		SHEAF_HDF5_PUT(a->w, b, "11AL", VERSION, SHEAF_HDF5_CONTIGUOUS, a->address, bytes);
		return;
	}
	SHEAF_HDF5_PUT(a->w, b, "111A4", VERSION, SHEAF_HDF5_CHUNKED, p->rank + 1, a->address,
	               p->chunk / sheaf_box_row(p));
	for (int d = 1; d < p->rank; d++) sheaf_hdf5_put_number(b, p->shape[d] ? (uint64_t)p->shape[d] : 1, 4);
	sheaf_hdf5_put_number(b, (uint64_t)width_of(a), 4);
}

/* Makes the messages of an array's header: dataspace, type, fill value, filters, layout. The layout comes
 * last since it has the address of the index, or of the references to texts, both of which are written
 * here. */
static sheaf_status describe(array *a, int64_t count)
{
	enum { FILL = 3, EARLY = 1, AS_NEEDED = 3, NEVER = 1 << 2 /* the library is asked not to fill it */ };
	sheaf_hdf5_writer *w = a->w;
	sheaf_builder *b = &w->message;
	b->size = 0;
	const sheaf_box_plan *p = &a->plan;
	if (p->rank == 1)
		sheaf_hdf5_put_space(a->w, b, count / sheaf_box_parts(p), p->count >= 0);
	else
		sheaf_hdf5_put_shape(a->w, b, p->shape, p->rank);
	SHEAF_TRY(sheaf_hdf5_say(w, a->object, SHEAF_HDF5_SPACE, 0));
	if (p->records)
		sheaf_hdf5_put_record_type(w, b, p->records);
	else if (p->text_size)
		sheaf_hdf5_put_text_type(w, b);
	else
		sheaf_hdf5_put_element(b, p->what, p->type);
	SHEAF_TRY(sheaf_hdf5_say(w, a->object, SHEAF_HDF5_TYPE, SHEAF_HDF5_CONSTANT));
	SHEAF_HDF5_PUT(w, b, "11", FILL, NEVER | (a->plan.chunk ? AS_NEEDED : EARLY));
	SHEAF_TRY(sheaf_hdf5_say(w, a->object, SHEAF_HDF5_FILL, SHEAF_HDF5_CONSTANT));
	if (a->plan.shuffle || a->plan.deflate) {
		describe_filters(a, b);
		SHEAF_TRY(sheaf_hdf5_say(w, a->object, SHEAF_HDF5_FILTERS, SHEAF_HDF5_CONSTANT));
	}
	SHEAF_TRY(write_index(a));
	/* The references to texts come after the last text. */
	if (a->texts.size > 0) {
		SHEAF_TRY(sheaf_hdf5_allocate(a->w, a->texts.size, 8, &a->address));
		SHEAF_TRY(sheaf_hdf5_store(a->w, a->address, a->texts.data, a->texts.size));
	}
	b->size = 0;
	describe_layout(a, count, b);
	return sheaf_hdf5_say(w, a->object, SHEAF_HDF5_LAYOUT, 0);
}

/* Ends an array of `count` values. A single chunk is as long as the array, whatever the plan was. In a
 * netCDF file every array gets a dimension. The item stays refused until the file is opened again:
 * headers are written when the file is complete. */
sheaf_status sheaf_hdf5_end_array(void *handle, int64_t count, sheaf_box_item *item, sheaf_error *err)
{
	array *a = (array *)handle;
	a->w->err = err;
	if (a->plan.text_size) count /= a->plan.text_size;
	if (a->plan.chunk > count && count > 0) a->plan.chunk = count; /* a single one */
	item->refused = "one that can be read once the file is complete";
	SHEAF_TRY(describe(a, count));
	return a->w->kind == SHEAF_BOX_NETCDF ? sheaf_hdf5_add_dimension(a->w, a->group, a->object, count)
	                                      : SHEAF_OK;
}

void sheaf_hdf5_drop_array(void *handle)
{
	array *a = (array *)handle;
	sheaf_builder_drop(&a->chunks);
	sheaf_builder_drop(&a->texts);
}
