/* SPDX-License-Identifier: MIT */
/* Folders that are datasets, as a whole. No link in them is followed. */
#ifndef SHEAF_IO_TREE_H
#define SHEAF_IO_TREE_H

#include "io/target.h"

/* The files of which one says what such a folder is; NULL after the last one. */
extern const char *const sheaf_tree_heads[];
/* Whether there is such a folder at a path. */
bool sheaf_tree_is_there(const char *path);

/* A new file in the folder that a target is, at a path whose folders are made where needed. */
SHEAF_USE sheaf_status sheaf_tree_put(const sheaf_target *target, const char *path, sheaf_bytes bytes,
                                      sheaf_error *err);
/* Syncs all in it, and it. Gives errno, or 0. */
int sheaf_tree_sync(int folder);
/* Takes away the folder of this name with all in it; the same. */
int sheaf_tree_remove(int above, const char *name);
/* Bytes of all files in it; -1 where it cannot be gone through. */
int64_t sheaf_tree_bytes(int folder);

#endif
