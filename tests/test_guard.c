/* SPDX-License-Identifier: MIT */
/* Reading and printing bytes without kernels, at every length up to 300, between protected memory: at its
 * beginning, and at its end. The results are the same at both. */
#include "guard.h"
#include "number/date.h"
#include "number/kernels/kernel.h"
#include "number/kernels/marks.h"
#include "number/kernels/stream.h"
#include "number/nonfinite.h"
#include "number/number.h"
#include "number/shuffle.h"
#include "number/spell.h"
#include "texts.h"
#include <string.h>

enum { ROOM = 4096, LENGTHS = 300 };

static uint8_t *from_room, *to_room;

static int map_rooms(void **state)
{
	(void)state;
	from_room = (uint8_t *)guard_map(ROOM);
	to_room = (uint8_t *)guard_map(ROOM);
	return !from_room || !to_room;
}

static int unmap_rooms(void **state)
{
	(void)state;
	guard_unmap(from_room, ROOM);
	guard_unmap(to_room, ROOM);
	return 0;
}

/* ---- scanners ---- */

/* Everything that the scanners report about a text, with places as distances from its beginning. */
typedef struct said {
	sheaf_scanned f32, f64, u64;
	float real32;
	double real64, nonfinite;
	uint64_t whole;
	int64_t seconds, offset;
	ptrdiff_t ends[6];
} said;

static said scan_all(const char *at, const char *end)
{
	said s;
	memset(&s, 0, sizeof s);
	s.f32 = sheaf_scan_f32(at, end, &s.real32);
	s.f64 = sheaf_scan_f64(at, end, &s.real64);
	s.u64 = sheaf_scan_u64(at, end, &s.whole);
	const char *word =
		(const char *)sheaf_scan_nonfinite((const uint8_t *)at, (const uint8_t *)end, &s.nonfinite);
	const char *date = sheaf_scan_datetime(at, end, &s.seconds);
	const char *offset = sheaf_scan_offset(at, end, &s.offset);
	const char *const ends[] = {s.f32.end, s.f64.end, s.u64.end, word, date, offset};
	for (size_t k = 0; k < COUNT(ends); k++) s.ends[k] = ends[k] ? ends[k] - at : -1;
	if (!date) s.seconds = 0;
	if (!offset) s.offset = 0;
	return s;
}

static void assert_same(const said *a, const said *b)
{
	assert_memory_equal(&a->real32, &b->real32, sizeof a->real32);
	assert_memory_equal(&a->real64, &b->real64, sizeof a->real64);
	assert_memory_equal(&a->nonfinite, &b->nonfinite, sizeof a->nonfinite);
	assert_memory_equal(a->ends, b->ends, sizeof a->ends);
	assert_true(a->whole == b->whole && a->seconds == b->seconds && a->offset == b->offset);
	assert_true(a->f32.flaw == b->f32.flaw && a->f64.flaw == b->f64.flaw && a->u64.flaw == b->u64.flaw);
	assert_true(a->f32.infinite == b->f32.infinite && a->f64.infinite == b->f64.infinite);
	assert_true(a->f32.unusual == b->f32.unusual && a->f64.unusual == b->f64.unusual);
}

/* The bytes after the text in the middle of memory would continue any number. */
static void scan_everywhere(const char *text, size_t size)
{
	char middle[64 + LENGTHS + 64];
	memset(middle, '1', sizeof middle);
	memcpy(middle + 64, text, size);
	said wanted = scan_all(middle + 64, middle + 64 + size);
	char *const places[] = {(char *)from_room, (char *)from_room + ROOM - size};
	for (size_t k = 0; k < COUNT(places); k++) {
		memcpy(places[k], text, size);
		said found = scan_all(places[k], places[k] + size);
		assert_same(&wanted, &found);
	}
}

