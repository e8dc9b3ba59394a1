/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole sequences, each of about the requested size; a longer sequence makes a longer
 * piece. */
#include "base/context.h"
#include "base/memory.h"
#include "format/ctf/ctf.h"
#include "io/source.h"
#include "number/kernels/lines.h"
#include <inttypes.h>
#include <string.h>

static bool starts_with(sheaf_bytes bytes, const char *mark, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, mark, n) == 0;
}

static sheaf_status refuse(const sheaf_ctf_reader *in, sheaf_status status, const char *expected,
                           const char *found, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(
		sheaf_source_name(in->source), &SHEAF_FINDING(SHEAF_FATAL, NULL, expected, found, .status = status));
	problem.place.line = in->line;
	problem.place.column = in->column;
	problem.place.byte = sheaf_source_place(in->source, sheaf_source_tell(in->source), NULL, 0);
	return sheaf_fail_problem(err, &problem);
}

/* White space up to the byte that `head` then shows, or to the end of the input. */
static sheaf_status pass_space(sheaf_ctf_reader *in, sheaf_bytes *head, sheaf_error *err)
{
	for (;;) {
		SHEAF_TRY(sheaf_source_ahead(in->source, 1, head, err));
		if (head->size == 0 || head->data[0] == '\0' || !strchr(" \t\r\n", head->data[0])) return SHEAF_OK;
		bool feed = head->data[0] == '\n';
		in->line += feed;
		in->column = feed ? 1 : in->column + 1;
		sheaf_source_consume(in->source, 1);
	}
}

/* The first line decides for all of them: ids, or '|' and each line is a sequence. */
sheaf_status sheaf_ctf_begin(sheaf_ctf_reader *in, sheaf_error *err)
{
	sheaf_bytes head;
	char found[CTF_FOUND_SIZE];
	in->line = in->column = 1;
	in->truncated = SHEAF_OK;
	SHEAF_TRY(sheaf_source_ahead(in->source, 4, &head, err));
	if (head.size == 0)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected lines of samples, found an empty input",
		                  sheaf_source_name(in->source));
	if (starts_with(head, "\xff\xfe", 2) || starts_with(head, "\xfe\xff", 2))
		return refuse(in, SHEAF_UNSUPPORTED, SHEAF_UTF8_EXPECTED, "a UTF-16 byte order mark", err);
	if (starts_with(head, "\xef\xbb\xbf", 3) && head.size > 3) sheaf_source_consume(in->source, 3);
	int64_t byte = sheaf_source_tell(in->source);
	SHEAF_TRY(pass_space(in, &head, err));
	in->first_line = in->line;
	if (head.size == 0) return refuse(in, SHEAF_DATA, "lines of samples", "white space only", err);
	in->by_line = in->skip_ids || head.data[0] == '|';
	if (!in->by_line && !sheaf_ctf_is_digit(head.data[0]))
		return refuse(in, SHEAF_DATA, "a sequence id or '|' at the start of the first line",
		              sheaf_ctf_found(head.data, head.data + head.size, found), err);
	/* CNTK's later versions skip white space at the start of a file, its first ones refuse it. */
	if (in->space_noted || sheaf_source_tell(in->source) == byte) return SHEAF_OK;
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->source),
	                                         &SHEAF_FINDING(SHEAF_NOTE, "white space at the start",
	                                                        "an id or '|' as the first byte",
	                                                        "white space, which CNTK 2.0 refuses"));
	problem.place.line = problem.place.column = 1;
	problem.place.byte = sheaf_source_place(in->source, byte, NULL, 0);
	in->space_noted = true;
	return sheaf_report(in->cx, &problem, err);
}

/* ---- ends of sequences ---- */

/* A piece is a chunk in CNTK's sense: as many sequences as fit into its size, but at least one. */

/* Whether a line begins with an id, which is there completely. */
static bool has_id(const uint8_t *line, const uint8_t *end, uint64_t *id)
{
	bool over;
	return sheaf_ctf_read_id(&line, end, id, &over) && line < end;
}

/* The size of the whole sequences within the first `limit` bytes of the window: the last one that begins
 * there may go on, so they end where it begins. An id may be read beyond the limit. */
