/* SPDX-License-Identifier: MIT */
/* Line feeds in portable C: byte by byte, which defines the result, and by words of eight bytes. */
#include "base/endian.h"
#include "number/kernels/kernel_parts.h"

int64_t sheaf_count_feeds_scalar(const uint8_t *text, int64_t n)
{
	int64_t feeds = 0;
	for (int64_t i = 0; i < n * SHEAF_LINES_BLOCK; i++) feeds += text[i] == '\n';
	return feeds;
}

int64_t sheaf_count_ends_scalar(const uint8_t *text, int64_t n)
{
	int64_t ends = 0;
	for (int64_t i = 0; i < n * SHEAF_LINES_BLOCK; i++)
		ends += text[i] == '\r' || (text[i] == '\n' && (i == 0 || text[i - 1] != '\r'));
	return ends;
}

void sheaf_find_feeds_scalar(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) {
		masks[k] = 0;
		for (int i = 0; i < SHEAF_LINES_BLOCK; i++)
			masks[k] |= (uint64_t)(text[k * SHEAF_LINES_BLOCK + i] == '\n') << i;
	}
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The lowest bit of each byte that equals the wanted one. No byte's sum carries into the next one. */
static inline uint64_t find(const uint8_t *word, uint8_t wanted)
{
	uint64_t x = sheaf_load_u64le(word) ^ EACH(wanted), rest = (x & EACH(0x7f)) + EACH(0x7f);
	return ~(rest | x | EACH(0x7f)) >> 7;
}

static inline uint64_t feeds_in(const uint8_t *word) { return find(word, '\n'); }

/* The lowest bit of each of eight bytes as eight bits: the product adds them up in its highest byte. */
static inline uint64_t gather(uint64_t bits) { return bits * UINT64_C(0x0102040810204080) >> 56; }

int64_t sheaf_count_feeds_portable(const uint8_t *text, int64_t n)
{
	int64_t feeds = 0;
	for (int64_t k = 0; k < n; k++) {
		uint64_t sums = 0;
		for (int i = 0; i < SHEAF_LINES_BLOCK; i += 8) sums += feeds_in(text + k * SHEAF_LINES_BLOCK + i);
		feeds += (int64_t)(sums * EACH(1) >> 56);
	}
	return feeds;
}

void sheaf_find_feeds_portable(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) {
		uint64_t mask = 0;
		for (int i = 0; i < SHEAF_LINES_BLOCK; i += 8)
			mask |= gather(feeds_in(text + k * SHEAF_LINES_BLOCK + i)) << i;
		masks[k] = mask;
	}
}

/* A feed directly after a return ends no further line. */
int64_t sheaf_count_ends_portable(const uint8_t *text, int64_t n)
{
	int64_t ends = 0;
	uint64_t before = 0;
	for (int64_t i = 0; i < n * SHEAF_LINES_BLOCK; i += 8) {
		uint64_t feeds = feeds_in(text + i), returns = find(text + i, '\r');
		ends += (int64_t)(((feeds & ~(returns << 8 | before)) + returns) * EACH(1) >> 56);
		before = returns >> 56;
	}
	return ends;
}
