/* SPDX-License-Identifier: MIT */
/* Problems as bytes: where, severity, status, numbers of the place, texts. */
#include "base/context.h"
#include "base/lasting.h"
#include "job/part/part_file.h"
#include <stdio.h>
#include <string.h>

/* The texts of a problem, and which of them are static. */
enum { FILE_NAME, STREAM, RULE, ROW_WORD, STREAM_WORD, EXPECTED, FOUND, CONSEQUENCE, TEXTS };
enum { LASTING = 1 << RULE | 1 << ROW_WORD | 1 << STREAM_WORD };
enum { OUTPUT_NAME = SHEAF_NO_LENGTH - 1, LONGEST = 4200 /* paths */ };

static void texts_of(sheaf_problem *p, const char **texts[TEXTS])
{
	const char **all[TEXTS] = {&p->place.file,        &p->place.stream, &p->rule,  &p->place.row_word,
	                           &p->place.stream_word, &p->expected,     &p->found, &p->consequence};
	memcpy((void *)texts, (const void *)all, sizeof all);
}

/* ---- to bytes ---- */

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

/* When the next one is to be reported. */
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

/* A text in `room`; NULL if there is none. */
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

static sheaf_status refuse(sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "part: expected sound findings, found them damaged");
}

static bool is_told(uint32_t severity, uint32_t status)
{
	return severity <= SHEAF_FATAL && (status == SHEAF_DATA || status == SHEAF_SHORT ||
	                                   status == SHEAF_UNSUPPORTED || status == SHEAF_LOSS);
}

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
	if (t->cursor.failed || !is_told(severity, status) || !p.rule || !p.expected || !p.found) {
		t->cursor.at = t->cursor.end;
		look(t);
		return refuse(err);
	}
	p.severity = (sheaf_severity)severity;
	p.status = (sheaf_status)status;
	look(t);
	return sheaf_report(cx, &p, err);
}

sheaf_status sheaf_kept_findings_until(sheaf_kept_findings *t, int64_t at, sheaf_context *cx,
                                       sheaf_error *err)
{
	while (t->at <= at && t->at != INT64_MAX) SHEAF_TRY(tell_next(t, cx, err));
	return SHEAF_OK;
}
