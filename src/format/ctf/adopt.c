/* SPDX-License-Identifier: MIT */
/* Streams from an index, or from the first part of an input. No index is trusted: the lines that should show
 * them are examined again, so no dim is too large and no type too wide; and doubts in decoding are checked
 * against them, so none is too small. */
#include "base/buffer.h"
#include "format/ctf/look.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

static sheaf_status refuse(const sheaf_ctf_reader *in, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: expected streams that lines of it show, found %s",
	                  sheaf_source_name(in->source), found);
}

/* ---- lines that show them ---- */

/* The line that begins at a byte. It is read, not mapped: the stream of bytes stays as it is. */
static sheaf_status read_line_at(const sheaf_ctf_reader *in, int64_t byte, sheaf_builder *line,
                                 sheaf_error *err)
{
	enum { FIRST = 4096, MOST = 16 << 20 };
	const sheaf_raw *raw = &in->source->raw;
	if (byte < 0 || byte >= raw->size) return refuse(in, "a line beyond its end", err);
	for (int64_t want = FIRST;; want *= 4) {
		int64_t size = want < raw->size - byte ? want : raw->size - byte;
		line->size = 0;
		if (!sheaf_builder_room(line, (uint64_t)size)) return sheaf_builder_status(line, err);
		SHEAF_TRY(sheaf_raw_read_at(raw, byte, line->data, (size_t)size, err));
		const uint8_t *feed = (const uint8_t *)memchr(line->data, '\n', (size_t)size);
		line->size = feed ? (size_t)(feed + 1 - line->data) : (size_t)size;
		if (feed || size == raw->size - byte) return SHEAF_OK;
		if (want >= MOST) return refuse(in, "a line too long to be looked at", err);
	}
}

static sheaf_status look_at_lines(const sheaf_ctf_reader *in, const sheaf_known *known, sheaf_ctf_look *look,
                                  sheaf_error *err)
{
	sheaf_builder line;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&line, in->cx, NULL);
	for (int i = 0; i < known->nwitnesses && status == SHEAF_OK; i++) {
		look->byte = known->witnesses[i];
		status = read_line_at(in, look->byte, &line, err);
		if (status == SHEAF_OK)
			status = sheaf_ctf_look_at(look, line.data, line.data + line.size, 1, true, err);
	}
	sheaf_builder_drop(&line);
	return status;
}

/* ---- the streams ---- */

static bool is_shown(const sheaf_field *field, const sheaf_ctf_look *look, int i, sheaf_type type)
{
	const sheaf_ctf_guess *g = sheaf_ctf_guess_of(look, i);
	bool is_stream = sheaf_field_is_sparse(field) || sheaf_field_is_dense(field);
	return is_stream && !field->alias && field->type == type &&
	       strcmp(field->name, look->schema.fields[i].name) == 0 &&
	       sheaf_field_is_sparse(field) == sheaf_ctf_guess_sparse(g) &&
	       sheaf_field_dim(field) == sheaf_ctf_guess_dim(g);
}

static bool are_shown(const sheaf_schema *schema, const sheaf_ctf_look *look, sheaf_type type)
{
	int n = 0;
	for (int f = 0; f < schema->nfields; f++) {
		if (schema->fields[f].meaning == SHEAF_KEY) continue;
		if (n == look->schema.nfields || !is_shown(&schema->fields[f], look, n, type)) return false;
		n++;
	}
	return n > 0 && n == look->schema.nfields;
}

static void take_streams(sheaf_ctf_reader *in, sheaf_ctf_look *look, sheaf_type type)
{
	in->schema = look->schema;
	in->names = look->names;
	look->schema = (sheaf_schema){0};
	look->names = (sheaf_names){0};
	for (int i = 0; i < in->schema.nfields; i++) {
		const sheaf_ctf_guess *g = sheaf_ctf_guess_of(look, i);
		sheaf_field_make_stream(&in->schema.fields[i], sheaf_ctf_guess_sparse(g), sheaf_ctf_guess_dim(g),
		                        type);
	}
}

sheaf_status sheaf_ctf_adopt(sheaf_ctf_reader *in, const sheaf_known *known, sheaf_type type,
                             sheaf_error *err)
{
	sheaf_ctf_look look;
	if (known->nwitnesses < 1 || known->nwitnesses > CTF_WITNESSES)
		return refuse(in, "no lines that do, or too many", err);
	SHEAF_TRY(sheaf_ctf_look_begin(&look, in, false, err));
	sheaf_status status = look_at_lines(in, known, &look, err);
	if (status == SHEAF_OK && !are_shown(known->schema, &look, type)) status = refuse(in, "others", err);
	if (status == SHEAF_OK) take_streams(in, &look, type);
	sheaf_ctf_look_free(&look);
	SHEAF_TRY(status);
	memcpy(in->witnesses, known->witnesses, (size_t)known->nwitnesses * sizeof *in->witnesses);
	in->nwitnesses = known->nwitnesses;
	in->adopted = true;
	in->facts = SHEAF_NO_FACTS;
	strcpy(in->guess, CTF_INFERRED);
	in->facts.guess = in->guess;
	return SHEAF_OK;
}

/* ---- doubts in decoding ---- */

static bool is_within(const sheaf_ctf_reader *in, const sheaf_ctf_look *look, int i)
{
	const char *name = look->schema.fields[i].name;
	const sheaf_ctf_guess *g = sheaf_ctf_guess_of(look, i);
	int stream = sheaf_names_find(&in->names, (const uint8_t *)name, strlen(name), -1);
	if (stream < 0) return false;
	const sheaf_field *field = &in->schema.fields[stream];
	return sheaf_field_is_sparse(field) ? g->most_index < sheaf_field_dim(field)
	                                    : !g->sparse && g->most_values <= sheaf_field_dim(field);
}

sheaf_status sheaf_ctf_hold(const sheaf_ctf_reader *in, const uint8_t *begin, const uint8_t *end,
                            sheaf_context *cx, sheaf_error *err)
{
	sheaf_ctf_look look;
	bool within = true;
	SHEAF_TRY(sheaf_ctf_look_begin(&look, in, false, err));
	look.cx = cx;
	sheaf_status status = sheaf_ctf_look_at(&look, begin, end, 1, true, err);
	for (int i = 0; i < look.schema.nfields && within; i++) within = is_within(in, &look, i);
	sheaf_ctf_look_free(&look);
	SHEAF_TRY(status);
	if (within) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_STALE,
	                  "%s: expected the streams that %s, found others, or larger ones",
	                  sheaf_source_name(in->source),
	                  in->supposed ? "its first part shows" : "its index names");
}
