/* SPDX-License-Identifier: MIT */
/* AnnData as a whole, from one box into another: HDF5, or Zarr of either version. Groups, arrays, and the
 * attributes that AnnData's document names are written again as they are, with the storage that the output
 * asks for. Categories of AnnData 0.7 become columns as they are today. What the output has no place for is
 * named, one by one. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/hdf5/hdf5.h"
#include "io/sink.h"
#include "io/source.h"
#include <stdio.h>
#include <string.h>

typedef struct copying {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_sink *sink;
	sheaf_box *from, *to;
	sheaf_box_kind kind;
	sheaf_box_storing storing;
} copying;

/* ---- attributes ---- */

/* Copies an attribute of whole numbers, if there is one, as a list or as a single one. */
static sheaf_status copy_numbers(const copying *c, const char *path, const char *name, sheaf_box_values like,
                                 sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer numbers = {0};
	sheaf_error none = {0};
	sheaf_status status = sheaf_box_numbers(c->from, path, name, like.type, &numbers, &none);
	if (status == SHEAF_UNKNOWN) return sheaf_forgive(status, "nothing is said");
	if (status) return sheaf_fail_again(err, &none);
	like.values = numbers.data;
	like.count = (int64_t)(numbers.size / sheaf_type_size(like.type));
	return sheaf_box_set_numbers(c->to, path, name, like, err);
}

/* Copies the names of columns, if the group has them; an empty list is one of numbers, as AnnData writes it.
 */
static sheaf_status copy_order(const copying *c, const char *path, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer ends = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder texts = {.cx = c->cx}, list = {.cx = c->cx};
	sheaf_error none = {0};
	sheaf_status status = sheaf_box_texts(c->from, path, "column-order", &bytes, &ends, &none);
	if (status == SHEAF_UNKNOWN) return sheaf_forgive(status, "nothing is said");
	if (status) return sheaf_fail_again(err, &none);
	int count = (int)(ends.size / sizeof(int64_t)) - 1;
	const int64_t *at = sheaf_numbers(&ends);
	if (count == 0)
		return sheaf_box_set_numbers(c->to, path, "column-order", (sheaf_box_values){SHEAF_F64, NULL, 0},
		                             err);
	if (!sheaf_builder_room(&texts, bytes.size + (size_t)count)) return sheaf_builder_status(&texts, err);
	for (int i = 0; i < count; i++) { /* there is room, so that no text moves */
		const char *text = (const char *)texts.data + texts.size;
		sheaf_builder_append(&texts, bytes.data + at[i], (size_t)(at[i + 1] - at[i]));
		sheaf_builder_byte(&texts, '\0');
		sheaf_builder_append(&list, &text, sizeof text);
	}
	SHEAF_TRY(sheaf_builder_status(&list, err));
	return sheaf_box_set_texts(c->to, path, "column-order", (const char *const *)(const void *)list.data,
	                           count, err);
}

/* The attributes that AnnData's document names: texts, lists of numbers, and others. */
static const char *const known[] = {
	"encoding-type", "encoding-version", "_index", "h5sparse_format", "na-value",    "form",
	"shape",         "h5sparse_shape",   "length", "ordered",         "column-order"};
enum { TEXTS = 6, LISTS = 8, KNOWN = sizeof known / sizeof *known };

/* Names the attributes of an item that are not copied. */
static sheaf_status lose_others(const copying *c, const sheaf_box_item *item, sheaf_error *err)
{
	char found[600];
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder names = {.cx = c->cx};
	SHEAF_TRY(sheaf_box_attributes(c->from, item, &names, err));
	for (size_t at = 0; at < names.size;) {
		const char *name = (const char *)names.data + at;
		int i = 0;
		while (i < KNOWN && strcmp(known[i], name) != 0) i++;
		at += strlen(name) + 1;
		if (i < KNOWN) continue;
		snprintf(found, sizeof found, "\"%.200s\" of /%.300s", name, item->path);
		SHEAF_TRY(
			sheaf_hdf_lose(c->cx, c->sink, "attribute", "those that AnnData's document names", found, err));
	}
	return SHEAF_OK;
}

