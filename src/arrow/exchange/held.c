/* SPDX-License-Identifier: MIT */
/* The buffers of a frame or of a minibatch, held as one flat list: for programs that want plain memory rather
 * than Arrow's tree, such as NumPy. Each entry says what the buffer is of, its type, and how many elements it
 * has. What is held lives until it is freed, also after the frame and the context of its user are gone. */
#include "arrow/memory.h"
#include "base/buffer.h"
#include "base/extend.h"
#include "base/need.h"
#include "frame/frame.h"
#include <sheaf/exchange.h>

struct sheaf_held {
	sheaf_context *owner;
	size_t size;       /* of this and of what follows it */
	sheaf_frame frame; /* shares the caller's buffers; no columns if a packed batch is held */
	int n, nbuffers;
	sheaf_buffer *buffers; /* those outside a frame */
	sheaf_flat flats[];
};

/* At most how many buffers a frame lists: for each column its values, for each level offsets, bits, codes and
 * indices. Those that are not there are left out. */
static int count_buffers(const sheaf_frame *frame)
{
	int n = 0;
	for (int c = 0; c < frame->ncolumns; c++) {
		n++;
		for (int l = 0; l < frame->columns[c].nlevels; l++) n += 3 + frame->columns[c].levels[l].shape.rank;
	}
	return n;
}

/* Makes a list with room for n buffers, in one block: itself, their descriptions, and the references that it
 * holds. */
static sheaf_status new_held(sheaf_context *cx, int n, sheaf_held **out, sheaf_error *err)
{
	sheaf_held *held;
	size_t flats = sizeof(sheaf_held) + (size_t)n * sizeof(sheaf_flat);
	size_t size = flats + (size_t)n * sizeof(sheaf_buffer);
	SHEAF_TRY(sheaf_arrow_allocate(cx, size, &held, err));
	held->owner = sheaf_context_owner(cx);
	held->size = size;
	held->buffers = (sheaf_buffer *)(void *)((char *)held + flats);
	*out = held;
	return SHEAF_OK;
}

/* Lists a buffer that something else holds. */
static void list(sheaf_held *held, const sheaf_buffer *buffer, sheaf_flat flat)
{
	flat.data = flat.count ? buffer->data : NULL;
	held->flats[held->n++] = flat;
}

/* Lists a buffer, and holds it. */
static void hold(sheaf_held *held, const sheaf_buffer *buffer, sheaf_flat flat)
{
	held->buffers[held->nbuffers++] = sheaf_buffer_ref(buffer);
	list(held, buffer, flat);
}

/* Lists the buffers of a level with n positions, number `at` of its column, and returns how many positions
 * are below it. Indices are numbered through all levels of a column: *dimensions counts those above. */
static int64_t list_level(sheaf_held *held, int32_t column, int32_t at, const sheaf_level *level, int64_t n,
                          int32_t *dimensions)
{
	const sheaf_level_shape *shape = &level->shape;
	int64_t below = shape->kind == SHEAF_FIXED ? n * shape->extent : 0;
	if (shape->kind != SHEAF_FIXED && level->offsets.size) {
		below = sheaf_level_offsets(level)[n];
		list(held, &level->offsets,
		     (sheaf_flat){
				 .count = n + 1, .column = column, .part = SHEAF_PART_OFFSETS, .at = at, .type = SHEAF_I64});
	}
	for (int r = 0; r < shape->rank; r++)
		list(held, &level->indices[r],
		     (sheaf_flat){.count = below,
		                  .column = column,
		                  .part = SHEAF_PART_INDICES,
		                  .at = (*dimensions)++,
		                  .type = (int32_t)shape->index_type});
	if (sheaf_level_has_gaps(level))
		list(held, &level->gaps->valid,
		     (sheaf_flat){.count = n,
		                  .first = level->gaps->valid_at,
		                  .column = column,
		                  .part = SHEAF_PART_VALID,
		                  .at = at,
		                  .type = SHEAF_U8});
	if (sheaf_level_codes(level))
		list(
			held, &level->gaps->codes,
			(sheaf_flat){.count = n, .column = column, .part = SHEAF_PART_CODES, .at = at, .type = SHEAF_I8});
	return below;
}

/* Lists the buffers of a column, level by level, and last its values. */
static void list_column(sheaf_held *held, int32_t number, const sheaf_column *column, int64_t nrows)
{
	int32_t dimensions = 0;
	for (int l = 0; l < column->nlevels; l++)
		nrows = list_level(held, number, l, &column->levels[l], nrows, &dimensions);
	list(held, &column->values,
	     (sheaf_flat){
			 .count = nrows, .column = number, .part = SHEAF_PART_VALUES, .type = (int32_t)column->type});
}

/* Holds a frame by a slice of all of it, which shares its buffers. */
static sheaf_status hold_frame(sheaf_held *held, const sheaf_frame *frame, sheaf_error *err)
{
	sheaf_frame whole = *frame;
	whole.cx = held->owner;
	SHEAF_TRY(sheaf_frame_slice(&whole, 0, frame->nrows, &held->frame, err));
	for (int c = 0; c < frame->ncolumns; c++)
		list_column(held, c, &held->frame.columns[c], held->frame.nrows);
	return SHEAF_OK;
}

