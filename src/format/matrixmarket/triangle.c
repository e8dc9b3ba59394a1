/* SPDX-License-Identifier: MIT */
/* The triangle of a structure: entries on and below the diagonal. What stands above it was forbidden to its
 * writer, but means the same as the entry below that it implies. */
#include "base/context.h"
#include "format/matrixmarket/matrixmarket.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t coordinate(const sheaf_builder *b, bool wide, int64_t r)
{
	return wide ? ((const int64_t *)(const void *)b->data)[r] : ((const int32_t *)(const void *)b->data)[r];
}

static void set_coordinate(sheaf_builder *b, bool wide, int64_t r, int64_t value)
{
	if (wide)
		((int64_t *)(void *)b->data)[r] = value;
	else
		((int32_t *)(void *)b->data)[r] = (int32_t)value;
}

/* Reports of an entry: its line is over. */
static sheaf_status tell(sheaf_mtx_decoding *d, sheaf_severity severity, const char *rule, int64_t r,
                         const char *expected, const char *consequence)
{
	char found[96];
	int64_t i = coordinate(d->i, d->wide_i, r), j = coordinate(d->j, d->wide_j, r);
	snprintf(found, sizeof found, "(%" PRId64 ", %" PRId64 ")", i + 1, j + 1);
	sheaf_problem problem = {severity, SHEAF_DATA, rule, SHEAF_NOWHERE, expected, found, consequence};
	problem.place.file = sheaf_source_name(d->in->lined.source);
	problem.place.line = ((const int64_t *)(const void *)d->lines->data)[r];
	problem.place.column = 1;
	return sheaf_report(d->text.cx, &problem, d->text.err);
}

/* The value of the entry that one above the diagonal implies; the smallest integer has no opposite. */
static bool turn_value(sheaf_mtx_decoding *d, int64_t r)
{
	const sheaf_mtx_reader *in = d->in;
	double *reals = (double *)(void *)d->values->data;
	int64_t *integers = (int64_t *)(void *)d->values->data;
	if (in->symmetry == MTX_HERMITIAN) {
		reals[2 * r + 1] = -reals[2 * r + 1];
	} else if (in->symmetry == MTX_SKEW && in->field == MTX_INTEGER) {
		if (integers[r] == INT64_MIN) return false;
		integers[r] = -integers[r];
	} else if (in->symmetry == MTX_SKEW) {
		int parts = in->field == MTX_COMPLEX ? 2 : 1;
		for (int p = 0; p < parts; p++) reals[parts * r + p] = -reals[parts * r + p];
	}
	return true;
}

static sheaf_status turn(sheaf_mtx_decoding *d, int64_t r)
{
	static const char rule[] = "entry above the diagonal",
					  expected[] = "an entry on or below the diagonal, since the matrix has a symmetry";
	int64_t i = coordinate(d->i, d->wide_i, r), j = coordinate(d->j, d->wide_j, r);
	SHEAF_TRY(tell(d, SHEAF_BREACH, rule, r, expected, "taken for the entry below that it implies"));
	if (!turn_value(d, r)) return tell(d, SHEAF_FATAL, rule, r, "a value whose opposite has 64 bits", NULL);
	set_coordinate(d->i, d->wide_i, r, j);
	set_coordinate(d->j, d->wide_j, r, i);
	return SHEAF_OK;
}

static bool is_zero(const sheaf_mtx_decoding *d, int64_t r)
{
	const double *reals = (const double *)(const void *)d->values->data;
	if (d->in->field == MTX_INTEGER) return ((const int64_t *)(const void *)d->values->data)[r] == 0;
	return d->in->field == MTX_COMPLEX ? reals[2 * r] == 0 && reals[2 * r + 1] == 0 : reals[r] == 0;
}

/* What a structure says of the diagonal: zeros there are their own opposites, and real numbers their own
 * conjugates. */
static sheaf_status check_diagonal(sheaf_mtx_decoding *d, int64_t r)
{
	const sheaf_mtx_reader *in = d->in;
	if (in->symmetry == MTX_HERMITIAN && ((const double *)(const void *)d->values->data)[2 * r + 1] != 0)
		return tell(d, SHEAF_BREACH, "diagonal of a hermitian matrix", r, "a real number on the diagonal",
		            "kept as it is");
	if (in->symmetry != MTX_SKEW) return SHEAF_OK;
	if (!is_zero(d, r))
		return tell(d, SHEAF_FATAL, "diagonal of a skew-symmetric matrix", r,
		            "no entries on the diagonal but zeros", NULL);
	return tell(d, SHEAF_BREACH, "diagonal of a skew-symmetric matrix", r, "no entries on the diagonal",
	            "the zero is kept");
}

/* Nearly always none is to be looked at: that is found without a branch for each. */
static bool all_below(const sheaf_mtx_decoding *d, int64_t from)
{
	bool any = false;
	const int32_t *i = (const int32_t *)(const void *)d->i->data,
				  *j = (const int32_t *)(const void *)d->j->data;
	if (d->wide_i || d->wide_j) return false;
	if (d->in->symmetry == MTX_SYMMETRIC)
		for (int64_t r = from; r < d->to.nrows; r++) any |= i[r] < j[r];
	else
		for (int64_t r = from; r < d->to.nrows; r++) any |= i[r] <= j[r];
	return !any;
}

sheaf_status sheaf_mtx_check_triangle(sheaf_mtx_decoding *d, int64_t from)
{
	if (d->in->symmetry == MTX_GENERAL || d->in->array || all_below(d, from)) return SHEAF_OK;
	for (int64_t r = from; r < d->to.nrows; r++) {
		int64_t i = coordinate(d->i, d->wide_i, r), j = coordinate(d->j, d->wide_j, r);
		if (i < j) SHEAF_TRY(turn(d, r));
		if (i == j) SHEAF_TRY(check_diagonal(d, r));
	}
	return SHEAF_OK;
}
