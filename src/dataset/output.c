/* SPDX-License-Identifier: MIT */
/* Makes and frees what every output has, which happens only here. */
#include "dataset/output.h"
#include "base/memory.h"
#include "frame/frame.h"

/* Frees an output and its sink, without committing what was written; NULL is allowed. */
void sheaf_output_abandon(const sheaf_writing *write, sheaf_output *out)
{
	if (!out) return;
	if (write->close) write->close(out);
	sheaf_sink_abandon(out->sink);
	sheaf_release(out->cx, out, write->output_size);
}

/* Makes an output of a format. `head` has the context, the sink and the schema; they stay the caller's if
 * this fails. */
sheaf_status sheaf_output_create(const sheaf_writing *write, const sheaf_output *head,
                                 const sheaf_facts *totals, const sheaf_values *values,
                                 sheaf_output **created, sheaf_error *err)
{
	*created = NULL;
	sheaf_output *out;
	SHEAF_TRY(sheaf_allocate(head->cx, write->output_size, &out, err));
	out->cx = head->cx;
	out->sink = head->sink;
	out->schema = head->schema;
	out->expected_rows = head->expected_rows;
	sheaf_status status = write->create ? write->create(out, totals, values, err) : SHEAF_OK;
	if (status == SHEAF_OK) {
		*created = out;
		return SHEAF_OK;
	}
	if (write->close) write->close(out);
	sheaf_release(out->cx, out, write->output_size);
	return status;
}

/* Appends an encoded chunk: by the format's own function, or, if it has none, by writing the bytes as they
 * are. */
sheaf_status sheaf_output_append(const sheaf_writing *write, sheaf_output *out, const sheaf_blob *blob,
                                 sheaf_error *err)
{
	if (write->append)
		SHEAF_TRY(write->append(out, blob, err));
	else if (blob->bytes.size)
		SHEAF_TRY(sheaf_sink_write(out->sink, blob->bytes.data, blob->bytes.size, err));
	out->written += blob->rows;
	out->samples += blob->samples;
	return SHEAF_OK;
}

/* Completes an output and frees it, whatever happens. The sink is committed, or, with `sink`, given to the
 * caller; on failure it is abandoned. */
sheaf_status sheaf_output_finish(const sheaf_writing *write, sheaf_output *out, sheaf_sink **sink,
                                 sheaf_error *err)
{
	sheaf_status status = write->finish ? write->finish(out, err) : SHEAF_OK;
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
