/* SPDX-License-Identifier: MIT */
/* Arrow streams of another program, as frames: an array at a time, with buffers that are shared where their
 * form allows. Whatever is handed over belongs to the reader from then on, also if it cannot be made, so that
 * callers need not ask what became of it. */
#include "arrow/arrow.h"
#include "arrow/take.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include <string.h>

struct sheaf_arrow_reader {
	sheaf_context *cx;
	struct ArrowArrayStream stream; /* or: */
	struct ArrowArray array;
	struct ArrowSchema rows;
	sheaf_schema schema;
	sheaf_frame_builder *builder;
};

void sheaf_arrow_reader_free(sheaf_arrow_reader *r)
{
	if (!r) return;
	sheaf_frame_builder_free(r->builder);
	sheaf_schema_free(&r->schema);
	if (r->array.release) r->array.release(&r->array);
	if (r->rows.release) r->rows.release(&r->rows);
	if (r->stream.release) r->stream.release(&r->stream);
	sheaf_release(r->cx, r, sizeof *r);
}

/* Turns what a function of the stream has returned, 0 or an errno value, into a status. Only the text that
 * the stream has for its last failure says why. */
static sheaf_status ask(sheaf_arrow_reader *r, int failed, sheaf_error *err)
{
	if (!failed) return SHEAF_OK;
	const char *why = r->stream.get_last_error(&r->stream);
	return sheaf_fail_sys(err, failed, "arrow stream: expected rows, found%s%s", why ? ": " : " a failure",
	                      why ? why : "");
}

/* The schema of our rows, from Arrow's. */
static sheaf_status begin(sheaf_arrow_reader *r, sheaf_error *err)
{
	r->schema.cx = r->cx;
	const sheaf_arrow_rows rows = {.schema = &r->rows, .name = "arrow"};
	SHEAF_TRY(sheaf_arrow_take_schema(&rows, &r->schema, err));
	return sheaf_frame_builder_new(&r->schema, r->cx, &r->builder, err);
}

/* A reader of nothing yet. */
static sheaf_status new_reader(sheaf_context *cx, sheaf_arrow_reader **out, sheaf_error *err)
{
	*out = NULL;
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_allocate(cx, sizeof **out, out, err));
	(*out)->cx = sheaf_context_owner(cx);
	return SHEAF_OK;
}

/* Frees the reader if it could not be made. */
static sheaf_status end_beginning(sheaf_status status, sheaf_arrow_reader **out)
{
	if (!status) return SHEAF_OK;
	sheaf_arrow_reader_free(*out);
	*out = NULL;
	return status;
}

/* The stream is moved into the reader at once, so that it is released whatever happens. */
sheaf_status sheaf_arrow_reader_new(struct ArrowArrayStream *stream, sheaf_context *cx,
                                    sheaf_arrow_reader **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(stream && stream->release, "a stream");
	sheaf_status status = new_reader(cx, out, err);
	if (status) {
		stream->release(stream);
		return status;
	}
	sheaf_arrow_reader *r = *out;
	r->stream = *stream;
	stream->release = NULL;
	status = ask(r, r->stream.get_schema(&r->stream, &r->rows), err);
	if (!status) status = begin(r, err);
	return end_beginning(status, out);
}

sheaf_status sheaf_arrow_reader_of(struct ArrowSchema *schema, struct ArrowArray *array, sheaf_context *cx,
                                   sheaf_arrow_reader **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema && schema->release && array && array->release, "a schema and an array");
	sheaf_status status = new_reader(cx, out, err);
	if (status) {
		schema->release(schema);
		array->release(array);
		return status;
	}
	(*out)->rows = *schema;
	(*out)->array = *array;
	schema->release = NULL;
	array->release = NULL;
	return end_beginning(begin(*out, err), out);
}

const sheaf_schema *sheaf_arrow_reader_schema(const sheaf_arrow_reader *reader)
{
	return reader ? &reader->schema : NULL;
}

/* Reads the next array of the stream, or the only one that was given, as a frame. Empty arrays are passed,
 * since a frame without rows would say nothing. An array whose `release` is NULL is the end. The frame is
 * taken from the builder even after a failure, and dropped, so that the builder begins again; the failure of
 * the array comes before one of that. */
sheaf_status sheaf_arrow_reader_next(sheaf_arrow_reader *r, sheaf_frame *out, sheaf_error *err)
{
	struct ArrowArray array;
	sheaf_arrow_taken *taken;
	SHEAF_NEED(out, "a place for the outcome");
	*out = (sheaf_frame){0};
	SHEAF_NEED(r, "a reader");
	do {
		SHEAF_TRY(sheaf_check_stop(r->cx, err));
		array = r->array;
		r->array.release = NULL;
		if (!array.release && r->stream.release)
			SHEAF_TRY(ask(r, r->stream.get_next(&r->stream, &array), err));
		if (!array.release) return SHEAF_END;
		if (array.length == 0) array.release(&array);
	} while (!array.release);
	sheaf_status status = sheaf_arrow_taken_new(&array, r->cx, &taken, err);
	if (status) {
		array.release(&array);
		return status;
	}
	status = sheaf_arrow_take(taken, &r->rows, r->builder, err);
	sheaf_arrow_taken_let_go(taken);
	sheaf_error ignored = {0};
	sheaf_status made = sheaf_frame_builder_take(r->builder, out, status ? &ignored : err);
	if (status && !made) sheaf_frame_free(out);
	return status ? status : made;
}
