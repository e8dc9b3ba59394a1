/* SPDX-License-Identifier: MIT */
/* Sequences and tables in an archive: a member for each array of each column, named after the column.
 *
 *   slots.c    which arrays a schema has, and the schema of arrays by their names
 *   streams.c  arrays into rows
 *   writing: writer.h */
#ifndef SHEAF_FORMAT_NUMPY_NPZ_STREAMS_H
#define SHEAF_FORMAT_NUMPY_NPZ_STREAMS_H

#include "format/numpy/npz/npz.h"

/* ---- slots.c ---- */

/* What an array holds: the values; for a LIST or COORD level where what each position covers begins, and one
 * more; for a COORD level the indices; for a level with missing positions which are there, and why the others
 * are not; for a sparse stream its dim. */
typedef enum sheaf_npz_what {
	NPZ_OFFSETS,
	NPZ_INDICES,
	NPZ_VALID,
	NPZ_CODES,
	NPZ_DIM,
	NPZ_VALUES
} sheaf_npz_what;

typedef struct sheaf_npz_slot {
	char *name; /* of the member, without ".npy" */
	sheaf_npz_what what;
	int field, level, at; /* at: which of several indices */
	sheaf_part item;
	int ntail; /* dimensions after the first */
	int64_t tail[SHEAF_MAX_LEVELS];
	int64_t per; /* items of a position: the product of the tail */
} sheaf_npz_slot;

typedef struct sheaf_npz_slots {
	sheaf_context *cx;
	sheaf_npz_slot *slots;
	int n, room;
} sheaf_npz_slots;

extern const char sheaf_npz_schema_name[];

/* All arrays of a schema, a field's one after the other: offsets and so on by level, values last. UNSUPPORTED
 * if two would have the same name. */
SHEAF_USE sheaf_status sheaf_npz_make_slots(const sheaf_schema *schema, sheaf_context *cx,
                                            sheaf_npz_slots *out, sheaf_error *err);
void sheaf_npz_free_slots(sheaf_npz_slots *slots);
/* The index of a field's first slot; its slots follow one another. */
int sheaf_npz_first_slot(const sheaf_npz_slots *slots, int field);
/* The slot of a field's level, the first of several indices; NULL if there is none. */
const sheaf_npz_slot *sheaf_npz_slot_of(const sheaf_npz_slots *slots, int field, int level,
                                        sheaf_npz_what what);
/* Whether the archive has streams or columns in parts. */
bool sheaf_npz_is_streams(const sheaf_zip *archive);
/* The schema of such an archive: the one that it contains, or one made from the names of its members. */
SHEAF_USE sheaf_status sheaf_npz_streams_schema(const sheaf_zip *archive, sheaf_schema *out,
                                                sheaf_error *err);

/* ---- streams.c ---- */

typedef struct sheaf_npz_streams {
	sheaf_context *cx;
	const char *file;
	const sheaf_schema *schema;
	sheaf_npz_slots slots;
	sheaf_array *arrays; /* of each slot; one that is not there has no holding */
	int64_t rows;
} sheaf_npz_streams;

SHEAF_USE sheaf_status sheaf_npz_open_streams(const sheaf_zip *archive, const sheaf_schema *schema,
                                              sheaf_npz_streams *out, sheaf_error *err);
void sheaf_npz_close_streams(sheaf_npz_streams *streams);
/* How many rows from number `row` on have about that many bytes; at least 1. */
SHEAF_USE sheaf_status sheaf_npz_count_streams(const sheaf_npz_streams *streams, int64_t row, int64_t bytes,
                                               int64_t *n, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npz_stream_rows(const sheaf_npz_streams *streams, int64_t row, int64_t n,
                                             sheaf_frame_builder *to, sheaf_error *err);

#endif
