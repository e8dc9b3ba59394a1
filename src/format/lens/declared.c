/* SPDX-License-Identifier: MIT */
/* Whether declared groups exist: a mistyped name would become a stream of nothing but defaults. */
#include "base/context.h"
#include "base/spell.h"
#include "format/lens/dataset.h"
#include "io/source.h"
#include <sheaf/option.h>

/* Groups that examples use on a side, and that are not declared there. */
typedef struct others {
	const sheaf_lens_streams *found, *declared;
	bool target;
} others;

/* Of the first of them, the one with this number: for a guess at what was meant. */
static const char *other_at(const void *user, int i)
{
	enum { LONGEST = 63, MOST = 8 };
	const others *o = (const others *)user;
	for (int s = 0; s < sheaf_lens_streams_count(o->found) && i < MOST; s++) {
		const sheaf_lens_stream *use = sheaf_lens_stream_at(o->found, s);
		if (use->target == o->target && use->group.size > 0 && use->group.size <= LONGEST &&
		    sheaf_lens_stream_of(o->declared, use->group, o->target) < 0 && i-- == 0)
			return use->group.text;
	}
	return NULL;
}

/* A declaration that no example uses is a mistake if the input has a group that is not declared; in a longer
 * input it may come later, unless the other name is similar. If all names are declared, the network has one
 * more group than these examples use. Units of the whole network belong to every group. */
sheaf_status sheaf_lens_check_groups(sheaf_lens_dataset *in, sheaf_error *err)
{
	const sheaf_name whole = {"", 0};
	sheaf_lens_survey survey = {0};
	sheaf_status status = sheaf_lens_make_survey(in->source, true, &in->edits, in->cx, &survey, err);
	int n = in->streams.allow_missing ? 0 : sheaf_lens_streams_count(&in->streams);
	for (int s = 0; s < n && status == SHEAF_OK; s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(&in->streams, s);
		if (sheaf_lens_stream_of(&survey.found, whole, stream->target) >= 0 ||
		    sheaf_lens_stream_of(&survey.found, stream->group, stream->target) >= 0)
			continue;
		others other = {&survey.found, &in->streams, stream->target};
		const char *near = sheaf_nearest_word(stream->group.text, other_at, &other);
		if (!near && (!survey.complete || !other_at(&other, 0))) continue;
		status = sheaf_fail_option(
			err, SHEAF_USAGE, "group", " %s: expected a group of %s in %s, found none of that name",
			stream->group.text, stream->target ? "targets" : "inputs", sheaf_source_name(in->source));
		if (near)
			sheaf_error_append_near(err, near);
		else
			sheaf_error_append(err, " (" SHEAF_OPTION("allow") " missing goes on without it)");
	}
	sheaf_lens_streams_free(&survey.found);
	return status;
}

/* The notes of a frame say which streams have a named unit in it. */
void sheaf_lens_note_rows(sheaf_lens_dataset *in, const sheaf_frame *frame)
{
	if (frame->notes.size == 0) return;
	for (int s = 0; s < sheaf_lens_streams_count(&in->streams); s++)
		sheaf_lens_stream_at(&in->streams, s)->said |= frame->notes.data[s];
	in->rows += frame->nrows;
}

/* The network may have groups that these examples do not use. */
sheaf_status sheaf_lens_settle_groups(const sheaf_lens_dataset *in, sheaf_error *err)
{
	for (int s = 0; s < sheaf_lens_streams_count(&in->streams) && in->streams.given && in->rows > 0; s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(&in->streams, s);
		if (stream->said) continue;
		sheaf_problem problem = sheaf_problem_in(
			sheaf_source_name(in->source),
			&SHEAF_FINDING(SHEAF_WARNING, "unused group",
		                   stream->target ? "an example with targets of each group that is declared"
		                                  : "an example with inputs of each group that is declared",
		                   "none", "it has the defaults everywhere"));
		problem.place.stream = stream->group.text;
		problem.place.stream_word = "group";
		SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	}
	return SHEAF_OK;
}
