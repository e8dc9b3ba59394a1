/* SPDX-License-Identifier: MIT */
/* Formats as users see them: what a program asks of one without opening a file. A format that is not there
 * has no name, no suffixes and no abilities, so that a caller can ask before it checks. */
#include "format/format.h"
#include "base/need.h"

#include <sheaf/io.h>

/* Most abilities are those that the table of the format says; the others follow from the functions it has. */
sheaf_format_info sheaf_format_about(const sheaf_format *format)
{
	static const char *const no_suffixes[] = {NULL};
	static const sheaf_option no_options[1];
	if (!format) return (sheaf_format_info){"", "", no_suffixes, no_options, 0, 0};
	unsigned can = format->can;
	if (format->open) can |= SHEAF_CAN_READ;
	if (format->write) can |= SHEAF_CAN_WRITE;
	if (format->model && format->model->transcode) can |= SHEAF_CAN_TRANSCODE;
	if (format->model && format->model->declare) can |= SHEAF_CAN_DECLARE;
	return (sheaf_format_info){.name = format->name,
	                           .summary = format->summary,
	                           .suffixes = format->suffixes,
	                           .options = format->options ? format->options : no_options,
	                           .can = can,
	                           .takes = format->write ? format->write->takes : 0};
}

/* Writes the declaration of a schema in a format's own language, for formats whose columns are declared
 * outside of the data; `own` is passed to the format. */
sheaf_status sheaf_declare(const sheaf_format *format, const sheaf_schema *schema, const char *file, bool own,
                           sheaf_context *cx, sheaf_buffer *text, sheaf_error *err)
{
	SHEAF_NEED(format, "a format");
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(file, "the name of a file");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(text, "a buffer");
	if (!format->model || !format->model->declare)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"format %s: expected one that writes declarations of streams, found one that does not",
			format->name);
	return format->model->declare(schema, file, own, cx, text, err);
}

/* Apart from the rest, since the sink is abandoned in any case. */
static sheaf_status check_transcode(const sheaf_format *format, const sheaf_source *source,
                                    const sheaf_sink *sink, const sheaf_context *cx, sheaf_error *err)
{
	SHEAF_NEED(format, "a format");
	SHEAF_NEED(source, "a source");
	SHEAF_NEED(sink, "a sink");
	SHEAF_NEED(cx, "a context");
	return SHEAF_OK;
}

/* Rewrites a file in another spelling of its format. The sink is abandoned on failure. */
sheaf_status sheaf_transcode(const sheaf_format *format, sheaf_source *source, sheaf_sink *sink,
                             sheaf_context *cx, sheaf_error *err)
{
	sheaf_status status = check_transcode(format, source, sink, cx, err);
	if (!status && format->model && format->model->transcode)
		return format->model->transcode(source, sink, &(sheaf_values){0}, &(sheaf_selection){0}, cx, err);
	sheaf_sink_abandon(sink);
	SHEAF_TRY(status);
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "format %s: expected one with several spellings, found one with a single one",
	                  format->name);
}
