/* SPDX-License-Identifier: MIT */
/* Frames: shaping, slicing, appending, releasing.
 *
 * A frame owns the memory of its columns and shares the buffers in them: a buffer is never written once
 * somebody else may have it, so slices cost nothing, and memory that nobody shares is used again for the next
 * rows. Positions of level l are the elements that level l - 1 covers, and rows are the positions of level 0,
 * so a walk from the first level to the values turns a run of rows into a run of each buffer:
 *
 *     rows [1, 3)   offsets 0 2 2 5   positions [2, 5) of the next level, or of the values */
#include "frame/frame.h"
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include <string.h>

/* ---- the memory of columns ----
 *
 * One block has the columns, after them the levels of all, two at least of each, after those the buffers of
 * their indices, and last the gaps of those levels that may have some. */

enum { LEAST_LEVELS = 2 }; /* a view makes streams of cells in place */

static int levels_of(int nlevels) { return nlevels > LEAST_LEVELS ? nlevels : LEAST_LEVELS; }

void sheaf_level_close_gaps(sheaf_level *level)
{
	if (!level->gaps) return;
	sheaf_buffer_reset(&level->gaps->valid);
	sheaf_buffer_reset(&level->gaps->codes);
	level->gaps->valid_at = 0;
}

/* Buffer number k of a column, for callers that do something with each: counting from level to level the
 * offsets, the indices, the bits and the codes, and last the values. NULL after the last one. `nlevels` may
 * be more than the column has: then the buffers of levels that it had before are among them, to be freed. */
static sheaf_buffer *buffer_of(sheaf_column *column, int nlevels, int k)
{
	for (int l = 0; l < nlevels; l++) {
		sheaf_level *level = &column->levels[l];
		if (k-- == 0) return &level->offsets;
		if (k < level->shape.rank) return &level->indices[k];
		k -= level->shape.rank;
		if (!level->gaps) continue;
		if (k < 2) return k ? &level->gaps->codes : &level->gaps->valid;
		k -= 2;
	}
	return k ? NULL : &column->values;
}

void sheaf_frame_free(sheaf_frame *frame)
{
	if (!frame) return;
	for (int c = 0; c < frame->ncolumns; c++) {
		sheaf_column *column = &frame->columns[c];
		sheaf_buffer *buffer;
		for (int k = 0; (buffer = buffer_of(column, levels_of(column->nlevels), k)); k++)
			sheaf_buffer_reset(buffer);
	}
	sheaf_release(frame->cx, frame->columns, frame->size);
	sheaf_buffer_reset(&frame->lines);
	sheaf_buffer_reset(&frame->numbers);
	sheaf_buffer_reset(&frame->notes);
	*frame = (sheaf_frame){0};
}

/* After what the columns of a frame are made: fields, or the columns of another frame. */
typedef struct pattern {
	int n;                       /* columns to be made */
	const sheaf_field *fields;   /* n of them; NULL: the columns are the pattern */
	const sheaf_column *columns; /* of the other frame */
	const int *chosen;           /* numbers of n columns of the other frame; NULL: all, in order */
} pattern;

static int pattern_levels(const pattern *p, int c)
{
	return p->fields ? p->fields[c].nlevels : p->columns[p->chosen ? p->chosen[c] : c].nlevels;
}

static const sheaf_level_shape *pattern_shape(const pattern *p, int c, int l)
{
	return p->fields ? &p->fields[c].levels[l] : &p->columns[p->chosen ? p->chosen[c] : c].levels[l].shape;
}

/* Whether the memory of a frame already has the shape of the pattern, so that it can be used again: as many
 * columns, levels and indices, and a place for gaps wherever the pattern may have some. */
static bool is_made_after(const sheaf_frame *frame, const pattern *p)
{
	if (!frame->columns || frame->ncolumns != p->n) return false;
	for (int c = 0; c < p->n; c++) {
		const sheaf_column *column = &frame->columns[c];
		if (column->nlevels != pattern_levels(p, c)) return false;
		for (int l = 0; l < column->nlevels; l++) {
			const sheaf_level_shape *shape = pattern_shape(p, c, l);
			if (column->levels[l].shape.rank != shape->rank) return false;
			if (shape->missing && !column->levels[l].gaps) return false;
		}
	}
	return true;
}

/* Allocates the block of columns, levels, indices and gaps for a pattern, all zeros, and points at its parts.
 * The frame owns it; `size` is kept because releasing memory takes its size. */
