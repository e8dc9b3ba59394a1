/* SPDX-License-Identifier: MIT */
/* Values of entries, and encoded numbers as in netCDF. */
#include "base/context.h"
#include "base/memory.h"
#include "format/hdf5/hdf5.h"
#include <math.h>

/* A missing value becomes NaN. */
static void unpack(const sheaf_hdf_packing *p, double *numbers, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		numbers[i] = p->has_fill && numbers[i] == p->fill ? (double)NAN : numbers[i] * p->scale + p->offset;
}

static sheaf_status put_unpacked(const sheaf_hdf_reader *in, int64_t first, int64_t n,
                                 sheaf_column_builder *to, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	size_t size = (size_t)n * sizeof(double);
	SHEAF_TRY(sheaf_allocate(cx, size, &memory, err));
	double *numbers = (double *)memory;
	sheaf_status status = sheaf_box_read_into(in->box, (sheaf_box_run){in->set.values, first, first + n},
	                                          SHEAF_F64, numbers, err);
	if (!status) {
		unpack(&in->packing, numbers, n);
		for (int64_t i = 0; i < n; i++) sheaf_put_real(&to->values, to->field->type, numbers[i]);
	}
	sheaf_release(cx, memory, size);
	return status;
}

sheaf_status sheaf_hdf_put_values(const sheaf_hdf_reader *in, int64_t first, int64_t n,
                                  sheaf_column_builder *to, sheaf_context *cx, sheaf_error *err)
{
	int64_t parts = to->field->meaning == SHEAF_COMPLEX ? 2 : 1;
	size_t size = (size_t)(n * parts) * sheaf_type_size(to->field->type);
	if (in->packing.is_packed) return put_unpacked(in, first, n, to, cx, err);
	if (!sheaf_builder_room(&to->values, size + 1)) return sheaf_builder_status(&to->values, err);
	SHEAF_TRY(sheaf_box_read_into(in->box,
	                              (sheaf_box_run){in->set.values, first * parts, (first + n) * parts},
	                              to->field->type, to->values.data, err));
	/* Any number other than 0 or 1 for a truth value becomes 1. */
	for (int64_t i = 0; to->field->meaning == SHEAF_BOOL && i < n; i++)
		to->values.data[i] = to->values.data[i] != 0;
	to->values.size = size;
	return SHEAF_OK;
}
