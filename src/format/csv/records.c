/* SPDX-License-Identifier: MIT */
/* Where records and fields end: a walk over delimiters, line feeds and quotes, which are found many bytes at
 * a time. A quote opens a quoted field only if it is the first byte of the field.
 *
 *   a,"b,c",d\n      starts  0: of the record; its other fields begin after the end of the one before
 *   0123456789       ends    1, 7, 9: of the fields; after the last one is the line feed
 *
 * Regular records, which are most, are cut by a kernel, many fields at a time, until it
 * meets something irregular: another number of fields, or a quote that is not around a whole field. From the
 * last whole record before it the walk goes on one mark after the other, and makes a finding of whatever is
 * wrong. */
#include "format/csv/delimited.h"
#include "frame/frame_builder.h"
#include "number/kernels/kernel.h"
#include <string.h>

/* Returns the quote that closes a field, given the byte after the opening one; NULL if none does. After
 * an escape, and after the first of two quotes, one byte belongs to the field, whatever it is. */
const uint8_t *sheaf_records_close(const sheaf_dialect *dialect, const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		bool doubled = *at == dialect->quote && at + 1 < end && at[1] == dialect->quote;
		if (doubled || (*at == dialect->escape && dialect->escape)) {
			at += 2;
		} else if (*at != dialect->quote) {
			at = dialect->escape ? at + 1 : (const uint8_t *)memchr(at, dialect->quote, (size_t)(end - at));
			if (!at) return NULL;
		} else {
			return at;
		}
	}
	return NULL;
}

/* ---- records of a piece ---- */

/* Where the walk is, and what it has seen of the record that it is in. */
typedef struct walk {
	sheaf_records *records;
	const sheaf_dialect *dialect;
	sheaf_marks marks;
	const uint8_t *begin, *end;
	const uint8_t *record, *field, *line_start;
	uint32_t lines, record_lines; /* line feeds before `field`, and before the record */
	const uint8_t *open; /* the last quote of the record that opens a field of several lines, or NULL */
	const uint8_t *open_line_start;
	uint32_t open_line;
	size_t before;       /* number of ends: those of the records that are kept */
	bool bad;            /* the record has an error, which was found */
	bool warn;           /* of blank lines that are records */
	sheaf_status status; /* LIMIT: rows that are filled have too many cells for their bytes */
	sheaf_error *err;
} walk;

void sheaf_records_begin(sheaf_records *records, sheaf_context *cx)
{
	*records = (sheaf_records){.count = 0};
	sheaf_builder_begin(&records->starts, cx, NULL);
	sheaf_builder_begin(&records->ends, cx, NULL);
	sheaf_builder_begin(&records->lines, cx, NULL);
	sheaf_builder_begin(&records->findings, cx, NULL);
}

void sheaf_records_drop(sheaf_records *records)
{
	sheaf_builder_drop(&records->starts);
	sheaf_builder_drop(&records->ends);
	sheaf_builder_drop(&records->lines);
	sheaf_builder_drop(&records->findings);
}

static void put_u32(sheaf_builder *b, uint32_t v) { sheaf_builder_append(b, &v, sizeof v); }

/* Adds a finding about the byte `at` of line `line`, which begins at `line_start`. */
static void find_in_line(walk *w, const uint8_t *at, const uint8_t *line_start, uint32_t line,
                         sheaf_record_flaw flaw, uint32_t count)
{
	sheaf_record_finding finding = {.at = (uint32_t)(at - w->begin),
	                                .line_start = (uint32_t)(line_start - w->begin),
	                                .line = line,
	                                .rows = (uint32_t)w->records->count,
	                                .count = count,
	                                .flaw = flaw};
	finding.open = w->open ? (uint32_t)(w->open - w->begin) : finding.at;
	finding.open_line_start = w->open ? (uint32_t)(w->open_line_start - w->begin) : finding.line_start;
	finding.open_line = w->open ? w->open_line : line;
	sheaf_builder_append(&w->records->findings, &finding, sizeof finding);
}

/* The same on the line that the walk is on. */
static void find_flaw(walk *w, const uint8_t *at, sheaf_record_flaw flaw)
{
	find_in_line(w, at, w->line_start, w->lines, flaw, 0);
}

static inline void end_field(walk *w, const uint8_t *at)
{
	put_u32(&w->records->ends, (uint32_t)(at - w->begin));
	w->field = at + 1;
}

/* Adds the fields that a record lacks, if their places fit into 32 bits: each is empty, one byte after the
 * one before, whatever that byte is. Wide tables of short records could make many cells of few bytes, so that
 * their number has a limit. */
