/* SPDX-License-Identifier: MIT */
/* Pairs of places in a text and in its file. */
#include "io/places.h"
#include "base/memory.h"
#include <string.h>

enum { MOST = (int)(sizeof((sheaf_places *)0)->known / sizeof *((sheaf_places *)0)->known) };

sheaf_status sheaf_places_new(sheaf_context *cx, sheaf_places **out, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_places), &memory, err));
	*out = (sheaf_places *)memory;
	int sys = sheaf_mutex_init(&(*out)->lock);
	if (sys == 0) return SHEAF_OK;
	sheaf_release(cx, memory, sizeof(sheaf_places));
	*out = NULL;
	return sheaf_fail_sys(err, sys, "expected a lock");
}

void sheaf_places_free(sheaf_places *p, sheaf_context *cx)
{
	if (!p) return;
	sheaf_mutex_destroy(&p->lock);
	sheaf_release(cx, p, sizeof *p);
}

void sheaf_places_clear(sheaf_places *p, bool is_spread)
{
	sheaf_mutex_lock(&p->lock);
	p->count = 0;
	p->distance = 0;
	p->is_spread = is_spread;
	sheaf_mutex_unlock(&p->lock);
}

/* If there are too many, every second one of those that are spread goes, else the oldest. */
static void make_room(sheaf_places *p)
{
	if (p->count < MOST) return;
	if (!p->is_spread) {
		memmove(p->known, p->known + 1, sizeof *p->known * (size_t)--p->count);
		return;
	}
	for (int i = 0; i < MOST / 2; i++) p->known[i] = p->known[2 * i];
	p->count = MOST / 2;
	p->distance = p->known[1].text - p->known[0].text;
}

void sheaf_places_add(sheaf_places *p, int64_t text, int64_t stored)
{
	sheaf_mutex_lock(&p->lock);
	if (p->count == 0 || text - p->known[p->count - 1].text > (p->is_spread ? p->distance : 0)) {
		make_room(p);
		p->known[p->count++] = (struct sheaf_place_pair){text, stored};
	}
	sheaf_mutex_unlock(&p->lock);
}

bool sheaf_places_find(sheaf_places *p, int64_t text, struct sheaf_place_pair *out)
{
	sheaf_mutex_lock(&p->lock);
	int i = p->count;
	while (i > 0 && p->known[i - 1].text > text) i--;
	if (i > 0) *out = p->known[i - 1];
	sheaf_mutex_unlock(&p->lock);
	return i > 0;
}
