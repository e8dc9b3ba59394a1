/* SPDX-License-Identifier: MIT */
/* Arrays of an archive into rows: the parts that a run of rows covers, level by level.
 *
 *   rows       0   1   2
 *   offsets    0   2   2   5       row 1 is empty; the last offset is the number of values
 *   values     a b     c d e
 *
 * A run of rows is a run of positions at the first level; its offsets say which run of positions that is at
 * the next one, down to the values, so that a piece needs only a view of each array. When the archive is
 * opened, the counts of all arrays are compared with each other, from the ends of the offsets; the offsets
 * and indices in between are checked as rows are taken. */
#include "format/numpy/npz/streams.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

/* ---- opening ---- */

void sheaf_npz_close_streams(sheaf_npz_streams *s)
{
	if (!s->cx) return;
	for (int i = 0; s->arrays && i < s->slots.n; i++) sheaf_array_close(&s->arrays[i]);
	sheaf_release(s->cx, s->arrays, (size_t)s->slots.n * sizeof *s->arrays);
	sheaf_npz_free_slots(&s->slots);
	s->cx = NULL;
}

static sheaf_status refuse(const sheaf_npz_streams *s, const sheaf_npz_slot *slot, const char *expected,
                           const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s, member %s.npy: expected %s, found %s", s->file, slot->name,
	                  expected, found);
}

static sheaf_status refuse_count(const sheaf_npz_streams *s, const sheaf_npz_slot *slot, int64_t expected,
                                 int64_t found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s, member %s.npy: expected %" PRId64
	                  " items, as the arrays beside it say, found %" PRId64,
	                  s->file, slot->name, expected, found);
}

static const sheaf_array *array_at(const sheaf_npz_streams *s, const sheaf_npz_slot *slot)
{
	return &s->arrays[slot - s->slots.slots];
}

/* Returns whether an array has the type that its slot needs. Integers that say where things are may have
 * any width; values have the type in the schema, or are floats of two bytes for four. */
static bool has_type(const sheaf_npz_slot *slot, const sheaf_dtype *dtype)
{
	const sheaf_part *part = dtype->parts;
	if (dtype->structured) return false;
	if (slot->what == NPZ_OFFSETS || slot->what == NPZ_INDICES || slot->what == NPZ_DIM)
		return part->kind == 'i' || part->kind == 'u';
	bool is_half = part->kind == 'f' && part->size == 2 && slot->item.size == 4;
	return part->kind == slot->item.kind && (part->size == slot->item.size || is_half) &&
	       part->digits == slot->item.digits && part->scale == 1 && !part->months &&
	       part->days == slot->item.days;
}

/* Opens the array of slot i and checks that its type and its extents are those of the schema. The marks
 * and codes of missing values and the dim may be absent from an archive: such a slot keeps an array
 * without a holding. A stream of one value in each sample may have its values in one dimension. */
static sheaf_status open_slot(const sheaf_zip *archive, sheaf_npz_streams *s, int i, sheaf_error *err)
{
	const sheaf_npz_slot *slot = &s->slots.slots[i];
	const sheaf_zip_member *member = sheaf_npz_find(archive, slot->name);
	sheaf_array *a = &s->arrays[i];
	bool is_optional = slot->what == NPZ_VALID || slot->what == NPZ_CODES || slot->what == NPZ_DIM;
	if (!member) return is_optional ? SHEAF_OK : refuse(s, slot, "such an array", "none", err);
	SHEAF_TRY(sheaf_npz_open_member(archive, member, a, err));
	bool is_flat = a->rank == 1 && slot->ntail == 1 && slot->tail[0] == 1;
	if (!has_type(slot, &a->dtype)) return refuse(s, slot, "items of the schema's type", "others", err);
	if (a->rank != (slot->what == NPZ_DIM ? 0 : 1 + slot->ntail) && !is_flat)
		return refuse(s, slot, "as many dimensions as the schema says", "others", err);
	if (a->fortran && a->rank > 1) return refuse(s, slot, "an array by rows", "one by columns", err);
	for (int d = 0; d < slot->ntail && !is_flat; d++)
		if (a->shape[1 + d] != slot->tail[d])
			return refuse(s, slot, "the dimensions that the schema says", "others", err);
	return SHEAF_OK;
}

