/* SPDX-License-Identifier: MIT */
/* Joining, as CNTK's composite reader does it: the first dataset leads. A row of it whose key is missing in
 * another dataset is dropped and counted; rows of the others without a partner are never requested.
 *
 * First each dataset's keys are read, piece by piece on all threads. For each dataset but the first, its rows
 * are ranked by key, unless its keys ascend already, and each key of the first dataset is looked up. What is
 * left is s->matches: for each lane the number of its row, lane by lane, for each row of the joined table. */
#include "base/context.h"
#include "base/memory.h"
#include "base/threads/pipeline.h"
#include "batch/row_source.h"
#include "dataset/index/pieces.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The keys of one part's rows, in the order of the rows. */
typedef struct key_table {
	uint64_t *keys; /* NULL: the keys are the numbers of the rows */
	int64_t count;
} key_table;

static uint64_t key_of(const key_table *table, int64_t row)
{
	return table->keys ? table->keys[row] : (uint64_t)row;
}

static void free_keys(key_table *table, sheaf_context *cx)
{
	sheaf_release(cx, table->keys, (size_t)table->count * sizeof *table->keys);
	*table = (key_table){0};
}

/* ---- reading keys ---- */

/* The keys of one piece, which are read into their place in the table of keys. */
typedef struct item {
	sheaf_piece_entry entry;
	uint64_t *keys;
	sheaf_status status;
	sheaf_error err;
} item;

typedef struct reading {
	const sheaf_row_source_part *part;
	const key_table *table;
	sheaf_context *quiet; /* findings are reported when the rows are read for a batch */
	sheaf_pipeline pipeline;
	int64_t next; /* the first piece that was not submitted */
} reading;

/* The pipeline's step that reads the keys of one piece, on any thread; `user`: the reading, `memory`: the
 * item. */
static void read_piece(void *user, void *memory)
{
	const reading *r = (const reading *)user;
	item *i = (item *)memory;
	i->status = sheaf_dataset_read_keys(r->part->dataset, &i->entry, i->keys, r->quiet, &i->err);
}

/* Submits as many further pieces as the pipeline has free items. */
static void submit_more(reading *r)
{
	item *i;
	while (r->next < sheaf_pieces_count(r->part->pieces) &&
	       (i = (item *)sheaf_pipeline_free_item(&r->pipeline)) != NULL) {
		sheaf_pieces_at(r->part->pieces, r->next++, &i->entry);
		i->keys = r->table->keys + i->entry.row;
		sheaf_pipeline_submit(&r->pipeline);
	}
}

/* The keys of a part, read on all threads. If these are the numbers of its rows, nothing has to be read. On
 * failure there is no table. */
static sheaf_status make_key_table(const sheaf_row_source_part *part, key_table *table, sheaf_context *cx,
                                   sheaf_error *err)
{
	reading r = {.part = part, .table = table};
	const item *i;
	int threads = sheaf_context_threads(cx);
	*table = (key_table){.count = sheaf_pieces_rows(part->pieces)};
	if (sheaf_dataset_is_ordinal(part->dataset)) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)table->count, sizeof *table->keys, &table->keys, err));
	sheaf_status status = sheaf_context_quiet(cx, &r.quiet, err);
	if (status == SHEAF_OK) {
		status = sheaf_pipeline_open(&r.pipeline, cx, sizeof(item), threads > 1 ? threads + 1 : 1,
		                             (sheaf_pipeline_steps){.work = read_piece, .user = &r}, err);
		if (status == SHEAF_OK) submit_more(&r);
		while (status == SHEAF_OK && (i = (const item *)sheaf_pipeline_first(&r.pipeline)) != NULL) {
			status = i->status;
			if (status && err) *err = i->err;
			sheaf_pipeline_pass(&r.pipeline);
			submit_more(&r);
		}
		sheaf_pipeline_close(&r.pipeline);
		sheaf_context_free(r.quiet);
	}
	if (status) free_keys(table, cx);
	return status;
}

/* ---- rows by key ---- */

typedef struct keyed_row {
	uint64_t key;
	int64_t row;
} keyed_row;

/* The rows of a table by key: in their own order if keys ascend, as they mostly do. */
typedef struct ranking {
	const key_table *table;
	keyed_row *rows; /* NULL: as in the table */
	int64_t last;    /* the last one found: the next one mostly follows it */
} ranking;

