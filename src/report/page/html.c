/* SPDX-License-Identifier: MIT */
/* Parts of a page. Nothing has a style attribute: the page's policy forbids it. */
#include "report/page/html.h"
#include "base/show.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void sheaf_html_text(sheaf_builder *b, const char *text, size_t n)
{
	static const char *const others[UINT8_MAX + 1] = {['&'] = "&amp;",  ['<'] = "&lt;",   ['>'] = "&gt;",
	                                                  ['"'] = "&quot;", ['\''] = "&#39;", ['\n'] = "\n",
	                                                  ['\t'] = "\t"};
	char shown[SHEAF_SHOWN];
	for (size_t used; n > 0; text += used, n -= used) {
		const char *other = others[(uint8_t)*text];
		used = sheaf_show_character(text, n, shown);
		sheaf_builder_text(b, other ? other : shown);
	}
}

void sheaf_html_words(sheaf_builder *b, const char *text) { sheaf_html_text(b, text, strlen(text)); }

void sheaf_html_name(sheaf_builder *b, const char *name)
{
	sheaf_builder_text(b, "<bdi>");
	sheaf_html_text(b, name, strlen(name));
	sheaf_builder_text(b, "</bdi>");
}

void sheaf_html_count(sheaf_builder *b, int64_t n)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRId64, n);
	for (int i = 0; i < length; i++) {
		if (i && digits[i - 1] != '-' && (length - i) % 3 == 0) sheaf_builder_text(b, "\xe2\x80\xaf");
		sheaf_builder_byte(b, digits[i]);
	}
}

void sheaf_html_real(sheaf_builder *b, double v) { sheaf_builder_printf(b, "%.6g", v); }

void sheaf_html_share(sheaf_builder *b, double share)
{
	sheaf_builder_printf(b, "%.1f\xe2\x80\xaf%%", 100 * share);
}

/* ---- charts ----
 *
 * A chart is an SVG of WIDTH x HEIGHT units and a line of text below it. Bars stand side by side on the axis
 * at y = HEIGHT, each `step` wide; the TOP units above the highest bar have the labels of marks. The words
 * and the table of numbers say the same for people who cannot see the chart. */

enum { WIDTH = 520, HEIGHT = 150, TOP = 22, TEXT_LINE = 20 };

typedef struct scale {
	double most, all, others; /* the largest height; the sums of both files */
	double step, wide;
} scale;

/* With another file, heights are shares of each file's sum, so that files of different sizes can be
 * compared. */
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

/* An amount that is not 0 is at least one unit high: it can be seen. */
static double height_of(const sheaf_chart *chart, const scale *s, double amount, double all)
{
	if (amount <= 0) return 0;
	double share = chart->other         ? amount / all / s->most
	               : chart->logarithmic ? log1p(amount) / log1p(s->most)
	                                    : amount / s->most;
	return fmax(1, share * (HEIGHT - TOP));
}

/* The x at which a number stands among the bars; below 0 if no bar has it. The bar of zeros alone has no
 * bounds. */
static double place_of(const sheaf_chart *chart, const scale *s, double at)
{
	for (int i = 0; i < chart->n; i++) {
		const sheaf_bar *bar = &chart->bars[i];
		bool is_zero = at == 0 && isnan(bar->from) && strcmp(bar->label, "0") == 0;
		if ((at >= bar->from && at < bar->to) || is_zero)
			return (i + (bar->to > bar->from + 1 ? (at - bar->from) / (bar->to - bar->from) : 0.5)) * s->step;
	}
	return -1;
}

