/* SPDX-License-Identifier: MIT */
/* The chunks of a dataset, from any kind of index: as a list by their numbers in the grid. The HDF5 File
 * Format Specification has six kinds, and all of them occur: the B-tree of version 1 (all files before
 * HDF5 1.10), and, in files written for 1.10 and later, a single chunk, an implicit run of chunks, a
 * fixed array, an extensible array (one dimension without a limit), and a B-tree of version 2 (several).
 *
 * Chunks are counted in the grid of the dataset's current extents, the last dimension fastest. The
 * arrays count them in the grid of the largest extents, so entries outside the current edge are skipped.
 * Every chunk is checked against the file's end before anybody allocates memory for it. */
#include "container/hdf5/read.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MASK = 4, SUM = 4 };

/* What all kinds of indexes share: the grid, and the list that receives the chunks. */
typedef struct listing {
	sheaf_hdf5_look *l;
	const sheaf_hdf5_layout *layout;
	const sheaf_hdf5_space *space;
	bool is_filtered;
	uint64_t size;                              /* size of a chunk before filters */
	uint64_t along[SHEAF_HDF5_MOST_DIMENSIONS]; /* chunks along each dimension */
	uint64_t most[SHEAF_HDF5_MOST_DIMENSIONS];  /* the same for the largest extents */
	int order[SHEAF_HDF5_MOST_DIMENSIONS];      /* of dimensions in an array of chunks, the slowest first */
	uint64_t nth;                               /* the next entry of an array of chunks */
	size_t entry_size;                          /* its size */
	sheaf_builder *chunks;
} listing;

/* Appends a chunk to the list, once its number is known. A chunk of no bytes, or one that ends after the
 * file, is damage; so is a chunk without filters whose size is not that of its elements, because a reader
 * copies it without looking at the size again. */
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
	return sheaf_hdf5_note(g->chunks, chunk, sizeof *chunk, g->l->err);
}

/* Computes the number of a place in the grid; false: it is outside. */
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

/* Appends a chunk whose place in the grid the index itself has; one outside the array is damage. */
static sheaf_status keep_at(const listing *g, const uint64_t place[], sheaf_hdf5_stored *chunk, int64_t byte)
{
	return number_of(g, place, &chunk->number)
	           ? keep(g, chunk)
	           : sheaf_hdf5_refuse(g->l, byte, "a chunk within the array", place[0]);
}

/* ---- B-trees ---- */

/* Takes an entry of the B-tree of version 1: the size, the mask of skipped filters, and the offset of the
 * chunk's first element in each dimension, followed by that within an element, which is always 0; then
 * the address. */
static sheaf_status take_key(void *user, sheaf_cursor *key)
{
	const listing *g = (const listing *)user;
	sheaf_hdf5_stored chunk = {0};
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
	sheaf_cursor_bytes(key, 1, 8, "an offset within an element");
	chunk.address = sheaf_hdf5_take_address(g->l->r, key, "a chunk");
	return keep_at(g, place, &chunk, byte);
}

/* Takes a record of the B-tree of version 2: the address, then, with filters, a size of 1 to 8 bytes (as
 * many as the record leaves) and the mask, then the place in the grid in chunks, not in elements. */
static sheaf_status take_record(void *user, sheaf_cursor *record)
{
	const listing *g = (const listing *)user;
	uint64_t place[SHEAF_HDF5_MOST_DIMENSIONS];
	size_t place_size = (size_t)g->layout->rank * 8, size = sheaf_cursor_left(record),
		   address_size = g->l->r->address_size;
	sheaf_hdf5_stored chunk = {.size = g->size};
	int64_t byte = sheaf_cursor_tell(record);
	chunk.address = sheaf_hdf5_take_address(g->l->r, record, "a chunk");
	if (g->is_filtered) {
		if (size < address_size + MASK + place_size + 1 || size > address_size + MASK + place_size + 8)
			return sheaf_hdf5_refuse(g->l, byte, "records of chunks", size);
		chunk.size = sheaf_hdf5_take(record, size - address_size - MASK - place_size, "the size of a chunk");
		chunk.skipped = sheaf_cursor_u32le(record, "filters of a chunk");
	}
	for (int i = 0; i < g->layout->rank; i++) place[i] = sheaf_hdf5_take(record, 8, "the place of a chunk");
	SHEAF_TRY(sheaf_hdf5_done(g->l, record));
	return keep_at(g, place, &chunk, byte);
}

