/* SPDX-License-Identifier: MIT */
/* Datasets in the tree of a file. A group is a sparse matrix if its arrays have the names that some program
 * uses; arrays that belong to one are not datasets by themselves:
 *
 *   data, indices, indptr      AnnData and h5sparse, whose attributes say whether rows or columns have lists;
 *                              10x, whose groups also have "barcodes", and whose columns have lists
 *   data, ir, jc               MATLAB: by columns, with the number of rows in the attribute MATLAB_sparse
 *   data, ridx, cidx, nr       Octave: the same, with the number of rows beside them
 *   row, col, data and others  coordinates: three arrays of one length, in several spellings
 *   encoding-type              AnnData's data frames, and columns of them that are groups themselves; 10x's
 *                              features are a data frame, too
 *
 * Names alone decide little, as "data" is a usual one: the arrays must also have one dimension, and indices
 * and pointers must be integers. What they hold is not looked at before the dataset is opened. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/spell.h"
#include "base/status.h"
#include "format/hdf5/hdf5.h"
#include "io/descriptor.h"
#include <stdio.h>
#include <string.h>

/* ---- parts of groups ---- */

const sheaf_box_item *sheaf_hdf_item(sheaf_box *box, const char *group, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s%s%s", group, *group ? "/" : "", name);
	return n > 0 && (size_t)n < sizeof path ? sheaf_box_find(box, path) : NULL;
}

/* The readable array of this name in a group, or NULL. */
static const sheaf_box_item *part_of(sheaf_box *box, const sheaf_box_item *group, const char *name)
{
	const sheaf_box_item *item = sheaf_hdf_item(box, group->path, name);
	return item && !item->is_group && !item->refused ? item : NULL;
}

/* Octave's lists are columns of matrices. */
static bool is_list(const sheaf_box_item *item, bool integers)
{
	bool is_column = item && item->rank == 2 && item->dims[1] == 1;
	return item && (item->rank == 1 || is_column) && item->what == SHEAF_BOX_NUMBERS &&
	       (!integers || item->type < SHEAF_F32);
}

static bool are_values(const sheaf_box_item *item)
{
	return item && (item->rank == 1 || (item->rank == 2 && item->dims[1] == 1)) &&
	       item->what < SHEAF_BOX_TEXTS;
}

sheaf_status sheaf_hdf_says(sheaf_box *box, const sheaf_box_item *item, const char *name, const char *word,
                            bool *is, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer text = {0};
	*is = false;
	SHEAF_TRY(sheaf_box_has_text(box, item->path, name, is, err));
	if (!*is) return SHEAF_OK;
	SHEAF_TRY(sheaf_box_text(box, item->path, name, &text, err));
	*is = text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
	return SHEAF_OK;
}

/* ---- matrices ---- */

/* Finds out which program wrote a group of data, indices and pointers, and which dimension has the lists:
 * AnnData says it in an attribute, and 10x has barcodes and lists of columns. Without a word of the
 * program either dimension may have them (may_be_either), and the shape decides when the dataset is
 * opened. */
static sheaf_status find_maker(sheaf_box *box, sheaf_hdf_found *out, sheaf_error *err)
{
	static const struct {
		const char *name, *word, *maker;
		bool by_columns;
	} words[] = {{"encoding-type", "csr_matrix", "AnnData", false},
	             {"encoding-type", "csc_matrix", "AnnData", true},
	             {"h5sparse_format", "csr", "AnnData", false},
	             {"h5sparse_format", "csc", "AnnData", true}};
	for (size_t i = 0; i < sizeof words / sizeof *words && !out->maker; i++) {
		bool says_so;
		SHEAF_TRY(sheaf_hdf_says(box, out->at, words[i].name, words[i].word, &says_so, err));
		if (!says_so) continue;
		out->maker = words[i].maker;
		out->by_columns = words[i].by_columns;
	}
	if (out->maker) return SHEAF_OK;
	bool is_10x = part_of(box, out->at, "barcodes");
	if (is_10x) out->maker = "10x";
	out->by_columns = is_10x;
	out->may_be_either = !is_10x;
	return SHEAF_OK;
}