static sheaf_status allocate_columns(sheaf_frame *frame, const pattern *p, sheaf_context *cx,
                                     sheaf_error *err)
{
	void *memory;
	size_t nlevels = 0, nindices = 0, ngaps = 0;
	for (int c = 0; c < p->n; c++) {
		nlevels += (size_t)levels_of(pattern_levels(p, c));
		for (int l = 0; l < pattern_levels(p, c); l++) {
			nindices += (size_t)pattern_shape(p, c, l)->rank;
			ngaps += pattern_shape(p, c, l)->missing != SHEAF_NEVER;
		}
	}
	size_t size = (size_t)p->n * sizeof(sheaf_column) + nlevels * sizeof(sheaf_level) +
	              nindices * sizeof(sheaf_buffer) + ngaps * sizeof(sheaf_gaps);
	SHEAF_TRY(sheaf_allocate(cx, size, &memory, err));
	*frame = (sheaf_frame){
		.ncolumns = p->n, .columns = (sheaf_column *)memory, .cx = sheaf_context_owner(cx), .size = size};
	sheaf_level *levels = (sheaf_level *)(frame->columns + p->n); /* all parts are zeros */
	sheaf_buffer *indices = (sheaf_buffer *)(levels + nlevels);
	sheaf_gaps *gaps = (sheaf_gaps *)(indices + nindices);
	for (int c = 0; c < p->n; c++) {
		frame->columns[c].nlevels = pattern_levels(p, c);
		frame->columns[c].levels = levels;
		for (int l = 0; l < frame->columns[c].nlevels; l++) {
			const sheaf_level_shape *shape = pattern_shape(p, c, l);
			levels[l].shape.rank = shape->rank;
			levels[l].indices = indices;
			indices += shape->rank;
			if (shape->missing) levels[l].gaps = gaps++;
		}
		levels += levels_of(frame->columns[c].nlevels);
	}
	return SHEAF_OK;
}

/* Gives a frame the memory that the pattern needs: its own if that has the shape, with the buffers in it, or
 * else a new block without buffers. */
static sheaf_status make_columns(sheaf_frame *frame, const pattern *p, sheaf_context *cx, sheaf_error *err)
{
	if (is_made_after(frame, p)) return SHEAF_OK;
	sheaf_frame_free(frame);
	return allocate_columns(frame, p, cx, err);
}

/* Memory of a frame of the same shape is kept, also that of gaps; those of a level that misses nothing are
 * closed. */
sheaf_status sheaf_frame_begin(sheaf_frame *frame, const sheaf_schema *schema, sheaf_context *cx,
                               sheaf_error *err)
{
	pattern as = {.n = schema->nfields, .fields = schema->fields};
	SHEAF_TRY(make_columns(frame, &as, cx, err));
	for (int c = 0; c < schema->nfields; c++) {
		const sheaf_field *field = &schema->fields[c];
		sheaf_column *column = &frame->columns[c];
		column->meaning = field->meaning;
		column->digits = field->digits;
		column->type = field->type;
		for (int l = 0; l < field->nlevels; l++) {
			sheaf_gaps *gaps = column->levels[l].gaps;
			column->levels[l].shape = field->levels[l];
			if (gaps) gaps->valid_at = 0;
			if (!field->levels[l].missing) sheaf_level_close_gaps(&column->levels[l]);
		}
	}
	frame->nrows = 0;
	frame->checked = false;
	return SHEAF_OK;
}

/* Empties a buffer. Its memory stays for the next rows, unless somebody else shares it. */
static void clear(sheaf_buffer *buffer)
{
	buffer->size = 0;
	if (!sheaf_buffer_is_sole(buffer)) sheaf_buffer_reset(buffer);
}

void sheaf_column_clear(sheaf_column *column)
{
	sheaf_buffer *buffer;
	for (int k = 0; (buffer = buffer_of(column, column->nlevels, k)); k++) clear(buffer);
	for (int l = 0; l < column->nlevels; l++)
		if (column->levels[l].gaps) column->levels[l].gaps->valid_at = 0;
}

void sheaf_frame_clear(sheaf_frame *frame)
{
	frame->nrows = 0;
	clear(&frame->lines);
	clear(&frame->numbers);
	for (int c = 0; c < frame->ncolumns; c++) sheaf_column_clear(&frame->columns[c]);
}

int64_t sheaf_frame_bytes(const sheaf_frame *frame)
{
	size_t bytes = 0;
	for (int c = 0; c < frame->ncolumns; c++) {
		sheaf_column *column = &frame->columns[c];
		const sheaf_buffer *buffer;
		for (int k = 0; (buffer = buffer_of(column, column->nlevels, k)); k++) bytes += buffer->size;
	}
	return (int64_t)bytes;
}

