/* SPDX-License-Identifier: MIT */
/* The same loop with the numbers read by the C++ library fast_float. */
#include "bench.h"
#include "walk.h"
#include <charconv>
#include <cstring>
#include <fast_float/fast_float.h>

struct loop {
	bench_mapped text;
	kept out;
};

static const char *begin(const bench_job *job, void **state)
{
	loop *l = static_cast<loop *>(need(sizeof *l));
	l->text = map_file(job->text);
	*state = l;
	return NULL;
}

static const char *read_number(const char *at, const char *end, float *value)
{
	return fast_float::from_chars(at, end, *value).ptr;
}

static void run(const bench_job *job, void *state, bench_yield *out)
{
	loop *l = static_cast<loop *>(state);
	out->values = walk(l->text.data, l->text.data + l->text.size, job->work->sparse, &l->out, read_number) -
	              job->work->kind->numbers;
}

extern "C" const bench_runner fast_float_loop = {"fast_float loop", begin, run};

/* ---- lines of a matrix: two integers by std::from_chars, and a double, where there are any ---- */

enum { FEW = 1 << 15 }; /* what is kept stays in a cache */

struct entries {
	bench_mapped text;
	int32_t rows[FEW], columns[FEW];
	double values[FEW];
};

static const char *begin_entries(const bench_job *job, void **state)
{
	entries *e = static_cast<entries *>(need(sizeof *e));
	e->text = map_file(job->text);
	*state = e;
	return NULL;
}

static const char *behind_line(const char *at, const char *end)
{
	return static_cast<const char *>(memchr(at, '\n', static_cast<size_t>(end - at))) + 1;
}

static void run_entries(const bench_job *, void *state, bench_yield *out)
{
	entries *e = static_cast<entries *>(state);
	const char *end = e->text.data + e->text.size, *at = behind_line(behind_line(e->text.data, end), end);
	for (; at < end; at++, out->values++) {
		int64_t k = out->values % FEW;
		at = std::from_chars(at, end, e->rows[k]).ptr + 1;
		at = std::from_chars(at, end, e->columns[k]).ptr;
		if (*at == ' ') at = fast_float::from_chars(at + 1, end, e->values[k]).ptr;
	}
}

extern "C" const bench_runner fast_float_entries = {"fast_float loop", begin_entries, run_entries};
