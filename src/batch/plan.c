/* SPDX-License-Identifier: MIT */
#include "base/context.h"
#include "batch/plan.h"
#include "batch/reserve.h"
#include <inttypes.h>

enum { AHEAD = 64 }; /* items that are asked for at a time */

/* So far no sum of positions overflows, however long a batch, or the rest of a sweep, is. */
#define END_OF_POSITIONS ((int64_t)1 << 62)

struct sheaf_plan {
	const sheaf_rows *rows;
	sheaf_plan_options options;
	sheaf_context *cx;
	void *order;
	sheaf_buckets *buckets; /* NULL: none */
	sheaf_mixture *mixture; /* NULL: none; else the only order */
	int64_t share;          /* the shard's own share of the size */
	sheaf_mark mark;
	sheaf_item ahead[AHEAD]; /* items [at, have) come next */
	int64_t at, have;
	int64_t ahead_sweep;      /* of those items */
	int64_t epoch, epoch_end; /* number of the current epoch, and the position of its end */
	sheaf_planned pending; /* with SHEAF_REST_DROP: the next batch, planned early to know whether it comes */
	bool has_pending;
};

/* ---- opening ---- */

void sheaf_planned_free(sheaf_planned *planned, sheaf_context *cx)
{
	sheaf_release_reserved(cx, planned->items, planned->room, sizeof *planned->items);
	*planned = (sheaf_planned){0};
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

/* CNTK's way to divide a size: the first shards get the remainder. */
static int64_t share_of(const sheaf_plan_options *options)
{
	if (options->global) return options->size;
	int64_t share = options->size / options->world + (options->rank < options->size % options->world);
	return share ? share : 1;
}

static void enter_epoch(sheaf_plan *plan, int64_t epoch)
{
	plan->epoch = epoch;
	if (plan->options.epoch_size == 0 ||
	    __builtin_mul_overflow(epoch + 1, plan->options.epoch_size, &plan->epoch_end))
		plan->epoch_end = INT64_MAX;
}

/* The size of an epoch in sweeps is known once the number of samples in a sweep is known; until then its end
 * is unknown. */
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

static sheaf_status open_order(sheaf_plan *plan, sheaf_error *err)
{
	const sheaf_plan_options *options = &plan->options;
	sheaf_mixture_options mixture = {options->order, options->arranged, options->first_chunks,
	                                 options->weights, options->mixed};
	if (options->mixed) return sheaf_mixture_open(plan->rows, &mixture, plan->cx, &plan->mixture, err);
	SHEAF_TRY(options->order->open(plan->rows, &options->arranged, plan->cx, &plan->order, err));
	sheaf_bucket_options buckets = {options->order, plan->order, options->arranged.seed, options->size,
	                                options->unit};
	return options->bucket ? sheaf_buckets_open(plan->rows, &buckets, plan->cx, &plan->buckets, err)
	                       : SHEAF_OK;
}

static sheaf_status go_to_epoch(sheaf_plan *plan, int64_t epoch, sheaf_error *err)
{
	int64_t start;
	SHEAF_TRY(settle_epoch(plan, err));
	if (__builtin_mul_overflow(epoch, plan->options.epoch_size, &start))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "epoch %" PRId64 ": expected a position below 2^63, found one beyond", epoch);
	return sheaf_plan_seek(plan, start, err);
}

sheaf_status sheaf_plan_open(const sheaf_rows *rows, const sheaf_plan_options *options, sheaf_context *cx,
                             sheaf_plan **out, sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_plan), &memory, err));
	sheaf_plan *plan = (sheaf_plan *)memory;
	*plan = (sheaf_plan){.rows = rows, .options = *options, .cx = cx, .share = share_of(options)};
	enter_epoch(plan, options->first_epoch);
	sheaf_status status = settle_epoch(plan, err);
	if (status == SHEAF_OK) status = open_order(plan, err);
	if (status == SHEAF_OK && options->first_epoch) status = go_to_epoch(plan, options->first_epoch, err);
	if (status)
		sheaf_plan_close(plan);
	else
		*out = plan;
	return status;
}

/* ---- walking ---- */

