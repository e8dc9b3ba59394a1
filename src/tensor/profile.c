/* SPDX-License-Identifier: MIT */
/* Profiles: entries in the order of each dimension, side by side. A matrix is symmetric where its entries by
 * rows and by columns are the same. */
#include "tensor/profile.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include <string.h>

static sheaf_status new_side(sheaf_profile *p, int d, const char *name, sheaf_error *err)
{
	sheaf_tensor to = p->schema.tensor;
	sheaf_arrange_options options = {
		.size = sizeof options, .drop_fill = true, .hold = true, .share = p->rank, .name = name};
	to.sorted = true;
	to.unique = to.dense = false;
	to.structure = SHEAF_GENERAL;
	to.order[0] = d;
	for (int other = 0, at = 1; other < p->rank; other++)
		if (other != d) to.order[at++] = other;
	return sheaf_arranger_new(&p->schema, &to, &options, p->cx, &p->sides[d].arranger, err);
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
		                  "%s: expected values that are one number each, none missing, found others", name);
	for (int d = 0; d < p->rank; d++) SHEAF_TRY(new_side(p, d, name, err));
	return SHEAF_OK;
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

void sheaf_profile_free(sheaf_profile *p)
{
	if (!p) return;
	for (int d = 0; d < p->rank; d++) sheaf_arranger_free(p->sides[d].arranger);
	sheaf_components_free(&p->components, p->cx);
	sheaf_schema_free(&p->schema);
	sheaf_release(p->cx, p, sizeof *p);
}

sheaf_status sheaf_profile_add(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_NEED(p, "a profile");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &p->schema, err));
	for (int d = 0; d < p->rank; d++) SHEAF_TRY(sheaf_arranger_add(p->sides[d].arranger, frame, err));
	if (p->rank == 0) p->entries += frame->nrows;
	return SHEAF_OK;
}

/* ---- one side ---- */

static int64_t coordinate(const sheaf_frame *frame, int d, int64_t e)
{
	return sheaf_coordinate_at(&frame->columns[d], e);
}

static void end_slice(sheaf_profile_side *s)
{
	if (s->run == 0) return;
	sheaf_spread_add(&s->spread, s->run, 1);
	s->occupied++;
	s->run = 0;
}

/* Goes to the next entry: false after the last one. */
static sheaf_status next(sheaf_profile *p, int d, bool *any, sheaf_error *err)
{
	sheaf_profile_side *s = &p->sides[d];
	if (s->frame && s->at + 1 < s->frame->nrows) {
		s->at++;
	} else {
		sheaf_status status = sheaf_arranger_next(s->arranger, &s->frame, err);
		s->at = 0;
		if (status == SHEAF_END) {
			end_slice(s);
			sheaf_spread_add(&s->spread, 0, p->schema.tensor.shape[d] - s->occupied);
			*any = false;
			return SHEAF_OK;
		}
		SHEAF_TRY(status);
	}
	int64_t slice = coordinate(s->frame, d, s->at);
	if (slice != s->slice) end_slice(s);
	s->slice = slice;
	s->run++;
	*any = true;
	return SHEAF_OK;
}

static sheaf_status go_through(sheaf_profile *p, int d, sheaf_error *err)
{
	bool any = true;
	while (any) {
		SHEAF_TRY(next(p, d, &any, err));
		if (d == 0) p->entries += any;
	}
	return SHEAF_OK;
}

/* ---- a matrix ---- */

static const uint8_t *value_of(const sheaf_profile *p, const sheaf_profile_side *s)
{
	return s->frame->columns[p->rank].values.data + (size_t)s->at * p->element.size;
}

static void see_place(sheaf_profile *p, int64_t i, int64_t j)
{
	p->entries++;
	p->diagonal += i == j;
	if (i - j > p->lower) p->lower = i - j;
	if (j - i > p->upper) p->upper = j - i;
	if (p->connects) sheaf_components_add(&p->components, i, j);
}

/* The next entries by rows and by columns: less than 0 where the first stands before the mirror of the
 * second, 0 where they are each other's mirror. */
