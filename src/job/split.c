/* SPDX-License-Identifier: MIT */
/* One file into several, and several into one.
 *
 * If files of a format consist of rows only, one after the other, rows are moved as bytes: pieces of whole
 * rows are cut and measured, but not decoded, so that parts that are merged give back every byte. Other
 * formats have more than rows: their rows are decoded and written again (share.c), and merged by a
 * conversion. */
#include "base/need.h"
#include <sheaf/split.h>

#include "base/context.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "dataset/input/input.h"
#include "frame/frame.h"
#include "io/set.h"
#include "io/source.h"
#include "job/conversion.h"
#include "job/part/part_file.h"
#include "job/share.h"
#include <stdio.h>
#include <string.h>

/* ---- pieces as bytes ---- */

/* A dataset whose pieces are copied, and the one that was cut last. */
typedef struct copying {
	sheaf_dataset *d;
	sheaf_context *cx;
	sheaf_piece piece;
	sheaf_buffer lengths;
	int64_t rows; /* of the piece */
} copying;

static void end_copying(copying *c)
{
	sheaf_piece_reset(&c->piece);
	sheaf_buffer_reset(&c->lengths);
	sheaf_close(c->d);
	c->d = NULL;
}

/* Cuts the next whole rows, and measures how many they are. They are not decoded, so what their bytes mean
 * is not looked at, but an incomplete row at the end is refused: the next file would continue it. */
static sheaf_status next_piece(copying *c, int64_t bytes, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(c->cx, err));
	sheaf_status status = sheaf_cut(c->d->format, c->d->in, bytes, &c->piece, err);
	if (status == SHEAF_END) SHEAF_TRY(sheaf_source_report_broken(c->d->source, c->cx, err));
	SHEAF_TRY(status);
	status = c->d->format->random->measure(c->d->in, &c->piece, c->cx, &c->lengths, NULL, err);
	c->rows = (int64_t)(c->lengths.size / sizeof(uint32_t));
	if (status != SHEAF_END) return status;
	/* There is an incomplete row, and decoding it says what is wrong with it. */
	sheaf_frame frame = {0};
	status = c->d->format->decode(c->d->in, &c->piece, &frame, c->cx, err);
	sheaf_frame_free(&frame);
	SHEAF_TRY(status);
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected whole rows up to the end, found an incomplete one: they cannot "
	                  "be copied as they are",
	                  sheaf_source_name(c->d->source));
}

/* Writes the bytes of a piece as they are, and reports progress. */
static sheaf_status put_piece(const copying *c, sheaf_sink *sink, sheaf_error *err)
{
	int64_t done, total;
	sheaf_source_progress(c->d->source, &done, &total);
	sheaf_progress(c->cx, done, total);
	return sheaf_sink_write(sink, c->piece.bytes.data, c->piece.bytes.size, err);
}

/* Opens a dataset whose pieces are copied. An input whose rows are divided is read at random, since a piece
 * may be cut once more; else in order, so that it can be a pipe. */
static sheaf_status open_copying(copying *c, sheaf_source *source, const sheaf_open_options *open,
                                 bool random, sheaf_context *cx, sheaf_error *err)
{
	sheaf_open_options how = *open;
	how.access = random ? SHEAF_RANDOM : SHEAF_IN_ORDER;
	how.index = SHEAF_INDEX_NEVER;
	*c = (copying){.cx = cx};
	return sheaf_open_source(source, &how, cx, &c->d, err);
}

/* ---- inputs and outputs ---- */

/* Finds the format of a source, which is closed on failure. */
static sheaf_status recognise(sheaf_source *source, const sheaf_open_options *open,
                              const sheaf_format **format, sheaf_error *err)
{
	const sheaf_values settings = {open->settings, open->nsettings};
	sheaf_status status = sheaf_recognise(source, open->format, &settings, format, err);
	if (status) sheaf_source_close(source);
	return status;
}

/* Copies the caller's options, or takes the defaults (NULL); `open` gets those for opening inputs, and *out
 * points to it. */
