/* SPDX-License-Identifier: MIT */
/* Sequences: where they begin and end, and the rules for a whole one. A sequence costs as much as it has
 * samples, not as there are streams: a file may have a new stream on each line. */
#include "base/context.h"
#include "base/spell.h"
#include "format/ctf/ctf.h"
#include <inttypes.h>
#include <stdio.h>

static int64_t samples_of(const sheaf_ctf_column *column)
{
	return column->nsamples - column->sequence_start;
}

/* A line has at most one sample of a stream, and a sequence has no more lines than its longest stream has
 * samples. */
static sheaf_status check_lines(sheaf_ctf_decoding *d)
{
	int64_t most = 0;
	int longest = 0;
	char expected[160], found[64];
	for (int i = 0; i < d->nshown; i++) {
		int s = d->shown[i];
		int64_t n = samples_of(&d->columns[s]);
		if (n > most || (n == most && s < longest)) most = n, longest = s;
	}
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
	         " has samples in its longest stream (" SHEAF_OPTION("allow") " unaligned reads more)",
	         most, d->key);
	snprintf(found, sizeof found, "%" PRId64, d->sequence_lines);
	return sheaf_ctf_report_sequence(
		d, -1,
		SHEAF_FINDING(SHEAF_ERROR, "more lines than samples", expected, found, "all samples are kept"));
}

/* A stream's list is only written when it has a sample, or at the end of the piece: until then the sequences
 * in between are owed. */
void sheaf_ctf_fill_lists(const sheaf_ctf_decoding *d, int stream)
{
	const sheaf_ctf_column *column = &d->columns[stream];
	uint64_t size = (uint64_t)(d->to.nrows + 1) * sizeof(int64_t) - column->lists->size;
	int64_t *to = (int64_t *)(void *)sheaf_builder_extend(column->lists, size);
	for (uint64_t i = 0; to && i < size / sizeof *to; i++) to[i] = column->sequence_start;
}

/* What a sequence that lacks a stream has added to its columns is taken back. */
static sheaf_status drop_sequence(sheaf_ctf_decoding *d)
{
	char found[64];
	int missing = 0;
	while (samples_of(&d->columns[missing])) missing++;
	for (int i = 0; i < d->nshown; i++) {
		sheaf_ctf_column *column = &d->columns[d->shown[i]];
		sheaf_ctf_fill_lists(d, d->shown[i]);
		sheaf_column_go_back(&d->to.columns[d->shown[i]], d->to.nrows);
		column->nsamples = column->sequence_start;
	}
	d->nshown = 0;
	snprintf(found, sizeof found, "none in sequence %" PRIu64, d->key);
	return sheaf_ctf_report_sequence(d, missing,
	                                 SHEAF_FINDING(SHEAF_WARNING, "incomplete sequence",
	                                               "a sample of every stream", found,
	                                               "the sequence is left out"));
}

/* The rules for a whole sequence, then its row. Each stream that it lacks is reported. With --drop-incomplete
 * one that lacks a stream is left out instead. */
sheaf_status sheaf_ctf_close_sequence(sheaf_ctf_decoding *d)
{
	if (!d->open) return SHEAF_OK;
	d->open = false;
	char found[64] = "";
	bool lacks = d->nshown < d->in->nstreams;
	if (lacks && d->in->drop_incomplete) return drop_sequence(d);
	for (int s = 0; s < d->in->nstreams && lacks && !d->in->allow_missing; s++) {
		if (samples_of(&d->columns[s])) continue;
		if (!found[0]) snprintf(found, sizeof found, "none in sequence %" PRIu64, d->key);
		SHEAF_TRY(sheaf_ctf_report_sequence(
			d, s,
			SHEAF_FINDING(
				SHEAF_ERROR, "stream missing in a sequence",
				"at least one sample of every stream in every sequence (" SHEAF_OPTION(
					"allow") " missing reads it without, " SHEAF_OPTION("drop-incomplete") " leaves it out)",
				found, "the stream has none there")));
	}
	SHEAF_TRY(check_lines(d));
	for (int i = 0; i < d->nshown; i++) {
		sheaf_ctf_column *column = &d->columns[d->shown[i]];
		sheaf_ctf_fill_lists(d, d->shown[i]);
		sheaf_builder_i64(column->lists, column->nsamples);
		column->sequence_start = column->nsamples;
	}
	d->nshown = 0;
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
