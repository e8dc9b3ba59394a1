/* SPDX-License-Identifier: MIT */
/* Opening a table of delimited text: its dialect, its header, its columns. Each step needs what the one
 * before has found:
 *
 *   settings    the dialect of the format and of the options       sheaf_dialect_choose
 *   file        what the first bytes show of what is left open     sheaf_dialect_detect
 *   line 1      how many columns there are                         sheaf_header_read
 *   names       whether line 1 has them, and which                 place_declared or place_all
 *   types       what the columns contain, if nobody declares them  look
 *
 * Then the source goes back to its beginning, and rows are read. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/csv/delimited.h"
#include "io/source.h"
#include <stdio.h>
#include <string.h>

typedef sheaf_delimited_opening opening;

void sheaf_delimited_close(void *reader)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	sheaf_release(in->cx, in->columns, (size_t)in->ncolumns * sizeof *in->columns);
	sheaf_seen_free(&in->seen, in->cx, in->width);
	sheaf_release_text(in->cx, in->missing);
}

/* ---- which columns there are ---- */

/* Finds the column of the file for each declared one: by name if the header has all of the names, else
 * one by one. `header` is the setting "yes", "no" or "auto"; NULL: there is none. Where the file is to
 * decide, a first line that has the names is a header, and so is one with words where other types than
 * text are declared. */
static sheaf_status place_declared(opening *o, const char *header)
{
	sheaf_delimited_reader *in = o->in;
	bool file_decides = !header || strcmp(header, "auto") == 0, same_width = in->schema.nfields == in->width;
	in->header = true;
	SHEAF_TRY(sheaf_header_names(o, false));
	bool has_names = (file_decides || strcmp(header, "yes") == 0) && in->schema.nfields <= in->width;
	for (int f = 0; f < in->schema.nfields && has_names; f++) {
		in->columns[f] = sheaf_schema_find_near(&o->names, in->schema.fields[f].name, f);
		has_names = in->columns[f] >= 0;
	}
	in->header =
		file_decides ? has_names || (same_width && sheaf_header_contradicts(o)) : strcmp(header, "yes") == 0;
	in->header_reason = file_decides ? "the declared columns show it" : "it was requested";
	if (has_names) return SHEAF_OK;
	for (int f = 0; f < in->schema.nfields; f++) in->columns[f] = f;
	if (same_width) return SHEAF_OK;
	return sheaf_fail(o->err, SHEAF_DATA,
	                  "%s:1: expected %d columns, as " SHEAF_OPTION(
						  "columns") " says, or a header that has their names, found %d",
	                  sheaf_source_name(in->source), in->schema.nfields, in->width);
}

/* Takes all columns of the file, without a declaration, with the names of the first line, or numbered
 * ones if it has none. `header` is the setting, or NULL. */
static sheaf_status place_all(opening *o, const char *header)
{
	sheaf_delimited_reader *in = o->in;
	in->header = header && strcmp(header, "yes") == 0;
	in->header_reason = "it was requested";
	if (!header || strcmp(header, "auto") == 0) SHEAF_TRY(sheaf_header_decide(o));
	SHEAF_TRY(sheaf_header_names(o, true));
	in->schema = o->names;
	o->names = (sheaf_schema){.fields = NULL};
	for (int c = 0; c < in->width; c++) in->columns[c] = c;
	return SHEAF_OK;
}

/* ---- types ---- */

/* Looks at what the columns contain: in the first part of the input, or in all of it, as the caller asks. A
 * caller that speculates gets the types of the first part, and a failure with SHEAF_STALE as soon as a row
 * does not fit them; then it opens the input again. That is only tried where the rest is likely to be as the
 * first part is: without records that are left out, and without doubts, since doubts are reported here,
 * before the rest is seen. Facts and the guess say what was looked at. */
