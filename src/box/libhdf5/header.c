/* SPDX-License-Identifier: MIT */
/* The header of an object before libhdf5 sees it: old releases divide by what a damaged one says, and follow
 * it out of their memory. What no sound header says is refused here; whether the library understands the rest
 * is its own matter. */
#include "base/checked.h"
#include "base/cursor.h"
#include "box/libhdf5/libhdf5.h"
#include <inttypes.h>
#include <string.h>

enum {
	DATASPACE = 1,
	DATATYPE = 3,
	FILL = 5,
	LAYOUT = 8,
	FILTERS = 11,
	ATTRIBUTE = 12,
	CONTINUATION = 16
};                                              /* types of messages */
enum { COMPACT, CONTIGUOUS, CHUNKED, VIRTUAL }; /* classes of layouts */
enum {
	SIGNED = 4,
	MOST_DIMENSIONS = H5S_MAX_RANK + 1
}; /* a signature, or a checksum; with the bytes of an element as the last one */

typedef struct piece {
	int64_t at, size; /* of messages */
} piece;

typedef struct header {
	sheaf_h5 *h5;
	int version;
	size_t message_head; /* bytes before each message */
	int64_t end;         /* of the file */
	int64_t left; /* bytes of the file that are in no piece: pieces lie beside each other, so that a circle of
	                 them ends */
	sheaf_builder pieces, bytes;
	int space_rank, chunk_rank; /* -1: not said */
	sheaf_error *err;
} header;

static sheaf_status refuse(const header *h, int64_t byte, const char *expected, uint64_t found)
{
	return sheaf_fail(h->err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %s, found %" PRIu64,
	                  h->h5->store->name, byte, expected, found);
}

static uint64_t number(sheaf_cursor *c, size_t width, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, width, field);
	uint64_t n = 0;
	for (size_t i = b ? width : 0; i-- > 0;) n = n << 8 | b[i];
	return n;
}

/* One byte from `least` to `most`. */
static sheaf_status take(const header *h, sheaf_cursor *c, unsigned least, unsigned most,
                         const char *expected, unsigned *out)
{
	*out = sheaf_cursor_u8(c, expected);
	return c->failed || (*out >= least && *out <= most) ? SHEAF_OK
	                                                    : refuse(h, sheaf_cursor_tell(c) - 1, expected, *out);
}

/* ---- dimensions ---- */

/* How many dimensions and elements. */
typedef struct places {
	unsigned rank;
	uint64_t count;
} places;

static sheaf_status check_space(const header *h, sheaf_cursor *c, places *out)
{
	enum { LIMITED = 1, NOTHING = 2 };
	unsigned version, flags, class = 0;
	SHEAF_TRY(take(h, c, 1, 2, "a dataspace of version 1 or 2", &version));
	SHEAF_TRY(take(h, c, 0, H5S_MAX_RANK, "at most 32 dimensions", &out->rank));
	SHEAF_TRY(take(h, c, 0, 3, "flags of a dataspace", &flags));
	if (version == 1)
		sheaf_cursor_bytes(c, 1, 5, "a dataspace");
	else
		SHEAF_TRY(take(h, c, 0, NOTHING, "a dataspace of class 0 to 2", &class));
	out->count = class != NOTHING;
	for (unsigned i = 0; i < out->rank; i++)
		if (__builtin_mul_overflow(out->count, number(c, h->h5->length_size, "as many extents as dimensions"),
		                           &out->count))
			out->count = UINT64_MAX;
	if (flags & LIMITED) sheaf_cursor_bytes(c, out->rank, h->h5->length_size, "as many limits as dimensions");
	return SHEAF_OK;
}

/* ---- types ---- */

enum { MOST_TYPES = 32 }; /* within each other */

static sheaf_status check_type(const header *h, sheaf_cursor *c, int room, uint64_t *size);

/* A name and its NUL, up to a multiple of eight before version 3. */
static void pass_name(sheaf_cursor *c, unsigned version)
{
	size_t size;
	if (sheaf_cursor_string(c, &size, "a name that ends within its message") && version < 3)
		sheaf_cursor_bytes(c, 1, 7 - size % 8, "a name that ends within its message");
}

static size_t bytes_of(uint64_t size)
{
	size_t n = 1;
	while (size >>= 8) n++;
	return n;
}

