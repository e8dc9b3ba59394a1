/* SPDX-License-Identifier: MIT */
/* Conversion between any two formats: the rows of all inputs into one output. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "data/frame.h"
#include "dataset/dataset.h"
#include "input/lost.h"
#include "io/sink.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct conversion {
	sheaf_context *told; /* the caller's */
	sheaf_context *cx;   /* lets the writer tell first what it has found in the rows before */
	sheaf_writer *writer;
	const sheaf_convert_options *options;
	const sheaf_format *to;
	sheaf_dataset **inputs;
	int ninputs;
	sheaf_source *first; /* the first input where it had to be looked at before the others: a pipe cannot be
	                        opened again */
	bool *used;          /* one for each setting */
	sheaf_schema schema;
	sheaf_facts totals;
	bool key_told;
	sheaf_structure structure; /* that is wanted */
	bool structured;
	bool replaces;             /* a file that is there is replaced, or updated */
	int64_t input_bytes;       /* -1: not known, so what was read counts: */
	int64_t read_before, read; /* of the inputs before, and of this one */
} conversion;

static bool needs_totals(const sheaf_format *format)
{
	return format->write && (format->write->needs_totals || format->write->needs_rows);
}

static sheaf_status open_input(conversion *c, const char *path, sheaf_dataset **out, sheaf_error *err)
{
	sheaf_source *source;
	bool rewindable = needs_totals(c->to) || c->options->structure;
	sheaf_open_options open = {
		.size = sizeof open,
		.format = c->options->from,
		.settings = c->options->settings,
		.nsettings = c->options->nsettings,
		.used = c->used,
		.piece_bytes = c->options->piece_bytes,
		.index = c->options->index,
		.rows = sheaf_format_takes(c->to),
		.member = c->options->member,
		.coordinates = c->options->coordinates,
		.matrix = c->options->matrix,
		.table = c->options->matrix,
		.value = c->options->value,
		.shape = c->options->shape,
		.select = c->options->select,
	};
	if (c->first) {
		source = c->first;
		c->first = NULL;
	} else {
		SHEAF_TRY(sheaf_source_named(path, c->cx, &source, err));
	}
	return sheaf_open_rewindable(source, &open, rewindable, c->cx, out, err);
}

static sheaf_status open_inputs(conversion *c, const char *const *paths, sheaf_error *err)
{
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(open_input(c, paths[i], &c->inputs[i], err));
	return SHEAF_OK;
}

/* ---- datasets that are left out ---- */

static sheaf_status count_one(void *user, const char *path, sheaf_error *err)
{
	(void)path, (void)err;
	++*(int *)user;
	return SHEAF_OK;
}

/* Streams that are read together are a dataset each. */
static int count_read(const sheaf_schema *schema)
{
	int n = 0;
	for (int f = 0; f < schema->nfields; f++) n += sheaf_field_is_stream(&schema->fields[f]);
	return schema->rows == SHEAF_SEQUENCES && n > 1 ? n : 1;
}

/* Of several datasets in a container one is converted: nobody may take that for all of it. */
static sheaf_status tell_of_others(const conversion *c, const sheaf_dataset *input, sheaf_error *err)
{
	int count = 0;
	char found[80];
	if (c->options->member || c->options->value || !input->native->container) return SHEAF_OK;
	SHEAF_TRY(input->native->container->members(input->source, c->told, count_one, &count, err));
	int others = count - count_read(sheaf_dataset_schema(input));
	if (others <= 0) return SHEAF_OK;
	snprintf(found, sizeof found, "%d other%s beside the one at the root", others, others == 1 ? "" : "s");
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_DATA,
	                         "other datasets",
	                         SHEAF_NOWHERE,
	                         "one dataset, or " SHEAF_OPTION("dataset") " with the path of one of them",
	                         found,
	                         others == 1 ? "it is not converted" : "they are not converted"};
	problem.place.file = sheaf_source_name(input->source);
	return sheaf_report(c->told, &problem, err);
}

/* ---- one schema for all inputs ---- */

static bool same_shape(const sheaf_field *a, const sheaf_field *b)
{
	if (a->type != b->type || a->nlevels != b->nlevels) return false;
	for (int l = 0; l < a->nlevels; l++) {
		const sheaf_level_shape *la = &a->levels[l], *lb = &b->levels[l];
		if (la->kind != lb->kind || la->rank != lb->rank) return false;
		if (la->kind == SHEAF_FIXED && la->extents[0] != lb->extents[0]) return false;
	}
	return true;
}

