/* SPDX-License-Identifier: MIT */
/* A text, cut into runs of whole lines. A run ends at the last line feed within the bytes asked for, or at
 * the end of a longer line. */
#include "io/cutter.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

void sheaf_cutter_begin(sheaf_cutter *cutter, sheaf_source *source)
{
	*cutter = (sheaf_cutter){.source = source};
	sheaf_source_is_of_lines(source);
}

/* The size of the whole lines in the first `limit` bytes. */
static size_t whole_lines(sheaf_bytes window, size_t limit)
{
	const uint8_t *feed = limit ? (const uint8_t *)memrchr(window.data, '\n', limit) : NULL;
	return feed ? (size_t)(feed + 1 - window.data) : 0;
}

/* Says what happens after a failure of the input: the whole lines of the window, before the failure, are
 * given first (*size > 0). After them every call returns the failure; but a lack of memory is returned once,
 * and the next call reads again, since it may be temporary. */
static sheaf_status fail_here(sheaf_cutter *cutter, sheaf_bytes window, size_t *size, sheaf_error *err)
{
	*size = whole_lines(window, window.size);
	if (*size) return SHEAF_OK;
	sheaf_status status = cutter->truncated;
	if (err) *err = cutter->truncation;
	if (status == SHEAF_NOMEM || status == SHEAF_LIMIT) cutter->truncated = SHEAF_OK;
	return status;
}

/* Says how many bytes to take from a window, of which `want` were asked for; fewer mean that the input ends
 * there. It is whole lines within `bytes`, or one longer line; 0 if that line is longer than the window. */
static size_t choose(sheaf_bytes window, size_t bytes, size_t want)
{
	bool is_end = window.size < want;
	if (is_end && window.size <= bytes) return window.size;
	size_t size = whole_lines(window, window.size < bytes ? window.size : bytes);
	if (size) return size;
	const uint8_t *feed = (const uint8_t *)memchr(window.data, '\n', window.size);
	return feed ? (size_t)(feed + 1 - window.data) : is_end ? window.size : 0;
}

/* Takes a run of whole lines, of about `bytes`, into *out; END after the last one. A line that is longer
 * than that is taken whole: the window is doubled until it has the line's end. */
sheaf_status sheaf_cutter_take(sheaf_cutter *cutter, size_t bytes, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_bytes window = {0};
	size_t size = 0;
	sheaf_buffer_reset(out);
	if (cutter->truncated) return fail_here(cutter, window, &size, err);
	for (size_t want = bytes; size == 0; want *= 2) {
		cutter->truncated = sheaf_source_ahead(cutter->source, want, &window, &cutter->truncation);
		if (window.size > want) window.size = want;
		if (cutter->truncated) {
			SHEAF_TRY(fail_here(cutter, window, &size, err));
			break;
		}
		if (window.size == 0) return SHEAF_END;
		size = choose(window, bytes, want);
	}
	sheaf_source_take(cutter->source, size, out);
	return SHEAF_OK;
}

/* ---- places of runs ---- */

sheaf_status sheaf_cutter_refuse(const sheaf_source *source, const sheaf_place *place, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected the place of a piece, found line %" PRId64 " at byte %" PRId64,
	                  sheaf_source_name(source), place->line, place->byte);
}

/* Checks a place that came from outside, an index for example, before reading there: a line and a column
 * cannot be greater than the number of bytes before them, plus 1. `inside`: the piece may begin within a
 * line; otherwise its column is 1. */
sheaf_status sheaf_cutter_check(const sheaf_source *source, const sheaf_place *place, int64_t size,
                                bool inside, sheaf_error *err)
{
	int64_t most = place->byte < INT64_MAX ? place->byte + 1 : place->byte;
	if (size > 0 && place->line >= 1 && place->line <= most && place->column >= 1 &&
	    place->column <= (inside ? most : 1))
		return SHEAF_OK;
	return sheaf_cutter_refuse(source, place, err);
}
