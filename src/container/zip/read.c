/* SPDX-License-Identifier: MIT */
/* The driver that reads archives of NumPy (.npz): a ZIP file in which each member is an array (.npy).
 * Names with slashes are groups, and texts without dimensions are attributes of their group. Headers are
 * read when the box is opened; stored contents are read in place, and packed ones are unpacked at once
 * and kept. The checksum of a stored member is checked before its values are first read, since that takes
 * as long as reading them.
 *
 * One damaged array does not hide the others: it is listed with its reason. What contradicts itself in the
 * list of members (a name twice, an array that is a group as well) refuses the archive, because nobody can
 * say which of the two is meant. */
#include "base/context.h"
#include "base/extend.h"
#include "base/memory.h"
#include "base/show.h"
#include "container/characters.h"
#include "container/zip/archive.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <string.h>

enum { MOST_MEMBERS = 4096 };

/* An open archive. */
typedef struct state {
	sheaf_context *cx;
	sheaf_box *box;
	sheaf_zip zip;
} state;

/* ---- names ---- */

/* The length of a name without .npy; 0: it is no array. */
static size_t bare_length(const char *name)
{
	size_t n = strlen(name);
	return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : 0;
}

/* Returns how many groups a name is in; -1: it leads elsewhere (a part of it is empty, "." or ".."), or
 * is not UTF-8, and is ignored. */
static int depth_of(const char *name, size_t size)
{
	int depth = -1;
	for (size_t at = 0; at <= size; depth++) {
		const char *slash = (const char *)memchr(name + at, '/', size - at);
		size_t n = slash ? (size_t)(slash - name) - at : size - at;
		if (n == 0 || (n <= 2 && memcmp(name + at, "..", n) == 0)) return -1;
		at += n + 1;
	}
	return sheaf_is_utf8((const uint8_t *)name, size) ? depth : -1;
}

/* ---- listing ---- */

/* Adds the first n bytes of a member's name as a group, which becomes *folder, unless it is there. */
static sheaf_status add_group(state *s, const char *name, size_t n, const char **folder, sheaf_error *err)
{
	sheaf_catalog *catalog = &s->box->catalog;
	SHEAF_TRY(sheaf_catalog_text(catalog, folder, err, "%.*s", (int)n, name));
	sheaf_box_item *item = sheaf_catalog_find(catalog, *folder);
	if (item && item->is_group) return SHEAF_OK;
	if (item)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %s to be an array or a group, found both",
		                  s->box->name, *folder);
	SHEAF_TRY(sheaf_catalog_add_path(catalog, *folder, true, &item, err));
	return sheaf_catalog_place(catalog, err);
}

/* The array stays in the list, with the reason. */
static sheaf_status refuse(state *s, sheaf_box_item *item, sheaf_status status, const char *why,
                           sheaf_error *err)
{
	item->is_damaged = status != SHEAF_UNSUPPORTED;
	return sheaf_catalog_text(&s->box->catalog, &item->refused, err, "one that %s (%.300s)",
	                          item->is_damaged ? "is damaged" : "is not read here", why);
}

/* Describes what the elements are from the description in NumPy's notation; returns the reason if they
 * are not read, else NULL. */
static const char *class_of(const sheaf_array *array, sheaf_box_item *item)
{
	const sheaf_part *part = &array->dtype.parts[0];
	if (array->dtype.structured || array->dtype.nparts != 1) return "records";
	bool is_complex = part->kind == 'c';
	if (array->fortran && array->rank > 1) return "its first dimension runs fastest";
	if (!strchr("biufc", part->kind)) return "its items are not numbers";
	if (!sheaf_box_number_type(part->kind, (size_t)part->size, &item->type))
		return "its numbers are float16";
	item->what = is_complex ? SHEAF_BOX_COMPLEX : part->kind == 'b' ? SHEAF_BOX_BOOLS : SHEAF_BOX_NUMBERS;
	item->inside->per = is_complex ? 2 : 1;
	item->inside->width = (size_t)part->size;
	return NULL;
}

