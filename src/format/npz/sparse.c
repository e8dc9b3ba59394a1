/* SPDX-License-Identifier: MIT */
/* Opening SciPy's sparse matrices: values, and the arrays that give their places. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "format/npz/places.h"
#include "io/source.h"
#include <inttypes.h>
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

/* ---- checks ---- */

sheaf_status sheaf_npz_flaw(const sheaf_npz_sparse *s, const char *what, int64_t expected, int64_t found,
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
		return sheaf_npz_flaw(s, "as many pointers as", lists + (lists < INT64_MAX), s->npointers, err);
	if (s->pointers[0] != 0) return sheaf_npz_flaw(s, "a first pointer of", 0, s->pointers[0], err);
	for (int64_t i = 0; i < lists; i++)
		if (s->pointers[i + 1] < s->pointers[i])
			return sheaf_npz_flaw(s, "a pointer of at least", s->pointers[i], s->pointers[i + 1], err);
	if (s->pointers[lists] > s->first.count)
		return sheaf_npz_flaw(s, "a last pointer of at most", s->first.count, s->pointers[lists], err);
	return SHEAF_OK;
}

static sheaf_status open_compressed(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	SHEAF_TRY(open_array(a, "indices", 1, &s->first, err));
	SHEAF_TRY(open_array(a, "indptr", 1, &s->second, err)); /* opened early for its messages; read once */
	sheaf_array_close(&s->second);
	s->second = (sheaf_array){.cx = NULL};
	SHEAF_TRY(read_pointers(a, "indptr", s, err));
	int64_t lists = s->layout == NPZ_CSC ? s->shape[1] : s->rank == 1 ? 1 : s->shape[0];
	if (s->layout == NPZ_BSR) {
		s->height = s->data.shape[1];
		s->width = s->data.shape[2];
		if (s->height < 1 || s->shape[0] % s->height)
			return sheaf_npz_flaw(s, "blocks of a height that divides", s->shape[0], s->height, err);
		if (s->width < 1 || s->shape[1] % s->width)
			return sheaf_npz_flaw(s, "blocks of a width that divides", s->shape[1], s->width, err);
		lists /= s->height;
		if (s->data.shape[0] != s->first.count)
			return sheaf_npz_flaw(s, "as many indices as blocks,", s->data.shape[0], s->first.count, err);
	} else if (s->data.count != s->first.count) {
		return sheaf_npz_flaw(s, "as many indices as values,", s->data.count, s->first.count, err);
	}
	return check_pointers(s, lists, err);
}

static sheaf_status open_diagonals(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	SHEAF_TRY(read_pointers(a, "offsets", s, err));
	s->width = s->data.shape[1];
	if (s->npointers != s->data.shape[0])
		return sheaf_npz_flaw(s, "as many offsets as diagonals,", s->data.shape[0], s->npointers, err);
	return SHEAF_OK;
}

/* Rows and columns, or the coordinates of all dimensions in one array. */
static sheaf_status open_coordinates(const sheaf_npz_archive *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	s->together = s->rank != 2 || sheaf_npz_find(a, "coords");
	if (s->together) {
		SHEAF_TRY(open_array(a, "coords", 2, &s->first, err));
		if (s->first.shape[0] != s->rank)
			return sheaf_npz_flaw(s, "coordinates of as many dimensions as", s->rank, s->first.shape[0], err);
		return s->first.shape[1] == s->data.count ? SHEAF_OK
		                                          : sheaf_npz_flaw(s, "as many coordinates as values,",
		                                                           s->data.count, s->first.shape[1], err);
	}
	SHEAF_TRY(open_array(a, "row", 1, &s->first, err));
	SHEAF_TRY(open_array(a, "col", 1, &s->second, err));
	if (s->first.count != s->data.count)
		return sheaf_npz_flaw(s, "as many rows as values,", s->data.count, s->first.count, err);
	return s->second.count == s->data.count
	           ? SHEAF_OK
	           : sheaf_npz_flaw(s, "as many columns as values,", s->data.count, s->second.count, err);
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

/* ---- what it is ---- */

/* By rows or columns, or by coordinates with an array for each dimension. */
bool sheaf_npz_is_plain(const sheaf_npz_sparse *s)
{
	if (s->layout == NPZ_COO) return !s->together || !s->first.fortran;
	return s->layout == NPZ_CSR || s->layout == NPZ_CSC;
}

/* For csr and csc, the dimension that has indices. */
int sheaf_npz_minor(const sheaf_npz_sparse *s) { return s->rank == 1 || s->layout == NPZ_CSC ? 0 : 1; }

sheaf_type sheaf_npz_index_type(const sheaf_npz_sparse *s, int d)
{
	return s->shape[d] > INT32_MAX ? SHEAF_I64 : SHEAF_I32;
}

/* Values after the last pointer belong to nothing; for blocks by columns they are reported one by one. */
int64_t sheaf_npz_end_of_values(const sheaf_npz_sparse *s)
{
	bool compressed = s->layout == NPZ_CSR || s->layout == NPZ_CSC || s->layout == NPZ_BSR;
	if (s->layout == NPZ_BSR && s->data.fortran) return s->data.count;
	return compressed ? s->pointers[s->npointers - 1] * s->height * s->width : s->data.count;
}
