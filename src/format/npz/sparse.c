/* SPDX-License-Identifier: MIT */
/* SciPy's sparse matrices: values, and what says where they are. Blocks and diagonals become entries one by
 * one. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "format/npz/npz.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const sheaf_npz_layouts[NPZ_LAYOUTS] = {"csr", "csc", "bsr", "coo", "dia", "dense"};

bool sheaf_npz_is_sparse(const sheaf_npz_archive *a)
{
	return sheaf_npz_find(a, "format") && sheaf_npz_find(a, "shape") && sheaf_npz_find(a, "data");
}

void sheaf_npz_close_sparse(sheaf_npz_sparse *s)
{
	sheaf_array_close(&s->data);
	sheaf_array_close(&s->first);
	sheaf_array_close(&s->second);
	if (s->pointers) sheaf_release(s->cx, s->pointers, (size_t)s->npointers * sizeof *s->pointers);
	*s = (sheaf_npz_sparse){.cx = NULL};
}

/* ---- members ---- */

static sheaf_status open_array(const sheaf_npz_archive *a, const char *name, int rank, sheaf_array *out,
                               sheaf_error *err)
{
	const sheaf_npz_member *member = sheaf_npz_find(a, name);
	if (!member)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a member %s.npy, found none",
		                  sheaf_source_name(a->source), name);
	SHEAF_TRY(sheaf_npz_open_member(a, member, out, err));
	if (out->rank == rank) return SHEAF_OK;
	sheaf_status status =
		sheaf_fail(err, SHEAF_DATA, "%s, member %s: expected an array of %d dimensions, found %d",
	               sheaf_source_name(a->source), member->name, rank, out->rank);
	sheaf_array_close(out);
	return status;
}

static sheaf_status read_layout(const sheaf_npz_archive *a, sheaf_npz_layout *out, sheaf_error *err)
{
	sheaf_array array = {0};
	sheaf_buffer bytes = {0};
	char word[8] = "";
	size_t n = 0;
	SHEAF_TRY(open_array(a, "format", 0, &array, err));
	const sheaf_part *part = &array.dtype.parts[0];
	size_t step = part->kind == 'U' ? 4 : 1;
	sheaf_status status = sheaf_holding_view(&array.holding, array.data_at, array.dtype.size, &bytes, err);
	for (size_t i = part->swapped ? step - 1 : 0;
	     status == SHEAF_OK && (part->kind == 'S' || part->kind == 'U') && i < bytes.size &&
	     n + 1 < sizeof word;
	     i += step)
		word[n++] = (char)bytes.data[i];
	sheaf_buffer_reset(&bytes);
	sheaf_array_close(&array);
	SHEAF_TRY(status);
	for (int l = 0; l < NPZ_DENSE; l++)
		if (strcmp(word, sheaf_npz_layouts[l]) == 0) {
			*out = (sheaf_npz_layout)l;
			return SHEAF_OK;
		}
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected format csr, csc, bsr, coo or dia, found another",
	                  sheaf_source_name(a->source));
}

static sheaf_status read_shape(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	sheaf_array array = {0};
	const char *file = sheaf_source_name(a->source);
	int most = s->layout == NPZ_COO ? SHEAF_MAX_RANK : 2,
		least = s->layout == NPZ_CSR || s->layout == NPZ_COO ? 1 : 2;
	SHEAF_TRY(open_array(a, "shape", 1, &array, err));
	s->rank = array.count <= most ? (int)array.count : 0;
	sheaf_status status = s->rank >= least
	                          ? sheaf_array_integers(&array, 0, s->rank, s->shape, err)
	                          : sheaf_fail(err, SHEAF_UNSUPPORTED,
	                                       "%s: expected a %s array of %d to %d dimensions, found %" PRId64,
	                                       file, sheaf_npz_layouts[s->layout], least, most, array.count);
	for (int d = 0; d < s->rank && status == SHEAF_OK; d++)
		if (s->shape[d] < 0)
			status = sheaf_fail(err, SHEAF_DATA, "%s: expected a shape of at least 0, found less", file);
	sheaf_array_close(&array);
	return status;
}

