/* SPDX-License-Identifier: MIT */
/* Pieces: one for each chunk. A chunk that is much longer than a piece should be is cut into runs of
 * sequences, by the marks from a walk over it. */
#include "base/buffer.h"
#include "base/endian.h"
#include "format/cbf/cbf.h"
#include "io/source.h"
#include <inttypes.h>

enum { FIRST, COUNT, STARTS }; /* words of a piece's notes */

sheaf_cbf_part sheaf_cbf_part_of(const sheaf_piece *piece)
{
	const int64_t *words = (const int64_t *)(const void *)piece->notes.data;
	return (sheaf_cbf_part){words[FIRST], words[COUNT], words + STARTS};
}

/* Without starts the piece is the whole chunk: the streams follow one another, the first one after the sample
 * counts. */
static sheaf_status note(const sheaf_cbf_reader *in, sheaf_piece *piece, int64_t first, const int64_t *starts,
                         sheaf_error *err)
{
	int64_t sequences = in->chunks[piece->chunk].sequences;
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_i64(&b, first);
	sheaf_builder_i64(&b, sequences - first);
	for (int s = 0; s < in->schema.nfields; s++)
		sheaf_builder_i64(&b, starts ? starts[s] : s ? -1 : 4 * sequences);
	return sheaf_builder_finish(&b, &piece->notes, err);
}

static sheaf_status cut_whole(sheaf_cbf_reader *in, sheaf_piece *piece, sheaf_error *err)
{
	SHEAF_TRY(note(in, piece, 0, NULL, err));
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
	SHEAF_TRY(sheaf_cbf_view_chunk(in, piece->chunk, piece, err));
	return note(in, piece, 0, NULL, err);
}

/* A piece that was cut may be a part of its chunk; one of the table has no notes. */
sheaf_status sheaf_cbf_resume(sheaf_cbf_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	SHEAF_TRY(check_number(in, piece, err));
	in->next_chunk = piece->chunk;
	in->next_sequence = piece->notes.size ? sheaf_cbf_part_of(piece).first : 0;
	for (int s = 0; in->next_sequence > 0 && s < in->schema.nfields; s++)
		in->starts[s] = in->passed[s] = sheaf_cbf_part_of(piece).starts[s];
	return SHEAF_OK;
}

sheaf_status sheaf_cbf_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx,
                               sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err)
{
	sheaf_cbf_part part = sheaf_cbf_part_of(piece);
	sheaf_builder b;
	(void)reader;
	if (keys) return SHEAF_END;
	sheaf_builder_begin(&b, cx, lengths);
	for (int64_t i = part.first; i < part.first + part.count; i++) {
		uint32_t samples = sheaf_load_u32le(piece->bytes.data + 4 * (size_t)i);
		sheaf_builder_append(&b, &samples, sizeof samples);
	}
	return sheaf_builder_finish(&b, lengths, err);
}

/* ---- parts of a long chunk ---- */

/* Moves a start, and releases pages now and then: what is cut only now has not been decoded. */
static void move_to(sheaf_cbf_reader *in, const sheaf_piece *piece, int s, int64_t start)
{
	enum { AT_ONCE = 8 << 20, LEAST = 64 << 10 };
	int64_t step = AT_ONCE / in->schema.nfields;
	sheaf_cbf_let_go(in, piece, &in->passed[s], in->starts[s], step > LEAST ? step : LEAST);
	in->starts[s] = start;
}

/* As many sequences as have about `bytes` bytes, at least one, from mark to mark if that is not too much,
 * else one by one; moves the starts past them. */
static int64_t pass_some(sheaf_cbf_reader *in, const sheaf_piece *piece, const sheaf_cbf_walk *walk,
                         int64_t bytes)
{
	int64_t all = in->chunks[piece->chunk].sequences, at = in->next_sequence, taken = 0,
			n = in->schema.nfields;
	sheaf_cbf_extent extent;
	while (at < all && (taken < bytes || at == in->next_sequence)) {
		const int64_t *marks = walk->marks + at / walk->stride * n;
		bool marked = at % walk->stride == 0;
		int64_t span = 0;
		for (int64_t s = 0; s < n && marked; s++) span += marks[n + s] - marks[s];
		if (marked && span <= bytes) {
			taken += span;
			at = all - at < walk->stride ? all : at + walk->stride;
			for (int s = 0; s < n; s++) move_to(in, piece, s, marks[n + s]);
			continue;
		}
		for (int s = 0; s < n; s++) { /* the walk has checked that the sequence fits */
			sheaf_cursor c = sheaf_cursor_over(piece->bytes.data, (size_t)piece->size, piece->byte);
			c.at += in->starts[s];
			if (!sheaf_cbf_pass_sequence(&c, &in->shapes[s], &extent)) continue;
			taken += (c.at - c.begin) - in->starts[s];
			move_to(in, piece, s, c.at - c.begin);
		}
		at++;
	}
	return at;
}

/* A chunk, or the next part of a long one; of these, one whose counts do not fit it is one piece, which
 * decoding finds flawed. */
sheaf_status sheaf_cbf_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	const sheaf_cbf_walk *walk;
	if (in->next_chunk == in->nchunks) return SHEAF_END;
	if (in->next_sequence == 0 && !sheaf_cbf_is_long(in, in->next_chunk, bytes)) {
		SHEAF_TRY(sheaf_cbf_view_chunk(in, in->next_chunk, piece, err));
		return cut_whole(in, piece, err);
	}
	SHEAF_TRY(sheaf_cbf_walk_over(in, in->next_chunk, bytes, &walk, err));
	sheaf_cbf_place_chunk(in, in->next_chunk, piece);
	sheaf_buffer_reset(&piece->bytes);
	piece->bytes = sheaf_buffer_part(&walk->piece.bytes, 0, (size_t)piece->size);
	if (!walk->sound) {
		sheaf_cbf_pass_walk(in);
		return cut_whole(in, piece, err);
	}
	for (int s = 0; s < in->schema.nfields && in->next_sequence == 0; s++)
		in->starts[s] = in->passed[s] = walk->marks[s];
	SHEAF_TRY(note(in, piece, in->next_sequence, in->starts, err));
	int64_t next = pass_some(in, piece, walk, bytes);
	((int64_t *)(void *)piece->notes.data)[COUNT] = next - in->next_sequence;
	in->next_sequence = next;
	if (next == in->chunks[piece->chunk].sequences) {
		in->next_sequence = 0;
		in->next_chunk++;
		sheaf_cbf_pass_walk(in);
	}
	return SHEAF_OK;
}
