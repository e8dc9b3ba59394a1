/* SPDX-License-Identifier: MIT */
/* sheaf show: one row as a picture, of the width of the terminal. Only the first of the rows is drawn, and
 * --skip says which one that is. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static opening one_row(unsigned rows)
{
	enum { SMALL = 64 << 10 };
	return (opening){.piece_bytes = SMALL, .only = "1", .rows = rows};
}

/* Draws the next row of a dataset, the only one that was selected; USAGE if there is none. */
static sheaf_status draw_first(const session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_buffer text = {0};
	sheaf_drawing drawing = terminal_drawing(STDOUT_FILENO);
	sheaf_status status = sheaf_next(dataset, &frame, err);
	if (status == SHEAF_END)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected a row with the number %" PRId64 ", counted from 0, found none",
		                  s->label, sheaf_values_number(&s->args->values, "skip", 0));
	SHEAF_TRY(status);
	print_file_name(s);
	SHEAF_TRY(sheaf_row_drawing(frame, sheaf_dataset_schema(dataset), 0, &drawing, &text, err));
	out_drawn(text.data, text.size);
	sheaf_buffer_reset(&text);
	return SHEAF_OK;
}

/* Draws the row of an open file. A row of a matrix is a sequence of one sample, not an entry, so that a
 * tensor is opened again as sequences. */
static sheaf_status draw_row(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_dataset *rows;
	if (sheaf_dataset_schema(dataset)->rows != SHEAF_ENTRIES) return draw_first(s, dataset, err);
	opening how = one_row(SHEAF_TAKES_SEQUENCES);
	SHEAF_TRY(session_open(s, s->label, &how, &rows, err));
	sheaf_status status = draw_first(s, rows, err);
	sheaf_close(rows);
	return status;
}

int run_show(const arguments *args)
{
	return visit_files(args, one_row(SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES),
	                   draw_row);
}
