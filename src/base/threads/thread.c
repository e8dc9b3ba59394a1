/* SPDX-License-Identifier: MIT */
/* Threads of the system. */
#include "base/threads/thread.h"
#include <sched.h>
#include <signal.h>
#include <unistd.h>

int sheaf_mutex_init(sheaf_mutex *mutex) { return pthread_mutex_init(&mutex->it, NULL); }
void sheaf_mutex_destroy(sheaf_mutex *mutex) { pthread_mutex_destroy(&mutex->it); }
void sheaf_mutex_lock(sheaf_mutex *mutex) { pthread_mutex_lock(&mutex->it); }
void sheaf_mutex_unlock(sheaf_mutex *mutex) { pthread_mutex_unlock(&mutex->it); }

int sheaf_signal_init(sheaf_signal *signal) { return pthread_cond_init(&signal->it, NULL); }
void sheaf_signal_destroy(sheaf_signal *signal) { pthread_cond_destroy(&signal->it); }
void sheaf_signal_wait(sheaf_signal *signal, sheaf_mutex *mutex)
{
	pthread_cond_wait(&signal->it, &mutex->it);
}
void sheaf_signal_one(sheaf_signal *signal) { pthread_cond_signal(&signal->it); }
void sheaf_signal_all(sheaf_signal *signal) { pthread_cond_broadcast(&signal->it); }

/* Signals of a fault are not blocked: they go to the thread that caused it. */
static void list_signals(sigset_t *set)
{
	sigfillset(set);
	sigdelset(set, SIGBUS);
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGFPE);
	sigdelset(set, SIGILL);
}

bool sheaf_thread_start(sheaf_thread *thread, void *(*run)(void *user), void *user)
{
	sigset_t blocked, before;
	list_signals(&blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	bool started = pthread_create(&thread->it, NULL, run, user) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void sheaf_thread_join(sheaf_thread *thread) { pthread_join(thread->it, NULL); }

int sheaf_thread_cores(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (int)n : 1;
}
