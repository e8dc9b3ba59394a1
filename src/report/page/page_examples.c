/* SPDX-License-Identifier: MIT */
/* Examples of a network on the page: what its units see, as a grid and event by event; how often each label
 * occurs; and examples that contradict each other. */
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

/* ---- units ---- */

static double mean_of(const sheaf_pattern *p, int64_t unit)
{
	int64_t n;
	double sum = sheaf_pattern_total(p, unit, &n);
	return n ? sum / (double)n : NAN;
}

/* Puts a picture with a pixel for each mean: the units line by line (image.units of them, of all events), or,
 * if that is 0, in a line of their own for each event. What the picture shows is appended to its words: from
 * which mean to which it reaches. */
static void put_means(sheaf_page *p, const sheaf_pattern *pattern, sheaf_image image, char words[WORDS])
{
	sheaf_context *cx = p->b.cx;
	sheaf_builder png;
	double *means, least = NAN, most = NAN;
	int n = image.width * image.height;
	size_t used = strlen(words);
	if (p->status || (p->status = sheaf_allocate_array(cx, (size_t)n, sizeof *means, &means, p->err))) return;
	for (int i = 0; i < n; i++) {
		means[i] = !image.units      ? sheaf_pattern_mean(pattern, i / image.width, i % image.width)
		           : i < image.units ? mean_of(pattern, i)
		                             : NAN;
		least = fmin(least, means[i]);
		most = fmax(most, means[i]);
	}
	snprintf(words + used, WORDS - used,
	         least == most ? ": all of them are equal, %.4g."
	         : image.units ? ": from %.4g (light) to %.4g (dark)."
	                       : ": from %.4g to %.4g.",
	         least, most);
	p->figures++;
	sheaf_builder_begin(&png, cx, NULL);
	p->status = sheaf_grid_put(&png, image.width, image.height, means, p->err);
	if (!p->status) p->status = sheaf_builder_status(&png, p->err);
	image.words = words;
	image.cells = 1;
	image.png = (const char *)png.data;
	image.size = png.size;
	if (!p->status) sheaf_page_image(p, &image);
	sheaf_builder_drop(&png);
	sheaf_release(cx, means, (size_t)n * sizeof *means);
}

/* Puts the means of units: all units as close to a square as possible, so that what was a picture becomes
 * visible again; then event by event, where the last line has all later events, too, if there are more than a
 * pattern tells apart; then the numbers of the first units. */
void sheaf_page_units(sheaf_page *p, const sheaf_field_summary *f)
{
	const sheaf_pattern *pattern = &f->pattern;
	char words[WORDS];
	int64_t units = pattern->units, listed = units < MOST_LISTED ? units : MOST_LISTED;
	if (!pattern->cells || f->values.n == 0) return;
	int side = (int)ceil(sqrt((double)units)),
		events = f->lengths.most < pattern->events ? (int)f->lengths.most : pattern->events;
	sheaf_image image = {.title = "Units",
	                     .width = side,
	                     .height = (int)((units + side - 1) / side),
	                     .across = {"unit/units", 1},
	                     .down = {"line/lines", side},
	                     .units = units};
	sheaf_html(&p->b, "<h3>Units</h3>");
	snprintf(words, sizeof words, "The mean of each of %" PRId64 " units, row by row, %d in each", units,
	         side);
	put_means(p, pattern, image, words);
	image = (sheaf_image){.title = "Units by event",
	                      .width = (int)units,
	                      .height = events,
	                      .across = {"unit/units", 1},
	                      .down = {"event/events", 1}};
	snprintf(words, sizeof words, "The same event by event, from the first downwards, units to the right%s",
	         f->lengths.most > events ? "; the last line has all later events, too" : "");
	if (events >= 2 && units <= SHEAF_RASTER_SIDE) put_means(p, pattern, image, words);
	sheaf_html(&p->b, "<details class=\"units\"><summary>Numbers</summary>");
	sheaf_page_columns(p, "unit|mean");
	for (int64_t u = 0; u < listed; u++) {
		double mean = mean_of(pattern, u);
		sheaf_html(&p->b, "<tr><th scope=\"row\">%" PRId64 "</th><td>", u);
		if (!isnan(mean)) sheaf_html(&p->b, "%.6g", mean);
		sheaf_html(&p->b, "</td></tr>");
	}
	sheaf_html(&p->b, "</tbody></table>");
	if (listed < units) sheaf_html(&p->b, "<p class=\"note\">And so on.</p>");
	sheaf_html(&p->b, "</details>");
}