static void test_scanners(void **state)
{
	static const char *const words[] = {"-infinity",
	                                    "+NaN",
	                                    "inf",
	                                    "2012-05-25T14:13:29",
	                                    "-12012-05-25 14:13:29",
	                                    "+02:00",
	                                    "-00:30:59",
	                                    "1e+0000400",
	                                    ".5e-",
	                                    "0.000000000000000000000000000000000000000000000000000001e54",
	                                    "18446744073709551616",
	                                    "9007199254740993.00000000000000000000000000000000000000000001"};
	static made_text t;
	(void)state;
	seed_random(1);
	for (size_t w = 0; w < COUNT(words); w++)
		for (size_t size = 0; size <= strlen(words[w]); size++) scan_everywhere(words[w], size);
	for (int round = 0; round < 2000; round++) {
		t.size = 0;
		round % 2 ? put_number(&t) : put_midpoint(&t);
		while (round % 5 == 0 && t.size < LENGTHS) put(&t, "0123456789");
		for (size_t size = 0; size <= t.size && size <= LENGTHS; size++) scan_everywhere(t.data, size);
	}
}

/* ---- bytes ---- */

static void test_marks(void **state)
{
	static const uint8_t wanted[SHEAF_MARKS] = {',', '\n', '"', ';'};
	static const char likes[] = ",\n\";abc-+\x80\xff";
	(void)state;
	seed_random(2);
	for (size_t size = 0; size <= LENGTHS; size++)
		for (int side = 0; side < 2; side++) {
			uint8_t *text = side ? from_room + ROOM - size : from_room;
			sheaf_marks marks;
			memset(from_room, ',', ROOM);
			for (size_t i = 0; i < size; i++) text[i] = (uint8_t)likes[random_below(sizeof likes - 1)];
			sheaf_marks_begin(&marks, text, text + size, wanted);
			for (size_t i = 0; i < size; i++)
				if (memchr(wanted, text[i], sizeof wanted))
					assert_ptr_equal(sheaf_marks_next(&marks), text + i);
			assert_null(sheaf_marks_next(&marks));
		}
}

typedef void mover(const uint8_t *from, uint8_t *to, size_t size, size_t width);

static void stream(const uint8_t *from, uint8_t *to, size_t size, size_t width)
{
	(void)width;
	sheaf_stream(to, from, size);
	sheaf_stream_end();
}

/* The same bytes, at the beginning and at the end; bytes beside them stay. */
static void move_everywhere(mover *move, size_t size, size_t width)
{
	uint8_t first[LENGTHS + 1];
	for (int side = 0; side < 2; side++) {
		size_t at = side ? ROOM - size : 0;
		memset(to_room, 0x5a, ROOM);
		for (size_t i = 0; i < size; i++) from_room[at + i] = (uint8_t)(i * 37);
		move(from_room + at, to_room + at, size, width);
		if (!side) memcpy(first, to_room, size);
		assert_memory_equal(first, to_room + at, size);
		for (size_t i = 0; i < ROOM; i++)
			if (i < at || i >= at + size) assert_int_equal(to_room[i], 0x5a);
	}
}

static void test_moved_bytes(void **state)
{
	(void)state;
	for (size_t size = 0; size <= LENGTHS; size++) {
		move_everywhere(stream, size, 1);
		for (size_t width = 1; width <= 17; width++) {
			move_everywhere(sheaf_shuffle, size, width);
			move_everywhere(sheaf_unshuffle, size, width);
		}
	}
}

/* ---- printing ---- */

static double any_double(void)
{
	uint64_t bits = random_below(3) ? next_random() : next_random() >> random_below(64);
	double v;
	memcpy(&v, &bits, sizeof v);
	return random_below(3) ? v : (double)random_below(1 << 20) / 1024;
}

