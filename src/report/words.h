/* SPDX-License-Identifier: MIT */
/* What a summary names: items and indices. */
#ifndef SHEAF_REPORT_WORDS_H
#define SHEAF_REPORT_WORDS_H

#include "report/summary.h"

enum { SHEAF_ITEM_TEXT = 80 };

/* An item as people write it, into text[SHEAF_ITEM_TEXT]; gives its bytes. */
size_t sheaf_item_words(const sheaf_field *field, const sheaf_item_count *item, char *text);

typedef struct sheaf_use {
	int64_t index, count;
} sheaf_use;

/* The indices that are used most, at most n, by count and then by index. Gives how many. */
int sheaf_most_used(const sheaf_field_summary *f, sheaf_use *out, int n);
/* How many indices are used how often. */
SHEAF_USE sheaf_status sheaf_count_uses(const sheaf_field_summary *f, sheaf_length_counts *out,
                                        sheaf_context *cx, sheaf_error *err);
int64_t sheaf_never_used(const sheaf_field_summary *f);

#endif
