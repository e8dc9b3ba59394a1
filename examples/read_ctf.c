/* SPDX-License-Identifier: MIT */
/* Prints how many samples each stream has in each sequence of a file, and the sum of their values. */
#include <inttypes.h>
#include <sheaf/sheaf.h>
#include <stdio.h>

static void print_rows(const char *name, const sheaf_stream_arrays *s)
{
	for (int64_t row = 0; row < s->nrows; row++) {
		int64_t from = s->rows[row], to = s->rows[row + 1];           /* samples */
		int64_t first = s->sparse ? s->entries[from] : from * s->dim; /* values */
		int64_t last = s->sparse ? s->entries[to] : to * s->dim;
		double sum = 0;
		for (int64_t i = first; i < last; i++) sum += sheaf_items_number(&s->values, i);
		printf("row %" PRId64 ", stream %s: %" PRId64 " samples, sum %g\n", row, name, to - from, sum);
	}
}

int main(int argc, char **argv)
{
	sheaf_context *cx;
	sheaf_dataset *file = NULL;
	const sheaf_frame *frame;
	sheaf_stream_arrays stream;
	sheaf_error err;
	if (sheaf_context_new(NULL, &cx, &err)) return puts(err.message), 1;
	sheaf_status status = sheaf_open(argc > 1 ? argv[1] : "words.ctf", NULL, cx, &file, &err);
	while (!status && !(status = sheaf_next(file, &frame, &err))) {
		const sheaf_schema *schema = sheaf_dataset_schema(file);
		for (int c = 0; c < schema->nfields && !status; c++) {
			if (!sheaf_field_is_stream(&schema->fields[c])) continue;
			status = sheaf_frame_stream(frame, schema, c, &stream, &err);
			if (!status) print_rows(schema->fields[c].name, &stream);
		}
	}
	if (status != SHEAF_END) puts(err.message);
	sheaf_close(file);
	sheaf_context_free(cx);
	return status != SHEAF_END;
}
