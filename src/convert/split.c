/* SPDX-License-Identifier: MIT */
/* Rows as bytes, from one file to several and back. */
#include "base/need.h"
#include <sheaf/split.h>

#include "base/context.h"
#include "base/memory.h"
#include "convert/conversion.h"
#include "convert/share.h"
#include "data/frame.h"
#include "dataset/dataset.h"
#include "io/set.h"
#include "io/source.h"
#include "part/part_file.h"
#include <stdio.h>
#include <string.h>

/* ---- pieces as bytes ---- */

typedef struct copying {
	sheaf_dataset *d;
	sheaf_context *cx;
	sheaf_piece piece;
	sheaf_buffer lengths;
	int64_t rows; /* of the piece */
} copying;

static void end_copying(copying *c)
{
	sheaf_buffer_reset(&c->piece.bytes);
	sheaf_buffer_reset(&c->piece.notes);
	sheaf_buffer_reset(&c->lengths);
	sheaf_close(c->d);
	c->d = NULL;
}

/* Decoding reports the errors of incomplete rows. */
static sheaf_status refuse_piece(copying *c, sheaf_error *err)
{
	sheaf_frame frame = {0};
	sheaf_status status = c->d->format->decode(c->d->in, &c->piece, &frame, c->cx, err);
	sheaf_frame_free(&frame);
	return status ? status
	              : sheaf_fail(err, SHEAF_DATA,
	                           "%s: expected whole rows up to the end, found an incomplete one: they cannot "
	                           "be copied as they are",
	                           sheaf_source_name(c->d->source));
}

static sheaf_status next_piece(copying *c, int64_t bytes, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(c->cx, err));
	sheaf_status status = sheaf_cut(c->d->format, c->d->in, bytes, &c->piece, err);
	if (status == SHEAF_END) SHEAF_TRY(sheaf_source_report_broken(c->d->source, c->cx, err));
	SHEAF_TRY(status);
	status = c->d->format->random->measure(c->d->in, &c->piece, c->cx, &c->lengths, NULL, err);
	c->rows = (int64_t)(c->lengths.size / sizeof(uint32_t));
	return status == SHEAF_END ? refuse_piece(c, err) : status;
}

static sheaf_status put_piece(const copying *c, sheaf_sink *sink, sheaf_error *err)
{
	int64_t done, total;
	sheaf_source_progress(c->d->source, &done, &total);
	sheaf_progress(c->cx, done, total);
	return sheaf_sink_write(sink, c->piece.bytes.data, c->piece.bytes.size, err);
}

/* Closes the source on failure. */
static sheaf_status look_at(sheaf_source **source, const sheaf_split_options *options,
                            const sheaf_format **format, sheaf_error *err)
{
	const sheaf_open_options *open = options->open;
	const sheaf_values settings = open ? (sheaf_values){open->settings, open->nsettings} : (sheaf_values){0};
	sheaf_status status = sheaf_recognise(*source, open ? open->format : NULL, &settings, format, err);
	if (status) sheaf_source_close(*source);
	return status;
}

/* What is known before anything is read. */
static sheaf_status look(const char *path, const sheaf_split_options *options, sheaf_context *cx,
                         sheaf_source **source, const sheaf_format **format, sheaf_error *err)
{
	SHEAF_TRY(sheaf_source_named(path, cx, source, err));
	return look_at(source, options, format, err);
}

/* The outputs, and whether existing ones are replaced. */
typedef struct targets {
	const char *const *paths;
	bool force;
} targets;

/* The format of the parts: what their suffix names, else that of the input. They all have the same one. */
static sheaf_status find_parts(const sheaf_format *from, const targets *outputs, int n,
                               const sheaf_format **to, sheaf_error *err)
{
	const sheaf_format *named = sheaf_format_of_name(outputs->paths[0]);
	*to = named && named->write ? named : from;
	if (!(*to)->write)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "format %s: expected one that can be written, found one that cannot", (*to)->name);
	for (int i = 0; i < n; i++) {
		const sheaf_format *other = sheaf_format_of_name(outputs->paths[i]);
		if (!other) SHEAF_TRY(sheaf_check_suffix(outputs->paths[i], err));
		if (other && other != *to)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "%s: expected the name of a %s file, like the other outputs, found that of "
			                  "another format",
			                  outputs->paths[i], (*to)->name);
	}
	return SHEAF_OK;
}

