/* SPDX-License-Identifier: MIT */
/* A part of a conversion: the conversion of some rows of its inputs. It has the bytes that its rows take in
 * the output, if such bytes follow one another there; otherwise the rows, which the merge converts.
 *
 * Either way, all parts together have each row once: the making of a part (part/reading_part.c) narrows the
 * inputs to the part's share, keeps findings, and writes the file. What is particular to conversions stands
 * here: the writer, whose bytes are diverted into the part, and the options and numbers that the merge needs.
 */
#include "job/part.h"
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "io/sink.h"
#include "io/source.h"
#include <string.h>

/* ---- rows ---- */

typedef struct making {
	sheaf_conversion *c;
	sheaf_part_making part;
	sheaf_facts facts;
	int64_t done, total; /* bytes of the inputs */
} making;

/* The sink of what a writer says beside the rows. */
static int forget(void *user, const void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}

/* Takes a frame into the part: counts its facts, and encodes its rows unless the part stores them as they
 * are. Numbers of rows go on from those of the parts before, which the writer must know before the first one,
 * so it is diverted into the part with the first rows. */
static sheaf_status copy_frame(making *m, sheaf_dataset *d, const sheaf_frame *frame, const int *columns,
                               sheaf_error *err)
{
	sheaf_conversion *c = m->c;
	sheaf_facts_add(&m->facts, sheaf_dataset_schema(d), frame, m->part.before + sheaf_dataset_row(d));
	if (!c->stores && frame->nrows > 0) {
		sheaf_frame ordered = {0};
		if (m->part.rows == frame->nrows) sheaf_writer_divert(c->writer, m->part.row, m->part.sink);
		sheaf_status status = sheaf_conversion_frame(c, d, frame, columns, &ordered, err);
		ordered.checked = frame->checked;
		if (status == SHEAF_OK) status = sheaf_write(c->writer, &ordered, err);
		sheaf_frame_free(&ordered);
		SHEAF_TRY(status);
	}
	if (m->part.whole) return SHEAF_OK;
	m->done += sheaf_decoding_piece(&d->decoding)->size;
	sheaf_progress(c->cx, m->done, m->total);
	return SHEAF_OK;
}

/* Takes the part's rows of an input. Those before a failure are encoded before it is reported. */
static sheaf_status copy_rows(making *m, int input, sheaf_error *err)
{
	sheaf_error failure;
	const sheaf_frame *frame;
	sheaf_status status;
	int *columns;
	sheaf_dataset *d = m->c->inputs[input];
	SHEAF_TRY(sheaf_part_making_read(&m->part, input, err));
	SHEAF_TRY(sheaf_conversion_columns(m->c, d, &columns, err));
	while ((status = sheaf_next(d, &frame, &failure)) == SHEAF_OK &&
	       (status = copy_frame(m, d, frame, columns, &failure)) == SHEAF_OK) {
	}
	sheaf_release(m->c->cx, columns, (size_t)m->c->schema.nfields * sizeof *columns);
	if (m->c->writer) SHEAF_TRY(sheaf_writer_settle(m->c->writer, err));
	if (status == SHEAF_END) return sheaf_part_making_add(&m->part, NULL, err);
	if (err) *err = failure;
	return status;
}

/* Takes the part's rows of all inputs. A writer is created in any case, since it refuses what cannot be
 * written. What it writes before and after the rows is forgotten: the merge writes that. */
static sheaf_status copy_inputs(making *m, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_conversion *c = m->c;
	SHEAF_TRY(sheaf_sink_function(forget, NULL, sheaf_sink_name(m->part.sink), c->cx, &sink, err));
	SHEAF_TRY(sheaf_conversion_create(c, sink, err));
	if (c->stores) {
		sheaf_abandon(c->writer);
		c->writer = NULL;
	}
	SHEAF_TRY(sheaf_part_making_begin(&m->part, c->cx, err));
	for (int i = 0; i < c->ninputs; i++) m->total += sheaf_cuts_bytes(&m->part.cuts[i]) / c->parts;
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(copy_rows(m, i, err));
	sheaf_writer *writer = c->writer;
	c->writer = NULL;
	return writer ? sheaf_finish_diverted(writer, &m->facts.samples, err) : SHEAF_OK;
}

