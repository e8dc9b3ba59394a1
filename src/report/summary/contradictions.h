/* SPDX-License-Identifier: MIT */
/* Rows with the same inputs and different targets, which no network can learn. Inputs are identified by their
 * hashes; all of them are kept as long as there is room, then those whose hash is below a threshold, so that
 * the result depends only on the rows, not on how they are divided into parts. */
#ifndef SHEAF_REPORT_SUMMARY_CONTRADICTIONS_H
#define SHEAF_REPORT_SUMMARY_CONTRADICTIONS_H

#include "base/buffer.h"

enum { SHEAF_INPUTS_KEPT = 1 << 14, SHEAF_INPUTS_SLOTS = 1 << 15 };

/* Rows with the same inputs. */
typedef struct sheaf_same_inputs {
	uint64_t low, high; /* the hash of their inputs */
	int64_t count;      /* number of rows; 0: an empty slot */
	uint64_t targets;   /* the hash of the first row's targets */
	int64_t first;      /* row */
	int64_t other;      /* the first row with other targets; -1: none */
} sheaf_same_inputs;

typedef struct sheaf_contradictions {
	sheaf_same_inputs *slots; /* SHEAF_INPUTS_SLOTS of them; NULL: nothing is counted */
	int kept, halvings;       /* the threshold is 2^64, halved that many times */
} sheaf_contradictions;

SHEAF_USE sheaf_status sheaf_contradictions_begin(sheaf_contradictions *c, sheaf_context *cx,
                                                  sheaf_error *err);
void sheaf_contradictions_free(sheaf_contradictions *c, sheaf_context *cx);
/* Rows that are hashed together. */
void sheaf_contradictions_add(sheaf_contradictions *c, const sheaf_same_inputs *rows);
void sheaf_contradictions_merge(sheaf_contradictions *c, const sheaf_contradictions *other);
/* Inserts what was counted elsewhere; false if it is already there, or would not be kept. */
bool sheaf_contradictions_put(sheaf_contradictions *c, const sheaf_same_inputs *rows);

/* The result: exact, or estimated. */
typedef struct sheaf_contradicted {
	int64_t different, inputs, rows; /* different inputs; those with several targets, and their rows */
	bool exact;
} sheaf_contradicted;
sheaf_contradicted sheaf_contradictions_count(const sheaf_contradictions *c);
/* The first n of the kept rows that contradict each other, by their first rows. Returns their number. */
int sheaf_contradictions_first(const sheaf_contradictions *c, const sheaf_same_inputs **out, int n);

#endif
