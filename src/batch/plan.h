/* SPDX-License-Identifier: MIT */
/* Plans: which sequences make up each batch of a shard, without reading the data. Batches are cut from an
 * order, sweep after sweep; epochs are counted in samples, whatever the sweeps. A position is a number of
 * samples since the beginning of sweep 0. */
#ifndef SHEAF_BATCH_PLAN_H
#define SHEAF_BATCH_PLAN_H

#include "batch/amount.h"
#include "batch/order/bucket.h"
#include "batch/order/mixture.h"
#include "batch/order/order.h"

/* A place between two sequences, counted through all sweeps. */
typedef struct sheaf_mark {
	/* Two members that grow with each sequence are not neighbours: compilers would update both in one vector
	 * instruction, and the next load of one of them would wait for that store. */
	int64_t ordinal;  /* of the sequence that comes next, */
	int64_t sweep;    /* in this sweep */
	int64_t position; /* samples before it, from the beginning of sweep 0 */
} sheaf_mark;

typedef struct sheaf_plan_options {
	const sheaf_order *order;
	sheaf_order_options arranged;
	const int64_t *first_chunks; /* of the tables that are mixed, `mixed` of them, and the end of the last */
	const int64_t *weights;
	int mixed;    /* 0: none are */
	int64_t size; /* > 0 */
	sheaf_size_unit unit;
	sheaf_rest rest;
	bool bucket;
	bool one_by_one; /* each sequence goes to one shard, instead of each batch to all */
	bool crosses;    /* batches continue past the end of a sweep */
	/* Sizes count the sequences of all shards; otherwise a shard counts its own, up to its share of the size.
	 */
	bool global;
	int64_t rank, world;         /* this shard, and the number of shards */
	int64_t epoch_size;          /* in samples; 0: `sweeps` sweeps */
	int64_t sweeps;              /* 0: 1 */
	int64_t first_epoch, epochs; /* the first one, and the number of epochs */
} sheaf_plan_options;

/* One batch. */
typedef struct sheaf_planned {
	sheaf_item *items; /* this shard's sequences */
	size_t count, room;
	size_t repeated; /* the last ones of them, which are only fillers */
	sheaf_mark before, after;
	bool sweep_end, epoch_end;
	bool is_short; /* an end kept the batch from being full */
} sheaf_planned;

typedef struct sheaf_plan sheaf_plan;

/* `rows` outlives the plan. The caller has checked sizes and shards. */
SHEAF_USE sheaf_status sheaf_plan_open(const sheaf_rows *rows, const sheaf_plan_options *options,
                                       sheaf_context *cx, sheaf_plan **out, sheaf_error *err);
void sheaf_plan_close(sheaf_plan *plan);
/* The next batch into *out, whose items are reused; END after the last epoch. */
SHEAF_USE sheaf_status sheaf_plan_next(sheaf_plan *plan, sheaf_planned *out, sheaf_error *err);
/* Moves to the first sequence at or after a position. From here on, also in the next functions, the table of
 * rows must not grow any more. */
SHEAF_USE sheaf_status sheaf_plan_seek(sheaf_plan *plan, int64_t position, sheaf_error *err);
/* Moves to the beginning of an epoch, and ends after that many epochs. */
SHEAF_USE sheaf_status sheaf_plan_start_epoch(sheaf_plan *plan, int64_t epoch, int64_t epochs,
                                              sheaf_error *err);
/* Moves to a mark that an earlier plan of the same rows and options has given; USAGE if no plan of them can
 * have given it. */
SHEAF_USE sheaf_status sheaf_plan_resume(sheaf_plan *plan, sheaf_mark mark, sheaf_error *err);
sheaf_mark sheaf_plan_mark(const sheaf_plan *plan);
/* What will be needed soon, in lists: one list, or one for each table that is mixed. A list belongs to one
 * sweep, and has its chunks approximately in the order in which they are needed: the number that is useful by
 * now, and the i-th of them. */
int sheaf_plan_lists(const sheaf_plan *plan);
int64_t sheaf_plan_sweep(const sheaf_plan *plan, int list);
int64_t sheaf_plan_needed(const sheaf_plan *plan, int list);
int64_t sheaf_plan_chunk(const sheaf_plan *plan, int list, int64_t i);
/* Adds a copy of an item. */
SHEAF_USE sheaf_status sheaf_planned_add(sheaf_planned *planned, const sheaf_item *item, sheaf_context *cx,
                                         sheaf_error *err);
void sheaf_planned_free(sheaf_planned *planned, sheaf_context *cx);

#endif
