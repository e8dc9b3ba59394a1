/* SPDX-License-Identifier: MIT */
/* Whole-dataset statistics, gathered frame by frame; all exact but sums and means, which are compensated
 * doubles. */
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include "data/item.h"
#include "data/print.h"
#include "data/spread.h"
#include "data/value.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BATCH = 256 };

typedef struct field_stats {
	sheaf_spread lengths; /* samples in a row */
	sheaf_spread entries; /* stored values in a sample, of sparse streams */
	int64_t values, zeros, nans, infinities;
	int64_t missing;    /* texts; runs of values that only stand in; cells */
	int64_t coded;      /* of the missing cells, those with a reason other than 0 */
	double least, most; /* of finite values */
	double sum, lost;   /* Neumaier's sum and its compensation */
	int64_t least_index, most_index;
	bool ordinal; /* keys: 0, 1, 2, ... so far */
} field_stats;

struct sheaf_stats {
	sheaf_context *cx;
	sheaf_schema schema;
	field_stats *fields;
	int64_t rows;
};

sheaf_status sheaf_stats_new(const sheaf_schema *schema, sheaf_context *cx, sheaf_stats **out,
                             sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	void *memory;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_stats), &memory, err));
	sheaf_stats *stats = (sheaf_stats *)memory;
	stats->cx = cx;
	sheaf_status status = sheaf_schema_copy(schema, cx, &stats->schema, err);
	if (status == SHEAF_OK)
		status = sheaf_allocate_array(cx, (uint64_t)schema->nfields, sizeof *stats->fields, &memory, err);
	if (status) {
		sheaf_stats_free(stats);
		return status;
	}
	stats->fields = (field_stats *)memory;
	for (int f = 0; f < schema->nfields; f++)
		stats->fields[f] = (field_stats){
			.least = INFINITY, .most = -INFINITY, .least_index = -1, .most_index = -1, .ordinal = true};
	*out = stats;
	return SHEAF_OK;
}

void sheaf_stats_free(sheaf_stats *stats)
{
	if (!stats) return;
	sheaf_release(stats->cx, stats->fields, (size_t)stats->schema.nfields * sizeof *stats->fields);
	sheaf_schema_free(&stats->schema);
	sheaf_release(stats->cx, stats, sizeof *stats);
}

static void add_to_sum(field_stats *s, double v)
{
	double sum = s->sum + v;
	if (!isfinite(sum)) { /* nothing to compensate any more */
		s->sum = sum;
		s->lost = 0;
		return;
	}
	s->lost += fabs(s->sum) >= fabs(v) ? (s->sum - sum) + v : (v - sum) + s->sum;
	s->sum = sum;
}

static void add_value(field_stats *s, double v)
{
	s->zeros += v == 0;
	if (isnan(v)) {
		s->nans++;
	} else if (isinf(v)) {
		s->infinities++;
	} else {
		if (v < s->least) s->least = v;
		if (v > s->most) s->most = v;
		add_to_sum(s, v);
	}
}

static void add_values(field_stats *s, const sheaf_column *column, sheaf_run run)
{
	sheaf_canon canon[BATCH];
	s->values += sheaf_run_length(run);
	for (int64_t at = run.begin; at < run.end; at += BATCH) {
		int64_t n = run.end - at < BATCH ? run.end - at : BATCH;
		sheaf_canon_values(column->type, column->values.data, at, n, canon);
		for (int64_t k = 0; k < n; k++) add_value(s, canon[k].nearest);
	}
}

/* Cells: what is missing has no value. */
static void add_cells(field_stats *s, const sheaf_column *column, int64_t nrows)
{
	const sheaf_level *level = &column->levels[0];
	if (column->nlevels == 0 || level->valid.size == 0) {
		sheaf_run run = {0, nrows};
		add_values(s, column, column->nlevels ? sheaf_level_below(level, run) : run);
		return;
	}
	for (int64_t r = 0; r < nrows; r++) {
		if (sheaf_level_has(level, r))
			add_values(s, column, sheaf_level_below_one(level, r));
		else
			s->missing++, s->coded += sheaf_level_code(level, r) != 0;
	}
}

static void add_indices(field_stats *s, const sheaf_level *level, sheaf_run run)
{
	for (int64_t p = run.begin; p < run.end; p++) {
		int64_t i = sheaf_level_index(level, 0, p);
		if (s->least_index < 0 || i < s->least_index) s->least_index = i;
		if (i > s->most_index) s->most_index = i;
	}
}

