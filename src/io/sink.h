/* SPDX-License-Identifier: MIT */
/* Sinks from the inside: a stream (sink.c), or a file that is read and written at any byte
 * (sink_random.c). */
#ifndef SHEAF_IO_SINK_H
#define SHEAF_IO_SINK_H

#include "io/encoder.h"
#include "io/spool.h"
#include "io/target.h"
#include <sheaf/io.h>

struct sheaf_sink {
	sheaf_context *cx;
	char *name;
	sheaf_write_function function; /* NULL: the target is used */
	void *user;
	sheaf_target target;
	sheaf_encoder encoder; /* not open where nothing is compressed */
	uint8_t *buffer;
	size_t used;
	int64_t position;
	sheaf_error failure;  /* bytes are lost: no later call may succeed */
	_Atomic int64_t most; /* bytes that it may get; 0: any number */
	int64_t kept;         /* bytes of the file that it began as a copy of: they count for nothing */
	bool is_random; /* written at any byte: in the target's own file, or in the spool where that cannot be */
	sheaf_spool spool;
	void *guest; /* whoever is writing to it; it cannot be committed before that is gone */
	void (*drop_guest)(void *guest);
};

/* From now on the sink is written at any byte, and not as a stream; it begins empty. What is no plain regular
 * file gets its bytes at commit, from a temporary file. Before anything is written. */
SHEAF_USE sheaf_status sheaf_sink_make_random(sheaf_sink *sink, sheaf_error *err);
/* The same, beginning as a copy of the file that is to be replaced; *is_there: there is one. A file that
 * somebody else replaces or changes meanwhile is not replaced: the commit fails. UNSUPPORTED where the target
 * is no plain regular file. */
SHEAF_USE sheaf_status sheaf_sink_make_clone(sheaf_sink *sink, bool *is_there, sheaf_error *err);

/* From now on the sink is a folder, into which files are put by their paths, each once and whole. UNSUPPORTED
 * where the target is no place for one. Before anything is written. */
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

/* Writes `size` bytes of a source, from `offset` on: a plain file is copied to a plain file by the system,
 * which may share the blocks. SHORT where the source ends before. The source is seekable. */
SHEAF_USE sheaf_status sheaf_sink_copy(sheaf_sink *sink, sheaf_source *source, int64_t offset, int64_t size,
                                       sheaf_error *err);

/* The same of a sink that is written at any byte, from byte `to` on. */
SHEAF_USE sheaf_status sheaf_sink_copy_at(sheaf_sink *sink, int64_t to, sheaf_source *source, int64_t offset,
                                          int64_t size, sheaf_error *err);

/* Bytes are left out, which somebody else writes. A plain file, as sheaf_sink_is_plain says. */
SHEAF_USE sheaf_status sheaf_sink_skip(sheaf_sink *sink, int64_t size, sheaf_error *err);
bool sheaf_sink_is_plain(const sheaf_sink *sink);
/* Whether one that is written at any byte writes into the target's own file. */
bool sheaf_sink_is_plain_random(const sheaf_sink *sink);
/* Nothing is held back, and the file is as long as what was written and left out. */
SHEAF_USE sheaf_status sheaf_sink_extend(sheaf_sink *sink, sheaf_error *err);
/* The path of the file that is being written, into text[size], which is long enough for any; false where
 * there is no such file. */
bool sheaf_sink_temporary(const sheaf_sink *sink, char *text, size_t size);

/* All that a commit does but to put the file in its place (sheaf_target_place). */
SHEAF_USE sheaf_status sheaf_sink_seal(sheaf_sink *sink, sheaf_error *err);

/* From now on the sink takes at most 64 times as many bytes as the input has, and at least 1 GiB: a small
 * input does not fill a disk. Any thread. */
void sheaf_sink_bound(sheaf_sink *sink, int64_t input);
/* LIMIT, with the size, where an output of that many bytes would be more than that. */
SHEAF_USE sheaf_status sheaf_sink_check_size(const sheaf_sink *sink, int64_t size, sheaf_error *err);

/* The same before there is a sink. */
SHEAF_USE sheaf_status sheaf_check_output(const char *name, int64_t input, int64_t size, sheaf_error *err);

/* No later call succeeds: whatever was to be written is not whole. */
void sheaf_sink_spoil(sheaf_sink *sink, const sheaf_error *why);

/* One step of a stream, past the buffer. */
SHEAF_USE sheaf_status sheaf_sink_deliver(sheaf_sink *sink, const void *data, size_t size, bool finish,
                                          sheaf_error *err);
/* What was written at random goes on to where no such writing is possible; nothing to do elsewhere. */
SHEAF_USE sheaf_status sheaf_sink_deliver_spool(sheaf_sink *sink, sheaf_error *err);

#endif
