/* SPDX-License-Identifier: MIT */
/* The values of one stream, event by event: whole runs of values, or entries where the stream is declared
 * sparse. */
#include "base/checked.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/lens/dataset.h"
#include <math.h>

/* Memory for all values of a stream that is not sparse. */
static sheaf_status make_room(const sheaf_lens_cells *cells, int64_t events, sheaf_error *err)
{
	size_t bytes;
	const sheaf_lens_stream *stream = cells->stream;
	if (!sheaf_mul_size(&bytes, (uint64_t)events, (uint64_t)stream->width) ||
	    !sheaf_mul_size(&bytes, bytes, sizeof(float)))
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "group \"%.*s\": expected values that fit memory (" SHEAF_OPTION(
							  "max-memory") "), found too many",
		                  (int)stream->group_size, stream->group);
	sheaf_builder_room(cells->values, bytes);
	return sheaf_builder_status(cells->values, err);
}

sheaf_status sheaf_lens_cells_begin(sheaf_lens_cells *cells, const sheaf_lens_stream *stream, int64_t events,
                                    sheaf_column_builder *to, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	*cells = (sheaf_lens_cells){.stream = stream, .values = &to->values, .level = &to->levels[1]};
	if (!stream->sparse) return make_room(cells, events, err);
	cells->entry_of_size = (size_t)stream->width * sizeof *cells->entry_of;
	SHEAF_TRY(sheaf_allocate(cx, cells->entry_of_size, &memory, err));
	cells->entry_of = (int64_t *)memory;
	return SHEAF_OK;
}

static int64_t entries(const sheaf_lens_cells *cells)
{
	return (int64_t)(cells->level->indices->size / sizeof(int32_t));
}

/* The entries of the event before end here. */
void sheaf_lens_cells_end(sheaf_lens_cells *cells)
{
	if (cells->stream->sparse && cells->events > 0) sheaf_level_end(cells->level, entries(cells));
}

void sheaf_lens_cells_start(sheaf_lens_cells *cells, float usual, bool given)
{
	int64_t width = cells->stream->width;
	sheaf_lens_cells_end(cells);
	if (!given) sheaf_level_miss(cells->level, cells->events, 0);
	cells->events++;
	if (!cells->stream->sparse)
		cells->dense = (float *)(void *)sheaf_builder_extend(cells->values, (uint64_t)width * sizeof(float));
	/* A unit that is not named is 0 in a sparse stream: another default names them all. */
	if (!cells->stream->sparse || usual != 0 || signbit(usual))
		sheaf_lens_cells_set(cells, 0, width, NULL, usual);
}

/* A unit named again keeps its place among the entries and gets the later value, as the network would. */
static void set_entry(sheaf_lens_cells *cells, int64_t unit, float value)
{
	int64_t first = ((const int64_t *)(const void *)cells->level->offsets.data)[cells->events - 1],
			own = cells->entry_of[unit], end = entries(cells);
	int32_t index = (int32_t)unit;
	bool known = own >= first && own < end &&
	             ((const int32_t *)(const void *)cells->level->indices->data)[own] == index;
	if (known) {
		((float *)(void *)cells->values->data)[own] = value;
		return;
	}
	cells->entry_of[unit] = end;
	sheaf_builder_append(cells->level->indices, &index, sizeof index);
	sheaf_builder_append(cells->values, &value, sizeof value);
}

static bool has_failed(const sheaf_lens_cells *cells)
{
	return cells->values->failed || cells->level->indices->failed || cells->level->offsets.failed;
}

void sheaf_lens_cells_set(sheaf_lens_cells *cells, int64_t from, int64_t to, const float *values, float value)
{
	if (cells->stream->sparse) {
		for (int64_t unit = from; unit < to && !has_failed(cells); unit++)
			set_entry(cells, unit, values ? values[unit - from] : value);
	} else if (values) {
		memcpy(cells->dense + from, values, (size_t)(to - from) * sizeof *values);
	} else {
		for (int64_t unit = from; unit < to; unit++) cells->dense[unit] = value;
	}
}

void sheaf_lens_cells_free(sheaf_lens_cells *cells, sheaf_context *cx)
{
	if (cells->entry_of) sheaf_release(cx, cells->entry_of, cells->entry_of_size);
}
