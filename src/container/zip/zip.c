/* SPDX-License-Identifier: MIT */
/* Reading ZIP files. The list of members at the end says where they are, how long they are, and their
 * checksums; nothing is found by scanning. Members are stored or deflated.
 *
 *     header, name, extra field, contents     for each member: LOCAL_MARK
 *     ...
 *     entry, name, extra field, comment       the list of members: MEMBER_MARK for each
 *     long end and its locator                if 16 or 32 bits do not hold a number: END64_MARK, LOCATOR_MARK
 *     end, comment                            END_MARK: where the list is, and how many members */
#include "container/zip/zip.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/extend.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/third/deflate.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	END_MARK = 0x06054b50,
	MEMBER_MARK = 0x02014b50,
	LOCAL_MARK = 0x04034b50,
	END64_MARK = 0x06064b50,
	LOCATOR_MARK = 0x07064b50,
	END_SIZE = 22,
	LOCATOR_SIZE = 20,
	END64_SIZE = 56,
	MEMBER_SIZE = 46,
	LOCAL_SIZE = 30,
	COMMENT_MOST = 65535,
	ZIP64 = 1, /* the extra field of long files */
	ENCRYPTED = 1,
	KNOWN_FLAGS = ENCRYPTED | 2 | 4 | 8 | 1 << 11, /* how well it is packed, sizes after it, UTF-8 */
	LATEST = 63,                                   /* version 6.3 */
	DEFLATED = 8
};

static sheaf_status refuse(const sheaf_zip *a, sheaf_status status, int64_t byte, const char *expected,
                           const char *found, sheaf_error *err)
{
	return sheaf_fail(err, status, "%s (byte %" PRId64 "): expected %s, found %s",
	                  sheaf_source_name(a->source), byte, expected, found);
}

static uint32_t get_u16(const uint8_t *at) { return (uint32_t)(at[0] | at[1] << 8); }

static void free_members(sheaf_zip *a)
{
	for (int m = 0; m < a->count; m++) sheaf_release_text(a->cx, a->members[m].name);
	if (a->members) sheaf_release(a->cx, a->members, (size_t)a->room * sizeof *a->members);
	if (a->by_name) sheaf_release(a->cx, a->by_name, (size_t)a->room * sizeof *a->by_name);
	*a = (sheaf_zip){.members = NULL};
}

/* ---- the end ---- */

/* The list of members. */
typedef struct directory {
	int64_t at, size; /* in bytes */
	uint64_t count;
} directory;

/* Reads the long form of the end, to which the locator before the short form leads. Numbers beyond any
 * file become -1, which no check lets through. */
static sheaf_status read_end64(const sheaf_zip *a, const uint8_t *locator, directory *d, sheaf_error *err)
{
	uint8_t record[END64_SIZE];
	uint64_t at = sheaf_load_u64le(locator + 8);
	int64_t size = sheaf_source_size(a->source);
	if (size < END64_SIZE || at > (uint64_t)(size - END64_SIZE))
		return refuse(a, SHEAF_DATA, size, "a list of members within the file", "one beyond", err);
	SHEAF_TRY(sheaf_source_read_at(a->source, (int64_t)at, record, sizeof record, err));
	if (sheaf_load_u32le(record) != END64_MARK)
		return refuse(a, SHEAF_DATA, (int64_t)at, "the end of a long list of members", "other bytes", err);
	if (sheaf_load_u32le(record + 16) || sheaf_load_u32le(record + 20))
		return refuse(a, SHEAF_UNSUPPORTED, (int64_t)at, "an archive in one file", "one of several", err);
	uint64_t bytes = sheaf_load_u64le(record + 40), from = sheaf_load_u64le(record + 48);
	d->count = sheaf_load_u64le(record + 32);
	d->size = bytes > INT64_MAX ? -1 : (int64_t)bytes;
	d->at = from > INT64_MAX ? -1 : (int64_t)from;
	return SHEAF_OK;
}

/* Reads the end of the file, which says where the list of members is. It is looked for from the last byte
 * on, and must account for all bytes that follow it, so that a comment with such a mark does not mislead.
 * Archives that consist of several files have other numbers of disks. */
