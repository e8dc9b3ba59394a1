/* SPDX-License-Identifier: MIT */
/* Checking a frame at one of four depths: nothing, the sizes of its buffers (which takes no look at the
 * rows), also that offsets ascend, or everything: indices, codes, and what missing positions cover. Whoever
 * reads a frame may rely on what was checked, so no rule is left out where something seems unlikely: frames
 * also come from callers and from files. Levels are checked from the outside in, since the last offset of a
 * level says how many positions the next one must have. */
#include "base/checked.h"
#include "base/need.h"
#include "frame/frame.h"
#include <inttypes.h>

/* Where in a frame something is checked. */
typedef struct spot {
	const sheaf_field *field;
	const sheaf_tensor *tensor; /* if it is one row that is a whole tensor, else NULL */
	int level, dimension;       /* the number of dimensions of the levels before */
	bool rowless;               /* in which case offsets may be missing */
	sheaf_error *err;
} spot;

/* DATA: what is wrong with a level. `what` comes before the number that was expected. */
static sheaf_status flaw(const spot *at, const char *what, int64_t expected, int64_t found)
{
	return sheaf_fail(at->err, SHEAF_DATA, "field \"%s\", level %d: expected %s %" PRId64 ", found %" PRId64,
	                  at->field->name, at->level, what, expected, found);
}

/* Checks that a buffer has room for `count` numbers of `size` bytes each. */
static sheaf_status check_bytes(const spot *at, const sheaf_buffer *buffer, int64_t count, size_t size,
                                const char *what)
{
	size_t bytes;
	if (!sheaf_mul_size(&bytes, (uint64_t)count, size) || buffer->size < bytes)
		return flaw(at, what, count, (int64_t)(buffer->size / size));
	return SHEAF_OK;
}

/* Checks the offsets of n positions, of which there are n + 1; *below becomes the end of what they cover,
 * which is the number of positions that the next level must have. The first and the last offset are always
 * looked at, those between them only at that depth. */
static sheaf_status check_offsets(const spot *at, const sheaf_level *level, int64_t n, sheaf_depth depth,
                                  int64_t *below)
{
	*below = 0;
	if (n == INT64_MAX) return flaw(at, "fewer positions than", INT64_MAX, n);
	if (at->rowless && level->offsets.size == 0) return SHEAF_OK;
	SHEAF_TRY(check_bytes(at, &level->offsets, n + 1, 8, "as many offsets as"));
	const int64_t *o = sheaf_level_offsets(level);
	if (o[0] < 0) return flaw(at, "a first offset of at least", 0, o[0]);
	for (int64_t p = 0; depth >= SHEAF_CHECK_OFFSETS && p < n; p++)
		if (o[p + 1] < o[p]) return flaw(at, "an offset of at least", o[p], o[p + 1]);
	if (o[n] < o[0]) return flaw(at, "a last offset of at least", o[0], o[n]);
	*below = o[n];
	return SHEAF_OK;
}

/* Checks the n indices of each dimension of a COORD level. Those of a whole tensor have the bound of their
 * own dimension, which may be narrower than the level's extent, the largest of several. */
static sheaf_status check_indices(const spot *at, const sheaf_level *level, int64_t n, sheaf_depth depth)
{
	for (int r = 0; r < level->shape.rank; r++) {
		int64_t extent = level->shape.extent;
		if (at->tensor && at->dimension + r < at->tensor->rank) {
			int64_t own = at->tensor->shape[at->tensor->order[at->dimension + r]];
			if (own < extent) extent = own;
		}
		SHEAF_TRY(check_bytes(at, &level->indices[r], n, sheaf_type_size(level->shape.index_type),
		                      "as many indices as"));
		for (int64_t p = 0; depth >= SHEAF_CHECK_FULL && p < n; p++) {
			int64_t i = sheaf_level_index(level, r, p);
			if (i < 0 || i >= extent) return flaw(at, "an index below", extent, i);
		}
	}
	return SHEAF_OK;
}

/* Checks the bits and codes of n positions: there are as many as positions, only positions that may be
 * missing have bits, and only missing ones a code. Missing positions cover nothing, except in runs of a fixed
 * length. */
