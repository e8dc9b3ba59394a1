/* SPDX-License-Identifier: MIT */
/* The program that has libhdf5, as a child of this process: started, used, and ended. Whatever it does, the
 * caller continues: it may die, fall silent or send nonsense, and each is an error that sticks. */
#ifndef SHEAF_BOX_PROCESS_H
#define SHEAF_BOX_PROCESS_H

#include "base/buffer.h"
#include "box/libhdf5/protocol.h"
#include <sys/types.h>

typedef struct sheaf_process {
	sheaf_context *cx;
	const char *name; /* of the file, for messages */
	int fd;           /* -1: it has ended */
	pid_t pid, owner;
	sheaf_error failure; /* why it has ended */
} sheaf_process;

/* Seconds that it may be silent, and CPU time for a request; less in tests. */
extern int sheaf_process_seconds;

/* Starts the program and waits for its greeting. UNSUPPORTED if it is not installed, or cannot be used. */
SHEAF_USE sheaf_status sheaf_process_start(sheaf_process *p, const char *name, sheaf_context *cx,
                                           sheaf_error *err);
void sheaf_process_end(sheaf_process *p);
/* A message of two parts. */
SHEAF_USE sheaf_status sheaf_process_say(sheaf_process *p, sheaf_hdf5_word word, sheaf_bytes head,
                                         sheaf_bytes rest);
/* The next message, replacing the contents of *out. */
SHEAF_USE sheaf_status sheaf_process_hear(sheaf_process *p, sheaf_hdf5_word *word, sheaf_builder *out);
/* Ends it for this reason. */
SHEAF_USE sheaf_status sheaf_process_fail(sheaf_process *p, sheaf_status status, const char *expected,
                                          const char *found);

#endif