/* ---- arrays of chunks ---- */

/* Finds where entry `nth` of an array of chunks is in the grid; false: outside the current edge. The
 * array has room for the largest extents, along dimensions in the order of g->order. */
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

/* Takes `count` entries of a fixed or extensible array, which follow each other without their places:
 * g->nth counts them. An undefined address is a chunk that was never written. */
static sheaf_status take_entries(listing *g, sheaf_cursor *c, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const sheaf_hdf5_reader *r = g->l->r;
		sheaf_hdf5_stored chunk = {.size = g->size};
		chunk.address = sheaf_hdf5_take_address(r, c, "an entry of chunks");
		if (g->is_filtered) {
			chunk.size = sheaf_hdf5_take(c, g->entry_size - r->address_size - MASK, "an entry of chunks");
			chunk.skipped = sheaf_cursor_u32le(c, "an entry of chunks");
		}
		SHEAF_TRY(sheaf_hdf5_done(g->l, c));
		uint64_t nth = g->nth++;
		if (chunk.address >= 0 && place_of(g, nth, &chunk.number)) SHEAF_TRY(keep(g, &chunk));
	}
	return SHEAF_OK;
}

/* Reads the head of an array: whether its chunks have gone through filters, and the size of an entry: an
 * address and, with filters, a size of up to 8 bytes and a mask. */
static sheaf_status enter_array(listing *g, const char *what, uint64_t size, const char *letters)
{
	enum { FILTERED, SIZE };
	sheaf_hdf5_look *l = g->l;
	int64_t f[2];
	SHEAF_TRY(sheaf_hdf5_go(l, what, g->layout->address, size, letters, SHEAF_HDF5_SUMMED));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "11", what, f));
	size_t least = l->r->address_size + (g->is_filtered ? MASK + 1 : 0);
	g->entry_size = (size_t)f[SIZE];
	if (f[FILTERED] != g->is_filtered)
		return sheaf_hdf5_refuse(l, l->c.base + 5, "an array of chunks with or without filters, as these are",
		                         (uint64_t)f[FILTERED]);
	return g->entry_size >= least && g->entry_size <= least + (g->is_filtered ? 7 : 0)
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(l, l->c.base + 6, "the size of an entry of chunks", g->entry_size);
}

/* Reads a block of an array; *address becomes the byte after it. It begins with the kind of its entries,
 * the address of the array's header, and in some a number that would be that of their first entry, if
 * libhdf5 counted correctly; `size` follows all that. */
static sheaf_status enter_block(const listing *g, const char *what, int64_t *address, uint64_t size,
                                const char *letters, size_t number_size)
{
	enum { LETTERS = 4, VERSION = 1, KIND = 1 };
	sheaf_hdf5_look *l = g->l;
	size += LETTERS + VERSION + KIND + l->r->address_size + number_size + SUM;
	SHEAF_TRY(sheaf_hdf5_go(l, what, *address, size, letters, SHEAF_HDF5_SUMMED));
	sheaf_hdf5_byte(&l->c, g->is_filtered, g->is_filtered, "a block of the kind of its array");
	int64_t byte = sheaf_cursor_tell(&l->c),
			header = sheaf_hdf5_take_address(l->r, &l->c, "an array of chunks");
	sheaf_cursor_bytes(&l->c, 1, number_size, "the first entry of a block");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	*address += (int64_t)size;
	return header == g->layout->address
	           ? SHEAF_OK
	           : sheaf_hdf5_refuse(l, byte, "a block of this array", (uint64_t)header);
}

