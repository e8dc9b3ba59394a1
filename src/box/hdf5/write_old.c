/* SPDX-License-Identifier: MIT */
/* Objects that are in the file already. Their headers stay where they are, because anything may refer to
 * them: the first piece of one that changes becomes a way to a new piece with all that it says. */
#include "box/hdf5/checksum.h"
#include "box/hdf5/write.h"

/* ---- headers ---- */

static sheaf_status keep_messages(sheaf_hdf5_writer *w, const sheaf_hdf5_header *h, sheaf_hdf5_object *o)
{
	size_t n;
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(h, &n);
	for (size_t i = 0; i < n; i++) {
		w->message.size = 0;
		sheaf_builder_append(&w->message, h->bytes.data + parts[i].at, parts[i].size);
		SHEAF_TRY(sheaf_hdf5_add_message(w, o, parts[i].type, parts[i].flags));
		o->messages.last->order = parts[i].order;
	}
	return SHEAF_OK;
}

/* Where the messages of the first piece are, and what stands before them that we need. */
static sheaf_status read_head(sheaf_hdf5_look *l, sheaf_hdf5_object *o)
{
	enum { ORDER = 2 /* first bit of how attributes are numbered */, LIMITS = 16, TIMES = 32, MOST = 64 };
	SHEAF_TRY(sheaf_hdf5_peek(l, "a header of an object", o->address, MOST));
	sheaf_cursor_bytes(&l->c, 1, o->version == 1 ? 4 : 5, "a header");
	if (o->version == 1) {
		o->nlinked = (int64_t)sheaf_hdf5_take(&l->c, 4, "a header");
		o->room = sheaf_hdf5_take(&l->c, 4, "a header");
		o->room_at = 16;
	} else {
		unsigned flags = sheaf_cursor_u8(&l->c, "a header");
		size_t before = (flags & TIMES ? 16U : 0) + (flags & LIMITS ? 4U : 0),
			   width = (size_t)1 << (flags & 3);
		sheaf_cursor_bytes(&l->c, 1, before, "a header");
		o->room = sheaf_hdf5_take(&l->c, width, "a header");
		o->room_at = 6 + before + width;
		o->attribute_order = (uint8_t)(flags >> ORDER & 3);
	}
	return sheaf_hdf5_done(l, &l->c);
}

const sheaf_hdf5_message *sheaf_hdf5_find_message(const sheaf_hdf5_object *o, sheaf_hdf5_message_type type)
{
	for (const sheaf_hdf5_message *m = o->messages.first; m; m = m->next)
		if (m->type == type) return m;
	return NULL;
}

static sheaf_cursor cursor_over(const sheaf_hdf5_message *m)
{
	return sheaf_cursor_over(m->data.data, m->data.size, -1);
}

/* The next number in the order of links or attributes. */
static int64_t next_of(const sheaf_hdf5_message *info, size_t width, uint8_t *order)
{
	sheaf_cursor c = cursor_over(info);
	sheaf_cursor_bytes(&c, 1, 1, "a version");
	*order = sheaf_cursor_u8(&c, "flags") & 3;
	return *order & SHEAF_HDF5_TRACKED ? (int64_t)sheaf_hdf5_take(&c, width, "a number") : 0;
}

static void learn(sheaf_hdf5_object *o)
{
	uint8_t order;
	const sheaf_hdf5_message *m = sheaf_hdf5_find_message(o, SHEAF_HDF5_LINK_INFO);
	if (m) o->next_link = next_of(m, 8, &o->link_order);
	m = sheaf_hdf5_find_message(o, SHEAF_HDF5_ATTRIBUTE_INFO);
	if (m) o->next_attribute = next_of(m, 2, &order);
	m = sheaf_hdf5_find_message(o, SHEAF_HDF5_LINK_COUNT);
	if (m && m->data.size >= 5) o->nlinked = sheaf_load_u32le(m->data.data + 1);
}

static sheaf_status load(sheaf_hdf5_writer *w, sheaf_hdf5_look *l, sheaf_hdf5_header *h, int64_t address,
                         sheaf_hdf5_object **out)
{
	sheaf_hdf5_object *o;
	SHEAF_TRY(sheaf_hdf5_header_read(l, address, h));
	SHEAF_TRY(sheaf_hdf5_new_object(w, sheaf_hdf5_is_group(h), &o));
	o->is_old = true;
	o->address = address;
	o->version = h->version;
	o->link_order = o->attribute_order = 0;
	SHEAF_TRY(read_head(l, o));
	SHEAF_TRY(keep_messages(w, h, o));
	learn(o);
	*out = o;
	return SHEAF_OK;
}

