/* SPDX-License-Identifier: MIT */
/* Errors in a piece, reported in the order of the input.
 *
 * Decoding goes through a piece column by column, and only notes that some item of it is worth a finding.
 * Here the piece is gone through again, row by row: first what records.c found in the records before a row,
 * then the row's own items. A row with an error is marked, and the marked rows are removed from the records,
 * so that decode.c can decode what is left. Pieces without findings, which are nearly all, never come here.
 */
#include "base/context.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/spell.h"
#include "base/status.h"
#include "format/csv/delimited.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reporting {
	sheaf_delimited_decoding *d;
	const uint8_t *begin; /* of the piece */
	uint8_t *marked;      /* of each record: whether it is left out */
	uint8_t *scratch;     /* room for the text of any item of the piece */
	bool any;             /* some record is marked */
} reporting;

/* Reports a problem at a byte of the piece. `line` is the number of the line that begins at `line_start`;
 * `stream` is the name of the column, if the problem is in one. */
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

/* What is always the same of a finding about a record; report_record fills in the rest. */
static const sheaf_problem record_problems[] = {
	[RECORD_COUNT] = {SHEAF_ERROR, .rule = "number of fields", .consequence = "the row is left out"},
	[RECORD_BLANK] = {SHEAF_WARNING, .rule = "blank line", .expected = "fields", .found = "a blank line",
                      .consequence = "it is ignored"},
	[RECORD_OPEN] = {SHEAF_ERROR, .rule = "open quote", .expected = "a quote that closes the field",
                     .found = "the end of the input",
                     .consequence = "the row is left out, and all that follows belongs to it"},
	[RECORD_AFTER_QUOTE] = {SHEAF_ERROR, .rule = "text after a quote",
                            .expected = "a delimiter or the end of the line after a quoted field",
                            .consequence = "the row is left out"},
	[RECORD_AFTER_LINES] = {SHEAF_ERROR, .rule = "open quote", .expected = "a quote that closes the field",
                            .consequence = "the row is left out"},
	[RECORD_INNER_QUOTE] = {SHEAF_BREACH, .rule = "quote inside of a field",
                            .expected = "quotes around all of a field", .found = "one inside of it",
                            .consequence = "it is taken as it is"},
};

/* Reports the flaw of a record at its place in the file. A wrong number of fields often comes from a
 * quote that is missing lines before, so that a field of several lines is named with its first line. For
 * the same reason text after the closing quote of such a field is reported at its opening quote: the
 * quote that seems to close it may really open another field. */
static sheaf_status report_record(reporting *p, const sheaf_record_finding *f)
{
	const sheaf_delimited_reader *in = p->d->in;
	char expected[48], shown[SHEAF_SHOWN_SIZE], found[SHEAF_SHOWN_SIZE + 160];
	const uint8_t *at = p->begin + f->at, *end = p->begin + p->d->piece->size;
	int64_t line = p->d->piece->line + f->line;
	sheaf_problem problem = record_problems[f->flaw];
	if (f->flaw == RECORD_COUNT) {
		snprintf(expected, sizeof expected, "%d fields", in->width);
		int used = snprintf(found, sizeof found, "%" PRIu32, f->count);
		if (f->open != f->at)
			snprintf(found + used, sizeof found - (size_t)used,
			         ", one of which spans several lines, from the quote on line %" PRId64
			         ", column %" PRIu32,
			         p->d->piece->line + f->open_line, f->open - f->open_line_start + 1);
		problem.expected = expected;
		problem.found = found;
		if (f->count < (uint32_t)in->width)
			problem.consequence = "the row is left out (" SHEAF_OPTION("fill") " fills it)";
	} else if (f->flaw == RECORD_AFTER_LINES) {
		const uint8_t *after = p->begin + f->count;
		int64_t close_line = line;
		for (const uint8_t *feed = at; feed < after; feed++) close_line += *feed == in->dialect.feed;
		sheaf_show(after, end, in->dialect.delimiter, shown);
		snprintf(found, sizeof found, "the next one on line %" PRId64 ", and %s after it", close_line, shown);
		problem.found = found;
	} else if (f->flaw == RECORD_BLANK && in->width == 1) {
		problem.consequence = "it is a row with an empty field";
	}
	if (!problem.found) problem.found = sheaf_show(at, end, in->dialect.delimiter, shown);
	return report(p, problem, at, line, p->begin + f->line_start, NULL);
}

/* ---- items ---- */

