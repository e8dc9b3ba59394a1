/* SPDX-License-Identifier: MIT */
/* The addresses of what is open, in a table in which each is looked for from its hash on. A place that
 * becomes free is used again, so a search that finds nothing has seen the whole table; only calls after a
 * close come to that. What the table has no place for is only counted, and believed to be open. */
#include "base/handle.h"
#include <stdatomic.h>
#include <stddef.h>

enum { PLACES = 1024 };

static const void *_Atomic places[PLACES];
static atomic_long without_place;

static size_t hash(const void *handle)
{
	return (size_t)((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
}

/* Puts `now` into the first place from the hash on that holds `before`. */
static bool exchange(const void *handle, const void *before, const void *now)
{
	for (size_t i = 0, at = hash(handle); i < PLACES; i++, at = (at + 1) % PLACES) {
		const void *held = before;
		if (atomic_load(&places[at]) == before && atomic_compare_exchange_strong(&places[at], &held, now))
			return true;
	}
	return false;
}

void sheaf_handle_open(const void *handle)
{
	if (!exchange(handle, NULL, handle)) atomic_fetch_add(&without_place, 1);
}

bool sheaf_handle_is_open(const void *handle)
{
	for (size_t i = 0, at = hash(handle); i < PLACES; i++, at = (at + 1) % PLACES)
		if (atomic_load(&places[at]) == handle) return true;
	return atomic_load(&without_place) > 0;
}

bool sheaf_handle_close(const void *handle)
{
	if (exchange(handle, handle, NULL)) return true;
	long left = atomic_load(&without_place);
	while (left > 0)
		if (atomic_compare_exchange_weak(&without_place, &left, left - 1)) return true;
	return false;
}

sheaf_status sheaf_not_open(const char *function, const char *what, sheaf_error *err)
{
	return sheaf_misuse(err, function, "expected %s, found one that was closed", what);
}
