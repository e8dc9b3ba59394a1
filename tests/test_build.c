/* SPDX-License-Identifier: MIT */
/* The public way to make schemas and frames and to read them as arrays: results are sound, invalid calls are
 * refused with a reason, wrapped arrays are released with their last owner. */
#include "with_context.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemas ---- */

static void test_a_schema_of_streams(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx};
	assert_ok(sheaf_schema_add_dense(&schema, "a", 3, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "b", INT64_C(1) << 40, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_keys(&schema, &err));
	assert_ok(sheaf_schema_add_attribute(&schema, "from", "nowhere", &err));
	assert_int_equal(schema.rows, SHEAF_SEQUENCES);
	assert_true(sheaf_field_is_dense(&schema.fields[0]));
	assert_true(sheaf_field_is_sparse(&schema.fields[1]));
	assert_int_equal(schema.fields[1].levels[1].index_type, SHEAF_I64);
	assert_int_equal(sheaf_schema_key(&schema), 2);
	assert_text("nowhere", sheaf_schema_attribute(&schema, "from"));
	sheaf_schema_free(&schema);
	assert_int_equal(schema.nfields, 0);
}

static void test_what_no_schema_has(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx}, nothing = {0}, table_of = {.rows = SHEAF_CELLS, .cx = cx};
	assert_status(SHEAF_USAGE, sheaf_schema_add_dense(&nothing, "a", 1, SHEAF_F32, &err));
	assert_message("expected one that was initialised with {.cx = cx}, found no context in it");
	assert_status(SHEAF_USAGE, sheaf_schema_add_dense(NULL, "a", 1, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_dense(&schema, "a", 1, SHEAF_F32, &err));
	assert_status(SHEAF_USAGE, sheaf_schema_add_sparse(&schema, "a", 1, SHEAF_F32, &err));
	assert_message("expected each name once, found \"a\" twice");
	assert_status(SHEAF_USAGE, sheaf_schema_add_dense(&schema, NULL, 1, SHEAF_F32, &err));
	assert_message("expected a name, found none");
	assert_ok(sheaf_schema_add_dense(&schema, "", 1, SHEAF_F32, &err)); /* as files have it */
	assert_status(SHEAF_USAGE, sheaf_schema_add_dense(&schema, "b", 0, SHEAF_F32, &err));
	assert_message("stream \"b\": expected a dim of at least 1, found 0");
	assert_status(SHEAF_USAGE, sheaf_schema_add_sparse(&schema, "b", 5, (sheaf_type)77, &err));
	assert_message("expected an element type, found number 77");
	assert_ok(sheaf_schema_add_keys(&schema, &err));
	assert_status(SHEAF_USAGE, sheaf_schema_add_keys(&schema, &err));
	assert_message("expected one column of them, found two");
	assert_status(SHEAF_USAGE,
	              sheaf_schema_add_column(&schema, "t", SHEAF_STRING, SHEAF_F32, SHEAF_NEVER, &err));
	assert_message("expected uint8 for what it means, found float32");
	assert_status(SHEAF_USAGE,
	              sheaf_schema_add_column(&schema, "t", SHEAF_COMPLEX, SHEAF_I64, SHEAF_NEVER, &err));
	assert_status(SHEAF_USAGE,
	              sheaf_schema_add_column(&schema, "t", SHEAF_KEY, SHEAF_U64, SHEAF_NEVER, &err));
	assert_status(SHEAF_USAGE,
	              sheaf_schema_add_column(&schema, "t", SHEAF_NUMBER, SHEAF_U64, SHEAF_IMPUTED, &err));
	assert_status(SHEAF_USAGE, sheaf_schema_add_bytes(&schema, "t", 0, SHEAF_NEVER, &err));
	assert_message("expected a width of at least 1, found 0");
	assert_ok(sheaf_schema_add_attribute(&schema, "x", "1", &err));
	assert_status(SHEAF_USAGE, sheaf_schema_add_attribute(&schema, "x", "2", &err));
	assert_message("expected each name once, found \"x\" twice");
	const char *const unnamed[][2] = {{NULL, "1"}, {"", "1"}, {"y", NULL}};
	for (size_t i = 0; i < COUNT(unnamed); i++) {
		assert_status(SHEAF_USAGE, sheaf_schema_add_attribute(&schema, unnamed[i][0], unnamed[i][1], &err));
		assert_message("expected a name and a text, found none");
	}
	assert_status(SHEAF_USAGE, sheaf_schema_add_attribute(NULL, "y", "1", &err));
	assert_message("expected one that was initialised with {.cx = cx}, found NULL");
	assert_status(SHEAF_USAGE, sheaf_schema_add_attribute(&(sheaf_schema){0}, "y", "1", &err));
	assert_message("expected one that was initialised with {.cx = cx}, found no context in it");
	assert_int_equal(schema.nfields, 3);
	assert_status(SHEAF_USAGE, sheaf_schema_add_keys(&table_of, &err));
	assert_message("expected a schema of sequences, found rows of a table");
	assert_status(SHEAF_USAGE, sheaf_schema_add_dense(&table_of, "a", 1, SHEAF_F32, &err));
	sheaf_schema_free(&schema);
}

