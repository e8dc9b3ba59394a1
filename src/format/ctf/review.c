/* SPDX-License-Identifier: MIT */
/* What only the whole input shows: counts of values that lose digits, streams that never occur, and sequence
 * ids that return after another id: the documentation forbids them, CNTK reads them as separate sequences.
 * They are searched for only when validating, with a sort in bounded memory.
 *
 * Frames are reviewed in their order, whichever thread has decoded them. */
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/spell.h"
#include "format/ctf/ctf.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- in parts ---- */

sheaf_status sheaf_ctf_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	sheaf_carry_sum(counts, &in->rows);
	for (int s = 0; s < in->nstreams; s++) {
		int64_t met = in->met[s];
		sheaf_carry_sum(counts, &in->rounded[s]);
		sheaf_carry(counts, &met);
		in->met[s] |= (uint8_t)(met & (CTF_NAMED | CTF_FILLED));
	}
	SHEAF_TRY(sheaf_carried_status(counts, err));
	return sheaf_sorter_carry(in->cx, &in->ids, counts, err);
}

/* ---- settling ---- */

/* A finding about a stream, or without one (below 0) about a line. */
static sheaf_status report(const sheaf_ctf_reader *in, int stream, int64_t line, sheaf_finding finding,
                           sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->source), &finding);
	if (stream >= 0) {
		problem.place.stream = in->schema.fields[stream].name;
	} else {
		problem.place.line = line;
		problem.place.column = 1;
	}
	return sheaf_report(in->cx, &problem, err);
}

typedef struct repeats {
	sheaf_ctf_reader *in;
	sheaf_error *err;
	uint64_t key, first_line;
	bool any;
} repeats;

/* Ids arrive in their order, those that are the same in the order of their lines. */
static sheaf_status see_id(void *user, uint64_t key, uint64_t line)
{
	repeats *r = (repeats *)user;
	char found[96];
	if (!r->any || key != r->key) {
		r->any = true;
		r->key = key;
		r->first_line = line;
		return SHEAF_OK;
	}
	snprintf(found, sizeof found, "id %" PRIu64 " again, first seen on line %" PRIu64, key, r->first_line);
	return report(r->in, -1, (int64_t)line,
	              SHEAF_FINDING(SHEAF_BREACH, "repeated sequence id",
	                            "a sequence id that no earlier sequence has", found,
	                            "read as a sequence of its own"),
	              r->err);
}

/* Tolerated errors do not turn a name that nothing matches into a stream. */
static sheaf_status settle(void *reader, sheaf_error *err)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	char found[80];
	for (int s = 0; s < in->nstreams && in->rows > 0; s++) {
		if (!in->met[s] && !in->allow_missing)
			return sheaf_fail_option(
				err, SHEAF_USAGE, "stream",
				" %s: expected a stream of %s, found none of that name in the whole input "
				"(" SHEAF_OPTION("allow") " missing reads it as empty)",
				in->names.names[s].text, sheaf_source_name(in->source));
		if (!(in->met[s] & CTF_FILLED) && in->allow_missing)
			SHEAF_TRY(report(in, s, -1,
			                 SHEAF_FINDING(SHEAF_WARNING, "empty stream", "a sample of it in some sequence",
			                               "none in the whole input", "it is empty"),
			                 err));
	}
	for (int s = 0; s < in->nstreams; s++) {
		if (in->rounded[s] == 0) continue;
		snprintf(found, sizeof found, "%" PRId64 " with more digits than it keeps", in->rounded[s]);
		SHEAF_TRY(report(in, s, -1,
		                 SHEAF_FINDING(SHEAF_WARNING, "values rounded", "values that float32 holds", found,
		                               "rounded (" SHEAF_OPTION("element-type") " double keeps more)"),
		                 err));
	}
	repeats r = {.in = in, .err = err};
	return in->ids ? sheaf_sorter_finish(in->ids, see_id, &r, err) : SHEAF_OK;
}

sheaf_status sheaf_ctf_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	if (!frame) return settle(reader, err);
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	const int64_t *rounded = (const int64_t *)(const void *)frame->notes.data,
				  *named = rounded + in->nstreams;
	(void)row;
	in->rows += frame->nrows;
	for (int s = 0; s < in->nstreams; s++) {
		const int64_t *lists = sheaf_level_offsets(&frame->columns[s].levels[0]);
		in->rounded[s] += rounded[s];
		if (named[s]) in->met[s] |= CTF_NAMED;
		if (lists[frame->nrows] > lists[0]) in->met[s] |= CTF_NAMED | CTF_FILLED;
	}
	if (in->by_line || !sheaf_is_validating(in->cx)) return SHEAF_OK;
	SHEAF_TRY(sheaf_sorter_need(in->cx, &in->ids, err));
	const uint64_t *keys = (const uint64_t *)(const void *)frame->columns[in->nstreams].values.data;
	const int64_t *lines = (const int64_t *)(const void *)frame->lines.data;
	for (int64_t r = 0; r < frame->nrows; r++)
		SHEAF_TRY(sheaf_sorter_add(in->ids, keys[r], (uint64_t)lines[r], err));
	return SHEAF_OK;
}
