/* SPDX-License-Identifier: MIT */
/* A frame of five rows, in columns that begin with each kind of level. */
#ifndef SHEAF_TESTS_SHAPES_H
#define SHEAF_TESTS_SHAPES_H

#include "with_context.h"

enum { DENSE, SPARSE, TEXT, COORDINATES, PAIRS, SQUARE, KEYS, SHAPES, SHAPE_ROWS = 5 };

typedef struct shapes {
	sheaf_schema schema;
	sheaf_field fields[SHAPES];
	sheaf_level_shape wanted[SHAPES][2];
	sheaf_frame frame;
	sheaf_column columns[SHAPES];
	sheaf_level levels[SHAPES][2];
	sheaf_buffer indices[SHAPES][2];
} shapes;

static int64_t list_offsets[] = {0, 2, 2, 3, 6, 7};
static int64_t entry_offsets[] = {0, 1, 4, 4, 4, 6, 7, 9};
static int32_t narrow_indices[] = {5, 0, 2, 9, 1, 1, 3, 0, 9};
static int64_t coord_offsets[] = {0, 1, 3, 3, 4, 6};
static int64_t row_indices[] = {0, 3, 1, 2, 0, 3},
			   column_indices[] = {INT64_C(5000000000), 0, 7, 1, 2, INT64_C(5999999999)};
static int64_t pair_offsets[] = {0, 1, 1, 3, 4, 6, 7, 7, 8, 10, 11};
static float floats[24];
static double doubles[24];
static uint8_t letters[] = "hello, world";
static uint64_t keys[] = {7, 8, UINT64_MAX, 0, 3};

static sheaf_field *add_shape(shapes *s, char *name, sheaf_type type, void *values, size_t bytes)
{
	int c = s->frame.ncolumns++;
	s->schema.nfields++;
	s->fields[c] = (sheaf_field){.name = name, .type = type, .levels = s->wanted[c], .room = 2};
	s->columns[c] =
		(sheaf_column){.type = type, .levels = s->levels[c], .values = {(uint8_t *)values, bytes, NULL}};
	return &s->fields[c];
}

static sheaf_level *add_level(shapes *s, sheaf_level_shape shape, sheaf_buffer offsets)
{
	int c = s->frame.ncolumns - 1, l = s->columns[c].nlevels++;
	s->fields[c].nlevels++;
	s->fields[c].levels[l] = shape;
	s->columns[c].levels[l] =
		(sheaf_level){.shape = shape, .offsets = offsets, .indices = shape.rank ? s->indices[c] : NULL};
	return &s->columns[c].levels[l];
}

static const sheaf_level_shape list = {.kind = SHEAF_LIST}, fixed_two = {.kind = SHEAF_FIXED, .extent = 2};
static const sheaf_buffer none = {0};

static void make_shapes(shapes *s)
{
	static const sheaf_level_shape coord = {
		.kind = SHEAF_COORD, .rank = 1, .extent = 10, .index_type = SHEAF_I32};
	static const sheaf_level_shape coords = {
		.kind = SHEAF_COORD, .rank = 2, .extent = INT64_C(6000000000), .index_type = SHEAF_I64};
	for (int i = 0; i < 24; i++) floats[i] = (float)i / 4, doubles[i] = -i;
	*s = (shapes){.frame = {.nrows = SHAPE_ROWS, .cx = cx}};
	s->schema.fields = s->fields;
	s->frame.columns = s->columns;
	add_shape(s, "dense", SHEAF_F32, floats, 14 * sizeof *floats);
	add_level(s, list, borrow(list_offsets));
	add_level(s, fixed_two, none);
	add_shape(s, "sparse", SHEAF_F64, doubles, 9 * sizeof *doubles);
	add_level(s, list, borrow(list_offsets));
	add_level(s, coord, borrow(entry_offsets))->indices[0] = borrow(narrow_indices);
	add_shape(s, "text", SHEAF_U8, letters, 7);
	add_level(s, list, borrow(list_offsets));
	add_shape(s, "coordinates", SHEAF_F32, floats, 6 * sizeof *floats);
	sheaf_level *level = add_level(s, coords, borrow(coord_offsets));
	level->indices[0] = borrow(row_indices);
	level->indices[1] = borrow(column_indices);
	add_shape(s, "pairs of lists", SHEAF_F64, doubles, 11 * sizeof *doubles);
	add_level(s, fixed_two, none);
	add_level(s, list, borrow(pair_offsets));
	add_shape(s, "square", SHEAF_F32, floats, 20 * sizeof *floats);
	add_level(s, fixed_two, none);
	add_level(s, fixed_two, none);
	add_shape(s, "key", SHEAF_U64, keys, sizeof keys)->meaning = SHEAF_KEY;
}

#endif
