/* SPDX-License-Identifier: MIT */
/* The table of types. Names are found without their case, and a name that is unknown leads to a message that
 * suggests the nearest one. A name like blob_16 is a type of 16 bytes if the user declares blob_*: it joins
 * the table when it is first used. */
#include "format/scidb/types.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/text.h"
#include "number/number.h"
#include <inttypes.h>
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
	sheaf_release(types->cx, types->declared, (size_t)types->room * sizeof *types->declared);
	*types = (sheaf_scidb_types){0};
}

sheaf_status sheaf_scidb_make_room(sheaf_context *cx, void *list, int count, int *room, size_t size,
                                   sheaf_error *err)
{
	int more = *room ? 2 * *room : 4;
	if (count < *room) return SHEAF_OK;
	SHEAF_TRY(sheaf_reallocate(cx, list, (size_t)*room * size, (size_t)more * size, err));
	*room = more;
	return SHEAF_OK;
}

/* Takes over a copy of the name, in lower case; the table owns it. */
static sheaf_status add(sheaf_scidb_types *types, sheaf_name name, int64_t size, const sheaf_scidb_type **out,
                        sheaf_error *err)
{
	char *copy;
	sheaf_scidb_type *type;
	SHEAF_TRY(
		sheaf_scidb_make_room(types->cx, &types->declared, types->count, &types->room, sizeof type, err));
	SHEAF_TRY(sheaf_copy_text(types->cx, name.text, name.size, &copy, err));
	sheaf_status status = sheaf_allocate(types->cx, sizeof *type, &type, err);
	if (status) {
		sheaf_release_text(types->cx, copy);
		return status;
	}
	for (char *c = copy; *c; c++)
		if (sheaf_scidb_is_letter(*c)) *c |= 0x20;
	*type = (sheaf_scidb_type){SCIDB_USER, copy, size};
	types->declared[types->count++] = type;
	*out = type;
	return SHEAF_OK;
}

/* ---- finding ---- */

/* A few dozen types are searched one by one: each name in a text is looked up once. */
static const sheaf_scidb_type *find_known(const sheaf_scidb_types *types, sheaf_name name)
{
	const sheaf_scidb_type *type;
	for (int i = 0; (type = sheaf_scidb_types_at(types, i)); i++)
		if (sheaf_scidb_word_is(name, type->name)) return type;
	return NULL;
}

/* A name that ends with an underscore and a number belongs to a type NAME_* whose name is the same up to the
 * underscore. */
sheaf_status sheaf_scidb_types_find(sheaf_scidb_types *types, sheaf_name name, const sheaf_scidb_type **out,
                                    sheaf_error *err)
{
	size_t at = name.size;
	uint64_t bytes;
	bool generic = false;
	*out = find_known(types, name);
	while (at > 0 && sheaf_scidb_is_digit(name.text[at - 1])) at--;
	(void)sheaf_scan_u64(name.text + at, name.text + name.size, &bytes);
	if (*out || bytes == 0 || bytes > MOST_BYTES || at < 2 || name.text[at - 1] != '_') return SHEAF_OK;
	for (int i = 0; i < types->count && !generic; i++) {
		const char *other = types->declared[i]->name;
		generic = strncasecmp(other, name.text, at) == 0 && strcmp(other + at, "*") == 0;
	}
	return generic ? add(types, name, (int64_t)bytes, out, err) : SHEAF_OK;
}

/* ---- unknown names ---- */

static const char *name_at(const void *user, int i)
{
	const sheaf_scidb_type *type = sheaf_scidb_types_at((const sheaf_scidb_types *)user, i);
	return type ? type->name : NULL;
}

const char *sheaf_scidb_types_expected(const sheaf_scidb_types *types, sheaf_name name,
                                       char text[SCIDB_EXPECTED])
{
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)(name.size < sizeof word ? name.size : sizeof word - 1),
	         name.text);
	const char *near = sheaf_nearest_word(word, name_at, types);
	snprintf(text, SCIDB_EXPECTED,
	         "the name of a type (" SHEAF_OPTION("type") " NAME=BYTES declares others%s%.40s%s)",
	         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return text;
}

/* ---- declaring ---- */

/* NAME=BYTES, or NAME_*, which stands in the table as a type of no size whose name no word can have. It may
 * be declared again with the same size. */
sheaf_status sheaf_scidb_types_declare(sheaf_scidb_types *types, const sheaf_values *values, sheaf_error *err)
{
	const char *text;
	for (int k = 0; (text = sheaf_values_nth(values, "type", k)); k++) {
		const char *equals = strchr(text, '='), *end = text + strlen(text);
		sheaf_name name = {text, (size_t)((equals ? equals : end) - text)};
		bool generic = !equals && name.size > 2 && strcmp(text + name.size - 2, "_*") == 0,
			 sound = (equals || generic) && sheaf_scidb_is_letter(*text);
		for (size_t i = 0; i < name.size - generic; i++) sound &= sheaf_scidb_is_of_word(text[i], false);
		if (!sound)
			return sheaf_fail(
				err, SHEAF_USAGE,
				SHEAF_OPTION("type") ": expected NAME=BYTES, or NAME_* for types whose size is in "
									 "their name, found \"%s\"",
				text);
		uint64_t size = 0;
		if (!generic && (sheaf_scan_u64(equals + 1, end, &size).end < end || size < 1 || size > MOST_BYTES))
			return sheaf_fail_option(err, SHEAF_USAGE, "type",
			                         " %s: expected a size from 1 to %d bytes, found \"%s\"", text,
			                         MOST_BYTES, equals + 1);
		const sheaf_scidb_type *known = find_known(types, name);
		if (!known) SHEAF_TRY(add(types, name, (int64_t)size, &known, err));
		if (known->size != (int64_t)size)
			return sheaf_fail(
				err, SHEAF_USAGE,
				SHEAF_OPTION(
					"type") " %s: expected a name that no other type has, found that of a type of %" PRId64
							" bytes",
				text, known->size);
	}
	return SHEAF_OK;
}
