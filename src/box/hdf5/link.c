/* SPDX-License-Identifier: MIT */
/* What is in a group: links in its header, in a heap of their own, or in the symbol tables of old files. */
#include "box/hdf5/read.h"
#include <string.h>

enum { NAME_TREE = 5, HASH_SIZE = 4, GROUP_NODES = 0 };

typedef struct listing {
	sheaf_hdf5_look *l;
	sheaf_hdf5_look heap; /* the names of an old group */
	sheaf_builder tables; /* addresses of its symbol tables */
	sheaf_hdf5_way_seen seen;
	void *user;
} listing;

bool sheaf_hdf5_is_group(const sheaf_hdf5_header *h)
{
	return sheaf_hdf5_part_find(h, SHEAF_HDF5_SYMBOLS) || sheaf_hdf5_part_find(h, SHEAF_HDF5_LINK_INFO) ||
	       sheaf_hdf5_part_find(h, SHEAF_HDF5_GROUP_INFO);
}

/* ---- links ---- */

static sheaf_status take_target(const listing *g, sheaf_cursor *c, sheaf_hdf5_way *way)
{
	if (way->kind == SHEAF_HDF5_HARD_LINK) {
		way->address = sheaf_hdf5_take_address(g->l->r, c, "where a link leads");
	} else {
		way->value.size = (size_t)sheaf_hdf5_take(c, 2, "where a link leads");
		way->value.data = sheaf_cursor_bytes(c, 1, way->value.size, "where a link leads");
	}
	return sheaf_hdf5_done(g->l, c);
}

static sheaf_status take_link(void *user, sheaf_cursor *c)
{
	const listing *g = (const listing *)user;
	enum { WIDTH = 3, HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARACTERS = 16 };
	unsigned version, flags;
	sheaf_hdf5_way way = {.address = -1, .order = -1};
	SHEAF_TRY(sheaf_hdf5_take_byte(g->l, c, 1, 1, "a link of version 1", &version));
	SHEAF_TRY(sheaf_hdf5_take_byte(g->l, c, 0, 31, "flags of a link", &flags));
	if (flags & HAS_KIND) way.kind = sheaf_cursor_u8(c, "a kind of a link");
	if (flags & HAS_ORDER) way.order = (int64_t)sheaf_hdf5_take(c, 8, "the order of a link");
	if (flags & HAS_CHARACTERS) way.is_utf8 = sheaf_cursor_u8(c, "the characters of a name") == 1;
	way.name_size = (size_t)sheaf_hdf5_take(c, (size_t)1 << (flags & WIDTH), "the size of a name");
	way.name = sheaf_cursor_bytes(c, 1, way.name_size, "the name of a link");
	SHEAF_TRY(take_target(g, c, &way));
	return g->seen(g->user, &way);
}

/* ---- new groups ---- */

static sheaf_status list_dense(listing *g, sheaf_cursor c)
{
	enum { HAS_ORDER = 1 };
	unsigned version, flags;
	SHEAF_TRY(sheaf_hdf5_take_byte(g->l, &c, 0, 0, "link info of version 0", &version));
	SHEAF_TRY(sheaf_hdf5_take_byte(g->l, &c, 0, 3, "flags of link info", &flags));
	if (flags & HAS_ORDER) sheaf_cursor_bytes(&c, 1, 8, "the order of links");
	int64_t heap = sheaf_hdf5_take_address(g->l->r, &c, "a heap of links");
	int64_t tree = sheaf_hdf5_take_address(g->l->r, &c, "a tree of links");
	SHEAF_TRY(sheaf_hdf5_done(g->l, &c));
	return heap < 0 ? SHEAF_OK
	                : sheaf_hdf5_heap_objects(g->l, heap, tree, NAME_TREE, HASH_SIZE, take_link, g);
}

/* ---- old groups ---- */

static sheaf_status enter_names(listing *g, int64_t address)
{
	sheaf_hdf5_look *l = &g->heap;
	unsigned n = l->r->length_size;
	SHEAF_TRY(sheaf_hdf5_enter(l, "a heap of names", address, 8 + 2 * n + l->r->address_size, "HEAP", 0));
	sheaf_cursor_bytes(&l->c, 1, 3, "a heap of names");
	uint64_t size = sheaf_hdf5_take_length(l->r, &l->c, "the size of a heap of names");
	sheaf_cursor_bytes(&l->c, 1, n, "a heap of names");
	int64_t data = sheaf_hdf5_take_address(l->r, &l->c, "names");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	return sheaf_hdf5_go(l, "the names of a group", data, size);
}

