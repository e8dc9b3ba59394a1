/* SPDX-License-Identifier: MIT */
/* Counting what frames hold. */
#include "report/summary.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include "data/value.h"
#include "report/sides.h"
#include "tensor/profile.h"
#include <math.h>

/* How many coordinates come first. */
static int rank_of(const sheaf_schema *schema)
{
	return schema->rows == SHEAF_ENTRIES ? schema->tensor.rank : 0;
}

/* ---- beginning and ending ---- */

static sheaf_status begin_bins(sheaf_value_counts *v, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(cx, SHEAF_VALUE_BINS, sizeof *v->bins, &memory, err));
	v->bins = (int64_t *)memory;
	return SHEAF_OK;
}

static sheaf_status begin_uses(sheaf_field_summary *to, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)to->dim, sizeof *to->uses, &memory, err));
	to->uses = (int64_t *)memory;
	return SHEAF_OK;
}

static bool is_matrix(const sheaf_summary *s)
{
	return s->schema.rows == SHEAF_ENTRIES && s->schema.tensor.rank == 2;
}

static sheaf_status begin_raster(sheaf_summary *s, int f, sheaf_error *err)
{
	sheaf_raster *raster = &s->fields[f].raster;
	SHEAF_TRY(
		sheaf_raster_begin(raster, is_matrix(s) ? s->schema.tensor.shape[1] : s->fields[f].dim, s->cx, err));
	if (is_matrix(s)) sheaf_raster_reach(raster, s->schema.tensor.shape[0]);
	return SHEAF_OK;
}

/* Items that are worth naming one by one: cells, and samples of one value. */
static bool has_items(const sheaf_schema *schema, const sheaf_field *field)
{
	if (schema->rows == SHEAF_CELLS) return field->meaning != SHEAF_COMPLEX;
	return sheaf_field_is_dense(field) && sheaf_field_dim(field) == 1;
}

static bool has_pattern(const sheaf_field *field)
{
	return sheaf_field_is_dense(field) && sheaf_field_dim(field) > 1 &&
	       sheaf_field_dim(field) <= SHEAF_PATTERN_UNITS;
}

static bool has_values(const sheaf_field *field)
{
	return !sheaf_means_text(field->meaning) && field->meaning != SHEAF_BYTES && field->meaning != SHEAF_KEY;
}

unsigned sheaf_field_counts(const sheaf_summary *s, int f)
{
	const sheaf_field *field = &s->schema.fields[f];
	int64_t dim = s->fields[f].dim;
	bool entries = is_matrix(s) ? f == sheaf_schema_value(&s->schema) : sheaf_field_is_sparse(field);
	if (f >= SHEAF_PICTURED_FIELDS) return 0;
	return (f >= rank_of(&s->schema) && has_values(field) ? SHEAF_COUNTS_BINS : 0u) |
	       (dim > 0 && dim <= SHEAF_MOST_USES ? SHEAF_COUNTS_USES : 0u) |
	       (has_pattern(field) ? SHEAF_COUNTS_PATTERN : 0u) | (entries ? SHEAF_COUNTS_RASTER : 0u) |
	       (has_items(&s->schema, field) ? SHEAF_COUNTS_ITEMS : 0u);
}

unsigned sheaf_field_counted(const sheaf_field_summary *f)
{
	return (f->values.bins ? SHEAF_COUNTS_BINS : 0u) | (f->uses ? SHEAF_COUNTS_USES : 0u) |
	       (f->raster.counts ? SHEAF_COUNTS_RASTER : 0u) | (f->pattern.cells ? SHEAF_COUNTS_PATTERN : 0u) |
	       (f->frequent.slots ? SHEAF_COUNTS_ITEMS : 0u);
}

