/* SPDX-License-Identifier: MIT */
/* The driver of netCDF before HDF5. Arrays that are contiguous in the file need none, since the box reads
 * them by their place; those that grow with the records are gathered from records here. The header stays in
 * memory as it is in the file, and attributes are found in it when somebody asks. */
#include "base/extend.h"
#include "base/memory.h"
#include "container/netcdf/classic.h"
#include <inttypes.h>
#include <string.h>

typedef struct state {
	sheaf_box *box;
	sheaf_classic_header header;
} state;

static void close_state(void *memory) { sheaf_classic_drop(&((state *)memory)->header); }

static sheaf_status open_state(sheaf_box *box, void *memory, sheaf_error *err)
{
	int64_t size;
	state *s = (state *)memory;
	s->box = box;
	SHEAF_TRY(box->store.size(box->store.user, &size, err));
	SHEAF_TRY(sheaf_classic_load(&s->header, &box->store, box->cx, err));
	return sheaf_classic_list(&s->header, box, size, err);
}

/* ---- records ---- */

/* Reads records [from, to) of a variable that grows, whose parts are `stride` bytes apart in the file,
 * into `out`. Near ones are read together, up to a megabyte with what lies between them; those that are
 * 64 KiB apart or more, one by one to their places. */
static sheaf_status read_rows(void *memory, const sheaf_box_item *item, int64_t from, int64_t to, void *out,
                              sheaf_error *err)
{
	enum { NEAR = 1 << 16, AT_ONCE = 1 << 20 };
	const state *s = (const state *)memory;
	const sheaf_store *store = &s->box->store;
	const sheaf_classic_variable *v = sheaf_classic_variable_at(&s->header, item->inside->handle);
	int64_t stride = s->header.stride, records_at_once = stride < NEAR ? AT_ONCE / stride : 1;
	size_t size = (size_t)v->size;
	uint8_t *next = (uint8_t *)out;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = s->box->cx};
	if (records_at_once > 1 && !sheaf_builder_room(&b, AT_ONCE)) return sheaf_builder_status(&b, err);
	for (int64_t at = from; at < to; at += records_at_once) {
		int64_t n = to - at < records_at_once ? to - at : records_at_once, byte = v->begin + at * stride;
		uint8_t *read = records_at_once > 1 ? b.data : next;
		SHEAF_TRY(store->read(store->user, byte, read, (size_t)((n - 1) * stride) + size, err));
		for (int64_t i = 0; records_at_once > 1 && i < n; i++)
			memcpy(next + (size_t)i * size, read + (size_t)(i * stride), size);
		next += (size_t)n * size;
	}
	return SHEAF_OK;
}

/* Padded with NULs, or with spaces. */
static sheaf_status text_of(void *memory, const sheaf_box_item *item, const uint8_t *element,
                            sheaf_builder *text, sheaf_error *err)
{
	(void)memory;
	size_t n = item->inside->width;
	while (n > 0 && (element[n - 1] == 0 || element[n - 1] == ' ')) n--;
	sheaf_builder_append(text, element, n);
	return sheaf_builder_status(text, err);
}

/* ---- attributes ---- */

/* The attributes of a variable, or of the file, whose item is the root with the number -1. */
static sheaf_classic_attributes attributes_of(const state *s, const sheaf_box_item *item)
{
	int64_t variable = item->inside->handle;
	return variable < 0 ? s->header.attributes : sheaf_classic_variable_at(&s->header, variable)->attributes;
}

/* Finds the first attribute of that name. Attributes are parsed one by one, since they are not kept. */
static sheaf_status find_attribute(const state *s, const sheaf_box_item *item, const char *name,
                                   sheaf_classic_attribute *out, sheaf_error *err)
{
	const sheaf_classic_header *h = &s->header;
	int64_t number = 0;
	sheaf_classic_attributes list = attributes_of(s, item);
	for (size_t at = 0; sheaf_classic_next(h, list, &number, &at, out);)
		if (out->name.size == strlen(name) && memcmp(out->name.text, name, out->name.size) == 0)
			return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none", h->name,
	                  item->path, name);
}

