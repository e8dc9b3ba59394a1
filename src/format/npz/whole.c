/* SPDX-License-Identifier: MIT */
/* A sparse matrix as one row: a chain of levels, whose buffers are views of the file if it has them in that
 * form. */
#include "data/frame.h"
#include "format/npz/npz.h"

/* ---- the schema ---- */

/* Csr: all rows, and within each some columns. Coo: some coordinates of all dimensions at once. */
static int shape_levels(const sheaf_npz_sparse *s, sheaf_level_shape levels[2])
{
	int minor = sheaf_npz_minor(s), n = 0;
	bool coordinates = s->layout == NPZ_COO, lists = !coordinates && s->rank > 1;
	if (lists)
		levels[n++] =
			(sheaf_level_shape){.kind = SHEAF_FIXED, .index_type = SHEAF_I32, .extent = s->shape[!minor]};
	sheaf_level_shape *last = &levels[n++];
	*last =
		(sheaf_level_shape){.kind = SHEAF_COORD, .rank = coordinates ? s->rank : 1, .index_type = SHEAF_I32};
	for (int r = 0; r < last->rank; r++) {
		int d = coordinates ? r : minor;
		if (s->shape[d] > last->extent) last->extent = s->shape[d];
		if (sheaf_npz_index_type(s, d) == SHEAF_I64) last->index_type = SHEAF_I64;
	}
	return n;
}

sheaf_status sheaf_npz_whole_schema(sheaf_npz_sparse *s, sheaf_schema *out, sheaf_error *err)
{
	sheaf_schema entries;
	sheaf_level_shape levels[2];
	int n = shape_levels(s, levels);
	*out = (sheaf_schema){.cx = s->cx};
	SHEAF_TRY(sheaf_npz_sparse_schema(s, &entries, err));
	const sheaf_field *value = &entries.fields[s->rank];
	sheaf_status status =
		sheaf_schema_add_levels(out, &entries.tensor, levels, n, value->meaning, value->type, err);
	sheaf_schema_free(&entries);
	return status;
}

/* ---- the row ---- */

static sheaf_status put_offsets(const sheaf_npz_sparse *s, int64_t n, sheaf_builder *b, sheaf_error *err)
{
	b->size = 0; /* a frame already has the first offset */
	if (s->layout != NPZ_COO && s->rank > 1) {
		sheaf_builder_append(b, s->pointers, (size_t)s->npointers * sizeof *s->pointers);
	} else {
		sheaf_builder_i64(b, 0);
		sheaf_builder_i64(b, n);
	}
	return sheaf_builder_status(b, err);
}

sheaf_status sheaf_npz_whole_row(const sheaf_npz_sparse *s, sheaf_frame_builder *to, sheaf_error *err)
{
	int64_t n = sheaf_npz_end_of_values(s);
	sheaf_column_builder *column = &to->columns[0];
	sheaf_level_builder *level = &column->levels[s->layout == NPZ_COO || s->rank == 1 ? 0 : 1];
	sheaf_builder *indices[SHEAF_MAX_RANK];
	sheaf_buffer bytes = {0};
	for (int d = 0; d < s->rank; d++) indices[d] = &level->indices[s->layout == NPZ_COO ? d : 0];
	SHEAF_TRY(put_offsets(s, n, &level->offsets, err));
	SHEAF_TRY(sheaf_npz_take_indices(s, 0, n, level->shape->index_type == SHEAF_I64, indices, err));
	SHEAF_TRY(sheaf_holding_view(&s->data.holding, s->data.data_at, n * s->data.dtype.size, &bytes, err));
	sheaf_status status = sheaf_array_values(&s->data, &bytes, 0, n, column, err);
	sheaf_buffer_reset(&bytes);
	to->nrows = 1;
	return status;
}
