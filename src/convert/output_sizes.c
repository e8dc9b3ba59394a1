/* SPDX-License-Identifier: MIT */
/* Sizes are linear in the samples and entries of streams: a few made-up rows show how much each adds, and an
 * index how many there are. */
#include "convert/output_sizes.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "data/frame.h"
#include "index/counts.h"
#include "io/source.h"

typedef struct measuring {
	sheaf_conversion *c;
	const sheaf_cuts *cuts;
	sheaf_output_sizes *out;
} measuring;

/* ---- by a pass ---- */

static sheaf_status add_sizes(measuring *m, const sheaf_frame *frame, const int *columns, sheaf_error *err)
{
	void *memory;
	sheaf_frame ordered = {0};
	if (frame->nrows == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(m->c->cx, (uint64_t)frame->nrows, sizeof(int64_t), &memory, err));
	int64_t *bytes = (int64_t *)memory;
	sheaf_status status = sheaf_frame_fit(frame, columns, &m->c->schema, &ordered, err);
	if (status == SHEAF_OK)
		status = sheaf_writer_sizes(m->c->writer, &ordered, bytes, &m->out->chunk_bytes, err);
	for (int64_t r = 0; r < frame->nrows && status == SHEAF_OK; r++)
		if (!sheaf_add_i64(&m->out->bytes, m->out->bytes, bytes[r]))
			status = sheaf_fail(err, SHEAF_LIMIT, "part: expected fewer bytes of rows, found 2^63 or more");
	sheaf_frame_free(&ordered);
	sheaf_release(m->c->cx, memory, (size_t)frame->nrows * sizeof(int64_t));
	return status;
}

/* One pass over the rows, with all threads, piece by piece of the table. */
static sheaf_status measure_rows(measuring *m, int input, sheaf_decoding *decoding, const int *columns,
                                 sheaf_error *err)
{
	const sheaf_frame *frame;
	for (int64_t p = 0; p < m->cuts[input].count; p++) {
		m->out->before[input][p] = m->out->bytes;
		SHEAF_TRY(sheaf_decoding_next(decoding, &frame, err));
		SHEAF_TRY(add_sizes(m, frame, columns, err));
	}
	return SHEAF_OK;
}

static sheaf_status measure_with(measuring *m, int input, sheaf_context *quiet, const int *columns,
                                 sheaf_error *err)
{
	sheaf_decoding decoding = {0};
	sheaf_dataset *d = m->c->inputs[input];
	sheaf_range all = {.cuts = &m->cuts[input], .to = m->cuts[input].count, .open_ended = true};
	SHEAF_TRY(sheaf_dataset_narrow(d, &all, err));
	sheaf_status status = sheaf_decoding_open(&decoding, d->format, d->in, d->piece_bytes, quiet, err);
	if (status == SHEAF_OK) status = measure_rows(m, input, &decoding, columns, err);
	sheaf_decoding_close(&decoding);
	sheaf_dataset_widen(d);
	return status;
}

static sheaf_status measure_input(measuring *m, int input, sheaf_context *quiet, sheaf_error *err)
{
	int *columns;
	SHEAF_TRY(sheaf_conversion_columns(m->c, m->c->inputs[input], &columns, err));
	sheaf_status status = measure_with(m, input, quiet, columns, err);
	sheaf_release(m->c->cx, columns, (size_t)m->c->schema.nfields * sizeof *columns);
	return status;
}

/* ---- by an index ---- */

/* How much rows, and samples and entries of each field, add. */
typedef struct weights {
	int64_t row;
	int64_t *sample, *entry;
} weights;

enum { MADE_UP = 2 };

/* One empty row, but with a sample, or also an entry in it, of one field; field -1: of none. */
static sheaf_status weigh(measuring *m, int field, bool entry, int64_t *bytes, sheaf_error *err)
{
	static int64_t none[MADE_UP] = {0, 0}, one[MADE_UP] = {0, 1};
	static uint64_t key;
	sheaf_frame frame = {0};
	SHEAF_TRY(sheaf_frame_begin(&frame, &m->c->schema, m->c->cx, err));
	for (int f = 0; f < frame.ncolumns; f++) {
		sheaf_column *column = &frame.columns[f];
		column->values = (sheaf_buffer){.data = (uint8_t *)&key, .size = sizeof key};
		for (int l = 0; l < column->nlevels; l++) {
			bool filled = f == field && (l == 0 || entry);
			if (column->levels[l].shape.kind != SHEAF_FIXED)
				column->levels[l].offsets =
					(sheaf_buffer){.data = (uint8_t *)(filled ? one : none), .size = sizeof none};
		}
	}
	frame.nrows = 1;
	sheaf_status status = sheaf_writer_sizes(m->c->writer, &frame, bytes, &m->out->chunk_bytes, err);
	sheaf_frame_free(&frame);
	return status;
}

static sheaf_status weigh_field(measuring *m, int field, weights *w, sheaf_error *err)
{
	int64_t with_sample, with_entry;
	const sheaf_field *f = &m->c->schema.fields[field];
	if (!sheaf_field_is_stream(f)) return SHEAF_OK;
	SHEAF_TRY(weigh(m, field, false, &with_sample, err));
	w->sample[field] = with_sample - w->row;
	if (!sheaf_field_is_sparse(f)) return SHEAF_OK;
	SHEAF_TRY(weigh(m, field, true, &with_entry, err));
	w->entry[field] = with_entry - with_sample;
	return SHEAF_OK;
}

static bool add_product(int64_t *sum, int64_t a, int64_t b)
{
	int64_t product;
	return a >= 0 && b >= 0 && sheaf_mul_i64(&product, a, b) && sheaf_add_i64(sum, *sum, product);
}