/* Whether rows are copied byte for byte. */
static bool copies(const sheaf_format *format, const sheaf_split_options *options)
{
	return (format->can & SHEAF_CAN_SPLIT) && !options->fractions;
}

static sheaf_status open_copying(copying *c, sheaf_source *source, const sheaf_split_options *options,
                                 bool random, sheaf_context *cx, sheaf_error *err)
{
	sheaf_open_options how = options->open ? *options->open : (sheaf_open_options){.size = sizeof how};
	how.random = random;
	how.index = SHEAF_INDEX_NEVER;
	*c = (copying){.cx = cx};
	return sheaf_open_source(source, &how, cx, &c->d, err);
}

static sheaf_status check_options(const char *function, const sheaf_split_options **options, sheaf_error *err)
{
	static const sheaf_split_options defaults = {.size = sizeof defaults};
	if (!*options) *options = &defaults;
	if ((*options)->size && (*options)->size != sizeof defaults)
		return sheaf_fail(err, SHEAF_USAGE, "split options: expected size %zu, found %zu", sizeof defaults,
		                  (*options)->size);
	return sheaf_check_open_options(function, (*options)->open, err);
}

/* ---- split ---- */

typedef struct parts {
	sheaf_sink **sinks;
	int64_t *rows;
	int n;
	int64_t total;
} parts;

static sheaf_status count_rows(copying *c, int64_t *total, sheaf_error *err)
{
	sheaf_facts facts;
	sheaf_status status;
	sheaf_dataset_facts(c->d, &facts);
	*total = facts.rows;
	if (facts.rows >= 0) return SHEAF_OK;
	for (*total = 0; (status = next_piece(c, c->d->piece_bytes, err)) == SHEAF_OK;) *total += c->rows;
	return status == SHEAF_END ? c->d->format->rewind(c->d->in, err) : status;
}

/* The number of the first row after part i: the first parts have one more if they cannot all have the same
 * number. */
static int64_t end_of(const parts *p, int i)
{
	int64_t more = p->total % p->n;
	return p->total / p->n * (i + 1) + (i + 1 < more ? i + 1 : more);
}

/* Divides the rows of a piece that two parts share. */
static sheaf_status copy_each(copying *c, const parts *p, int *part, int64_t *row, sheaf_error *err)
{
	sheaf_piece begin = c->piece;
	int64_t end = *row + c->rows;
	begin.bytes = begin.notes = (sheaf_buffer){0};
	SHEAF_TRY(c->d->format->rewind(c->d->in, err));
	SHEAF_TRY(c->d->format->random->resume(c->d->in, &begin, err));
	while (*row < end) {
		sheaf_status status = next_piece(c, 1, err);
		if (status == SHEAF_END) return SHEAF_OK;
		SHEAF_TRY(status);
		while (*row >= end_of(p, *part) && *part + 1 < p->n) ++*part;
		SHEAF_TRY(put_piece(c, p->sinks[*part], err));
		*row += c->rows;
		p->rows[*part] += c->rows;
	}
	return SHEAF_OK;
}

