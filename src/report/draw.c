/* SPDX-License-Identifier: MIT */
/* Drawings of characters: block elements and braille if the terminal has Unicode, otherwise ASCII. */
#include "report/draw.h"
#include "base/memory.h"
#include "report/page/picture.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { EIGHTHS = 8, SHADES = 5, ASCII_SHADES = 10, MOST_LABEL = 26, LEAST_BAR = 8 };

/* A character of three bytes of UTF-8, as all that are drawn are. */
static void put_utf8(sheaf_builder *b, unsigned point)
{
	char bytes[3] = {(char)(uint8_t)(0xe0 | point >> 12), (char)(uint8_t)(0x80 | (point >> 6 & 0x3f)),
	                 (char)(uint8_t)(0x80 | (point & 0x3f))};
	sheaf_builder_append(b, bytes, sizeof bytes);
}

/* A character of Unicode, or the one of ASCII that stands for it. */
static void put_character(sheaf_builder *b, const sheaf_drawing *drawing, unsigned point, char ascii)
{
	if (drawing->unicode)
		put_utf8(b, point);
	else
		sheaf_builder_byte(b, ascii);
}

/* ---- bars ---- */

void sheaf_draw_line(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_drawing *drawing)
{
	static const char ascii[] = " .:-=+*#@";
	double most = sheaf_most_amount(bars, n);
	for (int i = 0; i < n; i++) {
		int high = bars[i].amount > 0 ? (int)ceil(bars[i].amount / most * EIGHTHS) : 0;
		if (drawing->unicode && high)
			put_utf8(b, 0x2580u + (unsigned)high); /* one eighth block to a full block */
		else
			sheaf_builder_byte(b, ascii[high]);
	}
}

/* Each bar has a line: its label, its amount, its share of all, and the bar itself, which is as long as the
 * width leaves room for the largest one. Bars of nothing have no line. */
void sheaf_draw_bars(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_drawing *drawing)
{
	enum { COUNT = 15, SHARE = 8, INDENT = 4 };
	double most = sheaf_most_amount(bars, n), all = 0;
	int label = 1;
	for (int i = 0; i < n; i++) {
		int length = (int)strlen(bars[i].label);
		all += bars[i].amount;
		if (bars[i].amount > 0 && length > label) label = length;
	}
	if (label > MOST_LABEL) label = MOST_LABEL;
	int width = drawing->width - INDENT - label - COUNT - SHARE - 1;
	if (width < LEAST_BAR) width = LEAST_BAR;
	for (int i = 0; i < n; i++) {
		if (bars[i].amount <= 0) continue;
		sheaf_builder_printf(b, "%*s%*s%*" PRId64 "%*.1f%% ", INDENT, "", label, bars[i].label, COUNT,
		                     (int64_t)bars[i].amount, SHARE - 2, 100 * bars[i].amount / all);
		/* Full blocks, and a last block of some eighths. */
		int eighths = (int)ceil(bars[i].amount / most * width * EIGHTHS), last = eighths % EIGHTHS;
		int whole = drawing->unicode ? eighths / EIGHTHS : (eighths + EIGHTHS - 1) / EIGHTHS;
		for (int k = 0; k < whole; k++) put_character(b, drawing, 0x2588, '#');
		if (drawing->unicode && last) put_utf8(b, 0x2590u - (unsigned)last);
		sheaf_builder_byte(b, '\n');
	}
}

/* ---- grids ---- */

sheaf_status sheaf_grid_begin(sheaf_grid *grid, int width, int height, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(
		sheaf_allocate_array(cx, (uint64_t)width * (uint64_t)height, sizeof *grid->cells, &memory, err));
	*grid = (sheaf_grid){width, height, (double *)memory};
	return SHEAF_OK;
}

void sheaf_grid_free(sheaf_grid *grid, sheaf_context *cx)
{
	size_t cells = (size_t)grid->width * (size_t)grid->height;
	if (grid->cells) sheaf_release(cx, grid->cells, cells * sizeof *grid->cells);
	*grid = (sheaf_grid){0};
}

/* An amount as a fraction of the largest one, from 0 to 1; infinity is 1. */
static double share_of(double amount, double most) { return fmin(fmax(amount / most, 0), 1); }

/* 0 outside, where a grid's last characters are incomplete. */
static double cell(const sheaf_grid *grid, int x, int y)
{
	return x < grid->width && y < grid->height ? grid->cells[(size_t)y * (size_t)grid->width + (size_t)x] : 0;
}

/* Puts the upper or lower edge of a frame: two corners, and n characters between them. */
static void put_edge(sheaf_builder *b, int n, bool below, const sheaf_drawing *drawing)
{
	sheaf_builder_text(b, "    ");
	put_character(b, drawing, below ? 0x2514 : 0x250c, '+');
	for (int i = 0; i < n; i++) put_character(b, drawing, 0x2500, '-');
	put_character(b, drawing, below ? 0x2518 : 0x2510, '+');
	sheaf_builder_byte(b, '\n');
}

/* Puts the two by four cells from (x, y) on as a character of braille, whose dots are the bits of its number;
 * in ASCII as a character that is the darker the more of the cells have something. */
static void put_dots(sheaf_builder *b, const sheaf_grid *grid, int x, int y, const sheaf_drawing *drawing)
{
	static const uint8_t bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
	unsigned dots = 0;
	int n = 0;
	for (int dy = 0; dy < 4; dy++)
		for (int dx = 0; dx < 2; dx++)
			if (cell(grid, x + dx, y + dy) > 0) dots |= bits[dy][dx], n++;
	put_character(b, drawing, 0x2800 + dots, " .:-=+*#@"[n]);
}

/* ---- shades ---- */