static sheaf_status copy_attributes(const copying *c, const sheaf_box_item *item, sheaf_error *err)
{
	const char *path = item->path;
	static const int64_t scalar[1] = {0};
	for (size_t i = 0; i < TEXTS; i++) {
		bool has;
		SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer text = {0};
		SHEAF_TRY(sheaf_box_has_text(c->from, path, known[i], &has, err));
		if (!has) continue;
		SHEAF_TRY(sheaf_box_text(c->from, path, known[i], &text, err));
		SHEAF_TRY(sheaf_box_set_text(c->to, path, known[i], (const char *)text.data, text.size, err));
	}
	for (size_t i = TEXTS; i < LISTS; i++)
		SHEAF_TRY(copy_numbers(c, path, known[i], (sheaf_box_values){.type = SHEAF_I64}, err));
	SHEAF_TRY(copy_numbers(c, path, "length", (sheaf_box_values){.type = SHEAF_I64, .shape = scalar}, err));
	SHEAF_TRY(copy_numbers(c, path, "ordered",
	                       (sheaf_box_values){.type = SHEAF_I8, .shape = scalar, .what = SHEAF_BOX_BOOLS},
	                       err));
	SHEAF_TRY(copy_order(c, path, err));
	return lose_others(c, item, err);
}

/* ---- arrays ---- */

static sheaf_status copy_texts(const copying *c, const sheaf_box_item *item, sheaf_box_values like,
                               const char *path, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer ends = {0};
	SHEAF_TRY(sheaf_box_read_texts(c->from, (sheaf_box_run){item, 0, item->count}, &bytes, &ends, err));
	like.values = bytes.data;
	return sheaf_box_put_texts(c->to, path, like, sheaf_numbers(&ends), err);
}

/* Appends all values, in parts that are whole chunks where chunks are runs. */
static sheaf_status append_values(const copying *c, const sheaf_box_item *item, sheaf_box_array *to,
                                  sheaf_error *err)
{
	enum { STEP = 1 << 20 };
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer values = {0};
	int64_t chunk = item->chunk, step = chunk > 0 && chunk < STEP ? STEP / chunk * chunk : STEP;
	for (int64_t at = 0; at < item->count; at += step) {
		int64_t n = item->count - at < step ? item->count - at : step;
		SHEAF_TRY(sheaf_check_stop(c->cx, err));
		SHEAF_TRY(sheaf_box_read(c->from, (sheaf_box_run){item, at, at + n}, item->type, &values, err));
		SHEAF_TRY(sheaf_box_append(to, values.data, n, err));
	}
	return SHEAF_OK;
}

/* Copies an array to a path of its own, without its attributes. */
static sheaf_status copy_array(const copying *c, const sheaf_box_item *item, const char *path,
                               sheaf_error *err)
{
	static const int64_t scalar[1] = {0};
	sheaf_box_array *to;
	sheaf_box_values like = {item->type, NULL,      item->count, item->rank ? item->dims : scalar,
	                         item->rank, item->what};
	if (item->what == SHEAF_BOX_TEXTS) return copy_texts(c, item, like, path, err);
	SHEAF_TRY(sheaf_box_new_array(c->to, path, like, &c->storing, &to, err));
	sheaf_status status = append_values(c, item, to, err);
	sheaf_status ended = sheaf_box_end_array(to, status ? NULL : err);
	return status ? status : ended;
}

/* Copies a column of AnnData 0.7, whose categories are elsewhere in the frame, as a group of codes and
 * categories. Whether these are ordered was said of the array that has them. */
static sheaf_status copy_codes(const copying *c, const sheaf_box_item *codes,
                               const sheaf_box_item *categories, sheaf_error *err)
{
	static const int64_t scalar[1] = {0};
	char path[4096];
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer numbers = {0};
	sheaf_error none = {0};
	int8_t ordered = 0;
	sheaf_status status = sheaf_box_numbers(c->from, categories->path, "ordered", SHEAF_I8, &numbers, &none);
	if (status && status != SHEAF_UNKNOWN) return sheaf_fail_again(err, &none);
	if (!status && numbers.size) ordered = (int8_t)numbers.data[0];
	SHEAF_TRY(sheaf_box_make_group(c->to, codes->path, err));
	SHEAF_TRY(sheaf_hdf_set_encoding(c->to, codes->path, "categorical", err));
	SHEAF_TRY(sheaf_box_set_numbers(c->to, codes->path, "ordered",
	                                (sheaf_box_values){SHEAF_I8, &ordered, 1, scalar, 0, SHEAF_BOX_BOOLS},
	                                err));
	snprintf(path, sizeof path, "%.4000s/codes", codes->path);
	SHEAF_TRY(copy_array(c, codes, path, err));
	SHEAF_TRY(sheaf_hdf_set_encoding(c->to, path, "array", err));
	snprintf(path, sizeof path, "%.4000s/categories", codes->path);
	SHEAF_TRY(copy_array(c, categories, path, err));
	return sheaf_hdf_set_encoding(c->to, path, categories->what == SHEAF_BOX_TEXTS ? "string-array" : "array",
	                              err);
}

