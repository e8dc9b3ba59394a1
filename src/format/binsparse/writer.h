/* SPDX-License-Identifier: MIT */
/* Writing: declarations that its files share.
 *
 *   write.c     settings, creating, finishing
 *   store.c     an array whose length and type are known at the end
 *   encode.c    entries into bytes, and these into arrays
 *   streams.c   sequences into bytes, and into arrays
 *   finish.c    arrays and descriptor into the box */
#ifndef SHEAF_FORMAT_BINSPARSE_WRITER_H
#define SHEAF_FORMAT_BINSPARSE_WRITER_H

#include "base/buffer.h"
#include "container/box.h"
#include "format/binsparse/descriptor.h"
#include "format/format.h"
#include "io/strand.h"

/* ---- store.c ---- */

/* Values on their way into an array: they are written as they come once it is open; before that they wait in
 * a strand. Its address stays from then on. */
typedef struct sheaf_bsp_store {
	sheaf_type type; /* of what is added */
	sheaf_strand strand;
	int64_t count;          /* values added */
	sheaf_box_array *array; /* NULL: not open */
	sheaf_type stored;      /* of the array's values */
	size_t same; /* bytes of a value, while all have been the same and one is held for them; 0: they differ,
	                or this was not requested */
} sheaf_bsp_store;

void sheaf_bsp_store_begin(sheaf_bsp_store *s, sheaf_type type, sheaf_context *cx);
SHEAF_USE sheaf_status sheaf_bsp_store_add(sheaf_bsp_store *s, const void *values, int64_t n,
                                           sheaf_error *err);
/* Before anything is added: values of `parts` numbers are held as one for as long as they are the same. */
void sheaf_bsp_store_compare(sheaf_bsp_store *s, int parts);
/* At the end: whether they were, and there is one; then the store holds only that one. */
bool sheaf_bsp_store_is_same(sheaf_bsp_store *s);
/* Opens the array of these values, which are then written: from a store of int64 with any type of whole
 * numbers that holds them. */
SHEAF_USE sheaf_status sheaf_bsp_store_open(sheaf_bsp_store *s, sheaf_box *box, const char *path,
                                            sheaf_box_values values, const sheaf_box_storing *storing,
                                            sheaf_error *err);
/* Completes the array, which is open. */
SHEAF_USE sheaf_status sheaf_bsp_store_end(sheaf_bsp_store *s, sheaf_error *err);
void sheaf_bsp_store_drop(sheaf_bsp_store *s);

/* ---- the writer ---- */

/* A tensor that is being written. */
typedef struct sheaf_bsp_building {
	sheaf_bsp_descriptor d;
	char *group;
	sheaf_bsp_store pointers[BSP_MAX_RANK]; /* by level, int64 */
	sheaf_bsp_store indices[BSP_MAX_RANK];  /* by dimension of the levels */
	sheaf_bsp_store values;
	uint8_t fill[16] __attribute__((aligned(8))); /* read as numbers */
	bool is_begun;                                /* its group is ready, and arrays may be open */
	sheaf_sparse_writer entries;
	/* of sequences */
	int64_t rows, samples, longest, elements;
	bool is_one_each; /* sequences of one sample each */
	const sheaf_field *field;
} sheaf_bsp_building;

typedef struct sheaf_bsp_writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_box *box;
	const char *into; /* the group */
	sheaf_box_storing storing;
	int index_type; /* of all indices and pointers; -1: the smallest that holds them */
	const char *version;
	bool is_wide; /* several streams: a group for each */
	int ntensors;
	sheaf_bsp_building *tensors;
} sheaf_bsp_writer;

/* ---- write.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_create(void *out, const sheaf_facts *totals, const sheaf_values *values,
                                        sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_encode(const void *out, const sheaf_frame *frame, int64_t row,
                                        sheaf_builder *b, int64_t *samples, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_append(void *out, const sheaf_blob *blob, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_finish(void *out, sheaf_error *err);
void sheaf_bsp_close_output(void *writer);
/* The type of indices or pointers up to this one, which it need not hold. */
static inline sheaf_type sheaf_bsp_index_type(const sheaf_bsp_writer *out, int64_t most)
{
	return out->index_type < 0 ? sheaf_bsp_smallest(most) : (sheaf_type)out->index_type;
}

/* ---- fill.c ---- */

/* Gives the schema of a tensor the value in the option, if there is one. */
SHEAF_USE sheaf_status sheaf_bsp_take_fill(sheaf_schema *schema, const sheaf_values *values,
                                           sheaf_error *err);

/* ---- encode.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_encode_entries(const sheaf_bsp_writer *out, const sheaf_frame *frame,
                                                int64_t row, sheaf_builder *b, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_append_entries(sheaf_bsp_writer *out, const sheaf_blob *blob,
                                                sheaf_error *err);
/* Numbers of an array of levels into its store: see sheaf_sparse_writer. */
SHEAF_USE sheaf_status sheaf_bsp_take(void *tensor, sheaf_level_part part, int k, const void *numbers,
                                      int64_t n, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_complete(sheaf_bsp_building *t, sheaf_error *err);

/* ---- streams.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_encode_streams(const sheaf_bsp_writer *out, const sheaf_frame *frame,
                                                int64_t row, sheaf_builder *b, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_append_streams(sheaf_bsp_writer *out, const sheaf_blob *blob,
                                                sheaf_error *err);
/* Decides what tensor the sequences become. */
SHEAF_USE sheaf_status sheaf_bsp_complete_stream(sheaf_bsp_writer *out, sheaf_bsp_building *t,
                                                 sheaf_error *err);

/* ---- finish.c ---- */

/* Opens the arrays whose length and type are known as soon as the number of entries is; nothing if it is not.
 */
SHEAF_USE sheaf_status sheaf_bsp_plan(sheaf_bsp_writer *out, sheaf_error *err);

/* Arrays and descriptor of one tensor. */
SHEAF_USE sheaf_status sheaf_bsp_put_tensor(sheaf_bsp_writer *out, sheaf_bsp_building *t, bool is_first,
                                            sheaf_error *err);
/* Records which streams belong together. */
SHEAF_USE sheaf_status sheaf_bsp_put_group(sheaf_bsp_writer *out, sheaf_error *err);

#endif
