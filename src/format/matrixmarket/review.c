/* SPDX-License-Identifier: MIT */
/* What only the whole input shows, besides the number of entries: when validating, which of them have the
 * same place. Places go through a sorter (sort/), which keeps what does not fit into memory in a file; of
 * equal ones the first line comes first. */
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "format/matrixmarket/matrixmarket.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

/* A matrix's place in one word; if the matrix is too large for that, the row. */
static bool places_fit(const sheaf_mtx_reader *in)
{
	uint64_t places;
	return !__builtin_mul_overflow((uint64_t)in->rows, (uint64_t)in->columns, &places);
}

sheaf_status sheaf_mtx_rewind(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	if (!to) {
		sheaf_sorter_free(in->places);
		in->places = NULL;
	}
	return sheaf_entry_rewind(in, to, err);
}

sheaf_status sheaf_mtx_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	SHEAF_TRY(sheaf_entry_carry(reader, counts, err));
	return sheaf_sorter_carry(in->cx, &in->places, counts, err);
}

/* ---- settling ---- */

typedef struct repeats {
	sheaf_mtx_reader *in;
	sheaf_error *err;
	uint64_t key, value; /* of the last place that was a new one */
	bool any, fit;       /* there is one; places fit into keys */
} repeats;

/* Looks at the next place in ascending order, and reports all but the first of equal ones, with the first
 * one's line. If row and column fit one key (r->fit), the value is the line; else key and value are row
 * and column, and no line is known. */
static sheaf_status see_place(void *user, uint64_t key, uint64_t value)
{
	char found[160];
	repeats *r = (repeats *)user;
	bool is_repeated = r->any && key == r->key && (r->fit || value == r->value);
	if (!is_repeated) {
		r->any = true;
		r->key = key;
		r->value = value;
		return SHEAF_OK;
	}
	uint64_t columns = (uint64_t)r->in->columns, i = r->fit ? key / columns : key,
			 j = r->fit ? key % columns : value;
	int n = snprintf(found, sizeof found, "(%" PRIu64 ", %" PRIu64 ") again", i + 1, j + 1);
	if (r->fit) snprintf(found + n, sizeof found - (size_t)n, ", first seen on line %" PRIu64, r->value);
	sheaf_problem problem = sheaf_problem_in(
		sheaf_source_name(r->in->lined.source),
		&SHEAF_FINDING(SHEAF_WARNING, "entry twice",
	                   "one entry for each place, since some programs add them and some keep one", found,
	                   "both are kept"));
	if (r->fit) problem.place.line = (int64_t)value, problem.place.column = 1;
	return sheaf_report(r->in->cx, &problem, r->err);
}

/* Reports what only the end of the input shows: places that occur twice, if they were noted, and sizes
 * that the usual readers, which count in 32 bits, misread. */
static sheaf_status settle(sheaf_mtx_reader *in, sheaf_error *err)
{
	repeats r = {.in = in, .err = err, .fit = places_fit(in)};
	if (in->rows > INT32_MAX || in->columns > INT32_MAX || in->entries > INT32_MAX) {
		sheaf_problem problem =
			sheaf_problem_in(sheaf_source_name(in->lined.source),
		                     &SHEAF_FINDING(SHEAF_NOTE, "sizes beyond 32 bits", "sizes below 2147483648",
		                                    "larger ones, which 32-bit readers misread"));
		problem.place.line = in->lined.first_line > 1 ? in->lined.first_line - 1 : 1;
		problem.place.column = 1;
		SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	}
	return in->places ? sheaf_sorter_finish(in->places, see_place, &r, err) : SHEAF_OK;
}

/* Looks at each decoded frame in the order of the input, and in a validation notes each entry's place: as
 * one key, with the line as its value, or the row with the column. An array has each place once. */
sheaf_status sheaf_mtx_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	bool fit = places_fit(in);
	SHEAF_TRY(sheaf_entry_review(reader, frame, row, err));
	if (!frame) return settle(in, err);
	const int64_t *lines = (const int64_t *)(const void *)frame->lines.data;
	if (!sheaf_is_validating(in->cx) || in->bare) return SHEAF_OK;
	SHEAF_TRY(sheaf_sorter_need(in->cx, &in->places, err));
	for (int64_t r = 0; r < frame->nrows; r++) {
		uint64_t i = (uint64_t)sheaf_coordinate_at(&frame->columns[0], r),
				 j = in->rank == 2 ? (uint64_t)sheaf_coordinate_at(&frame->columns[1], r) : 0;
		SHEAF_TRY(fit ? sheaf_sorter_add(in->places, i * (uint64_t)in->columns + j, (uint64_t)lines[r], err)
		              : sheaf_sorter_add(in->places, i, j, err));
	}
	return SHEAF_OK;
}
