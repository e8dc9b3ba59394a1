/* SPDX-License-Identifier: MIT */
/* What a page is made of: markup with text in it that cannot become markup, and charts. Names and items come
 * from files that nobody has checked, so that no text of a file reaches a page except through
 * sheaf_html_text. Nothing has a style attribute: the page's policy forbids it. */
#include "report/page/html.h"
#include "base/show.h"
#include "report/page/ticks.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sheaf_html_text(sheaf_builder *b, const char *text, size_t n)
{
	static const char *const others[UINT8_MAX + 1] = {
		['&'] = "&amp;",  ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;",
		['\''] = "&#39;", ['\n'] = "\n",  ['\t'] = "\t"};
	char shown[SHEAF_SHOWN];
	for (size_t used; n > 0; text += used, n -= used) {
		const char *other = others[(uint8_t)*text];
		used = sheaf_show_character(text, n, shown);
		sheaf_builder_text(b, other ? other : shown);
	}
}

/* Puts a number with its digits in groups of three, between which there is a narrow space. */
static void put_grouped(sheaf_builder *b, int64_t n)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRId64, n);
	for (int i = 0; i < length; i++) {
		if (i && digits[i - 1] != '-' && (length - i) % 3 == 0) sheaf_builder_text(b, "\xe2\x80\xaf");
		sheaf_builder_byte(b, digits[i]);
	}
}

/* A conversion ends with its letter, so what is between '%' and that letter is copied: printf formats numbers
 * as it says. */
void sheaf_html(sheaf_builder *b, const char *format, ...)
{
	char one[16];
	va_list args;
	va_start(args, format);
	for (; *format; format++) {
		size_t n = strcspn(format, "%");
		sheaf_builder_append(b, format, n);
		format += n;
		if (!*format) break;
		n = strcspn(format + 1, "sdfg%") + 1;
		snprintf(one, sizeof one, "%.*s", (int)n + 1, format);
		format += n;
		if (*format == '%') {
			sheaf_builder_byte(b, '%');
		} else if (*format == 's') {
			int size = n > 1 ? va_arg(args, int) : -1;
			const char *text = va_arg(args, const char *);
			sheaf_html_text(b, text, size < 0 ? strlen(text) : (size_t)size);
		} else if (*format != 'd') {
			sheaf_builder_printf(b, one, va_arg(args, double));
		} else if (one[1] == ' ') {
			put_grouped(b, va_arg(args, int64_t));
		} else if (n > 1) {
			sheaf_builder_printf(b, one, va_arg(args, int64_t));
		} else {
			sheaf_builder_printf(b, one, va_arg(args, int));
		}
	}
	va_end(args);
}

/* ---- charts ----
 *
 * A chart is an SVG of WIDTH x HEIGHT units with labels on two sides. Bars stand side by side on the axis at
 * y = HEIGHT, each `step` wide; the TOP units above the highest bar have the labels of marks. The words and
 * the table of numbers say the same for people who cannot see the chart. */

enum { WIDTH = 520, HEIGHT = 150, TOP = 22, LEFT = 58, BELOW = 46 };

typedef struct scale {
	double most, all, others; /* the largest height; the sums of both files */
	double step, wide;        /* from one bar to the next; of a bar, which leaves a gap if there is room */
} scale;

/* Finds the scale of a chart. With another file, heights are shares of each file's sum, so that files of
 * different sizes can be compared. Amounts that are shares already (per_cent) have 1 as the largest. */
static scale scale_of(const sheaf_chart *chart)
{
	scale s = {.step = (double)WIDTH / (chart->n ? chart->n : 1)};
	s.wide = s.step > 4 ? s.step - 1 : s.step;
	if (chart->per_cent) {
		s.all = s.others = s.most = 1;
		return s;
	}
	for (int i = 0; i < chart->n; i++) s.all += chart->bars[i].amount, s.others += chart->bars[i].other;
	for (int i = 0; i < chart->n; i++) {
		double amount = chart->bars[i].amount, other = chart->bars[i].other;
		if (chart->other) amount /= s.all > 0 ? s.all : 1, other /= s.others > 0 ? s.others : 1;
		s.most = fmax(s.most, chart->other ? fmax(amount, other) : amount);
	}
	return s;
}

