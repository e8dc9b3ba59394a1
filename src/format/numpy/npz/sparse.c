/* SPDX-License-Identifier: MIT */
/* Opening SciPy's sparse matrices: values, and the arrays that give their places.
 *
 *   csr, csc   data, indices, indptr: indptr[i] is where row (column) i begins among the other two
 *   bsr        the same for blocks; data has three dimensions: blocks, and height and width of each
 *   coo        data, row, col; or coords, of one row for each dimension, which sparse arrays have
 *   dia        data, of one row for each diagonal; offsets: of each, its distance above the main diagonal
 *
 * All have `format`, the name of the layout, and `shape`. SciPy's matrices are what sparse/sparse.h calls
 * stored levels, whose checks are then shared: pointers are compared with the number of indices when they are
 * taken, indices with the shape as they are used. */
#include "base/buffer.h"
#include "format/numpy/npz/npz.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const sheaf_npz_layouts[NPZ_LAYOUTS] = {"csr", "csc", "bsr", "coo", "dia", "dense"};

bool sheaf_npz_is_sparse(const sheaf_zip *a)
{
	return sheaf_npz_find(a, "format") && sheaf_npz_find(a, "shape") && sheaf_npz_find(a, "data");
}

void sheaf_npz_close_sparse(sheaf_npz_sparse *s)
{
	sheaf_sparse_close(&s->sparse);
	sheaf_array_close(&s->data);
	sheaf_array_close(&s->first);
	sheaf_array_close(&s->second);
	*s = (sheaf_npz_sparse){.layout = NPZ_CSR};
}

/* ---- members ---- */

/* Opens the member `name`, which the layout needs, as an array that must have `rank` dimensions. *out is
 * closed after an error. */
static sheaf_status open_array(const sheaf_zip *a, const char *name, int rank, sheaf_array *out,
                               sheaf_error *err)
{
	const sheaf_zip_member *member = sheaf_npz_find(a, name);
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

/* Reads the name of SciPy's layout from the member `format`, an array of rank 0 whose item is a text. A
 * byte string has one byte for each letter, a NumPy text ('U') has four; of these the first one has the
 * letter if the file is little-endian, and the last one if it is big-endian. */
static sheaf_status read_layout(const sheaf_zip *a, sheaf_npz_layout *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	char name[8] = "";
	size_t n = 0;
	SHEAF_TRY(open_array(a, "format", 0, &array, err));
	const sheaf_part *part = &array.dtype.parts[0];
	size_t step = part->kind == 'U' ? 4 : 1;
	SHEAF_TRY(sheaf_holding_view(&array.holding, array.data_at, array.dtype.size, &bytes, err));
	bool is_text = part->kind == 'S' || part->kind == 'U';
	for (size_t i = part->swapped ? step - 1 : 0; is_text && i < bytes.size && n + 1 < sizeof name; i += step)
		name[n++] = (char)bytes.data[i];
	for (int l = 0; l < NPZ_DENSE; l++)
		if (strcmp(name, sheaf_npz_layouts[l]) == 0) {
			*out = (sheaf_npz_layout)l;
			return SHEAF_OK;
		}
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected format csr, csc, bsr, coo or dia, found \"%s\"",
	                  sheaf_source_name(a->source), name);
}

sheaf_status sheaf_npz_flaw(const sheaf_npz_sparse *s, const char *what, int64_t expected, int64_t found,
                            sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: %s matrix: expected %s %" PRId64 ", found %" PRId64, s->where,
	                  sheaf_npz_layouts[s->layout], what, expected, found);
}

static sheaf_status check_equal(const sheaf_npz_sparse *s, const char *what, int64_t expected, int64_t found,
                                sheaf_error *err)
{
	return found == expected ? SHEAF_OK : sheaf_npz_flaw(s, what, expected, found, err);
}

