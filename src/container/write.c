/* SPDX-License-Identifier: MIT */
/* Writing groups, texts and arrays. Paths and states are checked here, so drivers may rely on them.
 * Chunks are filtered on any thread, and stored in order by the writing thread.
 *
 * A failure of a driver sticks to the box: what is in the file then is not known, so every later call
 * fails in the same way, up to the end. Misuse, which is noticed before the driver is called, does not
 * stick. */
#include "base/checked.h"
#include "base/context.h"
#include "base/extend.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/threads/pipeline.h"
#include "container/filter.h"
#include "container/inside.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

struct sheaf_box_array {
	sheaf_box *box;
	struct sheaf_box_array *next;
	sheaf_box_plan plan;
	const char *path; /* of the catalog */
	void *handle;     /* the driver's; NULL: there is none yet */
	int64_t written;
	sheaf_pipeline chunks; /* open where there are any */
	int64_t submitted;
};

/* A chunk on its way: filled by the writing thread, filtered by any, stored by the writing thread. */
typedef struct packet {
	int64_t number;
	sheaf_builder values;
	sheaf_filtering filtering;
	sheaf_bytes out;
	sheaf_error failure;
} packet;

/* ---- paths ---- */

/* Returns what is wrong with a part of a path of n bytes that other programs, or a file system, would
 * read as something else; NULL: nothing. */
static const char *flaw_of_part(const char *part, size_t n)
{
	if (n == 0) return "an empty name";
	if (part[0] == '.' && (n == 1 || (n == 2 && part[1] == '.'))) return "a name that means another place";
	for (size_t i = 0; i < n;) {
		size_t length = sheaf_utf8_length((const uint8_t *)part + i, n - i);
		if (length == 0) return "a name that is not UTF-8";
		if ((uint8_t)part[i] < ' ') return "a control character";
		i += length;
	}
	return NULL;
}

/* Refuses a path unless each part of it is a name, and there are not more groups than a reader opens. */
static sheaf_status check_path(const sheaf_box *box, const char *path, sheaf_error *err)
{
	const char *flaw = NULL, *at = path;
	int depth = 1;
	for (const char *slash; !flaw && (slash = strchr(at, '/')); at = slash + 1, depth++)
		flaw = flaw_of_part(at, (size_t)(slash - at));
	if (!flaw) flaw = flaw_of_part(at, strlen(at));
	if (!flaw && depth > SHEAF_BOX_MAX_DEPTH) flaw = "more groups inside one another than are read";
	return flaw ? sheaf_fail(err, SHEAF_USAGE, "%s: expected a path such as \"a/b\", found %s in \"%.200s\"",
	                         box->name, flaw, path)
	            : SHEAF_OK;
}

/* An error of the box sticks. */
static sheaf_status stick(sheaf_box *box, sheaf_status status, const sheaf_error *failure, sheaf_error *err)
{
	if (!status) return SHEAF_OK;
	if (!box->failure.status) box->failure = *failure;
	return sheaf_fail_again(err, failure);
}

static sheaf_status check_writable(const sheaf_box *box, sheaf_error *err)
{
	if (box->failure.status) return sheaf_fail_again(err, &box->failure);
	return box->source
	           ? sheaf_fail(err, SHEAF_USAGE,
	                        "%s: expected a box opened for writing, found one opened for reading", box->name)
	           : SHEAF_OK;
}

/* ---- groups ---- */

/* Makes all groups on the way, from the root, in the first n bytes of the path; those that exist stay. An
 * array in the way is an error. */
