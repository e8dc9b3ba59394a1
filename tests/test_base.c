/* SPDX-License-Identifier: MIT */
/* The basics: the cursor, buffers and their builder. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/lasting.h"
#include "base/memory.h"
#include "base/spell.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- cursor ---- */

static const uint8_t numbers[] = {
	0xfe,                                           /* u8 254 */
	0x01, 0x02, 0x03, 0x84,                         /* u32 0x84030201 */
	0xff, 0xff, 0xff, 0xff,                         /* i32 -1 */
	0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0xf1, /* u64 0xf102030405060708 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, /* i64 least */
	'a',  'b',  'c',
};

static void test_cursor_gets_each_type(void **state)
{
	(void)state;
	sheaf_cursor c = sheaf_cursor_over(numbers, sizeof numbers, 1000);
	assert_int_equal(sheaf_cursor_tell(&c), 1000);
	assert_int_equal(sheaf_cursor_u8(&c, "a"), 254);
	assert_int_equal(sheaf_cursor_u32le(&c, "b"), 0x84030201u);
	assert_int_equal(sheaf_cursor_i32le(&c, "c"), -1);
	assert_true(sheaf_cursor_u64le(&c, "d") == UINT64_C(0xf102030405060708));
	assert_true(sheaf_cursor_i64le(&c, "e") == INT64_MIN);
	assert_int_equal(sheaf_cursor_tell(&c), 1025);
	assert_int_equal(sheaf_cursor_left(&c), 3);
	assert_ptr_equal(sheaf_cursor_bytes(&c, 3, 1, "f"), numbers + 25);
	assert_int_equal(sheaf_cursor_left(&c), 0);
	assert_null(c.failed);
}

static void test_cursor_failure_sticks(void **state)
{
	(void)state;
	sheaf_cursor c = sheaf_cursor_over(numbers, 6, 10);
	sheaf_cursor_u32le(&c, "fits");
	assert_int_equal(sheaf_cursor_u64le(&c, "first"), 0);
	assert_string_equal(c.failed, "first");
	assert_int_equal(c.failed_at, 14);
	assert_int_equal(c.needed, 8);
	/* Two bytes are left, and neither is given any more. */
	assert_int_equal(sheaf_cursor_u8(&c, "second"), 0);
	assert_int_equal(sheaf_cursor_i32le(&c, "third"), 0);
	assert_int_equal(sheaf_cursor_i64le(&c, "fourth"), 0);
	assert_int_equal(sheaf_cursor_count_u32le(&c, 0, "fifth"), 0);
	assert_null(sheaf_cursor_bytes(&c, 1, 1, "sixth"));
	assert_null(sheaf_cursor_bytes(&c, 0, 1, "seventh"));
	assert_string_equal(c.failed, "first");
	assert_int_equal(sheaf_cursor_tell(&c), 14);
}

