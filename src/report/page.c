/* SPDX-License-Identifier: MIT */
/* The page: a card, what was found, a section for each field, batches, first rows, and all numbers as JSON.
 */
#include "base/need.h"
#include "data/frame.h"
#include "report/html.h"
#include "report/picture.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The one style sheet. Its hash stands in the page's policy, so that no other is ever used. */
static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:16px/1.5 system-ui,sans-serif;color:#1b1b1f;background:#fff;max-width:44rem;margin:2rem auto;"
	"padding:0 1rem}"
	"h1{font-size:1.5rem;overflow-wrap:anywhere}h3{font-size:1rem;margin-bottom:.25rem}"
	"h2{font-size:1.2rem;margin-top:2.5rem;border-bottom:1px solid #c9cad2}"
	"a{color:inherit}.skip{position:absolute;left:-99rem}.skip:focus{left:1rem}"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
	"th,td{text-align:left;padding:.15rem 1rem .15rem 0;vertical-align:top;overflow-wrap:anywhere}"
	"td+td{text-align:right}th,figcaption,.note,summary{font-weight:400;color:#55565e}"
	"figcaption,.note{font-size:.9rem}figure{margin:.75rem 0}svg{width:100%;height:auto}"
	"svg text{font-size:12px;fill:#55565e}svg .end{text-anchor:end}.bar{fill:#2f6f9f}.axis{stroke:#c9cad2}"
	"img{max-width:100%;min-width:12rem;image-rendering:pixelated;background:#fff;border:1px solid #c9cad2}"
	"pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}summary{cursor:pointer}"
	"@media(prefers-color-scheme:dark){body{color:#ececf1;background:#17181c}h2,img{border-color:#45464f}"
	"th,figcaption,.note,summary{color:#b3b4bf}svg text{fill:#b3b4bf}.bar{fill:#7db8e0}.axis{stroke:#45464f}}"
	"@media print{body{color:#000;background:#fff}th,figcaption,.note,summary{color:#333}svg text{fill:#333}"
	".bar{fill:#2f6f9f}figure{break-inside:avoid}.skip{display:none}}";
static const char style_hash[] = "GQ7zR3+Dli9cU2sUmswI70v3xtDDJsRT+ueXWx/QoDU=";

enum { MOST_NAMED = 10, MOST_BARS = 64, WORDS = 300 };

typedef struct page {
	sheaf_builder b;
	const sheaf_summary *s;
	int figures;
	sheaf_error *err;
	sheaf_status status; /* of what can fail beside memory */
} page;

/* ---- tables ---- */

static void row_begin(page *p, const char *name)
{
	sheaf_builder_text(&p->b, "<tr><th scope=\"row\">");
	sheaf_html_text(&p->b, name, strlen(name));
	sheaf_builder_text(&p->b, "</th><td>");
}

static void row_end(page *p) { sheaf_builder_text(&p->b, "</td></tr>"); }

static void count_row(page *p, const char *name, int64_t n)
{
	row_begin(p, name);
	sheaf_html_count(&p->b, n);
	row_end(p);
}

static void real_row(page *p, const char *name, double v)
{
	if (isnan(v)) return;
	row_begin(p, name);
	sheaf_html_real(&p->b, v);
	row_end(p);
}

static void fact_rows(page *p, const sheaf_fact *facts, int n)
{
	sheaf_builder_text(&p->b, "<table>");
	for (int i = 0; i < n; i++) {
		row_begin(p, facts[i].name);
		sheaf_html_name(&p->b, facts[i].text);
		row_end(p);
	}
	sheaf_builder_text(&p->b, "</table>");
}

/* ---- lengths ---- */

