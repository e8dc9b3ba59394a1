/* SPDX-License-Identifier: MIT */
/* Kernels that work on many bytes at a time without reading numbers: each does the same as a loop over
 * single bytes, at every place in a block, and touches nothing beside its input. */
#include "base/endian.h"
#include "number/kernels/kernel.h"
#include "number/kernels/kernel_parts.h"
#include "numbers.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, ROOM = 4 * PAGE };

/* Memory between protected pages: to read from, and to write to. */
static uint8_t *from_room, *to_room;

static uint8_t *map_one(void)
{
	uint8_t *pages = (uint8_t *)mmap(NULL, ROOM + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return (void *)pages == MAP_FAILED || mprotect(pages + PAGE, ROOM, PROT_READ | PROT_WRITE) ? NULL
	                                                                                           : pages + PAGE;
}

static int map_rooms(void **state)
{
	seed(state);
	from_room = map_one();
	to_room = map_one();
	return !from_room || !to_room;
}

static int unmap_rooms(void **state)
{
	(void)state;
	return munmap(from_room - PAGE, ROOM + 2 * PAGE) || munmap(to_room - PAGE, ROOM + 2 * PAGE);
}

static void with_each(void (*check)(const sheaf_kernel *kernel))
{
	int tried = 0;
	for (int k = 0; sheaf_kernels[k]; k++) {
		if (!sheaf_kernels[k]->is_available()) continue;
		check(sheaf_kernels[k]);
		tried++;
	}
	assert_true(tried >= 2);
}

/* ---- words ---- */

/* Bits around those of infinities and NaNs, in any order of bytes. */
static void fill_words(uint8_t *at, size_t n)
{
	static const uint32_t telling[] = {0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fc00000,
	                                   0xffc00000, 0xffffffff, 0x7fffffff, 0x80000000, 0};
	for (size_t i = 0; i < n; i++)
		sheaf_store_u32be(at + 4 * i, pick(2) ? telling[pick(COUNT(telling))] : (uint32_t)next_random());
}

static void compare_words(sheaf_word_copier *copier, sheaf_word_copier *plain, size_t n, bool at_end)
{
	static uint32_t wanted[ROOM / 4];
	size_t bytes = 4 * n;
	const uint8_t *from = at_end ? from_room + ROOM - bytes : from_room;
	uint32_t *to = (uint32_t *)(void *)(at_end ? to_room + ROOM - bytes : to_room);
	fill_words((uint8_t *)(uintptr_t)from, n);
	memset(to_room, 0x5a, ROOM);
	plain(wanted, from, n);
	copier(to, from, n);
	assert_memory_equal(to, wanted, bytes);
	for (const uint8_t *c = to_room; c < to_room + ROOM; c++)
		if (c < (uint8_t *)to || c >= (uint8_t *)to + bytes) assert_int_equal(*c, 0x5a);
}

static void check_words(const sheaf_kernel *kernel)
{
	for (size_t n = 0; n < 200; n++) {
		compare_words(kernel->copy_words, sheaf_copy_words_scalar, n, n % 2);
		compare_words(kernel->copy_reals, sheaf_copy_reals_scalar, n, n % 2);
	}
	compare_words(kernel->copy_words, sheaf_copy_words_scalar, ROOM / 4, true);
	compare_words(kernel->copy_reals, sheaf_copy_reals_scalar, ROOM / 4, true);
}

static void test_words(void **unused UNUSED) { with_each(check_words); }

/* The loop over single words. */
static void test_meaning(void **unused UNUSED)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 0xff, 0x80, 0, 1, 0x7f, 0x80, 0, 0, 0x80, 0, 0, 0};
	uint32_t words[4], reals[4];
	sheaf_copy_words_scalar(words, bytes, 4);
	sheaf_copy_reals_scalar(reals, bytes, 4);
	assert_int_equal(words[0], 0x01020304);
	assert_int_equal(words[1], 0xff800001);
	assert_int_equal(reals[0], 0x01020304);
	assert_int_equal(reals[1], 0x7fc00000);
	assert_int_equal(reals[2], 0x7f800000);
	assert_int_equal(reals[3], 0x80000000);
}

/* ---- bytes ---- */

static const sheaf_wanted wanted_bytes = {{SHEAF_SIXTEEN(';'), SHEAF_SIXTEEN('n'), SHEAF_SIXTEEN('\0'),
                                           SHEAF_SIXTEEN('{'), SHEAF_SIXTEEN(0xff), SHEAF_SIXTEEN('#')}};

static void compare_finds(const sheaf_kernel *kernel, const uint8_t *at, const uint8_t *end)
{
	for (;; at++) {
		const uint8_t *found = sheaf_find_any_scalar(at, end, &wanted_bytes);
		assert_ptr_equal(kernel->find_any(at, end, &wanted_bytes), found);
		if (found == end) return;
		at = found;
	}
}

static void check_finds(const sheaf_kernel *kernel)
{
	static const uint8_t telling[] = {';', 'n', 0, '{', 0xff, '#', ';' | 0x80, 'n' ^ 1, 1, 0xfe, '"', ':'};
	for (int round = 0; round < 2000; round++) {
		int size = pick(300), rarity = 1 + pick(100);
		uint8_t *at = round % 2 ? from_room + ROOM - size : from_room;
		for (int i = 0; i < size; i++) at[i] = pick(rarity) ? 'x' : telling[pick(COUNT(telling))];
		compare_finds(kernel, at, at + size);
	}
}

static void test_finds(void **unused UNUSED) { with_each(check_finds); }

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_meaning), cmocka_unit_test(test_words),
	                                   cmocka_unit_test(test_finds)};
	return cmocka_run_group_tests_name("words", tests, map_rooms, unmap_rooms);
}
