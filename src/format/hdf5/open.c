/* SPDX-License-Identifier: MIT */
/* Opening a dataset: its shape, its pointers, whether entries come in order, and what its rows are. A matrix
 * says its shape in an attribute (AnnData, h5sparse), in an array (10x), or not at all: then it is as large
 * as its largest coordinates. Names of rows and columns beside it become attributes, as lists in JSON.
 *
 * A matrix becomes stored levels (src/sparse), whose checks are shared with other formats: pointers are taken
 * and compared with the number of indices here, indices with the shape as rows are read. A dense array is the
 * same with levels that are all there. Whatever a file says of sizes is compared with what it has before
 * memory is asked for. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/hdf5/hdf5.h"
#include "frame/frame.h"
#include "frame/schema/json_text.h"
#include "io/descriptor.h"
#include "io/source.h"
#include "number/kernels/utf8.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static sheaf_status flaw(const sheaf_hdf_reader *in, const char *expected, int64_t bound, int64_t found,
                         sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected %s %" PRId64 ", found %" PRId64, in->file,
	                  in->set.at->path, expected, bound, found);
}

/* ---- attributes of numbers ---- */

/* Reads the numbers of an attribute as int64; *has: there is such an attribute. */
static sheaf_status find_numbers(const sheaf_hdf_reader *in, const char *name, sheaf_buffer *out, bool *has,
                                 sheaf_error *err)
{
	sheaf_error none = {0};
	sheaf_status status = sheaf_box_numbers(in->box, in->set.at->path, name, SHEAF_I64, out, &none);
	*has = status != SHEAF_UNKNOWN;
	if (!*has) return sheaf_forgive(status, "nothing is said");
	return status ? sheaf_fail_again(err, &none) : SHEAF_OK;
}

/* ---- shapes ---- */

/* Reads the shape that a group says of itself, in an attribute or in an array "shape" beside the others;
 * *has: there is one. It is not guessed then, even if what it says makes no sense, which is an error. */
static sheaf_status find_shape(sheaf_hdf_reader *in, bool *has, sheaf_error *err)
{
	enum { MOST = 3 };
	static const char *const names[] = {"shape", "h5sparse_shape", "dims"};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer found = {0};
	int64_t *shape = in->sparse.shape;
	*has = false;
	for (size_t i = 0; i < sizeof names / sizeof *names && !*has; i++)
		SHEAF_TRY(find_numbers(in, names[i], &found, has, err));
	const sheaf_box_item *item = *has ? NULL : sheaf_hdf_item(in->box, in->set.at->path, "shape");
	if (item && !item->is_group) {
		sheaf_box_run run = {item, 0, item->count < MOST ? item->count : MOST};
		*has = true;
		SHEAF_TRY(sheaf_box_read(in->box, run, SHEAF_I64, &found, err));
	}
	size_t n = found.size / sizeof *shape;
	if (n == 2) memcpy(shape, found.data, found.size);
	if (*has && n != 2)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a shape of two whole numbers, found %s", in->where,
		                  n < 2 ? "fewer" : "more");
	for (int d = 0; d < 2 && *has; d++)
		if (shape[d] < 0) return flaw(in, "extents of at least", 0, shape[d], err);
	return SHEAF_OK;
}

/* Finds one more than the largest of a list of coordinates, in parts; 0 if there is no list (NULL) or it
 * is empty. */
static sheaf_status find_extent(const sheaf_hdf_reader *in, const sheaf_box_item *list, int64_t *extent,
                                sheaf_error *err)
{
	enum { STEP = 1 << 16 };
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer some = {0};
	*extent = 0;
	for (int64_t at = 0; list && at < list->count; at += STEP) {
		int64_t n = list->count - at < STEP ? list->count - at : STEP;
		SHEAF_TRY(sheaf_check_stop(in->cx, err));
		SHEAF_TRY(sheaf_box_read(in->box, (sheaf_box_run){list, at, at + n}, SHEAF_I64, &some, err));
		const int64_t *numbers = (const int64_t *)(const void *)some.data;
		for (int64_t i = 0; i < n; i++)
			if (numbers[i] >= *extent && numbers[i] < INT64_MAX) *extent = numbers[i] + 1;
	}
	return SHEAF_OK;
}

