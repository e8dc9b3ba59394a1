/* SPDX-License-Identifier: MIT */
/* Finding the file of a reader. Configurations are moved around, mostly from Windows, and the paths in them
 * rarely still hold. So a path that leads nowhere is tried again: by its last name, in the folder of the
 * configuration. */
#include "base/extend.h"
#include "base/memory.h"
#include "cntk/config.h"
#include <string.h>
#include <unistd.h>

static bool exists(const char *path) { return access(path, F_OK) == 0; }

/* *out becomes the path of a file beside the configuration: the folder of the configuration, and the last
 * name of `path`, which may be in the style of Windows. The caller owns it. */
static sheaf_status beside(const sheaf_cntk *c, const char *path, char **out)
{
	const char *name = path, *slash = strrchr(c->file, '/');
	size_t folder = slash ? (size_t)(slash + 1 - c->file) : 0;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = c->cx};
	for (const char *at = path; *at; at++)
		if (*at == '/' || *at == '\\') name = at + 1;
	sheaf_builder_append(&b, c->file, folder);
	sheaf_builder_text(&b, name);
	SHEAF_TRY(sheaf_builder_status(&b, c->err));
	return sheaf_copy_text(c->cx, (const char *)b.data, b.size, out, c->err);
}

/* The caller gives away `path`, and owns *out afterwards: `path` itself, or the text that replaces it, while
 * the one that is not needed is freed here. On failure *out is NULL, and `path` is freed as well. */
sheaf_status sheaf_cntk_locate(const sheaf_cntk *c, char *path, char **out)
{
	char *other;
	*out = path;
	if (exists(path)) return SHEAF_OK;
	*out = NULL;
	sheaf_status status = sheaf_copy_text(c->cx, path, strlen(path), &other, c->err);
	for (char *at = other; status == SHEAF_OK && *at; at++)
		if (*at == '\\') *at = '/';
	if (status == SHEAF_OK && !exists(other)) {
		sheaf_release_text(c->cx, other);
		status = beside(c, path, &other);
	}
	if (status) {
		sheaf_release_text(c->cx, path);
		return status;
	}
	/* A path that leads nowhere stays as it is written, so that the message of whoever opens it names it. */
	bool found = exists(other);
	*out = found ? other : path;
	sheaf_release_text(c->cx, found ? path : other);
	return SHEAF_OK;
}
