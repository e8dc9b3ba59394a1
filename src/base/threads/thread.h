/* SPDX-License-Identifier: MIT */
/* Threads, locks and signals: only thread.c knows those of the system. */
#ifndef SHEAF_BASE_THREADS_THREAD_H
#define SHEAF_BASE_THREADS_THREAD_H

#include <pthread.h>
#include <sheaf/base.h>

typedef struct sheaf_mutex {
	pthread_mutex_t it;
} sheaf_mutex;

/* What threads wait for while they hold a mutex, which is released meanwhile. */
typedef struct sheaf_signal {
	pthread_cond_t it;
} sheaf_signal;

typedef struct sheaf_thread {
	pthread_t it;
} sheaf_thread;

/* errno, or 0. */
int sheaf_mutex_init(sheaf_mutex *mutex);
void sheaf_mutex_destroy(sheaf_mutex *mutex);
void sheaf_mutex_lock(sheaf_mutex *mutex);
void sheaf_mutex_unlock(sheaf_mutex *mutex);

/* errno, or 0. */
int sheaf_signal_init(sheaf_signal *signal);
void sheaf_signal_destroy(sheaf_signal *signal);
void sheaf_signal_wait(sheaf_signal *signal, sheaf_mutex *mutex);
void sheaf_signal_one(sheaf_signal *signal);
void sheaf_signal_all(sheaf_signal *signal);

/* A thread that receives none of the process's signals: a program's handlers run on its own threads. False if
 * the system refuses it. */
bool sheaf_thread_start(sheaf_thread *thread, void *(*run)(void *user), void *user);
void sheaf_thread_join(sheaf_thread *thread);
/* The number of threads that can run at once here. */
int sheaf_thread_cores(void);

#endif
