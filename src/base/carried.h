/* SPDX-License-Identifier: MIT */
/* Counts on their way from the review of some rows, by one reader, to that of all rows, by another one. One
 * function lists them, for both ways: from the first reader they are written as bytes, and the second one
 * adds these to its own. */
#ifndef SHEAF_BASE_CARRIED_H
#define SHEAF_BASE_CARRIED_H

#include "base/buffer.h"
#include "base/cursor.h"

typedef struct sheaf_carried {
	sheaf_builder *to;  /* is written; NULL: */
	sheaf_cursor *from; /* is added */
} sheaf_carried;

/* Writes the number, or sets it to the one that was written. */
static inline void sheaf_carry(const sheaf_carried *c, int64_t *number)
{
	if (c->to)
		sheaf_builder_u64le(c->to, (uint64_t)*number);
	else
		*number = sheaf_cursor_i64le(c->from, "a count");
}

/* Writes the number, or adds to it, which wraps around if the number is forged. */
static inline void sheaf_carry_sum(const sheaf_carried *c, int64_t *number)
{
	int64_t more = *number;
	sheaf_carry(c, &more);
	if (!c->to) *number = (int64_t)((uint64_t)*number + (uint64_t)more);
}

/* DATA: the bytes are not what a review has written. */
static inline sheaf_status sheaf_refuse_carried(sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "part: expected what a reader has counted, found other bytes");
}

static inline sheaf_status sheaf_carried_status(const sheaf_carried *c, sheaf_error *err)
{
	if (c->to) return sheaf_builder_status(c->to, err);
	return c->from->failed ? sheaf_refuse_carried(err) : SHEAF_OK;
}

#endif
