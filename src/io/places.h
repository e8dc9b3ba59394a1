/* SPDX-License-Identifier: MIT */
/* Where in a file the bytes of a text are that was decoded from another encoding: for messages. */
#ifndef SHEAF_IO_PLACES_H
#define SHEAF_IO_PLACES_H

#include "base/threads/thread.h"

/* Bytes of the text whose places in the file are known, in ascending order. Readers count from where a piece
 * begins, so these are the beginnings of the last pieces. If the text was copied to a temporary file, any
 * other byte can be found by counting from one before it, so these are bytes of the whole text in about equal
 * distances. */
typedef struct sheaf_places {
	sheaf_mutex lock;
	bool is_spread;
	int64_t distance;
	int count;
	struct sheaf_place_pair {
		int64_t text, stored;
	} known[1024];
} sheaf_places;

SHEAF_USE sheaf_status sheaf_places_new(sheaf_context *cx, sheaf_places **out, sheaf_error *err);
void sheaf_places_free(sheaf_places *places, sheaf_context *cx);
/* Forgets all pairs; from now on they are spread over the text, or not. */
void sheaf_places_clear(sheaf_places *places, bool is_spread);
/* Adds a pair, which is after the pairs before. */
void sheaf_places_add(sheaf_places *places, int64_t text, int64_t stored);
/* The last pair that is not after the byte `text`; false if there is none. */
bool sheaf_places_find(sheaf_places *places, int64_t text, struct sheaf_place_pair *out);

#endif
