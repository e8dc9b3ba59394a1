/* SPDX-License-Identifier: MIT */
/* Merging all parts of a conversion into its output: the conversion itself, with the contents of the parts
 * instead of rows that are read. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "convert/part_body.h"
#include "data/frame_bytes.h"
#include "input/input.h"
#include "input/lost.h"
#include "io/identity.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>
#include <limits.h>
#include <sheaf/split.h>
#include <string.h>

/* An input whose review continues after those of the parts. */
typedef struct settling {
	int input; /* -1: none */
	sheaf_source *source;
	const sheaf_format *format;
	sheaf_values values;
	sheaf_reader *in;
	sheaf_context *cx;
	bool deaf; /* drops what opening finds, since the parts have reported it */
} settling;

typedef struct merging {
	sheaf_context *caller, *cx; /* the caller's; the one that drops repeated warnings about keys */
	bool key_reported;
	const char *output;
	bool force;
	const sheaf_gathering_options *how; /* NULL: the bytes of parts are copied */
	bool absent;                        /* some were left out */
	sheaf_sink *sink;                   /* of the output, if the caller has opened it; until it is used */
	sheaf_part_set set;
	sheaf_part_common common;
	sheaf_part_own *owns; /* of each part */
	const sheaf_format *to;
	sheaf_facts totals;
	int64_t sum;  /* rows of all parts */
	int64_t rows; /* that have been written so far */
	bool *used;   /* one for each setting */
	sheaf_writer *writer;
	settling now;
} merging;

/* ---- findings ---- */

/* Each part that met a key has reported it. */
static sheaf_status hear(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	merging *m = (merging *)user;
	bool keys = strcmp(problem->rule, SHEAF_RULE_KEYS) == 0;
	if (keys && m->key_reported) return SHEAF_OK;
	m->key_reported |= keys;
	if (m->writer) SHEAF_TRY(sheaf_writer_settle(m->writer, err));
	return sheaf_report(m->caller, problem, err);
}

static sheaf_status hear_of_input(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	merging *m = (merging *)user;
	return m->now.deaf ? SHEAF_OK : sheaf_report(m->cx, problem, err);
}

/* ---- findings about the whole ---- */

static void stop_settling(merging *m)
{
	settling *s = &m->now;
	if (s->in) sheaf_reader_close(s->format, s->in);
	if (s->values.settings) sheaf_settings_release(m->caller, &s->values, m->common.nsettings);
	sheaf_source_close(s->source);
	if (s->cx) sheaf_context_end_listening(s->cx);
	*s = (settling){.input = -1};
}

static sheaf_status settle(merging *m, sheaf_error *err)
{
	settling *s = &m->now;
	sheaf_status status = SHEAF_OK;
	if (s->in && m->writer) status = sheaf_writer_settle(m->writer, err);
	if (status == SHEAF_OK && s->in && s->format->settle) status = s->format->settle(s->in, err);
	stop_settling(m);
	return status;
}

static sheaf_status find_reader(merging *m, int input, sheaf_error *err)
{
	const char *name = m->common.formats[input];
	m->now.format = sheaf_format_find(name);
	if (m->now.format && m->now.format->open && m->now.format->absorb) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected an input of a format that is read in parts, found %s",
	                  m->set.parts->head.inputs[input].path, name);
}

static sheaf_status open_reader(merging *m, int input, sheaf_error *err)
{
	settling *s = &m->now;
	const sheaf_part_file *any = m->set.parts;
	const sheaf_opening how = {.member = m->common.member};
	s->input = input;
	s->deaf = true;
	SHEAF_TRY(find_reader(m, input, err));
	SHEAF_TRY(sheaf_context_listen(m->caller, (sheaf_listener){hear_of_input, m}, &s->cx, err));
	SHEAF_TRY(sheaf_source_regular(any->head.inputs[input].path, s->cx, &s->source, err));
	SHEAF_TRY(sheaf_part_check_input(any, input, s->source, err));
	if (s->format->needs_seek) SHEAF_TRY(sheaf_source_make_seekable(s->source, err));
	SHEAF_TRY(sheaf_settings_pick(s->format, SHEAF_READING,
	                              &(sheaf_given_settings){m->common.settings, m->common.nsettings, m->used},
	                              m->caller, &s->values, err));
	const sheaf_input input_now = {
		.cx = s->cx, .source = s->source, .format = s->format, .values = s->values};
	SHEAF_TRY(sheaf_reader_open(&input_now, &how, &s->in, err));
	s->deaf = false;
	return SHEAF_OK;
}

