/* SPDX-License-Identifier: MIT */
/* A tensor into an archive: a sparse one as save_npz writes it, whose arrays go into their places as soon as
 * the number of entries is known; a dense one as an array that is written as it comes, followed by its
 * checksum and sizes. Arrays to be compressed stay in memory until the end. */
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "format/numpy/npz/writer.h"
#include "io/filters/filter.h"
#include "io/sink.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

typedef sheaf_npz_tensor_writer writer;

/* ---- accept ---- */

static bool is_compressed(sheaf_npz_layout layout) { return layout == NPZ_CSR || layout == NPZ_CSC; }

/* Returns the layout that is requested, else that of the input, else one that fits. NPZ_LAYOUTS: no
 * layout has the requested name, or it is not written. */
static sheaf_npz_layout layout_of(const sheaf_tensor *t, bool dense, const sheaf_values *values)
{
	static const sheaf_npz_layout written[] = {NPZ_CSR, NPZ_CSC, NPZ_COO, NPZ_DENSE};
	const char *name = sheaf_values_text(values, "layout");
	if (!name && dense) return NPZ_DENSE;
	if (!name && (t->rank != 2 || strncmp(t->layout, "COO", 3) == 0)) return NPZ_COO;
	if (!name) return strstr(t->layout, "CSC") ? NPZ_CSC : NPZ_CSR;
	for (size_t i = 0; i < sizeof written / sizeof *written; i++)
		if (strcasecmp(name, sheaf_npz_layouts[written[i]]) == 0) return written[i];
	return NPZ_LAYOUTS;
}

/* Asks a tensor for what the layout can hold: general structure, no fill, and for all layouts but coo,
 * which keeps any order, an order that the layout has: csr by rows, csc by columns. It refuses a layout
 * of other names or ranks. The dtype is made only to see that NumPy has one for the values. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_dtype dtype;
	sheaf_tensor *t = &schema->tensor;
	sheaf_npz_layout layout = layout_of(t, t->dense || t->rank == 0, values);
	if (layout == NPZ_LAYOUTS)
		return sheaf_fail_option(err, SHEAF_USAGE, "layout",
		                         ": expected csr|csc|coo|dense for a tensor, found %.40s",
		                         sheaf_values_text(values, "layout"));
	if (is_compressed(layout) && t->rank != 2)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "layout",
		                         " %s: expected a matrix of two dimensions, found %d",
		                         sheaf_npz_layouts[layout], t->rank);
	if (layout == NPZ_COO && t->rank == 0)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "layout",
		                         " coo: expected a tensor of at least one dimension, found %d", 0);
	if (sheaf_schema_value(schema) < 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected values, found none");
	SHEAF_TRY(sheaf_array_dtype(schema, 0, schema->cx, &dtype, err));
	sheaf_dtype_free(&dtype, schema->cx);
	t->structure = SHEAF_GENERAL;
	t->has_fill = false;
	if (layout != NPZ_COO) sheaf_array_order(t);
	for (int d = 0; d < 2 && is_compressed(layout); d++) t->order[d] = layout == NPZ_CSC ? !d : d;
	t->dense = layout == NPZ_DENSE;
	return SHEAF_OK;
}

/* ---- create, encode, append ---- */

static void close_output(void *created)
{
	writer *out = (writer *)created;
	for (int d = 0; d < SHEAF_MAX_RANK; d++) sheaf_strand_drop(&out->places[d]);
	for (int w = 0; w < NPZ_WORDS; w++) sheaf_strand_drop(&out->words[w]);
	sheaf_strand_drop(&out->values);
	sheaf_builder_drop(&out->pointers);
	sheaf_npz_list_drop(&out->list);
	sheaf_dtype_free(&out->dtype, out->cx);
}

/* Checks that the pointers of csr and csc fit the output. There is one for each row, or column, even for
 * empty ones: a matrix of very few entries in very many rows becomes coo, with a warning, unless its
 * layout was requested or is that of the input. */
