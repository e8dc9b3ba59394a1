/* SPDX-License-Identifier: MIT */
/* A summary as JSON. */
#include "frame/frame.h"
#include "frame/item.h"
#include "frame/print.h"
#include "report/bars.h"
#include "report/drift.h"
#include "report/names.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>

enum { MOST_NAMED = 20, MOST_BARS = 64 };

/* A number that is not known is NaN, and left out. */
static void put_real(sheaf_builder *b, const char *name, double v)
{
	if (!isnan(v)) sheaf_member_real(b, name, v);
}

/* Percentiles are exact, or the beginnings of the bins that they are in. */
static void put_exactness(sheaf_builder *b, const sheaf_quantiles *q)
{
	sheaf_member_text(b, "quantiles", q->exact ? "exact" : "of bins");
}

/* The bins of lengths are powers of two: bin 0 is the length 0, bin k has [2^(k-1), 2^k). */
static void put_lengths(sheaf_builder *b, const char *name, const sheaf_length_counts *h)
{
	sheaf_member_open(b, name, '{');
	sheaf_member_count(b, "count", h->n);
	sheaf_member_count(b, "min", h->least);
	sheaf_member_count(b, "max", h->most);
	put_real(b, "mean", sheaf_length_counts_mean(h));
	if (h->n) {
		sheaf_quantiles q = sheaf_length_quantiles(h);
		sheaf_member_count(b, "p50", (int64_t)q.p50);
		sheaf_member_count(b, "p95", (int64_t)q.p95);
		sheaf_member_count(b, "p99", (int64_t)q.p99);
		put_exactness(b, &q);
	}
	sheaf_member_open(b, "histogram", '[');
	for (int k = 0; k < 64 && h->n; k++) {
		int64_t from = k ? INT64_C(1) << (k - 1) : 0, until = k < 63 ? INT64_C(1) << k : INT64_MAX;
		int64_t count = sheaf_length_counts_between(h, from, until);
		if (count == 0) continue;
		sheaf_member(b, NULL);
		sheaf_builder_printf(b, "{\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"count\":%" PRId64 "}", from,
		                     k ? until - 1 : 0, count);
	}
	sheaf_builder_text(b, "]}");
}

static void put_sums(sheaf_builder *b, const sheaf_field_summary *f)
{
	const sheaf_value_counts *v = &f->values;
	sheaf_bar bars[SHEAF_MOST_BARS];
	put_real(b, "sum", sheaf_exact_value(&v->sum));
	put_real(b, "mean", sheaf_exact_value(&v->sum) / (double)sheaf_values_finite(v));
	put_real(b, "sd", sheaf_values_deviation(v));
	put_real(b, "norm", sheaf_values_norm(v));
	sheaf_member_count(b, "negatives", v->negatives);
	if (!v->bins) return;
	sheaf_quantiles q = sheaf_value_quantiles(f);
	put_real(b, "p50", q.p50);
	put_real(b, "p95", q.p95);
	put_real(b, "p99", q.p99);
	put_exactness(b, &q);
	sheaf_member_open(b, "histogram", '[');
	for (int i = 0, n = sheaf_value_bars(v, NULL, MOST_BARS, bars); i < n; i++) {
		/* Zeros, NaN and infinities have bars without a range, and members of their own. */
		if (isnan(bars[i].from) || bars[i].amount == 0) continue;
		sheaf_member_open(b, NULL, '{');
		sheaf_member_real(b, "from", bars[i].from);
		sheaf_member_real(b, "to", bars[i].to);
		sheaf_member_count(b, "count", (int64_t)bars[i].amount);
		sheaf_builder_byte(b, '}');
	}
	sheaf_builder_byte(b, ']');
}

