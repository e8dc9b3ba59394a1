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
	if (difference->place) {
		out_text(lead);
		out_text(difference->place);
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
	if (difference->place) out_json_member(&first, "entry", difference->place);
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
	sheaf_status status = out_check(&ignored); /* whoever closes the output reports it */
	return !status;
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

static sheaf_status compare(const arguments *args, sheaf_dataset *a, sheaf_dataset *b, bool *equal,
                            sheaf_error *err)
{
	const sheaf_values *values = &args->values;
	differences d = {.args = args,
	                 .json = sheaf_values_flag(values, "json"),
	                 .limit = sheaf_values_number(values, "limit", 20)};
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

/* An option of formats may be for one side only, but not for neither. */
static sheaf_status check_used(const arguments *args, const bool *used, sheaf_error *err)
{
	for (int i = 0; i < args->nsettings; i++)
		if (!used[i])
			return sheaf_fail(err, SHEAF_USAGE,
			                  "--%s: expected an option that the format of one of the files uses, found one "
			                  "that neither uses",
			                  args->settings[i].name);
	return SHEAF_OK;
}

/* A tensor meets sequences, or rows of a table, as what these are. */
static sheaf_status match_kinds(const arguments *args, session sessions[2], sheaf_dataset *datasets[2],
                                sheaf_error *err)
{
	sheaf_row_kind kinds[2];
	for (int i = 0; i < 2; i++) kinds[i] = sheaf_dataset_schema(datasets[i])->rows;
	if (kinds[0] == kinds[1] || (kinds[0] != SHEAF_ENTRIES && kinds[1] != SHEAF_ENTRIES)) return SHEAF_OK;
	int i = kinds[0] == SHEAF_ENTRIES ? 0 : 1;
	sheaf_close(datasets[i]);
	datasets[i] = NULL;
	return session_open(&sessions[i], args->files[i], &(opening){.rows = 1u << kinds[1 - i]}, &datasets[i],
	                    err);
}

static sheaf_status open_files(const arguments *args, session sessions[2], bool *used,
                               sheaf_dataset *datasets[2], sheaf_error *err)
{
	for (int i = 0; i < 2; i++) {
		session_options options = {.label = args->files[i], .slot = i, .inputs = 2, .used = used};
		SHEAF_TRY(session_begin(&sessions[i], args, &options, err));
		SHEAF_TRY(session_open(&sessions[i], args->files[i], &(opening){0}, &datasets[i], err));
	}
	SHEAF_TRY(match_kinds(args, sessions, datasets, err));
	return check_used(args, used, err);
}

static sheaf_status compare_files(const arguments *args, session sessions[2], bool *equal, sheaf_error *err)
{
	sheaf_dataset *datasets[2] = {NULL, NULL};
	bool *used = calloc((size_t)args->nsettings + 1, sizeof *used);
	if (!used) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	sheaf_status status = open_files(args, sessions, used, datasets, err);
	if (status == SHEAF_OK) status = compare(args, datasets[0], datasets[1], equal, err);
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
	free(used);
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