/* ---- compressed matrices ---- */

/* Finds the shape of a compressed matrix and which dimension has the lists. The number of lists is known
 * from the pointers; of a shape that the file says, the extent of that dimension must be the same. A file
 * that does not say which dimension it is means rows, unless only columns fit. Without a shape, the
 * largest index gives the other extent. */
static sheaf_status shape_lists(sheaf_hdf_reader *in, sheaf_error *err)
{
	bool has;
	sheaf_hdf_found *set = &in->set;
	int64_t *shape = in->sparse.shape, lists = in->sparse.counts[1];
	if (set->rows >= 0) {
		shape[0] = set->rows;
		shape[1] = lists;
		return SHEAF_OK;
	}
	SHEAF_TRY(find_shape(in, &has, err));
	if (!has) {
		SHEAF_TRY(find_extent(in, set->indices, &shape[!set->by_columns], err));
		shape[set->by_columns] = lists;
		return SHEAF_OK;
	}
	if (set->may_be_either) set->by_columns = shape[0] != lists && shape[1] == lists;
	return shape[set->by_columns] == lists
	           ? SHEAF_OK
	           : flaw(in, set->by_columns ? "a pointer more than columns," : "a pointer more than rows,",
	                  shape[set->by_columns] + 1, lists + 1, err);
}

/* Measures a compressed matrix: takes the pointers, which say where the lists begin, compares them with
 * the indices and the values, and finds the shape. Only a matrix without entries has no indices. The
 * levels are those of rows until the shape says otherwise. */
static sheaf_status measure_compressed(sheaf_hdf_reader *in, sheaf_error *err)
{
	sheaf_sparse *s = &in->sparse;
	const sheaf_box_item *pointers = in->set.second;
	int64_t stored = in->set.values ? in->set.values->dims[0] : 0;
	if (pointers->count < 1) return flaw(in, "pointers, at least", 1, pointers->count, err);
	sheaf_levels_of_lists(&s->levels, 2, false);
	sheaf_box_store(&s->pointers[1], pointers);
	sheaf_box_store(&s->indices[1], in->set.indices);
	if (!in->set.indices) s->indices[1].count = stored;
	s->counts[1] = pointers->count - 1;
	SHEAF_TRY(sheaf_sparse_take_pointers(s, 1, err));
	in->rows = sheaf_sparse_entries(s);
	if (s->indices[1].count != stored)
		return flaw(in, "as many indices as values,", stored, s->indices[1].count, err);
	SHEAF_TRY(shape_lists(in, err));
	sheaf_levels_of_lists(&s->levels, 2, in->set.by_columns);
	return SHEAF_OK;
}

/* Measures a matrix of coordinates: levels of one entry each, a row and a column for each value. Without
 * a shape in the file, the largest coordinates give it. */
static sheaf_status measure_coordinates(sheaf_hdf_reader *in, sheaf_error *err)
{
	bool has;
	sheaf_sparse *s = &in->sparse;
	in->rows = s->counts[1] = in->set.values->dims[0];
	sheaf_levels_of_coordinates(&s->levels, 2);
	sheaf_box_store(&s->indices[0], in->set.indices);
	sheaf_box_store(&s->indices[1], in->set.second);
	SHEAF_TRY(find_shape(in, &has, err));
	if (has) return SHEAF_OK;
	SHEAF_TRY(find_extent(in, in->set.indices, &in->sparse.shape[0], err));
	return find_extent(in, in->set.second, &in->sparse.shape[1], err);
}

/* ---- arrays ---- */