/* Sparse dims may differ, most of all inferred ones: the largest holds for all. */
static void widen(sheaf_field *field, const sheaf_field *other)
{
	for (int l = 0; l < field->nlevels; l++) {
		if (other->levels[l].index_type == SHEAF_I64) field->levels[l].index_type = SHEAF_I64;
		for (int r = 0; r < field->levels[l].rank; r++)
			if (other->levels[l].extents[r] > field->levels[l].extents[r])
				field->levels[l].extents[r] = other->levels[l].extents[r];
	}
}

static const char *column_text(const sheaf_field *field, char *text, size_t size)
{
	bool nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
	if (sheaf_field_is_stream(field)) return sheaf_field_text(field, text, size);
	snprintf(text, size, "%s%s",
	         field->meaning == SHEAF_NUMBER ? sheaf_type_name(field->type) : sheaf_field_storage(field),
	         nullable ? " that may be missing" : "");
	return text;
}

/* Types that were inferred from each input by itself can be declared for all. */
static const char *advice_for(const conversion *c)
{
	const sheaf_format *format = sheaf_dataset_format(c->inputs[0]);
	return format->options && sheaf_option_find(format->options, "columns")
	           ? " (" SHEAF_OPTION("columns") " declares them for all inputs)"
	           : "";
}

static sheaf_status join_field(conversion *c, int number, const sheaf_schema *other, const char *path,
                               sheaf_error *err)
{
	char expected[80], found[80];
	sheaf_field *field = &c->schema.fields[number];
	const char *word = c->schema.rows == SHEAF_SEQUENCES ? "stream" : "column";
	int f = sheaf_schema_find_near(other, field->name, number);
	if (f < 0)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a %s \"%s\" as in the first input, found none", path,
		                  word, field->name);
	if (same_shape(field, &other->fields[f])) {
		widen(field, &other->fields[f]);
		return SHEAF_OK;
	}
	return sheaf_fail(err, SHEAF_DATA, "%s: %s \"%s\": expected it as in the first input (%s), found %s%s",
	                  path, word, field->name, column_text(field, expected, sizeof expected),
	                  column_text(&other->fields[f], found, sizeof found), advice_for(c));
}

static sheaf_status join_schema(conversion *c, const char *path, const sheaf_schema *other, sheaf_error *err)
{
	if (other->rows != c->schema.rows)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %s as in the first input, found %s", path,
		                  sheaf_row_kind_name(c->schema.rows), sheaf_row_kind_name(other->rows));
	for (int f = 0; f < c->schema.nfields; f++) SHEAF_TRY(join_field(c, f, other, path, err));
	for (int f = 0; f < other->nfields; f++)
		if (other->fields[f].meaning != SHEAF_KEY &&
		    sheaf_schema_find_near(&c->schema, other->fields[f].name, f) < 0)
			return sheaf_fail(err, SHEAF_DATA, "%s: expected the %ss of the first input, found \"%s\", too",
			                  path, c->schema.rows == SHEAF_SEQUENCES ? "stream" : "column",
			                  other->fields[f].name);
	return SHEAF_OK;
}

/* Rows of several files cannot keep their keys: both may have a sequence 0. */
static sheaf_status join_schemas(conversion *c, const char *const *paths, sheaf_error *err)
{
	SHEAF_TRY(sheaf_schema_copy(sheaf_dataset_schema(c->inputs[0]), c->cx, &c->schema, err));
	int key = sheaf_schema_key(&c->schema);
	if (c->ninputs > 1 && key >= 0) sheaf_schema_remove(&c->schema, key);
	for (int i = 1; i < c->ninputs; i++)
		SHEAF_TRY(join_schema(c, paths[i], sheaf_dataset_schema(c->inputs[i]), err));
	return SHEAF_OK;
}

/* ---- totals ---- */

/* Lengths and keys are those of sequences; the number of rows is counted where it is asked for by itself. */
static bool is_enough(const conversion *c, const sheaf_facts *facts, bool keys)
{
	if (c->to->write->needs_rows && facts->rows < 0) return false;
	if (c->schema.rows != SHEAF_SEQUENCES) return true;
	return facts->longest > 1 || (keys && facts->ordinal_keys == 0) ||
	       (facts->longest >= 0 && (!keys || facts->ordinal_keys == 1));
}

/* Without what an index says: a writer relies on them. */
static void own_facts(const sheaf_dataset *d, sheaf_facts *out) { *out = d->in->facts; }

