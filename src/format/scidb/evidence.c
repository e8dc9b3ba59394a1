/* SPDX-License-Identifier: MIT */
/* Whether a format string can be right. Nothing in a file says so: but with a wrong one strings do not end,
 * null bytes are neither 0xFF nor a reason, nulls have nonzero bytes under them, and dates and numbers are
 * implausible. */
#include "base/buffer.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "format/scidb/scidb.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { SCIDB_EVIDENCE_NUMBERS = 12 };

/* ---- one item ---- */

static bool is_odd_text(const sheaf_scidb_item *item, sheaf_bytes payload)
{
	sheaf_scidb_string string = sheaf_scidb_string_of(item, payload);
	bool odd = !string.ended && item->entry.size == 0;
	for (size_t i = 0; i < string.text.size; i++) {
		uint8_t byte = string.text.data[i];
		odd |= (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
	}
	return odd;
}

static bool is_odd_date(const sheaf_scidb_item *item, sheaf_bytes payload)
{
	static const int64_t YEAR_1800 = INT64_C(-5364662400), YEAR_2200 = INT64_C(7258118400), DAY = 86400;
	int64_t seconds = sheaf_load_i64le(payload.data),
			offset = item->entry.size > 8 ? sheaf_load_i64le(payload.data + 8) : 0;
	return seconds < YEAR_1800 || seconds >= YEAR_2200 || offset <= -DAY || offset >= DAY;
}

/* Zero, infinities and NaN are common. */
static bool is_odd_real(const sheaf_scidb_item *item, sheaf_bytes payload)
{
	sheaf_scidb_value v = {0};
	sheaf_scidb_convert(item->entry.type, payload, item->entry.type, &v);
	double size = fabs(v.d);
	return isfinite(v.d) && v.d != 0 && (size < 1e-30 || size > 1e30);
}

/* The server itself leaves bytes under nulls of more than nine bytes. */
static bool is_odd_null(const sheaf_scidb_item *item, sheaf_bytes payload)
{
	return (item->entry.size <= 9) && sheaf_scidb_hides(item, payload);
}

static bool judge_value(const sheaf_scidb_item *item, sheaf_bytes payload, sheaf_scidb_evidence *e)
{
	bool odd;
	switch (item->entry.type->kind) {
	case SCIDB_STRING: odd = is_odd_text(item, payload), e->texts++, e->odd_texts += odd; return odd;
	case SCIDB_DATETIME:
	case SCIDB_DATETIMETZ: odd = is_odd_date(item, payload), e->dates++, e->odd_dates += odd; return odd;
	case SCIDB_FLOAT:
	case SCIDB_DOUBLE: odd = is_odd_real(item, payload), e->reals++, e->odd_reals += odd; return odd;
	case SCIDB_BOOL:
	case SCIDB_INDICATOR: odd = *payload.data > 1, e->nulls++, e->odd_nulls += odd; return odd;
	default: return false;
	}
}

static bool judge_item(const sheaf_scidb_item *item, const uint8_t *at, sheaf_bytes payload,
                       sheaf_scidb_evidence *e)
{
	bool null = sheaf_scidb_is_null(item, at), odd = false;
	if (item->entry.nullable) {
		odd = null ? is_odd_null(item, payload) : *at != 0xff;
		e->nulls++;
		e->odd_nulls += odd;
	}
	return (!null && judge_value(item, payload, e)) || odd;
}

/* ---- cells ---- */

void sheaf_scidb_judge(const sheaf_scidb_block *block, sheaf_scidb_evidence *e)
{
	for (int64_t c = 0; c < block->count; c++) {
		bool odd_cell = false;
		for (int i = 0; i < block->layout->count; i++) {
			const sheaf_scidb_item *item = &block->layout->items[i];
			if (item->column < 0) continue;
			const uint8_t *at = sheaf_scidb_item_at(block, item, c);
			bool odd = judge_item(item, at, sheaf_scidb_payload(block, item, c), e);
			odd_cell |= odd;
			if (!odd || e->first_odd >= 0) continue;
			e->first_odd = block->first + c;
			e->first_byte = block->byte + (at - block->data);
			e->first_item = i;
		}
		e->cells++;
		e->odd_cells += odd_cell;
	}
}

void sheaf_scidb_evidence_add(sheaf_scidb_evidence *sum, const sheaf_scidb_evidence *more)
{
	if (sum->cells == 0 || (sum->first_odd < 0 && more->first_odd >= 0)) {
		sum->first_odd = more->first_odd;
		sum->first_byte = more->first_byte;
		sum->first_item = more->first_item;
	}
	sum->cells += more->cells, sum->odd_cells += more->odd_cells;
	sum->nulls += more->nulls, sum->odd_nulls += more->odd_nulls;
	sum->texts += more->texts, sum->odd_texts += more->odd_texts;
	sum->dates += more->dates, sum->odd_dates += more->odd_dates;
	sum->reals += more->reals, sum->odd_reals += more->odd_reals;
}

sheaf_status sheaf_scidb_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	(void)row, (void)err;
	if (frame->notes.size)
		sheaf_scidb_evidence_add(&in->evidence,
		                         (const sheaf_scidb_evidence *)(const void *)frame->notes.data);
	return SHEAF_OK;
}

