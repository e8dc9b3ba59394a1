/* SPDX-License-Identifier: MIT */
/* What makes an HDF5 file netCDF-4: every array has named dimensions, which are datasets without values
 * of their own, marked as dimension scales. The document is "NetCDF-4 File Format Specification",
 * appendix B of the netCDF User's Guide; the attributes are those of the HDF5 Dimension Scale
 * Specification.
 *
 * An array leads to its dimension by DIMENSION_LIST (object references), and a dimension back to its
 * arrays by REFERENCE_LIST (pairs of a reference and a number). Both are made when headers are written,
 * since they have addresses in them. Arrays of one group and one length share a dimension. */
#include "base/memory.h"
#include "container/hdf5/write.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DIMENSIONS "DIMENSION_LIST"
#define USES "REFERENCE_LIST"
#define NOT_A_VARIABLE "This is a netCDF dimension but not a netCDF variable."

/* ---- attributes of fixed size ---- */

/* A text of fixed length, with its NUL if `size` counts it. */
static sheaf_status add_text(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                             const char *text, size_t size)
{
	sheaf_hdf5_begin_attribute(w);
	sheaf_hdf5_put_shape(w, &w->space, NULL, 0);
	sheaf_hdf5_put_type_head(&w->type, SHEAF_HDF5_STRING, 0, size); /* ASCII, ended by a NUL */
	sheaf_builder_append(&w->value, text, size);
	return sheaf_hdf5_set_attribute(w, object, name, (sheaf_hdf5_message){0});
}

/* The attribute by which readers tell netCDF-4 from other HDF5 files, and which says who wrote it. */
sheaf_status sheaf_hdf5_begin_netcdf(sheaf_hdf5_writer *w)
{
	static const char properties[] = "version=2,sheaf=" SHEAF_VERSION;
	return add_text(w, sheaf_hdf5_object_at(w, 0), "_NCProperties", properties, sizeof properties - 1);
}

/* ---- dimensions ---- */

/* Makes a dimension of netCDF-4: its extent, no values (late allocation, none allocated), the class and
 * the name that say that it is a dimension and not a variable, and its number in the file. Its type does
 * not matter; netCDF writes big-endian float32, and so do we. */
static sheaf_status make_scale(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                               int64_t count, sheaf_hdf5_object **out)
{
	static const char class[] = "DIMENSION_SCALE";
	char text[100];
	sheaf_hdf5_object *scale;
	SHEAF_TRY(sheaf_hdf5_new_object(w, false, &scale));
	/* A dataset with extents and no values. */
	enum { VERSION = 3, LATE = 2, IF_SET = 2 << 2 };
	sheaf_builder *b = &w->message;
	b->size = 0;
	sheaf_hdf5_put_space(w, b, count, true);
	SHEAF_TRY(sheaf_hdf5_say(w, scale, SHEAF_HDF5_SPACE, 0));
	sheaf_hdf5_put_type(b, SHEAF_F32, true);
	SHEAF_TRY(sheaf_hdf5_say(w, scale, SHEAF_HDF5_TYPE, SHEAF_HDF5_CONSTANT));
	SHEAF_HDF5_PUT(w, b, "11", VERSION, LATE | IF_SET);
	SHEAF_TRY(sheaf_hdf5_say(w, scale, SHEAF_HDF5_FILL, SHEAF_HDF5_CONSTANT));
	SHEAF_HDF5_PUT(w, b, "11AL", VERSION, SHEAF_HDF5_CONTIGUOUS, SHEAF_HDF5_NOWHERE, count * 4);
	SHEAF_TRY(sheaf_hdf5_say(w, scale, SHEAF_HDF5_LAYOUT, 0));
	SHEAF_TRY(add_text(w, scale, "CLASS", class, sizeof class));
	int n = snprintf(text, sizeof text, NOT_A_VARIABLE "%10" PRId64, count);
	SHEAF_TRY(add_text(w, scale, "NAME", text, (size_t)n + 1));
	sheaf_hdf5_begin_attribute(w);
	sheaf_hdf5_put_shape(w, &w->space, NULL, 0);
	sheaf_hdf5_put_type(&w->type, SHEAF_I32, false);
	sheaf_hdf5_put_number(&w->value, (uint64_t)w->reader.next_dimension, 4);
	SHEAF_TRY(sheaf_hdf5_set_attribute(w, scale, "_Netcdf4Dimid", (sheaf_hdf5_message){0}));
	w->reader.next_dimension++;
	scale->places = count;
	*out = scale;
	return sheaf_hdf5_link_new(w, group, name, scale);
}

