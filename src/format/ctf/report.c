/* SPDX-License-Identifier: MIT */
/* Findings with their places: at a byte of the line being read, or at the start of a sequence. */
#include "base/context.h"
#include "format/ctf/ctf.h"
#include "io/source.h"

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

sheaf_status sheaf_ctf_report(sheaf_ctf_decoding *d, const uint8_t *at, int stream, sheaf_finding finding)
{
	/* Before any finding about the input: perhaps the first part has not shown its streams. */
	if (d->in->speculative && !d->held) SHEAF_TRY(sheaf_ctf_hold(d->in, d->begin, d->end, d->cx, d->err));
	d->held = true;
	return report_at(d, &finding, at, d->line, at - d->line_start + 1, stream);
}

sheaf_status sheaf_ctf_report_sequence(sheaf_ctf_decoding *d, int stream, sheaf_finding finding)
{
	return report_at(d, &finding, d->key_at, d->key_line, 1, stream);
}
