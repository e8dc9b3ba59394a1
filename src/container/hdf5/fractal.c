/* SPDX-License-Identifier: MIT */
/* Fractal heaps, in which groups with many links and objects with many attributes keep them. A heap is a
 * space of up to 2^64 bytes, cut into blocks: rows of `width` blocks each, the first two rows of the
 * smallest size, and each later row of twice the size of the one before. Rows of blocks that are small
 * enough are direct (they have objects in them), later ones indirect (they have rows of their own).
 * The objects are needed all at once, so they are read in the order of their places: each block is read
 * once. An identifier says where an object is: at an offset in the heap (managed), in the identifier
 * itself (tiny), or by itself in the file (huge), whose address is in the identifier if it has room for
 * it, else in a B-tree. */
#include "container/hdf5/read.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MANAGED, HUGE, TINY };
enum { BLOCKS_ARE_SUMMED = 2, BLOCK_HEAD = 5, SUM = 4, MOST_ROWS = 128, MOST_SHORT = 17 };

/* An object by its identifier. */
typedef struct object {
	uint64_t at; /* offset in the heap; or the key of a huge one */
	uint64_t size;
	int64_t address; /* of a huge one whose identifier has it; else -1 */
	unsigned kind;
	uint8_t tiny[16];
	uint32_t order; /* of an attribute */
} object;

/* The header of a heap, the objects that are requested, and the block that is in memory. */
typedef struct heap {
	sheaf_hdf5_look *l;
	int64_t address;
	unsigned id_size, flags;
	uint64_t most_managed;
	int64_t huge_tree;
	uint64_t width, start, most_direct;
	unsigned bits; /* of an offset */
	int64_t root;
	unsigned root_rows; /* 0: the root is a direct block */
	unsigned offset_size, length_size;
	size_t skip; /* bytes of a record before the identifier */
	sheaf_builder objects, huge;
	/* The direct block that is in memory. */
	uint64_t block_at, block_size;
} heap;

/* ---- the header ---- */

static unsigned log2_of(uint64_t n) { return 63 - (unsigned)__builtin_clzll(n); }

/* Checks a heap's header. Sizes are powers of two by the specification; the arithmetic of rows and
 * columns relies on it. No program writes heaps with filters unless it was asked to. */
static sheaf_status check_heap(heap *h, uint64_t filters)
{
	sheaf_hdf5_look *l = h->l;
	int64_t byte = l->r->base + h->address;
	if (filters) return sheaf_hdf5_decline(l, byte + 7, "a heap with filters");
	if (!sheaf_hdf5_is_power(h->width) || !sheaf_hdf5_is_power(h->start) ||
	    !sheaf_hdf5_is_power(h->most_direct) || h->start > h->most_direct)
		return sheaf_hdf5_refuse(l, byte, "a heap whose sizes are powers of two", h->start);
	if (h->bits == 0 || h->bits > 64 || h->most_direct >= UINT64_C(1) << 32)
		return sheaf_hdf5_refuse(l, byte, "a heap of up to 64 bits", h->bits);
	if (h->root_rows > MOST_ROWS) return sheaf_hdf5_refuse(l, byte, "fewer rows of a heap", h->root_rows);
	h->offset_size = (h->bits + 7) / 8;
	uint64_t most = h->most_direct < h->most_managed ? h->most_direct : h->most_managed;
	h->length_size = sheaf_hdf5_bytes_for(most);
	return SHEAF_OK;
}

/* Reads the header of a heap, whose fields are in the order of SHEAF_HDF5_HEAP_HEAD, most of which only a
 * writer needs. */
