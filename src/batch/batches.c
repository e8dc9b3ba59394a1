/* SPDX-License-Identifier: MIT */
/* Minibatches: the plan says which sequences are in a batch, the cache has the pieces that contain them, and
 * a builder copies them into one frame or into grids. The builders are the items of a pipeline, so that
 * batches are made on other threads before they are asked for:
 *
 *     free item --plan_next--> planned --submit--> in progress --finish--> given --take_back--> free item
 *
 * Nothing that happens ahead of its turn is reported: failures are kept in the item, or found again. */
#include "batch/batches.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/status.h"
#include <inttypes.h>

/* The state becomes that of the plan's current place; of truncated sequences it is where the epoch began, and
 * the number of batches since then (state.step). */
static void note_place(sheaf_batches *b)
{
	b->state.mark = sheaf_plan_mark(b->plan);
	if (b->cut) sheaf_truncation_place(b->cut, &b->state.mark, &b->state.step);
}

/* The builder that is free keeps what it has planned until it is submitted: that is forgotten, too. */
void sheaf_batches_stand_at(sheaf_batches *b)
{
	while (sheaf_pipeline_first(&b->makers)) {
		sheaf_pipeline_pass(&b->makers);
		sheaf_piece_cache_end_batch(b->cache);
	}
	((sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers))->is_planned = false;
	b->to_pass = 0;
	b->given = false;
	if (b->cut) sheaf_truncation_clear(b->cut);
	note_place(b);
	b->batch.number = -1;
}

/* ---- places ---- */

sheaf_status sheaf_batches_seek(sheaf_batches *b, int64_t position, sheaf_error *err)
{
	SHEAF_NEED(b, "batches");
	SHEAF_EXPECT(position >= 0, "a position of at least 0", position);
	SHEAF_TRY(sheaf_row_source_complete(&b->source, err));
	SHEAF_TRY(sheaf_plan_seek(b->plan, position, err));
	sheaf_batches_stand_at(b);
	return SHEAF_OK;
}

sheaf_status sheaf_batches_start_epoch(sheaf_batches *b, int64_t epoch, int64_t epochs, sheaf_error *err)
{
	SHEAF_NEED(b, "batches");
	SHEAF_EXPECT(epoch >= 0, "an epoch of at least 0", epoch);
	SHEAF_EXPECT(epochs > 0, "a number of epochs of at least 1", epochs);
	SHEAF_TRY(sheaf_row_source_complete(&b->source, err));
	SHEAF_TRY(sheaf_plan_start_epoch(b->plan, epoch, epochs, err));
	sheaf_batches_stand_at(b);
	return SHEAF_OK;
}

void sheaf_batches_state(const sheaf_batches *b, char state[SHEAF_STATE_SIZE])
{
	if (!state) return;
	state[0] = '\0';
	if (!b) return;
	sheaf_state_write(&b->state, state);
}

/* A state of other data, another seed or other options would lead to the place of other sequences, and is
 * refused. */
sheaf_status sheaf_batches_resume(sheaf_batches *b, const char *text, sheaf_error *err)
{
	SHEAF_NEED(b, "batches");
	SHEAF_NEED(text, "a state");
	sheaf_state state;
	SHEAF_TRY(sheaf_state_read(text, &state, err));
	if (state.data != b->state.data)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "state: expected a state of these data, %08" PRIx32
		                  ", found a state of other data, %08" PRIx32,
		                  b->state.data, state.data);
	if (state.seed != b->state.seed)
		return sheaf_fail(err, SHEAF_USAGE, "state: expected seed %" PRIu64 ", found %" PRIu64, b->state.seed,
		                  state.seed);
	if (state.options != b->state.options)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "state: expected the same order, window, size, rest, buckets, packing and epoch "
		                  "size, found other options");
	if (state.step && !b->cut)
		return sheaf_refuse_number(err, "state", "step 0 where sequences are whole", state.step);
	SHEAF_TRY(sheaf_row_source_complete(&b->source, err));
	SHEAF_TRY(sheaf_plan_resume(b->plan, state.mark, err));
	sheaf_batches_stand_at(b);
	/* The contents of truncated rows follow from the batches given since the epoch began, so these are
	 * planned again, without data. */
	sheaf_batch_builder *m = (sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers);
	for (int64_t i = 0; i < state.step; i++) {
		SHEAF_TRY(sheaf_check_stop(b->cx, err));
		sheaf_status status = sheaf_truncation_next(b->cut, &m->planned, &m->packings.cut, err);
		if (status == SHEAF_END)
			return sheaf_refuse_number(err, "state", "a step that the epoch has", state.step);
		SHEAF_TRY(status);
	}
	note_place(b);
	return SHEAF_OK;
}

