/* SPDX-License-Identifier: MIT */
/* The lengths of sequences that were padded, in a file of their own beside the output: a vector of integers.
 */
#include "job/lengths.h"
#include "base/context.h"
#include "base/spell.h"
#include "dataset/dataset.h"
#include "dataset/input/input.h"
#include "frame/frame_builder.h"
#include "io/set.h"
#include <stdio.h>
#include <string.h>

static sheaf_status name_lengths(const char *output, char path[SHEAF_LENGTHS_PATH], sheaf_error *err)
{
	if (strcmp(output, "-") != 0) return sheaf_name_lengths(output, path, err);
	return sheaf_fail_option(err, SHEAF_USAGE, "pad",
	                         ": expected a file, beside which the lengths are written, found %s",
	                         "standard output");
}

sheaf_status sheaf_check_lengths(const char *output, bool replaces, sheaf_error *err)
{
	char path[SHEAF_LENGTHS_PATH];
	SHEAF_TRY(name_lengths(output, path, err));
	return replaces ? SHEAF_OK : sheaf_target_check_path(path, err);
}

static sheaf_status make_schema(sheaf_schema *schema, int64_t n, sheaf_context *cx, sheaf_error *err)
{
	static const char *const names[] = {"sequence"};
	sheaf_field *value;
	SHEAF_TRY(sheaf_schema_make_entries(schema, cx, (sheaf_dimensions){1, &n, names}, &value, err));
	value->type = SHEAF_I64;
	schema->tensor.sorted = schema->tensor.unique = schema->tensor.dense = true;
	return SHEAF_OK;
}

/* All at once: they are in memory anyway. */
static sheaf_status write_all(sheaf_writer *writer, const sheaf_schema *schema, const sheaf_buffer *lengths,
                              sheaf_context *cx, sheaf_error *err)
{
	sheaf_frame frame = {0};
	sheaf_frame_builder b;
	int64_t n = (int64_t)(lengths->size / sizeof(int64_t));
	sheaf_status status = sheaf_frame_builder_begin(&b, schema, &frame, cx, err);
	if (status == SHEAF_OK) {
		sheaf_buffer values = sheaf_buffer_ref(lengths);
		for (int64_t i = 0; i < n && !b.columns[0].values.failed; i++)
			sheaf_put_index(&b.columns[0].values, schema->fields[0].type, i);
		sheaf_builder_hold(&b.columns[1].values, &values);
		b.nrows = n;
	}
	status = sheaf_frame_builder_end(&b, status, &frame, err);
	if (status == SHEAF_OK && n > 0) status = sheaf_write(writer, &frame, err);
	sheaf_frame_free(&frame);
	return status;
}

static sheaf_status write_into(sheaf_writer *writer, const sheaf_schema *schema, const sheaf_buffer *lengths,
                               sheaf_context *cx, sheaf_sink **out, sheaf_error *err)
{
	sheaf_status status = write_all(writer, schema, lengths, cx, err);
	if (status == SHEAF_OK) return sheaf_finish_into(writer, out, err);
	sheaf_abandon(writer);
	return status;
}

sheaf_status sheaf_finish_with_lengths(sheaf_writer *writer, const sheaf_lengths_output *to,
                                       const sheaf_buffer *lengths, sheaf_context *cx, sheaf_error *err)
{
	char path[SHEAF_LENGTHS_PATH];
	sheaf_schema schema = {0};
	sheaf_sink *sinks[2] = {NULL, NULL};
	sheaf_writer *own;
	sheaf_create_options create = {
		.size = sizeof create, .format = to->format, .allow_large = true, .force = to->replaces};
	sheaf_status status = sheaf_finish_into(writer, &sinks[0], err);
	if (status == SHEAF_OK) status = name_lengths(to->output, path, err);
	if (status == SHEAF_OK)
		status = make_schema(&schema, (int64_t)(lengths->size / sizeof(int64_t)), cx, err);
	if (status == SHEAF_OK) status = sheaf_create(path, &schema, &create, cx, &own, err);
	if (status == SHEAF_OK) status = write_into(own, &schema, lengths, cx, &sinks[1], err);
	sheaf_schema_free(&schema);
	if (status == SHEAF_OK) return sheaf_sinks_commit(sinks, 2, err);
	if (sinks[0]) sheaf_sink_abandon(sinks[0]);
	return status;
}
