/* SPDX-License-Identifier: MIT */
/* Encoded entries into the arrays of levels. Positions are counted as they are made: an entry makes one below
 * each sparse level from the first one on whose coordinates differ from those of the entry before. */
#include "format/binsparse/writer.h"
#include "frame/frame.h"
#include "frame/integers.h"
#include <inttypes.h>
#include <string.h>

/* ---- pointers ---- */

/* Pointers of all positions up to this one: whatever begins there, or is empty, begins at the next position
 * that will be made. */
static sheaf_status fill_pointers(sheaf_bsp_building *t, int l, int64_t position, sheaf_error *err)
{
	return sheaf_bsp_store_repeat(&t->pointers[l], t->made[l + 1], position + 1 - t->pointers[l].count, err);
}

static sheaf_status add_index(sheaf_bsp_store *s, int64_t index, sheaf_error *err)
{
	uint64_t room;
	sheaf_integers_narrow(&index, 1, s->type, &room);
	return sheaf_bsp_store_add(s, &room, 1, err);
}

/* ---- outer levels ---- */

static bool differs(const sheaf_bsp_building *t, const int64_t *coordinates, int until)
{
	for (int k = 0; k < until; k++)
		if (coordinates[k] != t->last[k]) return true;
	return !t->has_last;
}

/* The position below the outer levels that has these coordinates. */
static sheaf_status enter(sheaf_bsp_building *t, const int64_t *coordinates, int64_t *position,
                          sheaf_error *err)
{
	*position = 0;
	for (int l = 0, depth = 0; l < t->inner; depth += t->d.layout.levels[l++].rank) {
		int rank = t->d.layout.levels[l].rank;
		if (!t->d.layout.levels[l].is_sparse) {
			*position = *position * sheaf_bsp_extent(&t->d, depth) + coordinates[depth];
			continue;
		}
		if (differs(t, coordinates, depth + rank)) {
			if (l > 0) SHEAF_TRY(fill_pointers(t, l, *position, err));
			for (int r = 0; r < rank; r++)
				SHEAF_TRY(add_index(&t->indices[depth + r], coordinates[depth + r], err));
			t->made[l + 1]++;
		}
		*position = t->made[l + 1] - 1;
	}
	memcpy(t->last, coordinates, (size_t)t->outer_rank * sizeof *coordinates);
	t->has_last = true;
	return SHEAF_OK;
}

/* ---- dense positions ---- */

static sheaf_status fill_values(sheaf_bsp_building *t, int64_t until, sheaf_error *err)
{
	int parts = sheaf_bsp_parts(t->d.values), m = t->d.layout.nlevels;
	for (; t->made[m] < until; t->made[m]++) SHEAF_TRY(sheaf_bsp_store_add(&t->values, t->fill, parts, err));
	return SHEAF_OK;
}

/* Some entries of a block that begins at position `base`; consecutive ones are added together. */
static sheaf_status put_dense(sheaf_bsp_building *t, int64_t base, const int64_t *offsets,
                              const uint8_t *values, sheaf_run entries, sheaf_error *err)
{
	int64_t from = entries.begin, to = entries.end;
	int parts = sheaf_bsp_parts(t->d.values), m = t->d.layout.nlevels;
	size_t size = sheaf_bsp_size(t->d.values);
	while (from < to) {
		int64_t n = 1;
		while (from + n < to && offsets[from + n] == offsets[from] + n) n++;
		if (base + offsets[from] < t->made[m])
			return sheaf_fail(err, SHEAF_USAGE,
			                  "expected entries in the order of the layout, found one after its place");
		if (!t->d.values.is_iso) {
			SHEAF_TRY(fill_values(t, base + offsets[from], err));
			SHEAF_TRY(sheaf_bsp_store_add(&t->values, values + (size_t)from * size, n * parts, err));
		}
		t->made[m] = base + offsets[from] + n;
		from += n;
	}
	return SHEAF_OK;
}

