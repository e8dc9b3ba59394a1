/* SPDX-License-Identifier: MIT */
/* The chunks of a dataset, from whichever index there is: as a list by their numbers in the grid. */
#include "box/hdf5/read.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_NODES = 1, PLAIN_TREE = 10, FILTERED_TREE = 11, MASK = 4, SUM = 4 };

typedef struct listing {
	sheaf_hdf5_look *l;
	const sheaf_hdf5_layout *layout;
	const sheaf_hdf5_space *space;
	bool is_filtered;
	uint64_t size;                              /* bytes of a chunk before filters */
	uint64_t along[SHEAF_HDF5_MOST_DIMENSIONS]; /* chunks along each dimension */
	uint64_t most[SHEAF_HDF5_MOST_DIMENSIONS];  /* the same for the largest extents */
	int order[SHEAF_HDF5_MOST_DIMENSIONS];      /* of dimensions in an array of chunks, the slowest first */
	uint64_t nth;                               /* the entry of an array of chunks that comes next */
	size_t entry_size;                          /* bytes of it */
	sheaf_builder *chunks;
} listing;

static sheaf_status keep(const listing *g, const sheaf_hdf5_stored *chunk)
{
	const sheaf_hdf5_reader *r = g->l->r;
	int64_t room = r->size - r->base;
	if (chunk->size == 0)
		return sheaf_hdf5_refuse(g->l, r->base + g->l->address, "chunks that take bytes", 0);
	if (chunk->address < 0 || chunk->address > room || chunk->size > (uint64_t)(room - chunk->address))
		return sheaf_fail(g->l->err, SHEAF_DATA,
		                  "%s (byte %" PRId64 "): expected a chunk within the file, found one of %" PRIu64
		                  " bytes at address %" PRId64,
		                  r->store->name, r->base + g->l->address, chunk->size, chunk->address);
	if (!g->is_filtered && chunk->size != g->size)
		return sheaf_hdf5_refuse(g->l, r->base + g->l->address, "chunks of the size that their layout says",
		                         chunk->size);
	sheaf_builder_append(g->chunks, chunk, sizeof *chunk);
	return sheaf_builder_status(g->chunks, g->l->err);
}

/* The number in the grid; false: beyond its edge. */
static bool number_of(const listing *g, const uint64_t place[], int64_t *out)
{
	uint64_t number = 0;
	for (int i = 0; i < g->layout->rank; i++) {
		if (place[i] >= g->along[i]) return false;
		number = number * g->along[i] + place[i];
	}
	*out = (int64_t)number;
	return true;
}

/* ---- B-trees ---- */

static sheaf_status take_key(void *user, sheaf_cursor *key, int64_t address)
{
	const listing *g = (const listing *)user;
	sheaf_hdf5_stored chunk = {.address = address};
	uint64_t place[SHEAF_HDF5_MOST_DIMENSIONS];
	int64_t byte = sheaf_cursor_tell(key);
	chunk.size = sheaf_hdf5_take(key, 4, "the size of a chunk");
	chunk.skipped = sheaf_cursor_u32le(key, "filters of a chunk");
	for (int i = 0; i < g->layout->rank; i++) {
		uint64_t offset = sheaf_hdf5_take(key, 8, "an offset of a chunk");
		if (offset % g->layout->extents[i])
			return sheaf_hdf5_refuse(g->l, byte, "chunks side by side", offset);
		place[i] = offset / g->layout->extents[i];
	}
	if (!number_of(g, place, &chunk.number))
		return sheaf_hdf5_refuse(g->l, byte, "a chunk within the array", place[0]);
	return keep(g, &chunk);
}

