/* SPDX-License-Identifier: MIT */
/* Where entries are: their coordinates. */
#include "data/compress.h"
#include "format/hdf5/hdf5.h"
#include <inttypes.h>

sheaf_status sheaf_hdf_refuse_index(const sheaf_hdf_reader *in, sheaf_box_run at, int d, int64_t found,
                                    sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: /%s, entry %" PRId64 ": expected an index from 0 to %" PRId64 ", found %" PRId64,
	                  in->file, at.item->path, at.from, in->shape[d] - 1, found);
}

/* Indices of dimension d. */
static sheaf_status read_indices(const sheaf_hdf_reader *in, sheaf_box_run run, int d, int64_t *out,
                                 sheaf_error *err)
{
	int64_t n = run.to - run.from;
	SHEAF_TRY(sheaf_box_read_into(in->box, run, SHEAF_I64, out, err));
	for (int64_t i = 0; i < n; i++)
		if (out[i] < 0 || out[i] >= in->shape[d])
			return sheaf_hdf_refuse_index(in, (sheaf_box_run){run.item, run.from + i, run.to}, d, out[i],
			                              err);
	return SHEAF_OK;
}

static sheaf_status place_compressed(const sheaf_hdf_reader *in, int64_t first, int64_t n,
                                     int64_t *at[SHEAF_MAX_RANK], sheaf_error *err)
{
	int outer = in->set.by_columns, inner = !outer;
	int64_t list = n ? sheaf_slice_of(in->pointers, in->npointers - 1, first) : 0;
	for (int64_t i = 0; i < n; i++) {
		while (in->pointers[list + 1] <= first + i) list++;
		at[outer][i] = list;
	}
	return read_indices(in, (sheaf_box_run){in->set.indices, first, first + n}, inner, at[inner], err);
}

/* By rows, or by columns: the last dimension of storage changes fastest. */
static void place_dense(const sheaf_hdf_reader *in, int64_t first, int64_t n, int64_t *at[SHEAF_MAX_RANK])
{
	int64_t place[SHEAF_MAX_RANK] = {0}, left = first;
	int order[SHEAF_MAX_RANK] = {0};
	for (int d = 0; d < in->rank; d++) order[d] = in->set.by_columns ? in->rank - 1 - d : d;
	for (int d = in->rank - 1; d >= 0; d--) {
		place[d] = left % in->shape[order[d]];
		left /= in->shape[order[d]];
	}
	for (int64_t i = 0; i < n; i++) {
		for (int d = 0; d < in->rank; d++) at[order[d]][i] = place[d];
		for (int d = in->rank - 1; d >= 0 && ++place[d] == in->shape[order[d]]; d--) place[d] = 0;
	}
}

sheaf_status sheaf_hdf_places(const sheaf_hdf_reader *in, int64_t first, int64_t n,
                              int64_t *at[SHEAF_MAX_RANK], sheaf_error *err)
{
	switch (in->set.kind) {
	case HDF_COMPRESSED: return place_compressed(in, first, n, at, err);
	case HDF_COORDINATES:
		SHEAF_TRY(read_indices(in, (sheaf_box_run){in->set.indices, first, first + n}, 0, at[0], err));
		return read_indices(in, (sheaf_box_run){in->set.second, first, first + n}, 1, at[1], err);
	default: place_dense(in, first, n, at); return SHEAF_OK;
	}
}
