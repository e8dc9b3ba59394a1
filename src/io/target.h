/* SPDX-License-Identifier: MIT */
/* The file of a sink. A regular one is written under a temporary name beside the resolved target and renamed
 * at commit; everything else is written directly. */
#ifndef SHEAF_IO_TARGET_H
#define SHEAF_IO_TARGET_H

#include <limits.h>
#include <sheaf/base.h>
#include <sys/stat.h>

/* Temporaries begin with this. Their writer holds a lock on them, so one without a lock is a leftover. */
#define SHEAF_TEMPORARY_PREFIX ".sheaf-"
enum { SHEAF_TEMPORARY_SIZE = sizeof SHEAF_TEMPORARY_PREFIX + 6 };

typedef struct sheaf_target {
	sheaf_context *cx;
	const char *name; /* of the sink, for messages */
	int fd;
	bool is_owned; /* standard output stays open */
	int folder;    /* of the resolved target; -1: written directly */
	char base[NAME_MAX + 1];
	char temporary[SHEAF_TEMPORARY_SIZE];
	int live;               /* its index in the table of temporaries (live.h) */
	int lock;               /* of a sealed temporary: a second descriptor, which keeps its lock; else -1 */
	int64_t written, begun; /* bytes written; bytes that were already sent to the disk */
	bool is_there;          /* the target exists, and this is its state: */
	struct stat old;
	bool is_clone; /* began as a copy of that file, which must not change */
	bool is_tree;  /* the temporary is a folder, whose descriptor is fd */
	bool keeps;    /* an existing file is not replaced */
} sheaf_target;

/* `keeps`: as in the struct. */
SHEAF_USE sheaf_status sheaf_target_open(sheaf_target *target, const char *path, const char *name, bool keeps,
                                         sheaf_context *cx, sheaf_error *err);
/* USAGE if a regular file already exists. */
SHEAF_USE sheaf_status sheaf_target_check_path(const char *path, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_target_write(sheaf_target *target, const void *data, size_t size,
                                          sheaf_error *err);
/* Writes bytes of another file, from *at on, as far as the system copies between such files; advances *at and
 * reduces *size accordingly. */
SHEAF_USE sheaf_status sheaf_target_copy(sheaf_target *target, int from, int64_t *at, int64_t *size,
                                         sheaf_error *err);
/* The content is whole: it is synced and closed, and waits to be renamed. A file that is written directly is
 * then done. */
SHEAF_USE sheaf_status sheaf_target_seal(sheaf_target *target, sheaf_error *err);
/* Whether a file that must not be replaced has appeared in its place. */
SHEAF_USE sheaf_status sheaf_target_check_free(const sheaf_target *target, sheaf_error *err);
/* Renames a sealed file; the folder is not synced yet. */
SHEAF_USE sheaf_status sheaf_target_place(sheaf_target *target, sheaf_error *err);
/* Renames it and syncs the folder. */
SHEAF_USE sheaf_status sheaf_target_finish(sheaf_target *target, sheaf_error *err);
void sheaf_target_abandon(sheaf_target *target);

/* Sends what was written at offsets to the disk while the rest is made. */
void sheaf_target_write_back(sheaf_target *target, int64_t offset, int64_t size);

/* In clone.c: */

/* Fills the new file with the contents of the old one. */
SHEAF_USE sheaf_status sheaf_target_clone(sheaf_target *target, sheaf_error *err);
/* Whether the old file is still as it was when it was copied; OK if nothing was copied. */
SHEAF_USE sheaf_status sheaf_target_check_clone(const sheaf_target *target, sheaf_error *err);

/* In temporary.c: */

/* Creates and locks target->temporary in target->folder, and opens it as target->fd. */
SHEAF_USE sheaf_status sheaf_temporary_create(sheaf_target *target, sheaf_error *err);
/* The same for a folder instead of the file: files are put into it by their paths (tree.h). UNSUPPORTED if
 * the target is written directly. */
SHEAF_USE sheaf_status sheaf_temporary_make_tree(sheaf_target *target, sheaf_error *err);
/* Finishes sets (set.h) and removes the unlocked temporaries in the folder: their writers are gone. */
SHEAF_USE sheaf_status sheaf_temporary_clean(int folder, sheaf_context *cx, sheaf_error *err);
/* Whether a name is one of ours. */
bool sheaf_temporary_is_name(const char *name);

#endif
