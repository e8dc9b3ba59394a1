/* SPDX-License-Identifier: MIT */
/* The kernel for AVX2 with BMI2. */
#include "number/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86

static bool is_available(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"); }

const sheaf_kernel sheaf_kernel_avx2 = {"avx2",
                                        is_available,
                                        sheaf_dense_f32_portable,
                                        sheaf_dense_f64_portable,
                                        sheaf_pairs_f32_portable,
                                        sheaf_pairs_f64_portable,
                                        sheaf_find_feeds_avx2,
                                        sheaf_count_feeds_avx2};
#endif
