/* SPDX-License-Identifier: MIT */
/* Copying from a source to a sink. */
#include "base/checked.h"
#include "base/memory.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "io/source.h"
#include <errno.h>

/* Reads and writes what the system has not copied. */
static sheaf_status copy_through(sheaf_sink *sink, sheaf_source *source, int64_t offset, int64_t size,
                                 sheaf_error *err)
{
	enum { STEP = 1 << 20 };
	void *step;
	if (size == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(sink->cx, STEP, &step, err));
	sheaf_status status = SHEAF_OK;
	while (size > 0 && status == SHEAF_OK) {
		size_t n = size < STEP ? (size_t)size : STEP;
		status = sheaf_source_read_at(source, offset, step, n, err);
		if (status == SHEAF_OK) status = sheaf_sink_write(sink, step, n, err);
		offset += (int64_t)n;
		size -= (int64_t)n;
	}
	sheaf_release(sink->cx, step, STEP);
	return status;
}

static bool can_copy(const sheaf_sink *sink, const sheaf_source *source)
{
	return !sink->function && !sink->encoder.filter && !sink->is_random && !sink->failure.status &&
	       source->raw.kind == SHEAF_RAW_FILE && !source->decoder.filter;
}

/* Bypasses the buffer and lets the system copy, as far as it can. */
static sheaf_status copy_inside(sheaf_sink *sink, const sheaf_source *source, int64_t *offset, int64_t *size,
                                sheaf_error *err)
{
	int64_t end, at = source->raw.base + *offset, left = *size;
	if (!sheaf_add_i64(&end, sink->position, *size))
		return sheaf_fail_sys(err, EFBIG, "%s: expected fewer bytes", sink->name);
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
	const sheaf_absence *absence = &source->absence;
	SHEAF_TRY(sheaf_raw_check_range(&source->raw, offset, (size_t)size, err));
	if (absence->hear && sheaf_sink_is_plain(sink)) {
		absence->hear(absence->user, absence->number, offset, sink->position, size);
		return sheaf_sink_skip(sink, size, err);
	}
	if (size >= WORTH_IT && can_copy(sink, source)) SHEAF_TRY(copy_inside(sink, source, &offset, &size, err));
	return copy_through(sink, source, offset, size, err);
}

/* ---- at any byte ---- */

static sheaf_status copy_through_at(sheaf_sink *sink, int64_t to, sheaf_source *source, int64_t offset,
                                    int64_t size, sheaf_error *err)
{
	enum { STEP = 1 << 20 };
	void *step;
	size_t room = size < STEP ? (size_t)size : STEP;
	SHEAF_TRY(sheaf_allocate(sink->cx, room, &step, err));
	sheaf_status status = SHEAF_OK;
	while (size > 0 && status == SHEAF_OK) {
		size_t n = size < (int64_t)room ? (size_t)size : room;
		status = sheaf_source_read_at(source, offset, step, n, err);
		if (status == SHEAF_OK) status = sheaf_sink_write_at(sink, to, step, n, err);
		offset += (int64_t)n;
		to += (int64_t)n;
		size -= (int64_t)n;
	}
	sheaf_release(sink->cx, step, room);
	return status;
}

sheaf_status sheaf_sink_copy_at(sheaf_sink *sink, int64_t to, sheaf_source *source, int64_t offset,
                                int64_t size, sheaf_error *err)
{
	int64_t end;
	const sheaf_absence *absence = &source->absence;
	if (size == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_raw_check_range(&source->raw, offset, (size_t)size, err));
	if (!absence->hear || !sheaf_sink_is_plain_random(sink))
		return copy_through_at(sink, to, source, offset, size, err);
	if (!sheaf_add_i64(&end, to, size)) end = INT64_MAX;
	SHEAF_TRY(sheaf_sink_check_size(sink, end, err));
	absence->hear(absence->user, absence->number, offset, to, size);
	return SHEAF_OK;
}
