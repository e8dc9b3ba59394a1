/* SPDX-License-Identifier: MIT */
/* Several files that appear together. No system renames several files at once, so a list of them,
 * ".sheaf-set-*", is beside them meanwhile: whoever finds a list whose writer has died finishes the set. */
#ifndef SHEAF_IO_SET_H
#define SHEAF_IO_SET_H

#include "io/sink.h"

/* Commits all sinks, and closes them in any case. Files of one folder are replaced all or not at all, even if
 * the process is killed: the next sink that is opened in that folder finishes the set. */
SHEAF_USE sheaf_status sheaf_sinks_commit(sheaf_sink **sinks, int n, sheaf_error *err);

/* Whether a file of this name is the list of a set. */
bool sheaf_set_is_name(const char *name);
/* Whether any such file of this user is in the folder. */
bool sheaf_set_is_there(int folder);
/* If the writer of this set has died, finishes it, unless no file was replaced yet, or another program has
 * changed one since. A WARNING reports that. */
SHEAF_USE sheaf_status sheaf_set_recover(int folder, const char *name, sheaf_context *cx, sheaf_error *err);

#endif