/* Recognises a group of data, indices and indptr, as AnnData, 10x and others have them. *out stays as it
 * is if the group is none. */
static sheaf_status find_compressed(sheaf_box *box, sheaf_hdf_found *out, sheaf_error *err)
{
	const sheaf_box_item *values = part_of(box, out->at, "data"), *indices = part_of(box, out->at, "indices"),
						 *pointers = part_of(box, out->at, "indptr");
	if (!are_values(values) || !is_list(indices, true) || !is_list(pointers, true)) return SHEAF_OK;
	*out = (sheaf_hdf_found){.kind = HDF_COMPRESSED,
	                         .at = out->at,
	                         .values = values,
	                         .indices = indices,
	                         .second = pointers,
	                         .rows = -1};
	return find_maker(box, out, err);
}

/* Recognises a sparse matrix of MATLAB's or Octave's: by columns, in arrays jc, ir and data, with the number
 * of rows in an attribute, or in arrays cidx, ridx and data, with the number of rows in nr. A matrix without
 * entries has neither values nor indices. *out stays as it is if the group is none. */
static sheaf_status find_matlab(sheaf_box *box, sheaf_hdf_found *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer rows = {0};
	sheaf_error none = {0};
	const sheaf_box_item *pointers = part_of(box, out->at, "jc"), *extent = part_of(box, out->at, "nr");
	if (!pointers && extent && extent->count == 1) pointers = part_of(box, out->at, "cidx");
	if (!is_list(pointers, true)) return SHEAF_OK;
	bool is_octave = *pointers->name == 'c';
	sheaf_status status =
		is_octave ? sheaf_box_read(box, (sheaf_box_run){extent, 0, 1}, SHEAF_I64, &rows, &none)
				  : sheaf_box_numbers(box, out->at->path, "MATLAB_sparse", SHEAF_I64, &rows, &none);
	if (status == SHEAF_UNKNOWN || status == SHEAF_DATA)
		return sheaf_forgive(status, "it is no matrix of MATLAB's");
	if (status) return sheaf_fail_again(err, &none);
	*out = (sheaf_hdf_found){.kind = HDF_COMPRESSED,
	                         .maker = is_octave ? "Octave" : "MATLAB",
	                         .at = out->at,
	                         .second = pointers,
	                         .by_columns = true};
	out->values = part_of(box, out->at, "data");
	out->indices = part_of(box, out->at, is_octave ? "ridx" : "ir");
	if (rows.size == sizeof out->rows) memcpy(&out->rows, rows.data, sizeof out->rows);
	if (!are_values(out->values) || !is_list(out->indices, true)) out->values = out->indices = NULL;
	return SHEAF_OK;
}

/* Recognises a group of rows, columns and values by the names that programs give these arrays. They need
 * the same length: arrays of these names that have other lengths are datasets of their own, and *out
 * stays as it is. */
static void find_coordinates(sheaf_box *box, sheaf_hdf_found *out)
{
	static const char *const names[][3] = {
		{"row", "col", "data"},  {"row", "col", "val"}, {"rows", "cols", "values"}, {"rows", "cols", "data"},
		{"row", "col", "value"}, {"i", "j", "v"},       {"row", "column", "value"}, {"row", "col", "weight"}};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		const sheaf_box_item *row = part_of(box, out->at, names[k][0]),
							 *column = part_of(box, out->at, names[k][1]),
							 *values = part_of(box, out->at, names[k][2]);
		if (!is_list(row, true) || !is_list(column, true) || !are_values(values)) continue;
		if (row->count != column->count || row->count != values->dims[0]) continue;
		*out = (sheaf_hdf_found){.kind = HDF_COORDINATES,
		                         .at = out->at,
		                         .values = values,
		                         .indices = row,
		                         .second = column,
		                         .rows = -1};
		return;
	}
}

/* Recognises a data frame, or a column that consists of values and a mask, or of codes and what they stand
 * for, by what AnnData says of the group; 10x's features have no such word, but always the
 * same place and names. */
