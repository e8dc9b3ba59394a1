/* SPDX-License-Identifier: MIT */
/* Rows of a table as sequences of samples: the reverse of view_samples.c. All rows are examined first, to
 * find what the columns are (sequences.c). Then those of whole sequences are gathered while pieces are cut,
 * in order, and become sequences on any thread:
 *
 *     rows below -> rest -> whole sequences -> the notes of a piece
 *
 * The file may change between both passes. The second one refuses what does not fit into the schema that the
 * first one has made, or would become another number or move to another place there. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "frame/frame.h"
#include "frame/schema/read_json.h"
#include "io/source.h"
#include "view/sequences.h"
#include "view/view.h"
#include <inttypes.h>
#include <string.h>

typedef struct sequences {
	sheaf_row_view view;
	sheaf_sequence_table table;
	sheaf_rows_below below;
	bool has_ended;
	sheaf_frame rest; /* rows that are in no piece so far, */
	int64_t searched; /* of which that many were searched for the beginning of a sequence */
} sequences;

/* ---- sequences ---- */

/* A sequence on its way into a frame: the rows `run` of a table. */
typedef struct gathering {
	const sequences *v;
	const sheaf_frame *rows;
	sheaf_frame_builder *to;
	sheaf_run run;
	int64_t *ends; /* for each part the number of its samples so far, including the current one */
	int last;      /* the stream that sheaf_sequence_part_find found last */
	sheaf_error *err;
} gathering;

static const sheaf_sequence_part *part_of(const gathering *g, int p) { return &g->v->table.parts[p]; }

static sheaf_column_builder *column_of(const gathering *g, int p)
{
	return &g->to->columns[p + g->v->table.has_keys];
}

/* Fails because of row r of the table. The message names the key of the sequence and the number of the row
 * within it, since a piece does not know the numbers of its rows. */
static sheaf_status refuse(const gathering *g, const sheaf_sequence_part *p, int64_t r, const char *expected,
                           const char *found)
{
	return sheaf_fail(g->err, SHEAF_DATA,
	                  "%s: sequence %" PRIu64 ", its row %" PRId64 ", column \"%s\": "
	                  "expected %s, found %s",
	                  g->v->table.file, sheaf_sequence_key(&g->v->table, g->rows, r), r - g->run.begin,
	                  p->name, expected, found);
}

/* Refuses an integer in row r of a column of the table that no float64 holds exactly. */
static sheaf_status check_exact(const gathering *g, const sheaf_sequence_part *p, const sheaf_column *column,
                                int64_t r)
{
	char text[SHEAF_SEQUENCE_INTEGER];
	const char *found = sheaf_sequence_inexact(column, r, text);
	return found ? refuse(g, p, r, "a number that float64 holds", found) : SHEAF_OK;
}

/* The number of samples that a stream's column has so far, of all sequences. A sparse sample ends with an
 * offset of its own, so offsets are counted; a dense one is as many values as its extent says. */
static int64_t count_samples(const sheaf_column_builder *to)
{
	size_t size = sheaf_type_size(to->field->type);
	const sheaf_level_builder *level = &to->levels[1];
	if (level->shape->kind == SHEAF_COORD) return (int64_t)(level->offsets.size / sizeof(int64_t)) - 1;
	return (int64_t)(to->values.size / size) / level->shape->extent;
}

/* Adds an entry to the sparse sample that is under way. */
static void put_entry(sheaf_column_builder *to, int64_t index, double v)
{
	sheaf_level_builder *level = &to->levels[1];
	sheaf_put_index(&level->indices[0], level->shape->index_type, index);
	sheaf_put_real(&to->values, to->field->type, v);
}

static void end_entries(sheaf_column_builder *to)
{
	sheaf_level_end(&to->levels[1], (int64_t)(to->values.size / sheaf_type_size(to->field->type)));
}

/* Adds the sample of row r to a dense stream: p->nvalues numbers in columns next to each other. *there says
 * whether the row has a sample; a row that has only some of the numbers is refused. */
