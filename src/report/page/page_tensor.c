/* SPDX-License-Identifier: MIT */
/* A tensor as a whole on the page: its shape, of a matrix how far it is symmetric and how many bytes it takes
 * in each layout, and how many entries the slices of each dimension have. */
#include "frame/frame.h"
#include "report/matrix/profile.h"
#include "report/page/page.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WORDS = 200, MOST_BARS = 64 };

/* Puts what is known of a tensor: its shape; of a matrix also its diagonal, its band and its symmetry, which
 * takes all entries together: without a profile there are only counts entry by entry. */
static void put_facts(sheaf_page *p, int64_t entries)
{
	const sheaf_tensor *t = &p->s->schema.tensor;
	char text[WORDS] = "one number";
	double positions = 1;
	for (int d = 0, used = 0; d < t->rank; d++) {
		used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, d ? " x " : "", t->shape[d]);
		positions *= (double)t->shape[d];
	}
	sheaf_page_words(p, "shape", text);
	sheaf_page_words(p, "structure", sheaf_structure_name(t->structure));
	sheaf_page_count(p, "entries stored", p->s->rows);
	sheaf_page_count(p, "entries, with those implied", entries);
	sheaf_page_real(p, "density", positions > 0 ? (double)entries / positions : NAN);
	int value = sheaf_schema_value(&p->s->schema);
	if (value >= 0) sheaf_page_count(p, "explicit zeros", p->s->fields[value].values.zeros);
	if (t->rank != 2) return;
	const sheaf_profile *f = p->s->profile;
	sheaf_page_count(p, "on the diagonal", p->s->band.diagonal);
	sheaf_page_count(p, "bandwidth below", p->s->band.lower);
	sheaf_page_count(p, "bandwidth above", p->s->band.upper);
	if (f && f->square) {
		sheaf_page_share(p, "symmetry of the pattern", sheaf_profile_mirrored(f));
		sheaf_page_share(p, "symmetry of values", sheaf_profile_equal(f));
	}
	if (f) sheaf_page_words(p, "structure of values", sheaf_profile_values(f));
}

/* Puts the sizes of the arrays of a matrix in each layout, in units that leave at most three digits. */
static void put_layouts(sheaf_page *p)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
	static const char *const names[] = {"COO", "CSR", "CSC", "dense"};
	sheaf_profile counted;
	if (!p->s->profile) sheaf_counted_profile(p->s, &counted);
	const sheaf_profile *profile = p->s->profile ? p->s->profile : &counted;
	if (profile->element.size == 0) return;
	sheaf_layouts l = sheaf_profile_layouts(profile);
	const double sizes[] = {l.coo, l.csr, l.csc, l.dense};
	sheaf_html(&p->b,
	           "<h3>Layouts</h3><p class=\"note\">The size of all entries as arrays, with indices of 4 "
	           "bytes if they fit and pointers of 8.</p>");
	sheaf_page_columns(p, "layout|bytes");
	for (int i = 0; i < 4; i++) {
		double size = sizes[i];
		int unit = 0;
		for (; size >= 1000 && unit < 6; unit++) size /= 1000;
		sheaf_html(&p->b, unit ? SHEAF_HTML_ROW "%.3g %s</td></tr>" : SHEAF_HTML_ROW "%.0f %s</td></tr>",
		           names[i], size, units[unit]);
	}
	sheaf_html(&p->b, "</tbody></table>");
}

/* Puts how many entries the slices of a dimension have: for a graph, the degrees of its vertices. */
static void put_degrees(sheaf_page *p, const sheaf_field_summary *f)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	sheaf_length_counts counts = {0};
	sheaf_html(&p->b, "<h3>Entries of each</h3>");
	if (!f->uses) {
		sheaf_html(&p->b, "<p class=\"note\">There are too many to count the entries of each.</p>");
		return;
	}
	if (!p->status) p->status = sheaf_count_uses(f, &counts, p->s->cx, p->err);
	if (p->status || counts.n == 0) return;
	sheaf_quantiles q = sheaf_length_quantiles(&counts);
	snprintf(words, sizeof words,
	         "%" PRId64 " in all, %" PRId64 " without entries; the others have up to %" PRId64
	         ", median %.0f, p95 %.0f, p99 %.0f.",
	         f->dim, sheaf_never_used(f), counts.most, q.p50, q.p95, q.p99);
	sheaf_page_chart(p, &(sheaf_chart){.title = "Entries of each",
	                                   .words = words,
	                                   .what = "entries",
	                                   .bars = bars,
	                                   .n = sheaf_length_bars(&counts, NULL, MOST_BARS, bars),
	                                   .marks = &q});
	sheaf_length_counts_free(&counts, p->s->cx);
}

void sheaf_page_tensor(sheaf_page *p)
{
	const sheaf_summary *s = p->s;
	if (s->schema.rows != SHEAF_ENTRIES) return;
	bool matrix = s->schema.tensor.rank == 2;
	int value = sheaf_schema_value(&s->schema);
	sheaf_html(&p->b, "<section><h2>%s</h2>", matrix ? "Matrix" : "Tensor");
	if (value >= 0 && s->fields[value].raster.counts) sheaf_page_density(p, &s->fields[value].raster);
	sheaf_html(&p->b, "<table>");
	put_facts(p, s->profile ? s->profile->entries : s->entries);
	sheaf_html(&p->b, "</table>");
	if (matrix) put_layouts(p);
	sheaf_html(&p->b, "</section>");
	for (int d = 0; d < s->schema.tensor.rank; d++) {
		sheaf_html(&p->b, "<section><h2>Dimension <bdi>%s</bdi></h2>", s->schema.fields[d].name);
		put_degrees(p, &s->fields[d]);
		sheaf_html(&p->b, "</section>");
	}
}
