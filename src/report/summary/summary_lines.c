/* SPDX-License-Identifier: MIT */
/* A summary as lines for people. They tell less than JSON does, and put what belongs together into one line,
 * with a drawing at its end: so the two are written apart (summary_json.c). */
#include "frame/frame.h"
#include "frame/print.h"
#include "frame/schema/json_text.h"
#include "report/draw.h"
#include "report/names.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LINE_BARS = 32, LISTED_BARS = 24 };

/* ---- histograms ---- */

/* Ends an unfinished line: with a drawing of all bars if there is room for it, or one in a line of its own;
 * or with a line for each bar, if histograms are wanted. */
static void put_histogram(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_summary_options *o)
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

static int bars_wanted(const sheaf_summary_options *o) { return o->draw ? LISTED_BARS : LINE_BARS; }

static void put_lengths(sheaf_builder *b, const char *what, const sheaf_length_counts *h,
                        const sheaf_summary_options *o)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	if (h->n == 0) return;
	sheaf_quantiles q = sheaf_length_quantiles(h);
	sheaf_builder_printf(b, "  %s: %" PRId64 " to %" PRId64 ", mean %.6g; p50%s %.0f, p95 %.0f, p99 %.0f",
	                     what, h->least, h->most, sheaf_length_counts_mean(h), q.exact ? "" : " about", q.p50,
	                     q.p95, q.p99);
	put_histogram(b, bars, sheaf_length_bars(h, NULL, bars_wanted(o), bars), o);
}

/* ---- fields ---- */

static void put_values(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f,
                       const sheaf_summary_options *o)
{
	const sheaf_value_counts *v = &f->values;
	sheaf_bar bars[SHEAF_MOST_BARS];
	int64_t finite = sheaf_values_finite(v);
	if (!finite || !sheaf_field_has_range(field)) return;
	sheaf_builder_text(b, "  value: "), sheaf_put_extreme(b, v->least, field);
	sheaf_builder_text(b, " to "), sheaf_put_extreme(b, v->most, field);
	if (!sheaf_field_has_sum(field)) {
		sheaf_builder_byte(b, '\n');
		return;
	}
	double sum = sheaf_exact_value(&v->sum);
	sheaf_builder_printf(b, ", mean %.6g, sum ", sum / (double)finite), sheaf_json_real(b, sum);
	double deviation = sheaf_values_deviation(v);
	sheaf_builder_text(b, "\n ");
	if (!isnan(deviation))
		sheaf_builder_printf(b, " standard deviation %.6g, norm %.6g", deviation, sheaf_values_norm(v));
	if (v->bins) {
		sheaf_quantiles q = sheaf_value_quantiles(f);
		sheaf_builder_printf(b, "%s p50%s %.4g, p95 %.4g, p99 %.4g", isnan(deviation) ? "" : ";",
		                     q.exact ? "" : " about", q.p50, q.p95, q.p99);
	}
	put_histogram(b, bars, sheaf_value_bars(v, NULL, bars_wanted(o), bars), o);
}

/* How many positions are missing, how many of them have a code, and the number for each code. */
static void put_missing(sheaf_builder *b, const sheaf_field_summary *f, bool always)
{
	const char *before = " (";
	int64_t coded = sheaf_field_coded(f);
	sheaf_builder_printf(b, "missing: %" PRId64, f->missing);
	if (coded || always) sheaf_builder_printf(b, "; with a code: %" PRId64, coded);
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) {
		if (f->codes[c] == 0) continue;
		sheaf_builder_printf(b, "%s%d: %" PRId64, before, c, f->codes[c]);
		before = ", ";
	}
	if (*before == ',') sheaf_builder_byte(b, ')');
}

static void put_most_used(sheaf_builder *b, const sheaf_field_summary *f)
{
	enum { MOST = 5 };
	sheaf_use most[MOST];
	int n = sheaf_most_used(f, most, MOST);
	for (int i = 0; i < n; i++) {
		const char *name;
		char text[SHEAF_INDEX_NAME + 1] = "";
		size_t size;
		if (sheaf_index_name(f, most[i].index, &name, &size))
			snprintf(text, sizeof text, "%.*s", (int)size, name);
		sheaf_builder_printf(b, "%s%" PRId64 " ", i ? ", " : "  most used: ", most[i].index);
		if (*text) sheaf_put_visibly(b, text), sheaf_builder_byte(b, ' ');
		sheaf_builder_printf(b, "%" PRId64 " times", most[i].count);
	}
	if (n) sheaf_builder_byte(b, '\n');
}

