/* SPDX-License-Identifier: MIT */
/* Some rows of all. The number of a row depends on the rows before it, so rows are decoded while pieces are
 * cut: in order, by all threads. A piece of this view is a frame, in its notes, and decoding it is no more
 * than taking that frame. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "frame/row_choice.h"
#include "io/source.h"
#include "view/view.h"
#include <string.h>

typedef struct selected {
	sheaf_row_view view;
	sheaf_row_choice choice;
	char *where;  /* a pattern for the names of rows; NULL: names do not matter */
	int names;    /* the column of the names */
	bool numbers; /* rows keep the numbers that they have below */
	sheaf_rows_below below;
	int64_t row;   /* the number of the first row of the frame below */
	int64_t found; /* rows that `where` has matched */
} selected;

/* ---- rows ---- */

/* Whether row r of a frame is one of the selection: by its number, and by its name where a pattern is
 * given. `text` is memory for names, which are copied so that they end with NUL; if it has failed, the answer
 * means nothing. A row without a name matches no pattern. */
static bool is_chosen(const selected *s, const sheaf_frame *frame, int64_t r, sheaf_builder *text)
{
	if (!sheaf_choice_has(&s->choice, s->row + r)) return false;
	if (!s->where) return true;
	const sheaf_level *name_level = &frame->columns[s->names].levels[0];
	if (!sheaf_level_has(name_level, r)) return false;
	sheaf_bytes name = sheaf_column_bytes(&frame->columns[s->names], sheaf_level_below_one(name_level, r));
	text->size = 0;
	sheaf_builder_append(text, name.data, name.size);
	sheaf_builder_byte(text, '\0');
	return !text->failed && sheaf_name_matches(s->where, (const char *)text->data);
}

/* Adds rows of a frame to `out`. If they are the only ones that `out` gets, they share the buffers of the
 * frame; otherwise they are copied. Rows that keep the numbers that they have below get them, too. */
static sheaf_status take(const selected *s, const sheaf_frame *frame, sheaf_run rows, bool is_only_run,
                         sheaf_frame *out, sheaf_error *err)
{
	sheaf_builder numbers;
	SHEAF_TRY(is_only_run ? sheaf_frame_slice(frame, rows.begin, rows.end, out, err)
	                      : sheaf_frame_append(out, frame, rows.begin, rows.end, s->view.cx, err));
	if (!s->numbers) return SHEAF_OK;
	sheaf_builder_resume(&numbers, s->view.cx, &out->numbers);
	for (int64_t r = rows.begin; r < rows.end && !numbers.failed; r++)
		sheaf_builder_i64(&numbers, s->row + r);
	return sheaf_builder_finish(&numbers, &out->numbers, err);
}

/* Adds all chosen rows of a frame to `out`, run by run of neighboring rows. A run shares the buffers of the
 * frame only if it is the only one, so the first run waits until there is a second one. */
static sheaf_status pick(selected *s, const sheaf_frame *frame, sheaf_frame *out, sheaf_error *err)
{
	sheaf_builder text;
	bool chosen;
	sheaf_run first_run = {0, 0}; /* the first run, until there is a second one */
	int64_t taken = 0;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&text, s->view.cx, NULL);
	for (int64_t r = 0, run_end; r < frame->nrows && status == SHEAF_OK; r = run_end) {
		/* The run of rows from r on that are all chosen, or all not chosen, like r. */
		chosen = is_chosen(s, frame, r, &text);
		for (run_end = r + 1; run_end < frame->nrows && is_chosen(s, frame, run_end, &text) == chosen;)
			run_end++;
		if (text.failed) status = sheaf_builder_status(&text, err);
		if (!chosen) continue;
		if (taken == 0) {
			first_run = (sheaf_run){r, run_end};
		} else {
			if (first_run.end && status == SHEAF_OK) status = take(s, frame, first_run, false, out, err);
			first_run = (sheaf_run){0, 0};
			if (status == SHEAF_OK) status = take(s, frame, (sheaf_run){r, run_end}, false, out, err);
		}
		taken += run_end - r;
	}
	if (first_run.end && status == SHEAF_OK) status = take(s, frame, first_run, true, out, err);
	s->found += taken;
	sheaf_builder_drop(&text);
	return status;
}

/* ---- pieces ---- */

/* At the end: END, unless no name has matched. */
static sheaf_status check_found(const selected *s, sheaf_error *err)
{
	if (!s->where || s->found > 0) return SHEAF_END;
	return sheaf_refuse_where(s->where, sheaf_source_name(s->view.source), err);
}

/* Cuts the next piece: decodes rows below until some of them are chosen, since a piece has at least one
 * row. They go into the notes of the piece as a frame. The place of the piece in the file is that of the last
 * piece below that was looked at. */
