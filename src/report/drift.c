/* SPDX-License-Identifier: MIT */
/* Drift: each field of one summary against the one of the same name in another. Shares are compared, so that
 * files of different sizes can be. Numbers are compared by the Kolmogorov-Smirnov distance, since it has no
 * bins that could hide a change; items by the total variation, since they have no order. */
#include "report/drift.h"
#include "base/memory.h"
#include "base/need.h"
#include "frame/frame.h"
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const sheaf_distance_names[SHEAF_DISTANCES] = {"values",  "items",   "indices",
                                                           "missing", "lengths", "entries"};
enum { FEW_ITEMS = 50 };

/* Two fields of the same name. */
typedef struct pair {
	const sheaf_field *field;
	const sheaf_field_summary *a, *b;
	sheaf_context *cx;
	sheaf_drift *d;
} pair;

/* ---- shares ---- */

static double share(double n, double all) { return all > 0 ? n / all : 0; }

/* The difference of two shares, which is exactly 0 if they are equal. */
static double difference(int64_t n, int64_t all, int64_t m, int64_t others)
{
	return fabs((double)n * (double)others - (double)m * (double)all) / ((double)all * (double)others);
}

/* Keeps a change if it is one of the largest. */
static void note_change(sheaf_drift *d, const char *text, int size, double from, double to)
{
	int at = d->nchanges < SHEAF_MOST_CHANGES ? d->nchanges++ : SHEAF_MOST_CHANGES;
	for (; at > 0 && fabs(d->changes[at - 1].to - d->changes[at - 1].from) < fabs(to - from); at--)
		if (at < SHEAF_MOST_CHANGES) d->changes[at] = d->changes[at - 1];
	if (at == SHEAF_MOST_CHANGES || from == to) {
		if (from == to && d->nchanges && at + 1 == d->nchanges) d->nchanges--;
		return;
	}
	sheaf_change *c = &d->changes[at];
	snprintf(c->text, sizeof c->text, "%.*s", size, text);
	c->from = from;
	c->to = to;
}

/* ---- items ---- */

/* Values, or texts. */
static int64_t items_of(const sheaf_field_summary *f) { return f->values.n ? f->values.n : f->lengths.n; }

/* Whether items come often enough to have shares: identifiers, each of which is different, have none. */
static bool has_shares(const sheaf_field_summary *f)
{
	bool exact;
	int64_t distinct = f->frequent.slots ? sheaf_field_distinct(f, &exact) : INT64_MAX;
	return items_of(f) && (distinct <= FEW_ITEMS || distinct <= items_of(f) / 2);
}

/* Adds the items of one table that come more often than in the other. */
static double add_items(const pair *p, bool forward)
{
	double sum = 0;
	char text[SHEAF_ITEM_TEXT];
	const sheaf_field_summary *from = forward ? p->a : p->b, *with = forward ? p->b : p->a;
	int64_t all = items_of(from), others = items_of(with);
	for (int i = 0; i < SHEAF_FREQUENT_SLOTS; i++) {
		const sheaf_item_count *item = &from->frequent.slots[i];
		if (!item->count || !sheaf_frequent_keeps(&with->frequent, item->high)) continue;
		int64_t count = sheaf_frequent_count(&with->frequent, item);
		double mine = (double)item->count / (double)all, other = (double)count / (double)others;
		if (mine <= other) continue;
		sum += difference(item->count, all, count, others);
		int size = (int)sheaf_item_words(p->field, item, text);
		note_change(p->d, text, size, forward ? mine : other, forward ? other : mine);
	}
	return sum;
}

/* Half the sum of all differences is the larger of what one has more and what the other has more, which are
 * equal if all items were counted. */
static double item_distance(const pair *p)
{
	if (!has_shares(p->a) || !has_shares(p->b)) return NAN;
	double more = add_items(p, true);
	return fmin(1, fmax(more, add_items(p, false)));
}

/* ---- units and indices ---- */

typedef double (*amount_of)(const sheaf_field_summary *f, int64_t i);

static double use_of(const sheaf_field_summary *f, int64_t i) { return i < f->dim ? (double)f->uses[i] : 0; }

static double unit_of(const sheaf_field_summary *f, int64_t unit)
{
	int64_t n;
	return unit < f->pattern.units ? sheaf_pattern_total(&f->pattern, unit, &n) : 0;
}

/* The total variation of amounts from 0 up to `end`; NaN if either has none. */
static double amount_distance(const pair *p, amount_of amount, int64_t end)
{
	double n = 0, m = 0, sum = 0;
	for (int64_t i = 0; i < end; i++) n += amount(p->a, i), m += amount(p->b, i);
	if (!(n > 0) || !(m > 0)) return NAN;
	for (int64_t i = 0; i < end; i++) {
		char text[24];
		double from = amount(p->a, i) / n, to = amount(p->b, i) / m;
		sum += fabs(amount(p->a, i) * m - amount(p->b, i) * n);
		int size = snprintf(text, sizeof text, "%lld", (long long)i);
		note_change(p->d, text, size, from, to);
	}
	return fmin(1, sum / (2 * n * m));
}

