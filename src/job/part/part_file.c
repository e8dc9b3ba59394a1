/* SPDX-License-Identifier: MIT */
/* Part files (docs/part-file.md):
 *
 *     byte 0    "sheafprt", version, zeros up to byte 64
 *     64        the payload: rows, or bytes of the output
 *               the foot: job, number of the part, inputs, options;
 *               what all parts share; what is the part's own
 *     end -40   where the foot begins, and its size
 *         -24   hash of all bytes before the foot
 *         -16   hash of the foot, and of the 24 bytes before this hash
 *         -8    "sheafend"
 *
 * The hash of what is before the foot is made while it is written, so the end comes last and is read first. A
 * part file comes from anywhere: all counts are held against the bytes that are there. */
#include "job/part/part_file.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/third/xxhash.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

enum {
	VERSION = 5,
	END = 40,       /* bytes: where the foot begins, its size, two hashes, the signature of the end */
	HASHED = 24,    /* of these bytes the foot's hash covers as many as are before it */
	STEP = 1 << 20, /* bytes that are hashed at once */
	INPUT_LEAST = 44
};
static const char magic[8] = {'s', 'h', 'e', 'a', 'f', 'p', 'r', 't'},
				  end_magic[8] = {'s', 'h', 'e', 'a', 'f', 'e', 'n', 'd'};

/* ---- numbers ---- */

/* Reads a number from 1 to `most`, or returns 0; *at moves past its digits, also past those of a number
 * that is too large. */
static int read_number(const char **at, int most)
{
	int64_t n = 0;
	for (; **at >= '0' && **at <= '9'; ++*at)
		if (n <= most) n = 10 * n + (**at - '0');
	return n <= most ? (int)n : 0;
}

/* Reads "I/N", part I of N, counted from 1. */
sheaf_status sheaf_part_number(const char *text, int *part, int *parts, sheaf_error *err)
{
	const char *at = text;
	*part = read_number(&at, SHEAF_PARTS_MOST);
	*parts = *at == '/' ? (at++, read_number(&at, SHEAF_PARTS_MOST)) : 0;
	if (*at == '\0' && *part >= 1 && *parts >= *part) return SHEAF_OK;
	return sheaf_fail_option(
		err, SHEAF_USAGE, "part",
		": expected I/N, the number of a part, from 1 on, and how many there are, at most "
		"%d, found \"%s\"",
		SHEAF_PARTS_MOST, text);
}

/* ---- writing ---- */

sheaf_status sheaf_part_begin(sheaf_sink *sink, sheaf_error *err)
{
	uint8_t begin[SHEAF_PART_PAYLOAD] = {0};
	SHEAF_TRY(sheaf_sink_begin_hash(sink, VERSION, err));
	memcpy(begin, magic, sizeof magic);
	sheaf_store_u32le(begin + sizeof magic, VERSION);
	return sheaf_sink_write(sink, begin, sizeof begin, err);
}

/* Writes which part it is, of which job and inputs. What identifies these comes first in the foot, since
 * parts are compared by it. */
static void put_head(sheaf_builder *b, const sheaf_part_head *h)
{
	sheaf_builder_counted_text(b, h->job);
	sheaf_builder_u32le(b, (uint32_t)h->part);
	sheaf_builder_u32le(b, (uint32_t)h->parts);
	sheaf_builder_u32le(b, (uint32_t)h->ninputs);
	for (int i = 0; i < h->ninputs; i++) {
		const sheaf_identity *identity = &h->inputs[i].identity;
		sheaf_builder_counted_text(b, h->inputs[i].path);
		sheaf_builder_i64le(b, identity->size);
		sheaf_builder_i64le(b, identity->mtime);
		sheaf_builder_u64le(b, identity->low);
		sheaf_builder_u64le(b, identity->high);
		sheaf_builder_u64le(b, h->inputs[i].schema);
	}
	sheaf_builder_counted_text(b, h->options);
}

/* The hash of the foot and of the first HASHED bytes of the end, which are those before this hash. */
static uint64_t hash_foot(const uint8_t *foot, size_t size, const uint8_t end[END])
{
	return sheaf_xxhash(end, HASHED, sheaf_xxhash(foot, size, VERSION).low).low;
}

