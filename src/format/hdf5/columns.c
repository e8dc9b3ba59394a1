/* SPDX-License-Identifier: MIT */
/* Tables: what is no tensor of numbers. A row is an element of an array, and its columns are the members of a
 * compound, or the element itself: a text, a time, a list, the name that an enumeration gives a number. The
 * elements of an array of several dimensions come in the order of the file, each with its coordinates, whose
 * columns are named like the dimensions. Lists of numbers make rows sequences, and the other columns stand
 * beside them. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/show.h"
#include "format/hdf5/hdf5.h"
#include "frame/frame.h"
#include "frame/integers.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dimensions ---- */

/* Whether no other column of a table has one of these names. */
static bool are_free(const sheaf_box_item *item, const char *const names[])
{
	for (int d = 0; d < item->rank; d++) {
		for (int k = 0; k < d; k++)
			if (strcmp(names[k], names[d]) == 0) return false;
		for (int m = 0; m < item->nmembers; m++)
			if (strcmp(item->members[m].name, names[d]) == 0) return false;
		if (strcmp(names[d], item->rank > 1 ? item->name : "value") == 0) return false;
	}
	return true;
}

/* Takes the names from the text of a listing, "time, lat". Characters that are texts have one dimension more,
 * their length. */
void sheaf_hdf_name_dimensions(const sheaf_box_item *item, sheaf_hdf_names *out)
{
	static const char *const usual[] = {"i", "j", "k", "l", "m", "n", "o", "p"}, *const others[] = {
																					 "dim_0", "dim_1",
																					 "dim_2", "dim_3",
																					 "dim_4", "dim_5",
																					 "dim_6", "dim_7"};
	char *next = out->text;
	int n = 0;
	memcpy(out->of, item && !are_free(item, usual) ? others : usual, sizeof usual);
	if (!item || !item->dimensions || strlen(item->dimensions) >= sizeof out->text) return;
	snprintf(out->text, sizeof out->text, "%s", item->dimensions);
	const char *names[SHEAF_MAX_RANK];
	for (char *end; next && n < SHEAF_MAX_RANK; next = end ? end + 2 : NULL) {
		if ((end = strstr(next, ", "))) *end = '\0';
		names[n++] = next;
	}
	bool fits = n == item->rank || (item->what == SHEAF_BOX_TEXTS && n == item->rank + 1);
	if (fits && !next && are_free(item, names)) memcpy(out->of, names, (size_t)n * sizeof *names);
}

/* ---- schemas ---- */

sheaf_status sheaf_hdf_is_table(sheaf_hdf_reader *in, bool *is, sheaf_error *err)
{
	const sheaf_box_item *item = in->set.values;
	in->are_characters =
		in->are_characters && item->what == SHEAF_BOX_NUMBERS && item->rank == 2 && !in->is_raw;
	if (in->set.kind == HDF_TEXTS && in->is_raw && item->names) in->set.kind = HDF_DENSE;
	*is = in->set.kind >= HDF_TEXTS && in->set.kind < HDF_COMPRESSED;
	if (in->set.kind != HDF_DENSE) return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf_find_packing(in, item, &in->packing, err));
	SHEAF_TRY(sheaf_hdf_find_time(in, &in->packing, err));
	*is = in->packing.is_time || in->are_characters;
	return SHEAF_OK;
}

/* The element of a column: of the array, or the member of its records. */
static const sheaf_box_item *element_of(const sheaf_hdf_source *c)
{
	return c->member < 0 ? c->array : &c->array->members[c->member];
}

static bool has_names(const sheaf_hdf_reader *in, const sheaf_box_item *item)
{
	return item->names && !in->is_raw;
}

