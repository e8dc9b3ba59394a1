/* SPDX-License-Identifier: MIT */
/* A piece being decoded: where it stands, and what is wrong there. */
#include "base/context.h"
#include "lined/lined.h"

sheaf_lined_text sheaf_lined_text_of(const sheaf_lined *in, const sheaf_piece *piece, sheaf_context *cx,
                                     sheaf_error *err)
{
	const uint8_t *begin = piece->bytes.data;
	return (sheaf_lined_text){in, cx, err, piece, begin, begin, begin + piece->size, begin, piece->line};
}

sheaf_status sheaf_lined_report(const sheaf_lined_text *text, sheaf_severity severity, const char *rule,
                                const uint8_t *at, const char *stream, const char *expected,
                                const char *found, const char *consequence)
{
	sheaf_problem problem = {severity, SHEAF_DATA, rule, SHEAF_NOWHERE, expected, found, consequence};
	problem.place.file = sheaf_source_name(text->in->source);
	problem.place.line = text->line;
	problem.place.column = at - text->line_start + 1;
	problem.place.byte = text->piece->byte + (at - text->begin);
	problem.place.stream = stream;
	return sheaf_report(text->cx, &problem, text->err);
}

sheaf_status sheaf_lined_report_at(const sheaf_lined_text *text, sheaf_severity severity, const char *rule,
                                   const uint8_t *at, const char *stream, const char *expected,
                                   const char *consequence)
{
	char shown[SHEAF_SHOWN_SIZE];
	const uint8_t *from = at;
	while (from < text->end && *from == '\r') from++;
	return sheaf_lined_report(text, severity, rule, at, stream, expected,
	                          sheaf_show(from, text->end, text->in->syntax->stop, shown), consequence);
}