static sheaf_status find_frame(sheaf_box *box, sheaf_hdf_found *out, sheaf_error *err)
{
	static const struct {
		const char *word, *values, *second;
	} words[] = {{"dataframe", NULL, NULL},
	             {"categorical", "codes", "categories"},
	             {"nullable-integer", "values", "mask"},
	             {"nullable-boolean", "values", "mask"},
	             {"nullable-string-array", "values", "mask"}};
	int64_t count;
	bool has;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer word = {0};
	const sheaf_box_item *items = sheaf_box_items(box, &count), *at = out->at;
	bool is_10x = strcmp(at->name, "features") == 0 && at->parent >= 0 && part_of(box, at, "id") &&
	              part_of(box, &items[at->parent], "barcodes");
	if (is_10x) {
		*out = (sheaf_hdf_found){.kind = HDF_FRAME, .maker = "10x", .at = at, .rows = -1};
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_box_has_text(box, at->path, "encoding-type", &has, err));
	if (has) SHEAF_TRY(sheaf_box_text(box, at->path, "encoding-type", &word, err));
	for (size_t i = 0; i < sizeof words / sizeof *words && has; i++) {
		if (word.size != strlen(words[i].word) || memcmp(word.data, words[i].word, word.size) != 0) continue;
		*out = (sheaf_hdf_found){.kind = HDF_FRAME, .maker = "AnnData", .at = at, .rows = -1};
		if (!words[i].values) return SHEAF_OK;
		out->values = part_of(box, at, words[i].values);
		out->second = part_of(box, at, words[i].second);
		out->kind = out->values && out->second ? HDF_COLUMN : HDF_NOTHING;
	}
	return SHEAF_OK;
}

/* Returns the next array of a group after `item` that is no scalar; NULL: there is none. */
const sheaf_box_item *sheaf_hdf_next(sheaf_box *box, const sheaf_box_item *group, const sheaf_box_item *item)
{
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	while (++item < items + count)
		if (item->parent == group - items && !item->is_group && item->rank > 0) return item;
	return NULL;
}

/* Recognises a group of netCDF's variables over one and the same dimension, apart from scalars: a table. */
static void find_variables(sheaf_box *box, sheaf_hdf_found *out)
{
	int n = 0;
	const sheaf_box_item *first = sheaf_hdf_next(box, out->at, out->at);
	for (const sheaf_box_item *item = first; item; item = sheaf_hdf_next(box, out->at, item), n++) {
		bool fits = !item->refused && item->what <= SHEAF_BOX_TEXTS && item->rank == 1 && item->dimensions;
		if (!fits || n == SHEAF_HDF_MOST_COLUMNS) return;
		size_t size = strcspn(first->dimensions, ",");
		if (strcspn(item->dimensions, ",") != size || memcmp(item->dimensions, first->dimensions, size))
			return;
	}
	if (n > 1) *out = (sheaf_hdf_found){.kind = HDF_TABLE, .at = out->at, .values = first, .rows = -1};
}

/* Recognises a group that is a matrix or a table, by its parts. The contents of a group come after it in
 * the list: one without any is neither. */
static sheaf_status find_group(sheaf_box *box, sheaf_hdf_found *out, sheaf_error *err)
{
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(box, &count), *next = out->at + 1;
	if (next == items + count || next->parent != out->at - items) return SHEAF_OK;
	SHEAF_TRY(find_frame(box, out, err));
	if (out->kind == HDF_NOTHING) SHEAF_TRY(find_compressed(box, out, err));
	if (out->kind == HDF_NOTHING) SHEAF_TRY(find_matlab(box, out, err));
	if (out->kind == HDF_NOTHING) find_coordinates(box, out);
	if (out->kind == HDF_NOTHING) find_variables(box, out);
	return SHEAF_OK;
}

/* ---- arrays ---- */

/* Recognises an array that is a dataset by itself. Arrays of more dimensions than a tensor has, and of
 * items that are not read, are none. */
