/* SPDX-License-Identifier: MIT */
/* Data frames, as AnnData has them: a group of arrays, one for each column. The names of rows come first,
 * under the name that they have in the frame. A column may also be a group: values and a mask, or codes and
 * the categories that they stand for, which become the values. Code -1 and masked values are missing.
 *
 * AnnData 0.7 had categories in a group of the frame, under the names of their columns. 10x's features are
 * such a frame, whose rows are named by "id". */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/hdf5/hdf5.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- columns ---- */

static bool is_list(const sheaf_box_item *item)
{
	return item && !item->is_group && !item->refused && item->what <= SHEAF_BOX_TEXTS && item->rank == 1;
}

/* What the elements of a column are: those of its categories, if it has any. */
static const sheaf_box_item *elements_of(const sheaf_hdf_column *c)
{
	return c->categories ? c->categories : c->values;
}

/* Complex numbers are two values each. */
static int64_t count_of(const sheaf_box_item *item)
{
	return item->what == SHEAF_BOX_COMPLEX ? item->count / 2 : item->count;
}

/* Finds the parts of a column. One that cannot be read has no values then. Codes and masks of a kind that
 * they cannot have make a column unreadable, too. */
static sheaf_status find_parts(const sheaf_hdf_reader *in, const sheaf_box_item *item, sheaf_hdf_column *out,
                               sheaf_error *err)
{
	char path[600];
	sheaf_hdf_found found;
	*out = (sheaf_hdf_column){.values = item};
	if (item->is_group && !item->refused) {
		SHEAF_TRY(sheaf_hdf_find(in->box, item, &found, err));
		bool is_column = found.kind == HDF_COLUMN,
			 has_codes = is_column && strcmp(found.values->name, "codes") == 0;
		out->values = is_column ? found.values : NULL;
		*(has_codes ? &out->categories : &out->mask) = is_column ? found.second : NULL;
	} else {
		snprintf(path, sizeof path, SHEAF_HDF_CATEGORIES "/%.500s", item->name);
		out->categories = sheaf_hdf_item(in->box, in->set.at->path, path);
	}
	bool fits = is_list(out->values) && (!out->categories || is_list(out->categories)) &&
	            (!out->mask || (is_list(out->mask) && out->mask->what == SHEAF_BOX_BOOLS));
	if (fits && out->categories)
		fits = out->values->what == SHEAF_BOX_NUMBERS && out->values->type < SHEAF_F32;
	if (!fits) out->values = NULL;
	return SHEAF_OK;
}

/* Reads the categories of a column, and finds out whether a value is missing, in parts. */
static sheaf_status take_categories(const sheaf_hdf_reader *in, sheaf_hdf_column *c, bool *has_missing,
                                    sheaf_error *err)
{
	enum { STEP = 1 << 16 };
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer codes = {0};
	sheaf_box_run all = {c->categories, 0, c->categories->count};
	if (c->categories->what == SHEAF_BOX_TEXTS)
		SHEAF_TRY(sheaf_box_read_texts(in->box, all, &c->items, &c->ends, err));
	else
		SHEAF_TRY(sheaf_box_read(in->box, all, c->categories->type, &c->items, err));
	for (int64_t at = 0; at < in->rows && !*has_missing; at += STEP) {
		int64_t n = in->rows - at < STEP ? in->rows - at : STEP;
		SHEAF_TRY(sheaf_box_read(in->box, (sheaf_box_run){c->values, at, at + n}, SHEAF_I64, &codes, err));
		for (int64_t i = 0; i < n; i++) *has_missing |= sheaf_numbers(&codes)[i] < 0;
	}
	return SHEAF_OK;
}

void sheaf_hdf_make_cell(sheaf_field *field, const sheaf_box_item *item, bool is_nullable)
{
	switch (item->what) {
	case SHEAF_BOX_TEXTS: sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, is_nullable); break;
	case SHEAF_BOX_BOOLS: sheaf_field_make_cell(field, SHEAF_BOOL, SHEAF_U8, 1, is_nullable); break;
	case SHEAF_BOX_COMPLEX: sheaf_field_make_cell(field, SHEAF_COMPLEX, item->type, 2, is_nullable); break;
	default: sheaf_field_make_cell(field, SHEAF_NUMBER, item->type, 1, is_nullable); break;
	}
}

/* Adds a column, which has as many values as there are rows. One that is not read is left out with a
 * warning, so that the others can be. */