static sheaf_status check_members(const header *h, sheaf_cursor *c, int room, unsigned version,
                                  unsigned count, uint64_t size)
{
	enum { DIMENSIONS = 28 }; /* bytes that only version 1 has */
	uint64_t width;
	for (unsigned i = 0; i < count && !c->failed; i++) {
		pass_name(c, version);
		uint64_t offset = number(c, version < 3 ? 4 : bytes_of(size), "an offset of a member");
		if (version == 1) sheaf_cursor_bytes(c, 1, DIMENSIONS, "dimensions of a member");
		int64_t at = sheaf_cursor_tell(c);
		SHEAF_TRY(check_type(h, c, room - 1, &width));
		if (!c->failed && offset >= size) return refuse(h, at, "a member within its compound", offset);
	}
	return SHEAF_OK;
}

static sheaf_status check_names(const header *h, sheaf_cursor *c, int room, unsigned version, unsigned count,
                                uint64_t size)
{
	uint64_t width;
	int64_t at = sheaf_cursor_tell(c);
	SHEAF_TRY(check_type(h, c, room - 1, &width));
	if (!c->failed && width != size) return refuse(h, at, "an enumeration as wide as its values", width);
	for (unsigned i = 0; i < count && !c->failed; i++) pass_name(c, version);
	sheaf_cursor_bytes(c, count, width, "values of an enumeration");
	return SHEAF_OK;
}

static sheaf_status check_array_type(const header *h, sheaf_cursor *c, int room, unsigned version)
{
	unsigned rank;
	uint64_t width;
	SHEAF_TRY(take(h, c, 1, H5S_MAX_RANK, "1 to 32 dimensions of a type", &rank));
	if (version < 3) sheaf_cursor_bytes(c, 1, 3, "dimensions of a type");
	sheaf_cursor_bytes(c, version < 3 ? 2 * rank : rank, 4, "dimensions of a type");
	return check_type(h, c, room - 1, &width);
}

static sheaf_status check_type(const header *h, sheaf_cursor *c, int room, uint64_t *size)
{
	enum {
		INTEGER,
		FLOATING,
		TIME,
		STRING,
		BITS,
		OPAQUE,
		COMPOUND,
		REFERENCE,
		ENUMERATION,
		VARIABLE,
		ARRAY,
		NEWEST = 3
	};
	static const uint8_t parameters[] = {4, 12, 2, 0, 4}; /* bytes, by the class */
	uint64_t width;
	unsigned first = sheaf_cursor_u8(c, "a type"), class = first & 15, version = first >> 4;
	unsigned flags = (unsigned)number(c, 3, "a type");
	*size = number(c, 4, "a size of a type");
	if (c->failed) return SHEAF_OK;
	if (room == 0) return refuse(h, sheaf_cursor_tell(c) - 8, "at most 32 types within each other", class);
	if (version == 0) return refuse(h, sheaf_cursor_tell(c) - 8, "a type of a version from 1", 0);
	if (version > NEWEST || class > ARRAY)
		c->at = c->end; /* the library's matter */
	else if (class <= BITS)
		sheaf_cursor_bytes(c, 1, parameters[class], "parameters of a type");
	else if (class == OPAQUE)
		sheaf_cursor_bytes(c, 1, flags & 0xff, "a tag of a type");
	else if (class == COMPOUND)
		return check_members(h, c, room, version, flags & 0xffff, *size);
	else if (class == ENUMERATION)
		return check_names(h, c, room, version, flags & 0xffff, *size);
	else if (class == VARIABLE)
		return check_type(h, c, room - 1, &width);
	else if (class == ARRAY)
		return check_array_type(h, c, room, version);
	return SHEAF_OK;
}

/* ---- layouts ---- */

static sheaf_status check_chunk(header *h, sheaf_cursor *c, unsigned rank, size_t width)
{
	uint64_t bytes = 1;
	for (unsigned i = 0; i < rank; i++) {
		uint64_t extent = number(c, width, "as many extents of chunks as dimensions");
		if (c->failed) return SHEAF_OK;
		if (extent == 0)
			return refuse(h, sheaf_cursor_tell(c) - (int64_t)width, "chunks that hold something", 0);
		if (extent > UINT32_MAX / bytes)
			return refuse(h, sheaf_cursor_tell(c) - (int64_t)width, "chunks of less than 4 GiB", extent);
		bytes *= extent;
	}
	if (h->chunk_rank < 0) h->chunk_rank = (int)rank - 1;
	return SHEAF_OK;
}