/* ---- labels ---- */

static int by_count(const void *a, const void *b)
{
	const sheaf_use *x = (const sheaf_use *)a, *y = (const sheaf_use *)b;
	if (x->count != y->count) return x->count > y->count ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Puts how often each unit is the label of its sample. */
void sheaf_page_labels(sheaf_page *p, const sheaf_field *field, const sheaf_field_summary *f)
{
	sheaf_use labels[MOST_LABELS];
	sheaf_bar bars[MOST_LABELS];
	char words[WORDS];
	int64_t dim = sheaf_field_dim(field), unused;
	bool sparse = sheaf_field_is_sparse(field);
	if (dim > MOST_LABELS || !sheaf_names_units(field, f)) return;
	for (int64_t i = 0; i < dim; i++)
		labels[i] = (sheaf_use){i, sparse ? f->uses[i]
		                                  : (int64_t)llround(sheaf_pattern_total(&f->pattern, i, &unused))};
	qsort(labels, (size_t)dim, sizeof *labels, by_count);
	for (int64_t i = 0; i < dim; i++) {
		const char *name = "";
		size_t size = 0;
		if (!sheaf_index_name(f, labels[i].index, &name, &size)) size = 0;
		bars[i] = (sheaf_bar){.from = NAN, .to = NAN, .amount = (double)labels[i].count};
		snprintf(bars[i].label, sizeof bars[i].label, "%" PRId64 "%s%.*s", labels[i].index, size ? " " : "",
		         (int)size, name);
	}
	sheaf_html(&p->b, "<h3>Labels</h3>");
	snprintf(words, sizeof words, "Each sample names one of %" PRId64 " units; the most frequent first.",
	         dim);
	sheaf_page_evenness(
		p, &(sheaf_chart){.title = "Labels", .words = words, .what = "unit", .bars = bars, .n = (int)dim});
}

/* ---- contradictions ---- */

/* Which streams are inputs and which are targets comes first, then the counts and the first contradictions.
 */
void sheaf_page_contradictions(sheaf_page *p)
{
	enum { MOST_SHOWN = 10 };
	const sheaf_same_inputs *first[MOST_SHOWN];
	const sheaf_contradictions *c = &p->s->contradictions;
	if (!c->slots) return;
	sheaf_contradicted found = sheaf_contradictions_count(c);
	sheaf_html(&p->b, "<section id=\"contradictions\"><h2>Contradictions</h2><p class=\"note\">");
	for (int side = SHEAF_SIDE_INPUT; side <= SHEAF_SIDE_TARGET; side++) {
		const char *comma = "";
		sheaf_html(&p->b, side == SHEAF_SIDE_INPUT ? "Inputs: " : ". Targets: ");
		for (int f = 0; f < p->s->schema.nfields; f++) {
			if ((int)p->s->fields[f].side != side) continue;
			sheaf_html(&p->b, "%s<bdi>%s</bdi>", comma, p->s->schema.fields[f].name);
			comma = ", ";
		}
	}
	sheaf_html(&p->b,
	           ".</p><p class=\"note\">%s%" PRId64 " different inputs; with several targets: %" PRId64
	           ", in %" PRId64 " examples, which cannot all be learned.</p>",
	           found.exact ? "" : "Estimated from a sample by hash: ", found.different, found.inputs,
	           found.rows);
	int n = sheaf_contradictions_first(c, first, MOST_SHOWN);
	if (n) sheaf_page_columns(p, "first|another|with these inputs");
	for (int i = 0; i < n; i++)
		sheaf_html(&p->b,
		           "<tr><th scope=\"row\">%" PRId64 "</th><td>%" PRId64 "</td><td>% " PRId64 "</td></tr>",
		           first[i]->first, first[i]->other, first[i]->count);
	sheaf_html(&p->b, n ? "</tbody></table></section>" : "</section>");
}