/* How high the bar of an amount is, in units of the chart; `all` is the sum of its file. An amount that is
 * not 0 is at least one unit high, so that it can be seen. */
static double height_of(const sheaf_chart *chart, const scale *s, double amount, double all)
{
	if (amount <= 0) return 0;
	double share = chart->other         ? amount / all / s->most
	               : chart->logarithmic ? log1p(amount) / log1p(s->most)
	                                    : amount / s->most;
	return fmax(1, share * (HEIGHT - TOP));
}

/* Where a value is on the axis, in proportion within the bar that has it, in the middle of a bar of one
 * number; negative if no bar has it. */
static double place_of(const sheaf_chart *chart, const scale *s, double v)
{
	for (int k = 0; k < chart->n; k++) {
		const sheaf_bar *bar = &chart->bars[k];
		bool last = k + 1 == chart->n || chart->bars[k + 1].apart,
			 is_zero = v == 0 && isnan(bar->from) && strcmp(bar->label, "0") == 0;
		if (is_zero) return (k + 0.5) * s->step;
		if (bar->apart || v < bar->from || v > bar->to || (v == bar->to && !last)) continue;
		double wide = bar->to - bar->from;
		return (k +
		        (wide > 0 && !(wide == 1 && v == bar->from && bar->whole) ? (v - bar->from) / wide : 0.5)) *
		       s->step;
	}
	return -1;
}

/* Puts lines with labels above them where the percentiles stand among the bars. A number that no bar has gets
 * no line. Labels that would overlap others are left out. */
