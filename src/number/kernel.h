/* SPDX-License-Identifier: MIT */
/* Kernels: many numbers at once from text, for whoever reads lists of them.
 *
 * A kernel reads what it is certain of and leaves everything else: it is correct to let it read nothing. What
 * a number means, and what is wrong with a text, is said by sheaf_scan_f32 and its kin (number.h) alone; the
 * caller reads with them what a kernel has left, and may then call the kernel again. So a kernel stops, among
 * others, at: a sign '+', a number that begins with its point, more than 16 digits, an index beyond the
 * limit, a value whose rounding to float32 two roundings could spoil, a byte of no class.
 *
 * All kernels give the same bits as sheaf_scan_f32 and sheaf_scan_f64, whatever the rounding mode. None
 * touches a byte outside [at, end), or values after `room`. Any number of threads may use them. */
#ifndef SHEAF_NUMBER_KERNEL_H
#define SHEAF_NUMBER_KERNEL_H

#include "number/alike.h"
#include "number/entries.h"
#include "number/fields.h"
#include "number/find.h"
#include "number/lines.h"
#include "number/spell.h"
#include "number/words.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What bytes mean to a text format, beside those of numbers. Any other byte is left, but in names, where it
 * is a letter from 0x20 to 0x7f. */
typedef struct sheaf_delimiters {
	uint8_t spaces[2];   /* part numbers */
	uint8_t pair;        /* between an index and its value, without space */
	uint8_t mark;        /* straight before the name of a list: ends the list before */
	uint8_t feed;        /* ends a line, and the list on it */
	uint8_t before_feed; /* may stand there, and ends a list, too */
	uint8_t comment;     /* directly after a mark: no list follows */
} sheaf_delimiters;

/* A list of numbers, or of index:value pairs, as it is being read. */
typedef struct sheaf_numbers {
	const sheaf_delimiters *delimiters;
	const uint8_t *at,
		*end;           /* the text. `at` is no byte inside of a number, neither before nor after a call */
	void *values;       /* where the first goes: float or double, or int32_t of whole numbers */
	void *indices;      /* of pairs: int32_t, or int64_t if wide_indices */
	size_t room, count; /* for how many there is room; how many have been read */
	uint64_t limit;     /* every index is below */
	bool wide_indices;
	int64_t rounded; /* added to: float values of more than 9 significant digits that float cannot hold */
} sheaf_numbers;

/* A call reads nothing where there is less room. */
enum { SHEAF_NUMBERS_ROOM = 64 };

typedef void sheaf_numbers_reader(sheaf_numbers *run);

/* What short lines hold: of each an id, or none, as its first bytes, and lists of numbers or of index:value
 * pairs after their names. Events are the marks and the feeds, in order: the name after a mark is the
 * caller's to read. */
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
	uint32_t at[SHEAF_TAPE_SIZE]; /* of each event: its byte after `begin`; how many values and indices stand
	                                 before it */
	uint32_t values_before[SHEAF_TAPE_SIZE], indices_before[SHEAF_TAPE_SIZE];
} sheaf_tape;

/* Reads lines onto an empty tape until there is no more room or something is left. The last event need not be
 * a feed: what stands after the last feed is to be read again. No line whose feed is an event has anything
 * in it that is left; but a list may mix numbers and pairs, which shows in what stands before its events. */
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
	sheaf_word_copier *copy_words, *copy_reals;
	sheaf_entries_reader *entries;     /* lines of coordinates and numbers */
	const sheaf_fields_kernel *fields; /* records of delimited text, and what stands in their columns */
	sheaf_speller *spell_f64;          /* NULL: one number at a time */
} sheaf_kernel;

/* The fastest kernel of this machine; or the fastest up to the one that the environment variable SHEAF_KERNEL
 * names: "scalar" (nothing but the scanner), "portable", and "avx2" or "avx512", or "neon". A name that is
 * none of these has no effect. Chosen once. */
const sheaf_kernel *sheaf_kernel_chosen(void);
/* All kernels of this build from the slowest to the fastest, NULL after the last. */
extern const sheaf_kernel *const sheaf_kernels[];

#endif
