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

extern const sheaf_batch_options usual;
sheaf_batch_options with_order(const char *order, uint64_t seed, int64_t window);

#endif
