/* SPDX-License-Identifier: MIT */
/* Slices: processes that each hold a sorted part exchange entries, and each encodes its share of all
 * entries. */
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/need.h"
#include "convert/part_body.h"
#include "io/sink.h"
#include "io/source.h"
#include <sheaf/split.h>
#include <string.h>

struct sheaf_slice {
	sheaf_context *caller, *cx; /* the caller's, and one that keeps the findings of encoding */
	char *output;
	sheaf_part_file part;
	sheaf_part_common common;
	sheaf_part_own own;
	bool *used; /* one for each setting */
	sheaf_writer *writer;
	sheaf_source *entries; /* that others have sent */
	bool keeps;            /* what is found */
	sheaf_builder found, blobs;
	int64_t nblobs;
	sheaf_sink *sink; /* of the part that is being made */
};

static sheaf_status keep(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_slice *s = (sheaf_slice *)user;
	if (s->keeps) sheaf_kept_findings_put(&s->found, problem, 0, s->output);
	return sheaf_report(s->caller, problem, err);
}

/* ---- opening ---- */

/* The number of entries is known only when all slices are complete. */
static sheaf_status create_writer(sheaf_slice *s, const sheaf_format *to, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_facts totals = s->common.totals;
	if (to->write->needs_rows) totals.rows = -1;
	sheaf_create_options create = {.size = sizeof create,
	                               .format = to->name,
	                               .settings = s->common.settings,
	                               .nsettings = s->common.nsettings,
	                               .totals = &totals,
	                               .duplicates = s->common.duplicates,
	                               .allow_large = s->common.allow_large};
	SHEAF_TRY(sheaf_part_scrap(s->output, s->cx, &sink, err));
	return sheaf_create_overlapping(sink, &s->common.schema, &(sheaf_creation){&create, s->used, true}, s->cx,
	                                &s->writer, err);
}

static sheaf_status read_part(sheaf_slice *s, sheaf_error *err)
{
	void *memory;
	if (strcmp(s->part.head.job, "convert") != 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a part of a conversion, found one of sheaf %s",
		                  sheaf_source_name(s->part.source), s->part.head.job);
	SHEAF_TRY(sheaf_part_read_common(&s->part, &s->common, err));
	SHEAF_TRY(sheaf_part_read_own(&s->part, &s->own, err));
	SHEAF_TRY(sheaf_allocate_array(s->caller, (uint64_t)s->common.nsettings, sizeof *s->used, &memory, err));
	s->used = (bool *)memory;
	return SHEAF_OK;
}

/* A part without sorted entries, or whose output one process makes, has no slice. */
static sheaf_status find_writer(sheaf_slice *s, bool *can, sheaf_error *err)
{
	*can = false;
	if (s->common.payload != SHEAF_PAYLOAD_SORTED) return SHEAF_OK;
	const sheaf_format *to = sheaf_format_find(s->common.to);
	if (!to || !to->write)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected a format that this build has, found %s",
		                  sheaf_source_name(s->part.source), s->common.to);
	SHEAF_TRY(create_writer(s, to, err));
	*can = sheaf_writer_slices(s->writer);
	sheaf_entry_shape entry = *can ? sheaf_writer_entry(s->writer) : s->common.entry;
	if (entry.key_words != s->common.entry.key_words || entry.value_size != s->common.entry.value_size)
		return sheaf_part_refuse(&s->part, "its entries", err);
	return *can ? sheaf_part_check_entries(&s->part, &s->own, &entry, err) : SHEAF_OK;
}

static sheaf_status open_part(sheaf_slice *s, sheaf_source *source, const char *output, bool *can,
                              sheaf_error *err)
{
	sheaf_builder_begin(&s->found, s->caller, NULL);
	sheaf_builder_begin(&s->blobs, s->caller, NULL);
	SHEAF_TRY(sheaf_part_open(source, s->caller, &s->part, err));
	SHEAF_TRY(sheaf_copy_text(s->caller, output, strlen(output), &s->output, err));
	SHEAF_TRY(sheaf_context_listen(s->caller, (sheaf_listener){keep, s}, &s->cx, err));
	SHEAF_TRY(read_part(s, err));
	return find_writer(s, can, err);
}