/* The index of a field among the streams of an input. */
static int stream_of(const sheaf_schema *schema, int field)
{
	int stream = 0;
	for (int f = 0; f < field; f++) stream += sheaf_field_is_stream(&schema->fields[f]);
	return stream;
}

static bool add_piece(measuring *m, int input, int64_t piece, const weights *w, const int *columns)
{
	const sheaf_cuts *cuts = &m->cuts[input];
	const sheaf_schema *schema = sheaf_dataset_schema(m->c->inputs[input]);
	bool sane = add_product(&m->out->bytes, cuts->entries[piece].rows, w->row);
	for (int f = 0; f < m->c->schema.nfields && sane; f++) {
		if (!sheaf_field_is_stream(&m->c->schema.fields[f])) continue;
		sheaf_stream_count n = sheaf_counts_at(cuts->pieces, piece, stream_of(schema, columns[f]));
		sane = add_product(&m->out->bytes, n.samples, w->sample[f]) &&
		       add_product(&m->out->bytes, n.entries, w->entry[f]);
	}
	return sane;
}

static sheaf_status add_input(measuring *m, int input, const weights *w, sheaf_error *err)
{
	int *columns;
	bool sane = true;
	const sheaf_cuts *cuts = &m->cuts[input];
	SHEAF_TRY(sheaf_conversion_columns(m->c, m->c->inputs[input], &columns, err));
	for (int64_t p = 0; p < cuts->count && sane; p++) {
		m->out->before[input][p] = m->out->bytes;
		sane = add_piece(m, input, p, w, columns);
	}
	sheaf_release(m->c->cx, columns, (size_t)m->c->schema.nfields * sizeof *columns);
	return sane ? SHEAF_OK
	            : sheaf_fail(
					  err, SHEAF_STALE,
					  "%s: expected an index with possible counts, found impossible ones (" SHEAF_OPTION(
						  "index") " never does without)",
					  sheaf_source_name(m->c->inputs[input]->source));
}

static sheaf_status add_inputs(measuring *m, weights *w, sheaf_error *err)
{
	SHEAF_TRY(weigh(m, -1, false, &w->row, err));
	for (int f = 0; f < m->c->schema.nfields; f++) SHEAF_TRY(weigh_field(m, f, w, err));
	for (int i = 0; i < m->c->ninputs; i++) SHEAF_TRY(add_input(m, i, w, err));
	return SHEAF_OK;
}

static sheaf_status measure_by_index(measuring *m, sheaf_error *err)
{
	void *memory;
	size_t n = (size_t)m->c->schema.nfields;
	SHEAF_TRY(sheaf_allocate_array(m->c->cx, 2 * n, sizeof(int64_t), &memory, err));
	weights w = {.sample = (int64_t *)memory, .entry = (int64_t *)memory + n};
	sheaf_status status = add_inputs(m, &w, err);
	sheaf_release(m->c->cx, memory, 2 * n * sizeof(int64_t));
	return status;
}

/* ---- either ---- */

static sheaf_status measure_by_pass(measuring *m, sheaf_error *err)
{
	sheaf_context *quiet;
	sheaf_status status = SHEAF_OK;
	SHEAF_TRY(sheaf_context_quiet(m->c->outer, &quiet, err));
	for (int i = 0; i < m->c->ninputs && status == SHEAF_OK; i++) status = measure_input(m, i, quiet, err);
	sheaf_context_free(quiet);
	return status;
}

static sheaf_status allocate(measuring *m, sheaf_error *err)
{
	void *memory;
	sheaf_output_sizes *s = m->out;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->ninputs, sizeof *s->before, &memory, err));
	s->before = (int64_t **)memory;
	for (int i = 0; i < s->ninputs; i++) {
		SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->cuts[i].count, sizeof(int64_t), &memory, err));
		s->before[i] = (int64_t *)memory;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_measure_output(sheaf_conversion *c, const sheaf_cuts *cuts, sheaf_output_sizes *out,
                                  sheaf_error *err)
{
	measuring m = {.c = c, .cuts = cuts, .out = out};
	bool counted = true;
	*out = (sheaf_output_sizes){.cx = c->cx, .cuts = cuts, .ninputs = c->ninputs};
	SHEAF_TRY(allocate(&m, err));
	for (int i = 0; i < c->ninputs; i++) counted &= cuts[i].pieces != NULL;
	return counted ? measure_by_index(&m, err) : measure_by_pass(&m, err);
}

void sheaf_output_sizes_free(sheaf_output_sizes *s)
{
	for (int i = 0; s->before && i < s->ninputs; i++)
		if (s->before[i]) sheaf_release(s->cx, s->before[i], (size_t)s->cuts[i].count * sizeof(int64_t));
	if (s->before) sheaf_release(s->cx, (void *)s->before, (size_t)s->ninputs * sizeof *s->before);
	*s = (sheaf_output_sizes){0};
}

sheaf_status sheaf_output_sizes_check(const sheaf_output_sizes *s, int input, int64_t piece, int64_t bytes,
                                      sheaf_error *err)
{
	int64_t expected = s->bytes;
	if (piece + 1 < s->cuts[input].count)
		expected = s->before[input][piece + 1];
	else if (input + 1 < s->ninputs && s->cuts[input + 1].count > 0)
		expected = s->before[input + 1][0];
	if (bytes == expected) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_STALE,
	                  "part: expected rows of %lld bytes up to the end of a piece, as its index says, found "
	                  "%lld: it has other contents (" SHEAF_OPTION("index") " never does without)",
	                  (long long)expected, (long long)bytes);
}
