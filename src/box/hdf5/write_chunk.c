/* SPDX-License-Identifier: MIT */
/* The index of the chunks of an array of one dimension: a tree of version 1, made from its leaves up. */
#include "box/hdf5/write.h"

typedef struct index_of_chunks {
	sheaf_hdf5_writer *w;
	const sheaf_hdf5_chunk *chunks;
	size_t count;
	int64_t extent;
	size_t width;
	size_t fan; /* nodes or chunks that a node leads to at most */
} index_of_chunks;

/* Size, filters that were skipped, and the place of the chunk in the array; the last place is within an
 * element. */
static void put_key(const index_of_chunks *x, const sheaf_hdf5_chunk *chunk, uint64_t first, uint64_t within)
{
	sheaf_builder *b = &x->w->message;
	sheaf_hdf5_put_number(b, chunk ? chunk->size : 0, 4);
	sheaf_hdf5_put_number(b, chunk ? chunk->skipped : 0, 4);
	sheaf_hdf5_put_number(b, first, 8);
	sheaf_hdf5_put_number(b, within, 8);
}

static size_t node_size(const index_of_chunks *x)
{
	enum { HEAD = 8, KEY = 24 };
	return HEAD + 2 * x->w->reader.address_size + x->fan * x->w->reader.address_size + (x->fan + 1) * KEY;
}

/* A level of nodes: the nodes of the level below, or chunks, begin at `below`, each over that many chunks. */
typedef struct level {
	unsigned number;
	int64_t at, below;
	size_t nodes, over; /* chunks under a node */
} level;

static int64_t child_of(const index_of_chunks *x, const level *l, size_t first)
{
	if (l->number == 0) return x->chunks[first].address;
	return l->below + (int64_t)(first / (l->over / x->fan) * node_size(x));
}

static void make_node(const index_of_chunks *x, const level *l, size_t node)
{
	enum { CHUNKS = 1 };
	sheaf_builder *b = &x->w->message;
	size_t step = l->over / x->fan, from = node * l->over,
		   to = from + l->over < x->count ? from + l->over : x->count;
	int64_t size = (int64_t)node_size(x), at = l->at + (int64_t)node * size;
	b->size = 0;
	int64_t before = node > 0 ? at - size : SHEAF_HDF5_NOWHERE,
			next = node + 1 < l->nodes ? at + size : SHEAF_HDF5_NOWHERE;
	int64_t head[] = {CHUNKS, l->number, (int64_t)((to - from + step - 1) / step), before, next};
	sheaf_builder_append(b, "TREE", 4);
	sheaf_hdf5_put(x->w, b, "112AA", head);
	for (size_t i = from; i < to; i += step) {
		put_key(x, &x->chunks[i], (uint64_t)i * (uint64_t)x->extent, 0);
		sheaf_hdf5_put_address(x->w, b, child_of(x, l, i));
	}
	/* The end: the next node's first chunk, or what follows the beginning of the last one. */
	if (to < x->count)
		put_key(x, &x->chunks[to], (uint64_t)to * (uint64_t)x->extent, 0);
	else
		put_key(x, NULL, (uint64_t)(to - 1) * (uint64_t)x->extent, x->width);
	sheaf_hdf5_put_zeros(b, (size_t)size - b->size);
}

static sheaf_status write_level(const index_of_chunks *x, level *l)
{
	size_t size = node_size(x);
	SHEAF_TRY(sheaf_hdf5_allocate(x->w, (uint64_t)l->nodes * size, 8, &l->at));
	for (size_t i = 0; i < l->nodes; i++) {
		make_node(x, l, i);
		SHEAF_TRY(sheaf_builder_status(&x->w->message, x->w->err));
		SHEAF_TRY(sheaf_hdf5_store(x->w, l->at + (int64_t)(i * size), x->w->message.data, size));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_index_chunks(sheaf_hdf5_writer *w, const sheaf_hdf5_chunk *chunks, size_t count,
                                     int64_t extent, size_t width, int64_t *address)
{
	index_of_chunks x = {w, chunks, count, extent, width, 2 * (size_t)w->chunk_fan};
	level l = {.over = x.fan};
	*address = SHEAF_HDF5_NOWHERE;
	if (count == 0) return SHEAF_OK;
	for (;; l.number++, l.over *= x.fan) {
		l.below = l.at;
		l.nodes = (count + l.over - 1) / l.over;
		SHEAF_TRY(write_level(&x, &l));
		if (l.nodes == 1) break;
	}
	*address = l.at;
	return SHEAF_OK;
}