static sheaf_status put_dense(const gathering *g, const sheaf_sequence_part *p, int64_t r,
                              sheaf_column_builder *to, bool *there)
{
	double v;
	int64_t found = 0;
	for (int64_t i = 0; i < p->nvalues; i++) {
		const sheaf_column *column = &g->rows->columns[p->first_column + i];
		if (!sheaf_sequence_number(column, r, &v)) continue;
		/* A number after a gap is the sign of an incomplete sample. */
		if (found++ != i) break;
		SHEAF_TRY(check_exact(g, p, column, r));
		sheaf_put_real(&to->values, to->field->type, v);
	}
	*there = found > 0;
	if (found == 0 || found == p->nvalues) return SHEAF_OK;
	return refuse(g, p, r, "all values of a sample, or none", "some of them");
}

/* Adds the sample of row r to a sparse stream: a text of entries, like "3:1 7:0.5". *there says whether the
 * row has a sample; an empty text is one without entries. Indices beyond those of the first pass are refused,
 * since the schema has promised their limit. */
static sheaf_status put_sparse(const gathering *g, const sheaf_sequence_part *p, int64_t r,
                               sheaf_column_builder *to, bool *there)
{
	const uint8_t *text;
	size_t size;
	int64_t index;
	double v;
	*there = sheaf_sequence_text(&g->rows->columns[p->first_column], r, &text, &size);
	if (!*there) return SHEAF_OK;
	const char *at = (const char *)text, *end = at + size;
	while (sheaf_sequence_entry(&at, end, &index, &v)) {
		if (index >= p->dim)
			return refuse(g, p, r, "an index that was there in the first pass", "a larger one");
		put_entry(to, index, v);
	}
	end_entries(to);
	return at == end ? SHEAF_OK : refuse(g, p, r, "entries like 3:0.5", "another text");
}

/* Adds the samples of a sequence, one in each row, to a stream. Samples come first, and rows after the last
 * one have none. But programs without empty texts write sparse samples without entries as missing ones: those
 * before another sample do exist, so they wait in `missing` until one comes. */
static sheaf_status put_stream(const gathering *g, const sheaf_sequence_part *p, sheaf_column_builder *to)
{
	int64_t missing = 0;
	bool there;
	for (int64_t r = g->run.begin; r < g->run.end; r++) {
		if (!sheaf_sequence_has_sample(&g->v->table, g->rows, r)) continue;
		bool is_sparse = p->kind == SHEAF_PART_SPARSE;
		const sheaf_column *cells = &g->rows->columns[p->first_column];
		for (; is_sparse && missing && !sheaf_level_is_null(&cells->levels[0], r); missing--) end_entries(to);
		SHEAF_TRY(is_sparse ? put_sparse(g, p, r, to, &there) : put_dense(g, p, r, to, &there));
		if (there && missing) return refuse(g, p, r, "no sample after one that is missing", "one");
		missing += !there;
	}
	sheaf_level_end(&to->levels[0], count_samples(to));
	return SHEAF_OK;
}

/* ---- columns beside streams ---- */

/* Adds an item: the text, or the number v, as the field wants; or, if it is not there, a missing item,
 * which takes the place of an empty or a zero one. */
static void put_one(sheaf_column_builder *to, bool there, sheaf_bytes text, double v)
{
	int last = to->field->nlevels - 1;
	if (!there && last >= 0) sheaf_level_miss(&to->levels[last], sheaf_column_count(to, last), 0);
	if (to->field->meaning == SHEAF_STRING)
		sheaf_column_put_text(to, text.data, text.size);
	else
		sheaf_put_real(&to->values, to->field->type, v);
}

/* Adds the item that a part has in row r. */
static sheaf_status put_item(const gathering *g, const sheaf_sequence_part *p, int64_t r,
                             sheaf_column_builder *to)
{
	const sheaf_column *from = &g->rows->columns[p->first_column];
	const uint8_t *text = NULL;
	size_t size = 0;
	double v = 0;
	bool is_text = to->field->meaning == SHEAF_STRING;
	bool there = is_text ? sheaf_sequence_text(from, r, &text, &size) : sheaf_sequence_number(from, r, &v);
	if (there && !is_text) SHEAF_TRY(check_exact(g, p, from, r));
	put_one(to, there, (sheaf_bytes){text, size}, v);
	return SHEAF_OK;
}

/* Adds an item for each sample of a sequence. Where values have rows of their own, a sample has several
 * rows with the same item, so only the first of them counts; samples must be numbered without gaps then. */
