/* SPDX-License-Identifier: MIT */
/* A summary as JSON. */
#include "data/frame.h"
#include "data/item.h"
#include "data/print.h"
#include "report/bars.h"
#include "report/drift.h"
#include "report/names.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>

enum { MOST_NAMED = 20, MOST_BARS = 64 };

static void put_count(sheaf_builder *b, const char *name, int64_t n)
{
	sheaf_builder_printf(b, ",\"%s\":%" PRId64, name, n);
}

static void put_real(sheaf_builder *b, const char *name, double v)
{
	if (isnan(v)) return;
	sheaf_builder_printf(b, ",\"%s\":", name);
	sheaf_json_real(b, v);
}

static void put_lengths(sheaf_builder *b, const char *name, const sheaf_length_counts *h)
{
	bool first = true;
	sheaf_builder_printf(b, ",\"%s\":{\"count\":%" PRId64, name, h->n);
	put_count(b, "min", h->least);
	put_count(b, "max", h->most);
	put_real(b, "mean", sheaf_length_counts_mean(h));
	if (h->n) {
		sheaf_quantiles q = sheaf_length_quantiles(h);
		put_count(b, "p50", (int64_t)q.p50);
		put_count(b, "p95", (int64_t)q.p95);
		put_count(b, "p99", (int64_t)q.p99);
		sheaf_builder_printf(b, ",\"quantiles\":\"%s\"", q.exact ? "exact" : "of bins");
	}
	sheaf_builder_text(b, ",\"histogram\":[");
	for (int k = 0; k < 64 && h->n; k++) {
		int64_t from = k ? INT64_C(1) << (k - 1) : 0, until = k < 63 ? INT64_C(1) << k : INT64_MAX;
		int64_t count = sheaf_length_counts_between(h, from, until);
		if (count == 0) continue;
		sheaf_builder_printf(b, "%s{\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"count\":%" PRId64 "}",
		                     first ? "" : ",", from, k ? until - 1 : 0, count);
		first = false;
	}
	sheaf_builder_text(b, "]}");
}

/* Ranges of values; zeros, NaN and infinities have members of their own. */
static void put_histogram(sheaf_builder *b, const sheaf_value_counts *v)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	bool first = true;
	int n = sheaf_value_bars(v, NULL, MOST_BARS, bars);
	sheaf_builder_text(b, ",\"histogram\":[");
	for (int i = 0; i < n; i++) {
		if (isnan(bars[i].from) || bars[i].amount == 0) continue;
		sheaf_builder_text(b, first ? "{\"from\":" : ",{\"from\":"), sheaf_json_real(b, bars[i].from);
		sheaf_builder_text(b, ",\"to\":"), sheaf_json_real(b, bars[i].to);
		sheaf_builder_printf(b, ",\"count\":%" PRId64 "}", (int64_t)bars[i].amount);
		first = false;
	}
	sheaf_builder_text(b, "]");
}

static void put_sums(sheaf_builder *b, const sheaf_field_summary *f)
{
	const sheaf_value_counts *v = &f->values;
	int64_t finite = sheaf_values_finite(v);
	put_real(b, "sum", sheaf_exact_value(&v->sum));
	put_real(b, "mean", sheaf_exact_value(&v->sum) / (double)finite);
	put_real(b, "sd", sheaf_values_deviation(v));
	put_real(b, "norm", sheaf_values_norm(v));
	put_count(b, "negatives", v->negatives);
	if (!v->bins) return;
	sheaf_quantiles q = sheaf_value_quantiles(f);
	put_real(b, "p50", q.p50);
	put_real(b, "p95", q.p95);
	put_real(b, "p99", q.p99);
	sheaf_builder_printf(b, ",\"quantiles\":\"%s\"", q.exact ? "exact" : "of bins");
	put_histogram(b, v);
}

