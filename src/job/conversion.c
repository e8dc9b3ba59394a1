/* SPDX-License-Identifier: MIT */
/* Common to a whole conversion and to a part of it: how a frame of an input becomes one of the output, and
 * the writer.
 *
 * Inputs agree on their columns, but not on the order of these, and a column in which one input has no value
 * at all may have another type there (inputs.c). A frame is fitted to the conversion's schema without copying
 * rows: its columns are chosen, and where there is nothing, a column of missing items takes their place. */
#include "job/conversion.h"
#include "base/memory.h"
#include "base/spell.h"
#include "dataset/input/lost.h"
#include "frame/frame.h"
#include "frame/frame_builder.h"
#include "frame/schema/read_json.h"
#include "io/source.h"
#include <string.h>

/* ---- rows ---- */

typedef struct fitting {
	const sheaf_conversion *c;
	const sheaf_dataset *input;
	const sheaf_frame *frame;
	const int *columns; /* of the frame, for each of the conversion's */
} fitting;

/* Whether the frame's column for column `number` of the conversion has the type that it needs. Only tables
 * can differ there: an input may have nothing in a column, which was then taken for one of texts. */
static bool has_type(const fitting *f, int number)
{
	const sheaf_schema *schema = &f->c->schema;
	return schema->rows != SHEAF_CELLS ||
	       f->frame->columns[f->columns[number]].meaning == schema->fields[number].meaning;
}

/* Makes a column without any item, of the type that other inputs show, in a frame of its own. Fails if this
 * input has items there, which are of another type then. */
static sheaf_status make_nothing(const fitting *f, int number, sheaf_frame *out, sheaf_error *err)
{
	sheaf_frame_builder b;
	const sheaf_conversion *c = f->c;
	const sheaf_column *found = &f->frame->columns[f->columns[number]];
	sheaf_field *field = &c->schema.fields[number];
	int64_t rows = f->frame->nrows;
	char expected[80];
	const sheaf_schema column_schema = {.fields = field, .nfields = 1, .rows = SHEAF_CELLS, .cx = c->cx};
	for (int64_t r = 0; r < rows; r++)
		if (!sheaf_level_is_null(&found->levels[0], r))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: column \"%s\": expected the same as in other inputs (%s), found text "
			                  "(" SHEAF_OPTION("columns") " declares them for all inputs)",
			                  sheaf_source_name(f->input->source), field->name,
			                  sheaf_field_text(field, expected, sizeof expected));
	sheaf_status status = sheaf_frame_builder_begin(&b, &column_schema, out, c->cx, err);
	if (status == SHEAF_OK) (void)sheaf_column_put_absent(&b.columns[0], rows);
	b.nrows = rows;
	return sheaf_frame_builder_end(&b, status, out, err);
}

/* Fits a frame to the conversion's schema. Columns in which this input has nothing are made anew; all
 * others share their buffers with the frame. `made` has the new columns, a frame for each, until *out shares
 * them. */
static sheaf_status fit(const fitting *f, sheaf_frame *out, sheaf_error *err)
{
	const sheaf_conversion *c = f->c;
	bool alike = true;
	int ncolumns = c->schema.nfields;
	for (int i = 0; i < ncolumns; i++) alike &= has_type(f, i);
	if (alike) return sheaf_frame_fit(f->frame, f->columns, &c->schema, out, err);
	sheaf_frame with_new = *f->frame, *made;
	size_t size = (size_t)with_new.ncolumns * sizeof *with_new.columns;
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)ncolumns, sizeof *made, &made, err));
	sheaf_status status = sheaf_allocate(c->cx, size, &with_new.columns, err);
	if (status == SHEAF_OK) memcpy(with_new.columns, f->frame->columns, size);
	for (int i = 0; i < ncolumns && status == SHEAF_OK; i++) {
		if (has_type(f, i)) continue;
		status = make_nothing(f, i, &made[i], err);
		if (status == SHEAF_OK) with_new.columns[f->columns[i]] = made[i].columns[0];
	}
	if (status == SHEAF_OK) status = sheaf_frame_fit(&with_new, f->columns, &c->schema, out, err);
	for (int i = 0; i < ncolumns; i++) sheaf_frame_free(&made[i]);
	sheaf_release(c->cx, with_new.columns, size);
	sheaf_release(c->cx, made, (size_t)ncolumns * sizeof *made);
	return status;
}

