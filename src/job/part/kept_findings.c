/* SPDX-License-Identifier: MIT */
/* Problems as bytes: severity, status, numbers of the place, texts.
 *
 * What is found in the rows of a part is reported where the parts are merged, in the order in which one
 * reading of all rows would have reported it. So each finding has the number of frames before it (`at`), and
 * the merge reports it after these. A text has its length before it, which also says that there is none, or
 * that it is the name of the output, which the part cannot know. The words of rules and of rows stay valid as
 * long as the program runs, as they do when they come from the program itself. */
#include "base/context.h"
#include "base/lasting.h"
#include "job/part/part_file.h"
#include <stdio.h>
#include <string.h>

/* The texts of a problem, and which of them are static. */
enum { FILE_NAME, STREAM, RULE, ROW_WORD, STREAM_WORD, EXPECTED, FOUND, CONSEQUENCE, TEXTS };
enum { LASTING = 1 << RULE | 1 << ROW_WORD | 1 << STREAM_WORD };
enum { OUTPUT_NAME = SHEAF_NO_LENGTH - 1, LONGEST = 4200 /* paths */ };

/* Lists the places of all texts in a problem, so that they are written and read in one order. */
static void texts_of(sheaf_problem *p, const char **texts[TEXTS])
{
	const char **all[TEXTS] = {&p->place.file,        &p->place.stream, &p->rule,  &p->place.row_word,
	                           &p->place.stream_word, &p->expected,     &p->found, &p->consequence};
	memcpy((void *)texts, (const void *)all, sizeof all);
}

/* ---- to bytes ---- */

/* Writes a problem: severity, status, `at` and the numbers of its place, then its texts. The name of the
 * output, which the merge alone knows, is written as a mark. */
void sheaf_kept_findings_put(sheaf_builder *b, const sheaf_problem *problem, int64_t at, const char *output)
{
	sheaf_problem copy = *problem;
	const char **texts[TEXTS];
	const sheaf_place *place = &problem->place;
	const int64_t numbers[] = {at, place->line, place->column, place->byte, place->chunk, place->row};
	texts_of(&copy, texts);
	sheaf_builder_u32le(b, (uint32_t)problem->severity);
	sheaf_builder_u32le(b, (uint32_t)problem->status);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sheaf_builder_i64le(b, numbers[i]);
	for (int t = 0; t < TEXTS; t++) {
		const char *text = *texts[t];
		if (t == FILE_NAME && text && output && strcmp(text, output) == 0)
			sheaf_builder_u32le(b, OUTPUT_NAME);
		else
			sheaf_builder_counted_text(b, text);
	}
}

/* ---- from bytes ---- */

/* Looks when the next problem is to be reported, without moving: t->at is INT64_MAX after the last one.
 * Damaged bytes are due at once, so that they are refused. */
static void look(sheaf_kept_findings *t)
{
	sheaf_cursor c = t->cursor;
	t->at = INT64_MAX;
	if (sheaf_cursor_left(&c) == 0) return;
	(void)sheaf_cursor_u64le(&c, "severity and status");
	t->at = sheaf_cursor_i64le(&c, "place in the payload");
	if (c.failed || t->at < 0) t->at = 0;
}

sheaf_kept_findings sheaf_kept_findings_over(sheaf_bytes bytes, const char *output)
{
	sheaf_kept_findings t = {.cursor = sheaf_cursor_over(bytes.data, bytes.size, 0), .output = output};
	look(&t);
	return t;
}

/* Reads a text into `room`, cut to fit; NULL if there is none. Words that must outlive the report are kept
 * for good. */
static const char *read_text(sheaf_kept_findings *t, int number, char room[LONGEST])
{
	uint32_t n = sheaf_cursor_u32le(&t->cursor, "length of a text");
	if (n == SHEAF_NO_LENGTH) return NULL;
	if (n == OUTPUT_NAME && number == FILE_NAME) return t->output;
	const uint8_t *text = sheaf_cursor_bytes(&t->cursor, n, 1, "text");
	if (!text) return NULL;
	snprintf(room, LONGEST, "%.*s", n < LONGEST ? (int)n : LONGEST - 1, (const char *)text);
	return LASTING & 1 << number ? sheaf_lasting_text(room) : room;
}

/* Reads and reports one problem. Bytes that are damaged end the findings, with an error. */
static sheaf_status tell_next(sheaf_kept_findings *t, sheaf_context *cx, sheaf_error *err)
{
	sheaf_problem p = {0};
	const char **texts[TEXTS];
	char rooms[TEXTS][LONGEST];
	int64_t *numbers[] = {&t->at,        &p.place.line,  &p.place.column,
	                      &p.place.byte, &p.place.chunk, &p.place.row};
	uint32_t severity = sheaf_cursor_u32le(&t->cursor, "severity"),
			 status = sheaf_cursor_u32le(&t->cursor, "status");
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		*numbers[i] = sheaf_cursor_i64le(&t->cursor, "number of a place");
	texts_of(&p, texts);
	for (int i = 0; i < TEXTS; i++) *texts[i] = read_text(t, i, rooms[i]);
	bool is_flaw =
		status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED || status == SHEAF_LOSS;
	bool is_sound =
		!t->cursor.failed && severity <= SHEAF_FATAL && is_flaw && p.rule && p.expected && p.found;
	if (!is_sound) t->cursor.at = t->cursor.end;
	look(t);
	if (!is_sound) return sheaf_fail(err, SHEAF_DATA, "part: expected sound findings, found them damaged");
	p.severity = (sheaf_severity)severity;
	p.status = (sheaf_status)status;
	return sheaf_report(cx, &p, err);
}

sheaf_status sheaf_kept_findings_until(sheaf_kept_findings *t, int64_t at, sheaf_context *cx,
                                       sheaf_error *err)
{
	while (t->at <= at && t->at != INT64_MAX) SHEAF_TRY(tell_next(t, cx, err));
	return SHEAF_OK;
}
