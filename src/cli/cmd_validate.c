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
	bool opened; /* otherwise no part is made: everything there is to say was found at once */
} validation;

/* A number that is known is at least `least`. */
static void json_known(const char *name, int64_t number, int64_t least)
{
	if (number >= least) json_count(name, number);
}

static void print_violation(const char *severity, const char *text)
{
	fact_text(false, NULL, "%: ", severity);
	out_visibly(text);
	out_text("\n");
}

/* As JSON a line for each problem: where it is, what was expected there and what was found. As text the first
 * few of each rule. Of a part the merge counts them. */
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

/* A failure that ended the reading is also a violation. */
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

static void put_count(const char **separator, int64_t n, const char *noun)
{
	char text[64];
	if (n == 0) return;
	out_text(*separator);
	out_text(plural(text, n, noun));
	*separator = ", ";
}

/* Also how many violations of a rule were not printed one by one. */
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

/* The datasets of a file, one after the other. */
typedef struct others {
	session *s;
	validation *v;
	sheaf_source *kept;
	const char *format; /* once one was opened: the others need not be recognised */
} others;

/* *read: how many of the file's datasets that was. Streams that are read together count as one each. */
static sheaf_status read_all(others *o, const char *member, int *read, sheaf_error *err)
{
	session *s = o->s;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status;
	SHEAF_TRY(session_open(s, s->label, &(opening){.member = member, .kept = &o->kept, .format = o->format},
	                       &dataset, err));
	o->format = sheaf_format_name(sheaf_dataset_format(dataset));
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	*read = schema->rows == SHEAF_SEQUENCES && schema->nfields > 1 ? schema->nfields : 1;
	status = member ? SHEAF_OK : part_begin(s, dataset, SHEAF_PART_COUNTED, err);
	while (status == SHEAF_OK && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK)
		status = out_check(err);
	bool flawed = status == SHEAF_DATA || status == SHEAF_SHORT;
	if (part_is_made() && (flawed || status == SHEAF_END)) { /* a failure that ends the reading is a result */
		sheaf_error failure = {0};
		if (flawed) failure = *err;
		status = part_end(s, dataset, NULL, flawed ? &failure : NULL, err);
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status read_other(void *user, const char *path, sheaf_error *err)
{
	others *o = (others *)user;
	sheaf_error failure = {0};
	int64_t before = o->v->violations;
	int read;
	if (strcmp(path, "/") == 0) return SHEAF_OK;
	sheaf_status status = read_all(o, path, &read, &failure);
	if (status == SHEAF_DATA || status == SHEAF_SHORT)
		report_end(o->v, &failure);
	else if (status) {
		*err = failure;
		return status;
	}
	if (!o->v->json && o->v->violations > before)
		out_printf("%s: dataset ", o->v->file), out_visibly(path), out_text(": not valid\n");
	return SHEAF_OK;
}

/* First the file as a whole, if it does not have several datasets or cannot list them; then the remaining
 * datasets. */
static sheaf_status read_datasets(others *o, sheaf_error *err)
{
	int count = 0, read = 0;
	session *s = o->s;
	validation *v = o->v;
	sheaf_error why;
	bool one = part_is_made() || strcmp(s->label, "-") == 0 || sheaf_values_text(&s->args->values, "dataset");
	sheaf_status status = one ? SHEAF_OK : count_members(s, s->label, &count, &why);
	if (status) count = 0;
	status = sheaf_forgive(status, "a file that cannot be listed is read, and says why then");
	if (status) {
		*err = why;
		return status;
	}
	status = read_all(o, NULL, &read, err);
	v->opened = read > 0;
	if (count < 2 || count <= read ||
	    (status && status != SHEAF_USAGE && status != SHEAF_DATA && status != SHEAF_SHORT))
		return status;
	if (status == SHEAF_DATA || status == SHEAF_SHORT) report_end(v, err);
	return each_member(s, s->label, read_other, o, err);
}

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
	if (status == SHEAF_DATA || status == SHEAF_SHORT)
		report_end(v, err);
	else if (status)
		return say_failure(err);
	if (part_is_made() && v->opened) return EXIT_FINE;
	print_summary(v);
	status = out_flush(err);
	if (status) return say_failure(err);
	return v->violations ? EXIT_DIFFERENT : EXIT_FINE;
}

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
