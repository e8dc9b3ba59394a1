/* SPDX-License-Identifier: MIT */
/* Errors in a piece, reported in the order of the input. */
#include "base/context.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/spell.h"
#include "base/status.h"
#include "delimited/delimited.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reporting {
	sheaf_delimited_decoding *d;
	const uint8_t *begin;
	uint8_t *marked;
	uint8_t *scratch;
	size_t room;
	bool any;
	int64_t row; /* whose turn it is */
} reporting;

static sheaf_status report(reporting *p, sheaf_problem problem, const uint8_t *at, int64_t line,
                           const uint8_t *line_start, const char *stream)
{
	sheaf_delimited_decoding *d = p->d;
	problem.status = SHEAF_DATA;
	problem.place = SHEAF_NOWHERE;
	problem.place.file = sheaf_source_name(d->in->source);
	problem.place.line = line;
	problem.place.column = at - line_start + 1;
	problem.place.byte = sheaf_source_place(d->in->source, d->piece->byte, p->begin, at - p->begin);
	problem.place.stream = stream;
	problem.place.stream_word = "column";
	return sheaf_report(d->cx, &problem, d->err);
}

/* ---- records ---- */

static sheaf_status report_count(reporting *p, const sheaf_record_finding *f, const uint8_t *at, int64_t line)
{
	char expected[48], found[160];
	snprintf(expected, sizeof expected, "%d fields", p->d->in->width);
	snprintf(found, sizeof found, "%" PRIu32, f->count);
	if (f->open != f->at)
		snprintf(found, sizeof found,
		         "%" PRIu32 ", one of which spans several lines, from the quote on line %" PRId64
		         ", column %" PRIu32,
		         f->count, p->d->piece->line + f->open_line, f->open - f->open_line_start + 1);
	sheaf_problem problem = {.severity = SHEAF_ERROR,
	                         .rule = "number of fields",
	                         .expected = expected,
	                         .found = found,
	                         .consequence = f->count < (uint32_t)p->d->in->width
	                                            ? "the row is left out (" SHEAF_OPTION("fill") " fills it)"
	                                            : "the row is left out"};
	return report(p, problem, at, line, at, NULL);
}

/* The quote that closes a field of several lines may really open another field. */
static sheaf_status report_lines(reporting *p, const sheaf_record_finding *f, const uint8_t *at, int64_t line)
{
	char shown[SHEAF_SHOWN_SIZE], found[SHEAF_SHOWN_SIZE + 64];
	const uint8_t *after = p->begin + f->count, *end = p->begin + p->d->piece->size;
	int64_t close_line = line;
	for (const uint8_t *feed = at; feed < after; feed++) close_line += *feed == p->d->in->dialect.feed;
	sheaf_show(after, end, p->d->in->dialect.delimiter, shown);
	snprintf(found, sizeof found, "the next one on line %" PRId64 ", and %s after it", close_line, shown);
	sheaf_problem problem = {.severity = SHEAF_ERROR,
	                         .rule = "open quote",
	                         .expected = "a quote that closes the field",
	                         .found = found,
	                         .consequence = "the row is left out"};
	return report(p, problem, at, line, p->begin + f->line_start, NULL);
}

static sheaf_status report_record(reporting *p, const sheaf_record_finding *f)
{
	static const sheaf_problem problems[] = {
		[RECORD_BLANK] = {SHEAF_WARNING, .rule = "blank line", .expected = "fields", .found = "a blank line",
	                      .consequence = "it is ignored"},
		[RECORD_OPEN] = {SHEAF_ERROR, .rule = "open quote", .expected = "a quote that closes the field",
	                     .found = "the end of the input",
	                     .consequence = "the row is left out, and all that follows belongs to it"},
		[RECORD_AFTER_QUOTE] = {SHEAF_ERROR, .rule = "text after a quote",
	                            .expected = "a delimiter or the end of the line after a quoted field",
	                            .consequence = "the row is left out"},
		[RECORD_INNER_QUOTE] = {SHEAF_BREACH, .rule = "quote inside of a field",
	                            .expected = "quotes around all of a field", .found = "one inside of it",
	                            .consequence = "it is taken as it is"},
	};
	char shown[SHEAF_SHOWN_SIZE];
	const uint8_t *at = p->begin + f->at, *line_start = p->begin + f->line_start,
				  *end = p->begin + p->d->piece->size;
	int64_t line = p->d->piece->line + f->line;
	if (f->flaw == RECORD_COUNT) return report_count(p, f, at, line);
	if (f->flaw == RECORD_AFTER_LINES) return report_lines(p, f, at, line);
	sheaf_problem problem = problems[f->flaw];
	if (f->flaw == RECORD_BLANK && p->d->in->width == 1)
		problem.consequence = "it is a row with an empty field";
	if (!problem.found) problem.found = sheaf_show(at, end, p->d->in->dialect.delimiter, shown);
	return report(p, problem, at, line, line_start, NULL);
}

/* ---- items ---- */

static sheaf_item_flaw judge(reporting *p, int f, sheaf_word word)
{
	const sheaf_delimited_reader *in = p->d->in;
	const sheaf_field *field = &in->schema.fields[f];
	_Alignas(16) uint8_t item[16];
	size_t size;
	if (sheaf_delimited_null(field, &word, &in->dialect) != SHEAF_NO_CODE) return ITEM_OK;
	if (field->nlevels == 0 || field->levels[0].kind != SHEAF_LIST)
		return sheaf_item_read(field, &word, &in->dialect, item);
	sheaf_item_flaw flaw = sheaf_item_read_run(field, &word, &in->dialect, p->scratch, &size);
	bool is_text = flaw == ITEM_OK && field->meaning != SHEAF_BYTES;
	return is_text && !sheaf_is_utf8(p->scratch, size) ? ITEM_NOT_UTF8 : flaw;
}

