/* SPDX-License-Identifier: MIT */
/* Rows with the same inputs and other targets: what no network can learn. Inputs are known by their hashes;
 * all of them are kept as long as there is room, then those whose hash is below a threshold, so that the
 * outcome depends on the rows alone, not on how they are cut into parts. */
#ifndef SHEAF_REPORT_CONTRADICTIONS_H
#define SHEAF_REPORT_CONTRADICTIONS_H

#include "base/buffer.h"

enum { SHEAF_INPUTS_KEPT = 1 << 14, SHEAF_INPUTS_SLOTS = 1 << 15 };

/* Rows of the same inputs. */
typedef struct sheaf_same_inputs {
	uint64_t low, high; /* the hash of their inputs */
	int64_t count;      /* of rows; 0: an empty slot */
	uint64_t targets;   /* the hash of those of the first row */
	int64_t first;      /* row */
	int64_t other;      /* the first one that has other targets; -1: none has */
} sheaf_same_inputs;

typedef struct sheaf_contradictions {
	sheaf_same_inputs *slots; /* SHEAF_INPUTS_SLOTS of them; NULL: nothing is counted */
	int kept, halvings;       /* the threshold is 2^64 halved so often */
} sheaf_contradictions;

SHEAF_USE sheaf_status sheaf_contradictions_begin(sheaf_contradictions *c, sheaf_context *cx,
                                                  sheaf_error *err);
void sheaf_contradictions_free(sheaf_contradictions *c, sheaf_context *cx);
/* Rows that are known together. */
void sheaf_contradictions_add(sheaf_contradictions *c, const sheaf_same_inputs *rows);
void sheaf_contradictions_merge(sheaf_contradictions *c, const sheaf_contradictions *other);
/* Puts in what was counted elsewhere; false where it is there already, or nothing that is kept. */
bool sheaf_contradictions_put(sheaf_contradictions *c, const sheaf_same_inputs *rows);

/* What comes out: of all, or estimated where it is not exact. */
typedef struct sheaf_contradicted {
	int64_t different, inputs, rows; /* different inputs; those of several targets, and their rows */
	bool exact;
} sheaf_contradicted;
sheaf_contradicted sheaf_contradictions_count(const sheaf_contradictions *c);
/* The first n of those kept that contradict each other, by their first rows. Gives how many. */
int sheaf_contradictions_first(const sheaf_contradictions *c, const sheaf_same_inputs **out, int n);

#endif