/* Samples that name one of a few units are labels; other means of units are values. */
static double unit_distance(const pair *p)
{
	if (!sheaf_names_units(p->field, p->a) || !sheaf_names_units(p->field, p->b)) return NAN;
	return amount_distance(
		p, unit_of, p->a->pattern.units > p->b->pattern.units ? p->a->pattern.units : p->b->pattern.units);
}

/* Of a few uses of many indices chance alone makes large distances, so that they are not compared. */
static double index_distance(const pair *p)
{
	enum { OFTEN = 10 };
	const sheaf_field_summary *a = p->a, *b = p->b;
	if (!a->uses || !b->uses) return NAN;
	int64_t used = a->dim - sheaf_never_used(a), others = b->dim - sheaf_never_used(b), n = 0, m = 0;
	p->d->new_indices = 0;
	for (int64_t i = 0; i < a->dim; i++) n += a->uses[i];
	for (int64_t i = 0; i < b->dim; i++) {
		m += b->uses[i];
		p->d->new_indices += b->uses[i] && (i >= a->dim || !a->uses[i]);
	}
	if (n < OFTEN * used || m < OFTEN * others) return NAN;
	return amount_distance(p, use_of, a->dim > b->dim ? a->dim : b->dim);
}

/* ---- numbers ---- */

/* The largest difference of the shares below a number, and that of the shares of what is no finite number. */
static double value_distance(const pair *p, sheaf_error *err, sheaf_status *status)
{
	sheaf_distribution a, b = {0};
	const sheaf_value_counts *v = &p->a->values, *w = &p->b->values;
	if (v->n == 0 || w->n == 0 || !p->a->sample.values || !p->b->sample.values) return NAN;
	*status = sheaf_distribution_of(p->a, p->cx, &a, err);
	if (!*status) *status = sheaf_distribution_of(p->b, p->cx, &b, err);
	const int64_t odd[][2] = {
		{v->nans, w->nans}, {v->infinite[0], w->infinite[0]}, {v->infinite[1], w->infinite[1]}};
	double most = 0, others = 0;
	for (int i = 0; i < 3; i++) {
		double n = share((double)odd[i][0], (double)v->n), m = share((double)odd[i][1], (double)w->n);
		most += fabs(n - m) / 2;
		others += m - n;
	}
	most += fabs(others) / 2;
	int64_t below = 0, beside = 0; /* counts, so that equal shares have no difference */
	for (int i = 0, k = 0; i < a.n || k < b.n;) {
		double at = fmin(i < a.n ? a.values[i].value : INFINITY, k < b.n ? b.values[k].value : INFINITY);
		for (; i < a.n && a.values[i].value == at; i++) below += a.values[i].count;
		for (; k < b.n && b.values[k].value == at; k++) beside += b.values[k].count;
		if (a.total && b.total) most = fmax(most, difference(below, a.total, beside, b.total));
	}
	sheaf_distribution_free(&a, p->cx);
	sheaf_distribution_free(&b, p->cx);
	return fmin(most, 1);
}

static double length_distance(const sheaf_length_counts *a, const sheaf_length_counts *b)
{
	double most = 0;
	int64_t below = 0, beside = 0;
	if (a->n == 0 || b->n == 0) return NAN;
	for (size_t i = 0; i < a->room || i < b->room; i++) {
		below += i < a->room ? a->counts[i] : 0;
		beside += i < b->room ? b->counts[i] : 0;
		most = fmax(most, difference(below, a->n, beside, b->n));
	}
	for (int i = 0; i < SHEAF_LENGTH_BINS; i++) {
		below += sheaf_length_bin(a, i);
		beside += sheaf_length_bin(b, i);
		most = fmax(most, difference(below, a->n, beside, b->n));
	}
	return most;
}

static double missing_distance(const pair *p)
{
	int64_t n = p->a->missing + items_of(p->a), m = p->b->missing + items_of(p->b);
	bool any = p->a->missing || p->b->missing;
	return any && n && m ? difference(p->a->missing, n, p->b->missing, m) : NAN;
}

/* The difference of means, if both are known, in standard deviations of the first, if there is any. */
static double mean_distance(const pair *p)
{
	const sheaf_value_counts *a = &p->a->values, *b = &p->b->values;
	int64_t n = sheaf_values_finite(a), m = sheaf_values_finite(b);
	double deviation = sheaf_values_deviation(a);
	if (!sheaf_field_has_sum(p->field) || n == 0 || m == 0 || !(deviation > 0)) return NAN;
	return (sheaf_exact_value(&b->sum) / (double)m - sheaf_exact_value(&a->sum) / (double)n) / deviation;
}

