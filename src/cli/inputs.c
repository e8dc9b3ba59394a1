/* SPDX-License-Identifier: MIT */
/* Operands that mean several files: patterns, for commands that are not run by a shell, and lists. A file
 * whose name looks like either is itself, so that no name is out of reach. The files of a pattern come in the
 * order of their names, those of a list as they are listed. */
#include "cli.h"
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds a copy of a name to the operands. */
static sheaf_status add(arguments *to, const char *name, sheaf_error *err)
{
	const char **files = realloc(to->files, ((size_t)to->nfiles + 1) * sizeof *files);
	if (files) to->files = files;
	char *copy = files ? strdup(name) : NULL;
	if (!copy)
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the names of inputs, found none");
	to->files[to->nfiles++] = copy;
	return SHEAF_OK;
}

/* Adds the names that a list has, one per line; empty lines and those that begin with '#' are ignored. */
static sheaf_status add_list(arguments *to, const char *list, sheaf_error *err)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	sheaf_status status = SHEAF_OK;
	FILE *f = fopen(list, "r");
	if (!f) return sheaf_fail_sys(err, errno, "%s: expected a list of inputs", list);
	while (status == SHEAF_OK && (n = getline(&line, &room, f)) >= 0) {
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = '\0';
		if (n > 0 && line[0] != '#') status = add(to, line, err);
	}
	if (status == SHEAF_OK && ferror(f))
		status = sheaf_fail_sys(err, errno, "%s: expected more of the list of inputs", list);
	free(line);
	fclose(f);
	return status;
}

/* Adds the files whose names match a pattern of the shell, in the order of their names; none is a failure. */
static sheaf_status add_pattern(arguments *to, const char *pattern, sheaf_error *err)
{
	glob_t found;
	int failed = glob(pattern, 0, NULL, &found);
	if (failed == GLOB_NOMATCH)
		return sheaf_fail(err, SHEAF_IO, "%s: expected files whose names match, found none", pattern);
	if (failed)
		return sheaf_fail(err, SHEAF_IO,
		                  "%s: expected files whose names match, found a folder that cannot be read",
		                  pattern);
	sheaf_status status = SHEAF_OK;
	for (size_t i = 0; i < found.gl_pathc && status == SHEAF_OK; i++)
		status = add(to, found.gl_pathv[i], err);
	globfree(&found);
	return status;
}

void inputs_free(arguments *expanded)
{
	for (int i = 0; i < expanded->nfiles; i++) free((char *)expanded->files[i]);
	free(expanded->files);
	expanded->files = NULL;
	expanded->nfiles = 0;
}

/* All names of *out are copies, so that inputs_free need not know where they come from. */
sheaf_status inputs_expand(const arguments *args, arguments *out, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	*out = *args;
	out->files = NULL;
	out->nfiles = 0;
	for (int i = 0; i < args->nfiles && status == SHEAF_OK; i++) {
		const char *name = args->files[i];
		if (access(name, F_OK) == 0) /* a file, whatever its name */
			status = add(out, name, err);
		else if (name[0] == '@')
			status = add_list(out, name + 1, err);
		else
			status = strpbrk(name, "*?[") ? add_pattern(out, name, err) : add(out, name, err);
	}
	if (status == SHEAF_OK && out->nfiles == 0)
		status = sheaf_fail(err, SHEAF_USAGE, "inputs: expected at least one, found only empty lists");
	if (status) inputs_free(out);
	return status;
}
