/* SPDX-License-Identifier: MIT */
#include "batch/truncate.h"
#include "batch/reserve.h"
#include <string.h>

/* A sequence that waits in a row. */
typedef struct waiting {
	sheaf_item item;
	bool ends_sweep; /* it is the last one of its sweep, as far as this shard knows */
} waiting;

/* The queue of a row; `passed` samples of its first sequence have been given. */
typedef struct queue {
	waiting *items;
	size_t count, room;
	int64_t passed, available; /* samples given of the first, and left of all */
} queue;

struct sheaf_truncation {
	sheaf_plan *plan;
	sheaf_context *cx;
	int64_t rows, steps;
	queue *queues;
	sheaf_planned one; /* the last sequence that the plan gave */
	bool ended;        /* the epoch has no more sequences, */
	bool finished;     /* for any shard */
	bool sweep_ended;  /* a sweep has ended whose last sequence this shard does not have */
	sheaf_mark epoch;
	int64_t batches;
};

void sheaf_truncation_close(sheaf_truncation *t)
{
	if (!t) return;
	for (int64_t r = 0; t->queues && r < t->rows; r++)
		sheaf_release_reserved(t->cx, t->queues[r].items, t->queues[r].room, sizeof *t->queues->items);
	sheaf_release_reserved(t->cx, t->queues, (size_t)t->rows, sizeof *t->queues);
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
	void *memory, *queues;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_truncation), &memory, err));
	sheaf_truncation *t = (sheaf_truncation *)memory;
	*t = (sheaf_truncation){.plan = plan, .cx = cx, .rows = rows, .steps = steps};
	sheaf_status status = sheaf_allocate_array(cx, (uint64_t)rows, sizeof *t->queues, &queues, err);
	if (status) {
		sheaf_truncation_close(t);
		return status;
	}
	t->queues = (queue *)queues;
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

static sheaf_status push(sheaf_truncation *t, queue *q, waiting next, sheaf_error *err)
{
	void *items = q->items;
	SHEAF_TRY(sheaf_reserve(t->cx, &items, &q->room, q->count + 1, sizeof next, err));
	q->items = (waiting *)items;
	q->items[q->count++] = next;
	q->available += next.item.samples;
	return SHEAF_OK;
}

/* Puts the sequences of a plan's batch, at most one, into a row. The end of a sweep comes with the last of
 * its samples, not with the first. */
static sheaf_status push_all(sheaf_truncation *t, queue *q, const sheaf_planned *one, sheaf_error *err)
{
	bool sweep_end = one->sweep_end;
	for (size_t i = one->count; i-- > 0;) {
		if (one->items[i].samples == 0) continue;
		SHEAF_TRY(push(t, q, (waiting){one->items[i], sweep_end}, err));
		sweep_end = false;
	}
	t->sweep_ended |= sweep_end;
	return SHEAF_OK;
}

/* One shard may get no sequence when another one gets it. */
static sheaf_status refill(sheaf_truncation *t, queue *q, sheaf_error *err)
{
	while (!t->ended && q->available <= t->steps) {
		sheaf_status status = sheaf_plan_next(t->plan, &t->one, err);
		t->finished = status == SHEAF_END;
		t->ended = t->finished || (status == SHEAF_OK && t->one.epoch_end);
		if (t->finished) return SHEAF_OK;
		SHEAF_TRY(status);
		SHEAF_TRY(push_all(t, q, &t->one, err));
	}
	return SHEAF_OK;
}

static bool is_empty(const sheaf_truncation *t)
{
	for (int64_t r = 0; r < t->rows; r++)
		if (t->queues[r].available) return false;
	return true;
}

/* ---- giving ---- */

static void drop_first(queue *q)
{
	memmove(q->items, q->items + 1, --q->count * sizeof *q->items);
	q->passed = 0;
}

static sheaf_status put_item(sheaf_truncation *t, sheaf_planned *out, const sheaf_item *item,
                             sheaf_error *err)
{
	void *items = out->items;
	SHEAF_TRY(sheaf_reserve(t->cx, &items, &out->room, out->count + 1, sizeof *item, err));
	out->items = (sheaf_item *)items;
	out->items[out->count++] = *item;
	return SHEAF_OK;
}

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
		SHEAF_TRY(put_item(t, out, item, err));
		step += count;
		q->passed += count;
		q->available -= count;
		if (count < left) continue;
		out->sweep_end |= q->items[0].ends_sweep;
		drop_first(q);
	}
	return SHEAF_OK;
}

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
