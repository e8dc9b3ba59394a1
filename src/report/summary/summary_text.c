/* SPDX-License-Identifier: MIT */
/* A summary as text: as JSON, or as lines for people.
 *
 * Both are one listing (frame/schema/listing.h), in which a value has a name for JSON, words for a line, or
 * both. Lines tell less than JSON does: they put what belongs together into one line, with a drawing of the
 * histogram at its end. Numbers that are not known are left out of JSON, where NaN is no number. */
#include "base/need.h"
#include "frame/frame.h"
#include "frame/item.h"
#include "frame/print.h"
#include "report/draw.h"
#include "report/drift.h"
#include "report/names.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { JSON_NAMED = 20, LINE_NAMED = 5, JSON_BARS = 64, LINE_BARS = 32, LISTED_BARS = 24 };

static const char *exactness(bool exact) { return exact ? "exact" : "of a sample by hash"; }

static void put_real(sheaf_builder *b, const char *name, double v)
{
	if (!isnan(v)) sheaf_member_real(b, name, v);
}

/* ---- histograms ---- */

static int bars_wanted(const sheaf_summary_options *o) { return o->draw ? LISTED_BARS : LINE_BARS; }

/* Ends an unfinished line about what the bars show: with a drawing of all bars at its end, or in a line of
 * its own if there is no room; or with a line for each bar, if drawings are wanted (o->draw). */
static void end_line(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_summary_options *o)
{
	if (n > 1 && o->drawing.width && !o->draw) {
		size_t used = 0; /* columns of the line so far */
		while (used < b->size && b->data[b->size - used - 1] != '\n') used++;
		sheaf_builder_text(b, used + (size_t)n + 2 > (size_t)o->drawing.width ? "\n    " : "  ");
		sheaf_draw_line(b, bars, n, &o->drawing);
	}
	sheaf_builder_byte(b, '\n');
	if (o->draw) sheaf_draw_bars(b, bars, n, &o->drawing);
}

/* Puts how lengths are distributed, as a member of the object or as a line, which no length has. The bins of
 * lengths in JSON are powers of two: bin 0 is the length 0, bin k has [2^(k-1), 2^k). */
