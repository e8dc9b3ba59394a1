/* SPDX-License-Identifier: MIT */
/* The shelf: decoded pieces that are in memory. Those used longest ago make room when there are more, or more
 * bytes, than it should hold. */
#ifndef SHEAF_BATCH_SHELF_H
#define SHEAF_BATCH_SHELF_H

#include "batch/supply.h"

typedef struct sheaf_shelf sheaf_shelf;

/* Pieces are decoded, or only located as long as none has to be decoded. At most `most` pieces (0: any
 * number) and about `bytes` bytes, but always what one batch needs. The supply outlives the shelf. */
SHEAF_USE sheaf_status sheaf_shelf_open(const sheaf_supply *supply, bool locates, int64_t most, int64_t bytes,
                                        sheaf_context *cx, sheaf_shelf **out, sheaf_error *err);
void sheaf_shelf_close(sheaf_shelf *shelf);
/* What is got from now on stays until sheaf_shelf_end_batch was called as often as this. */
void sheaf_shelf_begin_batch(sheaf_shelf *shelf);
/* What the first one of the batches under way got may go. */
void sheaf_shelf_end_batch(sheaf_shelf *shelf);
/* Has a piece read ahead of its turn, if it is not there; false where that has to wait: too many are under
 * way, or there is no room for it. */
bool sheaf_shelf_offer(sheaf_shelf *shelf, int64_t piece);
/* Whether pieces are read by other threads at all. */
bool sheaf_shelf_reads_ahead(const sheaf_shelf *shelf);
/* The same for a piece whose turn it is: what is under way is waited for where it must be. */
void sheaf_shelf_want(sheaf_shelf *shelf, int64_t piece);
/* Whether all pieces of the supply are there. */
bool sheaf_shelf_is_complete(const sheaf_shelf *shelf);
/* Whether a piece is there. What was read meanwhile is. */
bool sheaf_shelf_has(sheaf_shelf *shelf, int64_t piece);
/* A piece, read now where it is not there. END where all were located and have to be decoded from now on:
 * what was got for this batch is to be got again. */
SHEAF_USE sheaf_status sheaf_shelf_get(sheaf_shelf *shelf, int64_t piece, const sheaf_held **out,
                                       sheaf_error *err);

#endif