static sheaf_status take_record(void *user, sheaf_cursor *record)
{
	const listing *g = (const listing *)user;
	uint64_t place[SHEAF_HDF5_MOST_DIMENSIONS];
	size_t rest = (size_t)g->layout->rank * 8, size = sheaf_cursor_left(record),
		   address = g->l->r->address_size;
	sheaf_hdf5_stored chunk = {.size = g->size};
	int64_t byte = sheaf_cursor_tell(record);
	chunk.address = sheaf_hdf5_take_address(g->l->r, record, "a chunk");
	if (g->is_filtered) {
		if (size < address + MASK + rest + 1 || size > address + MASK + rest + 8)
			return sheaf_hdf5_refuse(g->l, byte, "records of chunks", size);
		chunk.size = sheaf_hdf5_take(record, size - address - MASK - rest, "the size of a chunk");
		chunk.skipped = sheaf_cursor_u32le(record, "filters of a chunk");
	}
	for (int i = 0; i < g->layout->rank; i++) place[i] = sheaf_hdf5_take(record, 8, "the place of a chunk");
	SHEAF_TRY(sheaf_hdf5_done(g->l, record));
	if (!number_of(g, place, &chunk.number))
		return sheaf_hdf5_refuse(g->l, byte, "a chunk within the array", place[0]);
	return keep(g, &chunk);
}

/* ---- arrays of chunks ---- */

/* Where entry `nth` of an array of chunks is in the grid; false: beyond its edge, as far as that is now. */
static bool place_of(const listing *g, uint64_t nth, int64_t *number)
{
	uint64_t place[SHEAF_HDF5_MOST_DIMENSIONS];
	for (int i = g->layout->rank - 1; i > 0; i--) {
		int d = g->order[i];
		place[d] = g->most[d] ? nth % g->most[d] : 0;
		nth /= g->most[d] ? g->most[d] : 1;
	}
	place[g->order[0]] = nth;
	return number_of(g, place, number);
}

static sheaf_status take_entry(listing *g, sheaf_cursor *c)
{
	const sheaf_hdf5_reader *r = g->l->r;
	sheaf_hdf5_stored chunk = {.size = g->size};
	chunk.address = sheaf_hdf5_take_address(r, c, "an entry of chunks");
	if (g->is_filtered) {
		chunk.size = sheaf_hdf5_take(c, g->entry_size - r->address_size - MASK, "an entry of chunks");
		chunk.skipped = sheaf_cursor_u32le(c, "an entry of chunks");
	}
	SHEAF_TRY(sheaf_hdf5_done(g->l, c));
	uint64_t nth = g->nth++;
	return chunk.address >= 0 && place_of(g, nth, &chunk.number) ? keep(g, &chunk) : SHEAF_OK;
}

static sheaf_status take_entries(listing *g, sheaf_cursor *c, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) SHEAF_TRY(take_entry(g, c));
	return SHEAF_OK;
}

/* The size of an entry: an address, and where there are filters, a size of up to 8 bytes and a mask. */
static sheaf_status check_entry(listing *g, unsigned client, uint64_t size)
{
	uint64_t least = g->l->r->address_size + (g->is_filtered ? MASK + 1 : 0);
	g->entry_size = (size_t)size;
	if (client != g->is_filtered)
		return sheaf_hdf5_refuse(g->l, g->l->c.base + 5,
		                         "an array of chunks with or without filters, as these are", client);
	return size >= least && size <= least + (g->is_filtered ? 7 : 0)
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(g->l, g->l->c.base + 6, "the size of an entry of chunks", size);
}

/* Blocks of arrays begin with the kind of their entries, the address of the array's header, and in some a
 * number that would be that of their first entry, if libhdf5 counted rightly. */
static sheaf_status check_block(const listing *g, int64_t header, size_t number_size)
{
	sheaf_hdf5_look *l = g->l;
	unsigned client;
	SHEAF_TRY(sheaf_hdf5_take_byte(l, &l->c, g->is_filtered, g->is_filtered,
	                               "a block of the kind of its array", &client));
	int64_t byte = sheaf_cursor_tell(&l->c),
			address = sheaf_hdf5_take_address(l->r, &l->c, "an array of chunks");
	sheaf_cursor_bytes(&l->c, 1, number_size, "the first entry of a block");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	return address == header ? SHEAF_OK
	                         : sheaf_hdf5_refuse(l, byte, "a block of this array", (uint64_t)address);
}

/* Bits of pages that are there, the highest of a byte first. */
static bool has_page(const uint8_t *bits, uint64_t page) { return bits[page / 8] & 0x80 >> page % 8; }