static sheaf_status check_missing(const spot *at, const sheaf_level *level, int64_t n, sheaf_depth depth)
{
	const sheaf_gaps *gaps = level->gaps;
	bool has_gaps = sheaf_level_has_gaps(level), full = depth >= SHEAF_CHECK_FULL;
	int64_t bits;
	if (has_gaps && level->shape.missing == SHEAF_NEVER)
		return flaw(at, "as many bits of missing positions as", 0, (int64_t)gaps->valid.size * 8);
	if (has_gaps && gaps->valid_at < 0) return flaw(at, "a first bit of at least", 0, gaps->valid_at);
	if (has_gaps &&
	    (!sheaf_add_i64(&bits, gaps->valid_at, n) || (uint64_t)bits > (uint64_t)gaps->valid.size * 8))
		return flaw(at, "as many bits of missing positions as", n,
		            (int64_t)gaps->valid.size * 8 - gaps->valid_at);
	if (sheaf_level_codes(level)) SHEAF_TRY(check_bytes(at, &gaps->codes, n, 1, "as many codes as"));
	for (int64_t p = 0; full && sheaf_level_codes(level) && p < n; p++) {
		int code = sheaf_level_code(level, p);
		if (code < 0) return flaw(at, "a code of at least", 0, code);
		if (code && sheaf_level_has(level, p))
			return flaw(at, "the code of what is not missing to be", 0, code);
	}
	for (int64_t p = 0; full && has_gaps && level->shape.kind != SHEAF_FIXED && p < n; p++) {
		int64_t covered = sheaf_run_length(sheaf_level_below_one(level, p));
		if (sheaf_level_is_null(level, p) && covered) return flaw(at, "below a missing position", 0, covered);
	}
	return SHEAF_OK;
}

/* Checks that a level has the shape that its field says. A COORD level may have a smaller extent, and
 * narrower indices, and any level may do without missing positions; a FIXED level has the very extent. */
static sheaf_status check_shape(const spot *at, const sheaf_level_shape *have, const sheaf_level_shape *want)
{
	if (have->kind != want->kind) return flaw(at, "level kind", (int)want->kind, (int)have->kind);
	if (have->missing != SHEAF_NEVER && have->missing != want->missing)
		return flaw(at, "kind of missing positions", (int)want->missing, (int)have->missing);
	if (have->rank != want->rank) return flaw(at, "rank", want->rank, have->rank);
	if (have->kind == SHEAF_FIXED && have->extent != want->extent)
		return flaw(at, "a run of", want->extent, have->extent);
	if (have->kind == SHEAF_COORD && have->index_type != want->index_type && have->index_type != SHEAF_I32)
		return flaw(at, "index type", (int)want->index_type, (int)have->index_type);
	if (have->kind == SHEAF_COORD && have->extent > want->extent)
		return flaw(at, "an extent of at most", want->extent, have->extent);
	return SHEAF_OK;
}

/* Checks one level. *n is the number of its positions, and becomes that of the level below. */
static sheaf_status check_level(const spot *at, const sheaf_level *level, sheaf_depth depth, int64_t *n)
{
	int64_t positions = *n;
	bool fixed = level->shape.kind == SHEAF_FIXED;
	if (!fixed)
		SHEAF_TRY(check_offsets(at, level, positions, depth, n));
	else if (!sheaf_mul_i64(n, positions, level->shape.extent))
		return flaw(at, "fewer positions than", INT64_MAX, positions);
	SHEAF_TRY(check_missing(at, level, positions, depth));
	return level->shape.kind == SHEAF_COORD ? check_indices(at, level, *n, depth) : SHEAF_OK;
}

/* Checks a column from the outside in: that its shape is that of its field, then level by level, which gives
 * how many positions each next one has, and last that there are as many values. */
