/* SPDX-License-Identifier: MIT */
/* A netCDF-4 file is an HDF5 file in which every array has dimensions with names: datasets without values of
 * their own, that are marked as dimension scales. Its document says how: "NetCDF-4 File Format
 * Specification", appendix B of the netCDF User's Guide. */
#include "base/memory.h"
#include "box/hdf5/write.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DIMENSIONS "DIMENSION_LIST"
#define USES "REFERENCE_LIST"
#define NOT_A_VARIABLE "This is a netCDF dimension but not a netCDF variable."

/* ---- attributes of fixed size ---- */

/* What is in the builders for a type, a space and a value. */
static sheaf_status add_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name)
{
	w->message.size = 0;
	SHEAF_TRY(sheaf_hdf5_put_attribute(w, name));
	return sheaf_hdf5_add_attribute(w, object, name, NULL);
}

static void begin_scalar(sheaf_hdf5_writer *w)
{
	w->type.size = w->space.size = w->value.size = 0;
	sheaf_hdf5_put_scalar(&w->space);
}

static sheaf_status add_text(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                             const char *text, size_t size)
{
	begin_scalar(w);
	sheaf_hdf5_put_fixed_text_type(&w->type, size, false);
	sheaf_builder_append(&w->value, text, size);
	return add_attribute(w, object, name);
}

static sheaf_status add_number(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                               int64_t number)
{
	begin_scalar(w);
	sheaf_hdf5_put_type(&w->type, SHEAF_I32, false);
	sheaf_hdf5_put_number(&w->value, (uint64_t)number, 4);
	return add_attribute(w, object, name);
}

sheaf_status sheaf_hdf5_begin_netcdf(sheaf_hdf5_writer *w)
{
	static const char properties[] = "version=2,sheaf=" SHEAF_VERSION;
	return add_text(w, w->objects, "_NCProperties", properties, sizeof properties - 1);
}

/* ---- dimensions ---- */

/* A dataset that has places and no values. */
static sheaf_status describe_places(sheaf_hdf5_writer *w, sheaf_hdf5_object *scale, int64_t count)
{
	static const uint8_t fill[] = {3, 2 | 2 << 2}, layout[] = {3, 1};
	sheaf_builder *b = &w->message;
	b->size = 0;
	sheaf_hdf5_put_space(w, b, count, true);
	SHEAF_TRY(sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_SPACE, 0));
	sheaf_hdf5_put_type(b, SHEAF_F32, true);
	SHEAF_TRY(sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_TYPE, SHEAF_HDF5_CONSTANT));
	sheaf_builder_append(b, fill, sizeof fill);
	SHEAF_TRY(sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_FILL, SHEAF_HDF5_CONSTANT));
	sheaf_builder_append(b, layout, sizeof layout);
	sheaf_hdf5_put_address(w, b, SHEAF_HDF5_NOWHERE);
	sheaf_hdf5_put_length(w, b, (uint64_t)count * 4);
	return sheaf_hdf5_add_message(w, scale, SHEAF_HDF5_LAYOUT, 0);
}

static sheaf_status make_scale(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                               int64_t count, sheaf_hdf5_object **out)
{
	static const char class[] = "DIMENSION_SCALE";
	char text[100];
	sheaf_hdf5_object *scale;
	SHEAF_TRY(sheaf_hdf5_new_object(w, false, &scale));
	SHEAF_TRY(describe_places(w, scale, count));
	SHEAF_TRY(add_text(w, scale, "CLASS", class, sizeof class));
	int n = snprintf(text, sizeof text, NOT_A_VARIABLE "%10" PRId64, count);
	SHEAF_TRY(add_text(w, scale, "NAME", text, (size_t)n + 1));
	SHEAF_TRY(add_number(w, scale, "_Netcdf4Dimid", w->reader.next_dimension));
	w->reader.next_dimension++;
	scale->places = count;
	*out = scale;
	return sheaf_hdf5_link_new(w, group, name, scale);
}