/* ---- records ---- */

/* What a member has in all records: values, or bytes and where each text ends. */
typedef struct column {
	sheaf_builder values, ends;
} column;

typedef struct table {
	sheaf_context *cx;
	int64_t count;
	int n;
	sheaf_box_member *members;
	column *columns;
	sheaf_builder records, texts; /* all of them */
} table;

static void drop(table *t)
{
	for (int m = 0; t->columns && m < t->n; m++) {
		sheaf_builder_drop(&t->columns[m].values);
		sheaf_builder_drop(&t->columns[m].ends);
	}
	sheaf_release(t->cx, t->members, (size_t)t->n * sizeof *t->members);
	sheaf_release(t->cx, t->columns, (size_t)t->n * sizeof *t->columns);
	sheaf_builder_drop(&t->records);
	sheaf_builder_drop(&t->texts);
}

/* Takes the members of a compound, one after the other. */
static sheaf_status take_members(const copying *c, const sheaf_box_item *item, table *t, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer records = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer text = {0};
	SHEAF_TRY(sheaf_box_read_records(c->from, (sheaf_box_run){item, 0, t->count}, &records, err));
	for (int m = 0; m < t->n; m++) {
		const sheaf_box_item *member = &item->members[m];
		sheaf_builder *values = &t->columns[m].values;
		t->members[m] = (sheaf_box_member){member->name, member->what, member->type};
		if (member->what != SHEAF_BOX_TEXTS) {
			size_t size = (size_t)t->count * sheaf_box_member_size(&t->members[m]);
			if (!sheaf_builder_room(values, size + 1)) return sheaf_builder_status(values, err);
			sheaf_box_record_values(item, m, records.data, t->count, values->data);
			values->size = size;
		}
		for (int64_t i = 0; i < t->count && member->what == SHEAF_BOX_TEXTS; i++) {
			const uint8_t *record = records.data + records.size / (size_t)t->count * (size_t)i;
			SHEAF_TRY(sheaf_box_record_text(c->from, member, record, &text, err));
			sheaf_builder_append(values, text.data, text.size);
			sheaf_builder_i64(&t->columns[m].ends, (int64_t)values->size);
		}
	}
	return SHEAF_OK;
}

/* Takes arrays of one length as members, in the order that their group says, which is how Zarr's folders may
 * have records. */
static sheaf_status take_arrays(const copying *c, const sheaf_box_item *group, const sheaf_buffer *names,
                                const int64_t *ends, table *t, sheaf_error *err)
{
	for (int m = 0; m < t->n; m++) {
		char name[600];
		SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
		SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer offsets = {0};
		snprintf(name, sizeof name, "%.*s", (int)(ends[m + 1] - ends[m]),
		         (const char *)names->data + ends[m]);
		const sheaf_box_item *item = sheaf_hdf_item(c->from, group->path, name);
		bool fits =
			item && !item->is_group && !item->refused && item->what <= SHEAF_BOX_TEXTS && item->rank == 1;
		if (!fits || (m > 0 && item->dims[0] != t->count))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: /%s: expected lists of one length, found another \"%.100s\"",
			                  sheaf_source_name(c->source), group->path, name);
		t->count = item->dims[0];
		t->members[m] = (sheaf_box_member){item->name, item->what, item->type};
		sheaf_box_run run = {item, 0, item->count};
		if (item->what == SHEAF_BOX_TEXTS)
			SHEAF_TRY(sheaf_box_read_texts(c->from, run, &bytes, &offsets, err));
		else
			SHEAF_TRY(sheaf_box_read(c->from, run, item->type, &bytes, err));
		sheaf_builder_append(&t->columns[m].values, bytes.data, bytes.size);
		if (offsets.size) sheaf_builder_append(&t->columns[m].ends, offsets.data + 8, offsets.size - 8);
	}
	return SHEAF_OK;
}