/* ---- fields ---- */

static const char *broken_rule(const sheaf_field *one, const sheaf_field *two)
{
	if (one->meaning != two->meaning || strcmp(sheaf_field_storage(one), sheaf_field_storage(two)) != 0)
		return "another kind of column";
	if (sheaf_field_is_stream(one) && sheaf_field_dim(one) != sheaf_field_dim(two)) return "another dim";
	return one->type != two->type ? "another type" : NULL;
}

sheaf_distance sheaf_drift_cause(const sheaf_drift *d)
{
	sheaf_distance cause = SHEAF_BY_VALUES;
	for (int i = 1; i < SHEAF_DISTANCES; i++)
		if (d->distances[i] > d->distances[cause] || isnan(d->distances[cause])) cause = (sheaf_distance)i;
	return cause;
}

/* Items that are few are compared as such, numbers or not; the order of others matters. */
static sheaf_status compare(const pair *p, const sheaf_field *other, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	sheaf_drift *d = p->d;
	d->broken = broken_rule(p->field, other);
	d->distances[SHEAF_BY_LENGTHS] = length_distance(&p->a->lengths, &p->b->lengths);
	d->distances[SHEAF_BY_ENTRIES] = length_distance(&p->a->entries, &p->b->entries);
	d->distances[SHEAF_BY_MISSING] = missing_distance(p);
	d->distances[SHEAF_BY_VALUES] = value_distance(p, err, &status);
	d->distances[SHEAF_BY_INDICES] = index_distance(p);
	bool texts = sheaf_field_is_text(p->field) && sheaf_field_is_text(other), exact,
		 few = p->a->frequent.slots && sheaf_field_distinct(p->a, &exact) <= FEW_ITEMS &&
	           p->b->frequent.slots && sheaf_field_distinct(p->b, &exact) <= FEW_ITEMS,
		 whole = p->a->values.fractions + p->b->values.fractions == 0;
	d->distances[SHEAF_BY_ITEMS] =
		texts || (few && whole && !d->broken) ? item_distance(p) : unit_distance(p);
	d->means = mean_distance(p);
	double most = d->distances[sheaf_drift_cause(d)];
	d->score = d->broken ? 1 : isnan(most) ? 0 : most;
	return status;
}

static int by_score(const void *a, const void *b)
{
	const sheaf_drift *x = (const sheaf_drift *)a, *y = (const sheaf_drift *)b;
	if ((x->broken != NULL) != (y->broken != NULL)) return x->broken ? -1 : 1;
	if (x->score != y->score) return x->score > y->score ? -1 : 1;
	return x->field - y->field;
}

sheaf_status sheaf_find_drift(const sheaf_summary *s, const sheaf_summary *other, sheaf_drift **out, int *n,
                              sheaf_error *err)
{
	int room = s->schema.nfields + other->schema.nfields;
	sheaf_status status = SHEAF_OK;
	*n = 0;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (size_t)room, sizeof **out, out, err));
	for (int i = 0; i < room && !status; i++) {
		bool first = i < s->schema.nfields;
		const sheaf_summary *has = first ? s : other, *match = first ? other : s;
		int f = first ? i : i - s->schema.nfields;
		const sheaf_field *field = &has->schema.fields[f];
		int found = sheaf_schema_find(&match->schema, field->name);
		if (!sheaf_summary_shows(has, f) || (!first && found >= 0)) continue;
		sheaf_drift *d = &(*out)[(*n)++];
		*d = (sheaf_drift){.name = field->name, .field = i, .score = 1, .means = NAN, .new_indices = -1};
		for (int k = 0; k < SHEAF_DISTANCES; k++) d->distances[k] = NAN;
		d->broken = first ? "not there" : "only there";
		pair p = {field, &has->fields[f], found < 0 ? NULL : &match->fields[found], s->cx, d};
		if (found >= 0) status = compare(&p, &match->schema.fields[found], err);
	}
	qsort(*out, (size_t)*n, sizeof **out, by_score);
	return status;
}

void sheaf_release_drift(const sheaf_summary *s, sheaf_drift *all, int room)
{
	if (all) sheaf_release(s->cx, all, (size_t)room * sizeof *all);
}

sheaf_status sheaf_summary_drift(const sheaf_summary *s, const sheaf_summary *other, double *most,
                                 sheaf_error *err)
{
	sheaf_drift *all = NULL;
	int n;
	SHEAF_NEED(most, "a place for the outcome");
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(other, "another summary");
	SHEAF_TRY(sheaf_summary_join(s, err));
	SHEAF_TRY(sheaf_summary_join(other, err));
	sheaf_status status = sheaf_find_drift(s, other, &all, &n, err);
	*most = !status && n ? all[0].score : 0;
	sheaf_release_drift(s, all, s->schema.nfields + other->schema.nfields);
	return status;
}
