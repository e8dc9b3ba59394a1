/* SPDX-License-Identifier: MIT */
/* Common to texts and pages about a summary. */
#ifndef SHEAF_REPORT_TEXT_H
#define SHEAF_REPORT_TEXT_H

#include "report/matrix/profile.h"
#include "report/summary/summary.h"
#include <locale.h>

/* Numbers have points whatever the locale of the thread, until its own is restored. */
locale_t sheaf_points_begin(void);
void sheaf_points_end(locale_t before);

/* The profile of a tensor. Nothing for other rows. */
void sheaf_list_tensor(const sheaf_summary *s, const sheaf_listing *to);

/* A profile from the counts for a tensor, if there is none of all entries together; owns nothing. */
void sheaf_counted_profile(const sheaf_summary *s, sheaf_profile *p);

/* The word for rows: "sequences", "rows", "entries"; and for the kind of their keys: "ordinal",
 * "explicit". */
const char *sheaf_summary_word(const sheaf_summary *s);
const char *sheaf_summary_keys(const sheaf_summary *s);
/* Whether a field is shown as such: keys are not, nor are coordinates, which are examined together. */
bool sheaf_summary_shows(const sheaf_summary *s, int field);

bool sheaf_field_is_text(const sheaf_field *field);
/* The sum of dates means nothing, nor does anything about local times without their offsets. */
bool sheaf_field_has_sum(const sheaf_field *field);
bool sheaf_field_has_range(const sheaf_field *field);
/* The fraction of the cells of all samples that is stored. */
double sheaf_field_density(const sheaf_field *field, const sheaf_field_summary *f);
/* The least and the largest value are values of the file: shown in its own precision. */
void sheaf_put_extreme(sheaf_builder *b, double v, const sheaf_field *field, bool json);

#endif