/* The same of a finding about an item; for ITEM_BAD, the type says what is expected. */
static const sheaf_problem item_problems[] = {
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

/* Reports the flaw of one item: field f of record r. The place is the item's first byte, or its first
 * byte that is not UTF-8. Since fields in quotes may have several lines, its line is counted from the one
 * on which the record begins. Control characters are shown as blanks. */
static sheaf_status report_item(reporting *p, int64_t r, int f, sheaf_word word, sheaf_item_flaw flaw)
{
	enum { LONGEST = 40 };
	char shown[SHEAF_SHOWN_SIZE];
	const sheaf_delimited_reader *in = p->d->in;
	const sheaf_records *records = &p->d->records;
	const sheaf_field *field = &in->schema.fields[f];
	const uint8_t *start = p->begin + ((const uint32_t *)(const void *)records->starts.data)[r];
	const uint8_t *line_start = start;
	int64_t line = ((const int64_t *)(const void *)records->lines.data)[r];
	sheaf_problem problem = item_problems[flaw];
	size_t n = (size_t)(word.end - word.at);
	if (n == 0 && in->dialect.fill) word.at = word.end = start; /* a field that was filled in is nowhere */
	if (flaw == ITEM_NOT_UTF8) word.at += sheaf_utf8_prefix(word.at, n), n = 1;
	for (const uint8_t *feed = start;
	     feed < word.at && (feed = (const uint8_t *)memchr(feed, in->dialect.feed, (size_t)(word.at - feed)));
	     line++)
		line_start = ++feed;
	if (flaw == ITEM_BAD) problem.expected = sheaf_item_expected(field);
	snprintf(shown, sizeof shown, "\"%.*s%s\"", (int)(n > LONGEST ? LONGEST : n), (const char *)word.at,
	         n > LONGEST ? "..." : "");
	for (char *c = shown; *c; c++)
		if ((uint8_t)*c < ' ') *c = ' ';
	if (flaw == ITEM_NOT_UTF8) snprintf(shown, sizeof shown, "byte 0x%02x", *word.at);
	problem.found = n ? shown : "nothing";
	return report(p, problem, word.at, line, line_start, field->name);
}

/* Reads the items of record r once more, to find and report those with a flaw. After the first error of a
 * record the others are not looked at, since the record is left out anyway (p->marked); flaws below
 * ITEM_BAD are warnings, which leave it in. */
static sheaf_status check_record(reporting *p, int64_t r)
{
	const sheaf_delimited_reader *in = p->d->in;
	_Alignas(16) uint8_t item[16];
	for (int f = 0; f < in->schema.nfields; f++) {
		const sheaf_field *field = &in->schema.fields[f];
		sheaf_word word = sheaf_word_of(&p->d->records, &in->dialect, r, (uint32_t)in->columns[f]);
		sheaf_item_flaw flaw;
		size_t size;
		if (sheaf_delimited_null(field, &word, &in->dialect) != SHEAF_NO_CODE) continue;
		if (field->nlevels == 0 || field->levels[0].kind != SHEAF_LIST) {
			flaw = sheaf_item_read(field, &word, &in->dialect, item);
		} else {
			flaw = sheaf_item_read_run(field, &word, &in->dialect, p->scratch, &size);
			bool is_text = flaw == ITEM_OK && field->meaning != SHEAF_BYTES;
			if (is_text && !sheaf_is_utf8(p->scratch, size)) flaw = ITEM_NOT_UTF8;
		}
		if (flaw == ITEM_OK) continue;
		SHEAF_TRY(report_item(p, r, f, word, flaw));
		if (flaw < ITEM_BAD) continue;
		p->marked[r] = p->any = true;
		return SHEAF_OK;
	}
	return SHEAF_OK;
}

/* Reports the flaws of a piece's records and of their items in the order of the input, and leaves the
 * records with errors out. A report that ends the reading, as the context's policy on errors asks for,
 * keeps the records before the one that it is about: their frame is delivered before the status is. So
 * all records from that one on are marked. */
sheaf_status sheaf_delimited_report(sheaf_delimited_decoding *d)
{
	reporting p = {.d = d, .begin = d->piece->bytes.data};
	sheaf_records *records = &d->records;
	const sheaf_record_finding *finding = (const sheaf_record_finding *)(const void *)records->findings.data;
	size_t rows = (size_t)records->count, room = (size_t)d->piece->size + 1,
		   findings_left = records->findings.size / sizeof *finding;
	int64_t row = 0; /* after the loop: the one with the flaw that ended it */
	SHEAF_TRY(sheaf_allocate(d->cx, rows, &p.marked, d->err));
	sheaf_status status = sheaf_allocate(d->cx, room, &p.scratch, d->err);
	for (; status == SHEAF_OK && row <= records->count; row += status == SHEAF_OK) {
		for (; status == SHEAF_OK && findings_left > 0 && finding->rows <= row; finding++, findings_left--)
			status = report_record(&p, finding);
		if (status == SHEAF_OK && row < records->count && d->found) status = check_record(&p, row);
	}
	if (sheaf_is_flaw(status) && row < records->count) {
		memset(p.marked + row, 1, (size_t)(records->count - row));
		p.any = true;
	}
	if ((status == SHEAF_OK || sheaf_is_flaw(status)) && p.any) sheaf_records_leave_out(records, p.marked);
	sheaf_release(d->cx, p.scratch, room);
	sheaf_release(d->cx, p.marked, rows);
	return status;
}
