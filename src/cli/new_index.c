/* SPDX-License-Identifier: MIT */
/* Reports, once, that a command has written an index without being asked: a file that appears beside the
 * user's own must not be a surprise. Which files had one before is looked up before the command runs, and
 * compared after it; indices in the cache folder are nobody's neighbours, and are not reported. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_index(const char *path)
{
	char name[4096];
	struct stat info;
	int n = snprintf(name, sizeof name, "%s.sheaf-index", path);
	return n > 0 && (size_t)n < sizeof name && stat(name, &info) == 0;
}

bool *find_indices(const arguments *args)
{
	bool unasked = args->command->shared & TAKES_INDEX && !sheaf_values_text(&args->values, "index") &&
	               index_policy(args) == SHEAF_INDEX_AUTO && !sheaf_values_flag(&args->values, "quiet");
	bool *had = unasked ? calloc((size_t)args->nfiles + 1, sizeof *had) : NULL;
	for (int i = 0; had && i < args->nfiles; i++) had[i] = has_index(args->files[i]);
	return had;
}

void report_new_indices(const arguments *args, bool *had)
{
	for (int i = 0; had && i < args->nfiles; i++) {
		if (had[i] || !has_index(args->files[i])) continue;
		say("note",
		    "%s.sheaf-index: written, so that the file opens faster from now on (--index never, or "
		    "SHEAF_INDEX=never, writes none)",
		    args->files[i]);
		break;
	}
	free(had);
}