/* Frees what could not be held. */
static sheaf_status end_holding(sheaf_status status, sheaf_held **out)
{
	if (!status) return SHEAF_OK;
	sheaf_held_free(*out);
	*out = NULL;
	return status;
}

sheaf_status sheaf_frame_hold(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_context *cx,
                              sheaf_held **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	SHEAF_TRY(new_held(cx, count_buffers(frame), out, err));
	return end_holding(hold_frame(*out, frame, err), out);
}

/* ---- batches ---- */

/* Lists and holds the buffers of one packed stream of a batch; a dense one has no indices and starts. */
static void hold_packed(sheaf_held *held, const sheaf_packed *packed, const sheaf_schema *schema)
{
	const sheaf_field *field = &schema->fields[packed->field];
	const struct {
		const sheaf_buffer *buffer;
		int part;
		sheaf_type type;
	} parts[] = {{&packed->values, SHEAF_PART_VALUES, field->type},
	             {&packed->indices, SHEAF_PART_INDICES, SHEAF_I32},
	             {&packed->starts, SHEAF_PART_STARTS, SHEAF_I32},
	             {&packed->mask, SHEAF_PART_MASK, SHEAF_U8}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		bool sparse_only = parts[i].part == SHEAF_PART_INDICES || parts[i].part == SHEAF_PART_STARTS;
		if (sparse_only && sheaf_field_is_dense(field)) continue;
		hold(held, parts[i].buffer,
		     (sheaf_flat){.count = (int64_t)(parts[i].buffer->size / sheaf_type_size(parts[i].type)),
		                  .column = packed->field,
		                  .part = parts[i].part,
		                  .type = (int32_t)parts[i].type});
	}
}

/* Lists and holds a copy of an array that the next batch would overwrite. */
static sheaf_status hold_copy(sheaf_held *held, const void *data, int64_t n, int part, sheaf_type type,
                              sheaf_error *err)
{
	sheaf_builder b = {.cx = held->owner};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer copy = {0};
	if (data) sheaf_builder_append(&b, data, (size_t)n * sheaf_type_size(type));
	SHEAF_TRY(sheaf_builder_finish(&b, &copy, err));
	hold(held, &copy, (sheaf_flat){.count = n, .column = -1, .part = part, .type = (int32_t)type});
	return SHEAF_OK;
}

sheaf_status sheaf_batch_hold(const sheaf_batch *batch, const sheaf_schema *schema, sheaf_context *cx,
                              sheaf_held **out, sheaf_error *err)
{
	enum { OF_PACKED = 4, OF_ALL = 2 };
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(batch, "a batch");
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	if (batch->frame) SHEAF_TRY(sheaf_frame_fits(__func__, batch->frame, schema, err));
	int n = (batch->frame ? count_buffers(batch->frame) : 0) + batch->npacked * OF_PACKED + OF_ALL;
	SHEAF_TRY(new_held(cx, n, out, err));
	sheaf_status status = batch->frame ? hold_frame(*out, batch->frame, err) : SHEAF_OK;
	for (int i = 0; i < batch->npacked; i++) hold_packed(*out, &batch->packed[i], schema);
	if (!status) status = hold_copy(*out, batch->keys, batch->sequences, SHEAF_PART_KEYS, SHEAF_U64, err);
	if (!status)
		status = hold_copy(*out, batch->lengths, batch->sequences, SHEAF_PART_LENGTHS, SHEAF_U32, err);
	return end_holding(status, out);
}

/* ---- memory ---- */

/* Memory that is held like a buffer, for values that another program makes. */
sheaf_status sheaf_hold_memory(int64_t size, sheaf_context *cx, void **data, sheaf_held **out,
                               sheaf_error *err)
{
	enum { LEAST = 64 }; /* less would not be aligned */
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer memory = {0};
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(data, "a place for the memory");
	*data = NULL;
	SHEAF_NEED(cx, "a context");
	SHEAF_EXPECT(size >= 0, "a size of at least 0", size);
	SHEAF_TRY(new_held(cx, 1, out, err));
	sheaf_builder b = {.cx = (*out)->owner};
	*data = sheaf_builder_extend(&b, size < LEAST ? LEAST : (uint64_t)size);
	sheaf_status status = sheaf_builder_finish(&b, &memory, err);
	if (status) return end_holding(status, out);
	hold(*out, &memory,
	     (sheaf_flat){.count = size, .column = -1, .part = SHEAF_PART_VALUES, .type = SHEAF_U8});
	return SHEAF_OK;
}

const sheaf_frame *sheaf_held_frame(const sheaf_held *held)
{
	return held && held->frame.columns ? &held->frame : NULL;
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
	sheaf_frame_free(&held->frame);
	for (int i = 0; i < held->nbuffers; i++) sheaf_buffer_reset(&held->buffers[i]);
	sheaf_arrow_release(owner, held, held->size);
}
