/* SPDX-License-Identifier: MIT */
/* Chunks that consist of blocks, which are packed one by one: those of Blosc 1 (its README_CHUNK_FORMAT says
 * how), and those of HDF5's filters lz4 and bitshuffle. Every size is checked against the bytes that are
 * there, and nothing is allocated that a chunk only claims. */
#include "base/endian.h"
#include "container/codec.h"
#include "number/shuffle.h"
#include <string.h>

/* Unpacks what must give exactly `size` bytes. */
static sheaf_status unpack(sheaf_coding *c, sheaf_box_filter filter, sheaf_bytes from, uint8_t *to,
                           size_t size)
{
	sheaf_coding part = {.f = c->f, .from = from, .to = to, .room = size};
	sheaf_status status = sheaf_undo_filter(filter, &part);
	c->found = part.found;
	return status ? status : part.size == size ? SHEAF_OK : SHEAF_DATA;
}

/* Memory for a block whose bits or bytes are still to be put in order. */
static uint8_t *scratch(sheaf_coding *c, size_t size)
{
	sheaf_builder *b = &c->f->again;
	if (!b->cx) sheaf_builder_begin(b, c->f->cx, NULL);
	b->size = 0;
	return sheaf_builder_room(b, size) ? b->data : NULL;
}

/* Puts the bits of elements in order, which are stored by their rank: first the lowest bits of all elements,
 * eight in a byte, and so on. Elements that would not fill their last bytes, and what is shorter than an
 * element, are stored as they are. */
static void bit_unshuffle(const uint8_t *from, uint8_t *to, size_t size, size_t width)
{
	size_t n = size / width, plane = n / 8, begin = n % 8 ? 0 : n * width;
	for (size_t at = 0; at < begin / 8; at++) {
		/* Eight bits of eight elements, as a matrix that is transposed. */
		size_t byte = at / plane, i = at % plane;
		uint64_t x = 0, t;
		for (size_t bit = 0; bit < 8; bit++) x |= (uint64_t)from[(byte * 8 + bit) * plane + i] << 8 * bit;
		t = (x ^ x >> 7) & 0x00aa00aa00aa00aa, x ^= t ^ t << 7;
		t = (x ^ x >> 14) & 0x0000cccc0000cccc, x ^= t ^ t << 14;
		t = (x ^ x >> 28) & 0x00000000f0f0f0f0, x ^= t ^ t << 28;
		for (size_t k = 0; k < 8; k++) to[(i * 8 + k) * width + byte] = (uint8_t)(x >> 8 * k);
	}
	memcpy(to + begin, from + begin, size - begin);
}

/* ---- Blosc ---- */

enum { HEAD = 16, SHUFFLED = 1, STORED = 2, BITS = 4, WHOLE = 16 };

/* Unpacks the block of `size` bytes that begins at byte `at` of a chunk of Blosc. A block of many elements
 * has a part for each byte of an element, each after its size, unless a flag says otherwise, or it is the
 * shorter one at the end; a part that could not be packed is as long as what it stands for. */
static sheaf_status unblosc(sheaf_coding *c, size_t at, uint8_t *to, size_t size, bool is_rest)
{
	enum { MOST_PARTS = 16, FEWEST_ELEMENTS = 128 };
	static const sheaf_box_filter filters[] = {SHEAF_FILTER_BLOSCLZ, SHEAF_FILTER_LZ4_BLOCK, SHEAF_NO_FILTER,
	                                           SHEAF_FILTER_DEFLATE, SHEAF_FILTER_ZSTD,      SHEAF_NO_FILTER,
	                                           SHEAF_NO_FILTER,      SHEAF_NO_FILTER};
	const uint8_t *head = c->from.data, flags = head[2];
	size_t width = head[3], end = c->from.size;
	bool is_split = !(flags & WHOLE) && !is_rest && width <= MOST_PARTS && size / width >= FEWEST_ELEMENTS;
	size_t part = is_split ? size / width : size;
	uint8_t *place = flags & (BITS | SHUFFLED) ? scratch(c, size) : to;
	if (!place) return c->f->again.failed;
	if (size % part) return SHEAF_DATA;
	for (size_t done = 0, stored; done < size; done += part, at += 4 + stored) {
		if (at > end - 4 || (stored = sheaf_load_u32le(head + at)) > end - 4 - at) return SHEAF_DATA;
		if (stored == part)
			memcpy(place + done, head + at + 4, part);
		else
			SHEAF_TRY(
				unpack(c, filters[flags >> 5], (sheaf_bytes){head + at + 4, stored}, place + done, part));
	}
	if (flags & BITS)
		bit_unshuffle(place, to, size, width);
	else if (flags & SHUFFLED)
		sheaf_unshuffle(place, to, size, width);
	return SHEAF_OK;
}

/* A chunk of Blosc: its head, where each block begins, and the blocks. Versions after 2 are those of Blosc 2,
 * with other heads. */
