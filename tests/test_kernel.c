/* SPDX-License-Identifier: MIT */
/* The kernels: each that this machine has reads what the scanner reads, bit by bit, at every place in a
 * block, beside memory that must not be touched. */
#include "base/show.h"
#include "number/kernels/kernel.h"
#include "number/number.h"
#include "share.h"
#include "texts.h"
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sheaf_delimiters delimiters = {
	.spaces = {' ', '\t'}, .pair = ':', .mark = '|', .feed = '\n', .before_feed = '\r', .comment = '#'};
enum { MOST_NUMBERS = TEXT_ROOM / 2 + SHEAF_NUMBERS_ROOM };

/* ---- numbers ---- */

typedef struct list_kind {
	bool pairs, wide;
} list_kind;

static const list_kind kinds[] = {{false, false}, {false, true}, {true, false}, {true, true}};

typedef struct list {
	list_kind kind;
	_Alignas(double) uint8_t values[MOST_NUMBERS * sizeof(double)];
	int64_t indices[MOST_NUMBERS];
	size_t count;
	int64_t rounded;
	const char *end;
} list;

static sheaf_numbers_reader *reader_of(const sheaf_kernel *kernel, list_kind kind)
{
	if (kind.pairs) return kind.wide ? kernel->pairs_f64 : kernel->pairs_f32;
	return kind.wide ? kernel->dense_f64 : kernel->dense_f32;
}

static bool is_space(char c) { return c == ' ' || c == '\t'; }
static bool ends_number(const char *at) { return is_space(*at) || *at == '|' || *at == '\n' || *at == '\r'; }

/* Digits beyond nine in a value that float32 does not have, as the text format counts them. */
static bool is_rounded(const char *at, const char *end, double read)
{
	double exact;
	char digits[64] = "";
	size_t n = 0;
	sheaf_scan_f64(at, end, &exact);
	for (; at < end && *at != 'e' && *at != 'E'; at++)
		if ((n || *at != '0') && *at >= '0' && *at <= '9' && n < sizeof digits) digits[n++] = *at;
	while (n && digits[n - 1] == '0') n--;
	return n > 9 && exact != read;
}

static const char *scan_value(list *l, const char *at, const char *end)
{
	sheaf_scanned scanned;
	if (l->kind.wide) {
		scanned = sheaf_scan_f64(at, end, (double *)(void *)l->values + l->count);
	} else {
		float value;
		scanned = sheaf_scan_f32(at, end, &value);
		memcpy(l->values + l->count * sizeof value, &value, sizeof value);
		l->rounded += is_rounded(at, scanned.end, (double)value);
	}
	assert_int_equal(SHEAF_NUMBER_OK, scanned.flaw);
	assert_false(scanned.infinite);
	return scanned.end;
}

/* The scanner's result for the text that a kernel has passed. */
static void scan_list(list *l, const char *at, const char *end, const char *text_end)
{
	l->count = 0;
	l->rounded = 0;
	while (at < end) {
		if (is_space(*at)) {
			at++;
			continue;
		}
		if (l->kind.pairs) {
			uint64_t index;
			sheaf_scanned scanned = sheaf_scan_u64(at, text_end, &index);
			assert_int_equal(SHEAF_NUMBER_OK, scanned.flaw);
			assert_int_equal(':', *scanned.end);
			l->indices[l->count] = (int64_t)index;
			at = scanned.end + 1;
		}
		at = scan_value(l, at, text_end);
		l->count++;
		assert_true(at < text_end && ends_number(at));
	}
	assert_true(at == end);
}

static void kernel_list(list *l, const sheaf_kernel *kernel, const char *text, size_t size, uint64_t limit)
{
	sheaf_numbers run = {.delimiters = &delimiters,
	                     .at = (const uint8_t *)text,
	                     .end = (const uint8_t *)text + size,
	                     .values = l->values};
	run.indices = l->indices;
	run.room = MOST_NUMBERS;
	run.limit = limit;
	run.wide_indices = true;
	reader_of(kernel, l->kind)(&run);
	l->count = run.count;
	l->rounded = run.rounded;
	l->end = (const char *)run.at;
}

/* The kernel reads what the scanner reads. Returns how far it came. */
static size_t compare_list(const sheaf_kernel *kernel, list_kind kind, const char *text, size_t size)
{
	static list found, wanted;
	found.kind = wanted.kind = kind;
	kernel_list(&found, kernel, text, size, INT64_MAX);
	scan_list(&wanted, text, found.end, text + size);
	size_t width = kind.wide ? sizeof(double) : sizeof(float);
	for (size_t i = 0; i < wanted.count; i++)
		if (i >= found.count || memcmp(found.values + i * width, wanted.values + i * width, width) ||
		    (kind.pairs && found.indices[i] != wanted.indices[i]))
			fail_msg("%s: number %zu of \"%.*s\"", kernel->name, i, (int)size, text);
	assert_int_equal(wanted.count, found.count);
	assert_int_equal(wanted.rounded, found.rounded);
	return (size_t)(found.end - text);
}

