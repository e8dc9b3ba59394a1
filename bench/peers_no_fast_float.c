/* SPDX-License-Identifier: MIT */
/* In place of peers_fast_float.cc if no C++ compiler, or no fast_float, is installed. */
#include "bench.h"

static const char *begin(const bench_job *job, void **state)
{
	(void)job, (void)state;
	return "not installed";
}

static void run(const bench_job *job, void *state, bench_yield *out) { (void)job, (void)state, (void)out; }

const bench_runner fast_float_loop = {"fast_float loop", begin, run};
const bench_runner fast_float_entries = {"fast_float loop", begin, run};
