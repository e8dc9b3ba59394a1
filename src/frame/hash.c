/* SPDX-License-Identifier: MIT */
/* The content hash. Each row of each column is hashed with the row's number as the seed and the results are
 * summed, so that rows can be divided in any way and hashed on any number of threads. The hash covers the
 * canonical form that comparison uses: runs as counts, entries as (index, value). What compares equal has one
 * hash, whatever format, element type and storage it came from.
 *
 *     digest           seed          what is hashed
 *     of a row         its number    each position: its length, or -1 - code if it is missing; then entries
 *     of a column      1             its name and the sum over the rows; with `types` also type and levels
 *     of all           2             the number of rows, and the sum over columns and attributes
 *     of an attribute  3             its name and its text
 *     of an entry      4             its coordinates and its value
 *     of a tensor      5             its shape, fill value, and the sum over entries; with `types` its type
 *
 * People keep such hashes to compare them with later ones, so no change of the code may change them. */
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
	sheaf_digest *sums; /* one for each field, and one for the numbers of rows without keys */
	void *state;
	sheaf_builder order; /* of a sample whose entries come in another; keeps what fails */
	int64_t rows, next;  /* rows hashed; number of the next one */
	bool keys, types;
};

sheaf_status sheaf_hash_new(const sheaf_schema *schema, bool keys, bool types, sheaf_context *cx,
                            sheaf_hash **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	sheaf_hash *hash;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_hash), &hash, err));
	*hash = (sheaf_hash){.cx = cx, .keys = keys, .types = types};
	sheaf_builder_begin(&hash->order, cx, NULL);
	sheaf_status status = sheaf_schema_copy(schema, cx, &hash->schema, err);
	if (!status) status = sheaf_allocate(cx, sheaf_xxhash_state_size(), &hash->state, err);
	if (!status)
		status =
			sheaf_allocate_array(cx, (uint64_t)schema->nfields + 1, sizeof *hash->sums, &hash->sums, err);
	if (status)
		sheaf_hash_free(hash);
	else
		*out = hash;
	return status;
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
	sheaf_xxhash_add_numbers(state, &sum, 2, sizeof sum.low);
}

/* Adds one digest to a sum, modulo 2^64 in each half. Sums do not depend on the order in which rows, columns
 * and threads come. */
static void add_to(sheaf_digest *sum, sheaf_digest more)
{
	sum->low += more.low;
	sum->high += more.high;
}

/* The word that is hashed for a value: the bits of its nearest double, changed if the value has a rest beside
 * it, which only integers have that doubles do not hold. */
static uint64_t word_of(sheaf_canon canon)
{
	uint64_t word;
	memcpy(&word, &canon.nearest, sizeof word);
	return word + (uint64_t)canon.rest * 0x9e3779b97f4a7c15u;
}

/* Makes a word for each of n values of a column, from position `at` on: for floats the bits of the float64,
 * where all NaNs are the same. Float32s, which are frequent, take a shorter way to the same words. */
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
	for (int64_t k = 0; k < n; k++) words[k] = word_of(canon[k]);
}

/* Hashes the entries of a run as if they came by their indices: comparison does not see the order. */
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

/* Hashes all entries of a run: for each its index and its word. Entries of a FIXED level have the indices 0,
 * 1, 2 and so on; `level` NULL stands for bare values, without indices. Entries of a COORD level whose
 * indices descend somewhere are sorted first. */
static void add_entries(sheaf_hash *hash, const sheaf_column *column, const sheaf_level *level, sheaf_run run)
{
	uint64_t words[BATCH], pairs[2 * BATCH];
	bool indexed = level && level->shape.kind == SHEAF_COORD;
	int64_t descent = indexed ? run.begin : run.end; /* the first entry with an index below the one before */
	for (int64_t before = -1; descent < run.end; descent++) {
		int64_t index = sheaf_level_index(level, 0, descent);
		if (index < before) break;
		before = index;
	}
	if (descent < run.end) {
		add_sorted(hash, column, level, run);
		return;
	}
	for (int64_t at = run.begin; at < run.end; at += BATCH) {
		int64_t n = run.end - at < BATCH ? run.end - at : BATCH;
		take_words(column, at, n, words);
		if (!level) {
			sheaf_xxhash_add_numbers(hash->state, words, (size_t)n, sizeof *words);
			continue;
		}
		for (int64_t k = 0; k < n; k++) {
			pairs[2 * k] = (uint64_t)(indexed ? sheaf_level_index(level, 0, at + k) : at + k - run.begin);
			pairs[2 * k + 1] = words[k];
		}
		sheaf_xxhash_add_numbers(hash->state, pairs, (size_t)n * 2, sizeof *pairs);
	}
}

