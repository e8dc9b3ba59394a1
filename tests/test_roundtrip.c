/* SPDX-License-Identifier: MIT */
/* Properties of every format of the build: generated datasets are written, read back in every way, converted
 * from format to format, and stay the same. A new format is tested as soon as it is in the list. */
#include "base/context.h"
#include "frame/compare.h"
#include "generated.h"
#include "share.h"
#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how to declare the streams of a format that does not store them, or wants to know more of them ---- */

typedef struct declared {
	sheaf_setting settings[MOST_STREAMS + 1]; /* and one for chunks */
	char words[MOST_STREAMS + 1][256];
	char schema[1000];
	const char *coordinates, *shape; /* of a tensor that is read as a table; NULL: it is not */
	int n;
} declared;

static void declare_each_stream(const sheaf_schema *schema, declared *d)
{
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		if (!sheaf_field_is_stream(field)) continue;
		snprintf(d->words[d->n], sizeof d->words[0], "%s:%" PRId64 ":%s:%s", field->name,
		         sheaf_field_dim(field), sheaf_field_is_sparse(field) ? "sparse" : "dense",
		         field->type == SHEAF_F64 ? "double" : "float");
		d->settings[d->n] = (sheaf_setting){"stream", d->words[d->n]};
		d->n++;
	}
}

/* Inputs and outputs by turns. */
static void declare_each_group(const sheaf_schema *schema, declared *d)
{
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		if (!sheaf_field_is_stream(field)) continue;
		snprintf(d->words[d->n], sizeof d->words[0], "%s:%" PRId64 ":%s%s", field->name,
		         sheaf_field_dim(field), i % 2 ? "output" : "input",
		         sheaf_field_is_sparse(field) ? ":sparse" : "");
		d->settings[d->n] = (sheaf_setting){"group", d->words[d->n]};
		d->n++;
	}
}

static const char *attribute_type(const sheaf_field *field)
{
	static const char *const numbers[] = {"uint8", "uint16", "uint32", "uint64", "int8",
	                                      "int16", "int32",  "int64",  "float",  "double"};
	static const char *const others[SHEAF_MEANINGS] = {
		[SHEAF_STRING] = "string", [SHEAF_BYTES] = "binary",      [SHEAF_BOOL] = "bool",
		[SHEAF_CHAR] = "char",     [SHEAF_DATETIME] = "datetime", [SHEAF_DATETIMETZ] = "datetimetz",
		[SHEAF_DATE] = "datetime", [SHEAF_COMPLEX] = "complex"};
	return field->meaning == SHEAF_NUMBER ? numbers[field->type] : others[field->meaning];
}

/* Names, nullability and types in one text; and what stands in a cell, since bytes may be fixed. */
static void declare_each_attribute(const sheaf_schema *schema, declared *d)
{
	size_t n = 0, m = 0, room = sizeof d->schema / 2;
	char *format = d->schema + room;
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		bool null = field->nlevels && field->levels[0].missing == SHEAF_NULLABLE,
			 fixed = field->meaning == SHEAF_BYTES && field->levels[0].kind == SHEAF_FIXED;
		const char *type = attribute_type(field);
		n += (size_t)snprintf(d->schema + n, room - n, "%c\"%s\":%s%s", i ? ',' : '<', field->name, type,
		                      null ? "" : " NOT NULL");
		m += (size_t)snprintf(format + m, room - m, "%c%s", i ? ',' : '(', type);
		if (fixed) m += (size_t)snprintf(format + m, room - m, "(%" PRId64 ")", field->levels[0].extent);
		m += (size_t)snprintf(format + m, room - m, "%s", null ? " null" : "");
	}
	assert_true(n + 1 < room && m + 1 < room);
	strcat(d->schema, ">");
	strcat(format, ")");
	d->settings[d->n++] = (sheaf_setting){"schema", d->schema};
	d->settings[d->n++] = (sheaf_setting){"format-string", format};
}

static const char *column_type(const sheaf_field *field)
{
	static const char *const numbers[SHEAF_TYPES] = {"uint8", "uint16", "uint32", "uint64", "int8",
	                                                 "int16", "int32",  "int64",  "float",  "double"};
	switch (field->meaning) {
	case SHEAF_NUMBER:
	case SHEAF_COORDINATE: return numbers[field->type];
	case SHEAF_COMPLEX: return field->type == SHEAF_F32 ? "complex64" : "complex128";
	case SHEAF_STRING: return "string";
	case SHEAF_BYTES: return "binary";
	default: return sheaf_field_storage(field);
	}
}

/* All columns in one setting; of a tensor also which are coordinates, and its shape. */
static void declare_each_column(const sheaf_schema *schema, declared *d)
{
	char *columns = d->words[0], *coordinates = d->words[1], *shape = d->words[2];
	size_t size = sizeof d->words[0], n = 0, names = 0, extents = 0;
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		const char *type = column_type(field);
		bool nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
		n += (size_t)snprintf(columns + n, size - n, "%s%s:%s%s", i ? "," : "", field->name, type,
		                      nullable ? " null" : "");
		if (field->meaning != SHEAF_COORDINATE) continue;
		names += (size_t)snprintf(coordinates + names, size - names, "%s%s", i ? "," : "", field->name);
		extents += (size_t)snprintf(shape + extents, size - extents, "%s%" PRId64, i ? "," : "",
		                            schema->tensor.shape[i]);
	}
	d->settings[0] = (sheaf_setting){"columns", columns};
	d->n = 1;
	d->coordinates = names ? coordinates : NULL;
	d->shape = names ? shape : NULL;
}

static void declare_in_a_line(const sheaf_schema *schema, declared *d)
{
	(void)schema;
	d->settings[d->n++] = (sheaf_setting){"layout", "declared"};
}