/* From here on come rows of this input, and no more of earlier ones. */
static sheaf_status turn_to(merging *m, int input, sheaf_error *err)
{
	if (m->now.input >= 0 && m->now.input != input) return settle(m, err);
	return SHEAF_OK;
}

static sheaf_status absorb(merging *m, const sheaf_part_segment *segment, sheaf_error *err)
{
	sheaf_cursor kept = sheaf_cursor_over(segment->kept.data, segment->kept.size, 0);
	if (segment->settled || segment->kept.size == 0) return SHEAF_OK;
	if (!m->now.in) SHEAF_TRY(open_reader(m, segment->input, err));
	return m->now.format->absorb(m->now.in, &kept, err);
}

/* ---- rows ---- */

/* The position in a part's payload, and in its list of blobs. */
typedef struct place {
	const sheaf_part_file *part;
	const sheaf_part_own *own;
	int64_t blob, byte;
} place;

static bool keeps_rows(const merging *m) { return m->common.payload == SHEAF_PAYLOAD_ROWS; }

static bool has_entries(const merging *m) { return sheaf_payload_is_of_entries(m->common.payload); }

static sheaf_status put_frame(merging *m, const place *at, int64_t size, int64_t rows, sheaf_error *err)
{
	sheaf_buffer bytes = {0};
	sheaf_frame frame;
	SHEAF_TRY(sheaf_source_view_at(at->part->source, at->byte, (size_t)size, &bytes, err));
	sheaf_status status = sheaf_frame_from_bytes(&bytes, &m->common.schema, m->cx, &frame, err);
	sheaf_buffer_reset(&bytes);
	if (status == SHEAF_DATA) return sheaf_part_refuse(at->part, "rows", err);
	SHEAF_TRY(status);
	status = frame.nrows == rows ? sheaf_write(m->writer, &frame, err)
	                             : sheaf_part_refuse(at->part, "number of rows", err);
	sheaf_frame_free(&frame);
	return status;
}

static sheaf_status put_next(merging *m, place *at, sheaf_error *err)
{
	int64_t size, rows, samples;
	sheaf_part_blob(at->own, at->blob, &size, &rows, &samples);
	sheaf_blob blob = {.bytes = {.size = (size_t)size}, .rows = rows, .samples = samples};
	SHEAF_TRY(keeps_rows(m) ? put_frame(m, at, size, rows, err)
	                        : sheaf_writer_take(m->writer, at->part->source, at->byte, size, &blob, err));
	at->blob++;
	at->byte += size;
	sheaf_progress(m->caller, m->rows += rows, m->totals.rows);
	return SHEAF_OK;
}

/* The rows up to blob `to`, each after the findings before it. */
static sheaf_status put_segment(merging *m, place *at, const sheaf_part_segment *segment, int64_t to,
                                sheaf_error *err)
{
	sheaf_kept_findings kept = sheaf_kept_findings_over(segment->findings, m->output);
	SHEAF_TRY(turn_to(m, segment->input, err));
	while (at->blob < to) {
		SHEAF_TRY(sheaf_kept_findings_until(&kept, keeps_rows(m) ? at->blob : INT64_MAX - 1, m->cx, err));
		SHEAF_TRY(put_next(m, at, err));
	}
	SHEAF_TRY(sheaf_kept_findings_until(&kept, INT64_MAX - 1, m->cx, err));
	return absorb(m, segment, err);
}

static sheaf_status put_part(merging *m, int number, sheaf_error *err)
{
	sheaf_part_segment segment, next = {0};
	sheaf_part_own *own = &m->owns[number];
	place at = {.part = &m->set.parts[number], .own = own, .byte = SHEAF_PART_PAYLOAD};
	int64_t end = has_entries(m) ? 0 : own->nblobs;
	for (int s = 0; s < own->nsegments; s++) {
		if (s == 0) SHEAF_TRY(sheaf_part_next_segment(at.part, own, &next, err));
		segment = next;
		bool last = s + 1 == own->nsegments;
		if (!last) SHEAF_TRY(sheaf_part_next_segment(at.part, own, &next, err));
		SHEAF_TRY(put_segment(m, &at, &segment, last ? end : next.blob, err));
	}
	return at.blob == end ? SHEAF_OK : sheaf_part_refuse(at.part, "inputs of its rows", err);
}

/* ---- entries ---- */

