/* SPDX-License-Identifier: MIT */
/* Making schemas and frames: from single values, from arrays that are copied, and from arrays that are used
 * in place.
 *
 *     sheaf_schema schema = {.cx = cx};
 *     sheaf_schema_add_dense(&schema, "features", 3, SHEAF_F32, &err);
 *     sheaf_frame_builder_new(&schema, cx, &builder, &err);
 *     sheaf_build_dense(builder, 0, (float[]){1, 2, 3}, 1);
 *     sheaf_build_row(builder);
 *     sheaf_frame_builder_take(builder, &frame, &err);
 *
 * A schema and a builder are used by one thread at a time, a frame, which nobody changes, by any number.
 *
 * Most used: sheaf_schema_add_column, sheaf_frame_builder_new, sheaf_build_row, sheaf_frame_builder_take,
 * sheaf_schema_free. */
#ifndef SHEAF_BUILD_H
#define SHEAF_BUILD_H

#include <sheaf/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- schemas ----
 *
 * A schema of sequences begins as {.cx = cx}, one of a table as {.rows = SHEAF_CELLS, .cx = cx}; one of the
 * two calls for tensors makes that of a tensor. Fields are the columns of frames, in the order in which they
 * are added. Names are copied. USAGE, with the reason, for no name or a repeated one, a dim below 1, or a
 * type that does not fit the meaning. After a failure the schema is unchanged. */

/* A stream of dense samples: `dim` values each, of any type. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_dense(sheaf_schema *schema, const char *name, int64_t dim,
                                                        sheaf_type type, sheaf_error *err);
/* A stream of sparse samples: any number of entries, whose indices are in [0, dim). Indices are I32 where dim
 * fits, else I64. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_sparse(sheaf_schema *schema, const char *name, int64_t dim,
                                                         sheaf_type type, sheaf_error *err);
/* The keys of sequences: a column "key" of U64. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_keys(sheaf_schema *schema, sheaf_error *err);
/* A column with one item in each row, or none where `missing` is NULLABLE: of a table, or beside streams. The
 * meaning decides which types are possible: U8 for STRING, BYTES, BOOL and CHAR, I64 for times, F32
 * or F64 for COMPLEX, any for NUMBER; KEY and COORDINATE are added by their own calls. Times count seconds.
 * IMPUTED is only for formats of streams: USAGE. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_column(sheaf_schema *schema, const char *name,
                                                         sheaf_meaning meaning, sheaf_type type,
                                                         sheaf_missing missing, sheaf_error *err);
/* The same for times whose fractions of a second have 0, 3, 6 or 9 digits; DATE has none. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_times(sheaf_schema *schema, const char *name,
                                                        sheaf_meaning meaning, int digits,
                                                        sheaf_missing missing, sheaf_error *err);
/* The same for bytes of a fixed length `width`, at least 1. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_bytes(sheaf_schema *schema, const char *name, int64_t width,
                                                        sheaf_missing missing, sheaf_error *err);
/* Makes an empty schema the schema of a tensor's entries (COO): a coordinate column for each of tensor->rank
 * dimensions, 0 to SHEAF_MAX_RANK, named i, j, k, ..., I32 where the extent fits, and a column "value" of
 * meaning NUMBER, BOOL or COMPLEX. *tensor is copied; an `order` of zeros means by rows. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_entries(sheaf_schema *schema, const sheaf_tensor *tensor,
                                                          sheaf_meaning meaning, sheaf_type type,
                                                          sheaf_error *err);
/* Makes an empty schema the schema of a tensor as one row: a column "value" with these levels, FIXED and
 * COORD, which together have tensor->rank dimensions, the outermost first. CSR is FIXED(rows), COORD(1;
 * columns). */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_levels(sheaf_schema *schema, const sheaf_tensor *tensor,
                                                         const sheaf_level_shape *levels, int nlevels,
                                                         sheaf_meaning meaning, sheaf_type type,
                                                         sheaf_error *err);
/* Adds an attribute of the whole dataset; the text is copied. */
SHEAF_API SHEAF_USE sheaf_status sheaf_schema_add_attribute(sheaf_schema *schema, const char *name,
                                                            const char *text, sheaf_error *err);
/* Frees a schema's fields and attributes, and makes it {0}. Not for borrowed schemas. */
SHEAF_API void sheaf_schema_free(sheaf_schema *schema);

