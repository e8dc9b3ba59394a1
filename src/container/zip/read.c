/* SPDX-License-Identifier: MIT */
/* The driver that reads archives of NumPy (.npz): a ZIP file in which each member is an array (.npy).
 * Names with slashes are groups, and texts without dimensions are attributes of their group. Headers are
 * read when the box is opened; stored contents are read in place, and packed ones are unpacked at once
 * and kept. The checksum of a stored member is checked before its values are first read. */
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

/* Names that lead elsewhere are ignored: so is what is not UTF-8. */
static bool is_path(const char *name, size_t size)
{
	for (size_t at = 0; at <= size;) {
		const char *slash = (const char *)memchr(name + at, '/', size - at);
		size_t n = slash ? (size_t)(slash - name) - at : size - at;
		if (n == 0 || (n <= 2 && memcmp(name + at, "..", n) == 0)) return false;
		at += n + 1;
	}
	return sheaf_is_utf8((const uint8_t *)name, size);
}

/* A path with its two parts, which live as long as the catalog. */
typedef struct place {
	const char *path, *folder, *name;
} place;

/* The first n bytes of a member's name. */
static sheaf_status find_place(state *s, const char *name, size_t n, place *out, sheaf_error *err)
{
	sheaf_catalog *catalog = &s->box->catalog;
	const char *slash = (const char *)memrchr(name, '/', n);
	SHEAF_TRY(sheaf_catalog_text(catalog, &out->path, err, "%.*s", (int)n, name));
	out->folder = "";
	out->name = slash ? out->path + (slash - name) + 1 : out->path;
	return slash ? sheaf_catalog_text(catalog, &out->folder, err, "%.*s", (int)(slash - name), name)
	             : SHEAF_OK;
}

/* ---- listing ---- */

/* The same path cannot be both. */
static sheaf_status refuse_both(const state *s, const char *path, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: expected %s to be an array or a group, found both", s->box->name,
	                  path);
}

/* The first n bytes of the name, as a group. */
static sheaf_status add_group(state *s, const char *name, size_t n, sheaf_error *err)
{
	sheaf_catalog *catalog = &s->box->catalog;
	place to;
	SHEAF_TRY(find_place(s, name, n, &to, err));
	sheaf_box_item *item = sheaf_catalog_find(catalog, to.path);
	if (item) return item->is_group ? SHEAF_OK : refuse_both(s, to.path, err);
	SHEAF_TRY(sheaf_catalog_add(catalog, to.folder, to.name, true, &item, err));
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

/* What the elements are, from the description in NumPy's notation; a text if they are not read. */
static const char *class_of(const sheaf_array *array, sheaf_box_item *item)
{
	static const sheaf_type whole[2][4] = {{SHEAF_U8, SHEAF_U16, SHEAF_U32, SHEAF_U64},
	                                       {SHEAF_I8, SHEAF_I16, SHEAF_I32, SHEAF_I64}};
	const sheaf_part *part = &array->dtype.parts[0];
	if (array->dtype.structured || array->dtype.nparts != 1) return "records";
	int64_t size = part->kind == 'c' ? part->size / 2 : part->size;
	if (array->fortran && array->rank > 1) return "its first dimension runs fastest";
	if (!strchr("biufc", part->kind)) return "its items are not numbers";
	if (strchr("fc", part->kind) && size < 4) return "its numbers are float16";
	item->what = part->kind == 'c'   ? SHEAF_BOX_COMPLEX
	             : part->kind == 'b' ? SHEAF_BOX_BOOLS
	                                 : SHEAF_BOX_NUMBERS;
	item->type = strchr("fc", part->kind) ? size == 8 ? SHEAF_F64 : SHEAF_F32
	                                      : whole[part->kind == 'i'][__builtin_ctz((unsigned)size)];
	item->inside->per = part->kind == 'c' ? 2 : 1;
	item->inside->width = (size_t)part->size;
	item->inside->is_swapped = part->swapped && size > 1;
	return NULL;
}

/* An array that is sound. Its values are in memory, or at a place in the file. */
static sheaf_status describe_array(state *s, const sheaf_array *array, sheaf_archive_own *own,
                                   sheaf_box_item *item, sheaf_error *err)
{
	void *memory;
	const char *why = class_of(array, item);
	SHEAF_TRY(sheaf_catalog_allocate(&s->box->catalog, sizeof array->shape, &memory, err));
	memcpy(memory, array->shape, sizeof array->shape);
	item->rank = array->rank;
	item->dims = (const int64_t *)memory;
	item->storage = SHEAF_BOX_CONTIGUOUS;
	item->bytes = own->member->stored;
	if (why) return refuse(s, item, SHEAF_UNSUPPORTED, why, err);
	item->count = array->count * item->inside->per;
	item->inside->archive = own;
	SHEAF_TRY(
		sheaf_catalog_text(&s->box->catalog, &item->of, err, "%s%s%s",
	                       item->inside->is_swapped
	                           ? __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "big-endian " : "little-endian "
	                           : "",
	                       item->what == SHEAF_BOX_COMPLEX ? "complex " : "",
	                       item->what == SHEAF_BOX_BOOLS ? "bool" : sheaf_type_name(item->type)));
	if (own->at < 0) {
		item->filters = "deflate";
		/* What has been unpacked is kept, at an address that suits its type. */
		sheaf_builder copy;
		size_t size = (size_t)(array->count * array->dtype.size), from = (size_t)array->data_at;
		const sheaf_buffer *bytes = &array->holding.bytes;
		if ((uintptr_t)(bytes->data + from) % item->inside->width == 0) {
			item->inside->held = sheaf_buffer_part(bytes, from, size);
			return SHEAF_OK;
		}
		sheaf_builder_begin(&copy, array->cx, NULL);
		sheaf_builder_append(&copy, bytes->data + from, size);
		return sheaf_builder_finish(&copy, &item->inside->held, err);
	}
	item->inside->offset = own->at + array->data_at;
	return SHEAF_OK;
}

/* ---- members ---- */

/* For SHEAF_SCOPED. */
static void close_part(sheaf_zip_part *part) { sheaf_buffer_reset(&part->bytes); }

/* The member as an array. Stored contents are not checked yet. */
static sheaf_status open_member(state *s, const sheaf_zip_member *m, sheaf_archive_own *own,
                                sheaf_array *array, sheaf_error *err)
{
	SHEAF_SCOPED(close_part) sheaf_zip_part part = {0};
	own->member = m;
	own->at = -1;
	if (m->method == 0) {
		SHEAF_TRY(sheaf_zip_locate(&s->zip, m, &own->at, err));
	} else {
		SHEAF_TRY(sheaf_zip_contents(&s->zip, m, &part, err));
		atomic_store(&own->is_checked, true);
	}
	sheaf_holding holding = {.source = own->at < 0 ? NULL : s->zip.source,
	                         .at = own->at < 0 ? 0 : own->at,
	                         .bytes = part.bytes,
	                         .size = m->size,
	                         .name = m->name};
	part.bytes = (sheaf_buffer){0};
	return sheaf_array_open(array, &holding, s->cx, err);
}

/* A text is an attribute of its group. */
static sheaf_status take_text(state *s, const sheaf_array *array, place to, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = s->cx};
	sheaf_buffer item = {0};
	SHEAF_TRY(sheaf_holding_view(&array->holding, array->data_at, array->dtype.size, &item, err));
	const sheaf_part *part = &array->dtype.parts[0];
	if (part->kind == 'U')
		sheaf_box_put_utf32(&text, item.data, item.size, part->swapped);
	else
		sheaf_box_put_padded(&text, item.data, item.size);
	sheaf_buffer_reset(&item);
	SHEAF_TRY(sheaf_builder_status(&text, err));
	const sheaf_box_item *group = sheaf_catalog_find(&s->box->catalog, to.folder);
	return sheaf_memory_set_text(NULL, group, to.name, (const char *)text.data, text.size, err);
}