/* Finds out whether an array is one of MATLAB's or Octave's without elements (*is_empty): what is stored then
 * are its dimensions, one of which must be 0. They become the shape. */
static sheaf_status measure_empty(sheaf_hdf_reader *in, bool *is_empty, sheaf_error *err)
{
	int64_t elements = 1, *shape = in->sparse.shape;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer says = {0};
	const sheaf_box_item *item = in->set.values;
	SHEAF_TRY(find_numbers(in, "MATLAB_empty", &says, is_empty, err));
	if (!*is_empty) SHEAF_TRY(find_numbers(in, "OCTAVE_EMPTY_MATRIX", &says, is_empty, err));
	*is_empty = says.size == sizeof(int64_t) && sheaf_numbers(&says)[0] && item->rank == 1 &&
	            item->count > 0 && item->count <= SHEAF_MAX_RANK && item->what == SHEAF_BOX_NUMBERS;
	if (!*is_empty) return SHEAF_OK;
	in->sparse.levels.rank = (int)item->count;
	in->rows = 0;
	SHEAF_TRY(sheaf_box_read_into(in->box, (sheaf_box_run){item, 0, item->count}, SHEAF_I64, shape, err));
	for (int d = 0; d < in->sparse.levels.rank; d++) {
		if (shape[d] < 0) return flaw(in, "extents of at least", 0, shape[d], err);
		if (shape[d] == 0) elements = 0;
	}
	if (elements == 0) return SHEAF_OK;
	bool is_struct;
	SHEAF_TRY(sheaf_hdf_says(in->box, in->set.at, "MATLAB_class", "struct", &is_struct, err));
	return is_struct ? sheaf_fail(err, SHEAF_UNSUPPORTED,
	                              "%s: expected an array, found structs without fields", in->where)
	                 : flaw(in, "an extent of", 0, shape[0], err);
}

/* Finds out what MATLAB says of an array or a sparse matrix: that numbers are characters or truth values, or
 * that it is an object, such as a table or a string, which has its values elsewhere. Octave says of the group
 * of an array that it comes by columns, as all of MATLAB's do. */
static sheaf_status find_class(sheaf_hdf_reader *in, sheaf_error *err)
{
	int64_t count;
	bool is_object;
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer says = {0};
	sheaf_error none = {0};
	const sheaf_box_item *at = in->set.at, *items = sheaf_box_items(in->box, &count);
	SHEAF_TRY(sheaf_box_has_text(in->box, at->path, "MATLAB_class", &in->is_reversed, err));
	if (in->is_reversed) {
		in->set.maker = "MATLAB";
		SHEAF_TRY(find_numbers(in, "MATLAB_object_decode", &says, &is_object, err));
		SHEAF_TRY(sheaf_hdf_says(in->box, at, "MATLAB_class", "logical", &in->is_logical, err));
		SHEAF_TRY(sheaf_hdf_says(in->box, at, "MATLAB_class", "char", &in->are_characters, err));
		return !is_object || in->is_raw
		           ? SHEAF_OK
		           : sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected an array, found an object of MATLAB's",
		                        in->where);
	}
	if (at->parent < 0 || items[at->parent].refused) return SHEAF_OK;
	sheaf_status status =
		sheaf_box_numbers(in->box, items[at->parent].path, "OCTAVE_NEW_FORMAT", SHEAF_I64, &says, &none);
	in->is_reversed = status == SHEAF_OK;
	if (in->is_reversed) in->set.maker = "Octave";
	return !status || status == SHEAF_UNKNOWN ? sheaf_forgive(status, "nobody says it")
	                                          : sheaf_fail_again(err, &none);
}

/* Measures a dense array: its shape, and the number of positions at each level. MATLAB's arrays are
 * stored by columns, with their dimensions reversed. In storage the last dimension changes fastest.
 * Pieces consist of whole rows of chunks (in->step) unless these have more than MOST values. */
