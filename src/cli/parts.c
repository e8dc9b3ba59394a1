/* SPDX-License-Identifier: MIT */
/* Commands that read a file in parts: each part ends in a part file instead of a result, and sheaf merge runs
 * the command once more, with the parts instead of the rows.
 *
 *     sheaf hash --part 1/2 data.csv 1.part    reads rows of the first half, and saves the state of the hash
 *     sheaf hash --part 2/2 data.csv 2.part
 *     sheaf merge 1.part 2.part                sheaf hash data.csv, with both states instead of rows
 *
 * A part file records the options that affect the result, a line each (options_of), so that the merge has the
 * same and parts of different jobs are told apart; findings are recorded, too, and reported by the merge
 * alone. Which of the two a process does is a state of the process (`now`): commands ask it at their
 * beginning and end. convert has parts of its own kind, in the library. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The state of the process: which part is being made, and by whom, or which parts are being merged. */
static struct {
	const char *part; /* "I/N", or NULL */
	part_maker maker;
	bool silent;
	char *options; /* lines, from part_begin to part_end; NULL: none */
	sheaf_parts *merged;
} now;

void parts_make(const char *part, part_maker maker, bool silent)
{
	now.part = part;
	now.maker = maker;
	now.silent = silent;
}

void parts_make_none(void) { parts_make(NULL, (part_maker){0}, false); }

void parts_merge(sheaf_parts *parts) { now.merged = parts; }

bool part_is_made(void) { return now.part != NULL; }

const char *part_wanted(const arguments *args)
{
	return now.part ? now.part : sheaf_values_text(&args->values, "part");
}

part_maker part_making(void) { return now.maker; }

bool part_is_silent(void) { return now.silent; }

/* ---- in the middle of a command ---- */

/* Appends a line "NAME=VALUE" or "NAME" to *text, which may move, unless the option affects only how the work
 * is done, and not its result. */
static sheaf_status put_line(char **text, const sheaf_setting *setting, sheaf_error *err)
{
	static const char *const without_effect[] = {"part",  "output", "threads", "max-memory", "progress",
	                                             "quiet", "index",  "force",   "config"};
	const char *name = setting->name, *value = setting->value;
	for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
		if (strcmp(name, without_effect[i]) == 0) return SHEAF_OK;
	if (value && strchr(value, '\n'))
		return sheaf_fail_option(
			err, SHEAF_UNSUPPORTED, name,
			": expected a value without line feeds, since it is written into a part file");
	size_t used = strlen(*text), room = used + strlen(name) + (value ? strlen(value) : 0) + sizeof "=\n";
	char *longer = realloc(*text, room);
	if (!longer) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	*text = longer;
	snprintf(longer + used, room - used, value ? "%s=%s\n" : "%s\n", name, value);
	return SHEAF_OK;
}

/* A line for each option that affects the result; the caller frees *text, also on failure. */
static sheaf_status options_of(const arguments *args, char **text, sheaf_error *err)
{
	*text = calloc(1, 1);
	if (!*text) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	for (int i = 0; i < args->values.count; i++) SHEAF_TRY(put_line(text, &args->own[i], err));
	for (int i = 0; i < args->nsettings; i++) SHEAF_TRY(put_line(text, &args->settings[i], err));
	return SHEAF_OK;
}

/* Called by a command before its first row: says whether the rows come from parts (a merge), go into a part
 * (`rows`: what must be kept of them), or neither. The sink of a part is opened before anything is read, so
 * that a file which must not be replaced is refused at once; the dataset owns it from then on. */
sheaf_status part_begin(const session *s, sheaf_dataset *dataset, sheaf_part_rows rows, sheaf_error *err)
{
	sheaf_sink *sink;
	if (now.merged) return sheaf_dataset_take_parts(dataset, now.merged, err);
	if (!now.part) return SHEAF_OK;
	free(now.options); /* of a file that could not be read */
	SHEAF_TRY(options_of(s->args, &now.options, err));
	SHEAF_TRY(now.maker.open(now.maker.user, s->cx, &sink, err));
	return sheaf_dataset_take_part(dataset, now.part, rows, sink, err);
}

/* Called by a command after its last row: finishes the part with the state of the result (NULL: it has none)
 * and the failure that ended the reading (NULL: none did), and the options from part_begin. */
