/* SPDX-License-Identifier: MIT */
/* Messages between ranks. A waiting rank sleeps in between: ranks may share a core, and those without work
 * must not slow down the others. No message is larger than INT_MAX bytes. */
#include "team.h"
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ASKING = 1, BYTES = 2, OUTCOME = 3, STEP = 16 << 20 };
enum { READ, FILL, DISMISS };

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

int64_t team_before(int64_t value)
{
	int64_t sum = 0;
	MPI_Request request;
	MPI_Iexscan(&value, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
	wait_for(&request);
	return team_rank ? sum : 0;
}

static void *room_for(int64_t n, size_t size)
{
	void *memory = calloc(n > 0 ? (size_t)n : 1, size);
	if (!memory) MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
	return memory;
}

/* Where each of the counts begins. */
static int64_t add_up(const int *counts, int *places)
{
	int64_t sum = 0;
	for (int r = 0; r < team_size; r++) {
		places[r] = (int)sum;
		sum += counts[r];
	}
	return sum;
}

uint64_t *team_gather_all(const uint64_t *values, int64_t n, int64_t *total)
{
	MPI_Request request;
	int count = (int)n, *counts = room_for(team_size, 2 * sizeof *counts), *places = counts + team_size;
	MPI_Iallgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD, &request);
	wait_for(&request);
	*total = add_up(counts, places);
	uint64_t *all = room_for(*total, sizeof *all);
	MPI_Iallgatherv(values, count, MPI_UINT64_T, all, counts, places, MPI_UINT64_T, MPI_COMM_WORLD, &request);
	wait_for(&request);
	free(counts);
	return all;
}

/* ---- everybody to everybody ---- */

/* Rounds in which each rank sends each other rank at most a quota: so buffers and messages are bounded. */
typedef struct rounds {
	const exchange *what;
	int64_t quota;   /* size of an item */
	int64_t *begins; /* of what each rank sends, in items */
	int *counts;     /* bytes for each rank, their positions; bytes from each rank, and where they go */
	uint8_t *out, *in;
} rounds;

static int64_t in_round(const rounds *r, int64_t n, int64_t round)
{
	int64_t left = n - round * r->quota;
	return left < 0 ? 0 : left < r->quota ? left : r->quota;
}

static int64_t sent_to(const exchange *what, int rank) { return what->cuts[rank + 1] - what->cuts[rank]; }

static int64_t count_rounds(const rounds *r)
{
	int64_t most = 0, all;
	MPI_Request request;
	for (int k = 0; k < team_size; k++) {
		int64_t n = (sent_to(r->what, k) + r->quota - 1) / r->quota;
		if (n > most) most = n;
	}
	MPI_Iallreduce(&most, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
	wait_for(&request);
	return all;
}

/* A rank that has failed still sends, and takes what comes: the others wait for it. If a rank has already
 * received, or sent, everything in earlier rounds, there is no position for more. */
static int run_round(const rounds *r, int64_t round, const hold *from, hold *to, bool well)
{
	MPI_Request request;
	int failed = !well, *sent = r->counts, *at = sent + team_size, *got = at + team_size,
		*where = got + team_size;
	int64_t bytes = r->what->bytes;
	for (int k = 0; k < team_size; k++) {
		sent[k] = (int)(in_round(r, sent_to(r->what, k), round) * bytes);
		got[k] = (int)(in_round(r, r->what->counts[k], round) * bytes);
	}
	add_up(sent, at);
	add_up(got, where);
	for (int k = 0; k < team_size && !failed; k++)
		if (sent[k])
			failed = hold_read(from, r->what->begin + (r->what->cuts[k] + round * r->quota) * bytes,
			                   r->out + at[k], (size_t)sent[k]);
	MPI_Ialltoallv(r->out, sent, at, MPI_BYTE, r->in, got, where, MPI_BYTE, MPI_COMM_WORLD, &request);
	wait_for(&request);
	for (int k = 0; k < team_size && !failed; k++)
		if (got[k])
			failed = hold_put(to, (r->begins[k] + round * r->quota) * bytes, r->in + where[k], got[k]);
	return failed;
}

static int run_rounds(rounds *r, const hold *from, hold *to)
{
	int64_t sum = 0, n = count_rounds(r);
	for (int k = 0; k < team_size; k++) {
		r->begins[k] = sum;
		sum += r->what->counts[k];
	}
	int failed = hold_reserve(to, sum * r->what->bytes);
	for (int64_t round = 0; round < n; round++) {
		int now = run_round(r, round, from, to, !failed);
		if (!failed) failed = now;
	}
	return failed;
}

int team_exchange(const hold *from, const exchange *what, hold *to)
{
	MPI_Request request;
	rounds r = {.what = what, .quota = STEP / team_size / what->bytes};
	int64_t *sent = room_for(2 * (int64_t)team_size, sizeof *sent);
	if (r.quota < 1) r.quota = 1;
	for (int k = 0; k < team_size; k++) sent[k] = sent_to(what, k);
	MPI_Ialltoall(sent, 1, MPI_INT64_T, what->counts, 1, MPI_INT64_T, MPI_COMM_WORLD, &request);
	wait_for(&request);
	r.begins = sent + team_size;
	r.counts = room_for(4 * (int64_t)team_size, sizeof *r.counts);
	r.out = room_for(r.quota * team_size, (size_t)what->bytes);
	r.in = room_for(r.quota * team_size, (size_t)what->bytes);
	int failed = run_rounds(&r, from, to);
	free(r.counts);
	free(r.out);
	free(r.in);
	free(sent);
	return failed;
}

/* ---- requests of rank 0 ---- */

typedef struct asking {
	int64_t what, a, b;
} asking;

typedef struct outcome {
	int64_t sys; /* Returns errno, or 0. */
	int64_t size;
} outcome;

static int fill_file(const hold *h, const run *of, int64_t n, const char *path)
{
	int failed = 0, fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) return errno;
	for (int64_t i = 0; i < n && !failed; i++) failed = hold_copy(h, of[i].from, of[i].to, of[i].size, fd);
	if (!failed && fsync(fd) != 0 && errno != EINVAL && errno != EROFS) failed = errno;
	if (close(fd) != 0 && !failed) failed = errno;
	return failed;
}

