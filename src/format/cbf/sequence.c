/* SPDX-License-Identifier: MIT */
/* One sequence of one stream in a chunk: its counts, where its arrays are, and how they go into a frame.
 *
 *     dense   samples | values
 *     sparse  samples | non-zeros | values | indices | non-zeros of each sample
 *
 * Counts and indices have 4 bytes. In sound files a sequence is passed with one comparison; the checks that
 * say what is wrong follow only if that fails. */
#include "base/endian.h"
#include "format/cbf/cbf.h"

/* Says what does not fit. */
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

uint32_t sheaf_cbf_most_index(const sheaf_cbf_extent *e)
{
	uint32_t most = 0;
	for (int32_t k = 0; k < e->nonzeros; k++) {
		uint32_t index = sheaf_load_u32le(e->indices + 4 * (size_t)k);
		most = index > most ? index : most;
	}
	return most;
}

uint64_t sheaf_cbf_sum_samples(const sheaf_piece *piece, int64_t sequences)
{
	uint64_t sum = 0;
	for (int64_t i = 0; i < sequences; i++) sum += sheaf_load_u32le(piece->bytes.data + 4 * (size_t)i);
	return sum;
}

/* ---- into a frame ---- */

bool sheaf_cbf_put_ends(sheaf_cbf_filling *f, const sheaf_cbf_extent *e)
{
	uint64_t end = (uint64_t)f->nonzeros, sound = end + (uint64_t)e->nonzeros;
	uint32_t all = 0;
	if (!sheaf_builder_room(f->entries, (uint64_t)e->samples * sizeof(int64_t)))
		return true; /* the builder will report it */
	int64_t *ends = (int64_t *)(void *)(f->entries->data + f->entries->size);
	for (uint32_t i = 0; i < e->samples; i++) {
		uint32_t n = sheaf_load_u32le(e->counts + 4 * (size_t)i);
		all |= n;
		end += n;
		ends[i] = (int64_t)end;
	}
	if (all > INT32_MAX || end != sound) return false;
	f->entries->size += (size_t)e->samples * sizeof(int64_t);
	f->nonzeros = (int64_t)end;
	return true;
}

void sheaf_cbf_put_arrays(sheaf_cbf_filling *f, const sheaf_cbf_shape *shape, const sheaf_cbf_extent *e)
{
	sheaf_cbf_put_array(f->values, e->values, sheaf_cbf_value_count(shape, e), shape->size);
	sheaf_cbf_put_array(f->indices, e->indices, (size_t)e->nonzeros, 4);
}