static void find_array(sheaf_hdf_found *out)
{
	const sheaf_box_item *item = out->at;
	bool is_text = item->what == SHEAF_BOX_TEXTS || item->names;
	if (item->what == SHEAF_BOX_OTHER || item->rank > SHEAF_MAX_RANK) return;
	out->kind = is_text ? HDF_TEXTS : item->what >= SHEAF_BOX_RECORDS ? HDF_TABLE : HDF_DENSE;
	out->values = item;
}

/* Finds out what an item is. It may be one of a matrix's parts, or its shape, or in a data frame. An item
 * that cannot be read is no dataset. */
sheaf_status sheaf_hdf_find(sheaf_box *box, const sheaf_box_item *item, sheaf_hdf_found *out,
                            sheaf_error *err)
{
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	sheaf_hdf_found group = {.at = item->parent >= 0 ? &items[item->parent] : NULL};
	*out = (sheaf_hdf_found){.at = item, .rows = -1};
	if (item->refused) return SHEAF_OK;
	if (!item->is_group) find_array(out);
	if (item->is_group) SHEAF_TRY(find_group(box, out, err));
	if (out->kind == HDF_NOTHING || !group.at || group.at->refused) return SHEAF_OK;
	SHEAF_TRY(find_group(box, &group, err));
	out->is_part = group.kind == HDF_FRAME || (group.kind == HDF_TABLE && !item->is_group) ||
	               strcmp(group.at->name, SHEAF_HDF_CATEGORIES) == 0 ||
	               (group.kind != HDF_NOTHING && (item == group.values || item == group.indices ||
	                                              item == group.second || strcmp(item->name, "shape") == 0));
	return SHEAF_OK;
}

const char *sheaf_hdf_word(const sheaf_hdf_found *found)
{
	static const char *const words[] = {NULL, "dense", "texts", "table", "table", "column", "CSR", "COO"};
	return found->kind == HDF_COMPRESSED && found->by_columns ? "CSC" : words[found->kind];
}

/* Shows all datasets of a box, in the order of their paths. */
sheaf_status sheaf_hdf_each(sheaf_box *box, sheaf_context *cx,
                            sheaf_status (*show)(void *user, const sheaf_hdf_found *found, sheaf_error *err),
                            void *user, sheaf_error *err)
{
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	for (int64_t i = 0; i < count; i++) {
		sheaf_hdf_found found;
		SHEAF_TRY(sheaf_check_stop(cx, err));
		SHEAF_TRY(sheaf_hdf_find(box, &items[i], &found, err));
		if (found.kind != HDF_NOTHING && !found.is_part) SHEAF_TRY(show(user, &found, err));
	}
	return SHEAF_OK;
}

/* ---- choosing ---- */

sheaf_status sheaf_hdf_is_anndata(sheaf_box *box, bool *is, sheaf_error *err)
{
	const sheaf_box_item *obs = sheaf_box_find(box, "obs"), *var = sheaf_box_find(box, "var");
	SHEAF_TRY(sheaf_hdf_says(box, sheaf_box_find(box, ""), "encoding-type", "anndata", is, err));
	*is = *is || (obs && var && sheaf_box_find(box, "X")); /* older releases have no such attribute */
	return SHEAF_OK;
}

typedef struct listing {
	int count, matrices;
	sheaf_hdf_found first, matrix;
	sheaf_builder text;
} listing;

static void drop(listing *l) { sheaf_builder_drop(&l->text); }

/* Counts the datasets, and keeps the names of the first few for a message. */
static sheaf_status list(void *user, const sheaf_hdf_found *found, sheaf_error *err)
{
	enum { MOST = 10 };
	listing *l = (listing *)user;
	if (l->count == 0) l->first = *found;
	if (found->kind >= HDF_COMPRESSED && l->matrices++ == 0) l->matrix = *found;
	if (l->count < MOST) sheaf_builder_printf(&l->text, "%s/%s", l->count ? ", " : "", found->at->path);
	if (l->count++ == MOST) sheaf_builder_text(&l->text, ", ...");
	return sheaf_builder_status(&l->text, err);
}

/* Fails since a file has no dataset. If a single item of it is refused, the reason for that is the reason
 * for the whole file. */
