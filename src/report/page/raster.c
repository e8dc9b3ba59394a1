/* SPDX-License-Identifier: MIT */
/* Density pictures: SIDE by SIDE cells, each of which counts the entries of some rows and some columns and
 * keeps their largest magnitude. The number of columns is known from the beginning. When a row lies below the
 * last line of cells, pairs of lines are joined, so that a cell always has 2^k rows. */
#include "report/page/raster.h"
#include "base/memory.h"
#include <math.h>

enum { SIDE = SHEAF_RASTER_SIDE, CELLS = SIDE * SIDE };

/* As many columns share a cell as are needed for all to fit, 2^k as rows do, so that what is square looks
 * square; rows begin with a line of cells each. */
sheaf_status sheaf_raster_begin(sheaf_raster *r, int64_t columns, sheaf_context *cx, sheaf_error *err)
{
	void *counts, *magnitudes;
	SHEAF_TRY(sheaf_allocate_array(cx, CELLS, sizeof *r->counts, &counts, err));
	sheaf_status status = sheaf_allocate_array(cx, CELLS, sizeof *r->magnitudes, &magnitudes, err);
	if (status) {
		sheaf_release(cx, counts, CELLS * sizeof *r->counts);
		return status;
	}
	*r = (sheaf_raster){.columns = columns,
	                    .rows_to_a_cell = 1,
	                    .columns_to_a_cell = 1,
	                    .counts = (int64_t *)counts,
	                    .magnitudes = (double *)magnitudes};
	while ((columns - 1) / r->columns_to_a_cell >= SIDE) r->columns_to_a_cell *= 2;
	r->cells_to_a_column = 1 / (double)r->columns_to_a_cell;
	return SHEAF_OK;
}

void sheaf_raster_free(sheaf_raster *r, sheaf_context *cx)
{
	sheaf_release(cx, r->counts, CELLS * sizeof *r->counts);
	sheaf_release(cx, r->magnitudes, CELLS * sizeof *r->magnitudes);
	*r = (sheaf_raster){0};
}

/* Joins `times` lines into one, from the first line on. */
static void coarsen(sheaf_raster *r, int64_t times)
{
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			int from = y * SIDE + x, to = (int)(y / times) * SIDE + x;
			int64_t count = r->counts[from];
			double magnitude = r->magnitudes[from];
			r->counts[from] = 0;
			r->magnitudes[from] = 0;
			r->counts[to] += count;
			if (magnitude > r->magnitudes[to]) r->magnitudes[to] = magnitude;
		}
	r->rows_to_a_cell *= times;
}

void sheaf_raster_reach(sheaf_raster *r, int64_t rows)
{
	if (rows > r->rows) r->rows = rows;
	int64_t times = 1;
	while ((r->rows - 1) / (r->rows_to_a_cell * times) >= SIDE) times *= 2;
	if (times > 1) coarsen(r, times);
}

/* The cell of an entry, whose row the raster reaches. A cell has 2^k rows, so that a shift divides; columns
 * would need a division, which would take most of the time, and have an approximate product instead,
 * corrected by one down or up. The last columns of 2^63 would come out as a cell beyond the line. */
static int64_t cell_at(const sheaf_raster *r, int64_t row, int64_t column)
{
	int64_t y = row >> __builtin_ctzll((unsigned long long)r->rows_to_a_cell), x = column;
	if (r->columns_to_a_cell != 1) {
		x = (int64_t)((double)column * r->cells_to_a_column);
		if (x >= SIDE) x = SIDE - 1;
		x -= x * r->columns_to_a_cell > column;
		x += column - x * r->columns_to_a_cell >= r->columns_to_a_cell;
	}
	return y * SIDE + x;
}

static void add_to_cell(sheaf_raster *r, int64_t at, double value)
{
	double size = fabs(value);
	r->counts[at]++;
	r->magnitudes[at] = size > r->magnitudes[at] ? size : r->magnitudes[at];
}

void sheaf_raster_add(sheaf_raster *r, int64_t row, int64_t column, double value)
{
	if (row >= r->rows) sheaf_raster_reach(r, row + 1);
	add_to_cell(r, cell_at(r, row, column), value);
}

/* Some cells at a time are prefetched before the first one is counted: a raster is larger than the cache. */
void sheaf_raster_add_all(sheaf_raster *r, const int64_t *rows, const int64_t *columns, const double *values,
                          int n)
{
	int64_t cells[SHEAF_RASTER_AT_ONCE];
	for (int from = 0, to; from < n; from = to) {
		to = n - from < SHEAF_RASTER_AT_ONCE ? n : from + SHEAF_RASTER_AT_ONCE;
		for (int k = from; k < to; k++) {
			int64_t at = cells[k - from] = cell_at(r, rows[k], columns[k]);
			__builtin_prefetch(&r->counts[at], 1);
			__builtin_prefetch(&r->magnitudes[at], 1);
		}
		for (int k = from; k < to; k++) add_to_cell(r, cells[k - from], values[k]);
	}
}

/* The finer raster is coarsened to the lines of the other one. */
void sheaf_raster_merge(sheaf_raster *r, const sheaf_raster *other)
{
	sheaf_raster_reach(r, other->rows);
	if (r->rows_to_a_cell < other->rows_to_a_cell) coarsen(r, other->rows_to_a_cell / r->rows_to_a_cell);
	int64_t times = r->rows_to_a_cell / other->rows_to_a_cell;
	for (int64_t y = 0; y < SIDE; y++)
		for (int64_t x = 0; x < SIDE; x++) {
			int64_t to = y / times * SIDE + x, from = y * SIDE + x;
			r->counts[to] += other->counts[from];
			r->magnitudes[to] = fmax(r->magnitudes[to], other->magnitudes[from]);
		}
}

int sheaf_raster_height(const sheaf_raster *r)
{
	return r->rows > 0 ? (int)((r->rows - 1) / r->rows_to_a_cell) + 1 : 1;
}

int sheaf_raster_width(const sheaf_raster *r)
{
	return r->columns > 0 ? (int)((r->columns - 1) / r->columns_to_a_cell) + 1 : 1;
}
