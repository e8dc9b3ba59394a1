/* SPDX-License-Identifier: MIT */
/* Reads a Matrix Market file, or any other matrix, as CSR arrays and writes these as a Binsparse file. */
#include <inttypes.h>
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
	int64_t nrows, ncolumns, *pointers;
	int32_t *indices;
	double *values;
} matrix;

static sheaf_status read_matrix(const char *path, matrix *m, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_open_options options = {.rows = SHEAF_TAKES_ENTRIES,
	                                    .tensor = &(sheaf_tensor_options){.entries = SHEAF_ENTRIES_EXPANDED}};
	sheaf_dataset *file = NULL;
	sheaf_frame frame = {0};
	sheaf_tensor_arrays t;
	sheaf_status status = sheaf_open(path, &options, cx, &file, err);
	if (!status) status = sheaf_read_all(file, &frame, err);
	if (!status) status = sheaf_frame_tensor(&frame, sheaf_dataset_schema(file), &t, err);
	if (!status && (t.rank != 2 || t.indices[0].type != SHEAF_I32 || t.indices[1].type != SHEAF_I32 ||
	                t.values.type != SHEAF_F64 || t.values.count != t.nentries))
		status =
			sheaf_fail(err, SHEAF_DATA, "%s: expected a matrix of real numbers, found another tensor", path);
	if (!status) {
		*m = (matrix){t.shape[0], t.shape[1], malloc((size_t)(t.shape[0] + 1) * sizeof(int64_t)),
		              malloc((size_t)t.nentries * sizeof(int32_t) + 1),
		              malloc((size_t)t.nentries * sizeof(double) + 1)};
		sheaf_entry_arrays from = {t.nentries, t.indices[0].i32, t.indices[1].i32, t.values.data, 8};
		sheaf_compressed_arrays to = {m->pointers, m->indices, m->values, 8};
		status = m->pointers && m->indices && m->values
		             ? sheaf_compress_sorted(&from, m->nrows, SHEAF_F64, SHEAF_DUPLICATES_SUM, cx, &to, err)
		             : sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the matrix, found none");
	}
	sheaf_frame_free(&frame);
	sheaf_close(file);
	return status;
}

static sheaf_status write_matrix(const char *path, const matrix *m, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_tensor tensor = {.rank = 2, .shape = {m->nrows, m->ncolumns}, .sorted = true, .unique = true};
	const sheaf_level_shape levels[] = {
		{.kind = SHEAF_FIXED, .extent = m->nrows},
		{.kind = SHEAF_COORD, .rank = 1, .extent = m->ncolumns, .index_type = SHEAF_I32}};
	const sheaf_setting layout = {"layout", "CSR"};
	const sheaf_create_options options = {.format = "binsparse", .settings = &layout, .nsettings = 1};
	const sheaf_foreign pointers = {.data = m->pointers, .count = m->nrows + 1};
	const sheaf_foreign indices = {.data = m->indices, .count = m->pointers[m->nrows]};
	const sheaf_foreign values = {.data = m->values, .count = m->pointers[m->nrows]};
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b = NULL;
	sheaf_writer *writer = NULL;
	sheaf_frame frame = {0};
	sheaf_status status = sheaf_schema_add_levels(&schema, &tensor, levels, 2, SHEAF_NUMBER, SHEAF_F64, err);
	if (!status) status = sheaf_frame_builder_new(&schema, cx, &b, err);
	if (!status) {
		sheaf_build_wrap(b, 0, SHEAF_PART_OFFSETS, 1, &pointers);
		sheaf_build_wrap(b, 0, SHEAF_PART_INDICES, 0, &indices);
		sheaf_build_wrap(b, 0, SHEAF_PART_VALUES, 0, &values);
		sheaf_build_rows(b, 1); /* a tensor is one row */
		status = sheaf_frame_builder_take(b, &frame, err);
	}
	if (!status) status = sheaf_create(path, &schema, &options, cx, &writer, err);
	if (!status) status = sheaf_write(writer, &frame, err);
	if (status)
		sheaf_abandon(writer);
	else
		status = sheaf_finish(writer, err);
	sheaf_frame_free(&frame);
	sheaf_frame_builder_free(b);
	sheaf_schema_free(&schema);
	return status;
}

/* Whether both files have the same matrix. */
static sheaf_status compare(const char *from, const char *to, sheaf_context *cx, sheaf_error *err)
{
	sheaf_dataset *a = NULL, *b = NULL;
	bool equal = false;
	sheaf_status status = sheaf_open(from, NULL, cx, &a, err);
	if (!status) status = sheaf_open(to, NULL, cx, &b, err);
	if (!status) status = sheaf_diff(a, b, NULL, &equal, err);
	if (!status && !equal)
		status = sheaf_fail(err, SHEAF_DATA, "%s: expected the matrix of %s, found another one", to, from);
	sheaf_close(a);
	sheaf_close(b);
	return status;
}

int main(int argc, char **argv)
{
	sheaf_error err;
	sheaf_context *cx;
	matrix m = {0};
	char folder[] = "/tmp/sheaf-example-XXXXXX", path[64];
	if (sheaf_context_new(NULL, &cx, &err)) return puts(err.message), 1;
	if (argc < 3 && !mkdtemp(folder)) return puts("expected a folder in /tmp, found none"), 1;
	snprintf(path, sizeof path, "%s/matrix.h5", folder);
	const char *from = argc > 1 ? argv[1] : "matrix.mtx", *to = argc > 2 ? argv[2] : path;
	sheaf_status status = read_matrix(from, &m, cx, &err);
	if (!status) status = write_matrix(to, &m, cx, &err);
	if (!status) status = compare(from, to, cx, &err);
	if (status)
		puts(err.message);
	else
		printf("%" PRId64 " by %" PRId64 ", %" PRId64 " entries\n", m.nrows, m.ncolumns, m.pointers[m.nrows]);
	if (argc < 3) remove(path), remove(folder);
	free(m.pointers), free(m.indices), free(m.values);
	sheaf_context_free(cx);
	return status != SHEAF_OK;
}
