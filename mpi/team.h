/* SPDX-License-Identifier: MIT */
/* sheaf-mpi: the ranks of a job. Each makes a part of it and holds that; rank 0 merges the parts, reads those
 * of the other ranks from them, and writes the output. Only MPI version 3.1 is required, and nothing in the
 * library knows about it. */
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
	int opened;                /* how often, since hold_begin */
} hold;

void hold_begin(hold *h, int64_t most, const char *name, const char *folder);
/* A sink for it, which empties it first. */
SHEAF_USE sheaf_status hold_open(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err);
/* Returns errno, or 0. */
int hold_read(const hold *h, int64_t from, void *data, size_t size);
void hold_end(hold *h);
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
/* The sum over all ranks. */
int64_t team_sum(int64_t value);

/* All ranks: tells rank 0 the size of each part. */
void team_meet(const hold *h);
/* All except rank 0: serves the requests of rank 0 until it reports the end, with the exit code. */
int team_serve(const hold *h);
/* Rank 0: the parts of all ranks as sources, of which the bytes are read where they are. */
SHEAF_USE sheaf_status team_sources(const hold *own, sheaf_context *cx, sheaf_source **sources,
                                    sheaf_error *err);
/* Rank 0: reports the end to all. */
void team_dismiss(int code);

#endif