static void serve_reading(const hold *h, int64_t from, int64_t size)
{
	outcome out = {.sys = ENOMEM};
	void *data = size > 0 ? malloc((size_t)size) : NULL;
	if (data) out.sys = hold_read(h, from, data, (size_t)size);
	send(&out, sizeof out, 0, OUTCOME);
	if (!out.sys) send(data, size, 0, BYTES);
	free(data);
}

static void serve_filling(const hold *h, int64_t n, int64_t path_size)
{
	outcome out = {.sys = ENOMEM};
	char *path = calloc((size_t)path_size + 1, 1);
	run *of = calloc((size_t)n + 1, sizeof *of);
	if (!path || !of) MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
	receive(path, path_size, 0, BYTES);
	receive(of, n * (int64_t)sizeof *of, 0, BYTES);
	out.sys = fill_file(h, of, n, path);
	for (int64_t i = 0; i < n; i++) out.size += of[i].size;
	send(&out, sizeof out, 0, OUTCOME);
	free(path);
	free(of);
}

int team_serve(const hold *h)
{
	asking a;
	for (;;) {
		receive(&a, sizeof a, 0, ASKING);
		if (a.what == DISMISS) return (int)a.a;
		if (a.what == READ)
			serve_reading(h, a.a, a.b);
		else
			serve_filling(h, a.a, a.b);
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
	outcome out;
	asking a = {READ, offset, (int64_t)n};
	pthread_mutex_lock(&lock);
	send(&a, sizeof a, rank, ASKING);
	receive(&out, sizeof out, rank, OUTCOME);
	if (!out.sys) receive(data, (int64_t)n, rank, BYTES);
	pthread_mutex_unlock(&lock);
	return out.sys ? -out.sys : (int64_t)n;
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

static sheaf_status open_remote(int rank, sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	char name[32];
	snprintf(name, sizeof name, "part of rank %d", rank);
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

static void ask_to_fill(int rank, const runs *of, const char *path)
{
	asking a = {FILL, of->n, (int64_t)strlen(path)};
	send(&a, sizeof a, rank, ASKING);
	send(path, a.b, rank, BYTES);
	send(of->runs, of->n * (int64_t)sizeof *of->runs, rank, BYTES);
}

static sheaf_status say_failed(int rank, int sys, const char *path, sheaf_error *err)
{
	return sheaf_fail_sys(err, sys, "%s: expected rank %d to write its part", path, rank);
}

sheaf_status team_fill(const hold *own, const runs *of_rank, const char *path, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	pthread_mutex_lock(&lock);
	for (int r = 1; r < team_size; r++)
		if (of_rank[r].n > 0) ask_to_fill(r, &of_rank[r], path);
	int sys = of_rank[0].n > 0 ? fill_file(own, of_rank[0].runs, of_rank[0].n, path) : 0;
	if (sys) status = say_failed(0, sys, path, err);
	for (int r = 1; r < team_size; r++) {
		outcome out = {0};
		if (of_rank[r].n > 0) receive(&out, sizeof out, r, OUTCOME);
		if (out.sys && status == SHEAF_OK) status = say_failed(r, (int)out.sys, path, err);
	}
	pthread_mutex_unlock(&lock);
	return status;
}
