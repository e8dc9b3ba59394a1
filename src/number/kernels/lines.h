/* SPDX-License-Identifier: MIT */
/* Lines of a text, found 64 bytes at a time. */
#ifndef SHEAF_NUMBER_KERNELS_LINES_H
#define SHEAF_NUMBER_KERNELS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHEAF_LINES_BLOCK = 64 /* bytes */, SHEAF_LINES_BATCH = 64 /* blocks */ };

/* A mask for each of n blocks from `text` on: bit i says whether its byte i is a line feed. */
typedef void sheaf_feed_finder(const uint8_t *text, int64_t n, uint64_t *masks);
/* The line feeds in n blocks; or the ends of lines in them. */
typedef int64_t sheaf_feed_counter(const uint8_t *text, int64_t n);

/* The ends of lines in [at, end), which are a line feed, a carriage return, or both in a row. */
int64_t sheaf_count_ends(const uint8_t *at, const uint8_t *end);
/* The line feeds in [at, end). */
int64_t sheaf_count_feeds(const uint8_t *at, const uint8_t *end);

/* A walk over the lines of [at, end). */
typedef struct sheaf_lines {
	const uint8_t *at, *end; /* text whose masks were not requested yet */
	const uint8_t *block;    /* of the last mask taken */
	uint64_t mask;           /* its remaining line feeds */
	const uint8_t *blocks;   /* of the masks */
	int next, count;
	uint64_t masks[SHEAF_LINES_BATCH];
} sheaf_lines;

void sheaf_lines_begin(sheaf_lines *lines, const uint8_t *at, const uint8_t *end);
/* The masks of the next blocks; false if there are none. */
bool sheaf_lines_refill(sheaf_lines *lines);

/* The byte after the next line feed, which may be the end; NULL after the last one. */
static inline const uint8_t *sheaf_lines_next(sheaf_lines *lines)
{
	while (!lines->mask) {
		if (lines->next == lines->count && !sheaf_lines_refill(lines)) return NULL;
		lines->block = lines->blocks + (ptrdiff_t)lines->next * SHEAF_LINES_BLOCK;
		lines->mask = lines->masks[lines->next++];
	}
	int bit = __builtin_ctzll(lines->mask);
	lines->mask &= lines->mask - 1;
	return lines->block + bit + 1;
}

#endif
