/* SPDX-License-Identifier: MIT */
/* Columns in the notation of users, which is that of SciDB's schemas: "a:int64, b:string null", with or
 * without angle brackets around all. A name ends at the first colon and may have blanks within; words are
 * taken in letters of any case. */
#include "base/context.h"
#include "base/memory.h"
#include "format/csv/delimited.h"
#include <stdio.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t') at++;
	return at;
}

/* Moves past a word, if it is there as a whole. */
static bool takes_word(const char **at, const char *word)
{
	size_t n = strlen(word);
	const char *from = skip_blanks(*at);
	char after = (char)(from[0] && strlen(from) >= n ? from[n] : '\0');
	if (strncasecmp(from, word, n) != 0 || (after && !strchr(" \t,>", after))) return false;
	*at = from + n;
	return true;
}

static sheaf_status refuse(const char *at, const char *expected, sheaf_error *err)
{
	return sheaf_fail_option(err, SHEAF_USAGE, "columns", ": expected %s, found \"%.40s\"", expected, at);
}

/* Adds the column that `*at` declares, NAME:TYPE, followed by null, not null, or nothing, which means
 * what `nullable` says. *at becomes the byte after it. */
static sheaf_status declare_one(const char **at, bool nullable, sheaf_context *cx, sheaf_schema *out,
                                sheaf_error *err)
{
	sheaf_field *field;
	const char *name = skip_blanks(*at), *colon = strchr(name, ':');
	if (!colon || colon == name) return refuse(name, "NAME:TYPE", err);
	const char *type = skip_blanks(colon + 1), *end = type + strcspn(type, " \t,>");
	size_t n = (size_t)(colon - name);
	SHEAF_TRY(sheaf_schema_add(out, cx, name, n, &field, err));
	if (sheaf_schema_find(out, field->name) < out->nfields - 1)
		return refuse(name, "a name for each column", err);
	*at = end;
	if (takes_word(at, "not")) {
		if (!takes_word(at, "null")) return refuse(*at, "null after not", err);
		nullable = false;
	} else if (takes_word(at, "null")) {
		nullable = true;
	}
	n = (size_t)(end - type);
	if (sheaf_item_make(field, type, n, nullable)) return SHEAF_OK;
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), type);
	sheaf_status status = sheaf_fail_option(
		err, SHEAF_USAGE, "columns",
		": expected a type (bool, char, int8 to uint64, float, double, date, "
		"time, datetime, datetimetz, duration, string, binary, complex64, complex128), found \"%s\"",
		word);
	sheaf_error_append_near(err, sheaf_item_nearest(word));
	return status;
}

/* Makes a schema from columns in the notation of users. As in SciDB's schemas, columns in angle brackets
 * are nullable unless they say otherwise. *out is empty after an error. */
sheaf_status sheaf_columns_declare(const char *text, sheaf_context *cx, sheaf_schema *out, sheaf_error *err)
{
	const char *at = skip_blanks(text);
	bool angled = *at == '<';
	*out = (sheaf_schema){.rows = SHEAF_CELLS, .cx = cx};
	at += angled;
	sheaf_status status = declare_one(&at, angled, cx, out, err);
	while (status == SHEAF_OK && *(at = skip_blanks(at)) == ',') {
		at++;
		status = declare_one(&at, angled, cx, out, err);
	}
	if (status == SHEAF_OK && angled && *at++ != '>') status = refuse(at - 1, "'>' or ','", err);
	if (status == SHEAF_OK && *skip_blanks(at)) status = refuse(at, "',' or the end", err);
	if (status) sheaf_schema_free(out);
	return status;
}

/* Coordinates of entries are integers in a table. */
void sheaf_columns_text(sheaf_builder *b, const sheaf_schema *schema)
{
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		const char *type = field->meaning == SHEAF_COORDINATE ? "int64" : sheaf_item_type(field);
		bool nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
		sheaf_builder_printf(b, "%s%s:%s%s", f ? "," : "", field->name, type, nullable ? " null" : "");
	}
}

/* Appends the options that read such columns back, as a file of options has them. */
sheaf_status sheaf_delimited_declare(const sheaf_schema *schema, const char *file, bool own,
                                     sheaf_context *cx, sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	(void)file, (void)own;
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		if (field->meaning == SHEAF_KEY || field->meaning == SHEAF_SPELLING || field->nlevels > 1)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "column \"%s\": expected one item in each row, found another shape",
			                  field->name);
	}
	sheaf_builder_resume(&b, cx, text);
	sheaf_builder_text(&b, "# options\n--columns '");
	sheaf_columns_text(&b, schema);
	sheaf_builder_text(&b, "'\n");
	return sheaf_builder_finish(&b, text, err);
}
