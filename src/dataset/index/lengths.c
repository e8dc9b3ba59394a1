/* SPDX-License-Identifier: MIT */
/* Lengths of rows, packed.
 *
 *     description of a block   byte of its bits, hash of these, least length, bits for each of its rows
 *     bits of a block          a number for each row, the first in the lowest bits, then a spare word
 *
 * Rows of equal length take no bits at all, and those of similar lengths few. A description says where the
 * bits are, so the length of any row is found without those before it. What comes from a file is trusted
 * block by block, after its hash has been compared and no length in it is one that the input cannot have.
 */
#include "dataset/index/lengths.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/third/xxhash.h"
#include <stdatomic.h>

enum {
	BLOCK = SHEAF_LENGTHS_BLOCK,
	WORD = 8, /* a block's bits are followed by one more word than they need, so that any length can be loaded
	             as a whole word */
	ENTRY = 24 /* byte of the bits, u64; hash, u64; least length, u32; bits for each, u32 */
};
enum { UNCHECKED, SOUND, DAMAGED };

/* The description of a block: the byte at which its bits begin and their hash, the least length, and how
 * many bits each row takes (`width`), which is 0 where all lengths are equal. */
typedef struct block {
	uint64_t byte, hash;
	uint32_t least, width;
} block;

/* The description of block i. */
static block block_at(const sheaf_lengths *l, int64_t i)
{
	const uint8_t *at = l->blocks.data + (size_t)i * ENTRY;
	return (block){sheaf_load_u64le(at), sheaf_load_u64le(at + 8), sheaf_load_u32le(at + 16),
	               sheaf_load_u32le(at + 20)};
}

/* How many bytes the bits of a block with this number of rows take: whole words, and a spare one. */
static size_t bytes_of(int64_t rows, uint32_t width)
{
	return width ? ((size_t)rows * width + 63) / 64 * WORD + WORD : 0;
}

static int64_t block_count(int64_t rows) { return rows / BLOCK + (rows % BLOCK > 0); }

int64_t sheaf_lengths_blocks_size(int64_t rows) { return block_count(rows) * ENTRY; }

/* The seed detects blocks that have changed places. */
static uint64_t hash_of(const uint8_t *bits, size_t size, int64_t i)
{
	return sheaf_xxhash(bits, size, (uint64_t)i).low;
}

/* ---- packing ---- */

sheaf_status sheaf_packer_begin(sheaf_packer *p, sheaf_context *cx, sheaf_error *err)
{
	*p = (sheaf_packer){.cx = cx};
	sheaf_builder_begin(&p->blocks, cx, NULL);
	sheaf_builder_begin(&p->bits, cx, NULL);
	SHEAF_TRY(sheaf_allocate_array(cx, BLOCK, sizeof *p->open, &p->open, err));
	return SHEAF_OK;
}

/* Packs the n lengths of the unfinished block: each as its distance from the least one, in as many bits as
 * the largest distance needs. A number is added with one 64-bit load and store, since it begins within the
 * first of eight bytes and has at most 32 bits. If memory runs out, the builder has failed, and finishing
 * reports it. */
static void close_block(sheaf_packer *p, int64_t n)
{
	uint32_t least = UINT32_MAX, most = 0;
	for (int64_t r = 0; r < n; r++) {
		if (p->open[r] < least) least = p->open[r];
		if (p->open[r] > most) most = p->open[r];
	}
	uint32_t width = most > least ? 32 - (uint32_t)__builtin_clz(most - least) : 0;
	size_t byte = p->bits.size, size = bytes_of(n, width);
	if (size && !sheaf_builder_room(&p->bits, size)) size = 0;
	uint8_t *bits = size ? p->bits.data + byte : NULL;
	if (size) memset(bits, 0, size);
	for (int64_t r = 0; r < n && size; r++) {
		size_t bit = (size_t)r * width;
		uint8_t *word = bits + bit / 8;
		sheaf_store_u64le(word, sheaf_load_u64le(word) | (uint64_t)(p->open[r] - least) << bit % 8);
	}
	p->bits.size += size;
	sheaf_builder_u64le(&p->blocks, byte);
	sheaf_builder_u64le(&p->blocks, hash_of(bits, size, (p->rows - 1) / BLOCK));
	sheaf_builder_u32le(&p->blocks, least);
	sheaf_builder_u32le(&p->blocks, width);
}

