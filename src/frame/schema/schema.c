/* SPDX-License-Identifier: MIT */
/* Fields and schemas: their names, what is asked about them, and how they are made, copied and freed.
 *
 * The names and levels of fields, and the texts of attributes, are in the arena of their schema, so that a
 * schema of thousands of columns takes few allocations; fields themselves, and attributes, are arrays that
 * move when they grow. A lookup by name goes through the fields, except where thousands are added, each of
 * which must be new: sheaf_schema_look_up has a table of names for that. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/spell.h"
#include "frame/frame.h"
#include "frame/schema/names.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>

size_t sheaf_type_size(sheaf_type type)
{
	if ((unsigned)type >= SHEAF_TYPES) return 0;
	static const size_t sizes[SHEAF_TYPES] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
	return sizes[type];
}

const char *sheaf_type_name(sheaf_type type)
{
	static const char *const names[SHEAF_TYPES] = {"uint8", "uint16", "uint32", "uint64",  "int8",
	                                               "int16", "int32",  "int64",  "float32", "float64"};
	return (unsigned)type < SHEAF_TYPES ? names[type] : "type?";
}

const char *sheaf_structure_name(sheaf_structure structure)
{
	static const char *const names[SHEAF_STRUCTURES] = {
		"general",         "symmetric_lower",      "symmetric_upper",     "hermitian_lower",
		"hermitian_upper", "skew_symmetric_lower", "skew_symmetric_upper"};
	return (unsigned)structure < SHEAF_STRUCTURES ? names[structure] : "structure?";
}

int sheaf_schema_list_streams(const sheaf_schema *schema, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "none");
	int n = 0;
	for (int f = 0; f < schema->nfields; f++) {
		if (!sheaf_field_is_stream(&schema->fields[f])) continue;
		if (n == 0) used = 0;
		int printed = used < size
		                  ? snprintf(text + used, size - used, "%s%s", n ? ", " : "", schema->fields[f].name)
		                  : 0;
		used += printed > 0 ? (size_t)printed : 0;
		n++;
	}
	return n;
}

bool sheaf_schema_lists(const sheaf_schema *schema, int f, bool streams)
{
	const sheaf_field *field = &schema->fields[f];
	if (field->meaning == SHEAF_KEY) return false;
	return streams == (schema->rows == SHEAF_SEQUENCES && sheaf_field_is_stream(field));
}

/* Of which fields names are looked for. */
typedef struct candidates {
	const sheaf_schema *schema;
	bool streams;
} candidates;

/* The name of candidate number i, as sheaf_nearest_word asks for it; NULL after the last. */
static const char *candidate(const void *user, int i)
{
	const candidates *c = (const candidates *)user;
	for (int f = 0; f < c->schema->nfields; f++)
		if (sheaf_schema_lists(c->schema, f, c->streams) && i-- == 0) return c->schema->fields[f].name;
	return NULL;
}

const char *sheaf_schema_nearest(const sheaf_schema *schema, bool streams, const char *wanted)
{
	return sheaf_nearest_word(wanted, candidate, &(candidates){schema, streams});
}

sheaf_status sheaf_refuse_stream(const char *option, const char *wanted, const char *file,
                                 const sheaf_schema *schema, sheaf_error *err)
{
	char names[300];
	const char *near = sheaf_schema_nearest(schema, true, wanted);
	sheaf_schema_list_streams(schema, names, sizeof names);
	return sheaf_fail_option(err, SHEAF_USAGE, option, ": expected a stream of %s, found \"%s\"; %s%s%s",
	                         file, wanted, near ? "did you mean " : "it has ", near ? near : names,
	                         near ? "?" : "");
}

const char *sheaf_row_kind_name(sheaf_row_kind rows)
{
	static const char *const names[] = {"sequences", "rows of a table", "entries of a tensor",
	                                    "a whole tensor"};
	return names[rows];
}

void sheaf_place_words(sheaf_place *place, sheaf_row_kind rows)
{
	static const char *const row_words[] = {NULL, "row", "entry", "tensor"}, *const stream_words[] = {
																				 NULL, "column", "column",
																				 "tensor"};
	place->row_word = row_words[rows];
	place->stream_word = stream_words[rows];
}

