/* SPDX-License-Identifier: MIT */
/* sheaf report: the contents of a file, as a page or as numbers, perhaps beside those of another file. The
 * work is that of sheaf stats, and in parts it adds up in the same way; the page has besides a card of facts,
 * the findings and the first rows. What a part saves (little endian):
 *
 *     int64 rows | int64 n | n bytes: the text of the first rows | the summary, to the end */
#include "cli.h"
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CARD = 12, FACT = 80, FINDING = 400, FIRST_ROWS = 5 };

typedef struct report {
	sheaf_summary *summary, *other; /* other NULL: there is only one file */
	sheaf_fact card[MOST_CARD], findings[MAX_RULES + MOST_SAID + 1];
	sheaf_error stop; /* why reading did not come to the end of the file */
	char bytes[FACT], rows[FACT], encoding[FACT], index[FINDING], counts[MAX_RULES][FINDING],
		numbers[MOST_SAID][FACT];
	int ncard, nfindings;
	int64_t count; /* of rows */
	char *first;   /* rows, a line each */
	size_t size;   /* of their text */
	int nfirst;
	bool force;
} report;

/* The exit status if the report is made: a file with errors, or with more drift than allowed, is no success.
 */
static int outcome = EXIT_FINE;

static int count_inputs(const session *s) { return s->args->nfiles - 1; }

/* ---- facts about the file ---- */

/* A fact without a text is left out. */
static void add_card(report *r, const char *name, const char *text)
{
	if (text && *text) r->card[r->ncard++] = (sheaf_fact){name, text};
}

/* Fills the card with facts about the file, also the index beside it, as it was when the file was opened. The
 * page is made after the dataset is closed, so that texts which the dataset owns are copied into *r. */
static void fill_card(report *r, const session *s, const sheaf_dataset *dataset)
{
	const sheaf_source_info source = sheaf_source_about(sheaf_dataset_source(dataset));
	sheaf_index_info index;
	if (source.bytes >= 0) snprintf(r->bytes, FACT, "%" PRId64, source.bytes);
	snprintf(r->rows, FACT, "%" PRId64, r->count);
	snprintf(r->encoding, FACT, "%s", source.encoding ? source.encoding : "");
	add_card(r, "file", s->label);
	add_card(r, "format", sheaf_format_about(sheaf_dataset_format(dataset)).name);
	add_card(r, "compression", source.compression);
	add_card(r, "encoding", r->encoding);
	add_card(r, "bytes", r->bytes);
	add_card(r, rows_word(sheaf_dataset_schema(dataset)), r->rows);
	sheaf_dataset_index(dataset, &index);
	if (index.fresh)
		snprintf(r->index, FINDING, "fresh, of %" PRId64 " %s", index.pieces,
		         index.pieces == 1 ? "piece" : "pieces");
	else
		snprintf(r->index, FINDING, index.found ? "stale: %s" : "none", index.why);
	if (index.path && index_policy(s->args) != SHEAF_INDEX_NEVER) add_card(r, "index", r->index);
	add_card(r, "made by", "sheaf " SHEAF_VERSION);
}

/* Fills in the findings of the session: a line for each rule, with its severity and count, and with its first
 * finding unless the findings follow one by one. */
static void fill_findings(report *r, const session *s)
{
	sheaf_tally tally;
	bool each = s->nsaid > s->nrules;
	for (; r->nfindings < MAX_RULES && sheaf_context_tally(s->cx, r->nfindings, &tally); r->nfindings++) {
		char *text = r->counts[r->nfindings];
		const char *first = "";
		for (int i = 0; i < s->nrules && !*first && !each; i++)
			if (strcmp(s->rules[i].rule, tally.rule) == 0) first = s->rules[i].first;
		snprintf(text, FINDING, "%s, %" PRId64 " %s%s%s", severity_name(tally.severity), tally.count,
		         tally.count == 1 ? "time" : "times", *first ? "; first: " : "", first);
		r->findings[r->nfindings] = (sheaf_fact){tally.rule, text};
		if (tally.severity >= SHEAF_ERROR && tally.status != SHEAF_LOSS) outcome = EXIT_DIFFERENT;
	}
	for (int i = 0; i < s->nsaid && each; i++) {
		snprintf(r->numbers[i], FACT, "finding %d", i + 1);
		r->findings[r->nfindings++] = (sheaf_fact){r->numbers[i], s->said[i]};
	}
	if (*r->stop.message) r->findings[r->nfindings++] = (sheaf_fact){"reading stopped", r->stop.message};
}