/* Takes `count` entries from consecutive pages of up to `page` entries, each with a checksum. A bit says
 * whether a page exists, the highest bit of a byte first, from number first_bit on; a page that does not
 * is still there as room in the file. */
static sheaf_status take_pages(listing *g, int64_t address, uint64_t count, uint64_t page,
                               const uint8_t *bits, uint64_t first_bit)
{
	sheaf_hdf5_look *l = g->l;
	for (uint64_t i = 0, n; count > 0; i++, count -= n) {
		n = count < page ? count : page;
		uint64_t size = n * g->entry_size + SUM;
		uint64_t bit = first_bit + i;
		if (bits[bit / 8] & 0x80 >> bit % 8) {
			SHEAF_TRY(sheaf_hdf5_go(l, "a page of chunks", address, size, NULL, SHEAF_HDF5_SUMMED));
			SHEAF_TRY(take_entries(g, &l->c, n));
		} else {
			g->nth += n;
		}
		/* Chunks beyond the end of any file are not read. */
		if (__builtin_add_overflow(address, size, &address)) address = INT64_MAX;
	}
	return SHEAF_OK;
}

/* ---- fixed arrays ---- */

/* Lists the chunks of a fixed array: a header, and one block with all entries, or with a bitmap of the
 * pages that exist, followed by the pages. Its number of entries is that of the largest extents, so it
 * may not exceed what the file has room for. */
static sheaf_status list_fixed(listing *g)
{
	enum { PAGE_BITS, COUNT, BLOCK, FIELDS };
	static const char what[] = "the header of a fixed array";
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bits = {.cx = g->l->r->cx};
	sheaf_hdf5_look *l = g->l;
	int64_t f[FIELDS];
	SHEAF_TRY(enter_array(g, what, 12 + l->r->length_size + l->r->address_size, "FAHD"));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "1LA", what, f));
	if (f[PAGE_BITS] > 31)
		return sheaf_hdf5_refuse(l, l->c.base + 7, "pages of less than 2^32 entries", (uint64_t)f[PAGE_BITS]);
	uint64_t page = UINT64_C(1) << f[PAGE_BITS], count = (uint64_t)f[COUNT];
	if (count > (uint64_t)l->r->size / g->entry_size)
		return sheaf_hdf5_refuse(l, l->c.base + 8, "as many entries as the file has room for", count);
	if (f[BLOCK] < 0) return SHEAF_OK;
	uint64_t pages = count > page ? (count + page - 1) / page : 0;
	SHEAF_TRY(enter_block(g, "a block of chunks", &f[BLOCK], pages ? (pages + 7) / 8 : count * g->entry_size,
	                      "FADB", 0));
	if (pages == 0) return take_entries(g, &l->c, count);
	SHEAF_TRY(sheaf_hdf5_note(&bits, l->c.at, sheaf_cursor_left(&l->c), l->err));
	return take_pages(g, f[BLOCK], count, page, bits.data, 0);
}

/* ---- extensible arrays ---- */

/* The shape of an extensible array, which grows at its end without moving: the first entries are in the
 * index, and super blocks of doubling size lead to blocks of doubling size. */
typedef struct extensible {
	int64_t index;
	unsigned bits;           /* of the number of an entry */
	uint64_t first;          /* entries in the index itself */
	uint64_t least, page;    /* entries in the smallest block, and in a page */
	uint64_t used;           /* most entries that there can be */
	unsigned inside, supers; /* super blocks whose blocks the index leads to, and all that there can be */
	uint64_t blocks;         /* that the index leads to */
} extensible;