/* Whether a field has the levels of a stream, whatever may be missing: LIST, then a level of this kind, then
 * numbers, each of which may have a level of its own to be missing. */
static bool has_samples(const sheaf_field *field, sheaf_level_kind kind)
{
	const sheaf_level_shape *levels = field->levels;
	bool own = field->nlevels == 3 && levels[2].kind == SHEAF_FIXED && levels[2].extent == 1 &&
	           levels[2].missing == SHEAF_NULLABLE;
	return field->meaning == SHEAF_NUMBER && field->nlevels == 2 + own && levels[0].kind == SHEAF_LIST &&
	       levels[1].kind == kind;
}

bool sheaf_field_lacks_samples(const sheaf_field *field)
{
	return (has_samples(field, SHEAF_FIXED) || has_samples(field, SHEAF_COORD)) &&
	       sheaf_field_is_nullable(field);
}

sheaf_status sheaf_field_need_stream(const sheaf_field *field, sheaf_error *err)
{
	if (sheaf_field_is_stream(field)) return SHEAF_OK;
	if (sheaf_field_lacks_samples(field))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "stream \"%s\": expected samples that are all there, found some that are missing "
		                  "(" SHEAF_OPTION("columns") " names the columns to keep)",
		                  field->name);
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "stream \"%s\": expected sequences of dense or sparse samples, found another shape "
	                  "(" SHEAF_OPTION("streams") " names the streams to keep)",
	                  field->name);
}

const char *sheaf_field_storage(const sheaf_field *field)
{
	static const char *const by_meaning[SHEAF_MEANINGS][4] = {
		[SHEAF_STRING] = {"text"},
		[SHEAF_SPELLING] = {"text"},
		[SHEAF_BYTES] = {"bytes"},
		[SHEAF_BOOL] = {"bool"},
		[SHEAF_CHAR] = {"char"},
		[SHEAF_DATETIME] = {"datetime", "datetime[ms]", "datetime[us]", "datetime[ns]"},
		[SHEAF_DATETIMETZ] = {"datetimetz", "datetimetz[ms]", "datetimetz[us]", "datetimetz[ns]"},
		[SHEAF_DURATION] = {"duration", "duration[ms]", "duration[us]", "duration[ns]"},
		[SHEAF_DATE] = {"date"},
		[SHEAF_TIME] = {"time", "time[ms]", "time[us]", "time[ns]"},
		[SHEAF_COMPLEX] = {"complex"},
		[SHEAF_COORDINATE] = {"coordinate"}};
	const char *storage = field ? by_meaning[field->meaning][field->digits / 3] : "values";
	if (storage) return storage;
	return sheaf_field_is_sparse(field) ? "sparse" : sheaf_field_is_dense(field) ? "dense" : "values";
}

int64_t sheaf_field_dim(const sheaf_field *field)
{
	return field && field->nlevels > 1 ? field->levels[1].extent : 0;
}

int sheaf_schema_find(const sheaf_schema *schema, const char *name)
{
	if (!schema || !name) return -1;
	for (int i = 0; i < schema->nfields; i++)
		if (schema->fields[i].meaning != SHEAF_KEY && strcmp(schema->fields[i].name, name) == 0) return i;
	return -1;
}

int sheaf_schema_find_near(const sheaf_schema *schema, const char *name, int near)
{
	const sheaf_field *field = near < schema->nfields ? &schema->fields[near] : NULL;
	return field && field->meaning != SHEAF_KEY && strcmp(field->name, name) == 0
	           ? near
	           : sheaf_schema_find(schema, name);
}

/* Drops the table of names, when a field gets another name or is removed, and at the end. It is made again
 * when it is needed. */
static void drop_names(sheaf_schema *schema)
{
	if (!schema->names) return;
	sheaf_names_free(schema->names);
	sheaf_release(schema->cx, schema->names, sizeof *schema->names);
	schema->names = NULL;
}

