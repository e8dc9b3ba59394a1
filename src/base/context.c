/* SPDX-License-Identifier: MIT */
/* The context: counted memory, the stop flag, and the channel that decides what a problem leads to. */
#include "base/context.h"
#include "base/checked.h"
#include "base/memory.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MEMORY_GIB = 4, MAX_RULES = 96, ALIGNMENT = 64 };

struct sheaf_context {
	sheaf_context_options options;
	_Atomic int64_t memory, peak;
	atomic_bool stopped;
	sheaf_context *parent; /* whose stop flag counts, too; NULL: none */
	pthread_mutex_t lock;  /* of what follows, and of the calls to on_problem */
	int64_t by_severity[SHEAF_FATAL + 1];
	int64_t losses;
	sheaf_tally tally[MAX_RULES];
	int rules;
};

static void *default_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes)
{
	(void)user;
	if (new_bytes == 0) {
		free(memory);
		return NULL;
	}
	void *fresh = NULL;
	if (posix_memalign(&fresh, ALIGNMENT, new_bytes) != 0) return NULL;
	if (memory) {
		memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
		free(memory);
	}
	return fresh;
}

sheaf_status sheaf_context_new(const sheaf_context_options *options, sheaf_context **out, sheaf_error *err)
{
	static const sheaf_context_options defaults = {.size = sizeof defaults};
	*out = NULL;
	if (!options) options = &defaults;
	if (options->size != sizeof *options) return sheaf_fail(err, SHEAF_USAGE, "context options: expected size %zu, found %zu", sizeof *options, options->size);
	void *(*reallocate)(void *, void *, size_t, size_t) = options->reallocate ? options->reallocate : default_reallocate;
	sheaf_context *cx = (sheaf_context *)reallocate(options->user, NULL, 0, sizeof *cx);
	if (!cx) return sheaf_fail(err, SHEAF_NOMEM, "expected %zu bytes of memory, found none", sizeof *cx);
	memset(cx, 0, sizeof *cx);
	cx->options = *options;
	cx->options.reallocate = reallocate;
	if (cx->options.max_memory <= 0) cx->options.max_memory = (int64_t)DEFAULT_MEMORY_GIB << 30;
	int sys = pthread_mutex_init(&cx->lock, NULL);
	if (sys) {
		reallocate(options->user, cx, sizeof *cx, 0);
		return sheaf_fail_sys(err, sys, "context: expected a lock, found an error");
	}
	*out = cx;
	return SHEAF_OK;
}

sheaf_status sheaf_context_quiet(sheaf_context *cx, sheaf_context **out, sheaf_error *err)
{
	sheaf_context_options options = cx->options;
	options.on_problem = NULL;
	options.on_progress = NULL;
	options.validate = true;
	options.max_memory -= atomic_load(&cx->memory); /* what is left of it now */
	if (options.max_memory < 1) options.max_memory = 1;
	SHEAF_TRY(sheaf_context_new(&options, out, err));
	(*out)->parent = cx;
	return SHEAF_OK;
}

void sheaf_context_free(sheaf_context *cx)
{
	if (!cx) return;
	pthread_mutex_destroy(&cx->lock);
	cx->options.reallocate(cx->options.user, cx, sizeof *cx, 0);
}

void sheaf_context_stop(sheaf_context *cx) { atomic_store(&cx->stopped, true); }

sheaf_status sheaf_check_stop(sheaf_context *cx, sheaf_error *err)
{
	if (!atomic_load_explicit(&cx->stopped, memory_order_relaxed) && !(cx->parent && atomic_load(&cx->parent->stopped))) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_STOPPED, "stopped on request");
}

bool sheaf_is_validating(const sheaf_context *cx) { return cx->options.validate; }
bool sheaf_allows_loss(const sheaf_context *cx) { return cx->options.allow_loss; }
int64_t sheaf_max_errors(const sheaf_context *cx) { return cx->options.max_errors; }
int64_t sheaf_max_memory(const sheaf_context *cx) { return cx->options.max_memory; }

void sheaf_progress(sheaf_context *cx, int64_t done, int64_t total)
{
	if (cx->options.on_progress) cx->options.on_progress(cx->options.user, done, total);
}

/* ---- problems ---- */

bool sheaf_context_tally(const sheaf_context *cx, int i, sheaf_tally *out)
{
	if (i < 0 || i >= cx->rules) return false;
	*out = cx->tally[i];
	return true;
}

int64_t sheaf_context_problems(const sheaf_context *cx, sheaf_severity at_least)
{
	int64_t sum = 0;
	for (int s = (int)at_least; s <= SHEAF_FATAL; s++) sum += cx->by_severity[s];
	return sum;
}

int64_t sheaf_context_losses(const sheaf_context *cx) { return cx->losses; }

static void count(sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity)
{
	/* Losses have a policy of their own and spend no error budget. */
	if (problem->status == SHEAF_LOSS)
		cx->losses++;
	else
		cx->by_severity[severity]++;
	for (int i = 0; i < cx->rules; i++) {
		if (strcmp(cx->tally[i].rule, problem->rule) != 0) continue;
		cx->tally[i].count++;
		return;
	}
	if (cx->rules < MAX_RULES) cx->tally[cx->rules++] = (sheaf_tally){problem->rule, severity, problem->status, 1};
}

static sheaf_severity weigh(const sheaf_context_options *options, const sheaf_problem *problem)
{
	bool promoted = problem->severity == SHEAF_WARNING || problem->severity == SHEAF_BREACH || (problem->severity == SHEAF_NOTE && options->validate);
	return options->strict && promoted && problem->status != SHEAF_LOSS ? SHEAF_ERROR : problem->severity;
}

