/* SPDX-License-Identifier: MIT */
/* Pointers made from entries that come list by list. */
#include "base/buffer.h"
#include "sparse/sparse.h"
#include <string.h>

void sheaf_pointers_reach(sheaf_pointers *p, int64_t list)
{
	sheaf_builder *b = &p->numbers;
	while ((int64_t)(b->size / sizeof(int64_t)) <= list && !b->failed) sheaf_builder_i64(b, p->entries);
}

/* Entries of one list are consecutive, so most need no look at the pointers. */
void sheaf_pointers_add(sheaf_pointers *p, const void *lists, sheaf_type type, int64_t n)
{
	int64_t before = -1;
	for (int64_t i = 0; i < n; i++, p->entries++) {
		int64_t list = sheaf_index_at(lists, type, i);
		if (list != before) sheaf_pointers_reach(p, list);
		before = list;
	}
}

sheaf_type sheaf_pointers_end(sheaf_pointers *p, int64_t lists)
{
	sheaf_pointers_reach(p, lists);
	if (p->entries > INT32_MAX) return SHEAF_I64;
	uint8_t *data = p->numbers.data;
	size_t n = p->numbers.size / sizeof(int64_t);
	for (size_t i = 0; i < n; i++) {
		int64_t wide;
		memcpy(&wide, data + i * sizeof wide, sizeof wide);
		int32_t narrow = (int32_t)wide; /* written before what is still to be read */
		memcpy(data + i * sizeof narrow, &narrow, sizeof narrow);
	}
	p->numbers.size = n * sizeof(int32_t);
	return SHEAF_I32;
}
