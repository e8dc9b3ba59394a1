/* SPDX-License-Identifier: MIT */
/* Joining, as CNTK's composite reader does it: the first dataset leads; a row of it whose key another one lacks is dropped and counted; rows of the
 * others that have no partner are never asked for. */
#include "base/context.h"
#include "base/memory.h"
#include "batch/supply.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct keyed_row {
	uint64_t key;
	int64_t row;
} keyed_row;

/* The rows of one part, by key. */
typedef struct key_table {
	keyed_row *rows;
	int64_t count;
} key_table;

static int by_key(const void *a, const void *b)
{
	const keyed_row *x = (const keyed_row *)a, *y = (const keyed_row *)b;
	if (x->key != y->key) return x->key < y->key ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* ---- keys ---- */

static void put_keys(key_table *table, const sheaf_frame *frame, int key, int64_t first)
{
	for (int64_t r = 0; r < frame->nrows && first + r < table->count; r++) {
		uint64_t number = (uint64_t)(first + r);
		table->rows[first + r] = (keyed_row){key < 0 ? number : ((const uint64_t *)(const void *)frame->columns[key].values.data)[r], first + r};
	}
}

/* Findings are told when the rows are read for a batch. */
static sheaf_status read_keys(const sheaf_part *part, key_table *table, sheaf_context *quiet, sheaf_error *err)
{
	int key = sheaf_schema_key(sheaf_dataset_schema(part->dataset));
	sheaf_frame frame = {0};
	sheaf_status status = SHEAF_OK;
	for (int64_t i = 0; i < sheaf_pieces_count(part->pieces) && status == SHEAF_OK; i++) {
		sheaf_piece_entry entry;
		sheaf_pieces_at(part->pieces, i, &entry);
		status = sheaf_dataset_read_piece(part->dataset, i, &frame, quiet, err);
		if (status == SHEAF_OK) put_keys(table, &frame, key, entry.row);
		if (status == SHEAF_OK) status = sheaf_check_stop(quiet, err);
	}
	sheaf_frame_free(&frame);
	return status;
}

static void free_table(key_table *table, sheaf_context *cx)
{
	if (table->rows) sheaf_release(cx, table->rows, (size_t)table->count * sizeof *table->rows);
	*table = (key_table){0};
}

static sheaf_status make_key_table(const sheaf_part *part, key_table *table, sheaf_context *cx, sheaf_error *err)
{
	void *rows;
	sheaf_context *quiet;
	*table = (key_table){.count = sheaf_pieces_rows(part->pieces)};
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)table->count, sizeof *table->rows, &rows, err));
	table->rows = (keyed_row *)rows;
	sheaf_status status = sheaf_context_quiet(cx, &quiet, err);
	if (status == SHEAF_OK) {
		status = read_keys(part, table, quiet, err);
		sheaf_context_free(quiet);
	}
	if (status) free_table(table, cx);
	return status;
}