static void put_values(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f)
{
	const sheaf_value_counts *v = &f->values;
	sheaf_member_count(b, "values", v->n);
	sheaf_member_count(b, "zeros", v->zeros);
	sheaf_member_count(b, "nan", v->nans);
	sheaf_member_count(b, "infinite", v->infinite[0] + v->infinite[1]);
	if (sheaf_values_finite(v) == 0) return;
	if (sheaf_field_has_range(field)) {
		sheaf_member(b, "min"), sheaf_put_extreme(b, v->least, field);
		sheaf_member(b, "max"), sheaf_put_extreme(b, v->most, field);
	}
	if (sheaf_field_has_sum(field)) put_sums(b, f);
}

static void put_items(sheaf_builder *b, const sheaf_field *field, const sheaf_frequent *f)
{
	const sheaf_item_count *most[MOST_NAMED];
	char text[SHEAF_ITEM_TEXT];
	bool exact;
	if (!f->slots) return;
	sheaf_member_count(b, "distinct", sheaf_frequent_distinct(f, &exact));
	sheaf_member_text(b, "items", exact ? "exact" : "of a sample by hash");
	sheaf_member_open(b, "most_frequent", '[');
	for (int i = 0, n = sheaf_frequent_most(f, most, MOST_NAMED); i < n; i++) {
		size_t size = sheaf_item_words(field, most[i], text);
		sheaf_member_open(b, NULL, '[');
		sheaf_json_string(b, text, size);
		sheaf_member_count(b, NULL, most[i]->count);
		sheaf_builder_byte(b, ']');
	}
	sheaf_builder_byte(b, ']');
}

/* Pairs of an index and how often it is used, with its name if it has one. */
static void put_uses(sheaf_builder *b, const sheaf_field_summary *f)
{
	sheaf_use most[MOST_NAMED];
	if (!f->uses) return;
	sheaf_member_count(b, "never_used", sheaf_never_used(f));
	sheaf_member_open(b, "most_used", '[');
	for (int i = 0, n = sheaf_most_used(f, most, MOST_NAMED); i < n; i++) {
		const char *name;
		size_t size;
		sheaf_member_open(b, NULL, '[');
		sheaf_member_count(b, NULL, most[i].index);
		sheaf_member_count(b, NULL, most[i].count);
		if (sheaf_index_name(f, most[i].index, &name, &size)) {
			sheaf_member(b, NULL);
			sheaf_json_string(b, name, size);
		}
		sheaf_builder_byte(b, ']');
	}
	sheaf_builder_byte(b, ']');
}

/* For as many units as people may want to read. */
static void put_units(sheaf_builder *b, const sheaf_pattern *p)
{
	enum { MOST_UNITS = 64 };
	if (!p->cells || p->units > MOST_UNITS) return;
	sheaf_member_open(b, "unit_means", '[');
	for (int64_t u = 0; u < p->units; u++) {
		int64_t n;
		double sum = sheaf_pattern_total(p, u, &n);
		if (n)
			sheaf_member_real(b, NULL, sum / (double)n);
		else
			sheaf_member_text(b, NULL, NULL);
	}
	sheaf_builder_byte(b, ']');
}

/* How many positions are missing with a code, and of which code how many. */
static void put_codes(sheaf_builder *b, const sheaf_field_summary *f)
{
	int64_t coded = sheaf_field_coded(f);
	if (coded == 0) return;
	sheaf_member_count(b, "coded", coded);
	sheaf_member_open(b, "codes", '[');
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) {
		if (f->codes[c] == 0) continue;
		sheaf_member(b, NULL);
		sheaf_builder_printf(b, "[%d,%" PRId64 "]", c, f->codes[c]);
	}
	sheaf_builder_byte(b, ']');
}

