/* SPDX-License-Identifier: MIT */
/* One sequence of one stream in a chunk: its counts, and where its arrays are. */
#include "base/endian.h"
#include "format/cbf/cbf.h"

sheaf_cbf_shape sheaf_cbf_shape_of(const sheaf_field *field)
{
	return (sheaf_cbf_shape){sheaf_field_is_sparse(field), (uint32_t)sheaf_field_dim(field),
	                         (uint32_t)sheaf_type_size(field->type)};
}

static bool pass_checked(sheaf_cursor *c, const sheaf_cbf_shape *shape, sheaf_cbf_extent *out)
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

/* Where a sequence begins is known only when the one before has been read: the machine cannot look ahead by
 * itself. */
static void ask_for(const uint8_t *at, uint64_t ahead)
{
	__builtin_prefetch((const void *)((uintptr_t)at + ahead));
}

/* Dense sequences are often as long as the one before. */
static bool pass_dense(sheaf_cursor *c, const sheaf_cbf_shape *shape, sheaf_cbf_extent *out)
{
	enum { HEAD = 4, AHEAD = 4 };
	uint64_t left = (uint64_t)(c->end - c->at), item = (uint64_t)shape->dim * shape->size;
	if (c->failed || left < HEAD) return false;
	uint32_t samples = sheaf_load_u32le(c->at);
	if (samples > (left - HEAD) / (item ? item : 1)) return false;
	*out = (sheaf_cbf_extent){samples, 0, c->at + HEAD, NULL, NULL};
	c->at += HEAD + samples * item;
	ask_for(c->at, AHEAD * (HEAD + samples * item));
	return true;
}

/* All of a sparse sequence at once, where it fits: its size is below 2^36, so no sum overflows. */
static bool pass_sparse(sheaf_cursor *c, const sheaf_cbf_shape *shape, sheaf_cbf_extent *out)
{
	enum { HEAD = 8, AHEAD = 1024 };
	uint64_t left = (uint64_t)(c->end - c->at);
	if (c->failed || left < HEAD) return false;
	uint64_t samples = sheaf_load_u32le(c->at), n = sheaf_load_u32le(c->at + 4),
			 size = HEAD + n * (shape->size + 4) + 4 * samples;
	if (n > INT32_MAX || size > left) return false;
	const uint8_t *values = c->at + HEAD, *indices = values + n * shape->size;
	*out = (sheaf_cbf_extent){(uint32_t)samples, (int32_t)n, values, indices, indices + 4 * n};
	c->at += size;
	ask_for(c->at, AHEAD);
	return true;
}

bool sheaf_cbf_pass_sequence(sheaf_cursor *c, const sheaf_cbf_shape *shape, sheaf_cbf_extent *out)
{
	return (shape->sparse ? pass_sparse : pass_dense)(c, shape, out) || pass_checked(c, shape, out);
}
