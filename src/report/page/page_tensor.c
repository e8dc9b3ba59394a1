/* SPDX-License-Identifier: MIT */
/* A tensor as a whole on the page. */
#include "frame/frame.h"
#include "report/matrix/profile.h"
#include "report/page/page.h"
#include "report/text.h"
#include "report/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WORDS = 200, MOST_BARS = 64 };

static int64_t entries_of(const sheaf_summary *s) { return s->profile ? s->profile->entries : s->entries; }

static void put_shape(sheaf_page *p)
{
	const sheaf_tensor *t = &p->s->schema.tensor;
	char text[WORDS];
	size_t used = 0;
	double positions = 1;
	for (int d = 0; d < t->rank; d++) {
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, d ? " x " : "", t->shape[d]);
		positions *= (double)t->shape[d];
	}
	sheaf_page_words(p, "shape", used ? text : "one number");
	sheaf_page_words(p, "structure", sheaf_structure_name(t->structure));
	sheaf_page_count(p, "entries stored", p->s->rows);
	sheaf_page_count(p, "entries, with those implied", entries_of(p->s));
	sheaf_page_real(p, "density", positions > 0 ? (double)entries_of(p->s) / positions : NAN);
	int value = sheaf_schema_value(&p->s->schema);
	if (value >= 0) sheaf_page_count(p, "explicit zeros", p->s->fields[value].values.zeros);
}

static void put_per_cent(sheaf_page *p, const char *name, double share)
{
	sheaf_page_row(p, name);
	sheaf_html_share(&p->b, share);
	sheaf_page_row_end(p);
}

/* Symmetry takes all entries together; without a profile there are only counts entry by entry. */
static void put_matrix(sheaf_page *p)
{
	const sheaf_profile *f = p->s->profile;
	sheaf_page_count(p, "on the diagonal", p->s->band.diagonal);
	sheaf_page_count(p, "bandwidth below", p->s->band.lower);
	sheaf_page_count(p, "bandwidth above", p->s->band.upper);
	if (!f) return;
	if (f->square) {
		put_per_cent(p, "symmetry of the pattern", sheaf_profile_mirrored(f));
		put_per_cent(p, "symmetry of values", sheaf_profile_equal(f));
	}
	sheaf_page_words(p, "structure of values", sheaf_profile_values(f));
}

/* ---- layouts ---- */

static void put_layout(sheaf_page *p, const char *name, double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
	int unit = 0;
	while (bytes >= 1000 && unit < 6) bytes /= 1000, unit++;
	sheaf_page_row(p, name);
	sheaf_builder_printf(&p->b, unit ? "%.3g %s" : "%.0f %s", bytes, units[unit]);
	sheaf_page_row_end(p);
}

/* The sizes of the arrays of a matrix in each layout. */
static void put_layouts(sheaf_page *p)
{
	static const char *const names[] = {"layout", "bytes"};
	sheaf_profile counted;
	const sheaf_summary *s = p->s;
	if (s->schema.tensor.rank != 2) return;
	if (!s->profile) sheaf_counted_profile(s, &counted);
	const sheaf_profile *profile = s->profile ? s->profile : &counted;
	if (profile->element.size == 0) return;
	sheaf_layouts l = sheaf_profile_layouts(profile);
	sheaf_page_heading(p, 3, "Layouts");
	sheaf_page_note(
		p, "The size of all entries as arrays, with indices of 4 bytes if they fit and pointers of 8.");
	sheaf_page_columns(p, names, 2);
	put_layout(p, "COO", l.coo);
	put_layout(p, "CSR", l.csr);
	put_layout(p, "CSC", l.csc);
	put_layout(p, "dense", l.dense);
	sheaf_page_columns_end(p);
}

/* ---- dimensions ---- */

/* How many entries the slices of a dimension have: for a graph, the degrees of its vertices. */
static void put_degrees(sheaf_page *p, int d)
{
	sheaf_bar bars[SHEAF_MOST_BARS];
	char words[WORDS];
	const sheaf_field_summary *f = &p->s->fields[d];
	sheaf_length_counts counts = {0};
	sheaf_page_heading(p, 3, "Entries of each");
	if (!f->uses) {
		sheaf_page_note(p, "There are too many to count the entries of each.");
		return;
	}
	if (!p->status) p->status = sheaf_count_uses(f, &counts, p->s->cx, p->err);
	if (p->status || counts.n == 0) return;
	int64_t never = sheaf_never_used(f);
	sheaf_quantiles q = sheaf_length_quantiles(&counts);
	snprintf(words, sizeof words,
	         "%" PRId64 " in all, %" PRId64 " without entries; the others have up to %" PRId64
	         ", median %.0f, p95 %.0f, p99 %.0f.",
	         f->dim, never, counts.most, q.p50, q.p95, q.p99);
	const sheaf_chart_mark marks[] = {{"p50", q.p50}, {"p95", q.p95}, {"p99", q.p99}};
	sheaf_page_chart(p, &(sheaf_chart){.title = "Entries of each",
	                                   .words = words,
	                                   .what = "entries",
	                                   .bars = bars,
	                                   .n = sheaf_length_bars(&counts, NULL, MOST_BARS, bars),
	                                   .marks = marks,
	                                   .nmarks = 3});
	sheaf_length_counts_free(&counts, p->s->cx);
}

void sheaf_page_tensor(sheaf_page *p)
{
	const sheaf_schema *schema = &p->s->schema;
	if (schema->rows != SHEAF_ENTRIES) return;
	sheaf_builder_text(&p->b, "<section>");
	sheaf_page_heading(p, 2, schema->tensor.rank == 2 ? "Matrix" : "Tensor");
	sheaf_page_table(p);
	put_shape(p);
	if (schema->tensor.rank == 2) put_matrix(p);
	sheaf_page_table_end(p);
	put_layouts(p);
	sheaf_builder_text(&p->b, "</section>");
	for (int d = 0; d < schema->tensor.rank; d++) {
		sheaf_builder_text(&p->b, "<section><h2>Dimension ");
		sheaf_html_name(&p->b, schema->fields[d].name);
		sheaf_builder_text(&p->b, "</h2>");
		put_degrees(p, d);
		sheaf_builder_text(&p->b, "</section>");
	}
}
