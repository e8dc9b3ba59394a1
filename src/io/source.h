/* SPDX-License-Identifier: MIT */
/* A source from the inside: the stream (source.c) and random access (random.c) work on one structure. */
#ifndef SHEAF_IO_SOURCE_H
#define SHEAF_IO_SOURCE_H

#include "base/buffer.h"
#include "io/ahead.h"
#include "io/decoder.h"
#include "io/raw.h"

/* Whoever hears which bytes were left out where they were to be copied; hear NULL: nobody. */
typedef struct sheaf_absence {
	void (*hear)(void *user, int number, int64_t from, int64_t to, int64_t size);
	void *user;
	int number;
} sheaf_absence;

struct sheaf_source {
	sheaf_context *cx;
	char *name;
	sheaf_raw raw;
	sheaf_decoder decoder;   /* not open for plain input */
	sheaf_ahead ahead;       /* open for what takes time to read, once it is known to be long */
	sheaf_builder window;    /* decompressed bytes; its block may be shared with what was taken out of it */
	size_t at;               /* of the window: bytes before are consumed */
	int64_t position;        /* decompressed byte of the stream at which `at` stands */
	bool has_begun;          /* the first bytes were looked at: compression and is_direct are known */
	bool has_ended;          /* the window has everything up to the end */
	bool is_direct;          /* plain memory, or a file that is mapped: shown as it is, without a window */
	bool is_seekable;        /* make_seekable has succeeded */
	const char *compression; /* name; stays after the content was copied to a temporary file */
	sheaf_buffer map;        /* the whole file, or empty */
	sheaf_error failure;     /* a copy to a temporary file failed half-way: the stream is lost */
	sheaf_absence absence;
	/* What somebody who has looked into it has left for the next one; it goes with the source. */
	void *guest;
	void (*drop_guest)(void *guest);
};

/* What is copied from the source into a plain file is left out there, and somebody hears of it, who puts it
 * there. */
void sheaf_source_leave_out(sheaf_source *source, sheaf_absence absence);

/* A source of an open file, which is the source's from now on, also on failure; its bytes are as they are
 * stored, whatever they look like. */
SHEAF_USE sheaf_status sheaf_source_stored(int fd, const char *name, sheaf_context *cx, sheaf_source **out,
                                           sheaf_error *err);
/* Makes `compression` known. Reads where it must, moves nothing. */
SHEAF_USE sheaf_status sheaf_source_begin(sheaf_source *source, sheaf_error *err);
/* Whether any byte can be read without copying the input to a temporary file first. */
bool sheaf_source_is_plain(const sheaf_source *source);
/* The stream starts anew from byte 0 of the raw input. */
void sheaf_source_restart(sheaf_source *source);
/* Pages of the map that lie before the byte `end` of it, where a view of `size` bytes begins, and that no
 * thread may be at. */
void sheaf_source_let_go_before(const sheaf_source *source, size_t end, size_t size);
/* Bytes that were viewed and are used no longer: their pages need not count as this process's. A view of them
 * that somebody still has reads them in again. */
void sheaf_source_let_go(const sheaf_source *source, int64_t offset, int64_t size);
/* Whether `size` bytes can be shown without waiting for somebody to write them. */
bool sheaf_source_is_at_hand(const sheaf_source *source, size_t size);

/* The folder that the source is, of which it shows the metadata; -1: it is a file. It stays the source's. */
int sheaf_source_folder(const sheaf_source *source);

#endif