/* Shapes the field of a column, by what its elements are. */
static void shape_field(const sheaf_hdf_reader *in, const sheaf_hdf_source *c, sheaf_field *field)
{
	const sheaf_box_item *item = element_of(c);
	const sheaf_hdf_packing *p = &c->packing;
	if (has_names(in, item) || in->are_characters)
		sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, false);
	else if (item->what == SHEAF_BOX_LISTS)
		sheaf_field_make_stream(field, false, 1, item->type);
	else if (p->is_time)
		sheaf_field_make_cell(field, SHEAF_DATETIME, SHEAF_I64, 1, p->is_packed || item->type >= SHEAF_F32);
	else if (item->what == SHEAF_BOX_NUMBERS && p->item)
		sheaf_field_make_cell(field, SHEAF_NUMBER, sheaf_hdf_type_of(p), 1, false);
	else
		sheaf_hdf_make_cell(field, item, false);
	if (p->is_time) field->digits = p->digits;
}

/* Adds a column and its field; two of one name would be one for most outputs. */
static sheaf_status add_column(sheaf_hdf_reader *in, sheaf_hdf_source *c, const char *name,
                               sheaf_field **field, sheaf_error *err)
{
	if (in->schema.nfields == SHEAF_HDF_MOST_COLUMNS)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected at most %d columns, found more", in->where,
		                  SHEAF_HDF_MOST_COLUMNS);
	if (sheaf_schema_find(&in->schema, name) >= 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected columns of different names, found two \"%.100s\"", in->where, name);
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), field, err));
	sheaf_builder_append(&in->sources, c, sizeof *c);
	return sheaf_builder_status(&in->sources, err);
}

/* Adds a column for each dimension, which are I32 if the extent fits. */
static sheaf_status add_coordinates(sheaf_hdf_reader *in, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_hdf_names names;
	int64_t step = item->count;
	sheaf_hdf_name_dimensions(item, &names);
	for (int d = 0; d < item->rank; d++) {
		sheaf_field *field;
		int64_t extent = item->dims[d] > 0 ? item->dims[d] : 1;
		step /= extent;
		sheaf_hdf_source c = {.step = step > 0 ? step : 1, .extent = extent};
		SHEAF_TRY(add_column(in, &c, names.of[d], &field, err));
		sheaf_field_make_cell(field, SHEAF_NUMBER, extent - 1 > INT32_MAX ? SHEAF_I64 : SHEAF_I32, 1, false);
	}
	return SHEAF_OK;
}

/* Adds the column of a member, or of the array itself. A member that is not read is left out with a warning,
 * so that the others can be read. */
