/* SPDX-License-Identifier: MIT */
/* Which kernel reads: chosen once, at run time. */
#include "number/kernels/kernel.h"
#include "number/kernels/find.h"
#include "number/kernels/kernel_parts.h"
#include "number/kernels/words.h"
#include <sheaf/base.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool always(void) { return true; }
static void leave_all(sheaf_numbers *run) { (void)run; }
static void leave_entries(sheaf_entries *run) { (void)run; }
static size_t skip_nothing(const uint8_t *s, size_t i, size_t n) { return (void)s, (void)n, i; }

/* Leaves all numbers to the scanner. */
static const sheaf_kernel scalar = {
	.name = "scalar",
	.is_available = always,
	.dense_f32 = leave_all,
	.dense_f64 = leave_all,
	.pairs_f32 = leave_all,
	.pairs_f64 = leave_all,
	.whole_i32 = leave_all,
	.find_feeds = sheaf_find_feeds_scalar,
	.count_feeds = sheaf_count_feeds_scalar,
	.count_ends = sheaf_count_ends_scalar,
	.find_any = sheaf_find_any_scalar,
	.skip_utf8 = skip_nothing,
	.copy_words = sheaf_copy_words_scalar,
	.copy_reals = sheaf_copy_reals_scalar,
	.entries = leave_entries,
	.fields = &sheaf_fields_scalar,
};

const sheaf_kernel *const sheaf_kernels[] = {&scalar,
                                             &sheaf_kernel_portable,
#ifdef SHEAF_KERNEL_X86
                                             &sheaf_kernel_avx2,
                                             &sheaf_kernel_avx512,
#endif
#ifdef SHEAF_KERNEL_NEON
                                             &sheaf_kernel_neon,
#endif
                                             NULL};

static _Atomic(const sheaf_kernel *) chosen;

/* The fastest available kernel, up to the one called `most`; of all kernels if that is NULL or no name of
 * one. */
static const sheaf_kernel *choose(const char *most)
{
	const sheaf_kernel *best = &scalar, *named = NULL;
	for (int i = 0; most && sheaf_kernels[i]; i++)
		if (strcmp(sheaf_kernels[i]->name, most) == 0) named = sheaf_kernels[i];
	for (int i = 0; sheaf_kernels[i]; i++) {
		if (sheaf_kernels[i]->is_available()) best = sheaf_kernels[i];
		if (sheaf_kernels[i] == named) break;
	}
	return best;
}

/* Two threads that choose at the same time choose the same. */
const sheaf_kernel *sheaf_kernel_chosen(void)
{
	const sheaf_kernel *kernel = atomic_load_explicit(&chosen, memory_order_acquire);
	if (kernel) return kernel;
	kernel = choose(getenv("SHEAF_KERNEL"));
	atomic_store_explicit(&chosen, kernel, memory_order_release);
	return kernel;
}

void sheaf_kernel_use(const char *name)
{
	atomic_store_explicit(&chosen, name ? choose(name) : NULL, memory_order_release);
}

/* ---- calls of the chosen one ---- */

const uint8_t *sheaf_find_any(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted)
{
	return sheaf_kernel_chosen()->find_any(at, end, wanted);
}

void sheaf_copy_words(uint32_t *to, const uint8_t *from, size_t n)
{
	sheaf_kernel_chosen()->copy_words(to, from, n);
}
void sheaf_copy_reals(uint32_t *to, const uint8_t *from, size_t n)
{
	sheaf_kernel_chosen()->copy_reals(to, from, n);
}