/* ---- first rows ---- */

/* Appends lines of a text to the rows that are kept, until there are FIRST_ROWS of them. */
static sheaf_status take_first(report *r, const char *text, size_t size, sheaf_error *err)
{
	size_t used = 0;
	for (; r->nfirst < FIRST_ROWS && used < size; r->nfirst++) {
		const char *end = memchr(text + used, '\n', size - used);
		used = end ? (size_t)(end - text) + 1 : size;
	}
	char *more = realloc(r->first, r->size + used + 1);
	if (!more) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the first rows, found none");
	memcpy(more + r->size, text, used);
	r->first = more;
	r->size += used;
	r->first[r->size] = '\0';
	return SHEAF_OK;
}

/* ---- parts ---- */

enum { STATE_HEAD = 16 };

/* What adds the state of a part, and knows nothing of the part before it. */
typedef struct adding {
	report *r;
	const session *s;
} adding;

/* Adds the state of a part, as end_part has saved it, to the report: the number of rows, the text of its
 * first rows, and its summary. DATA if the state is damaged. */
static sheaf_status add_state(void *user, sheaf_bytes state, sheaf_error *err)
{
	const adding *a = (const adding *)user;
	int64_t head[2] = {-1, -1};
	if (state.size >= STATE_HEAD) memcpy(head, state.data, STATE_HEAD);
	for (int i = 0; i < 2; i++) head[i] = (int64_t)le64toh((uint64_t)head[i]);
	int64_t rows = head[0], text_size = head[1]; /* -1 if the state is too short to have a head */
	bool is_sound = rows >= 0 && rows <= INT64_MAX - a->r->count && text_size >= 0 &&
	                (uint64_t)text_size <= state.size - STATE_HEAD;
	if (!is_sound)
		return sheaf_fail(err, SHEAF_DATA, "merge: expected the report of a part, found it damaged");
	size_t size = (size_t)text_size;
	a->r->count += rows;
	SHEAF_TRY(take_first(a->r, (const char *)state.data + STATE_HEAD, size, err));
	sheaf_summary *part;
	const uint8_t *rest = state.data + STATE_HEAD + size;
	SHEAF_TRY(sheaf_summary_load(rest, state.size - STATE_HEAD - size, a->s->cx, &part, err));
	sheaf_status status = sheaf_summary_merge(a->r->summary, part, err);
	sheaf_summary_free(part);
	return status;
}

/* Ends a part with the state of the report so far, in the layout that the head of this file shows. */
static sheaf_status end_part(const report *r, const session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_buffer saved = {0};
	uint64_t head[2] = {htole64((uint64_t)r->count), htole64(r->size)};
	SHEAF_TRY(sheaf_summary_save(r->summary, &saved, err));
	size_t size = STATE_HEAD + r->size + saved.size;
	uint8_t *state = malloc(size);
	if (state) {
		memcpy(state, head, STATE_HEAD);
		if (r->size) memcpy(state + STATE_HEAD, r->first, r->size);
		memcpy(state + STATE_HEAD + r->size, saved.data, saved.size);
	}
	sheaf_buffer whole = {.data = state, .size = size};
	sheaf_status status = state
	                          ? part_end(s, dataset, &whole, NULL, err)
	                          : sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for a part, found none");
	free(state);
	sheaf_buffer_reset(&saved);
	return status;
}

