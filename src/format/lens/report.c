/* SPDX-License-Identifier: MIT */
/* Findings with their places. Lines are counted only when a finding needs them, from where they were counted
 * last. */
#include "base/context.h"
#include "format/lens/reader.h"
#include "io/source.h"
#include "number/kernels/lines.h"
#include <inttypes.h>
#include <stdio.h>

/* The last byte of [begin, end) that ends a line. */
static const uint8_t *last_newline(const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *feed = (const uint8_t *)memrchr(begin, '\n', (size_t)(end - begin));
	const uint8_t *from = feed ? feed + 1 : begin;
	const uint8_t *carriage = end > from ? (const uint8_t *)memrchr(from, '\r', (size_t)(end - from)) : NULL;
	return carriage ? carriage : feed;
}

/* A line ends at LF, at CR, or at both. */
int64_t sheaf_lens_count_lines(sheaf_lens_parsing *p, const uint8_t *at)
{
	const uint8_t *last = at > p->counted ? last_newline(p->counted, at) : NULL;
	if (last) {
		bool counted = *p->counted == '\n' && p->counted > p->begin && p->counted[-1] == '\r';
		p->line += sheaf_count_ends(p->counted, at) - counted;
		p->line_begin = last + 1;
		p->column = 1;
	}
	if (at > p->counted) p->counted = at;
	return at - p->line_begin + p->column;
}

sheaf_status sheaf_lens_report(sheaf_lens_parsing *p, const uint8_t *at, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(p->in->source), &finding);
	problem.place.byte = sheaf_source_place(p->in->source, p->byte, p->begin, at - p->begin);
	if (p->line > 0) {
		problem.place.column = sheaf_lens_count_lines(p, at);
		problem.place.line = p->line;
	}
	return sheaf_report(p->cx, &problem, p->err);
}

sheaf_status sheaf_lens_flaw(sheaf_lens_parsing *p, const char *rule, const uint8_t *at, const char *expected,
                             const char *found)
{
	const char *consequence = p->in_header ? NULL : "the example is left out";
	SHEAF_TRY(sheaf_lens_report(
		p, at, SHEAF_FINDING(p->in_header ? SHEAF_FATAL : SHEAF_ERROR, rule, expected, found, consequence)));
	p->flawed = true;
	return SHEAF_DATA;
}

sheaf_status sheaf_lens_check_events(sheaf_lens_parsing *p, const uint8_t *at, int32_t events)
{
	enum { USUAL = 1 << 16 };
	char expected[96], found[24];
	sheaf_lens_scan scan;
	if (events <= USUAL) return SHEAF_OK;
	p->in->way->start(&scan, false);
	bool ends = p->in->way->find_end(&scan, p->from, (size_t)(p->end - p->from));
	int64_t most = USUAL + (ends ? (int64_t)scan.at : p->end - p->from);
	if (events <= most) return SHEAF_OK;
	snprintf(expected, sizeof expected,
	         "at most %d events, and one more for each byte of the example (%" PRId64 ")", USUAL, most);
	snprintf(found, sizeof found, "%" PRId32, events);
	SHEAF_TRY(sheaf_lens_report(p, at,
	                            SHEAF_FINDING(SHEAF_ERROR, "many events", expected, found,
	                                          "the example is left out", .status = SHEAF_LIMIT)));
	p->flawed = true;
	return SHEAF_DATA;
}

sheaf_lens_parsing sheaf_lens_parsing_of(const sheaf_lens_reader *in, const sheaf_piece *piece,
                                         sheaf_context *cx, sheaf_error *err)
{
	static const uint8_t nothing[1]; /* a pointer that can be added to */
	const uint8_t *begin = piece->bytes.data ? piece->bytes.data : nothing;
	return (sheaf_lens_parsing){.in = in,
	                            .cx = cx,
	                            .err = err,
	                            .begin = begin,
	                            .at = begin,
	                            .end = begin + piece->bytes.size,
	                            .counted = begin,
	                            .line_begin = begin,
	                            .byte = piece->byte,
	                            .line = piece->line,
	                            .column = piece->column,
	                            .line_start = piece->column == 1,
	                            .kernel = sheaf_kernel_chosen()};
}

sheaf_place sheaf_lens_place(const sheaf_lens_reader *in, const sheaf_piece *piece, int64_t byte)
{
	sheaf_place place = SHEAF_NOWHERE;
	sheaf_lens_parsing p = sheaf_lens_parsing_of(in, piece, NULL, NULL);
	place.file = sheaf_source_name(in->source);
	place.byte = sheaf_source_place(in->source, piece->byte, p.begin, byte - piece->byte);
	if (piece->line <= 0) return place;
	place.column = sheaf_lens_count_lines(&p, p.begin + (byte - piece->byte));
	place.line = p.line;
	return place;
}