/* Makes a part of a conversion that is done without rows: it says what to do, and the merge does it. */
static sheaf_status copy_nothing(making *m, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_UNSUPPORTED,
	                         "input not cut",
	                         SHEAF_NOWHERE,
	                         "a conversion of rows",
	                         "one that copies what the format has",
	                         "the parts have nothing, and the merge converts everything"};
	problem.place.file = sheaf_source_name(m->c->first);
	m->part.whole = m->part.settled = true;
	SHEAF_TRY(sheaf_part_making_begin(&m->part, m->c->cx, err));
	if (m->c->part == 1) SHEAF_TRY(sheaf_report(m->c->outer, &problem, err));
	return sheaf_part_making_add(&m->part, NULL, err);
}

/* ---- the file ---- */

/* Makes the part file: the rows, and the texts that the merge needs, which are lines with the options, what
 * all parts share, and the state of this one. */
static sheaf_status make(making *m, bool copies, sheaf_error *err)
{
	enum { LINES, SHARED, STATE, TEXTS };
	sheaf_builder texts[TEXTS];
	const sheaf_conversion *c = m->c;
	SHEAF_TRY(copies ? copy_nothing(m, err) : copy_inputs(m, err));
	for (int i = 0; i < TEXTS; i++) sheaf_builder_begin(&texts[i], c->cx, NULL);
	const sheaf_part_shared shared = {copies, sheaf_schema_key(&c->schema) >= 0, c->totals};
	m->facts.rows = m->part.rows;
	sheaf_part_put_options(&texts[LINES], c);
	sheaf_part_put_shared(&texts[SHARED], &shared);
	sheaf_part_put_state(&texts[STATE], &(sheaf_part_state){c->structured, c->structure, m->facts});
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < TEXTS && status == SHEAF_OK; i++) status = sheaf_builder_status(&texts[i], err);
	const sheaf_part_outcome outcome = {.size = sizeof outcome,
	                                    .job = "convert",
	                                    .options = (const char *)texts[LINES].data,
	                                    .state = texts[STATE].data,
	                                    .state_size = texts[STATE].size};
	if (status == SHEAF_OK) status = sheaf_part_making_write(&m->part, &outcome, &texts[SHARED], err);
	for (int i = 0; i < TEXTS; i++) sheaf_builder_drop(&texts[i]);
	return status;
}

/* Writes one part of a conversion. What is copied without rows has no dataset, so one that only names its
 * source stands for it. Inputs are closed before their cuts are freed, since they read by these. */
sheaf_status sheaf_convert_part(sheaf_conversion *c, const char *output, sheaf_error *err)
{
	sheaf_dataset unopened = {0}, *first = &unopened;
	bool copies = c->first != NULL;
	unopened.cx = c->cx;
	unopened.source = c->first;
	making m = {.c = c,
	            .part = {.part = c->part,
	                     .parts = c->parts,
	                     .keeps = copies || c->stores,
	                     .datasets = copies ? &first : c->inputs,
	                     .ninputs = c->ninputs},
	            .facts = {.rows = 0, .samples = 0, .chunks = -1, .longest = 0, .ordinal_keys = 1}};
	const sheaf_part_options *part = c->options->convert.part;
	SHEAF_TRY(part->open ? part->open(part->user, c->cx, &m.part.sink, err)
	                     : sheaf_sink_path(output, c->replaces, c->cx, &m.part.sink, err));
	sheaf_status status = make(&m, copies, err);
	sheaf_abandon(c->writer);
	c->writer = NULL;
	sheaf_part_making_drop(&m.part);
	for (int i = 0; i < c->ninputs && !copies; i++) {
		sheaf_close(c->inputs[i]);
		c->inputs[i] = NULL;
	}
	sheaf_part_making_free_cuts(&m.part);
	return status;
}

/* ---- names ---- */

/* Finds the format that the merge of a part makes, by the part's name: NAME.ctf.part and NAME.ctf.3.part
 * become a ctf. NULL if the name shows none. */
const sheaf_format *sheaf_part_target(const char *path)
{
	char name[4096];
	size_t n = strlen(path), suffix = strlen(SHEAF_PART_SUFFIX);
	if (n >= sizeof name) return NULL;
	memcpy(name, path, n + 1);
	if (n > suffix && strcmp(name + n - suffix, SHEAF_PART_SUFFIX) == 0) name[n - suffix] = '\0';
	char *dot = strrchr(name, '.');
	if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1)) *dot = '\0';
	return sheaf_format_of_name(name);
}
