/* SPDX-License-Identifier: MIT */
/* The kernel for AVX2 with BMI2. */
#include "number/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86

static bool is_available(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"); }

const sheaf_kernel sheaf_kernel_avx2 = {
	.name = "avx2",
	.is_available = is_available,
	.dense_f32 = sheaf_dense_f32_portable,
	.dense_f64 = sheaf_dense_f64_portable,
	.pairs_f32 = sheaf_pairs_f32_portable,
	.pairs_f64 = sheaf_pairs_f64_portable,
	.find_feeds = sheaf_find_feeds_avx2,
	.count_feeds = sheaf_count_feeds_avx2,
	.lines_f32 = sheaf_tape_f32_portable,
	.lines_f64 = sheaf_tape_f64_portable,
};
#endif
