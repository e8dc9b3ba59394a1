/* SPDX-License-Identifier: MIT */
/* Index files (docs/index-file.md):
 *
 *     prologue   signature, version, size of the head, hash of the rest of the head
 *     head       numbers, the counting, the settings, the schema
 *     tables     entries of pieces; blocks of lengths; bits of lengths; counts of streams, if there are any
 *
 * Tables begin at multiples of 64, so that they can be used where they are mapped. Everything up to the bits
 * is hashed as a whole, and checked when it is read; the bits are the largest part, and each block of them
 * has its own hash, which is checked before the block's first use. Sizes and counts are held against the file
 * and its input before memory is allocated for them. */
#include "dataset/index/index_file.h"
#include "base/checked.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/third/xxhash.h"
#include "dataset/index/counts.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "io/identity.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	VERSION = 4,
	PROLOGUE = 24, /* signature, version, size of the head, hash of the rest of the head */
	HEAD_MOST = 64 << 20,
	ALIGNMENT = 64 /* of the tables in the file */
};
/* The numbers of the head, eight bytes each. */
enum {
	INPUT_SIZE,
	INPUT_MTIME,
	INPUT_LOW,
	INPUT_HIGH,
	PIECE_BYTES,
	PIECES,
	ROWS,
	SAMPLES,
	BITS_SIZE,
	ENTRIES_HASH,
	BLOCKS_HASH,
	INFERRED,
	COUNTS_SIZE,
	COUNTS_HASH,
	WORDS
};
static const char magic[8] = {'s', 'h', 'e', 'a', 'f', 'i', 'd', 'x'};

