/* SPDX-License-Identifier: MIT */
/* Compressions: one table of them, one file for each library. A filter's functions turn bytes into bytes
 * without knowing files or names; decoder.c and encoder.c move the bytes and write the messages. */
#ifndef SHEAF_IO_FILTERS_FILTER_H
#define SHEAF_IO_FILTERS_FILTER_H

#include "base/buffer.h"
#include <sheaf/option.h>

/* The allocator for the libraries. It remembers why it refused, since they only report "no memory". */
typedef struct sheaf_filter_memory {
	sheaf_context *cx;
	sheaf_status failed;
} sheaf_filter_memory;

/* NULL if the context refuses; not zeroed. */
void *sheaf_filter_allocate(sheaf_filter_memory *memory, size_t count, size_t size);
void sheaf_filter_free(sheaf_filter_memory *memory, void *allocated);
/* LIMIT or NOMEM, for a library that has run out of memory. */
sheaf_status sheaf_filter_refused(const sheaf_filter_memory *memory);

/* One call of a library: advances `in` and `out` as far as possible. */
typedef struct sheaf_filter_step {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
	bool ended;        /* decoding: the member is complete; encoding: everything is written */
	const char *found; /* after a failure: what is wrong, a static string */
} sheaf_filter_step;

/* How a member may begin: (byte & mask) == wanted for each of `size` bytes. */
enum { SHEAF_MAGIC_MAX = 10 };
typedef struct sheaf_magic {
	uint8_t size;
	uint8_t wanted[SHEAF_MAGIC_MAX];
	uint8_t mask[SHEAF_MAGIC_MAX];
} sheaf_magic;

/* One direction of a filter. Its state is zeroed memory that begins with the sheaf_filter_memory * with which
 * it allocates. The functions return OK, DATA or UNSUPPORTED with step->found set, NOMEM or LIMIT. */
typedef struct sheaf_coder {
	size_t state_size;
	sheaf_status (*start)(void *state);
	/* Prepares a decoder for the next member; not called before the first. An encoder has none. */
	sheaf_status (*restart)(void *state);
	/* `finish`, for encoders: `in` has the last bytes; called until step->ended. */
	sheaf_status (*run)(void *state, sheaf_filter_step *step, bool finish);
	/* Frees what start has allocated, even if start failed. */
	void (*stop)(void *state);
} sheaf_coder;

SHEAF_USE sheaf_status sheaf_coder_open(const sheaf_coder *coder, sheaf_filter_memory *memory, void **state);
void sheaf_coder_close(const sheaf_coder *coder, sheaf_filter_memory *memory,
                       void *state); /* state may be NULL */

typedef struct sheaf_filter {
	const char *name;      /* "gzip" */
	const char *a_member;  /* "a gzip member", for messages */
	const char *suffix;    /* ".gz": how a sink recognises it */
	sheaf_magic magics[2]; /* how a source recognises it; size 0: not at all */
	bool zero_padded;      /* zero bytes may follow a member */

	sheaf_coder decoder, encoder;
} sheaf_filter;

/* LZ4, in builds that have its library. */
extern const sheaf_filter sheaf_filter_gzip, sheaf_filter_bzip2, sheaf_filter_zstd, sheaf_filter_xz,
	sheaf_filter_lz4;

/* Unpacks one member whole, of which there is room for *size bytes: that becomes the number of them, or
 * SIZE_MAX if there are more. DATA, UNSUPPORTED, NOMEM or LIMIT with *found, a static text. */
SHEAF_USE sheaf_status sheaf_filter_unpack(const sheaf_filter *filter, sheaf_bytes from, uint8_t *to,
                                           size_t *size, sheaf_context *cx, const char **found);

/* A block of LZ4 without a frame, which unpacks to exactly `size` bytes; false if it is damaged. Only in
 * builds that have LZ4. */
bool sheaf_lz4_block(sheaf_bytes from, uint8_t *to, size_t size);

/* Appends the packed bytes as one member. NOMEM or LIMIT with *found. */
SHEAF_USE sheaf_status sheaf_filter_pack(const sheaf_filter *filter, sheaf_bytes from, sheaf_builder *to,
                                         const char **found);

/* All of them, in the order in which they are tried; NULL after the last one. */
const sheaf_filter *sheaf_filter_at(int i);

typedef enum sheaf_match {
	SHEAF_MATCH_NO,
	SHEAF_MATCH_PARTLY /* so far, but there are too few bytes */,
	SHEAF_MATCH_YES
} sheaf_match;

/* Whether a member of this filter begins with these bytes. */
sheaf_match sheaf_filter_match(const sheaf_filter *filter, const uint8_t *data, size_t size);
/* The filter whose member begins here; *undecided: more bytes may still show one. */
const sheaf_filter *sheaf_filter_by_content(const uint8_t *data, size_t size, bool *undecided);
/* The filter whose suffix the name ends with, or NULL. */
const sheaf_filter *sheaf_filter_by_suffix(const char *name);

/* How the arrays of an output are compressed, as its option "compression" says: none, deflate at a level of 1
 * to 12 (deflate:9; 6 if none is given), or, where the format has it, zstd. *deflate is 0 where it is not
 * used; `zstd` is NULL for a format without it. USAGE if the option says something else. */
SHEAF_USE sheaf_status sheaf_compression_of(const sheaf_values *values, int *deflate, bool *zstd,
                                            sheaf_error *err);

#endif
