/* SPDX-License-Identifier: MIT */
/* A file from its beginning to its end. */
#include "base/memory.h"
#include "box/hdf5/write.h"
#include "io/descriptor.h"

enum { SUPERBLOCK = 48, FAN = 32 };

static sheaf_status begin_file(sheaf_hdf5_writer *w)
{
	sheaf_hdf5_object *root;
	w->end = SUPERBLOCK;
	w->reader.address_size = w->reader.length_size = 8;
	w->chunk_fan = FAN;
	SHEAF_TRY(sheaf_hdf5_new_object(w, true, &root));
	return w->kind == SHEAF_BOX_NETCDF ? sheaf_hdf5_begin_netcdf(w) : SHEAF_OK;
}

/* What is written comes after everything that is there. */
static sheaf_status begin_into(sheaf_hdf5_writer *w)
{
	sheaf_hdf5_object *root;
	SHEAF_TRY(sheaf_hdf5_reader_open(&w->reader, w->reader.store, w->catalog, w->reader.cx, w->err));
	w->is_into = true;
	w->kind = w->reader.is_netcdf ? SHEAF_BOX_NETCDF : SHEAF_BOX_HDF5;
	w->end = w->reader.size - w->reader.base;
	w->chunk_fan = FAN;
	SHEAF_TRY(sheaf_hdf5_check_superblock(w));
	return sheaf_hdf5_old_object(w, w->reader.root, &root);
}

static void for_each_builder(sheaf_hdf5_writer *w, void (*what)(sheaf_builder *b, sheaf_context *cx))
{
	sheaf_builder *builders[] = {&w->waiting, &w->texts, &w->header, &w->message,    &w->type,
	                             &w->space,   &w->value, &w->heads,  &w->old_objects};
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++) what(builders[i], w->reader.cx);
}

static void begin_builder(sheaf_builder *b, sheaf_context *cx) { sheaf_builder_begin(b, cx, NULL); }

static void drop_builder(sheaf_builder *b, sheaf_context *cx)
{
	(void)cx;
	sheaf_builder_drop(b);
}

static void drop(sheaf_hdf5_writer *w)
{
	sheaf_context *cx = w->reader.cx;
	for_each_builder(w, drop_builder);
	sheaf_hdf5_drop_table(w, &w->links);
	sheaf_hdf5_places_drop(&w->old, cx);
	if (w->is_into) sheaf_hdf5_reader_close(&w->reader);
	sheaf_release(cx, w, sizeof *w);
}

static sheaf_status open_file(sheaf_box *box, bool fresh, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(box->cx, sizeof(sheaf_hdf5_writer), &memory, err));
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)memory;
	*w = (sheaf_hdf5_writer){.reader = {.cx = box->cx, .store = &box->store},
	                         .catalog = &box->catalog,
	                         .kind = box->kind,
	                         .err = err};
	for_each_builder(w, begin_builder);
	sheaf_status status = fresh ? begin_file(w) : begin_into(w);
	if (status) {
		drop(w);
		return status;
	}
	box->kind = w->kind;
	box->state = w;
	return SHEAF_OK;
}

static void close_file(void *state) { drop((sheaf_hdf5_writer *)state); }

static sheaf_status complete(sheaf_hdf5_writer *w)
{
	SHEAF_TRY(sheaf_hdf5_write_headers(w));
	SHEAF_TRY(sheaf_hdf5_flush_texts(w));
	SHEAF_TRY(sheaf_hdf5_flush(w));
	SHEAF_TRY(w->reader.store->resize(w->reader.store->user, w->reader.base + w->end, w->err));
	SHEAF_TRY(sheaf_hdf5_write_heads(w));
	return sheaf_hdf5_write_superblock(w);
}

static sheaf_status finish_file(void *state, sheaf_error *err)
{
	((sheaf_hdf5_writer *)state)->err = err;
	return complete((sheaf_hdf5_writer *)state);
}

/* ---- names that go ---- */

/* One that cannot be read may go all the same. */
static bool is_flaw(sheaf_status status)
{
	return status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED;
}

static sheaf_status unlink_object(sheaf_hdf5_writer *w, sheaf_hdf5_link *link)
{
	sheaf_error failure = {0}, *err = w->err;
	link->is_gone = true;
	link->group->nlinks--;
	link->group->links_change = true;
	w->err = &failure;
	sheaf_status status = SHEAF_OK;
	if (link->kind == SHEAF_HDF5_HARD_LINK && !link->to)
		status = sheaf_hdf5_old_object(w, link->address, &link->to);
	sheaf_hdf5_object *o = link->to;
	if (o && --o->nlinked > 0)
		o->nlinked_changes = true;
	else if (o) {
		o->is_gone = true;
		status = sheaf_hdf5_leave_dimensions(w, o);
	}
	w->err = err;
	if (is_flaw(status)) status = sheaf_forgive(status, "what is removed may be damaged");
	return status ? sheaf_fail_again(err, &failure) : SHEAF_OK;
}

/* ---- groups and texts ---- */

static sheaf_status make_group(void *state, const char *path, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *folder, *group;
	const char *name;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_group(w, path, &folder, &name));
	SHEAF_TRY(sheaf_hdf5_new_object(w, true, &group));
	return sheaf_hdf5_link_new(w, folder, name, group);
}

static sheaf_status remove_array(void *state, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *group;
	const char *name;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_group(w, item->path, &group, &name));
	sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, group, name, strlen(name));
	return link ? unlink_object(w, link) : SHEAF_OK;
}

static sheaf_status text_of_attribute(void *state, const sheaf_box_item *item, const char *name,
                                      sheaf_builder *text, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	bool found;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_read_new_text(w, item, name, text, &found));
	if (found) return SHEAF_OK;
	if (item->inside->own) return sheaf_hdf5_text(state, item, name, text, err);
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
	                  w->reader.store->name, item->path, name);
}

const sheaf_box_driver sheaf_hdf5_writing_driver = {
	.open = open_file,
	.finish = finish_file,
	.close = close_file,
	.text = text_of_attribute,
	.read_rows = sheaf_hdf5_read_rows,
	.read_chunk = sheaf_hdf5_read_chunk,
	.text_of = sheaf_hdf5_text_of,
	.make_group = make_group,
	.remove = remove_array,
	.set_text = sheaf_hdf5_set_text,
	.set_numbers = sheaf_hdf5_set_numbers,
	.new_array = sheaf_hdf5_new_array,
	.append = sheaf_hdf5_append,
	.write_chunk = sheaf_hdf5_write_chunk,
	.end_array = sheaf_hdf5_end_array,
	.drop_array = sheaf_hdf5_drop_array,
};