/* Describes an array that is sound. Its values are in memory, where what was unpacked is kept at an
 * address that suits its type, or at a place in the file. One that is not read gets the reason. */
static sheaf_status describe_array(state *s, const sheaf_array *array, sheaf_archive_own *own,
                                   sheaf_box_item *item, sheaf_error *err)
{
	sheaf_catalog *catalog = &s->box->catalog;
	sheaf_box_detail *inside = item->inside;
	const char *why = class_of(array, item);
	SHEAF_TRY(sheaf_catalog_copy_bytes(catalog, array->shape, sizeof array->shape, &item->dims, err));
	item->rank = array->rank;
	item->storage = SHEAF_BOX_CONTIGUOUS;
	item->bytes = own->member->stored;
	if (why) return refuse(s, item, SHEAF_UNSUPPORTED, why, err);
	item->count = array->count * inside->per;
	inside->archive = own;
	bool is_big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	SHEAF_TRY(
		sheaf_catalog_name_numbers(catalog, item, array->dtype.parts[0].swapped != is_big_here, "", err));
	if (own->at >= 0) {
		inside->offset = own->at + array->data_at;
		return SHEAF_OK;
	}
	item->filters = "deflate";
	size_t size = (size_t)(array->count * array->dtype.size), from = (size_t)array->data_at;
	const sheaf_buffer *bytes = &array->holding.bytes;
	if ((uintptr_t)(bytes->data + from) % inside->width == 0) {
		inside->held = sheaf_buffer_part(bytes, from, size);
		return SHEAF_OK;
	}
	sheaf_builder copy = {.cx = array->cx};
	sheaf_builder_append(&copy, bytes->data + from, size);
	return sheaf_builder_finish(&copy, &inside->held, err);
}

/* ---- members ---- */

/* Opens a member as an array. Stored contents are not checked yet: own->is_checked says whether they are. */
static sheaf_status open_member(state *s, const sheaf_zip_member *m, sheaf_archive_own *own,
                                sheaf_array *array, sheaf_error *err)
{
	sheaf_holding holding = {.size = m->size, .name = m->name};
	own->member = m;
	if (m->method == 0) {
		SHEAF_TRY(sheaf_zip_locate(&s->zip, m, &own->at, err));
		holding.source = s->zip.source;
		holding.at = own->at;
	} else {
		SHEAF_TRY(sheaf_zip_contents(&s->zip, m, &own->at, &holding.bytes, err));
		atomic_store(&own->is_checked, true);
	}
	return sheaf_array_open(array, &holding, s->cx, err);
}

/* Makes a text an attribute of its group, without the NULs that pad it. */
static sheaf_status take_text(state *s, const sheaf_array *array, const char *folder, const char *name,
                              sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = s->cx};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer item = {0};
	SHEAF_TRY(sheaf_holding_view(&array->holding, array->data_at, array->dtype.size, &item, err));
	const sheaf_part *part = &array->dtype.parts[0];
	bool is_big = part->swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (part->kind == 'U')
		sheaf_box_put_utf32(&text, item.data, item.size, is_big);
	else
		sheaf_box_put_padded(&text, item.data, item.size);
	SHEAF_TRY(sheaf_builder_status(&text, err));
	const sheaf_box_item *group = sheaf_catalog_find(&s->box->catalog, folder);
	return sheaf_memory_set_text(NULL, group, name, (const char *)text.data, text.size, err);
}

/* Adds a member and its groups to the catalog; a text of rank 0 becomes an attribute of its group. A
 * damaged array is listed with the reason; names are checked before anything is opened. Members that are
 * not arrays are passed over. */
