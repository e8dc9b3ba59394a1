/* SPDX-License-Identifier: MIT */
/* Folders that are datasets, as a whole. No link in them is followed. */
#ifndef SHEAF_IO_TREE_H
#define SHEAF_IO_TREE_H

#include "io/target.h"

/* The files one of which describes such a folder; NULL after the last one. */
extern const char *const sheaf_tree_heads[];
/* Whether there is such a folder at a path. */
bool sheaf_tree_is_there(const char *path);

/* A new file in the folder of a target, at a path whose folders are created as needed. */
SHEAF_USE sheaf_status sheaf_tree_put(const sheaf_target *target, const char *path, sheaf_bytes bytes,
                                      sheaf_error *err);
/* Syncs everything in it, and the folder. Returns errno, or 0. */
int sheaf_tree_sync(int folder);
/* Removes the folder of this name with everything in it; returns the same. */
int sheaf_tree_remove(int above, const char *name);
/* The size of all files in it; -1 if it cannot be listed. */
int64_t sheaf_tree_bytes(int folder);

#endif