static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	selected *s = (selected *)in;
	const sheaf_frame *frame = NULL;
	sheaf_frame picked = {0};
	sheaf_buffer_reset(&piece->bytes);
	while (picked.nrows == 0) {
		sheaf_frame_free(&picked);
		s->row = s->below.row;
		if (s->row >= s->choice.to) return check_found(s, err);
		sheaf_status status = sheaf_rows_below_next(&s->below, bytes, &frame, err);
		if (status == SHEAF_END) return check_found(s, err);
		SHEAF_TRY(status);
		status = pick(s, frame, &picked, err);
		if (status) sheaf_frame_free(&picked);
		SHEAF_TRY(status);
	}
	const sheaf_piece *below = sheaf_decoding_piece(&s->below.decoding);
	piece->byte = below->byte;
	piece->size = below->size;
	piece->line = below->line;
	piece->column = below->column;
	piece->chunk = below->chunk;
	piece->slice = piece->slices = 0;
	sheaf_status status = sheaf_view_wrap_frame(&picked, s->view.cx, &piece->notes, err);
	sheaf_frame_free(&picked);
	return status;
}

/* Gives the frame of a piece, which shares its buffers, since the piece may be decoded again. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const sheaf_frame *picked = sheaf_view_unwrap(&piece->notes);
	(void)in, (void)cx;
	return sheaf_frame_slice(picked, 0, picked->nrows, frame, err);
}

/* Goes back to the first row, whatever piece is named: selected pieces cannot be recalled. */
static sheaf_status rewind_selected(void *in, const sheaf_piece *to, sheaf_error *err)
{
	selected *s = (selected *)in;
	(void)to;
	s->found = 0;
	return sheaf_rows_below_rewind(&s->below, err);
}

static void release(sheaf_row_view *view)
{
	selected *s = (selected *)view;
	sheaf_rows_below_end(&s->below);
	if (s->where) sheaf_release_text(view->cx, s->where);
}

/* ---- opening ---- */

/* Says what is known of the selected rows without reading them. Their number is known if it does not depend
 * on names; rows that are the first of all keep the numbers that they have as keys; of the greatest length
 * only 0 or 1 is passed on, since a longer sequence may not be selected. */
static sheaf_facts facts_of(const selected *s)
{
	sheaf_facts below = s->view.in->facts, facts = SHEAF_NO_FACTS;
	facts.guess = below.guess;
	facts.heading = below.heading;
	facts.rows = s->where ? -1 : sheaf_choice_count(&s->choice, below.rows);
	if (below.longest >= 0 && below.longest <= 1) facts.longest = below.longest;
	if (below.ordinal_keys == 1 && s->choice.from == 0 && !s->choice.sampled && !s->where)
		facts.ordinal_keys = 1;
	return facts;
}

/* Puts the view of selected rows on the input; a selection of all rows needs none. `row` is the number of
 * the next row below. A sample of a given size needs the number of all rows first: which rows have the
 * smallest hashes depends on it. */
sheaf_status sheaf_view_select(sheaf_input *input, const sheaf_selection *selection, int64_t row,
                               sheaf_error *err)
{
	sheaf_row_view *view;
	sheaf_row_choice choice;
	SHEAF_TRY(sheaf_choice_read(selection, &choice, err));
	if (sheaf_choice_is_all(&choice) && !selection->where) return SHEAF_OK;
	SHEAF_TRY(sheaf_view_new(input, sizeof(selected), &view, err));
	selected *s = (selected *)view;
	view->release = release;
	s->choice = choice;
	sheaf_rows_below_begin(&s->below, view, row);
	const sheaf_schema *below = &view->in->schema;
	s->names = sheaf_schema_find(below, "name");
	const sheaf_field *names = s->names < 0 ? NULL : &below->fields[s->names];
	const char *where = selection->where;
	if (where && (!names || names->meaning != SHEAF_STRING || names->nlevels != 1))
		return sheaf_fail_option(err, SHEAF_USAGE, "where",
		                         ": expected rows with names, a column \"name\" of texts, found none in %s",
		                         sheaf_source_name(view->source));
	if (where) SHEAF_TRY(sheaf_copy_text(view->cx, where, strlen(where), &s->where, err));
	SHEAF_TRY(sheaf_schema_copy(below, view->cx, &view->schema, err));
	view->schema.tensor.dense = false;
	s->numbers = view->schema.rows != SHEAF_ENTRIES;
	if (choice.count >= 0) {
		/* Which rows have the smallest hashes depends on how many rows there are. */
		int64_t rows;
		SHEAF_TRY(sheaf_view_count_rows(view, &rows, err));
		SHEAF_TRY(sheaf_choice_limit(&s->choice, rows, view->cx, err));
	}
	view->facts = facts_of(s);
	view->format.cut = cut;
	view->format.decode = decode;
	view->format.rewind = rewind_selected;
	return SHEAF_OK;
}
