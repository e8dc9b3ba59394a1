/* SPDX-License-Identifier: MIT */
/* B-trees of both versions, walked from the root on. The order of entries does not matter to anybody here, so
 * nodes wait in a list, and only one is held at a time. */
#include "box/hdf5/read.h"
#include <string.h>

typedef struct node {
	int64_t address;
	uint32_t level, count;
} node;

static sheaf_status add_node(sheaf_hdf5_look *l, sheaf_builder *nodes, node it)
{
	sheaf_builder_append(nodes, &it, sizeof it);
	return sheaf_builder_status(nodes, l->err);
}

/* ---- version 1 ---- */

typedef struct tree_1 {
	sheaf_hdf5_look *l;
	unsigned type;
	size_t key_size;
	sheaf_builder nodes;
	sheaf_hdf5_entry entry;
	void *user;
} tree_1;

/* Goes to a node: its level, and how many entries it has. Those above say which level they lead to. */
static sheaf_status enter_node_1(const tree_1 *t, const node *from, node *out)
{
	sheaf_hdf5_look *l = t->l;
	static const char what[] = "a node of a B-tree";
	size_t head = 8 + 2 * (size_t)l->r->address_size;
	SHEAF_TRY(sheaf_hdf5_meet(l, what, from->address));
	SHEAF_TRY(sheaf_hdf5_peek(l, what, from->address, head));
	sheaf_cursor_bytes(&l->c, 1, 6, "the head of a node");
	size_t count = (size_t)sheaf_hdf5_take(&l->c, 2, "the head of a node");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	/* Its letters have no version after them, but its type. */
	SHEAF_TRY(sheaf_hdf5_enter(l, what, from->address, head + count * (t->key_size + l->r->address_size),
	                           "TREE", 255));
	l->c.at--;
	unsigned type, level;
	SHEAF_TRY(sheaf_hdf5_take_byte(l, &l->c, t->type, t->type, "a node of the type of its tree", &type));
	SHEAF_TRY(sheaf_hdf5_take_byte(l, &l->c, 0, 255, "a level of a node", &level));
	if (from->level <= 255 && level != from->level)
		return sheaf_hdf5_refuse(l, sheaf_cursor_tell(&l->c) - 1,
		                         "a node one level below that which leads to it", level);
	sheaf_cursor_bytes(&l->c, 1, head - 6, "the head of a node");
	*out = (node){from->address, level, (uint32_t)count};
	return SHEAF_OK;
}

static sheaf_status walk_node_1(tree_1 *t, const node *from)
{
	sheaf_hdf5_look *l = t->l;
	node it = {0};
	SHEAF_TRY(enter_node_1(t, from, &it));
	for (uint32_t i = 0; i < it.count; i++) {
		int64_t byte = sheaf_cursor_tell(&l->c);
		const uint8_t *bytes = sheaf_cursor_bytes(&l->c, 1, t->key_size, "a key");
		int64_t address = sheaf_hdf5_take_address(l->r, &l->c, "a child");
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
		sheaf_cursor key = sheaf_cursor_over(bytes, t->key_size, byte);
		SHEAF_TRY(it.level ? add_node(l, &t->nodes, (node){address, it.level - 1, 0})
		                   : t->entry(t->user, &key, address));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_tree_1(sheaf_hdf5_look *l, unsigned type, size_t key_size, int64_t address,
                               sheaf_hdf5_entry entry, void *user)
{
	tree_1 t = {.l = l, .type = type, .key_size = key_size, .entry = entry, .user = user};
	sheaf_builder_begin(&t.nodes, l->r->cx, NULL);
	sheaf_hdf5_places_clear(&l->seen, l->r->cx);
	sheaf_status status = add_node(l, &t.nodes, (node){address, UINT32_MAX, 0});
	for (size_t at = 0; !status && at < t.nodes.size; at += sizeof(node)) {
		node from;
		memcpy(&from, t.nodes.data + at, sizeof from);
		status = walk_node_1(&t, &from);
	}
	sheaf_builder_drop(&t.nodes);
	return status;
}

/* ---- version 2 ---- */

enum { NODE_HEAD = 6, SUM = 4, MOST_DEPTH = 32 };

typedef struct tree_2 {
	sheaf_hdf5_look *l;
	unsigned type;
	uint64_t node_size, record_size;
	unsigned depth;
	unsigned count_size;               /* bytes of the number of records of a child, */
	unsigned all_size[MOST_DEPTH + 1]; /* and of it and those below it, by its depth */
	uint64_t found, total;
	sheaf_builder nodes;
	sheaf_hdf5_record record;
	void *user;
} tree_2;

static uint64_t most_records(const tree_2 *t, size_t pointer)
{
	return t->node_size <= NODE_HEAD + SUM + pointer
	           ? 0
	           : (t->node_size - NODE_HEAD - SUM - pointer) / (t->record_size + pointer);
}

static size_t pointer_size(const tree_2 *t, unsigned depth)
{
	return t->l->r->address_size + t->count_size + (depth > 1 ? t->all_size[depth - 1] : 0);
}

/* How many bytes counts take follows from how many records there may be at most. */
static void find_sizes(tree_2 *t)
{
	uint64_t all = most_records(t, 0);
	t->count_size = sheaf_hdf5_bytes_for(all);
	for (unsigned depth = 1; depth <= t->depth; depth++) {
		uint64_t here = most_records(t, pointer_size(t, depth));
		if (__builtin_mul_overflow(all, here + 1, &all) || __builtin_add_overflow(all, here, &all))
			all = UINT64_MAX;
		t->all_size[depth] = sheaf_hdf5_bytes_for(all);
	}
}

static sheaf_status enter_tree_2(tree_2 *t, int64_t address, node *root)
{
	sheaf_hdf5_look *l = t->l;
	unsigned type;
	size_t size = 22 + (size_t)l->r->address_size + l->r->length_size;
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, "the header of a B-tree", address, size, "BTHD", 0));
	SHEAF_TRY(sheaf_hdf5_take_byte(l, &l->c, t->type, t->type, "a B-tree of the type of its use", &type));
	t->node_size = sheaf_hdf5_take(&l->c, 4, "a size of nodes");
	t->record_size = sheaf_hdf5_take(&l->c, 2, "a size of records");
	t->depth = (unsigned)sheaf_hdf5_take(&l->c, 2, "a depth");
	sheaf_cursor_bytes(&l->c, 1, 2, "percents");
	int64_t at = sheaf_hdf5_take_address(l->r, &l->c, "a root");
	*root = (node){at, t->depth, (uint32_t)sheaf_hdf5_take(&l->c, 2, "records of the root")};
	t->total = sheaf_hdf5_take_length(l->r, &l->c, "records of a B-tree");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	if (t->record_size == 0 || t->record_size > t->node_size)
		return sheaf_hdf5_refuse(l, l->c.base + 10, "records that fit a node", t->record_size);
	if (t->depth > MOST_DEPTH) return sheaf_hdf5_refuse(l, l->c.base + 12, "a depth of up to 32", t->depth);
	find_sizes(t);
	return SHEAF_OK;
}

