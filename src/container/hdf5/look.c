/* SPDX-License-Identifier: MIT */
/* Structures of a file: copied, bounded, checked by their checksums, and read only once. Everything that
 * follows an address goes through sheaf_hdf5_go, so this file is where a damaged or hostile file is
 * stopped: an address beyond the end, a structure of another kind, a circle of structures (the budget of
 * bytes runs out), a wrong checksum.
 *
 * Small files are answered from the first and last bytes, which are in memory; a walk through many
 * headers reads ahead by a window. The set of places is a hash table with open addressing. */
#include "base/memory.h"
#include "base/spell.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/read.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SUM = 4, LETTERS = 4 };

/* ---- places ---- */

/* The slot of a place, or the free one where it belongs. The table is never more than half full, so there
 * is always one. */
static size_t slot_of(const sheaf_hdf5_places *p, int64_t place)
{
	size_t at = (size_t)((uint64_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (p->room - 1);
	while (p->slots[at].value && p->slots[at].place != place) at = (at + 1) & (p->room - 1);
	return at;
}

uint32_t sheaf_hdf5_places_find(const sheaf_hdf5_places *p, int64_t place)
{
	return p->count ? p->slots[slot_of(p, place)].value : 0;
}

/* Sets the value, which is not 0, of a place in the table: a hash table with open addresses that doubles
 * before it is more than half full. */
sheaf_status sheaf_hdf5_places_add(sheaf_hdf5_places *p, int64_t place, uint32_t value, sheaf_context *cx,
                                   sheaf_error *err)
{
	if (2 * (p->count + 1) > p->room) {
		enum { FIRST = 32 };
		void *memory;
		sheaf_hdf5_places larger = {.room = p->room ? p->room * 2 : FIRST};
		SHEAF_TRY(sheaf_allocate_array(cx, larger.room, sizeof *p->slots, &memory, err));
		larger.slots = memory;
		larger.count = p->count;
		for (size_t i = 0; i < p->room; i++)
			if (p->slots[i].value) larger.slots[slot_of(&larger, p->slots[i].place)] = p->slots[i];
		sheaf_hdf5_places_drop(p, cx);
		*p = larger;
	}
	size_t at = slot_of(p, place);
	p->count += !p->slots[at].value;
	p->slots[at].place = place;
	p->slots[at].value = value;
	return SHEAF_OK;
}

/* Empties the set; a large table is given back, because clearing it for each of many small trees would
 * take quadratic time. */
void sheaf_hdf5_places_clear(sheaf_hdf5_places *p, sheaf_context *cx)
{
	enum { KEPT = 64 };
	if (p->room > KEPT) sheaf_hdf5_places_drop(p, cx);
	if (p->count) memset(p->slots, 0, p->room * sizeof *p->slots);
	p->count = 0;
}

void sheaf_hdf5_places_drop(sheaf_hdf5_places *p, sheaf_context *cx)
{
	if (p->slots) sheaf_release(cx, p->slots, p->room * sizeof *p->slots);
	*p = (sheaf_hdf5_places){0};
}

/* ---- ways ---- */

/* A sound file has each structure once, apart from heads that are read again to see how long the whole
 * is. */
int64_t sheaf_hdf5_budget(const sheaf_hdf5_reader *r)
{
	enum { LEAST = 1 << 16 };
	return (r->size < INT64_MAX / 4 ? 2 * r->size : r->size) + LEAST;
}

void sheaf_hdf5_look_begin(sheaf_hdf5_look *l, const sheaf_hdf5_reader *r, int64_t *left, sheaf_error *err)
{
	*l = (sheaf_hdf5_look){.r = r, .what = "a structure", .window_at = -1, .err = err};
	l->own_left = sheaf_hdf5_budget(r);
	l->left = left ? left : &l->own_left;
	sheaf_builder_begin(&l->bytes, r->cx, NULL);
	sheaf_builder_begin(&l->window, r->cx, NULL);
}

void sheaf_hdf5_look_end(sheaf_hdf5_look *l)
{
	sheaf_builder_drop(&l->bytes);
	sheaf_builder_drop(&l->window);
	sheaf_hdf5_places_drop(&l->seen, l->r->cx);
}

sheaf_status sheaf_hdf5_refuse(const sheaf_hdf5_look *l, int64_t byte, const char *expected, uint64_t found)
{
	return sheaf_fail(l->err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %s, found %" PRIu64,
	                  l->r->store->name, byte, expected, found);
}

sheaf_status sheaf_hdf5_decline(const sheaf_hdf5_look *l, int64_t byte, const char *what)
{
	return sheaf_fail(l->err, SHEAF_UNSUPPORTED,
	                  "%s (byte %" PRId64
	                  "): %s is not read here; rewrite the file with h5repack, or with h5py",
	                  l->r->store->name, byte, what);
}

/* A field that fails in the middle of the structure has a value that is not valid; one that fails at the
 * end is not there. */
sheaf_status sheaf_hdf5_done(const sheaf_hdf5_look *l, const sheaf_cursor *c)
{
	if (!c->failed) return SHEAF_OK;
	bool is_there = c->failed_at < sheaf_cursor_tell(c);
	if (is_there) return sheaf_hdf5_refuse(l, c->failed_at, c->failed, c->needed);
	return sheaf_fail(l->err, SHEAF_DATA,
	                  "%s (byte %" PRId64 "): expected %s (%" PRIu64 " bytes), found the end of %s",
	                  l->r->store->name, c->failed_at, c->failed, c->needed, l->what);
}

sheaf_status sheaf_hdf5_meet(sheaf_hdf5_look *l, const char *what, int64_t address)
{
	if (sheaf_hdf5_places_find(&l->seen, address) == 0)
		return sheaf_hdf5_places_add(&l->seen, address, 1, l->r->cx, l->err);
	return sheaf_fail(l->err, SHEAF_DATA,
	                  "%s (byte %" PRId64
	                  "): expected %s to be reached once, found a second way to it (a circle?)",
	                  l->r->store->name, l->r->base + address, what);
}

/* ---- structures ---- */

/* Checks that a range is within the file: nothing is allocated or read before that is known. */
static sheaf_status check_range(const sheaf_hdf5_look *l, const char *what, int64_t address, uint64_t size)
{
	int64_t room = l->r->size - l->r->base;
	if (address < 0)
		return sheaf_fail(l->err, SHEAF_DATA, "%s (byte %" PRId64 "): expected the address of %s, found none",
		                  l->r->store->name, l->r->base + l->address, what);
	if (address <= room && size <= (uint64_t)(room - address)) return SHEAF_OK;
	return sheaf_fail(l->err, SHEAF_DATA,
	                  "%s (byte %" PRId64 "): expected %s within the %" PRId64
	                  " bytes of the file, found %" PRIu64 " bytes at address %" PRId64,
	                  l->r->store->name, l->r->base + l->address, what, l->r->size, size, address);
}

/* Reads bytes of the file from the ends of it that are in memory, from the window, or from the file
 * itself. The window is used if the look reads ahead (window_at is not -1), and moves to where it misses. */
static sheaf_status read_bytes(sheaf_hdf5_look *l, int64_t byte, uint8_t *out, size_t size)
{
	enum { MOST = 4 << 10 };
	const sheaf_store *store = l->r->store;
	for (int i = 0; i < 2; i++) {
		const sheaf_builder *end = &l->r->ends[i];
		int64_t at = byte - l->r->end_at[i];
		if (at < 0 || size > end->size || (size_t)at > end->size - size) continue;
		memcpy(out, end->data + at, size);
		return SHEAF_OK;
	}
	if (l->window_at < 0 || size > MOST || byte > l->r->size - (int64_t)size)
		return store->read(store->user, byte, out, size, l->err);
	if (byte < l->window_at || (uint64_t)(byte - l->window_at) + size > l->window.size) {
		/* The window moves to begin here. */
		enum { WINDOW = 16 << 10 };
		int64_t left = l->r->size - byte;
		size_t n = left < WINDOW ? (size_t)left : WINDOW;
		l->window.size = 0;
		if (!sheaf_builder_room(&l->window, WINDOW)) return sheaf_builder_status(&l->window, l->err);
		SHEAF_TRY(store->read(store->user, byte, l->window.data, n, l->err));
		l->window_at = byte;
		l->window.size = n;
	}
	memcpy(out, l->window.data + (byte - l->window_at), size);
	return SHEAF_OK;
}

/* Makes a range the current structure. One byte more is reserved, so that an empty range has an address
 * as well. */
static sheaf_status copy(sheaf_hdf5_look *l, const char *what, int64_t address, uint64_t size)
{
	l->what = what;
	l->address = address;
	l->bytes.size = 0;
	if (!sheaf_builder_room(&l->bytes, (uint64_t)size + 1)) return sheaf_builder_status(&l->bytes, l->err);
	SHEAF_TRY(read_bytes(l, l->r->base + address, l->bytes.data, (size_t)size));
	l->bytes.size = (size_t)size;
	l->c = sheaf_cursor_over(l->bytes.data, (size_t)size, l->r->base + address);
	return SHEAF_OK;
}

/* A peek is not charged to the budget: what is peeked at is then entered. */
sheaf_status sheaf_hdf5_peek(sheaf_hdf5_look *l, const char *what, int64_t address, size_t most)
{
	SHEAF_TRY(check_range(l, what, address, 1));
	int64_t left = l->r->size - l->r->base - address;
	return copy(l, what, address, left < (int64_t)most ? (uint64_t)left : most);
}

/* Compares the checksum at byte `at` of the current structure. One within the structure counts as zeros;
 * one at the end is taken off the cursor. */
static sheaf_status check_sum(sheaf_hdf5_look *l, size_t at)
{
	size_t size = l->bytes.size;
	if (size < LETTERS + SUM || at > size - SUM)
		return sheaf_hdf5_refuse(l, l->r->base + l->address, "room for a checksum", size);
	uint32_t stored = sheaf_load_u32le(l->bytes.data + at);
	if (at == size - SUM)
		l->c.end = l->bytes.data + (size -= SUM);
	else
		memset(l->bytes.data + at, 0, SUM);
	uint32_t sum = sheaf_hdf5_checksum(l->bytes.data, size);
	if (stored == sum) return SHEAF_OK;
	return sheaf_fail(l->err, SHEAF_DATA,
	                  "%s (byte %" PRId64 "): expected %s with the checksum %08" PRIx32 ", found %08" PRIx32,
	                  l->r->store->name, l->r->base + l->address, l->what, stored, sum);
}

/* Reads a structure of `size` bytes at `address` and checks its signature, version and checksum, as its
 * declaration says. The size is taken off the budget *l->left that all structures of a walk share: so a
 * walk that runs in circles ends. */
sheaf_status sheaf_hdf5_go(sheaf_hdf5_look *l, const char *what, int64_t address, uint64_t size,
                           const char *letters, int sum)
{
	const sheaf_hdf5_reader *r = l->r;
	SHEAF_TRY(check_range(l, what, address, size));
	if ((int64_t)size > *l->left)
		return sheaf_fail(l->err, SHEAF_DATA,
		                  "%s (byte %" PRId64
		                  "): expected structures that end, found that %s is reached again",
		                  l->r->store->name, l->r->base + address, what);
	*l->left -= (int64_t)size;
	SHEAF_TRY(copy(l, what, address, size));
	int64_t sum_at = sum == SHEAF_HDF5_PLAIN ? -1 : sum == SHEAF_HDF5_SUMMED ? (int64_t)size - SUM : sum;
	if (r->on_structure) r->on_structure(r->user, what, r->base + address, (size_t)size, sum_at);
	if (letters) {
		unsigned most = (uint8_t)letters[LETTERS];
		const uint8_t *found = sheaf_cursor_bytes(&l->c, LETTERS, 1, "a signature");
		int64_t byte = sheaf_cursor_tell(&l->c);
		unsigned version = sheaf_cursor_u8(&l->c, "a version");
		SHEAF_TRY(sheaf_hdf5_done(l, &l->c));
		if (memcmp(found, letters, LETTERS) != 0)
			return sheaf_fail(
				l->err, SHEAF_DATA,
				"%s (byte %" PRId64 "): expected %s, which begins with %.4s, found %02x %02x %02x %02x",
				l->r->store->name, byte - LETTERS, l->what, letters, found[0], found[1], found[2], found[3]);
		if (version > most)
			return sheaf_fail(l->err, SHEAF_DATA,
			                  "%s (byte %" PRId64 "): expected a version of %s up to %u, found %u",
			                  l->r->store->name, byte, l->what, most, version);
	}
	return sum == SHEAF_HDF5_PLAIN ? SHEAF_OK : check_sum(l, (size_t)sum_at);
}

/* ---- fields ---- */

uint64_t sheaf_hdf5_take(sheaf_cursor *c, size_t width, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, width, field);
	uint64_t n = 0;
	for (size_t i = b ? width : 0; i-- > 0;) n = n << 8 | b[i];
	return n;
}

uint64_t sheaf_hdf5_take_length(const sheaf_hdf5_reader *r, sheaf_cursor *c, const char *field)
{
	return sheaf_hdf5_take(c, r->length_size, field);
}

int64_t sheaf_hdf5_take_address(const sheaf_hdf5_reader *r, sheaf_cursor *c, const char *field)
{
	uint64_t n = sheaf_hdf5_take(c, r->address_size, field);
	uint64_t none = r->address_size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * r->address_size) - 1;
	if (n == none) return -1;
	return n > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)n;
}

