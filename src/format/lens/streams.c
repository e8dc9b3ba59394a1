/* SPDX-License-Identifier: MIT */
/* The schema: a stream for each group and side, and the columns for other data of examples and events. */
#include "base/spell.h"
#include "format/lens/dataset.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- columns ---- */

const sheaf_column_kind sheaf_lens_columns[] = {
	[SHEAF_LENS_NAME] = {"name", SHEAF_STRING, 1},
	[SHEAF_LENS_PROC] = {"proc", SHEAF_STRING, 1},
	[SHEAF_LENS_FREQUENCY] = {"freq", SHEAF_NUMBER, 0},
	[SHEAF_LENS_EVENT_MAX] = {"event.max", SHEAF_NUMBER, 1},
	[SHEAF_LENS_EVENT_MIN] = {"event.min", SHEAF_NUMBER, 1},
	[SHEAF_LENS_EVENT_GRACE] = {"event.grace", SHEAF_NUMBER, 1},
	[SHEAF_LENS_EVENT_PROC] = {"event.proc", SHEAF_STRING, 2},
	{NULL, SHEAF_NUMBER, 0},
};

/* What a loss of a column is called, and its value where an example or event does not give one. */
static const struct {
	const char *loss;
	double usual;
} defaults[SHEAF_LENS_COLUMNS] = {
	[SHEAF_LENS_NAME] = {"example name", 0},           [SHEAF_LENS_PROC] = {"example proc", 0},
	[SHEAF_LENS_FREQUENCY] = {"example frequency", 1}, [SHEAF_LENS_EVENT_MAX] = {"event time", 1},
	[SHEAF_LENS_EVENT_MIN] = {"event time", 0},        [SHEAF_LENS_EVENT_GRACE] = {"event time", 0},
	[SHEAF_LENS_EVENT_PROC] = {"event proc", 0},
};

/* ---- streams ---- */

static const char *const whole_names[2] = {"inputs", "targets"}, *const side_suffixes[2] = {".input",
                                                                                            ".target"};

/* In the order of the sides, and on each in that of appearance. A group for which only "all units" is used
 * counts as one unit. One with far more units than events name is sparse: the size of the result follows that
 * of the file. */
sheaf_status sheaf_lens_streams_of_survey(const sheaf_lens_survey *survey, sheaf_lens_streams *streams,
                                          sheaf_error *err)
{
	for (int side = 0; side < 2; side++)
		for (int u = 0; u < sheaf_lens_streams_count(&survey->found); u++) {
			sheaf_lens_stream stream = *sheaf_lens_stream_at(&survey->found, u);
			if (stream.target != side) continue;
			stream.sparse = sheaf_lens_is_thin(survey, &stream);
			if (stream.width == 0) stream.width = 1;
			SHEAF_TRY(sheaf_lens_streams_add(streams, &stream, err));
		}
	return sheaf_check_cells(streams->cx, survey->events, sheaf_lens_streams_count(streams), survey->bytes,
	                         err);
}

/* The stream's name is its group's and its side; in a network that has a group on one side only, the group's
 * name is enough. */
static sheaf_status add_stream(sheaf_schema *schema, const sheaf_lens_streams *streams,
                               const sheaf_lens_stream *stream, sheaf_builder *name, sheaf_context *cx,
                               sheaf_error *err)
{
	int same;
	sheaf_field *field;
	bool plain = streams->given && sheaf_lens_stream_of(streams, stream->group, !stream->target) < 0;
	name->size = 0;
	sheaf_builder_append(name, stream->group.text, stream->group.size);
	if (stream->group.size == 0)
		sheaf_builder_text(name, whole_names[stream->target]);
	else if (!plain)
		sheaf_builder_text(name, side_suffixes[stream->target]);
	sheaf_builder_byte(name, '\0');
	SHEAF_TRY(sheaf_builder_status(name, err));
	SHEAF_TRY(sheaf_schema_look_up(schema, (const char *)name->data, &same, err));
	if (same >= 0)
		return sheaf_fail(
			err, SHEAF_USAGE,
			SHEAF_OPTION(
				"group") ": expected groups whose streams have names of their own, found two for \"%s\"",
			(const char *)name->data);
	SHEAF_TRY(sheaf_schema_add(schema, cx, (const char *)name->data, name->size - 1, &field, err));
	sheaf_field_make_stream(field, stream->sparse, stream->width, SHEAF_F32);
	field->levels[1].missing = SHEAF_IMPUTED;
	return SHEAF_OK;
}

