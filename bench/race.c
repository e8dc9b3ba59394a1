/* SPDX-License-Identifier: MIT */
/* A race: each entrant runs in a process of its own, one run at a time, in turn. So memory, caches and
 * the choice of kernel are not shared. */
#include "bench.h"
#include "number/kernels/kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* An entrant's process, and the pipes to and from it. */
typedef struct lane {
	pid_t process;
	int ask, answer;
} lane;

typedef struct greeting {
	bool runs;
	char note[NOTE_SIZE];
} greeting;

/* ---- in the entrant's process ---- */

static double seconds(struct timespec t) { return (double)t.tv_sec + (double)t.tv_nsec * 1e-9; }

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return seconds(t);
}

static double used_by(int who)
{
	struct rusage usage;
	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Of all threads, and of the commands that were run. */
static double cpu_now(void) { return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN); }

static void send(int to, const void *data, size_t size)
{
	if (write(to, data, size) != (ssize_t)size) exit(1);
}

/* What a run has written: its output, and parts of it. */
static void remove_output(const bench_job *job)
{
	char path[PATH_SIZE + 32];
	unlink(job->output);
	for (int part = 1; part <= MAX_PARTS; part++) {
		snprintf(path, sizeof path, "%s.%d.part", job->output, part);
		unlink(path);
	}
}

static void make_ready(const bench_job *job, unsigned needs)
{
	unlink(job->output);
	if (!(needs & COLD)) return;
	drop_cache(job->text);
	if (needs & NEEDS_BINARY) drop_cache(job->binary);
}

static bench_turn run_once(const bench_runner *runner, const bench_job *job, void *state)
{
	bench_turn t = {0};
	double wall = now(), cpu = cpu_now();
	runner->run(job, state, &t.yield);
	t.cpu = cpu_now() - cpu;
	t.wall = now() - wall;
	return t;
}

static greeting refusal(const char *why)
{
	greeting no = {.runs = false};
	snprintf(no.note, sizeof no.note, "%s", why);
	return no;
}

__attribute__((noreturn)) static void serve(const bench_runner *runner, const bench_job *job, unsigned needs,
                                            int ask, int answer)
{
	greeting hello = {.runs = true};
	void *state = NULL;
	char word;
	if (job->kernel && setenv("SHEAF_KERNEL", job->kernel, 1) != 0) die("expected memory, found none");
	const char *why_not = NULL;
	if (job->kernel && strcmp(sheaf_kernel_chosen()->name, job->kernel) != 0) why_not = "not available";
	if (!why_not && runner->begin) why_not = runner->begin(job, &state);
	if (why_not) hello = refusal(why_not);
	send(answer, &hello, sizeof hello);
	while (read(ask, &word, 1) == 1) {
		make_ready(job, needs);
		bench_turn t = run_once(runner, job, state);
		send(answer, &t, sizeof t);
	}
	remove_output(job);
	unlink(job->script);
	_exit(0);
}

/* ---- in the bench's process ---- */

static void start(lane *l, const bench_race *race, const bench_entrant *entrant, const bench_job *job)
{
	int ask[2], answer[2];
	fflush(NULL);
	if (pipe(ask) != 0 || pipe(answer) != 0) die("expected two pipes, found none");
	l->process = fork();
	if (l->process < 0) die("expected a process, found none");
	if (l->process == 0) {
		close(ask[1]);
		close(answer[0]);
		serve(entrant->runner, job, race->needs, ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	l->ask = ask[1];
	l->answer = answer[0];
}

static void receive(const lane *l, void *data, size_t size)
{
	if (read(l->answer, data, size) != (ssize_t)size)
		die("expected an answer of an entrant, found that it has failed");
}

static void end(lane *l)
{
	int status;
	close(l->ask);
	close(l->answer);
	waitpid(l->process, &status, 0);
}

static void add_entrants(bench_result *out, const bench_entrant *list)
{
	for (; list->runner; list++) {
		bench_outcome *o = &out->outcomes[out->n++];
		*o = (bench_outcome){.entrant = list};
	}
}

bool race_enter(const bench_race *race, int k, bench_result *out)
{
	const char *work = race->works[k];
	if (k > 0 && !work) return false;
	*out = (bench_result){.race = race, .work = work};
	snprintf(out->job, sizeof out->job, "%s%s%s", work ? work : "", work ? ", " : "", race->name);
	add_entrants(out, race->ours);
	out->nours = out->n;
	add_entrants(out, race->peers);
	return true;
}

static void enter(const bench_result *r, bench_outcome *o, lane *l, const bench_setup *s, int number)
{
	const bench_race *race = r->race;
	bench_job *mine = (bench_job *)need(sizeof *mine);
	greeting hello;
	job_prepare(mine, r, o->entrant, s, number);
	if (mine->work && !(race->needs & NEEDS_HUGE)) o->bytes = file_size(mine->counted);
	start(l, race, o->entrant, mine);
	receive(l, &hello, sizeof hello);
	o->ran = hello.runs;
	snprintf(o->note, sizeof o->note, "%s", hello.note);
	free(mine);
}

static void run_round(bench_result *r, lane *lanes, int round)
{
	for (int i = 0; i < r->n; i++) {
		if (!r->outcomes[i].ran) continue;
		send(lanes[i].ask, "", 1);
		receive(&lanes[i], &r->outcomes[i].turns[round], sizeof(bench_turn));
	}
}

/* An entrant that has read fewer values than the others has done another job. Other workloads are
 * not compared. */
static void check_values(const bench_result *r)
{
	int64_t bytes = r->outcomes[0].bytes, values = 0;
	for (int i = 0; i < r->n; i++) {
		int64_t mine = r->outcomes[i].turns[0].yield.values;
		if (mine == 0 || r->outcomes[i].bytes != bytes) continue;
		if (values && mine != values)
			die("%s: expected %lld values of all, found %lld of %s", r->job, (long long)values,
			    (long long)mine, entrant_name(r->outcomes[i].entrant));
		values = mine;
	}
}

void race_run(bench_result *r, const bench_setup *s)
{
	lane lanes[MAX_ENTRANTS] = {{0}};
	r->rounds = s->rounds;
	for (int i = 0; i < r->n; i++) enter(r, &r->outcomes[i], &lanes[i], s, i);
	for (int round = 0; round < s->rounds; round++) {
		fprintf(stderr, "bench: %s, %s: round %d of %d\n", r->race->part, r->job, round + 1, s->rounds);
		run_round(r, lanes, round);
	}
	/* Backwards: those started later hold the pipes of the earlier ones open. */
	for (int i = r->n; i-- > 0;) end(&lanes[i]);
	check_values(r);
}

void kernel_find(char name[NAME_SIZE])
{
	int answer[2], status;
	if (pipe(answer) != 0) die("expected a pipe, found none");
	pid_t child = fork();
	if (child < 0) die("expected a process, found none");
	if (child == 0) {
		snprintf(name, NAME_SIZE, "%s", sheaf_kernel_chosen()->name);
		send(answer[1], name, NAME_SIZE);
		_exit(0);
	}
	close(answer[1]);
	receive(&(lane){.answer = answer[0]}, name, NAME_SIZE);
	close(answer[0]);
	waitpid(child, &status, 0);
}
