/* SPDX-License-Identifier: MIT */
/* The section of each field on the page. What a field has no counts of is left out: lengths of columns
 * without lists, uses of indices of dense streams, histograms of fields beyond the first
 * SHEAF_PICTURED_FIELDS. A section asks one question after the other (docs/report.md says what each answer
 * tells), and each of them is a chart whose numbers are in a table below it, so that the page also serves
 * those who cannot see charts. */
#include "frame/frame.h"
#include "frame/item.h"
#include "report/names.h"
#include "report/page/page.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_NAMED = 10, MOST_USED = 20, MOST_BARS = 64, WORDS = 600, MOST_LABELS = 50, LARGEST_BATCH = 4096 };

/* ---- lengths ---- */

/* Puts how long something is, as a heading, a chart and words: `what` names what is counted, `other` are the
 * counts of the other file, if there is one. Nothing without a count. */
static void put_lengths(sheaf_page *p, const char *title, const char *what, const sheaf_length_counts *h,
                        const sheaf_length_counts *other)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	if (h->n == 0) return;
	if (other && other->n == 0) other = NULL;
	sheaf_quantiles q = sheaf_length_quantiles(h);
	snprintf(words, sizeof words,
	         "%s: %" PRId64 " to %" PRId64 ", mean %.4g, median %.6g, p95 %.6g, p99 %.6g%s", what, h->least,
	         h->most, sheaf_length_counts_mean(h), q.p50, q.p95, q.p99,
	         q.exact ? "." : " (beginnings of bins).");
	sheaf_html(&p->b, "<h3>%s</h3>", title);
	sheaf_page_chart(p, &(sheaf_chart){.title = title,
	                                   .words = words,
	                                   .what = what,
	                                   .bars = bars,
	                                   .n = sheaf_length_bars(h, other, MOST_BARS, bars),
	                                   .other = other ? p->options->other_title : NULL,
	                                   .marks = &q});
	if (h->least || h->most == 0) return;
	int64_t empty = sheaf_length_counts_between(h, 0, 1);
	sheaf_html(&p->b, "<p class=\"note\">Empty: %" PRId64 " of %" PRId64 " (%.1f %%).</p>", empty, h->n,
	           100 * (double)empty / (double)h->n);
}

/* ---- values ---- */

/* Puts the numbers of values in a table; those that are not known (NaN) are left out. */
static void put_value_numbers(sheaf_page *p, const sheaf_field *field, const sheaf_value_counts *v)
{
	int64_t finite = sheaf_values_finite(v), infinite = v->infinite[0] + v->infinite[1];
	double mean = sheaf_exact_value(&v->sum) / (double)finite, deviation = sheaf_values_deviation(v);
	char text[SHEAF_TIME_ROOM];
	sheaf_html(&p->b, "<h3>Values</h3><table>");
	sheaf_page_count(p, "values", v->n);
	if (!sheaf_means_time(field->meaning)) sheaf_page_count(p, "zeros", v->zeros);
	if (v->nans) sheaf_page_count(p, "NaN", v->nans);
	if (infinite) sheaf_page_count(p, "infinite", infinite);
	if (finite && !sheaf_means_time(field->meaning)) sheaf_page_real(p, "mean", mean);
	if (finite && sheaf_means_time(field->meaning)) {
		sheaf_value_words(field, mean, text, sizeof text);
		sheaf_page_words(p, "mean", text);
	}
	sheaf_difference_words(field, deviation, text, sizeof text);
	if (!isnan(deviation)) sheaf_page_words(p, "standard deviation", text);
	if (sheaf_field_has_sum(field)) sheaf_page_real(p, "norm", sheaf_values_norm(v));
	sheaf_html(&p->b, "</table>");
}