/* ---- reading ---- */

/* A failure that ends reading is said at once, and also on the page. */
static void stop(report *r, const sheaf_error *err)
{
	r->stop = *err;
	outcome = EXIT_DIFFERENT;
	say_failure(err);
}

/* Adds all rows to the summary, counts them, and keeps the text of the first ones. */
static sheaf_status gather_rows(report *r, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_buffer text = {0};
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	for (; (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK; r->count += frame->nrows) {
		int64_t row = sheaf_dataset_row(dataset);
		if (sheaf_dataset_keeps_part(dataset)) continue;
		int64_t few = FIRST_ROWS - r->nfirst;
		if (few > frame->nrows) few = frame->nrows;
		status = few ? sheaf_rows_text(frame, schema, SHEAF_TEXT_SHORT, row, 0, few, &text, err) : SHEAF_OK;
		if (few && status == SHEAF_OK) status = take_first(r, (const char *)text.data, text.size, err);
		sheaf_buffer_reset(&text);
		SHEAF_TRY(status);
		SHEAF_TRY(sheaf_summary_add(r->summary, frame, row, err));
	}
	if (status == SHEAF_END) return sheaf_summary_finish(r->summary, err);
	if ((status != SHEAF_DATA && status != SHEAF_SHORT) || part_is_made()) return status;
	/* What could be read of a damaged file is reported. */
	stop(r, err);
	return sheaf_summary_finish(r->summary, err);
}

/* Opens input i, for rows of any kind but tensors as a whole. The session is copied only since opening takes
 * one that it may change; the findings still go to the session of the context. */
static sheaf_status open_input(const session *s, int i, sheaf_dataset **out, sheaf_error *err)
{
	session reading = *s;
	opening how = {.rows = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES};
	return session_open(&reading, s->args->files[i], &how, out, err);
}

/* Makes the folder for charts, unless it exists, before anything is read; not its parents. After a power cut
 * a new folder is certain to exist only if its parent was synced. A parent that may be written but not listed
 * (EACCES) cannot be synced, and neither can folders of some file systems (EINVAL, ENOTSUP): that is no
 * failure. */
static sheaf_status make_folder(const char *path, sheaf_error *err)
{
	struct stat info;
	char parent[4096];
	int failed = 0;
	if (mkdir(path, S_IRWXU | S_IRWXG | S_IRWXO) != 0) {
		if (errno != EEXIST || stat(path, &info) != 0)
			return sheaf_fail_sys(err, errno, "%s: expected a folder for charts, or a place for one", path);
		if (S_ISDIR(info.st_mode)) return SHEAF_OK;
		return sheaf_fail_option(err, SHEAF_USAGE, "svg", ": expected a folder, found a file, %s", path);
	}
	if ((size_t)snprintf(parent, sizeof parent, "%s/..", path) >= sizeof parent)
		return sheaf_fail_option(err, SHEAF_USAGE, "svg", ": expected a shorter path");
	int fd = open_folder(parent);
	if (fd < 0) failed = errno == EACCES ? 0 : errno;
	while (fd >= 0 && fsync(fd) != 0 && (failed = errno) == EINTR) failed = 0;
	if (fd >= 0) close(fd);
	if (!failed || (fd >= 0 && (failed == EINVAL || failed == ENOTSUP))) return SHEAF_OK;
	return sheaf_fail_sys(err, failed, "%s: expected its folder to be synced after it was made", path);
}

/* The report of a file that cannot be opened, since it is empty or too damaged: why, and nothing else. */
static sheaf_status report_unread(report *r, const session *s, sheaf_error *err)
{
	struct stat info;
	const sheaf_schema nothing = {.rows = SHEAF_CELLS};
	stop(r, err);
	add_card(r, "file", s->label);
	if (stat(s->label, &info) == 0) snprintf(r->bytes, FACT, "%lld", (long long)info.st_size);
	add_card(r, "bytes", r->bytes);
	add_card(r, "made by", "sheaf " SHEAF_VERSION);
	return sheaf_summary_new(&nothing, s->cx, &r->summary, err);
}

/* Reads the input of the report, or of a part of it. The folder of charts is made before any row is read. */
static sheaf_status gather_first(report *r, const session *s, sheaf_error *err)
{
	sheaf_dataset *dataset;
	const char *charts = part_is_made() ? NULL : sheaf_values_text(&s->args->values, "svg");
	sheaf_status status = open_input(s, 0, &dataset, err);
	if ((status == SHEAF_DATA || status == SHEAF_SHORT) && !part_is_made()) return report_unread(r, s, err);
	SHEAF_TRY(status);
	status = charts ? make_folder(charts, err) : SHEAF_OK;
	if (status == SHEAF_OK) status = part_begin(s, dataset, rows_of_summary(dataset), err);
	if (status == SHEAF_OK) status = begin_summary(s, dataset, &r->summary, err);
	if (status == SHEAF_OK) status = gather_rows(r, dataset, err);
	if (status == SHEAF_OK) status = part_states(add_state, &(adding){r, s}, err);
	if (status == SHEAF_OK && part_is_made()) status = end_part(r, s, dataset, err);
	if (status == SHEAF_OK) fill_card(r, s, dataset);
	sheaf_close(dataset);
	return status;
}

/* ---- writing ---- */

static sheaf_status score_of(const char *word, double *score, sheaf_error *err)
{
	char *end;
	*score = strtod(word, &end);
	if (end != word && *end == '\0' && *score >= 0 && *score <= 1) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "fail-above", ": expected a number from 0 to 1, found \"%s\"",
	                         word);
}

