/* SPDX-License-Identifier: MIT */
/* Kernels of entries against the scanner, line by line: what they read has the same bits, they may leave
 * anything, but they do read what every file has. */
#include "number/number.h"
#include "texts.h"
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 512, LIMIT = 50000000 };

/* The kind of lines that are being read. */
static int coordinates, numbers;
static bool integers, wide;
static int64_t left; /* lines that kernels other than the scalar one left */

/* ---- the judge ---- */

typedef struct entry {
	int64_t at[SHEAF_ENTRIES_MOST];
	uint64_t values[2];
} entry;

static const char *pass_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t')) at++;
	return at;
}

static const char *judge_value(const char *at, const char *end, uint64_t *out)
{
	double real;
	uint64_t magnitude;
	bool negative = *at == '-';
	if (!integers) {
		sheaf_scanned scanned = sheaf_scan_f64(at, end, &real);
		memcpy(out, &real, sizeof real);
		return scanned.flaw || scanned.infinite ? NULL : scanned.end;
	}
	sheaf_scanned scanned = sheaf_scan_u64(at + negative, end, &magnitude);
	*out = negative ? 0 - magnitude : magnitude;
	return scanned.flaw ? NULL : scanned.end;
}

/* Whether the line is an entry of its kind without findings, and which one. */
static bool judge(const char *at, const char *end, entry *e)
{
	*e = (entry){{0}, {0}};
	for (int c = 0; c < coordinates + numbers; c++) {
		const char *first = pass_space(at, end);
		uint64_t value;
		if (c && first == at) return false;
		at = first;
		if (c < coordinates) {
			sheaf_scanned scanned = sheaf_scan_u64(at, end, &value);
			if (scanned.flaw || value < 1 || value > LIMIT) return false;
			e->at[c] = (int64_t)value - 1;
			at = scanned.end;
		} else if (at == end || !(at = judge_value(at, end, &e->values[c - coordinates]))) {
			return false;
		}
	}
	at = pass_space(at, end);
	if (at < end && *at == '\r') at++;
	return at == end;
}

/* ---- the kernels ---- */

static void check_line(const sheaf_entries *run, size_t r, const char *at, const char *end)
{
	entry e;
	const uint64_t *values = (const uint64_t *)run->values;
	bool sound = judge(at, end, &e);
	for (int c = 0; sound && c < coordinates; c++)
		sound = e.at[c] == (wide ? ((const int64_t *)run->to[c])[r] : ((const int32_t *)run->to[c])[r]);
	for (int k = 0; sound && k < numbers; k++) sound = e.values[k] == values[r * (size_t)numbers + (size_t)k];
	if (!sound) fail_msg("not read as the scanner reads it: %.*s", (int)(end - at), at);
}

static void check_entries(const sheaf_kernel *kernel, const char *text, size_t size)
{
	static int64_t to[SHEAF_ENTRIES_MOST][MOST_LINES + 1];
	static uint64_t values[2 * MOST_LINES + 2];
	sheaf_entries run = {.at = (const uint8_t *)text,
	                     .end = (const uint8_t *)text + size,
	                     .coordinates = coordinates,
	                     .numbers = numbers,
	                     .integers = integers};
	run.values = values;
	run.room = 1 + (size_t)random_below(MOST_LINES);
	for (int c = 0; c < coordinates; c++) run.to[c] = to[c], run.wide[c] = wide, run.limits[c] = LIMIT;
	while (run.at < run.end && run.room > run.count) {
		const char *at = (const char *)run.at;
		size_t before = run.count;
		values[run.room * (size_t)numbers] = 77; /* after the room */
		kernel->entries(&run);
		assert_true(run.count <= run.room && run.at <= run.end);
		assert_int_equal(values[run.room * (size_t)numbers], 77);
		for (size_t r = before; r < run.count; r++) {
			const char *feed = (const char *)memchr(at, '\n', (size_t)(run.end - (const uint8_t *)at));
			assert_non_null(feed);
			check_line(&run, r, at, feed);
			at = feed + 1;
		}
		assert_ptr_equal(at, run.at);
		const uint8_t *feed = (const uint8_t *)memchr(run.at, '\n', (size_t)(run.end - run.at));
		left += run.count < run.room && strcmp(kernel->name, "scalar") != 0 && run.end - run.at > 600;
		run.at = feed ? feed + 1 : run.end;
	}
}

