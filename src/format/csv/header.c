/* SPDX-License-Identifier: MIT */
/* The first line: how many columns there are, whether it has their names, and which. Doubts are reported.
 *
 * Nothing in such files says whether the first line has names. evidence.c weighs what speaks for them; here
 * that is made a decision with a reason and a confidence, which people see, and a warning where the
 * confidence is low. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/csv/delimited.h"
#include "frame/schema/names.h"
#include "io/source.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef sheaf_delimited_opening opening;

sheaf_status sheaf_header_report(const opening *o, sheaf_severity severity, const char *rule,
                                 const char *expected, const char *found, const char *consequence)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(o->in->source),
	                                         &SHEAF_FINDING(severity, rule, expected, found, consequence));
	problem.place.line = o->line;
	problem.place.column = 1;
	problem.place.byte = sheaf_source_place(o->in->source, o->begin, NULL, 0);
	return sheaf_report(o->in->cx, &problem, o->err);
}

/* Refuses the input for a flaw at a place of the first record, which may be on another line than the
 * first. */
static sheaf_status refuse_at(const opening *o, sheaf_place place, const char *expected, const char *found)
{
	sheaf_problem problem = {SHEAF_FATAL, SHEAF_DATA, "header", place, expected, found};
	problem.place.file = sheaf_source_name(o->in->source);
	return sheaf_fail_problem(o->err, &problem);
}

/* Refuses the input for a flaw of the first record as a whole, at its beginning. */
static sheaf_status refuse(const opening *o, const char *expected, const char *found)
{
	sheaf_place place = SHEAF_NOWHERE;
	place.line = o->line;
	place.column = 1;
	place.byte = sheaf_source_place(o->in->source, o->begin, NULL, 0);
	return refuse_at(o, place, expected, found);
}

/* Refuses the input since the first record, in [begin, end), has a flaw in its quotes, at the place of
 * that flaw. */
static sheaf_status refuse_quotes(const opening *o, const uint8_t *begin, const uint8_t *end)
{
	char shown[SHEAF_SHOWN_SIZE];
	const sheaf_record_finding *f = (const sheaf_record_finding *)(const void *)o->first.findings.data;
	if (!f) return refuse(o, "a first record", "none");
	bool after = f->flaw == RECORD_AFTER_QUOTE, lines = f->flaw == RECORD_AFTER_LINES;
	const char *found = lines ? "the next one on another line, and text after it" : "the end of the input";
	sheaf_place place = SHEAF_NOWHERE;
	place.line = o->line + (int64_t)f->line;
	place.column = (int64_t)(f->at - f->line_start) + 1;
	place.byte = sheaf_source_place(o->in->source, o->begin, begin, f->at);
	return refuse_at(o, place,
	                 after ? "a delimiter or the end of the line after a quoted field"
	                       : "a quote that closes the field",
	                 after ? sheaf_show(begin + f->at, end, o->in->dialect.delimiter, shown) : found);
}

/* ---- the first record, and some below ---- */

/* Finds the records below the first one in the first bytes of the file, of `width` fields each. */
static sheaf_status read_sample(opening *o, sheaf_bytes sample, int width)
{
	const uint8_t *end = sample.data + sample.size;
	const uint8_t *from = sheaf_records_first_end(&o->in->dialect, sample.data, end);
	sheaf_records_drop(&o->sample);
	sheaf_records_begin(&o->sample, o->in->cx);
	if (!from) from = end;
	return sheaf_records_find(&o->sample, &o->in->dialect, width, (sheaf_bytes){from, (size_t)(end - from)},
	                          1, o->err);
}

/* Finds out whether the names are above records that have one field more, as R writes tables with row
 * names (in->unnamed_first). If the last field is empty in all of them, they end with a delimiter, which
 * says nothing about names; and a single such record is more likely an error, as is a line that begins
 * like a comment. */
static sheaf_status look_for_unnamed(opening *o, sheaf_bytes sample)
{
	sheaf_delimited_reader *in = o->in;
	double odds[HEADER_EVIDENCE];
	if (sample.size == 0 || *o->first.begin == '#') return SHEAF_OK;
	in->unnamed_first = true;
	SHEAF_TRY(read_sample(o, sample, ++in->width));
	const sheaf_record_finding *f = (const sheaf_record_finding *)(const void *)o->sample.findings.data;
	bool are_alike =
		o->sample.count > 1 && (sheaf_see_column(&o->sample, &in->dialect, (uint32_t)in->width - 1) &
	                            ~(unsigned)(KIND_NULL | KIND_BLANK));
	for (size_t n = o->sample.findings.size / sizeof *f; n > 0; n--, f++)
		are_alike &= f->flaw != RECORD_COUNT;
	if (are_alike && sheaf_header_weigh(o, odds) > 0) return SHEAF_OK;
	in->unnamed_first = false;
	return read_sample(o, sample, --in->width);
}