/* The object is looked for among those that were, so that one with two names is one. */
sheaf_status sheaf_hdf5_old_object(sheaf_hdf5_writer *w, int64_t address, sheaf_hdf5_object **out)
{
	uint32_t number = sheaf_hdf5_places_find(&w->old, address);
	if (number) {
		memcpy(out, w->old_objects.data + (number - 1) * sizeof *out, sizeof *out);
		return SHEAF_OK;
	}
	SHEAF_SCOPED(sheaf_hdf5_header_drop) sheaf_hdf5_header h = {0};
	SHEAF_SCOPED(sheaf_hdf5_look_end) sheaf_hdf5_look l;
	sheaf_hdf5_look_begin(&l, &w->reader, NULL, w->err);
	SHEAF_TRY(load(w, &l, &h, address, out));
	sheaf_builder_append(&w->old_objects, out, sizeof *out);
	SHEAF_TRY(sheaf_builder_status(&w->old_objects, w->err));
	number = (uint32_t)(w->old_objects.size / sizeof *out);
	return sheaf_hdf5_places_add(&w->old, address, number, w->reader.cx, w->err);
}

/* ---- what is asked of an object's header ---- */

typedef struct asking {
	sheaf_hdf5_writer *w;
	sheaf_hdf5_object *o;
	sheaf_builder orders; /* of attributes */
} asking;

sheaf_status sheaf_hdf5_ask(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *o, sheaf_hdf5_answer answer,
                            void *user)
{
	SHEAF_SCOPED(sheaf_hdf5_header_drop) sheaf_hdf5_header h = {0};
	SHEAF_SCOPED(sheaf_hdf5_look_end) sheaf_hdf5_look l;
	sheaf_hdf5_look_begin(&l, &w->reader, NULL, w->err);
	SHEAF_TRY(sheaf_hdf5_header_read(&l, o->address, &h));
	return answer(user, &l, &h);
}

/* ---- links ---- */

static sheaf_status add_link(void *user, const sheaf_hdf5_way *way)
{
	asking *a = (asking *)user;
	sheaf_hdf5_link like = {.name = (const char *)way->name,
	                        .name_size = way->name_size,
	                        .address = way->address,
	                        .kind = (uint8_t)way->kind,
	                        .value = way->value,
	                        .is_utf8 = way->is_utf8,
	                        .order = way->order};
	return sheaf_hdf5_link_in(a->w, a->o, like);
}

static sheaf_status list_links(void *user, sheaf_hdf5_look *l, const sheaf_hdf5_header *h)
{
	return sheaf_hdf5_links(l, h, add_link, user);
}

sheaf_status sheaf_hdf5_list_old(sheaf_hdf5_writer *w, sheaf_hdf5_object *group)
{
	asking a = {.w = w, .o = group};
	if (!group->is_old || group->is_listed) return SHEAF_OK;
	if (!group->is_group)
		return sheaf_fail(w->err, SHEAF_DATA, "%s: expected a group, found another object",
		                  w->reader.store->name);
	SHEAF_TRY(sheaf_hdf5_ask(w, group, list_links, &a));
	group->is_listed = true;
	return SHEAF_OK;
}

/* ---- attributes ---- */

enum { NAME_IN_OLD = 8, NAME_IN_NEW = 9 }; /* bytes of the message before the name */

static sheaf_status name_attribute(asking *a, sheaf_hdf5_message *m)
{
	sheaf_cursor c = cursor_over(m);
	size_t size;
	unsigned version = sheaf_cursor_u8(&c, "an attribute");
	sheaf_cursor_bytes(&c, 1, (version < 3 ? NAME_IN_OLD : NAME_IN_NEW) - 1, "an attribute");
	const char *name = (const char *)sheaf_cursor_string(&c, &size, "a name of an attribute");
	if (m->flags & SHEAF_HDF5_SHARED)
		return sheaf_fail(
			a->w->err, SHEAF_UNSUPPORTED,
			"%s: expected attributes that stand with their object, found one in a table of shared "
			"messages (`h5repack` makes a file without)",
			a->w->reader.store->name);
	if (c.failed)
		return sheaf_fail(a->w->err, SHEAF_DATA,
		                  "%s: expected an attribute with a name, found one that ends before",
		                  a->w->reader.store->name);
	return sheaf_catalog_text(a->w->catalog, &m->name, a->w->err, "%s", name);
}

