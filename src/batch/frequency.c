/* SPDX-License-Identifier: MIT */
/* How often each row should be drawn, if the data say so: a column of numbers, one for each row, named
 * "freq". */
#include "base/context.h"
#include "base/memory.h"
#include "batch/row_source.h"
#include <string.h>

static int frequency_column(const sheaf_schema *schema)
{
	int f = sheaf_schema_find(schema, "freq");
	bool sound = f >= 0 && schema->fields[f].nlevels == 0 &&
	             (schema->fields[f].type == SHEAF_F32 || schema->fields[f].type == SHEAF_F64);
	return sound ? f : -1;
}

static double number_at(const sheaf_column *column, int64_t row)
{
	const void *data = column->values.data;
	return column->type == SHEAF_F32 ? (double)((const float *)data)[row] : ((const double *)data)[row];
}

/* Adds the rows of one chunk to the running sum. */
static sheaf_status sum_up(sheaf_row_source *s, int column, int64_t chunk, const sheaf_frame *frame,
                           double *sum, sheaf_error *err)
{
	for (int64_t row = s->first_row[chunk]; row < s->first_row[chunk + 1]; row++) {
		int64_t near = chunk, piece, at;
		sheaf_row_source_locate(s, 0, row, &near, &piece, &at);
		double frequency = number_at(&frame->columns[column], at);
		if (!(frequency >= 0 && frequency <= 1e300))
			return sheaf_fail(err, SHEAF_DATA, "frequencies: expected numbers of at least 0, found %g",
			                  frequency);
		s->frequencies[row] = *sum += frequency;
	}
	return SHEAF_OK;
}

static sheaf_status read_all(sheaf_row_source *s, int column, sheaf_context *quiet, sheaf_error *err)
{
	sheaf_loaded_piece loaded = {0};
	sheaf_status status = SHEAF_OK;
	double sum = 0;
	for (int64_t c = 0; c < s->rows.chunks && status == SHEAF_OK; c++) {
		sheaf_piece_ref piece = sheaf_row_source_piece(s, s->piece_of_chunk[c]);
		status = sheaf_row_source_read(&piece, false, &loaded, quiet, err);
		if (status == SHEAF_OK) status = sum_up(s, column, c, &loaded.frame, &sum, err);
	}
	sheaf_loaded_piece_free(&loaded);
	if (status == SHEAF_OK && !(sum > 0))
		return sheaf_fail(err, SHEAF_DATA, "frequencies: expected one above 0, found none");
	return status;
}

sheaf_status sheaf_row_source_weigh(sheaf_row_source *s, sheaf_error *err)
{
	void *memory;
	sheaf_context *quiet;
	int column = frequency_column(&s->schema);
	if (column < 0)
		return sheaf_fail(
			err, SHEAF_DATA,
			"frequencies: expected a column \"freq\" with a number for each sequence, found none");
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->rows.rows, sizeof *s->frequencies, &memory, err));
	s->frequencies = (double *)memory;
	SHEAF_TRY(sheaf_context_quiet(s->cx, &quiet,
	                              err)); /* findings are reported when the rows are read for a batch */
	sheaf_status status = read_all(s, s->origins[column].column, quiet, err);
	sheaf_context_free(quiet);
	s->rows.frequencies = s->frequencies;
	return status;
}
