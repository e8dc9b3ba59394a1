/* SPDX-License-Identifier: MIT */
/* A tensor as one row: a chain of levels, whose buffers are views of the file if it has them in that form. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/spell.h"
#include "data/frame.h"
#include "format/binsparse/reader.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct whole_reader {
	const sheaf_bsp_tensor *t;
	sheaf_depth depth;
	sheaf_column_builder *column;
	sheaf_context *cx;
	sheaf_error *err;
	bool is_broken;
} whole_reader;

/* ---- the schema ---- */

static void shape_level(const sheaf_bsp_descriptor *d, int l, sheaf_level_shape *shape)
{
	int depth = sheaf_bsp_depth(&d->layout, l);
	*shape = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = sheaf_bsp_extent(d, depth)};
	if (!d->layout.levels[l].is_sparse) return;
	shape->kind = SHEAF_COORD;
	shape->rank = d->layout.levels[l].rank;
	shape->index_type = SHEAF_I32;
	for (int r = 0; r < shape->rank; r++) {
		int64_t extent = sheaf_bsp_extent(d, depth + r);
		if (extent > shape->extent) shape->extent = extent;
		if (extent > INT32_MAX) shape->index_type = SHEAF_I64;
	}
}

sheaf_status sheaf_bsp_whole_schema(sheaf_bsp_reader *in, sheaf_error *err)
{
	const sheaf_bsp_descriptor *d = &sheaf_bsp_only(in)->d;
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, "value", 5, &field, err));
	in->schema.rows = SHEAF_WHOLE;
	SHEAF_TRY(sheaf_schema_make_levels(&in->schema, field, d->layout.nlevels + 1, err));
	field->type = d->values.type;
	field->nlevels = d->layout.nlevels;
	for (int l = 0; l < field->nlevels; l++) shape_level(d, l, &field->levels[l]);
	if (d->values.is_bool) field->meaning = SHEAF_BOOL;
	if (!d->values.is_complex) return SHEAF_OK;
	field->meaning = SHEAF_COMPLEX;
	field->levels[field->nlevels++] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = 2};
	return SHEAF_OK;
}

/* ---- order, on buffers of either type ---- */

/* The first position in [from, to), from > 0, whose tuple is not above the one before; `to` if there is
 * none. */
#define ASCENDS(name, type) \
	static int64_t ascends_##name(const sheaf_level_builder *level, int64_t from, int64_t to) \
	{ \
		const type *first = (const type *)(const void *)level->indices[0].data; \
		int64_t i = from; \
		if (level->shape->rank == 1) { \
			int sound = 1; \
			for (; i < to; i++) sound &= first[i] > first[i - 1]; \
			if (sound) return to; \
		} \
		for (i = from; i < to; i++) { \
			int r = 0; \
			const type *at = first; \
			while (at[i] == at[i - 1] && ++r < level->shape->rank) \
				at = (const type *)(const void *)level->indices[r].data; \
			if (r == level->shape->rank || at[i] < at[i - 1]) return i; \
		} \
		return to; \
	}
ASCENDS(i32, int32_t)
ASCENDS(i64, int64_t)

static sheaf_status flaw(whole_reader *w, const char *rule, const char *array, int64_t at, const char *wanted,
                         int64_t found)
{
	char text[64];
	bool mends = strcmp(rule, "order of indices") == 0;
	snprintf(text, sizeof text, "%" PRId64 "%s", found,
	         mends ? " (" SHEAF_OPTION("repair") " mends that)" : "");
	w->is_broken = true;
	return sheaf_bsp_report(w->t, SHEAF_FINDING(SHEAF_FATAL, rule, .found = text), w->cx, w->err,
	                        "%s[%" PRId64 "] %s", array, at, wanted);
}

static int64_t index_at(const sheaf_level_builder *level, int r, int64_t i)
{
	return sheaf_index_at(level->indices[r].data, level->shape->index_type, i);
}

static sheaf_status check_order(whole_reader *w, int l, const sheaf_level_builder *level)
{
	const int64_t *o = (const int64_t *)(const void *)level->offsets.data;
	const char *name = w->t->indices[sheaf_bsp_depth(&w->t->d.layout, l)].name;
	for (int64_t p = 0; p < w->t->counts[l] && !w->is_broken; p++) {
		int64_t at = o[p + 1];
		if (o[p + 1] - o[p] > 1)
			at = level->shape->index_type == SHEAF_I32 ? ascends_i32(level, o[p] + 1, o[p + 1])
			                                           : ascends_i64(level, o[p] + 1, o[p + 1]);
		if (at < o[p + 1])
			return flaw(w, "order of indices", name, at, "above the one before", index_at(level, 0, at));
	}
	return SHEAF_OK;
}

