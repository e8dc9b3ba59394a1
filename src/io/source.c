/* SPDX-License-Identifier: MIT */
/* Sources as streams. Bytes come from the raw input through up to three steps, and readers see them in a
 * window:
 *
 *     raw -> decompression (decoder) -> text in another encoding (encoded) -> recoder -> window
 *
 * The window holds bytes that were read and not consumed. A part that is taken out shares the window's block.
 * Reading may go on to fill the unused end of that block, which no part sees. Bytes that a part sees are
 * never moved or overwritten: if the window has to move its bytes, it gets a new block and copies only those
 * that are not consumed. Plain memory and mapped files have no window: readers see them directly. */
#include "io/source.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "base/status.h"
#include "io/descriptor.h"
#include "io/tree.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	READ_STEP = 256 << 10,
	READ_LEAST = 64 << 10, /* for less room than this a system call is not worthwhile */
	SMALL_STEP = 4096      /* window for a file that is known to be smaller */
};

/* ---- opening and closing ---- */

static sheaf_status new_source(sheaf_context *cx, const char *name, sheaf_source **out, sheaf_error *err)
{
	sheaf_source *s;
	char *copy = NULL;
	SHEAF_TRY(sheaf_copy_text(cx, name, strlen(name), &copy, err));
	sheaf_status status = sheaf_allocate(cx, sizeof *s, &s, err);
	if (status) {
		sheaf_release_text(cx, copy);
		return status;
	}
	s->cx = cx;
	s->name = copy;
	s->raw = (sheaf_raw){.cx = cx, .name = copy, .fd = -1, .folder = -1, .size = -1};
	sheaf_builder_begin(&s->window, cx, NULL);
	sheaf_builder_begin(&s->encoded, cx, NULL);
	*out = s;
	return SHEAF_OK;
}

sheaf_status sheaf_source_path(const char *path, sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	sheaf_source *s = NULL;
	SHEAF_TRY(new_source(cx, strcmp(path, "-") == 0 ? "(stdin)" : path, &s, err));
	sheaf_status status = sheaf_raw_open(&s->raw, path, err);
	if (status)
		sheaf_source_close(s);
	else
		*out = s;
	return status;
}

sheaf_status sheaf_source_stored(int fd, const char *name, sheaf_context *cx, sheaf_source **out,
                                 sheaf_error *err)
{
	sheaf_source *s = NULL;
	*out = NULL;
	sheaf_status status = new_source(cx, name, &s, err);
	if (status) {
		sheaf_fd_close(&fd);
		return status;
	}
	s->has_begun = true;
	status = sheaf_raw_adopt(&s->raw, fd, err);
	if (status)
		sheaf_source_close(s);
	else
		*out = s;
	return status;
}

sheaf_status sheaf_source_memory(sheaf_bytes bytes, const char *name, sheaf_context *cx, sheaf_source **out,
                                 sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(cx, "a context");
	if (bytes.size > 0) SHEAF_NEED(bytes.data, "bytes");
	sheaf_source *s = NULL;
	SHEAF_TRY(new_source(cx, name ? name : "(memory)", &s, err));
	s->raw.kind = SHEAF_RAW_MEMORY;
	s->raw.memory = bytes;
	s->raw.size = (int64_t)bytes.size;
	*out = s;
	return SHEAF_OK;
}

sheaf_status sheaf_source_function(sheaf_read_function read, void *user, const char *name, sheaf_context *cx,
                                   sheaf_source **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(read, "a function");
	SHEAF_NEED(cx, "a context");
	sheaf_source *s = NULL;
	SHEAF_TRY(new_source(cx, name ? name : "(function)", &s, err));
	s->raw.kind = SHEAF_RAW_FUNCTION;
	s->raw.read = read;
	s->raw.user = user;
	*out = s;
	return SHEAF_OK;
}

sheaf_status sheaf_source_ranges(sheaf_read_at_function read_at, void *user, int64_t size, const char *name,
                                 sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(read_at, "a function");
	SHEAF_NEED(cx, "a context");
	SHEAF_EXPECT(size >= 0, "a size of at least 0", size);
	sheaf_source *s = NULL;
	SHEAF_TRY(new_source(cx, name ? name : "(ranges)", &s, err));
	s->raw.kind = SHEAF_RAW_RANGES;
	s->raw.read_at = read_at;
	s->raw.user = user;
	s->raw.size = size;
	*out = s;
	return SHEAF_OK;
}

