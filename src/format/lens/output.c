/* SPDX-License-Identifier: MIT */
/* Example files as outputs: from columns, or from the other spelling. The binary spelling begins with the
 * number of examples, so the place of its header stays free until the number is known; text is written in
 * order, so that the reader of a pipe need not wait. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "format/lens/dataset.h"
#include "io/filters/filter.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>

/* ---- accepted schemas ---- */

/* The group and side of a stream: those of a group of the network that is on one side only, or those that the
 * stream's name says. */
static sheaf_status resolve(const sheaf_lens_streams *streams, const sheaf_field *field,
                            sheaf_lens_stream *out, sheaf_error *err)
{
	sheaf_name name = {field->name, strlen(field->name)};
	int input = sheaf_lens_stream_of(streams, name, false),
		target = sheaf_lens_stream_of(streams, name, true);
	bool given = (input < 0) != (target < 0);
	if (given) {
		*out = *sheaf_lens_stream_at(streams, input < 0 ? target : input);
		out->group = name;
	}
	if (!given && !sheaf_lens_name_to_stream(field->name, out))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "stream \"%s\": expected a name that says whether these are inputs or targets "
		                  "(\"%s.input\", \"%s.target\"), found none; declare it with " SHEAF_OPTION(
							  "group") " '%s:%" PRId64 ":input' or '...:output'",
		                  field->name, field->name, field->name, field->name, sheaf_field_dim(field));
	if (given && out->width != sheaf_field_dim(field))
		return sheaf_fail_option(err, SHEAF_USAGE, "group",
		                         ": expected the dim of stream \"%s\", %" PRId64 ", found %" PRId64,
		                         field->name, sheaf_field_dim(field), out->width);
	if (sheaf_field_dim(field) > INT32_MAX)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "stream \"%s\": expected a dim of at most %d, found %" PRId64, field->name,
		                  INT32_MAX, sheaf_field_dim(field));
	return SHEAF_OK;
}

/* Fills *roles, one for each field; unused for a column. */
static sheaf_status resolve_all(const sheaf_schema *schema, const sheaf_values *values, sheaf_builder *roles,
                                sheaf_error *err)
{
	sheaf_lens_streams streams;
	sheaf_lens_streams_begin(&streams, roles->cx);
	sheaf_status status = sheaf_lens_read_groups(&streams, values, err);
	for (int f = 0; f < schema->nfields && status == SHEAF_OK; f++) {
		sheaf_lens_stream role = {0};
		if (sheaf_field_is_stream(&schema->fields[f]))
			status = resolve(&streams, &schema->fields[f], &role, err);
		sheaf_builder_append(roles, &role, sizeof role);
	}
	sheaf_lens_streams_free(&streams);
	return status ? status : sheaf_builder_status(roles, err);
}

/* Takes streams and the columns that examples and events have; values are floats. Two streams of one group
 * and side would become one. */
sheaf_status sheaf_lens_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_builder roles;
	for (int f = 0; f < schema->nfields; f++) {
		sheaf_field *field = &schema->fields[f];
		int column = sheaf_column_kind_of(sheaf_lens_columns, field);
		if (column < 0) SHEAF_TRY(sheaf_field_need_stream(field, err));
		field->type = column >= 0 && field->meaning == SHEAF_STRING ? SHEAF_U8 : SHEAF_F32;
	}
	for (int a = 0; a < schema->nattributes; a++)
		if (schema->attributes[a].loss && strcmp(schema->attributes[a].name, "proc") != 0)
			return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected no attribute but \"proc\", found \"%s\"",
			                  schema->attributes[a].name);
	sheaf_builder_begin(&roles, schema->cx, NULL);
	sheaf_status status = resolve_all(schema, values, &roles, err);
	const sheaf_lens_stream *role = (const sheaf_lens_stream *)(const void *)roles.data;
	for (int f = 0; f < schema->nfields && status == SHEAF_OK; f++)
		for (int g = 0; g < f && status == SHEAF_OK && sheaf_field_is_stream(&schema->fields[f]); g++)
			if (sheaf_field_is_stream(&schema->fields[g]) && role[f].target == role[g].target &&
			    role[f].group.size == role[g].group.size &&
			    memcmp(role[f].group.text, role[g].group.text, role[f].group.size) == 0)
				status =
					sheaf_fail(err, SHEAF_USAGE,
				               "stream \"%s\": expected a group and side of its own, found those of \"%s\"",
				               schema->fields[f].name, schema->fields[g].name);
	sheaf_builder_drop(&roles);
	return status;
}

/* ---- a file ---- */

