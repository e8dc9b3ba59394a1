/* SPDX-License-Identifier: MIT */
/* Drawings of characters, for a terminal or any text. */
#ifndef SHEAF_REPORT_DRAW_H
#define SHEAF_REPORT_DRAW_H

#include "report/bars.h"

/* A line of blocks, each as high as its bar: small amounts are one eighth, zero is a blank. */
void sheaf_draw_line(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_drawing *drawing);
/* A line for each non-empty bar: label, amount, share and the bar. */
void sheaf_draw_bars(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_drawing *drawing);

/* Numbers of at least 0, in lines. */
typedef struct sheaf_grid {
	int width, height;
	double *cells;
} sheaf_grid;

/* A grid of zeros. */
SHEAF_USE sheaf_status sheaf_grid_begin(sheaf_grid *grid, int width, int height, sheaf_context *cx,
                                        sheaf_error *err);
void sheaf_grid_free(sheaf_grid *grid, sheaf_context *cx);
/* In a frame: a dot for each non-empty cell, 2 by 4 to a character, if `most` is SHEAF_DOTS; otherwise two
 * lines of cells to a line of characters, from 0 (light) to `most` (dark). */
enum { SHEAF_DOTS = -1 };
void sheaf_draw_grid(sheaf_builder *b, const sheaf_grid *grid, double most, const sheaf_drawing *drawing);

/* Where entries are: dots, or shades for their number if most dots would represent several. */
SHEAF_USE sheaf_status sheaf_draw_raster(sheaf_builder *b, const sheaf_raster *raster,
                                         const sheaf_drawing *drawing, sheaf_error *err);

#endif
