/* SPDX-License-Identifier: MIT */
/* Finding the file of a reader. Configurations are moved around, mostly from Windows, and the paths in them
 * rarely still hold. */
#include "base/memory.h"
#include "config/config.h"
#include <string.h>
#include <unistd.h>

static bool exists(const char *path) { return access(path, F_OK) == 0; }

/* The last name of a path in either style, beside the configuration. */
static sheaf_status beside(const sheaf_cntk *c, const char *path, char **out)
{
	const char *name = path, *slash = strrchr(c->file, '/');
	size_t folder = slash ? (size_t)(slash + 1 - c->file) : 0;
	sheaf_builder b;
	for (const char *at = path; *at; at++)
		if (*at == '/' || *at == '\\') name = at + 1;
	sheaf_builder_begin(&b, c->cx, NULL);
	sheaf_builder_append(&b, c->file, folder);
	sheaf_builder_text(&b, name);
	sheaf_status status = sheaf_builder_status(&b, c->err);
	if (status == SHEAF_OK) status = sheaf_copy_text(c->cx, (const char *)b.data, b.size, out, c->err);
	sheaf_builder_drop(&b);
	return status;
}

static void turn_slashes(char *path)
{
	for (; *path; path++)
		if (*path == '\\') *path = '/';
}

/* Frees the loser and returns the winner. */
static char *take(const sheaf_cntk *c, char *winner, char *loser)
{
	sheaf_release_text(c->cx, loser);
	return winner;
}

sheaf_status sheaf_cntk_locate(const sheaf_cntk *c, char *path, char **out)
{
	char *other;
	*out = path;
	if (exists(path)) return SHEAF_OK;
	*out = NULL;
	sheaf_status status = sheaf_copy_text(c->cx, path, strlen(path), &other, c->err);
	if (status == SHEAF_OK) {
		turn_slashes(other);
		if (exists(other)) {
			*out = take(c, other, path);
			return SHEAF_OK;
		}
		sheaf_release_text(c->cx, other);
		status = beside(c, path, &other);
	}
	if (status) {
		sheaf_release_text(c->cx, path);
		return status;
	}
	*out = exists(other) ? take(c, other, path) : take(c, path, other);
	return SHEAF_OK;
}
