/* SPDX-License-Identifier: MIT */
/* A netCDF-4 file is an HDF5 file in which every array has dimensions with names: datasets without values of
 * their own, that are marked as dimension scales. Its document says how: "NetCDF-4 File Format
 * Specification", appendix B of the netCDF User's Guide. */
#include "base/memory.h"
#include "box/hdf5/write.h"
#include <inttypes.h>
#include <stdio.h>

#define NOT_A_VARIABLE "This is a netCDF dimension but not a netCDF variable."

/* ---- attributes of fixed size ---- */

/* What is in the builders for a type, a space and a value. */
static sheaf_status add_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                                  sheaf_error *err)
{
	w->message.size = 0;
	SHEAF_TRY(sheaf_hdf5_describe_attribute(w, name, err));
	return sheaf_hdf5_add_attribute(w, object, name, NULL, err);
}

static void begin_scalar(sheaf_hdf5_writer *w)
{
	w->type.size = w->space.size = w->value.size = 0;
	sheaf_hdf5_scalar(&w->space);
}

static sheaf_status add_text(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                             const char *text, size_t size, sheaf_error *err)
{
	begin_scalar(w);
	sheaf_hdf5_fixed_text_type(&w->type, size);
	sheaf_builder_append(&w->value, text, size);
	return add_attribute(w, object, name, err);
}

static sheaf_status add_number(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                               int64_t number, sheaf_error *err)
{
	begin_scalar(w);
	sheaf_hdf5_type(&w->type, SHEAF_I32, false);
	sheaf_hdf5_number(&w->value, (uint64_t)number, 4);
	return add_attribute(w, object, name, err);
}

sheaf_status sheaf_hdf5_begin_netcdf(sheaf_hdf5_writer *w, sheaf_error *err)
{
	static const char properties[] = "version=2,sheaf=" SHEAF_VERSION;
	return add_text(w, w->objects, "_NCProperties", properties, sizeof properties - 1, err);
}

/* ---- dimensions ---- */

/* A dataset that has places and no values. */
static sheaf_status describe_places(sheaf_hdf5_writer *w, sheaf_hdf5_object *scale, int64_t count,
                                    sheaf_error *err)
{
	static const uint8_t fill[] = {3, 2 | 2 << 2}, layout[] = {3, 1};
	sheaf_builder *b = &w->message;
	b->size = 0;
	sheaf_hdf5_space(w, b, count, true);
	SHEAF_TRY(sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_SPACE, 0, err));
	sheaf_hdf5_type(b, SHEAF_F32, true);
	SHEAF_TRY(sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_TYPE, SHEAF_HDF5_CONSTANT, err));
	sheaf_builder_append(b, fill, sizeof fill);
	SHEAF_TRY(sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_FILL, SHEAF_HDF5_CONSTANT, err));
	sheaf_builder_append(b, layout, sizeof layout);
	sheaf_hdf5_address(w, b, SHEAF_HDF5_NOWHERE);
	sheaf_hdf5_length(w, b, (uint64_t)count * 4);
	return sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_LAYOUT, 0, err);
}

static sheaf_status make_scale(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                               int64_t count, sheaf_hdf5_object **out, sheaf_error *err)
{
	static const char class[] = "DIMENSION_SCALE";
	char text[100];
	sheaf_hdf5_object *scale;
	SHEAF_TRY(sheaf_hdf5_new_object(w, false, &scale, err));
	SHEAF_TRY(describe_places(w, scale, count, err));
	SHEAF_TRY(add_text(w, scale, "CLASS", class, sizeof class, err));
	int n = snprintf(text, sizeof text, NOT_A_VARIABLE "%10" PRId64, count);
	SHEAF_TRY(add_text(w, scale, "NAME", text, (size_t)n + 1, err));
	SHEAF_TRY(add_number(w, scale, "_Netcdf4Dimid", w->next_dimension, err));
	w->next_dimension++;
	scale->places = count;
	*out = scale;
	return sheaf_hdf5_link_new(w, group, name, scale, err);
}

/* The dimension for arrays of `count` values in a group: "length_12", or where something else has that name,
 * "length_12_2" and so on. */
static sheaf_status find_or_make_scale(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, int64_t count,
                                       sheaf_hdf5_object **out, sheaf_error *err)
{
	enum { MOST_USERS = 4000 /* whose references fit into an attribute */ };
	char name[64];
	for (int64_t i = 1;; i++) {
		int n =
			snprintf(name, sizeof name, i > 1 ? "length_%" PRId64 "_%" PRId64 : "length_%" PRId64, count, i);
		const sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, group, name, (size_t)n);
		if (!link) return make_scale(w, group, name, count, out, err);
		*out = link->to;
		if (link->to && link->to->places == count && link->to->nusers < MOST_USERS) return SHEAF_OK;
	}
}

sheaf_status sheaf_hdf5_add_dimension(sheaf_hdf5_writer *w, sheaf_hdf5_object *group,
                                      sheaf_hdf5_object *array, int64_t count, sheaf_error *err)
{
	void *memory;
	sheaf_hdf5_object *scale;
	SHEAF_TRY(find_or_make_scale(w, group, count, &scale, err));
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_hdf5_user), &memory, err));
	sheaf_hdf5_user *user = (sheaf_hdf5_user *)memory;
	*user = (sheaf_hdf5_user){.array = array};
	if (scale->last_user)
		scale->last_user->next = user;
	else
		scale->users = user;
	scale->last_user = user;
	scale->nusers++;
	array->dimension = scale;
	return SHEAF_OK;
}

/* ---- what leads from arrays to dimensions and back ---- */

bool sheaf_hdf5_is_used(const sheaf_hdf5_object *scale)
{
	for (const sheaf_hdf5_user *user = scale->users; user; user = user->next)
		if (!user->array->is_gone) return true;
	return false;
}

sheaf_status sheaf_hdf5_describe_dimension(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array,
                                           bool is_measuring, sheaf_error *err)
{
	uint8_t reference[8];
	int64_t at;
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
	sheaf_hdf5_references_type(w, &w->type);
	sheaf_hdf5_space(w, &w->space, 1, true);
	sheaf_store_u64le(reference, (uint64_t)array->dimension->address);
	if (is_measuring)
		sheaf_hdf5_zeros(&w->value, 8 + w->address_size);
	else
		SHEAF_TRY(sheaf_hdf5_put_text(w, (sheaf_bytes){reference, sizeof reference}, 1, &w->value, &at, err));
	return sheaf_hdf5_describe_attribute(w, "DIMENSION_LIST", err);
}

sheaf_status sheaf_hdf5_describe_uses(sheaf_hdf5_writer *w, const sheaf_hdf5_object *scale, sheaf_error *err)
{
	int64_t count = 0;
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
	for (const sheaf_hdf5_user *user = scale->users; user; user = user->next)
		if (!user->array->is_gone) {
			sheaf_hdf5_number(&w->value, (uint64_t)user->array->address, 8);
			sheaf_hdf5_number(&w->value, 0, 8); /* its first dimension */
			count++;
		}
	sheaf_hdf5_use_type(&w->type);
	sheaf_hdf5_space(w, &w->space, count, true);
	return sheaf_hdf5_describe_attribute(w, "REFERENCE_LIST", err);
}
