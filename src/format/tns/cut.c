/* SPDX-License-Identifier: MIT */
/* The entries in pieces of whole lines, and how many of them there are. */
#include "base/context.h"
#include "format/tns/tns.h"
#include "number/lines.h"
#include <inttypes.h>
#include <stdio.h>

sheaf_status sheaf_tns_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	int64_t byte = sheaf_source_tell(in->source);
	SHEAF_TRY(sheaf_cutter_take(&in->cutter, (size_t)bytes, &piece->bytes, err));
	piece->byte = byte;
	piece->size = (int64_t)piece->bytes.size;
	piece->line = in->line;
	piece->column = 1;
	piece->chunk = -1;
	piece->slice = piece->slices = 0;
	in->line += sheaf_count_feeds(piece->bytes.data, piece->bytes.data + piece->bytes.size);
	return SHEAF_OK;
}

sheaf_status sheaf_tns_rewind(void *reader, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	for (int64_t left = in->begin; left > 0;) {
		sheaf_bytes window;
		SHEAF_TRY(sheaf_source_ahead(in->source, 1, &window, err));
		if (window.size == 0) return sheaf_fail(err, SHEAF_SHORT, "%s: expected its first lines again, found the end of the file", sheaf_source_name(in->source));
		size_t n = (int64_t)window.size < left ? window.size : (size_t)left;
		sheaf_source_consume(in->source, n);
		left -= (int64_t)n;
	}
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = in->first_line;
	in->seen = 0;
	return SHEAF_OK;
}

/* Each entry counts as one. */
sheaf_status sheaf_tns_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx, sheaf_buffer *lengths, sheaf_error *err)
{
	const uint32_t one = 1;
	const uint8_t *at = piece->bytes.data, *end = at + piece->size;
	sheaf_builder b;
	sheaf_lines lines;
	(void)reader;
	sheaf_builder_begin(&b, cx, lengths);
	sheaf_lines_begin(&lines, at, end);
	for (const uint8_t *next; (next = sheaf_lines_next(&lines)); at = next)
		if (sheaf_tns_is_entry(at, next)) sheaf_builder_append(&b, &one, sizeof one);
	if (sheaf_tns_is_entry(at, end)) sheaf_builder_append(&b, &one, sizeof one);
	return sheaf_builder_finish(&b, lengths, err);
}

/* A line takes a byte at least. */
static sheaf_status check_piece(const sheaf_tns_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	bool placed = piece->size > 0 && piece->byte >= in->begin && piece->line >= in->first_line && piece->line - in->first_line <= piece->byte - in->begin;
	if (placed && piece->column == 1 && piece->chunk == -1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the place of a piece, found line %" PRId64 " at byte %" PRId64, sheaf_source_name(in->source), piece->line,
	                  piece->byte);
}

sheaf_status sheaf_tns_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_tns_reader *in = (const sheaf_tns_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

sheaf_status sheaf_tns_resume(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	SHEAF_TRY(sheaf_source_seek(in->source, piece->byte, err));
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = piece->line;
	return SHEAF_OK;
}

/* ---- counting ---- */

sheaf_status sheaf_tns_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	(void)err;
	in->seen = row + frame->nrows;
	return SHEAF_OK;
}

/* What was left out while validating has been told of. */
sheaf_status sheaf_tns_settle(void *reader, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	char expected[96], found[64];
	if (in->entries < 0 || in->seen == in->entries || sheaf_context_problems(in->cx, SHEAF_FATAL) > 0) return SHEAF_OK;
	snprintf(expected, sizeof expected, "%" PRId64 " entries, as the first line says", in->entries);
	snprintf(found, sizeof found, "%" PRId64, in->seen);
	sheaf_problem problem = {SHEAF_FATAL, in->seen < in->entries ? SHEAF_SHORT : SHEAF_DATA, "number of entries", SHEAF_NOWHERE, expected, found, NULL};
	problem.place.file = sheaf_source_name(in->source);
	return sheaf_report(in->cx, &problem, err);
}