/* Versions 1 and 2: 32-bit extents whatever the class is, with those of a chunk, and nothing that says which
 * values are there. */
static sheaf_status check_old_layout(header *h, sheaf_cursor *c)
{
	unsigned rank, class;
	SHEAF_TRY(take(h, c, 1, MOST_DIMENSIONS, "1 to 33 dimensions", &rank));
	SHEAF_TRY(take(h, c, COMPACT, CHUNKED, "a layout of class 0 to 2", &class));
	sheaf_cursor_bytes(c, 1, 5, "a layout");
	if (class != COMPACT) sheaf_cursor_bytes(c, 1, h->h5->address_size, "an address of values");
	if (class == CHUNKED)
		return rank < 2 ? refuse(h, sheaf_cursor_tell(c), "2 to 33 dimensions of chunks", rank)
		                : check_chunk(h, c, rank, 4);
	sheaf_cursor_bytes(c, rank, 4, "as many extents as dimensions");
	if (class == COMPACT)
		sheaf_cursor_bytes(c, sheaf_cursor_u32le(c, "a size of values"), 1, "values within their message");
	return SHEAF_OK;
}

static sheaf_status check_chunked_3(header *h, sheaf_cursor *c)
{
	unsigned rank;
	SHEAF_TRY(take(h, c, 2, MOST_DIMENSIONS, "2 to 33 dimensions of chunks", &rank));
	sheaf_cursor_bytes(c, 1, h->h5->address_size, "an address of chunks");
	return check_chunk(h, c, rank, 4);
}

static sheaf_status check_chunked_4(header *h, sheaf_cursor *c)
{
	enum { SINGLE = 1, FILTERED = 2 };
	static const uint8_t parameters[] = {0, 0, 0, 1, 5, 6}; /* bytes, by the kind of index */
	unsigned flags, rank, width, index;
	SHEAF_TRY(take(h, c, 0, 3, "flags of chunks", &flags));
	SHEAF_TRY(take(h, c, 2, MOST_DIMENSIONS, "2 to 33 dimensions of chunks", &rank));
	SHEAF_TRY(take(h, c, 1, 8, "extents of 1 to 8 bytes", &width));
	SHEAF_TRY(check_chunk(h, c, rank, width));
	SHEAF_TRY(take(h, c, SINGLE, 5, "an index of chunks of kind 1 to 5", &index));
	sheaf_cursor_bytes(c, 1, index == SINGLE && flags & FILTERED ? h->h5->length_size + 4 : parameters[index],
	                   "parameters of an index of chunks");
	sheaf_cursor_bytes(c, 1, h->h5->address_size, "an address of chunks");
	return SHEAF_OK;
}

static sheaf_status check_layout(header *h, sheaf_cursor *c)
{
	unsigned version, class;
	SHEAF_TRY(take(h, c, 1, UINT8_MAX, "a layout of a version from 1", &version));
	if (version < 3) return check_old_layout(h, c);
	if (version > 4) return SHEAF_OK;
	SHEAF_TRY(take(h, c, COMPACT, version == 3 ? CHUNKED : VIRTUAL, "a layout of class 0 to 3", &class));
	if (class == CHUNKED) return version == 3 ? check_chunked_3(h, c) : check_chunked_4(h, c);
	if (class == COMPACT)
		sheaf_cursor_bytes(c, number(c, 2, "a size of values"), 1, "values within their message");
	else
		sheaf_cursor_bytes(c, 1, h->h5->address_size + (class == VIRTUAL ? 4 : h->h5->length_size),
		                   "an address of values");
	return SHEAF_OK;
}

/* ---- fill values and filters ---- */

