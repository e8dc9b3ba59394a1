/* SPDX-License-Identifier: MIT */
/* Natural numbers on the stack. */
#include "number/big.h"
#include "number/wide.h"

static void push(sheaf_big *big, uint64_t limb)
{
	if (limb && big->count < SHEAF_BIG_LIMBS) big->limb[big->count++] = limb;
}

void sheaf_big_mul_add(sheaf_big *big, uint64_t factor, uint64_t addend)
{
	uint64_t carry = addend;
	for (int i = 0; i < big->count; i++) {
		sheaf_wide product = sheaf_wide_add(sheaf_wide_mul(big->limb[i], factor), (sheaf_wide){0, carry});
		big->limb[i] = product.low;
		carry = product.high;
	}
	push(big, carry);
}

void sheaf_big_mul_power5(sheaf_big *big, int n)
{
	const int step = 27; /* 5^27 is the last power of five below 2^64 */
	for (; n >= step; n -= step) sheaf_big_mul_add(big, 7450580596923828125u, 0);
	uint64_t rest = 1;
	while (n-- > 0) rest *= 5;
	sheaf_big_mul_add(big, rest, 0);
}

/* Bits first, so that a limb that the bits push out is moved along with the others. */
void sheaf_big_shift(sheaf_big *big, int n)
{
	int limbs = n / 64;
	sheaf_big_mul_add(big, (uint64_t)1 << n % 64, 0);
	if (!limbs || big->count + limbs > SHEAF_BIG_LIMBS) return;
	for (int i = big->count - 1; i >= 0; i--) big->limb[i + limbs] = big->limb[i];
	for (int i = 0; i < limbs; i++) big->limb[i] = 0;
	big->count += limbs;
}

int sheaf_big_compare(const sheaf_big *a, const sheaf_big *b)
{
	if (a->count != b->count) return a->count < b->count ? -1 : 1;
	for (int i = a->count - 1; i >= 0; i--)
		if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}
