/* SPDX-License-Identifier: MIT */
/* Where the numbers of lines of entries end: the bytes that separate numbers, or lines, are found 64 at a
 * time, and listed without a branch on any length. The code that reads the numbers examines what is between
 * them.
 *
 * Whoever includes this defines INLINE; find_byte, the mask of the 64 bytes from `at` on that are `byte`; and
 * put_places, which lists the ones of a mask, and may write 64 places. */
#ifndef SHEAF_NUMBER_KERNELS_ENTRIES_MARKS_H
#define SHEAF_NUMBER_KERNELS_ENTRIES_MARKS_H

#include "number/kernels/entries_parts.h"
#include <immintrin.h>

/* Bytes of text that are listed at once; where the first of them stands for the places, so that some bytes
 * before it have places, too; places before the first one that is listed, and after the last one; bytes that
 * are loaded before a line, and after it; lines that are read one by one where few could be listed. */
enum {
	MARKS_TEXT = 8192,
	MARKS_FIRST = 64,
	MARKS_AHEAD = 8,
	MARKS_PAD = 64,
	MARKS_BEFORE = 32,
	MARKS_BEHIND = 64 + 8,
	MARKS_FEW = 8,
	MARKS_SOME = 32
};

/* The places after the numbers of whole lines, one after the other, and before them the end of the line
 * before. After them stand places in the text, too: several lines are taken at a time, the last ones with
 * what follows them. */
typedef struct marks {
	const uint8_t *base; /* places count from there */
	unsigned lines;
	bool returns;                       /* a carriage return stands before each feed */
	uint8_t space;                      /* what parts numbers */
	uint64_t feeds[SHEAF_ENTRIES_MOST]; /* which of the next marks end lines, where that many of a line have
	                                       been */
	uint16_t places[MARKS_AHEAD + MARKS_TEXT + 64 + MARKS_PAD];
} marks;

/* Learns from the first line how all are written, as most files write them: which byte parts numbers, and
 * whether a carriage return stands before the feed. For each number `been` of marks of a line that were
 * already seen, feeds[been] has a bit for each of the next 64 marks that ends a line if all lines have
 * `of_line` marks. */
INLINE void marks_begin(marks *m, const sheaf_entries *run, int of_line)
{
	const uint8_t *at = run->at, *end = run->end - at > 512 ? at + 512 : run->end;
	m->space = ' ';
	m->returns = false;
	for (; at < end && *at != '\n'; at++) {
		if (*at == '\t') m->space = '\t';
		m->returns = *at == '\r';
	}
	for (int been = 0; been < of_line; been++) {
		m->feeds[been] = 0;
		for (int k = of_line - 1 - been; k < 64; k += of_line) m->feeds[been] |= UINT64_C(1) << k;
	}
}

/* Lists the places of marks, which are spaces and feeds, from `at` on, up to the first line whose marks are
 * different. In a block `all` has a bit for each byte that is a mark; pressed together (PEXT), the bits of
 * feeds are those of the feeds among the marks, and must be those that m->feeds expects: where they differ is
 * `strange`, as is a feed without the carriage return that the first line had. `back` is 1 if the last byte
 * of the block before was one. The marks from the first strange one on are `flawed`, and their line is not
 * listed. */
INLINE void marks_find(marks *m, const uint8_t *at, const uint8_t *last, unsigned of_line)
{
	uint16_t *to = m->places + MARKS_AHEAD;
	uint64_t back = 0;
	unsigned found = 0, flawed = 0;
	m->base = at - MARKS_FIRST;
	to[-1] = MARKS_FIRST - 1;
	for (unsigned first = MARKS_FIRST; first < MARKS_FIRST + MARKS_TEXT && at <= last;
	     first += 64, at += 64) {
		uint64_t feed = find_byte(at, '\n'), all = feed | find_byte(at, m->space);
		unsigned n = (unsigned)_mm_popcnt_u64(all);
		put_places(to + found, all, n, first);
		uint64_t strange = _bzhi_u64(_pext_u64(feed, all) ^ m->feeds[found % of_line], n);
		if (m->returns) {
			uint64_t returns = find_byte(at, '\r');
			strange |= _pext_u64(feed & ~(returns << 1 | back), all);
			back = returns >> 63;
		}
		found += n;
		if (!strange) continue;
		flawed = n - (unsigned)_tzcnt_u64(strange);
		break;
	}
	for (int k = 0; k < MARKS_PAD; k++) to[found + (unsigned)k] = MARKS_FIRST;
	m->lines = (found - flawed) / of_line;
}

/* Where the line after line number k begins; the first one if k is -1. */
INLINE const uint8_t *after_line(const marks *m, int k, int of_line)
{
	return m->base + m->places[MARKS_AHEAD + (k + 1) * of_line - 1] + 1;
}

#endif