/* Puts the values of a field: their numbers, then a histogram with the percentiles marked. */
static void put_values(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *f,
                       const sheaf_field_summary *other)
{
	static const char *const axes[] = {"", " Only the middle of the range has bars of its own.",
	                                   " The axis is logarithmic, since a few values are far from most."};
	sheaf_spread_values v = {.field = field, .f = f}, o = {.field = field, .f = other};
	sheaf_bar bars[SHEAF_MOST_BARS];
	sheaf_axis axis;
	bool exact;
	char words[WORDS] = "No value is finite.", texts[5][SHEAF_TIME_ROOM];
	if (f->values.n == 0) return;
	put_value_numbers(p, field, &f->values);
	if (!f->sample.values) {
		sheaf_html(&p->b,
		           "<p class=\"note\">Only the first %d fields have histograms of values, and as many as "
		           "memory allows.</p>",
		           SHEAF_PICTURED_FIELDS);
		return;
	}
	if (!p->status) p->status = sheaf_distribution_of(f, p->s->cx, &v.d, p->err);
	if (!p->status && other) p->status = sheaf_distribution_of(other, p->s->cx, &o.d, p->err);
	int n = sheaf_value_bars(&v, other ? &o : NULL, MOST_BARS, bars, &axis, &exact);
	sheaf_quantiles q = sheaf_distribution_quantiles(&v.d);
	const double shown[] = {f->values.least, f->values.most, q.p50, q.p95, q.p99};
	for (int i = 0; i < 5; i++) sheaf_value_words(field, shown[i], texts[i], sizeof texts[i]);
	const char *about = q.exact ? "" : "about ";
	if (v.d.total)
		snprintf(words, sizeof words, "Values from %s to %s; median %s%s, p95 %s%s, p99 %s%s.%s%s", texts[0],
		         texts[1], about, texts[2], about, texts[3], about, texts[4], axes[axis],
		         exact ? "" : " Counts are estimated from a sample.");
	sheaf_page_chart(p, &(sheaf_chart){.title = "Values",
	                                   .words = words,
	                                   .what = "value",
	                                   .bars = bars,
	                                   .n = n,
	                                   .field = field,
	                                   .other = other ? p->options->other_title : NULL,
	                                   .marks = v.d.total ? &q : NULL});
	sheaf_distribution_free(&v.d, p->s->cx);
	sheaf_distribution_free(&o.d, p->s->cx);
}

/* ---- where entries are, and which indices they use ---- */

/* Puts where entries are: a picture, charts of how many there are in its lines and in its columns, and for a
 * matrix the picture of their magnitudes. */
void sheaf_page_density(sheaf_page *p, const sheaf_raster *r)
{
	bool matrix = p->s->schema.rows == SHEAF_ENTRIES;
	const char *const sides[] = {matrix ? "columns" : "indices", matrix ? "rows" : "sequences"};
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	snprintf(words, sizeof words,
	         "Where entries are: %s downwards, %" PRId64 " to a pixel; %s to the right, %" PRId64
	         " to a pixel. The darker, the more.",
	         sides[1], r->rows_to_a_cell, sides[0], r->columns_to_a_cell);
	bool full = matrix && (double)p->s->entries >= (double)r->rows * (double)r->columns;
	sheaf_html(&p->b, full ? "<h3>Values</h3>" : "<h3>Density</h3>");
	if (full) {
		sheaf_page_picture(
			p, r, SHEAF_PICTURE_MAGNITUDES,
			"All positions have entries: the darker, the larger the magnitude, rows downwards.");
		return;
	}
	sheaf_page_picture(p, r, SHEAF_PICTURE_COUNTS, words);
	for (int down = 1; down >= 0; down--) {
		snprintf(words, sizeof words, "Entries by %s", sides[down]);
		sheaf_page_chart(p, &(sheaf_chart){.title = words,
		                                   .words = words,
		                                   .what = sides[down],
		                                   .bars = bars,
		                                   .n = sheaf_raster_bars(r, down, MOST_BARS, bars)});
	}
	if (matrix)
		sheaf_page_picture(p, r, SHEAF_PICTURE_MAGNITUDES,
		                   "The same by the largest magnitude in each pixel.");
}

/* Puts how many indices are used and how often, and those that are used most, with their names if they have
 * any. Nothing for fields without indices (dim 0). */
static void put_uses(sheaf_page *p, const sheaf_field_summary *f)
{
	sheaf_length_counts counts = {0};
	sheaf_use most[MOST_USED];
	sheaf_bar bars[SHEAF_MOST_BARS];
	if (f->dim == 0) return;
	sheaf_html(&p->b, "<h3>Indices</h3>");
	if (!f->uses) {
		sheaf_html(&p->b, "<p class=\"note\">There are too many to count each of them.</p>");
		return;
	}
	sheaf_html(&p->b, "<table>");
	sheaf_page_count(p, "all", f->dim);
	sheaf_page_count(p, "never used", sheaf_never_used(f));
	sheaf_html(&p->b, "</table>");
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
	sheaf_html(&p->b, "<h4>Most used</h4>");
	sheaf_page_columns(p, "index|count|of all entries");
	for (int i = 0, n = sheaf_most_used(f, most, MOST_USED); i < n; i++) {
		const char *name;
		size_t size;
		sheaf_html(&p->b, "<tr><th scope=\"row\">%" PRId64, most[i].index);
		if (sheaf_index_name(f, most[i].index, &name, &size))
			sheaf_html(&p->b, " <bdi>%.*s</bdi>", (int)size, name);
		sheaf_html(&p->b, "</th><td>% " PRId64 "</td><td>" SHEAF_HTML_SHARE "</td></tr>", most[i].count,
		           100 * ((double)most[i].count / (double)f->entries.total));
	}
	sheaf_html(&p->b, "</tbody></table>");
}

