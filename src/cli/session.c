/* SPDX-License-Identifier: MIT */
/* The work on one input: its context, the findings, and their summary.
 *
 * Findings reach the user in two ways. The first few of each rule are printed as they come (report_problem),
 * and at the end one line counts all of them: "a.csv: 3 errors tolerated (field count 2, empty row 1)". If a
 * command has to begin again without an index, which turned out to be stale, nothing of what it printed may
 * have gone out: see can_do_without_index. */
#include "cli.h"
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN = 10 }; /* of each rule */

static const char *const finding_words[FINDINGS] = {"error", "warning", "loss"};

/* ---- the channel ---- */

/* Whether two rows count findings of the same rule, perhaps in different columns. */
static bool is_like(const rule_count *a, const rule_count *b)
{
	return a->kind == b->kind && strcmp(a->rule, b->rule) == 0;
}

/* Counts a finding in the row of its rule and column, which is added to `rules` if there is none, and returns
 * the row. If COLUMNS columns that break the rule have a row already, all further columns share the row
 * "other columns". */
rule_count *count_rule(rule_count rules[MAX_RULES], int *nrules, const rule_count *one)
{
	enum { COLUMNS = 8 };
	int i = 0, columns = 0;
	bool has_row = false;
	rule_count row = *one;
	for (int k = 0; k < *nrules && !has_row; k++) {
		if (!is_like(&rules[k], one)) continue;
		has_row = strcmp(rules[k].column, one->column) == 0;
		columns++;
	}
	if (!has_row && columns >= COLUMNS) snprintf(row.column, sizeof row.column, "other columns");
	while (i < *nrules && !(is_like(&rules[i], &row) && strcmp(rules[i].column, row.column) == 0)) i++;
	if (i == MAX_RULES) i--; /* no format has that many: they would share the last place */
	if (i == *nrules) {
		rules[*nrules] = row;
		rules[(*nrules)++].count = 0;
	}
	rules[i].count++;
	return &rules[i];
}

/* Receives a finding of the session's context: counts it, keeps the text of the first ones, and says it on
 * standard error if it is one of the first of its rule. Warnings and losses are said once for each column, of
 * errors SHOWN places of each rule. --quiet silences all but a loss that ends the work. A command that wants
 * its findings itself (on_problem) gets them instead. */
static void report_problem(void *user, const sheaf_problem *problem)
{
	session *s = (session *)user;
	if (part_is_silent()) return;
	if (s->on_problem) {
		s->on_problem(s->user, problem);
		return;
	}
	char text[1024];
	rule_count one = {.rule = problem->rule,
	                  .kind = problem->status == SHEAF_LOSS      ? FINDING_LOSS
	                          : problem->severity >= SHEAF_ERROR ? FINDING_ERROR
	                                                             : FINDING_WARNING};
	bool is_error = one.kind == FINDING_ERROR;
	if (!is_error && problem->place.stream)
		snprintf(one.column, sizeof one.column, "%s", problem->place.stream);
	rule_count *r = count_rule(s->rules, &s->nrules, &one);
	if (r->count == 1) sheaf_problem_text(problem, r->first, sizeof r->first);
	if (s->nsaid < MOST_SAID) sheaf_problem_text(problem, s->said[s->nsaid++], SAID);
	bool ends_work = one.kind == FINDING_LOSS && !sheaf_values_flag(&s->args->values, "allow=loss");
	if (sheaf_values_flag(&s->args->values, "quiet") && !ends_work) return;
	if (r->count <= (is_error ? SHOWN : 1))
		say(finding_words[one.kind], "%s", sheaf_problem_text(problem, text, sizeof text));
	else if (is_error && r->count == SHOWN + 1)
		say(finding_words[one.kind], "%s: further ones of this kind (%s) are counted but not shown", s->label,
		    r->rule);
}

/* For findings that a command does not show: they are counted by the context all the same. */
void ignore_problem(void *user, const sheaf_problem *problem) { (void)user, (void)problem; }

