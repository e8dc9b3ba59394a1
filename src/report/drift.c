/* SPDX-License-Identifier: MIT */
/* Drift: each field of one summary against the one of the same name in another, as numbers and as a section
 * of the page. Histograms are compared by their shares, so that files of different sizes can be compared. */
#include "report/drift.h"
#include "frame/frame.h"
#include "report/page/page.h"
#include "report/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- distances ---- */

/* What a bin contributes to the Jensen-Shannon divergence of two histograms, in bits, if its shares of them
 * are p and q. The sum over all bins is 0 for equal histograms and 1 for histograms without a common bin. */
static double divergence(double p, double q)
{
	double middle = (p + q) / 2;
	return (p > 0 ? p * log2(p / middle) : 0) / 2 + (q > 0 ? q * log2(q / middle) : 0) / 2;
}

/* The divergence of two histograms of lengths; NaN if either is empty. */
static double length_distance(const sheaf_length_counts *a, const sheaf_length_counts *b)
{
	double sum = 0, n = (double)a->n, m = (double)b->n;
	if (a->n == 0 || b->n == 0) return NAN;
	for (size_t i = 0; i < a->room || i < b->room; i++)
		sum += divergence((double)(i < a->room ? a->counts[i] : 0) / n,
		                  (double)(i < b->room ? b->counts[i] : 0) / m);
	for (int i = 0; i < SHEAF_LENGTH_BINS; i++)
		sum += divergence((double)sheaf_length_bin(a, i) / n, (double)sheaf_length_bin(b, i) / m);
	return fmin(sum, 1);
}

/* The divergence of two histograms of values, in which zeros, NaN and infinities are bins, too. */
static double value_distance(const sheaf_value_counts *a, const sheaf_value_counts *b)
{
	double n = (double)a->n, m = (double)b->n;
	if (a->n == 0 || b->n == 0 || !a->bins || !b->bins) return NAN;
	double sum = divergence((double)a->zeros / n, (double)b->zeros / m) +
	             divergence((double)a->nans / n, (double)b->nans / m);
	for (int i = 0; i < 2; i++) sum += divergence((double)a->infinite[i] / n, (double)b->infinite[i] / m);
	for (int i = 0; i < SHEAF_VALUE_BINS; i++)
		sum += divergence((double)a->bins[i] / n, (double)b->bins[i] / m);
	return fmin(sum, 1);
}

/* A difference that cannot be given is NaN, or -1 for indices. A field of another kind, dim or type is
 * compared as far as its counts can be. */
sheaf_drift sheaf_find_drift(const sheaf_summary *s, const sheaf_summary *other, int field)
{
	const sheaf_field *one = &s->schema.fields[field];
	const sheaf_field_summary *a = &s->fields[field];
	int match = sheaf_schema_find(&other->schema, one->name);
	sheaf_drift d = {.field = field, .lengths = NAN, .values = NAN, .means = NAN, .new_indices = -1};
	if (match < 0) {
		d.broken = "not there";
		return d;
	}
	const sheaf_field *two = &other->schema.fields[match];
	const sheaf_field_summary *b = &other->fields[match];
	if (one->meaning != two->meaning || strcmp(sheaf_field_storage(one), sheaf_field_storage(two)) != 0)
		d.broken = "another kind of column";
	else if (sheaf_field_is_stream(one) && sheaf_field_dim(one) != sheaf_field_dim(two))
		d.broken = "another dim";
	else if (one->type != two->type)
		d.broken = "another type";
	d.lengths = length_distance(&a->lengths, &b->lengths);
	d.values = value_distance(&a->values, &b->values);
	/* The difference of means, if both are known, in standard deviations of the first, if there is any. */
	int64_t n = sheaf_values_finite(&a->values), m = sheaf_values_finite(&b->values);
	double deviation = sheaf_values_deviation(&a->values);
	if (sheaf_field_has_sum(one) && n && m && deviation > 0)
		d.means =
			(sheaf_exact_value(&b->values.sum) / (double)m - sheaf_exact_value(&a->values.sum) / (double)n) /
			deviation;
	if (!a->uses || !b->uses) return d;
	d.new_indices = 0;
	for (int64_t i = 0; i < b->dim; i++) d.new_indices += b->uses[i] && (i >= a->dim || !a->uses[i]);
	return d;
}

double sheaf_drift_size(const sheaf_drift *d) { return d->broken ? 2 : fmax(d->lengths, d->values); }

/* ---- the section ---- */

enum { MOST_ROWS = 64 };

/* The order of rows: the largest difference first, one that is not known last, else as the fields are. */
static int by_size(const void *a, const void *b)
{
	const sheaf_drift *x = (const sheaf_drift *)a, *y = (const sheaf_drift *)b;
	double one = sheaf_drift_size(x), other = sheaf_drift_size(y);
	if (isnan(one)) one = -1;
	if (isnan(other)) other = -1;
	if (one != other) return one > other ? -1 : 1;
	return x->field - y->field;
}

static void put_number(sheaf_page *p, double v)
{
	sheaf_html(&p->b, "</td><td>");
	if (!isnan(v)) sheaf_html(&p->b, "%.3g", v);
}

/* Puts the section on drift, if there is another summary: a table with the fields of the largest differences
 * first, then those that only the other file has. */
void sheaf_page_drift(sheaf_page *p)
{
	sheaf_drift rows[MOST_ROWS];
	int n = 0;
	if (!p->other) return;
	for (int f = 0; f < p->s->schema.nfields && n < MOST_ROWS; f++)
		if (sheaf_summary_shows(p->s, f)) rows[n++] = sheaf_find_drift(p->s, p->other, f);
	qsort(rows, (size_t)n, sizeof *rows, by_size);
	sheaf_html(
		&p->b,
		"<section><h2>Drift</h2><p class=\"note\">How <bdi>%s</bdi> differs, the largest differences first: "
		"distances of histograms from 0 (the same) to 1 (nothing in common), the difference of means in "
		"standard deviations, and indices that only it uses. In the charts it is the outline.</p>",
		p->options->other_title);
	sheaf_page_columns(p, "field|rule|lengths|values|means|new indices");
	for (const sheaf_drift *d = rows; d < rows + n; d++) {
		sheaf_html(&p->b, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s",
		           p->s->schema.fields[d->field].name, d->broken ? d->broken : "");
		put_number(p, d->lengths);
		put_number(p, d->values);
		put_number(p, d->means);
		sheaf_html(&p->b, "</td><td>");
		if (d->new_indices >= 0) sheaf_html(&p->b, "% " PRId64, d->new_indices);
		sheaf_html(&p->b, "</td></tr>");
	}
	for (int f = 0; f < p->other->schema.nfields; f++) {
		const char *name = p->other->schema.fields[f].name;
		if (sheaf_summary_shows(p->other, f) && sheaf_schema_find(&p->s->schema, name) < 0)
			sheaf_html(
				&p->b,
				"<tr><th scope=\"row\"><bdi>%s</bdi></th><td>only there</td><td></td><td></td><td></td>"
				"<td></td></tr>",
				name);
	}
	sheaf_html(&p->b, "</tbody></table></section>");
}
