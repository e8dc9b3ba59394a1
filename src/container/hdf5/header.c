/* SPDX-License-Identifier: MIT */
/* Headers of objects: messages in one block, or in several that lead to each other. All messages are
 * copied into one run of bytes with a list of where they are (`parts`), so callers see no blocks. Version
 * 1 has a head of 16 bytes and messages that are padded to eight; version 2 (HDF5 1.8) begins with OHDR
 * and has a checksum in each block. */
#include "container/hdf5/read.h"
#include <string.h>

enum { MOST_PIECES = 1 << 16, ROOM_FOR_A_HEAD = 64, USUAL = 512 };
enum { HAS_ORDER = 4, HAS_LIMITS = 16, HAS_TIMES = 32 };

static const char what[] = "a header of an object";

typedef struct piece {
	int64_t address;
	uint64_t size;
} piece;

/* A header that is being read, and the blocks that wait. */
typedef struct reading {
	sheaf_hdf5_look *l;
	sheaf_hdf5_header *h;
	sheaf_builder pieces; /* that continuations have led to */
} reading;

static void drop(reading *r) { sheaf_builder_drop(&r->pieces); }

const sheaf_hdf5_part *sheaf_hdf5_parts(const sheaf_hdf5_header *h, size_t *count)
{
	*count = h->parts.size / sizeof(sheaf_hdf5_part);
	return (const sheaf_hdf5_part *)(const void *)h->parts.data;
}

const sheaf_hdf5_part *sheaf_hdf5_part_find(const sheaf_hdf5_header *h, sheaf_hdf5_message_type type)
{
	size_t n;
	const sheaf_hdf5_part *parts = sheaf_hdf5_parts(h, &n);
	for (size_t i = 0; i < n; i++)
		if (parts[i].type == type) return &parts[i];
	return NULL;
}

sheaf_cursor sheaf_hdf5_part_cursor(const sheaf_hdf5_header *h, const sheaf_hdf5_part *part)
{
	return sheaf_cursor_over(part->size ? h->bytes.data + part->at : NULL, part->size, part->byte);
}

void sheaf_hdf5_header_drop(sheaf_hdf5_header *h)
{
	sheaf_builder_drop(&h->bytes);
	sheaf_builder_drop(&h->parts);
}

/* ---- messages ---- */

/* Whether messages of this type exist in the versions of the format that are read here. Others may be
 * ignored, unless their flags say that a reader must know them. */
static bool is_known(sheaf_hdf5_message_type type) { return type <= SHEAF_HDF5_LINK_COUNT + 2; }

/* Keeps a message of `size` bytes: continuations lead to further blocks, which wait; empty messages are
 * dropped; all others are kept as they are. A message that is not known and must be (a flag says so)
 * refuses the object. */
static sheaf_status keep(reading *r, sheaf_cursor *c, sheaf_hdf5_part *part, size_t size)
{
	part->byte = sheaf_cursor_tell(c);
	part->at = r->h->bytes.size;
	part->size = size;
	const uint8_t *bytes = sheaf_cursor_bytes(c, 1, size, "a message within its header");
	SHEAF_TRY(sheaf_hdf5_done(r->l, c));
	sheaf_cursor own = sheaf_cursor_over(bytes, size, part->byte);
	if (part->type == SHEAF_HDF5_NIL) return SHEAF_OK;
	if (part->type == SHEAF_HDF5_CONTINUATION) {
		int64_t p[2];
		SHEAF_TRY(sheaf_hdf5_fields(r->l, &own, "AL", "a continuation", p));
		if (r->pieces.size / sizeof p >= MOST_PIECES)
			return sheaf_hdf5_refuse(r->l, sheaf_cursor_tell(&own), "a header of fewer pieces", MOST_PIECES);
		return sheaf_hdf5_note(&r->pieces, p, sizeof p, r->l->err);
	}
	if (!is_known(part->type) && (part->flags & SHEAF_HDF5_MUST_KNOW))
		return sheaf_hdf5_refuse(r->l, part->byte, "messages that are known", part->type);
	sheaf_builder_append(&r->h->bytes, bytes, size);
	sheaf_builder_append(&r->h->parts, part, sizeof *part);
	SHEAF_TRY(sheaf_builder_status(&r->h->bytes, r->l->err));
	return sheaf_builder_status(&r->h->parts, r->l->err);
}

/* Takes all messages of a block. The rest, in which no message fits, is a gap. */
static sheaf_status take_messages(reading *r, sheaf_cursor *c)
{
	enum { TYPE, SIZE, FLAGS, ORDER };
	const char *pattern = r->h->version == 1 ? "221-3" : r->h->flags & HAS_ORDER ? "1212" : "121";
	size_t head = r->h->version == 1 ? 8 : r->h->flags & HAS_ORDER ? 6 : 4;
	while (sheaf_cursor_left(c) >= head) {
		int64_t f[4] = {0};
		SHEAF_TRY(sheaf_hdf5_fields(r->l, c, pattern, "a message", f));
		sheaf_hdf5_part part = {.type = (sheaf_hdf5_message_type)f[TYPE],
		                        .flags = (uint8_t)f[FLAGS],
		                        .order = (uint32_t)f[ORDER]};
		SHEAF_TRY(keep(r, c, &part, (size_t)f[SIZE]));
	}
	return SHEAF_OK;
}