/* Lines with labels above them; labels that would overlap others are left out. */
static void put_marks(sheaf_builder *b, const sheaf_chart *chart, const scale *s)
{
	enum { WORD = 34, BASE = 12 };
	double free_from = 0;
	for (int i = 0; i < chart->nmarks; i++) {
		double x = place_of(chart, s, chart->marks[i].at);
		if (x < 0) continue;
		sheaf_builder_printf(b, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>", x, TOP - 4, HEIGHT);
		bool end = x > WIDTH - WORD;
		if (x - (end ? WORD : 0) < free_from) continue;
		sheaf_builder_printf(b, "<text%s x=\"%.1f\" y=\"%d\">", end ? " class=\"end\"" : "", x, BASE);
		sheaf_html_words(b, chart->marks[i].label);
		sheaf_builder_text(b, "</text>");
		free_from = x + (end ? 0 : WORD);
	}
}

/* All bars are one path, and so is the outline of the other file. The labels of the first and the last bar
 * are below the axis. */
static void put_drawing(sheaf_builder *b, const sheaf_chart *chart)
{
	enum { BASE = HEIGHT + 15 };
	scale s = scale_of(chart);
	sheaf_builder_text(b, "<path class=\"bar\" d=\"");
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
	put_marks(b, chart, &s);
	if (chart->n == 0) return;
	sheaf_builder_printf(b, "<text x=\"0\" y=\"%d\">", BASE);
	sheaf_html_words(b, chart->bars[0].label);
	sheaf_builder_printf(b, "</text><text class=\"end\" x=\"%d\" y=\"%d\">", WIDTH, BASE);
	sheaf_html_words(b, chart->bars[chart->n - 1].label);
	sheaf_builder_text(b, "</text>");
}

static void put_words_of(sheaf_builder *b, const sheaf_chart *chart)
{
	sheaf_builder_printf(b, "<title id=\"t%d\">", chart->number);
	sheaf_html_words(b, chart->title);
	sheaf_builder_printf(b, "</title><desc id=\"d%d\">", chart->number);
	sheaf_html_words(b, chart->words);
	sheaf_builder_text(b, "</desc>");
}

/* ---- tables ---- */

static void put_amount(sheaf_builder *b, const sheaf_chart *chart, double amount)
{
	if (chart->per_cent)
		sheaf_html_share(b, amount);
	else
		sheaf_html_count(b, (int64_t)amount);
}

/* Bars of nothing have no row. For the script, a row after such a gap has the number of its bar. */
static void put_table(sheaf_builder *b, const sheaf_chart *chart)
{
	sheaf_builder_text(b, chart->open ? "<details open><summary>Numbers</summary>"
	                                  : "<details><summary>Numbers</summary>");
	sheaf_builder_text(b, "<table class=\"numbers\"><thead><tr><th scope=\"col\">");
	sheaf_html_words(b, chart->what);
	sheaf_builder_text(b, "</th><th scope=\"col\">");
	sheaf_html_words(b, chart->amounts ? chart->amounts : "count");
	if (chart->other) {
		sheaf_builder_text(b, chart->per_cent ? "</th><th scope=\"col\">" : "</th><th scope=\"col\">in ");
		sheaf_html_name(b, chart->other);
	}
	sheaf_builder_text(b, "</th></tr></thead><tbody>");
	for (int i = 0, next = 0; i < chart->n; i++) {
		const sheaf_bar *bar = &chart->bars[i];
		if (bar->amount == 0 && bar->other == 0 && !chart->per_cent) continue;
		if (i == next)
			sheaf_builder_text(b, "<tr><th scope=\"row\">");
		else
			sheaf_builder_printf(b, "<tr data-bar=\"%d\"><th scope=\"row\">", i);
		next = i + 1;
		sheaf_html_words(b, bar->label);
		sheaf_builder_text(b, "</th><td>");
		put_amount(b, chart, bar->amount);
		if (chart->other) {
			sheaf_builder_text(b, "</td><td>");
			put_amount(b, chart, bar->other);
		}
		sheaf_builder_text(b, "</td></tr>");
	}
	sheaf_builder_text(b, "</tbody></table></details>");
}

void sheaf_html_chart(sheaf_builder *b, const sheaf_chart *chart)
{
	if (chart->n < 2) {
		sheaf_builder_text(b, "<p class=\"note\">");
		sheaf_html_words(b, chart->words);
		sheaf_builder_text(b, "</p>");
		return;
	}
	sheaf_builder_printf(
		b, "<figure><svg role=\"img\" viewBox=\"0 0 %d %d\" data-bars=\"%d\" aria-labelledby=\"t%d d%d\">",
		WIDTH, HEIGHT + TEXT_LINE, chart->n, chart->number, chart->number);
	put_words_of(b, chart);
	put_drawing(b, chart);
	sheaf_builder_text(b, "</svg><figcaption>");
	sheaf_html_words(b, chart->words);
	sheaf_builder_text(b, "</figcaption>");
	put_table(b, chart);
	sheaf_builder_text(b, "</figure>");
}

void sheaf_svg_chart(sheaf_builder *b, const sheaf_chart *chart)
{
	enum { MARGIN = 8 };
	sheaf_builder_printf(
		b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" "
		"aria-labelledby=\"t%d d%d\">",
		WIDTH + 2 * MARGIN, HEIGHT + TEXT_LINE + 2 * MARGIN, -MARGIN, -MARGIN, WIDTH + 2 * MARGIN,
		HEIGHT + TEXT_LINE + 2 * MARGIN, chart->number, chart->number);
	put_words_of(b, chart);
	sheaf_builder_text(b, "<style>text{font:13px system-ui,sans-serif;fill:#55565e}.end{text-anchor:end}"
	                      ".bar{fill:#2f6f9f}.axis{stroke:#c9cad2}.mark{stroke:#55565e;stroke-dasharray:3 3}"
	                      ".other{fill:none;stroke:#b04a00;stroke-width:2}</style>");
	put_drawing(b, chart);
	sheaf_builder_text(b, "</svg>\n");
}