static void report_progress(void *user, int64_t done, int64_t total)
{
	progress_update(((session *)user)->slot, done, total);
}

static void report_stage(void *user, const char *stage)
{
	(void)user;
	progress_stage(stage);
}

/* ---- the summary ---- */

/* Appends to text[size], of which *used bytes are written. What does not fit is cut off; *used then is `size`
 * or more, and later calls do nothing. */
static void put(char *text, size_t size, size_t *used, const char *format, ...) SHEAF_PRINTF(4, 5);
static void put(char *text, size_t size, size_t *used, const char *format, ...)
{
	if (*used >= size) return;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text + *used, size - *used, format, args);
	va_end(args);
	*used += n > 0 ? (size_t)n : 0;
}

/* Whether row i is the first one of its rule: the rows of a rule, one for each column, are listed together
 * with it. */
static bool is_first(const session *s, int i)
{
	for (int k = 0; k < i; k++)
		if (is_like(&s->rules[k], &s->rules[i])) return false;
	return true;
}

/* Appends "missing value 30 in b, 45 in c" to the summary: row i, which is the first of its rule, and all
 * later rows of that rule. */
static void put_rule(const session *s, int i, char *text, size_t size, size_t *used)
{
	int columns = 0;
	const char *comma = "";
	for (int k = i; k < s->nrules; k++) columns += is_like(&s->rules[k], &s->rules[i]);
	put(text, size, used, "%s ", s->rules[i].rule);
	for (int k = i; k < s->nrules; k++) {
		const rule_count *r = &s->rules[k];
		if (!is_like(r, &s->rules[i])) continue;
		put(text, size, used, "%s%" PRId64, comma, r->count);
		if (columns > 1 && r->column[0]) put(text, size, used, " in %s", r->column);
		comma = ", ";
	}
}

/* Appends all findings of a kind to the summary: ", 3 errors tolerated (index range 2, empty row 1)", or
 * nothing if there are none. Of losses their kinds are counted, not each cell. */
static void put_kind(const session *s, finding kind, char *text, size_t size, size_t *used)
{
	static const char *const nouns[FINDINGS] = {"error", "warning", "kind"}, *const tails[FINDINGS] = {
																				 " tolerated", "",
																				 " of loss allowed"};
	int64_t findings = 0, rules = 0;
	char count[64];
	for (int i = 0; i < s->nrules; i++) {
		findings += s->rules[i].kind == kind ? s->rules[i].count : 0;
		rules += s->rules[i].kind == kind && is_first(s, i);
	}
	if (findings == 0) return;
	put(text, size, used, "%s%s%s (", *used ? ", " : "",
	    plural(count, kind == FINDING_LOSS ? rules : findings, nouns[kind]), tails[kind]);
	const char *comma = "";
	for (int i = 0; i < s->nrules; i++) {
		if (s->rules[i].kind != kind || !is_first(s, i)) continue;
		put(text, size, used, "%s", comma);
		put_rule(s, i, text, size, used);
		comma = ", ";
	}
	put(text, size, used, ")");
}

/* ---- beginning and end ---- */

/* What the library takes for 0, but stated here, because inputs that are read together share it. */
static const int64_t DEFAULT_MEMORY = (int64_t)4 << 30;

/* `without_index`: an index has turned out to be stale, and is not used by the rest of the run.
 * `is_required`: the user wants an index, so that a stale one ends the run. */
static bool without_index, is_required;

bool can_do_without_index(const sheaf_error *err)
{
	if (err->status != SHEAF_STALE || without_index || is_required) return false;
	return without_index = out_take_back();
}

void do_without_index(void) { without_index = true; }

static const char *const index_words[] = {[SHEAF_INDEX_AUTO] = "auto",
                                          [SHEAF_INDEX_NEVER] = "never",
                                          [SHEAF_INDEX_REQUIRE] = "require",
                                          [SHEAF_INDEX_WRITE] = "write"};