static bool passes(const sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity)
{
	/* Losses never stop a call at once: a conversion goes through all data to name every kind, and fails then. */
	if (cx->options.validate || problem->status == SHEAF_LOSS) return true;
	if (severity == SHEAF_ERROR) return cx->by_severity[SHEAF_ERROR] <= cx->options.max_errors;
	return severity < SHEAF_ERROR;
}

/* What would have been left out is of no interest once nothing is read on. */
static sheaf_status stop(const sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity, sheaf_error *err)
{
	char text[sizeof err->message];
	sheaf_problem last = *problem;
	last.consequence = NULL;
	if (severity == SHEAF_ERROR)
		last.consequence = cx->options.max_errors ? "that is one error more than --max-errors tolerates" : "it ends here (--max-errors N tolerates so many)";
	return sheaf_fail(err, problem->status, "%s", sheaf_problem_text(&last, text, sizeof text));
}

static sheaf_status report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_severity severity = weigh(&cx->options, problem);
	if (severity == SHEAF_NOTE && !cx->options.validate) return SHEAF_OK;
	count(cx, problem, severity);
	if (!passes(cx, problem, severity)) {
		return stop(cx, problem, severity, err);
	}
	sheaf_problem told = *problem;
	told.severity = severity;
	if (problem->status == SHEAF_LOSS && !cx->options.allow_loss) told.consequence = NULL; /* nothing will be written */
	if (cx->options.on_problem) cx->options.on_problem(cx->options.user, &told);
	return SHEAF_OK;
}

sheaf_status sheaf_report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err)
{
	pthread_mutex_lock(&cx->lock);
	sheaf_status status = report(cx, problem, err);
	pthread_mutex_unlock(&cx->lock);
	return status;
}

sheaf_status sheaf_check_losses(sheaf_context *cx, int64_t before, const char *file, const char *format, sheaf_error *err)
{
	char kinds[600];
	size_t used = 0;
	if (cx->options.allow_loss || cx->losses <= before) return SHEAF_OK;
	for (int i = 0; i < cx->rules && used < sizeof kinds; i++) {
		const sheaf_tally *tally = &cx->tally[i];
		if (tally->status != SHEAF_LOSS) continue;
		int n = snprintf(kinds + used, sizeof kinds - used, "%s%s (%" PRId64 ")", used ? ", " : "", tally->rule, tally->count);
		used += n > 0 ? (size_t)n : 0;
	}
	return sheaf_fail(err, SHEAF_LOSS, "%s: expected data that format %s can hold, found loss: %s; the output is abandoned", file, format, kinds);
}

/* ---- memory ---- */

int64_t sheaf_context_memory(const sheaf_context *cx, int64_t *peak)
{
	if (peak) *peak = atomic_load(&cx->peak);
	return atomic_load(&cx->memory);
}

static sheaf_status over_limit(int64_t most, int64_t now, size_t size, sheaf_error *err)
{
	uint64_t need;
	if (__builtin_add_overflow((uint64_t)now, (uint64_t)size, &need)) need = UINT64_MAX;
	return sheaf_fail(err, SHEAF_LIMIT, "memory: expected at most %" PRId64 " bytes (the limit, --max-memory), found a need for %" PRIu64, most, need);
}

static sheaf_status charge(sheaf_context *cx, size_t size, sheaf_error *err)
{
	int64_t now = atomic_load(&cx->memory), most = cx->options.max_memory;
	do {
		if (size > (size_t)(most - now)) return over_limit(most, now, size, err);
	} while (!atomic_compare_exchange_weak(&cx->memory, &now, now + (int64_t)size));
	now += (int64_t)size;
	int64_t peak = atomic_load(&cx->peak);
	while (now > peak && !atomic_compare_exchange_weak(&cx->peak, &peak, now)) {
	}
	return SHEAF_OK;
}

static sheaf_status refused(sheaf_error *err, size_t size) { return sheaf_fail(err, SHEAF_NOMEM, "memory: expected %zu bytes, found none", size); }

sheaf_status sheaf_reallocate(sheaf_context *cx, void **memory, size_t old_size, size_t new_size, sheaf_error *err)
{
	if (new_size > old_size) SHEAF_TRY(charge(cx, new_size - old_size, err));
	void *fresh = cx->options.reallocate(cx->options.user, *memory, old_size, new_size);
	if (!fresh && new_size) {
		if (new_size > old_size) atomic_fetch_sub(&cx->memory, (int64_t)(new_size - old_size));
		return refused(err, new_size);
	}
	if (new_size < old_size) atomic_fetch_sub(&cx->memory, (int64_t)(old_size - new_size));
	*memory = fresh;
	return SHEAF_OK;
}

sheaf_status sheaf_allocate(sheaf_context *cx, size_t size, void **out, sheaf_error *err)
{
	*out = NULL;
	if (size == 0) size = 1; /* so that NULL means failure everywhere */
	SHEAF_TRY(sheaf_reallocate(cx, out, 0, size, err));
	memset(*out, 0, size);
	return SHEAF_OK;
}

sheaf_status sheaf_allocate_array(sheaf_context *cx, size_t n, size_t size, void **out, sheaf_error *err)
{
	size_t bytes;
	*out = NULL;
	if (!sheaf_mul_size(&bytes, n, size)) return refused(err, SIZE_MAX);
	return sheaf_allocate(cx, bytes, out, err);
}

void sheaf_release(sheaf_context *cx, void *memory, size_t size)
{
	if (!memory) return;
	if (size == 0) size = 1;
	cx->options.reallocate(cx->options.user, memory, size, 0);
	atomic_fetch_sub(&cx->memory, (int64_t)size);
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
