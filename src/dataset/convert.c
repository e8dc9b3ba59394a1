/* SPDX-License-Identifier: MIT */
/* Conversion between any two formats: the rows of all inputs into one output. */
#include "base/context.h"
#include "base/memory.h"
#include "data/frame.h"
#include "dataset/dataset.h"
#include <string.h>

typedef struct conversion {
	sheaf_context *cx;
	const sheaf_convert_options *options;
	const sheaf_format *to;
	sheaf_dataset **inputs;
	int ninputs;
	bool *used; /* one for each setting */
	sheaf_schema schema;
	sheaf_facts totals;
} conversion;

static sheaf_status open_input(conversion *c, const char *path, sheaf_dataset **out, sheaf_error *err)
{
	sheaf_source *source;
	bool rewindable = c->to->needs & SHEAF_NEEDS_TOTALS;
	sheaf_open_options open = {sizeof open, c->options->from, false, c->options->settings, c->options->nsettings, c->used, c->options->piece_bytes};
	SHEAF_TRY(sheaf_source_path(path, c->cx, &source, err));
	return sheaf_open_rewindable(source, &open, rewindable, c->cx, out, err);
}

static sheaf_status open_inputs(conversion *c, const char *const *paths, sheaf_error *err)
{
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(open_input(c, paths[i], &c->inputs[i], err));
	return SHEAF_OK;
}

/* ---- one schema for all inputs ---- */

static bool same_shape(const sheaf_field *a, const sheaf_field *b)
{
	if (strcmp(a->name, b->name) != 0 || a->meaning != b->meaning || a->type != b->type || a->nlevels != b->nlevels) return false;
	for (int l = 0; l < a->nlevels; l++) {
		const sheaf_level_shape *la = &a->levels[l], *lb = &b->levels[l];
		if (la->kind != lb->kind || la->rank != lb->rank || la->index_type != lb->index_type) return false;
		if (la->kind == SHEAF_FIXED && la->extents[0] != lb->extents[0]) return false;
	}
	return true;
}

/* Sparse dims may differ, most of all inferred ones: the largest holds for all. */
static void widen(sheaf_field *field, const sheaf_field *other)
{
	for (int l = 0; l < field->nlevels; l++)
		for (int r = 0; r < field->levels[l].rank; r++)
			if (other->levels[l].extents[r] > field->levels[l].extents[r]) field->levels[l].extents[r] = other->levels[l].extents[r];
}

static sheaf_status join_schema(conversion *c, const char *path, const sheaf_schema *other, sheaf_error *err)
{
	if (other->nfields != c->schema.nfields)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %d columns like the first input, found %d", path, c->schema.nfields, other->nfields);
	for (int f = 0; f < other->nfields; f++) {
		if (!same_shape(&c->schema.fields[f], &other->fields[f]))
			return sheaf_fail(err, SHEAF_DATA, "%s: expected stream \"%s\" of the same storage, type and dim as in the first input, found \"%s\", which is not",
			                  path, c->schema.fields[f].name, other->fields[f].name);
		widen(&c->schema.fields[f], &other->fields[f]);
	}
	return SHEAF_OK;
}

static sheaf_status join_schemas(conversion *c, const char *const *paths, sheaf_error *err)
{
	SHEAF_TRY(sheaf_schema_copy(sheaf_dataset_schema(c->inputs[0]), c->cx, &c->schema, err));
	for (int i = 1; i < c->ninputs; i++) SHEAF_TRY(join_schema(c, paths[i], sheaf_dataset_schema(c->inputs[i]), err));
	return SHEAF_OK;
}

/* ---- totals ---- */

static bool is_enough(const sheaf_facts *facts) { return facts->longest > 1 || facts->ordinal_keys == 0 || (facts->longest >= 0 && facts->ordinal_keys == 1); }

static sheaf_status gather_totals(conversion *c, sheaf_error *err)
{
	c->totals = SHEAF_NO_FACTS;
	if (!(c->to->needs & SHEAF_NEEDS_TOTALS)) return SHEAF_OK;
	for (int i = 0; i < c->ninputs; i++) {
		sheaf_facts facts;
		sheaf_dataset_facts(c->inputs[i], &facts);
		if (!is_enough(&facts)) SHEAF_TRY(sheaf_dataset_count(c->inputs[i], &facts, err));
		if (facts.longest > c->totals.longest) c->totals.longest = facts.longest;
		if (facts.ordinal_keys == 0 || i == 0) c->totals.ordinal_keys = facts.ordinal_keys;
	}
	if (c->ninputs > 1) c->totals.ordinal_keys = 1; /* keys become positions */
	return SHEAF_OK;
}