sheaf_status sheaf_slice_open(sheaf_source *part, const char *output, sheaf_context *cx, sheaf_slice **out,
                              sheaf_error *err)
{
	void *memory;
	bool can = false;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(part, "a source");
	sheaf_status status = !output ? sheaf_not_given(__func__, "a path for the output", err)
	                      : cx    ? sheaf_allocate(cx, sizeof(sheaf_slice), &memory, err)
	                              : sheaf_not_given(__func__, "a context", err);
	if (status) {
		sheaf_source_close(part);
		return status;
	}
	sheaf_slice *s = (sheaf_slice *)memory;
	*s = (sheaf_slice){.caller = cx};
	status = open_part(s, part, output, &can, err);
	if (status || !can)
		sheaf_slice_close(s);
	else
		*out = s;
	return status;
}

void sheaf_slice_close(sheaf_slice *s)
{
	if (!s) return;
	sheaf_abandon(s->writer);
	sheaf_source_close(s->entries);
	sheaf_builder_drop(&s->found);
	sheaf_builder_drop(&s->blobs);
	if (s->used) sheaf_release(s->caller, s->used, (size_t)s->common.nsettings * sizeof *s->used);
	sheaf_part_common_free(&s->common);
	sheaf_part_close(&s->part);
	if (s->cx) sheaf_context_end_listening(s->cx);
	sheaf_release_text(s->caller, s->output);
	sheaf_release(s->caller, s, sizeof *s);
}

/* ---- the contents of a slice ---- */

void sheaf_slice_describe(const sheaf_slice *s, sheaf_slice_entries *out)
{
	if (!out) return;
	*out = (sheaf_slice_entries){0};
	if (!s) return;
	*out = (sheaf_slice_entries){.entries = s->own.rows,
	                             .begin = SHEAF_PART_PAYLOAD,
	                             .bytes = sheaf_entry_bytes(&s->common.entry),
	                             .key_words = (int)s->common.entry.key_words};
}

sheaf_status sheaf_slice_key(sheaf_slice *s, int64_t entry, uint64_t key[SHEAF_MAX_RANK], sheaf_error *err)
{
	SHEAF_NEED(s, "a slice");
	SHEAF_NEED(key, "room for a key");
	SHEAF_EXPECT(entry >= 0 && entry < s->own.rows, "the number of one of its entries", entry);
	int64_t at = SHEAF_PART_PAYLOAD + entry * sheaf_entry_bytes(&s->common.entry);
	uint8_t bytes[SHEAF_MAX_RANK * sizeof(uint64_t)];
	size_t words = s->common.entry.key_words;
	SHEAF_TRY(sheaf_source_read_at(s->part.source, at, bytes, words * sizeof *key, err));
	sheaf_copy_le(key, bytes, words, sizeof *key);
	return SHEAF_OK;
}

static bool is_below(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] != b[w]) return a[w] < b[w];
	return false;
}

sheaf_status sheaf_slice_find(sheaf_slice *s, const uint64_t *key, int64_t *out, sheaf_error *err)
{
	SHEAF_NEED(s, "a slice");
	SHEAF_NEED(key, "a key");
	SHEAF_NEED(out, "a place for the outcome");
	int64_t low = 0, high = s->own.rows;
	while (low < high) {
		uint64_t found[SHEAF_MAX_RANK] = {0};
		int64_t middle = low + (high - low) / 2;
		SHEAF_TRY(sheaf_slice_key(s, middle, found, err));
		if (is_below(found, key, s->common.entry.key_words))
			low = middle + 1;
		else
			high = middle;
	}
	*out = low;
	return SHEAF_OK;
}

/* ---- entries from others ---- */

