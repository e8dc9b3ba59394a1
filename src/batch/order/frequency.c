/* SPDX-License-Identifier: MIT */
/* How often each row should be drawn, if the data say so: a column of numbers, one for each row, named
 * "freq". Drawing needs running sums, of each row's frequency and those of all rows before it. */
#include "base/context.h"
#include "base/memory.h"
#include "batch/row_source.h"

/* Fills s->frequencies, chunk by chunk, from a column of the first lane. */
static sheaf_status read_sums(sheaf_row_source *s, int column, sheaf_context *quiet, sheaf_error *err)
{
	sheaf_loaded_piece loaded = {0};
	sheaf_status status = SHEAF_OK;
	double sum = 0;
	for (int64_t c = 0; c < s->rows.chunks && status == SHEAF_OK; c++) {
		sheaf_piece_ref piece = sheaf_row_source_piece(s, s->piece_of_chunk[c]);
		status = sheaf_row_source_read(&piece, false, &loaded, quiet, err);
		for (int64_t row = s->first_row[c]; row < s->first_row[c + 1] && status == SHEAF_OK; row++) {
			int64_t near = c, ignored, at;
			sheaf_row_source_locate(s, 0, row, &near, &ignored, &at);
			const sheaf_column *numbers = &loaded.frame.columns[column];
			const void *data = numbers->values.data;
			double frequency =
				numbers->type == SHEAF_F32 ? (double)((const float *)data)[at] : ((const double *)data)[at];
			if (!(frequency >= 0 && frequency <= 1e300))
				status = sheaf_fail(err, SHEAF_DATA, "frequencies: expected numbers of at least 0, found %g",
				                    frequency);
			s->frequencies[row] = sum += frequency;
		}
	}
	sheaf_loaded_piece_free(&loaded);
	if (status == SHEAF_OK && !(sum > 0))
		return sheaf_fail(err, SHEAF_DATA, "frequencies: expected one above 0, found none");
	return status;
}

sheaf_status sheaf_row_source_weigh(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_context *quiet; /* findings are reported when the rows are read for a batch */
	int f = sheaf_schema_find(&s->schema, "freq");
	const sheaf_field *field = f < 0 ? NULL : &s->schema.fields[f];
	if (!field || field->nlevels > 0 || (field->type != SHEAF_F32 && field->type != SHEAF_F64))
		return sheaf_fail(
			err, SHEAF_DATA,
			"frequencies: expected a column \"freq\" with a number for each sequence, found none");
	SHEAF_TRY(
		sheaf_allocate_array(s->cx, (uint64_t)s->rows.rows, sizeof *s->frequencies, &s->frequencies, err));
	SHEAF_TRY(sheaf_context_quiet(s->cx, &quiet, err));
	sheaf_status status = read_sums(s, s->origins[f].column, quiet, err);
	sheaf_context_free(quiet);
	s->rows.frequencies = s->frequencies;
	return status;
}
