/* SPDX-License-Identifier: MIT */
/* Tensors as entries: arranging them in a given order, structure and storage. */
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

typedef struct sheaf_arrange_options {
	size_t size;                 /* sizeof(sheaf_arrange_options) */
	sheaf_duplicates duplicates; /* ERROR: only where the outcome must be unique, else they stay */
	bool drop_fill; /* positions of a dense tensor that hold its fill, or 0 where it has none, are no entries
	                   of a sparse one */
	bool hold; /* nothing comes out before sheaf_arranger_finish, so that sheaf_arranger_count is known by
	              then */
	int share; /* how many arrangers share the memory; 0: it is the only one */
	const char *name; /* of the file, for messages; NULL: none */
} sheaf_arrange_options;

/* Arranges entries in another order. They are sorted only if the order in which they come is not sufficient;
 * implied entries of a structure are added or left out; missing positions are filled in if the result is
 * dense. Entries of up to a quarter of the context's memory are sorted in memory, more in a temporary file.
 * The result is the same for any memory and any number of threads. */
typedef struct sheaf_arranger sheaf_arranger;

/* `schema` is that of the frames to come, `to` the tensor that is wanted: its order, sorted, unique, dense,
 * structure and, where it is dense, fill count; rank and shape must be those of the schema. Where the schema
 * says that entries are sorted, or unique, this is checked as they come. UNSUPPORTED where one structure
 * cannot become the other; LIMIT where a sparse tensor made dense would take more than the memory that is
 * allowed. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arranger_new(const sheaf_schema *schema, const sheaf_tensor *to,
                                                    const sheaf_arrange_options *options, sheaf_context *cx,
                                                    sheaf_arranger **out, sheaf_error *err);
/* The frame may be reused at once. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arranger_add(sheaf_arranger *arranger, const sheaf_frame *frame,
                                                    sheaf_error *err);
/* After the last frame. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arranger_finish(sheaf_arranger *arranger, sheaf_error *err);
/* The next entries, or END where none are ready: ask after each frame that was added, and after the end. *out
 * is borrowed until the next call of any kind. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arranger_next(sheaf_arranger *arranger, const sheaf_frame **out,
                                                     sheaf_error *err);
/* The total number of resulting entries. Call it after sheaf_arranger_finish of an arranger that holds them,
 * and before the first sheaf_arranger_next. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arranger_count(sheaf_arranger *arranger, int64_t *out,
                                                      sheaf_error *err);
SHEAF_API void sheaf_arranger_free(sheaf_arranger *arranger);

/* The same for entries in one frame: *out owns the result; free it with sheaf_frame_free. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_arrange(const sheaf_frame *frame, const sheaf_schema *schema,
                                                     const sheaf_tensor *to,
                                                     const sheaf_arrange_options *options, sheaf_context *cx,
                                                     sheaf_frame *out, sheaf_error *err);

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

/* ---- profiles ---- */

/* What the entries of a tensor are like as a whole, with those that the structure implies: how many each
 * slice has, and of a matrix the diagonal, the bandwidth and its structure. They are sorted once for each
 * dimension. */
typedef struct sheaf_profile sheaf_profile;

SHEAF_API SHEAF_USE sheaf_status sheaf_profile_new(const sheaf_schema *schema, const char *name,
                                                   sheaf_context *cx, sheaf_profile **out, sheaf_error *err);
SHEAF_API SHEAF_USE sheaf_status sheaf_profile_add(sheaf_profile *profile, const sheaf_frame *frame,
                                                   sheaf_error *err);
/* After the last frame. */
SHEAF_API SHEAF_USE sheaf_status sheaf_profile_finish(sheaf_profile *profile, sheaf_error *err);
/* Whether the matrix is as this structure says; GENERAL always is. False for everything that is not a square
 * matrix. */
SHEAF_API bool sheaf_profile_has(const sheaf_profile *profile, sheaf_structure structure);
/* Lines for people or, as JSON, members of an object, each with a comma before it. */
SHEAF_API SHEAF_USE sheaf_status sheaf_profile_text(const sheaf_profile *profile, bool json,
                                                    sheaf_buffer *out, sheaf_error *err);
SHEAF_API void sheaf_profile_free(sheaf_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
