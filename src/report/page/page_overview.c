/* SPDX-License-Identifier: MIT */
/* What matters first: warnings in words, each with a link, and one line for each field with a small chart. */
#include "frame/frame.h"
#include "frame/item.h"
#include "report/drift.h"
#include "report/page/page.h"
#include "report/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_FIELDS = 200, MOST_LINKS = 40, MOST_LABELS = 50, SMALL_BARS = 24 };

/* A field on the page, with its values in order. */
typedef struct subject {
	const sheaf_field *field;
	const sheaf_field_summary *f;
	int number;
	sheaf_spread_values v;
} subject;

static subject subject_of(sheaf_page *p, int number)
{
	subject s = {&p->s->schema.fields[number], &p->s->fields[number], number, {0}};
	s.v.field = s.field;
	s.v.f = s.f;
	if (!p->status) p->status = sheaf_distribution_of(s.f, p->s->cx, &s.v.d, p->err);
	return s;
}

bool sheaf_page_is_blank(const sheaf_summary *s, int number)
{
	const sheaf_field_summary *f = &s->fields[number];
	return f->values.zeros == f->values.n && f->lengths.total == 0 && s->rows > 0;
}

/* ---- warnings ---- */

static void begin_warning(sheaf_page *p, const subject *s)
{
	sheaf_html(&p->b, "<li><a href=\"#f%d\"><bdi>%s</bdi></a>: ", s->number, s->field->name);
	p->warnings++;
}

static int64_t items_of(const sheaf_field_summary *f) { return f->values.n ? f->values.n : f->lengths.n; }

/* The largest share of one label, and the label; 0 if samples have none. */
static double largest_label(const subject *s, char *text)
{
	const sheaf_item_count *most;
	double all = 0, largest = 0;
	int64_t units = s->f->pattern.units, n;
	bool exact;
	if (s->f->frequent.slots && sheaf_field_distinct(s->f, &exact) <= MOST_LABELS && exact &&
	    sheaf_frequent_most(&s->f->frequent, &most, 1) && items_of(s->f)) {
		text[sheaf_item_words(s->field, most, text)] = '\0';
		return (double)most->count / (double)items_of(s->f);
	}
	if (!sheaf_names_units(s->field, s->f)) return 0;
	for (int64_t u = 0; u < units; u++) {
		double amount = sheaf_pattern_total(&s->f->pattern, u, &n);
		all += amount;
		if (amount > largest) largest = amount, snprintf(text, SHEAF_ITEM_TEXT, "%" PRId64, u);
	}
	return all > 0 ? largest / all : 0;
}

/* Values far beyond where most are: beyond the middle 90 % by more than twenty times its width. */
static void warn_of_outliers(sheaf_page *p, const subject *s)
{
	enum { FAR = 20 };
	const sheaf_value_counts *v = &s->f->values;
	double low = sheaf_distribution_at(&s->v.d, 0.05), high = sheaf_distribution_at(&s->v.d, 0.95);
	const double shown[] = {v->least, v->most, low, high};
	char texts[4][SHEAF_TIME_ROOM];
	if (!(high > low) || v->most - v->least <= FAR * (high - low)) return;
	for (int i = 0; i < 4; i++) sheaf_value_words(s->field, shown[i], texts[i], sizeof texts[i]);
	begin_warning(p, s);
	sheaf_html(&p->b, "extreme values, from %s to %s; 90\xe2\x80\xaf%% are between %s and %s</li>", texts[0],
	           texts[1], texts[2], texts[3]);
}

