/* SPDX-License-Identifier: MIT */
/* The codecs of chunks. */
#ifndef SHEAF_CONTAINER_CODEC_H
#define SHEAF_CONTAINER_CODEC_H

#include "container/filter.h"

/* Undoing one filter of a chunk. */
typedef struct sheaf_coding {
	sheaf_filtering *f;
	const void *parameters; /* as sheaf_box_detail has them */
	sheaf_bytes from;
	uint8_t *to;
	size_t room;
	size_t size; /* the room; becomes that of the result: if that is more than the room, nothing of it is
	                needed */
	const char *found; /* what is wrong, if the reason is known: half a sentence */
} sheaf_coding;

/* DATA if the bytes are damaged, UNSUPPORTED if parameters are not known, or a failure of memory. */
typedef sheaf_status sheaf_undo(sheaf_coding *c);

/* Undoes a filter that is no checksum. */
SHEAF_USE sheaf_status sheaf_undo_filter(sheaf_box_filter filter, sheaf_coding *c);

/* blocks.c: chunks that consist of blocks. Those of LZ4 are HDF5's if there are parameters, else numcodecs'.
 */
sheaf_undo sheaf_undo_blosc, sheaf_undo_lz4, sheaf_undo_bitshuffle;

/* packed.c: numbers of fewer bits, or of another type, than their elements have */
sheaf_undo sheaf_undo_nbit, sheaf_undo_scaleoffset, sheaf_undo_scaling;

/* How numbers were turned into others: into differences of neighbors, or shifted and scaled. */
typedef struct sheaf_box_scaling {
	sheaf_type type, stored;
	bool is_swapped, stored_is_swapped; /* not in this machine's byte order */
	bool is_delta;
	double offset, scale;
} sheaf_box_scaling;

#endif
