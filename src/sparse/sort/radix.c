/* SPDX-License-Identifier: MIT */
/* Radix sort, for values of each size. */
#include "sparse/sort/radix.h"
#include <string.h>

#define T uint8_t
#define NAME(x) x##_1
#include "sparse/sort/radix_template.h"
#define T uint16_t
#define NAME(x) x##_2
#include "sparse/sort/radix_template.h"
#define T uint32_t
#define NAME(x) x##_4
#include "sparse/sort/radix_template.h"
#define T uint64_t
#define NAME(x) x##_8
#include "sparse/sort/radix_template.h"
#define T sheaf_value16
#define NAME(x) x##_16
#include "sparse/sort/radix_template.h"

bool sheaf_radix_sort(sheaf_pairs entries, sheaf_pairs spare, size_t value_size, size_t n, int low, int high)
{
	static bool (*const by_size[])(sheaf_pairs, sheaf_pairs, size_t, int, int) = {sort_1, sort_2, sort_4,
	                                                                              sort_8, sort_16};
	return by_size[__builtin_ctzll(value_size)](entries, spare, n, low, high);
}
