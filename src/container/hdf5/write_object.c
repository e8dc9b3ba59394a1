/* SPDX-License-Identifier: MIT */
/* Objects that are new or examined, and the links to them. A writer knows only what it was asked about:
 * an existing group is listed when something in it is looked up or changed, and everything else in the
 * file is left as it is. Objects, messages and links live as long as the catalog, so pointers to them
 * stay valid.
 *
 * Links are found by a hash of their group and name (`link_numbers`); links of the same hash form a
 * chain by `alike`, in which the last one comes first. */
#include "base/memory.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/write.h"

sheaf_status sheaf_hdf5_keep(sheaf_hdf5_writer *w, sheaf_bytes *bytes)
{
	return sheaf_catalog_copy_bytes(w->catalog, bytes->data, bytes->size, &bytes->data, w->err);
}

/* ---- messages ---- */

/* Appends a message like `like`, with the data of w->message, which is empty then. Messages keep the
 * order in which they came. */
sheaf_status sheaf_hdf5_add_message(sheaf_hdf5_writer *w, sheaf_hdf5_messages *list, sheaf_hdf5_message like)
{
	SHEAF_TRY(sheaf_builder_status(&w->message, w->err));
	sheaf_hdf5_message *message;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof like, &message, w->err));
	*message = like;
	message->data = sheaf_builder_bytes(&w->message);
	SHEAF_TRY(sheaf_hdf5_keep(w, &message->data));
	*list->end = message;
	list->end = &message->next;
	w->message.size = 0;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_say(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, sheaf_hdf5_message_type type,
                            uint8_t flags)
{
	return sheaf_hdf5_add_message(w, &object->messages, (sheaf_hdf5_message){.type = type, .flags = flags});
}

sheaf_hdf5_message *sheaf_hdf5_find_attribute(const sheaf_hdf5_object *object, const char *name)
{
	for (sheaf_hdf5_message *m = object->attributes.first; m; m = m->next)
		if (!m->is_gone && strcmp(m->name, name) == 0) return m;
	return NULL;
}

void sheaf_hdf5_remove_attribute(const sheaf_hdf5_object *object, const char *name)
{
	sheaf_hdf5_message *m = sheaf_hdf5_find_attribute(object, name);
	if (m) m->is_gone = true;
}

/* Makes the attribute from the writer's builders. One of the same name stays in the list as gone, so
 * pointers to it stay valid. */
sheaf_status sheaf_hdf5_set_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                                      sheaf_hdf5_message like)
{
	like.type = SHEAF_HDF5_ATTRIBUTE;
	SHEAF_TRY(sheaf_hdf5_put_attribute(w, name));
	SHEAF_TRY(sheaf_catalog_text(w->catalog, &like.name, w->err, "%s", name));
	sheaf_hdf5_remove_attribute(object, name);
	like.order = object->next_attribute++;
	object->attributes_change = true;
	return sheaf_hdf5_add_message(w, &object->attributes, like);
}

/* ---- objects ---- */

size_t sheaf_hdf5_object_count(const sheaf_hdf5_writer *w)
{
	return w->objects.size / sizeof(sheaf_hdf5_object *);
}

sheaf_hdf5_object *sheaf_hdf5_object_at(const sheaf_hdf5_writer *w, size_t number)
{
	sheaf_hdf5_object *o;
	memcpy(&o, w->objects.data + number * sizeof o, sizeof o);
	return o;
}

/* Makes an object without messages and links; it lives as long as the catalog. netCDF requires that links
 * and attributes are numbered in the order of their creation; plain HDF5 files do without, which saves a
 * second index. */
sheaf_status sheaf_hdf5_new_object(sheaf_hdf5_writer *w, bool is_group, sheaf_hdf5_object **out)
{
	uint8_t order = w->kind == SHEAF_BOX_NETCDF ? SHEAF_HDF5_TRACKED | SHEAF_HDF5_INDEXED : 0;
	sheaf_hdf5_object *o;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_hdf5_object), &o, w->err));
	*o = (sheaf_hdf5_object){.number = (uint32_t)sheaf_hdf5_object_count(w),
	                         .address = SHEAF_HDF5_NOWHERE,
	                         .is_group = is_group,
	                         .nlinked = 1,
	                         .version = 2,
	                         .attribute_order = order,
	                         .link_order = order,
	                         .places = -1};
	o->messages.end = &o->messages.first;
	o->attributes.end = &o->attributes.first;
	o->end_of_links = &o->links;
	o->end_of_users = &o->users;
	*out = o;
	return sheaf_hdf5_note(&w->objects, out, sizeof *out, w->err);
}

/* ---- links ---- */

/* The group's number, and the checksum of the name. */
static int64_t key_of(const sheaf_hdf5_object *group, const void *name, size_t size)
{
	return (int64_t)((uint64_t)group->number << 32 | sheaf_hdf5_checksum(name, size));
}

