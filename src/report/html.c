/* SPDX-License-Identifier: MIT */
/* Pieces of a page. Nothing has an attribute of style: the page's policy forbids it. */
#include "report/html.h"
#include "base/show.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void sheaf_html_text(sheaf_builder *b, const char *text, size_t n)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + n;
	while (at < end) {
		size_t length = sheaf_utf8_length(at, (size_t)(end - at));
		const char *other = *at == '&'                                                 ? "&amp;"
		                    : *at == '<'                                               ? "&lt;"
		                    : *at == '>'                                               ? "&gt;"
		                    : *at == '"'                                               ? "&quot;"
		                    : *at == '\''                                              ? "&#39;"
		                    : length == 0                                              ? "\xef\xbf\xbd"
		                    : (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f ? "\xef\xbf\xbd"
		                                                                               : NULL;
		if (other)
			sheaf_builder_text(b, other);
		else
			sheaf_builder_append(b, at, length);
		at += length ? length : 1;
	}
}

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

/* ---- charts ---- */

enum { WIDTH = 640, HEIGHT = 160, TOP = 8 };

static double height_of(const sheaf_chart *chart, double amount, double most)
{
	if (amount <= 0) return 0;
	double share = chart->logarithmic ? log1p(amount) / log1p(most) : amount / most;
	return fmax(1, share * (HEIGHT - TOP));
}

/* All bars are one path. */
static void put_bars(sheaf_builder *b, const sheaf_chart *chart)
{
	double most = 0, step = (double)WIDTH / (chart->n ? chart->n : 1), wide = step > 3 ? step - 1 : step;
	for (int i = 0; i < chart->n; i++) most = fmax(most, chart->bars[i].amount);
	sheaf_builder_text(b, "<path class=\"bar\" d=\"");
	for (int i = 0; i < chart->n; i++) {
		double high = height_of(chart, chart->bars[i].amount, most);
		if (high > 0)
			sheaf_builder_printf(b, "M%.1f %dv-%.1fh%.1fv%.1fz", i * step, HEIGHT, high, wide, high);
	}
	sheaf_builder_printf(b, "\"/><path class=\"axis\" d=\"M0 %d.5H%d\"/>", HEIGHT, WIDTH);
}

static void put_ends(sheaf_builder *b, const sheaf_chart *chart)
{
	if (chart->n == 0) return;
	sheaf_builder_printf(b, "<text x=\"0\" y=\"%d\">", HEIGHT + 16);
	sheaf_html_text(b, chart->bars[0].label, strlen(chart->bars[0].label));
	sheaf_builder_printf(b, "</text><text class=\"end\" x=\"%d\" y=\"%d\">", WIDTH, HEIGHT + 16);
	sheaf_html_text(b, chart->bars[chart->n - 1].label, strlen(chart->bars[chart->n - 1].label));
	sheaf_builder_text(b, "</text>");
}

static void put_table(sheaf_builder *b, const sheaf_chart *chart)
{
	sheaf_builder_text(b, "<details><summary>Numbers</summary><table><thead><tr><th scope=\"col\">");
	sheaf_html_text(b, chart->what, strlen(chart->what));
	sheaf_builder_text(b, "</th><th scope=\"col\">count</th></tr></thead><tbody>");
	for (int i = 0; i < chart->n; i++) {
		if (chart->bars[i].amount == 0) continue;
		sheaf_builder_text(b, "<tr><th scope=\"row\">");
		sheaf_html_text(b, chart->bars[i].label, strlen(chart->bars[i].label));
		sheaf_builder_text(b, "</th><td>");
		sheaf_html_count(b, (int64_t)chart->bars[i].amount);
		sheaf_builder_text(b, "</td></tr>");
	}
	sheaf_builder_text(b, "</tbody></table></details>");
}

void sheaf_html_chart(sheaf_builder *b, const sheaf_chart *chart)
{
	if (chart->n < 2) {
		sheaf_builder_text(b, "<p class=\"note\">");
		sheaf_html_text(b, chart->words, strlen(chart->words));
		sheaf_builder_text(b, "</p>");
		return;
	}
	sheaf_builder_printf(b,
	                     "<figure><svg role=\"img\" viewBox=\"0 0 %d %d\" aria-labelledby=\"t%d d%d\"><title "
	                     "id=\"t%d\">",
	                     WIDTH, HEIGHT + 20, chart->number, chart->number, chart->number);
	sheaf_html_text(b, chart->title, strlen(chart->title));
	sheaf_builder_printf(b, "</title><desc id=\"d%d\">", chart->number);
	sheaf_html_text(b, chart->words, strlen(chart->words));
	sheaf_builder_text(b, "</desc>");
	put_bars(b, chart);
	put_ends(b, chart);
	sheaf_builder_text(b, "</svg><figcaption>");
	sheaf_html_text(b, chart->words, strlen(chart->words));
	sheaf_builder_text(b, "</figcaption>");
	put_table(b, chart);
	sheaf_builder_text(b, "</figure>");
}