static sheaf_status put_items(const gathering *g, const sheaf_sequence_part *p, sheaf_column_builder *to)
{
	int64_t items = 0;
	const sheaf_sequence_table *t = &g->v->table;
	for (int64_t r = g->run.begin; r < g->run.end; r++) {
		if (!sheaf_sequence_has_sample(&g->v->table, g->rows, r)) continue;
		bool is_long = t->as == SHEAF_SAMPLES_LONG;
		int64_t sample = sheaf_sequence_sample(t, g->rows, r);
		if (is_long && sample < items) continue;
		if (is_long && sample > items)
			return refuse(g, p, r, "samples one after the other", "one that is missing");
		SHEAF_TRY(put_item(g, p, r, to));
		items++;
	}
	sheaf_level_end(&to->levels[0], sheaf_column_count(to, 1));
	return SHEAF_OK;
}

/* ---- lists ---- */

/* Adds the items in a list of JSON to a column beside the streams: texts or numbers, or null where items
 * may be missing. False if one of them is something else, which *misfit says. */
static bool put_listed(const sheaf_json *list, sheaf_column_builder *to, sheaf_json_misfit *misfit)
{
	bool is_text = to->field->meaning == SHEAF_STRING;
	for (size_t i = 0; i < sheaf_json_size(list); i++) {
		const sheaf_json *item = sheaf_json_at(list, i);
		size_t size = 0;
		double v = 0;
		const char *text = is_text ? sheaf_json_text(item, &size) : NULL;
		bool there = is_text ? text != NULL : sheaf_json_number(item, &v) || sheaf_json_special(item, &v);
		bool is_null = sheaf_json_kind_of(item) == SHEAF_JSON_NULL && to->field->nlevels > 1;
		if (!there && !is_null) return sheaf_json_misfits(misfit, is_text ? "a text" : "a number", item);
		put_one(to, there, (sheaf_bytes){(const uint8_t *)text, size}, v);
	}
	sheaf_level_end(&to->levels[0], sheaf_column_count(to, 1));
	return true;
}

/* Adds what a cell of JSON has: all samples of a sequence, or the items of all of them. A missing text is
 * an empty list. */
static sheaf_status put_list(const gathering *g, const sheaf_sequence_part *p, sheaf_column_builder *to)
{
	const uint8_t *text;
	size_t size;
	sheaf_json *list;
	sheaf_json_flaw flaw;
	sheaf_json_misfit misfit = {0};
	int64_t r = g->run.begin;
	sheaf_context *cx = g->to->cx;
	if (!sheaf_sequence_text(&g->rows->columns[p->first_column], r, &text, &size)) {
		sheaf_level_end(&to->levels[0], sheaf_column_count(to, 1));
		return SHEAF_OK;
	}
	sheaf_status status = sheaf_json_take(text, size, cx, &list, &flaw, g->err);
	if (status == SHEAF_DATA) return refuse(g, p, r, "a list", flaw.found);
	SHEAF_TRY(status);
	bool is_sound = p->kind == SHEAF_PART_OF_SAMPLE ? put_listed(list, to, &misfit)
	                                                : sheaf_column_put_json(to, list, false, &misfit);
	sheaf_json_give_back(list, size, cx);
	return is_sound ? SHEAF_OK : refuse(g, p, r, misfit.expected, misfit.found);
}

/* ---- values in rows of their own ---- */

/* How many values the sample that is under way in a dense stream has so far; 0 between samples, and where
 * memory has run out, which building reports. */
static int64_t count_begun(const sheaf_sequence_part *p, const sheaf_column_builder *to)
{
	if (p->kind != SHEAF_PART_DENSE || to->values.failed) return 0;
	return (int64_t)(to->values.size / sheaf_type_size(to->field->type)) % p->nvalues;
}

/* Adds the value in row r to its stream. Samples of a stream must come in order; those that were skipped
 * exist without entries, as a later one has some. Those of a dense stream have no indices in the output, so
 * all of their values must come, and in order. g->ends[p] is the number of samples of part p so far, of
 * which the last one is not ended yet. */