/* ---- rows ---- */

/* Rows of a second file cannot keep their keys: both files may have a sequence 0. */
static void drop_keys(conversion *c)
{
	int key = sheaf_schema_key(&c->schema);
	if (c->ninputs > 1 && key >= 0) sheaf_schema_remove(&c->schema, key);
}

static sheaf_status copy_rows(conversion *c, sheaf_dataset *input, sheaf_writer *writer, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_frame keyless = {0};
	int key = c->ninputs > 1 ? sheaf_schema_key(sheaf_dataset_schema(input)) : -1;
	while ((status = sheaf_next(input, &frame, err)) == SHEAF_OK) {
		if (key >= 0) {
			status = sheaf_frame_slice(frame, 0, frame->nrows, key, &keyless, err);
			frame = &keyless;
		}
		if (status == SHEAF_OK) status = sheaf_write(writer, frame, err);
		sheaf_frame_free(&keyless);
		if (status) break;
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status check_settings(const conversion *c, sheaf_error *err)
{
	for (int i = 0; i < c->options->nsettings; i++)
		if (!c->used[i])
			return sheaf_fail(err, SHEAF_USAGE, "--%s: expected an option that %s uses for reading or %s for writing, found one that neither does",
			                  c->options->settings[i].name, sheaf_dataset_format(c->inputs[0])->name, c->to->name);
	return SHEAF_OK;
}

static sheaf_status write_output(conversion *c, const char *output, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_writer *writer;
	sheaf_create_options create = {sizeof create, c->to->name, c->options->settings, c->options->nsettings, c->totals};
	SHEAF_TRY(sheaf_sink_path(output, c->cx, &sink, err));
	SHEAF_TRY(sheaf_create_marking(sink, &c->schema, &create, c->used, c->cx, &writer, err));
	sheaf_status status = check_settings(c, err);
	for (int i = 0; i < c->ninputs && status == SHEAF_OK; i++) status = copy_rows(c, c->inputs[i], writer, err);
	if (status == SHEAF_OK) return sheaf_finish(writer, err);
	sheaf_abandon(writer);
	return status;
}

static sheaf_status run(conversion *c, const char *const *inputs, const char *output, sheaf_error *err)
{
	SHEAF_TRY(open_inputs(c, inputs, err));
	SHEAF_TRY(join_schemas(c, inputs, err));
	SHEAF_TRY(gather_totals(c, err));
	drop_keys(c);
	return write_output(c, output, err);
}

static sheaf_status find_target(conversion *c, const char *output, sheaf_error *err)
{
	const char *name = c->options->to;
	c->to = name ? sheaf_format_find(name) : sheaf_format_of_name(output);
	if (!c->to && name) return sheaf_fail(err, SHEAF_UNKNOWN, "format: expected one that this build has, found %s", name);
	if (!c->to) return sheaf_fail(err, SHEAF_USAGE, "%s: expected a suffix that names one format, found none; name the format to write", output);
	return SHEAF_OK;
}

sheaf_status sheaf_convert(const char *const *inputs, int ninputs, const char *output, const sheaf_convert_options *options, sheaf_context *cx,
                           sheaf_error *err)
{
	static const sheaf_convert_options defaults = {.size = sizeof defaults};
	conversion c = {.cx = cx, .options = options ? options : &defaults, .ninputs = ninputs};
	void *datasets, *used;
	if (c.options->size != sizeof *options)
		return sheaf_fail(err, SHEAF_USAGE, "convert options: expected size %zu, found %zu", sizeof *options, c.options->size);
	if (ninputs < 1) return sheaf_fail(err, SHEAF_USAGE, "convert: expected at least one input, found none");
	SHEAF_TRY(find_target(&c, output, err));
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)ninputs, sizeof *c.inputs, &datasets, err));
	c.inputs = (sheaf_dataset **)datasets;
	sheaf_status status = sheaf_allocate_array(cx, (size_t)c.options->nsettings, sizeof *c.used, &used, err);
	c.used = (bool *)used;
	if (status == SHEAF_OK) status = run(&c, inputs, output, err);
	for (int i = 0; i < ninputs; i++) sheaf_close(c.inputs[i]);
	sheaf_schema_free(&c.schema);
	sheaf_release(cx, c.used, (size_t)c.options->nsettings * sizeof *c.used);
	sheaf_release(cx, datasets, (size_t)ninputs * sizeof *c.inputs);
	return status;
}
