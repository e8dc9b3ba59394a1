/* SPDX-License-Identifier: MIT */
/* Short lines that are alike: kernels read them as the portable one does, byte by byte, and the rows of
 * the text format do not depend on the kernel. */
#include "format/ctf/ctf.h"
#include "number/kernels/kernel_parts.h"
#include "reading.h"
#include "share.h"
#include "texts.h"
#include <stdio.h>
#include <string.h>

/* Lines where each '#' stands for a number. */
static const char *const templates[] = {
	"#\t|S0 #:1\t|S2 #:1\n", "# |S0 #:# #:# |S2 #:#\n",
	"# |S2 #:1 |S0 #:1\n",   "|S0 #:1 |S2 #:1\n",
	"# |S0 #:1\n",           "# |S2 |S0 #:1 #:2 #:3 #:#\r\n",
	"# |D # # # |S0 #:#\n",  "#|S0 #:0.5|D 1 2 3\n",
	"# |S0 #:1 |x12 #:3\n",  "# |S0 #:1 |x012 #:3\n",
	"# |S0 #:1 |S0 #:1\n",   "# |S0 #:1 #:1 #:1 #:1 #:1 #:1 #:1 |S2 #:1\n",
};

/* Mostly short, and mostly below the dims of the streams. */
static void put_whole(made_text *t)
{
	char word[32];
	int64_t most = random_below(100) ? 900 : random_below(3) ? 99999999 : 99999999999;
	snprintf(word, sizeof word, "%s%lld", random_below(200) ? "" : "0", (long long)random_below(most));
	put(t, word);
}

static void put_id(made_text *t, int *id)
{
	char word[32];
	*id += random_below(4) == 0;
	snprintf(word, sizeof word, "%d", *id);
	put(t, word);
}

static void put_alike(made_text *t, const char *template, int *id)
{
	for (const char *at = template; *at; at++) {
		if (at == template && *at == '#')
			put_id(t, id);
		else if (*at == '#')
			put_whole(t);
		else
			put(t, (const char[]){*at, '\0'});
	}
}

/* Lines of a few shapes, most of them of one. */
static void put_lines(made_text *t, size_t size)
{
	enum { LONGEST = 256 };
	const char *usual = templates[random_below((int64_t)COUNT(templates))];
	int id = (int)random_below(120000000);
	int64_t odd = 1 + random_below(400);
	for (t->size = 0; t->size + LONGEST < size;) {
		bool is_odd = random_below(odd) == 0;
		put_alike(t, is_odd ? templates[random_below((int64_t)COUNT(templates))] : usual, &id);
	}
}

/* ---- kernels ---- */

static void check_alike(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static sheaf_alike found, wanted;
	const uint8_t *begin = (const uint8_t *)data, *end = begin + size;
	const uint8_t *feed = (const uint8_t *)memchr(begin, '\n', size);
	sheaf_line_shape shape;
	if (!kernel->alike || !feed || !sheaf_line_shape_of(begin, feed + 1, &shape)) return;
	if (size % 2) {
		shape.fixed = 2;
		memcpy(shape.digits[1],
		       "\0\0\0\0\0\0\0"
		       "7",
		       SHEAF_ALIKE_DIGITS);
	}
	found = wanted = (sheaf_alike){.shape = &shape, .at = begin, .end = end};
	kernel->alike(&found);
	sheaf_alike_portable(&wanted);
	assert_int_equal(wanted.count, found.count);
	assert_ptr_equal(wanted.at, found.at);
	assert_memory_equal(wanted.ends, found.ends, (size_t)wanted.count * sizeof *wanted.ends);
	for (int i = 0; i < wanted.count; i++)
		assert_memory_equal(wanted.numbers[i], found.numbers[i], (size_t)shape.numbers * sizeof(uint32_t));
	if (wanted.count > 0)
		assert_memory_equal(wanted.most, found.most, (size_t)shape.numbers * sizeof(uint32_t));
}

static void test_alike(void **state)
{
	(void)state;
	static made_text t;
	seed_random(11);
	for (int round = 0; round < rounds(400); round++) {
		put_lines(&t, 300 + (size_t)random_below(6000));
		if (round % 3 == 0) damage(&t);
		with_kernels(check_alike, t.data, t.size);
	}
}

