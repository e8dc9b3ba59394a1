/* SPDX-License-Identifier: MIT */
/* PNG (ISO/IEC 15948): a header, a palette, one compressed chunk of pixels. A chunk is
 *
 *     size (4 bytes, big-endian), tag (4), data, CRC-32 of tag and data (4)
 *
 * Pixels are numbers of colours in the palette, where 0 is white: there is nothing. */
#include "report/page/picture.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/third/deflate.h"
#include "frame/item.h"
#include <float.h>
#include <math.h>

enum { SHADES = 255, LEVEL = 6, CHUNK_HEAD = 8, TAG = 4 };

/* ---- shades ---- */

void sheaf_shade(double share, uint8_t rgb[3])
{
	static const uint8_t stops[][3] = {{190, 201, 84}, {84, 174, 118}, {49, 120, 142}, {61, 30, 90}};
	enum { PARTS = sizeof stops / sizeof *stops - 1 };
	double at = fmin(fmax(share, 0), 1) * PARTS;
	int part = at >= PARTS ? PARTS - 1 : (int)at;
	for (int c = 0; c < 3; c++)
		rgb[c] = (uint8_t)lround(stops[part][c] + (at - part) * (stops[part + 1][c] - stops[part][c]));
}

/* A raster as pixels: the strength of each, which gives its shade directly, or by its logarithm. */
typedef struct pixels {
	int width, height;
	bool linear;
	double *strengths; /* NaN, or 0 of a logarithm: there is nothing */
} pixels;

int sheaf_picture_cells(const sheaf_raster *r, int side)
{
	int width = sheaf_raster_width(r), height = sheaf_raster_height(r), cells = 1;
	while (width > side * cells || height > side * cells) cells *= 2;
	return cells;
}

/* The strength of a pixel; NaN if there is nothing in it. */
static double shade_of(const pixels *p, int i)
{
	double s = p->strengths[i];
	return p->linear ? s : s > 0 ? log(s) : NAN;
}

/* Puts the lines of a PNG, a byte for each pixel: 0 where there is nothing, else a shade, from the least
 * strength to the largest. Each line begins with the byte of its filter, which is 0: there is none. Only
 * STEPS shades are used, since a few compress well, and people cannot distinguish more. */
static void put_pixels(sheaf_builder *to, const pixels *p)
{
	enum { STEPS = 24 };
	double least = INFINITY, most = -INFINITY;
	for (int i = 0; i < p->width * p->height; i++) {
		least = fmin(least, shade_of(p, i));
		most = fmax(most, shade_of(p, i));
	}
	for (int y = 0; y < p->height; y++) {
		sheaf_builder_byte(to, 0);
		for (int x = 0; x < p->width; x++) {
			double s = shade_of(p, y * p->width + x);
			double at = most > least && !isnan(s) ? (s - least) / (most - least) : 0.5;
			long step = lround(at * STEPS);
			sheaf_builder_byte(to, (char)(uint8_t)(isnan(s) ? 0 : 1 + step * (SHADES - 1) / STEPS));
		}
	}
}

/* ---- the file ---- */

static void put_u32(sheaf_builder *to, uint32_t v)
{
	uint8_t bytes[4];
	sheaf_store_u32be(bytes, v);
	sheaf_builder_append(to, bytes, sizeof bytes);
}

/* Puts a chunk of a PNG: its size, tag, data, and the CRC of tag and data. */
static void put_chunk(sheaf_builder *to, const char *tag, const void *data, size_t size)
{
	put_u32(to, (uint32_t)size);
	sheaf_builder_append(to, tag, TAG);
	sheaf_builder_append(to, data, size);
	put_u32(to, sheaf_crc32(sheaf_crc32(0, tag, TAG), data, size));
}

/* Puts a PNG with a palette of shades, in base64, as a page has it in an address. */
static sheaf_status put_file(sheaf_builder *to, const pixels *p, sheaf_error *err)
{
	sheaf_builder lines, packed, file;
	uint8_t palette[SHADES + 1][3] = {{255, 255, 255}};
	sheaf_builder_begin(&lines, to->cx, NULL);
	sheaf_builder_begin(&packed, to->cx, NULL);
	sheaf_builder_begin(&file, to->cx, NULL);
	put_pixels(&lines, p);
	enum { DEPTH = 8, PALETTE = 3, SPARE = 1024 };
	uint8_t head[] = {0, 0, 0, 0, 0, 0, 0, 0, DEPTH, PALETTE, 0, 0, 0};
	sheaf_store_u32be(head, (uint32_t)p->width);
	sheaf_store_u32be(head + 4, (uint32_t)p->height);
	sheaf_builder_append(&file, "\x89PNG\r\n\x1a\n", 8);
	put_chunk(&file, "IHDR", head, sizeof head);
	for (int i = 1; i <= SHADES; i++) sheaf_shade((double)(i - 1) / (SHADES - 1), palette[i]);
	put_chunk(&file, "PLTE", palette, sizeof palette);
	sheaf_status status = sheaf_builder_status(&lines, err);
	sheaf_deflater *deflater = status ? NULL : sheaf_deflater_new(LEVEL);
	size_t room = lines.size + SPARE;
	size_t size = deflater && sheaf_builder_room(&packed, room)
	                  ? sheaf_deflate(deflater, lines.data, lines.size, packed.data, room)
	                  : 0;
	sheaf_deflater_free(deflater);
	if (size)
		put_chunk(&file, "IDAT", packed.data, size);
	else if (!status)
		file.failed = packed.failed ? packed.failed : SHEAF_NOMEM;
	sheaf_builder_drop(&packed);
	put_chunk(&file, "IEND", "", 0);
	if (!status) status = sheaf_builder_status(&file, err);
	if (!status && sheaf_builder_room(to, (uint64_t)(file.size / 3 + 1) * 4))
		to->size =
			(size_t)(sheaf_put_base64((char *)to->data + to->size, file.data, file.size) - (char *)to->data);
	sheaf_builder_drop(&lines);
	sheaf_builder_drop(&file);
	return status;
}

/* Each pixel is a square of cells: their counts are added up, of their magnitudes the largest is taken. An
 * infinite magnitude is the largest double, since a range with infinity has no shades. */
sheaf_status sheaf_picture_put(sheaf_builder *to, const sheaf_raster *r, sheaf_picture_of of, int side,
                               sheaf_error *err)
{
	int width = sheaf_raster_width(r), height = sheaf_raster_height(r), cells = sheaf_picture_cells(r, side);
	pixels p = {.width = (width + cells - 1) / cells, .height = (height + cells - 1) / cells};
	size_t size = (size_t)p.width * (size_t)p.height * sizeof *p.strengths;
	SHEAF_TRY(sheaf_allocate(to->cx, size, &p.strengths, err));
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int64_t at = (int64_t)y * SHEAF_RASTER_SIDE + x;
			double *strength = &p.strengths[y / cells * p.width + x / cells];
			*strength = of == SHEAF_PICTURE_COUNTS ? *strength + (double)r->counts[at]
			                                       : fmax(*strength, fmin(r->magnitudes[at], DBL_MAX));
		}
	sheaf_status status = put_file(to, &p, err);
	sheaf_release(to->cx, p.strengths, size);
	return status;
}

sheaf_status sheaf_grid_put(sheaf_builder *to, int width, int height, const double *numbers, sheaf_error *err)
{
	pixels p = {.width = width, .height = height, .linear = true, .strengths = (double *)(uintptr_t)numbers};
	return put_file(to, &p, err);
}