/* Each part has sorted its own entries: the writer merges them. */
static sheaf_status supply(merging *m, sheaf_error *err)
{
	sheaf_entry_shape entry = {0};
	if (sheaf_writer_orders(m->writer)) entry = sheaf_writer_entry(m->writer);
	if (entry.key_words == 0 || entry.key_words != m->common.entry.key_words ||
	    entry.value_size != m->common.entry.value_size)
		return sheaf_part_refuse(m->set.parts, "entries in the order of the output", err);
	for (int p = 0; p < m->set.n; p++) {
		SHEAF_TRY(sheaf_part_check_entries(&m->set.parts[p], &m->owns[p], &entry, err));
		const sheaf_sorted_run run = {m->set.parts[p].source, SHEAF_PART_PAYLOAD, m->owns[p].rows};
		SHEAF_TRY(sheaf_writer_supply(m->writer, &run, 1, err));
		m->rows += m->owns[p].rows;
	}
	return SHEAF_OK;
}

static sheaf_status put_slices(merging *m, sheaf_error *err)
{
	if (!sheaf_writer_slices(m->writer))
		return sheaf_part_refuse(m->set.parts, "entries that are encoded apart", err);
	SHEAF_TRY(sheaf_writer_await(m->writer, m->sum, err));
	for (int p = 0; p < m->set.n; p++) {
		const sheaf_part_own *own = &m->owns[p];
		place at = {.part = &m->set.parts[p], .own = own, .byte = SHEAF_PART_PAYLOAD};
		sheaf_kept_findings found = sheaf_kept_findings_over(own->closing, m->output);
		SHEAF_TRY(sheaf_kept_findings_until(&found, INT64_MAX - 1, m->cx, err));
		while (at.blob < own->nblobs) SHEAF_TRY(put_next(m, &at, err));
	}
	return SHEAF_OK;
}

static sheaf_status put_parts(merging *m, sheaf_error *err)
{
	for (int p = 0; p < m->set.n; p++) SHEAF_TRY(put_part(m, p, err));
	SHEAF_TRY(settle(m, err));
	if (m->common.payload == SHEAF_PAYLOAD_SORTED) return supply(m, err);
	return m->common.payload == SHEAF_PAYLOAD_SLICES ? put_slices(m, err) : SHEAF_OK;
}

/* ---- whether the parts fit together ---- */

static sheaf_status refuse_index(const sheaf_part_file *part, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_STALE,
	                  "%s: expected the rows that the other parts leave to this one, found other rows: an "
	                  "index of other contents was used (" SHEAF_OPTION("index") " never does without)",
	                  sheaf_source_name(part->source));
}

static sheaf_status add_up(merging *m, sheaf_error *err)
{
	sheaf_facts *sum = &m->totals;
	*sum = SHEAF_NO_FACTS;
	sum->rows = sum->longest = 0;
	sum->ordinal_keys = 1;
	for (int p = 0; p < m->set.n; p++) {
		const sheaf_part_own *own = &m->owns[p];
		bool counted = !keeps_rows(m) && m->common.payload != SHEAF_PAYLOAD_SORTED;
		if (own->rows > 0 && own->row != sum->rows && counted) return refuse_index(&m->set.parts[p], err);
		if (own->rows > INT64_MAX - sum->rows) return sheaf_part_refuse(&m->set.parts[p], "its rows", err);
		sum->rows += own->rows;
		if (own->facts.longest > sum->longest) sum->longest = own->facts.longest;
		if (own->facts.ordinal_keys != 1) sum->ordinal_keys = 0;
	}
	m->sum = sum->rows;
	return SHEAF_OK;
}

static bool is_simple(const sheaf_facts *f)
{
	return f->ordinal_keys == 1 && f->longest >= 0 && f->longest <= 1;
}

/* Encoded entries rely on the totals, which were found before. */
static sheaf_status check_totals(merging *m, sheaf_error *err)
{
	const sheaf_facts *then = &m->common.totals, sum = m->totals;
	const sheaf_writing *write = m->to->write;
	if (m->common.payload != SHEAF_PAYLOAD_OUTPUT) {
		if (!write->needs_totals && !write->needs_rows) m->totals = *then;
		return SHEAF_OK;
	}
	m->totals = *then;
	bool rows = !write->needs_rows || then->rows == sum.rows;
	bool shape = !write->needs_totals || m->common.schema.rows != SHEAF_SEQUENCES ||
	             is_simple(then) == is_simple(&sum);
	return rows && shape ? SHEAF_OK : refuse_index(m->set.parts, err);
}

