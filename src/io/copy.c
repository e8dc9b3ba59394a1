/* SPDX-License-Identifier: MIT */
/* Copying from a source to a sink: where both are plain files, the system copies, as far as it can; the rest
 * is read and written. */
#include "base/checked.h"
#include "base/memory.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "io/source.h"
#include <errno.h>

/* Reads and writes bytes. */
static sheaf_status copy_through(sheaf_sink *sink, sheaf_source *source, int64_t offset, int64_t size,
                                 sheaf_error *err)
{
	enum { STEP = 1 << 20 };
	uint8_t *step;
	size_t room = size < STEP ? (size_t)size : STEP;
	if (size == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(sink->cx, room, &step, err));
	sheaf_status status = SHEAF_OK;
	for (int64_t at = 0; at < size && status == SHEAF_OK;) {
		size_t n = size - at < STEP ? (size_t)(size - at) : STEP;
		status = sheaf_source_read_at(source, offset + at, step, n, err);
		if (status == SHEAF_OK) status = sheaf_sink_write(sink, step, n, err);
		at += (int64_t)n;
	}
	sheaf_release(sink->cx, step, room);
	return status;
}

/* Bypasses the buffer and lets the system copy, as far as it can; *offset and *size become those of the rest.
 */
static sheaf_status copy_inside(sheaf_sink *sink, const sheaf_source *source, int64_t *offset, int64_t *size,
                                sheaf_error *err)
{
	int64_t end, at = source->raw.base + *offset, left = *size;
	if (!sheaf_add_i64(&end, sink->position, *size))
		return sheaf_fail_sys(err, EFBIG, "%s: too many bytes for a file", sink->name);
	SHEAF_TRY(sheaf_sink_check_size(sink, end, err));
	SHEAF_TRY(sheaf_sink_flush(sink, err));
	sink->failure.status = sheaf_target_copy(&sink->target, source->raw.fd, &at, &left, &sink->failure);
	if (sink->failure.status) return sheaf_fail_again(err, &sink->failure);
	sink->position = end - left;
	*offset += *size - left;
	*size = left;
	return SHEAF_OK;
}

sheaf_status sheaf_sink_copy(sheaf_sink *sink, sheaf_source *source, int64_t offset, int64_t size,
                             sheaf_error *err)
{
	enum { WORTH_IT = 128 << 10 };
	SHEAF_TRY(sheaf_raw_check_range(&source->raw, offset, (size_t)size, err));
	bool system_can = !sink->function && !sink->encoder.filter && !sink->is_random && !sink->failure.status &&
	                  source->raw.kind == SHEAF_RAW_FILE && !source->decoder.filter;
	if (size >= WORTH_IT && system_can) SHEAF_TRY(copy_inside(sink, source, &offset, &size, err));
	return copy_through(sink, source, offset, size, err);
}
