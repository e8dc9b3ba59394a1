/* SPDX-License-Identifier: MIT */
/* The plan walks through an order, item by item, and cuts batches: items go into a batch until the next one
 * would make it larger than the size, or an end comes. Every shard walks through all items, so that all of
 * them agree on where batches begin, and keeps its own. The place of the walk is plan->mark, which is all
 * that a state has to keep. */
#include "batch/plan.h"
#include "base/context.h"
#include "batch/reserve.h"
#include <inttypes.h>

enum { AHEAD = 64 }; /* items that an order is asked for at a time */

/* Positions are below this number, so that no sum of a position and the length of a batch or a sweep
 * overflows. */
#define END_OF_POSITIONS ((int64_t)1 << 62)

struct sheaf_plan {
	const sheaf_rows *rows;
	sheaf_plan_options options;
	sheaf_context *cx;
	void *order;
	sheaf_buckets *buckets; /* between the order and the plan; NULL: there are none */
	sheaf_mixture *mixture; /* instead of the order; NULL: there is none */
	/* Of the size of a batch: all of it, or this shard's share if it counts only its own items. */
	int64_t share;
	sheaf_mark mark;         /* before the next item */
	sheaf_item ahead[AHEAD]; /* items [at, have) come next, */
	int64_t at, have;
	int64_t ahead_sweep;      /* and all are of this sweep */
	int64_t epoch, epoch_end; /* the number of the current epoch, and the position of its end */
	/* With SHEAF_REST_DROP: the next batch, which is planned early to know whether there is one. */
	sheaf_planned pending;
	bool has_pending;
};

/* ---- opening ---- */

void sheaf_planned_free(sheaf_planned *planned, sheaf_context *cx)
{
	sheaf_release(cx, planned->items, planned->room * sizeof *planned->items);
	*planned = (sheaf_planned){0};
}

sheaf_status sheaf_planned_add(sheaf_planned *planned, const sheaf_item *item, sheaf_context *cx,
                               sheaf_error *err)
{
	sheaf_item added = *item; /* which may be one of planned->items */
	SHEAF_TRY(sheaf_reserve(cx, &planned->items, &planned->room, planned->count + 1, sizeof added, err));
	planned->items[planned->count++] = added;
	return SHEAF_OK;
}

void sheaf_plan_close(sheaf_plan *plan)
{
	if (!plan) return;
	sheaf_buckets_close(plan->buckets);
	sheaf_mixture_close(plan->mixture);
	plan->options.order->close(plan->order);
	sheaf_planned_free(&plan->pending, plan->cx);
	sheaf_release(plan->cx, plan, sizeof *plan);
}

/* Makes `epoch` the current epoch, and computes the position of its end, which is beyond all positions while
 * the size of an epoch is unknown. */
static void enter_epoch(sheaf_plan *plan, int64_t epoch)
{
	plan->epoch = epoch;
	if (plan->options.epoch_size == 0 ||
	    __builtin_mul_overflow(epoch + 1, plan->options.epoch_size, &plan->epoch_end))
		plan->epoch_end = INT64_MAX;
}

/* Computes the size of an epoch that is given in sweeps, once the number of samples in a sweep is known: not
 * while the table of rows grows. Every step that needs the size calls this first. */
static sheaf_status settle_epoch(sheaf_plan *plan, sheaf_error *err)
{
	sheaf_plan_options *o = &plan->options;
	if (o->epoch_size || plan->rows->grow) return SHEAF_OK;
	if (__builtin_mul_overflow(o->sweeps ? o->sweeps : 1, plan->rows->samples, &o->epoch_size))
		return sheaf_fail(err, SHEAF_USAGE, "sweeps: expected fewer than have 2^63 samples, found %" PRId64,
		                  o->sweeps);
	enter_epoch(plan, plan->epoch);
	return SHEAF_OK;
}

/* Moves to the beginning of an epoch, which must be at a position below 2^63. */
static sheaf_status go_to_epoch(sheaf_plan *plan, int64_t epoch, sheaf_error *err)
{
	int64_t start;
	SHEAF_TRY(settle_epoch(plan, err));
	if (__builtin_mul_overflow(epoch, plan->options.epoch_size, &start))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "epoch %" PRId64 ": expected a position below 2^63, found one beyond", epoch);
	return sheaf_plan_seek(plan, start, err);
}

/* Items come from the order, from buckets that group those of the order by length, or from a mixture of
 * several orders; the plan owns whichever it opens. */
