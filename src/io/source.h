/* SPDX-License-Identifier: MIT */
/* The inside of a source: the stream (source.c) and random access (random.c) share one structure. */
#ifndef SHEAF_IO_SOURCE_H
#define SHEAF_IO_SOURCE_H

#include "base/buffer.h"
#include "io/ahead.h"
#include "io/filters/charset.h"
#include "io/filters/decoder.h"
#include "io/places.h"
#include "io/raw.h"

struct sheaf_source {
	sheaf_context *cx;
	char *name;
	sheaf_raw raw;
	sheaf_decoder decoder; /* not open for plain input */
	sheaf_ahead ahead;     /* open for slow inputs that are known to be long */
	bool decodes;          /* what is read is text in another encoding than UTF-8 */
	sheaf_recoder recoder; /* of such text, also if it is in a temporary file as UTF-8 now */
	bool is_guessed;       /* the encoding was neither given nor sure */
	sheaf_builder encoded; /* decompressed bytes that are not decoded yet, from encoded_at on */
	size_t encoded_at;
	int64_t encoded_end;     /* position of their end in the decompressed stream */
	bool encoded_ends;       /* no more follow them */
	size_t mark;             /* size of a byte order mark, which is not decoded */
	sheaf_places *places;    /* NULL: they are those of the text */
	int64_t stored;          /* position of `at` in the decompressed stream, if the recoder has a charset */
	sheaf_builder window;    /* the bytes as readers get them; its block may be shared with what was taken */
	size_t at;               /* of the window: bytes before are consumed */
	int64_t position;        /* position of `at` in the decompressed stream */
	bool has_begun;          /* the first bytes were examined: compression and is_direct are known */
	bool has_ended;          /* the window contains everything up to the end */
	bool is_direct;          /* plain memory, or a mapped file: read directly, without a window */
	bool is_seekable;        /* make_seekable has succeeded */
	const char *compression; /* name; kept after the content was copied to a temporary file */
	sheaf_buffer map;        /* the whole file, or empty */
	bool ends_lines;     /* what follows the last line feed is not shown, where incomplete rows are dropped */
	sheaf_error broken;  /* where incomplete rows are dropped: why the input ended too early */
	bool is_reported;    /* that was reported */
	sheaf_error failure; /* copying to a temporary file failed half-way: the stream is lost */
	/* State that a probe parsed and cached for later readers; the source owns it. */
	void *cached;
	void (*free_cached)(void *cached);
};

/* A source for an open file, which belongs to the source from now on, also on failure; its bytes are taken as
 * stored, whatever they look like. */
SHEAF_USE sheaf_status sheaf_source_stored(int fd, const char *name, sheaf_context *cx, sheaf_source **out,
                                           sheaf_error *err);
/* From now on, the input is lines of which each has its end: the rest counts as cut off, if the context drops
 * what is incomplete. */
void sheaf_source_is_of_lines(sheaf_source *source);
/* Whether the input may end after the rest of it: SHORT if it broke off, or in the middle of a line, and the
 * context drops what is incomplete. */
SHEAF_USE sheaf_status sheaf_source_check_end(sheaf_source *source, sheaf_bytes rest, sheaf_error *err);
/* The status, but END instead of SHORT if the context drops what is incomplete: the source keeps the first
 * such failure. */
SHEAF_USE sheaf_status sheaf_source_end_early(sheaf_source *source, sheaf_status status,
                                              const sheaf_error *err);
/* Reports, once, that the input ended too early. */
SHEAF_USE sheaf_status sheaf_source_report_broken(sheaf_source *source, sheaf_context *cx, sheaf_error *err);
/* Finds `compression`. Reads if necessary, moves nothing. */
SHEAF_USE sheaf_status sheaf_source_begin(sheaf_source *source, sheaf_error *err);
/* From now on the source gives text that is decoded by a recoder, which is open and is taken over, also on
 * failure. Nothing has been consumed yet. Such a source is read in order, like a compressed one. */
SHEAF_USE sheaf_status sheaf_source_decode(sheaf_source *source, sheaf_recoder *recoder, sheaf_error *err);
/* The byte of the (decompressed) file at which a byte of the text is, of which `text` shows the n bytes
 * before it, from byte `from` on, at which a piece begins; -1: not known. Any thread may ask. */