static sheaf_status take_children(tree_2 *t, const node *from)
{
	sheaf_hdf5_look *l = t->l;
	for (uint32_t i = 0; i <= from->count; i++) {
		node child = {sheaf_hdf5_take_address(l->r, &l->c, "a child"), from->level - 1, 0};
		child.count = (uint32_t)sheaf_hdf5_take(&l->c, t->count_size, "records of a child");
		if (from->level > 1) sheaf_hdf5_take(&l->c, t->all_size[from->level - 1], "records below a child");
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
		SHEAF_TRY(add_node(l, &t->nodes, child));
	}
	return SHEAF_OK;
}

static sheaf_status walk_node_2(tree_2 *t, const node *from)
{
	static const char what[] = "a node of a B-tree";
	sheaf_hdf5_look *l = t->l;
	unsigned type;
	uint64_t size = NODE_HEAD + SUM + from->count * t->record_size +
	                (from->level ? (from->count + UINT64_C(1)) * pointer_size(t, from->level) : 0);
	SHEAF_TRY(sheaf_hdf5_meet(l, what, from->address));
	if (size > t->node_size)
		return sheaf_hdf5_refuse(l, l->r->base + from->address, "records that fit a node", from->count);
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, what, from->address, size, from->level ? "BTIN" : "BTLF", 0));
	SHEAF_TRY(sheaf_hdf5_take_byte(l, &l->c, t->type, t->type, "a node of the type of its tree", &type));
	t->found += from->count;
	int64_t byte = sheaf_cursor_tell(&l->c);
	const uint8_t *records = sheaf_cursor_bytes(&l->c, from->count, t->record_size, "records");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	if (from->level) SHEAF_TRY(take_children(t, from));
	for (uint32_t i = 0; i < from->count; i++) {
		size_t at = i * (size_t)t->record_size;
		sheaf_cursor record = sheaf_cursor_over(records + at, (size_t)t->record_size, byte + (int64_t)at);
		SHEAF_TRY(t->record(t->user, &record));
		SHEAF_TRY(sheaf_hdf5_done(l, &record));
	}
	return SHEAF_OK;
}

static sheaf_status walk_2(tree_2 *t, int64_t address)
{
	node root = {0};
	SHEAF_TRY(enter_tree_2(t, address, &root));
	if (root.address >= 0) SHEAF_TRY(add_node(t->l, &t->nodes, root));
	for (size_t at = 0; at < t->nodes.size; at += sizeof(node)) {
		node from;
		memcpy(&from, t->nodes.data + at, sizeof from);
		SHEAF_TRY(walk_node_2(t, &from));
	}
	return t->found == t->total
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(t->l, t->l->r->base + address,
	                               "a B-tree with as many records as its header says", t->found);
}

sheaf_status sheaf_hdf5_tree_2(sheaf_hdf5_look *l, unsigned type, int64_t address, sheaf_hdf5_record record,
                               void *user)
{
	tree_2 t = {.l = l, .type = type, .record = record, .user = user};
	sheaf_builder_begin(&t.nodes, l->r->cx, NULL);
	sheaf_hdf5_places_clear(&l->seen, l->r->cx);
	sheaf_status status = walk_2(&t, address);
	sheaf_builder_drop(&t.nodes);
	return status;
}
