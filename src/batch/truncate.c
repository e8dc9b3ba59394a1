/* SPDX-License-Identifier: MIT */
/* Each row of the grid is a queue of sequences; a batch takes the next `steps` samples of each:
 *
 *     row 0   AAAAAA|AABBBB|BCCCCC     batches of 6 steps: sequence A is in two of them,
 *     row 1   DDDDDD|DDDDEE|EEEEFF     and sequence B, too
 *
 * A queue is refilled from the plan, one sequence at a time, row by row, as soon as it has no more than one
 * batch. */
#include "batch/truncate.h"
#include "batch/reserve.h"
#include <string.h>

/* A sequence that waits in a row. */
typedef struct waiting {
	sheaf_item item;
	bool ends_sweep; /* it is the last one of its sweep, as far as this shard knows */
} waiting;

typedef struct queue {
	waiting *items;
	size_t count, room;
	int64_t passed;    /* samples of the first sequence that have been given */
	int64_t available; /* samples of all sequences that were not given */
} queue;

struct sheaf_truncation {
	sheaf_plan *plan;
	sheaf_context *cx;
	int64_t rows, steps;
	queue *queues;
	/* What the plan gave last: a batch of one sequence, or of none if another shard has it. */
	sheaf_planned one;
	bool ended;       /* the plan has given all sequences of the epoch */
	bool finished;    /* the plan has given all sequences of all epochs */
	bool sweep_ended; /* a sweep has ended whose last sequence this shard does not have */
	sheaf_mark epoch; /* where the epoch began */
	int64_t batches;  /* given since then */
};

void sheaf_truncation_close(sheaf_truncation *t)
{
	if (!t) return;
	for (int64_t r = 0; t->queues && r < t->rows; r++)
		sheaf_release(t->cx, t->queues[r].items, t->queues[r].room * sizeof *t->queues->items);
	sheaf_release(t->cx, t->queues, (size_t)t->rows * sizeof *t->queues);
	sheaf_planned_free(&t->one, t->cx);
	sheaf_release(t->cx, t, sizeof *t);
}

void sheaf_truncation_clear(sheaf_truncation *t)
{
	for (int64_t r = 0; r < t->rows; r++)
		t->queues[r].count = 0, t->queues[r].passed = t->queues[r].available = 0;
	t->ended = t->finished = t->sweep_ended = false;
	t->epoch = sheaf_plan_mark(t->plan);
	t->batches = 0;
}

sheaf_status sheaf_truncation_open(sheaf_plan *plan, int64_t rows, int64_t steps, sheaf_context *cx,
                                   sheaf_truncation **out, sheaf_error *err)
{
	sheaf_truncation *t;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_truncation), &t, err));
	*t = (sheaf_truncation){.plan = plan, .cx = cx, .rows = rows, .steps = steps};
	sheaf_status status = sheaf_allocate_array(cx, (uint64_t)rows, sizeof *t->queues, &t->queues, err);
	if (status) {
		sheaf_truncation_close(t);
		return status;
	}
	sheaf_truncation_clear(t);
	*out = t;
	return SHEAF_OK;
}

void sheaf_truncation_place(const sheaf_truncation *t, sheaf_mark *epoch, int64_t *batches)
{
	*epoch = t->epoch;
	*batches = t->batches;
}

/* ---- filling rows ---- */

/* Takes sequences from the plan into a row until the row has more samples than one batch takes, or the epoch
 * ends (t->ended). A sequence without samples is left out. */
static sheaf_status refill(sheaf_truncation *t, queue *q, sheaf_error *err)
{
	while (!t->ended && q->available <= t->steps) {
		sheaf_status status = sheaf_plan_next(t->plan, &t->one, err);
		t->finished = status == SHEAF_END;
		t->ended = t->finished || (status == SHEAF_OK && t->one.epoch_end);
		if (t->finished) return SHEAF_OK;
		SHEAF_TRY(status);
		/* The end of a sweep comes with the last of its samples, not with the first of its last sequence. */
		bool sweep_end = t->one.sweep_end;
		for (size_t i = t->one.count; i-- > 0;) {
			const sheaf_item *item = &t->one.items[i];
			if (item->samples == 0) continue;
			SHEAF_TRY(sheaf_reserve(t->cx, &q->items, &q->room, q->count + 1, sizeof *q->items, err));
			q->items[q->count++] = (waiting){*item, sweep_end};
			q->available += item->samples;
			sweep_end = false;
		}
		t->sweep_ended |= sweep_end;
	}
	return SHEAF_OK;
}

/* Whether no row has a sample left to give. */
static bool is_empty(const sheaf_truncation *t)
{
	for (int64_t r = 0; r < t->rows; r++)
		if (t->queues[r].available) return false;
	return true;
}

/* ---- giving ---- */

/* Moves the next t->steps samples of a row, or as many as it has, into a batch: an extract in the layout, and
 * an item in *out, for each sequence that they are of. A sequence that is given to its end leaves the row. */
static sheaf_status give_row(sheaf_truncation *t, int64_t row, sheaf_planned *out, sheaf_layout *layout,
                             sheaf_error *err)
{
	queue *q = &t->queues[row];
	for (int64_t step = 0; step < t->steps && q->count > 0;) {
		const sheaf_item *item = &q->items[0].item;
		int64_t left = (int64_t)item->samples - q->passed, room = t->steps - step,
				count = left < room ? left : room;
		SHEAF_TRY(sheaf_layout_add(
			layout, (sheaf_extract){out->count, q->passed, count, item->samples, row, step}, t->cx, err));
		SHEAF_TRY(sheaf_planned_add(out, item, t->cx, err));
		step += count;
		q->passed += count;
		q->available -= count;
		if (count < left) continue;
		out->sweep_end |= q->items[0].ends_sweep;
		memmove(q->items, q->items + 1, --q->count * sizeof *q->items);
		q->passed = 0;
	}
	return SHEAF_OK;
}

/* An epoch that has ended, and whose rows are empty, makes way for the next one; epochs in which this shard
 * has nothing are passed over. */
sheaf_status sheaf_truncation_next(sheaf_truncation *t, sheaf_planned *out, sheaf_layout *layout,
                                   sheaf_error *err)
{
	out->count = out->repeated = layout->count = 0;
	out->before = sheaf_plan_mark(t->plan);
	out->sweep_end = false;
	do {
		if (t->ended && is_empty(t)) sheaf_truncation_clear(t);
		for (int64_t r = 0; r < t->rows; r++) SHEAF_TRY(refill(t, &t->queues[r], err));
	} while (is_empty(t) && !t->finished);
	if (is_empty(t)) return SHEAF_END;
	layout->rows = t->rows;
	layout->width = t->steps;
	layout->rows_outermost = false;
	for (int64_t r = 0; r < t->rows; r++) SHEAF_TRY(give_row(t, r, out, layout, err));
	out->after = sheaf_plan_mark(t->plan);
	out->sweep_end |= t->sweep_ended;
	t->sweep_ended = false;
	out->epoch_end = t->ended && is_empty(t);
	t->batches++;
	return SHEAF_OK;
}
