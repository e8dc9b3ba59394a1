/* SPDX-License-Identifier: MIT */
/* The external sorter: sorted runs in a temporary file, merged through a heap. When there are more runs than
 * the memory has read buffers for, the oldest are merged into one, until the rest can be merged together. */
#include "io/sorter.h"
#include "base/context.h"
#include "base/memory.h"
#include "io/sort.h"
#include "io/spool.h"
#include <string.h>

enum {
	LEAST_MEMORY = 4096,
	FIRST_RECORDS = 64,
	GOOD_BUFFER = 16 << 10, /* bytes of a read that the disk does not mind */
	LEAST_FAN = 8,          /* runs merged at a time, however small their buffers get */
	STOP_INTERVAL = 4096    /* records between two looks at the stop flag */
};

typedef struct run {
	int64_t at, end; /* bytes of the spool */
} run;

/* A run under way in a merge: its next records. */
typedef struct head {
	run left;
	sheaf_record *buffer;
	size_t next, count;
} head;

struct sheaf_sorter {
	sheaf_context *cx;
	size_t memory;
	sheaf_record *records;
	size_t count, capacity, most;
	sheaf_spool spool;
	run *runs;
	size_t runs_done, run_count, run_capacity; /* the first runs_done are merged into later ones */
	bool is_finished;
};

/* ---- adding ---- */

sheaf_status sheaf_sorter_new(sheaf_context *cx, size_t memory_bytes, sheaf_sorter **out, sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_sorter), &memory, err));
	sheaf_sorter *s = (sheaf_sorter *)memory;
	s->cx = cx;
	s->memory = memory_bytes > LEAST_MEMORY ? memory_bytes : LEAST_MEMORY;
	s->most = s->memory / 2 / sizeof(sheaf_record); /* the other half is the radix sort's */
	s->spool.fd = -1;
	*out = s;
	return SHEAF_OK;
}

void sheaf_sorter_free(sheaf_sorter *s)
{
	if (!s) return;
	sheaf_release(s->cx, s->records, s->capacity * sizeof *s->records);
	sheaf_release(s->cx, s->runs, s->run_capacity * sizeof *s->runs);
	sheaf_spool_close(&s->spool);
	sheaf_release(s->cx, s, sizeof *s);
}

/* The array doubles, up to `most`. */
static sheaf_status grow_records(sheaf_sorter *s, sheaf_error *err)
{
	size_t capacity = s->capacity ? s->capacity * 2 : FIRST_RECORDS;
	if (capacity > s->most) capacity = s->most;
	void *memory = s->records;
	SHEAF_TRY(sheaf_reallocate(s->cx, &memory, s->capacity * sizeof *s->records,
	                           capacity * sizeof *s->records, err));
	s->records = (sheaf_record *)memory;
	s->capacity = capacity;
	return SHEAF_OK;
}

/* Room for one run more in the table: made first, so that no run is written and then forgotten. */
static sheaf_status grow_runs(sheaf_sorter *s, sheaf_error *err)
{
	enum { FIRST_RUNS = 16 };
	if (s->run_count < s->run_capacity) return SHEAF_OK;
	size_t capacity = s->run_capacity ? s->run_capacity * 2 : FIRST_RUNS;
	void *memory = s->runs;
	SHEAF_TRY(
		sheaf_reallocate(s->cx, &memory, s->run_capacity * sizeof *s->runs, capacity * sizeof *s->runs, err));
	s->runs = (run *)memory;
	s->run_capacity = capacity;
	return SHEAF_OK;
}

/* Sorts what is in memory; *sorted is s->records or *spare, which the caller releases (s->count records). */
static sheaf_status sort_memory(sheaf_sorter *s, sheaf_record **spare, sheaf_record **sorted,
                                sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_check_stop(s->cx, err));
	SHEAF_TRY(sheaf_allocate_array(s->cx, s->count, sizeof(sheaf_record), &memory, err));
	*spare = (sheaf_record *)memory;
	*sorted = sheaf_sort_records(s->records, *spare, s->count);
	return SHEAF_OK;
}