static sheaf_status add_member(state *s, const sheaf_zip_member *m, sheaf_error *err)
{
	sheaf_catalog *catalog = &s->box->catalog;
	size_t size = bare_length(m->name);
	const char *path, *folder = "";
	sheaf_archive_own *own;
	sheaf_box_item *item;
	sheaf_error failure = {0};
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {.cx = NULL};
	int depth = size ? depth_of(m->name, size) : -1;
	if (depth < 0) return SHEAF_OK;
	/* A name with many slashes would be a path for each of them. */
	if (depth > SHEAF_BOX_MAX_DEPTH)
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "%s: expected at most %d groups inside one another, found %d in %.60s...",
		                  s->box->name, SHEAF_BOX_MAX_DEPTH, depth, m->name);
	for (size_t i = 1; i < size; i++)
		if (m->name[i] == '/') SHEAF_TRY(add_group(s, m->name, i, &folder, err));
	SHEAF_TRY(sheaf_catalog_allocate(catalog, sizeof *own, &own, err));
	SHEAF_TRY(sheaf_catalog_text(catalog, &path, err, "%.*s", (int)size, m->name));
	sheaf_status status = open_member(s, m, own, &array, &failure);
	if (status && !sheaf_is_flaw(status) && status != SHEAF_LIMIT) return sheaf_fail_again(err, &failure);
	if (!status && array.rank == 0 && array.dtype.nparts == 1 && !array.dtype.structured &&
	    strchr("SU", array.dtype.parts[0].kind))
		return take_text(s, &array, folder, path + (*folder ? strlen(folder) + 1 : 0), err);
	const sheaf_box_item *there = sheaf_catalog_find(catalog, path);
	if (there)
		return sheaf_fail(err, SHEAF_DATA,
		                  there->is_group ? "%s: expected %s to be an array or a group, found both"
		                                  : "%s: expected each array once, found %s twice",
		                  s->box->name, path);
	SHEAF_TRY(sheaf_catalog_add_path(catalog, path, false, &item, err));
	status =
		status ? refuse(s, item, status, failure.message, err) : describe_array(s, &array, own, item, err);
	sheaf_status placed = sheaf_catalog_place(catalog, status ? NULL : err);
	return status ? status : placed;
}

/* ---- opening ---- */

static void close_state(void *memory) { sheaf_zip_close(&((state *)memory)->zip); }

/* Opens an archive and lists its arrays. One of more members than anybody makes would take long to open. */
static sheaf_status open_state(sheaf_box *box, void *memory, sheaf_error *err)
{
	state *s = (state *)memory;
	*s = (state){.cx = box->cx, .box = box};
	SHEAF_TRY(sheaf_zip_open(&s->zip, s->box->source, s->cx, err));
	if (s->zip.count > MOST_MEMBERS)
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected at most %d arrays, found %d", s->box->name,
		                  MOST_MEMBERS, s->zip.count);
	for (int m = 0; m < s->zip.count; m++) {
		SHEAF_TRY(sheaf_check_stop(s->cx, err));
		SHEAF_TRY(add_member(s, &s->zip.members[m], err));
	}
	return SHEAF_OK;
}

/* Finds out whether there is an array of that name, in any group, without a look at contents. */
sheaf_status sheaf_box_archive_has(sheaf_source *source, const char *name, sheaf_context *cx, bool *has,
                                   sheaf_error *err)
{
	sheaf_zip zip;
	*has = false;
	SHEAF_TRY(sheaf_zip_open(&zip, source, cx, err));
	for (int m = 0; m < zip.count && !*has; m++) {
		const char *path = zip.members[m].name, *slash = strrchr(path, '/');
		const char *own = slash ? slash + 1 : path;
		size_t n = bare_length(own);
		*has = n && n == strlen(name) && memcmp(own, name, n) == 0;
	}
	sheaf_zip_close(&zip);
	return SHEAF_OK;
}

/* ---- values ---- */

/* The checksum, once: two threads may both check it, which does no harm. */
static sheaf_status prepare(void *memory, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_archive_own *own = item->inside->archive;
	if (atomic_load(&own->is_checked)) return SHEAF_OK;
	SHEAF_TRY(sheaf_zip_check(&((const state *)memory)->zip, own->member, own->at, err));
	atomic_store(&own->is_checked, true);
	return SHEAF_OK;
}

const sheaf_box_driver sheaf_archive_reading_driver = {
	.state_size = sizeof(state),
	.open = open_state,
	.close = close_state,
	.text = sheaf_memory_text,
	.complete = sheaf_memory_complete,
	.prepare = prepare,
};
