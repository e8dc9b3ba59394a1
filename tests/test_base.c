/* SPDX-License-Identifier: MIT */
/* The ground: the cursor, buffers and their builder, the context with its memory and its channel for
 * problems, options, and the text of errors and problems. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
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
	/* Two bytes are left, and none of them is given any more. */
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

/* A wish that is granted, one that is refused, and one that nobody can grant: what is there stays. */
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
	sheaf_builder_text(&b, "x"); /* there would be room for this one, and memory again, too */
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
	assert_status(SHEAF_NOMEM, sheaf_builder_status(&b, &err));
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

/* ---- the context's memory ---- */

static void test_context_options(void **state)
{
	(void)state;
	allocator memory = {.fail_at = 1};
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = (sheaf_context *)&memory;
	assert_status(SHEAF_NOMEM, sheaf_context_new(&options, &cx, &err));
	assert_null(cx);
	options.size--;
	assert_status(SHEAF_USAGE, sheaf_context_new(&options, &cx, &err));
	assert_message("size");
	assert_ok(sheaf_context_new(NULL, &cx, &err));
	assert_true(sheaf_max_memory(cx) == (SIZE_MAX < UINT64_MAX ? (int64_t)(SIZE_MAX / 4) : INT64_C(4) << 30));
	assert_int_equal(sheaf_max_errors(cx), 0);
	assert_false(sheaf_is_validating(cx) || sheaf_allows_loss(cx));
	end_context(cx);
	sheaf_context_free(NULL);
}

static void test_memory_is_counted(void **state)
{
	(void)state;
	allocator memory = {0};
	void *a, *b;
	int64_t peak;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 100, &a, &err));
	for (int i = 0; i < 100; i++) assert_int_equal(((const char *)a)[i], 0);
	assert_int_equal((uintptr_t)a % 64, 0);
	assert_ok(sheaf_allocate_array(cx, 30, 10, &b, &err));
	assert_int_equal(sheaf_context_memory(cx, &peak), 400);
	memset(b, 7, 300);
	assert_ok(sheaf_reallocate(cx, &b, 300, 1000, &err));
	for (int i = 0; i < 300; i++) assert_int_equal(((const char *)b)[i], 7);
	assert_int_equal(sheaf_context_memory(cx, &peak), 1100);
	assert_int_equal(peak, 1100);
	assert_ok(sheaf_reallocate(cx, &b, 1000, 50, &err));
	assert_int_equal(sheaf_context_memory(cx, &peak), 150);
	assert_int_equal(peak, 1100);
	sheaf_release(cx, a, 100);
	sheaf_release(cx, b, 50);
	sheaf_release(cx, NULL, 50);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_memory_of_no_bytes_and_of_texts(void **state)
{
	(void)state;
	allocator memory = {0};
	void *none;
	char *text;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 0, &none, &err));
	assert_non_null(none);
	assert_ok(sheaf_copy_text(cx, "abcdef", 3, &text, &err));
	assert_string_equal(text, "abc");
	sheaf_release(cx, none, 0);
	sheaf_release_text(cx, text);
	sheaf_release_text(cx, NULL);
	memory.fail_at = memory.calls + 1;
	assert_status(SHEAF_NOMEM, sheaf_copy_text(cx, "abcdef", 3, &text, &err));
	assert_null(text);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_memory_limit(void **state)
{
	(void)state;
	allocator memory = {0};
	void *a, *b;
	sheaf_context_options options = options_with(&memory);
	options.max_memory = 1000;
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 600, &a, &err));
	assert_ok(sheaf_allocate(cx, 400, &b, &err)); /* just fits */
	int64_t calls = memory.calls;
	void *c = a;
	assert_status(SHEAF_LIMIT, sheaf_allocate(cx, 1, &c, &err));
	assert_message("at most 1000 bytes");
	assert_message("1001");
	assert_null(c);
	assert_status(SHEAF_LIMIT, sheaf_reallocate(cx, &b, 400, 401, &err));
	assert_status(SHEAF_LIMIT, sheaf_allocate(cx, SIZE_MAX, &c, &err));
	assert_int_equal(memory.calls, calls); /* the allocator is not even asked */
	assert_int_equal(sheaf_context_memory(cx, NULL), 1000);
	sheaf_release(cx, a, 600);
	sheaf_release(cx, b, 400);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_memory_limit_of_all_there_is(void **state)
{
	(void)state;
	static const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 100, SIZE_MAX};
	void *a, *b;
	sheaf_context_options options = {.size = sizeof options, .max_memory = INT64_MAX};
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 100, &a, &err));
	for (size_t i = 0; i < COUNT(sizes); i++) {
		sheaf_status status = sheaf_allocate(cx, sizes[i], &b, &err);
		assert_true(status == SHEAF_LIMIT || status == SHEAF_NOMEM);
		assert_int_equal(sheaf_context_memory(cx, NULL), 100);
	}
	sheaf_release(cx, a, 100);
	end_context(cx);
}