/* Ranks have named the output with their conversion, whose --to may override a suffix. */
static sheaf_status check_name(const merging *m, sheaf_error *err)
{
	const sheaf_format *named = m->how ? m->to : sheaf_format_of_name(m->output);
	if (!named) return sheaf_check_suffix(m->output, err);
	if (named == m->to) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected the name of a %s file, since the parts are of one, "
	                  "found that of another format",
	                  m->output, m->to->name);
}

static sheaf_status find_target(merging *m, sheaf_error *err)
{
	m->to = sheaf_format_find(m->common.to);
	if (!m->to || !m->to->write)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected a format that this build has, found %s",
		                  sheaf_source_name(m->set.parts->source), m->common.to);
	SHEAF_TRY(check_name(m, err));
	if (m->common.payload != SHEAF_PAYLOAD_OUTPUT || sheaf_writes_in_parts(m->to, &m->common.schema))
		return SHEAF_OK;
	return sheaf_part_refuse(m->set.parts, "rows that are encoded apart", err);
}

static sheaf_status read_common(merging *m, sheaf_error *err)
{
	if (strcmp(m->set.parts->head.job, "convert") != 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a part of a conversion, found one of sheaf %s",
		                  sheaf_source_name(m->set.parts->source), m->set.parts->head.job);
	return sheaf_part_read_common(m->set.parts, &m->common, err);
}

static sheaf_status read_bodies(merging *m, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(m->caller, (uint64_t)m->set.n, sizeof *m->owns, &memory, err));
	m->owns = (sheaf_part_own *)memory;
	for (int p = 0; p < m->set.n; p++) SHEAF_TRY(sheaf_part_read_own(&m->set.parts[p], &m->owns[p], err));
	SHEAF_TRY(sheaf_allocate_array(m->caller, (uint64_t)m->common.nsettings, sizeof *m->used, &memory, err));
	m->used = (bool *)memory;
	SHEAF_TRY(find_target(m, err));
	SHEAF_TRY(add_up(m, err));
	return check_totals(m, err);
}

/* ---- all of it ---- */

static sheaf_status open_output(merging *m, sheaf_sink **out, sheaf_error *err)
{
	*out = m->sink;
	m->sink = NULL;
	if (*out) return SHEAF_OK;
	return m->force ? sheaf_sink_path(m->output, m->caller, out, err)
	                : sheaf_sink_path_new(m->output, m->caller, out, err);
}

static sheaf_status create_writer(merging *m, sheaf_error *err)
{
	sheaf_sink *sink;
	const sheaf_part_own *first = m->owns;
	sheaf_create_options create = {.size = sizeof create,
	                               .format = m->to->name,
	                               .settings = m->common.settings,
	                               .nsettings = m->common.nsettings,
	                               .totals = &m->totals,
	                               .duplicates = m->common.duplicates,
	                               .structure = first->structured ? &first->structure : NULL,
	                               .allow_large = m->common.allow_large,
	                               .force = m->force};
	SHEAF_TRY(open_output(m, &sink, err));
	if (m->common.input_bytes >= 0 && !m->common.allow_large) sheaf_sink_bound(sink, m->common.input_bytes);
	return sheaf_create_overlapping(sink, &m->common.schema, &(sheaf_creation){&create, m->used, true},
	                                m->caller, &m->writer, err);
}

/* Lets the ranks write what was left out. */
static sheaf_status fill(const merging *m, sheaf_sink *sink, sheaf_error *err)
{
	char path[PATH_MAX];
	if (!m->absent) return SHEAF_OK;
	SHEAF_TRY(sheaf_sink_extend(sink, err));
	if (!sheaf_sink_temporary(sink, path, sizeof path))
		return sheaf_fail(err, SHEAF_IO, "%s: expected the path of its temporary file, found none",
		                  m->output);
	return m->how->fill(m->how->user, path, err);
}

