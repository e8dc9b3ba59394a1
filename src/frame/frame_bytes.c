/* SPDX-License-Identifier: MIT */
/* Frames as bytes, in which parts of a job keep rows that another one reads. All numbers are little-endian:
 *
 *     u64      number of rows
 *     levels   of each: u32 type of its indices, u32 which positions may be missing, u64 first of its bits
 *     u64      size of each buffer, in the order of for_each below
 *     buffers  each at the next multiple of 64, counted from the first byte
 *
 * The buffers of the frame that is read are parts of these bytes, so that it needs no copy. What is not here
 * comes from the schema. The bytes may be damaged, or somebody else's: sizes and levels are
 * checked as they are read, and all that a frame promises before it is given away. */
#include "frame/frame_bytes.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "frame/frame.h"

enum { ALIGNMENT = SHEAF_FRAME_ALIGNMENT };

/* Calls for each buffer, in an order that the schema gives, with the bytes of a number in it; NULL stands for
 * one of a level without gaps, which is empty. */
typedef void each(void *user, sheaf_buffer *buffer, size_t width);

static void for_each(sheaf_frame *frame, each *call, void *user)
{
	call(user, &frame->lines, sizeof(int64_t));
	call(user, &frame->numbers, sizeof(int64_t));
	for (int c = 0; c < frame->ncolumns; c++) {
		sheaf_column *column = &frame->columns[c];
		for (int l = 0; l < column->nlevels; l++) {
			sheaf_level *level = &column->levels[l];
			call(user, &level->offsets, sizeof(int64_t));
			call(user, level->gaps ? &level->gaps->valid : NULL, 1);
			call(user, level->gaps ? &level->gaps->codes : NULL, 1);
			size_t width = sheaf_type_size(level->shape.index_type);
			for (int r = 0; r < level->shape.rank; r++) call(user, &level->indices[r], width);
		}
		call(user, &column->values, sheaf_type_size(column->type));
	}
}

static void align(sheaf_builder *b)
{
	static const uint8_t zeros[ALIGNMENT];
	sheaf_builder_append(b, zeros, (ALIGNMENT - b->size % ALIGNMENT) % ALIGNMENT);
}

/* ---- to bytes ---- */

static void put_size(void *user, sheaf_buffer *buffer, size_t width)
{
	(void)width;
	sheaf_builder_u64le((sheaf_builder *)user, buffer ? buffer->size : 0);
}

static void put_buffer(void *user, sheaf_buffer *buffer, size_t width)
{
	sheaf_builder *b = (sheaf_builder *)user;
	if (!buffer) return;
	uint8_t *to = sheaf_builder_extend(b, buffer->size);
	if (to) sheaf_copy_le(to, buffer->data, buffer->size / width, width);
	align(b);
}

void sheaf_frame_to_bytes(const sheaf_frame *frame, sheaf_builder *b)
{
	sheaf_frame own = *frame; /* its buffers are only read */
	sheaf_builder_u64le(b, (uint64_t)frame->nrows);
	for (int c = 0; c < frame->ncolumns; c++)
		for (int l = 0; l < frame->columns[c].nlevels; l++) {
			const sheaf_level *level = &frame->columns[c].levels[l];
			sheaf_builder_u32le(b, (uint32_t)level->shape.index_type);
			sheaf_builder_u32le(b, (uint32_t)level->shape.missing);
			sheaf_builder_u64le(b, level->gaps ? (uint64_t)level->gaps->valid_at : 0);
		}
	for_each(&own, put_size, b);
	align(b);
	for_each(&own, put_buffer, b);
}

/* ---- from bytes ---- */

typedef struct taking {
	sheaf_cursor sizes;
	sheaf_context *cx;
	const sheaf_buffer *bytes;
	size_t at;
	bool broken;
	sheaf_status status; /* of a copy */
	sheaf_error *err;
} taking;

/* Gives the frame its next buffer, with for_each: a part of the bytes themselves, if they are numbers in this
 * machine's order, else a copy. Empty ones take no space. If a size is more than the bytes that are left, or
 * there is a buffer that the schema has no place for, everything is broken, and nothing more is taken. */
