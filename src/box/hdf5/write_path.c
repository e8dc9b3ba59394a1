/* SPDX-License-Identifier: MIT */
/* Objects by their paths: what was there is looked at as far as a path leads. */
#include "box/hdf5/write.h"

static sheaf_status find(sheaf_hdf5_writer *w, const char *path, size_t size, sheaf_hdf5_object **out)
{
	*out = w->objects;
	for (size_t at = 0; at < size;) {
		size_t n = strcspn(path + at, "/");
		if (n > size - at) n = size - at;
		SHEAF_TRY(sheaf_hdf5_list_old(w, *out));
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

sheaf_hdf5_object *sheaf_hdf5_known_object(const sheaf_hdf5_writer *w, const char *path)
{
	sheaf_hdf5_object *o = w->objects;
	while (o && *path) {
		size_t n = strcspn(path, "/");
		const sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, o, path, n);
		o = link ? link->to : NULL;
		path += n + (path[n] == '/');
	}
	return o;
}

sheaf_status sheaf_hdf5_find_object(sheaf_hdf5_writer *w, const char *path, sheaf_hdf5_object **out)
{
	return find(w, path, strlen(path), out);
}

sheaf_status sheaf_hdf5_find_group(sheaf_hdf5_writer *w, const char *path, sheaf_hdf5_object **group,
                                   const char **name)
{
	const char *slash = strrchr(path, '/');
	*name = slash ? slash + 1 : path;
	SHEAF_TRY(find(w, path, slash ? (size_t)(slash - path) : 0, group));
	return sheaf_hdf5_list_old(w, *group);
}
