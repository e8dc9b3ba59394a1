/* SPDX-License-Identifier: MIT */
/* Sources of bytes and sinks for them: files, pipes, memory and callbacks.
 *
 * A source gives decompressed bytes, whatever the input: gzip, bzip2, zstd, xz and LZ4 are recognised by
 * content, including concatenated members. A program makes one, and gives it to a function that reads it,
 * such as sheaf_open_source. One thread at a time may use a source, or a sink.
 *
 * Most used: sheaf_source_path, sheaf_source_close, sheaf_sink_path, sheaf_sink_write, sheaf_sink_commit. */
#ifndef SHEAF_IO_H
#define SHEAF_IO_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_source sheaf_source;

/* A regular file, FIFO, device; "-" is standard input. Nothing is read yet. */
SHEAF_API SHEAF_USE sheaf_status sheaf_source_path(const char *path, sheaf_context *cx, sheaf_source **out,
                                                   sheaf_error *err);

/* The caller's bytes, which must outlive the source and every buffer taken from it. `name` is copied, for
 * messages. */
SHEAF_API SHEAF_USE sheaf_status sheaf_source_memory(sheaf_bytes bytes, const char *name, sheaf_context *cx,
                                                     sheaf_source **out, sheaf_error *err);

/* The caller's function: like read(2), it gives 1 to `size` bytes and returns how many, 0 at the end, or
 * -errno. */
typedef int64_t (*sheaf_read_function)(void *user, void *data, size_t size);
SHEAF_API SHEAF_USE sheaf_status sheaf_source_function(sheaf_read_function read, void *user, const char *name,
                                                       sheaf_context *cx, sheaf_source **out,
                                                       sheaf_error *err);

/* The caller's function for bytes at any place in an input of `size` bytes: it gives 1 to `n` bytes from
 * `offset` on, which is below `size`, and returns how many, 0 if the input ends there, or -errno. Such an
 * input can be read at random without a copy in a temporary file, so the end of a remote file can be read
 * first. If the context has several threads, they may call it at once. */
typedef int64_t (*sheaf_read_at_function)(void *user, int64_t offset, void *data, size_t n);
SHEAF_API SHEAF_USE sheaf_status sheaf_source_ranges(sheaf_read_at_function read_at, void *user, int64_t size,
                                                     const char *name, sheaf_context *cx, sheaf_source **out,
                                                     sheaf_error *err);

SHEAF_API void sheaf_source_close(sheaf_source *source);

typedef struct sheaf_source_info {
	int64_t bytes; /* stored bytes of the file, or of all files in a folder; -1 if not known (a pipe) */
	int64_t done;  /* those of the file that have been read so far */
	const char *compression; /* found by content: "gzip", "bzip2", "zstd", "xz", "lz4"; NULL: none, or nothing
	                            has been read yet. A static string */
	const char *encoding; /* from which the text of an open dataset is decoded: "UTF-16LE"; NULL: it is not.
	                         Valid until the source is closed */
} sheaf_source_info;

/* What is known of a source; -1, 0 and NULL where it is NULL. */
SHEAF_API sheaf_source_info sheaf_source_about(const sheaf_source *source);

typedef struct sheaf_sink sheaf_sink;

/* A file that appears whole at `commit` or not at all: a locked temporary file ".sheaf-*" beside the target
 * (symbolic links followed, mode kept) is synced and renamed; leftovers of killed runs in that folder are
 * removed on opening. Anything other than a regular file, and "-" (standard output), is written directly. If
 * the name ends in .gz .bz2 .zst .xz .lz4, the output is compressed. With `force` an existing file is
 * replaced; without it a regular file of that name is USAGE, with EEXIST in sheaf_error.sys and the option
 * "force", and the same without an option from `commit`, where another program has made one meanwhile. */
SHEAF_API SHEAF_USE sheaf_status sheaf_sink_path(const char *path, bool force, sheaf_context *cx,
                                                 sheaf_sink **out, sheaf_error *err);

/* The caller's function: takes all `size` bytes and returns 0, or -errno. `name` is copied; it stands in
 * messages. */
typedef int (*sheaf_write_function)(void *user, const void *data, size_t size);
SHEAF_API SHEAF_USE sheaf_status sheaf_sink_function(sheaf_write_function write, void *user, const char *name,
                                                     sheaf_context *cx, sheaf_sink **out, sheaf_error *err);

SHEAF_API SHEAF_USE sheaf_status sheaf_sink_write(sheaf_sink *sink, const void *data, size_t size,
                                                  sheaf_error *err);
/* Flushes, syncs and renames, then closes the sink even on failure; on failure the old file is still there.
 */
SHEAF_API SHEAF_USE sheaf_status sheaf_sink_commit(sheaf_sink *sink, sheaf_error *err);
/* Removes the temporary files of all open sinks of the process. Only for a signal handler that ends the
 * process, above all that of SIGBUS: it is safe there. */
SHEAF_API void sheaf_remove_temporaries(void);
/* Closes the sink; the target stays as it was (bytes written to a pipe or device are not undone). */
SHEAF_API void sheaf_sink_abandon(sheaf_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
