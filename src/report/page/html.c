/* SPDX-License-Identifier: MIT */
/* What a page is made of: markup with text in it that cannot become markup, and charts. Names and items come
 * from files that nobody has checked, so that no text of a file reaches a page except through
 * sheaf_html_text. Nothing has a style attribute: the page's policy forbids it. */
#include "report/page/html.h"
#include "base/show.h"
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
 * A chart is an SVG of WIDTH x HEIGHT units and a line of text below it. Bars stand side by side on the axis
 * at y = HEIGHT, each `step` wide; the TOP units above the highest bar have the labels of marks. The words
 * and the table of numbers say the same for people who cannot see the chart. */

enum { WIDTH = 520, HEIGHT = 150, TOP = 22, TEXT_LINE = 20 };

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

/* Puts lines with labels above them where the percentiles stand among the bars: within a bar of several
 * numbers in proportion, in a bar of one number in its middle. A number that no bar has gets no line. The bar
 * of zeros alone has no bounds, and is known by its label. Labels that would overlap others are left out. */
static void put_marks(sheaf_builder *b, const sheaf_chart *chart, const scale *s)
{
	enum { WORD = 34, BASE = 12 };
	const double at[] = {chart->marks->p50, chart->marks->p95, chart->marks->p99};
	double free_from = 0;
	for (int i = 0; i < 3; i++) {
		double x = -1;
		for (int k = 0; k < chart->n && x < 0; k++) {
			const sheaf_bar *bar = &chart->bars[k];
			bool is_zero = at[i] == 0 && isnan(bar->from) && strcmp(bar->label, "0") == 0;
			if ((at[i] >= bar->from && at[i] < bar->to) || is_zero)
				x = (k + (bar->to > bar->from + 1 ? (at[i] - bar->from) / (bar->to - bar->from) : 0.5)) *
				    s->step;
		}
		if (x < 0) continue;
		sheaf_html(b, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>", x, TOP - 4, HEIGHT);
		bool end = x > WIDTH - WORD;
		if (x - (end ? WORD : 0) < free_from) continue;
		sheaf_builder_printf(b, "<text%s x=\"%.1f\" y=\"%d\">%s</text>", end ? " class=\"end\"" : "", x, BASE,
		                     i == 0   ? "p50"
		                     : i == 1 ? "p95"
		                              : "p99");
		free_from = x + (end ? 0 : WORD);
	}
}

/* Puts what is inside of a chart's SVG: the words for those who cannot see the chart, the style ("" on a
 * page, which has its own), then the chart. All bars are one path, and so is the outline of the other file.
 * The labels of the first and the last bar are below the axis. */
static void put_drawing(sheaf_builder *b, const sheaf_chart *chart, const char *style)
{
	enum { BASE = HEIGHT + 15 };
	scale s = scale_of(chart);
	sheaf_html(b, "<title id=\"t%d\">%s</title><desc id=\"d%d\">%s</desc>", chart->number, chart->title,
	           chart->number, chart->words);
	sheaf_builder_printf(b, "%s<path class=\"bar\" d=\"", style);
	for (int i = 0; i < chart->n; i++) {
		double high = height_of(chart, &s, chart->bars[i].amount, s.all);
		if (high > 0)
			sheaf_builder_printf(b, "M%.1f %dv-%.1fh%.1fv%.1fz", i * s.step, HEIGHT, high, s.wide, high);
	}
	sheaf_builder_printf(b, "\"/><path class=\"axis\" d=\"M0 %d.5H%d\"/>", HEIGHT, WIDTH);
	if (chart->other) {
		sheaf_builder_printf(b, "<path class=\"other\" d=\"M0 %d", HEIGHT);
		for (int i = 0; i < chart->n; i++)
			sheaf_builder_printf(b, "V%.1fH%.1f",
			                     HEIGHT - height_of(chart, &s, chart->bars[i].other, s.others),
			                     (i + 1) * s.step);
		sheaf_builder_printf(b, "V%d\"/>", HEIGHT);
	}
	if (chart->marks) put_marks(b, chart, &s);
	if (chart->n == 0) return;
	sheaf_html(b, "<text x=\"0\" y=\"%d\">%s</text><text class=\"end\" x=\"%d\" y=\"%d\">%s</text>", BASE,
	           chart->bars[0].label, WIDTH, BASE, chart->bars[chart->n - 1].label);
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
		b, "<figure><svg role=\"img\" viewBox=\"0 0 %d %d\" data-bars=\"%d\" aria-labelledby=\"t%d d%d\">",
		WIDTH, HEIGHT + TEXT_LINE, chart->n, chart->number, chart->number);
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
	enum { MARGIN = 8 };
	sheaf_html(b,
	           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
	           "role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" "
	           "aria-labelledby=\"t%d d%d\">",
	           WIDTH + 2 * MARGIN, HEIGHT + TEXT_LINE + 2 * MARGIN, -MARGIN, -MARGIN, WIDTH + 2 * MARGIN,
	           HEIGHT + TEXT_LINE + 2 * MARGIN, chart->number, chart->number);
	put_drawing(b, chart,
	            "<style>text{font:13px system-ui,sans-serif;fill:#55565e}.end{text-anchor:end}"
	            ".bar{fill:#2f6f9f}.axis{stroke:#c9cad2}.mark{stroke:#55565e;stroke-dasharray:3 3}"
	            ".other{fill:none;stroke:#b04a00;stroke-width:2}</style>");
	sheaf_html(b, "</svg>\n");
}