static sheaf_status check_range(whole_reader *w, const sheaf_level_builder *level, int r, int dimension)
{
	const char *name = w->t->indices[dimension].name;
	int64_t n = (int64_t)(level->indices[r].size / sheaf_type_size(level->shape->index_type)),
			extent = sheaf_bsp_extent(&w->t->d, dimension);
	uint64_t most = 0;
	const void *data = level->indices[r].data;
	if (level->shape->index_type == SHEAF_I32)
		for (int64_t i = 0; i < n; i++)
			most = ((const uint32_t *)data)[i] > most ? ((const uint32_t *)data)[i] : most;
	else
		for (int64_t i = 0; i < n; i++)
			most = ((const uint64_t *)data)[i] > most ? ((const uint64_t *)data)[i] : most;
	if (n == 0 || most < (uint64_t)extent) return SHEAF_OK;
	for (int64_t i = 0; i < n; i++) {
		int64_t index = index_at(level, r, i);
		if (index < 0 || index >= extent)
			return flaw(w, "index range", name, i, "inside of the shape", index);
	}
	return SHEAF_OK;
}

/* ---- one level ---- */

/* Those that do not fit become -1, which is outside every extent. */
static void put_narrowed(const sheaf_buffer *wide, sheaf_builder *out)
{
	size_t n = wide->size / sizeof(int64_t);
	const int64_t *from = (const int64_t *)(const void *)wide->data;
	int32_t *to = (int32_t *)(void *)sheaf_builder_extend(out, n * sizeof(int32_t));
	for (size_t i = 0; to && i < n; i++) to[i] = from[i] < 0 || from[i] > INT32_MAX ? -1 : (int32_t)from[i];
}

static sheaf_status read_indices(whole_reader *w, sheaf_level_builder *level, const sheaf_bsp_array *a, int r)
{
	sheaf_buffer read = {0};
	sheaf_type type = a->repaired.data ? SHEAF_I64 : a->item ? a->item->type : SHEAF_U8;
	bool narrow = level->shape->index_type == SHEAF_I32;
	bool fits = narrow && (type == SHEAF_I32 || type == SHEAF_U32);
	SHEAF_TRY(fits ? sheaf_bsp_read_raw(w->t, a, (sheaf_bsp_range){0, a->count}, &type, &read, w->err)
	               : sheaf_bsp_read_i64(w->t, a, (sheaf_bsp_range){0, a->count}, w->cx, &read, w->err));
	if (narrow && !fits)
		put_narrowed(&read, &level->indices[r]);
	else
		sheaf_builder_hold(&level->indices[r], &read);
	sheaf_buffer_reset(&read);
	return sheaf_builder_status(&level->indices[r], w->err);
}

static sheaf_status read_offsets(whole_reader *w, int l, sheaf_level_builder *level)
{
	const sheaf_bsp_array *pointers = &w->t->pointers[l];
	sheaf_buffer read = {0};
	if (l == 0 || (!pointers->item && !pointers->repaired.data)) {
		for (int64_t p = 0; p < w->t->counts[l]; p++) sheaf_level_end(level, w->t->counts[l + 1]);
	} else {
		SHEAF_TRY(sheaf_bsp_read_i64(w->t, pointers, (sheaf_bsp_range){0, w->t->counts[l] + 1}, w->cx, &read,
		                             w->err));
		sheaf_builder_hold(&level->offsets, &read);
	}
	return sheaf_builder_status(&level->offsets, w->err);
}

static sheaf_status check_offsets(whole_reader *w, int l, const sheaf_level_builder *level)
{
	sheaf_bsp_checking c = {.t = w->t,
	                        .l = l,
	                        .above = {0, w->t->counts[l]},
	                        .below = {0, w->t->counts[l + 1]},
	                        .pointers = (const int64_t *)(const void *)level->offsets.data};
	c.cx = w->cx;
	c.err = w->err;
	if (l == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_bsp_check_pointers(&c));
	w->is_broken |= c.is_broken;
	return SHEAF_OK;
}

static sheaf_status read_level(whole_reader *w, int l)
{
	sheaf_level_builder *level = &w->column->levels[l];
	int depth = sheaf_bsp_depth(&w->t->d.layout, l);
	if (level->shape->kind == SHEAF_FIXED) return SHEAF_OK;
	SHEAF_TRY(read_offsets(w, l, level));
	for (int r = 0; r < level->shape->rank; r++)
		SHEAF_TRY(read_indices(w, level, &w->t->indices[depth + r], r));
	if (w->depth >= SHEAF_CHECK_OFFSETS) SHEAF_TRY(check_offsets(w, l, level));
	for (int r = 0; r < level->shape->rank && w->depth >= SHEAF_CHECK_FULL; r++)
		SHEAF_TRY(check_range(w, level, r, depth + r));
	return w->depth >= SHEAF_CHECK_FULL && !w->is_broken ? check_order(w, l, level) : SHEAF_OK;
}

sheaf_status sheaf_bsp_decode_whole(const sheaf_bsp_reader *in, sheaf_frame_builder *to, sheaf_error *err)
{
	whole_reader w = {
		.t = sheaf_bsp_only(in), .depth = in->depth, .column = &to->columns[0], .cx = to->cx, .err = err};
	for (int l = 0; l < w.t->d.layout.nlevels; l++) SHEAF_TRY(read_level(&w, l));
	SHEAF_TRY(sheaf_bsp_read_values(w.t, 0, sheaf_bsp_elements(w.t), &w.column->values, err));
	if (w.is_broken)
		sheaf_frame_builder_clear(to);
	else
		to->nrows = 1;
	return SHEAF_OK;
}
