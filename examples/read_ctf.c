/* SPDX-License-Identifier: MIT */
/* Reads the streams of a file as arrays, and prints a sum of each: dense and sparse, of any format. */
#include <inttypes.h>
#include <sheaf/sheaf.h>
#include <stdio.h>

static double sum(const sheaf_items *values, int64_t from, int64_t to)
{
	double total = 0;
	for (int64_t i = from; i < to; i++) total += sheaf_items_number(values, i);
	return total;
}

static void print_row(const char *name, const sheaf_stream_arrays *s, int64_t row)
{
	for (int64_t i = s->rows[row]; i < s->rows[row + 1]; i++) {
		int64_t from = s->sparse ? s->entries[i] : i * s->dim,
				to = s->sparse ? s->entries[i + 1] : from + s->dim;
		printf("%s %s", i == s->rows[row] ? name : ",", s->sparse ? "" : "dense ");
		for (int64_t k = from; k < to && s->sparse; k++)
			printf("[%" PRId64 "] ", sheaf_items_integer(&s->indices, k));
		printf("%g", sum(&s->values, from, to));
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	sheaf_error err;
	sheaf_context *cx;
	sheaf_dataset *file = NULL;
	const sheaf_frame *frame;
	sheaf_stream_arrays stream;
	if (sheaf_context_new(NULL, &cx, &err)) return puts(err.message), 1;
	sheaf_status status = sheaf_open(argc > 1 ? argv[1] : "words.ctf", NULL, cx, &file, &err);
	while (!status && !(status = sheaf_next(file, &frame, &err))) {
		const sheaf_schema *schema = sheaf_dataset_schema(file);
		for (int c = 0; c < schema->nfields; c++)
			for (int64_t row = 0; row < frame->nrows && sheaf_field_is_stream(&schema->fields[c]); row++) {
				status = sheaf_frame_stream(frame, schema, c, &stream, &err);
				if (status == SHEAF_OK) print_row(schema->fields[c].name, &stream, row);
			}
	}
	if (status != SHEAF_END) puts(err.message);
	sheaf_close(file);
	sheaf_context_free(cx);
	return status != SHEAF_END;
}