static sheaf_status check_pointers(writer *out, const sheaf_facts *totals, const sheaf_values *values,
                                   sheaf_error *err)
{
	const sheaf_tensor *t = &out->schema.tensor;
	int64_t slices = t->shape[out->layout == NPZ_CSC], bytes;
	if (!is_compressed(out->layout)) return SHEAF_OK;
	bool is_chosen = sheaf_values_text(values, "layout") || strncmp(t->layout, "CS", 2) == 0;
	if (!is_chosen && sheaf_is_hypersparse(slices, totals->rows)) {
		const char *usual = sheaf_npz_layouts[out->layout];
		out->layout = NPZ_COO;
		return sheaf_report_layout(out->cx, sheaf_sink_name(out->sink), slices, "coo", usual, err);
	}
	if (!sheaf_mul_i64(&bytes, slices, sizeof(int32_t))) bytes = INT64_MAX;
	return sheaf_sink_check_size(out->sink, bytes, err);
}

/* Counts the values of a dense tensor into out->count, and checks that their bytes can be written. Sparse
 * layouts count their entries as they come. */
static sheaf_status count_positions(writer *out, sheaf_error *err)
{
	int64_t bytes;
	const sheaf_tensor *t = &out->schema.tensor;
	if (out->layout != NPZ_DENSE) return SHEAF_OK;
	out->count = 1;
	bool fits = true;
	for (int d = 0; d < t->rank; d++) fits = fits && sheaf_mul_i64(&out->count, out->count, t->shape[d]);
	if (!fits || !sheaf_mul_i64(&bytes, out->count, out->dtype.size) || bytes > INT64_MAX / 2)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "tensor: expected less than 2^62 bytes of values, found more");
	return sheaf_sink_check_size(out->sink, bytes, err);
}

static sheaf_status add_numbers(const writer *out, sheaf_strand *strand, const void *numbers, size_t count,
                                size_t size, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder room = {.cx = out->cx};
	numbers = sheaf_numbers_of_files(&room, numbers, count, size);
	SHEAF_TRY(sheaf_builder_status(&room, err));
	return sheaf_strand_add(strand, numbers, count * size, err);
}

/* Takes numbers of a level from src/sparse. Pointers stay in memory, as their width is known last. */
static sheaf_status take(void *opened, sheaf_level_part part, int k, const void *numbers, int64_t n,
                         sheaf_error *err)
{
	writer *out = (writer *)opened;
	if (part != SHEAF_POINTERS)
		return add_numbers(out, &out->places[k], numbers, (size_t)n, sheaf_type_size(out->place), err);
	sheaf_builder_append(&out->pointers, numbers, (size_t)n * sizeof(int64_t));
	return sheaf_builder_status(&out->pointers, err);
}

/* Prepares the writer of a tensor: the strands, which stay in memory if members are to be compressed; the
 * type of coordinates, 64 bits if an extent needs them; the dtype; and for sparse layouts the writer of
 * entries. For csr and csc, level 0 is the rows (columns) and its coordinates become pointers. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	const sheaf_tensor *t = &out->schema.tensor;
	int level;
	SHEAF_TRY(sheaf_compression_of(values, &level, NULL, err));
	out->place = SHEAF_I32;
	out->layout = layout_of(t, t->dense, values);
	sheaf_npz_list_begin(&out->list, out->sink, level, out->cx);
	for (int d = 0; d < t->rank; d++) {
		sheaf_strand_begin(&out->places[d], level > 0, out->cx);
		if (t->shape[d] > INT32_MAX) out->place = SHEAF_I64;
	}
	for (int w = 0; w < NPZ_WORDS; w++) sheaf_strand_begin(&out->words[w], level > 0, out->cx);
	sheaf_strand_begin(&out->values, level > 0, out->cx);
	sheaf_builder_begin(&out->pointers, out->cx, NULL);
	SHEAF_TRY(sheaf_array_dtype(&out->schema, 0, out->cx, &out->dtype, err));
	SHEAF_TRY(count_positions(out, err));
	SHEAF_TRY(check_pointers(out, totals, values, err));
	if (out->layout == NPZ_DENSE) return SHEAF_OK;
	if (is_compressed(out->layout))
		sheaf_levels_of_lists(&out->levels, 2, out->layout == NPZ_CSC);
	else
		sheaf_levels_of_coordinates(&out->levels, t->rank);
	out->entries = (sheaf_sparse_writer){
		.cx = out->cx, .levels = &out->levels, .shape = t->shape, .take = take, .to = out};
	for (int d = 0; d < t->rank; d++) out->entries.types[d] = out->place;
	(void)sheaf_sparse_plan(&out->entries); /* nothing dense is counted */
	return SHEAF_OK;
}

