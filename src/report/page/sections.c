/* SPDX-License-Identifier: MIT */
/* The section of each field on the page. What a field has no counts of is left out: lengths of columns
 * without lists, uses of indices of dense streams, histograms of fields beyond the first
 * SHEAF_PICTURED_FIELDS. */
#include "frame/frame.h"
#include "report/names.h"
#include "report/page/page.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_NAMED = 10, MOST_USED = 20, MOST_BARS = 64, WORDS = 300, MOST_LABELS = 50 };

static const char *other_title(const sheaf_page *p, const void *other)
{
	return other ? p->options->other_title : NULL;
}

/* ---- lengths ---- */

static void put_lengths(sheaf_page *p, const char *title, const char *what, const sheaf_length_counts *h,
                        const sheaf_length_counts *other)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	if (h->n == 0) return;
	if (other && other->n == 0) other = NULL;
	sheaf_quantiles q = sheaf_length_quantiles(h);
	const sheaf_chart_mark marks[] = {{"p50", q.p50}, {"p95", q.p95}, {"p99", q.p99}};
	snprintf(words, sizeof words,
	         "%s: %" PRId64 " to %" PRId64 ", mean %.4g, median %.0f, p95 %.0f, p99 %.0f%s", what, h->least,
	         h->most, sheaf_length_counts_mean(h), q.p50, q.p95, q.p99,
	         q.exact ? "." : " (beginnings of bins).");
	sheaf_page_heading(p, 3, title);
	sheaf_page_chart(p, &(sheaf_chart){.title = title,
	                                   .words = words,
	                                   .what = what,
	                                   .bars = bars,
	                                   .n = sheaf_length_bars(h, other, MOST_BARS, bars),
	                                   .other = other_title(p, other),
	                                   .marks = marks,
	                                   .nmarks = sizeof marks / sizeof *marks});
	if (h->least == 0 && h->most > 0) {
		int64_t empty = sheaf_length_counts_between(h, 0, 1);
		snprintf(words, sizeof words, "Empty: %" PRId64 " of %" PRId64 " (%.1f %%).", empty, h->n,
		         100 * (double)empty / (double)h->n);
		sheaf_page_note(p, words);
	}
}

/* ---- values ---- */

static void put_value_numbers(sheaf_page *p, const sheaf_value_counts *v)
{
	int64_t finite = sheaf_values_finite(v);
	sheaf_page_table(p);
	sheaf_page_count(p, "values", v->n);
	sheaf_page_count(p, "zeros", v->zeros);
	if (v->nans) sheaf_page_count(p, "NaN", v->nans);
	if (v->infinite[0] + v->infinite[1]) sheaf_page_count(p, "infinite", v->infinite[0] + v->infinite[1]);
	if (finite) sheaf_page_real(p, "mean", sheaf_exact_value(&v->sum) / (double)finite);
	sheaf_page_real(p, "standard deviation", sheaf_values_deviation(v));
	sheaf_page_real(p, "norm", sheaf_values_norm(v));
	sheaf_page_table_end(p);
}

/* Numbers, then a histogram with the percentiles marked. Heights are logarithmic unless two files are
 * compared, whose bars are shares. */
static void put_values(sheaf_page *p, const sheaf_field_summary *f, const sheaf_field_summary *other)
{
	const sheaf_value_counts *v = &f->values;
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	if (v->n == 0) return;
	sheaf_page_heading(p, 3, "Values");
	put_value_numbers(p, v);
	if (!v->bins) {
		snprintf(words, sizeof words,
		         "Only the first %d fields have histograms of values, and as many as memory allows.",
		         SHEAF_PICTURED_FIELDS);
		sheaf_page_note(p, words);
		return;
	}
	if (other && other->values.n == 0) other = NULL;
	int n = sheaf_value_bars(v, other ? &other->values : NULL, MOST_BARS, bars);
	sheaf_quantiles q = sheaf_value_quantiles(f);
	const sheaf_chart_mark marks[] = {{"p50", q.p50}, {"p95", q.p95}, {"p99", q.p99}};
	if (sheaf_values_finite(v))
		snprintf(words, sizeof words, "Values from %.6g to %.6g; %smedian %.4g, p95 %.4g, p99 %.4g.%s%s",
		         v->least, v->most, q.exact ? "" : "beginnings of bins: ", q.p50, q.p95, q.p99,
		         n < 2 ? "" : " Bars by size on both sides of 0",
		         n < 2   ? ""
		         : other ? "."
		                 : ", heights on a logarithmic scale.");
	else
		snprintf(words, sizeof words, "No value is finite.");
	sheaf_page_chart(p, &(sheaf_chart){.title = "Values",
	                                   .words = words,
	                                   .what = "value",
	                                   .bars = bars,
	                                   .n = n,
	                                   .logarithmic = true,
	                                   .other = other_title(p, other),
	                                   .marks = marks,
	                                   .nmarks = sheaf_values_finite(v) ? 3 : 0});
}

