/* SPDX-License-Identifier: MIT */
/* Lines of JSON: the table entry, the line that declares the columns, writing. Rows are flat objects, or have
 * a number beside an object of cells or streams:
 *
 *   {"a":1,"b":"x"}      {"row":0,"cells":{"a":1}}      {"key":7,"streams":{"x":[[1,2],[3,4]]}}
 *
 * A first line may declare the columns, since rows do not show all of their types; without it they are
 * inferred. */
#include "base/memory.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "format/csv/delimited.h"
#include "format/jsonl/jsonl.h"
#include "frame/print.h"
#include "io/sink.h"
#include "io/source.h"

static const char *const suffixes[] = {".jsonl", ".ndjson", NULL};
static const sheaf_lined_syntax syntax = {.spaces = SHEAF_LINED_SPACES, .comment = '\n', .stop = '\n'};

static const sheaf_option options[] = {
	{"columns", SHEAF_OPTION_TEXT, SHEAF_READING, "NAME:TYPE[ null],...",
     "declare the columns of a table, and leave out others", 0},
	{"layout", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "declared|bare",
     "whether to write a first line that declares the columns (default: before sequences, and for tables "
     "without rows)",
     0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* Whether the first line declares the columns. */
static bool says_columns(sheaf_bytes head)
{
	return head.size >= sizeof SHEAF_SCHEMA_JSON - 1 &&
	       memcmp(head.data, SHEAF_SCHEMA_JSON, sizeof SHEAF_SCHEMA_JSON - 1) == 0;
}

static sheaf_likely probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	bool object = head.size > 1 && head.data[0] == '{' && head.data[1] == '"';
	if (says_columns(head)) return SHEAF_SURE;
	return (object || sheaf_has_suffix_of(at->name, suffixes)) && sheaf_lined_is_text(head) ? SHEAF_PERHAPS
	                                                                                        : SHEAF_NO;
}

/* ---- opening ---- */

/* Finds the line that declares the columns, empty if there is none, and the number of bytes of the mark
 * before it. The window grows until it has the whole line. */
static sheaf_status find_declaration(const sheaf_jsonl_reader *in, size_t *mark, sheaf_bytes *line,
                                     sheaf_error *err)
{
	size_t size = 0;
	for (size_t most = 4096; size == 0; most *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->source, most, line, err));
		bool is_all = line->size < most;
		*mark = sheaf_utf8_mark(line->data, line->size);
		*line = (sheaf_bytes){line->data + *mark, line->size - *mark};
		if (!says_columns(*line)) break;
		size = (size_t)(sheaf_lined_pass_line(line->data, line->data + line->size) - line->data);
		if (line->data[size - 1] != '\n' && !is_all) size = 0;
	}
	line->size = size;
	return SHEAF_OK;
}

/* Makes the schema: from `columns`, the declaration of the user (NULL: there is none), else from the
 * first line if it declares them, else from what the rows contain. A first line that declares is passed
 * in any case. With `glance`, only the first part of the input is looked at. */
static sheaf_status find_columns(sheaf_jsonl_reader *in, const char *columns, bool glance, sheaf_error *err)
{
	sheaf_bytes line = {0};
	size_t mark;
	SHEAF_TRY(find_declaration(in, &mark, &line, err));
	in->chosen = columns != NULL;
	if (columns)
		SHEAF_TRY(sheaf_columns_declare(columns, in->cx, &in->schema, err));
	else if (line.size) {
		if (line.data[line.size - 1] != '\n') SHEAF_TRY(sheaf_source_check_end(in->source, line, err));
		sheaf_json *json;
		const char *file = sheaf_source_name(in->source);
		SHEAF_TRY(sheaf_json_parse(line.data, line.size, file, &json, err));
		in->schema.cx = in->cx;
		sheaf_status status = sheaf_schema_from_json(json, file, &in->schema, err);
		sheaf_json_free(json);
		SHEAF_TRY(status);
	} else
		return sheaf_jsonl_infer(in, glance, err);
	sheaf_source_consume(in->source, mark + line.size);
	sheaf_lined_begin(&in->lined, line.size ? 2 : 1);
	return SHEAF_OK;
}

/* Opens an input of lines: finds the columns, counts those that each row must have (in->required), and
 * names them for decoding. The key is beside the streams, of which one may have its name. */
