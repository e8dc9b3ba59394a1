/* SPDX-License-Identifier: MIT */
/* The output of a conversion, before the parts are merged: a rank that knows where the bytes of its part
 * belong writes them there when it makes them. Rank 0 opens it before its first row, and sends the others the
 * path of the temporary file; all wait for that before theirs. */
#include "team.h"
#include <limits.h>

static struct {
	const arguments *args; /* NULL: there is no output */
	bool met;              /* all ranks have the path: */
	char path[PATH_MAX];   /* "": they do not write into it */
	sheaf_context *cx;     /* the sink's, which outlives those of the commands */
	sheaf_sink *sink;
} output;

void output_begin(const arguments *args) { output.args = args; }

static sheaf_status open_output(sheaf_error *err)
{
	const char *name = output.args->files[output.args->nfiles - 1];
	bool force = sheaf_values_flag(&output.args->values, "force");
	sheaf_status status = sheaf_context_new(NULL, &output.cx, err);
	if (status == SHEAF_OK)
		status = force ? sheaf_sink_path(name, output.cx, &output.sink, err)
		               : sheaf_sink_path_new(name, output.cx, &output.sink, err);
	if (status == SHEAF_OK && !sheaf_sink_temporary(output.sink, output.path, sizeof output.path))
		output.path[0] = '\0';
	return status;
}

/* Also if rank 0 has failed, so that nobody waits. */
static sheaf_status meet(bool opens, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	if (output.met) return SHEAF_OK;
	if (opens && team_rank == 0) status = open_output(err);
	team_tell(output.path, sizeof output.path);
	output.met = true;
	return status;
}

sheaf_status output_place(void *user, int64_t at, sheaf_error *err)
{
	hold *h = (hold *)user;
	SHEAF_TRY(meet(true, err));
	hold_rest(h);
	if (at < 0 || !output.path[0]) return SHEAF_OK;
	int failed = hold_place(h, output.path, at);
	if (!failed) return SHEAF_OK;
	return sheaf_fail_sys(err, failed, "%s: expected rank %d to open its temporary file %s", h->name,
	                      team_rank, output.path);
}

void output_meet(void)
{
	sheaf_error ignored;
	if (output.args) (void)meet(false, &ignored); /* opens nothing, so cannot fail */
}

void output_leave(void) { output.path[0] = '\0'; }

sheaf_sink *output_take(void)
{
	sheaf_sink *sink = output.sink;
	output.sink = NULL;
	return sink;
}

void output_end(void)
{
	if (output.sink) sheaf_sink_abandon(output.sink);
	output.sink = NULL;
	sheaf_context_free(output.cx);
	output.cx = NULL;
}
