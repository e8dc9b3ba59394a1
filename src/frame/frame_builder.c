/* SPDX-License-Identifier: MIT */
/* Beginning a frame, ending it, and going back to its last complete row. One walk makes, moves and drops all
 * buffers of all columns, so that none is forgotten when a kind of buffer is added. Each buffer of the frame
 * has a builder while it grows, which takes over the memory of the buffer that was there, and gives it back
 * in the end: frames that follow each other use the same memory. */
#include "frame/frame_builder.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include <inttypes.h>

/* ---- the buffers ---- */

/* What a walk over all buffers does with each buffer of the frame and its builder: the builder takes over the
 * memory of the buffer (TAKE_OVER), hands its bytes over to the buffer (HAND_OVER), drops them (DROP), or is
 * asked whether it has failed (LOOK). */
typedef enum step { TAKE_OVER, HAND_OVER, DROP, LOOK } step;

/* Takes one step with one builder. The buffer is NULL for DROP and LOOK, which touch no frame. */
static sheaf_status take_step(sheaf_frame_builder *b, step s, sheaf_builder *builder, sheaf_buffer *buffer,
                              sheaf_error *err)
{
	if (s == HAND_OVER) return sheaf_builder_finish(builder, buffer, err);
	if (s == LOOK) return sheaf_builder_status(builder, err);
	if (s == TAKE_OVER)
		sheaf_builder_begin(builder, b->cx, buffer);
	else
		sheaf_builder_drop(builder);
	return SHEAF_OK;
}

/* Takes the step with every buffer that the columns have, then with the notes and the lines, until one fails.
 * `frame` is NULL for DROP and LOOK. A builder whose columns were not allocated has only notes and lines. */
static sheaf_status walk(sheaf_frame_builder *b, sheaf_frame *frame, step s, sheaf_error *err)
{
	for (int c = 0; b->columns && c < b->schema->nfields; c++) {
		sheaf_column_builder *from = &b->columns[c];
		sheaf_column *column = frame ? &frame->columns[c] : NULL;
		for (int l = 0; l < from->field->nlevels; l++) {
			sheaf_level_builder *level = &from->levels[l];
			sheaf_level *to = column ? &column->levels[l] : NULL;
			SHEAF_TRY(take_step(b, s, &level->offsets, to ? &to->offsets : NULL, err));
			if (level->shape->missing) {
				SHEAF_TRY(take_step(b, s, level->valid, to ? &to->gaps->valid : NULL, err));
				SHEAF_TRY(take_step(b, s, level->codes, to ? &to->gaps->codes : NULL, err));
			}
			for (int r = 0; r < level->shape->rank; r++)
				SHEAF_TRY(take_step(b, s, &level->indices[r], to ? &to->indices[r] : NULL, err));
		}
		SHEAF_TRY(take_step(b, s, &from->values, column ? &column->values : NULL, err));
	}
	SHEAF_TRY(take_step(b, s, &b->notes, frame ? &frame->notes : NULL, err));
	return take_step(b, s, &b->lines, frame ? &frame->lines : NULL, err);
}

/* A copy of the builder goes into the walk, which may change builders; LOOK changes none. */
sheaf_status sheaf_frame_builder_status(const sheaf_frame_builder *b, sheaf_error *err)
{
	sheaf_frame_builder same = *b;
	return walk(&same, NULL, LOOK, err);
}

/* ---- beginning ---- */

enum { GAPS = 2 }; /* builders for missing positions: valid and codes */

/* Allocates all builders of the columns in one block and points at them:
 *
 *     columns | levels of all columns | an empty builder | gaps and indices, level by level
 *
 * A part that a level does not have gets the empty builder, which stays so: code that fills streams need not
 * know whether they are sparse, or may be missing. */
