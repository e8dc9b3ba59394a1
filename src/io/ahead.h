/* SPDX-License-Identifier: MIT */
/* Reading ahead: another thread decompresses, or reads from a pipe, while the caller works on earlier
 * bytes. */
#ifndef SHEAF_IO_AHEAD_H
#define SHEAF_IO_AHEAD_H

#include "base/threads/pipeline.h"
#include "io/filters/decoder.h"
#include <stdatomic.h>

/* Begins as zeros. */
typedef struct sheaf_ahead {
	sheaf_context *cx;     /* with a stop flag for the reading alone; NULL: not open */
	sheaf_context *before; /* of the raw input, which gets it back */
	sheaf_decoder *decoder;
	sheaf_raw *raw;
	sheaf_pipeline pipeline;
	_Atomic size_t filled; /* bytes read and not given yet */
	int64_t done;          /* position in the stored input after the bytes given */
} sheaf_ahead;

/* The number of blocks to read ahead: enough for a piece or two, if memory allows; 0 if there is no thread
 * for it. */
int sheaf_ahead_blocks(const sheaf_context *cx);
/* Takes over reading: until it is closed nobody else touches the two. The decoder need not be open. */
SHEAF_USE sheaf_status sheaf_ahead_open(sheaf_ahead *a, sheaf_decoder *decoder, sheaf_raw *raw,
                                        sheaf_error *err);
/* Gives 1 to `size` bytes; *got is 0 at the end only. */
SHEAF_USE sheaf_status sheaf_ahead_read(sheaf_ahead *a, void *data, size_t size, size_t *got,
                                        sheaf_error *err);
/* Bytes that can be read without waiting. */
size_t sheaf_ahead_at_hand(const sheaf_ahead *a);
/* Bytes that were read and not given are lost. */
void sheaf_ahead_close(sheaf_ahead *a);

/* The next bytes of an input that may be compressed: for reading ahead, and for reading without it. */
SHEAF_USE sheaf_status sheaf_read_stored(sheaf_decoder *decoder, sheaf_raw *raw, void *data, size_t size,
                                         size_t *got, sheaf_error *err);

#endif
