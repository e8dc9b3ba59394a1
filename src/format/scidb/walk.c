/* SPDX-License-Identifier: MIT */
/* Cells by their counts: only where they end. */
#include "base/endian.h"
#include "format/scidb/scidb.h"

const uint8_t *sheaf_scidb_pass_cell(const sheaf_scidb_layout *layout, const uint8_t *at, const uint8_t *end,
                                     uint64_t *needed)
{
	uint64_t passed = 0, room = (uint64_t)(end - at);
	for (int k = 0; k < layout->counted; k++) {
		*needed = passed + (uint64_t)layout->gaps[k] + SCIDB_COUNT;
		if (*needed > room) return NULL;
		*needed += sheaf_load_u32le(at + *needed - SCIDB_COUNT);
		if (*needed > room) return NULL;
		passed = *needed;
	}
	*needed = passed + (uint64_t)layout->gaps[layout->counted];
	return *needed > room ? NULL : at + *needed;
}

/* Records where the counted entries of a cell end; returns the end of the cell, or -1 if it is incomplete. */
static int64_t pass_one(const sheaf_scidb_layout *layout, const uint8_t *data, int64_t at, int64_t to,
                        int64_t *bases, int64_t stride)
{
	for (int k = 0; k < layout->counted; k++) {
		if (to - at < layout->gaps[k] + SCIDB_COUNT) return -1;
		at += layout->gaps[k] + SCIDB_COUNT;
		int64_t size = sheaf_load_u32le(data + at - SCIDB_COUNT);
		if (to - at < size) return -1;
		at += size;
		bases[(k + 1) * stride] = at;
	}
	return to - at < layout->gaps[layout->counted] ? -1 : at + layout->gaps[layout->counted];
}

int64_t sheaf_scidb_pass_cells(const sheaf_scidb_block *block, int64_t to, int64_t *bases, int64_t *at)
{
	int64_t c = 0;
	for (; c < block->count; c++) {
		bases[c] = *at;
		int64_t end = pass_one(block->layout, block->data, *at, to, bases + c, block->stride);
		if (end < 0) break;
		*at = end;
	}
	return c;
}