sheaf_status sheaf_undo_blosc(sheaf_coding *c)
{
	const uint8_t *head = c->from.data;
	if (c->from.size < HEAD || head[3] == 0) return SHEAF_DATA;
	if (head[0] > 2) return c->found = "one of Blosc 2", SHEAF_UNSUPPORTED;
	size_t block = sheaf_load_u32le(head + 8), left = c->from.size - HEAD;
	c->size = sheaf_load_u32le(head + 4);
	if (sheaf_load_u32le(head + 12) != c->from.size) return SHEAF_DATA;
	if (c->size > c->room) return SHEAF_OK;
	if (head[2] & STORED) return left == c->size ? memcpy(c->to, head + HEAD, left), SHEAF_OK : SHEAF_DATA;
	if (block == 0 || left / 4 < (c->size + block - 1) / block) return SHEAF_DATA;
	for (size_t done = 0, n; done < c->size; done += n, head += 4) {
		n = c->size - done < block ? c->size - done : block;
		SHEAF_TRY(unblosc(c, sheaf_load_u32le(head + HEAD), c->to + done, n, n < block));
	}
	return SHEAF_OK;
}

/* ---- filters of HDF5 ---- */

/* Unpacks the blocks of `block` bytes that follow a head. Each is packed, after its size, unless there is no
 * filter for that. Elements of a width have their bits shuffled, so that a block has eight of them, or a
 * multiple: fewer than eight at the end are stored as they are. */
static sheaf_status unblock(sheaf_coding *c, size_t head, size_t block, size_t width, sheaf_box_filter filter)
{
	const uint8_t *at = c->from.data + head, *end = c->from.data + c->from.size;
	size_t unit = width ? 8 * width : 1;
	if (block == 0 || block % unit) return SHEAF_DATA;
	for (size_t done = 0, n, stored; done < c->size; done += n, at += stored) {
		n = stored = c->size - done < block ? c->size - done : block;
		bool is_whole = n >= unit, is_packed = is_whole && filter != SHEAF_NO_FILTER;
		if (is_whole) n = stored = n - n % unit;
		if (is_packed) {
			if (end - at < 4) return SHEAF_DATA;
			stored = sheaf_load_u32be(at);
			at += 4;
		}
		if (stored > (size_t)(end - at)) return SHEAF_DATA;
		uint8_t *to = c->to + done, *place = width && is_packed ? scratch(c, n) : to;
		if (!place) return c->f->again.failed;
		bool is_plain = !is_packed || (stored == n && !width);
		if (!is_plain) SHEAF_TRY(unpack(c, filter, (sheaf_bytes){at, stored}, place, n));
		if (width && is_whole)
			bit_unshuffle(is_plain ? at : place, to, n, width);
		else if (is_plain)
			memcpy(to, at, n);
	}
	return at == end ? SHEAF_OK : SHEAF_DATA;
}

/* Packed blocks, whose head has the size of the chunk and that of a block. */
static sheaf_status unblock_packed(sheaf_coding *c, size_t width, sheaf_box_filter filter)
{
	enum { HEAD_OF_BLOCKS = 12 };
	const uint8_t *head = c->from.data;
	if (c->from.size < HEAD_OF_BLOCKS) return SHEAF_DATA;
	c->size = sheaf_load_u32be(head) ? SIZE_MAX : sheaf_load_u32be(head + 4);
	return c->size > c->room ? SHEAF_OK
	                         : unblock(c, HEAD_OF_BLOCKS, sheaf_load_u32be(head + 8), width, filter);
}

sheaf_status sheaf_undo_lz4(sheaf_coding *c)
{
	if (c->parameters) return unblock_packed(c, 0, SHEAF_FILTER_LZ4_BLOCK);
	if (c->from.size < 4) return SHEAF_DATA;
	c->size = sheaf_load_u32le(c->from.data);
	sheaf_bytes block = {c->from.data + 4, c->from.size - 4};
	return c->size > c->room ? SHEAF_OK : unpack(c, SHEAF_FILTER_LZ4_BLOCK, block, c->to, c->size);
}

/* Parameters: two of a version, the width of an element, how many are in a block (0: as many as the program
 * finds best), and how blocks are packed: not at all, by LZ4 or by Zstandard. */
sheaf_status sheaf_undo_bitshuffle(sheaf_coding *c)
{
	enum { WIDTH = 3, ELEMENTS, PACKED, BEST = 8192, FEWEST = 128 };
	const uint32_t *p = (const uint32_t *)c->parameters;
	size_t width = p[0] < WIDTH ? 0 : p[WIDTH], n = p[0] < ELEMENTS ? 0 : p[ELEMENTS];
	uint32_t packed = p[0] < PACKED ? 0 : p[PACKED];
	if (width == 0 || width > BEST || n > INT32_MAX / width || packed == 1 || packed > 3)
		return SHEAF_UNSUPPORTED;
	if (packed) return unblock_packed(c, width, packed == 2 ? SHEAF_FILTER_LZ4_BLOCK : SHEAF_FILTER_ZSTD);
	c->size = c->from.size;
	if (n == 0) n = BEST / width < FEWEST ? FEWEST : BEST / width / 8 * 8;
	return c->size > c->room ? SHEAF_OK : unblock(c, 0, n * width, width, SHEAF_NO_FILTER);
}