static void take_buffer(void *user, sheaf_buffer *buffer, size_t width)
{
	sheaf_builder b;
	taking *t = (taking *)user;
	uint64_t size = sheaf_cursor_u64le(&t->sizes, "size of a buffer");
	size_t left = t->bytes->size - t->at;
	t->broken |= t->sizes.failed || size > left || (!buffer && size > 0);
	if (t->broken || t->status || size == 0) return;
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || width == 1) {
		*buffer = sheaf_buffer_part(t->bytes, t->at, (size_t)size);
	} else {
		sheaf_builder_begin(&b, t->cx, NULL);
		uint8_t *to = sheaf_builder_extend(&b, size);
		if (to) sheaf_copy_le(to, t->bytes->data + t->at, (size_t)size / width, width);
		t->status = sheaf_builder_finish(&b, buffer, t->err);
	}
	size_t step = ((size_t)size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	t->at += step < left ? step : left;
}

static sheaf_status refuse(const char *what, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "rows: expected %s, found other bytes", what);
}

/* Reads the number of rows, the levels and the sizes, then gives the frame its buffers. The frame has the
 * shape of the schema already; what the bytes say of a level must be possible for it. */
static sheaf_status read(const sheaf_buffer *bytes, sheaf_frame *frame, sheaf_error *err)
{
	size_t buffers = 2 + (size_t)frame->ncolumns; /* as for_each counts them */
	taking t = {.cx = frame->cx, .bytes = bytes, .err = err};
	sheaf_cursor c = sheaf_cursor_over(bytes->data, bytes->size, 0);
	if ((uintptr_t)bytes->data % sizeof(uint64_t)) return refuse("aligned bytes", err);
	int64_t nrows = sheaf_cursor_i64le(&c, "number of rows");
	for (int i = 0; i < frame->ncolumns; i++)
		for (int l = 0; l < frame->columns[i].nlevels; l++) {
			sheaf_level *level = &frame->columns[i].levels[l];
			bool coord = level->shape.kind == SHEAF_COORD;
			uint32_t type = sheaf_cursor_u32le(&c, "type of indices");
			uint32_t missing = sheaf_cursor_u32le(&c, "missing positions");
			int64_t valid_at = sheaf_cursor_i64le(&c, "first bit");
			if (c.failed || missing > SHEAF_IMPUTED || (missing && !level->gaps) ||
			    (coord && type != SHEAF_I32 && type != SHEAF_I64))
				return refuse("a level", err);
			if (coord) level->shape.index_type = (sheaf_type)type;
			level->shape.missing = (sheaf_missing)missing;
			if (level->gaps) level->gaps->valid_at = valid_at;
			buffers += 3 + (size_t)level->shape.rank;
		}
	t.sizes = c;
	if (!sheaf_cursor_bytes(&c, buffers, sizeof(uint64_t), "sizes")) return refuse("sizes of buffers", err);
	t.at = (size_t)(c.at - bytes->data);
	t.at += (ALIGNMENT - t.at % ALIGNMENT) % ALIGNMENT;
	if (t.at > bytes->size) return refuse("buffers", err);
	for_each(frame, take_buffer, &t);
	frame->nrows = nrows;
	SHEAF_TRY(t.status);
	return t.broken ? refuse("whole buffers", err) : SHEAF_OK;
}

sheaf_status sheaf_frame_from_bytes(const sheaf_buffer *bytes, const sheaf_schema *schema, sheaf_context *cx,
                                    sheaf_frame *out, sheaf_error *err)
{
	*out = (sheaf_frame){0};
	SHEAF_TRY(sheaf_frame_begin(out, schema, cx, err));
	sheaf_status status = read(bytes, out, err);
	if (!status) status = sheaf_frame_check(out, schema, SHEAF_CHECK_FULL, err);
	if (status)
		sheaf_frame_free(out);
	else
		out->checked = true;
	return status;
}
