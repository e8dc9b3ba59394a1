/* SPDX-License-Identifier: MIT */
/* The values of one stream, event by event: whole runs of values, or entries where the stream is declared
 * sparse. */
#include "base/checked.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/lens/dataset.h"
#include <math.h>

sheaf_status sheaf_lens_cells_begin(sheaf_lens_cells *cells, const sheaf_lens_stream *stream, int64_t events,
                                    sheaf_column *column, sheaf_context *cx, sheaf_error *err)
{
	size_t bytes;
	void *memory;
	*cells = (sheaf_lens_cells){.stream = stream};
	sheaf_builder_begin(&cells->values, cx, &column->values);
	sheaf_builder_begin(&cells->valid, cx, &column->levels[1].valid);
	sheaf_builder_begin(&cells->ends, cx, &column->levels[1].offsets);
	sheaf_builder_begin(&cells->indices, cx, stream->sparse ? &column->levels[1].indices[0] : NULL);
	if (stream->sparse) {
		sheaf_builder_i64(&cells->ends, 0);
		cells->entry_of_size = (size_t)stream->width * sizeof *cells->entry_of;
		SHEAF_TRY(sheaf_allocate(cx, cells->entry_of_size, &memory, err));
		cells->entry_of = (int64_t *)memory;
		return SHEAF_OK;
	}
	if (!sheaf_mul_size(&bytes, (uint64_t)events, (uint64_t)stream->width) ||
	    !sheaf_mul_size(&bytes, bytes, sizeof(float)))
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "group \"%.*s\": expected values that fit memory (" SHEAF_OPTION(
							  "max-memory") "), found too many",
		                  (int)stream->group_size, stream->group);
	sheaf_builder_room(&cells->values, bytes);
	return sheaf_builder_status(&cells->values, err);
}

static int64_t entries(const sheaf_lens_cells *cells)
{
	return (int64_t)(cells->indices.size / sizeof(int32_t));
}

static void mark_given(sheaf_lens_cells *cells, bool given)
{
	int64_t bit = cells->events % 8;
	if (bit == 0) sheaf_builder_byte(&cells->valid, 0);
	if (given && !cells->valid.failed) cells->valid.data[cells->valid.size - 1] |= (uint8_t)(1u << bit);
}

/* The entries of the event before end here. */
static void end_entries(sheaf_lens_cells *cells)
{
	if (cells->stream->sparse && cells->events > 0) sheaf_builder_i64(&cells->ends, entries(cells));
}

void sheaf_lens_cells_start(sheaf_lens_cells *cells, float usual, bool given)
{
	int64_t width = cells->stream->width;
	end_entries(cells);
	mark_given(cells, given);
	cells->events++;
	if (!cells->stream->sparse) {
		cells->dense = (float *)(void *)(cells->values.data + cells->values.size);
		cells->values.size += (size_t)width * sizeof(float);
	}
	/* A unit that is not named is 0 in a sparse stream: another default names them all. */
	if (!cells->stream->sparse || usual != 0 || signbit(usual))
		sheaf_lens_cells_set(cells, 0, width, NULL, usual);
}

/* A unit named again keeps its place among the entries and gets the later value, as the network would. */
static void set_entry(sheaf_lens_cells *cells, int64_t unit, float value)
{
	int64_t first = ((const int64_t *)(const void *)cells->ends.data)[cells->events - 1],
			own = cells->entry_of[unit], end = entries(cells);
	int32_t index = (int32_t)unit;
	bool known =
		own >= first && own < end && ((const int32_t *)(const void *)cells->indices.data)[own] == index;
	if (known) {
		((float *)(void *)cells->values.data)[own] = value;
		return;
	}
	cells->entry_of[unit] = end;
	sheaf_builder_append(&cells->indices, &index, sizeof index);
	sheaf_builder_append(&cells->values, &value, sizeof value);
}

void sheaf_lens_cells_set(sheaf_lens_cells *cells, int64_t from, int64_t to, const float *values, float value)
{
	if (cells->stream->sparse) {
		for (int64_t unit = from;
		     unit < to && !cells->values.failed && !cells->indices.failed && !cells->ends.failed; unit++)
			set_entry(cells, unit, values ? values[unit - from] : value);
	} else if (values) {
		memcpy(cells->dense + from, values, (size_t)(to - from) * sizeof *values);
	} else {
		for (int64_t unit = from; unit < to; unit++) cells->dense[unit] = value;
	}
}

sheaf_status sheaf_lens_cells_finish(sheaf_lens_cells *cells, sheaf_column *column, sheaf_error *err)
{
	end_entries(cells);
	SHEAF_TRY(sheaf_builder_finish(&cells->values, &column->values, err));
	SHEAF_TRY(sheaf_builder_finish(&cells->valid, &column->levels[1].valid, err));
	SHEAF_TRY(sheaf_builder_finish(&cells->ends, &column->levels[1].offsets, err));
	return cells->stream->sparse ? sheaf_builder_finish(&cells->indices, &column->levels[1].indices[0], err)
	                             : SHEAF_OK;
}

void sheaf_lens_cells_drop(sheaf_lens_cells *cells, sheaf_context *cx)
{
	sheaf_builder_drop(&cells->values);
	sheaf_builder_drop(&cells->valid);
	sheaf_builder_drop(&cells->ends);
	sheaf_builder_drop(&cells->indices);
	if (cells->entry_of) sheaf_release(cx, cells->entry_of, cells->entry_of_size);
}