/* Super block i: the number of its blocks, and the number of entries in each. */
static uint64_t blocks_of(unsigned i) { return UINT64_C(1) << i / 2; }
static uint64_t entries_of(const extensible *e, unsigned i) { return e->least << (i + 1) / 2; }

static size_t offset_size(const extensible *e) { return (e->bits + 7) / 8; }

/* Takes a block of `count` entries, in pages if it is long: `bits`, from the super block, says which of
 * them exist. An address below 0 is a block that was never written. */
static sheaf_status take_block(listing *g, const extensible *e, int64_t address, uint64_t count,
                               const uint8_t *bits, uint64_t first_bit)
{
	bool is_paged = bits && count > e->page;
	if (address < 0) {
		g->nth += count;
		return SHEAF_OK;
	}
	SHEAF_TRY(enter_block(g, "a block of chunks", &address, is_paged ? 0 : count * g->entry_size, "EADB",
	                      offset_size(e)));
	return is_paged ? take_pages(g, address, count, e->page, bits, first_bit)
	                : take_entries(g, &g->l->c, count);
}

/* Takes n addresses that follow the cursor. They are copied, because the structures to which they lead
 * will replace them. */
static sheaf_status take_addresses(const listing *g, uint64_t count, sheaf_builder *out)
{
	sheaf_hdf5_look *l = g->l;
	for (uint64_t i = 0; i < count; i++) {
		sheaf_builder_i64(out, sheaf_hdf5_take_address(l->r, &l->c, "the address of a block"));
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	}
	return sheaf_builder_status(out, l->err);
}

/* A number of a list of addresses, which may be at any byte. */
static int64_t address_in(const sheaf_builder *list, uint64_t i)
{
	int64_t address;
	memcpy(&address, list->data + i * sizeof address, sizeof address);
	return address;
}

/* Takes super block i of an extensible array at `address` (below 0: it has no chunks, which are only
 * counted): which pages of its blocks exist, and where the blocks are. Each of its blocks has the same
 * number of entries. */
static sheaf_status take_super(listing *g, const extensible *e, unsigned i, int64_t address)
{
	sheaf_hdf5_look *l = g->l;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder blocks = {.cx = l->r->cx}, bits = {.cx = l->r->cx};
	uint64_t n = blocks_of(i), count = entries_of(e, i), pages = count > e->page ? count / e->page : 0;
	uint64_t map = pages ? n * ((pages + 7) / 8) : 0;
	if (address < 0) {
		g->nth += n * count;
		return SHEAF_OK;
	}
	if (n > (uint64_t)l->r->size)
		return sheaf_hdf5_refuse(l, l->r->base + g->layout->address, "blocks that fit the file", n);
	SHEAF_TRY(enter_block(g, "a super block of chunks", &address, map + n * l->r->address_size, "EASB",
	                      offset_size(e)));
	const uint8_t *map_at = sheaf_cursor_bytes(&l->c, 1, map, "pages of chunks");
	SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
	SHEAF_TRY(sheaf_hdf5_note(&bits, map_at, (size_t)map, l->err));
	SHEAF_TRY(take_addresses(g, n, &blocks));
	for (uint64_t k = 0; k < n; k++)
		SHEAF_TRY(take_block(g, e, address_in(&blocks, k), count, pages ? bits.data : NULL, k * pages));
	return SHEAF_OK;
}

/* Lists the chunks of an extensible array, whose blocks grow in steps so that it can grow without moving.
 * Its index has the first entries, the addresses of the blocks of the first super blocks, and the
 * addresses of the other super blocks. The sizes are powers of two, as the specification says. */
