/* SPDX-License-Identifier: MIT */
/* The values of one stream, event by event: whole runs of values, or entries if the stream is declared
 * sparse. */
#include "base/checked.h"
#include "base/spell.h"
#include "format/lens/dataset.h"
#include <math.h>
#include <stdlib.h>

/* A stream that is not sparse gets memory for all its values. */
sheaf_status sheaf_lens_cells_begin(sheaf_lens_cells *cells, const sheaf_lens_stream *stream, int64_t events,
                                    sheaf_column_builder *to, sheaf_error *err)
{
	size_t bytes;
	*cells = (sheaf_lens_cells){.stream = stream, .values = &to->values, .level = &to->levels[1], .last = -1};
	if (stream->sparse) return SHEAF_OK;
	if (!sheaf_mul_size(&bytes, (uint64_t)events, (uint64_t)stream->width) ||
	    !sheaf_mul_size(&bytes, bytes, sizeof(float)))
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "group \"%.*s\": expected values that fit memory (" SHEAF_OPTION(
							  "max-memory") "), found too many",
		                  (int)stream->group.size, stream->group.text);
	sheaf_builder_room(cells->values, bytes);
	return sheaf_builder_status(cells->values, err);
}

/* ---- entries ---- */

static int64_t entries(const sheaf_lens_cells *cells)
{
	return (int64_t)(cells->level->indices->size / sizeof(int32_t));
}

static bool has_failed(const sheaf_lens_cells *cells)
{
	return cells->values->failed || cells->level->indices->failed || cells->level->offsets.failed;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Moves the value of a repeated unit to the unit's first entry, and removes the others. The memory after the
 * offsets is used to sort keys of the entries: the unit, then the entry's index. */
static void merge_entries(sheaf_lens_cells *cells, int64_t first)
{
	enum { AGAIN = -1 };
	size_t n = (size_t)(entries(cells) - first), kept = 0;
	int32_t *units = (int32_t *)(void *)cells->level->indices->data + first;
	float *values = (float *)(void *)cells->values->data + first;
	sheaf_builder *offsets = &cells->level->offsets;
	if (!sheaf_builder_room(offsets, (uint64_t)n * sizeof(uint64_t))) return;
	uint64_t *keys = (uint64_t *)(void *)(offsets->data + offsets->size);
	for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)units[i] << 32 | i;
	qsort(keys, n, sizeof *keys, compare_keys);
	for (size_t i = 1, place = (uint32_t)keys[0]; i < n; i++) {
		uint32_t at = (uint32_t)keys[i];
		if (keys[i] >> 32 != keys[i - 1] >> 32) {
			place = at;
			continue;
		}
		values[place] = values[at];
		units[at] = AGAIN;
	}
	for (size_t i = 0; i < n; i++) {
		if (units[i] == AGAIN) continue;
		units[kept] = units[i];
		values[kept++] = values[i];
	}
	cells->level->indices->size = ((size_t)first + kept) * sizeof *units;
	cells->values->size = ((size_t)first + kept) * sizeof *values;
}

/* The entries of the event before end here. A repeated unit keeps its place among them and gets the later
 * value, as in the network. */
void sheaf_lens_cells_end(sheaf_lens_cells *cells)
{
	if (!cells->stream->sparse || cells->events == 0 || has_failed(cells)) return;
	const int64_t *ends = (const int64_t *)(const void *)cells->level->offsets.data;
	if (cells->unordered) merge_entries(cells, ends[cells->events - 1]);
	sheaf_level_end(cells->level, entries(cells));
	cells->unordered = false;
	cells->last = -1;
}

/* ---- events ---- */

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

void sheaf_lens_cells_set(sheaf_lens_cells *cells, int64_t from, int64_t to, const float *values, float value)
{
	if (cells->stream->sparse) {
		for (int64_t unit = from; unit < to && !has_failed(cells); unit++) {
			int32_t index = (int32_t)unit;
			float own = values ? values[unit - from] : value;
			cells->unordered |= unit <= cells->last;
			cells->last = unit;
			sheaf_builder_append(cells->level->indices, &index, sizeof index);
			sheaf_builder_append(cells->values, &own, sizeof own);
		}
	} else if (values) {
		memcpy(cells->dense + from, values, (size_t)(to - from) * sizeof *values);
	} else {
		for (int64_t unit = from; unit < to; unit++) cells->dense[unit] = value;
	}
}

void sheaf_lens_cells_set_units(sheaf_lens_cells *cells, const int32_t *units, int32_t n, float value)
{
	if (!cells->stream->sparse) {
		for (int32_t i = 0; i < n; i++) cells->dense[units[i]] = value;
		return;
	}
	bool unordered = units[0] <= cells->last;
	for (int32_t i = 1; i < n; i++) unordered |= units[i] <= units[i - 1];
	cells->unordered |= unordered;
	cells->last = units[n - 1];
	sheaf_builder_append(cells->level->indices, units, (size_t)n * sizeof *units);
	float *values = (float *)(void *)sheaf_builder_extend(cells->values, (uint64_t)n * sizeof *values);
	for (int32_t i = 0; values && i < n; i++) values[i] = value;
}
