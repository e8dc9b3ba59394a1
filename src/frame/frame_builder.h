/* SPDX-License-Identifier: MIT */
/* The inside of the frame builder, which decoders and views fill. It owns each growing buffer of a frame, so
 * that its users begin once and end once, whatever happens in between:
 *
 *     sheaf_frame_builder b;
 *     sheaf_status status = sheaf_frame_builder_begin(&b, schema, frame, cx, err);
 *     if (status == SHEAF_OK) status = fill(&b);
 *     return sheaf_frame_builder_end(&b, status, frame, err);
 *
 * Buffers are filled by the functions of base/buffer.h, or by the steps below. Failures stick, and are
 * reported at the end. */
#ifndef SHEAF_FRAME_FRAME_BUILDER_H
#define SHEAF_FRAME_FRAME_BUILDER_H

#include "base/buffer.h"
#include "frame/frame.h"
#include <sheaf/build.h>

typedef struct sheaf_level_builder {
	const sheaf_level_shape *shape; /* of the field */
	sheaf_builder offsets;          /* LIST, COORD: begins with 0 */
	sheaf_builder *indices;         /* COORD: shape->rank of them; otherwise one that stays empty */
	/* For positions that may be missing: both stay empty up to the first one that is missing, or has a code.
	 * Otherwise they stay empty. */
	sheaf_builder *valid, *codes;
} sheaf_level_builder;

typedef struct sheaf_column_builder {
	const sheaf_field *field;
	sheaf_builder values;
	sheaf_level_builder *levels; /* field->nlevels of them */
	bool given;                  /* the caller provided whole buffers: they are checked at the end */
} sheaf_column_builder;

struct sheaf_frame_builder {
	sheaf_context *cx;
	const sheaf_schema *schema;
	int64_t nrows; /* the number of complete rows */
	sheaf_column_builder *columns;
	sheaf_builder lines; /* int64 for each row, if the input has lines */
	sheaf_builder notes; /* what a format's decode passes to its review */
	void *memory;
	size_t memory_size;
	/* Used by the public calls: */
	sheaf_schema own;    /* a copy of the caller's schema */
	sheaf_error failure; /* the first failure */
};

/* Makes the frame one of the schema, which must stay, and takes over those of its buffers that have no other
 * owner. sheaf_frame_builder_end must follow, whatever this returns. */
SHEAF_USE sheaf_status sheaf_frame_builder_begin(sheaf_frame_builder *b, const sheaf_schema *schema,
                                                 sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);
/* If `status` is OK, moves all buffers into the frame, as nrows rows. If it is a flaw of the input
 * (sheaf_is_flaw), the frame gets the rows that were complete before it; otherwise it has none. Frees the
 * builder; returns `status`, or the failure while filling. */
SHEAF_USE sheaf_status sheaf_frame_builder_end(sheaf_frame_builder *b, sheaf_status status,
                                               sheaf_frame *frame, sheaf_error *err);
/* The memory failure while filling, in any buffer. */
SHEAF_USE sheaf_status sheaf_frame_builder_status(const sheaf_frame_builder *b, sheaf_error *err);
/* For inputs whose rows need not name each column: LIMIT if too many cells (rows times columns) would be made
 * of this number of bytes, unless the context allows it. A few bytes could take any time. */
SHEAF_USE sheaf_status sheaf_check_cells(const sheaf_context *cx, int64_t rows, int columns, int64_t bytes,
                                         sheaf_error *err);
/* Drops everything after the complete rows, or after the first n rows of one column. */
void sheaf_frame_builder_go_back(sheaf_frame_builder *b);
void sheaf_column_go_back(sheaf_column_builder *column, int64_t n);
/* Drops everything: no row, no line and no note is left. */
void sheaf_frame_builder_clear(sheaf_frame_builder *b);

/* ---- steps of filling ---- */

/* Ends a position of a LIST or COORD level: what it covers ends at position `below` of the level below. */
static inline void sheaf_level_end(sheaf_level_builder *level, int64_t below)
{
	sheaf_builder_i64(&level->offsets, below);
}

/* Position p, which is not before any earlier missing one, is missing, for the reason `code`. */
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

/* The same, or a missing position if there is no text. */
static inline void sheaf_column_put_text_or_none(sheaf_column_builder *column, const char *text)
{
	sheaf_level_builder *level = &column->levels[column->field->nlevels - 1];
	if (!text) sheaf_level_miss(level, (int64_t)(level->offsets.size / sizeof(int64_t)) - 1, 0);
	sheaf_column_put_text(column, text, text ? strlen(text) : 0);
}

/* The number of positions that the column's level has so far; of its values, if `level` is the number of
 * levels. */
int64_t sheaf_column_count(const sheaf_column_builder *column, int level);

#endif