/* Begins a file, in the spelling that its name says; a compression suffix may follow. */
static sheaf_status begin(sheaf_lens_output *out, const char *proc, sheaf_error *err)
{
	const char *name = sheaf_sink_name(out->sink);
	const sheaf_filter *packed = sheaf_filter_by_suffix(name);
	size_t n = strlen(name), bare = packed ? n - strlen(packed->suffix) : n;
	out->counted = sheaf_without_suffix(name, bare, ".bex") < bare;
	out->spelling = out->counted ? &sheaf_lens_binary_spelling : &sheaf_lens_text_spelling;
	sheaf_builder_begin(&out->streams, out->cx, NULL);
	memcpy(out->header.fields, sheaf_lens_defaults, sizeof out->header.fields);
	SHEAF_TRY(sheaf_copy_text(out->cx, name, n, &out->name, err));
	if (proc) SHEAF_TRY(sheaf_copy_text(out->cx, proc, strlen(proc), &out->header.proc, err));
	out->end = sheaf_lens_binary_header_size(proc);
	return out->counted ? sheaf_sink_make_random(out->sink, err) : SHEAF_OK;
}

static sheaf_status write_header(sheaf_lens_output *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_lens_writing w = {.cx = out->cx, .file = out->name};
	out->begun = true;
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_status status = out->spelling->put_header(&w, &out->header, out->examples, &b, err);
	if (status == SHEAF_OK)
		status = out->counted ? sheaf_sink_write_at(out->sink, 0, b.data, b.size, err)
		                      : sheaf_sink_write(out->sink, b.data, b.size, err);
	sheaf_builder_drop(&b);
	return status;
}

static sheaf_status add(sheaf_lens_output *out, sheaf_bytes examples, int64_t n, sheaf_error *err)
{
	out->examples += n;
	if (out->counted) {
		SHEAF_TRY(sheaf_sink_write_at(out->sink, out->end, examples.data, examples.size, err));
		out->end += (int64_t)examples.size;
		return SHEAF_OK;
	}
	if (!out->begun) SHEAF_TRY(write_header(out, err));
	SHEAF_TRY(sheaf_sink_write(out->sink, examples.data, examples.size, err));
	return sheaf_sink_flush(out->sink, err);
}

/* ---- from columns ---- */

sheaf_status sheaf_lens_create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                               sheaf_error *err)
{
	sheaf_lens_output *out = (sheaf_lens_output *)created;
	(void)totals;
	SHEAF_TRY(begin(out, sheaf_schema_attribute(&out->schema, "proc"), err));
	return resolve_all(&out->schema, values, &out->streams, err);
}

sheaf_status sheaf_lens_append(void *output, const sheaf_blob *blob, sheaf_error *err)
{
	return add((sheaf_lens_output *)output, (sheaf_bytes){blob->bytes.data, blob->bytes.size}, blob->rows,
	           err);
}

/* After the last examples: the header, if it is not written yet. */
sheaf_status sheaf_lens_finish(void *output, sheaf_error *err)
{
	sheaf_lens_output *out = (sheaf_lens_output *)output;
	if (out->examples > INT32_MAX)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected at most %d examples, found %" PRId64,
		                  out->name, INT32_MAX, out->examples);
	return out->begun ? SHEAF_OK : write_header(out, err);
}

void sheaf_lens_close_output(void *output)
{
	sheaf_lens_output *out = (sheaf_lens_output *)output;
	sheaf_builder_drop(&out->streams);
	sheaf_release_text(out->cx, out->header.proc);
	sheaf_release_text(out->cx, out->name);
}

/* ---- from the other spelling ---- */

/* The work on one piece after the other. */
typedef struct transcoding {
	sheaf_lens_output *out;
	sheaf_lens_reader *reader;
	sheaf_lens_set set;
	sheaf_piece piece;
	sheaf_lens_writing writing;
	sheaf_builder bytes;
	sheaf_lens_edits edits;
	sheaf_row_choice choice;
	const char *where; /* NULL: names do not matter */
	int64_t read;      /* examples of the input */
} transcoding;

