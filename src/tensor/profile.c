/* SPDX-License-Identifier: MIT */
/* Profiles: entries are counted as they come, without those that a structure implies. If there are too many
 * slices to count that way, entries are sorted. */
#include "tensor/profile.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include <string.h>

enum { SHARE = 8 /* share of the memory: for counts of slices */ };

/* ---- beginning and ending ---- */

/* Drops the entries that remain when a structure is expanded, and those that fill a dense tensor. */
static sheaf_status begin_plain(sheaf_profile *p, sheaf_error *err)
{
	sheaf_arrange_options options = {.size = sizeof options, .drop_fill = true, .name = p->name};
	const sheaf_tensor *from = &p->schema.tensor;
	SHEAF_TRY(sheaf_schema_copy(&p->schema, p->cx, &p->plain, err));
	sheaf_tensor *to = &p->plain.tensor;
	to->sorted = to->unique = to->dense = to->has_fill = false;
	to->structure = SHEAF_GENERAL;
	if (!from->dense && from->structure == SHEAF_GENERAL) return SHEAF_OK;
	return sheaf_arranger_new(&p->schema, to, &options, p->cx, &p->expander, err);
}

/* Counts of slices if they fit, else entries sorted by them. */
static sheaf_status begin_side(sheaf_profile *p, int d, sheaf_error *err)
{
	void *memory;
	int64_t extent = p->schema.tensor.shape[d],
			most = sheaf_max_memory(p->cx) / SHARE / p->rank / (int64_t)sizeof(int64_t);
	if (extent > most) return sheaf_profile_sort(p, d, err);
	SHEAF_TRY(sheaf_allocate_array(p->cx, (uint64_t)extent, sizeof *p->sides[d].counts, &memory, err));
	p->sides[d].counts = (int64_t *)memory;
	return SHEAF_OK;
}

static sheaf_status begin(sheaf_profile *p, const sheaf_schema *schema, const char *name, sheaf_error *err)
{
	SHEAF_TRY(sheaf_schema_copy(schema, p->cx, &p->schema, err));
	const sheaf_tensor *t = &p->schema.tensor;
	p->rank = t->rank;
	p->square = t->rank == 2 && t->shape[0] == t->shape[1];
	p->pattern = p->symmetric = p->hermitian = p->skew = p->square;
	if (!sheaf_element_of(&schema->fields[sheaf_schema_value(schema)], &p->element))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected one number for each value, none missing, found other values", name);
	if (name) SHEAF_TRY(sheaf_copy_text(p->cx, name, strlen(name), &p->name, err));
	SHEAF_TRY(begin_plain(p, err));
	for (int d = 0; d < p->rank; d++) {
		p->sides[d].slice = -1;
		SHEAF_TRY(begin_side(p, d, err));
	}
	return p->square ? sheaf_mirrors_begin(p, err) : SHEAF_OK;
}

sheaf_status sheaf_profile_new(const sheaf_schema *schema, const char *name, sheaf_context *cx,
                               sheaf_profile **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	void *memory;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_profile), &memory, err));
	sheaf_profile *p = (sheaf_profile *)memory;
	p->cx = cx;
	sheaf_status status = begin(p, schema, name, err);
	if (status) {
		sheaf_profile_free(p);
		return status;
	}
	*out = p;
	return SHEAF_OK;
}

sheaf_status sheaf_profile_connect(sheaf_profile *p, int64_t room, sheaf_error *err)
{
	const int64_t *shape = p->schema.tensor.shape;
	p->connects = p->packs = p->rank == 2;
	if (!p->connects) return SHEAF_OK;
	p->order = (sheaf_profile_order){{true, true}, {0, 0}};
	p->packed.sizes[0] = p->packed.sizes[1] =
		shape[0] > INT32_MAX || shape[1] > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
	p->packed.sizes[2] = p->element.size;
	return sheaf_components_begin(&p->components, shape[0], shape[1], room, p->cx, err);
}

static void drop_counts(sheaf_profile *p, int d)
{
	sheaf_profile_side *s = &p->sides[d];
	if (s->counts && !s->lent)
		sheaf_release(p->cx, s->counts, (size_t)p->schema.tensor.shape[d] * sizeof *s->counts);
	s->counts = NULL;
}

void sheaf_profile_lend(sheaf_profile *p, int d, int64_t *counts)
{
	if (!p->sides[d].counts) return;
	drop_counts(p, d);
	p->sides[d].counts = counts;
	p->sides[d].lent = true;
}

