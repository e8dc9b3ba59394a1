/* SPDX-License-Identifier: MIT */
/* Where the index of a file is: beside it, else in the user's cache folder under a name made from the
 * file's. */
#include "base/memory.h"
#include "base/third/xxhash.h"
#include "dataset/index/index.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Copies a path that snprintf has written into *out, unless n, what it returned, says that it was too long
 * (PATH_MAX): the place stays NULL then. */
static sheaf_status put_place(const char *text, int n, sheaf_context *cx, char **out, sheaf_error *err)
{
	return n > 0 && n < PATH_MAX ? sheaf_copy_text(cx, text, (size_t)n, out, err) : SHEAF_OK;
}

/* Finds where the index of a file may be. The cache is $XDG_CACHE_HOME, else ~/.cache, as in the XDG base
 * directory specification: relative paths are ignored. An index there is named by the hash of the input's
 * whole path. */
sheaf_status sheaf_index_find_places(const char *path, sheaf_context *cx, char *places[SHEAF_INDEX_PLACES],
                                     sheaf_error *err)
{
	char resolved[PATH_MAX], text[PATH_MAX];
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *subfolder = "";
	if (!realpath(path, resolved))
		return sheaf_fail_sys(err, errno, "%s: expected a path that can be followed", path);
	SHEAF_TRY(put_place(text, snprintf(text, sizeof text, "%s%s", resolved, SHEAF_INDEX_SUFFIX), cx,
	                    &places[0], err));
	if (!cache || cache[0] != '/') {
		cache = home;
		subfolder = "/.cache";
	}
	if (!cache || cache[0] != '/') return SHEAF_OK;
	sheaf_digest name = sheaf_xxhash(resolved, strlen(resolved), 0);
	return put_place(text,
	                 snprintf(text, sizeof text, "%s%s/sheaf/%016" PRIx64 "%016" PRIx64 "%s", cache,
	                          subfolder, name.high, name.low, SHEAF_INDEX_SUFFIX),
	                 cx, &places[1], err);
}

/* Whether an index can be opened at a path: a file, but neither a link nor a pipe. Where the system does
 * not say, whoever opens it will report the error. */
bool sheaf_index_is_file(const char *path)
{
	struct stat info;
	if (!path) return false;
	if (lstat(path, &info) == 0) return S_ISREG(info.st_mode);
	return errno != ENOENT && errno != ENOTDIR; /* whoever opens it will report the error */
}

bool sheaf_index_is_free(const char *path)
{
	struct stat info;
	return lstat(path, &info) != 0 && errno == ENOENT;
}

/* Creates all folders above a path, one by one from the root. A failure is not reported: whoever writes
 * there will meet it. */
void sheaf_index_make_folder(const char *place)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", place);
	char *last = strrchr(folder, '/');
	for (char *slash = folder + 1; last && slash <= last && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		int made = mkdir(folder, S_IRWXU);
		*slash = '/';
		if (made != 0 && errno != EEXIST) return; /* whoever writes there will report it */
	}
}
