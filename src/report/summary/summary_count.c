/* SPDX-License-Identifier: MIT */
/* Counting the contents of frames.
 *
 * A row number is counted from the beginning of the dataset, a position from that of the frame. `run` is the
 * positions of a level that belong to the rows that are counted: going down a level turns one run into the
 * run below it. Values are counted as doubles, AT_ONCE at a time, which stay in the L1 cache. */
#include "frame/frame.h"
#include "frame/value.h"
#include "report/summary/sides.h"
#include "report/summary/values.h"
#include <math.h>

/* ---- values ---- */

enum { AT_ONCE = SHEAF_DOUBLES_MOST };

/* Counts a run of values of any type, as doubles, and as items if the field has these. Values at missing
 * positions of `level`, each of which has `extent` values, are left out; without a level (NULL) no value is
 * missing. */
static void add_as_doubles(sheaf_field_summary *to, const sheaf_column *column, const sheaf_level *level,
                           sheaf_run run)
{
	sheaf_canon canon[AT_ONCE];
	double values[AT_ONCE];
	int64_t width = level ? level->shape.extent : 1;
	for (int64_t at = run.begin; at < run.end; at += AT_ONCE) {
		int64_t n = run.end - at < AT_ONCE ? run.end - at : AT_ONCE;
		int found = 0;
		sheaf_canon_values(column->type, column->values.data, at, n, canon);
		for (int64_t k = 0; k < n; k++) {
			values[found] = canon[k].nearest;
			found += !level || !sheaf_level_is_null(level, (at + k) / width);
		}
		sheaf_doubles_add(&to->values, values, found);
		if (to->frequent.slots) sheaf_frequent_add_doubles(&to->frequent, values, found);
	}
}

/* Whether the value at p is below an empty position: levels are gone up as far as they have a fixed extent.
 */
static bool is_below_null(const sheaf_column *column, int64_t p)
{
	for (int l = column->nlevels - 1; l >= 0 && column->levels[l].shape.kind == SHEAF_FIXED; l--) {
		p /= column->levels[l].shape.extent;
		if (sheaf_level_is_null(&column->levels[l], p)) return true;
	}
	return false;
}

static void add_place(sheaf_field_summary *to, const sheaf_column *column, int64_t p, uint64_t hash)
{
	sheaf_canon canon;
	if (!sheaf_sample_takes(&to->sample, hash) || is_below_null(column, p)) return;
	sheaf_canon_values(column->type, column->values.data, p, 1, &canon);
	if (isfinite(canon.nearest)) sheaf_sample_add(&to->sample, hash, canon.nearest);
}

/* Adds the values of rows to the sample. The place of a value is the number of its row in the dataset, and
 * its position there. */
static void add_sample(sheaf_field_summary *to, const sheaf_column *column, int64_t row, int64_t n)
{
	enum { BLOCK = SHEAF_SAMPLE_BLOCK };
	for (int64_t r = 0; r < n; r++) {
		sheaf_run run = {r, r + 1};
		for (int l = 0; l < column->nlevels; l++) run = sheaf_level_below(&column->levels[l], run);
		uint64_t key = sheaf_mix((uint64_t)(row + r));
		for (int64_t p = run.begin; p < run.end; p += BLOCK, key = sheaf_mix(key)) {
			int first = (int)(key % BLOCK), all = run.end - p < BLOCK ? (int)(run.end - p) : BLOCK;
			if (first < all) add_place(to, column, p + first, sheaf_place_hash(key, first));
			for (int at = 0; at < all && sheaf_sample_takes(&to->sample, UINT64_C(1) << 63); at++)
				if (at != first) add_place(to, column, p + at, sheaf_place_hash(key, at));
		}
	}
}

/* ---- columns ---- */

/* Counts the missing positions of a level in a run, and the codes that say why they are. */
static void add_missing(sheaf_field_summary *to, const sheaf_level *level, sheaf_run run)
{
	for (int64_t p = run.begin; sheaf_level_has_gaps(level) && p < run.end; p++) {
		to->missing += !sheaf_level_has(level, p);
		int code = sheaf_level_code(level, p) & (SHEAF_MISSING_CODES - 1);
		to->codes[code] += code != 0;
	}
}

/* Counts *n texts as items, many at once, and empties the list. */
static void add_items(sheaf_field_summary *to, const sheaf_some_bytes *texts, int *n)
{
	if (to->frequent.slots) sheaf_frequent_add_texts(&to->frequent, texts, *n);
	*n = 0;
}

/* Counts a column of texts or bytes: each by its length in bytes, and as an item. Most texts are short: how
 * often each length comes is added up here first, since the counts of lengths may have to grow with each
 * call. */
