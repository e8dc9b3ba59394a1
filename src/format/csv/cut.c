/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole records, each of about the requested size; a longer record makes a longer
 * piece.
 *
 * Cutting is done by one thread, before other threads find the fields, so that it looks for as little as it
 * can: the last line feed of a window that is not in quotes. Where that is depends on all quotes before it,
 * and hence pieces begin with records, always. The rows that a cut gives must not depend on how much the
 * source has at hand; so a window has the size that was asked for, or reaches to the end of the input. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "format/csv/delimited.h"
#include "io/cutter.h"
#include "io/source.h"
#include "number/kernels/lines.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether an input, of which these are the first bytes, begins with a mark. */
static bool starts_with(sheaf_bytes bytes, const char *mark, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, mark, n) == 0;
}

/* Passes a line "sep=;" before the table, in which spreadsheets say the delimiter, and keeps the
 * delimiter in in->said. Some spell a tab as \t. */
static sheaf_status pass_separator(sheaf_delimited_reader *in, sheaf_error *err)
{
	enum { MOST = 8, BEFORE = 4 };
	sheaf_bytes head;
	SHEAF_TRY(sheaf_source_ahead(in->source, MOST, &head, err));
	if (!starts_with(head, "sep=", BEFORE) || head.size < BEFORE + 2) return SHEAF_OK;
	const uint8_t *at = head.data + BEFORE, *end = head.data + head.size;
	bool spelled = at[0] == '\\' && at[1] == 't';
	uint8_t delimiter = spelled ? '\t' : *at;
	at += 1 + spelled;
	if (at == end || (*at != '\r' && *at != '\n') || !sheaf_may_delimit(delimiter)) return SHEAF_OK;
	at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
	in->said = delimiter;
	in->line = 2;
	sheaf_source_consume(in->source, (size_t)(at - head.data));
	return SHEAF_OK;
}

/* Passes what comes before the table at the beginning of an input: a byte order mark of UTF-8, and a line
 * that says the delimiter, after which the first line is line 2. One of UTF-16 is refused, since no byte
 * of such a text means what it seems to. An empty input is no table. */
sheaf_status sheaf_delimited_pass_mark(sheaf_delimited_reader *in, sheaf_error *err)
{
	sheaf_bytes head;
	const char *file = sheaf_source_name(in->source);
	in->line = in->column = 1;
	in->truncated = SHEAF_OK;
	sheaf_source_is_of_lines(in->source);
	SHEAF_TRY(sheaf_source_ahead(in->source, 4, &head, err));
	if (head.size == 0)
		return sheaf_fail(
			err, SHEAF_DATA,
			"%s: expected a line with the names of columns, or with values, found an empty input", file);
	if (starts_with(head, "\xff\xfe", 2) || starts_with(head, "\xfe\xff", 2))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s:1:1 (byte 0): expected " SHEAF_UTF8_EXPECTED ", found a UTF-16 byte order mark",
		                  file);
	size_t mark = sheaf_utf8_mark(head.data, head.size);
	if (mark && head.size > mark) sheaf_source_consume(in->source, mark);
	return pass_separator(in, err);
}

/* Shows at most `want` bytes without moving, the same however much the source has available; false if the
 * input fails, which is kept in in->truncated. */
static bool show(sheaf_delimited_reader *in, size_t want, sheaf_bytes *window)
{
	in->truncated = sheaf_source_ahead(in->source, want, window, &in->truncation);
	if (window->size > want) window->size = want;
	return in->truncated == SHEAF_OK;
}

static int64_t count_lines(const sheaf_delimited_reader *in, const uint8_t *at, const uint8_t *end)
{
	int64_t n = 0;
	if (in->dialect.feed == '\n') return sheaf_count_feeds(at, end);
	for (; at < end; at++) n += *at == in->dialect.feed;
	return n;
}

/* Fails with what the source has failed with before (in->truncated). A record that does not fit in memory
 * most likely has an unclosed quote, which is then what is reported. `shown` bytes of the record could be
 * shown before the source failed; 0: none. */
static sheaf_status fail_again(sheaf_delimited_reader *in, size_t shown, sheaf_error *err)
{
	sheaf_bytes window;
	sheaf_status status = in->truncated;
	if (err) *err = in->truncation;
	if (!sheaf_is_of_memory(status)) return status;
	in->truncated = SHEAF_OK;
	if (!shown ||
	    sheaf_put_off(sheaf_source_ahead(in->source, shown, &window, NULL), "the first failure is reported"))
		return status;
	const uint8_t *begin = window.data, *open = sheaf_records_open(&in->dialect, begin, begin + window.size);
	if (!open) return status;
	const uint8_t *line = (const uint8_t *)memrchr(begin, in->dialect.feed, (size_t)(open - begin));
	line = line ? line + 1 : begin;
	char found[64];
	snprintf(found, sizeof found, "none in the next %zu bytes", window.size - (size_t)(open - begin));
	sheaf_problem problem =
		sheaf_problem_in(sheaf_source_name(in->source),
	                     &SHEAF_FINDING(SHEAF_FATAL, "open quote", "a quote that closes the field", found,
	                                    "memory allows no more (" SHEAF_OPTION("max-memory") ")", status));
	problem.place.line = in->line + count_lines(in, begin, open);
	problem.place.column = open - line + 1;
	problem.place.byte = sheaf_source_place(in->source, sheaf_source_tell(in->source), begin, open - begin);
	return sheaf_fail_problem(err, &problem);
}

