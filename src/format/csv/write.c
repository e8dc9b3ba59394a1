/* SPDX-License-Identifier: MIT */
/* The writer: which schemas it accepts, what it reports before the first row and after the last, and the line
 * of names. encode.c writes the rows.
 *
 * Text has no place for types, and a table of entries none for its shape. So the writer looks at what it
 * writes with the eyes of a reader: whatever a reader without settings would find otherwise is a finding,
 * with the option that reads it back. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/csv/delimited.h"
#include "frame/frame.h"
#include "frame/schema/names.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- accepted schemas ---- */

/* Whether a column has one item in each row, which is one field of a record: a value, or a run of bytes or of
 * parts that are written together, as texts and complex numbers are. Keys and spellings belong to sequences
 * and categories, which are other columns in a table. */
static bool is_item(const sheaf_field *field)
{
	if (field->meaning == SHEAF_KEY || field->meaning == SHEAF_SPELLING || field->nlevels > 1) return false;
	if (field->nlevels == 0) return !sheaf_means_run(field->meaning);
	const sheaf_level_shape *level = &field->levels[0];
	if (sheaf_means_run(field->meaning)) return level->kind == SHEAF_LIST || level->kind == SHEAF_FIXED;
	return level->kind == SHEAF_FIXED && level->extent == 1;
}

/* Refuses a header that would name other columns when it is read again: a reader gives a repeated name a
 * number, and names a column without a name by its number. Without a header (--header no) there is
 * nothing to refuse. */
static sheaf_status check_names(const sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_names_free) sheaf_names names = {0};
	const char *header = sheaf_values_text(values, "header");
	if (header && strcmp(header, "no") == 0) return SHEAF_OK;
	for (int f = 0; f < schema->nfields; f++) {
		const char *name = schema->fields[f].name;
		if (sheaf_names_find(&names, name, strlen(name), -1) >= 0)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "column \"%s\": expected a name for each column, found it twice; " SHEAF_OPTION(
								  "header") " no writes none",
			                  name);
		if (!*name)
			return sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"column %d: expected a name, found none; " SHEAF_OPTION("header") " no writes none", f);
		SHEAF_TRY(sheaf_names_add(&names, schema->cx, name, strlen(name), err));
	}
	return SHEAF_OK;
}

/* Accepts a schema of columns with one item in each row, and refuses others. The structure and the fill
 * value of a tensor go, since its entries are written one by one as they are. */
sheaf_status sheaf_delimited_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	if (schema->nfields == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected at least one column, found none");
	for (int f = 0; f < schema->nfields; f++)
		if (!is_item(&schema->fields[f]))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "column \"%s\": expected one item in each row, found another shape",
			                  schema->fields[f].name);
	schema->tensor.structure = SHEAF_GENERAL;
	schema->tensor.has_fill = false;
	return check_names(schema, values, err);
}

/* ---- what is reported before the first row ---- */

/* `column` is the name of the one that the finding is about, or NULL. */
static sheaf_status warn(const sheaf_output *out, const char *column, sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(out->sink), &finding);
	problem.place.stream = column;
	problem.place.stream_word = "column";
	return sheaf_report(out->cx, &problem, err);
}

/* Whether the type inferred when the column is read again would change its values. Integers of all sizes come
 * back as 64 bits with the same values, and are not lost; a float comes back as a double with other digits; a
 * duration looks like a number, bytes like a text. Times show what they are, except in SciDB's quotes. */
static bool is_not_inferred(const sheaf_output *output, int f)
{
	const sheaf_dialect *dialect = &((const sheaf_delimited_writer *)output)->dialect;
	const sheaf_field *field = &output->schema.fields[f];
	if (field->meaning == SHEAF_DURATION) return true;
	if (sheaf_means_time(field->meaning)) return dialect->quote && dialect->escape;
	return field->meaning == SHEAF_BYTES || field->meaning == SHEAF_CHAR || field->meaning == SHEAF_COMPLEX ||
	       (field->meaning == SHEAF_NUMBER && field->type == SHEAF_F32);
}