void sheaf_source_close(sheaf_source *s)
{
	if (!s) return;
	if (s->cached) s->free_cached(s->cached);
	sheaf_ahead_close(&s->ahead);
	sheaf_decoder_close(&s->decoder);
	sheaf_recoder_close(&s->recoder);
	sheaf_builder_drop(&s->encoded);
	sheaf_places_free(s->places, s->cx);
	sheaf_builder_drop(&s->window);
	sheaf_buffer_reset(&s->map);
	sheaf_raw_close(&s->raw);
	sheaf_release_text(s->cx, s->name);
	sheaf_release(s->cx, s, sizeof *s);
}

/* ---- the window ---- */

static size_t available(const sheaf_source *s) { return s->window.size - s->at; }

static sheaf_buffer window_buffer(const sheaf_source *s)
{
	return (sheaf_buffer){s->window.data, s->window.size, s->window.block};
}

/* A small limit must leave room for what is made from the bytes. */
static size_t most_worth_reading(const sheaf_source *s)
{
	enum { SHARE = 8 };
	int64_t share = sheaf_max_memory(s->cx) / SHARE;
	return share >= READ_STEP ? READ_STEP : share <= SMALL_STEP ? SMALL_STEP : (size_t)share;
}

/* Room for `capacity` bytes in an unshared block. On failure the window does not change. */
static sheaf_status reserve(sheaf_builder *window, size_t capacity)
{
	size_t before = window->capacity;
	if (capacity <= window->size || sheaf_builder_room(window, capacity - window->size)) return SHEAF_OK;
	sheaf_status status = window->failed;
	window->failed = SHEAF_OK; /* undoes the builder's sticky failure */
	window->capacity = before;
	return status;
}

/* Moves what is not consumed to the beginning of a block for `capacity` bytes: of this one if nobody else has
 * it, else of a new one. */
static sheaf_status move_tail(sheaf_source *s, size_t capacity)
{
	sheaf_buffer whole = window_buffer(s);
	if (sheaf_buffer_is_sole(&whole)) {
		s->window.size = available(s);
		if (s->window.size > 0 && s->at > 0) memmove(s->window.data, s->window.data + s->at, s->window.size);
		s->at = 0;
		return reserve(&s->window, capacity);
	}
	sheaf_builder fresh;
	sheaf_builder_begin(&fresh, s->cx, NULL);
	sheaf_status status = reserve(&fresh, capacity);
	if (status) {
		sheaf_builder_drop(&fresh);
		return status;
	}
	if (available(s) > 0) sheaf_builder_append(&fresh, s->window.data + s->at, available(s));
	sheaf_builder_drop(&s->window);
	s->window = fresh;
	s->at = 0;
	return SHEAF_OK;
}

/* Room to read into. The window grows with the bytes that are there, not with the request: a request may come
 * from a file that lies about its size. Room for at least half of the tail, so that each byte is moved only a
 * few times, however little is consumed between two calls. */
static sheaf_status make_room(sheaf_source *s, size_t want, sheaf_error *err)
{
	enum { CHARACTER = 4 }; /* at least one of those that are decoded */
	size_t tail = available(s), lacking = want - tail + (s->decodes ? CHARACTER : 0);
	/* How much is worth reading at once: of a small file, not more than its size, and a byte that detects the
	 * end. */
	size_t step = most_worth_reading(s);
	int64_t left = s->raw.size - s->raw.at;
	if (!s->decoder.filter && !s->decodes && s->raw.size >= 0 && left < (int64_t)step)
		step = left >= SMALL_STEP ? (size_t)left + 1 : SMALL_STEP;
	size_t least = step < READ_LEAST ? step : READ_LEAST;
	if (s->window.capacity - s->window.size >= least) return SHEAF_OK;
	size_t ample = tail + (tail / 2 > least ? tail / 2 : least);
	/* The size of the last window at once, if that is not much more than needed: it was filled, too. */
	size_t before = s->window.capacity / 2 < want ? s->window.capacity : want;
	if (ample < before) ample = before;
	if (!sheaf_put_off(move_tail(s, ample > step ? ample : step), "less is asked for")) return SHEAF_OK;
	sheaf_status status = move_tail(s, tail + (lacking < least ? lacking : least));
	if (!status) return SHEAF_OK;
	return sheaf_fail(
		err, status, "%s (byte %" PRId64 "): expected memory for %zu bytes in one piece, found %s", s->name,
		s->position, want,
		status == SHEAF_LIMIT ? "that the limit (" SHEAF_OPTION("max-memory") ") is reached" : "none");
}

