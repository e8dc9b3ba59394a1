/* SPDX-License-Identifier: MIT */
/* The way through a file. Only hard links are followed, and no group twice: links of other kinds are names, and a name may lead anywhere. */
#include "base/context.h"
#include "box/hdf5/hdf5.h"
#include <string.h>

typedef struct seen {
	haddr_t address;
	const char *path;
} seen;

typedef struct walk {
	sheaf_h5 *h5;
	sheaf_catalog *catalog;
	const char *folder; /* the group that is being listed */
	sheaf_builder groups; /* seen: those that were listed, or will be */
	sheaf_builder links;  /* const char *[2]: path of a soft link, and where it leads */
	sheaf_status status;
	sheaf_error *err;
} walk;

static int depth_of(const char *path)
{
	int depth = *path != '\0';
	for (; *path; path++) depth += *path == '/';
	return depth;
}

static const char *find_group(const walk *w, haddr_t address)
{
	const seen *all = (const seen *)(const void *)w->groups.data;
	for (size_t i = w->groups.size / sizeof *all; i-- > 0;)
		if (all[i].address == address) return all[i].path;
	return NULL;
}

static sheaf_status add_group(walk *w, sheaf_box_item *item, haddr_t address)
{
	const char *before = find_group(w, address);
	item->is_group = true;
	item->of = "group";
	if (before) return sheaf_catalog_text(w->catalog, &item->refused, w->err, "a second name of the group /%.200s", before);
	if (depth_of(item->path) >= SHEAF_BOX_MAX_DEPTH) {
		item->refused = "a group that lies too deep";
		return SHEAF_OK;
	}
	seen it = {address, item->path};
	sheaf_builder_append(&w->groups, &it, sizeof it);
	return sheaf_builder_status(&w->groups, w->err);
}

static sheaf_status add_dataset(walk *w, hid_t object, sheaf_box_item *item)
{
	if (sheaf_h5_is_dimension(w->h5, object)) {
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
	if (*name == '\0' || strchr(name, '/')) return sheaf_fail(w->err, SHEAF_DATA, "%s: /%s: expected names without a slash, found another", w->h5->store->name, w->folder);
	SHEAF_TRY(sheaf_catalog_add(w->catalog, w->folder, name, false, &item, w->err));
	if (info->type == H5L_TYPE_HARD) return add_object(w, group, name, item);
	if (info->type == H5L_TYPE_SOFT) return add_soft_link(w, group, name, item, info->u.val_size);
	item->inside->target = NULL;
	item->of = "link";
	item->refused = info->type == H5L_TYPE_EXTERNAL ? "a link to another file" : "a link of a kind that is not known";
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

/* ---- soft links ---- */

/* The path that a link leads to, from the root, without "." in it. */
static sheaf_status target_of(walk *w, const char *const link[2], const char **out)
{
	const char *slash = strrchr(link[0], '/');
	bool is_absolute = link[1][0] == '/';
	const char *path;
	SHEAF_TRY(sheaf_catalog_text(w->catalog, &path, w->err, "%.*s/%s", is_absolute || !slash ? 0 : (int)(slash - link[0]), link[0], link[1]));
	char *to = (char *)(uintptr_t)path;
	*out = to;
	for (const char *at = path; *at;) {
		size_t n = strcspn(at, "/");
		if (n > 0 && !(n == 1 && *at == '.')) {
			if (to != *out) *to++ = '/';
			memmove(to, at, n);
			to += n;
		}
		at += at[n] ? n + 1 : n;
	}
	*to = '\0';
	return SHEAF_OK;
}

/* A link to an array is another name of it. One to a group, or to another link, stays a name. */
static sheaf_status resolve(walk *w, const char *const link[2])
{
	const char *path;
	SHEAF_TRY(target_of(w, link, &path));
	sheaf_box_item *item = sheaf_catalog_find(w->catalog, link[0]);
	const sheaf_box_item *target = sheaf_catalog_find(w->catalog, path);
	if (!target || !item) return SHEAF_OK;
	if (target->is_group || !target->inside->target) {
		item->of = "link";
		return sheaf_catalog_text(w->catalog, &item->refused, w->err, "a link to /%.200s", path);
	}
	sheaf_box_item own = *item;
	*item = *target;
	item->path = own.path;
	item->name = own.name;
	item->parent = own.parent;
	*own.inside = *target->inside;
	own.inside->handle = 0;
	item->inside = own.inside;
	return SHEAF_OK;
}

static sheaf_status list_all(walk *w)
{
	H5O_info_t info;
	if (H5Oget_info2(w->h5->file, &info, H5O_INFO_BASIC) < 0) return sheaf_h5_fail(w->h5, "", "a root group", w->err);
	seen root = {info.addr, ""};
	sheaf_builder_append(&w->groups, &root, sizeof root);
	SHEAF_TRY(sheaf_builder_status(&w->groups, w->err));
	for (size_t at = 0; at < w->groups.size; at += sizeof(seen)) {
		seen it;
		memcpy(&it, w->groups.data + at, sizeof it);
		SHEAF_TRY(list_group(w, it.path));
	}
	sheaf_catalog_sort(w->catalog);
	for (size_t at = 0; at < w->links.size; at += sizeof(const char *[2])) {
		const char *link[2];
		memcpy(link, w->links.data + at, sizeof link);
		SHEAF_TRY(resolve(w, link));
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
	if (!status && H5Aexists(h5->file, "_NCProperties") > 0) h5->kind = SHEAF_BOX_NETCDF;
	return status;
}