/* Finds a field by its name; *found is -1 if there is none. Few fields are looked through, and need no table.
 * The table of many gets those that were added since the last call, so that thousands of calls, each before a
 * field is added, take no time that grows with their square. Keys are in the table without a name, so that
 * numbers in it are those of fields. */
sheaf_status sheaf_schema_look_up(sheaf_schema *schema, const char *name, int *found, sheaf_error *err)
{
	enum { FEW = 64 };
	*found = schema->nfields < FEW ? sheaf_schema_find(schema, name) : -1;
	if (schema->nfields < FEW) return SHEAF_OK;
	if (!schema->names) {
		SHEAF_TRY(sheaf_allocate(schema->cx, sizeof *schema->names, &schema->names, err));
		*schema->names = (sheaf_names){0};
	}
	for (int f = schema->names->count; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		/* A stream may be called as keys are. */
		size_t size = field->meaning == SHEAF_KEY ? 0 : strlen(field->name);
		SHEAF_TRY(sheaf_names_add(schema->names, schema->cx, field->name, size, err));
	}
	*found = sheaf_names_find(schema->names, name, strlen(name), -1);
	return SHEAF_OK;
}

/* The first field of this meaning or, if `is` is false, of any other; -1 if there is none. */
static int first_of(const sheaf_schema *schema, sheaf_meaning meaning, bool is)
{
	for (int i = 0; schema && i < schema->nfields; i++)
		if ((schema->fields[i].meaning == meaning) == is) return i;
	return -1;
}

int sheaf_schema_key(const sheaf_schema *schema) { return first_of(schema, SHEAF_KEY, true); }

int sheaf_schema_value(const sheaf_schema *schema) { return first_of(schema, SHEAF_COORDINATE, false); }

const char *sheaf_schema_attribute(const sheaf_schema *schema, const char *name)
{
	if (!schema || !name) return NULL;
	for (int i = 0; i < schema->nattributes; i++)
		if (strcmp(schema->attributes[i].name, name) == 0) return schema->attributes[i].text;
	return NULL;
}

static sheaf_status make_room(sheaf_schema *schema, sheaf_context *cx, int room, sheaf_error *err)
{
	size_t size = (size_t)schema->room * sizeof *schema->fields;
	SHEAF_TRY(sheaf_reallocate(cx, &schema->fields, size, (size_t)room * sizeof *schema->fields, err));
	schema->room = room;
	return SHEAF_OK;
}

static size_t levels_size(int nlevels) { return (size_t)nlevels * sizeof(sheaf_level_shape); }

/* The field begins with room for two levels, in the arena, as its name is. */
sheaf_status sheaf_schema_add(sheaf_schema *schema, sheaf_context *cx, const char *name, size_t n,
                              sheaf_field **out, sheaf_error *err)
{
	char *copy;
	void *levels;
	enum { FIRST = 4, LEVELS = 2 }; /* levels as a stream has, and a cell at most */
	schema->cx = cx;
	if (schema->nfields == schema->room && schema->room > INT_MAX / 2)
		return sheaf_fail(err, SHEAF_LIMIT, "schema: expected at most %d fields, found more", INT_MAX / 2);
	if (schema->nfields == schema->room)
		SHEAF_TRY(make_room(schema, cx, schema->room ? schema->room * 2 : FIRST, err));
	SHEAF_TRY(sheaf_arena_copy_text(&schema->arena, cx, name, n, &copy, err));
	SHEAF_TRY(sheaf_arena_allocate(&schema->arena, cx, levels_size(LEVELS), &levels, err));
	*out = &schema->fields[schema->nfields++];
	**out =
		(sheaf_field){.name = copy, .type = SHEAF_F32, .levels = (sheaf_level_shape *)levels, .room = LEVELS};
	return SHEAF_OK;
}

sheaf_status sheaf_schema_make_levels(sheaf_schema *schema, sheaf_field *field, int nlevels, sheaf_error *err)
{
	void *levels;
	if (nlevels <= field->room) return SHEAF_OK;
	SHEAF_TRY(sheaf_arena_allocate(&schema->arena, schema->cx, levels_size(nlevels), &levels, err));
	memcpy(levels, field->levels, levels_size(field->room));
	field->levels = (sheaf_level_shape *)levels;
	field->room = nlevels;
	return SHEAF_OK;
}

