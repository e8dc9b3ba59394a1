/* SPDX-License-Identifier: MIT */
/* Histograms as bars. Charts and drawings have room for some tens of bars, so neighbours share a bar where
 * there are more; another summary is counted in the same bars, so that both can be compared. */
#include "report/bars.h"
#include "frame/frame.h"
#include "frame/item.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Gives a bar its label: "7", or "8 to 11" if it has several numbers, after what these are. */
static void name_range(sheaf_bar *bar, const char *what, int64_t from, int64_t last)
{
	bar->whole = true;
	if (from == last)
		snprintf(bar->label, sizeof bar->label, "%s%" PRId64, what, from);
	else
		snprintf(bar->label, sizeof bar->label, "%s%" PRId64 " to %" PRId64, what, from, last);
}

/* Whole numbers in bars of as many numbers each: of the steps that give enough bars the one whose last bar
 * lacks fewest numbers. */
static int whole_edges(double least, double most, int wanted, double *edges)
{
	double range = most - least + 1, step = ceil(range / wanted), best = step, lack = INFINITY;
	for (double last = step > 1 ? ceil(2 * range / wanted) : 1; step <= last; step++) {
		double lacks = (ceil(range / step) * step - range) / step;
		if (lacks < lack) lack = lacks, best = step;
		if (step > 1000) break;
	}
	int n = (int)ceil(range / best);
	for (int i = 0; i <= n; i++) edges[i] = least + i * best;
	return n;
}

/* Bars have equal widths if all lengths, also those of the other summary, are counted one by one. Where they
 * are too long for that, the bars double from 0 on: 0, 1, 2 to 3, 4 to 7, and then the bins. */
int sheaf_length_bars(const sheaf_length_counts *h, const sheaf_length_counts *other, int most,
                      sheaf_bar bars[SHEAF_MOST_BARS])
{
	bool both = other && other->n;
	int64_t least = both && other->least < h->least ? other->least : h->least,
			end = both && other->most > h->most ? other->most : h->most, next;
	int n = 0;
	bool is_exact = end < SHEAF_LENGTHS_EXACT;
	double edges[SHEAF_MOST_BARS + 1];
	int64_t step = 0;
	if (is_exact && whole_edges((double)least, (double)end, most, edges))
		step = (int64_t)(edges[1] - edges[0]);
	for (int64_t at = is_exact ? least : 0; h->n && at <= end && n < SHEAF_MOST_BARS; at = next) {
		next = is_exact                    ? at + step
		       : at >= SHEAF_LENGTHS_EXACT ? sheaf_length_counts_next_bin(at)
		                                   : at * 2 + (at == 0);
		if (next <= at) break;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)at,
		                   .to = (double)next,
		                   .amount = (double)sheaf_length_counts_between(h, at, next),
		                   .other = both ? (double)sheaf_length_counts_between(other, at, next) : 0};
		name_range(bar, "", at, next - 1);
	}
	return n;
}

/* ---- values ---- */

/* The least and largest value of both, and where most of them are: the middle 90 or 98 per cent. */
typedef struct span {
	double least, most, low, high;
	bool whole, exact;
} span;

static span span_of(const sheaf_spread_values *v)
{
	span s = {.least = v->f->values.least,
	          .most = v->f->values.most,
	          .low = sheaf_distribution_at(&v->d, 0.05),
	          .high = sheaf_distribution_at(&v->d, 0.95),
	          .whole = v->f->values.fractions == 0 &&
	                   fmax(fabs(v->f->values.least), fabs(v->f->values.most)) < 0x1p53,
	          .exact = v->d.exact};
	if (s.low < s.high) return s;
	s.low = sheaf_distribution_at(&v->d, 0.01);
	s.high = sheaf_distribution_at(&v->d, 0.99);
	return s;
}

/* A tail is heavy if the range is many times as wide as where most values are. A logarithmic axis needs
 * values of one sign that are not all in one place of it, and times are never on one. */
