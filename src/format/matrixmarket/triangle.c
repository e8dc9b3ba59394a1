/* SPDX-License-Identifier: MIT */
/* The triangle of a structure: entries on and below the diagonal. The format forbids entries above it, but
 * some programs write them; they mean the same as the entries below that they imply, and are turned into
 * these:
 *
 *   symmetric         (i, j) v is (j, i) v
 *   skew-symmetric    (i, j) v is (j, i) -v
 *   hermitian         (i, j) v is (j, i) with the conjugate of v
 *
 * All of this is done with entries that were read, in the frame that is being made. */
#include "base/context.h"
#include "format/matrixmarket/matrixmarket.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static sheaf_mtx_symmetry symmetry_of(const sheaf_entry_decoding *d)
{
	return ((const sheaf_mtx_reader *)d->in)->symmetry;
}

/* Coordinate c of entry r, from 0 on. */
static int64_t coordinate(const sheaf_entry_decoding *d, int c, int64_t r)
{
	return sheaf_index_at(d->to.columns[c].values.data, d->wide[c] ? SHEAF_I64 : SHEAF_I32, r);
}

static void set_coordinate(sheaf_entry_decoding *d, int c, int64_t r, int64_t value)
{
	void *data = d->to.columns[c].values.data;
	if (d->wide[c])
		((int64_t *)data)[r] = value;
	else
		((int32_t *)data)[r] = (int32_t)value;
}

/* Reports entry r, whose line has been read, by its place in the matrix. */
static sheaf_status report(sheaf_entry_decoding *d, sheaf_severity severity, const char *rule, int64_t r,
                           const char *expected, const char *consequence)
{
	char found[96];
	int64_t i = coordinate(d, 0, r), j = coordinate(d, 1, r);
	snprintf(found, sizeof found, "(%" PRId64 ", %" PRId64 ")", i + 1, j + 1);
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(d->in->lined.source),
	                                         &SHEAF_FINDING(severity, rule, expected, found, consequence));
	problem.place.line = ((const int64_t *)(const void *)d->lines->data)[r];
	problem.place.column = 1;
	return sheaf_report(d->text.cx, &problem, d->text.err);
}

/* Turns the value of entry r above the diagonal into that of the one below that it implies; false: the
 * smallest integer has no negative. */
static bool turn_value(sheaf_entry_decoding *d, int64_t r)
{
	sheaf_mtx_symmetry symmetry = symmetry_of(d);
	double *reals = (double *)(void *)d->values->data;
	int64_t *integers = (int64_t *)(void *)d->values->data;
	if (symmetry == MTX_HERMITIAN) {
		reals[2 * r + 1] = -reals[2 * r + 1];
	} else if (symmetry == MTX_SKEW && d->in->value == SHEAF_ENTRY_INTEGER) {
		if (integers[r] == INT64_MIN) return false;
		integers[r] = -integers[r];
	} else if (symmetry == MTX_SKEW) {
		int parts = d->in->value == SHEAF_ENTRY_COMPLEX ? 2 : 1;
		for (int p = 0; p < parts; p++) reals[parts * r + p] = -reals[parts * r + p];
	}
	return true;
}

/* Turns entry r above the diagonal into the one below, and reports it. */
static sheaf_status turn(sheaf_entry_decoding *d, int64_t r)
{
	static const char rule[] = "entry above the diagonal",
					  expected[] = "an entry on or below the diagonal, since the matrix has a symmetry";
	int64_t i = coordinate(d, 0, r), j = coordinate(d, 1, r);
	SHEAF_TRY(report(d, SHEAF_BREACH, rule, r, expected, "taken for the entry below that it implies"));
	if (!turn_value(d, r)) return report(d, SHEAF_FATAL, rule, r, "a value whose opposite has 64 bits", NULL);
	set_coordinate(d, 0, r, j);
	set_coordinate(d, 1, r, i);
	return SHEAF_OK;
}

/* Reports an entry r on the diagonal that contradicts the structure: only zeros there equal their
 * negatives (skew-symmetric), and only real numbers their conjugates (hermitian). An imaginary part and a
 * stored zero are kept; any other number is fatal. */
static sheaf_status check_diagonal(sheaf_entry_decoding *d, int64_t r)
{
	sheaf_mtx_symmetry symmetry = symmetry_of(d);
	const double *reals = (const double *)(const void *)d->values->data;
	const int64_t *integers = (const int64_t *)(const void *)d->values->data;
	if (symmetry == MTX_HERMITIAN && reals[2 * r + 1] != 0)
		return report(d, SHEAF_BREACH, "diagonal of a hermitian matrix", r, "a real number on the diagonal",
		              "kept as it is");
	if (symmetry != MTX_SKEW) return SHEAF_OK;
	bool is_zero = d->in->value == SHEAF_ENTRY_INTEGER   ? integers[r] == 0
	               : d->in->value == SHEAF_ENTRY_COMPLEX ? reals[2 * r] == 0 && reals[2 * r + 1] == 0
	                                                     : reals[r] == 0;
	if (!is_zero)
		return report(d, SHEAF_FATAL, "diagonal of a skew-symmetric matrix", r,
		              "no entries on the diagonal but zeros", NULL);
	return report(d, SHEAF_BREACH, "diagonal of a skew-symmetric matrix", r, "no entries on the diagonal",
	              "the zero is kept");
}

/* Returns whether no entry from number `from` on needs a closer look, which is nearly always so; it is
 * found without a branch for each. Wide coordinates are left for the closer look. */
static bool all_below(const sheaf_entry_decoding *d, int64_t from)
{
	bool any = false;
	const int32_t *i = (const int32_t *)(const void *)d->to.columns[0].values.data,
				  *j = (const int32_t *)(const void *)d->to.columns[1].values.data;
	if (d->wide[0] || d->wide[1]) return false;
	if (symmetry_of(d) == MTX_SYMMETRIC)
		for (int64_t r = from; r < d->to.nrows; r++) any |= i[r] < j[r];
	else
		for (int64_t r = from; r < d->to.nrows; r++) any |= i[r] <= j[r];
	return !any;
}

/* Looks at the entries of a structure from number `from` on: those above the diagonal are turned, those
 * on it checked. After a fatal one the entries before it stay. */
sheaf_status sheaf_mtx_check_triangle(sheaf_entry_decoding *d, int64_t from)
{
	if (symmetry_of(d) == MTX_GENERAL || d->in->bare || all_below(d, from)) return SHEAF_OK;
	for (int64_t r = from; r < d->to.nrows; r++) {
		int64_t i = coordinate(d, 0, r), j = coordinate(d, 1, r);
		sheaf_status status = i < j ? turn(d, r) : i == j ? check_diagonal(d, r) : SHEAF_OK;
		if (status) d->to.nrows = r; /* the entries before it are good */
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}
