/* SPDX-License-Identifier: MIT */
/* The threads of a context. */
#ifndef SHEAF_BASE_POOL_H
#define SHEAF_BASE_POOL_H

#include "base/thread.h"

enum { SHEAF_MOST_THREADS = 128 };

/* The threads of a context, which all its pipelines share. They start when there is work for them. */
typedef struct sheaf_pool {
	sheaf_mutex lock;        /* of what follows, and of all pipelines */
	sheaf_signal work, done; /* there may be a step to do; one was done */
	struct sheaf_pipeline
		*pipelines; /* the newest first: what is nearest to the end of the way is done first */
	sheaf_thread threads[SHEAF_MOST_THREADS];
	int wanted, started; /* threads besides the caller's */
	bool closing;
} sheaf_pool;

/* `threads`: how many may work at once, the caller's included; below 1: as many as there are cores. errno, or
 * 0. */
int sheaf_pool_init(sheaf_pool *pool, int threads);
void sheaf_pool_destroy(sheaf_pool *pool);

#endif
