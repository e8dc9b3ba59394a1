/* SPDX-License-Identifier: MIT */
/* The table of orders, and what they share. */
#include "batch/order.h"
#include <string.h>

static const sheaf_order *const orders[] = {&sheaf_order_sheaf, &sheaf_order_cntk, &sheaf_order_file};

const sheaf_order *sheaf_order_find(const char *name)
{
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (strcmp(orders[i]->name, name) == 0) return orders[i];
	return NULL;
}

sheaf_status sheaf_items_measure(const sheaf_rows *rows, sheaf_item *items, int64_t n, sheaf_error *err)
{
	for (int64_t i = 0; i < n; i++) {
		items[i].samples = 1;
		if (rows->lengths) SHEAF_TRY(rows->lengths(rows->user, items[i].row, 1, &items[i].samples, err));
	}
	return SHEAF_OK;
}

int64_t sheaf_rows_chunk(const sheaf_rows *rows, int64_t row)
{
	int64_t low = 0, high = rows->chunks;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (rows->first_row[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}
