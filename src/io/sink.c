/* SPDX-License-Identifier: MIT */
/* Sinks: bytes go through a buffer, through compression if the name of the target asks for it, and then to
 * the target or to the caller's function. A sink that has failed has lost bytes, so every later call fails in
 * the same way. */
#include "io/sink.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "base/third/xxhash.h"
#include "io/descriptor.h"
#include "io/live.h"
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 256 << 10 };

/* ---- opening and closing ---- */

static void free_sink(sheaf_sink *sink)
{
	if (sink->writer) sink->drop_writer(sink->writer);
	sheaf_spool_close(&sink->spool);
	sheaf_target_abandon(&sink->target);
	sheaf_encoder_close(&sink->encoder);
	sheaf_release(sink->cx, sink->buffer, BUFFER);
	sheaf_release(sink->cx, sink->hash, sink->hash ? sheaf_xxhash_state_size() : 0);
	sheaf_release_text(sink->cx, sink->name);
	sheaf_release(sink->cx, sink, sizeof *sink);
}

static sheaf_status new_sink(sheaf_context *cx, const char *name, sheaf_sink **out, sheaf_error *err)
{
	sheaf_sink *sink;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *sink, &sink, err));
	sink->cx = cx;
	sink->target = (sheaf_target){.fd = -1, .folder = -1, .live = SHEAF_NOT_LIVE, .lock = -1};
	sink->spool.fd = -1;
	sheaf_status status = sheaf_copy_text(cx, name, strlen(name), &sink->name, err);
	if (!status) status = sheaf_allocate(cx, BUFFER, &sink->buffer, err);
	if (status)
		free_sink(sink);
	else
		*out = sink;
	return status;
}

sheaf_status sheaf_sink_path(const char *path, bool force, sheaf_context *cx, sheaf_sink **out,
                             sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	sheaf_sink *sink = NULL;
	const sheaf_filter *filter = sheaf_filter_by_suffix(path);
	SHEAF_TRY(new_sink(cx, strcmp(path, "-") == 0 ? "(stdout)" : path, &sink, err));
	sheaf_status status = SHEAF_OK;
	if (filter) status = sheaf_encoder_open(&sink->encoder, filter, cx, sink->name, err);
	/* The target comes last, so that nothing is created in vain, and no FIFO is waited for. */
	if (!status) status = sheaf_target_open(&sink->target, path, sink->name, !force, cx, err);
	if (status)
		free_sink(sink);
	else
		*out = sink;
	return status;
}

sheaf_status sheaf_sink_function(sheaf_write_function write, void *user, const char *name, sheaf_context *cx,
                                 sheaf_sink **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(write, "a function");
	SHEAF_NEED(cx, "a context");
	sheaf_sink *sink = NULL;
	SHEAF_TRY(new_sink(cx, name ? name : "(function)", &sink, err));
	sink->function = write;
	sink->user = user;
	*out = sink;
	return SHEAF_OK;
}

void sheaf_sink_abandon(sheaf_sink *sink)
{
	if (sink) free_sink(sink);
}

/* ---- writing ---- */

/* The last step: bytes leave the library. */
static sheaf_status store(void *user, const void *data, size_t size, sheaf_error *err)
{
	sheaf_sink *sink = (sheaf_sink *)user;
	if (!sink->function) return sheaf_target_write(&sink->target, data, size, err);
	SHEAF_TRY(sheaf_check_stop(sink->cx, err));
	int result = sink->function(sink->user, data, size);
	if (result == 0) return SHEAF_OK;
	int sys = result < 0 && result != INT_MIN ? -result : EIO;
	return sheaf_fail_sys(err, sys, "cannot write to %s", sink->name);
}

sheaf_status sheaf_sink_deliver(sheaf_sink *sink, const void *data, size_t size, bool finish,
                                sheaf_error *err)
{
	if (sink->encoder.filter)
		return sheaf_encoder_write(&sink->encoder, data, size, finish, (sheaf_byte_store){store, sink}, err);
	return size > 0 ? store(sink, data, size, err) : SHEAF_OK;
}

/* Passes on the buffer. */
static sheaf_status flush(sheaf_sink *sink, bool finish, sheaf_error *err)
{
	size_t n = sink->used;
	sink->used = 0;
	return sheaf_sink_deliver(sink, sink->buffer, n, finish, err);
}

/* The most bytes that are made of an input: a small one cannot fill a disk. */
static int64_t most_for(int64_t input)
{
	enum { TIMES = 64 };
	int64_t least = INT64_C(1) << 30, most;
	if (!sheaf_mul_i64(&most, input, TIMES)) most = INT64_MAX;
	return most > least ? most : least;
}