/* Adds lengths to the unfinished block, and packs it whenever it is full. */
void sheaf_packer_add(sheaf_packer *p, const uint32_t *lengths, int64_t n)
{
	while (n > 0) {
		int64_t filled = p->rows % BLOCK, run = BLOCK - filled < n ? BLOCK - filled : n;
		memcpy(p->open + filled, lengths, (size_t)run * sizeof *lengths);
		p->rows += run;
		if (filled + run == BLOCK) close_block(p, BLOCK);
		lengths += run;
		n -= run;
	}
}

/* Moves the packed lengths into *out. The last block may be shorter than the others, and is packed as it
 * is. */
sheaf_status sheaf_packer_finish(sheaf_packer *p, sheaf_lengths *out, sheaf_error *err)
{
	*out = (sheaf_lengths){.rows = p->rows};
	if (p->rows % BLOCK) close_block(p, p->rows % BLOCK);
	SHEAF_TRY(sheaf_builder_finish(&p->bits, &out->bits, err));
	sheaf_status status = sheaf_builder_finish(&p->blocks, &out->blocks, err);
	if (status) sheaf_lengths_free(out);
	return status;
}

void sheaf_packer_drop(sheaf_packer *p)
{
	sheaf_builder_drop(&p->blocks);
	sheaf_builder_drop(&p->bits);
	sheaf_release(p->cx, p->open, BLOCK * sizeof *p->open);
	p->open = NULL;
}

void sheaf_lengths_free(sheaf_lengths *l)
{
	sheaf_buffer_reset(&l->blocks);
	sheaf_buffer_reset(&l->bits);
	sheaf_release(l->cx, (void *)l->checked, (size_t)block_count(l->rows) * sizeof *l->checked);
	*l = (sheaf_lengths){0};
}

/* ---- unpacking ---- */

/* Marks all blocks as unchecked, for lengths that come from a file: each is checked before its first
 * use. */
sheaf_status sheaf_lengths_distrust(sheaf_lengths *l, int64_t most, sheaf_context *cx, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)block_count(l->rows), sizeof *l->checked, &l->checked, err));
	l->cx = cx;
	l->most = most;
	return SHEAF_OK;
}

/* All blocks but the last one are full. */
static int64_t rows_of(const sheaf_lengths *l, int64_t i)
{
	int64_t left = l->rows - i * BLOCK;
	return left < BLOCK ? left : BLOCK;
}

/* Whether block i can be used. Its bits must lie in the table and have their hash, and no length may exceed
 * what the input could hold, since memory is allocated for it. The outcome is kept; threads that check a
 * block at the same time find the same. */
bool sheaf_lengths_is_sound(const sheaf_lengths *l, int64_t i)
{
	if (!l->checked) return true;
	int state = atomic_load_explicit(&l->checked[i], memory_order_relaxed);
	if (state != UNCHECKED) return state == SOUND;
	uint32_t lengths[BLOCK];
	block b = block_at(l, i);
	int64_t nrows = rows_of(l, i);
	size_t size = b.width > 32 ? 0 : bytes_of(nrows, b.width);
	bool sound = b.width <= 32 && b.byte <= l->bits.size && size <= l->bits.size - b.byte &&
	             hash_of(size ? l->bits.data + b.byte : NULL, size, i) == b.hash;
	if (sound) sheaf_lengths_unpack(l, i * BLOCK, nrows, lengths);
	for (int64_t r = 0; r < nrows && sound; r++) sound = lengths[r] <= l->most;
	atomic_store_explicit(&l->checked[i], (uint8_t)(sound ? SOUND : DAMAGED), memory_order_relaxed);
	return sound;
}

/* Unpacks n lengths from row number `row` on, all of one block. Each length is within the eight bytes that
 * are loaded for it, since it begins in the first of them and has 32 bits at most; the spare word after the
 * block makes that safe for the last ones. */
void sheaf_lengths_unpack(const sheaf_lengths *l, int64_t row, int64_t n, uint32_t *out)
{
	block b = block_at(l, row / BLOCK);
	uint64_t mask = ((uint64_t)1 << b.width) - 1;
	if (b.width == 0) {
		for (int64_t k = 0; k < n; k++) out[k] = b.least;
		return;
	}
	const uint8_t *bits = l->bits.data + b.byte;
	for (int64_t k = 0; k < n; k++) {
		size_t bit = (size_t)(row % BLOCK + k) * b.width;
		out[k] = b.least + (uint32_t)(sheaf_load_u64le(bits + bit / 8) >> bit % 8 & mask);
	}
}
