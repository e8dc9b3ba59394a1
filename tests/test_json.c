/* SPDX-License-Identifier: MIT */
/* JSON values: what is exact, what is refused. */
#include "base/third/json.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sheaf_json *parse(const char *text)
{
	sheaf_json *value;
	assert_ok(sheaf_json_parse(text, strlen(text), "d", &value, &err));
	return value;
}

static bool put(void *user, const char *text, size_t size)
{
	strncat((char *)user, text, size);
	return true;
}

static void assert_prints(const char *wanted, sheaf_json *value)
{
	char text[512] = "";
	assert_true(sheaf_json_print(value, 0, put, text));
	assert_text(wanted, text);
	sheaf_json_free(value);
}

static void integers_are_exact_however_they_are_spelled(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_i64;
		int64_t i64;
		bool is_u64;
		uint64_t u64;
	} cases[] = {
		{"0", true, 0, true, 0},
		{"-0", true, 0, true, 0},
		{"9007199254740993", true, 9007199254740993, true, 9007199254740993},
		{"9223372036854775807", true, INT64_MAX, true, INT64_MAX},
		{"-9223372036854775808", true, INT64_MIN, false, 0},
		{"9223372036854775808", false, 0, true, 9223372036854775808U},
		{"18446744073709551615", false, 0, true, UINT64_MAX},
		{"18446744073709551616", false, 0, false, 0},
		{"-9223372036854775809", false, 0, false, 0},
		{"3e9", true, 3000000000, true, 3000000000U},
		{"20.0", true, 20, true, 20},
		{"1e19", false, 0, true, 10000000000000000000U},
		{"0.5", false, 0, false, 0},
		{"1e300", false, 0, false, 0},
		{"\"7\"", false, 0, false, 0},
		{"null", false, 0, false, 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_json *value = parse(cases[i].text);
		int64_t s;
		uint64_t u;
		if (sheaf_json_i64(value, &s) != cases[i].is_i64 || sheaf_json_u64(value, &u) != cases[i].is_u64)
			fail_msg("%s", cases[i].text);
		if (cases[i].is_i64) assert_int_equal(cases[i].i64, s);
		if (cases[i].is_u64) assert_true(cases[i].u64 == u);
		sheaf_json_free(value);
	}
}

static void what_is_read_is_printed(void **state)
{
	(void)state;
	assert_prints(
		"{\"b\":18446744073709551615,\"a\":[-123456789012345678901234567890,1,\"x\\u0001\"],\"c\":{}}",
		parse(" {\"b\" : 18446744073709551615, \"a\":[-123456789012345678901234567890, "
	          "1,\"x\\u0001\"],\"c\":{} } "));
	assert_prints("\"1844674407370955161500\"", parse("\"1844674407370955161500\""));
	assert_prints("[true,false,null,2.5]", parse("[true,false,null,2.5]"));
}

static void what_is_made_is_printed(void **state)
{
	(void)state;
	sheaf_json *object = sheaf_json_new_object(), *array = sheaf_json_new_array();
	assert_true(sheaf_json_append(array, sheaf_json_new_u64(UINT64_MAX)));
	assert_true(sheaf_json_append(array, sheaf_json_new_u64(5)));
	assert_true(sheaf_json_append(array, sheaf_json_new_text("a\"b")));
	assert_true(sheaf_json_set(object, "x", array));
	assert_true(sheaf_json_set(object, "y", sheaf_json_new_bool(true)));
	assert_false(sheaf_json_set(object, "z", sheaf_json_new_text("\xff")));
	assert_prints("{\"x\":[18446744073709551615,5,\"a\\\"b\"],\"y\":true}", object);
}

static void members_come_in_their_order(void **state)
{
	(void)state;
	sheaf_json *value = parse("{\"z\":1,\"a\":2,\"m\":99999999999999999999}");
	char names[16] = "";
	void *at = NULL;
	const char *name;
	while (sheaf_json_next(value, &at, &name)) strcat(names, name);
	assert_text("zam", names);
	assert_int_equal(SHEAF_JSON_INTEGER, sheaf_json_kind_of(sheaf_json_get(value, "m")));
	assert_null(sheaf_json_text(sheaf_json_get(value, "m"), NULL));
	assert_int_equal(3, sheaf_json_size(value));
	sheaf_json_free(value);
}

static void what_breaks_the_rules_is_refused(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"{\"a\":1,\"a\":2}", "duplicate"},
		{"{\"a\":1,}", "d:1:8"},
		{"[1", "d:1:2"},
		{"", "expected JSON"},
		{"[1] 2", "end of file"},
		{"{\n  \"a\": \"\\u0001123\"}", "d:2:8: expected JSON, found a text that begins with U+0001"},
		{"\"abc", "expected JSON"},
		{"\"abc\\", "expected JSON"},
		{"-", "expected JSON"},
		{"00000000000000000000000000000", "expected JSON"},
		{"[1e999]", "expected JSON"},
		{"\"\xff\"", "expected JSON"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_json *value;
		assert_status(SHEAF_DATA, sheaf_json_parse(cases[i][0], strlen(cases[i][0]), "d", &value, &err));
		assert_message(cases[i][1]);
		assert_null(value);
	}
}

static void nothing_is_no_json(void **state)
{
	(void)state;
	sheaf_json *value;
	assert_status(SHEAF_DATA, sheaf_json_parse(NULL, 0, "d", &value, &err));
	assert_message("d:1:1: expected JSON");
}

/* In memory of exactly its size, so that a sanitizer sees reads after it. */
static void a_text_that_ends_in_a_number_is_not_read_beyond(void **state)
{
	(void)state;
	static const char *const cases[] = {"[1", "-", "-1", "{\"a\":9223372036854775807"};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_json *value;
		size_t size = strlen(cases[i]);
		char *text = malloc(size);
		assert_non_null(text);
		memcpy(text, cases[i], size);
		assert_status(i == 2 ? SHEAF_OK : SHEAF_DATA, sheaf_json_parse(text, size, "d", &value, &err));
		sheaf_json_free(value);
		free(text);
	}
}

static void nesting_ends(void **state)
{
	(void)state;
	char text[4 * SHEAF_JSON_DEPTH];
	for (int depth = SHEAF_JSON_DEPTH; depth <= SHEAF_JSON_DEPTH + 1; depth++) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		sheaf_json *value;
		sheaf_status status = sheaf_json_parse(text, 2 * (size_t)depth, "d", &value, &err);
		assert_int_equal(depth == SHEAF_JSON_DEPTH ? SHEAF_OK : SHEAF_DATA, status);
		sheaf_json_free(value);
	}
	assert_message("d:1:65: expected JSON, found too many values inside one another");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact_however_they_are_spelled),
		cmocka_unit_test(what_is_read_is_printed),
		cmocka_unit_test(what_is_made_is_printed),
		cmocka_unit_test(members_come_in_their_order),
		cmocka_unit_test(what_breaks_the_rules_is_refused),
		cmocka_unit_test(a_text_that_ends_in_a_number_is_not_read_beyond),
		cmocka_unit_test(nothing_is_no_json),
		cmocka_unit_test(nesting_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