static sheaf_axis axis_of(const sheaf_field *field, const span *s, int most)
{
	enum { HEAVY = 20 };
	double range = s->most - s->least, middle = s->high - s->low;
	if ((s->whole && range < most) || range <= HEAVY * middle) return SHEAF_AXIS_EQUAL;
	double low = fabs(s->least >= 0 ? s->low : s->high), high = fabs(s->least >= 0 ? s->high : s->low),
		   far = fmax(fabs(s->least), fabs(s->most)), near = fmin(fabs(s->least), fabs(s->most));
	bool spread = middle == 0 || low == 0 || near == 0 || log(high / low) * HEAVY > log(far / near);
	if (!sheaf_means_time(field->meaning) && (s->least >= 0 || s->most <= 0) && spread)
		return SHEAF_AXIS_LOGARITHMIC;
	return middle > 0 ? SHEAF_AXIS_MIDDLE : SHEAF_AXIS_EQUAL;
}

/* The bounds of bars of equal widths or ratios, which are n + 1 for n bars. Negative numbers have ratios from
 * the largest magnitude on. */
static int find_edges(const span *s, sheaf_axis axis, int wanted, double *edges)
{
	double least = s->least, most = s->most;
	if (axis == SHEAF_AXIS_MIDDLE) {
		least = fmax(least, 2 * s->low - s->high);
		most = fmin(most, 2 * s->high - s->low);
		if (s->whole) least = floor(least), most = ceil(most);
	}
	if (axis != SHEAF_AXIS_LOGARITHMIC && s->whole) return whole_edges(least, most, wanted, edges);
	int n = least < most ? wanted : 1;
	for (int i = 0; i <= n; i++) {
		double part = (double)i / n;
		edges[i] = axis == SHEAF_AXIS_LOGARITHMIC
		               ? copysign(exp2(log2(fabs(least)) * (1 - part) + log2(fabs(most)) * part), most)
		               : least * (1 - part) + most * part;
	}
	edges[0] = least;
	edges[n] = most;
	return n;
}

/* How many values are from `from` on and below `to`; with `closed` also `to`. */
static double count_between(const sheaf_spread_values *v, double from, double to, bool closed, bool estimate)
{
	const sheaf_value_counts *values = &v->f->values;
	if (closed) to = nextafter(to, INFINITY);
	if (v->d.total == 0 || from >= to) return 0;
	if (!v->d.exact && !estimate) {
		if (closed || to > values->most) to = values->most + ldexp(2, values->cells.power);
		return (double)sheaf_cells_between(&values->cells, from, to);
	}
	double n = (double)(sheaf_distribution_below(&v->d, to) - sheaf_distribution_below(&v->d, from));
	return v->d.exact ? n : round(n * (double)sheaf_values_finite(values) / (double)v->d.total);
}

/* Bars on their way: of a summary, and of another one in the same bars. */
typedef struct filling {
	const sheaf_spread_values *v, *other;
	sheaf_bar *bars;
	int n;
	bool estimate;
} filling;

/* Puts a bar of the values in a range. */
static sheaf_bar *put_bar(filling *to, double from, double end, bool closed)
{
	sheaf_bar *bar = &to->bars[to->n++];
	*bar = (sheaf_bar){.from = from, .to = end};
	bar->amount = count_between(to->v, from, end, closed, to->estimate);
	if (to->other) bar->other = count_between(to->other, from, end, closed, to->estimate);
	return bar;
}

/* Puts a bar apart, for what stands on no axis, unless neither summary has any. */
static void put_apart(filling *to, const char *label, int64_t count, int64_t other)
{
	if (count == 0 && other == 0) return;
	sheaf_bar *bar = &to->bars[to->n++];
	*bar =
		(sheaf_bar){.from = NAN, .to = NAN, .apart = true, .amount = (double)count, .other = (double)other};
	snprintf(bar->label, sizeof bar->label, "%s", label);
}

/* Puts what the middle of the range leaves out on one side. */
static void put_beyond(filling *to, double from, double end, bool above)
{
	char text[SHEAF_BAR_LABEL - 8];
	sheaf_bar *bar = put_bar(to, from, end, above);
	bar->apart = true;
	sheaf_value_words(to->v->field, above ? from : end, text, sizeof text);
	snprintf(bar->label, sizeof bar->label, above ? "from %s" : "below %s", text);
}