/* ---- existing dimensions ---- */

/* What an existing object says about itself as a dimension. */
typedef struct learning {
	sheaf_hdf5_writer *w;
	sheaf_hdf5_object *scale;
	bool is_scale, is_no_variable, is_strange;
} learning;

/* Appends an array to those that use the dimension; they live as long as the catalog. */
static sheaf_status add_user(sheaf_hdf5_writer *w, sheaf_hdf5_object *scale, sheaf_hdf5_user like)
{
	sheaf_hdf5_user *user;
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof like, &user, w->err));
	*user = like;
	*scale->end_of_users = user;
	scale->end_of_users = &user->next;
	scale->nusers++;
	return SHEAF_OK;
}

/* Learns from one attribute of an object whether it is a dimension, and which arrays use it. A
 * REFERENCE_LIST of another form than netCDF's cannot be written again, so such a dimension gets no
 * further arrays. */
static sheaf_status learn(void *user, const sheaf_hdf5_attribute *a)
{
	learning *l = (learning *)user;
	l->is_scale |= sheaf_hdf5_is_named(a, "CLASS") && sheaf_hdf5_begins(a, "DIMENSION_SCALE");
	l->is_no_variable |= sheaf_hdf5_is_named(a, "NAME") && sheaf_hdf5_begins(a, NOT_A_VARIABLE);
	if (!sheaf_hdf5_is_named(a, USES)) return SHEAF_OK;
	l->is_strange = a->type.class != SHEAF_HDF5_COMPOUND || a->type.size != SHEAF_HDF5_USE;
	for (size_t at = 0; !l->is_strange && at < a->value.size; at += SHEAF_HDF5_USE) {
		const uint8_t *use = a->value.data + at;
		sheaf_hdf5_user like = {.address = sheaf_load_i64le(use), .nth = sheaf_load_i64le(use + 8)};
		SHEAF_TRY(add_user(l->w, l->scale, like));
	}
	return SHEAF_OK;
}

/* Finds out, once for each old object, whether it is a dimension: o->has_uses if arrays may use it,
 * o->places, its extent, if it is a dimension and nothing else. It learns from the attributes, which also
 * list the arrays that use it. */
static sheaf_status look_at(sheaf_hdf5_writer *w, sheaf_hdf5_object *o)
{
	learning l = {.w = w, .scale = o};
	sheaf_hdf5_space space = {0};
	if (!o->is_old || o->is_known_dimension) return SHEAF_OK;
	o->is_known_dimension = true;
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, &w->reader, o->address, w->err));
	SHEAF_TRY(sheaf_hdf5_attributes(&v.l, &v.h, false, learn, &l));
	const sheaf_hdf5_part *part = sheaf_hdf5_part_find(&v.h, SHEAF_HDF5_SPACE);
	if (part) {
		sheaf_cursor c = sheaf_hdf5_part_cursor(&v.h, part);
		SHEAF_TRY(sheaf_hdf5_take_space(&v.l, &c, &space));
	}
	o->has_uses = l.is_scale && !l.is_strange;
	if (!o->has_uses || !l.is_no_variable) return SHEAF_OK;
	if (space.rank == 1 && space.dims[0] <= INT64_MAX) o->places = (int64_t)space.dims[0];
	return SHEAF_OK;
}

