/* SPDX-License-Identifier: MIT */
/* Naming items and indices of a summary. */
#ifndef SHEAF_REPORT_WORDS_H
#define SHEAF_REPORT_WORDS_H

#include "report/summary/summary.h"

enum { SHEAF_ITEM_TEXT = 80 };

/* An item in readable form, into text[SHEAF_ITEM_TEXT]; returns its length. */
size_t sheaf_item_words(const sheaf_field *field, const sheaf_item_count *item, char *text);

typedef struct sheaf_use {
	int64_t index, count;
} sheaf_use;

/* The most used indices, at most n, by count and then by index. Returns their number. */
int sheaf_most_used(const sheaf_field_summary *f, sheaf_use *out, int n);
/* For each count, how many indices have it. */
SHEAF_USE sheaf_status sheaf_count_uses(const sheaf_field_summary *f, sheaf_length_counts *out,
                                        sheaf_context *cx, sheaf_error *err);
/* How many different items there are; *exact: all were counted. */
int64_t sheaf_field_distinct(const sheaf_field_summary *f, bool *exact);
/* Whether each sample names one unit, its label: a sparse one with one entry, or a dense one with a single 1
 * among zeros. Only counts are known of that: values are from 0 to 1, those that are not 0 are as many as
 * samples, and their sum is that number, too. */
bool sheaf_names_units(const sheaf_field *field, const sheaf_field_summary *f);
int64_t sheaf_never_used(const sheaf_field_summary *f);

#endif