/* The line of a byte of record r, and where that line begins. */
static int64_t find_line(const reporting *p, int64_t r, const uint8_t *at, const uint8_t **line_start)
{
	const sheaf_records *records = &p->d->records;
	int64_t line = ((const int64_t *)(const void *)records->lines.data)[r];
	const uint8_t *from = p->begin + ((const uint32_t *)(const void *)records->starts.data)[r];
	*line_start = from;
	for (const uint8_t *feed = from;
	     feed < at && (feed = (const uint8_t *)memchr(feed, p->d->in->dialect.feed, (size_t)(at - feed)));
	     line++)
		*line_start = ++feed;
	return line;
}

static sheaf_status report_item(reporting *p, int64_t r, int f, sheaf_word word, sheaf_item_flaw flaw)
{
	static const sheaf_problem problems[] = {
		[ITEM_ROUNDED] = {SHEAF_WARNING, .rule = "integer rounded",
	                      .expected = "an integer that the column's type holds",
	                      .consequence = "rounded to the nearest"},
		[ITEM_INFINITE] = {SHEAF_WARNING, .rule = "number overflow",
	                       .expected = "a number in the range of the column's type",
	                       .consequence = "read as an infinity"},
		[ITEM_BAD] = {SHEAF_ERROR, .rule = "field type", .consequence = "the row is left out"},
		[ITEM_NOT_UTF8] = {SHEAF_ERROR, .rule = "encoding", .expected = SHEAF_UTF8_EXPECTED,
	                       .consequence = "the row is left out"},
	};
	enum { LONGEST = 40 };
	char shown[SHEAF_SHOWN_SIZE];
	const uint8_t *line_start;
	const sheaf_field *field = &p->d->in->schema.fields[f];
	sheaf_problem problem = problems[flaw];
	size_t n = (size_t)(word.end - word.at);
	if (n == 0 && p->d->in->dialect.fill) /* it may be after the row */
		word.at = word.end = p->begin + ((const uint32_t *)(const void *)p->d->records.starts.data)[r];
	if (flaw == ITEM_NOT_UTF8) word.at += sheaf_utf8_prefix(word.at, n), n = 1;
	int64_t line = find_line(p, r, word.at, &line_start);
	if (flaw == ITEM_BAD) problem.expected = sheaf_item_expected(field);
	snprintf(shown, sizeof shown, "\"%.*s%s\"", (int)(n > LONGEST ? LONGEST : n), (const char *)word.at,
	         n > LONGEST ? "..." : "");
	for (char *c = shown; *c; c++)
		if ((uint8_t)*c < ' ') *c = ' ';
	if (flaw == ITEM_NOT_UTF8) snprintf(shown, sizeof shown, "byte 0x%02x", *word.at);
	problem.found = n ? shown : "nothing";
	return report(p, problem, word.at, line, line_start, field->name);
}

static sheaf_status check_record(reporting *p, int64_t r)
{
	const sheaf_delimited_reader *in = p->d->in;
	for (int f = 0; f < in->schema.nfields; f++) {
		sheaf_word word = sheaf_word_of(&p->d->records, &in->dialect, r, (uint32_t)in->columns[f]);
		sheaf_item_flaw flaw = judge(p, f, word);
		if (flaw == ITEM_OK) continue;
		SHEAF_TRY(report_item(p, r, f, word, flaw));
		if (flaw < ITEM_BAD) continue;
		p->marked[r] = p->any = true;
		return SHEAF_OK;
	}
	return SHEAF_OK;
}

static sheaf_status go_through(reporting *p)
{
	const sheaf_records *records = &p->d->records;
	const sheaf_record_finding *finding = (const sheaf_record_finding *)(const void *)records->findings.data;
	size_t left = records->findings.size / sizeof *finding;
	for (p->row = 0; p->row <= records->count; p->row++) {
		for (; left > 0 && finding->rows <= p->row; finding++, left--) SHEAF_TRY(report_record(p, finding));
		if (p->row < records->count && p->d->found) SHEAF_TRY(check_record(p, p->row));
	}
	return SHEAF_OK;
}

/* Only the records before the one with a flaw are kept. */
static void leave_out_rest(reporting *p)
{
	int64_t left = p->d->records.count - p->row;
	if (left > 0) memset(p->marked + p->row, 1, (size_t)left);
	p->any = true;
}

sheaf_status sheaf_delimited_report(sheaf_delimited_decoding *d)
{
	reporting p = {.d = d, .begin = d->piece->bytes.data, .room = (size_t)d->piece->size + 1};
	void *memory = NULL, *scratch = NULL;
	size_t rows = (size_t)d->records.count;
	SHEAF_TRY(sheaf_allocate(d->cx, rows, &memory, d->err));
	sheaf_status status = sheaf_allocate(d->cx, p.room, &scratch, d->err);
	p.marked = (uint8_t *)memory;
	p.scratch = (uint8_t *)scratch;
	if (status == SHEAF_OK) status = go_through(&p);
	if (sheaf_is_flaw(status)) leave_out_rest(&p);
	if ((status == SHEAF_OK || sheaf_is_flaw(status)) && p.any)
		sheaf_records_leave_out(&d->records, p.marked);
	if (scratch) sheaf_release(d->cx, scratch, p.room);
	if (memory) sheaf_release(d->cx, memory, rows);
	return status;
}
