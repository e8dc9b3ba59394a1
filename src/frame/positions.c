/* SPDX-License-Identifier: MIT */
/* The positions of dense tensors. */
#include "base/checked.h"
#include "frame/frame.h"
#include "frame/schema/structure.h"
#include <inttypes.h>

/* A structure stores one triangle with the diagonal, (n^2 + n) / 2 positions of a square matrix: computed
 * from n^2 without adding to it, which could overflow. -1: the tensor need not have one value for each
 * position, or there are more than 64 bits count. A skew-symmetric one may leave out its diagonal. */
int64_t sheaf_tensor_positions(const sheaf_tensor *tensor)
{
	int64_t n = tensor->dense && tensor->unique && !sheaf_structure_is_skew(tensor->structure) ? 1 : -1;
	for (int d = 0; d < tensor->rank && n >= 0; d++)
		if (!sheaf_mul_i64(&n, n, tensor->shape[d])) n = -1;
	return n < 0 || tensor->structure == SHEAF_GENERAL ? n : n / 2 + (tensor->shape[0] + n % 2) / 2;
}

sheaf_status sheaf_check_positions(const sheaf_tensor *tensor, int64_t entries, const char *file,
                                   sheaf_error *err)
{
	int64_t n = sheaf_tensor_positions(tensor);
	if (n < 0 || n == entries) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected %" PRId64
	                  " values, one for each position of a dense tensor, found %" PRId64,
	                  file, n, entries);
}
