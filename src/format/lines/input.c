/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole lines, in order and in any order. A piece's line says where it begins for
 * messages; where lines are numbered values, its chunk says how many rows are before it, which costs a count
 * of the rows as it is cut. */
#include "base/buffer.h"
#include "format/lines/lined.h"
#include "io/source.h"
#include "number/kernels/lines.h"

bool sheaf_lined_is_text(sheaf_bytes head)
{
	for (size_t k = 0; k < head.size; k++)
		if (head.data[k] < ' ' && (!head.data[k] || !strchr("\t\r\n", head.data[k]))) return false;
	return true;
}

static int64_t count_rows(const sheaf_lined_syntax *syntax, const uint8_t *at, const uint8_t *end)
{
	sheaf_lines lines;
	int64_t n = 0;
	sheaf_lines_begin(&lines, at, end);
	for (const uint8_t *next; (next = sheaf_lines_next(&lines)); at = next)
		n += sheaf_lined_is_row(syntax, at, next);
	return n + sheaf_lined_is_row(syntax, at, end);
}

/* ---- in order ---- */

static void begin_at(sheaf_lined *in, int64_t line, int64_t row)
{
	sheaf_cutter_begin(&in->cutter, in->source);
	in->line = line;
	in->row = row;
}

void sheaf_lined_begin(sheaf_lined *in, int64_t line)
{
	in->begin = sheaf_source_tell(in->source);
	in->first_line = line;
	begin_at(in, line, 0);
}

/* Takes the next piece of whole lines, of about `bytes` bytes, for a worker to decode. Where places
 * follow from the order of lines, piece->chunk is the number of its first row; else -1. */
sheaf_status sheaf_lined_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_lined *in = (sheaf_lined *)reader;
	int64_t byte = sheaf_source_tell(in->source);
	SHEAF_TRY(sheaf_cutter_take(&in->cutter, (size_t)bytes, &piece->bytes, err));
	const uint8_t *end = piece->bytes.data + piece->bytes.size;
	piece->byte = byte;
	piece->size = (int64_t)piece->bytes.size;
	piece->line = in->line;
	piece->column = 1;
	piece->chunk = in->numbered ? in->row : -1;
	piece->slice = piece->slices = 0;
	in->line += sheaf_count_feeds(piece->bytes.data, end);
	if (in->numbered) in->row += count_rows(in->syntax, piece->bytes.data, end);
	return SHEAF_OK;
}

/* Appends the length of each row of a piece, which is a sequence of one sample. Keys are what the rows
 * say, and not known here: a caller that needs them gets SHEAF_END. */
static sheaf_status measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx,
                            sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err)
{
	const uint32_t one = 1;
	sheaf_builder b;
	if (keys) return SHEAF_END;
	sheaf_builder_begin(&b, cx, lengths);
	for (int64_t n = count_rows(((const sheaf_lined *)reader)->syntax, piece->bytes.data,
	                            piece->bytes.data + piece->size);
	     n > 0; n--)
		sheaf_builder_append(&b, &one, sizeof one);
	return sheaf_builder_finish(&b, lengths, err);
}

/* ---- in any order ---- */

/* Checks a place that is to be read again, as it may come from an index of another file. A line takes at
 * least a byte, and so does a row, so that a piece cannot have more of them before it than bytes. */
static sheaf_status check_place(const sheaf_lined *in, const sheaf_piece *piece, sheaf_error *err)
{
	int64_t before = piece->byte - in->begin;
	bool placed = piece->size > 0 && piece->byte >= in->begin && piece->line >= in->first_line &&
	              piece->line - in->first_line <= before;
	bool numbered = in->numbered ? piece->chunk >= 0 && piece->chunk <= before : piece->chunk == -1;
	if (placed && numbered && piece->column == 1) return SHEAF_OK;
	return sheaf_cutter_refuse(in->source, &(sheaf_place){.byte = piece->byte, .line = piece->line}, err);
}

/* Moves a reader to a piece that it has cut before, or where `to` is NULL to its first row. The source
 * goes back to its first byte then, and passes the header, whose length in->begin is known from opening. */
sheaf_status sheaf_lined_rewind(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_lined *in = (sheaf_lined *)reader;
	sheaf_bytes window;
	if (to) {
		SHEAF_TRY(check_place(in, to, err));
		SHEAF_TRY(sheaf_source_seek(in->source, to->byte, err));
		begin_at(in, to->line, to->chunk);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	for (int64_t left = in->begin; left > 0;) {
		SHEAF_TRY(sheaf_source_ahead(in->source, 1, &window, err));
		if (window.size == 0)
			return sheaf_fail(err, SHEAF_SHORT,
			                  "%s: expected its first lines again, found the end of the file",
			                  sheaf_source_name(in->source));
		size_t n = (int64_t)window.size < left ? window.size : (size_t)left;
		sheaf_source_consume(in->source, n);
		left -= (int64_t)n;
	}
	begin_at(in, in->first_line, 0);
	return SHEAF_OK;
}

sheaf_status sheaf_lined_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_lined *in = (const sheaf_lined *)reader;
	SHEAF_TRY(check_place(in, piece, err));
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

const sheaf_random_access sheaf_lined_random = {
	.recall = sheaf_lined_recall,
	.resumes = true,
	.measure = measure,
};