/* ---- in parts ---- */

/* The numbers of it, in a file's order. */
static void list_numbers(sheaf_scidb_evidence *e, int64_t *numbers[SCIDB_EVIDENCE_NUMBERS])
{
	int64_t *all[SCIDB_EVIDENCE_NUMBERS] = {&e->cells, &e->odd_cells, &e->nulls,     &e->odd_nulls,
	                                        &e->texts, &e->odd_texts, &e->dates,     &e->odd_dates,
	                                        &e->reals, &e->odd_reals, &e->first_odd, &e->first_byte};
	memcpy((void *)numbers, (const void *)all, sizeof all);
}

sheaf_status sheaf_scidb_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	sheaf_scidb_evidence e = in->evidence;
	int64_t *numbers[SCIDB_EVIDENCE_NUMBERS], item = e.first_item;
	list_numbers(&e, numbers);
	for (int i = 0; i < SCIDB_EVIDENCE_NUMBERS; i++) sheaf_carry(counts, numbers[i]);
	sheaf_carry(counts, &item);
	SHEAF_TRY(sheaf_carried_status(counts, err));
	if (item < 0 || item >= in->layout.count) return counts->to ? SHEAF_OK : sheaf_refuse_carried(err);
	e.first_item = (int)item;
	if (counts->from && e.cells > 0) sheaf_scidb_evidence_add(&in->evidence, &e);
	return SHEAF_OK;
}

/* ---- the verdict ---- */

/* One may always be odd, and one in ten in a file that is read correctly. */
static bool is_much(int64_t odd, int64_t all) { return odd > 1 && odd * 10 > all; }

static void put(char *text, size_t size, size_t *used, int64_t odd, int64_t all, const char *what)
{
	if (!is_much(odd, all) || *used >= size) return;
	int n = snprintf(text + *used, size - *used, "%s%" PRId64 " of %" PRId64 " %s", *used ? ", " : "", odd,
	                 all, what);
	*used += n > 0 ? (size_t)n : 0;
}

sheaf_status sheaf_scidb_settle(void *reader, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	const sheaf_scidb_evidence *e = &in->evidence;
	char found[400];
	size_t used = 0;
	put(found, sizeof found, &used, e->odd_texts, e->texts,
	    "strings without an end or with control characters");
	put(found, sizeof found, &used, e->odd_nulls, e->nulls, "null bytes or bools that mean nothing");
	put(found, sizeof found, &used, e->odd_dates, e->dates, "dates before 1800 or after 2200");
	put(found, sizeof found, &used, e->odd_reals, e->reals, "numbers below 1e-30 or above 1e30");
	if (used == 0) return SHEAF_OK;
	sheaf_scidb_spot spot = {in, &in->layout.items[e->first_item], e->first_odd, e->first_byte, in->cx};
	return sheaf_scidb_report(&spot,
	                          SHEAF_FINDING(SHEAF_WARNING, "doubtful format string",
	                                        "cells that make sense (this is the first that does not)", found,
	                                        "the format string is probably wrong"),
	                          err);
}
