/* SPDX-License-Identifier: MIT */
/* Schemas: fields, names, copies, and declarations of streams. */
#include "base/buffer.h"
#include "frame/frame.h"
#include "frame/schema/declare.h"
#include "frame/schema/schema_bytes.h"
#include "with_context.h"
#include <stdio.h>

/* ---- schemas ---- */

static void test_types(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t size;
	} types[SHEAF_TYPES] = {{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8},  {"int8", 1},
	                        {"int16", 2}, {"int32", 4},  {"int64", 8},  {"float32", 4}, {"float64", 8}};
	for (int t = 0; t < SHEAF_TYPES; t++) {
		assert_string_equal(sheaf_type_name((sheaf_type)t), types[t].name);
		assert_int_equal(sheaf_type_size((sheaf_type)t), types[t].size);
	}
	assert_string_equal(sheaf_type_name((sheaf_type)SHEAF_TYPES), "type?");
}

static void test_schema_streams(void **state)
{
	(void)state;
	table t = new_table(cx);
	add_stream(&t, "dense", false, 7, SHEAF_F64);
	add_stream(&t, "sparse", true, 9, SHEAF_F32);
	add_stream(&t, "wide", true, (INT64_C(1) << 31) + 1, SHEAF_F32);
	add_stream(&t, "narrow", true, INT64_C(1) << 31, SHEAF_F32); /* its largest index is just an int32 */
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	const sheaf_field *f = t.schema.fields;
	assert_int_equal(t.schema.nfields, 5);
	assert_true(sheaf_field_is_dense(&f[0]) && !sheaf_field_is_sparse(&f[0]));
	assert_true(sheaf_field_is_sparse(&f[1]) && !sheaf_field_is_dense(&f[1]));
	assert_false(sheaf_field_is_dense(&f[4]) || sheaf_field_is_sparse(&f[4]));
	assert_int_equal(sheaf_field_dim(&f[0]), 7);
	assert_int_equal(sheaf_field_dim(&f[1]), 9);
	assert_int_equal(f[1].levels[1].index_type, SHEAF_I32);
	assert_int_equal(f[2].levels[1].index_type, SHEAF_I64);
	assert_int_equal(f[3].levels[1].index_type, SHEAF_I32);
	assert_int_equal(f[4].type, SHEAF_U64);
	assert_int_equal(sheaf_schema_find(&t.schema, "wide"), 2);
	assert_int_equal(sheaf_schema_find(&t.schema, "wid"), -1);
	assert_int_equal(sheaf_schema_find(&t.schema, "key"), -1); /* a key is no stream */
	assert_int_equal(sheaf_schema_key(&t.schema), 4);
	free_table(&t);
	assert_int_equal(sheaf_schema_key(&t.schema), -1);
}

static void test_schema_finds_a_stream_called_key(void **state)
{
	(void)state;
	table t = new_table(cx);
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	add_stream(&t, "key", false, 1, SHEAF_F32);
	assert_int_equal(sheaf_schema_find(&t.schema, "key"), 1);
	free_table(&t);
}

static void test_schema_copy(void **state)
{
	(void)state;
	sheaf_schema copy;
	table t = new_table(cx);
	add_stream(&t, "a", false, 2, SHEAF_F64);
	add_stream(&t, "b", true, 3, SHEAF_F32);
	assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[1], "first", 5, &err));
	assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[1], "short name", 5, &err));
	t.schema.fields[0].main = true;
	assert_ok(sheaf_schema_copy(&t.schema, cx, &copy, &err));
	assert_ptr_not_equal(copy.fields[0].name, t.schema.fields[0].name);
	free_table(&t);
	assert_int_equal(copy.nfields, 2);
	assert_string_equal(copy.fields[0].name, "a");
	assert_string_equal(copy.fields[1].alias, "short");
	assert_null(copy.fields[0].alias);
	assert_true(copy.fields[0].main);
	assert_int_equal(copy.fields[0].type, SHEAF_F64);
	assert_int_equal(sheaf_field_dim(&copy.fields[1]), 3);
	sheaf_schema_free(&copy);
	sheaf_schema_free(&copy);
}

static void test_schema_remove(void **state)
{
	(void)state;
	static const char *const names[] = {"a", "b", "c"};
	for (int gone = 0; gone < 3; gone++) {
		table t = new_table(cx);
		for (int i = 0; i < 3; i++) add_stream(&t, names[i], false, 1 + i, SHEAF_F32);
		assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[gone], "x", 1, &err));
		sheaf_schema_remove(&t.schema, gone);
		assert_int_equal(t.schema.nfields, 2);
		assert_string_equal(t.schema.fields[0].name, names[gone == 0]);
		assert_string_equal(t.schema.fields[1].name, names[gone == 2 ? 1 : 2]);
		free_table(&t);
	}
}

