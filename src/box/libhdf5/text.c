/* SPDX-License-Identifier: MIT */
/* Texts: attributes and arrays of them, of fixed or variable length, padded in any way. */
#include "box/libhdf5/libhdf5.h"
#include <inttypes.h>
#include <string.h>

/* ---- padding ---- */

static size_t without_padding(const char *text, size_t size, H5T_str_t pad)
{
	if (pad == H5T_STR_NULLTERM) return strnlen(text, size);
	char what = pad == H5T_STR_SPACEPAD ? ' ' : '\0';
	while (size > 0 && text[size - 1] == what) size--;
	return size;
}

/* ---- attributes ---- */

typedef struct opened {
	hid_t id, type, space;
} opened;

static void close_attribute(const opened *a)
{
	if (a->type >= 0) H5Tclose(a->type);
	if (a->space >= 0) H5Sclose(a->space);
	if (a->id >= 0) H5Aclose(a->id);
}

static sheaf_status read_fixed(sheaf_h5 *h5, const sheaf_box_item *item, const opened *a, sheaf_builder *text,
                               sheaf_error *err)
{
	enum { MOST = 1 << 30 };
	size_t size = H5Tget_size(a->type), before = text->size;
	if (size > MOST || !sheaf_builder_room(text, size))
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "%s: /%s: expected memory for a text of %zu bytes, found too little",
		                  h5->store->name, item->path, size);
	if (H5Aread(a->id, a->type, text->data + before) < 0) return sheaf_h5_fail(h5, item->path, "a text", err);
	text->size += without_padding((const char *)text->data + before, size, H5Tget_strpad(a->type));
	return SHEAF_OK;
}

static sheaf_status read_variable(sheaf_h5 *h5, const sheaf_box_item *item, const opened *a,
                                  sheaf_builder *text, sheaf_error *err)
{
	uint8_t reference[16] = {0};
	hid_t type = sheaf_h5_reference_type(h5);
	bool fine = type >= 0 && H5Aread(a->id, type, reference) >= 0;
	if (type >= 0) H5Tclose(type);
	return fine ? sheaf_h5_dereference(h5, reference, text, err)
	            : sheaf_h5_fail(h5, item->path, "a text", err);
}

static sheaf_status read_attribute(sheaf_h5 *h5, const sheaf_box_item *item, const char *name,
                                   const opened *a, sheaf_builder *text, sheaf_error *err)
{
	if (a->id < 0 || a->type < 0 || a->space < 0) return sheaf_h5_fail(h5, item->path, "an attribute", err);
	H5S_class_t class = H5Sget_simple_extent_type(a->space);
	if (H5Tget_class(a->type) != H5T_STRING)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected the attribute \"%s\" to be a text, found another type",
		                  h5->store->name, item->path, name);
	if (class == H5S_NULL) return SHEAF_OK;
	if (class != H5S_SCALAR && H5Sget_simple_extent_npoints(a->space) != 1)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected the attribute \"%s\" to be one text, found several",
		                  h5->store->name, item->path, name);
	return H5Tis_variable_str(a->type) > 0 ? read_variable(h5, item, a, text, err)
	                                       : read_fixed(h5, item, a, text, err);
}

static hid_t open_object(sheaf_h5 *h5, const sheaf_box_item *item)
{
	const char *path = item->inside->target ? item->inside->target : item->path;
	return H5Oopen(h5->file, *path ? path : "/", H5P_DEFAULT);
}

static sheaf_status find_and_read(sheaf_h5 *h5, const sheaf_box_item *item, const char *name,
                                  sheaf_builder *text, sheaf_error *err)
{
	opened a = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
	hid_t object = open_object(h5, item);
	if (object < 0) return sheaf_h5_fail(h5, item->path, "a group or an array", err);
	htri_t has = H5Aexists(object, name);
	sheaf_status status = SHEAF_OK;
	if (has > 0) {
		a.id = H5Aopen(object, name, H5P_DEFAULT);
		if (a.id >= 0) {
			a.type = H5Aget_type(a.id);
			a.space = H5Aget_space(a.id);
		}
		status = read_attribute(h5, item, name, &a, text, err);
		close_attribute(&a);
	} else if (has == 0) {
		status = sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
		                    h5->store->name, item->path, name);
	} else {
		status = sheaf_h5_fail(h5, item->path, "attributes", err);
	}
	H5Oclose(object);
	return status;
}

sheaf_status sheaf_h5_text(void *state, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                           sheaf_error *err)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	sheaf_h5_enter();
	sheaf_status status = find_and_read(h5, item, name, text, err);
	sheaf_h5_leave();
	return status;
}

/* ---- arrays ---- */

static bool find_padding(sheaf_h5 *h5, const sheaf_box_item *item, H5T_str_t *pad)
{
	hid_t dataset = sheaf_h5_dataset(h5, item), type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
	if (type < 0) return false;
	*pad = H5Tget_strpad(type);
	H5Tclose(type);
	return true;
}

sheaf_status sheaf_h5_text_of(void *state, const sheaf_box_item *item, const uint8_t *element,
                              sheaf_builder *text, sheaf_error *err)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	H5T_str_t pad = H5T_STR_NULLTERM;
	sheaf_status status = SHEAF_OK;
	sheaf_h5_enter();
	if (item->inside->is_variable)
		status = sheaf_h5_dereference(h5, element, text, err);
	else if (find_padding(h5, item, &pad))
		sheaf_builder_append(text, element, without_padding((const char *)element, item->inside->width, pad));
	else
		status = sheaf_h5_fail(h5, item->path, "texts", err);
	sheaf_h5_leave();
	return status;
}
