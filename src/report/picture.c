/* SPDX-License-Identifier: MIT */
/* PNG (ISO/IEC 15948): a header, a palette, one compressed chunk of pixels. */
#include "report/picture.h"
#include "base/endian.h"
#include "base/memory.h"
#include "third/deflate.h"
#include <math.h>

enum { SHADES = 255, LEVEL = 6, CHUNK_HEAD = 8, TAG = 4 };

/* ---- shades ---- */

void sheaf_shade(double share, uint8_t rgb[3])
{
	static const uint8_t stops[][3] = {{237, 229, 160}, {109, 190, 127}, {49, 120, 142}, {61, 30, 90}};
	enum { PARTS = sizeof stops / sizeof *stops - 1 };
	double at = fmin(fmax(share, 0), 1) * PARTS;
	int part = at >= PARTS ? PARTS - 1 : (int)at;
	for (int c = 0; c < 3; c++)
		rgb[c] = (uint8_t)lround(stops[part][c] + (at - part) * (stops[part + 1][c] - stops[part][c]));
}

static double strength(const sheaf_raster *r, sheaf_picture_of of, int64_t at)
{
	if (of == SHEAF_PICTURE_COUNTS) return (double)r->counts[at];
	return isfinite(r->magnitudes[at]) ? r->magnitudes[at] : 1.7976931348623157e308;
}

/* The strengths of cells with something in them, as logarithms. */
static void find_range(const sheaf_raster *r, sheaf_picture_of of, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (int64_t i = 0; i < (int64_t)SHEAF_RASTER_SIDE * SHEAF_RASTER_SIDE; i++) {
		double s = strength(r, of, i);
		if (s <= 0) continue;
		*least = fmin(*least, log(s));
		*most = fmax(*most, log(s));
	}
}

/* A byte for the filter before each line: none. */
static void put_pixels(sheaf_builder *to, const sheaf_raster *r, sheaf_picture_of of)
{
	double least, most;
	int width = sheaf_raster_width(r), height = sheaf_raster_height(r);
	find_range(r, of, &least, &most);
	for (int y = 0; y < height; y++) {
		sheaf_builder_byte(to, 0);
		for (int x = 0; x < width; x++) {
			double s = strength(r, of, (int64_t)y * SHEAF_RASTER_SIDE + x);
			double at = most > least && s > 0 ? (log(s) - least) / (most - least) : 1;
			sheaf_builder_byte(to, (char)(uint8_t)(s > 0 ? 1 + lround(at * (SHADES - 1)) : 0));
		}
	}
}

/* ---- the file ---- */

static void put_u32(sheaf_builder *to, uint32_t v)
{
	uint8_t bytes[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
	sheaf_builder_append(to, bytes, sizeof bytes);
}

static void put_chunk(sheaf_builder *to, const char *tag, const void *data, size_t size)
{
	put_u32(to, (uint32_t)size);
	sheaf_builder_append(to, tag, TAG);
	sheaf_builder_append(to, data, size);
	put_u32(to, sheaf_crc32(sheaf_crc32(0, tag, TAG), data, size));
}

static void put_header(sheaf_builder *to, const sheaf_raster *r)
{
	enum { DEPTH = 8, PALETTE = 3 };
	sheaf_builder head;
	sheaf_builder_begin(&head, to->cx, NULL);
	put_u32(&head, (uint32_t)sheaf_raster_width(r));
	put_u32(&head, (uint32_t)sheaf_raster_height(r));
	sheaf_builder_append(&head, (uint8_t[]){DEPTH, PALETTE, 0, 0, 0}, 5);
	sheaf_builder_append(to, "\x89PNG\r\n\x1a\n", 8);
	if (!head.failed) put_chunk(to, "IHDR", head.data, head.size);
	sheaf_builder_drop(&head);
}

static void put_palette(sheaf_builder *to)
{
	uint8_t palette[SHADES + 1][3] = {{255, 255, 255}};
	for (int i = 1; i <= SHADES; i++) sheaf_shade((double)(i - 1) / (SHADES - 1), palette[i]);
	put_chunk(to, "PLTE", palette, sizeof palette);
}

static void put_compressed(sheaf_builder *to, const sheaf_builder *pixels)
{
	enum { SPARE = 1024 };
	sheaf_deflater *deflater = sheaf_deflater_new(LEVEL);
	size_t room = pixels->size + SPARE;
	sheaf_builder packed;
	sheaf_builder_begin(&packed, to->cx, NULL);
	size_t size = deflater && sheaf_builder_room(&packed, room)
	                  ? sheaf_deflate(deflater, pixels->data, pixels->size, packed.data, room)
	                  : 0;
	sheaf_deflater_free(deflater);
	if (size)
		put_chunk(to, "IDAT", packed.data, size);
	else
		to->failed = packed.failed ? packed.failed : SHEAF_NOMEM;
	sheaf_builder_drop(&packed);
}

static void put_base64(sheaf_builder *to, const uint8_t *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t at = 0; at < size; at += 3) {
		size_t n = size - at < 3 ? size - at : 3;
		uint32_t bits =
			(uint32_t)data[at] << 16 | (n > 1 ? (uint32_t)data[at + 1] << 8 : 0) | (n > 2 ? data[at + 2] : 0);
		char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], n > 1 ? digits[bits >> 6 & 63] : '=',
		                n > 2 ? digits[bits & 63] : '='};
		sheaf_builder_append(to, four, sizeof four);
	}
}

sheaf_status sheaf_picture_put(sheaf_builder *to, const sheaf_raster *raster, sheaf_picture_of of,
                               sheaf_error *err)
{
	sheaf_builder pixels, file;
	sheaf_builder_begin(&pixels, to->cx, NULL);
	sheaf_builder_begin(&file, to->cx, NULL);
	put_pixels(&pixels, raster, of);
	put_header(&file, raster);
	put_palette(&file);
	sheaf_status status = sheaf_builder_status(&pixels, err);
	if (!status) put_compressed(&file, &pixels);
	put_chunk(&file, "IEND", "", 0);
	if (!status) status = sheaf_builder_status(&file, err);
	if (!status) put_base64(to, file.data, file.size);
	sheaf_builder_drop(&pixels);
	sheaf_builder_drop(&file);
	return status;
}
