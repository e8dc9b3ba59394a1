/* SPDX-License-Identifier: MIT */
/* Whether a format string can be right. Nothing in a file says so: but with a wrong one strings do not end,
 * null bytes are neither 0xFF nor a reason, nulls have nonzero bytes under them, and dates and numbers are
 * implausible. Each decoded piece counts this in the notes of its frame, and the end of the input brings the
 * verdict. A correct format string may lead to some odd values, so it takes more than one in ten of them. */
#include "base/buffer.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "format/scidb/scidb.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

static bool count(sheaf_scidb_evidence *e, int judged, bool odd)
{
	e->all[judged]++;
	e->odd[judged] += odd;
	return odd;
}

static bool judge_value(const sheaf_scidb_item *item, sheaf_bytes payload, sheaf_scidb_evidence *e)
{
	switch (item->entry.type->kind) {
	case SCIDB_STRING: return count(e, SCIDB_TEXTS, is_odd_text(item, payload));
	case SCIDB_DATETIME:
	case SCIDB_DATETIMETZ: return count(e, SCIDB_DATES, is_odd_date(item, payload));
	case SCIDB_FLOAT:
	case SCIDB_DOUBLE: return count(e, SCIDB_REALS, is_odd_real(item, payload));
	case SCIDB_BOOL:
	case SCIDB_INDICATOR: return count(e, SCIDB_NULLS, *payload.data > 1);
	default: return false;
	}
}

/* The server itself leaves bytes under nulls of more than nine bytes. */
static bool judge_item(const sheaf_scidb_item *item, const uint8_t *at, sheaf_bytes payload,
                       sheaf_scidb_evidence *e)
{
	bool null = sheaf_scidb_is_null(item, at), odd = false;
	if (item->entry.nullable)
		odd = count(e, SCIDB_NULLS,
		            null ? item->entry.size <= 9 && sheaf_scidb_hides(item, payload) : *at != 0xff);
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
		count(e, SCIDB_CELLS, odd_cell);
	}
}

static void add(sheaf_scidb_evidence *sum, const sheaf_scidb_evidence *more)
{
	if (sum->all[SCIDB_CELLS] == 0 || (sum->first_odd < 0 && more->first_odd >= 0)) {
		sum->first_odd = more->first_odd;
		sum->first_byte = more->first_byte;
		sum->first_item = more->first_item;
	}
	for (int k = 0; k < SCIDB_JUDGED; k++) {
		sum->all[k] += more->all[k];
		sum->odd[k] += more->odd[k];
	}
}

/* Of the parts of an input, which several programs have read, the one that comes first has the first odd
 * cell. */
sheaf_status sheaf_scidb_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	sheaf_scidb_evidence e = in->evidence;
	for (int k = 0; k < SCIDB_JUDGED; k++) {
		sheaf_carry(counts, &e.all[k]);
		sheaf_carry(counts, &e.odd[k]);
	}
	sheaf_carry(counts, &e.first_odd);
	sheaf_carry(counts, &e.first_byte);
	sheaf_carry(counts, &e.first_item);
	SHEAF_TRY(sheaf_carried_status(counts, err));
	if (counts->to) return SHEAF_OK;
	if (e.first_item < 0 || e.first_item >= in->layout.count) return sheaf_refuse_carried(err);
	if (e.all[SCIDB_CELLS] > 0) add(&in->evidence, &e);
	return SHEAF_OK;
}

/* ---- the verdict ---- */

/* A frame's counts are added; at the end of the input comes the verdict. One value may always be odd, and one
 * in ten in a file that is read correctly. */
sheaf_status sheaf_scidb_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	static const struct {
		int judged;
		const char *what;
	} kinds[] = {{SCIDB_TEXTS, "strings without an end or with control characters"},
	             {SCIDB_NULLS, "null bytes or bools that mean nothing"},
	             {SCIDB_DATES, "dates before 1800 or after 2200"},
	             {SCIDB_REALS, "numbers below 1e-30 or above 1e30"}};
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	const sheaf_scidb_evidence *e = &in->evidence;
	char found[400];
	size_t used = 0;
	(void)row;
	if (frame && frame->notes.size)
		add(&in->evidence, (const sheaf_scidb_evidence *)(const void *)frame->notes.data);
	if (frame) return SHEAF_OK;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int64_t odd = e->odd[kinds[i].judged], all = e->all[kinds[i].judged];
		if (odd > 1 && odd * 10 > all)
			used += (size_t)snprintf(found + used, sizeof found - used, "%s%" PRId64 " of %" PRId64 " %s",
			                         used ? ", " : "", odd, all, kinds[i].what);
	}
	if (used == 0) return SHEAF_OK;
	sheaf_scidb_spot spot = {in, &in->layout.items[e->first_item], e->first_odd, e->first_byte, in->cx};
	return sheaf_scidb_report(&spot,
	                          SHEAF_FINDING(SHEAF_WARNING, "doubtful format string",
	                                        "cells that make sense (this is the first that does not)", found,
	                                        "the format string is probably wrong"),
	                          err);
}
