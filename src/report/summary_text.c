/* SPDX-License-Identifier: MIT */
/* A summary as lines for people. */
#include "base/need.h"
#include "data/frame.h"
#include "data/item.h"
#include "data/print.h"
#include "number/number.h"
#include "report/draw.h"
#include "report/text.h"
#include "report/words.h"
#include "tensor/profile.h"
#include <inttypes.h>
#include <math.h>

enum { LINE_BARS = 32, LISTED_BARS = 24 };

/* ---- what is said ---- */

const char *sheaf_summary_word(const sheaf_summary *s)
{
	static const char *const words[] = {"sequences", "rows", "entries", "tensors"};
	return words[s->schema.rows];
}

const char *sheaf_summary_keys(const sheaf_summary *s)
{
	int key = sheaf_schema_key(&s->schema);
	return key < 0 || s->fields[key].other_keys == 0 ? "ordinal" : "explicit";
}

bool sheaf_summary_shows(const sheaf_summary *s, int field)
{
	sheaf_meaning meaning = s->schema.fields[field].meaning;
	return meaning != SHEAF_KEY && (meaning != SHEAF_COORDINATE || s->schema.rows != SHEAF_ENTRIES);
}

bool sheaf_field_is_text(const sheaf_field *field)
{
	return sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES;
}

bool sheaf_field_has_sum(const sheaf_field *field)
{
	return field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL;
}

bool sheaf_field_has_range(const sheaf_field *field)
{
	bool time = sheaf_means_time(field->meaning) && !sheaf_means_zoned(field->meaning);
	return sheaf_field_has_sum(field) || time || field->meaning == SHEAF_COORDINATE;
}

double sheaf_field_density(const sheaf_field *field, const sheaf_field_summary *f)
{
	double cells = (double)f->entries.n * (double)sheaf_field_dim(field);
	return cells > 0 ? (double)f->entries.total / cells : 0;
}

void sheaf_put_extreme(sheaf_builder *b, double v, const sheaf_field *field)
{
	if (sheaf_means_time(field->meaning) && fabs(v) < 0x1p53) {
		int64_t seconds = (int64_t)v;
		sheaf_column column = {.meaning = field->meaning,
		                       .type = SHEAF_I64,
		                       .values = {(uint8_t *)&seconds, sizeof seconds, NULL}};
		sheaf_item_text(b, &column, 0, 0, true);
		return;
	}
	if (field->type != SHEAF_F32) {
		sheaf_json_real(b, v);
		return;
	}
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_print_f32((char *)b->data + b->size, (float)v) - (char *)b->data);
}

/* What a terminal would take for more than text is shown as U+FFFD. */
static void put_name(sheaf_builder *b, const char *name)
{
	for (; *name; name++)
		if ((uint8_t)*name < ' ' || *name == 0x7f)
			sheaf_builder_text(b, "\xef\xbf\xbd");
		else
			sheaf_builder_byte(b, *name);
}

/* ---- histograms ---- */

/* After a line that is not ended: all bars in one line, a line for each, or none. */
static void put_histogram(sheaf_builder *b, const sheaf_bar *bars, int n, const sheaf_summary_options *o)
{
	if (n > 1 && o->drawing.width && !o->histograms) {
		sheaf_builder_text(b, "  ");
		sheaf_draw_line(b, bars, n, &o->drawing);
	}
	sheaf_builder_byte(b, '\n');
	if (o->histograms) sheaf_draw_bars(b, bars, n, &o->drawing);
}

static int bars_wanted(const sheaf_summary_options *o) { return o->histograms ? LISTED_BARS : LINE_BARS; }

static void put_lengths(sheaf_builder *b, const char *what, const sheaf_length_counts *h,
                        const sheaf_summary_options *o)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	if (h->n == 0) return;
	sheaf_quantiles q = sheaf_length_quantiles(h);
	sheaf_builder_printf(b, "  %s: %" PRId64 " to %" PRId64 ", mean %.6g; p50%s %.0f, p95 %.0f, p99 %.0f",
	                     what, h->least, h->most, sheaf_length_counts_mean(h), q.exact ? "" : " about", q.p50,
	                     q.p95, q.p99);
	put_histogram(b, bars, sheaf_length_bars(h, bars_wanted(o), bars), o);
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
	put_histogram(b, bars, sheaf_value_bars(v, bars_wanted(o), bars), o);
}

static void put_texts(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f,
                      const sheaf_summary_options *o)
{
	sheaf_builder_printf(b, "%s; missing: %" PRId64, sheaf_field_storage(field), f->missing);
	if (f->coded) sheaf_builder_printf(b, ", with a code: %" PRId64, f->coded);
	sheaf_builder_byte(b, '\n');
	put_lengths(b, field->meaning == SHEAF_BYTES ? "bytes" : "bytes in a text", &f->lengths, o);
}

