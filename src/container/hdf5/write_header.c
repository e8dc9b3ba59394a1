/* SPDX-License-Identifier: MIT */
/* Headers of objects. Each is made twice: once to find its size, so that all get addresses, and once with
 * these addresses in it. The sizes of the two must be equal, so nothing in a header may depend on an
 * address (`is_measuring`).
 *
 * New objects have headers of version 2 in one block. An existing header keeps its place, since other
 * objects lead to it: its messages move to a second block at the end of the file, and its first block is
 * left with a message that leads there. That first block is written last of all, so an interrupted writer
 * leaves the old header valid. */
#include "base/context.h"
#include "container/hdf5/write.h"
#include <inttypes.h>

/* A header that is being made, in the builder `b`. */
typedef struct pen {
	sheaf_hdf5_writer *w;
	const sheaf_hdf5_object *object;
	sheaf_builder *b;
	bool is_measuring; /* addresses are not known yet */
	unsigned count;    /* messages */
} pen;

/* Appends a message to the header that is being made: type, size, flags, the number `order` if attributes
 * are numbered, and the data; in version 1 everything is padded to a multiple of 8. A message must be
 * smaller than 64 KiB. */
static sheaf_status put(pen *p, sheaf_hdf5_message_type type, unsigned flags, int64_t order, sheaf_bytes data)
{
	enum { MOST = 0xfff8 };
	bool is_old = p->object->version == 1;
	if (data.size > MOST)
		return sheaf_fail(
			p->w->err, SHEAF_LIMIT,
			"%s: expected the header of a group or an array to be less than 64 KiB, found %zu bytes",
			p->w->reader.store->name, data.size);
	size_t padding = is_old ? -data.size % 8 : 0;
	sheaf_hdf5_put_number(p->b, type, is_old ? 2 : 1);
	sheaf_hdf5_put_number(p->b, data.size + padding, 2);
	sheaf_hdf5_put_number(p->b, flags, is_old ? 4 : 1);
	if (p->object->attribute_order & SHEAF_HDF5_TRACKED) sheaf_hdf5_put_number(p->b, (uint64_t)order, 2);
	sheaf_builder_append(p->b, data.data, data.size);
	sheaf_hdf5_put_zeros(p->b, padding);
	p->count++;
	return SHEAF_OK;
}

/* Takes the messages from the writer's builder. */
static sheaf_status put_message(pen *p, sheaf_hdf5_message_type type, unsigned flags, int64_t order)
{
	SHEAF_TRY(sheaf_builder_status(&p->w->message, p->w->err));
	return put(p, type, flags, order, sheaf_builder_bytes(&p->w->message));
}

/* Makes the info about links, or attributes, that are in the header, or at[0] with indexes at[1] and
 * at[2]; if they are numbered it has the next number, of `width` bytes. */
static void make_info(const pen *p, uint8_t order, int64_t next, size_t width, const int64_t at[3])
{
	sheaf_builder *b = &p->w->message;
	b->size = 0;
	SHEAF_HDF5_PUT(p->w, b, "11", 0, order);
	if (order & SHEAF_HDF5_TRACKED) sheaf_hdf5_put_number(b, (uint64_t)next, width);
	sheaf_hdf5_put(p->w, b, order & SHEAF_HDF5_INDEXED ? "AAA" : "AA", at);
}

/* ---- the messages ---- */

/* Appends the attributes as they were or as they were set, and those that netCDF needs, which lead to
 * objects and so are made only now. Their info message, which version 1 has not, holds the next number in
 * the order of creation. */
static sheaf_status put_attributes(pen *p)
{
	const sheaf_hdf5_object *o = p->object;
	int64_t order = o->next_attribute;
	enum { NOT_SHARED = 4 };
	static const int64_t nowhere[3] = {SHEAF_HDF5_NOWHERE, SHEAF_HDF5_NOWHERE, SHEAF_HDF5_NOWHERE};
	if (o->version != 1 && (o->attribute_order != 0 || o->attributes.first)) {
		int64_t next_order = order + (o->dimension != NULL) + sheaf_hdf5_is_used(o);
		make_info(p, o->attribute_order, next_order, 2, nowhere);
		SHEAF_TRY(put_message(p, SHEAF_HDF5_ATTRIBUTE_INFO, NOT_SHARED, 0));
	}
	for (const sheaf_hdf5_message *m = o->attributes.first; m; m = m->next)
		if (!m->is_gone) SHEAF_TRY(put(p, SHEAF_HDF5_ATTRIBUTE, m->flags, m->order, m->data));
	if (o->dimension) {
		SHEAF_TRY(sheaf_hdf5_put_dimension(p->w, o, p->is_measuring));
		SHEAF_TRY(put_message(p, SHEAF_HDF5_ATTRIBUTE, 0, order++));
	}
	if (!sheaf_hdf5_is_used(o)) return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf5_put_uses(p->w, o));
	return put_message(p, SHEAF_HDF5_ATTRIBUTE, 0, order);
}