static void compare_lists(const sheaf_kernel *kernel, const char *text, size_t size)
{
	for (size_t k = 0; k < COUNT(kinds); k++) compare_list(kernel, kinds[k], text, size);
}

/* ---- whole numbers ---- */

/* A kernel reads only digits between spaces, up to the end of the list, with the scanner's values. Returns
 * how far it came. */
static size_t compare_whole(const sheaf_kernel *kernel, const char *text, size_t size)
{
	static int32_t values[MOST_NUMBERS];
	const char *at = text, *end = text + size;
	sheaf_numbers run = {.delimiters = &delimiters,
	                     .at = (const uint8_t *)text,
	                     .end = (const uint8_t *)end,
	                     .values = values,
	                     .room = MOST_NUMBERS};
	kernel->whole_i32(&run);
	for (size_t i = 0; i < run.count; i++) {
		uint64_t value;
		while (is_space(*at)) at++;
		sheaf_scanned scanned = sheaf_scan_u64(at, end, &value);
		assert_int_equal(SHEAF_NUMBER_OK, scanned.flaw);
		if ((uint64_t)values[i] != value)
			fail_msg("%s: number %zu of \"%.*s\"", kernel->name, i, (int)size, text);
		at = scanned.end;
		assert_true(at < end && ends_number(at));
	}
	while (at < (const char *)run.at && is_space(*at)) at++;
	assert_ptr_equal(at, run.at);
	return (size_t)(at - text);
}

static void compare_whole_lists(const sheaf_kernel *kernel, const char *text, size_t size)
{
	compare_whole(kernel, text, size);
}

/* ---- the tests ---- */

static void put_pair(made_text *t)
{
	char word[32];
	snprintf(word, sizeof word, "%" PRIu64 ":",
	         random_below(20) ? (uint64_t)random_below(100000) : next_random() >> random_below(64));
	put(t, word);
	put_number(t);
}

static void test_midpoints(void **state)
{
	(void)state;
	static made_text t;
	seed_random(1);
	for (int made = 0; made < 1000000;) {
		for (t.size = 0; t.size < TEXT_ROOM - 100; made++) {
			put_midpoint(&t);
			put(&t, " ");
		}
		/* A number that a kernel leaves is skipped, so that the next ones are read. */
		for (int i = 1; sheaf_kernels[i]; i++)
			for (size_t at = 0; sheaf_kernels[i]->is_available() && at < t.size;) {
				size_t read = compare_list(sheaf_kernels[i], (list_kind){false, i % 2 == made % 2},
				                           t.data + at, t.size - at);
				at += read;
				at += strcspn(t.data + at, " ") + 1;
			}
	}
}

/* The scanner itself agrees with strtof and strtod. */
static void test_scanner(void **state)
{
	(void)state;
	static made_text t;
	seed_random(2);
	for (int made = 0; made < 300000; made++) {
		t.size = 0;
		if (made % 2)
			put_midpoint(&t);
		else
			put_number(&t);
		t.data[t.size] = '\0';
		float f, wanted_f = strtof(t.data, NULL);
		double d, wanted_d = strtod(t.data, NULL);
		sheaf_scan_f32(t.data, t.data + t.size, &f);
		sheaf_scan_f64(t.data, t.data + t.size, &d);
		if (memcmp(&f, &wanted_f, sizeof f) || memcmp(&d, &wanted_d, sizeof d)) fail_msg("%s", t.data);
	}
}

static void test_lists(void **state)
{
	(void)state;
	static made_text t;
	seed_random(3);
	for (int round = 0; round < rounds(6000); round++) {
		bool pairs = random_below(2);
		t.size = 0;
		for (int n = (int)random_below(40); n >= 0; n--) {
			if (pairs)
				put_pair(&t);
			else
				put_number(&t);
			if (n) put_space(&t);
		}
		put(&t, round % 4 == 0 ? "|" : round % 4 == 1 ? " \n" : round % 4 == 2 ? "\r\n" : "");
		with_kernels(compare_lists, t.data, t.size);
	}
}

