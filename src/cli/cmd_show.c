/* SPDX-License-Identifier: MIT */
/* sheaf show: one row as a picture. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { RANGE = 48 };

static sheaf_status print_row(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_buffer text = {0};
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_drawing drawing = terminal_drawing(STDOUT_FILENO);
	int64_t row = sheaf_values_number(&s->args->values, "row", 0);
	sheaf_status status = sheaf_next(dataset, &frame, err);
	if (status == SHEAF_END)
		return sheaf_fail_option(err, SHEAF_USAGE, "row",
		                         "expected a row that the file has, found %" PRId64 " beyond its last one",
		                         row);
	SHEAF_TRY(status);
	print_file_name(s);
	SHEAF_TRY(sheaf_row_drawing(frame, schema, 0, &drawing, &text, err));
	out_bytes(text.data, text.size);
	sheaf_buffer_reset(&text);
	return SHEAF_OK;
}

/* A matrix is shown row by row, as a sequence of one sample. */
int run_show(const arguments *args)
{
	enum { SMALL = 64 << 10 };
	char rows[RANGE];
	int64_t row = sheaf_values_number(&args->values, "row", 0);
	if (row == INT64_MAX) row--;
	snprintf(rows, sizeof rows, "%" PRId64 ":%" PRId64, row, row + 1);
	return visit_files(
		args,
		(opening){.piece_bytes = SMALL, .only = rows, .rows = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS},
		print_row);
}
