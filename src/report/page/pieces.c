/* SPDX-License-Identifier: MIT */
/* Parts of a page's sections. */
#include "report/page/page.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void sheaf_page_heading(sheaf_page *p, int level, const char *text)
{
	sheaf_builder_printf(&p->b, "<h%d>", level);
	sheaf_html_words(&p->b, text);
	sheaf_builder_printf(&p->b, "</h%d>", level);
}

void sheaf_page_note(sheaf_page *p, const char *text)
{
	sheaf_builder_text(&p->b, "<p class=\"note\">");
	sheaf_html_words(&p->b, text);
	sheaf_builder_text(&p->b, "</p>");
}

void sheaf_page_table(sheaf_page *p) { sheaf_builder_text(&p->b, "<table>"); }

void sheaf_page_table_end(sheaf_page *p) { sheaf_builder_text(&p->b, "</table>"); }

void sheaf_page_columns(sheaf_page *p, const char *const *names, int n)
{
	sheaf_builder_text(&p->b, "<table class=\"numbers\"><thead><tr>");
	for (int i = 0; i < n; i++) {
		sheaf_builder_text(&p->b, "<th scope=\"col\">");
		sheaf_html_words(&p->b, names[i]);
		sheaf_builder_text(&p->b, "</th>");
	}
	sheaf_builder_text(&p->b, "</tr></thead><tbody>");
}

void sheaf_page_columns_end(sheaf_page *p) { sheaf_builder_text(&p->b, "</tbody></table>"); }

void sheaf_page_row(sheaf_page *p, const char *name)
{
	sheaf_builder_text(&p->b, "<tr><th scope=\"row\">");
	sheaf_html_words(&p->b, name);
	sheaf_builder_text(&p->b, "</th><td>");
}

void sheaf_page_row_end(sheaf_page *p) { sheaf_builder_text(&p->b, "</td></tr>"); }

void sheaf_page_count(sheaf_page *p, const char *name, int64_t n)
{
	sheaf_page_row(p, name);
	sheaf_html_count(&p->b, n);
	sheaf_page_row_end(p);
}

void sheaf_page_real(sheaf_page *p, const char *name, double v)
{
	if (isnan(v)) return;
	sheaf_page_row(p, name);
	sheaf_html_real(&p->b, v);
	sheaf_page_row_end(p);
}

void sheaf_page_words(sheaf_page *p, const char *name, const char *text)
{
	sheaf_page_row(p, name);
	sheaf_html_name(&p->b, text);
	sheaf_page_row_end(p);
}

void sheaf_page_facts(sheaf_page *p, const sheaf_fact *facts, int n)
{
	sheaf_page_table(p);
	for (int i = 0; i < n; i++) sheaf_page_words(p, facts[i].name, facts[i].text);
	sheaf_page_table_end(p);
}

void sheaf_page_balance(sheaf_page *p, const sheaf_bar *bars, int n)
{
	double all = 0, bits = 0;
	for (int i = 0; i < n; i++) all += bars[i].amount;
	for (int i = 0; i < n; i++)
		if (bars[i].amount > 0) bits -= bars[i].amount / all * log2(bars[i].amount / all);
	sheaf_page_table(p);
	sheaf_page_row(p, "most frequent");
	sheaf_html_share(&p->b, bars[0].amount / all);
	sheaf_page_row_end(p);
	if (bars[n - 1].amount > 0)
		sheaf_page_real(p, "most frequent to least frequent", bars[0].amount / bars[n - 1].amount);
	sheaf_page_real(p, "evenness (entropy, 1 is even)", bits / log2(n));
	sheaf_page_table_end(p);
}

/* ---- figures ---- */

/* "03-lengths.svg": only plain letters, whatever the titles. */
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

static void hand_out_image(sheaf_page *p, const sheaf_image *image)
{
	sheaf_builder svg;
	sheaf_builder_begin(&svg, p->b.cx, NULL);
	sheaf_builder_printf(
		&svg,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"><title>",
		image->width, image->height, image->width, image->height);
	sheaf_html_words(&svg, image->words);
	sheaf_builder_printf(&svg,
	                     "</title><image width=\"%d\" height=\"%d\" image-rendering=\"pixelated\" "
	                     "href=\"data:image/png;base64,",
	                     image->width, image->height);
	sheaf_builder_append(&svg, image->png, image->size);
	sheaf_builder_text(&svg, "\"/></svg>\n");
	hand_out(p, image->title, &svg);
	sheaf_builder_drop(&svg);
}

/* Data for the script: pixels of the PNG, and the meaning of each. */
static void put_sides(sheaf_builder *b, const sheaf_image *image)
{
	int cells = image->cells;
	sheaf_builder_printf(b, " data-width=\"%d\" data-height=\"%d\" data-across=\"%s\" data-down=\"%s\"",
	                     (image->width + cells - 1) / cells, (image->height + cells - 1) / cells,
	                     image->across.names, image->down.names);
	if (image->units)
		sheaf_builder_printf(b, " data-units=\"%" PRId64 "\"", image->units);
	else
		sheaf_builder_printf(b, " data-columns=\"%" PRId64 "\" data-rows=\"%" PRId64 "\"",
		                     image->across.step * cells, image->down.step * cells);
}

/* Small pictures are shown larger, each pixel as a square; where that would be a thread, as a bar. */
static void put_figure(sheaf_page *p, const sheaf_image *image)
{
	enum { SHOWN = 256, LEAST = 64 };
	int side = image->width > image->height ? image->width : image->height,
		times = side < SHOWN ? SHOWN / side : 1, width = times * image->width, height = times * image->height;
	bool narrow = width < LEAST || height < LEAST / 4;
	if (width < LEAST) width = LEAST / image->width * image->width;
	if (height < LEAST / 4) height = LEAST / 4;
	sheaf_builder_printf(&p->b, "<figure><img%s width=\"%d\" height=\"%d\"", narrow ? " class=\"strip\"" : "",
	                     width, height);
	put_sides(&p->b, image);
	sheaf_builder_text(&p->b, " alt=\"");
	sheaf_html_words(&p->b, image->words);
	sheaf_builder_text(&p->b, "\" src=\"data:image/png;base64,");
	sheaf_builder_append(&p->b, image->png, image->size);
	sheaf_builder_text(&p->b, "\"><figcaption>");
	sheaf_html_words(&p->b, image->words);
	sheaf_builder_text(&p->b, "</figcaption></figure>");
}

void sheaf_page_image(sheaf_page *p, const sheaf_image *image)
{
	put_figure(p, image);
	if (p->options->take && p->status == SHEAF_OK) hand_out_image(p, image);
}

/* In the page as small as needed, and in a file of its own as large as possible. */
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
