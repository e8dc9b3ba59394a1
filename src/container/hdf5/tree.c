/* SPDX-License-Identifier: MIT */
/* B-trees of both versions, walked from the root. The order of entries does not matter here, so nodes
 * wait in a list, and only one is in memory at a time; a node that is reached twice is damage.
 *
 * Version 1: a node has its level and its number of entries, keys and addresses in turn. Version 2: the
 * header has the depth of the tree, and the pointer to a child has the number of its records, so a node's
 * size is known before it is read; all nodes but those of the leaves have records too. */
#include "container/hdf5/read.h"
#include <string.h>

enum { NODE_HEAD = 6, SUM = 4, ANY_LEVEL = UINT16_MAX };
static const char what[] = "a node of a B-tree";

typedef struct node {
	int64_t address;
	uint32_t level, count;
} node;

/* A walk through a tree: what its nodes are like, and the nodes that wait. */
typedef struct tree {
	sheaf_hdf5_look *l;
	unsigned type;
	size_t key_size; /* version 1 */
	/* Version 2: */
	uint64_t node_size, record_size;
	unsigned depth;
	sheaf_hdf5_shape shape;
	uint64_t found, total;
	sheaf_builder nodes;
	sheaf_hdf5_record record;
	void *user;
} tree;

/* What a walk owns. */
static void drop(tree *t) { sheaf_builder_drop(&t->nodes); }

static sheaf_status add_node(tree *t, int64_t address, uint32_t level, uint32_t count)
{
	node it = {address, level, count};
	return sheaf_hdf5_note(&t->nodes, &it, sizeof it, t->l->err);
}

/* Visits the nodes in the order in which they were found; the list grows meanwhile. */
static sheaf_status walk(tree *t, sheaf_status (*walk_node)(tree *t, const node *from))
{
	for (size_t at = 0; at < t->nodes.size; at += sizeof(node)) {
		node from;
		memcpy(&from, t->nodes.data + at, sizeof from);
		SHEAF_TRY(sheaf_hdf5_meet(t->l, what, from.address));
		SHEAF_TRY(walk_node(t, &from));
	}
	return SHEAF_OK;
}

/* ---- version 1 ---- */

/* Reads a node of a B-tree of version 1, and shows its entries if it is a leaf, else adds its children to
 * those that wait. The level of the root is not known beforehand; nodes above say which level they lead
 * to. The signature is followed by the type of the tree, not by a version, so any byte is let through
 * there and compared afterwards. */
static sheaf_status walk_node_1(tree *t, const node *from)
{
	sheaf_hdf5_look *l = t->l;
	unsigned level;
	uint64_t count;
	bool is_root = from->level == ANY_LEVEL;
	size_t head = 8 + 2 * (size_t)l->r->address_size;
	SHEAF_TRY(sheaf_hdf5_peek(l, what, from->address, head));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "-62", "the head of a node", (int64_t *)&count));
	uint64_t size = head + count * (t->key_size + l->r->address_size);
	SHEAF_TRY(sheaf_hdf5_go(l, what, from->address, size, "TREE\377", SHEAF_HDF5_PLAIN));
	l->c.at--;
	sheaf_hdf5_byte(&l->c, t->type, t->type, "a node of the type of its tree");
	level = sheaf_hdf5_byte(&l->c, is_root ? 0 : from->level, is_root ? 255 : from->level,
	                        "a node one level below its parent");
	sheaf_cursor_bytes(&l->c, 1, head - 6, "the head of a node");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	for (uint64_t i = 0; i < count; i++) {
		sheaf_cursor entry = sheaf_hdf5_part_of(&l->c, t->key_size + l->r->address_size, "a key");
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
		if (level == 0) {
			SHEAF_TRY(t->record(t->user, &entry));
		} else {
			sheaf_cursor_bytes(&entry, 1, t->key_size, "a key");
			SHEAF_TRY(add_node(t, sheaf_hdf5_take_address(l->r, &entry, "a child"), level - 1, 0));
		}
	}
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_tree_1(sheaf_hdf5_look *l, unsigned type, size_t key_size, int64_t address,
                               sheaf_hdf5_record record, void *user)
{
	SHEAF_SCOPED(drop) tree t = {.l = l, .type = type, .key_size = key_size, .record = record, .user = user};
	sheaf_builder_begin(&t.nodes, l->r->cx, NULL);
	sheaf_hdf5_places_clear(&l->seen, l->r->cx);
	SHEAF_TRY(add_node(&t, address, ANY_LEVEL, 0));
	return walk(&t, walk_node_1);
}

/* ---- version 2 ---- */

/* Computes how many records a node holds by its depth, and how wide its pointers are. A node holds what
 * fits into it: records, and above the leaves pointers to children, whose counts are as wide as the
 * largest count needs. So the widths follow from the sizes of a node and of a record alone, from the
 * leaves up. */
