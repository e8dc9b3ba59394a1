/* SPDX-License-Identifier: MIT */
/* The bytes as stored, before any decompression: a regular file, a stream that can be read once, memory, or a
 * function of the caller. */
#ifndef SHEAF_IO_RAW_H
#define SHEAF_IO_RAW_H

#include <sheaf/io.h>

typedef enum sheaf_raw_kind {
	SHEAF_RAW_MEMORY,
	SHEAF_RAW_FILE,   /* regular: read by pread, which needs no shared position */
	SHEAF_RAW_STREAM, /* pipe, device, socket */
	SHEAF_RAW_FUNCTION,
	SHEAF_RAW_RANGES /* the caller's function, for bytes at any place */
} sheaf_raw_kind;

typedef struct sheaf_raw {
	sheaf_context *cx;
	const char *name; /* of the source */
	sheaf_raw_kind kind;
	int fd;
	int folder; /* the input, if that is a folder, and fd the file that describes it; -1: fd is the input */
	bool is_owned;  /* the descriptor is closed with the source; standard input's is not */
	bool is_spool;  /* a temporary file of ours, without a name */
	int64_t base;   /* byte of the file at which the input begins: standard input need not begin at byte 0 */
	int64_t size;   /* -1: not known */
	int64_t at;     /* bytes read so far */
	bool has_ended; /* the end was reached: a terminal must not be asked again */
	bool is_polled; /* a thread that receives no signals reads it */
	sheaf_bytes memory;
	sheaf_read_function read;
	sheaf_read_at_function read_at;
	void *user;
} sheaf_raw;

/* Opens the path ("-": standard input) into *raw, whose context and name are set. */
SHEAF_USE sheaf_status sheaf_raw_open(sheaf_raw *raw, const char *path, sheaf_error *err);
/* The same for an open file, which belongs to the source from now on, also on failure. */
SHEAF_USE sheaf_status sheaf_raw_adopt(sheaf_raw *raw, int fd, sheaf_error *err);
/* Reads the next 1 to `size` bytes; *got is 0 at the end only. */
SHEAF_USE sheaf_status sheaf_raw_read(sheaf_raw *raw, void *data, size_t size, size_t *got, sheaf_error *err);
/* Whether the bytes can be read from the beginning any number of times. */
bool sheaf_raw_is_rewindable(const sheaf_raw *raw);
void sheaf_raw_rewind(sheaf_raw *raw);
/* The first bytes of such an input, without moving; returns how many, or -1 if they cannot be read. */
int64_t sheaf_raw_peek(const sheaf_raw *raw, void *data, size_t size);
/* OK if `size` bytes at `offset` are within such an input, else SHORT. */
SHEAF_USE sheaf_status sheaf_raw_check_range(const sheaf_raw *raw, int64_t offset, size_t size,
                                             sheaf_error *err);
/* Exactly `size` bytes at `offset` of such an input. Several threads may call it. */
SHEAF_USE sheaf_status sheaf_raw_read_at(const sheaf_raw *raw, int64_t offset, void *data, size_t size,
                                         sheaf_error *err);
void sheaf_raw_close(sheaf_raw *raw);

#endif
