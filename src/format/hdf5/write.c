/* SPDX-License-Identifier: MIT */
/* A matrix in AnnData's layout (version 0.1.0 of its file format):
 *
 *   X            a group of data, indices and indptr, with its shape as an attribute; or an array
 *   obs, var     data frames of rows and columns: their names in _index, and other columns
 *
 * X is by rows, or by columns if the input is, or an array if it is dense. The names of rows and columns come
 * from the dataset, else they are numbers. 10x's genes by cells are transposed, as AnnData's rows are cells.
 * Values and indices are written to the file as they come; where rows, or columns, begin is known at the end.
 */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/third/json.h"
#include "format/hdf5/hdf5.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BARCODES "barcodes"
#define IDS "gene_ids"

/* Where the names of rows and columns come from: the first attribute that there is. */
static const char *const names_of_rows[] = {"obs_names", BARCODES, NULL}, *const names_of_columns[] = {
																			  "var_names", "gene_names",
																			  NULL};

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_box *box;
	sheaf_box_array *values, *indices;
	sheaf_box_storing storing;
	sheaf_stored_levels levels; /* of the matrix, whose dimensions X may have the other way round */
	sheaf_sparse_writer entries;
	sheaf_builder pointers;
	int64_t shape[2]; /* of X */
	bool is_dense;
	bool is_turned; /* the matrix has a column for each row of X */
	bool by_columns;
} writer;

static const char *text_of(const sheaf_schema *schema, const char *attribute)
{
	for (int i = 0; i < schema->nattributes; i++)
		if (strcmp(schema->attributes[i].name, attribute) == 0) return schema->attributes[i].text;
	return NULL;
}

/* Names of cells that are not those of rows are 10x's. */
static bool is_turned(const sheaf_schema *schema)
{
	return text_of(schema, BARCODES) && !text_of(schema, names_of_rows[0]);
}

/* A sparse X stays by columns, or by rows; of a matrix that is transposed, these are exchanged. */
static bool is_by_columns(const sheaf_schema *schema)
{
	const char *layout = schema->tensor.dense ? "" : schema->tensor.layout;
	return strcmp(layout, is_turned(schema) ? "CSR" : "CSC") == 0;
}

/* ---- accept ---- */

/* Asks for entries in the order of X, sorted and each once. It refuses a matrix of values that may be
 * missing, or that are no numbers, and a tensor of other than two dimensions, as they have no place in
 * AnnData. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_tensor *t = &schema->tensor;
	int value = sheaf_schema_value(schema);
	const sheaf_field *field = value < 0 ? NULL : &schema->fields[value];
	if (t->rank != 2)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected a matrix of two dimensions, found %d",
		                  t->rank);
	if (!field || field->nlevels || field->meaning != SHEAF_NUMBER)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "\"%s\": expected numbers, none of which may be missing, found %s",
		                  field ? field->name : "value", field ? sheaf_field_storage(field) : "no values");
	(void)values;
	t->structure = SHEAF_GENERAL;
	t->sorted = t->unique = true;
	t->has_fill = false;
	t->order[0] = is_turned(schema) != is_by_columns(schema);
	t->order[1] = !t->order[0];
	return SHEAF_OK;
}

/* ---- create ---- */

sheaf_status sheaf_hdf_lose(sheaf_context *cx, const sheaf_sink *sink, const char *rule, const char *expected,
                            const char *found, sheaf_error *err)
{
	sheaf_problem problem =
		sheaf_problem_in(sheaf_sink_name(sink),
	                     &SHEAF_FINDING(SHEAF_ERROR, rule, expected, found, "it is left out", SHEAF_LOSS));
	return sheaf_report(cx, &problem, err);
}

/* Reports each attribute whose loss counts: attributes other than names of rows and columns have no place
 * in the file. */
static sheaf_status report_losses(const writer *out, sheaf_error *err)
{
	for (int i = 0; i < out->schema.nattributes; i++) {
		const sheaf_attribute *a = &out->schema.attributes[i];
		bool is_known = strcmp(a->name, IDS) == 0;
		for (int k = 0; k < 2 && !is_known; k++)
			is_known = strcmp(a->name, names_of_rows[k]) == 0 || strcmp(a->name, names_of_columns[k]) == 0;
		if (a->loss && !is_known)
			SHEAF_TRY(sheaf_hdf_lose(out->cx, out->sink, a->loss,
			                         "names of cells and genes, which are all that is written", a->name,
			                         err));
	}
	return SHEAF_OK;
}

