/* SPDX-License-Identifier: MIT */
/* Reading FlatBuffers: every offset is checked against the bytes. */
#include "base/endian.h"
#include "format/arrow/flat.h"

enum { OFFSET = 4, SLOT = 2, HEAD = 4 /* two sizes, of a slot each */, LEAST_TABLE = 8, TEXTS = 16 };

static uint16_t load_u16(const uint8_t *b) { return (uint16_t)(b[0] | b[1] << 8); }

sheaf_fb sheaf_fb_over(const void *data, size_t size)
{
	uint64_t bytes = size; /* compared as 64 bits where size_t has fewer */
	return (sheaf_fb){.data = (const uint8_t *)data,
	                  .size = size,
	                  .budget = size / LEAST_TABLE + 1,
	                  .text_budget = bytes < INT64_MAX / TEXTS ? (int64_t)(TEXTS * bytes) : INT64_MAX};
}

/* Whether n bytes from `at` on are there. */
static bool has(sheaf_fb *in, size_t at, uint64_t n)
{
	if (!in->broken && (at > in->size || n > in->size - at)) in->broken = true;
	return !in->broken;
}

/* The target of the offset at `at`; 0, with the buffer broken, if it is outside. */
static size_t follow(sheaf_fb *in, size_t at)
{
	if (!has(in, at, OFFSET)) return 0;
	uint32_t offset = sheaf_load_u32le(in->data + at);
	if (!has(in, at, offset)) return 0;
	return at + offset;
}

/* The table at a byte: a signed distance back to its vtable, which says how many bytes it has itself and the
 * table has, and where in the table each slot is. Each table that is read takes one from the budget. */
static sheaf_fb_table table_at(sheaf_fb *in, size_t at)
{
	sheaf_fb_table none = {0};
	if (!has(in, at, OFFSET)) return none;
	int64_t slots = (int64_t)at - sheaf_load_i32le(in->data + at);
	if (slots < 0 || in->budget-- == 0) in->broken = true;
	if (in->broken || !has(in, (size_t)slots, HEAD)) return none;
	size_t bytes = load_u16(in->data + slots), whole = load_u16(in->data + slots + SLOT);
	if (bytes < HEAD || !has(in, (size_t)slots, bytes) || !has(in, at, whole)) return none;
	return (sheaf_fb_table){in, at, (size_t)slots + HEAD, (int)(bytes / SLOT) - 2};
}

sheaf_fb_table sheaf_fb_root(sheaf_fb *in) { return table_at(in, follow(in, 0)); }

/* The position of a slot's `width` bytes; 0 if it is empty. */
static size_t find(const sheaf_fb_table *table, int slot, size_t width)
{
	if (!table->in || table->in->broken || slot >= table->count) return 0;
	size_t offset = load_u16(table->in->data + table->slots + SLOT * (size_t)slot);
	if (offset == 0 || !has(table->in, table->at + offset, width)) return 0;
	return table->at + offset;
}

int64_t sheaf_fb_number(const sheaf_fb_table *table, int slot, size_t width, int64_t absent)
{
	size_t at = find(table, slot, width);
	if (at == 0) return absent;
	const uint8_t *from = table->in->data + at;
	switch (width) {
	case 1: return (int8_t)*from;
	case 2: return (int16_t)load_u16(from);
	case 4: return sheaf_load_i32le(from);
	default: return sheaf_load_i64le(from);
	}
}

sheaf_fb_table sheaf_fb_child(const sheaf_fb_table *table, int slot)
{
	size_t at = find(table, slot, OFFSET);
	return at ? table_at(table->in, follow(table->in, at)) : (sheaf_fb_table){0};
}

sheaf_fb_vector sheaf_fb_items(const sheaf_fb_table *table, int slot, size_t size)
{
	sheaf_fb_vector none = {0};
	size_t at = find(table, slot, OFFSET);
	if (at == 0) return none;
	at = follow(table->in, at);
	if (!has(table->in, at, OFFSET)) return none;
	uint32_t count = sheaf_load_u32le(table->in->data + at);
	if (!has(table->in, at + OFFSET, (uint64_t)count * size)) return none;
	return (sheaf_fb_vector){table->in, table->in->data + at + OFFSET, count};
}

sheaf_fb_vector sheaf_fb_tables(const sheaf_fb_table *table, int slot)
{
	return sheaf_fb_items(table, slot, OFFSET);
}

/* Bytes of texts are taken from a budget of their own, as the same text may be named again and again. */
sheaf_bytes sheaf_fb_text(const sheaf_fb_table *table, int slot)
{
	sheaf_fb_vector text = sheaf_fb_items(table, slot, 1);
	if (!text.in) return (sheaf_bytes){0};
	if (text.count > INT32_MAX || text.count > text.in->text_budget) text.in->broken = true;
	if (text.in->broken) return (sheaf_bytes){0};
	text.in->text_budget -= text.count;
	return (sheaf_bytes){text.items, (size_t)text.count};
}

sheaf_fb_table sheaf_fb_table_at(const sheaf_fb_vector *tables, int64_t i)
{
	if (!tables->in || tables->in->broken) return (sheaf_fb_table){0};
	size_t at = (size_t)(tables->items - tables->in->data) + OFFSET * (size_t)i;
	return table_at(tables->in, follow(tables->in, at));
}

int64_t sheaf_fb_long_at(const sheaf_fb_vector *items, size_t size, int64_t i, int k)
{
	return sheaf_load_i64le(items->items + size * (size_t)i + sizeof(int64_t) * (size_t)k);
}
