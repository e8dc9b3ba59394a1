/* SPDX-License-Identifier: MIT */
/* The entries in pieces of whole lines. Lines of an array say nothing of where their values stand, so its pieces carry the number of their first
 * one, in the place for the number of a chunk. */
#include "format/matrixmarket/matrixmarket.h"
#include "number/lines.h"
#include <inttypes.h>
#include <string.h>

/* Lines that are neither blank nor comments: whatever else is wrong with them, each stands for an entry. */
static bool is_entry(const uint8_t *at, const uint8_t *end)
{
	while (at < end && sheaf_mtx_is_space(*at)) at++;
	return at < end && *at != '%' && *at != '\n';
}

static int64_t count_entries(const uint8_t *at, const uint8_t *end)
{
	sheaf_lines lines;
	int64_t n = 0;
	sheaf_lines_begin(&lines, at, end);
	for (const uint8_t *next; (next = sheaf_lines_next(&lines)); at = next) n += is_entry(at, next);
	return n + is_entry(at, end);
}

sheaf_status sheaf_mtx_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	int64_t byte = sheaf_source_tell(in->source);
	SHEAF_TRY(sheaf_cutter_take(&in->cutter, (size_t)bytes, &piece->bytes, err));
	const uint8_t *end = piece->bytes.data + piece->bytes.size;
	piece->byte = byte;
	piece->size = (int64_t)piece->bytes.size;
	piece->line = in->line;
	piece->column = 1;
	piece->chunk = in->array ? in->entry : -1;
	piece->slice = piece->slices = 0;
	in->line += sheaf_count_feeds(piece->bytes.data, end);
	if (in->array) in->entry += count_entries(piece->bytes.data, end);
	return SHEAF_OK;
}

/* Back to behind the sizes. */
sheaf_status sheaf_mtx_rewind(void *reader, sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	sheaf_bytes window;
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	for (int64_t left = in->begin; left > 0;) {
		SHEAF_TRY(sheaf_source_ahead(in->source, 1, &window, err));
		if (window.size == 0) return sheaf_fail(err, SHEAF_SHORT, "%s: expected the sizes again, found the end of the file", sheaf_source_name(in->source));
		size_t n = (int64_t)window.size < left ? window.size : (size_t)left;
		sheaf_source_consume(in->source, n);
		left -= (int64_t)n;
	}
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = in->first_line;
	in->entry = in->seen = 0;
	sheaf_sorter_free(in->places);
	in->places = NULL;
	return SHEAF_OK;
}

/* A line takes a byte at least. */
static sheaf_status check_piece(const sheaf_mtx_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	bool placed = piece->size > 0 && piece->byte >= in->begin && piece->line >= in->first_line && piece->line - in->first_line <= piece->byte - in->begin;
	bool numbered = in->array ? piece->chunk >= 0 && piece->chunk <= piece->byte - in->begin : piece->chunk == -1;
	if (placed && numbered && piece->column == 1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the place of a piece, found line %" PRId64 " at byte %" PRId64, sheaf_source_name(in->source), piece->line,
	                  piece->byte);
}

sheaf_status sheaf_mtx_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_mtx_reader *in = (const sheaf_mtx_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

sheaf_status sheaf_mtx_resume(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	SHEAF_TRY(sheaf_source_seek(in->source, piece->byte, err));
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = piece->line;
	in->entry = piece->chunk;
	return SHEAF_OK;
}

/* Each entry counts as one. */
sheaf_status sheaf_mtx_measure(const void *in, const sheaf_piece *piece, sheaf_context *cx, sheaf_buffer *lengths, sheaf_error *err)
{
	const uint32_t one = 1;
	sheaf_builder b;
	(void)in;
	sheaf_builder_begin(&b, cx, lengths);
	for (int64_t n = count_entries(piece->bytes.data, piece->bytes.data + piece->size); n > 0; n--) sheaf_builder_append(&b, &one, sizeof one);
	return sheaf_builder_finish(&b, lengths, err);
}
