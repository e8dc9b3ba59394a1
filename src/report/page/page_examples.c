/* SPDX-License-Identifier: MIT */
/* Examples of a network on the page: units, event by event, labels, and examples that contradict each
 * other. */
#include "base/memory.h"
#include "frame/frame.h"
#include "report/names.h"
#include "report/page/page.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 300, MOST_LISTED = 64, MOST_LABELS = 50 };

/* ---- grids ---- */

typedef struct grid {
	const char *title;
	int width, height;
	sheaf_image_side across, down;
	int64_t units; /* as in a picture */
	double *numbers;
} grid;

static void put_grid(sheaf_page *p, const grid *g, const char *words)
{
	sheaf_builder svg;
	if (p->status) return;
	p->figures++;
	sheaf_builder_begin(&svg, p->b.cx, NULL);
	p->status = sheaf_grid_put(&svg, g->width, g->height, g->numbers, p->err);
	if (p->status == SHEAF_OK) p->status = sheaf_builder_status(&svg, p->err);
	if (p->status == SHEAF_OK)
		sheaf_page_image(p, &(sheaf_image){.title = g->title,
		                                   .words = words,
		                                   .width = g->width,
		                                   .height = g->height,
		                                   .cells = 1,
		                                   .across = g->across,
		                                   .down = g->down,
		                                   .units = g->units,
		                                   .png = (const char *)svg.data,
		                                   .size = svg.size});
	sheaf_builder_drop(&svg);
}

static sheaf_status begin_grid(grid *g, sheaf_context *cx, sheaf_error *err)
{
	size_t n = (size_t)g->width * (size_t)g->height;
	SHEAF_TRY(sheaf_allocate_array(cx, n, sizeof *g->numbers, &g->numbers, err));
	for (size_t i = 0; i < n; i++) g->numbers[i] = NAN;
	return SHEAF_OK;
}

static void end_grid(grid *g, sheaf_context *cx)
{
	if (g->numbers) sheaf_release(cx, g->numbers, (size_t)g->width * (size_t)g->height * sizeof *g->numbers);
}

/* ---- units ---- */

static double mean_of(const sheaf_pattern *p, int64_t unit)
{
	int64_t n;
	double sum = sheaf_pattern_total(p, unit, &n);
	return n ? sum / (double)n : NAN;
}

static void find_range(const grid *g, double *least, double *most)
{
	*least = *most = NAN;
	for (int i = 0; i < g->width * g->height; i++) {
		*least = fmin(*least, g->numbers[i]);
		*most = fmax(*most, g->numbers[i]);
	}
}

/* As close to a square as possible: what was a picture becomes visible again. */
static void put_units(sheaf_page *p, const sheaf_pattern *pattern)
{
	char words[WORDS];
	double least, most;
	int side = (int)ceil(sqrt((double)pattern->units));
	grid g = {.title = "Units",
	          .width = side,
	          .height = (int)((pattern->units + side - 1) / side),
	          .across = {"unit/units", 1},
	          .down = {"line/lines", side},
	          .units = pattern->units};
	if (p->status || (p->status = begin_grid(&g, p->b.cx, p->err))) return;
	for (int64_t u = 0; u < pattern->units; u++) g.numbers[u] = mean_of(pattern, u);
	find_range(&g, &least, &most);
	snprintf(words, sizeof words,
	         "The mean of each of %" PRId64
	         " units, row by row, %d in each: from %.4g (light) to %.4g (dark).",
	         pattern->units, side, least, most);
	put_grid(p, &g, words);
	end_grid(&g, p->b.cx);
}

/* The last line of the picture has all later events, too, if there are more than a pattern tells apart. */
static void put_events(sheaf_page *p, const sheaf_pattern *pattern, const sheaf_field_summary *f)
{
	char words[WORDS];
	double least, most;
	int events = f->lengths.most < pattern->events ? (int)f->lengths.most : pattern->events;
	grid g = {.title = "Units by event",
	          .width = (int)pattern->units,
	          .height = events,
	          .across = {"unit/units", 1},
	          .down = {"event/events", 1}};
	if (events < 2 || pattern->units > SHEAF_RASTER_SIDE) return;
	if (p->status || (p->status = begin_grid(&g, p->b.cx, p->err))) return;
	for (int e = 0; e < events; e++)
		for (int u = 0; u < g.width; u++) g.numbers[e * g.width + u] = sheaf_pattern_mean(pattern, e, u);
	find_range(&g, &least, &most);
	snprintf(words, sizeof words,
	         "The same event by event, from the first downwards, units to the right%s: from %.4g to %.4g.",
	         f->lengths.most > events ? "; the last line has all later events, too" : "", least, most);
	put_grid(p, &g, words);
	end_grid(&g, p->b.cx);
}

