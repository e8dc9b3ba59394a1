/* SPDX-License-Identifier: MIT */
/* NumPy's archives: a ZIP file with an array in each member, from which SciPy's save_npz makes sparse
 * matrices.
 *
 *   archive.c      members that are arrays            sparse.c       SciPy's layouts, opened
 *   format.c       the table entry and reading     places.c       where their entries are
 *   sparse_rows.c  entries as rows                 whole.c        all of them as one row
 *   sequences and tables: streams.h                writing: writer.h */
#ifndef SHEAF_FORMAT_NPZ_NPZ_H
#define SHEAF_FORMAT_NPZ_NPZ_H

#include "array/array.h"
#include "io/zip.h"

/* ---- archive.c ---- */

typedef sheaf_zip_member sheaf_npz_member;
typedef sheaf_zip sheaf_npz_archive;

static inline SHEAF_USE sheaf_status sheaf_npz_open_archive(sheaf_npz_archive *archive, sheaf_source *source,
                                                            sheaf_context *cx, sheaf_error *err)
{
	return sheaf_zip_open(archive, source, cx, err);
}
static inline void sheaf_npz_close_archive(sheaf_npz_archive *archive) { sheaf_zip_close(archive); }
/* The array of this name, with or without ".npy"; NULL if there is none. */
const sheaf_npz_member *sheaf_npz_find(const sheaf_npz_archive *archive, const char *name);
bool sheaf_npz_is_array(const sheaf_npz_member *member);
/* Opens a member as an array, after checking its checksum; the array borrows the archive. */
SHEAF_USE sheaf_status sheaf_npz_open_member(const sheaf_npz_archive *archive, const sheaf_npz_member *member,
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

typedef struct sheaf_npz_sparse {
	sheaf_context *cx;
	const char *file; /* for messages */
	sheaf_npz_layout layout;
	int rank;
	int64_t shape[SHEAF_MAX_RANK];
	sheaf_array data, first, second; /* values; indices, or rows and columns, or all coordinates in `first` */
	bool together;                   /* the latter: those of each dimension one after the other */
	int64_t *pointers, npointers;    /* of rows or columns; for diagonals their offsets */
	int64_t height, width;           /* of a block; for a diagonal, width */
} sheaf_npz_sparse;

/* Whether the archive is one of save_npz. */
bool sheaf_npz_is_sparse(const sheaf_npz_archive *archive);
SHEAF_USE sheaf_status sheaf_npz_open_sparse(const sheaf_npz_archive *archive, sheaf_npz_sparse *out,
                                             sheaf_error *err);
void sheaf_npz_close_sparse(sheaf_npz_sparse *sparse);
SHEAF_USE sheaf_status sheaf_npz_sparse_schema(sheaf_npz_sparse *sparse, sheaf_schema *out, sheaf_error *err);
/* Entries of items [first, first + n) of the values, whose bytes are given. */
SHEAF_USE sheaf_status sheaf_npz_sparse_rows(const sheaf_npz_sparse *sparse, const sheaf_buffer *bytes,
                                             int64_t first, int64_t n, sheaf_frame_builder *to,
                                             sheaf_error *err);

/* Csr, csc and coo, whose arrays can be indices unchanged. */
bool sheaf_npz_is_plain(const sheaf_npz_sparse *sparse);
/* For csr and csc, the dimension that has indices. */
int sheaf_npz_minor(const sheaf_npz_sparse *sparse);
/* I32 if the dimension's extent fits. */
sheaf_type sheaf_npz_index_type(const sheaf_npz_sparse *sparse, int dimension);
/* Values after these belong to nothing. */
int64_t sheaf_npz_end_of_values(const sheaf_npz_sparse *sparse);
/* For a plain one, the indices of entries [first, first + n) of each dimension that has any, all within the
 * shape, `wide` or of each dimension's type: shared with the file if they have the right form. */
SHEAF_USE sheaf_status sheaf_npz_take_indices(const sheaf_npz_sparse *sparse, int64_t first, int64_t n,
                                              bool wide, sheaf_builder *const to[], sheaf_error *err);

/* ---- whole.c ---- */

/* A plain one as a single row. */
SHEAF_USE sheaf_status sheaf_npz_whole_schema(sheaf_npz_sparse *sparse, sheaf_schema *out, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npz_whole_row(const sheaf_npz_sparse *sparse, sheaf_frame_builder *to,
                                           sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_npz_writing;

#endif