/* Reads once, after the bytes of a builder. */
static sheaf_status read_some(sheaf_source *s, sheaf_builder *b, bool *ended, sheaf_error *err)
{
	size_t got;
	size_t room = b->capacity - b->size;
	uint8_t *to = b->data + b->size;
	if (room > READ_STEP) room = READ_STEP;
	/* Reading an uncompressed file is faster than a thread could hand it over; a caller's function stays on
	 * the caller's thread. If there is no memory for reading ahead, continues without it. */
	enum { LONG = 512 << 10 };
	bool takes_time =
		s->raw.kind == SHEAF_RAW_STREAM || (s->decoder.filter && s->raw.kind != SHEAF_RAW_FUNCTION);
	bool ahead = s->ahead.cx ||
	             (takes_time && s->has_begun && sheaf_ahead_blocks(s->cx) > 0 &&
	              s->position + (int64_t)available(s) >= LONG &&
	              !sheaf_put_off(sheaf_ahead_open(&s->ahead, &s->decoder, &s->raw, NULL), "it is read here"));
	if (ahead)
		SHEAF_TRY(sheaf_ahead_read(&s->ahead, to, room, &got, err));
	else
		SHEAF_TRY(sheaf_read_stored(&s->decoder, &s->raw, to, room, &got, err));
	b->size += got;
	*ended = got == 0;
	return SHEAF_OK;
}

/* ---- inputs that end too early ---- */

sheaf_status sheaf_source_end_early(sheaf_source *s, sheaf_status status, const sheaf_error *why)
{
	if (status != SHEAF_SHORT || !sheaf_drops_incomplete(s->cx)) return status;
	if (!s->broken.status) s->broken = *why;
	return SHEAF_END;
}

sheaf_status sheaf_source_report_broken(sheaf_source *s, sheaf_context *cx, sheaf_error *err)
{
	char expected[sizeof s->broken.message], found[sizeof s->broken.message];
	const sheaf_error *b = &s->broken;
	if (!b->message[0] || s->is_reported) return SHEAF_OK;
	s->is_reported = true;
	snprintf(expected, sizeof expected, "%.*s", b->expected.size, b->message + b->expected.at);
	snprintf(found, sizeof found, "%.*s", b->found.size, b->message + b->found.at);
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_SHORT,
	                         "end of input",
	                         SHEAF_NOWHERE,
	                         expected,
	                         found,
	                         "what is cut off is left out"};
	problem.place.file = s->name;
	problem.place.line = b->line;
	problem.place.column = b->column;
	problem.place.byte = b->byte;
	problem.place.chunk = b->chunk;
	return sheaf_report(cx, &problem, err);
}

void sheaf_source_is_of_lines(sheaf_source *s) { s->ends_lines = sheaf_drops_incomplete(s->cx); }

sheaf_status sheaf_source_check_end(sheaf_source *s, sheaf_bytes rest, sheaf_error *err)
{
	if (rest.size == 0 || !sheaf_drops_incomplete(s->cx)) return SHEAF_OK;
	if (s->broken.status) return sheaf_fail_again(err, &s->broken);
	if (rest.data[rest.size - 1] == '\n') return SHEAF_OK;
	return sheaf_fail(err, SHEAF_SHORT,
	                  "%s (byte %" PRId64 "): expected the end of the last line, found the end of the input",
	                  s->name, sheaf_source_place(s, s->position, rest.data, (int64_t)rest.size));
}

