/* SPDX-License-Identifier: MIT */
/* A summary as JSON. */
#include "base/need.h"
#include "data/frame.h"
#include "data/print.h"
#include "report/summary.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>

enum { MOST_NAMED = 20 };

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
	static const struct {
		const char *name;
		double share;
	} quantiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}};
	bool all = true, exact;
	if (h->n == 0) return;
	sheaf_builder_printf(b, ",\"%s\":{\"n\":%" PRId64, name, h->n);
	put_count(b, "min", h->least);
	put_count(b, "max", h->most);
	put_count(b, "total", h->total);
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
		put_count(b, quantiles[i].name, sheaf_length_counts_quantile(h, quantiles[i].share, &exact));
		all &= exact;
	}
	sheaf_builder_printf(b, ",\"quantiles\":\"%s\"}", all ? "exact" : "of bins");
}

static void put_values(sheaf_builder *b, const sheaf_value_counts *v)
{
	int64_t finite = sheaf_values_finite(v);
	if (v->n == 0) return;
	sheaf_builder_printf(b, ",\"values\":{\"n\":%" PRId64, v->n);
	put_count(b, "zeros", v->zeros);
	put_count(b, "negatives", v->negatives);
	put_count(b, "nan", v->nans);
	put_count(b, "-inf", v->infinite[0]);
	put_count(b, "+inf", v->infinite[1]);
	if (finite > 0) {
		double sum = sheaf_exact_value(&v->sum);
		put_real(b, "min", v->least);
		put_real(b, "max", v->most);
		put_real(b, "sum", sum);
		put_real(b, "mean", sum / (double)finite);
		put_real(b, "sd", sqrt(sheaf_exact_variance(&v->sum, &v->squares, finite)));
		put_real(b, "norm", sqrt(sheaf_exact_value(&v->squares)));
	}
	if (finite > 0 && v->bins) {
		put_real(b, "p50", sheaf_values_quantile(v, 0.5));
		put_real(b, "p95", sheaf_values_quantile(v, 0.95));
		put_real(b, "p99", sheaf_values_quantile(v, 0.99));
		sheaf_builder_text(b, ",\"quantiles\":\"of bins\"");
	}
	sheaf_builder_text(b, "}");
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
	if (f->dim) put_count(b, "dim", f->dim);
	if (!f->uses) return;
	sheaf_use most[MOST_NAMED];
	int n = sheaf_most_used(f, most, MOST_NAMED);
	put_count(b, "never_used", sheaf_never_used(f));
	sheaf_builder_text(b, ",\"most_used\":[");
	for (int i = 0; i < n; i++)
		sheaf_builder_printf(b, "%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", most[i].index, most[i].count);
	sheaf_builder_text(b, "]");
}

static void put_field(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f)
{
	char text[64];
	sheaf_builder_text(b, "{\"name\":");
	sheaf_json_string(b, field->name, strlen(field->name));
	sheaf_builder_text(b, ",\"type\":");
	sheaf_field_text(field, text, sizeof text);
	sheaf_json_string(b, text, strlen(text));
	put_lengths(b, "lengths", &f->lengths);
	put_lengths(b, "entries", &f->entries);
	put_values(b, &f->values);
	if (f->missing) put_count(b, "missing", f->missing);
	if (f->coded) put_count(b, "missing_with_code", f->coded);
	put_items(b, field, &f->frequent);
	put_uses(b, f);
	sheaf_builder_text(b, "}");
}

sheaf_status sheaf_summary_text(const sheaf_summary *s, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(s, "a summary");
	sheaf_builder b;
	sheaf_builder_begin(&b, s->cx, out);
	sheaf_builder_printf(&b, "{\"rows\":%" PRId64 ",\"fields\":[", s->rows);
	for (int f = 0; f < s->schema.nfields; f++) {
		if (f) sheaf_builder_text(&b, ",");
		put_field(&b, &s->schema.fields[f], &s->fields[f]);
	}
	sheaf_builder_text(&b, "]}\n");
	return sheaf_builder_finish(&b, out, err);
}
