/* SPDX-License-Identifier: MIT */
/* Integers to and from text. */
#include "number/digits.h"
#include "number/number.h"

sheaf_scanned sheaf_scan_u64(const char *at, const char *end, uint64_t *out)
{
	const char *first = at;
	uint64_t v = 0;
	bool over = false;
	for (; at < end && (unsigned char)(*at - '0') <= 9; at++) {
		over |= __builtin_mul_overflow(v, 10, &v);
		over |= __builtin_add_overflow(v, (uint64_t)(*at - '0'), &v);
	}
	*out = over ? 0 : v;
	sheaf_number_flaw flaw = at == first ? SHEAF_NUMBER_NO_DIGIT
	                         : over      ? SHEAF_NUMBER_OVERFLOW
	                                     : SHEAF_NUMBER_OK;
	return (sheaf_scanned){.end = at, .flaw = flaw};
}

static __attribute__((noinline)) char *put_long(char *to, uint64_t v)
{
	to = sheaf_print_u64(to, v / 100000000);
	sheaf_store_u64le(to, sheaf_eight_digits((uint32_t)(v % 100000000)) | SHEAF_ZEROS);
	return to + 8;
}

/* Without a branch on the number of digits: numbers of one file differ in it, and a wrong prediction takes
 * longer than all the rest. */
char *sheaf_print_u64(char *to, uint64_t v)
{
	if (v < 100000000) return sheaf_put_below_1e8(to, (uint32_t)v);
	return put_long(to, v);
}

char *sheaf_print_i64(char *to, int64_t v)
{
	*to = '-';
	return sheaf_print_u64(to + (v < 0), v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