void sheaf_profile_free(sheaf_profile *p)
{
	if (!p) return;
	for (int d = 0; d < p->rank; d++) {
		sheaf_profile_side *s = &p->sides[d];
		sheaf_arranger_free(s->arranger);
		drop_counts(p, d);
	}
	sheaf_arranger_free(p->expander);
	sheaf_slices_free(&p->slices);
	sheaf_components_free(&p->components, p->cx);
	sheaf_deflating_free(&p->packed, p->cx);
	sheaf_release_text(p->cx, p->name);
	sheaf_schema_free(&p->plain);
	sheaf_schema_free(&p->schema);
	sheaf_release(p->cx, p, sizeof *p);
}

/* ---- entries as they arrive ---- */

static void see_order(sheaf_profile_order *o, int64_t i, int64_t j)
{
	o->by[0] = o->by[0] && (i > o->at[0] || (i == o->at[0] && j >= o->at[1]));
	o->by[1] = o->by[1] && (j > o->at[1] || (j == o->at[1] && i >= o->at[0]));
	o->at[0] = i;
	o->at[1] = j;
}

static sheaf_status pack(sheaf_profile *p, int64_t i, int64_t j, const uint8_t *value, sheaf_error *err)
{
	int32_t short_i = (int32_t)i, short_j = (int32_t)j;
	bool wide = p->packed.sizes[0] > sizeof short_i;
	const void *items[] = {wide ? (const void *)&i : &short_i, wide ? (const void *)&j : &short_j, value};
	return sheaf_deflating_put(&p->packed, items, p->cx, err);
}

/* Coordinates of some entries of a matrix, from position `at` of a frame on. */
enum { AT_ONCE = 128 };
typedef struct places {
	int64_t i[AT_ONCE], j[AT_ONCE], at;
	int n;
} places;

static void take_places(const sheaf_frame *frame, int64_t at, places *all)
{
	all->at = at;
	all->n = frame->nrows - at < AT_ONCE ? (int)(frame->nrows - at) : AT_ONCE;
	for (int k = 0; k < all->n; k++) all->i[k] = sheaf_coordinate_at(&frame->columns[0], at + k);
	for (int k = 0; k < all->n; k++) all->j[k] = sheaf_coordinate_at(&frame->columns[1], at + k);
}

static void see_band(sheaf_profile *p, const places *all)
{
	for (int k = 0; k < all->n; k++) {
		int64_t below = all->i[k] - all->j[k];
		p->diagonal += below == 0;
		p->lower = below > p->lower ? below : p->lower;
		p->upper = -below > p->upper ? -below : p->upper;
	}
}

static sheaf_status pack_places(sheaf_profile *p, const sheaf_frame *frame, const places *all,
                                sheaf_error *err)
{
	const uint8_t *values = frame->columns[p->rank].values.data;
	for (int k = 0; p->packs && k < all->n; k++)
		if (sheaf_deflating_wants(&p->packed))
			SHEAF_TRY(pack(p, all->i[k], all->j[k], values + (size_t)(all->at + k) * p->element.size, err));
	return SHEAF_OK;
}

static sheaf_status see_matrix(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err)
{
	places all;
	for (int64_t at = 0; at < frame->nrows; at += AT_ONCE) {
		take_places(frame, at, &all);
		see_band(p, &all);
		if (!p->connects) continue;
		if (!p->square || p->schema.tensor.structure != SHEAF_GENERAL)
			sheaf_components_add_all(&p->components, all.i, all.j, all.n);
		for (int k = 0; k < all.n; k++) see_order(&p->order, all.i[k], all.j[k]);
		SHEAF_TRY(pack_places(p, frame, &all, err));
	}
	return p->square ? sheaf_mirrors_add(p, frame, err) : SHEAF_OK;
}

static sheaf_status see(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err)
{
	p->entries += frame->nrows;
	for (int d = 0; d < p->rank; d++) {
		sheaf_profile_side *s = &p->sides[d];
		for (int64_t e = 0; s->counts && !s->lent && e < frame->nrows; e++)
			s->counts[sheaf_coordinate_at(&frame->columns[d], e)]++;
		if (s->arranger) SHEAF_TRY(sheaf_arranger_add(s->arranger, frame, err));
	}
	return p->rank == 2 ? see_matrix(p, frame, err) : SHEAF_OK;
}

static sheaf_status see_expanded(sheaf_profile *p, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_arranger_next(p->expander, &frame, err)) == SHEAF_OK)
		SHEAF_TRY(see(p, frame, err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

sheaf_status sheaf_profile_add(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_NEED(p, "a profile");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &p->schema, err));
	if (!p->expander) return see(p, frame, err);
	SHEAF_TRY(sheaf_arranger_add(p->expander, frame, err));
	return see_expanded(p, err);
}

/* ---- deflated ---- */