/* Sparse matrices and the whole are of version 0.1.0, everything else of 0.2.0. */
sheaf_status sheaf_hdf_set_encoding(sheaf_box *box, const char *path, const char *type, sheaf_error *err)
{
	bool is_old =
		strcmp(type, "anndata") == 0 || strcmp(type, "csr_matrix") == 0 || strcmp(type, "csc_matrix") == 0;
	SHEAF_TRY(sheaf_box_set_text(box, path, "encoding-type", type, strlen(type), err));
	return sheaf_box_set_text(box, path, "encoding-version", is_old ? "0.1.0" : "0.2.0", 5, err);
}

/* The first attribute of a list that there is, or NULL. */
static const char *source_of(const writer *out, const char *const *attributes)
{
	while (*attributes && !text_of(&out->schema, *attributes)) attributes++;
	return *attributes;
}

/* Numbers are names where there are no others, and each takes as many bytes as the last. */
static int64_t least_size_of_names(const writer *out, const char *const *attributes, int64_t count)
{
	int64_t size = 0, digits = 1;
	for (int64_t last = count - 1; last > 9; last /= 10) digits++;
	if (source_of(out, attributes)) return 0;
	return sheaf_mul_i64(&size, digits, count) ? size : INT64_MAX;
}

/* Checks that the output can hold what a shape alone asks for: a pointer for each list, and a name for
 * each row and column. */
static sheaf_status check_size(const writer *out, sheaf_error *err)
{
	int64_t size, rows = least_size_of_names(out, names_of_rows, out->shape[0]);
	int64_t columns = least_size_of_names(out, names_of_columns, out->shape[1]);
	bool fits = sheaf_mul_i64(&size, out->shape[out->by_columns], (int64_t)sizeof(int32_t)) &&
	            sheaf_add_i64(&size, size, rows) && sheaf_add_i64(&size, size, columns);
	return sheaf_sink_check_size(out->sink, fits ? size : INT64_MAX, err);
}

/* Takes numbers of the lists: indices go to their array, and pointers stay until their width is known. */
static sheaf_status take(void *opened, sheaf_level_part part, int k, const void *numbers, int64_t n,
                         sheaf_error *err)
{
	writer *out = (writer *)opened;
	(void)k;
	if (part == SHEAF_INDICES) return sheaf_box_append(out->indices, numbers, n, err);
	sheaf_builder_append(&out->pointers, numbers, (size_t)n * sizeof(int64_t));
	return sheaf_builder_status(&out->pointers, err);
}

/* Creates the box and in it the group X with its attributes; arrays follow with the first entries. The
 * kind of box follows from the settings and the file's name: HDF5, or Zarr in one of its versions. A
 * matrix that is turned has its dimensions exchanged in the file. Indices take 64 bits if an extent needs
 * them. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	(void)totals;
	sheaf_box_kind kind;
	SHEAF_TRY(sheaf_box_settings(sheaf_sink_name(out->sink), values, &kind, &out->storing, err));
	if (kind != SHEAF_BOX_ZARR && kind != SHEAF_BOX_ZARR_2) kind = SHEAF_BOX_HDF5;
	out->is_turned = is_turned(&out->schema);
	out->is_dense = out->schema.tensor.dense;
	for (int d = 0; d < 2; d++) out->shape[d] = out->schema.tensor.shape[d != out->is_turned];
	out->by_columns = is_by_columns(&out->schema);
	sheaf_builder_begin(&out->pointers, out->cx, NULL);
	sheaf_levels_of_lists(&out->levels, 2, out->schema.tensor.order[0]);
	out->entries = (sheaf_sparse_writer){
		.cx = out->cx, .levels = &out->levels, .shape = out->schema.tensor.shape, .take = take, .to = out};
	out->entries.types[1] = out->shape[!out->by_columns] > INT32_MAX ? SHEAF_I64 : SHEAF_I32;
	(void)sheaf_sparse_plan(&out->entries); /* nothing dense is counted */
	SHEAF_TRY(check_size(out, err));
	SHEAF_TRY(report_losses(out, err));
	SHEAF_TRY(sheaf_box_create(out->sink, kind, false, out->cx, &out->box, err));
	SHEAF_TRY(sheaf_hdf_set_encoding(out->box, "", "anndata", err));
	if (out->is_dense) return SHEAF_OK;
	SHEAF_TRY(sheaf_box_make_group(out->box, "X", err));
	SHEAF_TRY(sheaf_hdf_set_encoding(out->box, "X", out->by_columns ? "csc_matrix" : "csr_matrix", err));
	return sheaf_box_set_numbers(out->box, "X", "shape", (sheaf_box_values){SHEAF_I64, out->shape, 2}, err);
}

