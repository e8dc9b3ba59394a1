/* SPDX-License-Identifier: MIT */
/* Writing: a tensor, or streams and columns in parts, depending on the kind of rows. */
#include "base/spell.h"
#include "format/numpy/npz/streams.h"
#include "format/numpy/npz/writer.h"
#include <string.h>

static const sheaf_writing *way_of(const sheaf_schema *schema)
{
	return schema->rows == SHEAF_ENTRIES ? &sheaf_npz_tensor_writing : &sheaf_npz_streams_writing;
}

static const sheaf_writing *way(const void *out) { return way_of(&((const sheaf_output *)out)->schema); }

static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	int level;
	SHEAF_TRY(sheaf_compression_of(values, &level, NULL, err));
	return way_of(schema)->accept(schema, values, err);
}

static sheaf_status create(void *out, const sheaf_facts *totals, const sheaf_values *values, sheaf_error *err)
{
	return way(out)->create(out, totals, values, err);
}

static sheaf_status encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	return way(out)->encode(out, frame, row, b, samples, err);
}

static sheaf_status append(void *out, const sheaf_blob *blob, sheaf_error *err)
{
	return way(out)->append(out, blob, err);
}

static sheaf_status finish(void *out, sheaf_error *err) { return way(out)->finish(out, err); }

static void close_output(void *out) { way(out)->close(out); }

/* One stream is more useful as a matrix, which SciPy loads, than in parts, unless these are requested. */
static const sheaf_layout_samples layouts[] = {
	{"streams", SHEAF_SAMPLES_NOT},
	{NULL, SHEAF_SAMPLES_TENSOR},
};

/* Which kind is written is known only in `create`, so there is room for either. */
const sheaf_writing sheaf_npz_writing = {
	.takes = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES,
	.layouts = layouts,
	.columns = SHEAF_ANY_COLUMN,
	.accept = accept,
	.output_size = sizeof(sheaf_npz_either),
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