/* ---- where entries are, and which indices they use ---- */

/* The number of entries in each line, or each column, of the picture. */
static void put_marginal(sheaf_page *p, const sheaf_raster *r, bool down, const char *title, const char *what)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	int n = sheaf_raster_bars(r, down, MOST_BARS, bars);
	sheaf_page_chart(p, &(sheaf_chart){.title = title, .words = title, .what = what, .bars = bars, .n = n});
}

static void put_density(sheaf_page *p, const sheaf_raster *r, bool matrix)
{
	char words[WORDS];
	if (!r->counts) return;
	snprintf(words, sizeof words,
	         "Where entries are: %s downwards, %" PRId64 " to a pixel; %s to the right, %" PRId64
	         " to a pixel. The darker, the more.",
	         matrix ? "rows" : "sequences", r->rows_to_a_cell, matrix ? "columns" : "indices",
	         r->columns_to_a_cell);
	sheaf_page_heading(p, 3, "Density");
	sheaf_page_picture(p, r, SHEAF_PICTURE_COUNTS, words);
	put_marginal(p, r, true, matrix ? "Entries by rows" : "Entries by sequences",
	             matrix ? "rows" : "sequences");
	put_marginal(p, r, false, matrix ? "Entries by columns" : "Entries by indices",
	             matrix ? "columns" : "indices");
	if (matrix)
		sheaf_page_picture(p, r, SHEAF_PICTURE_MAGNITUDES,
		                   "The same by the largest magnitude in each pixel.");
}

/* The indices that are used most, with their names if they have any. */
static void put_most_used(sheaf_page *p, const sheaf_field_summary *f)
{
	static const char *const names[] = {"index", "count", "of all entries"};
	sheaf_use most[MOST_USED];
	int n = sheaf_most_used(f, most, MOST_USED);
	sheaf_builder_text(&p->b, "<h4>Most used</h4>");
	sheaf_page_columns(p, names, 3);
	for (int i = 0; i < n; i++) {
		const char *name;
		size_t size;
		sheaf_builder_printf(&p->b, "<tr><th scope=\"row\">%" PRId64, most[i].index);
		if (sheaf_index_name(f, most[i].index, &name, &size)) {
			sheaf_builder_text(&p->b, " <bdi>");
			sheaf_html_text(&p->b, name, size);
			sheaf_builder_text(&p->b, "</bdi>");
		}
		sheaf_builder_text(&p->b, "</th><td>");
		sheaf_html_count(&p->b, most[i].count);
		sheaf_builder_text(&p->b, "</td><td>");
		sheaf_html_share(&p->b, (double)most[i].count / (double)f->entries.total);
		sheaf_page_row_end(p);
	}
	sheaf_page_columns_end(p);
}

static void put_uses(sheaf_page *p, const sheaf_field_summary *f)
{
	sheaf_length_counts counts = {0};
	if (f->dim == 0) return;
	sheaf_page_heading(p, 3, "Indices");
	if (!f->uses) {
		sheaf_page_note(p, "There are too many to count each of them.");
		return;
	}
	sheaf_bar bars[SHEAF_MOST_BARS];
	sheaf_page_table(p);
	sheaf_page_count(p, "all", f->dim);
	sheaf_page_count(p, "never used", sheaf_never_used(f));
	sheaf_page_table_end(p);
	if (!p->status) p->status = sheaf_count_uses(f, &counts, p->s->cx, p->err);
	if (!p->status)
		sheaf_page_chart(p,
		                 &(sheaf_chart){.title = "Use by rank",
		                                .words = "How often each index is used, the most used first; ranks "
		                                         "and counts on logarithmic scales.",
		                                .what = "rank",
		                                .amounts = "mean count",
		                                .bars = bars,
		                                .n = sheaf_rank_bars(&counts, bars),
		                                .logarithmic = true});
	sheaf_length_counts_free(&counts, p->s->cx);
	put_most_used(p, f);
}

/* ---- items ---- */

static void put_label_chart(sheaf_page *p, const sheaf_field *field, const sheaf_item_count *const *items,
                            int n)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	char text[SHEAF_ITEM_TEXT], words[WORDS];
	for (int i = 0; i < n; i++) {
		size_t size = sheaf_item_words(field, items[i], text);
		bars[i] = (sheaf_bar){.from = NAN, .to = NAN, .amount = (double)items[i]->count};
		snprintf(bars[i].label, sizeof bars[i].label, "%.*s", (int)size, text);
	}
	snprintf(words, sizeof words, "All %d items, the most frequent first.", n);
	sheaf_page_chart(p,
	                 &(sheaf_chart){.title = "Items", .words = words, .what = "item", .bars = bars, .n = n});
	sheaf_page_balance(p, bars, n);
}

