/* SPDX-License-Identifier: MIT */
/* sheaf diff: compare the contents of two files. */
#include "cli.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct differences {
	const arguments *args;
	bool json;
	int64_t limit, printed;
	bool more;
} differences;

static void print_text(const sheaf_difference *difference)
{
	const char *lead = "";
	if (difference->row >= 0) {
		out_printf("sequence %" PRId64, difference->row);
		lead = ", ";
	}
	if (difference->stream) {
		out_text(lead);
		out_text("stream \"");
		out_text(difference->stream);
		out_text("\"");
		lead = ", ";
	}
	if (difference->sample >= 0) {
		out_printf("%ssample %" PRId64, lead, difference->sample);
		lead = ", ";
	}
	if (*lead) out_text(": ");
	out_text(difference->a);
	out_text(" | ");
	out_text(difference->b);
	out_text("\n");
}

static void print_json(const sheaf_difference *difference)
{
	bool first = true;
	out_text("{");
	if (difference->row >= 0) out_json_count(&first, "sequence", difference->row);
	if (difference->stream) out_json_member(&first, "stream", difference->stream);
	if (difference->sample >= 0) out_json_count(&first, "sample", difference->sample);
	out_json_member(&first, "a", difference->a);
	out_json_member(&first, "b", difference->b);
	out_text("}\n");
}

/* Asks for one difference more than are printed, to know whether there is one. */
static bool tell_difference(void *user, const sheaf_difference *difference)
{
	differences *d = (differences *)user;
	sheaf_error ignored;
	if (d->printed == d->limit) {
		d->more = true;
		return false;
	}
	d->printed++;
	if (d->json)
		print_json(difference);
	else
		print_text(difference);
	return out_check(&ignored) == SHEAF_OK;
}

static void print_outcome(const differences *d, bool equal)
{
	bool first = true;
	if (d->json) {
		out_text("{");
		out_json_key(&first, "equal");
		out_text(equal ? "true" : "false");
		out_json_count(&first, "differences", d->printed);
		out_json_key(&first, "more");
		out_text(d->more ? "true}\n" : "false}\n");
		return;
	}
	out_text(d->args->files[0]);
	out_text(" and ");
	out_text(d->args->files[1]);
	out_text(equal ? " are equal" : " differ");
	if (d->more && d->limit > 0) out_printf("; only the first %" PRId64 " differences are shown", d->limit);
	out_text("\n");
}

static sheaf_status compare(const arguments *args, sheaf_dataset *a, sheaf_dataset *b, bool *equal, sheaf_error *err)
{
	const sheaf_values *values = &args->values;
	differences d = {.args = args, .json = sheaf_values_flag(values, "json"), .limit = sheaf_values_number(values, "limit", 20)};
	sheaf_diff_options options = {
		.size = sizeof options,
		.keys = sheaf_values_flag(values, "keys"),
		.strict = sheaf_values_flag(values, "strict"),
		.on_difference = tell_difference,
		.user = &d,
	};
	SHEAF_TRY(sheaf_diff(a, b, &options, equal, err));
	if (!sheaf_values_flag(values, "quiet")) print_outcome(&d, *equal);
	return out_flush(err);
}

/* ---- the two files ---- */

static bool is_used(const arguments *args, int file, const char *option)
{
	const char *from = sheaf_values_text(&args->values, "from");
	const sheaf_format *format = from ? sheaf_format_find(from) : sheaf_format_of_name(args->files[file]);
	if (!format) return true; /* not known before the file is opened, which checks it, too */
	const sheaf_option *row = sheaf_option_find(format->options, option);
	return row && (row->use & SHEAF_READING);
}

/* An option that only one side's format uses is for that side; one that neither uses stays, to be refused. */
static sheaf_status pick_settings(const arguments *args, int file, arguments *picked, sheaf_error *err)
{
	*picked = *args;
	picked->nsettings = 0;
	picked->settings = calloc((size_t)args->nsettings + 1, sizeof *picked->settings);
	if (!picked->settings) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	for (int i = 0; i < args->nsettings; i++) {
		const char *name = args->settings[i].name;
		if (is_used(args, file, name) || !is_used(args, 1 - file, name)) picked->settings[picked->nsettings++] = args->settings[i];
	}
	return SHEAF_OK;
}

static sheaf_status open_file(const arguments *args, int file, session *s, sheaf_dataset **out, sheaf_error *err)
{
	arguments picked;
	session_options options = {.label = args->files[file], .slot = file, .inputs = 2};
	SHEAF_TRY(session_begin(s, args, &options, err));
	SHEAF_TRY(pick_settings(args, file, &picked, err));
	s->args = &picked;
	sheaf_status status = session_open(s, args->files[file], true, 0, out, err);
	s->args = args;
	free(picked.settings);
	return status;
}

static sheaf_status compare_files(const arguments *args, session sessions[2], bool *equal, sheaf_error *err)
{
	sheaf_dataset *datasets[2] = {NULL, NULL};
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < 2 && status == SHEAF_OK; i++) status = open_file(args, i, &sessions[i], &datasets[i], err);
	if (status == SHEAF_OK) status = compare(args, datasets[0], datasets[1], equal, err);
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
	return status;
}

int run_diff(const arguments *args)
{
	session sessions[2] = {{0}, {0}};
	sheaf_error err;
	bool equal = false;
	sheaf_status status = compare_files(args, sessions, &equal, &err);
	for (int i = 0; i < 2; i++) session_end(&sessions[i]);
	if (status) return say_failure(&err);
	return equal ? EXIT_FINE : EXIT_DIFFERENT;
}
