/* SPDX-License-Identifier: MIT */
/* Kernels: reading many numbers at once from text, for lists of them.
 *
 * A kernel reads what it is certain of and leaves everything else: reading nothing is correct. Only
 * sheaf_scan_f32 and the like (number.h) define what a number means, and what is wrong with a text; the
 * caller reads with them what a kernel has left, and may then call the kernel again. So a kernel stops, among
 * others, at: a sign '+', a number that begins with its point, more than 16 digits, an index beyond the
 * limit, a value whose rounding to float32 two roundings could spoil, a byte of no class.
 *
 * All kernels give the same bits as sheaf_scan_f32 and sheaf_scan_f64, in any rounding mode. None touches a
 * byte outside [at, end), or values after `room`. Any number of threads may use them. */
#ifndef SHEAF_NUMBER_KERNELS_KERNEL_H
#define SHEAF_NUMBER_KERNELS_KERNEL_H

#include "number/kernels/alike.h"
#include "number/kernels/entries.h"
#include "number/kernels/fields.h"
#include "number/kernels/find.h"
#include "number/kernels/lines.h"
#include "number/kernels/utf8.h"
#include "number/kernels/words.h"
#include "number/spell.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of bytes in a text format, besides those of numbers. Kernels stop at any other byte, except in
 * names, where bytes from 0x20 to 0x7f are letters. */
typedef struct sheaf_delimiters {
	uint8_t spaces[2];   /* separate numbers */
	uint8_t pair;        /* between an index and its value, without space */
	uint8_t mark;        /* directly before the name of a list: ends the list before */
	uint8_t feed;        /* ends a line, and the list on it */
	uint8_t before_feed; /* may occur there, and also ends a list */
	uint8_t comment;     /* directly after a mark: no list follows */
} sheaf_delimiters;

/* A list of numbers, or of index:value pairs, that is being read. */
typedef struct sheaf_numbers {
	const sheaf_delimiters *delimiters;
	const uint8_t *at, *end; /* the text. `at` is never within a number, neither before nor after a call */
	void *values;            /* where the first goes: float or double, or int32_t of whole numbers */
	void *indices;           /* of pairs: int32_t, or int64_t if wide_indices */
	size_t room, count;      /* room for values; values read */
	uint64_t limit;          /* every index is below */
	bool wide_indices;
	int64_t rounded; /* added to: float values with more than 9 significant digits that float cannot hold */
} sheaf_numbers;

/* With less room, a call reads nothing. */
enum { SHEAF_NUMBERS_ROOM = 64 };

typedef void sheaf_numbers_reader(sheaf_numbers *run);

/* The contents of short lines: for each an id, or none, as its first bytes, and lists of numbers or of
 * index:value pairs after their names. Events are the marks and the feeds, in order: the caller reads the
 * name after a mark. */
enum { SHEAF_TAPE_ROOM = 1024, SHEAF_TAPE_SLACK = 64, SHEAF_TAPE_SIZE = SHEAF_TAPE_ROOM + SHEAF_TAPE_SLACK };
typedef struct sheaf_tape {
	const sheaf_delimiters *delimiters;
	const uint8_t *begin, *end; /* the text, from the first byte of a line */
	size_t nvalues, nindices, nids, nevents;
	union {
		float f32[SHEAF_TAPE_SIZE];
		double f64[SHEAF_TAPE_SIZE];
	} values;
	uint32_t indices[SHEAF_TAPE_SIZE];
	uint64_t ids[SHEAF_TAPE_SIZE];
	uint32_t at[SHEAF_TAPE_SIZE]; /* for each event: its byte after `begin`; the number of values and indices
	                                 before it */
	uint32_t values_before[SHEAF_TAPE_SIZE], indices_before[SHEAF_TAPE_SIZE];
} sheaf_tape;

/* Reads lines onto an empty tape until there is no more room or something is left. The last event need not be
 * a feed: everything after the last feed must be read again. No line whose feed is an event contains anything
 * that was left; but a list may mix numbers and pairs, which shows in the counts of its events. */
typedef void sheaf_tape_reader(sheaf_tape *tape);

typedef struct sheaf_kernel {
	const char *name;
	bool (*is_available)(void);                  /* on this processor and system */
	sheaf_numbers_reader *dense_f32, *dense_f64; /* numbers */
	sheaf_numbers_reader *pairs_f32, *pairs_f64; /* index:value pairs */
	sheaf_numbers_reader *whole_i32;             /* whole numbers without sign, of a few digits */
	sheaf_feed_finder *find_feeds;
	sheaf_feed_counter *count_feeds, *count_ends;
	sheaf_tape_reader *lines_f32, *lines_f64; /* short lines; NULL: none are read */
	sheaf_alike_reader *alike;                /* short lines of one shape; NULL: none are read */
	sheaf_finder *find_any;
	sheaf_utf8_skipper *skip_utf8;
	sheaf_word_copier *copy_words, *copy_reals;
	sheaf_entries_reader *entries;     /* lines of coordinates and numbers */
	const sheaf_fields_kernel *fields; /* records of delimited text, and the contents of their columns */
	sheaf_speller *spell_f32, *spell_f64; /* NULL: one number at a time */
} sheaf_kernel;

/* The fastest kernel of this machine; or the fastest up to the one in the environment variable SHEAF_KERNEL:
 * "scalar" (only the scanner), "portable", and "avx2" or "avx512", or "neon". Any other name has no effect.
 * Chosen once. */
const sheaf_kernel *sheaf_kernel_chosen(void);
/* All kernels of this build from the slowest to the fastest, NULL after the last. */
extern const sheaf_kernel *const sheaf_kernels[];

#endif