/* ---- a blob ---- */

/* If the outer coordinates continue from the blob before, the inner ones must, too. */
sheaf_status sheaf_bsp_put_runs(sheaf_bsp_building *t, const sheaf_bsp_parcel *p, const int64_t *runs,
                                const int64_t *offsets, const uint8_t *values, sheaf_error *err)
{
	int64_t width = 1 + t->outer_rank, position;
	for (int64_t i = 0; i < p->runs; i++) {
		const int64_t *run = runs + i * width;
		int64_t next = i + 1 < p->runs ? run[width] : p->entries;
		SHEAF_TRY(enter(t, run + 1, &position, err));
		if (t->block) {
			SHEAF_TRY(put_dense(t, position * t->block, offsets, values, (sheaf_run){run[0], next}, err));
			continue;
		}
		if (t->inner > 0) SHEAF_TRY(fill_pointers(t, t->inner, position, err));
		t->made[t->inner + 1] += next - run[0];
	}
	return SHEAF_OK;
}

/* The one value of all entries. */
static sheaf_status add_same(sheaf_bsp_building *t, const uint8_t *value, int64_t entries, sheaf_error *err)
{
	if (entries == 0) return SHEAF_OK;
	if (t->values.count == 0)
		return sheaf_bsp_store_add(&t->values, value, sheaf_bsp_parts(t->d.values), err);
	if (memcmp(t->values.held.data, value, sheaf_bsp_size(t->d.values)) == 0) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "expected the value that all entries have, found another");
}

sheaf_status sheaf_bsp_append_entries(sheaf_bsp_writer *out, const sheaf_blob *blob, sheaf_error *err)
{
	sheaf_bsp_building *t = &out->tensors[0];
	const sheaf_bsp_parcel *p = (const sheaf_bsp_parcel *)(const void *)blob->bytes.data;
	const int64_t *runs = (const int64_t *)(const void *)(p + 1);
	const uint8_t *inner = (const uint8_t *)(runs + p->runs * (1 + t->outer_rank)), *values = inner;
	for (int k = t->outer_rank; k < t->d.layout.rank && !t->block; k++)
		values += (size_t)p->entries * sheaf_type_size(t->indices[k].type);
	if (t->block) values += (size_t)p->entries * sizeof(int64_t);
	SHEAF_TRY(sheaf_bsp_put_runs(t, p, runs, (const int64_t *)(const void *)inner, values, err));
	t->d.diagonal += t->d.structure ? p->diagonal : 0;
	for (int k = t->outer_rank; k < t->d.layout.rank && !t->block; k++) {
		SHEAF_TRY(sheaf_bsp_store_add(&t->indices[k], inner, p->entries, err));
		inner += (size_t)p->entries * sheaf_type_size(t->indices[k].type);
	}
	int parts = sheaf_bsp_parts(t->d.values);
	if (t->d.values.is_iso) return add_same(t, values, p->entries, err);
	return t->block ? SHEAF_OK : sheaf_bsp_store_add(&t->values, values, p->entries * parts, err);
}

sheaf_status sheaf_bsp_complete(sheaf_bsp_building *t, sheaf_error *err)
{
	const sheaf_stored_levels *layout = &t->d.layout;
	int64_t above = 1;
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank) {
		if (layout->levels[l].is_sparse) {
			if (l > 0) SHEAF_TRY(fill_pointers(t, l, above, err));
			above = t->made[l + 1];
		} else {
			above *= sheaf_bsp_extent(&t->d, depth);
		}
	}
	t->d.stored = above;
	if (t->d.values.is_iso)
		return t->values.count ? SHEAF_OK
		                       : sheaf_bsp_store_add(&t->values, t->fill, sheaf_bsp_parts(t->d.values), err);
	if (t->block) SHEAF_TRY(fill_values(t, above, err));
	t->d.values.is_iso = sheaf_bsp_store_is_same(&t->values);
	return SHEAF_OK;
}
