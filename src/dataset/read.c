/* SPDX-License-Identifier: MIT */
/* Reading the frames of a dataset, in the order of calls that formats rely on: each frame is decoded on any
 * thread, and then, in order, placed among the rows, reviewed by the format, gathered into an index, and
 * given. After the last one the format reviews the whole. What was cut short by a flaw is given as far as it
 * is good, but neither reviewed nor gathered, since the caller hears of the flaw next. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "container/listing.h"
#include "dataset/dataset.h"
#include "dataset/input/measure.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/view.h"

const sheaf_schema *sheaf_dataset_schema(const sheaf_dataset *dataset)
{
	if (!dataset) return NULL;
	return &dataset->in->schema;
}

const sheaf_format *sheaf_dataset_format(const sheaf_dataset *dataset)
{
	if (!dataset) return NULL;
	return dataset->native;
}

const sheaf_source *sheaf_dataset_source(const sheaf_dataset *dataset)
{
	if (!dataset) return NULL;
	return dataset->source;
}

/* Gives what is known of a dataset without reading it: what the reader says, and the numbers of rows and
 * samples that a fresh index has, where the reader does not know them (-1). */
void sheaf_dataset_facts(const sheaf_dataset *dataset, sheaf_facts *out)
{
	if (!out) return;
	*out = SHEAF_NO_FACTS;
	if (!dataset) return;
	*out = dataset->in->facts;
	if (out->rows >= 0 || !dataset->index->fresh) return;
	out->rows = dataset->index->file.head.rows;
	out->samples = dataset->index->file.head.samples;
}

sheaf_status sheaf_take_tree_options(const char *function, const sheaf_tree_options *given,
                                     sheaf_tree_options *out, sheaf_error *err)
{
	*out = (sheaf_tree_options){.size = sizeof *out};
	if (!given) return SHEAF_OK;
	SHEAF_TRY(sheaf_check_size("tree options", given->size, sizeof *out, err));
	*out = *given;
	if (given->depth >= 0) return SHEAF_OK;
	return sheaf_out_of_range(function, "a depth of at least 0", given->depth, err);
}

/* Appends the tree of a source, or nothing if the format has no list. */
sheaf_status sheaf_put_tree(const sheaf_format *format, const void *in, sheaf_source *source,
                            const sheaf_tree_options *options, sheaf_builder *b, sheaf_error *err)
{
	sheaf_tree_listing tree = {.to = {b, options->json}, .depth = options->depth};
	if (!format->model || !format->model->list) return SHEAF_OK;
	sheaf_tree_begin(&tree);
	SHEAF_TRY(format->model->list(in, source, &(sheaf_item_teller){sheaf_tree_show, &tree, false}, err));
	sheaf_tree_end(&tree);
	return SHEAF_OK;
}

/* Lists what the format says about itself, then the tree, as text or JSON, into *out, which the caller frees;
 * empty if there is neither. A view passes both on to the format below. */
sheaf_status sheaf_dataset_describe(const sheaf_dataset *dataset, const sheaf_tree_options *options,
                                    sheaf_buffer *out, sheaf_error *err)
{
	sheaf_tree_options o;
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(dataset, "a dataset");
	SHEAF_TRY(sheaf_take_tree_options(__func__, options, &o, err));
	const sheaf_model *model = dataset->format->model;
	sheaf_builder b;
	sheaf_builder_begin(&b, dataset->cx, NULL);
	sheaf_status status = SHEAF_OK;
	if (model && model->describe) status = model->describe(dataset->in, &(sheaf_listing){&b, o.json}, err);
	if (!status && dataset->native->model && dataset->native->model->list)
		status = sheaf_put_tree(dataset->format, dataset->in, dataset->source, &o, &b, err);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}

/* Gives the lengths of sequences that a view has collected while it made a tensor of them; an empty buffer
 * if no view has. */
sheaf_status sheaf_dataset_lengths(const sheaf_dataset *dataset, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(dataset, "a dataset");
	for (const sheaf_row_view *v = dataset->view; v; v = v->under)
		if (v->lengths.size) {
			*out = sheaf_buffer_ref(&v->lengths);
			break;
		}
	return SHEAF_OK;
}

int64_t sheaf_dataset_row(const sheaf_dataset *dataset)
{
	if (!dataset) return -1;
	return dataset->row;
}

/* The key of a row in a frame; without keys, the number that the row has: in the file, where a selection
 * has kept it (frame->numbers), or else in the dataset. UINT64_MAX if there is no such row. */
uint64_t sheaf_row_key(const sheaf_dataset *dataset, const sheaf_frame *frame, int64_t row)
{
	int key = sheaf_schema_key(sheaf_dataset_schema(dataset));
	if (key < 0 && frame->numbers.size) return ((const uint64_t *)(const void *)frame->numbers.data)[row];
	if (key < 0) return (uint64_t)(dataset->row + row);
	return ((const uint64_t *)(const void *)frame->columns[key].values.data)[row];
}

/* Ends the reading: the format reviews the whole, and the index that was gathered is written. The part that
 * is made of a dataset hears of the end first, so that what the whole shows is in its findings. */
static sheaf_status end_of_rows(sheaf_dataset *d, sheaf_error *err)
{
	d->ended = true;
	if (d->keep) SHEAF_TRY(d->keep(d, NULL, err));
	if (d->format->review) SHEAF_TRY(d->format->review(d->in, NULL, d->next_row, err));
	if (!(d->ranged && d->ends_before)) SHEAF_TRY(sheaf_source_report_broken(d->source, d->cx, err));
	if (!d->ranged) SHEAF_TRY(sheaf_index_finish(&d->indexed, err));
	return SHEAF_END;
}

