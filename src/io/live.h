/* SPDX-License-Identifier: MIT */
/* What sheaf_remove_temporaries removes. */
#ifndef SHEAF_IO_LIVE_H
#define SHEAF_IO_LIVE_H

#include "io/target.h"

enum { SHEAF_NOT_LIVE = -1 };

/* Notes a temporary in an open folder; SHEAF_NOT_LIVE where the table is full. Any thread. */
int sheaf_live_add(int folder, const char name[SHEAF_TEMPORARY_SIZE]);
/* The name is gone, or about to become another. Before the folder is closed. */
void sheaf_live_remove(int *slot);

#endif
