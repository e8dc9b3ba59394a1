/* SPDX-License-Identifier: MIT */
/* Filtering the bytes of a chunk before they are stored, and the reverse. Done by our code, outside any lock
 * and by several threads; the library itself only fetches and stores. */
#ifndef SHEAF_CONTAINER_FILTER_H
#define SHEAF_CONTAINER_FILTER_H

#include "base/third/deflate.h"
#include "container/inside.h"

/* Memory for work on one chunk, kept for the next. Begins as zeros with the context. */
typedef struct sheaf_filtering {
	sheaf_context *cx;
	sheaf_builder bytes[2];
	sheaf_builder again; /* compressed a second time; or a block of a chunk */
	sheaf_deflater *deflater, *trial;
	sheaf_inflater *inflater;
} sheaf_filtering;

void sheaf_filtering_close(sheaf_filtering *f);

#define SHEAF_ANY_SIZE SIZE_MAX

/* A chunk as it is stored. */
typedef struct sheaf_filtered {
	const sheaf_box_detail *inside; /* of its array */
	uint32_t skipped;               /* bit i: filter i was not applied */
	sheaf_bytes stored;
	size_t size; /* size once the filters are undone, or SHEAF_ANY_SIZE */
} sheaf_filtered;

/* The bytes of a chunk, made from its stored bytes. *out is in `to` (room for `size`; NULL: anywhere), in
 * `stored` or in f. DATA if it is damaged: the message is half a sentence ("a checksum of ..., found
 * ..."). */
SHEAF_USE sheaf_status sheaf_unfilter(sheaf_filtering *f, const sheaf_filtered *chunk, void *to,
                                      sheaf_bytes *out, sheaf_error *err);

/* The checksum of the codec crc32c. */
uint32_t sheaf_crc32c(const uint8_t *data, size_t size);

/* Shuffled, if width is not 0, and deflated, if level is not 0. *out is in `chunk` or in f. Deflating that
 * saves nothing is left out: then, and only then, *out has the size of the chunk. */
SHEAF_USE sheaf_status sheaf_filter_chunk(sheaf_filtering *f, size_t width, int level, sheaf_bytes chunk,
                                          sheaf_bytes *out, sheaf_error *err);

#endif