/* The address after `count` things of some size; INT64_MAX where no file goes so far. */
static int64_t after(int64_t address, uint64_t count, uint64_t size)
{
	uint64_t bytes;
	int64_t end;
	if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(address, bytes, &end))
		return INT64_MAX;
	return end;
}

/* Pages that follow each other, each with a checksum, of `count` entries in all. */
static sheaf_status take_pages(listing *g, int64_t address, uint64_t count, uint64_t page,
                               const uint8_t *bits, uint64_t first_bit)
{
	sheaf_hdf5_look *l = g->l;
	uint64_t pages = (count + page - 1) / page, size = page * g->entry_size + SUM;
	for (uint64_t i = 0; i < pages; i++) {
		uint64_t n = count - i * page < page ? count - i * page : page;
		if (!has_page(bits, first_bit + i)) {
			g->nth += n;
			continue;
		}
		SHEAF_TRY(
			sheaf_hdf5_go_summed(l, "a page of chunks", after(address, i, size), n * g->entry_size + SUM));
		SHEAF_TRY(take_entries(g, &l->c, n));
	}
	return SHEAF_OK;
}

/* ---- fixed arrays ---- */

typedef struct fixed {
	uint64_t count, page;
	int64_t header, block;
} fixed;

static sheaf_status enter_fixed(listing *g, fixed *f)
{
	sheaf_hdf5_look *l = g->l;
	f->header = g->layout->address;
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, "the header of a fixed array", f->header,
	                                  12 + l->r->length_size + l->r->address_size, "FAHD", 0));
	unsigned client = sheaf_cursor_u8(&l->c, "the kind of an array"),
			 size = sheaf_cursor_u8(&l->c, "the size of an entry"),
			 bits = sheaf_cursor_u8(&l->c, "bits of a page");
	f->count = sheaf_hdf5_take_length(l->r, &l->c, "the entries of an array");
	f->block = sheaf_hdf5_take_address(l->r, &l->c, "a block");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	SHEAF_TRY(check_entry(g, client, size));
	if (bits > 31) return sheaf_hdf5_refuse(l, l->c.base + 7, "pages of less than 2^32 entries", bits);
	f->page = UINT64_C(1) << bits;
	return f->count <= (uint64_t)l->r->size / size
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(l, l->c.base + 8, "as many entries as the file has room for", f->count);
}

static sheaf_status list_fixed(listing *g, sheaf_builder *bits)
{
	sheaf_hdf5_look *l = g->l;
	fixed f = {0};
	SHEAF_TRY(enter_fixed(g, &f));
	if (f.block < 0) return SHEAF_OK;
	uint64_t head = 10 + l->r->address_size, pages = f.count > f.page ? (f.count + f.page - 1) / f.page : 0;
	uint64_t size = head + (pages ? (pages + 7) / 8 : f.count * g->entry_size);
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, "a block of chunks", f.block, size, "FADB", 0));
	SHEAF_TRY(check_block(g, f.header, 0));
	if (pages == 0) return take_entries(g, &l->c, f.count);
	sheaf_builder_append(bits, l->c.at, sheaf_cursor_left(&l->c));
	SHEAF_TRY(sheaf_builder_status(bits, l->err));
	return take_pages(g, f.block + (int64_t)size, f.count, f.page, bits->data, 0);
}

/* ---- extensible arrays ---- */

typedef struct extensible {
	int64_t header, index;
	unsigned bits;  /* of the number of an entry */
	uint64_t first; /* entries in the index itself */
	uint64_t least, least_blocks,
		page;        /* entries of the smallest block; blocks in the index; entries of a page */
	uint64_t used;   /* entries that may be there */
	unsigned supers; /* super blocks that there may be */
} extensible;

/* Super block i: how many blocks it leads to, of how many entries each. */
static uint64_t blocks_of(unsigned i) { return UINT64_C(1) << i / 2; }
static uint64_t entries_of(const extensible *e, unsigned i) { return e->least << (i + 1) / 2; }