int64_t sheaf_source_place(const sheaf_source *source, int64_t from, const uint8_t *text, int64_t n);
/* Whether any byte can be read without first copying the input to a temporary file. */
bool sheaf_source_is_plain(const sheaf_source *source);
/* The stream begins again at byte 0 of the raw input. */
void sheaf_source_restart(sheaf_source *source);
/* Pages of the map before the byte `end`, at which a view of `size` bytes begins, that no thread may be
 * reading. */
void sheaf_source_let_go_before(const sheaf_source *source, size_t end, size_t size);
/* Bytes that were viewed and are no longer used: their pages need not count as this process's memory. A view
 * of them that still exists reads them in again. */
void sheaf_source_let_go(const sheaf_source *source, int64_t offset, int64_t size);
/* Whether `size` bytes are available without waiting for a writer. */
bool sheaf_source_is_at_hand(const sheaf_source *source, size_t size);

/* The folder that is the source, of which it reads the metadata; -1: it is a file. The source keeps owning
 * it. */
int sheaf_source_folder(const sheaf_source *source);

/* Shows at least `want` bytes from here on, or fewer at the end of the input; more if they are available. The
 * bytes stay valid until the next call on the source. Does not move. At the end: OK and size 0, at an address
 * that is not NULL. If the input fails (SHORT, DATA, IO), *out shows the bytes before the failure, so that
 * the good part of a damaged input can be used. */
SHEAF_USE sheaf_status sheaf_source_ahead(sheaf_source *source, size_t want, sheaf_bytes *out,
                                          sheaf_error *err);
/* Moves over n bytes that the last `ahead` has shown. */
void sheaf_source_consume(sheaf_source *source, size_t n);
/* Moves over n bytes that the last `ahead` has shown, and keeps them: *out owns a reference to them and stays
 * valid, without a copy. *out is reset first. */
void sheaf_source_take(sheaf_source *source, size_t n, sheaf_buffer *out);
/* Decompressed byte at which the stream stands. */
int64_t sheaf_source_tell(const sheaf_source *source);
/* Members of sheaf_source_about. The total of progress is that of the file, -1 if it is not known. */
void sheaf_source_progress(const sheaf_source *source, int64_t *done, int64_t *total);
int64_t sheaf_source_bytes(const sheaf_source *source);
const char *sheaf_source_compression(const sheaf_source *source);
const char *sheaf_source_encoding(const sheaf_source *source);
/* Makes sheaf_source_rewind possible: copies a pipe to an unlinked temporary file ($TMPDIR, else /tmp);
 * nothing to do for files and memory. Call it before anything is consumed. */
SHEAF_USE sheaf_status sheaf_source_make_rewindable(sheaf_source *source, sheaf_error *err);
/* Back to byte 0 of the stream. */
SHEAF_USE sheaf_status sheaf_source_rewind(sheaf_source *source, sheaf_error *err);
/* Begins again at byte 0: rewinds the source if possible; a FIFO or device is closed and opened again by its
 * name, which waits for a writer. UNSUPPORTED for standard input and functions. A source that was opened
 * again is no longer rewindable or seekable. */
SHEAF_USE sheaf_status sheaf_source_reopen(sheaf_source *source, sheaf_error *err);
/* Makes read_at, view_at and size possible: copies a pipe or the decompressed content to an unlinked
 * temporary file. Call it before anything is consumed. */
SHEAF_USE sheaf_status sheaf_source_make_seekable(sheaf_source *source, sheaf_error *err);
/* Moves the stream to any byte; SHEAF_SHORT beyond the end. */
SHEAF_USE sheaf_status sheaf_source_seek(sheaf_source *source, int64_t offset, sheaf_error *err);
/* Reads exactly `size` bytes at `offset`; SHEAF_SHORT where the input ends before. */
SHEAF_USE sheaf_status sheaf_source_read_at(sheaf_source *source, int64_t offset, void *data, size_t size,
                                            sheaf_error *err);
/* The same without a copy where the file can be mapped; *out is reset first and then owns a reference.
 * Reading a mapped view of a file that somebody truncates raises SIGBUS; install a handler if that matters.
 */
SHEAF_USE sheaf_status sheaf_source_view_at(sheaf_source *source, int64_t offset, size_t size,
                                            sheaf_buffer *out, sheaf_error *err);
/* Decompressed size; -1 if it is not known without reading (a pipe, a compressed file). */
int64_t sheaf_source_size(const sheaf_source *source);
/* The path or name; "(stdin)" for "-". Lives as long as the source. */
const char *sheaf_source_name(const sheaf_source *source);

#endif