static void put_most_frequent(sheaf_page *p, const sheaf_field *field, const sheaf_item_count *const *items,
                              int n, int64_t all)
{
	char text[SHEAF_ITEM_TEXT];
	sheaf_page_table(p);
	for (int i = 0; i < n; i++) {
		sheaf_builder_text(&p->b, "<tr><th scope=\"row\"><bdi>");
		sheaf_html_text(&p->b, text, sheaf_item_words(field, items[i], text));
		sheaf_builder_text(&p->b, "</bdi></th><td>");
		sheaf_html_count(&p->b, items[i]->count);
		if (all) {
			sheaf_builder_text(&p->b, "</td><td>");
			sheaf_html_share(&p->b, (double)items[i]->count / (double)all);
		}
		sheaf_page_row_end(p);
	}
	sheaf_page_table_end(p);
}

/* A few items are labels, which are drawn; of many the most frequent ones are listed. */
static void put_items(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *f)
{
	const sheaf_item_count *most[MOST_LABELS];
	char words[WORDS];
	bool exact;
	if (!f->frequent.slots) return;
	int64_t distinct = sheaf_frequent_distinct(&f->frequent, &exact), all = 0;
	int n = sheaf_frequent_most(&f->frequent, most, MOST_LABELS);
	for (int i = 0; i < n; i++) all += most[i]->count;
	bool labels = exact && distinct <= MOST_LABELS && distinct > 1;
	sheaf_page_heading(p, 3, "Different items");
	snprintf(words, sizeof words,
	         exact ? "%" PRId64 " in all."
	               : "About %" PRId64 ", estimated from a sample by "
	                 "hash, as are the counts below.",
	         distinct);
	sheaf_page_note(p, words);
	if (labels) put_label_chart(p, field, most, n);
	if (n > 0 && most[0]->count == 1 && distinct > 1) {
		sheaf_page_note(p, "Each occurs once.");
		return;
	}
	put_most_frequent(p, field, most, n < MOST_NAMED ? n : MOST_NAMED, labels ? all : 0);
}

/* ---- batches ---- */

static void put_padding(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { SIZES = 13 };
	sheaf_bar bars[SIZES];
	for (int i = 0; i < SIZES; i++) {
		int64_t batch = (int64_t)1 << i;
		bars[i] = (sheaf_bar){.from = (double)batch,
		                      .to = (double)batch + 1,
		                      .amount = sheaf_padding_at_random(h, batch),
		                      .other = sheaf_padding_in_buckets(h, batch)};
		snprintf(bars[i].label, sizeof bars[i].label, "%" PRId64, batch);
	}
	sheaf_page_chart(p, &(sheaf_chart){.title = "Padding",
	                                   .words =
	                                       "The share of padding in batches of 1 to 4096 sequences, each as "
	                                       "wide as its longest, computed from the lengths: drawn at random "
	                                       "(bars), and sorted by length (outline).",
	                                   .what = "sequences in a batch",
	                                   .amounts = "drawn at random",
	                                   .bars = bars,
	                                   .n = SIZES,
	                                   .per_cent = true,
	                                   .open = true,
	                                   .other = "sorted by length"});
}

/* The data for the script's sliders: the mean width of the batches of each size, up to that of all ranks
 * together. */
static void put_simulator(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { LARGEST = 4096, MOST_RANKS = 64, QUARTERS = 4 };
	int64_t sizes[80];
	int n = 0;
	for (int64_t size = 1, step = 1; size <= (int64_t)LARGEST * MOST_RANKS; size += step) {
		sizes[n++] = size;
		if (size == (int64_t)2 * QUARTERS * step) step *= 2;
	}
	sheaf_builder_printf(&p->b,
	                     "<script type=\"application/json\" class=\"batches\">{\"sequences\":%" PRId64
	                     ",\"mean\":%.9g,\"sizes\":[",
	                     h->n, sheaf_length_counts_mean(h));
	for (int i = 0; i < n; i++) sheaf_builder_printf(&p->b, "%s%" PRId64, i ? "," : "", sizes[i]);
	sheaf_builder_text(&p->b, "],\"widths\":[");
	for (int i = 0; i < n; i++)
		sheaf_builder_printf(&p->b, "%s%.9g", i ? "," : "", sheaf_expected_width(h, sizes[i]));
	sheaf_builder_text(&p->b, "],\"sorted\":[");
	for (int i = 0; i < n && sizes[i] <= LARGEST; i++)
		sheaf_builder_printf(&p->b, "%s%.5g", i ? "," : "", sheaf_padding_in_buckets(h, sizes[i]));
	sheaf_builder_text(&p->b, "]}</script>");
}

