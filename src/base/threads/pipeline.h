/* SPDX-License-Identifier: MIT */
/* Work in order. Items are submitted by one thread and come back to it in the same order, complete; between
 * the two, `work` runs for several of them at once, on any thread, and `follow` for one after the other.
 * Reading, writing, inferring and reading ahead are all this.
 *
 * A thread that waits for an item helps with pending work. So without other threads the calling thread does
 * everything, in the order in which items are asked for; more threads only make it sooner. */
#ifndef SHEAF_BASE_THREADS_PIPELINE_H
#define SHEAF_BASE_THREADS_PIPELINE_H

#include "base/threads/pool.h"

typedef struct sheaf_pipeline sheaf_pipeline;

/* `work` or `follow` may be NULL, but not both. `drop` releases what an item holds; it may be NULL.
 * Items begin as zeros. */
typedef struct sheaf_pipeline_steps {
	void (*work)(void *user, void *item);
	void (*follow)(void *user, void *item);
	void (*drop)(void *user, void *item);
	void *user;
} sheaf_pipeline_steps;

/* Begins as zeros. The counts say how many items have come so far: passed <= followed <= begun <=
 * submitted. */
struct sheaf_pipeline {
	sheaf_context *cx;
	sheaf_pool *pool; /* NULL: not open */
	sheaf_pipeline_steps steps;
	size_t item_size;
	int depth;
	uint8_t *items; /* a ring of `depth` items, then a mark for each whose work is complete */
	int64_t submitted, begun, followed, passed;
	int running;
	bool following, held;
	sheaf_pipeline *next;
};

/* At most `depth` items are in progress. With depth 1 nothing is done before it is asked for. */
SHEAF_USE sheaf_status sheaf_pipeline_open(sheaf_pipeline *p, sheaf_context *cx, size_t item_size, int depth,
                                           sheaf_pipeline_steps steps, sheaf_error *err);
/* Waits for running steps, and drops all items. */
void sheaf_pipeline_close(sheaf_pipeline *p);

/* The number of items that were submitted and not yet passed. */
int64_t sheaf_pipeline_count(const sheaf_pipeline *p);
/* The next item to fill and submit, with what it held when it was passed; NULL if `depth` items are in
 * progress. */
void *sheaf_pipeline_free_item(sheaf_pipeline *p);
void sheaf_pipeline_submit(sheaf_pipeline *p);
/* The oldest item, complete; until it is, the caller works or waits. NULL if there is none. */
void *sheaf_pipeline_first(sheaf_pipeline *p);
/* Whether the oldest item is complete already. */
bool sheaf_pipeline_is_ready(sheaf_pipeline *p);
/* Returns the first item, to be filled again. */
void sheaf_pipeline_pass(sheaf_pipeline *p);
/* From now on nothing is done before it is asked for. When it returns, no step is running, so the items may
 * be touched. */
void sheaf_pipeline_hold(sheaf_pipeline *p);
/* Item i of those in progress, counted from 0. Only while held. */
void *sheaf_pipeline_item(sheaf_pipeline *p, int64_t i);

#endif
