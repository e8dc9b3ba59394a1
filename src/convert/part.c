/* SPDX-License-Identifier: MIT */
/* A part of a conversion: a run of the inputs' pieces becomes a part file. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "convert/output_sizes.h"
#include "convert/part_body.h"
#include "data/frame.h"
#include "data/frame_bytes.h"
#include "input/measure.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A part being made. */
typedef struct making {
	sheaf_conversion *c;
	sheaf_sink *sink;        /* of the part file */
	const sheaf_sink *scrap; /* of the writer: has what the output has before its first row */
	sheaf_cuts *cuts; /* of each input; of none if any cannot be cut */
	bool whole;       /* so the first part has everything */
	/* if bytes decide where chunks begin: */
	int64_t chunk_bytes; /* 0: they do not */
	sheaf_output_sizes sizes;
	int64_t piece;       /* of the current input: the next one */
	int64_t low, high;   /* range of the size of all rows before those of this part */
	int64_t passed;      /* size of the rows before the next frame */
	int64_t start;       /* size of the rows before the first row that is taken from a frame */
	int64_t done, total; /* bytes of the inputs */
	/* what it contains */
	sheaf_builder segments, blobs, findings;
	int64_t nblobs, open_size, open_rows, open_samples; /* the last blob may still grow */
	bool is_open;
	uint32_t nsegments;
	int64_t row, rows;   /* -1: no row yet */
	int64_t entry_bytes; /* if entries are sorted */
	sheaf_facts facts;
	sheaf_frame frame; /* rows to be stored next */
} making;

/* ---- the payload ---- */

static void close_blob(making *m)
{
	if (!m->is_open) return;
	sheaf_part_put_i64(&m->blobs, m->open_size);
	sheaf_part_put_i64(&m->blobs, m->open_rows);
	sheaf_part_put_i64(&m->blobs, m->open_samples);
	m->c->stored = ++m->nblobs;
	m->is_open = false;
	m->open_size = m->open_rows = m->open_samples = 0;
}

/* Small blobs, which nobody will ask for one by one, are joined into one. */
static sheaf_status put_blob(void *user, const sheaf_blob *blob, sheaf_error *err)
{
	making *m = (making *)user;
	if (blob->bytes.size) SHEAF_TRY(sheaf_sink_write(m->sink, blob->bytes.data, blob->bytes.size, err));
	if (m->c->to->write->note && !blob->continues) close_blob(m);
	m->is_open = true;
	m->open_size += (int64_t)blob->bytes.size;
	m->open_rows += blob->rows;
	m->open_samples += blob->samples;
	return SHEAF_OK;
}

static sheaf_status store(making *m, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_blob blob = {.rows = m->frame.nrows};
	if (m->frame.nrows == 0) return SHEAF_OK;
	sheaf_builder_begin(&b, m->c->cx, NULL);
	sheaf_frame_to_bytes(&m->frame, &b);
	SHEAF_TRY(sheaf_builder_finish(&b, &blob.bytes, err));
	close_blob(m);
	sheaf_status status = put_blob(m, &blob, err);
	close_blob(m);
	sheaf_buffer_reset(&blob.bytes);
	sheaf_frame_clear(&m->frame);
	return status;
}

/* ---- the place of the payload ---- */

static bool opens_by_bytes(const making *m) { return m->c->to->write->sizes && !m->c->stores; }

static sheaf_status place(const making *m, int64_t at, sheaf_error *err)
{
	const sheaf_convert_options *o = m->c->options;
	if (!o->place_part || m->c->stores) return SHEAF_OK;
	SHEAF_TRY(sheaf_sink_flush(m->sink, err));
	return o->place_part(o->part_user, at, err);
}

/* The sizes of rows are those of their bytes, if they decide about chunks. What a format notes of blobs may
 * go before them, too. */
static bool knows_place(const making *m)
{
	return m->chunk_bytes || (m->c->part == 1 && (opens_by_bytes(m) || !m->c->to->write->note));
}

static sheaf_status begin_payload(making *m, int64_t row, sheaf_error *err)
{
	sheaf_writer_divert(m->c->writer, row, m->start, put_blob, m);
	return place(m, knows_place(m) ? sheaf_sink_tell(m->scrap) + m->start : -1, err);
}

/* ---- rows ---- */

static void count_rows(making *m, const sheaf_frame *frame, int64_t row)
{
	if (m->row < 0) m->row = row;
	sheaf_facts_add(&m->facts, &m->c->schema, frame, row);
	m->rows += frame->nrows;
}