static sheaf_status add_element(sheaf_hdf_reader *in, const sheaf_box_item *array, int member,
                                sheaf_error *err)
{
	sheaf_field *field;
	sheaf_hdf_source c = {.array = array, .member = member};
	const sheaf_box_item *item = element_of(&c);
	if (member >= 0 && item->refused) {
		char found[300];
		snprintf(found, sizeof found, "\"%.100s\", which is %.100s", item->name, item->refused);
		return sheaf_hdf_warn(in, "column not read", "columns of numbers, truth values, texts and lists",
		                      found, "it is left out", err);
	}
	if (member < 0) SHEAF_TRY(sheaf_hdf_find_packing(in, array, &c.packing, err));
	if (member < 0) SHEAF_TRY(sheaf_hdf_find_time(in, &c.packing, err));
	SHEAF_TRY(add_column(in, &c, *item->name ? item->name : "text", &field, err));
	shape_field(in, &c, field);
	if (item->what == SHEAF_BOX_LISTS) in->schema.rows = SHEAF_SEQUENCES;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf_make_table(sheaf_hdf_reader *in, sheaf_error *err)
{
	const sheaf_box_item *item = in->set.values;
	if (in->set.kind >= HDF_FRAME) return sheaf_hdf_make_frame(in, err);
	in->sources.cx = in->cx;
	in->schema.rows = SHEAF_CELLS;
	in->rows = item->count;
	if (item->chunks && item->rank > 0 && item->count > 0)
		in->step = item->chunks[0] * (item->count / item->dims[0]);
	if (in->are_characters) in->rows = in->step = item->dims[1];
	if (item->rank > 1 && !in->are_characters) SHEAF_TRY(add_coordinates(in, item, err));
	if (item->what != SHEAF_BOX_RECORDS) SHEAF_TRY(add_element(in, item, -1, err));
	for (int m = 0; m < item->nmembers; m++) SHEAF_TRY(add_element(in, item, m, err));
	while (in->set.at->is_group && (item = sheaf_hdf_next(in->box, in->set.at, item)))
		SHEAF_TRY(add_element(in, item, -1, err));
	if (in->schema.rows == SHEAF_SEQUENCES) sheaf_schema_name_losses(&in->schema);
	return SHEAF_OK;
}

/* ---- rows ---- */

/* Puts a text, or the numbers of a list. */
static void put_run(const sheaf_box_item *item, const void *bytes, size_t size, sheaf_column_builder *to)
{
	if (item->what != SHEAF_BOX_LISTS) {
		sheaf_column_put_text(to, bytes, size);
		return;
	}
	sheaf_builder_append(&to->values, bytes, size);
	sheaf_level_end(&to->levels[0], (int64_t)(to->values.size / sheaf_type_size(item->type)));
}

/* Puts what an enumeration calls the numbers of some rows. */
static sheaf_status put_names(const sheaf_hdf_reader *in, const sheaf_box_item *item, const void *numbers,
                              const sheaf_piece *rows, sheaf_column_builder *to, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder codes = {.cx = in->cx};
	sheaf_integers_put(item->type, numbers, rows->size, SHEAF_I64, &codes);
	SHEAF_TRY(sheaf_builder_status(&codes, err));
	for (int64_t i = 0; i < rows->size; i++) {
		int64_t code = ((const int64_t *)(const void *)codes.data)[i];
		const sheaf_box_name *name = (const sheaf_box_name *)bsearch(&code, item->names, (size_t)item->nnames,
		                                                             sizeof *name, sheaf_box_compare_names);
		if (!name)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s, value %" PRId64 ": expected a number that has a name, found %" PRId64
			                  " (" SHEAF_OPTION("raw") " reads numbers)",
			                  in->where, rows->byte + i, code);
		sheaf_column_put_text(to, name->text, strlen(name->text));
	}
	return SHEAF_OK;
}

/* Puts rows of MATLAB's characters, which are units of UTF-16, and come by columns. Half of a pair is no
 * character, and becomes U+FFFD. */
static sheaf_status put_characters(const sheaf_hdf_reader *in, sheaf_box_run rows, sheaf_column_builder *to,
                                   sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer all = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = in->cx};
	const sheaf_box_item *item = rows.item;
	int64_t length = item->dims[0], step = item->dims[1];
	SHEAF_TRY(sheaf_box_read(in->box, (sheaf_box_run){item, 0, item->count}, SHEAF_U16, &all, err));
	const uint16_t *units = (const uint16_t *)(const void *)all.data;
	for (int64_t row = rows.from; row < rows.to; row++) {
		text.size = 0;
		for (int64_t k = 0; k < length; k++) {
			uint8_t bytes[4];
			uint32_t c = units[k * step + row], next = k + 1 < length ? units[(k + 1) * step + row] : 0;
			if (c >> 10 == 0x36 && next >> 10 == 0x37) {
				c = 0x10000 + ((c & 0x3ff) << 10 | (next & 0x3ff));
				k++;
			}
			if (c >> 11 == 0x1b) c = 0xfffd;
			sheaf_builder_append(&text, bytes, sheaf_utf8_put(c, bytes));
		}
		SHEAF_TRY(sheaf_builder_status(&text, err));
		sheaf_column_put_text(to, text.data, text.size);
	}
	return SHEAF_OK;
}

