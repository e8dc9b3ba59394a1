/* SPDX-License-Identifier: MIT */
/* What only the whole input shows: counts of values that lose digits, and sequence ids that return after
 * another id: the documentation forbids them, CNTK reads them as separate sequences. They are searched for
 * only when validating, with a sort in bounded memory. */
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/spell.h"
#include "format/ctf/ctf.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

sheaf_status sheaf_ctf_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
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

typedef struct repeats {
	sheaf_ctf_reader *in;
	sheaf_error *err;
	uint64_t key, first_line;
	bool any;
} repeats;

static sheaf_status see_id(void *user, uint64_t key, uint64_t line)
{
	repeats *r = (repeats *)user;
	if (!r->any || key != r->key) {
		r->any = true;
		r->key = key;
		r->first_line = line;
		return SHEAF_OK;
	}
	char found[96];
	snprintf(found, sizeof found, "id %" PRIu64 " again, first seen on line %" PRIu64, key, r->first_line);
	sheaf_problem problem = {SHEAF_BREACH,
	                         SHEAF_DATA,
	                         "repeated sequence id",
	                         SHEAF_NOWHERE,
	                         "a sequence id that no earlier sequence has",
	                         found,
	                         "read as a sequence of its own"};
	problem.place.file = sheaf_source_name(r->in->source);
	problem.place.line = (int64_t)line;
	problem.place.column = 1;
	return sheaf_report(r->in->cx, &problem, r->err);
}

static sheaf_status settle_stream(sheaf_ctf_reader *in, int stream, sheaf_error *err)
{
	char found[80];
	int64_t rounded = in->rounded[stream];
	if (rounded == 0) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " with more digits than it keeps", rounded);
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_DATA,
	                         "values rounded",
	                         SHEAF_NOWHERE,
	                         "values that float32 holds",
	                         found,
	                         "rounded (" SHEAF_OPTION("precision") " double keeps more)"};
	problem.place.file = sheaf_source_name(in->source);
	problem.place.stream = in->schema.fields[stream].name;
	return sheaf_report(in->cx, &problem, err);
}

/* Tolerated errors do not turn a name that nothing matches into a stream. */
static sheaf_status refuse_unnamed(const sheaf_ctf_reader *in, int stream, sheaf_error *err)
{
	return sheaf_fail_option(err, SHEAF_USAGE, "stream",
	                         " %s: expected a stream of %s, found none of that name in the whole input "
	                         "(" SHEAF_OPTION("allow-missing") " reads it as empty)",
	                         in->names.names[stream].text, sheaf_source_name(in->source));
}

static sheaf_status settle_empty(const sheaf_ctf_reader *in, int stream, sheaf_error *err)
{
	const char *source = sheaf_source_name(in->source);
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_DATA,
	                         "empty stream",
	                         SHEAF_NOWHERE,
	                         "a sample of it in some sequence",
	                         "none in the whole input",
	                         "it is empty"};
	problem.place.file = source;
	problem.place.stream = in->schema.fields[stream].name;
	return sheaf_report(in->cx, &problem, err);
}

sheaf_status sheaf_ctf_settle(void *reader, sheaf_error *err)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	for (int s = 0; s < in->nstreams && in->rows > 0; s++) {
		if (!in->met[s] && !in->allow_missing) return refuse_unnamed(in, s, err);
		if (!(in->met[s] & CTF_FILLED) && in->allow_missing) SHEAF_TRY(settle_empty(in, s, err));
	}
	for (int s = 0; s < in->nstreams; s++) SHEAF_TRY(settle_stream(in, s, err));
	repeats r = {.in = in, .err = err};
	return in->ids ? sheaf_sorter_finish(in->ids, see_id, &r, err) : SHEAF_OK;
}