/* A text counts as one value, and its length in bytes. */
static void add_texts(field_stats *s, const sheaf_column *column, int64_t nrows)
{
	sheaf_run run = {0, nrows};
	for (int l = 0; l + 1 < column->nlevels; l++) run = sheaf_level_below(&column->levels[l], run);
	const sheaf_level *texts = &column->levels[column->nlevels - 1];
	for (int64_t p = run.begin; p < run.end; p++) {
		s->missing += !sheaf_level_has(texts, p);
		s->coded += sheaf_level_code(texts, p) != 0;
		if (sheaf_level_has(texts, p))
			sheaf_spread_add(&s->lengths, sheaf_run_length(sheaf_level_below_one(texts, p)), 1);
	}
}

static void add_column(field_stats *s, const sheaf_column *column, int64_t nrows)
{
	sheaf_run run = {0, nrows};
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_level *level = &column->levels[l];
		sheaf_level_kind kind = level->shape.kind;
		sheaf_spread *t = l == 0 && kind == SHEAF_LIST ? &s->lengths
		                  : kind == SHEAF_COORD        ? &s->entries
		                                               : NULL;
		for (int64_t p = run.begin; t && p < run.end; p++)
			sheaf_spread_add(t, sheaf_run_length(sheaf_level_below_one(level, p)), 1);
		for (int64_t p = run.begin; level->valid.size && p < run.end; p++)
			s->missing += !sheaf_level_has(level, p);
		run = sheaf_level_below(level, run);
		if (kind == SHEAF_COORD) add_indices(s, level, run);
	}
	add_values(s, column, run);
}

static void add_keys(field_stats *s, const sheaf_column *column, int64_t first, int64_t nrows)
{
	const uint64_t *keys = (const uint64_t *)(const void *)column->values.data;
	for (int64_t r = 0; r < nrows; r++) s->ordinal &= keys[r] == (uint64_t)(first + r);
}

sheaf_status sheaf_stats_add(sheaf_stats *stats, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_NEED(stats, "statistics");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &stats->schema, err));
	if (frame->ncolumns != stats->schema.nfields)
		return sheaf_fail(err, SHEAF_USAGE, "stats: expected %d columns, found %d", stats->schema.nfields,
		                  frame->ncolumns);
	for (int c = 0; c < frame->ncolumns && frame->nrows; c++) {
		if (stats->schema.fields[c].meaning == SHEAF_KEY)
			add_keys(&stats->fields[c], &frame->columns[c], stats->rows, frame->nrows);
		else if (sheaf_means_text(stats->schema.fields[c].meaning) ||
		         stats->schema.fields[c].meaning == SHEAF_BYTES)
			add_texts(&stats->fields[c], &frame->columns[c], frame->nrows);
		else if (stats->schema.rows == SHEAF_SEQUENCES)
			add_column(&stats->fields[c], &frame->columns[c], frame->nrows);
		else
			add_cells(&stats->fields[c], &frame->columns[c], frame->nrows);
	}
	stats->rows += frame->nrows;
	return SHEAF_OK;
}

void sheaf_stats_totals(const sheaf_stats *stats, int64_t *rows, int64_t *samples, int64_t *values)
{
	int64_t ignored[3];
	if (!rows) rows = &ignored[0];
	if (!samples) samples = &ignored[1];
	if (!values) values = &ignored[2];
	*rows = *samples = *values = 0;
	if (!stats) return;
	*rows = stats->rows;
	*samples = *values = 0;
	for (int f = 0; f < stats->schema.nfields; f++) {
		if (!sheaf_field_is_stream(&stats->schema.fields[f])) continue;
		*samples += (int64_t)stats->fields[f].lengths.total;
		*values += stats->fields[f].values;
	}
}

/* ---- text ---- */

/* The least and the largest value are values of the file: shown as it holds them. */
static void put_extreme(sheaf_builder *b, double v, const sheaf_field *field)
{
	sheaf_type type = field->type;
	if (sheaf_means_time(field->meaning) && fabs(v) < 0x1p53) {
		int64_t seconds = (int64_t)v;
		sheaf_column column = {.meaning = field->meaning,
		                       .type = SHEAF_I64,
		                       .values = {(uint8_t *)&seconds, sizeof seconds, NULL}};
		sheaf_item_text(b, &column, 0, 0, true);
		return;
	}
	if (type != SHEAF_F32) {
		sheaf_json_real(b, v);
		return;
	}
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_print_f32((char *)b->data + b->size, (float)v) - (char *)b->data);
}

