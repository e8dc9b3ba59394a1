/* SPDX-License-Identifier: MIT */
/* sheaf diff: compare the contents of two files. */
#include "cli.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct differences {
	const arguments *args;
	bool json;
	int64_t limit, printed;
	bool more;
} differences;

/* "sequence 3, stream "A", sample 2: 1 | 2": the place, as far as there is one, and both values. */
static void print_text(const sheaf_difference *difference)
{
	const char *lead = "";
	if (difference->row >= 0) {
		out_printf("sequence %" PRId64, difference->row);
		lead = ", ";
	}
	if (difference->stream) {
		out_text(lead);
		fact_text(false, NULL, "stream \"%\"", difference->stream);
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
	fact_text(false, NULL, "% | ", difference->a);
	fact_text(false, NULL, "%\n", difference->b);
}

static void print_json(const sheaf_difference *difference)
{
	json_open(NULL, "{");
	if (difference->row >= 0) json_count("sequence", difference->row);
	if (difference->stream) json_text("stream", difference->stream);
	if (difference->sample >= 0) json_count("sample", difference->sample);
	if (difference->place) json_text("entry", difference->place);
	json_text("a", difference->a);
	json_text("b", difference->b);
	out_text("}\n");
}

/* Asks for one difference more than will be printed, to know whether there are more. */
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
	sheaf_status status = out_check(&ignored); /* the code that closes the output reports it */
	return !status;
}

static void print_outcome(const differences *d, bool equal)
{
	if (d->json) {
		json_open(NULL, "{");
		json_flag("equal", equal);
		json_count("differences", d->printed);
		json_flag("more", d->more);
		out_text("}\n");
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
		.keys = sheaf_values_flag(values, "compare=keys"),
		.types = sheaf_values_flag(values, "compare=types") || sheaf_values_flag(values, "strict"),
		.on_difference = tell_difference,
		.user = &d,
	};
	SHEAF_TRY(sheaf_diff(a, b, &options, equal, err));
	if (!sheaf_values_flag(values, "quiet")) print_outcome(&d, *equal);
	return out_flush(err);
}

/* ---- the two files ---- */

static sheaf_status open_again(const arguments *args, session sessions[2], int i, opening how,
                               sheaf_dataset *datasets[2], sheaf_error *err)
{
	sheaf_close(datasets[i]);
	datasets[i] = NULL;
	return session_open(&sessions[i], args->files[i], &how, &datasets[i], err);
}

/* What says how a table or a tensor becomes sequences is for one side, or for both, but not for neither. */
static sheaf_status make_sequences(const arguments *args, session sessions[2], sheaf_dataset *datasets[2],
                                   sheaf_error *err)
{
	bool table = sheaf_values_text(&args->values, "sequences"),
		 tensor = sheaf_values_text(&args->values, "lengths") && !without_lengths(args), done = false;
	for (int i = 0; i < 2; i++) {
		sheaf_row_kind kind = sheaf_dataset_schema(datasets[i])->rows;
		if (!(table && kind == SHEAF_CELLS) && !(tensor && kind == SHEAF_ENTRIES)) continue;
		SHEAF_TRY(open_again(args, sessions, i, (opening){0}, datasets, err));
		done = true;
	}
	return (table || tensor) && !done ? open_again(args, sessions, 0, (opening){0}, datasets, err) : SHEAF_OK;
}

/* The name of the first of several columns of a table; "" for anything else. */
static const char *first_column(const sheaf_schema *schema)
{
	return schema->rows == SHEAF_CELLS && schema->nfields > 1 ? schema->fields[0].name : "";
}

/* If the files have rows of different kinds, one is opened again as the other is: a tensor as sequences or as
 * rows of a table, and a table whose header begins with "key" or "sequence" as sequences. A vector and a
 * table of several columns are compared as entries, of which the first column has the coordinates. */
static sheaf_status match_kinds(const arguments *args, session sessions[2], sheaf_dataset *datasets[2],
                                sheaf_error *err)
{
	SHEAF_TRY(make_sequences(args, sessions, datasets, err));
	for (int i = 0; i < 2; i++) {
		const sheaf_schema *own = sheaf_dataset_schema(datasets[i]);
		const sheaf_schema *other = sheaf_dataset_schema(datasets[1 - i]);
		bool table = strcmp(first_column(own), "key") == 0 || strcmp(first_column(own), "sequence") == 0;
		bool is = own->rows == SHEAF_ENTRIES || (other->rows == SHEAF_SEQUENCES && table);
		if (own->rows == other->rows || !is) continue;
		opening how = {.plain = true, .rows = 1u << other->rows};
		if (own->rows == SHEAF_ENTRIES && own->tensor.rank == 1 && *first_column(other))
			how.coordinates = first_column(other);
		return open_again(args, sessions, i, how, datasets, err);
	}
	return SHEAF_OK;
}

static sheaf_status open_files(const arguments *args, session sessions[2], bool *used,
                               sheaf_dataset *datasets[2], sheaf_error *err)
{
	bool alone = false; /* one of the files has no datasets that could be named */
	for (int i = 0; i < 2; i++) {
		session_options options = {.label = args->files[i], .slot = i, .inputs = 2, .used = used};
		SHEAF_TRY(session_begin(&sessions[i], args, &options, err));
		opening how = {.plain = true};
		sheaf_status status = session_open(&sessions[i], args->files[i], &how, &datasets[i], err);
		if (status == SHEAF_USAGE && !alone && strcmp(err->option, "dataset") == 0) {
			alone = true;
			how.member = "/";
			status = session_open(&sessions[i], args->files[i], &how, &datasets[i], err);
		}
		SHEAF_TRY(status);
	}
	SHEAF_TRY(match_kinds(args, sessions, datasets, err));
	/* An option of formats may apply to only one side, but not to neither. */
	for (int i = 0; i < args->nsettings; i++)
		if (!used[i])
			return sheaf_fail(err, SHEAF_USAGE,
			                  "--%s: expected an option that the format of one of the files uses, found one "
			                  "that neither uses",
			                  args->settings[i].name);
	return SHEAF_OK;
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
