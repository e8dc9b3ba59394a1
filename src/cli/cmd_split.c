/* SPDX-License-Identifier: MIT */
/* sheaf split and sheaf merge: rows as they stand, into several files and back. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PARTS = 1000 };

static sheaf_open_options how_to_open(const session *s)
{
	return (sheaf_open_options){.size = sizeof(sheaf_open_options),
	                            .format = sheaf_values_text(&s->args->values, "from"),
	                            .settings = s->args->settings,
	                            .nsettings = s->args->nsettings};
}

static void tell(const session *s, const char *file, int64_t rows)
{
	if (sheaf_values_flag(&s->args->values, "quiet")) return;
	out_text(file);
	out_printf(": %" PRId64 " rows\n", rows);
}

/* ---- the names of the parts ---- */

static int digits_of(int n)
{
	int digits = 1;
	for (; n >= 10; n /= 10) digits++;
	return digits;
}

/* OUT.0, OUT.1, ... with as many digits as the last one has. */
static sheaf_status name_parts(const char *out, int n, char **names, sheaf_error *err)
{
	int digits = digits_of(n - 1);
	for (int i = 0; i < n; i++)
		if (asprintf(&names[i], "%s.%0*d", out, digits, i) < 0) {
			names[i] = NULL;
			return sheaf_fail(err, SHEAF_NOMEM, "expected memory for the names of parts, found %s", "none");
		}
	return SHEAF_OK;
}

/* ---- split ---- */

static sheaf_status split_into(const session *s, const char *const *outputs, int n, bool force,
                               sheaf_error *err)
{
	int64_t rows[MOST_PARTS] = {0};
	sheaf_open_options open = how_to_open(s);
	sheaf_split_options options = {sizeof options, &open, force};
	SHEAF_TRY(sheaf_split(s->args->files[0], outputs, n, &options, s->cx, rows, err));
	for (int i = 0; i < n; i++) tell(s, outputs[i], rows[i]);
	return out_flush(err);
}

static sheaf_status split_numbered(const session *s, int64_t n, bool force, sheaf_error *err)
{
	char *names[MOST_PARTS] = {0};
	if (n < 1 || n > MOST_PARTS)
		return sheaf_fail(err, SHEAF_USAGE, "--parts: expected a number from 1 to %d, found %" PRId64,
		                  MOST_PARTS, n);
	if (s->args->nfiles != 2)
		return sheaf_fail(err, SHEAF_USAGE, "split: expected one OUT with --parts, found %d",
		                  s->args->nfiles - 1);
	sheaf_status status = name_parts(s->args->files[1], (int)n, names, err);
	if (status == SHEAF_OK) status = split_into(s, (const char *const *)names, (int)n, force, err);
	for (int i = 0; i < n; i++) free(names[i]);
	return status;
}

static sheaf_status split(const session *s, bool force, sheaf_error *err)
{
	int64_t n = sheaf_values_number(&s->args->values, "parts", -1);
	if (n >= 0) return split_numbered(s, n, force, err);
	if (s->args->nfiles - 1 > MOST_PARTS)
		return sheaf_fail(err, SHEAF_USAGE, "split: expected at most %d parts, found %d", MOST_PARTS,
		                  s->args->nfiles - 1);
	return split_into(s, s->args->files + 1, s->args->nfiles - 1, force, err);
}

/* ---- merge ---- */

static sheaf_status merge(const session *s, bool force, sheaf_error *err)
{
	int64_t rows;
	int n = s->args->nfiles - 1;
	sheaf_open_options open = how_to_open(s);
	sheaf_split_options options = {sizeof options, &open, force};
	SHEAF_TRY(sheaf_merge(s->args->files, n, s->args->files[n], &options, s->cx, &rows, err));
	tell(s, s->args->files[n], rows);
	return out_flush(err);
}

int run_split(const arguments *args) { return run_output(args, args->files[0], split); }
int run_merge(const arguments *args) { return run_output(args, args->files[0], merge); }
