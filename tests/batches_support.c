/* SPDX-License-Identifier: MIT */
/* What several tests share: batches_support.h. */
#include "batches_support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dataset, and its rows as texts ---- */

void make_text(data *d, const char *name, int64_t rows, int64_t longest, int64_t key)
{
	*d = (data){.name = name, .settings = {{"stream", "A:2:dense"}, {"stream", "B:90:sparse"}}};
	for (int64_t r = 0; r < rows; r++)
		for (int64_t lines = 1 + random_below(longest); lines > 0; lines--) {
			char line[300];
			int n = snprintf(line, sizeof line, "%d |A %d %d |B", (int)(key + 3 * r), (int)random_below(99),
			                 (int)r);
			for (int64_t k = random_below(9); k > 0; k--)
				n += snprintf(line + n, sizeof line - (size_t)n, " %d:%d.5", (int)random_below(90),
				              (int)random_below(9));
			line[n++] = '\n';
			assert_int_equal(write_bytes(&d->bytes, line, (size_t)n), 0);
		}
}

sheaf_status open_data(const data *d, int64_t piece_bytes, sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_open_options options = {.size = sizeof options,
	                              .piece_bytes = piece_bytes,
	                              .access = SHEAF_RANDOM,
	                              .settings = d->settings,
	                              .nsettings = d->settings[0].name ? 2 : 0};
	return open_bytes((sheaf_bytes){d->bytes.data, d->bytes.size}, d->name, &options, cx, out);
}

char *row_text(const sheaf_frame *frame, const sheaf_schema *schema, int64_t row)
{
	sheaf_buffer text = {0};
	assert_ok(sheaf_rows_text(frame, schema, SHEAF_JSON, 0, row, row + 1, &text, &err));
	char *copy = strndup((const char *)text.data, text.size);
	assert_non_null(copy);
	sheaf_buffer_reset(&text);
	return copy;
}

void read_texts(data *d)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_frame frame;
	assert_ok(open_data(d, 0, cx, &dataset));
	assert_ok(sheaf_read_all(dataset, &frame, &err));
	d->rows = frame.nrows;
	for (int64_t r = 0; r < frame.nrows; r++)
		d->texts[r] = row_text(&frame, sheaf_dataset_schema(dataset), r);
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
	end_context(cx);
}

void free_data(data *d)
{
	free_bytes(&d->bytes);
	for (int64_t r = 0; r < d->rows; r++) free(d->texts[r]);
}

/* ---- batches, walked ---- */

void end_run(run *r)
{
	sheaf_batches_close(r->batches);
	sheaf_close(r->dataset);
	end_context(r->cx);
}

const batching usual = {.batch_size = 20};

sheaf_status open_batches(sheaf_dataset *const *datasets, int n, const batching *o, sheaf_context *cx,
                          sheaf_batches **out, sheaf_error *error)
{
	const sheaf_window_options window = {sizeof window, o->window, o->window_in_samples, o->chunk_bytes};
	const sheaf_epoch_options epochs = {sizeof epochs, o->sweeps, o->epoch_size, o->first_epoch, o->epochs};
	const sheaf_shard_options shard = {sizeof shard, o->rank, o->world, o->global_timeline, o->stride};
	const sheaf_packing_options packing = {sizeof packing, o->packing, o->truncation, o->pad_multiple};
	const sheaf_batch_options options = {sizeof options, o->order,   o->seed,           o->batch_size,
	                                     o->unit,        o->rest,    o->bucket,         o->stop_at_sweep_end,
	                                     o->join,        o->weights, o->keep_in_memory, &window,
	                                     &epochs,        &shard,     &packing};
	return sheaf_batches_open(datasets, n, &options, cx, out, error);
}

batching with_order(const char *order, uint64_t seed, int64_t window)
{
	batching o = usual;
	o.order = order;
	o.seed = seed;
	o.window = window;
	return o;
}
