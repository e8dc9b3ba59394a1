/* SPDX-License-Identifier: MIT */
/* sheaf-mpi: the ranks of a job. Each makes a part of it and holds that; rank 0 merges the parts, reads from
 * the others what it needs of theirs, and has them write into the output what is theirs. Nothing of MPI is
 * used but what is in its version 3.1, and nothing in the library knows of it. */
#ifndef SHEAF_MPI_TEAM_H
#define SHEAF_MPI_TEAM_H

#include "cli.h"
#include <stdint.h>

/* ---- hold.c: a part, in memory while it is small, else in a temporary file without a name ---- */

typedef struct hold {
	uint8_t *bytes;
	int64_t size, room, most;  /* most: bytes in memory */
	int64_t touched;           /* bytes of memory that are there already */
	int fd;                    /* -1: in memory */
	const char *name, *folder; /* in messages; of the temporary file */
} hold;

void hold_begin(hold *h, int64_t most, const char *name, const char *folder);
/* A sink for it, which begins it anew. */
SHEAF_USE sheaf_status hold_open(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err);
/* errno, or 0. */
int hold_read(const hold *h, int64_t from, void *data, size_t size);
/* Writes some of it into a file at a byte. errno, or 0. */
int hold_copy(const hold *h, int64_t from, int64_t to, int64_t size, int fd);
void hold_end(hold *h);
/* Gives it room for `size` bytes, which come in any order. errno, or 0. */
int hold_reserve(hold *h, int64_t size);
int hold_put(hold *h, int64_t at, const void *data, int64_t size);

/* ---- team.c ---- */

/* Who this process is. */
extern int team_rank, team_size;

void team_begin(int *argc, char ***argv);
void team_end(void);
/* The exit code of the lowest rank that has none of 0, and which rank that is; 0 and -1 where all are fine.
 */
int team_agree(int code, int *rank);
/* Of all ranks, on rank 0: `values` has room for as many. */
void team_gather(int64_t value, int64_t *values);

/* Ranks on this machine, this one among them. All ranks call it. */
int team_neighbours(void);
/* What all ranks together have; and those before this one. */
int64_t team_sum(int64_t value);
int64_t team_before(int64_t value);
/* What all ranks have, one after the other: n numbers of this one; *total becomes how many. The caller frees
 * them. */
uint64_t *team_gather_all(const uint64_t *values, int64_t n, int64_t *total);

/* Items of some bytes each, which stand in a hold from byte `begin` on and go to ranks in order: those from
 * number cuts[r] to cuts[r + 1] to rank r. counts[r] becomes how many rank r has sent. */
typedef struct exchange {
	int64_t begin, bytes;
	const int64_t *cuts;
	int64_t *counts;
} exchange;
/* All ranks: what they get is in `to` then, in the order of ranks. errno, or 0. */
int team_exchange(const hold *from, const exchange *what, hold *to);

/* A run of bytes of a part, and where it goes. */
typedef struct run {
	int64_t from, to, size;
} run;

/* All ranks: how long each part is becomes known to rank 0. */
void team_meet(const hold *h);
/* Everybody but rank 0: does what that asks for until it says that all is done, and with which exit code. */
int team_serve(const hold *h);
/* Rank 0: the parts of all ranks as sources, of which the bytes are read where they are. */
SHEAF_USE sheaf_status team_sources(const hold *own, sheaf_context *cx, sheaf_source **sources,
                                    sheaf_error *err);
/* Rank 0: has each rank write its runs into the file; whatever fails is the failure. */
typedef struct runs {
	run *runs;
	int64_t n, room;
	bool lost; /* there was no memory for one */
} runs;
SHEAF_USE sheaf_status team_fill(const hold *own, const runs *of_rank, const char *path, sheaf_error *err);
/* Rank 0: all is done. */
void team_dismiss(int code);

/* ---- sort.c ---- */

/* All ranks: where the parts of a conversion are sorted entries that can be written by all, these go to the
 * ranks whose slice they are of, and each has a part of its slice then. 0, or an exit code that all ranks
 * have. */
int sort_entries(const arguments *args, const char *output, hold *h);

/* ---- main.c ---- */

/* As team_agree, and the rank that has failed says so. */
int agree(int code);

#endif
