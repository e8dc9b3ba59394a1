/* SPDX-License-Identifier: MIT */
/* The memory of readers, and what all of them have. */
#include "base/memory.h"
#include "data/frame.h"
#include "input/input.h"

void sheaf_reader_close(const sheaf_format *format, sheaf_reader *reader)
{
	if (!reader) return;
	size_t size = format->reader_size; /* the format may be the reader's own */
	if (format->close) format->close(reader);
	sheaf_schema_free(&reader->schema);
	sheaf_release(reader->cx, reader, size);
}

sheaf_status sheaf_reader_open(const sheaf_format *format, sheaf_source *source, const sheaf_values *values,
                               const sheaf_opening *how, sheaf_context *cx, sheaf_reader **out,
                               sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, format->reader_size, &memory, err));
	sheaf_reader *reader = (sheaf_reader *)memory;
	reader->cx = cx;
	reader->source = source;
	reader->facts = SHEAF_NO_FACTS;
	sheaf_status status = format->open(reader, values, how, err);
	if (status == SHEAF_OK) {
		*out = reader;
		return SHEAF_OK;
	}
	sheaf_reader_close(format, reader);
	return status;
}
