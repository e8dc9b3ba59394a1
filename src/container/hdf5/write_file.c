/* SPDX-License-Identifier: MIT */
/* A file from its beginning to its end: the driver that writes HDF5, into a new file or into an existing
 * one.
 *
 * An existing file is only appended to until everything new is there; then the first blocks of changed
 * headers are replaced, and the superblock at the end of all. Files whose structure would not survive
 * that (pages, several files, free space that is kept track of, an image of the cache) are refused before
 * anything is written. */
#include "base/extend.h"
#include "base/status.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/write.h"
#include "io/descriptor.h"

/* ---- existing files ---- */

static sheaf_status refuse(const sheaf_hdf5_writer *w, const char *found)
{
	return sheaf_fail(w->err, SHEAF_UNSUPPORTED,
	                  "%s: expected a file that can be written into, found %s (`h5repack` makes one)",
	                  w->reader.store->name, found);
}

/* Checks whether a file can be added to by its superblock's extension at `address`: an object header that
 * belongs to no object, whose messages say how the file is made. Additions come after all of it, which
 * some strategies of tracking free space do not allow. */
static sheaf_status check_parts(sheaf_hdf5_writer *w, int64_t address)
{
	enum { FANS = 19, DRIVER, FREE_SPACE = 23, CACHE, PAGES = 1, OLD_KEPT = 1 };
	static const char field[] = "free space";
	size_t n;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, &w->reader, address, w->err));
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(&v.h, &n);
	for (size_t i = 0; i < n; i++) {
		sheaf_cursor c = sheaf_hdf5_part_cursor(&v.h, &parts[i]);
		unsigned type = parts[i].type;
		if (type == DRIVER) return refuse(w, "one of several");
		if (type == CACHE) return refuse(w, "one with an image of a cache");
		if (type == FANS) {
			sheaf_cursor_bytes(&c, 1, 1, "a version");
			w->reader.fan = (unsigned)sheaf_hdf5_take(&c, 2, "the size of nodes");
		}
		if (type == FREE_SPACE) {
			unsigned version = sheaf_cursor_u8(&c, field), strategy = sheaf_cursor_u8(&c, field),
					 is_kept = version ? sheaf_cursor_u8(&c, field) : strategy == OLD_KEPT;
			if (version && strategy == PAGES) return refuse(w, "one that is made of pages");
			if (is_kept) return refuse(w, "one that keeps track of its free space");
		}
		if (c.failed) return refuse(w, "one whose superblock's extension breaks off");
	}
	return SHEAF_OK;
}

/* ---- the superblock ---- */

/* Makes the superblock of an existing file anew in b: the end of the file; in old versions, that the root
 * is no symbol table any more; the checksum. */
static sheaf_status change(sheaf_hdf5_writer *w, sheaf_builder *b)
{
	enum { NEW = 2, SCRATCH = 16, SUM = 4 };
	const sheaf_hdf5_reader *r = &w->reader;
	size_t width = r->address_size, addresses = (size_t)r->addresses;
	size_t size = addresses + (r->version < NEW ? 5 * width + r->length_size + 8 + SCRATCH : 4 * width + SUM);
	if (!sheaf_builder_room(b, size)) return sheaf_builder_status(b, w->err);
	SHEAF_TRY(r->store->read(r->store->user, r->base, b->data, size, w->err));
	b->size = addresses + 2 * width;
	SHEAF_HDF5_PUT(w, b, "A", r->base + w->end);
	b->size = r->version < NEW ? size : size - SUM;
	if (r->version >= NEW)
		sheaf_hdf5_put_sum(b);
	else if (sheaf_hdf5_object_at(w, 0)->links_change)
		memset(b->data + size - 8 - SCRATCH, 0, 8 + SCRATCH);
	return SHEAF_OK;
}

/* ---- opening and closing ---- */

/* Opens an existing file to write into it, and takes its root. Everything is written after the existing
 * contents, from w->end on. A file that another program has open is refused. */
static sheaf_status begin_into(sheaf_hdf5_writer *w, const sheaf_store *store)
{
	sheaf_hdf5_object *root;
	SHEAF_TRY(sheaf_hdf5_reader_open(&w->reader, store, w->catalog, w->reader.cx, w->err));
	w->is_into = true;
	w->kind = w->reader.is_netcdf ? SHEAF_BOX_NETCDF : SHEAF_BOX_HDF5;
	w->end = w->reader.size - w->reader.base;
	const sheaf_hdf5_reader *r = &w->reader;
	if (r->is_open)
		return sheaf_fail(
			w->err, SHEAF_UNSUPPORTED,
			"%s: expected a file that no program is writing, found one that is being written, or that was "
			"not closed (`h5clear -s` clears its mark)",
			r->store->name);
	if (r->extension >= 0) SHEAF_TRY(check_parts(w, r->extension));
	if (r->fan == 0) return refuse(w, "one whose nodes are of no size");
	return sheaf_hdf5_old_object(w, w->reader.root, &root);
}