static sheaf_status refuse_none(sheaf_box *box, const char *file, sheaf_error *err)
{
	int64_t count;
	int n = 0;
	bool is_damaged = false;
	const sheaf_box_item *items = sheaf_box_items(box, &count), *refused = items;
	for (int64_t i = 0; i < count; i++) {
		if (items[i].refused && n++ == 0) refused = &items[i];
		is_damaged |= items[i].is_damaged;
	}
	return sheaf_fail(err, is_damaged ? SHEAF_DATA : SHEAF_UNSUPPORTED,
	                  "%s: expected a matrix, an array of numbers or texts, or a group with a descriptor of "
	                  "Binsparse, found none that is read%s%.200s%s%.400s",
	                  file, n == 1 ? "; /" : "", n == 1 ? refused->path : "", n == 1 ? " has " : "",
	                  n == 1 ? refused->refused : "");
}

/* Chooses the dataset that is meant if no path is given: AnnData's X, or obs; else the only sparse matrix, as
 * the arrays beside it are its names; else the only dataset. Several datasets are an error that lists them.
 */
static sheaf_status choose_only(sheaf_box *box, const char *file, sheaf_context *cx, sheaf_hdf_found *out,
                                sheaf_error *err)
{
	bool is_anndata;
	SHEAF_SCOPED(drop) listing l = {.text = {.cx = cx}};
	const sheaf_box_item *x = sheaf_box_find(box, "X");
	if (!x) x = sheaf_box_find(box, "obs"); /* AnnData needs no X */
	SHEAF_TRY(sheaf_hdf_is_anndata(box, &is_anndata, err));
	if (is_anndata && x) {
		SHEAF_TRY(sheaf_hdf_find(box, x, out, err));
		if (out->kind != HDF_NOTHING) return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_hdf_each(box, cx, list, &l, err));
	sheaf_builder_byte(&l.text, '\0');
	SHEAF_TRY(sheaf_builder_status(&l.text, err));
	*out = l.matrices == 1 ? l.matrix : l.first;
	if (l.count == 0) return refuse_none(box, file, err);
	if (l.count == 1 || l.matrices == 1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected one dataset, or " SHEAF_OPTION(
						  "dataset") " with the path of one of them, found %d: %.600s",
	                  file, l.count, (const char *)l.text.data);
}

/* Chooses the dataset at the path `member`, where slashes around it do not matter; without one (NULL),
 * the one that choose_only finds. A part of another dataset may be requested by its own path. An item that is
 * no dataset, or cannot be read, is an error that says why. */
sheaf_status sheaf_hdf_choose(sheaf_box *box, const char *file, const char *member, sheaf_context *cx,
                              sheaf_hdf_found *out, sheaf_error *err)
{
	char path[4096], dimensions[80];
	if (!member) return choose_only(box, file, cx, out, err);
	while (*member == '/') member++;
	size_t n = strlen(member);
	while (n && member[n - 1] == '/') n--;
	snprintf(path, sizeof path, "%.*s", (int)(n < sizeof path ? n : sizeof path - 1), member);
	const sheaf_box_item *item = sheaf_box_find(box, path);
	*out = (sheaf_hdf_found){.at = item, .rows = -1};
	if (item) SHEAF_TRY(sheaf_hdf_find(box, item, out, err));
	if (out->kind != HDF_NOTHING) return SHEAF_OK;
	if (item && !item->is_group)
		snprintf(dimensions, sizeof dimensions, "an array of %d dimensions, more than %d", item->rank,
		         SHEAF_MAX_RANK);
	sheaf_status status = !item || (item->is_group && !item->refused) ? SHEAF_UNKNOWN
	                      : item->refused && item->is_damaged         ? SHEAF_DATA
	                                                                  : SHEAF_UNSUPPORTED;
	return sheaf_fail(err, status, "%s: expected a matrix, a table or an array at \"/%.200s\", found %s",
	                  file, path,
	                  !item            ? "nothing there (sheaf info lists what there is)"
	                  : item->refused  ? item->refused
	                  : item->is_group ? "a group that is neither (sheaf info lists what there is)"
	                                   : dimensions);
}