static sheaf_status read_pointers(const sheaf_npz_archive *a, const char *name, sheaf_npz_sparse *s,
                                  sheaf_error *err)
{
	sheaf_array array = {0};
	void *memory;
	SHEAF_TRY(open_array(a, name, 1, &array, err));
	sheaf_status status =
		sheaf_allocate_array(s->cx, (uint64_t)array.count, sizeof *s->pointers, &memory, err);
	if (status == SHEAF_OK) {
		s->pointers = (int64_t *)memory;
		s->npointers = array.count;
		status = sheaf_array_integers(&array, 0, array.count, s->pointers, err);
	}
	sheaf_array_close(&array);
	return status;
}

/* ---- what must hold ---- */

static sheaf_status flaw(const sheaf_npz_sparse *s, const char *what, int64_t expected, int64_t found,
                         sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: %s matrix: expected %s %" PRId64 ", found %" PRId64, s->file,
	                  sheaf_npz_layouts[s->layout], what, expected, found);
}

/* Pointers begin with 0, never decrease, and end within the indices. `lists`: rows, columns or rows of
 * blocks. */
static sheaf_status check_pointers(const sheaf_npz_sparse *s, int64_t lists, sheaf_error *err)
{
	if (lists == INT64_MAX || s->npointers != lists + 1)
		return flaw(s, "as many pointers as", lists + (lists < INT64_MAX), s->npointers, err);
	if (s->pointers[0] != 0) return flaw(s, "a first pointer of", 0, s->pointers[0], err);
	for (int64_t i = 0; i < lists; i++)
		if (s->pointers[i + 1] < s->pointers[i])
			return flaw(s, "a pointer of at least", s->pointers[i], s->pointers[i + 1], err);
	if (s->pointers[lists] > s->first.count)
		return flaw(s, "a last pointer of at most", s->first.count, s->pointers[lists], err);
	return SHEAF_OK;
}

static sheaf_status open_compressed(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	SHEAF_TRY(open_array(a, "indices", 1, &s->first, err));
	SHEAF_TRY(open_array(a, "indptr", 1, &s->second, err)); /* opened for its messages; read once */
	sheaf_array_close(&s->second);
	s->second = (sheaf_array){.cx = NULL};
	SHEAF_TRY(read_pointers(a, "indptr", s, err));
	int64_t lists = s->layout == NPZ_CSC ? s->shape[1] : s->rank == 1 ? 1 : s->shape[0];
	if (s->layout == NPZ_BSR) {
		s->height = s->data.shape[1];
		s->width = s->data.shape[2];
		if (s->height < 1 || s->width < 1 || s->shape[0] % s->height || s->shape[1] % s->width)
			return flaw(s, "blocks that the shape is made of, not of height", s->shape[0], s->height, err);
		lists /= s->height;
		if (s->data.shape[0] != s->first.count)
			return flaw(s, "as many indices as blocks,", s->data.shape[0], s->first.count, err);
	} else if (s->data.count != s->first.count) {
		return flaw(s, "as many indices as values,", s->data.count, s->first.count, err);
	}
	return check_pointers(s, lists, err);
}

static sheaf_status open_diagonals(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	SHEAF_TRY(read_pointers(a, "offsets", s, err));
	s->width = s->data.shape[1];
	if (s->npointers != s->data.shape[0])
		return flaw(s, "as many offsets as diagonals,", s->data.shape[0], s->npointers, err);
	return SHEAF_OK;
}

/* Rows and columns, or the coordinates of all dimensions in one array. */
static sheaf_status open_coordinates(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	s->together = s->rank != 2 || sheaf_npz_find(a, "coords");
	if (s->together) {
		SHEAF_TRY(open_array(a, "coords", 2, &s->first, err));
		if (s->first.shape[0] != s->rank)
			return flaw(s, "coordinates of as many dimensions as", s->rank, s->first.shape[0], err);
		return s->first.shape[1] == s->data.count
		           ? SHEAF_OK
		           : flaw(s, "as many coordinates as values,", s->data.count, s->first.shape[1], err);
	}
	SHEAF_TRY(open_array(a, "row", 1, &s->first, err));
	SHEAF_TRY(open_array(a, "col", 1, &s->second, err));
	if (s->first.count != s->data.count)
		return flaw(s, "as many rows as values,", s->data.count, s->first.count, err);
	return s->second.count == s->data.count
	           ? SHEAF_OK
	           : flaw(s, "as many columns as values,", s->data.count, s->second.count, err);
}