static void lengths(page *p, const char *title, const char *what, const sheaf_length_counts *h)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	if (h->n == 0) return;
	sheaf_quantiles q = sheaf_length_quantiles(h);
	snprintf(words, sizeof words,
	         "%s: %" PRId64 " to %" PRId64 ", mean %.4g, median %.0f, p95 %.0f, p99 %.0f%s", what, h->least,
	         h->most, sheaf_length_counts_mean(h), q.p50, q.p95, q.p99,
	         q.exact ? "." : " (beginnings of bins).");
	sheaf_builder_text(&p->b, "<h3>");
	sheaf_html_text(&p->b, title, strlen(title));
	sheaf_builder_text(&p->b, "</h3>");
	sheaf_html_chart(&p->b, &(sheaf_chart){.number = ++p->figures,
	                                       .title = title,
	                                       .words = words,
	                                       .what = what,
	                                       .bars = bars,
	                                       .n = sheaf_length_bars(h, MOST_BARS, bars)});
}

/* ---- values ---- */

static void values(page *p, const sheaf_field_summary *f)
{
	const sheaf_value_counts *v = &f->values;
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	int64_t finite = sheaf_values_finite(v);
	double mean = finite ? sheaf_exact_value(&v->sum) / (double)finite : NAN;
	if (v->n == 0) return;
	sheaf_builder_text(&p->b, "<h3>Values</h3><table>");
	count_row(p, "values", v->n);
	count_row(p, "zeros", v->zeros);
	if (v->nans) count_row(p, "NaN", v->nans);
	if (v->infinite[0] + v->infinite[1]) count_row(p, "infinite", v->infinite[0] + v->infinite[1]);
	real_row(p, "mean", mean);
	real_row(p, "standard deviation", sheaf_values_deviation(v));
	real_row(p, "norm", sheaf_values_norm(v));
	sheaf_builder_text(&p->b, "</table>");
	if (!v->bins) {
		sheaf_builder_printf(&p->b,
		                     "<p class=\"note\">Only the first %d fields have histograms of values.</p>",
		                     SHEAF_PICTURED_FIELDS);
		return;
	}
	if (finite)
		snprintf(
			words, sizeof words,
			"Values from %.6g to %.6g, median about %.4g; bars by size on both sides of 0, heights by the "
			"logarithm of counts.",
			v->least, v->most, sheaf_value_quantiles(f).p50);
	else
		snprintf(words, sizeof words, "No value is finite.");
	sheaf_html_chart(&p->b, &(sheaf_chart){.number = ++p->figures,
	                                       .title = "Values",
	                                       .words = words,
	                                       .what = "value",
	                                       .bars = bars,
	                                       .n = sheaf_value_bars(v, MOST_BARS, bars),
	                                       .logarithmic = true});
}

/* ---- where entries are, and which indices they use ---- */

static void picture(page *p, const sheaf_raster *r, sheaf_picture_of of, const char *words)
{
	if (p->status) return;
	sheaf_builder_printf(&p->b, "<figure><img width=\"%d\" height=\"%d\" alt=\"", sheaf_raster_width(r),
	                     sheaf_raster_height(r));
	sheaf_html_text(&p->b, words, strlen(words));
	sheaf_builder_text(&p->b, "\" src=\"data:image/png;base64,");
	p->status = sheaf_picture_put(&p->b, r, of, p->err);
	sheaf_builder_text(&p->b, "\"><figcaption>");
	sheaf_html_text(&p->b, words, strlen(words));
	sheaf_builder_text(&p->b, "</figcaption></figure>");
}

static void density(page *p, const sheaf_raster *r, bool matrix)
{
	char words[WORDS];
	if (!r->counts) return;
	snprintf(words, sizeof words,
	         "Where entries are: %s downwards, %" PRId64 " to a pixel; %s to the right, %" PRId64
	         " to a pixel. The darker, the more.",
	         matrix ? "rows" : "sequences", r->rows_to_a_cell, matrix ? "columns" : "indices",
	         r->columns_to_a_cell);
	sheaf_builder_text(&p->b, "<h3>Density</h3>");
	picture(p, r, SHEAF_PICTURE_COUNTS, words);
	if (matrix) picture(p, r, SHEAF_PICTURE_MAGNITUDES, "The same by the largest magnitude in each pixel.");
}