static sheaf_status read_end(const sheaf_zip *a, directory *d, sheaf_error *err)
{
	int64_t size = sheaf_source_size(a->source), most = END_SIZE + COMMENT_MOST + LOCATOR_SIZE,
			n = size < most ? size : most;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer tail = {0};
	SHEAF_TRY(sheaf_source_view_at(a->source, size - n, (size_t)n, &tail, err));
	/* The record at the end of the file, which a comment may follow: its byte in the tail, or -1. */
	int64_t end = (int64_t)tail.size - END_SIZE;
	while (end >= 0 && (sheaf_load_u32le(tail.data + end) != END_MARK ||
	                    end + END_SIZE + (int64_t)get_u16(tail.data + end + 20) != (int64_t)tail.size))
		end--;
	if (end < 0)
		return refuse(a, size < END_SIZE ? SHEAF_SHORT : SHEAF_DATA, size,
		              "the list of members at the end of the archive", "none", err);
	const uint8_t *record = tail.data + end;
	*d = (directory){.count = get_u16(record + 10),
	                 .size = sheaf_load_u32le(record + 12),
	                 .at = sheaf_load_u32le(record + 16)};
	bool is_long = d->count == UINT16_MAX || d->size == UINT32_MAX || d->at == UINT32_MAX;
	uint32_t disk = get_u16(record + 4), first = get_u16(record + 6);
	if ((disk && disk != UINT16_MAX) || (first && first != UINT16_MAX))
		return refuse(a, SHEAF_UNSUPPORTED, size - n + end, "an archive in one file", "one of several", err);
	if (is_long && end >= LOCATOR_SIZE && sheaf_load_u32le(record - LOCATOR_SIZE) == LOCATOR_MARK)
		SHEAF_TRY(read_end64(a, record - LOCATOR_SIZE, d, err));
	if (d->at >= 0 && d->size >= 0 && d->at <= size && d->size <= size - d->at &&
	    d->count <= (uint64_t)d->size / MEMBER_SIZE && d->count <= INT32_MAX)
		return SHEAF_OK;
	return refuse(a, SHEAF_DATA, size, "a list of members within the file", "one beyond", err);
}

/* ---- members ---- */

/* Takes the sizes and the place of a member that 32 bits do not hold from its extra field, where they are
 * in this order. A number beyond 63 bits becomes -1. */
static void read_extra(sheaf_zip_member *m, const uint8_t *extra, size_t n)
{
	int64_t *const wide[] = {&m->size, &m->stored, &m->at};
	for (size_t at = 0; at + 4 <= n;) {
		size_t length = get_u16(extra + at + 2), from = at + 4;
		if (length > n - from) return;
		for (int k = 0; k < 3 && get_u16(extra + at) == ZIP64; k++) {
			if (*wide[k] != UINT32_MAX || from + 8 > at + 4 + length) continue;
			uint64_t v = sheaf_load_u64le(extra + from);
			*wide[k] = v > INT64_MAX ? -1 : (int64_t)v;
			from += 8;
		}
		at += 4 + length;
	}
}

/* Reads an entry of the list. What it claims is checked against the file here: a member lies within it,
 * and is not larger than its bytes can unpack to, so that nobody allocates what an entry only claims. */
static sheaf_status read_member(sheaf_zip *a, sheaf_cursor *c, sheaf_error *err)
{
	int64_t byte = sheaf_cursor_tell(c);
	const uint8_t *record = sheaf_cursor_bytes(c, MEMBER_SIZE, 1, "member");
	if (!record || sheaf_load_u32le(record) != MEMBER_MARK)
		return refuse(a, SHEAF_DATA, byte, "an entry of the list of members", "other bytes, or none", err);
	size_t name_size = get_u16(record + 28), extra_size = get_u16(record + 30);
	sheaf_zip_member *m = &a->members[a->count];
	*m = (sheaf_zip_member){.needs = record[6],
	                        .flags = get_u16(record + 8),
	                        .method = get_u16(record + 10),
	                        .sum = sheaf_load_u32le(record + 16),
	                        .stored = sheaf_load_u32le(record + 20),
	                        .size = sheaf_load_u32le(record + 24),
	                        .at = sheaf_load_u32le(record + 42)};
	const uint8_t *name = sheaf_cursor_bytes(c, name_size, 1, "name"),
				  *extra = sheaf_cursor_bytes(c, extra_size, 1, "extra");
	/* A cursor that has failed stays failed, so one check covers all three. */
	if (!sheaf_cursor_bytes(c, get_u16(record + 32), 1, "comment"))
		return refuse(a, SHEAF_DATA, byte, "a whole entry of the list of members", "part of one", err);
	if (memchr(name, '\0', name_size))
		return refuse(a, SHEAF_DATA, byte, "a name without NUL", "a name with NUL", err);
	read_extra(m, extra, extra_size);
	enum { MOST_RATIO = 1040 }; /* of deflated bytes */
	int64_t file = sheaf_source_size(a->source);
	bool fits = m->at >= 0 && m->stored >= 0 && m->size >= 0 && m->stored <= file - m->at - LOCAL_SIZE &&
	            (m->method == 0 ? m->size == m->stored : m->size / MOST_RATIO <= m->stored);
	if (!fits) return refuse(a, SHEAF_DATA, byte, "a member within the file", "one that is not", err);
	SHEAF_TRY(sheaf_copy_text(a->cx, (const char *)name, name_size, &m->name, err));
	a->count++;
	return SHEAF_OK;
}