sheaf_status sheaf_npz_open_sparse(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	*s = (sheaf_npz_sparse){.cx = a->cx, .file = sheaf_source_name(a->source), .height = 1, .width = 1};
	SHEAF_TRY(read_layout(a, &s->layout, err));
	SHEAF_TRY(read_shape(a, s, err));
	SHEAF_TRY(open_array(a, "data", s->layout == NPZ_BSR ? 3 : s->layout == NPZ_DIA ? 2 : 1, &s->data, err));
	if (s->layout == NPZ_COO) return open_coordinates(a, s, err);
	return s->layout == NPZ_DIA ? open_diagonals(a, s, err) : open_compressed(a, s, err);
}

/* ---- places ---- */

/* By rows or columns, or by coordinates each dimension of which is an array. */
bool sheaf_npz_is_plain(const sheaf_npz_sparse *s)
{
	if (s->layout == NPZ_COO) return !s->together || !s->first.fortran;
	return s->layout == NPZ_CSR || s->layout == NPZ_CSC;
}

/* Of csr and csc, the dimension of which there are indices. */
int sheaf_npz_minor(const sheaf_npz_sparse *s) { return s->rank == 1 || s->layout == NPZ_CSC ? 0 : 1; }

sheaf_type sheaf_npz_index_type(const sheaf_npz_sparse *s, int d)
{
	return s->shape[d] > INT32_MAX ? SHEAF_I64 : SHEAF_I32;
}

