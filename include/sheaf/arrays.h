/* SPDX-License-Identifier: MIT */
/* Reading frames as plain arrays: typed pointers with counts for streams, columns and tensors.
 *
 * Everything is borrowed from the frame and stays valid as long as its buffers do. Nothing is copied. The
 * only check is that the column has the requested kind: USAGE if not. Any thread. */
#ifndef SHEAF_ARRAYS_H
#define SHEAF_ARRAYS_H

#include <sheaf/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `count` elements of a type. */
typedef struct sheaf_items {
	sheaf_type type;
	int64_t count;
	union {
		const void *data;
		const uint8_t *u8;
		const uint16_t *u16;
		const uint32_t *u32;
		const uint64_t *u64;
		const int8_t *i8;
		const int16_t *i16;
		const int32_t *i32;
		const int64_t *i64;
		const float *f32;
		const double *f64;
	};
} sheaf_items;

/* Number i of items of any type, as a double: 64-bit integers are rounded; 0 if there are no more than i. */
SHEAF_API double sheaf_items_number(const sheaf_items *items, int64_t i);
/* Number i of items that are integers, as indices and coordinates are; 0 for floats. */
SHEAF_API int64_t sheaf_items_integer(const sheaf_items *items, int64_t i);

/* A stream. Samples of row r are those from rows[r] to rows[r + 1] - 1. rows[0] is not 0 in a part of a
 * frame. */
typedef struct sheaf_stream_arrays {
	bool sparse;
	int64_t dim;
	int64_t nrows;
	const int64_t *rows; /* nrows + 1 */
	/* Sparse: entries of sample s are those from entries[s] to entries[s + 1] - 1, one more than there are
	 * samples; dense: NULL, sample s has the values from s * dim on. */
	const int64_t *entries;
	sheaf_items indices; /* of each entry, I32 or I64; dense: none */
	sheaf_items values;  /* of each entry; dense: dim of each sample */
} sheaf_stream_arrays;

SHEAF_API SHEAF_USE sheaf_status sheaf_frame_stream(const sheaf_frame *frame, const sheaf_schema *schema,
                                                    int column, sheaf_stream_arrays *out, sheaf_error *err);

/* A column with one item in each row: of a table, of keys, or beside streams. */
typedef struct sheaf_column_arrays {
	sheaf_meaning meaning;
	int digits; /* of times: as in their field */
	int64_t nrows;
	/* Texts and bytes: the item of row r is the values from offsets[r] to offsets[r + 1] - 1. NULL: it is the
	 * `width` values from r * width on. The width is 1, except 2 for COMPLEX and DATETIMETZ, and the number
	 * of bytes for BYTES of a fixed length. */
	const int64_t *offsets;
	int64_t width;
	sheaf_items values;
	/* Bit valid_at + r, counted from the lowest of each byte, is 0 where row r has no item; NULL: all have
	 * one. */
	const uint8_t *valid;
	int64_t valid_at;
	const int8_t *codes; /* why row r has none; NULL: 0 for all */
} sheaf_column_arrays;

SHEAF_API SHEAF_USE sheaf_status sheaf_frame_column(const sheaf_frame *frame, const sheaf_schema *schema,
                                                    int column, sheaf_column_arrays *out, sheaf_error *err);

static inline bool sheaf_column_has(const sheaf_column_arrays *column, int64_t row)
{
	int64_t bit = column->valid_at + row;
	return !column->valid || (column->valid[bit / 8] >> (bit % 8) & 1);
}

/* A tensor. As entries (COO): indices[d] has the coordinate of each entry in dimension d. As one row:
 * dimensions are in the order of their levels, the outermost first. A dense level has neither pointers nor
 * indices; the positions below position p of the previous dimension begin at p * shape[d]. A sparse level of
 * rank r has indices[d] to indices[d + r - 1]; the entries of position p are those from pointers[d][p] to
 * pointers[d][p + 1] - 1. So a CSR matrix has pointers[1], indices[1] and values. */
typedef struct sheaf_tensor_arrays {
	int rank;
	int64_t shape[SHEAF_MAX_RANK]; /* in the order of the arrays below */
	const int64_t *pointers[SHEAF_MAX_RANK];
	int64_t npointers[SHEAF_MAX_RANK]; /* one more than there are positions above */
	sheaf_items indices[SHEAF_MAX_RANK];
	int64_t nentries;
	sheaf_items values; /* of each entry: one, or the two parts of a complex number */
} sheaf_tensor_arrays;

SHEAF_API SHEAF_USE sheaf_status sheaf_frame_tensor(const sheaf_frame *frame, const sheaf_schema *schema,
                                                    sheaf_tensor_arrays *out, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
