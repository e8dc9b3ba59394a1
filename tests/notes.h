/* SPDX-License-Identifier: MIT */
/* Formats that record how they are called, and a context that records findings, in a folder of its own: for
 * tests of datasets over formats. The list of formats is the program's own: beside the two that hold
 * sequences there are some that only take notes. */
#ifndef SHEAF_TESTS_NOTES_H
#define SHEAF_TESTS_NOTES_H

#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_PIECES = 2, NOTE_ROWS = 2 };

static char calls[256];
static const char *fails_in; /* the call that fails, as its letter; NULL: none */

static void called(char letter)
{
	size_t n = strlen(calls);
	assert_true(n + 1 < sizeof calls);
	calls[n] = letter;
	calls[n + 1] = '\0';
}

static sheaf_status answer(char letter, sheaf_error *e)
{
	called(letter);
	return fails_in && strchr(fails_in, letter) ? sheaf_fail(e, SHEAF_DATA, "refused in %c", letter)
	                                            : SHEAF_OK;
}

typedef struct notes {
	SHEAF_BASE(sheaf_reader, reader);
	int cut;
} notes;

static sheaf_likely notes_probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	if (head.size >= 5 && memcmp(head.data, "NOTES", 5) == 0) return SHEAF_SURE;
	return head.size >= 5 && memcmp(head.data, "MAYBE", 5) == 0 ? SHEAF_PERHAPS : SHEAF_NO;
}

/* As sure as the other one about files named BOTH. */
static sheaf_likely rival_probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	return head.size >= 10 && memcmp(head.data, "NOTES BOTH", 10) == 0 ? SHEAF_SURE : SHEAF_NO;
}

static sheaf_status add_x(sheaf_context *cx, sheaf_schema *schema, sheaf_error *e)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(schema, cx, "x", 1, &field, e));
	sheaf_field_make_stream(field, false, 1, SHEAF_F32);
	return SHEAF_OK;
}

static sheaf_status notes_open(void *in, const sheaf_values *values, const sheaf_opening *how, sheaf_error *e)
{
	notes *n = (notes *)in;
	(void)values, (void)how;
	SHEAF_TRY(answer('O', e));
	return add_x(n->cx, &n->schema, e);
}

static sheaf_status notes_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *e)
{
	notes *n = (notes *)in;
	(void)bytes;
	SHEAF_TRY(answer('c', e));
	(void)piece;
	return n->cut++ == NOTE_PIECES ? SHEAF_END : SHEAF_OK;
}

static sheaf_status notes_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                 sheaf_context *cx, sheaf_error *e)
{
	static const int64_t offsets[] = {0, 1, 2};
	static const float values[] = {1, 2};
	(void)piece;
	SHEAF_TRY(answer('d', e));
	SHEAF_TRY(sheaf_frame_begin(frame, &((const notes *)in)->schema, cx, e));
	frame->columns[0].levels[0].offsets = borrow(offsets);
	frame->columns[0].values = borrow(values);
	frame->nrows = NOTE_ROWS;
	return SHEAF_OK;
}

static sheaf_status notes_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *e)
{
	if (!frame) return answer('s', e);
	assert_int_equal(row, (((notes *)in)->cut - 1) * NOTE_ROWS);
	return answer('r', e);
}

static sheaf_status notes_rewind(void *in, const sheaf_piece *to, sheaf_error *e)
{
	(void)to;
	((notes *)in)->cut = 0;
	return answer('R', e);
}

static void notes_close(void *in)
{
	(void)in;
	called('C');
}

static sheaf_status notes_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *e)
{
	(void)schema, (void)values;
	return answer('a', e);
}

static sheaf_facts given_totals; /* to the last create */

static sheaf_status notes_create(void *out, const sheaf_facts *totals, const sheaf_values *values,
                                 sheaf_error *e)
{
	(void)out, (void)values;
	given_totals = *totals;
	return answer('n', e);
}

static sheaf_status notes_encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                                 int64_t *samples, sheaf_error *e)
{
	(void)out, (void)frame, (void)row, (void)b, (void)samples;
	return answer('e', e);
}

static sheaf_status notes_append(void *out, const sheaf_blob *blob, sheaf_error *e)
{
	(void)blob;
	SHEAF_TRY(answer('p', e));
	return sheaf_sink_write(((sheaf_output *)out)->sink, "NOTES", 5, e);
}

static void notes_close_output(void *out)
{
	(void)out;
	called('A');
}

static sheaf_status notes_finish(void *out, sheaf_error *e)
{
	(void)out;
	return answer('F', e);
}

