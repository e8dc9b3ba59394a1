/* SPDX-License-Identifier: MIT */
/* Some rows of all. The number of a row depends on the rows before it, so rows are decoded while pieces are
 * cut: in order, by all threads. A piece of this view is a frame. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "data/frame.h"
#include "data/row_choice.h"
#include "io/source.h"
#include "view/view.h"
#include <string.h>

typedef struct selected {
	sheaf_row_view view;
	sheaf_row_choice choice;
	char *where;  /* NULL: names do not matter */
	int names;    /* the column that has them */
	bool numbers; /* rows keep the numbers that they have below */
	sheaf_decoding below;
	bool is_open;
	sheaf_context *attending; /* receives the findings; NULL: nobody has requested rows */
	int64_t row;              /* number of the next row below */
	int64_t found;            /* rows that `where` has matched */
} selected;

/* ---- rows ---- */

static bool has_name(const selected *s, const sheaf_frame *frame, int64_t r, sheaf_builder *text)
{
	const sheaf_level *level = &frame->columns[s->names].levels[0];
	if (!sheaf_level_has(level, r)) return false;
	sheaf_run run = sheaf_level_below_one(level, r);
	text->size = 0;
	sheaf_bytes name = sheaf_column_bytes(&frame->columns[s->names], run);
	sheaf_builder_append(text, name.data, name.size);
	sheaf_builder_byte(text, '\0');
	if (text->failed) return false;
	return sheaf_name_matches(s->where, (const char *)text->data);
}

static bool is_chosen(const selected *s, const sheaf_frame *frame, int64_t r, sheaf_builder *text)
{
	return sheaf_choice_has(&s->choice, s->row + r) && (!s->where || has_name(s, frame, r, text));
}

/* The end of the run of rows from r on that are all chosen, or all not chosen, like r. */
static int64_t end_of_run(const selected *s, const sheaf_frame *frame, int64_t r, bool *chosen,
                          sheaf_builder *text)
{
	int64_t end = r + 1;
	*chosen = r < frame->nrows && is_chosen(s, frame, r, text);
	while (end < frame->nrows && is_chosen(s, frame, end, text) == *chosen) end++;
	return end < frame->nrows ? end : frame->nrows;
}

static sheaf_status put_numbers(const selected *s, sheaf_frame *out, sheaf_run run, sheaf_error *err)
{
	sheaf_builder b;
	if (!s->numbers) return SHEAF_OK;
	sheaf_builder_resume(&b, s->view.cx, &out->numbers);
	for (int64_t r = run.begin; r < run.end && !b.failed; r++) sheaf_builder_i64(&b, s->row + r);
	return sheaf_builder_finish(&b, &out->numbers, err);
}

/* Consecutive rows share the buffers of the frame; others are copied. */
static sheaf_status take(const selected *s, const sheaf_frame *frame, sheaf_run run, bool alone,
                         sheaf_frame *out, sheaf_error *err)
{
	if (alone)
		SHEAF_TRY(sheaf_frame_slice(frame, run.begin, run.end, out, err));
	else
		SHEAF_TRY(sheaf_frame_append(out, frame, run.begin, run.end, s->view.cx, err));
	return put_numbers(s, out, run, err);
}

static sheaf_status pick(selected *s, const sheaf_frame *frame, sheaf_frame *out, sheaf_error *err)
{
	sheaf_builder text;
	bool chosen;
	sheaf_run waiting = {0, 0}; /* the first run, until there is a second one */
	int64_t taken = 0;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&text, s->view.cx, NULL);
	for (int64_t r = 0, end; r < frame->nrows && status == SHEAF_OK; r = end) {
		end = end_of_run(s, frame, r, &chosen, &text);
		if (text.failed) status = sheaf_builder_status(&text, err);
		if (!chosen) continue;
		if (taken == 0) {
			waiting = (sheaf_run){r, end};
		} else {
			if (waiting.end && status == SHEAF_OK) status = take(s, frame, waiting, false, out, err);
			waiting = (sheaf_run){0, 0};
			if (status == SHEAF_OK) status = take(s, frame, (sheaf_run){r, end}, false, out, err);
		}
		taken += end - r;
	}
	if (waiting.end && status == SHEAF_OK) status = take(s, frame, waiting, true, out, err);
	s->found += taken;
	sheaf_builder_drop(&text);
	return status;
}

/* ---- pieces ---- */

static void close_below(selected *s)
{
	if (s->is_open) sheaf_decoding_close(&s->below);
	s->is_open = false;
}