static bool is_power(uint64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static sheaf_status enter_extensible(listing *g, extensible *e)
{
	sheaf_hdf5_look *l = g->l;
	sheaf_cursor *c = &l->c;
	static const char field[] = "the header of an extensible array";
	e->header = g->layout->address;
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, field, e->header,
	                                  16 + 6 * (uint64_t)l->r->length_size + l->r->address_size, "EAHD", 0));
	unsigned client = sheaf_cursor_u8(c, field), size = sheaf_cursor_u8(c, field);
	e->bits = sheaf_cursor_u8(c, field);
	e->first = sheaf_cursor_u8(c, field);
	e->least = sheaf_cursor_u8(c, field);
	e->least_blocks = sheaf_cursor_u8(c, field);
	unsigned page_bits = sheaf_cursor_u8(c, field);
	sheaf_cursor_bytes(c, 4, l->r->length_size, field);
	e->used = sheaf_hdf5_take_length(l->r, c, field);
	sheaf_cursor_bytes(c, 1, l->r->length_size, field);
	e->index = sheaf_hdf5_take_address(l->r, c, field);
	SHEAF_TRY(sheaf_hdf5_done(l, c));
	SHEAF_TRY(check_entry(g, client, size));
	if (!is_power(e->least) || !is_power(e->least_blocks) || e->bits > 64 || page_bits > 31 ||
	    e->bits < (unsigned)__builtin_ctzll(e->least) || e->least_blocks < 2)
		return sheaf_hdf5_refuse(l, c->base + 7, "an extensible array whose sizes are powers of two",
		                         e->bits);
	e->page = UINT64_C(1) << page_bits;
	e->supers = 1 + e->bits - (unsigned)__builtin_ctzll(e->least);
	return SHEAF_OK;
}

static size_t offset_size(const extensible *e) { return (e->bits + 7) / 8; }

/* A block of entries, in pages where it is long: which of them are there says the super block. */
static sheaf_status take_block(listing *g, const extensible *e, int64_t address, uint64_t count,
                               const uint8_t *bits, uint64_t first_bit)
{
	sheaf_hdf5_look *l = g->l;
	bool is_paged = bits && count > e->page;
	if (address < 0) {
		g->nth += count;
		return SHEAF_OK;
	}
	uint64_t size = 10 + l->r->address_size + offset_size(e) + (is_paged ? 0 : count * g->entry_size);
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, "a block of chunks", address, size, "EADB", 0));
	SHEAF_TRY(check_block(g, e->header, offset_size(e)));
	return is_paged ? take_pages(g, address + (int64_t)size, count, e->page, bits, first_bit)
	                : take_entries(g, &l->c, count);
}

/* Addresses that follow the cursor. They are copied: what they lead to takes its place. */
static sheaf_status take_addresses(const listing *g, uint64_t count, sheaf_builder *out)
{
	sheaf_hdf5_look *l = g->l;
	for (uint64_t i = 0; i < count; i++) {
		sheaf_builder_i64(out, sheaf_hdf5_take_address(l->r, &l->c, "the address of a block"));
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	}
	return sheaf_builder_status(out, l->err);
}

static int64_t address_in(const sheaf_builder *list, uint64_t i)
{
	int64_t address;
	memcpy(&address, list->data + i * sizeof address, sizeof address);
	return address;
}

typedef struct super {
	unsigned number;
	sheaf_builder blocks, bits;
} super;

static sheaf_status enter_super(const listing *g, const extensible *e, int64_t address, super *s)
{
	sheaf_hdf5_look *l = g->l;
	uint64_t n = blocks_of(s->number), count = entries_of(e, s->number),
			 map = count > e->page ? n * ((count / e->page + 7) / 8) : 0;
	if (n > (uint64_t)l->r->size)
		return sheaf_hdf5_refuse(l, l->r->base + e->header, "blocks that fit the file", n);
	uint64_t size = 10 + l->r->address_size + offset_size(e) + map + n * l->r->address_size;
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, "a super block of chunks", address, size, "EASB", 0));
	SHEAF_TRY(check_block(g, e->header, offset_size(e)));
	const uint8_t *bits = sheaf_cursor_bytes(&l->c, 1, map, "pages of chunks");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	sheaf_builder_append(&s->bits, bits, (size_t)map);
	SHEAF_TRY(sheaf_builder_status(&s->bits, l->err));
	return take_addresses(g, n, &s->blocks);
}