/* ---- dimensions that were there ---- */

static bool begins(const sheaf_hdf5_attribute *a, const char *name, const char *text)
{
	size_t n = strlen(text);
	return strlen(name) == a->name_size && memcmp(name, a->name, a->name_size) == 0 &&
	       a->type.class == SHEAF_HDF5_STRING && a->value.size >= n && memcmp(a->value.data, text, n) == 0;
}

typedef struct learning {
	sheaf_hdf5_writer *w;
	sheaf_hdf5_object *scale;
	bool is_scale, is_no_variable, is_strange;
	sheaf_hdf5_space space;
} learning;

static sheaf_status learn(void *user, const sheaf_hdf5_attribute *a)
{
	learning *l = (learning *)user;
	l->is_scale |= begins(a, "CLASS", "DIMENSION_SCALE");
	l->is_no_variable |= begins(a, "NAME", NOT_A_VARIABLE);
	if (strlen(USES) != a->name_size || memcmp(USES, a->name, a->name_size) != 0) return SHEAF_OK;
	l->is_strange = a->type.class != SHEAF_HDF5_COMPOUND || a->type.size != SHEAF_HDF5_USE;
	l->scale->old_uses = a->value;
	return sheaf_hdf5_keep(l->w, &l->scale->old_uses);
}

static sheaf_status learn_all(void *user, sheaf_hdf5_look *l, const sheaf_hdf5_header *h)
{
	const sheaf_hdf5_part *space = sheaf_hdf5_part_find(h, SHEAF_HDF5_SPACE);
	SHEAF_TRY(sheaf_hdf5_attributes(l, h, NULL, learn, user));
	if (!space) return SHEAF_OK;
	sheaf_cursor c = sheaf_hdf5_part_cursor(h, space);
	return sheaf_hdf5_take_space(l, &c, &((learning *)user)->space);
}

/* Makes `places` known where an object is a dimension and nothing else, and what uses it. */
static sheaf_status look_at(sheaf_hdf5_writer *w, sheaf_hdf5_object *o)
{
	learning l = {.w = w, .scale = o};
	if (!o->is_old || o->is_known_dimension) return SHEAF_OK;
	o->is_known_dimension = true;
	SHEAF_TRY(sheaf_hdf5_ask(w, o, learn_all, &l));
	if (!l.is_scale || l.is_strange) return SHEAF_OK;
	o->has_uses = true;
	o->nusers = (int64_t)(o->old_uses.size / SHEAF_HDF5_USE);
	if (!l.is_no_variable) return SHEAF_OK;
	if (l.space.rank == 1 && l.space.dims[0] <= INT64_MAX) o->places = (int64_t)l.space.dims[0];
	return SHEAF_OK;
}

/* ---- new arrays ---- */

/* The dimension for arrays of `count` values in a group: "length_12", or where something else has that name,
 * "length_12_2" and so on. */
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

/* The attribute is made anew. */
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
	void *memory;
	sheaf_hdf5_object *scale;
	SHEAF_TRY(find_or_make_scale(w, group, count, &scale));
	SHEAF_TRY(change_uses(w, scale));
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_hdf5_user), &memory, w->err));
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

/* ---- arrays that go ---- */

typedef struct leaving {
	sheaf_hdf5_writer *w;
	const sheaf_hdf5_object *array;
	sheaf_builder references; /* to dimensions */
} leaving;

static sheaf_status note_dimensions(void *user, const sheaf_hdf5_attribute *a)
{
	leaving *l = (leaving *)user;
	size_t width = SHEAF_HDF5_REFERENCE_SIZE(&l->w->reader);
	if (a->type.class != SHEAF_HDF5_SEQUENCE || a->type.size != width) return SHEAF_OK;
	for (size_t at = 0; at + width <= a->value.size; at += width)
		SHEAF_TRY(sheaf_hdf5_append_sequence(&l->w->reader, a->value.data + at, 8, false, &l->references,
		                                     l->w->err));
	return SHEAF_OK;
}