/* Copies the examples that are selected, by their numbers or by their names, up to the last one. */
static sheaf_status copy_pieces(transcoding *t, sheaf_source *source, sheaf_context *cx, sheaf_error *err)
{
	enum {
		USUAL = 1 << 20,
		SHARE = 64 /* what is made from a piece takes many times its size */
	};
	int64_t share = sheaf_max_memory(cx) / SHARE, bytes = share < USUAL ? share + 1 : USUAL;
	sheaf_status status = SHEAF_OK;
	while (t->read < t->choice.to &&
	       (status = sheaf_lens_cut(t->reader, bytes, &t->piece, err)) == SHEAF_OK) {
		SHEAF_TRY(sheaf_check_stop(cx, err));
		int64_t row = t->out->examples, written = 0, done, total;
		t->bytes.size = 0;
		sheaf_lens_set_clear(&t->set);
		SHEAF_TRY(sheaf_lens_parse(t->reader, &t->piece, &t->set, cx, err));
		for (int64_t x = 0; x < sheaf_lens_count(&t->set); x++) {
			const sheaf_lens_example *example = sheaf_lens_example_at(&t->set, x);
			const char *name = sheaf_lens_string(&t->set, example->name);
			if (!sheaf_choice_has(&t->choice, t->read + x)) continue;
			if (t->where && !(name && sheaf_name_matches(t->where, name))) continue;
			SHEAF_TRY(t->out->spelling->put_example(&t->writing, &t->set, example, row + written++, &t->bytes,
			                                        err));
		}
		t->read += sheaf_lens_count(&t->set);
		SHEAF_TRY(sheaf_builder_status(&t->bytes, err));
		SHEAF_TRY(add(t->out, sheaf_builder_bytes(&t->bytes), written, err));
		sheaf_source_progress(source, &done, &total);
		sheaf_progress(cx, done, total);
	}
	if (status && status != SHEAF_END) return status;
	if (status == SHEAF_END) SHEAF_TRY(sheaf_lens_edits_check(&t->edits, sheaf_source_name(source), err));
	return t->where && t->out->examples == 0 ? sheaf_refuse_where(t->where, sheaf_source_name(source), err)
	                                         : SHEAF_OK;
}

/* The number of examples, if a share of all is requested. */
static sheaf_status find_limit(transcoding *t, sheaf_source *source, sheaf_context *cx, sheaf_error *err)
{
	enum { PIECE = 1 << 20 };
	int64_t examples = 0, before;
	sheaf_status status;
	if (t->choice.count < 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_source_make_rewindable(source, err));
	while ((status = sheaf_lens_cut(t->reader, PIECE, &t->piece, err)) == SHEAF_OK)
		examples += sheaf_lens_piece_examples(&t->piece, &before);
	if (status != SHEAF_END) return status;
	SHEAF_TRY(sheaf_lens_rewind(t->reader, err));
	return sheaf_choice_limit(&t->choice, examples, cx, err);
}

/* From one spelling to the other, an example loses only what the other has no place for. */
static sheaf_status copy_set(transcoding *t, sheaf_source *source, sheaf_context *cx, sheaf_error *err)
{
	sheaf_lens_output *out = t->out;
	int64_t losses = sheaf_context_losses(cx);
	memcpy(out->header.fields, sheaf_lens_header_of(t->reader)->fields, sizeof out->header.fields);
	sheaf_lens_set_begin(&t->set, sheaf_lens_header_of(t->reader), cx);
	sheaf_lens_writing_begin(&t->writing, out->name, cx);
	sheaf_builder_begin(&t->bytes, cx, NULL);
	sheaf_lens_edit_with(t->reader, &t->edits);
	sheaf_status status = find_limit(t, source, cx, err);
	if (status == SHEAF_OK) status = copy_pieces(t, source, cx, err);
	/* Without examples the header comes last, and may lose something, too. */
	if (status == SHEAF_OK && !out->counted && !out->begun) status = write_header(out, err);
	if (status == SHEAF_OK) status = sheaf_check_losses(cx, losses, out->name, "lens", err);
	sheaf_builder_drop(&t->bytes);
	sheaf_lens_writing_end(&t->writing);
	sheaf_lens_set_free(&t->set);
	sheaf_buffer_reset(&t->piece.bytes);
	sheaf_buffer_reset(&t->piece.notes);
	return status ? status : sheaf_lens_finish(out, err);
}

sheaf_status sheaf_lens_transcode(sheaf_source *source, sheaf_sink *sink, const sheaf_values *values,
                                  const sheaf_selection *selection, sheaf_context *cx, sheaf_error *err)
{
	if (!sink) return SHEAF_OK;
	sheaf_lens_output out = {.cx = cx, .sink = sink};
	transcoding t = {.out = &out, .where = selection->where};
	sheaf_status status = sheaf_choice_read(selection, &t.choice, err);
	if (status == SHEAF_OK) status = sheaf_lens_edits_read(&t.edits, values, cx, err);
	if (status == SHEAF_OK) status = sheaf_lens_open(source, cx, &t.reader, err);
	if (status == SHEAF_OK) status = begin(&out, sheaf_lens_header_of(t.reader)->proc, err);
	if (status == SHEAF_OK) status = copy_set(&t, source, cx, err);
	sheaf_lens_close_output(&out);
	sheaf_lens_close(t.reader);
	sheaf_lens_edits_free(&t.edits);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}