sheaf_status sheaf_plan_open(const sheaf_rows *rows, const sheaf_plan_options *options, sheaf_context *cx,
                             sheaf_plan **out, sheaf_error *err)
{
	sheaf_plan *plan;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *plan, &plan, err));
	*plan = (sheaf_plan){.rows = rows, .options = *options, .cx = cx, .share = options->size};
	if (!options->global) {
		/* CNTK's way to divide a size: the first shards get the remainder. */
		plan->share = options->size / options->world + (options->rank < options->size % options->world);
		if (plan->share == 0) plan->share = 1;
	}
	enter_epoch(plan, options->first_epoch);
	sheaf_status status = settle_epoch(plan, err);
	sheaf_mixture_options mixture = {options->order, options->arranged, options->first_chunks,
	                                 options->weights, options->mixed};
	if (status == SHEAF_OK)
		status = options->mixed ? sheaf_mixture_open(rows, &mixture, cx, &plan->mixture, err)
		                        : options->order->open(rows, &options->arranged, cx, &plan->order, err);
	sheaf_bucket_options buckets = {options->order, plan->order, options->arranged.seed, options->size,
	                                options->unit};
	if (status == SHEAF_OK && options->bucket && !options->mixed)
		status = sheaf_buckets_open(rows, &buckets, cx, &plan->buckets, err);
	if (status == SHEAF_OK && options->first_epoch) status = go_to_epoch(plan, options->first_epoch, err);
	if (status)
		sheaf_plan_close(plan);
	else
		*out = plan;
	return status;
}

/* ---- walking ---- */

/* *item becomes the item that comes next, which stays in the plan. Items are asked for at most
 * AHEAD at a time, and all of them are of one sweep. */
static sheaf_status peek(sheaf_plan *plan, const sheaf_item **item, sheaf_error *err)
{
	if (plan->at == plan->have) {
		SHEAF_TRY(sheaf_check_stop(plan->cx, err));
		plan->at = plan->have = 0;
		plan->ahead_sweep = plan->mark.sweep;
		sheaf_item_run run = {plan->mark.sweep, plan->mark.ordinal, AHEAD, plan->ahead};
		SHEAF_TRY(plan->mixture   ? sheaf_mixture_fill(plan->mixture, &run, err)
		          : plan->buckets ? sheaf_buckets_fill(plan->buckets, &run, err)
		                          : plan->options.order->fill(plan->order, &run, err));
		plan->have = run.n;
		SHEAF_TRY(settle_epoch(plan, err));
	}
	*item = &plan->ahead[plan->at];
	return SHEAF_OK;
}

/* Goes past the item that peek has returned: the mark is then before the item after it, perhaps at the
 * beginning of the next sweep. */
static void pass(sheaf_plan *plan)
{
	plan->mark.position += plan->ahead[plan->at++].samples;
	if (++plan->mark.ordinal < plan->rows->rows) return;
	plan->mark.ordinal = 0;
	plan->mark.sweep++;
	plan->at = plan->have = 0;
}

static void move_to(sheaf_plan *plan, sheaf_mark mark)
{
	plan->mark = mark;
	plan->at = plan->have = 0;
	plan->has_pending = false;
}

/* Walks to the position from a place before it that is known: items have any lengths, so that nothing but a
 * walk tells which of them comes first after a position. */
sheaf_status sheaf_plan_seek(sheaf_plan *plan, int64_t position, sheaf_error *err)
{
	const sheaf_item *item;
	if (position >= END_OF_POSITIONS)
		return sheaf_fail(err, SHEAF_USAGE, "position: expected one below 2^62, found %" PRId64, position);
	SHEAF_TRY(settle_epoch(plan, err));
	/* The walk begins with the sweep, since only a walk finds out which items are before the position; unless
	 * each item has one sample. Rows that are drawn have sweeps of unknown lengths: the walk begins with the
	 * first. */
	int64_t sweep = position / plan->rows->samples, begin = sweep * plan->rows->samples;
	bool even = plan->rows->samples == plan->rows->rows && !plan->rows->lengths;
	if (plan->rows->uneven) sweep = begin = 0;
	move_to(plan, (sheaf_mark){.sweep = sweep,
	                           .ordinal = even ? position - begin : 0,
	                           .position = even ? position : begin});
	while (plan->mark.position < position) {
		SHEAF_TRY(peek(plan, &item, err));
		pass(plan);
	}
	enter_epoch(plan, position / plan->options.epoch_size);
	return SHEAF_OK;
}

