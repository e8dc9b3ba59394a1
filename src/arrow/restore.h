/* SPDX-License-Identifier: MIT */
/* Columns restored to what they were before they became Arrow's: the reverse of the plan that made them. */
#ifndef SHEAF_ARROW_RESTORE_H
#define SHEAF_ARROW_RESTORE_H

#include "arrow/arrow.h"
#include "arrow/take.h"

typedef enum sheaf_arrow_likeness {
	SHEAF_ARROW_OTHER_COLUMNS, /* in number or names */
	SHEAF_ARROW_OTHER_TYPES,
	SHEAF_ARROW_ALIKE
} sheaf_arrow_likeness;

/* Whether these are the fields that the plan makes, in names, types and order. */
SHEAF_USE sheaf_status sheaf_arrow_is_of_plan(const sheaf_arrow_plan *plan, const struct ArrowSchema *rows,
                                              sheaf_arrow_likeness *out, sheaf_error *err);
/* Puts the columns of such an array into a builder of the plan's schema. */
SHEAF_USE sheaf_status sheaf_arrow_restore(const sheaf_arrow_plan *plan, sheaf_arrow_taken *taken,
                                           const struct ArrowSchema *rows, sheaf_frame_builder *b,
                                           sheaf_error *err);

#endif
