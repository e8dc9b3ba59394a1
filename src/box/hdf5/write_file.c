/* SPDX-License-Identifier: MIT */
/* A file from its beginning to its end. */
#include "base/memory.h"
#include "box/hdf5/write.h"

enum { SUPERBLOCK = 48, FAN = 32 };

static sheaf_status begin_file(sheaf_hdf5_writer *w, sheaf_error *err)
{
	sheaf_hdf5_object *root;
	w->end = SUPERBLOCK;
	w->address_size = w->length_size = 8;
	w->chunk_fan = FAN;
	SHEAF_TRY(sheaf_hdf5_new_object(w, true, &root, err));
	return w->kind == SHEAF_BOX_NETCDF ? sheaf_hdf5_begin_netcdf(w, err) : SHEAF_OK;
}

static void drop(sheaf_hdf5_writer *w)
{
	sheaf_builder *builders[] = {&w->waiting, &w->texts, &w->header, &w->message,
	                             &w->type,    &w->space, &w->value};
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++) sheaf_builder_drop(builders[i]);
	sheaf_hdf5_drop_table(w, &w->links);
	sheaf_release(w->cx, w, sizeof *w);
}

static sheaf_status open_file(const sheaf_store *store, bool fresh, sheaf_box_kind *kind,
                              sheaf_catalog *catalog, sheaf_context *cx, void **state, sheaf_error *err)
{
	void *memory;
	(void)fresh;
	*state = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_hdf5_writer), &memory, err));
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)memory;
	*w = (sheaf_hdf5_writer){.cx = cx, .store = store, .catalog = catalog, .kind = *kind};
	sheaf_builder *builders[] = {&w->waiting, &w->texts, &w->header, &w->message,
	                             &w->type,    &w->space, &w->value};
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
		sheaf_builder_begin(builders[i], cx, NULL);
	sheaf_status status = begin_file(w, err);
	if (status)
		drop(w);
	else
		*state = w;
	return status;
}

static void close_file(void *state) { drop((sheaf_hdf5_writer *)state); }

/* Version 2: signature, version, sizes, flags, base, extension, end of the file, root, checksum. */
static sheaf_status write_superblock(sheaf_hdf5_writer *w, sheaf_error *err)
{
	static const uint8_t head[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 2, 8, 8, 0};
	sheaf_builder *b = &w->message;
	b->size = 0;
	sheaf_builder_append(b, head, sizeof head);
	sheaf_hdf5_address(w, b, 0);
	sheaf_hdf5_address(w, b, SHEAF_HDF5_NOWHERE);
	sheaf_hdf5_address(w, b, w->end);
	sheaf_hdf5_address(w, b, w->objects->address);
	sheaf_hdf5_sum(b);
	SHEAF_TRY(sheaf_builder_status(b, err));
	return sheaf_hdf5_put(w, 0, b->data, b->size, err);
}

static sheaf_status complete(sheaf_hdf5_writer *w, sheaf_error *err)
{
	SHEAF_TRY(sheaf_hdf5_write_headers(w, err));
	SHEAF_TRY(sheaf_hdf5_flush_texts(w, err));
	SHEAF_TRY(sheaf_hdf5_flush(w, err));
	SHEAF_TRY(w->store->resize(w->store->user, w->base + w->end, err));
	SHEAF_TRY(write_superblock(w, err));
	return sheaf_hdf5_flush(w, err);
}

static sheaf_status finish_file(void *state, sheaf_error *err)
{
	sheaf_status status = complete((sheaf_hdf5_writer *)state, err);
	close_file(state);
	return status;
}

/* ---- groups and texts ---- */

static sheaf_status make_group(void *state, const char *path, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *folder, *group;
	const char *name;
	SHEAF_TRY(sheaf_hdf5_find_group(w, path, &folder, &name, err));
	SHEAF_TRY(sheaf_hdf5_new_object(w, true, &group, err));
	return sheaf_hdf5_link_new(w, folder, name, group, err);
}

static sheaf_status remove_array(void *state, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *group;
	const char *name;
	SHEAF_TRY(sheaf_hdf5_find_group(w, item->path, &group, &name, err));
	sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, group, name, strlen(name));
	if (link) sheaf_hdf5_unlink(link);
	return SHEAF_OK;
}

static sheaf_status text_of_attribute(void *state, const sheaf_box_item *item, const char *name,
                                      sheaf_builder *text, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	bool found;
	SHEAF_TRY(sheaf_hdf5_read_new_text(w, item, name, text, &found, err));
	if (found) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none", w->store->name,
	                  item->path, name);
}

const sheaf_box_driver sheaf_hdf5_writing_driver = {
	.abi = SHEAF_BOX_ABI,
	.open = open_file,
	.finish = finish_file,
	.close = close_file,
	.text = text_of_attribute,
	.make_group = make_group,
	.remove = remove_array,
	.set_text = sheaf_hdf5_set_text,
	.new_array = sheaf_hdf5_new_array,
	.append = sheaf_hdf5_append,
	.write_chunk = sheaf_hdf5_write_chunk,
	.end_array = sheaf_hdf5_end_array,
	.drop_array = sheaf_hdf5_drop_array,
};
