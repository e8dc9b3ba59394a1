/* SPDX-License-Identifier: MIT */
/* Objects that are new or changed, and the ways to them. */
#include "base/memory.h"
#include "box/hdf5/checksum.h"
#include "box/hdf5/write.h"

/* ---- tables ---- */

struct sheaf_hdf5_slot {
	uint64_t hash;
	void *item; /* NULL: free */
};

static sheaf_status grow(sheaf_hdf5_writer *w, sheaf_hdf5_table *table)
{
	enum { FIRST = 64 };
	sheaf_hdf5_table more = {.room = table->room ? table->room * 2 : FIRST};
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(w->reader.cx, more.room, sizeof *more.entries, &memory, w->err));
	more.entries = (struct sheaf_hdf5_slot *)memory;
	for (size_t i = 0; i < table->room; i++)
		if (table->entries[i].item) {
			size_t at = (size_t)table->entries[i].hash & (more.room - 1);
			while (more.entries[at].item) at = (at + 1) & (more.room - 1);
			more.entries[at] = table->entries[i];
		}
	more.count = table->count;
	sheaf_hdf5_drop_table(w, table);
	*table = more;
	return SHEAF_OK;
}

static sheaf_status add_entry(sheaf_hdf5_writer *w, sheaf_hdf5_table *table, uint64_t hash, void *item)
{
	if (2 * (table->count + 1) > table->room) SHEAF_TRY(grow(w, table));
	size_t at = (size_t)hash & (table->room - 1);
	while (table->entries[at].item) at = (at + 1) & (table->room - 1);
	table->entries[at] = (struct sheaf_hdf5_slot){hash, item};
	table->count++;
	return SHEAF_OK;
}

void sheaf_hdf5_drop_table(sheaf_hdf5_writer *w, sheaf_hdf5_table *table)
{
	if (table->entries) sheaf_release(w->reader.cx, table->entries, table->room * sizeof *table->entries);
	*table = (sheaf_hdf5_table){0};
}

/* ---- objects ---- */

sheaf_status sheaf_hdf5_new_object(sheaf_hdf5_writer *w, bool is_group, sheaf_hdf5_object **out)
{
	void *memory;
	uint8_t order = w->kind == SHEAF_BOX_NETCDF ? SHEAF_HDF5_TRACKED | SHEAF_HDF5_INDEXED : 0;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_hdf5_object), &memory, w->err));
	sheaf_hdf5_object *o = (sheaf_hdf5_object *)memory;
	*o = (sheaf_hdf5_object){.number = w->nobjects++,
	                         .address = SHEAF_HDF5_NOWHERE,
	                         .is_group = is_group,
	                         .nlinked = 1,
	                         .version = 2,
	                         .attribute_order = order,
	                         .link_order = order,
	                         .places = -1};
	if (w->last)
		w->last->next = o;
	else
		w->objects = o;
	w->last = o;
	*out = o;
	return SHEAF_OK;
}

/* ---- links ---- */

static uint64_t hash_link(const sheaf_hdf5_object *group, const char *name, size_t size)
{
	uint64_t hash = (uint64_t)group->number << 32 | sheaf_hdf5_checksum(name, size);
	return (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

sheaf_hdf5_link *sheaf_hdf5_find_link(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                      const char *name, size_t size)
{
	const sheaf_hdf5_table *table = &w->links;
	uint64_t hash = hash_link(group, name, size);
	if (table->room == 0) return NULL;
	for (size_t at = (size_t)hash & (table->room - 1); table->entries[at].item;
	     at = (at + 1) & (table->room - 1)) {
		sheaf_hdf5_link *link = (sheaf_hdf5_link *)table->entries[at].item;
		if (table->entries[at].hash == hash && link->group == group && !link->is_gone &&
		    link->name_size == size && memcmp(link->name, name, size) == 0)
			return link;
	}
	return NULL;
}

sheaf_status sheaf_hdf5_keep(sheaf_hdf5_writer *w, sheaf_bytes *bytes)
{
	void *memory;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, bytes->size + 1, &memory, w->err));
	if (bytes->size) memcpy(memory, bytes->data, bytes->size);
	bytes->data = (const uint8_t *)memory;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_link_in(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, sheaf_hdf5_link like)
{
	enum { LONGEST = 60000 /* of what goes into one message */ };
	void *memory;
	if (like.name_size > LONGEST)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected names of at most %d bytes, found %zu",
		                  w->reader.store->name, LONGEST, like.name_size);
	sheaf_bytes name = {(const uint8_t *)like.name, like.name_size};
	SHEAF_TRY(sheaf_hdf5_keep(w, &name));
	SHEAF_TRY(sheaf_hdf5_keep(w, &like.value));
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof like, &memory, w->err));
	sheaf_hdf5_link *link = (sheaf_hdf5_link *)memory;
	*link = like;
	link->group = group;
	link->name = (const char *)name.data;
	SHEAF_TRY(add_entry(w, &w->links, hash_link(group, link->name, like.name_size), link));
	if (group->last_link)
		group->last_link->next = link;
	else
		group->links = link;
	group->last_link = link;
	group->nlinks++;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_link_new(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                                 sheaf_hdf5_object *to)
{
	sheaf_hdf5_link like = {
		.name = name, .name_size = strlen(name), .to = to, .is_utf8 = true, .order = group->next_link};
	SHEAF_TRY(sheaf_hdf5_link_in(w, group, like));
	group->next_link++;
	group->links_change = true;
	return SHEAF_OK;
}