/* The streams, then the columns of examples and of events. */
sheaf_status sheaf_lens_make_schema(const sheaf_lens_streams *streams, const sheaf_lens_header *header,
                                    sheaf_context *cx, sheaf_schema *out, sheaf_error *err)
{
	sheaf_builder name;
	sheaf_field *field;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&name, cx, NULL);
	for (int s = 0; s < sheaf_lens_streams_count(streams) && status == SHEAF_OK; s++)
		status = add_stream(out, streams, sheaf_lens_stream_at(streams, s), &name, cx, err);
	sheaf_builder_drop(&name);
	SHEAF_TRY(status);
	for (int c = 0; c < SHEAF_LENS_COLUMNS; c++) {
		const sheaf_column_kind *kind = &sheaf_lens_columns[c];
		bool text = kind->meaning == SHEAF_STRING;
		if (sheaf_schema_find(out, kind->name) >= 0)
			return sheaf_fail(err, SHEAF_USAGE,
			                  SHEAF_OPTION("group") ": expected a name for a group on one side that no "
			                                        "column has, found \"%s\"",
			                  kind->name);
		SHEAF_TRY(sheaf_schema_add(out, cx, kind->name, strlen(kind->name), &field, err));
		field->meaning = kind->meaning;
		field->type = text ? SHEAF_U8 : SHEAF_F32;
		field->nlevels = kind->nlevels;
		for (int l = 0; l < kind->nlevels; l++) field->levels[l] = (sheaf_level_shape){.kind = SHEAF_LIST};
		if (text) field->levels[kind->nlevels - 1].missing = SHEAF_NULLABLE;
		field->loss = defaults[c].loss;
		field->usual = defaults[c].usual;
	}
	if (!header->proc) return SHEAF_OK;
	return sheaf_schema_put_attribute(out, cx, "proc", header->proc, "set proc", err);
}

/* ---- the other way ---- */

bool sheaf_lens_name_to_stream(const char *name, sheaf_lens_stream *out)
{
	size_t n = strlen(name);
	for (int side = 0; side < 2; side++) {
		size_t m = strlen(side_suffixes[side]);
		*out = (sheaf_lens_stream){.group = {name, 0}, .target = side};
		if (strcmp(name, whole_names[side]) == 0) return true;
		if (n <= m || strcmp(name + n - m, side_suffixes[side]) != 0) continue;
		out->group.size = n - m;
		return true;
	}
	return false;
}

/* A --group option for each stream. A stream whose name shows no side has none. */
sheaf_status sheaf_lens_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                                sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_lens_stream stream;
	(void)file, (void)own;
	for (int f = 0; f < schema->nfields; f++)
		if (sheaf_field_is_stream(&schema->fields[f]) &&
		    !sheaf_lens_name_to_stream(schema->fields[f].name, &stream))
			return sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"stream \"%s\": expected a name that says whether these are inputs or targets, found another",
				schema->fields[f].name);
	sheaf_builder_resume(&b, cx, text);
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		if (!sheaf_field_is_stream(field) || !sheaf_lens_name_to_stream(field->name, &stream)) continue;
		size_t n = stream.group.size ? stream.group.size : strlen(stream.group.text);
		sheaf_builder_text(&b, "--group '");
		sheaf_builder_append(&b, stream.group.text, n);
		sheaf_builder_printf(&b, ":%" PRId64 ":%s%s'\n", sheaf_field_dim(field),
		                     stream.target ? "output" : "input",
		                     sheaf_field_is_sparse(field) ? ":sparse" : "");
	}
	return sheaf_builder_finish(&b, text, err);
}
