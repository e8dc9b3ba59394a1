/* SPDX-License-Identifier: MIT */
/* sheaf stats: statistics of all rows, and what other commands need to make such a summary (sheaf report).
 * The library counts; parts count their rows, and the summaries add up to that of the whole file. */
#include "cli.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Profiles need all entries. */
sheaf_part_rows rows_of_summary(const sheaf_dataset *dataset)
{
	return sheaf_dataset_schema(dataset)->rows == SHEAF_ENTRIES ? SHEAF_PART_KEPT : SHEAF_PART_NUMBERED;
}

/* Adds the summary of a part; `user`: the session and the summary of all. */
static sheaf_status add_state(void *user, sheaf_bytes state, sheaf_error *err)
{
	const session *s = (const session *)((void **)user)[0];
	sheaf_summary *part, *all = (sheaf_summary *)((void **)user)[1];
	SHEAF_TRY(sheaf_summary_load(state.data, state.size, s->cx, &part, err));
	sheaf_status status = sheaf_summary_merge(all, part, err);
	sheaf_summary_free(part);
	return status;
}

/* Makes a summary without rows, and tells it what --names and --target say; of a part, which has no profile
 * of its own, the merge adds that. */
sheaf_status begin_summary(const session *s, const sheaf_dataset *dataset, sheaf_summary **into,
                           sheaf_error *err)
{
	char field[256];
	sheaf_source *source;
	const char *word;
	SHEAF_TRY(sheaf_summary_new(sheaf_dataset_schema(dataset), s->cx, into, err));
	/* --names STREAM=FILE: the file has a name for each index of the stream, one on a line. */
	for (int k = 0; (word = sheaf_values_nth(&s->args->values, "names", k)); k++) {
		const char *equals = strchr(word, '=');
		size_t size = equals ? (size_t)(equals - word) : 0;
		if (size == 0 || size >= sizeof field)
			return sheaf_fail_option(err, SHEAF_USAGE, "names", ": expected STREAM=FILE, found \"%s\"", word);
		snprintf(field, sizeof field, "%.*s", (int)size, word);
		SHEAF_TRY(sheaf_source_path(equals + 1, s->cx, &source, err));
		sheaf_status status = sheaf_summary_names(*into, field, source, err);
		sheaf_source_close(source);
		SHEAF_TRY(status);
	}
	for (int k = 0; (word = sheaf_values_nth(&s->args->values, "target", k)); k++)
		SHEAF_TRY(sheaf_summary_target(*into, word, err));
	return part_is_made() ? SHEAF_OK : sheaf_summary_profile(*into, s->label, err);
}

sheaf_status gather_summary(sheaf_dataset *dataset, sheaf_summary *into, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK)
		if (!sheaf_dataset_keeps_part(dataset))
			SHEAF_TRY(sheaf_summary_add(into, frame, sheaf_dataset_row(dataset), err));
	return status == SHEAF_END ? sheaf_summary_finish(into, err) : status;
}

/* Prints a summary. Drawings that were requested (--draw) are printed everywhere; lines of blocks only on a
 * terminal, and a width of 0 leaves them out. As JSON with several files, each object begins with the name of
 * its file: the summary's text follows without its own brace, which is its first byte. */
static sheaf_status print(const session *s, const sheaf_summary *summary, sheaf_error *err)
{
	sheaf_buffer text = {0};
	bool json = as_json(s->args), named = json && s->args->nfiles > 1;
	sheaf_summary_options options = {.size = sizeof options,
	                                 .style = json ? SHEAF_JSON : SHEAF_TEXT,
	                                 .draw = sheaf_values_flag(&s->args->values, "draw"),
	                                 .drawing = terminal_drawing(STDOUT_FILENO)};
	if (!options.draw && !terminal_is(STDOUT_FILENO)) options.drawing.width = 0;
	print_file_name(s);
	SHEAF_TRY(sheaf_summary_text(summary, &options, &text, err));
	if (named) {
		json_open(NULL, "{");
		json_text("file", s->label);
		out_text(",");
	}
	(json ? out_bytes : out_drawn)(text.data + named, text.size - named);
	sheaf_buffer_reset(&text);
	return SHEAF_OK;
}

/* Summarizes all rows of an open file, and prints that; of a part the state of the summary is saved instead,
 * and a merge adds up these states. */
static sheaf_status print_stats(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_summary *summary = NULL;
	SHEAF_TRY(part_begin(s, dataset, rows_of_summary(dataset), err));
	sheaf_status status = begin_summary(s, dataset, &summary, err);
	if (status == SHEAF_OK) status = gather_summary(dataset, summary, err);
	if (status == SHEAF_OK && part_is_made()) {
		sheaf_buffer state = {0};
		status = sheaf_summary_save(summary, &state, err);
		if (status == SHEAF_OK) status = part_end(s, dataset, &state, NULL, err);
		sheaf_buffer_reset(&state);
	} else if (status == SHEAF_OK) {
		void *both[] = {(void *)(uintptr_t)s, summary};
		status = part_states(add_state, both, err);
		if (status == SHEAF_OK) status = print(s, summary, err);
	}
	sheaf_summary_free(summary);
	return status;
}

int run_stats(const arguments *args)
{
	return visit_files(args,
	                   (opening){.rows = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES},
	                   print_stats);
}