/* Encodes entries on a worker's thread: where they are, unless the tensor is dense, then their values. */
static sheaf_status encode(const void *opened, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)opened;
	(void)samples;
	if (out->layout != NPZ_DENSE) sheaf_sparse_encode(&out->entries, frame, b);
	sheaf_items_written rows = {&out->schema, frame, row, sheaf_sink_name(out->sink)};
	return sheaf_array_put_items(&out->dtype, &rows, b, b->cx, err);
}

/* The only array of a dense tensor. */
static sheaf_npz_content whole_array(writer *out)
{
	sheaf_array_head array = sheaf_array_head_of(&out->schema.tensor, &out->dtype);
	return (sheaf_npz_content){"arr_0.npy", array, &out->values, 1};
}

/* ---- members of sparse tensors ---- */

/* An action for each of them. */
typedef sheaf_status (*visit)(sheaf_npz_list *list, const sheaf_npz_content *content, sheaf_error *err);

typedef struct visiting {
	writer *out;
	int64_t count; /* of entries */
	visit visit;
	sheaf_error *err;
} visiting;

/* Visits a member of n integers in each of its strands: an array of one dimension, or for the coordinates
 * of all dimensions a matrix. */
static sheaf_status visit_integers(const visiting *v, const char *name, sheaf_strand *parts, int nparts,
                                   int64_t n, int64_t size)
{
	sheaf_part part = {.kind = 'i', .size = size, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = size};
	int64_t shape[2] = {nparts, n};
	bool matrix = parts == v->out->places && nparts == v->out->schema.tensor.rank && nparts != 2;
	sheaf_array_head array = {&dtype, matrix ? 2 : 1, matrix ? shape : shape + 1, false};
	sheaf_npz_content c = {name, array, parts, nparts};
	return v->visit(&v->out->list, &c, v->err);
}

/* A single item of `size` bytes. */
static sheaf_status visit_word(const visiting *v, const char *name, char kind, int64_t size, int word)
{
	sheaf_part part = {.kind = kind, .size = size, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = size};
	sheaf_npz_content c = {name, {.dtype = &dtype}, &v->out->words[word], 1};
	return v->visit(&v->out->list, &c, v->err);
}

/* Calls v->visit, which plans or writes a member, for each member of a sparse tensor, in the order in
 * which they are in the archive. SciPy's matrices have two dimensions and an array of coordinates for
 * each; its sparse arrays of other ranks have all coordinates in one array, and a member _is_array.
 * Pointers take four bytes if all of them fit, which SciPy prefers. */
static sheaf_status visit_members(const visiting *v)
{
	writer *out = v->out;
	const sheaf_tensor *t = &out->schema.tensor;
	const char *layout = sheaf_npz_layouts[out->layout];
	int64_t size = (int64_t)sheaf_type_size(out->place);
	if (is_compressed(out->layout)) {
		int64_t width = v->count > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t),
				lists = t->shape[out->layout == NPZ_CSC];
		SHEAF_TRY(visit_integers(v, "indices.npy", &out->places[1], 1, v->count, size));
		SHEAF_TRY(visit_integers(v, "indptr.npy", &out->places[0], 1, lists + 1, width));
	} else if (t->rank != 2) {
		SHEAF_TRY(visit_integers(v, "coords.npy", out->places, t->rank, v->count, size));
	} else {
		SHEAF_TRY(visit_integers(v, "row.npy", &out->places[0], 1, v->count, size));
		SHEAF_TRY(visit_integers(v, "col.npy", &out->places[1], 1, v->count, size));
	}
	SHEAF_TRY(visit_word(v, "format.npy", 'S', (int64_t)strlen(layout), NPZ_FORMAT));
	SHEAF_TRY(visit_integers(v, "shape.npy", &out->words[NPZ_SHAPE], 1, t->rank, sizeof(int64_t)));
	if (t->rank != 2) SHEAF_TRY(visit_word(v, "_is_array.npy", 'b', 1, NPZ_IS_ARRAY));
	sheaf_npz_content values = {"data.npy", {&out->dtype, 1, &v->count, false}, &out->values, 1};
	return v->visit(&out->list, &values, v->err);
}

