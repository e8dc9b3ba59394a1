/* SPDX-License-Identifier: MIT */
/* The contents of a group: links in its header, in a heap, or in the symbol tables of old files. All
 * three ways give the same to the caller, a `way`: a name, and a target. Old groups have a B-tree whose
 * leaves lead to tables of symbols, and a heap that has all their names and the paths of their soft
 * links. */
#include "container/hdf5/read.h"
#include <string.h>

/* A walk through the links of one group. */
typedef struct listing {
	sheaf_hdf5_look *l;
	sheaf_hdf5_look heap; /* the names of an old group */
	sheaf_builder tables; /* addresses of its symbol tables */
	sheaf_hdf5_way_seen seen;
	void *user;
} listing;

/* A group is an object that has a place for links; one of the new kind may be empty. */
bool sheaf_hdf5_is_group(const sheaf_hdf5_header *h)
{
	return sheaf_hdf5_part_find(h, SHEAF_HDF5_SYMBOLS) || sheaf_hdf5_part_find(h, SHEAF_HDF5_LINK_INFO) ||
	       sheaf_hdf5_part_find(h, SHEAF_HDF5_GROUP_INFO);
}

/* ---- links ---- */

/* Takes a link message, in the header or in the heap, and shows the link: version, flags, which say what
 * follows, the kind, the order of creation, the character set, the size of the name (of 1, 2, 4 or 8
 * bytes), the name, the target. Kinds that are not known have a value of their own size, so they can be
 * passed over. */
static sheaf_status take_link(void *user, sheaf_cursor *c)
{
	const listing *g = (const listing *)user;
	enum { WIDTH = 3, HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARACTERS = 16 };
	sheaf_hdf5_way way = {.address = -1, .order = -1};
	sheaf_hdf5_byte(c, 1, 1, "a link of version 1");
	unsigned flags = sheaf_hdf5_byte(c, 0, 31, "flags of a link");
	if (flags & HAS_KIND) way.kind = sheaf_cursor_u8(c, "a kind of a link");
	if (flags & HAS_ORDER) way.order = (int64_t)sheaf_hdf5_take(c, 8, "the order of a link");
	if (flags & HAS_CHARACTERS) way.is_utf8 = sheaf_cursor_u8(c, "the characters of a name") == 1;
	way.name_size = (size_t)sheaf_hdf5_take(c, (size_t)1 << (flags & WIDTH), "the size of a name");
	way.name = sheaf_cursor_bytes(c, 1, way.name_size, "the name of a link");
	if (way.kind == SHEAF_HDF5_HARD_LINK) {
		way.address = sheaf_hdf5_take_address(g->l->r, c, "the target of a link");
	} else {
		way.value.size = (size_t)sheaf_hdf5_take(c, 2, "the target of a link");
		way.value.data = sheaf_cursor_bytes(c, 1, way.value.size, "the target of a link");
	}
	SHEAF_TRY(sheaf_hdf5_done(g->l, c));
	return g->seen(g->user, &way);
}

/* ---- old groups ---- */

/* The text at an offset of the names. */
static sheaf_status find_name(listing *g, uint64_t offset, const uint8_t **name, size_t *size)
{
	sheaf_cursor c = sheaf_cursor_over(g->heap.bytes.data, g->heap.bytes.size, g->heap.c.base);
	sheaf_cursor_bytes(&c, 1, offset, "a name within the names of its group");
	*name = sheaf_cursor_string(&c, size, "a name that ends within the names of its group");
	return sheaf_hdf5_done(&g->heap, &c);
}

/* The tables are read after the tree, because a look has one current structure at a time. */
static sheaf_status note_table(void *user, sheaf_cursor *entry)
{
	listing *g = (listing *)user;
	sheaf_cursor_bytes(entry, 1, g->l->r->length_size, "a key");
	sheaf_builder_i64(&g->tables, sheaf_hdf5_take_address(g->l->r, entry, "a table of symbols"));
	return sheaf_builder_status(&g->tables, g->l->err);
}

/* Shows the links of a table of symbols: signature, version, the number of entries, and the entries, of
 * equal size. What an entry caches about its object is not used, apart from the kind: a soft link has its
 * path in the heap. */