/* SHEAF_INDEX_USE, which has no word, if it is none of these. */
static sheaf_index_policy policy_of(const char *word)
{
	for (int p = SHEAF_INDEX_AUTO; p <= SHEAF_INDEX_WRITE; p++)
		if (strcmp(index_words[p], word) == 0) return (sheaf_index_policy)p;
	return SHEAF_INDEX_USE;
}

bool index_word_is_known(void)
{
	const char *word = getenv("SHEAF_INDEX");
	if (!word || !*word || policy_of(word) != SHEAF_INDEX_USE) return true;
	say("error", "SHEAF_INDEX: expected auto, never, require or write, found %s", word);
	return false;
}

sheaf_index_policy index_policy(const arguments *args)
{
	if (without_index) return SHEAF_INDEX_NEVER;
	const char *word = sheaf_values_text(&args->values, "index");
	if (!word) word = getenv("SHEAF_INDEX");
	return word && *word ? policy_of(word) : SHEAF_INDEX_AUTO;
}

/* Begins the work on one input: makes a context from the shared options, and room to count findings. After a
 * failure there is nothing to end, but session_end may be called.
 *
 * The context gets this input's share of the memory limit: inputs that are read at the same time divide it,
 * and what another context already holds is taken off. From here on a signal stops the context, and *s must
 * not move, since the context reports to it. */
sheaf_status session_begin(session *s, const arguments *args, const session_options *options,
                           sheaf_error *err)
{
	const sheaf_values *values = &args->values;
	int64_t threads = sheaf_values_number(values, "threads", 0);
	is_required = index_policy(args) == SHEAF_INDEX_REQUIRE;
	*s = (session){.args = args,
	               .label = options->label,
	               .slot = options->slot,
	               .used = options->used,
	               .on_problem = options->on_problem,
	               .user = options->user};
	static const sheaf_progress_options progress = {
		.size = sizeof progress, .on_progress = report_progress, .on_stage = report_stage};
	sheaf_context_options context = {
		.size = sizeof context,
		.max_memory =
			sheaf_values_number(values, "max-memory", DEFAULT_MEMORY) / options->inputs - options->held,
		.threads = threads < INT_MAX ? (int)threads : INT_MAX,
		/* A report shows what is wrong instead of stopping at it. */
		.max_errors =
			sheaf_values_number(values, "max-errors", args->command->run == run_report ? INT64_MAX : 0),
		.drop_incomplete = sheaf_values_flag(values, "drop-incomplete"),
		.strict = sheaf_values_flag(values, "strict"),
		.validate = options->validate,
		.allow_loss = sheaf_values_flag(values, "allow=loss"),
		.allow_large = sheaf_values_flag(values, "allow=large"),
		.on_problem = report_problem,
		.progress = &progress,
		.user = s,
	};
	if (context.max_memory <= 0) context.max_memory = 1; /* 0 would be the default */
	SHEAF_TRY(sheaf_context_new(&context, &s->cx, err));
	s->rules = (rule_count *)calloc(MAX_RULES, sizeof *s->rules);
	if (!s->rules) {
		sheaf_context_free(s->cx);
		s->cx = NULL;
		return sheaf_fail(err, SHEAF_NOMEM, "memory: no room to count findings");
	}
	progress_begin(s->slot, sheaf_values_text(values, "progress"));
	signals_watch(s->slot, s->cx);
	return SHEAF_OK;
}

/* Ends the work on one input: says the summary of its findings, unless nobody would read it, or the merge of
 * parts says it, and frees the context. Does nothing for a session that never began. */
