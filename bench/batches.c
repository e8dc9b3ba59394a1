/* SPDX-License-Identifier: MIT */
/* Minibatches: ours, and what moving the same bytes takes. The sequences have one sparse stream. */
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW = 32, MANY = 1024 }; /* sequences of a batch */

typedef struct feeding {
	sheaf_context *cx;
	sheaf_dataset *dataset;
	sheaf_batches *batches;
} feeding;

static void open_dataset(feeding *f, const bench_job *job, const char *path, sheaf_index_policy policy)
{
	sheaf_context_options context = {.size = sizeof context, .threads = job->threads};
	int nsettings = 0;
	bool is_text = path == job->text;
	sheaf_setting *settings = is_text ? workload_settings(job->work, &nsettings) : NULL;
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = settings,
	                              .nsettings = nsettings,
	                              .access = SHEAF_RANDOM,
	                              .index = policy};
	sheaf_error err;
	if (sheaf_context_new(&context, &f->cx, &err) || sheaf_open(path, &options, f->cx, &f->dataset, &err))
		die("%s", err.message);
	workload_settings_free(settings, nsettings);
}

static void open_batches(feeding *f, const sheaf_batch_options *options)
{
	sheaf_error err;
	if (sheaf_batches_open(&f->dataset, 1, options, f->cx, &f->batches, &err)) die("%s", err.message);
}

static void close_feeding(feeding *f)
{
	sheaf_batches_close(f->batches);
	sheaf_close(f->dataset);
	sheaf_context_free(f->cx);
}

/* One sweep: all batches, or that many. */
static int64_t pull(feeding *f, int64_t most)
{
	const sheaf_batch *batch;
	sheaf_error err;
	sheaf_status status = SHEAF_OK;
	int64_t sequences = 0;
	for (int64_t n = 0; n < most && (status = sheaf_batches_next(f->batches, &batch, &err)) == SHEAF_OK;
	     n++) {
		sequences += batch->sequences;
		if (batch->sweep_end) break;
	}
	if (status != SHEAF_OK && status != SHEAF_END) die("%s", err.message);
	return sequences;
}

/* ---- from memory ---- */

static sheaf_batch_options in_memory(int64_t size)
{
	static const sheaf_epoch_options many = {.sweeps = 1 << 20};
	return (sheaf_batch_options){.size = sizeof(sheaf_batch_options),
	                             .batch_size = size,
	                             .unit = SHEAF_SIZE_SEQUENCES,
	                             .epochs = &many,
	                             .stop_at_sweep_end = true,
	                             .keep_in_memory = true};
}

/* The first sweep fills the cache. */
static const char *begin_memory(const bench_job *job, void **state, int64_t size)
{
	feeding *f = (feeding *)need(sizeof *f);
	sheaf_batch_options options = in_memory(size);
	open_dataset(f, job, job->binary, SHEAF_INDEX_NEVER);
	open_batches(f, &options);
	pull(f, INT64_MAX);
	*state = f;
	return NULL;
}

static const char *begin_many(const bench_job *job, void **state) { return begin_memory(job, state, MANY); }
static const char *begin_few(const bench_job *job, void **state) { return begin_memory(job, state, FEW); }

static void run_sweep(const bench_job *job, void *state, bench_yield *out)
{
	feeding *f = (feeding *)state;
	(void)job;
	out->values = pull(f, INT64_MAX);
	sheaf_context_memory(f->cx, &out->memory);
}

const bench_runner gather_many = {"batches of 1024", begin_many, run_sweep};
const bench_runner gather_few = {"batches of 32", begin_few, run_sweep};

/* ---- the same bytes in the same order, by memcpy ---- */

typedef struct moving {
	sheaf_frame frame;
	uint64_t *order;
	int64_t n;
	char *batch;
} moving;

/* The rows of one sweep of ours. */
static void note_order(feeding *f, moving *m)
{
	const sheaf_batch *batch;
	sheaf_error err;
	sheaf_batch_options options = in_memory(MANY);
	open_batches(f, &options);
	m->order = (uint64_t *)need((size_t)m->frame.nrows * sizeof *m->order);
	while (m->n < m->frame.nrows) {
		if (sheaf_batches_next(f->batches, &batch, &err)) die("%s", err.message);
		memcpy(m->order + m->n, batch->keys, (size_t)batch->sequences * sizeof *batch->keys);
		m->n += batch->sequences;
	}
}