/* Opens the driver's state for a new file, which has the superblock's place, sizes of 8 bytes, and a
 * root, or for an existing one. A writer fails as a whole, and is closed then. */
static sheaf_status open_file(sheaf_box *box, void *state, sheaf_error *err)
{
	enum { SUPERBLOCK = 48, FAN = 32 };
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *root;
	*w = (sheaf_hdf5_writer){.reader = {.cx = box->cx, .address_size = 8, .length_size = 8, .fan = FAN},
	                         .catalog = &box->catalog,
	                         .kind = box->kind,
	                         .end = SUPERBLOCK,
	                         .err = err};
	for (size_t i = 0; i < SHEAF_HDF5_BUILDERS; i++) w->builders[i].cx = box->cx;
	if (box->is_fresh) {
		w->reader.store = &box->store;
		SHEAF_TRY(sheaf_hdf5_new_object(w, true, &root));
		return w->kind == SHEAF_BOX_NETCDF ? sheaf_hdf5_begin_netcdf(w) : SHEAF_OK;
	}
	SHEAF_TRY(begin_into(w, &box->store));
	box->kind = w->kind;
	return SHEAF_OK;
}

/* Closes the driver's state, complete or not. What is in the file stays: the caller decides about that. */
static void close_file(void *state)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	for (size_t i = 0; i < SHEAF_HDF5_BUILDERS; i++) sheaf_builder_drop(&w->builders[i]);
	sheaf_hdf5_places_drop(&w->link_numbers, w->reader.cx);
	sheaf_hdf5_places_drop(&w->old, w->reader.cx);
	if (w->is_into) sheaf_hdf5_reader_close(&w->reader);
}

/* Completes the file: headers, texts and values first, then the file's size, then what leads to all that.
 * The superblock of a new file is of version 2, which HDF5 1.8 and later read. */
static sheaf_status finish_file(void *state, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_write_headers(w));
	SHEAF_TRY(sheaf_hdf5_flush_texts(w));
	SHEAF_TRY(sheaf_hdf5_flush(w));
	SHEAF_TRY(w->reader.store->resize(w->reader.store->user, w->reader.base + w->end, w->err));
	SHEAF_TRY(sheaf_hdf5_write_heads(w));
	sheaf_builder *b = &w->message;
	b->size = 0;
	if (w->is_into) {
		SHEAF_TRY(change(w, b));
	} else {
		/* Version 2: signature, version, sizes, flags, base, extension, end of the file, root, checksum. */
		sheaf_builder_text(b, SHEAF_HDF5_SIGNATURE "\2\10\10");
		sheaf_builder_byte(b, 0);
		int64_t root = sheaf_hdf5_object_at(w, 0)->address;
		SHEAF_HDF5_PUT(w, b, "AAAA", 0, SHEAF_HDF5_NOWHERE, w->end, root);
		sheaf_hdf5_put_sum(b);
	}
	SHEAF_TRY(sheaf_builder_status(b, w->err));
	SHEAF_TRY(sheaf_hdf5_store(w, 0, b->data, b->size));
	return sheaf_hdf5_flush(w);
}

/* ---- groups ---- */

/* A group is an object with a link to it, in its parent. */
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

/* Removes the link to an array. The last link to an object takes the object with it; its bytes stay in
 * the file (`h5repack` removes them). An object that cannot be read may still be removed, and one that is
 * not there is as good as removed. */
static sheaf_status remove_array(void *state, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_error failure = {0};
	sheaf_hdf5_object *group;
	const char *name;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_group(w, item->path, &group, &name));
	sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, group, name, strlen(name));
	if (!link) return SHEAF_OK;
	link->is_gone = true;
	group->nlinks--;
	group->links_change = true;
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
	if (sheaf_is_flaw(status)) status = sheaf_forgive(status, "what is removed may be damaged");
	return status ? sheaf_fail_again(err, &failure) : SHEAF_OK;
}

/* ---- attributes ---- */