static int compare_mirrors(const sheaf_profile *p)
{
	const sheaf_profile_side *rows = &p->sides[0], *columns = &p->sides[1];
	int64_t i = coordinate(rows->frame, 0, rows->at), j = coordinate(rows->frame, 1, rows->at);
	int64_t other_i = coordinate(columns->frame, 1, columns->at),
			other_j = coordinate(columns->frame, 0, columns->at);
	if (i != other_i) return i < other_i ? -1 : 1;
	return j < other_j ? -1 : j > other_j;
}

/* An entry and its mirror, which is itself on the diagonal. */
static void see_mirror(sheaf_profile *p)
{
	const sheaf_profile_side *rows = &p->sides[0];
	bool diagonal = coordinate(rows->frame, 0, rows->at) == coordinate(rows->frame, 1, rows->at);
	const uint8_t *a = value_of(p, rows), *b = value_of(p, &p->sides[1]);
	uint8_t other[16];
	bool equal = sheaf_element_equal(&p->element, a, b);
	p->mirrored += !diagonal;
	p->equal += !diagonal && equal;
	p->symmetric = p->symmetric && equal;
	sheaf_element_conjugate(&p->element, b, other);
	/* A real number's conjugate has another zero. */
	p->hermitian = p->hermitian && (diagonal ? sheaf_element_is_real(&p->element, a)
	                                         : sheaf_element_equal(&p->element, a, other));
	if (p->skew)
		p->skew = diagonal ? sheaf_element_is_zero(&p->element, a)
		                   : sheaf_element_negate(&p->element, b, other) &&
		                         sheaf_element_equal(&p->element, a, other);
}

static void see_no_mirror(sheaf_profile *p) { p->pattern = p->symmetric = p->hermitian = p->skew = false; }

static void see_row_entry(sheaf_profile *p)
{
	const sheaf_profile_side *rows = &p->sides[0];
	see_place(p, coordinate(rows->frame, 0, rows->at), coordinate(rows->frame, 1, rows->at));
}

/* Both orders side by side, like two sorted lists that are merged. */
static sheaf_status go_through_matrix(sheaf_profile *p, sheaf_error *err)
{
	bool row, column;
	SHEAF_TRY(next(p, 0, &row, err));
	SHEAF_TRY(next(p, 1, &column, err));
	while (row || column) {
		int order = !row ? 1 : !column ? -1 : compare_mirrors(p);
		if (order == 0)
			see_mirror(p);
		else
			see_no_mirror(p);
		if (order <= 0) {
			see_row_entry(p);
			SHEAF_TRY(next(p, 0, &row, err));
		}
		if (order >= 0) SHEAF_TRY(next(p, 1, &column, err));
	}
	sheaf_components_finish(&p->components);
	return SHEAF_OK;
}

sheaf_status sheaf_profile_connect(sheaf_profile *p, int64_t room, sheaf_error *err)
{
	const int64_t *shape = p->schema.tensor.shape;
	p->connects = p->rank == 2;
	return p->connects ? sheaf_components_begin(&p->components, shape[0], shape[1], room, p->cx, err)
	                   : SHEAF_OK;
}

static double share_of(const sheaf_profile *p, int64_t n)
{
	int64_t off = p->entries - p->diagonal;
	return off ? (double)n / (double)off : 1;
}

double sheaf_profile_mirrored(const sheaf_profile *p) { return share_of(p, p->mirrored); }

double sheaf_profile_equal(const sheaf_profile *p) { return share_of(p, p->equal); }

sheaf_status sheaf_profile_finish(sheaf_profile *p, sheaf_error *err)
{
	SHEAF_NEED(p, "a profile");
	for (int d = 0; d < p->rank; d++) {
		p->sides[d].slice = -1;
		SHEAF_TRY(sheaf_arranger_finish(p->sides[d].arranger, err));
	}
	if (p->rank == 2) return go_through_matrix(p, err);
	for (int d = 0; d < p->rank; d++) SHEAF_TRY(go_through(p, d, err));
	return SHEAF_OK;
}

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
