/* SPDX-License-Identifier: MIT */
/* The content hash. Each row of each column is hashed with the row's number as the seed and the results are
 * summed, so that rows can be divided in any way and hashed on any number of threads. The hash covers the
 * canonical form that comparison uses: runs as counts, entries as (index, value). */
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/third/xxhash.h"
#include "frame/compare.h"
#include "frame/frame.h"
#include "frame/value.h"
#include <math.h>
#include <sheaf/report.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 256 };

struct sheaf_hash {
	sheaf_context *cx;
	sheaf_schema schema;
	sheaf_digest *sums; /* one for each field */
	void *state;
	sheaf_builder order; /* of a sample whose entries come in another; keeps what fails */
	int64_t rows, next; /* rows hashed; number of the next one */
	bool keys, types;
};

sheaf_status sheaf_hash_new(const sheaf_schema *schema, bool keys, bool types, sheaf_context *cx,
                            sheaf_hash **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	void *memory;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_hash), &memory, err));
	sheaf_hash *hash = (sheaf_hash *)memory;
	*hash = (sheaf_hash){.cx = cx, .keys = keys, .types = types};
	sheaf_builder_begin(&hash->order, cx, NULL);
	sheaf_status status = sheaf_schema_copy(schema, cx, &hash->schema, err);
	if (status == SHEAF_OK) status = sheaf_allocate(cx, sheaf_xxhash_state_size(), &hash->state, err);
	if (status == SHEAF_OK)
		status = sheaf_allocate_array(cx, (uint64_t)schema->nfields + 1, sizeof *hash->sums, &memory, err);
	if (status) {
		sheaf_hash_free(hash);
		return status;
	}
	hash->sums = (sheaf_digest *)memory;
	*out = hash;
	return SHEAF_OK;
}

void sheaf_hash_free(sheaf_hash *hash)
{
	if (!hash) return;
	sheaf_release(hash->cx, hash->sums, ((size_t)hash->schema.nfields + 1) * sizeof *hash->sums);
	sheaf_release(hash->cx, hash->state, sheaf_xxhash_state_size());
	sheaf_builder_drop(&hash->order);
	sheaf_schema_free(&hash->schema);
	sheaf_release(hash->cx, hash, sizeof *hash);
}

static void add_count(void *state, int64_t n) { sheaf_xxhash_add_numbers(state, &n, 1, sizeof n); }

static void add_sum(void *state, sheaf_digest sum)
{
	sheaf_xxhash_add_numbers(state, &sum.low, 1, sizeof sum.low);
	sheaf_xxhash_add_numbers(state, &sum.high, 1, sizeof sum.high);
}

/* A word for each value: for floats the bits of the float64, where all NaNs are the same. */
static void take_words(const sheaf_column *column, int64_t at, int64_t n, uint64_t words[BATCH])
{
	sheaf_canon canon[BATCH];
	const float *narrow = (const float *)(const void *)column->values.data + at;
	if (column->type == SHEAF_F32) {
		for (int64_t k = 0; k < n; k++) {
			double v = (double)narrow[k];
			if (v != v) v = (double)NAN;
			memcpy(&words[k], &v, sizeof *words);
		}
		return;
	}
	sheaf_canon_items(column, at, n, canon);
	for (int64_t k = 0; k < n; k++) {
		memcpy(&words[k], &canon[k].nearest, sizeof *words);
		words[k] += (uint64_t)canon[k].rest * 0x9e3779b97f4a7c15u;
	}
}

static bool come_in_order(const sheaf_level *level, sheaf_run run)
{
	int64_t before = -1;
	for (int64_t p = run.begin; p < run.end; p++) {
		int64_t index = sheaf_level_index(level, 0, p);
		if (index < before) return false;
		before = index;
	}
	return true;
}