/* ---- new arrays ---- */

/* Finds or makes the dimension for arrays of `count` values in a group: "length_12", or if that name is
 * taken by something else, or by a dimension that has too many users, "length_12_2" and so on. */
static sheaf_status find_or_make_scale(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, int64_t count,
                                       sheaf_hdf5_object **out)
{
	enum { MOST_USERS = 4000 /* whose references fit into an attribute */ };
	char name[64];
	for (int64_t i = 1;; i++) {
		int n =
			snprintf(name, sizeof name, i > 1 ? "length_%" PRId64 "_%" PRId64 : "length_%" PRId64, count, i);
		sheaf_hdf5_link *link = sheaf_hdf5_find_link(w, group, name, (size_t)n);
		if (!link) return make_scale(w, group, name, count, out);
		if (link->kind == SHEAF_HDF5_HARD_LINK && !link->to)
			SHEAF_TRY(sheaf_hdf5_old_object(w, link->address, &link->to));
		if (link->to) SHEAF_TRY(look_at(w, link->to));
		*out = link->to;
		if (link->to && link->to->places == count && link->to->nusers < MOST_USERS) return SHEAF_OK;
	}
}

/* Makes the attribute again. */
static sheaf_status change_uses(sheaf_hdf5_writer *w, sheaf_hdf5_object *scale)
{
	SHEAF_TRY(sheaf_hdf5_list_attributes(w, scale));
	sheaf_hdf5_remove_attribute(scale, USES);
	scale->attributes_change = true;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_add_dimension(sheaf_hdf5_writer *w, sheaf_hdf5_object *group,
                                      sheaf_hdf5_object *array, int64_t count)
{
	sheaf_hdf5_object *scale = NULL;
	SHEAF_TRY(find_or_make_scale(w, group, count, &scale));
	SHEAF_TRY(change_uses(w, scale));
	SHEAF_TRY(add_user(w, scale, (sheaf_hdf5_user){.array = array}));
	array->dimension = scale;
	return SHEAF_OK;
}

/* ---- removed arrays ---- */

/* Appends the references to dimensions that an array at an address has in DIMENSION_LIST: for each of its
 * dimensions a sequence of references to scales. A list of another form leads nowhere. */
static sheaf_status find_dimensions(sheaf_hdf5_writer *w, int64_t array, sheaf_builder *references)
{
	sheaf_hdf5_attribute a;
	bool found;
	size_t width = SHEAF_HDF5_REFERENCE_SIZE(&w->reader);
	SHEAF_SCOPED(sheaf_hdf5_leave) sheaf_hdf5_visit v;
	SHEAF_TRY(sheaf_hdf5_enter(&v, &w->reader, array, w->err));
	SHEAF_TRY(sheaf_hdf5_attribute_named(&v.l, &v.h, DIMENSIONS, &a, &found));
	if (!found || a.type.class != SHEAF_HDF5_SEQUENCE || a.type.size != width) return SHEAF_OK;
	for (size_t at = 0; at + width <= a.value.size; at += width)
		SHEAF_TRY(sheaf_hdf5_append_sequence(&w->reader, a.value.data + at, 8, false, references, w->err));
	return SHEAF_OK;
}

/* Takes an array that is removed from the users of all its dimensions, which are written again without
 * it. */
sheaf_status sheaf_hdf5_leave_dimensions(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array)
{
	sheaf_hdf5_object *scale;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder references = {.cx = w->reader.cx};
	if (w->kind != SHEAF_BOX_NETCDF || !array->is_old) return SHEAF_OK;
	SHEAF_TRY(find_dimensions(w, array->address, &references));
	for (size_t at = 0; at + 8 <= references.size; at += 8) {
		SHEAF_TRY(sheaf_hdf5_old_object(w, sheaf_load_i64le(references.data + at), &scale));
		SHEAF_TRY(look_at(w, scale));
		if (!scale->has_uses) continue;
		for (sheaf_hdf5_user *user = scale->users; user; user = user->next)
			user->is_gone |= !user->array && user->address == array->address;
		SHEAF_TRY(change_uses(w, scale));
	}
	return SHEAF_OK;
}

/* ---- what leads from arrays to dimensions and back ---- */

/* Whether the array was removed: itself, or as one of those that existed before. */
static bool is_gone(const sheaf_hdf5_user *user)
{
	return user->is_gone || (user->array && user->array->is_gone);
}

bool sheaf_hdf5_is_used(const sheaf_hdf5_object *scale)
{
	for (const sheaf_hdf5_user *user = scale->users; user; user = user->next)
		if (!is_gone(user)) return true;
	return false;
}

/* Makes the attribute DIMENSION_LIST of an array. While headers are measured, zeros of the same size are
 * in the place of the reference, because the collection of texts must get it once. */
sheaf_status sheaf_hdf5_put_dimension(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array, bool is_measuring)
{
	uint8_t reference[8];
	int64_t at;
	sheaf_hdf5_begin_attribute(w);
	sheaf_hdf5_put_type_head(&w->type, SHEAF_HDF5_SEQUENCE, 0, SHEAF_HDF5_REFERENCE_SIZE(&w->reader));
	sheaf_hdf5_put_type_head(&w->type, SHEAF_HDF5_REFERENCE, 0, 8);
	sheaf_hdf5_put_space(w, &w->space, 1, true);
	sheaf_store_u64le(reference, (uint64_t)array->dimension->address);
	if (is_measuring)
		sheaf_hdf5_put_zeros(&w->value, 8 + w->reader.address_size);
	else
		SHEAF_TRY(sheaf_hdf5_store_text(w, (sheaf_bytes){reference, sizeof reference}, 1, &w->value, &at));
	return sheaf_hdf5_put_attribute(w, DIMENSIONS);
}

/* A member of a compound of version 1: its name padded to a multiple of eight, its offset, and dimensions, of
 * which it has none. */
static void put_member(sheaf_builder *b, const char *name, unsigned offset)
{
	enum { DIMENSIONS_SIZE = 28 };
	size_t size = strlen(name) + 1;
	sheaf_builder_append(b, name, size);
	sheaf_hdf5_put_zeros(b, -size % 8);
	sheaf_hdf5_put_number(b, offset, 4);
	sheaf_hdf5_put_zeros(b, DIMENSIONS_SIZE);
}

/* Makes the attribute REFERENCE_LIST of a dimension, without the arrays that are gone: pairs of a
 * reference and a number, which HDF5's dimension scales call "dataset" and "dimension". */
sheaf_status sheaf_hdf5_put_uses(sheaf_hdf5_writer *w, const sheaf_hdf5_object *scale)
{
	enum { MEMBERS = 2 };
	sheaf_hdf5_begin_attribute(w);
	for (const sheaf_hdf5_user *user = scale->users; user; user = user->next)
		if (!is_gone(user))
			SHEAF_HDF5_PUT(w, &w->value, "88", user->array ? user->array->address : user->address, user->nth);
	sheaf_hdf5_put_type_head(&w->type, SHEAF_HDF5_COMPOUND, MEMBERS, SHEAF_HDF5_USE);
	put_member(&w->type, "dataset", 0);
	sheaf_hdf5_put_type_head(&w->type, SHEAF_HDF5_REFERENCE, 0, 8);
	put_member(&w->type, "dimension", 8);
	sheaf_hdf5_put_type(&w->type, SHEAF_I32, false);
	sheaf_hdf5_put_space(w, &w->space, (int64_t)(w->value.size / SHEAF_HDF5_USE), true);
	return sheaf_hdf5_put_attribute(w, USES);
}