static void put_coordinate(made_text *t)
{
	char word[32];
	int64_t most = 1;
	for (int64_t d = random_below(9); d > 0; d--) most *= 10;
	snprintf(word, sizeof word, "%lld", (long long)random_below(most) + (random_below(20) > 0));
	put(t, word);
}

static void put_line(made_text *t, bool plain)
{
	int n = coordinates + numbers;
	for (int c = 0; c < n; c++) {
		if (c < coordinates)
			put_coordinate(t);
		else if (random_below(3))
			put(t, random_below(2) ? "-" : ""), put_number(t);
		else
			put_midpoint(t);
		if (c + 1 < n) plain ? put(t, " ") : put_space(t);
	}
	static const char *const odd[] = {" ", "\r", " x", "\t", " 1", "", "", "", "-", "."};
	if (!plain) put(t, odd[random_below((int64_t)COUNT(odd))]);
	put(t, "\n");
}

static void make_text(made_text *t, bool plain)
{
	t->size = 0;
	while (t->size < TEXT_ROOM - 1200) put_line(t, plain || random_below(3));
	if (random_below(2)) t->size -= (size_t)random_below(40);
}

static void check_kind(int its_coordinates, int its_numbers, bool are_integers)
{
	enum { TEXTS = 60 };
	static made_text t;
	coordinates = its_coordinates;
	numbers = its_numbers;
	integers = are_integers;
	for (int k = 0; k < TEXTS; k++) {
		wide = k % 2;
		make_text(&t, k % 3 == 0);
		with_kernels(check_entries, t.data, t.size);
	}
}

static void test_kernels_agree_with_the_scanner(void **state)
{
	(void)state;
	seed_random(7001);
	for (int c = 0; c <= SHEAF_ENTRIES_MOST; c++)
		for (int n = c ? 0 : 1; n <= 2; n++) {
			check_kind(c, n, false);
			if (n < 2) check_kind(c, n, true);
		}
}

/* Damage anywhere: no byte may be taken for another. */
static void test_kernels_and_damaged_bytes(void **state)
{
	static const char bytes[] = "0123456789 \t\r\n.-+eE%x\x00\xff/:";
	static made_text t;
	(void)state;
	seed_random(7002);
	for (int k = 0; k < 400; k++) {
		coordinates = k % 4;
		numbers = coordinates ? k / 4 % 3 : 1;
		integers = k / 16 % 2 && numbers < 2;
		wide = false;
		make_text(&t, true);
		for (int d = 0; d < 40; d++)
			t.data[random_below((int64_t)t.size)] = bytes[random_below((int64_t)sizeof bytes - 1)];
		with_kernels(check_entries, t.data, t.size);
	}
}