/* Finds the object of an item, and lists its attributes, so that one can be added or replaced. */
static sheaf_status begin(sheaf_hdf5_writer *w, const sheaf_box_item *item, sheaf_hdf5_object **object,
                          sheaf_error *err)
{
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_object(w, item->inside->target, strlen(item->inside->target), object));
	SHEAF_TRY(sheaf_hdf5_list_attributes(w, *object));
	sheaf_hdf5_begin_attribute(w);
	return SHEAF_OK;
}

/* Sets an attribute to a scalar text of variable length, in UTF-8. */
static sheaf_status set_text(void *state, const sheaf_box_item *item, const char *name, const char *text,
                             size_t size, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	sheaf_hdf5_message like = {.text_size = size};
	SHEAF_TRY(begin(w, item, &object, err));
	sheaf_hdf5_put_text_type(w, &w->type);
	sheaf_hdf5_put_shape(w, &w->space, NULL, 0);
	SHEAF_TRY(
		sheaf_hdf5_store_text(w, (sheaf_bytes){(const uint8_t *)text, size}, size, &w->value, &like.text));
	return sheaf_hdf5_set_attribute(w, object, name, like);
}

/* Sets an attribute to a list of texts of variable length: an array of one dimension. */
static sheaf_status set_texts(void *state, const sheaf_box_item *item, const char *name,
                              const char *const *texts, int count, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	int64_t place;
	SHEAF_TRY(begin(w, item, &object, err));
	sheaf_hdf5_put_text_type(w, &w->type);
	sheaf_hdf5_put_space(w, &w->space, count, true);
	for (int i = 0; i < count; i++) {
		sheaf_bytes text = {(const uint8_t *)texts[i], strlen(texts[i])};
		SHEAF_TRY(sheaf_hdf5_store_text(w, text, text.size, &w->value, &place));
	}
	return sheaf_hdf5_set_attribute(w, object, name, (sheaf_hdf5_message){0});
}

/* Numbers: an array of one dimension, or a scalar. */
static sheaf_status set_numbers(void *state, const sheaf_box_item *item, const char *name,
                                sheaf_box_values values, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	SHEAF_TRY(begin(w, item, &object, err));
	sheaf_hdf5_put_element(&w->type, values.what, values.type);
	sheaf_hdf5_put_shape(w, &w->space, values.shape ? values.shape : &values.count,
	                     values.shape ? values.rank : 1);
	sheaf_builder_numbers(&w->value, values.values, (size_t)values.count, sheaf_type_size(values.type));
	return sheaf_hdf5_set_attribute(w, object, name, (sheaf_hdf5_message){0});
}

/* Appends an attribute that is a text. One that was written here is in the file, or waiting to be
 * written. It is looked for among the objects that are known without reading the file: whatever has got a
 * text is one of them. */
static sheaf_status text_of_attribute(void *state, const sheaf_box_item *item, const char *name,
                                      sheaf_builder *text, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	const sheaf_hdf5_object *object = sheaf_hdf5_object_at(w, 0);
	for (const char *path = item->inside->target; object && *path;) {
		size_t n = strcspn(path, "/");
		const sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, object, path, n);
		object = link ? link->to : NULL;
		path += n + (path[n] == '/');
	}
	const sheaf_hdf5_message *m = object ? sheaf_hdf5_find_attribute(object, name) : NULL;
	w->err = err;
	if (m && m->text) return sheaf_hdf5_read_text(w, m->text, m->text_size, text);
	if (item->inside->own) return sheaf_hdf5_text(state, item, name, text, err);
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
	                  w->reader.store->name, item->path, name);
}

const sheaf_box_driver sheaf_hdf5_writing_driver = {
	.state_size = sizeof(sheaf_hdf5_writer),
	.array_size = sizeof(sheaf_hdf5_array),
	.open = open_file,
	.finish = finish_file,
	.close = close_file,
	.text = text_of_attribute,
	.read_rows = sheaf_hdf5_read_rows,
	.read_chunk = sheaf_hdf5_read_chunk,
	.chunk_at = sheaf_hdf5_chunk_at,
	.text_of = sheaf_hdf5_text_of,
	.make_group = make_group,
	.remove = remove_array,
	.set_text = set_text,
	.set_texts = set_texts,
	.set_numbers = set_numbers,
	.new_array = sheaf_hdf5_new_array,
	.append = sheaf_hdf5_append,
	.write_chunk = sheaf_hdf5_write_chunk,
	.end_array = sheaf_hdf5_end_array,
	.drop_array = sheaf_hdf5_drop_array,
};
