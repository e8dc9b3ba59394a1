/* SPDX-License-Identifier: MIT */
/* The place of a cell in its array. The server loads and saves chunk by chunk, chunks and the cells within
 * each with the last dimension varying fastest; at the edge of the array chunks are cut. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/spell.h"
#include "format/scidb/scidb.h"

static bool is_bounded(const sheaf_scidb_dimension *d) { return !d->low_mark && !d->high_mark; }
static int64_t extent_of(const sheaf_scidb_dimension *d)
{
	return is_bounded(d) ? d->high - d->low + 1 : INT64_MAX;
}
static int64_t low_of(const sheaf_scidb_dimension *d) { return d->low_mark ? 0 : d->low; }
/* In one dimension chunks make no difference. */
static int64_t chunk_of(const sheaf_scidb_dimension *d)
{
	return d->chunk_mark || d->chunk > extent_of(d) ? extent_of(d) : d->chunk;
}

int64_t sheaf_scidb_capacity(const sheaf_scidb_array *array)
{
	int64_t cells = 1;
	if (array->ndimensions == 0) return -1;
	for (int i = 0; i < array->ndimensions; i++)
		if (!is_bounded(&array->dimensions[i]) ||
		    !sheaf_mul_i64(&cells, cells, extent_of(&array->dimensions[i])))
			return -1;
	return cells;
}

sheaf_status sheaf_scidb_check_dimensions(const sheaf_scidb_array *array, sheaf_error *err)
{
	int64_t cells = 1;
	if (array->ndimensions == 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "dimensions",
		                         ": expected a " SHEAF_OPTION("schema") " with dimensions, found %s", "none");
	if (array->ndimensions > SHEAF_MAX_RANK)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "dimensions",
		                         ": expected at most %d dimensions, found %d", SHEAF_MAX_RANK,
		                         array->ndimensions);
	for (int i = array->ndimensions; i-- > 0;) {
		const sheaf_scidb_dimension *d = &array->dimensions[i];
		if (i > 0 && !is_bounded(d))
			return sheaf_fail_option(err, SHEAF_USAGE, "dimensions",
			                         ": expected an end of dimension \"%s\", found none", d->name);
		if (array->ndimensions > 1 && d->chunk_mark)
			return sheaf_fail_option(err, SHEAF_USAGE, "dimensions",
			                         ": expected the length of chunks of dimension \"%s\", which "
			                         "decides the order of cells, found %c",
			                         d->name, d->chunk_mark);
		if (i > 0 && !sheaf_mul_i64(&cells, cells, extent_of(d)))
			return sheaf_fail_option(err, SHEAF_USAGE, "dimensions",
			                         ": expected fewer than 2^63 cells, found %s", "more");
	}
	return SHEAF_OK;
}

/* The number of cells in the dimensions after number i, for each of its coordinates. */
static int64_t cells_after(const sheaf_scidb_array *array, int i)
{
	int64_t cells = 1;
	while (++i < array->ndimensions) cells *= extent_of(&array->dimensions[i]);
	return cells;
}

/* The length of the chunk that begins at `from` coordinates after the lowest. */
static int64_t length_at(const sheaf_scidb_dimension *d, int64_t from)
{
	int64_t left = extent_of(d) - from;
	return chunk_of(d) < left ? chunk_of(d) : left;
}

/* A product, or the largest number if it overflows. */
static int64_t times(int64_t a, int64_t b)
{
	int64_t product;
	return sheaf_mul_i64(&product, a, b) ? product : INT64_MAX;
}

/* The chunks before this one in dimension i have chunk * before * after cells each: `before` is the product
 * of the chunk's lengths in earlier dimensions. */
void sheaf_scidb_coordinates(const sheaf_scidb_array *array, int64_t cell, int64_t *coordinates)
{
	int64_t before = 1;
	for (int i = 0; i < array->ndimensions; i++) {
		const sheaf_scidb_dimension *d = &array->dimensions[i];
		int64_t size, chunk = chunk_of(d), begun = 0;
		if (sheaf_mul_i64(&size, chunk, before) && sheaf_mul_i64(&size, size, cells_after(array, i))) {
			begun = cell / size * chunk;
			cell %= size;
		}
		coordinates[i] = begun;
		before = times(before, length_at(d, begun));
	}
	for (int i = array->ndimensions; i-- > 0;) {
		const sheaf_scidb_dimension *d = &array->dimensions[i];
		int64_t length = length_at(d, coordinates[i]);
		coordinates[i] += cell % length + low_of(d);
		cell /= length;
	}
}

bool sheaf_scidb_cell_at(const sheaf_scidb_array *array, const int64_t *coordinates, int64_t *cell)
{
	int64_t before = 1, within = 0, sum = 0, part;
	for (int i = 0; i < array->ndimensions; i++) {
		const sheaf_scidb_dimension *d = &array->dimensions[i];
		int64_t at = coordinates[i] - low_of(d), begun = at / chunk_of(d) * chunk_of(d);
		if (coordinates[i] < low_of(d) || at >= extent_of(d)) return false;
		if (!sheaf_mul_i64(&part, begun, before) || !sheaf_mul_i64(&part, part, cells_after(array, i)) ||
		    !sheaf_add_i64(&sum, sum, part))
			return false;
		if (!sheaf_mul_i64(&within, within, length_at(d, begun)) ||
		    !sheaf_add_i64(&within, within, at - begun))
			return false;
		before = times(before, length_at(d, begun));
	}
	return sheaf_add_i64(cell, sum, within);
}

void sheaf_scidb_fill_coordinates(const sheaf_scidb_reader *in, int64_t first, int64_t count,
                                  sheaf_frame_builder *to)
{
	int64_t coordinates[SHEAF_MAX_RANK] = {0};
	for (int64_t c = 0; in->coordinates > 0 && c < count; c++) {
		sheaf_scidb_coordinates(&in->array, first + c, coordinates);
		for (int i = 0; i < in->coordinates; i++) sheaf_builder_i64(&to->columns[i].values, coordinates[i]);
	}
}
