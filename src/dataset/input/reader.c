/* SPDX-License-Identifier: MIT */
/* The memory of readers, and the head that all of them have. */
#include "base/context.h"
#include "base/memory.h"
#include "dataset/input/input.h"
#include "frame/frame.h"
#include "io/source.h"

void sheaf_reader_close(const sheaf_format *format, sheaf_reader *reader)
{
	if (!reader) return;
	size_t size = format->reader_size; /* the format may be the reader's own */
	if (format->close) format->close(reader);
	sheaf_schema_free(&reader->schema);
	sheaf_release(reader->cx, reader, size);
}

/* Opens a reader of the input's format; on failure *out is NULL, and the source stays the caller's. If the
 * context drops what is incomplete, the numbers that a header gives are not known: it may count what is
 * missing. Where any byte must be there to be found (needs_seek), nothing is missing. */
sheaf_status sheaf_reader_open(const sheaf_input *input, const sheaf_opening *how, sheaf_reader **out,
                               sheaf_error *err)
{
	const sheaf_format *format = input->format;
	*out = NULL;
	sheaf_reader *reader;
	SHEAF_TRY(sheaf_allocate(input->cx, format->reader_size, &reader, err));
	reader->cx = input->cx;
	reader->source = input->source;
	reader->facts = SHEAF_NO_FACTS;
	sheaf_status status = format->open(reader, &input->values, how, err);
	if (status == SHEAF_OK) {
		/* A header may count what is missing; where any byte must be there to be found, nothing is. */
		if (sheaf_drops_incomplete(input->cx) && !format->needs_seek)
			reader->facts.rows = reader->facts.samples = -1;
		*out = reader;
		return SHEAF_OK;
	}
	if (status == SHEAF_SHORT && sheaf_drops_incomplete(input->cx))
		sheaf_error_append(err, "; without that, nothing of it can be read");
	sheaf_reader_close(format, reader);
	return status;
}

/* Cuts the next piece, or END. If the context drops what is incomplete, an input that breaks off (SHORT)
 * ends here like a complete one. */
sheaf_status sheaf_cut(const sheaf_format *format, sheaf_reader *in, int64_t bytes, sheaf_piece *piece,
                       sheaf_error *err)
{
	sheaf_error why = {0};
	sheaf_status status = sheaf_source_end_early(in->source, format->cut(in, bytes, piece, &why), &why);
	if (status && status != SHEAF_END && err) *err = why;
	return status;
}
