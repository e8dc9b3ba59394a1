/* SPDX-License-Identifier: MIT */
/* The inside of minibatches: opened in batches_open.c, given in batches.c. */
#ifndef SHEAF_BATCH_BATCHES_H
#define SHEAF_BATCH_BATCHES_H

#include "base/pipeline.h"
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
	int64_t truncation, stride;
	int64_t to_pass; /* batches to skip before the next one that is planned */
	sheaf_plan *plan;
	sheaf_truncation *cut; /* if sequences are truncated */
	sheaf_piece_cache *cache;
	sheaf_state state;     /* after the last batch given */
	sheaf_pipeline makers; /* of sheaf_batch_builder */
	bool makes_ahead,
		given; /* batches are made before they are asked for; the first one in the pipeline is the caller's */
	sheaf_readahead ahead;
	sheaf_batch batch;
	sheaf_error failure; /* the first one; every later call returns it again */
};

static inline sheaf_status sheaf_refuse_number(sheaf_error *err, const char *option, const char *expected,
                                               int64_t found)
{
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected %s, found %" PRId64, option, expected, found);
}

/* The state is that of the plan's current place. */
void sheaf_batches_stand_at(sheaf_batches *b);

#endif