/* The only place with names of formats: those that do not store the schema, or not without more words. */
static const struct {
	const char *format;
	unsigned use;
	void (*declare)(const sheaf_schema *schema, declared *d);
} declarers[] = {{"ctf", SHEAF_READING, declare_each_stream},
                 {"lens", SHEAF_READING | SHEAF_WRITING, declare_each_group},
                 {"scidb", SHEAF_READING, declare_each_attribute},
                 {"csv", SHEAF_READING, declare_each_column},
                 {"tsv", SHEAF_READING, declare_each_column},
                 {"jsonl", SHEAF_WRITING, declare_in_a_line}};

/* *d may not move while its settings are in use: they point into it. */
static void declare(const sheaf_format *format, unsigned use, const sheaf_schema *schema, declared *d)
{
	d->n = 0;
	d->coordinates = d->shape = NULL;
	for (size_t i = 0; i < COUNT(declarers); i++)
		if ((declarers[i].use & use) && strcmp(declarers[i].format, format->name) == 0)
			declarers[i].declare(schema, d);
}

/* ---- writing and reading ---- */

enum { MOST_FORMATS = 16 };

static const unsigned both = SHEAF_CAN_READ | SHEAF_CAN_WRITE;

static bool is_tested(const sheaf_format *format)
{
	return is_built(format) && (abilities(format) & both) == both;
}

/* Those that can do at least that much. */
static bool is_able(const sheaf_format *format, unsigned needed)
{
	return is_tested(format) && holds_streams(format) && (abilities(format) & needed) == needed;
}

/* What all of them can do. */
static unsigned common_abilities(unsigned needed)
{
	unsigned can = ~0u;
	for (int i = 0; sheaf_format_at(i); i++)
		if (is_able(sheaf_format_at(i), needed)) can &= abilities(sheaf_format_at(i));
	return can;
}

static sheaf_facts facts_of(const table *t)
{
	sheaf_facts facts = SHEAF_NO_FACTS;
	int key = sheaf_schema_key(&t->schema);
	facts.rows = t->frame.nrows;
	if (t->schema.rows != SHEAF_SEQUENCES) return facts;
	facts.longest = 0;
	facts.ordinal_keys = 1;
	for (int64_t r = 0; r < t->frame.nrows; r++) {
		if (key >= 0 && ((const uint64_t *)(const void *)t->frame.columns[key].values.data)[r] != (uint64_t)r)
			facts.ordinal_keys = 0;
		for (int c = 0; c < t->frame.ncolumns; c++) {
			if (c == key) continue;
			int64_t n = sheaf_run_length(sheaf_level_below_one(&t->frame.columns[c].levels[0], r));
			if (n > facts.longest) facts.longest = n;
		}
	}
	return facts;
}

/* Chunks of some bytes where the format has such an option; 0: as it likes. */
static sheaf_create_options writing(const sheaf_format *format, const sheaf_schema *schema,
                                    const sheaf_facts *totals, int64_t chunk_bytes, declared *d)
{
	const sheaf_option *option = sheaf_option_find(format->options, "chunk-bytes");
	sheaf_create_options options = {
		.size = sizeof options, .format = format->name, .totals = totals, .settings = d->settings};
	declare(format, SHEAF_WRITING, schema, d);
	if (chunk_bytes && option && (option->use & SHEAF_WRITING)) {
		snprintf(d->words[d->n], sizeof d->words[0], "%" PRId64, chunk_bytes);
		d->settings[d->n] = (sheaf_setting){"chunk-bytes", d->words[d->n]};
		d->n++;
	}
	options.nsettings = d->n;
	return options;
}

static bytes_sink written(const table *t, const sheaf_format *format, const sheaf_facts *totals,
                          int64_t chunk_bytes, int64_t step)
{
	bytes_sink bytes = {0};
	declared d;
	sheaf_facts known = totals ? *totals : SHEAF_NO_FACTS;
	sheaf_create_options options = writing(format, &t->schema, &known, chunk_bytes, &d);
	if (format->write->needs_rows) known.rows = t->frame.nrows;
	assert_ok(write_table(t, &options, step, &bytes, t->cx));
	return bytes;
}

static sheaf_dataset *opened(const bytes_sink *bytes, const sheaf_format *format, const sheaf_schema *schema,
                             int64_t piece_bytes, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	declared d;
	declare(format, SHEAF_READING, schema, &d);
	sheaf_open_options options = {
		.size = sizeof options,
		.format = format->name,
		.settings = d.settings,
		.nsettings = d.n,
		.piece_bytes = piece_bytes,
		.tensor = &(sheaf_tensor_options){.coordinates = d.coordinates, .shape = d.shape}};
	assert_ok(open_bytes((sheaf_bytes){bytes->data, bytes->size}, "memory", &options, cx, &dataset));
	return dataset;
}

/* Every stream of the table, in any order, with the same rows; keys, too, where the format holds them. */
static void assert_holds_table(const table *t, const sheaf_schema *schema, const sheaf_frame *frame,
                               unsigned can)
{
	assert_int_equal(frame->nrows, t->frame.nrows);
	for (int c = 0; c < t->schema.nfields; c++) {
		const sheaf_field *field = &t->schema.fields[c];
		bool is_key = field->meaning == SHEAF_KEY;
		if (is_key && !(can & SHEAF_CAN_KEYS)) continue;
		int at = is_key ? sheaf_schema_key(schema) : sheaf_schema_find(schema, field->name);
		assert_true(at >= 0);
		assert_int_equal(schema->fields[at].type, field->type);
		assert_int_equal(schema->fields[at].nlevels, field->nlevels);
		for (int l = 0; l < field->nlevels; l++) {
			/* A format that knows samples that were not given may say so. */
			sheaf_level_shape shape = schema->fields[at].levels[l];
			if (field->levels[l].missing == SHEAF_NEVER) shape.missing = SHEAF_NEVER;
			assert_memory_equal(&shape, &field->levels[l], sizeof shape);
		}
		for (int64_t r = 0; r < t->frame.nrows; r++)
			if (!sheaf_positions_equal(&t->frame.columns[c], 0, r, &frame->columns[at], 0, r))
				fail_msg("stream \"%s\", row %" PRId64 " is not what was written", field->name, r);
	}
}

