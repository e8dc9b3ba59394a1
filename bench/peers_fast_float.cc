/* SPDX-License-Identifier: MIT */
/* The same loop with the numbers read by the C++ library fast_float. */
#include "bench.h"
#include "walk.h"
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

static const char *read_number(const char *at, const char *end, float *value) { return fast_float::from_chars(at, end, *value).ptr; }

static void run(const bench_job *job, void *state, bench_yield *out)
{
	loop *l = static_cast<loop *>(state);
	out->values = walk(l->text.data, l->text.data + l->text.size, job->work->sparse, &l->out, read_number) - job->work->kind->numbers;
}

extern "C" const bench_runner fast_float_loop = {"fast_float loop", begin, run};
