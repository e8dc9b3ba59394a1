/* SPDX-License-Identifier: MIT */
/* What texts and pages say of a summary alike. */
#ifndef SHEAF_REPORT_TEXT_H
#define SHEAF_REPORT_TEXT_H

#include "report/summary.h"
#include <locale.h>

/* Numbers have points whatever the locale of the thread, until it is given back what it had. */
locale_t sheaf_points_begin(void);
void sheaf_points_end(locale_t before);

/* As JSON, ended by a line feed; with another one (NULL: none), and how it differs. */
SHEAF_USE sheaf_status sheaf_summary_json(const sheaf_summary *s, const sheaf_summary *other,
                                          sheaf_builder *b, sheaf_error *err);
/* As lines for people, drawn as the options say. */
SHEAF_USE sheaf_status sheaf_summary_lines(const sheaf_summary *s, const sheaf_summary_options *options,
                                           sheaf_builder *b, sheaf_error *err);
/* Of a tensor: lines, or members of an object with a comma before each. Nothing of other rows. */
SHEAF_USE sheaf_status sheaf_put_tensor(const sheaf_summary *s, bool json, sheaf_builder *b,
                                        sheaf_error *err);

/* A profile of what is counted of a tensor, where there is none of all entries together; owns nothing. */
void sheaf_counted_profile(const sheaf_summary *s, sheaf_profile *p);

/* What rows are called: "sequences", "rows", "entries"; and how their keys are: "ordinal", "explicit". */
const char *sheaf_summary_word(const sheaf_summary *s);
const char *sheaf_summary_keys(const sheaf_summary *s);
/* Whether a field is shown as one: keys are not, nor are coordinates, which are looked at together. */
bool sheaf_summary_shows(const sheaf_summary *s, int field);

/* A name, in which what a terminal would take for more than text is U+FFFD. */
void sheaf_put_name(sheaf_builder *b, const char *name);
bool sheaf_field_is_text(const sheaf_field *field);
/* A sum of dates says nothing, nor does anything of clocks beside their offsets. */
bool sheaf_field_has_sum(const sheaf_field *field);
bool sheaf_field_has_range(const sheaf_field *field);
/* The share of the cells of all samples that are stored. */
double sheaf_field_density(const sheaf_field *field, const sheaf_field_summary *f);
/* The least and the largest value are values of the file: shown as it holds them. */
void sheaf_put_extreme(sheaf_builder *b, double v, const sheaf_field *field);

#endif