/* ---- slices ---- */

/* Makes *to share the memory of *from: all of it or, if `cut`, the numbers of `run`, of `size` bytes each. An
 * empty buffer stays empty whatever the run. What *to had before is released last, since it may be the very
 * memory of *from. */
static void share(sheaf_buffer *to, const sheaf_buffer *from, bool cut, sheaf_run run, size_t size)
{
	sheaf_buffer old = *to;
	if (!cut)
		*to = sheaf_buffer_ref(from);
	else if (from->size)
		*to = sheaf_buffer_part(from, (size_t)run.begin * size, (size_t)sheaf_run_length(run) * size);
	else
		*to = (sheaf_buffer){0};
	sheaf_buffer_reset(&old);
}

/* Makes *out share rows `run` of a column. Buffers above and at the first offsets are cut to the run, which
 * becomes the run of the next level on the way down. Below the first offsets nothing is cut, since offsets
 * count positions from the beginning of the whole buffers. Bits of missing positions are never cut, as a run
 * need not begin with a byte: valid_at says where its first bit is.
 *
 * With a field (NULL: none), the outcome has the levels and missing positions of that field: if it has one
 * level more than the column, whose items could not be missing, this comes first. */
static void slice_column(const sheaf_column *column, const sheaf_field *field, sheaf_run run,
                         sheaf_column *out)
{
	bool cut = true;
	int added = field ? field->nlevels - column->nlevels : 0;
	out->meaning = column->meaning;
	out->digits = column->digits;
	out->type = column->type;
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_level *level = &column->levels[l];
		sheaf_level *to = &out->levels[l + added];
		to->shape = level->shape;
		if (to->gaps && level->gaps) {
			share(&to->gaps->valid, &level->gaps->valid, false, run, 1);
			to->gaps->valid_at = level->gaps->valid_at + (cut ? run.begin : 0);
			share(&to->gaps->codes, &level->gaps->codes, cut, run, 1);
		} else {
			sheaf_level_close_gaps(to);
		}
		for (int r = 0; r < level->shape.rank; r++) share(&to->indices[r], &level->indices[r], false, run, 1);
		if (level->shape.kind == SHEAF_FIXED) {
			run = sheaf_level_below(level, run);
		} else {
			share(&to->offsets, &level->offsets, cut, (sheaf_run){run.begin, run.end + 1}, sizeof(int64_t));
			cut = false;
		}
	}
	share(&out->values, &column->values, cut, run, sheaf_type_size(column->type));
	if (added) out->levels[0].shape = field->levels[0];
	for (int l = 0; field && l < field->nlevels; l++) out->levels[l].shape.missing = field->levels[l].missing;
}

/* Makes *out share some rows of the columns that a pattern chooses: what sheaf_frame_slice, sheaf_frame_pick
 * and sheaf_frame_fit have in common. Lines and numbers of rows go along. Those that an earlier slice left in
 * *out are replaced even where this frame has none. */
static sheaf_status slice(const sheaf_frame *frame, sheaf_run rows, const pattern *as, sheaf_frame *out,
                          sheaf_error *err)
{
	SHEAF_TRY(make_columns(out, as, frame->cx, err));
	for (int c = 0; c < as->n; c++)
		slice_column(&frame->columns[as->chosen ? as->chosen[c] : c], as->fields ? &as->fields[c] : NULL,
		             rows, &out->columns[c]);
	if (frame->lines.size || out->lines.size) share(&out->lines, &frame->lines, true, rows, sizeof(int64_t));
	if (frame->numbers.size || out->numbers.size)
		share(&out->numbers, &frame->numbers, true, rows, sizeof(int64_t));
	out->nrows = sheaf_run_length(rows);
	out->checked = frame->checked;
	return SHEAF_OK;
}

sheaf_status sheaf_frame_slice(const sheaf_frame *frame, int64_t from, int64_t to, sheaf_frame *out,
                               sheaf_error *err)
{
	pattern as = {.n = frame->ncolumns, .columns = frame->columns};
	return slice(frame, (sheaf_run){from, to}, &as, out, err);
}

sheaf_status sheaf_frame_pick(const sheaf_frame *frame, const int *columns, int n, sheaf_frame *out,
                              sheaf_error *err)
{
	pattern as = {.n = columns ? n : frame->ncolumns, .columns = frame->columns, .chosen = columns};
	return slice(frame, (sheaf_run){0, frame->nrows}, &as, out, err);
}

sheaf_status sheaf_frame_fit(const sheaf_frame *frame, const int *columns, const sheaf_schema *schema,
                             sheaf_frame *out, sheaf_error *err)
{
	pattern as = {.n = schema->nfields, .fields = schema->fields, .chosen = columns};
	return slice(frame, (sheaf_run){0, frame->nrows}, &as, out, err);
}