sheaf_hdf5_link *sheaf_hdf5_find_link(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                      const char *name, size_t size)
{
	uint32_t number = sheaf_hdf5_places_find(&w->link_numbers, key_of(group, name, size));
	for (sheaf_hdf5_link *link; number; number = link->alike) {
		/* Numbers of links begin at 1: 0 means that there is none. */
		memcpy(&link, w->links.data + (number - 1) * sizeof link, sizeof link);
		if (!link->is_gone && link->name_size == size && memcmp(link->name, name, size) == 0) return link;
	}
	return NULL;
}

/* Adds a link to a group, to `to`, or where that is NULL to what the way says. The name and the value are
 * copied. Links are found by a key made of group and name; links whose keys are equal form a list
 * (alike). */
static sheaf_status add_link(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const sheaf_hdf5_way *way,
                             sheaf_hdf5_object *to)
{
	enum { LONGEST = 60000 /* size that fits into one message */ };
	if (way->name_size > LONGEST)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected names of at most %d bytes, found %zu",
		                  w->reader.store->name, LONGEST, way->name_size);
	sheaf_hdf5_link *link;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_hdf5_link), &link, w->err));
	*link = (sheaf_hdf5_link){.way = *way, .group = group, .to = to};
	sheaf_bytes name = {way->name, way->name_size};
	SHEAF_TRY(sheaf_hdf5_keep(w, &name));
	SHEAF_TRY(sheaf_hdf5_keep(w, &link->value));
	link->name = name.data;
	int64_t key = key_of(link->group, link->name, link->name_size);
	link->alike = sheaf_hdf5_places_find(&w->link_numbers, key);
	SHEAF_TRY(sheaf_hdf5_note(&w->links, &link, sizeof link, w->err));
	uint32_t number = (uint32_t)(w->links.size / sizeof link);
	SHEAF_TRY(sheaf_hdf5_places_add(&w->link_numbers, key, number, w->reader.cx, w->err));
	*group->end_of_links = link;
	group->end_of_links = &link->next;
	group->nlinks++;
	return SHEAF_OK;
}

/* The link gets the next number in the order of creation. */
sheaf_status sheaf_hdf5_link_new(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                                 sheaf_hdf5_object *to)
{
	sheaf_hdf5_way way = {
		.name = (const uint8_t *)name, .name_size = strlen(name), .is_utf8 = true, .order = group->next_link};
	SHEAF_TRY(add_link(w, group, &way, to));
	group->next_link++;
	group->links_change = true;
	return SHEAF_OK;
}

/* ---- existing objects ---- */

/* The next number in the order of links or attributes. */
static int64_t next_of(const sheaf_hdf5_message *info, size_t width)
{
	sheaf_cursor c = sheaf_cursor_over(info->data.data, info->data.size, -1);
	sheaf_cursor_bytes(&c, 1, 1, "a version");
	return sheaf_cursor_u8(&c, "flags") & SHEAF_HDF5_TRACKED ? (int64_t)sheaf_hdf5_take(&c, width, "a number")
	                                                         : 0;
}

const sheaf_hdf5_message *sheaf_hdf5_find_message(const sheaf_hdf5_object *o, sheaf_hdf5_message_type type)
{
	for (const sheaf_hdf5_message *m = o->messages.first; m; m = m->next)
		if (m->type == type) return m;
	return NULL;
}

/* Takes an existing object with all its messages, unparsed: those that do not change are written as they
 * were. The counters of order and links go on from what the messages say. */
static sheaf_status load(sheaf_hdf5_writer *w, const sheaf_hdf5_header *h)
{
	enum { ORDER = 2 /* first bit of how attributes are numbered */ };
	sheaf_hdf5_object *o;
	size_t n;
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(h, &n);
	SHEAF_TRY(sheaf_hdf5_new_object(w, sheaf_hdf5_is_group(h), &o));
	o->is_old = true;
	o->address = h->address;
	o->version = h->version;
	o->nlinked = h->nlinked;
	o->room = h->room;
	o->room_at = h->room_at;
	o->attribute_order = (uint8_t)(h->flags >> ORDER & 3);
	for (size_t i = 0; i < n; i++) {
		w->message.size = 0;
		sheaf_builder_append(&w->message, h->bytes.data + parts[i].at, parts[i].size);
		sheaf_hdf5_message like = {.type = parts[i].type, .flags = parts[i].flags, .order = parts[i].order};
		SHEAF_TRY(sheaf_hdf5_add_message(w, &o->messages, like));
	}
	const sheaf_hdf5_message *m = sheaf_hdf5_find_message(o, SHEAF_HDF5_LINK_INFO);
	if (m) o->next_link = next_of(m, 8);
	o->link_order = m && m->data.size > 1 ? m->data.data[1] & 3 : 0;
	m = sheaf_hdf5_find_message(o, SHEAF_HDF5_ATTRIBUTE_INFO);
	if (m) o->next_attribute = next_of(m, 2);
	m = sheaf_hdf5_find_message(o, SHEAF_HDF5_LINK_COUNT);
	if (m && m->data.size >= 5) o->nlinked = sheaf_load_u32le(m->data.data + 1);
	return sheaf_hdf5_places_add(&w->old, o->address, o->number + 1, w->reader.cx, w->err);
}