/* The count 3, then 12 bytes. */
static const uint8_t counted[] = {3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void test_cursor_counts_are_held_against_what_is_left(void **state)
{
	(void)state;
	static const struct {
		uint64_t item;
		uint64_t needed; /* 0: fits */
	} cases[] = {{0, 0},
	             {1, 0},
	             {4, 0},
	             {5, 15},
	             {1000, 3000},
	             {UINT64_MAX, UINT64_MAX},
	             {UINT64_MAX / 3, UINT64_MAX / 3 * 3}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_cursor c = sheaf_cursor_over(counted, sizeof counted, 100);
		uint32_t n = sheaf_cursor_count_u32le(&c, cases[i].item, "things");
		assert_int_equal(n, cases[i].needed ? 0 : 3);
		assert_true((c.failed != NULL) == (cases[i].needed != 0));
		if (!c.failed) continue;
		assert_int_equal(c.failed_at, 100); /* where the count stands, not after it */
		assert_true(c.needed == cases[i].needed);
	}
	sheaf_cursor c = sheaf_cursor_over(counted, 3, 0);
	assert_int_equal(sheaf_cursor_count_u32le(&c, 1, "cut count"), 0);
	assert_string_equal(c.failed, "cut count");
	assert_int_equal(c.needed, 4);
}

static void test_cursor_products_do_not_wrap(void **state)
{
	(void)state;
	static const uint64_t pairs[][2] = {
		{1, 17}, {17, 1}, {UINT64_C(1) << 32, UINT64_C(1) << 32}, {UINT64_MAX, 2}, {UINT64_C(1) << 63, 2}};
	for (size_t i = 0; i < COUNT(pairs); i++) {
		sheaf_cursor c = sheaf_cursor_over(counted, sizeof counted, 0);
		assert_null(sheaf_cursor_bytes(&c, pairs[i][0], pairs[i][1], "things"));
		assert_string_equal(c.failed, "things");
		assert_int_equal(sheaf_cursor_left(&c), sizeof counted);
	}
	sheaf_cursor c = sheaf_cursor_over(counted, sizeof counted, 0);
	assert_ptr_equal(sheaf_cursor_bytes(&c, 4, 4, "all"), counted);
}

static void test_checked_sizes(void **state)
{
	(void)state;
	size_t size;
	int64_t wide;
	assert_true(sheaf_add_size(&size, SIZE_MAX - 1, 1) && size == SIZE_MAX);
	assert_false(sheaf_add_size(&size, SIZE_MAX, 1));
	assert_true(sheaf_mul_size(&size, SIZE_MAX / 4, 4) && size == SIZE_MAX - 3);
	assert_false(sheaf_mul_size(&size, SIZE_MAX / 4 + 1, 4));
	/* numbers of 64 bits, whatever sizes have; negative ones among them */
	assert_false(sheaf_mul_size(&size, UINT64_C(1) << 32, UINT64_C(1) << 32));
	assert_false(sheaf_mul_size(&size, (uint64_t)INT64_C(-1), 8));
	assert_int_equal(SIZE_MAX > UINT32_MAX, sheaf_mul_size(&size, (UINT64_C(1) << 32) + 1, 4));
	assert_int_equal(SIZE_MAX > UINT32_MAX, sheaf_add_size(&size, UINT64_C(1) << 32, 1));
	assert_true(sheaf_add_i64(&wide, INT64_MAX - 1, 1) && wide == INT64_MAX);
	assert_false(sheaf_add_i64(&wide, INT64_MAX, 1));
	assert_false(sheaf_add_i64(&wide, INT64_MIN, -1));
	assert_true(sheaf_mul_i64(&wide, INT64_MIN / 2, 2) && wide == INT64_MIN);
	assert_false(sheaf_mul_i64(&wide, INT64_MIN, -1));
}

/* ---- buffers ---- */

static sheaf_buffer buffer_of(sheaf_context *cx, const char *text)
{
	sheaf_builder b;
	sheaf_buffer buffer = {0};
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_text(&b, text);
	assert_ok(sheaf_builder_finish(&b, &buffer, &err));
	return buffer;
}

static void assert_holds(const sheaf_buffer *buffer, const char *text)
{
	assert_int_equal(buffer->size, strlen(text));
	if (buffer->size) assert_memory_equal(buffer->data, text, buffer->size);
}

static void test_buffer_lives_until_its_last_owner_lets_go(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_buffer a = buffer_of(cx, "hello, world");
	assert_true(sheaf_buffer_is_sole(&a));
	sheaf_buffer b = sheaf_buffer_ref(&a), part = sheaf_buffer_part(&a, 7, 5);
	assert_false(sheaf_buffer_is_sole(&a));
	sheaf_buffer_reset(&a);
	assert_null(a.data);
	assert_int_equal(a.size, 0);
	assert_holds(&b, "hello, world");
	sheaf_buffer_reset(&b);
	assert_holds(&part, "world");
	assert_true(sheaf_buffer_is_sole(&part));
	assert_true(sheaf_context_memory(cx, NULL) > 0);
	sheaf_buffer_reset(&part);
	sheaf_buffer_reset(&part); /* an empty one */
	end_context(cx);
}

static void test_buffer_borrowed(void **state)
{
	(void)state;
	static char text[] = "borrowed";
	sheaf_buffer a = {(uint8_t *)text, 8, NULL}, b = sheaf_buffer_ref(&a), part = sheaf_buffer_part(&a, 2, 3);
	assert_false(sheaf_buffer_is_sole(&a)); /* nobody may write to it */
	sheaf_buffer_reset(&a);
	assert_ptr_equal(b.data, text);
	assert_holds(&part, "rro");
	sheaf_buffer_reset(&b);
	sheaf_buffer_reset(&part);
}

typedef struct releases {
	int count;
	const uint8_t *data;
	size_t size;
} releases;

static void see_release(void *user, uint8_t *data, size_t size)
{
	releases *r = (releases *)user;
	*r = (releases){r->count + 1, data, size};
}

static void test_buffer_wrapped(void **state)
{
	(void)state;
	uint8_t bytes[40];
	releases seen = {0, NULL, 0};
	sheaf_buffer a;
	sheaf_context *cx = usual_context();
	assert_ok(sheaf_buffer_wrap(cx, (sheaf_lent){bytes, sizeof bytes, see_release, &seen}, &a, &err));
	assert_false(sheaf_buffer_is_sole(&a)); /* its memory is not ours to write */
	sheaf_buffer part = sheaf_buffer_part(&a, 30, 10);
	sheaf_buffer_reset(&a);
	assert_int_equal(seen.count, 0);
	sheaf_buffer_reset(&part);
	assert_int_equal(seen.count, 1);
	assert_ptr_equal(seen.data, bytes);
	assert_int_equal(seen.size, sizeof bytes);
	end_context(cx);
}

static void test_buffer_wrap_takes_nothing_over_when_it_fails(void **state)
{
	(void)state;
	allocator memory = {.fail_at = 2};
	uint8_t bytes[4];
	releases seen = {0, NULL, 0};
	sheaf_buffer a = {bytes, 4, NULL};
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_status(SHEAF_NOMEM,
	              sheaf_buffer_wrap(cx, (sheaf_lent){bytes, sizeof bytes, see_release, &seen}, &a, &err));
	assert_null(a.data);
	assert_int_equal(seen.count, 0);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

/* ---- builder ---- */

static void test_builder_appends(void **state)
{
	(void)state;
	sheaf_builder b;
	sheaf_buffer out = {0};
	sheaf_context *cx = usual_context();
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_append(&b, NULL, 0);
	sheaf_builder_text(&b, "ab");
	sheaf_builder_byte(&b, '\0');
	sheaf_builder_u32le(&b, 0x04030201);
	sheaf_builder_u64le(&b, UINT64_C(0x0807060504030201));
	sheaf_builder_printf(&b, "%d-%s", 7, "x");
	assert_ok(sheaf_builder_finish(&b, &out, &err));
	assert_int_equal(out.size, 18);
	assert_memory_equal(out.data,
	                    "ab\0\1\2\3\4\1\2\3\4\5\6\7\10"
	                    "7-x",
	                    18);
	assert_int_equal((uintptr_t)out.data % 64, 0);
	/* Finishing made it empty, so it may go on. */
	sheaf_builder_i64(&b, -2);
	assert_ok(sheaf_builder_finish(&b, &out, &err));
	assert_int_equal(out.size, 8);
	assert_true(((const int64_t *)(const void *)out.data)[0] == -2);
	sheaf_buffer_reset(&out);
	end_context(cx);
}

static void test_builder_grows_to_any_size(void **state)
{
	(void)state;
	enum { N = 100000 };
	sheaf_builder b;
	sheaf_buffer out = {0};
	sheaf_context *cx = usual_context();
	sheaf_builder_begin(&b, cx, NULL);
	for (int64_t i = 0; i < N; i++) sheaf_builder_i64(&b, i * i);
	sheaf_builder_printf(&b, "%5000d", 1);
	assert_ok(sheaf_builder_finish(&b, &out, &err));
	assert_int_equal(out.size, N * 8 + 5000);
	for (int64_t i = 0; i < N; i++) assert_true(((const int64_t *)(const void *)out.data)[i] == i * i);
	assert_int_equal(out.data[N * 8 + 4999], '1');
	sheaf_buffer_reset(&out);
	end_context(cx);
}

/* Growth that succeeds, fails, and is impossible: the contents stay. */
static void test_builder_wishes(void **state)
{
	(void)state;
	allocator memory = {0};
	sheaf_builder b;
	sheaf_buffer out = {0};
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_text(&b, "small");
	assert_true(sheaf_builder_wish(&b, 5000));
	int64_t calls = memory.calls;
	const uint8_t *data = b.data;
	for (int i = 0; i < 5000; i++) sheaf_builder_byte(&b, 'x');
	assert_ptr_equal(b.data, data);
	assert_true(sheaf_builder_wish(&b, b.capacity - b.size)); /* is there */
	assert_int_equal(memory.calls, calls);
	memory.fail_at = calls + 1;
	assert_false(sheaf_builder_wish(&b, 50000));
	assert_false(sheaf_builder_wish(&b, UINT64_MAX));
	assert_int_equal(memory.calls, calls + 1);
	assert_ptr_equal(b.data, data);
	assert_ok(sheaf_builder_finish(&b, &out, &err));
	assert_int_equal(out.size, 5005);
	assert_memory_equal(out.data, "smallx", 6);
	sheaf_buffer_reset(&out);
	end_context(cx);
}

static void test_builder_failure_sticks(void **state)
{
	(void)state;
	/* Call 1 makes the context, 2 the block, which has room for a few bytes inside, 3 would make it larger.
	 */
	allocator memory = {.fail_at = 3};
	sheaf_builder b;
	sheaf_buffer out = {(uint8_t *)&b, 1, NULL};
	char large[1000] = "large";
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_text(&b, "small");
	assert_ok(sheaf_builder_status(&b, &err));
	sheaf_builder_append(&b, large, sizeof large);
	size_t size = b.size;
	sheaf_builder_text(&b, "x"); /* this one would fit, and memory is available again, too */
	sheaf_builder_i64(&b, 1);
	sheaf_builder_printf(&b, "%d", 1);
	assert_int_equal(b.size, size);
	assert_false(sheaf_builder_room(&b, 1));
	assert_status(SHEAF_NOMEM, sheaf_builder_status(&b, &err));
	assert_message("1005 bytes");
	assert_status(SHEAF_NOMEM, sheaf_builder_finish(&b, &out, &err));
	assert_null(out.data);
	assert_int_equal(out.size, 0);
	assert_int_equal(memory.calls, 3);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_builder_at_the_limit(void **state)
{
	(void)state;
	sheaf_builder b;
	sheaf_buffer out = {0};
	sheaf_context_options options = {.size = sizeof options, .max_memory = 2000};
	sheaf_context *cx = context_with(&options);
	sheaf_builder_begin(&b, cx, NULL);
	for (int i = 0; i < 500; i++) sheaf_builder_i64(&b, i);
	assert_status(SHEAF_LIMIT, sheaf_builder_finish(&b, &out, &err));
	assert_message("limit");
	assert_null(out.data);
	end_context(cx);
}

static void test_builder_of_absurd_size(void **state)
{
	(void)state;
	sheaf_builder b;
	sheaf_context *cx = usual_context();
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_byte(&b, 'x');
	assert_false(sheaf_builder_room(&b, SIZE_MAX));
	assert_status(SHEAF_LIMIT, sheaf_builder_status(&b, &err));
	sheaf_builder_drop(&b);
	end_context(cx);
}

static void test_builder_recycles_what_nobody_else_owns(void **state)
{
	(void)state;
	sheaf_builder b;
	sheaf_context *cx = usual_context();
	sheaf_buffer sole = buffer_of(cx, "sole"), shared = buffer_of(cx, "shared"),
				 other = sheaf_buffer_ref(&shared);
	const uint8_t *memory = sole.data;
	sheaf_builder_begin(&b, cx, &sole);
	assert_null(sole.data);
	sheaf_builder_text(&b, "new");
	assert_ok(sheaf_builder_finish(&b, &sole, &err));
	assert_ptr_equal(sole.data, memory);
	assert_holds(&sole, "new");
	memory = shared.data;
	sheaf_builder_begin(&b, cx, &shared);
	assert_null(shared.data);
	sheaf_builder_text(&b, "changed");
	assert_ok(sheaf_builder_finish(&b, &shared, &err));
	assert_ptr_not_equal(shared.data, memory);
	assert_holds(&other, "shared");
	sheaf_buffer_reset(&sole);
	sheaf_buffer_reset(&shared);
	sheaf_buffer_reset(&other);
	end_context(cx);
}

static void test_builder_resumes_in_place(void **state)
{
	(void)state;
	sheaf_builder b;
	sheaf_context *cx = usual_context();
	sheaf_buffer buffer = buffer_of(cx, "one");
	const uint8_t *memory = buffer.data;
	sheaf_builder_resume(&b, cx, &buffer);
	assert_null(buffer.data);
	sheaf_builder_text(&b, ",two");
	assert_ok(sheaf_builder_finish(&b, &buffer, &err));
	assert_holds(&buffer, "one,two");
	assert_ptr_equal(buffer.data, memory);
	sheaf_buffer_reset(&buffer);
	sheaf_builder_resume(&b, cx, &buffer); /* an empty one */
	sheaf_builder_text(&b, "x");
	assert_ok(sheaf_builder_finish(&b, &buffer, &err));
	assert_holds(&buffer, "x");
	sheaf_buffer_reset(&buffer);
	end_context(cx);
}

static void test_builder_copies_what_is_shared_when_it_resumes(void **state)
{
	(void)state;
	static char text[] = "lent";
	sheaf_builder b;
	sheaf_context *cx = usual_context();
	sheaf_buffer shared = buffer_of(cx, "shared"), other = sheaf_buffer_ref(&shared);
	sheaf_builder_resume(&b, cx, &shared);
	sheaf_builder_text(&b, "+");
	assert_ok(sheaf_builder_finish(&b, &shared, &err));
	assert_holds(&shared, "shared+");
	assert_holds(&other, "shared");
	/* A part that is not the start of its block: the bytes before it must not come along. */
	sheaf_buffer part = sheaf_buffer_part(&other, 2, 4);
	sheaf_buffer_reset(&other);
	sheaf_builder_resume(&b, cx, &part);
	sheaf_builder_text(&b, "!");
	assert_ok(sheaf_builder_finish(&b, &part, &err));
	assert_holds(&part, "ared!");
	sheaf_buffer lent = {(uint8_t *)text, 4, NULL};
	sheaf_builder_resume(&b, cx, &lent);
	sheaf_builder_text(&b, "?");
	assert_ok(sheaf_builder_finish(&b, &lent, &err));
	assert_holds(&lent, "lent?");
	assert_string_equal(text, "lent");
	sheaf_buffer_reset(&shared);
	sheaf_buffer_reset(&part);
	sheaf_buffer_reset(&lent);
	end_context(cx);
}

static void test_builder_resume_fails_without_a_leak(void **state)
{
	(void)state;
	allocator memory = {0};
	sheaf_builder b;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	sheaf_buffer shared = buffer_of(cx, "shared"), other = sheaf_buffer_ref(&shared);
	memory.fail_at = memory.calls + 1;
	sheaf_builder_resume(&b, cx, &shared);
	assert_status(SHEAF_NOMEM, sheaf_builder_finish(&b, &shared, &err));
	assert_null(shared.data);
	assert_holds(&other, "shared");
	sheaf_buffer_reset(&other);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

/* ---- texts that last ---- */

static void test_lasting_texts_are_kept_once(void **state)
{
	(void)state;
	char text[] = "a text";
	const char *kept = sheaf_lasting_text(text);
	assert_ptr_not_equal(kept, text);
	for (int i = 0; i < 2000; i++) assert_ptr_equal(sheaf_lasting_text("a text"), kept);
	assert_string_equal(kept, "a text");
	assert_string_equal(sheaf_lasting_text("another"), "another");
	assert_null(sheaf_lasting_text(NULL));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cursor_gets_each_type),
	cmocka_unit_test(test_cursor_failure_sticks),
	cmocka_unit_test(test_cursor_counts_are_held_against_what_is_left),
	cmocka_unit_test(test_cursor_products_do_not_wrap),
	cmocka_unit_test(test_checked_sizes),
	cmocka_unit_test(test_buffer_lives_until_its_last_owner_lets_go),
	cmocka_unit_test(test_buffer_borrowed),
	cmocka_unit_test(test_buffer_wrapped),
	cmocka_unit_test(test_buffer_wrap_takes_nothing_over_when_it_fails),
	cmocka_unit_test(test_builder_appends),
	cmocka_unit_test(test_builder_grows_to_any_size),
	cmocka_unit_test(test_builder_wishes),
	cmocka_unit_test(test_builder_failure_sticks),
	cmocka_unit_test(test_builder_at_the_limit),
	cmocka_unit_test(test_builder_of_absurd_size),
	cmocka_unit_test(test_builder_recycles_what_nobody_else_owns),
	cmocka_unit_test(test_builder_resumes_in_place),
	cmocka_unit_test(test_builder_copies_what_is_shared_when_it_resumes),
	cmocka_unit_test(test_builder_resume_fails_without_a_leak),
	cmocka_unit_test(test_lasting_texts_are_kept_once),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