/* The list that item `at` of the indices is in: the last that does not begin after it. */
static int64_t find_list(const sheaf_npz_sparse *s, int64_t at)
{
	int64_t low = 0, high = s->npointers - 1;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (s->pointers[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Values after the last pointer belong to nothing; those of blocks by columns are reported one by one. */
int64_t sheaf_npz_end_of_values(const sheaf_npz_sparse *s)
{
	bool compressed = s->layout == NPZ_CSR || s->layout == NPZ_CSC || s->layout == NPZ_BSR;
	if (s->layout == NPZ_BSR && s->data.fortran) return s->data.count;
	return compressed ? s->pointers[s->npointers - 1] * s->height * s->width : s->data.count;
}

typedef struct places {
	int64_t *at[SHEAF_MAX_RANK]; /* coordinates, dimension by dimension */
	int64_t n;                   /* how many stand */
} places;

static sheaf_status place_compressed(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p,
                                     sheaf_error *err)
{
	int minor = sheaf_npz_minor(s);
	int64_t *major = s->rank == 1 ? NULL : p->at[!minor];
	SHEAF_TRY(sheaf_array_integers(&s->first, first, n, p->at[minor], err));
	int64_t list = n ? find_list(s, first) : 0;
	for (int64_t i = 0; i < n && major; i++) {
		while (s->pointers[list + 1] <= first + i) list++;
		major[i] = list;
	}
	return SHEAF_OK;
}

/* Item `at` of the blocks: which block it is in, and where in that. */
static void find_in_blocks(const sheaf_npz_sparse *s, int64_t at, int64_t *block, int64_t *row,
                           int64_t *column)
{
	int64_t size = s->height * s->width, blocks = s->data.shape[0];
	*block = s->data.fortran ? at % blocks : at / size;
	*row = s->data.fortran ? at / blocks % s->height : at % size / s->width;
	*column = s->data.fortran ? at / blocks / s->height : at % s->width;
}

static sheaf_status place_blocks(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p,
                                 sheaf_error *err)
{
	int64_t column = 0, before = -1, list = 0, used = s->pointers[s->npointers - 1];
	for (int64_t i = 0; i < n; i++) {
		int64_t block, row, inside;
		find_in_blocks(s, first + i, &block, &row, &inside);
		if (block >= used) {
			p->at[0][i] = p->at[1][i] = -1; /* by columns, blocks that are not used stand among the others */
			continue;
		}
		if (block != before) {
			SHEAF_TRY(sheaf_array_integers(&s->first, block, 1, &column, err));
			if (column < 0 || column >= s->shape[1] / s->width)
				return flaw(s, "an index of a block below", s->shape[1] / s->width, column, err);
			list = find_list(s, block);
			before = block;
		}
		p->at[0][i] = list * s->height + row;
		p->at[1][i] = column * s->width + inside;
	}
	return SHEAF_OK;
}

static void place_diagonals(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t at = first + i, column = s->data.fortran ? at / s->npointers : at % s->width;
		p->at[1][i] = column;
		int64_t offset = s->pointers[s->data.fortran ? at % s->npointers : at / s->width];
		/* A diagonal may lie outside of the matrix, as far as it likes. */
		if (__builtin_sub_overflow(column, offset, &p->at[0][i])) p->at[0][i] = -1;
	}
}

static sheaf_status place_coordinates(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p,
                                      sheaf_error *err)
{
	if (!s->together) {
		SHEAF_TRY(sheaf_array_integers(&s->first, first, n, p->at[0], err));
		return sheaf_array_integers(&s->second, first, n, p->at[1], err);
	}
	for (int d = 0; d < s->rank; d++) {
		if (!s->first.fortran) {
			SHEAF_TRY(sheaf_array_integers(&s->first, d * s->data.count + first, n, p->at[d], err));
			continue;
		}
		for (int64_t i = 0; i < n; i++)
			SHEAF_TRY(sheaf_array_integers(&s->first, (first + i) * s->rank + d, 1, &p->at[d][i], err));
	}
	return SHEAF_OK;
}

static sheaf_status place(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p, sheaf_error *err)
{
	p->n = n;
	switch (s->layout) {
	case NPZ_COO: return place_coordinates(s, first, n, p, err);
	case NPZ_DIA: place_diagonals(s, first, n, p); return SHEAF_OK;
	case NPZ_BSR: return place_blocks(s, first, n, p, err);
	default: return place_compressed(s, first, n, p, err);
	}
}

static bool is_inside(const sheaf_npz_sparse *s, const places *p, int64_t i)
{
	bool inside = true;
	for (int d = 0; d < s->rank; d++) inside &= p->at[d][i] >= 0 && p->at[d][i] < s->shape[d];
	return inside;
}

static sheaf_status refuse_place(const sheaf_npz_sparse *s, const places *p, int64_t i, int64_t first,
                                 sheaf_error *err)
{
	char shape[SHEAF_MAX_RANK * 24] = "", found[SHEAF_MAX_RANK * 24] = "";
	size_t a = 0, b = 0;
	for (int d = 0; d < s->rank; d++) {
		a += (size_t)snprintf(shape + a, sizeof shape - a, "%s%" PRId64, d ? " x " : "", s->shape[d]);
		b += (size_t)snprintf(found + b, sizeof found - b, "%s%" PRId64, d ? "," : "", p->at[d][i]);
	}
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: %s matrix, entry %" PRId64 ": expected a place inside of %s, found (%s)", s->file,
	                  sheaf_npz_layouts[s->layout], first + i, shape, found);
}

static sheaf_status check_places(const sheaf_npz_sparse *s, const places *p, int64_t first, sheaf_error *err)
{
	for (int64_t i = 0; i < p->n; i++)
		if (!is_inside(s, p, i)) return refuse_place(s, p, i, first, err);
	return SHEAF_OK;
}

/* ---- the schema ---- */

static sheaf_status begin_places(places *p, int rank, int64_t n, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	*p = (places){.n = 0};
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)n, (size_t)rank * sizeof(int64_t), &memory, err));
	for (int d = 0; d < rank; d++) p->at[d] = (int64_t *)memory + d * n;
	return SHEAF_OK;
}

static void end_places(places *p, int rank, int64_t n, sheaf_context *cx)
{
	sheaf_release(cx, p->at[0], (size_t)n * (size_t)rank * sizeof(int64_t));
}

/* Whether the entries come in the tensor's order, none twice, after the one before. */
static bool come_in_order(const places *p, const sheaf_tensor *t, int64_t *before)
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