static sheaf_status look_ahead(sheaf_plan *plan, sheaf_error *err)
{
	const sheaf_mark *mark = &plan->mark;
	SHEAF_TRY(sheaf_check_stop(plan->cx, err));
	plan->at = plan->have = 0;
	plan->ahead_sweep = mark->sweep;
	sheaf_item_run run = {mark->sweep, mark->ordinal, AHEAD, plan->ahead};
	SHEAF_TRY(plan->mixture   ? sheaf_mixture_fill(plan->mixture, &run, err)
	          : plan->buckets ? sheaf_buckets_fill(plan->buckets, &run, err)
	                          : plan->options.order->fill(plan->order, &run, err));
	plan->have = run.n;
	return SHEAF_OK;
}

static sheaf_status peek(sheaf_plan *plan, const sheaf_item **item, sheaf_error *err)
{
	if (plan->at == plan->have) {
		SHEAF_TRY(look_ahead(plan, err));
		SHEAF_TRY(settle_epoch(plan, err));
	}
	*item = &plan->ahead[plan->at];
	return SHEAF_OK;
}

static void pass(sheaf_plan *plan)
{
	plan->mark.position += plan->ahead[plan->at++].samples;
	if (++plan->mark.ordinal < plan->rows->rows) return;
	plan->mark.ordinal = 0;
	plan->mark.sweep++;
	plan->at = plan->have = 0;
}

static void place(sheaf_plan *plan, sheaf_mark mark)
{
	plan->mark = mark;
	plan->at = plan->have = 0;
	plan->has_pending = false;
}