static sheaf_status begin_counts(sheaf_summary *s, int f, unsigned counts, sheaf_error *err)
{
	sheaf_field_summary *to = &s->fields[f];
	if (counts & SHEAF_COUNTS_BINS) SHEAF_TRY(begin_bins(&to->values, s->cx, err));
	if (counts & SHEAF_COUNTS_ITEMS) SHEAF_TRY(sheaf_frequent_begin(&to->frequent, s->cx, err));
	if (counts & SHEAF_COUNTS_RASTER) SHEAF_TRY(begin_raster(s, f, err));
	if (counts & SHEAF_COUNTS_USES) SHEAF_TRY(begin_uses(to, s->cx, err));
	if (counts & SHEAF_COUNTS_PATTERN)
		SHEAF_TRY(sheaf_pattern_begin(&to->pattern, sheaf_field_dim(&s->schema.fields[f]), s->cx, err));
	return SHEAF_OK;
}

static void begin_field(const sheaf_schema *schema, int f, sheaf_field_summary *to)
{
	const sheaf_field *field = &schema->fields[f];
	*to = (sheaf_field_summary){.least_index = -1, .most_index = -1};
	to->values.least = INFINITY;
	to->values.most = -INFINITY;
	if (f < rank_of(schema)) to->dim = schema->tensor.shape[f];
	if (sheaf_field_is_sparse(field)) to->dim = sheaf_field_dim(field);
}

/* Entries have their coordinates first. */
static sheaf_status check_schema(const sheaf_schema *schema, sheaf_error *err)
{
	int rank = rank_of(schema);
	if (schema->rows == SHEAF_WHOLE)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "summary: expected rows, found a tensor that is one row; read it as entries");
	bool sound = rank >= 0 && rank <= SHEAF_MAX_RANK && rank <= schema->nfields;
	for (int f = 0; sound && f < rank; f++)
		sound = schema->fields[f].meaning == SHEAF_COORDINATE && schema->fields[f].nlevels == 0 &&
		        (schema->fields[f].type == SHEAF_I32 || schema->fields[f].type == SHEAF_I64);
	return sound ? SHEAF_OK
	             : sheaf_fail(err, SHEAF_USAGE,
	                          "summary: expected a coordinate for each dimension, found other fields");
}

sheaf_status sheaf_summary_begin(const sheaf_schema *schema, sheaf_context *cx,
                                 unsigned (*counts)(void *user, const sheaf_summary *s, int field),
                                 void *user, sheaf_summary **out, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(check_schema(schema, err));
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_summary), &memory, err));
	sheaf_summary *s = (sheaf_summary *)memory;
	s->cx = cx;
	sheaf_status status = sheaf_schema_copy(schema, cx, &s->schema, err);
	if (status == SHEAF_OK)
		status = sheaf_allocate_array(cx, (size_t)schema->nfields, sizeof *s->fields, &memory, err);
	if (status == SHEAF_OK) s->fields = (sheaf_field_summary *)memory;
	for (int f = 0; status == SHEAF_OK && f < schema->nfields; f++) begin_field(&s->schema, f, &s->fields[f]);
	for (int f = 0; status == SHEAF_OK && f < schema->nfields; f++)
		status = begin_counts(s, f, sheaf_field_counts(s, f) & counts(user, s, f), err);
	if (status) {
		sheaf_summary_free(s);
		return status;
	}
	*out = s;
	return SHEAF_OK;
}

/* As many as fit what is left of a quarter of the memory. */
static unsigned affordable(void *user, const sheaf_summary *s, int f)
{
	enum { RASTER = SHEAF_RASTER_SIDE * SHEAF_RASTER_SIDE };
	unsigned counts = 0, wanted = sheaf_field_counts(s, f);
	const struct {
		unsigned what;
		size_t bytes;
	} costs[] = {{SHEAF_COUNTS_BINS, SHEAF_VALUE_BINS * sizeof(int64_t)},
	             {SHEAF_COUNTS_ITEMS, SHEAF_FREQUENT_SLOTS * sizeof(sheaf_item_count)},
	             {SHEAF_COUNTS_RASTER, RASTER * (sizeof(int64_t) + sizeof(double))},
	             {SHEAF_COUNTS_USES, (size_t)s->fields[f].dim * sizeof(int64_t)},
	             {SHEAF_COUNTS_PATTERN, wanted & SHEAF_COUNTS_PATTERN
	                                        ? sheaf_pattern_bytes(sheaf_field_dim(&s->schema.fields[f]))
	                                        : 0}};
	size_t *left = (size_t *)user;
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		if (!(wanted & costs[i].what) || costs[i].bytes > *left) continue;
		*left -= costs[i].bytes;
		counts |= costs[i].what;
	}
	return counts;
}

