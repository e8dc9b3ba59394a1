/* SPDX-License-Identifier: MIT */
/* Sharing rows with other programs of the same process without copying them: buffers that are held.
 *
 * What is given out here holds what it needs: it outlives the dataset, the frame and the context that it
 * comes from, and may be let go by any thread. Its memory counts against the context's limit until then. */
#ifndef SHEAF_EXCHANGE_H
#define SHEAF_EXCHANGE_H

#include <sheaf/build.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- buffers ---- */

/* The buffers of a frame, held. */
typedef struct sheaf_held sheaf_held;

/* One of them. `part` and `at` are those of sheaf_build_wrap. */
typedef struct sheaf_flat {
	const void *data; /* NULL where count is 0 */
	int64_t count;    /* elements from `data` on; of VALID, bits after the first one */
	int64_t first;    /* VALID: the bit of `data` that is position 0, counted from the lowest; else 0 */
	int32_t column;   /* of the frame */
	int32_t part;     /* sheaf_column_part */
	int32_t at;       /* the level, or the dimension */
	int32_t type;     /* sheaf_type of an element: U8 for VALID, I8 for CODES, I64 for OFFSETS */
} sheaf_flat;

/* Holds the buffers of a frame of this schema. One call, one allocation. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_hold(const sheaf_frame *frame, const sheaf_schema *schema,
                                                  sheaf_context *cx, sheaf_held **out, sheaf_error *err);
/* *n of them, column by column: of each level, from the outermost, OFFSETS, INDICES, VALID and CODES, those
 * that there are; then VALUES. Stays until they are let go. */
SHEAF_API const sheaf_flat *sheaf_held_buffers(const sheaf_held *held, int *n);
SHEAF_API void sheaf_held_free(sheaf_held *held);

#ifdef __cplusplus
}
#endif
#endif