static sheaf_status finish(const merging *m, sheaf_writer *writer, sheaf_error *err)
{
	sheaf_sink *sink;
	SHEAF_TRY(sheaf_finish_into(writer, &sink, err));
	sheaf_status status = fill(m, sink, err);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

static sheaf_status check_input(const sheaf_part_file *part, sheaf_error *err)
{
	sheaf_source *source;
	SHEAF_TRY(sheaf_source_regular(part->head.inputs->path, part->cx, &source, err));
	sheaf_status status = sheaf_part_check_input(part, 0, source, err);
	sheaf_source_close(source);
	return status;
}

/* The conversion whose parts have no payload. Rows are not counted. */
static sheaf_status convert_whole(merging *m, sheaf_error *err)
{
	const sheaf_part_common *common = &m->common;
	const char *input = m->set.parts->head.inputs->path;
	sheaf_convert_options options = {.size = sizeof options,
	                                 .from = common->to,
	                                 .to = common->to,
	                                 .settings = common->settings,
	                                 .nsettings = common->nsettings,
	                                 .select = common->select,
	                                 .force = m->force};
	m->rows = -1;
	SHEAF_TRY(find_target(m, err));
	if (!(sheaf_format_can(m->to) & SHEAF_CAN_TRANSCODE))
		return sheaf_part_refuse(m->set.parts, "a format that is copied without rows", err);
	SHEAF_TRY(check_input(m->set.parts, err));
	return sheaf_convert(&input, 1, m->output, &options, m->caller, err);
}

static sheaf_status merge(merging *m, sheaf_error *err)
{
	SHEAF_TRY(read_common(m, err));
	if (m->common.payload == SHEAF_PAYLOAD_NONE) return convert_whole(m, err);
	SHEAF_TRY(read_bodies(m, err));
	sheaf_kept_findings opening = sheaf_kept_findings_over(m->owns->opening, m->output);
	SHEAF_TRY(sheaf_kept_findings_until(&opening, INT64_MAX - 1, m->cx, err));
	SHEAF_TRY(create_writer(m, err));
	sheaf_status status = put_parts(m, err);
	sheaf_writer *writer = m->writer;
	m->writer = NULL;
	if (status == SHEAF_OK) return finish(m, writer, err);
	sheaf_abandon(writer);
	return status;
}

static void release(merging *m)
{
	stop_settling(m);
	if (m->sink) sheaf_sink_abandon(m->sink);
	if (m->used) sheaf_release(m->caller, m->used, (size_t)m->common.nsettings * sizeof *m->used);
	if (m->owns) sheaf_release(m->caller, m->owns, (size_t)m->set.n * sizeof *m->owns);
	sheaf_part_common_free(&m->common);
	sheaf_part_set_close(&m->set);
	sheaf_context_end_listening(m->cx);
}

/* Where the parts come from. */
typedef struct origin {
	const char *const *paths; /* or: */
	sheaf_source *const *sources;
	int n;
} origin;

static sheaf_status open_set(merging *m, const origin *from, sheaf_context *cx, sheaf_error *err)
{
	if (from->paths) return sheaf_part_set_open(from->paths, from->n, cx, &m->set, err);
	return sheaf_part_set_take(from->sources, from->n, cx, &m->set, err);
}

static sheaf_status merge_all(merging *m, const origin *from, sheaf_context *cx, int64_t *rows,
                              sheaf_error *err)
{
	m->caller = cx;
	m->now.input = -1;
	m->sink = m->how ? m->how->output_sink : NULL;
	sheaf_status status = sheaf_context_listen(cx, (sheaf_listener){hear, m}, &m->cx, err);
	if (status)
		for (int i = 0; from->sources && i < from->n; i++) sheaf_source_close(from->sources[i]);
	if (status == SHEAF_OK) status = open_set(m, from, cx, err);
	if (status == SHEAF_OK) status = merge(m, err);
	if (rows) *rows = m->rows;
	release(m);
	return status;
}

sheaf_status sheaf_convert_merge(sheaf_part_paths parts, const char *output, bool force, sheaf_context *cx,
                                 int64_t *rows, sheaf_error *err)
{
	merging m = {.output = output, .force = force};
	return merge_all(&m, &(origin){.paths = parts.paths, .n = parts.n}, cx, rows, err);
}

static void hear_of_absence(void *user, int number, int64_t from, int64_t to, int64_t size)
{
	merging *m = (merging *)user;
	m->absent = true;
	m->how->leave_out(m->how->user, number, from, to, size);
}

sheaf_status sheaf_merge_sources(sheaf_source *const *sources, int n, const sheaf_gathering_options *how,
                                 sheaf_context *cx, int64_t *rows, sheaf_error *err)
{
	SHEAF_NEED(sources, "sources");
	SHEAF_NEED(how, "options");
	SHEAF_NEED(how->output, "a path for the output");
	SHEAF_NEED(cx, "a context");
	SHEAF_EXPECT(n >= 1 && n <= SHEAF_PARTS_MOST, "a number of parts from 1 to 2^20", n);
	merging m = {.output = how->output, .force = how->force, .how = how};
	for (int i = 0; i < n && how->leave_out && how->fill; i++)
		sheaf_source_leave_out(sources[i], (sheaf_absence){hear_of_absence, &m, i});
	return merge_all(&m, &(origin){.sources = sources, .n = n}, cx, rows, err);
}