/* ---- appending ---- */

/* Appends the numbers of a run, of `size` bytes each, to a buffer. Resuming a buffer that somebody else
 * shares copies it, so that theirs does not change. */
static sheaf_status append_bytes(sheaf_buffer *to, const sheaf_buffer *from, sheaf_run run, size_t size,
                                 sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_resume(&b, cx, to);
	if (from->size)
		sheaf_builder_append(&b, from->data + (size_t)run.begin * size, (size_t)sheaf_run_length(run) * size);
	return sheaf_builder_finish(&b, to, err);
}

/* Appends the offsets of a run of positions. They begin where those of *to end, wherever they began in their
 * own frame, so the same shift is added to each. An empty *to first gets the 0 with which offsets begin. */
static sheaf_status append_offsets(sheaf_buffer *to, const sheaf_buffer *from, sheaf_run run,
                                   sheaf_context *cx, sheaf_error *err)
{
	const int64_t *offsets = sheaf_i64s(from->data);
	sheaf_builder b;
	sheaf_builder_resume(&b, cx, to);
	if (b.size == 0) sheaf_builder_i64(&b, 0);
	if (!b.failed && sheaf_builder_room(&b, (uint64_t)sheaf_run_length(run) * 8)) {
		int64_t *end = (int64_t *)(void *)(b.data + b.size);
		int64_t shift = end[-1] - offsets[run.begin];
		for (int64_t p = run.begin; p < run.end; p++) *end++ = offsets[p + 1] + shift;
		b.size += (size_t)sheaf_run_length(run) * 8;
	}
	return sheaf_builder_finish(&b, to, err);
}

/* Appends the bits of missing positions of a run to a level that has `before` positions so far. A level
 * without bits has no missing position; if neither has bits, none are made. The bits of *to are first
 * extended by ones, up to the last new position, and then set one by one, as the two need not agree where a
 * byte begins. */
static sheaf_status append_valid(sheaf_level *to, int64_t before, const sheaf_level *from, sheaf_run run,
                                 sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	if (!sheaf_level_has_gaps(to) && !sheaf_level_has_gaps(from)) return SHEAF_OK;
	sheaf_builder_resume(&b, cx, &to->gaps->valid);
	bool room = sheaf_builder_pad(&b, (size_t)(before + sheaf_run_length(run) + 7) / 8, 0xff);
	for (int64_t p = run.begin, at = before; room && p < run.end; p++, at++) {
		uint8_t bit = (uint8_t)(1u << (at % 8)), *byte = &b.data[at / 8];
		*byte = (uint8_t)(sheaf_level_has(from, p) ? *byte | bit : *byte & ~bit);
	}
	return sheaf_builder_finish(&b, &to->gaps->valid, err);
}

/* Appends the codes of a run to a level that has `before` positions so far: why each of them is missing, 0
 * for no reason. If only one of the two has codes, those of the other are zeros. */
static sheaf_status append_codes(sheaf_level *to, int64_t before, const sheaf_level *from, sheaf_run run,
                                 sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	const int8_t *codes = sheaf_level_codes(from);
	if (!codes && to->gaps->codes.size == 0) return SHEAF_OK;
	sheaf_builder_resume(&b, cx, &to->gaps->codes);
	if (sheaf_builder_pad(&b, (size_t)(before + sheaf_run_length(run)), 0) && codes)
		memcpy(b.data + before, codes + run.begin, (size_t)sheaf_run_length(run));
	return sheaf_builder_finish(&b, &to->gaps->codes, err);
}

/* Goes down through the levels: `before` and `run` become the number of positions that *to has in the next
 * level, and the run of positions that are appended there. `before` of the level below is the last offset,
 * looked up before new offsets follow it. */