static int by_key(const void *a, const void *b)
{
	const keyed_row *x = (const keyed_row *)a, *y = (const keyed_row *)b;
	if (x->key != y->key) return x->key < y->key ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static uint64_t ranked_key(const ranking *k, int64_t i)
{
	return k->rows ? k->rows[i].key : key_of(k->table, i);
}

/* The row of the table that has a key, the first one if it has several, or -1. A binary search in the
 * ranking, unless the key follows the one found last: then it is the first of its kind if that one is
 * smaller. */
static int64_t find_row(ranking *k, uint64_t key)
{
	int64_t low = 0, high = k->table->count, next = k->last + 1;
	bool follows = next < high && ranked_key(k, next) == key && ranked_key(k, k->last) < key;
	if (follows) low = high = next;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (ranked_key(k, middle) < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == k->table->count || ranked_key(k, low) != key) return -1;
	k->last = low;
	return k->rows ? k->rows[low].row : low;
}

/* ---- partners ---- */

/* Warns of each key that a part has again: only its first row is a partner. Keys that are the numbers of rows
 * cannot repeat. */
static sheaf_status warn_of_repeats(const sheaf_row_source_part *part, const ranking *k, sheaf_context *cx,
                                    sheaf_error *err)
{
	char found[80];
	for (int64_t i = 1; (k->rows || k->table->keys) && i < k->table->count; i++) {
		if (ranked_key(k, i) != ranked_key(k, i - 1)) continue;
		snprintf(found, sizeof found, "key %" PRIu64 " again", ranked_key(k, i));
		sheaf_problem problem = {SHEAF_WARNING,
		                         SHEAF_DATA,
		                         "key repeated",
		                         SHEAF_NOWHERE,
		                         "each key once in an input that is joined",
		                         found,
		                         "its first sequence is taken"};
		problem.place.file = sheaf_source_name(sheaf_dataset_source(part->dataset));
		problem.place.row = k->rows ? k->rows[i].row : i;
		SHEAF_TRY(sheaf_report(cx, &problem, err));
	}
	return SHEAF_OK;
}

/* Fills one lane of s->matches: for each row of the first part, whose keys are `leading`, the number of its
 * partner in that lane's part, or -1. Rows are sorted by key only if the keys do not ascend. */
static sheaf_status find_partners(sheaf_row_source *s, int lane, const key_table *leading, sheaf_error *err)
{
	key_table table;
	ranking k = {.table = &table};
	bool ascends = true;
	SHEAF_TRY(make_key_table(&s->parts[lane], &table, s->cx, err));
	for (int64_t r = 1; table.keys && ascends && r < table.count; r++)
		ascends = table.keys[r] >= table.keys[r - 1];
	sheaf_status status =
		ascends ? SHEAF_OK : sheaf_allocate_array(s->cx, (uint64_t)table.count, sizeof *k.rows, &k.rows, err);
	for (int64_t r = 0; k.rows && r < table.count; r++) k.rows[r] = (keyed_row){table.keys[r], r};
	if (k.rows) qsort(k.rows, (size_t)table.count, sizeof *k.rows, by_key);
	if (status == SHEAF_OK) status = warn_of_repeats(&s->parts[lane], &k, s->cx, err);
	for (int64_t r = 0; status == SHEAF_OK && r < leading->count; r++)
		s->matches[lane * s->match_room + r] = find_row(&k, key_of(leading, r));
	sheaf_release(s->cx, k.rows, (size_t)table.count * sizeof *k.rows);
	free_keys(&table, s->cx);
	return status;
}

/* Moves the rows that have a partner in every lane to the front of s->matches, and warns of those that are
 * left out. Lane 0 is used twice: it first gets the numbers of the rows that stay, by which the other lanes
 * are then compacted, and these numbers are also its own matches. */
static sheaf_status drop_unmatched(sheaf_row_source *s, sheaf_error *err)
{
	char found[80];
	for (int64_t r = 0; r < s->match_room; r++) {
		bool in_all = true;
		for (int lane = 1; lane < s->lanes; lane++) in_all &= s->matches[lane * s->match_room + r] >= 0;
		if (in_all) s->matches[s->matched++] = r;
	}
	for (int lane = 1; lane < s->lanes; lane++) {
		int64_t *rows = s->matches + lane * s->match_room;
		for (int64_t k = 0; k < s->matched; k++) rows[k] = rows[s->matches[k]];
	}
	if (s->matched == s->match_room) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " sequences without one", s->match_room - s->matched);
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_DATA,
	                         "key without a partner",
	                         SHEAF_NOWHERE,
	                         "a partner in each joined input for every sequence",
	                         found,
	                         "they are left out"};
	problem.place.file = sheaf_source_name(sheaf_dataset_source(s->parts->dataset));
	return sheaf_report(s->cx, &problem, err);
}

/* Fills s->lengths, which begins as zeros: a joined row is as long as in the lane of the main stream, if one
 * is named, else as in the lane where it is longest. Lengths are asked for in runs of consecutive rows. */
static sheaf_status measure(sheaf_row_source *s, sheaf_error *err)
{
	enum { MOST = 256 };
	uint32_t lengths[MOST];
	int leading = -1;
	for (int f = 0; f < s->schema.nfields && leading < 0; f++)
		if (s->schema.fields[f].main) leading = s->origins[f].lane;
	for (int lane = 0; lane < s->lanes; lane++) {
		const int64_t *rows = s->matches + lane * s->match_room;
		if (leading >= 0 && lane != leading) continue;
		for (int64_t k = 0, run; k < s->matched; k += run) {
			for (run = 1; run < MOST && k + run < s->matched && rows[k + run] == rows[k] + run;) run++;
			SHEAF_TRY(sheaf_pieces_lengths(s->parts[lane].pieces, rows[k], run, lengths, err));
			for (int64_t i = 0; i < run; i++)
				if (lengths[i] > s->lengths[k + i]) s->lengths[k + i] = lengths[i];
		}
	}
	return SHEAF_OK;
}

sheaf_status sheaf_row_source_join(sheaf_row_source *s, sheaf_error *err)
{
	key_table leading;
	s->match_room = sheaf_pieces_rows(s->parts->pieces);
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->match_room * (uint64_t)s->lanes, sizeof *s->matches,
	                               &s->matches, err));
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->match_room, sizeof *s->lengths, &s->lengths, err));
	SHEAF_TRY(make_key_table(&s->parts[0], &leading, s->cx, err));
	sheaf_status status = SHEAF_OK;
	for (int lane = 1; lane < s->lanes && status == SHEAF_OK; lane++)
		status = find_partners(s, lane, &leading, err);
	if (status == SHEAF_OK) status = drop_unmatched(s, err);
	if (status == SHEAF_OK) status = measure(s, err);
	free_keys(&leading, s->cx);
	return status;
}
