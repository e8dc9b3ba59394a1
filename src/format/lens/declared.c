/* SPDX-License-Identifier: MIT */
/* Whether declared groups exist: a mistyped name would become a stream of nothing but defaults. */
#include "base/context.h"
#include "base/spell.h"
#include "format/lens/dataset.h"
#include "io/source.h"
#include <sheaf/option.h>
#include <stdio.h>

enum { NAME = 64, OTHERS = 8 };

/* Groups of a side that are not declared. */
typedef struct others {
	char names[OTHERS][NAME];
	int n;
} others;

/* The first of them, for a guess at what was meant. */
static void gather_others(const sheaf_lens_dataset *in, const sheaf_lens_survey *survey, bool target,
                          others *out)
{
	const sheaf_lens_use *uses = (const sheaf_lens_use *)(const void *)survey->groups.data;
	size_t n = survey->groups.size / sizeof *uses;
	out->n = 0;
	for (size_t u = 0; u < n && out->n < OTHERS; u++) {
		const sheaf_name *name = &uses[u].name;
		if (uses[u].target != target || name->size == 0 || name->size >= NAME ||
		    sheaf_lens_stream_of(&in->streams, name->text, name->size, target) >= 0)
			continue;
		memcpy(out->names[out->n], name->text, name->size);
		out->names[out->n++][name->size] = '\0';
	}
}

static const char *other_at(const void *user, int i)
{
	const others *o = (const others *)user;
	return i < o->n ? o->names[i] : NULL;
}

static sheaf_status refuse(const sheaf_lens_dataset *in, const sheaf_lens_stream *stream, const char *near,
                           sheaf_error *err)
{
	sheaf_status status = sheaf_fail_option(
		err, SHEAF_USAGE, "group", " %s: expected a group of %s in %s, found none of that name",
		stream->group, stream->target ? "targets" : "inputs", sheaf_source_name(in->source));
	if (near)
		sheaf_error_append_near(err, near);
	else
		sheaf_error_append(err, " (" SHEAF_OPTION("allow-missing") " goes on without it)");
	return status;
}

/* A declaration that no example uses is a mistake if the input has a group that is not declared; in a longer
 * input it may come later, unless the other name is similar. If all names are declared, the network has one
 * more group than these examples use. Units of the whole network belong to every group. */
static sheaf_status check(const sheaf_lens_dataset *in, const sheaf_lens_survey *survey, sheaf_error *err)
{
	others other;
	int n = in->streams.allow_missing ? 0 : sheaf_lens_streams_count(&in->streams);
	for (int s = 0; s < n; s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(&in->streams, s);
		if (sheaf_lens_sides_find(&survey->sides, "", 0, stream->target) >= 0 ||
		    sheaf_lens_sides_find(&survey->sides, stream->group, stream->group_size, stream->target) >= 0)
			continue;
		gather_others(in, survey, stream->target, &other);
		const char *near = sheaf_nearest_word(stream->group, other_at, &other);
		if (near || (survey->complete && other.n > 0)) return refuse(in, stream, near, err);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_lens_check_groups(sheaf_lens_dataset *in, sheaf_error *err)
{
	sheaf_lens_survey survey = {0};
	sheaf_status status = sheaf_lens_make_survey(in->source, true, &in->edits, in->cx, &survey, err);
	if (status == SHEAF_OK) status = check(in, &survey, err);
	sheaf_lens_survey_free(&survey);
	return status;
}

sheaf_status sheaf_lens_review(void *dataset, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_lens_dataset *in = (sheaf_lens_dataset *)dataset;
	(void)row;
	if (frame->notes.size == 0) return SHEAF_OK;
	for (int s = 0; s < sheaf_lens_streams_count(&in->streams); s++)
		sheaf_lens_stream_at(&in->streams, s)->said |= frame->notes.data[s];
	(void)err;
	in->rows += frame->nrows;
	return SHEAF_OK;
}

static sheaf_status warn(const sheaf_lens_dataset *in, const sheaf_lens_stream *stream, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_DATA,
	                         "unused group",
	                         SHEAF_NOWHERE,
	                         stream->target ? "an example with targets of each group that is declared"
	                                        : "an example with inputs of each group that is declared",
	                         "none",
	                         "it has the defaults everywhere"};
	problem.place.file = sheaf_source_name(in->source);
	problem.place.stream = stream->group;
	problem.place.stream_word = "group";
	return sheaf_report(in->cx, &problem, err);
}

/* The network may have groups that these examples do not use. */
sheaf_status sheaf_lens_settle_groups(const sheaf_lens_dataset *in, sheaf_error *err)
{
	for (int s = 0; s < sheaf_lens_streams_count(&in->streams) && in->streams.given && in->rows > 0; s++)
		if (!sheaf_lens_stream_at(&in->streams, s)->said)
			SHEAF_TRY(warn(in, sheaf_lens_stream_at(&in->streams, s), err));
	return SHEAF_OK;
}
