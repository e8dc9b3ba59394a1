/* SPDX-License-Identifier: MIT */
/* A page being written: what its sections share. A section writes markup with sheaf_html (html.h) and the
 * pieces below. Tables end where they are written. */
#ifndef SHEAF_REPORT_PAGE_PAGE_H
#define SHEAF_REPORT_PAGE_PAGE_H

#include "report/page/html.h"
#include "report/page/picture.h"

typedef struct sheaf_page {
	sheaf_builder b;
	const sheaf_summary *s, *other; /* other NULL: there is none */
	const sheaf_page_options *options;
	int figures, warnings;
	int side; /* the maximum number of pixels on a side of a picture */
	sheaf_error *err;
	sheaf_status status; /* of failures other than memory */
} sheaf_page;

/* The only style sheet and the only script. Their hashes are in the page's policy, so that no others can be
 * used. */
extern const char sheaf_page_style[], sheaf_page_style_hash[], sheaf_page_script[], sheaf_page_script_hash[];

/* ---- pieces of sections ---- */

/* Begins a table of numbers with a head for each column; names are separated by '|'. */
void sheaf_page_columns(sheaf_page *p, const char *names);
/* A row of a table of facts. */
void sheaf_page_count(sheaf_page *p, const char *name, int64_t n);
/* Nothing where it is NaN. */
void sheaf_page_real(sheaf_page *p, const char *name, double v);
void sheaf_page_share(sheaf_page *p, const char *name, double share);
void sheaf_page_words(sheaf_page *p, const char *name, const char *text);
void sheaf_page_facts(sheaf_page *p, const sheaf_fact *facts, int n);
/* Numbers the chart, writes it, and also offers it as a file. */
void sheaf_page_chart(sheaf_page *p, sheaf_chart *chart);
/* A chart of amounts that are sorted, the largest first, and how even they are. */
void sheaf_page_evenness(sheaf_page *p, sheaf_chart *chart);
/* The meaning of a pixel, in one direction: "row/rows", and how many. */
typedef struct sheaf_image_side {
	const char *names;
	int64_t step;
} sheaf_image_side;

/* A picture, a PNG in base64, as a figure and as a file. */
typedef struct sheaf_image {
	const char *title, *words;
	int width, height; /* pixels */
	int cells;         /* how many of them a pixel of the PNG covers in each direction */
	sheaf_image_side across, down;
	int64_t units; /* pixels are units, line by line; 0: they are not */
	const char *png;
	size_t size;
} sheaf_image;
void sheaf_page_image(sheaf_page *p, const sheaf_image *image);
void sheaf_page_picture(sheaf_page *p, const sheaf_raster *r, sheaf_picture_of of, const char *words);

/* ---- sections ---- */

void sheaf_page_contents(sheaf_page *p);
/* What stands out, in words. */
void sheaf_page_warnings(sheaf_page *p);
/* One line for each field. */
void sheaf_page_overview(sheaf_page *p);
/* Whether a field holds nothing but zeros, or nothing: then it has no section. */
bool sheaf_page_is_blank(const sheaf_summary *s, int number);
void sheaf_page_field(sheaf_page *p, int number);
/* "dense, dim 3, float32" */
void sheaf_page_describe(const sheaf_field *field, char *text, size_t size);
/* The mean of each unit of a dense stream. */
void sheaf_page_units(sheaf_page *p, const sheaf_field_summary *f);
/* How often each unit is the label of its sample, if each sample has one. */
void sheaf_page_labels(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *f);
/* Rows with the same inputs and other targets. */
void sheaf_page_contradictions(sheaf_page *p);
/* Where entries are. */
void sheaf_page_density(sheaf_page *p, const sheaf_raster *r);
/* For a tensor as a whole, a matrix with its picture; nothing for other rows. */
void sheaf_page_tensor(sheaf_page *p);
/* How the other summary differs; nothing if there is none. */
void sheaf_page_drift(sheaf_page *p);

#endif