static bool fill(walk *w, uint32_t count)
{
	sheaf_builder *ends = &w->records->ends;
	w->status =
		sheaf_check_cells(ends->cx, w->records->count + 1, (int)w->records->width, w->end - w->begin, w->err);
	if (w->status) return false;
	uint32_t missing = w->records->width - count, end;
	memcpy(&end, ends->data + ends->size - sizeof end, sizeof end);
	while (w->begin + end > w->record && w->begin[end - 1] == '\r') end--; /* of the end of the line */
	if (missing >= UINT32_MAX - end || !sheaf_builder_room(ends, (uint64_t)missing * sizeof end))
		return false;
	ends->size -= sizeof end;
	for (uint32_t i = 0; i <= missing; i++) put_u32(ends, end + i);
	return true;
}

/* Returns whether the record of `count` fields that ends before `end` is kept, and notes the flaw of one
 * that is not. A blank line is a record only where records have one field, which is missing then. With
 * the option to fill, a record of fewer fields gets empty ones. */
static bool stands(walk *w, const uint8_t *end, uint32_t count)
{
	bool has_width = count == w->records->width;
	if (w->bad) return false;
	if (has_width && !w->warn) return true;
	const uint8_t *bare = end;
	while (bare > w->record && bare[-1] == '\r') bare--;
	bool blank = count == 1 && bare == w->record;
	if (count < w->records->width && !blank && w->dialect->fill) return fill(w, count);
	if (!has_width || blank)
		find_in_line(w, w->record, w->record, w->record_lines, blank ? RECORD_BLANK : RECORD_COUNT, count);
	return has_width;
}

/* Ends the record that the walk is in before the byte `end`, a line feed or the end of the text, and
 * keeps it if it has the right width and no error; else its ends are dropped. `line` is the line on which
 * the text begins. The first record of a text whose width is open (0) says how many fields there are. */
static inline void end_record(walk *w, const uint8_t *end, int64_t line)
{
	sheaf_records *r = w->records;
	uint32_t count = (uint32_t)((r->ends.size - w->before) / sizeof(uint32_t));
	if (r->width == 0) r->width = count;
	if (stands(w, end, count)) {
		put_u32(&r->starts, (uint32_t)(w->record - w->begin));
		sheaf_builder_i64(&r->lines, line + w->record_lines);
		r->count++;
	} else {
		r->ends.size = w->before;
	}
	w->before = r->ends.size;
	w->bad = false;
	w->open = NULL;
	w->lines++;
	w->record_lines = w->lines;
	w->record = w->field = w->line_start = end + 1;
}

/* Line feeds within a field. */
static void count_lines(walk *w, const uint8_t *at, const uint8_t *end)
{
	while ((at = (const uint8_t *)memchr(at, w->dialect->feed, (size_t)(end - at)))) {
		w->lines++;
		w->line_start = ++at;
	}
}

/* Passes a field whose quote opens at `open`. The walk continues after the quote that closes it, or at
 * the end if none does: then all the rest belongs to the field. Text after the closing quote is an error;
 * but after a field of several lines, its opening quote is more likely the wrong one, and the error is
 * found there. */
static void pass_quoted(walk *w, const uint8_t *open)
{
	const uint8_t *close = sheaf_records_close(w->dialect, open + 1, w->end), *line_start = w->line_start;
	uint32_t before = w->lines;
	if (!close) {
		find_flaw(w, open, RECORD_OPEN);
		w->bad = true;
		count_lines(w, open, w->end);
		w->marks.mask = 0;
		w->marks.block = w->end;
		return;
	}
	count_lines(w, open, close);
	if (w->lines > before) {
		w->open = open;
		w->open_line_start = line_start;
		w->open_line = before;
	}
	const uint8_t *next = close + 1, *after = next;
	while (w->dialect->feed == '\n' && after < w->end && *after == '\r') after++;
	if (after < w->end && *after != w->dialect->delimiter && *after != w->dialect->feed) {
		if (!w->bad && w->lines > before)
			find_in_line(w, open, line_start, before, RECORD_AFTER_LINES, (uint32_t)(next - w->begin));
		else if (!w->bad)
			find_flaw(w, next, RECORD_AFTER_QUOTE);
		w->bad = true;
	}
	/* Marks before `next` were within quotes: they are cleared if they are in the block of marks at hand,
	 * else the search begins again after them. */
	if (next - w->marks.block < SHEAF_MARKS_BLOCK)
		w->marks.mask &= ~UINT64_C(0) << (next - w->marks.block);
	else
		sheaf_marks_begin(&w->marks, next, w->end, w->marks.bytes);
}

/* Finds regular records with a kernel, up to the last whole one before any irregularity; the walk
 * continues there. Each step makes room for as many fields and records as it has bytes, since a byte ends
 * at most one. The kernel writes into the builders' memory, whose sizes are set before each step so that
 * growth keeps what was written. */
