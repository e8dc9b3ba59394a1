/* SPDX-License-Identifier: MIT */
/* Writing FlatBuffers from front to back: a part comes after the slot that refers to it, which is filled in
 * then. */
#include "base/endian.h"
#include "format/arrow/flat.h"

enum { OFFSET = 4, WORD = 8 };

static void put_u16(sheaf_builder *to, size_t v)
{
	uint8_t bytes[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
	sheaf_builder_append(to, bytes, sizeof bytes);
}

/* Adds zeros until the position, counted from the beginning of the buffer, is `rest` modulo `to`. */
static void align(sheaf_fb_writer *w, size_t to, size_t rest)
{
	while (!w->to->failed && (w->to->size - w->begin) % to != rest) sheaf_builder_byte(w->to, 0);
}

void sheaf_fb_align(sheaf_fb_writer *w, size_t to) { align(w, to, 0); }

sheaf_fb_writer sheaf_fb_begin(sheaf_builder *to)
{
	sheaf_fb_writer w = {to, to->size};
	sheaf_builder_u32le(to, 0);
	return w;
}

/* Makes the slot at `from` refer to the current position, by the distance from the slot to it. */
static void point_here(sheaf_fb_writer *w, size_t from)
{
	size_t at = w->begin + from;
	if (!w->to->failed) sheaf_store_u32le(w->to->data + at, (uint32_t)(w->to->size - at));
}

static size_t bytes_of(const sheaf_fb_slot *slot)
{
	return slot->width == SHEAF_FB_POINTER ? OFFSET : slot->width;
}

/* Writes the vtable: its size, the size of the table, and where in the table each slot is, 0 for an empty
 * one. Fills in these places in the slots, each at a multiple of its width, after the table's own distance to
 * the vtable. Returns the size of the table. */
static size_t put_slots(sheaf_fb_writer *w, sheaf_fb_slot *slots, int count)
{
	size_t at = OFFSET;
	for (int i = 0; i < count; i++) {
		size_t n = bytes_of(&slots[i]);
		if (n == 0) continue;
		at = (at + n - 1) / n * n;
		slots[i].at = at;
		at += n;
	}
	put_u16(w->to, 4 + 2 * (size_t)count);
	put_u16(w->to, at);
	for (int i = 0; i < count; i++) put_u16(w->to, slots[i].width ? slots[i].at : 0);
	return at;
}

/* The vtable comes first, then the table, at a multiple of 8, which says how far back the vtable is. On
 * return the places of the slots count from the beginning of the buffer, for the parts that they refer to. */
void sheaf_fb_put_table(sheaf_fb_writer *w, size_t from, sheaf_fb_slot *slots, int count)
{
	uint8_t word[WORD];
	align(w, 2, 0);
	size_t list = w->to->size;
	size_t bytes = put_slots(w, slots, count);
	align(w, WORD, 0);
	size_t table = w->to->size;
	point_here(w, from);
	sheaf_builder_u32le(w->to, (uint32_t)(table - list));
	for (int i = 0; i < count; i++) {
		size_t n = bytes_of(&slots[i]);
		if (n == 0) continue;
		while (!w->to->failed && w->to->size < table + slots[i].at) sheaf_builder_byte(w->to, 0);
		sheaf_store_u64le(word, (uint64_t)slots[i].value);
		sheaf_builder_append(w->to, word, n);
		slots[i].at += table - w->begin;
	}
	while (!w->to->failed && w->to->size < table + bytes) sheaf_builder_byte(w->to, 0);
}

void sheaf_fb_put_vector(sheaf_fb_writer *w, size_t from, int64_t count, size_t size)
{
	align(w, OFFSET, 0);
	if (size % WORD == 0) align(w, WORD, OFFSET);
	point_here(w, from);
	sheaf_builder_u32le(w->to, (uint32_t)count);
}

size_t sheaf_fb_put_tables(sheaf_fb_writer *w, size_t from, int64_t count)
{
	sheaf_fb_put_vector(w, from, count, OFFSET);
	size_t first = w->to->size - w->begin;
	for (int64_t i = 0; i < count; i++) sheaf_builder_u32le(w->to, 0);
	return first;
}

void sheaf_fb_put_text(sheaf_fb_writer *w, size_t from, const void *text, size_t n)
{
	sheaf_fb_put_vector(w, from, (int64_t)n, 1);
	sheaf_builder_append(w->to, text, n);
	sheaf_builder_byte(w->to, 0);
}
