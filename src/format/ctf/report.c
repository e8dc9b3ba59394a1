/* SPDX-License-Identifier: MIT */
/* Findings with their places: at a byte of the line being read, or at the start of a sequence. If the streams
 * are only those that the first part of an input has shown, a finding about a line may mean that there are
 * others, or larger ones: the piece is then held against the streams before anything is reported about it. */
#include "base/context.h"
#include "format/ctf/look.h"
#include "io/source.h"
#include <string.h>

static sheaf_status report_at(sheaf_ctf_decoding *d, const sheaf_finding *finding, const uint8_t *at,
                              int64_t line, int64_t column, int stream)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(d->in->source), finding);
	problem.place.line = line;
	problem.place.column = line == d->piece->line ? column + d->piece->column - 1 : column;
	problem.place.byte = sheaf_source_place(d->in->source, d->piece->byte, d->begin, at - d->begin);
	if (stream >= 0) problem.place.stream = d->in->schema.fields[stream].name;
	return sheaf_report(d->cx, &problem, d->err);
}

/* STALE if the piece shows more than the streams of the first part. */
static sheaf_status hold(const sheaf_ctf_decoding *d)
{
	const sheaf_ctf_reader *in = d->in;
	sheaf_ctf_look look;
	bool within = true;
	SHEAF_TRY(sheaf_ctf_look_begin(&look, in, false, d->err));
	look.cx = d->cx;
	sheaf_status status = sheaf_ctf_look_at(&look, d->begin, d->end, 1, true, d->err);
	for (int i = 0; i < look.schema.nfields && within; i++) {
		const char *name = look.schema.fields[i].name;
		const sheaf_ctf_guess *g = sheaf_ctf_guess_of(&look, i);
		int stream = sheaf_names_find(&in->names, name, strlen(name), -1);
		int64_t dim = stream < 0 ? 0 : d->columns[stream].dim;
		within = stream >= 0 &&
		         (d->columns[stream].sparse ? g->most_index < dim : !g->sparse && g->most_values <= dim);
	}
	sheaf_ctf_look_free(&look);
	SHEAF_TRY(status);
	if (within) return SHEAF_OK;
	return sheaf_fail(d->err, SHEAF_STALE,
	                  "%s: expected the streams that its first part shows, found others, or larger ones",
	                  sheaf_source_name(in->source));
}

sheaf_status sheaf_ctf_report(sheaf_ctf_decoding *d, const uint8_t *at, int stream, sheaf_finding finding)
{
	if (d->in->speculative && !d->held) SHEAF_TRY(hold(d));
	d->held = true;
	return report_at(d, &finding, at, d->line, at - d->line_start + 1, stream);
}

sheaf_status sheaf_ctf_report_sequence(sheaf_ctf_decoding *d, int stream, sheaf_finding finding)
{
	return report_at(d, &finding, d->key_at, d->key_line, 1, stream);
}
