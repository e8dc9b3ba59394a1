/* SPDX-License-Identifier: MIT */
/* Counting what frames hold. */
#include "report/summary.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include "data/value.h"
#include <math.h>

/* ---- beginning and ending ---- */

static sheaf_status begin_bins(sheaf_value_counts *v, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(cx, SHEAF_VALUE_BINS, sizeof *v->bins, &memory, err));
	v->bins = (int64_t *)memory;
	return SHEAF_OK;
}

/* Items that are worth naming one by one: cells, and samples of one value. */
static bool has_items(const sheaf_schema *schema, const sheaf_field *field)
{
	if (schema->rows == SHEAF_CELLS) return field->meaning != SHEAF_COMPLEX;
	return sheaf_field_is_dense(field) && sheaf_field_dim(field) == 1;
}

static sheaf_status begin_pictures(sheaf_summary *s, int f, sheaf_error *err)
{
	void *memory;
	const sheaf_field *field = &s->schema.fields[f];
	sheaf_field_summary *to = &s->fields[f];
	SHEAF_TRY(begin_bins(&to->values, s->cx, err));
	bool matrix = s->schema.rows == SHEAF_ENTRIES && s->schema.tensor.rank == 2;
	if (has_items(&s->schema, field)) SHEAF_TRY(sheaf_frequent_begin(&to->frequent, s->cx, err));
	if (matrix && f == sheaf_schema_value(&s->schema)) {
		SHEAF_TRY(sheaf_raster_begin(&to->raster, s->schema.tensor.shape[1], s->cx, err));
		sheaf_raster_reach(&to->raster, s->schema.tensor.shape[0]);
	}
	if (field->meaning == SHEAF_COORDINATE) to->dim = s->schema.tensor.shape[f];
	if (sheaf_field_is_sparse(field)) {
		to->dim = sheaf_field_dim(field);
		SHEAF_TRY(sheaf_raster_begin(&to->raster, to->dim, s->cx, err));
	}
	if (to->dim == 0 || to->dim > SHEAF_MOST_USES) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (size_t)to->dim, sizeof *to->uses, &memory, err));
	to->uses = (int64_t *)memory;
	return SHEAF_OK;
}

static sheaf_status begin_fields(sheaf_summary *s, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (size_t)s->schema.nfields, sizeof *s->fields, &memory, err));
	s->fields = (sheaf_field_summary *)memory;
	for (int f = 0; f < s->schema.nfields; f++) {
		s->fields[f].values.least = INFINITY;
		s->fields[f].values.most = -INFINITY;
		if (f < SHEAF_PICTURED_FIELDS) SHEAF_TRY(begin_pictures(s, f, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_summary_new(const sheaf_schema *schema, sheaf_context *cx, sheaf_summary **out,
                               sheaf_error *err)
{
	void *memory;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	if (schema->rows == SHEAF_WHOLE)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "summary: expected rows, found a tensor that is one row; read it as entries");
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_summary), &memory, err));
	sheaf_summary *s = (sheaf_summary *)memory;
	s->cx = cx;
	sheaf_status status = sheaf_schema_copy(schema, cx, &s->schema, err);
	if (status == SHEAF_OK) status = begin_fields(s, err);
	if (status) {
		sheaf_summary_free(s);
		return status;
	}
	*out = s;
	return SHEAF_OK;
}

void sheaf_summary_free(sheaf_summary *s)
{
	if (!s) return;
	for (int f = 0; s->fields && f < s->schema.nfields; f++) {
		sheaf_field_summary *field = &s->fields[f];
		sheaf_length_counts_free(&field->lengths, s->cx);
		sheaf_length_counts_free(&field->entries, s->cx);
		sheaf_release(s->cx, field->values.bins, SHEAF_VALUE_BINS * sizeof *field->values.bins);
		sheaf_release(s->cx, field->uses, (size_t)field->dim * sizeof *field->uses);
		sheaf_raster_free(&field->raster, s->cx);
		sheaf_frequent_free(&field->frequent, s->cx);
	}
	sheaf_release(s->cx, s->fields, (size_t)s->schema.nfields * sizeof *s->fields);
	sheaf_schema_free(&s->schema);
	sheaf_release(s->cx, s, sizeof *s);
}

/* ---- values ---- */

static void add_value(sheaf_value_counts *v, double value)
{
	v->n++;
	if (isnan(value)) {
		v->nans++;
	} else if (isinf(value)) {
		v->infinite[value > 0]++;
	} else {
		if (value < v->least) v->least = value;
		if (value > v->most) v->most = value;
		v->negatives += value < 0;
		sheaf_exact_add(&v->sum, value);
		sheaf_exact_add_product(&v->squares, value, value);
		if (value == 0)
			v->zeros++;
		else if (v->bins)
			v->bins[sheaf_value_bin(value)]++;
	}
}

