/* SPDX-License-Identifier: MIT */
/* Parts of a page: text that is safe in HTML, and charts. */
#ifndef SHEAF_REPORT_PAGE_HTML_H
#define SHEAF_REPORT_PAGE_HTML_H

#include "report/bars.h"

/* Text for display, whatever it contains: no markup, no control characters, valid UTF-8. */
void sheaf_html_text(sheaf_builder *b, const char *text, size_t n);
/* The same for a C string. */
void sheaf_html_words(sheaf_builder *b, const char *text);
/* A name, isolated from the direction of the text around it. */
void sheaf_html_name(sheaf_builder *b, const char *name);
/* A count with thin spaces between groups of three digits. */
void sheaf_html_count(sheaf_builder *b, int64_t n);
/* A number in a few digits. */
void sheaf_html_real(sheaf_builder *b, double v);
/* A share as a percentage. */
void sheaf_html_share(sheaf_builder *b, double share);

/* A line across a chart, and its label: "p95". */
typedef struct sheaf_chart_mark {
	const char *label;
	double at;
} sheaf_chart_mark;

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
	bool logarithmic;
	bool open;     /* the numbers are visible at once */
	bool per_cent; /* amounts are shares from 0 to 1 */
	const char *other;
	const sheaf_chart_mark *marks;
	int nmarks;
} sheaf_chart;
void sheaf_html_chart(sheaf_builder *b, const sheaf_chart *chart);
/* Only the chart, as a file. */
void sheaf_svg_chart(sheaf_builder *b, const sheaf_chart *chart);

#endif
