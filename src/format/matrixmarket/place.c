/* SPDX-License-Identifier: MIT */
/* Arrays: the places of values, from the order in which they come. */
#include "format/matrixmarket/matrixmarket.h"

/* The first row of a column that an array holds. */
static int64_t first_row(const sheaf_mtx_reader *in, int64_t column)
{
	return in->symmetry == MTX_GENERAL ? 0 : column + (in->symmetry == MTX_SKEW);
}

/* The number of values before a column of a triangle. */
static int64_t values_before(const sheaf_mtx_reader *in, int64_t column)
{
	int64_t most = in->rows - (in->symmetry == MTX_SKEW);
	return in->symmetry == MTX_GENERAL ? column * in->rows : column * most - (column - 1) * column / 2;
}

/* Finds the place of entry number d->entry, which is below in->entries, in an array: by bisection, the
 * last column before which there are not more values. */
void sheaf_mtx_find_place(sheaf_entry_decoding *d)
{
	const sheaf_mtx_reader *in = (const sheaf_mtx_reader *)d->in;
	int64_t low = 0, high = in->columns;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (values_before(in, middle) <= d->entry)
			low = middle;
		else
			high = middle;
	}
	d->place[0] = first_row(in, low) + d->entry - values_before(in, low);
	d->place[1] = low;
}

void sheaf_mtx_pass_places(sheaf_entry_decoding *d, int64_t n)
{
	const sheaf_mtx_reader *in = (const sheaf_mtx_reader *)d->in;
	d->entry += n;
	d->place[0] += n;
	if (d->place[0] < in->rows) return;
	d->place[1]++;
	d->place[0] = first_row(in, d->place[1]);
}
