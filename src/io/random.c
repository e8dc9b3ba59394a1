/* SPDX-License-Identifier: MIT */
/* Random access to sources: rewinding, the copy to a temporary file that makes it possible if the input can
 * be read only once, and reads and views at any byte. */
#include "base/context.h"
#include "base/need.h"
#include "io/descriptor.h"
#include "io/source.h"
#include "io/spool.h"
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the copy ---- */

/* From now on the source is the plain regular file of the spool. */
static void read_from_spool(sheaf_source *s, sheaf_spool *spool)
{
	sheaf_ahead_close(&s->ahead);
	sheaf_raw_close(&s->raw);
	s->decodes = false;
	s->raw = (sheaf_raw){.cx = s->cx,
	                     .folder = -1,
	                     .name = s->name,
	                     .kind = SHEAF_RAW_FILE,
	                     .fd = spool->fd,
	                     .is_owned = true,
	                     .is_spool = true,
	                     .size = spool->size};
	sheaf_source_restart(s);
	s->has_begun =
		true; /* the content is not examined again: what was compressed twice is decompressed once */
	spool->fd = -1;
}

/* Copies the decompressed content to a temporary file, even if only a rewind is needed: then the second pass
 * decodes nothing. */
static sheaf_status spool_content(sheaf_source *s, sheaf_error *err)
{
	sheaf_spool spool;
	sheaf_bytes bytes = {.size = 1};
	sheaf_error failure = {0};
	if (s->position != 0)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"%s: expected the stream at byte 0, to copy it to a temporary file, found it at byte %" PRId64,
			s->name, s->position);
	SHEAF_TRY(sheaf_spool_open(&spool, s->cx, err));
	if (s->places) sheaf_places_clear(s->places, true);
	if (s->places) sheaf_places_add(s->places, 0, s->stored);
	sheaf_status status = SHEAF_OK;
	while (!status && bytes.size > 0) {
		status = sheaf_source_ahead(s, 1, &bytes, &failure);
		if (!status && bytes.size > 0) status = sheaf_spool_append(&spool, bytes.data, bytes.size, &failure);
		if (!status) sheaf_source_consume(s, bytes.size);
	}
	if (status) {
		/* If bytes are lost, no later call may take the rest for the beginning. */
		if (s->position != 0) s->failure = failure;
		sheaf_spool_close(&spool);
		return sheaf_fail_again(err, &failure);
	}
	read_from_spool(s, &spool);
	return SHEAF_OK;
}

sheaf_status sheaf_source_make_rewindable(sheaf_source *s, sheaf_error *err)
{
	if (s->failure.status) return sheaf_fail_again(err, &s->failure);
	return sheaf_raw_is_rewindable(&s->raw) ? SHEAF_OK : spool_content(s, err);
}

sheaf_status sheaf_source_rewind(sheaf_source *s, sheaf_error *err)
{
	if (s->failure.status) return sheaf_fail_again(err, &s->failure);
	if (s->position == 0) return SHEAF_OK;
	if (!sheaf_raw_is_rewindable(&s->raw))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected sheaf_source_make_rewindable before a rewind, found an input that "
		                  "can be read only once",
		                  s->name);
	bool is_known_plain = s->has_begun && !s->decoder.filter && !s->decodes;
	bool is_direct = s->is_direct;
	sheaf_source_restart(s);
	s->has_begun = is_known_plain;
	s->is_direct = is_direct;
	return SHEAF_OK;
}

static sheaf_status refuse_access(const sheaf_source *s, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected sheaf_source_make_seekable before access at random, found none", s->name);
}

sheaf_status sheaf_source_seek(sheaf_source *s, int64_t offset, sheaf_error *err)
{
	if (!s->is_seekable) return refuse_access(s, err);
	SHEAF_TRY(sheaf_raw_check_range(&s->raw, offset, 0, err));
	bool is_direct = s->is_direct;
	sheaf_source_restart(s);
	s->has_begun = true;
	s->is_direct = is_direct;
	s->raw.at = s->position = offset;
	return SHEAF_OK;
}

bool sheaf_source_is_plain(const sheaf_source *s)
{
	return sheaf_raw_is_rewindable(&s->raw) && !s->decoder.filter && !s->decodes;
}

/* ---- access ---- */

static void unmap(void *user, uint8_t *data, size_t size)
{
	(void)user;
	munmap(data, size);
}

/* Maps the whole file, once. If the system refuses, views are copies. MAP_PRIVATE: nothing is ever written
 * through the map, so it shows the same pages as a shared one, and file systems without coherent shared
 * mappings support it, too. */
static sheaf_status map_file(sheaf_source *s, sheaf_error *err)
{
	/* A map begins at a page, so it includes the bytes before the input. */
	int64_t end = s->raw.base + s->raw.size;
	if (sheaf_context_no_mapping(s->cx)) return SHEAF_OK;
	if (s->raw.kind != SHEAF_RAW_FILE || s->raw.size == 0 || (uint64_t)end > SIZE_MAX) return SHEAF_OK;
	void *memory = mmap(NULL, (size_t)end, PROT_READ, MAP_PRIVATE, s->raw.fd, 0);
	if (memory == MAP_FAILED) return SHEAF_OK;
	sheaf_status status =
		sheaf_buffer_wrap(s->cx, (sheaf_lent){(uint8_t *)memory, (size_t)end, unmap, NULL}, &s->map, err);
	if (status) munmap(memory, (size_t)end);
	return status;
}