static sheaf_status list_extensible(listing *g)
{
	sheaf_hdf5_look *l = g->l;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder addresses = {.cx = l->r->cx};
	extensible e = {0};
	enum { BITS, FIRST, LEAST, LEAST_BLOCKS, PAGE_BITS, USED, INDEX, FIELDS };
	static const char what[] = "the header of an extensible array";
	int64_t f[FIELDS];
	SHEAF_TRY(enter_array(g, what, 16 + 6 * (uint64_t)l->r->length_size + l->r->address_size, "EAHD"));
	SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "11111-L-L-L-LL-LA", what, f));
	uint64_t least = (uint64_t)f[LEAST], blocks = (uint64_t)f[LEAST_BLOCKS];
	if (!sheaf_hdf5_is_power(least) || !sheaf_hdf5_is_power(blocks) || f[BITS] > 64 || f[PAGE_BITS] > 31 ||
	    f[BITS] < __builtin_ctzll(least) || blocks < 2)
		return sheaf_hdf5_refuse(l, l->c.base + 7, "an extensible array whose sizes are powers of two",
		                         (uint64_t)f[BITS]);
	e = (extensible){.index = f[INDEX],
	                 .bits = (unsigned)f[BITS],
	                 .first = (uint64_t)f[FIRST],
	                 .least = least,
	                 .page = UINT64_C(1) << f[PAGE_BITS],
	                 .used = (uint64_t)f[USED],
	                 .inside = 2 * (unsigned)__builtin_ctzll(blocks),
	                 .supers = 1 + (unsigned)f[BITS] - (unsigned)__builtin_ctzll(least),
	                 .blocks = 2 * (blocks - 1)};
	if (e.index < 0) return SHEAF_OK;
	uint64_t n = e.blocks + (e.supers > e.inside ? e.supers - e.inside : 0), block = 0, first = 0;
	SHEAF_TRY(enter_block(g, "the index of an extensible array", &e.index,
	                      e.first * g->entry_size + n * l->r->address_size, "EAIB", 0));
	SHEAF_TRY(take_entries(g, &l->c, e.first));
	SHEAF_TRY(take_addresses(g, n, &addresses));
	for (unsigned i = 0; i < e.supers && first < e.used; i++) {
		if (i >= e.inside) SHEAF_TRY(take_super(g, &e, i, address_in(&addresses, e.blocks + i - e.inside)));
		for (uint64_t k = 0; i < e.inside && k < blocks_of(i); k++, block++)
			SHEAF_TRY(take_block(g, &e, address_in(&addresses, block), entries_of(&e, i), NULL, 0));
		first += blocks_of(i) * entries_of(&e, i);
	}
	return SHEAF_OK;
}

/* ---- the others ---- */

/* Lists the chunks by the kind of index, which is a number in the layout message. Nothing is allocated
 * for a dataset whose index has no address: none of its chunks was written. A single chunk, and chunks
 * side by side (implicit), have no index in the file. */
static sheaf_status list(listing *g)
{
	size_t key = 8 + 8 * ((size_t)g->layout->rank + 1);
	if (g->layout->address < 0) return SHEAF_OK;
	switch (g->layout->index) {
	case SHEAF_HDF5_SINGLE: {
		sheaf_hdf5_stored chunk = {.address = g->layout->address, .size = g->size};
		if (g->is_filtered && g->layout->single_size) {
			chunk.size = g->layout->single_size;
			chunk.skipped = g->layout->single_skipped;
		} else if (g->is_filtered) {
			chunk.skipped = UINT32_MAX;
		}
		for (int i = 0; i < g->layout->rank; i++)
			if (g->along[i] != 1)
				return g->along[i] ? sheaf_hdf5_refuse(g->l, g->l->r->base, "one chunk", g->along[i])
				                   : SHEAF_OK;
		return keep(g, &chunk);
	}
	case SHEAF_HDF5_IMPLICIT: {
		uint64_t count = 1, room = (uint64_t)(g->l->r->size - g->l->r->base) / g->size;
		for (int i = 0; i < g->layout->rank; i++)
			if (__builtin_mul_overflow(count, g->most[i], &count)) count = UINT64_MAX;
		if (count > room)
			return sheaf_hdf5_refuse(g->l, g->l->r->base, "as many chunks as the file has room for", count);
		for (g->nth = 0; g->nth < count; g->nth++) {
			sheaf_hdf5_stored chunk = {.size = g->size};
			chunk.address = g->layout->address > INT64_MAX / 2
			                    ? INT64_MAX
			                    : g->layout->address + (int64_t)(g->nth * g->size);
			if (place_of(g, g->nth, &chunk.number)) SHEAF_TRY(keep(g, &chunk));
		}
		return SHEAF_OK;
	}
	case SHEAF_HDF5_FIXED_ARRAY: return list_fixed(g);
	case SHEAF_HDF5_EXTENSIBLE_ARRAY: return list_extensible(g);
	case SHEAF_HDF5_TREE_2:
		return sheaf_hdf5_tree_2(g->l, g->is_filtered ? SHEAF_HDF5_FILTERED_CHUNKS : SHEAF_HDF5_PLAIN_CHUNKS,
		                         g->layout->address, take_record, g);
	default: return sheaf_hdf5_tree_1(g->l, SHEAF_HDF5_CHUNK_NODES, key, g->layout->address, take_key, g);
	}
}