/* Writes the foot and the end, and gives the file its name; on failure the sink is abandoned. */
sheaf_status sheaf_part_finish(sheaf_sink *sink, const sheaf_part_head *head, const sheaf_builder *common,
                               const sheaf_builder *own, sheaf_error *err)
{
	uint8_t end[END];
	sheaf_builder foot;
	sheaf_builder_begin(&foot, common->cx, NULL);
	put_head(&foot, head);
	sheaf_builder_u64le(&foot, common->size);
	sheaf_builder_append(&foot, common->data, common->size);
	sheaf_builder_append(&foot, own->data, own->size);
	sheaf_status status = sheaf_builder_status(common, err);
	if (status == SHEAF_OK) status = sheaf_builder_status(own, err);
	if (status == SHEAF_OK) status = sheaf_builder_status(&foot, err);
	if (status == SHEAF_OK) {
		sheaf_store_u64le(end, (uint64_t)sheaf_sink_tell(sink));
		sheaf_store_u64le(end + 8, foot.size);
		sheaf_store_u64le(end + 16, sheaf_sink_hash(sink));
		sheaf_store_u64le(end + HASHED, hash_foot(foot.data, foot.size, end));
		memcpy(end + HASHED + 8, end_magic, sizeof end_magic);
		status = sheaf_sink_write(sink, foot.data, foot.size, err);
	}
	if (status == SHEAF_OK) status = sheaf_sink_write(sink, end, sizeof end, err);
	sheaf_builder_drop(&foot);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

/* ---- reading ---- */

sheaf_status sheaf_is_part(sheaf_source *source, bool *is, sheaf_error *err)
{
	sheaf_bytes head;
	*is = false;
	SHEAF_TRY(sheaf_source_ahead(source, sizeof magic, &head, err));
	*is = head.size >= sizeof magic && memcmp(head.data, magic, sizeof magic) == 0;
	return SHEAF_OK;
}

sheaf_status sheaf_part_refuse(const sheaf_part_file *part, const char *expected, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: expected a sound part file, found it damaged (%s)",
	                  sheaf_source_name(part->source), expected);
}

sheaf_status sheaf_part_read_text(sheaf_cursor *c, const sheaf_part_file *part, char **out, sheaf_error *err)
{
	sheaf_bytes text;
	*out = NULL;
	if (!sheaf_cursor_text(c, "text", &text)) return sheaf_part_refuse(part, "a text", err);
	return text.data ? sheaf_copy_text(part->cx, (const char *)text.data, text.size, out, err) : SHEAF_OK;
}

sheaf_status sheaf_part_read_mark(sheaf_cursor *c, const sheaf_part_file *part, const char *what, bool *out,
                                  sheaf_error *err)
{
	uint32_t mark = sheaf_cursor_u32le(c, what);
	*out = mark == 1;
	return mark <= 1 ? SHEAF_OK : sheaf_part_refuse(part, what, err);
}

/* A text that must be there. */
static sheaf_status read_some(sheaf_cursor *c, const sheaf_part_file *part, char **out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_part_read_text(c, part, out, err));
	return *out ? SHEAF_OK : sheaf_part_refuse(part, "a text", err);
}

/* Reads the foot. Each input takes at least INPUT_LEAST bytes, which bounds their number by what the foot
 * has. What is common and what is the part's own are views into the foot, which the part keeps. */
static sheaf_status read_foot(sheaf_part_file *part, sheaf_error *err)
{
	sheaf_part_head *h = &part->head;
	sheaf_cursor c = sheaf_cursor_over(part->foot.data, part->foot.size, 0);
	SHEAF_TRY(read_some(&c, part, &h->job, err));
	uint32_t number = sheaf_cursor_u32le(&c, "number of the part"),
			 parts = sheaf_cursor_u32le(&c, "number of parts");
	if (c.failed || parts > SHEAF_PARTS_MOST || number < 1 || number > parts)
		return sheaf_part_refuse(part, "which part it is", err);
	h->part = (int)number;
	h->parts = (int)parts;
	uint32_t n = sheaf_cursor_count_u32le(&c, INPUT_LEAST, "number of inputs");
	if (c.failed || n > INT32_MAX) return sheaf_part_refuse(part, "number of inputs", err);
	SHEAF_TRY(sheaf_allocate_array(part->cx, n, sizeof *h->inputs, &h->inputs, err));
	h->ninputs = (int)n;
	for (int i = 0; i < h->ninputs; i++) {
		sheaf_identity *identity = &h->inputs[i].identity;
		SHEAF_TRY(read_some(&c, part, &h->inputs[i].path, err));
		identity->size = sheaf_cursor_i64le(&c, "size");
		identity->mtime = sheaf_cursor_i64le(&c, "time");
		identity->low = sheaf_cursor_u64le(&c, "hash");
		identity->high = sheaf_cursor_u64le(&c, "hash");
		h->inputs[i].schema = sheaf_cursor_u64le(&c, "hash");
	}
	if (c.failed) return sheaf_part_refuse(part, "inputs", err);
	SHEAF_TRY(read_some(&c, part, &h->options, err));
	uint64_t size = sheaf_cursor_u64le(&c, "size of what is common");
	const uint8_t *common = sheaf_cursor_bytes(&c, size, 1, "what is common");
	if (!common) return sheaf_part_refuse(part, "what is common", err);
	part->common = (sheaf_bytes){common, (size_t)size};
	part->own = (sheaf_bytes){c.at, sheaf_cursor_left(&c)};
	return SHEAF_OK;
}