static void warn_of_items(sheaf_page *p, const subject *s)
{
	const double unbalanced = 0.9, nearly = 0.95;
	char text[SHEAF_ITEM_TEXT + 1] = "";
	bool exact = false;
	int64_t all = items_of(s->f), distinct = s->f->frequent.slots ? sheaf_field_distinct(s->f, &exact) : 0;
	double share = largest_label(s, text);
	if (exact && distinct == 1 && all > 1) {
		begin_warning(p, s);
		sheaf_html(&p->b, "constant, always <bdi>%s</bdi></li>", text);
	} else if (share > unbalanced) {
		begin_warning(p, s);
		sheaf_html(&p->b, "unbalanced, " SHEAF_HTML_SHARE " are <bdi>%s</bdi></li>", 100 * share, text);
	} else if (exact && distinct < all && (double)distinct > nearly * (double)all) {
		begin_warning(p, s);
		sheaf_html(&p->b, "nearly a key, but % " PRId64 " of % " PRId64 " are duplicates</li>",
		           all - distinct, all);
	}
}

static void warn_of_field(sheaf_page *p, int number)
{
	const double many = 0.05;
	subject s = subject_of(p, number);
	const sheaf_value_counts *v = &s.f->values;
	double missing = (double)s.f->missing / (double)(s.f->missing + items_of(s.f));
	if (missing > many) {
		begin_warning(p, &s);
		sheaf_html(&p->b, SHEAF_HTML_SHARE " missing</li>", 100 * missing);
	}
	if (v->nans + v->infinite[0] + v->infinite[1]) {
		begin_warning(p, &s);
		sheaf_html(&p->b, "% " PRId64 " NaN, % " PRId64 " infinite</li>", v->nans,
		           v->infinite[0] + v->infinite[1]);
	}
	warn_of_items(p, &s);
	warn_of_outliers(p, &s);
	sheaf_distribution_free(&s.v.d, p->s->cx);
}

void sheaf_page_warnings(sheaf_page *p)
{
	const sheaf_contradictions *c = &p->s->contradictions;
	sheaf_html(&p->b, "<section id=\"warnings\"><h2>Warnings</h2><ul>");
	if (p->options->nfindings) {
		p->warnings++;
		sheaf_html(&p->b,
		           "<li><a href=\"#findings\">Reading found</a> that the file is not as it should be</li>");
	}
	int64_t against = c->slots ? sheaf_contradictions_count(c).inputs : 0;
	if (against) {
		p->warnings++;
		sheaf_html(&p->b, "<li><a href=\"#contradictions\">% " PRId64 " inputs</a> have several targets</li>",
		           against);
	}
	for (int f = 0; f < p->s->schema.nfields && f < MOST_FIELDS; f++)
		if (sheaf_summary_shows(p->s, f) && !sheaf_page_is_blank(p->s, f)) warn_of_field(p, f);
	sheaf_html(&p->b, p->warnings ? "</ul></section>" : "<li>Nothing stands out.</li></ul></section>");
}

/* ---- one line for each field ---- */

/* The small chart of a field: its values, or else its lengths. Its name is that of its row. */
static void put_small(sheaf_page *p, const subject *s)
{
	enum { WIDE = 120, HIGH = 24 };
	sheaf_bar bars[SHEAF_MOST_BARS];
	sheaf_axis axis;
	bool exact;
	int n = sheaf_value_bars(&s->v, NULL, SMALL_BARS, bars, &axis, &exact);
	if (n == 0) n = sheaf_length_bars(&s->f->lengths, NULL, SMALL_BARS, bars);
	double most = sheaf_most_amount(bars, n), step = n ? (double)WIDE / n : 0;
	if (n < 2) return;
	sheaf_html(&p->b,
	           "<svg role=\"img\" class=\"small\" viewBox=\"0 0 %d %d\" aria-labelledby=\"n%d\"><path "
	           "class=\"bar\" d=\"",
	           WIDE, HIGH, s->number);
	for (int i = 0; i < n; i++) {
		double high = bars[i].amount > 0 ? fmax(1, bars[i].amount / most * HIGH) : 0;
		if (high > 0) sheaf_html(&p->b, "M%.1f %dv-%.1fh%.1fv%.1fz", i * step, HIGH, high, step * 0.9, high);
	}
	sheaf_html(&p->b, "\"/></svg>");
}

