/* SPDX-License-Identifier: MIT */
/* Lists of whole numbers in plain C: up to seven digits, in one word. */
#include "base/endian.h"
#include "number/digits.h"
#include "number/kernels/kernel_parts.h"

enum { WORD = 8 };

/* The digits at the start of a word, and their number. */
static inline int32_t take_digits(const uint8_t *at, int *count)
{
	uint64_t bytes = sheaf_load_u64le(at) ^ SHEAF_ZEROS, others = sheaf_find_no_digits(bytes);
	*count = others ? sheaf_zeros_before(others) : WORD;
	return *count ? (int32_t)sheaf_eight_digits_value(bytes << 8 * (WORD - *count)) : 0;
}

static inline bool is_space(const sheaf_delimiters *is, uint8_t c)
{
	return c == is->spaces[0] || c == is->spaces[1];
}
static inline bool is_end(const sheaf_delimiters *is, uint8_t c)
{
	return c == is->mark || c == is->feed || c == is->before_feed;
}

/* A space without digits before it is passed, as a number of no digits. */
void sheaf_whole_i32_portable(sheaf_numbers *caller)
{
	sheaf_numbers run = *caller; /* whose address is never taken: it can stay in registers */
	const sheaf_delimiters is = *caller->delimiters;
	while (run.end - run.at > WORD && run.room > run.count) {
		int digits;
		int32_t number = take_digits(run.at, &digits);
		uint8_t after = run.at[digits];
		if (digits == WORD || !(is_space(&is, after) || (digits && is_end(&is, after)))) break;
		((int32_t *)run.values)[run.count] = number;
		run.count += digits > 0;
		run.at += digits + !is_end(&is, after);
	}
	*caller = run;
}