/* The text at an offset of the names. */
static sheaf_status find_name(listing *g, uint64_t offset, const uint8_t **name, size_t *size)
{
	sheaf_cursor c = sheaf_cursor_over(g->heap.bytes.data, g->heap.bytes.size, g->heap.c.base);
	sheaf_cursor_bytes(&c, 1, offset, "a name within the names of its group");
	*name = sheaf_cursor_string(&c, size, "a name that ends within the names of its group");
	return sheaf_hdf5_done(&g->heap, &c);
}

static sheaf_status take_symbol(listing *g)
{
	enum { SOFT = 2, SCRATCH = 16 };
	sheaf_cursor *c = &g->l->c;
	sheaf_hdf5_way way = {.order = -1};
	uint64_t offset = sheaf_hdf5_take(c, g->l->r->length_size, "a symbol");
	way.address = sheaf_hdf5_take_address(g->l->r, c, "a symbol");
	uint64_t cached = sheaf_hdf5_take(c, 4, "a symbol");
	sheaf_cursor_bytes(c, 1, 4, "a symbol");
	uint64_t value = sheaf_hdf5_take(c, 4, "a symbol");
	sheaf_cursor_bytes(c, 1, SCRATCH - 4, "a symbol");
	SHEAF_TRY(sheaf_hdf5_done(g->l, c));
	SHEAF_TRY(find_name(g, offset, &way.name, &way.name_size));
	if (cached == SOFT) {
		way.kind = SHEAF_HDF5_SOFT_LINK;
		SHEAF_TRY(find_name(g, value, &way.value.data, &way.value.size));
	}
	return g->seen(g->user, &way);
}

static sheaf_status note_table(void *user, sheaf_cursor *key, int64_t address)
{
	listing *g = (listing *)user;
	(void)key;
	sheaf_builder_i64(&g->tables, address);
	return sheaf_builder_status(&g->tables, g->l->err);
}

static sheaf_status list_table(listing *g, int64_t address)
{
	static const char what[] = "a table of symbols";
	enum { HEAD = 8 };
	sheaf_hdf5_look *l = g->l;
	SHEAF_TRY(sheaf_hdf5_meet(l, what, address));
	SHEAF_TRY(sheaf_hdf5_peek(l, what, address, HEAD));
	sheaf_cursor_bytes(&l->c, 1, 6, what);
	uint64_t n = sheaf_hdf5_take(&l->c, 2, what);
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	SHEAF_TRY(sheaf_hdf5_enter(l, what, address, HEAD + n * (24 + l->r->address_size + l->r->length_size),
	                           "SNOD", 1));
	sheaf_cursor_bytes(&l->c, 1, 3, what);
	for (uint64_t i = 0; i < n; i++) SHEAF_TRY(take_symbol(g));
	return SHEAF_OK;
}

static sheaf_status list_tables(listing *g, int64_t tree, int64_t heap)
{
	SHEAF_TRY(enter_names(g, heap));
	SHEAF_TRY(sheaf_hdf5_tree_1(g->l, GROUP_NODES, g->l->r->length_size, tree, note_table, g));
	for (size_t at = 0; at < g->tables.size; at += sizeof(int64_t)) {
		int64_t address;
		memcpy(&address, g->tables.data + at, sizeof address);
		SHEAF_TRY(list_table(g, address));
	}
	return SHEAF_OK;
}

static sheaf_status list_old(listing *g, sheaf_cursor c)
{
	int64_t tree = sheaf_hdf5_take_address(g->l->r, &c, "a tree of symbols");
	int64_t heap = sheaf_hdf5_take_address(g->l->r, &c, "a heap of names");
	SHEAF_TRY(sheaf_hdf5_done(g->l, &c));
	sheaf_hdf5_look_begin(&g->heap, g->l->r, g->l->left, g->l->err);
	sheaf_builder_begin(&g->tables, g->l->r->cx, NULL);
	sheaf_status status = list_tables(g, tree, heap);
	sheaf_builder_drop(&g->tables);
	sheaf_hdf5_look_end(&g->heap);
	return status;
}

sheaf_status sheaf_hdf5_links(sheaf_hdf5_look *l, const sheaf_hdf5_header *group, sheaf_hdf5_way_seen seen,
                              void *user)
{
	size_t n;
	listing g = {.l = l, .seen = seen, .user = user};
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(group, &n);
	for (size_t i = 0; i < n; i++) {
		sheaf_cursor c = sheaf_hdf5_part_cursor(group, &parts[i]);
		if (parts[i].type == SHEAF_HDF5_LINK) SHEAF_TRY(take_link(&g, &c));
		if (parts[i].type == SHEAF_HDF5_LINK_INFO) SHEAF_TRY(list_dense(&g, c));
		if (parts[i].type == SHEAF_HDF5_SYMBOLS) SHEAF_TRY(list_old(&g, c));
	}
	return SHEAF_OK;
}