static sheaf_status allocate(sheaf_frame_builder *b, sheaf_error *err)
{
	const sheaf_schema *schema = b->schema;
	size_t levels = 0, builders = 1;
	for (int f = 0; f < schema->nfields; f++)
		for (int l = 0; l < schema->fields[f].nlevels; l++, levels++) {
			const sheaf_level_shape *shape = &schema->fields[f].levels[l];
			builders += (size_t)shape->rank + (shape->missing ? GAPS : 0);
		}
	b->memory_size = (size_t)schema->nfields * sizeof(sheaf_column_builder) +
	                 levels * sizeof(sheaf_level_builder) + builders * sizeof(sheaf_builder);
	SHEAF_TRY(sheaf_allocate(b->cx, b->memory_size, &b->memory, err));
	b->columns = (sheaf_column_builder *)b->memory;
	sheaf_level_builder *level = (sheaf_level_builder *)(b->columns + schema->nfields);
	sheaf_builder *empty = (sheaf_builder *)(level + levels), *next = empty + 1;
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		b->columns[f].field = field;
		b->columns[f].levels = level;
		for (int l = 0; l < field->nlevels; l++, level++) {
			const sheaf_level_shape *shape = level->shape = &field->levels[l];
			level->valid = shape->missing ? next++ : empty;
			level->codes = shape->missing ? next++ : empty;
			level->indices = shape->rank ? next : empty;
			next += shape->rank;
		}
	}
	return SHEAF_OK;
}

/* Offsets begin with 0, the end of what comes before the first position. */
static void begin_offsets(sheaf_frame_builder *b)
{
	for (int c = 0; c < b->schema->nfields; c++)
		for (int l = 0; l < b->columns[c].field->nlevels; l++)
			if (b->columns[c].levels[l].shape->kind != SHEAF_FIXED)
				sheaf_builder_i64(&b->columns[c].levels[l].offsets, 0);
}

/* All members that sheaf_frame_builder_end looks at are set before anything can fail, so that it can follow
 * any outcome. */
sheaf_status sheaf_frame_builder_begin(sheaf_frame_builder *b, const sheaf_schema *schema, sheaf_frame *frame,
                                       sheaf_context *cx, sheaf_error *err)
{
	b->cx = cx;
	b->schema = schema;
	b->nrows = 0;
	b->columns = NULL;
	b->memory = NULL;
	b->failure.status = SHEAF_OK;
	b->lines = b->notes = (sheaf_builder){.cx = cx};
	SHEAF_TRY(sheaf_frame_begin(frame, schema, cx, err));
	SHEAF_TRY(allocate(b, err));
	sheaf_status status = walk(b, frame, TAKE_OVER, err);
	begin_offsets(b);
	return status;
}

/* Refuses at most OF_A_BYTE cells for each byte, beyond the first ALWAYS: a table that is small needs no
 * check, whatever it was made of. A product that 64 bits do not hold counts as the largest number. */
sheaf_status sheaf_check_cells(const sheaf_context *cx, int64_t rows, int columns, int64_t bytes,
                               sheaf_error *err)
{
	enum { OF_A_BYTE = 64, ALWAYS = 1 << 20 };
	int64_t cells;
	if (!sheaf_mul_i64(&cells, rows, columns)) cells = INT64_MAX;
	if ((cells - ALWAYS) / OF_A_BYTE <= bytes || sheaf_context_allows_large(cx)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_LIMIT,
	                  "rows: expected at most %d cells for each byte, found %" PRId64
	                  " rows of %d columns in %" PRId64
	                  " bytes, which name few of them (" SHEAF_OPTION("allow") " large reads them anyway)",
	                  OF_A_BYTE, rows, columns, bytes);
}

/* ---- ending ---- */

/* The number of positions that n positions of a level cover below it. 0 if the level has fewer offsets than
 * that, for want of memory. */
static int64_t count_below(const sheaf_level_builder *level, int64_t n)
{
	if (level->shape->kind == SHEAF_FIXED) return n * level->shape->extent;
	const int64_t *offsets = sheaf_i64s(level->offsets.data);
	return (int64_t)(level->offsets.size / sizeof *offsets) > n ? offsets[n] : 0;
}

/* Completes the bits and codes of missing positions, which so far end with the last missing position of their
 * level: those of the positions after it say that they are there. A level without a missing position has no
 * bits, and keeps none. Columns that were given as whole runs stay as the caller has made them. The walk down
 * stops at the last level that may have missing positions, since only there their number is needed. */
static void fill_up(sheaf_frame_builder *b)
{
	for (int c = 0; c < b->schema->nfields; c++) {
		const sheaf_column_builder *column = &b->columns[c];
		int nlevels = column->given ? 0 : column->field->nlevels;
		int64_t n = b->nrows;
		while (nlevels > 0 && !column->levels[nlevels - 1].shape->missing) nlevels--;
		for (int l = 0; l < nlevels; l++) {
			const sheaf_level_builder *level = &column->levels[l];
			if (level->valid->size) (void)sheaf_builder_pad(level->valid, (size_t)(n + 7) / 8, 0xff);
			if (level->codes->size) (void)sheaf_builder_pad(level->codes, (size_t)n, 0);
			n = count_below(level, n);
		}
	}
}