static sheaf_status supply(sheaf_slice *s, const int64_t *counts, int n, sheaf_error *err)
{
	int64_t at = 0, bytes = sheaf_entry_bytes(&s->common.entry);
	SHEAF_TRY(sheaf_source_make_seekable(s->entries, err));
	for (int i = 0; i < n; i++) {
		SHEAF_EXPECT(counts[i] >= 0 && counts[i] <= (INT64_MAX - at) / bytes, "a number of entries",
		             counts[i]);
		const sheaf_sorted_run run = {s->entries, at, counts[i]};
		SHEAF_TRY(sheaf_writer_supply(s->writer, &run, 1, err));
		at += counts[i] * bytes;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_slice_take(sheaf_slice *s, sheaf_source *entries, const int64_t *counts, int n,
                              int64_t *rows, sheaf_error *err)
{
	SHEAF_NEED(entries, "a source");
	sheaf_status status = !s           ? sheaf_not_given(__func__, "a slice", err)
	                      : !counts    ? sheaf_not_given(__func__, "the number of entries of each part", err)
	                      : !rows      ? sheaf_not_given(__func__, "a place for the outcome", err)
	                      : s->entries ? sheaf_out_of_range(__func__, "one call", 2, err)
	                                   : SHEAF_OK;
	if (status) {
		sheaf_source_close(entries);
		return status;
	}
	s->entries = entries;
	SHEAF_TRY(supply(s, counts, n, err));
	return sheaf_writer_count(s->writer, rows, err);
}

/* ---- its part ---- */

static sheaf_status put_blob(void *user, const sheaf_blob *blob, sheaf_error *err)
{
	sheaf_slice *s = (sheaf_slice *)user;
	sheaf_part_put_i64(&s->blobs, (int64_t)blob->bytes.size);
	sheaf_part_put_i64(&s->blobs, blob->rows);
	sheaf_part_put_i64(&s->blobs, blob->samples);
	s->nblobs++;
	return sheaf_sink_write(s->sink, blob->bytes.data, blob->bytes.size, err);
}

static sheaf_status finish(sheaf_slice *s, int64_t row, int64_t rows, sheaf_error *err)
{
	sheaf_builder common, own;
	sheaf_part_own now = s->own;
	sheaf_sink *sink = s->sink;
	now.row = row;
	now.rows = rows;
	now.closing = sheaf_builder_bytes(&s->found);
	now.nblobs = s->nblobs;
	now.blobs = sheaf_builder_bytes(&s->blobs);
	SHEAF_TRY(sheaf_builder_status(&s->found, err));
	SHEAF_TRY(sheaf_builder_status(&s->blobs, err));
	sheaf_builder_begin(&common, s->caller, NULL);
	sheaf_builder_begin(&own, s->caller, NULL);
	sheaf_part_put_common_again(&common, &s->part, SHEAF_PAYLOAD_SLICES);
	sheaf_part_put_own(&own, &now);
	s->sink = NULL;
	sheaf_status status = sheaf_part_finish(sink, &s->part.head, &common, &own, err);
	sheaf_builder_drop(&common);
	sheaf_builder_drop(&own);
	return status;
}

static sheaf_status encode(sheaf_slice *s, int64_t row, int64_t rows, sheaf_error *err)
{
	int64_t n;
	sheaf_writer *writer = s->writer;
	const sheaf_slicing how = {row, rows, put_blob, s};
	SHEAF_TRY(sheaf_part_begin(s->sink, err));
	SHEAF_TRY(sheaf_writer_count(writer, &n, err));
	s->writer = NULL;
	s->keeps = true;
	SHEAF_TRY(sheaf_writer_slice(writer, &how, err));
	s->keeps = false;
	return finish(s, row, n, err);
}

sheaf_status sheaf_slice_make(sheaf_slice *s, int64_t row, int64_t rows, sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_NEED(sink, "a sink");
	if (!s) {
		sheaf_sink_abandon(sink);
		return sheaf_not_given(__func__, "a slice", err);
	}
	s->sink = sink;
	sheaf_status status =
		row < 0 || rows < row
			? sheaf_out_of_range(__func__, "a number of a row, and how many there are", row, err)
		: s->entries && s->writer
			? encode(s, row, rows, err)
			: sheaf_misuse(err, __func__, "expected entries to be taken before, found none");
	if (s->sink) sheaf_sink_abandon(s->sink);
	s->sink = NULL;
	return status;
}