/* Spellings at the edges of what kernels read, each in every lane, between plain lines. */
static void test_edges_of_numbers(void **state)
{
	static const char *const words[] = {
		"0",
		"-0",
		"0.0",
		"00.5",
		"5.",
		"5.e3",
		".5",
		"-.5",
		"+1",
		"1e5",
		"1E-5",
		"1e+05",
		"1e",
		"1e+",
		"1d5",
		"1D-05",
		"1e-0000005",
		"1e0000000005",
		"1e99999999999",
		"12345678.12345678",
		"123456789.5",
		"1234567.123456789012",
		"12345678.12345678901",
		"12345678.123456789012",
		"0.1234567890123456",
		"0.12345678901234567",
		"0.123456789012345678",
		"0.1234567890123456789",
		"0.12345678901234567891",
		"0.000123456789012345678901",
		"0.0001843999999999999999999",
		"0.000184499999999999999999",
		"0.00000001844999999999999999",
		"0.9007199254740993",
		"9007199254740993",
		"90071992.54740993",
		"9007199254740992.5",
		"0.00000000000000000000000000000000001",
		"4.9406564584124654e-324",
		"2.4703282292062327e-324",
		"2.2250738585072011e-308",
		"2.2250738585072014e-308",
		"1.7976931348623157e308",
		"1.7976931348623159e308",
		"1e-300",
		"1e-301",
		"-1e400",
		"1e309",
		"0.1e400",
		"0.0e400",
		"1e-400",
		"1e288",
		"1e289",
		"9.999999999999999e22",
		"1.0000000000000002220446049250313",
		"1.00000000000000011102",
		"0.500000000000000166533453693773481063544750213623046875",
		"1..5",
		"1.5.5",
		"1-5",
		"--1",
		"-",
		".",
		"1:5",
		"1;",
		"0x10",
		"1e5e5",
		"1.5e5.5",
		"nan",
		"inf",
		"1_0",
		"12345678901234567890",
		"0.3e1 ",
		"1/2",
		"1e:5",
	};
	static made_text t;
	(void)state;
	seed_random(7004);
	for (int kind = 0; kind < 4; kind++) {
		coordinates = kind == 3 ? 0 : 2 + kind % 2;
		numbers = 1 + (kind == 2);
		integers = wide = false;
		for (size_t w = 0; w < COUNT(words); w++) {
			for (t.size = 0; t.size < 6000;) {
				int lane = (int)random_below(9);
				for (int k = 0; k <= lane; k++) {
					for (int c = 0; c < coordinates; c++) put_coordinate(&t), put(&t, " ");
					if (numbers == 2) put(&t, random_below(2) ? "-2.5 " : "1e-7 ");
					put(&t, k < lane ? "0.8444218515250481" : words[w]);
					put(&t, "\n");
				}
			}
			with_kernels(check_entries, t.data, t.size);
		}
	}
}

/* Every length, so that the last number stands in every lane and at every place of a block. */
static void test_every_length(void **state)
{
	enum { BEGIN = 1100, END = 1500 };
	static made_text t;
	(void)state;
	seed_random(7005);
	wide = false;
	for (int kind = 0; kind < 12; kind++) {
		coordinates = kind % 6;
		numbers = coordinates ? kind / 6 + (kind == 8) : 1;
		integers = kind % 5 == 2 && numbers < 2;
		for (t.size = 0; t.size < END;) put_line(&t, true);
		for (size_t size = 0; size <= 300; size++) with_kernels(check_entries, t.data, size);
		for (size_t size = BEGIN; size <= END; size++) with_kernels(check_entries, t.data, size);
		for (size_t k = 0; k <= 64; k++) with_kernels(check_entries, t.data + k, END - k);
	}
}

/* Common lines are not left. */
static void test_plain_lines_are_read(void **state)
{
	static const char *const lines[] = {"%lld %lld 0.%016lld\n",      "%lld %lld -1.%06llde-05\n",
	                                    "%lld %lld %lld\n",           "%lld\t%lld\t-%lld.5\n",
	                                    "%lld %lld 1.%03lldE+10\r\n", "%lld %lld -0.%017lld\n"};
	static made_text t;
	(void)state;
	seed_random(7003);
	coordinates = 2, numbers = 1, integers = wide = false;
	for (size_t k = 0; k < COUNT(lines); k++) {
		for (t.size = 0; t.size < TEXT_ROOM - 200;) {
			char word[100];
			snprintf(word, sizeof word, lines[k], 1 + random_below(1000000), 1 + random_below(1000000),
			         random_below(10000000));
			put(&t, word);
		}
		left = 0;
		with_kernels(check_entries, t.data, t.size);
		assert_int_equal(left, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kernels_agree_with_the_scanner, map_guarded, unmap_guarded),
		cmocka_unit_test_setup_teardown(test_kernels_and_damaged_bytes, map_guarded, unmap_guarded),
		cmocka_unit_test_setup_teardown(test_edges_of_numbers, map_guarded, unmap_guarded),
		cmocka_unit_test_setup_teardown(test_every_length, map_guarded, unmap_guarded),
		cmocka_unit_test_setup_teardown(test_plain_lines_are_read, map_guarded, unmap_guarded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