sheaf_status sheaf_plan_start_epoch(sheaf_plan *plan, int64_t epoch, int64_t epochs, sheaf_error *err)
{
	plan->options.first_epoch = epoch;
	plan->options.epochs = epochs;
	return go_to_epoch(plan, epoch, err);
}

sheaf_status sheaf_plan_resume(sheaf_plan *plan, sheaf_mark mark, sheaf_error *err)
{
	int64_t begin, samples = plan->rows->samples;
	SHEAF_TRY(settle_epoch(plan, err));
	bool sound = mark.sweep >= 0 && mark.ordinal >= 0 && mark.ordinal < plan->rows->rows &&
	             mark.position >= 0 && mark.position < END_OF_POSITIONS &&
	             !__builtin_mul_overflow(mark.sweep, samples, &begin);
	/* Where sweeps have one length, the position is in the sweep of the mark; at its first item it is at the
	 * beginning of the sweep. */
	bool in_sweep = sound && mark.position >= begin && mark.position - begin <= samples &&
	                (mark.ordinal > 0 || mark.position == begin);
	if (!sound || (!in_sweep && !plan->rows->uneven))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "state: expected a place in these data, found ordinal %" PRId64 " of sweep %" PRId64
		                  " at position %" PRId64,
		                  mark.ordinal, mark.sweep, mark.position);
	move_to(plan, mark);
	enter_epoch(plan, mark.position / plan->options.epoch_size);
	return SHEAF_OK;
}

sheaf_mark sheaf_plan_mark(const sheaf_plan *plan)
{
	return plan->has_pending ? plan->pending.before : plan->mark;
}

int sheaf_plan_lists(const sheaf_plan *plan) { return plan->mixture ? plan->options.mixed : 1; }

int64_t sheaf_plan_sweep(const sheaf_plan *plan, int list)
{
	return plan->mixture ? sheaf_mixture_sweep(plan->mixture, list) : plan->ahead_sweep;
}

int64_t sheaf_plan_needed(const sheaf_plan *plan, int list)
{
	return plan->mixture ? sheaf_mixture_needed(plan->mixture, list)
	                     : plan->options.order->needed(plan->order);
}

int64_t sheaf_plan_chunk(const sheaf_plan *plan, int list, int64_t i)
{
	return plan->mixture ? sheaf_mixture_chunk(plan->mixture, list, i)
	                     : plan->options.order->chunk(plan->order, i);
}

/* ---- cutting ---- */

/* Whether the next item belongs to this shard, as far as it is known before the batch is complete: of a
 * batch that is dealt among the shards then, all items do. Items that go to one shard each
 * (one_by_one) are counted through all sweeps for that. */
static bool is_own(const sheaf_plan *plan, const sheaf_item *item)
{
	const sheaf_plan_options *o = &plan->options;
	uint64_t owner = item->owner;
	if (o->world == 1) return true;
	if (o->order->dealing == SHEAF_DEAL_BATCH) {
		if (!o->one_by_one) return true; /* dealt when the batch is complete */
		owner = (uint64_t)plan->mark.sweep * (uint64_t)plan->rows->rows + (uint64_t)plan->mark.ordinal;
	}
	return owner % (uint64_t)o->world == (uint64_t)o->rank;
}

/* Whether a batch of this amount has room for one more sequence. */
static bool fits(const sheaf_plan *plan, sheaf_amount amount, uint32_t samples)
{
	return sheaf_amount_in(sheaf_amount_with(amount, samples), plan->options.unit) <= plan->share;
}

static bool is_full(const sheaf_plan *plan, sheaf_amount amount)
{
	return sheaf_amount_in(amount, plan->options.unit) >= plan->share;
}

/* Walks to the end of the batch that begins at the mark, and puts the shard's own items into *out. *amount
 * adds up what counts against the size: the shard's own items, or with o->global all of them.
 *
 * The batch ends before the next item if that would make it too large, or has to begin a batch
 * (item->begins), or where the sweep or the epoch ends: out->is_short then says that an end has cut it. */
