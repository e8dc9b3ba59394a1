/* SPDX-License-Identifier: MIT */
/* Line feeds: each kernel finds what memchr finds, at every place in a block, and touches nothing beside the
 * text. */
#include "number/kernels/kernel.h"
#include "number/kernels/lines.h"
#include "numbers.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, TEXT = 4 * PAGE };

/* Text between two pages that nobody may touch. */
static uint8_t *text;

static int map_text(void **state)
{
	uint8_t *pages = (uint8_t *)mmap(NULL, TEXT + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	text = pages + PAGE;
	seed(state);
	return (void *)pages == MAP_FAILED || mprotect(text, TEXT, PROT_READ | PROT_WRITE);
}

static int unmap_text(void **state)
{
	(void)state;
	return munmap(text - PAGE, TEXT + 2 * PAGE);
}

/* Bytes that differ from a line feed in one bit, or in the highest only, among others. */
static void fill(uint8_t *at, const uint8_t *end, int rarity)
{
	static const uint8_t likes[] = {'\n' ^ 1, '\n' ^ 2, '\n' | 0x80, 0,    0xff,        '\n' - 1,
	                                '\n' + 1, '|',      '\r',        '\r', '\r' | 0x80, '\r' ^ 1};
	while (at < end) *at++ = pick(rarity) ? likes[pick(COUNT(likes))] : '\n';
}

static void compare(const uint8_t *at, const uint8_t *end)
{
	sheaf_lines lines;
	int64_t n = 0;
	sheaf_lines_begin(&lines, at, end);
	for (const uint8_t *feed = at;
	     feed < end && (feed = (const uint8_t *)memchr(feed, '\n', (size_t)(end - feed))); n++)
		assert_ptr_equal(sheaf_lines_next(&lines), ++feed);
	assert_null(sheaf_lines_next(&lines));
	assert_null(sheaf_lines_next(&lines));
	assert_int_equal(sheaf_count_feeds(at, end), n);
	int64_t ends = 0;
	for (const uint8_t *c = at; c < end; c++)
		ends += *c == '\r' || (*c == '\n' && (c == at || c[-1] != '\r'));
	assert_int_equal(sheaf_count_ends(at, end), ends);
}

static void check_kernel(void)
{
	static const int rarities[] = {1, 2, 30, 1000, 1000000};
	uint8_t *end = text + TEXT;
	for (int i = 0; i < 300; i++) { /* every length of some blocks at the end of memory, and at its start */
		fill(end - i, end, rarities[i % 5]);
		compare(end - i, end);
		fill(text, text + i, rarities[i % 5]);
		compare(text, text + i);
	}
	for (int i = 0; i < 200; i++) { /* several batches */
		uint8_t *from = text + pick(200), *to = end - pick(200);
		fill(from, to, rarities[i % 5]);
		compare(from, to);
	}
	for (int i = 0; i < 3 * SHEAF_LINES_BLOCK; i++) { /* one feed at each place */
		memset(text, 'x', TEXT);
		text[PAGE + i] = '\n';
		compare(text, end);
		compare(text + PAGE + i, end);
		compare(text, text + PAGE + i);
		text[PAGE + i - 1] = '\r';
		compare(text, end);
		compare(text + i % SHEAF_LINES_BLOCK, end);
	}
}

static void test_every_kernel(void **unused UNUSED)
{
	int tried = 0;
	for (int k = 0; sheaf_kernels[k]; k++) {
		if (!sheaf_kernels[k]->is_available()) continue;
		print_message("# kernel %s\n", sheaf_kernels[k]->name);
		sheaf_kernel_use(sheaf_kernels[k]->name);
		check_kernel();
		tried++;
	}
	sheaf_kernel_use(NULL);
	assert_true(tried >= 2);
}

static void test_nothing(void **unused UNUSED)
{
	sheaf_lines lines;
	sheaf_lines_begin(&lines, text, text);
	assert_null(sheaf_lines_next(&lines));
	assert_int_equal(sheaf_count_feeds(text, text), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing), cmocka_unit_test(test_every_kernel)};
	return cmocka_run_group_tests_name("lines", tests, map_text, unmap_text);
}
