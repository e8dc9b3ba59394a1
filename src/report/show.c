/* SPDX-License-Identifier: MIT */
/* One row as a picture of characters: first the cells that are no streams, each in a line, then each stream
 * as a curve, as shades or as dots. */
#include "base/need.h"
#include "frame/frame.h"
#include "frame/print.h"
#include "frame/schema/json_text.h"
#include "frame/value.h"
#include "report/draw.h"
#include "report/text.h"
#include <inttypes.h>
#include <math.h>

enum { INDENT = 6, LINES = 24, USUAL_WIDTH = 80, LEAST_WIDTH = 40 };

/* The values of a stream in one row: `samples` across, `dim` down. */
typedef struct scene {
	sheaf_builder *b;
	const sheaf_column *column;
	sheaf_run samples;
	int64_t dim;
	double least, most; /* of the finite values; least > most if there are none */
	const sheaf_drawing *drawing;
} scene;

static double value_at(const sheaf_column *column, int64_t p)
{
	sheaf_canon canon;
	sheaf_canon_values(column->type, column->values.data, p, 1, &canon);
	return canon.nearest;
}

/* Draws samples of one value as a line chart, as wide as the terminal at most; if several samples share a
 * cell it shows the largest of them. The line begins at 0, or at the least value if that is negative. */
static void draw_curve(const scene *s)
{
	sheaf_bar bars[SHEAF_MOST_BARS] = {0};
	int64_t n = sheaf_run_length(s->samples);
	int width = s->drawing->width - INDENT < SHEAF_MOST_BARS ? s->drawing->width - INDENT : SHEAF_MOST_BARS;
	if (n < width) width = (int)n;
	double floor = fmin(s->least, 0), span = s->most > floor ? s->most - floor : 1;
	for (int64_t i = 0; i < n; i++) {
		double v = value_at(s->column, s->samples.begin + i);
		sheaf_bar *bar = &bars[(int)((double)i / (double)n * width)];
		if (isfinite(v)) bar->amount = fmax(bar->amount, (v - floor) / span);
	}
	sheaf_builder_text(s->b, "    ");
	sheaf_draw_line(s->b, bars, width, s->drawing);
	sheaf_builder_byte(s->b, '\n');
}

/* The cell in which position `at` of `all` is, where there are `cells` of them: one position in each if they
 * are enough. */
static int scaled(int64_t at, int64_t all, int cells)
{
	return all <= cells ? (int)at : (int)((double)at / (double)all * cells);
}

/* Draws samples as a grid, in which samples are columns and values are lines. A single sample is wrapped into
 * lines: a square number of values as a square. Values of a sparse stream are dots, others are shades; the
 * grid fits on the screen, and its cells have the largest magnitude of the values in them. */
static sheaf_status draw_grid(const scene *s, bool sparse, sheaf_error *err)
{
	const sheaf_level *level = &s->column->levels[1];
	int across = sparse ? 2 : 1;
	int64_t most_wide = (int64_t)(s->drawing->width - INDENT) * across, most_high = LINES * 2 * across;
	int64_t n = sheaf_run_length(s->samples), width = n, height = s->dim;
	if (n == 1) {
		int64_t side = (int64_t)llround(sqrt((double)s->dim));
		bool is_square = side * side == s->dim && side > 3 && side <= most_wide;
		width = is_square ? side : s->dim < most_wide ? s->dim : most_wide;
		height = (s->dim + width - 1) / width;
	}
	sheaf_grid grid;
	SHEAF_TRY(sheaf_grid_begin(&grid, (int)(width < most_wide ? width : most_wide),
	                           (int)(height < most_high ? height : most_high), s->b->cx, err));
	for (int64_t i = 0; i < n; i++) {
		sheaf_run run = sheaf_level_below_one(level, s->samples.begin + i);
		for (int64_t p = run.begin; p < run.end; p++) {
			int64_t at = sparse ? sheaf_level_index(level, 0, p) : p - run.begin;
			int x = scaled(n == 1 ? at % width : i, width, grid.width),
				y = scaled(n == 1 ? at / width : at, height, grid.height);
			double *cell = &grid.cells[(size_t)y * (size_t)grid.width + (size_t)x];
			double size = sparse ? 1 : fabs(value_at(s->column, p));
			if (size > *cell) *cell = size;
		}
	}
	sheaf_draw_grid(s->b, &grid, sparse ? SHEAF_DOTS : fmax(fabs(s->least), fabs(s->most)), s->drawing);
	sheaf_grid_free(&grid, s->b->cx);
	return SHEAF_OK;
}