/* Counted memory must be balanced, however a schema got its fields. */
static void test_schema_emptied_and_filled_again(void **state)
{
	(void)state;
	table t = new_table(cx);
	add_stream(&t, "a", false, 1, SHEAF_F32);
	sheaf_schema_remove(&t.schema, 0);
	assert_int_equal(t.schema.nfields, 0);
	add_stream(&t, "b", false, 1, SHEAF_F32);
	assert_string_equal(t.schema.fields[0].name, "b");
	free_table(&t);
	assert_int_equal(sheaf_context_memory(cx, NULL), 0);
}

/* Everything that makes a schema, with each of its allocations refused in turn. */
static sheaf_status make_and_copy(sheaf_context *c)
{
	sheaf_schema schema = {.cx = c}, copy = {.cx = c};
	sheaf_field *field;
	sheaf_status status = sheaf_schema_add(&schema, c, "name", 4, &field, &err);
	if (status == SHEAF_OK) status = sheaf_schema_set_alias(&schema, field, "n", 1, &err);
	if (status == SHEAF_OK) status = sheaf_schema_add_key(&schema, c, &err);
	if (status == SHEAF_OK) status = sheaf_schema_copy(&schema, c, &copy, &err);
	if (status == SHEAF_OK) sheaf_schema_remove(&schema, 0);
	sheaf_schema_free(&schema);
	sheaf_schema_free(&copy);
	return status;
}

/* Most of the blocks that these fields ask for are for their levels. */
static sheaf_status add_deep_fields(sheaf_schema *schema)
{
	enum { FIELDS = 300 };
	for (int f = 0; f < FIELDS; f++) {
		sheaf_field *field;
		char name[16];
		size_t n = (size_t)snprintf(name, sizeof name, "deep %d", f);
		SHEAF_TRY(sheaf_schema_add(schema, schema->cx, name, n, &field, &err));
		SHEAF_TRY(sheaf_schema_make_levels(schema, field, SHEAF_MAX_LEVELS, &err));
		assert_int_equal(field->room, SHEAF_MAX_LEVELS);
		field->nlevels = SHEAF_MAX_LEVELS;
		for (int l = 0; l < SHEAF_MAX_LEVELS; l++)
			field->levels[l] = (sheaf_level_shape){.kind = SHEAF_LIST, .extent = f + l};
	}
	return SHEAF_OK;
}

static sheaf_status make_levels(sheaf_context *c)
{
	sheaf_schema schema = {.cx = c};
	sheaf_status status = add_deep_fields(&schema);
	sheaf_schema_free(&schema);
	return status;
}

static sheaf_buffer deep_bytes;

static sheaf_status read_levels(sheaf_context *c)
{
	sheaf_schema schema;
	sheaf_cursor cursor = sheaf_cursor_over(deep_bytes.data, deep_bytes.size, 0);
	sheaf_status status = sheaf_schema_from_bytes(&cursor, c, &schema, &err);
	for (int f = 0; f < schema.nfields; f++) {
		assert_true(schema.fields[f].room >= SHEAF_MAX_LEVELS);
		for (int l = 0; l < SHEAF_MAX_LEVELS; l++) assert_int_equal(schema.fields[f].levels[l].extent, f + l);
	}
	sheaf_schema_free(&schema);
	return status;
}

/* Each allocation is refused once: that is always told. */
static void without_memory(sheaf_status (*what)(sheaf_context *c))
{
	bool refused = true;
	int failures = 0;
	for (int n = 2; refused; n++, failures++) {
		allocator memory = {.fail_at = n};
		sheaf_context_options options = options_with(&memory);
		sheaf_context *c = context_with(&options);
		sheaf_status status = what(c);
		refused = memory.calls >= n;
		assert_int_equal(status, refused ? SHEAF_NOMEM : SHEAF_OK);
		end_context(c);
		assert_int_equal(memory.bytes, 0);
	}
	assert_true(failures > 4);
}

static void test_schema_without_memory(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx};
	sheaf_builder b;
	without_memory(make_and_copy);
	without_memory(make_levels);
	sheaf_builder_begin(&b, cx, NULL);
	assert_ok(add_deep_fields(&schema));
	sheaf_schema_to_bytes(&schema, &b);
	assert_ok(sheaf_builder_finish(&b, &deep_bytes, &err));
	without_memory(read_levels);
	sheaf_buffer_reset(&deep_bytes);
	sheaf_schema_free(&schema);
}

