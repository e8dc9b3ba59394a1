/* SPDX-License-Identifier: MIT */
/* Errors in the beginning of a file, by rule: those at which reading would stop, and those that it would
 * leave out. */
#include "cli.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* A quick look infers what a file does not declare from its first half MiB: anything that comes later may not
 * be judged by that. */
enum { PIECES = 16, PIECE_BYTES = 448 << 10 };

/* Reads the first pieces of a file, without an index, so that the context counts what is wrong with them.
 * f->complete: that was all of the file. If streams were inferred, only one piece is read, since the look has
 * seen no more; unless it has seen all of the file, whose size in bytes is known if it is not compressed. */
static sheaf_status read_pieces(session *s, flaws *f, sheaf_error *err)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status = SHEAF_OK;
	const opening how = {.glance = true, .piece_bytes = PIECE_BYTES, .index = SHEAF_INDEX_NEVER};
	SHEAF_TRY(session_open(s, s->label, &how, &dataset, err));
	sheaf_facts facts;
	sheaf_source_info source = sheaf_source_about(sheaf_dataset_source(dataset));
	sheaf_dataset_facts(dataset, &facts);
	bool small = source.bytes <= PIECE_BYTES && !source.compression;
	for (int n = facts.guess && !small ? 1 : PIECES; n > 0 && status == SHEAF_OK; n--)
		status = sheaf_next(dataset, &frame, err);
	sheaf_close(dataset);
	f->complete = status == SHEAF_END;
	return f->complete ? SHEAF_OK : status;
}

/* Looks at the beginning of a file in a session of its own, whose findings are only counted. It shares the
 * memory limit of `s`, whose dataset stays open. A file that cannot be read on has a flaw, too, which is no
 * failure. */
sheaf_status look_for_flaws(const session *s, const char *path, flaws *f, sheaf_error *err)
{
	session look;
	sheaf_tally tally;
	struct stat info;
	session_options options = {
		.label = path, .slot = 1, .inputs = 1, .validate = true, .on_problem = ignore_problem};
	options.held = sheaf_context_memory(s->cx, NULL);
	*f = (flaws){.complete = true};
	/* What can be read only once is left for others; opening a pipe would wait for its writer. */
	if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return SHEAF_OK;
	options.used = s->used;
	SHEAF_TRY(session_begin(&look, s->args, &options, err));
	sheaf_status status = read_pieces(&look, f, err);
	for (int i = 0; f->nrules < MAX_RULES && sheaf_context_tally(look.cx, i, &tally); i++) {
		if (tally.severity < SHEAF_ERROR || tally.status == SHEAF_LOSS) continue;
		f->rules[f->nrules++] = (rule_count){tally.rule, FINDING_ERROR, tally.count, ""};
		f->errors += tally.count;
		f->ends |= tally.severity == SHEAF_FATAL;
	}
	session_end(&look);
	if (status != SHEAF_DATA && status != SHEAF_SHORT) return status;
	f->ends = true;
	if (f->nrules == 0) f->rules[f->nrules++] = (rule_count){"unreadable", FINDING_ERROR, f->errors = 1, ""};
	return SHEAF_OK;
}

void print_flaws(const flaws *f, bool json)
{
	if (f->errors == 0) return;
	fact_open(json, "flaws", "", "{");
	fact_count(json, "errors", f->complete ? "errors: %" : "errors: % at the beginning", f->errors);
	fact_open(json, "rules", "", "{");
	for (int i = 0; i < f->nrules; i++) {
		fact_text(json, NULL, i ? ", % " : " (% ", f->rules[i].rule);
		fact_count(json, f->rules[i].rule, "%", f->rules[i].count);
	}
	fact_close(json,
	           f->ends ? "); see sheaf validate\n" : "); left out with --max-errors, see sheaf validate\n",
	           "}");
	if (json) json_flag("complete", f->complete);
	fact_close(json, "", "}");
}