static sheaf_status put_value(gathering *g, int64_t r)
{
	const sheaf_sequence_table *t = &g->v->table;
	const uint8_t *name;
	size_t size;
	double index, value;
	int64_t sample = sheaf_sequence_sample(t, g->rows, r);
	if (!sheaf_sequence_text(&g->rows->columns[t->stream], r, &name, &size) || sample < 0 ||
	    !sheaf_sequence_number(&g->rows->columns[t->index], r, &index) || !sheaf_sequence_is_place(index) ||
	    !sheaf_sequence_number(&g->rows->columns[t->value], r, &value))
		return refuse(g, &t->parts[0], r, "a stream, a sample, an index and a value", "fewer");
	int p = sheaf_sequence_part_find(t, name, size, &g->last);
	if (p < 0) return refuse(g, &t->parts[0], r, "a stream that was there in the first pass", "another");
	const sheaf_sequence_part *part = part_of(g, p);
	if (index >= (double)part->dim)
		return refuse(g, part, r, "an index that was there in the first pass", "a larger one");
	SHEAF_TRY(check_exact(g, part, &g->rows->columns[t->value], r));
	sheaf_column_builder *to = column_of(g, p);
	if (sample + 1 < g->ends[p]) return refuse(g, part, r, "samples in order", "an earlier one");
	bool is_sparse = part->kind == SHEAF_PART_SPARSE;
	int64_t begun = count_begun(part, to);
	bool is_next = index == (double)begun && sample == g->ends[p] - (begun > 0);
	if (!is_sparse && !is_next && !to->values.failed)
		return refuse(g, part, r, "the values of dense samples in order", "another order");
	for (; is_sparse && g->ends[p] < sample + 1 && !to->levels[1].offsets.failed; g->ends[p]++)
		if (g->ends[p] > 0) end_entries(to);
	g->ends[p] = sample + 1;
	if (is_sparse)
		put_entry(to, (int64_t)index, value);
	else
		sheaf_put_real(&to->values, to->field->type, value);
	return SHEAF_OK;
}

/* Adds all values of a sequence whose values have rows of their own: streams are mixed in the rows, so all
 * of them are built together. */
static sheaf_status put_values(gathering *g)
{
	const sheaf_sequence_table *t = &g->v->table;
	for (int p = 0; p < t->nparts; p++) g->ends[p] = 0;
	for (int64_t r = g->run.begin; r < g->run.end; r++) SHEAF_TRY(put_value(g, r));
	for (int p = 0; p < t->nparts; p++) {
		const sheaf_sequence_part *part = part_of(g, p);
		sheaf_column_builder *to = column_of(g, p);
		if (part->first_column >= 0) continue;
		if (count_begun(part, to))
			return refuse(g, part, g->run.end - 1, "all values of a sample", "some of them");
		if (g->ends[p] > 0 && part->kind == SHEAF_PART_SPARSE) end_entries(to);
		sheaf_level_end(&to->levels[0], count_samples(to));
	}
	return SHEAF_OK;
}

/* ---- rows ---- */

/* Adds the sequence that the rows g->run make to the frame: its key, its streams and what is beside them.
 * Values that have rows of their own are added for all streams at once, other columns one by one. */
static sheaf_status put_sequence(gathering *g)
{
	const sheaf_sequence_table *t = &g->v->table;
	uint64_t key = sheaf_sequence_key(t, g->rows, g->run.begin);
	if (t->has_keys) sheaf_builder_append(&g->to->columns[0].values, &key, sizeof key);
	if (t->as == SHEAF_SAMPLES_LONG) SHEAF_TRY(put_values(g));
	for (int number = 0; number < t->nparts; number++) {
		const sheaf_sequence_part *p = part_of(g, number);
		sheaf_column_builder *to = column_of(g, number);
		if (p->first_column < 0) continue;
		SHEAF_TRY(p->kind == SHEAF_PART_OF_ROW      ? put_item(g, p, g->run.begin, to)
		          : t->as == SHEAF_SAMPLES_LISTS    ? put_list(g, p, to)
		          : p->kind == SHEAF_PART_OF_SAMPLE ? put_items(g, p, to)
		                                            : put_stream(g, p, to));
	}
	SHEAF_TRY(sheaf_frame_builder_status(g->to, g->err));
	g->to->nrows++;
	return SHEAF_OK;
}