sheaf_status sheaf_summary_new(const sheaf_schema *schema, sheaf_context *cx, sheaf_summary **out,
                               sheaf_error *err)
{
	enum { SHARE = 4 };
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	size_t left = (size_t)(sheaf_max_memory(cx) / SHARE);
	SHEAF_TRY(sheaf_summary_begin(schema, cx, affordable, &left, out, err));
	sheaf_sides_by_name(*out);
	sheaf_status status = sheaf_sides_begin(*out, &left, err);
	if (status) {
		sheaf_summary_free(*out);
		*out = NULL;
	}
	return status;
}

static void drop_counts(sheaf_field_summary *f, unsigned counts, sheaf_context *cx)
{
	if (counts & SHEAF_COUNTS_BINS) {
		sheaf_release(cx, f->values.bins, SHEAF_VALUE_BINS * sizeof *f->values.bins);
		f->values.bins = NULL;
	}
	if (counts & SHEAF_COUNTS_USES) {
		sheaf_release(cx, f->uses, (size_t)f->dim * sizeof *f->uses);
		f->uses = NULL;
	}
	if (counts & SHEAF_COUNTS_RASTER) sheaf_raster_free(&f->raster, cx);
	if (counts & SHEAF_COUNTS_ITEMS) sheaf_frequent_free(&f->frequent, cx);
	if (counts & SHEAF_COUNTS_PATTERN) sheaf_pattern_free(&f->pattern, cx);
}

