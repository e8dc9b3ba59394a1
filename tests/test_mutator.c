/* SPDX-License-Identifier: MIT */
/* The fuzzers' mutations of binary inputs: they stay within their room, change what they should, and depend
 * only on the seed. */
#include "../fuzz/mutator.h"
#include "support.h"

#include <string.h>

enum { SIZE = 120, ROOM = 160, SEEDS = 20000 };

static int asked; /* how often libFuzzer's own mutation was asked for */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data;
	(void)most;
	asked++;
	return size;
}

/* A header with its length, a count, an offset, and bytes. */
static void make_input(uint8_t data[ROOM + 8])
{
	memset(data, 0xee, ROOM + 8);
	for (int i = 0; i < SIZE; i++) data[i] = (uint8_t)(i * 37);
	memcpy(data + 4, "\x74\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0", 16);
}

static void keeps_within_its_room(void **state)
{
	uint8_t data[ROOM + 8], again[ROOM + 8];
	int changed = 0, longer = 0, shorter = 0;
	(void)state;
	for (unsigned seed = 0; seed < SEEDS; seed++) {
		make_input(data);
		make_input(again);
		size_t size = mutate_binary(data, SIZE, ROOM, seed);
		assert_in_range(size, 1, ROOM);
		for (int i = ROOM; i < ROOM + 8; i++) assert_int_equal(data[i], 0xee);
		assert_int_equal(mutate_binary(again, SIZE, ROOM, seed), size);
		assert_memory_equal(again, data, size);
		make_input(again);
		changed += size != SIZE || memcmp(again, data, SIZE) != 0;
		longer += size > SIZE;
		shorter += size < SIZE;
		assert_memory_equal(again, data, 4); /* a target's choices stay */
	}
	assert_true(changed > SEEDS * 9 / 10 && longer > SEEDS / 20 && shorter > SEEDS / 20);
}

/* The count at byte 4 gets every value that readers get wrong. */
static void reaches_the_limits_of_a_count(void **state)
{
	static const uint32_t wanted[] = {0, 1, 0x73, 0x75, 0xe8, UINT32_MAX, INT32_MAX, (uint32_t)INT32_MAX + 1};
	bool found[sizeof wanted / sizeof *wanted] = {false};
	uint8_t data[ROOM + 8];
	uint32_t count;
	(void)state;
	for (unsigned seed = 0; seed < 10 * SEEDS; seed++) {
		make_input(data);
		if (mutate_binary(data, SIZE, ROOM, seed) < 8) continue;
		memcpy(&count, data + 4, sizeof count);
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) found[i] |= count == wanted[i];
	}
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) assert_true(found[i]);
}

static void leaves_texts_alone(void **state)
{
	uint8_t text[] = "@@??1 |A 1 2 |B 3:4\n", copy[sizeof text];
	(void)state;
	memcpy(copy, text, sizeof text);
	assert_int_equal(mutate_binary(text, sizeof text - 1, sizeof text, 1), 0);
	assert_int_equal(mutate_binary(text, 11, sizeof text, 1), 0);
	assert_memory_equal(text, copy, sizeof text);
	asked = 0;
	assert_int_equal(LLVMFuzzerCustomMutator(text, sizeof text - 1, sizeof text, 1), sizeof text - 1);
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_within_its_room),
		cmocka_unit_test(reaches_the_limits_of_a_count),
		cmocka_unit_test(leaves_texts_alone),
	};
	return cmocka_run_group_tests_name("mutator", tests, NULL, NULL);
}