/* Makes the arrays of values and indices; their length is open (-1), or the number of rows that was
 * announced. */
static sheaf_status begin_arrays(writer *out, sheaf_error *err)
{
	int64_t rows = out->expected_rows;
	sheaf_type type = out->schema.fields[sheaf_schema_value(&out->schema)].type;
	if (out->is_dense) {
		sheaf_box_values x = {type, NULL, out->shape[0] * out->shape[1], out->shape, 2, SHEAF_BOX_NUMBERS};
		return sheaf_box_new_array(out->box, "X", x, &out->storing, &out->values, err);
	}
	SHEAF_TRY(sheaf_box_new_array(out->box, "X/data", (sheaf_box_values){type, NULL, rows}, &out->storing,
	                              &out->values, err));
	return sheaf_box_new_array(out->box, "X/indices", (sheaf_box_values){out->entries.types[1], NULL, rows},
	                           &out->storing, &out->indices, err);
}

/* ---- entries ---- */

/* Encodes entries on a worker's thread: where they are in X, and their values; of a dense matrix only
 * values. */
static sheaf_status encode(const void *opened, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)opened;
	const sheaf_column *values = &frame->columns[sheaf_schema_value(&out->schema)];
	(void)row, (void)samples;
	if (!out->is_dense) sheaf_sparse_encode(&out->entries, frame, b);
	sheaf_builder_append(b, values->values.data, (size_t)frame->nrows * sheaf_type_size(values->type));
	return sheaf_builder_status(b, err);
}

/* Appends a blob of entries. The arrays are begun with the first entries, as their number may be known by
 * then. */
static sheaf_status append(void *opened, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)opened;
	const uint8_t *at = blob->bytes.data;
	if (!out->values) SHEAF_TRY(begin_arrays(out, err));
	if (!out->is_dense) SHEAF_TRY(sheaf_sparse_append(&out->entries, &at, err));
	return sheaf_box_append(out->values, at, blob->rows, err);
}

/* ---- names ---- */

/* Parses the attribute `name` (NULL: none) as a list of `count` texts, which the caller frees; *list is
 * NULL if there is no such attribute, or if it is none, which is reported as a loss. */
static sheaf_status find_names(const writer *out, const char *name, int64_t count, sheaf_json **list,
                               sheaf_error *err)
{
	*list = NULL;
	const char *text = name ? text_of(&out->schema, name) : NULL;
	if (!text) return SHEAF_OK;
	sheaf_status status = sheaf_json_parse(text, strlen(text), name, list, NULL);
	bool fits = !status && (int64_t)sheaf_json_size(*list) == count;
	for (int64_t i = 0; fits && i < count; i++) fits = sheaf_json_text(sheaf_json_at(*list, (size_t)i), NULL);
	if (fits) return SHEAF_OK;
	sheaf_json_free(*list);
	*list = NULL;
	return sheaf_hdf_lose(out->cx, out->sink, "label",
	                      "a list in JSON of as many names as there are rows or columns", name, err);
}

/* Writes an array of `count` texts, as AnnData has names, at a path: those of a JSON list, or where there
 * is no list (NULL) or no such element the numbers from 0 on. */
static sheaf_status write_texts(const writer *out, const char *path, const sheaf_json *list, int64_t count,
                                sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = out->cx};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder offsets = {.cx = out->cx};
	sheaf_builder_i64(&offsets, 0);
	for (int64_t i = 0; i < count && !offsets.failed && !bytes.failed; i++) {
		size_t size;
		const char *text = list ? sheaf_json_text(sheaf_json_at(list, (size_t)i), &size) : NULL;
		if (text)
			sheaf_builder_append(&bytes, text, size);
		else
			sheaf_builder_printf(&bytes, "%" PRId64, i);
		sheaf_builder_i64(&offsets, (int64_t)bytes.size);
	}
	SHEAF_TRY(sheaf_builder_status(&offsets, err));
	SHEAF_TRY(sheaf_builder_status(&bytes, err));
	SHEAF_TRY(sheaf_box_put_texts(out->box, path, (sheaf_box_values){.values = bytes.data, .count = count},
	                              (const int64_t *)(const void *)offsets.data, err));
	return sheaf_hdf_set_encoding(out->box, path, "string-array", err);
}