static sheaf_status make_groups(sheaf_box *box, const char *path, size_t n, sheaf_error *err)
{
	char where[300];
	const char *own;
	sheaf_error failure = {0};
	for (size_t i = 1; i <= n; i++) {
		if (i < n && path[i] != '/') continue;
		SHEAF_TRY(sheaf_catalog_text(&box->catalog, &own, err, "%.*s", (int)i, path));
		sheaf_box_item *item = sheaf_catalog_find(&box->catalog, own);
		if (item && item->is_group && !item->refused) continue;
		if (item)
			return sheaf_fail(err, SHEAF_DATA, "%s: expected a group, found %s",
			                  sheaf_box_where(box, item, where), item->is_group ? item->refused : "an array");
		if (box->driver->make_group)
			SHEAF_TRY(stick(box, box->driver->make_group(box->state, own, &failure), &failure, err));
		SHEAF_TRY(sheaf_catalog_add_path(&box->catalog, own, true, &item, err));
		SHEAF_TRY(sheaf_catalog_place(&box->catalog, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_box_make_group(sheaf_box *box, const char *path, sheaf_error *err)
{
	SHEAF_TRY(check_writable(box, err));
	if (*path == '\0') return SHEAF_OK;
	SHEAF_TRY(check_path(box, path, err));
	return make_groups(box, path, strlen(path), err);
}

/* Removes the array at a path; nothing there is as good. Groups stay: what else is in them is not known
 * here. An array that is being written has a driver's handle, and cannot be taken away from under it. */
sheaf_status sheaf_box_remove(sheaf_box *box, const char *path, sheaf_error *err)
{
	char where[300];
	sheaf_error failure = {0};
	SHEAF_TRY(check_writable(box, err));
	sheaf_box_item *item = sheaf_catalog_find(&box->catalog, path);
	if (!item) return SHEAF_OK;
	if (item->is_group)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected an array to remove, found a group, which stays",
		                  sheaf_box_where(box, item, where));
	for (const sheaf_box_array *a = box->arrays; a; a = a->next)
		if (strcmp(a->path, path) == 0)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "%s: expected an array that is whole, found one that is being written",
			                  sheaf_box_where(box, item, where));
	if (!box->driver->remove)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected each array once, found it again",
		                  sheaf_box_where(box, item, where));
	SHEAF_TRY(stick(box, box->driver->remove(box->state, item, &failure), &failure, err));
	sheaf_catalog_remove(&box->catalog, path);
	return SHEAF_OK;
}

/* Sets an attribute of a group or an array to a text without NULs, and replaces an older one. A failure
 * of the driver stays with the box. */
sheaf_status sheaf_box_set_text(sheaf_box *box, const char *path, const char *name, const char *text,
                                size_t size, sheaf_error *err)
{
	char where[300];
	sheaf_error failure = {0};
	SHEAF_TRY(check_writable(box, err));
	const sheaf_box_item *item = sheaf_catalog_find(&box->catalog, path);
	if (!item)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected /%s, found nothing of that name", box->name,
		                  path);
	if (item->refused && (item->is_group || !item->inside->target))
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected a group or an array, found %s",
		                  sheaf_box_where(box, item, where), item->refused);
	if (size && memchr(text, '\0', size))
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a text without NUL for \"%s\", found one",
		                  sheaf_box_where(box, item, where), name);
	return stick(box, box->driver->set_text(box->state, item, name, text, size, &failure), &failure, err);
}

/* Finds an item that takes a list of `count` elements as an attribute. */
static sheaf_status find_for_lists(const sheaf_box *box, const char *path, int64_t count,
                                   const sheaf_box_item **item, sheaf_error *err)
{
	enum { MOST = 60000 / 8 };
	SHEAF_TRY(check_writable(box, err));
	*item = sheaf_catalog_find(&box->catalog, path);
	if (*item && (*item)->inside->target && box->driver->set_texts && count >= 0 && count <= MOST)
		return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNKNOWN,
	                  "%s: expected /%s to have room for a list of %" PRId64 ", found none", box->name, path,
	                  count);
}

sheaf_status sheaf_box_set_texts(sheaf_box *box, const char *path, const char *name, const char *const *texts,
                                 int count, sheaf_error *err)
{
	const sheaf_box_item *item;
	sheaf_error failure = {0};
	SHEAF_TRY(find_for_lists(box, path, count, &item, err));
	return stick(box, box->driver->set_texts(box->state, item, name, texts, count, &failure), &failure, err);
}

sheaf_status sheaf_box_set_numbers(sheaf_box *box, const char *path, const char *name,
                                   sheaf_box_values values, sheaf_error *err)
{
	const sheaf_box_item *item;
	sheaf_error failure = {0};
	SHEAF_TRY(find_for_lists(box, path, values.count, &item, err));
	return stick(box, box->driver->set_numbers(box->state, item, name, values, &failure), &failure, err);
}

/* ---- chunks ---- */

/* Filters a chunk on any thread, by the driver if it has a way of its own. The result stays in the
 * packet, and a failure too. */