/* `can`: what has come through another format. */
static void assert_reads_back(const table *t, const bytes_sink *bytes, const sheaf_format *format,
                              unsigned can, sheaf_context *cx)
{
	sheaf_frame all;
	sheaf_dataset *dataset = opened(bytes, format, &t->schema, 0, cx);
	assert_ok(sheaf_read_all(dataset, &all, &err));
	assert_ok(sheaf_frame_check(&all, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
	assert_holds_table(t, sheaf_dataset_schema(dataset), &all, can);
	sheaf_frame_free(&all);
	sheaf_close(dataset);
}

enum { DATASETS = 40 };

/* Whether the format stores such cells or entries in other types than these. */
static bool changes_types(const sheaf_format *format, const sheaf_schema *schema)
{
	bool changed = false;
	sheaf_schema stored;
	if (schema->rows == SHEAF_SEQUENCES || !format->write->accept) return false;
	assert_ok(sheaf_schema_copy(schema, schema->cx, &stored, &err));
	sheaf_status status = format->write->accept(&stored, &(sheaf_values){NULL, 0}, &err);
	for (int c = 0; c < schema->nfields && status == SHEAF_OK; c++)
		changed |= stored.fields[c].type != schema->fields[c].type ||
		           stored.fields[c].meaning != schema->fields[c].meaning ||
		           stored.fields[c].digits != schema->fields[c].digits;
	sheaf_schema_free(&stored);
	return changed;
}

/* Whether entries would have others put between them. */
static bool fills_in(const sheaf_format *format, const table *t)
{
	sheaf_schema accepted;
	sheaf_values none = {NULL, 0};
	int64_t positions = 1;
	for (int d = 0; d < t->schema.tensor.rank; d++) positions *= t->schema.tensor.shape[d];
	if (t->schema.rows != SHEAF_ENTRIES || t->frame.nrows == positions || !format->write->accept)
		return false;
	assert_ok(sheaf_schema_copy(&t->schema, t->cx, &accepted, &err));
	bool fills = format->write->accept(&accepted, &none, &err) == SHEAF_OK && accepted.tensor.dense;
	sheaf_schema_free(&accepted);
	return fills;
}

/* Whether the format has a place for all columns and their types. */
static bool can_hold(const sheaf_format *format, const table *t)
{
	if (fills_in(format, t)) return false;
	bytes_sink bytes = {0};
	declared d;
	sheaf_facts facts = facts_of(t);
	if (changes_types(format, &t->schema)) return false;
	sheaf_create_options options = writing(format, &t->schema, &facts, 0, &d);
	sheaf_status status = write_table(t, &options, 0, &bytes, t->cx);
	free_bytes(&bytes);
	return status != SHEAF_UNSUPPORTED && status != SHEAF_LOSS;
}

/* A generated dataset that the format can hold. */
static table make_fitting(const sheaf_format *format, sheaf_row_kind kind, unsigned can, sheaf_context *cx)
{
	enum { TRIES = 1000 };
	for (int k = 0; k < TRIES; k++) {
		table t = make_rows(cx, kind, can);
		if (can_hold(format, &t)) return t;
		free_table(&t);
	}
	fail_msg("format %s holds nothing of what is generated", format->name);
	return new_table(cx);
}

/* The kinds of rows that are generated for a format. */
static bool is_generated(const sheaf_format *format, int kind)
{
	bool takes = sheaf_format_about(format).takes & 1u << kind;
	return is_tested(format) && (kind == SHEAF_SEQUENCES ? holds_streams(format) : takes);
}

/* Runs a property over generated datasets: for each format, of all that it can hold, with `more` and without
 * `less`. */
static void for_each_dataset(void (*property)(const sheaf_format *format, const table *t, sheaf_context *cx),
                             int most, unsigned more, unsigned less)
{
	for (int i = 0; sheaf_format_at(i); i++) {
		const sheaf_format *format = sheaf_format_at(i);
		for (int kind = SHEAF_SEQUENCES; kind <= SHEAF_ENTRIES; kind++) {
			seed_random(20240 + (uint64_t)i);
			for (int k = 0; k < rounds(most) && is_generated(format, kind); k++) {
				sheaf_context *cx = usual_context();
				table t = make_fitting(format, (sheaf_row_kind)kind, (abilities(format) & ~less) | more, cx);
				property(format, &t, cx);
				free_table(&t);
				end_context(cx);
			}
		}
	}
}

static void test_list_of_formats(void **state)
{
	(void)state;
	int tested = 0;
	for (int i = 0; sheaf_format_at(i); i++) {
		const sheaf_format *format = sheaf_format_at(i);
		assert_ptr_equal(sheaf_format_find(format->name), format);
		tested += is_tested(format);
	}
	assert_true(tested >= 2);
	assert_null(sheaf_format_at(-1));
	assert_null(sheaf_format_find("no such format"));
}

/* ---- one format ---- */

static void reads_back(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	sheaf_facts facts = facts_of(t);
	static const int64_t chunks[] = {0, 1, 100, 5000};
	for (size_t i = 0; i < COUNT(chunks); i++) {
		bytes_sink blind = written(t, format, NULL, chunks[i], 0),
				   knowing = written(t, format, &facts, chunks[i], 0);
		assert_reads_back(t, &blind, format, abilities(format), cx);
		assert_reads_back(t, &knowing, format, abilities(format), cx);
		free_bytes(&blind);
		free_bytes(&knowing);
	}
	/* Nothing generated here is lost. */
	assert_int_equal(sheaf_context_problems(cx, SHEAF_ERROR), 0);
}

static void test_what_is_written_is_read(void **state)
{
	(void)state;
	for_each_dataset(reads_back, DATASETS, HOLDS_NOTHING, 0);
}

static void writes_the_same_however_cut(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	static const int64_t steps[] = {1, 2, 7, 13};
	(void)cx;
	for (int64_t chunk = 0; chunk <= 900; chunk += 300) {
		bytes_sink whole = written(t, format, NULL, chunk, 0);
		for (size_t i = 0; i < COUNT(steps); i++) {
			bytes_sink cut = written(t, format, NULL, chunk, steps[i]);
			assert_same_bytes(&whole, &cut);
			free_bytes(&cut);
		}
		free_bytes(&whole);
	}
}

static void test_bytes_do_not_depend_on_frames(void **state)
{
	(void)state;
	for_each_dataset(writes_the_same_however_cut, DATASETS, HOLDS_NOTHING, 0);
}

/* Frames follow one another, each is sound, and together they are what one frame would be. */
static void assert_pieces(sheaf_dataset *dataset, const table *t, unsigned can)
{
	sheaf_frame all = {0};
	const sheaf_frame *frame;
	sheaf_status status;
	int64_t row = 0;
	assert_ok(
		sheaf_frame_begin(&all, sheaf_dataset_schema(dataset), sheaf_dataset_schema(dataset)->cx, &err));
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		assert_int_equal(sheaf_dataset_row(dataset), row);
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_frame_append(&all, frame, 0, frame->nrows, all.cx, &err));
		row += frame->nrows;
	}
	assert_status(SHEAF_END, status);
	assert_status(SHEAF_END, sheaf_next(dataset, &frame, &err));
	assert_holds_table(t, sheaf_dataset_schema(dataset), &all, can);
	sheaf_frame_free(&all);
}