/* Shows the first record without moving. The window doubles until it has all of the record; at the end of
 * the input the record need not have a line feed. */
sheaf_status sheaf_delimited_first(sheaf_delimited_reader *in, sheaf_bytes *record, sheaf_error *err)
{
	enum { FIRST = 4096 };
	const uint8_t *end = NULL;
	for (size_t want = FIRST; !end; want *= 2) {
		if (!show(in, want, record)) return fail_again(in, want > FIRST ? want / 2 : 0, err);
		end = sheaf_records_first_end(&in->dialect, record->data, record->data + record->size);
		if (!end && record->size < want) end = record->data + record->size;
	}
	record->size = (size_t)(end - record->data);
	return SHEAF_OK;
}

sheaf_status sheaf_delimited_begin(sheaf_delimited_reader *in, sheaf_error *err)
{
	sheaf_bytes record;
	SHEAF_TRY(sheaf_delimited_pass_mark(in, err));
	if (!in->header) return SHEAF_OK;
	SHEAF_TRY(sheaf_delimited_first(in, &record, err));
	in->line += count_lines(in, record.data, record.data + record.size);
	sheaf_source_consume(in->source, record.size);
	return SHEAF_OK;
}

/* Bytes of the whole records of a window. */
static size_t whole_records(const sheaf_delimited_reader *in, const uint8_t *begin, size_t size)
{
	const uint8_t *end = sheaf_records_last_end(&in->dialect, begin, begin + size);
	return end ? (size_t)(end - begin) : 0;
}

/* Returns how much to cut from a window, which has more than `bytes` only if the first record is longer;
 * 0 if that record does not end there. What is left at the end of the input is the last record, with or
 * without a line feed. */
static size_t choose_cut(const sheaf_delimited_reader *in, sheaf_bytes window, size_t bytes, bool is_end)
{
	if (is_end && window.size <= bytes) return window.size;
	size_t size = window.size <= bytes ? whole_records(in, window.data, window.size) : 0;
	if (size == 0 && window.size > bytes) {
		const uint8_t *end = sheaf_records_first_end(&in->dialect, window.data, window.data + window.size);
		size = end ? (size_t)(end - window.data) : 0;
	}
	return size == 0 && is_end ? window.size : size;
}

/* Takes the next piece of whole records, of about `bytes` bytes, for a worker to decode. A record that is
 * longer doubles what is asked of the source. If the input fails, the whole records before that come
 * first, and the failure is that of the next call. */
sheaf_status sheaf_delimited_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	sheaf_bytes window = {0};
	size_t size = 0, least = (size_t)bytes;
	sheaf_buffer_reset(&piece->bytes);
	for (size_t want = least; size == 0; want *= 2) {
		if (in->truncated || !show(in, want, &window)) {
			size = window.size ? whole_records(in, window.data, window.size) : 0;
			if (size == 0) return fail_again(in, want > least ? want / 2 : 0, err);
			break;
		}
		if (window.size == 0) return SHEAF_END;
		size = choose_cut(in, window, least, window.size < want);
	}
	*piece = (sheaf_piece){.byte = sheaf_source_tell(in->source),
	                       .size = (int64_t)size,
	                       .line = in->line,
	                       .column = in->column,
	                       .chunk = -1};
	sheaf_source_take(in->source, size, &piece->bytes);
	in->line += count_lines(in, piece->bytes.data, piece->bytes.data + size);
	return SHEAF_OK;
}

/* ---- in any order ---- */

/* Whether the input may have such a piece: places come from index files, too, which may be of another input.
 */
static sheaf_status check_piece(const sheaf_delimited_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_place place = {.byte = piece->byte, .line = piece->line, .column = piece->column};
	return sheaf_cutter_check(in->source, &place, piece->size, false, err);
}

sheaf_status sheaf_delimited_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_delimited_reader *in = (const sheaf_delimited_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

sheaf_status sheaf_delimited_resume(sheaf_delimited_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	SHEAF_TRY(check_piece(in, piece, err));
	SHEAF_TRY(sheaf_source_seek(in->source, piece->byte, err));
	in->line = piece->line;
	in->column = piece->column;
	in->truncated = SHEAF_OK;
	return SHEAF_OK;
}