static void test_memory_that_is_refused_is_not_counted(void **state)
{
	(void)state;
	allocator memory = {0};
	void *a, *b;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 10, &a, &err));
	memory.fail_at = memory.calls + 1;
	memory.stay = true;
	assert_status(SHEAF_NOMEM, sheaf_allocate(cx, 20, &b, &err));
	assert_null(b);
	assert_message("20 bytes");
	b = a;
	assert_status(SHEAF_NOMEM, sheaf_reallocate(cx, &b, 10, 30, &err));
	assert_ptr_equal(b, a);
	assert_status(SHEAF_NOMEM, sheaf_allocate_array(cx, SIZE_MAX / 2, 3, &b, &err));
	assert_null(b);
	assert_int_equal(sheaf_context_memory(cx, NULL), 10);
	sheaf_release(cx, a, 10);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

/* ---- the context's problems ---- */

enum { MOST_HEARD = 64 };

typedef struct hearing {
	int count;
	sheaf_severity severity[MOST_HEARD];
	char text[MOST_HEARD][200];
} hearing;

static hearing heard;

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user;
	if (heard.count < MOST_HEARD) {
		heard.severity[heard.count] = problem->severity;
		sheaf_problem_text(problem, heard.text[heard.count], sizeof heard.text[0]);
	}
	heard.count++;
}

static sheaf_context_options hearing_options(void)
{
	heard.count = 0;
	return (sheaf_context_options){.size = sizeof(sheaf_context_options), .on_problem = hear};
}

static sheaf_status tell(sheaf_context *cx, sheaf_severity severity, sheaf_status status, const char *rule)
{
	sheaf_problem problem = {severity, status, rule, SHEAF_NOWHERE, "this", "that", NULL};
	return sheaf_report(cx, &problem, &err);
}

/* What one problem leads to, with no error tolerated: the documented meaning of the five severities under the
 * two switches. */