static sheaf_status measure_dense(sheaf_hdf_reader *in, sheaf_error *err)
{
	enum { MOST = 16 << 20 };
	bool is_reversed = in->is_reversed, is_empty = false;
	const sheaf_box_item *item = in->set.values;
	sheaf_sparse *s = &in->sparse;
	s->levels.rank = item->rank;
	in->rows = item->what == SHEAF_BOX_COMPLEX ? item->count / 2 : item->count;
	in->set.by_columns = is_reversed;
	if (is_reversed) SHEAF_TRY(measure_empty(in, &is_empty, err));
	int rank = s->levels.rank;
	for (int d = 0; d < rank && !is_empty; d++) s->shape[is_reversed ? rank - 1 - d : d] = item->dims[d];
	sheaf_levels_of_lists(&s->levels, rank, is_reversed);
	if (rank > 0) s->levels.levels[rank - 1].is_sparse = false;
	for (int k = 0; k < rank; k++)
		if (!sheaf_mul_i64(&s->counts[k + 1], s->counts[k], sheaf_sparse_extent(s, k))) s->counts[k + 1] = 0;
	int64_t row = item->rank > 1 && item->dims[0] > 0 ? in->rows / item->dims[0] : 1, values;
	int64_t chunk_rows = item->chunks && item->rank > 0 ? item->chunks[0] : 0;
	in->step = chunk_rows > 0 && sheaf_mul_i64(&values, chunk_rows, row) && values <= MOST ? values : 1;
	return SHEAF_OK;
}

/* ---- schemas ---- */

/* Makes the schema of entries: the type of values is that of the array, or the one that netCDF's
 * attributes give its numbers. Whether entries come in order is looked up, as no attribute says it. A
 * matrix that becomes one row (`whole`) keeps its indices in memory. */
static sheaf_status make_entries(sheaf_hdf_reader *in, bool whole, sheaf_error *err)
{
	sheaf_field *value;
	const sheaf_sparse *s = &in->sparse;
	const sheaf_box_item *item = in->set.values;
	bool is_compressed = in->set.kind == HDF_COMPRESSED;
	sheaf_hdf_names names;
	sheaf_hdf_name_dimensions(in->set.kind == HDF_DENSE ? item : NULL, &names);
	SHEAF_TRY(sheaf_schema_make_entries(&in->schema, in->cx,
	                                    (sheaf_dimensions){s->levels.rank, s->shape, names.of}, &value, err));
	value->type = item ? sheaf_hdf_type_of(&in->packing) : SHEAF_F64;
	if (item && (item->what == SHEAF_BOX_BOOLS || (in->is_logical && !in->is_raw && item->type == SHEAF_U8)))
		value->meaning = SHEAF_BOOL;
	if (item && item->what == SHEAF_BOX_COMPLEX) {
		value->meaning = SHEAF_COMPLEX;
		value->nlevels = 1;
		value->levels[0] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = 2};
	}
	sheaf_tensor *t = &in->schema.tensor;
	t->dense = in->set.kind == HDF_DENSE;
	memcpy(t->order, s->levels.order, sizeof t->order);
	if (t->dense) return SHEAF_OK;
	snprintf(t->layout, sizeof t->layout, "%s", !is_compressed ? "COO" : in->set.by_columns ? "CSC" : "CSR");
	if (whole && is_compressed) { /* indices stay in memory, as one row has all of them */
		SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = in->cx};
		sheaf_stored_array *a = &in->sparse.indices[1];
		a->held_as = in->schema.fields[!in->set.by_columns].type;
		SHEAF_TRY(sheaf_stored_read(s, a, (sheaf_run){0, in->rows}, a->held_as, &b, err));
		SHEAF_TRY(sheaf_builder_finish(&b, &a->held, err));
	}
	SHEAF_TRY(sheaf_sparse_is_sorted(s, true, &t->sorted, err));
	t->unique = t->sorted;
	return SHEAF_OK;
}

/* ---- labels ---- */