static double mean(double total, int64_t n) { return n ? total / (double)n : 0; }

static int64_t finite_values(const field_stats *s) { return s->values - s->nans - s->infinities; }

/* Share of the cells of all samples that are stored. */
static double density(const field_stats *s, const sheaf_field *field)
{
	double cells = (double)s->entries.n * (double)sheaf_field_dim(field);
	return cells > 0 ? (double)s->values / cells : 0;
}

/* What is said of streams, and where it may be, of how many samples nothing was given for. */
static void json_samples(sheaf_builder *b, const sheaf_field *field, const field_stats *s)
{
	if (!sheaf_field_is_stream(field)) return;
	sheaf_builder_printf(b, ",\"dim\":%" PRId64 ",\"samples\":%" PRId64, sheaf_field_dim(field),
	                     (int64_t)s->lengths.total);
	if (field->levels[1].missing) sheaf_builder_printf(b, ",\"missing\":%" PRId64, s->missing);
}

/* A sum of dates says nothing, nor does anything of clocks beside their offsets. */
static bool has_sum(const sheaf_field *field)
{
	return field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL;
}

static bool has_range(const sheaf_field *field)
{
	bool time = sheaf_means_time(field->meaning) && !sheaf_means_zoned(field->meaning);
	return has_sum(field) || time || field->meaning == SHEAF_COORDINATE;
}

static bool is_nullable(const sheaf_field *field)
{
	return field->nlevels && field->levels[0].missing == SHEAF_NULLABLE;
}

static bool is_text(const sheaf_field *field)
{
	return sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES;
}

static void json_field(sheaf_builder *b, const sheaf_field *field, const field_stats *s)
{
	sheaf_builder_text(b, "{\"name\":");
	sheaf_json_string(b, field->name, strlen(field->name));
	sheaf_builder_printf(b, ",\"type\":\"%s\",\"storage\":\"%s\"", sheaf_type_name(field->type),
	                     sheaf_field_storage(field));
	if (is_nullable(field) && s->coded) sheaf_builder_printf(b, ",\"coded\":%" PRId64, s->coded);
	if (is_text(field)) {
		sheaf_builder_printf(b, ",\"missing\":%" PRId64, s->missing);
		sheaf_spread_json(b, "lengths", &s->lengths);
		sheaf_builder_byte(b, '}');
		return;
	}
	json_samples(b, field, s);
	if (is_nullable(field)) sheaf_builder_printf(b, ",\"missing\":%" PRId64, s->missing);
	sheaf_builder_printf(
		b, ",\"values\":%" PRId64 ",\"zeros\":%" PRId64 ",\"nan\":%" PRId64 ",\"infinite\":%" PRId64,
		s->values, s->zeros, s->nans, s->infinities);
	if (finite_values(s) && has_range(field)) {
		sheaf_builder_text(b, ",\"min\":"), put_extreme(b, s->least, field);
		sheaf_builder_text(b, ",\"max\":"), put_extreme(b, s->most, field);
	}
	if (finite_values(s) && has_sum(field)) {
		sheaf_builder_text(b, ",\"sum\":"), sheaf_json_real(b, s->sum + s->lost);
		sheaf_builder_text(b, ",\"mean\":"), sheaf_json_real(b, mean(s->sum + s->lost, finite_values(s)));
	}
	if (sheaf_field_is_stream(field)) sheaf_spread_json(b, "lengths", &s->lengths);
	if (sheaf_field_is_sparse(field)) {
		sheaf_spread_json(b, "nonzeros", &s->entries);
		sheaf_builder_text(b, ",\"density\":"), sheaf_json_real(b, density(s, field));
		sheaf_builder_printf(b, ",\"min_index\":%" PRId64 ",\"max_index\":%" PRId64, s->least_index,
		                     s->most_index);
	}
	sheaf_builder_byte(b, '}');
}

