/* SPDX-License-Identifier: MIT */
/* The files of a race: made once, kept for later runs. */
#include "bench.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Part of the names of workloads: raise it when their bytes change. */
enum { EDITION = 1 };

static void name_workload(const bench_setup *s, const char *name, int percent, const char *suffix,
                          char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/%s-%" PRId64 "-%d.%s", s->folder, name, s->megabytes * percent, EDITION,
	         suffix);
}

/* A file is made under another name, so that a half-made one from an interrupted run is not used. */
static bool is_missing(const char *path, char fresh[PATH_SIZE])
{
	const char *name = strrchr(path, '/') + 1;
	if (snprintf(fresh, PATH_SIZE, "%.*spart-%s", (int)(name - path), path, name) >= PATH_SIZE)
		die("%s: expected a shorter path", path);
	if (access(path, R_OK) == 0) return false;
	fprintf(stderr, "bench: making %s\n", path);
	return true;
}

static void keep(const char *fresh, const char *path)
{
	if (rename(fresh, path) != 0) die("%s: expected to rename it, found an error", fresh);
}

static void make_text(bench_job *job, int percent)
{
	char fresh[PATH_SIZE];
	name_workload(job->setup, job->work->name, percent, job->work->kind->text, job->text);
	if (!is_missing(job->text, fresh)) return;
	workload_write(job->work, job->setup->megabytes * 10000 * percent, fresh);
	keep(fresh, job->text);
}

static void make_binary(bench_job *job, int percent)
{
	char fresh[PATH_SIZE];
	name_workload(job->setup, job->work->name, percent, job->work->kind->binary, job->binary);
	if (!is_missing(job->binary, fresh)) return;
	snprintf(job->output, sizeof job->output, "%s", fresh);
	command_run(job, job->work->kind->to_binary);
	keep(fresh, job->binary);
}

static void make_index(bench_job *job)
{
	command_run(job, "SHEAF index --quiet TEXT"); /* a fresh one is left as it is */
}

/* The text is followed by a hole, which takes no disk space. */
static void make_huge(bench_job *job, int percent)
{
	static const int64_t size = 10 * INT64_C(1000000000);
	char fresh[PATH_SIZE];
	name_workload(job->setup, job->work->name, percent, "huge.ctf", job->huge);
	if (!is_missing(job->huge, fresh)) return;
	workload_write(job->work, job->setup->megabytes * 10000 * percent, fresh);
	if (truncate(fresh, size) != 0) die("%s: expected a file system with room for holes, found none", fresh);
	keep(fresh, job->huge);
}

void job_prepare(bench_job *job, const bench_result *r, const bench_entrant *entrant, const bench_setup *s,
                 int number)
{
	const bench_race *race = r->race;
	int percent = entrant->percent ? entrant->percent : race->percent ? race->percent : 100;
	memset(job, 0, sizeof *job);
	job->setup = s;
	job->kernel = entrant->kernel;
	job->threads = entrant->threads;
	job->words = entrant->words;
	if (r->work) {
		job->work = workload_find(r->work);
		make_text(job, percent);
		job->counted = race->needs & COUNTS_BINARY ? job->binary
		               : race->needs & NEEDS_HUGE  ? job->huge
		                                           : job->text;
		if (race->needs & NEEDS_BINARY) make_binary(job, percent);
		if (race->needs & NEEDS_HUGE) make_huge(job, percent);
		if (race->needs & NEEDS_INDEX) make_index(job);
	}
	snprintf(job->script, sizeof job->script, "%s/script-%d.py", s->folder, number);
	snprintf(job->output, sizeof job->output, "%s/output-%d.%s", s->folder, number,
	         job->work ? job->work->kind->binary : "");
}
