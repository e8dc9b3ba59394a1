/* SPDX-License-Identifier: MIT */
/* A piece that is being decoded: the current position, and errors there. Every finding of a line has its
 * file, line, column and byte, and shows the text that was found. */
#include "base/context.h"
#include "format/lines/lined.h"
#include "frame/frame.h"
#include "io/source.h"
#include "number/nonfinite.h"
#include "number/number.h"

/* Returns the text of a piece at its beginning, for reading it line by line. Findings in it are fatal
 * unless the caller sets another severity. */
sheaf_lined_text sheaf_lined_text_of(const sheaf_lined *in, const sheaf_piece *piece, sheaf_context *cx,
                                     sheaf_error *err)
{
	const uint8_t *begin = piece->bytes.data;
	return (sheaf_lined_text){.in = in,
	                          .cx = cx,
	                          .err = err,
	                          .piece = piece,
	                          .begin = begin,
	                          .at = begin,
	                          .end = begin + piece->size,
	                          .line_start = begin,
	                          .line = piece->line,
	                          .severity = SHEAF_FATAL};
}

bool sheaf_lined_next_row(sheaf_lined_text *text)
{
	do {
		if (text->line_end) text->at = text->line_end, text->line++;
		if (text->at == text->end) return false;
		text->line_start = text->at;
		text->line_end = sheaf_lined_pass_line(text->at, text->end);
	} while (!sheaf_lined_is_row(text->in->syntax, text->at, text->line_end));
	return true;
}

/* Reports a finding at a byte of the current line. `stream` is the name of the column, or NULL. */
sheaf_status sheaf_lined_report(const sheaf_lined_text *text, const uint8_t *at, const char *stream,
                                sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(text->in->source), &finding);
	problem.place.line = text->line;
	problem.place.column = at - text->line_start + 1;
	problem.place.byte =
		sheaf_source_place(text->in->source, text->piece->byte, text->begin, at - text->begin);
	problem.place.stream = stream;
	sheaf_place_words(&problem.place, text->in->schema.rows);
	return sheaf_report(text->cx, &problem, text->err);
}

sheaf_status sheaf_lined_report_at(const sheaf_lined_text *text, const uint8_t *at, const char *stream,
                                   sheaf_finding finding)
{
	char shown[SHEAF_SHOWN_SIZE];
	const uint8_t *from = at;
	while (from < text->end && *from == '\r') from++;
	finding.found = sheaf_show(from, text->end, text->in->syntax->stop, shown);
	return sheaf_lined_report(text, at, stream, finding);
}

sheaf_status sheaf_lined_refuse(const sheaf_lined_text *text, const char *rule, const uint8_t *at,
                                const char *stream, const char *expected)
{
	return sheaf_lined_report_at(
		text, at, stream, SHEAF_FINDING(text->severity, rule, expected, .consequence = text->consequence));
}

/* ---- numbers ---- */

/* Reads a number of a float type, or a word for one that is not finite, into *out. *ok is false if the
 * word is none, which is reported. A number that is too large is read as infinity, with a warning. */
sheaf_status sheaf_lined_read_real(sheaf_lined_text *text, sheaf_type type, const char *stream, double *out,
                                   bool *ok)
{
	sheaf_scanned scanned = {.flaw = SHEAF_NUMBER_OK};
	const uint8_t *at = text->at, *word_end = sheaf_scan_nonfinite(at, text->end, out);
	const char *begin = (const char *)at, *end = (const char *)text->end;
	float narrow = 0;
	if (!word_end)
		scanned = type == SHEAF_F64 ? sheaf_scan_f64(begin, end, out) : sheaf_scan_f32(begin, end, &narrow);
	if (!word_end && type != SHEAF_F64) *out = (double)narrow;
	text->at = word_end ? word_end : (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && sheaf_lined_ends_word(text->in->syntax, text->at, text->end);
	if (!*ok)
		return sheaf_lined_refuse(text, "not a number", scanned.flaw ? text->at : at, stream, "a number");
	if (!scanned.infinite) return SHEAF_OK;
	return sheaf_lined_report_at(
		text, at, stream,
		SHEAF_FINDING(SHEAF_WARNING, "value overflow",
	                  type == SHEAF_F64 ? "a value that float64 can hold" : "a value that float32 can hold",
	                  .consequence = "read as infinity"));
}