/* The number of batches in an epoch, of a given number of sequences or samples. */
static void put_steps(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { LEAST = 16, LARGEST = 4096, FACTOR = 4 };
	static const char *const names[] = {"in a batch", "batches of sequences", "batches of samples"};
	sheaf_page_note(p, "How many batches an epoch has, if the size is counted in sequences, or in samples.");
	sheaf_page_columns(p, names, 3);
	for (int64_t size = LEAST; size <= LARGEST; size *= FACTOR) {
		sheaf_builder_printf(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th><td>", size);
		sheaf_html_count(&p->b, h->n / size + (h->n % size != 0));
		sheaf_builder_text(&p->b, "</td><td>");
		sheaf_html_count(&p->b, h->total / size + (h->total % size != 0));
		sheaf_page_row_end(p);
	}
	sheaf_page_columns_end(p);
}

/* Each rank has a batch drawn at random; those with narrower ones wait for the one with the widest. */
static void put_imbalance(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { MOST_RANKS = 64 };
	static const char *const names[] = {"ranks", "batches of 8", "of 32", "of 128"};
	static const int64_t sizes[] = {8, 32, 128};
	sheaf_page_note(p,
	                "The share of time that ranks wait for the one with the widest batch, if the time of a "
	                "batch is its width and batches are drawn at random.");
	sheaf_page_columns(p, names, 4);
	for (int64_t ranks = 1; ranks <= MOST_RANKS; ranks *= 2) {
		sheaf_builder_printf(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th>", ranks);
		for (int i = 0; i < 3; i++) {
			sheaf_builder_text(&p->b, "<td>");
			sheaf_html_share(&p->b, sheaf_waiting_of_ranks(h, sizes[i], ranks));
			sheaf_builder_text(&p->b, "</td>");
		}
		sheaf_builder_text(&p->b, "</tr>");
	}
	sheaf_page_columns_end(p);
}

static void put_batches(sheaf_page *p, const sheaf_length_counts *h)
{
	if (h->n == 0 || h->most == h->least) return;
	sheaf_page_heading(p, 3, "Batches");
	put_padding(p, h);
	put_simulator(p, h);
	put_steps(p, h);
	put_imbalance(p, h);
}

/* ---- fields ---- */

static void put_missing(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *f)
{
	if (!f->missing) return;
	sheaf_page_table(p);
	sheaf_page_count(p, sheaf_field_is_stream(field) ? "samples not given" : "missing", f->missing);
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) {
		char name[40];
		snprintf(name, sizeof name, "of these by the code %d", c);
		if (f->codes[c]) sheaf_page_count(p, name, f->codes[c]);
	}
	sheaf_page_table_end(p);
}

void sheaf_page_describe(const sheaf_field *field, char *text, size_t size)
{
	if (sheaf_field_is_stream(field) || sheaf_field_lacks_samples(field))
		sheaf_field_text(field, text, size);
	else if (sheaf_field_is_text(field))
		snprintf(text, size, "%s", sheaf_field_storage(field));
	else
		snprintf(text, size, "%s, %s", sheaf_field_storage(field), sheaf_type_name(field->type));
}

void sheaf_page_field(sheaf_page *p, int number)
{
	char text[80];
	const sheaf_field *field = &p->s->schema.fields[number];
	const sheaf_field_summary *f = &p->s->fields[number],
							  *other = p->other ? sheaf_other_field(p->other, field->name) : NULL;
	bool of_texts = sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES;
	sheaf_builder_text(&p->b, "<section><h2>");
	sheaf_html_name(&p->b, field->name);
	sheaf_builder_text(&p->b, "</h2>");
	sheaf_page_describe(field, text, sizeof text);
	sheaf_page_note(p, text);
	put_missing(p, field, f);
	put_lengths(p, "Lengths", of_texts ? "bytes of a text" : "samples in a sequence", &f->lengths,
	            other ? &other->lengths : NULL);
	put_lengths(p, "Entries", "entries in a sample", &f->entries, other ? &other->entries : NULL);
	put_density(p, &f->raster, p->s->schema.rows == SHEAF_ENTRIES);
	put_uses(p, f);
	put_items(p, field, f);
	if (sheaf_field_is_stream(field)) sheaf_page_labels(p, field, f);
	put_values(p, f, other);
	sheaf_page_units(p, f);
	if (sheaf_field_is_stream(field)) put_batches(p, &f->lengths);
	sheaf_builder_text(&p->b, "</section>");
}