static sheaf_status gather_totals(conversion *c, sheaf_error *err)
{
	bool keys = c->ninputs == 1; /* else they become positions */
	c->totals = SHEAF_NO_FACTS;
	if (!needs_totals(c->to)) {
		sheaf_facts known;
		own_facts(c->inputs[0], &known);
		if (c->ninputs == 1) c->totals.rows = known.rows;
		return SHEAF_OK;
	}
	bool rows = c->to->write->needs_rows;
	c->totals.ordinal_keys = 1;
	if (rows) c->totals.rows = 0;
	for (int i = 0; i < c->ninputs; i++) {
		sheaf_facts facts;
		own_facts(c->inputs[i], &facts);
		if (!is_enough(c, &facts, keys))
			SHEAF_TRY(sheaf_dataset_count(c->inputs[i], keys, rows, &facts, err));
		if (rows) c->totals.rows += facts.rows;
		if (facts.longest > c->totals.longest) c->totals.longest = facts.longest;
		if (keys) c->totals.ordinal_keys = facts.ordinal_keys;
	}
	return SHEAF_OK;
}

/* ---- structure ---- */

static sheaf_status profile_rows(sheaf_decoding *decoding, sheaf_profile *profile, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_decoding_next(decoding, &frame, err)) == SHEAF_OK)
		SHEAF_TRY(sheaf_profile_add(profile, frame, err));
	return status == SHEAF_END ? sheaf_profile_finish(profile, err) : status;
}

/* Goes through the whole input, quietly, and begins it anew. */
static sheaf_status profile_input(sheaf_dataset *d, sheaf_context *quiet, sheaf_profile **out,
                                  sheaf_error *err)
{
	sheaf_decoding decoding = {0};
	SHEAF_TRY(sheaf_profile_new(&d->in->schema, sheaf_source_name(d->source), quiet, out, err));
	sheaf_status status =
		sheaf_decoding_open(&decoding, d->format, d->source, d->in, d->piece_bytes, quiet, err);
	if (status == SHEAF_OK) status = profile_rows(&decoding, *out, err);
	sheaf_decoding_close(&decoding);
	return status ? status : d->format->rewind(d->in, err);
}

static sheaf_structure first_that_fits(const sheaf_profile *profile)
{
	static const sheaf_structure candidates[] = {SHEAF_SYMMETRIC_LOWER, SHEAF_HERMITIAN_LOWER,
	                                             SHEAF_SKEW_SYMMETRIC_LOWER, SHEAF_GENERAL};
	int i = 0;
	while (!sheaf_profile_has(profile, candidates[i])) i++;
	return candidates[i];
}

static sheaf_status choose_structure(conversion *c, const sheaf_profile *profile, const char *path,
                                     sheaf_error *err)
{
	const char *wanted = c->options->structure;
	c->structured = true;
	c->structure = first_that_fits(profile);
	if (strcmp(wanted, "auto") == 0) return SHEAF_OK;
	for (int s = 0; s < SHEAF_STRUCTURES; s++)
		if (strcmp(wanted, sheaf_structure_name((sheaf_structure)s)) == 0 &&
		    sheaf_profile_has(profile, (sheaf_structure)s)) {
			c->structure = (sheaf_structure)s;
			return SHEAF_OK;
		}
	return sheaf_fail(err, SHEAF_DATA, "%s: expected a %s matrix, found one that is %s", path, wanted,
	                  sheaf_structure_name(c->structure));
}

static sheaf_status find_structure(conversion *c, const char *path, sheaf_error *err)
{
	sheaf_context *quiet;
	sheaf_profile *profile = NULL;
	const char *wanted = c->options->structure;
	if (!wanted) return SHEAF_OK;
	if (c->schema.rows != SHEAF_ENTRIES)
		return sheaf_fail_option(err, SHEAF_USAGE, "structure",
		                         ": expected entries of a matrix to be written, found other rows");
	bool kept = strcmp(wanted, "auto") == 0 && c->schema.tensor.structure != SHEAF_GENERAL;
	if (kept) return SHEAF_OK;
	if (strcmp(wanted, "general") == 0) {
		c->structured = true;
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_context_quiet(c->told, &quiet, err));
	sheaf_status status = profile_input(c->inputs[0], quiet, &profile, err);
	if (status == SHEAF_OK) status = choose_structure(c, profile, path, err);
	sheaf_profile_free(profile);
	sheaf_context_free(quiet);
	return status;
}