/* Compares all bytes before the foot with their hash, step by step. Bytes that another process holds
 * (SHEAF_RAW_RANGES) have not been on a disk, and are not fetched for this. */
static sheaf_status check_payload(const sheaf_part_file *part, uint64_t expected, sheaf_error *err)
{
	void *state;
	int64_t end = SHEAF_PART_PAYLOAD + part->payload;
	sheaf_status status = SHEAF_OK;
	if (part->source->raw.kind == SHEAF_RAW_RANGES) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(part->cx, sheaf_xxhash_state_size(), &state, err));
	sheaf_xxhash_begin(state, VERSION);
	for (int64_t at = 0, n; at < end && status == SHEAF_OK; at += n) {
		sheaf_buffer bytes = {0};
		n = end - at < STEP ? end - at : STEP;
		status = sheaf_check_stop(part->cx, err);
		if (status == SHEAF_OK) status = sheaf_source_view_at(part->source, at, (size_t)n, &bytes, err);
		if (status == SHEAF_OK) sheaf_xxhash_add(state, bytes.data, bytes.size);
		sheaf_buffer_reset(&bytes);
	}
	uint64_t found = status ? 0 : sheaf_xxhash_end(state).low;
	sheaf_release(part->cx, state, sheaf_xxhash_state_size());
	SHEAF_TRY(status);
	return found == expected ? SHEAF_OK : sheaf_part_refuse(part, "its contents", err);
}

/* Finds the foot, and checks everything that is outside of it. The foot may be as long as the file that
 * contains it, so it is viewed rather than copied. The bytes between the version and the payload are zeros,
 * which later versions may give a meaning. */
static sheaf_status view_foot(sheaf_part_file *part, sheaf_error *err)
{
	uint8_t begin[SHEAF_PART_PAYLOAD], end[END];
	SHEAF_TRY(sheaf_source_make_seekable(part->source, err));
	int64_t size = sheaf_source_size(part->source);
	bool is_part;
	SHEAF_TRY(sheaf_is_part(part->source, &is_part, err));
	if (!is_part)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a part file, found another",
		                  sheaf_source_name(part->source));
	if (size < SHEAF_PART_PAYLOAD + END) return sheaf_part_refuse(part, "its length", err);
	SHEAF_TRY(sheaf_source_read_at(part->source, 0, begin, sizeof begin, err));
	uint32_t version = sheaf_load_u32le(begin + sizeof magic);
	if (version != VERSION)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a part file of version %d, found one of version %" PRIu32,
		                  sheaf_source_name(part->source), VERSION, version);
	for (size_t i = sizeof magic + sizeof version; i < sizeof begin; i++)
		if (begin[i]) return sheaf_part_refuse(part, "zeros before the payload", err);
	SHEAF_TRY(sheaf_source_read_at(part->source, size - END, end, sizeof end, err));
	uint64_t foot_at = sheaf_load_u64le(end), foot_size = sheaf_load_u64le(end + 8);
	if (memcmp(end + HASHED + 8, end_magic, sizeof end_magic) != 0 || foot_at < SHEAF_PART_PAYLOAD ||
	    foot_at > (uint64_t)size - END || foot_size != (uint64_t)size - END - foot_at)
		return sheaf_part_refuse(part, "its end", err);
	part->payload = (int64_t)foot_at - SHEAF_PART_PAYLOAD;
	SHEAF_TRY(sheaf_source_view_at(part->source, (int64_t)foot_at, (size_t)foot_size, &part->foot, err));
	if (hash_foot(part->foot.data, part->foot.size, end) != sheaf_load_u64le(end + HASHED))
		return sheaf_part_refuse(part, "its foot", err);
	return check_payload(part, sheaf_load_u64le(end + 16), err);
}

/* Opens a part file and checks all of it. It takes the source over, which is closed on failure. */
sheaf_status sheaf_part_open(sheaf_source *source, sheaf_context *cx, sheaf_part_file *out, sheaf_error *err)
{
	*out = (sheaf_part_file){.cx = cx, .source = source};
	sheaf_status status = view_foot(out, err);
	if (status == SHEAF_OK) status = read_foot(out, err);
	if (status) sheaf_part_close(out);
	return status;
}

/* Frees what was read of a part, and closes its source; a part that was not opened is zeros, and has
 * nothing to close. */
void sheaf_part_close(sheaf_part_file *part)
{
	sheaf_part_head *h = &part->head;
	if (!part->source) return;
	for (int i = 0; i < h->ninputs; i++) sheaf_release_text(part->cx, h->inputs[i].path);
	sheaf_release(part->cx, h->inputs, (size_t)h->ninputs * sizeof *h->inputs);
	sheaf_release_text(part->cx, h->job);
	sheaf_release_text(part->cx, h->options);
	sheaf_buffer_reset(&part->foot);
	sheaf_source_close(part->source);
	*part = (sheaf_part_file){0};
}
