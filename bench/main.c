/* SPDX-License-Identifier: MIT */
/* Measures what the library and the command do, and what the machine could do:
 *
 *     sheaf-bench PATH-OF-SHEAF      runs the races and prints the table
 *     sheaf-bench --list             prints part and name of each line of the table
 *
 * BENCH_MB BENCH_ROUNDS BENCH_ONLY BENCH_DIR BENCH_RECORDS: see bench/NOTES.md. */
#include "bench.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void list(void)
{
	static bench_result r;
	for (int i = 0; i < nraces; i++)
		for (int k = 0; race_enter(&races[i], k, &r); k++)
			for (int e = 0; e < r.nours; e++)
				printf("%s\t%s\t%s\n", races[i].part, r.job, entrant_name(r.outcomes[e].entrant));
}

static void check_parts(const bench_setup *s)
{
	for (int i = 0; i < nraces; i++)
		if (setup_wants(s, races[i].part)) return;
	if (setup_wants(s, "python")) return; /* bench/python.py has these races */
	die("BENCH_ONLY: expected parts of the table, found \"%s\"", s->only);
}

static void run_all(const bench_setup *s)
{
	static bench_result r;
	if (s->records) unlink(s->records);
	machine_print(s);
	table_head();
	for (int i = 0; i < nraces; i++) {
		if (!setup_wants(s, races[i].part)) continue;
		for (int k = 0; race_enter(&races[i], k, &r); k++) {
			race_run(&r, s);
			table_print(&r);
			if (s->records) records_print(&r, s);
		}
	}
}

int main(int argc, char **argv)
{
	bench_setup s;
	if (argc != 2) die("expected the path of sheaf, or --list, found %d words", argc - 1);
	if (strcmp(argv[1], "--list") == 0) {
		list();
		return 0;
	}
	setup_read(&s, argv[1]);
	check_parts(&s);
	run_all(&s);
	return 0;
}
