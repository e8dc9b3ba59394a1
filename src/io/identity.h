/* SPDX-License-Identifier: MIT */
/* Which file a source reads, and which content it had: for files that are stored beside it and describe
 * it. */
#ifndef SHEAF_IO_IDENTITY_H
#define SHEAF_IO_IDENTITY_H

#include <sheaf/io.h>

typedef struct sheaf_identity {
	int64_t size;
	int64_t mtime;      /* of the last change, in ns since 1970 */
	uint64_t low, high; /* XXH3 of the first and the last bytes and of samples between */
} sheaf_identity;

/* Only size and time. UNSUPPORTED, with the reason, if the source is no plain regular file that was opened by
 * its name. */
SHEAF_USE sheaf_status sheaf_source_stamp(sheaf_source *source, sheaf_identity *out, sheaf_error *err);
/* All of it; `stamp` is from before: DATA if the file was changed since. */
SHEAF_USE sheaf_status sheaf_source_identify(sheaf_source *source, const sheaf_identity *stamp,
                                             sheaf_identity *out, sheaf_error *err);
/* A source for a regular file that an untrusted input names: DATA if it is no regular file, without waiting
 * for a writer. */
SHEAF_USE sheaf_status sheaf_source_regular(const char *path, sheaf_context *cx, sheaf_source **out,
                                            sheaf_error *err);
/* Opens a file that describes the source's file, if it can be trusted: a regular file, no link, that belongs
 * to this user or to the owner of the source's file, and that nobody else may write. UNKNOWN if it cannot, or
 * does not exist; error.sys is EPERM if it belongs to somebody else. */
SHEAF_USE sheaf_status sheaf_source_open_kept(const char *path, const sheaf_source *about, sheaf_context *cx,
                                              sheaf_source **out, sheaf_error *err);
/* Gives the sink's file the mode of the source's file, as far as that lets its owner write and others read
 * it, and its owner and group if permitted; until then only the writer can read it. */
void sheaf_sink_resemble(sheaf_sink *sink, const sheaf_source *source);
bool sheaf_identity_equal(const sheaf_identity *a, const sheaf_identity *b);
/* Whether the file was changed so recently that another change could leave the same time. */
bool sheaf_identity_is_fresh(const sheaf_identity *identity);

#endif
