/* SPDX-License-Identifier: MIT */
/* Ours, called as a library: text to arrays, and frames of a file, both in reused memory. */
#include "bench.h"
#include <stdlib.h>

typedef struct reading {
	bench_mapped text;
	sheaf_context *cx;
	sheaf_setting *settings;
	int nsettings;
} reading;

static const char *begin_reading(const bench_job *job, void **state)
{
	sheaf_context_options options = {.size = sizeof options, .threads = job->threads};
	reading *r = (reading *)need(sizeof *r);
	sheaf_error err;
	if (sheaf_context_new(&options, &r->cx, &err)) die("%s", err.message);
	r->settings = workload_settings(job->work, &r->nsettings);
	*state = r;
	return NULL;
}

static const char *begin_parsing(const bench_job *job, void **state)
{
	begin_reading(job, state);
	((reading *)*state)->text = map_file(job->text);
	return NULL;
}

static int64_t values_of(const sheaf_schema *schema, const sheaf_frame *frame)
{
	int64_t n = 0;
	for (int c = 0; c < frame->ncolumns; c++)
		if (sheaf_field_is_dense(&schema->fields[c]) || sheaf_field_is_sparse(&schema->fields[c]))
			n += (int64_t)(frame->columns[c].values.size / sheaf_type_size(frame->columns[c].type));
	return n;
}

static void read_all(reading *r, sheaf_dataset *dataset, bench_yield *out)
{
	const sheaf_frame *frame;
	sheaf_error err;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		out->values += values_of(sheaf_dataset_schema(dataset), frame);
	if (status != SHEAF_END) die("%s", err.message);
	sheaf_close(dataset);
	sheaf_context_memory(r->cx, &out->memory);
}

static void survey(const reading *r, sheaf_dataset *dataset, bench_yield *out)
{
	const sheaf_pieces *pieces;
	sheaf_error err;
	if (sheaf_dataset_pieces(dataset, &pieces, &err)) die("%s", err.message);
	sheaf_close(dataset);
	sheaf_context_memory(r->cx, &out->memory);
}

static sheaf_dataset *open_text(const bench_job *job, const reading *r, int64_t piece_bytes)
{
	sheaf_open_options options = {.size = sizeof options, .settings = r->settings, .nsettings = r->nsettings};
	options.piece_bytes = piece_bytes;
	sheaf_source *source;
	sheaf_dataset *dataset;
	sheaf_error err;
	if (sheaf_source_memory((sheaf_bytes){(const uint8_t *)r->text.data, r->text.size}, job->text, r->cx,
	                        &source, &err) ||
	    sheaf_open_source(source, &options, r->cx, &dataset, &err))
		die("%s", err.message);
	return dataset;
}

static void run_parsing(const bench_job *job, void *state, bench_yield *out)
{
	reading *r = (reading *)state;
	read_all(r, open_text(job, r, 0), out);
}

const bench_runner parse_text = {"parse", begin_parsing, run_parsing};

/* The table of pieces, and the length of each sequence. */
static void run_index(const bench_job *job, void *state, bench_yield *out)
{
	const reading *r = (const reading *)state;
	survey(r, open_text(job, r, 0), out);
}

const bench_runner index_text = {"index pass", begin_parsing, run_index};

/* If the lengths of rows need it, their survey reads all of a file into the format's own model, and drops it.
 * The pieces are those in which rows are read. */
enum { PIECE = 512 << 10 };

static void run_model_of_text(const bench_job *job, void *state, bench_yield *out)
{
	const reading *r = (const reading *)state;
	survey(r, open_text(job, r, PIECE), out);
}

const bench_runner model_text = {"model", begin_parsing, run_model_of_text};

static void run_model_of_binary(const bench_job *job, void *state, bench_yield *out)
{
	const reading *r = (const reading *)state;
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = r->settings,
	                              .nsettings = r->nsettings,
	                              .index = SHEAF_INDEX_NEVER};
	options.piece_bytes = PIECE;
	sheaf_dataset *dataset;
	sheaf_error err;
	if (sheaf_open(job->binary, &options, r->cx, &dataset, &err)) die("%s", err.message);
	survey(r, dataset, out);
}

const bench_runner model_binary = {"model", begin_reading, run_model_of_binary};

/* ---- opening by path ---- */

static void open_pieces(const reading *r, const bench_job *job, sheaf_index_policy policy, bench_yield *out)
{
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = r->settings,
	                              .nsettings = r->nsettings,
	                              .access = SHEAF_RANDOM,
	                              .index = policy};
	sheaf_dataset *dataset;
	sheaf_index_info index;
	const sheaf_pieces *pieces;
	sheaf_error err;
	if (sheaf_open(job->text, &options, r->cx, &dataset, &err) ||
	    sheaf_dataset_pieces(dataset, &pieces, &err))
		die("%s", err.message);
	sheaf_dataset_index(dataset, &index);
	out->size = index.bytes;
	sheaf_close(dataset);
	sheaf_context_memory(r->cx, &out->memory);
}

static void run_indexed(const bench_job *job, void *state, bench_yield *out)
{
	open_pieces((const reading *)state, job, SHEAF_INDEX_REQUIRE, out);
}

static void run_scan(const bench_job *job, void *state, bench_yield *out)
{
	open_pieces((const reading *)state, job, SHEAF_INDEX_NEVER, out);
}

const bench_runner open_indexed = {"indexed", begin_reading, run_indexed};
const bench_runner open_by_scan = {"scan", begin_reading, run_scan};
const bench_runner size_of_index = {"index", begin_reading, run_indexed};

static void run_frames(const bench_job *job, void *state, bench_yield *out)
{
	reading *r = (reading *)state;
	sheaf_dataset *dataset;
	sheaf_error err;
	if (sheaf_open(job->binary, NULL, r->cx, &dataset, &err)) die("%s", err.message);
	read_all(r, dataset, out);
}

const bench_runner read_frames = {"read", begin_reading, run_frames};
