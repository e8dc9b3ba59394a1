/* SPDX-License-Identifier: MIT */
/* The kernels of this build. */
#ifndef SHEAF_NUMBER_KERNELS_KERNEL_PARTS_H
#define SHEAF_NUMBER_KERNELS_KERNEL_PARTS_H

#include "base/third/filled.h"
#include "number/kernels/kernel.h"

extern const sheaf_kernel sheaf_kernel_portable;

sheaf_feed_finder sheaf_find_feeds_scalar, sheaf_find_feeds_portable, sheaf_find_feeds_avx2,
	sheaf_find_feeds_avx512;
sheaf_feed_counter sheaf_count_feeds_scalar, sheaf_count_feeds_portable, sheaf_count_feeds_avx2;
sheaf_feed_counter sheaf_count_ends_scalar, sheaf_count_ends_portable, sheaf_count_ends_avx2,
	sheaf_count_ends_avx512;
/* Other kernels use these where they have nothing better. */
sheaf_numbers_reader sheaf_dense_f32_portable, sheaf_dense_f64_portable, sheaf_pairs_f32_portable,
	sheaf_pairs_f64_portable;
sheaf_numbers_reader sheaf_whole_i32_portable;
sheaf_tape_reader sheaf_tape_f32_portable, sheaf_tape_f64_portable;
sheaf_alike_reader sheaf_alike_portable;
sheaf_finder sheaf_find_any_scalar, sheaf_find_any_portable;
sheaf_utf8_skipper sheaf_skip_utf8_portable;
extern const sheaf_fields_kernel sheaf_fields_scalar, sheaf_fields_portable;
sheaf_fields_day_reader sheaf_fields_read_days;
sheaf_fields_bool_reader sheaf_fields_read_bools;
sheaf_word_copier sheaf_copy_words_scalar, sheaf_copy_reals_scalar;

/* MemorySanitizer does not track bits through most vector instructions. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SHEAF_MEMORY_SANITIZER)
#define SHEAF_KERNEL_X86 1
extern const sheaf_kernel sheaf_kernel_avx2, sheaf_kernel_avx512;
sheaf_numbers_reader sheaf_pairs_f32_avx2, sheaf_pairs_f64_avx2;
sheaf_tape_reader sheaf_tape_f32_avx512, sheaf_tape_f64_avx512;
sheaf_alike_reader sheaf_alike_avx512;
sheaf_finder sheaf_find_any_avx2, sheaf_find_any_avx512;
sheaf_utf8_skipper sheaf_skip_utf8_avx2;
extern const sheaf_fields_kernel sheaf_fields_avx2, sheaf_fields_avx512;
sheaf_speller sheaf_spell_f32_avx512, sheaf_spell_f64_avx512;
sheaf_word_copier sheaf_copy_words_avx2, sheaf_copy_reals_avx2, sheaf_copy_words_avx512,
	sheaf_copy_reals_avx512;
#endif

/* Bits for bytes are numbered as on little-endian machines. */
#if defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SHEAF_KERNEL_NEON 1
extern const sheaf_kernel sheaf_kernel_neon;
extern const sheaf_fields_kernel sheaf_fields_neon;
sheaf_feed_finder sheaf_find_feeds_neon;
sheaf_feed_counter sheaf_count_feeds_neon, sheaf_count_ends_neon;
#endif

#endif