static sheaf_status take_super(listing *g, const extensible *e, int64_t address, super *s)
{
	uint64_t n = blocks_of(s->number), count = entries_of(e, s->number),
			 pages = count > e->page ? count / e->page : 0;
	if (address < 0) {
		g->nth += n * count;
		return SHEAF_OK;
	}
	SHEAF_TRY(enter_super(g, e, address, s));
	for (uint64_t i = 0; i < n; i++)
		SHEAF_TRY(take_block(g, e, address_in(&s->blocks, i), count, pages ? s->bits.data : NULL, i * pages));
	return SHEAF_OK;
}

/* Entries, addresses of the blocks of the first super blocks, addresses of the other super blocks. */
static sheaf_status take_super_blocks(listing *g, const extensible *e, const sheaf_builder *addresses,
                                      uint64_t blocks)
{
	unsigned inside = 2 * (unsigned)__builtin_ctzll(e->least_blocks);
	uint64_t block = 0, first = 0;
	for (unsigned i = 0; i < e->supers && first < e->used; i++) {
		super s = {.number = i};
		sheaf_status status = SHEAF_OK;
		sheaf_builder_begin(&s.blocks, g->l->r->cx, NULL);
		sheaf_builder_begin(&s.bits, g->l->r->cx, NULL);
		if (i >= inside) status = take_super(g, e, address_in(addresses, blocks + i - inside), &s);
		for (uint64_t k = 0; i < inside && !status && k < blocks_of(i); k++, block++)
			status = take_block(g, e, address_in(addresses, block), entries_of(e, i), NULL, 0);
		sheaf_builder_drop(&s.blocks);
		sheaf_builder_drop(&s.bits);
		SHEAF_TRY(status);
		first += blocks_of(i) * entries_of(e, i);
	}
	return SHEAF_OK;
}

static sheaf_status list_extensible(listing *g, sheaf_builder *addresses)
{
	sheaf_hdf5_look *l = g->l;
	extensible e = {0};
	SHEAF_TRY(enter_extensible(g, &e));
	if (e.index < 0) return SHEAF_OK;
	unsigned inside = 2 * (unsigned)__builtin_ctzll(e.least_blocks);
	uint64_t blocks = 2 * (e.least_blocks - 1), supers = e.supers > inside ? e.supers - inside : 0;
	uint64_t size =
		10 + l->r->address_size + e.first * g->entry_size + (blocks + supers) * l->r->address_size;
	SHEAF_TRY(sheaf_hdf5_enter_summed(l, "the index of an extensible array", e.index, size, "EAIB", 0));
	SHEAF_TRY(check_block(g, e.header, 0));
	SHEAF_TRY(take_entries(g, &l->c, e.first));
	SHEAF_TRY(take_addresses(g, blocks + supers, addresses));
	return take_super_blocks(g, &e, addresses, blocks);
}

/* ---- the others ---- */

static sheaf_status list_single(listing *g)
{
	sheaf_hdf5_stored chunk = {.address = g->layout->address, .size = g->size};
	if (g->is_filtered && g->layout->single_size) {
		chunk.size = g->layout->single_size;
		chunk.skipped = g->layout->single_skipped;
	} else if (g->is_filtered) {
		chunk.skipped = UINT32_MAX;
	}
	for (int i = 0; i < g->layout->rank; i++)
		if (g->along[i] != 1)
			return g->along[i] ? sheaf_hdf5_refuse(g->l, g->l->r->base, "one chunk", g->along[i]) : SHEAF_OK;
	return keep(g, &chunk);
}

