/* SPDX-License-Identifier: MIT */
/* The table of types. */
#include "format/scidb/types.h"
#include "base/memory.h"
#include "base/spell.h"
#include <inttypes.h>
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* In the order of their kinds, followed by those of the plugins that come with the server. */
static const sheaf_scidb_type natives[] = {
	{SCIDB_BOOL, "bool", 1},           {SCIDB_CHAR, "char", 1},
	{SCIDB_INT8, "int8", 1},           {SCIDB_INT16, "int16", 2},
	{SCIDB_INT32, "int32", 4},         {SCIDB_INT64, "int64", 8},
	{SCIDB_UINT8, "uint8", 1},         {SCIDB_UINT16, "uint16", 2},
	{SCIDB_UINT32, "uint32", 4},       {SCIDB_UINT64, "uint64", 8},
	{SCIDB_FLOAT, "float", 4},         {SCIDB_DOUBLE, "double", 8},
	{SCIDB_DATETIME, "datetime", 8},   {SCIDB_DATETIMETZ, "datetimetz", 16},
	{SCIDB_STRING, "string", 0},       {SCIDB_BINARY, "binary", 0},
	{SCIDB_INDICATOR, "indicator", 1}, {SCIDB_COMPLEX, "complex", 16},
	{SCIDB_USER, "rational", 16},      {SCIDB_USER, "point", 16},
};
enum { NATIVES = sizeof natives / sizeof *natives, MOST_BYTES = INT32_MAX };

const sheaf_scidb_type *sheaf_scidb_type_of(sheaf_scidb_kind kind) { return &natives[kind]; }

const sheaf_scidb_type *sheaf_scidb_types_at(const sheaf_scidb_types *types, int i)
{
	if (i < NATIVES) return &natives[i];
	return i - NATIVES < types->count ? types->declared[i - NATIVES] : NULL;
}

void sheaf_scidb_types_free(sheaf_scidb_types *types)
{
	for (int i = 0; i < types->count; i++) {
		sheaf_release_text(types->cx, (char *)(uintptr_t)types->declared[i]->name);
		sheaf_release(types->cx, types->declared[i], sizeof **types->declared);
	}
	if (types->declared)
		sheaf_release(types->cx, types->declared, (size_t)types->room * sizeof *types->declared);
	*types = (sheaf_scidb_types){0};
}

static sheaf_status make_room(sheaf_scidb_types *types, sheaf_error *err)
{
	int room = types->room ? 2 * types->room : 4;
	if (types->count < types->room) return SHEAF_OK;
	SHEAF_TRY(sheaf_reallocate(types->cx, &types->declared, (size_t)types->room * sizeof *types->declared,
	                           (size_t)room * sizeof *types->declared, err));
	types->room = room;
	return SHEAF_OK;
}

static void make_lower(char *name)
{
	for (; *name; name++)
		if (*name >= 'A' && *name <= 'Z') *name = (char)(*name + 'a' - 'A');
}

static sheaf_status add(sheaf_scidb_types *types, const char *name, size_t n, int64_t size,
                        const sheaf_scidb_type **out, sheaf_error *err)
{
	void *memory;
	char *copy = NULL;
	SHEAF_TRY(make_room(types, err));
	SHEAF_TRY(sheaf_copy_text(types->cx, name, n, &copy, err));
	sheaf_status status = sheaf_allocate(types->cx, sizeof(sheaf_scidb_type), &memory, err);
	if (status) {
		sheaf_release_text(types->cx, copy);
		return status;
	}
	make_lower(copy);
	sheaf_scidb_type *type = (sheaf_scidb_type *)memory;
	*type = (sheaf_scidb_type){SCIDB_USER, copy, size};
	types->declared[types->count++] = type;
	if (out) *out = type;
	return SHEAF_OK;
}

/* ---- finding ---- */

static bool has_name(const sheaf_scidb_type *type, const char *name, size_t size)
{
	return strncasecmp(type->name, name, size) == 0 && type->name[size] == '\0';
}

static const sheaf_scidb_type *find_known(const sheaf_scidb_types *types, const char *name, size_t size)
{
	const sheaf_scidb_type *type;
	for (int i = 0; (type = sheaf_scidb_types_at(types, i)); i++)
		if (has_name(type, name, size)) return type;
	return NULL;
}

