/* SPDX-License-Identifier: MIT */
/* The results of a race, as numbers and as lines of the table. */
#include "bench.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *entrant_name(const bench_entrant *entrant)
{
	return entrant->name ? entrant->name : entrant->runner->name;
}

/* ---- numbers ---- */

static double measured(const bench_race *race, const bench_turn *t)
{
	switch (race->by) {
	case BY_CPU: return t->cpu;
	case BY_WALL: return t->wall;
	case BY_MEMORY: return (double)t->yield.memory;
	default: return (double)t->yield.size;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double outcome_median(const bench_result *r, const bench_outcome *o)
{
	double values[MAX_ROUNDS] = {0};
	for (int i = 0; i < r->rounds; i++) values[i] = measured(r->race, &o->turns[i]);
	return median(values, r->rounds);
}

double outcome_spread(const bench_result *r, const bench_outcome *o)
{
	double least = measured(r->race, &o->turns[0]), most = least, middle = outcome_median(r, o);
	for (int i = 1; i < r->rounds; i++) {
		double value = measured(r->race, &o->turns[i]);
		if (value < least) least = value;
		if (value > most) most = value;
	}
	return middle > 0 ? (most - least) / middle : 0;
}

static bool is_timed(const bench_result *r) { return r->race->by == BY_CPU || r->race->by == BY_WALL; }

/* Memory and sizes are compared as they are; time for each byte of work. */
double outcome_ratio(const bench_result *r, const bench_outcome *ours, const bench_outcome *peer)
{
	double ratios[MAX_ROUNDS] = {0};
	double work = is_timed(r) && ours->bytes && peer->bytes ? (double)ours->bytes / (double)peer->bytes : 1;
	for (int i = 0; i < r->rounds; i++) {
		double mine = measured(r->race, &ours->turns[i]);
		ratios[i] = mine > 0 ? measured(r->race, &peer->turns[i]) / mine * work : 0;
	}
	return median(ratios, r->rounds);
}

static int64_t peak_memory(const bench_result *r, const bench_outcome *o)
{
	int64_t most = 0;
	for (int i = 0; i < r->rounds; i++)
		if (o->turns[i].yield.memory > most) most = o->turns[i].yield.memory;
	return most;
}

static double median_cpu(const bench_result *r, const bench_outcome *o)
{
	double values[MAX_ROUNDS] = {0};
	for (int i = 0; i < r->rounds; i++) values[i] = o->turns[i].cpu;
	return median(values, r->rounds);
}

/* ---- the table ---- */

enum { CELL = 32 };

/* What the race is measured by. */
static const char *amount_text(const bench_result *r, const bench_outcome *o, char text[CELL])
{
	double value = outcome_median(r, o);
	if (!is_timed(r))
		snprintf(text, CELL, value < 1e6 ? "%.1f kB" : "%.1f MB", value < 1e6 ? value / 1e3 : value / 1e6);
	else
		snprintf(text, CELL, "%.*f ms", value < 0.01 ? 2 : 0, value * 1e3);
	return text;
}

static const char *rate_text(const bench_result *r, const bench_outcome *o, char text[CELL])
{
	double value = outcome_median(r, o);
	snprintf(text, CELL, "-");
	if (is_timed(r) && o->bytes && value > 0)
		snprintf(text, CELL, "%.0f MB/s", (double)o->bytes / 1e6 / value);
	return text;
}

static const char *memory_text(const bench_result *r, const bench_outcome *o, char text[CELL])
{
	int64_t memory = peak_memory(r, o);
	snprintf(text, CELL, "-");
	if (memory) snprintf(text, CELL, "%.1f MB", (double)memory / 1e6);
	return text;
}

static const bench_outcome *find_peer(const bench_result *r, const char *name)
{
	for (int i = r->nours; i < r->n; i++)
		if (strcmp(entrant_name(r->outcomes[i].entrant), name) == 0) return &r->outcomes[i];
	return NULL;
}

static bool is_any_or(const char *wanted, const char *name)
{
	return !wanted || (name && strcmp(wanted, name) == 0);
}

static const bench_target *find_target(const bench_result *r, const bench_outcome *ours)
{
	for (int i = 0; i < ntargets; i++) {
		const bench_target *t = &targets[i];
		if (is_any_or(t->part, r->race->part) && is_any_or(t->work, r->work) &&
		    is_any_or(t->how, entrant_name(ours->entrant)) && find_peer(r, t->peer))
			return t;
	}
	return NULL;
}

static const char *verdict(const bench_result *r, const bench_outcome *ours, const bench_target *t)
{
	const bench_outcome *peer = find_peer(r, t->peer);
	if (!ours->ran || !peer->ran) return "not measured";
	return outcome_ratio(r, ours, peer) >= t->least ? "met" : "missed";
}

static void print_ratios(const bench_result *r, const bench_outcome *ours)
{
	for (int i = r->nours; i < r->n; i++) {
		const bench_outcome *peer = &r->outcomes[i];
		const char *comma = i > r->nours ? ", " : "";
		if (peer->ran)
			printf("%s%.3g x %s", comma, outcome_ratio(r, ours, peer), entrant_name(peer->entrant));
		else
			printf("%s%s: %s", comma, entrant_name(peer->entrant), peer->note);
	}
}

static void print_target(const bench_result *r, const bench_outcome *ours)
{
	const bench_target *t = find_target(r, ours);
	if (t) printf("; target >= %.3g x %s: %s", t->least, t->peer, verdict(r, ours, t));
}

static const char *const by_names[] = {
	[BY_CPU] = "cpu", [BY_WALL] = "wall", [BY_MEMORY] = "mem", [BY_SIZE] = "size"};

void table_head(void)
{
	printf("\nMedians \"by\" CPU time (cpu), wall time (wall), peak memory (mem) or bytes made (size); "
	       "spread is (largest - smallest) / median. A ratio \"n x peer\" says how many\n"
	       "times better ours did than the peer in the same rounds: the median of the rounds' ratios, for "
	       "each byte of work.\n\n");
	printf("%-9s %-36s %-17s %-4s %10s %6s %11s %9s %10s  %s\n", "part", "job", "how", "by", "median",
	       "spread", "rate", "cpu", "memory", "ratios; target");
}

static void print_line(const bench_result *r, const bench_outcome *o)
{
	char amount[CELL], rate[CELL], memory[CELL];
	printf("%-9s %-36s %-17s %-4s ", r->race->part, r->job, entrant_name(o->entrant), by_names[r->race->by]);
	if (!o->ran) {
		printf("%10s\n", o->note);
		return;
	}
	printf("%10s %5.0f%% %11s %7.2f s %10s  ", amount_text(r, o, amount), outcome_spread(r, o) * 100,
	       rate_text(r, o, rate), median_cpu(r, o), memory_text(r, o, memory));
	print_ratios(r, o);
	print_target(r, o);
	putchar('\n');
}

void table_print(const bench_result *r)
{
	for (int i = 0; i < r->nours; i++) print_line(r, &r->outcomes[i]);
	fflush(stdout);
}

/* ---- records ---- */

static void print_record(FILE *file, const bench_result *r, const bench_outcome *ours,
                         const bench_outcome *peer)
{
	const bench_target *t = find_target(r, ours);
	bool aimed = t && peer && peer == find_peer(r, t->peer);
	bool both = ours->ran && peer && peer->ran;
	fprintf(file, "%s\t%s\t%s\t%.9g\t%.3f\t%.9g\t%" PRId64 "\t", r->race->part, r->job,
	        entrant_name(ours->entrant), ours->ran ? outcome_median(r, ours) : 0,
	        ours->ran ? outcome_spread(r, ours) : 0, ours->ran ? median_cpu(r, ours) : 0,
	        ours->ran ? peak_memory(r, ours) : 0);
	fprintf(file, "%s\t%.9g\t%.4g\t", peer ? entrant_name(peer->entrant) : "",
	        peer && peer->ran ? outcome_median(r, peer) : 0, both ? outcome_ratio(r, ours, peer) : 0);
	if (aimed)
		fprintf(file, "%.4g\t%s\n", t->least, verdict(r, ours, t));
	else
		fprintf(file, "\t\n");
}

void records_print(const bench_result *r, const bench_setup *s)
{
	FILE *file = fopen(s->records, "a");
	if (!file) die("%s: expected to write it, found that it cannot be", s->records);
	for (int i = 0; i < r->nours; i++) {
		if (r->nours == r->n) print_record(file, r, &r->outcomes[i], NULL);
		for (int p = r->nours; p < r->n; p++) print_record(file, r, &r->outcomes[i], &r->outcomes[p]);
	}
	if (fclose(file) != 0) die("%s: expected room for the results, found none", s->records);
}