static void reads_in_pieces(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	static const int64_t pieces[] = {1, 7, 64, 4096};
	bytes_sink few = written(t, format, NULL, 0, 0), many = written(t, format, NULL, 200, 0);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		sheaf_dataset *a = opened(&few, format, &t->schema, pieces[i], cx),
					  *b = opened(&many, format, &t->schema, pieces[i], cx);
		assert_pieces(a, t, abilities(format));
		assert_pieces(b, t, abilities(format));
		sheaf_close(a);
		sheaf_close(b);
	}
	free_bytes(&few);
	free_bytes(&many);
}

static void test_pieces_are_the_whole(void **state)
{
	(void)state;
	for_each_dataset(reads_in_pieces, DATASETS, HOLDS_NOTHING, 0);
}

/* Small pieces must be small: otherwise the test above would prove nothing. */
static void test_pieces_are_many(void **state)
{
	(void)state;
	seed_random(3);
	sheaf_context *cx = usual_context();
	for (int i = 0; sheaf_format_at(i); i++) {
		const sheaf_format *format = sheaf_format_at(i);
		if (!holds_streams(format)) continue;
		table t = make_dataset(cx, abilities(format));
		while (t.frame.nrows < 10) free_table(&t), t = make_dataset(cx, abilities(format));
		bytes_sink bytes = written(&t, format, NULL, 0, 0);
		sheaf_dataset *dataset = opened(&bytes, format, &t.schema, 1, cx);
		const sheaf_frame *frame;
		int n = 0;
		while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) n++;
		assert_true(n >= t.frame.nrows / 2);
		sheaf_close(dataset);
		free_bytes(&bytes);
		free_table(&t);
	}
	end_context(cx);
}

static void reads_byte_by_byte(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	static const size_t steps[] = {1, 3, 1000};
	bytes_sink bytes = written(t, format, NULL, 500, 0);
	declared d;
	declare(format, SHEAF_READING, &t->schema, &d);
	for (size_t i = 0; i < COUNT(steps); i++) {
		sheaf_source *source;
		sheaf_dataset *dataset;
		bytes_source drip = {{bytes.data, bytes.size}, steps[i]};
		sheaf_open_options options = {
			.size = sizeof options,
			.format = format->name,
			.settings = d.settings,
			.nsettings = d.n,
			.piece_bytes = 100,
			.tensor = &(sheaf_tensor_options){.coordinates = d.coordinates, .shape = d.shape}};
		assert_ok(sheaf_source_function(read_bytes, &drip, "drip", cx, &source, &err));
		assert_ok(sheaf_open_source(source, &options, cx, &dataset, &err));
		assert_pieces(dataset, t, abilities(format));
		sheaf_close(dataset);
	}
	free_bytes(&bytes);
}

static void test_a_byte_at_a_time(void **state)
{
	(void)state;
	for_each_dataset(reads_byte_by_byte, DATASETS, HOLDS_NOTHING, 0);
}

/* A dataset without rows is refused, or read back without rows: what cannot be read must not be written. */
static void test_no_rows(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	for (int i = 0; sheaf_format_at(i); i++) {
		const sheaf_format *format = sheaf_format_at(i);
		bytes_sink bytes = {0};
		if (!holds_streams(format)) continue;
		table t = stream_table(cx, "x", true, 9, SHEAF_F32, "1:1");
		t.frame.nrows = 0;
		declared d;
		sheaf_create_options options = writing(format, &t.schema, NULL, 0, &d);
		sheaf_status status = write_table(&t, &options, 0, &bytes, cx);
		assert_true(status == SHEAF_OK || status == SHEAF_LOSS || status == SHEAF_UNSUPPORTED);
		if (status == SHEAF_OK) assert_reads_back(&t, &bytes, format, abilities(format), cx);
		free_bytes(&bytes);
		free_table(&t);
	}
	end_context(cx);
}