/* ---- items ---- */

/* Puts the different items of a field. A few items are labels, which are drawn as a chart; of many the most
 * frequent ones are listed. */
static void put_items(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *s)
{
	const sheaf_frequent *f = &s->frequent;
	const sheaf_item_count *most[MOST_LABELS];
	sheaf_bar bars[MOST_LABELS];
	char text[SHEAF_ITEM_TEXT], words[WORDS];
	bool exact;
	int64_t distinct = sheaf_field_distinct(s, &exact), all = 0;
	int n = sheaf_frequent_most(f, most, MOST_LABELS);
	bool labels = exact && distinct <= MOST_LABELS && distinct > 1;
	sheaf_html(&p->b, "<h3>Different items</h3><p class=\"note\">");
	sheaf_html(&p->b,
	           exact ? "%" PRId64 " in all.</p>"
	                 : "About %" PRId64 ", estimated from a sample by hash, as are the counts below.</p>",
	           distinct);
	for (int i = 0; i < n; i++) {
		int size = (int)sheaf_item_words(field, most[i], text);
		bars[i] = (sheaf_bar){.from = NAN, .to = NAN, .amount = (double)most[i]->count};
		snprintf(bars[i].label, sizeof bars[i].label, "%.*s", size, text);
		all += most[i]->count;
	}
	snprintf(words, sizeof words, "All %d items, the most frequent first.", n);
	if (labels)
		sheaf_page_evenness(
			p, &(sheaf_chart){.title = "Items", .words = words, .what = "item", .bars = bars, .n = n});
	if (exact && n > 0 && most[0]->count == 1 && distinct > 1) {
		sheaf_html(&p->b, "<p class=\"note\">Each occurs once.</p>");
		return;
	}
	sheaf_html(&p->b, "<table>");
	for (int i = 0; i < n && i < MOST_NAMED; i++) {
		int size = (int)sheaf_item_words(field, most[i], text);
		sheaf_html(&p->b, "<tr><th scope=\"row\"><bdi>%.*s</bdi></th><td>% " PRId64, size, text,
		           most[i]->count);
		if (labels)
			sheaf_html(&p->b, "</td><td>" SHEAF_HTML_SHARE, 100 * ((double)most[i]->count / (double)all));
		sheaf_html(&p->b, "</td></tr>");
	}
	sheaf_html(&p->b, "</table>");
}

/* ---- batches ---- */

