/* SPDX-License-Identifier: MIT */
/* The context: counted memory, the stop flag, and the channel that decides what a problem leads to. */
#include "base/context.h"
#include "base/blocks.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "base/threads/pool.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MEMORY_GIB = 4, MAX_RULES = 96 };

/* What a context and the listeners under it share. */
typedef struct home {
	sheaf_pool pool;
	sheaf_blocks blocks; /* where the caller has no allocator */
	_Atomic int64_t memory, peak;
	sheaf_mutex lock; /* guards what follows, and the calls of on_problem */
	int64_t by_severity[SHEAF_FATAL + 1];
	int64_t losses;
	sheaf_tally tally[MAX_RULES];
	int rules;
	sheaf_listener witness; /* `hear` is NULL without one */
} home;

struct sheaf_context {
	sheaf_context_options options;
	sheaf_progress_options progress; /* which those need not point to any more */
	atomic_bool stopped;
	sheaf_context *above; /* whose stop flag also counts; NULL: none */
	sheaf_context *owner; /* of the memory: this context, or the one for which it listens */
	sheaf_context *held;  /* of a quiet context: the one whose limit also counts its memory */
	atomic_llong holders; /* of an owner: the one who will free it, and each block in use */
	sheaf_pool *pool;
	home *home;
	home *ledger; /* where memory is counted: a quiet context's memory counts with that of the first one, so
	                 that one limit bounds both */
	sheaf_listener listener; /* receives what is reported; without `hear` the policy below decides */
};

/* A context that is not a listener, in one block of memory. */
typedef struct whole {
	sheaf_context cx;
	home home;
} whole;

/* Memory for a context: from the caller's allocator, if there is one. */
static void *place_of_context(const sheaf_context_options *options, void *memory, size_t old_bytes,
                              size_t new_bytes)
{
	if (options->reallocate) return options->reallocate(options->user, memory, old_bytes, new_bytes);
	free(memory);
	return new_bytes ? malloc(new_bytes) : NULL;
}

static void *reallocate(sheaf_context *cx, void *memory, size_t old_bytes, size_t new_bytes)
{
	home *h = cx->ledger;
	if (cx->options.reallocate) return cx->options.reallocate(cx->options.user, memory, old_bytes, new_bytes);
	/* Memory that is kept for later is not in use, but the limit covers both. */
	if (new_bytes &&
	    (size_t)atomic_load(&h->memory) + sheaf_blocks_spare(&h->blocks) > (size_t)cx->options.max_memory)
		sheaf_blocks_trim(&h->blocks);
	return sheaf_blocks_reallocate(&h->blocks, memory, old_bytes, new_bytes);
}

static int begin_home(home *h, const sheaf_context_options *options)
{
	enum { SHARE = 8, MOST_SPARE = 64 << 20 };
	int64_t share = options->max_memory / SHARE;
	int sys = sheaf_mutex_init(&h->lock);
	if (sys) return sys;
	sys =
		sheaf_blocks_init(&h->blocks, share < MOST_SPARE ? (size_t)share : MOST_SPARE, options->keep_memory);
	if (!sys && (sys = sheaf_pool_init(&h->pool, options->threads))) sheaf_blocks_destroy(&h->blocks);
	if (sys) sheaf_mutex_destroy(&h->lock);
	return sys;
}

static sheaf_status new_whole(const sheaf_context_options *options, whole **out, sheaf_error *err)
{
	whole *w = (whole *)place_of_context(options, NULL, 0, sizeof *w);
	if (!w) return sheaf_fail(err, SHEAF_NOMEM, "expected %zu bytes of memory, found none", sizeof *w);
	memset(w, 0, sizeof *w);
	w->cx = (sheaf_context){.options = *options,
	                        .progress = options->progress ? *options->progress : (sheaf_progress_options){0},
	                        .owner = &w->cx,
	                        .holders = 1,
	                        .home = &w->home,
	                        .ledger = &w->home,
	                        .pool = &w->home.pool};
	/* Sums of sizes are compared with the limit before they become sizes, so where size_t has 32 bits, the
	 * limit must fit it. */
	const int64_t most = SIZE_MAX < UINT64_MAX ? (int64_t)(SIZE_MAX / 4) : INT64_MAX;
	if (options->max_memory <= 0) w->cx.options.max_memory = (int64_t)DEFAULT_MEMORY_GIB << 30;
	if (w->cx.options.max_memory > most) w->cx.options.max_memory = most;
	int sys = begin_home(&w->home, &w->cx.options);
	if (sys) {
		place_of_context(options, w, sizeof *w, 0);
		return sheaf_fail_sys(err, sys, "context: expected a lock");
	}
	*out = w;
	return SHEAF_OK;
}