/* Writes a data frame, as AnnData has them for rows and columns: an index with the names from attribute
 * `name`, and, if there is an attribute `column`, a column of that name. Names that are missing are
 * numbers. */
static sheaf_status write_frame(const writer *out, const char *frame, const char *name, const char *column,
                                int64_t count, sheaf_error *err)
{
	char path[40];
	sheaf_json *index, *column_texts;
	SHEAF_TRY(sheaf_box_make_group(out->box, frame, err));
	SHEAF_TRY(sheaf_hdf_set_encoding(out->box, frame, "dataframe", err));
	SHEAF_TRY(sheaf_box_set_text(out->box, frame, "_index", "_index", 6, err));
	SHEAF_TRY(find_names(out, name, count, &index, err));
	snprintf(path, sizeof path, "%s/_index", frame);
	sheaf_status status = write_texts(out, path, index, count, err);
	sheaf_json_free(index);
	SHEAF_TRY(status);
	SHEAF_TRY(find_names(out, column, count, &column_texts, err));
	if (!column_texts) /* as AnnData writes an empty list */
		return sheaf_box_set_numbers(out->box, frame, "column-order", (sheaf_box_values){SHEAF_F64, NULL, 0},
		                             err);
	snprintf(path, sizeof path, "%s/%s", frame, column);
	status = write_texts(out, path, column_texts, count, err);
	sheaf_json_free(column_texts);
	return status ? status : sheaf_box_set_texts(out->box, frame, "column-order", &column, 1, err);
}

/* ---- finish ---- */

static sheaf_status end_array(sheaf_box_array **array, sheaf_error *err)
{
	sheaf_box_array *a = *array;
	*array = NULL;
	return sheaf_box_end_array(a, err);
}

/* Completes the file after the last entry: ends the arrays, creating them first if no entry came; adds
 * the pointers of a sparse matrix; and writes the names of rows and columns, which AnnData needs.
 * sheaf_box_finish takes the box, whatever its status; after an earlier failure close_output abandons it. */
static sheaf_status finish(void *opened, sheaf_error *err)
{
	writer *out = (writer *)opened;
	SHEAF_TRY(sheaf_check_positions(&out->schema.tensor, out->written, sheaf_sink_name(out->sink), err));
	if (!out->values) {
		out->expected_rows = 0;
		SHEAF_TRY(begin_arrays(out, err));
	}
	SHEAF_TRY(end_array(&out->values, err));
	if (out->is_dense) {
		SHEAF_TRY(sheaf_hdf_set_encoding(out->box, "X", "array", err));
	} else {
		SHEAF_TRY(end_array(&out->indices, err));
		SHEAF_TRY(sheaf_sparse_finish(&out->entries, err));
		sheaf_box_values pointers = {.type = sheaf_narrow_pointers(&out->pointers, out->entries.counts[2]),
		                             .values = out->pointers.data,
		                             .count = out->shape[out->by_columns] + 1};
		SHEAF_TRY(sheaf_box_put(out->box, "X/indptr", pointers, &out->storing, err));
	}
	SHEAF_TRY(write_frame(out, "obs", source_of(out, names_of_rows), NULL, out->shape[0], err));
	SHEAF_TRY(write_frame(out, "var", source_of(out, names_of_columns), IDS, out->shape[1], err));
	sheaf_box *box = out->box;
	out->box = NULL;
	return sheaf_box_finish(box, err);
}

static void close_output(void *opened)
{
	writer *out = (writer *)opened;
	sheaf_box_abandon(out->box);
	sheaf_builder_drop(&out->pointers);
}

const sheaf_writing sheaf_hdf_writing = {
	.takes = SHEAF_TAKES_ENTRIES,
	.columns = SHEAF_NO_COLUMN,
	.accept = accept,
	.output_size = sizeof(writer),
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
