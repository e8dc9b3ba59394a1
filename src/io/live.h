/* SPDX-License-Identifier: MIT */
/* The files that sheaf_remove_temporaries removes. */
#ifndef SHEAF_IO_LIVE_H
#define SHEAF_IO_LIVE_H

#include "io/target.h"

enum { SHEAF_NOT_LIVE = -1 };

/* Registers a temporary in an open folder; SHEAF_NOT_LIVE if the table is full. Any thread. */
int sheaf_live_add(int folder, const char name[SHEAF_TEMPORARY_SIZE]);
/* The name is gone, or is about to be changed. Call it before the folder is closed. */
void sheaf_live_remove(int *slot);

#endif
