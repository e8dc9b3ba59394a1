/* SPDX-License-Identifier: MIT */
/* The context from the inside: what the layers above ask of it. */
#ifndef SHEAF_BASE_CONTEXT_H
#define SHEAF_BASE_CONTEXT_H

#include <sheaf/base.h>

/* Reports one finding and says whether to go on: OK, or the problem's status with *err filled. This is where strictness,
 * the error budget, validation and allowed losses are decided, and nowhere else. */
SHEAF_USE sheaf_status sheaf_report(sheaf_context *cx, const sheaf_problem *problem, sheaf_error *err);

/* A second context for a pass that only counts: it reports nothing, stops for nothing but the first one's stop flag, and must be
 * freed before the first. */
SHEAF_USE sheaf_status sheaf_context_quiet(sheaf_context *cx, sheaf_context **out, sheaf_error *err);

/* STOPPED when somebody asked for it. Call it in every loop that may run long. */
SHEAF_USE sheaf_status sheaf_check_stop(sheaf_context *cx, sheaf_error *err);

/* How many problems of status LOSS were reported so far. */
int64_t sheaf_context_losses(const sheaf_context *cx);

/* LOSS with the kinds of it where losses beyond the first `before` were reported and are not allowed; `file` and `format` are the output's. */
SHEAF_USE sheaf_status sheaf_check_losses(sheaf_context *cx, int64_t before, const char *file, const char *format, sheaf_error *err);

bool sheaf_is_validating(const sheaf_context *cx);
bool sheaf_allows_loss(const sheaf_context *cx);
int64_t sheaf_max_errors(const sheaf_context *cx);
int64_t sheaf_max_memory(const sheaf_context *cx);
void sheaf_progress(sheaf_context *cx, int64_t done, int64_t total);

#endif