/* ---- the list ---- */

/* Chunks by their number in the grid. */
static int compare(const void *a, const void *b)
{
	int64_t x = ((const sheaf_hdf5_stored *)a)->number, y = ((const sheaf_hdf5_stored *)b)->number;
	return (x > y) - (x < y);
}

/* Lists all stored chunks of a dataset, sorted by their number in the grid, by which a reader searches.
 * B-trees give their records in any order, so the list is sorted, unless it is sorted already, as most
 * are. A chunk that occurs twice would make the values depend on the order of the index: it is damage. */
sheaf_status sheaf_hdf5_index(sheaf_hdf5_look *l, const sheaf_hdf5_layout *layout,
                              const sheaf_hdf5_space *space, bool is_filtered, sheaf_builder *chunks)
{
	listing g = {.l = l, .layout = layout, .space = space, .is_filtered = is_filtered, .chunks = chunks};
	for (int i = 0; i < g.layout->rank; i++) {
		uint64_t extent = g.layout->extents[i], most = g.space->most[i];
		g.along[i] = g.space->dims[i] / extent + (g.space->dims[i] % extent > 0);
		g.most[i] = most / extent + (most % extent > 0);
	}
	g.size = 1;
	for (int i = 0; i <= g.layout->rank; i++) g.size *= g.layout->extents[i];
	/* An array of chunks counts first along the dimensions that have a limit. The dimension of an extensible
	 * array that has none varies slowest, so that the array grows at its end. */
	int ordered = 0, rank = g.layout->rank;
	if (g.layout->index == SHEAF_HDF5_EXTENSIBLE_ARRAY)
		for (int i = 0; i < rank && ordered == 0; i++)
			if (g.space->most[i] == UINT64_MAX) g.order[ordered++] = i;
	int first = ordered ? g.order[0] : -1;
	for (int i = 0; i < rank; i++)
		if (i != first) g.order[ordered++] = i;
	SHEAF_TRY(list(&g));
	sheaf_hdf5_stored *all = (sheaf_hdf5_stored *)(void *)g.chunks->data;
	size_t n = g.chunks->size / sizeof *all;
	bool is_sorted = true;
	for (size_t i = 1; i < n; i++) is_sorted &= all[i - 1].number < all[i].number;
	if (!is_sorted) qsort(all, n, sizeof *all, compare);
	for (size_t i = 1; i < n; i++)
		if (all[i - 1].number == all[i].number)
			return sheaf_fail(g.l->err, SHEAF_DATA,
			                  "%s (byte %" PRId64
			                  "): expected an index that has each chunk once, found number %" PRId64 " twice",
			                  g.l->r->store->name, g.l->r->base + g.layout->address, (int64_t)all[i].number);
	return SHEAF_OK;
}