/* Reads the first record, which gives the number of columns, and looks for a first column without a name.
 * The source has shown `sample` before it shows the record, which may have moved the bytes; both begin at
 * the same place. A carriage return that ends no line, although others do, is no part of a name: part of
 * the file was written on another system, and its lines would be taken for one. */
sheaf_status sheaf_header_read(opening *o, sheaf_bytes sample)
{
	sheaf_delimited_reader *in = o->in;
	const char *header = sheaf_values_text(o->values, "header");
	size_t size = sample.size;
	sheaf_bytes record;
	SHEAF_TRY(sheaf_delimited_first(in, &record, o->err));
	sample = (sheaf_bytes){record.data, record.size > size ? 0 : size};
	SHEAF_TRY(sheaf_records_find(&o->first, &in->dialect, 0, record, 1, o->err));
	if (o->first.count == 0) return refuse_quotes(o, record.data, record.data + record.size);
	for (uint32_t f = 0; f < o->first.width; f++) {
		sheaf_word word = sheaf_word_of(&o->first, &in->dialect, 0, f);
		const uint8_t *lone_return =
			!word.quoted && word.end > word.at
				? (const uint8_t *)memchr(word.at, '\r', (size_t)(word.end - word.at))
				: NULL;
		if (lone_return && lone_return + 1 < word.end)
			return refuse(o, "lines that end alike, with LF, CR LF or CR", "a CR alone before an LF");
	}
	if (o->first.width > INT32_MAX / 8) return refuse(o, "fewer columns", "too many");
	in->width = (int)o->first.width;
	if (header && strcmp(header, "no") == 0) return SHEAF_OK;
	SHEAF_TRY(look_for_unnamed(o, sample));
	if (!in->unnamed_first) return SHEAF_OK;
	char expected[48], found[48];
	snprintf(expected, sizeof expected, "names of %d columns", in->width);
	snprintf(found, sizeof found, "%" PRIu32, o->first.width);
	return sheaf_header_report(o, SHEAF_NOTE, "first column without a name", expected, found,
	                           "the first column has row names and is called a0");
}

/* ---- the decision ---- */

/* Why a line is taken for values, or for names, if this evidence is the strongest. Some speaks only for
 * names. */
static const char *const reasons[HEADER_EVIDENCE][2] = {
	[HEADER_USUAL] = {"its fields are no usual names", "most tables have them"},
	[HEADER_WIDTH] = {"", "the lines below have one field more"},
	[HEADER_KINDS] = {"its fields are of the kinds below them",
                      "its fields are of other kinds than those below"},
	[HEADER_NAMES] = {"", "it has words of which names are made"},
	[HEADER_TEXTS] = {"some of its words occur again", "its words are not among those that occur again"},
	[HEADER_SHAPES] = {"its words have the shape of those below",
                       "its words have another shape than those below"},
	[HEADER_COUNTS] = {"its numbers are like those below", "its numbers count, or are far from those below"},
	[HEADER_QUOTES] = {"its quotes are those of the lines below",
                       "its quotes are other than in the lines below"},
	[HEADER_DISTINCT] = {"some of its fields are equal", "its fields differ from each other"},
};

/* Decides whether the first record has names, and reports a doubt. The odds that evidence.c adds up are a
 * confidence by the logistic function; a few lines do not make anybody surer than MOST. The reason is the
 * strongest evidence for the decision; without lines below, only what is usual is one. */
sheaf_status sheaf_header_decide(opening *o)
{
	enum { LONGEST = 40 };
	const double SURE = .8, MOST = .99;
	char found[SHEAF_SHOWN_SIZE], consequence[160];
	sheaf_delimited_reader *in = o->in;
	double odds[HEADER_EVIDENCE], total = sheaf_header_weigh(o, odds), sign = total > 0 ? 1 : -1;
	int strongest = 0;
	for (int e = 1; e < HEADER_EVIDENCE && o->sample.count > 0; e++)
		if (sign * odds[e] > sign * odds[strongest]) strongest = e;
	in->header = total > 0;
	in->header_reason = reasons[strongest][in->header];
	in->header_confidence = fmin(1 / (1 + exp(-fabs(total))), MOST);
	if (in->header_confidence >= SURE) return SHEAF_OK;
	size_t n = ((const uint32_t *)(const void *)o->first.ends.data)[o->first.width - 1];
	snprintf(found, sizeof found, "%.*s%s", (int)(n > LONGEST ? LONGEST : n), (const char *)o->first.begin,
	         n > LONGEST ? "..." : "");
	for (char *c = found; *c; c++)
		if ((uint8_t)*c < ' ') *c = ' ';
	snprintf(consequence, sizeof consequence,
	         "it is taken for %s, since %s (" SHEAF_OPTION("header") " %s takes it for %s)",
	         in->header ? "names" : "values", in->header_reason, in->header ? "no" : "yes",
	         in->header ? "values" : "names");
	return sheaf_header_report(o, SHEAF_WARNING, "header in doubt",
	                           "a first line that is surely names, or surely values", found, consequence);
}

