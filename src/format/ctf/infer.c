/* SPDX-License-Identifier: MIT */
/* Undeclared streams: a name with an index:value pair anywhere is a sparse stream, its dim one more than the
 * largest index; any other is dense, its dim the largest number of values in a sample. The order is that of
 * first appearance. All threads look at pieces of the input, and the results are combined in order. */
#include "base/context.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/show.h"
#include "format/ctf/look.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_PART = 1 << 20 };

typedef struct inference {
	sheaf_ctf_reader *in;
	sheaf_error *err;
	sheaf_ctf_look look; /* everything found so far */
	sheaf_pipeline pipeline;
	sheaf_status cut; /* of the last cut */
	sheaf_error cut_error;
} inference;

/* A small limit leaves room only for a small window. */
static size_t first_part(const sheaf_context *cx)
{
	enum { SHARE = 32, LEAST = 4096 };
	int64_t share = sheaf_max_memory(cx) / SHARE;
	return share > FIRST_PART ? FIRST_PART : share < LEAST ? LEAST : (size_t)share;
}

/* ---- the whole input ---- */

typedef struct item {
	sheaf_piece piece;
	sheaf_ctf_look look;
	sheaf_status status;
	sheaf_error error;
} item;

static void look_at_piece(void *user, void *memory)
{
	const inference *f = (const inference *)user;
	item *i = (item *)memory;
	const uint8_t *begin = i->piece.bytes.data;
	i->status = sheaf_ctf_look_begin(&i->look, f->in, false, &i->error);
	i->look.byte = i->piece.byte;
	if (i->status == SHEAF_OK)
		i->status = sheaf_ctf_look_at(&i->look, begin, begin + i->piece.size, i->piece.line,
		                              i->piece.line > f->in->first_line, &i->error);
}

static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	sheaf_ctf_look_free(&i->look);
	sheaf_buffer_reset(&i->piece.bytes);
}

static void cut_ahead(inference *f)
{
	item *i;
	while (f->cut == SHEAF_OK && (i = (item *)sheaf_pipeline_free_item(&f->pipeline))) {
		f->cut = sheaf_ctf_cut(f->in, (int64_t)first_part(f->in->cx), &i->piece, &f->cut_error);
		if (f->cut == SHEAF_OK) sheaf_pipeline_submit(&f->pipeline);
	}
}

static sheaf_status add_first(inference *f)
{
	item *i = (item *)sheaf_pipeline_first(&f->pipeline);
	if (i->status && f->err) *f->err = i->error;
	SHEAF_TRY(i->status);
	SHEAF_TRY(sheaf_ctf_look_add(&f->look, &i->look, f->err));
	drop(NULL, i);
	sheaf_pipeline_pass(&f->pipeline);
	return SHEAF_OK;
}

static sheaf_status look_at_pieces(inference *f)
{
	for (cut_ahead(f); sheaf_pipeline_count(&f->pipeline) > 0; cut_ahead(f)) SHEAF_TRY(add_first(f));
	if (f->cut == SHEAF_END) return SHEAF_OK;
	if (f->err) *f->err = f->cut_error;
	bool broken = f->in->truncated && f->look.schema.nfields > 0 && f->cut == f->in->truncated;
	return broken ? sheaf_forgive(f->cut, "reading an input that breaks off meets that again, in its place")
	              : f->cut;
}

static sheaf_status read_at_depth(inference *f, int depth)
{
	f->cut = SHEAF_OK;
	SHEAF_TRY(sheaf_ctf_look_begin(&f->look, f->in, false, f->err));
	SHEAF_TRY(sheaf_pipeline_open(&f->pipeline, f->in->cx, sizeof(item), depth,
	                              (sheaf_pipeline_steps){look_at_piece, NULL, drop, f}, f->err));
	sheaf_status status = look_at_pieces(f);
	sheaf_pipeline_close(&f->pipeline);
	return status;
}

/* If memory is too small for several pieces, begins again with one at a time. */
static sheaf_status read_whole(inference *f)
{
	int threads = sheaf_context_threads(f->in->cx);
	sheaf_status status = read_at_depth(f, threads > 1 ? threads + 1 : 1);
	if (sheaf_is_of_memory(status) && threads > 1) {
		sheaf_ctf_look_free(&f->look);
		SHEAF_TRY(sheaf_source_rewind(f->in->source, f->err));
		SHEAF_TRY(sheaf_ctf_begin(f->in, f->err));
		status = read_at_depth(f, 1);
	}
	SHEAF_TRY(status);
	return sheaf_source_rewind(f->in->source, f->err);
}

/* ---- the first part ---- */

/* Does not move the source, so a pipe can still be read. *complete: this was all of the input. */
static sheaf_status read_part(inference *f, bool declared, size_t most, bool *complete)
{
	sheaf_bytes window;
	const uint8_t *feed = NULL;
	SHEAF_TRY(sheaf_ctf_look_begin(&f->look, f->in, declared, f->err));
	for (*complete = false; !*complete && !feed; most *= 2) {
		/* A line that is cut off would give a wrong dim. */
		sheaf_status status = sheaf_source_ahead(f->in->source, most, &window, f->err);
		*complete = status == SHEAF_OK && window.size < most;
		if (window.size > most) window.size = most;
		feed = window.size ? (const uint8_t *)memrchr(window.data, '\n', window.size) : NULL;
		if (!feed) SHEAF_TRY(status);
		SHEAF_TRY(sheaf_forgive(status, "reading what follows the first part meets it again"));
	}
	const uint8_t *end = *complete ? window.data + window.size : feed + 1;
	return sheaf_ctf_look_at(&f->look, window.data, end, f->in->line, false, f->err);
}