static sheaf_status spill(sheaf_sorter *s, sheaf_error *err)
{
	sheaf_record *spare = NULL, *sorted = NULL;
	if (s->spool.fd < 0) SHEAF_TRY(sheaf_spool_open(&s->spool, s->cx, err));
	SHEAF_TRY(grow_runs(s, err));
	SHEAF_TRY(sort_memory(s, &spare, &sorted, err));
	int64_t at = s->spool.size;
	sheaf_status status = sheaf_spool_append(&s->spool, sorted, s->count * sizeof *sorted, err);
	sheaf_release(s->cx, spare, s->count * sizeof *spare);
	if (status) return status;
	s->count = 0;
	s->runs[s->run_count++] = (run){at, s->spool.size};
	return SHEAF_OK;
}

static sheaf_status refuse_late_call(sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_USAGE, "sorter: expected no call after sheaf_sorter_finish, found one");
}

sheaf_status sheaf_sorter_add(sheaf_sorter *s, uint64_t key, uint64_t value, sheaf_error *err)
{
	if (s->is_finished) return refuse_late_call(err);
	if (s->count == s->most) SHEAF_TRY(spill(s, err));
	if (s->count == s->capacity) SHEAF_TRY(grow_records(s, err));
	s->records[s->count++] = (sheaf_record){key, value};
	return SHEAF_OK;
}

/* ---- merging ---- */

static sheaf_status refill(sheaf_sorter *s, head *h, size_t buffer_records, sheaf_error *err)
{
	size_t wanted = buffer_records * sizeof *h->buffer;
	if ((uint64_t)(h->left.end - h->left.at) < wanted) wanted = (size_t)(h->left.end - h->left.at);
	SHEAF_TRY(sheaf_spool_read(&s->spool, h->left.at, h->buffer, wanted, err));
	h->left.at += (int64_t)wanted;
	h->next = 0;
	h->count = wanted / sizeof *h->buffer;
	return SHEAF_OK;
}

static const sheaf_record *top(const head *h) { return &h->buffer[h->next]; }

/* Lets the head at `i` of heap[n] sink to its place: the least record is at heap[0]. */
static void sift_down(head *heap, size_t n, size_t i)
{
	head moved = heap[i];
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= n) break;
		if (child + 1 < n && sheaf_record_less(top(&heap[child + 1]), top(&heap[child]))) child++;
		if (!sheaf_record_less(top(&heap[child]), top(&moved))) break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

static sheaf_status drain(sheaf_sorter *s, head *heap, size_t n, size_t buffer_records,
                          sheaf_sorted_function told, void *user, sheaf_error *err)
{
	for (size_t i = n / 2; i-- > 0;) sift_down(heap, n, i);
	for (uint64_t done = 0; n > 0; done++) {
		if (done % STOP_INTERVAL == 0) SHEAF_TRY(sheaf_check_stop(s->cx, err));
		head *least = &heap[0];
		SHEAF_TRY(told(user, top(least)->key, top(least)->value));
		if (++least->next == least->count) SHEAF_TRY(refill(s, least, buffer_records, err));
		if (least->count == 0) *least = heap[--n];
		if (n > 0) sift_down(heap, n, 0);
	}
	return SHEAF_OK;
}

static size_t fan(const sheaf_sorter *s)
{
	size_t buffers = s->memory / GOOD_BUFFER;
	return buffers > LEAST_FAN ? buffers : LEAST_FAN;
}

