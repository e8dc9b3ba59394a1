/* SPDX-License-Identifier: MIT */
/* What the tests of reports share: summaries of tables that are made here, and their pages. */
#ifndef SHEAF_TESTS_REPORT_SUPPORT_H
#define SHEAF_TESTS_REPORT_SUPPORT_H

#include "with_context.h"

extern const sheaf_summary_options as_json;
table streams_of(int64_t rows);
sheaf_buffer page_of(const sheaf_summary *summary);
sheaf_summary *summary_of(const table *t, int64_t from, int64_t to);

sheaf_buffer saved(const sheaf_summary *summary);
void assert_same_page(const sheaf_summary *one, const sheaf_summary *other);

bool has(const sheaf_buffer *page, const char *text);

#endif
