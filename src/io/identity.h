/* SPDX-License-Identifier: MIT */
/* Which file a source reads, and which content it had: for what is kept about a file beside it. */
#ifndef SHEAF_IO_IDENTITY_H
#define SHEAF_IO_IDENTITY_H

#include <sheaf/io.h>

typedef struct sheaf_identity {
	int64_t size;
	int64_t mtime;      /* of the last change, in ns since 1970 */
	uint64_t low, high; /* XXH3 of the first and the last bytes and of samples between */
} sheaf_identity;

/* The size and the time alone. UNSUPPORTED, saying why, where the source is no plain regular file that was
 * opened by its name. */
SHEAF_USE sheaf_status sheaf_source_stamp(sheaf_source *source, sheaf_identity *out, sheaf_error *err);
/* All of it; `stamp` is from before: DATA where the file was changed since. */
SHEAF_USE sheaf_status sheaf_source_identify(sheaf_source *source, const sheaf_identity *stamp,
                                             sheaf_identity *out, sheaf_error *err);
/* A source of the bytes of a regular file that somebody else has named: DATA where it is none, without
 * waiting for whoever writes to it. */
SHEAF_USE sheaf_status sheaf_source_regular(const char *path, sheaf_context *cx, sheaf_source **out,
                                            sheaf_error *err);
/* Opens a file that is kept about the source's file, where it is to be believed: a regular file, no link,
 * that belongs to this user or to the owner of the source's file, and that nobody else may write. UNKNOWN
 * where it is not, or where there is none; error.sys is EPERM where it is somebody else's. */
SHEAF_USE sheaf_status sheaf_source_open_kept(const char *path, const sheaf_source *about, sheaf_context *cx,
                                              sheaf_source **out, sheaf_error *err);
/* What is written to the sink gets the mode of the source's file, as far as that lets its owner write and
 * others read it, and its owner and group where that may be; until then it is the writer's alone. */
void sheaf_sink_resemble(sheaf_sink *sink, const sheaf_source *source);
bool sheaf_identity_equal(const sheaf_identity *a, const sheaf_identity *b);
/* Whether the file was changed so lately that another change could leave the same time. */
bool sheaf_identity_is_fresh(const sheaf_identity *identity);

#endif