/* ---- results ---- */

static void shape_fields(inference *f, sheaf_type type, bool guessed)
{
	for (int i = 0; i < f->in->schema.nfields; i++) {
		const sheaf_ctf_guess *g = sheaf_ctf_guess_of(&f->look, i);
		sheaf_field_make_stream(&f->in->schema.fields[i], sheaf_ctf_guess_sparse(g), sheaf_ctf_guess_dim(g),
		                        type);
		if (guessed) f->in->schema.fields[i].levels[1].index_type = SHEAF_I64; /* no index is beyond it */
	}
}

/* Records where lines begin without which other streams would be found. If there are too many such lines, the
 * streams cannot be passed on. */
static void add_witness(sheaf_ctf_reader *in, int64_t byte)
{
	int at = 0;
	while (at < in->nwitnesses && in->witnesses[at] < byte) at++;
	if (in->nwitnesses < 0 || (at < in->nwitnesses && in->witnesses[at] == byte)) return;
	if (in->nwitnesses == CTF_WITNESSES) {
		in->nwitnesses = -1;
		return;
	}
	memmove(in->witnesses + at + 1, in->witnesses + at,
	        (size_t)(in->nwitnesses - at) * sizeof *in->witnesses);
	in->witnesses[at] = byte;
	in->nwitnesses++;
}

static void find_witnesses(inference *f)
{
	for (int i = 0; i < f->in->schema.nfields && f->in->nwitnesses >= 0; i++) {
		const sheaf_ctf_guess *g = sheaf_ctf_guess_of(&f->look, i);
		int64_t shows = g->sparse ? g->index_at : g->most_values ? g->values_at : g->first_at;
		add_witness(f->in, g->first_at);
		add_witness(f->in, shows);
	}
}

static sheaf_status check_names(const inference *f)
{
	const sheaf_ctf_reader *in = f->in;
	for (int i = 0; i < in->schema.nfields; i++) {
		const char *name = in->schema.fields[i].name;
		if (sheaf_is_utf8((const uint8_t *)name, strlen(name))) continue;
		return sheaf_fail(f->err, SHEAF_DATA,
		                  "%s (byte %" PRId64 "): expected " SHEAF_UTF8_EXPECTED
		                  ", found other bytes in a name on that line",
		                  sheaf_source_name(in->source), sheaf_ctf_guess_of(&f->look, i)->first_at);
	}
	return SHEAF_OK;
}

/* The streams that were found become the reader's. */
static sheaf_status take_streams(inference *f, bool complete, size_t part, const sheaf_values *values)
{
	sheaf_ctf_reader *in = f->in;
	complete |= in->supposed;
	in->schema = f->look.schema;
	in->names = f->look.names;
	f->look.schema = (sheaf_schema){0};
	f->look.names = (sheaf_names){0};
	shape_fields(f, sheaf_ctf_precision(values), !complete);
	in->facts.guess = in->guess;
	snprintf(in->guess, sizeof in->guess, complete ? CTF_INFERRED : "inferred from the first %zu bytes",
	         part);
	in->guessed = !complete;
	if (complete) find_witnesses(f);
	SHEAF_TRY(check_names(f));
	if (in->schema.nfields > 0) return SHEAF_OK;
	return sheaf_fail(f->err, SHEAF_DATA, "%s: expected '|' and a stream name on some line, found none",
	                  sheaf_source_name(in->source));
}

static sheaf_status infer(inference *f, bool declared, const sheaf_opening *how, const sheaf_values *values)
{
	sheaf_ctf_reader *in = f->in;
	bool complete = true;
	size_t part = first_part(in->cx);
	SHEAF_TRY(declared || how->glance || how->suppose ? read_part(f, declared, part, &complete)
	                                                  : read_whole(f));
	in->supposed = !declared && how->suppose && !complete;
	in->facts = SHEAF_NO_FACTS;
	if (complete && !in->drop_incomplete) { /* otherwise it is not known here what will be left out */
		bool ordinal = f->look.in_a_row && f->look.first_key == 0;
		in->facts = (sheaf_facts){f->look.rows, f->look.samples, -1, f->look.longest, ordinal, NULL, NULL};
	}
	return declared ? SHEAF_OK : take_streams(f, complete, part, values);
}

sheaf_status sheaf_ctf_infer(sheaf_ctf_reader *in, bool declared, const sheaf_opening *how,
                             const sheaf_values *values, sheaf_error *err)
{
	inference f = {.in = in, .err = err};
	int64_t line = in->line, column = in->column;
	in->facts = SHEAF_NO_FACTS;
	if (declared && sheaf_source_size(in->source) > (int64_t)first_part(in->cx))
		return SHEAF_OK; /* the first part would give no facts */
	sheaf_status status = infer(&f, declared, how, values);
	sheaf_ctf_look_free(&f.look);
	sheaf_context_shed(in->cx);
	if (status == SHEAF_OK && !how->glance && !how->suppose && !declared) return sheaf_ctf_begin(in, err);
	in->line = line;
	in->column = column;
	return status;
}