/* As if they came by their indices: comparison does not see the order. */
static void add_sorted(sheaf_hash *hash, const sheaf_column *column, const sheaf_level *level, sheaf_run run)
{
	uint64_t words[BATCH], pair[2];
	hash->order.size = 0;
	sheaf_sort_sample(level, run, &hash->order);
	const sheaf_sample_entry *entries = (const sheaf_sample_entry *)(const void *)hash->order.data;
	for (size_t i = 0; i < hash->order.size / sizeof *entries; i++) {
		take_words(column, entries[i].at, 1, words);
		pair[0] = (uint64_t)entries[i].index;
		pair[1] = words[0];
		sheaf_xxhash_add_numbers(hash->state, pair, 2, sizeof *pair);
	}
}

/* All entries at once: index and value words. `level` NULL: a bare value. */
static void add_entries(sheaf_hash *hash, const sheaf_column *column, const sheaf_level *level, sheaf_run run)
{
	void *state = hash->state;
	uint64_t words[BATCH], pairs[2 * BATCH];
	bool indexed = level && level->shape.kind == SHEAF_COORD;
	if (indexed && !come_in_order(level, run)) {
		add_sorted(hash, column, level, run);
		return;
	}
	for (int64_t at = run.begin; at < run.end; at += BATCH) {
		int64_t n = run.end - at < BATCH ? run.end - at : BATCH;
		take_words(column, at, n, words);
		if (!level) {
			sheaf_xxhash_add_numbers(state, words, (size_t)n, sizeof *words);
			continue;
		}
		for (int64_t k = 0; k < n; k++) {
			pairs[2 * k] = (uint64_t)(indexed ? sheaf_level_index(level, 0, at + k) : at + k - run.begin);
			pairs[2 * k + 1] = words[k];
		}
		sheaf_xxhash_add_numbers(state, pairs, (size_t)n * 2, sizeof *pairs);
	}
}

static void add_position(sheaf_hash *hash, const sheaf_column *column, int l, int64_t p)
{
	void *state = hash->state;
	if (l == column->nlevels) {
		add_entries(hash, column, NULL, (sheaf_run){p, p + 1});
		return;
	}
	const sheaf_level *level = &column->levels[l];
	if (sheaf_level_is_null(level, p)) {
		add_count(state, -1 - sheaf_level_code(level, p));
		return;
	}
	sheaf_run run = sheaf_level_below_one(level, p);
	bool item = sheaf_level_is_item(column, l), indexed = level->shape.kind != SHEAF_LIST && !item;
	if (item && !sheaf_means_run(column->meaning)) {
		add_entries(hash, column, NULL, run); /* as if it could not be missing */
		return;
	}
	add_count(state, sheaf_run_length(run));
	if (l + 1 == column->nlevels && level->shape.rank <= 1) {
		add_entries(hash, column, indexed ? level : NULL, run);
		return;
	}
	for (int64_t q = run.begin; q < run.end; q++) {
		for (int r = 0; r < level->shape.rank; r++) add_count(state, sheaf_level_index(level, r, q));
		if (level->shape.kind == SHEAF_FIXED) add_count(state, q - run.begin);
		add_position(hash, column, l + 1, q);
	}
}

/* Entries of a tensor are hashed one by one, whatever their order. */
static void add_tensor(sheaf_hash *hash, const sheaf_frame *frame)
{
	for (int64_t r = 0; r < frame->nrows; r++) {
		sheaf_xxhash_begin(hash->state, 4);
		for (int c = 0; c < frame->ncolumns; c++) add_position(hash, &frame->columns[c], 0, r);
		sheaf_digest entry = sheaf_xxhash_end(hash->state);
		hash->sums[0].low += entry.low;
		hash->sums[0].high += entry.high;
	}
	hash->rows += frame->nrows;
}

