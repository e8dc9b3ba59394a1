/* SPDX-License-Identifier: MIT */
/* Positions of an Arrow array, and their buffers as ours. */
#ifndef SHEAF_ARROW_PART_H
#define SHEAF_ARROW_PART_H

#include "arrow/memory.h"
#include "arrow/take.h"
#include <stdatomic.h>

struct sheaf_arrow_taken {
	atomic_int owners;
	sheaf_context *owner;
	struct ArrowArray array;
};

/* n positions of an array from `at` on. */
typedef struct sheaf_arrow_part {
	sheaf_arrow_taken *taken;
	sheaf_frame_builder *b;
	const struct ArrowSchema *schema;
	const struct ArrowArray *array;
	const char *name; /* of the column */
	int64_t at, n;
	const struct sheaf_arrow_part *above; /* the struct that has this field: what it misses, this does */
} sheaf_arrow_part;

/* The positions of its child that a list covers. */
typedef struct sheaf_arrow_below {
	int64_t from, n;
} sheaf_arrow_below;

/* Positions that are looked up in an array, as if it were a dictionary. */
typedef struct sheaf_arrow_lookup {
	struct ArrowSchema schema;
	struct ArrowArray array;
	const void *buffers[2];
	sheaf_builder indices;
} sheaf_arrow_lookup;

/* DATA: the column, and a sentence of what was expected and found, which ends with the number. */
sheaf_status sheaf_arrow_damaged(const sheaf_arrow_part *p, const char *sentence, int64_t number,
                                 sheaf_error *err);
/* Checks that the part's positions are within the array, which must have that many buffers, and the children
 * of its schema. */
SHEAF_USE sheaf_status sheaf_arrow_check_part(const sheaf_arrow_part *p, int64_t buffers, sheaf_error *err);
/* All rows that a program has given. */
sheaf_arrow_part sheaf_arrow_part_of_rows(sheaf_arrow_taken *taken, const struct ArrowSchema *rows,
                                          sheaf_frame_builder *b);
/* Positions [from, from + n) of the part's child, counted from its beginning. */
sheaf_arrow_part sheaf_arrow_part_of_child(const sheaf_arrow_part *p, int child, int64_t from, int64_t n);

/* Missing positions: a bit for each position up to the last missing one; then extended to the end. */
SHEAF_USE sheaf_status sheaf_arrow_take_nulls(const sheaf_arrow_part *p, sheaf_level_builder *level,
                                              sheaf_error *err);
SHEAF_USE sheaf_status sheaf_arrow_end_nulls(const sheaf_arrow_part *p, sheaf_level_builder *level,
                                             sheaf_error *err);
SHEAF_USE sheaf_status sheaf_arrow_refuse_nulls(const sheaf_arrow_part *p, sheaf_error *err);

/* Offsets of any kind of list; *below becomes what they cover, by `lookup` where that is not one after the
 * other. Drop its indices at the end, also after a failure. */
SHEAF_USE sheaf_status sheaf_arrow_take_lists(const sheaf_arrow_part *p, sheaf_builder *to,
                                              sheaf_arrow_lookup *lookup, sheaf_arrow_part *below,
                                              sheaf_error *err);
SHEAF_USE sheaf_status sheaf_arrow_take_offsets(const sheaf_arrow_part *p, sheaf_builder *to,
                                                sheaf_arrow_below *below, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_arrow_take_numbers(const sheaf_arrow_part *p, sheaf_builder *to,
                                                sheaf_error *err);
/* Indices of entries, in the type that the dim requires; those out of range are found here, or by the check
 * of the frame. */
SHEAF_USE sheaf_status sheaf_arrow_take_indices(const sheaf_arrow_part *p, const sheaf_level_shape *shape,
                                                sheaf_builder *to, sheaf_error *err);
/* Items of any class; for texts, `level` gets the offsets. */
SHEAF_USE sheaf_status sheaf_arrow_take_values(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                                               sheaf_error *err);

#endif