sheaf_status sheaf_plan_seek(sheaf_plan *plan, int64_t position, sheaf_error *err)
{
	const sheaf_item *item;
	if (position >= END_OF_POSITIONS)
		return sheaf_fail(err, SHEAF_USAGE, "position: expected one below 2^62, found %" PRId64, position);
	SHEAF_TRY(settle_epoch(plan, err));
	int64_t sweep = position / plan->rows->samples, begin = sweep * plan->rows->samples;
	bool even = plan->rows->samples == plan->rows->rows && !plan->rows->lengths;
	if (plan->rows->uneven) sweep = begin = 0;
	place(plan, (sheaf_mark){.sweep = sweep,
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
	bool fits = sound && mark.position >= begin && mark.position - begin <= samples &&
	            (mark.ordinal > 0 || mark.position == begin);
	if (!sound || (!fits && !plan->rows->uneven))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "state: expected a place in these data, found ordinal %" PRId64 " of sweep %" PRId64
		                  " at position %" PRId64,
		                  mark.ordinal, mark.sweep, mark.position);
	place(plan, mark);
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

/* Used while one batch is made. */
typedef struct cutting {
	sheaf_planned *out;
	sheaf_amount amount; /* of the shard's own sequences, or of all */
	bool passed;         /* it has a sequence, own or not */
} cutting;

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

static sheaf_status put(sheaf_plan *plan, sheaf_planned *out, const sheaf_item *item, sheaf_error *err)
{
	void *items = out->items;
	SHEAF_TRY(sheaf_reserve(plan->cx, &items, &out->room, out->count + 1, sizeof *item, err));
	out->items = (sheaf_item *)items;
	out->items[out->count++] = *item;
	return SHEAF_OK;
}

static bool fits(const sheaf_plan *plan, sheaf_amount amount, uint32_t samples)
{
	return sheaf_amount_in(sheaf_amount_with(amount, samples), plan->options.unit) <= plan->share;
}

static bool is_full(const sheaf_plan *plan, sheaf_amount amount)
{
	return sheaf_amount_in(amount, plan->options.unit) >= plan->share;
}

/* Whether the sweep or the epoch ends before the next sequence. */
static bool at_an_end(const sheaf_plan *plan, const cutting *c)
{
	bool wraps = plan->options.rest == SHEAF_REST_WRAP;
	if (c->passed && plan->mark.ordinal == 0 && !plan->options.crosses) return true;
	return plan->mark.position >= plan->epoch_end && !wraps;
}

/* Whether the next sequence belongs to this batch. The first one always does, except after the end of a sweep
 * that left the batch empty. */
static bool belongs(const sheaf_plan *plan, const cutting *c, const sheaf_item *item, bool own)
{
	const sheaf_order *order = plan->options.order;
	bool first = c->amount.sequences == 0 && plan->mark.sweep == c->out->before.sweep;
	if (item->begins && c->passed) return false;
	if (is_full(plan, c->amount) && !(order->skips_other_shards && !own)) return false;
	return first || !(own || plan->options.global) || fits(plan, c->amount, item->samples);
}

static sheaf_status cut(sheaf_plan *plan, cutting *c, sheaf_error *err)
{
	const sheaf_item *item;
	for (;; pass(plan)) {
		c->out->is_short = at_an_end(plan, c);
		if (c->out->is_short) return SHEAF_OK;
		SHEAF_TRY(peek(plan, &item, err));
		bool own = is_own(plan, item);
		if (!belongs(plan, c, item, own)) return SHEAF_OK;
		if (own) SHEAF_TRY(put(plan, c->out, item, err));
		if (own || plan->options.global) c->amount = sheaf_amount_with(c->amount, item->samples);
		c->passed = true;
	}
}

/* Repeats a batch's own sequences until it is full. */
static sheaf_status fill_up(sheaf_plan *plan, cutting *c, sheaf_error *err)
{
	sheaf_planned *out = c->out;
	size_t whole = out->count;
	for (size_t i = 0; whole > 0 && fits(plan, c->amount, out->items[i].samples); i++) {
		if (i % AHEAD == 0) SHEAF_TRY(sheaf_check_stop(plan->cx, err));
		sheaf_item again = out->items[i];
		SHEAF_TRY(put(plan, out, &again, err));
		c->amount = sheaf_amount_with(c->amount, again.samples);
	}
	out->repeated = out->count - whole;
	return SHEAF_OK;
}

/* Keeps the shard's part of a batch that is dealt among all shards. */
static void deal(const sheaf_plan *plan, sheaf_planned *out)
{
	const sheaf_plan_options *o = &plan->options;
	size_t whole = out->count - out->repeated, kept = 0, repeated = 0;
	if (o->order->dealing != SHEAF_DEAL_BATCH || o->one_by_one) return;
	for (size_t i = (size_t)o->rank; i < out->count; i += (size_t)o->world) {
		out->items[kept++] = out->items[i];
		repeated += i >= whole;
	}
	out->count = kept;
	out->repeated = repeated;
}

static sheaf_status plan_one(sheaf_plan *plan, sheaf_planned *out, sheaf_error *err)
{
	cutting c = {.out = out};
	out->count = out->repeated = 0;
	/* The number follows from the place, so that a plan that continues from a mark knows it: an epoch in
	 * which no sequence begins has no batch. */
	if (plan->mark.position >= plan->epoch_end)
		enter_epoch(plan, plan->mark.position / plan->options.epoch_size);
	if (plan->epoch - plan->options.first_epoch >= plan->options.epochs) return SHEAF_END;
	out->before = plan->mark;
	SHEAF_TRY(cut(plan, &c, err));
	out->after = plan->mark;
	out->sweep_end = out->after.sweep != out->before.sweep;
	out->epoch_end = out->after.position >= plan->epoch_end;
	out->is_short = out->is_short && !is_full(plan, c.amount);
	if (out->is_short && plan->options.rest == SHEAF_REST_PAD) SHEAF_TRY(fill_up(plan, &c, err));
	deal(plan, out);
	return SHEAF_OK;
}

/* ---- dropping ---- */

/* The next batch that is not short. What ends with the dropped batches ends with the one before them: `ends`
 * gets the flags. */
static sheaf_status plan_full(sheaf_plan *plan, sheaf_planned *out, sheaf_planned *ends, sheaf_error *err)
{
	for (;;) {
		SHEAF_TRY(plan_one(plan, out, err));
		if (!out->is_short) return SHEAF_OK;
		ends->sweep_end |= out->sweep_end;
		ends->epoch_end |= out->epoch_end;
		ends->after = out->after;
	}
}

static sheaf_status plan_dropping(sheaf_plan *plan, sheaf_planned *out, sheaf_error *err)
{
	sheaf_planned ignored = {0};
	if (!plan->has_pending) SHEAF_TRY(plan_full(plan, &plan->pending, &ignored, err));
	sheaf_planned taken = plan->pending;
	plan->pending = *out; /* its items are reused */
	*out = taken;
	sheaf_status status = plan_full(plan, &plan->pending, out, err);
	plan->has_pending = status == SHEAF_OK;
	return status == SHEAF_END ? SHEAF_OK : status;
}

sheaf_status sheaf_plan_next(sheaf_plan *plan, sheaf_planned *out, sheaf_error *err)
{
	return plan->options.rest == SHEAF_REST_DROP ? plan_dropping(plan, out, err) : plan_one(plan, out, err);
}
