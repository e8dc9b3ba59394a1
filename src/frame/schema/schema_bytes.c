/* SPDX-License-Identifier: MIT */
/* A schema as bytes: indexes, summaries and files with a schema of our own keep it so. Numbers are
 * little-endian, texts have their length before them (32 bits; all ones: there is none):
 *
 *     u32 kind of rows | of tensors: rank, shape and order, flags, structure, fill, layout, short sequences
 *     u32 mark of cells | u32 number of fields, each:
 *         name | alias | u32 meaning and digits | u32 main | u32 type | u32 number of levels
 *         of each level: u32 kind, rank, type of indices, missing | i64 extent
 *         name of the loss | usual value, 8 bytes | how items are spelled
 *     u32 number of attributes, each: name | text | name of the loss
 *
 * The hash of these bytes says whether two schemas are the same. Whoever reads them trusts none: counts are
 * held against the bytes that are left before memory is taken, and in the end the schema must be one that
 * there can be (sheaf_schema_check). */
#include "frame/schema/schema_bytes.h"
#include "base/endian.h"
#include "base/lasting.h"
#include "base/memory.h"
#include "base/third/xxhash.h"
#include "frame/frame.h"

enum {
	FIELD_LEAST = 52,     /* bytes that a field takes at least */
	ATTRIBUTE_LEAST = 12, /* and an attribute */
	DIGITS_AT = 8         /* the bit of a meaning's word from which on it has the digits of times */
};

/* ---- to bytes ---- */

/* The fill value, whose numbers have this machine's order, from its little-endian bytes, or into them. */
static void copy_fill(const sheaf_schema *schema, const uint8_t *from, uint8_t *to)
{
	int value = schema->rows == SHEAF_ENTRIES ? sheaf_schema_value(schema) : 0;
	bool known = value >= 0 && value < schema->nfields;
	size_t width = known ? sheaf_type_size(schema->fields[value].type) : 1;
	sheaf_copy_le(to, from, sizeof schema->tensor.fill / width, width);
}

/* Writes what a schema of a tensor has more, with all dimensions that there could be. */
static void put_tensor(sheaf_builder *b, const sheaf_schema *schema)
{
	const sheaf_tensor *tensor = &schema->tensor;
	uint8_t fill[sizeof tensor->fill];
	copy_fill(schema, tensor->fill, fill);
	sheaf_builder_u32le(b, (uint32_t)tensor->rank);
	for (int d = 0; d < SHEAF_MAX_RANK; d++)
		sheaf_builder_i64le(b, tensor->shape[d]), sheaf_builder_u32le(b, (uint32_t)tensor->order[d]);
	sheaf_builder_u32le(b, (uint32_t)(tensor->sorted | tensor->unique << 1 | tensor->dense << 2 |
	                                  tensor->iso << 3 | tensor->has_fill << 4));
	sheaf_builder_u32le(b, (uint32_t)tensor->structure);
	sheaf_builder_append(b, fill, sizeof fill);
	sheaf_builder_append(b, tensor->layout, sizeof tensor->layout);
	sheaf_builder_i64le(b, tensor->nshort);
	sheaf_builder_i64le(b, tensor->first_short);
}

/* Writes a field, as the head of this file shows it. */
static void put_field(sheaf_builder *b, const sheaf_field *field)
{
	uint64_t usual;
	memcpy(&usual, &field->usual, sizeof usual);
	sheaf_builder_counted_text(b, field->name);
	sheaf_builder_counted_text(b, field->alias);
	sheaf_builder_u32le(b, (uint32_t)field->meaning | (uint32_t)field->digits << DIGITS_AT);
	sheaf_builder_u32le(b, field->main);
	sheaf_builder_u32le(b, (uint32_t)field->type);
	sheaf_builder_u32le(b, (uint32_t)field->nlevels);
	for (int l = 0; l < field->nlevels; l++) {
		const sheaf_level_shape *level = &field->levels[l];
		sheaf_builder_u32le(b, (uint32_t)level->kind);
		sheaf_builder_u32le(b, (uint32_t)level->rank);
		sheaf_builder_u32le(b, (uint32_t)level->index_type);
		sheaf_builder_u32le(b, (uint32_t)level->missing);
		sheaf_builder_i64le(b, level->extent);
	}
	sheaf_builder_counted_text(b, field->loss);
	sheaf_builder_u64le(b, usual);
	sheaf_builder_append(b, field->spelled, sizeof field->spelled);
}

