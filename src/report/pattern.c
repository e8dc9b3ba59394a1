/* SPDX-License-Identifier: MIT */
/* Means of units. */
#include "report/pattern.h"
#include "base/memory.h"
#include <math.h>

static const double unit = 1 << 16;

static int events_of(int64_t units)
{
	int64_t events = SHEAF_PATTERN_CELLS / units;
	return events < SHEAF_PATTERN_EVENTS ? (int)events : SHEAF_PATTERN_EVENTS;
}

size_t sheaf_pattern_bytes(int64_t units)
{
	return (size_t)units * (size_t)events_of(units) * sizeof(struct sheaf_pattern_cell);
}

sheaf_status sheaf_pattern_begin(sheaf_pattern *p, int64_t units, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(cx, sheaf_pattern_bytes(units), &memory, err));
	*p = (sheaf_pattern){units, events_of(units), (struct sheaf_pattern_cell *)memory};
	return SHEAF_OK;
}

void sheaf_pattern_free(sheaf_pattern *p, sheaf_context *cx)
{
	if (p->cells) sheaf_release(cx, p->cells, sheaf_pattern_bytes(p->units));
	*p = (sheaf_pattern){0};
}

bool sheaf_pattern_add_all(struct sheaf_pattern_cell *cells, const float *values, int n)
{
	const double most = 1 << 14;
	int32_t rounded[SHEAF_PATTERN_AT_ONCE];
	bool fits = true;
	for (int k = 0; k < n; k++) fits &= fabs((double)values[k]) <= most;
	if (!fits) return false;
	for (int k = 0; k < n; k++) {
		double value = (double)values[k] * unit;
		rounded[k] = (int32_t)(value + (value < 0 ? -0.5 : 0.5));
	}
	for (int k = 0; k < n; k++) {
		cells[k].n++;
		cells[k].sum += rounded[k];
	}
	return true;
}

void sheaf_pattern_merge(sheaf_pattern *p, const sheaf_pattern *other)
{
	for (int64_t i = 0; i < p->units * p->events; i++) {
		p->cells[i].n += other->cells[i].n;
		p->cells[i].sum = (int64_t)((uint64_t)p->cells[i].sum + (uint64_t)other->cells[i].sum);
	}
}

double sheaf_pattern_mean(const sheaf_pattern *p, int64_t event, int64_t u)
{
	const struct sheaf_pattern_cell *cell = &sheaf_pattern_event(p, event)[u];
	return cell->n ? (double)cell->sum / unit / (double)cell->n : NAN;
}

double sheaf_pattern_total(const sheaf_pattern *p, int64_t u, int64_t *n)
{
	double sum = 0;
	*n = 0;
	for (int e = 0; e < p->events; e++) {
		const struct sheaf_pattern_cell *cell = &sheaf_pattern_event(p, e)[u];
		sum += (double)cell->sum / unit;
		*n += cell->n;
	}
	return sum;
}
