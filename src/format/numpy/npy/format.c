/* SPDX-License-Identifier: MIT */
/* NumPy's array files: the table entry, and reading. The file is one array and nothing else:
 *
 *   [header][row 0][row 1]...
 *
 * Rows have the same size, so pieces can begin anywhere, and a piece's place says which rows it has. Items
 * have at least a byte each (dtype.c), so that only an array without items has a row without bytes, if the
 * array as a whole is its only row. */
#include "base/context.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "format/numpy/npy/npy.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

static const char *const suffixes[] = {".npy", NULL};

static const sheaf_option options[] = {
	{"string-bytes", SHEAF_OPTION_SIZE, SHEAF_WRITING, "N",
     "bytes of each text in a table, since NumPy's items have a fixed size", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

typedef struct reader {
	SHEAF_BASE(sheaf_reader, reader);
	sheaf_array array;
	int64_t row_bytes, rows;
	int64_t next; /* next row to cut */
} reader;

static sheaf_likely probe(sheaf_glimpse *at)
{
	if (sheaf_array_begins(at->head)) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

static void close_reader(void *opened)
{
	reader *in = (reader *)opened;
	sheaf_array_close(&in->array);
}

/* Opens a file that is one array, and makes its schema for the kinds of rows that the caller takes. */
static sheaf_status open_reader(void *opened, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	reader *in = (reader *)opened;
	sheaf_holding holding = {
		.source = in->source, .size = sheaf_source_size(in->source), .name = sheaf_source_name(in->source)};
	(void)values;
	SHEAF_TRY(sheaf_array_open(&in->array, &holding, in->cx, err));
	SHEAF_TRY(sheaf_array_schema(&in->array, how->rows, "x", &in->schema, err));
	in->row_bytes = sheaf_array_items_of_row(&in->array, &in->schema) * in->array.dtype.size;
	in->rows = sheaf_array_count_rows(&in->array, &in->schema);
	sheaf_array_facts(&in->schema, in->rows, &in->facts);
	return SHEAF_OK;
}

/* Size of a row to count rows by, at least 1: the row that is an array without items has no bytes. */
static int64_t step_of(const reader *in) { return in->row_bytes > 0 ? in->row_bytes : 1; }

/* Takes the next piece of rows for a worker to decode: about as many as `bytes` bytes hold, at least one.
 * The row of a tensor is an item; its coordinates take four bytes or more for each dimension in memory,
 * which count as well. */
static sheaf_status cut(void *opened, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	reader *in = (reader *)opened;
	int64_t coordinate_bytes = in->schema.rows == SHEAF_ENTRIES ? 4 * (int64_t)in->array.rank : 0;
	int64_t n = bytes / (step_of(in) + coordinate_bytes), left = in->rows - in->next;
	if (n < 1) n = 1;
	if (n > left) n = left;
	if (left == 0) return SHEAF_END;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.byte = in->array.data_at + in->next * in->row_bytes,
	                       .size = n * in->row_bytes,
	                       .line = -1,
	                       .column = -1,
	                       .chunk = -1};
	SHEAF_TRY(sheaf_holding_view(&in->array.holding, piece->byte, piece->size, &piece->bytes, err));
	in->next += n;
	return SHEAF_OK;
}

static sheaf_status decode(const void *opened, const sheaf_piece *piece, sheaf_frame *frame,
                           sheaf_context *cx, sheaf_error *err)
{
	const reader *in = (const reader *)opened;
	int64_t first = (piece->byte - in->array.data_at) / step_of(in), n = piece->size / step_of(in);
	if (in->schema.rows == SHEAF_WHOLE) n = 1; /* even without bytes */
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = sheaf_array_rows(&in->array, &piece->bytes, first, n, &to, err);
	return sheaf_frame_builder_end(&to, status, frame, err);
}

/* ---- in any order ---- */

/* Checks a place that is to be read again: it may come from an index of another file, or from a damaged
 * one, and must be one that `cut` can have given. A piece has bytes if its rows have. */
static sheaf_status check_piece(const reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	int64_t at = piece->byte - in->array.data_at, all = in->rows * in->row_bytes, least = in->row_bytes > 0;
	if (at >= 0 && piece->size >= least && at <= all && piece->size <= all - at && at % step_of(in) == 0 &&
	    piece->size % step_of(in) == 0)
		return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the place of rows, found byte %" PRId64,
	                  in->array.holding.name, piece->byte);
}

static sheaf_status recall(const void *opened, sheaf_piece *piece, sheaf_error *err)
{
	const reader *in = (const reader *)opened;
	SHEAF_TRY(check_piece(in, piece, err));
	return sheaf_holding_view(&in->array.holding, piece->byte, piece->size, &piece->bytes, err);
}

static sheaf_status rewind_reader(void *opened, const sheaf_piece *to, sheaf_error *err)
{
	reader *in = (reader *)opened;
	if (to) SHEAF_TRY(check_piece(in, to, err));
	in->next = to ? (to->byte - in->array.data_at) / step_of(in) : 0;
	return SHEAF_OK;
}

static const sheaf_random_access random_access = {
	.recall = recall,
	.resumes = true,
};

const sheaf_format sheaf_format_npy = {
	.name = "npy",
	.summary = "NumPy array files: dense tensors, and tables of structured items",
	.suffixes = suffixes,
	.needs_seek = true,
	.options = options,
	.random = &random_access,
	.write = &sheaf_npy_writing,
	.probe = probe,
	.reader_size = sizeof(reader),
	.open = open_reader,
	.cut = cut,
	.decode = decode,
	.rewind = rewind_reader,
	.close = close_reader,
};