static sheaf_status add_column(sheaf_hdf_reader *in, const char *name, const sheaf_box_item *item,
                               sheaf_error *err)
{
	char found[300];
	sheaf_field *field;
	sheaf_hdf_column *c = &in->frame[in->ncolumns];
	SHEAF_TRY(find_parts(in, item, c, err));
	if (!c->values) {
		snprintf(found, sizeof found, "\"%.100s\", which is %.100s", name,
		         item->refused    ? item->refused
		         : item->rank > 1 ? "an array of several dimensions"
		                          : item->of);
		return sheaf_hdf_warn(in, "column not read", "columns of numbers, truth values and texts", found,
		                      "it is left out", err);
	}
	const sheaf_box_item *parts[] = {c->values, c->mask};
	for (int i = 0; i < 2; i++)
		if (parts[i] && count_of(parts[i]) != in->rows)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: /%s: expected a value for each of %" PRId64 " rows, found %" PRId64,
			                  in->file, parts[i]->path, in->rows, count_of(parts[i]));
	in->ncolumns++;
	bool has_missing = c->mask;
	if (c->categories) SHEAF_TRY(take_categories(in, c, &has_missing, err));
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
	sheaf_hdf_make_cell(field, elements_of(c), has_missing);
	return SHEAF_OK;
}

/* ---- frames ---- */

/* The names of columns in their order. A frame that does not say it has all that is in the group, in the
 * order of the file; names with an underscore before them, which say something of the frame, are no columns.
 */
static sheaf_status find_order(const sheaf_hdf_reader *in, sheaf_builder *names, sheaf_error *err)
{
	int64_t count;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer ends = {0};
	sheaf_error none = {0};
	const sheaf_box_item *items = sheaf_box_items(in->box, &count);
	sheaf_status status = sheaf_box_texts(in->box, in->set.at->path, "column-order", &bytes, &ends, &none);
	if (status && status != SHEAF_UNKNOWN) return sheaf_fail_again(err, &none);
	const int64_t *at = sheaf_numbers(&ends);
	for (size_t i = 0; !status && i + 1 < ends.size / sizeof *at; i++) {
		sheaf_builder_append(names, bytes.data + at[i], (size_t)(at[i + 1] - at[i]));
		sheaf_builder_byte(names, '\0');
	}
	for (int64_t i = in->set.at - items + 1; status && i < count; i++)
		if (&items[items[i].parent] == in->set.at && *items[i].name != '_')
			sheaf_builder_append(names, items[i].name, strlen(items[i].name) + 1);
	return sheaf_builder_status(names, err);
}

/* Finds the array with the names of rows, which the frame names. */
static sheaf_status find_names(const sheaf_hdf_reader *in, const sheaf_box_item **out, sheaf_error *err)
{
	bool has;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer name = {0};
	const char *at = in->set.at->path, *usual = strcmp(in->set.maker, "10x") == 0 ? "id" : "_index";
	char text[600];
	SHEAF_TRY(sheaf_box_has_text(in->box, at, "_index", &has, err));
	if (has) SHEAF_TRY(sheaf_box_text(in->box, at, "_index", &name, err));
	snprintf(text, sizeof text, "%.*s", has ? (int)(name.size < 500 ? name.size : 500) : 10,
	         has ? (const char *)name.data : usual);
	*out = sheaf_hdf_item(in->box, at, text);
	return *out ? SHEAF_OK
	            : sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected the names of its rows in \"%s\", found none",
	                         in->file, at, text);
}

/* The number of rows is that of their names; of a single column that of its values. */
static sheaf_status begin(sheaf_hdf_reader *in, const sheaf_box_item *names, sheaf_error *err)
{
	sheaf_hdf_column column;
	SHEAF_TRY(find_parts(in, names, &column, err));
	if (!column.values)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: /%s: expected a list of values, found %s", in->file,
		                  names->path, names->refused ? names->refused : names->of);
	in->schema.rows = SHEAF_CELLS;
	in->rows = count_of(column.values);
	in->step = column.values->chunks ? column.values->chunks[0] : 1;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf_make_frame(sheaf_hdf_reader *in, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder order = {.cx = in->cx};
	const sheaf_box_item *first = in->set.at, *item;
	const char *at = in->set.at->path;
	if (in->set.kind == HDF_FRAME) {
		SHEAF_TRY(find_names(in, &first, err));
		SHEAF_TRY(find_order(in, &order, err));
	}
	in->room = 1;
	for (size_t i = 0; i < order.size; i++) in->room += order.data[i] == '\0';
	SHEAF_TRY(begin(in, first, err));
	SHEAF_TRY(sheaf_allocate_array(in->cx, in->room, sizeof *in->frame, &in->frame, err));
	SHEAF_TRY(add_column(in, first->name, first, err));
	for (const char *name = (const char *)order.data; name < (const char *)order.data + order.size;
	     name += strlen(name) + 1) {
		item = sheaf_hdf_item(in->box, at, name);
		if (!item)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: /%s: expected a column \"%.200s\", found nothing of that name", in->file,
			                  at, name);
		if (item != first) SHEAF_TRY(add_column(in, name, item, err));
	}
	return SHEAF_OK;
}