/* Rows are copied, so that buffers contain what belongs to them and nothing else. */
static sheaf_status put_rows(making *m, const sheaf_frame *frame, int64_t from, int64_t to, int64_t row,
                             sheaf_error *err)
{
	sheaf_frame some = {0};
	if (from == to) return SHEAF_OK;
	if (m->row < 0 && !m->c->stores) SHEAF_TRY(begin_payload(m, row + from, err));
	SHEAF_TRY(sheaf_frame_slice(frame, from, to, &some, err));
	count_rows(m, &some, row + from);
	sheaf_status status = SHEAF_OK;
	if (m->c->stores && !m->c->sorts) {
		status = sheaf_frame_append(&m->frame, &some, 0, some.nrows, m->c->cx, err);
		if (status == SHEAF_OK) status = store(m, err);
	} else {
		some.checked = frame->checked;
		status = sheaf_write(m->c->writer, &some, err);
	}
	sheaf_frame_free(&some);
	return status;
}

/* The rows of this part in a frame that crosses a border. */
static void find_rows(making *m, const int64_t *bytes, int64_t nrows, int64_t *from, int64_t *to)
{
	int64_t sum = m->start = m->passed;
	*from = *to = 0;
	for (int64_t r = 0; r < nrows; r++) {
		if (sum < m->low) *from = r + 1, m->start = sum + bytes[r];
		if (sum < m->high) *to = r + 1;
		sum += bytes[r];
	}
	if (*to < *from) *to = *from;
	m->passed = sum;
}

static sheaf_status choose_rows(making *m, int input, const sheaf_frame *frame, int64_t *from, int64_t *to,
                                sheaf_error *err)
{
	void *memory;
	int64_t chunk_bytes;
	*from = 0, *to = frame->nrows;
	if (!m->chunk_bytes) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(m->c->cx, (uint64_t)frame->nrows, sizeof(int64_t), &memory, err));
	sheaf_status status = sheaf_writer_sizes(m->c->writer, frame, (int64_t *)memory, &chunk_bytes, err);
	if (status == SHEAF_OK) {
		/* There are fewer rows before a flaw; what comes next reports it. */
		bool whole = !sheaf_decoding_is_cut_short(&m->c->inputs[input]->decoding);
		find_rows(m, (const int64_t *)memory, frame->nrows, from, to);
		if (whole) status = sheaf_output_sizes_check(&m->sizes, input, m->piece, m->passed, err);
	}
	m->piece++;
	sheaf_release(m->c->cx, memory, (size_t)frame->nrows * sizeof(int64_t));
	return status;
}

static sheaf_status copy_frame(making *m, int input, const sheaf_frame *frame, const int *columns,
                               int64_t first, sheaf_error *err)
{
	int64_t from, to;
	sheaf_frame ordered = {0};
	const sheaf_dataset *d = m->c->inputs[input];
	sheaf_status status = sheaf_conversion_frame(m->c, d, frame, columns, &ordered, err);
	ordered.checked = frame->checked;
	if (status == SHEAF_OK) status = choose_rows(m, input, &ordered, &from, &to, err);
	if (status == SHEAF_OK) status = put_rows(m, &ordered, from, to, first + sheaf_dataset_row(d), err);
	sheaf_frame_free(&ordered);
	return status;
}

static sheaf_status copy_rows(making *m, int input, int64_t first, sheaf_error *err)
{
	sheaf_error failure;
	const sheaf_frame *frame;
	sheaf_status status;
	int *columns;
	sheaf_dataset *d = m->c->inputs[input];
	SHEAF_TRY(sheaf_conversion_columns(m->c, d, &columns, err));
	while ((status = sheaf_next(d, &frame, &failure)) == SHEAF_OK &&
	       (status = copy_frame(m, input, frame, columns, first, &failure)) == SHEAF_OK) {
		if (m->whole) continue;
		m->done += sheaf_decoding_piece(&d->decoding)->size;
		sheaf_progress(m->c->cx, m->done, m->total);
	}
	sheaf_release(m->c->cx, columns, (size_t)m->c->schema.nfields * sizeof *columns);
	if (m->c->writer) SHEAF_TRY(sheaf_writer_settle(m->c->writer, err));
	if (status == SHEAF_END) return SHEAF_OK;
	if (err) *err = failure;
	return status;
}

/* ---- an input ---- */