/* Each kind of number with each byte of a block as its first. */
static void test_alignment(void **state)
{
	(void)state;
	static const char *const numbers[] = {"7",
	                                      "12",
	                                      "255",
	                                      "999",
	                                      "1000",
	                                      "12345678",
	                                      "123456789",
	                                      "1234567812345678",
	                                      "-0",
	                                      "-3.25",
	                                      "0.5",
	                                      "00.5",
	                                      "1.",
	                                      "0.",
	                                      "123456.78901",
	                                      "0.12345678",
	                                      "0.1234567890123456",
	                                      "0.12345678901234567",
	                                      "-123456789.0123456789",
	                                      "12345678901234567890",
	                                      "0.0000000000000000000000000000000000001",
	                                      "0.00000000000000000000000000000000000012",
	                                      "1234567890123456789e18",
	                                      "1234567890123456789e19",
	                                      "1234567890123456789e20",
	                                      "1e-37",
	                                      "1e-38",
	                                      "12e-40",
	                                      "1e5",
	                                      "-2.5E-07",
	                                      "1.25e+22",
	                                      "9007199254740992",
	                                      "9007199254740993",
	                                      "16777217",
	                                      "0.000000001",
	                                      "0:1",
	                                      "65535:255",
	                                      "12345678:-0.25",
	                                      "123456789:1",
	                                      "7:1.5e3",
	                                      "1:0.0001e-2"};
	static made_text t;
	for (size_t i = 0; i < COUNT(numbers); i++)
		for (int at = 0; at < 64; at++)
			for (int after = 0; after < 3; after++) {
				t.size = 0;
				for (int s = 0; s < at; s++) put(&t, after && s % 2 ? "1" : " ");
				put(&t, at && after ? " " : "");
				put(&t, numbers[i]);
				put(&t, after == 0   ? "|"
				        : after == 1 ? " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n"
				                     : "");
				with_kernels(compare_lists, t.data, t.size);
			}
}

/* Bytes that lists are made of, in any order. */
static void test_soup(void **state)
{
	(void)state;
	static const char bytes[] = "0123456789012345678900000    \t..--+eE::|\n\rx#\x80";
	static made_text t;
	seed_random(4);
	for (int round = 0; round < rounds(100000); round++) {
		t.size = (size_t)random_below(200);
		for (size_t i = 0; i < t.size; i++)
			t.data[i] = bytes[random_below(random_below(4) ? 26 : (int64_t)sizeof bytes - 1)];
		with_kernels(compare_lists, t.data, t.size);
		with_kernels(compare_whole_lists, t.data, t.size);
	}
}

/* ---- texts ---- */

/* What sheaf_utf8_length says of each character. */
static int64_t find_not_utf8(const uint8_t *bytes, const int64_t *ends, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		for (int64_t i = ends[k], length; i < ends[k + 1]; i += length)
			if ((length = (int64_t)sheaf_utf8_length(bytes + i, (size_t)(ends[k + 1] - i))) == 0)
				return k;
	return n;
}

static void compare_texts(const sheaf_kernel *kernel, const char *data, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)data;
	int64_t n = (int64_t)size, ends[][4] = {{0, n, n, n}, {0, n / 3, n / 2, n}, {n / 5, n / 4, n / 2, n}};
	sheaf_kernel_use(kernel->name);
	for (size_t k = 0; k < COUNT(ends); k++)
		if (sheaf_find_not_utf8(bytes, ends[k], 3) != find_not_utf8(bytes, ends[k], 3))
			fail_msg("%s: %zu bytes, %zu", kernel->name, size, k);
	sheaf_kernel_use(NULL);
}

/* Characters of all lengths, at their bounds, many of them or few among ASCII. */
static void put_characters(made_text *t, size_t size)
{
	static const char *const words[] = {
		"\x7f",         "\xc2\x80",         "\xdf\xbf",         "\xe0\xa0\x80", "\xec\xbf\xbf",
		"\xed\x9f\xbf", "\xee\x80\x80",     "\xef\xbf\xbf",     "\xf0\x90\x80\x80",
		"\xf1\x80\x80\x80", "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf"};
	int64_t among = 1 + random_below(20);
	for (t->size = 0; t->size < size;)
		put(t, random_below(among) ? "a" : words[random_below((int64_t)COUNT(words))]);
}

/* Bytes, one or two of which are any. */
static void spoil(made_text *t)
{
	static const char bytes[] = "\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xf8\xff";
	for (int64_t n = 1 + random_below(2); n > 0; n--)
		t->data[random_below((int64_t)t->size)] = bytes[random_below((int64_t)sizeof bytes)];
}

