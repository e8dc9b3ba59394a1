/* SPDX-License-Identifier: MIT */
/* Entries of SciPy's layouts: their order, and rows made from them. */
#include "base/buffer.h"
#include "data/integers.h"
#include "format/npz/places.h"
#include <string.h>

/* ---- the schema ---- */

/* Whether entries come by rows, or by columns, without repetition: SciPy does not promise it. */
static sheaf_status look_for_order(const sheaf_npz_sparse *s, sheaf_tensor *t, sheaf_error *err)
{
	memcpy(t->order, s->levels.order, sizeof t->order);
	t->sorted = false;
	if (s->layout != NPZ_BSR && s->layout != NPZ_DIA)
		SHEAF_TRY(sheaf_sparse_is_sorted(&s->sparse, false, &t->sorted, err));
	t->unique = t->sorted;
	for (size_t i = 0; i < 3; i++) t->layout[i] = (char)(sheaf_npz_layouts[s->layout][i] - 'a' + 'A');
	return SHEAF_OK;
}

sheaf_status sheaf_npz_sparse_schema(const sheaf_npz_sparse *s, bool whole, sheaf_schema *out,
                                     sheaf_error *err)
{
	sheaf_field *value;
	sheaf_schema entries = {.cx = s->cx};
	*out = entries;
	sheaf_status status =
		sheaf_schema_make_entries(&entries, s->cx, (sheaf_dimensions){s->levels.rank, s->shape}, &value, err);
	if (status == SHEAF_OK) status = sheaf_array_value_field(&s->data, value, err);
	if (status == SHEAF_OK) status = look_for_order(s, &entries.tensor, err);
	if (status == SHEAF_OK && !whole) {
		*out = entries;
		return SHEAF_OK;
	}
	if (status == SHEAF_OK)
		status =
			sheaf_sparse_whole_schema(&s->sparse, &entries.tensor, value->meaning, value->type, out, err);
	sheaf_schema_free(&entries);
	return status;
}

/* ---- rows of blocks and diagonals ---- */

static void put_places(const int64_t *from, int64_t n, sheaf_column_builder *to)
{
	sheaf_integers_put(SHEAF_I64, from, n, to->field->type, &to->values);
}

static bool is_inside(const sheaf_npz_sparse *s, const sheaf_npz_places *p, int64_t i)
{
	bool inside = true;
	for (int d = 0; d < 2; d++) inside &= p->at[d][i] >= 0 && p->at[d][i] < s->shape[d];
	return inside;
}

/* Zeros of diagonals, and values outside the matrix, are no entries. Values are copied, since others may be
 * reading them. */
static sheaf_status keep_entries(const sheaf_npz_sparse *s, sheaf_npz_places *p, sheaf_column_builder *to,
                                 sheaf_error *err)
{
	static const uint8_t zeros[16];
	size_t size = sheaf_type_size(to->field->type) * (to->field->meaning == SHEAF_COMPLEX ? 2 : 1);
	sheaf_buffer all = {0};
	int64_t kept = 0;
	SHEAF_TRY(sheaf_builder_finish(&to->values, &all, err));
	for (int64_t i = 0; i < p->n; i++) {
		const uint8_t *value = all.data + (size_t)i * size;
		if (!is_inside(s, p, i) || (s->layout == NPZ_DIA && memcmp(value, zeros, size) == 0))
			continue;
		for (int d = 0; d < 2; d++) p->at[d][kept] = p->at[d][i];
		kept++;
		sheaf_builder_append(&to->values, value, size);
	}
	p->n = kept;
	sheaf_buffer_reset(&all);
	return SHEAF_OK;
}

static sheaf_status make_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                              sheaf_npz_places *p, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_column_builder *value = &to->columns[2];
	SHEAF_TRY(sheaf_npz_place(s, first, p->n, p, err));
	SHEAF_TRY(sheaf_array_values(&s->data, bytes, first, p->n, value, err));
	if (s->layout == NPZ_DIA || s->data.fortran) SHEAF_TRY(keep_entries(s, p, value, err));
	for (int d = 0; d < 2; d++) put_places(p->at[d], p->n, &to->columns[d]);
	to->nrows = p->n;
	return SHEAF_OK;
}

static sheaf_status make_rows_of_places(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                                        int64_t n, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_npz_places p;
	SHEAF_TRY(sheaf_npz_begin_places(&p, n, to->cx, err));
	p.n = n;
	sheaf_status status = make_rows(s, bytes, first, &p, to, err);
	sheaf_npz_end_places(&p, n, to->cx);
	return status;
}

/* ---- rows ---- */

/* Values after these belong to nothing; in blocks by columns these are among the others. */
static int64_t end_of_values(const sheaf_npz_sparse *s)
{
	if (s->layout == NPZ_DIA || (s->layout == NPZ_BSR && s->data.fortran)) return s->data.count;
	return sheaf_sparse_entries(&s->sparse) * s->height * s->width;
}

sheaf_status sheaf_npz_sparse_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                                   int64_t n, sheaf_frame_builder *to, sheaf_error *err)
{
	bool broken;
	sheaf_sparse_view view = {0}; /* stays empty: pointers are in memory */
	sheaf_run ranges[SHEAF_MAX_RANK + 1];
	int64_t end = end_of_values(s);
	if (n > end - first) n = first < end ? end - first : 0;
	if (s->layout == NPZ_BSR || s->layout == NPZ_DIA) return make_rows_of_places(s, bytes, first, n, to, err);
	ranges[s->levels.nlevels] = (sheaf_run){first, first + n};
	SHEAF_TRY(sheaf_sparse_locate(&s->sparse, &view, NULL, ranges, err));
	SHEAF_TRY(sheaf_array_values(&s->data, bytes, first, n, &to->columns[s->levels.rank], err));
	SHEAF_TRY(sheaf_sparse_put_entries(&s->sparse, ranges, to, &broken, err));
	to->nrows = n;
	return SHEAF_OK;
}

sheaf_status sheaf_npz_whole_row(const sheaf_npz_sparse *s, sheaf_frame_builder *to, sheaf_error *err)
{
	bool broken;
	int64_t n = end_of_values(s);
	sheaf_buffer bytes = {0};
	SHEAF_TRY(sheaf_sparse_put_whole(&s->sparse, SHEAF_CHECK_FULL, &to->columns[0], &broken, err));
	SHEAF_TRY(sheaf_holding_view(&s->data.holding, s->data.data_at, n * s->data.dtype.size, &bytes, err));
	sheaf_status status = sheaf_array_values(&s->data, &bytes, 0, n, &to->columns[0], err);
	sheaf_buffer_reset(&bytes);
	to->nrows = 1;
	return status;
}
