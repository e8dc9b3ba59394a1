/* SPDX-License-Identifier: MIT */
/* Groups of many links: the links are in one block of a heap, and B-trees find them by the hashes of
 * their names and, if requested, by the order of their creation.
 *
 * Everything is written anew each time a group changes: one direct block that has room for all links,
 * rather than the rows of blocks that a library makes as links come one by one. Trees are built from
 * sorted records with nodes as full as each other, which is balanced without any moves. */
#include "base/memory.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/write.h"
#include <stdlib.h>

typedef struct record {
	const sheaf_hdf5_link *link;
	uint32_t hash;
	uint32_t at; /* offset in the heap */
	size_t size;
} record;

/* A group that is being written: a record for each link, and the structure that is being made. */
typedef struct dense {
	sheaf_hdf5_writer *w;
	record *records;
	size_t count, room;
	size_t used, block; /* size of the block */
	sheaf_builder b;
} dense;

/* ---- the heap ---- */

/* Links are identified by their offset in the heap, of 4 bytes, and their size, of 2. */
enum { USUAL_BLOCK = 512, USUAL_MOST = 64 << 10, USUAL_OBJECT = 4096, MOST_BLOCK = 1 << 30 };

/* Signature and version, the heap's address, the offset of the block in the heap, and the checksum. */
static size_t head_of_block(const dense *d) { return 5 + d->w->reader.address_size + 4 + 4; }

/* Makes the heap's only direct block in d->b: the links one after the other, in a block whose size is a
 * power of two. Each record notes where its link is, counted from the head of the block, and its size. */
static sheaf_status make_block(dense *d, int64_t heap)
{
	size_t head = head_of_block(d);
	d->b.size = 0;
	sheaf_builder_append(&d->b, "FHDB\0", 5);
	sheaf_hdf5_put(d->w, &d->b, "A", &heap);
	sheaf_hdf5_put_zeros(&d->b, head - d->b.size);
	for (size_t i = 0; i < d->count; i++) {
		d->records[i].at = (uint32_t)d->b.size;
		sheaf_hdf5_put_link(d->w, &d->b, d->records[i].link);
		SHEAF_TRY(sheaf_builder_status(&d->b, d->w->err));
		d->records[i].size = d->b.size - d->records[i].at;
		if (d->b.size > MOST_BLOCK || d->records[i].size > UINT16_MAX)
			return sheaf_fail(d->w->err, SHEAF_LIMIT,
			                  "%s: expected the names of a group to take less than 1 GiB, found more",
			                  d->w->reader.store->name);
	}
	d->used = d->b.size;
	for (d->block = USUAL_BLOCK; d->block < d->used;) d->block *= 2;
	sheaf_hdf5_put_zeros(&d->b, d->block - d->used);
	SHEAF_TRY(sheaf_builder_status(&d->b, d->w->err));
	sheaf_store_u32le(d->b.data + head - 4, sheaf_hdf5_checksum(d->b.data, d->b.size));
	return SHEAF_OK;
}

/* Makes the heap's header, with the fields of SHEAF_HDF5_HEAP_HEAD. The root is a direct block at
 * `block`, and all sizes of blocks are its size. */
static void make_heap(dense *d, int64_t block)
{
	enum { SUMS = 2, ID = 7, WIDTH = 4, BITS = 32 };
	sheaf_builder *b = &d->b;
	int64_t size = (int64_t)d->block, none = SHEAF_HDF5_NOWHERE, unused = size - (int64_t)d->used,
			most = size > USUAL_MOST ? size : USUAL_MOST;
	/* The largest object that the heap manages: larger ones would be huge. No link may be larger. */
	size_t largest = USUAL_OBJECT;
	for (size_t i = 0; i < d->count; i++)
		if (d->records[i].size > largest) largest = d->records[i].size;
	int64_t head[] = {ID,    0,     SUMS,   (int64_t)largest,
	                  0,     none,  unused, none,
	                  size,  size,  0,      (int64_t)d->count,
	                  0,     0,     0,      0,
	                  WIDTH, size,  most,   BITS,
	                  1,     block, 0};
	b->size = 0;
	sheaf_builder_append(b, "FRHP", 5);
	sheaf_hdf5_put(d->w, b, SHEAF_HDF5_HEAP_HEAD, head);
	sheaf_hdf5_put_sum(b);
}

/* ---- trees ---- */

enum { NODE = 512, MOST_CHILDREN = 64 };

/* An index of the links. Nodes are of 512 bytes, as in files of libhdf5. */
typedef struct tree {
	dense *d;
	unsigned kind;
	size_t width;   /* of a record */
	unsigned depth; /* of the root */
	sheaf_hdf5_shape shape;
} tree;

/* Appends a record of a tree. By name: hash and identifier; by order: number and identifier. An
 * identifier is a byte 0 (managed), an offset of 4 bytes and a size of 2. */
static void put_record(const tree *t, const record *r)
{
	sheaf_builder *b = &t->d->b;
	bool by_name = t->kind == SHEAF_HDF5_LINK_NAMES;
	int64_t fields[] = {by_name ? r->hash : r->link->order, 0, r->at, (int64_t)r->size};
	sheaf_hdf5_put(NULL, b, by_name ? "4142" : "8142", fields);
}

/* A part of the records, and where it is. */
typedef struct part {
	size_t from, to;
	size_t own; /* records in the node itself */
	int64_t address;
} part;

/* The checksum follows the last byte that is used; the rest of the node is zeros. */
static sheaf_status finish_node(tree *t, int64_t *address)
{
	sheaf_hdf5_put_sum(&t->d->b);
	sheaf_hdf5_put_zeros(&t->d->b, NODE - t->d->b.size);
	return sheaf_hdf5_store_new(t->d->w, &t->d->b, address);
}

