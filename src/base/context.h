/* SPDX-License-Identifier: MIT */
/* The context from the inside: what the layers above ask of it. */
#ifndef SHEAF_BASE_CONTEXT_H
#define SHEAF_BASE_CONTEXT_H

#include <sheaf/base.h>

/* Reports one finding and says whether to go on: OK, or the problem's status with *err filled. This is where
 * strictness, the error budget, validation and allowed losses are decided, and nowhere else. */
SHEAF_USE sheaf_status sheaf_report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err);

/* A problem without its place, for those who find that out by themselves. */
typedef struct sheaf_finding {
	sheaf_severity severity;
	const char *rule, *expected, *found, *consequence;
	sheaf_status status; /* 0: DATA */
} sheaf_finding;
#define SHEAF_FINDING(...) ((sheaf_finding){__VA_ARGS__})
/* As a problem of this file. */
sheaf_problem sheaf_problem_in(const char *file, const sheaf_finding *finding);

/* The two halves of that decision, for those who keep findings to report them later: the severity that
 * counts, and whether a finding is passed where that number of errors has been found, itself included. */
sheaf_severity sheaf_weigh(const sheaf_context *cx, const sheaf_problem *problem);
bool sheaf_passes(const sheaf_context *cx, const sheaf_problem *problem, sheaf_severity severity,
                  int64_t errors);

/* A second context for a pass that only counts: it reports nothing, stops for nothing but the first one's
 * stop flag, and must be freed before the first. */
SHEAF_USE sheaf_status sheaf_context_quiet(sheaf_context *cx, sheaf_context **out, sheaf_error *err);

/* A context that differs from `cx` in one thing: what is reported to it goes to `hear`. Its stop flag is its
 * own and that of `cx`. What is allocated with it belongs to the owner of `cx`, and may stay when it ends. */
typedef struct sheaf_listener {
	sheaf_status (*hear)(void *user, const sheaf_problem *problem, sheaf_error *err);
	void *user;
} sheaf_listener;
SHEAF_USE sheaf_status sheaf_context_listen(sheaf_context *cx, sheaf_listener listener, sheaf_context **out,
                                            sheaf_error *err);
void sheaf_context_end_listening(sheaf_context *cx);
/* Whoever listens for what is reported to the context, or to listeners under it, beside all that is done
 * about it: one at a time; hear NULL: nobody. It reports nothing itself. */
void sheaf_context_overhear(sheaf_context *cx, sheaf_listener listener);
/* The context that lives as long as anything allocated with `cx`. */
sheaf_context *sheaf_context_owner(sheaf_context *cx);
/* What may outlive sheaf_context_free holds the owner until it has given its memory back. Any thread. */
void sheaf_context_hold(sheaf_context *owner);
void sheaf_context_let_go(sheaf_context *owner);

/* The threads of the context, and how many may work at once. */
struct sheaf_pool *sheaf_context_pool(const sheaf_context *cx);
int sheaf_context_threads(const sheaf_context *cx);

/* STOPPED when somebody asked for it. Call it in every loop that may run long. */
SHEAF_USE sheaf_status sheaf_check_stop(sheaf_context *cx, sheaf_error *err);

/* How many problems of status LOSS were reported so far. */
int64_t sheaf_context_losses(const sheaf_context *cx);

/* LOSS with the kinds of it where losses beyond the first `before` were reported and are not allowed; `file`
 * and `format` are the output's. */
SHEAF_USE sheaf_status sheaf_check_losses(sheaf_context *cx, int64_t before, const char *file,
                                          const char *format, sheaf_error *err);

bool sheaf_is_validating(const sheaf_context *cx);
bool sheaf_allows_loss(const sheaf_context *cx);
bool sheaf_context_system_hdf5(const sheaf_context *cx);
bool sheaf_context_allows_large(const sheaf_context *cx);
bool sheaf_context_no_mapping(const sheaf_context *cx);
int64_t sheaf_max_errors(const sheaf_context *cx);
int64_t sheaf_max_memory(const sheaf_context *cx);
/* Gives back what is kept for reuse: what comes next asks for blocks of other sizes. */
void sheaf_context_shed(sheaf_context *cx);
void sheaf_progress(sheaf_context *cx, int64_t done, int64_t total);
/* What the work is at from here on. */
void sheaf_stage(sheaf_context *cx, const char *stage);

#endif
