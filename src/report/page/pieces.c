/* SPDX-License-Identifier: MIT */
/* Pieces that sections share: rows of tables, charts and pictures. A chart or picture is a figure in the
 * page, and a file where the caller wants files (sheaf_page_options.take), numbered in their order. */
#include "report/page/page.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void sheaf_page_columns(sheaf_page *p, const char *names)
{
	sheaf_html(&p->b, "<table class=\"numbers\"><thead><tr>");
	for (size_t n; *names; names += n + (names[n] == '|')) {
		n = strcspn(names, "|");
		sheaf_html(&p->b, "<th scope=\"col\">%.*s</th>", (int)n, names);
	}
	sheaf_html(&p->b, "</tr></thead><tbody>");
}

void sheaf_page_count(sheaf_page *p, const char *name, int64_t n)
{
	sheaf_html(&p->b, SHEAF_HTML_ROW "% " PRId64 "</td></tr>", name, n);
}

void sheaf_page_real(sheaf_page *p, const char *name, double v)
{
	if (!isnan(v)) sheaf_html(&p->b, SHEAF_HTML_ROW "%.6g</td></tr>", name, v);
}

void sheaf_page_share(sheaf_page *p, const char *name, double share)
{
	sheaf_html(&p->b, SHEAF_HTML_ROW SHEAF_HTML_SHARE "</td></tr>", name, 100 * share);
}

void sheaf_page_words(sheaf_page *p, const char *name, const char *text)
{
	sheaf_html(&p->b, SHEAF_HTML_ROW "<bdi>%s</bdi></td></tr>", name, text);
}

void sheaf_page_facts(sheaf_page *p, const sheaf_fact *facts, int n)
{
	sheaf_html(&p->b, "<table>");
	for (int i = 0; i < n; i++) sheaf_page_words(p, facts[i].name, facts[i].text);
	sheaf_html(&p->b, "</table>");
}

/* ---- figures ---- */

/* Hands a chart or picture to the caller as a file, whose name is made of its number and title:
 * "03-lengths.svg", with only plain letters, whatever the title. */
static void hand_out(sheaf_page *p, const char *title, sheaf_builder *svg)
{
	enum { ROOM = 40 };
	char name[ROOM];
	size_t used = (size_t)snprintf(name, sizeof name, "%02d-", p->figures);
	sheaf_buffer bytes = {0};
	for (; *title && used + sizeof ".svg" < sizeof name; title++) {
		char letter = *title;
		if (letter >= 'A' && letter <= 'Z') letter = (char)(letter - 'A' + 'a');
		if (letter < 'a' || letter > 'z') letter = '-';
		name[used++] = letter;
	}
	snprintf(name + used, sizeof name - used, ".svg");
	p->status = sheaf_builder_finish(svg, &bytes, p->err);
	if (p->status == SHEAF_OK) p->status = p->options->take(p->options->user, name, &bytes, p->err);
	sheaf_buffer_reset(&bytes);
}

void sheaf_page_chart(sheaf_page *p, sheaf_chart *chart)
{
	sheaf_builder svg;
	chart->number = ++p->figures;
	sheaf_html_chart(&p->b, chart);
	if (!p->options->take || p->status || chart->n < 2) return;
	sheaf_builder_begin(&svg, p->b.cx, NULL);
	sheaf_svg_chart(&svg, chart);
	hand_out(p, chart->title, &svg);
	sheaf_builder_drop(&svg);
}

/* Evenness is the entropy of the shares, divided by that of as many equal ones: 1 if all are equal, and near
 * 0 if one has nearly all. Bars are ordered, the largest first. */
void sheaf_page_evenness(sheaf_page *p, sheaf_chart *chart)
{
	double all = 0, bits = 0, first = chart->bars[0].amount, last = chart->bars[chart->n - 1].amount;
	sheaf_page_chart(p, chart);
	for (int i = 0; i < chart->n; i++) all += chart->bars[i].amount;
	for (int i = 0; i < chart->n; i++) {
		double amount = chart->bars[i].amount;
		if (amount > 0) bits -= amount / all * log2(amount / all);
	}
	sheaf_html(&p->b, "<table>");
	sheaf_page_share(p, "most frequent", first / all);
	if (last > 0) sheaf_page_real(p, "most frequent to least frequent", first / last);
	sheaf_page_real(p, "evenness (entropy, 1 is even)", bits / log2(chart->n));
	sheaf_html(&p->b, "</table>");
}

