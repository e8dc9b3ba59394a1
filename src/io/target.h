/* SPDX-License-Identifier: MIT */
/* The file after a sink. A regular one is written under a temporary name beside the resolved target and
 * takes its place at commit; everything else is written directly. */
#ifndef SHEAF_IO_TARGET_H
#define SHEAF_IO_TARGET_H

#include <limits.h>
#include <sheaf/base.h>
#include <sys/stat.h>

/* Temporaries begin with this. Whoever writes one holds a lock on it, so one without a lock is a leftover. */
#define SHEAF_TEMPORARY_PREFIX ".sheaf-"
enum { SHEAF_TEMPORARY_SIZE = sizeof SHEAF_TEMPORARY_PREFIX + 6 };

typedef struct sheaf_target {
	sheaf_context *cx;
	const char *name; /* the sink's, for messages */
	int fd;
	bool is_owned; /* standard output stays open */
	int folder;    /* of the resolved target; -1: written directly */
	char base[NAME_MAX + 1];
	char temporary[SHEAF_TEMPORARY_SIZE];
	int live;               /* its place in the table of temporaries (live.h) */
	int lock;               /* of a sealed temporary: a second descriptor, which keeps its lock; else -1 */
	int64_t written, begun; /* bytes; those that are on their way to the disk */
	bool is_there;          /* the target exists, and this is how it looks: */
	struct stat old;
	bool is_clone;   /* began as a copy of that one, which must stay as it looks */
	bool is_relaxed; /* nothing is synced */
	bool is_tree;    /* the temporary is a folder, whose descriptor is fd */
	bool keeps;      /* a file that is there is not replaced */
} sheaf_target;

/* `keeps`: as in the struct. */
SHEAF_USE sheaf_status sheaf_target_open(sheaf_target *target, const char *path, const char *name, bool keeps,
                                         sheaf_context *cx, sheaf_error *err);
/* USAGE where a regular file is there already. */
SHEAF_USE sheaf_status sheaf_target_check_path(const char *path, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_target_write(sheaf_target *target, const void *data, size_t size,
                                          sheaf_error *err);
/* Writes bytes of another file, from *at on, as far as the system copies between such files; moves *at and
 * shortens *size by what is done. */
SHEAF_USE sheaf_status sheaf_target_copy(sheaf_target *target, int from, int64_t *at, int64_t *size,
                                         sheaf_error *err);
/* The content is whole: it is synced and closed, and waits for its place. What is written directly is done.
 */
SHEAF_USE sheaf_status sheaf_target_seal(sheaf_target *target, sheaf_error *err);
/* Whether a file that must not be replaced has come into its place. */
SHEAF_USE sheaf_status sheaf_target_check_free(const sheaf_target *target, sheaf_error *err);
/* Puts a sealed file in its place; the folder is not synced yet. */
SHEAF_USE sheaf_status sheaf_target_place(sheaf_target *target, sheaf_error *err);
/* Places it and syncs the folder. */
SHEAF_USE sheaf_status sheaf_target_finish(sheaf_target *target, sheaf_error *err);
void sheaf_target_abandon(sheaf_target *target);

/* Has what was written there by offset go to the disk while the rest is made. */
void sheaf_target_write_back(sheaf_target *target, int64_t offset, int64_t size);

/* In clone.c: */

/* Fills the new file with what the old one holds. */
SHEAF_USE sheaf_status sheaf_target_clone(sheaf_target *target, sheaf_error *err);
/* Whether the old file is what was copied, still; OK where nothing was. */
SHEAF_USE sheaf_status sheaf_target_check_clone(const sheaf_target *target, sheaf_error *err);

/* In temporary.c: */

/* Creates and locks target->temporary in target->folder, and opens it as target->fd. */
SHEAF_USE sheaf_status sheaf_temporary_create(sheaf_target *target, sheaf_error *err);
/* The same for a folder, in place of the file: what goes into it is put there by its path (tree.h).
 * UNSUPPORTED where the target is written directly. */
SHEAF_USE sheaf_status sheaf_temporary_make_tree(sheaf_target *target, sheaf_error *err);
/* Finishes sets (set.h) and removes the temporaries in the folder that nobody has locked: their writers are
 * gone. */
SHEAF_USE sheaf_status sheaf_temporary_clean(int folder, sheaf_context *cx, sheaf_error *err);
/* Whether a name is one that we give. */
bool sheaf_temporary_is_name(const char *name);

#endif
