/* SPDX-License-Identifier: MIT */
/* A picture of where entries are: their number in each cell of a grid, and the largest magnitude. The number
 * of rows in a cell is a power of two, so that the picture does not depend on the order in which rows come,
 * nor on how many will come. */
#ifndef SHEAF_REPORT_PAGE_RASTER_H
#define SHEAF_REPORT_PAGE_RASTER_H

#include "base/buffer.h"

enum { SHEAF_RASTER_SIDE = 512 };

typedef struct sheaf_raster {
	int64_t columns;        /* of the data */
	int64_t rows;           /* seen, or known */
	int64_t rows_to_a_cell; /* a power of two */
	int64_t columns_to_a_cell;
	double cells_to_a_column; /* 1 / columns_to_a_cell */
	int64_t *counts;          /* SHEAF_RASTER_SIDE lines of as many cells */
	double *magnitudes;
} sheaf_raster;

SHEAF_USE sheaf_status sheaf_raster_begin(sheaf_raster *r, int64_t columns, sheaf_context *cx,
                                          sheaf_error *err);
void sheaf_raster_add(sheaf_raster *r, int64_t row, int64_t column, double value);
/* Any number of entries at once, of rows that it reaches already. */
enum { SHEAF_RASTER_AT_ONCE = 128 };
void sheaf_raster_add_all(sheaf_raster *r, const int64_t *rows, const int64_t *columns, const double *values,
                          int n);
/* Rows without entries belong to the picture, too. */
void sheaf_raster_reach(sheaf_raster *r, int64_t rows);
void sheaf_raster_merge(sheaf_raster *r, const sheaf_raster *other);
void sheaf_raster_free(sheaf_raster *r, sheaf_context *cx);
/* Cells that the data cover: at least 1. */
int sheaf_raster_height(const sheaf_raster *r);
int sheaf_raster_width(const sheaf_raster *r);

#endif