static sheaf_status look(opening *o)
{
	sheaf_delimited_reader *in = o->in;
	size_t part;
	const bool whole = o->how->glance == SHEAF_GLANCE_NOT,
			   speculates = o->how->glance == SHEAF_GLANCE_SPECULATIVE;
	o->complete = true;
	if (!whole) { /* the first part */
		SHEAF_TRY(sheaf_source_rewind(in->source, o->err));
		SHEAF_TRY(sheaf_delimited_begin(in, o->err));
		sheaf_status status = sheaf_infer_part(in, &o->seen, &part, &o->complete, o->err);
		o->seen.flawed |= status != SHEAF_OK;
		if (speculates && sheaf_is_of_memory(status))
			status = sheaf_forgive(status, "the look at the whole meets it again, and says where");
		SHEAF_TRY(status);
		snprintf(in->guess, sizeof in->guess, "inferred from the first %zu bytes", part);
		in->speculative = speculates && !o->complete && !o->seen.flawed;
		for (int c = 0; c < in->width && in->speculative; c++)
			in->speculative = !sheaf_infer_doubts(o->seen.kinds[c]);
	}
	if (whole || (speculates && !in->speculative)) {
		SHEAF_TRY(sheaf_infer_whole(in, &o->seen, o->err));
		o->complete = !in->truncated;
	}
	if (o->complete || in->speculative)
		snprintf(in->guess, sizeof in->guess, "inferred from the whole input");
	size_t used = strlen(in->guess);
	if (in->guessed_delimiter || in->said)
		snprintf(in->guess + used, sizeof in->guess - used, ", separated by %s%s",
		         sheaf_delimiter_name(in->dialect.delimiter), in->said ? ", as its first line says" : "");
	in->facts.guess = in->guess;
	if (o->complete && !o->seen.flawed) in->facts.rows = o->seen.rows;
	return SHEAF_OK;
}

/* Warns of columns that would have another type if some words, which mean something to other programs, were
 * not there; one finding names the first of them and counts the others. `odd` is the kind of these words. */
static sheaf_status doubt_texts(const opening *o, unsigned odd, const char *rule, const char *found,
                                const char *consequence)
{
	const sheaf_delimited_reader *in = o->in;
	char expected[120];
	int n = 0, first = 0;
	for (int f = 0; f < in->schema.nfields; f++)
		if ((sheaf_infer_doubts(o->seen.kinds[in->columns[f]]) & odd) && n++ == 0) first = f;
	if (n == 0) return SHEAF_OK;
	snprintf(expected, sizeof expected, "values of one type in column \"%.60s\"",
	         in->schema.fields[first].name);
	size_t used = strlen(expected);
	if (n > 1) snprintf(expected + used, sizeof expected - used, " (and %d more)", n - 1);
	return sheaf_header_report(o, SHEAF_WARNING, rule, expected, found, consequence);
}

/* Makes the schema: the columns as declared, or all of the file, with the types of what they contain.
 * Words that would have made another type of a column of texts, if they were read as numbers or as
 * missing, are reported as doubts. */
static sheaf_status find_columns(opening *o)
{
	sheaf_delimited_reader *in = o->in;
	const char *declared = sheaf_values_text(o->values, "columns"),
			   *header = sheaf_values_text(o->values, "header");
	in->ncolumns = in->width;
	if (declared) SHEAF_TRY(sheaf_columns_declare(declared, in->cx, &in->schema, o->err));
	if (in->schema.nfields > in->ncolumns) in->ncolumns = in->schema.nfields;
	SHEAF_TRY(sheaf_allocate_array(in->cx, (size_t)in->ncolumns, sizeof *in->columns, &in->columns, o->err));
	if (declared) return place_declared(o, header);
	SHEAF_TRY(place_all(o, header));
	SHEAF_TRY(look(o));
	for (int f = 0; f < in->schema.nfields; f++)
		sheaf_infer_field(&in->schema.fields[f], o->seen.kinds[in->columns[f]],
		                  o->complete || in->speculative);
	SHEAF_TRY(doubt_texts(o, KIND_COMMA, "decimal commas in doubt", "numbers with commas among them",
	                      "they are texts (" SHEAF_OPTION("decimal") " comma reads them as numbers)"));
	return doubt_texts(o, KIND_ABSENT, "missing values in doubt", "words like NA, NULL or none among them",
	                   "they are texts (" SHEAF_OPTION("missing") " NA,NULL reads such words as missing)");
}

/* ---- the whole ---- */

/* Notes what the file shows to be other than `usual`, the dialect of the settings, with the options that
 * would ask for the same. */
static sheaf_status report_dialect(const opening *o, const sheaf_dialect *usual)
{
	char expected[64], consequence[64];
	const sheaf_dialect *found = &o->in->dialect;
	if (!usual->quote && found->quote)
		SHEAF_TRY(sheaf_header_report(o, SHEAF_NOTE, "quotes", "fields without quotes",
		                              "quotes around whole fields",
		                              "read with " SHEAF_OPTION("quoted") " text"));
	if (found->delimiter == usual->delimiter) return SHEAF_OK;
	snprintf(expected, sizeof expected, "fields separated by %s", sheaf_delimiter_name(usual->delimiter));
	snprintf(consequence, sizeof consequence, "read with " SHEAF_OPTION("delimiter") " %s",
	         sheaf_delimiter_name(found->delimiter));
	return sheaf_header_report(o, SHEAF_NOTE, "delimiter", expected, sheaf_delimiter_name(found->delimiter),
	                           consequence);
}

/* Finds what the settings leave open about the dialect in the first bytes of the input, and shows them in
 * *sample. If the input fails among them, those before are enough here. */