static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_jsonl_reader *in = (sheaf_jsonl_reader *)reader;
	in->syntax = &syntax;
	in->facts = SHEAF_NO_FACTS;
	const char *columns = sheaf_values_text(values, "columns");
	SHEAF_TRY(find_columns(in, columns, how->glance == SHEAF_GLANCE_SHOWING, err));
	in->key = sheaf_schema_key(&in->schema);
	for (int c = 0; c < in->schema.nfields; c++) {
		const sheaf_field *field = &in->schema.fields[c];
		in->required += !sheaf_jsonl_may_lack(field);
		if (c == in->key) continue; /* it stands beside the streams, of which one may have its name */
		SHEAF_TRY(sheaf_names_add(&in->names, in->cx, field->name, strlen(field->name), err));
	}
	return SHEAF_OK;
}

static void close_reader(void *reader)
{
	sheaf_jsonl_reader *in = (sheaf_jsonl_reader *)reader;
	sheaf_names_free(&in->names);
}

/* ---- writing ---- */

/* Whether rows are flat objects: of tables, and of sequences that have columns beside their streams, whose
 * lists are written as they are. */
static bool is_flat(const sheaf_schema *schema)
{
	bool beside = schema->rows == SHEAF_CELLS;
	for (int f = 0; f < schema->nfields && !beside; f++)
		beside = schema->fields[f].meaning != SHEAF_KEY && !sheaf_field_is_stream(&schema->fields[f]);
	return beside;
}

/* The line that declares the columns has no words for those beside streams. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	const char *layout = sheaf_values_text(values, "layout");
	bool declares = layout && strcmp(layout, "declared") == 0;
	if (!declares || schema->rows != SHEAF_SEQUENCES || !is_flat(schema)) return SHEAF_OK;
	static const char why[] = " declared: it declares streams, and there are columns beside them"
							  " (" SHEAF_OPTION("streams") " names the streams to keep)";
	return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "layout", why);
}

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	bool declares, silent; /* writes a first line that declares the columns; none at all */
	unsigned *seen;        /* what the texts of each column look like */
} writer;

static sheaf_status declare_columns(writer *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_status status = sheaf_schema_to_json(&out->schema, &b, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, b.data, b.size, err);
	sheaf_builder_drop(&b);
	return status;
}

/* Prepares the writer. Sequences are declared in a first line unless the user wants none; other programs
 * take that line for a row of a table, so that tables have none unless the user wants one. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	const char *layout = sheaf_values_text(values, "layout");
	void *seen;
	(void)totals;
	out->declares = layout ? strcmp(layout, "declared") == 0 : !is_flat(&out->schema);
	out->silent = layout && !out->declares;
	SHEAF_TRY(sheaf_allocate_array(out->cx, (uint64_t)out->schema.nfields, sizeof *out->seen, &seen, err));
	out->seen = (unsigned *)seen;
	return out->declares ? declare_columns(out, err) : SHEAF_OK;
}

static void close_writer(void *created)
{
	writer *out = (writer *)created;
	if (out->seen) sheaf_release(out->cx, out->seen, (size_t)out->schema.nfields * sizeof *out->seen);
}

/* ---- what rows alone show ---- */

/* Whether readers look at the texts of a column to find its type. */
static bool is_looked_at(const writer *out, int f)
{
	bool rows = !out->declares && out->schema.rows == SHEAF_CELLS;
	return rows && out->schema.fields[f].meaning == SHEAF_STRING;
}

/* One ordinary text settles it. */
static unsigned see_texts(const sheaf_column *column, int64_t rows)
{
	unsigned seen = 0;
	for (int64_t r = 0; r < rows && !(seen & SEEN_TEXTS); r++) {
		if (sheaf_level_is_null(&column->levels[0], r)) continue;
		sheaf_bytes text = sheaf_column_bytes(column, sheaf_level_below_one(&column->levels[0], r));
		seen |= sheaf_jsonl_see_text((const char *)text.data, text.size);
	}
	return seen;
}

