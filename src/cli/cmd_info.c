/* SPDX-License-Identifier: MIT */
/* sheaf info: what is known about a file without reading all of it. */
#include "cli.h"
#include <inttypes.h>
#include <string.h>

typedef struct info {
	const char *file, *format, *summary, *compression, *encoding;
	bool is_container;
	int64_t bytes;
	sheaf_facts facts;
	sheaf_index_info index;
	const sheaf_schema *schema;
	sheaf_buffer more; /* known only to the format */
	flaws flaws;
} info;

static info gather(const session *s, const sheaf_dataset *dataset)
{
	const sheaf_format *format = sheaf_dataset_format(dataset);
	const sheaf_source *source = sheaf_dataset_source(dataset);
	info i = {.file = s->label,
	          .format = sheaf_format_name(format),
	          .summary = sheaf_format_summary(format),
	          .is_container = sheaf_format_can(format) & SHEAF_CAN_CONTAIN,
	          .schema = sheaf_dataset_schema(dataset)};
	i.bytes = sheaf_source_bytes(source);
	i.compression = sheaf_source_compression(source);
	i.encoding = sheaf_source_encoding(source);
	sheaf_dataset_facts(dataset, &i.facts);
	sheaf_dataset_index(dataset, &i.index);
	return i;
}

/* ---- text ---- */

static void print_line(const char *name, const char *value)
{
	out_text(name);
	out_text(": ");
	out_text(value);
	out_text("\n");
}

static void print_count(const char *name, int64_t count)
{
	if (count >= 0)
		out_printf("%s: %" PRId64 "\n", name, count);
	else
		out_printf("%s: not counted (see sheaf stats)\n", name);
}

/* Streams, or the columns beside them. */
static bool is_listed(const sheaf_field *field, bool streams)
{
	return field->meaning != SHEAF_KEY && sheaf_field_is_stream(field) == streams;
}

static int count_listed(const sheaf_schema *schema, bool streams)
{
	int n = 0;
	for (int f = 0; f < schema->nfields; f++) n += is_listed(&schema->fields[f], streams);
	return n;
}

static bool is_nullable(const sheaf_field *field)
{
	bool any = false;
	for (int l = 0; l < field->nlevels; l++) any |= field->levels[l].missing == SHEAF_NULLABLE;
	return any;
}

/* A stream, or what would be one if nothing of it were missing. */
static bool has_dim(const sheaf_field *field)
{
	return sheaf_field_is_stream(field) ||
	       (field->meaning == SHEAF_NUMBER && field->nlevels > 1 && field->levels[0].kind == SHEAF_LIST);
}

static void print_field(const sheaf_field *field, int width)
{
	int pad = width - (int)strlen(field->name);
	out_text("  ");
	out_visibly(field->name);
	out_printf("%*s  %s", pad > 0 ? pad : 0, "", sheaf_field_storage(field));
	if (has_dim(field)) out_printf("  dim %" PRId64, sheaf_field_dim(field));
	if (field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_COMPLEX ||
	    field->meaning == SHEAF_COORDINATE)
		out_printf("  %s", sheaf_type_name(field->type));
	if (is_nullable(field)) out_text("  nullable");
	if (field->alias) {
		out_text("  alias ");
		out_text(field->alias);
	}
	out_text("\n");
}

static void print_fields(const sheaf_schema *schema, bool streams, int width)
{
	out_printf("%s: %d\n", streams ? "streams" : "columns", count_listed(schema, streams));
	for (int f = 0; f < schema->nfields; f++)
		if (is_listed(&schema->fields[f], streams)) print_field(&schema->fields[f], width);
}

static const char *index_state(const sheaf_index_info *index)
{
	return index->fresh ? "fresh" : index->found ? "stale" : "none";
}

/* A container knows where everything is, and needs no index. */
static bool has_index(const info *i) { return i->index.path && (i->index.found || !i->is_container); }

static void print_index(const sheaf_index_info *index)
{
	out_printf("index: %s", index_state(index));
	if (index->found) {
		out_text(index->fresh ? ", " : ": ");
		out_text(index->fresh ? index->path : index->why);
	}
	out_text("\n");
}

/* What the rows are. */
const char *rows_word(const sheaf_schema *schema)
{
	static const char *const words[] = {"sequences", "rows", "entries", "tensors"};
	return words[schema->rows];
}