enum { AT_ONCE = 256 };

static void add_values(sheaf_field_summary *to, const sheaf_column *column, sheaf_run run)
{
	sheaf_canon canon[AT_ONCE];
	for (int64_t at = run.begin; at < run.end; at += AT_ONCE) {
		int64_t n = run.end - at < AT_ONCE ? run.end - at : AT_ONCE;
		sheaf_canon_values(column->type, column->values.data, at, n, canon);
		for (int64_t k = 0; k < n; k++) {
			add_value(&to->values, canon[k].nearest);
			if (to->frequent.slots) sheaf_frequent_add(&to->frequent, &canon[k].nearest, sizeof(double), 1);
		}
	}
}

/* ---- columns ---- */

static void add_missing(sheaf_field_summary *to, const sheaf_level *level, sheaf_run run)
{
	for (int64_t p = run.begin; level->valid.size && p < run.end; p++) {
		to->missing += !sheaf_level_has(level, p);
		to->coded += sheaf_level_code(level, p) != 0;
	}
}

/* A text counts by its bytes, and as an item. */
static sheaf_status add_texts(sheaf_summary *s, sheaf_field_summary *to, const sheaf_column *column,
                              sheaf_run run, sheaf_error *err)
{
	int last = column->nlevels - 1;
	for (int l = 0; l < last; l++) run = sheaf_level_below(&column->levels[l], run);
	const sheaf_level *level = &column->levels[last];
	add_missing(to, level, run);
	for (int64_t p = run.begin; p < run.end; p++) {
		sheaf_run text = sheaf_level_below_one(level, p);
		int64_t size = sheaf_run_length(text);
		if (sheaf_level_is_null(level, p)) continue;
		SHEAF_TRY(sheaf_length_counts_add(&to->lengths, size, 1, s->cx, err));
		if (to->frequent.slots)
			sheaf_frequent_add(&to->frequent, column->values.data + text.begin, (size_t)size, 1);
	}
	return SHEAF_OK;
}

/* What may be missing, with a value each: those that are there. */
static void add_cells(sheaf_field_summary *to, const sheaf_column *column, sheaf_run run)
{
	const sheaf_level *level = &column->levels[0];
	add_missing(to, level, run);
	for (int64_t p = run.begin; p < run.end; p++)
		if (!sheaf_level_is_null(level, p)) add_values(to, column, sheaf_level_below_one(level, p));
}

/* The entries of the samples in a row. */
static void add_entries(sheaf_field_summary *to, const sheaf_column *column, int64_t row, sheaf_run samples)
{
	sheaf_canon canon;
	const sheaf_level *level = &column->levels[1];
	sheaf_run run = sheaf_level_below(level, samples);
	for (int64_t p = run.begin; p < run.end; p++) {
		int64_t index = sheaf_level_index(level, 0, p);
		if (to->uses) to->uses[index]++;
		if (!to->raster.counts) continue;
		sheaf_canon_values(column->type, column->values.data, p, 1, &canon);
		sheaf_raster_add(&to->raster, row, index, canon.nearest);
	}
}

/* A stream, and whatever else has levels: lengths of its lists, entries of its samples, values. */
static sheaf_status add_levels(sheaf_summary *s, sheaf_field_summary *to, const sheaf_column *column,
                               int64_t row, sheaf_run run, sheaf_error *err)
{
	sheaf_run rows = run;
	bool sparse = column->nlevels == 2 && column->levels[1].shape.kind == SHEAF_COORD;
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_level *level = &column->levels[l];
		bool lists = l == 0 && level->shape.kind == SHEAF_LIST;
		sheaf_length_counts *lengths = lists                              ? &to->lengths
		                               : level->shape.kind == SHEAF_COORD ? &to->entries
		                                                                  : NULL;
		add_missing(to, level, run);
		for (int64_t p = run.begin; lengths && p < run.end; p++)
			SHEAF_TRY(sheaf_length_counts_add(lengths, sheaf_run_length(sheaf_level_below_one(level, p)), 1,
			                                  s->cx, err));
		run = sheaf_level_below(level, run);
	}
	for (int64_t r = rows.begin; sparse && r < rows.end; r++)
		add_entries(to, column, row + r, sheaf_level_below_one(&column->levels[0], r));
	if (sparse && to->raster.counts) sheaf_raster_reach(&to->raster, row + rows.end);
	add_values(to, column, run);
	return SHEAF_OK;
}