sheaf_status sheaf_hash_add(sheaf_hash *hash, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_NEED(hash, "a hash");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &hash->schema, err));
	if (hash->schema.rows == SHEAF_ENTRIES) {
		add_tensor(hash, frame);
		return sheaf_builder_status(&hash->order, err);
	}
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_field *field = &hash->schema.fields[c];
		if (field->meaning == SHEAF_KEY && !hash->keys) continue;
		for (int64_t r = 0; r < frame->nrows; r++) {
			if (field->loss && sheaf_row_is_usual(&frame->columns[c], field, r)) continue;
			sheaf_xxhash_begin(hash->state, (uint64_t)(hash->next + r));
			add_position(hash, &frame->columns[c], 0, r);
			sheaf_digest row = sheaf_xxhash_end(hash->state);
			hash->sums[c].low += row.low;
			hash->sums[c].high += row.high;
		}
	}
	if (hash->keys && sheaf_schema_key(&hash->schema) < 0) {
		/* For rows without keys, their numbers are the keys. */
		for (int64_t r = 0; r < frame->nrows; r++) {
			sheaf_canon c;
			uint64_t number = (uint64_t)(hash->next + r), bits;
			sheaf_canon_values(SHEAF_U64, &number, 0, 1, &c);
			memcpy(&bits, &c.nearest, sizeof bits);
			bits += (uint64_t)c.rest * 0x9e3779b97f4a7c15u;
			sheaf_digest row = sheaf_xxhash_numbers(&bits, 1, sizeof bits, number);
			hash->sums[hash->schema.nfields].low += row.low;
			hash->sums[hash->schema.nfields].high += row.high;
		}
	}
	hash->rows += frame->nrows;
	hash->next += frame->nrows;
	return sheaf_builder_status(&hash->order, err);
}

void sheaf_hash_go_on_at(sheaf_hash *hash, int64_t row)
{
	if (hash) hash->next = row;
}

/* ---- hashes that add up ---- */

enum { SAVED_HEAD = 16, SAVED_SUM = 16 };

static size_t saved_size(const sheaf_hash *hash)
{
	return SAVED_HEAD + ((size_t)hash->schema.nfields + 1) * SAVED_SUM;
}

sheaf_status sheaf_hash_save(const sheaf_hash *hash, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(hash, "a hash");
	sheaf_builder_begin(&b, hash->cx, NULL);
	sheaf_builder_u32le(&b, (uint32_t)hash->schema.nfields);
	sheaf_builder_u32le(&b, (hash->keys ? 1U : 0U) | (hash->types ? 2U : 0U));
	sheaf_builder_u64le(&b, (uint64_t)hash->rows);
	for (int c = 0; c <= hash->schema.nfields; c++) {
		sheaf_builder_u64le(&b, hash->sums[c].low);
		sheaf_builder_u64le(&b, hash->sums[c].high);
	}
	return sheaf_builder_finish(&b, out, err);
}

sheaf_status sheaf_hash_merge(sheaf_hash *hash, const void *data, size_t size, sheaf_error *err)
{
	SHEAF_NEED(hash, "a hash");
	SHEAF_NEED(data, "a saved hash");
	sheaf_cursor c = sheaf_cursor_over((const uint8_t *)data, size, 0);
	uint32_t fields = sheaf_cursor_u32le(&c, "number of columns"), kind = sheaf_cursor_u32le(&c, "kind");
	int64_t rows = sheaf_cursor_i64le(&c, "rows");
	bool fits = size == saved_size(hash) && fields == (uint32_t)hash->schema.nfields && rows >= 0 &&
	            kind == ((hash->keys ? 1U : 0U) | (hash->types ? 2U : 0U)) && rows <= INT64_MAX - hash->rows;
	if (!fits) return sheaf_fail(err, SHEAF_DATA, "hash: expected one of the same columns, found another");
	hash->rows += rows;
	for (int f = 0; f <= hash->schema.nfields; f++) {
		hash->sums[f].low += sheaf_cursor_u64le(&c, "sum");
		hash->sums[f].high += sheaf_cursor_u64le(&c, "sum");
	}
	return SHEAF_OK;
}

