/* SPDX-License-Identifier: MIT */
/* A schema as bytes: the number of fields, then each; numbers are little-endian, texts have their length before them. */
#include "data/schema_bytes.h"
#include "data/frame.h"

enum {
	NO_ALIAS = UINT32_MAX,
	FIELD_LEAST = 24 /* bytes that a field takes at least */
};

/* ---- to bytes ---- */

static void put_text(sheaf_builder *b, const char *text)
{
	sheaf_builder_u32le(b, text ? (uint32_t)strlen(text) : NO_ALIAS);
	if (text) sheaf_builder_text(b, text);
}

static void put_level(sheaf_builder *b, const sheaf_level_shape *level)
{
	sheaf_builder_u32le(b, (uint32_t)level->kind);
	sheaf_builder_u32le(b, (uint32_t)level->rank);
	sheaf_builder_u32le(b, (uint32_t)level->index_type);
	for (int r = 0; r < SHEAF_MAX_RANK; r++) sheaf_builder_u64le(b, (uint64_t)level->extents[r]);
}

void sheaf_schema_to_bytes(const sheaf_schema *schema, sheaf_builder *b)
{
	sheaf_builder_u32le(b, (uint32_t)schema->nfields);
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		put_text(b, field->name);
		put_text(b, field->alias);
		sheaf_builder_u32le(b, (uint32_t)field->meaning);
		sheaf_builder_u32le(b, field->main);
		sheaf_builder_u32le(b, (uint32_t)field->type);
		sheaf_builder_u32le(b, (uint32_t)field->nlevels);
		for (int l = 0; l < field->nlevels; l++) put_level(b, &field->levels[l]);
	}
}

/* ---- from bytes ---- */

static sheaf_status refuse(const char *expected, sheaf_error *err) { return sheaf_fail(err, SHEAF_DATA, "schema: expected %s, found other bytes", expected); }

static sheaf_status read_level(sheaf_cursor *c, sheaf_level_shape *level, sheaf_error *err)
{
	uint32_t kind = sheaf_cursor_u32le(c, "kind of a level"), rank = sheaf_cursor_u32le(c, "rank"), type = sheaf_cursor_u32le(c, "type of indices");
	bool is_coord = kind == SHEAF_COORD;
	if (kind > SHEAF_COORD || (is_coord ? rank < 1 || rank > SHEAF_MAX_RANK : rank != 0)) return refuse("a level", err);
	if (type >= SHEAF_TYPES || (is_coord && type != SHEAF_I32 && type != SHEAF_I64)) return refuse("a type of indices", err);
	*level = (sheaf_level_shape){.kind = (sheaf_level_kind)kind, .rank = (int)rank, .index_type = (sheaf_type)type};
	for (int r = 0; r < SHEAF_MAX_RANK; r++) {
		level->extents[r] = sheaf_cursor_i64le(c, "extent");
		if (level->extents[r] < 0) return refuse("an extent of at least 0", err);
	}
	return SHEAF_OK;
}

static sheaf_status read_alias(sheaf_cursor *c, sheaf_context *cx, sheaf_field *field, sheaf_error *err)
{
	uint32_t n = sheaf_cursor_u32le(c, "length of an alias");
	if (n == NO_ALIAS) return SHEAF_OK;
	const uint8_t *text = sheaf_cursor_bytes(c, n, 1, "alias");
	if (!text || memchr(text, '\0', n)) return refuse("an alias", err);
	return sheaf_field_set_alias(field, cx, (const char *)text, n, err);
}

static sheaf_status read_field(sheaf_cursor *c, sheaf_context *cx, sheaf_schema *schema, sheaf_error *err)
{
	sheaf_field *field;
	uint32_t n = sheaf_cursor_u32le(c, "length of a name");
	const uint8_t *name = sheaf_cursor_bytes(c, n, 1, "name");
	if (!name || n == 0 || memchr(name, '\0', n)) return refuse("a name", err);
	SHEAF_TRY(sheaf_schema_add(schema, cx, (const char *)name, n, &field, err));
	SHEAF_TRY(read_alias(c, cx, field, err));
	uint32_t meaning = sheaf_cursor_u32le(c, "meaning"), main = sheaf_cursor_u32le(c, "mark of the main stream");
	uint32_t type = sheaf_cursor_u32le(c, "type"), nlevels = sheaf_cursor_u32le(c, "number of levels");
	if (meaning > SHEAF_SPELLING || main > 1 || type >= SHEAF_TYPES || nlevels > SHEAF_MAX_LEVELS) return refuse("a field", err);
	field->meaning = (sheaf_meaning)meaning;
	field->main = main == 1;
	field->type = (sheaf_type)type;
	for (uint32_t l = 0; l < nlevels; l++) SHEAF_TRY(read_level(c, &field->levels[l], err));
	field->nlevels = (int)nlevels;
	return c->failed ? refuse("a whole field", err) : SHEAF_OK;
}

sheaf_status sheaf_schema_from_bytes(sheaf_cursor *c, sheaf_context *cx, sheaf_schema *out, sheaf_error *err)
{
	*out = (sheaf_schema){.cx = cx};
	uint32_t n = sheaf_cursor_count_u32le(c, FIELD_LEAST, "number of fields");
	sheaf_status status = c->failed ? refuse("its fields", err) : SHEAF_OK;
	for (uint32_t f = 0; f < n && status == SHEAF_OK; f++) status = read_field(c, cx, out, err);
	if (status) sheaf_schema_free(out);
	return status;
}
