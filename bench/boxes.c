/* SPDX-License-Identifier: MIT */
/* Matrices in containers and as text: ours, the bare system, and programs in Python. */
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- ours ---- */

static const char *begin_reading(const bench_job *job, void **state)
{
	sheaf_context_options options = {.size = sizeof options, .threads = job->threads};
	sheaf_context *cx;
	sheaf_error err;
	if (sheaf_context_new(&options, &cx, &err)) die("%s", err.message);
	*state = cx;
	return NULL;
}

/* The entrant's words are the depth of the check. */
static sheaf_dataset *open_whole(const bench_job *job, sheaf_context *cx, const sheaf_column **column)
{
	sheaf_setting check = {"check", job->words ? job->words : "none"};
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = &check,
	                              .nsettings = 1,
	                              .rows = SHEAF_TAKES_WHOLE,
	                              .index = SHEAF_INDEX_NEVER};
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_error err;
	if (sheaf_open(job->binary, &options, cx, &dataset, &err) || sheaf_next(dataset, &frame, &err))
		die("%s", err.message);
	*column = &frame->columns[0];
	return dataset;
}

static int64_t nvalues(const sheaf_column *column)
{
	return (int64_t)(column->values.size / sheaf_type_size(column->type));
}

static void run_whole(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_context *cx = (sheaf_context *)state;
	const sheaf_column *column;
	sheaf_dataset *dataset = open_whole(job, cx, &column);
	out->values = nvalues(column);
	sheaf_close(dataset);
	sheaf_context_memory(cx, &out->memory);
}

const bench_runner read_whole = {"whole", begin_reading, run_whole};

/* Views are read only when they are used. */
static void look_at(const sheaf_buffer *buffer)
{
	const uint32_t *words = (const uint32_t *)(const void *)buffer->data;
	uint32_t sum = 0;
	for (size_t i = 0; i < buffer->size / sizeof *words; i++) sum += words[i];
	*(volatile uint32_t *)&sum;
}

static void run_looking(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_context *cx = (sheaf_context *)state;
	const sheaf_column *column;
	sheaf_dataset *dataset = open_whole(job, cx, &column);
	look_at(&column->levels[1].offsets);
	look_at(&column->levels[1].indices[0]);
	look_at(&column->values);
	out->values = nvalues(column);
	sheaf_close(dataset);
	sheaf_context_memory(cx, &out->memory);
}

const bench_runner look_at_whole = {"whole, looked at", begin_reading, run_looking};

static void run_entries(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_context *cx = (sheaf_context *)state;
	sheaf_open_options options = {
		.size = sizeof options, .rows = SHEAF_TAKES_ENTRIES, .index = SHEAF_INDEX_NEVER};
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_error err;
	if (sheaf_open(job->text, &options, cx, &dataset, &err)) die("%s", err.message);
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) out->values += frame->nrows;
	if (status != SHEAF_END) die("%s", err.message);
	sheaf_close(dataset);
	sheaf_context_memory(cx, &out->memory);
}

const bench_runner read_entries = {"entries", begin_reading, run_entries};

/* ---- the bare system, and printf ---- */

/* Into memory that was touched before: the least that a copy into own arrays can cost. */
static const char *begin_pread(const bench_job *job, void **state)
{
	size_t size = (size_t)file_size(job->counted);
	*state = memset(need(size), 1, size);
	return NULL;
}

static void run_pread(const bench_job *job, void *state, bench_yield *out)
{
	size_t size = (size_t)file_size(job->counted);
	char *memory = (char *)state;
	int fd = open(job->counted, O_RDONLY | O_CLOEXEC);
	if (fd < 0) die("%s: expected to read it, found that it cannot be", job->counted);
	for (size_t at = 0; at < size;) {
		ssize_t n = pread(fd, memory + at, size - at, (off_t)at);
		if (n <= 0) die("%s: expected %zu bytes, found: %s", job->counted, size, strerror(errno));
		at += (size_t)n;
	}
	close(fd);
	out->memory = (int64_t)size;
}

const bench_runner bare_pread = {"pread", begin_pread, run_pread};

static const char *begin_printing(const bench_job *job, void **state)
{
	void *cx;
	begin_reading(job, &cx);
	open_whole(job, (sheaf_context *)cx, (const sheaf_column **)(void *)state);
	return NULL;
}

static void run_printing(const bench_job *job, void *state, bench_yield *out)
{
	const sheaf_column *column = (const sheaf_column *)state;
	const sheaf_level *level = &column->levels[1];
	const int64_t *offsets = sheaf_level_offsets(level);
	const int32_t *columns = (const int32_t *)(const void *)level->indices[0].data;
	const double *values = (const double *)(const void *)column->values.data;
	int64_t nrows = (int64_t)(level->offsets.size / sizeof *offsets) - 1;
	FILE *file = fopen(job->output, "w");
	if (!file) die("%s: expected to create it, found that it cannot be", job->output);
	for (int64_t row = 0; row < nrows; row++)
		for (int64_t i = offsets[row]; i < offsets[row + 1]; i++)
			fprintf(file, "%lld %d %.17g\n", (long long)row + 1, columns[i] + 1, values[i]);
	if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0)
		die("%s: expected room for the output, found none", job->output);
	out->size = file_size(job->output);
}

const bench_runner printf_entries = {"printf loop", begin_printing, run_printing};

/* ---- Python ---- */

static const char h5py_script[] =
	"import h5py, sys\n"
	"print('h5py', h5py.__version__, flush=True)\n"
	"for line in sys.stdin:\n"
	"    with h5py.File(sys.argv[1], 'r') as f:\n"
	"        arrays = [f[name][...] for name in ('pointers_to_1', 'indices_1', 'values')]\n"
	"    print(len(arrays[2]), flush=True)\n"
	"    del arrays\n";

static const char mmread_script[] =
	"import scipy, scipy.io, sys\n"
	"print('scipy', scipy.__version__, flush=True)\n"
	"for line in sys.stdin:\n"
	"    scipy.io.mmread(sys.argv[1])\n"
	"    print(scipy.io.mminfo(sys.argv[1])[2], flush=True)\n"; /* entries of the file: of a symmetric one it
                                                                   makes more */

static const char *begin_h5py(const bench_job *job, void **state)
{
	return script_begin(h5py_script, job->binary, state);
}
static const char *begin_mmread(const bench_job *job, void **state)
{
	return script_begin(mmread_script, job->text, state);
}

const bench_runner h5py_read = {"h5py", begin_h5py, script_run};
const bench_runner scipy_mmread = {"scipy mmread", begin_mmread, script_run};
