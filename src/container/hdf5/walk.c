/* SPDX-License-Identifier: MIT */
/* The walk through a file, which lists every object in the catalog. Only hard links are followed, and no
 * object is looked at twice: links of other kinds are names, and a name may lead anywhere.
 *
 * Groups wait in a queue and are listed one after another, so the depth of the groups is no depth of the
 * stack. Two walks through structures share one budget of bytes: `groups` reads the links of the group
 * that is being listed, and `objects` the header of the object that a link leads to. A damaged object is
 * listed with its reason; damage in a group's links ends the walk, because nobody can say what is missing
 * then.
 *
 * A file is netCDF-4 if its root has the attribute _NCProperties, or if a dataset is a dimension and
 * nothing else. */
#include "base/context.h"
#include "container/hdf5/read.h"
#include "io/descriptor.h"
#include <string.h>

#define NOT_A_VARIABLE "This is a netCDF dimension but not a netCDF variable."
#define IS_DIMENSION UINT32_MAX

/* A group to be listed. */
typedef struct waiting {
	const char *path;
	int64_t address;
} waiting;

/* The state of the walk. The paths in the queue and in `links` belong to the catalog. */
typedef struct walk {
	sheaf_hdf5_reader *r;
	sheaf_catalog *catalog;
	sheaf_hdf5_look groups, objects; /* of what is listed, and of what is in it */
	int64_t left;
	const char *folder;         /* the group that is being listed */
	sheaf_hdf5_places seen;     /* objects: the index of their item plus one, or IS_DIMENSION */
	sheaf_hdf5_header header;   /* of the current object, */
	sheaf_builder name;         /* and its name */
	sheaf_builder queue, links; /* links: const char *[2], the path of a soft link, and where it leads */
	sheaf_error *err;
} walk;

/* ---- netCDF's dimensions ---- */

/* Whether an object has an attribute of that name whose text begins so. */
static sheaf_status has_text(walk *w, const sheaf_hdf5_header *h, const char *name, const char *begins,
                             bool *has)
{
	sheaf_hdf5_attribute a;
	SHEAF_TRY(sheaf_hdf5_attribute_named(&w->objects, h, name, &a, has));
	*has = *has && sheaf_hdf5_begins(&a, begins);
	return SHEAF_OK;
}

/* ---- objects ---- */

/* Lets a group wait for its turn. */
static sheaf_status note_group(walk *w, const char *path, int64_t address)
{
	waiting it = {path, address};
	return sheaf_hdf5_note(&w->queue, &it, sizeof it, w->err);
}

/* Describes an object that an earlier link has led to, item number - 1 of the catalog, under another
 * name. An array is described like the first one; a group is not listed twice; a dimension is not listed
 * at all. */
static sheaf_status add_again(walk *w, sheaf_box_item *item, uint32_t number)
{
	if (number == IS_DIMENSION) {
		w->catalog->count--;
		return SHEAF_OK;
	}
	const sheaf_box_item *first = &w->catalog->items[number - 1];
	item->link = "hard link";
	SHEAF_TRY(sheaf_catalog_text(w->catalog, &item->target, w->err, "/%s", first->path));
	if (!first->is_group) {
		sheaf_catalog_copy(item, first);
		return SHEAF_OK;
	}
	item->is_group = true;
	item->of = "group";
	item->inside->own = first->inside->own;
	return sheaf_catalog_text(w->catalog, &item->refused, w->err, "a second name of the group /%.200s",
	                          first->path);
}

/* What the driver must know about every object: where its header is. */
static sheaf_status add_own(walk *w, const sheaf_box_item *item, int64_t address, sheaf_error *err)
{
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_hdf5_own), &item->inside->own, err));
	item->inside->own->address = address;
	return SHEAF_OK;
}

/* Describes an object at `address` that no earlier link has led to: a group, which waits to be listed, a
 * dataset, or a type that is committed by itself, which has no values. The header tells which by the
 * messages that it has. netCDF's dimensions without a variable are listed for readers only. */