/* Merges n runs from runs[first] on. */
static sheaf_status merge(sheaf_sorter *s, size_t first, size_t n, sheaf_sorted_function told, void *user,
                          sheaf_error *err)
{
	size_t buffer_records = s->memory / n / sizeof(sheaf_record);
	void *heap_memory = NULL, *buffer_memory = NULL;
	SHEAF_TRY(sheaf_allocate_array(s->cx, n, sizeof(head), &heap_memory, err));
	head *heap = (head *)heap_memory;
	sheaf_status status =
		sheaf_allocate_array(s->cx, n * buffer_records, sizeof(sheaf_record), &buffer_memory, err);
	for (size_t i = 0; i < n && !status; i++) {
		heap[i].left = s->runs[first + i];
		heap[i].buffer = (sheaf_record *)buffer_memory + i * buffer_records;
		status = refill(s, &heap[i], buffer_records, err);
	}
	if (!status) status = drain(s, heap, n, buffer_records, told, user, err);
	sheaf_release(s->cx, buffer_memory, n * buffer_records * sizeof(sheaf_record));
	sheaf_release(s->cx, heap, n * sizeof(head));
	return status;
}

/* Where a merge goes that makes a longer run. */
typedef struct longer_run {
	sheaf_sorter *sorter;
	sheaf_record buffer[GOOD_BUFFER / sizeof(sheaf_record)];
	size_t count;
	sheaf_error *err;
} longer_run;

static sheaf_status flush_run(longer_run *to)
{
	size_t bytes = to->count * sizeof *to->buffer;
	to->count = 0;
	return sheaf_spool_append(&to->sorter->spool, to->buffer, bytes, to->err);
}

static sheaf_status append_to_run(void *user, uint64_t key, uint64_t value)
{
	longer_run *to = (longer_run *)user;
	to->buffer[to->count++] = (sheaf_record){key, value};
	return to->count == sizeof to->buffer / sizeof *to->buffer ? flush_run(to) : SHEAF_OK;
}

static sheaf_status merge_oldest(sheaf_sorter *s, size_t n, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(grow_runs(s, err));
	SHEAF_TRY(sheaf_allocate(s->cx, sizeof(longer_run), &memory, err));
	longer_run *to = (longer_run *)memory;
	to->sorter = s;
	to->err = err;
	int64_t at = s->spool.size;
	sheaf_status status = merge(s, s->runs_done, n, append_to_run, to, err);
	if (!status) status = flush_run(to);
	sheaf_release(s->cx, to, sizeof *to);
	if (status) return status;
	s->runs_done += n;
	s->runs[s->run_count++] = (run){at, s->spool.size};
	return SHEAF_OK;
}

static sheaf_status merge_runs(sheaf_sorter *s, sheaf_sorted_function told, void *user, sheaf_error *err)
{
	if (s->count > 0) SHEAF_TRY(spill(s, err));
	/* The array's memory now goes to the read buffers. */
	sheaf_release(s->cx, s->records, s->capacity * sizeof *s->records);
	s->records = NULL;
	s->capacity = 0;
	while (s->run_count - s->runs_done > fan(s)) SHEAF_TRY(merge_oldest(s, fan(s), err));
	return merge(s, s->runs_done, s->run_count - s->runs_done, told, user, err);
}

static sheaf_status tell_memory(sheaf_sorter *s, sheaf_sorted_function told, void *user, sheaf_error *err)
{
	sheaf_record *spare = NULL, *sorted = NULL;
	SHEAF_TRY(sort_memory(s, &spare, &sorted, err));
	sheaf_status status = SHEAF_OK;
	for (size_t i = 0; i < s->count && !status; i++) {
		if (i % STOP_INTERVAL == 0) status = sheaf_check_stop(s->cx, err);
		if (!status) status = told(user, sorted[i].key, sorted[i].value);
	}
	sheaf_release(s->cx, spare, s->count * sizeof *spare);
	return status;
}

sheaf_status sheaf_sorter_finish(sheaf_sorter *s, sheaf_sorted_function told, void *user, sheaf_error *err)
{
	if (s->is_finished) return refuse_late_call(err);
	s->is_finished = true;
	if (s->run_count > 0) return merge_runs(s, told, user, err);
	return s->count > 0 ? tell_memory(s, told, user, err) : SHEAF_OK;
}
