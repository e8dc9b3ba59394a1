/* SPDX-License-Identifier: MIT */
/* The C reference writes pointers of matrices with one value for all entries in a type that is too small:
 * they wrap around to 0. If no slice is longer than the type can count, the original can be recovered: each
 * pointer is the one before plus the difference modulo the type's range. */
#include "base/buffer.h"
#include "format/binsparse/tensor.h"

sheaf_status sheaf_bsp_unwrap(const sheaf_bsp_tensor *t, const sheaf_stored_array *pointers, int64_t wanted,
                              sheaf_buffer *out, sheaf_error *err)
{
	const sheaf_box_item *item = sheaf_bsp_item(pointers);
	sheaf_buffer stored = {0};
	sheaf_builder b;
	int64_t sum = 0, before = 0, n = pointers->count;
	sheaf_buffer_reset(out);
	if (!item || sheaf_type_size(item->type) > 4) return SHEAF_OK;
	int64_t range = INT64_C(1) << 8 * sheaf_type_size(item->type);
	if (wanted < range) return SHEAF_OK;
	SHEAF_TRY(sheaf_stored_i64(&t->sparse, pointers, (sheaf_run){0, n}, t->cx, &stored, err));
	sheaf_builder_begin(&b, t->cx, NULL);
	for (int64_t i = 0; i < n && sum <= wanted; i++) {
		int64_t step = sheaf_numbers(&stored)[i] - before;
		sum += step < 0 ? step + range : step;
		before = sheaf_numbers(&stored)[i];
		sheaf_builder_i64(&b, sum);
	}
	sheaf_buffer_reset(&stored);
	sheaf_status status = sheaf_builder_status(&b, err);
	if (!status && sum == wanted && (int64_t)(b.size / sizeof(int64_t)) == n)
		return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}
