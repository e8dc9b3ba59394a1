/* SPDX-License-Identifier: MIT */
/* Entries of SciPy's layouts: their order, and rows made from them. */
#include "base/context.h"
#include "base/memory.h"
#include "data/compress.h"
#include "format/npz/places.h"
#include <string.h>

/* ---- the order ---- */

/* Whether the entries come in the tensor's order, without repetition, after the one before. */
static bool come_in_order(const sheaf_npz_places *p, const sheaf_tensor *t, int64_t *before)
{
	for (int64_t i = 0; i < p->n; i++) {
		int order = 0;
		for (int d = 0; d < t->rank; d++) {
			int64_t at = p->at[t->order[d]][i];
			if (order == 0) order = (at > before[d]) - (at < before[d]);
			before[d] = at;
		}
		if (order <= 0) return false;
	}
	return true;
}

/* How many of v[1] to v[n - 1] are not above the one before. */
static int64_t count_descents(const uint8_t *indices, sheaf_type type, int64_t n)
{
	int64_t descents = 0;
	const int32_t *narrow = (const int32_t *)(const void *)indices;
	const int64_t *wide = (const int64_t *)(const void *)indices;
	for (int64_t i = 1; i < n && type == SHEAF_I32; i++) descents += narrow[i] <= narrow[i - 1];
	for (int64_t i = 1; i < n && type == SHEAF_I64; i++) descents += wide[i] <= wide[i - 1];
	return descents;
}

/* Where indices descend, a list must begin: the number of these places must equal the number of lists that
 * begin there. Checks those of [first, first + n), first > 0; *list: any that begins before. */
static bool go_down_at_lists(const sheaf_npz_sparse *s, const sheaf_builder *b, sheaf_type type,
                             int64_t first, int64_t n, int64_t *list)
{
	size_t size = sheaf_type_size(type);
	int64_t descents = count_descents(b->data, type, n + 1), l = *list;
	while (l + 1 < s->npointers && s->pointers[l] < first) l++;
	for (; l + 1 < s->npointers && s->pointers[l] < first + n; l++)
		if (s->pointers[l] < s->pointers[l + 1])
			descents -= count_descents(b->data + (size_t)(s->pointers[l] - first) * size, type, 2);
	*list = l;
	return descents == 0;
}