static sheaf_status check_fill(header *h, sheaf_cursor *c)
{
	unsigned version, byte;
	bool has_value = true;
	SHEAF_TRY(take(h, c, 1, 3, "a fill value of version 1 to 3", &version));
	if (version == 3) {
		SHEAF_TRY(take(h, c, 0, 0x3f, "flags of a fill value", &byte));
		has_value = byte & 0x20;
	} else {
		SHEAF_TRY(take(h, c, 0, 3, "a time of allocation", &byte));
		SHEAF_TRY(take(h, c, 0, 2, "a time of filling", &byte));
		SHEAF_TRY(take(h, c, 0, 1, "whether there is a fill value", &byte));
		has_value = version == 1 || byte;
	}
	if (!has_value) return SHEAF_OK;
	int32_t size = sheaf_cursor_i32le(c, "a size of a fill value");
	if (size > 0) sheaf_cursor_bytes(c, 1, (uint64_t)size, "a fill value within its message");
	return SHEAF_OK;
}

static void pass_filter(sheaf_cursor *c, unsigned version)
{
	enum { FIRST_NAMED = 256 };
	uint64_t id = number(c, 2, "a filter"),
			 name = version == 1 || id >= FIRST_NAMED ? number(c, 2, "a length of a name") : 0;
	sheaf_cursor_bytes(c, 1, 2, "flags of a filter");
	uint64_t values = number(c, 2, "a number of parameters");
	sheaf_cursor_bytes(c, 1, version == 1 ? (name + 7) / 8 * 8 : name, "a name of a filter");
	sheaf_cursor_bytes(c, values + (version == 1 ? values % 2 : 0), 4, "parameters of a filter");
}

static sheaf_status check_filters(header *h, sheaf_cursor *c)
{
	unsigned version, count;
	SHEAF_TRY(take(h, c, 1, 2, "filters of version 1 or 2", &version));
	SHEAF_TRY(take(h, c, 0, H5Z_MAX_NFILTERS, "at most 32 filters", &count));
	if (version == 1) sheaf_cursor_bytes(c, 1, 6, "filters");
	for (unsigned i = 0; i < count; i++) pass_filter(c, version);
	return SHEAF_OK;
}

/* ---- messages ---- */

/* A message that stands in the file's table of shared ones, of a file that has no table: the library would
 * look for it at no address. */
static sheaf_status check_shared(const header *h, sheaf_cursor *c)
{
	enum { IN_TABLE = 1 };
	unsigned version, kind, tables = 0;
	SHEAF_TRY(take(h, c, 1, 3, "a shared message of version 1 to 3", &version));
	kind = sheaf_cursor_u8(c, "a kind of sharing");
	if (kind != IN_TABLE) return SHEAF_OK;
	hid_t creation = H5Fget_create_plist(h->h5->file);
	bool fine = creation >= 0 && H5Pget_shared_mesg_nindexes(creation, &tables) >= 0 && tables > 0;
	if (creation >= 0) H5Pclose(creation);
	return fine ? SHEAF_OK
	            : refuse(h, sheaf_cursor_tell(c) - 1,
	                     "a message that is shared only where the file has a table of such", kind);
}

static sheaf_cursor part_of(sheaf_cursor *c, uint64_t size, unsigned version, const char *field)
{
	int64_t at = sheaf_cursor_tell(c);
	const uint8_t *bytes = sheaf_cursor_bytes(c, 1, version == 1 ? (size + 7) / 8 * 8 : size, field);
	return sheaf_cursor_over(bytes, bytes ? (size_t)size : 0, at);
}

static sheaf_status check_attribute(const header *h, sheaf_cursor *c)
{
	enum { TYPE_IS_SHARED = 1, SPACE_IS_SHARED = 2 };
	unsigned version, flags;
	places space = {0};
	uint64_t width = 0, bytes = 0;
	SHEAF_TRY(take(h, c, 1, 3, "an attribute of version 1 to 3", &version));
	flags = sheaf_cursor_u8(c, "flags of an attribute");
	if (version == 1) flags = 0;
	uint64_t name_size = number(c, 2, "a length of a name"), type_size = number(c, 2, "a size of a type"),
			 space_size = number(c, 2, "a size of a dataspace");
	if (version == 3) sheaf_cursor_bytes(c, 1, 1, "an encoding of a name");
	sheaf_cursor name = part_of(c, name_size, version, "a name of an attribute"),
				 type = part_of(c, type_size, version, "a type of an attribute");
	sheaf_cursor shape = part_of(c, space_size, version, "a dataspace of an attribute");
	if (c->failed) return SHEAF_OK;
	size_t length;
	sheaf_cursor_string(&name, &length, "a name that ends within its message");
	SHEAF_TRY(flags & TYPE_IS_SHARED ? check_shared(h, &type) : check_type(h, &type, MOST_TYPES, &width));
	SHEAF_TRY(flags & SPACE_IS_SHARED ? check_shared(h, &shape) : check_space(h, &shape, &space));
	if (name.failed)
		*c = name;
	else if (type.failed)
		*c = type;
	else if (shape.failed)
		*c = shape;
	else if (!(flags & (TYPE_IS_SHARED | SPACE_IS_SHARED)) &&
	         (__builtin_mul_overflow(width, space.count, &bytes) || bytes > sheaf_cursor_left(c)))
		sheaf_cursor_refuse(c, width, space.count, "values of an attribute within its message");
	return SHEAF_OK;
}

