/* SPDX-License-Identifier: MIT */
/* Words one by one, which defines the result of the kernels. */
#include "number/kernels/words.h"
#include "base/endian.h"
#include "number/kernels/kernel_parts.h"

void sheaf_copy_words_scalar(uint32_t *to, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) to[i] = sheaf_load_u32be(from + 4 * i);
}

void sheaf_copy_reals_scalar(uint32_t *to, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) to[i] = sheaf_one_nan(sheaf_load_u32be(from + 4 * i));
}