/* Returns whether `count` names are the numbers from 0 on, which carry no information. Name i is bytes
 * [ends[i], ends[i + 1]). The expected number is counted up as text, in the last n bytes of `number`. */
static bool are_numbers(const uint8_t *bytes, const int64_t *ends, int64_t count)
{
	char number[24] = {[23] = '0'};
	size_t n = 1;
	for (int64_t i = 0; i < count; i++) {
		if ((size_t)(ends[i + 1] - ends[i]) != n || memcmp(bytes + ends[i], number + 24 - n, n) != 0)
			return false;
		size_t at = 24;
		while (at > 24 - n && number[at - 1] == '9') number[--at] = '0';
		if (at > 24 - n) {
			number[at - 1]++;
		} else {
			number[at - 1] = '1';
			n++;
		}
	}
	return true;
}

/* Puts the names of rows or columns into the attribute `name` of the schema: a list of texts in JSON,
 * which has no place for bytes that are not UTF-8. Names that are the numbers of rows say nothing, and
 * are left out. */
static sheaf_status put_labels(sheaf_hdf_reader *in, const char *name, const sheaf_box_item *item,
                               sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer offsets = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = in->cx};
	char found[300];
	snprintf(found, sizeof found, "/%.200s with other bytes", item->path);
	SHEAF_TRY(sheaf_box_read_texts(in->box, (sheaf_box_run){item, 0, item->count}, &bytes, &offsets, err));
	const int64_t *ends = (const int64_t *)(const void *)offsets.data;
	if (sheaf_find_not_utf8(bytes.data, ends, item->count) < item->count)
		return sheaf_hdf_warn(in, "names not read", "names in UTF-8", found, "they are left out", err);
	if (are_numbers(bytes.data, ends, item->count)) return SHEAF_OK;
	sheaf_builder_byte(&b, '[');
	for (int64_t i = 0; i < item->count; i++) {
		if (i) sheaf_builder_byte(&b, ',');
		sheaf_json_string(&b, (const char *)bytes.data + ends[i], (size_t)(ends[i + 1] - ends[i]));
	}
	sheaf_builder_append(&b, "]", 2);
	SHEAF_TRY(sheaf_builder_status(&b, err));
	return sheaf_schema_put_attribute(&in->schema, in->cx, name, (const char *)b.data, "label", err);
}

/* Names beside the matrix, of its rows (0) or columns (1). AnnData's frames have others, too, which are found
 * by their attribute "_index". */
static const struct {
	const char *maker, *path, *attribute;
	int dimension;
} labels[] = {{"AnnData", "var/gene_ids", "gene_ids", 1}, {"10x", "barcodes", "barcodes", 1},
              {"10x", "features/name", "gene_names", 0},  {"10x", "features/id", "gene_ids", 0},
              {"10x", "gene_names", "gene_names", 0},     {"10x", "genes", "gene_ids", 0}};

/* Adds names if the item has as many texts as the dimension has positions; anything else is no such list. */
static sheaf_status add_label(sheaf_hdf_reader *in, const char *attribute, const sheaf_box_item *item,
                              int dimension, sheaf_error *err)
{
	bool fits = item && !item->is_group && !item->refused && item->what == SHEAF_BOX_TEXTS &&
	            item->rank == 1 && item->count == in->sparse.shape[dimension];
	return fits ? put_labels(in, attribute, item, err) : SHEAF_OK;
}

/* Adds the names of rows and columns to the schema: of AnnData's X and its layers, which share them, and
 * of a matrix of 10x's. Datasets of other programs have none. */