static void print_text(const info *i)
{
	size_t width = 0;
	print_line("file", i->file);
	out_text("format: ");
	out_text(i->format);
	out_text(" (");
	out_text(i->summary);
	out_text(")\n");
	if (i->compression) print_line("compression", i->compression);
	if (i->encoding) print_line("encoding", i->encoding);
	if (i->bytes >= 0) print_count("bytes", i->bytes);
	print_count(rows_word(i->schema), i->facts.rows);
	if (i->schema->rows == SHEAF_SEQUENCES) print_count("samples", i->facts.samples);
	if (i->facts.chunks >= 0) print_count("chunks", i->facts.chunks);
	if (i->schema->rows == SHEAF_ENTRIES) {
		out_text("tensor: ");
		print_tensor(i->schema, i->facts.rows);
	}
	for (int f = 0; f < i->schema->nfields; f++)
		if (strlen(i->schema->fields[f].name) > width) width = strlen(i->schema->fields[f].name);
	if (i->schema->rows == SHEAF_SEQUENCES) print_fields(i->schema, true, width < 40 ? (int)width : 40);
	if (count_listed(i->schema, false)) print_fields(i->schema, false, width < 40 ? (int)width : 40);
	if (i->facts.guess) print_line("declaration", i->facts.guess);
	if (has_index(i)) print_index(&i->index);
	out_bytes(i->more.data, i->more.size);
	print_flaws(&i->flaws);
}

/* ---- JSON ---- */

static void json_field(const sheaf_field *field)
{
	bool first = true;
	out_text("{");
	out_json_member(&first, "name", field->name);
	if (field->alias) out_json_member(&first, "alias", field->alias);
	out_json_member(&first, "storage", sheaf_field_storage(field));
	if (has_dim(field)) out_json_count(&first, "dim", sheaf_field_dim(field));
	out_json_member(&first, "type", sheaf_type_name(field->type));
	out_text("}");
}

void json_fields(const sheaf_schema *schema, bool streams)
{
	const char *comma = "";
	out_text("[");
	for (int f = 0; f < schema->nfields; f++) {
		if (!is_listed(&schema->fields[f], streams)) continue;
		out_text(comma);
		json_field(&schema->fields[f]);
		comma = ",";
	}
	out_text("]");
}

void json_schema(bool *first, const sheaf_schema *schema, int64_t stored)
{
	if (schema->rows == SHEAF_ENTRIES) out_json_key(first, "tensor"), json_tensor(schema, stored);
	if (schema->rows == SHEAF_SEQUENCES) out_json_key(first, "streams"), json_fields(schema, true);
	if (count_listed(schema, false)) out_json_key(first, "columns"), json_fields(schema, false);
}

static void json_index(const sheaf_index_info *index)
{
	bool first = true;
	out_text("{");
	out_json_member(&first, "state", index_state(index));
	if (index->found) out_json_member(&first, "path", index->path);
	if (index->found && index->why) out_json_member(&first, "why", index->why);
	if (index->fresh) out_json_count(&first, "bytes", index->bytes);
	out_text("}");
}

static void print_json(const info *i)
{
	bool first = true;
	out_text("{");
	out_json_member(&first, "file", i->file);
	out_json_member(&first, "format", i->format);
	if (i->compression) out_json_member(&first, "compression", i->compression);
	if (i->encoding) out_json_member(&first, "encoding", i->encoding);
	if (i->bytes >= 0) out_json_count(&first, "bytes", i->bytes);
	if (i->facts.rows >= 0) out_json_count(&first, rows_word(i->schema), i->facts.rows);
	if (i->facts.samples >= 0) out_json_count(&first, "samples", i->facts.samples);
	if (i->facts.chunks >= 0) out_json_count(&first, "chunks", i->facts.chunks);
	json_schema(&first, i->schema, i->facts.rows);
	if (i->facts.guess) out_json_member(&first, "inferred", i->facts.guess);
	if (has_index(i)) out_json_key(&first, "index"), json_index(&i->index);
	out_bytes(i->more.data, i->more.size);
	if (i->flaws.errors) out_json_key(&first, "flaws"), json_flaws(&i->flaws);
	out_text("}\n");
}

static sheaf_status print_info(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	info i = gather(s, dataset);
	bool json = sheaf_values_flag(&s->args->values, "json");
	SHEAF_TRY(look_for_flaws(s, s->label, &i.flaws, err));
	if (i.flaws.errors) s->code = EXIT_DIFFERENT;
	SHEAF_TRY(sheaf_dataset_describe(dataset, json, &i.more, err));
	if (!json && s->label != s->args->files[0]) out_text("\n"); /* between two files */
	(json ? print_json : print_text)(&i);
	sheaf_buffer_reset(&i.more);
	return out_check(err);
}

/* ---- files with several datasets ---- */

/* None of them is opened unless it was requested. */
static sheaf_status list_members(session *s, const char *path, int64_t count, sheaf_error *err)
{
	bool json = sheaf_values_flag(&s->args->values, "json"), first = true;
	if (json) {
		out_text("{");
		out_json_member(&first, "file", s->label);
		out_json_key(&first, "datasets");
		out_text("[");
	} else {
		if (s->label != s->args->files[0]) out_text("\n");
		print_line("file", s->label);
		out_printf("datasets: %" PRId64 " (see --dataset)\n", count);
	}
	SHEAF_TRY(print_members(s, path, count, json, err));
	if (json) out_text("}\n");
	return out_check(err);
}

int run_info(const arguments *args)
{
	if (sheaf_values_flag(&args->values, "guess")) return run_guess(args);
	return visit_files(args, (opening){.glance = true, .list = list_members}, print_info);
}