static void put_values(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f)
{
	const sheaf_value_counts *v = &f->values;
	put_count(b, "values", v->n);
	put_count(b, "zeros", v->zeros);
	put_count(b, "nan", v->nans);
	put_count(b, "infinite", v->infinite[0] + v->infinite[1]);
	if (sheaf_values_finite(v) == 0) return;
	if (sheaf_field_has_range(field)) {
		sheaf_builder_text(b, ",\"min\":"), sheaf_put_extreme(b, v->least, field);
		sheaf_builder_text(b, ",\"max\":"), sheaf_put_extreme(b, v->most, field);
	}
	if (sheaf_field_has_sum(field)) put_sums(b, f);
}

static void put_items(sheaf_builder *b, const sheaf_field *field, const sheaf_frequent *f)
{
	const sheaf_item_count *most[MOST_NAMED];
	char text[SHEAF_ITEM_TEXT];
	bool exact;
	if (!f->slots) return;
	int64_t distinct = sheaf_frequent_distinct(f, &exact);
	sheaf_builder_printf(b, ",\"distinct\":%" PRId64 ",\"items\":\"%s\",\"most_frequent\":[", distinct,
	                     exact ? "exact" : "of a sample by hash");
	int n = sheaf_frequent_most(f, most, MOST_NAMED);
	for (int i = 0; i < n; i++) {
		size_t size = sheaf_item_words(field, most[i], text);
		sheaf_builder_text(b, i ? ",[" : "[");
		sheaf_json_string(b, text, size);
		sheaf_builder_printf(b, ",%" PRId64 "]", most[i]->count);
	}
	sheaf_builder_text(b, "]");
}

static void put_uses(sheaf_builder *b, const sheaf_field_summary *f)
{
	sheaf_use most[MOST_NAMED];
	if (!f->uses) return;
	int n = sheaf_most_used(f, most, MOST_NAMED);
	put_count(b, "never_used", sheaf_never_used(f));
	sheaf_builder_text(b, ",\"most_used\":[");
	for (int i = 0; i < n; i++) {
		const char *name;
		size_t size;
		sheaf_builder_printf(b, "%s[%" PRId64 ",%" PRId64, i ? "," : "", most[i].index, most[i].count);
		if (sheaf_index_name(f, most[i].index, &name, &size)) {
			sheaf_builder_byte(b, ',');
			sheaf_json_string(b, name, size);
		}
		sheaf_builder_byte(b, ']');
	}
	sheaf_builder_text(b, "]");
}

/* For as many units as people may want to read. */
static void put_units(sheaf_builder *b, const sheaf_pattern *p)
{
	enum { MOST_UNITS = 64 };
	if (!p->cells || p->units > MOST_UNITS) return;
	sheaf_builder_text(b, ",\"unit_means\":[");
	for (int64_t u = 0; u < p->units; u++) {
		int64_t n;
		double sum = sheaf_pattern_total(p, u, &n);
		if (u) sheaf_builder_byte(b, ',');
		if (n)
			sheaf_json_real(b, sum / (double)n);
		else
			sheaf_builder_text(b, "null");
	}
	sheaf_builder_byte(b, ']');
}

static void put_codes(sheaf_builder *b, const sheaf_field_summary *f)
{
	int64_t coded = sheaf_field_coded(f);
	const char *before = "";
	if (coded == 0) return;
	put_count(b, "coded", coded);
	sheaf_builder_text(b, ",\"codes\":[");
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) {
		if (f->codes[c] == 0) continue;
		sheaf_builder_printf(b, "%s[%d,%" PRId64 "]", before, c, f->codes[c]);
		before = ",";
	}
	sheaf_builder_byte(b, ']');
}

