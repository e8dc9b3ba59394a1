/* SPDX-License-Identifier: MIT */
/* A matrix or an array as one row: a chain of levels, whose buffers are views of the file if it has them in
 * that form. */
#include "base/buffer.h"
#include "data/frame.h"
#include "format/hdf5/hdf5.h"
#include <inttypes.h>
#include <string.h>

/* ---- the schema ---- */

/* A matrix in lists: all rows (or columns), and within each some columns. A list of entries: coordinates of
 * both dimensions at once. An array: one dimension after the other, as they are stored. */
static int shape_levels(const sheaf_hdf_reader *in, sheaf_level_shape levels[SHEAF_MAX_RANK])
{
	int n = 0, outer = in->set.by_columns;
	sheaf_level_shape *last;
	switch (in->set.kind) {
	case HDF_COMPRESSED:
		levels[n++] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = in->shape[outer]};
		last = &levels[n++];
		*last = (sheaf_level_shape){.kind = SHEAF_COORD, .rank = 1, .extent = in->shape[!outer]};
		last->index_type = in->schema.fields[!outer].type;
		return n;
	case HDF_COORDINATES:
		levels[0] = (sheaf_level_shape){.kind = SHEAF_COORD,
		                                .rank = 2,
		                                .extent = in->shape[0] > in->shape[1] ? in->shape[0] : in->shape[1]};
		levels[0].index_type = in->schema.fields[0].type > in->schema.fields[1].type
		                           ? in->schema.fields[0].type
		                           : in->schema.fields[1].type;
		return 1;
	default:
		for (; n < in->rank; n++)
			levels[n] =
				(sheaf_level_shape){.kind = SHEAF_FIXED, .extent = in->shape[in->schema.tensor.order[n]]};
		return n;
	}
}

sheaf_status sheaf_hdf_make_whole(sheaf_hdf_reader *in, sheaf_error *err)
{
	sheaf_level_shape levels[SHEAF_MAX_RANK] = {0};
	sheaf_schema whole = {.cx = in->cx};
	int n = shape_levels(in, levels);
	const sheaf_field *value = &in->schema.fields[in->rank];
	sheaf_status status =
		sheaf_schema_add_levels(&whole, &in->schema.tensor, levels, n, value->meaning, value->type, err);
	if (status) {
		sheaf_schema_free(&whole);
		return status;
	}
	sheaf_schema_free(&in->schema);
	in->schema = whole;
	in->is_whole = true;
	return SHEAF_OK;
}

/* ---- the row ---- */

static sheaf_status put_offsets(const sheaf_hdf_reader *in, sheaf_builder *b, sheaf_error *err)
{
	b->size = 0; /* a frame already has the first offset */
	if (in->set.kind == HDF_COMPRESSED) {
		sheaf_builder_append(b, in->pointers, (size_t)in->npointers * sizeof *in->pointers);
	} else {
		sheaf_builder_i64(b, 0);
		sheaf_builder_i64(b, in->rows);
	}
	return sheaf_builder_status(b, err);
}

/* Indices of dimension d; those of lists were read when the file was opened. */
static sheaf_status put_indices(const sheaf_hdf_reader *in, const sheaf_box_item *item, int d,
                                sheaf_builder *to, sheaf_error *err)
{
	sheaf_buffer found = sheaf_buffer_ref(&in->indices);
	sheaf_type type = in->schema.fields[0].levels[in->set.kind == HDF_COMPRESSED].index_type;
	if (in->rows == 0) return SHEAF_OK;
	if (!found.data) {
		SHEAF_TRY(sheaf_box_read(in->box, (sheaf_box_run){item, 0, in->rows}, type, &found, err));
		sheaf_status status =
			sheaf_hdf_check_indices(in, (sheaf_box_run){item, 0, in->rows}, d, &found, type, err);
		if (status) sheaf_buffer_reset(&found);
		SHEAF_TRY(status);
	}
	sheaf_builder_hold(to, &found);
	return SHEAF_OK;
}

static sheaf_status put_places(const sheaf_hdf_reader *in, sheaf_column_builder *to, sheaf_error *err)
{
	bool is_compressed = in->set.kind == HDF_COMPRESSED;
	sheaf_level_builder *level = &to->levels[is_compressed];
	if (in->set.kind == HDF_DENSE) return SHEAF_OK;
	SHEAF_TRY(put_offsets(in, &level->offsets, err));
	SHEAF_TRY(
		put_indices(in, in->set.indices, is_compressed && !in->set.by_columns, &level->indices[0], err));
	return is_compressed ? SHEAF_OK : put_indices(in, in->set.second, 1, &level->indices[1], err);
}

sheaf_status sheaf_hdf_whole_row(const sheaf_hdf_reader *in, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_buffer values = {0};
	sheaf_column_builder *column = &to->columns[0];
	const sheaf_box_item *item = in->set.values;
	bool as_stored = item && item->what != SHEAF_BOX_BOOLS && !in->packing.is_packed;
	SHEAF_TRY(put_places(in, column, err));
	if (!as_stored && in->rows) SHEAF_TRY(sheaf_hdf_put_values(in, 0, in->rows, column, err));
	if (as_stored) {
		int64_t n = in->rows * (item->what == SHEAF_BOX_COMPLEX ? 2 : 1);
		SHEAF_TRY(sheaf_box_read(in->box, (sheaf_box_run){item, 0, n}, item->type, &values, err));
		sheaf_builder_hold(&column->values, &values);
	}
	to->nrows = 1;
	return SHEAF_OK;
}