/* The first row of a key, or -1. */
static int64_t find_row(const key_table *table, uint64_t key)
{
	int64_t low = 0, high = table->count;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (table->rows[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && table->rows[low].key == key ? table->rows[low].row : -1;
}

/* ---- partners ---- */

static sheaf_status warn_of_repeats(const sheaf_part *part, const key_table *table, sheaf_context *cx, sheaf_error *err)
{
	char found[80];
	for (int64_t i = 1; i < table->count; i++) {
		if (table->rows[i].key != table->rows[i - 1].key) continue;
		snprintf(found, sizeof found, "key %" PRIu64 " again", table->rows[i].key);
		sheaf_problem problem = {
			SHEAF_WARNING, SHEAF_DATA, "key repeated", SHEAF_NOWHERE, "each key once in an input that is joined", found, "its first sequence is taken"};
		problem.place.file = sheaf_source_name(sheaf_dataset_source(part->dataset));
		problem.place.row = table->rows[i].row;
		SHEAF_TRY(sheaf_report(cx, &problem, err));
	}
	return SHEAF_OK;
}

/* Partners of all rows of the first part in one more; -1 where there is none. */
static sheaf_status find_partners(sheaf_supply *s, int lane, const key_table *leading, sheaf_error *err)
{
	key_table table;
	SHEAF_TRY(make_key_table(&s->parts[lane], &table, s->cx, err));
	qsort(table.rows, (size_t)table.count, sizeof *table.rows, by_key);
	sheaf_status status = warn_of_repeats(&s->parts[lane], &table, s->cx, err);
	for (int64_t r = 0; r < leading->count; r++) s->matches[lane * s->match_room + r] = find_row(&table, leading->rows[r].key);
	free_table(&table, s->cx);
	return status;
}

static bool has_all(const sheaf_supply *s, int64_t row)
{
	for (int lane = 1; lane < s->lanes; lane++)
		if (s->matches[lane * s->match_room + row] < 0) return false;
	return true;
}

static void leave_out_the_rest(sheaf_supply *s)
{
	for (int64_t r = 0; r < s->match_room; r++)
		if (has_all(s, r)) s->matches[s->matched++] = r; /* lane 0, which has not been used so far */
	for (int lane = 1; lane < s->lanes; lane++) {
		int64_t *rows = s->matches + lane * s->match_room;
		for (int64_t k = 0; k < s->matched; k++) rows[k] = rows[s->matches[k]];
	}
}

static sheaf_status tell_of_dropped(const sheaf_supply *s, sheaf_error *err)
{
	char found[80];
	if (s->matched == s->match_room) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " sequences without one", s->match_room - s->matched);
	sheaf_problem problem = {SHEAF_WARNING, SHEAF_DATA,         "key without a partner", SHEAF_NOWHERE, "a partner in each joined input for every sequence",
	                         found,         "they are left out"};
	problem.place.file = sheaf_source_name(sheaf_dataset_source(s->parts->dataset));
	return sheaf_report(s->cx, &problem, err);
}

/* ---- lengths ---- */

static int main_lane(const sheaf_supply *s)
{
	for (int f = 0; f < s->schema.nfields; f++)
		if (s->schema.fields[f].main) return s->origins[f].lane;
	return -1;
}

/* The longest of a row's parts; that of the main stream where one is named. */
static sheaf_status measure(sheaf_supply *s, sheaf_error *err)
{
	int leading = main_lane(s);
	for (int lane = 0; lane < s->lanes; lane++) {
		if (leading >= 0 && lane != leading) continue;
		for (int64_t k = 0; k < s->matched; k++) {
			uint32_t length;
			SHEAF_TRY(sheaf_pieces_lengths(s->parts[lane].pieces, s->matches[lane * s->match_room + k], 1, &length, err));
			if (length > s->lengths[k]) s->lengths[k] = length;
		}
	}
	return SHEAF_OK;
}

/* ---- */

static sheaf_status match_all(sheaf_supply *s, const key_table *leading, sheaf_error *err)
{
	for (int lane = 1; lane < s->lanes; lane++) SHEAF_TRY(find_partners(s, lane, leading, err));
	leave_out_the_rest(s);
	SHEAF_TRY(tell_of_dropped(s, err));
	return measure(s, err);
}

static sheaf_status allocate(sheaf_supply *s, sheaf_error *err)
{
	void *matches, *lengths;
	s->match_room = sheaf_pieces_rows(s->parts->pieces);
	SHEAF_TRY(sheaf_allocate_array(s->cx, (size_t)s->match_room * (size_t)s->lanes, sizeof *s->matches, &matches, err));
	s->matches = (int64_t *)matches;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (size_t)s->match_room, sizeof *s->lengths, &lengths, err));
	s->lengths = (uint32_t *)lengths;
	return SHEAF_OK;
}

sheaf_status sheaf_supply_join(sheaf_supply *s, sheaf_error *err)
{
	key_table leading;
	SHEAF_TRY(allocate(s, err));
	SHEAF_TRY(make_key_table(&s->parts[0], &leading, s->cx, err));
	sheaf_status status = match_all(s, &leading, err);
	free_table(&leading, s->cx);
	return status;
}
