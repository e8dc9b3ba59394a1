/* SPDX-License-Identifier: MIT */
/* The header, as in the netCDF Classic Format Specification: signature and version, the number of
 * records, and lists of dimensions, attributes and variables, in big-endian order, padded to four bytes.
 * CDF-2 has wider offsets than CDF-1, and CDF-5 wider counts, and more types. The header does not contain
 * its own length: it is read in parts of doubling size, and parsed again each time it was incomplete.
 *
 * The first flaw, or the first byte that is missing, ends the parsing: all lists end once goes_on is
 * false, and what fields return then is 0 or empty. */
#include "base/checked.h"
#include "base/memory.h"
#include "container/netcdf/classic.h"
#include <inttypes.h>
#include <string.h>

enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12, WORD = 4, WIDE = 5 };

/* Types from 7 on are only in CDF-5. 0: not a type of this version. */
size_t sheaf_classic_width(int version, int type)
{
	static const uint8_t widths[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
	int last = version == WIDE ? SHEAF_CLASSIC_UINT64 : SHEAF_CLASSIC_DOUBLE;
	return type >= SHEAF_CLASSIC_BYTE && type <= last ? widths[type] : 0;
}

sheaf_type sheaf_classic_type_of(int type)
{
	static const sheaf_type types[] = {SHEAF_U8,  SHEAF_I8, SHEAF_U8,  SHEAF_I16, SHEAF_I32, SHEAF_F32,
	                                   SHEAF_F64, SHEAF_U8, SHEAF_U16, SHEAF_U32, SHEAF_I64, SHEAF_U64};
	return types[type];
}

int64_t sheaf_classic_variables(const sheaf_classic_header *h)
{
	return (int64_t)(h->variables.size / sizeof(sheaf_classic_variable));
}

const sheaf_classic_variable *sheaf_classic_variable_at(const sheaf_classic_header *h, int64_t number)
{
	return (const sheaf_classic_variable *)(const void *)h->variables.data + number;
}

/* Counts, and numbers of dimensions: of 8 bytes in CDF-5, else of 4. */
static size_t width_of_count(const sheaf_classic_header *h) { return h->version == WIDE ? 2 * WORD : WORD; }

/* An unsigned number of 4 or 8 bytes. */
static uint64_t load_number(const uint8_t *at, size_t width)
{
	uint64_t n = sheaf_load_u32be(at);
	return width == WORD ? n : n << 32 | sheaf_load_u32be(at + WORD);
}

/* The number was checked when the header was parsed. */
const sheaf_classic_dimension *sheaf_classic_dimension_of(const sheaf_classic_header *h,
                                                          const sheaf_classic_variable *v, int i)
{
	size_t width = width_of_count(h);
	const uint8_t *at = h->bytes.data + v->dimensions + (size_t)i * width;
	return (const sheaf_classic_dimension *)(const void *)h->dimensions.data + load_number(at, width);
}

/* ---- fields ---- */

/* The first flaw other than missing bytes; NULL: there is none yet. */
typedef struct parsing {
	sheaf_classic_header *h;
	sheaf_cursor c;
	const char *expected;
	int64_t at, found;
} parsing;

/* Notes a flaw with its byte, unless there is one already, or bytes are missing. */
static void refuse(parsing *p, const char *expected, int64_t at, int64_t found)
{
	if (p->expected || p->c.failed) return;
	p->expected = expected;
	p->at = at;
	p->found = found;
}

/* Whether everything until here was there, and valid. */
static bool goes_on(const parsing *p) { return !p->expected && !p->c.failed; }

static uint32_t take_word(parsing *p, const char *field)
{
	const uint8_t *at = sheaf_cursor_bytes(&p->c, 1, WORD, field);
	return at ? sheaf_load_u32be(at) : 0;
}

/* Takes a number of at least 0, of 4 or 8 bytes, whose highest bit is a sign. */
static int64_t take_number(parsing *p, size_t width, const char *field)
{
	int64_t at = sheaf_cursor_tell(&p->c);
	const uint8_t *bytes = sheaf_cursor_bytes(&p->c, 1, width, field);
	int64_t n = bytes ? (int64_t)load_number(bytes, width) : 0;
	if (width == WORD) n = (int32_t)n;
	if (n < 0) refuse(p, "a number of at least 0", at, n);
	return n < 0 ? 0 : n;
}

static int64_t take_count(parsing *p, const char *field)
{
	return take_number(p, width_of_count(p->h), field);
}

/* Values and names are padded to a multiple of four bytes; the padding may be anything. */
static const uint8_t *take_padded(parsing *p, int64_t count, size_t width, const char *field)
{
	const uint8_t *at = sheaf_cursor_bytes(&p->c, (uint64_t)count, width, field);
	uint64_t over = (uint64_t)count * width % WORD, rest = over ? WORD - over : 0;
	if (at) sheaf_cursor_bytes(&p->c, 1, rest, field);
	return at;
}

/* Takes a name. It is part of a path, so it has no slash; and no NUL, except after its end, where some
 * programs count the padding as well. The name points into the header's bytes. */
static sheaf_classic_name take_name(parsing *p)
{
	enum { MOST = 1 << 16 };
	int64_t n = take_count(p, "the length of a name"), at = sheaf_cursor_tell(&p->c);
	if (n > MOST) refuse(p, "a name of at most 65536 bytes", at, n);
	if (!goes_on(p)) return (sheaf_classic_name){"", 0};
	const char *text = (const char *)take_padded(p, n, 1, "a name");
	if (!text) return (sheaf_classic_name){"", 0};
	while (n > 0 && text[n - 1] == '\0') n--;
	if (n == 0 || memchr(text, '/', (size_t)n) || memchr(text, '\0', (size_t)n))
		refuse(p, "a name of at least one byte, without slashes and NULs, of the length", at, n);
	return (sheaf_classic_name){text, (size_t)n};
}

/* Takes the head of a list and returns its length; 0 if it is absent. */
static int64_t take_list(parsing *p, uint32_t tag, const char *expected, const char *field)
{
	int64_t at = sheaf_cursor_tell(&p->c);
	uint32_t found = take_word(p, field);
	int64_t n = take_count(p, field);
	if (found != tag && (found != 0 || n != 0)) refuse(p, expected, at, found);
	return goes_on(p) ? n : 0;
}

/* ---- lists ---- */

/* Takes an attribute, here and again when somebody asks for it: attributes are not kept. The type is a
 * word, of which only the lowest byte may be other than 0; type 0 is none. */
static sheaf_classic_attribute take_attribute(parsing *p)
{
	sheaf_classic_attribute a = {.name = take_name(p)};
	int64_t at = sheaf_cursor_tell(&p->c);
	a.type = (int)(take_word(p, "the type of an attribute") & 0xff);
	if (goes_on(p) && (p->c.at[-2] || p->c.at[-3] || p->c.at[-4])) a.type = 0;
	size_t width = sheaf_classic_width(p->h->version, a.type);
	if (width == 0) refuse(p, "a type of this version of the format", at, a.type);
	a.count = take_count(p, "the length of an attribute");
	a.values = take_padded(p, a.count, width ? width : 1, "the values of an attribute");
	a.size = (size_t)a.count * width;
	return a;
}

/* Takes a list of attributes, and returns where it begins and how many there are. */
static sheaf_classic_attributes take_attributes(parsing *p)
{
	int64_t n = take_list(p, ATTRIBUTES, "a list of attributes (tag 12), or none (tag 0)", "attributes");
	sheaf_classic_attributes list = {(size_t)(p->c.at - p->c.begin), n};
	for (int64_t i = 0; i < n && goes_on(p); i++) take_attribute(p);
	return list;
}

/* Gives the next attribute of a list; false if there is none. *number counts those that were given, from
 * 0, and *at is the byte of the next one. The list was checked when the header was parsed. */
bool sheaf_classic_next(const sheaf_classic_header *h, sheaf_classic_attributes list, int64_t *number,
                        size_t *at, sheaf_classic_attribute *out)
{
	if (*number == list.count) return false;
	if (*number == 0) *at = list.at;
	parsing p = {.h = (sheaf_classic_header *)(uintptr_t)h,
	             .c = sheaf_cursor_over(h->bytes.data + *at, h->bytes.size - *at, (int64_t)*at)};
	*out = take_attribute(&p);
	*at = (size_t)sheaf_cursor_tell(&p.c);
	++*number;
	return true;
}

/* Checks the numbers of a variable's dimensions, of which only the first may be the one that grows, and
 * sets v->grows. They are checked here once and for all: later they are used as indices. */
static void check_dimensions(parsing *p, sheaf_classic_variable *v)
{
	const sheaf_classic_header *h = p->h;
	size_t width = width_of_count(h);
	for (int i = 0; i < v->rank && goes_on(p); i++) {
		int64_t byte = (int64_t)v->dimensions + i * (int64_t)width;
		uint64_t number = load_number(p->c.begin + byte, width);
		if (number >= h->dimensions.size / sizeof(sheaf_classic_dimension)) {
			refuse(p, "the number of a dimension", byte, (int64_t)(number & INT64_MAX));
			return;
		}
		bool grows = (int64_t)number == h->unlimited;
		if (grows && i) refuse(p, "the dimension of records in position 0 of a variable", byte, i);
		v->grows |= grows;
	}
}

/* Takes a variable from the header and appends it to the list: name, dimensions, attributes, type, size,
 * and where it begins. After a flaw in its name or rank it is not appended. */
static void take_variable(parsing *p)
{
	enum { MOST_DIMENSIONS = 1024 };
	sheaf_classic_header *h = p->h;
	sheaf_classic_variable v = {.named_at = sheaf_cursor_tell(&p->c)};
	v.name = take_name(p);
	int64_t at = sheaf_cursor_tell(&p->c), rank = take_count(p, "how many dimensions a variable has");
	if (rank > MOST_DIMENSIONS) refuse(p, "at most 1024 dimensions", at, rank);
	if (!goes_on(p)) return;
	v.rank = (int)rank;
	v.dimensions = (size_t)(p->c.at - p->c.begin);
	if (sheaf_cursor_bytes(&p->c, (uint64_t)rank, width_of_count(h), "the dimensions of a variable"))
		check_dimensions(p, &v);
	v.attributes = take_attributes(p);
	at = sheaf_cursor_tell(&p->c);
	uint32_t type = take_word(p, "the type of a variable");
	v.type = type <= SHEAF_CLASSIC_UINT64 ? (int)type : 0;
	if (sheaf_classic_width(h->version, v.type) == 0)
		refuse(p, "a type of this version of the format", at, type);
	/* The size follows from its dimensions; the field may be too small for it. */
	sheaf_cursor_bytes(&p->c, 1, width_of_count(h), "the size of a variable");
	v.begin = take_number(p, h->version == 1 ? WORD : 2 * WORD, "where a variable begins");
	sheaf_builder_append(&h->variables, &v, sizeof v);
}

/* Takes the whole header: signature, number of records, and the lists of dimensions, attributes and
 * variables. It begins from nothing each time, since the header may be parsed again with more bytes.
 * h->records is -1 if the records were not counted, h->unlimited is -1 if no dimension grows. */
static void take_header(parsing *p)
{
	enum { MAGIC = 4 };
	sheaf_classic_header *h = p->h;
	h->unlimited = -1;
	h->dimensions.size = h->variables.size = 0;
	const uint8_t *magic = sheaf_cursor_bytes(&p->c, 1, MAGIC, "the signature");
	h->version = magic ? magic[3] : 1;
	/* Before CDF-5 an unsigned number of 32 bits; all ones: not counted. */
	int64_t at = sheaf_cursor_tell(&p->c);
	size_t width = width_of_count(h);
	const uint8_t *bytes = sheaf_cursor_bytes(&p->c, 1, width, "how many records there are");
	if (bytes) {
		uint64_t n = load_number(bytes, width);
		bool is_streamed = n == (width == WORD ? UINT32_MAX : UINT64_MAX);
		h->records = is_streamed ? -1 : (int64_t)n;
		if (!is_streamed && n > INT64_MAX) refuse(p, "a number of records of at least 0", at, (int64_t)n);
	}
	/* The dimension of length 0 is that of records, of which there is at most one. */
	int64_t count = take_list(p, DIMENSIONS, "a list of dimensions (tag 10), or none (tag 0)", "dimensions");
	for (int64_t i = 0; i < count && goes_on(p); i++) {
		sheaf_classic_dimension d = {.name = take_name(p)};
		int64_t byte = sheaf_cursor_tell(&p->c);
		d.length = take_count(p, "the length of a dimension");
		if (d.length == 0 && goes_on(p)) {
			if (h->unlimited >= 0)
				refuse(p, "at most one dimension without a length, the first being", byte, h->unlimited);
			h->unlimited = i;
		}
		sheaf_builder_append(&h->dimensions, &d, sizeof d);
	}
	h->attributes = take_attributes(p);
	int64_t n = take_list(p, VARIABLES, "a list of variables (tag 11), or none (tag 0)", "variables");
	for (int64_t i = 0; i < n && goes_on(p); i++) take_variable(p);
	h->end = (size_t)(p->c.at - p->c.begin);
}

/* ---- sizes ---- */

/* Computes the sizes of variables from their types and dimensions, and the distance between records.
 * Sizes that do not fit 63 bits are -1, and are refused one by one when they are listed; a record that
 * does not fit refuses the file. Parts of a record begin at multiples of four bytes, unless there is only
 * one. */
static sheaf_status measure_all(sheaf_classic_header *h, sheaf_error *err)
{
	int64_t growing = 0, unpadded = 0;
	sheaf_classic_variable *v = (sheaf_classic_variable *)(void *)h->variables.data;
	for (int64_t i = 0; i < sheaf_classic_variables(h); i++) {
		/* Size of a variable, or of its part of a record. */
		int64_t size = (int64_t)sheaf_classic_width(h->version, v[i].type);
		for (int k = v[i].grows; k < v[i].rank && size >= 0; k++)
			if (__builtin_mul_overflow(size, sheaf_classic_dimension_of(h, &v[i], k)->length, &size))
				size = -1;
		v[i].size = size > INT64_MAX - WORD ? -1 : size;
		if (!v[i].grows) continue;
		growing++;
		unpadded = v[i].size;
		bool fits = v[i].size >= 0 &&
		            !__builtin_add_overflow(h->stride, (v[i].size + WORD - 1) / WORD * WORD, &h->stride);
		if (!fits)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s (byte %" PRId64 "): expected records of fewer than 2^63 bytes, found more",
			                  h->name, v[i].named_at);
	}
	if (growing == 1) h->stride = unpadded;
	return SHEAF_OK;
}

