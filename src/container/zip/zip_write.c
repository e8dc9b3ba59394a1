/* SPDX-License-Identifier: MIT */
/* Writing ZIP files: headers of members, and the list at the end. Numbers that do not fit 32 bits are all
 * ones, and follow in an extra field; contents can be moved to an aligned address by padding, which is an
 * extra field, too. */
#include "container/zip/zip_write.h"
#include "base/extend.h"
#include "io/sink.h"
#include <string.h>

enum { LOCAL_SIZE = 30, LONG_SIZES = 20, GOOD_ADDRESS = 64, LEAST_PADDING = 6 };

/* Fields of ZIP files are little-endian, as all that sheaf_builder has; only this width is missing there. */
static void put_u16(sheaf_builder *b, unsigned v)
{
	sheaf_builder_byte(b, (char)(v & 255));
	sheaf_builder_byte(b, (char)(v >> 8));
}

/* All ones where 32 bits do not hold the number: the long form has it. */
static uint32_t narrow(uint64_t v) { return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX; }

/* Appends the common part of the headers before a member and in the list. 1980-01-01 means no date. If
 * the checksum and the sizes follow the member, the header before it omits them. */
static void put_head(sheaf_builder *b, const sheaf_zip_head *m, bool in_list)
{
	enum { VERSION = 20, LONG_VERSION = 45, LATER = 8, UTF_8 = 1 << 11, NO_DATE = 1 << 5 | 1 };
	bool known = in_list || !m->later;
	put_u16(b, m->is_long ? LONG_VERSION : VERSION);
	const char *beyond = m->name; /* ASCII */
	while (*beyond && (unsigned char)*beyond < 0x80) beyond++;
	put_u16(b, (m->later ? LATER : 0) | (*beyond ? UTF_8 : 0));
	put_u16(b, m->method);
	put_u16(b, 0);
	put_u16(b, NO_DATE);
	sheaf_builder_u32le(b, known ? m->sum : 0);
	sheaf_builder_u32le(b, !known ? 0 : m->is_long ? UINT32_MAX : (uint32_t)m->stored);
	sheaf_builder_u32le(b, !known ? 0 : m->is_long ? UINT32_MAX : (uint32_t)m->size);
	put_u16(b, (unsigned)strlen(m->name));
}

/* A member whose header is not measured yet may still grow by it, so the limit leaves room for that. */
void sheaf_zip_find_length(sheaf_zip_head *head)
{
	enum { HEADER_MOST = 1 << 16 }; /* more than the header of an array of numbers needs */
	head->is_long =
		head->size >= UINT32_MAX - HEADER_MOST || head->stored >= UINT32_MAX || head->at >= UINT32_MAX;
}

size_t sheaf_zip_local_size(const sheaf_zip_head *head)
{
	return LOCAL_SIZE + strlen(head->name) + (head->is_long ? LONG_SIZES : 0) + head->padding;
}

/* Data stored at such an address can be used in place. The field is the one that zipalign uses for this. */
void sheaf_zip_find_padding(sheaf_zip_head *head)
{
	size_t beyond = (size_t)((head->at + sheaf_zip_local_size(head)) % GOOD_ADDRESS);
	if (beyond == 0) return;
	head->padding = GOOD_ADDRESS - (unsigned)beyond;
	if (head->padding < LEAST_PADDING) head->padding += GOOD_ADDRESS;
}

/* Appends the header before a member. Sizes of a member that is followed by them are 0 here, in the extra
 * field as well. An extra field of zeros pads it so that the contents begin at a good address. */
void sheaf_zip_put_local(sheaf_builder *b, const sheaf_zip_head *head)
{
	sheaf_builder_u32le(b, 0x04034b50);
	put_head(b, head, false);
	put_u16(b, (head->is_long ? LONG_SIZES : 0) + head->padding);
	sheaf_builder_text(b, head->name);
	if (head->is_long) {
		put_u16(b, 1), put_u16(b, 16);
		sheaf_builder_u64le(b, head->later ? 0 : head->size),
			sheaf_builder_u64le(b, head->later ? 0 : head->stored);
	}
	if (head->padding == 0) return;
	put_u16(b, 0xd935), put_u16(b, head->padding - 4), put_u16(b, GOOD_ADDRESS);
	for (unsigned i = LEAST_PADDING; i < head->padding; i++) sheaf_builder_byte(b, 0);
}

/* Appends the checksum and the sizes of a member that follow its bytes, as its header has neither. */
void sheaf_zip_put_sum(sheaf_builder *b, const sheaf_zip_head *head)
{
	sheaf_builder_u32le(b, 0x08074b50), sheaf_builder_u32le(b, head->sum);
	if (head->is_long)
		sheaf_builder_u64le(b, head->stored), sheaf_builder_u64le(b, head->size);
	else
		sheaf_builder_u32le(b, (uint32_t)head->stored), sheaf_builder_u32le(b, (uint32_t)head->size);
}

