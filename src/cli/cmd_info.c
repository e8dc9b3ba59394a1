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

/* What the header, the index and the file system say: no row is read for it. */
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

/* In JSON a number that is not known is left out. */
static void print_number(const char *name, int64_t n, bool json)
{
	if (!json) out_text(name);
	if (n >= 0)
		fact_count(json, name, ": %\n", n);
	else if (!json)
		out_text(": not counted (see sheaf stats)\n");
}

/* ---- fields ---- */

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

/* A stream, or what would be one if nothing of it were missing. */
static bool has_dim(const sheaf_field *field)
{
	return sheaf_field_is_stream(field) ||
	       (field->meaning == SHEAF_NUMBER && field->nlevels > 1 && field->levels[0].kind == SHEAF_LIST);
}

/* A line of the list: names are padded to `width`. Kinds of columns whose type follows from the
 * kind, such as texts and dates, show none. */
static void print_field(const sheaf_field *field, int width)
{
	int pad = width - (int)strlen(field->name);
	bool is_nullable = false;
	for (int l = 0; l < field->nlevels; l++) is_nullable |= field->levels[l].missing == SHEAF_NULLABLE;
	out_text("  ");
	out_visibly(field->name);
	out_printf("%*s  %s", pad > 0 ? pad : 0, "", sheaf_field_storage(field));
	if (has_dim(field)) out_printf("  dim %" PRId64, sheaf_field_dim(field));
	if (field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_COMPLEX ||
	    field->meaning == SHEAF_COORDINATE)
		out_printf("  %s", sheaf_type_name(field->type));
	if (is_nullable) out_text("  nullable");
	if (field->alias) fact_text(false, NULL, "  alias %", field->alias);
	out_text("\n");
}

static void print_fields(const sheaf_schema *schema, bool streams, int width)
{
	out_printf("%s: %d\n", streams ? "streams" : "columns", count_listed(schema, streams));
	for (int f = 0; f < schema->nfields; f++)
		if (is_listed(&schema->fields[f], streams)) print_field(&schema->fields[f], width);
}

/* What the rows are. */
const char *rows_word(const sheaf_schema *schema)
{
	static const char *const words[] = {"sequences", "rows", "entries", "tensors"};
	return words[schema->rows];
}

static void json_field(const sheaf_field *field)
{
	json_open(NULL, "{");
	json_text("name", field->name);
	if (field->alias) json_text("alias", field->alias);
	json_text("storage", sheaf_field_storage(field));
	if (has_dim(field)) json_count("dim", sheaf_field_dim(field));
	json_text("type", sheaf_type_name(field->type));
	out_text("}");
}

void json_fields(const sheaf_schema *schema, bool streams)
{
	json_open(streams ? "streams" : "columns", "[");
	for (int f = 0; f < schema->nfields; f++)
		if (is_listed(&schema->fields[f], streams)) json_field(&schema->fields[f]);
	out_text("]");
}

void json_schema(const sheaf_schema *schema, int64_t stored)
{
	if (schema->rows == SHEAF_ENTRIES) print_tensor(schema, stored, true);
	if (schema->rows == SHEAF_SEQUENCES) json_fields(schema, true);
	if (count_listed(schema, false)) json_fields(schema, false);
}

static void print_schema(const sheaf_schema *schema, int64_t stored)
{
	enum { WIDEST = 40 };
	size_t width = 0;
	if (schema->rows == SHEAF_ENTRIES) {
		out_text("tensor: ");
		print_tensor(schema, stored, false);
	}
	for (int f = 0; f < schema->nfields; f++)
		if (strlen(schema->fields[f].name) > width) width = strlen(schema->fields[f].name);
	if (width > WIDEST) width = WIDEST;
	if (schema->rows == SHEAF_SEQUENCES) print_fields(schema, true, (int)width);
	if (count_listed(schema, false)) print_fields(schema, false, (int)width);
}

/* ---- all of it ---- */

static void print_index(const sheaf_index_info *index, bool json)
{
	fact_open(json, "index", "index: ", "{");
	fact_text(json, "state", "%", index->fresh ? "fresh" : index->found ? "stale" : "none");
	if (index->found) fact_text(json, "path", index->fresh ? ", %" : NULL, index->path);
	if (index->found && index->why) fact_text(json, "why", index->fresh ? NULL : ": %", index->why);
	if (index->fresh) fact_count(json, "bytes", NULL, index->bytes);
	fact_close(json, "\n", "}");
}

static void print_all(const info *i, bool json)
{
	fact_open(json, NULL, "", "{");
	fact_text(json, "file", "file: %\n", i->file);
	fact_text(json, "format", "format: %", i->format);
	fact_text(json, NULL, " (%)\n", i->summary);
	if (i->compression) fact_text(json, "compression", "compression: %\n", i->compression);
	if (i->encoding) fact_text(json, "encoding", "encoding: %\n", i->encoding);
	if (i->bytes >= 0) fact_count(json, "bytes", "bytes: %\n", i->bytes);
	print_number(rows_word(i->schema), i->facts.rows, json);
	if (json || i->schema->rows == SHEAF_SEQUENCES) print_number("samples", i->facts.samples, json);
	if (i->facts.chunks >= 0) fact_count(json, "chunks", "chunks: %\n", i->facts.chunks);
	(json ? json_schema : print_schema)(i->schema, i->facts.rows);
	if (i->facts.guess) fact_text(json, "inferred", "declaration: %\n", i->facts.guess);
	/* A container knows where everything is, and needs no index. */
	if (i->index.path && (i->index.found || !i->is_container)) print_index(&i->index, json);
	out_bytes(i->more.data, i->more.size);
	print_flaws(&i->flaws, json);
	fact_close(json, "", "}\n");
}

/* Errors at the beginning of the file are looked for first, so that the exit status shows them. */
static sheaf_status print_info(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	info i = gather(s, dataset);
	bool json = as_json(s->args);
	SHEAF_TRY(look_for_flaws(s, s->label, &i.flaws, err));
	if (i.flaws.errors) s->code = EXIT_DIFFERENT;
	SHEAF_TRY(sheaf_dataset_describe(dataset, json, &i.more, err));
	if (!json && s->label != s->args->files[0]) out_text("\n"); /* between two files */
	print_all(&i, json);
	sheaf_buffer_reset(&i.more);
	return out_check(err);
}

/* ---- files with several datasets ---- */

/* None of them is opened unless it was requested. */
static sheaf_status list_members(session *s, const char *path, int64_t count, sheaf_error *err)
{
	bool json = as_json(s->args);
	if (!json && s->label != s->args->files[0]) out_text("\n");
	fact_open(json, NULL, "", "{");
	fact_text(json, "file", "file: %\n", s->label);
	if (!json) out_printf("datasets: %" PRId64 " (see --dataset)\n", count);
	SHEAF_TRY(print_members(s, path, count, json, err));
	if (json) out_text("}\n");
	return out_check(err);
}

int run_info(const arguments *args)
{
	if (sheaf_values_flag(&args->values, "guess")) return run_guess(args);
	return visit_files(args, (opening){.glance = true, .list = list_members}, print_info);
}