/* Reads the extents of the matrix from the member `shape`, and sets up the levels for that rank. SciPy's
 * matrices have two dimensions; its sparse arrays may have 1 in csr, and 1 up to SHEAF_MAX_RANK in coo. */
static sheaf_status read_shape(const sheaf_zip *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {0};
	bool coordinates = s->layout == NPZ_COO;
	int most = coordinates ? SHEAF_MAX_RANK : 2, least = s->layout == NPZ_CSR || coordinates ? 1 : 2;
	SHEAF_TRY(open_array(a, "shape", 1, &array, err));
	int rank = array.count <= most ? (int)array.count : 0;
	if (coordinates)
		sheaf_levels_of_coordinates(&s->levels, rank);
	else
		sheaf_levels_of_lists(&s->levels, rank, s->layout == NPZ_CSC);
	if (rank < least)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a %s array of %s%d dimensions, found %" PRId64, s->where,
		                  sheaf_npz_layouts[s->layout],
		                  least == most ? ""
		                  : most == 2   ? "1 or "
		                                : "1 to ",
		                  most, array.count);
	SHEAF_TRY(sheaf_array_integers(&array, 0, rank, s->shape, err));
	for (int d = 0; d < rank; d++)
		if (s->shape[d] < 0) return sheaf_npz_flaw(s, "extents of at least", 0, s->shape[d], err);
	return SHEAF_OK;
}

/* ---- arrays of levels ---- */

/* An array of whole numbers, `count` of them, as one of the levels. */
static void store(const sheaf_array *array, const char *name, int64_t count, sheaf_stored_array *out)
{
	const sheaf_part *part = &array->dtype.parts[0];
	*out = (sheaf_stored_array){
		.at = array, .count = count, .is_unsigned = part->kind == 'u' && part->size == sizeof(uint64_t)};
	snprintf(out->name, sizeof out->name, "%s", name);
}

static sheaf_status find_numbers(const sheaf_zip *a, const char *name, sheaf_array *array,
                                 sheaf_stored_array *out, sheaf_error *err)
{
	SHEAF_TRY(open_array(a, name, 1, array, err));
	store(array, name, array->count, out);
	return SHEAF_OK;
}

/* Appends numbers `run` of an array of levels as indices of a type. Coordinates in one array
 * (s->together) have those of each dimension one after the other, unless it is by columns: then those of
 * an entry are together. */
static sheaf_status read_numbers(const sheaf_sparse *sparse, const sheaf_stored_array *a, sheaf_run run,
                                 sheaf_type type, sheaf_builder *to, sheaf_error *err)
{
	const sheaf_npz_sparse *s = (const sheaf_npz_sparse *)sparse;
	const sheaf_array *array = (const sheaf_array *)a->at;
	int64_t n = sheaf_run_length(run), d = a - s->indices;
	if (!s->together) return sheaf_array_indices(array, run.begin, n, type, to, err);
	if (!array->fortran) return sheaf_array_indices(array, d * s->data.count + run.begin, n, type, to, err);
	for (int64_t i = run.begin; i < run.end; i++)
		SHEAF_TRY(sheaf_array_indices(array, i * s->levels.rank + d, 1, type, to, err));
	return SHEAF_OK;
}

/* ---- layouts ---- */

/* Opens the arrays of csr, csc and bsr: `indices`, one for each value or block, and `indptr`, the
 * pointers of the last level, which say where each row (column, row of blocks) begins among the indices.
 * For bsr, the height and the width of blocks come from `data` and must divide the shape, and the level
 * has as many rows as there are rows of blocks. Values after the last pointer are allowed, and belong to
 * nothing. */