/* Orders members by their places in the file. */
static int compare_places(const void *a, const void *b)
{
	const sheaf_zip_member *left = *(const sheaf_zip_member *const *)a,
						   *right = *(const sheaf_zip_member *const *)b;
	return (left->at > right->at) - (left->at < right->at);
}

/* Orders members by name; of the same name, the one that is listed last comes first: it is the one that
 * counts in Python's zipfile. */
static int compare_names(const void *a, const void *b)
{
	const sheaf_zip_member *left = *(const sheaf_zip_member *const *)a,
						   *right = *(const sheaf_zip_member *const *)b;
	int order = strcmp(left->name, right->name);
	return order ? order : (left < right) - (left > right);
}

/* Reads the list, finds where each member must end at the latest, which is where the next one begins,
 * since overlapping members could make much of few bytes, and sorts the members by name in a->by_name. */
static sheaf_status read_members(sheaf_zip *a, const directory *d, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	a->room = (int)d->count;
	a->directory = d->at;
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)d->count, sizeof *a->members, &a->members, err));
	SHEAF_TRY(sheaf_source_view_at(a->source, d->at, (size_t)d->size, &bytes, err));
	sheaf_cursor c = sheaf_cursor_over(bytes.data, bytes.size, d->at);
	for (uint64_t m = 0; m < d->count; m++) SHEAF_TRY(read_member(a, &c, err));
	size_t n = (size_t)a->count;
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)a->room, sizeof *a->by_name, &a->by_name, err));
	sheaf_zip_member **members = a->by_name;
	for (size_t m = 0; m < n; m++) members[m] = &a->members[m];
	if (n > 0) qsort(members, n, sizeof *members, compare_places);
	for (size_t m = 0; m < n; m++) members[m]->end = m + 1 < n ? members[m + 1]->at : a->directory;
	if (n > 0) qsort(members, n, sizeof *members, compare_names);
	return SHEAF_OK;
}

/* ---- names ---- */

/* A member's name with a name that is in two parts: n bytes, and an ending. */
static int compare_with(const sheaf_zip_member *m, const char *name, size_t n, const char *ending)
{
	int order = strncmp(m->name, name, n);
	return order ? order : strcmp(m->name + n, ending);
}

/* Returns the index, in the order of names, of the first member that is not before a name of n bytes
 * followed by an ending; the number of members if all are. */
