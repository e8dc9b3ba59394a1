/* SPDX-License-Identifier: MIT */
/* Files: the footer has the schema, and says where dictionaries and batches are. What precedes the batches is
 * ignored, since writers differ there (section "IPC File Format").
 *
 *   "ARROW1" 0 0   messages   footer: a flatbuffer   its size, 32 bits   "ARROW1"
 *
 * Batches are read by their places, in any order. A footer may say anything, so that each place is checked
 * before bytes are asked for. */
#include "base/buffer.h"
#include "base/endian.h"
#include "base/status.h"
#include "format/arrow/ipc.h"
#include "io/source.h"
#include <inttypes.h>

enum { VERSION, SCHEMA, DICTIONARIES, BATCHES }; /* slots of Footer */
enum { BLOCK = 24, TAIL = 4 + SHEAF_IPC_MAGIC_SIZE };

/* Where a message is: its first byte, the size of its head, with what comes before it, and that of its body.
 */
typedef struct block {
	int64_t byte, head, body;
} block;

/* Reads one place out of the footer (Block: 8 bytes, 4 and 4 of padding, 8), which must be within the file.
 */
static sheaf_status read_block(const sheaf_ipc_reader *in, const uint8_t *item, block *out, sheaf_error *err)
{
	int64_t size = sheaf_source_size(in->source);
	*out = (block){sheaf_load_i64le(item), sheaf_load_i32le(item + 8), sheaf_load_i64le(item + 16)};
	if (out->byte < SHEAF_IPC_FIRST || out->head < SHEAF_IPC_PREFIX || out->head > size - out->byte ||
	    out->body < 0 || out->body > size - out->byte - out->head)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: footer: expected batches inside of the file, found one at byte %" PRId64,
		                  sheaf_source_name(in->source), out->byte);
	return SHEAF_OK;
}

/* The message at a place, head and body. */
static sheaf_status view_block(const sheaf_ipc_reader *in, const block *at, sheaf_buffer *out,
                               sheaf_error *err)
{
	return sheaf_source_view_at(in->source, at->byte, (size_t)(at->head + at->body), out, err);
}

/* Reads all dictionaries by their places. In a file they hold for all batches, as if they came before the
 * first: so each gets byte 0. */
static sheaf_status read_dictionaries(sheaf_ipc_reader *in, const sheaf_fb_vector *items, sheaf_error *err)
{
	enum { ALWAYS = 0 };
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	for (int64_t i = 0; i < items->count; i++) {
		block at;
		SHEAF_TRY(read_block(in, items->items + BLOCK * i, &at, err));
		SHEAF_TRY(view_block(in, &at, &bytes, err));
		SHEAF_TRY(sheaf_ipc_read_dictionary(in, &bytes, ALWAYS, err));
	}
	return SHEAF_OK;
}

/* Looks at the heads of all batches for the number of rows, and for which fields have missing entries. An
 * error in a head is found again when the batch is read; without all heads the number of rows is not known.
 */
static sheaf_status survey(sheaf_ipc_reader *in, sheaf_error *err)
{
	enum { LENGTH };
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	int64_t rows = 0, n = (int64_t)(in->blocks.size / BLOCK);
	if (n == 0) in->facts.rows = 0;
	for (int64_t i = 0; i < n; i++) {
		block at;
		sheaf_ipc_message message;
		const char *found;
		SHEAF_TRY(read_block(in, in->blocks.data + BLOCK * i, &at, err));
		SHEAF_TRY(sheaf_source_view_at(in->source, at.byte, (size_t)at.head, &bytes, err));
		sheaf_status status = sheaf_ipc_read_message(bytes.data, bytes.size, &message, &found);
		if (status) return sheaf_forgive(status, "cutting meets it in its place");
		if (message.kind == SHEAF_IPC_BATCH) sheaf_ipc_survey_nulls(in, &message);
		int64_t more = sheaf_fb_number(&message.table, LENGTH, 8, 0);
		if (more < 0 || more > INT64_MAX - rows) break;
		rows += more;
		if (i + 1 == n) in->facts.rows = rows;
	}
	return SHEAF_OK;
}

/* Reads the footer: its schema, which is that of the stream in the file, and its two lists of places. Those
 * of batches are kept as they are, and checked one by one when they are needed. */
static sheaf_status read_footer(sheaf_ipc_reader *in, const sheaf_buffer *bytes, sheaf_error *err)
{
	sheaf_fb flat = sheaf_fb_over(bytes->data, bytes->size);
	sheaf_fb_table footer = sheaf_fb_root(&flat), schema = sheaf_fb_child(&footer, SCHEMA);
	sheaf_fb_vector items = sheaf_fb_items(&footer, BATCHES, BLOCK),
					dictionaries = sheaf_fb_items(&footer, DICTIONARIES, BLOCK);
	sheaf_builder b;
	if (flat.broken || !schema.in)
		return sheaf_fail(err, SHEAF_DATA, "%s: footer: expected a schema and places of batches, found none",
		                  sheaf_source_name(in->source));
	SHEAF_TRY(sheaf_ipc_learn_schema(in, &schema, err));
	sheaf_builder_begin(&b, in->cx, NULL);
	sheaf_builder_append(&b, items.items, BLOCK * (size_t)items.count);
	SHEAF_TRY(sheaf_builder_finish(&b, &in->blocks, err));
	SHEAF_TRY(survey(in, err));
	SHEAF_TRY(sheaf_ipc_choose_columns(in, err));
	return read_dictionaries(in, &dictionaries, err);
}

/* A file that was not finished has no footer, and is refused as one that ends too early. */
sheaf_status sheaf_ipc_open_file(sheaf_ipc_reader *in, sheaf_error *err)
{
	uint8_t tail[TAIL] = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_TRY(sheaf_source_make_seekable(in->source, err));
	int64_t size = sheaf_source_size(in->source), most = size - SHEAF_IPC_FIRST - TAIL;
	if (most >= 0) SHEAF_TRY(sheaf_source_read_at(in->source, size - TAIL, tail, TAIL, err));
	if (memcmp(tail + 4, SHEAF_IPC_MAGIC, SHEAF_IPC_MAGIC_SIZE) != 0)
		return sheaf_fail(err, SHEAF_SHORT,
		                  "%s: byte %" PRId64 ": expected a footer and \"" SHEAF_IPC_MAGIC
		                  "\" at the end, found the end of the input without them",
		                  sheaf_source_name(in->source), size);
	int64_t footer = sheaf_load_i32le(tail);
	if (footer <= 0 || footer > most)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: byte %" PRId64 ": expected the size of a footer, at most %" PRId64
		                  ", found %" PRId64,
		                  sheaf_source_name(in->source), size - TAIL, most, footer);
	SHEAF_TRY(sheaf_source_view_at(in->source, size - TAIL - footer, (size_t)footer, &bytes, err));
	sheaf_status status = read_footer(in, &bytes, err);
	in->known = true;
	in->facts.chunks = (int64_t)(in->blocks.size / BLOCK);
	return status;
}

sheaf_status sheaf_ipc_next_in_file(sheaf_ipc_reader *in, sheaf_error *err)
{
	block at;
	if (in->number < 0 || in->number >= (int64_t)(in->blocks.size / BLOCK)) return SHEAF_END;
	SHEAF_TRY(read_block(in, in->blocks.data + BLOCK * in->number, &at, err));
	in->batch.byte = at.byte;
	return view_block(in, &at, &in->batch.bytes, err);
}