sheaf_status part_end(const session *s, sheaf_dataset *dataset, const sheaf_buffer *state,
                      const sheaf_error *failure, sheaf_error *err)
{
	sheaf_part_outcome outcome = {
		.size = sizeof outcome, .job = s->args->command->name, .failure = failure, .options = now.options};
	if (state) outcome.state = state->data, outcome.state_size = state->size;
	sheaf_status status = sheaf_dataset_finish_part(dataset, &outcome, err);
	free(now.options);
	now.options = NULL;
	return status;
}

bool parts_are_merged(void) { return now.merged != NULL; }

/* Makes the index of a part, or of all parts that are merged; *done says that a part was made, which is no
 * index yet. */
sheaf_status part_of_index(const session *s, sheaf_dataset *dataset, bool *done, sheaf_error *err)
{
	char *options = NULL;
	sheaf_sink *sink;
	*done = part_is_made();
	if (!*done) return sheaf_dataset_write_index(dataset, now.merged, err);
	sheaf_status status = options_of(s->args, &options, err);
	if (status == SHEAF_OK) status = now.maker.open(now.maker.user, s->cx, &sink, err);
	if (status == SHEAF_OK) status = sheaf_dataset_index_part(dataset, now.part, options, sink, err);
	free(options);
	return status;
}

/* Calls `add` with the state of each part that is merged, in the order of the parts; parts that have none,
 * since no row was theirs, are passed over. Without a merge there are no parts, and nothing happens. */
sheaf_status part_states(sheaf_status (*add)(void *user, sheaf_bytes state, sheaf_error *err), void *user,
                         sheaf_error *err)
{
	sheaf_bytes state;
	int n = sheaf_parts_about(now.merged).count;
	for (int i = 0; i < n; i++) {
		SHEAF_TRY(sheaf_parts_state(now.merged, i, &state, err));
		if (state.size) SHEAF_TRY(add(user, state, err));
	}
	return SHEAF_OK;
}

/* ---- a part ---- */

bool makes_part(const arguments *args)
{
	return (args->command->shared & TAKES_PART) && args->command->run != run_convert &&
	       sheaf_values_text(&args->values, "part");
}

/* Opens the part file that --part names, the second operand; `user`: the arguments. */
static sheaf_status open_file(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err)
{
	const arguments *args = (const arguments *)user;
	return sheaf_sink_path(args->files[1], sheaf_values_flag(&args->values, "force"), cx, out, err);
}

/* Runs the command to make one part, and returns its exit code. The command gets one operand less, since its
 * output is the part file, which part_begin opens. */
int run_part(const arguments *args)
{
	arguments one = *args;
	if (args->nfiles != 2) {
		char found[64];
		say("error", "sheaf %s: expected one FILE and the part file OUT with --part, found %s",
		    args->command->name, plural(found, args->nfiles, "operand"));
		return EXIT_USAGE;
	}
	one.nfiles = 1;
	const part_maker maker = {.open = open_file, .user = &one};
	parts_make(sheaf_values_text(&args->values, "part"), maker, false);
	int code = args->command->run(&one);
	parts_make_none();
	return code;
}

/* ---- all of them ---- */

enum { PASSED_ON = 4 };

/* The command line with which the command of the parts is run again. */
typedef struct rerun {
	const arguments *args;      /* of merge */
	char *text;                 /* the options of the parts, cut at their lines */
	char **words;               /* the command line; they point into the texts here, and are not freed */
	int n;                      /* of words */
	char passed[PASSED_ON][64]; /* the texts of the options that are passed on from merge */
} rerun;

static void add_word(rerun *r, char *word) { r->words[r->n++] = word; }

/* Turns the options of the parts, a line each, into words of the command line: "LINE" becomes "--LINE". Makes
 * room for the words that make_arguments adds. */
static sheaf_status split_options(rerun *r, const char *options, sheaf_error *err)
{
	size_t n = strlen(options), count = 1;
	for (const char *at = options; *at; at++) count += *at == '\n';
	r->text = malloc(n + 2 * count + 1);
	r->words = calloc(count + PASSED_ON + 8, sizeof *r->words);
	if (!r->text || !r->words)
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	char *to = r->text;
	for (const char *at = options; *at;) {
		size_t size = strcspn(at, "\n");
		add_word(r, to);
		to += sprintf(to, "--%.*s", (int)size, at) + 1;
		at += size + (at[size] == '\n');
	}
	return SHEAF_OK;
}

/* Makes the arguments with which the parts are merged: those that the parts were made with, and what the
 * command line of merge says about how to work. `output` NULL: the command has none. *inner refers to *r, and
 * is to be freed before it. */
