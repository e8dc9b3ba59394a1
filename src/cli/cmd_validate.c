/* SPDX-License-Identifier: MIT */
/* sheaf validate: every violation in a file, with its place. The library goes on after each (`validate` of
 * the context), and what ends the reading counts as one, too. A file of several datasets is read as a whole
 * first, then dataset by dataset, each in the same session: one that is damaged does not hide the others. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct validation {
	const char *file;
	bool json, quiet;
	int64_t shown; /* of the findings of each rule, as text */
	int64_t violations, warnings, notes;
	rule_count rules[MAX_RULES];
	int nrules;
	bool opened; /* the file as a whole was opened: only then a part that is made has got a file of its own */
} validation;

/* A number that is known is at least `least`. */
static void json_known(const char *name, int64_t number, int64_t least)
{
	if (number >= least) json_count(name, number);
}

/* Prints one finding as a line of text, "error: PLACE: what is wrong". */
static void print_violation(const char *severity, const char *text)
{
	fact_text(false, NULL, "%: ", severity);
	out_visibly(text);
	out_text("\n");
}

/* Counts a finding of the session's context, and prints it: as JSON a line for each, with its place, what was
 * expected there and what was found; as text the first few of each rule (`shown`). While a part is made this
 * does nothing, since the part file records the findings, and the merge counts and prints them. */
static void report_problem(void *user, const sheaf_problem *problem)
{
	validation *v = (validation *)user;
	const sheaf_place *place = &problem->place;
	char text[1024];
	if (part_is_made()) return;
	v->violations += problem->severity >= SHEAF_BREACH;
	v->warnings += problem->severity == SHEAF_WARNING;
	v->notes += problem->severity == SHEAF_NOTE;
	int64_t count =
		count_rule(v->rules, &v->nrules, &(rule_count){problem->rule, FINDING_ERROR, 0, ""})->count;
	if (v->quiet) return;
	if (!v->json) {
		if (count <= v->shown)
			print_violation(severity_name(problem->severity), sheaf_problem_text(problem, text, sizeof text));
		return;
	}
	json_open(NULL, "{");
	json_text("severity", severity_name(problem->severity));
	json_text("rule", problem->rule);
	if (place->file) json_text("file", place->file);
	json_known("line", place->line, 1);
	json_known("column", place->column, 1);
	json_known("byte", place->byte, 0);
	json_known("chunk", place->chunk, 0);
	json_known(place->row_word ? place->row_word : "sequence", place->row, 0);
	if (place->stream) json_text(place->stream_word ? place->stream_word : "stream", place->stream);
	json_text("expected", problem->expected);
	json_text("found", problem->found);
	if (problem->consequence) json_text("consequence", problem->consequence);
	out_text("}\n");
}

/* Whether a status says that the file is bad, which is what this command looks for. Such a failure ends the
 * reading of a dataset and counts as one more violation (report_end); any other failure says that the command
 * could not do its work, and ends it. */
static bool is_finding(sheaf_status status) { return status == SHEAF_DATA || status == SHEAF_SHORT; }

/* Counts and prints the failure that ended the reading of a dataset, as one more violation. */
static void report_end(validation *v, const sheaf_error *err)
{
	v->violations++;
	if (v->quiet) return;
	if (!v->json) {
		print_violation("error", err->message);
		return;
	}
	json_open(NULL, "{");
	json_text("severity", "error");
	json_text("rule", err->status == SHEAF_SHORT ? "end of input" : "unreadable");
	json_text("file", v->file);
	json_text("message", err->message);
	out_text("}\n");
}

/* ---- the summary ---- */

/* Adds ", 3 warnings" to the line of the summary, or nothing for 0. *separator stands before the first count
 * of the line, and becomes ", ". */
static void put_count(const char **separator, int64_t n, const char *noun)
{
	char text[64];
	if (n == 0) return;
	out_text(*separator);
	out_text(plural(text, n, noun));
	*separator = ", ";
}

/* Prints the outcome of a file: whether it is valid, and how many findings of each severity it has. As text
 * this follows a line for each rule of which there were more findings than were printed one by one. */
static void print_summary(const validation *v)
{
	const char *separator = ": ";
	if (v->json) {
		json_open(NULL, "{");
		json_text("file", v->file);
		json_flag("valid", !v->violations);
		json_count("violations", v->violations);
		json_count("warnings", v->warnings);
		json_count("notes", v->notes);
		out_text("}\n");
		return;
	}
	for (int i = 0; i < v->nrules && !v->quiet; i++)
		if (v->rules[i].count > v->shown)
			out_printf("%.400s: %" PRId64 " more of this kind: %s%s\n", v->file, v->rules[i].count - v->shown,
			           v->rules[i].rule, parts_are_merged() ? "" : " (--limit prints more)");
	out_text(v->file);
	if (v->violations == 0) {
		out_text(": valid");
		separator = ", ";
	}
	put_count(&separator, v->violations, "violation");
	put_count(&separator, v->warnings, "warning");
	put_count(&separator, v->notes, "portability note");
	out_text("\n");
}

/* ---- one file ---- */

/* The datasets of a file, which are opened one after the other. */
typedef struct others {
	session *s;
	validation *v;
	/* The file, as the library keeps it from one dataset to the next (see sheaf_container_options): each
	 * sheaf_open fills and reuses it, and validate_file closes it. NULL: none was opened yet, or the format
	 * keeps nothing. */
	sheaf_source *kept;
	const char *format; /* once one was opened: the others need not be recognised */
} others;