/* Positions of several tensors would meet. */
static sheaf_status check_one_tensor(const conversion *c, sheaf_error *err)
{
	if (c->schema.rows != SHEAF_ENTRIES || c->ninputs == 1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "convert: expected one input, since it is a tensor, found %d",
	                  c->ninputs);
}

/* ---- rows ---- */

static sheaf_status tell_of_keys(conversion *c, const sheaf_dataset *input, const sheaf_frame *frame,
                                 sheaf_error *err)
{
	int key = sheaf_schema_key(sheaf_dataset_schema(input));
	if (c->ninputs == 1 || key < 0) return SHEAF_OK;
	const uint64_t *keys = (const uint64_t *)(const void *)frame->columns[key].values.data;
	sheaf_rows_of rows = {sheaf_source_name(sheaf_dataset_source(input)), SHEAF_SEQUENCES,
	                      sheaf_dataset_row(input), frame->nrows};
	return sheaf_tell_of_keys(keys, &rows, &c->key_told, c->cx, err);
}

/* Where the size of the input is not known, what was read of it counts. */
static void bound_output(conversion *c, const sheaf_dataset *input)
{
	if (c->input_bytes >= 0 || c->options->allow_large) return;
	int64_t read = sheaf_source_tell(input->source);
	if (read > c->read) c->read = read;
	sheaf_writer_bound(c->writer, c->read_before + c->read);
}

/* Streams may stand in another order in each input: columns[f] is the one of field f. */
static sheaf_status copy_frame(conversion *c, const sheaf_dataset *input, const sheaf_frame *frame,
                               const int *columns, sheaf_error *err)
{
	sheaf_frame ordered = {0};
	bound_output(c, input);
	SHEAF_TRY(tell_of_keys(c, input, frame, err));
	sheaf_status status =
		sheaf_frame_slice(frame, 0, frame->nrows, columns, c->schema.nfields, &ordered, err);
	if (status == SHEAF_OK) status = sheaf_write(c->writer, &ordered, err);
	sheaf_frame_free(&ordered);
	return status;
}

static sheaf_status copy_rows(conversion *c, sheaf_dataset *input, sheaf_error *err)
{
	sheaf_error failure;
	const sheaf_schema *schema = sheaf_dataset_schema(input);
	const sheaf_frame *frame;
	sheaf_status status;
	void *memory;
	size_t size = (size_t)c->schema.nfields * sizeof(int);
	SHEAF_TRY(sheaf_allocate(c->cx, size, &memory, err));
	int *columns = (int *)memory;
	for (int f = 0; f < c->schema.nfields; f++) {
		const sheaf_field *field = &c->schema.fields[f];
		columns[f] = field->meaning == SHEAF_KEY ? sheaf_schema_key(schema)
		                                         : sheaf_schema_find_near(schema, field->name, f);
	}
	while ((status = sheaf_next(input, &frame, &failure)) == SHEAF_OK &&
	       (status = copy_frame(c, input, frame, columns, &failure)) == SHEAF_OK) {
	}
	sheaf_release(c->cx, memory, size);
	c->read_before += c->read;
	c->read = 0;
	SHEAF_TRY(sheaf_writer_settle(c->writer, err)); /* rows that were read before a failure come before it */
	if (status == SHEAF_END) return SHEAF_OK;
	if (err) *err = failure;
	return status;
}

static sheaf_status check_settings(const conversion *c, sheaf_error *err)
{
	for (int i = 0; i < c->options->nsettings; i++)
		if (!c->used[i])
			return sheaf_fail_option(err, SHEAF_USAGE, c->options->settings[i].name,
			                         ": expected an option that %s uses for reading or %s for writing, found "
			                         "one that neither does",
			                         sheaf_dataset_format(c->inputs[0])->name, c->to->name);
	return SHEAF_OK;
}

/* Bytes of all inputs, decompressed; -1 where a pipe or a compressed file shows them only at its end. */
static int64_t count_bytes(const conversion *c)
{
	int64_t sum = 0;
	for (int i = 0; i < c->ninputs; i++) {
		int64_t size = sheaf_source_size(c->inputs[i]->source);
		if (size < 0) return -1;
		sum += size;
	}
	return sum;
}

/* A row takes a byte at least, also one with nothing in it. */
static sheaf_status check_rows(const conversion *c, const char *output, sheaf_error *err)
{
	if (c->input_bytes < 0 || c->options->allow_large) return SHEAF_OK;
	int64_t sum = 0;
	for (int i = 0; i < c->ninputs && c->schema.rows == SHEAF_SEQUENCES; i++) {
		sheaf_facts facts;
		sheaf_dataset_facts(c->inputs[i], &facts);
		if (facts.rows > 0 && !sheaf_add_i64(&sum, sum, facts.rows)) sum = INT64_MAX;
	}
	return sheaf_check_output(output, c->input_bytes, sum, err);
}