void sheaf_summary_free(sheaf_summary *s)
{
	if (!s) return;
	sheaf_profile_free(s->profile);
	sheaf_profile_free(s->gathered);
	sheaf_contradictions_free(&s->contradictions, s->cx);
	for (int f = 0; s->fields && f < s->schema.nfields; f++) {
		sheaf_field_summary *field = &s->fields[f];
		sheaf_length_counts_free(&field->lengths, s->cx);
		sheaf_length_counts_free(&field->entries, s->cx);
		sheaf_buffer_reset(&field->names);
		drop_counts(field, sheaf_field_counted(field), s->cx);
	}
	if (s->fields) sheaf_release(s->cx, s->fields, (size_t)s->schema.nfields * sizeof *s->fields);
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

/* Small whole numbers, whose sums are exact without further ado; false, with nothing added, where others are
 * among them. */
static bool add_whole(sheaf_value_counts *v, const sheaf_canon *canon, int64_t n)
{
	enum { MOST = 1 << 20 };
	int64_t sum = 0, squares = 0;
	bool whole = true;
	for (int64_t k = 0; k < n; k++) {
		int64_t w = fabs(canon[k].nearest) <= MOST ? (int64_t)canon[k].nearest : MOST + 1;
		whole &= (double)w == canon[k].nearest && w <= MOST;
		sum += w;
		squares += w * w;
	}
	if (!whole) return false;
	sheaf_exact_add(&v->sum, (double)sum);
	sheaf_exact_add(&v->squares, (double)squares);
	v->n += n;
	for (int64_t k = 0; k < n; k++) {
		double value = canon[k].nearest;
		if (value < v->least) v->least = value;
		if (value > v->most) v->most = value;
		v->negatives += value < 0;
		v->zeros += value == 0;
		if (value != 0 && v->bins) v->bins[sheaf_value_bin(value)]++;
	}
	return true;
}

static void add_values(sheaf_field_summary *to, const sheaf_column *column, sheaf_run run)
{
	sheaf_canon canon[AT_ONCE];
	for (int64_t at = run.begin; at < run.end; at += AT_ONCE) {
		int64_t n = run.end - at < AT_ONCE ? run.end - at : AT_ONCE;
		sheaf_canon_values(column->type, column->values.data, at, n, canon);
		if (!add_whole(&to->values, canon, n))
			for (int64_t k = 0; k < n; k++) add_value(&to->values, canon[k].nearest);
		for (int64_t k = 0; to->frequent.slots && k < n; k++)
			sheaf_frequent_add(&to->frequent, &canon[k].nearest, sizeof(double), 1);
	}
}

/* ---- columns ---- */

static void add_missing(sheaf_field_summary *to, const sheaf_level *level, sheaf_run run)
{
	for (int64_t p = run.begin; level->valid.size && p < run.end; p++) {
		to->missing += !sheaf_level_has(level, p);
		int code = sheaf_level_code(level, p) & (SHEAF_MISSING_CODES - 1);
		to->codes[code] += code != 0;
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

static void see_index(sheaf_field_summary *to, int64_t index)
{
	if (to->least_index < 0 || index < to->least_index) to->least_index = index;
	if (index > to->most_index) to->most_index = index;
}

/* The entries of the samples in a row. */
static void add_entries(sheaf_field_summary *to, const sheaf_column *column, int64_t row, sheaf_run samples)
{
	sheaf_canon canon;
	const sheaf_level *level = &column->levels[1];
	sheaf_run run = sheaf_level_below(level, samples);
	for (int64_t p = run.begin; p < run.end; p++) {
		int64_t index = sheaf_level_index(level, 0, p);
		see_index(to, index);
		if (to->uses) to->uses[index]++;
		if (!to->raster.counts) continue;
		sheaf_canon_values(column->type, column->values.data, p, 1, &canon);
		sheaf_raster_add(&to->raster, row, index, canon.nearest);
	}
}

/* Sample by sample of each row. */
static void add_pattern(sheaf_field_summary *to, const sheaf_column *column, sheaf_run rows)
{
	sheaf_canon canon[AT_ONCE];
	int64_t units = to->pattern.units;
	for (int64_t r = rows.begin; r < rows.end; r++) {
		sheaf_run samples = sheaf_level_below_one(&column->levels[0], r);
		for (int64_t p = samples.begin; p < samples.end; p++) {
			struct sheaf_pattern_cell *cells = sheaf_pattern_event(&to->pattern, p - samples.begin);
			for (int64_t u = 0; u < units; u += AT_ONCE) {
				int64_t n = units - u < AT_ONCE ? units - u : AT_ONCE;
				sheaf_canon_values(column->type, column->values.data, p * units + u, n, canon);
				for (int64_t k = 0; k < n; k++) sheaf_pattern_add(&cells[u + k], canon[k].nearest);
			}
		}
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
	if (to->pattern.cells) add_pattern(to, column, rows);
	add_values(to, column, run);
	return SHEAF_OK;
}

static void add_keys(sheaf_field_summary *to, const sheaf_column *column, int64_t row, int64_t n)
{
	const uint64_t *keys = (const uint64_t *)(const void *)column->values.data;
	for (int64_t r = 0; r < n; r++) to->other_keys += keys[r] != (uint64_t)(row + r);
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
	if (field->meaning == SHEAF_KEY) {
		add_keys(to, column, row, n);
		return SHEAF_OK;
	}
	return add_levels(s, to, column, row, (sheaf_run){0, n}, err);
}

/* ---- entries ---- */

/* What is needed of each entry. */
typedef struct entries {
	const sheaf_column *value; /* NULL: it is no number */
	int64_t width;             /* numbers of a value: 2 of a complex one */
	bool dense, mirrored;
	double fill[2]; /* of a dense tensor: what is no entry of a sparse one */
} entries;

static void look_at_values(const sheaf_schema *schema, const sheaf_frame *frame, entries *e)
{
	const sheaf_tensor *t = &schema->tensor;
	int f = sheaf_schema_value(schema);
	sheaf_canon fill[2] = {{0}};
	*e = (entries){.width = 1, .dense = t->dense, .mirrored = t->structure != SHEAF_GENERAL && t->rank == 2};
	if (f < 0 || schema->fields[f].nlevels > 1) return;
	const sheaf_column *column = &frame->columns[f];
	if (column->nlevels && column->levels[0].shape.kind != SHEAF_FIXED) return;
	e->value = column;
	if (column->nlevels) e->width = column->levels[0].shape.extents[0];
	if (t->has_fill && e->width <= 2) sheaf_canon_values(column->type, t->fill, 0, e->width, fill);
	for (int i = 0; i < 2; i++) e->fill[i] = fill[i].nearest;
}

/* The magnitude of value p; *filled: it is what a sparse tensor does not store. */
static double magnitude(const entries *e, int64_t p, bool *filled)
{
	sheaf_canon parts[2];
	*filled = false;
	if (!e->value || e->width < 1 || e->width > 2) return 1;
	sheaf_canon_values(e->value->type, e->value->values.data, p * e->width, e->width, parts);
	*filled = e->dense && parts[0].nearest == e->fill[0] && (e->width == 1 || parts[1].nearest == e->fill[1]);
	return e->width == 1 ? fabs(parts[0].nearest) : hypot(parts[0].nearest, parts[1].nearest);
}

static void add_place(sheaf_summary *s, const int64_t *at, double size)
{
	int rank = s->schema.tensor.rank, value = sheaf_schema_value(&s->schema);
	for (int d = 0; d < rank; d++)
		if (s->fields[d].uses) s->fields[d].uses[at[d]]++;
	s->entries++;
	if (rank != 2) return;
	s->band.diagonal += at[0] == at[1];
	if (at[0] - at[1] > s->band.lower) s->band.lower = at[0] - at[1];
	if (at[1] - at[0] > s->band.upper) s->band.upper = at[1] - at[0];
	if (value >= 0 && s->fields[value].raster.counts)
		sheaf_raster_add(&s->fields[value].raster, at[0], at[1], size);
}

/* Where entries are, with those that the structure implies. */
static void add_all_entries(sheaf_summary *s, const sheaf_frame *frame)
{
	entries e;
	look_at_values(&s->schema, frame, &e);
	for (int64_t p = 0; p < frame->nrows; p++) {
		int64_t at[SHEAF_MAX_RANK];
		bool filled;
		double size = magnitude(&e, p, &filled);
		if (filled) continue;
		for (int d = 0; d < s->schema.tensor.rank; d++) at[d] = sheaf_coordinate_at(&frame->columns[d], p);
		add_place(s, at, size);
		if (e.mirrored && at[0] != at[1]) add_place(s, (int64_t[]){at[1], at[0]}, size);
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
		if (c >= rank_of(&s->schema)) SHEAF_TRY(add_column(s, c, &frame->columns[c], row, frame->nrows, err));
	sheaf_sides_add(s, frame, row);
	if (s->schema.rows == SHEAF_ENTRIES) add_all_entries(s, frame);
	if (s->gathered) SHEAF_TRY(sheaf_profile_add(s->gathered, frame, err));
	return SHEAF_OK;
}

/* ---- profiles ---- */

sheaf_status sheaf_summary_profile(sheaf_summary *s, const char *name, sheaf_error *err)
{
	enum { SHARE = 8 };
	SHEAF_NEED(s, "a summary");
	if (s->rows || s->profile || s->gathered)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a call before the first frame, found one after it",
		                  __func__);
	if (s->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	sheaf_status status = sheaf_profile_new(&s->schema, name, s->cx, &s->gathered, err);
	if (status == SHEAF_UNSUPPORTED)
		return sheaf_forgive(status, "values that are no numbers have no profile");
	SHEAF_TRY(status);
	for (int d = 0; d < s->schema.tensor.rank; d++)
		if (s->fields[d].uses) sheaf_profile_lend(s->gathered, d, s->fields[d].uses);
	return sheaf_profile_connect(s->gathered, sheaf_max_memory(s->cx) / SHARE, err);
}

sheaf_status sheaf_summary_finish(sheaf_summary *s, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	if (!s->gathered) return SHEAF_OK;
	SHEAF_TRY(sheaf_profile_finish(s->gathered, err));
	s->profile = s->gathered;
	s->gathered = NULL;
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

/* Items that both count; what only one does is dropped. */
static sheaf_status merge_field(sheaf_summary *s, sheaf_field_summary *to, const sheaf_field_summary *from,
                                sheaf_error *err)
{
	drop_counts(to, sheaf_field_counted(to) & ~sheaf_field_counted(from), s->cx);
	SHEAF_TRY(sheaf_length_counts_merge(&to->lengths, &from->lengths, s->cx, err));
	SHEAF_TRY(sheaf_length_counts_merge(&to->entries, &from->entries, s->cx, err));
	merge_values(&to->values, &from->values);
	to->missing += from->missing;
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) to->codes[c] += from->codes[c];
	to->other_keys += from->other_keys;
	if (from->least_index >= 0) see_index(to, from->least_index), see_index(to, from->most_index);
	for (int64_t i = 0; to->uses && i < to->dim; i++) to->uses[i] += from->uses[i];
	if (to->raster.counts) sheaf_raster_merge(&to->raster, &from->raster);
	if (to->frequent.slots) sheaf_frequent_merge(&to->frequent, &from->frequent);
	if (to->pattern.cells) sheaf_pattern_merge(&to->pattern, &from->pattern);
	return SHEAF_OK;
}

static bool is_alike(const sheaf_summary *a, const sheaf_summary *b)
{
	if (a->schema.rows != b->schema.rows || a->schema.nfields != b->schema.nfields) return false;
	if (a->schema.rows == SHEAF_ENTRIES && a->schema.tensor.structure != b->schema.tensor.structure)
		return false;
	for (int f = 0; f < a->schema.nfields; f++) {
		const sheaf_field *one = &a->schema.fields[f], *other = &b->schema.fields[f];
		if (strcmp(one->name, other->name) != 0 || one->meaning != other->meaning ||
		    strcmp(sheaf_field_storage(one), sheaf_field_storage(other)) != 0 ||
		    a->fields[f].dim != b->fields[f].dim || a->fields[f].side != b->fields[f].side ||
		    (has_pattern(one) && sheaf_field_dim(one) != sheaf_field_dim(other)))
			return false;
	}
	return true;
}

/* Whether the sums of both stay below what is counted at most. */
static bool is_countable(const sheaf_summary *a, const sheaf_summary *b)
{
	bool fits = a->rows + b->rows <= sheaf_most_counted;
	for (int f = 0; f < a->schema.nfields; f++) {
		const sheaf_field_summary *one = &a->fields[f], *other = &b->fields[f];
		fits &= one->values.n + other->values.n <= sheaf_most_counted &&
		        one->lengths.n + other->lengths.n <= sheaf_most_counted &&
		        one->lengths.total + other->lengths.total <= sheaf_most_counted &&
		        one->entries.n + other->entries.n <= sheaf_most_counted &&
		        one->entries.total + other->entries.total <= sheaf_most_counted;
	}
	return fits;
}

sheaf_status sheaf_summary_merge(sheaf_summary *s, const sheaf_summary *other, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(other, "another summary");
	if (!is_alike(s, other))
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected summaries of the same fields, found others",
		                  __func__);
	if (!is_countable(s, other))
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected at most 2^56 rows and values, found more",
		                  __func__);
	sheaf_profile_free(s->profile);
	sheaf_profile_free(s->gathered);
	s->profile = s->gathered = NULL;
	s->rows += other->rows;
	s->entries += other->entries;
	s->band.diagonal += other->band.diagonal;
	if (other->band.lower > s->band.lower) s->band.lower = other->band.lower;
	if (other->band.upper > s->band.upper) s->band.upper = other->band.upper;
	if (!other->contradictions.slots) sheaf_contradictions_free(&s->contradictions, s->cx);
	if (s->contradictions.slots) sheaf_contradictions_merge(&s->contradictions, &other->contradictions);
	for (int f = 0; f < s->schema.nfields; f++)
		SHEAF_TRY(merge_field(s, &s->fields[f], &other->fields[f], err));
	return SHEAF_OK;
}