static sheaf_status take_options(const char *function, const sheaf_split_options *given,
                                 sheaf_open_options *open, sheaf_split_options *out, sheaf_error *err)
{
	*out = (sheaf_split_options){0};
	if (given) SHEAF_TRY(sheaf_check_size("split options", given->size, sizeof *out, err));
	if (given) *out = *given;
	SHEAF_TRY(sheaf_take_open_options(function, out->open, open, err));
	out->open = open;
	return SHEAF_OK;
}

/* ---- split ---- */

typedef struct parts {
	sheaf_sink **sinks;
	int64_t *rows; /* of each */
	int n, part;   /* the one to which the next row belongs, as far as is known */
	int64_t row, total;
} parts;

/* The number of the first row after part i. The first parts have one row more if they cannot all have the
 * same number. */
static int64_t end_of(const parts *p, int i)
{
	int64_t longer_parts = p->total % p->n;
	return p->total / p->n * (i + 1) + (i + 1 < longer_parts ? i + 1 : longer_parts);
}

/* Copies all pieces to the parts to which their rows belong. A piece that several parts share is cut once
 * more: from its first row on, row by row. The last part gets all that is left, also where the file has grown
 * since its rows were counted. */
static sheaf_status copy_parts(copying *c, parts *p, sheaf_error *err)
{
	sheaf_status status;
	int64_t single_rows_end = 0; /* rows before this one are cut one by one */
	while ((status = next_piece(c, p->row < single_rows_end ? 1 : c->d->piece_bytes, err)) == SHEAF_OK) {
		while (p->row >= end_of(p, p->part) && p->part + 1 < p->n) p->part++;
		bool is_shared = p->part + 1 < p->n && p->row + c->rows > end_of(p, p->part);
		if (is_shared && p->row >= single_rows_end) {
			sheaf_piece begin = c->piece;
			begin.bytes = begin.notes = (sheaf_buffer){0};
			single_rows_end = p->row + c->rows;
			SHEAF_TRY(c->d->format->rewind(c->d->in, &begin, err));
			continue;
		}
		SHEAF_TRY(put_piece(c, p->sinks[p->part], err));
		p->row += c->rows;
		p->rows[p->part] += c->rows;
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Divides the rows of an input among n outputs, which appear together. rows[i] becomes the number of rows
 * in output i; NULL: nobody wants to know. If nothing says how many rows there are, a pass of its own counts
 * them. */
static sheaf_status copy_to_parts(copying *c, const char *const *outputs, int n, bool force, int64_t *rows,
                                  sheaf_error *err)
{
	sheaf_facts facts;
	parts p = {.n = n};
	size_t sinks_size = (size_t)n * sizeof *p.sinks, counts_size = (size_t)n * sizeof *p.rows;
	sheaf_status status = sheaf_allocate(c->cx, sinks_size, &p.sinks, err);
	if (status == SHEAF_OK) status = sheaf_allocate(c->cx, counts_size, &p.rows, err);
	sheaf_dataset_facts(c->d, &facts);
	p.total = facts.rows;
	if (status == SHEAF_OK && p.total < 0) {
		for (p.total = 0; (status = next_piece(c, c->d->piece_bytes, err)) == SHEAF_OK;) p.total += c->rows;
		if (status == SHEAF_END) status = c->d->format->rewind(c->d->in, NULL, err);
	}
	for (int i = 0; i < n && status == SHEAF_OK; i++)
		status = sheaf_sink_path(outputs[i], force, c->cx, &p.sinks[i], err);
	if (status == SHEAF_OK) status = copy_parts(c, &p, err);
	if (status == SHEAF_OK) status = sheaf_sinks_commit(p.sinks, n, err); /* which leaves no sink */
	for (int i = 0; p.sinks && i < n; i++) sheaf_sink_abandon(p.sinks[i]);
	if (rows && p.rows) memcpy(rows, p.rows, counts_size);
	sheaf_release(c->cx, p.rows, counts_size);
	sheaf_release(c->cx, p.sinks, sinks_size);
	return status;
}

/* Finds the format of the parts: what the first suffix names, else that of the input. All of them must have
 * the same one. */
static sheaf_status find_format(const sheaf_format *from, const char *const *outputs, int n,
                                const sheaf_format **to, sheaf_error *err)
{
	const sheaf_format *named = sheaf_format_of_name(outputs[0]);
	*to = named && named->write ? named : from;
	SHEAF_TRY(sheaf_check_writable(*to, err));
	for (int i = 0; i < n; i++) {
		const sheaf_format *other = sheaf_format_of_name(outputs[i]);
		if (!other) SHEAF_TRY(sheaf_check_suffix(outputs[i], err));
		if (other && other != *to)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "%s: expected the name of a %s file, like the other outputs, found that of "
			                  "another format",
			                  outputs[i], (*to)->name);
	}
	return SHEAF_OK;
}

/* Divides a file into several. Outputs that exist are refused before anything is read. Rows move as bytes
 * only if the parts are of the input's format, whose files must consist of rows alone, and if each part has
 * consecutive ones; otherwise they are decoded and written again. */
sheaf_status sheaf_split(const char *input, const char *const *outputs, int n,
                         const sheaf_split_options *options, sheaf_context *cx, int64_t *rows,
                         sheaf_error *err)
{
	sheaf_source *source;
	const sheaf_format *format, *to_format;
	sheaf_open_options open;
	sheaf_split_options o;
	SHEAF_NEED(input, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(take_options(__func__, options, &open, &o, err));
	if (n > 0) SHEAF_TRY(sheaf_check_texts(__func__, "paths of outputs", outputs, n, err));
	if (n < 1) return sheaf_fail(err, SHEAF_USAGE, "split: expected at least 1 output, found %d", n);
	for (int i = 0; i < n && !o.force; i++) SHEAF_TRY(sheaf_target_check_path(outputs[i], err));
	SHEAF_TRY(sheaf_source_named(input, cx, &source, err));
	SHEAF_TRY(recognise(source, o.open, &format, err));
	sheaf_status status = find_format(format, outputs, n, &to_format, err);
	if (status) sheaf_source_close(source);
	SHEAF_TRY(status);
	if ((format->can & SHEAF_CAN_SPLIT) && !o.fractions && to_format == format) {
		copying c;
		SHEAF_TRY(open_copying(&c, source, o.open, true, cx, err));
		status = copy_to_parts(&c, outputs, n, o.force, rows, err);
		end_copying(&c);
		return status;
	}
	sheaf_sharing sharing = {.source = source,
	                         .to = to_format,
	                         .open = o.open,
	                         .n = n,
	                         .fractions = o.fractions,
	                         .seed = o.seed,
	                         .outputs = outputs,
	                         .force = o.force,
	                         .rows = rows};
	return sheaf_share(&sharing, cx, err);
}

/* ---- merge ---- */

/* Fails because an input is not one whose rows can be copied as bytes. */
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
	sheaf_split_options options;
	sheaf_context *cx;
} merging;

/* Copies all rows of a source, which is closed, into the sink, and adds their number to *rows. */
static sheaf_status copy_all(const merging *m, sheaf_source *source, sheaf_sink *sink, int64_t *rows,
                             sheaf_error *err)
{
	copying c;
	SHEAF_TRY(open_copying(&c, source, m->options.open, false, m->cx, err));
	sheaf_status status;
	while ((status = next_piece(&c, c.d->piece_bytes, err)) == SHEAF_OK &&
	       (status = put_piece(&c, sink, err)) == SHEAF_OK)
		*rows += c.rows;
	end_copying(&c);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Copies the rows of all inputs. The first source is open; the others are opened in turn, so that any
 * number of inputs can be merged. */
static sheaf_status copy_inputs(const merging *m, sheaf_source *source, sheaf_sink *sink, int64_t *rows,
                                sheaf_error *err)
{
	const sheaf_format *format;
	SHEAF_TRY(copy_all(m, source, sink, rows, err));
	for (int i = 1; i < m->n; i++) {
		SHEAF_TRY(sheaf_source_named(m->inputs[i], m->cx, &source, err));
		SHEAF_TRY(recognise(source, m->options.open, &format, err));
		if (!(format->can & SHEAF_CAN_SPLIT)) {
			sheaf_source_close(source);
			return refuse_mixture(m->inputs[i], err);
		}
		SHEAF_TRY(copy_all(m, source, sink, rows, err));
	}
	return SHEAF_OK;
}

/* Part files have the options of their conversion. */
static sheaf_status check_part_options(const sheaf_open_options *open, sheaf_error *err)
{
	const char *given = open->format              ? "from"
	                    : open->container->member ? "dataset"
	                    : open->nsettings > 0     ? open->settings[0].name
	                                              : NULL;
	if (given)
		return sheaf_fail_option(err, SHEAF_USAGE, given,
		                         ": expected no such option with part files, which have the options of their "
		                         "conversion, found it");
	return SHEAF_OK;
}

/* Merges part files. They have the options of their conversion, so others are refused. */
static sheaf_status merge_parts(const merging *m, int64_t *rows, sheaf_error *err)
{
	const sheaf_part_paths paths = {m->inputs, m->options.sources, m->n};
	return sheaf_convert_merge(paths, m->output, m->options.force, m->cx, rows, err);
}

/* Merges files in the way that their contents allow. Part files are recognised by their first bytes. Files
 * that consist of rows are copied as bytes if the output has their format; all others are converted together,
 * which needs to open the first one again. *rows is -1 if nobody has counted them. */
static sheaf_status merge(const merging *m, int64_t *rows, sheaf_error *err)
{
	sheaf_source *source;
	const sheaf_format *format, *to_format;
	const sheaf_open_options *open = m->options.open;
	bool is_part;
	SHEAF_TRY(sheaf_source_named(m->inputs[0], m->cx, &source, err));
	sheaf_status status = sheaf_is_part(source, &is_part, err);
	if (status || is_part) sheaf_source_close(source);
	SHEAF_TRY(status);
	if (is_part) {
		SHEAF_TRY(check_part_options(open, err));
		return merge_parts(m, rows, err);
	}
	SHEAF_TRY(recognise(source, open, &format, err));
	to_format = sheaf_format_of_name(m->output);
	if (!to_format)
		status = sheaf_imply_output(m->output, open->settings, open->nsettings, m->cx, &to_format, err);
	bool copies = !status && (format->can & SHEAF_CAN_SPLIT) && to_format == format;
	sheaf_sink *sink = NULL;
	if (copies) status = sheaf_sink_path(m->output, m->options.force, m->cx, &sink, err);
	if (!sink) sheaf_source_close(source);
	SHEAF_TRY(status);
	if (copies) {
		status = copy_inputs(m, source, sink, rows, err);
		if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
		sheaf_sink_abandon(sink);
		return status;
	}
	if (strcmp(m->inputs[0], "-") == 0) return refuse_mixture("-", err);
	*rows = -1;
	const sheaf_convert_options convert = {.open = open, .force = m->options.force};
	return sheaf_convert(m->inputs, m->n, m->output, &convert, m->cx, err);
}

/* Merges files for callers of the library; *rows, if somebody wants it, becomes the number of rows, or
 * -1. */
sheaf_status sheaf_merge(const char *const *inputs, int n, const char *output,
                         const sheaf_split_options *options, sheaf_context *cx, int64_t *rows,
                         sheaf_error *err)
{
	merging m = {.inputs = inputs, .n = n, .output = output, .cx = cx};
	sheaf_open_options open;
	sheaf_status status = take_options(__func__, options, &open, &m.options, err);
	if (!status && !output) status = sheaf_not_given(__func__, "a path for the output", err);
	if (!status && !cx) status = sheaf_not_given(__func__, "a context", err);
	if (m.options.sources) {
		if (!status) status = check_part_options(&open, err);
		if (!status) return merge_parts(&m, rows, err);
		for (int i = 0; i < n; i++) sheaf_source_close(m.options.sources[i]);
	}
	SHEAF_TRY(status);
	SHEAF_EXPECT(n > 0, "at least 1 input", n);
	SHEAF_TRY(sheaf_check_texts(__func__, "paths of inputs", inputs, n, err));
	int64_t nrows = 0;
	if (!m.options.force) SHEAF_TRY(sheaf_target_check_path(output, err));
	status = merge(&m, &nrows, err);
	if (rows) *rows = nrows;
	return status;
}