static void put_lengths(const sheaf_listing *to, const char *name, const char *words,
                        const sheaf_length_counts *h, const sheaf_summary_options *o)
{
	sheaf_builder *b = to->b;
	sheaf_bar bars[SHEAF_MOST_BARS];
	if (!to->json && h->n == 0) return;
	sheaf_listing_open(to, name, words, '{');
	sheaf_listing_count(to, "count", NULL, h->n);
	sheaf_listing_count(to, "min", "%", h->least);
	sheaf_listing_count(to, "max", " to %", h->most);
	sheaf_listing_real(to, "mean", ", mean %", sheaf_length_counts_mean(h));
	if (h->n) {
		sheaf_quantiles q = sheaf_length_quantiles(h);
		sheaf_listing_real(to, "p50", q.exact ? "; p50 %" : "; p50 about %", q.p50);
		sheaf_listing_real(to, "p95", ", p95 %", q.p95);
		sheaf_listing_real(to, "p99", ", p99 %", q.p99);
		sheaf_listing_text(to, "quantiles", NULL, q.exact ? "exact" : "about");
	}
	if (!to->json) {
		end_line(b, bars, sheaf_length_bars(h, NULL, bars_wanted(o), bars), o);
		return;
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

/* ---- fields ---- */

/* Puts a value of a field: a time as such. */
static void put_value(const sheaf_listing *to, const char *name, const char *words, const sheaf_field *field,
                      double v)
{
	char text[SHEAF_TIME_ROOM];
	if (isnan(v)) return;
	if (!sheaf_means_time(field->meaning) && !to->json) sheaf_builder_printf(to->b, "%s%.6g", words, v);
	if (!sheaf_means_time(field->meaning) && to->json) sheaf_member_real(to->b, name, v);
	if (!sheaf_means_time(field->meaning)) return;
	sheaf_value_words(field, v, text, sizeof text);
	sheaf_builder_text(to->b, to->json ? "" : words);
	sheaf_listing_text(to, name, "%", text);
}

/* Puts the bars of JSON. Zeros, NaN and infinities have bars without a range, and members of their own. */
static void put_bars(const sheaf_listing *to, const sheaf_field *field, const sheaf_bar *bars, int n)
{
	sheaf_member_open(to->b, "histogram", '[');
	for (int i = 0; i < n; i++) {
		if (isnan(bars[i].from) || bars[i].amount == 0) continue;
		sheaf_member_open(to->b, NULL, '{');
		put_value(to, "from", "", field, bars[i].from);
		put_value(to, "to", "", field, bars[i].to);
		sheaf_member_count(to->b, "count", (int64_t)bars[i].amount);
		sheaf_builder_byte(to->b, '}');
	}
	sheaf_builder_byte(to->b, ']');
}

/* Puts what is added up of values, their quantiles, and their histogram. Times have no sum. */
static void put_sums(const sheaf_listing *to, const sheaf_field *field, const sheaf_field_summary *f,
                     const sheaf_summary_options *o)
{
	static const char *const axes[] = {"equal", "middle", "logarithmic"};
	const sheaf_value_counts *v = &f->values;
	sheaf_builder *b = to->b;
	sheaf_bar bars[SHEAF_MOST_BARS];
	sheaf_spread_values spread = {.field = field, .f = f};
	sheaf_axis axis;
	char text[SHEAF_ITEM_TEXT];
	bool exact, sums = sheaf_field_has_sum(field);
	double sum = sheaf_exact_value(&v->sum), deviation = sheaf_values_deviation(v);
	sheaf_status status = sheaf_distribution_of(f, b->cx, &spread.d, NULL);
	if (status && !b->failed) b->failed = status;
	sheaf_quantiles q = sheaf_distribution_quantiles(&spread.d);
	int n = sheaf_value_bars(&spread, NULL, to->json ? JSON_BARS : bars_wanted(o), bars, &axis, &exact);
	if (sums) sheaf_listing_real(to, "sum", NULL, sum);
	put_value(to, "mean", ", mean ", field, sum / (double)sheaf_values_finite(v));
	if (sums && !to->json) sheaf_builder_text(b, ", sum "), sheaf_json_real(b, sum);
	if (!to->json) sheaf_builder_text(b, "\n  ");
	sheaf_difference_words(field, deviation, text, sizeof text);
	if (to->json && !isnan(deviation))
		sheaf_member_real(b, sums ? "sd" : "sd_seconds", deviation * sheaf_seconds_of(field));
	if (!isnan(deviation)) sheaf_listing_text(to, NULL, "standard deviation %", text);
	if (sums) put_value(to, "norm", ", norm ", field, sheaf_values_norm(v));
	if (sums) sheaf_listing_count(to, "negatives", NULL, v->negatives);
	if (f->sample.values) {
		if (!to->json && !isnan(deviation)) sheaf_builder_text(b, "; ");
		put_value(to, "p50", q.exact ? "p50 " : "p50 about ", field, q.p50);
		put_value(to, "p95", ", p95 ", field, q.p95);
		put_value(to, "p99", ", p99 ", field, q.p99);
		sheaf_listing_text(to, "quantiles", NULL, q.exact ? "exact" : "about");
		sheaf_listing_text(to, "axis", NULL, axes[axis]);
		sheaf_listing_text(to, "bars", NULL, exact ? "exact" : "about");
		if (to->json) put_bars(to, field, bars, n);
	}
	if (!to->json) end_line(b, bars, n, o);
	sheaf_distribution_free(&spread.d, b->cx);
}

static void put_values(const sheaf_listing *to, const sheaf_field *field, const sheaf_field_summary *f,
                       const sheaf_summary_options *o)
{
	const sheaf_value_counts *v = &f->values;
	sheaf_listing_count(to, "values", "values: %; ", v->n);
	sheaf_listing_count(to, "zeros", "zeros: %; ", v->zeros);
	sheaf_listing_count(to, "nan", "nan: %; ", v->nans);
	sheaf_listing_count(to, "infinite", "infinite: %\n", v->infinite[0] + v->infinite[1]);
	if (!sheaf_values_finite(v) || !sheaf_field_has_range(field)) return;
	to->json ? sheaf_member(to->b, "min") : sheaf_builder_text(to->b, "  value: ");
	sheaf_put_extreme(to->b, v->least, field, to->json);
	to->json ? sheaf_member(to->b, "max") : sheaf_builder_text(to->b, " to ");
	sheaf_put_extreme(to->b, v->most, field, to->json);
	put_sums(to, field, f, o);
}

/* How many positions are missing with a code, and the number for each code; in a line also how many are
 * missing in all, which JSON says in another place. */
static void put_codes(const sheaf_listing *to, const sheaf_field_summary *f, bool always)
{
	const char *before = " (";
	int64_t coded = sheaf_field_coded(f);
	if (to->json && coded == 0) return;
	sheaf_listing_count(to, NULL, "missing: %", f->missing);
	if (coded || always) sheaf_listing_count(to, "coded", "; with a code: %", coded);
	sheaf_listing_open(to, "codes", "", '[');
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) {
		if (f->codes[c] == 0) continue;
		to->json ? sheaf_member(to->b, NULL) : sheaf_builder_text(to->b, before);
		sheaf_builder_printf(to->b, to->json ? "[%d,%" PRId64 "]" : "%d: %" PRId64, c, f->codes[c]);
		before = ", ";
	}
	sheaf_listing_close(to, *before == ',' ? ")" : "", ']');
}

/* Puts the indices that are used most, how often, and their names if they have any. A line shows a few of
 * them. */
static void put_uses(const sheaf_listing *to, const sheaf_field_summary *f)
{
	sheaf_builder *b = to->b;
	sheaf_use most[JSON_NAMED];
	int n = sheaf_most_used(f, most, to->json ? JSON_NAMED : LINE_NAMED);
	if (to->json) sheaf_member_count(b, "never_used", sheaf_never_used(f));
	sheaf_listing_open(to, "most_used", n ? "  most used: " : "", '[');
	for (int i = 0; i < n; i++) {
		const char *name = "";
		char text[SHEAF_INDEX_NAME + 1];
		size_t size = 0;
		bool named = sheaf_index_name(f, most[i].index, &name, &size);
		sheaf_listing_open(to, "", i ? ", " : "", '[');
		sheaf_listing_count(to, "", "% ", most[i].index);
		sheaf_listing_count(to, "", NULL, most[i].count);
		snprintf(text, sizeof text, "%.*s", named ? (int)size : 0, name);
		if (named && to->json) {
			sheaf_member(b, NULL);
			sheaf_json_string(b, name, size);
		} else if (*text) {
			sheaf_listing_text(to, NULL, "% ", text);
		}
		sheaf_listing_count(to, NULL, "% times", most[i].count);
		sheaf_listing_close(to, "", ']');
	}
	sheaf_listing_close(to, n ? "\n" : "", ']');
}

/* Puts, only in JSON, the different items, and the means of units if there are no more of them than people
 * may want to read. */
static void put_items(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f)
{
	enum { MOST_UNITS = 64 };
	const sheaf_item_count *most[JSON_NAMED];
	const sheaf_pattern *p = &f->pattern;
	char text[SHEAF_ITEM_TEXT];
	bool exact;
	if (f->frequent.slots) {
		sheaf_member_count(b, "distinct", sheaf_field_distinct(f, &exact));
		sheaf_member_text(b, "items", exactness(exact));
		sheaf_member_open(b, "most_frequent", '[');
		for (int i = 0, n = sheaf_frequent_most(&f->frequent, most, JSON_NAMED); i < n; i++) {
			size_t size = sheaf_item_words(field, most[i], text);
			sheaf_member_open(b, NULL, '[');
			sheaf_json_string(b, text, size);
			sheaf_member_count(b, NULL, most[i]->count);
			sheaf_builder_byte(b, ']');
		}
		sheaf_builder_byte(b, ']');
	}
	if (!p->cells || p->units > MOST_UNITS) return;
	sheaf_member_open(b, "unit_means", '[');
	for (int64_t u = 0; u < p->units; u++) {
		int64_t n;
		double sum = sheaf_pattern_total(p, u, &n);
		n ? sheaf_member_real(b, NULL, sum / (double)n) : sheaf_member_text(b, NULL, NULL);
	}
	sheaf_builder_byte(b, ']');
}

/* Puts all that is counted for a field. Of a text that is the lengths in bytes, of anything else its values.
 */
static void put_field(const sheaf_listing *to, const sheaf_field *field, const sheaf_field_summary *f,
                      const sheaf_summary_options *o)
{
	char shape[80];
	bool stream = sheaf_field_is_stream(field), text = sheaf_field_is_text(field),
		 nullable = sheaf_field_is_nullable(field), sparse = sheaf_field_is_sparse(field),
		 gaps = stream && field->levels[1].missing;
	sheaf_listing_open(to, "", stream ? "stream " : "column ", '{');
	sheaf_listing_text(to, "name", "%: ", field->name);
	sheaf_listing_text(to, "type", NULL, sheaf_type_name(field->type));
	sheaf_listing_text(to, "storage", text ? "%; " : NULL, sheaf_field_storage(field));
	if (to->json ? nullable : text) put_codes(to, f, false);
	sheaf_listing_text(to, NULL, text ? "\n" : "%\n  ",
	                   stream || sheaf_field_lacks_samples(field)
	                       ? sheaf_field_text(field, shape, sizeof shape)
	                   : field->meaning == SHEAF_NUMBER ? sheaf_type_name(field->type)
	                                                    : sheaf_field_storage(field));
	if (stream) {
		sheaf_listing_count(to, "dim", NULL, sheaf_field_dim(field));
		sheaf_listing_count(to, "samples", "samples: %; ", f->lengths.total);
	}
	if (gaps) sheaf_listing_count(to, NULL, "of them not given: %; ", f->missing);
	if (nullable && !text && !to->json) put_codes(to, f, true), sheaf_builder_text(to->b, "; ");
	if (text || nullable || gaps) sheaf_listing_count(to, "missing", NULL, f->missing);
	if (!text) put_values(to, field, f, o);
	if (stream || text)
		put_lengths(to, "lengths",
		            !text                           ? "  samples in a sequence: "
		            : field->meaning == SHEAF_BYTES ? "  bytes: "
		                                            : "  bytes in a text: ",
		            &f->lengths, o);
	if (sparse) {
		put_lengths(to, "nonzeros", "  stored values in a sample: ", &f->entries, o);
		sheaf_listing_real(to, "density", "  density: %", sheaf_field_density(field, f));
		sheaf_listing_count(to, "min_index", "; indices: %", f->least_index);
		sheaf_listing_count(to, "max_index", " to %\n", f->most_index);
	}
	if (to->json ? f->uses != NULL : sparse && f->names.size) put_uses(to, f);
	if (to->json) put_items(to->b, field, f);
	sheaf_listing_close(to, "", '}');
}

/* ---- all of it ---- */

/* Puts how many inputs have several targets, if that was searched for, and the first rows of some of them. */
static void put_contradictions(const sheaf_listing *to, const sheaf_contradictions *c)
{
	const sheaf_same_inputs *first[JSON_NAMED];
	if (!c->slots) return;
	sheaf_contradicted found = sheaf_contradictions_count(c);
	sheaf_listing_open(to, "contradictions", found.exact ? "contradictions: " : "contradictions: about ",
	                   '{');
	sheaf_listing_count(to, "different_inputs", "% different inputs", found.different);
	sheaf_listing_count(to, "inputs", "; with several targets: %", found.inputs);
	sheaf_listing_count(to, "rows", ", in % rows", found.rows);
	sheaf_listing_text(to, "counts", NULL, exactness(found.exact));
	sheaf_listing_open(to, "first", "", '[');
	for (int i = 0, n = sheaf_contradictions_first(c, first, to->json ? JSON_NAMED : 1); i < n; i++) {
		if (to->json) sheaf_member(to->b, NULL);
		sheaf_builder_printf(to->b,
		                     to->json ? "[%" PRId64 ",%" PRId64 "]" : "; first: %" PRId64 " and %" PRId64,
		                     first[i]->first, first[i]->other);
	}
	sheaf_listing_close(to, "\n", ']');
	sheaf_listing_close(to, "", '}');
}

/* Puts all of a summary; as JSON without the last brace, before which the caller may put more. */
static void put_summary(const sheaf_listing *to, const sheaf_summary *s, const sheaf_summary_options *o)
{
	bool sequences = s->schema.rows == SHEAF_SEQUENCES;
	if (to->json)
		sheaf_builder_byte(to->b, '{');
	else
		sheaf_builder_printf(to->b, "%s: ", sheaf_summary_word(s));
	sheaf_listing_count(to, sheaf_summary_word(s), "%", s->rows);
	if (sequences) sheaf_listing_text(to, "keys", "; keys: %", sheaf_summary_keys(s));
	sheaf_listing_open(to, sequences ? "streams" : "columns", "\n", '[');
	for (int f = 0; f < s->schema.nfields; f++)
		if (sheaf_summary_shows(s, f)) put_field(to, &s->schema.fields[f], &s->fields[f], o);
	sheaf_listing_close(to, "", ']');
	put_contradictions(to, &s->contradictions);
	sheaf_list_tensor(s, to);
}

static void put_drift(sheaf_builder *b, const sheaf_summary *s, const sheaf_summary *other)
{
	sheaf_drift *all = NULL;
	int n = 0;
	sheaf_status status = sheaf_find_drift(s, other, &all, &n, NULL);
	if (status && !b->failed) b->failed = status;
	sheaf_member_open(b, "drift", '[');
	for (int i = 0; i < n; i++) {
		const sheaf_drift *d = &all[i];
		sheaf_member_open(b, NULL, '{');
		sheaf_member_text(b, "name", d->name);
		sheaf_member_real(b, "score", d->score);
		if (d->broken) sheaf_member_text(b, "rule", d->broken);
		if (!d->broken && d->score > 0)
			sheaf_member_text(b, "cause", sheaf_distance_names[sheaf_drift_cause(d)]);
		for (int k = 0; k < SHEAF_DISTANCES; k++) put_real(b, sheaf_distance_names[k], d->distances[k]);
		put_real(b, "means", d->means);
		if (d->new_indices >= 0) sheaf_member_count(b, "new_indices", d->new_indices);
		sheaf_member_open(b, "changes", '[');
		for (int k = 0; k < d->nchanges; k++) {
			sheaf_member_open(b, NULL, '[');
			sheaf_json_string(b, d->changes[k].text, strlen(d->changes[k].text));
			sheaf_member_real(b, NULL, d->changes[k].from);
			sheaf_member_real(b, NULL, d->changes[k].to);
			sheaf_builder_byte(b, ']');
		}
		sheaf_builder_text(b, "]}");
	}
	sheaf_builder_byte(b, ']');
	sheaf_release_drift(s, all, s->schema.nfields + other->schema.nfields);
}

/* Draws where entries are, for each field that has a picture. */
static sheaf_status draw_pictures(sheaf_builder *b, const sheaf_summary *s, const sheaf_drawing *drawing,
                                  sheaf_error *err)
{
	bool matrix = s->schema.rows == SHEAF_ENTRIES;
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_raster *raster = &s->fields[f].raster;
		if (!raster->counts) continue;
		sheaf_put_visibly(b, s->schema.fields[f].name);
		sheaf_builder_printf(b, ": %" PRId64 " %s down, %" PRId64 " %s across\n", raster->rows,
		                     matrix ? "rows" : "sequences", raster->columns, matrix ? "columns" : "indices");
		SHEAF_TRY(sheaf_draw_raster(b, raster, drawing, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_summary_text(const sheaf_summary *s, const sheaf_summary_options *options,
                                sheaf_buffer *out, sheaf_error *err)
{
	enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40 };
	sheaf_summary_options o = {.style = SHEAF_TEXT};
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(s, "a summary");
	if (options && options->size != sizeof *options)
		return sheaf_misuse(err, __func__, "expected options of %zu bytes, found %zu", sizeof *options,
		                    options->size);
	if (options) o = *options;
	SHEAF_EXPECT((unsigned)o.style <= SHEAF_JSON, "a style", (int)o.style);
	if (o.draw && o.drawing.width == 0) o.drawing.width = USUAL_WIDTH;
	if (o.drawing.width && o.drawing.width < LEAST_WIDTH) o.drawing.width = LEAST_WIDTH;
	SHEAF_TRY(sheaf_summary_join(s, err));
	if (o.other) SHEAF_TRY(sheaf_summary_join(o.other, err));
	sheaf_builder b;
	sheaf_listing to = {&b, o.style == SHEAF_JSON};
	sheaf_builder_begin(&b, s->cx, out);
	locale_t before = sheaf_points_begin();
	put_summary(&to, s, &o);
	sheaf_status status = !to.json && o.draw ? draw_pictures(&b, s, &o.drawing, err) : SHEAF_OK;
	if (to.json && o.other) {
		sheaf_member(&b, "other");
		put_summary(&to, o.other, &o);
		sheaf_builder_byte(&b, '}');
		put_drift(&b, s, o.other);
	}
	if (to.json) sheaf_builder_text(&b, "}\n");
	sheaf_points_end(before);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}