static sheaf_status check_options(const sheaf_context_options *options, sheaf_error *err)
{
	const sheaf_progress_options *progress = options->progress;
	if (progress) SHEAF_TRY(sheaf_check_size("progress options", progress->size, sizeof *progress, err));
	SHEAF_EXPECT(options->max_memory >= 0, "max_memory of at least 0", options->max_memory);
	SHEAF_EXPECT(options->threads >= 0, "threads of at least 0", options->threads);
	SHEAF_EXPECT(options->max_errors >= 0, "max_errors of at least 0", options->max_errors);
	return SHEAF_OK;
}

sheaf_status sheaf_context_new(const sheaf_context_options *options, sheaf_context **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	static const sheaf_context_options defaults = {.size = sizeof defaults};
	whole *w;
	if (!options) options = &defaults;
	SHEAF_TRY(sheaf_check_size("context options", options->size, sizeof *options, err));
	SHEAF_TRY(check_options(options, err));
	SHEAF_TRY(new_whole(options, &w, err));
	*out = &w->cx;
	return SHEAF_OK;
}

void sheaf_context_shed(sheaf_context *cx) { sheaf_blocks_shed(&cx->home->blocks); }

void sheaf_context_hold(sheaf_context *owner) { atomic_fetch_add(&owner->holders, 1); }

void sheaf_context_let_go(sheaf_context *owner)
{
	if (atomic_fetch_sub(&owner->holders, 1) != 1) return;
	sheaf_context *held = owner->held;
	sheaf_context_options options = owner->options;
	sheaf_blocks_destroy(&owner->home->blocks);
	sheaf_mutex_destroy(&owner->home->lock);
	place_of_context(&options, (whole *)owner, sizeof(whole), 0);
	if (held) sheaf_context_let_go(held);
}

void sheaf_context_free(sheaf_context *cx)
{
	if (!cx) return;
	/* Threads end here, since the last owner may be on any thread. */
	sheaf_pool_destroy(&cx->home->pool);
	sheaf_blocks_retire(&cx->home->blocks);
	sheaf_context_let_go(cx);
}

sheaf_status sheaf_context_quiet(sheaf_context *cx, sheaf_context **out, sheaf_error *err)
{
	whole *w;
	sheaf_context_options options = cx->options;
	options.on_problem = NULL;
	options.progress = NULL;
	options.validate = true;
	SHEAF_TRY(new_whole(&options, &w, err));
	w->cx.above = cx;
	w->cx.held = cx->owner;
	sheaf_context_hold(cx->owner);
	w->cx.ledger = cx->ledger;
	w->cx.pool = cx->pool; /* its own pool stays idle */
	*out = &w->cx;
	return SHEAF_OK;
}

sheaf_status sheaf_context_listen(sheaf_context *cx, sheaf_listener listener, sheaf_context **out,
                                  sheaf_error *err)
{
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof **out, out, err));
	**out = (sheaf_context){.options = cx->options,
	                        .progress = cx->progress,
	                        .above = cx,
	                        .owner = cx->owner,
	                        .pool = cx->pool,
	                        .home = cx->home,
	                        .ledger = cx->ledger,
	                        .listener = listener};
	return SHEAF_OK;
}

void sheaf_context_end_listening(sheaf_context *cx)
{
	if (cx) sheaf_release(cx->owner, cx, sizeof *cx);
}