static const sheaf_tensor matrix = {.rank = 2, .shape = {3, 4}};
static const sheaf_level_shape csr[2] = {
	{.kind = SHEAF_FIXED, .extent = 3},
	{.kind = SHEAF_COORD, .rank = 1, .extent = 4, .index_type = SHEAF_I32}};

static void test_schemas_of_tensors(void **state)
{
	(void)state;
	sheaf_summary *summary;
	for (int rank = 0; rank <= SHEAF_MAX_RANK; rank++) {
		sheaf_schema schema = {.cx = cx};
		sheaf_tensor tensor = {.rank = rank, .shape = {2, 2, 2, 2, 2, 2, 2, INT64_C(1) << 33}};
		assert_ok(sheaf_schema_add_entries(&schema, &tensor, SHEAF_COMPLEX, SHEAF_F64, &err));
		assert_int_equal(schema.rows, SHEAF_ENTRIES);
		assert_int_equal(schema.nfields, rank + 1);
		assert_int_equal(sheaf_schema_value(&schema), rank);
		for (int d = 0; d < rank; d++) assert_int_equal(schema.tensor.order[d], d);
		if (rank) assert_int_equal(schema.fields[rank - 1].type, rank == 8 ? SHEAF_I64 : SHEAF_I32);
		assert_status(SHEAF_USAGE, sheaf_schema_add_dense(&schema, "x", 1, SHEAF_F32, &err));
		assert_message("expected sequences or cells, which have fields, found a tensor");
		sheaf_schema_free(&schema);
	}
	sheaf_schema schema = {.cx = cx};
	assert_ok(sheaf_schema_add_levels(&schema, &matrix, csr, 2, SHEAF_NUMBER, SHEAF_F32, &err));
	assert_int_equal(schema.rows, SHEAF_WHOLE);
	assert_status(SHEAF_USAGE, sheaf_schema_add_entries(&schema, &matrix, SHEAF_NUMBER, SHEAF_F32, &err));
	assert_message("expected none of the fields before the tensor, found 1");
	assert_status(SHEAF_UNSUPPORTED, sheaf_summary_new(&schema, cx, &summary, &err));
	assert_message("expected rows, found a tensor that is one row; read it as entries");
	sheaf_schema_free(&schema);
	schema = (sheaf_schema){.cx = cx};
	assert_status(SHEAF_USAGE, sheaf_schema_add_entries(&schema, NULL, SHEAF_NUMBER, SHEAF_F32, &err));
	assert_message("expected its rank and shape, found NULL");
	assert_status(SHEAF_USAGE, sheaf_schema_add_entries(&schema, &matrix, SHEAF_STRING, SHEAF_U8, &err));
	assert_message("expected numbers, truth values or complex numbers, found meaning number");
	sheaf_schema_free(&schema);
}

static void refuse_tensor(sheaf_tensor tensor, const sheaf_level_shape *levels, int nlevels, const char *why)
{
	sheaf_schema schema = {.cx = cx};
	if (nlevels < 0)
		assert_status(SHEAF_USAGE, sheaf_schema_add_entries(&schema, &tensor, SHEAF_NUMBER, SHEAF_F64, &err));
	else
		assert_status(SHEAF_USAGE, sheaf_schema_add_levels(&schema, &tensor, levels, nlevels, SHEAF_NUMBER,
		                                                   SHEAF_F64, &err));
	assert_message(why);
	assert_int_equal(schema.nfields, 0);
	assert_int_equal(schema.rows, SHEAF_SEQUENCES);
	sheaf_schema_free(&schema);
}

static void test_what_no_tensor_has(void **state)
{
	(void)state;
	sheaf_level_shape levels[SHEAF_MAX_LEVELS + 1] = {{0}};
	refuse_tensor((sheaf_tensor){.rank = 9}, NULL, -1, "expected a rank from 0 to 8, found 9");
	refuse_tensor((sheaf_tensor){.rank = -1}, NULL, -1, "expected a rank from 0 to 8, found -1");
	refuse_tensor((sheaf_tensor){.rank = 1, .shape = {-1}}, NULL, -1, "an extent of at least 0, found -1");
	refuse_tensor((sheaf_tensor){.rank = 2, .order = {1, 1}}, NULL, -1, "found dimension 1 in place 1");
	refuse_tensor((sheaf_tensor){.rank = 2, .order = {0, 2}}, NULL, -1, "found dimension 2 in place 1");
	refuse_tensor((sheaf_tensor){.rank = 2, .shape = {3, 4}, .structure = SHEAF_SYMMETRIC_LOWER}, NULL, -1,
	              "expected a square matrix");
	refuse_tensor(matrix, levels, SHEAF_MAX_LEVELS, "expected 0 to 11 levels, found 12");
	refuse_tensor(matrix, csr, 1, "expected levels of 2 dimensions, found 1");
	memcpy(levels, csr, sizeof csr);
	levels[0].extent = 2;
	refuse_tensor(matrix, levels, 2, "level 0: expected the extent 3 of dimension 0, found 2");
	levels[0].extent = 3;
	levels[1].rank = 2;
	refuse_tensor(matrix, levels, 2, "level 1: expected at most the 1 dimensions that are left, found 2");
	levels[1].rank = 1;
	levels[1].index_type = SHEAF_F32;
	refuse_tensor(matrix, levels, 2, "level 1: expected indices of int32");
	levels[1].kind = SHEAF_LIST;
	refuse_tensor(matrix, levels, 2, "level 1: expected FIXED or COORD");
}

