/* SPDX-License-Identifier: MIT */
/* Pairs of places in a text and in its file. */
#include "io/places.h"
#include "base/memory.h"
#include <string.h>

enum { MOST = (int)(sizeof((sheaf_places *)0)->known / sizeof *((sheaf_places *)0)->known) };

sheaf_status sheaf_places_new(sheaf_context *cx, sheaf_places **out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(cx, sizeof **out, out, err));
	int sys = sheaf_mutex_init(&(*out)->lock);
	if (sys == 0) return SHEAF_OK;
	sheaf_release(cx, *out, sizeof **out);
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

void sheaf_places_add(sheaf_places *p, int64_t text, int64_t stored)
{
	sheaf_mutex_lock(&p->lock);
	if (p->count == 0 || text - p->known[p->count - 1].text > (p->is_spread ? p->distance : 0)) {
		if (p->count == MOST && p->is_spread) {
			/* Every second pair goes, and from now on pairs come in twice the distance. */
			for (int i = 0; i < MOST / 2; i++) p->known[i] = p->known[2 * i];
			p->count = MOST / 2;
			p->distance = p->known[1].text - p->known[0].text;
		} else if (p->count == MOST) {
			memmove(p->known, p->known + 1, sizeof *p->known * (size_t)--p->count); /* the oldest goes */
		}
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
