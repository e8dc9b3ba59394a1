/* SPDX-License-Identifier: MIT */
/* The record of the sorter, and its order in memory. */
#ifndef SHEAF_IO_SORT_H
#define SHEAF_IO_SORT_H

#include <sheaf/base.h>

typedef struct sheaf_record {
	uint64_t key, value;
} sheaf_record;

static inline bool sheaf_record_less(const sheaf_record *a, const sheaf_record *b)
{
	return a->key != b->key ? a->key < b->key : a->value < b->value;
}

/* Sorts records[n] by (key, value) with the help of spare[n]; the result is in the array that is returned. */
sheaf_record *sheaf_sort_records(sheaf_record *records, sheaf_record *spare, size_t n);

#endif