void session_end(session *s)
{
	if (!s->cx) return;
	const sheaf_values *values = &s->args->values;
	char text[1500];
	size_t used = 0;
	progress_hide();
	signals_forget(s->slot);
	if (!sheaf_values_flag(values, "quiet") && !pipe_is_broken() && !was_interrupted() && !part_is_silent()) {
		put_kind(s, FINDING_ERROR, text, sizeof text, &used);
		put_kind(s, FINDING_WARNING, text, sizeof text, &used);
		if (sheaf_values_flag(values, "allow=loss")) put_kind(s, FINDING_LOSS, text, sizeof text, &used);
		if (used) say(NULL, "%s: %s", s->label, text);
	}
	sheaf_context_free(s->cx);
	s->cx = NULL;
	free(s->rules);
	s->rules = NULL;
}

/* Translates the shared options that say how to read into those of the library; what selects rows only for
 * commands that take it. The structs point to each other, so *out must stay where it is, and to texts of
 * `args`. */
void read_opening(const arguments *args, opening_options *out)
{
	const sheaf_values *v = &args->values;
	*out = (opening_options){
		.open = {.size = sizeof out->open,
	             .format = sheaf_values_text(v, "from"),
	             .settings = args->settings,
	             .nsettings = args->nsettings,
	             .container = &out->container,
	             .tensor = &out->tensor,
	             .sequences = &out->sequences},
		.container = {.size = sizeof out->container, .member = sheaf_values_text(v, "dataset")},
		.tensor = {.size = sizeof out->tensor,
	               .coordinates = sheaf_values_text(v, "coordinates"),
	               .value = sheaf_values_text(v, "value"),
	               .shape = sheaf_values_text(v, "shape"),
	               .matrix = sheaf_values_flag(v, "matrix")},
		.sequences = {.size = sizeof out->sequences,
	                  .layout = sheaf_values_text(v, "sequences"),
	                  .lengths = sheaf_values_text(v, "lengths")},
	};
	if (!(args->command->shared & TAKES_SELECTION)) return;
	out->open.select = (sheaf_selection){
		.skip = sheaf_values_number(v, "skip", 0),
		.rows = sheaf_values_text(v, "rows"),
		.sample = sheaf_values_text(v, "sample"),
		.where = sheaf_values_text(v, "where"),
		.streams = sheaf_values_text(v, "streams"),
		.columns = sheaf_values_text(v, "columns"),
		.transpose = sheaf_values_flag(v, "transpose"),
	};
	if (!sheaf_seed_from_text(sheaf_values_text(v, "seed"), &out->open.select.seed))
		out->open.select.seed = 0;
}

bool without_lengths(const arguments *args)
{
	const char *lengths = sheaf_values_text(&args->values, "lengths");
	return lengths && strcmp(lengths, "none") == 0;
}

/* Opens a file as the command line says, with what `how` adds to that or puts in its place. */
sheaf_status session_open(session *s, const char *path, const opening *how, sheaf_dataset **out,
                          sheaf_error *err)
{
	opening_options o;
	read_opening(s->args, &o);
	o.container.members = how->members;
	o.container.kept = how->kept;
	o.tensor.entries = how->entries;
	o.open.glance = how->glance ? SHEAF_GLANCE_SHOWING : SHEAF_GLANCE_NOT;
	o.open.used = s->used;
	o.open.piece_bytes = how->piece_bytes;
	o.open.access = how->random ? SHEAF_RANDOM : SHEAF_IN_ORDER;
	o.open.rows = how->random ? SHEAF_TAKES_SEQUENCES : how->rows;
	o.open.index =
		without_index || s->args->command->shared & TAKES_INDEX ? index_policy(s->args) : how->index;
	o.open.view = !how->shown ? SHEAF_VIEW_STREAMS : as_json(s->args) ? SHEAF_VIEW_JSON : SHEAF_VIEW_TEXT;
	if (how->format) o.open.format = how->format;
	if (how->member) o.container.member = how->member;
	if (how->plain) o.sequences.layout = NULL;
	if (how->plain && !without_lengths(s->args)) o.sequences.lengths = NULL;
	if (how->only) o.open.select.rows = how->only;
	if (how->coordinates) o.tensor.coordinates = how->coordinates;
	bool configured = s->args->config && s->args->config->ninputs > 1;
	return configured ? configured_open(s, how->input, path, &o.open, out, err)
	                  : sheaf_open(path, &o.open, s->cx, out, err);
}

