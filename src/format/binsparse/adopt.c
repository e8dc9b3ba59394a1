/* SPDX-License-Identifier: MIT */
/* Encoded entries in a source: what says where they belong is read and checked; indices and values are copied
 * to their arrays from there. */
#include "base/checked.h"
#include "base/memory.h"
#include "format/binsparse/writer.h"
#include "io/source.h"

typedef struct adopting {
	sheaf_bsp_building *t;
	sheaf_source *source;
	int64_t offset, size; /* of the blob */
	sheaf_bsp_parcel parcel;
	int64_t inner, values, end; /* where these begin in it, and where it ends */
} adopting;

static sheaf_status refuse(const adopting *a, const char *what, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: expected encoded entries, found %s", sheaf_source_name(a->source),
	                  what);
}

/* Sizes of the parts of a parcel; false if they are not those of the blob. */
static bool measure(adopting *a)
{
	const sheaf_bsp_building *t = a->t;
	const sheaf_bsp_parcel *p = &a->parcel;
	int64_t width = (1 + t->outer_rank) * (int64_t)sizeof(int64_t), entry = 0, runs, inner,
			value = (int64_t)sheaf_bsp_size(t->d.values);
	for (int k = t->outer_rank; k < t->d.layout.rank && !t->block; k++)
		entry += (int64_t)sheaf_type_size(t->indices[k].type);
	if (t->block) entry = sizeof(int64_t);
	if (p->entries < 0 || p->runs < 0 || p->runs > p->entries || p->diagonal < 0 || p->diagonal > p->entries)
		return false;
	if (!sheaf_mul_i64(&runs, p->runs, width) || !sheaf_mul_i64(&inner, p->entries, entry) ||
	    !sheaf_mul_i64(&value, t->d.values.is_iso ? p->entries > 0 : p->entries, value))
		return false;
	a->inner = (int64_t)sizeof *p;
	return sheaf_add_i64(&a->inner, a->inner, runs) && sheaf_add_i64(&a->values, a->inner, inner) &&
	       sheaf_add_i64(&a->end, a->values, value) && a->end == a->size;
}

/* Below 0 if the coordinates are not those of a position, else whether they come after the others. */
static int compare(const adopting *a, const int64_t *before, const int64_t *now)
{
	int order = 0;
	for (int k = 0; k < a->t->outer_rank; k++) {
		if (now[k] < 0 || now[k] >= sheaf_bsp_extent(&a->t->d, k)) return -1;
		if (order == 0 && before) order = (now[k] > before[k]) - (now[k] < before[k]);
	}
	return order;
}

/* The first run may continue where the blob before has ended. */
static sheaf_status check_runs(const adopting *a, const int64_t *runs, sheaf_error *err)
{
	int64_t width = 1 + a->t->outer_rank;
	const int64_t *before = a->t->has_last ? a->t->last : NULL;
	for (int64_t i = 0; i < a->parcel.runs; i++, runs += width) {
		bool begins = i == 0 ? runs[0] == 0 : runs[0] > runs[-width] && runs[0] < a->parcel.entries;
		if (!begins) return refuse(a, "runs of others", err);
		if (compare(a, before, runs + 1) < 0) return refuse(a, "others in another order, or outside", err);
		before = runs + 1;
	}
	return a->parcel.entries == 0 || a->parcel.runs > 0 ? SHEAF_OK : refuse(a, "no runs", err);
}

static sheaf_status check_offsets(const adopting *a, const int64_t *offsets, sheaf_error *err)
{
	for (int64_t i = 0; i < a->parcel.entries; i++)
		if (offsets[i] < 0 || offsets[i] >= a->t->block) return refuse(a, "places outside of a block", err);
	return SHEAF_OK;
}

/* Blobs whose values must be examined, or inserted between others, are read as a whole. */
static bool is_read_whole(const adopting *a) { return a->t->block || a->t->d.values.is_iso; }

static sheaf_status put_read(sheaf_bsp_writer *out, const adopting *a, uint8_t *bytes, sheaf_error *err)
{
	const sheaf_blob blob = {.bytes = {.data = bytes, .size = (size_t)a->size}};
	SHEAF_TRY(check_runs(a, (const int64_t *)(const void *)(bytes + sizeof a->parcel), err));
	if (a->t->block) SHEAF_TRY(check_offsets(a, (const int64_t *)(const void *)(bytes + a->inner), err));
	return sheaf_bsp_append_entries(out, &blob, err);
}

static sheaf_status put_copied(const adopting *a, const uint8_t *bytes, sheaf_error *err)
{
	sheaf_bsp_building *t = a->t;
	const int64_t *runs = (const int64_t *)(const void *)(bytes + sizeof a->parcel);
	int64_t at = a->offset + a->inner;
	SHEAF_TRY(check_runs(a, runs, err));
	SHEAF_TRY(sheaf_bsp_put_runs(t, &a->parcel, runs, NULL, NULL, err));
	t->d.diagonal += t->d.structure ? a->parcel.diagonal : 0;
	for (int k = t->outer_rank; k < t->d.layout.rank; k++) {
		SHEAF_TRY(sheaf_bsp_store_copy(&t->indices[k], a->source, at, a->parcel.entries, err));
		at += a->parcel.entries * (int64_t)sheaf_type_size(t->indices[k].type);
	}
	return sheaf_bsp_store_copy(&t->values, a->source, a->offset + a->values,
	                            a->parcel.entries * sheaf_bsp_parts(t->d.values), err);
}

sheaf_status sheaf_bsp_adopt(void *writer, sheaf_source *source, int64_t offset, const sheaf_blob *blob,
                             sheaf_error *err)
{
	sheaf_bsp_writer *out = (sheaf_bsp_writer *)writer;
	adopting a = {
		.t = &out->tensors[0], .source = source, .offset = offset, .size = (int64_t)blob->bytes.size};
	void *memory;
	if (a.size < (int64_t)sizeof a.parcel) return refuse(&a, "fewer bytes", err);
	SHEAF_TRY(sheaf_source_read_at(source, offset, &a.parcel, sizeof a.parcel, err));
	if (!measure(&a) || a.parcel.entries != blob->rows) return refuse(&a, "other sizes", err);
	size_t size = (size_t)(is_read_whole(&a) ? a.size : a.inner);
	SHEAF_TRY(sheaf_allocate(out->cx, size, &memory, err));
	sheaf_status status = sheaf_source_read_at(source, offset, memory, size, err);
	if (!status)
		status = is_read_whole(&a) ? put_read(out, &a, (uint8_t *)memory, err)
		                           : put_copied(&a, (const uint8_t *)memory, err);
	sheaf_release(out->cx, memory, size);
	return status;
}