void sheaf_schema_to_bytes(const sheaf_schema *schema, sheaf_builder *b)
{
	sheaf_builder_u32le(b, (uint32_t)schema->rows);
	if (schema->rows == SHEAF_ENTRIES || schema->rows == SHEAF_WHOLE) put_tensor(b, schema);
	sheaf_builder_u32le(b, schema->cells);
	sheaf_builder_u32le(b, (uint32_t)schema->nfields);
	for (int f = 0; f < schema->nfields; f++) put_field(b, &schema->fields[f]);
	sheaf_builder_u32le(b, (uint32_t)schema->nattributes);
	for (int a = 0; a < schema->nattributes; a++) {
		sheaf_builder_counted_text(b, schema->attributes[a].name);
		sheaf_builder_counted_text(b, schema->attributes[a].text);
		sheaf_builder_counted_text(b, schema->attributes[a].loss);
	}
}

sheaf_status sheaf_schema_hash(const sheaf_schema *schema, sheaf_context *cx, uint64_t *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_schema_to_bytes(schema, &b);
	sheaf_status status = sheaf_builder_status(&b, err);
	if (!status) *out = sheaf_xxhash(b.data, b.size, 0).low;
	sheaf_builder_drop(&b);
	return status;
}

/* ---- from bytes ---- */

static sheaf_status refuse(const char *expected, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "schema: expected %s, found other bytes", expected);
}

/* Reads a text of any length, which the caller releases; *out is NULL where there is none. */
static sheaf_status read_text(sheaf_cursor *c, const char *what, sheaf_context *cx, char **out,
                              sheaf_error *err)
{
	sheaf_bytes text;
	*out = NULL;
	if (!sheaf_cursor_text(c, what, &text)) return refuse(what, err);
	return text.data ? sheaf_copy_text(cx, (const char *)text.data, text.size, out, err) : SHEAF_OK;
}

/* Reads the name of the loss of a field or an attribute, which becomes a text that lasts as long as the
 * process, as the names of losses in programs do. */
static sheaf_status read_loss(sheaf_cursor *c, sheaf_context *cx, const char **out, sheaf_error *err)
{
	char *text;
	SHEAF_TRY(read_text(c, "the name of a loss", cx, &text, err));
	*out = sheaf_lasting_text(text);
	sheaf_release_text(cx, text);
	return SHEAF_OK;
}

/* Reads a field and adds it to the schema. Numbers that would overflow something are refused here; whether
 * there can be such a field is not asked. A spelling (SHEAF_SPELLING) is for showing, and never in a file. */
static sheaf_status read_field(sheaf_cursor *c, sheaf_schema *schema, sheaf_error *err)
{
	sheaf_field *field;
	sheaf_bytes alias;
	uint32_t n = sheaf_cursor_u32le(c, "length of a name");
	const uint8_t *name = sheaf_cursor_bytes(c, n, 1, "name");
	if (!name || memchr(name, '\0', n)) return refuse("a name", err);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, (const char *)name, n, &field, err));
	if (!sheaf_cursor_text(c, "alias", &alias)) return refuse("an alias", err);
	if (alias.data)
		SHEAF_TRY(sheaf_schema_set_alias(schema, field, (const char *)alias.data, alias.size, err));
	uint32_t word = sheaf_cursor_u32le(c, "meaning"), meaning = word & ((1u << DIGITS_AT) - 1);
	uint32_t main = sheaf_cursor_u32le(c, "mark of the main stream"), type = sheaf_cursor_u32le(c, "type");
	uint32_t nlevels = sheaf_cursor_u32le(c, "number of levels");
	if (meaning == SHEAF_SPELLING || main > 1 || nlevels > SHEAF_MAX_LEVELS) return refuse("a field", err);
	SHEAF_TRY(sheaf_schema_make_levels(schema, field, (int)nlevels, err));
	field->meaning = (sheaf_meaning)meaning;
	field->digits = (int)(word >> DIGITS_AT);
	field->main = main == 1;
	field->type = (sheaf_type)type;
	field->nlevels = (int)nlevels;
	for (int l = 0; l < field->nlevels; l++) {
		sheaf_level_shape *level = &field->levels[l];
		level->kind = (sheaf_level_kind)sheaf_cursor_u32le(c, "kind of a level");
		level->rank = sheaf_cursor_i32le(c, "rank");
		level->index_type = (sheaf_type)sheaf_cursor_u32le(c, "type of indices");
		level->missing = (sheaf_missing)sheaf_cursor_u32le(c, "kind of missing positions");
		level->extent = sheaf_cursor_i64le(c, "extent");
	}
	SHEAF_TRY(read_loss(c, schema->cx, &field->loss, err));
	uint64_t usual = sheaf_cursor_u64le(c, "usual value");
	const uint8_t *spelled = sheaf_cursor_bytes(c, sizeof field->spelled, 1, "spelling of items");
	if (!spelled || spelled[sizeof field->spelled - 1]) return refuse("a spelling of items", err);
	memcpy(&field->usual, &usual, sizeof usual);
	memcpy(field->spelled, spelled, sizeof field->spelled);
	return c->failed ? refuse("a whole field", err) : SHEAF_OK;
}

