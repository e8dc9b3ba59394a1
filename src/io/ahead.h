/* SPDX-License-Identifier: MIT */
/* Reading ahead: what is decompressed, or comes from a pipe, is read by another thread while the caller works
 * on what came before. */
#ifndef SHEAF_IO_AHEAD_H
#define SHEAF_IO_AHEAD_H

#include "base/pipeline.h"
#include "io/decoder.h"
#include <stdatomic.h>

/* Begins as zeros. */
typedef struct sheaf_ahead {
	sheaf_context *cx; /* with a stop flag for the reading alone; NULL: not open */
	sheaf_context *before;
	sheaf_decoder *decoder;
	sheaf_raw *raw;
	sheaf_pipeline pipeline;
	_Atomic size_t filled; /* bytes read and not given yet */
	int64_t done;          /* byte of the stored input after what was given */
} sheaf_ahead;

/* How many blocks may be read ahead: enough for a piece or two, as far as memory allows; 0 where there is no
 * thread to do it. */
int sheaf_ahead_blocks(const sheaf_context *cx);
/* Takes the reading over: until it is closed nobody else touches the two. The decoder may be one that is not
 * open. */
SHEAF_USE sheaf_status sheaf_ahead_open(sheaf_ahead *a, sheaf_decoder *decoder, sheaf_raw *raw,
                                        sheaf_error *err);
/* 1 to `size` bytes; *got is 0 at the end only. */
SHEAF_USE sheaf_status sheaf_ahead_read(sheaf_ahead *a, void *data, size_t size, size_t *got,
                                        sheaf_error *err);
/* Bytes that can be read without waiting. */
size_t sheaf_ahead_at_hand(const sheaf_ahead *a);
/* What was read and not given is lost. */
void sheaf_ahead_close(sheaf_ahead *a);

/* The next bytes of an input that may be compressed: what reading ahead does, and what is done without. */
SHEAF_USE sheaf_status sheaf_read_stored(sheaf_decoder *decoder, sheaf_raw *raw, void *data, size_t size,
                                         size_t *got, sheaf_error *err);

#endif
