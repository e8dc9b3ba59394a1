/* SPDX-License-Identifier: MIT */
/* Opening and closing boxes, alone or shared by writers. A box is read from a source, or written to a
 * sink, or it is in memory; the kind decides which driver knows the bytes, and drivers see them only as a
 * store.
 *
 * A source may keep a box that was read (sheaf_box_leave), so that a file that is looked at again is not
 * listed again. A sink has one box, which several writers share: it counts its users, the last one
 * completes it, and a failure of one is a failure of all, because a file that lacks what one of them has
 * written is not what anybody asked for. */
#include "base/context.h"
#include "base/extend.h"
#include "base/memory.h"
#include "container/inside.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "io/source.h"

/* ---- the bytes after ---- */

static sheaf_status read_source(void *user, int64_t at, void *data, size_t size, sheaf_error *err)
{
	return sheaf_source_read_at(((const sheaf_box *)user)->source, at, data, size, err);
}

static sheaf_status size_of_source(void *user, int64_t *size, sheaf_error *err)
{
	(void)err;
	*size = sheaf_source_size(((const sheaf_box *)user)->source);
	return SHEAF_OK;
}

static sheaf_status read_sink(void *user, int64_t at, void *data, size_t size, sheaf_error *err)
{
	return sheaf_sink_read_at(((const sheaf_box *)user)->sink, at, data, size, err);
}

static sheaf_status write_sink(void *user, int64_t at, const void *data, size_t size, sheaf_error *err)
{
	return sheaf_sink_write_at(((const sheaf_box *)user)->sink, at, data, size, err);
}

static sheaf_status size_of_sink(void *user, int64_t *size, sheaf_error *err)
{
	return sheaf_sink_size(((const sheaf_box *)user)->sink, size, err);
}

static sheaf_status resize_sink(void *user, int64_t size, sheaf_error *err)
{
	return sheaf_sink_resize(((const sheaf_box *)user)->sink, size, err);
}

/* ---- opening ---- */

/* Makes a box without a driver: an empty catalog, which has the root, and the lock of what is kept. */
static sheaf_status new_box(sheaf_context *cx, const char *name, sheaf_box **out, sheaf_error *err)
{
	*out = NULL;
	sheaf_box *box;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_box), &box, err));
	*box = (sheaf_box){.cx = cx, .name = name, .users = 1};
	int sys = sheaf_mutex_init(&box->kept);
	sheaf_status status = sys ? sheaf_fail_sys(err, sys, "%s: expected a lock", name)
	                          : sheaf_catalog_open(&box->catalog, cx, err);
	if (!status) {
		*out = box;
		return SHEAF_OK;
	}
	if (!sys) sheaf_mutex_destroy(&box->kept);
	sheaf_release(cx, box, sizeof *box);
	return status;
}

/* Arrays first: they are the driver's as well. */
static void close_driver(sheaf_box *box)
{
	sheaf_box_drop_arrays(box);
	if (box->state && box->driver->close) box->driver->close(box->state);
	if (box->state) sheaf_release(box->cx, box->state, box->driver->state_size);
	box->state = NULL;
}

static void free_box(sheaf_box *box)
{
	close_driver(box);
	sheaf_catalog_close(&box->catalog);
	sheaf_mutex_destroy(&box->kept);
	sheaf_release(box->cx, box, sizeof *box);
}

/* netCDF-4 is HDF5. What is of no kind is given to the driver of HDF5, which says what it has expected. */
static const struct {
	const sheaf_box_driver *reading, *writing;
} drivers[] = {[SHEAF_NO_BOX] = {&sheaf_hdf5_reading_driver, NULL},
               [SHEAF_BOX_MEMORY] = {&sheaf_memory_driver, &sheaf_hdf5_writing_driver},
               [SHEAF_BOX_HDF5] = {&sheaf_hdf5_reading_driver, &sheaf_hdf5_writing_driver},
               [SHEAF_BOX_NETCDF] = {&sheaf_hdf5_reading_driver, &sheaf_hdf5_writing_driver},
               [SHEAF_BOX_CLASSIC] = {&sheaf_classic_driver, NULL},
               [SHEAF_BOX_ZARR] = {&sheaf_zarr_driver, &sheaf_zarr_writing_driver},
               [SHEAF_BOX_ZARR_2] = {&sheaf_zarr_driver, &sheaf_zarr_writing_driver},
               [SHEAF_BOX_ARCHIVE] = {&sheaf_archive_reading_driver, &sheaf_archive_writing_driver}};

/* Lists the contents. */
static sheaf_status open_driver(sheaf_box *box, sheaf_error *err)
{
	box->driver = box->sink ? drivers[box->kind].writing : drivers[box->kind].reading;
	SHEAF_TRY(sheaf_allocate(box->cx, box->driver->state_size, &box->state, err));
	SHEAF_TRY(box->driver->open(box, box->state, err));
	sheaf_catalog_sort(&box->catalog);
	return SHEAF_OK;
}

