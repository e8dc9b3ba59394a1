/* SPDX-License-Identifier: MIT */
/* The mean of each unit of a dense stream in each sample of a sequence: for examples of a network, what its
 * units see, event by event. Values are rounded to 2^-16 and limited to 2^14, so that sums are integers and
 * add up in any order. */
#ifndef SHEAF_REPORT_SUMMARY_PATTERN_H
#define SHEAF_REPORT_SUMMARY_PATTERN_H

#include "base/buffer.h"

enum { SHEAF_PATTERN_CELLS = 1 << 16, SHEAF_PATTERN_EVENTS = 64, SHEAF_PATTERN_UNITS = 1 << 14 };

typedef struct sheaf_pattern {
	int64_t units;
	int events; /* the last one also has all later ones */
	struct sheaf_pattern_cell {
		int64_t n, sum; /* of values that are numbers; in 2^-16 */
	} * cells;          /* for each unit, event by event; NULL: none are counted */
} sheaf_pattern;

SHEAF_USE sheaf_status sheaf_pattern_begin(sheaf_pattern *p, int64_t units, sheaf_context *cx,
                                           sheaf_error *err);
void sheaf_pattern_free(sheaf_pattern *p, sheaf_context *cx);
size_t sheaf_pattern_bytes(int64_t units);
void sheaf_pattern_merge(sheaf_pattern *p, const sheaf_pattern *other);

/* The cells of an event. */
static inline struct sheaf_pattern_cell *sheaf_pattern_event(const sheaf_pattern *p, int64_t event)
{
	return p->cells + (event < p->events ? event : p->events - 1) * p->units;
}

static inline void sheaf_pattern_add(struct sheaf_pattern_cell *cell, double value)
{
	enum { UNIT = 1 << 16, MOST = 1 << 14 };
	if (value != value) return;
	double bound = value > MOST ? MOST : value < -MOST ? -MOST : value;
	cell->n++;
	cell->sum = (int64_t)((uint64_t)cell->sum + (uint64_t)(int64_t)(bound * UNIT + (bound < 0 ? -0.5 : 0.5)));
}

/* The same for `rows` consecutive samples, with as many values as there are cells. */
void sheaf_pattern_add_all(struct sheaf_pattern_cell *cells, const float *values, int64_t units,
                           int64_t rows);

/* NaN if there is no value. */
double sheaf_pattern_mean(const sheaf_pattern *p, int64_t event, int64_t unit);
/* Over all events; *n: the number of values. */
double sheaf_pattern_total(const sheaf_pattern *p, int64_t unit, int64_t *n);

#endif