static sheaf_status put_segment(making *m, int input, int64_t blob, bool settled, sheaf_error *err)
{
	sheaf_builder kept;
	sheaf_builder_begin(&kept, m->c->cx, NULL);
	sheaf_status status = settled ? SHEAF_OK : sheaf_dataset_carry(m->c->inputs[input], &kept, err);
	sheaf_builder_u32le(&m->segments, (uint32_t)input);
	sheaf_builder_u32le(&m->segments, settled);
	sheaf_part_put_i64(&m->segments, blob);
	sheaf_part_put_bytes(&m->segments, sheaf_builder_bytes(&m->findings));
	sheaf_part_put_bytes(&m->segments, sheaf_builder_bytes(&kept));
	sheaf_builder_drop(&kept);
	m->nsegments++;
	m->findings.size = 0;
	return status;
}

static sheaf_status copy_input(making *m, int input, const sheaf_range *range, int64_t first,
                               sheaf_error *err)
{
	sheaf_dataset *d = m->c->inputs[input];
	int64_t blob = m->nblobs;
	if (range) SHEAF_TRY(sheaf_dataset_narrow(d, range, err));
	m->c->kept = &m->findings;
	sheaf_status status = copy_rows(m, input, first, err);
	m->c->kept = NULL;
	if (status == SHEAF_OK) status = sheaf_builder_status(&m->findings, err);
	return status ? status : put_segment(m, input, blob, !range, err);
}

/* ---- which rows ---- */

static sheaf_status cut_inputs(making *m, sheaf_error *err)
{
	sheaf_cutting how = {.parts = m->c->parts, .by_counts = opens_by_bytes(m)};
	for (int i = 0; i < m->c->ninputs && !m->whole; i++) {
		const char *why = sheaf_dataset_uncut(m->c->inputs[i]);
		if (!why) SHEAF_TRY(sheaf_dataset_cut(m->c->inputs[i], &how, &m->cuts[i], err));
		if (!why && m->cuts[i].count == 0) why = "nothing to cut";
		if (why && m->c->part == 1) SHEAF_TRY(sheaf_report_uncut(m->c->inputs[i], why, m->c->outer, err));
		m->whole = why != NULL;
	}
	return SHEAF_OK;
}

/* ---- chunks that are opened by bytes ---- */

/* Rows belong to the part that has their chunk. */
static sheaf_status find_chunks(making *m, sheaf_error *err)
{
	SHEAF_TRY(sheaf_measure_output(m->c, m->cuts, &m->sizes, err));
	m->chunk_bytes = m->sizes.chunk_bytes;
	int64_t bytes = m->sizes.bytes, chunks = bytes && m->chunk_bytes ? (bytes - 1) / m->chunk_bytes + 1 : 0;
	m->low = sheaf_part_border(chunks, m->c->part - 1, m->c->parts) * m->chunk_bytes;
	m->high = m->c->part == m->c->parts ? INT64_MAX
	                                    : sheaf_part_border(chunks, m->c->part, m->c->parts) * m->chunk_bytes;
	return SHEAF_OK;
}

/* The pieces of an input that contain rows of this part: from the last one that begins before them. */
static sheaf_range pieces_of_chunks(const making *m, int input)
{
	const sheaf_cuts *cuts = &m->cuts[input];
	const int64_t *before = m->sizes.before[input];
	sheaf_range range = {.cuts = cuts};
	bool ends_before = m->low > 0 && input + 1 < m->c->ninputs && m->sizes.before[input + 1][0] <= m->low;
	if (m->low >= m->high || ends_before) return range;
	while (range.to < cuts->count && before[range.to] < m->high) range.to++;
	while (range.from < cuts->count && before[range.from] < m->low) range.from++;
	bool begins_within = range.from == cuts->count || before[range.from] > m->low;
	if (begins_within && range.from > 0) range.from--;
	range.shared = range.from < range.to && before[range.from] < m->low;
	return range;
}

/* ---- all inputs ---- */

static sheaf_status copy_all(making *m, sheaf_error *err)
{
	int64_t row = 0;
	if (m->c->part > 1) return SHEAF_OK;
	for (int i = 0; i < m->c->ninputs; i++) {
		SHEAF_TRY(copy_input(m, i, NULL, row, err));
		row += m->c->inputs[i]->next_row;
	}
	return SHEAF_OK;
}