static void name_values(sheaf_bar *bar, const sheaf_field *field, bool whole)
{
	char from[SHEAF_BAR_LABEL / 2 - 2], to[SHEAF_BAR_LABEL / 2 - 2];
	sheaf_value_words(field, bar->from, from, sizeof from);
	sheaf_value_words(field, whole ? bar->to - 1 : bar->to, to, sizeof to);
	bool one = strcmp(from, to) == 0;
	bar->whole = whole;
	snprintf(bar->label, sizeof bar->label, one ? "%s" : "%s to %s", from, to);
}

/* Both files, as one span: the sample of the first says where most values are. */
static span join_spans(const sheaf_spread_values *v, const sheaf_spread_values *other)
{
	span s = span_of(v), o;
	if (!other || other->d.total == 0) return s;
	o = span_of(other);
	if (v->d.total == 0) return o;
	return (span){fmin(s.least, o.least), fmax(s.most, o.most), fmin(s.low, o.low),
	              fmax(s.high, o.high),   s.whole && o.whole,   s.exact && o.exact};
}

/* The least magnitude that is not 0, of the values that are known. */
static double least_size(const sheaf_spread_values *v)
{
	double least = INFINITY;
	for (int i = 0; v && i < v->d.n; i++)
		if (v->d.values[i].value != 0) least = fmin(least, fabs(v->d.values[i].value));
	return least;
}

/* Puts the bars of finite values. Bounds of estimates stay as they are; counts of cells are exact if a bar
 * has several cells, and its bounds become edges of cells. */
static sheaf_axis put_values(filling *to, int most)
{
	double edges[SHEAF_MOST_BARS + 1];
	const sheaf_value_counts *a = &to->v->f->values, *b = to->other ? &to->other->f->values : a;
	span s = join_spans(to->v, to->other);
	sheaf_axis axis = axis_of(to->v->field, &s, most);
	bool logarithmic = axis == SHEAF_AXIS_LOGARITHMIC, steps = s.whole && !logarithmic;
	if (logarithmic) {
		double *end = s.most <= 0 ? &s.most : &s.least;
		if (*end == 0) *end = copysign(fmin(least_size(to->v), least_size(to->other)), s.least);
		put_apart(to, "0", a->zeros, to->other ? b->zeros : 0);
	}
	int count = find_edges(&s, axis, most, edges);
	const sheaf_cells *cells = to->v->d.exact || b->cells.power > a->cells.power ? &b->cells : &a->cells;
	double width = (edges[count] - edges[0]) / count;
	to->estimate = !s.exact && (logarithmic || width < ldexp(4, cells->power));
	for (int i = 0; !s.exact && !to->estimate && i <= count; i++)
		if (edges[i] > s.least && edges[i] < s.most) edges[i] = sheaf_cells_edge(cells, edges[i]);
	bool above = edges[count] < s.most;
	if (edges[0] > s.least) put_beyond(to, s.least, edges[0], false);
	for (int i = 0; i < count; i++)
		name_values(put_bar(to, edges[i], edges[i + 1], i + 1 == count && !steps && !above), to->v->field,
		            steps);
	if (above) put_beyond(to, edges[count], s.most, true);
	return axis;
}

int sheaf_value_bars(const sheaf_spread_values *v, const sheaf_spread_values *other, int most,
                     sheaf_bar bars[SHEAF_MOST_BARS], sheaf_axis *axis, bool *exact)
{
	static const sheaf_value_counts nothing;
	filling to = {.v = v, .other = other && other->f->sample.values ? other : NULL, .bars = bars};
	const sheaf_value_counts *a = &v->f->values, *b = to.other ? &other->f->values : &nothing;
	*axis = SHEAF_AXIS_EQUAL;
	*exact = true;
	if (!v->f->sample.values || a->n == 0) return 0;
	put_apart(&to, "-inf", a->infinite[0], b->infinite[0]);
	if (v->d.total || (to.other && other->d.total)) *axis = put_values(&to, most);
	*exact = !to.estimate;
	put_apart(&to, "+inf", a->infinite[1], b->infinite[1]);
	put_apart(&to, "NaN", a->nans, b->nans);
	return to.n;
}

