/* SPDX-License-Identifier: MIT */
/* Columns as users write them, and coordinates among them. */
#include "base/context.h"
#include "base/memory.h"
#include "delimited/delimited.h"
#include "number/number.h"
#include <inttypes.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t') at++;
	return at;
}

static bool takes_word(const char **at, const char *word)
{
	size_t n = strlen(word);
	const char *from = skip_blanks(*at);
	char behind = from[0] && strlen(from) >= n ? from[n] : '\0';
	if (strncasecmp(from, word, n) != 0 || (behind && !strchr(" \t,>", behind))) return false;
	*at = from + n;
	return true;
}

static sheaf_status refuse(const char *at, const char *expected, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_USAGE, "--columns: expected %s, found \"%.40s\"", expected, at);
}

/* NAME:TYPE, then null or not null, which is by itself what `nullable` says. */
static sheaf_status declare_one(const char **at, bool nullable, sheaf_context *cx, sheaf_schema *out, sheaf_error *err)
{
	sheaf_field *field;
	const char *name = skip_blanks(*at), *colon = strchr(name, ':');
	if (!colon || colon == name) return refuse(name, "NAME:TYPE", err);
	const char *type = skip_blanks(colon + 1), *end = type + strcspn(type, " \t,>");
	size_t n = (size_t)(colon - name);
	SHEAF_TRY(sheaf_schema_add(out, cx, name, n, &field, err));
	if (sheaf_schema_find(out, field->name) < out->nfields - 1) return refuse(name, "a name for each column", err);
	*at = end;
	if (takes_word(at, "not")) {
		if (!takes_word(at, "null")) return refuse(*at, "null behind not", err);
		nullable = false;
	} else if (takes_word(at, "null")) {
		nullable = true;
	}
	if (sheaf_item_make(field, type, (size_t)(end - type), nullable)) return SHEAF_OK;
	return refuse(type, "a type (bool, char, int8 to uint64, float, double, datetime, datetimetz, string, binary, complex64, complex128)", err);
}

/* As in SciDB's schemas, columns in angle brackets may have nothing unless they say otherwise. */
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

void sheaf_columns_text(sheaf_builder *b, const sheaf_schema *schema)
{
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		const char *type = field->meaning == SHEAF_COORDINATE ? "int64" : sheaf_item_type(field);
		bool nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
		sheaf_builder_printf(b, "%s%s:%s%s", f ? "," : "", field->name, type, nullable ? " null" : "");
	}
}

static bool is_item(const sheaf_field *field)
{
	return field->meaning != SHEAF_KEY && field->meaning != SHEAF_SPELLING && field->nlevels <= 1;
}

sheaf_status sheaf_delimited_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx, sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	(void)file, (void)own;
	for (int f = 0; f < schema->nfields; f++)
		if (!is_item(&schema->fields[f]))
			return sheaf_fail(err, SHEAF_UNSUPPORTED, "column \"%s\": expected one item in each row, found another shape", schema->fields[f].name);
	sheaf_builder_resume(&b, cx, text);
	sheaf_builder_text(&b, "# options\n--columns '");
	sheaf_columns_text(&b, schema);
	sheaf_builder_text(&b, "'\n");
	return sheaf_builder_finish(&b, text, err);
}

/* ---- coordinates ---- */

/* The column of a coordinate's name, of n bytes; it must be a whole number. */
static sheaf_status find_coordinate(const sheaf_delimited_reader *in, const char *name, size_t n, int *column, sheaf_error *err)
{
	for (*column = 0; *column < in->table.nfields; ++*column) {
		const sheaf_field *field = &in->table.fields[*column];
		if (strlen(field->name) != n || memcmp(field->name, name, n) != 0) continue;
		if (field->meaning == SHEAF_NUMBER && field->nlevels == 0 && field->type < SHEAF_F32) return SHEAF_OK;
		return sheaf_fail(err, SHEAF_DATA, "%s: column \"%s\": expected coordinates, whole numbers in every row, found %s%s", sheaf_source_name(in->source),
		                  field->name, sheaf_item_type(field), field->nlevels ? " that may be missing" : "");
	}
	return sheaf_fail(err, SHEAF_USAGE, "--coordinates: expected names of columns, found \"%.*s\"", (int)n, name);
}