static const char *begin_moving(const bench_job *job, void **state)
{
	moving *m = (moving *)need(sizeof *m);
	feeding reading = {0}, ordering = {0};
	sheaf_error err;
	open_dataset(&reading, job, job->binary, SHEAF_INDEX_NEVER);
	if (sheaf_read_all(reading.dataset, &m->frame, &err)) die("%s", err.message);
	open_dataset(&ordering, job, job->binary, SHEAF_INDEX_NEVER);
	note_order(&ordering, m);
	close_feeding(&ordering);
	m->batch = (char *)need((size_t)MANY << 16);
	*state = m;
	return NULL;
}

static char *move_row(const moving *m, int64_t row, char *to)
{
	const sheaf_level *lists = &m->frame.columns[0].levels[0], *entries = &m->frame.columns[0].levels[1];
	const int64_t *samples = sheaf_level_offsets(lists), *offsets = sheaf_level_offsets(entries);
	size_t from = (size_t)offsets[samples[row]], n = (size_t)offsets[samples[row + 1]] - from;
	memcpy(to, m->frame.columns[0].values.data + 4 * from, 4 * n);
	memcpy(to + 4 * n, entries->indices[0].data + 4 * from, 4 * n);
	return to + 8 * n;
}

static void move_all(const moving *m, int64_t size, void (*after)(void))
{
	for (int64_t i = 0; i < m->n;) {
		char *to = m->batch;
		for (int64_t k = 0; k < size && i < m->n; k++) to = move_row(m, (int64_t)m->order[i++], to);
		after();
	}
}

static void nothing(void) {}

static void two_microseconds(void)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + (now.tv_nsec - begin.tv_nsec) < 2000);
}

static void run_moving(const bench_job *job, void *state, bench_yield *out)
{
	const moving *m = (const moving *)state;
	(void)job;
	move_all(m, MANY, nothing);
	out->values = m->n;
}

/* What 2 us of overhead for each batch would add up to. */
static void run_moving_slowly(const bench_job *job, void *state, bench_yield *out)
{
	const moving *m = (const moving *)state;
	(void)job;
	move_all(m, FEW, two_microseconds);
	out->values = m->n;
}

const bench_runner memcpy_loop = {"memcpy loop", begin_moving, run_moving};
const bench_runner memcpy_and_wait = {"memcpy + 2 us", begin_moving, run_moving_slowly};

/* ---- from a file ---- */

static void run_file(const bench_job *job, const char *path, sheaf_index_policy policy,
                     const sheaf_batch_options *options, int64_t most, bench_yield *out)
{
	feeding f = {0};
	open_dataset(&f, job, path, policy);
	open_batches(&f, options);
	out->values = pull(&f, most);
	sheaf_context_memory(f.cx, &out->memory);
	close_feeding(&f);
}

static void run_shuffled(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_batch_options options = {.size = sizeof options, .batch_size = MANY, .unit = SHEAF_SIZE_SEQUENCES};
	(void)state;
	run_file(job, job->binary, SHEAF_INDEX_NEVER, &options, INT64_MAX, out);
}

static void run_in_order(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_batch_options options = {
		.size = sizeof options, .batch_size = MANY, .unit = SHEAF_SIZE_SEQUENCES, .order = "file"};
	(void)state;
	run_file(job, job->text, SHEAF_INDEX_NEVER, &options, INT64_MAX, out);
	out->values = 0; /* sequences; the parser counts values */
}

const bench_runner batches_shuffled = {"full shuffle", NULL, run_shuffled};
const bench_runner batches_in_order = {"file order", NULL, run_in_order};

static void run_first_in_order(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_batch_options options = {
		.size = sizeof options, .batch_size = FEW, .unit = SHEAF_SIZE_SEQUENCES, .order = "file"};
	(void)state;
	run_file(job, job->text, SHEAF_INDEX_REQUIRE, &options, 1, out);
	out->values = 0;
}

static void run_first_of_window(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_batch_options options = {.size = sizeof options,
	                               .batch_size = FEW,
	                               .unit = SHEAF_SIZE_SEQUENCES,
	                               .window = &(sheaf_window_options){.length = 4}};
	(void)state;
	run_file(job, job->text, SHEAF_INDEX_REQUIRE, &options, 1, out);
	out->values = 0;
}

const bench_runner first_in_order = {"file order", NULL, run_first_in_order};
const bench_runner first_of_window = {"window of 4 chunks", NULL, run_first_of_window};