static sheaf_status open_compressed(const sheaf_zip *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	int l = s->levels.nlevels - 1;
	bool blocks = s->layout == NPZ_BSR;
	s->counts[0] = 1;
	if (l > 0) s->counts[1] = sheaf_sparse_extent(&s->sparse, 0);
	SHEAF_TRY(find_numbers(a, "indices", &s->first, &s->indices[l], err));
	SHEAF_TRY(find_numbers(a, "indptr", &s->second, &s->pointers[l], err));
	if (blocks) {
		s->height = s->data.shape[1];
		s->width = s->data.shape[2];
		if (s->height < 1 || s->shape[0] % s->height)
			return sheaf_npz_flaw(s, "blocks of a height that divides", s->shape[0], s->height, err);
		if (s->width < 1 || s->shape[1] % s->width)
			return sheaf_npz_flaw(s, "blocks of a width that divides", s->shape[1], s->width, err);
		s->counts[1] /= s->height;
	}
	SHEAF_TRY(check_equal(s, blocks ? "as many indices as blocks," : "as many indices as values,",
	                      blocks ? s->data.shape[0] : s->data.count, s->first.count, err));
	return sheaf_sparse_take_pointers(&s->sparse, l, err);
}

static sheaf_status open_diagonals(const sheaf_zip *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	sheaf_stored_array *offsets = &s->pointers[0];
	SHEAF_TRY(find_numbers(a, "offsets", &s->second, offsets, err));
	s->width = s->data.shape[1];
	SHEAF_TRY(check_equal(s, "as many offsets as diagonals,", s->data.shape[0], offsets->count, err));
	return sheaf_stored_i64(&s->sparse, offsets, (sheaf_run){0, offsets->count}, s->cx, &offsets->held, err);
}

/* Opens the coordinates of a coo matrix: a member `coords` with a row for each dimension, which SciPy's
 * sparse arrays have, or the members `row` and `col` of its matrices. Each must have as many coordinates
 * as there are values. */
static sheaf_status open_coordinates(const sheaf_zip *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	int64_t n = s->data.count;
	int rank = s->levels.rank;
	s->counts[0] = 1;
	s->counts[1] = n;
	s->together = rank != 2 || sheaf_npz_find(a, "coords");
	if (s->together) {
		SHEAF_TRY(open_array(a, "coords", 2, &s->first, err));
		SHEAF_TRY(check_equal(s, "coordinates of as many dimensions as", rank, s->first.shape[0], err));
		for (int d = 0; d < rank; d++) {
			char name[32];
			snprintf(name, sizeof name, "coords[%d]", d);
			store(&s->first, name, n, &s->indices[d]);
		}
		return check_equal(s, "as many coordinates as values,", n, s->first.shape[1], err);
	}
	SHEAF_TRY(find_numbers(a, "row", &s->first, &s->indices[0], err));
	SHEAF_TRY(find_numbers(a, "col", &s->second, &s->indices[1], err));
	SHEAF_TRY(check_equal(s, "as many rows as values,", n, s->first.count, err));
	return check_equal(s, "as many columns as values,", n, s->second.count, err);
}

/* Opens a sparse matrix of SciPy: layout, shape, values, and the arrays that the layout needs. The caller
 * closes *s in any case. */
sheaf_status sheaf_npz_open_sparse(const sheaf_zip *a, sheaf_npz_sparse *s, sheaf_error *err)
{
	*s = (sheaf_npz_sparse){.height = 1, .width = 1};
	s->cx = a->cx;
	s->where = sheaf_source_name(a->source);
	s->read = read_numbers;
	SHEAF_TRY(read_layout(a, &s->layout, err));
	SHEAF_TRY(read_shape(a, s, err));
	SHEAF_TRY(open_array(a, "data", s->layout == NPZ_BSR ? 3 : s->layout == NPZ_DIA ? 2 : 1, &s->data, err));
	if (s->layout == NPZ_COO) return open_coordinates(a, s, err);
	return s->layout == NPZ_DIA ? open_diagonals(a, s, err) : open_compressed(a, s, err);
}

bool sheaf_npz_is_plain(const sheaf_npz_sparse *s)
{
	if (s->layout == NPZ_COO) return !s->together || !s->first.fortran;
	return s->layout == NPZ_CSR || s->layout == NPZ_CSC;
}