static void put_numbers(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f,
                        const sheaf_summary_options *o)
{
	const sheaf_value_counts *v = &f->values;
	bool stream = sheaf_field_is_stream(field);
	if (stream) sheaf_builder_printf(b, "samples: %" PRId64 "; ", f->lengths.total);
	if (stream && field->levels[1].missing)
		sheaf_builder_printf(b, "of them not given: %" PRId64 "; ", f->missing);
	if (sheaf_field_is_nullable(field)) {
		put_missing(b, f, true);
		sheaf_builder_text(b, "; ");
	}
	sheaf_builder_printf(b,
	                     "values: %" PRId64 "; zeros: %" PRId64 "; nan: %" PRId64 "; infinite: %" PRId64 "\n",
	                     v->n, v->zeros, v->nans, v->infinite[0] + v->infinite[1]);
	put_values(b, field, f, o);
	if (stream) put_lengths(b, "samples in a sequence", &f->lengths, o);
	if (!sheaf_field_is_sparse(field)) return;
	put_lengths(b, "stored values in a sample", &f->entries, o);
	sheaf_builder_printf(b, "  density: %.6g; indices: %" PRId64 " to %" PRId64 "\n",
	                     sheaf_field_density(field, f), f->least_index, f->most_index);
	if (f->names.size) put_most_used(b, f);
}

static void put_field(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f,
                      const sheaf_summary_options *o)
{
	char shape[80];
	sheaf_builder_text(b, sheaf_field_is_stream(field) ? "stream " : "column ");
	sheaf_put_visibly(b, field->name);
	sheaf_builder_text(b, ": ");
	if (sheaf_field_is_text(field)) {
		sheaf_builder_printf(b, "%s; ", sheaf_field_storage(field));
		put_missing(b, f, false);
		sheaf_builder_byte(b, '\n');
		put_lengths(b, field->meaning == SHEAF_BYTES ? "bytes" : "bytes in a text", &f->lengths, o);
		return;
	}
	bool samples = sheaf_field_is_stream(field) || sheaf_field_lacks_samples(field);
	sheaf_builder_printf(b, "%s\n  ",
	                     samples                          ? sheaf_field_text(field, shape, sizeof shape)
	                     : field->meaning == SHEAF_NUMBER ? sheaf_type_name(field->type)
	                                                      : sheaf_field_storage(field));
	put_numbers(b, field, f, o);
}

/* ---- all of it ---- */

static void put_contradictions(sheaf_builder *b, const sheaf_contradictions *c)
{
	const sheaf_same_inputs *first;
	if (!c->slots) return;
	sheaf_contradicted found = sheaf_contradictions_count(c);
	sheaf_builder_printf(b,
	                     "contradictions: %s%" PRId64 " different inputs; with several targets: %" PRId64
	                     ", in %" PRId64 " rows",
	                     found.exact ? "" : "about ", found.different, found.inputs, found.rows);
	if (sheaf_contradictions_first(c, &first, 1))
		sheaf_builder_printf(b, "; first: %" PRId64 " and %" PRId64, first->first, first->other);
	sheaf_builder_byte(b, '\n');
}

static sheaf_status put_spy(sheaf_builder *b, const sheaf_summary *s, const sheaf_summary_options *o,
                            sheaf_error *err)
{
	bool matrix = s->schema.rows == SHEAF_ENTRIES;
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_raster *raster = &s->fields[f].raster;
		if (!raster->counts) continue;
		sheaf_put_visibly(b, s->schema.fields[f].name);
		sheaf_builder_printf(b, ": %" PRId64 " %s down, %" PRId64 " %s across\n", raster->rows,
		                     matrix ? "rows" : "sequences", raster->columns, matrix ? "columns" : "indices");
		SHEAF_TRY(sheaf_draw_raster(b, raster, &o->drawing, s->cx, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_summary_lines(const sheaf_summary *s, const sheaf_summary_options *o, sheaf_builder *b,
                                 sheaf_error *err)
{
	sheaf_builder_printf(b, "%s: %" PRId64, sheaf_summary_word(s), s->rows);
	if (s->schema.rows == SHEAF_SEQUENCES) sheaf_builder_printf(b, "; keys: %s", sheaf_summary_keys(s));
	sheaf_builder_byte(b, '\n');
	for (int f = 0; f < s->schema.nfields; f++)
		if (sheaf_summary_shows(s, f)) put_field(b, &s->schema.fields[f], &s->fields[f], o);
	put_contradictions(b, &s->contradictions);
	sheaf_list_tensor(s, &(sheaf_listing){b, false});
	return o->draw ? put_spy(b, s, o, err) : SHEAF_OK;
}