/* A file has the picture in its own size. */
static void hand_out_image(sheaf_page *p, const sheaf_image *image)
{
	sheaf_builder svg;
	int width = image->width, height = image->height;
	sheaf_builder_begin(&svg, p->b.cx, NULL);
	sheaf_html(&svg,
	           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
	           "role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"><title>%s</title><image "
	           "width=\"%d\" height=\"%d\" image-rendering=\"pixelated\" href=\"data:image/png;base64,",
	           width, height, width, height, image->words, width, height);
	sheaf_builder_append(&svg, image->png, image->size);
	sheaf_html(&svg, "\"/></svg>\n");
	hand_out(p, image->title, &svg);
	sheaf_builder_drop(&svg);
}

/* Puts a picture on the page. Small ones are shown larger, each pixel as a square; where that would be a
 * thread, as a bar (narrow). The script reads how many pixels the PNG has, and what a pixel stands for. */
static void put_figure(sheaf_page *p, const sheaf_image *image)
{
	enum { SHOWN = 256, LEAST = 64 };
	int side = image->width > image->height ? image->width : image->height, cells = image->cells,
		times = side < SHOWN ? SHOWN / side : 1, width = times * image->width, height = times * image->height;
	bool narrow = width < LEAST || height < LEAST / 4;
	if (width < LEAST) width = LEAST / image->width * image->width;
	if (height < LEAST / 4) height = LEAST / 4;
	sheaf_html(&p->b, narrow ? "<figure><img class=\"strip\"" : "<figure><img");
	sheaf_html(&p->b,
	           " width=\"%d\" height=\"%d\" data-width=\"%d\" data-height=\"%d\" data-across=\"%s\" "
	           "data-down=\"%s\"",
	           width, height, (image->width + cells - 1) / cells, (image->height + cells - 1) / cells,
	           image->across.names, image->down.names);
	if (image->units)
		sheaf_html(&p->b, " data-units=\"%" PRId64 "\"", image->units);
	else
		sheaf_html(&p->b, " data-columns=\"%" PRId64 "\" data-rows=\"%" PRId64 "\"",
		           image->across.step * cells, image->down.step * cells);
	sheaf_html(&p->b, " alt=\"%s\" src=\"data:image/png;base64,", image->words);
	sheaf_builder_append(&p->b, image->png, image->size);
	sheaf_html(&p->b, "\"><figcaption>%s</figcaption></figure>", image->words);
}

void sheaf_page_image(sheaf_page *p, const sheaf_image *image)
{
	put_figure(p, image);
	if (p->options->take && p->status == SHEAF_OK) hand_out_image(p, image);
}

/* Puts a picture of a raster: in the page as small as the other pictures need it, and, if the caller wants
 * files, in a file of its own as large as possible. */
void sheaf_page_picture(sheaf_page *p, const sheaf_raster *r, sheaf_picture_of of, const char *words)
{
	bool matrix = p->s->schema.rows == SHEAF_ENTRIES;
	sheaf_image image = {.title = of == SHEAF_PICTURE_COUNTS ? "density" : "magnitudes",
	                     .words = words,
	                     .width = sheaf_raster_width(r),
	                     .height = sheaf_raster_height(r),
	                     .across = {matrix ? "column/columns" : "index/indices", r->columns_to_a_cell},
	                     .down = {matrix ? "row/rows" : "sequence/sequences", r->rows_to_a_cell}};
	const int sides[] = {of == SHEAF_PICTURE_COUNTS ? p->side : p->side / 2, SHEAF_RASTER_SIDE};
	p->figures++;
	for (int i = 0; i < (p->options->take ? 2 : 1) && p->status == SHEAF_OK; i++) {
		sheaf_builder png;
		sheaf_builder_begin(&png, p->b.cx, NULL);
		image.cells = sheaf_picture_cells(r, sides[i]);
		p->status = sheaf_picture_put(&png, r, of, sides[i], p->err);
		if (p->status == SHEAF_OK) p->status = sheaf_builder_status(&png, p->err);
		image.png = (const char *)png.data;
		image.size = png.size;
		if (p->status == SHEAF_OK) (i ? hand_out_image : put_figure)(p, &image);
		sheaf_builder_drop(&png);
	}
}