/* The first line is like itself, and its values are read. */
static void check_first(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static sheaf_alike run;
	sheaf_line_shape shape;
	const uint8_t *begin = (const uint8_t *)data;
	if (!kernel->alike) return;
	assert_true(sheaf_line_shape_of(begin, begin + size / 3, &shape));
	assert_int_equal(5, shape.numbers);
	run = (sheaf_alike){.shape = &shape, .at = begin, .end = begin + size};
	kernel->alike(&run);
	assert_int_equal(3, run.count);
	assert_ptr_equal(run.end, run.at);
	const uint32_t wanted[] = {12, 0, 34567890, 3, 99};
	for (int line = 0; line < run.count; line++) {
		assert_int_equal(size / 3 * (size_t)(line + 1), run.ends[line]);
		assert_memory_equal(wanted, run.numbers[line], sizeof wanted);
	}
	assert_memory_equal(wanted, run.most, sizeof wanted);
}

static void test_first(void **state)
{
	(void)state;
	static made_text t;
	for (int i = 0; i < 3; i++) put(&t, "12\t|S0 34567890:3 99\n");
	with_kernels(check_first, t.data, t.size);
}

static void test_shapes(void **state)
{
	static const char *const none[] = {"|A a\n", "12 |A 3", "", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7\n",
	                                   "1 |A 01234567890123456789012345678901234567890123456789012345678\n"};
	sheaf_line_shape shape;
	(void)state;
	for (size_t i = 0; i < COUNT(none); i++)
		assert_false(sheaf_line_shape_of((const uint8_t *)none[i], (const uint8_t *)none[i] + strlen(none[i]),
		                                 &shape));
}

/* A shape is learnt from the first of the lines that have it, and used for those after it. */
static void check_learnt(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static sheaf_ctf_decoding d;
	sheaf_ctf_column columns[2] = {{.sparse = true, .dim = 9}, {.sparse = true, .dim = 9}};
	const uint8_t *begin = (const uint8_t *)data, *feed = (const uint8_t *)memchr(data, '\n', size);
	if (!kernel->alike) return;
	d = (sheaf_ctf_decoding){.kernel = kernel, .columns = columns};
	for (int i = 0; feed; i++) {
		const sheaf_ctf_line line = {begin, feed + 1, false, i == 2 ? 2 : 1, {0, 1}};
		assert_int_equal(sheaf_ctf_read_alike(&d, &line), SHEAF_OK);
		assert_int_equal(d.nshapes, i < 2 ? 1 : 2);
		begin = feed + 1;
		feed = (const uint8_t *)memchr(begin, '\n', size - (size_t)(begin - (const uint8_t *)data));
	}
	assert_ptr_equal(begin, data + size);
}

static void test_shapes_are_learnt_once(void **state)
{
	(void)state;
	static made_text t;
	put(&t, "|A 3:1\n|A 4:2\n|A 3:1 |B 4:2\n");
	with_kernels(check_learnt, t.data, t.size);
}

/* ---- the format ---- */

/* A tape holds only the beginning: texts are longer. */
static void test_lines(void **state)
{
	static const way ways[] = {
		{"ctf", {{"stream", "S0:943:sparse"}, {"stream", "S2:1000:sparse"}}, false, 0},
		{"ctf", {{"stream", "S0:943:sparse"}, {"stream", "S2:1000:sparse"}}, true, 0},
		{"ctf", {{"stream", "S0:943:sparse"}, {"stream", "S2:1000:sparse"}}, false, 0, true},
		{"ctf",
	     {{"stream", "S0:50000000000:sparse:double"}, {"stream", "S2:1000:sparse:double"}},
	     true,
	     9000},
		{"ctf", {{"stream", "S0:943:sparse"}, {"stream", "D:3:dense"}, {"skip-sequence-ids", NULL}}, true, 0},
		{"ctf", {{"stream", "S0:943:sparse"}, {"stream", "x12:1000:sparse"}, {"allow", "missing"}}, false, 0},
		{"ctf", {{NULL, NULL}}, false, 0},
	};
	(void)state;
	static made_text t;
	seed_random(12);
	for (int round = 0; round < rounds(60); round++) {
		put_lines(&t, TEXT_ROOM);
		if (round % 3 == 0) damage(&t);
		for (size_t w = 0; w < COUNT(ways); w++) compare_readings(&ways[w], bytes_of(&t));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alike),  cmocka_unit_test(test_first),
		cmocka_unit_test(test_shapes), cmocka_unit_test(test_shapes_are_learnt_once),
		cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, map_guarded, unmap_guarded);
}
