/* SPDX-License-Identifier: MIT */
/* Streams by declaration: --stream, the converter's map file, aliases, the main stream, and looking names
 * up. In a file a stream is called by its alias, if it has one; everywhere else it has its name. */
#include "base/memory.h"
#include "format/ctf/ctf.h"
#include "frame/schema/declare.h"
#include "io/source.h"
#include <stdio.h>
#include <string.h>

sheaf_type sheaf_ctf_precision(const sheaf_values *values)
{
	const char *word = sheaf_values_text(values, "element-type");
	return word && strcmp(word, "double") == 0 ? SHEAF_F64 : SHEAF_F32;
}

/* A declaration must say everything: what it does not say cannot be found out while other streams are
 * declared. Its element type alone may be the usual one. Names differ from each other, and so do aliases. */
static sheaf_status add_declared(sheaf_ctf_reader *in, const sheaf_declared *declared, sheaf_type usual,
                                 sheaf_error *err)
{
	sheaf_field *field;
	if (declared->dim < 0 || declared->sparse < 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "stream",
		                         " %s: expected NAME:DIM:dense or NAME:DIM:sparse, found no %s",
		                         declared->name, declared->dim < 0 ? "dim" : "storage");
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, declared->name, declared->name_size, &field, err));
	sheaf_field_make_stream(field, declared->sparse, declared->dim,
	                        declared->type < 0 ? usual : (sheaf_type)declared->type);
	if (declared->alias)
		SHEAF_TRY(sheaf_schema_set_alias(&in->schema, field, declared->alias, declared->alias_size, err));
	const char *text = sheaf_ctf_name_of(field);
	if (&in->schema.fields[sheaf_schema_find(&in->schema, field->name)] != field)
		return sheaf_fail(err, SHEAF_USAGE, "stream \"%s\": expected each name once, found it twice",
		                  field->name);
	if (sheaf_names_find(&in->names, text, strlen(text), -1) >= 0)
		return sheaf_fail(err, SHEAF_USAGE, "stream \"%s\": expected each alias once, found \"%s\" twice",
		                  field->name, text);
	return sheaf_names_add(&in->names, in->cx, text, strlen(text), err);
}

/* ---- the map file: four columns, name alias format dim, separated by white space ---- */

typedef struct map_line {
	const char *words[4];
	int sizes[4];
	int n; /* words on the line, even beyond four */
} map_line;

/* A line of nothing, or that begins with '#', as no name does, declares no stream. */
static sheaf_status add_map_line(sheaf_ctf_reader *in, const map_line *line, const char *file, int number,
                                 sheaf_type usual, sheaf_error *err)
{
	char text[32];
	sheaf_declared kind;
	if (line->n == 0 || line->words[0][0] == '#') return SHEAF_OK;
	if (line->n != 4)
		return sheaf_fail(err, SHEAF_USAGE, "%s:%d: expected 4 words (name alias format dim), found %d", file,
		                  number, line->n);
	/* The last two words are read like --stream declarations. */
	if (line->sizes[2] + line->sizes[3] + 4 > (int)sizeof text)
		return sheaf_fail(err, SHEAF_USAGE, "%s:%d: expected dense or sparse and a dim, found longer words",
		                  file, number);
	size_t n = 0;
	text[n++] = '-';
	text[n++] = ':';
	memcpy(text + n, line->words[2], (size_t)line->sizes[2]), n += (size_t)line->sizes[2];
	text[n++] = ':';
	memcpy(text + n, line->words[3], (size_t)line->sizes[3]), n += (size_t)line->sizes[3];
	text[n] = '\0';
	sheaf_status status = sheaf_declared_from_text(text, &kind, NULL);
	if (status || kind.sparse < 0 || kind.dim < 0)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s:%d: expected dense or sparse and a dim of at least 1, found \"%.*s %.*s\"",
		                  file, number, line->sizes[2], line->words[2], line->sizes[3], line->words[3]);
	kind.name = line->words[0], kind.name_size = (size_t)line->sizes[0];
	kind.alias = line->words[1], kind.alias_size = (size_t)line->sizes[1];
	if (kind.alias_size == kind.name_size && memcmp(kind.alias, kind.name, kind.name_size) == 0)
		kind.alias = NULL;
	return add_declared(in, &kind, usual, err);
}

/* The map is read at once: it has a line for each stream. */
static sheaf_status read_map(sheaf_ctf_reader *in, sheaf_source *map, sheaf_type usual, sheaf_error *err)
{
	enum { MOST = 64 << 20 };
	sheaf_bytes bytes;
	int number = 1;
	SHEAF_TRY(sheaf_source_ahead(map, MOST, &bytes, err));
	const char *at = (const char *)bytes.data, *end = at + bytes.size;
	for (; at < end; number++) {
		const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at));
		if (!stop) stop = end;
		map_line line = {.n = 0};
		for (;;) {
			while (at < stop && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
			if (at == stop) break;
			const char *word = at;
			while (at < stop && *at != ' ' && *at != '\t' && *at != '\r') at++;
			if (line.n < 4) line.words[line.n] = word, line.sizes[line.n] = (int)(at - word);
			line.n++;
		}
		SHEAF_TRY(add_map_line(in, &line, sheaf_source_name(map), number, usual, err));
		at += at < end;
	}
	return SHEAF_OK;
}

/* A map that declares nothing is refused: it would otherwise mean that streams are to be inferred. */
sheaf_status sheaf_ctf_declare_streams(sheaf_ctf_reader *in, const sheaf_values *values, sheaf_error *err)
{
	const char *text;
	sheaf_type usual = sheaf_ctf_precision(values);
	for (int k = 0; (text = sheaf_values_nth(values, "stream", k)); k++) {
		sheaf_declared declared;
		SHEAF_TRY(sheaf_declared_from_text(text, &declared, err));
		SHEAF_TRY(add_declared(in, &declared, usual, err));
	}
	text = sheaf_values_text(values, "map");
	if (text) {
		sheaf_source *map;
		SHEAF_TRY(sheaf_source_path(text, in->cx, &map, err));
		int before = in->schema.nfields;
		sheaf_status status = read_map(in, map, usual, err);
		if (status == SHEAF_OK && in->schema.nfields == before)
			status = sheaf_fail(err, SHEAF_USAGE,
			                    "%s: expected lines of name, alias, format and dim, found none", text);
		sheaf_source_close(map);
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

/* ---- all streams ---- */

/* The main stream may be called by its name or its alias. */
sheaf_status sheaf_ctf_seal_streams(sheaf_ctf_reader *in, const sheaf_values *values, sheaf_error *err)
{
	const char *name = sheaf_values_text(values, "main-stream");
	in->nstreams = in->schema.nfields;
	in->main = -1;
	SHEAF_TRY(sheaf_schema_add_key(&in->schema, in->cx, err));
	SHEAF_TRY(sheaf_allocate_array(in->cx, (uint64_t)in->nstreams, sizeof *in->rounded, &in->rounded, err));
	SHEAF_TRY(sheaf_allocate_array(in->cx, (uint64_t)in->nstreams, sizeof *in->met, &in->met, err));
	if (!name) return SHEAF_OK;
	in->main = sheaf_schema_find(&in->schema, name);
	if (in->main < 0) in->main = sheaf_names_find(&in->names, name, strlen(name), -1);
	if (in->main < 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "main-stream", ": expected a stream of %s, found \"%s\"",
		                         sheaf_source_name(in->source), name);
	in->schema.fields[in->main].main = true;
	return SHEAF_OK;
}