/* A file of a format is known by its content, whatever its name; or, where a format's content says nothing,
 * is not taken for another's. */
static void is_recognised(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	bytes_sink bytes = written(t, format, NULL, 0, 0);
	declared d;
	declare(format, SHEAF_READING, &t->schema, &d);
	sheaf_open_options options = {.size = sizeof options, .settings = d.settings, .nsettings = d.n};
	if (format->probe(&(sheaf_glimpse){{bytes.data, bytes.size}, "no suffix", NULL, {0}}) == SHEAF_NO) {
		/* Any bytes may look a little like a text; the declarations then do not suit it. */
		sheaf_status status =
			open_bytes((sheaf_bytes){bytes.data, bytes.size}, "no suffix", &options, cx, &dataset);
		assert_true(status == SHEAF_OK || status == SHEAF_UNKNOWN || status == SHEAF_USAGE);
		/* An option that no other format has says which one is meant. */
		if (status == SHEAF_OK) assert_ptr_equal(sheaf_dataset_format(dataset), format);
		if (status == SHEAF_OK) sheaf_close(dataset);
	} else {
		assert_ok(open_bytes((sheaf_bytes){bytes.data, bytes.size}, "no suffix", &options, cx, &dataset));
		assert_ptr_equal(sheaf_dataset_format(dataset), format);
		sheaf_close(dataset);
	}
	free_bytes(&bytes);
}

static void test_written_files_are_recognised(void **state)
{
	(void)state;
	for_each_dataset(is_recognised, DATASETS, HOLDS_NOTHING, 0);
}

/* What a reader knows about the whole must be true. */
static void tells_true_facts(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	sheaf_facts known, facts = facts_of(t);
	bytes_sink bytes = written(t, format, &facts, 300, 0);
	sheaf_dataset *dataset = opened(&bytes, format, &t->schema, 0, cx);
	sheaf_dataset_facts(dataset, &known);
	if (known.rows >= 0) assert_int_equal(known.rows, facts.rows);
	if (known.longest > 1) assert_true(facts.longest > 1);
	if (known.longest >= 0 && known.longest <= 1) assert_int_equal(known.longest, facts.longest);
	if (known.ordinal_keys >= 0 && (abilities(format) & SHEAF_CAN_KEYS))
		assert_int_equal(known.ordinal_keys, facts.ordinal_keys);
	sheaf_close(dataset);
	free_bytes(&bytes);
}

static void test_facts_are_true(void **state)
{
	(void)state;
	for_each_dataset(tells_true_facts, DATASETS, HOLDS_NOTHING, 0);
}

/* ---- between formats ---- */

static bool are_equal(sheaf_dataset *a, sheaf_dataset *b, bool keys)
{
	bool equal;
	sheaf_diff_options options = {.size = sizeof options, .keys = keys, .types = true};
	assert_ok(sheaf_diff(a, b, &options, &equal, &err));
	return equal;
}

static void assert_hash(const bytes_sink *bytes, const sheaf_format *format, const table *t,
                        sheaf_context *cx)
{
	bool keys = abilities(format) & SHEAF_CAN_KEYS;
	char wanted[33], found[33];
	static const int64_t pieces[] = {0, 1, 7, 64, 4096};
	for (int types = 0; types < 2; types++) {
		hash_table(t, keys, types, wanted);
		for (size_t i = 0; i < COUNT(pieces); i++) {
			sheaf_dataset *dataset = opened(bytes, format, &t->schema, pieces[i], cx);
			assert_ok(hash_dataset(dataset, keys, types, found));
			sheaf_close(dataset);
			assert_string_equal(wanted, found);
		}
	}
}

/* One dataset in all formats that can hold it. */
static void hold_the_same(unsigned needed)
{
	seed_random(77);
	for (int k = 0; k < rounds(DATASETS); k++) {
		sheaf_context *cx = usual_context();
		table t = make_dataset(cx, common_abilities(needed));
		bytes_sink files[MOST_FORMATS];
		int n = 0;
		for (; sheaf_format_at(n); n++) {
			assert_true(n < MOST_FORMATS);
			files[n] = (bytes_sink){0};
			if (!is_able(sheaf_format_at(n), needed)) continue;
			files[n] = written(&t, sheaf_format_at(n), NULL, 400, 0);
			assert_hash(&files[n], sheaf_format_at(n), &t, cx);
		}
		for (int a = 0; a < n; a++) {
			for (int b = 0; b < n; b++) {
				const sheaf_format *fa = sheaf_format_at(a), *fb = sheaf_format_at(b);
				if (!files[a].size || !files[b].size) continue;
				sheaf_dataset *da = opened(&files[a], fa, &t.schema, 50, cx),
							  *db = opened(&files[b], fb, &t.schema, 3000, cx);
				assert_true(are_equal(da, db, abilities(fa) & abilities(fb) & SHEAF_CAN_KEYS));
				sheaf_close(da);
				sheaf_close(db);
			}
		}
		for (int i = 0; i < n; i++) free_bytes(&files[i]);
		free_table(&t);
		end_context(cx);
	}
}

static void test_all_formats_hold_the_same(void **state)
{
	(void)state;
	hold_the_same(0);
	hold_the_same(HOLDS_UNALIGNED | HOLDS_DOUBLES | HOLDS_REPEATS);
}