static sheaf_status add_texts(sheaf_summary *s, sheaf_field_summary *to, const sheaf_column *column,
                              sheaf_run run, sheaf_error *err)
{
	int last = column->nlevels - 1;
	for (int l = 0; l < last; l++) {
		add_missing(to, &column->levels[l], run);
		run = sheaf_level_below(&column->levels[l], run);
	}
	const sheaf_level *level = &column->levels[last];
	enum { SHORT = 64 };
	int64_t lengths[SHORT] = {0};
	sheaf_some_bytes texts[SHEAF_FREQUENT_AT_ONCE];
	int n = 0;
	add_missing(to, level, run);
	for (int64_t p = run.begin; p < run.end; p++) {
		sheaf_run text = sheaf_level_below_one(level, p);
		int64_t size = sheaf_run_length(text);
		if (sheaf_level_is_null(level, p)) continue;
		if (size < SHORT)
			lengths[size]++;
		else
			SHEAF_TRY(sheaf_length_counts_add(&to->lengths, size, 1, s->cx, err));
		texts[n++] = (sheaf_some_bytes){size ? column->values.data + text.begin : NULL, (size_t)size};
		if (n == SHEAF_FREQUENT_AT_ONCE) add_items(to, texts, &n);
	}
	add_items(to, texts, &n);
	for (int64_t size = 0; size < SHORT; size++)
		SHEAF_TRY(sheaf_length_counts_add(&to->lengths, size, lengths[size], s->cx, err));
	return SHEAF_OK;
}

void sheaf_field_see(sheaf_field_summary *to, int64_t index)
{
	if (to->least_index < 0 || index < to->least_index) to->least_index = index;
	if (index > to->most_index) to->most_index = index;
}

/* Entries on their way into a picture: many at once, so that the cells of the picture can be prefetched. */
typedef struct dots {
	int64_t rows[AT_ONCE], indices[AT_ONCE];
	double values[AT_ONCE];
	int n;
	int64_t at; /* the position of the first one */
} dots;

/* Counts collected entries, and empties the list: the range of their indices, the uses of each, and the cells
 * of the picture, as far as the field has these. */
static void put_dots(sheaf_field_summary *to, const sheaf_column *column, dots *d)
{
	sheaf_canon canon[AT_ONCE];
	if (d->n == 0) return;
	int64_t least = d->indices[0], most = least;
	for (int k = 1; k < d->n; k++) {
		least = d->indices[k] < least ? d->indices[k] : least;
		most = d->indices[k] > most ? d->indices[k] : most;
	}
	sheaf_field_see(to, least);
	sheaf_field_see(to, most);
	for (int k = 0; to->uses && k < d->n; k++) to->uses[d->indices[k]]++;
	if (to->raster.counts) {
		sheaf_canon_values(column->type, column->values.data, d->at, d->n, canon);
		for (int k = 0; k < d->n; k++) d->values[k] = canon[k].nearest;
		sheaf_raster_add_all(&to->raster, d->rows, d->indices, d->values, d->n);
	}
	d->at += d->n;
	d->n = 0;
}

/* Counts the entries of all samples of some rows. `row` is the number of the frame's first row in the
 * dataset. */
static void add_entries(sheaf_field_summary *to, const sheaf_column *column, int64_t row, sheaf_run rows)
{
	const sheaf_level *samples = &column->levels[0], *entries = &column->levels[1];
	dots d = {.at = sheaf_level_below(entries, sheaf_level_below(samples, rows)).begin};
	for (int64_t r = rows.begin; r < rows.end; r++) {
		sheaf_run run = sheaf_level_below(entries, sheaf_level_below_one(samples, r));
		for (int64_t p = run.begin; p < run.end; p++) {
			d.rows[d.n] = row + r;
			d.indices[d.n++] = sheaf_level_index(entries, 0, p);
			if (d.n == AT_ONCE) put_dots(to, column, &d);
		}
	}
	put_dots(to, column, &d);
}

/* Adds one sample of any type, which is event `event` of its row, to the means of units. */
static void add_event(sheaf_field_summary *to, const sheaf_column *column, int64_t sample, int64_t event)
{
	sheaf_canon canon[AT_ONCE];
	int64_t units = to->pattern.units;
	struct sheaf_pattern_cell *cells = sheaf_pattern_event(&to->pattern, event);
	for (int64_t u = 0; u < units; u += AT_ONCE) {
		int64_t n = units - u < AT_ONCE ? units - u : AT_ONCE;
		sheaf_canon_values(column->type, column->values.data, sample * units + u, n, canon);
		for (int64_t k = 0; k < n; k++) sheaf_pattern_add(&cells[u + k], canon[k].nearest);
	}
}

