/* SPDX-License-Identifier: MIT */
/* Pieces: a chunk each. A chunk that is much longer than a piece should be is cut into runs of sequences,
 * which takes a walk over the counts in it, since the streams of a chunk stand one after the other. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "format/cbf/cbf.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

enum { FIRST, COUNT, STARTS }; /* words of a piece's notes */

sheaf_cbf_part sheaf_cbf_part_of(const sheaf_piece *piece)
{
	const int64_t *words = (const int64_t *)(const void *)piece->notes.data;
	return (sheaf_cbf_part){words[FIRST], words[COUNT], words + STARTS};
}

static sheaf_status note(const sheaf_cbf_reader *in, sheaf_piece *piece, int64_t first, int64_t count,
                         const int64_t *starts, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_i64(&b, first);
	sheaf_builder_i64(&b, count);
	sheaf_builder_append(&b, starts, (size_t)in->schema.nfields * sizeof *starts);
	return sheaf_builder_finish(&b, &piece->notes, err);
}

static sheaf_status view_chunk(const sheaf_cbf_reader *in, int64_t number, sheaf_piece *piece,
                               sheaf_error *err)
{
	const sheaf_cbf_chunk *chunk = &in->chunks[number];
	piece->byte = chunk->offset;
	piece->size = chunk->end - chunk->offset;
	piece->line = piece->column = -1;
	piece->chunk = number;
	return sheaf_source_view_at(in->source, chunk->offset, (size_t)piece->size, &piece->bytes, err);
}

/* A piece without starts is the whole chunk: the streams stand one after the other, the first after the
 * sample counts. */
static sheaf_status note_whole(const sheaf_cbf_reader *in, sheaf_piece *piece, sheaf_error *err)
{
	int64_t sequences = in->chunks[piece->chunk].sequences;
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_i64(&b, 0);
	sheaf_builder_i64(&b, sequences);
	for (int s = 0; s < in->schema.nfields; s++) sheaf_builder_i64(&b, s ? -1 : 4 * sequences);
	return sheaf_builder_finish(&b, &piece->notes, err);
}

static sheaf_status cut_whole(sheaf_cbf_reader *in, sheaf_piece *piece, sheaf_error *err)
{
	SHEAF_TRY(note_whole(in, piece, err));
	in->next_chunk++;
	return SHEAF_OK;
}

/* ---- whole chunks in any order ---- */

static sheaf_status check_number(const sheaf_cbf_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	if (piece->chunk >= 0 && piece->chunk < in->nchunks) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected a chunk below %" PRId64 ", found %" PRId64,
	                  sheaf_source_name(in->source), in->nchunks, piece->chunk);
}

sheaf_status sheaf_cbf_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)reader;
	SHEAF_TRY(check_number(in, piece, err));
	SHEAF_TRY(view_chunk(in, piece->chunk, piece, err));
	return note_whole(in, piece, err);
}

sheaf_status sheaf_cbf_resume(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	SHEAF_TRY(check_number(in, piece, err));
	in->next_chunk = piece->chunk;
	in->next_sequence = 0;
	return SHEAF_OK;
}

/* The counts at the head of a chunk do not depend on any setting. */
const char *sheaf_cbf_counting(const void *reader)
{
	(void)reader;
	return "chunks";
}

sheaf_status sheaf_cbf_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx,
                               sheaf_buffer *lengths, sheaf_error *err)
{
	sheaf_cbf_part part = sheaf_cbf_part_of(piece);
	sheaf_builder b;
	(void)reader;
	sheaf_builder_begin(&b, cx, lengths);
	for (int64_t i = part.first; i < part.first + part.count; i++) {
		uint32_t samples = sheaf_load_u32le(piece->bytes.data + 4 * (size_t)i);
		sheaf_builder_append(&b, &samples, sizeof samples);
	}
	return sheaf_builder_finish(&b, lengths, err);
}

/* ---- parts of a long chunk ---- */

static sheaf_cursor at_byte(const sheaf_piece *piece, int64_t byte)
{
	sheaf_cursor c = sheaf_cursor_over(piece->bytes.data, (size_t)piece->size, piece->byte);
	c.at += byte;
	return c;
}

/* A chunk may be larger than all memory that is allowed, and what was walked over would stay: its pages,
 * which are the file's own, are let go now and then. Whoever is still decoding there brings them back. */
static void let_go(const sheaf_cbf_reader *in, const sheaf_piece *piece, int64_t *passed, int64_t at)
{
	enum { AT_ONCE = 8 << 20, LEAST = 64 << 10 };
	int64_t step = AT_ONCE / in->schema.nfields;
	if (at - *passed < (step > LEAST ? step : LEAST)) return;
	sheaf_source_let_go(in->source, piece->byte + *passed, at - *passed);
	*passed = at;
}

/* Finds where each stream begins. A flaw is reported by decode, which gets the whole chunk then. */
static bool find_starts(sheaf_cbf_reader *in, const sheaf_piece *piece)
{
	sheaf_cbf_extent extent;
	int64_t n = in->chunks[piece->chunk].sequences, walked = 0;
	sheaf_cursor c = at_byte(piece, 4 * n);
	for (int s = 0; s < in->schema.nfields; s++) {
		in->starts[s] = in->passed[s] = c.at - c.begin;
		for (int64_t i = 0; i < n; i++) {
			if (!sheaf_cbf_pass_sequence(&c, &in->shapes[s], &extent)) return false;
			let_go(in, piece, &walked, c.at - c.begin);
		}
	}
	sheaf_source_let_go(in->source, piece->byte + walked, c.at - c.begin - walked);
	return c.at == c.end;
}

/* As many sequences as take about `bytes` bytes, at least one; the starts move after them. */
static sheaf_status cut_part(sheaf_cbf_reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_cbf_chunk *chunk = &in->chunks[in->next_chunk];
	int64_t first = in->next_sequence, n = 0, taken = 0;
	sheaf_cbf_extent extent;
	SHEAF_TRY(note(in, piece, first, 0, in->starts, err));
	for (; first + n < chunk->sequences && (n == 0 || taken < bytes); n++) {
		for (int s = 0; s < in->schema.nfields; s++) {
			sheaf_cursor c = at_byte(piece, in->starts[s]);
			if (!sheaf_cbf_pass_sequence(&c, &in->shapes[s], &extent))
				break; /* find_starts has seen that they fit */
			taken += (c.at - c.begin) - in->starts[s];
			in->starts[s] = c.at - c.begin;
			let_go(in, piece, &in->passed[s], in->starts[s]);
		}
	}
	((int64_t *)(void *)piece->notes.data)[COUNT] = n;
	in->next_sequence = first + n;
	if (in->next_sequence == chunk->sequences) {
		in->next_sequence = 0;
		in->next_chunk++;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_cbf_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	enum { LONG = 4 };
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	if (in->next_chunk == in->nchunks) return SHEAF_END;
	SHEAF_TRY(view_chunk(in, in->next_chunk, piece, err));
	if (in->next_sequence == 0 && (piece->size / LONG <= bytes || !find_starts(in, piece)))
		return cut_whole(in, piece, err);
	return cut_part(in, bytes, piece, err);
}
