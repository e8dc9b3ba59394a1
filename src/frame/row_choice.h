/* SPDX-License-Identifier: MIT */
/* Which rows are chosen: a selection as numbers. */
#ifndef SHEAF_FRAME_ROW_CHOICE_H
#define SHEAF_FRAME_ROW_CHOICE_H

#include <sheaf/select.h>

typedef struct sheaf_row_choice {
	int64_t from, to; /* rows [from, to); to INT64_MAX: up to the last one */
	bool sampled;     /* of these, each whose hash is at most `limit`: */
	uint64_t seed, limit;
	int64_t count; /* or this many, those with the smallest hashes, once sheaf_choice_limit has found the
	                  limit; -1: no */
} sheaf_row_choice;

/* What decides whether a row is in a sample: a permutation of all numbers for each seed, which
 * docs/selecting.md gives, so that other programs draw the same rows. */
uint64_t sheaf_row_hash(uint64_t seed, int64_t row);
/* USAGE, with the name of the option, if it makes no sense. */
SHEAF_USE sheaf_status sheaf_choice_read(const sheaf_selection *selection, sheaf_row_choice *out,
                                         sheaf_error *err);
/* Whether rows are chosen by their numbers. */
bool sheaf_choice_is_all(const sheaf_row_choice *choice);
/* For a dataset of `rows` rows: finds the limit if a number of them is to be chosen. */
SHEAF_USE sheaf_status sheaf_choice_limit(sheaf_row_choice *choice, int64_t rows, sheaf_context *cx,
                                          sheaf_error *err);
static inline bool sheaf_choice_has(const sheaf_row_choice *choice, int64_t row)
{
	return row >= choice->from && row < choice->to &&
	       (!choice->sampled || sheaf_row_hash(choice->seed, row) <= choice->limit);
}
/* Whether a name is the requested one, or matches it as a pattern. */
bool sheaf_name_matches(const char *wanted, const char *name);
/* USAGE: no row of a file has the requested name. */
sheaf_status sheaf_refuse_where(const char *where, const char *file, sheaf_error *err);
/* How many of `rows` rows are chosen; -1 if that takes a look at each, or if `rows` is -1. */
int64_t sheaf_choice_count(const sheaf_row_choice *choice, int64_t rows);

#endif