/* The array of a slot by its place in the schema; NULL: the archive lacks it. */
static const sheaf_array *array_of(const sheaf_npz_streams *s, int field, int level, sheaf_npz_what what)
{
	const sheaf_npz_slot *slot = sheaf_npz_slot_of(&s->slots, field, level, what);
	const sheaf_array *array = slot ? array_at(s, slot) : NULL;
	return array && array->holding.name ? array : NULL;
}

/* ---- checks ---- */

/* Whether an array, if it is there, has as many items as these positions need. */
static sheaf_status check_count(const sheaf_npz_streams *s, const sheaf_npz_slot *slot, int64_t expected,
                                sheaf_error *err)
{
	const sheaf_array *a = slot ? array_at(s, slot) : NULL;
	int64_t items;
	if (!a || !a->holding.name) return SHEAF_OK;
	if (!sheaf_mul_i64(&items, expected, slot->per)) return refuse_count(s, slot, INT64_MAX, a->count, err);
	return a->count == items ? SHEAF_OK : refuse_count(s, slot, items, a->count, err);
}

/* Counts the positions of the first level of a field, which are the rows, into *out: from the values, or
 * from the offsets of the first list, of which there is one more. Runs of a fixed length before that
 * multiply the items of a row (`per`). */
static sheaf_status count_rows(const sheaf_npz_streams *s, int field, int64_t *out, sheaf_error *err)
{
	int64_t per = 1;
	const sheaf_field *f = &s->schema->fields[field];
	int level = 0;
	for (; level < f->nlevels && f->levels[level].kind == SHEAF_FIXED; level++)
		if (!sheaf_mul_i64(&per, per, f->levels[level].extent)) per = INT64_MAX;
	bool has_values = level == f->nlevels;
	const sheaf_npz_slot *slot =
		sheaf_npz_slot_of(&s->slots, field, level, has_values ? NPZ_VALUES : NPZ_OFFSETS);
	int64_t count = array_at(s, slot)->count;
	if (has_values && f->meaning == SHEAF_COMPLEX) per = per > 2 ? per / 2 : 1;
	*out = (has_values ? count : count - 1) / per;
	return !has_values && count < 1 ? refuse(s, slot, "at least one offset", "none", err) : SHEAF_OK;
}

/* Compares the arrays of one level with the number of positions that the level has. *positions is that
 * number, and becomes that of the level below, which is the last offset; INT64_MAX stands for a product
 * that does not fit. The first offset must be 0. The offsets between them are checked as rows are read. */
static sheaf_status check_level(const sheaf_npz_streams *s, int field, int level, int64_t *positions,
                                sheaf_error *err)
{
	const sheaf_level_shape *shape = &s->schema->fields[field].levels[level];
	const sheaf_npz_slots *slots = &s->slots;
	SHEAF_TRY(check_count(s, sheaf_npz_slot_of(slots, field, level, NPZ_VALID), *positions, err));
	SHEAF_TRY(check_count(s, sheaf_npz_slot_of(slots, field, level, NPZ_CODES), *positions, err));
	if (shape->kind == SHEAF_FIXED) {
		if (!sheaf_mul_i64(positions, *positions, shape->extent)) *positions = INT64_MAX;
		return SHEAF_OK;
	}
	int64_t first;
	const sheaf_npz_slot *offsets = sheaf_npz_slot_of(slots, field, level, NPZ_OFFSETS);
	const sheaf_array *a = array_at(s, offsets);
	if (*positions == INT64_MAX) return refuse_count(s, offsets, INT64_MAX, a->count, err);
	SHEAF_TRY(check_count(s, offsets, *positions + 1, err));
	SHEAF_TRY(sheaf_array_integers(a, 0, 1, &first, err));
	SHEAF_TRY(sheaf_array_integers(a, a->count - 1, 1, positions, err));
	if (first != 0 || *positions < 0) return refuse(s, offsets, "offsets that begin with 0", "others", err);
	return check_count(s, sheaf_npz_slot_of(slots, field, level, NPZ_INDICES), *positions, err);
}

