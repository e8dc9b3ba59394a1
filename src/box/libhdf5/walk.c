/* SPDX-License-Identifier: MIT */
/* The way through a file. Only hard links are followed, and no group twice: links of other kinds are names,
 * and a name may lead anywhere. */
#include "base/context.h"
#include "base/memory.h"
#include "box/libhdf5/libhdf5.h"
#include "io/descriptor.h"
#include <string.h>

typedef struct seen {
	haddr_t address;
	const char *path;
} seen;

typedef struct walk {
	sheaf_h5 *h5;
	sheaf_catalog *catalog;
	const char *folder;   /* the group that is being listed */
	sheaf_builder groups; /* seen: those that were listed, or will be */
	uint32_t *slots;      /* by address: the number of a group and one, or 0; at least half of them are 0 */
	size_t nslots;
	sheaf_builder links; /* const char *[2]: path of a soft link, and where it leads */
	sheaf_status status;
	sheaf_error *err;
} walk;

static int depth_of(const char *path)
{
	int depth = *path != '\0';
	for (; *path; path++) depth += *path == '/';
	return depth;
}

/* ---- groups that were seen ---- */

static const seen *all_groups(const walk *w) { return (const seen *)(const void *)w->groups.data; }

static size_t count_groups(const walk *w) { return w->groups.size / sizeof(seen); }

/* Where the group of this address is, or would be. */
static uint32_t *slot_of(const walk *w, haddr_t address)
{
	size_t at = (size_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (w->nslots - 1);
	while (w->slots[at] && all_groups(w)[w->slots[at] - 1].address != address)
		at = (at + 1) & (w->nslots - 1);
	return &w->slots[at];
}

static sheaf_status grow_slots(walk *w)
{
	enum { FIRST = 64 };
	void *memory;
	size_t n = w->nslots ? w->nslots * 2 : FIRST;
	if (count_groups(w) >= UINT32_MAX / 2)
		return sheaf_fail(w->err, SHEAF_LIMIT, "%s: expected fewer groups, found more than can be",
		                  w->h5->store->name);
	SHEAF_TRY(sheaf_allocate_array(w->h5->cx, n, sizeof *w->slots, &memory, w->err));
	if (w->slots) sheaf_release(w->h5->cx, w->slots, w->nslots * sizeof *w->slots);
	w->slots = (uint32_t *)memory;
	w->nslots = n;
	for (size_t i = 0; i < count_groups(w); i++) *slot_of(w, all_groups(w)[i].address) = (uint32_t)i + 1;
	return SHEAF_OK;
}

/* Lists the group later on. */
static sheaf_status note_group(walk *w, const char *path, haddr_t address)
{
	seen it = {address, path};
	if (2 * (count_groups(w) + 1) > w->nslots) SHEAF_TRY(grow_slots(w));
	uint32_t *slot = slot_of(w, address);
	sheaf_builder_append(&w->groups, &it, sizeof it);
	SHEAF_TRY(sheaf_builder_status(&w->groups, w->err));
	*slot = (uint32_t)count_groups(w);
	return SHEAF_OK;
}

static sheaf_status add_group(walk *w, sheaf_box_item *item, haddr_t address)
{
	uint32_t slot = *slot_of(w, address);
	const char *before = slot ? all_groups(w)[slot - 1].path : NULL;
	item->is_group = true;
	item->of = "group";
	if (before)
		return sheaf_catalog_text(w->catalog, &item->refused, w->err, "a second name of the group /%.200s",
		                          before);
	if (depth_of(item->path) >= SHEAF_BOX_MAX_DEPTH) {
		item->refused = "a group that lies too deep";
		return SHEAF_OK;
	}
	return note_group(w, item->path, address);
}

static sheaf_status add_dataset(walk *w, hid_t object, sheaf_box_item *item)
{
	if (sheaf_h5_is_dimension(object)) {
		/* netCDF's own: to everybody else there is no such array. */
		w->catalog->count--;
		w->h5->kind = SHEAF_BOX_NETCDF;
		return SHEAF_OK;
	}
	return sheaf_h5_describe(w->h5, object, w->catalog, item, w->err);
}

static sheaf_status add_object(walk *w, hid_t group, const char *name, sheaf_box_item *item)
{
	H5O_info_t info;
	hid_t object = H5Oopen(group, name, H5P_DEFAULT);
	if (object < 0 || H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0) {
		if (object >= 0) H5Oclose(object);
		if (w->h5->failure.status) return sheaf_h5_fail(w->h5, item->path, "an object", w->err);
		item->refused = "something that the HDF5 library cannot open";
		return SHEAF_OK;
	}
	sheaf_status status = SHEAF_OK;
	if (info.type == H5O_TYPE_GROUP)
		status = add_group(w, item, info.addr);
	else if (info.type == H5O_TYPE_DATASET)
		status = add_dataset(w, object, item);
	else
		item->refused = item->of = "a type by itself";
	H5Oclose(object);
	return status;
}

/* One damaged object leaves the others as they are; the library never opens it. */
static sheaf_status add_checked(walk *w, hid_t group, const char *name, haddr_t address, sheaf_box_item *item)
{
	sheaf_error failure = {0};
	sheaf_status status = sheaf_h5_check_header(w->h5, address, &failure);
	if (!status) return add_object(w, group, name, item);
	if (status != SHEAF_DATA) return sheaf_fail_again(w->err, &failure);
	item->inside->target = NULL;
	item->is_damaged = true;
	return sheaf_catalog_text(w->catalog, &item->refused, w->err, "one that is damaged (%.300s)",
	                          failure.message);
}

static sheaf_status add_soft_link(walk *w, hid_t group, const char *name, sheaf_box_item *item, size_t size)
{
	void *memory;
	item->of = "link";
	item->refused = "a link to nothing in this file";
	item->inside->target = NULL;
	if (size == 0 || size > 4096) return SHEAF_OK;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, size + 1, &memory, w->err));
	if (H5Lget_val(group, name, memory, size, H5P_DEFAULT) < 0) return SHEAF_OK;
	const char *link[2] = {item->path, (const char *)memory};
	sheaf_builder_append(&w->links, link, sizeof link);
	return sheaf_builder_status(&w->links, w->err);
}