static int64_t aligned(int64_t byte) { return (byte + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static uint64_t hash_of(const uint8_t *data, size_t size) { return sheaf_xxhash(data, size, VERSION).low; }

static uint64_t hash_of_buffer(const sheaf_buffer *buffer) { return hash_of(buffer->data, buffer->size); }

/* ---- writing ---- */

/* Writes the prologue and the head of an index. The prologue has the size and the hash of the rest, so the
 * rest is written first. */
static sheaf_status make_head(const sheaf_index_head *h, const sheaf_pieces *p, sheaf_context *cx,
                              sheaf_buffer *out, sheaf_error *err)
{
	sheaf_buffer rest = {0};
	sheaf_builder bytes;
	const int64_t words[WORDS] = {
		[INPUT_SIZE] = h->input.size,
		[INPUT_MTIME] = h->input.mtime,
		[INPUT_LOW] = (int64_t)h->input.low,
		[INPUT_HIGH] = (int64_t)h->input.high,
		[PIECE_BYTES] = h->piece_bytes,
		[PIECES] = p->count,
		[ROWS] = p->rows,
		[SAMPLES] = p->samples,
		[BITS_SIZE] = (int64_t)p->lengths.bits.size,
		[ENTRIES_HASH] = (int64_t)hash_of_buffer(&p->entries),
		[BLOCKS_HASH] = (int64_t)hash_of_buffer(&p->lengths.blocks),
		[INFERRED] = h->inferred,
		[COUNTS_SIZE] = (int64_t)p->counts.size,
		[COUNTS_HASH] = (int64_t)hash_of_buffer(&p->counts),
	};
	sheaf_builder_begin(&bytes, cx, NULL);
	for (int w = 0; w < WORDS; w++) sheaf_builder_u64le(&bytes, (uint64_t)words[w]);
	sheaf_builder_counted_text(&bytes, h->counting);
	sheaf_builder_counted_text(&bytes, h->settings);
	sheaf_schema_to_bytes(&h->schema, &bytes);
	SHEAF_TRY(sheaf_builder_finish(&bytes, &rest, err));
	sheaf_builder_append(&bytes, magic, sizeof magic);
	sheaf_builder_u32le(&bytes, VERSION);
	sheaf_builder_u32le(&bytes, (uint32_t)(PROLOGUE + rest.size));
	sheaf_builder_u64le(&bytes, hash_of_buffer(&rest));
	sheaf_builder_append(&bytes, rest.data, rest.size);
	sheaf_buffer_reset(&rest);
	return sheaf_builder_finish(&bytes, out, err);
}

/* Writes an index file whole, or leaves what is there as it was. It gets the mode and the owner of its
 * input, whose rows it describes. A table of counts is left out if there are none. */
sheaf_status sheaf_index_write(const char *path, const sheaf_source *input, const sheaf_index_head *head,
                               const sheaf_pieces *pieces, sheaf_context *cx, sheaf_error *err)
{
	static const uint8_t zeros[ALIGNMENT];
	enum { TABLES = 4 };
	const sheaf_buffer *tables[TABLES] = {&pieces->entries, &pieces->lengths.blocks, &pieces->lengths.bits,
	                                      &pieces->counts};
	sheaf_sink *sink = NULL;
	sheaf_buffer bytes = {0};
	SHEAF_TRY(make_head(head, pieces, cx, &bytes, err));
	sheaf_status status = sheaf_sink_path(path, true, cx, &sink, err);
	if (status == SHEAF_OK) {
		sheaf_sink_resemble(sink, input);
		status = sheaf_sink_write(sink, bytes.data, bytes.size, err);
	}
	for (int t = 0; t < (pieces->counts.size ? TABLES : TABLES - 1) && status == SHEAF_OK; t++) {
		int64_t position = sheaf_sink_tell(sink);
		status = sheaf_sink_write(sink, zeros, (size_t)(aligned(position) - position), err);
		if (status == SHEAF_OK) status = sheaf_sink_write(sink, tables[t]->data, tables[t]->size, err);
	}
	if (status == SHEAF_OK)
		status = sheaf_sink_commit(sink, err);
	else
		sheaf_sink_abandon(sink);
	sheaf_buffer_reset(&bytes);
	return status;
}

/* ---- reading the head ---- */

/* Fails because the file is none that can be read here. */
static sheaf_status refuse(const sheaf_index_file *f, sheaf_status status, const char *expected,
                           const char *found, sheaf_error *err)
{
	return sheaf_fail(err, status, "%s: expected %s, found %s", sheaf_source_name(f->source), expected,
	                  found);
}

/* Fails because a part of an index is not as it was written. */
static sheaf_status refuse_damage(const sheaf_index_file *f, const char *part, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: expected a sound index, found it damaged (%s)",
	                  sheaf_source_name(f->source), part);
}

/* Views the prologue and the head, after checking signature, version, size and hash. A stream takes a few
 * bytes of the input, which limits their number, and with it the size of the head: `most` is that limit. */
static sheaf_status view_head(sheaf_index_file *f, sheaf_buffer *out, sheaf_error *err)
{
	enum { LEAST = 64 << 10, FOR_EACH = 64 };
	char found[48];
	uint8_t prologue[PROLOGUE];
	f->size = sheaf_source_size(f->source);
	if (f->size < PROLOGUE) return refuse(f, SHEAF_UNKNOWN, "an index", "another file", err);
	SHEAF_TRY(sheaf_source_make_seekable(f->source, err));
	SHEAF_TRY(sheaf_source_read_at(f->source, 0, prologue, sizeof prologue, err));
	uint32_t version = sheaf_load_u32le(prologue + 8), head_bytes = sheaf_load_u32le(prologue + 12);
	if (memcmp(prologue, magic, sizeof magic) != 0)
		return refuse(f, SHEAF_UNKNOWN, "an index", "another file", err);
	snprintf(found, sizeof found, "one of version %" PRIu32, version);
	if (version != VERSION) return refuse(f, SHEAF_UNSUPPORTED, "an index of version 4", found, err);
	int64_t most_bytes = f->input < (HEAD_MOST - LEAST) / FOR_EACH ? LEAST + f->input * FOR_EACH : HEAD_MOST;
	if (head_bytes < PROLOGUE || head_bytes > most_bytes || head_bytes > f->size)
		return refuse_damage(f, "size of the head", err);
	SHEAF_TRY(sheaf_source_view_at(f->source, 0, head_bytes, out, err));
	if (hash_of(out->data + PROLOGUE, out->size - PROLOGUE) == sheaf_load_u64le(prologue + 16))
		return SHEAF_OK;
	sheaf_buffer_reset(out);
	return refuse_damage(f, "head", err);
}

/* Reads a text with its size before it, and copies it. */
static sheaf_status read_text(const sheaf_index_file *f, sheaf_cursor *c, char **out, sheaf_error *err)
{
	sheaf_bytes text;
	if (!sheaf_cursor_text(c, "text", &text) || !text.data) return refuse_damage(f, "text", err);
	return sheaf_copy_text(f->cx, (const char *)text.data, text.size, out, err);
}

/* Computes where the tables are, which follow one another and end the file; the last one, of counts, may be
 * missing. Numbers are checked before they are used: a block of lengths takes some bytes, and a row at least
 * one byte of the input, which limits the number of rows. */
static sheaf_status place_tables(sheaf_index_file *f, int64_t head_size, sheaf_error *err)
{
	const sheaf_index_head *h = &f->head;
	int64_t entries, counts, blocks = sheaf_lengths_blocks_size(h->rows), end;
	bool is_possible = h->count >= 0 && h->rows >= 0 && h->samples >= 0 && f->bits_size >= 0 &&
	                   h->rows <= f->size * SHEAF_LENGTHS_BLOCK && h->rows <= f->input;
	if (!is_possible || !sheaf_mul_i64(&entries, h->count, SHEAF_PIECES_ENTRY) || entries > f->size)
		return refuse_damage(f, "counts", err);
	f->entries = aligned(head_size);
	f->blocks = aligned(f->entries + entries);
	f->bits = aligned(f->blocks + blocks);
	if (!sheaf_add_i64(&end, f->bits, f->bits_size) || end > f->size)
		return refuse_damage(f, "size of the file", err);
	f->counts = aligned(end);
	is_possible = sheaf_mul_i64(&counts, h->count, (int64_t)sheaf_counts_size(&h->schema)) &&
	              (f->counts_size == 0 || f->counts_size == counts);
	if (f->counts_size > 0) is_possible = is_possible && sheaf_add_i64(&end, f->counts, f->counts_size);
	return is_possible && end == f->size ? SHEAF_OK : refuse_damage(f, "size of the file", err);
}

/* Reads the head and finds the tables. Numbers are in the order in which make_head has written them. */
static sheaf_status read_head(sheaf_index_file *f, sheaf_error *err)
{
	int64_t words[WORDS];
	sheaf_buffer bytes = {0};
	SHEAF_TRY(view_head(f, &bytes, err));
	sheaf_cursor c = sheaf_cursor_over(bytes.data + PROLOGUE, bytes.size - PROLOGUE, PROLOGUE);
	for (int w = 0; w < WORDS; w++) words[w] = sheaf_cursor_i64le(&c, "numbers");
	f->head = (sheaf_index_head){
		.input = {words[INPUT_SIZE], words[INPUT_MTIME], (uint64_t)words[INPUT_LOW],
	              (uint64_t)words[INPUT_HIGH]},
		.piece_bytes = words[PIECE_BYTES],
		.count = words[PIECES],
		.rows = words[ROWS],
		.samples = words[SAMPLES],
		.inferred = words[INFERRED] == 1,
	};
	f->bits_size = words[BITS_SIZE];
	f->entries_hash = (uint64_t)words[ENTRIES_HASH];
	f->blocks_hash = (uint64_t)words[BLOCKS_HASH];
	f->counts_size = words[COUNTS_SIZE];
	f->counts_hash = (uint64_t)words[COUNTS_HASH];
	bool is_mark = words[INFERRED] == 0 || words[INFERRED] == 1;
	sheaf_status status = is_mark ? SHEAF_OK : refuse_damage(f, "mark of what was inferred", err);
	if (status == SHEAF_OK) status = read_text(f, &c, &f->head.counting, err);
	if (status == SHEAF_OK) status = read_text(f, &c, &f->head.settings, err);
	if (status == SHEAF_OK) status = sheaf_schema_from_bytes(&c, f->cx, &f->head.schema, err);
	if (status == SHEAF_OK) status = place_tables(f, (int64_t)bytes.size, err);
	sheaf_buffer_reset(&bytes);
	return status;
}

void sheaf_index_close(sheaf_index_file *f)
{
	if (!f->source) return;
	sheaf_schema_free(&f->head.schema);
	sheaf_release_text(f->cx, f->head.counting);
	sheaf_release_text(f->cx, f->head.settings);
	sheaf_source_close(f->source);
	*f = (sheaf_index_file){0};
}

sheaf_status sheaf_index_open(const char *path, const sheaf_source *input, sheaf_context *cx,
                              sheaf_index_file *out, sheaf_error *err)
{
	*out = (sheaf_index_file){.cx = cx, .input = sheaf_source_size(input)};
	SHEAF_TRY(sheaf_source_open_kept(path, input, cx, &out->source, err));
	sheaf_status status = read_head(out, err);
	if (status) sheaf_index_close(out);
	return status;
}

/* ---- reading the tables ---- */

/* Checks that pieces follow one another within the input, and so do their rows. Those of text do so without
 * a gap, and a row takes at least a byte there, as does each of its lines. */
static sheaf_status check_entries(const sheaf_index_file *f, const sheaf_pieces *p, sheaf_error *err)
{
	int64_t byte = 0, row = 0, samples = 0;
	sheaf_piece_entry e = {.line = -1};
	for (int64_t i = 0; i < p->count; i++) {
		sheaf_pieces_at(p, i, &e);
		bool is_gapless =
			e.line < 0 || ((i == 0 || e.byte == byte) && e.rows <= e.size && e.samples <= e.size);
		bool bytes_fit = e.byte >= byte && e.size >= 0 && e.byte <= f->head.input.size &&
		                 e.size <= f->head.input.size - e.byte && is_gapless;
		bool counts_fit = e.row == row && e.rows >= 0 && e.rows <= p->rows - row && e.samples >= 0 &&
		                  e.samples <= p->samples - samples;
		if (!bytes_fit || !counts_fit) return refuse_damage(f, "pieces", err);
		byte = e.byte + e.size;
		row += e.rows;
		samples += e.samples;
	}
	return row == p->rows && samples == p->samples ? SHEAF_OK : refuse_damage(f, "sums over pieces", err);
}

/* Views a table as a whole, where it is in the file, and compares its hash. */
static sheaf_status view_table(sheaf_index_file *f, int64_t at, size_t size, uint64_t hash, sheaf_buffer *out,
                               sheaf_error *err)
{
	SHEAF_TRY(sheaf_source_view_at(f->source, at, size, out, err));
	return hash_of_buffer(out) == hash ? SHEAF_OK : refuse_damage(f, "table", err);
}

/* Views all tables of an index. The bits of lengths are checked later, block by block. */
static sheaf_status view_tables(sheaf_index_file *f, sheaf_pieces *p, sheaf_error *err)
{
	sheaf_lengths *l = &p->lengths;
	SHEAF_TRY(
		view_table(f, f->entries, (size_t)p->count * SHEAF_PIECES_ENTRY, f->entries_hash, &p->entries, err));
	SHEAF_TRY(check_entries(f, p, err));
	SHEAF_TRY(view_table(f, f->blocks, (size_t)sheaf_lengths_blocks_size(p->rows), f->blocks_hash, &l->blocks,
	                     err));
	SHEAF_TRY(sheaf_source_view_at(f->source, f->bits, (size_t)f->bits_size, &l->bits, err));
	if (f->counts_size)
		SHEAF_TRY(view_table(f, f->counts, (size_t)f->counts_size, f->counts_hash, &p->counts, err));
	if (!sheaf_counts_are_known(p)) return refuse_damage(f, "marks of keys", err);
	return sheaf_lengths_distrust(l, f->head.input.size, f->cx, err);
}

/* Makes the table of pieces from an index file, which must stay open as long as the table is used. */
sheaf_status sheaf_index_pieces(sheaf_index_file *f, sheaf_pieces **out, sheaf_error *err)
{
	*out = NULL;
	sheaf_pieces *p;
	SHEAF_TRY(sheaf_allocate(f->cx, sizeof(sheaf_pieces), &p, err));
	*p = (sheaf_pieces){.cx = f->cx,
	                    .count = f->head.count,
	                    .rows = f->head.rows,
	                    .samples = f->head.samples,
	                    .hashed = true,
	                    .lengths = {.rows = f->head.rows}};
	sheaf_status status = view_tables(f, p, err);
	if (status)
		sheaf_pieces_free(p);
	else
		*out = p;
	return status;
}