static void uses(page *p, const sheaf_field_summary *f, const char *what)
{
	sheaf_use most[MOST_NAMED];
	if (f->dim == 0) return;
	sheaf_builder_text(&p->b, "<h3>");
	sheaf_html_text(&p->b, what, strlen(what));
	sheaf_builder_text(&p->b, "</h3>");
	if (!f->uses) {
		sheaf_builder_text(&p->b, "<p class=\"note\">There are too many to count each of them.</p>");
		return;
	}
	sheaf_builder_text(&p->b, "<table>");
	count_row(p, "all", f->dim);
	count_row(p, "never used", sheaf_never_used(f));
	sheaf_builder_text(&p->b, "</table><details><summary>Most used</summary><table>");
	int n = sheaf_most_used(f, most, MOST_NAMED);
	for (int i = 0; i < n; i++) {
		char index[24];
		snprintf(index, sizeof index, "%" PRId64, most[i].index);
		count_row(p, index, most[i].count);
	}
	sheaf_builder_text(&p->b, "</table></details>");
}

/* ---- items ---- */

static void items(page *p, const sheaf_field *field, const sheaf_field_summary *f)
{
	const sheaf_item_count *most[MOST_NAMED];
	char text[SHEAF_ITEM_TEXT];
	bool exact;
	if (!f->frequent.slots) return;
	int64_t distinct = sheaf_frequent_distinct(&f->frequent, &exact);
	sheaf_builder_text(&p->b, "<h3>Different items</h3><p>");
	if (!exact) sheaf_builder_text(&p->b, "About ");
	sheaf_html_count(&p->b, distinct);
	sheaf_builder_text(&p->b,
	                   exact ? " in all." : ", estimated from a sample by hash, as are the counts below.");
	sheaf_builder_text(&p->b, "</p><table>");
	int n = sheaf_frequent_most(&f->frequent, most, MOST_NAMED);
	for (int i = 0; i < n; i++) {
		sheaf_builder_text(&p->b, "<tr><th scope=\"row\"><bdi>");
		sheaf_html_text(&p->b, text, sheaf_item_words(field, most[i], text));
		sheaf_builder_text(&p->b, "</bdi></th><td>");
		sheaf_html_count(&p->b, most[i]->count);
		row_end(p);
	}
	sheaf_builder_text(&p->b, "</table>");
}

/* ---- batches ---- */

