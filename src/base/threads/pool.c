/* SPDX-License-Identifier: MIT */
/* Threads come and go with their context; what they do is in pipeline.c. */
#include "base/threads/pool.h"

int sheaf_pool_init(sheaf_pool *pool, int threads)
{
	if (threads < 1) threads = sheaf_thread_cores();
	if (threads > SHEAF_MOST_THREADS) threads = SHEAF_MOST_THREADS;
	pool->wanted = threads - 1;
	int sys = sheaf_mutex_init(&pool->lock);
	if (sys) return sys;
	sys = sheaf_signal_init(&pool->work);
	if (!sys && (sys = sheaf_signal_init(&pool->done))) sheaf_signal_destroy(&pool->work);
	if (sys) sheaf_mutex_destroy(&pool->lock);
	return sys;
}

void sheaf_pool_destroy(sheaf_pool *pool)
{
	sheaf_mutex_lock(&pool->lock);
	pool->closing = true;
	sheaf_signal_all(&pool->work);
	sheaf_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->started; i++) sheaf_thread_join(&pool->threads[i]);
	sheaf_signal_destroy(&pool->done);
	sheaf_signal_destroy(&pool->work);
	sheaf_mutex_destroy(&pool->lock);
}
