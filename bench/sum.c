/* SPDX-License-Identifier: MIT */
/* Reads a file by its path and sums every value, index and offset in it: what peers in other languages are
 * compared with.
 *
 *     sheaf-bench-sum FILE THREADS [whole] [once] [dataset=PATH] [OPTION=VALUE]...
 *
 * whole: a matrix or an array as one row; once: all rows of a table in memory, read in one go. */
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By eight sums side by side, as NumPy does it. */
#define ADD(type, wide, of) \
	do { \
		const type *v = (const type *)(const void *)(of)->data; \
		size_t n = (of)->size / sizeof(type), i = 0; \
		wide all[8] = {0}; \
		for (; i + 8 <= n; i += 8) \
			for (int k = 0; k < 8; k++) all[k] += (wide)v[i + (size_t)k]; \
		for (; i < n; i++) all[0] += (wide)v[i]; \
		for (int k = 0; k < 8; k++) sum += (double)all[k]; \
	} while (0)

static double sum_buffer(const sheaf_buffer *buffer, sheaf_type type)
{
	double sum = 0;
	switch (type) {
	case SHEAF_F32: ADD(float, double, buffer); break;
	case SHEAF_F64: ADD(double, double, buffer); break;
	case SHEAF_I32: ADD(uint32_t, uint64_t, buffer); break;
	case SHEAF_I64: ADD(uint64_t, uint64_t, buffer); break;
	default:
		for (size_t i = 0; i < buffer->size; i++) sum += buffer->data[i];
		break;
	}
	return sum;
}

static double sum_frame(const sheaf_frame *frame)
{
	double sum = 0;
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		for (int l = 0; l < column->nlevels; l++) {
			const sheaf_level *level = &column->levels[l];
			sum += sum_buffer(&level->offsets, SHEAF_I64);
			for (int r = 0; r < level->shape.rank; r++)
				sum += sum_buffer(&level->indices[r], level->shape.index_type);
		}
		/* Of texts their lengths are summed, as peers do. */
		if (column->meaning != SHEAF_STRING) sum += sum_buffer(&column->values, column->type);
	}
	return sum;
}

typedef struct {
	int64_t rows;
	double sum;
} total;

static void add_frame(total *t, const sheaf_frame *frame)
{
	t->sum += sum_frame(frame);
	t->rows += frame->nrows;
}

static sheaf_status add_pieces(total *t, sheaf_dataset *data, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(data, &frame, err)) == SHEAF_OK) add_frame(t, frame);
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status add_all(total *t, sheaf_dataset *data, sheaf_error *err)
{
	sheaf_frame frame;
	sheaf_status status = sheaf_read_all(data, &frame, err);
	if (status) return status;
	add_frame(t, &frame);
	sheaf_frame_free(&frame);
	return SHEAF_OK;
}

static sheaf_status sum_file(const char *file, const sheaf_open_options *options, bool once,
                             sheaf_context *cx, sheaf_error *err)
{
	total t = {0};
	sheaf_dataset *data;
	sheaf_status status = sheaf_open(file, options, cx, &data, err);
	if (status) return status;
	status = once ? add_all(&t, data, err) : add_pieces(&t, data, err);
	sheaf_close(data);
	if (!status) printf("%lld rows, sum %.17g\n", (long long)t.rows, t.sum);
	return status;
}

/* A table in memory: types are those of the first part, unless the rest shows others. */
static sheaf_status sum_once(const char *file, sheaf_open_options options, sheaf_context *cx,
                             sheaf_error *err)
{
	options.glance = SHEAF_GLANCE_SPECULATIVE;
	sheaf_status status = sum_file(file, &options, true, cx, err);
	options.glance = SHEAF_GLANCE_NOT;
	return status == SHEAF_STALE ? sum_file(file, &options, true, cx, err) : status;
}

int main(int argc, char **argv)
{
	sheaf_context *cx = NULL;
	sheaf_error err = {0};
	enum { SETTINGS = 8 };
	bool once = false;
	sheaf_setting settings[SETTINGS] = {0};
	sheaf_container_options dataset = {.size = sizeof dataset};
	sheaf_open_options open = {.size = sizeof open, .settings = settings, .container = &dataset};
	if (argc < 3 || argc > 3 + SETTINGS) {
		fprintf(stderr, "usage: sheaf-bench-sum FILE THREADS [whole] [once] [dataset=PATH] "
		                "[OPTION=VALUE]...\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (!value && strcmp(argv[i], "once") == 0) {
			once = true;
			continue;
		}
		if (!value) {
			open.rows = SHEAF_TAKES_WHOLE;
			continue;
		}
		*value++ = '\0';
		if (strcmp(argv[i], "dataset") == 0) {
			dataset.member = value;
			continue;
		}
		settings[open.nsettings].name = argv[i];
		settings[open.nsettings++].value = value;
	}
	sheaf_context_options options = {.size = sizeof options, .threads = (int)strtol(argv[2], NULL, 10)};
	sheaf_status status = sheaf_context_new(&options, &cx, &err);
	if (!status)
		status = once ? sum_once(argv[1], open, cx, &err) : sum_file(argv[1], &open, false, cx, &err);
	if (status) fprintf(stderr, "sheaf-bench-sum: error: %s\n", err.message);
	sheaf_context_free(cx);
	return status ? 1 : 0;
}