typedef struct folder {
	const session *s;
	const char *path;
	bool force;
} folder;

/* A file of the folder for charts: whole or not at all. */
static sheaf_status write_chart(void *user, const char *name, const sheaf_buffer *svg, sheaf_error *err)
{
	const folder *to = (const folder *)user;
	char path[4096];
	sheaf_sink *sink;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", to->path, name) >= sizeof path)
		return sheaf_fail_option(err, SHEAF_USAGE, "svg", ": expected a shorter path");
	SHEAF_TRY(sheaf_sink_path(path, to->force, to->s->cx, &sink, err));
	sheaf_status status = sheaf_sink_write(sink, svg->data, svg->size, err);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

/* --fail-above: the largest drift that is no failure. */
static sheaf_status judge_drift(const report *r, const session *s, sheaf_error *err)
{
	double most, drift;
	const char *word = sheaf_values_text(&s->args->values, "fail-above");
	if (!word) return SHEAF_OK;
	SHEAF_TRY(score_of(word, &most, err));
	SHEAF_TRY(sheaf_summary_drift(r->summary, r->other, &drift, err));
	if (drift > most) outcome = EXIT_DIFFERENT;
	return SHEAF_OK;
}

/* Reads everything, and makes the page or the numbers; charts become files as soon as they are drawn. */
static sheaf_status make_text(report *r, const session *s, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_TRY(gather_first(r, s, err));
	if (count_inputs(s) > 1) { /* the file with which the first one is compared */
		sheaf_dataset *dataset;
		SHEAF_TRY(open_input(s, 1, &dataset, err));
		add_card(r, "compared with", s->args->files[1]);
		sheaf_status status = sheaf_summary_new(sheaf_dataset_schema(dataset), s->cx, &r->other, err);
		if (status == SHEAF_OK) status = sheaf_summary_profile(r->other, s->args->files[1], err);
		if (status == SHEAF_OK) status = gather_summary(dataset, r->other, err);
		sheaf_close(dataset);
		SHEAF_TRY(status);
	}
	fill_findings(r, s);
	if (r->other) SHEAF_TRY(judge_drift(r, s, err));
	if (as_json(s->args)) {
		sheaf_summary_options numbers = {.size = sizeof numbers, .style = SHEAF_JSON, .other = r->other};
		return sheaf_summary_text(r->summary, &numbers, out, err);
	}
	folder to = {s, sheaf_values_text(&s->args->values, "svg"), r->force};
	sheaf_page_options options = {.size = sizeof options,
	                              .title = s->label,
	                              .card = r->card,
	                              .ncard = r->ncard,
	                              .findings = r->findings,
	                              .nfindings = r->nfindings,
	                              .rows = r->size ? r->first : NULL,
	                              .other = r->other,
	                              .other_title = s->args->files[1],
	                              .take = to.path ? write_chart : NULL,
	                              .user = &to};
	return sheaf_summary_page(r->summary, &options, out, err);
}

/* Makes the report, and writes it into the sink. A part of a report has none (NULL): its state goes into the
 * part file, and `force` is of no use. */
static sheaf_status write_report(const session *s, bool force, sheaf_sink *sink, sheaf_error *err)
{
	sheaf_buffer text = {0};
	report *r = calloc(1, sizeof *r);
	if (!r) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for a report, found none");
	r->force = force;
	sheaf_status status = sink ? make_text(r, s, &text, err) : gather_first(r, s, err);
	if (status == SHEAF_OK && sink) status = sheaf_sink_write(sink, text.data, text.size, err);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(r->summary);
	sheaf_summary_free(r->other);
	free(r->first);
	free(r);
	return status;
}

/* The suffix of a kind of file that neither a page nor JSON is; NULL: it has none of these. */
static const char *other_kind(const char *out, bool json)
{
	static const char *const others[] = {".json", ".parquet", ".xlsx", ".pdf", ".png", ".zip"};
	const char *dot = strrchr(out, '.');
	for (size_t i = json; dot && i < sizeof others / sizeof *others; i++)
		if (strcasecmp(dot, others[i]) == 0) return others[i];
	return NULL;
}

/* Makes the report of a file, or a part of it, in the session of the command. The output is checked before
 * anything is read: a page is no dataset, so it gets no name of one, and takes the place of no input,
 * whatever --force says. */
static sheaf_status report_file(const session *s, bool force, sheaf_error *err)
{
	sheaf_sink *sink;
	struct stat page, input;
	const char *out = s->args->files[s->args->nfiles - 1];
	const sheaf_format *format = sheaf_format_of_name(out);
	const sheaf_values *values = &s->args->values;
	const char *other = other_kind(out, sheaf_values_flag(values, "json"));
	if (sheaf_values_flag(values, "json") && sheaf_values_text(values, "svg"))
		return sheaf_fail_option(err, SHEAF_USAGE, "svg", ": JSON has no charts; leave out --json or --svg");
	const char *above = sheaf_values_text(values, "fail-above");
	double score;
	if (above) SHEAF_TRY(score_of(above, &score, err));
	if (above && count_inputs(s) < 2)
		return sheaf_fail_option(err, SHEAF_USAGE, "fail-above", ": drift needs two files; name another one");
	if (part_is_made()) return write_report(s, force, NULL, err);
	SHEAF_TRY(sheaf_sink_path(out, force, s->cx, &sink, err));
	sheaf_status status = SHEAF_OK;
	if (format || other)
		status = sheaf_fail(err, SHEAF_USAGE, "%s: expected the name of a page, found that of a %s file", out,
		                    format ? sheaf_format_about(format).name : other);
	for (int i = 0; !status && i < count_inputs(s) && stat(out, &page) == 0; i++)
		if (stat(s->args->files[i], &input) == 0 && page.st_dev == input.st_dev &&
		    page.st_ino == input.st_ino)
			status =
				sheaf_fail(err, SHEAF_USAGE, "%s: the page would replace an input; name another file", out);
	if (status == SHEAF_OK) status = write_report(s, force, sink, err);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

int run_report(const arguments *args)
{
	int code = run_output(args, args->files[0], report_file);
	return code == EXIT_FINE ? outcome : code;
}