/* One value, index or length changed: the difference is seen. */
static void test_a_difference_is_seen(void **state)
{
	(void)state;
	seed_random(78);
	for (int k = 0; k < rounds(DATASETS); k++) {
		int formats = 0;
		while (sheaf_format_at(formats)) formats++;
		const sheaf_format *a = sheaf_format_at(k % formats), *b = sheaf_format_at(k / formats % formats);
		if (!is_able(a, 0) || !is_able(b, 0)) continue;
		sheaf_context *cx = usual_context();
		table t = make_dataset(cx, abilities(a) & abilities(b));
		int column = (int)random_below(t.schema.nfields - (sheaf_schema_key(&t.schema) >= 0));
		sheaf_column *c = &t.frame.columns[column];
		bytes_sink before = written(&t, a, NULL, 0, 0);
		int64_t n = (int64_t)(c->values.size / sheaf_type_size(c->type)), at = n ? random_below(n) : -1;
		if (at >= 0 && c->type == SHEAF_F32)
			((float *)(void *)c->values.data)[at] = ((float *)(void *)c->values.data)[at] == 1 ? 2.0f : 1.0f;
		else if (at >= 0)
			((double *)(void *)c->values.data)[at] = ((double *)(void *)c->values.data)[at] == 1 ? 2.0 : 1.0;
		bytes_sink after = written(&t, b, NULL, 0, 0);
		sheaf_dataset *da = opened(&before, a, &t.schema, 0, cx), *db = opened(&after, b, &t.schema, 0, cx);
		assert_int_equal(are_equal(da, db, false), at < 0);
		sheaf_close(da);
		sheaf_close(db);
		free_bytes(&before);
		free_bytes(&after);
		free_table(&t);
		end_context(cx);
	}
}

static bytes_sink sent(const bytes_sink *from, const sheaf_format *a, const sheaf_format *b,
                       const sheaf_schema *schema, int64_t chunk_bytes, sheaf_context *cx)
{
	bytes_sink out = {0};
	declared d;
	sheaf_create_options options = writing(b, schema, NULL, chunk_bytes, &d);
	sheaf_sink *sink;
	sheaf_writer *writer;
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_dataset *dataset = opened(from, a, schema, 1 + random_below(2000), cx);
	assert_ok(sheaf_sink_function(write_bytes, &out, "memory", cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, sheaf_dataset_schema(dataset), &options, cx, &writer, &err));
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		assert_ok(sheaf_write(writer, frame, &err));
	assert_status(SHEAF_END, status);
	assert_ok(sheaf_finish(writer, &err));
	sheaf_close(dataset);
	return out;
}

/* There and back: equal contents; and where the first format holds nothing but contents, equal bytes. */
static void goes_and_comes_back(const table *t, const sheaf_format *a, const sheaf_format *b,
                                int64_t chunk_bytes, sheaf_context *cx)
{
	bytes_sink here = written(t, a, NULL, chunk_bytes, 0), there = sent(&here, a, b, &t->schema, 700, cx),
			   back = sent(&there, b, a, &t->schema, chunk_bytes, cx);
	sheaf_dataset *da = opened(&here, a, &t->schema, 0, cx), *dc = opened(&back, a, &t->schema, 0, cx);
	if (abilities(a) & HOLDS_SCHEMA)
		assert_reads_back(t, &back, a, abilities(b), cx);
	else if (!are_equal(da, dc, abilities(a) & abilities(b) & SHEAF_CAN_KEYS))
		fail_msg("%s through %s is not what it was", a->name, b->name);
	bool keys_stay = !(abilities(a) & SHEAF_CAN_KEYS) || (abilities(b) & SHEAF_CAN_KEYS);
	if (keys_stay && !(abilities(a) & HOLDS_SCHEMA)) assert_same_bytes(&here, &back);
	sheaf_close(da);
	sheaf_close(dc);
	free_bytes(&here);
	free_bytes(&there);
	free_bytes(&back);
}

static void test_there_and_back(void **state)
{
	(void)state;
	for (int i = 0; sheaf_format_at(i); i++) {
		for (int j = 0; sheaf_format_at(j); j++) {
			const sheaf_format *a = sheaf_format_at(i), *b = sheaf_format_at(j);
			if (!is_able(a, 0) || !is_able(b, 0)) continue;
			seed_random(500 + (uint64_t)(i * MOST_FORMATS + j));
			for (int k = 0; k < rounds(DATASETS); k++) {
				sheaf_context *cx = usual_context();
				table t = make_dataset(cx, abilities(a) & abilities(b));
				goes_and_comes_back(&t, a, b, k % 2 ? 0 : 1 + random_below(3000), cx);
				free_table(&t);
				end_context(cx);
			}
		}
	}
}

/* ---- conversions, as users make them ---- */

static int conversions_kept, conversions_broken;

/* NULL if it cannot be read. What is not said of a file is found in it. */
static sheaf_dataset *opened_as(const sheaf_format *format, const char *path, unsigned rows,
                                const declared *d, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = {.size = sizeof options,
	                              .format = format->name,
	                              .settings = d->settings,
	                              .nsettings = d->n,
	                              .tensor = &(sheaf_tensor_options){.coordinates = d->coordinates},
	                              .rows = rows};
	return sheaf_open(path, &options, cx, &dataset, &err) ? NULL : dataset;
}

static bool show_difference(void *user, const sheaf_difference *d)
{
	(void)user;
	snprintf(err.message, sizeof err.message, "row %" PRId64 " %.100s: %.200s | %.200s", d->row,
	         d->stream ? d->stream : "", d->a, d->b);
	return false;
}