/* ---- giving ---- */

/* Describes a planned batch in b->batch, and moves the state to the place after it. The numbers of batches go
 * on from the last one given, and count those that the stride has skipped. Of truncated sequences only the
 * samples that are in this batch count. */
static void describe(sheaf_batches *b, const sheaf_batch_builder *m)
{
	const sheaf_planned *p = &m->planned;
	int64_t samples = b->cut ? 0 : m->samples;
	for (size_t i = 0; b->cut && i < m->packings.cut.count; i++) samples += m->packings.cut.extracts[i].count;
	b->batch = (sheaf_batch){
		.number = b->batch.number + m->passed + 1,
		.begin = p->before.position,
		.end = p->after.position,
		.sweep = p->before.sweep,
		.sweep_end = p->sweep_end,
		.epoch_end = p->epoch_end,
		.sequences = (int64_t)p->count,
		.samples = samples,
		.repeated = (int64_t)p->repeated,
		.keys = m->keys,
		.lengths = m->lengths,
		.packed = m->packings.packed,
		.npacked = m->packings.count,
		.frame = m->frame,
	};
	if (b->cut)
		note_place(b);
	else
		b->state.mark = p->after;
}

/* Plans the next batch of the run into a builder; END after the last one. If sequences are truncated,
 * planning also makes the layout of the grid, so that the builder's grids are opened here. */
static sheaf_status plan(sheaf_batches *b, sheaf_batch_builder *m, sheaf_error *err)
{
	if (b->settings.packing && !m->packings.cx)
		SHEAF_TRY(sheaf_packings_open(&m->packings, &b->source, b->cx, err));
	return b->cut ? sheaf_truncation_next(b->cut, &m->planned, &m->packings.cut, err)
	              : sheaf_plan_next(b->plan, &m->planned, err);
}

/* How planning or making the batch has ended. END is no failure and fills no error. */
static sheaf_status outcome(const sheaf_batch_builder *m, sheaf_error *err)
{
	if (err && m->status != SHEAF_OK && m->status != SHEAF_END) *err = m->err;
	return m->status;
}

/* Plans the batch that is given next into a builder, unless it is planned already, and skips the batches that
 * the stride leaves out before it. The outcome is kept in the builder, since a batch that is planned ahead
 * reports it in its turn. */
static sheaf_status plan_next(sheaf_batches *b, sheaf_batch_builder *m, sheaf_error *err)
{
	if (m->is_planned) return outcome(m, err);
	SHEAF_TRY(sheaf_check_stop(b->cx, err));
	m->status = SHEAF_OK;
	for (m->passed = 0; m->passed < b->to_pass && !m->status; m->passed++) m->status = plan(b, m, &m->err);
	if (!m->status) m->status = plan(b, m, &m->err);
	b->to_pass = b->stride - 1;
	m->is_planned = true;
	return outcome(m, err);
}

/* Gets the pieces of a planned batch, which waits for those that are not in memory, and submits the batch to
 * the pipeline, in which a thread makes it. */
static sheaf_status submit(sheaf_batches *b, sheaf_batch_builder *m, sheaf_error *err)
{
	SHEAF_TRY(sheaf_batch_builder_find(m, &b->settings, b->cache, err));
	m->is_planned = false;
	sheaf_pipeline_submit(&b->makers);
	return SHEAF_OK;
}

/* Has batches made while earlier ones are used, as long as their pieces are in memory. A batch that would
 * have to wait for a piece waits for its turn, and so does everything reported about it. */
