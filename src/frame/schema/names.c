/* SPDX-License-Identifier: MIT */
/* A hash table of names, open addressing, at most half full: a slot has the number of a name, plus 1, and a
 * name that finds its slot taken goes to the next one. Files name their columns, so an attacker can choose
 * names of one slot; that makes a file slow to open, as many columns do, and nothing worse. */
#include "frame/schema/names.h"
#include "base/memory.h"
#include <limits.h>
#include <string.h>

/* FNV-1a, whose upper bits are mixed into the lower ones that choose the slot. */
static size_t hash_name(const void *text, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)text;
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < size; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
	return (size_t)(h ^ h >> 29);
}

/* Puts a name, which must be new, into its slot, or the next one that is free. */
static void fill_slot(sheaf_names *names, int number)
{
	const sheaf_name *name = &names->names[number];
	size_t slot = hash_name(name->text, name->size) & (names->nslots - 1);
	while (names->slots[slot]) slot = (slot + 1) & (names->nslots - 1);
	names->slots[slot] = number + 1;
}

/* If there is no room, the list doubles, and all names go into a new table of twice as many slots as there
 * may be names. */
sheaf_status sheaf_names_add(sheaf_names *names, sheaf_context *cx, const char *text, size_t size,
                             sheaf_error *err)
{
	enum { FIRST = 8 };
	if (names->count == names->room) {
		if (names->room > INT_MAX / 4)
			return sheaf_fail(err, SHEAF_LIMIT, "names: expected at most %d, found more", names->room);
		int room = names->room ? names->room * 2 : FIRST, *slots;
		SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)room * 2, sizeof *slots, &slots, err));
		sheaf_status status = sheaf_reallocate(cx, &names->names, (size_t)names->room * sizeof *names->names,
		                                       (size_t)room * sizeof *names->names, err);
		if (status) {
			sheaf_release(cx, slots, (size_t)room * 2 * sizeof *slots);
			return status;
		}
		sheaf_release(cx, names->slots, names->nslots * sizeof *slots);
		*names = (sheaf_names){cx, names->names, names->count, room, slots, (size_t)room * 2};
		for (int i = 0; i < names->count; i++) fill_slot(names, i);
	}
	names->names[names->count] = (sheaf_name){text, size};
	fill_slot(names, names->count++);
	return SHEAF_OK;
}

static bool is_name(const sheaf_name *have, const void *text, size_t size)
{
	return have->size == size && memcmp(have->text, text, size) == 0;
}

/* Names mostly come in one order, so the one after the last that was found is tried first. */
int sheaf_names_find(const sheaf_names *names, const void *text, size_t size, int after)
{
	if (names->count == 0) return -1;
	int next = after + 1 < names->count ? after + 1 : 0;
	if (is_name(&names->names[next], text, size)) return next;
	for (size_t slot = hash_name(text, size) & (names->nslots - 1); names->slots[slot];
	     slot = (slot + 1) & (names->nslots - 1))
		if (is_name(&names->names[names->slots[slot] - 1], text, size)) return names->slots[slot] - 1;
	return -1;
}

void sheaf_names_free(sheaf_names *names)
{
	sheaf_release(names->cx, names->names, (size_t)names->room * sizeof *names->names);
	sheaf_release(names->cx, names->slots, names->nslots * sizeof *names->slots);
	*names = (sheaf_names){0};
}