static void test_texts(void **state)
{
	(void)state;
	static made_text t;
	seed_random(12);
	for (int round = 0; round < rounds(20000); round++) {
		put_characters(&t, (size_t)(1 + random_below(300)));
		if (round % 3) spoil(&t);
		with_kernels(compare_texts, t.data, t.size - (round % 5 == 0));
	}
}

/* Each pair of bytes, and each byte after one that begins a character, where blocks begin and within. */
static void test_pairs_of_bytes(void **state)
{
	(void)state;
	char text[200];
	for (int pair = 0; pair < 65536; pair++)
		for (int k = 0; k < 4; k++) {
			size_t at = (size_t[]){67, 66, 65, 100}[k];
			memset(text, 'a', sizeof text);
			text[at] = (char)(pair >> 8);
			text[at + 1] = (char)pair;
			memset(text + at + 2, 0x80, (size_t)k);
			with_kernels(compare_texts, text, sizeof text);
		}
}

/* Every length, at the beginning of memory and at its end: the last number is cut off at each of its bytes.
 */
static void test_every_length(void **state)
{
	enum { LENGTHS = 300 };
	(void)state;
	static made_text t;
	seed_random(8);
	for (int round = 0; round < rounds(40); round++) {
		for (t.size = 0; t.size <= 2 * LENGTHS; put_space(&t))
			round % 2 ? put_pair(&t) : round % 4 ? put_midpoint(&t) : put_number(&t);
		for (size_t size = 0; size <= LENGTHS; size++) {
			size_t from = (size_t)random_below(LENGTHS);
			while (from && !is_space(t.data[from - 1])) from--;
			with_kernels(compare_lists, t.data + from, size);
			with_kernels(compare_whole_lists, t.data + from, size);
		}
	}
}

/* A kernel that reads nothing is right, but useless: plain text must be read to its end, except for the last
 * bytes of memory. */
static void check_use(const sheaf_kernel *kernel, const char *data, size_t size)
{
	bool pairs = memchr(data, ':', size);
	if (strcmp(kernel->name, "scalar") == 0) return;
	for (int wide = 0; wide < 2; wide++) {
		size_t read = compare_list(kernel, (list_kind){pairs, wide}, data, size);
		if (size - read > 80)
			fail_msg("%s stops at %zu of %zu: \"%.40s\"", kernel->name, read, size, data + read);
	}
}

static void test_use(void **state)
{
	(void)state;
	static const char *const formats[] = {"%d ",   "%d.%05d ", "-0.%d ",     "%d.%de-%d ",
	                                      "%d:1 ", "%d:%d.5 ", "%d:-%dE-05 "};
	static made_text t;
	seed_random(5);
	for (size_t f = 0; f < COUNT(formats); f++) {
		for (t.size = 0; t.size < 2000;) {
			char word[64];
			snprintf(word, sizeof word, formats[f], (int)random_below(1000), (int)random_below(100000),
			         (int)random_below(10));
			put(&t, word);
		}
		with_kernels(check_use, t.data, t.size);
	}
}

/* Numbers of as many digits as float64s print: nearly all are read. */
static void check_long_numbers(const sheaf_kernel *kernel, const char *data, size_t size)
{
	if (strcmp(kernel->name, "avx512") != 0) return; /* for the others, one by one is no slower */
	int left = 0;
	for (size_t at = 0; at + 80 < size; left++) {
		at += compare_list(kernel, (list_kind){memchr(data, ':', size), true}, data + at, size - at);
		while (at < size - 1 && data[at] != ' ') at++;
		at++;
	}
	if (left > 20) fail_msg("%s leaves %d: \"%.60s\"", kernel->name, left, data);
}

static void test_use_of_long_numbers(void **state)
{
	(void)state;
	static const char *const formats[] = {"0.%s ", "7:0.0%s ", "-%s%d ", "3:%se-20 ", "0.00%s%d "};
	static made_text t;
	seed_random(6);
	for (size_t f = 0; f < COUNT(formats); f++) {
		for (t.size = 0; t.size < TEXT_ROOM - 100;) {
			char word[128], digits[64];
			snprintf(digits, sizeof digits, "%d%07d%08d", (int)random_below(9) + 1,
			         (int)random_below(10000000), (int)random_below(100000000));
			snprintf(word, sizeof word, formats[f], digits, (int)random_below(900) + 100);
			put(&t, word);
		}
		with_kernels(check_long_numbers, t.data, t.size);
	}
}

static void check_limit(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static list l;
	for (uint64_t limit = 0; limit < 40; limit++) {
		l.kind = (list_kind){true, false};
		kernel_list(&l, kernel, data, size, limit);
		for (size_t i = 0; i < l.count; i++) assert_true((uint64_t)l.indices[i] < limit);
		assert_true(l.end <= data || l.end[-1] == ' ');
	}
}

