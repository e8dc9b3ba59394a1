/* SPDX-License-Identifier: MIT */
/* Rows on standard output. */
#include "cli.h"

enum { BATCH = 64 }; /* rows whose text is in memory at a time */

static sheaf_status print_frame(const sheaf_dataset *dataset, const sheaf_frame *frame, sheaf_style style, int64_t from, int64_t to, sheaf_buffer *text,
                                sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	for (int64_t r = from; r < to; r += BATCH) {
		int64_t end = to - r < BATCH ? to : r + BATCH;
		SHEAF_TRY(sheaf_rows_text(frame, schema, style, sheaf_dataset_row(dataset), r, end, text, err));
		out_bytes(text->data, text->size);
		SHEAF_TRY(out_check(err));
	}
	/* Whoever waits at the other end of a pipe gets the rows as they come. */
	return out_flush(err);
}

static int64_t clamp(int64_t v, int64_t most) { return v < 0 ? 0 : v > most ? most : v; }

sheaf_status print_rows(sheaf_dataset *dataset, sheaf_style style, int64_t skip, int64_t limit, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_buffer text = {0};
	sheaf_status status = SHEAF_OK;
	sheaf_facts facts;
	sheaf_dataset_facts(dataset, &facts);
	if (facts.heading) out_text(facts.heading);
	SHEAF_TRY(out_flush(err));
	SHEAF_TRY(sheaf_skip(dataset, skip, err));
	while (limit != 0 && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		int64_t from = clamp(skip - sheaf_dataset_row(dataset), frame->nrows);
		int64_t to = limit < 0 ? frame->nrows : from + clamp(limit, frame->nrows - from);
		if (limit > 0) limit -= to - from;
		status = print_frame(dataset, frame, style, from, to, &text, err);
		if (status) break;
	}
	sheaf_buffer_reset(&text);
	return status == SHEAF_END ? SHEAF_OK : status;
}
