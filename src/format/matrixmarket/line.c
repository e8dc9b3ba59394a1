/* SPDX-License-Identifier: MIT */
/* A line of the header: its errors, and whether it is read anyway. */
#include "base/context.h"
#include "base/spell.h"
#include "format/matrixmarket/matrixmarket.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

static sheaf_place place_of(const sheaf_mtx_reader *in, const sheaf_mtx_line *l, const uint8_t *at)
{
	sheaf_place place = SHEAF_NOWHERE;
	place.file = sheaf_source_name(in->lined.source);
	place.line = in->lined.line;
	place.column = (int64_t)(at - l->begin) + 1;
	place.byte =
		sheaf_source_place(in->lined.source, sheaf_source_tell(in->lined.source), l->begin, at - l->begin);
	return place;
}

sheaf_status sheaf_mtx_refuse(const sheaf_mtx_reader *in, const sheaf_mtx_line *l, const uint8_t *at,
                              sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(NULL, &finding);
	problem.place = place_of(in, l, at);
	problem.consequence = NULL;
	return sheaf_fail_problem(err, &problem);
}

sheaf_status sheaf_mtx_tolerate(const sheaf_mtx_reader *in, const sheaf_mtx_line *l, const uint8_t *at,
                                sheaf_finding finding, sheaf_error *err)
{
	finding.severity = in->lenient ? SHEAF_WARNING : SHEAF_BREACH;
	sheaf_problem problem = sheaf_problem_in(NULL, &finding);
	problem.place = place_of(in, l, at);
	return sheaf_report(in->cx, &problem, err);
}

sheaf_status sheaf_mtx_allow(const sheaf_mtx_reader *in, const sheaf_mtx_line *l, const uint8_t *at,
                             sheaf_finding finding, sheaf_error *err)
{
	char both[160];
	if (in->lenient) return sheaf_mtx_tolerate(in, l, at, finding, err);
	snprintf(both, sizeof both, "%s (" SHEAF_OPTION("allow") " breach reads the file anyway)", finding.found);
	finding.found = both;
	return sheaf_mtx_refuse(in, l, at, finding, err);
}

const char *sheaf_mtx_found(const sheaf_mtx_line *l, const uint8_t *at, char text[SHEAF_SHOWN_SIZE])
{
	return at == l->end && !l->is_last ? "the end of the line" : sheaf_show(at, l->end, '\n', text);
}

/* Checks that nothing but blanks follows on a line of the header; other text is left out with a warning
 * if deviations are allowed, else refused. */
sheaf_status sheaf_mtx_end_line(const sheaf_mtx_reader *in, sheaf_mtx_line *l, const char *rule,
                                const char *expected, sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	sheaf_mtx_pass_spaces(l);
	if (l->at == l->end) return SHEAF_OK;
	return sheaf_mtx_allow(in, l, l->at,
	                       SHEAF_FINDING(.rule = rule, .expected = expected,
	                                     .found = sheaf_mtx_found(l, l->at, found),
	                                     .consequence = "the rest of the line is left out"),
	                       err);
}
