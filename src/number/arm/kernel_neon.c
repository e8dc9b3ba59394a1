/* SPDX-License-Identifier: MIT */
/* The kernel for 64-bit ARM: fields and line feeds by vectors, everything else as in portable C, whose words
 * of eight bytes and compiler vectors it also uses. */
#include "number/kernels/entries_parts.h"

#ifdef SHEAF_KERNEL_NEON
static bool is_available(void) { return true; }

const sheaf_kernel sheaf_kernel_neon = {
	.name = "neon",
	.is_available = is_available,
	.dense_f32 = sheaf_dense_f32_portable,
	.dense_f64 = sheaf_dense_f64_portable,
	.pairs_f32 = sheaf_pairs_f32_portable,
	.pairs_f64 = sheaf_pairs_f64_portable,
	.whole_i32 = sheaf_whole_i32_portable,
	.find_feeds = sheaf_find_feeds_neon,
	.count_feeds = sheaf_count_feeds_neon,
	.count_ends = sheaf_count_ends_neon,
	.lines_f32 = sheaf_tape_f32_portable,
	.lines_f64 = sheaf_tape_f64_portable,
	.alike = sheaf_alike_portable,
	.find_any = sheaf_find_any_portable,
	.skip_utf8 = sheaf_skip_utf8_portable,
	.copy_words = sheaf_copy_words_scalar,
	.copy_reals = sheaf_copy_reals_scalar,
	.entries = sheaf_entries_portable,
	.fields = &sheaf_fields_neon,
};
#endif