/* Puts the members of each record side by side. */
static sheaf_status put_records(const copying *c, const char *path, table *t, sheaf_error *err)
{
	for (int64_t i = 0; i < t->count; i++)
		for (int m = 0; m < t->n; m++) {
			const column *at = &t->columns[m];
			size_t size = sheaf_box_member_size(&t->members[m]);
			if (t->members[m].what != SHEAF_BOX_TEXTS) {
				sheaf_builder_append(&t->records, at->values.data + (size_t)i * size, size);
				continue;
			}
			const int64_t *ends = (const int64_t *)(const void *)at->ends.data;
			int64_t from = i ? ends[i - 1] : 0;
			sheaf_builder_i64(&t->records, (int64_t)t->texts.size);
			sheaf_builder_append(&t->texts, at->values.data + from, (size_t)(ends[i] - from));
			sheaf_builder_i64(&t->records, (int64_t)t->texts.size);
		}
	SHEAF_TRY(sheaf_builder_status(&t->records, err));
	SHEAF_TRY(sheaf_builder_status(&t->texts, err));
	sheaf_box_records records = {t->members, t->n, sheaf_builder_bytes(&t->records), t->texts.data};
	return sheaf_box_put_records(c->to, path, &records, err);
}

static bool has_readable_members(const sheaf_box_item *item)
{
	bool fits = item->what == SHEAF_BOX_RECORDS && item->rank == 1 && item->nmembers > 0;
	for (int m = 0; m < item->nmembers && fits; m++) fits = !item->members[m].refused;
	return fits;
}

static sheaf_status copy_records(const copying *c, const sheaf_box_item *item, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer names = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer ends = {0};
	SHEAF_SCOPED(drop)
	table t = {.cx = c->cx,
	           .count = item->count,
	           .n = item->nmembers,
	           .records = {.cx = c->cx},
	           .texts = {.cx = c->cx}};
	if (item->is_group) SHEAF_TRY(sheaf_box_texts(c->from, item->path, "column-order", &names, &ends, err));
	if (item->is_group) t.n = (int)(ends.size / sizeof(int64_t)) - 1;
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)t.n, sizeof *t.members, &t.members, err));
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)t.n, sizeof *t.columns, &t.columns, err));
	for (int m = 0; m < t.n; m++) t.columns[m] = (column){{.cx = c->cx}, {.cx = c->cx}};
	SHEAF_TRY(item->is_group ? take_arrays(c, item, &names, sheaf_numbers(&ends), &t, err)
	                         : take_members(c, item, &t, err));
	return put_records(c, item->path, &t, err);
}

/* ---- the whole ---- */

/* How AnnData calls records. */
#define RECORDS "rec-array"

/* Names an item that is not written. */
static sheaf_status lose(const copying *c, const sheaf_box_item *item, sheaf_error *err)
{
	char found[600];
	snprintf(found, sizeof found, "/%.200s, which is %.300s", item->path,
	         item->refused                 ? item->refused
	         : item->rank > SHEAF_MAX_RANK ? "of too many dimensions"
	                                       : item->of);
	return sheaf_hdf_lose(c->cx, c->sink, "item", "groups, and arrays of numbers, truth values or texts",
	                      found, err);
}