/* The item of an array that is not described yet. */
static sheaf_status add_array(state *s, place to, sheaf_box_item **item, sheaf_error *err)
{
	sheaf_catalog *catalog = &s->box->catalog;
	const sheaf_box_item *there = sheaf_catalog_find(catalog, to.path);
	if (there && there->is_group) return refuse_both(s, to.path, err);
	if (there)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected each array once, found %s twice", s->box->name,
		                  to.path);
	return sheaf_catalog_add(catalog, to.folder, to.name, false, item, err);
}

/* A damaged array is listed with the reason; names are checked before anything is opened. Members that
 * are not arrays are passed over. */
static sheaf_status add_member(state *s, const sheaf_zip_member *m, sheaf_error *err)
{
	size_t size = bare_length(m->name);
	place to = {0};
	sheaf_box_item *item = NULL;
	sheaf_error failure = {0};
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {.cx = NULL};
	if (size == 0 || !is_path(m->name, size)) return SHEAF_OK;
	/* A name with many slashes would be a path for each of them. */
	int depth = 0;
	for (size_t i = 1; i < size; i++) depth += m->name[i] == '/';
	if (depth > SHEAF_BOX_MAX_DEPTH)
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "%s: expected at most %d groups inside one another, found %d in %.60s...",
		                  s->box->name, SHEAF_BOX_MAX_DEPTH, depth, m->name);
	for (size_t i = 1; i < size; i++)
		if (m->name[i] == '/') SHEAF_TRY(add_group(s, m->name, i, err));
	sheaf_archive_own *own;
	SHEAF_TRY(sheaf_catalog_allocate(&s->box->catalog, sizeof(sheaf_archive_own), &own, err));
	SHEAF_TRY(find_place(s, m->name, size, &to, err));
	sheaf_status status = open_member(s, m, own, &array, &failure);
	if (status && !(status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED ||
	                status == SHEAF_LIMIT))
		return sheaf_fail_again(err, &failure);
	/* A text is an attribute of its group. */
	if (!status && (array.rank == 0 && array.dtype.nparts == 1 && !array.dtype.structured &&
	                strchr("SU", array.dtype.parts[0].kind)))
		return take_text(s, &array, to, err);
	SHEAF_TRY(add_array(s, to, &item, err));
	status =
		status ? refuse(s, item, status, failure.message, err) : describe_array(s, &array, own, item, err);
	sheaf_status placed = sheaf_catalog_place(&s->box->catalog, status ? NULL : err);
	return status ? status : placed;
}

/* ---- opening ---- */

static void close_state(void *memory) { sheaf_zip_close(&((state *)memory)->zip); }

/* An archive of more members than anybody makes would take long to open. */
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

/* Whether there is an array of that name, in any group, without a look at contents. */
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

/* ---- values and texts ---- */

/* The checksum, once. */
static sheaf_status prepare(void *memory, const sheaf_box_item *item, sheaf_error *err)
{
	const state *s = (const state *)memory;
	sheaf_archive_own *own = item->inside->archive;
	if (atomic_load(&own->is_checked)) return SHEAF_OK;
	SHEAF_TRY(sheaf_zip_check(&s->zip, own->member, own->at, err));
	atomic_store(&own->is_checked, true);
	return SHEAF_OK;
}

const sheaf_box_driver sheaf_archive_reading_driver = {
	.state_size = sizeof(state),
	.open = open_state,
	.close = close_state,
	.text = sheaf_memory_text,
	.prepare = prepare,
};
