/* SPDX-License-Identifier: MIT */
/* Chunks on their way to the output: encoded by threads, appended in order.
 *
 * Each item of the pipeline is the rows of a chunk and the bytes they become. Findings of a chunk are kept
 * until all chunks before it are settled, so that the caller hears of them in order; if they are too many to
 * keep, the chunk is encoded once more when its turn comes. */
#include "dataset/encoding.h"
#include "base/context.h"
#include "base/findings.h"
#include "base/memory.h"
#include "frame/frame.h"

/* Rows take up to about 3 times their bytes as text, and twice that while a buffer grows. */
enum { SHARE = 16 };

/* A chunk in the pipeline: its rows, what they become, and what was found in them. `row` is the number of
 * its first row; `wasted` says that it is encoded for its findings alone; `appended`, that its bytes are in
 * the output. */
typedef struct item {
	sheaf_frame rows;
	int64_t row, bytes;
	sheaf_blob blob;
	sheaf_findings findings;
	sheaf_status status;
	sheaf_error error;
	bool wasted, appended;
} item;

/* ---- steps ---- */

/* Encodes the rows of an item into *blob, on any thread; findings go to the context cx. */
static sheaf_status fill(const sheaf_encoding *e, const item *i, sheaf_blob *blob, sheaf_context *cx,
                         sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, &blob->bytes);
	blob->rows = i->rows.nrows;
	blob->samples = 0;
	sheaf_status status = e->format->write->encode(e->out, &i->rows, i->row, &b, &blob->samples, err);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, &blob->bytes, err);
	sheaf_builder_drop(&b);
	return status;
}

/* Encodes an item, on any thread, as a step of the pipeline. Rows that may have to be encoded again stay.
 * Others are released at once: the reader reuses its buffers only if they have no other owner. */
static void encode(void *user, void *memory)
{
	const sheaf_encoding *e = (const sheaf_encoding *)user;
	item *i = (item *)memory;
	i->appended = false;
	i->status = fill(e, i, &i->blob, i->findings.cx, &i->error);
	if (i->status == SHEAF_OK && !i->findings.over) sheaf_frame_clear(&i->rows);
}

/* Appends an item's bytes to the output, in order. Bytes of an output that is lost anyway, because of a
 * loss that is not allowed, are not written. */
static void append_encoded(sheaf_encoding *e, item *i)
{
	e->wastes = e->wastes || (i->findings.lossy && !sheaf_allows_loss(e->cx));
	if (!e->wastes && !i->wasted)
		i->status = sheaf_output_append(e->format->write, e->out, &i->blob, &i->error);
	if (e->format->write->joins) sheaf_buffer_reset(&i->blob.bytes); /* its chunk has it now */
	i->appended = true;
}

/* Appends an item, as a step of the pipeline that is done in order. After a failure nothing more is
 * appended (`stuck`). */
static void append(void *user, void *memory)
{
	sheaf_encoding *e = (sheaf_encoding *)user;
	item *i = (item *)memory;
	if (!e->stuck && i->status == SHEAF_OK) append_encoded(e, i);
	e->stuck = e->stuck || i->status != SHEAF_OK;
}

/* Frees what an item holds, when the pipeline is closed. */
static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	sheaf_frame_free(&i->rows);
	sheaf_buffer_reset(&i->blob.bytes);
	sheaf_findings_close(&i->findings);
}

/* Opens a pipeline with one item more than there are threads, so that none waits while the caller fills
 * one; and more where chunks are joined: while one is written, rows of the next one are encoded. */
sheaf_status sheaf_encoding_open(sheaf_encoding *e, const sheaf_format *format, sheaf_output *out,
                                 bool overlap, sheaf_context *cx, sheaf_error *err)
{
	enum { WHILE_WRITING = 8 };
	int threads = overlap ? sheaf_context_threads(cx) : 1;
	int depth = threads == 1 ? 1 : threads + 1 + (format->write->joins ? WHILE_WRITING : 0);
	*e = (sheaf_encoding){.format = format, .out = out, .cx = cx};
	return sheaf_pipeline_open(&e->pipeline, cx, sizeof(item), depth,
	                           (sheaf_pipeline_steps){encode, append, drop, e}, err);
}

