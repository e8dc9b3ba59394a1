/* SPDX-License-Identifier: MIT */
/* Truncated back-propagation through time: each row is a queue of sequences, and every batch takes the next
 * few steps of each. Like CNTK's packer. */
#ifndef SHEAF_BATCH_TRUNCATE_H
#define SHEAF_BATCH_TRUNCATE_H

#include "batch/pack.h"
#include "batch/plan.h"

typedef struct sheaf_truncation sheaf_truncation;

/* On top of a plan that gives one sequence at a time and outlives it: `rows` rows of `steps` steps. */
SHEAF_USE sheaf_status sheaf_truncation_open(sheaf_plan *plan, int64_t rows, int64_t steps, sheaf_context *cx,
                                             sheaf_truncation **out, sheaf_error *err);
void sheaf_truncation_close(sheaf_truncation *t);
/* Empties the rows: the plan was moved. */
void sheaf_truncation_clear(sheaf_truncation *t);
/* The next batch: its sequences in *out, as a plan gives them, and their parts in *layout. END after the last
 * epoch. */
SHEAF_USE sheaf_status sheaf_truncation_next(sheaf_truncation *t, sheaf_planned *out, sheaf_layout *layout,
                                             sheaf_error *err);
/* Where the current epoch began, and how many batches it has given: together they determine the contents of
 * the rows. */
void sheaf_truncation_place(const sheaf_truncation *t, sheaf_mark *epoch, int64_t *batches);

#endif