/* The failure is kept in the cursor, with the position of the byte, until sheaf_hdf5_done. */
unsigned sheaf_hdf5_byte(sheaf_cursor *c, unsigned least, unsigned most, const char *expected)
{
	int64_t byte = sheaf_cursor_tell(c);
	unsigned found = sheaf_cursor_u8(c, expected);
	if (!c->failed && found >= least && found <= most) return found;
	if (!c->failed) c->failed = expected, c->failed_at = byte, c->needed = found;
	return least;
}

/* Takes fields by a pattern, as its declaration says, and checks that all of them were there. */
sheaf_status sheaf_hdf5_fields(const sheaf_hdf5_look *l, sheaf_cursor *c, const char *pattern,
                               const char *what, int64_t out[])
{
	for (bool is_kept = true; *pattern; pattern++) {
		if (*pattern == '-') pattern++, is_kept = false;
		int64_t value = *pattern == 'A'   ? sheaf_hdf5_take_address(l->r, c, what)
		                : *pattern == 'L' ? (int64_t)sheaf_hdf5_take_length(l->r, c, what)
		                                  : (int64_t)sheaf_hdf5_take(c, (size_t)(*pattern - '0'), what);
		if (is_kept) *out++ = value;
		is_kept = true;
	}
	return sheaf_hdf5_done(l, c);
}

sheaf_cursor sheaf_hdf5_part_of(sheaf_cursor *c, uint64_t size, const char *what)
{
	int64_t at = sheaf_cursor_tell(c);
	const uint8_t *bytes = sheaf_cursor_bytes(c, 1, size, what);
	return sheaf_cursor_over(bytes, bytes ? (size_t)size : 0, at);
}

unsigned sheaf_hdf5_bytes_for(uint64_t most)
{
	unsigned n = 1;
	while (most >>= 8) n++;
	return n;
}

sheaf_status sheaf_hdf5_note(sheaf_builder *list, const void *item, size_t size, sheaf_error *err)
{
	sheaf_builder_append(list, item, size);
	return sheaf_builder_status(list, err);
}