void sheaf_context_overhear(sheaf_context *cx, sheaf_listener listener)
{
	sheaf_mutex_lock(&cx->home->lock);
	cx->home->witness = listener;
	sheaf_mutex_unlock(&cx->home->lock);
}

sheaf_context *sheaf_context_owner(sheaf_context *cx) { return cx->owner; }

sheaf_pool *sheaf_context_pool(const sheaf_context *cx) { return cx->pool; }

int sheaf_context_threads(const sheaf_context *cx) { return cx->pool->wanted + 1; }

void sheaf_context_stop(sheaf_context *cx)
{
	if (!cx) return;
	atomic_store(&cx->stopped, true);
}

sheaf_status sheaf_check_stop(sheaf_context *cx, sheaf_error *err)
{
	for (; cx; cx = cx->above)
		if (atomic_load_explicit(&cx->stopped, memory_order_relaxed))
			return sheaf_fail(err, SHEAF_STOPPED, "stopped on request");
	return SHEAF_OK;
}

bool sheaf_is_validating(const sheaf_context *cx) { return cx->options.validate; }
bool sheaf_allows_loss(const sheaf_context *cx) { return cx->options.allow_loss; }
bool sheaf_context_allows_large(const sheaf_context *cx) { return cx->options.allow_large; }
bool sheaf_context_no_mapping(const sheaf_context *cx) { return cx->options.no_mapping; }
bool sheaf_drops_incomplete(const sheaf_context *cx) { return cx->options.drop_incomplete; }
bool sheaf_leaves_out(const sheaf_context *cx)
{
	return cx->options.max_errors > 0 || cx->options.drop_incomplete;
}
int64_t sheaf_max_memory(const sheaf_context *cx) { return cx->options.max_memory; }

void sheaf_progress(sheaf_context *cx, int64_t done, int64_t total)
{
	if (cx->progress.on_progress) cx->progress.on_progress(cx->options.user, done, total);
}

void sheaf_stage(sheaf_context *cx, const char *stage)
{
	if (cx->progress.on_stage) cx->progress.on_stage(cx->options.user, stage);
}

/* ---- problems ---- */

bool sheaf_context_tally(const sheaf_context *cx, int i, sheaf_tally *out)
{
	if (!cx || !out) return false;
	if (i < 0 || i >= cx->home->rules) return false;
	*out = cx->home->tally[i];
	return true;
}

int64_t sheaf_context_problems(const sheaf_context *cx, sheaf_severity at_least)
{
	int64_t sum = 0;
	for (int s = (int)at_least; s <= SHEAF_FATAL; s++) sum += cx->home->by_severity[s];
	return sum;
}

int64_t sheaf_context_losses(const sheaf_context *cx) { return cx->home->losses; }

static void count(sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity)
{
	/* Losses have a policy of their own and spend no error budget. */
	if (problem->status == SHEAF_LOSS)
		cx->home->losses++;
	else
		cx->home->by_severity[severity]++;
	for (int i = 0; i < cx->home->rules; i++) {
		if (strcmp(cx->home->tally[i].rule, problem->rule) != 0) continue;
		cx->home->tally[i].count++;
		return;
	}
	if (cx->home->rules < MAX_RULES)
		cx->home->tally[cx->home->rules++] = (sheaf_tally){problem->rule, severity, problem->status, 1};
}

sheaf_severity sheaf_weigh(const sheaf_context *cx, const sheaf_problem *problem)
{
	const sheaf_context_options *options = &cx->options;
	bool left_out = options->drop_incomplete && problem->status == SHEAF_SHORT;
	sheaf_severity severity = left_out ? SHEAF_WARNING : problem->severity;
	bool promoted = severity == SHEAF_WARNING || severity == SHEAF_BREACH ||
	                (severity == SHEAF_NOTE && options->validate);
	return options->strict && promoted && problem->status != SHEAF_LOSS ? SHEAF_ERROR : severity;
}