static void work(void *user, void *item)
{
	const sheaf_box_array *a = (const sheaf_box_array *)user;
	packet *p = (packet *)item;
	size_t width = a->plan.shuffle ? sheaf_type_size(a->plan.type) * (size_t)sheaf_box_parts(&a->plan) : 0;
	p->failure.status = SHEAF_OK;
	p->filtering.cx = a->box->cx;
	sheaf_bytes chunk = {p->values.data, p->values.size};
	p->failure.status =
		a->box->driver->pack
			? a->box->driver->pack(&a->plan, &p->filtering, chunk, &p->out, &p->failure)
			: sheaf_filter_chunk(&p->filtering, width, a->plan.deflate, chunk, &p->out, &p->failure);
}

/* What a packet owns. */
static void drop(void *user, void *item)
{
	(void)user;
	packet *p = (packet *)item;
	sheaf_builder_drop(&p->values);
	sheaf_filtering_close(&p->filtering);
}

/* Stores the chunk that was submitted first, so that chunks are in the file in their order. A chunk as
 * large as before was not compressed: its mask has the bit of deflate, the last filter, as skipped. */
static sheaf_status store_first(sheaf_box_array *a, sheaf_error *err)
{
	const packet *p = (const packet *)sheaf_pipeline_first(&a->chunks);
	uint32_t skipped = p->out.size == p->values.size && a->plan.deflate ? a->plan.shuffle ? 2 : 1 : 0;
	sheaf_status status = p->failure.status;
	if (status)
		status = sheaf_fail_again(err, &p->failure);
	else
		status = a->box->driver->write_chunk(a->handle, p->number, skipped, p->out.data, p->out.size, err);
	sheaf_pipeline_pass(&a->chunks);
	return status;
}

/* The size of a chunk before filters. */
static size_t chunk_bytes(const sheaf_box_array *a)
{
	return (size_t)a->plan.chunk * sheaf_type_size(a->plan.type);
}

/* Gives the packet of the chunk that is being filled, or a free one. If none is free, the first one is
 * stored, which waits for its filters. */
static sheaf_status open_packet(sheaf_box_array *a, packet **out, sheaf_error *err)
{
	while (!(*out = (packet *)sheaf_pipeline_free_item(&a->chunks))) SHEAF_TRY(store_first(a, err));
	packet *p = *out;
	if (!p->values.cx) sheaf_builder_begin(&p->values, a->box->cx, NULL);
	if (p->number == a->submitted && p->values.size > 0) return SHEAF_OK;
	p->number = a->submitted;
	p->values.size = 0;
	if (!sheaf_builder_room(&p->values, chunk_bytes(a))) return sheaf_builder_status(&p->values, err);
	return SHEAF_OK;
}

static void submit(sheaf_box_array *a)
{
	sheaf_pipeline_submit(&a->chunks);
	a->submitted++;
}

/* ---- arrays ---- */

int64_t sheaf_box_chunk_of(const sheaf_box_plan *plan, int64_t bytes)
{
	enum { MOST = 1 << 30 };
	int64_t row = sheaf_box_row(plan);
	int64_t rows = (bytes < MOST ? bytes : MOST) / (int64_t)sheaf_type_size(plan->type) / row;
	int64_t chunk = (rows > 1 ? rows : 1) * row;
	return chunk > plan->count && plan->count > 0 ? plan->count : chunk;
}

/* Opens an array for writing: makes its groups, removes an older one of that name, opens the driver's,
 * and lists it, though it cannot be read yet. An array in chunks gets a pipeline that packs them. */
static sheaf_status open_array(sheaf_box *box, sheaf_box_array *a, const char *path, sheaf_error *err)
{
	const char *slash = strrchr(path, '/');
	SHEAF_TRY(make_groups(box, path, slash ? (size_t)(slash - path) : 0, err));
	SHEAF_TRY(sheaf_box_remove(box, path, err));
	SHEAF_TRY(sheaf_allocate(box->cx, box->driver->array_size, &a->handle, err));
	SHEAF_TRY(box->driver->new_array(box->state, &a->plan, a->handle, err));
	/* The array's place in the list: it can be read once the file is opened again (or, in memory, once it has
	 * ended). */
	int64_t *dims;
	sheaf_box_item *item;
	const char *own;
	SHEAF_TRY(sheaf_catalog_text(&box->catalog, &own, err, "%s", path));
	SHEAF_TRY(sheaf_catalog_allocate(&box->catalog, sizeof *dims, &dims, err));
	SHEAF_TRY(sheaf_catalog_add_path(&box->catalog, own, false, &item, err));
	item->refused = "one that is being written";
	item->what = SHEAF_BOX_NUMBERS;
	item->type = a->plan.type;
	item->of = sheaf_type_name(a->plan.type);
	item->rank = 1;
	item->dims = dims;
	item->storage = a->plan.chunk ? SHEAF_BOX_CHUNKED : SHEAF_BOX_CONTIGUOUS;
	a->path = item->path;
	a->plan.path = item->path;
	SHEAF_TRY(sheaf_catalog_place(&box->catalog, err));
	if (!a->plan.chunk) return SHEAF_OK;
	return sheaf_pipeline_open(&a->chunks, box->cx, sizeof(packet),
	                           sheaf_box_depth(box, (int64_t)chunk_bytes(a) * 3, 16, 2),
	                           (sheaf_pipeline_steps){work, NULL, drop, a}, err);
}

