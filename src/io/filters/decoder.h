/* SPDX-License-Identifier: MIT */
/* Decompression of a raw input: members one after another, the padding between them, and the messages. */
#ifndef SHEAF_IO_FILTERS_DECODER_H
#define SHEAF_IO_FILTERS_DECODER_H

#include "base/buffer.h"
#include "io/filters/filter.h"
#include "io/raw.h"

typedef struct sheaf_decoder {
	const sheaf_filter *filter; /* NULL: not open */
	void *state;                /* the filter's */
	sheaf_filter_memory memory;
	sheaf_builder input; /* stored bytes that were read; unused for memory, which the filter reads directly */
	const uint8_t *in;   /* the next stored byte to decode, */
	size_t in_left;      /* and how many there are */
	bool is_inside;      /* inside a member */
	bool is_first;       /* before the first member */
	bool raw_has_ended;
	bool has_ended;
	sheaf_error failure; /* a failure because of bad data: returned again by every read */
} sheaf_decoder;

/* Opens it; the decoder must not move in memory. *head has the bytes of `raw` read so far, and is taken over
 * on success; for memory it is empty. */
SHEAF_USE sheaf_status sheaf_decoder_open(sheaf_decoder *d, const sheaf_filter *filter, sheaf_raw *raw,
                                          sheaf_builder *head, sheaf_error *err);
/* 1 to `size` decompressed bytes; *got is 0 at the end only. */
SHEAF_USE sheaf_status sheaf_decoder_read(sheaf_decoder *d, sheaf_raw *raw, void *data, size_t size,
                                          size_t *got, sheaf_error *err);
void sheaf_decoder_close(sheaf_decoder *d);

#endif
