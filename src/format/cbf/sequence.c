/* SPDX-License-Identifier: MIT */
/* One sequence of one stream in a chunk: its counts, and where its arrays are. */
#include "format/cbf/cbf.h"

bool sheaf_cbf_pass_sequence(sheaf_cursor *c, const sheaf_field *field, sheaf_cbf_extent *out)
{
	uint64_t size = sheaf_type_size(field->type), dim = (uint64_t)sheaf_field_dim(field);
	*out = (sheaf_cbf_extent){0};
	out->samples = sheaf_cursor_u32le(c, "number of samples");
	if (!sheaf_field_is_sparse(field)) {
		out->values = sheaf_cursor_bytes(c, out->samples, dim * size, "values");
		return !c->failed;
	}
	out->nonzeros = sheaf_cursor_i32le(c, "number of non-zeros");
	if (out->nonzeros < 0) return false;
	uint64_t n = (uint64_t)out->nonzeros;
	out->values = sheaf_cursor_bytes(c, n, size, "values");
	out->indices = sheaf_cursor_bytes(c, n, 4, "indices");
	out->counts = sheaf_cursor_bytes(c, out->samples, 4, "non-zeros of each sample");
	return !c->failed;
}