/* Takes an array out of the box's list, and drops what was not ended. */
static void free_array(sheaf_box_array *a)
{
	sheaf_box *box = a->box;
	sheaf_box_array **link = &box->arrays;
	while (*link && *link != a) link = &(*link)->next;
	if (*link) *link = a->next;
	sheaf_pipeline_close(&a->chunks);
	if (a->handle) {
		box->driver->drop_array(a->handle);
		sheaf_release(box->cx, a->handle, box->driver->array_size);
	}
	sheaf_release(box->cx, a, sizeof *a);
}

void sheaf_box_drop_arrays(sheaf_box *box)
{
	while (box->arrays) free_array(box->arrays);
}

/* Makes an array for writing, *out, which belongs to the box until it is ended. It replaces an array, but
 * not a group. Only once it is open is it among those of the box. */
static sheaf_status new_array(sheaf_box *box, const char *path, sheaf_box_plan plan, sheaf_box_array **out,
                              sheaf_error *err)
{
	sheaf_error failure = {0};
	*out = NULL;
	SHEAF_TRY(check_writable(box, err));
	SHEAF_TRY(check_path(box, path, err));
	const sheaf_box_item *old = sheaf_catalog_find(&box->catalog, path);
	if (old && old->is_group)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected an array in /%s, or nothing, found a group, which stays", box->name,
		                  path);
	sheaf_box_array *a;
	SHEAF_TRY(sheaf_allocate(box->cx, sizeof(sheaf_box_array), &a, err));
	*a = (sheaf_box_array){.box = box, .plan = plan, .path = ""};
	sheaf_status status = open_array(box, a, path, &failure);
	if (status) {
		free_array(a);
		return stick(box, status, &failure, err);
	}
	a->next = box->arrays;
	box->arrays = a;
	*out = a;
	return SHEAF_OK;
}

static void set_shape(sheaf_box_plan *plan, const sheaf_box_values *values)
{
	plan->rank = values->shape ? values->rank : 1;
	for (int d = 0; values->shape && d < plan->rank; d++) plan->shape[d] = values->shape[d];
}

/* Plans and makes an array of numbers. count -1: it is not known, and needs chunks. Storing is checked,
 * since it may come from a caller, not from a command whose options were checked. Chunks are only for
 * those who ask for something that needs them: contiguous values can be mapped, and are found without an
 * index. Shuffling bytes one by one would do nothing. */
sheaf_status sheaf_box_new_array(sheaf_box *box, const char *path, sheaf_box_values values,
                                 const sheaf_box_storing *storing, sheaf_box_array **out, sheaf_error *err)
{
	enum { USUAL = 1 << 20 };
	sheaf_box_storing s = storing ? *storing : (sheaf_box_storing){0};
	int64_t count = values.count, most = INT64_MAX / 8;
	*out = NULL;
	if (count < -1 || count > most)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a number of values for /%s, found %" PRId64,
		                  box->name, path, count);
	if (s.deflate < 0 || s.deflate > SHEAF_DEFLATE_MOST || s.chunk_bytes < 0)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"%s: expected a deflate level from 0 to %d and a size of chunks for /%s, found others", box->name,
			SHEAF_DEFLATE_MOST, path);
	sheaf_box_plan plan = {
		.path = path, .type = values.type, .count = count, .offset = -1, .what = values.what};
	set_shape(&plan, &values);
	if (count < 0 || (count > 0 && plan.rank && (s.deflate || s.shuffle || s.zstd || s.chunk_bytes))) {
		plan.chunk = sheaf_box_chunk_of(&plan, s.chunk_bytes ? s.chunk_bytes : USUAL);
		plan.deflate = s.deflate;
		plan.zstd = s.zstd;
		plan.shuffle = s.shuffle && sheaf_type_size(values.type) > 1;
	}
	return new_array(box, path, plan, out, err);
}