void sheaf_hdf_close_frame(sheaf_hdf_reader *in)
{
	for (size_t i = 0; in->frame && i < in->room; i++) {
		sheaf_buffer_reset(&in->frame[i].items);
		sheaf_buffer_reset(&in->frame[i].ends);
	}
	sheaf_release(in->cx, in->frame, in->room * sizeof *in->frame);
}

/* ---- rows ---- */

/* Elements of a piece of a column, and which of them each row has. */
typedef struct taking {
	sheaf_buffer items, ends; /* of the rows themselves, if the column has no categories */
	sheaf_buffer codes;       /* int64 of each row: number of its category */
	sheaf_buffer mask;        /* a byte for each row */
} taking;

static void drop(taking *t)
{
	sheaf_buffer_reset(&t->items);
	sheaf_buffer_reset(&t->ends);
	sheaf_buffer_reset(&t->codes);
	sheaf_buffer_reset(&t->mask);
}

static sheaf_status take(const sheaf_hdf_reader *in, const sheaf_hdf_column *c, int64_t first, int64_t n,
                         taking *t, sheaf_error *err)
{
	int64_t parts = c->values->what == SHEAF_BOX_COMPLEX ? 2 : 1;
	sheaf_box_run run = {c->values, first * parts, (first + n) * parts};
	if (c->categories) return sheaf_box_read(in->box, run, SHEAF_I64, &t->codes, err);
	if (c->mask) {
		SHEAF_TRY(
			sheaf_box_read(in->box, (sheaf_box_run){c->mask, first, first + n}, SHEAF_U8, &t->mask, err));
		SHEAF_TRY(sheaf_hdf_check_truth(in, t->mask.data, n, first, err));
	}
	return c->values->what == SHEAF_BOX_TEXTS ? sheaf_box_read_texts(in->box, run, &t->items, &t->ends, err)
	                                          : sheaf_box_read(in->box, run, c->values->type, &t->items, err);
}

/* Puts a column's rows [first, first + n). A missing number has the bytes of 0, a missing text none. */
static sheaf_status put_column(const sheaf_hdf_reader *in, const sheaf_hdf_column *c, int64_t first,
                               int64_t n, sheaf_column_builder *to, sheaf_error *err)
{
	static const uint8_t zeros[16] = {0};
	SHEAF_SCOPED(drop) taking t = {0};
	SHEAF_TRY(take(in, c, first, n, &t, err));
	const uint8_t *items = c->categories ? c->items.data : t.items.data;
	const int64_t *ends = sheaf_numbers(c->categories ? &c->ends : &t.ends);
	const sheaf_box_item *elements = elements_of(c);
	bool is_text = elements->what == SHEAF_BOX_TEXTS;
	size_t width =
		is_text ? 0 : sheaf_type_size(elements->type) * (elements->what == SHEAF_BOX_COMPLEX ? 2 : 1);
	for (int64_t i = 0; i < n; i++) {
		int64_t at = c->categories ? sheaf_numbers(&t.codes)[i] : i;
		bool is_missing = c->categories ? at == -1 : c->mask && t.mask.data[i];
		if (!is_missing && c->categories && (at < 0 || at >= count_of(elements)))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: /%s: value %" PRId64 ": expected the number of one of %" PRId64
			                  " categories, or -1, found %" PRId64,
			                  in->file, c->values->path, first + i, count_of(elements), at);
		if (is_missing) sheaf_level_miss(&to->levels[0], i, 0);
		if (is_text && is_missing)
			sheaf_column_put_text(to, NULL, 0);
		else if (is_text)
			sheaf_column_put_text(to, items ? items + ends[at] : NULL, (size_t)(ends[at + 1] - ends[at]));
		else
			sheaf_builder_append(&to->values, is_missing ? zeros : items + (size_t)at * width, width);
	}
	return elements->what == SHEAF_BOX_BOOLS ? sheaf_hdf_check_truth(in, to->values.data, n, first, err)
	                                         : SHEAF_OK;
}

sheaf_status sheaf_hdf_put_frame(const sheaf_hdf_reader *in, int64_t first, int64_t n,
                                 sheaf_frame_builder *to, sheaf_error *err)
{
	for (int i = 0; i < in->ncolumns; i++)
		SHEAF_TRY(put_column(in, &in->frame[i], first, n, &to->columns[i], err));
	return SHEAF_OK;
}
