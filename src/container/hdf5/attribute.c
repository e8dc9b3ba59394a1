/* SPDX-License-Identifier: MIT */
/* Attributes, in the header of an object or in a heap. Version 1 pads the name, the type and the space to
 * multiples of eight; version 3 says which characters the name has. Types may be shared with a committed
 * type; spaces never are in files that are read here. */
#include "base/status.h"
#include "container/hdf5/read.h"
#include <string.h>

/* What is looked for, and who gets it. */
typedef struct listing {
	sheaf_hdf5_look *l;
	const char *name; /* NULL: all */
	bool is_raw;      /* they are shown as they are stored */
	bool is_tolerant; /* one that is not read is shown by its name, with the reason */
	sheaf_hdf5_attribute current;
	uint8_t flags;    /* of the message */
	sheaf_hdf5_attribute_seen seen;
	void *user;
} listing;

/* A part of the message, padded to a multiple of eight in version 1. */
static sheaf_cursor part_of(sheaf_cursor *c, int64_t size, unsigned version, const char *field)
{
	sheaf_cursor part =
		sheaf_hdf5_part_of(c, version == 1 ? (uint64_t)(size + 7) / 8 * 8 : (uint64_t)size, field);
	if (part.begin) part.end = part.begin + size;
	return part;
}

/* The name ends where its NUL is, so the lengths must be equal. */
bool sheaf_hdf5_is_named(const sheaf_hdf5_attribute *a, const char *name)
{
	return strlen(name) == a->name_size && memcmp(name, a->name, a->name_size) == 0;
}

bool sheaf_hdf5_begins(const sheaf_hdf5_attribute *a, const char *text)
{
	size_t n = strlen(text);
	return a->type.class == SHEAF_HDF5_STRING && a->value.size >= n && memcmp(a->value.data, text, n) == 0;
}

/* Takes an attribute message and shows the attribute. One of another name than g->name (NULL: any) is
 * passed over before its type is looked at, so that a type that is not read here does not hide its
 * neighbors. With g->is_raw only the name is taken. */
static sheaf_status take_attribute(void *user, sheaf_cursor *c)
{
	listing *g = (listing *)user;
	enum { TYPE_IS_SHARED = 1, SPACE_IS_SHARED = 2 };
	sheaf_hdf5_attribute a = {.byte = -1,
	                          .message = {c->begin, (size_t)(c->end - c->begin)},
	                          .flags = g->flags,
	                          .order = g->l->order};
	unsigned version = sheaf_hdf5_byte(c, 1, 3, "an attribute of version 1 to 3");
	int64_t f[4]; /* flags, sizes */
	SHEAF_TRY(sheaf_hdf5_fields(g->l, c, version == 3 ? "1222-1" : "1222", "the head of an attribute", f));
	int64_t flags = version == 1 ? 0 : f[0];
	if (flags & ~(TYPE_IS_SHARED | SPACE_IS_SHARED))
		return sheaf_hdf5_decline(g->l, sheaf_cursor_tell(c), "an attribute with other flags");
	sheaf_cursor name = part_of(c, f[1], version, "a name of an attribute"),
				 type = part_of(c, f[2], version, "a type of an attribute"),
				 space = part_of(c, f[3], version, "a dataspace of an attribute");
	SHEAF_TRY(sheaf_hdf5_done(g->l, c));
	a.name = sheaf_cursor_string(&name, &a.name_size, "a name that ends within its message");
	SHEAF_TRY(sheaf_hdf5_done(g->l, &name));
	g->current = a;
	if (g->name && !sheaf_hdf5_is_named(&a, g->name)) return SHEAF_OK;
	if (g->is_raw) return g->seen(g->user, &a);
	if (flags & SPACE_IS_SHARED)
		return sheaf_hdf5_decline(g->l, sheaf_cursor_tell(&space), "a space in a table of shared ones");
	SHEAF_TRY(sheaf_hdf5_take_type(g->l, &type, flags & TYPE_IS_SHARED, &a.type));
	SHEAF_TRY(sheaf_hdf5_take_space(g->l, &space, &a.space));
	uint64_t size;
	if (__builtin_mul_overflow(a.space.count, a.type.stored, &size)) size = UINT64_MAX;
	a.byte = sheaf_cursor_tell(c);
	a.value.data = sheaf_cursor_bytes(c, 1, size, "values of an attribute within its message");
	a.value.size = a.value.data ? (size_t)size : 0;
	SHEAF_TRY(sheaf_hdf5_done(g->l, c));
	return g->seen(g->user, &a);
}