static sheaf_status add_column(sheaf_summary *s, int f, const sheaf_column *column, int64_t row, int64_t n,
                               sheaf_error *err)
{
	const sheaf_field *field = &s->schema.fields[f];
	sheaf_field_summary *to = &s->fields[f];
	bool item = column->nlevels == 1 && sheaf_level_is_item(column, 0);
	if (sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES)
		return add_texts(s, to, column, (sheaf_run){0, n}, err);
	if (item) {
		add_cells(to, column, (sheaf_run){0, n});
		return SHEAF_OK;
	}
	if (field->meaning == SHEAF_KEY) return SHEAF_OK;
	return add_levels(s, to, column, row, (sheaf_run){0, n}, err);
}

/* Of a matrix: where its entries are, and how many each row and column has. */
static void add_matrix(sheaf_summary *s, const sheaf_frame *frame)
{
	int value = sheaf_schema_value(&s->schema), rank = s->schema.tensor.rank;
	sheaf_raster *raster = &s->fields[value].raster;
	for (int64_t p = 0; p < frame->nrows; p++) {
		int64_t at[SHEAF_MAX_RANK];
		sheaf_canon canon;
		for (int d = 0; d < rank; d++) {
			at[d] = sheaf_coordinate_at(&frame->columns[d], p);
			if (s->fields[d].uses) s->fields[d].uses[at[d]]++;
		}
		if (!raster->counts) continue;
		const sheaf_column *values = &frame->columns[value];
		sheaf_canon_values(values->type, values->values.data, values->nlevels ? 2 * p : p, 1, &canon);
		sheaf_raster_add(raster, at[0], at[1], canon.nearest);
	}
}

sheaf_status sheaf_summary_add(sheaf_summary *s, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_EXPECT(row >= 0, "a row of at least 0", row);
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &s->schema, err));
	if (!frame->checked) SHEAF_TRY(sheaf_frame_check(frame, &s->schema, SHEAF_CHECK_FULL, err));
	s->rows += frame->nrows;
	for (int c = 0; c < frame->ncolumns && frame->nrows; c++)
		if (s->schema.fields[c].meaning != SHEAF_COORDINATE)
			SHEAF_TRY(add_column(s, c, &frame->columns[c], row, frame->nrows, err));
	if (s->schema.rows == SHEAF_ENTRIES) add_matrix(s, frame);
	return SHEAF_OK;
}

/* ---- merging ---- */

static void merge_values(sheaf_value_counts *v, const sheaf_value_counts *other)
{
	v->n += other->n;
	v->zeros += other->zeros;
	v->negatives += other->negatives;
	v->nans += other->nans;
	for (int i = 0; i < 2; i++) v->infinite[i] += other->infinite[i];
	v->least = fmin(v->least, other->least);
	v->most = fmax(v->most, other->most);
	sheaf_exact_merge(&v->sum, &other->sum);
	sheaf_exact_merge(&v->squares, &other->squares);
	for (int i = 0; v->bins && i < SHEAF_VALUE_BINS; i++) v->bins[i] += other->bins[i];
}

static sheaf_status merge_field(sheaf_summary *s, sheaf_field_summary *to, const sheaf_field_summary *from,
                                sheaf_error *err)
{
	SHEAF_TRY(sheaf_length_counts_merge(&to->lengths, &from->lengths, s->cx, err));
	SHEAF_TRY(sheaf_length_counts_merge(&to->entries, &from->entries, s->cx, err));
	merge_values(&to->values, &from->values);
	to->missing += from->missing;
	to->coded += from->coded;
	for (int64_t i = 0; to->uses && i < to->dim; i++) to->uses[i] += from->uses[i];
	if (to->raster.counts) sheaf_raster_merge(&to->raster, &from->raster);
	if (to->frequent.slots) sheaf_frequent_merge(&to->frequent, &from->frequent);
	return SHEAF_OK;
}

static bool is_alike(const sheaf_summary *a, const sheaf_summary *b)
{
	if (a->schema.rows != b->schema.rows || a->schema.nfields != b->schema.nfields) return false;
	for (int f = 0; f < a->schema.nfields; f++)
		if (strcmp(a->schema.fields[f].name, b->schema.fields[f].name) != 0 ||
		    a->schema.fields[f].meaning != b->schema.fields[f].meaning ||
		    a->fields[f].dim != b->fields[f].dim ||
		    !a->fields[f].raster.counts != !b->fields[f].raster.counts ||
		    !a->fields[f].frequent.slots != !b->fields[f].frequent.slots)
			return false;
	return true;
}

sheaf_status sheaf_summary_merge(sheaf_summary *s, const sheaf_summary *other, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(other, "another summary");
	if (!is_alike(s, other))
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected summaries of the same fields, found others",
		                  __func__);
	s->rows += other->rows;
	for (int f = 0; f < s->schema.nfields; f++)
		SHEAF_TRY(merge_field(s, &s->fields[f], &other->fields[f], err));
	return SHEAF_OK;
}