/* Returns whether the first record has a name in each column that was declared as something other than
 * text. A name is a text that nothing else could be, and that does not begin like numbers, dates and
 * addresses. In quotes it may, where only texts are in quotes. */
bool sheaf_header_contradicts(const opening *o)
{
	int others = 0;
	const sheaf_dialect *dialect = &o->in->dialect;
	for (int f = 0; f < o->in->schema.nfields; f++) {
		sheaf_word word = sheaf_header_word(o, f);
		if (sheaf_means_text(o->in->schema.fields[f].meaning)) continue;
		others++;
		if (sheaf_word_kind(&word, dialect) != KIND_TEXT) return false;
		if (word.quoted && !dialect->any_quoted) continue;
		word = sheaf_word_trim(word);
		if (sheaf_begins_as_number(word.at, (size_t)(word.end - word.at))) return false;
	}
	return others > 0;
}

/* ---- names ---- */

typedef struct naming {
	opening *o;
	sheaf_names names; /* those before, found by their text */
	sheaf_builder b;   /* the name of one column */
	bool warn;         /* of repeated names */
} naming;

/* Spells the name of a column into n->b: the header's, or "a" and the column's number. *given: it is the
 * header's. A name must be UTF-8 and have no NUL. */
static sheaf_status spell(naming *n, int column, bool *given)
{
	const opening *o = n->o;
	sheaf_word word = sheaf_header_word(o, column);
	n->b.size = 0;
	*given = o->in->header && word.at < word.end;
	if (*given && sheaf_builder_room(&n->b, (size_t)(word.end - word.at))) {
		const uint8_t *end = sheaf_word_text(&word, &o->in->dialect, n->b.data);
		if (!end) return refuse(o, "a name", "a backslash with nothing after it");
		n->b.size = (size_t)(end - n->b.data);
		if (n->b.size && memchr(n->b.data, '\0', n->b.size))
			return refuse(o, "names without NUL bytes", "a name with a NUL byte");
		if (!sheaf_is_utf8(n->b.data, n->b.size)) {
			const uint8_t *at = word.at + sheaf_utf8_prefix(word.at, (size_t)(word.end - word.at));
			char found[16];
			sheaf_place place = SHEAF_NOWHERE;
			place.byte = sheaf_source_place(o->in->source, o->begin, o->first.begin, at - o->first.begin);
			snprintf(found, sizeof found, "byte 0x%02x", *at);
			return refuse_at(o, place, SHEAF_UTF8_EXPECTED, found);
		}
	}
	*given &= n->b.size > 0;
	if (!*given) sheaf_builder_printf(&n->b, "a%d", column);
	return sheaf_builder_status(&n->b, o->err);
}

/* Adds a column to the schema. A repeated name gets a number: "x.1", as pandas and R make it; the number
 * goes up until no column before has that name. Only a name that the header repeats is reported. */
static sheaf_status add_name(naming *n, int column)
{
	opening *o = n->o;
	char found[96], consequence[160];
	sheaf_field *field;
	bool given;
	SHEAF_TRY(spell(n, column, &given));
	size_t size = n->b.size;
	for (int number = 1; sheaf_names_find(&n->names, n->b.data, n->b.size, -1) >= 0 && !n->b.failed;
	     number++) {
		n->b.size = size;
		sheaf_builder_printf(&n->b, ".%d", number);
	}
	SHEAF_TRY(sheaf_builder_status(&n->b, o->err));
	if (n->b.size > size && given && n->warn) {
		snprintf(found, sizeof found, "\"%.*s\" again", size > 60 ? 60 : (int)size, (const char *)n->b.data);
		snprintf(consequence, sizeof consequence, "the column is \"%.*s\"",
		         n->b.size > 80 ? 80 : (int)n->b.size, (const char *)n->b.data);
		SHEAF_TRY(sheaf_header_report(o, SHEAF_WARNING, "name twice", "a name for each column", found,
		                              consequence));
	}
	SHEAF_TRY(sheaf_schema_add(&o->names, o->in->cx, (const char *)n->b.data, n->b.size, &field, o->err));
	return sheaf_names_add(&n->names, o->in->cx, field->name, strlen(field->name), o->err);
}

/* Makes the names of all columns, from the first record or as numbers, in o->names; if `warn`, repeated
 * ones are reported. */
sheaf_status sheaf_header_names(opening *o, bool warn)
{
	naming n = {.o = o, .warn = warn};
	sheaf_status status = SHEAF_OK;
	sheaf_schema_free(&o->names);
	o->names = (sheaf_schema){.rows = SHEAF_CELLS, .cx = o->in->cx};
	sheaf_builder_begin(&n.b, o->in->cx, NULL);
	for (int c = 0; c < o->in->width && status == SHEAF_OK; c++) status = add_name(&n, c);
	sheaf_builder_drop(&n.b);
	sheaf_names_free(&n.names);
	return status;
}
