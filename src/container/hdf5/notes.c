/* SPDX-License-Identifier: MIT */
/* What listings show of an object beside what opening has found out: its attributes, and the names of its
 * dimensions, to which netCDF refers by the addresses of other objects. */
#include "base/context.h"
#include "container/hdf5/read.h"
#include <stdlib.h>
#include <string.h>

/* The notes on an object, and what is needed to make them. */
typedef struct noting {
	sheaf_hdf5_reader *r;
	sheaf_hdf5_look *l;
	sheaf_box_notes *notes;
	sheaf_error *err;
} noting;

/* Finds the item at the address that a reference is. The items of a box that is read stay as they are, so
 * the table of their addresses is made once; other names of an object are not in it. */
static sheaf_status find_referred(const noting *n, const uint8_t *reference, const sheaf_box_item **out)
{
	const sheaf_catalog *catalog = &n->notes->box->catalog;
	sheaf_cursor c = sheaf_cursor_over(reference, n->r->address_size, 0);
	bool is_first = n->r->paths.count == 0;
	for (int64_t i = 0; i < catalog->count && is_first; i++) {
		const sheaf_box_item *item = &catalog->items[i];
		if (item->inside->own && !item->link && i < UINT32_MAX)
			SHEAF_TRY(sheaf_hdf5_places_add(&n->r->paths, item->inside->own->address, (uint32_t)i + 1,
			                                n->r->cx, n->err));
	}
	uint32_t number =
		sheaf_hdf5_places_find(&n->r->paths, sheaf_hdf5_take_address(n->r, &c, "a reference"));
	*out = number ? &catalog->items[number - 1] : NULL;
	return SHEAF_OK;
}

/* Takes the names of an array's dimensions from netCDF's attribute: lists of references, one list for each
 * dimension, of which the first reference counts. Lists that are not so name nothing. */
static sheaf_status name_dimensions(const noting *n, const sheaf_hdf5_attribute *a)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder names = {.cx = n->r->cx}, list = names;
	sheaf_box_item *item = n->notes->item;
	if (a->type.class != SHEAF_HDF5_SEQUENCE) return SHEAF_OK;
	for (int i = 0; i < item->rank && (uint64_t)i < a->space.count; i++) {
		const sheaf_box_item *dimension = NULL;
		list.size = 0;
		SHEAF_TRY(sheaf_hdf5_append_sequence(n->r, a->value.data + (size_t)i * a->type.size,
		                                     n->r->address_size, false, &list, n->err));
		if (list.size >= n->r->address_size) SHEAF_TRY(find_referred(n, list.data, &dimension));
		sheaf_builder_printf(&names, "%s%s", i ? ", " : "", dimension ? dimension->name : "?");
	}
	SHEAF_TRY(sheaf_builder_status(&names, n->err));
	if (names.size == 0) return SHEAF_OK;
	return sheaf_catalog_copy_bytes(n->notes->catalog, names.data, names.size, &item->dimensions, n->err);
}

/* Notes an attribute. References between arrays and their dimensions are netCDF's own, and are shown as the
 * names of dimensions. */
static sheaf_status note_attribute(void *user, const sheaf_hdf5_attribute *a)
{
	const noting *n = (const noting *)user;
	const sheaf_bytes name = {a->name, a->name_size};
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = n->r->cx};
	SHEAF_TRY(sheaf_check_stop(n->r->cx, n->err));
	if (a->refused) return sheaf_box_note_refused(n->notes, name, NULL, a->refused, n->err);
	if (sheaf_hdf5_is_named(a, "DIMENSION_LIST")) return name_dimensions(n, a);
	SHEAF_TRY(sheaf_catalog_open(&catalog, n->r->cx, n->err));
	SHEAF_TRY(sheaf_hdf5_describe_attribute(n->l, a, &catalog));
	SHEAF_TRY(sheaf_hdf5_note(&bytes, a->value.data, a->value.size, n->err));
	return sheaf_box_note(n->notes, name, &catalog.items[0], &bytes, n->err);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(((const sheaf_box_attribute *)left)->name, ((const sheaf_box_attribute *)right)->name);
}

/* Notes the attributes of an object in the order of their names, since a heap has them in no order. */
sheaf_status sheaf_hdf5_complete(void *state, sheaf_box_notes *notes, sheaf_error *err)
{
	sheaf_hdf5_reader *r = (sheaf_hdf5_reader *)state;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, r, notes->item->inside->own->address, err));
	noting n = {r, &v.l, notes, err};
	SHEAF_TRY(sheaf_hdf5_show_attributes(&v.l, &v.h, note_attribute, &n));
	if (notes->list.size)
		qsort(notes->list.data, notes->list.size / sizeof(sheaf_box_attribute), sizeof(sheaf_box_attribute),
		      compare_names);
	return SHEAF_OK;
}
