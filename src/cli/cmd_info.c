/* SPDX-License-Identifier: MIT */
/* sheaf info: what is known about a file without reading all of it. The file is opened with a quick look,
 * which may infer a declaration from its beginning. Of a file with several datasets, none of which was
 * requested, or without any that is read, a list is printed instead (list_members). */
#include "cli.h"
#include <inttypes.h>
#include <string.h>

/* Prints a count. One that is not known (-1) is left out in JSON, and said to be unknown in a line. */
static void print_number(const char *name, int64_t n, bool json)
{
	if (!json) out_text(name);
	if (n >= 0)
		fact_count(json, name, ": %\n", n);
	else if (!json)
		out_text(": not counted (see sheaf stats)\n");
}

/* ---- fields ---- */

/* Whether a field is in the list of streams, or in that of the other columns. A key is in neither. */
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
	       (field->meaning == SHEAF_NUMBER && field->nlevels > 1 && field->levels[0].kind == SHEAF_LIST &&
	        field->levels[1].kind != SHEAF_LIST);
}

/* Prints the streams of a schema, or its other columns: their number, and a line for each with the name
 * padded to `width`. Kinds of columns whose type follows from the kind, such as texts and dates, show none.
 */
static void print_fields(const sheaf_schema *schema, bool streams, int width)
{
	out_printf("%s: %d\n", streams ? "streams" : "columns", count_listed(schema, streams));
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		int pad = width - (int)strlen(field->name);
		bool is_nullable = false;
		if (!is_listed(field, streams)) continue;
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
}

/* What the rows are. */
const char *rows_word(const sheaf_schema *schema)
{
	static const char *const words[] = {"sequences", "rows", "entries", "tensors"};
	return words[schema->rows];
}

void json_fields(const sheaf_schema *schema, bool streams)
{
	json_open(streams ? "streams" : "columns", "[");
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		if (!is_listed(field, streams)) continue;
		json_open(NULL, "{");
		json_text("name", field->name);
		if (field->alias) json_text("alias", field->alias);
		json_text("storage", sheaf_field_storage(field));
		if (has_dim(field)) json_count("dim", sheaf_field_dim(field));
		json_text("type", sheaf_type_name(field->type));
		out_text("}");
	}
	out_text("]");
}

void json_schema(const sheaf_schema *schema, int64_t stored)
{
	if (schema->rows == SHEAF_ENTRIES) print_tensor(schema, stored, true);
	if (schema->rows == SHEAF_SEQUENCES) json_fields(schema, true);
	if (count_listed(schema, false)) json_fields(schema, false);
}

/* Prints all of a schema as lines: the tensor, the streams, the other columns, with their names in one column
 * that is at most WIDEST wide. `stored` -1: the number of entries of a tensor is not known. */
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

/* Whether there is an index, and, if it cannot be used, why. */
static void print_index(const sheaf_index_info *index, bool json)
{
	fact_open(json, "index", "index: ", "{");
	fact_text(json, "state", "%", index->fresh ? "fresh" : index->found ? "stale" : "none");
	if (index->found) fact_text(json, "path", index->fresh ? ", %" : NULL, index->path);
	if (index->found && index->why) fact_text(json, "why", index->fresh ? NULL : ": %", index->why);
	if (index->fresh) fact_count(json, "bytes", NULL, index->bytes);
	fact_close(json, "\n", "}");
}

/* Which part of the tree of a container is printed, and how. */
static sheaf_tree_options tree_options(const arguments *args)
{
	return (sheaf_tree_options){.size = sizeof(sheaf_tree_options),
	                            .format = sheaf_values_text(&args->values, "from"),
	                            .json = as_json(args),
	                            .depth = sheaf_values_number(&args->values, "depth", 0)};
}

/* Prints what the header, the index and the file system say about a file: no row is read for it. Only errors
 * at the beginning of the file are looked for, before anything is printed, so that the exit status shows
 * them. */
static sheaf_status print_info(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_format_info format = sheaf_format_about(sheaf_dataset_format(dataset));
	const sheaf_source_info source = sheaf_source_about(sheaf_dataset_source(dataset));
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	bool json = as_json(s->args);
	sheaf_facts facts;
	sheaf_index_info index;
	sheaf_buffer more = {0}; /* known only to the format */
	flaws found;
	sheaf_dataset_facts(dataset, &facts);
	sheaf_dataset_index(dataset, &index);
	SHEAF_TRY(look_for_flaws(s, s->label, &found, err));
	if (found.errors) s->code = EXIT_DIFFERENT;
	const sheaf_tree_options tree = tree_options(s->args);
	SHEAF_TRY(sheaf_dataset_describe(dataset, &tree, &more, err));
	if (!json && s->label != s->args->files[0]) out_text("\n"); /* between two files */
	fact_open(json, NULL, "", "{");
	fact_text(json, "file", "file: %\n", s->label);
	fact_text(json, "format", "format: %", format.name);
	fact_text(json, NULL, " (%)\n", format.summary);
	if (source.compression) fact_text(json, "compression", "compression: %\n", source.compression);
	if (source.encoding) fact_text(json, "encoding", "encoding: %\n", source.encoding);
	if (source.bytes >= 0) fact_count(json, "bytes", "bytes: %\n", source.bytes);
	print_number(rows_word(schema), facts.rows, json);
	if (json || schema->rows == SHEAF_SEQUENCES) print_number("samples", facts.samples, json);
	if (facts.chunks >= 0) fact_count(json, "chunks", "chunks: %\n", facts.chunks);
	(json ? json_schema : print_schema)(schema, facts.rows);
	if (facts.guess) fact_text(json, "inferred", "declaration: %\n", facts.guess);
	/* A container knows where everything is, and needs no index. */
	if (index.path && (index.found || !(format.can & SHEAF_CAN_CONTAIN)))
		print_index(&index, json);
	out_bytes(more.data, more.size);
	print_flaws(&found, json);
	fact_close(json, "", "}\n");
	sheaf_buffer_reset(&more);
	return out_check(err);
}

/* ---- files with several datasets, or none ---- */

static sheaf_status print_tree(session *s, const char *path, sheaf_error *err)
{
	sheaf_buffer text = {0};
	sheaf_source *source;
	const sheaf_tree_options options = tree_options(s->args);
	SHEAF_TRY(sheaf_source_path(path, s->cx, &source, err));
	SHEAF_TRY(sheaf_tree(source, &options, s->cx, &text, err));
	out_bytes(text.data, text.size);
	sheaf_buffer_reset(&text);
	return SHEAF_OK;
}

/* Prints the `count` datasets of a file, since none was requested, or none can be read, and its tree. */
static sheaf_status list_members(session *s, const char *path, int64_t count, sheaf_error *err)
{
	bool json = as_json(s->args);
	if (!json && s->label != s->args->files[0]) out_text("\n");
	fact_open(json, NULL, "", "{");
	fact_text(json, "file", "file: %\n", s->label);
	if (!json) out_printf("datasets: %" PRId64 "%s\n", count, count > 1 ? " (see --dataset)" : "");
	SHEAF_TRY(print_members(s, path, count, json, err));
	SHEAF_TRY(print_tree(s, path, err));
	if (json) out_text("}\n");
	return out_check(err);
}

int run_info(const arguments *args)
{
	if (sheaf_values_flag(&args->values, "guess")) return run_guess(args);
	return visit_files(args, (opening){.glance = true, .list = list_members}, print_info);
}
