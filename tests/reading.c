/* SPDX-License-Identifier: MIT */
/* A reading as text. */
#include "reading.h"
#include "frame/frame.h"
#include "number/kernels/kernel.h"
#include "support.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hearing {
	guard_allocator guard; /* first, since the allocator gets a pointer to it */
	FILE *out;
} hearing;

static void say_problem(void *user, const sheaf_problem *problem)
{
	char message[1024];
	const sheaf_place *place = &problem->place;
	sheaf_problem_text(problem, message, sizeof message);
	fprintf(
		((hearing *)user)->out, "%d %s: %s (%" PRId64 ":%" PRId64 ", byte %" PRId64 ", row %" PRId64 ")\n",
		(int)problem->severity, problem->rule, message, place->line, place->column, place->byte, place->row);
}

static sheaf_status say_frame(sheaf_dataset *dataset, const sheaf_frame *frame, FILE *out, sheaf_error *error)
{
	sheaf_buffer rows = {0};
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	SHEAF_TRY(sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, error));
	sheaf_status status =
		sheaf_rows_text(frame, schema, SHEAF_JSON, sheaf_dataset_row(dataset), 0, frame->nrows, &rows, error);
	if (rows.size) fwrite(rows.data, 1, rows.size, out);
	sheaf_buffer_reset(&rows);
	for (int64_t r = 0; r < frame->nrows && frame->lines.size; r++)
		fprintf(out, "line %" PRId64 "\n", ((const int64_t *)(const void *)frame->lines.data)[r]);
	return status;
}

static sheaf_status say_frames(sheaf_dataset *dataset, FILE *out, sheaf_error *error)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, error)) == SHEAF_OK)
		SHEAF_TRY(say_frame(dataset, frame, out, error));
	return status;
}

static void say_tallies(const sheaf_context *cx, FILE *out)
{
	sheaf_tally tally;
	for (int i = 0; sheaf_context_tally(cx, i, &tally); i++)
		fprintf(out, "%s %" PRId64 "\n", tally.rule, tally.count);
}

static void read_bytes_with(const reading_how *how, sheaf_bytes input, hearing *listener)
{
	sheaf_context *cx;
	sheaf_dataset *dataset = NULL;
	sheaf_error error = {0};
	sheaf_source *source;
	sheaf_context_options options = {.size = sizeof options, .user = listener};
	options.reallocate = how->guarded ? guard_reallocate : NULL;
	options.max_errors = how->max_errors;
	options.drop_incomplete = how->drop_incomplete;
	options.validate = how->validate;
	options.on_problem = say_problem;
	assert_ok(sheaf_context_new(&options, &cx, &err));
	sheaf_open_options open = {.size = sizeof open,
	                           .format = how->format,
	                           .settings = how->settings,
	                           .nsettings = how->nsettings,
	                           .piece_bytes = how->piece_bytes};
	sheaf_status status = sheaf_source_memory(input, "x", cx, &source, &error);
	if (status == SHEAF_OK) status = sheaf_open_source(source, &open, cx, &dataset, &error);
	if (status == SHEAF_OK) status = say_frames(dataset, listener->out, &error);
	fprintf(listener->out, "%s %s\n", sheaf_status_name(status), error.message);
	say_tallies(cx, listener->out);
	sheaf_close(dataset);
	end_context(cx);
}

reading read_with(const char *kernel, const reading_how *how, sheaf_bytes input)
{
	enum { PAGE = 4096 };
	reading r = {0};
	hearing l = {.guard = {.side = how->side}, .out = open_memstream(&r.said, &r.size)};
	void *room = guard_map(input.size);
	assert_non_null(room);
	size_t beyond = how->side == GUARD_BEHIND ? (PAGE - input.size % PAGE) % PAGE : 0;
	uint8_t *at = (uint8_t *)room + beyond;
	if (input.size) memcpy(at, input.data, input.size);
	sheaf_kernel_use(kernel);
	read_bytes_with(how, (sheaf_bytes){at, input.size}, &l);
	sheaf_kernel_use(NULL);
	fclose(l.out);
	guard_unmap(room, input.size);
	assert_int_equal(l.guard.blocks, 0);
	return r;
}

void assert_same_reading(const char *kernel, const reading *wanted, const reading *found, sheaf_bytes input)
{
	size_t at = 0;
	if (wanted->size == found->size && memcmp(wanted->said, found->said, found->size) == 0) return;
	while (wanted->said[at] == found->said[at]) at++;
	while (at && wanted->said[at - 1] != '\n') at--;
	fprintf(stderr, "%.*s\n", (int)input.size, (const char *)input.data);
	fail_msg("%s: expected \"%.*s\", found \"%.*s\"", kernel, (int)strcspn(wanted->said + at, "\n"),
	         wanted->said + at, (int)strcspn(found->said + at, "\n"), found->said + at);
}

/* ---- by all kernels ---- */

static reading read_way(const way *w, const sheaf_kernel *kernel, sheaf_bytes input, guard_side side)
{
	reading_how how = {.format = w->format,
	                   .settings = w->settings,
	                   .validate = w->validate,
	                   .max_errors = 1000,
	                   .drop_incomplete = w->drop_incomplete,
	                   .piece_bytes = w->piece_bytes,
	                   .guarded = input.size % 8 < 2, /* it takes its time */
	                   .side = side};
	while (how.nsettings < (int)COUNT(w->settings) && w->settings[how.nsettings].name) how.nsettings++;
	return read_with(kernel->name, &how, input);
}

void compare_readings(const way *w, sheaf_bytes input)
{
	guard_side side = input.size % 2 ? GUARD_BEHIND : GUARD_BEFORE;
	reading wanted = read_way(w, sheaf_kernels[0], input, side);
	for (int i = 1; sheaf_kernels[i]; i++) {
		if (!sheaf_kernels[i]->is_available()) continue;
		reading found = read_way(w, sheaf_kernels[i], input, side);
		assert_same_reading(sheaf_kernels[i]->name, &wanted, &found, input);
		free(found.said);
	}
	free(wanted.said);
}