static sheaf_status copy_item(const copying *c, const sheaf_box_item *item, sheaf_error *err)
{
	char path[600];
	bool is_frame, is_records = false, is_part;
	const sheaf_box_item *categories, *above = sheaf_box_items(c->from, &(int64_t){0}) + item->parent;
	snprintf(path, sizeof path, SHEAF_HDF_CATEGORIES "/%.500s", item->name);
	if (strcmp(item->name, SHEAF_HDF_CATEGORIES) == 0 || strcmp(above->name, SHEAF_HDF_CATEGORIES) == 0)
		return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf_says(c->from, above, "encoding-type", RECORDS, &is_part, err));
	if (is_part) return SHEAF_OK;
	if (item->is_group) SHEAF_TRY(sheaf_hdf_says(c->from, item, "encoding-type", RECORDS, &is_records, err));
	bool is_table =
		c->kind == SHEAF_BOX_HDF5 && (is_records || (!item->refused && has_readable_members(item)));
	bool is_array = !is_table && !item->is_group;
	if (item->refused || (is_records && !is_table) ||
	    (is_array && (item->what >= SHEAF_BOX_RECORDS || item->rank > SHEAF_MAX_RANK)))
		return lose(c, item, err);
	categories = !is_array ? NULL : sheaf_hdf_item(c->from, above->path, path);
	if (categories && !categories->refused) return copy_codes(c, item, categories, err);
	if (is_array) SHEAF_TRY(copy_array(c, item, item->path, err));
	if (is_table) SHEAF_TRY(copy_records(c, item, err));
	if (is_records) return sheaf_hdf_set_encoding(c->to, item->path, RECORDS, err);
	if (item->is_group) SHEAF_TRY(sheaf_box_make_group(c->to, item->path, err));
	SHEAF_TRY(copy_attributes(c, item, err));
	SHEAF_TRY(sheaf_hdf_says(c->from, item, "encoding-type", "dataframe", &is_frame, err));
	return is_frame ? sheaf_hdf_set_encoding(c->to, item->path, "dataframe", err) : SHEAF_OK;
}

static sheaf_status copy_all(copying *c, const sheaf_values *values, sheaf_error *err)
{
	int64_t count, losses = sheaf_context_losses(c->cx);
	SHEAF_TRY(sheaf_box_settings(sheaf_sink_name(c->sink), values, &c->kind, &c->storing, err));
	if (c->kind != SHEAF_BOX_ZARR && c->kind != SHEAF_BOX_ZARR_2) c->kind = SHEAF_BOX_HDF5;
	SHEAF_TRY(sheaf_box_create(c->sink, c->kind, false, c->cx, &c->to, err));
	const sheaf_box_item *items = sheaf_box_items(c->from, &count);
	SHEAF_TRY(copy_attributes(c, items, err));
	for (int64_t i = 1; i < count; i++) SHEAF_TRY(copy_item(c, &items[i], err));
	SHEAF_TRY(sheaf_check_losses(c->cx, losses, sheaf_sink_name(c->sink), "hdf5", err));
	sheaf_box *box = c->to;
	c->to = NULL;
	return sheaf_box_finish(box, err);
}

/* Whether a box has what AnnData has had since 0.7: data frames of rows and columns. */
static sheaf_status is_whole_anndata(sheaf_box *box, bool *is, sheaf_error *err)
{
	static const char *const frames[] = {"obs", "var"};
	SHEAF_TRY(sheaf_hdf_is_anndata(box, is, err));
	for (int i = 0; i < 2 && *is; i++) {
		const sheaf_box_item *frame = sheaf_box_find(box, frames[i]);
		*is = frame;
		if (frame) SHEAF_TRY(sheaf_hdf_says(box, frame, "encoding-type", "dataframe", is, err));
	}
	return SHEAF_OK;
}

/* Copies AnnData from the source to the sink, which it takes over. Without a sink (NULL) it only says whether
 * it would: END if the source has something else, or if not all of it is selected. */
sheaf_status sheaf_hdf_transcode(sheaf_source *source, sheaf_sink *sink, const sheaf_values *values,
                                 const sheaf_selection *selection, sheaf_context *cx, sheaf_error *err)
{
	bool is;
	copying c = {.cx = cx, .source = source, .sink = sink};
	bool selects = selection->skip || selection->rows || selection->sample || selection->where;
	if (!sink && selects) return SHEAF_END;
	sheaf_status status = sheaf_box_open_known(source, cx, &c.from, err);
	if (!status) status = is_whole_anndata(c.from, &is, err);
	if (!status && !is)
		status = !sink ? SHEAF_END
		               : sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected AnnData's file, found another",
		                            sheaf_source_name(source));
	if (!status && sink) status = copy_all(&c, values, err);
	sheaf_box_abandon(c.to);
	if (c.from) sheaf_box_leave(c.from);
	if (!status && sink) return sheaf_sink_commit(sink, err);
	if (sink) sheaf_sink_abandon(sink);
	return status;
}