static sheaf_status make_arguments(rerun *r, const sheaf_parts *parts, const char *output, arguments *inner,
                                   sheaf_error *err)
{
	static const char *const names[PASSED_ON] = {"threads", "max-memory", "progress", "quiet"};
	const sheaf_values *values = &r->args->values;
	const sheaf_parts_info about = sheaf_parts_about(parts);
	const command *c = command_find(about.job);
	if (!c || !(c->shared & TAKES_PART) || c->run == run_convert)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "merge: expected parts of a command that works in parts, found %s", about.job);
	SHEAF_TRY(split_options(r, about.options, err));
	for (int i = 0; i < PASSED_ON; i++) {
		const char *value = sheaf_values_text(values, names[i]);
		if (!value && !sheaf_values_flag(values, names[i])) continue;
		snprintf(r->passed[i], sizeof r->passed[i], value ? "--%s=%s" : "--%s", names[i], value);
		add_word(r, r->passed[i]);
	}
	if (sheaf_values_flag(values, "force")) add_word(r, (char *)(uintptr_t) "--force");
	add_word(r, (char *)(uintptr_t) "--");
	add_word(r, (char *)(uintptr_t)about.input);
	if (output) add_word(r, (char *)(uintptr_t)output);
	return arguments_parse(c, r->n, r->words, inner, err);
}

/* The parts are the state of the process while the command runs (now.merged), and stay the caller's. */
int run_merged(const arguments *args, sheaf_parts *parts, const char *output)
{
	rerun r = {.args = args};
	sheaf_error err;
	arguments inner;
	int code;
	sheaf_status status = make_arguments(&r, parts, output, &inner, &err);
	if (status == SHEAF_OK) {
		parts_merge(parts);
		code = inner.command->run(&inner);
		if (is_to_run_again()) code = inner.command->run(&inner);
		parts_merge(NULL);
		arguments_free(&inner);
	} else {
		code = say_failure(&err);
	}
	free(r.text);
	free((void *)r.words);
	return code;
}

/* Opens the first n operands as part files. The parts own the sources, also if they cannot be opened as
 * parts; only sources that were opened before another could not be are closed here. */
static sheaf_status open_sources(const arguments *args, int n, sheaf_context *cx, sheaf_parts **out,
                                 sheaf_error *err)
{
	int opened = 0;
	sheaf_source **sources = calloc((size_t)n, sizeof *sources);
	sheaf_status status = SHEAF_OK;
	if (!sources) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for parts, found none");
	for (; opened < n && status == SHEAF_OK; opened++)
		status = sheaf_source_path(args->files[opened], cx, &sources[opened], err);
	if (status == SHEAF_OK)
		status = sheaf_parts_open(sources, n, cx, out, err);
	else
		for (int i = 0; i < opened - 1; i++) sheaf_source_close(sources[i]);
	free(sources);
	return status;
}

/* Looks whether the first operand of merge is a part of a reading command, and if so does the whole merge;
 * *code is then the exit code. False: the operands are for the library's merge. What cannot be looked into is
 * reported here as well. */
bool merges_readings(const arguments *args, int *code)
{
	struct stat info;
	sheaf_context *cx;
	sheaf_parts *parts = NULL;
	sheaf_error err;
	char job[SHEAF_PART_JOB] = "";
	sheaf_context_options options = {.size = sizeof options,
	                                 .max_memory = sheaf_values_number(&args->values, "max-memory", 0)};
	/* What can be read only once is left for whoever merges it. */
	if (stat(args->files[0], &info) != 0 || !S_ISREG(info.st_mode)) return false;
	sheaf_status status = sheaf_context_new(&options, &cx, &err);
	if (status == SHEAF_OK) status = sheaf_part_job(args->files[0], cx, job, &err);
	bool is_done_here = status || (*job && strcmp(job, "convert") != 0);
	bool has_output = strcmp(job, "report") == 0; /* the last operand is an output */
	int n = args->nfiles - has_output;
	if (status == SHEAF_OK && is_done_here && n < 1) {
		say("error", "sheaf merge: expected the name of the output after the parts, found none");
		*code = EXIT_USAGE;
	} else if (is_done_here) {
		if (status == SHEAF_OK) status = open_sources(args, n, cx, &parts, &err);
		*code = status ? say_failure(&err) : run_merged(args, parts, has_output ? args->files[n] : NULL);
		sheaf_parts_close(parts);
	}
	sheaf_context_free(cx);
	return is_done_here;
}
