/* SPDX-License-Identifier: MIT */
/* sheaf report: what is in a file, as a page to look at or as numbers. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CARD = 8, MOST_FINDINGS = 96, FACT = 80, FIRST_ROWS = 5 };

typedef struct report {
	sheaf_summary *summary;
	sheaf_fact card[MOST_CARD], findings[MOST_FINDINGS]; /* as many rules as a context counts */
	char bytes[FACT], rows[FACT], counts[MOST_FINDINGS][FACT];
	int ncard, nfindings;
	sheaf_buffer first; /* rows, as text */
} report;

static void add_card(report *r, const char *name, const char *text)
{
	if (text && *text) r->card[r->ncard++] = (sheaf_fact){name, text};
}

/* What is known of the file. */
static void fill_card(report *r, const session *s, const sheaf_dataset *dataset, int64_t rows)
{
	const sheaf_source *source = sheaf_dataset_source(dataset);
	int64_t done, total;
	sheaf_source_progress(source, &done, &total);
	if (total >= 0) snprintf(r->bytes, FACT, "%" PRId64, total);
	snprintf(r->rows, FACT, "%" PRId64, rows);
	add_card(r, "file", s->label);
	add_card(r, "format", sheaf_format_name(sheaf_dataset_format(dataset)));
	add_card(r, "compression", sheaf_source_compression(source));
	add_card(r, "bytes", r->bytes);
	add_card(r, "rows", r->rows);
}

/* A line for each rule: how often, and how bad. */
static void fill_findings(report *r, const session *s)
{
	sheaf_tally tally;
	for (; r->nfindings < MOST_FINDINGS && sheaf_context_tally(s->cx, r->nfindings, &tally); r->nfindings++) {
		char *text = r->counts[r->nfindings];
		snprintf(text, FACT, "%s, %" PRId64 " times", severity_name(tally.severity), tally.count);
		r->findings[r->nfindings] = (sheaf_fact){tally.rule, text};
	}
}

static sheaf_status gather(report *r, const session *s, sheaf_dataset *dataset, int64_t *rows,
                           sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	SHEAF_TRY(sheaf_summary_new(schema, s->cx, &r->summary, err));
	SHEAF_TRY(sheaf_summary_profile(r->summary, s->label, err));
	for (*rows = 0; (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK; *rows += frame->nrows) {
		int64_t few = frame->nrows < FIRST_ROWS ? frame->nrows : FIRST_ROWS;
		if (*rows == 0)
			SHEAF_TRY(sheaf_rows_text(frame, schema, SHEAF_TEXT_SHORT, 0, 0, few, &r->first, err));
		SHEAF_TRY(sheaf_summary_add(r->summary, frame, *rows, err));
	}
	return status == SHEAF_END ? sheaf_summary_finish(r->summary, err) : status;
}

static sheaf_status make_page(report *r, const session *s, sheaf_buffer *out, sheaf_error *err)
{
	char *rows = calloc(1, r->first.size + 1);
	if (!rows) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the first rows, found none");
	if (r->first.size) memcpy(rows, r->first.data, r->first.size);
	sheaf_page_options options = {.size = sizeof options,
	                              .title = s->label,
	                              .card = r->card,
	                              .ncard = r->ncard,
	                              .findings = r->findings,
	                              .nfindings = r->nfindings,
	                              .rows = rows};
	sheaf_status status = sheaf_summary_page(r->summary, &options, out, err);
	free(rows);
	return status;
}

static sheaf_status make_text(report *r, const session *s, sheaf_dataset *dataset, sheaf_buffer *out,
                              sheaf_error *err)
{
	int64_t rows;
	static const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON};
	SHEAF_TRY(gather(r, s, dataset, &rows, err));
	if (sheaf_values_flag(&s->args->values, "json"))
		return sheaf_summary_text(r->summary, &as_json, out, err);
	fill_card(r, s, dataset, rows);
	fill_findings(r, s);
	return make_page(r, s, out, err);
}

static sheaf_status write_report(const session *s, sheaf_dataset *dataset, sheaf_sink *sink, sheaf_error *err)
{
	sheaf_buffer text = {0};
	report *r = calloc(1, sizeof *r);
	if (!r) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for a report, found none");
	sheaf_status status = make_text(r, s, dataset, &text, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(sink, text.data, text.size, err);
	sheaf_buffer_reset(&text);
	sheaf_buffer_reset(&r->first);
	sheaf_summary_free(r->summary);
	free(r);
	return status;
}

/* The output is looked at before anything is read. */
static sheaf_status report_file(const session *s, bool force, sheaf_error *err)
{
	sheaf_dataset *dataset;
	sheaf_sink *sink;
	session reading = *s;
	const char *out = s->args->files[1];
	SHEAF_TRY(force ? sheaf_sink_path(out, s->cx, &sink, err) : sheaf_sink_path_new(out, s->cx, &sink, err));
	opening how = {.rows = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES};
	sheaf_status status = session_open(&reading, s->args->files[0], &how, &dataset, err);
	if (status == SHEAF_OK) {
		status = write_report(s, dataset, sink, err);
		sheaf_close(dataset);
	}
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

int run_report(const arguments *args) { return run_output(args, args->files[0], report_file); }