static sheaf_status add_new(walk *w, sheaf_box_item *item, int64_t address)
{
	sheaf_hdf5_header *h = &w->header;
	SHEAF_TRY(sheaf_hdf5_header_read(&w->objects, address, h));
	SHEAF_TRY(add_own(w, item, address, w->objects.err));
	if (sheaf_hdf5_is_group(h)) {
		int depth = 1;
		for (const char *at = item->path; *at; at++) depth += *at == '/';
		item->is_group = true;
		item->of = "group";
		if (depth <= SHEAF_BOX_MAX_DEPTH) return note_group(w, item->path, address);
		item->refused = "a group nested too deeply";
		return SHEAF_OK;
	}
	if (sheaf_hdf5_part_find(h, SHEAF_HDF5_LAYOUT) || sheaf_hdf5_part_find(h, SHEAF_HDF5_SPACE)) {
		bool is_scale, has_number, is_no_variable = false;
		SHEAF_TRY(has_text(w, h, "CLASS", "DIMENSION_SCALE", &is_scale));
		if (is_scale) {
			/* Dimensions are numbered by little-endian integers of 4 bytes; one without a number, or with
			 * anything else, gets the next. */
			enum { WIDTH = 4 };
			sheaf_hdf5_attribute a;
			int64_t number = w->r->next_dimension;
			SHEAF_TRY(sheaf_hdf5_attribute_named(&w->objects, h, "_Netcdf4Dimid", &a, &has_number));
			if (has_number && a.type.class == SHEAF_HDF5_INTEGER && a.value.size == WIDTH && !a.type.is_big)
				number = sheaf_load_i32le(a.value.data);
			if (number >= w->r->next_dimension) w->r->next_dimension = number + 1;
			SHEAF_TRY(has_text(w, h, "NAME", NOT_A_VARIABLE, &is_no_variable));
		}
		if (!is_no_variable) return sheaf_hdf5_describe(&w->objects, h, w->catalog, item);
		/* A dimension and nothing else is netCDF's own: for all other programs there are no such values. */
		w->r->is_netcdf = true;
		if (!w->r->lists_dimensions) {
			w->catalog->count--;
			return SHEAF_OK;
		}
		SHEAF_TRY(sheaf_hdf5_describe(&w->objects, h, w->catalog, item));
		if (!item->refused) item->refused = "a dimension of netCDF, which has no values";
		return SHEAF_OK;
	}
	return sheaf_hdf5_describe_type(&w->objects, h, w->catalog, item);
}

/* Remembers the object's item, so that a second link to it becomes a second name. netCDF's dimensions
 * have taken their item out of the catalog again; they are remembered as such. */
static sheaf_status note_object(walk *w, int64_t address, int64_t number)
{
	if (number >= IS_DIMENSION - 1)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected fewer objects, found more than can be listed",
		                  w->r->store->name);
	uint32_t value = number < w->catalog->count ? (uint32_t)number + 1 : IS_DIMENSION;
	return sheaf_hdf5_places_add(&w->seen, address, value, w->r->cx, w->err);
}

/* ---- links ---- */

/* Makes the item of a link that is no hard link say where it leads. An external link has a byte of flags, the
 * name of a file, and a path in it; what is in a link of another kind only its maker knows. */
static sheaf_status add_other_link(walk *w, sheaf_box_item *item, const sheaf_hdf5_way *way)
{
	enum { LONGEST = 4096 };
	const char *value = (const char *)way->value.data;
	size_t size = way->value.size, file = size > 1 ? strnlen(value + 1, size - 1) + 2 : size;
	bool is_soft = way->kind == SHEAF_HDF5_SOFT_LINK, is_out = way->kind == SHEAF_HDF5_EXTERNAL_LINK;
	item->inside->target = NULL;
	item->of = "link";
	item->link = is_soft ? "soft link" : is_out ? "external link" : "link of another kind";
	item->refused = is_soft  ? "a link to nothing in this file"
	                : is_out ? SHEAF_BOX_LINK_OUT
	                         : "a link of a kind that is not known";
	if (size == 0 || size > LONGEST || !(is_soft || is_out)) return SHEAF_OK;
	if (is_out && file < size)
		return sheaf_catalog_text(w->catalog, &item->target, w->err, "%s:%.*s", value + 1, (int)(size - file),
		                          value + file);
	if (is_out) return SHEAF_OK;
	SHEAF_TRY(sheaf_catalog_text(w->catalog, &item->target, w->err, "%.*s", (int)size, value));
	const char *link[2] = {item->path, item->target};
	return sheaf_hdf5_note(&w->links, link, sizeof link, w->err);
}

/* Adds what a link of the group that is being listed leads to. A hard link leads to an object, whose
 * damage is noted at its item (`failure`), whereas a failure that is not the file's, such as that memory
 * runs out, ends the walk. A soft link is resolved when everything is listed. Names must be parts of a
 * path: no slash, no NUL, not empty. */