static size_t whole_sequences(const sheaf_ctf_reader *in, sheaf_bytes window, size_t limit)
{
	const uint8_t *begin = window.data, *candidate = NULL;
	const uint8_t *feed = (const uint8_t *)memrchr(begin, '\n', limit);
	uint64_t candidate_id = 0, id;
	if (!feed) return 0;
	if (in->by_line) return (size_t)(feed + 1 - begin);
	for (const uint8_t *line = feed + 1;; line = feed ? feed + 1 : begin) {
		bool known = has_id(line, begin + window.size, &id);
		if (known && candidate && id != candidate_id) return (size_t)(candidate - begin);
		if (known) candidate = line;
		if (known) candidate_id = id;
		if (line == begin) return 0;
		feed = line - 1 > begin ? (const uint8_t *)memrchr(begin, '\n', (size_t)(line - 1 - begin)) : NULL;
	}
}

/* The size of the first sequence, which ends where a line begins with another id; 0 if the window does not
 * show its end. */
static size_t first_sequence(const sheaf_ctf_reader *in, sheaf_bytes window)
{
	const uint8_t *end = window.data + window.size, *feed = window.data;
	uint64_t first = 0, id;
	has_id(window.data, end, &first);
	while ((feed = (const uint8_t *)memchr(feed, '\n', (size_t)(end - feed)))) {
		feed++;
		if (in->by_line || (feed < end && has_id(feed, end, &id) && id != first))
			return (size_t)(feed - window.data);
		if (feed == end) return 0;
	}
	return 0;
}

/* Whether the window ends before it shows if its last line begins another sequence. */
static bool hides_id(const sheaf_ctf_reader *in, sheaf_bytes window)
{
	const uint8_t *end = window.data + window.size, *at = end;
	if (in->by_line) return false;
	while (at > window.data && sheaf_ctf_is_digit(at[-1])) at--;
	return at > window.data && at[-1] == '\n';
}

/* If the input fails, the whole sequences before that are cut first, and the failure comes with the next
 * call. An id that is cut off may be any. Running out of memory may be temporary. */
static sheaf_status cut_before_failure(sheaf_ctf_reader *in, sheaf_bytes window, size_t *size,
                                       sheaf_error *err)
{
	if (hides_id(in, window))
		while (window.data[window.size - 1] != '\n') window.size--;
	*size = window.size ? whole_sequences(in, window, window.size) : 0;
	if (*size) return SHEAF_OK;
	sheaf_status status = in->truncated;
	if (err) *err = in->truncation;
	if (sheaf_is_of_memory(status)) in->truncated = SHEAF_OK;
	return status;
}

/* At most `want` bytes from here on, the same however much the source has available. */
static bool show(sheaf_ctf_reader *in, size_t want, sheaf_bytes *window)
{
	in->truncated = sheaf_source_ahead(in->source, want, window, &in->truncation);
	if (window->size > want) window->size = want;
	if (!in->truncated && window->size < want)
		in->truncated = sheaf_source_check_end(in->source, *window, &in->truncation);
	return in->truncated == SHEAF_OK;
}

/* How much to cut, from windows that grow until they show where a sequence ends. The end of the input ends
 * the last one. */
static sheaf_status find_cut(sheaf_ctf_reader *in, size_t bytes, size_t *size, sheaf_error *err)
{
	enum { LONGEST_ID = 64 };
	sheaf_bytes window = {0};
	*size = 0;
	if (in->truncated) return cut_before_failure(in, window, size, err);
	for (size_t want = bytes; *size == 0; want *= 2) {
		size_t asked = want;
		if (!show(in, asked, &window)) return cut_before_failure(in, window, size, err);
		if (window.size == asked && hides_id(in, window) && !show(in, asked += LONGEST_ID, &window))
			return cut_before_failure(in, window, size, err);
		if (window.size == 0) return SHEAF_END;
		bool is_end = window.size < asked;
		bool longer = want > bytes, all = is_end && window.size <= bytes;
		if (!all && !longer) *size = whole_sequences(in, window, window.size < want ? window.size : want);
		if (!all && *size == 0 && (longer || is_end)) *size = first_sequence(in, window);
		if (*size == 0 && is_end) *size = window.size;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_ctf_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	size_t size;
	sheaf_buffer_reset(&piece->bytes);
	SHEAF_TRY(find_cut(in, (size_t)bytes, &size, err));
	piece->byte = sheaf_source_tell(in->source);
	piece->size = (int64_t)size;
	piece->line = in->line;
	piece->column = in->column;
	in->column = 1;
	piece->chunk = -1;
	sheaf_source_take(in->source, size, &piece->bytes);
	piece->feeds = sheaf_count_feeds(piece->bytes.data, piece->bytes.data + size);
	in->line += piece->feeds;
	return SHEAF_OK;
}
