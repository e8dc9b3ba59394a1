/* SPDX-License-Identifier: MIT */
/* Sequences: where they begin and end, and the rules for a whole one. */
#include "base/context.h"
#include "base/spell.h"
#include "format/ctf/ctf.h"
#include <inttypes.h>
#include <stdio.h>

static int64_t samples_of(const sheaf_ctf_column *column)
{
	return column->nsamples - column->sequence_start;
}

static sheaf_status check_presence(sheaf_ctf_decoding *d)
{
	char found[64] = "";
	for (int s = 0; s < d->in->nstreams && !d->in->allow_missing; s++) {
		if (samples_of(&d->columns[s])) continue;
		if (!found[0]) snprintf(found, sizeof found, "none in sequence %" PRIu64, d->key);
		SHEAF_TRY(sheaf_ctf_report_sequence(
			d, s,
			SHEAF_FINDING(
				SHEAF_ERROR, "stream missing in a sequence",
				"at least one sample of every stream in every sequence (" SHEAF_OPTION(
					"allow-missing") " reads it without, " SHEAF_OPTION("drop-incomplete") " leaves it out)",
				found, "the stream has none there")));
	}
	return SHEAF_OK;
}

/* A line has at most one sample of a stream, and a sequence has no more lines than its longest stream has
 * samples. */
static sheaf_status check_lines(sheaf_ctf_decoding *d)
{
	int64_t most = 0;
	int longest = 0;
	char expected[160], found[64];
	for (int s = 0; s < d->in->nstreams; s++)
		if (samples_of(&d->columns[s]) > most) most = samples_of(&d->columns[s]), longest = s;
	/* If no sample is left, there is no finding about too many lines: each empty stream has been reported. */
	if (d->in->main >= 0 || most == d->sequence_lines || most == 0) return SHEAF_OK;
	if (most > d->sequence_lines) {
		snprintf(expected, sizeof expected,
		         "at most %" PRId64 " samples, one for each line of sequence %" PRIu64, d->sequence_lines,
		         d->key);
		snprintf(found, sizeof found, "%" PRId64, most);
		return sheaf_ctf_report_sequence(
			d, longest,
			SHEAF_FINDING(SHEAF_ERROR, "more samples than lines", expected, found, "all of them are kept"));
	}
	if (d->in->allow_unaligned) return SHEAF_OK;
	snprintf(expected, sizeof expected,
	         "at most %" PRId64 " lines, as many as sequence %" PRIu64
	         " has samples in its longest stream (" SHEAF_OPTION("allow-unaligned") " reads more)",
	         most, d->key);
	snprintf(found, sizeof found, "%" PRId64, d->sequence_lines);
	return sheaf_ctf_report_sequence(
		d, -1,
		SHEAF_FINDING(SHEAF_ERROR, "more lines than samples", expected, found, "all samples are kept"));
}

/* The stream that a sequence lacks, or -1. */
static int missing_stream(const sheaf_ctf_decoding *d)
{
	for (int s = 0; s < d->in->nstreams; s++)
		if (samples_of(&d->columns[s]) == 0) return s;
	return -1;
}

static sheaf_status drop_sequence(sheaf_ctf_decoding *d, int stream)
{
	char found[64];
	sheaf_frame_builder_go_back(&d->to);
	for (int s = 0; s < d->in->nstreams; s++) d->columns[s].nsamples = d->columns[s].sequence_start;
	snprintf(found, sizeof found, "none in sequence %" PRIu64, d->key);
	return sheaf_ctf_report_sequence(d, stream,
	                                 SHEAF_FINDING(SHEAF_WARNING, "incomplete sequence",
	                                               "a sample of every stream", found,
	                                               "the sequence is left out"));
}

sheaf_status sheaf_ctf_close_sequence(sheaf_ctf_decoding *d)
{
	if (!d->open) return SHEAF_OK;
	d->open = false;
	int missing = d->in->drop_incomplete ? missing_stream(d) : -1;
	if (missing >= 0) return drop_sequence(d, missing);
	SHEAF_TRY(check_presence(d));
	SHEAF_TRY(check_lines(d));
	for (int s = 0; s < d->in->nstreams; s++) {
		sheaf_builder_i64(d->columns[s].lists, d->columns[s].nsamples);
		d->columns[s].sequence_start = d->columns[s].nsamples;
	}
	sheaf_builder_append(&d->to.columns[d->in->nstreams].values, &d->key, sizeof d->key);
	sheaf_builder_i64(&d->to.lines, d->key_line);
	d->to.nrows++;
	return sheaf_check_cells(d->cx, d->to.nrows, d->in->nstreams, d->piece->size, d->err);
}

static sheaf_status open_sequence(sheaf_ctf_decoding *d, uint64_t key)
{
	SHEAF_TRY(sheaf_ctf_close_sequence(d));
	d->open = true;
	d->key = key;
	d->key_at = d->line_start;
	d->key_line = d->line;
	d->sequence_lines = 0;
	return sheaf_check_stop(d->cx, d->err);
}

sheaf_status sheaf_ctf_enter_sequence(sheaf_ctf_decoding *d, bool has_id, uint64_t id)
{
	if (d->in->by_line) return open_sequence(d, (uint64_t)(d->line - d->in->first_line));
	return has_id && (!d->open || id != d->key) ? open_sequence(d, id) : SHEAF_OK;
}
