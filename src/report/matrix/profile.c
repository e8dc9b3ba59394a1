/* SPDX-License-Identifier: MIT */
/* Profiles: entries are counted as they come, with those that a structure implies. */
#include "report/matrix/profile.h"
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "sparse/arrange.h"
#include <string.h>

enum { SHARE = 8 /* share of the memory: for counts of slices */ };

/* ---- beginning and ending ---- */

/* The expander drops the entries that remain when a structure is expanded, and those that fill a dense
 * tensor. Slices are counted if their counts fit. */
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
	SHEAF_TRY(sheaf_schema_copy(&p->schema, p->cx, &p->plain, err));
	sheaf_tensor *to = &p->plain.tensor;
	to->sorted = to->unique = to->dense = to->has_fill = false;
	to->structure = SHEAF_GENERAL;
	sheaf_arrange_options options = {.drop_fill = true, .name = p->name};
	if (t->dense || t->structure != SHEAF_GENERAL)
		SHEAF_TRY(sheaf_arranger_new(&p->schema, to, &options, p->cx, &p->expander, err));
	for (int d = 0; d < p->rank; d++) {
		sheaf_profile_side *s = &p->sides[d];
		int64_t most = sheaf_max_memory(p->cx) / SHARE / p->rank / (int64_t)sizeof *s->counts;
		if (t->shape[d] > most) continue;
		SHEAF_TRY(sheaf_allocate_array(p->cx, (uint64_t)t->shape[d], sizeof *s->counts, &s->counts, err));
	}
	return p->square ? sheaf_mirrors_begin(&p->mirrors, &p->element, p->cx, err) : SHEAF_OK;
}

sheaf_status sheaf_profile_new(const sheaf_schema *schema, const char *name, sheaf_context *cx,
                               sheaf_profile **out, sheaf_error *err)
{
	*out = NULL;
	sheaf_profile *p;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_profile), &p, err));
	p->cx = cx;
	sheaf_status status = begin(p, schema, name, err);
	if (status) {
		sheaf_profile_free(p);
		return status;
	}
	*out = p;
	return SHEAF_OK;
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
	for (int d = 0; d < p->rank; d++) drop_counts(p, d);
	sheaf_arranger_free(p->expander);
	sheaf_mirrors_free(&p->mirrors, p->cx);
	sheaf_release_text(p->cx, p->name);
	sheaf_schema_free(&p->plain);
	sheaf_schema_free(&p->schema);
	sheaf_release(p->cx, p, sizeof *p);
}

/* ---- entries as they arrive ---- */

/* Takes note of entries, among which are those that a structure implies, and none that fills a dense tensor:
 * counts them in their slice of each dimension, unless the caller does (lent) or they have to be sorted by it
 * first, and of a matrix how far they are from the diagonal. */
static void see(sheaf_profile *p, const sheaf_frame *frame)
{
	p->entries += frame->nrows;
	for (int d = 0; d < p->rank; d++) {
		sheaf_profile_side *s = &p->sides[d];
		for (int64_t e = 0; s->counts && !s->lent && e < frame->nrows; e++)
			s->counts[sheaf_coordinate_at(&frame->columns[d], e)]++;
	}
	for (int64_t e = 0; p->rank == 2 && e < frame->nrows; e++) {
		int64_t below =
			sheaf_coordinate_at(&frame->columns[0], e) - sheaf_coordinate_at(&frame->columns[1], e);
		p->diagonal += below == 0;
		p->lower = below > p->lower ? below : p->lower;
		p->upper = -below > p->upper ? -below : p->upper;
	}
	const uint8_t *values = frame->columns[p->rank].values.data;
	for (int64_t e = 0; p->square && e < frame->nrows; e++)
		sheaf_mirrors_add(&p->mirrors, sheaf_coordinate_at(&frame->columns[0], e),
		                  sheaf_coordinate_at(&frame->columns[1], e), values + (size_t)e * p->element.size);
}

static sheaf_status see_expanded(sheaf_profile *p, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_arranger_next(p->expander, &frame, err)) == SHEAF_OK) see(p, frame);
	return status == SHEAF_END ? SHEAF_OK : status;
}

sheaf_status sheaf_profile_add(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &p->schema, err));
	if (!p->expander) {
		see(p, frame);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_arranger_add(p->expander, frame, err));
	return see_expanded(p, err);
}

sheaf_layouts sheaf_profile_layouts(const sheaf_profile *p)
{
	const int64_t *shape = p->schema.tensor.shape;
	double n = (double)p->entries, rows = (double)shape[0], columns = (double)shape[1],
		   size = (double)p->element.size, pointer = sizeof(int64_t),
		   index = rows > INT32_MAX || columns > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
	return (sheaf_layouts){.coo = n * (2 * index + size),
	                       .csr = n * (index + size) + pointer * (rows + 1),
	                       .csc = n * (index + size) + pointer * (columns + 1),
	                       .dense = rows * columns * size};
}

/* ---- all of it ---- */

static void count_slices(sheaf_profile *p, int d)
{
	sheaf_profile_side *s = &p->sides[d];
	s->occupied = s->counts ? 0 : -1;
	for (int64_t i = 0; s->counts && i < p->schema.tensor.shape[d]; i++) {
		s->occupied += s->counts[i] != 0;
		sheaf_spread_add(&s->spread, s->counts[i], 1);
	}
}

sheaf_status sheaf_profile_finish(sheaf_profile *p, sheaf_error *err)
{
	if (p->expander) {
		SHEAF_TRY(sheaf_arranger_finish(p->expander, err));
		SHEAF_TRY(see_expanded(p, err));
	}
	for (int d = 0; d < p->rank; d++) count_slices(p, d);
	p->exact = true;
	if (!p->square) return SHEAF_OK;
	const sheaf_mirrors *m = &p->mirrors;
	p->pattern = sheaf_mirrors_cancel(&m->pattern);
	p->symmetric = p->pattern && sheaf_mirrors_cancel(&m->symmetric);
	p->hermitian = p->pattern && !m->not_hermitian && sheaf_mirrors_cancel(&m->hermitian);
	p->skew = p->pattern && !m->not_skew && sheaf_mirrors_cancel(&m->skew);
	sheaf_mirrors_count(m, &p->mirrored, &p->equal, &p->exact);
	int64_t off = p->entries - p->diagonal;
	if (p->pattern || p->mirrored > off) p->mirrored = off;
	if (p->symmetric || p->equal > p->mirrored) p->equal = p->mirrored;
	if (p->symmetric) p->exact = true;
	return SHEAF_OK;
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