sheaf_status sheaf_source_make_seekable(sheaf_source *s, sheaf_error *err)
{
	/* Counts are checked against the remaining bytes, in 64 bits. Where addresses have 32 bits, what is made
	 * of that many items must still be countable: up to sixteen bytes for each byte of the input. */
	const int64_t most = SIZE_MAX < UINT64_MAX ? (int64_t)(SIZE_MAX / 16) : INT64_MAX;
	if (s->is_seekable) return SHEAF_OK;
	if (s->failure.status) return sheaf_fail_again(err, &s->failure);
	SHEAF_TRY(sheaf_source_begin(s, err));
	if (!sheaf_source_is_plain(s)) SHEAF_TRY(spool_content(s, err));
	if (s->raw.size > most)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected at most %" PRId64
		                  " bytes to be read at random where addresses have 32 "
		                  "bits, found %" PRId64 "; read it on a machine of 64 bits",
		                  s->name, most, s->raw.size);
	SHEAF_TRY(map_file(s, err));
	if (s->map.data) {
		/* The stream continues on the map, without a window. */
		sheaf_builder_drop(&s->window);
		sheaf_builder_begin(&s->window, s->cx, NULL);
		s->at = 0;
		s->is_direct = true;
	}
	s->is_seekable = true;
	return SHEAF_OK;
}

int64_t sheaf_source_size(const sheaf_source *s)
{
	if (!s) return -1;
	uint8_t head[SHEAF_MAGIC_MAX];
	bool undecided;
	if (!sheaf_source_is_plain(s)) return -1;
	if (s->has_begun) return s->raw.size;
	int64_t shown = sheaf_raw_peek(&s->raw, head, sizeof head);
	return shown < 0 || sheaf_filter_by_content(head, (size_t)shown, &undecided) ? -1 : s->raw.size;
}

sheaf_status sheaf_source_read_at(sheaf_source *s, int64_t offset, void *data, size_t size, sheaf_error *err)
{
	if (size > 0) SHEAF_NEED(data, "room for the bytes");
	if (!s->is_seekable) return refuse_access(s, err);
	return sheaf_raw_read_at(&s->raw, offset, data, size, err);
}

/* A reader that walks through a mapped file would seem to keep all of it in memory. Pages before a view,
 * except those that threads may be reading, are released: they belong to the file, so a view of them that
 * still exists reads them in again. */
void sheaf_source_let_go_before(const sheaf_source *s, size_t end, size_t size)
{
	enum { LEAST = 128 << 20, STEP = 16 << 20 };
	if (end / STEP == (end + size) / STEP) return; /* now and then is enough */
	size_t after = size * (size_t)sheaf_context_threads(s->cx);
	end = end > after ? end - after : 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), run = size > LEAST / 2 ? size * 2 : LEAST;
	size_t begin = end > run ? (end - run) / page * page : 0;
	end = end / page * page;
	if (end > begin) (void)madvise(s->map.data + begin, end - begin, MADV_DONTNEED);
}

void sheaf_source_let_go(const sheaf_source *s, int64_t offset, int64_t size)
{
	int64_t page = sysconf(_SC_PAGESIZE), begin = (s->raw.base + offset) / page * page,
			end = s->raw.base + offset + size;
	if (s->map.data && offset >= 0 && size > 0 && end <= (int64_t)s->map.size)
		(void)madvise(s->map.data + begin, (size_t)(end - begin), MADV_DONTNEED);
}

int64_t sheaf_source_place(const sheaf_source *s, int64_t from, const uint8_t *text, int64_t n)
{
	uint8_t step[4096];
	struct sheaf_place_pair near;
	if (!s->places) return from + n;
	if (!s->recoder.charset || !sheaf_places_find(s->places, from, &near)) return -1;
	if (near.text < from && s->decodes) return -1;
	/* The text is in a temporary file, where the bytes from the last known one on are counted. */
	for (size_t some; near.text < from; near.text += (int64_t)some) {
		some = from - near.text < (int64_t)sizeof step ? (size_t)(from - near.text) : sizeof step;
		if (sheaf_put_off(sheaf_raw_read_at(&s->raw, near.text, step, some, NULL),
		                  "the message lacks a place"))
			return -1;
		near.stored += sheaf_charset_measure(s->recoder.charset, step, some);
	}
	return near.stored + sheaf_charset_measure(s->recoder.charset, text, (size_t)n);
}

sheaf_status sheaf_source_view_at(sheaf_source *s, int64_t offset, size_t size, sheaf_buffer *out,
                                  sheaf_error *err)
{
	sheaf_buffer_reset(out);
	if (!s->is_seekable) return refuse_access(s, err);
	SHEAF_TRY(sheaf_check_stop(s->cx, err));
	SHEAF_TRY(sheaf_raw_check_range(&s->raw, offset, size, err));
	if (size == 0) return SHEAF_OK;
	if (s->raw.kind == SHEAF_RAW_MEMORY) {
		*out = (sheaf_buffer){(uint8_t *)(uintptr_t)s->raw.memory.data + offset, size, NULL};
		return SHEAF_OK;
	}
	if (s->map.data) {
		*out = sheaf_buffer_part(&s->map, (size_t)(s->raw.base + offset), size);
		sheaf_source_let_go_before(s, (size_t)(s->raw.base + offset), size);
		return SHEAF_OK;
	}
	sheaf_builder copy;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&copy, s->cx, NULL);
	if (sheaf_builder_room(&copy, size)) status = sheaf_raw_read_at(&s->raw, offset, copy.data, size, err);
	if (status) {
		sheaf_builder_drop(&copy);
		return status;
	}
	copy.size = copy.failed ? 0 : size;
	return sheaf_builder_finish(&copy, out, err);
}
