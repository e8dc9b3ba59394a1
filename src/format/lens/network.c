/* SPDX-License-Identifier: MIT */
/* Groups of units by name and side: those of the network that an example file is for, given by users as
 * --group NAME:SIZE:input|output[:sparse], or those that a file uses. A file may have thousands. */
#include "base/spell.h"
#include "format/lens/dataset.h"
#include <inttypes.h>

void sheaf_lens_streams_begin(sheaf_lens_streams *streams, sheaf_context *cx)
{
	*streams = (sheaf_lens_streams){.cx = cx};
	sheaf_builder_begin(&streams->numbers, cx, NULL);
	sheaf_builder_begin(&streams->all, cx, NULL);
}

void sheaf_lens_streams_free(sheaf_lens_streams *streams)
{
	sheaf_names_free(&streams->names);
	sheaf_builder_drop(&streams->numbers);
	sheaf_builder_drop(&streams->all);
	sheaf_arena_free(&streams->arena, streams->cx);
}

int sheaf_lens_stream_of(const sheaf_lens_streams *streams, sheaf_name group, bool target)
{
	int name = sheaf_names_find(&streams->names, group.text, group.size, -1);
	return name < 0 ? -1 : ((const int *)(const void *)streams->numbers.data)[2 * name + target];
}

sheaf_status sheaf_lens_streams_add(sheaf_lens_streams *streams, const sheaf_lens_stream *stream,
                                    sheaf_error *err)
{
	static const int none[2] = {-1, -1};
	char *copy;
	sheaf_lens_stream added = *stream;
	int name = sheaf_names_find(&streams->names, stream->group.text, stream->group.size, -1);
	if (name < 0) {
		size_t size = stream->group.size;
		name = streams->names.count;
		sheaf_builder_append(&streams->numbers, none, sizeof none);
		SHEAF_TRY(sheaf_builder_status(&streams->numbers, err));
		SHEAF_TRY(sheaf_arena_copy_text(&streams->arena, streams->cx, stream->group.text, size, &copy, err));
		SHEAF_TRY(sheaf_names_add(&streams->names, streams->cx, copy, size, err));
	}
	added.group = streams->names.names[name];
	((int *)(void *)streams->numbers.data)[2 * name + stream->target] = sheaf_lens_streams_count(streams);
	sheaf_builder_append(&streams->all, &added, sizeof added);
	return sheaf_builder_status(&streams->all, err);
}

/* ---- the groups of the network ---- */

int64_t sheaf_lens_side_width(const sheaf_lens_streams *streams, bool target)
{
	int64_t width = 0;
	for (int s = 0; s < sheaf_lens_streams_count(streams); s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(streams, s);
		if (stream->target == target) width = stream->before + stream->width;
	}
	return width;
}

/* The part between the last ':' before `end` and `end`. NULL if there is none. */
static const char *last_part(const char *text, const char *end)
{
	while (end > text && end[-1] != ':') end--;
	return end > text ? end : NULL;
}

static bool is_word(const char *begin, const char *end, const char *word)
{
	return strlen(word) == (size_t)(end - begin) && memcmp(begin, word, strlen(word)) == 0;
}

static bool read_size(const char *begin, const char *end, int64_t *out)
{
	*out = 0;
	for (const char *c = begin; c < end; c++) {
		if (*c < '0' || *c > '9' || *out > INT32_MAX) return false;
		*out = *out * 10 + (*c - '0');
	}
	return *out > 0 && *out <= INT32_MAX;
}

/* Names may contain colons: the parts are read from the end. */
static bool read_group(const char *text, sheaf_lens_stream *out)
{
	const char *end = text + strlen(text), *part = last_part(text, end);
	*out = (sheaf_lens_stream){0};
	out->sparse = part && is_word(part, end, "sparse");
	if (out->sparse) end = part - 1, part = last_part(text, end);
	if (!part || (!is_word(part, end, "input") && !is_word(part, end, "output"))) return false;
	out->target = *part == 'o';
	end = part - 1, part = last_part(text, end);
	if (!part || !read_size(part, end, &out->width)) return false;
	out->group = (sheaf_name){text, (size_t)(part - 1 - text)};
	return out->group.size > 0;
}

sheaf_status sheaf_lens_read_groups(sheaf_lens_streams *streams, const sheaf_values *values, sheaf_error *err)
{
	const char *text;
	streams->allow_missing = sheaf_values_flag(values, "allow=missing");
	for (int k = 0; (text = sheaf_values_nth(values, "group", k)); k++) {
		sheaf_lens_stream stream;
		if (!read_group(text, &stream))
			return sheaf_fail(
				err, SHEAF_USAGE,
				SHEAF_OPTION(
					"group") ": expected NAME:SIZE:input|output[:sparse] with a size from 1 to %d, found %s",
				INT32_MAX, text);
		if (sheaf_lens_stream_of(streams, stream.group, stream.target) >= 0)
			return sheaf_fail_option(err, SHEAF_USAGE, "group",
			                         ": expected each group once on each side, found %s after another", text);
		stream.before = sheaf_lens_side_width(streams, stream.target);
		if (stream.before + stream.width > INT32_MAX)
			return sheaf_fail_option(err, SHEAF_USAGE, "group",
			                         ": expected at most %d units on each side, found more with %s",
			                         INT32_MAX, text);
		SHEAF_TRY(sheaf_lens_streams_add(streams, &stream, err));
		streams->given = true;
	}
	return SHEAF_OK;
}