/* ---- rows ---- */

/* Draws the stream of row r: a line with its type and the range of its finite values, and below it a drawing
 * of all values, unless there is only one, which the line has shown. */
static sheaf_status draw_stream(sheaf_builder *b, const sheaf_field *field, const sheaf_column *column,
                                int64_t r, const sheaf_drawing *drawing, sheaf_error *err)
{
	char text[80];
	scene s = {.b = b,
	           .column = column,
	           .samples = sheaf_level_below_one(&column->levels[0], r),
	           .dim = sheaf_field_dim(field),
	           .least = INFINITY,
	           .most = -INFINITY,
	           .drawing = drawing};
	sheaf_run run = sheaf_level_below(&column->levels[1], s.samples);
	for (int64_t p = run.begin; p < run.end; p++) {
		double v = value_at(column, p);
		if (!isfinite(v)) continue;
		s.least = fmin(s.least, v);
		s.most = fmax(s.most, v);
	}
	sheaf_put_visibly(b, field->name);
	sheaf_builder_printf(b, ": %s; samples: %" PRId64, sheaf_field_text(field, text, sizeof text),
	                     sheaf_run_length(s.samples));
	if (s.least <= s.most) sheaf_builder_printf(b, "; %.4g to %.4g", s.least, s.most);
	sheaf_builder_byte(b, '\n');
	if (sheaf_run_length(s.samples) * s.dim <= 1) return SHEAF_OK;
	if (sheaf_field_is_sparse(field) || s.dim > 1) return draw_grid(&s, sheaf_field_is_sparse(field), err);
	draw_curve(&s);
	return SHEAF_OK;
}

/* Puts a cell that is no stream as a line, "NAME: VALUE", with everything in it made visible. */
static void put_item(sheaf_builder *b, const sheaf_field *field, const sheaf_column *column, int64_t r)
{
	sheaf_builder text;
	sheaf_builder_begin(&text, b->cx, NULL);
	sheaf_position_text(&text, column, 0, r, SHEAF_TEXT_SHORT);
	sheaf_builder_byte(&text, '\0');
	sheaf_put_visibly(b, field->name);
	sheaf_builder_text(b, ": ");
	sheaf_put_visibly(b, text.failed ? "" : (const char *)text.data);
	sheaf_builder_byte(b, '\n');
	if (!b->failed) b->failed = text.failed;
	sheaf_builder_drop(&text);
}

sheaf_status sheaf_row_drawing(const sheaf_frame *frame, const sheaf_schema *schema, int64_t r,
                               const sheaf_drawing *drawing, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_drawing usual = {.width = USUAL_WIDTH};
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(frame, "a frame");
	SHEAF_NEED(schema, "a schema");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	SHEAF_EXPECT(r >= 0 && r < frame->nrows, "a row of the frame", r);
	if (drawing) usual = *drawing;
	if (usual.width < LEAST_WIDTH) usual.width = usual.width ? LEAST_WIDTH : USUAL_WIDTH;
	sheaf_builder b;
	sheaf_status status = SHEAF_OK;
	sheaf_context *cx = schema->cx ? schema->cx : frame->cx;
	SHEAF_NEED(cx, "a schema or a frame with a context");
	sheaf_builder_begin(&b, cx, out);
	locale_t before = sheaf_points_begin();
	for (int f = 0; f < schema->nfields; f++)
		if (!sheaf_field_is_stream(&schema->fields[f]))
			put_item(&b, &schema->fields[f], &frame->columns[f], r);
	for (int f = 0; f < schema->nfields && status == SHEAF_OK; f++)
		if (sheaf_field_is_stream(&schema->fields[f]))
			status = draw_stream(&b, &schema->fields[f], &frame->columns[f], r, &usual, err);
	sheaf_points_end(before);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}