/* Hashes everything below position p of level l: a length, then what it covers, or -1 - code if it is
 * missing. An item that may be missing, but is not, is hashed as if it could not be (`bare`). At the last
 * level entries are hashed at once, unless they have several indices each; other levels are walked down
 * position by position. */
static void add_position(sheaf_hash *hash, const sheaf_column *column, int l, int64_t p)
{
	if (l == column->nlevels) {
		add_entries(hash, column, NULL, (sheaf_run){p, p + 1});
		return;
	}
	const sheaf_level *level = &column->levels[l];
	if (sheaf_level_is_null(level, p)) {
		add_count(hash->state, -1 - sheaf_level_code(level, p));
		return;
	}
	sheaf_run run = sheaf_level_below_one(level, p);
	bool item = sheaf_level_is_item(column, l), bare = item && !sheaf_means_run(column->meaning);
	if (!bare) add_count(hash->state, sheaf_run_length(run));
	if (bare || (l + 1 == column->nlevels && level->shape.rank <= 1)) {
		add_entries(hash, column, item || level->shape.kind == SHEAF_LIST ? NULL : level, run);
		return;
	}
	for (int64_t q = run.begin; q < run.end; q++) {
		for (int r = 0; r < level->shape.rank; r++) add_count(hash->state, sheaf_level_index(level, r, q));
		if (level->shape.kind == SHEAF_FIXED) add_count(hash->state, q - run.begin);
		add_position(hash, column, l + 1, q);
	}
}

/* Entries of a tensor are hashed one by one, and added to one sum, so that their order does not matter. Of
 * any other rows each column is hashed by itself, row by row with the row's number as the seed. A row of a
 * column beside the content (`loss`) that says nothing more than usual is left out, as if the column were not
 * there. */
sheaf_status sheaf_hash_add(sheaf_hash *hash, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	SHEAF_NEED(hash, "a hash");
	SHEAF_EXPECT(row >= -1, "a row of at least -1", row);
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &hash->schema, err));
	if (row >= 0) hash->next = row;
	bool entries = hash->schema.rows == SHEAF_ENTRIES;
	bool numbered = hash->keys && !entries && sheaf_schema_key(&hash->schema) < 0;
	for (int64_t r = 0; entries && r < frame->nrows; r++) {
		sheaf_xxhash_begin(hash->state, 4);
		for (int c = 0; c < frame->ncolumns; c++) add_position(hash, &frame->columns[c], 0, r);
		add_to(&hash->sums[0], sheaf_xxhash_end(hash->state));
	}
	for (int c = 0; !entries && c < frame->ncolumns; c++) {
		const sheaf_field *field = &hash->schema.fields[c];
		if (field->meaning == SHEAF_KEY && !hash->keys) continue;
		for (int64_t r = 0; r < frame->nrows; r++) {
			if (field->loss && sheaf_row_is_usual(&frame->columns[c], field, r)) continue;
			sheaf_xxhash_begin(hash->state, (uint64_t)(hash->next + r));
			add_position(hash, &frame->columns[c], 0, r);
			add_to(&hash->sums[c], sheaf_xxhash_end(hash->state));
		}
	}
	/* For rows without keys, their numbers are the keys. */
	for (int64_t r = 0; numbered && r < frame->nrows; r++) {
		sheaf_canon canon;
		uint64_t number = (uint64_t)(hash->next + r);
		sheaf_canon_values(SHEAF_U64, &number, 0, 1, &canon);
		uint64_t word = word_of(canon);
		add_to(&hash->sums[hash->schema.nfields], sheaf_xxhash_numbers(&word, 1, sizeof word, number));
	}
	hash->rows += frame->nrows;
	hash->next += frame->nrows;
	return sheaf_builder_status(&hash->order, err);
}

/* ---- hashes that add up ----
 *
 * A process saves the sums of its rows, and another one merges them into its own:
 *
 *     u32 number of fields | u32 keys, types << 1 | u64 rows | u64 low, u64 high of each sum */

enum { SAVED_HEAD = 16, SAVED_SUM = 16 };

static uint32_t kind_of(const sheaf_hash *hash) { return hash->keys | (uint32_t)hash->types << 1; }

sheaf_status sheaf_hash_save(const sheaf_hash *hash, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(hash, "a hash");
	sheaf_builder_begin(&b, hash->cx, NULL);
	sheaf_builder_u32le(&b, (uint32_t)hash->schema.nfields);
	sheaf_builder_u32le(&b, kind_of(hash));
	sheaf_builder_u64le(&b, (uint64_t)hash->rows);
	for (int c = 0; c <= hash->schema.nfields; c++) {
		sheaf_builder_u64le(&b, hash->sums[c].low);
		sheaf_builder_u64le(&b, hash->sums[c].high);
	}
	return sheaf_builder_finish(&b, out, err);
}

