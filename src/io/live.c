/* SPDX-License-Identifier: MIT */
/* The temporaries of this process, where a signal handler can find them: a fixed table, since a handler may
 * neither wait for a lock nor follow what another thread is changing. */
#include "io/live.h"
#include <sheaf/io.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1024, FREE = 0, CHANGING, LIVE };

static struct {
	atomic_int state;
	int folder;
	char name[SHEAF_TEMPORARY_SIZE];
} live[ROOM];

int sheaf_live_add(int folder, const char name[SHEAF_TEMPORARY_SIZE])
{
	for (int i = 0; i < ROOM; i++) {
		int expected = FREE;
		if (!atomic_compare_exchange_strong(&live[i].state, &expected, CHANGING)) continue;
		live[i].folder = folder;
		memcpy(live[i].name, name, SHEAF_TEMPORARY_SIZE);
		atomic_store(&live[i].state, LIVE);
		return i;
	}
	return SHEAF_NOT_LIVE;
}

void sheaf_live_remove(int *slot)
{
	if (*slot != SHEAF_NOT_LIVE) atomic_store(&live[*slot].state, FREE);
	*slot = SHEAF_NOT_LIVE;
}

/* A folder gets its files after the input has been read; one that has some is left to the next run. */
void sheaf_remove_temporaries(void)
{
	for (int i = 0; i < ROOM; i++)
		if (atomic_load(&live[i].state) == LIVE && unlinkat(live[i].folder, live[i].name, 0) != 0)
			unlinkat(live[i].folder, live[i].name, AT_REMOVEDIR);
}