static void put_field(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f)
{
	bool stream = sheaf_field_is_stream(field), text = sheaf_field_is_text(field);
	bool nullable = sheaf_field_is_nullable(field);
	sheaf_builder_text(b, "{\"name\":");
	sheaf_json_string(b, field->name, strlen(field->name));
	sheaf_builder_printf(b, ",\"type\":\"%s\",\"storage\":\"%s\"", sheaf_type_name(field->type),
	                     sheaf_field_storage(field));
	if (nullable) put_codes(b, f);
	if (stream) {
		put_count(b, "dim", sheaf_field_dim(field));
		put_count(b, "samples", f->lengths.total);
	}
	if (text || nullable || (stream && field->levels[1].missing)) put_count(b, "missing", f->missing);
	if (!text) put_values(b, field, f);
	if (stream || text) put_lengths(b, "lengths", &f->lengths);
	if (sheaf_field_is_sparse(field)) {
		put_lengths(b, "nonzeros", &f->entries);
		put_real(b, "density", sheaf_field_density(field, f));
		put_count(b, "min_index", f->least_index);
		put_count(b, "max_index", f->most_index);
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
	int n = sheaf_contradictions_first(c, first, MOST_NAMED);
	sheaf_builder_printf(b, ",\"contradictions\":{\"different_inputs\":%" PRId64, found.different);
	put_count(b, "inputs", found.inputs);
	put_count(b, "rows", found.rows);
	sheaf_builder_printf(b, ",\"counts\":\"%s\",\"first\":[", found.exact ? "exact" : "of a sample by hash");
	for (int i = 0; i < n; i++)
		sheaf_builder_printf(b, "%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", first[i]->first,
		                     first[i]->other);
	sheaf_builder_text(b, "]}");
}

/* Without the last brace. */
static sheaf_status put_summary(sheaf_builder *b, const sheaf_summary *s, sheaf_error *err)
{
	bool first = true;
	sheaf_builder_printf(b, "{\"%s\":%" PRId64, sheaf_summary_word(s), s->rows);
	if (s->schema.rows == SHEAF_SEQUENCES) sheaf_builder_printf(b, ",\"keys\":\"%s\"", sheaf_summary_keys(s));
	sheaf_builder_printf(b, ",\"%s\":[", s->schema.rows == SHEAF_SEQUENCES ? "streams" : "columns");
	for (int f = 0; f < s->schema.nfields; f++) {
		if (!sheaf_summary_shows(s, f)) continue;
		if (!first) sheaf_builder_byte(b, ',');
		put_field(b, &s->schema.fields[f], &s->fields[f]);
		first = false;
	}
	sheaf_builder_byte(b, ']');
	put_contradictions(b, &s->contradictions);
	return sheaf_put_tensor(s, true, b, err);
}

static void put_drift(sheaf_builder *b, const sheaf_summary *s, const sheaf_drift *d)
{
	const char *name = s->schema.fields[d->field].name;
	sheaf_builder_text(b, "{\"name\":");
	sheaf_json_string(b, name, strlen(name));
	if (d->broken) sheaf_builder_printf(b, ",\"rule\":\"%s\"", d->broken);
	put_real(b, "lengths", d->lengths);
	put_real(b, "values", d->values);
	put_real(b, "means", d->means);
	if (d->new_indices >= 0) put_count(b, "new_indices", d->new_indices);
	sheaf_builder_byte(b, '}');
}

static sheaf_status put_other(sheaf_builder *b, const sheaf_summary *s, const sheaf_summary *other,
                              sheaf_error *err)
{
	bool first = true;
	sheaf_builder_text(b, ",\"other\":");
	SHEAF_TRY(put_summary(b, other, err));
	sheaf_builder_text(b, "},\"drift\":[");
	for (int f = 0; f < s->schema.nfields; f++) {
		if (!sheaf_summary_shows(s, f)) continue;
		sheaf_drift d = sheaf_find_drift(s, other, f);
		if (!first) sheaf_builder_byte(b, ',');
		put_drift(b, s, &d);
		first = false;
	}
	sheaf_builder_byte(b, ']');
	return SHEAF_OK;
}

sheaf_status sheaf_summary_json(const sheaf_summary *s, const sheaf_summary *other, sheaf_builder *b,
                                sheaf_error *err)
{
	SHEAF_TRY(put_summary(b, s, err));
	if (other) SHEAF_TRY(put_other(b, s, other, err));
	sheaf_builder_text(b, "}\n");
	return SHEAF_OK;
}