static sheaf_status keep_rank(header *h, sheaf_cursor *c)
{
	places space = {0};
	SHEAF_TRY(check_space(h, c, &space));
	if (h->space_rank < 0) h->space_rank = (int)space.rank;
	return SHEAF_OK;
}

static sheaf_status add_piece(header *h, int64_t at, int64_t size, int64_t named)
{
	piece it = {at, size};
	if (at < 0 || size < 0 || at > h->end || size > h->end - at || size > h->left)
		return refuse(h, named, "a header within the file, no part of it twice", (uint64_t)size);
	h->left -= size;
	sheaf_builder_append(&h->pieces, &it, sizeof it);
	return sheaf_builder_status(&h->pieces, h->err);
}

static sheaf_status follow(header *h, sheaf_cursor *c)
{
	int64_t named = sheaf_cursor_tell(c), around = h->version == 1 ? 0 : SIGNED;
	int64_t at = (int64_t)number(c, h->h5->address_size, "an address"),
			size = (int64_t)number(c, h->h5->length_size, "a length");
	if (c->failed) return SHEAF_OK;
	if (size < 2 * around || !sheaf_add_i64(&at, at, h->h5->base + around))
		return refuse(h, named, "a header that goes on within the file", (uint64_t)size);
	return add_piece(h, at, size - 2 * around, named);
}

static sheaf_status check_message(header *h, unsigned type, bool is_shared, sheaf_cursor c)
{
	sheaf_status status = SHEAF_OK;
	uint64_t size;
	if (is_shared && type != LAYOUT && type != CONTINUATION)
		status = check_shared(h, &c);
	else if (type == DATASPACE)
		status = keep_rank(h, &c);
	else if (type == DATATYPE)
		status = check_type(h, &c, MOST_TYPES, &size);
	else if (type == FILL)
		status = check_fill(h, &c);
	else if (type == LAYOUT)
		status = check_layout(h, &c);
	else if (type == FILTERS)
		status = check_filters(h, &c);
	else if (type == ATTRIBUTE)
		status = check_attribute(h, &c);
	else if (type == CONTINUATION)
		status = follow(h, &c);
	return status || !c.failed ? status : refuse(h, c.failed_at, c.failed, sheaf_cursor_left(&c));
}

static sheaf_status check_messages(header *h, sheaf_cursor *c)
{
	enum { SHARED = 2 };
	while (sheaf_cursor_left(c) >= h->message_head) {
		size_t narrow = h->version == 1 ? 2 : 1;
		unsigned type = (unsigned)number(c, narrow, "");
		uint64_t size = number(c, 2, "");
		bool is_shared = sheaf_cursor_u8(c, "") & SHARED;
		sheaf_cursor_bytes(c, 1, h->message_head - narrow - 3, "");
		const uint8_t *body = sheaf_cursor_bytes(c, 1, size, "a message within its header");
		if (!body) return refuse(h, c->failed_at, c->failed, size);
		SHEAF_TRY(check_message(h, type, is_shared,
		                        sheaf_cursor_over(body, (size_t)size, sheaf_cursor_tell(c) - (int64_t)size)));
	}
	return SHEAF_OK;
}

/* ---- headers ---- */

