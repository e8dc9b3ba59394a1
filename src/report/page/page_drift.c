/* SPDX-License-Identifier: MIT */
/* The section on drift: a row for each field, the largest score first, and what changed most. */
#include "report/drift.h"
#include "report/page/page.h"
#include <inttypes.h>
#include <math.h>

enum { MOST_ROWS = 64 };

static void put_causes(sheaf_page *p, const sheaf_drift *d)
{
	if (d->broken) sheaf_html(&p->b, "<strong>%s</strong> ", d->broken);
	if (!d->broken && d->score > 0) sheaf_html(&p->b, "%s", sheaf_distance_names[sheaf_drift_cause(d)]);
	if (!isnan(d->means)) sheaf_html(&p->b, "; mean by %.3g standard deviations", d->means);
	if (d->new_indices > 0) sheaf_html(&p->b, "; % " PRId64 " new indices", d->new_indices);
	for (int i = 0; i < d->nchanges; i++)
		sheaf_html(&p->b, "; <bdi>%s</bdi> " SHEAF_HTML_SHARE " \xe2\x86\x92 " SHEAF_HTML_SHARE,
		           d->changes[i].text, 100 * d->changes[i].from, 100 * d->changes[i].to);
}

void sheaf_page_drift(sheaf_page *p)
{
	sheaf_drift *all = NULL;
	int n = 0;
	if (!p->other || p->status) return;
	p->status = sheaf_find_drift(p->s, p->other, &all, &n, p->err);
	sheaf_html(&p->b,
	           "<section id=\"drift\"><h2>Drift</h2><p class=\"note\">From this file to <bdi>%s</bdi>: 0 if "
	           "shares are "
	           "equal, 1 if there is nothing in common.</p>",
	           p->options->other_title);
	sheaf_page_columns(p, "field|score|what changed");
	for (int i = 0; i < n && i < MOST_ROWS; i++) {
		sheaf_html(&p->b, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%.2f</td><td class=\"words\">",
		           all[i].name, all[i].score);
		put_causes(p, &all[i]);
		sheaf_html(&p->b, "</td></tr>");
	}
	sheaf_html(&p->b, "</tbody></table></section>");
	sheaf_release_drift(p->s, all, p->s->schema.nfields + p->other->schema.nfields);
}
