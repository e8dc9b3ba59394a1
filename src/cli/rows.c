/* SPDX-License-Identifier: MIT */
/* Rows on standard output. */
#include "cli.h"

/* The text of a frame's rows is made BATCH rows at a time, and written after each frame. After a failure a
 * line that is partly written is ended, so that the message begins a line of its own. */
sheaf_status print_rows(sheaf_dataset *dataset, sheaf_style style, const char *member, int64_t limit,
                        sheaf_error *err)
{
	enum { BATCH = 64 }; /* rows whose text is in memory at a time */
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	const sheaf_frame *frame;
	sheaf_buffer text = {0};
	sheaf_facts facts;
	sheaf_dataset_facts(dataset, &facts);
	if (facts.heading) out_text(facts.heading);
	sheaf_status status = sheaf_rows_border(schema, style, member ? member : "/", schema->cx, &text, err);
	if (status == SHEAF_OK) out_bytes(text.data, text.size);
	if (status == SHEAF_OK) status = out_flush(err);
	while (status == SHEAF_OK && limit != 0 && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		int64_t rows = limit < 0 || limit > frame->nrows ? frame->nrows : limit;
		if (limit > 0) limit -= rows;
		for (int64_t r = 0; r < rows && status == SHEAF_OK; r += BATCH) {
			int64_t end = rows - r < BATCH ? rows : r + BATCH;
			status = sheaf_rows_text(frame, schema, style, sheaf_dataset_row(dataset), r, end, &text, err);
			if (status == SHEAF_OK) out_bytes(text.data, text.size);
			if (status == SHEAF_OK) status = out_check(err);
		}
		/* If a process waits at the other end of a pipe, it gets the rows as they come. */
		if (status == SHEAF_OK) status = out_flush(err);
	}
	if (status == SHEAF_OK || status == SHEAF_END)
		status = sheaf_rows_border(schema, style, NULL, schema->cx, &text, err);
	if (status == SHEAF_OK)
		out_bytes(text.data, text.size);
	else
		out_new_line(); /* before the message */
	sheaf_buffer_reset(&text);
	return status;
}

void print_file_name(const session *s)
{
	if (s->args->nfiles == 1 || as_json(s->args)) return;
	out_text(s->label == s->args->files[0] ? "==> " : "\n==> ");
	out_text(s->label);
	out_text(" <==\n");
}
