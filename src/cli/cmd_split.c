/* SPDX-License-Identifier: MIT */
/* sheaf split and sheaf merge: one file into several, and back. The rows of each output follow each other in
 * the input, or are drawn by fractions. merge joins files of rows, and the part files that commands with
 * --part have made (merges_readings). */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PARTS = 1000 };

/* Says how many rows a file has got; -1: they were not counted. */
static void report(const session *s, const char *file, int64_t rows)
{
	if (rows < 0 || sheaf_values_flag(&s->args->values, "quiet")) return;
	out_text(file);
	out_printf(": %" PRId64 " %s\n", rows, rows == 1 ? "row" : "rows");
}

/* ---- how many ---- */

/* *out becomes the number of parts that --parts requests: N of them, as many as have a SIZE, or one for each
 * fraction, between which there are commas; -1: as many as outputs are named, which the command line lists.
 */
static sheaf_status count_parts(const session *s, int64_t *out, sheaf_error *err)
{
	const char *parts = sheaf_values_text(&s->args->values, "parts");
	bool named = s->args->nfiles > 2;
	*out = -1;
	if (!parts && named) return SHEAF_OK;
	if (!parts)
		return sheaf_fail(err, SHEAF_USAGE, "split: expected several outputs, or --parts, found one output");
	if (strchr(parts, ',')) {
		if (named) return SHEAF_OK;
		*out = 1;
		for (const char *at = parts; *at; at++) *out += *at == ',';
		return SHEAF_OK;
	}
	int64_t number;
	if (!sheaf_size_from_text(parts, &number))
		return sheaf_fail_option(
			err, SHEAF_USAGE, "parts",
			": expected a number of parts, the size of each such as 64M, or fractions such "
			"as 0.9,0.1, found %s",
			parts);
	*out = number;
	if (!parts[strspn(parts, "0123456789")]) return SHEAF_OK;
	struct stat info;
	const char *file = s->args->files[0];
	if (number == 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "parts", ": expected a size of at least 1B, found %d", 0);
	if (strcmp(file, "-") == 0 || stat(file, &info) != 0 || !S_ISREG(info.st_mode))
		return sheaf_fail_option(err, SHEAF_USAGE, "parts",
		                         ": expected a file, whose size is known, found %s", file);
	*out = info.st_size > 0 ? info.st_size / number + (info.st_size % number != 0) : 1;
	return SHEAF_OK;
}

/* ---- split ---- */

/* Splits the input into n outputs, and reports how many rows each has got. Each output gets rows that follow
 * each other, or, with fractions, rows that are drawn; the library divides them. */
static sheaf_status split_into(const session *s, const char *const *outputs, int n, bool force,
                               sheaf_error *err)
{
	int64_t rows[MOST_PARTS] = {0};
	const char *parts = sheaf_values_text(&s->args->values, "parts");
	opening_options how;
	read_opening(s->args, &how);
	sheaf_split_options options = {.size = sizeof options,
	                               .open = &how.open,
	                               .force = force,
	                               .fractions = parts && strchr(parts, ',') ? parts : NULL,
	                               .seed = (uint64_t)sheaf_values_number(&s->args->values, "seed", 0)};
	SHEAF_TRY(sheaf_split(s->args->files[0], outputs, n, &options, s->cx, rows, err));
	for (int i = 0; i < n; i++) report(s, outputs[i], rows[i]);
	return out_flush(err);
}

/* Splits the input into n outputs that are named after the one OUT: OUT.0, OUT.1, ... with as many digits as
 * the last one has, before the suffixes for the format and the compression. Where these begin is found by
 * asking, for each dot of the name, whether what follows would name a format. */
static sheaf_status split_numbered(const session *s, int64_t n, bool force, sheaf_error *err)
{
	char *names[MOST_PARTS] = {0};
	if (n < 1 || n > MOST_PARTS)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "split: expected from 1 to %d parts, found %" PRId64
		                  " (a size has a unit, such as 64K)",
		                  MOST_PARTS, n);
	if (s->args->nfiles != 2)
		return sheaf_fail(err, SHEAF_USAGE, "split: expected one OUT with --parts %s, found %d",
		                  sheaf_values_text(&s->args->values, "parts"), s->args->nfiles - 1);
	const char *out = s->args->files[1], *slash = strrchr(out, '/');
	char bare[64];
	size_t stem = strlen(out); /* where the suffixes begin; the end of the name if there are none */
	for (const char *dot = slash ? slash + 1 : out; (dot = strchr(dot + 1, '.'));) {
		snprintf(bare, sizeof bare, "x%s", dot);
		if (strlen(dot) + 1 < sizeof bare && sheaf_format_of_name(bare)) stem = (size_t)(dot - out);
	}
	sheaf_status status = SHEAF_OK;
	int digits = 1;
	for (int64_t last = n - 1; last >= 10; last /= 10) digits++;
	for (int i = 0; i < n && status == SHEAF_OK; i++) {
		if (asprintf(&names[i], "%.*s.%0*d%s", (int)stem, out, digits, i, out + stem) >= 0) continue;
		names[i] = NULL;
		status = sheaf_fail(err, SHEAF_NOMEM, "expected memory for the names of parts, found %s", "none");
	}
	if (status == SHEAF_OK) status = split_into(s, (const char *const *)names, (int)n, force, err);
	for (int i = 0; i < n; i++) free(names[i]);
	return status;
}

static sheaf_status split(const session *s, bool force, sheaf_error *err)
{
	int64_t n;
	SHEAF_TRY(count_parts(s, &n, err));
	if (n >= 0) return split_numbered(s, n, force, err);
	if (s->args->nfiles - 1 > MOST_PARTS)
		return sheaf_fail(err, SHEAF_USAGE, "split: expected at most %d parts, found %d", MOST_PARTS,
		                  s->args->nfiles - 1);
	return split_into(s, s->args->files + 1, s->args->nfiles - 1, force, err);
}

/* ---- merge ---- */

/* Joins files of rows, or the parts of a conversion: the library looks which of these they are. */
static sheaf_status merge(const session *s, bool force, sheaf_error *err)
{
	int64_t rows;
	int n = s->args->nfiles - 1;
	opening_options how;
	read_opening(s->args, &how);
	sheaf_split_options options = {.size = sizeof options, .open = &how.open, .force = force};
	SHEAF_TRY(sheaf_merge(s->args->files, n, s->args->files[n], &options, s->cx, &rows, err));
	report(s, s->args->files[n], rows);
	return out_flush(err);
}

int run_split(const arguments *args) { return run_output(args, args->files[0], split); }
int run_merge(const arguments *args)
{
	int code;
	if (merges_readings(args, &code)) return code;
	if (args->nfiles > 1) return run_output(args, args->files[args->nfiles - 1], merge);
	say("error", "sheaf merge: expected %s, found 1 operand", args->command->operands);
	return EXIT_USAGE;
}
