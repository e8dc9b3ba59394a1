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
void sheaf_lens_count_lines(sheaf_lens_reporter *t, const uint8_t *at)
{
	if (at <= t->counted) return;
	const uint8_t *last = last_newline(t->counted, at);
	bool counted = *t->counted == '\n' && t->counted > t->begin && t->counted[-1] == '\r';
	if (last) {
		t->line += sheaf_count_ends(t->counted, at) - counted;
		t->line_begin = last + 1;
		t->column = 1;
	}
	t->counted = at;
}

sheaf_status sheaf_lens_report(sheaf_lens_reporter *t, const uint8_t *at, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(t->in->source), &finding);
	problem.place.byte = sheaf_source_place(t->in->source, t->byte, t->begin, at - t->begin);
	if (t->line > 0) {
		sheaf_lens_count_lines(t, at);
		problem.place.line = t->line;
		problem.place.column = at - t->line_begin + t->column;
	}
	return sheaf_report(t->cx, &problem, t->err);
}

sheaf_status sheaf_lens_flaw(sheaf_lens_reporter *t, const char *rule, const uint8_t *at,
                             const char *expected, const char *found)
{
	const char *consequence = t->in_header ? NULL : "the example is left out";
	SHEAF_TRY(sheaf_lens_report(
		t, at, SHEAF_FINDING(t->in_header ? SHEAF_FATAL : SHEAF_ERROR, rule, expected, found, consequence)));
	t->flawed = true;
	return SHEAF_DATA;
}

/* Bytes of the example that begins here. */
static int64_t size_of_example(const sheaf_lens_reporter *t, const uint8_t *begin, const uint8_t *end)
{
	sheaf_lens_scan scan;
	t->in->way->start(&scan, false);
	return t->in->way->find_end(&scan, begin, (size_t)(end - begin)) ? (int64_t)scan.at : end - begin;
}

sheaf_status sheaf_lens_check_events(sheaf_lens_reporter *t, sheaf_bytes example, const uint8_t *at,
                                     int32_t events)
{
	enum { USUAL = 1 << 16 };
	char expected[96], found[24];
	if (events <= USUAL) return SHEAF_OK;
	int64_t most = USUAL + size_of_example(t, example.data, example.data + example.size);
	if (events <= most) return SHEAF_OK;
	snprintf(expected, sizeof expected,
	         "at most %d events, and one more for each byte of the example (%" PRId64 ")", USUAL, most);
	snprintf(found, sizeof found, "%" PRId32, events);
	SHEAF_TRY(sheaf_lens_report(t, at,
	                            SHEAF_FINDING(SHEAF_ERROR, "many events", expected, found,
	                                          "the example is left out", .status = SHEAF_LIMIT)));
	t->flawed = true;
	return SHEAF_DATA;
}

sheaf_lens_reporter sheaf_lens_teller_of(const sheaf_lens_reader *in, const sheaf_piece *piece,
                                         sheaf_context *cx, sheaf_error *err)
{
	const uint8_t *begin = piece->bytes.data;
	return (sheaf_lens_reporter){.in = in,
	                             .cx = cx,
	                             .err = err,
	                             .begin = begin,
	                             .counted = begin,
	                             .line_begin = begin,
	                             .byte = piece->byte,
	                             .line = piece->line,
	                             .column = piece->column};
}

sheaf_place sheaf_lens_place(const sheaf_lens_reader *in, const sheaf_piece *piece, int64_t byte)
{
	sheaf_place place = SHEAF_NOWHERE;
	sheaf_lens_reporter t = sheaf_lens_teller_of(in, piece, NULL, NULL);
	place.file = sheaf_source_name(in->source);
	place.byte = sheaf_source_place(in->source, piece->byte, t.begin, byte - piece->byte);
	if (piece->line <= 0) return place;
	const uint8_t *at = t.begin + (byte - piece->byte);
	sheaf_lens_count_lines(&t, at);
	place.line = t.line;
	place.column = at - t.line_begin + t.column;
	return place;
}