/* Adds the samples of some rows to the means of units: a sample is an event of its row, by its position
 * there. Samples of the same event are added together, which is fast for float32: the samples of consecutive
 * rows with one sample each, and the samples of one row that belong to the last event, which includes all
 * later ones. */
static void add_pattern(sheaf_field_summary *to, const sheaf_column *column, sheaf_run rows)
{
	const float *values = (const float *)(const void *)column->values.data;
	const sheaf_level *level = &column->levels[0];
	int64_t units = to->pattern.units, last = to->pattern.events - 1;
	while (rows.begin < rows.end) {
		int64_t n = 0; /* rows from here on that have one sample each */
		while (column->type == SHEAF_F32 && rows.begin + n < rows.end &&
		       sheaf_run_length(sheaf_level_below_one(level, rows.begin + n)) == 1)
			n++;
		sheaf_run samples = sheaf_level_below_one(level, rows.begin);
		if (n > 0) sheaf_pattern_add_all(to->pattern.cells, values + samples.begin * units, units, n);
		for (int64_t p = samples.begin, same; n == 0 && p < samples.end; p += same) {
			int64_t event = p - samples.begin;
			same = event >= last && column->type == SHEAF_F32 ? samples.end - p : 1;
			if (column->type == SHEAF_F32)
				sheaf_pattern_add_all(sheaf_pattern_event(&to->pattern, event), values + p * units, units,
				                      same);
			else
				add_event(to, column, p, event);
		}
		rows.begin += n > 0 ? n : 1;
	}
}

/* Counts the missing positions of a run of level l and of the levels below it, and the values below those
 * that are present. Where some are missing, it goes down once for each run of present positions. */
static void add_present(sheaf_field_summary *to, const sheaf_column *column, int l, sheaf_run run)
{
	if (l == column->nlevels) {
		add_as_doubles(to, column, NULL, run);
		return;
	}
	const sheaf_level *level = &column->levels[l];
	add_missing(to, level, run);
	if (!sheaf_level_has_gaps(level) || level->shape.missing != SHEAF_NULLABLE) {
		add_present(to, column, l + 1, sheaf_level_below(level, run));
		return;
	}
	for (int64_t p = run.begin; p < run.end; p++) {
		sheaf_run there = {p, p};
		while (there.end < run.end && !sheaf_level_is_null(level, there.end)) there.end++;
		if (there.begin < there.end) add_present(to, column, l + 1, sheaf_level_below(level, there));
		p = there.end;
	}
}

/* Counts a stream, or anything else with levels: the lengths of its lists, the entries of its samples, and
 * the values. `row` is the number of the frame's first row in the dataset. */
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
		for (int64_t p = run.begin; lengths && p < run.end; p++)
			if (!sheaf_level_is_null(level, p))
				SHEAF_TRY(sheaf_length_counts_add(lengths, sheaf_run_length(sheaf_level_below_one(level, p)),
				                                  1, s->cx, err));
		run = sheaf_level_below(level, run);
	}
	if (sparse && to->raster.counts) sheaf_raster_reach(&to->raster, row + rows.end);
	if (sparse) add_entries(to, column, row, rows);
	if (to->pattern.cells) add_pattern(to, column, rows);
	add_present(to, column, 0, rows);
	return SHEAF_OK;
}

/* Counts n rows of field f, by its kind: texts, cells, streams, or keys, of which only those count that
 * differ from the number of their row. */
static sheaf_status add_column(sheaf_summary *s, int f, const sheaf_column *column, int64_t row, int64_t n,
                               sheaf_error *err)
{
	const sheaf_field *field = &s->schema.fields[f];
	sheaf_field_summary *to = &s->fields[f];
	sheaf_run rows = {0, n};
	if (sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES)
		return add_texts(s, to, column, rows, err);
	if (to->sample.values) add_sample(to, column, row, n);
	if (column->nlevels == 1 && sheaf_level_is_item(column, 0)) {
		/* Cells: positions that may be missing, with the same number of values each. */
		const sheaf_level *level = &column->levels[0];
		add_missing(to, level, rows);
		bool gaps = sheaf_level_has_gaps(level) && level->shape.missing == SHEAF_NULLABLE;
		add_as_doubles(to, column, gaps ? level : NULL, sheaf_level_below(level, rows));
		return SHEAF_OK;
	}
	if (field->meaning != SHEAF_KEY) return add_levels(s, to, column, row, rows, err);
	const uint64_t *keys = (const uint64_t *)(const void *)column->values.data;
	for (int64_t r = 0; r < n; r++) to->other_keys += keys[r] != (uint64_t)(row + r);
	return SHEAF_OK;
}

/* ---- entries ---- */