static sheaf_status copy_share(making *m, sheaf_error *err)
{
	int64_t row = 0, byte = 0;
	m->total = m->done = 0;
	for (int i = 0; i < m->c->ninputs; i++) m->total += sheaf_cuts_bytes(&m->cuts[i]);
	for (int i = 0; i < m->c->ninputs; i++) {
		sheaf_range range = m->chunk_bytes
		                        ? pieces_of_chunks(m, i)
		                        : sheaf_cuts_share(&m->cuts[i], byte, m->total, m->c->part, m->c->parts);
		if (m->chunk_bytes && range.from < range.to) m->passed = m->sizes.before[i][range.from];
		m->piece = range.from;
		if (range.from < range.to) SHEAF_TRY(copy_input(m, i, &range, row, err));
		row += m->cuts[i].rows;
		byte += sheaf_cuts_bytes(&m->cuts[i]);
	}
	return SHEAF_OK;
}

/* ---- the writer ---- */

static sheaf_status create_writer(making *m, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_conversion *c = m->c;
	sheaf_create_options create = sheaf_conversion_creates(c);
	SHEAF_TRY(sheaf_part_scrap(sheaf_sink_name(m->sink), c->cx, &sink, err));
	m->scrap = sink;
	SHEAF_TRY(sheaf_create_overlapping(sink, &c->schema, &(sheaf_creation){&create, c->used, true, true},
	                                   c->outer, &c->writer, err));
	return sheaf_conversion_check_settings(c, err);
}

static sheaf_status put_entries(void *user, const void *entries, int64_t n, sheaf_error *err)
{
	making *m = (making *)user;
	int64_t size = n * m->entry_bytes;
	m->is_open = true;
	m->open_size += size;
	m->open_rows += n;
	return sheaf_sink_write(m->sink, entries, (size_t)size, err);
}

/* All entries of the part, which the writer has put in order. */
static sheaf_status store_entries(making *m, sheaf_writer *writer, sheaf_error *err)
{
	sheaf_stage(m->c->cx, "sorting");
	SHEAF_TRY(sheaf_writer_give(writer, put_entries, m, err));
	m->rows = m->open_rows;
	return SHEAF_OK;
}

/* Only the first part can determine the requested structure. */
static bool sorts(const sheaf_conversion *c)
{
	return c->stores && !c->options->structure && c->schema.rows == SHEAF_ENTRIES &&
	       sheaf_writer_orders(c->writer);
}

static sheaf_status make_rows(making *m, sheaf_error *err)
{
	sheaf_conversion *c = m->c;
	if (opens_by_bytes(m) && !m->whole) SHEAF_TRY(find_chunks(m, err));
	if (c->stores && !c->sorts) {
		sheaf_abandon(c->writer);
		c->writer = NULL;
	}
	SHEAF_TRY(m->whole ? copy_all(m, err) : copy_share(m, err));
	sheaf_writer *writer = c->writer;
	c->writer = NULL;
	if (c->sorts)
		SHEAF_TRY(store_entries(m, writer, err));
	else if (writer)
		SHEAF_TRY(sheaf_finish_diverted(writer, err));
	close_blob(m);
	return place(m, -1, err);
}

/* ---- the file ---- */

static sheaf_status finish(making *m, sheaf_part_head *head, const sheaf_builder *common, sheaf_error *err)
{
	const sheaf_conversion *c = m->c;
	sheaf_sink *sink = m->sink;
	const sheaf_part_own own = {
		.structured = c->structured,
		.structure = c->structure,
		.row = m->row < 0 ? 0 : m->row,
		.rows = m->rows,
		.is_last = c->part == c->parts,
		.facts = {m->facts.rows, -1, -1, m->facts.longest, m->facts.ordinal_keys},
		.opening = sheaf_builder_bytes(&c->opening),
		.nblobs = m->nblobs,
		.blobs = sheaf_builder_bytes(&m->blobs),
		.nsegments = (int)m->nsegments,
		.segments = sheaf_cursor_over(m->segments.data, m->segments.size, 0),
	};
	m->sink = NULL;
	return sheaf_conversion_finish_part(c, sink, head, common, &own, err);
}

static sheaf_status identify_inputs(const sheaf_conversion *c, sheaf_part_head *head, sheaf_error *err)
{
	for (int i = 0; i < c->ninputs; i++)
		SHEAF_TRY(sheaf_part_identify(c->inputs[i]->source, &head->inputs[i], err));
	return SHEAF_OK;
}

/* Parts that have cut their inputs the same way fit together. */
static void put_common(const making *m, sheaf_builder *common)
{
	sheaf_part_put_common(common, m->c);
	for (int i = 0; i < m->c->ninputs; i++) {
		sheaf_part_put_i64(common, m->whole ? -1 : m->cuts[i].count);
		sheaf_part_put_i64(common, m->whole ? -1 : m->cuts[i].rows);
	}
}