/* Reads what a schema of a tensor has more; flags and texts that nobody writes are refused. Whether there
 * can be such a tensor is not asked here. */
static sheaf_status read_tensor(sheaf_cursor *c, sheaf_tensor *tensor, sheaf_error *err)
{
	tensor->rank = sheaf_cursor_i32le(c, "rank of a tensor");
	for (int d = 0; d < SHEAF_MAX_RANK; d++) {
		tensor->shape[d] = sheaf_cursor_i64le(c, "extent of a tensor");
		tensor->order[d] = sheaf_cursor_i32le(c, "order of a tensor");
	}
	uint32_t flags = sheaf_cursor_u32le(c, "flags of a tensor"),
			 structure = sheaf_cursor_u32le(c, "structure");
	const uint8_t *fill = sheaf_cursor_bytes(c, sizeof tensor->fill, 1, "fill"),
				  *layout = sheaf_cursor_bytes(c, sizeof tensor->layout, 1, "layout");
	if (flags > 31 || !fill || !layout || layout[sizeof tensor->layout - 1]) return refuse("a tensor", err);
	tensor->structure = (sheaf_structure)structure;
	tensor->sorted = flags & 1;
	tensor->unique = flags & 2;
	tensor->dense = flags & 4;
	tensor->iso = flags & 8;
	tensor->has_fill = flags & 16;
	memcpy(tensor->fill, fill, sizeof tensor->fill);
	memcpy(tensor->layout, layout, sizeof tensor->layout);
	tensor->nshort = sheaf_cursor_i64le(c, "number of short sequences");
	tensor->first_short = sheaf_cursor_i64le(c, "first short sequence");
	return SHEAF_OK;
}

static sheaf_status read_attribute(sheaf_cursor *c, sheaf_schema *schema, sheaf_error *err)
{
	char *name = NULL, *text = NULL;
	const char *loss = NULL;
	sheaf_status status = read_text(c, "the name of an attribute", schema->cx, &name, err);
	if (!status) status = read_text(c, "an attribute", schema->cx, &text, err);
	if (!status) status = read_loss(c, schema->cx, &loss, err);
	if (!status && (!name || !text)) status = refuse("an attribute", err);
	if (!status) status = sheaf_schema_put_attribute(schema, schema->cx, name, text, loss, err);
	sheaf_release_text(schema->cx, name);
	sheaf_release_text(schema->cx, text);
	return status;
}

static sheaf_status read(sheaf_cursor *c, sheaf_schema *schema, sheaf_error *err)
{
	uint32_t rows = sheaf_cursor_u32le(c, "kind of rows");
	schema->rows = (sheaf_row_kind)rows;
	if (rows == SHEAF_ENTRIES || rows == SHEAF_WHOLE) SHEAF_TRY(read_tensor(c, &schema->tensor, err));
	uint32_t cells = sheaf_cursor_u32le(c, "mark of cells");
	schema->cells = cells == 1;
	if (c->failed || cells > 1) return refuse("a kind of rows", err);
	uint32_t nfields = sheaf_cursor_count_u32le(c, FIELD_LEAST, "number of fields");
	if (c->failed) return refuse("its fields", err);
	for (uint32_t f = 0; f < nfields; f++) SHEAF_TRY(read_field(c, schema, err));
	uint32_t nattributes = sheaf_cursor_count_u32le(c, ATTRIBUTE_LEAST, "number of attributes");
	if (c->failed) return refuse("its attributes", err);
	for (uint32_t a = 0; a < nattributes; a++) SHEAF_TRY(read_attribute(c, schema, err));
	return sheaf_schema_check(schema, SHEAF_DATA, err);
}

sheaf_status sheaf_schema_from_bytes(sheaf_cursor *c, sheaf_context *cx, sheaf_schema *out, sheaf_error *err)
{
	*out = (sheaf_schema){.cx = cx};
	sheaf_status status = read(c, out, err);
	if (status) {
		sheaf_schema_free(out);
		return status;
	}
	uint8_t fill[sizeof out->tensor.fill]; /* its width is that of a type that was checked */
	memcpy(fill, out->tensor.fill, sizeof fill);
	copy_fill(out, fill, out->tensor.fill);
	return SHEAF_OK;
}
