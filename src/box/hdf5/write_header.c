/* SPDX-License-Identifier: MIT */
/* Headers of objects. Each is made twice: once to know how long it is, so that all have addresses, and once
 * with these in it. */
#include "base/context.h"
#include "box/hdf5/write.h"

typedef struct pen {
	sheaf_hdf5_writer *w;
	const sheaf_hdf5_object *object;
	sheaf_builder *b;
	bool is_measuring; /* addresses are not known yet */
	sheaf_error *err;
} pen;

static sheaf_status put(pen *p, sheaf_hdf5_message_type type, unsigned flags, int64_t order, sheaf_bytes data)
{
	if (data.size > UINT16_MAX)
		return sheaf_fail(
			p->err, SHEAF_LIMIT,
			"%s: expected what is said of a group or an array in less than 64 KiB, found %zu bytes",
			p->w->store->name, data.size);
	sheaf_hdf5_number(p->b, type, 1);
	sheaf_hdf5_number(p->b, data.size, 2);
	sheaf_hdf5_number(p->b, flags, 1);
	if (p->object->attribute_order & SHEAF_HDF5_TRACKED) sheaf_hdf5_number(p->b, (uint64_t)order, 2);
	sheaf_builder_append(p->b, data.data, data.size);
	return SHEAF_OK;
}

/* What stands in the writer's builder for messages. */
static sheaf_status put_message(pen *p, sheaf_hdf5_message_type type, unsigned flags, int64_t order)
{
	SHEAF_TRY(sheaf_builder_status(&p->w->message, p->err));
	return put(p, type, flags, order, (sheaf_bytes){p->w->message.data, p->w->message.size});
}

/* ---- groups ---- */

static sheaf_status put_link_info(pen *p)
{
	sheaf_builder *b = &p->w->message;
	uint8_t order = p->object->link_order;
	b->size = 0;
	sheaf_hdf5_number(b, 0, 1);
	sheaf_hdf5_number(b, order, 1);
	if (order & SHEAF_HDF5_TRACKED) sheaf_hdf5_number(b, (uint64_t)p->object->next_link, 8);
	int64_t at[3] = {SHEAF_HDF5_NOWHERE, SHEAF_HDF5_NOWHERE, SHEAF_HDF5_NOWHERE};
	if (p->object->nlinks > SHEAF_HDF5_MOST_COMPACT && !p->is_measuring) {
		SHEAF_TRY(sheaf_hdf5_write_links(p->w, p->object, at, p->err));
	}
	for (int i = 0; i < (order & SHEAF_HDF5_INDEXED ? 3 : 2); i++) sheaf_hdf5_address(p->w, b, at[i]);
	return put_message(p, SHEAF_HDF5_LINK_INFO, 0, 0);
}

static sheaf_status put_links(pen *p)
{
	for (const sheaf_hdf5_link *link = p->object->links; link; link = link->next) {
		if (link->is_gone) continue;
		p->w->message.size = 0;
		sheaf_hdf5_describe_link(p->w, &p->w->message, link);
		SHEAF_TRY(put_message(p, SHEAF_HDF5_LINK, 0, 0));
	}
	return SHEAF_OK;
}

static sheaf_status put_group(pen *p)
{
	static const uint8_t usual[2] = {0, 0};
	SHEAF_TRY(put_link_info(p));
	SHEAF_TRY(put(p, SHEAF_HDF5_GROUP_INFO, SHEAF_HDF5_CONSTANT, 0, (sheaf_bytes){usual, sizeof usual}));
	return p->object->nlinks > SHEAF_HDF5_MOST_COMPACT ? SHEAF_OK : put_links(p);
}

/* ---- attributes ---- */

static sheaf_status put_attribute_info(pen *p, int64_t next)
{
	enum { NOT_SHARED = 4 };
	sheaf_builder *b = &p->w->message;
	uint8_t order = p->object->attribute_order;
	if (order == 0 && !p->object->attributes.first) return SHEAF_OK;
	b->size = 0;
	sheaf_hdf5_number(b, 0, 1);
	sheaf_hdf5_number(b, order, 1);
	if (order & SHEAF_HDF5_TRACKED) sheaf_hdf5_number(b, (uint64_t)next, 2);
	for (int i = 0; i < (order & SHEAF_HDF5_INDEXED ? 3 : 2); i++)
		sheaf_hdf5_address(p->w, b, SHEAF_HDF5_NOWHERE);
	return put_message(p, SHEAF_HDF5_ATTRIBUTE_INFO, NOT_SHARED, 0);
}

static sheaf_status put_attributes(pen *p)
{
	const sheaf_hdf5_object *o = p->object;
	int64_t order = o->next_attribute;
	SHEAF_TRY(put_attribute_info(p, order + (o->dimension != NULL) + sheaf_hdf5_is_used(o)));
	for (const sheaf_hdf5_message *m = o->attributes.first; m; m = m->next)
		if (!m->is_gone) SHEAF_TRY(put(p, SHEAF_HDF5_ATTRIBUTE, m->flags, m->order, m->data));
	if (o->dimension) {
		SHEAF_TRY(sheaf_hdf5_describe_dimension(p->w, o, p->is_measuring, p->err));
		SHEAF_TRY(put_message(p, SHEAF_HDF5_ATTRIBUTE, 0, order++));
	}
	if (!sheaf_hdf5_is_used(o)) return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf5_describe_uses(p->w, o, p->err));
	return put_message(p, SHEAF_HDF5_ATTRIBUTE, 0, order);
}

/* ---- all of it ---- */

static sheaf_status put_messages(pen *p)
{
	for (const sheaf_hdf5_message *m = p->object->messages.first; m; m = m->next)
		SHEAF_TRY(put(p, m->type, m->flags, 0, m->data));
	if (p->object->is_group) SHEAF_TRY(put_group(p));
	return put_attributes(p);
}

static sheaf_status make_header(pen *p)
{
	enum { VERSION = 2, WIDE = 2 /* sizes of 4 bytes */, HEAD = 10 };
	uint8_t order = p->object->attribute_order;
	p->b->size = 0;
	sheaf_builder_append(p->b, "OHDR", 4);
	sheaf_hdf5_number(p->b, VERSION, 1);
	sheaf_hdf5_number(p->b, (unsigned)(WIDE | order << 2), 1);
	sheaf_hdf5_number(p->b, 0, 4);
	SHEAF_TRY(put_messages(p));
	SHEAF_TRY(sheaf_builder_status(p->b, p->err));
	sheaf_store_u32le(p->b->data + HEAD - 4, (uint32_t)(p->b->size - HEAD));
	sheaf_hdf5_sum(p->b);
	return sheaf_builder_status(p->b, p->err);
}

sheaf_status sheaf_hdf5_write_headers(sheaf_hdf5_writer *w, sheaf_error *err)
{
	for (int pass = 0; pass < 2; pass++)
		for (sheaf_hdf5_object *o = w->objects; o; o = o->next) {
			pen p = {w, o, &w->header, pass == 0, err};
			if (o->is_gone) continue;
			SHEAF_TRY(sheaf_check_stop(w->cx, err));
			SHEAF_TRY(make_header(&p));
			if (pass == 0)
				SHEAF_TRY(sheaf_hdf5_allocate(w, w->header.size, 8, &o->address, err));
			else
				SHEAF_TRY(sheaf_hdf5_put(w, o->address, w->header.data, w->header.size, err));
		}
	return SHEAF_OK;
}