/* Makes a frame of an input one of the output. Rows of several inputs have their keys only if no two are
 * the same; otherwise they are left out, and the caller hears of it unless the keys were nothing but the
 * numbers of rows. The slices of a tensor follow those of the inputs before, so coordinates along its first
 * dimension move on by the extents of these; for their sum they may need a wider type. */
sheaf_status sheaf_conversion_frame(sheaf_conversion *c, const sheaf_dataset *input, const sheaf_frame *frame,
                                    const int *columns, sheaf_frame *out, sheaf_error *err)
{
	int64_t before = 0;
	int key = sheaf_schema_key(sheaf_dataset_schema(input));
	if (c->ninputs > 1 && key >= 0 && sheaf_schema_key(&c->schema) < 0) {
		const uint64_t *keys = (const uint64_t *)(const void *)frame->columns[key].values.data;
		sheaf_rows_of rows = {sheaf_source_name(input->source), SHEAF_SEQUENCES, sheaf_dataset_row(input),
		                      frame->nrows};
		SHEAF_TRY(sheaf_report_keys(keys, &rows, &c->key_reported, c->cx, err));
	}
	SHEAF_TRY(fit(&(fitting){c, input, frame, columns}, out, err));
	if (c->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	for (int i = 0; c->inputs[i] != input; i++) before += sheaf_dataset_schema(c->inputs[i])->tensor.shape[0];
	sheaf_column *first = &out->columns[0];
	sheaf_type type = c->schema.fields[0].type;
	if (before == 0 && first->type == type) return SHEAF_OK;
	sheaf_builder counted;
	sheaf_builder_begin(&counted, c->cx, NULL);
	for (int64_t r = 0; r < out->nrows; r++)
		sheaf_put_index(&counted, type, before + sheaf_coordinate_at(first, r));
	sheaf_buffer_reset(&first->values);
	first->type = type;
	return sheaf_builder_finish(&counted, &first->values, err);
}

/* Finds each column of the conversion's schema in an input, which may have them in another order; -1 where
 * it has no such column. */
sheaf_status sheaf_conversion_columns(const sheaf_conversion *c, const sheaf_dataset *input, int **out,
                                      sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(input);
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)c->schema.nfields, sizeof **out, out, err));
	for (int f = 0; f < c->schema.nfields; f++) {
		const sheaf_field *field = &c->schema.fields[f];
		(*out)[f] = field->meaning == SHEAF_KEY ? sheaf_schema_key(schema)
		                                        : sheaf_schema_find_near(schema, field->name, f);
	}
	return SHEAF_OK;
}

/* ---- the output ---- */

/* Fails if a setting was used neither by the reader nor by the writer; used[i] says that setting i was. */
sheaf_status sheaf_check_used(const sheaf_setting *settings, int n, const bool *used,
                              const sheaf_dataset *from, const sheaf_format *to, sheaf_error *err)
{
	for (int i = 0; i < n; i++)
		if (!used[i])
			return sheaf_fail_option(err, SHEAF_USAGE, settings[i].name,
			                         ": expected an option that %s uses for reading or %s for writing, found "
			                         "one that neither uses",
			                         sheaf_dataset_format(from)->name, to->name);
	return SHEAF_OK;
}

/* Creates the writer of the output, and checks that all settings were used. */
sheaf_status sheaf_conversion_create(sheaf_conversion *c, sheaf_sink *sink, sheaf_error *err)
{
	const sheaf_convert_options *o = &c->options->convert;
	const sheaf_open_options *open = &c->options->open;
	const sheaf_create_options create = {.size = sizeof create,
	                                     .format = c->to->name,
	                                     .settings = open->settings,
	                                     .nsettings = open->nsettings,
	                                     .totals = &c->totals,
	                                     .duplicates = o->duplicates,
	                                     .structure = c->structured ? &c->structure : NULL,
	                                     .allow_large = o->allow_large,
	                                     .pad = o->pad,
	                                     .force = c->replaces};
	SHEAF_TRY(sheaf_create_overlapping(sink, &c->schema, &(sheaf_creation){&create, c->used, true, true},
	                                   c->outer, &c->writer, err));
	return sheaf_check_used(open->settings, open->nsettings, c->used, c->inputs[0], c->to, err);
}
