/* SPDX-License-Identifier: MIT */
/* The inside of the context: what the layers above use. */
#ifndef SHEAF_BASE_CONTEXT_H
#define SHEAF_BASE_CONTEXT_H

#include "base/status.h"

/* Reports one finding and says whether to continue: OK, or the problem's status with *err filled. Only this
 * function decides about strictness, the error budget, validation and allowed losses. */
SHEAF_USE sheaf_status sheaf_report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err);

/* A problem without its place, for callers that add it themselves. */
typedef struct sheaf_finding {
	sheaf_severity severity;
	const char *rule, *expected, *found, *consequence;
	sheaf_status status; /* 0: DATA */
} sheaf_finding;
#define SHEAF_FINDING(...) ((sheaf_finding){__VA_ARGS__})
/* As a problem with this file. */
sheaf_problem sheaf_problem_in(const char *file, const sheaf_finding *finding);

/* The two halves of that decision, for callers that keep findings to report them later: the severity that
 * counts, and whether a finding passes when that number of errors, itself included, has been found. */
sheaf_severity sheaf_weigh(const sheaf_context *cx, const sheaf_problem *problem);
bool sheaf_passes(const sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity,
                  int64_t errors);

/* A second context for a pass that only counts: it reports nothing, only the first one's stop flag stops it,
 * and it must be freed before the first. */
SHEAF_USE sheaf_status sheaf_context_quiet(sheaf_context *cx, sheaf_context **out, sheaf_error *err);

/* A context that differs from `cx` in one thing: what is reported to it goes to `hear`. Its own stop flag and
 * that of `cx` stop it. Memory allocated with it belongs to the owner of `cx`, and may outlive it. */
typedef struct sheaf_listener {
	sheaf_status (*hear)(void *user, const sheaf_problem *problem, sheaf_error *err);
	void *user;
} sheaf_listener;
SHEAF_USE sheaf_status sheaf_context_listen(sheaf_context *cx, sheaf_listener listener, sheaf_context **out,
                                            sheaf_error *err);
void sheaf_context_end_listening(sheaf_context *cx);
/* Sets who also hears what is reported to the context or to listeners under it, unless that ends the call, in
 * addition to the usual handling; one at a time, `hear` may be NULL. It reports nothing itself. */
void sheaf_context_overhear(sheaf_context *cx, sheaf_listener listener);
/* The context that lives as long as anything that was allocated with `cx`. */
sheaf_context *sheaf_context_owner(sheaf_context *cx);
/* Anything that may outlive sheaf_context_free holds the owner until its memory is freed. Any thread. */
void sheaf_context_hold(sheaf_context *owner);
void sheaf_context_let_go(sheaf_context *owner);

/* The threads of the context, and the number that may work at once. */
struct sheaf_pool *sheaf_context_pool(const sheaf_context *cx);
int sheaf_context_threads(const sheaf_context *cx);

/* STOPPED if somebody has requested a stop. Call it in every loop that may run long. */
SHEAF_USE sheaf_status sheaf_check_stop(sheaf_context *cx, sheaf_error *err);

/* The number of problems of at least this severity reported so far, losses left out. */
int64_t sheaf_context_problems(const sheaf_context *cx, sheaf_severity at_least);
/* The number of problems of status LOSS reported so far. */
int64_t sheaf_context_losses(const sheaf_context *cx);

/* The kinds of loss with their numbers, as text. */
void sheaf_context_lost(const sheaf_context *cx, char *kinds, size_t size);
/* LOSS, with the kinds of loss, if more than the first `before` losses were reported and losses are not
 * allowed; `file` and `format` are the output's. */
SHEAF_USE sheaf_status sheaf_check_losses(sheaf_context *cx, int64_t before, const char *file,
                                          const char *format, sheaf_error *err);

bool sheaf_is_validating(const sheaf_context *cx);
bool sheaf_allows_loss(const sheaf_context *cx);
bool sheaf_context_allows_large(const sheaf_context *cx);
bool sheaf_context_no_mapping(const sheaf_context *cx);
bool sheaf_drops_incomplete(const sheaf_context *cx);
/* Whether a flaw of the input can mean fewer rows instead of the end of the work. */
bool sheaf_leaves_out(const sheaf_context *cx);
int64_t sheaf_max_memory(const sheaf_context *cx);
/* Gives back what is kept for reuse: what comes next asks for blocks of other sizes. */
void sheaf_context_shed(sheaf_context *cx);
void sheaf_progress(sheaf_context *cx, int64_t done, int64_t total);
/* Sets the stage that the work has reached. */
void sheaf_stage(sheaf_context *cx, const char *stage);

#endif