/* Reads the dataset that `member` names to its end, or the file as a whole if that is NULL; the findings go
 * to report_problem. *datasets_read is set as soon as it is open: for how many of the file's datasets it
 * stands, since streams that are read together are datasets of their own.
 *
 * A part is made of the file as a whole. It is finished here, and the failure that ended the reading is then
 * recorded in the part file as a finding, and not returned. */
static sheaf_status read_all(others *o, const char *member, int *datasets_read, sheaf_error *err)
{
	session *s = o->s;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status;
	SHEAF_TRY(session_open(s, s->label, &(opening){.member = member, .kept = &o->kept, .format = o->format},
	                       &dataset, err));
	o->format = sheaf_format_about(sheaf_dataset_format(dataset)).name;
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	*datasets_read = schema->rows == SHEAF_SEQUENCES && schema->nfields > 1 ? schema->nfields : 1;
	status = member ? SHEAF_OK : part_begin(s, dataset, SHEAF_PART_COUNTED, err);
	while (status == SHEAF_OK && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK)
		status = out_check(err);
	if (part_is_made() && is_finding(status)) {
		const sheaf_error failure = *err;
		status = part_end(s, dataset, NULL, &failure, err);
	} else if (part_is_made() && status == SHEAF_END) {
		status = part_end(s, dataset, NULL, NULL, err);
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Validates the dataset at `path`, one of those that a file lists, and names it if it is not valid. A bad
 * dataset is a finding and no failure, so that the next one is read as well. "/" is the file as a whole,
 * which read_datasets has read. */
static sheaf_status read_other(void *user, const char *path, sheaf_error *err)
{
	others *o = (others *)user;
	sheaf_error failure = {0};
	int64_t violations_before = o->v->violations;
	int datasets_read;
	if (strcmp(path, "/") == 0) return SHEAF_OK;
	sheaf_status status = read_all(o, path, &datasets_read, &failure);
	if (is_finding(status)) {
		report_end(o->v, &failure);
	} else if (status) {
		*err = failure;
		return status;
	}
	if (!o->v->json && o->v->violations > violations_before)
		out_printf("%s: dataset ", o->v->file), out_visibly(path), out_text(": not valid\n");
	return SHEAF_OK;
}

/* Reads the file as a whole, and then, if it lists more datasets than that has covered, each of these. A file
 * of several datasets may be bad as a whole (a finding), or cannot be opened without the name of a dataset
 * (USAGE): neither keeps the datasets from being read. Standard input, a part, and a dataset that --dataset
 * names are read as a whole only. */
static sheaf_status read_datasets(others *o, sheaf_error *err)
{
	int listed = 0, datasets_read = 0;
	session *s = o->s;
	validation *v = o->v;
	sheaf_error why;
	bool whole_only =
		part_is_made() || strcmp(s->label, "-") == 0 || sheaf_values_text(&s->args->values, "dataset");
	sheaf_status status = whole_only ? SHEAF_OK : count_members(s, s->label, &listed, &why);
	if (status) listed = 0;
	status = sheaf_forgive(status, "a file that cannot be listed is read, and says why then");
	if (status) {
		*err = why;
		return status;
	}
	status = read_all(o, NULL, &datasets_read, err);
	v->opened = datasets_read > 0;
	bool others_remain = listed > 1 && listed > datasets_read;
	bool can_go_on = !status || status == SHEAF_USAGE || is_finding(status);
	if (!others_remain || !can_go_on) return status;
	if (is_finding(status)) report_end(v, err);
	return each_member(s, s->label, read_other, o, err);
}

/* Validates one file in a session of its own, and returns the exit code: DIFFERENT if it has violations, the
 * code of the failure (which *err keeps for the caller) if the command could not do its work.
 *
 * A part that was made ends without a summary, since its file has the findings, and the merge counts them. If
 * the file could not even be opened there is no part file, and the summary says what was found. */
static int validate_file(const arguments *args, validation *v, bool *used, sheaf_error *err)
{
	session s;
	session_options options = {
		.label = v->file, .inputs = 1, .validate = true, .on_problem = report_problem, .user = v};
	options.used = used;
	sheaf_status status = session_begin(&s, args, &options, err);
	if (status) return say_failure(err);
	others o = {.s = &s, .v = v};
	status = read_datasets(&o, err);
	sheaf_source_close(o.kept);
	session_end(&s);
	if (is_finding(status))
		report_end(v, err);
	else if (status)
		return say_failure(err);
	if (part_is_made() && v->opened) return EXIT_FINE;
	print_summary(v);
	status = out_flush(err);
	if (status) return say_failure(err);
	return v->violations ? EXIT_DIFFERENT : EXIT_FINE;
}

/* Validates each file in its turn, and returns the worst of their exit codes. */
static int validate_each(const arguments *args, bool *used, const void *user)
{
	int worst = EXIT_FINE;
	(void)user;
	for (int i = 0; i < args->nfiles && !was_interrupted() && !pipe_is_broken(); i++) {
		sheaf_error err = {0};
		validation v = {.file = args->files[i],
		                .json = as_json(args),
		                .shown = sheaf_values_number(&args->values, "limit", 20),
		                .quiet = sheaf_values_flag(&args->values, "quiet")};
		int code = validate_file(args, &v, used, &err);
		if (code > worst) worst = code;
		if (err.status == SHEAF_USAGE) break; /* the next file will say the same */
	}
	return was_interrupted() ? EXIT_INTERRUPTED : worst;
}

int run_validate(const arguments *args) { return with_shared_options(args, validate_each, NULL); }
