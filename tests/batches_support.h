/* SPDX-License-Identifier: MIT */
/* What the tests of minibatches share: a dataset whose rows are known as texts, and batches as texts. */
#ifndef SHEAF_TESTS_BATCHES_SUPPORT_H
#define SHEAF_TESTS_BATCHES_SUPPORT_H

#include "support.h"

/* ---- a dataset, and its rows as texts ---- */

enum { MOST_ROWS = 400, MOST_BATCHES = 2000 };

typedef struct data {
	bytes_sink bytes;
	const char *name;
	sheaf_setting settings[2];
	char *texts[MOST_ROWS];
	int64_t rows;
} data;

/* Sequences of 1 to `longest` lines with a dense stream A and a sparse one B, with ids from `key` on in steps
 * of 3. */
void make_text(data *d, const char *name, int64_t rows, int64_t longest, int64_t key);
sheaf_status open_data(const data *d, int64_t piece_bytes, sheaf_context *cx, sheaf_dataset **out);
char *row_text(const sheaf_frame *frame, const sheaf_schema *schema, int64_t row);
void read_texts(data *d);
void free_data(data *d);

/* ---- batches, walked ---- */

typedef struct run {
	sheaf_context *cx;
	sheaf_dataset *dataset;
	sheaf_batches *batches;
} run;
void end_run(run *r);

/* All options of batches in one struct, for tables, and for tests that change one at a time. */
typedef struct batching {
	const char *order;
	uint64_t seed;
	int64_t window;
	bool window_in_samples;
	int64_t batch_size;
	sheaf_size_unit unit;
	sheaf_rest rest;
	bool bucket, stop_at_sweep_end;
	int64_t rank, world;
	bool global_timeline;
	int64_t sweeps, epoch_size, first_epoch, epochs, chunk_bytes;
	const int64_t *weights;
	bool join;
	sheaf_packing packing;
	int64_t truncation, pad_multiple, stride;
	bool keep_in_memory;
} batching;

extern const batching usual;
batching with_order(const char *order, uint64_t seed, int64_t window);
sheaf_status open_batches(sheaf_dataset *const *datasets, int n, const batching *o, sheaf_context *cx,
                          sheaf_batches **out, sheaf_error *error);

#endif