static sheaf_status add_named(asking *a, sheaf_bytes message, uint8_t flags, int64_t order)
{
	a->w->message.size = 0;
	sheaf_builder_append(&a->w->message, message.data, message.size);
	SHEAF_TRY(sheaf_hdf5_add_attribute(a->w, a->o, "", NULL));
	sheaf_hdf5_message *m = a->o->attributes.last;
	m->flags = flags;
	m->order = order;
	return name_attribute(a, m);
}

/* In which order those were made that are not in the header: by the hashes of their names. */
typedef struct made {
	uint32_t hash, order;
} made;

static sheaf_status note_order(void *user, sheaf_cursor *record)
{
	enum { ID = 8 };
	asking *a = (asking *)user;
	made it;
	sheaf_cursor_bytes(record, 1, ID + 1, "an attribute");
	it.order = sheaf_cursor_u32le(record, "an attribute");
	it.hash = sheaf_cursor_u32le(record, "an attribute");
	sheaf_builder_append(&a->orders, &it, sizeof it);
	return sheaf_builder_status(&a->orders, a->w->err);
}

static int64_t order_of(const asking *a, const sheaf_hdf5_attribute *attribute)
{
	made it;
	uint32_t hash = sheaf_hdf5_checksum(attribute->name, attribute->name_size);
	for (size_t at = 0; at < a->orders.size; at += sizeof it) {
		memcpy(&it, a->orders.data + at, sizeof it);
		if (it.hash == hash) return it.order;
	}
	return 0;
}

static sheaf_status add_dense(void *user, const sheaf_hdf5_attribute *attribute)
{
	asking *a = (asking *)user;
	return add_named(a, attribute->message, 0, order_of(a, attribute));
}

/* The tree of attributes that are in a heap; NOWHERE: they are all in the header. */
static int64_t tree_of_attributes(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *o)
{
	const sheaf_hdf5_message *m = sheaf_hdf5_find_message(o, SHEAF_HDF5_ATTRIBUTE_INFO);
	if (!m) return SHEAF_HDF5_NOWHERE;
	sheaf_cursor c = cursor_over(m);
	sheaf_cursor_bytes(&c, 1, 1, "a version");
	if (sheaf_cursor_u8(&c, "flags") & SHEAF_HDF5_TRACKED) sheaf_cursor_bytes(&c, 1, 2, "a number");
	sheaf_cursor_bytes(&c, 1, w->reader.address_size, "a heap");
	int64_t tree = sheaf_hdf5_take_address(&w->reader, &c, "a tree");
	return c.failed ? SHEAF_HDF5_NOWHERE : tree;
}

static sheaf_status list_dense(void *user, sheaf_hdf5_look *l, const sheaf_hdf5_header *h)
{
	asking *a = (asking *)user;
	enum { BY_NAME = 8 };
	SHEAF_TRY(sheaf_hdf5_tree_2(l, BY_NAME, tree_of_attributes(a->w, a->o), note_order, a));
	return sheaf_hdf5_attributes(l, h, NULL, add_dense, a);
}

static sheaf_status list_attributes(asking *a)
{
	for (const sheaf_hdf5_message *m = a->o->messages.first; m; m = m->next)
		if (m->type == SHEAF_HDF5_ATTRIBUTE) SHEAF_TRY(add_named(a, m->data, m->flags, m->order));
	if (tree_of_attributes(a->w, a->o) == SHEAF_HDF5_NOWHERE) return SHEAF_OK;
	return sheaf_hdf5_ask(a->w, a->o, list_dense, a);
}

sheaf_status sheaf_hdf5_list_attributes(sheaf_hdf5_writer *w, sheaf_hdf5_object *o)
{
	asking a = {.w = w, .o = o};
	int64_t next = o->next_attribute;
	if (!o->is_old || o->has_attributes) return SHEAF_OK;
	sheaf_builder_begin(&a.orders, w->reader.cx, NULL);
	sheaf_status status = list_attributes(&a);
	sheaf_builder_drop(&a.orders);
	o->next_attribute = next;
	o->has_attributes = true;
	return status;
}
