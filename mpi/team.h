/* SPDX-License-Identifier: MIT */
/* sheaf-mpi: the ranks of a job. Each makes a part of it and holds that, or writes it into the output where
 * its place is known; rank 0 merges the parts, reads from the other ranks what it needs of theirs, and lets
 * each rank write the rest of its bytes. Only MPI version 3.1 is required, and nothing in the library knows
 * about it. */
#ifndef SHEAF_MPI_TEAM_H
#define SHEAF_MPI_TEAM_H

#include "cli.h"
#include <stdint.h>

/* ---- hold.c: a part, in memory while it is small, else in a temporary file without a name ---- */

/* A part's bytes that are in the output already. */
typedef struct stretch {
	int fd;              /* of the output; -1: there is none */
	int64_t begin, size; /* bytes of the part */
	int64_t at;          /* byte of the output */
	int64_t begun;       /* of its bytes, those that were sent to the disk */
	bool open;           /* the next bytes belong to it, too */
} stretch;

typedef struct hold {
	uint8_t *bytes;
	int64_t size, room, most;  /* most: bytes in memory */
	int64_t inside;            /* bytes that are not in the output */
	int64_t touched;           /* bytes of memory that are there already */
	int fd;                    /* -1: in memory */
	const char *name, *folder; /* in messages; of the temporary file */
	int opened;                /* how often, since hold_begin */
	stretch out;
} hold;

void hold_begin(hold *h, int64_t most, const char *name, const char *folder);
/* A sink for it, which empties it first. */
SHEAF_USE sheaf_status hold_open(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err);
/* From here on what the sink gets goes into a file, from byte `at` on, and is held there; until hold_rest.
 * Once in a part. Returns errno, or 0. */
int hold_place(hold *h, const char *path, int64_t at);
void hold_rest(hold *h);
/* Returns errno, or 0. */
int hold_read(const hold *h, int64_t from, void *data, size_t size);
/* Writes a range of it into a file at a position, except for what is there already: ESTALE if that is at
 * another one. Returns errno, or 0. */
int hold_copy(const hold *h, int64_t from, int64_t to, int64_t size, int fd);
void hold_end(hold *h);
/* Makes room for `size` bytes, which come in any order. Returns errno, or 0. */
int hold_reserve(hold *h, int64_t size);
int hold_put(hold *h, int64_t at, const void *data, int64_t size);

/* ---- team.c ---- */

/* Who this process is. */
extern int team_rank, team_size;

void team_begin(int *argc, char ***argv);
void team_end(void);
/* The exit code of the lowest rank whose code is not 0, and its rank; 0 and -1 if all succeeded. */
int team_agree(int code, int *rank);
/* From rank 0 to all. */
void team_tell(void *data, int size);
/* From all ranks, on rank 0: `values` has room for all. */
void team_gather(int64_t value, int64_t *values);

/* Number of ranks on this machine, including this one. All ranks call it. */
int team_neighbours(void);
/* The sum over all ranks; and over those before this one. */
int64_t team_sum(int64_t value);
int64_t team_before(int64_t value);
/* The arrays of all ranks, one after the other, given n numbers of this one; *total becomes their number. The
 * caller frees them. */
uint64_t *team_gather_all(const uint64_t *values, int64_t n, int64_t *total);

/* Items of a fixed size, which are in a hold from byte `begin` on and go to ranks in order: those from number
 * cuts[r] to cuts[r + 1] to rank r. counts[r] becomes the number that rank r has sent. */
typedef struct exchange {
	int64_t begin, bytes;
	const int64_t *cuts;
	int64_t *counts;
} exchange;
/* All ranks: what they receive is then in `to`, in the order of ranks. Returns errno, or 0. */
int team_exchange(const hold *from, const exchange *what, hold *to);

/* A range of a part, and where it goes. */
typedef struct run {
	int64_t from, to, size;
} run;

/* All ranks: tells rank 0 the size of each part. */
void team_meet(const hold *h);
/* All except rank 0: serves the requests of rank 0 until it reports the end, with the exit code. */
int team_serve(const hold *h);
/* Rank 0: the parts of all ranks as sources, of which the bytes are read where they are. */
SHEAF_USE sheaf_status team_sources(const hold *own, sheaf_context *cx, sheaf_source **sources,
                                    sheaf_error *err);
/* Rank 0: lets each rank write its ranges into the file; a failure of any rank is the failure. */
typedef struct runs {
	run *runs;
	int64_t n, room;
	bool lost; /* there was no memory for one */
} runs;
SHEAF_USE sheaf_status team_fill(const hold *own, const runs *of_rank, const char *path, sheaf_error *err);
/* Rank 0: reports the end to all. */
void team_dismiss(int code);

/* ---- output.c: the output, into which ranks write while they make their parts ---- */

/* Before a part of a conversion is made. The arguments outlive it. */
void output_begin(const arguments *args);
/* As sheaf_convert_options.place_part, of a hold: rank 0 opens the output, and all ranks write into it. */
SHEAF_USE sheaf_status output_place(void *user, int64_t at, sheaf_error *err);
/* All ranks, when their parts are made, or not: those that wait for the name of the file get it. */
void output_meet(void);
/* All ranks: parts that are made from now on stay outside the output. What was written there by an index of
 * other contents may be in a wrong place, where another rank's bytes belong. */
void output_leave(void);
/* Rank 0: what it has opened, or NULL; the caller's from now on. */
sheaf_sink *output_take(void);
/* Abandons what was not taken. */
void output_end(void);

/* ---- sort.c ---- */

/* All ranks: if the parts of a conversion are sorted entries that all can write, the entries go to the ranks
 * to whose slices they belong, and each rank then has a part of its slice. 0, or an exit code that all ranks
 * have. */
int sort_entries(const arguments *args, const char *output, hold *h);

/* ---- main.c ---- */

/* As team_agree, and the rank that has failed reports it. */
int agree(int code);

#endif