static sheaf_status open_sink(const conversion *c, const char *output, sheaf_sink **out, sheaf_error *err)
{
	return c->replaces ? sheaf_sink_path(output, c->cx, out, err)
	                   : sheaf_sink_path_new(output, c->cx, out, err);
}

static sheaf_status write_output(conversion *c, const char *output, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_create_options create = {sizeof create,
	                               c->to->name,
	                               c->options->settings,
	                               c->options->nsettings,
	                               &c->totals,
	                               c->options->duplicates,
	                               c->structured ? &c->structure : NULL,
	                               c->options->allow_large,
	                               c->replaces};
	SHEAF_TRY(open_sink(c, output, &sink, err));
	if (c->input_bytes >= 0 && !c->options->allow_large) sheaf_sink_bound(sink, c->input_bytes);
	SHEAF_TRY(sheaf_create_overlapping(sink, &c->schema, &create, c->used, c->told, &c->writer, err));
	sheaf_status status = check_settings(c, err);
	for (int i = 0; i < c->ninputs && status == SHEAF_OK; i++) status = copy_rows(c, c->inputs[i], err);
	if (status == SHEAF_OK)
		status = sheaf_finish(c->writer, err);
	else
		sheaf_abandon(c->writer);
	c->writer = NULL;
	return status;
}

/* ---- without rows ---- */

static sheaf_status transcode(conversion *c, const char *output, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_values values;
	int n = c->options->nsettings;
	SHEAF_TRY(sheaf_settings_pick(c->to, SHEAF_READING, c->options->settings, n, NULL, c->cx, &values, err));
	sheaf_status status = open_sink(c, output, &sink, err);
	if (status == SHEAF_OK)
		status = c->to->model->transcode(c->first, sink, &values, &c->options->select, c->cx, err);
	sheaf_settings_release(c->cx, &values, n);
	return status;
}

/* Whether each setting only changes what the format's model has. */
static bool are_edits(const conversion *c)
{
	for (int i = 0; i < c->options->nsettings; i++) {
		const char *const *edit = c->to->model->edits;
		while (edit && *edit && strcmp(*edit, c->options->settings[i].name) != 0) edit++;
		if (!edit || !*edit) return false;
	}
	return true;
}

/* Whether there is one file, of the format that is wanted, which can say all of it again. Other settings, and
 * streams that are left out, would ask for something else. */
static sheaf_status can_transcode(conversion *c, const char *input, bool *can, sheaf_error *err)
{
	const sheaf_format *from;
	*can = false;
	if (!(sheaf_format_can(c->to) & SHEAF_CAN_TRANSCODE) || c->ninputs > 1 || !are_edits(c) ||
	    !sheaf_selects_rows_alone(&c->options->select))
		return SHEAF_OK;
	SHEAF_TRY(sheaf_source_named(input, c->cx, &c->first, err));
	SHEAF_TRY(sheaf_recognise(c->first, c->options->from, &from, err));
	*can = from == c->to;
	return SHEAF_OK;
}

/* A table that was taken for sequences may have been meant as a tensor. */
static sheaf_status explain(const conversion *c, sheaf_status status, sheaf_error *err)
{
	if (status == SHEAF_LOSS && c->schema.cells && (sheaf_format_takes(c->to) & SHEAF_TAKES_ENTRIES))
		sheaf_error_append(err, "; where its rows are entries of a tensor, say which columns are coordinates "
		                        "(" SHEAF_OPTION("coordinates") " NAME,...)");
	return status;
}

static sheaf_status run(conversion *c, const char *const *inputs, const char *output, sheaf_error *err)
{
	bool can;
	SHEAF_TRY(can_transcode(c, inputs[0], &can, err));
	if (can) return transcode(c, output, err);
	SHEAF_TRY(open_inputs(c, inputs, err));
	SHEAF_TRY(join_schemas(c, inputs, err));
	SHEAF_TRY(check_one_tensor(c, err));
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(tell_of_others(c, c->inputs[i], err));
	c->input_bytes = count_bytes(c);
	SHEAF_TRY(check_rows(c, output, err));
	SHEAF_TRY(find_structure(c, inputs[0], err));
	SHEAF_TRY(gather_totals(c, err));
	return explain(c, write_output(c, output, err), err);
}