/* Hides the rest after the last line feed at the end of an input whose lines must be whole. */
static void show_whole_lines(sheaf_source *s, sheaf_bytes *shown)
{
	sheaf_error why;
	sheaf_status status = sheaf_source_check_end(s, *shown, &why);
	status = sheaf_source_end_early(s, status, &why);
	if (status != SHEAF_END) return;
	while (shown->size > 0 && shown->data[shown->size - 1] != '\n') shown->size--;
}

/* A context that drops what is incomplete lets the input end where it breaks off. */
static sheaf_status read_once(sheaf_source *s, sheaf_builder *b, bool *ended, sheaf_error *err)
{
	sheaf_error why;
	sheaf_status status = sheaf_source_end_early(s, read_some(s, b, ended, &why), &why);
	*ended |= status == SHEAF_END;
	return status == SHEAF_END ? SHEAF_OK : status ? sheaf_fail_again(err, &why) : SHEAF_OK;
}

/* ---- text that is decoded ---- */

static size_t encoded_left(const sheaf_source *s) { return s->encoded.size - s->encoded_at; }

/* Reads more text that is to be decoded. */
static sheaf_status read_encoded(sheaf_source *s, sheaf_error *err)
{
	size_t left = encoded_left(s), room = most_worth_reading(s);
	if (s->encoded_at > 0 && left > 0) memmove(s->encoded.data, s->encoded.data + s->encoded_at, left);
	s->encoded.size = left;
	s->encoded_at = 0;
	if (!sheaf_builder_room(&s->encoded, room)) return sheaf_builder_status(&s->encoded, err);
	SHEAF_TRY(read_once(s, &s->encoded, &s->encoded_ends, err));
	s->encoded_end += (int64_t)(s->encoded.size - left);
	return SHEAF_OK;
}

static sheaf_status refuse_text(const sheaf_source *s, sheaf_status status, const char *found,
                                sheaf_error *err)
{
	return sheaf_fail(err, status,
	                  "%s (byte %" PRId64 "): expected text in %s (" SHEAF_OPTION(
						  "encoding") " names another encoding), found %s",
	                  s->name, s->encoded_end - (int64_t)encoded_left(s), s->recoder.name, found);
}

/* Decodes some, after the bytes of the window. */
static sheaf_status fill_decoded(sheaf_source *s, sheaf_error *err)
{
	for (;;) {
		size_t room = s->window.capacity - s->window.size;
		sheaf_charset_step step = {.in = s->encoded.data + s->encoded_at,
		                           .in_left = encoded_left(s),
		                           .out = s->window.data + s->window.size,
		                           .out_left = room};
		sheaf_status status = step.in_left > 0 ? sheaf_recoder_run(&s->recoder, &step) : SHEAF_OK;
		s->encoded_at = s->encoded.size - step.in_left;
		s->window.size += room - step.out_left;
		if (step.out_left < room) return SHEAF_OK; /* what is wrong after that comes with the next call */
		if (status) return refuse_text(s, status, step.found, err);
		if (s->encoded_ends && step.in_left > 0) {
			sheaf_error why;
			status = refuse_text(s, SHEAF_SHORT, "that the file ends inside a character", &why);
			status = sheaf_source_end_early(s, status, &why);
			if (status != SHEAF_END) return sheaf_fail_again(err, &why);
		}
		s->has_ended = s->encoded_ends;
		if (s->has_ended) return SHEAF_OK;
		SHEAF_TRY(read_encoded(s, err));
	}
}

/* Takes the bytes in the window for text that is to be decoded, and skips a byte order mark. */
static sheaf_status encode_window(sheaf_source *s, sheaf_error *err)
{
	sheaf_builder_append(&s->encoded, s->window.data + s->at, available(s));
	SHEAF_TRY(sheaf_builder_status(&s->encoded, err));
	sheaf_builder_drop(&s->window);
	sheaf_builder_begin(&s->window, s->cx, NULL);
	s->at = 0;
	s->encoded_end = (int64_t)s->encoded.size;
	s->encoded_ends = s->has_ended;
	s->has_ended = false;
	while (s->encoded.size < s->mark && !s->encoded_ends) SHEAF_TRY(read_encoded(s, err));
	s->encoded_at = s->mark < s->encoded.size ? s->mark : s->encoded.size;
	s->stored = (int64_t)s->encoded_at;
	sheaf_places_clear(s->places, false);
	sheaf_places_add(s->places, 0, s->stored);
	return SHEAF_OK;
}