/* Takes an attribute. In a listing one that is not read does not hide the others: it is shown with the
 * reason, if at least its name is known. */
static sheaf_status take_any(void *user, sheaf_cursor *c)
{
	listing *g = (listing *)user;
	sheaf_error failure = {0}, *err = g->l->err;
	if (!g->is_tolerant) return take_attribute(user, c);
	g->current = (sheaf_hdf5_attribute){0};
	g->l->err = &failure;
	sheaf_status status = take_attribute(user, c);
	g->l->err = err;
	if (!failure.status) return status; /* that of whoever it was shown to */
	if (!sheaf_is_flaw(status) || !g->current.name) return sheaf_fail_again(err, &failure);
	g->current.refused = failure.message;
	return g->seen(g->user, &g->current);
}

/* Shows all attributes: those in messages of the header, and those in the heap, if there is one. */
static sheaf_status list(listing *g, const sheaf_hdf5_header *h)
{
	size_t n;
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(h, &n);
	for (size_t i = 0; i < n; i++) {
		sheaf_cursor c = sheaf_hdf5_part_cursor(h, &parts[i]);
		bool is_attribute = parts[i].type == SHEAF_HDF5_ATTRIBUTE;
		if (is_attribute && (parts[i].flags & SHEAF_HDF5_SHARED))
			return sheaf_hdf5_decline(g->l, parts[i].byte, "an attribute in a table of shared ones");
		g->l->order = parts[i].order;
		g->flags = is_attribute ? parts[i].flags : 0;
		if (is_attribute) SHEAF_TRY(take_any(g, &c));
		if (parts[i].type == SHEAF_HDF5_ATTRIBUTE_INFO)
			SHEAF_TRY(sheaf_hdf5_heap_objects(g->l, &c, SHEAF_HDF5_ATTRIBUTE_NAMES, take_any, g));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_attributes(sheaf_hdf5_look *l, const sheaf_hdf5_header *h, bool is_raw,
                                   sheaf_hdf5_attribute_seen seen, void *user)
{
	return list(&(listing){.l = l, .is_raw = is_raw, .seen = seen, .user = user}, h);
}

sheaf_status sheaf_hdf5_show_attributes(sheaf_hdf5_look *l, const sheaf_hdf5_header *h,
                                        sheaf_hdf5_attribute_seen seen, void *user)
{
	return list(&(listing){.l = l, .is_tolerant = true, .seen = seen, .user = user}, h);
}

/* There is one attribute of a name, so the search ends with it. */
static sheaf_status keep(void *user, const sheaf_hdf5_attribute *a)
{
	*(sheaf_hdf5_attribute *)user = *a;
	return SHEAF_END;
}

/* An attribute in a heap is in the block that the look has read last. It cannot be in an identifier of the
 * heap (a tiny object, which does not stay): a name and a type need more than the 16 bytes that these have.
 */
sheaf_status sheaf_hdf5_attribute_named(sheaf_hdf5_look *l, const sheaf_hdf5_header *h, const char *name,
                                        sheaf_hdf5_attribute *out, bool *found)
{
	sheaf_status status = list(&(listing){.l = l, .name = name, .seen = keep, .user = out}, h);
	*found = status == SHEAF_END;
	return *found ? SHEAF_OK : status;
}