/* Appends an attribute that is a text; only characters are one. Programs that pad them with NULs count
 * these. */
static sheaf_status read_text(void *memory, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                              sheaf_error *err)
{
	const state *s = (const state *)memory;
	sheaf_classic_attribute a;
	SHEAF_TRY(find_attribute(s, item, name, &a, err));
	if (a.type != SHEAF_CLASSIC_CHAR)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected the attribute \"%s\" to be a text, found numbers",
		                  s->header.name, item->path, name);
	while (a.size > 0 && a.values[a.size - 1] == 0) a.size--;
	sheaf_builder_append(text, a.values, a.size);
	return sheaf_builder_status(text, err);
}

/* Describes an attribute as an array of one dimension, the only item of a fresh catalog, and gives its bytes
 * as they are in the file; characters are one text. The caller closes the catalog. */
static sheaf_status describe(const state *s, const sheaf_classic_attribute *a, sheaf_catalog *catalog,
                             sheaf_builder *bytes, sheaf_error *err)
{
	SHEAF_TRY(sheaf_catalog_open(catalog, s->box->cx, err));
	sheaf_box_item *value = &catalog->items[0];
	bool is_text = a->type == SHEAF_CLASSIC_CHAR;
	value->is_group = false;
	value->type = sheaf_classic_type_of(a->type);
	value->what = is_text ? SHEAF_BOX_TEXTS : SHEAF_BOX_NUMBERS;
	SHEAF_TRY(sheaf_catalog_name_numbers(catalog, value, true, "", err));
	if (is_text) value->of = "text";
	value->rank = !is_text;
	value->count = is_text ? 1 : a->count;
	SHEAF_TRY(sheaf_catalog_copy_bytes(catalog, &value->count, sizeof value->count, &value->dims, err));
	value->inside->width = is_text ? a->size : sheaf_type_size(value->type);
	sheaf_builder_append(bytes, a->values, a->size);
	return sheaf_builder_status(bytes, err);
}

static sheaf_status read_attribute(void *memory, const sheaf_box_item *item, const char *name,
                                   sheaf_catalog *catalog, sheaf_builder *bytes, sheaf_error *err)
{
	const state *s = (const state *)memory;
	sheaf_classic_attribute a;
	SHEAF_TRY(find_attribute(s, item, name, &a, err));
	return describe(s, &a, catalog, bytes, err);
}

/* A list of which the header has fewer attributes than it says has been refused before. */
static sheaf_status note_attributes(void *memory, sheaf_box_notes *notes, sheaf_error *err)
{
	const state *s = (const state *)memory;
	sheaf_classic_attributes list = attributes_of(s, notes->item);
	sheaf_classic_attribute a;
	int64_t number = 0;
	for (size_t at = 0; sheaf_classic_next(&s->header, list, &number, &at, &a);) {
		SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
		SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = s->box->cx};
		const sheaf_bytes name = {(const uint8_t *)a.name.text, a.name.size};
		if (a.type == SHEAF_CLASSIC_CHAR) {
			while (a.size > 0 && a.values[a.size - 1] == 0) a.size--;
			sheaf_box_put_text(&bytes, a.values, a.size);
			SHEAF_TRY(sheaf_box_note_json(notes, name, &bytes, err));
			continue;
		}
		SHEAF_TRY(describe(s, &a, &catalog, &bytes, err));
		SHEAF_TRY(sheaf_box_note(notes, name, &catalog.items[0], &bytes, err));
	}
	return SHEAF_OK;
}

const sheaf_box_driver sheaf_classic_driver = {
	.state_size = sizeof(state),
	.open = open_state,
	.close = close_state,
	.text = read_text,
	.attribute = read_attribute,
	.complete = note_attributes,
	.read_rows = read_rows,
	.text_of = text_of,
};
