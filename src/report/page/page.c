/* SPDX-License-Identifier: MIT */
/* The page: a card, the findings, a section for each field, the first rows, and all numbers as JSON. It is
 * one file that loads nothing: style and script are in it, and its policy (Content-Security-Policy) allows
 * only these two, by their hashes, so that no text from the data can run as a script. */
#include "report/page/page.h"
#include "base/need.h"
#include "report/text.h"
#include <math.h>

/* The list of all fields, before the section of each. */
static void put_fields(sheaf_page *p)
{
	enum { MOST_FIELDS = 200 };
	char text[80];
	int shown = 0;
	sheaf_html(&p->b, "<h2>%s</h2><table>", p->s->schema.rows == SHEAF_SEQUENCES ? "Streams" : "Columns");
	for (int f = 0; f < p->s->schema.nfields && shown < MOST_FIELDS; f++) {
		const sheaf_field *field = &p->s->schema.fields[f];
		if (!sheaf_summary_shows(p->s, f)) continue;
		shown++;
		sheaf_page_describe(field, text, sizeof text);
		sheaf_html(&p->b, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s</td></tr>", field->name, text);
	}
	sheaf_html(&p->b, "</table>");
	if (shown == MOST_FIELDS) sheaf_html(&p->b, "<p class=\"note\">And so on.</p>");
}

/* Puts all that is on the page, from the card to the numbers; a failure goes to p->status. */
static void put_body(sheaf_page *p)
{
	const sheaf_page_options *o = p->options;
	const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON, .other = p->other};
	sheaf_buffer json = {0};
	sheaf_html(&p->b, "</h1></header><main id=\"main\"><h2>File</h2>");
	sheaf_page_facts(p, o->card, o->ncard);
	sheaf_html(&p->b, "<h2>Findings</h2>");
	if (o->nfindings)
		sheaf_page_facts(p, o->findings, o->nfindings);
	else
		sheaf_html(&p->b, "<p class=\"note\">Reading found nothing wrong. Validating checks more.</p>");
	put_fields(p);
	sheaf_page_drift(p);
	sheaf_page_contradictions(p);
	sheaf_page_tensor(p);
	for (int f = 0; f < p->s->schema.nfields; f++)
		if (sheaf_summary_shows(p->s, f)) sheaf_page_field(p, f);
	if (o->rows) sheaf_html(&p->b, "<h2>First rows</h2><pre>%s</pre>", o->rows);
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
	           options->title);
	put_body(&p);
	sheaf_builder_printf(&p.b, "</main><script>%s</script></body></html>\n", sheaf_page_script);
	sheaf_points_end(before);
	if (!p.status) return sheaf_builder_finish(&p.b, out, err);
	sheaf_builder_drop(&p.b);
	return p.status;
}
