/* SPDX-License-Identifier: MIT */
/* sheaf plan: how parts would divide a file, before anything is done. A part gets whole pieces, so that small
 * files, and files of few large pieces, divide unevenly: what is printed is how much the largest part has
 * more than the mean, and how long that takes. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RANKS = 1024 };

/* What is printed about all parts. */
typedef struct plan {
	int n, empty;
	int64_t pieces, bytes, rows, largest;
	double imbalance; /* the largest part over the mean one */
	double seconds;   /* until the largest part is done, at `rate` bytes per second */
} plan;

/* ---- one number of parts ---- */

/* Prints the plan as a heading and a line for each part, numbered from 1. */
static void print_parts(const plan *p, const sheaf_part_share *shares)
{
	out_printf("parts: %d of %" PRId64 " pieces, the largest %.3f times the mean, %d empty\n", p->n,
	           p->pieces, p->imbalance, p->empty);
	out_printf(p->seconds < 0.001 ? "less than a millisecond\n" : "about %.3g seconds\n", p->seconds);
	out_printf("%6s  %14s  %12s  %8s\n", "part", "bytes", "rows", "pieces");
	for (int i = 0; i < p->n; i++)
		out_printf("%6d  %14" PRId64 "  %12" PRId64 "  %8" PRId64 "\n", i + 1, shares[i].bytes,
		           shares[i].rows, shares[i].pieces);
}

/* Prints a line of the table of 1, 2, 4, ... parts, below the heading if it is the first. */
static void print_table_line(const plan *p)
{
	if (p->n == 1)
		out_printf("%6s  %14s  %14s  %9s  %6s  %9s\n", "ranks", "mean bytes", "largest", "imbalance", "empty",
		           "seconds");
	out_printf("%6d  %14" PRId64 "  %14" PRId64 "  %9.3f  %6d  %9.3g\n", p->n, p->bytes / p->n, p->largest,
	           p->imbalance, p->empty, p->seconds);
}

/* Prints the plan as an object of JSON, with each part if `shares` is not NULL. */
static void print_json(const session *s, const plan *p, const sheaf_part_share *shares)
{
	json_open(NULL, "{");
	json_text("file", s->label);
	out_printf(",\"ranks\":%d,\"pieces\":%" PRId64 ",\"bytes\":%" PRId64 ",\"rows\":%" PRId64
	           ",\"largest\":%" PRId64 ",\"imbalance\":%.6g,\"empty\":%d,\"seconds\":%.6g",
	           p->n, p->pieces, p->bytes, p->rows, p->largest, p->imbalance, p->empty, p->seconds);
	for (int i = 0; shares && i < p->n; i++)
		out_printf("%s{\"part\":%d,\"bytes\":%" PRId64 ",\"rows\":%" PRId64 ",\"pieces\":%" PRId64 "}",
		           i ? "," : ",\"parts\":[", i + 1, shares[i].bytes, shares[i].rows, shares[i].pieces);
	out_text(shares ? "]}\n" : "}\n");
}

/* What a visitor cannot be given: the number of parts that is being planned, and whether it is a line of the
 * table of 1, 2, 4, ... parts, which has its heading above the first of them. */
static int ranks;
static bool in_a_table;
static int64_t rate; /* bytes of the input that a rank processes per second */

/* Plans `ranks` parts of a file, and prints them: as JSON an object, which lists the parts unless it is one
 * of the table; as text a line of the table, or a line for each part. */
static sheaf_status plan_file(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_part_share *shares = calloc((size_t)ranks, sizeof *shares);
	if (!shares) return sheaf_fail(err, SHEAF_NOMEM, "plan: expected memory for %d parts, found none", ranks);
	sheaf_status status = sheaf_dataset_shares(dataset, ranks, shares, err);
	if (status == SHEAF_OK) {
		plan p = {.n = ranks};
		for (int i = 0; i < ranks; i++) {
			p.pieces += shares[i].pieces;
			p.bytes += shares[i].bytes;
			p.rows += shares[i].rows;
			p.empty += shares[i].pieces == 0;
			if (shares[i].bytes > p.largest) p.largest = shares[i].bytes;
		}
		p.imbalance = p.bytes > 0 ? (double)p.largest * ranks / (double)p.bytes : 1;
		p.seconds = (double)p.largest / (double)rate;
		if (as_json(s->args))
			print_json(s, &p, in_a_table ? NULL : shares);
		else if (in_a_table)
			print_table_line(&p);
		else
			print_parts(&p, shares);
		status = out_check(err);
	}
	free(shares);
	return status;
}

static int plan_one(const arguments *args, int64_t n)
{
	ranks = (int)n;
	return visit_files(
		args, (opening){.rows = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES}, plan_file);
}

/* Without --parts the file is opened once for each line of the table, since a visitor plans one number. */
int run_plan(const arguments *args)
{
	int64_t n = sheaf_values_number(&args->values, "parts", 0);
	bool given = sheaf_values_text(&args->values, "parts") != NULL;
	int code = EXIT_FINE;
	if (given && (n < 1 || n > (1 << 20))) {
		say("error", "--parts: expected a number from 1 to %d, found %" PRId64, 1 << 20, n);
		return EXIT_USAGE;
	}
	enum { USUAL_RATE = 150000000 };
	rate = sheaf_values_number(&args->values, "rate", USUAL_RATE);
	if (rate < 1) {
		say("error", "--rate: expected a number of bytes per second above 0, found 0");
		return EXIT_USAGE;
	}
	in_a_table = !given;
	if (given) return plan_one(args, n);
	for (n = 1; n <= MOST_RANKS && code == EXIT_FINE; n *= 2) code = plan_one(args, n);
	return code;
}