static void text_field(sheaf_builder *b, const sheaf_field *field, const field_stats *s)
{
	char shape[80];
	bool sparse = sheaf_field_is_sparse(field);
	sheaf_builder_printf(b, "%s %s: ", sheaf_field_is_stream(field) ? "stream" : "column", field->name);
	if (is_text(field)) {
		sheaf_builder_printf(b, "%s; missing: %" PRId64, sheaf_field_storage(field), s->missing);
		if (s->coded) sheaf_builder_printf(b, ", with a code: %" PRId64, s->coded);
		sheaf_builder_byte(b, '\n');
		sheaf_spread_text(b, field->meaning == SHEAF_BYTES ? "bytes" : "bytes in a text", &s->lengths);
		return;
	}
	sheaf_builder_printf(b, "%s\n  ",
	                     sheaf_field_is_stream(field)     ? sheaf_field_text(field, shape, sizeof shape)
	                     : field->meaning == SHEAF_NUMBER ? sheaf_type_name(field->type)
	                                                      : sheaf_field_storage(field));
	if (sheaf_field_is_stream(field))
		sheaf_builder_printf(b, "samples: %" PRId64 "; ", (int64_t)s->lengths.total);
	if (sheaf_field_is_stream(field) && field->levels[1].missing)
		sheaf_builder_printf(b, "of them not given: %" PRId64 "; ", s->missing);
	if (is_nullable(field))
		sheaf_builder_printf(b, "missing: %" PRId64 "; with a code: %" PRId64 "; ", s->missing, s->coded);
	sheaf_builder_printf(b,
	                     "values: %" PRId64 "; zeros: %" PRId64 "; nan: %" PRId64 "; infinite: %" PRId64 "\n",
	                     s->values, s->zeros, s->nans, s->infinities);
	if (finite_values(s) && has_range(field)) {
		sheaf_builder_text(b, "  value: "), put_extreme(b, s->least, field);
		sheaf_builder_text(b, " to "), put_extreme(b, s->most, field);
		if (has_sum(field))
			sheaf_builder_printf(b, ", mean %.6g, sum ", mean(s->sum + s->lost, finite_values(s))),
				sheaf_json_real(b, s->sum + s->lost);
		sheaf_builder_byte(b, '\n');
	}
	if (sheaf_field_is_stream(field)) sheaf_spread_text(b, "samples in a sequence", &s->lengths);
	if (!sparse) return;
	sheaf_spread_text(b, "stored values in a sample", &s->entries);
	sheaf_builder_printf(b, "  density: %.6g; indices: %" PRId64 " to %" PRId64 "\n", density(s, field),
	                     s->least_index, s->most_index);
}

static void put_begin(sheaf_builder *b, const sheaf_stats *stats, bool json)
{
	static const char *const words[] = {"sequences", "rows", "entries", "tensors"};
	const char *word = words[stats->schema.rows];
	int key = sheaf_schema_key(&stats->schema);
	const char *keys = key < 0 || stats->fields[key].ordinal ? "ordinal" : "explicit";
	if (stats->schema.rows != SHEAF_SEQUENCES)
		sheaf_builder_printf(b, json ? "{\"%s\":%" PRId64 ",\"columns\":[" : "%s: %" PRId64 "\n", word,
		                     stats->rows);
	else if (json)
		sheaf_builder_printf(b, "{\"sequences\":%" PRId64 ",\"keys\":\"%s\",\"streams\":[", stats->rows,
		                     keys);
	else
		sheaf_builder_printf(b, "sequences: %" PRId64 "; keys: %s\n", stats->rows, keys);
}

sheaf_status sheaf_stats_text(const sheaf_stats *stats, sheaf_style style, sheaf_buffer *out,
                              sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(stats, "statistics");
	SHEAF_EXPECT((unsigned)style <= SHEAF_JSON, "a style", (int)style);
	sheaf_builder b;
	bool json = style == SHEAF_JSON, first = true;
	sheaf_builder_begin(&b, stats->cx, out);
	put_begin(&b, stats, json);
	for (int f = 0; f < stats->schema.nfields; f++) {
		sheaf_meaning meaning = stats->schema.fields[f].meaning;
		/* Coordinates are looked at all together: sheaf/tensor.h. */
		if (meaning == SHEAF_KEY || (meaning == SHEAF_COORDINATE && stats->schema.rows == SHEAF_ENTRIES))
			continue;
		if (json && !first) sheaf_builder_byte(&b, ',');
		(json ? json_field : text_field)(&b, &stats->schema.fields[f], &stats->fields[f]);
		first = false;
	}
	if (json) sheaf_builder_text(&b, "]}\n");
	return sheaf_builder_finish(&b, out, err);
}