/* ---- rows one by one ---- */

typedef struct made {
	sheaf_schema schema;
	sheaf_frame_builder *builder;
	sheaf_frame frame;
} made;

static made streams(void)
{
	made m = {.schema = {.cx = cx}};
	assert_ok(sheaf_schema_add_dense(&m.schema, "dense", 2, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&m.schema, "sparse", 10, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_keys(&m.schema, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	return m;
}

static made cells(void)
{
	made m = {.schema = {.rows = SHEAF_CELLS, .cx = cx}};
	assert_ok(sheaf_schema_add_column(&m.schema, "n", SHEAF_NUMBER, SHEAF_I16, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_schema_add_column(&m.schema, "s", SHEAF_STRING, SHEAF_U8, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_schema_add_column(&m.schema, "z", SHEAF_COMPLEX, SHEAF_F32, SHEAF_NEVER, &err));
	assert_ok(sheaf_schema_add_bytes(&m.schema, "b", 3, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	return m;
}

static void end(made *m)
{
	sheaf_frame_free(&m->frame);
	sheaf_frame_builder_free(m->builder);
	sheaf_schema_free(&m->schema);
}

static void test_streams_sample_by_sample(void **state)
{
	(void)state;
	made m = streams();
	sheaf_stream_arrays s;
	sheaf_column_arrays keys;
	sheaf_tensor_arrays tensor;
	sheaf_build_dense(m.builder, 0, (float[]){1, 2, 3, 4}, 2);
	sheaf_build_sparse(m.builder, 1, (int64_t[]){9, 0}, (double[]){5, 6}, 2);
	sheaf_build_key(m.builder, 77);
	sheaf_build_row(m.builder);
	sheaf_build_sparse(m.builder, 1, NULL, NULL, 0);
	sheaf_build_sparse(m.builder, 1, (int64_t[]){3}, (double[]){7}, 1);
	sheaf_build_row(m.builder);
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_true(m.frame.checked);
	assert_int_equal(m.frame.nrows, 2);
	assert_ok(sheaf_frame_check(&m.frame, &m.schema, SHEAF_CHECK_FULL, &err));

	assert_ok(sheaf_frame_stream(&m.frame, &m.schema, 0, &s, &err));
	assert_false(s.sparse);
	assert_int_equal(s.dim, 2);
	assert_int_equal(s.nrows, 2);
	assert_memory_equal(s.rows, ((int64_t[]){0, 2, 2}), 24);
	assert_null(s.entries);
	assert_int_equal(s.values.type, SHEAF_F32);
	assert_int_equal(s.values.count, 4);
	assert_memory_equal(s.values.f32, ((float[]){1, 2, 3, 4}), 16);

	assert_ok(sheaf_frame_stream(&m.frame, &m.schema, 1, &s, &err));
	assert_true(s.sparse);
	assert_memory_equal(s.rows, ((int64_t[]){0, 1, 3}), 24);
	assert_memory_equal(s.entries, ((int64_t[]){0, 2, 2, 3}), 32);
	assert_int_equal(s.indices.count, 3);
	assert_memory_equal(s.indices.i32, ((int32_t[]){9, 0, 3}), 12);
	assert_memory_equal(s.values.f64, ((double[]){5, 6, 7}), 24);
	assert_int_equal(sheaf_items_integer(&s.indices, 2), 3);
	assert_true(sheaf_items_number(&s.values, 1) == 6);

	assert_ok(sheaf_frame_column(&m.frame, &m.schema, 2, &keys, &err));
	assert_int_equal(keys.values.u64[0], 77);
	assert_int_equal(keys.values.u64[1], 1);
	assert_status(SHEAF_USAGE, sheaf_frame_stream(&m.frame, &m.schema, 2, &s, &err));
	assert_message("column \"key\": expected a stream, found");
	assert_status(SHEAF_USAGE, sheaf_frame_column(&m.frame, &m.schema, 0, &keys, &err));
	assert_status(SHEAF_USAGE, sheaf_frame_column(&m.frame, &m.schema, 3, &keys, &err));
	assert_message("expected a column below 3, found 3");
	assert_status(SHEAF_USAGE, sheaf_frame_column(&m.frame, &m.schema, -1, &keys, &err));
	assert_message("expected a column below 3, found -1");
	assert_status(SHEAF_USAGE, sheaf_frame_column(NULL, &m.schema, 0, &keys, &err));
	assert_message("expected a frame, its schema and room, found NULL");
	assert_status(SHEAF_USAGE, sheaf_frame_column(&m.frame, NULL, 0, &keys, &err));
	assert_message("expected a frame, its schema and room, found NULL");
	assert_status(SHEAF_USAGE, sheaf_frame_column(&m.frame, &m.schema, 0, NULL, &err));
	assert_message("expected a frame, its schema and room, found NULL");
	assert_status(SHEAF_USAGE, sheaf_frame_tensor(&m.frame, &m.schema, &tensor, &err));
	assert_message("expected a tensor, found");
	m.frame.ncolumns--;
	assert_status(SHEAF_USAGE, sheaf_frame_column(&m.frame, &m.schema, 0, &keys, &err));
	assert_message("expected a frame of 3 columns, as the schema has, found 2");
	m.frame.ncolumns++;
	end(&m);
}

static void test_cells_item_by_item(void **state)
{
	(void)state;
	made m = cells();
	sheaf_column_arrays c;
	for (int r = 0; r < 11; r++) {
		if (r == 9)
			sheaf_build_missing(m.builder, 0, 5);
		else
			sheaf_build_integer(m.builder, 0, -r);
		if (r % 2)
			sheaf_build_missing(m.builder, 1, 0);
		else
			sheaf_build_text(m.builder, 1, "text", (size_t)r / 2);
		sheaf_build_item(m.builder, 2, (float[]){(float)r, 0.5f});
		if (r == 0)
			sheaf_build_missing(m.builder, 3, 0);
		else
			sheaf_build_item(m.builder, 3, "xyz");
		sheaf_build_row(m.builder);
	}
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_ok(sheaf_frame_check(&m.frame, &m.schema, SHEAF_CHECK_FULL, &err));
	assert_ok(sheaf_frame_column(&m.frame, &m.schema, 0, &c, &err));
	assert_int_equal(c.width, 1);
	assert_null(c.offsets);
	for (int r = 0; r < 11; r++) {
		assert_int_equal(sheaf_column_has(&c, r), r != 9);
		assert_int_equal(c.codes[r], r == 9 ? 5 : 0);
		if (r != 9) assert_int_equal(c.values.i16[r], -r);
	}
	assert_ok(sheaf_frame_column(&m.frame, &m.schema, 1, &c, &err));
	for (int r = 0; r < 11; r++) {
		assert_int_equal(sheaf_column_has(&c, r), r % 2 == 0);
		assert_int_equal(c.offsets[r + 1] - c.offsets[r], r % 2 ? 0 : r / 2 > 4 ? 5 : r / 2);
	}
	assert_null(c.codes);
	assert_ok(sheaf_frame_column(&m.frame, &m.schema, 2, &c, &err));
	assert_int_equal(c.width, 2);
	assert_int_equal(c.values.count, 22);
	assert_true(c.values.f32[20] == 10);
	assert_null(c.valid);
	assert_ok(sheaf_frame_column(&m.frame, &m.schema, 3, &c, &err));
	assert_int_equal(c.width, 3);
	assert_memory_equal(c.values.u8, "\0\0\0xyz", 6);
	end(&m);
}

/* A builder continues after it gave its rows. */
static void test_taking_again(void **state)
{
	(void)state;
	made m = streams();
	for (int64_t n = 0; n < 3; n++) {
		for (int64_t r = 0; r < n; r++) {
			sheaf_build_dense(m.builder, 0, (float[]){1, 2}, 1);
			sheaf_build_row(m.builder);
		}
		assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
		assert_int_equal(m.frame.nrows, n);
		assert_ok(sheaf_frame_check(&m.frame, &m.schema, SHEAF_CHECK_FULL, &err));
		sheaf_frame_free(&m.frame);
	}
	end(&m);
}

#define refused(m, status, why) \
	do { \
		assert_status(status, sheaf_frame_builder_take((m).builder, &(m).frame, &err)); \
		assert_message(why); \
		assert_int_equal((m).frame.nrows, 0); \
	} while (0)

/* One sample less than none, of one byte, would fit. */
static void test_fewer_samples_than_none(void **state)
{
	(void)state;
	made m = {.schema = {.cx = cx}};
	assert_ok(sheaf_schema_add_dense(&m.schema, "byte", 1, SHEAF_U8, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	sheaf_build_dense(m.builder, 0, (uint8_t[]){1}, -1);
	refused(m, SHEAF_USAGE, "expected samples that fit memory, found -1");
	end(&m);
}

static void test_what_no_row_has(void **state)
{
	(void)state;
	made m = streams();
	sheaf_build_dense(m.builder, 7, (float[]){1, 2}, 1);
	refused(m, SHEAF_USAGE, "frame builder: row 0: expected a column below 3, found 7");
	sheaf_build_row(m.builder);
	sheaf_build_sparse(m.builder, 1, (int64_t[]){3, 10}, (double[]){1, 2}, 2);
	sheaf_build_number(m.builder, 0, 1); /* the first failure is what counts */
	refused(m, SHEAF_DATA, "row 1, column \"sparse\": expected an index below 10, found 10");
	sheaf_build_sparse(m.builder, 1, (int64_t[]){-1}, (double[]){1}, 1);
	refused(m, SHEAF_DATA, "expected an index below 10, found -1");
	sheaf_build_number(m.builder, 0, 1);
	refused(m, SHEAF_USAGE, "column \"dense\": expected what \"dense\" storage takes, found a number");
	sheaf_build_dense(m.builder, 0, (float[]){1, 2}, 1);
	refused(m, SHEAF_USAGE, "expected the row to be complete (sheaf_build_row), found it open");
	sheaf_build_dense(m.builder, 0, NULL, INT64_MAX);
	refused(m, SHEAF_USAGE, "expected samples that fit memory");
	sheaf_build_key(m.builder, 1);
	sheaf_build_key(m.builder, 2);
	refused(m, SHEAF_USAGE, "column \"key\": expected one item in each row, found two");
	sheaf_build_rows(m.builder, 1);
	refused(m, SHEAF_USAGE, "expected runs of the column");
	end(&m);

	m = cells();
	sheaf_build_row(m.builder);
	refused(m, SHEAF_USAGE, "row 0, column \"n\": expected an item, found none");
	sheaf_build_integer(m.builder, 0, 40000);
	refused(m, SHEAF_DATA, "expected a value that int16 holds, found 40000");
	sheaf_build_number(m.builder, 0, 0.5);
	refused(m, SHEAF_DATA, "expected a value that int16 holds, found 0.5");
	sheaf_build_text(m.builder, 0, "1", 1);
	refused(m, SHEAF_USAGE, "found a text");
	sheaf_build_number(m.builder, 1, 1);
	refused(m, SHEAF_USAGE, "expected what \"text\" storage takes, found a number");
	sheaf_build_item(m.builder, 1, "1");
	refused(m, SHEAF_USAGE, "found an item of a fixed size");
	sheaf_build_missing(m.builder, 2, 0);
	refused(m, SHEAF_USAGE, "expected an item, since none may be missing, found none");
	sheaf_build_missing(m.builder, 0, 128);
	refused(m, SHEAF_USAGE, "expected a code from 0 to 127, found 128");
	sheaf_build_key(m.builder, 1);
	refused(m, SHEAF_USAGE, "expected a schema with keys, found one without");
	sheaf_build_dense(m.builder, 0, (float[]){1, 2}, 1);
	refused(m, SHEAF_USAGE, "found dense samples");
	end(&m);

	assert_status(SHEAF_USAGE, sheaf_frame_builder_new(NULL, cx, &m.builder, &err));
	assert_null(m.builder);
	sheaf_frame_builder_free(NULL);
}

/* ---- whole runs ---- */

static int released;

static void release(void *user, const void *data)
{
	assert_ptr_equal(user, &released);
	free((void *)(uintptr_t)data);
	released++;
}

static sheaf_foreign lent(const void *data, int64_t count, size_t size)
{
	void *copy = malloc((size_t)count * size + 1);
	assert_non_null(copy);
	memcpy(copy, data, (size_t)count * size);
	return (sheaf_foreign){copy, count, release, &released};
}

static void wrap_streams(made *m, const float *values, int64_t nvalues, int32_t last)
{
	sheaf_foreign rows = lent((int64_t[]){0, 1, 2}, 3, 8), dense = lent(values, nvalues, 4);
	sheaf_foreign samples = lent((int64_t[]){0, 2, 2}, 3, 8), entries = lent((int64_t[]){0, 1, 3}, 3, 8);
	sheaf_foreign indices = lent((int32_t[]){4, 5, last}, 3, 4), sparse = lent((double[]){1, 2, 3}, 3, 8);
	sheaf_build_wrap(m->builder, 0, SHEAF_PART_OFFSETS, 0, &rows);
	sheaf_build_wrap(m->builder, 0, SHEAF_PART_VALUES, 0, &dense);
	sheaf_build_wrap(m->builder, 1, SHEAF_PART_OFFSETS, 0, &samples);
	sheaf_build_wrap(m->builder, 1, SHEAF_PART_OFFSETS, 1, &entries);
	sheaf_build_wrap(m->builder, 1, SHEAF_PART_INDICES, 0, &indices);
	sheaf_build_wrap(m->builder, 1, SHEAF_PART_VALUES, 0, &sparse);
	sheaf_build_rows(m->builder, 2);
}

static void test_wrapped_arrays_go_with_their_last_owner(void **state)
{
	(void)state;
	made m = streams();
	sheaf_stream_arrays s;
	sheaf_frame slice = {0};
	released = 0;
	wrap_streams(&m, (float[]){1, 2, 3, 4}, 4, 9);
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_ok(sheaf_frame_stream(&m.frame, &m.schema, 1, &s, &err));
	assert_int_equal(s.indices.i32[2], 9);
	assert_int_equal(released, 0);
	assert_ok(sheaf_frame_pick(&m.frame, (int[]){0}, 1, &slice, &err));
	assert_int_equal(slice.checked, true);
	sheaf_frame_free(&m.frame);
	assert_int_equal(released, 4);
	sheaf_frame_free(&slice);
	assert_int_equal(released, 6);
	end(&m);
}

static void test_wrapped_arrays_are_checked(void **state)
{
	(void)state;
	made m = streams();
	released = 0;
	wrap_streams(&m, (float[]){1, 2, 3, 4}, 4, 10);
	refused(m, SHEAF_DATA, "field \"sparse\", level 1: expected an index below 10, found 10");
	assert_int_equal(released, 6);
	wrap_streams(&m, (float[]){1, 2, 3, 4}, 3, 9);
	refused(m, SHEAF_DATA, "field \"dense\", level 2: expected as many values as 4, found 3");
	assert_int_equal(released, 12);
	sheaf_foreign odd = {(const char *)&m + 1, 1, NULL, NULL}, none = {NULL, 1, NULL, NULL};
	sheaf_build_wrap(m.builder, 0, SHEAF_PART_VALUES, 0, &odd);
	refused(m, SHEAF_USAGE, "expected an array aligned to 4 bytes");
	sheaf_build_wrap(m.builder, 0, SHEAF_PART_VALUES, 0, &none);
	refused(m, SHEAF_USAGE, "found 1 elements at NULL");
	sheaf_foreign lost = lent("x", 1, 1);
	sheaf_build_wrap(m.builder, 0, SHEAF_PART_INDICES, 0, &lost);
	assert_int_equal(released, 13);
	refused(m, SHEAF_USAGE, "expected a part that the column has, found part 2, number 0");
	lost = lent("x", 1, 1);
	sheaf_build_wrap(m.builder, 1, SHEAF_PART_INDICES, 1, &lost);
	assert_int_equal(released, 14);
	refused(m, SHEAF_USAGE, "expected a part that the column has, found part 2, number 1");
	sheaf_build_dense(m.builder, 0, (float[]){1, 2}, 1);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_VALUES, 0, (float[]){1, 2}, 2);
	refused(m, SHEAF_USAGE, "expected runs, or rows one by one, found both");
	end(&m);
}

/* Nothing writes into a wrapped array: appending makes a copy. */
static void test_a_run_goes_on_in_a_copy(void **state)
{
	(void)state;
	made m = {.schema = {.rows = SHEAF_CELLS, .cx = cx}};
	sheaf_column_arrays c;
	int32_t *three = malloc(3 * sizeof *three);
	assert_non_null(three);
	memcpy(three, (int32_t[]){1, 2, 3}, 12);
	sheaf_foreign array = {three, 3, release, &released};
	released = 0;
	assert_ok(sheaf_schema_add_column(&m.schema, "n", SHEAF_NUMBER, SHEAF_I32, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	sheaf_build_wrap(m.builder, 0, SHEAF_PART_VALUES, 0, &array);
	sheaf_build_rows(m.builder, 3);
	assert_int_equal(released, 0);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_VALUES, 0, (int32_t[]){4}, 1);
	assert_int_equal(released, 1);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_VALID, 0, (uint8_t[]){0x0b}, 4);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_CODES, 0, (int8_t[]){0, 0, 8, 0}, 4);
	sheaf_build_rows(m.builder, 1);
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_ok(sheaf_frame_column(&m.frame, &m.schema, 0, &c, &err));
	assert_int_equal(c.nrows, 4);
	assert_memory_equal(c.values.i32, ((int32_t[]){1, 2, 3, 4}), 16);
	assert_false(sheaf_column_has(&c, 2));
	assert_int_equal(c.codes[2], 8);
	end(&m);
}

static void test_a_matrix_as_levels(void **state)
{
	(void)state;
	made m = {.schema = {.cx = cx}};
	sheaf_tensor_arrays t;
	assert_ok(sheaf_schema_add_levels(&m.schema, &matrix, csr, 2, SHEAF_NUMBER, SHEAF_F32, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	sheaf_build_copy(m.builder, 0, SHEAF_PART_OFFSETS, 1, (int64_t[]){0, 2, 2, 3}, 4);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_INDICES, 0, (int32_t[]){0, 3, 1}, 3);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_VALUES, 0, (float[]){5, 6, 7}, 3);
	sheaf_build_rows(m.builder, 1);
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_ok(sheaf_frame_tensor(&m.frame, &m.schema, &t, &err));
	assert_int_equal(t.rank, 2);
	assert_null(t.pointers[0]);
	assert_int_equal(t.npointers[1], 4);
	assert_memory_equal(t.pointers[1], ((int64_t[]){0, 2, 2, 3}), 32);
	assert_int_equal(t.nentries, 3);
	assert_memory_equal(t.indices[1].i32, ((int32_t[]){0, 3, 1}), 12);
	assert_int_equal(t.shape[1], 4);
	assert_memory_equal(t.values.f32, ((float[]){5, 6, 7}), 12);
	sheaf_build_row(m.builder);
	sheaf_frame_free(&m.frame);
	refused(m, SHEAF_USAGE, "expected the levels of a tensor in runs (sheaf_build_rows), found a row");
	end(&m);
}

static void test_entries_one_by_one(void **state)
{
	(void)state;
	made m = {.schema = {.cx = cx}};
	sheaf_tensor_arrays t;
	assert_ok(sheaf_schema_add_entries(&m.schema, &matrix, SHEAF_NUMBER, SHEAF_F64, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	for (int k = 0; k < 3; k++) {
		sheaf_build_integer(m.builder, 0, k);
		sheaf_build_integer(m.builder, 1, 3 - k);
		sheaf_build_number(m.builder, 2, 0.1 * k);
		sheaf_build_row(m.builder);
	}
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_ok(sheaf_frame_tensor(&m.frame, &m.schema, &t, &err));
	assert_int_equal(t.nentries, 3);
	assert_null(t.pointers[1]);
	assert_memory_equal(t.indices[1].i32, ((int32_t[]){3, 2, 1}), 12);
	assert_true(t.values.f64[2] == 0.2);
	sheaf_frame_free(&m.frame);
	sheaf_build_integer(m.builder, 0, 3);
	sheaf_build_integer(m.builder, 1, 0);
	sheaf_build_number(m.builder, 2, 1);
	sheaf_build_row(m.builder);
	refused(m, SHEAF_DATA, "field \"i\", level 0: expected a coordinate below 3, found 3");
	end(&m);
}

/* ---- writing ---- */

static bytes_sink write_ctf(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_status wanted)
{
	bytes_sink bytes = {0};
	sheaf_sink *sink;
	sheaf_writer *writer;
	sheaf_create_options options = {.format = "ctf"};
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "memory", cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, schema, &options, cx, &writer, &err));
	assert_status(wanted, sheaf_write(writer, frame, &err));
	if (wanted)
		sheaf_abandon(writer);
	else
		assert_ok(sheaf_finish(writer, &err));
	return bytes;
}

static void test_a_frame_made_by_hand_is_written(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx};
	int64_t rows[] = {0, 1, 2};
	float values[] = {1, 2};
	assert_ok(sheaf_schema_add_dense(&schema, "a", 1, SHEAF_F32, &err));
	sheaf_level levels[] = {{.shape = {.kind = SHEAF_LIST}, .offsets = borrow(rows)},
	                        {.shape = {.kind = SHEAF_FIXED, .extent = 1}}};
	sheaf_column column = {.nlevels = 2, .levels = levels, .type = SHEAF_F32, .values = borrow(values)};
	sheaf_frame frame = {.nrows = 2, .ncolumns = 1, .columns = &column};
	bytes_sink bytes = write_ctf(&frame, &schema, SHEAF_OK);
	assert_int_equal(bytes.size, strlen("0\t|a 1\n1\t|a 2\n"));
	free_bytes(&bytes);
	rows[2] = 3;
	bytes = write_ctf(&frame, &schema, SHEAF_USAGE);
	assert_message("field \"a\", level 2: expected as many values as 3, found 2");
	free_bytes(&bytes);
	sheaf_schema_free(&schema);
}

static void test_a_frame_of_another_schema_is_refused(void **state)
{
	(void)state;
	made m = streams(), other = cells();
	sheaf_build_row(m.builder);
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	sheaf_schema narrow = {.cx = cx};
	assert_ok(sheaf_schema_add_dense(&narrow, "dense", 2, SHEAF_F32, &err));
	bytes_sink bytes = write_ctf(&m.frame, &narrow, SHEAF_USAGE);
	assert_message("expected 1 columns, found 3");
	free_bytes(&bytes);
	assert_ok(sheaf_schema_add_sparse(&narrow, "sparse", 9, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_keys(&narrow, &err));
	bytes = write_ctf(&m.frame, &narrow, SHEAF_USAGE);
	assert_message("expected an extent of at most 9, found 10");
	free_bytes(&bytes);
	sheaf_schema_free(&narrow);
	end(&m);
	end(&other);
}

/* A format that needs the number of rows before the first one gets it when all have come. */
static void test_rows_that_nobody_has_counted(void **state)
{
	(void)state;
	made m = {.schema = {.rows = SHEAF_CELLS, .cx = cx}};
	sheaf_create_options options = {0};
	sheaf_writer *writer;
	sheaf_dataset *file;
	const sheaf_frame *frame;
	sheaf_column_arrays c;
	assert_ok(sheaf_schema_add_column(&m.schema, "n", SHEAF_NUMBER, SHEAF_F64, SHEAF_NEVER, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	assert_ok(sheaf_create(in_folder("n.npy"), &m.schema, &options, cx, &writer, &err));
	for (int k = 0; k < 3; k++) {
		sheaf_build_number(m.builder, 0, k);
		sheaf_build_row(m.builder);
		assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
		assert_ok(sheaf_write(writer, &m.frame, &err));
		sheaf_frame_free(&m.frame);
	}
	assert_ok(sheaf_finish(writer, &err));
	assert_ok(
		sheaf_open(in_folder("n.npy"), &(sheaf_open_options){.rows = SHEAF_TAKES_CELLS}, cx, &file, &err));
	assert_ok(sheaf_next(file, &frame, &err));
	assert_ok(sheaf_frame_column(frame, sheaf_dataset_schema(file), 0, &c, &err));
	assert_memory_equal(c.values.f64, ((double[]){0, 1, 2}), 24);
	sheaf_close(file);
	end(&m);
}

/* Levels of any kinds and orders become the entries that they say. */
static void test_levels_are_written_as_entries(void **state)
{
	(void)state;
	static const sheaf_level_shape levels[] = {
		{.kind = SHEAF_COORD, .rank = 1, .extent = 4, .index_type = SHEAF_I64},
		{.kind = SHEAF_FIXED, .extent = 2},
		{.kind = SHEAF_COORD, .rank = 1, .extent = 3, .index_type = SHEAF_I32}};
	made m = {.schema = {.cx = cx}};
	sheaf_tensor tensor = {.rank = 3, .shape = {3, 2, 4}, .order = {2, 1, 0}};
	sheaf_create_options options = {.format = "tns"};
	bytes_sink bytes = {0};
	sheaf_sink *sink;
	sheaf_writer *writer;
	assert_ok(sheaf_schema_add_levels(&m.schema, &tensor, levels, 3, SHEAF_NUMBER, SHEAF_F64, &err));
	assert_ok(sheaf_frame_builder_new(&m.schema, cx, &m.builder, &err));
	sheaf_build_copy(m.builder, 0, SHEAF_PART_OFFSETS, 0, (int64_t[]){0, 2}, 2);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_INDICES, 0, (int64_t[]){1, 3}, 2);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_OFFSETS, 2, (int64_t[]){0, 1, 1, 3, 4}, 5);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_INDICES, 1, (int32_t[]){2, 0, 1, 0}, 4);
	sheaf_build_copy(m.builder, 0, SHEAF_PART_VALUES, 0, (double[]){5, 6, 7, 8}, 4);
	sheaf_build_rows(m.builder, 1);
	assert_ok(sheaf_frame_builder_take(m.builder, &m.frame, &err));
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "memory", cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, &m.schema, &options, cx, &writer, &err));
	assert_ok(sheaf_write(writer, &m.frame, &err));
	assert_ok(sheaf_finish(writer, &err));
	write_bytes(&bytes, "", 1);
	if (!strstr((char *)bytes.data, "3 1 2 5\n1 1 4 6\n2 1 4 7\n1 2 4 8\n"))
		fail_msg("found: %s", (char *)bytes.data);
	free_bytes(&bytes);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_schema_of_streams),
		cmocka_unit_test(test_what_no_schema_has),
		cmocka_unit_test(test_schemas_of_tensors),
		cmocka_unit_test(test_what_no_tensor_has),
		cmocka_unit_test(test_streams_sample_by_sample),
		cmocka_unit_test(test_cells_item_by_item),
		cmocka_unit_test(test_taking_again),
		cmocka_unit_test(test_what_no_row_has),
		cmocka_unit_test(test_fewer_samples_than_none),
		cmocka_unit_test(test_wrapped_arrays_go_with_their_last_owner),
		cmocka_unit_test(test_wrapped_arrays_are_checked),
		cmocka_unit_test(test_a_run_goes_on_in_a_copy),
		cmocka_unit_test(test_a_matrix_as_levels),
		cmocka_unit_test(test_entries_one_by_one),
		cmocka_unit_test(test_a_frame_made_by_hand_is_written),
		cmocka_unit_test(test_a_frame_of_another_schema_is_refused),
		cmocka_unit_test_setup_teardown(test_rows_that_nobody_has_counted, make_folder, remove_folder),
		cmocka_unit_test(test_levels_are_written_as_entries),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
