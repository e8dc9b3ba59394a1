/* SPDX-License-Identifier: MIT */
/* Signals: the first interrupt stops the work so that nothing half-made is left; a second one kills. */
#include "cli.h"
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic(sheaf_context *) watched[MAX_INPUTS];
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
	for (int i = 0; i < MAX_INPUTS; i++) {
		sheaf_context *cx = atomic_load(&watched[i]);
		if (cx) sheaf_context_stop(cx);
	}
}

/* A mapped file became shorter while it was read. The read cannot be resumed, so the process ends. */
static void on_bus_error(int signal)
{
	static const char text[] = "sheaf: error: a file that is being read was truncated by another program\n";
	(void)signal;
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	sheaf_remove_temporaries();
	_exit(EXIT_IO);
}

/* Without SA_RESTART, so that a read that waits for a pipe returns. Signals that the parent has disabled stay
 * disabled. */
static void handle(int number, void (*handler)(int), bool once)
{
	struct sigaction before, action = {.sa_handler = handler, .sa_flags = once ? (int)SA_RESETHAND : 0};
	sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
	sigaction(number, &action, NULL);
}

void signals_begin(void)
{
	handle(SIGINT, on_interrupt, true);
	handle(SIGTERM, on_interrupt, true);
	handle(SIGHUP, on_interrupt, true);
	handle(SIGBUS, on_bus_error, false);
	/* These become errors of write, which clean up. */
	handle(SIGPIPE, SIG_IGN, false);
	handle(SIGXFSZ, SIG_IGN, false);
}

void signals_watch(int slot, sheaf_context *cx)
{
	atomic_store(&watched[slot], cx);
	if (interrupted) sheaf_context_stop(cx);
}

void signals_forget(int slot) { atomic_store(&watched[slot], NULL); }

bool was_interrupted(void) { return interrupted; }

void die_of_broken_pipe(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t set;
	sigaction(SIGPIPE, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
}