static sheaf_digest finish_column(const sheaf_hash *hash, const char *name, const sheaf_field *field,
                                  sheaf_digest sum)
{
	void *state = hash->state;
	sheaf_xxhash_begin(state, 1);
	sheaf_xxhash_add(state, name, strlen(name) + 1);
	add_sum(state, sum);
	if (field && hash->types && field->meaning != SHEAF_KEY) {
		add_count(state, (int64_t)field->type);
		for (int l = 0; l < field->nlevels; l++)
			add_count(state, (int64_t)field->levels[l].kind), add_count(state, field->levels[l].extent);
	}
	return sheaf_xxhash_end(state);
}

static sheaf_digest finish_attribute(const sheaf_hash *hash, const sheaf_attribute *attribute)
{
	sheaf_xxhash_begin(hash->state, 3);
	sheaf_xxhash_add(hash->state, attribute->name, strlen(attribute->name) + 1);
	sheaf_xxhash_add(hash->state, attribute->text, strlen(attribute->text) + 1);
	return sheaf_xxhash_end(hash->state);
}

/* The shape, the value that is not stored, and the sum over the entries; the names of coordinates do not
 * matter. */
static sheaf_digest finish_tensor(const sheaf_hash *hash)
{
	const sheaf_tensor *tensor = &hash->schema.tensor;
	int value = sheaf_schema_value(&hash->schema);
	sheaf_canon fill[2] = {{0, 0}, {0, 0}};
	if (tensor->has_fill && value >= 0)
		sheaf_canon_values(hash->schema.fields[value].type, tensor->fill, 0,
		                   hash->schema.fields[value].meaning == SHEAF_COMPLEX ? 2 : 1, fill);
	sheaf_xxhash_begin(hash->state, 5);
	for (int d = 0; d < tensor->rank; d++) add_count(hash->state, tensor->shape[d]);
	for (int i = 0; i < 2; i++) {
		sheaf_xxhash_add_numbers(hash->state, &fill[i].nearest, 1, sizeof fill[i].nearest);
		add_count(hash->state, fill[i].rest);
	}
	if (hash->types && value >= 0) add_count(hash->state, (int64_t)hash->schema.fields[value].type);
	add_sum(hash->state, hash->sums[0]);
	return sheaf_xxhash_end(hash->state);
}

void sheaf_hash_text(const sheaf_hash *hash, char text[33])
{
	if (!text) return;
	text[0] = '\0';
	if (!hash) return;
	/* Columns are summed: their order does not matter, their names do. */
	sheaf_digest total = {0, 0};
	bool keyed = false, tensor = hash->schema.rows == SHEAF_ENTRIES;
	if (tensor) total = finish_tensor(hash);
	for (int c = 0; c < hash->schema.nfields && !tensor; c++) {
		const sheaf_field *field = &hash->schema.fields[c];
		if (field->meaning == SHEAF_KEY && !hash->keys) continue;
		if (field->loss && hash->sums[c].low == 0 && hash->sums[c].high == 0)
			continue; /* a column without any content is like one that is not there */
		keyed |= field->meaning == SHEAF_KEY;
		sheaf_digest d =
			finish_column(hash, field->meaning == SHEAF_KEY ? "" : field->name, field, hash->sums[c]);
		total.low += d.low, total.high += d.high;
	}
	if (hash->keys && !keyed) {
		sheaf_digest d = finish_column(hash, "", NULL, hash->sums[hash->schema.nfields]);
		total.low += d.low, total.high += d.high;
	}
	for (int i = 0; i < hash->schema.nattributes; i++) {
		if (!hash->schema.attributes[i].loss) continue;
		sheaf_digest d = finish_attribute(hash, &hash->schema.attributes[i]);
		total.low += d.low, total.high += d.high;
	}
	sheaf_xxhash_begin(hash->state, 2);
	add_count(hash->state, hash->rows);
	add_sum(hash->state, total);
	sheaf_digest end = sheaf_xxhash_end(hash->state);
	snprintf(text, 33, "%016llx%016llx", (unsigned long long)end.high, (unsigned long long)end.low);
}
