/* SPDX-License-Identifier: MIT */
/* Lengths of sequences without their values. A sequence that breaks no rule has as many lines as its longest stream has samples, so lines and
 * ids are all that is looked at. */
#include "base/buffer.h"
#include "format/ctf/ctf.h"
#include <string.h>

/* Where settings change which samples or sequences count, and at an end without a line feed, where a line without samples does not count,
 * values must be read. */
static bool lines_tell(const sheaf_ctf_reader *in, const sheaf_piece *piece)
{
	bool usual = in->main < 0 && !in->allow_unaligned && !in->drop_incomplete;
	return usual && piece->size > 0 && piece->bytes.data[piece->size - 1] == '\n';
}

static const uint8_t *next_line(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *feed = (const uint8_t *)memchr(at, '\n', (size_t)(end - at));
	return feed ? feed + 1 : end;
}

static void put_length(sheaf_builder *lengths, int64_t lines)
{
	uint32_t narrow = lines < UINT32_MAX ? (uint32_t)lines : UINT32_MAX;
	if (lines > 0) sheaf_builder_append(lengths, &narrow, sizeof narrow);
}

static void measure_lines(const uint8_t *at, const uint8_t *end, sheaf_builder *lengths)
{
	for (; at < end; at = next_line(at, end)) put_length(lengths, 1);
}

static void measure_sequences(const uint8_t *at, const uint8_t *end, sheaf_builder *lengths)
{
	int64_t lines = 0;
	uint64_t key = 0, id;
	bool over;
	for (; at < end; at = next_line(at, end), lines++) {
		if (!sheaf_ctf_read_id(&at, end, &id, &over) || (lines > 0 && id == key)) continue;
		put_length(lengths, lines);
		key = id;
		lines = 0;
	}
	put_length(lengths, lines);
}

sheaf_status sheaf_ctf_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx, sheaf_buffer *lengths, sheaf_error *err)
{
	const sheaf_ctf_reader *in = (const sheaf_ctf_reader *)reader;
	const uint8_t *at = piece->bytes.data, *end = at + piece->size;
	sheaf_builder b;
	if (!lines_tell(in, piece)) return SHEAF_END;
	sheaf_builder_begin(&b, cx, lengths);
	(in->by_line ? measure_lines : measure_sequences)(at, end, &b);
	return sheaf_builder_finish(&b, lengths, err);
}

sheaf_status sheaf_ctf_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_ctf_reader *in = (const sheaf_ctf_reader *)reader;
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}