/* ---- each file in turn ---- */

typedef struct visit_options {
	opening how;
	visitor visit;
} visit_options;

int with_shared_options(const arguments *args,
                        int (*work)(const arguments *args, bool *used, const void *user), const void *user)
{
	if (args->nfiles == 1) return work(args, NULL, user); /* the library refuses before anything is read */
	bool *used = calloc((size_t)args->nsettings + 1, sizeof *used);
	if (!used) return EXIT_LIMIT;
	int worst = work(args, used, user);
	/* An option of formats may apply to only some of the files, but not to none. */
	for (int i = 0; i < args->nsettings && worst == EXIT_FINE; i++) {
		if (used[i]) continue;
		say("error", "--%s: expected an option that the format of some file uses, found one that none uses",
		    args->settings[i].name);
		worst = EXIT_USAGE;
	}
	free(used);
	return worst;
}

/* Opens a file in a session of its own, and calls the visitor with it; *code is what the visitor found, as an
 * exit code (s.code), if the status is OK. If `v` can list datasets, and the file has several of which none
 * was requested, the library opens none (dataset NULL), and the list is printed instead; and so it is if the
 * file has none, or one that is not read. */
static sheaf_status visit_once(const arguments *args, const char *file, bool *used, const visit_options *v,
                               int *code, sheaf_error *err)
{
	session s;
	struct stat info;
	sheaf_dataset *dataset;
	opening how = v->how;
	int64_t members = -1;
	session_options options = {.label = file, .inputs = 1, .used = used};
	SHEAF_TRY(session_begin(&s, args, &options, err));
	out_mark();
	/* Counting the datasets of a file takes a look into it of its own, which a pipe does not allow. */
	if (how.list && strcmp(file, "-") != 0 && stat(file, &info) == 0 &&
	    (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
		how.members = &members;
	sheaf_status status = session_open(&s, file, &how, &dataset, err);
	if (status == SHEAF_OK) {
		status = how.list && !dataset ? how.list(&s, file, members, err) : v->visit(&s, dataset, err);
		sheaf_close(dataset);
	} else if (members >= 0 && (status == SHEAF_UNSUPPORTED || status == SHEAF_DATA)) {
		sheaf_error failure;
		sheaf_status listed = how.list(&s, file, members, &failure);
		if (listed) *err = failure;
		if (listed || status == SHEAF_UNSUPPORTED) status = listed; /* the file is sound */
	}
	/* So that the summary comes after it if both go to the same place. */
	if (status == SHEAF_OK) status = out_flush(err);
	session_end(&s);
	*code = s.code;
	return status;
}

/* Visits all files, and returns the worst of their exit codes. A file whose index turns out to be stale is
 * visited once more without it, if nothing of what was printed for it has gone out. */
static int visit_each(const arguments *args, bool *used, const void *user)
{
	const visit_options *v = (const visit_options *)user;
	int worst = EXIT_FINE;
	for (int i = 0; i < args->nfiles && !was_interrupted() && !pipe_is_broken(); i++) {
		sheaf_error err;
		int code;
		sheaf_status status = visit_once(args, args->files[i], used, v, &code, &err);
		if (status && can_do_without_index(&err))
			status = visit_once(args, args->files[i], used, v, &code, &err);
		if (status) code = say_failure(&err);
		if (code > worst) worst = code;
		if (status == SHEAF_USAGE) break; /* the next file would report the same */
	}
	return was_interrupted() ? EXIT_INTERRUPTED : worst;
}

int visit_files(const arguments *args, opening how, visitor visit)
{
	visit_options options = {how, visit};
	return with_shared_options(args, visit_each, &options);
}