static void make_ahead(sheaf_batches *b)
{
	sheaf_batch_builder *m;
	sheaf_error ignored;
	while (b->makes_ahead && (m = (sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers)) != NULL) {
		if (sheaf_put_off(plan_next(b, m, &ignored), "its turn: the status is kept")) return;
		sheaf_readahead_offer(&b->ahead);
		if (!sheaf_batch_builder_is_at_hand(m, &b->settings, b->cache)) return;
		if (sheaf_put_off(submit(b, m, &ignored), "its turn")) return;
	}
}

/* The caller asks for another batch, so the batch given last is no longer in use. */
static void take_back(sheaf_batches *b)
{
	if (!b->given) return;
	sheaf_pipeline_pass(&b->makers);
	sheaf_piece_cache_end_batch(b->cache);
	b->given = false;
}

/* Gives the next batch in b->batch: the first one in the pipeline, which is made ahead or planned now. END
 * after the last one. Waits for the thread that makes it. */
static sheaf_status next(sheaf_batches *b, sheaf_error *err)
{
	take_back(b);
	SHEAF_TRY(sheaf_check_stop(b->cx, err));
	if (sheaf_pipeline_count(&b->makers) == 0) {
		sheaf_batch_builder *m = (sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers);
		SHEAF_TRY(plan_next(b, m, err));
		sheaf_readahead_offer(&b->ahead);
		SHEAF_TRY(submit(b, m, err));
	}
	make_ahead(b);
	sheaf_batch_builder *m = (sheaf_batch_builder *)sheaf_pipeline_first(&b->makers);
	if (sheaf_is_of_memory(m->status)) {
		/* Memory has run out: frees what was made ahead, which is made again in its turn, and makes this
		 * batch again. From now on no batch is made ahead. */
		b->makes_ahead = false;
		sheaf_pipeline_hold(&b->makers);
		for (int64_t i = 0; i < sheaf_pipeline_count(&b->makers); i++) {
			sheaf_batch_builder *other = (sheaf_batch_builder *)sheaf_pipeline_item(&b->makers, i);
			sheaf_batch_builder_forget(other);
			other->status = SHEAF_NOMEM;
		}
		sheaf_batch_builder_make(m, &b->settings);
	}
	SHEAF_TRY(outcome(m, err));
	describe(b, m);
	b->given = true;
	return SHEAF_OK;
}

/* Plans n batches without making them. Numbers, places and the state go on as if they were given, whatever
 * the stride; a failure does not stick, since nothing was given. */
sheaf_status sheaf_batches_skip(sheaf_batches *b, int64_t n, sheaf_error *err)
{
	SHEAF_NEED(b, "batches");
	SHEAF_EXPECT(n >= 0, "a number of batches of at least 0", n);
	if (b->failure.status) return sheaf_fail_again(err, &b->failure);
	take_back(b);
	sheaf_status status = SHEAF_OK;
	sheaf_batch_builder *m = (sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers);
	if (sheaf_pipeline_count(&b->makers) > 0 || m->is_planned) {
		/* The plan has gone beyond the last batch given: back to that place, without what was made ahead. */
		char state[SHEAF_STATE_SIZE];
		int64_t number = b->batch.number;
		sheaf_batches_state(b, state);
		status = sheaf_batches_resume(b, state, err);
		if (status == SHEAF_OK) b->batch.number = number;
	}
	for (int64_t i = 0; i < n && !status; i++) {
		m = (sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers);
		status = sheaf_check_stop(b->cx, err);
		if (status == SHEAF_OK) status = plan(b, m, err);
		m->passed = 0;
		if (status == SHEAF_OK) describe(b, m);
	}
	b->to_pass = 0; /* gives the very next one, whatever the stride */
	b->batch = (sheaf_batch){.number = b->batch.number};
	return status;
}

sheaf_status sheaf_batches_next(sheaf_batches *b, const sheaf_batch **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(b, "batches");
	if (b->failure.status) return sheaf_fail_again(err, &b->failure);
	sheaf_status status = next(b, &b->failure);
	if (status == SHEAF_OK) *out = &b->batch;
	if (status == SHEAF_OK || status == SHEAF_END) {
		b->failure = (sheaf_error){0};
		return status;
	}
	b->failure.status = status;
	if (err) *err = b->failure;
	return status;
}