/* Declarations that a user of the file would have to give: of formats that store no schema at all. */
static void declare_needed(const sheaf_format *format, unsigned use, const sheaf_schema *schema, declared *d)
{
	static const char *const inferred[] = {"ctf", "csv", "tsv", "jsonl"};
	d->n = 0;
	for (size_t i = 0; i < COUNT(inferred); i++)
		if (strcmp(format->name, inferred[i]) == 0) return;
	declare(format, use, schema, d);
}

static const char *path_of(const char *stem, const sheaf_format *format)
{
	char name[64];
	snprintf(name, sizeof name, "%s%s", stem, format->suffixes[0]);
	return in_folder(name);
}

static sheaf_row_kind kind_of(const sheaf_dataset *dataset) { return sheaf_dataset_schema(dataset)->rows; }

/* The input and the output of a conversion, as `sheaf diff` compares them. */
static bool hold_equal(const sheaf_format *a, const declared *from, const sheaf_format *b, const declared *to,
                       sheaf_context *cx)
{
	const char *in = path_of("in", a), *out = path_of("out", b);
	sheaf_dataset *da = opened_as(a, in, 0, from, cx), *db = opened_as(b, out, 0, to, cx);
	bool equal = da && db;
	sheaf_row_kind ka = equal ? kind_of(da) : SHEAF_CELLS, kb = equal ? kind_of(db) : SHEAF_CELLS;
	if (ka == SHEAF_ENTRIES && kb != ka) {
		declared named = *from;
		const sheaf_schema *sa = sheaf_dataset_schema(da), *sb = sheaf_dataset_schema(db);
		if (sa->tensor.rank == 1 && kb == SHEAF_CELLS && sb->nfields > 1)
			named.coordinates = sb->fields[0].name;
		sheaf_close(da);
		da = opened_as(a, in, 1u << kb, &named, cx);
	} else if (ka == SHEAF_SEQUENCES && kb != ka) {
		sheaf_close(db);
		db = opened_as(b, out, 1u << ka, to, cx);
	}
	sheaf_diff_options options = {.size = sizeof options,
	                              .keys = db && sheaf_schema_key(sheaf_dataset_schema(db)) >= 0,
	                              .on_difference = show_difference};
	equal = da && db && sheaf_diff(da, db, &options, &equal, &err) == SHEAF_OK && equal;
	sheaf_close(da);
	sheaf_close(db);
	return equal;
}

static bool is_read(const sheaf_format *b, const declared *how, sheaf_context *cx)
{
	sheaf_frame all = {0};
	sheaf_dataset *dataset = opened_as(b, path_of("out", b), 0, how, cx);
	bool read = dataset && sheaf_read_all(dataset, &all, &err) == SHEAF_OK;
	sheaf_frame_free(&all);
	sheaf_close(dataset);
	return read;
}

/* The output of a conversion is read and, if nothing was reported, has what the input has. */
static void convert_to(const sheaf_format *a, const declared *from, const sheaf_format *b, sheaf_context *cx)
{
	declared writing = {0}, reading = {0};
	sheaf_setting settings[2 * (MOST_STREAMS + 1)];
	const char *in = path_of("in", a), *out = path_of("out", b);
	sheaf_dataset *given = opened_as(a, in, 0, from, cx);
	assert_non_null(given);
	/* Cells of SciDB have neither names nor types; those of a table can be declared, but not names with
	 * quotes. */
	const sheaf_schema *schema = sheaf_dataset_schema(given);
	bool can = strcmp(b->name, "scidb") != 0 || kind_of(given) == SHEAF_CELLS;
	for (int f = 0; f < schema->nfields && strcmp(b->name, "scidb") == 0; f++)
		can &= !strchr(schema->fields[f].name, '"');
	if (can) declare_needed(b, SHEAF_WRITING, sheaf_dataset_schema(given), &writing);
	if (can) declare_needed(b, SHEAF_READING, sheaf_dataset_schema(given), &reading);
	sheaf_close(given);
	for (int i = 0; i < from->n + writing.n; i++)
		settings[i] = i < from->n ? from->settings[i] : writing.settings[i - from->n];
	sheaf_convert_options how = {
		.size = sizeof how,
		.open =
			&(sheaf_open_options){.format = a->name, .settings = settings, .nsettings = from->n + writing.n},
		.to = b->name,
		.force = true};
	int64_t before = sheaf_context_problems(cx, SHEAF_WARNING);
	sheaf_status status = can ? sheaf_convert(&in, 1, out, &how, cx, &err) : SHEAF_UNSUPPORTED;
	if (status == SHEAF_UNSUPPORTED || status == SHEAF_LOSS || status == SHEAF_USAGE) return;
	bool told = sheaf_context_problems(cx, SHEAF_WARNING) > before;
	if (status == SHEAF_OK && (told ? is_read(b, &reading, cx) : hold_equal(a, from, b, &reading, cx)))
		conversions_kept += !told;
	else
		print_error("%s to %s, %d: %s\n", a->name, b->name, ++conversions_broken, err.message);
}

/* What `diff` cannot see to be equal: a single stream and an array, which has no name for it; sequences and a
 * table made of them, if no option says so. */
static bool can_compare(const table *t, const sheaf_format *b)
{
	static const char *const tables[] = {"csv", "tsv"}, *const arrays[] = {"npy", "npz"};
	bool other = false;
	int streams = t->schema.nfields - (sheaf_schema_key(&t->schema) >= 0);
	for (size_t i = 0; i < COUNT(tables); i++) other |= strcmp(b->name, tables[i]) == 0;
	for (size_t i = 0; i < COUNT(arrays); i++) other |= streams == 1 && strcmp(b->name, arrays[i]) == 0;
	return t->schema.rows != SHEAF_SEQUENCES || !other;
}

