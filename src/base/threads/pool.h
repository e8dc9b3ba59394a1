/* SPDX-License-Identifier: MIT */
/* The threads of a context. */
#ifndef SHEAF_BASE_THREADS_POOL_H
#define SHEAF_BASE_THREADS_POOL_H

#include "base/threads/thread.h"

enum { SHEAF_MOST_THREADS = 128 };

/* The threads of a context, which all its pipelines share. They start when there is work for them. */
typedef struct sheaf_pool {
	sheaf_mutex lock;                 /* guards what follows, and all pipelines */
	sheaf_signal work, done;          /* there may be a step to do; a step was done */
	struct sheaf_pipeline *pipelines; /* the newest first: work closest to completion is done first */
	sheaf_thread threads[SHEAF_MOST_THREADS];
	int wanted, started; /* threads in addition to the caller's */
	bool closing;
} sheaf_pool;

/* `threads`: how many may work at once, including the caller's; below 1: one for each core. Returns errno, or
 * 0. */
int sheaf_pool_init(sheaf_pool *pool, int threads);
void sheaf_pool_destroy(sheaf_pool *pool);

#endif