/* Nothing is added before it is certain that these are sums of the same columns, and all of them. */
sheaf_status sheaf_hash_merge(sheaf_hash *hash, const void *data, size_t size, sheaf_error *err)
{
	SHEAF_NEED(hash, "a hash");
	SHEAF_NEED(data, "a saved hash");
	sheaf_cursor c = sheaf_cursor_over((const uint8_t *)data, size, 0);
	size_t nsums = (size_t)hash->schema.nfields + 1;
	uint32_t fields = sheaf_cursor_u32le(&c, "number of columns"), kind = sheaf_cursor_u32le(&c, "kind");
	int64_t rows = sheaf_cursor_i64le(&c, "rows");
	if (size != SAVED_HEAD + nsums * SAVED_SUM || fields != nsums - 1 || kind != kind_of(hash) || rows < 0 ||
	    rows > INT64_MAX - hash->rows)
		return sheaf_fail(err, SHEAF_DATA, "hash: expected one of the same columns, found another");
	hash->rows += rows;
	for (size_t f = 0; f < nsums; f++) {
		hash->sums[f].low += sheaf_cursor_u64le(&c, "sum");
		hash->sums[f].high += sheaf_cursor_u64le(&c, "sum");
	}
	return SHEAF_OK;
}

/* ---- the outcome ---- */

/* The digest of a column: of its name, its sum and, if types count, its type and levels. `field` NULL stands
 * for the numbers of rows, which count as keys do. */
static sheaf_digest finish_column(const sheaf_hash *hash, const sheaf_field *field, sheaf_digest sum)
{
	bool key = !field || field->meaning == SHEAF_KEY;
	const char *name = key ? "" : field->name;
	sheaf_xxhash_begin(hash->state, 1);
	sheaf_xxhash_add(hash->state, name, strlen(name) + 1);
	add_sum(hash->state, sum);
	if (!key && hash->types) {
		add_count(hash->state, (int64_t)field->type);
		for (int l = 0; l < field->nlevels; l++) {
			add_count(hash->state, (int64_t)field->levels[l].kind);
			add_count(hash->state, field->levels[l].extent);
		}
	}
	return sheaf_xxhash_end(hash->state);
}

/* The digest of a tensor: of its shape, the value that is not stored, and the sum over the entries; the names
 * of coordinates do not matter. */
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

/* Ends the hash: sums the digests of columns and attributes, and hashes that sum with the number of rows. The
 * order of columns does not matter, their names do. A column beside the content whose sum is 0, since all its
 * rows are usual, is like one that is not there. */
void sheaf_hash_text(const sheaf_hash *hash, char text[33])
{
	if (!text) return;
	text[0] = '\0';
	if (!hash) return;
	sheaf_digest total = {0, 0};
	bool keyed = false, tensor = hash->schema.rows == SHEAF_ENTRIES;
	if (tensor) total = finish_tensor(hash);
	for (int c = 0; c < hash->schema.nfields && !tensor; c++) {
		const sheaf_field *field = &hash->schema.fields[c];
		if (field->meaning == SHEAF_KEY && !hash->keys) continue;
		if (field->loss && hash->sums[c].low == 0 && hash->sums[c].high == 0) continue;
		keyed |= field->meaning == SHEAF_KEY;
		add_to(&total, finish_column(hash, field, hash->sums[c]));
	}
	if (hash->keys && !keyed) add_to(&total, finish_column(hash, NULL, hash->sums[hash->schema.nfields]));
	for (int i = 0; i < hash->schema.nattributes; i++) {
		const sheaf_attribute *attribute = &hash->schema.attributes[i];
		if (!attribute->loss) continue;
		sheaf_xxhash_begin(hash->state, 3);
		sheaf_xxhash_add(hash->state, attribute->name, strlen(attribute->name) + 1);
		sheaf_xxhash_add(hash->state, attribute->text, strlen(attribute->text) + 1);
		add_to(&total, sheaf_xxhash_end(hash->state));
	}
	sheaf_xxhash_begin(hash->state, 2);
	add_count(hash->state, hash->rows);
	add_sum(hash->state, total);
	sheaf_digest end = sheaf_xxhash_end(hash->state);
	snprintf(text, 33, "%016llx%016llx", (unsigned long long)end.high, (unsigned long long)end.low);
}
