/* SPDX-License-Identifier: MIT */
/* The C reference writes pointers of matrices with one value for all entries in a type that is too small:
 * they wrap around to 0. If no slice is longer than the type can count, the original can be recovered: each
 * pointer is the one before plus the difference modulo the type's range. */
#include "base/buffer.h"
#include "format/binsparse/tensor.h"

static sheaf_status unwrap(const sheaf_buffer *pointers, int64_t range, int64_t wanted, sheaf_context *cx,
                           sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	int64_t sum = 0, before = 0, n = (int64_t)(pointers->size / sizeof(int64_t));
	const int64_t *stored = (const int64_t *)(const void *)pointers->data;
	sheaf_builder_begin(&b, cx, out);
	for (int64_t i = 0; i < n && sum <= wanted; i++) {
		int64_t step = stored[i] - before;
		sum += step < 0 ? step + range : step;
		before = stored[i];
		sheaf_builder_i64(&b, sum);
	}
	if (sum == wanted && (int64_t)(b.size / sizeof(int64_t)) == n) return sheaf_builder_finish(&b, out, err);
	sheaf_status status = sheaf_builder_status(&b, err);
	sheaf_builder_drop(&b);
	return status;
}

sheaf_status sheaf_bsp_unwrap(const sheaf_bsp_tensor *t, const sheaf_stored_array *pointers, int64_t wanted,
                              sheaf_buffer *out, sheaf_error *err)
{
	sheaf_buffer stored = {0};
	sheaf_buffer_reset(out);
	if (!sheaf_bsp_item(pointers) || sheaf_type_size(sheaf_bsp_item(pointers)->type) > 4) return SHEAF_OK;
	int64_t range = INT64_C(1) << 8 * sheaf_type_size(sheaf_bsp_item(pointers)->type);
	if (wanted < range) return SHEAF_OK;
	SHEAF_TRY(sheaf_stored_i64(&t->sparse, pointers, (sheaf_run){0, pointers->count}, t->cx, &stored, err));
	sheaf_status status = unwrap(&stored, range, wanted, t->cx, out, err);
	sheaf_buffer_reset(&stored);
	return status;
}