static sheaf_status open_below(selected *s, int64_t bytes, sheaf_error *err)
{
	if (s->is_open) return SHEAF_OK;
	SHEAF_TRY(sheaf_decoding_open(&s->below, s->view.inner, s->view.in, bytes,
	                              s->attending ? s->attending : s->view.cx, err));
	s->is_open = true;
	return SHEAF_OK;
}

static sheaf_status check_found(const selected *s, sheaf_error *err)
{
	if (!s->where || s->found > 0) return SHEAF_END;
	return sheaf_refuse_where(s->where, sheaf_source_name(s->view.source), err);
}

static sheaf_status next_below(selected *s, const sheaf_frame **out, sheaf_error *err)
{
	if (s->row >= s->choice.to) return check_found(s, err);
	sheaf_status status = sheaf_view_next_below(&s->view, &s->below, s->row, out, err);
	return status == SHEAF_END ? check_found(s, err) : status;
}

static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	selected *s = (selected *)in;
	const sheaf_frame *frame = NULL;
	sheaf_frame picked = {0};
	sheaf_buffer_reset(&piece->bytes);
	SHEAF_TRY(open_below(s, bytes, err));
	while (picked.nrows == 0) {
		sheaf_frame_free(&picked);
		SHEAF_TRY(next_below(s, &frame, err));
		sheaf_status status = pick(s, frame, &picked, err);
		if (status) sheaf_frame_free(&picked);
		SHEAF_TRY(status);
		s->row += frame->nrows;
	}
	const sheaf_piece *below = sheaf_decoding_piece(&s->below);
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

static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const sheaf_frame *picked = sheaf_view_unwrap(&piece->notes);
	(void)in, (void)cx;
	return sheaf_frame_slice(picked, 0, picked->nrows, frame, err);
}

/* From here on the findings go to the reader of the rows. */
static void attend(void *in, sheaf_context *cx)
{
	selected *s = (selected *)in;
	close_below(s);
	s->attending = cx;
}

static sheaf_status rewind_selected(void *in, sheaf_error *err)
{
	selected *s = (selected *)in;
	close_below(s);
	s->row = s->found = 0;
	return s->view.inner->rewind(s->view.in, err);
}

static void release(sheaf_row_view *view)
{
	selected *s = (selected *)view;
	close_below(s);
	if (s->where) sheaf_release_text(view->cx, s->where);
}

/* ---- opening ---- */

static sheaf_status count(void *user, const sheaf_frame *frame, sheaf_error *err)
{
	(void)err;
	*(int64_t *)user += frame->nrows;
	return SHEAF_OK;
}

static sheaf_status find_limit(selected *s, sheaf_error *err)
{
	int64_t rows = s->view.in->facts.rows;
	if (s->choice.count < 0) return SHEAF_OK;
	if (rows < 0) {
		rows = 0;
		SHEAF_TRY(sheaf_view_survey(&s->view, count, &rows, err));
	}
	return sheaf_choice_limit(&s->choice, rows, s->view.cx, err);
}

static sheaf_status find_names(selected *s, const char *where, sheaf_error *err)
{
	const sheaf_schema *schema = &s->view.in->schema;
	if (!where) return SHEAF_OK;
	s->names = sheaf_schema_find(schema, "name");
	const sheaf_field *field = s->names < 0 ? NULL : &schema->fields[s->names];
	if (!field || field->meaning != SHEAF_STRING || field->nlevels != 1)
		return sheaf_fail_option(err, SHEAF_USAGE, "where",
		                         ": expected rows with names, a column \"name\" of texts, found none in %s",
		                         sheaf_source_name(s->view.source));
	return sheaf_copy_text(s->view.cx, where, strlen(where), &s->where, err);
}

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

static sheaf_status make_schema(selected *s, sheaf_error *err)
{
	SHEAF_TRY(sheaf_schema_copy(&s->view.in->schema, s->view.cx, &s->view.schema, err));
	s->view.schema.tensor.dense = false;
	s->numbers = s->view.schema.rows != SHEAF_ENTRIES;
	return SHEAF_OK;
}

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
	s->row = row;
	SHEAF_TRY(find_names(s, selection->where, err));
	SHEAF_TRY(make_schema(s, err));
	SHEAF_TRY(find_limit(s, err));
	view->facts = facts_of(s);
	view->format.cut = cut;
	view->format.decode = decode;
	view->format.rewind = rewind_selected;
	view->format.settle = NULL;
	view->format.attend = attend;
	view->has_placed = true;
	return SHEAF_OK;
}