static sheaf_status next_extent(const char **shape, int64_t *out, sheaf_error *err)
{
	uint64_t v = 0;
	const char *end = *shape + strlen(*shape);
	sheaf_scanned scanned = sheaf_scan_u64(*shape, end, &v);
	if (scanned.flaw || v > INT64_MAX || (*scanned.end && *scanned.end != ','))
		return sheaf_fail(err, SHEAF_USAGE, "--shape: expected the extents of the coordinates, as in 10,20, found \"%s\"", *shape);
	*out = (int64_t)v;
	*shape = *scanned.end ? scanned.end + 1 : scanned.end;
	return SHEAF_OK;
}

typedef struct entries {
	int rank;
	int columns[SHEAF_MAX_RANK];
	int64_t shape[SHEAF_MAX_RANK];
	const char *names[SHEAF_MAX_RANK];
	int value;
} entries;

static sheaf_status gather(const sheaf_delimited_reader *in, const char *names, const char *shape, const int64_t *most, entries *e, sheaf_error *err)
{
	for (const char *end = names; *names; names = *end ? end + 1 : end) {
		end = names + strcspn(names, ",");
		int *column = &e->columns[e->rank];
		if (e->rank == SHEAF_MAX_RANK) return sheaf_fail(err, SHEAF_UNSUPPORTED, "--coordinates: expected at most %d, found more", SHEAF_MAX_RANK);
		SHEAF_TRY(find_coordinate(in, names, (size_t)(end - names), column, err));
		for (int d = 0; d < e->rank; d++)
			if (e->columns[d] == *column) return sheaf_fail(err, SHEAF_USAGE, "--coordinates: expected each column once, found \"%s\" twice", e->names[d]);
		e->names[e->rank] = in->table.fields[*column].name;
		if (shape)
			SHEAF_TRY(next_extent(&shape, &e->shape[e->rank], err));
		else
			e->shape[e->rank] = most[in->columns[*column]] < INT64_MAX ? most[in->columns[*column]] + 1 : INT64_MAX;
		e->rank++;
	}
	if (shape && *shape) return sheaf_fail(err, SHEAF_USAGE, "--shape: expected as many extents as there are coordinates (%d), found more", e->rank);
	return SHEAF_OK;
}

static sheaf_status find_value(const sheaf_delimited_reader *in, entries *e, sheaf_error *err)
{
	const char *file = sheaf_source_name(in->source);
	e->value = -1;
	for (int f = 0; f < in->table.nfields; f++) {
		bool taken = false;
		for (int d = 0; d < e->rank; d++) taken |= e->columns[d] == f;
		if (taken) continue;
		if (e->value >= 0)
			return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected one column beside the coordinates, found \"%s\" and \"%s\"; declare those that are wanted (--columns)",
			                  file, in->table.fields[e->value].name, in->table.fields[f].name);
		e->value = f;
	}
	if (e->value < 0) return sheaf_fail(err, SHEAF_DATA, "%s: expected a column of values beside the coordinates, found none", file);
	const sheaf_field *field = &in->table.fields[e->value];
	bool number = field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL || field->meaning == SHEAF_COMPLEX;
	if (number && (field->nlevels == 0 || field->levels[0].missing == SHEAF_NEVER)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: column \"%s\": expected numbers, one in every row, found %s%s", file, field->name, sheaf_item_type(field),
	                  field->nlevels && field->levels[0].missing ? " that may be missing" : "");
}

sheaf_status sheaf_columns_make_entries(sheaf_delimited_reader *in, const char *names, const char *shape, const int64_t *most, sheaf_error *err)
{
	entries e = {.rank = 0};
	sheaf_field *value;
	int columns[SHEAF_MAX_RANK + 1];
	SHEAF_TRY(gather(in, names, shape, most, &e, err));
	SHEAF_TRY(find_value(in, &e, err));
	SHEAF_TRY(sheaf_schema_make_entries(&in->schema, in->cx, e.rank, e.shape, e.names, &value, err));
	const sheaf_field *from = &in->table.fields[e.value];
	value->meaning = from->meaning;
	value->type = from->type;
	value->nlevels = from->nlevels;
	memcpy(value->levels, from->levels, sizeof value->levels);
	in->schema.tensor.sorted = in->schema.tensor.unique = false;
	for (int d = 0; d < e.rank; d++) columns[d] = in->columns[e.columns[d]];
	columns[e.rank] = in->columns[e.value];
	memcpy(in->columns, columns, (size_t)(e.rank + 1) * sizeof *columns);
	return SHEAF_OK;
}