static void put_table(sheaf_page *p, const sheaf_pattern *pattern)
{
	static const char *const names[] = {"unit", "mean"};
	int64_t n = pattern->units < MOST_LISTED ? pattern->units : MOST_LISTED;
	sheaf_builder_text(&p->b, "<details class=\"units\"><summary>Numbers</summary>");
	sheaf_page_columns(p, names, 2);
	for (int64_t u = 0; u < n; u++) {
		sheaf_builder_printf(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th><td>", u);
		double mean = mean_of(pattern, u);
		if (!isnan(mean)) sheaf_html_real(&p->b, mean);
		sheaf_page_row_end(p);
	}
	sheaf_page_columns_end(p);
	if (n < pattern->units) sheaf_page_note(p, "And so on.");
	sheaf_builder_text(&p->b, "</details>");
}

void sheaf_page_units(sheaf_page *p, const sheaf_field_summary *f)
{
	if (!f->pattern.cells || f->values.n == 0) return;
	sheaf_page_heading(p, 3, "Units");
	put_units(p, &f->pattern);
	put_events(p, &f->pattern, f);
	put_table(p, &f->pattern);
}

/* ---- labels ---- */

static int by_count(const void *a, const void *b)
{
	const sheaf_use *x = (const sheaf_use *)a, *y = (const sheaf_use *)b;
	if (x->count != y->count) return x->count > y->count ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* How often each unit is the label of its sample; 0 if samples do not have one label each. */
static int count_labels(const sheaf_field *field, const sheaf_field_summary *f, sheaf_use *labels)
{
	int64_t dim = sheaf_field_dim(field), n;
	const sheaf_value_counts *v = &f->values;
	if (dim < 2 || dim > MOST_LABELS) return 0;
	bool sparse = f->uses && f->entries.n && f->entries.least == 1 && f->entries.most == 1,
		 dense = f->pattern.cells && v->n && v->least == 0 && v->most == 1 &&
	             sheaf_values_finite(v) == v->n && (v->n - v->zeros) * dim == v->n &&
	             sheaf_exact_value(&v->sum) == (double)(v->n - v->zeros);
	if (!sparse && !dense) return 0;
	for (int64_t i = 0; i < dim; i++)
		labels[i] =
			(sheaf_use){i, sparse ? f->uses[i] : (int64_t)llround(sheaf_pattern_total(&f->pattern, i, &n))};
	qsort(labels, (size_t)dim, sizeof *labels, by_count);
	return (int)dim;
}

void sheaf_page_labels(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *f)
{
	sheaf_use labels[MOST_LABELS];
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	int n = count_labels(field, f, labels);
	if (n == 0) return;
	for (int i = 0; i < n; i++) {
		const char *name = "";
		size_t size = 0;
		if (!sheaf_index_name(f, labels[i].index, &name, &size)) size = 0;
		bars[i] = (sheaf_bar){.from = NAN, .to = NAN, .amount = (double)labels[i].count};
		snprintf(bars[i].label, sizeof bars[i].label, "%" PRId64 "%s%.*s", labels[i].index, size ? " " : "",
		         (int)size, name);
	}
	sheaf_page_heading(p, 3, "Labels");
	snprintf(words, sizeof words, "Each sample names one of %d units; the most frequent first.", n);
	sheaf_page_chart(p,
	                 &(sheaf_chart){.title = "Labels", .words = words, .what = "unit", .bars = bars, .n = n});
	sheaf_page_balance(p, bars, n);
}

/* ---- contradictions ---- */

static void put_streams(sheaf_page *p, sheaf_side side)
{
	bool first = true;
	for (int f = 0; f < p->s->schema.nfields; f++) {
		if (p->s->fields[f].side != side) continue;
		if (!first) sheaf_builder_text(&p->b, ", ");
		sheaf_html_name(&p->b, p->s->schema.fields[f].name);
		first = false;
	}
}

void sheaf_page_contradictions(sheaf_page *p)
{
	enum { MOST_SHOWN = 10 };
	static const char *const names[] = {"first", "another", "with these inputs"};
	const sheaf_same_inputs *first[MOST_SHOWN];
	const sheaf_contradictions *c = &p->s->contradictions;
	char words[WORDS];
	if (!c->slots) return;
	sheaf_contradicted found = sheaf_contradictions_count(c);
	sheaf_builder_text(&p->b, "<section>");
	sheaf_page_heading(p, 2, "Contradictions");
	sheaf_builder_text(&p->b, "<p class=\"note\">Inputs: ");
	put_streams(p, SHEAF_SIDE_INPUT);
	sheaf_builder_text(&p->b, ". Targets: ");
	put_streams(p, SHEAF_SIDE_TARGET);
	sheaf_builder_text(&p->b, ".</p>");
	snprintf(words, sizeof words,
	         "%s%" PRId64 " different inputs; with several targets: %" PRId64 ", in %" PRId64
	         " examples, which cannot all be learned.",
	         found.exact ? "" : "Estimated from a sample by hash: ", found.different, found.inputs,
	         found.rows);
	sheaf_page_note(p, words);
	int n = sheaf_contradictions_first(c, first, MOST_SHOWN);
	if (n) sheaf_page_columns(p, names, 3);
	for (int i = 0; i < n; i++) {
		sheaf_builder_printf(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th><td>%" PRId64 "</td><td>",
		                     first[i]->first, first[i]->other);
		sheaf_html_count(&p->b, first[i]->count);
		sheaf_page_row_end(p);
	}
	if (n) sheaf_page_columns_end(p);
	sheaf_builder_text(&p->b, "</section>");
}