static sheaf_status begin_1(header *h, sheaf_cursor *c)
{
	int64_t named = sheaf_cursor_tell(c) + 8;
	sheaf_cursor_bytes(c, 1, 8, "");
	int64_t size = sheaf_cursor_u32le(c, "");
	sheaf_cursor_bytes(c, 1, 4, "a header of an object"); /* up to a multiple of eight */
	h->version = 1;
	h->message_head = 8;
	return c->failed ? refuse(h, c->failed_at, c->failed, sheaf_cursor_left(c))
	                 : add_piece(h, sheaf_cursor_tell(c), size, named);
}

static sheaf_status begin_2(header *h, sheaf_cursor *c)
{
	enum { ORDERED = 4, PHASED = 0x10, TIMED = 0x20 };
	unsigned version, flags;
	sheaf_cursor_bytes(c, 1, SIGNED, "");
	SHEAF_TRY(take(h, c, 2, 2, "a header of version 2", &version));
	SHEAF_TRY(take(h, c, 0, 0x3f, "flags of a header", &flags));
	sheaf_cursor_bytes(c, 1, (flags & TIMED ? 16U : 0) + (flags & PHASED ? 4U : 0), "times of an object");
	int64_t named = sheaf_cursor_tell(c),
			size = (int64_t)number(c, (size_t)1 << (flags & 3), "a header of an object");
	h->version = 2;
	h->message_head = flags & ORDERED ? 6 : 4;
	return c->failed ? refuse(h, c->failed_at, c->failed, sheaf_cursor_left(c))
	                 : add_piece(h, sheaf_cursor_tell(c), size, named);
}

static sheaf_status begin(header *h, int64_t at)
{
	uint8_t bytes[SIGNED + 2 + 16 + 4 + 8];
	if (at < 0 || at >= h->end) return refuse(h, at, "an object within the file", (uint64_t)at);
	size_t size = h->end - at < (int64_t)sizeof bytes ? (size_t)(h->end - at) : sizeof bytes;
	SHEAF_TRY(h->h5->store->read(h->h5->store->user, at, bytes, size, h->err));
	sheaf_cursor c = sheaf_cursor_over(bytes, size, at);
	if (size >= SIGNED && memcmp(bytes, "OHDR", SIGNED) == 0) return begin_2(h, &c);
	return bytes[0] == 1 ? begin_1(h, &c)
	                     : refuse(h, at, "a header of an object (version 1, or OHDR)", bytes[0]);
}

static sheaf_status check_piece(header *h, const piece *it)
{
	h->bytes.size = 0;
	if (it->size == 0) return SHEAF_OK;
	if (!sheaf_builder_room(&h->bytes, (uint64_t)it->size)) return sheaf_builder_status(&h->bytes, h->err);
	SHEAF_TRY(h->h5->store->read(h->h5->store->user, it->at, h->bytes.data, (size_t)it->size, h->err));
	sheaf_cursor c = sheaf_cursor_over(h->bytes.data, (size_t)it->size, it->at);
	return check_messages(h, &c);
}

static sheaf_status check(header *h, int64_t at)
{
	SHEAF_TRY(h->h5->store->size(h->h5->store->user, &h->end, h->err));
	h->left = h->end;
	SHEAF_TRY(begin(h, at));
	for (size_t i = 0; i < h->pieces.size; i += sizeof(piece)) {
		piece it;
		memcpy(&it, h->pieces.data + i, sizeof it);
		SHEAF_TRY(check_piece(h, &it));
	}
	if (h->chunk_rank < 0 || h->space_rank < 0 || h->chunk_rank == h->space_rank) return SHEAF_OK;
	return refuse(h, at, "chunks of as many dimensions as the array", (uint64_t)h->chunk_rank);
}

sheaf_status sheaf_h5_check_header(sheaf_h5 *h5, haddr_t address, sheaf_error *err)
{
	header h = {.h5 = h5, .space_rank = -1, .chunk_rank = -1, .err = err};
	int64_t at = -1;
	if (address > INT64_MAX || !sheaf_add_i64(&at, (int64_t)address, h5->base)) at = -1;
	sheaf_builder_begin(&h.pieces, h5->cx, NULL);
	sheaf_builder_begin(&h.bytes, h5->cx, NULL);
	sheaf_status status = check(&h, at);
	sheaf_builder_drop(&h.pieces);
	sheaf_builder_drop(&h.bytes);
	return status;
}