static sheaf_status copy_parts(copying *c, const parts *p, sheaf_error *err)
{
	sheaf_status status;
	int64_t row = 0;
	int part = 0;
	while ((status = next_piece(c, c->d->piece_bytes, err)) == SHEAF_OK) {
		while (row >= end_of(p, part) && part + 1 < p->n) part++;
		if (row + c->rows > end_of(p, part)) {
			SHEAF_TRY(copy_each(c, p, &part, &row, err));
			continue;
		}
		SHEAF_TRY(put_piece(c, p->sinks[part], err));
		row += c->rows;
		p->rows[part] += c->rows;
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status open_sink(const void *user, int i, sheaf_context *cx, sheaf_sink **out, sheaf_error *err)
{
	const targets *t = (const targets *)user;
	return t->force ? sheaf_sink_path(t->paths[i], cx, out, err)
	                : sheaf_sink_path_new(t->paths[i], cx, out, err);
}

static sheaf_status open_sinks(const parts *p, const targets *outputs, sheaf_context *cx, sheaf_error *err)
{
	for (int i = 0; i < p->n; i++) SHEAF_TRY(open_sink(outputs, i, cx, &p->sinks[i], err));
	return SHEAF_OK;
}

/* Before anything is read. */
static sheaf_status check_free(const targets *outputs, int n, sheaf_error *err)
{
	for (int i = 0; i < n && !outputs->force; i++) SHEAF_TRY(sheaf_target_check_path(outputs->paths[i], err));
	return SHEAF_OK;
}

static sheaf_status split(copying *c, parts *p, const targets *outputs, sheaf_error *err)
{
	SHEAF_TRY(count_rows(c, &p->total, err));
	SHEAF_TRY(open_sinks(p, outputs, c->cx, err));
	SHEAF_TRY(copy_parts(c, p, err));
	return sheaf_sinks_commit(p->sinks, p->n, err);
}

/* `rows`: of each output, or NULL. */
static sheaf_status copy_to_parts(copying *c, const targets *outputs, int n, int64_t *rows, sheaf_error *err)
{
	sheaf_context *cx = c->cx;
	void *sinks = NULL, *counts = NULL;
	sheaf_status status = sheaf_allocate_array(cx, (uint64_t)n, sizeof(sheaf_sink *), &sinks, err);
	if (status == SHEAF_OK) status = sheaf_allocate_array(cx, (uint64_t)n, sizeof(int64_t), &counts, err);
	if (status == SHEAF_OK) {
		parts p = {(sheaf_sink **)sinks, (int64_t *)counts, n, 0};
		status = split(c, &p, outputs, err);
		for (int i = 0; i < n; i++)
			if (p.sinks[i]) sheaf_sink_abandon(p.sinks[i]);
		if (rows) memcpy(rows, counts, (size_t)n * sizeof *rows);
	}
	if (counts) sheaf_release(cx, counts, (size_t)n * sizeof(int64_t));
	if (sinks) sheaf_release(cx, sinks, (size_t)n * sizeof(sheaf_sink *));
	return status;
}

sheaf_status sheaf_split(const char *input, const char *const *outputs, int n,
                         const sheaf_split_options *options, sheaf_context *cx, int64_t *rows,
                         sheaf_error *err)
{
	SHEAF_NEED(input, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(check_options(__func__, &options, err));
	if (n > 0) SHEAF_TRY(sheaf_check_texts(__func__, "paths of outputs", outputs, n, err));
	if (n < 1) return sheaf_fail(err, SHEAF_USAGE, "split: expected at least 1 output, found %d", n);
	sheaf_source *source;
	const sheaf_format *format, *to_format;
	targets to = {outputs, options->force};
	SHEAF_TRY(check_free(&to, n, err));
	SHEAF_TRY(look(input, options, cx, &source, &format, err));
	sheaf_status status = find_parts(format, &to, n, &to_format, err);
	if (status) sheaf_source_close(source);
	SHEAF_TRY(status);
	if (copies(format, options) && to_format == format) {
		copying c;
		SHEAF_TRY(open_copying(&c, source, options, true, cx, err));
		status = copy_to_parts(&c, &to, n, rows, err);
		end_copying(&c);
		return status;
	}
	sheaf_sharing sharing = {.source = source,
	                         .to = to_format,
	                         .open = options->open,
	                         .outputs = outputs,
	                         .n = n,
	                         .fractions = options->fractions,
	                         .seed = options->seed,
	                         .opener = open_sink,
	                         .user = &to,
	                         .rows = rows};
	return sheaf_share(&sharing, cx, err);
}

/* ---- merge ---- */

static sheaf_status copy_all(sheaf_source *source, const sheaf_split_options *options, sheaf_context *cx,
                             sheaf_sink *sink, int64_t *rows, sheaf_error *err)
{
	copying c;
	SHEAF_TRY(open_copying(&c, source, options, false, cx, err));
	sheaf_status status;
	while ((status = next_piece(&c, c.d->piece_bytes, err)) == SHEAF_OK &&
	       (status = put_piece(&c, sink, err)) == SHEAF_OK)
		*rows += c.rows;
	end_copying(&c);
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status refuse_mixture(const char *path, sheaf_error *err)
{
	return sheaf_fail(
		err, SHEAF_DATA,
		"%s: expected an input whose rows can be copied unchanged, found another; sheaf convert "
		"joins files of all formats",
		path);
}

/* The arguments of sheaf_merge. */
typedef struct merging {
	const char *const *inputs;
	int n;
	const char *output;
	const sheaf_split_options *options;
	sheaf_context *cx;
} merging;

/* The first source is open; the others are opened in turn. */
static sheaf_status copy_each_input(const merging *m, sheaf_source *source, sheaf_sink *sink, int64_t *rows,
                                    sheaf_error *err)
{
	const sheaf_format *format;
	SHEAF_TRY(copy_all(source, m->options, m->cx, sink, rows, err));
	for (int i = 1; i < m->n; i++) {
		SHEAF_TRY(look(m->inputs[i], m->options, m->cx, &source, &format, err));
		if (!copies(format, m->options)) {
			sheaf_source_close(source);
			return refuse_mixture(m->inputs[i], err);
		}
		SHEAF_TRY(copy_all(source, m->options, m->cx, sink, rows, err));
	}
	return SHEAF_OK;
}

static sheaf_status convert_all(const merging *m, sheaf_error *err)
{
	const sheaf_open_options *open = m->options->open;
	sheaf_convert_options convert = {.size = sizeof convert, .force = m->options->force};
	if (open) {
		convert.from = open->format;
		convert.settings = open->settings;
		convert.nsettings = open->nsettings;
		convert.index = open->index;
		convert.member = open->member;
	}
	return sheaf_convert(m->inputs, m->n, m->output, &convert, m->cx, err);
}

/* Chosen like in sheaf convert. */
static sheaf_status find_output(const merging *m, const sheaf_format **out, sheaf_error *err)
{
	const sheaf_open_options *open = m->options->open;
	*out = sheaf_format_of_name(m->output);
	if (*out) return SHEAF_OK;
	return sheaf_imply_output(m->output, open ? open->settings : NULL, open ? open->nsettings : 0, m->cx, out,
	                          err);
}

/* The parts determined how rows are read and written. */
static sheaf_status check_open(const sheaf_open_options *open, sheaf_error *err)
{
	const char *given = NULL;
	if (open && open->nsettings > 0) given = open->settings[0].name;
	if (open && open->member) given = "dataset";
	if (open && open->format) given = "from";
	if (!given) return SHEAF_OK;
	return sheaf_fail_option(
		err, SHEAF_USAGE, given,
		": expected no such option with part files, which have the options of their conversion, found it");
}

static sheaf_status merge_parts(const merging *m, int64_t *rows, sheaf_error *err)
{
	const sheaf_part_paths paths = {m->inputs, m->n};
	SHEAF_TRY(check_open(m->options->open, err));
	return sheaf_convert_merge(paths, m->output, m->options->force, m->cx, rows, err);
}

/* Rows are copied from the inputs to the output unchanged. */
static sheaf_status copy_inputs(const merging *m, sheaf_source *source, int64_t *rows, sheaf_error *err)
{
	sheaf_sink *sink;
	targets to = {&m->output, m->options->force};
	sheaf_status status = open_sink(&to, 0, m->cx, &sink, err);
	if (status) {
		sheaf_source_close(source);
		return status;
	}
	status = copy_each_input(m, source, sink, rows, err);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

static sheaf_status merge(const merging *m, int64_t *rows, sheaf_error *err)
{
	sheaf_source *source;
	const sheaf_format *format, *to_format;
	bool part;
	SHEAF_TRY(sheaf_source_named(m->inputs[0], m->cx, &source, err));
	sheaf_status begun = sheaf_is_part(source, &part, err);
	if (begun || part) sheaf_source_close(source);
	SHEAF_TRY(begun);
	if (part) return merge_parts(m, rows, err);
	SHEAF_TRY(look_at(&source, m->options, &format, err));
	sheaf_status status = find_output(m, &to_format, err);
	if (!status && copies(format, m->options) && to_format == format)
		return copy_inputs(m, source, rows, err);
	sheaf_source_close(source);
	SHEAF_TRY(status);
	if (strcmp(m->inputs[0], "-") == 0) return refuse_mixture("-", err);
	*rows = -1;
	return convert_all(m, err);
}

sheaf_status sheaf_merge(const char *const *inputs, int n, const char *output,
                         const sheaf_split_options *options, sheaf_context *cx, int64_t *rows,
                         sheaf_error *err)
{
	SHEAF_NEED(output, "a path for the output");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(check_options(__func__, &options, err));
	SHEAF_EXPECT(n > 0, "at least 1 input", n);
	SHEAF_TRY(sheaf_check_texts(__func__, "paths of inputs", inputs, n, err));
	int64_t all = 0;
	targets to = {&output, options->force};
	SHEAF_TRY(check_free(&to, 1, err));
	sheaf_status status = merge(&(merging){inputs, n, output, options, cx}, &all, err);
	if (rows) *rows = all;
	return status;
}