/* After a flaw of the input the complete rows before it are kept; after any other failure nothing is. The
 * caller's failure comes first: one while the rows are moved is returned only if there was none before. */
sheaf_status sheaf_frame_builder_end(sheaf_frame_builder *b, sheaf_status status, sheaf_frame *frame,
                                     sheaf_error *err)
{
	bool keeps = b->columns && (!status || sheaf_is_flaw(status));
	sheaf_status moved = SHEAF_OK;
	if (keeps && status) sheaf_frame_builder_go_back(b);
	if (keeps) {
		fill_up(b);
		moved = walk(b, frame, HAND_OVER, status ? NULL : err);
	}
	frame->nrows = keeps && moved == SHEAF_OK ? b->nrows : 0;
	if (!status) status = moved;
	(void)!walk(b, NULL, DROP, NULL);
	sheaf_release(b->cx, b->memory, b->memory_size);
	b->memory = NULL;
	b->columns = NULL;
	return status;
}

/* ---- missing positions ---- */

/* A bit that is set means that its position is there, and a code of 0 that nothing says why it is missing.
 * Both are extended up to position p only now: most levels have no missing position, and no bits. */
void sheaf_level_miss(sheaf_level_builder *level, int64_t p, int code)
{
	if (!sheaf_builder_pad(level->valid, (size_t)p / 8 + 1, 0xff)) return;
	level->valid->data[p / 8] &= (uint8_t) ~(1u << (p % 8));
	if (code && sheaf_builder_pad(level->codes, (size_t)p + 1, 0)) level->codes->data[p] = (uint8_t)code;
}

/* ---- going back ---- */

/* Drops all bytes of a builder after the first `size`. If a buffer of somebody else shares the bytes
 * (`held`), the dropped ones are still in use there, and must not be written over. So the capacity falls to
 * the size, too: the next append finds no room, and goes on in a copy. */
static void shorten(sheaf_builder *b, size_t size)
{
	if (b->size <= size) return;
	b->size = size;
	if (b->held) b->capacity = size;
}

/* Goes down from the first level, where n is a number of rows, and keeps in each level what belongs to them;
 * below each level n is the number of positions that they cover there. In the last byte of bits that is kept,
 * those of dropped positions are set again, as if none of them had been missing. */
void sheaf_column_go_back(sheaf_column_builder *column, int64_t n)
{
	for (int l = 0; l < column->field->nlevels; l++) {
		sheaf_level_builder *level = &column->levels[l];
		size_t bytes = (size_t)(n + 7) / 8;
		shorten(level->valid, bytes);
		if (n % 8 && level->valid->size == bytes) level->valid->data[n / 8] |= (uint8_t)(0xff << (n % 8));
		shorten(level->codes, (size_t)n);
		if (level->shape->kind != SHEAF_FIXED) shorten(&level->offsets, (size_t)(n + 1) * sizeof(int64_t));
		n = count_below(level, n);
		for (int r = 0; r < level->shape->rank; r++)
			shorten(&level->indices[r], (size_t)n * sheaf_type_size(level->shape->index_type));
	}
	shorten(&column->values, (size_t)n * sheaf_type_size(column->field->type));
}

void sheaf_frame_builder_go_back(sheaf_frame_builder *b)
{
	for (int c = 0; c < b->schema->nfields; c++) sheaf_column_go_back(&b->columns[c], b->nrows);
	shorten(&b->lines, (size_t)b->nrows * sizeof(int64_t));
}

/* Dropped builders are as they were at the beginning, so their offsets begin again, too. */
void sheaf_frame_builder_clear(sheaf_frame_builder *b)
{
	(void)!walk(b, NULL, DROP, NULL);
	begin_offsets(b);
	b->nrows = 0;
}

/* A FIXED level has no buffer that says how many positions it has. So the next level below that has offsets,
 * or else the values, are counted, and divided by how many of them each position of `level` covers. */
int64_t sheaf_column_count(const sheaf_column_builder *column, int level)
{
	int64_t covered = 1;
	for (; level < column->field->nlevels; level++) {
		const sheaf_level_builder *below = &column->levels[level];
		if (below->shape->kind != SHEAF_FIXED)
			return (int64_t)(below->offsets.size / sizeof(int64_t) - 1) / covered;
		covered *= below->shape->extent;
	}
	return covered ? (int64_t)(column->values.size / sheaf_type_size(column->field->type)) / covered : 0;
}