/* ---- frames ----
 *
 * The builder keeps the first failure: later calls do nothing, and sheaf_frame_builder_take returns it: USAGE
 * for calls that do not fit the column, DATA for values that it cannot hold, both with the row and the
 * column. So there is no need to check single calls. Columns are numbers of the schema's fields
 * (sheaf_schema_find). */

typedef struct sheaf_frame_builder sheaf_frame_builder;

/* The schema is copied. Free with sheaf_frame_builder_free. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_builder_new(const sheaf_schema *schema, sheaf_context *cx,
                                                         sheaf_frame_builder **out, sheaf_error *err);
SHEAF_API void sheaf_frame_builder_free(sheaf_frame_builder *builder);

/* One item of this row. A number: a float column takes the nearest value, an integer column only a value that
 * it can hold. */
SHEAF_API void sheaf_build_number(sheaf_frame_builder *builder, int column, double value);
SHEAF_API void sheaf_build_integer(sheaf_frame_builder *builder, int column, int64_t value);
/* The key of this row, in the column of keys; a row without one has its number. */
SHEAF_API void sheaf_build_key(sheaf_frame_builder *builder, uint64_t key);
/* n bytes of text, or bytes. */
SHEAF_API void sheaf_build_text(sheaf_frame_builder *builder, int column, const void *text, size_t n);
/* An item of any kind, in its form in memory: a value of the column's type, or the run of a FIXED level (both
 * parts of a complex number). */
SHEAF_API void sheaf_build_item(sheaf_frame_builder *builder, int column, const void *item);
/* No item; `code` says why, 0 to 127. */
SHEAF_API void sheaf_build_missing(sheaf_frame_builder *builder, int column, int code);
/* n samples of this row: n * dim values of the column's type. */
SHEAF_API void sheaf_build_dense(sheaf_frame_builder *builder, int column, const void *values, int64_t n);
/* One sample of this row: n entries, whose values are of the column's type. */
SHEAF_API void sheaf_build_sparse(sheaf_frame_builder *builder, int column, const int64_t *indices,
                                  const void *values, int64_t n);
/* Ends the row. Each column of items must have one; streams have any number of samples, or none. */
SHEAF_API void sheaf_build_row(sheaf_frame_builder *builder);

/* The buffers of a column, for whole runs. */
typedef enum sheaf_column_part {
	SHEAF_PART_VALUES,  /* of the column's type */
	SHEAF_PART_OFFSETS, /* int64, of level `at`: of a stream 0 is where each row's samples begin, 1 where each
	                       sparse sample's entries do; one more than there are positions */
	SHEAF_PART_INDICES, /* of the level's index type, of dimension `at` of the COORD levels, counted from the
	                       outermost: 0 in a sparse stream */
	SHEAF_PART_VALID,   /* bits of level `at`, lowest first: 1 where a position is not missing */
	SHEAF_PART_CODES    /* int8, of level `at` */
} sheaf_column_part;

/* An array of the caller's. */
typedef struct sheaf_foreign {
	const void *data; /* aligned for its type */
	int64_t count;    /* elements; of VALID, bits */
	/* Called when the last frame that uses the array releases it, on the thread that does so. NULL: the array
	 * outlives all frames. */
	void (*release)(void *user, const void *data);
	void *user;
} sheaf_foreign;

/* Makes a caller's array the buffer of a column, without a copy. The builder takes it over, also on failure:
 * `release` is called once, whatever happens. All buffers that the column's levels have must be given, and
 * sheaf_build_rows must say how many rows they are. */
SHEAF_API void sheaf_build_wrap(sheaf_frame_builder *builder, int column, sheaf_column_part part, int at,
                                const sheaf_foreign *array);
/* The same with a copy of `count` elements, after those that were copied before. */
SHEAF_API void sheaf_build_copy(sheaf_frame_builder *builder, int column, sheaf_column_part part, int at,
                                const void *data, int64_t count);
/* Ends n rows, n >= 0, that were given in runs. */
SHEAF_API void sheaf_build_rows(sheaf_frame_builder *builder, int64_t n);

/* *out, which is overwritten, owns the rows that were built: free it with sheaf_frame_free. Whole buffers are
 * checked in full: DATA with the field, level and position of the first error. The builder is empty again,
 * also after a failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_builder_take(sheaf_frame_builder *builder, sheaf_frame *out,
                                                          sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