/* Returns whether an existing message is made again, since what it says has changed. */
static bool is_replaced(const sheaf_hdf5_object *o, sheaf_hdf5_message_type type)
{
	switch (type) {
	case SHEAF_HDF5_LINK_INFO:
	case SHEAF_HDF5_LINK:
	case SHEAF_HDF5_SYMBOLS: return o->links_change;
	case SHEAF_HDF5_ATTRIBUTE:
	case SHEAF_HDF5_ATTRIBUTE_INFO: return o->attributes_change;
	case SHEAF_HDF5_LINK_COUNT: return o->nlinked_changes;
	default: return false;
	}
}

/* Appends all messages of an object: what the object had (a message that is made again is left out), then
 * links, attributes, and the link count. Up to eight links are in the header itself; more of them are in
 * a heap with indexes, which are not written while the header is only measured. The links come after
 * everything else, because the heap's addresses come with them. */
static sheaf_status put_messages(pen *p)
{
	const sheaf_hdf5_object *o = p->object;
	for (const sheaf_hdf5_message *m = o->messages.first; m; m = m->next)
		if (!is_replaced(o, m->type)) SHEAF_TRY(put(p, m->type, m->flags, m->order, m->data));
	if (o->is_group && (o->links_change || !o->is_old)) {
		static const uint8_t usual[2] = {0, 0};
		int64_t at[3] = {SHEAF_HDF5_NOWHERE, SHEAF_HDF5_NOWHERE, SHEAF_HDF5_NOWHERE};
		if (o->nlinks > SHEAF_HDF5_MOST_COMPACT && !p->is_measuring)
			SHEAF_TRY(sheaf_hdf5_write_links(p->w, o, at));
		make_info(p, o->link_order, o->next_link, 8, at);
		SHEAF_TRY(put_message(p, SHEAF_HDF5_LINK_INFO, 0, 0));
		if (!sheaf_hdf5_find_message(p->object, SHEAF_HDF5_GROUP_INFO))
			SHEAF_TRY(
				put(p, SHEAF_HDF5_GROUP_INFO, SHEAF_HDF5_CONSTANT, 0, (sheaf_bytes){usual, sizeof usual}));
		const sheaf_hdf5_link *link = o->nlinks > SHEAF_HDF5_MOST_COMPACT ? NULL : o->links;
		for (; link; link = link->next) {
			if (link->is_gone) continue;
			p->w->message.size = 0;
			sheaf_hdf5_put_link(p->w, &p->w->message, link);
			SHEAF_TRY(put_message(p, SHEAF_HDF5_LINK, 0, 0));
		}
	}
	if (o->attributes_change || !o->is_old) SHEAF_TRY(put_attributes(p));
	/* The number of links to the object, which version 1 has in the head of the header. */
	if (!o->nlinked_changes || o->nlinked == 1 || o->version == 1) return SHEAF_OK;
	p->w->message.size = 0;
	SHEAF_HDF5_PUT(p->w, &p->w->message, "14", 0, o->nlinked);
	return put_message(p, SHEAF_HDF5_LINK_COUNT, 0, 0);
}

/* Writes the header of a new object: in the first pass it gets its address; in the second one it is
 * written there. The size of the messages is known only after them, so it is stored into the head then. */
static sheaf_status write_new(pen *p, sheaf_hdf5_object *o)
{
	enum { WIDE = 2 /* sizes of 4 bytes */, HEAD = 10 };
	p->b->size = 0;
	sheaf_builder_append(p->b, "OHDR\2", 5);
	SHEAF_HDF5_PUT(p->w, p->b, "14", WIDE | p->object->attribute_order << 2, 0);
	SHEAF_TRY(put_messages(p));
	SHEAF_TRY(sheaf_builder_status(p->b, p->w->err));
	sheaf_store_u32le(p->b->data + HEAD - 4, (uint32_t)(p->b->size - HEAD));
	sheaf_hdf5_put_sum(p->b);
	SHEAF_TRY(sheaf_builder_status(p->b, p->w->err));
	if (p->is_measuring) return sheaf_hdf5_allocate(p->w, p->b->size, 8, &o->address);
	return sheaf_hdf5_store(p->w, o->address, p->b->data, p->b->size);
}

/* ---- existing headers ---- */

/* Fills the rest of the first block up to byte `end`: with empty messages, or if not even these fit,
 * zeros. */
