/* SPDX-License-Identifier: MIT */
/* Lengths of sequences without their values. A sequence that breaks no rule has as many lines as its longest
 * stream has samples, so only lines and ids are examined. */
#include "base/buffer.h"
#include "base/endian.h"
#include "format/ctf/ctf.h"
#include "io/cutter.h"
#include "io/source.h"
#include "number/digits.h"
#include "number/kernels/lines.h"
#include <string.h>

/* Settings change which samples or sequences count, or nothing does. */
static bool lines_show(const sheaf_ctf_reader *in)
{
	return in->main < 0 && !in->allow_unaligned && !in->drop_incomplete;
}

const char *sheaf_ctf_counting(const sheaf_ctf_reader *in)
{
	return !lines_show(in) ? NULL : in->by_line ? "a line each" : "lines of an id";
}

typedef struct measuring {
	sheaf_builder lengths, keys;
	bool wants_lengths, wants_keys;
	uint64_t key;
	int64_t lines; /* of the current sequence */
} measuring;

static void end_sequence(measuring *m)
{
	uint32_t narrow = m->lines < UINT32_MAX ? (uint32_t)m->lines : UINT32_MAX;
	if (m->lines > 0 && m->wants_keys) sheaf_builder_append(&m->keys, &m->key, sizeof m->key);
	if (m->lines > 0 && m->wants_lengths) sheaf_builder_append(&m->lengths, &narrow, sizeof narrow);
	m->lines = 0;
}

static void begin_line(measuring *m, bool has_id, uint64_t id)
{
	if (has_id && id != m->key) end_sequence(m);
	if (has_id) m->key = id;
	m->lines++;
}

/* Lines of one sequence follow one another, so most lines have the id of the line before, which comparing
 * eight bytes shows: its digits with the byte after them. An id of fewer than eight digits is read from these
 * bytes, too; a longer one, or one at the end of the piece, by itself. */
static void measure_by_id(measuring *m, const uint8_t *at, const uint8_t *end)
{
	sheaf_lines lines;
	uint64_t id, seen = 0, bits = 0; /* bits of `seen` that count; none: the id before is not known */
	bool over;
	sheaf_lines_begin(&lines, at, end);
	for (const uint8_t *next; (next = sheaf_lines_next(&lines)); at = next) {
		bool is_there = end - at >= 8;
		uint64_t text = is_there ? sheaf_load_u64le(at) : 0;
		if (is_there && ((text ^ seen) & bits) == 0 && bits) {
			m->lines++;
			continue;
		}
		uint64_t digits = text ^ SHEAF_ZEROS, others = sheaf_find_no_digits(digits);
		if (is_there && others) {
			int bit = __builtin_ctzll(others) / 8 * 8; /* of the first byte that is no digit */
			seen = text;
			bits = bit ? UINT64_MAX >> (56 - bit) : 0;
			begin_line(m, bit > 0, bit ? sheaf_eight_digits_value(digits << (64 - bit)) : 0);
			continue;
		}
		const uint8_t *from = at;
		bits = 0;
		bool has_id = sheaf_ctf_read_id(&from, end, &id, &over);
		begin_line(m, has_id, id);
	}
}

/* A last line without a line feed is dropped if it is only an id, or has neither an id nor an
 * input other than comments. */
static void measure_piece(measuring *m, bool by_line, const sheaf_piece *piece)
{
	const uint8_t *at = piece->bytes.data, *end = at + piece->size;
	const uint8_t *feed = piece->size ? (const uint8_t *)memrchr(at, '\n', (size_t)piece->size) : NULL;
	const uint8_t *rest = feed ? feed + 1 : at;
	if (by_line) {
		for (int64_t n = piece->feeds ? piece->feeds : sheaf_count_feeds(at, rest); n > 0; n--) {
			m->lines = 1;
			end_sequence(m);
		}
	} else {
		measure_by_id(m, at, rest);
	}
	uint64_t id = 0;
	bool over, first = m->lines == 0;
	if (rest < end) {
		bool has_id = !by_line && sheaf_ctf_read_id(&rest, end, &id, &over);
		const uint8_t *input = rest;
		while ((input = sheaf_ctf_next_input(input, end)) < end && input + 1 < end && input[1] == '#')
			input++;
		if (by_line || first || (has_id ? rest : input) < end) begin_line(m, has_id, id);
	}
	end_sequence(m);
}

/* Settings may change how long a sequence is, but only one leaves sequences out. */
sheaf_status sheaf_ctf_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx,
                               sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err)
{
	const sheaf_ctf_reader *in = (const sheaf_ctf_reader *)reader;
	measuring m = {.wants_lengths = lengths != NULL, .wants_keys = keys != NULL};
	if (in->drop_incomplete || (lengths && !lines_show(in))) return SHEAF_END;
	sheaf_builder_begin(&m.lengths, cx, lengths);
	sheaf_builder_begin(&m.keys, cx, keys);
	measure_piece(&m, in->by_line, piece);
	sheaf_status status = lengths ? sheaf_builder_finish(&m.lengths, lengths, err) : SHEAF_OK;
	if (!keys) return status;
	if (status) {
		sheaf_builder_drop(&m.keys);
		return status;
	}
	SHEAF_TRY(sheaf_builder_finish(&m.keys, keys, err));
	/* Keys of files whose lines have no ids are the numbers of their lines. */
	uint64_t *numbers = (uint64_t *)(void *)keys->data;
	for (size_t i = 0; in->by_line && i < keys->size / sizeof *numbers; i++)
		numbers[i] = (uint64_t)(piece->line - in->first_line) + i;
	return SHEAF_OK;
}

static sheaf_status check_piece(const sheaf_ctf_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_place place = {.byte = piece->byte, .line = piece->line, .column = piece->column};
	return sheaf_cutter_check(in->source, &place, piece->size, true, err);
}

sheaf_status sheaf_ctf_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_ctf_reader *in = (const sheaf_ctf_reader *)reader;
	SHEAF_TRY(check_piece(in, piece, err));
	piece->feeds = 0;
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

sheaf_status sheaf_ctf_resume(sheaf_ctf_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	SHEAF_TRY(check_piece(in, piece, err));
	SHEAF_TRY(sheaf_source_seek(in->source, piece->byte, err));
	in->line = piece->line;
	in->column = piece->column;
	in->truncated = SHEAF_OK;
	return SHEAF_OK;
}
