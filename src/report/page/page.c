/* SPDX-License-Identifier: MIT */
/* The page: a card, the findings, a section for each field, the first rows, and all numbers as JSON. It is
 * one file that loads nothing: style and script are in it, and its policy (Content-Security-Policy) allows
 * only these two, by their hashes, so that no text from the data can run as a script. */
#include "report/page/page.h"
#include "base/need.h"
#include "report/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was wrong with the file, once each. */
static void put_findings(sheaf_page *p)
{
	const sheaf_page_options *o = p->options;
	sheaf_html(&p->b, "<section id=\"findings\"><h2>Findings</h2>");
	if (o->nfindings)
		sheaf_page_facts(p, o->findings, o->nfindings);
	else
		sheaf_html(&p->b, "<p class=\"note\">Reading found nothing wrong. Validating checks more.</p>");
	sheaf_html(&p->b, "</section>");
}

/* Puts a fact of the header; whole numbers in groups of digits. */
static void put_card(sheaf_page *p, const sheaf_fact *fact, const char *before)
{
	char *end;
	long long n = strtoll(fact->text, &end, 10);
	if (end != fact->text && *end == '\0')
		sheaf_html(&p->b, "%s% " PRId64 " %s", before, (int64_t)n, fact->name);
	else
		sheaf_html(&p->b, "%s%s <bdi>%s</bdi>", before, fact->name, fact->text);
}

/* Puts all that is on the page, what matters first; a failure goes to p->status. */
static void put_body(sheaf_page *p)
{
	const sheaf_page_options *o = p->options;
	const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON, .other = p->other};
	sheaf_buffer json = {0};
	sheaf_html(&p->b, "</h1><p class=\"note\">");
	for (int i = 0, shown = 0; i < o->ncard; i++)
		if (strcmp(o->card[i].name, "file") != 0 && strcmp(o->card[i].name, "made by") != 0 &&
		    strcmp(o->card[i].name, "index") != 0)
			put_card(p, &o->card[i], shown++ ? "; " : "");
	sheaf_html(&p->b, "</p>");
	sheaf_page_contents(p);
	sheaf_html(&p->b, "</header><main id=\"main\">");
	sheaf_page_warnings(p);
	if (o->nfindings) put_findings(p);
	sheaf_page_drift(p);
	sheaf_page_tensor(p);
	if (p->s->schema.nfields) sheaf_page_overview(p);
	sheaf_page_contradictions(p);
	for (int f = 0; f < p->s->schema.nfields; f++)
		if (sheaf_summary_shows(p->s, f) && !sheaf_page_is_blank(p->s, f)) sheaf_page_field(p, f);
	if (!o->nfindings) put_findings(p);
	if (o->rows) sheaf_html(&p->b, "<section><h2>First rows</h2><pre>%s</pre></section>", o->rows);
	sheaf_html(&p->b, "<section id=\"file\"><h2>File</h2>");
	sheaf_page_facts(p, o->card, o->ncard);
	sheaf_html(&p->b, "</section>");
	/* The numbers, for programs: a data block is no script, and the text contains no "<" that could end it.
	 */
	if (p->status || (p->status = sheaf_summary_text(p->s, &as_json, &json, p->err))) return;
	sheaf_html(&p->b, "<script type=\"application/json\" id=\"numbers\">");
	for (size_t i = 0; i < json.size; i++)
		if (json.data[i] == '<')
			sheaf_builder_text(&p->b, "\\u003c");
		else
			sheaf_builder_byte(&p->b, (char)json.data[i]);
	sheaf_html(&p->b, "</script>");
	sheaf_buffer_reset(&json);
}

sheaf_status sheaf_summary_page(const sheaf_summary *s, const sheaf_page_options *options, sheaf_buffer *out,
                                sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(options && options->title, "options with a title");
	SHEAF_TRY(sheaf_check_size("page options", options->size, sizeof *options, err));
	SHEAF_NEED(!options->other || options->other_title, "a title of the other summary");
	SHEAF_EXPECT(options->ncard >= 0 && options->nfindings >= 0, "facts of at least 0",
	             options->ncard < 0 ? options->ncard : options->nfindings);
	SHEAF_TRY(sheaf_summary_join(s, err));
	if (options->other) SHEAF_TRY(sheaf_summary_join(options->other, err));
	/* If there are many pictures, they are small: all together take as much as a single large one. */
	int pictures = 0, side = SHEAF_RASTER_SIDE;
	for (int f = 0; f < s->schema.nfields; f++) pictures += s->fields[f].raster.counts != NULL;
	for (; pictures > 1; pictures = (pictures + 3) / 4) side /= 2;
	sheaf_page p = {.s = s, .other = options->other, .options = options, .side = side, .err = err};
	sheaf_builder_begin(&p.b, s->cx, out);
	locale_t before = sheaf_points_begin();
	sheaf_builder_printf(&p.b,
	                     "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
	                     "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	                     "'sha256-%s'; script-src 'sha256-%s'; img-src data:\"><meta name=\"viewport\" "
	                     "content=\"width=device-width,initial-scale=1\">",
	                     sheaf_page_style_hash, sheaf_page_script_hash);
	sheaf_html(&p.b, "<title>%s</title>", options->title);
	sheaf_builder_printf(&p.b, "<style>%s</style></head><body>", sheaf_page_style);
	sheaf_html(&p.b, "<a class=\"skip\" href=\"#main\">To the numbers</a><header><h1><bdi>%s</bdi>",
	           strrchr(options->title, '/') && strrchr(options->title, '/')[1]
	               ? strrchr(options->title, '/') + 1
	               : options->title);
	put_body(&p);
	sheaf_builder_printf(&p.b, "</main><script>%s</script></body></html>\n", sheaf_page_script);
	sheaf_points_end(before);
	if (!p.status) return sheaf_builder_finish(&p.b, out, err);
	sheaf_builder_drop(&p.b);
	return p.status;
}
