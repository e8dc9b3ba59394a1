/* SPDX-License-Identifier: MIT */
/* Sinks that are written at any byte. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "io/tree.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_plain(const sheaf_sink *sink)
{
	return !sink->function && !sink->encoder.filter && sink->target.folder >= 0;
}

/* Of the file in which the bytes are until the commit. */
static int descriptor(const sheaf_sink *sink)
{
	return sink->spool.fd >= 0 ? sink->spool.fd : sink->target.fd;
}

static sheaf_status check_unused(const sheaf_sink *sink, sheaf_error *err)
{
	if (sink->failure.status) return sheaf_fail_again(err, &sink->failure);
	if (sink->position == 0 && !sink->is_random) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "%s: something has been written already", sink->name);
}

sheaf_status sheaf_sink_make_random(sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_TRY(check_unused(sink, err));
	if (!is_plain(sink)) SHEAF_TRY(sheaf_spool_open(&sink->spool, sink->cx, err));
	sink->is_random = true;
	return SHEAF_OK;
}

sheaf_status sheaf_sink_make_tree(sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_TRY(check_unused(sink, err));
	if (!is_plain(sink))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected the name of a folder to make, found an output that is not a folder "
		                  "(a name that ends in .zip makes one file)",
		                  sink->name);
	sheaf_status status = sheaf_temporary_make_tree(&sink->target, &sink->failure);
	if (status) return sheaf_fail_again(err, &sink->failure);
	sink->is_random = true;
	return SHEAF_OK;
}

/* Each file takes some bytes of the disk. */
sheaf_status sheaf_sink_put(sheaf_sink *sink, const char *path, sheaf_bytes bytes, sheaf_error *err)
{
	enum { LEAST = 512 };
	int64_t end;
	if (!sheaf_add_i64(&end, sink->position, (int64_t)bytes.size + LEAST)) end = INT64_MAX;
	SHEAF_TRY(sheaf_sink_check_size(sink, end, err));
	SHEAF_TRY(sheaf_tree_put(&sink->target, path, bytes, err));
	sink->position = end;
	return SHEAF_OK;
}

sheaf_status sheaf_sink_make_clone(sheaf_sink *sink, bool *is_there, sheaf_error *err)
{
	*is_there = false;
	SHEAF_TRY(check_unused(sink, err));
	if (!is_plain(sink))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: only a plain file that is not compressed can keep its contents", sink->name);
	sheaf_status status = sheaf_target_clone(&sink->target, &sink->failure);
	if (status) return sheaf_fail_again(err, &sink->failure);
	*is_there = sink->target.is_there;
	sink->kept = *is_there ? sink->target.old.st_size : 0;
	sink->is_random = true;
	return SHEAF_OK;
}

sheaf_status sheaf_sink_read_at(sheaf_sink *sink, int64_t offset, void *data, size_t size, sheaf_error *err)
{
	uint8_t *at = (uint8_t *)data;
	while (size > 0) {
		size_t got;
		SHEAF_TRY(sheaf_fd_read((sheaf_descriptor){sink->cx, descriptor(sink), sink->name}, offset, at, size,
		                        &got, err));
		if (got == 0) {
			memset(at, 0, size);
			break;
		}
		at += got;
		offset += (int64_t)got;
		size -= got;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_sink_write_at(sheaf_sink *sink, int64_t offset, const void *data, size_t size,
                                 sheaf_error *err)
{
	int64_t end;
	if (!sheaf_add_i64(&end, offset, (int64_t)size)) end = INT64_MAX;
	SHEAF_TRY(sheaf_sink_check_size(sink, end, err));
	sheaf_status status =
		sheaf_fd_write((sheaf_descriptor){sink->cx, descriptor(sink), sink->name}, offset, data, size, err);
	if (!status && sink->spool.fd < 0) sheaf_target_write_back(&sink->target, offset, (int64_t)size);
	return status;
}

sheaf_status sheaf_sink_size(sheaf_sink *sink, int64_t *size, sheaf_error *err)
{
	struct stat info;
	*size = 0;
	if (fstat(descriptor(sink), &info) != 0)
		return sheaf_fail_sys(err, errno, "%s: expected an open file", sink->name);
	*size = info.st_size;
	return SHEAF_OK;
}

sheaf_status sheaf_sink_resize(sheaf_sink *sink, int64_t size, sheaf_error *err)
{
	int failed;
	SHEAF_TRY(sheaf_sink_check_size(sink, size, err));
	do failed = ftruncate(descriptor(sink), size) == 0 ? 0 : errno;
	while (failed == EINTR);
	if (!failed) return SHEAF_OK;
	return sheaf_fail_sys(err, failed, "cannot make %s %lld bytes long", sink->name, (long long)size);
}

void sheaf_sink_spoil(sheaf_sink *sink, const sheaf_error *why)
{
	if (!sink->failure.status) sink->failure = *why;
}

sheaf_status sheaf_sink_deliver_spool(sheaf_sink *sink, sheaf_error *err)
{
	enum { STEP = 1 << 20 };
	int64_t size;
	uint8_t *step;
	if (sink->spool.fd < 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_sink_size(sink, &size, err));
	SHEAF_TRY(sheaf_allocate(sink->cx, STEP, &step, err));
	sheaf_status status = SHEAF_OK;
	for (int64_t at = 0; at < size && !status; at += STEP) {
		size_t n = size - at < STEP ? (size_t)(size - at) : STEP;
		status = sheaf_sink_read_at(sink, at, step, n, err);
		if (!status) status = sheaf_sink_deliver(sink, step, n, false, err);
	}
	sheaf_release(sink->cx, step, STEP);
	return status;
}