static const char *const notes_suffixes[] = {".notes", ".both", NULL};
static const char *const rival_suffixes[] = {".rival", ".both", NULL};
static const char *const no_suffixes[] = {NULL};
static const sheaf_option notes_options[] = {
	{"volume", SHEAF_OPTION_COUNT, SHEAF_READING, "N", "help", 0},
	{"loud", SHEAF_OPTION_FLAG, SHEAF_READING | SHEAF_WRITING, NULL, "help", 0},
	{"room", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE", "help", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

#define WRITING \
	.takes = SHEAF_TAKES_SEQUENCES, .accept = notes_accept, .create = notes_create, .encode = notes_encode, \
	.append = notes_append, .finish = notes_finish, .close = notes_close_output, \
	.output_size = sizeof(sheaf_output)

static const sheaf_writing writing = {WRITING};
static const sheaf_writing writing_with_totals = {WRITING, .needs_totals = true};
static const sheaf_writing writing_with_rows = {WRITING, .needs_rows = true};

#define NOTES(its_name, its_suffixes, its_writing, its_probe, ...) \
	{ \
		.name = its_name, .summary = "notes", .suffixes = its_suffixes, .options = notes_options, \
		.write = its_writing, .probe = its_probe, __VA_ARGS__ \
	}
#define READING \
	.reader_size = sizeof(notes), .open = notes_open, .cut = notes_cut, .decode = notes_decode, \
	.review = notes_review, .rewind = notes_rewind, .close = notes_close

static const sheaf_format format_notes =
	NOTES("notes", notes_suffixes, &writing_with_totals, notes_probe, READING);
static const sheaf_format format_rival = NOTES("rival", rival_suffixes, &writing, rival_probe, READING);
static const sheaf_format format_tally = NOTES("tally", no_suffixes, &writing_with_rows, rival_probe);
static const sheaf_format format_deaf = NOTES("deaf", no_suffixes, &writing, rival_probe);
static const sheaf_format format_mute = NOTES("mute", no_suffixes, NULL, rival_probe, READING);

extern const sheaf_format sheaf_format_ctf, sheaf_format_cbf;
const sheaf_format *const sheaf_formats[] = {&sheaf_format_ctf, &format_notes, &sheaf_format_cbf,
                                             &format_rival,     &format_deaf,  &format_mute,
                                             &format_tally,     NULL};

enum { MOST_HEARD = 32 };

typedef struct hearing {
	int count;
	sheaf_severity severity[MOST_HEARD];
	char rule[MOST_HEARD][64], text[MOST_HEARD][400];
	int64_t row[MOST_HEARD];
} hearing;

static hearing heard;
static int64_t stop_after; /* progress reports until the stop; 0: never */
static sheaf_context *cx;

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user;
	if (heard.count < MOST_HEARD) {
		int i = heard.count;
		heard.severity[i] = problem->severity;
		heard.row[i] = problem->place.row;
		snprintf(heard.rule[i], sizeof heard.rule[i], "%s", problem->rule);
		sheaf_problem_text(problem, heard.text[i], sizeof heard.text[i]);
	}
	heard.count++;
}

static void see_progress(void *user, int64_t done, int64_t total)
{
	(void)user, (void)done, (void)total;
	if (stop_after && --stop_after == 0) sheaf_context_stop(cx);
}

static sheaf_context_options hearing_options(void)
{
	/* One thread: `calls` is not for several. test_threads.c tests more of them. */
	static const sheaf_progress_options progress = {.on_progress = see_progress};
	return (sheaf_context_options){
		.size = sizeof(sheaf_context_options), .threads = 1, .on_problem = hear, .progress = &progress};
}

/* Another context, when the first one has served. */
static inline void renew(const sheaf_context_options *options)
{
	end_context(cx);
	heard = (hearing){0};
	cx = context_with(options);
}

static int set_up(void **state)
{
	sheaf_context_options options = hearing_options();
	calls[0] = '\0';
	fails_in = NULL;
	stop_after = 0;
	heard = (hearing){0};
	return make_folder(state) || sheaf_context_new(&options, &cx, &err) ? -1 : 0;
}

static int tear_down(void **state)
{
	int64_t left = sheaf_context_memory(cx, NULL);
	sheaf_context_free(cx);
	if (left) print_error("expected no memory at the end, found %lld bytes\n", (long long)left);
	return remove_folder(state) || left ? -1 : 0;
}

static sheaf_bytes text_bytes(const char *text) { return (sheaf_bytes){(const uint8_t *)text, strlen(text)}; }

static inline sheaf_dataset *open_text(const char *text, const sheaf_open_options *options)
{
	sheaf_dataset *dataset;
	assert_ok(open_bytes(text_bytes(text), "text", options, cx, &dataset));
	return dataset;
}

static inline bool is_heard(const char *rule)
{
	for (int i = 0; i < heard.count && i < MOST_HEARD; i++)
		if (strcmp(heard.rule[i], rule) == 0) return true;
	return false;
}

static inline sheaf_status convert(const char *input, const char *output,
                                   const sheaf_convert_options *options)
{
	const char *path = in_folder(input);
	sheaf_convert_options given = options ? *options : (sheaf_convert_options){.size = sizeof given};
	given.force = true;
	return sheaf_convert(&path, 1, in_folder(output), &given, cx, &err);
}

#endif
