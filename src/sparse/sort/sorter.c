/* SPDX-License-Identifier: MIT */
/* Records of a key and a value: entries whose keys have two words, and which have no values, so that records
 * with one key come in the order of their values. What is in memory is sorted when it is full, or at the end;
 * runs in a temporary file are merged. Reviews use it to find names, or rows, that occur twice. */
#include "sparse/sort/sorter.h"
#include "base/buffer.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "sparse/sort/entry_sorter.h"
#include "sparse/sort/radix.h"
#include "sparse/sort/runs.h"

enum { WORDS = 2, STOP_INTERVAL = 4096 /* records between two checks of the stop flag */ };

struct sheaf_sorter {
	sheaf_context *cx;
	size_t memory;
	int64_t most; /* records in memory */
	sheaf_key_order order;
	sheaf_entry_sorter records;
	sheaf_runs runs;
	bool is_spilled, is_finished;
	uint64_t *at; /* where the next records go, and how many there may be */
	int64_t room, added;
};

sheaf_status sheaf_sorter_new(sheaf_context *cx, size_t memory_bytes, sheaf_sorter **out, sheaf_error *err)
{
	enum { LEAST_MEMORY = 4096, COPIES = 4 /* of a record, while it is being sorted */, MOST_BLOCK = 1024 };
	*out = NULL;
	sheaf_sorter *s;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_sorter), &s, err));
	s->cx = cx;
	s->memory = memory_bytes > LEAST_MEMORY ? memory_bytes : LEAST_MEMORY;
	s->most = (int64_t)(s->memory / COPIES / WORDS / sizeof(uint64_t));
	s->order = (sheaf_key_order){.words = WORDS, .bits = WORDS * 64};
	if (s->most > SHEAF_RADIX_MOST) s->most = SHEAF_RADIX_MOST;
	int64_t block = s->most < MOST_BLOCK ? s->most : MOST_BLOCK;
	sheaf_entry_sorter_begin(&s->records, &s->order, 0, block, cx);
	*out = s;
	return SHEAF_OK;
}

void sheaf_sorter_free(sheaf_sorter *s)
{
	if (!s) return;
	sheaf_entry_sorter_clear(&s->records);
	if (s->is_spilled) sheaf_runs_close(&s->runs);
	sheaf_release(s->cx, s, sizeof *s);
}

/* ---- adding ---- */

/* Reports the records that were written into the entry sorter's room to it. sheaf_sorter_add only counts
 * them, since it is called for every record. */
static void count_added(sheaf_sorter *s)
{
	if (s->added) sheaf_entry_sorter_added(&s->records, s->added);
	s->added = 0;
}

/* Sorts what is in memory and writes it as a run. */
static sheaf_status spill(sheaf_sorter *s, sheaf_error *err)
{
	count_added(s);
	if (!s->is_spilled) {
		s->is_spilled = true; /* closes what was opened in part, too */
		SHEAF_TRY(sheaf_runs_open(&s->runs, &s->order, 0, (int64_t)s->memory, s->cx, err));
	}
	SHEAF_TRY(sheaf_entry_sorter_sort(&s->records, err));
	SHEAF_TRY(sheaf_runs_add(&s->runs, &s->records, err));
	sheaf_entry_sorter_clear(&s->records);
	s->room = 0;
	return SHEAF_OK;
}

/* Finds room for the next records: in the entry sorter or, if it has as many as memory allows, in an emptied
 * one. `room` is never more than may still be added. */
static sheaf_status make_room(sheaf_sorter *s, sheaf_error *err)
{
	uint8_t *values;
	count_added(s);
	if (s->records.n == s->most) SHEAF_TRY(spill(s, err));
	SHEAF_TRY(sheaf_entry_sorter_room(&s->records, &s->at, &values, &s->room, err));
	if (s->room > s->most - s->records.n) s->room = s->most - s->records.n;
	return SHEAF_OK;
}

static sheaf_status refuse_late_call(sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_USAGE, "sorter: expected no call after sheaf_sorter_finish, found one");
}

sheaf_status sheaf_sorter_add(sheaf_sorter *s, uint64_t key, uint64_t value, sheaf_error *err)
{
	if (s->is_finished) return refuse_late_call(err);
	if (s->added == s->room) {
		s->room = 0;
		SHEAF_TRY(make_room(s, err));
	}
	s->at[s->added * WORDS] = key;
	s->at[s->added * WORDS + 1] = value;
	s->added++;
	return SHEAF_OK;
}

/* ---- the outcome ---- */

/* If any run was written, the rest becomes the last run, and all are merged; otherwise records are sorted
 * where they are. */
sheaf_status sheaf_sorter_finish(sheaf_sorter *s, sheaf_sorted_function take, void *user, sheaf_error *err)
{
	sheaf_keyed records;
	if (s->is_finished) return refuse_late_call(err);
	s->is_finished = true;
	count_added(s);
	if (s->is_spilled) {
		if (s->records.n) SHEAF_TRY(spill(s, err));
		SHEAF_TRY(sheaf_runs_begin(&s->runs, err));
	} else if (s->records.n) {
		SHEAF_TRY(sheaf_entry_sorter_sort(&s->records, err));
	} else {
		return SHEAF_OK;
	}
	for (;;) {
		sheaf_status status = s->is_spilled ? sheaf_runs_next(&s->runs, &records, err)
		                                    : sheaf_entry_sorter_next(&s->records, &records, err);
		if (status == SHEAF_END) return SHEAF_OK;
		SHEAF_TRY(status);
		for (int64_t i = 0; i < records.n; i++) {
			if (i % STOP_INTERVAL == 0) SHEAF_TRY(sheaf_check_stop(s->cx, err));
			SHEAF_TRY(take(user, records.keys[i * WORDS], records.keys[i * WORDS + 1]));
		}
	}
}

/* ---- for reviews ---- */

enum { REVIEW_MEMORY = 64 << 20, REVIEW_SHARE = 8, RECORD = 16 };

sheaf_status sheaf_sorter_need(sheaf_context *cx, sheaf_sorter **sorter, sheaf_error *err)
{
	int64_t memory = sheaf_max_memory(cx) / REVIEW_SHARE;
	if (*sorter) return SHEAF_OK;
	return sheaf_sorter_new(cx, (size_t)(memory < REVIEW_MEMORY ? memory : REVIEW_MEMORY), sorter, err);
}

static sheaf_status put_record(void *user, uint64_t key, uint64_t value)
{
	sheaf_builder *bytes = (sheaf_builder *)user;
	sheaf_builder_u64le(bytes, key);
	sheaf_builder_u64le(bytes, value);
	return sheaf_builder_status(bytes, NULL);
}

sheaf_status sheaf_sorter_carry(sheaf_context *cx, sheaf_sorter **sorter, const sheaf_carried *records,
                                sheaf_error *err)
{
	sheaf_cursor *from = records->from;
	if (records->to && *sorter) SHEAF_TRY(sheaf_sorter_finish(*sorter, put_record, records->to, err));
	if (records->to) return sheaf_builder_status(records->to, err);
	if (from->failed || sheaf_cursor_left(from) % RECORD) return sheaf_refuse_carried(err);
	while (sheaf_cursor_left(from) > 0) {
		uint64_t key = sheaf_cursor_u64le(from, "key"), value = sheaf_cursor_u64le(from, "value");
		SHEAF_TRY(sheaf_sorter_need(cx, sorter, err));
		SHEAF_TRY(sheaf_sorter_add(*sorter, key, value, err));
	}
	return SHEAF_OK;
}
