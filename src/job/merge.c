/* SPDX-License-Identifier: MIT */
/* Merging all parts of a conversion: the conversion once more, to which the parts give rows, or bytes of the
 * output, and all that was found in them. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "dataset/input/input.h"
#include "io/source.h"
#include "job/part.h"
#include <sheaf/split.h>
#include <string.h>

typedef struct merging {
	sheaf_context *cx;
	sheaf_parts *parts;
	sheaf_merging read; /* of them */
	const char *output;
	bool force, named; /* named: whatever its suffix, the output is in the format of the parts */
	char *text;        /* the options of the parts, cut into lines */
	sheaf_setting *settings;
	const char **inputs;
	size_t nlines;
} merging;

/* Checks that the output's name fits the format of the parts, unless the output was named with the
 * conversion (m->named), whose --to may override a suffix. */
static sheaf_status check_name(const merging *m, const char *to, sheaf_error *err)
{
	const sheaf_format *format = sheaf_format_find(to), *by_name = sheaf_format_of_name(m->output);
	if (!format || !format->write)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected a format that this build has, found %s",
		                  sheaf_source_name(m->parts->set.parts->source), to);
	if (m->named || by_name == format) return SHEAF_OK;
	if (!by_name) return sheaf_check_suffix(m->output, err);
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected the name of a %s file, since the parts are of one, "
	                  "found that of another format",
	                  m->output, format->name);
}

/* Checks that no input has changed since the parts were made, and lists the paths in m->inputs, which
 * borrow them. */
static sheaf_status check_inputs(const merging *m, sheaf_error *err)
{
	const sheaf_part_file *part = m->parts->set.parts;
	for (int i = 0; i < part->head.ninputs; i++) {
		sheaf_source *source;
		SHEAF_TRY(sheaf_source_regular(part->head.inputs[i].path, m->cx, &source, err));
		sheaf_status status = sheaf_part_check_input(part, i, source, err);
		sheaf_source_close(source);
		SHEAF_TRY(status);
		m->inputs[i] = part->head.inputs[i].path;
	}
	return SHEAF_OK;
}

/* Allocates what the merge needs, of sizes that the head of the first part says. The options are copied,
 * since reading them cuts them into lines. */
static sheaf_status allocate(merging *m, sheaf_error *err)
{
	const sheaf_part_head *head = &m->parts->set.parts->head;
	SHEAF_TRY(sheaf_copy_text(m->cx, head->options, strlen(head->options), &m->text, err));
	m->nlines = 1;
	for (const char *at = m->text; *at; at++) m->nlines += *at == '\n';
	SHEAF_TRY(sheaf_allocate_array(m->cx, m->nlines, sizeof *m->settings, &m->settings, err));
	SHEAF_TRY(sheaf_allocate_array(m->cx, (uint64_t)head->ninputs, sizeof *m->inputs, &m->inputs, err));
	SHEAF_TRY(
		sheaf_allocate_array(m->cx, (uint64_t)m->parts->set.n, sizeof *m->read.states, &m->read.states, err));
	return SHEAF_OK;
}

/* Frees what allocate has made, as far as it came. */
static void release(const merging *m)
{
	const sheaf_part_head *head = &m->parts->set.parts->head;
	if (m->read.states)
		sheaf_release(m->cx, m->read.states, (size_t)m->parts->set.n * sizeof *m->read.states);
	if (m->inputs) sheaf_release(m->cx, (void *)m->inputs, (size_t)head->ninputs * sizeof *m->inputs);
	if (m->settings) sheaf_release(m->cx, m->settings, m->nlines * sizeof *m->settings);
	/* Its lines were cut, and as a text it would be as long as the first one. */
	if (m->text) sheaf_release(m->cx, m->text, strlen(head->options) + 1);
}

/* Reads the options of the conversion, and what the parts say of their rows. */
static sheaf_status read_parts(merging *m, sheaf_conversion_options *options, sheaf_error *err)
{
	const sheaf_parts *p = m->parts;
	m->read.parts = m->parts;
	if (!sheaf_part_read_options(m->text, options, m->settings) ||
	    !sheaf_part_read_shared(p->shared, &m->read.shared))
		return sheaf_part_refuse(p->set.parts, "options", err);
	for (int i = 0; i < p->set.n; i++)
		if (!sheaf_part_read_state(p->readings[i].state, &m->read.states[i]) ||
		    m->read.states[i].facts.rows != p->readings[i].rows)
			return sheaf_part_refuse(&p->set.parts[i], "numbers of its rows", err);
	return SHEAF_OK;
}

/* Does the conversion once more, with rows or bytes from the parts. *rows is -1 if it is done without
 * rows. */
static sheaf_status convert(merging *m, int64_t *rows, sheaf_error *err)
{
	sheaf_conversion_options options;
	const sheaf_part_head *head = &m->parts->set.parts->head;
	if (strcmp(head->job, "convert") != 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a part of a conversion, found one of sheaf %s",
		                  sheaf_source_name(m->parts->set.parts->source), head->job);
	SHEAF_TRY(allocate(m, err));
	SHEAF_TRY(read_parts(m, &options, err));
	SHEAF_TRY(check_name(m, options.convert.to, err));
	SHEAF_TRY(check_inputs(m, err));
	*rows = m->read.shared.copies ? -1 : m->parts->rows;
	options.convert.force = m->force;
	m->parts->output = m->output;
	return sheaf_conversion_merge(&m->read, m->inputs, m->output, &options, m->cx, err);
}

/* Opens the parts, which takes the sources over, and merges them. *rows, if somebody wants it, is the
 * number of rows. */
static sheaf_status merge(merging *m, sheaf_source *const *sources, int n, int64_t *rows, sheaf_error *err)
{
	int64_t all = 0;
	SHEAF_TRY(sheaf_parts_open(sources, n, m->cx, &m->parts, err));
	sheaf_status status = convert(m, &all, err);
	release(m);
	sheaf_parts_close(m->parts);
	if (rows) *rows = all;
	return status;
}

/* Merges parts into one output: those that are open (parts.sources, which are taken over), or the files at
 * their paths. */
sheaf_status sheaf_convert_merge(sheaf_part_paths parts, const char *output, bool force, sheaf_context *cx,
                                 int64_t *rows, sheaf_error *err)
{
	int opened = 0;
	sheaf_status status = SHEAF_OK;
	size_t size = (size_t)parts.n * sizeof(sheaf_source *);
	merging m = {.cx = cx, .output = output, .force = force, .named = parts.sources != NULL};
	sheaf_source **sources;
	if (parts.sources) return merge(&m, parts.sources, parts.n, rows, err);
	SHEAF_TRY(sheaf_allocate(cx, size, &sources, err));
	for (; opened < parts.n && status == SHEAF_OK; opened++)
		status = sheaf_source_path(parts.paths[opened], cx, &sources[opened], err);
	if (status == SHEAF_OK)
		status = merge(&m, sources, opened, rows, err);
	else
		for (int i = 0; i + 1 < opened; i++) sheaf_source_close(sources[i]);
	sheaf_release(cx, sources, size);
	return status;
}
