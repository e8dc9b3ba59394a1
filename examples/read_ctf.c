/* SPDX-License-Identifier: MIT */
/* Prints how many samples each stream has in each sequence of a file. */
#include <inttypes.h>
#include <sheaf/sheaf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	sheaf_context *cx;
	sheaf_dataset *file;
	const sheaf_frame *frame;
	sheaf_error err;
	sheaf_status status;
	sheaf_open_options options = {.size = sizeof options};
	if (sheaf_context_new(NULL, &cx, &err) ||
	    sheaf_open(argc > 1 ? argv[1] : "words.ctf", &options, cx, &file, &err))
		return puts(err.message), 1;
	const sheaf_schema *schema = sheaf_dataset_schema(file);
	while ((status = sheaf_next(file, &frame, &err)) == SHEAF_OK)
		for (int64_t row = 0; row < frame->nrows; row++)
			for (int c = 0; c < frame->ncolumns; c++) {
				if (schema->fields[c].meaning == SHEAF_KEY) continue;
				const int64_t *samples = sheaf_level_offsets(&frame->columns[c].levels[0]);
				printf("sequence %" PRIu64 ", stream %s: %" PRId64 " samples\n",
				       sheaf_row_key(file, frame, row), schema->fields[c].name,
				       samples[row + 1] - samples[row]);
			}
	if (status != SHEAF_END) puts(err.message);
	sheaf_close(file);
	sheaf_context_free(cx);
	return status == SHEAF_END ? 0 : 1;
}