static void put_line(sheaf_page *p, int number)
{
	char type[80], least[SHEAF_TIME_ROOM], most[SHEAF_TIME_ROOM];
	subject s = subject_of(p, number);
	bool exact, any = sheaf_values_finite(&s.f->values) > 0 && sheaf_field_has_range(s.field);
	double all = (double)(s.f->missing + items_of(s.f));
	sheaf_page_describe(s.field, type, sizeof type);
	sheaf_html(&p->b,
	           "<tr><th scope=\"row\" id=\"n%d\"><a href=\"#f%d\"><bdi>%s</bdi></a></th><td "
	           "class=\"words\">%s</td><td>",
	           number, number, s.field->name, type);
	if (s.f->missing) sheaf_html(&p->b, SHEAF_HTML_SHARE, 100 * (double)s.f->missing / all);
	sheaf_html(&p->b, "</td><td>");
	if (s.f->frequent.slots) {
		int64_t distinct = sheaf_field_distinct(s.f, &exact);
		sheaf_html(&p->b, exact ? "% " PRId64 : "about % " PRId64, distinct);
	}
	sheaf_html(&p->b, "</td><td>");
	put_small(p, &s);
	sheaf_html(&p->b, "</td><td class=\"words\">");
	if (any) {
		sheaf_value_words(s.field, s.f->values.least, least, sizeof least);
		sheaf_value_words(s.field, s.f->values.most, most, sizeof most);
		sheaf_html(&p->b, "%s to %s", least, most);
	} else if (s.f->lengths.n) {
		sheaf_html(&p->b, "lengths % " PRId64 " to % " PRId64, s.f->lengths.least, s.f->lengths.most);
	}
	sheaf_html(&p->b, "</td></tr>");
	sheaf_distribution_free(&s.v.d, p->s->cx);
}

void sheaf_page_overview(sheaf_page *p)
{
	int shown = 0, blank = 0;
	sheaf_html(&p->b, "<section id=\"overview\"><h2>%s</h2><div class=\"wide\">",
	           p->s->schema.rows == SHEAF_SEQUENCES ? "Streams" : "Columns");
	sheaf_page_columns(p, "name|type|missing|distinct|values|range");
	for (int f = 0; f < p->s->schema.nfields && shown < MOST_FIELDS; f++) {
		if (!sheaf_summary_shows(p->s, f) || sheaf_page_is_blank(p->s, f)) continue;
		shown++;
		put_line(p, f);
	}
	sheaf_html(&p->b, "</tbody></table></div>");
	if (shown == MOST_FIELDS) sheaf_html(&p->b, "<p class=\"note\">And so on.</p>");
	for (int f = 0; f < p->s->schema.nfields && blank < MOST_LINKS; f++)
		if (sheaf_summary_shows(p->s, f) && sheaf_page_is_blank(p->s, f))
			sheaf_html(&p->b,
			           blank++ ? ", <bdi>%s</bdi>"
			                   : "<p class=\"note\">Nothing but zeros or empty: <bdi>%s</bdi>",
			           p->s->schema.fields[f].name);
	sheaf_html(&p->b, blank ? ".</p></section>" : "</section>");
}

/* ---- contents ---- */

void sheaf_page_contents(sheaf_page *p)
{
	sheaf_html(&p->b,
	           "<nav aria-label=\"Contents\"><a href=\"#warnings\">Warnings</a><a href=\"#overview\">%s</a>",
	           p->s->schema.rows == SHEAF_SEQUENCES ? "Streams" : "Columns");
	if (p->options->nfindings) sheaf_html(&p->b, "<a href=\"#findings\">Findings</a>");
	if (p->other) sheaf_html(&p->b, "<a href=\"#drift\">Drift</a>");
	for (int f = 0, shown = 0; f < p->s->schema.nfields && shown < MOST_LINKS; f++) {
		if (!sheaf_summary_shows(p->s, f) || sheaf_page_is_blank(p->s, f)) continue;
		sheaf_html(&p->b, "<a href=\"#f%d\"><bdi>%s</bdi></a>", f, p->s->schema.fields[f].name);
		shown++;
	}
	sheaf_html(&p->b, "<a href=\"#file\">File</a></nav>");
}
