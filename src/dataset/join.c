/* SPDX-License-Identifier: MIT */
/* Blobs of one chunk. */
#include "dataset/join.h"
#include "base/buffer.h"
#include "base/endian.h"
#include "base/memory.h"

static sheaf_status make_room(sheaf_output *out, sheaf_error *err)
{
	enum { FEW = 64 };
	if (out->njoining < out->joining_room) return SHEAF_OK;
	int64_t room = out->joining_room ? 2 * out->joining_room : FEW;
	void *memory = out->joining;
	SHEAF_TRY(sheaf_reallocate(out->cx, &memory, (size_t)out->joining_room * sizeof *out->joining,
	                           (size_t)room * sizeof *out->joining, err));
	out->joining = (sheaf_blob *)memory;
	out->joining_room = room;
	return SHEAF_OK;
}

sheaf_status sheaf_join(sheaf_output *out, sheaf_blob *blob, sheaf_error *err)
{
	SHEAF_TRY(make_room(out, err));
	out->joining[out->njoining++] = *blob;
	blob->bytes = (sheaf_buffer){0};
	return SHEAF_OK;
}

sheaf_blob sheaf_joining_total(const sheaf_output *out)
{
	sheaf_blob sum = {0};
	for (int64_t i = 0; i < out->njoining; i++) {
		sum.rows += out->joining[i].rows;
		sum.samples += out->joining[i].samples;
	}
	return sum;
}

static size_t end_of(const uint8_t *blob, int s)
{
	return (size_t)sheaf_load_u64le(blob + (size_t)s * sizeof(uint64_t));
}

sheaf_bytes sheaf_joining_segment(const sheaf_output *out, int64_t i, int s, int n)
{
	const uint8_t *blob = out->joining[i].bytes.data;
	size_t begin = s ? end_of(blob, s - 1) : (size_t)n * sizeof(uint64_t);
	return (sheaf_bytes){blob + begin, end_of(blob, s) - begin};
}

void sheaf_drop_joining(sheaf_output *out)
{
	while (out->njoining > 0) sheaf_buffer_reset(&out->joining[--out->njoining].bytes);
}