/* Checks that the arrays of a field fit each other level by level. The first field says how many rows
 * there are, and the others must have as many. */
static sheaf_status check_field(sheaf_npz_streams *s, int field, sheaf_error *err)
{
	const sheaf_field *f = &s->schema->fields[field];
	const sheaf_npz_slot *values = sheaf_npz_slot_of(&s->slots, field, f->nlevels, NPZ_VALUES);
	int64_t rows, count = array_at(s, values)->count;
	SHEAF_TRY(count_rows(s, field, &rows, err));
	if (field == 0) s->rows = rows;
	int64_t positions = s->rows;
	for (int l = 0; l < f->nlevels; l++) SHEAF_TRY(check_level(s, field, l, &positions, err));
	/* Dimensions after the last list were counted as positions. */
	int64_t items = f->meaning == SHEAF_COMPLEX ? positions / 2 : positions;
	return count == items ? SHEAF_OK : refuse_count(s, values, items, count, err);
}

/* Opens all arrays of a schema and checks them; the caller closes *s in any case. An archive with a
 * schema of its own has the arrays of that schema, and the schema, and no others, of which rows would say
 * nothing. */
sheaf_status sheaf_npz_open_streams(const sheaf_zip *archive, const sheaf_schema *schema,
                                    sheaf_npz_streams *s, sheaf_error *err)
{
	int expected_arrays = 1, arrays = 0;
	*s = (sheaf_npz_streams){.cx = archive->cx, .file = sheaf_source_name(archive->source), .schema = schema};
	SHEAF_TRY(sheaf_npz_make_slots(schema, s->cx, &s->slots, err));
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->slots.n, sizeof *s->arrays, &s->arrays, err));
	for (int i = 0; i < s->slots.n; i++) {
		SHEAF_TRY(open_slot(archive, s, i, err));
		expected_arrays += s->arrays[i].holding.name != NULL;
	}
	for (int m = 0; m < archive->count; m++) arrays += sheaf_npz_is_array(&archive->members[m]);
	if (arrays != expected_arrays && sheaf_npz_find(archive, sheaf_npz_schema_name))
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %d arrays, as member %s.npy says, found %d", s->file,
		                  expected_arrays, sheaf_npz_schema_name, arrays);
	for (int f = 0; f < schema->nfields; f++) SHEAF_TRY(check_field(s, f, err));
	return SHEAF_OK;
}

/* ---- how many rows a piece has ---- */

/* Returns the size of the arrays of a field's levels from `level` on, for each of `positions` positions. */
static double bytes_below(const sheaf_npz_streams *s, int field, int level, int64_t positions)
{
	double bytes = 0;
	const sheaf_npz_slots *slots = &s->slots;
	for (int i = sheaf_npz_first_slot(slots, field); i < slots->n && slots->slots[i].field == field; i++)
		if (slots->slots[i].level >= level)
			bytes += (double)s->arrays[i].count * (double)slots->slots[i].item.size;
	return positions > 0 ? bytes / (double)positions : 0;
}

/* Estimates in *bytes how much memory n rows from number `row` on take in all columns. The offsets of a
 * first list say exactly how many positions of the level below the rows have; each of those counts for
 * the same share of the arrays below it. */
