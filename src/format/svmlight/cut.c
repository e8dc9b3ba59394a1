/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole lines: each line that is no comment is a row. */
#include "format/svmlight/svmlight.h"
#include "number/lines.h"
#include <inttypes.h>
#include <string.h>

/* A byte order mark is passed over. */
sheaf_status sheaf_svm_begin(sheaf_svm_reader *in, sheaf_error *err)
{
	sheaf_bytes head;
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = 1;
	SHEAF_TRY(sheaf_source_ahead(in->source, 3, &head, err));
	if (head.size >= 3 && memcmp(head.data, "\xef\xbb\xbf", 3) == 0) sheaf_source_consume(in->source, 3);
	return SHEAF_OK;
}

sheaf_status sheaf_svm_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_svm_reader *in = (sheaf_svm_reader *)reader;
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

sheaf_status sheaf_svm_rewind(void *reader, sheaf_error *err)
{
	sheaf_svm_reader *in = (sheaf_svm_reader *)reader;
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	return sheaf_svm_begin(in, err);
}

/* A row is one sample. */
sheaf_status sheaf_svm_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx, sheaf_buffer *lengths, sheaf_error *err)
{
	const uint32_t one = 1;
	const uint8_t *at = piece->bytes.data, *end = at + piece->size;
	sheaf_builder b;
	sheaf_lines lines;
	(void)reader;
	sheaf_builder_begin(&b, cx, lengths);
	sheaf_lines_begin(&lines, at, end);
	for (const uint8_t *next; (next = sheaf_lines_next(&lines)); at = next)
		if (sheaf_svm_is_row(at, next)) sheaf_builder_append(&b, &one, sizeof one);
	if (sheaf_svm_is_row(at, end)) sheaf_builder_append(&b, &one, sizeof one);
	return sheaf_builder_finish(&b, lengths, err);
}

/* A line takes a byte at least. */
static sheaf_status check_piece(const sheaf_svm_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	if (piece->size > 0 && piece->byte >= 0 && piece->line >= 1 && piece->line - 1 <= piece->byte && piece->column == 1 && piece->chunk == -1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the place of a piece, found line %" PRId64 " at byte %" PRId64, sheaf_source_name(in->source), piece->line,
	                  piece->byte);
}

sheaf_status sheaf_svm_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_svm_reader *in = (const sheaf_svm_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

sheaf_status sheaf_svm_resume(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_svm_reader *in = (sheaf_svm_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	SHEAF_TRY(sheaf_source_seek(in->source, piece->byte, err));
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = piece->line;
	return SHEAF_OK;
}
