/* SPDX-License-Identifier: MIT */
/* Frames as plain arrays, for callers that hand them to other libraries. Nothing is copied: pointers lead
 * into the buffers of the frame, and are valid as long as it is unchanged. Offsets are absolute, so those of
 * a slice need not begin with 0. What the caller asks for must fit the column: a stream, one item in each
 * row, or a tensor (USAGE otherwise). */
#include "frame/frame.h"
#include "frame/value.h"
#include <sheaf/arrays.h>
#include <string.h>

static const int64_t zero_offsets[2]; /* of frames without rows, which need not have any */

static sheaf_items items_of(const sheaf_buffer *buffer, sheaf_type type, int64_t count)
{
	return (sheaf_items){.type = type, .count = count, .data = buffer->data};
}

static bool has(const sheaf_items *items, int64_t i) { return items && i >= 0 && i < items->count; }

double sheaf_items_number(const sheaf_items *items, int64_t i)
{
	sheaf_canon canon;
	if (!has(items, i)) return 0;
	sheaf_canon_values(items->type, items->data, i, 1, &canon);
	return canon.nearest;
}

int64_t sheaf_items_integer(const sheaf_items *items, int64_t i)
{
	if (!has(items, i)) return 0;
	switch (items->type) {
	case SHEAF_U8: return items->u8[i];
	case SHEAF_U16: return items->u16[i];
	case SHEAF_U32: return items->u32[i];
	case SHEAF_U64: return (int64_t)items->u64[i];
	case SHEAF_I8: return items->i8[i];
	case SHEAF_I16: return items->i16[i];
	case SHEAF_I32: return items->i32[i];
	case SHEAF_I64: return items->i64[i];
	case SHEAF_F32:
	case SHEAF_F64: break;
	}
	return 0;
}

/* Checks what all of these calls need; `column` is the one that the caller asks for, or 0 for a tensor, which
 * has at least one. */
static sheaf_status check(const sheaf_frame *frame, const sheaf_schema *schema, int column, const void *out,
                          sheaf_error *err)
{
	if (!frame || !schema || !out)
		return sheaf_fail(err, SHEAF_USAGE, "arrays: expected a frame, its schema and room, found NULL");
	if (frame->ncolumns != schema->nfields)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "arrays: expected a frame of %d columns, as the schema has, found %d",
		                  schema->nfields, frame->ncolumns);
	if (column < 0 || column >= schema->nfields)
		return sheaf_fail(err, SHEAF_USAGE, "arrays: expected a column below %d, found %d", schema->nfields,
		                  column);
	return SHEAF_OK;
}

static sheaf_status refuse(const sheaf_field *field, const char *expected, sheaf_error *err)
{
	char text[64];
	return sheaf_fail(err, SHEAF_USAGE, "column \"%s\": expected %s, found %s", field->name, expected,
	                  sheaf_field_text(field, text, sizeof text));
}

static const int64_t *offsets_of(const sheaf_level *level)
{
	return level->offsets.size ? sheaf_level_offsets(level) : zero_offsets;
}

/* Streams have two levels: the samples of each row, and the values or entries of each sample. */
sheaf_status sheaf_frame_stream(const sheaf_frame *frame, const sheaf_schema *schema, int column,
                                sheaf_stream_arrays *out, sheaf_error *err)
{
	SHEAF_TRY(check(frame, schema, column, out, err));
	const sheaf_field *field = &schema->fields[column];
	const sheaf_column *from = &frame->columns[column];
	*out = (sheaf_stream_arrays){.sparse = sheaf_field_is_sparse(field)};
	if (!sheaf_field_is_stream(field) || from->nlevels != 2) return refuse(field, "a stream", err);
	out->dim = sheaf_field_dim(field);
	out->nrows = frame->nrows;
	out->rows = offsets_of(&from->levels[0]);
	int64_t samples = out->rows[frame->nrows];
	out->values = items_of(&from->values, from->type, samples * out->dim);
	if (!out->sparse) return SHEAF_OK;
	out->entries = offsets_of(&from->levels[1]);
	out->values.count = out->entries[samples];
	out->indices = items_of(&from->levels[1].indices[0], from->levels[1].shape.index_type, out->values.count);
	return SHEAF_OK;
}

