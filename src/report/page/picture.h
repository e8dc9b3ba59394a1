/* SPDX-License-Identifier: MIT */
/* Rasters as PNG pictures, in base64 for a page. */
#ifndef SHEAF_REPORT_PAGE_PICTURE_H
#define SHEAF_REPORT_PAGE_PICTURE_H

#include "report/page/raster.h"

typedef enum sheaf_picture_of { SHEAF_PICTURE_COUNTS, SHEAF_PICTURE_MAGNITUDES } sheaf_picture_of;

/* The colour for a share from 0 to 1: from light to dark, through colours that are safe for colour-blind
 * people. */
void sheaf_shade(double share, uint8_t rgb[3]);
/* Appends the raster as a PNG in base64: a pixel for each cell, or for 2 by 2, 4 by 4, ... of them if there
 * are more than `side` on a side; empty ones are white, others from light to dark by the logarithm. */
SHEAF_USE sheaf_status sheaf_picture_put(sheaf_builder *to, const sheaf_raster *raster, sheaf_picture_of of,
                                         int side, sheaf_error *err);

/* The number of raster cells to a pixel in such a picture, in each direction. */
int sheaf_picture_cells(const sheaf_raster *raster, int side);

/* Appends a grid of numbers as a PNG in base64, a pixel for each: white if there is none (NaN), from light to
 * dark from the least to the largest. */
SHEAF_USE sheaf_status sheaf_grid_put(sheaf_builder *to, int width, int height, const double *numbers,
                                      sheaf_error *err);

#endif
