/* SPDX-License-Identifier: MIT */
/* sheaf diff: compares the contents of two files, of any two formats. Each is read in a session of its own,
 * so that both share the memory limit and each has its findings. What a file holds decides what is compared:
 * rows of the same kind as they are; of different kinds, one file is opened again as the other is
 * (match_kinds). */
#include "cli.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct differences {
	bool json, cells; /* rows of a table, whose places are rows and columns */
	int64_t limit, printed;
	bool more;
} differences;

/* Prints a difference, and says whether the comparison goes on. A line has the place, as far as there is one,
 * and both values: "sequence 3, stream "A", sample 2: 1 | 2". One difference more is asked for than is
 * printed, to know whether there are more. A failed write ends the comparison; whoever closes the output
 * reports it. */
static bool tell_difference(void *user, const sheaf_difference *difference)
{
	differences *d = (differences *)user;
	sheaf_error ignored;
	bool json = d->json, placed = difference->row >= 0; /* a part of the place is printed */
	if (d->printed == d->limit) {
		d->more = true;
		return false;
	}
	d->printed++;
	fact_open(json, NULL, "", "{");
	if (placed) fact_count(json, "sequence", d->cells ? "row %" : "sequence %", difference->row);
	if (difference->stream) {
		const char *words = d->cells ? ", column \"%\"" : ", stream \"%\"";
		fact_text(json, "stream", placed ? words : words + strlen(", "), difference->stream);
		placed = true;
	}
	if (difference->sample >= 0) {
		fact_count(json, "sample", placed ? ", sample %" : "sample %", difference->sample);
		placed = true;
	}
	if (difference->place) {
		fact_text(json, "entry", placed ? ", entry %" : "entry %", difference->place);
		placed = true;
	}
	fact_text(json, "a", placed ? ": % | " : "% | ", difference->a);
	fact_text(json, "b", "%\n", difference->b);
	fact_close(json, "", "}\n");
	sheaf_status status = out_check(&ignored);
	return !status;
}

/* Compares two open datasets, and prints the first differences (--limit) and the outcome; *equal: there are
 * none. */
static sheaf_status compare(const arguments *args, sheaf_dataset *a, sheaf_dataset *b, bool *equal,
                            sheaf_error *err)
{
	const sheaf_values *values = &args->values;
	bool json = as_json(args);
	bool cells = sheaf_dataset_schema(a)->rows == SHEAF_CELLS;
	differences d = {.json = json, .cells = cells, .limit = sheaf_values_number(values, "limit", 20)};
	sheaf_diff_options options = {
		.size = sizeof options,
		.keys = sheaf_values_flag(values, "compare=keys"),
		.types = sheaf_values_flag(values, "compare=types") || sheaf_values_flag(values, "strict"),
		.on_difference = tell_difference,
		.user = &d,
	};
	SHEAF_TRY(sheaf_diff(a, b, &options, equal, err));
	if (sheaf_values_flag(values, "quiet")) return out_flush(err);
	fact_open(json, NULL, "", "{");
	fact_text(json, NULL, "% and ", args->files[0]);
	fact_text(json, NULL, *equal ? "% are equal" : "% differ", args->files[1]);
	if (json) {
		json_flag("equal", *equal);
		json_count("differences", d.printed);
		json_flag("more", d.more);
	} else if (d.more && d.limit > 0) {
		out_printf("; only the first %" PRId64 " differences are shown", d.limit);
	}
	fact_close(json, "\n", "}\n");
	return out_flush(err);
}

/* ---- the two files ---- */

/* Opens one of the files once more, in another way. */
static sheaf_status open_again(const arguments *args, session sessions[2], int i, opening how,
                               sheaf_dataset *datasets[2], sheaf_error *err)
{
	sheaf_close(datasets[i]);
	datasets[i] = NULL;
	return session_open(&sessions[i], args->files[i], &how, &datasets[i], err);
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
	/* What says how a table or a tensor becomes sequences is for one side, or for both, but not for neither:
	 * then the first file is opened with it, so that the library refuses it. */
	bool of_table = sheaf_values_text(&args->values, "sequences"),
		 of_tensor = sheaf_values_text(&args->values, "lengths") && !without_lengths(args),
		 unused = of_table || of_tensor;
	for (int i = 0; i < 2; i++) {
		sheaf_row_kind kind = sheaf_dataset_schema(datasets[i])->rows;
		bool is_meant = (of_table && kind == SHEAF_CELLS) || (of_tensor && kind == SHEAF_ENTRIES);
		if (!is_meant) continue;
		SHEAF_TRY(open_again(args, sessions, i, (opening){0}, datasets, err));
		unused = false;
	}
	if (unused) SHEAF_TRY(open_again(args, sessions, 0, (opening){0}, datasets, err));
	for (int i = 0; i < 2; i++) {
		const sheaf_schema *own = sheaf_dataset_schema(datasets[i]);
		const sheaf_schema *other = sheaf_dataset_schema(datasets[1 - i]);
		bool has_keys = strcmp(first_column(own), "key") == 0 || strcmp(first_column(own), "sequence") == 0;
		bool can_change = own->rows == SHEAF_ENTRIES || (other->rows == SHEAF_SEQUENCES && has_keys);
		if (own->rows == other->rows || !can_change) continue;
		opening how = {.plain = true, .rows = 1u << other->rows};
		bool is_vector = own->rows == SHEAF_ENTRIES && own->tensor.rank == 1;
		if (is_vector && *first_column(other)) how.coordinates = first_column(other);
		return open_again(args, sessions, i, how, datasets, err);
	}
	return SHEAF_OK;
}

/* Opens both files in their sessions, so that their rows are of the same kind if that is possible. `used`
 * marks the settings of formats that one of them uses. A file of one dataset takes no --dataset: then the
 * name is meant for the other file. What was begun and opened is left to the caller, also after a failure. */
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

/* Sessions and datasets begin as zeros, so that all can be closed, however far the opening has come. */
int run_diff(const arguments *args)
{
	session sessions[2] = {{0}, {0}};
	sheaf_dataset *datasets[2] = {NULL, NULL};
	sheaf_error err;
	bool equal = false, *used = calloc((size_t)args->nsettings + 1, sizeof *used);
	sheaf_status status =
		used ? open_files(args, sessions, used, datasets, &err)
			 : sheaf_fail(&err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	if (status == SHEAF_OK) status = compare(args, datasets[0], datasets[1], &equal, &err);
	for (int i = 0; i < 2; i++) {
		sheaf_close(datasets[i]);
		session_end(&sessions[i]);
	}
	free(used);
	if (status) return say_failure(&err);
	return equal ? EXIT_FINE : EXIT_DIFFERENT;
}
