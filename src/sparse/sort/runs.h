/* SPDX-License-Identifier: MIT */
/* Sorted entries that do not fit in memory: runs in an unnamed temporary file, merged when all are there.
 * Entries with the same key stay in the order in which they were added. */
#ifndef SHEAF_SPARSE_SORT_RUNS_H
#define SHEAF_SPARSE_SORT_RUNS_H

#include "io/spool.h"
#include "sparse/sort/entry_sorter.h"
#include <sheaf/io.h>

/* A run is written in segments: first the keys, then the values. */
typedef struct sheaf_entry_run {
	int64_t at; /* byte of the spool */
	int64_t n;  /* entries */
} sheaf_entry_run;

/* Where a run is being read, and what decides first of its next entry: its key, where that is one word. */
typedef struct sheaf_ranked_head {
	uint64_t first;
	struct sheaf_entry_head *head;
} sheaf_ranked_head;

/* Begins as zeros. */
typedef struct sheaf_runs {
	sheaf_context *cx;
	const sheaf_key_order *order;
	size_t key_size, value_size;
	int64_t segment; /* entries */
	int64_t fan;     /* runs that are merged at a time */
	sheaf_spool spool;
	sheaf_entry_run *runs;
	int64_t nruns, room;
	struct sheaf_entry_head *heads;
	sheaf_ranked_head *ranked; /* a heap of those that are not at their end */
	int64_t nheads, left;      /* heads there are, and those in the heap */
	uint8_t *batch;            /* a segment: being written, or given */
	int64_t batch_n;
} sheaf_runs;

/* Uses about `memory` bytes. */
SHEAF_USE sheaf_status sheaf_runs_open(sheaf_runs *r, const sheaf_key_order *order, size_t value_size,
                                       int64_t memory, sheaf_context *cx, sheaf_error *err);
/* Adds a sorted sorter as one run. */
SHEAF_USE sheaf_status sheaf_runs_add(sheaf_runs *r, sheaf_entry_sorter *sorter, sheaf_error *err);
/* After the last run: makes ready for sheaf_runs_next, from the first entry; may be called again. */
SHEAF_USE sheaf_status sheaf_runs_begin(sheaf_runs *r, sheaf_error *err);
/* The next entries in order, or END; valid until the next call. */
SHEAF_USE sheaf_status sheaf_runs_next(sheaf_runs *r, sheaf_keyed *out, sheaf_error *err);
void sheaf_runs_close(sheaf_runs *r);

#endif