static void is_converted(const sheaf_format *a, const table *t, sheaf_context *cx)
{
	declared reading = {0};
	bytes_sink bytes = written(t, a, NULL, 0, 0);
	declare_needed(a, SHEAF_READING, &t->schema, &reading);
	write_file(strrchr(path_of("in", a), '/') + 1, bytes.data, bytes.size);
	free_bytes(&bytes);
	for (int j = 0; sheaf_format_at(j); j++)
		if (is_tested(sheaf_format_at(j)) && can_compare(t, sheaf_format_at(j)))
			convert_to(a, &reading, sheaf_format_at(j), cx);
}

static void test_what_is_converted_is_read(void **state)
{
	(void)state;
	/* Every format is converted into every other; `make check-all` tries more. */
	const char *all = getenv("FAULTS");
	const int most = all && strcmp(all, "all") == 0 ? DATASETS : DATASETS / 8;
	/* A position that comes twice is none of a tensor. */
	const unsigned more = HOLDS_NOTHING | HOLDS_UNSPELLED;
	for_each_dataset(is_converted, most, more, HOLDS_REPEATS);
	for_each_dataset(is_converted, most, more | HOLDS_SHORT, HOLDS_REPEATS | HOLDS_EMPTY_ROWS);
	assert_int_equal(conversions_broken, 0);
	assert_true(conversions_kept > 100);
}

/* ---- the chunks of the binary format, from its bytes alone ---- */

static uint32_t u32_at(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t u64_at(const uint8_t *at) { return (uint64_t)u32_at(at) | (uint64_t)u32_at(at + 4) << 32; }

/* Bytes of row r: its sample count, then for each stream a sample count and the values, or counts, values,
 * indices and lengths. */
static int64_t bytes_of_row(const table *t, int64_t r)
{
	int64_t bytes = 4;
	for (int c = 0; c < t->schema.nfields; c++) {
		if (t->schema.fields[c].meaning == SHEAF_KEY) continue;
		const sheaf_column *column = &t->frame.columns[c];
		sheaf_run samples = sheaf_level_below_one(&column->levels[0], r),
				  stored = sheaf_level_below(&column->levels[1], samples);
		int64_t n = sheaf_run_length(samples), v = sheaf_run_length(stored),
				size = (int64_t)sheaf_type_size(column->type);
		bytes += sheaf_field_is_sparse(&t->schema.fields[c]) ? 8 + v * (size + 4) + n * 4 : 4 + v * size;
	}
	return bytes;
}

/* The rule: row i > 0 opens a chunk iff floor(s(i)/B) > floor(s(i-1)/B). Gives the number of chunks, and the
 * rows and the byte of each. */
static uint32_t chunks_by_the_rule(const table *t, int64_t b, uint32_t *rows, int64_t *offsets)
{
	uint32_t n = 0;
	int64_t before = 0, s = 0;
	for (int64_t r = 0; r < t->frame.nrows; r++) {
		if (r == 0 || s / b > before / b) {
			offsets[n] = 12 + s;
			rows[n++] = 0;
		}
		rows[n - 1]++;
		before = s;
		s += bytes_of_row(t, r);
	}
	return n;
}

static void assert_chunks(const table *t, const bytes_sink *file, int64_t b)
{
	uint32_t rows[64];
	int64_t offsets[64];
	uint32_t n = chunks_by_the_rule(t, b, rows, offsets);
	uint64_t header = u64_at(file->data + file->size - 8);
	assert_int_equal(u32_at(file->data + header + 8), n);
	const uint8_t *entry = file->data + file->size - 8 - 16 * (size_t)n;
	for (uint32_t i = 0; i < n; i++, entry += 16) {
		assert_int_equal(u64_at(entry), offsets[i]);
		assert_int_equal(u32_at(entry + 8), rows[i]);
	}
}

static void test_chunk_rule(void **state)
{
	(void)state;
	const sheaf_format *format = sheaf_format_find("cbf");
	if (!format) skip();
	seed_random(9);
	int several = 0;
	for (int k = 0; k < 60; k++) {
		sheaf_context *cx = usual_context();
		table t = make_dataset(cx, abilities(format) & ~(unsigned)SHEAF_CAN_KEYS);
		int64_t total = 0;
		for (int64_t r = 0; r < t.frame.nrows; r++) total += bytes_of_row(&t, r);
		const int64_t sizes[] = {
			1, 2, 16, 100, 333, 1000, 4096, total - 1, total, total + 1, bytes_of_row(&t, 0), INT64_MAX};
		for (size_t i = 0; i < COUNT(sizes); i++) {
			bytes_sink file = written(&t, format, NULL, sizes[i], 0),
					   cut = written(&t, format, NULL, sizes[i], 1 + k % 5);
			assert_chunks(&t, &file, sizes[i]);
			assert_same_bytes(&file, &cut);
			several += u32_at(file.data + u64_at(file.data + file.size - 8) + 8) > 1;
			free_bytes(&file);
			free_bytes(&cut);
		}
		free_table(&t);
		end_context(cx);
	}
	assert_true(several > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list_of_formats),
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_bytes_do_not_depend_on_frames),
		cmocka_unit_test(test_pieces_are_the_whole),
		cmocka_unit_test(test_pieces_are_many),
		cmocka_unit_test(test_a_byte_at_a_time),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_written_files_are_recognised),
		cmocka_unit_test(test_facts_are_true),
		cmocka_unit_test(test_all_formats_hold_the_same),
		cmocka_unit_test(test_a_difference_is_seen),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test_setup_teardown(test_what_is_converted_is_read, make_folder, remove_folder),
		cmocka_unit_test(test_chunk_rule),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
