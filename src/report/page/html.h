/* SPDX-License-Identifier: MIT */
/* Parts of a page: text that is safe in HTML, and charts. */
#ifndef SHEAF_REPORT_PAGE_HTML_H
#define SHEAF_REPORT_PAGE_HTML_H

#include "report/bars.h"

/* Text for display, whatever it contains: no markup, no control characters, valid UTF-8. */
void sheaf_html_text(sheaf_builder *b, const char *text, size_t n);
/* Markup with values in it, as printf formats them, so that compilers check their types; but each text (%s,
 * or
 * %.*s) passes through sheaf_html_text, and the flag ' ' of a 64-bit integer ("% " PRId64) puts thin spaces
 * between groups of three digits. There are no others than these conversions, %d, and %f and %g with a
 * precision. Names of a file stand in <bdi>, isolated from the direction of the text around them. */
void sheaf_html(sheaf_builder *b, const char *format, ...) SHEAF_PRINTF(2, 3);
/* The format of a percentage. */
#define SHEAF_HTML_SHARE "%.1f\xe2\x80\xaf%%"
/* A row of a table: its head, and its first cell. */
#define SHEAF_HTML_ROW "<tr><th scope=\"row\">%s</th><td>"

/* A figure with a bar chart, its summary in words and its numbers as a table that can be opened; a single bar
 * is shown only in words. `number` is different for each figure of a page. With `logarithmic` a bar's height
 * is the logarithm of its amount; with `per_cent` it is the share itself, and so is the outline's. If `other`
 * is the name of another file, heights are shares, and the other file's are an outline. */
typedef struct sheaf_chart {
	int number;
	const char *title, *words, *what; /* what the bars represent: "length" */
	const char *amounts;              /* what their heights mean; NULL: counts */
	const sheaf_bar *bars;
	int n;
	const sheaf_field *field; /* whose values the bars have; NULL: numbers */
	bool logarithmic;
	bool open;     /* the numbers are visible at once */
	bool per_cent; /* amounts are shares from 0 to 1 */
	const char *other;
	const sheaf_quantiles *marks; /* lines across the chart, with labels: "p95"; NULL: none */
} sheaf_chart;
void sheaf_html_chart(sheaf_builder *b, const sheaf_chart *chart);
/* Only the chart, as a file. */
void sheaf_svg_chart(sheaf_builder *b, const sheaf_chart *chart);

#endif