static sheaf_status enter_heap(heap *h)
{
	enum {
		ID,
		FILTERS,
		FLAGS,
		MOST,
		HUGE_TREE_AT = 5,
		WIDTH = 16,
		START,
		LARGEST,
		BITS,
		ROWS,
		ROOT,
		IN_ROOT,
		FIELDS
	};
	static const char what[] = "the header of a heap";
	sheaf_hdf5_look *l = h->l;
	int64_t f[FIELDS];
	uint64_t size = 26 + 3 * (uint64_t)l->r->address_size + 12 * (uint64_t)l->r->length_size;
	SHEAF_TRY(sheaf_hdf5_go(l, what, h->address, size, "FRHP", SHEAF_HDF5_SUMMED));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, SHEAF_HDF5_HEAP_HEAD, what, f));
	h->id_size = (unsigned)f[ID];
	h->flags = (unsigned)f[FLAGS];
	h->most_managed = (uint64_t)f[MOST];
	h->huge_tree = f[HUGE_TREE_AT];
	h->width = (uint64_t)f[WIDTH];
	h->start = (uint64_t)f[START];
	h->most_direct = (uint64_t)f[LARGEST];
	h->bits = (unsigned)f[BITS];
	h->root = f[ROOT];
	h->root_rows = (unsigned)f[IN_ROOT];
	return check_heap(h, (uint64_t)f[FILTERS]);
}

/* ---- identifiers ---- */

/* Notes an object of the heap from a record of the B-tree of names: an identifier, after a hash if it is
 * that of links. It is managed (in a block), tiny (in the identifier itself) or huge (by itself in the
 * file). Huge objects whose address is not known wait for the tree of huge ones. */
static sheaf_status note_object(void *user, sheaf_cursor *record)
{
	heap *h = (heap *)user;
	object o = {.address = -1};
	sheaf_cursor_bytes(record, 1, h->skip, "an identifier");
	sheaf_cursor id = sheaf_hdf5_part_of(record, h->id_size, "an identifier");
	SHEAF_TRY(sheaf_hdf5_done(h->l, record));
	const sheaf_hdf5_reader *r = h->l->r;
	unsigned first = sheaf_cursor_u8(&id, "an identifier");
	o.kind = first >> 4 & 3;
	if (first >> 6 || o.kind > TINY || (o.kind == TINY && h->id_size > MOST_SHORT))
		return sheaf_hdf5_refuse(h->l, id.base, "an identifier of a heap's object", first);
	if (o.kind == MANAGED) {
		o.at = sheaf_hdf5_take(&id, h->offset_size, "an offset in a heap");
		o.size = sheaf_hdf5_take(&id, h->length_size, "a length of an object");
	} else if (o.kind == TINY) {
		o.size = (first & 15) + 1;
		const uint8_t *bytes = sheaf_cursor_bytes(&id, 1, o.size, "a tiny object");
		if (bytes) memcpy(o.tiny, bytes, (size_t)o.size);
	} else if (r->address_size + r->length_size + 1 <= h->id_size) { /* the identifier says where it is */
		o.address = sheaf_hdf5_take_address(r, &id, "an object");
		o.size = sheaf_hdf5_take_length(r, &id, "a length of an object");
	} else {
		o.at = sheaf_hdf5_take(&id, h->id_size - 1 < 8 ? h->id_size - 1 : 8, "a key of an object");
	}
	SHEAF_TRY(sheaf_hdf5_done(h->l, &id));
	/* The rest of the record, of attributes: flags, order. */
	if (sheaf_cursor_left(record) >= 5) o.order = sheaf_load_u32le(record->at + 1);
	sheaf_builder *list = o.kind == HUGE && o.address < 0 ? &h->huge : &h->objects;
	return sheaf_hdf5_note(list, &o, sizeof o, h->l->err);
}