/* ---- words ---- */

double sheaf_seconds_of(const sheaf_field *field)
{
	if (!sheaf_means_time(field->meaning)) return 1;
	return field->meaning == SHEAF_DATE ? 86400 : pow(10, -field->digits);
}

void sheaf_value_words(const sheaf_field *field, double v, char *text, size_t size)
{
	char whole[128];
	bool timed = sheaf_means_time(field->meaning) && field->meaning != SHEAF_DATETIMETZ && fabs(v) < 0x1p53;
	if (!timed) {
		snprintf(text, size, fabs(v) < 1e6 && v == floor(v) ? "%.0f" : "%.4g", v == 0 ? 0 : v);
		return;
	}
	int64_t parts = (int64_t)llround(v);
	size_t length = (size_t)(sheaf_time_print(whole, field->meaning, field->digits, &parts) - whole);
	snprintf(text, size, "%.*s", (int)length, whole);
}

void sheaf_difference_words(const sheaf_field *field, double v, char *text, size_t size)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {0, "seconds"}};
	if (!sheaf_means_time(field->meaning)) {
		snprintf(text, size, "%.6g", v);
		return;
	}
	int i = 0;
	for (v *= sheaf_seconds_of(field); v < 2 * units[i].seconds;) i++;
	snprintf(text, size, "%.4g %s", units[i].seconds > 0 ? v / units[i].seconds : v, units[i].name);
}

/* ---- ranks and rasters ---- */

/* The counts other than 0, ordered from the largest on, have ranks from 1 on. Bars double: the first has the
 * largest count, and a bar is the mean of the counts whose ranks are above `from` and at most `to`. Of counts
 * beyond the table only the beginning of their bin is known. */
int sheaf_rank_bars(const sheaf_length_counts *counts, sheaf_bar bars[SHEAF_MOST_BARS])
{
	int n = 0, room = (int)counts->room;
	int64_t used = counts->n - sheaf_length_counts_between(counts, 0, 1);
	for (int64_t from = 0, to = 1; from < used && n < SHEAF_MOST_BARS; from = to, to *= 2) {
		if (to > used) to = used;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)from + 1, .to = (double)to + 1};
		int64_t rank = 0;
		for (int i = SHEAF_LENGTH_BINS - 1 + room; i > 0 && rank < to; i--) {
			int64_t times = i < room ? counts->counts[i] : sheaf_length_bin(counts, i - room);
			int64_t size = i < room ? i : sheaf_length_bin_begin(i - room);
			int64_t first = rank > from ? rank : from, last = rank + times < to ? rank + times : to;
			if (last > first) bar->amount += (double)(last - first) * (double)size;
			rank += times;
		}
		bar->amount /= (double)(to - from);
		name_range(bar, "rank ", from + 1, to);
	}
	return n;
}

int sheaf_raster_bars(const sheaf_raster *r, bool down, int most, sheaf_bar bars[SHEAF_MOST_BARS])
{
	double edges[SHEAF_MOST_BARS + 1];
	int lines = down ? sheaf_raster_height(r) : sheaf_raster_width(r), n = 0;
	whole_edges(0, lines - 1, most, edges);
	int step = (int)(edges[1] - edges[0]);
	int64_t each = down ? r->rows_to_a_cell : r->columns_to_a_cell, all = down ? r->rows : r->columns;
	for (int line = 0; line < lines; line += step) {
		int end = line + step < lines ? line + step : lines;
		int64_t from = line * each, to = end == lines ? all : end * each;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)from, .to = (double)to};
		for (int k = line; k < end; k++)
			for (int i = 0; i < SHEAF_RASTER_SIDE; i++)
				bar->amount +=
					(double)r->counts[down ? k * SHEAF_RASTER_SIDE + i : i * SHEAF_RASTER_SIDE + k];
		name_range(bar, "", from, to - 1);
	}
	return n;
}

double sheaf_most_amount(const sheaf_bar *bars, int n)
{
	double most = 0;
	for (int i = 0; i < n; i++) most = fmax(most, bars[i].amount);
	return most;
}