/* The colour for a share of `most` as an escape sequence, for the foreground (38) or the background (48). */
static void put_colour(sheaf_builder *b, int ground, double share, int colours)
{
	enum { CUBE = 16, SIDE = 6, STEP = 51, TRUE_COLOURS = 1 << 24 };
	uint8_t rgb[3];
	sheaf_shade(share, rgb);
	if (colours >= TRUE_COLOURS)
		sheaf_builder_printf(b, "\x1b[%d;2;%d;%d;%dm", ground, rgb[0], rgb[1], rgb[2]);
	else
		sheaf_builder_printf(b, "\x1b[%d;5;%dm", ground,
		                     CUBE + (rgb[0] + STEP / 2) / STEP * SIDE * SIDE +
		                         (rgb[1] + STEP / 2) / STEP * SIDE + (rgb[2] + STEP / 2) / STEP);
}

/* Puts the cell (x, y) and the one below it as one character: half a block in two colours, of which a cell
 * without anything has none, or else a shade of their mean. */
static void put_shade(sheaf_builder *b, const sheaf_grid *grid, int x, int y, double most,
                      const sheaf_drawing *drawing)
{
	double upper = share_of(cell(grid, x, y), most), lower = share_of(cell(grid, x, y + 1), most);
	if (drawing->unicode && drawing->colours && (upper > 0 || lower > 0)) {
		put_colour(b, 38, upper > 0 ? upper : lower, drawing->colours);
		if (upper > 0 && lower > 0) put_colour(b, 48, lower, drawing->colours);
		put_utf8(b, upper > 0 ? 0x2580 : 0x2584);
		sheaf_builder_text(b, "\x1b[0m");
		return;
	}
	double share = y + 1 < grid->height ? (upper + lower) / 2 : upper;
	int shades = drawing->unicode ? SHADES : ASCII_SHADES;
	int shade = share > 0 ? 1 + (int)(share * (shades - 1)) : 0;
	if (shade >= shades) shade = shades - 1;
	if (!drawing->unicode || shade == 0)
		sheaf_builder_byte(b, " .:-=+*#%@"[shade]);
	else
		put_utf8(b, shade == SHADES - 1 ? 0x2588 : 0x2590u + (unsigned)shade);
}

/* With SHEAF_DOTS as the largest amount a character has two by four cells, else one by two. */
void sheaf_draw_grid(sheaf_builder *b, const sheaf_grid *grid, double most, const sheaf_drawing *drawing)
{
	bool dots = most == SHEAF_DOTS;
	int across = dots ? 2 : 1, down = 2 * across, width = (grid->width + across - 1) / across;
	if (!(most > 0)) most = 1;
	put_edge(b, width, false, drawing);
	for (int y = 0; y < grid->height; y += down) {
		sheaf_builder_text(b, "    ");
		put_character(b, drawing, 0x2502, '|');
		for (int x = 0; x < grid->width; x += across)
			if (dots)
				put_dots(b, grid, x, y, drawing);
			else
				put_shade(b, grid, x, y, most, drawing);
		put_character(b, drawing, 0x2502, '|');
		sheaf_builder_byte(b, '\n');
	}
	put_edge(b, width, true, drawing);
}

/* ---- rasters ---- */

/* Makes a grid of a raster, whose cells are dots or shades: no larger than the raster, as wide as fits, and
 * not too high. Each cell has the sum of the cells of the raster that it covers. The caller frees it. */
static sheaf_status make_grid(sheaf_grid *grid, const sheaf_raster *r, bool dots,
                              const sheaf_drawing *drawing, sheaf_context *cx, sheaf_error *err)
{
	enum { INDENT = 6, LINES = 24 };
	int width = sheaf_raster_width(r), height = sheaf_raster_height(r), across = dots ? 2 : 1;
	int most_wide = (drawing->width - INDENT) * across, most_high = LINES * 2 * across;
	double shrink = fmax(1, fmax((double)width / most_wide, (double)height / most_high));
	SHEAF_TRY(sheaf_grid_begin(grid, (int)ceil(width / shrink), (int)ceil(height / shrink), cx, err));
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int to_x = (int)((int64_t)x * grid->width / width),
				to_y = (int)((int64_t)y * grid->height / height);
			grid->cells[(size_t)to_y * (size_t)grid->width + (size_t)to_x] +=
				(double)r->counts[(size_t)y * SHEAF_RASTER_SIDE + (size_t)x];
		}
	return SHEAF_OK;
}

/* Dots if few of them represent several entries, and they do not fill the picture; otherwise shades, by the
 * logarithm of the number of entries in each cell. */
sheaf_status sheaf_draw_raster(sheaf_builder *b, const sheaf_raster *raster, const sheaf_drawing *drawing,
                               sheaf_error *err)
{
	enum { FEW = 3 /* entries of a dot: with more of them, dots would hide how many there are */ };
	sheaf_grid grid;
	double entries = 0, dots = 0, most = SHEAF_DOTS;
	SHEAF_TRY(make_grid(&grid, raster, true, drawing, b->cx, err));
	for (int i = 0; i < grid.width * grid.height; i++) entries += grid.cells[i], dots += grid.cells[i] > 0;
	if (entries > FEW * dots || FEW * dots > grid.width * grid.height) {
		sheaf_grid_free(&grid, b->cx);
		SHEAF_TRY(make_grid(&grid, raster, false, drawing, b->cx, err));
		most = 0;
		for (int i = 0; i < grid.width * grid.height; i++)
			most = fmax(most, grid.cells[i] = log1p(grid.cells[i]));
	}
	sheaf_draw_grid(b, &grid, most, drawing);
	sheaf_grid_free(&grid, b->cx);
	return SHEAF_OK;
}