bool sheaf_passes(const sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity,
                  int64_t errors)
{
	/* A loss never stops a call at once: a conversion reads all data to name every kind of loss, and then
	 * fails. */
	if (cx->options.validate || problem->status == SHEAF_LOSS) return true;
	if (severity == SHEAF_ERROR) return errors <= cx->options.max_errors;
	return severity < SHEAF_ERROR;
}

/* If reading stops, it does not matter what would have been left out. */
static sheaf_status stop(sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity,
                         sheaf_error *err)
{
	sheaf_problem last = *problem;
	last.consequence = NULL;
	if (severity == SHEAF_ERROR)
		last.consequence = cx->options.max_errors
		                       ? "that is one error more than " SHEAF_OPTION("max-errors") " tolerates"
		                       : "stopping at the first error (see " SHEAF_OPTION("max-errors") ")";
	return sheaf_fail_problem(err, &last);
}

static void pass_on(const sheaf_context *cx, sheaf_problem *problem)
{
	char texts[3][600], advice[32] = "";
	const char **parts[] = {&problem->expected, &problem->found, &problem->consequence};
	for (int p = 0; p < 3; p++) {
		if (!sheaf_is_to_spell(*parts[p])) continue;
		snprintf(texts[p], sizeof texts[p], "%s", *parts[p]);
		sheaf_spell(texts[p], sizeof texts[p], advice);
		*parts[p] = texts[p];
	}
	problem->advice = advice[0] ? advice : NULL;
	cx->options.on_problem(cx->options.user, problem);
}

static sheaf_status report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_severity severity = sheaf_weigh(cx, problem);
	if (severity == SHEAF_NOTE && !cx->options.validate) return SHEAF_OK;
	count(cx, problem, severity);
	if (!sheaf_passes(cx, problem, severity, cx->home->by_severity[SHEAF_ERROR]))
		return stop(cx, problem, severity, err);
	const sheaf_listener *witness = &cx->home->witness;
	if (witness->hear) SHEAF_TRY(witness->hear(witness->user, problem, err));
	sheaf_problem final = *problem;
	final.severity = severity;
	if (problem->status == SHEAF_LOSS && !cx->options.allow_loss)
		final.consequence = NULL; /* nothing will be written */
	if (cx->options.on_problem) pass_on(cx, &final);
	return SHEAF_OK;
}

sheaf_problem sheaf_problem_in(const char *file, const sheaf_finding *f)
{
	sheaf_problem problem = {
		f->severity,   f->status ? f->status : SHEAF_DATA, f->rule, SHEAF_NOWHERE, f->expected, f->found,
		f->consequence};
	problem.place.file = file;
	return problem;
}

sheaf_status sheaf_report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err)
{
	if (cx->listener.hear) return cx->listener.hear(cx->listener.user, problem, err);
	sheaf_mutex_lock(&cx->home->lock);
	sheaf_status status = report(cx, problem, err);
	sheaf_mutex_unlock(&cx->home->lock);
	return status;
}

void sheaf_context_lost(const sheaf_context *cx, char *kinds, size_t size)
{
	size_t used = 0;
	kinds[0] = '\0';
	for (int i = 0; i < cx->home->rules && used < size; i++) {
		const sheaf_tally *tally = &cx->home->tally[i];
		if (tally->status != SHEAF_LOSS) continue;
		int n = snprintf(kinds + used, size - used, "%s%s (%" PRId64 ")", used ? ", " : "", tally->rule,
		                 tally->count);
		used += n > 0 ? (size_t)n : 0;
	}
}

sheaf_status sheaf_check_losses(sheaf_context *cx, int64_t before, const char *file, const char *format,
                                sheaf_error *err)
{
	char kinds[600];
	if (cx->options.allow_loss || cx->home->losses <= before) return SHEAF_OK;
	sheaf_context_lost(cx, kinds, sizeof kinds);
	return sheaf_fail(err, SHEAF_LOSS,
	                  "%s: expected data that format %s can hold, found loss: %s; the output is abandoned "
	                  "(" SHEAF_OPTION("allow") " loss writes it anyway)",
	                  file, format, kinds);
}

