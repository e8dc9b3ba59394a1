/* SPDX-License-Identifier: MIT */
/* What the target of a conversion cannot hold besides streams and keys: reported for each row that has a
 * value there.
 *
 * A field or an attribute that not every format can hold has the rule under which its loss is reported
 * (`loss`). It is an error, since it leaves out something that a reader of the output would miss, but a row
 * that has there what is usual, such as a weight of 1, loses nothing. Keys that become positions are a
 * warning, once for all rows. */
#include "dataset/input/lost.h"
#include "base/context.h"
#include "frame/compare.h"
#include "frame/frame.h"
#include "frame/print.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Formats of columns hold such a field as a column if they have a kind for it. */
bool sheaf_loses_field(const sheaf_format *format, const sheaf_field *field)
{
	if (field->meaning == SHEAF_KEY) return !(format->can & SHEAF_CAN_KEYS);
	return field->loss && !sheaf_field_is_stream(field) &&
	       !(format->write->columns && sheaf_column_kind_of(format->write->columns, field) >= 0);
}

/* Reports what is lost of a field in a row; row -1: the column as such. */
static sheaf_status report(const sheaf_field *field, const sheaf_rows_of *rows, int64_t row,
                           const char *found, sheaf_context *cx, sheaf_error *err)
{
	sheaf_finding finding = {SHEAF_ERROR, field->loss,      "none, since the format has no place for it",
	                         found,       "it is left out", SHEAF_LOSS};
	sheaf_problem problem = sheaf_problem_in(rows->file, &finding);
	problem.place.row = row;
	problem.place.stream = field->name;
	sheaf_place_words(&problem.place, rows->rows);
	return sheaf_report(cx, &problem, err);
}

/* Reports each row in which a field that is lost has something else than what is usual. */
sheaf_status sheaf_report_lost(const sheaf_field *field, const sheaf_column *column,
                               const sheaf_rows_of *rows, sheaf_context *cx, sheaf_error *err)
{
	sheaf_buffer text = {0};
	sheaf_status status = SHEAF_OK;
	for (int64_t r = 0; r < rows->nrows && status == SHEAF_OK; r++) {
		sheaf_builder shown;
		if (sheaf_row_is_usual(column, field, r)) continue;
		sheaf_builder_begin(&shown, cx, &text);
		sheaf_position_text(&shown, column, 0, r, SHEAF_TEXT_SHORT);
		sheaf_builder_byte(&shown, '\0');
		status = sheaf_builder_finish(&shown, &text, err);
		if (status == SHEAF_OK) status = report(field, rows, rows->row + r, (const char *)text.data, cx, err);
	}
	sheaf_buffer_reset(&text);
	return status;
}

/* Reports a column that is lost although there are no rows. Only a field without a usual value (NaN) says
 * something by being there. */
sheaf_status sheaf_report_lost_column(const sheaf_field *field, const char *file, sheaf_row_kind rows,
                                      sheaf_context *cx, sheaf_error *err)
{
	sheaf_rows_of none = {file, rows, 0, 0};
	return isnan(field->usual) ? report(field, &none, -1, "a column without rows", cx, err) : SHEAF_OK;
}

/* Reports the attributes of a schema that a format cannot hold. */
sheaf_status sheaf_report_attributes(const sheaf_format *format, const sheaf_schema *schema, const char *file,
                                     sheaf_context *cx, sheaf_error *err)
{
	const sheaf_column_kind *columns = format->write->columns;
	bool plain = columns && columns[0].name && strcmp(columns[0].name, "*") == 0 && columns[0].nlevels;
	bool takes_all = columns && !plain;
	for (int i = 0; i < schema->nattributes && !takes_all; i++) {
		const sheaf_attribute *a = &schema->attributes[i];
		if (!a->loss) continue;
		sheaf_problem problem = {SHEAF_ERROR,
		                         SHEAF_LOSS,
		                         a->loss,
		                         SHEAF_NOWHERE,
		                         "none, since the format has no place for it",
		                         a->text,
		                         "it is left out"};
		problem.place.file = file;
		problem.place.stream = a->name;
		problem.place.stream_word = "attribute";
		if (!a->text[0]) problem.found = "an empty one";
		SHEAF_TRY(sheaf_report(cx, &problem, err));
	}
	return SHEAF_OK;
}

/* Warns that keys become positions, with the first key that is not the number of its row; *reported keeps
 * that from happening twice. */
sheaf_status sheaf_report_keys(const uint64_t *keys, const sheaf_rows_of *rows, bool *reported,
                               sheaf_context *cx, sheaf_error *err)
{
	for (int64_t r = 0; r < rows->nrows && !*reported; r++) {
		int64_t row = rows->row + r;
		if (keys[r] == (uint64_t)row) continue;
		char expected[48], found[48];
		snprintf(expected, sizeof expected, "key %" PRId64, row);
		snprintf(found, sizeof found, "key %" PRIu64, keys[r]);
		sheaf_finding finding = {SHEAF_WARNING, SHEAF_RULE_KEYS, expected, found, "keys become positions"};
		sheaf_problem problem = sheaf_problem_in(rows->file, &finding);
		problem.place.row = row;
		*reported = true;
		SHEAF_TRY(sheaf_report(cx, &problem, err));
	}
	return SHEAF_OK;
}