static void put_marks(sheaf_builder *b, const sheaf_chart *chart, const scale *s)
{
	enum { WORD = 34, BASE = 12 };
	static const char *const names[] = {"p50", "p95", "p99"};
	const double at[] = {chart->marks->p50, chart->marks->p95, chart->marks->p99};
	double free_from = 0;
	for (int i = 0; i < 3; i++) {
		double x = place_of(chart, s, at[i]);
		if (x < 0) continue;
		sheaf_html(b, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>", x, TOP - 4, HEIGHT);
		bool end = x > WIDTH - WORD;
		if (x - (end ? WORD : 0) < free_from) continue;
		sheaf_builder_printf(b, "<text%s x=\"%.1f\" y=\"%d\">%s</text>", end ? " class=\"end\"" : "", x, BASE,
		                     names[i]);
		free_from = x + (end ? 0 : WORD);
	}
}

/* A label below the axis, unless it would overlap the one before it; returns where the next may begin. */
static double put_label(sheaf_builder *b, double x, const char *text, double free_from)
{
	enum { LETTER = 10, BASE = HEIGHT + 16, MOST = 14 };
	int n = (int)strlen(text) < MOST + 2 ? (int)strlen(text) : MOST;
	double half = n * LETTER / 2.0, centre = fmin(fmax(x, half - 4), WIDTH - half - 4);
	if (centre - half < free_from) return free_from;
	sheaf_html(
		b, "<path class=\"axis\" d=\"M%.1f %dv4\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\">%.*s%s</text>", x,
		HEIGHT, centre, BASE, n, text, text[n] ? "\xe2\x80\xa6" : "");
	return centre + half + LETTER;
}

/* Labels of the bars' ranges at round numbers; of bars apart, and of bars that have no ranges, their own. */
static void put_ticks(sheaf_builder *b, const sheaf_chart *chart, const scale *s)
{
	enum { WANTED = 6 };
	sheaf_tick ticks[SHEAF_MOST_TICKS];
	int first = -1, last = -1, every = (chart->n - 1) / WANTED + 1;
	for (int i = 0; i < chart->n; i++)
		if (!chart->bars[i].apart && !isnan(chart->bars[i].from)) last = i, first = first < 0 ? i : first;
	double free_from = -LEFT;
	for (int i = 0; i < chart->n && (first < 0 || i < first); i++)
		if (first >= 0 || i % every == 0)
			free_from = put_label(b, (i + 0.5) * s->step, chart->bars[i].label, free_from);
	if (first < 0) return;
	const sheaf_bar *low = &chart->bars[first], *high = &chart->bars[last];
	double narrow = low->to - low->from, wide = high->to - high->from;
	bool grows = wide > 3 * narrow || narrow > 3 * wide;
	int n = sheaf_ticks(chart->field, low->from, high->to - (high->whole ? 1 : 0), grows, WANTED, ticks);
	for (int i = 0; i < n; i++) {
		double x = place_of(chart, s, ticks[i].at);
		if (x >= 0) free_from = put_label(b, x, ticks[i].text, free_from);
	}
	for (int i = last + 1; i < chart->n; i++)
		free_from = put_label(b, (i + 0.5) * s->step, chart->bars[i].label, free_from);
}

/* Labels at the left, from 0 on; of a logarithmic chart at powers of ten. */
static void put_heights(sheaf_builder *b, const sheaf_chart *chart, const scale *s)
{
	enum { WANTED = 4, GAP = 6, HALF = 4 };
	sheaf_tick ticks[SHEAF_MOST_TICKS];
	bool shares = chart->per_cent || chart->other;
	double most = shares ? 100 * s->most : s->most;
	int n = chart->logarithmic ? sheaf_ticks(NULL, 1, most, true, WANTED, ticks)
	                           : sheaf_ticks(NULL, 0, most, false, WANTED, ticks);
	for (int i = 0; i < n; i++) {
		double part = chart->logarithmic ? log1p(ticks[i].at) / log1p(most) : ticks[i].at / most,
			   y = HEIGHT - part * (HEIGHT - TOP);
		if (chart->logarithmic && n > WANTED + 1 && i % 2) continue;
		sheaf_html(b, "<text class=\"end\" x=\"-%d\" y=\"%.1f\">%s%s</text>", GAP, y + HALF, ticks[i].text,
		           shares ? "%" : "");
	}
}

/* Puts what is inside of a chart's SVG: the words for those who cannot see the chart, the style ("" on a
 * page, which has its own), then the chart. All bars are one path, and so is the outline of the other file.
 */
static void put_drawing(sheaf_builder *b, const sheaf_chart *chart, const char *style)
{
	scale s = scale_of(chart);
	sheaf_html(b, "<title id=\"t%d\">%s</title><desc id=\"d%d\">%s</desc>", chart->number, chart->title,
	           chart->number, chart->words);
	sheaf_builder_printf(b, "%s<path class=\"bar\" d=\"", style);
	for (int i = 0; i < chart->n; i++) {
		double high = height_of(chart, &s, chart->bars[i].amount, s.all);
		if (high > 0)
			sheaf_builder_printf(b, "M%.1f %dv-%.1fh%.1fv%.1fz", i * s.step, HEIGHT, high, s.wide, high);
	}
	sheaf_builder_printf(b, "\"/><path class=\"axis\" d=\"M0 %d.5H%dM0 %dV%d\"/>", HEIGHT, WIDTH, HEIGHT,
	                     TOP);
	if (chart->other) {
		sheaf_builder_printf(b, "<path class=\"other\" d=\"M0 %d", HEIGHT);
		for (int i = 0; i < chart->n; i++)
			sheaf_builder_printf(b, "V%.1fH%.1f",
			                     HEIGHT - height_of(chart, &s, chart->bars[i].other, s.others),
			                     (i + 1) * s.step);
		sheaf_builder_printf(b, "V%d\"/>", HEIGHT);
	}
	if (chart->marks) put_marks(b, chart, &s);
	put_heights(b, chart, &s);
	put_ticks(b, chart, &s);
	sheaf_html(b, "<text class=\"end\" x=\"%d\" y=\"%d\">%s</text>", WIDTH, HEIGHT + BELOW - 7, chart->what);
}

static void put_amount(sheaf_builder *b, const sheaf_chart *chart, double amount)
{
	if (chart->per_cent)
		sheaf_html(b, "<td>" SHEAF_HTML_SHARE "</td>", 100 * amount);
	else
		sheaf_html(b, "<td>% " PRId64 "</td>", (int64_t)amount);
}

/* Puts a figure: the chart, its words, and the table of its numbers, in which bars of nothing have no row.
 * For the script, a row after such a gap has the number of its bar. A chart of fewer than two bars is only
 * its words. */
void sheaf_html_chart(sheaf_builder *b, const sheaf_chart *chart)
{
	if (chart->n < 2) {
		sheaf_html(b, "<p class=\"note\">%s</p>", chart->words);
		return;
	}
	sheaf_html(
		b, "<figure><svg role=\"img\" viewBox=\"%d 0 %d %d\" data-bars=\"%d\" aria-labelledby=\"t%d d%d\">",
		-LEFT, LEFT + WIDTH, HEIGHT + BELOW, chart->n, chart->number, chart->number);
	put_drawing(b, chart, "");
	sheaf_html(b, "</svg><figcaption>%s</figcaption>", chart->words);
	sheaf_html(b, chart->open ? "<details open>" : "<details>");
	sheaf_html(b,
	           "<summary>Numbers</summary><table class=\"numbers\"><thead><tr><th scope=\"col\">%s</th>"
	           "<th scope=\"col\">%s</th>",
	           chart->what, chart->amounts ? chart->amounts : "count");
	if (chart->other)
		sheaf_html(b, "<th scope=\"col\">%s<bdi>%s</bdi></th>", chart->per_cent ? "" : "in ", chart->other);
	sheaf_html(b, "</tr></thead><tbody>");
	for (int i = 0, next = 0; i < chart->n; i++) {
		const sheaf_bar *bar = &chart->bars[i];
		if (bar->amount == 0 && bar->other == 0 && !chart->per_cent) continue;
		sheaf_html(b, "<tr");
		if (i != next) sheaf_html(b, " data-bar=\"%d\"", i);
		next = i + 1;
		sheaf_html(b, "><th scope=\"row\">%s</th>", bar->label);
		put_amount(b, chart, bar->amount);
		if (chart->other) put_amount(b, chart, bar->other);
		sheaf_html(b, "</tr>");
	}
	sheaf_html(b, "</tbody></table></details></figure>");
}

/* A file has the rules that it needs of the page's style sheet, in its light colours. */
void sheaf_svg_chart(sheaf_builder *b, const sheaf_chart *chart)
{
	enum { MARGIN = 8, WIDE = LEFT + WIDTH + 2 * MARGIN, HIGH = HEIGHT + BELOW + 2 * MARGIN };
	sheaf_html(b,
	           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
	           "role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" "
	           "aria-labelledby=\"t%d d%d\">",
	           WIDE, HIGH, -LEFT - MARGIN, -MARGIN, WIDE, HIGH, chart->number, chart->number);
	put_drawing(b, chart,
	            "<style>text{font:13px "
	            "system-ui,sans-serif;fill:#55565e}.end{text-anchor:end}.tick{text-anchor:middle}"
	            ".bar{fill:#2f6f9f}.axis{stroke:#c9cad2}.mark{stroke:#55565e;stroke-dasharray:3 3}"
	            ".other{fill:none;stroke:#b04a00;stroke-width:2}</style>");
	sheaf_html(b, "</svg>\n");
}