static sheaf_status look_at_lists(const sheaf_npz_sparse *s, bool *sorted, sheaf_error *err)
{
	enum { STEP = 1 << 16 };
	int64_t count = sheaf_npz_end_of_values(s), list = 0;
	sheaf_type type = sheaf_npz_index_type(s, sheaf_npz_minor(s));
	for (int64_t first = 1; first < count && *sorted; first += STEP) {
		int64_t n = count - first < STEP ? count - first : STEP;
		sheaf_builder b;
		sheaf_builder_begin(&b, s->cx, NULL);
		sheaf_status status = sheaf_check_stop(s->cx, err);
		if (status == SHEAF_OK) status = sheaf_array_indices(&s->first, first - 1, n + 1, type, &b, err);
		*sorted = status == SHEAF_OK && go_down_at_lists(s, &b, type, first, n, &list);
		sheaf_builder_drop(&b);
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

static sheaf_status look_at_coordinates(const sheaf_npz_sparse *s, sheaf_tensor *t, sheaf_error *err)
{
	enum { STEP = 1 << 16 };
	int64_t before[SHEAF_MAX_RANK], count = sheaf_npz_end_of_values(s);
	for (int d = 0; d < SHEAF_MAX_RANK; d++) before[d] = -1;
	for (int64_t first = 0; first < count && t->sorted; first += STEP) {
		sheaf_npz_places p;
		int64_t n = count - first < STEP ? count - first : STEP;
		SHEAF_TRY(sheaf_npz_begin_places(&p, s->rank, n, s->cx, err));
		sheaf_status status = sheaf_npz_place(s, first, n, &p, err);
		t->sorted = status == SHEAF_OK && come_in_order(&p, t, before);
		sheaf_npz_end_places(&p, s->rank, n, s->cx);
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

/* Whether entries come by rows, or by columns, without repetition: SciPy does not promise it. */
static sheaf_status look_for_order(const sheaf_npz_sparse *s, sheaf_tensor *t, sheaf_error *err)
{
	bool lists = s->layout == NPZ_CSR || s->layout == NPZ_CSC;
	for (int d = 0; d < s->rank; d++) t->order[d] = s->layout == NPZ_CSC ? !d : d;
	t->sorted = lists || s->layout == NPZ_COO;
	SHEAF_TRY(lists ? look_at_lists(s, &t->sorted, err) : look_at_coordinates(s, t, err));
	t->unique = t->sorted;
	return SHEAF_OK;
}

sheaf_status sheaf_npz_sparse_schema(sheaf_npz_sparse *s, sheaf_schema *out, sheaf_error *err)
{
	sheaf_field *value;
	*out = (sheaf_schema){.cx = s->cx};
	sheaf_status status =
		sheaf_schema_make_entries(out, s->cx, (sheaf_dimensions){s->rank, s->shape}, &value, err);
	if (status == SHEAF_OK) status = sheaf_array_value_field(&s->data, value, err);
	if (status == SHEAF_OK) status = look_for_order(s, &out->tensor, err);
	for (size_t i = 0; i < 3; i++)
		out->tensor.layout[i] = (char)(sheaf_npz_layouts[s->layout][i] - 'a' + 'A');
	if (status) sheaf_schema_free(out);
	return status;
}

/* ---- rows ---- */

static void store_places(const int64_t *from, int64_t n, sheaf_type type, uint8_t *to)
{
	for (int64_t i = 0; i < n; i++) {
		if (type == SHEAF_I32)
			((int32_t *)(void *)to)[i] = (int32_t)from[i];
		else
			((int64_t *)(void *)to)[i] = from[i];
	}
}

static void put_places(const int64_t *from, int64_t n, sheaf_column_builder *to)
{
	uint64_t size = (uint64_t)n * sheaf_type_size(to->field->type);
	if (!sheaf_builder_room(&to->values, size + 1)) return;
	store_places(from, n, to->field->type, to->values.data);
	to->values.size = (size_t)size;
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
		if (!sheaf_npz_is_inside(s, p, i) || (s->layout == NPZ_DIA && memcmp(value, zeros, size) == 0))
			continue;
		for (int d = 0; d < s->rank; d++) p->at[d][kept] = p->at[d][i];
		kept++;
		sheaf_builder_append(&to->values, value, size);
	}
	p->n = kept;
	sheaf_buffer_reset(&all);
	return SHEAF_OK;
}

/* The first of n indices that is outside the extent; n if there is none. */
static int64_t find_beyond(const uint8_t *indices, sheaf_type type, int64_t n, int64_t extent)
{
	const uint32_t *narrow = (const uint32_t *)(const void *)indices;
	const uint64_t *wide = (const uint64_t *)(const void *)indices;
	uint64_t most = 0;
	uint32_t narrow_most = 0;
	for (int64_t i = 0; i < n && type == SHEAF_I32; i++)
		narrow_most = narrow[i] > narrow_most ? narrow[i] : narrow_most;
	for (int64_t i = 0; i < n && type == SHEAF_I64; i++) most = wide[i] > most ? wide[i] : most;
	if (narrow_most > most) most = narrow_most;
	if (n == 0 || most < (uint64_t)extent) return n;
	int64_t i = 0;
	while ((type == SHEAF_I32 ? narrow[i] : wide[i]) < (uint64_t)extent) i++;
	return i;
}

/* Describes the place of entry `at`, as far as possible. */
static sheaf_status refuse_entry(const sheaf_npz_sparse *s, int64_t at, sheaf_error *err)
{
	sheaf_npz_places p;
	SHEAF_TRY(sheaf_npz_begin_places(&p, s->rank, 1, s->cx, err));
	sheaf_status status = sheaf_npz_place(s, at, 1, &p, err);
	if (status == SHEAF_OK) status = sheaf_npz_refuse_place(s, &p, 0, at, err);
	sheaf_npz_end_places(&p, s->rank, 1, s->cx);
	return status;
}

sheaf_status sheaf_npz_take_indices(const sheaf_npz_sparse *s, int64_t first, int64_t n, bool wide,
                                    sheaf_builder *const to[], sheaf_error *err)
{
	int64_t beyond = n;
	bool coordinates = s->layout == NPZ_COO;
	int minor = sheaf_npz_minor(s);
	for (int d = coordinates ? 0 : minor; d < (coordinates ? s->rank : minor + 1); d++) {
		const sheaf_array *from = coordinates && !s->together && d ? &s->second : &s->first;
		int64_t before = coordinates && s->together ? d * s->data.count : 0;
		sheaf_type type = wide ? SHEAF_I64 : sheaf_npz_index_type(s, d);
		SHEAF_TRY(sheaf_array_indices(from, before + first, n, type, to[d], err));
		beyond = find_beyond(to[d]->data, type, beyond, s->shape[d]);
	}
	return beyond == n ? SHEAF_OK : refuse_entry(s, first + beyond, err);
}

/* The list of each entry. */
static void put_lists(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_type type, sheaf_builder *b)
{
	size_t size = sheaf_type_size(type);
	int64_t list = n ? sheaf_slice_of(s->pointers, s->npointers - 1, first) : 0;
	if (!sheaf_builder_room(b, (uint64_t)n * size + 1)) return;
	int32_t *narrow = (int32_t *)(void *)b->data;
	int64_t *wide = (int64_t *)(void *)b->data;
	for (int64_t i = 0; i < n; list++) {
		int64_t end = s->pointers[list + 1] - first < n ? s->pointers[list + 1] - first : n;
		for (; i < end && type == SHEAF_I32; i++) narrow[i] = (int32_t)list;
		for (; i < end && type == SHEAF_I64; i++) wide[i] = list;
	}
	b->size = (size_t)n * size;
}

/* For layouts whose arrays are columns as they are, or nearly so. */
static sheaf_status make_plain_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                                    int64_t n, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_builder *indices[SHEAF_MAX_RANK];
	int minor = sheaf_npz_minor(s);
	for (int d = 0; d < s->rank; d++) indices[d] = &to->columns[d].values;
	SHEAF_TRY(sheaf_array_values(&s->data, bytes, first, n, &to->columns[s->rank], err));
	SHEAF_TRY(sheaf_npz_take_indices(s, first, n, false, indices, err));
	if (s->layout != NPZ_COO && s->rank > 1)
		put_lists(s, first, n, sheaf_npz_index_type(s, !minor), indices[!minor]);
	to->nrows = n;
	return SHEAF_OK;
}

/* For the others, whose places are made first. */
static sheaf_status make_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                              sheaf_npz_places *p, sheaf_frame_builder *to, sheaf_error *err)
{
	int64_t n = p->n;
	sheaf_column_builder *value = &to->columns[s->rank];
	bool some = s->layout == NPZ_DIA || (s->layout == NPZ_BSR && s->data.fortran);
	SHEAF_TRY(sheaf_array_values(&s->data, bytes, first, n, value, err));
	if (some) SHEAF_TRY(keep_entries(s, p, value, err));
	for (int d = 0; d < s->rank; d++) put_places(p->at[d], p->n, &to->columns[d]);
	to->nrows = p->n;
	return SHEAF_OK;
}

sheaf_status sheaf_npz_sparse_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                                   int64_t n, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_npz_places p;
	int64_t end = sheaf_npz_end_of_values(s), most = first + n <= end ? n : first < end ? end - first : 0;
	if (sheaf_npz_is_plain(s)) return make_plain_rows(s, bytes, first, most, to, err);
	SHEAF_TRY(sheaf_npz_begin_places(&p, s->rank, n, to->cx, err));
	sheaf_status status = sheaf_npz_place(s, first, most, &p, err);
	if (!status) status = make_rows(s, bytes, first, &p, to, err);
	sheaf_npz_end_places(&p, s->rank, n, to->cx);
	return status;
}
