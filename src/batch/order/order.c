/* SPDX-License-Identifier: MIT */
/* The table of orders, and their common code. */
#include "batch/order/order.h"
#include <string.h>

static const sheaf_order *const orders[] = {&sheaf_order_sheaf, &sheaf_order_cntk, &sheaf_order_file,
                                            &sheaf_order_random, &sheaf_order_frequency};

const sheaf_order *sheaf_order_find(const char *name)
{
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (strcmp(orders[i]->name, name) == 0) return orders[i];
	return NULL;
}

sheaf_status sheaf_items_measure(const sheaf_rows *rows, sheaf_item *items, int64_t n, sheaf_error *err)
{
	enum { RUN = 64 }; /* consecutive rows that are measured in one call */
	uint32_t lengths[RUN];
	for (int64_t i = 0; i < n;) {
		int64_t run = 1;
		while (run < n - i && run < RUN && items[i + run].row == items[i].row + run) run++;
		if (rows->lengths) SHEAF_TRY(rows->lengths(rows->user, items[i].row, run, lengths, err));
		for (int64_t k = 0; k < run; k++, i++) items[i].samples = rows->lengths ? lengths[k] : 1;
	}
	return SHEAF_OK;
}

int64_t sheaf_rows_chunk_near(const sheaf_rows *rows, int64_t row, int64_t chunk)
{
	int64_t low = 0, high = rows->chunks;
	if (rows->first_row[chunk] <= row && row < rows->first_row[chunk + 1]) return chunk;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (rows->first_row[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}