/* Sends `size` bytes of values to where they go: into chunks, which are cut here whatever the sizes of
 * the calls are, to the array's own place in the file, or to the driver. */
static sheaf_status append(sheaf_box_array *a, const void *values, size_t size, sheaf_error *err)
{
	const sheaf_store *store = &a->box->store;
	int64_t at = a->plan.offset + a->written * (int64_t)sheaf_type_size(a->plan.type);
	if (a->plan.chunk) {
		const uint8_t *from = (const uint8_t *)values;
		while (size > 0) {
			packet *p;
			SHEAF_TRY(sheaf_check_stop(a->box->cx, err));
			SHEAF_TRY(open_packet(a, &p, err));
			size_t left = chunk_bytes(a) - p->values.size, n = size < left ? size : left;
			sheaf_builder_append(&p->values, from, n);
			from += n;
			size -= n;
			if (n == left) submit(a);
		}
		return SHEAF_OK;
	}
	if (a->plan.offset >= 0) return store->write(store->user, at, values, size, err);
	return a->box->driver->append(a->handle, values, size, err);
}

/* Appends `count` values to an array. More values than were announced are refused before any is written. */
sheaf_status sheaf_box_append(sheaf_box_array *a, const void *values, int64_t count, sheaf_error *err)
{
	sheaf_error failure = {0};
	size_t size = 0;
	int64_t end;
	if (a->box->failure.status) return sheaf_fail_again(err, &a->box->failure);
	bool fits = count >= 0 && sheaf_add_i64(&end, a->written, count) &&
	            sheaf_mul_size(&size, (uint64_t)count, sheaf_type_size(a->plan.type));
	if (!(fits && (a->plan.count < 0 || end <= a->plan.count)))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected %" PRId64 " values in /%s, found %" PRId64 " after %" PRId64,
		                  a->box->name, a->plan.count, a->path, count, a->written);
	if (count == 0) return SHEAF_OK;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder room = {.cx = a->box->cx};
	const void *bytes = sheaf_numbers_of_files(&room, values, (size_t)count, sheaf_type_size(a->plan.type));
	sheaf_status status = sheaf_builder_status(&room, &failure);
	if (!status) status = append(a, bytes, size, &failure);
	SHEAF_TRY(stick(a->box, status, &failure, err));
	a->written += count;
	return SHEAF_OK;
}

/* Ends an array: checks the number of its values, stores the chunks that are on their way, and ends the
 * driver's. The item's only dimension is the place that was allocated for it when the array was opened. */
static sheaf_status end_array(sheaf_box_array *a, sheaf_error *err)
{
	if (a->plan.count >= 0 && a->written != a->plan.count)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected %" PRId64 " values in /%s, found %" PRId64,
		                  a->box->name, a->plan.count, a->path, a->written);
	if (a->plan.chunk) {
		/* The last chunk is as long as the others, padded with zeros after the end of the array; a single one
		 * is as long as the array. */
		if (a->written > a->submitted * a->plan.chunk) {
			packet *p;
			if (a->submitted == 0) a->plan.chunk = a->written;
			SHEAF_TRY(open_packet(a, &p, err));
			memset(p->values.data + p->values.size, 0, chunk_bytes(a) - p->values.size);
			p->values.size = chunk_bytes(a);
			submit(a);
		}
		while (sheaf_pipeline_count(&a->chunks) > 0) SHEAF_TRY(store_first(a, err));
	}
	sheaf_box_item *item = sheaf_catalog_find(&a->box->catalog, a->path);
	item->count = *(int64_t *)(uintptr_t)item->dims = a->written;
	item->inside->is_swapped = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && sheaf_type_size(a->plan.type) > 1;
	return a->box->driver->end_array(a->handle, a->written, item, err);
}

/* The array is freed in any case; an array that has failed before fails with the first reason. */
sheaf_status sheaf_box_end_array(sheaf_box_array *a, sheaf_error *err)
{
	sheaf_error failure = {0};
	sheaf_box *box = a->box;
	sheaf_status status =
		box->failure.status ? sheaf_fail_again(&failure, &box->failure) : end_array(a, &failure);
	free_array(a);
	return stick(box, status, &failure, err);
}

