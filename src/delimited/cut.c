/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole records, each of about the requested size; a longer record makes a longer
 * piece. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "delimited/delimited.h"
#include "io/cutter.h"
#include "io/source.h"
#include "number/lines.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool starts_with(sheaf_bytes bytes, const char *mark, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, mark, n) == 0;
}

/* Spreadsheets say the delimiter in a line of its own, before the table: "sep=;". */
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
	if (starts_with(head, "\xef\xbb\xbf", 3) && head.size > 3) sheaf_source_consume(in->source, 3);
	return pass_separator(in, err);
}

/* At most `want` bytes from here on, the same however much the source has available. */
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

/* A record that does not fit in memory most likely has an unclosed quote. */
static sheaf_status fail_at_quote(const sheaf_delimited_reader *in, sheaf_status status, size_t shown,
                                  sheaf_error *err)
{
	sheaf_bytes window;
	if (sheaf_put_off(sheaf_source_ahead(in->source, shown, &window, NULL), "the first failure is reported"))
		return status;
	const uint8_t *begin = window.data, *open = sheaf_records_open(&in->dialect, begin, begin + window.size);
	if (!open) return status;
	const uint8_t *line = (const uint8_t *)memrchr(begin, in->dialect.feed, (size_t)(open - begin));
	line = line ? line + 1 : begin;
	char found[64];
	sheaf_problem problem = {SHEAF_FATAL, status, "open quote", SHEAF_NOWHERE,
	                         "a quote that closes the field", found,
	                         "memory allows no more (" SHEAF_OPTION("max-memory") ")"};
	snprintf(found, sizeof found, "none in the next %zu bytes", window.size - (size_t)(open - begin));
	problem.place.file = sheaf_source_name(in->source);
	problem.place.line = in->line + count_lines(in, begin, open);
	problem.place.column = open - line + 1;
	problem.place.byte = sheaf_source_place(in->source, sheaf_source_tell(in->source), begin, open - begin);
	return sheaf_fail_problem(err, &problem);
}

/* `shown` bytes are there; no more were available. */
static sheaf_status fail_again(sheaf_delimited_reader *in, size_t shown, sheaf_error *err)
{
	sheaf_status status = in->truncated;
	if (err) *err = in->truncation;
	if (!sheaf_is_of_memory(status)) return status;
	in->truncated = SHEAF_OK;
	return shown ? fail_at_quote(in, status, shown, err) : status;
}

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

static void pass(sheaf_delimited_reader *in, sheaf_bytes bytes)
{
	in->line += count_lines(in, bytes.data, bytes.data + bytes.size);
	sheaf_source_consume(in->source, bytes.size);
}

sheaf_status sheaf_delimited_begin(sheaf_delimited_reader *in, sheaf_error *err)
{
	sheaf_bytes record;
	SHEAF_TRY(sheaf_delimited_pass_mark(in, err));
	if (!in->header) return SHEAF_OK;
	SHEAF_TRY(sheaf_delimited_first(in, &record, err));
	pass(in, record);
	return SHEAF_OK;
}

/* Bytes of the whole records of a window. */
static size_t whole_records(const sheaf_delimited_reader *in, const uint8_t *begin, size_t size)
{
	const uint8_t *end = sheaf_records_last_end(&in->dialect, begin, begin + size);
	return end ? (size_t)(end - begin) : 0;
}

/* If the input fails, the whole records before that come first. */
static sheaf_status cut_before_failure(sheaf_delimited_reader *in, sheaf_bytes window, size_t shown,
                                       size_t *size, sheaf_error *err)
{
	*size = window.size ? whole_records(in, window.data, window.size) : 0;
	return *size ? SHEAF_OK : fail_again(in, shown, err);
}

/* How much to cut from a window; 0 if its first record does not end there. */
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

static sheaf_status find_cut(sheaf_delimited_reader *in, size_t bytes, size_t *size, sheaf_error *err)
{
	sheaf_bytes window = {0};
	*size = 0;
	if (in->truncated) return cut_before_failure(in, window, 0, size, err);
	for (size_t want = bytes; *size == 0; want *= 2) {
		if (!show(in, want, &window))
			return cut_before_failure(in, window, want > bytes ? want / 2 : 0, size, err);
		if (window.size == 0) return SHEAF_END;
		*size = choose_cut(in, window, bytes, window.size < want);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_delimited_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	size_t size;
	sheaf_buffer_reset(&piece->bytes);
	SHEAF_TRY(find_cut(in, (size_t)bytes, &size, err));
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

sheaf_status sheaf_delimited_resume(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	SHEAF_TRY(sheaf_source_seek(in->source, piece->byte, err));
	in->line = piece->line;
	in->column = piece->column;
	in->truncated = SHEAF_OK;
	return SHEAF_OK;
}
