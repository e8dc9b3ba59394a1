/* SPDX-License-Identifier: MIT */
/* The state of a run as text: its place, and the data and options to which it belongs. */
#ifndef SHEAF_BATCH_STATE_H
#define SHEAF_BATCH_STATE_H

#include "batch/plan.h"

typedef struct sheaf_state {
	sheaf_mark mark;
	int64_t step; /* batches given since then: 0 if sequences are whole */
	uint64_t seed;
	uint32_t options, data; /* fingerprints */
} sheaf_state;

void sheaf_state_write(const sheaf_state *state, char text[SHEAF_STATE_SIZE]);
/* USAGE if the text is not what sheaf_state_write writes; DATA if its numbers were changed. */
SHEAF_USE sheaf_status sheaf_state_read(const char *text, sheaf_state *out, sheaf_error *err);
/* A hash of everything that decides which batch comes where, except the seed; `more`: n further numbers of
 * that kind. */
uint32_t sheaf_options_fingerprint(const sheaf_plan_options *options, const int64_t *more, size_t n);

#endif
