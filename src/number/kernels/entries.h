/* SPDX-License-Identifier: MIT */
/* Lines of an entry each, many at once: coordinates that count from 1, then numbers, separated by spaces and
 * tabs. Like the other kernels these read what they are certain of, and leave everything else: a line that is
 * not plainly an entry, or whose coordinates are out of range, or which has more digits than can be decided
 * at once. They give the same bits as the scanner (number.h), in any rounding mode, and touch no byte outside
 * [at, end) and nothing after `room`. */
#ifndef SHEAF_NUMBER_KERNELS_ENTRIES_H
#define SHEAF_NUMBER_KERNELS_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHEAF_ENTRIES_MOST = 8 /* most coordinates */ };

typedef struct sheaf_entries {
	const uint8_t *at, *end;      /* the text. `at` is the first byte of a line, before and after a call */
	int coordinates;              /* of a line: 0 to SHEAF_ENTRIES_MOST */
	int numbers;                  /* after them: 0 to 2 */
	bool integers;                /* they are int64_t, not double */
	void *to[SHEAF_ENTRIES_MOST]; /* where the coordinates go, minus 1: int32_t, or int64_t if wide */
	bool wide[SHEAF_ENTRIES_MOST];
	uint64_t limits[SHEAF_ENTRIES_MOST]; /* each is from 1 to that */
	void *values;                        /* all numbers of a line, one after the other */
	size_t room, count;                  /* room for lines; lines read */
} sheaf_entries;

typedef void sheaf_entries_reader(sheaf_entries *run);

#endif
