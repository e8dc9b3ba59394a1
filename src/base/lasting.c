/* SPDX-License-Identifier: MIT */
/* A table that only grows: each place is written once and read without a lock. */
#include "base/lasting.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 512, SIZE = 64 };
enum { FREE, WRITING, READY };

static char texts[PLACES][SIZE];
static _Atomic int states[PLACES];

static const char *take(int i, const char *text)
{
	snprintf(texts[i], SIZE, "%s", text);
	atomic_store_explicit(&states[i], READY, memory_order_release);
	return texts[i];
}

const char *sheaf_lasting_text(const char *text)
{
	if (!text) return NULL;
	for (int i = 0; i < PLACES; i++) {
		int state = FREE;
		if (atomic_compare_exchange_strong(&states[i], &state, WRITING)) return take(i, text);
		/* Two threads may write the same text into two places: either will do. */
		if (atomic_load_explicit(&states[i], memory_order_acquire) == READY &&
		    strncmp(texts[i], text, SIZE - 1) == 0)
			return texts[i];
	}
	return "other";
}
