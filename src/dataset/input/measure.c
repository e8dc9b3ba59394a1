/* SPDX-License-Identifier: MIT */
/* Lengths of rows, and what rows add to the facts on which a writer relies. The length of a row is its number
 * of samples; most formats find it without decoding the row, for which the measurer has the memory. */
#include "dataset/input/measure.h"
#include "base/context.h"

sheaf_status sheaf_measurer_begin(sheaf_measurer *m, const sheaf_input *input, sheaf_error *err)
{
	*m = (sheaf_measurer){.input = input};
	return sheaf_context_quiet(input->cx, &m->quiet, err);
}

void sheaf_measurer_end(sheaf_measurer *m)
{
	if (!m->quiet) return;
	sheaf_frame_free(&m->frame);
	sheaf_buffer_reset(&m->bytes);
	sheaf_context_free(m->quiet);
	*m = (sheaf_measurer){0};
}

/* The number of samples of row r: of the main stream if there is one, else of the longest. A row of a
 * dataset without streams of samples counts as one sample. */
static int64_t row_length(const sheaf_schema *schema, const sheaf_frame *frame, int64_t r)
{
	int64_t longest = -1;
	for (int f = 0; f < schema->nfields; f++) {
		if (!sheaf_field_is_stream(&schema->fields[f])) continue;
		const int64_t *offset = sheaf_level_offsets(&frame->columns[f].levels[0]) + r;
		if (schema->fields[f].main) return offset[1] - offset[0];
		if (offset[1] - offset[0] > longest) longest = offset[1] - offset[0];
	}
	return longest < 0 ? 1 : longest;
}

/* The lengths that the format or the frame has put into the measurer's memory. */
static void take_lengths(sheaf_measurer *m)
{
	m->lengths = (const uint32_t *)(const void *)m->bytes.data;
	m->rows = (int64_t)(m->bytes.size / sizeof *m->lengths);
}

/* Takes the lengths of a frame's rows into the measurer, as uint32; a length that is too large for 32 bits
 * counts as the largest one. */
sheaf_status sheaf_measure_frame(sheaf_measurer *m, const sheaf_frame *frame, sheaf_error *err)
{
	const sheaf_schema *schema = &m->input->in->schema;
	sheaf_builder lengths;
	sheaf_builder_begin(&lengths, m->quiet, &m->bytes);
	for (int64_t r = 0; r < frame->nrows; r++) {
		int64_t length = row_length(schema, frame, r);
		uint32_t narrow = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
		sheaf_builder_append(&lengths, &narrow, sizeof narrow);
	}
	SHEAF_TRY(sheaf_builder_finish(&lengths, &m->bytes, err));
	take_lengths(m);
	return SHEAF_OK;
}

/* Measures a piece without decoding it, if the format can, or takes the lengths of its frame; END if there
 * is neither. */
sheaf_status sheaf_measure_quickly(sheaf_measurer *m, const sheaf_piece *piece, const sheaf_frame *frame,
                                   sheaf_error *err)
{
	const sheaf_format *format = m->input->format;
	sheaf_status status = format->random && format->random->measure
	                          ? format->random->measure(m->input->in, piece, m->quiet, &m->bytes, NULL, err)
	                          : SHEAF_END;
	if (status == SHEAF_END && frame) return sheaf_measure_frame(m, frame, err);
	SHEAF_TRY(status);
	take_lengths(m);
	return SHEAF_OK;
}

/* Measures the rows of a piece, by decoding them if the format knows no other way. */
sheaf_status sheaf_measure(sheaf_measurer *m, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_status status = sheaf_measure_quickly(m, piece, NULL, err);
	if (status != SHEAF_END) return status;
	SHEAF_TRY(m->input->format->decode(m->input->in, piece, &m->frame, m->quiet, err));
	return sheaf_measure_frame(m, &m->frame, err);
}

/* ---- facts ---- */

/* Adds some rows to the facts: their number, the greatest length of any stream, and whether keys are the
 * numbers of rows, of which `row` is the first. */
void sheaf_facts_add(sheaf_facts *facts, const sheaf_schema *schema, const sheaf_frame *frame, int64_t row)
{
	int key = sheaf_schema_key(schema);
	int64_t longest = facts->longest;
	for (int c = 0; c < frame->ncolumns; c++) {
		if (!sheaf_field_is_stream(&schema->fields[c])) continue;
		const int64_t *offsets = sheaf_level_offsets(&frame->columns[c].levels[0]);
		for (int64_t r = 0; r < frame->nrows; r++)
			if (offsets[r + 1] - offsets[r] > longest) longest = offsets[r + 1] - offsets[r];
	}
	facts->longest = longest;
	const uint64_t *keys = key < 0 ? NULL : (const uint64_t *)(const void *)frame->columns[key].values.data;
	for (int64_t r = 0; keys && r < frame->nrows && facts->ordinal_keys; r++)
		if (keys[r] != (uint64_t)(row + r)) facts->ordinal_keys = 0;
	facts->rows += frame->nrows;
}