/* ---- loading ---- */

/* Loads and parses the header, which does not say its own length: from 64 KiB, or twice as many bytes
 * each time that the parsing ends too early. Whether more bytes may help is decided by what was missing:
 * a field that would end after the file is damage at once. *h is to be dropped by the caller in any case. */
sheaf_status sheaf_classic_load(sheaf_classic_header *h, const sheaf_store *store, sheaf_context *cx,
                                sheaf_error *err)
{
	int64_t size;
	parsing p;
	bool may_help; /* more of the file */
	*h = (sheaf_classic_header){.cx = cx, .name = store->name};
	h->bytes.cx = h->dimensions.cx = h->variables.cx = cx;
	SHEAF_TRY(store->size(store->user, &size, err));
	do {
		/* Twice as many bytes as before, or all. */
		enum { FIRST = 1 << 16 };
		size_t had = h->bytes.size, want = had ? had * 2 : FIRST;
		if ((int64_t)want > size) want = (size_t)size;
		if (!sheaf_builder_room(&h->bytes, want - had)) return sheaf_builder_status(&h->bytes, err);
		SHEAF_TRY(store->read(store->user, (int64_t)had, h->bytes.data + had, want - had, err));
		h->bytes.size = want;
		int version = h->bytes.size > 3 ? h->bytes.data[3] : 1;
		if (!(version == 1 || version == 2 || version == WIDE))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s (byte 3): expected netCDF of version 1, 2 or 5, found version %d", h->name,
			                  version);
		p = (parsing){.h = h, .c = sheaf_cursor_over(h->bytes.data, h->bytes.size, 0)};
		take_header(&p);
		SHEAF_TRY(sheaf_builder_status(&h->dimensions, err));
		SHEAF_TRY(sheaf_builder_status(&h->variables, err));
		may_help = p.c.failed && !p.expected && (int64_t)h->bytes.size < size &&
		           p.c.needed <= (uint64_t)(size - p.c.failed_at);
	} while (may_help);
	if (p.expected)
		return sheaf_fail(err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %s, found %" PRId64, h->name,
		                  p.at, p.expected, p.found);
	if (p.c.failed)
		return sheaf_fail(err, SHEAF_SHORT,
		                  "%s (byte %" PRId64 "): expected %s, found the end of the file (byte %" PRId64 ")",
		                  h->name, p.c.failed_at, p.c.failed, size);
	return measure_all(h, err);
}

void sheaf_classic_drop(sheaf_classic_header *h)
{
	sheaf_builder_drop(&h->bytes);
	sheaf_builder_drop(&h->dimensions);
	sheaf_builder_drop(&h->variables);
}