static sheaf_status add_link(walk *w, hid_t group, const char *name, const H5L_info_t *info)
{
	sheaf_box_item *item;
	SHEAF_TRY(sheaf_check_stop(w->h5->cx, w->err));
	if (*name == '\0' || strchr(name, '/'))
		return sheaf_fail(w->err, SHEAF_DATA, "%s: /%s: expected names without a slash, found another",
		                  w->h5->store->name, w->folder);
	SHEAF_TRY(sheaf_catalog_add(w->catalog, w->folder, name, false, &item, w->err));
	if (info->type == H5L_TYPE_HARD) return add_checked(w, group, name, info->u.address, item);
	if (info->type == H5L_TYPE_SOFT) return add_soft_link(w, group, name, item, info->u.val_size);
	item->inside->target = NULL;
	item->of = "link";
	item->refused =
		info->type == H5L_TYPE_EXTERNAL ? "a link to another file" : "a link of a kind that is not known";
	return SHEAF_OK;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
	walk *w = (walk *)user;
	w->status = add_link(w, group, name, info);
	return w->status ? -1 : 0;
}

static sheaf_status list_group(walk *w, const char *path)
{
	hid_t group = H5Gopen2(w->h5->file, *path ? path : "/", H5P_DEFAULT);
	if (group < 0) return sheaf_h5_fail(w->h5, path, "a group", w->err);
	w->folder = path;
	w->status = SHEAF_OK;
	herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit, w);
	sheaf_status status = w->status;
	if (!status && result < 0) status = sheaf_h5_fail(w->h5, path, "a group that can be listed", w->err);
	H5Gclose(group);
	return status;
}

static sheaf_status list_all(walk *w)
{
	H5O_info_t info;
	if (H5Oget_info2(w->h5->file, &info, H5O_INFO_BASIC) < 0)
		return sheaf_h5_fail(w->h5, "", "a root group", w->err);
	SHEAF_TRY(sheaf_h5_check_header(w->h5, info.addr, w->err));
	SHEAF_TRY(note_group(w, "", info.addr));
	for (size_t at = 0; at < w->groups.size; at += sizeof(seen)) {
		seen it;
		memcpy(&it, w->groups.data + at, sizeof it);
		SHEAF_TRY(list_group(w, it.path));
	}
	sheaf_catalog_sort(w->catalog);
	for (size_t at = 0; at < w->links.size; at += sizeof(const char *[2])) {
		const char *link[2];
		memcpy(link, w->links.data + at, sizeof link);
		SHEAF_TRY(sheaf_catalog_resolve(w->catalog, link[0], link[1], w->err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_h5_walk(sheaf_h5 *h5, sheaf_catalog *catalog, sheaf_error *err)
{
	walk w = {.h5 = h5, .catalog = catalog, .err = err};
	sheaf_builder_begin(&w.groups, h5->cx, NULL);
	sheaf_builder_begin(&w.links, h5->cx, NULL);
	sheaf_status status = list_all(&w);
	sheaf_builder_drop(&w.groups);
	sheaf_builder_drop(&w.links);
	if (w.slots) sheaf_release(h5->cx, w.slots, w.nslots * sizeof *w.slots);
	if (!status && H5Aexists(h5->file, "_NCProperties") > 0) h5->kind = SHEAF_BOX_NETCDF;
	return status;
}