static void put_field(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f)
{
	bool stream = sheaf_field_is_stream(field), text = sheaf_field_is_text(field);
	bool nullable = sheaf_field_is_nullable(field);
	sheaf_member_open(b, NULL, '{');
	sheaf_member_text(b, "name", field->name);
	sheaf_member_text(b, "type", sheaf_type_name(field->type));
	sheaf_member_text(b, "storage", sheaf_field_storage(field));
	if (nullable) put_codes(b, f);
	if (stream) {
		sheaf_member_count(b, "dim", sheaf_field_dim(field));
		sheaf_member_count(b, "samples", f->lengths.total);
	}
	if (text || nullable || (stream && field->levels[1].missing))
		sheaf_member_count(b, "missing", f->missing);
	if (!text) put_values(b, field, f);
	if (stream || text) put_lengths(b, "lengths", &f->lengths);
	if (sheaf_field_is_sparse(field)) {
		put_lengths(b, "nonzeros", &f->entries);
		put_real(b, "density", sheaf_field_density(field, f));
		sheaf_member_count(b, "min_index", f->least_index);
		sheaf_member_count(b, "max_index", f->most_index);
	}
	put_uses(b, f);
	put_items(b, field, &f->frequent);
	put_units(b, &f->pattern);
	sheaf_builder_byte(b, '}');
}

static void put_contradictions(sheaf_builder *b, const sheaf_contradictions *c)
{
	const sheaf_same_inputs *first[MOST_NAMED];
	if (!c->slots) return;
	sheaf_contradicted found = sheaf_contradictions_count(c);
	sheaf_member_open(b, "contradictions", '{');
	sheaf_member_count(b, "different_inputs", found.different);
	sheaf_member_count(b, "inputs", found.inputs);
	sheaf_member_count(b, "rows", found.rows);
	sheaf_member_text(b, "counts", found.exact ? "exact" : "of a sample by hash");
	sheaf_member_open(b, "first", '[');
	for (int i = 0, n = sheaf_contradictions_first(c, first, MOST_NAMED); i < n; i++) {
		sheaf_member(b, NULL);
		sheaf_builder_printf(b, "[%" PRId64 ",%" PRId64 "]", first[i]->first, first[i]->other);
	}
	sheaf_builder_text(b, "]}");
}

/* Without the last brace, before which there may be more. */
static void put_summary(sheaf_builder *b, const sheaf_summary *s)
{
	bool sequences = s->schema.rows == SHEAF_SEQUENCES;
	sheaf_builder_byte(b, '{');
	sheaf_member_count(b, sheaf_summary_word(s), s->rows);
	if (sequences) sheaf_member_text(b, "keys", sheaf_summary_keys(s));
	sheaf_member_open(b, sequences ? "streams" : "columns", '[');
	for (int f = 0; f < s->schema.nfields; f++)
		if (sheaf_summary_shows(s, f)) put_field(b, &s->schema.fields[f], &s->fields[f]);
	sheaf_builder_byte(b, ']');
	put_contradictions(b, &s->contradictions);
	sheaf_list_tensor(s, &(sheaf_listing){b, true});
}

static void put_drift(sheaf_builder *b, const char *name, const sheaf_drift *d)
{
	sheaf_member_open(b, NULL, '{');
	sheaf_member_text(b, "name", name);
	if (d->broken) sheaf_member_text(b, "rule", d->broken);
	put_real(b, "lengths", d->lengths);
	put_real(b, "values", d->values);
	put_real(b, "means", d->means);
	if (d->new_indices >= 0) sheaf_member_count(b, "new_indices", d->new_indices);
	sheaf_builder_byte(b, '}');
}

void sheaf_summary_json(const sheaf_summary *s, const sheaf_summary *other, sheaf_builder *b)
{
	put_summary(b, s);
	if (other) {
		sheaf_member(b, "other");
		put_summary(b, other);
		sheaf_builder_byte(b, '}');
		sheaf_member_open(b, "drift", '[');
		for (int f = 0; f < s->schema.nfields; f++) {
			if (!sheaf_summary_shows(s, f)) continue;
			sheaf_drift d = sheaf_find_drift(s, other, f);
			put_drift(b, s->schema.fields[f].name, &d);
		}
		sheaf_builder_byte(b, ']');
	}
	sheaf_builder_text(b, "}\n");
}
