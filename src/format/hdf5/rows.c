/* SPDX-License-Identifier: MIT */
/* Rows: runs of values with their coordinates, or of the columns of a table. A piece is identified by the
 * number of its first row, as if rows were bytes, and has no bytes of its own: threads that decode read the
 * runs of each array that they need from the file, where chunks are unpacked whole. */
#include "base/buffer.h"
#include "base/context.h"
#include "format/hdf5/hdf5.h"
#include <string.h>

/* ---- entries ---- */

/* Puts the one row of a whole matrix: its levels and its values, which are a view of the file if it has
 * them in that form. */
static sheaf_status put_whole(const sheaf_hdf_reader *in, sheaf_frame_builder *to, sheaf_error *err)
{
	bool broken;
	sheaf_column_builder *column = &to->columns[0];
	const sheaf_box_item *item = in->set.values;
	sheaf_depth depth = in->set.kind == HDF_COMPRESSED ? SHEAF_CHECK_NONE : SHEAF_CHECK_FULL;
	SHEAF_TRY(sheaf_sparse_put_whole(&in->sparse, depth, column, &broken, err));
	if (!item || column->field->meaning == SHEAF_BOOL || in->packing.is_packed)
		return in->rows ? sheaf_hdf_put_values(in, &in->packing, 0, in->rows, column, err) : SHEAF_OK;
	sheaf_buffer values = {0};
	int64_t n = in->rows * (item->what == SHEAF_BOX_COMPLEX ? 2 : 1);
	SHEAF_TRY(sheaf_box_read(in->box, (sheaf_box_run){item, 0, n}, item->type, &values, err));
	sheaf_builder_hold(&column->values, &values);
	return SHEAF_OK;
}

/* ---- pieces ---- */

/* About what a row takes in memory, for cutting: a text, or a value and its coordinates. */
static int64_t bytes_of_row(const sheaf_hdf_reader *in)
{
	return 8 + 8 * (in->sparse.levels.rank + 2 * in->schema.nfields);
}

/* Takes the next piece of rows, about as many as `bytes` bytes hold. Chunks are unpacked whole, so that a
 * piece has whole rows of chunks (in->step) if memory has room for enough of them. Rows stand for bytes in a
 * piece: its place is the number of its first row, and its size the number of its rows. */
sheaf_status sheaf_hdf_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_hdf_reader *in = (sheaf_hdf_reader *)reader;
	int64_t left = in->facts.rows - in->next, n = bytes / bytes_of_row(in);
	int64_t most = sheaf_max_memory(in->cx) / 64 / bytes_of_row(in);
	(void)err;
	if (left == 0) return SHEAF_END;
	if (n < 1) n = 1;
	if (in->step > 1 && in->step <= most && in->next % in->step == 0)
		n = (n + in->step - 1) / in->step * in->step;
	if (n > left) n = left;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.byte = in->next, .size = n, .line = -1, .column = -1, .chunk = -1};
	in->next += n;
	return SHEAF_OK;
}

/* Decodes a piece of rows on a worker's thread: the one row of a whole matrix, rows of a table, or entries
 * with their values. The piece's byte and size are its first row and its number of rows. */
sheaf_status sheaf_hdf_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_hdf_reader *in = (const sheaf_hdf_reader *)reader;
	sheaf_frame_builder to;
	int64_t first = piece->byte, n = piece->size;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status) return sheaf_frame_builder_end(&to, status, frame, err);
	if (in->is_whole) {
		status = put_whole(in, &to, err);
	} else if (in->frame) {
		status = sheaf_hdf_put_frame(in, first, n, &to, err);
	} else if (in->sources.size) {
		status = sheaf_hdf_put_table(in, piece, &to, err);
	} else {
		status = sheaf_sparse_put_run(&in->sparse, (sheaf_run){first, first + n}, &to, err);
		if (!status)
			status =
				sheaf_hdf_put_values(in, &in->packing, first, n, &to.columns[in->sparse.levels.rank], err);
	}
	if (!status) to.nrows = in->is_whole ? 1 : n;
	return sheaf_frame_builder_end(&to, status, frame, err);
}