static sheaf_status list_implicit(listing *g)
{
	uint64_t count = 1, room = (uint64_t)(g->l->r->size - g->l->r->base) / g->size;
	for (int i = 0; i < g->layout->rank; i++)
		if (__builtin_mul_overflow(count, g->most[i], &count)) count = UINT64_MAX;
	if (count > room)
		return sheaf_hdf5_refuse(g->l, g->l->r->base, "as many chunks as the file has room for", count);
	for (g->nth = 0; g->nth < count; g->nth++) {
		sheaf_hdf5_stored chunk = {.size = g->size};
		chunk.address =
			g->layout->address > INT64_MAX / 2 ? INT64_MAX : g->layout->address + (int64_t)(g->nth * g->size);
		if (place_of(g, g->nth, &chunk.number)) SHEAF_TRY(keep(g, &chunk));
	}
	return SHEAF_OK;
}

static sheaf_status list(listing *g, sheaf_builder *scratch)
{
	size_t key = 8 + 8 * ((size_t)g->layout->rank + 1);
	if (g->layout->address < 0) return SHEAF_OK;
	switch (g->layout->index) {
	case SHEAF_HDF5_SINGLE: return list_single(g);
	case SHEAF_HDF5_IMPLICIT: return list_implicit(g);
	case SHEAF_HDF5_FIXED_ARRAY: return list_fixed(g, scratch);
	case SHEAF_HDF5_EXTENSIBLE_ARRAY: return list_extensible(g, scratch);
	case SHEAF_HDF5_TREE_2:
		return sheaf_hdf5_tree_2(g->l, g->is_filtered ? FILTERED_TREE : PLAIN_TREE, g->layout->address,
		                         take_record, g);
	default: return sheaf_hdf5_tree_1(g->l, CHUNK_NODES, key, g->layout->address, take_key, g);
	}
}

/* ---- the list ---- */

/* The dimension without limit stands first in an extensible array, whatever its place is. */
static void find_order(listing *g)
{
	int n = 0, rank = g->layout->rank;
	if (g->layout->index == SHEAF_HDF5_EXTENSIBLE_ARRAY)
		for (int i = 0; i < rank && n == 0; i++)
			if (g->space->most[i] == UINT64_MAX) g->order[n++] = i;
	int first = n ? g->order[0] : -1;
	for (int i = 0; i < rank; i++)
		if (i != first) g->order[n++] = i;
}

static void find_grid(listing *g)
{
	for (int i = 0; i < g->layout->rank; i++) {
		uint64_t extent = g->layout->extents[i], most = g->space->most[i];
		g->along[i] = g->space->dims[i] / extent + (g->space->dims[i] % extent > 0);
		g->most[i] = most / extent + (most % extent > 0);
	}
	g->size = 1;
	for (int i = 0; i <= g->layout->rank; i++) g->size *= g->layout->extents[i];
	find_order(g);
}

static int compare(const void *a, const void *b)
{
	int64_t x = ((const sheaf_hdf5_stored *)a)->number, y = ((const sheaf_hdf5_stored *)b)->number;
	return (x > y) - (x < y);
}

static sheaf_status sort(const listing *g)
{
	sheaf_hdf5_stored *all = (sheaf_hdf5_stored *)(void *)g->chunks->data;
	size_t n = g->chunks->size / sizeof *all;
	bool is_sorted = true;
	for (size_t i = 1; i < n; i++) is_sorted &= all[i - 1].number < all[i].number;
	if (!is_sorted) qsort(all, n, sizeof *all, compare);
	for (size_t i = 1; i < n; i++)
		if (all[i - 1].number == all[i].number)
			return sheaf_hdf5_refuse(g->l, g->l->r->base + g->layout->address,
			                         "an index that has each chunk once, found twice the one of number",
			                         (uint64_t)all[i].number);
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_index(sheaf_hdf5_look *l, const sheaf_hdf5_layout *layout,
                              const sheaf_hdf5_space *space, bool is_filtered, sheaf_builder *chunks)
{
	sheaf_builder scratch;
	listing g = {.l = l, .layout = layout, .space = space, .is_filtered = is_filtered, .chunks = chunks};
	find_grid(&g);
	sheaf_builder_begin(&scratch, l->r->cx, NULL);
	sheaf_status status = list(&g, &scratch);
	sheaf_builder_drop(&scratch);
	return status ? status : sort(&g);
}