static sheaf_status check_column(const sheaf_frame *frame, const sheaf_schema *schema, int c,
                                 sheaf_depth depth, sheaf_error *err)
{
	const sheaf_column *column = &frame->columns[c];
	const sheaf_field *field = &schema->fields[c];
	spot at = {field, schema->rows == SHEAF_WHOLE ? &schema->tensor : NULL, 0, 0, frame->nrows == 0, err};
	int64_t n = frame->nrows;
	/* Keys and numbers may look the same to whoever makes a frame. */
	if (sheaf_means_run(column->meaning) != sheaf_means_run(field->meaning))
		return flaw(&at, "meaning", (int)field->meaning, (int)column->meaning);
	if (column->nlevels != field->nlevels) return flaw(&at, "levels:", field->nlevels, column->nlevels);
	if (column->nlevels > 0 && !column->levels) return flaw(&at, "levels:", field->nlevels, 0);
	if (column->type != field->type) return flaw(&at, "element type", (int)field->type, (int)column->type);
	for (; at.level < column->nlevels; at.level++) {
		const sheaf_level_shape *have = &column->levels[at.level].shape, *want = &field->levels[at.level];
		SHEAF_TRY(check_shape(&at, have, want));
		if (have->rank && !column->levels[at.level].indices) return flaw(&at, "indices:", have->rank, 0);
		SHEAF_TRY(check_level(&at, &column->levels[at.level], depth, &n));
		at.dimension += have->kind == SHEAF_COORD ? have->rank : 1;
	}
	return check_bytes(&at, &column->values, n, sheaf_type_size(column->type), "as many values as");
}

/* Checks that the coordinates of each entry are within the tensor's shape. */
static sheaf_status check_coordinates(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_error *err)
{
	for (int d = 0; d < schema->tensor.rank && d < schema->nfields; d++) {
		spot at = {&schema->fields[d], NULL, 0, 0, false, err};
		for (int64_t r = 0; r < frame->nrows && at.field->meaning == SHEAF_COORDINATE; r++) {
			int64_t c = sheaf_coordinate_at(&frame->columns[d], r);
			if (c < 0 || c >= schema->tensor.shape[d])
				return flaw(&at, "a coordinate below", schema->tensor.shape[d], c);
		}
	}
	return SHEAF_OK;
}

/* Buffers may be longer than their rows need: slices share them. */
sheaf_status sheaf_frame_check(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_depth depth,
                               sheaf_error *err)
{
	SHEAF_NEED(frame, "a frame");
	SHEAF_NEED(schema, "a schema");
	SHEAF_EXPECT((int)depth >= SHEAF_CHECK_NONE && depth <= SHEAF_CHECK_FULL, "a depth from 0 to 3",
	             (int)depth);
	if (frame->ncolumns > 0) SHEAF_NEED(frame->columns, "columns");
	if (depth == SHEAF_CHECK_NONE) return SHEAF_OK;
	if (frame->nrows < 0)
		return sheaf_fail(err, SHEAF_DATA, "frame: expected at least 0 rows, found %" PRId64, frame->nrows);
	if (frame->ncolumns != schema->nfields)
		return sheaf_fail(err, SHEAF_DATA, "frame: expected %d columns, found %d", schema->nfields,
		                  frame->ncolumns);
	if (frame->numbers.size && frame->numbers.size / 8 < (size_t)frame->nrows)
		return sheaf_fail(err, SHEAF_DATA, "frame: expected numbers of %" PRId64 " rows, found %zu",
		                  frame->nrows, frame->numbers.size / 8);
	if (frame->lines.size && frame->lines.size / 8 < (size_t)frame->nrows)
		return sheaf_fail(err, SHEAF_DATA, "frame: expected lines of %" PRId64 " rows, found %zu",
		                  frame->nrows, frame->lines.size / 8);
	for (int c = 0; c < frame->ncolumns; c++) SHEAF_TRY(check_column(frame, schema, c, depth, err));
	return depth == SHEAF_CHECK_FULL && schema->rows == SHEAF_ENTRIES ? check_coordinates(frame, schema, err)
	                                                                  : SHEAF_OK;
}

sheaf_status sheaf_frame_fits(const char *function, const sheaf_frame *frame, const sheaf_schema *schema,
                              sheaf_error *err)
{
	sheaf_error why;
	if (!frame) return sheaf_not_given(function, "a frame", err);
	sheaf_status status = sheaf_frame_check(frame, schema, SHEAF_CHECK_SIZES, &why);
	return status ? sheaf_misuse(err, function, "expected a sound frame of the same schema; %s", why.message)
	              : SHEAF_OK;
}