/* The mark of boxes among what a source may keep. */
static void drop_left(void *cached) { free_box((sheaf_box *)cached); }

/* Gives the box of a source: the one that was left with the source, or a new one, whose kind the first
 * bytes show. A folder can only be Zarr; an archive is looked for last, because Zarr in a ZIP file is an
 * archive as well. The caller closes it. */
sheaf_status sheaf_box_open(sheaf_source *source, sheaf_context *cx, sheaf_box **out, sheaf_error *err)
{
	sheaf_box *box = (sheaf_box *)source->cached;
	*out = box && source->free_cached == drop_left && box->cx == cx ? box : NULL;
	if (*out) {
		source->cached = NULL;
		return SHEAF_OK;
	}
	SHEAF_TRY(new_box(cx, sheaf_source_name(source), &box, err));
	box->source = source;
	box->store = (sheaf_store){box->name, read_source, NULL, size_of_source, NULL, box};
	sheaf_bytes head;
	sheaf_status status = sheaf_source_make_seekable(source, err);
	if (!status) status = sheaf_source_ahead(source, 4096, &head, err);
	if (!status) {
		box->kind = sheaf_source_folder(source) >= 0 ? SHEAF_BOX_ZARR : sheaf_box_recognise(head);
		if (box->kind == SHEAF_NO_BOX && sheaf_box_is_archive(head)) box->kind = SHEAF_BOX_ARCHIVE;
		status = open_driver(box, err);
	}
	if (status)
		free_box(box);
	else
		*out = box;
	return status;
}

/* Makes a box without a file, whose items stay in memory. */
sheaf_status sheaf_box_in_memory(sheaf_context *cx, sheaf_box **out, sheaf_error *err)
{
	sheaf_box *box;
	*out = NULL;
	SHEAF_TRY(new_box(cx, "(memory)", &box, err));
	box->kind = SHEAF_BOX_MEMORY;
	sheaf_status status = open_driver(box, err);
	if (status)
		free_box(box);
	else
		*out = box;
	return status;
}

void sheaf_box_close(sheaf_box *box)
{
	if (box) free_box(box);
}

/* Leaves a box with its source for the next one who opens it, or closes it. One box at most is left with
 * a source. A box that has failed is not worth keeping. */
void sheaf_box_leave(sheaf_box *box)
{
	if (!box || !box->source || box->failure.status) {
		sheaf_box_close(box);
		return;
	}
	sheaf_source *source = box->source;
	if (source->cached) source->free_cached(source->cached);
	source->cached = box;
	source->free_cached = drop_left;
}

/* The kinds that can be written. */
sheaf_status sheaf_box_available(sheaf_box_kind kind, sheaf_error *err)
{
	if (kind != SHEAF_NO_BOX && kind != SHEAF_BOX_CLASSIC) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "expected HDF5, netCDF-4, Zarr or an archive of NumPy, found %s",
	                  kind == SHEAF_BOX_CLASSIC ? "the classic netCDF format, which is read, and not written"
	                                            : "a kind of file that is not read or written");
}

/* ---- writing to a sink ---- */

/* Closes the driver of a box whose sink ends before its writers: what they write later has nowhere to go,
 * and fails. */
static void lose_sink(void *writer)
{
	sheaf_box *box = (sheaf_box *)writer;
	close_driver(box);
	if (!box->failure.status)
		box->failure.status =
			sheaf_fail(&box->failure, SHEAF_USAGE,
		               "%s: expected the output to be open, found that it was abandoned", "box");
	box->sink = NULL;
	box->name = "(closed)";
}

/* Prepares the sink of a new box. Zarr by default is a folder, which is a sink of its own kind; into an
 * existing file means a clone of it, which takes its place when everything is complete; all others are
 * written at random places. An empty file is as good as none. */
static sheaf_status open_sink(sheaf_box *box, bool into, sheaf_error *err)
{
	bool is_there = false;
	SHEAF_TRY(sheaf_box_available(box->kind, err));
	if (into && drivers[box->kind].writing != &sheaf_hdf5_writing_driver)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected an HDF5 or netCDF-4 file to write into, found another kind",
		                  box->name);
	if (sheaf_box_is_folder(box->kind, box->name))
		SHEAF_TRY(sheaf_sink_make_tree(box->sink, err));
	else if (into)
		SHEAF_TRY(sheaf_sink_make_clone(box->sink, &is_there, err));
	else
		SHEAF_TRY(sheaf_sink_make_random(box->sink, err));
	box->store = (sheaf_store){box->name, read_sink, write_sink, size_of_sink, resize_sink, box};
	int64_t size = 0;
	if (is_there) SHEAF_TRY(sheaf_sink_size(box->sink, &size, err));
	box->is_fresh = size == 0;
	return open_driver(box, err);
}

/* Gives the box that is written to a sink. The first writer makes it, with its options; those who come
 * later share it as it is (box->users counts them). kind SHEAF_NO_BOX: the kind of the name's ending,
 * else HDF5. */
