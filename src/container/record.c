/* SPDX-License-Identifier: MIT */
/* Compounds: records are read as they are stored, and each member is extracted from them. Whoever needs
 * several members of a table reads it once. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/extend.h"
#include "container/bits.h"
#include "container/inside.h"
#include <inttypes.h>
#include <string.h>

/* Records on their way to a buffer. */
typedef struct copying {
	sheaf_builder b;
	size_t width; /* of a record */
} copying;

static void drop(copying *c) { sheaf_builder_drop(&c->b); }

static sheaf_status append_records(void *user, const uint8_t *records, int64_t from, int64_t count,
                                   sheaf_error *err)
{
	copying *c = (copying *)user;
	(void)from;
	sheaf_builder_append(&c->b, records, (size_t)count * c->width);
	return sheaf_builder_status(&c->b, err);
}

/* Reads records [run.from, run.to) of a table as they are stored, one after the other, into *out, which
 * the caller resets. */
sheaf_status sheaf_box_read_records(sheaf_box *box, sheaf_box_run run, sheaf_buffer *out, sheaf_error *err)
{
	const sheaf_box_item *item = run.item;
	char where[300];
	size_t size;
	SHEAF_SCOPED(drop) copying c = {.width = item->inside->width};
	sheaf_buffer_reset(out);
	if (item->refused || item->what != SHEAF_BOX_RECORDS || run.from < 0 || run.from > run.to ||
	    run.to > item->count)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected records of a table, found %s",
		                  sheaf_box_where(box, item, where), item->refused ? item->refused : "others");
	if (run.from == run.to) return SHEAF_OK;
	if (!sheaf_mul_size(&size, (uint64_t)(run.to - run.from), c.width))
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected fewer records at a time",
		                  sheaf_box_where(box, item, where));
	sheaf_builder_begin(&c.b, box->cx, out);
	if (!sheaf_builder_room(&c.b, size)) return sheaf_builder_status(&c.b, err);
	SHEAF_TRY(sheaf_box_bands(box, run, c.width, append_records, &c, err));
	return sheaf_builder_finish(&c.b, out, err);
}

/* Copies the values of a member out of n records, one after the other, as numbers of our types. A member
 * with an unusual number of bits is as wide as our type while it is expanded. */
void sheaf_box_record_values(const sheaf_box_item *item, int member, const void *records, int64_t n,
                             void *out)
{
	const sheaf_box_item *m = &item->members[member];
	const sheaf_box_detail *inside = m->inside;
	size_t wide = sheaf_type_size(m->type) * (size_t)inside->per, width = inside->width;
	const uint8_t *from = (const uint8_t *)records + inside->offset;
	uint8_t *to = (uint8_t *)out;
	for (int64_t i = 0; i < n; i++, from += item->inside->width) {
		uint8_t value[SHEAF_BOX_MAX_ELEMENT] = {0};
		memcpy(value, from, width < sizeof value ? width : sizeof value);
		if (inside->bits) sheaf_box_expand(inside->bits, m->type, value, 1);
		memcpy(to + (size_t)i * wide, value, wide);
	}
	sheaf_box_stored stored = {m->type, inside->is_swapped, out, (size_t)(n * inside->per)};
	sheaf_box_convert(stored, m->type, out);
}

/* A member lies in its record where its offset says; the driver knows how its texts are stored. */
sheaf_status sheaf_box_record_text(sheaf_box *box, const sheaf_box_item *member, const uint8_t *record,
                                   sheaf_buffer *text, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b;
	sheaf_builder_begin(&b, box->cx, text);
	SHEAF_TRY(box->driver->text_of(box->state, member, record + member->inside->offset, &b, err));
	return sheaf_builder_finish(&b, text, err);
}
