/* SPDX-License-Identifier: MIT */
/* A text in runs of whole lines, each of about the requested size; a longer line makes a longer run. Formats
 * of lines use it to cut their pieces. */
#ifndef SHEAF_IO_CUTTER_H
#define SHEAF_IO_CUTTER_H

#include <sheaf/io.h>

typedef struct sheaf_cutter {
	sheaf_source *source;
	sheaf_status truncated; /* the input failed here, after the lines before had been taken */
	sheaf_error truncation;
} sheaf_cutter;

void sheaf_cutter_begin(sheaf_cutter *cutter, sheaf_source *source);
/* The next run into *out, which is reset first, or END. If the input fails, the whole lines before that come
 * first, and the failure with the next call. Runs are the same however much the source has available. */
SHEAF_USE sheaf_status sheaf_cutter_take(sheaf_cutter *cutter, size_t bytes, sheaf_buffer *out,
                                         sheaf_error *err);
/* DATA if no run of text of that size can begin at a place (byte, line and column): a line takes at least a
 * byte. `inside`: runs may begin inside a line. */
SHEAF_USE sheaf_status sheaf_cutter_check(const sheaf_source *source, const sheaf_place *place, int64_t size,
                                          bool inside, sheaf_error *err);
/* Fails as sheaf_cutter_check does, for a place that a format finds impossible. */
SHEAF_USE sheaf_status sheaf_cutter_refuse(const sheaf_source *source, const sheaf_place *place,
                                           sheaf_error *err);

#endif