static sheaf_status list_table(listing *g, int64_t address)
{
	static const char what[] = "a table of symbols";
	sheaf_hdf5_look *l = g->l;
	int64_t n;
	SHEAF_TRY(sheaf_hdf5_meet(l, what, address));
	SHEAF_TRY(sheaf_hdf5_peek(l, what, address, 8));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "-62", what, &n));
	uint64_t size = 8 + (uint64_t)n * (24 + l->r->address_size + l->r->length_size);
	SHEAF_TRY(sheaf_hdf5_go(l, what, address, size, "SNOD\1", SHEAF_HDF5_PLAIN));
	sheaf_cursor_bytes(&l->c, 1, 3, what);
	for (int64_t i = 0; i < n; i++) {
		enum { NAME, ADDRESS, CACHED, VALUE, FIELDS, SOFT = 2 };
		int64_t f[FIELDS];
		sheaf_hdf5_way way = {.order = -1};
		SHEAF_TRY(sheaf_hdf5_fields(g->l, &g->l->c, "LA4-44-8-4", "a symbol", f));
		SHEAF_TRY(find_name(g, (uint64_t)f[NAME], &way.name, &way.name_size));
		way.address = f[ADDRESS];
		if (f[CACHED] == SOFT) {
			way.kind = SHEAF_HDF5_SOFT_LINK;
			SHEAF_TRY(find_name(g, (uint64_t)f[VALUE], &way.value.data, &way.value.size));
		}
		SHEAF_TRY(g->seen(g->user, &way));
	}
	return SHEAF_OK;
}

/* What a listing owns; the look at the heap exists only for an old group. */
static void drop(listing *g)
{
	sheaf_builder_drop(&g->tables);
	if (g->heap.r) sheaf_hdf5_look_end(&g->heap);
}

/* Shows the links of a group of the old kind, whose message `c` leads to a B-tree of tables and a heap of
 * names. The heap stays in memory, in a look of its own, while the tables are read. */
static sheaf_status list_old(listing *g, sheaf_cursor c)
{
	int64_t at[2]; /* tree, heap */
	SHEAF_TRY(sheaf_hdf5_fields(g->l, &c, "AA", "a tree of symbols and a heap of names", at));
	drop(g);
	sheaf_hdf5_look_begin(&g->heap, g->l->r, g->l->left, g->l->err);
	sheaf_hdf5_look *l = &g->heap;
	static const char what[] = "a heap of names";
	int64_t f[2]; /* size, address */
	size_t size = 8 + 2 * (size_t)l->r->length_size + l->r->address_size;
	SHEAF_TRY(sheaf_hdf5_go(l, what, at[1], size, "HEAP", SHEAF_HDF5_PLAIN));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "-3L-LA", what, f));
	SHEAF_TRY(sheaf_hdf5_go(l, "the names of a group", f[1], (uint64_t)f[0], NULL, SHEAF_HDF5_PLAIN));
	SHEAF_TRY(sheaf_hdf5_tree_1(g->l, SHEAF_HDF5_GROUP_NODES, g->l->r->length_size, at[0], note_table, g));
	for (size_t i = 0; i < g->tables.size; i += sizeof(int64_t)) {
		int64_t address;
		memcpy(&address, g->tables.data + i, sizeof address);
		SHEAF_TRY(list_table(g, address));
	}
	return SHEAF_OK;
}

/* Shows all links of a group, from messages, a heap or tables of symbols. A group has one of the three;
 * nothing prevents a damaged one from having several, and then all are listed, and names that occur twice
 * are found by the caller. */
sheaf_status sheaf_hdf5_links(sheaf_hdf5_look *l, const sheaf_hdf5_header *group, sheaf_hdf5_way_seen seen,
                              void *user)
{
	size_t n;
	SHEAF_SCOPED(drop) listing g = {.l = l, .seen = seen, .user = user, .tables = {.cx = l->r->cx}};
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(group, &n);
	for (size_t i = 0; i < n; i++) {
		sheaf_cursor c = sheaf_hdf5_part_cursor(group, &parts[i]);
		if (parts[i].type == SHEAF_HDF5_LINK) SHEAF_TRY(take_link(&g, &c));
		if (parts[i].type == SHEAF_HDF5_LINK_INFO)
			SHEAF_TRY(sheaf_hdf5_heap_objects(l, &c, SHEAF_HDF5_LINK_NAMES, take_link, &g));
		if (parts[i].type == SHEAF_HDF5_SYMBOLS) SHEAF_TRY(list_old(&g, c));
	}
	return SHEAF_OK;
}