static void fill_up(pen *p, size_t end)
{
	enum { MOST = 0xfff8 };
	size_t head = p->object->version == 1 ? 8 : p->object->attribute_order & SHEAF_HDF5_TRACKED ? 6 : 4;
	static const uint8_t nothing[MOST];
	for (size_t left; (left = end - p->b->size) >= head && !p->b->failed;) {
		size_t size = left - head < MOST ? left - head : MOST;
		if (p->object->version == 1) size -= size % 8;
		sheaf_status status = put(p, SHEAF_HDF5_NIL, 0, 0, (sheaf_bytes){nothing, size});
		if (status) break; /* none is too long */
	}
	sheaf_hdf5_put_zeros(p->b, end - p->b->size);
}

/* Rewrites the first block of an old header in its old place, where a continuation now leads to the
 * second block of `size` bytes at `address`. Its bytes are only noted (w->heads), and written when all
 * that they lead to is in the file. */
static sheaf_status change_head(pen *p, int64_t address, size_t size)
{
	const sheaf_hdf5_object *o = p->object;
	const sheaf_store *store = p->w->reader.store;
	sheaf_builder *b = p->b, *m = &p->w->message;
	size_t end = o->room_at + (size_t)o->room;
	b->size = m->size = 0;
	if (!sheaf_builder_room(b, end + 8)) return sheaf_builder_status(b, p->w->err);
	SHEAF_TRY(store->read(store->user, p->w->reader.base + o->address, b->data, o->room_at, p->w->err));
	b->size = o->room_at;
	SHEAF_HDF5_PUT(p->w, m, "AL", address, (int64_t)size);
	SHEAF_TRY(put_message(p, SHEAF_HDF5_CONTINUATION, 0, 0));
	if (b->size > end)
		return sheaf_fail(p->w->err, SHEAF_UNSUPPORTED,
		                  "%s (byte %" PRId64
		                  "): expected a header with room for a continuation, found %zu bytes"
		                  " (`h5repack` rewrites headers)",
		                  store->name, p->w->reader.base + o->address, (size_t)o->room);
	fill_up(p, end);
	if (o->version == 1) {
		b->data[2] = (uint8_t)p->count;
		b->data[3] = (uint8_t)(p->count >> 8);
		sheaf_store_u32le(b->data + 4, (uint32_t)o->nlinked);
	} else {
		sheaf_hdf5_put_sum(b);
	}
	sheaf_builder_i64(&p->w->heads, o->address);
	sheaf_builder_i64(&p->w->heads, (int64_t)b->size);
	return sheaf_hdf5_note(&p->w->heads, b->data, b->size, p->w->err);
}

/* Writes the headers of all objects. The first pass measures the new ones and gives them their places, so
 * that in the second pass links can lead to any of them. Objects that are only known, and unchanged, are
 * left alone. */
sheaf_status sheaf_hdf5_write_headers(sheaf_hdf5_writer *w)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < sheaf_hdf5_object_count(w); i++) {
			sheaf_hdf5_object *o = sheaf_hdf5_object_at(w, i);
			pen p = {.w = w, .object = o, .b = &w->header, .is_measuring = pass == 0};
			SHEAF_TRY(sheaf_check_stop(w->reader.cx, w->err));
			if (o->is_gone) continue;
			if (!o->is_old) {
				SHEAF_TRY(write_new(&p, o));
				continue;
			}
			if (pass == 0 || !(o->links_change || o->attributes_change || o->nlinked_changes)) continue;
			/* All messages go into a second block, at the end of the file; the first one leads to it. */
			int64_t address;
			p.b->size = 0;
			if (o->version != 1) sheaf_builder_append(p.b, "OCHK", 4);
			SHEAF_TRY(put_messages(&p));
			if (o->version != 1) sheaf_hdf5_put_sum(p.b);
			SHEAF_TRY(sheaf_hdf5_store_new(w, p.b, &address));
			SHEAF_TRY(change_head(&p, address, p.b->size));
		}
	return SHEAF_OK;
}

/* Writes the first blocks of existing headers, which were noted before. Once these are in the file, the
 * new contents can be reached. */
sheaf_status sheaf_hdf5_write_heads(sheaf_hdf5_writer *w)
{
	for (size_t at = 0; at < w->heads.size;) {
		int64_t head[2]; /* address, size */
		memcpy(head, w->heads.data + at, sizeof head);
		at += sizeof head;
		SHEAF_TRY(sheaf_hdf5_store(w, head[0], w->heads.data + at, (size_t)head[1]));
		at += (size_t)head[1];
	}
	return sheaf_hdf5_flush(w);
}
