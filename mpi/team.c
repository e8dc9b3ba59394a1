/* SPDX-License-Identifier: MIT */
/* Messages between ranks. A waiting rank sleeps in between: ranks may share a core, and those without work
 * must not slow down the others. No message is larger than INT_MAX bytes. */
#include "team.h"
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASKING = 1, BYTES = 2, OUTCOME = 3, STEP = 16 << 20 };
enum { READ, DISMISS };

int team_rank, team_size = 1;

/* Sources may be read by several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Open MPI looks for networks at its start, which takes longer than everything else. If all ranks are on one
 * machine there is none to find: shared memory is enough. A choice of the user is kept. */
static void leave_out_networks(void)
{
	const char *ranks = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	if (ranks && here && strcmp(ranks, here) == 0) setenv("OMPI_MCA_pml", "ob1", 0);
}

/* Ranks that were started by the launcher of another MPI do not see each other: each would do all of the
 * work. Each reports it, since the launcher may end the others once one has. */
static void refuse_foreign_launcher(void)
{
	static const char *const words[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
	for (size_t k = 0; team_size == 1 && k < sizeof words / sizeof *words; k++) {
		const char *size = getenv(words[k]);
		if (!size || strtol(size, NULL, 10) <= 1) continue;
		say("error",
		    "sheaf-mpi: expected to be one of %s ranks (%s), found itself alone; use the launcher of the MPI "
		    "that it was built with",
		    size, words[k]);
		MPI_Finalize();
		exit(EXIT_USAGE);
	}
}

void team_begin(int *argc, char ***argv)
{
	int provided;
	leave_out_networks();
	MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &team_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &team_size);
	refuse_foreign_launcher();
	if (provided >= MPI_THREAD_SERIALIZED || team_size == 1) return;
	say("error", "expected an MPI library that threads can use in turn, found one that does not allow it");
	MPI_Abort(MPI_COMM_WORLD, EXIT_UNSUPPORTED);
}

void team_end(void) { MPI_Finalize(); }

/* ---- waiting ---- */

static void sleep_for(long nanoseconds)
{
	struct timespec step = {0, nanoseconds};
	nanosleep(&step, NULL);
}

/* A signal ends all ranks. Rank 0 gets the time to remove what it has begun. */
static void heed_signals(double *since)
{
	enum { PATIENCE = 3 };
	if (!was_interrupted()) return;
	if (*since == 0) *since = seconds_now();
	if (team_rank > 0 && seconds_now() - *since < PATIENCE) return;
	sheaf_remove_temporaries();
	MPI_Abort(MPI_COMM_WORLD, EXIT_INTERRUPTED);
}

static void wait_for(MPI_Request *request)
{
	enum { SHORTEST = 1000, LONGEST = 1000000 };
	double since = 0;
	int done = 0;
	for (long nap = SHORTEST; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;) {
		heed_signals(&since);
		sleep_for(nap);
		if (nap < LONGEST) nap *= 2;
	}
}

static void send(const void *data, int64_t size, int rank, int tag)
{
	MPI_Request request;
	const char *at = data;
	do {
		int n = size < STEP ? (int)size : STEP;
		MPI_Isend(at, n, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &request);
		wait_for(&request);
		at += n;
		size -= n;
	} while (size > 0);
}

static void receive(void *data, int64_t size, int rank, int tag)
{
	MPI_Request request;
	char *at = data;
	do {
		int n = size < STEP ? (int)size : STEP;
		MPI_Irecv(at, n, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &request);
		wait_for(&request);
		at += n;
		size -= n;
	} while (size > 0);
}

int team_agree(int code, int *rank)
{
	int mine = code ? team_rank : team_size, lowest;
	MPI_Request request;
	MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
	wait_for(&request);
	*rank = lowest < team_size ? lowest : -1;
	if (*rank < 0) return 0;
	MPI_Ibcast(&code, 1, MPI_INT, lowest, MPI_COMM_WORLD, &request);
	wait_for(&request);
	return code;
}