static void find_by_blocks(walk *w, int64_t line)
{
	enum { STEP = 4096, SLACK = 2 * SHEAF_FIELDS_BLOCK };
	sheaf_records *r = w->records;
	sheaf_fields_cutter *cut_fields = sheaf_kernel_chosen()->fields->cut;
	sheaf_fields_cut c = {.begin = w->begin,
	                      .end = w->end,
	                      .delimiter = w->dialect->delimiter,
	                      .feed = w->dialect->feed,
	                      .quote = w->dialect->quote,
	                      .width = r->width,
	                      .first_line = line};
	sheaf_fields_cut_begin(&c);
	for (const uint8_t *until = w->begin; until < w->end && !c.stopped;) {
		until = w->end - until > STEP ? until + STEP : w->end;
		r->ends.size = c.nends * sizeof *c.ends;
		r->starts.size = c.records * sizeof *c.starts;
		r->lines.size = c.records * sizeof *c.lines;
		if (!sheaf_builder_room(&r->ends, (STEP + SLACK) * sizeof *c.ends) ||
		    !sheaf_builder_room(&r->starts, (STEP + SLACK) * sizeof *c.starts) ||
		    !sheaf_builder_room(&r->lines, (STEP + SLACK) * sizeof *c.lines))
			break;
		c.ends = (uint32_t *)(void *)r->ends.data;
		c.starts = (uint32_t *)(void *)r->starts.data;
		c.lines = (int64_t *)(void *)r->lines.data;
		cut_fields(&c, until);
	}
	r->count = (int64_t)c.records;
	r->ends.size = w->before = c.before * sizeof *c.ends;
	r->starts.size = c.records * sizeof *c.starts;
	r->lines.size = c.records * sizeof *c.lines;
	w->record = w->field = w->line_start = w->begin + c.record;
	w->lines = w->record_lines = c.record_line;
}

/* Returns the fields of a column for a kernel: where each one begins and ends, as steps through the lists
 * of starts and ends. A field after the first one begins one byte after the end of the one before it
 * (skip). */
sheaf_fields sheaf_records_column(const sheaf_records *records, uint32_t column)
{
	const uint32_t *starts = (const uint32_t *)(const void *)records->starts.data,
				   *ends = (const uint32_t *)(const void *)records->ends.data;
	if (records->count == 0) return (sheaf_fields){.text = records->begin}; /* there may be no memory yet */
	return (sheaf_fields){.text = records->begin,
	                      .starts = column ? ends + column - 1 : starts,
	                      .start_step = column ? records->width : 1,
	                      .skip = column > 0,
	                      .ends = ends + column,
	                      .end_step = records->width,
	                      .last = column + 1 == records->width,
	                      .count = (size_t)records->count};
}

/* Whether there may be one: where records have one field, the walk warns of them, and the kernel does not. */
static bool has_blank_line(const sheaf_dialect *dialect, sheaf_bytes text)
{
	const char two[] = {(char)dialect->feed, (char)dialect->feed};
	return text.size > 0 && (*text.data == dialect->feed || memmem(text.data, text.size, two, sizeof two) ||
	                         memmem(text.data, text.size, "\n\r\n", 3));
}

/* Finds the records of a text of less than 4 GiB, which begins with a record on line `line`; those with
 * another number of fields than `width` (0: as the first one has) or with other errors become findings. A
 * kernel finds the regular records at the beginning where the dialect allows it; a walk from mark to mark
 * (delimiters, line feeds, quotes) finds the others. In a dialect without quotes the line feed
 * replaces them among the bytes that are searched for. */
sheaf_status sheaf_records_find(sheaf_records *records, const sheaf_dialect *dialect, int width,
                                sheaf_bytes text, int64_t line, sheaf_error *err)
{
	const uint8_t *at = text.data, *end = text.data + text.size;
	uint8_t quote = dialect->quote ? dialect->quote : dialect->feed;
	const uint8_t bytes[SHEAF_MARKS] = {dialect->delimiter, dialect->feed, quote, quote};
	walk w = {.records = records,
	          .dialect = dialect,
	          .begin = at,
	          .end = end,
	          .record = at,
	          .field = at,
	          .line_start = at,
	          .err = err};
	if ((uint64_t)(end - at) >= UINT32_MAX)
		return sheaf_fail(err, SHEAF_LIMIT, "expected a record of less than 4 GiB, found a longer one");
	records->begin = at;
	records->width = (uint32_t)width;
	w.warn = width == 1 && has_blank_line(dialect, text);
	if (width > 0 && !w.warn && !(dialect->quote && dialect->escape)) find_by_blocks(&w, line);
	sheaf_marks_begin(&w.marks, w.record, end, bytes);
	for (const uint8_t *mark; !w.status && (mark = sheaf_marks_next(&w.marks)) && !records->ends.failed;) {
		if (*mark == dialect->delimiter) {
			end_field(&w, mark);
		} else if (*mark == dialect->feed) {
			end_field(&w, mark);
			end_record(&w, mark, line);
		} else if (mark == w.field) {
			pass_quoted(&w, mark);
		} else if (!w.bad && !dialect->escape) {
			find_flaw(&w, mark, RECORD_INNER_QUOTE);
		}
	}
	if (w.record < end && !w.status) {
		end_field(&w, end);
		end_record(&w, end, line);
	}
	SHEAF_TRY(w.status);
	SHEAF_TRY(sheaf_builder_status(&records->starts, err));
	SHEAF_TRY(sheaf_builder_status(&records->ends, err));
	SHEAF_TRY(sheaf_builder_status(&records->findings, err));
	return sheaf_builder_status(&records->lines, err);
}