/* Warns of columns whose types a reader would not infer from the text; is_lost says which they are. Up to
 * FEW columns are reported one by one; of more, the first one is named for all. */
sheaf_status sheaf_report_types(const sheaf_output *out, bool (*is_lost)(const sheaf_output *out, int field),
                                sheaf_error *err)
{
	enum { FEW = 3 };
	int nlost = 0;
	for (int f = 0; f < out->schema.nfields; f++) nlost += is_lost(out, f);
	for (int f = 0; f < out->schema.nfields; f++) {
		char advice[160], found[96], others[32] = "";
		const sheaf_field *field = &out->schema.fields[f];
		const char *type = sheaf_item_type(field);
		if (!is_lost(out, f)) continue;
		if (nlost > FEW) snprintf(others, sizeof others, " here and in %d others", nlost - 1);
		snprintf(found, sizeof found, "%s%s, which the text does not record", type, others);
		snprintf(advice, sizeof advice, "read it back with " SHEAF_OPTION("columns") " and %.40s:%s%s%s",
		         field->name, type, sheaf_field_is_nullable(field) ? " null" : "",
		         nlost > FEW               ? ", ... among all columns"
		         : out->schema.nfields > 1 ? " among all columns"
		                                   : "");
		SHEAF_TRY(warn(
			out, field->name,
			SHEAF_FINDING(SHEAF_WARNING, "element type not stored", "a type that text shows", found, advice),
			err));
		if (nlost > FEW) break;
	}
	return SHEAF_OK;
}

/* ---- what is reported after the last row ---- */

/* The extents of a tensor in the notation of --shape. */
static void put_shape(char *text, size_t size, const int64_t *shape, int rank)
{
	size_t used = 0;
	text[0] = '\0';
	for (int d = 0; d < rank; d++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d ? "," : "", shape[d]);
}

/* Warns if the entries of a tensor do not reach the ends of its shape. The text does not record the
 * shape: readers of the entries take the largest coordinates for it, and so take the tensor for smaller
 * than it is. out->reached has the extents of the entries; NULL: the rows are no entries. */
static sheaf_status report_shape(const sheaf_delimited_writer *out, sheaf_error *err)
{
	enum { SHAPE = SHEAF_MAX_RANK * 24 };
	const sheaf_tensor *tensor = &out->schema.tensor;
	char shape[SHAPE], reached[SHAPE], expected[64 + SHAPE], advice[64 + SHAPE];
	bool reaches_ends = true;
	int64_t extents[SHEAF_MAX_RANK];
	if (!out->reached) return SHEAF_OK;
	for (int d = 0; d < tensor->rank; d++) {
		extents[d] = out->reached[d];
		reaches_ends &= extents[d] == tensor->shape[d];
	}
	if (reaches_ends) return SHEAF_OK;
	put_shape(shape, sizeof shape, tensor->shape, tensor->rank);
	put_shape(reached, sizeof reached, extents, tensor->rank);
	snprintf(expected, sizeof expected, "entries that reach the ends of the shape %s", shape);
	snprintf(advice, sizeof advice, "read it back with " SHEAF_OPTION("shape") " %s", shape);
	char found[32 + SHAPE];
	snprintf(found, sizeof found, "ones that reach %s", reached);
	return warn(&out->output, NULL, SHEAF_FINDING(SHEAF_WARNING, "shape not stored", expected, found, advice),
	            err);
}

/* ---- the writer's life ---- */

/* Chooses how missing values are written: as the setting says, else as an empty field, which is missing
 * in all programs. But in a table of one column that would be an empty line, which may be nothing at all,
 * and without quotes an empty text and a missing one would look the same: a word is written then. SciDB
 * writes the word null. A word for missing values is one for the dialect as well, so that a text that is
 * this word is put in quotes. */
