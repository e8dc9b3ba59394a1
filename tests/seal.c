/* SPDX-License-Identifier: MIT */
#include "seal.h"
#include <stdbool.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t seal_load(const uint8_t *at, int bytes)
{
	uint64_t v = 0;
	for (int i = bytes; i-- > 0;) v = v << 8 | at[i];
	return v;
}

void seal_store(uint8_t *at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t hash_of(const uint8_t *data, size_t size, uint64_t seed)
{
	return XXH3_128bits_withSeed(data, size, seed).low64;
}

/* ---- index files ---- */

enum { INDEX_VERSION = 4, ALIGNMENT = 64, ENTRY = 72, BLOCK_ROWS = 4096, BLOCK = 24 };
/* Bytes of the head. */
enum {
	HEAD_SIZE = 12,
	HEAD_HASH = 16,
	HASHED_FROM = 24,
	PIECES = 64,
	ROWS = 72,
	BITS_SIZE = 88,
	ENTRIES_HASH = 96,
	BLOCKS_HASH = 104,
	COUNTS_SIZE = 120,
	COUNTS_HASH = 128,
	HEAD_LEAST = 152
};

/* The hash of a table, which begins at the next multiple of 64 after `from`; returns its end, or `size` where
 * it is not in the file. */
static size_t seal_table(uint8_t *index, size_t size, size_t from, uint64_t bytes, int hash)
{
	size_t at = (from + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (at > size || bytes > size - at) return size;
	if (hash) seal_store(index + hash, hash_of(index + at, (size_t)bytes, INDEX_VERSION), 8);
	return at + (size_t)bytes;
}

void seal_index(uint8_t *index, size_t size)
{
	size_t head = size < HEAD_LEAST ? 0 : (size_t)seal_load(index + HEAD_SIZE, 4);
	if (head < HEAD_LEAST || head > size) return;
	uint64_t pieces = seal_load(index + PIECES, 8), rows = seal_load(index + ROWS, 8);
	if (pieces < size && rows / BLOCK_ROWS < size) {
		size_t end = seal_table(index, size, head, pieces * ENTRY, ENTRIES_HASH);
		end = seal_table(index, size, end, (rows + BLOCK_ROWS - 1) / BLOCK_ROWS * BLOCK, BLOCKS_HASH);
		end = seal_table(index, size, end, seal_load(index + BITS_SIZE, 8), 0);
		seal_table(index, size, end, seal_load(index + COUNTS_SIZE, 8), COUNTS_HASH);
	}
	seal_store(index + HEAD_HASH, hash_of(index + HASHED_FROM, head - HASHED_FROM, INDEX_VERSION), 8);
}

/* ---- part files ---- */

void seal_part(uint8_t *part, size_t size)
{
	enum { VERSION = 5, END = 40, BEFORE = 16, FOOT = 24 };
	uint8_t *end = part + size - END;
	if (size < END) return;
	uint64_t at = seal_load(end, 8), n = seal_load(end + 8, 8);
	if (at > size || n > size - at) return;
	uint64_t of_foot = hash_of(part + at, (size_t)n, VERSION);
	seal_store(end + BEFORE, hash_of(part, (size_t)at, VERSION), 8);
	seal_store(end + FOOT, hash_of(end, FOOT, of_foot), 8);
}

/* ---- summaries ---- */

void seal_summary(uint8_t *summary, size_t size)
{
	enum { VERSION = 4, HASH = 8 };
	if (size < HASH) return;
	seal_store(summary + size - HASH, hash_of(summary, size - HASH, VERSION), HASH);
}

/* ---- archives ---- */

static uint32_t crc_of(const uint8_t *data, size_t size)
{
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* The sum of one member, of `entry` of the list: there, and before the contents or after them. */
static void seal_member(uint8_t *archive, size_t size, uint8_t *entry)
{
	enum { LOCAL = 30, LATER = 8, MARK = 4 };
	uint64_t stored = seal_load(entry + 20, 4), at = seal_load(entry + 42, 4);
	if (at > size || size - at < LOCAL) return;
	uint8_t *head = archive + at;
	uint64_t before = LOCAL + seal_load(head + 26, 2) + seal_load(head + 28, 2);
	if (before > size - at || stored > size - at - before || seal_load(entry + 10, 2)) return;
	uint32_t sum = crc_of(head + before, (size_t)stored);
	uint8_t *after = head + before + stored;
	bool is_later = seal_load(head + 6, 2) & LATER;
	seal_store(entry + 16, sum, 4);
	if (!is_later) seal_store(head + 14, sum, 4);
	if (is_later && (size_t)(archive + size - after) >= MARK + 4) seal_store(after + MARK, sum, 4);
}

void seal_archive(uint8_t *archive, size_t size)
{
	enum { LIST_MARK = 0x02014b50, ENTRY_SIZE = 46, END_SIZE = 22 };
	if (size < END_SIZE) return;
	for (uint64_t at = seal_load(archive + size - END_SIZE + 16, 4); at <= size - END_SIZE;) {
		uint8_t *entry = archive + at;
		if (size - at < ENTRY_SIZE || seal_load(entry, 4) != LIST_MARK) return;
		seal_member(archive, size, entry);
		at += ENTRY_SIZE + seal_load(entry + 28, 2) + seal_load(entry + 30, 2) + seal_load(entry + 32, 2);
	}
}