void sheaf_field_make_stream(sheaf_field *field, bool sparse, int64_t dim, sheaf_type type)
{
	field->meaning = SHEAF_NUMBER;
	field->type = type;
	field->nlevels = 2;
	field->levels[0] = (sheaf_level_shape){.kind = SHEAF_LIST};
	field->levels[1] =
		(sheaf_level_shape){.kind = sparse ? SHEAF_COORD : SHEAF_FIXED, .rank = sparse, .extent = dim};
	field->levels[1].index_type = sparse && dim - 1 > INT32_MAX ? SHEAF_I64 : SHEAF_I32;
}

void sheaf_field_make_cell(sheaf_field *field, sheaf_meaning meaning, sheaf_type type, int64_t width,
                           bool nullable)
{
	bool run = sheaf_means_run(meaning);
	field->meaning = meaning;
	field->digits = 0;
	field->type = type;
	field->nlevels = run || nullable;
	field->levels[0] = (sheaf_level_shape){.kind = run && width < 0 ? SHEAF_LIST : SHEAF_FIXED,
	                                       .missing = nullable ? SHEAF_NULLABLE : SHEAF_NEVER};
	if (field->levels[0].kind == SHEAF_FIXED) field->levels[0].extent = run ? width : 1;
}

sheaf_status sheaf_schema_make_entries(sheaf_schema *schema, sheaf_context *cx, sheaf_dimensions dimensions,
                                       sheaf_field **value, sheaf_error *err)
{
	static const char *const usual[SHEAF_MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
	schema->rows = SHEAF_ENTRIES;
	schema->tensor = (sheaf_tensor){.rank = dimensions.rank, .sorted = true, .unique = true};
	for (int d = 0; d < dimensions.rank; d++) {
		const char *name = dimensions.names ? dimensions.names[d] : usual[d];
		schema->tensor.shape[d] = dimensions.extents[d];
		schema->tensor.order[d] = d;
		SHEAF_TRY(sheaf_schema_add(schema, cx, name, strlen(name), value, err));
		sheaf_type type = dimensions.extents[d] - 1 > INT32_MAX ? SHEAF_I64 : SHEAF_I32;
		sheaf_field_make_cell(*value, SHEAF_COORDINATE, type, 1, false);
	}
	return sheaf_schema_add(schema, cx, "value", 5, value, err);
}

const char *sheaf_field_text(const sheaf_field *field, char *text, size_t size)
{
	const char *storage = sheaf_field_storage(field), *type = sheaf_type_name(field->type);
	bool nullable = sheaf_field_is_nullable(field);
	if (sheaf_field_is_stream(field))
		snprintf(text, size, "%s, dim %" PRId64 ", %s", storage, sheaf_field_dim(field), type);
	else if (sheaf_field_lacks_samples(field))
		snprintf(text, size, "samples of dim %" PRId64 ", %s, of which some are missing",
		         sheaf_field_dim(field), type);
	else
		snprintf(text, size, "%s%s%s%s", field->meaning == SHEAF_NUMBER ? "" : storage,
		         field->meaning == SHEAF_COMPLEX ? " " : "",
		         field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_COMPLEX ? type : "",
		         nullable ? " that may be missing" : "");
	return text;
}

void sheaf_schema_name_losses(sheaf_schema *schema)
{
	for (int f = 0; schema->rows == SHEAF_SEQUENCES && f < schema->nfields; f++) {
		sheaf_field *field = &schema->fields[f];
		if (field->loss || sheaf_field_is_stream(field) || field->meaning == SHEAF_KEY) continue;
		field->loss = "column";
		field->usual = NAN;
	}
}

sheaf_status sheaf_schema_set_alias(sheaf_schema *schema, sheaf_field *field, const char *alias, size_t n,
                                    sheaf_error *err)
{
	return sheaf_arena_copy_text(&schema->arena, schema->cx, alias, n, &field->alias, err);
}

sheaf_status sheaf_schema_rename(sheaf_schema *schema, sheaf_field *field, const char *name, size_t n,
                                 sheaf_error *err)
{
	char *copy;
	drop_names(schema);
	SHEAF_TRY(sheaf_arena_copy_text(&schema->arena, schema->cx, name, n, &copy, err));
	field->alias = field->name;
	field->name = copy;
	return SHEAF_OK;
}

sheaf_status sheaf_schema_add_key(sheaf_schema *schema, sheaf_context *cx, sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(schema, cx, "key", 3, &field, err));
	field->meaning = SHEAF_KEY;
	field->type = SHEAF_U64;
	return SHEAF_OK;
}