/* ---- the beginning ---- */

/* Reads until the window has `want` bytes or the input ends. */
static sheaf_status show_at_least(sheaf_source *s, size_t want, sheaf_error *err)
{
	while (available(s) < want && !s->has_ended) {
		SHEAF_TRY(make_room(s, want, err));
		SHEAF_TRY(s->decodes && s->has_begun ? fill_decoded(s, err)
		                                     : read_once(s, &s->window, &s->has_ended, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_source_begin(sheaf_source *s, sheaf_error *err)
{
	bool in_memory = s->raw.kind == SHEAF_RAW_MEMORY;
	while (!s->has_begun) {
		bool undecided;
		const uint8_t *data = in_memory ? s->raw.memory.data : s->window.data;
		size_t size = in_memory ? s->raw.memory.size : s->window.size;
		const sheaf_filter *filter = sheaf_filter_by_content(data, size, &undecided);
		if (filter) {
			/* The bytes in the window so far become the decoder's input. */
			SHEAF_TRY(sheaf_decoder_open(&s->decoder, filter, &s->raw, &s->window, err));
			s->compression = filter->name;
			s->has_ended = false;
			s->has_begun = true;
			return s->decodes ? encode_window(s, err) : SHEAF_OK;
		}
		if (in_memory || !undecided || s->has_ended) break;
		/* No more than is needed to know: somebody may be typing. */
		SHEAF_TRY(show_at_least(s, s->window.size + 1, err));
	}
	if (s->has_begun) return SHEAF_OK;
	s->has_begun = true;
	s->is_direct = in_memory && !s->decodes;
	return s->decodes ? encode_window(s, err) : SHEAF_OK;
}

sheaf_status sheaf_source_decode(sheaf_source *s, sheaf_recoder *recoder, sheaf_error *err)
{
	sheaf_bytes head;
	sheaf_status status = sheaf_source_ahead(s, 2, &head, err);
	const sheaf_charset *marked = status ? NULL : sheaf_charset_of_head(head);
	s->recoder = *recoder;
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_places_new(s->cx, &s->places, err));
	s->mark = marked && marked == recoder->charset && head.data[0] >= 0xfe ? 2 : 0;
	sheaf_buffer_reset(&s->map);
	s->is_direct = s->is_seekable = false;
	s->decodes = true;
	return encode_window(s, err);
}

void sheaf_source_restart(sheaf_source *s)
{
	sheaf_ahead_close(&s->ahead);
	sheaf_decoder_close(&s->decoder);
	sheaf_recoder_restart(&s->recoder);
	s->encoded.size = s->encoded_at = 0;
	sheaf_raw_rewind(&s->raw);
	sheaf_buffer old = window_buffer(s);
	sheaf_builder_begin(&s->window, s->cx, &old);
	s->at = 0;
	s->position = 0;
	s->has_begun = s->has_ended = s->is_direct = false;
}

sheaf_status sheaf_source_reopen(sheaf_source *s, sheaf_error *err)
{
	if (sheaf_raw_is_rewindable(&s->raw)) return sheaf_source_rewind(s, err);
	if (s->raw.kind != SHEAF_RAW_STREAM || !s->raw.is_owned)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: it cannot be opened again by its name", s->name);
	sheaf_raw_close(&s->raw);
	SHEAF_TRY(sheaf_raw_open(&s->raw, s->name, err));
	sheaf_source_restart(s);
	return SHEAF_OK;
}

/* ---- the stream ---- */

static sheaf_bytes direct(const sheaf_source *s)
{
	return s->map.data ? (sheaf_bytes){s->map.data + s->raw.base, (size_t)s->raw.size} : s->raw.memory;
}

sheaf_status sheaf_source_ahead(sheaf_source *s, size_t want, sheaf_bytes *out, sheaf_error *err)
{
	static const uint8_t no_bytes[1]; /* at the end of an input: an address, as callers count from it */
	*out = (sheaf_bytes){no_bytes, 0};
	if (s->failure.status) return sheaf_fail_again(err, &s->failure);
	SHEAF_TRY(sheaf_source_begin(s, err));
	if (s->is_direct) {
		if (s->map.data) SHEAF_TRY(sheaf_check_stop(s->cx, err));
		sheaf_bytes all = direct(s);
		size_t left = all.size - (size_t)s->position;
		if (left > 0) *out = (sheaf_bytes){all.data + s->position, left};
		if (s->ends_lines && left < want) show_whole_lines(s, out);
		return SHEAF_OK;
	}
	sheaf_status status = show_at_least(s, want, err);
	bool shows = status == SHEAF_OK || status == SHEAF_SHORT || status == SHEAF_DATA || status == SHEAF_IO;
	if (shows && available(s) > 0) *out = (sheaf_bytes){s->window.data + s->at, available(s)};
	if (s->ends_lines && !status && out->size < want) show_whole_lines(s, out);
	return status;
}

static size_t shown(const sheaf_source *s)
{
	return s->is_direct ? direct(s).size - (size_t)s->position : available(s);
}

void sheaf_source_consume(sheaf_source *s, size_t n)
{
	if (!s) return;
	if (n > shown(s)) n = shown(s);
	if (s->decodes && s->recoder.charset) {
		s->stored += sheaf_charset_measure(s->recoder.charset, s->window.data + s->at, n);
		sheaf_places_add(s->places, s->position + (int64_t)n, s->stored);
	}
	if (!s->is_direct) s->at += n;
	s->position += (int64_t)n;
}

void sheaf_source_take(sheaf_source *s, size_t n, sheaf_buffer *out)
{
	if (!out) return;
	sheaf_buffer_reset(out);
	if (!s) return;
	if (n > shown(s)) n = shown(s);
	if (n == 0) return;
	if (s->is_direct && s->map.data) {
		*out = sheaf_buffer_part(&s->map, (size_t)(s->raw.base + s->position), n);
		sheaf_source_let_go_before(s, (size_t)(s->raw.base + s->position), n);
	} else if (s->is_direct) {
		/* Borrowed; the cast only drops a const that nobody may write through, since buffers are
		 * immutable. */
		*out = (sheaf_buffer){(uint8_t *)(uintptr_t)s->raw.memory.data + s->position, n, NULL};
	} else {
		sheaf_buffer whole = window_buffer(s);
		*out = sheaf_buffer_part(&whole, s->at, n);
	}
	sheaf_source_consume(s, n);
}

bool sheaf_source_is_at_hand(const sheaf_source *s, size_t size)
{
	return sheaf_raw_is_rewindable(&s->raw) || s->has_ended ||
	       available(s) + (s->ahead.cx ? sheaf_ahead_at_hand(&s->ahead) : 0) >= size;
}

int64_t sheaf_source_tell(const sheaf_source *s) { return s ? s->position : -1; }

const char *sheaf_source_name(const sheaf_source *s) { return s ? s->name : ""; }

const char *sheaf_source_compression(const sheaf_source *s) { return s->compression; }

void sheaf_source_progress(const sheaf_source *s, int64_t *done, int64_t *total)
{
	*total = s->raw.size;
	*done = s->ahead.cx         ? s->ahead.done
	        : s->decoder.filter ? s->raw.at - (int64_t)s->decoder.in_left
	        : s->decodes        ? s->raw.at
	                            : s->position;
}

const char *sheaf_source_encoding(const sheaf_source *s)
{
	return s->recoder.name[0] ? s->recoder.name : NULL;
}

int64_t sheaf_source_bytes(const sheaf_source *source)
{
	int folder = sheaf_source_folder(source);
	return folder < 0 ? source->raw.size : sheaf_tree_bytes(folder);
}

sheaf_source_info sheaf_source_about(const sheaf_source *source)
{
	sheaf_source_info info = {.bytes = -1};
	int64_t total;
	if (!source) return info;
	sheaf_source_progress(source, &info.done, &total);
	info.bytes = sheaf_source_bytes(source);
	info.compression = source->compression;
	info.encoding = sheaf_source_encoding(source);
	return info;
}

int sheaf_source_folder(const sheaf_source *source) { return source->raw.folder; }