/* Writes the rows of a blob. It begins with what was seen in its texts, which is added up for `finish`. */
static sheaf_status append(void *created, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)created;
	size_t head = 0;
	for (int f = 0; f < out->schema.nfields; f++) {
		int64_t seen;
		if (!is_looked_at(out, f)) continue;
		memcpy(&seen, blob->bytes.data + head, sizeof seen);
		out->seen[f] |= (unsigned)seen;
		head += sizeof seen;
	}
	if (blob->bytes.size == head) return SHEAF_OK;
	return sheaf_sink_write(out->sink, blob->bytes.data + head, blob->bytes.size - head, err);
}

/* Whether values would change by the type that is inferred from them. */
static bool is_not_inferred(const sheaf_output *output, int f)
{
	const sheaf_field *field = &output->schema.fields[f];
	int digits;
	sheaf_meaning inferred = sheaf_jsonl_meaning(((const writer *)output)->seen[f], &digits);
	return field->type == SHEAF_F32 || field->meaning == SHEAF_CHAR || field->meaning == SHEAF_DURATION ||
	       (field->meaning == SHEAF_STRING && inferred != SHEAF_STRING);
}

/* Ends the output. Without rows only the declaration shows the columns, so that it is written after all,
 * unless the user wants none. Of rows without a declaration a reader infers the types; a warning names
 * columns whose values would change by that. */
static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	if (out->declares) return SHEAF_OK;
	if (out->written == 0 && out->silent)
		return sheaf_fail_option(
			err, SHEAF_USAGE, "layout",
			" bare: without rows, nothing but a first line that declares the columns shows them");
	if (out->schema.rows == SHEAF_SEQUENCES) {
		bool flat = is_flat(&out->schema);
		sheaf_finding finding =
			SHEAF_FINDING(SHEAF_WARNING, "streams not declared", "a first line that declares the streams",
		                  "rows alone, which do not show the types and dimensions",
		                  SHEAF_OPTION("layout") " declared writes that line");
		if (flat)
			finding =
				SHEAF_FINDING(SHEAF_WARNING, "lists in rows", "streams, or one item in each column",
			                  "lists beside items",
			                  "programs read them as they are, but Sheaf does not read them back");
		if (out->written == 0 && !flat) return declare_columns(out, err);
		sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(out->sink), &finding);
		return sheaf_report(out->cx, &problem, err);
	}
	if (out->written == 0) return declare_columns(out, err);
	return sheaf_report_types(&out->output, is_not_inferred, err);
}

/* Encodes rows as lines of JSON on a worker's thread. Before its rows a blob has a number for each column
 * whose texts readers look at: what is in them (append). */
static sheaf_status encode(const void *output, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)output;
	const sheaf_schema *schema = &out->schema;
	/* A flat object with a member of such a name might look like a row of cells, or declare columns. */
	bool looks_other = sheaf_schema_find(schema, "cells") >= 0 || sheaf_schema_find(schema, "sheaf") >= 0;
	bool flat = is_flat(schema) && (schema->rows == SHEAF_SEQUENCES || !looks_other);
	(void)samples;
	for (int f = 0; f < schema->nfields; f++)
		if (is_looked_at(out, f)) sheaf_builder_i64(b, see_texts(&frame->columns[f], frame->nrows));
	for (int64_t r = 0; r < frame->nrows && !b->failed; r++)
		if (flat)
			sheaf_cells_json(b, frame, schema, r, !out->declares), sheaf_builder_byte(b, '\n');
		else
			sheaf_row_text(b, frame, schema, SHEAF_JSON, row, r);
	return sheaf_builder_status(b, err);
}

/* ---- the table ---- */

static const sheaf_random_access random_access = {
	.recall = sheaf_lined_recall,
	.resumes = true,
};

static const sheaf_writing writing = {
	.takes = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS,
	.columns = SHEAF_PLAIN_COLUMN,
	.output_size = sizeof(writer),
	.accept = accept,
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_writer,
};

const sheaf_format sheaf_format_jsonl = {
	.name = "jsonl",
	.summary = "lines of JSON: sequences, or flat objects as a table",
	.suffixes = suffixes,
	.can = SHEAF_CAN_KEYS,
	.text = SHEAF_TEXT_OF_TEXTS,
	.options = options,
	.random = &random_access,
	.write = &writing,
	.probe = probe,
	.reader_size = sizeof(sheaf_jsonl_reader),
	.open = open_reader,
	.cut = sheaf_lined_cut,
	.decode = sheaf_jsonl_decode,
	.rewind = sheaf_lined_rewind,
	.close = close_reader,
};
