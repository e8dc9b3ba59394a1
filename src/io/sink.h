/* SPDX-License-Identifier: MIT */
/* The inside of sinks: a stream (sink.c), or a file that is read and written at any byte (sink_random.c). */
#ifndef SHEAF_IO_SINK_H
#define SHEAF_IO_SINK_H

#include "io/filters/encoder.h"
#include "io/spool.h"
#include "io/target.h"
#include <sheaf/io.h>

struct sheaf_sink {
	sheaf_context *cx;
	char *name;
	sheaf_write_function function; /* NULL: the target is used */
	void *user;
	sheaf_target target;
	sheaf_encoder encoder; /* not open without compression */
	uint8_t *buffer;
	size_t used;          /* bytes in the buffer */
	int64_t position;     /* bytes that were written, before compression */
	sheaf_error failure;  /* bytes are lost: no later call may succeed */
	_Atomic int64_t most; /* the most bytes that it may get; 0: any number */
	void *hash;           /* of everything that was written; NULL: nobody asks */
	int64_t kept;         /* the size of the file of which it began as a copy, which does not count */
	bool is_random; /* written at any byte: in the target's own file, or in the spool if that is impossible */
	sheaf_spool spool;
	void *writer; /* state of whoever is writing into it; it cannot be committed until this is NULL */
	void (*drop_writer)(void *writer);
};

/* From now on the sink is written at any byte, and not as a stream; it begins empty. If it is no plain
 * regular file, it gets its bytes at commit, from a temporary file. Before anything is written. */
SHEAF_USE sheaf_status sheaf_sink_make_random(sheaf_sink *sink, sheaf_error *err);
/* The same, beginning as a copy of the file that is to be replaced; *is_there: there is one. A file that
 * another program replaces or changes meanwhile is not replaced: the commit fails. UNSUPPORTED if the target
 * is no plain regular file. */
SHEAF_USE sheaf_status sheaf_sink_make_clone(sheaf_sink *sink, bool *is_there, sheaf_error *err);

/* From now on the sink is a folder, into which files are written by their paths, each once and whole.
 * UNSUPPORTED if the target cannot be one. Before anything is written. */
SHEAF_USE sheaf_status sheaf_sink_make_tree(sheaf_sink *sink, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_sink_put(sheaf_sink *sink, const char *path, sheaf_bytes bytes,
                                      sheaf_error *err);

/* Any thread, once it is random. Bytes that were never written are zeros, also after the end. */
SHEAF_USE sheaf_status sheaf_sink_read_at(sheaf_sink *sink, int64_t offset, void *data, size_t size,
                                          sheaf_error *err);
SHEAF_USE sheaf_status sheaf_sink_write_at(sheaf_sink *sink, int64_t offset, const void *data, size_t size,
                                           sheaf_error *err);
SHEAF_USE sheaf_status sheaf_sink_size(sheaf_sink *sink, int64_t *size, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_sink_resize(sheaf_sink *sink, int64_t size, sheaf_error *err);

/* Writes `size` bytes of a source, from `offset` on: between plain files the system copies, and may share the
 * blocks. SHORT if the source ends before that. The source is seekable. */
SHEAF_USE sheaf_status sheaf_sink_copy(sheaf_sink *sink, sheaf_source *source, int64_t offset, int64_t size,
                                       sheaf_error *err);

/* Everything that a commit does, except for renaming the file (sheaf_target_place). */
SHEAF_USE sheaf_status sheaf_sink_seal(sheaf_sink *sink, sheaf_error *err);

/* From now on the sink takes at most 64 times as many bytes as the input has, but at least 1 GiB: a small
 * input cannot fill a disk. Any thread. */
void sheaf_sink_bound(sheaf_sink *sink, int64_t input);
/* LIMIT, with the size, if an output of that many bytes would exceed that. */
SHEAF_USE sheaf_status sheaf_sink_check_size(const sheaf_sink *sink, int64_t size, sheaf_error *err);

/* The same before the sink exists. */
SHEAF_USE sheaf_status sheaf_check_output(const char *name, int64_t input, int64_t size, sheaf_error *err);

/* From now on a hash of everything that is written is kept, until the sink is closed. Before anything is
 * written. */
SHEAF_USE sheaf_status sheaf_sink_begin_hash(sheaf_sink *sink, uint64_t seed, sheaf_error *err);
/* Of all bytes so far. */
uint64_t sheaf_sink_hash(const sheaf_sink *sink);

/* Makes every later call fail: the output cannot become whole. */
void sheaf_sink_spoil(sheaf_sink *sink, const sheaf_error *why);

/* One step of a stream, bypassing the buffer. */
SHEAF_USE sheaf_status sheaf_sink_deliver(sheaf_sink *sink, const void *data, size_t size, bool finish,
                                          sheaf_error *err);
/* Writes what was written at random to a target that allows no such writing; nothing to do otherwise. */
SHEAF_USE sheaf_status sheaf_sink_deliver_spool(sheaf_sink *sink, sheaf_error *err);

const char *sheaf_sink_name(const sheaf_sink *sink);
/* Passes on buffered bytes, for a reader at the other end of a pipe; a compressor may still keep some of
 * them. */
SHEAF_USE sheaf_status sheaf_sink_flush(sheaf_sink *sink, sheaf_error *err);
/* Uncompressed bytes written so far. */
int64_t sheaf_sink_tell(const sheaf_sink *sink);

#endif
