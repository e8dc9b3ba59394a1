/* SPDX-License-Identifier: MIT */
/* The inside of minibatches: opened in batches_open.c, given in batches.c. */
#ifndef SHEAF_BATCH_BATCHES_H
#define SHEAF_BATCH_BATCHES_H

#include "base/threads/pipeline.h"
#include "batch/batch_builder.h"
#include "batch/readahead.h"
#include "batch/state.h"
#include "batch/truncate.h"
#include <inttypes.h>

struct sheaf_batches {
	sheaf_context *cx;
	sheaf_row_source source;
	sheaf_plan_options options;
	sheaf_batch_settings settings;
	int64_t truncation; /* steps of a truncated row */
	int64_t stride;     /* every stride-th batch is given */
	int64_t to_pass;    /* batches to skip before the next one that is planned */
	sheaf_plan *plan;
	sheaf_truncation *cut; /* on top of the plan if sequences are truncated, else NULL */
	sheaf_piece_cache *cache;
	sheaf_state state;     /* after the last batch given */
	sheaf_pipeline makers; /* its items are of type sheaf_batch_builder */
	bool makes_ahead;      /* batches are made before they are asked for */
	bool given;            /* the first batch in the pipeline is in use by the caller */
	sheaf_readahead ahead;
	sheaf_batch batch;   /* what the caller sees of the batch given last */
	sheaf_error failure; /* the first failure; every later call returns it again */
};

static inline sheaf_status sheaf_refuse_number(sheaf_error *err, const char *option, const char *expected,
                                               int64_t found)
{
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected %s, found %" PRId64, option, expected, found);
}

/* Continues from the plan's current place: drops what was planned or made for another place, and takes over
 * the state. */
void sheaf_batches_stand_at(sheaf_batches *b);

#endif