void sheaf_hdf5_find_shape(sheaf_hdf5_shape *s, uint64_t node_size, uint64_t record_size, size_t address_size)
{
	uint64_t all = 0;
	for (unsigned depth = 0; depth <= SHEAF_HDF5_MOST_DEPTH; depth++) {
		size_t pointer = depth ? address_size + sheaf_hdf5_bytes_for(s->most[0]) : 0;
		if (depth > 1) pointer += sheaf_hdf5_bytes_for(all);
		uint64_t head = NODE_HEAD + SUM + pointer,
				 here = node_size <= head ? 0 : (node_size - head) / (record_size + pointer);
		if (__builtin_mul_overflow(all, here + 1, &all) || __builtin_add_overflow(all, here, &all))
			all = UINT64_MAX;
		s->pointer[depth] = pointer;
		s->most[depth] = here;
		s->below[depth] = all;
	}
}

/* Reads a node of a B-tree of version 2, shows its records, and adds its children to those that wait. Its
 * parent has said how many records it has; so a node that is no leaf has one child more than that, each
 * with an address, its number of records, and the number below it, which is not needed. */
static sheaf_status walk_node_2(tree *t, const node *from)
{
	sheaf_hdf5_look *l = t->l;
	uint64_t size = NODE_HEAD + SUM + from->count * t->record_size +
	                (from->level ? (from->count + UINT64_C(1)) * t->shape.pointer[from->level] : 0);
	if (size > t->node_size)
		return sheaf_hdf5_refuse(l, l->r->base + from->address, "records that fit a node", from->count);
	SHEAF_TRY(sheaf_hdf5_go(l, what, from->address, size, from->level ? "BTIN" : "BTLF", SHEAF_HDF5_SUMMED));
	sheaf_hdf5_byte(&l->c, t->type, t->type, "a node of the type of its tree");
	t->found += from->count;
	sheaf_cursor records = sheaf_hdf5_part_of(&l->c, from->count * t->record_size, "records");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	if (from->level) {
		size_t count_size = sheaf_hdf5_bytes_for(t->shape.most[0]),
			   rest = t->shape.pointer[from->level] - l->r->address_size - count_size;
		for (uint32_t i = 0; i <= from->count; i++) {
			int64_t address = sheaf_hdf5_take_address(l->r, &l->c, "a child");
			uint32_t count = (uint32_t)sheaf_hdf5_take(&l->c, count_size, "records of a child");
			sheaf_cursor_bytes(&l->c, 1, rest, "records below a child");
			SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
			SHEAF_TRY(add_node(t, address, from->level - 1, count));
		}
	}
	for (uint32_t i = 0; i < from->count; i++) {
		sheaf_cursor record = sheaf_hdf5_part_of(&records, t->record_size, "a record");
		SHEAF_TRY(t->record(t->user, &record));
		SHEAF_TRY(sheaf_hdf5_done(l, &record));
	}
	return SHEAF_OK;
}

/* Shows all records of a B-tree of version 2, in any order, and compares their number with the one in its
 * header. The offsets 10 and 12 are those of the fields in the header, for messages. */
sheaf_status sheaf_hdf5_tree_2(sheaf_hdf5_look *l, unsigned type, int64_t address, sheaf_hdf5_record record,
                               void *user)
{
	SHEAF_SCOPED(drop) tree t = {.l = l, .type = type, .record = record, .user = user};
	sheaf_builder_begin(&t.nodes, l->r->cx, NULL);
	sheaf_hdf5_places_clear(&l->seen, l->r->cx);
	enum { NODES, RECORDS, DEPTH, PERCENTS, ROOT, IN_ROOT, ALL, FIELDS };
	int64_t f[FIELDS];
	size_t size = 22 + (size_t)l->r->address_size + l->r->length_size;
	SHEAF_TRY(sheaf_hdf5_go(l, "the header of a B-tree", address, size, "BTHD", SHEAF_HDF5_SUMMED));
	sheaf_hdf5_byte(&l->c, t.type, t.type, "a B-tree of the type of its use");
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, SHEAF_HDF5_TREE_HEAD, "the header of a B-tree", f));
	t.node_size = (uint64_t)f[NODES];
	t.record_size = (uint64_t)f[RECORDS];
	t.depth = (unsigned)f[DEPTH];
	t.total = (uint64_t)f[ALL];
	if (t.record_size == 0) return sheaf_hdf5_refuse(l, l->c.base + 10, "records that take bytes", 0);
	if (t.depth > SHEAF_HDF5_MOST_DEPTH)
		return sheaf_hdf5_refuse(l, l->c.base + 12, "a depth of up to 32", t.depth);
	sheaf_hdf5_find_shape(&t.shape, t.node_size, t.record_size, l->r->address_size);
	if (f[ROOT] >= 0) SHEAF_TRY(add_node(&t, f[ROOT], t.depth, (uint32_t)f[IN_ROOT]));
	SHEAF_TRY(walk(&t, walk_node_2));
	return t.found == t.total
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(l, l->r->base + address,
	                               "a B-tree with as many records as its header says", t.found);
}
