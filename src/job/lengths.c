/* SPDX-License-Identifier: MIT */
/* The lengths of sequences that were padded, in a file of the output's format beside it: "x.lengths.npz"
 * beside "x.npz".
 *
 * A padded output is a tensor in which all sequences are as long as the longest one. Without their lengths
 * nobody could tell padding from samples that are 0, so the file beside it has a vector of an int64 for each
 * sequence, and a reader of the tensor finds it by its name (dataset/lengths.c). Two files that belong
 * together take their names together. */
#include "base/context.h"
#include "base/spell.h"
#include "dataset/input/input.h"
#include "frame/frame_builder.h"
#include "io/set.h"
#include "job/conversion.h"
#include <stdio.h>
#include <string.h>

/* Writes the path of the file of lengths; standard output has no place beside it. */
static sheaf_status name_lengths(const char *output, char path[SHEAF_LENGTHS_PATH], sheaf_error *err)
{
	if (strcmp(output, "-") != 0) return sheaf_name_lengths(output, path, err);
	return sheaf_fail_option(err, SHEAF_USAGE, "pad",
	                         ": expected a file, beside which the lengths are written, found %s",
	                         "standard output");
}

sheaf_status sheaf_conversion_check_lengths(const sheaf_conversion *c, sheaf_error *err)
{
	char path[SHEAF_LENGTHS_PATH];
	SHEAF_TRY(name_lengths(c->output, path, err));
	return c->options->convert.force ? SHEAF_OK : sheaf_target_check_path(path, err);
}

/* Writes all lengths as one frame, since they are in memory anyway. The values are the buffer of the
 * lengths itself, and only the coordinates, which count from 0, are made. */
static sheaf_status write_all(sheaf_writer *writer, const sheaf_schema *schema, const sheaf_buffer *lengths,
                              sheaf_context *cx, sheaf_error *err)
{
	sheaf_frame frame = {0};
	sheaf_frame_builder b;
	int64_t count = (int64_t)(lengths->size / sizeof(int64_t));
	sheaf_status status = sheaf_frame_builder_begin(&b, schema, &frame, cx, err);
	if (status == SHEAF_OK) {
		sheaf_buffer values = sheaf_buffer_ref(lengths);
		for (int64_t i = 0; i < count && !b.columns[0].values.failed; i++)
			sheaf_put_index(&b.columns[0].values, schema->fields[0].type, i);
		sheaf_builder_hold(&b.columns[1].values, &values);
		b.nrows = count;
	}
	status = sheaf_frame_builder_end(&b, status, &frame, err);
	if (status == SHEAF_OK && count > 0) status = sheaf_write(writer, &frame, err);
	sheaf_frame_free(&frame);
	return status;
}

/* Finishes the output, and writes the lengths beside it as a vector of int64. Both files take their names
 * together, or neither does. */
sheaf_status sheaf_conversion_finish_padded(const sheaf_conversion *c, sheaf_error *err)
{
	static const char *const names[] = {"sequence"};
	char path[SHEAF_LENGTHS_PATH];
	int64_t count = (int64_t)(c->lengths.size / sizeof(int64_t));
	sheaf_schema schema = {0};
	sheaf_field *value;
	sheaf_sink *sinks[2] = {NULL, NULL};
	sheaf_writer *writer = NULL;
	sheaf_create_options create = {.size = sizeof create,
	                               .format = c->to->name,
	                               .allow_large = true,
	                               .force = c->options->convert.force};
	sheaf_status status = sheaf_finish_into(c->writer, &sinks[0], err);
	if (status == SHEAF_OK) status = name_lengths(c->output, path, err);
	if (status == SHEAF_OK)
		status =
			sheaf_schema_make_entries(&schema, c->outer, (sheaf_dimensions){1, &count, names}, &value, err);
	if (status == SHEAF_OK) {
		value->type = SHEAF_I64;
		schema.tensor.sorted = schema.tensor.unique = schema.tensor.dense = true;
		status = sheaf_create(path, &schema, &create, c->outer, &writer, err);
	}
	if (status == SHEAF_OK) status = write_all(writer, &schema, &c->lengths, c->outer, err);
	if (status == SHEAF_OK)
		status = sheaf_finish_into(writer, &sinks[1], err);
	else
		sheaf_abandon(writer);
	sheaf_schema_free(&schema);
	if (status == SHEAF_OK) return sheaf_sinks_commit(sinks, 2, err);
	sheaf_sink_abandon(sinks[0]);
	return status;
}