/* Where slices begin, as in CSR and CSC. */
static sheaf_status pack_pointers(const sheaf_profile *p, int d, double *out, sheaf_error *err)
{
	sheaf_deflating pointers = {.sizes = {sizeof(int64_t)}};
	int64_t begin = 0;
	sheaf_status status = SHEAF_OK;
	for (int64_t i = 0; status == SHEAF_OK && i <= p->schema.tensor.shape[d]; i++) {
		if (sheaf_deflating_wants(&pointers))
			status = sheaf_deflating_put(&pointers, (const void *const[]){&begin, NULL, NULL}, p->cx, err);
		if (i < p->schema.tensor.shape[d]) begin += p->sides[d].counts[i];
	}
	if (status == SHEAF_OK) status = sheaf_deflating_finish(&pointers, p->cx, err);
	*out = pointers.sums[0];
	sheaf_deflating_free(&pointers, p->cx);
	return status;
}

static sheaf_status finish_packed(sheaf_profile *p, sheaf_error *err)
{
	sheaf_deflated *d = &p->deflated;
	double pointers;
	SHEAF_TRY(sheaf_deflating_finish(&p->packed, p->cx, err));
	*d = (sheaf_deflated){.coordinates = p->packed.sums[0] + p->packed.sums[1],
	                      .compressed = -1,
	                      .values = p->packed.sums[2],
	                      .by_columns = !p->order.by[0]};
	int by = d->by_columns ? 1 : 0;
	if (!p->order.by[by] || !p->sides[by].counts) return SHEAF_OK;
	SHEAF_TRY(pack_pointers(p, by, &pointers, err));
	d->compressed = p->packed.sums[1 - by] + pointers;
	return SHEAF_OK;
}

sheaf_layouts sheaf_profile_layouts(const sheaf_profile *p)
{
	const int64_t *shape = p->schema.tensor.shape;
	const sheaf_deflated *d = &p->deflated;
	double n = (double)p->entries, rows = (double)shape[0], columns = (double)shape[1],
		   size = (double)p->element.size, pointer = sizeof(int64_t),
		   index = rows > INT32_MAX || columns > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
	sheaf_layouts l = {.coo = n * (2 * index + size),
	                   .csr = n * (index + size) + pointer * (rows + 1),
	                   .csc = n * (index + size) + pointer * (columns + 1),
	                   .dense = rows * columns * size,
	                   .deflated_coo = -1,
	                   .deflated_csr = -1,
	                   .deflated_csc = -1};
	if (!p->packs) return l;
	l.deflated_coo = d->coordinates + d->values;
	if (d->compressed >= 0) *(d->by_columns ? &l.deflated_csc : &l.deflated_csr) = d->compressed + d->values;
	return l;
}

/* ---- all of it ---- */

sheaf_status sheaf_profile_finish(sheaf_profile *p, sheaf_error *err)
{
	SHEAF_NEED(p, "a profile");
	if (p->expander) {
		SHEAF_TRY(sheaf_arranger_finish(p->expander, err));
		SHEAF_TRY(see_expanded(p, err));
	}
	if (p->square) SHEAF_TRY(sheaf_mirrors_finish(p, err));
	for (int d = 0; d < p->rank; d++) {
		if (p->sides[d].counts)
			sheaf_profile_count(p, d);
		else if (!p->square || p->schema.tensor.structure != SHEAF_GENERAL)
			SHEAF_TRY(sheaf_profile_count_sorted(p, d, err));
	}
	sheaf_components_finish(&p->components);
	if (sheaf_profile_is_two_way(p)) {
		p->strong.components = p->components.components;
		p->strong.largest = p->components.largest;
	}
	return p->packs ? finish_packed(p, err) : SHEAF_OK;
}

static double share_of(const sheaf_profile *p, int64_t n)
{
	int64_t off = p->entries - p->diagonal;
	return off ? (double)n / (double)off : 1;
}

double sheaf_profile_mirrored(const sheaf_profile *p) { return share_of(p, p->mirrored); }

double sheaf_profile_equal(const sheaf_profile *p) { return share_of(p, p->equal); }

bool sheaf_profile_has(const sheaf_profile *p, sheaf_structure structure)
{
	if (!p || (unsigned)structure >= SHEAF_STRUCTURES) return false;
	bool is_signed = p->element.type >= SHEAF_I8 && !p->element.boolean;
	switch (structure) {
	case SHEAF_SYMMETRIC_LOWER:
	case SHEAF_SYMMETRIC_UPPER: return p->symmetric;
	case SHEAF_HERMITIAN_LOWER:
	case SHEAF_HERMITIAN_UPPER: return p->hermitian && p->element.complex;
	case SHEAF_SKEW_SYMMETRIC_LOWER:
	case SHEAF_SKEW_SYMMETRIC_UPPER: return p->skew && is_signed;
	default: return true;
	}
}