static sheaf_status find_target(conversion *c, const char *output, sheaf_error *err)
{
	const char *name = c->options->to;
	c->to = name ? sheaf_format_find(name) : sheaf_format_of_name(output);
	if (!c->to && name)
		return sheaf_fail(err, SHEAF_UNKNOWN, "format: expected one that this build has, found %s", name);
	if (!c->to) return sheaf_refuse_suffix(output, err);
	return SHEAF_OK;
}

static sheaf_status tell_in_order(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	conversion *c = (conversion *)user;
	if (c->writer) SHEAF_TRY(sheaf_writer_settle(c->writer, err));
	return sheaf_report(c->told, problem, err);
}

static sheaf_status allocate(conversion *c, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(c->told, (uint64_t)c->ninputs, sizeof *c->inputs, &memory, err));
	c->inputs = (sheaf_dataset **)memory;
	SHEAF_TRY(sheaf_allocate_array(c->told, (uint64_t)c->options->nsettings, sizeof *c->used, &memory, err));
	c->used = (bool *)memory;
	return sheaf_context_listen(c->told, (sheaf_listener){tell_in_order, c}, &c->cx, err);
}

static void release(conversion *c)
{
	for (int i = 0; c->inputs && i < c->ninputs; i++) sheaf_close(c->inputs[i]);
	sheaf_source_close(c->first);
	sheaf_schema_free(&c->schema);
	sheaf_context_end_listening(c->cx);
	sheaf_release(c->told, c->used, (size_t)c->options->nsettings * sizeof *c->used);
	sheaf_release(c->told, c->inputs, (size_t)c->ninputs * sizeof *c->inputs);
}

static sheaf_status check_options(const sheaf_convert_options *o, sheaf_error *err)
{
	if (!o) return SHEAF_OK;
	SHEAF_TRY(sheaf_check_settings("sheaf_convert", o->settings, o->nsettings, err));
	SHEAF_EXPECT(o->piece_bytes >= 0, "piece_bytes of at least 0", o->piece_bytes);
	SHEAF_EXPECT((unsigned)o->index <= SHEAF_INDEX_WRITE, "a policy for indices", (int)o->index);
	SHEAF_EXPECT((unsigned)o->duplicates <= SHEAF_DUPLICATES_LAST, "a word for duplicates",
	             (int)o->duplicates);
	return SHEAF_OK;
}

static sheaf_status convert(const char *const *inputs, int ninputs, const char *output,
                            const sheaf_convert_options *options, sheaf_context *cx, sheaf_error *err)
{
	conversion c = {.told = cx, .options = options, .ninputs = ninputs};
	SHEAF_TRY(find_target(&c, output, err));
	c.replaces = options->force || sheaf_settings_update(c.to, options->settings, options->nsettings);
	if (!c.replaces) SHEAF_TRY(sheaf_target_check_path(output, err));
	sheaf_status status = allocate(&c, err);
	if (status == SHEAF_OK) status = run(&c, inputs, output, err);
	release(&c);
	return status;
}

/* What has gone into a pipe cannot be taken back. */
static bool can_begin_again(const char *output, const sheaf_convert_options *options)
{
	struct stat info;
	if (options->index == SHEAF_INDEX_REQUIRE || strcmp(output, "-") == 0) return false;
	return stat(output, &info) != 0 || S_ISREG(info.st_mode);
}

sheaf_status sheaf_convert(const char *const *inputs, int ninputs, const char *output,
                           const sheaf_convert_options *options, sheaf_context *cx, sheaf_error *err)
{
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(output, "a path for the output");
	if (ninputs > 0) SHEAF_TRY(sheaf_check_texts(__func__, "paths of inputs", inputs, ninputs, err));
	SHEAF_TRY(check_options(options, err));
	sheaf_convert_options given = {.size = sizeof given};
	if (options && options->size && options->size != sizeof *options)
		return sheaf_fail(err, SHEAF_USAGE, "convert options: expected size %zu, found %zu", sizeof *options,
		                  options->size);
	if (ninputs < 1) return sheaf_fail(err, SHEAF_USAGE, "convert: expected at least one input, found none");
	if (options) given = *options;
	sheaf_status status = convert(inputs, ninputs, output, &given, cx, err);
	if (status != SHEAF_STALE || !can_begin_again(output, &given)) return status;
	given.index = SHEAF_INDEX_NEVER;
	return convert(inputs, ninputs, output, &given, cx, err);
}