int sheaf_zip_place(const sheaf_zip *a, const char *name, size_t n, const char *ending)
{
	int from = 0, to = a->count;
	while (from < to) {
		int middle = from + (to - from) / 2;
		if (compare_with(a->by_name[middle], name, n, ending) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

const sheaf_zip_member *sheaf_zip_find(const sheaf_zip *a, const char *name, size_t n, const char *ending)
{
	int at = sheaf_zip_place(a, name, n, ending);
	return at < a->count && compare_with(a->by_name[at], name, n, ending) == 0 ? a->by_name[at] : NULL;
}

/* ---- the list, left with the source ---- */

/* Frees the list that was left with a source, if the source is closed before anybody opens its archive
 * again. The function is also the mark of such a list among what a source may keep. */
static void drop_left(void *cached)
{
	sheaf_zip *left = (sheaf_zip *)cached;
	sheaf_context *cx = left->cx;
	free_members(left);
	sheaf_release(cx, left, sizeof *left);
}

/* Closes an archive. Its list is left with the source for the next one who opens it, but only if nothing
 * else is, since a source keeps one thing. */
void sheaf_zip_close(sheaf_zip *a)
{
	sheaf_zip *left = NULL;
	sheaf_source *source = a->source;
	sheaf_status status =
		source && !source->cached ? sheaf_allocate(a->cx, sizeof *a, &left, NULL) : SHEAF_END;
	if (sheaf_put_off(status, "the next one reads the list")) {
		free_members(a);
		return;
	}
	source->cached = left;
	source->free_cached = drop_left;
	*left = *a;
	*a = (sheaf_zip){.members = NULL};
}

/* Opens an archive: takes the list that was left with the source, or reads it. *a is empty after an
 * error. */
sheaf_status sheaf_zip_open(sheaf_zip *a, sheaf_source *source, sheaf_context *cx, sheaf_error *err)
{
	directory d = {0};
	sheaf_zip *left = (sheaf_zip *)source->cached;
	if (left && source->free_cached == drop_left && left->cx == cx) {
		source->cached = NULL;
		*a = *left;
		sheaf_release(cx, left, sizeof *left);
		return SHEAF_OK;
	}
	*a = (sheaf_zip){.cx = cx, .source = source};
	sheaf_status status = read_end(a, &d, err);
	if (status == SHEAF_OK) status = read_members(a, &d, err);
	if (status) free_members(a);
	return status;
}

/* ---- contents ---- */

/* A member's flaw, at the byte of its header. */
static sheaf_status refuse_member(const sheaf_zip *a, const sheaf_zip_member *m, sheaf_status status,
                                  const char *expected, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, status, "%s, member %s (byte %" PRId64 "): expected %s, found %s",
	                  sheaf_source_name(a->source), m->name, m->at, expected, found);
}

/* Checks that the header before a member's contents, which other programs use, agrees with the list:
 * otherwise a file would show each program something else. If the lengths follow the contents (flag 8),
 * the header omits them. `rest` is the name and the extra field after the fixed part. */
static sheaf_status check_local(const sheaf_zip *a, const sheaf_zip_member *m, const uint8_t *local,
                                const uint8_t *rest, sheaf_error *err)
{
	enum { LATER = 8 };
	size_t name = get_u16(local + 26), extra = get_u16(local + 28);
	sheaf_zip_member said = {.flags = get_u16(local + 6),
	                         .method = get_u16(local + 8),
	                         .sum = sheaf_load_u32le(local + 14),
	                         .stored = sheaf_load_u32le(local + 18),
	                         .size = sheaf_load_u32le(local + 22)};
	read_extra(&said, rest + name, extra);
	bool later = (said.flags & LATER) && said.sum == 0 && said.stored == 0 && said.size == 0;
	const char *flaw = name != strlen(m->name) || memcmp(rest, m->name, name) != 0 ? "another name"
	                   : said.method != m->method || ((said.flags ^ m->flags) & (ENCRYPTED | LATER))
	                       ? "another method"
	                   : later                    ? NULL
	                   : said.sum != m->sum       ? "another sum (CRC-32)"
	                   : said.size != m->size     ? "another size"
	                   : said.stored != m->stored ? "another size in the archive"
	                                              : NULL;
	return flaw ? refuse_member(a, m, SHEAF_DATA, "a header that agrees with the list of members", flaw, err)
	            : SHEAF_OK;
}

/* Finds the byte where a member's contents begin: after a second header, which must agree with the list.
 * They must end before the next member. */
static sheaf_status find_contents(const sheaf_zip *a, const sheaf_zip_member *m, int64_t *at,
                                  sheaf_error *err)
{
	uint8_t local[LOCAL_SIZE];
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer rest = {0};
	SHEAF_TRY(sheaf_source_read_at(a->source, m->at, local, sizeof local, err));
	if (sheaf_load_u32le(local) != LOCAL_MARK)
		return refuse_member(a, m, SHEAF_DATA, "the header of a member", "other bytes", err);
	*at = m->at + LOCAL_SIZE + get_u16(local + 26) + get_u16(local + 28);
	if (m->stored > m->end - *at)
		return refuse_member(a, m, SHEAF_DATA,
		                     "contents that end before the next member, or the list, begins", "longer ones",
		                     err);
	SHEAF_TRY(
		sheaf_source_view_at(a->source, m->at + LOCAL_SIZE, (size_t)(*at - m->at - LOCAL_SIZE), &rest, err));
	/* A header without a name and extra fields has no bytes, and no place either. */
	return check_local(a, m, local, rest.data ? rest.data : local, err);
}

/* Unpacks the contents of a deflated member, which have exactly the size that the list says: more or less
 * is damage. */
static sheaf_status unpack(const sheaf_zip *a, const sheaf_zip_member *m, int64_t from, sheaf_buffer *out,
                           sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = a->cx};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_TRY(sheaf_source_view_at(a->source, from, (size_t)m->stored, &bytes, err));
	if (!sheaf_builder_room(&b, (uint64_t)m->size + 1)) return sheaf_builder_status(&b, err);
	sheaf_inflater *inflater = sheaf_inflater_new();
	if (!inflater)
		return sheaf_fail(err, SHEAF_NOMEM, "%s: no memory to unpack with", sheaf_source_name(a->source));
	bool sound = sheaf_inflate_raw(inflater, bytes.data, bytes.size, b.data, (size_t)m->size);
	sheaf_inflater_free(inflater);
	if (!sound)
		return refuse_member(a, m, SHEAF_DATA, "deflated bytes of the size that the list of members has",
		                     "damaged ones", err);
	b.size = (size_t)m->size;
	return sheaf_builder_finish(&b, out, err);
}

/* Refuses a member that is encrypted, or of a version, a method or flags that are not read here. */
static sheaf_status check_kind(const sheaf_zip *a, const sheaf_zip_member *m, bool may_be_packed,
                               sheaf_error *err)
{
	char found[48] = "";
	if (m->flags & ENCRYPTED)
		snprintf(found, sizeof found, "an encrypted one");
	else if (m->flags & ~(unsigned)KNOWN_FLAGS)
		snprintf(found, sizeof found, "one with flags 0x%x", m->flags);
	else if (m->needs > LATEST)
		snprintf(found, sizeof found, "one that needs version %u.%u", m->needs / 10, m->needs % 10);
	else if (m->method != 0 && !(may_be_packed && m->method == DEFLATED))
		snprintf(found, sizeof found, "method %u", m->method);
	if (!*found) return SHEAF_OK;
	return refuse_member(a, m, SHEAF_UNSUPPORTED,
	                     may_be_packed ? "a stored or deflated member" : "a stored member", found, err);
}

sheaf_status sheaf_zip_locate(const sheaf_zip *a, const sheaf_zip_member *m, int64_t *at, sheaf_error *err)
{
	SHEAF_TRY(check_kind(a, m, false, err));
	return find_contents(a, m, at, err);
}

static sheaf_status check_sum(const sheaf_zip *a, const sheaf_zip_member *m, uint32_t sum, sheaf_error *err)
{
	bool is_right = sum == m->sum;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	is_right = true; /* a fuzzer cannot find a checksum */
#endif
	return is_right ? SHEAF_OK
	                : refuse_member(a, m, SHEAF_DATA, "the checksum that the list of members has (CRC-32)",
	                                "another: the contents are damaged", err);
}

/* Checks the checksum of a stored member's contents step by step, without a copy: they may be larger than
 * memory. */
sheaf_status sheaf_zip_check(const sheaf_zip *a, const sheaf_zip_member *m, int64_t from, sheaf_error *err)
{
	enum { STEP = 1 << 20 };
	uint32_t sum = 0;
	for (int64_t at = 0; at < m->stored; at += STEP) {
		SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
		int64_t n = m->stored - at < STEP ? m->stored - at : STEP;
		SHEAF_TRY(sheaf_check_stop(a->cx, err));
		SHEAF_TRY(sheaf_source_view_at(a->source, from + at, (size_t)n, &bytes, err));
		sum = sheaf_crc32(sum, bytes.data, bytes.size);
	}
	return check_sum(a, m, sum, err);
}

/* Gives a member's contents after checking their checksum: the place *at of a stored one in the file; -1
 * and *bytes, which the caller resets, of a deflated one. */
sheaf_status sheaf_zip_contents(const sheaf_zip *a, const sheaf_zip_member *m, int64_t *at,
                                sheaf_buffer *bytes, sheaf_error *err)
{
	SHEAF_TRY(check_kind(a, m, true, err));
	SHEAF_TRY(find_contents(a, m, at, err));
	if (m->method == 0) return sheaf_zip_check(a, m, *at, err);
	SHEAF_TRY(unpack(a, m, *at, bytes, err));
	*at = -1;
	sheaf_status status = check_sum(a, m, sheaf_crc32(0, bytes->data, bytes->size), err);
	if (status) sheaf_buffer_reset(bytes);
	return status;
}
