/* SPDX-License-Identifier: MIT */
/* Which rows and columns of a dataset are read: the same ones in every format. */
#ifndef SHEAF_SELECT_H
#define SHEAF_SELECT_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros: everything. The members apply in their order here. A row is what sheaf_next gives as one: a
 * sequence, a row of a table, an entry of a tensor; if entries become sequences, it is a sequence. Texts are
 * read while the dataset is opened, and need not stay valid. */
typedef struct sheaf_selection {
	int64_t skip;     /* rows to skip first */
	const char *rows; /* of the rows after them: "N": the first N. "A:B": rows A to B-1, counted from 0;
	                     either may be left out. NULL: all */
	/* Of these: "N": N of them, or all if there are fewer; they are counted first. "P%": each with that
	 * probability, so about P of a hundred. Rows are chosen by a hash of their number and the seed
	 * (docs/selecting.md): "N" are those with the smallest hashes, "P%" those whose hash is below P/100 of
	 * 2^64. NULL: all */
	const char *sample;
	uint64_t seed;
	const char *where; /* of these, those whose column "name" has this text, or matches it as a pattern of the
	                      shell (*, ?, [...]). USAGE at the end if no row does. NULL: all */
	/* Names with commas between: of the streams of sequences, in this order, and of the other columns. Of a
	 * table, `columns` names all that remain. In formats whose columns can be declared, a list of NAME:TYPE
	 * declares them instead. NULL: all */
	const char *streams, *columns;
	bool transpose; /* a tensor comes with its dimensions in reverse order */
} sheaf_selection;

#ifdef __cplusplus
}
#endif
#endif