sheaf_status sheaf_column_append(sheaf_column *to, int64_t before, const sheaf_column *from, sheaf_run run,
                                 sheaf_context *cx, sheaf_error *err)
{
	bool none = run.begin == run.end; /* a frame without rows need not have offsets */
	to->meaning = from->meaning;
	to->digits = from->digits;
	to->type = from->type;
	for (int l = 0; l < from->nlevels; l++) {
		const sheaf_level *level = &from->levels[l];
		sheaf_level *out = &to->levels[l];
		out->shape = level->shape;
		if (none) continue;
		if (out->gaps) {
			SHEAF_TRY(append_valid(out, before, level, run, cx, err));
			SHEAF_TRY(append_codes(out, before, level, run, cx, err));
		}
		if (level->shape.kind == SHEAF_FIXED) {
			before *= level->shape.extent;
		} else {
			before = out->offsets.size ? sheaf_level_offsets(out)[before] : 0;
			SHEAF_TRY(append_offsets(&out->offsets, &level->offsets, run, cx, err));
		}
		run = sheaf_level_below(level, run);
		for (int r = 0; r < level->shape.rank; r++)
			SHEAF_TRY(append_bytes(&out->indices[r], &level->indices[r], run,
			                       sheaf_type_size(level->shape.index_type), cx, err));
	}
	return none ? SHEAF_OK
	            : append_bytes(&to->values, &from->values, run, sheaf_type_size(from->type), cx, err);
}

sheaf_status sheaf_frame_append(sheaf_frame *to, const sheaf_frame *rows, int64_t from, int64_t until,
                                sheaf_context *cx, sheaf_error *err)
{
	pattern as = {.n = rows->ncolumns, .columns = rows->columns};
	SHEAF_TRY(make_columns(to, &as, cx, err));
	for (int c = 0; c < rows->ncolumns; c++)
		SHEAF_TRY(sheaf_column_append(&to->columns[c], to->nrows, &rows->columns[c], (sheaf_run){from, until},
		                              cx, err));
	if (rows->lines.size)
		SHEAF_TRY(append_bytes(&to->lines, &rows->lines, (sheaf_run){from, until}, 8, cx, err));
	if (rows->numbers.size)
		SHEAF_TRY(append_bytes(&to->numbers, &rows->numbers, (sheaf_run){from, until}, 8, cx, err));
	to->checked = rows->checked && (to->nrows == 0 || to->checked);
	to->nrows += until - from;
	return SHEAF_OK;
}

/* ---- rows by their numbers ---- */

/* How many of n numbers, one at least, follow one another. */
static int64_t run_of(const int64_t *rows, int64_t n)
{
	int64_t k = 1;
	while (k < n && rows[k] == rows[k - 1] + 1) k++;
	return k;
}

sheaf_status sheaf_frame_take(const sheaf_frame *frame, const sheaf_schema *schema, const int64_t *rows,
                              int64_t n, sheaf_frame *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = (sheaf_frame){0};
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	SHEAF_NEED(frame->cx, "a frame with a context");
	SHEAF_EXPECT(n >= 0, "a number of rows of at least 0", n);
	if (n > 0) SHEAF_NEED(rows, "numbers of rows");
	for (int64_t i = 0; i < n; i++)
		SHEAF_EXPECT(rows[i] >= 0 && rows[i] < frame->nrows, "numbers of rows of the frame", rows[i]);
	sheaf_status status = SHEAF_OK;
	if (n == 0 || run_of(rows, n) == n) {
		status = sheaf_frame_slice(frame, n ? rows[0] : 0, n ? rows[n - 1] + 1 : 0, out, err);
	} else {
		for (int64_t i = 0, run = 0; i < n && !status; i += run) {
			run = run_of(rows + i, n - i);
			status = sheaf_frame_append(out, frame, rows[i], rows[i] + run, frame->cx, err);
		}
	}
	if (status) sheaf_frame_free(out);
	return status;
}

/* ---- room for what will be appended ---- */

/* Makes room in a buffer for `times` as many bytes as it has. A wish that memory does not grant is no
 * failure, but one while a shared buffer is copied is. */
static sheaf_status expect_bytes(sheaf_buffer *buffer, double times, sheaf_context *cx, sheaf_error *err)
{
	enum { WORTH_IT = 64 << 10 }; /* smaller sizes are moved within a cache */
	double more = (double)buffer->size * (times - 1);
	if (more < WORTH_IT || more > (double)(INT64_MAX / 2)) return SHEAF_OK;
	sheaf_builder b;
	sheaf_builder_resume(&b, cx, buffer);
	(void)sheaf_builder_wish(&b, (uint64_t)more);
	return sheaf_builder_finish(&b, buffer, err);
}

sheaf_status sheaf_frame_expect(sheaf_frame *frame, double times, sheaf_context *cx, sheaf_error *err)
{
	for (int c = 0; c < frame->ncolumns; c++) {
		sheaf_column *column = &frame->columns[c];
		sheaf_buffer *buffer;
		for (int k = 0; (buffer = buffer_of(column, column->nlevels, k)); k++)
			SHEAF_TRY(expect_bytes(buffer, times, cx, err));
	}
	SHEAF_TRY(expect_bytes(&frame->lines, times, cx, err));
	return expect_bytes(&frame->numbers, times, cx, err);
}