static sheaf_status estimate(const sheaf_npz_streams *s, int64_t row, int64_t n, double *bytes,
                             sheaf_error *err)
{
	*bytes = 0;
	for (int f = 0; f < s->schema->nfields; f++) {
		int64_t begin, end, last;
		const sheaf_field *field = &s->schema->fields[f];
		const sheaf_array *a =
			field->nlevels && field->levels[0].kind == SHEAF_LIST ? array_of(s, f, 0, NPZ_OFFSETS) : NULL;
		if (!a) {
			*bytes += bytes_below(s, f, 0, s->rows) * (double)n;
			continue;
		}
		SHEAF_TRY(sheaf_array_integers(a, row, 1, &begin, err));
		SHEAF_TRY(sheaf_array_integers(a, row + n, 1, &end, err));
		SHEAF_TRY(sheaf_array_integers(a, s->rows, 1, &last, err));
		*bytes += (double)n * sizeof(int64_t) + bytes_below(s, f, 1, last) * (double)(end - begin);
	}
	return SHEAF_OK;
}

/* Finds how many rows from number `row` on have about `bytes` bytes, at least 1 and at most 2^20, by
 * bisection, since offsets need not be evenly spaced. */
sheaf_status sheaf_npz_count_streams(const sheaf_npz_streams *s, int64_t row, int64_t bytes, int64_t *n,
                                     sheaf_error *err)
{
	enum { MOST = 1 << 20 };
	int64_t least = 1, most = s->rows - row < MOST ? s->rows - row : MOST;
	while (least < most) {
		double size;
		int64_t middle = least + (most - least + 1) / 2;
		SHEAF_TRY(estimate(s, row, middle, &size, err));
		if (size <= (double)bytes)
			least = middle;
		else
			most = middle - 1;
	}
	*n = least;
	return SHEAF_OK;
}

/* ---- rows ---- */

/* A field of some rows, being read. */
typedef struct taking {
	const sheaf_npz_streams *s;
	int field;
	sheaf_column_builder *to;
	sheaf_run run; /* positions of the next level */
	sheaf_error *err;
} taking;

static sheaf_status view(const sheaf_array *a, sheaf_run run, sheaf_buffer *out, sheaf_error *err)
{
	int64_t size = a->dtype.size;
	return sheaf_holding_view(&a->holding, a->data_at + run.begin * size, sheaf_run_length(run) * size, out,
	                          err);
}

/* Marks the positions of the run that have no value, with the code that says why. Without an array that
 * says which are there, all are; without an array of codes, these are 0. */
static sheaf_status take_missing(const taking *t, int level)
{
	const sheaf_array *valid = array_of(t->s, t->field, level, NPZ_VALID),
					  *codes = array_of(t->s, t->field, level, NPZ_CODES);
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer there = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer why = {0};
	if (!valid) return SHEAF_OK;
	SHEAF_TRY(view(valid, t->run, &there, t->err));
	if (codes) SHEAF_TRY(view(codes, t->run, &why, t->err));
	for (int64_t p = 0; p < sheaf_run_length(t->run); p++)
		if (!there.data[p]) sheaf_level_miss(&t->to->levels[level], p, why.size ? why.data[p] & INT8_MAX : 0);
	return SHEAF_OK;
}

static sheaf_status refuse_offset(const taking *t, int level, int64_t position)
{
	const sheaf_npz_slot *slot = sheaf_npz_slot_of(&t->s->slots, t->field, level, NPZ_OFFSETS);
	return sheaf_fail(t->err, SHEAF_DATA,
	                  "%s, member %s.npy, item %" PRId64
	                  ": expected an offset of at least the one before, and of "
	                  "at most the last one, found another",
	                  t->s->file, slot->name, position);
}

/* Takes the offsets of a level for the positions of the run, counted from 0 on; the run becomes the
 * positions that they cover in the level below. They must not descend, nor exceed the last one of the
 * array, with which the arrays below have been compared. */