static void batches(page *p, const sheaf_length_counts *h)
{
	enum { LARGEST = 4096, FACTOR = 4 };
	if (h->n == 0) return;
	sheaf_builder_text(
		&p->b, "<h3>Batches</h3><p class=\"note\">The share of padding where each batch is as wide as "
			   "its longest sequence, computed from the lengths.</p><table><thead><tr><th "
			   "scope=\"col\">sequences in a batch</th><td>drawn at random</td><td>sorted by "
			   "length</td></tr></thead><tbody>");
	for (int64_t batch = 1; batch <= LARGEST; batch *= FACTOR) {
		sheaf_builder_printf(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th><td>", batch);
		sheaf_html_share(&p->b, sheaf_padding_at_random(h, batch));
		sheaf_builder_text(&p->b, "</td><td>");
		sheaf_html_share(&p->b, sheaf_padding_in_buckets(h, batch));
		row_end(p);
	}
	sheaf_builder_text(&p->b, "</tbody></table>");
}

/* ---- fields ---- */

static void field_section(page *p, int number)
{
	char text[64];
	const sheaf_field *field = &p->s->schema.fields[number];
	const sheaf_field_summary *f = &p->s->fields[number];
	bool of_texts = sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES;
	sheaf_builder_text(&p->b, "<h2>");
	sheaf_html_name(&p->b, field->name);
	sheaf_builder_text(&p->b, "</h2><p class=\"note\">");
	sheaf_field_text(field, text, sizeof text);
	sheaf_html_text(&p->b, text, strlen(text));
	sheaf_builder_text(&p->b, "</p>");
	if (f->missing) {
		sheaf_builder_text(&p->b, "<table>");
		count_row(p, "missing", f->missing);
		if (f->coded) count_row(p, "of these with a reason", f->coded);
		sheaf_builder_text(&p->b, "</table>");
	}
	lengths(p, "Lengths", of_texts ? "bytes of a text" : "samples in a sequence", &f->lengths);
	lengths(p, "Entries", "entries in a sample", &f->entries);
	density(p, &f->raster, p->s->schema.rows == SHEAF_ENTRIES);
	uses(p, f, field->meaning == SHEAF_COORDINATE ? "Coordinates" : "Indices");
	items(p, field, f);
	values(p, f);
	if (sheaf_field_is_stream(field)) batches(p, &f->lengths);
}

/* ---- the page ---- */

static void head(page *p, const sheaf_page_options *o)
{
	sheaf_builder_printf(&p->b,
	                     "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
	                     "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	                     "'sha256-%s'; img-src data:\"><meta name=\"viewport\" "
	                     "content=\"width=device-width,initial-scale=1\"><title>",
	                     style_hash);
	sheaf_html_text(&p->b, o->title, strlen(o->title));
	sheaf_builder_printf(&p->b,
	                     "</title><style>%s</style></head><body><a class=\"skip\" href=\"#main\">To the "
	                     "numbers</a><h1>",
	                     style);
	sheaf_html_name(&p->b, o->title);
	sheaf_builder_text(&p->b, "</h1><main id=\"main\">");
}

/* The numbers, for programs: a block of data is no script, and "<" ends nothing in it. */
static void numbers(page *p)
{
	static const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON};
	sheaf_buffer json = {0};
	if (p->status || (p->status = sheaf_summary_text(p->s, &as_json, &json, p->err))) return;
	sheaf_builder_text(&p->b, "<script type=\"application/json\" id=\"numbers\">");
	for (size_t i = 0; i < json.size; i++)
		if (json.data[i] == '<')
			sheaf_builder_text(&p->b, "\\u003c");
		else
			sheaf_builder_byte(&p->b, (char)json.data[i]);
	sheaf_builder_text(&p->b, "</script>");
	sheaf_buffer_reset(&json);
}

static void body(page *p, const sheaf_page_options *o)
{
	sheaf_builder_text(&p->b, "<h2>File</h2>");
	fact_rows(p, o->card, o->ncard);
	sheaf_builder_text(&p->b, "<h2>Findings</h2>");
	if (o->nfindings)
		fact_rows(p, o->findings, o->nfindings);
	else
		sheaf_builder_text(&p->b, "<p>Reading found nothing wrong. Validating looks at more.</p>");
	for (int f = 0; f < p->s->schema.nfields; f++)
		if (p->s->schema.fields[f].meaning != SHEAF_KEY) field_section(p, f);
	if (o->rows) {
		sheaf_builder_text(&p->b, "<h2>First rows</h2><pre>");
		sheaf_html_text(&p->b, o->rows, strlen(o->rows));
		sheaf_builder_text(&p->b, "</pre>");
	}
	numbers(p);
	sheaf_builder_text(&p->b, "</main></body></html>\n");
}

sheaf_status sheaf_summary_page(const sheaf_summary *s, const sheaf_page_options *options, sheaf_buffer *out,
                                sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(options && options->title, "options with a title");
	if (options->size && options->size != sizeof *options)
		return sheaf_fail(err, SHEAF_USAGE, "page options: expected size %zu, found %zu", sizeof *options,
		                  options->size);
	SHEAF_EXPECT(options->ncard >= 0 && options->nfindings >= 0, "facts of at least 0",
	             options->ncard < 0 ? options->ncard : options->nfindings);
	page p = {.s = s, .err = err};
	sheaf_builder_begin(&p.b, s->cx, out);
	head(&p, options);
	body(&p, options);
	if (p.status) {
		sheaf_builder_drop(&p.b);
		return p.status;
	}
	return sheaf_builder_finish(&p.b, out, err);
}