/* The entries of a frame. */
typedef struct entries {
	const sheaf_column *value; /* NULL: it is no number */
	int64_t width;             /* numbers in a value: 2 for a complex one */
	bool dense, mirrored;
	double fill[2]; /* of a dense tensor: positions that are no entries of a sparse one */
} entries;

/* What is to be known of a frame's entries: where their values are, if these are numbers, and what is no
 * entry or implies another one. */
static entries entries_of_frame(const sheaf_schema *schema, const sheaf_frame *frame)
{
	const sheaf_tensor *t = &schema->tensor;
	int f = sheaf_schema_value(schema);
	sheaf_canon fill[2] = {{0}};
	entries e = {.width = 1, .dense = t->dense, .mirrored = t->structure != SHEAF_GENERAL && t->rank == 2};
	if (f < 0 || schema->fields[f].nlevels > 1) return e;
	const sheaf_column *column = &frame->columns[f];
	if (column->nlevels && column->levels[0].shape.kind != SHEAF_FIXED) return e;
	e.value = column;
	if (column->nlevels) e.width = column->levels[0].shape.extent;
	if (t->has_fill && e.width <= 2) sheaf_canon_values(column->type, t->fill, 0, e.width, fill);
	for (int i = 0; i < 2; i++) e.fill[i] = fill[i].nearest;
	return e;
}

/* Where some entries are, and their magnitudes. The structure can imply a second entry for each. One count
 * after the other is made of all of them, so that one table at a time is in the cache. */
enum { PLACES = 256 };
typedef struct places {
	int64_t at[SHEAF_MAX_RANK][2 * PLACES];
	double sizes[2 * PLACES];
	int n;
} places;

/* Finds the entries of n rows from `at` on, at most PLACES, including those that the structure implies, whose
 * coordinates are swapped. A value that is the fill of a dense tensor is no entry, since a sparse one would
 * not store it. Values that are no numbers have the magnitude 1. */
static void find_places(const sheaf_frame *frame, const entries *e, int rank, int64_t at, int n, places *p)
{
	sheaf_canon parts[2 * PLACES];
	bool known = e->value && (e->width == 1 || e->width == 2);
	if (known) sheaf_canon_values(e->value->type, e->value->values.data, at * e->width, n * e->width, parts);
	p->n = 0;
	for (int k = 0; k < n; k++) {
		double real = known ? parts[k * e->width].nearest : 1;
		double imaginary = known && e->width == 2 ? parts[2 * k + 1].nearest : e->fill[1];
		double size = known && e->width == 2 ? hypot(real, imaginary) : fabs(real);
		if (known && e->dense && real == e->fill[0] && imaginary == e->fill[1]) continue;
		for (int d = 0; d < rank; d++) p->at[d][p->n] = sheaf_coordinate_at(&frame->columns[d], at + k);
		p->sizes[p->n++] = size;
		if (!e->mirrored || p->at[0][p->n - 1] == p->at[1][p->n - 1]) continue;
		p->sizes[p->n] = size;
		p->at[0][p->n] = p->at[1][p->n - 1];
		p->at[1][p->n] = p->at[0][p->n - 1];
		p->n++;
	}
}

/* Entries have a second count beside that of columns: where they are, in one table after the other. */
sheaf_status sheaf_summary_count(sheaf_summary *s, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	s->rows += frame->nrows;
	for (int c = 0; c < frame->ncolumns && frame->nrows; c++)
		if (c >= sheaf_schema_rank(&s->schema))
			SHEAF_TRY(add_column(s, c, &frame->columns[c], row, frame->nrows, err));
	sheaf_sides_add(s, frame, row);
	if (s->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	int rank = s->schema.tensor.rank, value = sheaf_schema_value(&s->schema);
	entries e = entries_of_frame(&s->schema, frame);
	for (int64_t at = 0; at < frame->nrows; at += PLACES) {
		places p;
		int n = frame->nrows - at < PLACES ? (int)(frame->nrows - at) : PLACES;
		find_places(frame, &e, rank, at, n, &p);
		s->entries += p.n;
		for (int d = 0; d < rank; d++)
			for (int k = 0; s->fields[d].uses && k < p.n; k++) s->fields[d].uses[p.at[d][k]]++;
		for (int k = 0; rank == 2 && k < p.n; k++) {
			int64_t below = p.at[0][k] - p.at[1][k];
			s->band.diagonal += below == 0;
			s->band.lower = below > s->band.lower ? below : s->band.lower;
			s->band.upper = -below > s->band.upper ? -below : s->band.upper;
		}
		if (rank == 2 && value >= 0 && s->fields[value].raster.counts)
			sheaf_raster_add_all(&s->fields[value].raster, p.at[0], p.at[1], p.sizes, p.n);
	}
	return SHEAF_OK;
}
