/* SPDX-License-Identifier: MIT */
/* Fields of delimited text, and line feeds, with the vectors that every 64-bit ARM has. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_NEON
#include "number/kernels/fields_parts.h"
#include <arm_neon.h>

static inline uint8x16_t bits_of_bytes(void)
{
	static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	return vld1q_u8(bits);
}

/* One bit for each byte of a block that equals the wanted one: pairs are added up until eight bytes are
 * left. */
static inline uint64_t find(const uint8_t *block, uint8_t wanted)
{
	const uint8x16_t bits = bits_of_bytes(), each = vdupq_n_u8(wanted);
	uint8x16_t a = vandq_u8(vceqq_u8(vld1q_u8(block), each), bits),
			   b = vandq_u8(vceqq_u8(vld1q_u8(block + 16), each), bits),
			   c = vandq_u8(vceqq_u8(vld1q_u8(block + 32), each), bits),
			   d = vandq_u8(vceqq_u8(vld1q_u8(block + 48), each), bits);
	uint8x16_t sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

/* ---- line feeds ---- */

void sheaf_find_feeds_neon(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) masks[k] = find(text + k * SHEAF_LINES_BLOCK, '\n');
}

int64_t sheaf_count_feeds_neon(const uint8_t *text, int64_t n)
{
	int64_t feeds = 0;
	for (int64_t k = 0; k < n; k++) feeds += __builtin_popcountll(find(text + k * SHEAF_LINES_BLOCK, '\n'));
	return feeds;
}

/* A feed directly after a return ends no further line. */
int64_t sheaf_count_ends_neon(const uint8_t *text, int64_t n)
{
	int64_t ends = 0;
	uint64_t before = 0;
	for (int64_t k = 0; k < n; k++) {
		uint64_t feeds = find(text + k * SHEAF_LINES_BLOCK, '\n'),
				 returns = find(text + k * SHEAF_LINES_BLOCK, '\r');
		ends += __builtin_popcountll(feeds & ~(returns << 1 | before)) + __builtin_popcountll(returns);
		before = returns >> 63;
	}
	return ends;
}

/* ---- where fields end ---- */

static inline void put(uint32_t *to, uint32_t base, uint64_t bits)
{
	for (; bits; bits &= bits - 1) *to++ = base + (uint32_t)__builtin_ctzll(bits);
}

static void cut(sheaf_fields_cut *c, const uint8_t *until)
{
	for (; until - c->block >= SHEAF_FIELDS_BLOCK; c->block += SHEAF_FIELDS_BLOCK) {
		sheaf_block_marks m = {find(c->block, c->delimiter), find(c->block, c->feed),
		                       c->quote ? find(c->block, c->quote) : 0};
		SHEAF_CUT_BLOCK(c, m, put);
	}
}

/* ---- numbers ---- */

#define TARGET
typedef uint8x16_t sixteen;
#include "number/kernels/fields_tables.h"

static inline sixteen load_digits(const uint8_t *end, size_t size, unsigned *other)
{
	uint8x16_t d = vandq_u8(vsubq_u8(vld1q_u8(end - LANES), vdupq_n_u8('0')), vld1q_u8(last_bytes + size)),
			   none = vandq_u8(vcgtq_u8(d, vdupq_n_u8(9)), bits_of_bytes());
	*other = (unsigned)vaddv_u8(vget_low_u8(none)) | (unsigned)vaddv_u8(vget_high_u8(none)) << 8;
	return d;
}

static inline sixteen take_point_out(sixteen d, int point)
{
	static const uint8_t all[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	return vqtbl1q_u8(d, vsubq_u8(vld1q_u8(all), vld1q_u8(moves + LANES - 1 - point)));
}

static inline uint64_t value_of(sixteen d)
{
	static const uint8_t tens[LANES] = {10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1};
	static const uint16_t hundreds[] = {100, 1, 100, 1, 100, 1, 100, 1};
	static const uint32_t thousands[] = {10000, 1, 10000, 1};
	const uint8x16_t t = vld1q_u8(tens);
	const uint16x8_t h = vld1q_u16(hundreds);
	const uint32x4_t m = vld1q_u32(thousands);
	uint16x8_t twos = vpaddq_u16(vmull_u8(vget_low_u8(d), vget_low_u8(t)), vmull_high_u8(d, t));
	uint32x4_t fours = vpaddq_u32(vmull_u16(vget_low_u16(twos), vget_low_u16(h)), vmull_high_u16(twos, h));
	uint64x2_t eights = vpaddq_u64(vmull_u32(vget_low_u32(fours), vget_low_u32(m)), vmull_high_u32(fours, m));
	return vgetq_lane_u64(eights, 0) * 100000000 + vgetq_lane_u64(eights, 1);
}

static inline bool are_zeros(sixteen d) { return vmaxvq_u8(d) == 0; }

#include "number/kernels/fields_vectors.h"

static inline bool take_time(const sheaf_fields *f, size_t i, int64_t *seconds)
{
	return sheaf_field_time(f, i, seconds);
}

SHEAF_FIELDS_READERS()

const sheaf_fields_kernel sheaf_fields_neon = {
	cut, look, read_f64, read_i64, read_times, sheaf_fields_read_days, sheaf_fields_read_bools};
#endif