static sheaf_status add_labels(sheaf_hdf_reader *in, sheaf_error *err)
{
	static const char *const frames[] = {"obs", "var"}, *const names[] = {"obs_names", "var_names"};
	bool is_anndata;
	const char *at = in->set.at->path, *maker = in->set.maker ? in->set.maker : "";
	SHEAF_TRY(sheaf_hdf_is_anndata(in->box, &is_anndata, err));
	if (is_anndata && in->sparse.levels.rank == 2 && (strcmp(at, "X") == 0 || strncmp(at, "layers/", 7) == 0))
		maker = in->set.maker = "AnnData";
	else if (strcmp(maker, "10x") != 0)
		return SHEAF_OK;
	for (int d = 0; d < 2 && is_anndata; d++) { /* the index of a data frame is the array that it names */
		SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer name = {0};
		char path[4096];
		bool has;
		if (!sheaf_box_find(in->box, frames[d])) continue;
		SHEAF_TRY(sheaf_box_has_text(in->box, frames[d], "_index", &has, err));
		if (has) SHEAF_TRY(sheaf_box_text(in->box, frames[d], "_index", &name, err));
		snprintf(path, sizeof path, "%s/%.*s", frames[d],
		         has ? (int)(name.size < 4000 ? name.size : 4000) : 6,
		         has ? (const char *)name.data : "_index");
		SHEAF_TRY(add_label(in, names[d], sheaf_box_find(in->box, path), d, err));
	}
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		if (strcmp(maker, labels[i].maker) != 0) continue;
		const sheaf_box_item *item = sheaf_hdf_item(in->box, is_anndata ? "" : at, labels[i].path);
		SHEAF_TRY(add_label(in, labels[i].attribute, item, labels[i].dimension, err));
	}
	return SHEAF_OK;
}

/* ---- opening ---- */

/* Opens a file: chooses the dataset, measures it, and makes its schema. Matrices and arrays become
 * entries, or one row if the caller takes only whole ones; texts and compounds become tables. */
sheaf_status sheaf_hdf_open(void *reader, const sheaf_values *values, const sheaf_opening *how,
                            sheaf_error *err)
{
	sheaf_hdf_reader *in = (sheaf_hdf_reader *)reader;
	in->file = sheaf_source_name(in->source);
	in->schema = (sheaf_schema){.cx = in->cx};
	SHEAF_TRY(sheaf_box_open_known(in->source, in->cx, &in->box, err));
	SHEAF_TRY(sheaf_hdf_choose(in->box, in->file, how->member, in->cx, &in->set, err));
	snprintf(in->where, sizeof in->where, "%.300s: /%.250s", in->file, in->set.at->path);
	in->sparse = (sheaf_sparse){
		.cx = in->cx, .where = in->where, .counts = {1}, .read = sheaf_box_read_stored, .from = in->box};
	bool whole = how->rows == SHEAF_TAKES_WHOLE, is_table;
	in->step = 1;
	in->is_raw = sheaf_values_flag(values, "raw");
	in->packing.item = in->set.values;
	if (in->set.values) SHEAF_TRY(find_class(in, err));
	SHEAF_TRY(sheaf_hdf_is_table(in, &is_table, err));
	switch (is_table ? HDF_TABLE : in->set.kind) {
	case HDF_TABLE: SHEAF_TRY(sheaf_hdf_make_table(in, err)); break;
	case HDF_COMPRESSED: SHEAF_TRY(measure_compressed(in, err)); break;
	case HDF_COORDINATES: SHEAF_TRY(measure_coordinates(in, err)); break;
	default: SHEAF_TRY(measure_dense(in, err)); break;
	}
	if (!is_table) {
		SHEAF_TRY(make_entries(in, whole, err));
		if (whole) SHEAF_TRY(sheaf_sparse_make_whole(&in->sparse, &in->schema, err));
		in->is_whole = whole;
		SHEAF_TRY(add_labels(in, err));
	}
	in->facts.rows = in->is_whole ? 1 : in->rows;
	return SHEAF_OK;
}

void sheaf_hdf_close(void *reader)
{
	sheaf_hdf_reader *in = (sheaf_hdf_reader *)reader;
	sheaf_sparse_close(&in->sparse);
	sheaf_hdf_close_frame(in);
	sheaf_builder_drop(&in->sources);
	sheaf_box_leave(in->box);
}
