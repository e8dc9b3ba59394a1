/* SPDX-License-Identifier: MIT */
/* Undeclared streams: a name with an index:value pair anywhere is a sparse stream, its dim one more than the
 * largest index; any other is dense, its dim the largest number of values in a sample. The order is that of
 * first appearance. */
#include "base/context.h"
#include "base/show.h"
#include "base/threads/look.h"
#include "format/ctf/look.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_PART = 1 << 20 };

typedef struct inference {
	sheaf_ctf_reader *in;
	sheaf_error *err;
	sheaf_ctf_look look; /* everything found so far */
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
} item;

static sheaf_status begin(void *user, sheaf_error *err)
{
	inference *f = (inference *)user;
	sheaf_ctf_look_free(&f->look);
	SHEAF_TRY(sheaf_source_rewind(f->in->source, err));
	SHEAF_TRY(sheaf_ctf_begin(f->in, err));
	return sheaf_ctf_look_begin(&f->look, f->in, false, err);
}

static sheaf_status cut(void *user, void *memory, sheaf_error *err)
{
	const inference *f = (const inference *)user;
	return sheaf_ctf_cut(f->in, (int64_t)first_part(f->in->cx), &((item *)memory)->piece, err);
}

static sheaf_status see(void *user, void *memory, sheaf_error *err)
{
	const inference *f = (const inference *)user;
	item *i = (item *)memory;
	const uint8_t *text = i->piece.bytes.data;
	SHEAF_TRY(sheaf_ctf_look_begin(&i->look, f->in, false, err));
	i->look.byte = i->piece.byte;
	return sheaf_ctf_look_at(&i->look, text, text + i->piece.size, i->piece.line,
	                         i->piece.line > f->in->first_line, err);
}

static sheaf_status add(void *user, void *memory, sheaf_error *err)
{
	return sheaf_ctf_look_add(&((inference *)user)->look, &((const item *)memory)->look, err);
}

static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	sheaf_ctf_look_free(&i->look);
	sheaf_buffer_reset(&i->piece.bytes);
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

/* The streams that were found become the reader's. Of those of a first part no index is known to be the
 * largest. */
static sheaf_status take_streams(inference *f, bool complete, size_t part, const sheaf_values *values)
{
	sheaf_ctf_reader *in = f->in;
	sheaf_type type = sheaf_ctf_precision(values);
	complete |= in->speculative;
	in->schema = f->look.schema;
	in->names = f->look.names;
	f->look.schema = (sheaf_schema){0};
	f->look.names = (sheaf_names){0};
	in->facts.guess = in->guess;
	snprintf(in->guess, sizeof in->guess, complete ? CTF_INFERRED : "inferred from the first %zu bytes",
	         part);
	in->guessed = !complete;
	for (int i = 0; i < in->schema.nfields; i++) {
		sheaf_field *field = &in->schema.fields[i];
		const sheaf_ctf_guess *g = sheaf_ctf_guess_of(&f->look, i);
		sheaf_field_make_stream(field, sheaf_ctf_guess_sparse(g), sheaf_ctf_guess_dim(g), type);
		if (in->guessed) field->levels[1].index_type = SHEAF_I64;
		if (sheaf_is_utf8((const uint8_t *)field->name, strlen(field->name))) continue;
		return sheaf_fail(f->err, SHEAF_DATA,
		                  "%s (byte %" PRId64 "): expected " SHEAF_UTF8_EXPECTED
		                  ", found other bytes in a name on that line",
		                  sheaf_source_name(in->source), g->first_at);
	}
	if (in->schema.nfields > 0) return SHEAF_OK;
	return sheaf_fail(f->err, SHEAF_DATA, "%s: expected '|' and a stream name on some line, found none",
	                  sheaf_source_name(in->source));
}

/* Facts are known only of an input that has been seen to its end. Of one that breaks off, the streams are
 * those of what comes before. */
static sheaf_status infer(inference *f, bool declared, const sheaf_opening *how, const sheaf_values *values)
{
	sheaf_ctf_reader *in = f->in;
	bool complete = true;
	size_t part = first_part(in->cx);
	if (declared || how->glance) {
		SHEAF_TRY(read_part(f, declared, part, &complete));
	} else {
		const sheaf_look look = {sizeof(item), begin, cut, see, add, drop, f};
		sheaf_status status = sheaf_look_at_all(&look, in->cx, f->err);
		if (in->truncated && f->look.schema.nfields > 0 && status == in->truncated)
			status = sheaf_forgive(status, "reading an input that breaks off meets that again, in its place");
		SHEAF_TRY(status);
		SHEAF_TRY(sheaf_source_rewind(in->source, f->err));
	}
	in->speculative = !declared && how->glance == SHEAF_GLANCE_SPECULATIVE && !complete;
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
	if (status == SHEAF_OK && !how->glance && !declared) return sheaf_ctf_begin(in, err);
	in->line = line;
	in->column = column;
	return status;
}
