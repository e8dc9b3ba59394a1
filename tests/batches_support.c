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

const sheaf_batch_options usual = {.size = sizeof(sheaf_batch_options), .batch_size = 20};

sheaf_batch_options with_order(const char *order, uint64_t seed, int64_t window)
{
	sheaf_batch_options o = usual;
	o.order = order;
	o.seed = seed;
	o.window = window;
	return o;
}