sheaf_status sheaf_schema_put_attribute(sheaf_schema *schema, sheaf_context *cx, const char *name,
                                        const char *text, const char *loss, sheaf_error *err)
{
	sheaf_attribute added = {.loss = loss};
	size_t size = (size_t)schema->nattributes * sizeof added;
	schema->cx = cx;
	SHEAF_TRY(sheaf_arena_copy_text(&schema->arena, cx, name, strlen(name), &added.name, err));
	SHEAF_TRY(sheaf_arena_copy_text(&schema->arena, cx, text, strlen(text), &added.text, err));
	SHEAF_TRY(sheaf_reallocate(cx, &schema->attributes, size, size + sizeof added, err));
	schema->attributes[schema->nattributes++] = added;
	return SHEAF_OK;
}

void sheaf_schema_remove(sheaf_schema *schema, int field)
{
	drop_names(schema);
	schema->nfields--;
	memmove(schema->fields + field, schema->fields + field + 1,
	        (size_t)(schema->nfields - field) * sizeof *schema->fields);
}

/* The copy keeps its own name, levels and room, which are in the arena of its schema; all else is *from's. */
sheaf_status sheaf_schema_add_like(sheaf_schema *schema, sheaf_context *cx, const sheaf_field *from,
                                   sheaf_field **out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_schema_add(schema, cx, from->name, strlen(from->name), out, err));
	sheaf_status status = sheaf_schema_make_levels(schema, *out, from->nlevels, err);
	if (status) {
		sheaf_schema_remove(schema, schema->nfields - 1);
		return status;
	}
	sheaf_field own = **out;
	**out = *from;
	(*out)->name = own.name;
	(*out)->alias = NULL;
	(*out)->levels = own.levels;
	(*out)->room = own.room;
	if (from->nlevels) memcpy(own.levels, from->levels, levels_size(from->nlevels));
	return SHEAF_OK;
}

sheaf_status sheaf_schema_add_copy(sheaf_schema *out, sheaf_context *cx, const sheaf_field *from,
                                   sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add_like(out, cx, from, &field, err));
	return from->alias ? sheaf_schema_set_alias(out, field, from->alias, strlen(from->alias), err) : SHEAF_OK;
}

sheaf_status sheaf_schema_copy(const sheaf_schema *schema, sheaf_context *cx, sheaf_schema *out,
                               sheaf_error *err)
{
	*out = (sheaf_schema){.rows = schema->rows, .cells = schema->cells, .tensor = schema->tensor, .cx = cx};
	sheaf_status status = schema->nfields ? make_room(out, cx, schema->nfields, err) : SHEAF_OK;
	for (int i = 0; i < schema->nfields && !status; i++)
		status = sheaf_schema_add_copy(out, cx, &schema->fields[i], err);
	for (int i = 0; i < schema->nattributes && !status; i++) {
		const sheaf_attribute *a = &schema->attributes[i];
		status = sheaf_schema_put_attribute(out, cx, a->name, a->text, a->loss, err);
	}
	if (status) sheaf_schema_free(out);
	return status;
}

void sheaf_schema_free(sheaf_schema *schema)
{
	if (!schema) return;
	drop_names(schema);
	sheaf_release(schema->cx, schema->fields, (size_t)schema->room * sizeof *schema->fields);
	sheaf_release(schema->cx, schema->attributes, (size_t)schema->nattributes * sizeof *schema->attributes);
	sheaf_arena_free(&schema->arena, schema->cx);
	*schema = (sheaf_schema){0};
}