/* Puts the elements of an array for the rows of a piece. */
static sheaf_status put_elements(const sheaf_hdf_reader *in, const sheaf_hdf_source *c,
                                 const sheaf_piece *piece, sheaf_column_builder *to, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer offsets = {0};
	const sheaf_box_item *item = c->array;
	int64_t first = piece->byte, n = piece->size;
	sheaf_box_run run = {item, first, first + n};
	if (in->are_characters) return put_characters(in, run, to, err);
	if (has_names(in, item)) {
		SHEAF_TRY(sheaf_box_read(in->box, run, item->type, &bytes, err));
		return put_names(in, item, bytes.data, piece, to, err);
	}
	if (c->packing.is_time) return sheaf_hdf_put_times(in, &c->packing, first, n, to, err);
	if (item->what < SHEAF_BOX_TEXTS) return sheaf_hdf_put_values(in, &c->packing, first, n, to, err);
	SHEAF_TRY(sheaf_box_read_texts(in->box, run, &bytes, &offsets, err));
	const int64_t *ends = (const int64_t *)(const void *)offsets.data;
	for (int64_t i = 0; i < n; i++)
		put_run(item, bytes.data ? bytes.data + ends[i] : NULL, (size_t)(ends[i + 1] - ends[i]), to);
	return SHEAF_OK;
}

/* Puts one member of all records of a piece into its column: numbers at once, texts and lists one by one, as
 * their bytes may be elsewhere in the file. */
static sheaf_status put_member(const sheaf_hdf_reader *in, const sheaf_hdf_source *c,
                               const sheaf_buffer *records, const sheaf_piece *piece,
                               sheaf_column_builder *to, sheaf_error *err)
{
	const sheaf_box_item *member = element_of(c);
	int64_t n = piece->size;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer text = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder numbers = {.cx = in->cx};
	if (member->what >= SHEAF_BOX_TEXTS) {
		for (int64_t i = 0; i < n; i++) {
			const uint8_t *record = records->data + records->size / (size_t)n * (size_t)i;
			SHEAF_TRY(sheaf_box_record_text(in->box, member, record, &text, err));
			put_run(member, text.data, text.size, to);
		}
		return SHEAF_OK;
	}
	sheaf_builder *values = has_names(in, member) ? &numbers : &to->values;
	size_t size = (size_t)n * sheaf_type_size(member->type) * (member->what == SHEAF_BOX_COMPLEX ? 2 : 1);
	if (!sheaf_builder_room(values, size + 1)) return sheaf_builder_status(values, err);
	sheaf_box_record_values(c->array, c->member, records->data, n, values->data);
	values->size = size;
	if (values == &numbers) return put_names(in, member, numbers.data, piece, to, err);
	return member->what == SHEAF_BOX_BOOLS ? sheaf_hdf_check_truth(in, values->data, n, piece->byte, err)
	                                       : SHEAF_OK;
}

sheaf_status sheaf_hdf_put_table(const sheaf_hdf_reader *in, const sheaf_piece *piece,
                                 sheaf_frame_builder *to, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer records = {0};
	const sheaf_hdf_source *columns = (const sheaf_hdf_source *)(const void *)in->sources.data;
	int64_t first = piece->byte, n = piece->size;
	for (int k = 0; k < in->schema.nfields; k++) {
		const sheaf_hdf_source *c = &columns[k];
		sheaf_column_builder *column = &to->columns[k];
		if (!c->array) {
			for (int64_t i = first; i < first + n; i++)
				sheaf_put_index(&column->values, column->field->type, i / c->step % c->extent);
			continue;
		}
		if (c->member >= 0 && !records.data)
			SHEAF_TRY(
				sheaf_box_read_records(in->box, (sheaf_box_run){c->array, first, first + n}, &records, err));
		SHEAF_TRY(c->member < 0 ? put_elements(in, c, piece, column, err)
		                        : put_member(in, c, &records, piece, column, err));
	}
	return SHEAF_OK;
}