static void test_limit(void **state)
{
	(void)state;
	static made_text t;
	t.size = 0;
	for (int i = 0; i < 60; i++) {
		char word[32];
		snprintf(word, sizeof word, "%d:%d ", i, i % 3);
		put(&t, word);
	}
	with_kernels(check_limit, t.data, t.size);
}

static void check_rounding_modes(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
	for (size_t m = 0; m < COUNT(modes); m++) {
		fesetround(modes[m]);
		compare_lists(kernel, data, size);
		fesetround(FE_TONEAREST);
	}
}

static void test_rounding_modes(void **state)
{
	(void)state;
	static made_text t;
	seed_random(6);
	t.size = 0;
	while (t.size < 4000) {
		put_number(&t);
		put(&t, " ");
	}
	with_kernels(check_rounding_modes, t.data, t.size);
}

/* Numbers of up to four digits are read to the end of their list; others are left, or read. */
static void check_whole_use(const sheaf_kernel *kernel, const char *data, size_t size)
{
	size_t read = compare_whole(kernel, data, size);
	if (strcmp(kernel->name, "scalar") != 0 && size - read > 10)
		fail_msg("%s stops at %zu of %zu: \"%.40s\"", kernel->name, read, size, data + read);
}

static void test_whole(void **state)
{
	(void)state;
	static const char *const ends[] = {"|", " |", "\n", " \r\n", "-", " -3", " x", ""};
	static const int64_t limits[] = {10, 100, 1000, 10000, 100000000, 10000000000};
	static made_text t;
	seed_random(7);
	for (int round = 0; round < rounds(20000); round++) {
		t.size = 0;
		for (int n = (int)random_below(60); n >= 0; n--) {
			char word[32];
			snprintf(word, sizeof word, random_below(9) ? "%" PRId64 : "%03" PRId64,
			         random_below(limits[random_below(1 + round % 6)]));
			put(&t, word);
			if (n) put_space(&t);
		}
		put(&t, ends[random_below(COUNT(ends))]);
		with_kernels(compare_whole_lists, t.data, t.size);
	}
	for (t.size = 0; t.size < 2000;) put(&t, t.size % 3 ? "17 " : "1234 ");
	with_kernels(check_whole_use, t.data, t.size);
}

/* No more is written than there is room for. */
static void check_room(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static float values[4096 + SHEAF_NUMBERS_ROOM];
	for (size_t room = 0; room < 400; room++) {
		sheaf_numbers run = {.delimiters = &delimiters,
		                     .at = (const uint8_t *)data,
		                     .end = (const uint8_t *)data + size,
		                     .values = values,
		                     .room = room};
		for (size_t i = 0; i < COUNT(values); i++) values[i] = -1;
		kernel->dense_f32(&run);
		assert_true(run.count <= room);
		for (size_t i = room; i < COUNT(values); i++) assert_true(values[i] == -1);
	}
}

static void test_room(void **state)
{
	(void)state;
	static made_text t;
	t.size = 0;
	while (t.size < 1200) put(&t, t.size % 7 ? "5 " : "12.5 ");
	with_kernels(check_room, t.data, t.size);
}

/* ---- the choice ---- */

static void test_choice(void **state)
{
	(void)state;
	const sheaf_kernel *last = NULL;
	sheaf_kernel_use(NULL);
	setenv("SHEAF_KERNEL", "portable", 1);
	assert_string_equal("portable", sheaf_kernel_chosen()->name);
	sheaf_kernel_use(NULL);
	setenv("SHEAF_KERNEL", "no such kernel", 1);
	for (int i = 0; sheaf_kernels[i]; i++)
		if (sheaf_kernels[i]->is_available()) last = sheaf_kernels[i];
	assert_ptr_equal(last, sheaf_kernel_chosen());
	for (int i = 0; sheaf_kernels[i]; i++) {
		sheaf_kernel_use(NULL);
		setenv("SHEAF_KERNEL", sheaf_kernels[i]->name, 1);
		assert_true(sheaf_kernel_chosen() == sheaf_kernels[i] || !sheaf_kernels[i]->is_available());
		assert_true(sheaf_kernel_chosen()->is_available());
	}
	unsetenv("SHEAF_KERNEL");
	sheaf_kernel_use(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scanner),
		cmocka_unit_test(test_midpoints),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_soup),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_pairs_of_bytes),
		cmocka_unit_test(test_use),
		cmocka_unit_test(test_use_of_long_numbers),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_rounding_modes),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_choice),
	};
	return cmocka_run_group_tests(tests, map_guarded, unmap_guarded);
}
