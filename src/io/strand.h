/* SPDX-License-Identifier: MIT */
/* Bytes for a place that may not be known yet: in a random sink, or wherever a function puts them. */
#ifndef SHEAF_IO_STRAND_H
#define SHEAF_IO_STRAND_H

#include "base/buffer.h"
#include "io/sink.h"
#include "io/spool.h"

/* Takes the next bytes of a strand. */
typedef sheaf_status (*sheaf_strand_taker)(void *to, const void *bytes, size_t n, sheaf_error *err);

/* The bytes of an array as they come: into their place once that is known, else into a temporary file; a few
 * of them wait in memory, or all of them if they stay there. Begins as zeros. */
typedef struct sheaf_strand {
	sheaf_context *cx;
	sheaf_builder held;
	sheaf_spool spool;
	bool is_spooled, stays;
	sheaf_strand_taker take; /* puts bytes in their place; NULL: that is not known */
	void *to;
	sheaf_sink *sink;
	int64_t at;    /* position of the next bytes */
	uint64_t size; /* bytes that have come */
	uint32_t sum;  /* CRC-32 of those that are in the sink */
} sheaf_strand;

void sheaf_strand_begin(sheaf_strand *strand, bool stays, sheaf_context *cx);
SHEAF_USE sheaf_status sheaf_strand_add(sheaf_strand *strand, const void *bytes, size_t n, sheaf_error *err);
/* From now on bytes go there, beginning with those that have come. Numbers of up to 16 bytes stay whole if
 * they came so. */
SHEAF_USE sheaf_status sheaf_strand_send(sheaf_strand *strand, sheaf_strand_taker take, void *to,
                                         sheaf_error *err);
/* The same to byte `at` of the sink and beyond. */
SHEAF_USE sheaf_status sheaf_strand_place(sheaf_strand *strand, sheaf_sink *sink, int64_t at,
                                          sheaf_error *err);
/* Everything that has come is in its place. */
SHEAF_USE sheaf_status sheaf_strand_end(sheaf_strand *strand, sheaf_error *err);
void sheaf_strand_drop(sheaf_strand *strand);

#endif