/* Plans the members for `count` entries: from here on, the places of all members are fixed, and what
 * comes goes straight to them. */
static sheaf_status plan(writer *out, int64_t count, sheaf_error *err)
{
	visiting v = {out, count, sheaf_npz_plan_member, err};
	out->planned = true;
	SHEAF_TRY(sheaf_sink_make_random(out->sink, err));
	return visit_members(&v);
}

/* Appends a blob of encoded entries: values of a dense tensor go straight into the only member, unless it
 * is to be compressed. The first entries of a sparse tensor fix the places of all members if their number
 * was announced (expected_rows is not -1). */
static sheaf_status append(void *opened, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)opened;
	const uint8_t *at = blob->bytes.data;
	size_t size = (size_t)blob->rows * (size_t)out->dtype.size;
	if (out->layout == NPZ_DENSE && out->list.level == 0) {
		sheaf_npz_content array = whole_array(out);
		return sheaf_npz_write_array(&out->list, &array, at, size, err);
	}
	if (out->layout != NPZ_DENSE) {
		if (!out->planned && out->expected_rows >= 0 && out->list.level == 0)
			SHEAF_TRY(plan(out, out->expected_rows, err));
		SHEAF_TRY(sheaf_sparse_append(&out->entries, &at, err));
		out->count += blob->rows;
	}
	return sheaf_strand_add(&out->values, at, size, err);
}

/* ---- finish ---- */

/* Completes all members of a sparse tensor after its last entry: the name of the layout, the shape, and
 * for csr and csc the pointers. An uncompressed archive has planned its members when the number of
 * entries was announced, so that as many must have come, or plans them now; a compressed one writes them
 * from memory. */
static sheaf_status put_sparse(writer *out, sheaf_error *err)
{
	const sheaf_tensor *t = &out->schema.tensor;
	const char *layout = sheaf_npz_layouts[out->layout];
	visiting deflating = {out, out->count, sheaf_npz_put_member, err};
	if (out->planned && out->expected_rows != out->count)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected %" PRId64 " entries, as announced before, found %" PRId64,
		                  sheaf_sink_name(out->sink), out->expected_rows, out->count);
	SHEAF_TRY(sheaf_strand_add(&out->words[NPZ_FORMAT], layout, strlen(layout), err));
	SHEAF_TRY(add_numbers(out, &out->words[NPZ_SHAPE], t->shape, (size_t)t->rank, sizeof *t->shape, err));
	if (t->rank != 2) SHEAF_TRY(sheaf_strand_add(&out->words[NPZ_IS_ARRAY], "\1", 1, err));
	SHEAF_TRY(sheaf_sparse_finish(&out->entries, err));
	size_t width = sheaf_type_size(sheaf_narrow_pointers(&out->pointers, out->count));
	if (is_compressed(out->layout))
		SHEAF_TRY(
			add_numbers(out, &out->places[0], out->pointers.data, out->pointers.size / width, width, err));
	if (out->list.level > 0) return visit_members(&deflating);
	if (!out->planned) SHEAF_TRY(plan(out, out->count, err));
	return sheaf_npz_end_planned(&out->list, err);
}

/* Completes the archive after the last value: the members of a sparse tensor, or the only one of a dense
 * tensor, and the list. */
static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	if (out->layout != NPZ_DENSE) {
		SHEAF_TRY(put_sparse(out, err));
		return sheaf_npz_put_list(&out->list, err);
	}
	sheaf_npz_content array = whole_array(out);
	SHEAF_TRY(sheaf_check_positions(&out->schema.tensor, out->written, sheaf_sink_name(out->sink), err));
	if (out->list.level > 0) {
		SHEAF_TRY(sheaf_npz_put_member(&out->list, &array, err));
	} else {
		SHEAF_TRY(sheaf_npz_write_array(&out->list, &array, "", 0, err)); /* if there is no value */
		SHEAF_TRY(sheaf_npz_end_array(&out->list, err));
	}
	return sheaf_npz_put_list(&out->list, err);
}

const sheaf_writing sheaf_npz_tensor_writing = {
	.accept = accept,
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
