/* SPDX-License-Identifier: MIT */
/* A look at all of an input before it is read: what nobody declared is inferred from it. All threads look at
 * pieces of the input, and what the pieces show is put together in their order. */
#ifndef SHEAF_BASE_THREADS_LOOK_H
#define SHEAF_BASE_THREADS_LOOK_H

#include <sheaf/base.h>
#include <stddef.h>

/* The memory of a piece is the caller's, `size` bytes that begin as zeros. */
typedef struct sheaf_look {
	size_t size;
	/* Forgets what pieces have shown, and goes to the beginning of the input. */
	sheaf_status (*begin)(void *user, sheaf_error *err);
	/* Fills in the next piece, or END. */
	sheaf_status (*cut)(void *user, void *piece, sheaf_error *err);
	/* Finds what the piece shows, on any thread. NULL: `add` does. */
	sheaf_status (*see)(void *user, void *piece, sheaf_error *err);
	/* Adds that to what the pieces before it have shown. */
	sheaf_status (*add)(void *user, void *piece, sheaf_error *err);
	/* Releases what a piece holds, which may be nothing. */
	void (*drop)(void *user, void *piece);
	void *user;
} sheaf_look;

/* If memory is too small for several pieces, begins again with one at a time. A cut that fails is reported
 * once all pieces before it are added. */
SHEAF_USE sheaf_status sheaf_look_at_all(const sheaf_look *look, sheaf_context *cx, sheaf_error *err);

#endif