static sheaf_status make(making *m, sheaf_part_head *head, sheaf_error *err)
{
	sheaf_builder common;
	m->c->kept = NULL;
	SHEAF_TRY(sheaf_builder_status(&m->c->opening, err));
	SHEAF_TRY(identify_inputs(m->c, head, err));
	SHEAF_TRY(create_writer(m, err));
	m->c->sorts = sorts(m->c);
	SHEAF_TRY(cut_inputs(m, err));
	if (m->c->sorts) {
		sheaf_entry_shape entry = sheaf_writer_entry(m->c->writer);
		m->entry_bytes = sheaf_entry_bytes(&entry);
	}
	sheaf_builder_begin(&common, m->c->cx, NULL);
	put_common(m, &common);
	sheaf_status status = make_rows(m, err);
	if (status == SHEAF_OK) status = finish(m, head, &common, err);
	sheaf_builder_drop(&common);
	return status;
}

static sheaf_status allocate(making *m, sheaf_part_head *head, sheaf_error *err)
{
	void *memory;
	sheaf_conversion *c = m->c;
	sheaf_builder *builders[] = {&m->segments, &m->blobs, &m->findings};
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
		sheaf_builder_begin(builders[i], c->cx, NULL);
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)c->ninputs, sizeof *m->cuts, &memory, err));
	m->cuts = (sheaf_cuts *)memory;
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)c->ninputs, sizeof *head->inputs, &memory, err));
	head->inputs = (sheaf_part_input *)memory;
	head->ninputs = c->ninputs;
	return SHEAF_OK;
}

static void release(making *m, sheaf_part_head *head)
{
	sheaf_conversion *c = m->c;
	sheaf_builder *builders[] = {&m->segments, &m->blobs, &m->findings};
	if (c->writer) sheaf_abandon(c->writer);
	c->writer = NULL;
	sheaf_output_sizes_free(&m->sizes);
	/* First frees what reads them. */
	for (int i = 0; i < c->ninputs; i++) {
		sheaf_close(c->inputs[i]);
		c->inputs[i] = NULL;
	}
	for (int i = 0; m->cuts && i < c->ninputs; i++) sheaf_cuts_free(&m->cuts[i]);
	if (m->cuts) sheaf_release(c->cx, m->cuts, (size_t)c->ninputs * sizeof *m->cuts);
	if (head->inputs) sheaf_release(c->cx, head->inputs, (size_t)c->ninputs * sizeof *head->inputs);
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++) sheaf_builder_drop(builders[i]);
	sheaf_frame_free(&m->frame);
	if (m->sink) sheaf_sink_abandon(m->sink);
}

sheaf_status sheaf_conversion_open_part(const sheaf_conversion *c, const char *output, sheaf_sink **out,
                                        sheaf_error *err)
{
	const sheaf_convert_options *o = c->options;
	if (!o->open_part) return sheaf_part_create(output, c->replaces, c->cx, out, err);
	SHEAF_TRY(o->open_part(o->part_user, c->cx, out, err));
	return sheaf_part_begin(*out, err);
}

sheaf_status sheaf_convert_part(sheaf_conversion *c, const char *output, sheaf_error *err)
{
	making m = {.c = c, .row = -1, .facts = SHEAF_NO_FACTS};
	sheaf_part_head head = {.job = (char *)(uintptr_t) "convert", .part = c->part, .parts = c->parts};
	m.facts.rows = 0, m.facts.longest = 0, m.facts.ordinal_keys = 1;
	sheaf_status status = allocate(&m, &head, err);
	if (status == SHEAF_OK) status = sheaf_conversion_open_part(c, output, &m.sink, err);
	if (status == SHEAF_OK) status = make(&m, &head, err);
	release(&m, &head);
	return status;
}

/* ---- names ---- */

/* NAME.ctf.part and NAME.ctf.3.part become a ctf. */
const sheaf_format *sheaf_part_target(const char *path)
{
	char name[4096];
	size_t n = strlen(path), suffix = strlen(SHEAF_PART_SUFFIX);
	if (n >= sizeof name) return NULL;
	memcpy(name, path, n + 1);
	if (n > suffix && strcmp(name + n - suffix, SHEAF_PART_SUFFIX) == 0) name[n - suffix] = '\0';
	char *dot = strrchr(name, '.');
	if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1)) *dot = '\0';
	return sheaf_format_of_name(name);
}
