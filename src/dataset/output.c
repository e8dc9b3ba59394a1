/* SPDX-License-Identifier: MIT */
/* Makes and frees what every output has, which happens only here. */
#include "dataset/output.h"
#include "base/memory.h"
#include "data/frame.h"
#include "dataset/join.h"

void sheaf_output_abandon(const sheaf_writing *write, sheaf_output *out)
{
	if (!out) return;
	if (write->close) write->close(out);
	if (out->sink) sheaf_sink_abandon(out->sink);
	sheaf_drop_joining(out);
	sheaf_release(out->cx, out->joining, (size_t)out->joining_room * sizeof *out->joining);
	sheaf_release(out->cx, out, write->output_size);
}

/* `head` has the context, the sink and the schema, which belong to the caller. */
sheaf_status sheaf_output_create(const sheaf_writing *write, const sheaf_output *head,
                                 const sheaf_facts *totals, const sheaf_values *values,
                                 sheaf_output **created, sheaf_error *err)
{
	void *memory;
	*created = NULL;
	SHEAF_TRY(sheaf_allocate(head->cx, write->output_size, &memory, err));
	sheaf_output *out = (sheaf_output *)memory;
	out->cx = head->cx;
	out->sink = head->sink;
	out->schema = head->schema;
	sheaf_status status = write->create ? write->create(out, totals, values, err) : SHEAF_OK;
	if (status == SHEAF_OK) {
		*created = out;
		return SHEAF_OK;
	}
	if (write->close) write->close(out);
	sheaf_release(out->cx, out, write->output_size);
	return status;
}

static sheaf_status put_segment(const sheaf_output *out, sheaf_bytes segment, sheaf_error *err)
{
	if (segment.size == 0) return SHEAF_OK;
	if (!out->divert) return sheaf_sink_write(out->sink, segment.data, segment.size, err);
	const sheaf_blob more = {.bytes = {.data = (uint8_t *)(uintptr_t)segment.data, .size = segment.size},
	                         .continues = true};
	return out->divert(out->diverted_to, &more, err);
}

static sheaf_status put_joined(const sheaf_writing *write, sheaf_output *out, sheaf_error *err)
{
	size_t head = 0;
	const sheaf_blob whole = sheaf_joining_total(out);
	if (out->divert)
		SHEAF_TRY(out->divert(out->diverted_to, &whole, err));
	else if (write->note)
		SHEAF_TRY(write->note(out, &whole, &head, err));
	for (int s = 0, n = write->segments(out); s < n; s++)
		for (int64_t i = 0; i < out->njoining; i++)
			SHEAF_TRY(put_segment(out, sheaf_joining_segment(out, i, s, n), err));
	return SHEAF_OK;
}

static sheaf_status put(const sheaf_writing *write, sheaf_output *out, const sheaf_blob *blob,
                        sheaf_error *err)
{
	size_t head = 0;
	if (out->divert) return out->divert(out->diverted_to, blob, err);
	if (write->append) return write->append(out, blob, err);
	if (write->note) SHEAF_TRY(write->note(out, blob, &head, err));
	if (blob->bytes.size == head) return SHEAF_OK;
	return sheaf_sink_write(out->sink, blob->bytes.data + head, blob->bytes.size - head, err);
}

sheaf_status sheaf_output_append(const sheaf_writing *write, sheaf_output *out, sheaf_blob *blob,
                                 sheaf_error *err)
{
	if (write->segments && blob->begins) SHEAF_TRY(sheaf_output_close_chunk(write, out, err));
	SHEAF_TRY(write->segments ? sheaf_join(out, blob, err) : put(write, out, blob, err));
	out->written += blob->rows;
	out->samples += blob->samples;
	return SHEAF_OK;
}

sheaf_status sheaf_output_close_chunk(const sheaf_writing *write, sheaf_output *out, sheaf_error *err)
{
	if (out->njoining == 0) return SHEAF_OK;
	sheaf_status status = put_joined(write, out, err);
	sheaf_drop_joining(out);
	return status;
}

sheaf_status sheaf_output_finish(const sheaf_writing *write, sheaf_output *out, sheaf_sink **sink,
                                 sheaf_error *err)
{
	sheaf_status status = sheaf_output_close_chunk(write, out, err);
	if (status == SHEAF_OK && write->finish) status = write->finish(out, err);
	if (status == SHEAF_OK) {
		if (sink)
			*sink = out->sink;
		else
			status = sheaf_sink_commit(out->sink, err);
		out->sink = NULL;
	}
	sheaf_output_abandon(write, out);
	return status;
}