static sheaf_status cut(sheaf_plan *plan, sheaf_planned *out, sheaf_amount *amount, sheaf_error *err)
{
	const sheaf_plan_options *o = &plan->options;
	const sheaf_item *item;
	for (bool passed = false;; passed = true, pass(plan)) {
		bool sweep_ends = passed && plan->mark.ordinal == 0 && !o->crosses;
		out->is_short = sweep_ends || (plan->mark.position >= plan->epoch_end && o->rest != SHEAF_REST_WRAP);
		if (out->is_short) return SHEAF_OK;
		SHEAF_TRY(peek(plan, &item, err));
		bool own = is_own(plan, item), counts = own || o->global;
		if (item->begins && passed) return SHEAF_OK;
		if (is_full(plan, *amount) && (own || !o->order->skips_other_shards)) return SHEAF_OK;
		/* The first item always fits, except after the end of a sweep that left the batch empty. */
		bool first = amount->sequences == 0 && plan->mark.sweep == out->before.sweep;
		if (!first && counts && !fits(plan, *amount, item->samples)) return SHEAF_OK;
		if (own) SHEAF_TRY(sheaf_planned_add(out, item, plan->cx, err));
		if (counts) *amount = sheaf_amount_with(*amount, item->samples);
	}
}

/* Repeats a batch's own items, from the first one on, until it is full; out->repeated: how many were added.
 * `amount` is that of the batch so far. */
static sheaf_status fill_up(sheaf_plan *plan, sheaf_planned *out, sheaf_amount amount, sheaf_error *err)
{
	size_t whole = out->count;
	for (size_t i = 0; whole > 0 && fits(plan, amount, out->items[i].samples); i++) {
		if (i % AHEAD == 0) SHEAF_TRY(sheaf_check_stop(plan->cx, err));
		amount = sheaf_amount_with(amount, out->items[i].samples);
		SHEAF_TRY(sheaf_planned_add(out, &out->items[i], plan->cx, err));
	}
	out->repeated = out->count - whole;
	return SHEAF_OK;
}

/* Plans the next batch, full or not, into *out, and keeps of it what this shard gets; END after the last
 * epoch. */
static sheaf_status plan_one(sheaf_plan *plan, sheaf_planned *out, sheaf_error *err)
{
	sheaf_amount amount = {0};
	out->count = out->repeated = 0;
	/* The number of the epoch follows from the place, so that a plan that continues from a mark knows it: an
	 * epoch in which no sequence begins has no batch. */
	if (plan->mark.position >= plan->epoch_end)
		enter_epoch(plan, plan->mark.position / plan->options.epoch_size);
	if (plan->epoch - plan->options.first_epoch >= plan->options.epochs) return SHEAF_END;
	out->before = plan->mark;
	SHEAF_TRY(cut(plan, out, &amount, err));
	out->after = plan->mark;
	out->sweep_end = out->after.sweep != out->before.sweep;
	out->epoch_end = out->after.position >= plan->epoch_end;
	out->is_short = out->is_short && !is_full(plan, amount);
	if (out->is_short && plan->options.rest == SHEAF_REST_PAD) SHEAF_TRY(fill_up(plan, out, amount, err));
	const sheaf_plan_options *o = &plan->options;
	if (o->order->dealing != SHEAF_DEAL_BATCH || o->one_by_one) return SHEAF_OK;
	/* The batch is dealt among all shards: this one keeps its part. */
	size_t whole = out->count - out->repeated, kept = 0;
	out->repeated = 0;
	for (size_t i = (size_t)o->rank; i < out->count; i += (size_t)o->world) {
		out->items[kept++] = out->items[i];
		out->repeated += i >= whole;
	}
	out->count = kept;
	return SHEAF_OK;
}

/* Plans the next batch that is not short into *out. Short ones are dropped: the sweeps and epochs that end
 * with them end with the batch before them, *previous, which gets their flags and their end. */
static sheaf_status plan_full(sheaf_plan *plan, sheaf_planned *out, sheaf_planned *previous, sheaf_error *err)
{
	for (;;) {
		SHEAF_TRY(plan_one(plan, out, err));
		if (!out->is_short) return SHEAF_OK;
		previous->sweep_end |= out->sweep_end;
		previous->epoch_end |= out->epoch_end;
		previous->after = out->after;
	}
}

sheaf_status sheaf_plan_next(sheaf_plan *plan, sheaf_planned *out, sheaf_error *err)
{
	sheaf_planned none = {0}; /* there is no batch before the first one */
	if (plan->options.rest != SHEAF_REST_DROP) return plan_one(plan, out, err);
	/* Short batches are dropped, so whether an epoch ends with a batch shows only when the next one is
	 * planned. */
	if (!plan->has_pending) SHEAF_TRY(plan_full(plan, &plan->pending, &none, err));
	sheaf_planned taken = plan->pending;
	plan->pending = *out; /* its items are reused */
	*out = taken;
	sheaf_status status = plan_full(plan, &plan->pending, out, err);
	plan->has_pending = status == SHEAF_OK;
	return status == SHEAF_END ? SHEAF_OK : status;
}