static sheaf_status add_link(void *user, const sheaf_hdf5_way *way)
{
	walk *w = (walk *)user;
	sheaf_box_item *item;
	SHEAF_TRY(sheaf_check_stop(w->r->cx, w->err));
	if (way->name_size == 0 || memchr(way->name, '/', way->name_size) ||
	    memchr(way->name, '\0', way->name_size))
		return sheaf_fail(w->err, SHEAF_DATA, "%s: /%s: expected names without a slash, found another",
		                  w->r->store->name, w->folder);
	w->name.size = 0;
	sheaf_builder_append(&w->name, way->name, way->name_size);
	sheaf_builder_byte(&w->name, '\0');
	SHEAF_TRY(sheaf_builder_status(&w->name, w->err));
	SHEAF_TRY(sheaf_catalog_add(w->catalog, w->folder, (const char *)w->name.data, false, &item, w->err));
	if (way->kind == SHEAF_HDF5_HARD_LINK) {
		sheaf_error failure = {0};
		uint32_t known_item = sheaf_hdf5_places_find(&w->seen, way->address);
		int64_t number = item - w->catalog->items;
		if (known_item) return add_again(w, item, known_item);
		w->objects.err = &failure;
		sheaf_status status = add_new(w, item, way->address);
		w->objects.err = w->err;
		if (!status) return note_object(w, way->address, number);
		item->inside->target = NULL;
		return failure.status ? sheaf_hdf5_leave_out(w->catalog, item, &failure, w->err) : status;
	}
	return add_other_link(w, item, way);
}

/* ---- the whole ---- */

/* Lists the root, to which no link leads: it is the object that the superblock names. */
static sheaf_status list_root(walk *w)
{
	SHEAF_SCOPED(sheaf_hdf5_header_drop) sheaf_hdf5_header h = {0};
	bool is_netcdf;
	SHEAF_TRY(add_own(w, &w->catalog->items[0], w->r->root, w->err));
	SHEAF_TRY(sheaf_hdf5_header_read(&w->objects, w->r->root, &h));
	if (!sheaf_hdf5_is_group(&h))
		return sheaf_hdf5_refuse(&w->objects, w->r->base + w->r->root, "a root that is a group", 0);
	SHEAF_TRY(has_text(w, &h, "_NCProperties", "", &is_netcdf));
	w->r->is_netcdf |= is_netcdf;
	SHEAF_TRY(note_object(w, w->r->root, 0));
	return note_group(w, "", w->r->root);
}

static void end_walk(walk *w)
{
	sheaf_hdf5_header_drop(&w->header);
	sheaf_builder_drop(&w->name);
	sheaf_builder_drop(&w->queue);
	sheaf_builder_drop(&w->links);
	sheaf_hdf5_places_drop(&w->seen, w->r->cx);
	sheaf_hdf5_look_end(&w->groups);
	sheaf_hdf5_look_end(&w->objects);
}

/* Lists all objects of the file in the catalog. Groups wait in a queue and are listed one after another.
 * The catalog is sorted once at the end. Only then are names compared, because a B-tree need not be in
 * order, and links resolved, because they may lead to what is listed later. */
sheaf_status sheaf_hdf5_walk(sheaf_hdf5_reader *r, sheaf_catalog *catalog, sheaf_error *err)
{
	SHEAF_SCOPED(end_walk) walk w = {.r = r, .catalog = catalog, .left = sheaf_hdf5_budget(r), .err = err};
	sheaf_hdf5_look_begin(&w.groups, r, &w.left, err);
	sheaf_hdf5_look_begin(&w.objects, r, &w.left, err);
	w.groups.window_at = w.objects.window_at = 0;
	sheaf_builder_begin(&w.name, r->cx, NULL);
	sheaf_builder_begin(&w.queue, r->cx, NULL);
	sheaf_builder_begin(&w.links, r->cx, NULL);
	SHEAF_TRY(list_root(&w));
	for (size_t at = 0; at < w.queue.size; at += sizeof(waiting)) {
		waiting it;
		memcpy(&it, w.queue.data + at, sizeof it);
		SHEAF_SCOPED(sheaf_hdf5_header_drop) sheaf_hdf5_header h = {0};
		w.folder = it.path;
		SHEAF_TRY(sheaf_hdf5_header_read(&w.groups, it.address, &h));
		SHEAF_TRY(sheaf_hdf5_links(&w.groups, &h, add_link, &w));
	}
	sheaf_catalog_sort(w.catalog);
	for (int64_t i = 1; i < w.catalog->count; i++)
		if (strcmp(w.catalog->items[i - 1].path, w.catalog->items[i].path) == 0)
			return sheaf_fail(w.err, SHEAF_DATA, "%s: expected each name once, found /%.300s twice",
			                  w.r->store->name, w.catalog->items[i].path);
	for (size_t at = 0; at < w.links.size; at += sizeof(const char *[2])) {
		const char *link[2];
		memcpy(link, w.links.data + at, sizeof link);
		SHEAF_TRY(sheaf_catalog_resolve(w.catalog, link[0], link[1], w.err));
	}
	return SHEAF_OK;
}
