/* SPDX-License-Identifier: MIT */
/* One sequence of one stream in a chunk: its counts, and where its arrays are. */
#include "format/cbf/cbf.h"

sheaf_cbf_shape sheaf_cbf_shape_of(const sheaf_field *field)
{
	return (sheaf_cbf_shape){sheaf_field_is_sparse(field), (uint32_t)sheaf_field_dim(field), (uint32_t)sheaf_type_size(field->type)};
}

bool sheaf_cbf_pass_sequence(sheaf_cursor *c, const sheaf_cbf_shape *shape, sheaf_cbf_extent *out)
{
	*out = (sheaf_cbf_extent){0};
	out->samples = sheaf_cursor_u32le(c, "number of samples");
	if (!shape->sparse) {
		out->values = sheaf_cursor_bytes(c, out->samples, (uint64_t)shape->dim * shape->size, "values");
		return !c->failed;
	}
	out->nonzeros = sheaf_cursor_i32le(c, "number of non-zeros");
	if (out->nonzeros < 0) return false;
	uint64_t n = (uint64_t)out->nonzeros;
	out->values = sheaf_cursor_bytes(c, n, shape->size, "values");
	out->indices = sheaf_cursor_bytes(c, n, 4, "indices");
	out->counts = sheaf_cursor_bytes(c, out->samples, 4, "non-zeros of each sample");
	return !c->failed;
}
