/* SPDX-License-Identifier: MIT */
/* Names of a field's indices. */
#ifndef SHEAF_REPORT_NAMES_H
#define SHEAF_REPORT_NAMES_H

#include "report/summary/summary.h"

enum { SHEAF_INDEX_NAME = 60 /* bytes of a name that are shown */ };

/* The name of an index, which is borrowed and not NUL-terminated; false if there is none. */
bool sheaf_index_name(const sheaf_field_summary *f, int64_t index, const char **name, size_t *size);

#endif
