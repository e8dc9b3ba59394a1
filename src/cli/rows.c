/* SPDX-License-Identifier: MIT */
/* Rows on standard output. */
#include "cli.h"

enum { BATCH = 64 }; /* rows whose text is in memory at a time */

/* The first `rows` rows of a frame, whose first one is number `row`. */
typedef struct printed {
	const sheaf_frame *frame;
	int64_t row, rows;
} printed;

static sheaf_status print_frame(const sheaf_schema *schema, printed p, sheaf_style style, sheaf_buffer *text,
                                sheaf_error *err)
{
	for (int64_t r = 0; r < p.rows; r += BATCH) {
		int64_t end = p.rows - r < BATCH ? p.rows : r + BATCH;
		SHEAF_TRY(sheaf_rows_text(p.frame, schema, style, p.row, r, end, text, err));
		out_bytes(text->data, text->size);
		SHEAF_TRY(out_check(err));
	}
	/* If a process waits at the other end of a pipe, it gets the rows as they come. */
	return out_flush(err);
}

static sheaf_status print_heading(sheaf_dataset *dataset, sheaf_style style, const char *member,
                                  sheaf_buffer *text, sheaf_error *err)
{
	sheaf_facts facts;
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_dataset_facts(dataset, &facts);
	if (facts.heading) out_text(facts.heading);
	SHEAF_TRY(sheaf_rows_heading(schema, style, member ? member : "/", schema->cx, text, err));
	out_bytes(text->data, text->size);
	return out_flush(err);
}

sheaf_status print_rows(sheaf_dataset *dataset, sheaf_style style, const char *member, int64_t limit,
                        sheaf_error *err)
{
	const sheaf_frame *frame;
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_buffer text = {0};
	sheaf_status status = print_heading(dataset, style, member, &text, err);
	while (status == SHEAF_OK && limit != 0 && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		int64_t rows = limit < 0 || limit > frame->nrows ? frame->nrows : limit;
		if (limit > 0) limit -= rows;
		status = print_frame(schema, (printed){frame, sheaf_dataset_row(dataset), rows}, style, &text, err);
	}
	if (status == SHEAF_OK || status == SHEAF_END)
		out_text(sheaf_rows_ending(schema, style));
	else
		out_new_line(); /* before the message */
	sheaf_buffer_reset(&text);
	return status == SHEAF_END ? SHEAF_OK : status;
}

void print_file_name(const session *s)
{
	if (s->args->nfiles == 1 || as_json(s->args)) return;
	out_text(s->label == s->args->files[0] ? "==> " : "\n==> ");
	out_text(s->label);
	out_text(" <==\n");
}