void sheaf_sink_bound(sheaf_sink *sink, int64_t input) { atomic_store(&sink->most, most_for(input)); }

static sheaf_status check_size(const char *name, int64_t most, int64_t size, sheaf_error *err)
{
	if (size <= most) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_LIMIT,
	                  "%s: expected an output of at most %" PRId64
	                  " bytes, which is 64 times the input or 1 GiB, found a need for %" PRId64
	                  " or more (" SHEAF_OPTION("allow") " large writes it anyway)",
	                  name, most, size);
}

sheaf_status sheaf_sink_check_size(const sheaf_sink *sink, int64_t size, sheaf_error *err)
{
	int64_t most = atomic_load(&sink->most);
	return most ? check_size(sink->name, most, size - sink->kept, err) : SHEAF_OK;
}

sheaf_status sheaf_check_output(const char *name, int64_t input, int64_t size, sheaf_error *err)
{
	return check_size(name, most_for(input), size, err);
}

sheaf_status sheaf_sink_write(sheaf_sink *sink, const void *data, size_t size, sheaf_error *err)
{
	SHEAF_NEED(sink, "a sink");
	if (size > 0) SHEAF_NEED(data, "bytes");
	if (sink->failure.status) return sheaf_fail_again(err, &sink->failure);
	if (sink->is_random)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a write at a given byte, found one at the end",
		                  sink->name);
	if (size == 0) return SHEAF_OK;
	uint64_t bytes = size;
	int64_t end = 0;
	sheaf_status status = SHEAF_OK;
	if (bytes > INT64_MAX || !sheaf_add_i64(&end, sink->position, (int64_t)bytes))
		status = sheaf_fail_sys(&sink->failure, EFBIG, "%s: too many bytes for a file", sink->name);
	else
		status = sheaf_sink_check_size(sink, end, &sink->failure);
	if (!status && size > BUFFER - sink->used) status = flush(sink, false, &sink->failure);
	if (!status && size >= BUFFER) {
		status = sheaf_sink_deliver(sink, data, size, false, &sink->failure);
	} else if (!status) {
		memcpy(sink->buffer + sink->used, data, size);
		sink->used += size;
	}
	if (status) return sheaf_fail_again(err, &sink->failure);
	if (sink->hash) sheaf_xxhash_add(sink->hash, data, size);
	sink->position = end;
	return SHEAF_OK;
}

sheaf_status sheaf_sink_begin_hash(sheaf_sink *sink, uint64_t seed, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(sink->cx, sheaf_xxhash_state_size(), &sink->hash, err));
	sheaf_xxhash_begin(sink->hash, seed);
	return SHEAF_OK;
}

uint64_t sheaf_sink_hash(const sheaf_sink *sink) { return sheaf_xxhash_end(sink->hash).low; }

sheaf_status sheaf_sink_flush(sheaf_sink *sink, sheaf_error *err)
{
	sheaf_error *failure = &sink->failure;
	if (!failure->status && sink->used) failure->status = flush(sink, false, failure);
	return failure->status ? sheaf_fail_again(err, failure) : SHEAF_OK;
}

sheaf_status sheaf_sink_seal(sheaf_sink *sink, sheaf_error *err)
{
	sheaf_error *failure = &sink->failure;
	if (failure->status) return sheaf_fail_again(err, failure);
	sheaf_status status =
		sink->writer
			? sheaf_fail(failure, SHEAF_USAGE,
	                     "%s: expected its writers to have finished, found one that has not", sink->name)
			: sheaf_sink_deliver_spool(sink, failure);
	if (!status) status = flush(sink, true, failure);
	if (!status && !sink->function) {
		sheaf_stage(sink->cx, "syncing");
		status = sheaf_target_seal(&sink->target, failure);
	}
	failure->status = status;
	return status ? sheaf_fail_again(err, failure) : SHEAF_OK;
}

sheaf_status sheaf_sink_commit(sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_NEED(sink, "a sink");
	sheaf_status status = sheaf_sink_seal(sink, err);
	if (!status && !sink->function) status = sheaf_target_finish(&sink->target, err);
	free_sink(sink);
	return status;
}

const char *sheaf_sink_name(const sheaf_sink *sink) { return sink ? sink->name : ""; }

int64_t sheaf_sink_tell(const sheaf_sink *sink) { return sink ? sink->position : -1; }
