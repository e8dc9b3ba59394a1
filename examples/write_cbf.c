/* SPDX-License-Identifier: MIT */
/* Writes a CNTK binary file of two sequences from arrays, without copying these, and reads it back. */
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first sequence has samples 0 to 2, the second one sample 3; each has one label. */
static const int64_t rows[] = {0, 3, 4}, entries[] = {0, 1, 2, 3, 4};
static const float features[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5f, 0.5f, 0}, ones[] = {1, 1, 1, 1};
static const int32_t labels[] = {7, 2, 999, 7};

static sheaf_status write_file(const char *path, sheaf_context *cx, sheaf_error *err)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b = NULL;
	sheaf_writer *writer = NULL;
	sheaf_frame frame = {0};
	sheaf_status status = sheaf_schema_add_dense(&schema, "features", 3, SHEAF_F32, err);
	if (!status) status = sheaf_schema_add_sparse(&schema, "labels", 1000, SHEAF_F32, err);
	if (!status) status = sheaf_frame_builder_new(&schema, cx, &b, err);
	if (!status) {
		sheaf_build_wrap(b, 0, SHEAF_PART_OFFSETS, 0, &(sheaf_foreign){.data = rows, .count = 3});
		sheaf_build_wrap(b, 0, SHEAF_PART_VALUES, 0, &(sheaf_foreign){.data = features, .count = 12});
		sheaf_build_wrap(b, 1, SHEAF_PART_OFFSETS, 0, &(sheaf_foreign){.data = rows, .count = 3});
		sheaf_build_wrap(b, 1, SHEAF_PART_OFFSETS, 1, &(sheaf_foreign){.data = entries, .count = 5});
		sheaf_build_wrap(b, 1, SHEAF_PART_INDICES, 0, &(sheaf_foreign){.data = labels, .count = 4});
		sheaf_build_wrap(b, 1, SHEAF_PART_VALUES, 0, &(sheaf_foreign){.data = ones, .count = 4});
		sheaf_build_rows(b, 2);
		status = sheaf_frame_builder_take(b, &frame, err); /* says what went wrong in any call above */
	}
	if (!status) status = sheaf_create(path, &schema, NULL, cx, &writer, err);
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

static sheaf_status check_file(const char *path, sheaf_context *cx, sheaf_error *err)
{
	sheaf_dataset *file = NULL;
	const sheaf_frame *frame;
	sheaf_stream_arrays s;
	sheaf_status status = sheaf_open(path, NULL, cx, &file, err);
	if (!status) status = sheaf_next(file, &frame, err);
	if (!status) status = sheaf_frame_stream(frame, sheaf_dataset_schema(file), 0, &s, err);
	if (!status && (s.nrows != 2 || s.dim != 3 || memcmp(s.values.f32, features, sizeof features) != 0))
		status = sheaf_fail(err, SHEAF_DATA, "%s: expected what was written, found something else", path);
	sheaf_close(file);
	return status;
}

int main(int argc, char **argv)
{
	sheaf_error err;
	sheaf_context *cx;
	char folder[] = "/tmp/sheaf-example-XXXXXX", path[64];
	if (sheaf_context_new(NULL, &cx, &err)) return puts(err.message), 1;
	if (argc < 2 && !mkdtemp(folder)) return puts("expected a folder in /tmp, found none"), 1;
	snprintf(path, sizeof path, "%s/words.cbf", folder);
	const char *file = argc < 2 ? path : argv[1];
	sheaf_status status = write_file(file, cx, &err);
	if (!status) status = check_file(file, cx, &err);
	puts(status ? err.message : "two sequences written");
	if (argc < 2) remove(path), remove(folder);
	sheaf_context_free(cx);
	return status != SHEAF_OK;
}
