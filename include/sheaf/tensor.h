/* SPDX-License-Identifier: MIT */
/* Tensors as entries, and matrices as arrays by rows or by columns. */
#ifndef SHEAF_TENSOR_H
#define SHEAF_TENSOR_H

#include <sheaf/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What to do if a position has several entries. */
typedef enum sheaf_duplicates {
	SHEAF_DUPLICATES_ERROR, /* DATA, with the position */
	SHEAF_DUPLICATES_SUM,   /* they are added, in the order in which they came; integers must not overflow;
	                           truth values are combined with OR */
	SHEAF_DUPLICATES_LAST   /* the last one counts */
} sheaf_duplicates;

/* A tensor that is one row, a sound frame of `schema`, as its entries, in the order of its levels: *entries
 * becomes their schema (free it with sheaf_schema_free), *out owns them and shares the values. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_unroll(const sheaf_frame *whole, const sheaf_schema *schema,
                                                    sheaf_context *cx, sheaf_schema *entries,
                                                    sheaf_frame *out, sheaf_error *err);

/* ---- matrices as arrays ---- */

/* Entries in any order (COO). */
typedef struct sheaf_entry_arrays {
	int64_t n;
	const int32_t *rows, *columns;
	const void *values;
	size_t value_size; /* 1, 2, 4, 8 or 16 */
} sheaf_entry_arrays;

/* Entries by rows (CSR) or by columns (CSC): those of slice s are pointers[s] to pointers[s + 1] - 1. */
typedef struct sheaf_compressed_arrays {
	int64_t *pointers; /* one more than there are slices; the first is 0 */
	int32_t *indices;
	void *values;
	size_t value_size;
} sheaf_compressed_arrays;

/* Row pointers of entries that come by rows: pointers[r] is where row r begins, with n at the end, nrows + 1
 * in all. *by_rows is false if a row is lower than the one before it; the pointers must then not be used.
 * DATA if a row is not below nrows. */
SHEAF_API SHEAF_USE sheaf_status sheaf_row_pointers(const int32_t *rows, int64_t n, int64_t nrows,
                                                    int64_t *pointers, bool *by_rows, sheaf_error *err);
/* COO to CSR: entries of a row stay in the order in which they came, and repeated entries stay repeated. *to
 * has room for n entries and nrows + 1 pointers. With rows and columns swapped it makes CSC. DATA where a row
 * is not below nrows; columns are not checked. Uses all threads of the context, and as much memory as n keys
 * of 8 bytes and the values. */
SHEAF_API SHEAF_USE sheaf_status sheaf_compress_entries(const sheaf_entry_arrays *from, int64_t nrows,
                                                        sheaf_context *cx, const sheaf_compressed_arrays *to,
                                                        sheaf_error *err);
/* The same with the columns of each row in order, and each of them once: `duplicates` says what is done with
 * repeated ones. Values are of `type`, or complex numbers of it where they take twice as much.
 * to->pointers[nrows] is how many entries are left. DATA where a column is below 0, or a sum of integers
 * overflows. */
SHEAF_API SHEAF_USE sheaf_status sheaf_compress_sorted(const sheaf_entry_arrays *from, int64_t nrows,
                                                       sheaf_type type, sheaf_duplicates duplicates,
                                                       sheaf_context *cx, const sheaf_compressed_arrays *to,
                                                       sheaf_error *err);
/* CSR to CSC, and back: *to has the entries by columns, in each the rows in their order. The pointers must be
 * sound. */
SHEAF_API SHEAF_USE sheaf_status sheaf_transpose_compressed(const sheaf_compressed_arrays *from,
                                                            int64_t nrows, int64_t ncolumns,
                                                            sheaf_context *cx,
                                                            const sheaf_compressed_arrays *to,
                                                            sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