/* The number after the last underscore, or 0. */
static int64_t size_in_name(const char *name, size_t size)
{
	int64_t n = 0;
	size_t at = size;
	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') at--;
	if (at == size || at < 2 || name[at - 1] != '_') return 0;
	for (; at < size && n <= MOST_BYTES; at++) n = 10 * n + (name[at] - '0');
	return n <= MOST_BYTES ? n : 0;
}

/* Whether a type NAME_* was declared that includes such a name. */
static bool is_generic(const sheaf_scidb_types *types, const char *name, size_t size)
{
	while (size > 0 && name[size - 1] != '_') size--;
	for (int i = 0; i < types->count; i++) {
		const char *other = types->declared[i]->name;
		if (strlen(other) == size + 1 && strncasecmp(other, name, size) == 0 && other[size] == '*')
			return true;
	}
	return false;
}

sheaf_status sheaf_scidb_types_find(sheaf_scidb_types *types, const char *name, size_t size,
                                    const sheaf_scidb_type **out, sheaf_error *err)
{
	int64_t bytes = size_in_name(name, size);
	*out = find_known(types, name, size);
	if (*out || bytes == 0 || !is_generic(types, name, size)) return SHEAF_OK;
	return add(types, name, size, bytes, out, err);
}

/* ---- unknown names ---- */

static const char *name_at(const void *user, int i)
{
	const sheaf_scidb_type *type = sheaf_scidb_types_at((const sheaf_scidb_types *)user, i);
	return type ? type->name : NULL;
}

const char *sheaf_scidb_types_expected(const sheaf_scidb_types *types, const char *name, size_t size,
                                       char text[SCIDB_EXPECTED])
{
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1), name);
	const char *near = sheaf_nearest_word(word, name_at, types);
	snprintf(text, SCIDB_EXPECTED,
	         "the name of a type (" SHEAF_OPTION("type") " NAME=BYTES declares others%s%.40s%s)",
	         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return text;
}

/* ---- declaring ---- */

static bool is_name(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = (char)(name[i] | 0x20);
		bool letter = c >= 'a' && c <= 'z', digit = name[i] >= '0' && name[i] <= '9';
		if (!letter && (i == 0 || (!digit && name[i] != '_'))) return false;
	}
	return size > 0;
}

static int64_t read_size(const char *text)
{
	int64_t n = 0;
	const char *at = text;
	for (; *at >= '0' && *at <= '9' && n <= MOST_BYTES; at++) n = 10 * n + (*at - '0');
	return at == text || *at ? 0 : n;
}

static sheaf_status declare(sheaf_scidb_types *types, const char *text, sheaf_error *err)
{
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	bool generic = !equals && n > 2 && text[n - 1] == '*' && text[n - 2] == '_';
	if ((!equals && !generic) || !is_name(text, generic ? n - 1 : n))
		return sheaf_fail(err, SHEAF_USAGE,
		                  SHEAF_OPTION("type") ": expected NAME=BYTES, or NAME_* for types whose size is in "
		                                       "their name, found \"%s\"",
		                  text);
	int64_t size = generic ? 0 : read_size(equals + 1);
	if (!generic && (size < 1 || size > MOST_BYTES))
		return sheaf_fail_option(err, SHEAF_USAGE, "type",
		                         " %s: expected a size from 1 to %d bytes, found \"%s\"", text, MOST_BYTES,
		                         equals + 1);
	const sheaf_scidb_type *known = find_known(types, text, n);
	if (known && known->size == size) return SHEAF_OK;
	if (known)
		return sheaf_fail(
			err, SHEAF_USAGE,
			SHEAF_OPTION(
				"type") " %s: expected a name that no other type has, found that of a type of %" PRId64
						" bytes",
			text, known->size);
	return add(types, text, n, size, NULL, err);
}

sheaf_status sheaf_scidb_types_declare(sheaf_scidb_types *types, const sheaf_values *values,
                                       sheaf_context *cx, sheaf_error *err)
{
	const char *text;
	types->cx = cx;
	for (int k = 0; (text = sheaf_values_nth(values, "type", k)); k++) SHEAF_TRY(declare(types, text, err));
	return SHEAF_OK;
}
