/* SPDX-License-Identifier: MIT */
/* One row as a picture of characters. */
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
	double least, most;
	const sheaf_drawing *drawing;
	sheaf_grid grid;
} scene;

static double value_at(const sheaf_column *column, int64_t p)
{
	sheaf_canon canon;
	sheaf_canon_values(column->type, column->values.data, p, 1, &canon);
	return canon.nearest;
}

/* The least and the largest finite value; least > most if no value is finite. */
static void find_range(scene *s)
{
	const sheaf_level *level = &s->column->levels[1];
	sheaf_run run = sheaf_level_below(level, s->samples);
	s->least = INFINITY;
	s->most = -INFINITY;
	for (int64_t p = run.begin; p < run.end; p++) {
		double v = value_at(s->column, p);
		if (!isfinite(v)) continue;
		s->least = fmin(s->least, v);
		s->most = fmax(s->most, v);
	}
}

/* ---- dense ---- */

/* Samples of one value: a line chart; a cell shows the largest of its values. */
static void draw_curve(const scene *s)
{
	const sheaf_drawing *drawing = s->drawing;
	sheaf_bar bars[SHEAF_MOST_BARS] = {0};
	int64_t n = sheaf_run_length(s->samples);
	int width = drawing->width - INDENT < SHEAF_MOST_BARS ? drawing->width - INDENT : SHEAF_MOST_BARS;
	if (n < width) width = (int)n;
	double floor = fmin(s->least, 0), span = s->most > floor ? s->most - floor : 1;
	for (int64_t i = 0; i < n; i++) {
		double v = value_at(s->column, s->samples.begin + i);
		sheaf_bar *bar = &bars[(int)((double)i / (double)n * width)];
		if (isfinite(v)) bar->amount = fmax(bar->amount, (v - floor) / span);
	}
	sheaf_builder_text(s->b, "    ");
	sheaf_draw_line(s->b, bars, width, drawing);
	sheaf_builder_byte(s->b, '\n');
}

/* A vector is wrapped into lines: a square number of values as a square. */
static int64_t line_of(int64_t dim, int width)
{
	int64_t side = (int64_t)llround(sqrt((double)dim));
	if (side * side == dim && side > 3 && side <= width) return side;
	return dim < width ? dim : width;
}

/* Cells have the largest magnitude of the values in them. */
static void put_cell(scene *s, int64_t x, int64_t width, int64_t y, int64_t height, double v)
{
	int to_x = width <= s->grid.width ? (int)x : (int)((double)x / (double)width * s->grid.width);
	int to_y = height <= s->grid.height ? (int)y : (int)((double)y / (double)height * s->grid.height);
	double *cell = &s->grid.cells[(size_t)to_y * (size_t)s->grid.width + (size_t)to_x];
	if (fabs(v) > *cell) *cell = fabs(v);
}

/* A grid that fits on the screen, where a character has `across` x `down` cells. */
static sheaf_status begin_grid(scene *s, int64_t width, int64_t height, int across, int down,
                               sheaf_error *err)
{
	int64_t most_wide = (int64_t)(s->drawing->width - INDENT) * across, most_high = (int64_t)LINES * down;
	return sheaf_grid_begin(&s->grid, (int)(width < most_wide ? width : most_wide),
	                        (int)(height < most_high ? height : most_high), s->b->cx, err);
}

/* Samples are columns and values are lines; a single sample is wrapped into lines. */
static sheaf_status draw_dense(scene *s, sheaf_error *err)
{
	const sheaf_drawing *drawing = s->drawing;
	int64_t n = sheaf_run_length(s->samples), width = n, height = s->dim;
	if (s->dim == 1) {
		draw_curve(s);
		return SHEAF_OK;
	}
	if (n == 1) {
		width = line_of(s->dim, drawing->width - INDENT);
		height = (s->dim + width - 1) / width;
	}
	SHEAF_TRY(begin_grid(s, width, height, 1, 2, err));
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < s->dim; k++) {
			double v = value_at(s->column, (s->samples.begin + i) * s->dim + k);
			put_cell(s, n == 1 ? k % width : i, width, n == 1 ? k / width : k, height, v);
		}
	sheaf_draw_shades(s->b, &s->grid, fmax(fabs(s->least), fabs(s->most)), drawing);
	sheaf_grid_free(&s->grid, s->b->cx);
	return SHEAF_OK;
}

/* ---- sparse ---- */

/* A single sample is laid out like a dense one; several are side by side. */
static sheaf_status draw_sparse(scene *s, sheaf_error *err)
{
	const sheaf_drawing *drawing = s->drawing;
	const sheaf_level *level = &s->column->levels[1];
	int64_t n = sheaf_run_length(s->samples), width = n, height = s->dim;
	if (n == 1) {
		width = line_of(s->dim, 2 * (drawing->width - INDENT));
		height = (s->dim + width - 1) / width;
	}
	SHEAF_TRY(begin_grid(s, width, height, 2, 4, err));
	for (int64_t i = 0; i < n; i++) {
		sheaf_run run = sheaf_level_below_one(level, s->samples.begin + i);
		for (int64_t p = run.begin; p < run.end; p++) {
			int64_t index = sheaf_level_index(level, 0, p);
			put_cell(s, n == 1 ? index % width : i, width, n == 1 ? index / width : index, height, 1);
		}
	}
	sheaf_draw_dots(s->b, &s->grid, drawing);
	sheaf_grid_free(&s->grid, s->b->cx);
	return SHEAF_OK;
}

/* ---- rows ---- */

static sheaf_status draw_stream(sheaf_builder *b, const sheaf_field *field, const sheaf_column *column,
                                int64_t r, const sheaf_drawing *drawing, sheaf_error *err)
{
	char text[80];
	scene s = {.b = b,
	           .column = column,
	           .samples = sheaf_level_below_one(&column->levels[0], r),
	           .dim = sheaf_field_dim(field),
	           .drawing = drawing};
	find_range(&s);
	sheaf_put_visibly(b, field->name);
	sheaf_builder_printf(b, ": %s; samples: %" PRId64, sheaf_field_text(field, text, sizeof text),
	                     sheaf_run_length(s.samples));
	if (s.least <= s.most) sheaf_builder_printf(b, "; %.4g to %.4g", s.least, s.most);
	sheaf_builder_byte(b, '\n');
	if (sheaf_run_length(s.samples) * s.dim <= 1) return SHEAF_OK; /* the line has shown it */
	return (sheaf_field_is_sparse(field) ? draw_sparse : draw_dense)(&s, err);
}

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
