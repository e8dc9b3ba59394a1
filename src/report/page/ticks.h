/* SPDX-License-Identifier: MIT */
/* Where an axis has labels, and which. */
#ifndef SHEAF_REPORT_PAGE_TICKS_H
#define SHEAF_REPORT_PAGE_TICKS_H

#include "report/bars.h"

enum { SHEAF_MOST_TICKS = 24, SHEAF_TICK_TEXT = 24 };

typedef struct sheaf_tick {
	double at;
	char text[SHEAF_TICK_TEXT];
} sheaf_tick;

/* Round numbers from `least` to `most`, about `wanted` of them; of a field of times round times.
 * `logarithmic`: powers of ten, or their double and fivefold, too. Returns their number. */
int sheaf_ticks(const sheaf_field *field, double least, double most, bool logarithmic, int wanted,
                sheaf_tick ticks[SHEAF_MOST_TICKS]);

#endif