static sheaf_status choose_nulls(sheaf_delimited_writer *out, const sheaf_values *values, sheaf_error *err)
{
	static const char *const words[] = {"null", "\\N", "NA", "NULL"};
	const char *setting = sheaf_values_text(values, "null");
	bool escapes = out->dialect.quote && out->dialect.escape,
		 is_single_column = out->schema.nfields == 1 && !out->code_columns;
	out->null_word = setting ? words[0] : !out->dialect.quote ? "\\N" : escapes ? "null" : "NA";
	for (size_t i = 0; i < sizeof words / sizeof *words && setting; i++)
		if (strcmp(setting, words[i]) == 0) out->null_word = words[i];
	if (setting && strcmp(setting, "?n") == 0)
		out->nulls = NULL_CODE;
	else if (setting ? strcmp(setting, "empty") == 0 : !escapes && !is_single_column)
		out->nulls = NULL_EMPTY;
	else
		sheaf_dialect_set_missing(&out->dialect, out->null_word);
	for (int f = 0; f < out->schema.nfields && setting && out->nulls == NULL_EMPTY && !out->dialect.quote;
	     f++) {
		const sheaf_field *field = &out->schema.fields[f];
		if (sheaf_delimited_may_be_empty(field->meaning) && sheaf_field_is_nullable(field))
			return sheaf_fail_option(err, SHEAF_USAGE, "null",
			                         " empty: expected a dialect in which an empty text differs from a "
			                         "missing value, found column \"%s\" in a dialect without quotes",
			                         field->name);
	}
	return SHEAF_OK;
}

/* Appends a name to a line of names. */
static void put_name(sheaf_builder *b, const sheaf_delimited_writer *out, const char *name, bool quoted)
{
	if (b->size) sheaf_builder_byte(b, (char)out->dialect.delimiter);
	sheaf_delimited_put_name(b, &out->dialect, (const uint8_t *)name, strlen(name), quoted);
}

/* Appends the line of names. If one of them looks like a value, or begins with a bar, as streams do in
 * other text, or as a line does that says the delimiter, all names are in quotes: some alone would look
 * like values, too. A column whose missing values have codes is followed by the column of these codes. */
static void put_header(sheaf_builder *b, const sheaf_delimited_writer *out)
{
	char code[256];
	bool quoted = out->quoted_names;
	for (int f = 0; f < out->schema.nfields && out->dialect.quote && !quoted; f++) {
		const char *name = out->schema.fields[f].name;
		const uint8_t *text = (const uint8_t *)name;
		size_t size = strlen(name);
		quoted = name[0] == '|' || strncmp(name, "sep=", 4) == 0 || sheaf_begins_as_number(text, size) ||
		         sheaf_text_looks_otherwise(text, size, &out->dialect);
	}
	for (int f = 0; f < out->schema.nfields; f++) {
		const sheaf_field *field = &out->schema.fields[f];
		put_name(b, out, field->name, quoted);
		if (!out->code_columns || !sheaf_field_is_nullable(field)) continue;
		snprintf(code, sizeof code, "%.*s_code", (int)sizeof code - 8, field->name);
		put_name(b, out, code, quoted);
	}
	sheaf_builder_byte(b, '\n');
}

/* Prepares the writer and writes the header. Between tabs, other programs know quotes, and no
 * backslashes, so that linear TSV with a header gets quotes instead of escapes; names in quotes tell a
 * reader at once that texts may be in them. Without names nothing would tell it, so that linear TSV stays
 * as it is; and a user who asks for the missing value of linear TSV, \N, gets that. */