/* Puts how much padding batches of 1, 2, 4, ... sequences have, drawn at random and sorted by length. */
static void put_padding(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { SIZES = 13 };
	sheaf_bar bars[SIZES];
	for (int i = 0; i < SIZES; i++) {
		int64_t batch = (int64_t)1 << i;
		bars[i] = (sheaf_bar){.from = NAN,
		                      .to = NAN,
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

/* Puts the data for the script's sliders: the mean width of the batches of each size, up to that of all ranks
 * together, and the padding of sorted ones. Sizes are four in each power of two. */
static void put_simulator(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { MOST_RANKS = 64, QUARTERS = 4 };
	int64_t sizes[80];
	int n = 0;
	for (int64_t size = 1, step = 1; size <= (int64_t)LARGEST_BATCH * MOST_RANKS; size += step) {
		sizes[n++] = size;
		if (size == (int64_t)2 * QUARTERS * step) step *= 2;
	}
	sheaf_html(&p->b,
	           "<script type=\"application/json\" class=\"batches\">{\"sequences\":%" PRId64
	           ",\"mean\":%.9g,\"sizes\":[",
	           h->n, sheaf_length_counts_mean(h));
	for (int i = 0; i < n; i++) sheaf_html(&p->b, "%s%" PRId64, i ? "," : "", sizes[i]);
	sheaf_html(&p->b, "],\"widths\":[");
	for (int i = 0; i < n; i++) sheaf_html(&p->b, "%s%.9g", i ? "," : "", sheaf_expected_width(h, sizes[i]));
	sheaf_html(&p->b, "],\"sorted\":[");
	for (int i = 0; i < n && sizes[i] <= LARGEST_BATCH; i++)
		sheaf_html(&p->b, "%s%.5g", i ? "," : "", sheaf_padding_in_buckets(h, sizes[i]));
	sheaf_html(&p->b, "]}</script>");
}

/* Puts two tables: the number of batches in an epoch, of a given number of sequences or samples; and the
 * share of time that ranks wait if each has a batch drawn at random, since those with narrower ones wait for
 * the one with the widest. */
static void put_epochs(sheaf_page *p, const sheaf_length_counts *h)
{
	enum { LEAST = 16, FACTOR = 4, MOST_RANKS = 64 };
	sheaf_html(&p->b, "<p class=\"note\">How many batches an epoch has, if the size is counted in sequences, "
	                  "or in samples.</p>");
	sheaf_page_columns(p, "in a batch|batches of sequences|batches of samples");
	for (int64_t size = LEAST; size <= LARGEST_BATCH; size *= FACTOR)
		sheaf_html(&p->b,
		           "<tr><th scope=\"row\">%" PRId64 "</th><td>% " PRId64 "</td><td>% " PRId64 "</td></tr>",
		           size, h->n / size + (h->n % size != 0), h->total / size + (h->total % size != 0));
	sheaf_html(&p->b,
	           "</tbody></table><p class=\"note\">The share of time that ranks wait for the one with "
	           "the widest batch, if the time of a batch is its width and batches are drawn at random.</p>");
	sheaf_page_columns(p, "ranks|batches of 8|of 32|of 128");
	for (int64_t ranks = 1; ranks <= MOST_RANKS; ranks *= 2) {
		sheaf_html(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th>", ranks);
		for (int64_t size = 8; size <= 128; size *= FACTOR)
			sheaf_html(&p->b, "<td>" SHEAF_HTML_SHARE "</td>", 100 * sheaf_waiting_of_ranks(h, size, ranks));
		sheaf_html(&p->b, "</tr>");
	}
	sheaf_html(&p->b, "</tbody></table>");
}

/* ---- fields ---- */

void sheaf_page_describe(const sheaf_field *field, char *text, size_t size)
{
	if (sheaf_field_is_stream(field) || sheaf_field_lacks_samples(field))
		sheaf_field_text(field, text, size);
	else if (sheaf_field_is_text(field))
		snprintf(text, size, "%s", sheaf_field_storage(field));
	else
		snprintf(text, size, "%s, %s",
		         field->meaning == SHEAF_NUMBER ? "numbers" : sheaf_field_storage(field),
		         sheaf_type_name(field->type));
}

/* The other summary's field is the one of the same name, whatever its number. */
void sheaf_page_field(sheaf_page *p, int number)
{
	char text[80];
	const sheaf_field *field = &p->s->schema.fields[number];
	const sheaf_field_summary *f = &p->s->fields[number];
	int match = p->other ? sheaf_schema_find(&p->other->schema, field->name) : -1;
	const sheaf_field_summary *other = match < 0 ? NULL : &p->other->fields[match];
	bool stream = sheaf_field_is_stream(field);
	sheaf_page_describe(field, text, sizeof text);
	sheaf_html(
		&p->b,
		"<details class=\"field\" id=\"f%d\"><summary><h2><bdi>%s</bdi></h2> <span>%s</span></summary><div "
		"class=\"parts\">",
		number, field->name, text);
	if (f->missing) {
		sheaf_html(&p->b, "<table>");
		sheaf_page_count(p, stream ? "samples not given" : "missing", f->missing);
		for (int c = 1; c < SHEAF_MISSING_CODES; c++) {
			snprintf(text, sizeof text, "of these by the code %d", c);
			if (f->codes[c]) sheaf_page_count(p, text, f->codes[c]);
		}
		sheaf_html(&p->b, "</table>");
	}
	put_lengths(p, "Lengths", sheaf_field_is_text(field) ? "bytes of a text" : "samples in a sequence",
	            &f->lengths, other ? &other->lengths : NULL);
	put_lengths(p, "Entries", "entries in a sample", &f->entries, other ? &other->entries : NULL);
	if (f->raster.counts && p->s->schema.rows != SHEAF_ENTRIES) sheaf_page_density(p, &f->raster);
	put_uses(p, f);
	if (f->frequent.slots) put_items(p, field, f);
	if (stream) sheaf_page_labels(p, field, f);
	put_values(p, field, f, other);
	sheaf_page_units(p, f);
	if (stream && f->lengths.n && f->lengths.most != f->lengths.least) {
		sheaf_html(&p->b, "<h3>Batches</h3>");
		put_padding(p, &f->lengths);
		put_simulator(p, &f->lengths);
		put_epochs(p, &f->lengths);
	}
	sheaf_html(&p->b, "</div></details>");
}