/* The first failure counts; that of ending the array follows from it. */
sheaf_status sheaf_box_put(sheaf_box *box, const char *path, sheaf_box_values values,
                           const sheaf_box_storing *storing, sheaf_error *err)
{
	sheaf_box_array *a;
	SHEAF_TRY(sheaf_box_new_array(box, path, values, storing, &a, err));
	sheaf_status status = sheaf_box_append(a, values.values, values.count, err);
	sheaf_status ended = sheaf_box_end_array(a, status ? NULL : err);
	return status ? status : ended;
}

/* ---- texts ---- */

/* Appends texts, padded to the size of the longest one with NULs, a few thousand bytes at a time. */
static sheaf_status append_texts(sheaf_box_array *a, const uint8_t *bytes, const int64_t *offsets,
                                 int64_t count, sheaf_error *err)
{
	enum { STEP = 1 << 16 };
	size_t size = (size_t)a->plan.text_size;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = a->box->cx};
	for (int64_t i = 0; i < count; i++) {
		size_t n = (size_t)(offsets[i + 1] - offsets[i]);
		uint8_t *to = sheaf_builder_extend(&b, size);
		if (!to) return sheaf_builder_status(&b, err);
		memcpy(memset(to, 0, size), bytes + offsets[i], n);
		if (b.size < STEP && i + 1 < count) continue;
		SHEAF_TRY(sheaf_box_append(a, b.data, (int64_t)b.size, err));
		b.size = 0;
	}
	return SHEAF_OK;
}

/* Writes an array of texts; text i is bytes [offsets[i], offsets[i + 1]). All have the size of
 * the longest in the plan. A NUL would end a text for every reader, and is refused. */
sheaf_status sheaf_box_put_texts(sheaf_box *box, const char *path, sheaf_box_values texts,
                                 const int64_t *offsets, sheaf_error *err)
{
	sheaf_box_array *a;
	const uint8_t *bytes = (const uint8_t *)texts.values;
	int64_t size = 1, count = texts.count,
			all; /* of the longest text: a type of text takes at least a byte */
	for (int64_t i = 0; i < count; i++)
		if (offsets[i + 1] - offsets[i] > size) size = offsets[i + 1] - offsets[i];
	if (count && memchr(bytes + offsets[0], '\0', (size_t)(offsets[count] - offsets[0])))
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected texts without NULs for /%s, found one", box->name,
		                  path);
	if (size > INT32_MAX || !sheaf_mul_i64(&all, size, count))
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "%s: expected texts of less than 2^31 bytes for /%s, found longer ones", box->name,
		                  path);
	sheaf_box_plan plan = {.path = path, .type = SHEAF_U8, .count = all, .text_size = size, .offset = -1};
	set_shape(&plan, &texts);
	SHEAF_TRY(new_array(box, path, plan, &a, err));
	sheaf_status status = append_texts(a, bytes, offsets, count, err);
	sheaf_status ended = sheaf_box_end_array(a, status ? NULL : err);
	return status ? status : ended;
}

/* ---- records ---- */

size_t sheaf_box_member_size(const sheaf_box_member *member)
{
	if (member->what == SHEAF_BOX_TEXTS) return 2 * sizeof(int64_t);
	return sheaf_type_size(member->type) * (member->what == SHEAF_BOX_COMPLEX ? 2 : 1);
}

sheaf_status sheaf_box_put_records(sheaf_box *box, const char *path, const sheaf_box_records *records,
                                   sheaf_error *err)
{
	sheaf_box_array *a;
	int64_t size = 0;
	for (int m = 0; m < records->nmembers; m++) size += (int64_t)sheaf_box_member_size(&records->members[m]);
	if (box->kind != SHEAF_BOX_HDF5)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected an HDF5 file for records in /%s, found another", box->name, path);
	sheaf_box_plan plan = {.path = path,
	                       .type = SHEAF_U8,
	                       .count = (int64_t)records->bytes.size,
	                       .text_size = size,
	                       .records = records,
	                       .rank = 1,
	                       .offset = -1};
	SHEAF_TRY(new_array(box, path, plan, &a, err));
	sheaf_status status = sheaf_box_append(a, records->bytes.data, plan.count, err);
	sheaf_status ended = sheaf_box_end_array(a, status ? NULL : err);
	return status ? status : ended;
}
