/* SPDX-License-Identifier: MIT */
/* The frame builder from the inside: what decoders and views fill. It owns each growing buffer of a frame, so
 * that who fills them begins once and ends once, whatever happens in between:
 *
 *     sheaf_frame_builder b;
 *     sheaf_status status = sheaf_frame_builder_begin(&b, schema, frame, cx, err);
 *     if (status == SHEAF_OK) status = fill(&b);
 *     return sheaf_frame_builder_end(&b, status, frame, err);
 *
 * Buffers are filled with what base/buffer.h has, or with the steps below. Failures stick, and come out at
 * the end. */
#ifndef SHEAF_DATA_FRAME_BUILDER_H
#define SHEAF_DATA_FRAME_BUILDER_H

#include "base/buffer.h"
#include "data/frame.h"
#include <sheaf/build.h>

typedef struct sheaf_level_builder {
	const sheaf_level_shape *shape; /* the field's */
	sheaf_builder offsets;          /* LIST, COORD: begins with 0 */
	sheaf_builder *indices;         /* COORD: shape->rank of them; else one that stays empty */
	/* What is missing, where something can be: both are empty up to the first position that is, or has a
	 * code. Else they are builders that stay empty. */
	sheaf_builder *valid, *codes;
} sheaf_level_builder;

typedef struct sheaf_column_builder {
	const sheaf_field *field;
	sheaf_builder values;
	sheaf_level_builder *levels; /* field->nlevels of them */
	bool given;                  /* whole buffers come from the caller: they are checked at the end */
} sheaf_column_builder;

struct sheaf_frame_builder {
	sheaf_context *cx;
	const sheaf_schema *schema;
	int64_t nrows; /* rows that are complete */
	sheaf_column_builder *columns;
	sheaf_builder lines; /* int64 of each row, where the input has lines */
	sheaf_builder notes; /* what a format's decode passes to its review */
	void *memory;
	size_t memory_size;
	/* Of the public calls: */
	sheaf_schema own;    /* a copy of the caller's */
	sheaf_error failure; /* the first one */
};

/* Makes the frame one of the schema, which must stay, and takes over those of its buffers that nobody else
 * owns. Whatever comes out, sheaf_frame_builder_end must follow. */
SHEAF_USE sheaf_status sheaf_frame_builder_begin(sheaf_frame_builder *b, const sheaf_schema *schema,
                                                 sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);
/* Where `status` is OK, moves all buffers into the frame, as nrows rows. Where it is a flaw of the input
 * (sheaf_is_flaw), the frame gets the rows that were complete before it; else it has none. Frees what the
 * builder has; returns `status`, or what failed while filling. */
SHEAF_USE sheaf_status sheaf_frame_builder_end(sheaf_frame_builder *b, sheaf_status status,
                                               sheaf_frame *frame, sheaf_error *err);
/* What has failed while filling, of memory, in any buffer. */
SHEAF_USE sheaf_status sheaf_frame_builder_status(const sheaf_frame_builder *b, sheaf_error *err);
/* Drops all that is beyond the rows that are complete. */
void sheaf_frame_builder_go_back(sheaf_frame_builder *b);
/* Drops all that was filled in, whatever it is: no row is left, no line and no note. */
void sheaf_frame_builder_clear(sheaf_frame_builder *b);

/* ---- steps of filling ---- */

/* Ends a position of a LIST or COORD level: what it covers ends at position `below` of what is below. */
static inline void sheaf_level_end(sheaf_level_builder *level, int64_t below)
{
	sheaf_builder_i64(&level->offsets, below);
}

/* Position p, which is not before any that was missing, is so, for the reason `code`. */
void sheaf_level_miss(sheaf_level_builder *level, int64_t p, int code);

/* Coordinates and indices are I32 or I64. */
static inline void sheaf_put_index(sheaf_builder *b, sheaf_type type, int64_t index)
{
	int32_t narrow = (int32_t)index;
	if (type == SHEAF_I64)
		sheaf_builder_i64(b, index);
	else
		sheaf_builder_append(b, &narrow, sizeof narrow);
}

/* Numbers of F32 or F64. */
static inline void sheaf_put_real(sheaf_builder *b, sheaf_type type, double value)
{
	float narrow = (float)value;
	if (type == SHEAF_F64)
		sheaf_builder_append(b, &value, sizeof value);
	else
		sheaf_builder_append(b, &narrow, sizeof narrow);
}

/* A text, or bytes, in the last level of a column, which is a LIST. */
static inline void sheaf_column_put_text(sheaf_column_builder *column, const void *text, size_t n)
{
	sheaf_builder_append(&column->values, text, n);
	sheaf_level_end(&column->levels[column->field->nlevels - 1], (int64_t)column->values.size);
}

/* The same, or a position that is missing where there is no text. */
static inline void sheaf_column_put_text_or_none(sheaf_column_builder *column, const char *text)
{
	sheaf_level_builder *level = &column->levels[column->field->nlevels - 1];
	if (!text) sheaf_level_miss(level, (int64_t)(level->offsets.size / sizeof(int64_t)) - 1, 0);
	sheaf_column_put_text(column, text, text ? strlen(text) : 0);
}

/* How many positions the column's level has so far; of its values, where `level` is the number of levels. */
int64_t sheaf_column_count(const sheaf_column_builder *column, int level);

#endif