sheaf_status sheaf_delimited_create(void *writer, const sheaf_delimited_kind *kind,
                                    const sheaf_values *values, sheaf_error *err)
{
	sheaf_delimited_writer *out = (sheaf_delimited_writer *)writer;
	sheaf_dialect_guess guess;
	const char *header = sheaf_values_text(values, "header"), *null = sheaf_values_text(values, "null");
	out->kind = kind;
	SHEAF_TRY(sheaf_dialect_choose(kind, values, true, &out->dialect, &guess, err));
	out->header = !header || strcmp(header, "no") != 0;
	out->code_columns = sheaf_values_flag(values, "code-columns");
	if (sheaf_dialect_is_linear(&out->dialect) && out->header && !(null && strcmp(null, "\\N") == 0)) {
		out->dialect.quote = '"';
		out->dialect.escape = 0;
		for (int f = 0; f < out->schema.nfields; f++)
			out->quoted_names |= sheaf_delimited_may_be_empty(out->schema.fields[f].meaning);
	}
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	SHEAF_TRY(choose_nulls(out, values, err));
	SHEAF_TRY(sheaf_report_types(&out->output, is_not_inferred, err));
	if (out->schema.rows == SHEAF_ENTRIES) /* threads that encode entries note how far these reach */
		SHEAF_TRY(sheaf_allocate_array(out->cx, (uint64_t)out->schema.tensor.rank, sizeof *out->reached,
		                               &out->reached, err));
	if (!out->header) return SHEAF_OK;
	put_header(&b, out);
	SHEAF_TRY(sheaf_builder_status(&b, err));
	return sheaf_sink_write(out->sink, b.data, b.size, err);
}

/* Finds out whether a reader without settings takes the header, which is all of the file, for what it is:
 * it opens the header in memory with a context that reports nothing. If codes of missing values have
 * columns of their own, the reader has more columns than the schema, and only a header at all is asked
 * for. */
static sheaf_status try_header(const sheaf_delimited_writer *out, sheaf_context *quiet, bool *is_recognized,
                               sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = quiet};
	sheaf_error why;
	sheaf_delimited_reader in = {.cx = quiet};
	const sheaf_values none = {NULL, 0};
	put_header(&b, out);
	SHEAF_TRY(sheaf_builder_status(&b, err));
	SHEAF_TRY(
		sheaf_source_memory(sheaf_builder_bytes(&b), sheaf_sink_name(out->sink), quiet, &in.source, err));
	sheaf_status status = sheaf_delimited_open(&in, out->kind, &none, &(sheaf_opening){.rows = 0}, &why);
	*is_recognized =
		status == SHEAF_OK && in.header && (out->code_columns || in.schema.nfields == out->schema.nfields);
	for (int f = 0; f < out->schema.nfields && *is_recognized && !out->code_columns; f++)
		*is_recognized = strcmp(in.schema.fields[f].name, out->schema.fields[f].name) == 0;
	status = sheaf_forgive(status, "what cannot be read is not what was written");
	sheaf_delimited_close(&in);
	sheaf_schema_free(&in.schema);
	sheaf_source_close(in.source);
	return status;
}

/* Ends a table. If it has no rows, the names alone are read again, and a warning follows if a reader does
 * not take them for names; rows below the names would have shown it. A table of neither names nor rows is
 * refused, as an empty file is none. */
sheaf_status sheaf_delimited_finish(void *writer, sheaf_error *err)
{
	const sheaf_delimited_writer *out = (const sheaf_delimited_writer *)writer;
	bool is_recognized = true;
	if (!out->written && !out->header)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a row or a header, since an empty file is no table, found neither",
		                  sheaf_sink_name(out->sink));
	if (out->written == 0) {
		sheaf_context *quiet;
		SHEAF_TRY(sheaf_context_quiet(out->cx, &quiet, err));
		sheaf_status status = try_header(out, quiet, &is_recognized, err);
		sheaf_context_free(quiet);
		SHEAF_TRY(status);
	}
	if (!is_recognized)
		SHEAF_TRY(warn(&out->output, NULL,
		               SHEAF_FINDING(SHEAF_WARNING, "header in doubt",
		                             "rows, or names that do not look like values", "names alone that do",
		                             "read them back with " SHEAF_OPTION("header") " yes"),
		               err));
	return report_shape(out, err);
}

void sheaf_delimited_close_output(void *writer)
{
	sheaf_delimited_writer *out = (sheaf_delimited_writer *)writer;
	sheaf_release(out->cx, (void *)out->reached, (size_t)out->schema.tensor.rank * sizeof *out->reached);
}