static sheaf_status find_dimensions(void *user, sheaf_hdf5_look *l, const sheaf_hdf5_header *h)
{
	return sheaf_hdf5_attributes(l, h, DIMENSIONS, note_dimensions, user);
}

/* Without the array's uses. */
static sheaf_status forget(sheaf_hdf5_writer *w, sheaf_hdf5_object *scale, const sheaf_hdf5_object *array)
{
	SHEAF_TRY(look_at(w, scale));
	uint8_t *uses = (uint8_t *)(uintptr_t)scale->old_uses.data; /* ours */
	size_t kept = 0;
	if (!scale->has_uses) return SHEAF_OK;
	for (size_t at = 0; at + SHEAF_HDF5_USE <= scale->old_uses.size; at += SHEAF_HDF5_USE)
		if (sheaf_load_i64le(uses + at) != array->address) {
			memmove(uses + kept, uses + at, SHEAF_HDF5_USE);
			kept += SHEAF_HDF5_USE;
		}
	scale->old_uses.size = kept;
	return change_uses(w, scale);
}

static void drop(leaving *l) { sheaf_builder_drop(&l->references); }

sheaf_status sheaf_hdf5_leave_dimensions(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array)
{
	sheaf_hdf5_object *scale;
	SHEAF_SCOPED(drop) leaving l = {.w = w, .array = array, .references = {.cx = w->reader.cx}};
	if (w->kind != SHEAF_BOX_NETCDF || !array->is_old) return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf5_ask(w, array, find_dimensions, &l));
	for (size_t at = 0; at + 8 <= l.references.size; at += 8) {
		SHEAF_TRY(sheaf_hdf5_old_object(w, sheaf_load_i64le(l.references.data + at), &scale));
		SHEAF_TRY(forget(w, scale, array));
	}
	return SHEAF_OK;
}

/* ---- what leads from arrays to dimensions and back ---- */

bool sheaf_hdf5_is_used(const sheaf_hdf5_object *scale)
{
	if (scale->old_uses.size >= SHEAF_HDF5_USE) return true;
	for (const sheaf_hdf5_user *user = scale->users; user; user = user->next)
		if (!user->array->is_gone) return true;
	return false;
}

sheaf_status sheaf_hdf5_put_dimension(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array, bool is_measuring)
{
	uint8_t reference[8];
	int64_t at;
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
	sheaf_hdf5_put_references_type(w, &w->type);
	sheaf_hdf5_put_space(w, &w->space, 1, true);
	sheaf_store_u64le(reference, (uint64_t)array->dimension->address);
	if (is_measuring)
		sheaf_hdf5_put_zeros(&w->value, 8 + w->reader.address_size);
	else
		SHEAF_TRY(sheaf_hdf5_store_text(w, (sheaf_bytes){reference, sizeof reference}, 1, &w->value, &at));
	return sheaf_hdf5_put_attribute(w, DIMENSIONS);
}

sheaf_status sheaf_hdf5_put_uses(sheaf_hdf5_writer *w, const sheaf_hdf5_object *scale)
{
	int64_t count = (int64_t)(scale->old_uses.size / SHEAF_HDF5_USE);
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
	sheaf_builder_append(&w->value, scale->old_uses.data, (size_t)count * SHEAF_HDF5_USE);
	for (const sheaf_hdf5_user *user = scale->users; user; user = user->next)
		if (!user->array->is_gone) {
			sheaf_hdf5_put_number(&w->value, (uint64_t)user->array->address, 8);
			sheaf_hdf5_put_number(&w->value, 0, 8); /* its first dimension */
			count++;
		}
	sheaf_hdf5_put_use_type(&w->type);
	sheaf_hdf5_put_space(w, &w->space, count, true);
	return sheaf_hdf5_put_attribute(w, USES);
}
