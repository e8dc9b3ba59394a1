/* SPDX-License-Identifier: MIT */
/* Which rows and columns of a dataset are read: the same of the same dataset in every format. */
#ifndef SHEAF_SELECT_H
#define SHEAF_SELECT_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros: everything. What is given is taken in the order of the members. A row is what sheaf_next gives as
 * one: a sequence, a row of a table, an entry of a tensor; but where sequences are made of entries, it is a
 * sequence. Texts are looked at while the dataset is opened, and need not stay. */
typedef struct sheaf_selection {
	int64_t skip;     /* rows that are passed over first */
	const char *rows; /* of those after them: "N": the first N. "A:B": from row A, counted from 0, up to row B
	                     and without it; either may be left out. NULL: all */
	/* Of these: "N": N of them, or all if there are fewer; they are counted first. "P%": each with that
	 * probability, so about P of a hundred. Rows are chosen by sheaf_row_hash: "N" are those with the
	 * smallest hashes, "P%" those whose hash is below P/100 of 2^64. NULL: all */
	const char *sample;
	uint64_t seed;
	const char *where; /* of these, those whose column "name" has this text, or matches it as a pattern of the
	                      shell (*, ?, [...]). USAGE at the end where none does. NULL: all */
	/* Names with commas between: of the streams of sequences, in this order, and of the other columns. Of a
	 * table, `columns` names all that remain. In formats whose columns can be declared, a list of NAME:TYPE
	 * declares them instead. NULL: all */
	const char *streams, *columns;
	bool transpose; /* a tensor comes with its dimensions in reverse order */
} sheaf_selection;

/* What decides whether a row is in a sample: a permutation of all numbers for each seed. */
SHEAF_API uint64_t sheaf_row_hash(uint64_t seed, int64_t row);

#ifdef __cplusplus
}
#endif
#endif
