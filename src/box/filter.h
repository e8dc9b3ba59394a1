/* SPDX-License-Identifier: MIT */
/* What is done to the bytes of a chunk before they are stored, and back. Done by us, outside of any lock and
 * by several threads; the library itself only fetches and stores. */
#ifndef SHEAF_BOX_FILTER_H
#define SHEAF_BOX_FILTER_H

#include "box/inside.h"
#include "third/deflate.h"

/* Memory that work on one chunk needs, kept for the next. Begins as zeros with the context. */
typedef struct sheaf_filtering {
	sheaf_context *cx;
	sheaf_builder bytes[2];
	sheaf_builder again; /* compressed a second time */
	sheaf_deflater *deflater, *trial;
	sheaf_inflater *inflater;
} sheaf_filtering;

void sheaf_filtering_close(sheaf_filtering *f);

/* The `size` bytes of a chunk of elements of `width` bytes from what is stored of it. *out is in `to` (room
 * for `size`; NULL: anywhere), in `stored` or in f. DATA where it is damaged: the message is half a sentence
 * ("a checksum of ..., found ..."). */
SHEAF_USE sheaf_status sheaf_unfilter(sheaf_filtering *f, const sheaf_box_detail *inside, uint32_t skipped,
                                      size_t width, sheaf_bytes stored, size_t size, void *to,
                                      const uint8_t **out, sheaf_error *err);

/* Shuffled, where width is not 0, and deflated, where level is not 0. *out is in `chunk` or in f. Deflating
 * that saves nothing is left out, which sets *is_plain. */
SHEAF_USE sheaf_status sheaf_filter_chunk(sheaf_filtering *f, size_t width, int level, sheaf_bytes chunk,
                                          sheaf_bytes *out, bool *is_plain, sheaf_error *err);

#endif
