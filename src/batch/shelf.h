/* SPDX-License-Identifier: MIT */
/* The shelf: decoded pieces that are in memory. Those used longest ago make room when there are more, or more bytes, than it should hold. */
#ifndef SHEAF_BATCH_SHELF_H
#define SHEAF_BATCH_SHELF_H

#include "batch/supply.h"

typedef struct sheaf_shelf sheaf_shelf;

/* At most `most` pieces (0: any number) and about `bytes` bytes, but always what one batch needs. The supply outlives the shelf. */
SHEAF_USE sheaf_status sheaf_shelf_open(const sheaf_supply *supply, int64_t most, int64_t bytes, sheaf_context *cx, sheaf_shelf **out, sheaf_error *err);
void sheaf_shelf_close(sheaf_shelf *shelf);
/* What is got from now on stays at least until the next call of this. */
void sheaf_shelf_begin_batch(sheaf_shelf *shelf);
/* Has a piece read ahead of its turn, if it is not there; false where that has to wait: too many are under way, or there is no room for it. */
bool sheaf_shelf_offer(sheaf_shelf *shelf, int64_t piece);
/* A piece, read now where it is not there. */
SHEAF_USE sheaf_status sheaf_shelf_get(sheaf_shelf *shelf, int64_t piece, const sheaf_frame **out, sheaf_error *err);

#endif
