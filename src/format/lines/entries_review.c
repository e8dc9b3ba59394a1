/* SPDX-License-Identifier: MIT */
/* What only the whole input shows: the number of entries, and how its writer spelled them. Pieces are decoded
 * on any thread, and reviewed in order, so that counts grow as if one thread had read the file. */
#include "base/buffer.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "format/lines/entries.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

static sheaf_status report(const sheaf_entry_reader *in, sheaf_finding finding, int64_t line,
                           sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->lined.source), &finding);
	problem.place.line = line;
	if (line > 0) problem.place.column = 1;
	return sheaf_report(in->cx, &problem, err);
}

sheaf_status sheaf_entry_rewind(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_entry_reader *in = (sheaf_entry_reader *)reader;
	if (to) return sheaf_lined_rewind(in, to, err);
	in->seen = 0;
	memset(in->met, 0, sizeof in->met);
	return sheaf_lined_rewind(in, NULL, err);
}

/* ---- in parts ---- */

/* Writes the counts of this reader, or adds those that another one has written: entries that were seen,
 * and lines with deviations, of which the first one is kept. */
sheaf_status sheaf_entry_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_entry_reader *in = (sheaf_entry_reader *)reader;
	int64_t seen = in->seen;
	sheaf_carry(counts, &seen);
	if (seen > in->seen) in->seen = seen;
	for (int h = 0; h < SHEAF_ENTRY_HABITS; h++) {
		sheaf_entry_count *met = &in->met[h];
		bool none = met->lines == 0;
		int64_t first = met->first;
		sheaf_carry_sum(counts, &met->lines);
		sheaf_carry(counts, &first);
		if (none) met->first = first;
	}
	return sheaf_carried_status(counts, err);
}

/* ---- settling ---- */

/* Reports a deviation from the format that was read all the same, once for all lines that have it: a
 * warning if the format allows it (lenient), else a breach. */
static sheaf_status report_habit(const sheaf_entry_reader *in, sheaf_entry_habit habit, sheaf_error *err)
{
	static const struct {
		const char *rule, *expected, *found, *consequence;
	} sayings[SHEAF_ENTRY_HABITS] = {
		[SHEAF_ENTRY_MORE_TEXT] = {"text after an entry", "nothing after an entry", "text", "it is left out"},
		[SHEAF_ENTRY_DECIMAL_PLACE] = {"decimal coordinate", "coordinates without a point", "1.0 or similar",
	                                   "read as whole numbers"},
		[SHEAF_ENTRY_DECIMAL_VALUE] = {"decimal integer", "integers without a point", "1.0 or similar",
	                                   "read as whole numbers"},
		[SHEAF_ENTRY_SIGNED_PLACE] = {"coordinate with a sign", "coordinates without a sign", "a sign",
	                                  "read without it"},
	};
	const sheaf_entry_count *met = &in->met[habit];
	char found[96];
	snprintf(found, sizeof found, "%s on %" PRId64 " line%s", sayings[habit].found, met->lines,
	         met->lines == 1 ? "" : "s, of which this is the first");
	return report(in,
	              SHEAF_FINDING(in->lenient ? SHEAF_WARNING : SHEAF_BREACH, sayings[habit].rule,
	                            sayings[habit].expected, found, sayings[habit].consequence),
	              met->first, err);
}

/* Reports what only the end of the input shows. Entries that are announced and do not come are an error:
 * an input that breaks off must not pass for a whole one. Numbered values that are not there would become
 * zeros elsewhere, so that they cannot be left out. What was left out has already been reported, an error
 * for each entry. */
static sheaf_status settle(const sheaf_entry_reader *in, sheaf_error *err)
{
	char expected[96], found[64];
	for (int h = 0; h < SHEAF_ENTRY_HABITS; h++)
		if (in->met[h].lines > 0) SHEAF_TRY(report_habit(in, (sheaf_entry_habit)h, err));
	int64_t left_out = sheaf_context_problems(in->cx, SHEAF_ERROR);
	if (in->seen >= in->entries - left_out || sheaf_context_problems(in->cx, SHEAF_FATAL) > 0)
		return SHEAF_OK;
	snprintf(expected, sizeof expected, "%" PRId64 " entries, %s", in->entries, in->rules->announced);
	snprintf(found, sizeof found, "%" PRId64, in->seen);
	return report(in,
	              SHEAF_FINDING(SHEAF_FATAL, "too few entries", expected, found,
	                            .status = in->bare ? SHEAF_DATA : SHEAF_SHORT),
	              -1, err);
}

/* Looks at each decoded frame in the order of the input: adds up the lines with deviations, and reports
 * the first entry beyond the number that the header announces (in->entries; -1: none). A frame of NULL is
 * the end of the input, where what is left is reported. */
sheaf_status sheaf_entry_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_entry_reader *in = (sheaf_entry_reader *)reader;
	char expected[96];
	if (!frame) return settle(in, err);
	const int64_t *lines = (const int64_t *)(const void *)frame->lines.data;
	const sheaf_entry_count *met_in_frame = (const sheaf_entry_count *)(const void *)frame->notes.data;
	for (int h = 0; h < SHEAF_ENTRY_HABITS; h++) {
		if (in->met[h].lines == 0) in->met[h].first = met_in_frame[h].first;
		in->met[h].lines += met_in_frame[h].lines;
	}
	in->seen = row + frame->nrows;
	if (in->entries < 0 || row > in->entries || in->entries >= in->seen) return SHEAF_OK;
	snprintf(expected, sizeof expected, "no more entries than %" PRId64 ", %s", in->entries,
	         in->rules->announced);
	return report(in, SHEAF_FINDING(SHEAF_FATAL, "too many entries", expected, "another one"),
	              lines[in->entries - row], err);
}