/* Searches for the object among existing ones, so that one with two names is one object. */
sheaf_status sheaf_hdf5_old_object(sheaf_hdf5_writer *w, int64_t address, sheaf_hdf5_object **out)
{
	if (!sheaf_hdf5_places_find(&w->old, address)) {
		SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
		SHEAF_TRY(sheaf_hdf5_enter(&v, &w->reader, address, w->err));
		SHEAF_TRY(load(w, &v.h));
	}
	*out = sheaf_hdf5_object_at(w, sheaf_hdf5_places_find(&w->old, address) - 1);
	return SHEAF_OK;
}

/* An existing object whose links or attributes are being listed. */
typedef struct listing {
	sheaf_hdf5_writer *w;
	sheaf_hdf5_object *o;
} listing;

/* A link as the file has it: nothing about the object is known yet. */
static sheaf_status add_old_link(void *user, const sheaf_hdf5_way *way)
{
	const listing *a = (const listing *)user;
	return add_link(a->w, a->o, way, NULL);
}

/* Lists the links of an existing group one by one, once. */
static sheaf_status list(sheaf_hdf5_writer *w, sheaf_hdf5_object *group)
{
	if (!group->is_old || group->is_listed) return SHEAF_OK;
	group->is_listed = true;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, &w->reader, group->address, w->err));
	return sheaf_hdf5_links(&v.l, &v.h, add_old_link, &(listing){w, group});
}

static sheaf_status add_attribute(void *user, const sheaf_hdf5_attribute *attribute)
{
	const listing *a = (const listing *)user;
	sheaf_hdf5_message like = {
		.type = SHEAF_HDF5_ATTRIBUTE, .flags = attribute->flags, .order = attribute->order};
	sheaf_builder_append(&a->w->message, attribute->message.data, attribute->message.size);
	SHEAF_TRY(sheaf_catalog_text(a->w->catalog, &like.name, a->w->err, "%s", (const char *)attribute->name));
	return sheaf_hdf5_add_message(a->w, &a->o->attributes, like);
}

/* Lists the attributes of an old object once, so that they can be written again. Attributes in a table of
 * shared messages could not be written back one by one, and are refused. */
sheaf_status sheaf_hdf5_list_attributes(sheaf_hdf5_writer *w, sheaf_hdf5_object *o)
{
	if (!o->is_old || o->has_attributes) return SHEAF_OK;
	o->has_attributes = true;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, &w->reader, o->address, w->err));
	w->message.size = 0;
	for (const sheaf_hdf5_message *m = o->messages.first; m; m = m->next)
		if (m->type == SHEAF_HDF5_ATTRIBUTE && (m->flags & SHEAF_HDF5_SHARED))
			return sheaf_fail(w->err, SHEAF_UNSUPPORTED,
			                  "%s: expected attributes stored with their object, found one in a table of "
			                  "shared messages (`h5repack` makes a file without)",
			                  w->reader.store->name);
	return sheaf_hdf5_attributes(&v.l, &v.h, true, add_attribute, &(listing){w, o});
}

/* ---- paths ---- */

/* Finds the object of the first `size` bytes of a path, which end at the path's end or at a slash. Groups
 * on the way are listed, so that a link that is new, or gone, counts. */
sheaf_status sheaf_hdf5_find_object(sheaf_hdf5_writer *w, const char *path, size_t size,
                                    sheaf_hdf5_object **out)
{
	*out = sheaf_hdf5_object_at(w, 0);
	for (size_t at = 0; at < size;) {
		size_t n = strcspn(path + at, "/");
		SHEAF_TRY(list(w, *out));
		sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, *out, path + at, n);
		if (!link || link->kind != SHEAF_HDF5_HARD_LINK)
			return sheaf_fail(w->err, SHEAF_DATA, "%s: expected /%.*s, found nothing of that name",
			                  w->reader.store->name, (int)size, path);
		if (!link->to) SHEAF_TRY(sheaf_hdf5_old_object(w, link->address, &link->to));
		*out = link->to;
		at += n + 1;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_find_group(sheaf_hdf5_writer *w, const char *path, sheaf_hdf5_object **group,
                                   const char **name)
{
	const char *slash = strrchr(path, '/');
	*name = slash ? slash + 1 : path;
	SHEAF_TRY(sheaf_hdf5_find_object(w, path, slash ? (size_t)(slash - path) : 0, group));
	return list(w, *group);
}