sheaf_status sheaf_box_create(sheaf_sink *sink, sheaf_box_kind kind, bool into, sheaf_context *cx,
                              sheaf_box **out, sheaf_error *err)
{
	sheaf_error failure = {0};
	sheaf_box *box = (sheaf_box *)sink->writer;
	*out = NULL;
	if (box) {
		if (box->failure.status) return sheaf_fail_again(err, &box->failure);
		box->users++;
		*out = box;
		return SHEAF_OK;
	}
	SHEAF_TRY(new_box(cx, sink->name, &box, err));
	box->sink = sink;
	/* The kind that was requested, else that of the name's ending, else HDF5. */
	if (kind == SHEAF_NO_BOX) kind = sheaf_box_kind_by_name(sink->name);
	box->kind = kind == SHEAF_NO_BOX ? SHEAF_BOX_HDF5 : kind;
	sheaf_status status = open_sink(box, into, &failure);
	if (status) {
		free_box(box);
		if (sink->is_random) sheaf_sink_spoil(sink, &failure);
		return sheaf_fail_again(err, &failure);
	}
	sink->writer = box;
	sink->drop_writer = lose_sink;
	*out = box;
	return SHEAF_OK;
}

/* One writer leaves; the last one closes the box. */
static void leave(sheaf_box *box)
{
	if (box->sink && box->failure.status) sheaf_sink_spoil(box->sink, &box->failure);
	if (--box->users > 0) return;
	if (box->sink) box->sink->writer = NULL;
	free_box(box);
}

/* Ends one writer of a box. Only the last one completes the file. Until then a writer that finishes
 * merely says that it has nothing to add. */
sheaf_status sheaf_box_finish(sheaf_box *box, sheaf_error *err)
{
	if (box->users == 1) {
		sheaf_error *failure = &box->failure;
		if (!failure->status && box->arrays)
			failure->status =
				sheaf_fail(failure, SHEAF_USAGE,
			               "%s: expected all arrays to be complete, found one that is not", box->name);
		if (!failure->status && box->driver->finish)
			failure->status = box->driver->finish(box->state, failure);
		close_driver(box);
	}
	sheaf_status status = box->failure.status ? sheaf_fail_again(err, &box->failure) : SHEAF_OK;
	leave(box);
	return status;
}

/* A writer that has given up spoils the output of all. */
void sheaf_box_abandon(sheaf_box *box)
{
	if (!box) return;
	if (!box->failure.status)
		box->failure.status =
			sheaf_fail(&box->failure, SHEAF_USAGE,
		               "%s: expected all writers to finish, found that one has given up", box->name);
	leave(box);
}

/* ---- looking ---- */

const sheaf_box_item *sheaf_box_items(sheaf_box *box, int64_t *count)
{
	sheaf_catalog_sort(&box->catalog);
	*count = box->catalog.count;
	return box->catalog.items;
}

/* An item that is found stays where it is, so all are in order before. */
const sheaf_box_item *sheaf_box_find(sheaf_box *box, const char *path)
{
	sheaf_catalog_sort(&box->catalog);
	return sheaf_catalog_find(&box->catalog, path);
}

/* Reads an attribute as text into *out, which the caller resets. An item that was refused has attributes
 * if it has a target: an array that is not read, but whose header is. */
sheaf_status sheaf_box_text(sheaf_box *box, const char *path, const char *name, sheaf_buffer *out,
                            sheaf_error *err)
{
	char where[300];
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = box->cx};
	const sheaf_box_item *item = sheaf_catalog_find(&box->catalog, path);
	sheaf_buffer_reset(out);
	if (box->failure.status) return sheaf_fail_again(err, &box->failure);
	if (!item)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected /%s, found nothing of that name", box->name,
		                  path);
	if (item->refused && item->is_group)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected a readable group, found %s",
		                  sheaf_box_where(box, item, where), item->refused);
	if (!item->inside->target)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected an attribute \"%s\", found none",
		                  sheaf_box_where(box, item, where), name);
	SHEAF_TRY(box->driver->text(box->state, item, name, &text, err));
	return sheaf_builder_finish(&text, out, err);
}

/* Finds out whether there is an attribute that is a text. What is no text counts as none, apart from
 * failures that are not the file's. */
sheaf_status sheaf_box_has_text(sheaf_box *box, const char *path, const char *name, bool *has,
                                sheaf_error *err)
{
	sheaf_buffer text = {0};
	sheaf_error failure = {0};
	sheaf_status status = sheaf_box_text(box, path, name, &text, &failure);
	sheaf_buffer_reset(&text);
	*has = status == SHEAF_OK;
	bool is_none = status == SHEAF_UNKNOWN || status == SHEAF_DATA || status == SHEAF_UNSUPPORTED;
	if (is_none) status = sheaf_forgive(status, "what is there is no text");
	return status ? sheaf_fail_again(err, &failure) : SHEAF_OK;
}
