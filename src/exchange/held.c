/* SPDX-License-Identifier: MIT */
/* The buffers of a frame, held, as one flat list. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include <sheaf/exchange.h>

struct sheaf_held {
	sheaf_context *owner;
	size_t size; /* of this and of what follows it */
	int n;
	sheaf_buffer *buffers;
	sheaf_flat flats[];
};

/* An upper bound: what is empty is left out. */
static int count_buffers(const sheaf_frame *frame)
{
	int n = 0;
	for (int c = 0; c < frame->ncolumns; c++) {
		n++;
		for (int l = 0; l < frame->columns[c].nlevels; l++) n += 3 + frame->columns[c].levels[l].shape.rank;
	}
	return n;
}

static void hold(sheaf_held *held, const sheaf_buffer *buffer, sheaf_flat flat)
{
	held->buffers[held->n] = sheaf_buffer_ref(buffer);
	flat.data = flat.count ? buffer->data : NULL;
	held->flats[held->n++] = flat;
}

/* *dimensions is how many dimensions the COORD levels above have; gives the positions below. */
static int64_t hold_level(sheaf_held *held, int32_t column, int32_t at, const sheaf_level *level, int64_t n,
                          int32_t *dimensions)
{
	const sheaf_level_shape *shape = &level->shape;
	int64_t below = shape->kind == SHEAF_FIXED ? n * shape->extents[0] : 0;
	if (shape->kind != SHEAF_FIXED && level->offsets.size) {
		below = sheaf_level_offsets(level)[n];
		hold(held, &level->offsets,
		     (sheaf_flat){
				 .count = n + 1, .column = column, .part = SHEAF_PART_OFFSETS, .at = at, .type = SHEAF_I64});
	}
	for (int r = 0; r < shape->rank; r++)
		hold(held, &level->indices[r],
		     (sheaf_flat){.count = below,
		                  .column = column,
		                  .part = SHEAF_PART_INDICES,
		                  .at = (*dimensions)++,
		                  .type = (int32_t)shape->index_type});
	if (level->valid.size)
		hold(held, &level->valid,
		     (sheaf_flat){.count = n,
		                  .first = level->valid_at,
		                  .column = column,
		                  .part = SHEAF_PART_VALID,
		                  .at = at,
		                  .type = SHEAF_U8});
	if (level->codes.size)
		hold(
			held, &level->codes,
			(sheaf_flat){.count = n, .column = column, .part = SHEAF_PART_CODES, .at = at, .type = SHEAF_I8});
	return below;
}

static void hold_column(sheaf_held *held, int32_t number, const sheaf_column *column, int64_t nrows)
{
	int32_t dimensions = 0;
	for (int l = 0; l < column->nlevels; l++)
		nrows = hold_level(held, number, l, &column->levels[l], nrows, &dimensions);
	hold(held, &column->values,
	     (sheaf_flat){
			 .count = nrows, .column = number, .part = SHEAF_PART_VALUES, .type = (int32_t)column->type});
}

sheaf_status sheaf_frame_hold(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_context *cx,
                              sheaf_held **out, sheaf_error *err)
{
	void *memory;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	size_t n = (size_t)count_buffers(frame);
	size_t flats = sizeof(sheaf_held) + n * sizeof(sheaf_flat), size = flats + n * sizeof(sheaf_buffer);
	SHEAF_TRY(sheaf_allocate(cx, size, &memory, err));
	sheaf_held *held = (sheaf_held *)memory;
	held->owner = sheaf_context_owner(cx);
	sheaf_context_hold(held->owner);
	held->size = size;
	held->buffers = (sheaf_buffer *)(void *)((char *)memory + flats);
	for (int c = 0; c < frame->ncolumns; c++) hold_column(held, c, &frame->columns[c], frame->nrows);
	*out = held;
	return SHEAF_OK;
}

const sheaf_flat *sheaf_held_buffers(const sheaf_held *held, int *n)
{
	if (n) *n = held ? held->n : 0;
	return held ? held->flats : NULL;
}

void sheaf_held_free(sheaf_held *held)
{
	if (!held) return;
	sheaf_context *owner = held->owner;
	for (int i = 0; i < held->n; i++) sheaf_buffer_reset(&held->buffers[i]);
	sheaf_release(owner, held, held->size);
	sheaf_context_let_go(owner);
}