static void put_numbers(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f,
                        const sheaf_summary_options *o)
{
	const sheaf_value_counts *v = &f->values;
	bool stream = sheaf_field_is_stream(field);
	if (stream) sheaf_builder_printf(b, "samples: %" PRId64 "; ", f->lengths.total);
	if (stream && field->levels[1].missing)
		sheaf_builder_printf(b, "of them not given: %" PRId64 "; ", f->missing);
	if (field->nlevels && field->levels[0].missing == SHEAF_NULLABLE)
		sheaf_builder_printf(b, "missing: %" PRId64 "; with a code: %" PRId64 "; ", f->missing, f->coded);
	sheaf_builder_printf(b,
	                     "values: %" PRId64 "; zeros: %" PRId64 "; nan: %" PRId64 "; infinite: %" PRId64 "\n",
	                     v->n, v->zeros, v->nans, v->infinite[0] + v->infinite[1]);
	put_values(b, field, f, o);
	if (stream) put_lengths(b, "samples in a sequence", &f->lengths, o);
	if (!sheaf_field_is_sparse(field)) return;
	put_lengths(b, "stored values in a sample", &f->entries, o);
	sheaf_builder_printf(b, "  density: %.6g; indices: %" PRId64 " to %" PRId64 "\n",
	                     sheaf_field_density(field, f), f->least_index, f->most_index);
}

static void put_field(sheaf_builder *b, const sheaf_field *field, const sheaf_field_summary *f,
                      const sheaf_summary_options *o)
{
	char shape[80];
	sheaf_builder_text(b, sheaf_field_is_stream(field) ? "stream " : "column ");
	put_name(b, field->name);
	sheaf_builder_text(b, ": ");
	if (sheaf_field_is_text(field)) {
		put_texts(b, field, f, o);
		return;
	}
	sheaf_builder_printf(b, "%s\n  ",
	                     sheaf_field_is_stream(field)     ? sheaf_field_text(field, shape, sizeof shape)
	                     : field->meaning == SHEAF_NUMBER ? sheaf_type_name(field->type)
	                                                      : sheaf_field_storage(field));
	put_numbers(b, field, f, o);
}

/* ---- tensors ---- */

/* A profile of what is counted, where there is none of all entries together. */
static void make_profile(const sheaf_summary *s, sheaf_profile *p)
{
	*p = (sheaf_profile){.cx = s->cx, .schema = s->schema, .rank = s->schema.tensor.rank};
	p->entries = s->entries;
	p->diagonal = s->band.diagonal;
	p->lower = s->band.lower;
	p->upper = s->band.upper;
	p->counted = true;
	for (int d = 0; d < p->rank; d++) {
		const sheaf_field_summary *f = &s->fields[d];
		for (int64_t i = 0; f->uses && i < f->dim; i++) sheaf_spread_add(&p->sides[d].spread, f->uses[i], 1);
		p->sides[d].occupied = f->uses ? f->dim - sheaf_never_used(f) : -1;
	}
}

sheaf_status sheaf_put_tensor(const sheaf_summary *s, bool json, sheaf_builder *b, sheaf_error *err)
{
	sheaf_profile counted;
	sheaf_buffer text = {0};
	if (s->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	if (!s->profile) make_profile(s, &counted);
	SHEAF_TRY(sheaf_profile_text(s->profile ? s->profile : &counted, json, &text, err));
	sheaf_builder_append(b, text.data, text.size);
	sheaf_buffer_reset(&text);
	return SHEAF_OK;
}

/* ---- all of it ---- */

static sheaf_status put_spy(sheaf_builder *b, const sheaf_summary *s, const sheaf_summary_options *o,
                            sheaf_error *err)
{
	bool matrix = s->schema.rows == SHEAF_ENTRIES;
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_raster *raster = &s->fields[f].raster;
		if (!raster->counts) continue;
		put_name(b, s->schema.fields[f].name);
		sheaf_builder_printf(b, ": %" PRId64 " %s down, %" PRId64 " %s across\n", raster->rows,
		                     matrix ? "rows" : "sequences", raster->columns, matrix ? "columns" : "indices");
		SHEAF_TRY(sheaf_draw_raster(b, raster, &o->drawing, s->cx, err));
	}
	return SHEAF_OK;
}

static sheaf_status put_all(sheaf_builder *b, const sheaf_summary *s, const sheaf_summary_options *o,
                            sheaf_error *err)
{
	sheaf_builder_printf(b, "%s: %" PRId64, sheaf_summary_word(s), s->rows);
	if (s->schema.rows == SHEAF_SEQUENCES) sheaf_builder_printf(b, "; keys: %s", sheaf_summary_keys(s));
	sheaf_builder_byte(b, '\n');
	for (int f = 0; f < s->schema.nfields; f++)
		if (sheaf_summary_shows(s, f)) put_field(b, &s->schema.fields[f], &s->fields[f], o);
	SHEAF_TRY(sheaf_put_tensor(s, false, b, err));
	return o->spy ? put_spy(b, s, o, err) : SHEAF_OK;
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
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected options of %zu bytes, found %zu", __func__,
		                  sizeof *options, options->size);
	if (options) o = *options;
	SHEAF_EXPECT((unsigned)o.style <= SHEAF_JSON, "a style", (int)o.style);
	if ((o.histograms || o.spy) && o.drawing.width == 0) o.drawing.width = USUAL_WIDTH;
	if (o.drawing.width && o.drawing.width < LEAST_WIDTH) o.drawing.width = LEAST_WIDTH;
	sheaf_builder b;
	sheaf_builder_begin(&b, s->cx, out);
	sheaf_status status = o.style == SHEAF_JSON ? sheaf_summary_json(s, &b, err) : put_all(&b, s, &o, err);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}