/* Where indices go down, a list must begin: there are as many such places as lists that begin so. Looks at
 * those of [first, first + n), first > 0; *list: any that begins before. */
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
	for (int d = 0; d < s->rank; d++) before[d] = -1;
	for (int64_t first = 0; first < count && t->sorted; first += STEP) {
		places p;
		int64_t n = count - first < STEP ? count - first : STEP;
		SHEAF_TRY(begin_places(&p, s->rank, n, s->cx, err));
		sheaf_status status = place(s, first, n, &p, err);
		t->sorted = status == SHEAF_OK && come_in_order(&p, t, before);
		end_places(&p, s->rank, n, s->cx);
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

/* Whether entries come by rows, or by columns, none twice: SciPy does not promise it. */
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
	sheaf_status status = sheaf_schema_make_entries(out, s->cx, s->rank, s->shape, NULL, &value, err);
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

/* Zeros of diagonals, and what stands outside of the matrix, are no entries. Values are copied, since others
 * may look at them. */
static sheaf_status keep_entries(const sheaf_npz_sparse *s, places *p, sheaf_column_builder *to,
                                 sheaf_error *err)
{
	static const uint8_t zeros[16];
	size_t size = sheaf_type_size(to->field->type) * (to->field->meaning == SHEAF_COMPLEX ? 2 : 1);
	sheaf_buffer all = {0};
	int64_t kept = 0;
	SHEAF_TRY(sheaf_builder_finish(&to->values, &all, err));
	for (int64_t i = 0; i < p->n; i++) {
		const uint8_t *value = all.data + (size_t)i * size;
		if (!is_inside(s, p, i) || (s->layout == NPZ_DIA && memcmp(value, zeros, size) == 0)) continue;
		for (int d = 0; d < s->rank; d++) p->at[d][kept] = p->at[d][i];
		kept++;
		sheaf_builder_append(&to->values, value, size);
	}
	p->n = kept;
	sheaf_buffer_reset(&all);
	return SHEAF_OK;
}

/* The first of n indices that is not one of the extent; n where all are. */
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

/* Says where entry `at` is, as far as that can be said. */
static sheaf_status refuse_entry(const sheaf_npz_sparse *s, int64_t at, sheaf_error *err)
{
	places p;
	SHEAF_TRY(begin_places(&p, s->rank, 1, s->cx, err));
	sheaf_status status = place(s, at, 1, &p, err);
	if (status == SHEAF_OK) status = refuse_place(s, &p, 0, at, err);
	end_places(&p, s->rank, 1, s->cx);
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

/* Which list each entry is in. */
static void put_lists(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_type type, sheaf_builder *b)
{
	size_t size = sheaf_type_size(type);
	int64_t list = n ? find_list(s, first) : 0;
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

/* Of layouts whose arrays are columns as they stand, or nearly so. */
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

static sheaf_status make_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first, int64_t n,
                              places *p, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_column_builder *value = &to->columns[s->rank];
	bool some = s->layout == NPZ_DIA || (s->layout == NPZ_BSR && s->data.fortran);
	SHEAF_TRY(place(s, first, n, p, err));
	SHEAF_TRY(sheaf_array_values(&s->data, bytes, first, n, value, err));
	SHEAF_TRY(some ? keep_entries(s, p, value, err) : check_places(s, p, first, err));
	for (int d = 0; d < s->rank; d++) put_places(p->at[d], p->n, &to->columns[d]);
	to->nrows = p->n;
	return SHEAF_OK;
}

sheaf_status sheaf_npz_sparse_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                                   int64_t n, sheaf_frame_builder *to, sheaf_error *err)
{
	places p;
	int64_t end = sheaf_npz_end_of_values(s), most = first + n <= end ? n : first < end ? end - first : 0;
	if (sheaf_npz_is_plain(s)) return make_plain_rows(s, bytes, first, most, to, err);
	SHEAF_TRY(begin_places(&p, s->rank, n, to->cx, err));
	sheaf_status status = make_rows(s, bytes, first, most, &p, to, err);
	end_places(&p, s->rank, n, to->cx);
	return status;
}