static sheaf_status find_dialect(opening *o, sheaf_bytes *sample)
{
	enum { HEAD = 64 << 10 };
	sheaf_delimited_reader *in = o->in;
	sheaf_bytes head;
	sheaf_status status = sheaf_source_ahead(in->source, HEAD, &head, o->err);
	bool complete = status == SHEAF_OK && head.size < HEAD;
	if (head.size == 0) SHEAF_TRY(status);
	SHEAF_TRY(sheaf_forgive(status, "what is wrong with the input is met in its place"));
	if (head.size > HEAD) head.size = HEAD;
	return sheaf_dialect_detect(&in->dialect, o->guess, (sheaf_file_head){head, complete}, in->cx, sample,
	                            o->err);
}

/* Finds all that is needed to read the first row: dialect, first record, schema. The settings decide
 * first, then a line that says the delimiter, as spreadsheets write it, then what the file shows. In a
 * table of one column an empty field would be a blank line, so that NA stands for a missing value there,
 * unless the settings name words for it. Leaves the input at the first row. */
static sheaf_status prepare(opening *o, const sheaf_delimited_kind *kind)
{
	sheaf_delimited_reader *in = o->in;
	sheaf_bytes sample;
	const char *words = sheaf_values_text(o->values, "missing");
	SHEAF_TRY(sheaf_dialect_choose(kind, o->values, false, &in->dialect, &o->guess, o->err));
	if (words) {
		SHEAF_TRY(sheaf_copy_text(in->cx, words, strlen(words), &in->missing, o->err));
		sheaf_dialect_set_missing(&in->dialect, in->missing);
	}
	sheaf_dialect usual = in->dialect;
	SHEAF_TRY(sheaf_source_make_rewindable(in->source, o->err));
	SHEAF_TRY(sheaf_delimited_pass_mark(in, o->err));
	o->begin = sheaf_source_tell(in->source);
	o->line = in->line;
	if (in->said && o->guess.delimiter) {
		in->dialect.delimiter = in->said;
		o->guess.delimiter = false;
	}
	SHEAF_TRY(find_dialect(o, &sample));
	in->guessed_delimiter = in->dialect.delimiter != usual.delimiter;
	SHEAF_TRY(sheaf_header_read(o, sample));
	in->dialect.fill = sheaf_values_flag(o->values, "fill");
	SHEAF_TRY(report_dialect(o, &usual));
	if (in->width == 1 && !in->missing) sheaf_dialect_set_missing(&in->dialect, "NA");
	SHEAF_TRY(find_columns(o));
	SHEAF_TRY(sheaf_source_rewind(in->source, o->err));
	return sheaf_delimited_begin(in, o->err);
}

/* Opens a table: decides on dialect, header and types. A speculative reader keeps what the first part
 * contains: each piece is compared with it. */
sheaf_status sheaf_delimited_open(void *reader, const sheaf_delimited_kind *kind, const sheaf_values *values,
                                  const sheaf_opening *how, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	opening o = {.in = in, .values = values, .how = how, .err = err};
	sheaf_records_begin(&o.first, in->cx);
	sheaf_records_begin(&o.sample, in->cx);
	sheaf_status status = prepare(&o, kind);
	sheaf_records_drop(&o.first);
	sheaf_records_drop(&o.sample);
	sheaf_schema_free(&o.names);
	if (in->speculative)
		in->seen = o.seen;
	else
		sheaf_seen_free(&o.seen, in->cx, in->width);
	return status;
}

/* Lists what was decided on header and quotes, for `sheaf info` and its JSON. */
sheaf_status sheaf_delimited_describe(const void *reader, const sheaf_listing *to, sheaf_error *err)
{
	const sheaf_delimited_reader *in = (const sheaf_delimited_reader *)reader;
	(void)err;
	sheaf_listing_open(to, "header", in->header ? "header: names" : "header: none", '{');
	sheaf_listing_flag(to, "names", NULL, in->header);
	sheaf_listing_text(to, "reason", ", since %", in->header_reason);
	if (in->header_confidence > 0)
		sheaf_builder_printf(to->b, to->json ? ",\"confidence\":%.2f" : " (confidence %.2f)",
		                     in->header_confidence);
	sheaf_listing_close(to, "\n", '}');
	sheaf_listing_text(to, "quotes", "quotes: %\n",
	                   !in->dialect.quote         ? "none"
	                   : in->dialect.quote == '"' ? "double"
	                                              : "single");
	return SHEAF_OK;
}

sheaf_status sheaf_delimited_rewind(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	if (to) return sheaf_delimited_resume(in, to, err);
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	return sheaf_delimited_begin(in, err);
}