/* A column may have one level at most, which makes one item of what it covers, or may be missing. */
sheaf_status sheaf_frame_column(const sheaf_frame *frame, const sheaf_schema *schema, int column,
                                sheaf_column_arrays *out, sheaf_error *err)
{
	SHEAF_TRY(check(frame, schema, column, out, err));
	const sheaf_field *field = &schema->fields[column];
	const sheaf_column *from = &frame->columns[column];
	const sheaf_level *level = &from->levels[0];
	*out = (sheaf_column_arrays){
		.meaning = field->meaning, .digits = field->digits, .nrows = frame->nrows, .width = 1};
	if (from->nlevels > 1 || (from->nlevels && level->shape.kind == SHEAF_COORD))
		return refuse(field, "a column with one item in each row", err);
	if (from->nlevels && level->shape.kind == SHEAF_LIST) out->offsets = offsets_of(level);
	if (from->nlevels && level->shape.kind == SHEAF_FIXED) out->width = level->shape.extent;
	if (from->nlevels) out->codes = sheaf_level_codes(level);
	if (from->nlevels && sheaf_level_has_gaps(level)) {
		out->valid = level->gaps->valid.data;
		out->valid_at = level->gaps->valid_at;
	}
	out->values = items_of(&from->values, from->type,
	                       out->offsets ? out->offsets[frame->nrows] : frame->nrows * out->width);
	return SHEAF_OK;
}

/* Lists the levels of a whole tensor, from the outside in: each sparse one has pointers, and an array of
 * indices for each of its dimensions; each dense one has neither. d is the dimension, in the order of the
 * levels, and n the number of positions above the level, which is that of entries in the end. */
static void take_levels(const sheaf_column *column, int nlevels, int64_t rows, const sheaf_tensor *tensor,
                        sheaf_tensor_arrays *out)
{
	int64_t n = rows;
	for (int l = 0, d = 0; l < nlevels && d < SHEAF_MAX_RANK; l++) {
		const sheaf_level *level = &column->levels[l];
		int rank = level->shape.kind == SHEAF_COORD ? level->shape.rank : 1;
		if (level->shape.kind == SHEAF_COORD) {
			out->pointers[d] = offsets_of(level);
			out->npointers[d] = n + 1;
			n = out->pointers[d][n];
		} else {
			n *= level->shape.extent;
		}
		for (int r = 0; r < rank && d < SHEAF_MAX_RANK; r++, d++) {
			out->shape[d] = tensor->shape[tensor->order[d]];
			if (level->shape.kind == SHEAF_COORD)
				out->indices[d] = items_of(&level->indices[r], level->shape.index_type, n);
		}
	}
	out->nentries = n;
}

/* Entries are columns of coordinates and one of values; a whole tensor is one column of levels, of which the
 * last holds the parts of complex numbers if it has these. */
sheaf_status sheaf_frame_tensor(const sheaf_frame *frame, const sheaf_schema *schema,
                                sheaf_tensor_arrays *out, sheaf_error *err)
{
	SHEAF_TRY(check(frame, schema, 0, out, err));
	*out = (sheaf_tensor_arrays){.rank = schema->tensor.rank};
	int value = schema->rows == SHEAF_ENTRIES ? sheaf_schema_value(schema) : 0;
	if ((schema->rows != SHEAF_ENTRIES && schema->rows != SHEAF_WHOLE) || value < 0)
		return sheaf_fail(err, SHEAF_USAGE, "arrays: expected a tensor, found %s",
		                  sheaf_row_kind_name(schema->rows));
	const sheaf_column *column = &frame->columns[value];
	bool complex = schema->fields[value].meaning == SHEAF_COMPLEX;
	for (int d = 0; schema->rows == SHEAF_ENTRIES && d < out->rank; d++) {
		out->shape[d] = schema->tensor.shape[d];
		out->indices[d] = items_of(&frame->columns[d].values, frame->columns[d].type, frame->nrows);
	}
	out->nentries = frame->nrows;
	if (schema->rows == SHEAF_WHOLE)
		take_levels(column, column->nlevels - complex, frame->nrows, &schema->tensor, out);
	out->values = items_of(&column->values, column->type, out->nentries * (complex ? 2 : 1));
	return SHEAF_OK;
}
