/* SPDX-License-Identifier: MIT */
/* Integers to and from text. */
#include "number/number.h"

#include <string.h>

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
	sheaf_number_flaw flaw = at == first ? SHEAF_NUMBER_NO_DIGIT : over ? SHEAF_NUMBER_OVERFLOW : SHEAF_NUMBER_OK;
	return (sheaf_scanned){.end = at, .flaw = flaw};
}

static int count_digits(uint64_t v)
{
	int n = 1;
	for (; v >= 10000; v /= 10000) n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* v is below 100 */
static inline void put_pair(char *to, uint32_t v)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	memcpy(to, pairs + (size_t)2 * v, 2);
}

/* Eight digits at a time where there are as many: their divisions need not wait for each other. */
char *sheaf_print_u64(char *to, uint64_t v)
{
	char *end = to + count_digits(v), *at = end;
	for (; v >= 100000000; v /= 100000000) {
		uint32_t low = (uint32_t)(v % 100000000);
		put_pair(at -= 2, low % 100);
		put_pair(at -= 2, low / 100 % 100);
		put_pair(at -= 2, low / 10000 % 100);
		put_pair(at -= 2, low / 1000000);
	}
	uint32_t rest = (uint32_t)v;
	for (; rest >= 100; rest /= 100) put_pair(at -= 2, rest % 100);
	if (rest >= 10) put_pair(to, rest);
	else *to = (char)('0' + rest);
	return end;
}

char *sheaf_print_i64(char *to, int64_t v)
{
	if (v < 0) *to++ = '-';
	return sheaf_print_u64(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