static void begin_node(const tree *t, const char *signature)
{
	t->d->b.size = 0;
	sheaf_builder_append(&t->d->b, signature, 5);
	sheaf_hdf5_put_number(&t->d->b, t->kind, 1);
}

/* Writes the records of a part, and of all parts below it, as a node of the tree. Children come first,
 * since a node has their addresses: parts of equal size. Between two children there is a record of the
 * node itself. p->own becomes the number of the node's own records, which its parent states. */
static sheaf_status write_node(tree *t, part *p, unsigned depth)
{
	part parts[MOST_CHILDREN];
	size_t count = p->to - p->from, from = p->from;
	if (depth == 0) {
		begin_node(t, "BTLF");
		for (; from < p->to; from++) put_record(t, &t->d->records[from]);
		p->own = count;
		return finish_node(t, &p->address);
	}
	uint64_t below = t->shape.below[depth - 1] + 1;
	size_t n = (size_t)((count + below) / below), records_below = count - (n - 1),
		   count_size = sheaf_hdf5_bytes_for(t->shape.most[0]);
	for (size_t i = 0; i < n; i++) {
		parts[i] = (part){.from = from, .to = from + records_below / n + (i < records_below % n)};
		from = parts[i].to + 1;
		SHEAF_TRY(write_node(t, &parts[i], depth - 1));
	}
	begin_node(t, "BTIN");
	for (size_t i = 0; i + 1 < n; i++) put_record(t, &t->d->records[parts[i].to]);
	for (size_t i = 0; i < n; i++) {
		sheaf_hdf5_put(t->d->w, &t->d->b, "A", &parts[i].address);
		sheaf_hdf5_put_number(&t->d->b, parts[i].own, count_size);
		if (depth > 1)
			sheaf_hdf5_put_number(&t->d->b, parts[i].to - parts[i].from,
			                      t->shape.pointer[depth] - t->d->w->reader.address_size - count_size);
	}
	p->own = n - 1;
	return finish_node(t, &p->address);
}

/* Writes a tree of the records in their present order, with the smallest depth that holds all of them;
 * *address becomes that of its header. */
static sheaf_status write_tree(dense *d, unsigned kind, int64_t *address)
{
	enum { SPLIT = 100, MERGE = 40 };
	tree t = {.d = d, .kind = kind, .width = kind == SHEAF_HDF5_LINK_NAMES ? 11 : 15};
	part root = {.to = d->count};
	sheaf_hdf5_find_shape(&t.shape, NODE, t.width, d->w->reader.address_size);
	while (t.shape.below[t.depth] < d->count) t.depth++;
	SHEAF_TRY(write_node(&t, &root, t.depth));
	int64_t head[] = {NODE,         (int64_t)t.width,  t.depth,          SPLIT | MERGE << 8,
	                  root.address, (int64_t)root.own, (int64_t)d->count};
	begin_node(&t, "BTHD");
	sheaf_hdf5_put(d->w, &d->b, SHEAF_HDF5_TREE_HEAD, head);
	sheaf_hdf5_put_sum(&d->b);
	return sheaf_hdf5_store_new(d->w, &d->b, address);
}

/* ---- groups ---- */

/* Hashes first; links of the same hash by their names, byte by byte. */
static int compare_names(const void *a, const void *b)
{
	const record *x = (const record *)a, *y = (const record *)b;
	if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
	return strcmp((const char *)x->link->name, (const char *)y->link->name);
}

static int compare_order(const void *a, const void *b)
{
	int64_t x = ((const record *)a)->link->order, y = ((const record *)b)->link->order;
	return (x > y) - (x < y);
}

static void drop(dense *d)
{
	sheaf_builder_drop(&d->b);
	if (d->records) sheaf_release(d->w->reader.cx, d->records, d->room * sizeof *d->records);
}

/* Writes all links of a group into a heap, and the trees that find them by name and, if links are indexed
 * by order, by that. at[0] becomes the address of the heap, at[1] and at[2] those of the trees. Both
 * trees have the same records, sorted anew. */
sheaf_status sheaf_hdf5_write_links(sheaf_hdf5_writer *w, const sheaf_hdf5_object *group, int64_t at[3])
{
	SHEAF_SCOPED(drop) dense d = {.w = w, .room = (size_t)group->nlinks, .b = {.cx = w->reader.cx}};
	SHEAF_TRY(sheaf_allocate_array(w->reader.cx, d.room, sizeof(record), &d.records, w->err));
	for (const sheaf_hdf5_link *link = group->links; link; link = link->next)
		if (!link->is_gone)
			d.records[d.count++] =
				(record){.link = link, .hash = sheaf_hdf5_checksum(link->name, link->name_size)};
	/* The heap's head leads to its block, whose address is not known when the head gets its place: the head
	 * is made twice. */
	int64_t block;
	make_heap(&d, 0);
	SHEAF_TRY(sheaf_hdf5_allocate(d.w, d.b.size, 8, &at[0]));
	SHEAF_TRY(make_block(&d, at[0]));
	SHEAF_TRY(sheaf_hdf5_store_new(d.w, &d.b, &block));
	make_heap(&d, block);
	SHEAF_TRY(sheaf_builder_status(&d.b, d.w->err));
	SHEAF_TRY(sheaf_hdf5_store(d.w, at[0], d.b.data, d.b.size));
	qsort(d.records, d.count, sizeof *d.records, compare_names);
	SHEAF_TRY(write_tree(&d, SHEAF_HDF5_LINK_NAMES, &at[1]));
	if (!(group->link_order & SHEAF_HDF5_INDEXED)) return SHEAF_OK;
	qsort(d.records, d.count, sizeof *d.records, compare_order);
	return write_tree(&d, SHEAF_HDF5_LINK_ORDERS, &at[2]);
}