static sheaf_status take_offsets(taking *t, int level)
{
	const sheaf_array *a = array_of(t->s, t->field, level, NPZ_OFFSETS);
	sheaf_builder *to = &t->to->levels[level].offsets;
	int64_t n = sheaf_run_length(t->run), last;
	uint8_t *room = sheaf_builder_extend(to, (uint64_t)n * sizeof(int64_t));
	if (!room) return sheaf_builder_status(to, t->err);
	int64_t *o = (int64_t *)(void *)to->data; /* n + 1 of them, with the leading 0 */
	SHEAF_TRY(sheaf_array_integers(a, a->count - 1, 1, &last, t->err));
	SHEAF_TRY(sheaf_array_integers(a, t->run.begin, n + 1, o, t->err));
	if (o[0] < 0) return refuse_offset(t, level, t->run.begin);
	for (int64_t i = 1; i <= n; i++)
		if (o[i] < o[i - 1] || o[i] > last) return refuse_offset(t, level, t->run.begin + i);
	t->run = (sheaf_run){o[0], o[n]};
	for (int64_t i = n; i >= 0; i--) o[i] -= o[0];
	return SHEAF_OK;
}

/* Takes the indices of a level for the positions of the run, and checks that each is within the level's
 * extent. Indices that are too wide for the column's type have become negative, so the message reads the
 * stored one again. */
static sheaf_status take_indices(const taking *t, int level)
{
	const sheaf_npz_slot *slot = sheaf_npz_slot_of(&t->s->slots, t->field, level, NPZ_INDICES);
	const sheaf_array *a = array_at(t->s, slot);
	const sheaf_level_shape *shape = &t->to->field->levels[level];
	sheaf_builder *to = &t->to->levels[level].indices[0];
	int64_t n = sheaf_run_length(t->run);
	SHEAF_TRY(sheaf_array_indices(a, t->run.begin, n, shape->index_type, to, t->err));
	for (int64_t e = 0; e < n; e++) {
		int64_t index = sheaf_index_at(to->data, shape->index_type, e), entry = t->run.begin + e;
		if (index >= 0 && index < shape->extent) continue;
		SHEAF_TRY(sheaf_array_integers(a, entry, 1, &index, t->err));
		return sheaf_fail(t->err, SHEAF_DATA,
		                  "%s, member %s.npy, item %" PRId64 ": expected an index from 0 to %" PRId64
		                  ", found %" PRId64,
		                  t->s->file, slot->name, entry, shape->extent - 1, index);
	}
	return SHEAF_OK;
}

/* Takes a level of the column for the positions of the run, which becomes the run of the level below. */
static sheaf_status take_level(taking *t, int level)
{
	const sheaf_level_shape *shape = &t->to->field->levels[level];
	if (shape->missing != SHEAF_NEVER) SHEAF_TRY(take_missing(t, level));
	if (shape->kind == SHEAF_FIXED) {
		t->run.begin *= shape->extent;
		t->run.end *= shape->extent;
		return SHEAF_OK;
	}
	SHEAF_TRY(take_offsets(t, level));
	return shape->kind == SHEAF_COORD ? take_indices(t, level) : SHEAF_OK;
}

/* Takes the values of the run, whose two numbers of a complex value are one item of the array. Texts are
 * bytes here, whatever they mean, and are shared with the file. */
static sheaf_status take_values(taking *t)
{
	const sheaf_field *field = t->to->field;
	const sheaf_array *a = array_of(t->s, t->field, field->nlevels, NPZ_VALUES);
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	if (field->meaning == SHEAF_COMPLEX) t->run.begin /= 2, t->run.end /= 2;
	SHEAF_TRY(view(a, t->run, &bytes, t->err));
	if (!sheaf_means_text(field->meaning) && field->meaning != SHEAF_BYTES)
		return sheaf_array_values(a, &bytes, t->run.begin, sheaf_run_length(t->run), t->to, t->err);
	sheaf_builder_hold(&t->to->values, &bytes);
	return SHEAF_OK;
}

sheaf_status sheaf_npz_stream_rows(const sheaf_npz_streams *s, int64_t row, int64_t n,
                                   sheaf_frame_builder *to, sheaf_error *err)
{
	for (int f = 0; f < s->schema->nfields; f++) {
		taking t = {s, f, &to->columns[f], {row, row + n}, err};
		for (int l = 0; l < s->schema->fields[f].nlevels; l++) SHEAF_TRY(take_level(&t, l));
		SHEAF_TRY(take_values(&t));
	}
	to->nrows = n;
	return SHEAF_OK;
}