/* Gives the next frame, after everything that has its place in the order of rows: completing it, the
 * format's review, gathering the index, and the part that keeps rows. A frame that a flaw has cut short is
 * neither reviewed nor gathered. */
static sheaf_status next(sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err)
{
	const sheaf_frame *frame;
	SHEAF_TRY(sheaf_check_stop(d->cx, err));
	if (d->next_kept) return d->next_kept(d, out, err);
	if (!d->decoding.format)
		SHEAF_TRY(sheaf_decoding_open(&d->decoding, d->format, d->in, d->piece_bytes, d->cx, err));
	sheaf_status status = sheaf_decoding_next(&d->decoding, &frame, err);
	if (status == SHEAF_END) return end_of_rows(d, err);
	SHEAF_TRY(status);
	d->row = d->next_row;
	SHEAF_TRY(sheaf_view_place(d->input.view, sheaf_decoding_frame(&d->decoding), err));
	bool is_whole = !sheaf_decoding_is_cut_short(&d->decoding);
	if (is_whole && d->format->review) SHEAF_TRY(d->format->review(d->in, frame, d->row, err));
	if (is_whole) sheaf_index_gather(&d->indexed, sheaf_decoding_piece(&d->decoding), frame);
	d->next_row += frame->nrows;
	sheaf_decoding_frame(&d->decoding)->checked = !d->glance;
	if (d->keep) SHEAF_TRY(d->keep(d, frame, err));
	if (!d->ranged) { /* the reader of a range knows its length */
		int64_t done, total;
		sheaf_source_progress(d->source, &done, &total);
		sheaf_progress(d->cx, done, total);
	}
	*out = frame;
	return SHEAF_OK;
}

/* Gives the next frame of rows, borrowed until the next call, or END, also when asked again. After a
 * failure no more calls are allowed. */
sheaf_status sheaf_next(sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(d, "a dataset");
	if (d->failed)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected no call after a failure, found a call for the next frame",
		                  sheaf_source_name(d->source));
	if (d->ended) return SHEAF_END;
	sheaf_status status = next(d, out, err);
	d->failed = status != SHEAF_OK && status != SHEAF_END;
	return status;
}

/* ---- counting ---- */

/* Counts rows and the facts on which a writer relies in a quiet pass over the input, and goes back to its
 * beginning. To a writer a row of several samples and a key that is not the number of its row mean the same,
 * so if rows need not be counted, either of them ends the pass, and the number of rows is -1. */
sheaf_status sheaf_dataset_count(sheaf_dataset *d, bool keys, bool rows, sheaf_facts *facts, sheaf_error *err)
{
	sheaf_context *quiet;
	const sheaf_frame *frame;
	sheaf_decoding decoding = {0};
	SHEAF_TRY(sheaf_context_quiet(d->cx, &quiet, err));
	sheaf_status status = sheaf_decoding_open(&decoding, d->format, d->in, d->piece_bytes, quiet, err);
	if (status == SHEAF_OK) {
		facts->rows = facts->longest = 0;
		facts->ordinal_keys = 1;
	}
	bool enough = false;
	while (!enough && status == SHEAF_OK &&
	       (status = sheaf_decoding_next(&decoding, &frame, err)) == SHEAF_OK) {
		sheaf_facts_add(facts, &d->in->schema, frame, facts->rows);
		enough = !rows && (facts->longest > 1 || (keys && !facts->ordinal_keys));
	}
	if (enough) facts->rows = -1;
	status = sheaf_decoding_end_pass(&decoding, status, err);
	sheaf_context_free(quiet);
	return status;
}

/* ---- everything at once ---- */

/* Estimates how many times as long the whole input is as the part decoded so far; 1 if that is not known.
 * Rows are cut ahead, so the source is further than the rows that were given: if pieces know their place in
 * the file, that of the last one is more exact. */
static double times_as_long(sheaf_dataset *d)
{
	int64_t done, total;
	const sheaf_piece *piece = sheaf_decoding_piece(&d->decoding);
	sheaf_source_progress(d->source, &done, &total);
	bool has_place =
		d->format == d->native && sheaf_source_is_plain(d->source) && piece->byte >= 0 && piece->size > 0;
	if (has_place) done = piece->byte + piece->size;
	const double SPARE = 1.05; /* lines differ in length */
	return done > 0 && total > done ? (double)total / (double)done * SPARE : 1;
}

/* Reads all rows into one frame. Rows grow in memory that has room for all of them: when the number of
 * frames has doubled, which n & (n - 1) == 0 shows, the room is estimated again. */
sheaf_status sheaf_read_all(sheaf_dataset *dataset, sheaf_frame *out, sheaf_error *err)
{
	const sheaf_frame *frame;
	SHEAF_NEED(out, "a place for the outcome");
	*out = (sheaf_frame){0};
	SHEAF_NEED(dataset, "a dataset");
	sheaf_context *cx = dataset->cx;
	sheaf_status status = sheaf_frame_begin(out, sheaf_dataset_schema(dataset), cx, err);
	for (uint64_t nframes = 1; status == SHEAF_OK && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK;
	     nframes++) {
		sheaf_frame rows = *frame;
		rows.lines = (sheaf_buffer){0};
		status = sheaf_frame_append(out, &rows, 0, rows.nrows, cx, err);
		if (status == SHEAF_OK && (nframes & (nframes - 1)) == 0)
			status = sheaf_frame_expect(out, times_as_long(dataset), cx, err);
	}
	if (status == SHEAF_END) return SHEAF_OK;
	sheaf_frame_free(out);
	return status;
}