/* ---- pieces ---- */

/* Reads the first block of a header and its messages. The first bytes show the version, and say how long
 * the block is: "OHDR" begins one of version 2, a version byte one of version 1. */
static sheaf_status read_first(reading *r)
{
	sheaf_hdf5_look *l = r->l;
	SHEAF_TRY(sheaf_hdf5_peek(l, what, r->h->address, ROOM_FOR_A_HEAD));
	bool is_new = l->bytes.size >= 4 && memcmp(l->bytes.data, "OHDR", 4) == 0;
	if (!is_new) {
		/* Version, messages, link count, and size of the messages. */
		enum { LINKED, SIZE, HEAD = 16 };
		int64_t f[2];
		r->h->version = sheaf_hdf5_byte(&l->c, 1, 1, "a header of version 1, or OHDR");
		SHEAF_TRY(sheaf_hdf5_fields(l, &l->c, "-344", what, f));
		r->h->nlinked = f[LINKED];
		r->h->room = (uint64_t)f[SIZE];
		r->h->room_at = HEAD;
		SHEAF_TRY(sheaf_hdf5_go(l, what, r->h->address, HEAD + r->h->room, NULL, SHEAF_HDF5_PLAIN));
	} else {
		/* Signature, version, flags, times, limits, and the size of the messages. */
		sheaf_hdf5_header *h = r->h;
		sheaf_cursor_bytes(&l->c, 1, 4, what);
		h->version = sheaf_hdf5_byte(&l->c, 2, 2, "a header of version 2 after OHDR");
		h->flags = sheaf_hdf5_byte(&l->c, 0, 63, "flags of a header");
		sheaf_cursor_bytes(&l->c, 1, (h->flags & HAS_TIMES ? 16 : 0) + (h->flags & HAS_LIMITS ? 4 : 0), what);
		h->room = sheaf_hdf5_take(&l->c, (size_t)1 << (h->flags & 3), what);
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
		h->nlinked = 1;
		h->room_at = (size_t)(l->c.at - l->c.begin);
		if (h->room > INT64_MAX - 100)
			return sheaf_hdf5_refuse(l, sheaf_cursor_tell(&l->c), "a size of a header", h->room);
		SHEAF_TRY(sheaf_hdf5_go(l, what, h->address, h->room_at + h->room + 4, "OHDR\2", SHEAF_HDF5_SUMMED));
	}
	l->c.at = l->c.begin + r->h->room_at;
	return take_messages(r, &l->c);
}

/* Reads the header of an object with all its blocks into *h. Room is reserved beforehand: most headers
 * are small, and a header is reused for thousands of objects. A block that was read before is damage, so
 * that continuations cannot run in circles. */
sheaf_status sheaf_hdf5_header_read(sheaf_hdf5_look *l, int64_t address, sheaf_hdf5_header *h)
{
	SHEAF_SCOPED(drop) reading r = {.l = l, .h = h, .pieces = {.cx = l->r->cx}};
	if (!h->bytes.cx) *h = (sheaf_hdf5_header){.bytes = {.cx = l->r->cx}, .parts = {.cx = l->r->cx}};
	h->address = address;
	h->flags = 0;
	h->bytes.size = h->parts.size = 0;
	if (!sheaf_builder_room(&h->bytes, USUAL)) return sheaf_builder_status(&h->bytes, l->err);
	if (!sheaf_builder_room(&h->parts, USUAL)) return sheaf_builder_status(&h->parts, l->err);
	sheaf_hdf5_places_clear(&l->seen, l->r->cx);
	SHEAF_TRY(read_first(&r));
	for (size_t at = 0; at < r.pieces.size; at += sizeof(piece)) {
		piece p;
		memcpy(&p, r.pieces.data + at, sizeof p);
		SHEAF_TRY(sheaf_hdf5_meet(l, "a continuation of a header", p.address));
		/* The signature of a further block of version 2 has no version after it. */
		bool is_old = h->version == 1;
		SHEAF_TRY(sheaf_hdf5_go(l, "a continuation of a header", p.address, p.size,
		                        is_old ? NULL : "OCHK\377", is_old ? SHEAF_HDF5_PLAIN : SHEAF_HDF5_SUMMED));
		if (!is_old) l->c.at--;
		SHEAF_TRY(take_messages(&r, &l->c));
	}
	return SHEAF_OK;
}

/* Objects are asked about one by one, mostly for an attribute, so each walk has a budget of its own. */
sheaf_status sheaf_hdf5_enter(sheaf_hdf5_visit *v, const sheaf_hdf5_reader *r, int64_t address,
                              sheaf_error *err)
{
	v->h = (sheaf_hdf5_header){0};
	sheaf_hdf5_look_begin(&v->l, r, NULL, err);
	return sheaf_hdf5_header_read(&v->l, address, &v->h);
}

void sheaf_hdf5_leave(sheaf_hdf5_visit *v)
{
	sheaf_hdf5_header_drop(&v->h);
	sheaf_hdf5_look_end(&v->l);
}