/* Printers may use all of the room that they ask for, and no more. */
static void print_everywhere(double v, const sheaf_spelling *spelled, const sheaf_spelling *narrow, size_t k)
{
	char wanted[SHEAF_NUMBER_MAX];
	ptrdiff_t size = sheaf_print_f64(wanted, v) - wanted;
	char *const places[] = {(char *)to_room, (char *)to_room + ROOM - SHEAF_NUMBER_MAX};
	for (size_t p = 0; p < COUNT(places); p++) {
		assert_int_equal(sheaf_print_f64(places[p], v) - places[p], size);
		assert_memory_equal(places[p], wanted, (size_t)size);
		assert_int_equal(sheaf_print_spelled_f64(places[p], spelled, k) - places[p], size);
		assert_memory_equal(places[p], wanted, (size_t)size);
		ptrdiff_t narrow_size = sheaf_print_f32(places[p], (float)v) - places[p];
		assert_int_equal(sheaf_print_spelled_f32(places[p], narrow, k) - places[p], narrow_size);
		sheaf_print_u64(places[p], next_random() >> random_below(64));
		sheaf_print_i64(places[p], (int64_t)next_random());
	}
}

static void print_dates(void)
{
	sheaf_day day = {0};
	int64_t seconds = (int64_t)next_random() >> random_below(64);
	char *const places[] = {(char *)to_room, (char *)to_room + ROOM - SHEAF_DATE_MAX};
	for (size_t p = 0; p < COUNT(places); p++) {
		sheaf_print_datetime(places[p], seconds, 'T');
		sheaf_print_datetime_near(places[p], seconds, ' ', &day);
		sheaf_print_datetime_near(places[p], seconds + 1, ' ', &day);
		sheaf_print_offset(places[p], seconds % 86400);
	}
}

static void test_printing(void **state)
{
	(void)state;
	seed_random(3);
	for (int kernel = 0; sheaf_kernels[kernel]; kernel++) {
		sheaf_kernel_use(sheaf_kernels[kernel]->name);
		for (int round = 0; round < 600; round++) {
			size_t n = (size_t)random_below(SHEAF_SPELLED + 1);
			double *values = (double *)(void *)(from_room + (round % 2 ? ROOM - n * sizeof(double) : 0));
			float *floats = (float *)(void *)(to_room + (round % 2 ? ROOM - n * sizeof(float) : 0));
			sheaf_spelling spelled, narrow;
			for (size_t k = 0; k < n; k++) values[k] = any_double();
			for (size_t k = 0; k < n; k++) floats[k] = (float)values[k];
			sheaf_spell_f64(&spelled, values, n);
			sheaf_spell_f32(&narrow, floats, n);
			for (size_t k = 0; k < n; k++) print_everywhere(values[k], &spelled, &narrow, k);
			print_dates();
		}
	}
	sheaf_kernel_use(NULL);
}

/* ---- the guard itself ---- */

static void test_the_guard_guards(void **state)
{
	enum { SIZE = 100 };
	(void)state;
	for (int side = GUARD_BEHIND; side <= GUARD_BEFORE; side++) {
		guard_allocator guard = {.side = (guard_side)side};
		uint8_t *block = (uint8_t *)guard_reallocate(&guard, NULL, 0, SIZE);
		assert_non_null(block);
		assert_int_equal(guard.blocks, 1);
		assert_int_equal((uintptr_t)(side == GUARD_BEFORE ? block : block + SIZE + 4) % ROOM, 0);
		for (size_t i = 0; i < SIZE; i++) block[i] = (uint8_t)i;
		block = (uint8_t *)guard_reallocate(&guard, block, SIZE, 2 * SIZE);
		for (size_t i = 0; i < SIZE; i++) assert_int_equal(block[i], i);
		guard_reallocate(&guard, block, 2 * SIZE, 0);
		assert_int_equal(guard.blocks, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_guard_guards),
		cmocka_unit_test(test_scanners),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_moved_bytes),
		cmocka_unit_test(test_printing),
	};
	return cmocka_run_group_tests_name("guard", tests, map_rooms, unmap_rooms);
}
