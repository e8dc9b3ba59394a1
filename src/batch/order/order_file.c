/* SPDX-License-Identifier: MIT */
/* The order of the file, like CNTK's reader without randomisation: shards take turns, sequence by sequence,
 * and continue to take turns from sweep to sweep. */
#include "base/memory.h"
#include "batch/order/order.h"

typedef struct file_order {
	const sheaf_rows *rows;
	sheaf_context *cx;
	int64_t row, chunk; /* after the last ones given */
} file_order;

static sheaf_status file_open(const sheaf_rows *rows, const sheaf_order_options *options, sheaf_context *cx,
                              void **order, sheaf_error *err)
{
	(void)options;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(file_order), order, err));
	*(file_order *)*order = (file_order){rows, cx, 0, 0};
	return SHEAF_OK;
}

static void file_close(void *order)
{
	file_order *o = (file_order *)order;
	if (o) sheaf_release(o->cx, o, sizeof *o);
}

static sheaf_status file_fill(void *order, sheaf_item_run *run, sheaf_error *err)
{
	file_order *o = (file_order *)order;
	const sheaf_rows *rows = o->rows;
	if (rows->grow) SHEAF_TRY(rows->grow(rows->grower, run->ordinal, run->ordinal + run->n, err));
	sheaf_item_run_limit(run, rows->rows - run->ordinal);
	for (int64_t i = 0; i < run->n; i++) {
		uint64_t position = (uint64_t)run->sweep * (uint64_t)rows->rows + (uint64_t)(run->ordinal + i);
		run->items[i] = (sheaf_item){.row = run->ordinal + i, .owner = position};
	}
	o->row = run->ordinal + run->n;
	return sheaf_items_measure(rows, run->items, run->n, err);
}

static int64_t file_needed(void *order)
{
	enum { AHEAD = 4 };
	file_order *o = (file_order *)order;
	o->chunk = sheaf_rows_chunk_near(o->rows, o->row < o->rows->rows ? o->row : o->rows->rows - 1, o->chunk);
	int64_t end = o->chunk + AHEAD;
	return end < o->rows->chunks ? end : o->rows->chunks;
}

static int64_t file_chunk(void *order, int64_t i)
{
	(void)order;
	return i;
}

const sheaf_order sheaf_order_file = {
	.name = "file",
	.summary = "the order of the file",
	.dealing = SHEAF_DEAL_OWNER,
	.in_file_order = true,
	.open = file_open,
	.fill = file_fill,
	.needed = file_needed,
	.chunk = file_chunk,
	.close = file_close,
};