/* Orders objects by kind, and within a kind by place: so every direct block is entered once. */
static int compare_objects(const void *a, const void *b)
{
	const object *x = (const object *)a, *y = (const object *)b;
	if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static object *sorted(sheaf_builder *list, size_t *count)
{
	object *all = (object *)(void *)list->data;
	*count = list->size / sizeof *all;
	if (*count) qsort(all, *count, sizeof *all, compare_objects);
	return all;
}

/* ---- huge objects ---- */

/* Takes a record of the tree of huge objects, address, length and key, and completes the object that
 * waits for it, if one does. */
static sheaf_status find_huge(void *user, sheaf_cursor *record)
{
	heap *h = (heap *)user;
	object found = {.kind = HUGE};
	found.address = sheaf_hdf5_take_address(h->l->r, record, "an object");
	found.size = sheaf_hdf5_take_length(h->l->r, record, "a length of an object");
	found.at = sheaf_hdf5_take_length(h->l->r, record, "a key of an object");
	SHEAF_TRY(sheaf_hdf5_done(h->l, record));
	size_t n = h->huge.size / sizeof found;
	object *it = n ? (object *)bsearch(&found, h->huge.data, n, sizeof found, compare_objects) : NULL;
	if (it) it->address = found.address, it->size = found.size;
	return SHEAF_OK;
}

/* ---- blocks ---- */

/* The size of a block in a row, and where the row begins: row 0 and row 1 have the smallest blocks. */
static uint64_t size_in_row(const heap *h, unsigned row) { return row ? h->start << (row - 1) : h->start; }

static uint64_t begin_of_row(const heap *h, unsigned row)
{
	return row ? (h->start * h->width) << (row - 1) : 0;
}

/* Rows from this one on are of indirect blocks. */
static unsigned direct_rows(const heap *h) { return log2_of(h->most_direct) - log2_of(h->start) + 2; }

/* Checks the common head of blocks: the heap to which they belong, and their offset in it. */
static sheaf_status check_block(const heap *h, uint64_t at)
{
	sheaf_hdf5_look *l = h->l;
	int64_t byte = sheaf_cursor_tell(&l->c);
	int64_t address = sheaf_hdf5_take_address(l->r, &l->c, "the heap of a block");
	uint64_t begin = sheaf_hdf5_take(&l->c, h->offset_size, "where a block begins");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	if (address != h->address) return sheaf_hdf5_refuse(l, byte, "a block of this heap", (uint64_t)address);
	return begin == at ? SHEAF_OK : sheaf_hdf5_refuse(l, byte, "a block at its place in the heap", begin);
}

/* Makes a direct block, which begins at offset `at` of the heap, the current one. Its checksum is
 * optional, and stands within the block rather than at its end. */
static sheaf_status enter_direct(heap *h, int64_t address, uint64_t at, uint64_t size)
{
	sheaf_hdf5_look *l = h->l;
	int sum = h->flags & BLOCKS_ARE_SUMMED ? (int)(BLOCK_HEAD + l->r->address_size + h->offset_size)
	                                       : SHEAF_HDF5_PLAIN;
	SHEAF_TRY(sheaf_hdf5_go(l, "a block of a heap", address, size, "FHDB", sum));
	SHEAF_TRY(check_block(h, at));
	h->block_at = at;
	h->block_size = size;
	return SHEAF_OK;
}

/* Finds and reads the direct block that contains an offset of the heap, unless it is the current one. It
 * descends from the root through indirect blocks: their rows have h->width blocks each, of equal size in
 * a row, and the sizes double from row to row after the second. */
static sheaf_status enter_block(heap *h, uint64_t offset)
{
	int64_t address = h->root;
	unsigned rows = h->root_rows;
	uint64_t at = 0;
	if (h->block_size && offset >= h->block_at && offset - h->block_at < h->block_size) return SHEAF_OK;
	if (rows == 0) return enter_direct(h, address, 0, h->start);
	do {
		/* Descends from an indirect block of that many rows, which begins at `at`, to the block below that
		 * contains an offset. */
		sheaf_hdf5_look *l = h->l;
		uint64_t within = offset - at, first = h->start * h->width, direct = direct_rows(h);
		unsigned row = within < first ? 0 : log2_of(within / first) + 1;
		if (row >= rows)
			return sheaf_hdf5_refuse(l, l->r->base + address, "an object within the rows of its heap",
			                         offset);
		uint64_t column = (within - begin_of_row(h, row)) / size_in_row(h, row);
		uint64_t head = BLOCK_HEAD + l->r->address_size + h->offset_size,
				 size = head + rows * h->width * l->r->address_size + SUM;
		SHEAF_TRY(sheaf_hdf5_go(l, "an indirect block of a heap", address, size, "FHIB", SHEAF_HDF5_SUMMED));
		SHEAF_TRY(check_block(h, at));
		sheaf_cursor_bytes(&l->c, row * h->width + column, l->r->address_size, "a block");
		address = sheaf_hdf5_take_address(l->r, &l->c, "a block");
		at += begin_of_row(h, row) + column * size_in_row(h, row);
		rows = row < direct ? 0 : log2_of(size_in_row(h, row)) - log2_of(first) + 1;
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
		if (!rows) SHEAF_TRY(enter_direct(h, address, at, size_in_row(h, row)));
	} while (rows);
	return SHEAF_OK;
}

/* ---- objects ---- */

/* Shows the bytes of an object by a cursor that knows their position in the file (-1 for a tiny one,
 * which has none). */
static sheaf_status show_object(heap *h, const object *o, sheaf_hdf5_record show, void *user)
{
	sheaf_hdf5_look *l = h->l;
	sheaf_cursor c = sheaf_cursor_over(o->tiny, (size_t)o->size, -1);
	l->order = o->order;
	if (o->kind == HUGE) {
		h->block_size = 0;
		SHEAF_TRY(sheaf_hdf5_go(l, "a huge object of a heap", o->address, o->size, NULL, SHEAF_HDF5_PLAIN));
		c = l->c;
	} else if (o->kind == MANAGED) {
		SHEAF_TRY(enter_block(h, o->at));
		uint64_t at = o->at - h->block_at;
		if (at >= h->block_size || o->size > h->block_size - at)
			return sheaf_hdf5_refuse(l, l->r->base + l->address, "an object within a block of its heap",
			                         o->at);
		c = sheaf_cursor_over(l->bytes.data + at, (size_t)o->size, l->r->base + l->address + (int64_t)at);
	}
	return show(user, &c);
}

static void drop(heap *h)
{
	sheaf_builder_drop(&h->objects);
	sheaf_builder_drop(&h->huge);
}

/* Shows all objects of a heap, in the order of their places, so that each block is read once. A message
 * without the address of a heap means that there are none in it: they are in the header. Huge objects
 * come by their own tree, which is walked once for all of them. */
sheaf_status sheaf_hdf5_heap_objects(sheaf_hdf5_look *l, sheaf_cursor *info, unsigned type,
                                     sheaf_hdf5_record show, void *user)
{
	enum { HASH = 4 };
	size_t n;
	bool are_links = type == SHEAF_HDF5_LINK_NAMES;
	int64_t at[2]; /* heap, tree */
	sheaf_hdf5_byte(info, 0, 0, "link info or attribute info of version 0");
	unsigned flags = sheaf_hdf5_byte(info, 0, 3, "flags of link info or attribute info");
	SHEAF_TRY(sheaf_hdf5_fields(l, info, flags & SHEAF_HDF5_TRACKED ? are_links ? "-8AA" : "-2AA" : "AA",
	                            "a heap and a tree", at));
	if (at[0] < 0) return SHEAF_OK;
	SHEAF_SCOPED(drop) heap h = {.l = l, .address = at[0], .skip = are_links ? HASH : 0};
	sheaf_builder_begin(&h.objects, l->r->cx, NULL);
	sheaf_builder_begin(&h.huge, l->r->cx, NULL);
	SHEAF_TRY(enter_heap(&h));
	SHEAF_TRY(sheaf_hdf5_tree_2(l, type, at[1], note_object, &h));
	/* One walk through the tree finds all of them. */
	size_t nhuge;
	const object *huge = sorted(&h.huge, &nhuge);
	if (nhuge != 0) {
		SHEAF_TRY(sheaf_hdf5_tree_2(h.l, SHEAF_HDF5_HUGE_OBJECTS, h.huge_tree, find_huge, &h));
		for (size_t i = 0; i < nhuge; i++)
			if (huge[i].address < 0)
				return sheaf_hdf5_refuse(h.l, h.l->r->base + h.address, "a huge object that is in its tree",
				                         huge[i].at);
		SHEAF_TRY(sheaf_hdf5_note(&h.objects, huge, nhuge * sizeof *huge, h.l->err));
	}
	const object *all = sorted(&h.objects, &n);
	for (size_t i = 0; i < n; i++) SHEAF_TRY(show_object(&h, &all[i], show, user));
	return SHEAF_OK;
}