/* Appends the entry of a member in the list, which repeats its header, and says where that is. Attributes
 * of Unix (a regular file, which everybody may read) let unpackers make usable files. */
void sheaf_zip_put_in_list(sheaf_builder *b, const sheaf_zip_head *head)
{
	enum { MADE_BY_UNIX = 3 << 8 | 45, REGULAR = 0100644 };
	sheaf_builder_u32le(b, 0x02014b50);
	put_u16(b, MADE_BY_UNIX);
	put_head(b, head, true);
	put_u16(b, head->is_long ? 28 : 0);
	put_u16(b, 0), put_u16(b, 0), put_u16(b, 0);
	sheaf_builder_u32le(b, (uint32_t)REGULAR << 16);
	sheaf_builder_u32le(b, head->is_long ? UINT32_MAX : (uint32_t)head->at);
	sheaf_builder_text(b, head->name);
	if (!head->is_long) return;
	put_u16(b, 1), put_u16(b, 24);
	sheaf_builder_u64le(b, head->size), sheaf_builder_u64le(b, head->stored),
		sheaf_builder_u64le(b, head->at);
}

/* Appends the end of an archive to its list, which begins at byte `begin`: its short form, and before
 * that the long form and its locator, if the short one cannot hold the place of the list, or the number
 * of members. The numbers of disks are 0. */
void sheaf_zip_put_end(sheaf_builder *b, int64_t nmembers, int64_t begin)
{
	uint64_t at = (uint64_t)begin, size = b->size, count = (uint64_t)nmembers;
	bool is_long = at >= UINT32_MAX || size >= UINT32_MAX || count >= UINT16_MAX;
	if (is_long) {
		enum { REST = 44, VERSION = 45 };
		sheaf_builder_u32le(b, 0x06064b50), sheaf_builder_u64le(b, REST);
		put_u16(b, VERSION), put_u16(b, VERSION);
		sheaf_builder_u32le(b, 0), sheaf_builder_u32le(b, 0);
		sheaf_builder_u64le(b, count), sheaf_builder_u64le(b, count);
		sheaf_builder_u64le(b, size), sheaf_builder_u64le(b, at);
		sheaf_builder_u32le(b, 0x07064b50), sheaf_builder_u32le(b, 0), sheaf_builder_u64le(b, at + size),
			sheaf_builder_u32le(b, 1);
	}
	unsigned few = count < UINT16_MAX ? (unsigned)count : UINT16_MAX;
	sheaf_builder_u32le(b, 0x06054b50);
	put_u16(b, 0), put_u16(b, 0);
	put_u16(b, few), put_u16(b, few);
	sheaf_builder_u32le(b, narrow(size)), sheaf_builder_u32le(b, narrow(at));
	put_u16(b, 0);
}

/* ---- a whole file ---- */

void sheaf_zip_begin(sheaf_zip_output *out, sheaf_sink *sink, sheaf_context *cx)
{
	*out = (sheaf_zip_output){.cx = cx, .sink = sink, .list = {.cx = cx}};
}

void sheaf_zip_drop(sheaf_zip_output *out) { sheaf_builder_drop(&out->list); }

/* The size of the output is checked while nothing has been written beyond it. */
sheaf_status sheaf_zip_reserve(sheaf_zip_output *out, sheaf_zip_head *head, bool is_aligned, sheaf_error *err)
{
	head->at = (uint64_t)out->end;
	sheaf_zip_find_length(head);
	if (is_aligned) sheaf_zip_find_padding(head);
	out->end += (int64_t)(sheaf_zip_local_size(head) + head->stored);
	return sheaf_sink_check_size(out->sink, out->end, err);
}

/* Members may be written in any order, so the list is in the order in which they were completed. */
sheaf_status sheaf_zip_put(sheaf_zip_output *out, const sheaf_zip_head *head, sheaf_bytes first,
                           sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	sheaf_zip_put_local(&b, head);
	sheaf_builder_append(&b, first.data, first.size);
	SHEAF_TRY(sheaf_builder_status(&b, err));
	sheaf_zip_put_in_list(&out->list, head);
	out->members++;
	return sheaf_sink_write_at(out->sink, (int64_t)head->at, b.data, b.size, err);
}

sheaf_status sheaf_zip_finish(sheaf_zip_output *out, sheaf_error *err)
{
	sheaf_zip_put_end(&out->list, out->members, out->end);
	SHEAF_TRY(sheaf_builder_status(&out->list, err));
	return sheaf_sink_write_at(out->sink, out->end, out->list.data, out->list.size, err);
}