/* Bytes of a part file or an index, which may be damaged. */
static void test_alias_with_a_nul(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx}, back;
	sheaf_field *field;
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	assert_ok(sheaf_schema_add(&schema, cx, "a", 1, &field, &err));
	assert_ok(sheaf_schema_set_alias(&schema, field, "xyz", 3, &err));
	sheaf_schema_to_bytes(&schema, &b);
	for (int i = 0; i < 2; i++) {
		sheaf_cursor c = sheaf_cursor_over(b.data, b.size, 0);
		assert_status(i ? SHEAF_DATA : SHEAF_OK, sheaf_schema_from_bytes(&c, cx, &back, &err));
		if (i) assert_message("an alias");
		sheaf_schema_free(&back);
		uint8_t *alias = (uint8_t *)memmem(b.data, b.size, "xyz", 3);
		if (alias) alias[1] = '\0';
	}
	sheaf_builder_drop(&b);
	sheaf_schema_free(&schema);
}

static void test_whole_tensor_without_a_field(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx, .rows = SHEAF_WHOLE}, back;
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_schema_to_bytes(&schema, &b);
	sheaf_cursor c = sheaf_cursor_over(b.data, b.size, 0);
	assert_status(SHEAF_DATA, sheaf_schema_from_bytes(&c, cx, &back, &err));
	assert_message("expected one field of all values, found 0");
	sheaf_builder_drop(&b);
}

/* ---- declarations of streams ---- */

static void test_declarations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t dim;
		int sparse, type;
		const char *name, *alias;
	} cases[] = {
		{"A:2:dense", 2, 0, -1, "A", NULL},
		{"A:sparse:2", 2, 1, -1, "A", NULL},
		{"long name:9223372036854775807:sparse:double", INT64_MAX, 1, SHEAF_F64, "long name", NULL},
		{"A:2:dense:float:alias=x:y", 2, 0, SHEAF_F32, "A", "x:y"},
		{"A:alias=B", -1, -1, -1, "A", "B"},
		{"A", -1, -1, -1, "A", NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_declared d;
		assert_ok(sheaf_declared_from_text(cases[i].text, &d, &err));
		assert_int_equal(d.dim, cases[i].dim);
		assert_int_equal(d.sparse, cases[i].sparse);
		assert_int_equal(d.type, cases[i].type);
		assert_int_equal(d.name_size, strlen(cases[i].name));
		assert_memory_equal(d.name, cases[i].name, d.name_size);
		assert_true((d.alias != NULL) == (cases[i].alias != NULL));
		if (d.alias) assert_string_equal(d.alias, cases[i].alias);
	}
	static const char *const bad[] = {"",           ":2:dense",  "A:",         "A:0:dense",
	                                  "A:-1:dense", "A:2:dens",  "A:2:dense:", "A:9223372036854775808:dense",
	                                  "A:2:alias=", "A:2 :dense"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_declared d;
		assert_status(SHEAF_USAGE, sheaf_declared_from_text(bad[i], &d, &err));
		assert_message("--stream");
	}
}

static void test_declarations_printed(void **state)
{
	(void)state;
	static const char *const texts[] = {"A:2:dense", "B:70000000000:sparse:double", "C:1:sparse:alias=c"};
	table t = new_table(cx);
	for (size_t i = 0; i < COUNT(texts); i++) {
		sheaf_declared d;
		sheaf_builder b;
		char name[2] = {texts[i][0], '\0'};
		assert_ok(sheaf_declared_from_text(texts[i], &d, &err));
		add_stream(&t, name, d.sparse, d.dim, d.type == SHEAF_F64 ? SHEAF_F64 : SHEAF_F32);
		if (d.alias)
			assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[i], d.alias, d.alias_size, &err));
		sheaf_builder_begin(&b, cx, NULL);
		sheaf_declared_to_text(&b, &t.schema.fields[i], true);
		sheaf_builder_byte(&b, '\0');
		assert_text(texts[i], (const char *)b.data);
		sheaf_builder_drop(&b);
	}
	free_table(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, drop_context)

static const struct CMUnitTest tests[] = {
	TEST(test_types),
	TEST(test_schema_streams),
	TEST(test_schema_finds_a_stream_called_key),
	TEST(test_schema_copy),
	TEST(test_schema_remove),
	TEST(test_schema_emptied_and_filled_again),
	TEST(test_schema_without_memory),
	TEST(test_alias_with_a_nul),
	TEST(test_whole_tensor_without_a_field),
	TEST(test_declarations),
	TEST(test_declarations_printed),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