static void test_policy(void **state)
{
	(void)state;
	enum { SILENT = -1, STOPS = -2 };
	static const struct {
		sheaf_severity severity;
		int plain, strict, validate, both;
	} cases[] = {
		{SHEAF_NOTE, SILENT, SILENT, SHEAF_NOTE, SHEAF_ERROR},
		{SHEAF_WARNING, SHEAF_WARNING, STOPS, SHEAF_WARNING, SHEAF_ERROR},
		{SHEAF_BREACH, SHEAF_BREACH, STOPS, SHEAF_BREACH, SHEAF_ERROR},
		{SHEAF_ERROR, STOPS, STOPS, SHEAF_ERROR, SHEAF_ERROR},
		{SHEAF_FATAL, STOPS, STOPS, SHEAF_FATAL, SHEAF_FATAL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const int outcomes[] = {cases[i].plain, cases[i].strict, cases[i].validate, cases[i].both};
		for (int k = 0; k < 4; k++) {
			sheaf_context_options options = hearing_options();
			options.strict = k & 1;
			options.validate = k & 2;
			sheaf_context *cx = context_with(&options);
			sheaf_status status = tell(cx, cases[i].severity, SHEAF_SHORT, "a rule");
			assert_int_equal(status, outcomes[k] == STOPS ? SHEAF_SHORT : SHEAF_OK);
			assert_int_equal(heard.count, outcomes[k] >= 0);
			if (outcomes[k] >= 0) assert_int_equal(heard.severity[0], outcomes[k]);
			assert_int_equal(sheaf_context_problems(cx, SHEAF_NOTE), outcomes[k] != SILENT);
			end_context(cx);
		}
	}
}

static void test_policy_error_budget(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 3;
	sheaf_context *cx = context_with(&options);
	for (int i = 0; i < 3; i++) {
		assert_ok(tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
		assert_ok(tell(cx, SHEAF_WARNING, SHEAF_DATA, "warnings cost nothing"));
		assert_ok(tell(cx, SHEAF_BREACH, SHEAF_DATA, "breaches cost nothing"));
	}
	assert_int_equal(heard.count, 9);
	assert_status(SHEAF_DATA, tell(cx, SHEAF_ERROR, SHEAF_DATA, "b"));
	assert_text("expected this, found that; that is one error more than --max-errors tolerates", err.message);
	assert_int_equal(heard.count, 9); /* what stops the call is in the error, not in the callback */
	assert_int_equal(sheaf_context_problems(cx, SHEAF_ERROR), 4);
	end_context(cx);
}

/* Neither one more nor one less, however large. */
static void test_policy_error_budgets(void **state)
{
	(void)state;
	for (int64_t most = 0; most < 40; most++) {
		sheaf_context_options options = hearing_options();
		options.max_errors = most;
		sheaf_context *cx = context_with(&options);
		for (int64_t i = 0; i < most; i++) assert_ok(tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
		assert_status(SHEAF_DATA, tell(cx, SHEAF_ERROR, SHEAF_DATA, "b"));
		end_context(cx);
	}
}

static void test_policy_budget_does_not_cover_fatal_ones(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 1000;
	sheaf_context *cx = context_with(&options);
	assert_status(SHEAF_DATA, tell(cx, SHEAF_FATAL, SHEAF_DATA, "a"));
	end_context(cx);
}

static void test_policy_strict_spends_the_budget(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 2;
	options.strict = true;
	sheaf_context *cx = context_with(&options);
	assert_ok(tell(cx, SHEAF_WARNING, SHEAF_DATA, "a"));
	assert_ok(tell(cx, SHEAF_BREACH, SHEAF_DATA, "b"));
	assert_ok(tell(cx, SHEAF_NOTE, SHEAF_DATA, "not heard"));
	assert_status(SHEAF_DATA, tell(cx, SHEAF_WARNING, SHEAF_DATA, "a"));
	assert_int_equal(sheaf_context_problems(cx, SHEAF_ERROR), 3);
	end_context(cx);
}

static void test_policy_validation_has_no_budget(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.validate = true;
	sheaf_context *cx = context_with(&options);
	for (int i = 0; i < 50; i++) assert_ok(tell(cx, i % 2 ? SHEAF_ERROR : SHEAF_FATAL, SHEAF_DATA, "a"));
	assert_int_equal(heard.count, 50);
	end_context(cx);
}

/* A loss is reported and passed whatever the switches: who writes decides at the end, when all kinds are
 * known. */
static void test_policy_loss(void **state)
{
	(void)state;
	for (int k = 0; k < 8; k++) {
		sheaf_context_options options = hearing_options();
		options.strict = k & 1;
		options.validate = k & 2;
		options.allow_loss = k & 4;
		sheaf_context *cx = context_with(&options);
		for (int i = 0; i < 5; i++) assert_ok(tell(cx, SHEAF_ERROR, SHEAF_LOSS, "lost"));
		assert_int_equal(heard.count, 5);
		assert_int_equal(sheaf_context_losses(cx), 5);
		assert_ok(tell(cx, SHEAF_WARNING, SHEAF_LOSS, "lightly lost"));
		assert_int_equal(heard.severity[5], SHEAF_WARNING);
		assert_int_equal(sheaf_allows_loss(cx), options.allow_loss);
		end_context(cx);
	}
}

static void test_policy_losses_leave_the_error_budget_alone(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 1;
	options.allow_loss = true;
	sheaf_context *cx = context_with(&options);
	for (int i = 0; i < 3; i++) assert_ok(tell(cx, SHEAF_ERROR, SHEAF_LOSS, "lost"));
	assert_ok(tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
	assert_status(SHEAF_DATA, tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
	end_context(cx);
}

static void test_tally(void **state)
{
	(void)state;
	static const struct {
		const char *rule;
		sheaf_severity severity;
		int count;
	} wanted[] = {{"second letter", SHEAF_WARNING, 2},
	              {"first letter", SHEAF_BREACH, 1},
	              {"third letter", SHEAF_ERROR, 3}};
	sheaf_context_options options = hearing_options();
	sheaf_tally tally;
	options.max_errors = 5;
	sheaf_context *cx = context_with(&options);
	assert_false(sheaf_context_tally(cx, 0, &tally));
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < COUNT(wanted); i++)
			if (pass < wanted[i].count) assert_ok(tell(cx, wanted[i].severity, SHEAF_SHORT, wanted[i].rule));
	for (int i = 0; i < (int)COUNT(wanted); i++) {
		assert_true(sheaf_context_tally(cx, i, &tally));
		assert_string_equal(tally.rule, wanted[i].rule);
		assert_int_equal(tally.severity, wanted[i].severity);
		assert_int_equal(tally.status, SHEAF_SHORT);
		assert_int_equal(tally.count, wanted[i].count);
	}
	assert_false(sheaf_context_tally(cx, (int)COUNT(wanted), &tally));
	assert_false(sheaf_context_tally(cx, -1, &tally));
	static const int at_least[] = {6, 6, 4, 3, 0};
	for (int s = SHEAF_NOTE; s <= SHEAF_FATAL; s++)
		assert_int_equal(sheaf_context_problems(cx, (sheaf_severity)s), at_least[s]);
	end_context(cx);
}

static void test_stop(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	assert_ok(sheaf_check_stop(cx, &err));
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, sheaf_check_stop(cx, &err));
	assert_status(SHEAF_STOPPED, sheaf_check_stop(cx, &err));
	end_context(cx);
}

static void test_quiet_context(void **state)
{
	(void)state;
	allocator memory = {0};
	sheaf_context *quiet;
	sheaf_context_options options = options_with(&memory);
	heard.count = 0;
	options.on_problem = hear;
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_context_quiet(cx, &quiet, &err));
	assert_ok(tell(quiet, SHEAF_FATAL, SHEAF_DATA, "a"));
	assert_int_equal(heard.count, 0);
	assert_int_equal(sheaf_context_problems(cx, SHEAF_NOTE), 0);
	assert_ok(sheaf_check_stop(quiet, &err));
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, sheaf_check_stop(quiet, &err));
	end_context(quiet);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static int64_t progress_seen[2];

static void see_progress(void *user, int64_t done, int64_t total)
{
	(void)user;
	progress_seen[0] = done;
	progress_seen[1] = total;
}

static void test_progress(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_progress(cx, 1, 2); /* nobody listens */
	end_context(cx);
	sheaf_context_options options = {.size = sizeof options, .on_progress = see_progress};
	cx = context_with(&options);
	sheaf_progress(cx, 5, -1);
	assert_int_equal(progress_seen[0], 5);
	assert_int_equal(progress_seen[1], -1);
	end_context(cx);
}

/* ---- options ---- */

static const sheaf_option table_of_options[] = {
	{"flag", SHEAF_OPTION_FLAG, SHEAF_READING, NULL, "help", 'f'},
	{"text", SHEAF_OPTION_TEXT, SHEAF_READING, "WORD", "help", 0},
	{"count", SHEAF_OPTION_COUNT, SHEAF_WRITING, "N", "help", 0},
	{"size", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE", "help", 0},
	{"choice", SHEAF_OPTION_CHOICE, SHEAF_READING, "one|three|two", "help", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

static void test_option_find(void **state)
{
	(void)state;
	assert_ptr_equal(sheaf_option_find(table_of_options, "flag"), &table_of_options[0]);
	assert_ptr_equal(sheaf_option_find(table_of_options, "choice"), &table_of_options[4]);
	assert_null(sheaf_option_find(table_of_options, "choic"));
	assert_null(sheaf_option_find(table_of_options, ""));
	assert_null(sheaf_option_find(NULL, "flag"));
}

static void test_option_check(void **state)
{
	(void)state;
	static const struct {
		const char *name, *value, *message; /* NULL: fine */
	} cases[] = {
		{"flag", NULL, NULL},
		{"flag", "yes", "--flag: expected no value, found yes"},
		{"text", "anything: goes", NULL},
		{"text", "", NULL},
		{"text", NULL, "--text: expected WORD, found nothing"},
		{"count", "0", NULL},
		{"count", "9223372036854775807", NULL},
		{"count", "9223372036854775808", "--count: expected a whole number, found 9223372036854775808"},
		{"count", "-1", "--count: expected a whole number, found -1"},
		{"count", "1K", "--count: expected a whole number, found 1K"},
		{"count", "", "--count: expected a whole number, found "},
		{"count", NULL, "--count: expected a whole number, found nothing"},
		{"size", "64K", NULL},
		{"size", "64KB", NULL},
		{"size", "64KX", "--size: expected a size such as 4096, 64K, 1.5G or 2GB, found 64KX"},
		{"size", NULL, "--size: expected a size such as 4096, 64K, 1.5G or 2GB, found nothing"},
		{"choice", "one", NULL},
		{"choice", "two", NULL},
		{"choice", "three", NULL},
		{"choice", "thre", "--choice: expected one|three|two, found thre"},
		{"choice", "threes", "--choice: expected one|three|two, found threes"},
		{"choice", "one|three", "--choice: expected one|three|two, found one|three"},
		{"choice", "", "--choice: expected one|three|two, found "},
		{"choice", NULL, "--choice: expected one|three|two, found nothing"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_status status =
			sheaf_option_check(sheaf_option_find(table_of_options, cases[i].name), cases[i].value, &err);
		assert_int_equal(status, cases[i].message ? SHEAF_USAGE : SHEAF_OK);
		if (cases[i].message) assert_text(cases[i].message, err.message);
	}
}

static void test_option_values(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {{"stream", "a"}, {"flag", NULL}, {"stream", "b"},
	                                         {"size", "1K"},  {"size", "2K"}, {"stream", "c"},
	                                         {"bad", "x"}};
	const sheaf_values values = {settings, COUNT(settings)}, none = {NULL, 0};
	assert_string_equal(sheaf_values_text(&values, "stream"), "c");
	assert_null(sheaf_values_text(&values, "strea"));
	assert_null(sheaf_values_text(&none, "stream"));
	assert_string_equal(sheaf_values_nth(&values, "stream", 0), "a");
	assert_string_equal(sheaf_values_nth(&values, "stream", 2), "c");
	assert_null(sheaf_values_nth(&values, "stream", 3));
	assert_true(sheaf_values_flag(&values, "flag"));
	assert_false(sheaf_values_flag(&none, "flag"));
	assert_int_equal(sheaf_values_number(&values, "size", 7), 2048);
	assert_int_equal(sheaf_values_number(&none, "size", 7), 7);
	assert_int_equal(sheaf_values_number(&values, "bad", 7), 7);
}

static void test_seeds_from_text(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t seed;
	} cases[] = {
		{"0", true, 0},
		{"007", true, 7},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"99999999999999999999", false, 0},
		{"-1", true, UINT64_MAX},
		{"-0", true, 0},
		{"-9223372036854775808", true, UINT64_C(1) << 63},
		{"-9223372036854775809", false, 0},
		{"", false, 0},
		{"-", false, 0},
		{"--1", false, 0},
		{"+1", false, 0},
		{"1 ", false, 0},
		{"1K", false, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t seed = 0;
		assert_int_equal(cases[i].good, sheaf_seed_from_text(cases[i].text, &seed));
		assert_true(!cases[i].good || seed == cases[i].seed);
	}
}

static void test_sizes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t size; /* -1: no size */
	} cases[] = {
		{"0", 0},
		{"1", 1},
		{"007", 7},
		{"64K", 65536},
		{"64k", 65536},
		{"3M", 3 << 20},
		{"2G", INT64_C(2) << 30},
		{"1t", INT64_C(1) << 40},
		{"9223372036854775807", INT64_MAX},
		{"9223372036854775808", -1},
		{"99999999999999999999", -1},
		{"8388607T", INT64_C(8388607) << 40},
		{"8388608T", -1},
		{"9007199254740991K", (INT64_MAX >> 10) << 10},
		{"9007199254740992K", -1},
		{"", -1},
		{"K", -1},
		{"1KB", 1024},
		{"1KiB", 1024},
		{"1kib", 1024},
		{"7B", 7},
		{"2gb", (int64_t)2 << 30},
		{"1.5G", (int64_t)3 << 29},
		{"0.25K", 256},
		{"0.0005K", 0},
		{"0.333333333333M", 349525},
		{"8388607.5T", ((int64_t)8388607 << 40) + ((int64_t)1 << 39)},
		{"8388608.5T", -1},
		{"1KK", -1},
		{"1Ki", -1},
		{"1iB", -1},
		{"1BB", -1},
		{"1.5", -1},
		{"1.5B", -1},
		{"1.", -1},
		{"1.K", -1},
		{".5K", -1},
		{"-1", -1},
		{"+1", -1},
		{" 1", -1},
		{"1 ", -1},
		{"1 K", -1},
		{"0x10", -1},
		{"1P", -1},
		{"1\t", -1},
		{"one", -1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t size = -1;
		bool good = sheaf_size_from_text(cases[i].text, &size);
		if (good != (cases[i].size >= 0) || (good && size != cases[i].size))
			fail_msg("\"%s\": found %d, %lld", cases[i].text, good, (long long)size);
	}
}

/* ---- texts ---- */

static void test_statuses(void **state)
{
	(void)state;
	static const char *const names[] = {"ok",          "end",  "nomem", "io",    "unknown", "data", "short",
	                                    "unsupported", "loss", "limit", "usage", "stopped", "stale"};
	assert_int_equal(COUNT(names), SHEAF_STALE + 1);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(sheaf_status_name((sheaf_status)i), names[i]);
	assert_string_equal(sheaf_status_name((sheaf_status)13), "status?");
	assert_string_equal(sheaf_status_name((sheaf_status)-1), "status?");
	assert_string_equal(sheaf_version(), SHEAF_VERSION);
}

static void test_fail(void **state)
{
	(void)state;
	char large[3000];
	sheaf_error error = {.sys = 99};
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	assert_int_equal(sheaf_fail(NULL, SHEAF_DATA, "%s", large), SHEAF_DATA);
	assert_int_equal(sheaf_fail(&error, SHEAF_LOSS, "a %d", 5), SHEAF_LOSS);
	assert_int_equal(error.status, SHEAF_LOSS);
	assert_int_equal(error.sys, 0);
	assert_string_equal(error.message, "a 5");
	struct {
		sheaf_error error;
		char guard;
	} guarded = {.guard = 'g'};
	assert_int_equal(sheaf_fail(&guarded.error, SHEAF_DATA, "%s", large), SHEAF_DATA);
	assert_int_equal(strlen(guarded.error.message), sizeof error.message - 1);
	assert_int_equal(guarded.guard, 'g');
}

static void test_fail_of_the_system(void **state)
{
	(void)state;
	char large[3000];
	sheaf_error error;
	char wanted[200];
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	assert_int_equal(sheaf_fail_sys(NULL, ENOENT, "a"), SHEAF_IO);
	assert_int_equal(sheaf_fail_sys(&error, ENOENT, "%s", "file"), SHEAF_IO);
	assert_int_equal(error.status, SHEAF_IO);
	assert_int_equal(error.sys, ENOENT);
	snprintf(wanted, sizeof wanted, "file; the system says: %s", strerror(ENOENT));
	assert_text(wanted, error.message);
	/* Lengths at which the system's text, the colon or nothing at all fits. */
	for (size_t n = sizeof error.message - 40; n < sizeof error.message + 5; n++) {
		struct {
			sheaf_error error;
			char guard;
		} guarded = {.guard = 'g'};
		assert_int_equal(sheaf_fail_sys(&guarded.error, EIO, "%.*s", (int)n, large), SHEAF_IO);
		assert_true(strlen(guarded.error.message) < sizeof error.message);
		assert_int_equal(guarded.guard, 'g');
	}
}

static const sheaf_place everywhere = {"train.ctf", 812, 17, 40211, 3, 55, "labels", NULL, NULL};

static sheaf_problem problem_at(sheaf_place place)
{
	return (sheaf_problem){SHEAF_ERROR, SHEAF_DATA, "rule", place, "an index below 10", "4000000", NULL};
}

static void test_problem_text(void **state)
{
	(void)state;
	static const struct {
		sheaf_place place;
		const char *text;
	} cases[] = {
		{{"f", 8, 17, 40, -1, -1, NULL, NULL, NULL}, "f:8:17 (byte 40): "},
		{{"f", 8, 17, -1, -1, -1, NULL, NULL, NULL}, "f:8:17: "},
		{{"f", 1, 1, 0, -1, -1, NULL, NULL, NULL}, "f:1:1 (byte 0): "},
		{{"f", 8, -1, 40, -1, -1, NULL, NULL, NULL}, "f:8 (byte 40): "},
		{{"f", 8, -1, -1, -1, -1, NULL, NULL, NULL}, "f:8: "},
		{{"f", -1, -1, 40, -1, -1, NULL, NULL, NULL}, "f (byte 40): "},
		{{"f", -1, -1, 0, 0, 0, "s", NULL, NULL}, "f: chunk 0, sequence 0, stream \"s\", byte 0: "},
		{{"f", 8, 17, 40, -1, -1, "s", NULL, NULL}, "f:8:17 (byte 40): stream \"s\": "},
		{{"f", 8, 17, 40, 3, 5, "s", NULL, NULL}, "f:8:17 (byte 40): chunk 3, sequence 5, stream \"s\": "},
		{{"f", -1, -1, -1, -1, 5, NULL, NULL, NULL}, "f: sequence 5: "},
		{{"f", -1, -1, -1, -1, -1, "s", NULL, NULL}, "f: stream \"s\": "},
		{{"f", -1, -1, -1, -1, -1, NULL, NULL, NULL}, "f: "},
		{{NULL, -1, -1, 1048, 3, -1, "s", NULL, NULL}, "chunk 3, stream \"s\", byte 1048: "},
		{{NULL, -1, -1, -1, -1, 5, "s", NULL, NULL}, "sequence 5, stream \"s\": "},
		{{NULL, -1, -1, 7, -1, -1, NULL, NULL, NULL}, "byte 7: "},
		{{NULL, -1, -1, -1, -1, -1, NULL, NULL, NULL}, ""},
		{{"f", -1, -1, 0, -1, 5, "s", "cell", "attribute"}, "f: cell 5, attribute \"s\", byte 0: "},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[200], wanted[200];
		sheaf_problem problem = problem_at(cases[i].place);
		snprintf(wanted, sizeof wanted, "%sexpected an index below 10, found 4000000", cases[i].text);
		assert_text(wanted, sheaf_problem_text(&problem, text, sizeof text));
		problem.consequence = "the sample is left out";
		snprintf(wanted, sizeof wanted, "%sexpected an index below 10, found 4000000; the sample is left out",
		         cases[i].text);
		assert_text(wanted, sheaf_problem_text(&problem, text, sizeof text));
	}
}

static int occurrences(const char *text, const char *part)
{
	int n = 0;
	for (; (text = strstr(text, part)); text++) n++;
	return n;
}

/* Which of the seven parts of a place are known, as bits. */
static sheaf_place place_of(int known)
{
	sheaf_place place = SHEAF_NOWHERE;
	if (known & 1) place.file = everywhere.file;
	if (known & 2) place.line = everywhere.line;
	if (known & 4) place.column = everywhere.column;
	if (known & 8) place.byte = everywhere.byte;
	if (known & 16) place.chunk = everywhere.chunk;
	if (known & 32) place.row = everywhere.row;
	if (known & 64) place.stream = everywhere.stream;
	return place;
}

static void test_problem_text_of_every_place(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"train.ctf", "812", ":17", "byte 40211", "chunk 3", "sequence 55", "stream \"labels\""};
	for (int known = 0; known < 128; known++) {
		char text[300];
		sheaf_problem problem = problem_at(place_of(known));
		sheaf_problem_text(&problem, text, sizeof text);
		for (int k = 0; k < 7; k++) {
			/* A column means something on a line only. */
			bool shown = (known >> k & 1) && (k != 2 || (known & 2));
			if (occurrences(text, parts[k]) != shown)
				fail_msg("\"%s\": expected %s %d times", text, parts[k], shown);
		}
		/* No part stands glued to another, none begins with what parts it from nothing. */
		for (int k = 3; k < 7; k++) {
			const char *at = strstr(text, parts[k]);
			if (at && at > text && !strchr(" (", at[-1]))
				fail_msg("\"%s\": expected a space before %s", text, parts[k]);
		}
		if (strchr(":, ", text[0])) fail_msg("\"%s\": expected a place first", text);
		assert_true(known == 0 || known == 4 || strstr(text, ": expected an index below 10, found 4000000"));
	}
}

static void test_problem_text_is_cut_to_fit(void **state)
{
	(void)state;
	char whole[300], text[300];
	sheaf_problem problem = problem_at(everywhere);
	problem.consequence = "the sample is left out";
	size_t n = strlen(sheaf_problem_text(&problem, whole, sizeof whole));
	for (size_t size = 0; size <= n + 2; size++) {
		memset(text, '#', sizeof text);
		assert_ptr_equal(sheaf_problem_text(&problem, text, size), text);
		assert_int_equal(text[size], '#');
		if (size == 0) continue;
		size_t kept = size <= n ? size - 1 : n;
		assert_int_equal(strlen(text), kept);
		assert_memory_equal(text, whole, kept);
	}
}

/* What names options is spelled as the face of the library wants it. */
static void options_are_spelled_by_each_face(void **state)
{
	(void)state;
	static const char *const faces[][3] = {{"--", "", "-"}, {"", "=", "_"}, {"", "", "-"}};
	static const char *const plain[] = {"raise --max-memory, or --threads",
	                                    "raise max_memory=, or threads=", "raise max-memory, or threads"};
	static const char *const about[] = {
		"--max-errors: expected 1, see --strict",
		"max_errors: expected 1, see strict=", "max-errors: expected 1, see strict"};
	for (int f = 0; f < 3; f++) {
		sheaf_spell_options(faces[f][0], faces[f][1], faces[f][2][0]);
		assert_status(SHEAF_LIMIT,
		              sheaf_fail(&err, SHEAF_LIMIT, "raise " SHEAF_OPTION("max-memory") ", or %s",
		                         SHEAF_OPTION("threads")));
		assert_text(plain[f], err.message);
		assert_text("max-memory", err.advice);
		assert_text("", err.option);
		assert_status(SHEAF_USAGE, sheaf_fail_option(&err, SHEAF_USAGE, "max-errors",
		                                             ": expected 1, see " SHEAF_OPTION("strict")));
		assert_text(about[f], err.message);
		assert_text("max-errors", err.option);
	}
	sheaf_spell_options("--", "", '-');
	/* What an input has is no mark of ours. */
	assert_status(SHEAF_DATA, sheaf_fail(&err, SHEAF_DATA, "found \x01x"));
	assert_text("found x", err.message);
	assert_text("", err.advice);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(options_are_spelled_by_each_face),
	cmocka_unit_test(test_seeds_from_text),
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
	cmocka_unit_test(test_context_options),
	cmocka_unit_test(test_memory_is_counted),
	cmocka_unit_test(test_memory_of_no_bytes_and_of_texts),
	cmocka_unit_test(test_memory_limit),
	cmocka_unit_test(test_memory_limit_of_all_there_is),
	cmocka_unit_test(test_memory_that_is_refused_is_not_counted),
	cmocka_unit_test(test_policy),
	cmocka_unit_test(test_policy_error_budget),
	cmocka_unit_test(test_policy_error_budgets),
	cmocka_unit_test(test_policy_budget_does_not_cover_fatal_ones),
	cmocka_unit_test(test_policy_strict_spends_the_budget),
	cmocka_unit_test(test_policy_validation_has_no_budget),
	cmocka_unit_test(test_policy_loss),
	cmocka_unit_test(test_policy_losses_leave_the_error_budget_alone),
	cmocka_unit_test(test_tally),
	cmocka_unit_test(test_stop),
	cmocka_unit_test(test_quiet_context),
	cmocka_unit_test(test_progress),
	cmocka_unit_test(test_option_find),
	cmocka_unit_test(test_option_check),
	cmocka_unit_test(test_option_values),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_statuses),
	cmocka_unit_test(test_fail),
	cmocka_unit_test(test_fail_of_the_system),
	cmocka_unit_test(test_problem_text),
	cmocka_unit_test(test_problem_text_of_every_place),
	cmocka_unit_test(test_problem_text_is_cut_to_fit),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