/* ---- memory ---- */

int64_t sheaf_context_memory(const sheaf_context *cx, int64_t *peak)
{
	if (peak) *peak = 0;
	if (!cx) return 0;
	if (peak) *peak = atomic_load(&cx->ledger->peak);
	return atomic_load(&cx->ledger->memory);
}

static sheaf_status over_limit(int64_t most, int64_t now, size_t size, sheaf_error *err)
{
	uint64_t need;
	if (__builtin_add_overflow((uint64_t)now, (uint64_t)size, &need)) need = UINT64_MAX;
	return sheaf_fail(err, SHEAF_LIMIT,
	                  "memory: expected at most %" PRId64
	                  " bytes (the limit, " SHEAF_OPTION("max-memory") "), found a need for %" PRIu64,
	                  most, need);
}

sheaf_status sheaf_charge(sheaf_context *cx, size_t size, sheaf_error *err)
{
	int64_t now = atomic_load(&cx->ledger->memory), most = cx->options.max_memory;
	do {
		if (size > (size_t)(most - now)) return over_limit(most, now, size, err);
	} while (!atomic_compare_exchange_weak(&cx->ledger->memory, &now, now + (int64_t)size));
	now += (int64_t)size;
	int64_t peak = atomic_load(&cx->ledger->peak);
	while (now > peak && !atomic_compare_exchange_weak(&cx->ledger->peak, &peak, now)) {
	}
	return SHEAF_OK;
}

void sheaf_discharge(sheaf_context *cx, size_t size) { atomic_fetch_sub(&cx->ledger->memory, (int64_t)size); }

static sheaf_status refused(sheaf_error *err, size_t size)
{
	return sheaf_fail(err, SHEAF_NOMEM, "memory: expected %zu bytes, found none", size);
}

sheaf_status sheaf_reallocate(sheaf_context *cx, void *memory, size_t old_size, size_t new_size,
                              sheaf_error *err)
{
	void *old, *fresh;
	memcpy(&old, memory, sizeof old);
	if (new_size > old_size) SHEAF_TRY(sheaf_charge(cx, new_size - old_size, err));
	fresh = reallocate(cx, old, old_size, new_size);
	if (!fresh && new_size) {
		if (new_size > old_size) sheaf_discharge(cx, new_size - old_size);
		return refused(err, new_size);
	}
	if (new_size < old_size) sheaf_discharge(cx, old_size - new_size);
	memcpy(memory, &fresh, sizeof fresh);
	return SHEAF_OK;
}

sheaf_status sheaf_allocate(sheaf_context *cx, size_t size, void *out, sheaf_error *err)
{
	void *memory = NULL;
	if (size == 0) size = 1; /* so that NULL means failure everywhere */
	sheaf_status status = sheaf_reallocate(cx, &memory, 0, size, err);
	if (memory) memset(memory, 0, size);
	memcpy(out, &memory, sizeof memory);
	return status;
}

sheaf_status sheaf_allocate_array(sheaf_context *cx, uint64_t n, size_t size, void *out, sheaf_error *err)
{
	size_t bytes;
	if (!sheaf_mul_size(&bytes, n, size)) bytes = SIZE_MAX; /* which is over any limit */
	return sheaf_allocate(cx, bytes, out, err);
}

void sheaf_release(sheaf_context *cx, void *memory, size_t size)
{
	if (!memory) return;
	if (size == 0) size = 1;
	reallocate(cx, memory, size, 0);
	atomic_fetch_sub(&cx->ledger->memory, (int64_t)size);
}

sheaf_status sheaf_copy_text(sheaf_context *cx, const char *text, size_t n, char **out, sheaf_error *err)
{
	void *copy;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, n + 1, &copy, err));
	if (n) memcpy(copy, text, n);
	*out = (char *)copy;
	return SHEAF_OK;
}

void sheaf_release_text(sheaf_context *cx, char *text)
{
	if (text) sheaf_release(cx, text, strlen(text) + 1);
}
