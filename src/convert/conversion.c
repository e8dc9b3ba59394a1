/* SPDX-License-Identifier: MIT */
/* Common to a whole conversion and to a part of it. */
#include "convert/conversion.h"
#include "base/memory.h"
#include "data/frame.h"
#include "input/lost.h"
#include "io/source.h"

/* ---- rows ---- */

static sheaf_status report_keys(sheaf_conversion *c, const sheaf_dataset *input, const sheaf_frame *frame,
                                sheaf_error *err)
{
	int key = sheaf_schema_key(sheaf_dataset_schema(input));
	if (c->ninputs == 1 || key < 0 || sheaf_schema_key(&c->schema) >= 0) return SHEAF_OK;
	const uint64_t *keys = (const uint64_t *)(const void *)frame->columns[key].values.data;
	sheaf_rows_of rows = {sheaf_source_name(sheaf_dataset_source(input)), SHEAF_SEQUENCES,
	                      sheaf_dataset_row(input), frame->nrows};
	return sheaf_report_keys(keys, &rows, &c->key_reported, c->cx, err);
}

static sheaf_status count_on(const sheaf_conversion *c, const sheaf_dataset *input, sheaf_frame *frame,
                             sheaf_error *err)
{
	int64_t before = 0;
	if (c->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	for (int i = 0; c->inputs[i] != input; i++) before += sheaf_dataset_schema(c->inputs[i])->tensor.shape[0];
	sheaf_column *first = &frame->columns[0];
	sheaf_type type = c->schema.fields[0].type;
	if (before == 0 && first->type == type) return SHEAF_OK;
	sheaf_builder counted;
	sheaf_builder_begin(&counted, c->cx, NULL);
	for (int64_t r = 0; r < frame->nrows; r++) {
		int64_t place = before + sheaf_coordinate_at(first, r);
		int32_t narrow = (int32_t)place;
		if (type == SHEAF_I64)
			sheaf_builder_append(&counted, &place, sizeof place);
		else
			sheaf_builder_append(&counted, &narrow, sizeof narrow);
	}
	sheaf_buffer_reset(&first->values);
	first->type = type;
	return sheaf_builder_finish(&counted, &first->values, err);
}

sheaf_status sheaf_conversion_frame(sheaf_conversion *c, const sheaf_dataset *input, const sheaf_frame *frame,
                                    const int *columns, sheaf_frame *out, sheaf_error *err)
{
	SHEAF_TRY(report_keys(c, input, frame, err));
	SHEAF_TRY(sheaf_frame_fit(frame, columns, &c->schema, out, err));
	return count_on(c, input, out, err);
}

/* Each input may have its streams in another order. */
sheaf_status sheaf_conversion_columns(const sheaf_conversion *c, const sheaf_dataset *input, int **out,
                                      sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(input);
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(c->cx, (uint64_t)c->schema.nfields, sizeof **out, &memory, err));
	int *columns = *out = (int *)memory;
	for (int f = 0; f < c->schema.nfields; f++) {
		const sheaf_field *field = &c->schema.fields[f];
		columns[f] = field->meaning == SHEAF_KEY ? sheaf_schema_key(schema)
		                                         : sheaf_schema_find_near(schema, field->name, f);
	}
	return SHEAF_OK;
}

/* ---- the output ---- */

sheaf_status sheaf_conversion_check_settings(const sheaf_conversion *c, sheaf_error *err)
{
	for (int i = 0; i < c->options->nsettings; i++)
		if (!c->used[i])
			return sheaf_fail_option(err, SHEAF_USAGE, c->options->settings[i].name,
			                         ": expected an option that %s uses for reading or %s for writing, found "
			                         "one that neither uses",
			                         sheaf_dataset_format(c->inputs[0])->name, c->to->name);
	return SHEAF_OK;
}

sheaf_create_options sheaf_conversion_creates(const sheaf_conversion *c)
{
	return (sheaf_create_options){.size = sizeof(sheaf_create_options),
	                              .format = c->to->name,
	                              .settings = c->options->settings,
	                              .nsettings = c->options->nsettings,
	                              .totals = &c->totals,
	                              .duplicates = c->options->duplicates,
	                              .structure = c->structured ? &c->structure : NULL,
	                              .allow_large = c->options->allow_large,
	                              .pad = c->options->pad,
	                              .force = c->replaces};
}