void team_tell(void *data, int size)
{
	MPI_Request request;
	MPI_Ibcast(data, size, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	wait_for(&request);
}

void team_gather(int64_t value, int64_t *values)
{
	MPI_Request request;
	MPI_Igather(&value, 1, MPI_INT64_T, values, 1, MPI_INT64_T, 0, MPI_COMM_WORLD, &request);
	wait_for(&request);
}

int team_neighbours(void)
{
	MPI_Comm machine;
	int n = 1;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
	MPI_Comm_size(machine, &n);
	MPI_Comm_free(&machine);
	return n;
}

int64_t team_sum(int64_t value)
{
	int64_t sum;
	MPI_Request request;
	MPI_Iallreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
	wait_for(&request);
	return sum;
}

/* ---- requests of rank 0 ---- */

typedef struct asking {
	int64_t what, a, b;
} asking;

static void serve_reading(const hold *h, int64_t from, int64_t size)
{
	int failed = ENOMEM; /* an errno, or 0 */
	void *data = size > 0 ? malloc((size_t)size) : NULL;
	if (data) failed = hold_read(h, from, data, (size_t)size);
	send(&failed, sizeof failed, 0, OUTCOME);
	if (!failed) send(data, size, 0, BYTES);
	free(data);
}

int team_serve(const hold *h)
{
	asking a;
	for (;;) {
		receive(&a, sizeof a, 0, ASKING);
		if (a.what == DISMISS) return (int)a.a;
		serve_reading(h, a.a, a.b);
	}
}

/* ---- rank 0 ---- */

void team_dismiss(int code)
{
	asking a = {DISMISS, code, 0};
	for (int r = 1; r < team_size; r++) send(&a, sizeof a, r, ASKING);
}

typedef struct remote {
	int rank;
	int64_t size;
	const hold *own;
} remote;

/* One for each rank, until the ranks meet again or the process ends. */
static remote *remotes;

static int64_t ask_for(int rank, int64_t offset, void *data, size_t n)
{
	int failed;
	asking a = {READ, offset, (int64_t)n};
	pthread_mutex_lock(&lock);
	send(&a, sizeof a, rank, ASKING);
	receive(&failed, sizeof failed, rank, OUTCOME);
	if (!failed) receive(data, (int64_t)n, rank, BYTES);
	pthread_mutex_unlock(&lock);
	return failed ? -failed : (int64_t)n;
}

static int64_t read_remote(void *user, int64_t offset, void *data, size_t n)
{
	const remote *r = user;
	size_t some = n < STEP ? n : STEP;
	if (r->rank > 0) return ask_for(r->rank, offset, data, some);
	int failed = hold_read(r->own, offset, data, some);
	return failed ? -failed : (int64_t)some;
}

void team_meet(const hold *h)
{
	int64_t *sizes = calloc((size_t)team_size, sizeof *sizes);
	free(remotes); /* of an attempt that began again: its sources are closed */
	remotes = calloc((size_t)team_size, sizeof *remotes);
	if (!sizes || !remotes) MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
	team_gather(h->size, sizes);
	for (int r = 0; r < team_size; r++) remotes[r] = (remote){.rank = r, .size = sizes[r]};
	free(sizes);
}

/* What rank 0 has in memory itself is read in place. */
static sheaf_status open_remote(int rank, sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	char name[32];
	const hold *own = remotes[rank].own;
	snprintf(name, sizeof name, "part of rank %d", rank);
	if (rank == 0 && own->fd < 0)
		return sheaf_source_memory((sheaf_bytes){own->bytes, (size_t)own->size}, name, cx, out, err);
	return sheaf_source_ranges(read_remote, &remotes[rank], remotes[rank].size, name, cx, out, err);
}

sheaf_status team_sources(const hold *own, sheaf_context *cx, sheaf_source **sources, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	int opened = 0;
	for (; opened < team_size && status == SHEAF_OK; opened++) {
		remotes[opened].own = own;
		status = open_remote(opened, cx, &sources[opened], err);
	}
	for (int r = 0; status && r < opened - 1; r++) sheaf_source_close(sources[r]);
	return status;
}
