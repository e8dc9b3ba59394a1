/* SPDX-License-Identifier: MIT */
/* NumPy's archives: a ZIP file with an array in each member, from which SciPy's save_npz makes sparse
 * matrices.
 *
 *   archive.c      members that are arrays         sparse.c       SciPy's layouts, opened
 *   format.c       the table entry and reading     sparse_rows.c  their entries as rows
 *   sequences and tables: streams.h                writing: writer.h */
#ifndef SHEAF_FORMAT_NUMPY_NPZ_NPZ_H
#define SHEAF_FORMAT_NUMPY_NPZ_NPZ_H

#include "container/zip/zip.h"
#include "format/numpy/array.h"
#include "sparse/sparse.h"

/* ---- archive.c ---- */

/* The array of this name, with or without ".npy"; NULL if there is none. */
const sheaf_zip_member *sheaf_npz_find(const sheaf_zip *archive, const char *name);
bool sheaf_npz_is_array(const sheaf_zip_member *member);
/* Opens a member as an array, after checking its checksum; the array borrows the archive. */
SHEAF_USE sheaf_status sheaf_npz_open_member(const sheaf_zip *archive, const sheaf_zip_member *member,
                                             sheaf_array *out, sheaf_error *err);

/* ---- sparse.c ---- */

/* Those of SciPy, and a single array. */
typedef enum sheaf_npz_layout {
	NPZ_CSR,
	NPZ_CSC,
	NPZ_BSR,
	NPZ_COO,
	NPZ_DIA,
	NPZ_DENSE,
	NPZ_LAYOUTS
} sheaf_npz_layout;
extern const char *const sheaf_npz_layouts[NPZ_LAYOUTS];

/* Of blocks, the levels are those of the blocks; the offsets of diagonals are in the place of pointers. */
typedef struct sheaf_npz_sparse {
	SHEAF_BASE(sheaf_sparse, sparse);
	sheaf_npz_layout layout;
	sheaf_array data, first, second; /* values; indices, or rows and columns, or all coordinates in `first` */
	bool together;                   /* the latter: those of each dimension one after the other */
	int64_t height, width;           /* of a block; for a diagonal, width */
} sheaf_npz_sparse;

/* Whether the archive is one of save_npz. */
bool sheaf_npz_is_sparse(const sheaf_zip *archive);
SHEAF_USE sheaf_status sheaf_npz_open_sparse(const sheaf_zip *archive, sheaf_npz_sparse *out,
                                             sheaf_error *err);
void sheaf_npz_close_sparse(sheaf_npz_sparse *sparse);
/* DATA: a number has a wrong value. */
sheaf_status sheaf_npz_flaw(const sheaf_npz_sparse *sparse, const char *what, int64_t expected, int64_t found,
                            sheaf_error *err);
/* Whether it can be one row: csr, csc and coo, whose arrays are those of levels. */
bool sheaf_npz_is_plain(const sheaf_npz_sparse *sparse);

/* ---- sparse_rows.c ---- */

/* As entries, or as one row. */
SHEAF_USE sheaf_status sheaf_npz_sparse_schema(const sheaf_npz_sparse *sparse, bool whole, sheaf_schema *out,
                                               sheaf_error *err);
/* Entries of items [first, first + n) of the values, whose bytes are given. */
SHEAF_USE sheaf_status sheaf_npz_sparse_rows(const sheaf_npz_sparse *sparse, const sheaf_buffer *bytes,
                                             int64_t first, int64_t n, sheaf_frame_builder *to,
                                             sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npz_whole_row(const sheaf_npz_sparse *sparse, sheaf_frame_builder *to,
                                           sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_npz_writing;

#endif