/* Removes the records r with marked[r] from the list: those that are kept move down. Their bytes stay
 * where they are, and so do the findings. */
void sheaf_records_leave_out(sheaf_records *records, const uint8_t *marked)
{
	int64_t kept = 0;
	size_t size = records->width * sizeof(uint32_t);
	for (int64_t r = 0; r < records->count; r++) {
		if (marked[r]) continue;
		memmove(records->starts.data + (size_t)kept * sizeof(uint32_t),
		        records->starts.data + (size_t)r * sizeof(uint32_t), sizeof(uint32_t));
		memmove(records->lines.data + (size_t)kept * sizeof(int64_t),
		        records->lines.data + (size_t)r * sizeof(int64_t), sizeof(int64_t));
		memmove(records->ends.data + (size_t)kept * size, records->ends.data + (size_t)r * size, size);
		kept++;
	}
	records->count = kept;
	records->starts.size = (size_t)kept * sizeof(uint32_t);
	records->lines.size = (size_t)kept * sizeof(int64_t);
	records->ends.size = (size_t)kept * size;
}

/* ---- ends of records ---- */

/* These look for one end in a window of the input, without finding fields: quotes that open a field are
 * passed with what is in them, and only between them line feeds end records. */

/* Returns the next quote that opens a field from `at` on; `end` if there is none. */
static const uint8_t *next_open(const sheaf_dialect *dialect, const uint8_t *begin, const uint8_t *at,
                                const uint8_t *end)
{
	while (dialect->quote && at < end &&
	       (at = (const uint8_t *)memchr(at, dialect->quote, (size_t)(end - at)))) {
		if (at == begin || at[-1] == dialect->delimiter || at[-1] == dialect->feed) return at;
		at++;
	}
	return end;
}

/* Returns the byte after the last whole record of [begin, end), or NULL, by passing from quoted field to
 * quoted field: line feeds count only between them. */
const uint8_t *sheaf_records_last_end(const sheaf_dialect *dialect, const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *last = NULL;
	for (const uint8_t *at = begin; at < end;) {
		const uint8_t *open = next_open(dialect, begin, at, end);
		const uint8_t *feed = (const uint8_t *)memrchr(at, dialect->feed, (size_t)(open - at));
		if (feed) last = feed + 1;
		const uint8_t *close = open < end ? sheaf_records_close(dialect, open + 1, end) : NULL;
		at = close ? close + 1 : end;
	}
	return last;
}

/* Returns the byte after the first whole record of [begin, end), or NULL. Line feeds within quoted fields
 * do not count. */
const uint8_t *sheaf_records_first_end(const sheaf_dialect *dialect, const uint8_t *begin, const uint8_t *end)
{
	for (const uint8_t *at = begin; at < end;) {
		const uint8_t *open = next_open(dialect, begin, at, end);
		const uint8_t *feed = (const uint8_t *)memchr(at, dialect->feed, (size_t)(open - at));
		if (feed) return feed + 1;
		const uint8_t *close = open < end ? sheaf_records_close(dialect, open + 1, end) : NULL;
		at = close ? close + 1 : end;
	}
	return NULL;
}

/* Returns the quote in the first record that no other one closes, or NULL. */
const uint8_t *sheaf_records_open(const sheaf_dialect *dialect, const uint8_t *begin, const uint8_t *end)
{
	for (const uint8_t *at = begin; at < end;) {
		const uint8_t *open = next_open(dialect, begin, at, end);
		if (open == end || memchr(at, dialect->feed, (size_t)(open - at))) return NULL;
		const uint8_t *close = sheaf_records_close(dialect, open + 1, end);
		if (!close) return open;
		at = close + 1;
	}
	return NULL;
}