void sheaf_encoding_close(sheaf_encoding *e) { sheaf_pipeline_close(&e->pipeline); }

/* ---- in order ---- */

/* The bytes of rows that all chunks in progress may have together. A larger chunk has the memory for
 * itself, as every chunk has with one thread. */
static int64_t share_of(const sheaf_encoding *e) { return sheaf_max_memory(e->cx) / SHARE; }

/* Waits for the first chunk, appends it if that was not done, and reports what was found in it. If memory
 * was too small for several chunks, the pipeline has one at a time from now on, and this one is encoded
 * again. Findings that were too many to keep are reported by encoding once more. */
static sheaf_status settle_first(sheaf_encoding *e, sheaf_error *err)
{
	item *i = (item *)sheaf_pipeline_first(&e->pipeline);
	bool alone = e->pipeline.depth > 1 && i->bytes > share_of(e);
	bool lacked_memory = sheaf_is_of_memory(i->status) && !i->appended && !e->pipeline.held;
	if (lacked_memory) {
		sheaf_pipeline_hold(&e->pipeline);
		sheaf_findings_clear(&i->findings);
		sheaf_buffer_reset(&i->blob.bytes);
		encode(e, i);
	}
	if (i->findings.over) {
		sheaf_blob second_blob = {0};
		sheaf_status status = fill(e, i, &second_blob, e->cx, err);
		sheaf_buffer_reset(&second_blob.bytes);
		sheaf_frame_clear(&i->rows);
		SHEAF_TRY(status);
	} else {
		SHEAF_TRY(sheaf_findings_report(&i->findings, e->cx, err));
	}
	if (!i->appended && i->status == SHEAF_OK) append_encoded(e, i);
	if (i->status && err) *err = i->error;
	SHEAF_TRY(i->status);
	e->under_way -= i->bytes;
	if (alone) { /* the next one is another item, and must not keep these buffers alongside its own */
		sheaf_frame_free(&i->rows);
		sheaf_buffer_reset(&i->blob.bytes);
	}
	sheaf_pipeline_pass(&e->pipeline);
	return SHEAF_OK;
}

sheaf_status sheaf_encoding_settle(sheaf_encoding *e, sheaf_error *err)
{
	while (sheaf_pipeline_count(&e->pipeline) > 0) SHEAF_TRY(settle_first(e, err));
	return SHEAF_OK;
}

/* ---- submitting ---- */

/* Gives the frame of a free item to be filled with rows; if all items are in progress, the first one is
 * settled for that. */
sheaf_status sheaf_encoding_rows(sheaf_encoding *e, sheaf_frame **out, sheaf_error *err)
{
	item *i;
	while (!(i = (item *)sheaf_pipeline_free_item(&e->pipeline))) SHEAF_TRY(settle_first(e, err));
	*out = &i->rows;
	return SHEAF_OK;
}

/* Hands the free item over to the threads. New chunks wait while those in progress take their share of the
 * memory, and settle those that are ready. With one thread, or with a chunk that needs the memory for itself,
 * it is settled at once. */
sheaf_status sheaf_encoding_submit(sheaf_encoding *e, bool wasted, bool begins, sheaf_error *err)
{
	item *i = (item *)sheaf_pipeline_free_item(&e->pipeline);
	SHEAF_TRY(sheaf_check_stop(e->cx, err));
	if (!i->findings.cx) SHEAF_TRY(sheaf_findings_open(&i->findings, e->cx, err));
	sheaf_findings_clear(&i->findings);
	i->row = e->row;
	i->bytes = sheaf_frame_bytes(&i->rows);
	i->wasted = wasted;
	i->blob.begins = begins;
	while (sheaf_pipeline_count(&e->pipeline) > 0 &&
	       (i->bytes > share_of(e) - e->under_way || sheaf_pipeline_is_ready(&e->pipeline)))
		SHEAF_TRY(settle_first(e, err));
	e->row += i->rows.nrows;
	e->under_way += i->bytes;
	sheaf_pipeline_submit(&e->pipeline);
	return e->pipeline.depth == 1 || i->bytes > share_of(e) ? sheaf_encoding_settle(e, err) : SHEAF_OK;
}
