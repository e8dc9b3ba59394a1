/* SPDX-License-Identifier: MIT */
/* Lines of JSON: the table entry, the line that declares the columns, writing. */
#include "base/spell.h"
#include "base/suffix.h"
#include "data/print.h"
#include "format/jsonl/jsonl.h"
#include "io/source.h"

static const char *const suffixes[] = {".jsonl", ".ndjson", NULL};
static const sheaf_lined_syntax syntax = {.spaces = SHEAF_LINED_SPACES, .comment = '\n', .stop = '\n'};

static const sheaf_option options[] = {
	{"rows-only", SHEAF_OPTION_FLAG, SHEAF_WRITING, NULL,
     "leave out the first line, which declares columns that rows alone do not show: types are then "
     "inferred when the file is read",
     0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

static bool says_columns(sheaf_bytes head)
{
	return head.size >= sizeof SHEAF_SCHEMA_JSON - 1 &&
	       memcmp(head.data, SHEAF_SCHEMA_JSON, sizeof SHEAF_SCHEMA_JSON - 1) == 0;
}

static sheaf_likely probe(sheaf_bytes head, const char *name)
{
	bool object = head.size > 1 && head.data[0] == '{' && head.data[1] == '"';
	if (says_columns(head)) return SHEAF_SURE;
	return (object || sheaf_has_suffix_of(name, suffixes)) && sheaf_lined_is_text(head) ? SHEAF_PERHAPS
	                                                                                    : SHEAF_NO;
}

/* ---- opening ---- */

static sheaf_status find_columns(sheaf_jsonl_reader *in, bool glance, sheaf_error *err)
{
	sheaf_bytes line = {0};
	sheaf_json *json;
	size_t size = 0;
	for (size_t most = 4096; size == 0; most *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->source, most, &line, err));
		if (!says_columns(line)) return sheaf_jsonl_infer(in, glance, err);
		size = (size_t)(sheaf_lined_pass_line(line.data, line.data + line.size) - line.data);
		if (line.data[size - 1] != '\n' && line.size >= most) size = 0;
	}
	SHEAF_TRY(sheaf_json_parse(line.data, size, sheaf_source_name(in->source), &json, err));
	in->schema.cx = in->cx;
	sheaf_status status = sheaf_schema_from_json(json, sheaf_source_name(in->source), &in->schema, err);
	sheaf_json_free(json);
	SHEAF_TRY(status);
	sheaf_source_consume(in->source, size);
	sheaf_lined_begin(&in->lined, 2);
	return SHEAF_OK;
}

static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_jsonl_reader *in = (sheaf_jsonl_reader *)reader;
	(void)values;
	in->syntax = &syntax;
	in->facts = SHEAF_NO_FACTS;
	SHEAF_TRY(find_columns(in, how->glance == SHEAF_GLANCE_SHOWING, err));
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

/* The line that declares the columns has no word for lists of items, so they could not be read again. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	(void)values;
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		if (field->nlevels <= 1 || sheaf_field_is_stream(field)) continue;
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "column \"%s\": expected a stream, or one item in each row, found an item for each "
		                  "sample (" SHEAF_OPTION("streams") " names the streams to keep)",
		                  field->name);
	}
	return SHEAF_OK;
}

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	bool rows_only;
} writer;

/* Whether rows show what their columns are: other programs take the line that declares them for a row.
 * Numbers of other types need the line, since readers take them for these. */
static bool rows_show_columns(const sheaf_schema *schema)
{
	bool shown = schema->rows == SHEAF_CELLS;
	for (int f = 0; f < schema->nfields; f++) {
		sheaf_meaning meaning = schema->fields[f].meaning;
		sheaf_type type = schema->fields[f].type;
		bool number = meaning == SHEAF_NUMBER && (type == SHEAF_I64 || type == SHEAF_F64);
		shown &= number || meaning == SHEAF_STRING || meaning == SHEAF_BOOL;
	}
	return shown;
}

static sheaf_status declare_columns(writer *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_status status = sheaf_schema_to_json(&out->schema, &b, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, b.data, b.size, err);
	sheaf_builder_drop(&b);
	return status;
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	(void)totals;
	out->rows_only = sheaf_values_flag(values, "rows-only");
	return out->rows_only || rows_show_columns(&out->schema) ? SHEAF_OK : declare_columns(out, err);
}

/* A table without rows has nothing else that shows its columns. */
static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	bool silent = out->written == 0 && rows_show_columns(&out->schema);
	return silent && !out->rows_only ? declare_columns(out, err) : SHEAF_OK;
}

static sheaf_status encode(const void *output, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const sheaf_schema *schema = &((const sheaf_output *)output)->schema;
	/* A flat object with a member of that name might look like a row of cells. */
	bool flat = schema->rows == SHEAF_CELLS && sheaf_schema_find(schema, "cells") < 0;
	(void)samples;
	for (int64_t r = 0; r < frame->nrows && !b->failed; r++)
		if (flat)
			sheaf_cells_json(b, frame, schema, r, true), sheaf_builder_byte(b, '\n');
		else
			sheaf_row_text(b, frame, schema, SHEAF_JSON, row, r);
	return sheaf_builder_status(b, err);
}

/* ---- the table ---- */

static const sheaf_random_access random_access = {
	.recall = sheaf_lined_recall,
	.resume = sheaf_lined_resume,
};

static const sheaf_writing writing = {
	.takes = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS,
	.output_size = sizeof(writer),
	.accept = accept,
	.create = create,
	.encode = encode,
	.finish = finish,
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