/* Makes sequences of the rows in the notes of a piece, on any thread: a piece consists of whole sequences,
 * whose borders are found again here. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const sequences *v = (const sequences *)in;
	const sheaf_frame *rows = sheaf_view_unwrap(&piece->notes);
	sheaf_frame_builder to;
	gathering g = {.v = v, .rows = rows, .to = &to, .last = -1, .err = err};
	size_t size = (size_t)(v->table.nparts + 1) * sizeof *g.ends;
	sheaf_status status = sheaf_frame_builder_begin(&to, &v->view.schema, frame, cx, err);
	if (status == SHEAF_OK) status = sheaf_allocate(cx, size, &g.ends, err);
	for (int64_t r = 0; !status && r < rows->nrows; r = g.run.end) {
		int64_t run_end = r + 1;
		while (run_end < rows->nrows && !sheaf_sequence_begins(&v->table, rows, run_end)) run_end++;
		g.run = (sheaf_run){r, run_end};
		status = put_sequence(&g);
	}
	sheaf_release(cx, g.ends, size);
	return sheaf_frame_builder_end(&to, status, frame, err);
}

/* ---- pieces ---- */

/* Moves the first n rows of the rest into a buffer for a piece. What stays is copied, so that it does not
 * keep the memory of the piece. */
static sheaf_status take_rows(sequences *v, int64_t n, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_frame whole = {0}, rest = {0};
	sheaf_status status = sheaf_frame_slice(&v->rest, 0, n, &whole, err);
	if (!status) status = sheaf_frame_append(&rest, &v->rest, n, v->rest.nrows, v->view.cx, err);
	if (!status) status = sheaf_view_wrap_frame(&whole, v->view.cx, out, err);
	sheaf_frame_free(&whole);
	if (status) {
		sheaf_frame_free(&rest);
		return status;
	}
	sheaf_frame_free(&v->rest);
	v->rest = rest;
	v->searched = rest.nrows;
	return SHEAF_OK;
}

/* Cuts a piece of whole sequences: adds rows to the rest until another sequence begins in it, since the
 * last one may go on in the rows below, or until there are no more rows. Searching goes backwards and stops
 * at the rows that were searched before. */
static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sequences *v = (sequences *)in;
	const sheaf_frame *next;
	int64_t rows = 0;
	while (rows == 0) {
		int64_t r = v->rest.nrows - 1;
		while (r >= v->searched && r > 0 && !sheaf_sequence_begins(&v->table, &v->rest, r)) r--;
		bool found_begin = r >= v->searched && r > 0;
		rows = v->has_ended ? v->rest.nrows : found_begin ? r : 0;
		if (rows) break;
		if (v->has_ended) return SHEAF_END;
		sheaf_status status = sheaf_rows_below_next(&v->below, bytes, &next, err);
		v->has_ended = status == SHEAF_END;
		if (v->has_ended) continue;
		SHEAF_TRY(status);
		v->searched = v->rest.nrows;
		SHEAF_TRY(sheaf_frame_append(&v->rest, next, 0, next->nrows, v->view.cx, err));
	}
	sheaf_view_empty_piece(piece);
	return take_rows(v, rows, &piece->notes, err);
}

/* Goes back to the first row of the table, whatever piece is named: pieces of sequences cannot be
 * recalled. */
static sheaf_status rewind_all(void *in, const sheaf_piece *to, sheaf_error *err)
{
	sequences *v = (sequences *)in;
	(void)to;
	v->has_ended = false;
	sheaf_frame_free(&v->rest);
	v->rest = (sheaf_frame){0};
	v->searched = 0;
	return sheaf_rows_below_rewind(&v->below, err);
}

static void release(sheaf_row_view *view)
{
	sequences *v = (sequences *)view;
	sheaf_rows_below_end(&v->below);
	sheaf_frame_free(&v->rest);
	sheaf_sequence_table_free(&v->table);
}

/* Puts the view on the input: a pass over all rows finds what the columns are, and the schema is made of
 * that. The rows below must be at their beginning. */
sheaf_status sheaf_view_sequences(sheaf_input *input, sheaf_samples_as as, sheaf_error *err)
{
	sheaf_row_view *view;
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(sequences), &view, err));
	sequences *v = (sequences *)view;
	view->release = release;
	v->table = (sheaf_sequence_table){.cx = view->cx, .file = sheaf_source_name(input->source), .as = as};
	view->schema = (sheaf_schema){.cx = view->cx};
	SHEAF_TRY(sheaf_sequence_table_begin(&v->table, below, err));
	SHEAF_TRY(sheaf_view_survey(view, sheaf_sequence_table_see, &v->table, err));
	SHEAF_TRY(sheaf_sequence_table_end(&v->table, &view->schema, err));
	view->format.cut = cut;
	view->format.decode = decode;
	view->format.rewind = rewind_all;
	sheaf_rows_below_begin(&v->below, view, 0);
	return SHEAF_OK;
}
